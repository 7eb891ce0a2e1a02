/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Values of ONNX models whose inputs are all constants: the importer computes them, small as they
 * are, by the operators' references. What compiled code makes of them is tested elsewhere.
 *
 *   onnx_model m = values_model("com.microsoft", 1);
 *   put_f32(&m, "x", 2, DIMS(2, 3), values);
 *   onnx_node(&m, "Gelu", "x", "y", NULL);
 *   expect_f32(&m, "y", 2, DIMS(2, 3), expected, 1e-6); */
#ifndef TN_TESTS_ONNX_VALUES_H
#define TN_TESTS_ONNX_VALUES_H

#include <math.h>

#include "front/front.h"
#include "graph/graph.h"
#include "onnx_writer.h"
#include "tn_test.h"

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

/* Numbers of the specification. */
enum { ONNX_F32 = 1, ONNX_U8 = 2, ONNX_I8 = 3, ONNX_I32 = 6, ONNX_I64 = 7, ONNX_F64 = 11 };

static inline onnx_model values_model(const char *domain, int64_t version) {
  onnx_model m = onnx_model_make(21);
  m.domain = domain;
  m.domain_version = version;
  return m;
}

static inline int64_t count_of(int32_t ndim, const int64_t *dims) {
  int64_t n = 1;
  for (int32_t i = 0; i < ndim; ++i) {
    n *= dims[i];
  }
  return n;
}

static inline void put_bytes(onnx_model *m, const char *name, int64_t type, int32_t ndim,
                             const int64_t *dims, const void *bytes, size_t n_bytes) {
  tn_buf tensor = onnx_tensor(name, type, ndim, dims, bytes, n_bytes);
  wire_message(&m->graph, 5, &tensor);
}
static inline void put_f32(onnx_model *m, const char *name, int32_t ndim, const int64_t *dims,
                           const float *values) {
  put_bytes(m, name, ONNX_F32, ndim, dims, values, 4 * (size_t)count_of(ndim, dims));
}
static inline void put_u8(onnx_model *m, const char *name, int32_t ndim, const int64_t *dims,
                          const uint8_t *values) {
  put_bytes(m, name, ONNX_U8, ndim, dims, values, (size_t)count_of(ndim, dims));
}
static inline void put_i32(onnx_model *m, const char *name, int32_t ndim, const int64_t *dims,
                           const int32_t *values) {
  put_bytes(m, name, ONNX_I32, ndim, dims, values, 4 * (size_t)count_of(ndim, dims));
}
static inline void put_i64(onnx_model *m, const char *name, int32_t ndim, const int64_t *dims,
                           const int64_t *values) {
  put_bytes(m, name, ONNX_I64, ndim, dims, values, 8 * (size_t)count_of(ndim, dims));
}

/// Values of [-1, 1) that follow from `seed`.
static inline void draw(float *values, int64_t n, uint64_t seed) {
  tn_rng rng = tn_rng_make(seed);
  for (int64_t i = 0; i < n; ++i) {
    values[i] = (float)(tn_rng_unit(&rng) * 2 - 1);
  }
}

/// The value of output `name`, of the model alone (which is emptied): out's caller frees it.
static inline tn_status value_of(onnx_model *m, const char *name, tn_array *out) {
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  onnx_output(m, name);
  tn_buf bytes = onnx_bytes(m);
  tn_module_init(&module, ir, "Module");
  tn_status st = tn_onnx_import_bytes((const uint8_t *)bytes.data, bytes.len, NULL, NULL, &module);
  if (st == NULL) {
    const tn_node *body = tn_module_find(&module, "main")->in[TN_GFUNC_BODY];
    const tn_node *last = body->op == TN_OP_RETURN ? body : body->in[body->n_in - 1];
    const tn_node *value = last->in[0];
    assert_int_equal(value->op, TN_OP_CONST);
    st = tn_array_init_copy(out, value->attr.array);
  }
  tn_buf_deinit(&bytes);
  tn_module_deinit(&module);
  tn_ir_free(ir);
  return st;
}

/// Numbers of any type against doubles; a NaN is expected where one stands.
static inline void expect_values(onnx_model *m, const char *name, tn_dtype dtype, int32_t ndim,
                                 const int64_t *dims, const double *want, double tolerance) {
  tn_array got = {0};
  expect_ok(value_of(m, name, &got));
  assert_int_equal(got.dtype, dtype);
  assert_int_equal(got.ndim, ndim);
  for (int32_t i = 0; i < ndim; ++i) {
    assert_int_equal(got.shape[i], dims[i]);
  }
  for (int64_t i = 0; i < tn_array_n_elems(&got); ++i) {
    double value = tn_array_get_f64(&got, i);
    bool is_right = isnan(want[i])   ? isnan(value)
                    : isinf(want[i]) ? value == want[i]
                                     : fabs(value - want[i]) <= tolerance * (1 + fabs(want[i]));
    if (!is_right) {
      fail_msg("element %lld is %.9g, expected %.9g", (long long)i, value, want[i]);
    }
  }
  tn_array_deinit(&got);
}

static inline void expect_refused(onnx_model *m, const char *name, tn_code code, const char *part) {
  tn_array got = {0};
  expect_error(value_of(m, name, &got), code, part);
}

#endif
