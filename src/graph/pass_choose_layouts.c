/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* choose_layouts: channels in blocks as wide as vectors, where convolutions gain by it.
 *
 *   y = R.call_tir(cls.conv2d, (x, w), out_sinfo=R.Tensor((1, 64, 56, 56), dtype="float32"))
 *   -> x_blocked = R.call_tir(cls.layout, (x,), out_sinfo=R.Tensor((1, 8, 56, 56, 8), ...))
 *      y_blocked = R.call_tir(cls.conv2d_1, (x_blocked, w_packed), ...)
 *      y = R.call_tir(cls.layout_1, (y_blocked,), ...)
 *
 * Lanes of a vector are then channels whatever the picture's width, one load of weights serves as
 * many pixels as there are registers, and padding is copied in whole vectors.
 *
 * By form alone: a tensor may be blocked when its second dimension divides; a call takes and gives
 * blocked tensors when its function comes out even (graph/relayout.h); sums of products with a
 * constant that is packed gain by it. Calls that are able, joined by such tensors, are blocked
 * together, or not at all: when copies at their edges would cost more than they gain. Constants are
 * laid out here and now. Requires: fuse_ops, since whatever is private may change. Sums come in
 * another order: not with strict math. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "graph/fuse.h"
#include "graph/passes.h"
#include "graph/relayout.h"
#include "target/target.h"

enum { MAX_PARAMS = 40, MAX_ITEMS = 64, CHANNELS = 1 };

/* A function with what it may be blocked; the same for all calls with constants in the same places. */
typedef struct variant {
  const char *name;
  uint64_t constants;  /* bit i: argument i is one */
  const tn_node *made; /* NULL: not able */
  uint32_t n_items;
  tn_relayout items[MAX_ITEMS]; /* parameters, those that nothing is done to left out */
  uint32_t n_params;
  int32_t item_of[MAX_PARAMS]; /* by parameter; -1: stays */
  double gain;                 /* seconds, roughly */
} variant;

typedef struct layout_call {
  const tn_node *stmt; /* its GBIND */
  uint32_t body;
  uint32_t group; /* follow until it is its own */
  const variant *able;
  bool is_output_blocked;
  bool is_used_plainly; /* its value, by anything that does not take it blocked */
  double gain;          /* of a group, at the call that stands for it */
} layout_call;

typedef struct chooser {
  tn_ir *ir;
  tn_module *module;
  tn_func_pool *pool;
  const tn_target *target;
  int64_t size; /* of a block */
  TN_VEC(variant *) variants;
  TN_VEC(layout_call) calls;
  tn_map call_of; /* id of the GVAR that a call is bound to -> its number */
  tn_map copies;  /* (id of a value, body) -> the blocked value */
  uint32_t n_bodies;
} chooser;

/* ---- what may be blocked ---- */

static bool is_blockable(const chooser *c, tn_dtype dtype, const tn_node *shape) {
  bool is_wide = false;
  bool is_known = dtype == TN_DT_F32 && shape->n_in >= 3 && shape->n_in < TN_MAX_NDIM;
  for (uint32_t d = 0; is_known && d < shape->n_in; ++d) {
    is_known = tn_is(shape->in[d], TN_OP_INT) && shape->in[d]->attr.i64 > 0;
    is_wide = is_wide || (d > CHANNELS && !tn_is_int(shape->in[d], 1));
  }
  return is_known && is_wide && shape->in[CHANNELS]->attr.i64 % c->size == 0;
}

static tn_layout blocked(const chooser *c, const tn_node *shape) {
  return tn_layout_blocked(shape->n_in, CHANNELS, c->size);
}

/* ---- functions ---- */

static bool push_item(chooser *c, variant *v, const tn_node *buffer, bool is_constant) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  bool can_be_free = is_constant && tn_dtype_bits(buffer->dtype) >= 8 && shape->n_in > 0 &&
                     shape->n_in + shape->n_in <= TN_MAX_NDIM;
  if (v->n_items == MAX_ITEMS ||
      !(is_constant ? can_be_free : is_blockable(c, buffer->dtype, shape))) {
    return false;
  }
  tn_relayout *item = &v->items[v->n_items++];
  *item = (tn_relayout){.buffer = buffer, .is_free = is_constant};
  if (!is_constant) {
    item->layout = blocked(c, shape);
  }
  return true;
}

