/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tensorize: a nest that does what the description of an intrinsic says becomes the intrinsic.
 *
 *   for i in range(4):                         with T.block("C_o"):
 *       with T.block("C"):                         A = T.match_buffer(X[vo * 4:vo * 4 + 4], (4,))
 *           vi = ...                       ->      ... the body of impl over A, B, C
 *           Z[0] = Z[0] + X[..vi] * Y[..vi]
 *
 * The nest becomes a block (blockize), whose body must be that of `desc` up to names: the same loops
 * and axes, the same expressions, and for each buffer of desc one of the program at a place that the
 * loops inside leave alone. impl must do what desc does (intrin_agree.c). */
#include <string.h>

#include "sched/loops.h"
#include "sched/rewrite.h"
#include "sched/tensorize.h"

enum { MAX_TRIES = 100000 };

typedef struct bound_buffer {
  const tn_node *desc;
  const tn_node *own; /* of the program */
  uint32_t n;         /* dimensions of own */
  const tn_node *mins[TN_MAX_NDIM];
} bound_buffer;

typedef struct matcher {
  tn_sched *s;
  tn_arith *arith; /* knows nothing: cancels terms */
  tn_map vars;     /* loops and axes of desc -> those of the program */
  uint32_t n_inner;
  const tn_node *inner[2 * TN_SCHED_MAX_LOOPS]; /* those of the program */
  uint32_t n_buffers;
  bound_buffer buffers[TN_INTRIN_MAX_PARAMS];
  int32_t n_tries;       /* expressions compared: trying both orders can be exponential */
  const tn_node *wanted; /* of desc, where it first differs */
  const tn_node *found;
} matcher;

static bool differs(matcher *m, const tn_node *desc, const tn_node *own) {
  if (m->wanted == NULL) {
    m->wanted = desc;
    m->found = own;
  }
  return false;
}

static bool bind_var(matcher *m, const tn_node *desc, const tn_node *own) {
  if (m->n_inner == sizeof m->inner / sizeof *m->inner || desc->dtype != own->dtype) {
    return differs(m, desc, own);
  }
  tn_map_set(&m->vars, desc->id, (uint64_t)(uintptr_t)own);
  m->inner[m->n_inner++] = own;
  return true;
}

/* ---- expressions ---- */

static bool match_expr(matcher *m, const tn_node *desc, const tn_node *own);

/* own index - desc index: where the intrinsic's buffer begins; NULL when that depends on a round. */
static const tn_node *begin_of(matcher *m, const tn_node *desc, const tn_node *own) {
  tn_ir *ir = m->s->ir;
  const tn_node *inside = tn_subst(ir, desc, &m->vars);
  if (inside->dtype != own->dtype) {
    return NULL;
  }
  const tn_node *begin = tn_arith_simplify(m->arith, tn_binary(ir, TN_OP_SUB, own, inside));
  return tn_expr_uses(begin, m->n_inner, m->inner) ? NULL : begin;
}

static bound_buffer *find_buffer(matcher *m, const tn_node *desc) {
  for (uint32_t i = 0; i < m->n_buffers; ++i) {
    if (m->buffers[i].desc == desc) {
      return &m->buffers[i];
    }
  }
  return NULL;
}

static bool match_access(matcher *m, const tn_node *desc, const tn_node *own, uint32_t first) {
  const tn_node *theirs = desc->in[0];
  const tn_node *ours = own->in[0];
  uint32_t n_theirs = desc->n_in - first;
  uint32_t n_ours = own->n_in - first;
  bound_buffer bound = {.desc = theirs, .own = ours, .n = n_ours};
  if (n_ours < n_theirs || theirs->dtype != ours->dtype ||
      theirs->in[TN_BUFFER_SCOPE] != ours->in[TN_BUFFER_SCOPE]) {
    return differs(m, desc, own);
  }
  for (uint32_t d = 0; d < n_ours; ++d) {
    uint32_t lead = n_ours - n_theirs;
    const tn_node *index = own->in[first + d];
    bool is_lead = d < lead;
    bound.mins[d] = is_lead ? index : begin_of(m, desc->in[first + d - lead], index);
    if (bound.mins[d] == NULL || tn_expr_uses(bound.mins[d], m->n_inner, m->inner)) {
      return differs(m, desc, own);
    }
  }
  bound_buffer *known = find_buffer(m, theirs);
  if (known == NULL) {
    if (m->n_buffers == TN_INTRIN_MAX_PARAMS) {
      return differs(m, desc, own);
    }
    m->buffers[m->n_buffers++] = bound;
    return true;
  }
  bool is_same = known->own == ours && known->n == n_ours;
  for (uint32_t d = 0; is_same && d < n_ours; ++d) {
    is_same = known->mins[d] == bound.mins[d];
  }
  return is_same ? true : differs(m, desc, own);
}

