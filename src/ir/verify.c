/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The structural verifier of both levels: children fit the table, a statement has one parent,
 * everything is bound once, before its use, and not used after its scope. A scope is an entry of a
 * stack with a serial number. What a leaf or an expression needs is the innermost scope that it
 * takes a leaf from: while that one is open, all others are too. So a shared expression is looked
 * at again only when a scope it needs was closed, and the whole costs one step an occurrence. */
#include "base/check.h"
#include "ir/ir_priv.h"
#include "ir/verify_priv.h"

/* depth in the stack << 32 | serial; the larger of two open ones is the inner one. */
typedef uint64_t scope_ref;

typedef struct leaf_state {
  scope_ref scope;
  const tn_node *binder; /* NULL: never bound, reported already */
} leaf_state;

typedef struct verify_ctx {
  const tn_ir *ir;
  tn_diags *diags;
  tn_pos pos; /* of the nearest statement that has one */
  tn_kind_table *kinds;
  TN_VEC(uint32_t) scopes; /* serials of the open scopes */
  uint32_t n_serials;
  tn_map leaf_at; /* id -> index into leaves */
  TN_VEC(leaf_state) leaves;
  tn_map needs; /* id of a checked expression -> scope_ref */
  tn_map stmts; /* ids of statements and functions seen */
} verify_ctx;

static void visit_stmt(verify_ctx *c, const tn_node *n);
static void visit_func(verify_ctx *c, const tn_node *n);
static scope_ref visit_expr(verify_ctx *c, const tn_node *n);

/* ---- scopes and leaves ---- */

static void push(verify_ctx *c) { TN_VEC_PUSH(&c->scopes, c->n_serials++); }

static void pop(verify_ctx *c) { (void)TN_VEC_POP(&c->scopes); }

static scope_ref top(const verify_ctx *c) {
  return (uint64_t)(c->scopes.len - 1) << 32 | TN_VEC_LAST(&c->scopes);
}

static bool is_open(const verify_ctx *c, scope_ref scope) {
  size_t depth = (size_t)(scope >> 32);
  return depth < c->scopes.len && c->scopes.data[depth] == (uint32_t)scope;
}

/* Borrowed until the next bind; NULL when the leaf was not met. */
static leaf_state *find_leaf(const verify_ctx *c, const tn_node *leaf) {
  uint64_t at = 0;
  return tn_map_find(&c->leaf_at, leaf->id, &at) ? &c->leaves.data[at] : NULL;
}

static void set_leaf(verify_ctx *c, const tn_node *leaf, scope_ref scope, const tn_node *binder) {
  leaf_state *state = find_leaf(c, leaf);
  if (state != NULL) {
    *state = (leaf_state){scope, binder};
    return;
  }
  tn_map_set(&c->leaf_at, leaf->id, c->leaves.len);
  TN_VEC_PUSH(&c->leaves, (leaf_state){scope, binder});
}

static const char *leaf_word(const tn_node *leaf) {
  return tn_is(leaf, TN_OP_BUFFER)  ? "buffer"
         : tn_is(leaf, TN_OP_LABEL) ? "block label"
                                    : "variable";
}

/* An expression that binds (LET) may be met again, and types of functions only borrow their
 * variables. */
static void bind(verify_ctx *c, const tn_node *leaf, const tn_node *binder) {
  leaf_state *state = find_leaf(c, leaf);
  bool is_taken = state != NULL && state->binder != NULL &&
                  (state->binder != binder || is_open(c, state->scope));
  if (is_taken && !tn_is(state->binder, TN_OP_TY_FUNC) && !tn_is(binder, TN_OP_TY_FUNC)) {
    tn_diags_add(c->diags, "bound-twice", c->pos, NULL, "%s '%s' is bound a second time",
                 leaf_word(leaf), leaf->attr.text);
  }
  set_leaf(c, leaf, top(c), binder);
}

static scope_ref use(verify_ctx *c, const tn_node *leaf) {
  leaf_state *state = find_leaf(c, leaf);
  if (state != NULL && is_open(c, state->scope)) {
    return state->scope;
  }
  bool is_buffer = tn_is(leaf, TN_OP_BUFFER);
  if (state == NULL) {
    tn_diags_add(c->diags, is_buffer ? "undefined-buffer" : "undefined-variable", c->pos, NULL,
                 "%s '%s' is used but not bound here", leaf_word(leaf), leaf->attr.text);
  } else {
    tn_diags_add(c->diags, "out-of-scope", c->pos, NULL, "%s '%s' is used outside its scope",
                 leaf_word(leaf), leaf->attr.text);
  }
  scope_ref outermost = c->scopes.data[0];
  set_leaf(c, leaf, outermost, state == NULL ? NULL : state->binder); /* said once */
  return outermost;
}

