/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions: the function. Its body is the stages that its parameters need, its root block
 * holds the tensors that they make and no parameter is. */
#include <stdlib.h>

#include "tir/te_priv.h"

/* ---- statements of one's own ---- */

static tn_status add_extern(tn_te *te, const char *name, const tn_node *body, tn_te_stage *stage) {
  const tn_te_nest none = {.scan = -1};
  const tn_node *block = NULL;
  TN_TRY(tn_te_check_name("a block", name));
  stage->name = tn_te_take_name(te, name);
  TN_TRY(tn_te_block_new(te->ir, stage->name, &none, body, NULL, &block));
  const tn_node *regions = block->in[TN_BLOCK_READS];
  for (uint32_t i = 0; i < regions->n_in; ++i) {
    const tn_node *buffer = regions->in[i]->in[TN_REGION_BUFFER];
    const tn_te_tensor *tensor = tn_te_find_tensor(te, buffer);
    if (tensor == NULL) {
      return TN_ERR(TN_INVALID, "'%s' is no tensor of this builder", buffer->attr.text);
    }
    uint32_t place = (uint32_t)(tensor - te->tensors.data);
    TN_VEC_PUSH(&stage->reads, place);
  }
  TN_VEC(const tn_node *) written = {0};
  regions = block->in[TN_BLOCK_WRITES];
  for (uint32_t i = 0; i < regions->n_in; ++i) {
    TN_VEC_PUSH(&written, regions->in[i]->in[TN_REGION_BUFFER]);
  }
  tn_status st = tn_te_push_stage(te, stage, block, (uint32_t)written.len, written.data);
  TN_VEC_DEINIT(&written);
  return st;
}

void tn_te_extern(tn_te *te, const char *name, const tn_node *body) {
  tn_te_stage stage = {0};
  if (!te->has_failed) {
    tn_status st = te->open != NULL
                       ? TN_ERR(TN_INVALID, "block '%s' begins before it has ended", name)
                       : add_extern(te, name, body, &stage);
    (void)tn_te_keep(te, st);
  }
  tn_te_stage_deinit(&stage);
}

/* ---- the function ---- */

typedef struct func_ctx {
  tn_te *te;
  const char *name;
  bool *is_param;  /* a tensor */
  bool *is_needed; /* a tensor */
  bool *is_bound;  /* a variable: a parameter, or an extent of one */
  TN_VEC(const tn_node *) params;
  TN_VEC(const tn_node *) buffers;
  TN_VEC(const tn_node *) stmts;
  TN_VEC(const tn_node *) allocs;
  const tn_node *unbound; /* the first variable that nothing binds */
} func_ctx;

static void bind_size(func_ctx *c, const tn_node *var) {
  const tn_te_variable *known = tn_te_find_variable(c->te, var);
  if (known != NULL) {
    c->is_bound[known - c->te->variables.data] = true;
  }
}

static tn_status add_param(func_ctx *c, const tn_node *param, uint32_t i) {
  if (param == NULL) {
    return TN_ERR(TN_INVALID, "parameter %u is NULL", i);
  }
  bool is_tensor = tn_is(param, TN_OP_BUFFER);
  const tn_te_tensor *tensor = is_tensor ? tn_te_find_tensor(c->te, param) : NULL;
  const tn_te_variable *variable =
      tn_is(param, TN_OP_VAR) ? tn_te_find_variable(c->te, param) : NULL;
  if (tensor == NULL && (variable == NULL || variable->tensor != NULL)) {
    return TN_ERR(TN_INVALID, "parameter %u is neither a tensor nor a variable of this builder", i);
  }
  bool *is_there = tensor != NULL ? &c->is_param[tensor - c->te->tensors.data]
                                  : &c->is_bound[variable - c->te->variables.data];
  if (*is_there) {
    return TN_ERR(TN_INVALID, "'%s' is a parameter twice", param->attr.text);
  }
  if (tensor != NULL && !tensor->is_input && !tensor->is_written) {
    return TN_ERR(TN_INVALID, "parameter '%s' is never written", param->attr.text);
  }
  *is_there = true;
  const tn_node *var =
      tensor != NULL ? tn_var_new(c->te->ir, param->attr.text, TN_DT_HANDLE) : param;
  TN_VEC_PUSH(&c->params, var);
  TN_VEC_PUSH(&c->buffers, tensor != NULL ? param : tn_none(c->te->ir));
  return NULL;
}

/* Backwards: a stage is needed for what it writes, and then so is what it reads. */
static tn_status find_needed(func_ctx *c) {
  tn_te *te = c->te;
  bool is_any = false;
  for (size_t i = 0; i < te->tensors.len; ++i) {
    c->is_needed[i] = c->is_param[i] && !te->tensors.data[i].is_input;
    is_any = is_any || c->is_needed[i];
  }
  if (!is_any) {
    return TN_ERR(TN_INVALID, "no parameter is a tensor that is computed");
  }
  for (size_t s = te->stages.len; s-- > 0;) {
    const tn_te_stage *stage = &te->stages.data[s];
    bool is_used = false;
    for (size_t i = 0; i < stage->writes.len; ++i) {
      is_used = is_used || c->is_needed[stage->writes.data[i]];
    }
    for (size_t i = 0; is_used && i < stage->writes.len; ++i) {
      c->is_needed[stage->writes.data[i]] = true;
    }
    for (size_t i = 0; is_used && i < stage->reads.len; ++i) {
      uint32_t at = stage->reads.data[i];
      c->is_needed[at] = true;
      if (te->tensors.data[at].is_input && !c->is_param[at]) {
        return TN_ERR(TN_INVALID, "tensor '%s' reads '%s', which is no parameter", stage->name,
                      te->tensors.data[at].buffer->attr.text);
      }
    }
    if (is_used) {
      TN_VEC_PUSH(&c->stmts, stage->stmt);
    }
  }
  return NULL;
}