static bool match_children(matcher *m, const tn_node *desc, const tn_node *own, bool is_swapped) {
  for (uint32_t i = 0; i < desc->n_in; ++i) {
    if (!match_expr(m, desc->in[i], own->in[is_swapped ? 1 - i : i])) {
      return false;
    }
  }
  return true;
}

static bool match_expr(matcher *m, const tn_node *desc, const tn_node *own) {
  uint64_t word = 0;
  if (++m->n_tries > MAX_TRIES) {
    return differs(m, desc, own);
  }
  if (tn_map_find(&m->vars, desc->id, &word)) {
    return (const tn_node *)(uintptr_t)word == own ? true : differs(m, desc, own);
  }
  if (tn_is(desc, TN_OP_LOAD) && tn_is(own, TN_OP_LOAD)) {
    return tn_is_none(desc->in[TN_LOAD_PREDICATE]) && tn_is_none(own->in[TN_LOAD_PREDICATE]) &&
           match_access(m, desc, own, TN_LOAD_INDICES);
  }
  if (desc->op != own->op || desc->dtype != own->dtype || desc->n_in != own->n_in ||
      tn_op_info_get((tn_op)desc->op)->cls != TN_CLASS_EXPR || desc->attr.i64 != own->attr.i64) {
    return desc == own && !tn_is(desc, TN_OP_VAR) ? true : differs(m, desc, own);
  }
  uint32_t n = m->n_buffers;
  if (match_children(m, desc, own, false)) {
    return true;
  }
  m->n_buffers = n; /* a op b may also stand as b op a */
  return (tn_op_info_get((tn_op)desc->op)->flags & TN_OPF_COMM) != 0 &&
         match_children(m, desc, own, true);
}

/* ---- statements ---- */

static bool match_stmt(matcher *m, const tn_node *desc, const tn_node *own);

static bool match_for(matcher *m, const tn_node *desc, const tn_node *own) {
  if (desc->attr.i64 != TN_FOR_SERIAL || own->attr.i64 == TN_FOR_THREAD_BINDING ||
      !match_expr(m, desc->in[TN_FOR_MIN], own->in[TN_FOR_MIN]) ||
      !match_expr(m, desc->in[TN_FOR_EXTENT], own->in[TN_FOR_EXTENT])) {
    return differs(m, desc, own);
  }
  return bind_var(m, desc->in[TN_FOR_VAR], own->in[TN_FOR_VAR]) &&
         match_stmt(m, desc->in[TN_FOR_BODY], own->in[TN_FOR_BODY]);
}

static bool match_block(matcher *m, const tn_node *desc, const tn_node *own) {
  const tn_node *theirs = desc->in[TN_BLOCK_ITERS];
  const tn_node *ours = own->in[TN_BLOCK_ITERS];
  bool is_same = theirs->n_in == ours->n_in && tn_is_int(desc->in[TN_BLOCK_PREDICATE], 1) &&
                 tn_is_int(own->in[TN_BLOCK_PREDICATE], 1) &&
                 tn_is_none(desc->in[TN_BLOCK_INIT]) == tn_is_none(own->in[TN_BLOCK_INIT]) &&
                 desc->in[TN_BLOCK_ALLOCS]->n_in + own->in[TN_BLOCK_ALLOCS]->n_in == 0 &&
                 desc->in[TN_BLOCK_MATCHES]->n_in + own->in[TN_BLOCK_MATCHES]->n_in == 0;
  for (uint32_t i = 0; is_same && i < ours->n_in; ++i) {
    const tn_node *a = theirs->in[i];
    const tn_node *b = ours->in[i];
    is_same = a->attr.i64 == b->attr.i64 && match_expr(m, a->in[TN_ITER_MIN], b->in[TN_ITER_MIN]) &&
              match_expr(m, a->in[TN_ITER_EXTENT], b->in[TN_ITER_EXTENT]) &&
              match_expr(m, a->in[TN_ITER_BINDING], b->in[TN_ITER_BINDING]);
  }
  if (!is_same) {
    return differs(m, desc, own);
  }
  for (uint32_t i = 0; i < ours->n_in; ++i) {
    if (!bind_var(m, theirs->in[i]->in[TN_ITER_VAR], ours->in[i]->in[TN_ITER_VAR])) {
      return false;
    }
  }
  return (tn_is_none(own->in[TN_BLOCK_INIT]) ||
          match_stmt(m, desc->in[TN_BLOCK_INIT], own->in[TN_BLOCK_INIT])) &&
         match_stmt(m, desc->in[TN_BLOCK_BODY], own->in[TN_BLOCK_BODY]);
}