static void push_items(chooser *c, variant *v, const tn_node *func) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  const tn_node *body = func->in[TN_PRIM_FUNC_BODY];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    bool is_constant = (v->constants >> i & 1) != 0;
    v->item_of[i] = push_item(c, v, buffers->in[i], is_constant) ? (int32_t)v->n_items - 1 : -1;
  }
  for (uint32_t i = 0; tn_is(body, TN_OP_BLOCK) && i < body->in[TN_BLOCK_ALLOCS]->n_in; ++i) {
    (void)push_item(c, v, body->in[TN_BLOCK_ALLOCS]->in[i], false);
  }
}

/* A sum of products gains where it reads a packed constant: about so much of its time, and more of it
 * where rows of a picture do not fill vectors. */
static double gain_of(const chooser *c, const variant *v, const tn_node *func) {
  const double clock = 3e9;
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  const tn_node *shape = buffers->in[v->n_params - 1]->in[TN_BUFFER_SHAPE];
  const tn_node *row = shape->n_in == 0 ? NULL : shape->in[shape->n_in - 1];
  bool is_even = row != NULL && tn_is(row, TN_OP_INT) && row->attr.i64 % c->size == 0;
  bool is_packed = false;
  tn_op_count count = {0};
  for (uint32_t i = 0; i < v->n_items; ++i) {
    is_packed = is_packed || (v->items[i].is_free && v->items[i].layout.n > 0);
  }
  if (!is_packed) {
    return 0;
  }
  tn_status st = tn_tir_count_flops(func, NULL, 0, &count);
  double peak = clock * 2 * c->target->n_fma_units * (double)c->size;
  double gain = st == NULL ? (is_even ? 0.25 : 0.5) * count.flops / peak : 0;
  tn_status_free(st);
  return gain;
}

static void make_variant(chooser *c, variant *v) {
  const tn_node *func = tn_module_find(c->module, v->name);
  if (func == NULL || !tn_is(func, TN_OP_PRIM_FUNC) || tn_func_is_public(func)) {
    return;
  }
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  v->n_params = buffers->n_in;
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    if (!tn_is(buffers->in[i], TN_OP_BUFFER)) {
      return;
    }
  }
  if (buffers->n_in == 0 || buffers->n_in > MAX_PARAMS) {
    return;
  }
  push_items(c, v, func);
  bool is_any = false;
  for (uint32_t i = 0; i < v->n_params; ++i) {
    is_any = is_any || (v->item_of[i] >= 0 && !v->items[v->item_of[i]].is_free);
  }
  if (is_any && tn_relayout_func(c->ir, func, v->n_items, v->items, &v->made)) {
    v->gain = gain_of(c, v, func);
  }
}

static const variant *variant_of(chooser *c, const tn_node *call) {
  const char *name = tn_call_arg(call, 0)->attr.text;
  const tn_node *inputs = tn_call_arg(call, 1);
  uint64_t constants = 0;
  for (uint32_t i = 0; i < inputs->n_in && i < MAX_PARAMS; ++i) {
    constants |= tn_is(inputs->in[i], TN_OP_CONST) ? (uint64_t)1 << i : 0;
  }
  for (size_t i = 0; i < c->variants.len; ++i) {
    if (c->variants.data[i]->name == name && c->variants.data[i]->constants == constants) {
      return c->variants.data[i];
    }
  }
  variant *v = tn_ir_alloc(c->ir, sizeof *v, sizeof(void *));
  *v = (variant){.name = name, .constants = constants};
  make_variant(c, v);
  TN_VEC_PUSH(&c->variants, v);
  return v;
}

/* ---- calls ---- */

/* NULL when it is nothing that can be blocked. */
static tn_status understand(chooser *c, const tn_node *value, const variant **out) {
  *out = NULL;
  if (!tn_is_builtin(value, TN_BUILTIN_CALL_TIR) || value->in[TN_CALL_ARGS]->n_in != 2 ||
      value->in[TN_CALL_TYPES]->n_in != 1) {
    return NULL;
  }
  const variant *v = variant_of(c, value);
  if (v->made == NULL || v->n_params != tn_call_arg(value, 1)->n_in + 1) {
    return NULL;
  }
  tn_fuse_types types = {0};
  tn_map sizes = {0};
  tn_status st = tn_fuse_types_of(c->module, value, &types);
  const tn_node *func = tn_module_find(c->module, v->name);
  if (st == NULL && tn_fuse_bind_sizes(c->ir, func, types.data, &sizes)) {
    *out = v;
  }
  TN_VEC_DEINIT(&types);
  tn_map_deinit(&sizes);
  return st;
}