static void bind_new(verify_ctx *c, const tn_node *var, const tn_node *binder) {
  leaf_state *state = find_leaf(c, var);
  if (state == NULL || !is_open(c, state->scope)) {
    bind(c, var, binder);
  }
}

/* Binds the variables in a shape or type that are not bound yet (symbolic sizes) and checks the
 * rest. */
static void bind_new_vars(verify_ctx *c, const tn_node *n, const tn_node *binder) {
  uint64_t scope = 0;
  if (tn_map_find(&c->needs, n->id, &scope) && is_open(c, scope)) {
    return;
  }
  if (tn_is(n, TN_OP_VAR)) {
    bind_new(c, n, binder);
    return;
  }
  bool has_own_scope = tn_is(n, TN_OP_LET) || tn_is(n, TN_OP_TY_FUNC);
  for (uint32_t i = 0; i < n->n_in && !has_own_scope; ++i) {
    bind_new_vars(c, n->in[i], binder);
  }
  visit_expr(c, n);
}

static bool check(verify_ctx *c, const tn_node *n) {
  return tn_check_children(c->kinds, n, c->pos, c->diags);
}

static void bind_buffer(verify_ctx *c, const tn_node *buffer, tn_buffer_binder how,
                        const tn_node *binder) {
  if (!check(c, buffer)) {
    set_leaf(c, buffer, top(c), binder);
    return;
  }
  bind(c, buffer, binder);
  if (how == TN_BUFFER_OF_DECL) {
    use(c, buffer->in[TN_BUFFER_DATA]);
  } else {
    bind_new(c, buffer->in[TN_BUFFER_DATA], binder);
  }
  if (how == TN_BUFFER_OF_PARAM) {
    bind_new_vars(c, buffer->in[TN_BUFFER_SHAPE], binder);
    bind_new_vars(c, buffer->in[TN_BUFFER_STRIDES], binder);
    bind_new_vars(c, buffer->in[TN_BUFFER_ELEM_OFFSET], binder);
  }
  for (uint32_t i = TN_BUFFER_SHAPE; i < buffer->n_in; ++i) {
    visit_expr(c, buffer->in[i]);
  }
}

static void bind_list(verify_ctx *c, const tn_node *list, const tn_node *binder) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    bind(c, list->in[i], binder);
  }
}

/* ---- expressions, types and parts ---- */

static void visit_list(verify_ctx *c, const tn_node *list) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    visit_expr(c, list->in[i]);
  }
}

/* Kinds that bind inside themselves need, as a whole, at most what is open around them. */
static scope_ref visit_binder(verify_ctx *c, const tn_node *n) {
  scope_ref around = top(c);
  if (tn_is(n, TN_OP_LET)) {
    visit_expr(c, n->in[TN_LET_VALUE]);
  } else if (tn_is(n, TN_OP_REDUCER)) {
    visit_expr(c, n->in[TN_REDUCER_IDENTITY]);
  } else if (tn_is(n, TN_OP_LAMBDA)) {
    visit_expr(c, n->in[TN_LAMBDA_INVERSE]);
  }
  push(c);
  if (tn_is(n, TN_OP_LET)) {
    bind(c, n->in[TN_LET_VAR], n);
    visit_expr(c, n->in[TN_LET_BODY]);
  } else if (tn_is(n, TN_OP_LAMBDA)) {
    bind_list(c, n->in[TN_LAMBDA_PARAMS], n);
    visit_list(c, n->in[TN_LAMBDA_RESULTS]);
  } else if (tn_is(n, TN_OP_REDUCER)) {
    bind_list(c, n->in[TN_REDUCER_LHS], n);
    bind_list(c, n->in[TN_REDUCER_RHS], n);
    visit_list(c, n->in[TN_REDUCER_RESULTS]);
  } else { /* TY_FUNC: its parameters' sizes are its own */
    bind_new_vars(c, n->in[TN_TY_FUNC_PARAMS], n);
    visit_expr(c, n->in[TN_TY_FUNC_RET]);
  }
  pop(c);
  return around;
}

