/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of one loop function by another: whether they fit what they call, and who reaches whom.
 *
 * An argument is a buffer where the parameter has a buffer, a handle where it is one, a number of
 * the parameter's type. A buffer parameter may also get a bare pointer: nothing is known about what
 * lies there, so every size that its shape and layout name must come from another argument. */
#include "tir/tir.h"

#include <stdlib.h>

#include "tir/tir_priv.h"

const tn_node *tn_tir_call_args(const tn_node *n) {
  if (tn_is(n, TN_OP_INVOKE)) {
    return n->in[TN_INVOKE_ARGS];
  }
  bool is_packed = tn_is(n, TN_OP_INTRIN) && (tn_intrin_of(n)->id == TN_INTRIN_CALL_PACKED ||
                                              tn_intrin_of(n)->id == TN_INTRIN_CALL_CPACKED);
  return is_packed ? n : NULL;
}

/* ---- one call ---- */

typedef struct call_ctx {
  const tn_module *module;
  tn_diags *diags;
  tn_pos pos; /* of the nearest statement before that has one */
} call_ctx;

static const char *callee_name(const tn_node *call) {
  return call->in[TN_INVOKE_CALLEE]->attr.text;
}

static void bind_vars(tn_map *bound, const tn_node *list) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    if (tn_is(list->in[i], TN_OP_VAR)) {
      tn_map_set(bound, list->in[i]->id, 0);
    }
  }
}

/* Variables of the callee that its numbers and the buffers given to it bind. */
static void find_bound(const tn_node *call, const tn_node *callee, tn_map *bound) {
  const tn_node *args = call->in[TN_INVOKE_ARGS];
  const tn_node *buffers = callee->in[TN_PRIM_FUNC_BUFFERS];
  bind_vars(bound, callee->in[TN_PRIM_FUNC_PARAMS]);
  for (uint32_t i = 0; i < args->n_in; ++i) {
    if (tn_is(args->in[i], TN_OP_BUFFER) && !tn_is_none(buffers->in[i])) {
      bind_vars(bound, buffers->in[i]->in[TN_BUFFER_SHAPE]);
      bind_vars(bound, buffers->in[i]->in[TN_BUFFER_STRIDES]);
      bind_vars(bound, buffers->in[i]); /* its offset */
    }
  }
}

typedef struct unbound_ctx {
  const tn_map *bound;
  const tn_node *var;
} unbound_ctx;

static tn_visit find_unbound(const tn_node *n, void *ctx) {
  unbound_ctx *u = ctx;
  if (tn_is(n, TN_OP_VAR) && !tn_map_find(u->bound, n->id, NULL)) {
    u->var = n;
    return TN_STOP;
  }
  return TN_DESCEND;
}

static void check_pointer(call_ctx *c, const tn_node *call, uint32_t i, const tn_node *buffer,
                          const tn_map *bound) {
  unbound_ctx u = {.bound = bound};
  bool is_known = tn_walk_distinct(buffer->in[TN_BUFFER_SHAPE], find_unbound, &u) &&
                  tn_walk_distinct(buffer->in[TN_BUFFER_STRIDES], find_unbound, &u) &&
                  tn_walk_distinct(buffer->in[TN_BUFFER_ELEM_OFFSET], find_unbound, &u);
  if (!is_known) {
    tn_diags_add(c->diags, "call-argument", c->pos, "give the buffer itself, not its pointer",
                 "argument %u of '%s' is a pointer, which does not tell '%s' of buffer '%s'", i,
                 callee_name(call), u.var->attr.text, buffer->attr.text);
  }
}