static bool takes_blocked(const variant *v, uint32_t param) {
  return v->item_of[param] >= 0 && !v->items[v->item_of[param]].is_free;
}

static void find_calls(chooser *c, const tn_node *body, tn_status *st) {
  uint32_t number = c->n_bodies++;
  for (uint32_t i = 0; i < tn_body_n(body) && *st == NULL; ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    const variant *v = NULL;
    if (tn_is(stmt, TN_OP_DATAFLOW)) {
      find_calls(c, stmt->in[TN_DATAFLOW_BODY], st);
    } else if (tn_is(stmt, TN_OP_GIF)) {
      find_calls(c, stmt->in[TN_GIF_THEN], st);
      find_calls(c, stmt->in[TN_GIF_ELSE], st);
    } else if (tn_is(stmt, TN_OP_GBIND)) {
      *st = understand(c, stmt->in[TN_BIND_VALUE], &v);
    }
    if (v != NULL) {
      uint32_t n = (uint32_t)c->calls.len;
      tn_map_set(&c->call_of, stmt->in[TN_BIND_VAR]->id, n);
      TN_VEC_PUSH(&c->calls,
                  ((layout_call){.stmt = stmt,
                                 .body = number,
                                 .group = n,
                                 .able = v,
                                 .gain = v->gain,
                                 .is_output_blocked = takes_blocked(v, v->n_params - 1)}));
    }
  }
}

static layout_call *call_of(chooser *c, const tn_node *var) {
  uint64_t at = 0;
  bool is_call = tn_is(var, TN_OP_GVAR) && tn_map_find(&c->call_of, var->id, &at);
  return is_call ? &c->calls.data[at] : NULL;
}

/* The call that makes an argument which another call takes blocked; NULL: it is made elsewhere. */
static layout_call *maker_of(chooser *c, const layout_call *user, uint32_t input) {
  const tn_node *value = tn_call_arg(user->stmt->in[TN_BIND_VALUE], 1)->in[input];
  layout_call *maker = takes_blocked(user->able, input) ? call_of(c, value) : NULL;
  return maker != NULL && maker->body == user->body && maker->is_output_blocked ? maker : NULL;
}

static void mark_plain(const tn_node *n, void *ctx) {
  layout_call *call = call_of(ctx, n);
  if (call != NULL) {
    call->is_used_plainly = true;
  }
}

static void mark_uses(chooser *c, const tn_node *body) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    if (tn_is(stmt, TN_OP_DATAFLOW)) {
      mark_uses(c, stmt->in[TN_DATAFLOW_BODY]);
      tn_walk_once(c->ir, stmt->in[TN_DATAFLOW_OUTPUTS], mark_plain, c);
      continue;
    }
    if (tn_is(stmt, TN_OP_GIF)) {
      tn_walk_once(c->ir, stmt->in[TN_GIF_COND], mark_plain, c);
      mark_uses(c, stmt->in[TN_GIF_THEN]);
      mark_uses(c, stmt->in[TN_GIF_ELSE]);
      continue;
    }
    const layout_call *call = tn_is(stmt, TN_OP_GBIND) ? call_of(c, stmt->in[TN_BIND_VAR]) : NULL;
    const tn_node *value = tn_is(stmt, TN_OP_GBIND) ? stmt->in[TN_BIND_VALUE] : stmt;
    if (call == NULL) {
      tn_walk_once(c->ir, value, mark_plain, c);
    }
    for (uint32_t k = 0; call != NULL && k < tn_call_arg(value, 1)->n_in; ++k) {
      if (maker_of(c, call, k) == NULL) {
        tn_walk_once(c->ir, tn_call_arg(value, 1)->in[k], mark_plain, c);
      }
    }
  }
}

/* ---- groups ---- */

static uint32_t group_of(chooser *c, uint32_t i) {
  while (c->calls.data[i].group != i) {
    c->calls.data[i].group = c->calls.data[c->calls.data[i].group].group;
    i = c->calls.data[i].group;
  }
  return i;
}

static void join(chooser *c, uint32_t a, uint32_t b) {
  a = group_of(c, a);
  b = group_of(c, b);
  if (a != b) {
    uint32_t first = a < b ? a : b;
    c->calls.data[a + b - first].group = first;
    c->calls.data[first].gain += c->calls.data[a + b - first].gain;
  }
}