static tn_visit on_variable(const tn_node *n, void *ctx) {
  func_ctx *c = ctx;
  const tn_te_variable *known = tn_is(n, TN_OP_VAR) ? tn_te_find_variable(c->te, n) : NULL;
  bool is_free = known != NULL && known->tensor == NULL && !known->is_local &&
                 !c->is_bound[known - c->te->variables.data];
  if (is_free) {
    c->unbound = n;
    return TN_STOP;
  }
  return TN_DESCEND;
}

/* Every size is a parameter, or an extent of one. */
static tn_status check_sizes(func_ctx *c) {
  for (size_t i = 0; i < c->buffers.len; ++i) {
    const tn_node *buffer = c->buffers.data[i];
    const tn_node *shape = tn_is_none(buffer) ? buffer : buffer->in[TN_BUFFER_SHAPE];
    for (uint32_t d = 0; d < shape->n_in; ++d) {
      if (tn_is(shape->in[d], TN_OP_VAR)) {
        bind_size(c, shape->in[d]);
      }
    }
  }
  bool is_fine = true;
  for (size_t i = 0; is_fine && i < c->buffers.len; ++i) {
    is_fine = tn_walk_distinct(c->buffers.data[i], on_variable, c);
  }
  for (size_t i = 0; is_fine && i < c->stmts.len; ++i) {
    is_fine = tn_walk_distinct(c->stmts.data[i], on_variable, c);
  }
  return is_fine ? NULL
                 : TN_ERR(TN_INVALID,
                          "nothing gives '%s' a value: make it a parameter, or an "
                          "extent of a tensor that is one",
                          c->unbound->attr.text);
}

static const tn_node *assemble(func_ctx *c, bool is_public) {
  tn_ir *ir = c->te->ir;
  for (size_t i = 0, n = c->stmts.len; i < n / 2; ++i) { /* found backwards */
    const tn_node *last = c->stmts.data[n - 1 - i];
    c->stmts.data[n - 1 - i] = c->stmts.data[i];
    c->stmts.data[i] = last;
  }
  for (size_t i = 0; i < c->te->tensors.len; ++i) {
    if (c->is_needed[i] && !c->is_param[i]) {
      TN_VEC_PUSH(&c->allocs, c->te->tensors.data[i].buffer);
    }
  }
  const tn_node *body = tn_seq(ir, (uint32_t)c->stmts.len, c->stmts.data);
  if (c->allocs.len > 0) {
    body = tn_te_root_block(ir, (uint32_t)c->allocs.len, c->allocs.data, body);
  }
  const tn_node *attrs = tn_none(ir);
  if (is_public) {
    attrs = tn_dict_set(ir, attrs, "global_symbol", tn_str(ir, c->name));
  }
  attrs = tn_dict_set(ir, attrs, "tir.noalias", tn_bool(ir, true));
  return tn_prim_func_new(ir, c->name, tn_list(ir, (uint32_t)c->params.len, c->params.data),
                          tn_list(ir, (uint32_t)c->buffers.len, c->buffers.data), NULL, attrs,
                          body);
}

static tn_status make_func(func_ctx *c, bool is_public, uint32_t n_params,
                           const tn_node *const *params, const tn_node **out_func) {
  TN_TRY(tn_te_check_name("a function", c->name));
  for (uint32_t i = 0; i < n_params; ++i) {
    TN_TRY(add_param(c, params != NULL ? params[i] : NULL, i));
  }
  TN_TRY(find_needed(c));
  TN_TRY(check_sizes(c));
  tn_diags diags = {0};
  const tn_node *func = assemble(c, is_public);
  if (c->te->has_made_func) {
    func = tn_clone_fresh(c->te->ir, func); /* a statement has one parent */
  }
  c->te->has_made_func = true;
  tn_ir_verify_sizes(c->te->ir, func, &diags);
  if (diags.n == 0) {
    tn_tir_verify(c->te->ir, func, &diags);
  }
  TN_TRY(tn_diags_to_status(&diags, c->te->ir));
  *out_func = func;
  return tn_ir_status(c->te->ir);
}

tn_status tn_te_prim_func(tn_te *te, const char *name, bool is_public, uint32_t n_params,
                          const tn_node *const *params, const tn_node **out_func) {
  if (te->open != NULL) {
    (void)tn_te_keep(te, TN_ERR(TN_INVALID, "it has begun and not ended"));
  }
  TN_TRY_MSG(tn_te_take_status(te), "function '%s'", name != NULL ? name : "");
  func_ctx c = {.te = te,
                .name = name,
                .is_param = calloc(te->tensors.len + 1, sizeof(bool)),
                .is_needed = calloc(te->tensors.len + 1, sizeof(bool)),
                .is_bound = calloc(te->variables.len + 1, sizeof(bool))};
  TN_CHECK(c.is_param != NULL && c.is_needed != NULL && c.is_bound != NULL,
           "no memory for a function");
  tn_status st = make_func(&c, is_public, n_params, params, out_func);
  free(c.is_param);
  free(c.is_needed);
  free(c.is_bound);
  TN_VEC_DEINIT(&c.params);
  TN_VEC_DEINIT(&c.buffers);
  TN_VEC_DEINIT(&c.stmts);
  TN_VEC_DEINIT(&c.allocs);
  return tn_status_wrap(st, "function '%s'", name != NULL ? name : "");
}