static scope_ref visit_children(verify_ctx *c, const tn_node *n) {
  scope_ref innermost = c->scopes.data[0];
  for (uint32_t i = 0; i < n->n_in; ++i) {
    scope_ref scope = visit_expr(c, n->in[i]);
    innermost = scope > innermost ? scope : innermost;
  }
  return innermost;
}

static scope_ref visit_expr(verify_ctx *c, const tn_node *n) {
  scope_ref outermost = c->scopes.data[0];
  tn_op_class cls = tn_node_class(n);
  if (cls == TN_CLASS_LEAF) {
    return tn_is(n, TN_OP_CONST) || tn_is(n, TN_OP_LABEL) ? outermost : use(c, n);
  }
  if (cls == TN_CLASS_FUNC) {
    visit_func(c, n);
    return top(c);
  }
  uint64_t known = 0;
  bool is_known = tn_map_find(&c->needs, n->id, &known);
  if (is_known && is_open(c, known)) {
    return known;
  }
  scope_ref scope = outermost;
  bool has_own_scope = tn_is(n, TN_OP_LET) || tn_is(n, TN_OP_LAMBDA) || tn_is(n, TN_OP_REDUCER) ||
                       tn_is(n, TN_OP_TY_FUNC);
  if (is_known || check(c, n)) {
    scope = has_own_scope ? visit_binder(c, n) : visit_children(c, n);
  }
  tn_map_set(&c->needs, n->id, scope);
  return scope;
}

/* ---- statements ---- */

static void visit_scoped(verify_ctx *c, const tn_node *stmt) {
  push(c);
  if (!tn_is_none(stmt)) {
    visit_stmt(c, stmt);
  }
  pop(c);
}

static void visit_for(verify_ctx *c, const tn_node *n) {
  visit_expr(c, n->in[TN_FOR_MIN]);
  visit_expr(c, n->in[TN_FOR_EXTENT]);
  visit_expr(c, n->in[TN_FOR_THREAD]);
  visit_expr(c, n->in[TN_FOR_ANNOTATIONS]);
  push(c);
  bind(c, n->in[TN_FOR_VAR], n);
  visit_stmt(c, n->in[TN_FOR_BODY]);
  pop(c);
}

/* The iters' variables are bound inside; what they range over and are bound to stands outside. */
static bool visit_iters(verify_ctx *c, const tn_node *iters) {
  bool is_ok = true;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    is_ok = check(c, iter) && is_ok;
    if (is_ok) {
      visit_expr(c, iter->in[TN_ITER_MIN]);
      visit_expr(c, iter->in[TN_ITER_EXTENT]);
      visit_expr(c, iter->in[TN_ITER_BINDING]);
    }
  }
  return is_ok;
}

static void visit_block(verify_ctx *c, const tn_node *n) {
  const tn_node *iters = n->in[TN_BLOCK_ITERS];
  if (!visit_iters(c, iters)) {
    return;
  }
  push(c);
  bind(c, n->in[TN_BLOCK_LABEL], n);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    bind(c, iters->in[i]->in[TN_ITER_VAR], iters->in[i]);
  }
  visit_expr(c, n->in[TN_BLOCK_PREDICATE]);
  visit_expr(c, n->in[TN_BLOCK_READS]);
  visit_expr(c, n->in[TN_BLOCK_WRITES]);
  const tn_node *matches = n->in[TN_BLOCK_MATCHES];
  for (uint32_t i = 0; i < matches->n_in; ++i) {
    const tn_node *match = matches->in[i];
    if (check(c, match)) {
      visit_expr(c, match->in[TN_MATCH_REGION]);
      bind_buffer(c, match->in[TN_MATCH_BUFFER], TN_BUFFER_OF_PARAM, match);
    }
  }
  const tn_node *allocs = n->in[TN_BLOCK_ALLOCS];
  for (uint32_t i = 0; i < allocs->n_in; ++i) {
    bind_buffer(c, allocs->in[i], TN_BUFFER_OF_ALLOC, n);
  }
  visit_expr(c, n->in[TN_BLOCK_ANNOTATIONS]);
  visit_scoped(c, n->in[TN_BLOCK_INIT]);
  visit_scoped(c, n->in[TN_BLOCK_BODY]);
  pop(c);
}

static void visit_type_of(verify_ctx *c, const tn_node *gvar) {
  if (check(c, gvar)) {
    visit_expr(c, gvar->in[0]);
  }
}

