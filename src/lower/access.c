/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Accesses of buffers rewritten: another buffer, other indices; and the strides that indices are
 * counted with. */
#include <string.h>

#include "base/check.h"
#include "lower/lower_priv.h"

const tn_node *tn_lower_add(tn_ir *ir, const tn_node *a, const tn_node *b) {
  if (tn_is_int(a, 0)) {
    return b;
  }
  if (tn_is_int(b, 0)) {
    return a;
  }
  const tn_node *sum = tn_binary(ir, TN_OP_ADD, a, b);
  const tn_node *folded = tn_arith_fold(ir, sum);
  return folded != NULL ? folded : sum;
}

const tn_node *tn_lower_mul(tn_ir *ir, const tn_node *a, const tn_node *b) {
  if (tn_is_int(a, 1) || tn_is_int(b, 0)) {
    return b;
  }
  if (tn_is_int(b, 1)) {
    return a;
  }
  const tn_node *product = tn_binary(ir, TN_OP_MUL, a, b);
  const tn_node *folded = tn_arith_fold(ir, product);
  return folded != NULL ? folded : product;
}

const tn_node *tn_lower_access_with(tn_ir *ir, const tn_node *access, const tn_node *buffer,
                                    uint32_t n_indices, const tn_node *const *indices) {
  const tn_node *in[TN_STORE_INDICES + TN_MAX_NDIM];
  uint32_t first = tn_lower_first_index(access);
  TN_CHECK(n_indices <= TN_MAX_NDIM, "an access of %u dimensions", n_indices);
  memcpy(in, access->in, first * sizeof *in);
  in[tn_is(access, TN_OP_LOAD) ? (uint32_t)TN_LOAD_BUFFER : (uint32_t)TN_STORE_BUFFER] = buffer;
  for (uint32_t i = 0; i < n_indices; ++i) {
    in[first + i] = indices[i];
  }
  return tn_node_with_n(ir, access, first + n_indices, in);
}

void tn_lower_strides(tn_ir *ir, const tn_node *buffer, tn_dtype dtype, const tn_node **out) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  const tn_node *step = tn_int(ir, dtype, 1);
  for (uint32_t d = shape->n_in; d > 0; --d) {
    if (tn_is(strides, TN_OP_LIST) && strides->n_in == shape->n_in) {
      out[d - 1] = tn_lower_cast(ir, dtype, strides->in[d - 1]);
      continue;
    }
    out[d - 1] = step;
    step = tn_lower_mul(ir, tn_lower_cast(ir, dtype, shape->in[d - 1]), step);
  }
}
