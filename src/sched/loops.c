/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the primitives on loops share: which loops they may touch, and how a condition comes to what
 * stands below. */
#include "sched/loops.h"

/* ---- loops that may be changed ---- */

typedef struct write_search {
  const tn_node *data; /* of the memory that a bound reads */
  bool is_found;
} write_search;

static tn_visit look_for_write(const tn_node *n, void *ctx) {
  write_search *search = ctx;
  bool may_write = tn_is(n, TN_OP_STORE)
                       ? n->in[TN_STORE_BUFFER]->in[TN_BUFFER_DATA] == search->data
                       : (n->flags & TN_NF_EFFECT) != 0 || tn_is(n, TN_OP_DECL) ||
                             tn_is(n, TN_OP_MATCH); /* another name of the memory */
  search->is_found = search->is_found || may_write;
  return may_write ? TN_STOP : TN_DESCEND;
}

typedef struct load_search {
  const tn_node *body;
  bool may_change;
} load_search;

static tn_visit look_for_load(const tn_node *n, void *ctx) {
  load_search *search = ctx;
  if (tn_is(n, TN_OP_LOAD)) {
    write_search write = {.data = n->in[0]->in[TN_BUFFER_DATA]};
    (void)tn_walk_distinct(search->body, look_for_write, &write);
    search->may_change = search->may_change || write.is_found;
  }
  search->may_change = search->may_change || (n->flags & TN_NF_EFFECT) != 0;
  return search->may_change ? TN_STOP : TN_DESCEND;
}

tn_status tn_loop_check_bounds_stay(tn_sched *s, const tn_node *loop) {
  const tn_node *handle = loop->in[TN_FOR_VAR];
  if (tn_loop_exits(loop->in[TN_FOR_BODY]) != 0) {
    return tn_refuse(s, handle, NULL, "a break or continue leaves its rounds early");
  }
  load_search search = {.body = loop->in[TN_FOR_BODY]};
  (void)tn_walk_distinct(loop->in[TN_FOR_MIN], look_for_load, &search);
  (void)tn_walk_distinct(loop->in[TN_FOR_EXTENT], look_for_load, &search);
  if (search.may_change) {
    return tn_refuse(s, handle, NULL, "its bounds read memory that its body may write");
  }
  return NULL;
}

tn_status tn_loop_check_plain(tn_sched *s, const tn_node *loop) {
  const tn_node *handle = loop->in[TN_FOR_VAR];
  const tn_node *annotations = loop->in[TN_FOR_ANNOTATIONS];
  if (!tn_is_none(annotations) && annotations->n_in > 0) {
    return tn_refuse(s, handle, "unannotate it first, annotate what comes out",
                     "it has the annotation '%s', which would be lost",
                     annotations->in[0]->attr.text);
  }
  if (loop->attr.i64 == TN_FOR_THREAD_BINDING) {
    return tn_refuse(s, handle, "bind after this step", "it is bound to thread '%s'",
                     loop->in[TN_FOR_THREAD]->attr.text);
  }
  return tn_loop_check_bounds_stay(s, loop);
}

const tn_node *tn_loop_only_inner(const tn_node *loop) {
  const tn_node *body = loop->in[TN_FOR_BODY];
  return tn_is(body, TN_OP_FOR) ? body : NULL;
}

/* ---- conditions ---- */

