/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* cse: of equal pure calls the first one's value serves all.
 *
 *   a = R.exp(x)                 a = R.exp(x)
 *   b = R.exp(x)          ->     c = R.add(a, a)
 *   c = R.add(a, b)
 *
 * Equal constants count as one, bit by bit. Calls are interned, so that equal ones over the same
 * variables are the same node. What a branch computes stays its own; what was computed before it
 * serves inside. Functions with effects or in-place calls are left alone: there memory is written
 * that only one may look at. Idempotent. */
#include <string.h>

#include "graph/graph_priv.h"
#include "graph/passes.h"

typedef struct cse {
  const tn_module *module;
  tn_map first;    /* id of a value -> the GVAR that has it */
  tn_map became;   /* GVAR or CONST id -> the earlier one */
  tn_map consts;   /* hash of a constant -> the first one */
  tn_stmts scoped; /* keys of `first` that end with the branch */
  TN_VEC(size_t) marks;
} cse;

static uint64_t word_of(const tn_node *n) { return (uint64_t)(uintptr_t)n; }
static const tn_node *node_of(uint64_t word) { return (const tn_node *)(uintptr_t)word; }

static bool may_share(const cse *c, const tn_node *value) {
  if (value->op == TN_OP_CALL) {
    int32_t row = tn_builtin_of(value);
    return row != TN_BUILTIN_MAKE_CLOSURE && tn_expr_is_pure(c->module, value);
  }
  return value->op == TN_OP_GET;
}

/* The first constant of that type and those bytes. */
static const tn_node *shared_const(cse *c, const tn_node *n) {
  const tn_array *array = n->attr.array;
  uint64_t word = 0;
  uint64_t hash = tn_hash_mix(array->dtype, (uint64_t)array->ndim);
  hash = tn_hash_bytes(hash, array->shape, (size_t)array->ndim * sizeof *array->shape);
  hash = tn_hash_bytes(hash, array->data, tn_array_n_bytes(array));
  if (tn_map_find(&c->consts, hash, &word) && tn_array_equal(node_of(word)->attr.array, array)) {
    return node_of(word);
  }
  tn_map_set(&c->consts, hash, word_of(n));
  return n;
}

static const tn_node *share(tn_rewriter *rw, const tn_node *n) {
  cse *c = rw->ctx;
  uint64_t word = 0;
  if (n->op != TN_OP_GVAR && n->op != TN_OP_CONST) {
    return NULL;
  }
  if (tn_map_find(&c->became, n->id, &word)) {
    return node_of(word);
  }
  if (n->op == TN_OP_CONST) { /* asked once a constant: hashing takes time */
    const tn_node *first = shared_const(c, n);
    tn_map_set(&c->became, n->id, word_of(first));
    return first;
  }
  return NULL;
}

static tn_status leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  cse *c = pass->ctx;
  uint64_t word = 0;
  stmt = tn_rewrite(pass->ir, stmt, share, c);
  const tn_node *value = stmt->op == TN_OP_GBIND ? stmt->in[TN_BIND_VALUE] : NULL;
  if (value == NULL || !may_share(c, value)) {
    TN_VEC_PUSH(out, stmt);
    return NULL;
  }
  const tn_node *var = stmt->in[TN_BIND_VAR];
  if (tn_map_find(&c->first, value->id, &word) && node_of(word)->in[0] == var->in[0]) {
    tn_map_set(&c->became, var->id, word);
    return NULL;
  }
  tn_map_set(&c->first, value->id, word_of(var));
  TN_VEC_PUSH(&c->scoped, value);
  TN_VEC_PUSH(out, stmt);
  return NULL;
}

static void forget_from(cse *c, size_t mark) {
  while (c->scoped.len > mark) {
    tn_map_remove(&c->first, TN_VEC_POP(&c->scoped)->id);
  }
}

static void branch(tn_gpass *pass, bool is_begin) {
  cse *c = pass->ctx;
  if (is_begin) {
    TN_VEC_PUSH(&c->marks, c->scoped.len);
  } else {
    forget_from(c, TN_VEC_POP(&c->marks));
  }
}

/* Values of a dataflow block that are no outputs end with it, and an output may become one. */
static void end_dataflow(cse *c, const tn_node *body) {
  tn_map bound = {0};
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    tn_map_set(&bound, tn_body_at(body, i)->in[TN_BIND_VAR]->id, 1);
  }
  for (size_t i = c->scoped.len; i-- > 0;) {
    uint64_t word = 0;
    uint32_t key = c->scoped.data[i]->id;
    if (tn_map_find(&c->first, key, &word) && tn_map_find(&bound, node_of(word)->id, NULL)) {
      tn_map_remove(&c->first, key);
    }
  }
  tn_map_deinit(&bound);
}

static tn_status nested(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  cse *c = pass->ctx;
  if (stmt->op == TN_OP_DATAFLOW) {
    const tn_node *body = stmt->in[TN_DATAFLOW_BODY];
    const tn_node *in[] = {
        body, tn_dataflow_outputs(pass->ir, stmt->in[TN_DATAFLOW_OUTPUTS], body, &c->became)};
    end_dataflow(c, body);
    TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
    return NULL;
  }
  const tn_node *cond = tn_rewrite(pass->ir, stmt->in[TN_GIF_COND], share, c);
  const tn_node *in[] = {stmt->in[TN_GIF_VAR], cond, stmt->in[TN_GIF_THEN], stmt->in[TN_GIF_ELSE]};
  TN_VEC_PUSH(out, tn_node_with(pass->ir, stmt, in));
  return NULL;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  (void)ctx;
  cse c = {.module = module};
  tn_gpass pass = {.ir = module->ir,
                   .module = module,
                   .leaf = leaf,
                   .nested = nested,
                   .branch = branch,
                   .ctx = &c};
  const tn_node *body = func->in[TN_GFUNC_BODY];
  tn_status st = !tn_gfunc_has_values(func) ? NULL : tn_gpass_body(&pass, body, &body);
  *out = tn_gfunc_with_body(module->ir, func, body);
  tn_map_deinit(&c.first);
  tn_map_deinit(&c.became);
  tn_map_deinit(&c.consts);
  TN_VEC_DEINIT(&c.scoped);
  TN_VEC_DEINIT(&c.marks);
  return st;
}

tn_status tn_pass_cse(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  return tn_each_gfunc(module, NULL, one);
}