static void check_buffer(call_ctx *c, const tn_node *call, uint32_t i, const tn_node *want,
                         const tn_node *got) {
  char a[TN_DTYPE_TEXT_BYTES];
  char b[TN_DTYPE_TEXT_BYTES];
  const tn_node *shape = want->in[TN_BUFFER_SHAPE];
  const tn_node *given = got->in[TN_BUFFER_SHAPE];
  if (want->dtype != got->dtype) {
    tn_diags_add(c->diags, "call-argument", c->pos, NULL,
                 "argument %u of '%s', buffer '%s': expected elements of %s, got %s", i,
                 callee_name(call), got->attr.text, tn_dtype_print(want->dtype, a),
                 tn_dtype_print(got->dtype, b));
    return;
  }
  if (shape->n_in != given->n_in) {
    tn_diags_add(c->diags, "call-argument", c->pos, NULL,
                 "argument %u of '%s', buffer '%s': expected %u dimensions, got %u", i,
                 callee_name(call), got->attr.text, shape->n_in, given->n_in);
    return;
  }
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    bool is_known = tn_is(shape->in[d], TN_OP_INT) && tn_is(given->in[d], TN_OP_INT);
    if (is_known && shape->in[d]->attr.i64 != given->in[d]->attr.i64) {
      tn_diags_add(c->diags, "call-argument", c->pos, NULL,
                   "argument %u of '%s', buffer '%s': expected %lld as extent %u, got %lld", i,
                   callee_name(call), got->attr.text, (long long)shape->in[d]->attr.i64, d,
                   (long long)given->in[d]->attr.i64);
      return;
    }
  }
}

static void check_arg(call_ctx *c, const tn_node *call, const tn_node *callee, uint32_t i,
                      const tn_map *bound) {
  char a[TN_DTYPE_TEXT_BYTES];
  char b[TN_DTYPE_TEXT_BYTES];
  const tn_node *param = callee->in[TN_PRIM_FUNC_PARAMS]->in[i];
  const tn_node *buffer = callee->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  const tn_node *arg = call->in[TN_INVOKE_ARGS]->in[i];
  bool is_buffer = tn_is(arg, TN_OP_BUFFER);
  if (!tn_is_none(buffer) && is_buffer) {
    check_buffer(c, call, i, buffer, arg);
  } else if (!tn_is_none(buffer) && tn_dtype_is_handle(arg->dtype)) {
    check_pointer(c, call, i, buffer, bound);
  } else if (is_buffer) {
    tn_diags_add(c->diags, "call-argument", c->pos,
                 tn_dtype_is_handle(param->dtype) ? "give its pointer, as in A.data" : NULL,
                 "argument %u of '%s' is buffer '%s', and parameter '%s' is %s", i,
                 callee_name(call), arg->attr.text, param->attr.text,
                 tn_dtype_print(param->dtype, a));
  } else if (arg->dtype != param->dtype) {
    tn_diags_add(c->diags, "call-argument", c->pos, NULL,
                 "argument %u of '%s', parameter '%s': expected %s, got %s", i, callee_name(call),
                 param->attr.text,
                 tn_is_none(buffer) ? tn_dtype_print(param->dtype, a) : "a buffer",
                 tn_dtype_print(arg->dtype, b));
  }
}

static void check_result(call_ctx *c, const tn_node *call, const tn_node *callee) {
  const tn_node *ret = callee->in[TN_PRIM_FUNC_RET];
  tn_dtype dtype = tn_is_none(ret) ? TN_DT_NONE : ret->dtype;
  char a[TN_DTYPE_TEXT_BYTES];
  char b[TN_DTYPE_TEXT_BYTES];
  if (call->dtype != dtype) {
    tn_diags_add(c->diags, "call-result", c->pos,
                 "say its result in the function's head: -> T.int32",
                 "'%s' gives %s and is called for %s", callee_name(call),
                 dtype == TN_DT_NONE ? "nothing" : tn_dtype_print(dtype, a),
                 call->dtype == TN_DT_NONE ? "nothing" : tn_dtype_print(call->dtype, b));
  }
}

static void check_call(call_ctx *c, const tn_node *call) {
  const tn_node *callee = tn_module_find(c->module, callee_name(call));
  const tn_node *args = call->in[TN_INVOKE_ARGS];
  if (callee == NULL || !tn_is(callee, TN_OP_PRIM_FUNC)) {
    tn_diags_add(c->diags, callee == NULL ? "undefined-function" : "wrong-callee", c->pos, NULL,
                 callee == NULL ? "the module has no function '%s'"
                                : "'%s' is no loop function: a loop function cannot call it",
                 callee_name(call));
    return;
  }
  uint32_t n = callee->in[TN_PRIM_FUNC_PARAMS]->n_in;
  if (args->n_in != n) {
    tn_diags_add(c->diags, "call-arity", c->pos, NULL, "'%s' takes %u arguments, got %u",
                 callee_name(call), n, args->n_in);
    return;
  }
  tn_map bound = {0};
  find_bound(call, callee, &bound);
  for (uint32_t i = 0; i < n; ++i) {
    check_arg(c, call, callee, i, &bound);
  }
  check_result(c, call, callee);
  tn_map_deinit(&bound);
}

