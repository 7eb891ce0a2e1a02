/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which parameters a function writes: what the command line shows after a run, and what an
 * executable tells about its kernels. A buffer is known by its pointer; views of it (match_buffer,
 * a pointer bound to a name) count. */
#include "tir/tir.h"

typedef struct search {
  tn_map pointers; /* ids of the variables that point to the parameter's memory */
} search;

static tn_visit find_pointer(const tn_node *n, void *ctx) {
  const search *s = ctx;
  return tn_map_find(&s->pointers, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

static bool mentions(search *s, const tn_node *n) { return !tn_walk(n, find_pointer, NULL, s); }

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
    case TN_OP_INTRIN: {
      const tn_intrin *row = tn_intrin_of(n); /* a prefetch has an effect, but writes nothing */
      bool may_write = !row->def.is_pure && row->id != TN_INTRIN_PREFETCH;
      return may_write && mentions(s, n) ? TN_STOP : TN_DESCEND;
    }
    default:
      return TN_DESCEND;
  }
}

bool tn_tir_writes_param(const tn_node *func, uint32_t i) {
  const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  if (tn_is_none(buffer)) {
    return false;
  }
  search s = {0};
  tn_map_set(&s.pointers, buffer->in[TN_BUFFER_DATA]->id, 1);
  bool is_written = !tn_walk(func->in[TN_PRIM_FUNC_BODY], look, NULL, &s);
  tn_map_deinit(&s.pointers);
  return is_written;
}
