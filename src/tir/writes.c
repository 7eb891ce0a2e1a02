/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which parameters a function writes: what the command line shows after a run, and what an
 * executable tells about its kernels. A buffer is known by its pointer; views of it (match_buffer,
 * a pointer bound to a name) count, and what the functions do that get it. */
#include "tir/tir.h"

typedef struct search {
  const tn_module *module; /* NULL: a call may write everything it gets */
  tn_map *asked;           /* function id << 32 | parameter, of the functions that are looked at */
  tn_map pointers;         /* ids of the variables that point to the parameter's memory */
} search;

static bool writes(const tn_module *module, const tn_node *func, uint32_t i, tn_map *asked);

static tn_visit find_pointer(const tn_node *n, void *ctx) {
  const search *s = ctx;
  return tn_map_find(&s->pointers, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

static bool mentions(search *s, const tn_node *n) { return !tn_walk(n, find_pointer, NULL, s); }

static bool call_writes(search *s, const tn_node *call) {
  const tn_node *args = call->in[TN_INVOKE_ARGS];
  const tn_node *callee =
      s->module == NULL ? NULL : tn_module_find(s->module, call->in[TN_INVOKE_CALLEE]->attr.text);
  for (uint32_t i = 0; i < args->n_in; ++i) {
    bool is_memory = tn_is(args->in[i], TN_OP_BUFFER) || tn_dtype_is_handle(args->in[i]->dtype);
    bool is_known = callee != NULL && tn_is(callee, TN_OP_PRIM_FUNC) &&
                    i < callee->in[TN_PRIM_FUNC_PARAMS]->n_in;
    if (is_memory && mentions(s, args->in[i]) &&
        (!is_known || writes(s->module, callee, i, s->asked))) {
      return true;
    }
  }
  return false;
}

/* Stops at the first write. Binders come before their uses, so one walk finds all views. */
static tn_visit look(const tn_node *n, void *ctx) {
  search *s = ctx;
  switch ((tn_op)n->op) {
    case TN_OP_MATCH:
      if (mentions(s, n->in[TN_MATCH_REGION]->in[TN_REGION_BUFFER]->in[TN_BUFFER_DATA])) {
        tn_map_set(&s->pointers, n->in[TN_MATCH_BUFFER]->in[TN_BUFFER_DATA]->id, 1);
      }
      return TN_SKIP;
    case TN_OP_BIND:
      if (tn_dtype_is_handle(n->in[TN_BIND_VAR]->dtype) && mentions(s, n->in[TN_BIND_VALUE])) {
        tn_map_set(&s->pointers, n->in[TN_BIND_VAR]->id, 1);
      }
      return TN_DESCEND;
    case TN_OP_LET:
      if (tn_dtype_is_handle(n->in[TN_LET_VAR]->dtype) && mentions(s, n->in[TN_LET_VALUE])) {
        tn_map_set(&s->pointers, n->in[TN_LET_VAR]->id, 1);
      }
      return TN_DESCEND;
    case TN_OP_STORE:
      return mentions(s, n->in[TN_STORE_BUFFER]->in[TN_BUFFER_DATA]) ? TN_STOP : TN_DESCEND;
    case TN_OP_INVOKE:
      return call_writes(s, n) ? TN_STOP : TN_DESCEND;
    case TN_OP_INTRIN: {
      const tn_intrin *row = tn_intrin_of(n); /* a prefetch has an effect, but writes nothing */
      bool may_write = !row->def.is_pure && row->id != TN_INTRIN_PREFETCH;
      return may_write && mentions(s, n) ? TN_STOP : TN_DESCEND;
    }
    default:
      return TN_DESCEND;
  }
}

/* A question that is being asked already adds nothing: whoever writes is found elsewhere. */
static bool writes(const tn_module *module, const tn_node *func, uint32_t i, tn_map *asked) {
  const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  uint64_t question = (uint64_t)func->id << 32 | i;
  if (tn_map_find(asked, question, NULL)) {
    return false;
  }
  tn_map_set(asked, question, 0);
  search s = {.module = module, .asked = asked};
  tn_map_set(&s.pointers, func->in[TN_PRIM_FUNC_PARAMS]->in[i]->id, 1);
  if (!tn_is_none(buffer)) {
    tn_map_set(&s.pointers, buffer->in[TN_BUFFER_DATA]->id, 1);
  }
  bool is_written = !tn_walk(func->in[TN_PRIM_FUNC_BODY], look, NULL, &s);
  tn_map_deinit(&s.pointers);
  return is_written;
}

bool tn_tir_writes_param(const tn_module *module, const tn_node *func, uint32_t i) {
  tn_map asked = {0};
  bool is_written =
      !tn_is_none(func->in[TN_PRIM_FUNC_BUFFERS]->in[i]) && writes(module, func, i, &asked);
  tn_map_deinit(&asked);
  return is_written;
}