/* A local function may call itself by the variable that it is bound to. */
static void visit_gbind(verify_ctx *c, const tn_node *n) {
  const tn_node *var = n->in[TN_BIND_VAR];
  const tn_node *value = n->in[TN_BIND_VALUE];
  bool is_func = tn_node_class(value) == TN_CLASS_FUNC;
  if (!is_func) {
    visit_expr(c, value);
  }
  visit_type_of(c, var);
  bind(c, var, n);
  if (is_func) {
    visit_func(c, value);
  }
}

/* The sizes of a type that the block before bound hold after it as well. */
static void keep_sizes(verify_ctx *c, const tn_node *type) {
  if (tn_is(type, TN_OP_VAR)) {
    leaf_state *state = find_leaf(c, type);
    if (state != NULL && !is_open(c, state->scope)) {
      state->scope = top(c);
    }
    return;
  }
  for (uint32_t i = 0; i < type->n_in && !tn_is(type, TN_OP_TY_FUNC); ++i) {
    keep_sizes(c, type->in[i]);
  }
}

/* What the block gives out is seen after it, with the sizes of its types. */
static void visit_dataflow(verify_ctx *c, const tn_node *n) {
  const tn_node *outputs = n->in[TN_DATAFLOW_OUTPUTS];
  push(c);
  visit_stmt(c, n->in[TN_DATAFLOW_BODY]);
  visit_list(c, outputs);
  pop(c);
  for (uint32_t i = 0; i < outputs->n_in; ++i) {
    leaf_state *state = find_leaf(c, outputs->in[i]);
    state->scope = is_open(c, state->scope) ? state->scope : top(c); /* visit_list made the state */
    for (uint32_t k = 0; k < outputs->in[i]->n_in; ++k) { /* its type */
      keep_sizes(c, outputs->in[i]->in[k]);
    }
  }
}

static void visit_gif(verify_ctx *c, const tn_node *n) {
  visit_expr(c, n->in[TN_GIF_COND]);
  visit_scoped(c, n->in[TN_GIF_THEN]);
  visit_scoped(c, n->in[TN_GIF_ELSE]);
  visit_type_of(c, n->in[TN_GIF_VAR]);
  bind(c, n->in[TN_GIF_VAR], n);
}

/* Statements whose children are expressions, except slot 0 where it is bound. */
static void visit_simple(verify_ctx *c, const tn_node *n) {
  bool binds = (tn_op_info_get((tn_op)n->op)->flags & TN_OPF_BINDS) != 0;
  for (uint32_t i = binds ? 1 : 0; i < n->n_in; ++i) {
    visit_expr(c, n->in[i]);
  }
  if (binds) {
    bind(c, n->in[0], n);
  }
}

static void visit_stmt_children(verify_ctx *c, const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        visit_stmt(c, n->in[i]);
      }
      return;
    case TN_OP_FOR:
      visit_for(c, n);
      return;
    case TN_OP_WHILE:
      visit_expr(c, n->in[TN_WHILE_COND]);
      visit_scoped(c, n->in[TN_WHILE_BODY]);
      return;
    case TN_OP_IF:
      visit_expr(c, n->in[TN_IF_COND]);
      visit_scoped(c, n->in[TN_IF_THEN]);
      visit_scoped(c, n->in[TN_IF_ELSE]);
      return;
    case TN_OP_BLOCK:
      visit_block(c, n);
      return;
    case TN_OP_ATTR:
      visit_expr(c, n->in[TN_ATTR_NODE]);
      visit_expr(c, n->in[TN_ATTR_VALUE]);
      visit_scoped(c, n->in[TN_ATTR_BODY]);
      return;
    case TN_OP_LAUNCH:
      visit_expr(c, n->in[TN_LAUNCH_EXTENT]);
      push(c);
      bind(c, n->in[TN_LAUNCH_VAR], n);
      visit_stmt(c, n->in[TN_LAUNCH_BODY]);
      pop(c);
      return;
    case TN_OP_DECL:
      bind_buffer(c, n->in[0], TN_BUFFER_OF_DECL, n);
      return;
    case TN_OP_GBIND:
      visit_gbind(c, n);
      return;
    case TN_OP_MATCH_CAST:
      visit_expr(c, n->in[TN_MATCH_CAST_VALUE]);
      bind_new_vars(c, n->in[TN_MATCH_CAST_TYPE], n);
      visit_type_of(c, n->in[TN_MATCH_CAST_VAR]);
      bind(c, n->in[TN_MATCH_CAST_VAR], n);
      return;
    case TN_OP_DATAFLOW:
      visit_dataflow(c, n);
      return;
    case TN_OP_GIF:
      visit_gif(c, n);
      return;
    default: /* STORE, EVAL, BIND, ALLOC, CONST_ALLOC, ASSERT, RETURN, YIELD */
      visit_simple(c, n);
  }
}