static tn_visit visit_call(const tn_node *n, void *ctx) {
  call_ctx *c = ctx;
  tn_pos pos = tn_ir_pos(c->module->ir, n);
  c->pos = pos.source != 0 ? pos : c->pos;
  if (tn_is(n, TN_OP_INVOKE)) {
    check_call(c, n);
  }
  return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

void tn_tir_verify_calls(const tn_module *module, const tn_node *func, tn_diags *diags) {
  call_ctx c = {.module = module, .diags = diags, .pos = tn_ir_pos(module->ir, func)};
  (void)tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], visit_call, &c);
}

/* ---- who reaches whom ---- */

typedef struct edge {
  uint32_t from;
  uint32_t to;
} edge;

typedef struct graph_ctx {
  const tn_module *module;
  tn_map index; /* id of a function -> its number */
  uint32_t from;
  TN_VEC(edge) edges; /* by rising from */
} graph_ctx;

static tn_visit add_edge(const tn_node *n, void *ctx) {
  graph_ctx *g = ctx;
  uint64_t to = 0;
  if (!tn_is(n, TN_OP_INVOKE) || !tn_is(n->in[TN_INVOKE_CALLEE], TN_OP_GLOBAL)) {
    return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
  }
  const tn_node *callee = tn_module_find(g->module, callee_name(n));
  if (callee != NULL && tn_map_find(&g->index, callee->id, &to)) {
    TN_VEC_PUSH(&g->edges, ((edge){g->from, (uint32_t)to}));
  }
  return TN_DESCEND;
}

static void graph_init(graph_ctx *g, const tn_module *module) {
  *g = (graph_ctx){.module = module};
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    tn_map_set(&g->index, module->funcs[i].func->id, i);
  }
  for (g->from = 0; g->from < module->n_funcs; ++g->from) {
    const tn_node *func = module->funcs[g->from].func;
    if (tn_is(func, TN_OP_PRIM_FUNC)) {
      (void)tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], add_edge, g);
    }
  }
}

static void graph_deinit(graph_ctx *g) {
  tn_map_deinit(&g->index);
  TN_VEC_DEINIT(&g->edges);
}

/* Functions that call none of those left are taken away, again and again; who stays reaches a
 * cycle. */
void tn_tir_find_recursive(const tn_module *module, bool *out) {
  graph_ctx g;
  graph_init(&g, module);
  uint32_t *n_calls = calloc(module->n_funcs + 1, sizeof *n_calls);
  TN_CHECK(n_calls != NULL, "out of memory");
  for (size_t i = 0; i < g.edges.len; ++i) {
    ++n_calls[g.edges.data[i].from];
  }
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    out[i] = n_calls[i] != 0;
  }
  bool is_changed = g.edges.len > 0;
  while (is_changed) { /* one round a level of calls */
    is_changed = false;
    for (size_t i = 0; i < g.edges.len; ++i) {
      edge *e = &g.edges.data[i];
      if (e->from != UINT32_MAX && !out[e->to]) {
        is_changed = true;
        out[e->from] = --n_calls[e->from] != 0;
        e->from = UINT32_MAX;
      }
    }
  }
  free(n_calls);
  graph_deinit(&g);
}

void tn_tir_find_called(const tn_module *module, const char *name, bool *out) {
  graph_ctx g;
  graph_init(&g, module);
  bool is_changed = true;
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    out[i] = tn_module_find(module, name) == module->funcs[i].func;
  }
  while (is_changed) {
    is_changed = false;
    for (size_t i = 0; i < g.edges.len; ++i) {
      const edge *e = &g.edges.data[i];
      if (out[e->from] && !out[e->to]) {
        out[e->to] = true;
        is_changed = true;
      }
    }
  }
  graph_deinit(&g);
}
