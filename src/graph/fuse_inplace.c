/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A loop function whose output is written over one of its inputs.
 *
 *   B[v] = T.max(A[v], 0)   ->   A[v] = T.max(A[v], 0)
 *
 * Right when one store alone touches both buffers, at the same place, and no place twice: then no
 * element is read after it was written, in whatever order and on however many threads the loops
 * run. The store's block has spatial axes alone, each an index of it, bound one to one to the loops
 * around (arith/itermap.h), so functions may be scheduled already. */
#include <string.h>

#include "arith/itermap.h"
#include "graph/fuse.h"

typedef struct search {
  const tn_node *input; /* BUFFERs */
  const tn_node *output;
  TN_VEC(const tn_node *) loops; /* around the statement at hand */
  uint32_t n_blocks;             /* around it; the root's is not counted */
  const tn_node *block;          /* of the one store, NULL: not met */
  const tn_node *loops_of_block[TN_ITER_MAX_LOOPS];
  uint32_t n_loops;
  bool is_bad;
} search;

/* ---- mentions ---- */

typedef struct mention {
  const tn_node *input;
  const tn_node *output;
  bool is_any;
} mention;

static tn_visit look_for_mention(const tn_node *n, void *ctx) {
  mention *m = ctx;
  m->is_any = m->is_any || n == m->input || n == m->output || n == m->input->in[TN_BUFFER_DATA] ||
              n == m->output->in[TN_BUFFER_DATA];
  return m->is_any ? TN_STOP : TN_DESCEND;
}

static bool mentions(const search *s, const tn_node *n) {
  mention m = {s->input, s->output, false};
  tn_walk_distinct(n, look_for_mention, &m);
  return m.is_any;
}

/* ---- the one store ---- */

typedef struct load_check {
  const search *s;
  const tn_node *store;
  bool is_bad;
} load_check;

/* Loads of the input are at the place of the store; nothing else takes the buffers. */
static tn_visit check_load(const tn_node *n, void *ctx) {
  load_check *c = ctx;
  const tn_node *input = c->s->input;
  bool is_load = tn_is(n, TN_OP_LOAD);
  for (uint32_t i = 0; i < n->n_in && !tn_is(n, TN_OP_BUFFER); ++i) {
    bool is_own = is_load && i == TN_LOAD_BUFFER && n->in[i] == input;
    bool is_taken = n->in[i] == input || n->in[i] == c->s->output ||
                    n->in[i] == input->in[TN_BUFFER_DATA] ||
                    n->in[i] == c->s->output->in[TN_BUFFER_DATA];
    c->is_bad = c->is_bad || (is_taken && !is_own);
    c->is_bad = c->is_bad || (tn_is(n, TN_OP_INTRIN) && tn_intrin_of(n)->kind == TN_IK_MEMORY);
  }
  for (uint32_t d = 0; is_load && n->in[TN_LOAD_BUFFER] == input && d < tn_buffer_ndim(input);
       ++d) {
    c->is_bad = c->is_bad || (n->in[TN_LOAD_INDICES + d] != c->store->in[TN_STORE_INDICES + d] &&
                              !tn_is_int(input->in[TN_BUFFER_SHAPE]->in[d], 1));
  }
  return TN_DESCEND;
}

static bool store_is_fine(const search *s, const tn_node *block) {
  const tn_node *store = block->in[TN_BLOCK_BODY];
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  load_check c = {.s = s, .store = store};
  if (!tn_is_none(store->in[TN_STORE_PREDICATE]) || !tn_is_none(block->in[TN_BLOCK_INIT]) ||
      block->in[TN_BLOCK_MATCHES]->n_in > 0 || mentions(s, block->in[TN_BLOCK_PREDICATE]) ||
      mentions(s, iters)) {
    return false;
  }
  for (uint32_t i = TN_STORE_INDICES; i < store->n_in; ++i) {
    if (mentions(s, store->in[i]) || tn_dtype_lanes(store->in[i]->dtype) != 1) {
      return false;
    }
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->attr.i64 != TN_ITER_SPATIAL ||
        (!tn_fuse_is_index_of(store, iters->in[i]->in[TN_ITER_VAR]) &&
         !tn_is_int(iters->in[i]->in[TN_ITER_EXTENT], 1))) {
      return false;
    }
  }
  tn_walk_distinct(store->in[TN_STORE_VALUE], check_load, &c);
  return !c.is_bad;
}

/* ---- statements ---- */

static void visit(search *s, const tn_node *n);

static void visit_block(search *s, const tn_node *n) {
  const tn_node *body = n->in[TN_BLOCK_BODY];
  bool is_root = n->in[TN_BLOCK_ITERS]->n_in == 0 && s->loops.len == 0 && s->n_blocks == 0 &&
                 !tn_is(body, TN_OP_STORE);
  if (tn_is(body, TN_OP_STORE) && body->in[TN_STORE_BUFFER] == s->output) {
    s->is_bad = s->is_bad || s->block != NULL || s->n_blocks > 0 ||
                s->loops.len > TN_ITER_MAX_LOOPS || !store_is_fine(s, n);
    s->block = n;
    for (size_t i = 0; !s->is_bad && i < s->loops.len; ++i) {
      s->loops_of_block[s->n_loops++] = s->loops.data[i];
    }
    return;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    bool is_region = i == TN_BLOCK_READS || i == TN_BLOCK_WRITES;
    if (i != TN_BLOCK_BODY && !is_region && mentions(s, n->in[i])) {
      s->is_bad = true;
    }
  }
  s->n_blocks += is_root ? 0 : 1;
  visit(s, body);
  s->n_blocks -= is_root ? 0 : 1;
}