static bool is_first_visit(verify_ctx *c, const tn_node *n) {
  if (tn_map_find(&c->stmts, n->id, NULL)) {
    tn_diags_add(c->diags, "two-parents", c->pos, NULL, "the same %s stands in two places",
                 tn_op_info_get((tn_op)n->op)->name);
    return false;
  }
  tn_map_set(&c->stmts, n->id, 0);
  return true;
}

static void visit_stmt(verify_ctx *c, const tn_node *n) {
  tn_pos outer = c->pos;
  tn_pos own = tn_ir_pos(c->ir, n);
  c->pos = own.source != 0 ? own : outer;
  if (is_first_visit(c, n) && check(c, n)) {
    visit_stmt_children(c, n);
  }
  c->pos = outer;
}

/* ---- functions ---- */

static void visit_prim_func(verify_ctx *c, const tn_node *n) {
  bind_list(c, n->in[TN_PRIM_FUNC_PARAMS], n);
  const tn_node *buffers = n->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    if (!tn_is_none(buffers->in[i])) {
      bind_buffer(c, buffers->in[i], TN_BUFFER_OF_PARAM, n);
    }
  }
  visit_expr(c, n->in[TN_PRIM_FUNC_RET]);
  visit_expr(c, n->in[TN_PRIM_FUNC_ATTRS]);
  visit_stmt(c, n->in[TN_PRIM_FUNC_BODY]);
}

/* Sizes that parameters bind, before types of functions use them. */
static void bind_sizes(verify_ctx *c, const tn_node *type, const tn_node *binder) {
  if (tn_is(type, TN_OP_VAR)) {
    bind_new(c, type, binder);
  }
  bool is_shape = tn_is(type, TN_OP_LIST) || tn_node_class(type) == TN_CLASS_TYPE;
  for (uint32_t i = 0; is_shape && !tn_is(type, TN_OP_TY_FUNC) && i < type->n_in; ++i) {
    bind_sizes(c, type->in[i], binder);
  }
}

static void visit_graph_func(verify_ctx *c, const tn_node *n) {
  const tn_node *params = n->in[TN_GFUNC_PARAMS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    if (params->in[i]->n_in > 0) {
      bind_sizes(c, params->in[i]->in[0], n);
    }
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    bind(c, params->in[i], n);
    if (check(c, params->in[i])) {
      bind_new_vars(c, params->in[i]->in[0], n);
    }
  }
  visit_expr(c, n->in[TN_GFUNC_RET]);
  visit_expr(c, n->in[TN_GFUNC_ATTRS]);
  visit_stmt(c, n->in[TN_GFUNC_BODY]);
}

static void visit_func(verify_ctx *c, const tn_node *n) {
  tn_pos outer = c->pos;
  tn_pos own = tn_ir_pos(c->ir, n);
  c->pos = own.source != 0 ? own : outer;
  push(c);
  if (is_first_visit(c, n) && check(c, n)) {
    if (tn_is(n, TN_OP_PRIM_FUNC)) {
      visit_prim_func(c, n);
    } else {
      visit_graph_func(c, n);
    }
  }
  pop(c);
  c->pos = outer;
}

void tn_ir_verify_func(const tn_ir *ir, const tn_node *func, tn_diags *diags) {
  if (tn_is(func, TN_OP_EXTERN)) {
    return;
  }
  tn_pos pos = tn_ir_pos(ir, func);
  if (tn_node_class(func) != TN_CLASS_FUNC) {
    tn_diags_add(diags, "not-a-function", pos, NULL, "%s stands where a function belongs",
                 tn_op_info_get((tn_op)func->op)->name);
    return;
  }
  if (func->depth > TN_MAX_DEPTH) {
    tn_diags_add(diags, "too-deep", pos, NULL,
                 "function '%s' nests %u levels deep, %d are possible", func->attr.text,
                 func->depth, (int)TN_MAX_DEPTH);
    return;
  }
  tn_kind_table kinds = {0};
  verify_ctx c = {.ir = ir, .diags = diags, .kinds = &kinds};
  push(&c);
  visit_func(&c, func);
  TN_VEC_DEINIT(&c.scopes);
  TN_VEC_DEINIT(&c.leaves);
  tn_map_deinit(&c.leaf_at);
  tn_map_deinit(&c.needs);
  tn_map_deinit(&c.stmts);
}