static bool match_stmt(matcher *m, const tn_node *desc, const tn_node *own) {
  if (desc->op != own->op) {
    return differs(m, desc, own);
  }
  if (tn_is(desc, TN_OP_FOR)) {
    return match_for(m, desc, own);
  }
  if (tn_is(desc, TN_OP_BLOCK)) {
    return match_block(m, desc, own);
  }
  if (tn_is(desc, TN_OP_STORE)) {
    return tn_is_none(desc->in[TN_STORE_PREDICATE]) && tn_is_none(own->in[TN_STORE_PREDICATE]) &&
           match_access(m, desc, own, TN_STORE_INDICES) &&
           match_expr(m, desc->in[TN_STORE_VALUE], own->in[TN_STORE_VALUE]);
  }
  bool is_same = tn_is(desc, TN_OP_SEQ) && desc->n_in == own->n_in;
  for (uint32_t i = 0; is_same && i < desc->n_in; ++i) {
    is_same = match_stmt(m, desc->in[i], own->in[i]);
  }
  return is_same ? true : differs(m, desc, own);
}

/* ---- the pair ---- */

static tn_status find_func(tn_sched *s, const char *name, size_t len, const tn_node **out) {
  const char *text = tn_ir_text_n(s->ir, name, len);
  *out = tn_module_find(&s->module, text);
  if (*out == NULL || !tn_is(*out, TN_OP_PRIM_FUNC)) {
    return tn_refuse(s, NULL, "\"desc:impl\": two loop functions of the module",
                     "the module has no loop function '%s'", text);
  }
  return NULL;
}

static tn_status find_intrin(tn_sched *s, const char *name, tn_sched_intrin *out) {
  *out = (tn_sched_intrin){.name = name};
  for (size_t i = 0; i < s->intrins.len; ++i) {
    if (strcmp(s->intrins.data[i].name, name) == 0) {
      *out = s->intrins.data[i];
      return NULL;
    }
  }
  const char *colon = strchr(name, ':');
  if (colon == NULL) {
    return tn_refuse(s, NULL, "\"desc:impl\" names two loop functions of the module",
                     "there is no intrinsic '%s'", name);
  }
  TN_TRY(find_func(s, name, (size_t)(colon - name), &out->desc));
  return find_func(s, colon + 1, strlen(colon + 1), &out->impl);
}

/* desc and impl take the same buffers and nothing else. */
static tn_status check_pair(tn_sched *s, const tn_sched_intrin *pair) {
  const tn_node *a = pair->desc->in[TN_PRIM_FUNC_BUFFERS];
  const tn_node *b = pair->impl->in[TN_PRIM_FUNC_BUFFERS];
  bool is_same = a->n_in == b->n_in && a->n_in <= TN_INTRIN_MAX_PARAMS;
  for (uint32_t i = 0; is_same && i < a->n_in; ++i) {
    is_same = !tn_is_none(a->in[i]) && !tn_is_none(b->in[i]) &&
              a->in[i]->dtype == b->in[i]->dtype &&
              a->in[i]->in[TN_BUFFER_SHAPE] == b->in[i]->in[TN_BUFFER_SHAPE];
    for (uint32_t d = 0; is_same && d < tn_buffer_ndim(a->in[i]); ++d) {
      is_same = tn_is(a->in[i]->in[TN_BUFFER_SHAPE]->in[d], TN_OP_INT);
    }
  }
  if (!is_same) {
    return tn_refuse(s, NULL, NULL,
                     "the two functions of intrinsic '%s' do not take the same buffers of known "
                     "sizes, at most %d, and nothing else",
                     pair->name, TN_INTRIN_MAX_PARAMS);
  }
  return NULL;
}