static double cost_of_copy(const tn_node *shape) {
  const double bytes_a_second = 4e9;
  double bytes = 2 * sizeof(float);
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    bytes *= (double)shape->in[d]->attr.i64;
  }
  return bytes / bytes_a_second;
}

/* Calls that hand each other blocked tensors are one group; copies at its edges cost. */
static void weigh_groups(chooser *c) {
  for (uint32_t i = 0; i < c->calls.len; ++i) {
    const layout_call *call = &c->calls.data[i];
    for (uint32_t k = 0; k + 1 < call->able->n_params; ++k) {
      const layout_call *maker = maker_of(c, call, k);
      if (maker != NULL) {
        join(c, i, (uint32_t)(maker - c->calls.data));
      }
    }
  }
  tn_map seen = {0};
  for (uint32_t i = 0; i < c->calls.len; ++i) {
    const layout_call *call = &c->calls.data[i];
    const tn_node *buffers = tn_module_find(c->module, call->able->name)->in[TN_PRIM_FUNC_BUFFERS];
    const tn_node *inputs = tn_call_arg(call->stmt->in[TN_BIND_VALUE], 1);
    double cost = 0;
    for (uint32_t k = 0; k < inputs->n_in; ++k) {
      uint64_t key = (uint64_t)inputs->in[k]->id << 32 | group_of(c, i);
      if (takes_blocked(call->able, k) && maker_of(c, call, k) == NULL &&
          !tn_map_find(&seen, key, NULL)) {
        tn_map_set(&seen, key, 1);
        cost += cost_of_copy(buffers->in[k]->in[TN_BUFFER_SHAPE]);
      }
    }
    if (call->is_output_blocked && call->is_used_plainly) {
      cost += cost_of_copy(buffers->in[inputs->n_in]->in[TN_BUFFER_SHAPE]);
    }
    c->calls.data[group_of(c, i)].gain -= cost;
  }
  tn_map_deinit(&seen);
}

static bool is_chosen(chooser *c, const layout_call *call) {
  return c->calls.data[group_of(c, (uint32_t)(call - c->calls.data))].gain > 0;
}

/* ---- the new calls ---- */

static const tn_node *call_func(chooser *c, const tn_node *func, uint32_t n,
                                const tn_node *const *inputs, const tn_node *type) {
  const tn_attr callee = {.text = tn_func_pool_add(c->pool, c->module, func)};
  const tn_node *args[] = {
      tn_node_new(c->ir, TN_OP_GLOBAL, TN_DT_NONE, callee, 0, NULL),
      tn_node_new(c->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, n, inputs),
  };
  return tn_call_new(c->ir, tn_graph_builtin(TN_BUILTIN_CALL_TIR), 2, args, NULL,
                     tn_list(c->ir, 1, &type));
}

static const tn_node *blocked_var(chooser *c, const tn_node *name, const tn_node *type) {
  char text[80];
  (void)snprintf(text, sizeof text, "%.60s_blocked",
                 tn_is(name, TN_OP_GVAR) ? name->attr.text : "c");
  return tn_gvar_new(c->ir, text, type);
}

/* A value blocked, by a copy; once in a body. */
static tn_status blocked_copy(chooser *c, const layout_call *user, const tn_node *value,
                              const tn_node *type, const tn_layout *layout, tn_stmts *out,
                              const tn_node **out_value) {
  uint64_t key = (uint64_t)value->id << 32 | user->body;
  uint64_t word = 0;
  const tn_node *func = NULL;
  if (tn_map_find(&c->copies, key, &word)) {
    *out_value = (const tn_node *)(uintptr_t)word;
    return NULL;
  }
  TN_TRY(tn_layout_copy_func(c->ir, type, layout, false, &func));
  const tn_node *laid = tn_layout_type(c->ir, type, layout);
  *out_value = blocked_var(c, value, laid);
  const tn_node *call = call_func(c, func, 1, &value, laid);
  TN_VEC_PUSH(out, tn_gbind_new(c->ir, *out_value, call, user->stmt));
  tn_map_set(&c->copies, key, (uint64_t)(uintptr_t)*out_value);
  return NULL;
}