/* The only statements around the store are loops, branches and the root block. */
static void visit(search *s, const tn_node *n) {
  if (s->is_bad) {
    return;
  }
  if (tn_is(n, TN_OP_BLOCK)) {
    visit_block(s, n);
    return;
  }
  bool is_open = tn_is(n, TN_OP_SEQ) || tn_is(n, TN_OP_FOR) || tn_is(n, TN_OP_IF);
  if (!is_open) {
    s->is_bad = mentions(s, n);
    return;
  }
  if (tn_is(n, TN_OP_FOR)) {
    TN_VEC_PUSH(&s->loops, n);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tn_op_info *info = tn_op_info_get((tn_op)n->in[i]->op);
    if (info->cls == TN_CLASS_STMT) {
      visit(s, n->in[i]);
    } else {
      s->is_bad = s->is_bad || mentions(s, n->in[i]);
    }
  }
  if (tn_is(n, TN_OP_FOR)) {
    (void)TN_VEC_POP(&s->loops);
  }
}

/* No two rounds of the loops are the same instance of the block. */
static bool is_one_to_one(tn_ir *ir, const search *s) {
  const tn_node *vars[TN_ITER_MAX_LOOPS];
  const tn_node *extents[TN_ITER_MAX_LOOPS];
  const tn_node *mins[TN_ITER_MAX_LOOPS];
  tn_stmts values = {0};
  for (uint32_t i = 0; i < s->n_loops; ++i) {
    vars[i] = s->loops_of_block[i]->in[TN_FOR_VAR];
    mins[i] = s->loops_of_block[i]->in[TN_FOR_MIN];
    extents[i] = s->loops_of_block[i]->in[TN_FOR_EXTENT];
  }
  for (uint32_t i = 0; i < s->block->in[TN_BLOCK_ITERS]->n_in; ++i) {
    TN_VEC_PUSH(&values, s->block->in[TN_BLOCK_ITERS]->in[i]->in[TN_ITER_BINDING]);
  }
  const tn_domain domain = {.n = s->n_loops, .vars = vars, .mins = mins, .extents = extents};
  tn_arith *arith = tn_arith_new(ir);
  const tn_itermap *map =
      tn_itermap_detect(arith, &domain, (uint32_t)values.len, values.data, NULL);
  bool is_injective = map != NULL && map->is_injective;
  tn_arith_free(arith);
  TN_VEC_DEINIT(&values);
  return is_injective;
}

/* ---- the function ---- */

static bool same_buffers(const tn_node *a, const tn_node *b) {
  bool is_same = tn_buffer_is_plain(a) && tn_buffer_is_plain(b) && a->dtype == b->dtype &&
                 tn_buffer_ndim(a) == tn_buffer_ndim(b);
  for (uint32_t d = 0; is_same && d < tn_buffer_ndim(a); ++d) {
    is_same = tn_fuse_same_extent(a->in[TN_BUFFER_SHAPE]->in[d], b->in[TN_BUFFER_SHAPE]->in[d]);
  }
  return is_same;
}

static const tn_node *without(tn_ir *ir, const tn_node *list, uint32_t at) {
  tn_stmts kept = {0};
  for (uint32_t i = 0; i < list->n_in; ++i) {
    if (i != at) {
      TN_VEC_PUSH(&kept, list->in[i]);
    }
  }
  const tn_node *made = tn_list(ir, (uint32_t)kept.len, kept.data);
  TN_VEC_DEINIT(&kept);
  return made;
}

static const tn_node *private_attrs(tn_ir *ir, const tn_node *attrs) {
  const tn_node *out = tn_none(ir);
  for (uint32_t i = 0; i + 1 < attrs->n_in; i += 2) {
    if (strcmp(attrs->in[i]->attr.text, "global_symbol") != 0) {
      out = tn_dict_set(ir, out, attrs->in[i]->attr.text, attrs->in[i + 1]);
    }
  }
  return tn_is_none(out) ? NULL : out;
}

static const tn_node *merged(tn_ir *ir, const tn_node *func, uint32_t input, uint32_t output) {
  func = tn_clone_fresh(ir, func);
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  const tn_node *body =
      tn_subst1(ir, func->in[TN_PRIM_FUNC_BODY], buffers->in[output], buffers->in[input]);
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_inplace", func->attr.text);
  const tn_node *made = tn_prim_func_new(
      ir, tn_ir_text(ir, tn_buf_text(&name)), without(ir, func->in[TN_PRIM_FUNC_PARAMS], output),
      without(ir, buffers, output), NULL, private_attrs(ir, func->in[TN_PRIM_FUNC_ATTRS]), body);
  tn_buf_deinit(&name);
  return made;
}

const tn_node *tn_fuse_inplace(tn_ir *ir, const tn_node *func, uint32_t input, uint32_t output) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  search s = {.input = buffers->in[input], .output = buffers->in[output]};
  if (!tn_is_none(func->in[TN_PRIM_FUNC_RET]) || tn_is_none(s.input) || tn_is_none(s.output) ||
      !same_buffers(s.input, s.output)) {
    return NULL;
  }
  visit(&s, func->in[TN_PRIM_FUNC_BODY]);
  TN_VEC_DEINIT(&s.loops);
  bool is_fine = !s.is_bad && s.block != NULL && is_one_to_one(ir, &s);
  return is_fine ? merged(ir, func, input, output) : NULL;
}