/* What a function does: the block around it all, if there is one. */
static const tn_node *root_of(const tn_node *func) {
  const tn_node *body = func->in[TN_PRIM_FUNC_BODY];
  return tn_is(body, TN_OP_BLOCK) && body->in[TN_BLOCK_ITERS]->n_in == 0 ? body : NULL;
}

static const tn_node *body_of(const tn_node *func) {
  const tn_node *root = root_of(func);
  return root != NULL ? root->in[TN_BLOCK_BODY] : func->in[TN_PRIM_FUNC_BODY];
}

/* ---- the block of the intrinsic ---- */

static tn_status no_match(matcher *m, const tn_sched_intrin *pair, const tn_node *label) {
  tn_buf text = TN_BUF_INIT;
  bool is_expr = m->wanted != NULL && tn_op_info_get((tn_op)m->wanted->op)->cls != TN_CLASS_STMT &&
                 tn_op_info_get((tn_op)m->found->op)->cls != TN_CLASS_STMT;
  if (is_expr) {
    tn_buf_puts(&text, ": it has ");
    tn_tir_print_expr(m->found, &text);
    tn_buf_puts(&text, " where the description has ");
    tn_tir_print_expr(m->wanted, &text);
  }
  tn_status st = tn_refuse(m->s, label, NULL, "it does not do what intrinsic '%s' describes%s",
                           pair->name, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

static bool is_written(const tn_node *stmt, const tn_node *buffer) {
  if (tn_is(stmt, TN_OP_STORE) && stmt->in[TN_STORE_BUFFER] == buffer) {
    return true;
  }
  for (uint32_t i = 0; i < stmt->n_in; ++i) {
    if (tn_op_info_get((tn_op)stmt->in[i]->op)->cls == TN_CLASS_STMT &&
        is_written(stmt->in[i], buffer)) {
      return true;
    }
  }
  return false;
}

/* All buffers of desc are met; what is written has one name; and they lie inside of the program's. */
static tn_status check_buffers(matcher *m, const tn_tree *tree, const tn_sched_intrin *pair,
                               const tn_node *block) {
  const tn_node *label = block->in[TN_BLOCK_LABEL];
  const tn_node *params = pair->desc->in[TN_PRIM_FUNC_BUFFERS];
  tn_arith *arith = tn_arith_new(m->s->ir);
  tn_status st = NULL;
  tn_sched_bind_around(tree, arith, block);
  for (uint32_t i = 0; i < params->n_in && st == NULL; ++i) {
    const bound_buffer *b = find_buffer(m, params->in[i]);
    if (b == NULL) {
      st = tn_refuse(m->s, label, NULL, "the description of '%s' does not use '%s'", pair->name,
                     params->in[i]->attr.text);
      break;
    }
    for (uint32_t k = 0; k < m->n_buffers && st == NULL; ++k) {
      const bound_buffer *other = &m->buffers[k];
      if (other != b && other->own->in[TN_BUFFER_DATA] == b->own->in[TN_BUFFER_DATA] &&
          is_written(pair->desc->in[TN_PRIM_FUNC_BODY], b->desc)) {
        st = tn_refuse(m->s, label, NULL, "'%s' and '%s' of intrinsic '%s' would be one buffer",
                       b->desc->attr.text, other->desc->attr.text, pair->name);
      }
    }
    uint32_t lead = b->n - tn_buffer_ndim(b->desc);
    for (uint32_t d = lead; d < b->n && st == NULL; ++d) {
      tn_ir *ir = m->s->ir;
      const tn_node *end =
          tn_index_binary(ir, TN_OP_ADD, b->mins[d], b->desc->in[TN_BUFFER_SHAPE]->in[d - lead]);
      const tn_node *zero = tn_int(ir, b->mins[d]->dtype, 0);
      if (!tn_arith_prove(arith, tn_index_binary(ir, TN_OP_LE, zero, b->mins[d])) ||
          !tn_arith_prove(arith,
                          tn_index_binary(ir, TN_OP_LE, end, b->own->in[TN_BUFFER_SHAPE]->in[d]))) {
        st = tn_refuse(m->s, label, NULL, "buffer '%s' of intrinsic '%s' may lie outside of '%s'",
                       b->desc->attr.text, pair->name, b->own->attr.text);
      }
    }
  }
  tn_arith_free(arith);
  return st;
}

static const tn_node *make_match(matcher *m, const bound_buffer *b, const tn_node *view) {
  tn_ir *ir = m->s->ir;
  const tn_node *ranges[TN_MAX_NDIM];
  uint32_t lead = b->n - tn_buffer_ndim(b->desc);
  for (uint32_t d = 0; d < b->n; ++d) {
    tn_dtype dtype = b->mins[d]->dtype;
    const tn_node *extent =
        d < lead ? tn_int(ir, dtype, 1)
                 : tn_int(ir, dtype, b->desc->in[TN_BUFFER_SHAPE]->in[d - lead]->attr.i64);
    ranges[d] = tn_node_new(ir, TN_OP_RANGE, TN_DT_NONE, (tn_attr){.i64 = 0}, 2,
                            (const tn_node *[]){b->mins[d], extent});
  }
  const tn_node *in[] = {view, tn_region_new(ir, b->own, b->n, ranges)};
  return tn_node_new(ir, TN_OP_MATCH, TN_DT_NONE, (tn_attr){.i64 = 0}, 2, in);
}

/* The block with impl's body over views; regions stay: impl touches what desc touches. */
static const tn_node *intrin_block(matcher *m, const tn_sched_intrin *pair, const tn_node *block) {
  tn_ir *ir = m->s->ir;
  const tn_node *matches[TN_INTRIN_MAX_PARAMS];
  const tn_node *impl = tn_clone_fresh(ir, pair->impl);
  const tn_node *params = pair->desc->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    matches[i] =
        make_match(m, find_buffer(m, params->in[i]), impl->in[TN_PRIM_FUNC_BUFFERS]->in[i]);
  }
  const tn_node *root = root_of(impl);
  block = tn_with_child(ir, block, TN_BLOCK_MATCHES, tn_list(ir, params->n_in, matches));
  if (root != NULL) {
    block = tn_with_child(ir, block, TN_BLOCK_ALLOCS, root->in[TN_BLOCK_ALLOCS]);
  }
  return tn_with_child(ir, block, TN_BLOCK_BODY, body_of(impl));
}

static tn_status put_intrin(matcher *m, const tn_sched_intrin *pair, const tn_node *label) {
  const tn_tree *tree = tn_sched_tree(m->s, label);
  const tn_node *block = tn_tree_site(tree, label);
  if (block->in[TN_BLOCK_ALLOCS]->n_in + block->in[TN_BLOCK_MATCHES]->n_in > 0) {
    return tn_refuse(m->s, label, NULL, "it has views or memory of its own");
  }
  if (!match_stmt(m, body_of(pair->desc), block->in[TN_BLOCK_BODY])) {
    return no_match(m, pair, label);
  }
  TN_TRY(check_buffers(m, tree, pair, block));
  return tn_sched_replace(m->s, block, intrin_block(m, pair, block));
}

tn_status tn_prim_tensorize(tn_sched *s, tn_prim_call *call) {
  tn_sched_intrin pair = {0};
  const tn_node *label = call->args[0];
  TN_TRY(find_intrin(s, call->args[1]->attr.text, &pair));
  TN_TRY(check_pair(s, &pair));
  TN_TRY(tn_intrin_agrees(s, &pair));
  if (tn_is(label, TN_OP_VAR)) {
    TN_TRY(tn_sched_blockize(s, label, call->args[2]->attr.i64 != 0, &label));
  }
  matcher m = {.s = s, .arith = tn_arith_new(s->ir)};
  tn_status st = put_intrin(&m, &pair, label);
  tn_arith_free(m.arith);
  tn_map_deinit(&m.vars);
  return st;
}