static tn_status laid_out_input(chooser *c, const layout_call *call, uint32_t i, tn_stmts *out,
                                const tn_node **io_value) {
  int32_t at = call->able->item_of[i];
  const tn_relayout *item = at < 0 ? NULL : &call->able->items[at];
  const tn_infer_ctx ctx = {.ir = c->ir, .module = c->module};
  const tn_node *type = NULL;
  uint64_t word = 0;
  if (item == NULL || item->layout.n == 0) {
    return NULL;
  }
  if (item->is_free) {
    tn_array array;
    TN_TRY(tn_layout_array((*io_value)->attr.array, &item->layout, &array));
    *io_value = tn_const_new(c->ir, &array);
    return NULL;
  }
  if (maker_of(c, call, i) != NULL) {
    TN_CHECK(tn_map_find(&c->copies, (uint64_t)(*io_value)->id << 32 | call->body, &word),
             "a value is made before it is used");
    *io_value = (const tn_node *)(uintptr_t)word;
    return NULL;
  }
  TN_TRY(tn_graph_infer(&ctx, *io_value, &type));
  return blocked_copy(c, call, *io_value, type, &item->layout, out, io_value);
}

static tn_status push_blocked(chooser *c, const layout_call *call, tn_stmts *out) {
  const tn_node *value = call->stmt->in[TN_BIND_VALUE];
  const tn_node *var = call->stmt->in[TN_BIND_VAR];
  const tn_node *inputs[MAX_PARAMS];
  const tn_node *back = NULL;
  uint32_t n = tn_call_arg(value, 1)->n_in;
  for (uint32_t i = 0; i < n; ++i) {
    inputs[i] = tn_call_arg(value, 1)->in[i];
    TN_TRY(laid_out_input(c, call, i, out, &inputs[i]));
  }
  const tn_node *type = value->in[TN_CALL_TYPES]->in[0];
  if (!call->is_output_blocked) {
    const tn_node *made = call_func(c, call->able->made, n, inputs, type);
    TN_VEC_PUSH(out, tn_gbind_new(c->ir, var, made, call->stmt));
    return NULL;
  }
  const tn_layout *layout = &call->able->items[call->able->item_of[n]].layout;
  const tn_node *laid = tn_layout_type(c->ir, type, layout);
  const tn_node *made = blocked_var(c, var, laid);
  tn_map_set(&c->copies, (uint64_t)var->id << 32 | call->body, (uint64_t)(uintptr_t)made);
  TN_VEC_PUSH(
      out, tn_gbind_new(c->ir, made, call_func(c, call->able->made, n, inputs, laid), call->stmt));
  if (call->is_used_plainly) {
    TN_TRY(tn_layout_copy_func(c->ir, type, layout, true, &back));
    TN_VEC_PUSH(out, tn_gbind_new(c->ir, var, call_func(c, back, 1, &made, type), call->stmt));
  }
  return NULL;
}

static tn_status layout_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  chooser *c = pass->ctx;
  const layout_call *call = tn_is(stmt, TN_OP_GBIND) ? call_of(c, stmt->in[TN_BIND_VAR]) : NULL;
  if (call != NULL && is_chosen(c, call)) {
    return push_blocked(c, call, out);
  }
  TN_VEC_PUSH(out, stmt);
  return NULL;
}

/* ---- functions of the graph ---- */

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  chooser *c = ctx;
  tn_gpass pass = {.ir = module->ir, .module = module, .leaf = layout_leaf, .ctx = c};
  const tn_node *body = NULL;
  tn_status st = NULL;
  c->calls.len = 0;
  tn_map_clear(&c->call_of);
  tn_map_clear(&c->copies);
  if (!tn_gfunc_has_values(func)) {
    return NULL;
  }
  find_calls(c, func->in[TN_GFUNC_BODY], &st);
  TN_TRY(st);
  mark_uses(c, func->in[TN_GFUNC_BODY]);
  weigh_groups(c);
  TN_TRY(tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body));
  *out = tn_gfunc_with_body(module->ir, func, body);
  return NULL;
}

tn_status tn_pass_choose_layouts(tn_module *module, const tn_pass_opts *opts) {
  const tn_target *target = opts->target != NULL ? opts->target : tn_target_host();
  tn_func_pool pool = {0};
  chooser c = {.ir = module->ir,
               .module = module,
               .pool = &pool,
               .target = target,
               .size = target->vector_bytes / (int32_t)sizeof(float)};
  tn_status st = c.size > 1 ? tn_each_gfunc(module, &c, one) : NULL;
  TN_VEC_DEINIT(&c.variants);
  TN_VEC_DEINIT(&c.calls);
  tn_map_deinit(&c.call_of);
  tn_map_deinit(&c.copies);
  tn_func_pool_deinit(&pool);
  return st;
}