static bool has_memory(const tn_node *expr) {
  return (expr->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0;
}

/* Does a predicate of each block guard all that happens in stmt? Bindings and bounds that read
 * memory are computed before it. */
static bool only_blocks(const tn_node *stmt) {
  if (tn_is(stmt, TN_OP_BLOCK)) {
    for (uint32_t i = 0; i < stmt->in[TN_BLOCK_ITERS]->n_in; ++i) {
      if (has_memory(stmt->in[TN_BLOCK_ITERS]->in[i]->in[TN_ITER_BINDING])) {
        return false;
      }
    }
    return true;
  }
  if (tn_is(stmt, TN_OP_FOR)) {
    return !has_memory(stmt->in[TN_FOR_MIN]) && !has_memory(stmt->in[TN_FOR_EXTENT]) &&
           only_blocks(stmt->in[TN_FOR_BODY]);
  }
  if (tn_is(stmt, TN_OP_IF)) {
    return !has_memory(stmt->in[TN_IF_COND]) && only_blocks(stmt->in[TN_IF_THEN]) &&
           (tn_is_none(stmt->in[TN_IF_ELSE]) || only_blocks(stmt->in[TN_IF_ELSE]));
  }
  bool is_seq = tn_is(stmt, TN_OP_SEQ);
  for (uint32_t i = 0; is_seq && i < stmt->n_in; ++i) {
    is_seq = only_blocks(stmt->in[i]);
  }
  return is_seq;
}

static const tn_node *add_predicate(tn_ir *ir, const tn_node *stmt, const tn_node *cond) {
  if (tn_is(stmt, TN_OP_BLOCK)) {
    return tn_with_child(ir, stmt, TN_BLOCK_PREDICATE,
                         tn_sched_and(ir, stmt->in[TN_BLOCK_PREDICATE], cond));
  }
  for (uint32_t i = 0; i < stmt->n_in; ++i) {
    if (tn_op_info_get((tn_op)stmt->in[i]->op)->cls == TN_CLASS_STMT) {
      stmt = tn_with_child(ir, stmt, i, add_predicate(ir, stmt->in[i], cond));
    }
  }
  return stmt;
}

const tn_node *tn_stmt_guard(tn_ir *ir, const tn_node *body, const tn_node *cond) {
  if (only_blocks(body)) {
    return add_predicate(ir, body, cond);
  }
  const tn_node *in[] = {[TN_IF_COND] = cond, [TN_IF_THEN] = body, [TN_IF_ELSE] = tn_none(ir)};
  return tn_node_new(ir, TN_OP_IF, TN_DT_NONE, (tn_attr){.i64 = 0}, 3, in);
}

/* ---- the nest around a block ---- */

static tn_status add_between(tn_sched *s, const tn_node *at, const tn_node *child, tn_nest *nest) {
  if (tn_is(at, TN_OP_IF)) {
    const tn_node *cond = at->in[TN_IF_COND];
    if (has_memory(cond)) {
      return TN_ERR(TN_INVALID, "block '%s' is under a condition that reads memory",
                    tn_block_name(nest->block));
    }
    if (child == at->in[TN_IF_ELSE]) {
      cond = tn_node_new(s->ir, TN_OP_NOT, cond->dtype, (tn_attr){.i64 = 0}, 1, &cond);
    }
    nest->cond = tn_sched_and(s->ir, cond, nest->cond);
  } else if (!tn_is(at, TN_OP_SEQ) && !tn_is(at, TN_OP_FOR)) {
    return TN_ERR(TN_INVALID, "block '%s' is inside of a %s", tn_block_name(nest->block),
                  tn_op_info_get((tn_op)at->op)->text);
  }
  return NULL;
}

tn_status tn_nest_find(tn_sched *s, const tn_tree *tree, const tn_node *block,
                       const tn_node *outermost, tn_nest *out) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  *out = (tn_nest){.block = block, .cond = block->in[TN_BLOCK_PREDICATE], .is_chain = true};
  if (iters->n_in > TN_SCHED_MAX_LOOPS) {
    return TN_ERR(TN_INVALID, "block '%s' has more than %d axes", tn_block_name(block),
                  TN_SCHED_MAX_LOOPS);
  }
  out->n_values = iters->n_in;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    out->values[i] = iters->in[i]->in[TN_ITER_BINDING];
  }
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  uint32_t n = tn_tree_loops(tree, block, loops);
  uint32_t first = 0;
  while (outermost != NULL && first < n && loops[first] != outermost) {
    ++first;
  }
  TN_ASSERT(outermost == NULL || first < n, "a nest begins with a loop around its block");
  for (uint32_t i = first; i < n; ++i) {
    out->loops[out->n] = loops[i];
    out->vars[out->n] = loops[i]->in[TN_FOR_VAR];
    out->mins[out->n] = loops[i]->in[TN_FOR_MIN];
    out->extents[out->n++] = loops[i]->in[TN_FOR_EXTENT];
  }
  const tn_node *child = block;
  bool has_other = false; /* below the loop that comes next */
  while (child != outermost) {
    const tn_node *at = tn_tree_parent(tree, child);
    if (at == tree->func || tn_is(at, TN_OP_BLOCK)) {
      break;
    }
    TN_TRY(add_between(s, at, child, out));
    out->is_chain = out->is_chain && !(has_other && tn_is(at, TN_OP_FOR));
    has_other = has_other || !tn_is(at, TN_OP_FOR);
    child = at;
  }
  return NULL;
}

