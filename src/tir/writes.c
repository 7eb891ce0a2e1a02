/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which parameters a function writes: what the command line shows after a run, and what an executable tells about
 * its kernels. A buffer is known by its pointer, so views of it count. */
#include "tir/tir.h"

typedef struct search {
  const tn_node *data;
  bool is_written;
} search;

static bool mentions(const tn_node *n, const tn_node *data) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (n->in[i] == data || mentions(n->in[i], data)) {
      return true;
    }
  }
  return false;
}

static void look(const tn_node *n, void *ctx) {
  search *s = ctx;
  if (s->is_written) {
    return;
  }
  if (tn_is(n, TN_OP_STORE)) {
    s->is_written = n->in[TN_STORE_BUFFER]->in[TN_BUFFER_DATA] == s->data;
  } else if (tn_is(n, TN_OP_INTRIN) && !tn_intrin_of(n)->def.is_pure) {
    s->is_written = mentions(n, s->data);
  }
}

bool tn_tir_writes_param(const tn_ir *ir, const tn_node *func, uint32_t i) {
  const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  if (tn_is_none(buffer)) {
    return false;
  }
  search s = {.data = buffer->in[TN_BUFFER_DATA]};
  tn_walk_once(ir, func->in[TN_PRIM_FUNC_BODY], look, &s);
  return s.is_written;
}
