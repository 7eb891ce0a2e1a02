/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Formulas that several rules use; see rules.h. */
#include <string.h>

#include "base/hash.h"
#include "front/onnx/rules.h"

const tn_node *tn_onnx_i64(tn_onnx_call *c, int64_t value) {
  return tn_int(c->ir, TN_DT_I64, value);
}

const tn_node *tn_onnx_scalar_like(tn_onnx_call *c, const tn_node *x, double value) {
  return tn_onnx_scalar(c, tn_onnx_type_of(c, x), value);
}

const tn_node *tn_onnx_scaled(tn_onnx_call *c, const tn_node *x, double by) {
  return tn_onnx_op2(c, "multiply", x, tn_onnx_scalar_like(c, x, by));
}

const tn_node *tn_onnx_broadcast(tn_onnx_call *c, const tn_node *x, const tn_node *dims) {
  return tn_onnx_op2(c, "broadcast_to", x, tn_onnx_shape_value(c, dims));
}

const tn_node *tn_onnx_concat(tn_onnx_call *c, int64_t axis, uint32_t n,
                              const tn_node *const *items) {
  tn_onnx_build b = tn_onnx_begin(c, "concat");
  tn_onnx_set_int(&b, "axis", axis);
  return tn_onnx_end1(&b, tn_onnx_tuple(c, n, items));
}

/* An extent that is no number counts in a sum of ones. */
const tn_node *tn_onnx_counted(tn_onnx_call *c, const tn_node *extent) {
  if (c->st != NULL || extent == NULL) {
    return NULL;
  }
  if (extent->op == TN_OP_INT) {
    tn_onnx_build b = tn_onnx_begin(c, "arange");
    tn_onnx_set_float(&b, "start", (double)extent->attr.i64);
    tn_onnx_set_dtype(&b, "dtype", TN_DT_I64);
    return tn_onnx_end(&b, 0, NULL);
  }
  const tn_node *ones =
      tn_onnx_broadcast(c, tn_onnx_scalar(c, TN_DT_I64, 1), tn_list(c->ir, 1, &extent));
  tn_onnx_build b = tn_onnx_begin(c, "cumsum");
  tn_onnx_set_int(&b, "axis", 0);
  tn_onnx_set_bool(&b, "exclusive", true);
  return tn_onnx_end1(&b, ones);
}

const tn_node *tn_onnx_stand(tn_onnx_call *c, const tn_node *x, int32_t ndim, int32_t axis) {
  const tn_node *own = tn_onnx_dims(c, x);
  const tn_node *dims[TN_MAX_NDIM];
  if (own == NULL || own->n_in != 1 || ndim > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected a vector");
    return NULL;
  }
  for (int32_t i = 0; i < ndim; ++i) {
    dims[i] = i == axis ? own->in[0] : tn_onnx_i64(c, 1);
  }
  return tn_onnx_reshape(c, x, tn_list(c->ir, (uint32_t)ndim, dims));
}

const tn_node *tn_onnx_random(tn_onnx_call *c, const tn_node *x, int64_t which) {
  const tn_onnx_attr *given = tn_onnx_attr_find(c, "seed");
  tn_onnx_bytes name = c->node->outputs.len > 0 ? c->node->outputs.data[0] : (tn_onnx_bytes){0};
  uint64_t seed = tn_hash_bytes(0, name.data, name.len);
  if (given != NULL) { /* some operators have a float there, others an integer */
    uint32_t bits = 0;
    memcpy(&bits, &given->f, sizeof bits);
    seed = given->has_i ? (uint64_t)given->i : bits;
  }
  tn_onnx_build b = tn_onnx_begin(c, "random_uniform_like");
  tn_onnx_set_int(&b, "seed", (int64_t)((seed * 31 + (uint64_t)which) & INT64_MAX));
  return tn_onnx_end1(&b, x);
}