tn_domain tn_nest_domain(const tn_nest *nest) {
  return (tn_domain){.n = nest->n,
                     .vars = nest->vars,
                     .mins = nest->mins,
                     .extents = nest->extents,
                     .cond = tn_is_int(nest->cond, 1) ? NULL : nest->cond};
}

typedef struct use_search {
  uint32_t n;
  const tn_node *const *vars;
  bool is_found;
} use_search;

static tn_visit look_for_use(const tn_node *n, void *ctx) {
  use_search *search = ctx;
  for (uint32_t i = 0; i < search->n && !search->is_found; ++i) {
    search->is_found = n == search->vars[i];
  }
  return search->is_found ? TN_STOP : TN_DESCEND;
}

bool tn_expr_uses(const tn_node *expr, uint32_t n, const tn_node *const *vars) {
  use_search search = {.n = n, .vars = vars};
  (void)tn_walk_distinct(expr, look_for_use, &search);
  return search.is_found;
}

bool tn_loads_data(const tn_node *n, const tn_node *data) {
  if (tn_is(n, TN_OP_LOAD) && (data == NULL || n->in[TN_LOAD_BUFFER]->in[TN_BUFFER_DATA] == data)) {
    return true;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_loads_data(n->in[i], data)) {
      return true;
    }
  }
  return false;
}

/* ---- new leaves and blocks ---- */

const tn_node *tn_leaf_suffixed(tn_ir *ir, const tn_node *named, const char *suffix) {
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s%s", named->attr.text, suffix);
  const char *text = tn_ir_text(ir, tn_buf_text(&name));
  const tn_node *made =
      tn_is(named, TN_OP_VAR) ? tn_var_new(ir, text, named->dtype) : tn_label_new(ir, text);
  tn_ir_set_pos(ir, made, tn_ir_pos(ir, named));
  tn_buf_deinit(&name);
  return made;
}

const tn_node *tn_block_without_init(tn_ir *ir, const tn_node *block, const tn_node *label) {
  const tn_node *reads = block->in[TN_BLOCK_READS];
  const tn_node *writes = block->in[TN_BLOCK_WRITES];
  TN_VEC(const tn_node *) all = {0};
  for (uint32_t i = 0; i < writes->n_in; ++i) {
    TN_VEC_PUSH(&all, writes->in[i]);
  }
  for (uint32_t i = 0; i < reads->n_in; ++i) {
    bool is_there = false;
    for (uint32_t k = 0; k < writes->n_in; ++k) {
      is_there = is_there || reads->in[i] == writes->in[k];
    }
    if (!is_there) {
      TN_VEC_PUSH(&all, reads->in[i]);
    }
  }
  const tn_node *out = tn_with_child(ir, block, TN_BLOCK_LABEL, label);
  out = tn_with_child(ir, out, TN_BLOCK_READS, tn_list(ir, (uint32_t)all.len, all.data));
  TN_VEC_DEINIT(&all);
  return tn_with_child(ir, out, TN_BLOCK_INIT, tn_none(ir));
}
