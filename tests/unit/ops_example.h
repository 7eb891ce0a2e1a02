/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Examples of operators as tests use them: a call and its arguments' values from the short text of
 * tn_op_case. */
#ifndef TN_TESTS_OPS_EXAMPLE_H
#define TN_TESTS_OPS_EXAMPLE_H

#include "tn_test.h"

#include <math.h>

#include "ops/ops.h"
#include "tir/tir.h"

/* "f32" -> float32 */
static inline tn_dtype dtype_of(const char *text, size_t len) {
  static const struct {
    const char *name;
    tn_dtype dtype;
  } rows[] = {{"f16", TN_DT_F16}, {"f32", TN_DT_F32},   {"f64", TN_DT_F64},   {"i8", TN_DT_I8},
              {"i16", TN_DT_I16}, {"i32", TN_DT_I32},   {"i64", TN_DT_I64},   {"u8", TN_DT_U8},
              {"u16", TN_DT_U16}, {"bool", TN_DT_BOOL}, {"bf16", TN_DT_BF16}, {"u32", TN_DT_U32},
              {"u64", TN_DT_U64}};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    if (strlen(rows[i].name) == len && strncmp(rows[i].name, text, len) == 0) {
      return rows[i].dtype;
    }
  }
  fail_msg("no type in '%s'", text);
  return TN_DT_NONE;
}

/* Reads "f32[2,3]" or "shape[2,3]" and moves on. */
static inline const char *read_type(tn_ir *ir, const char *p, const tn_node **out) {
  const tn_node *dims[TN_MAX_NDIM] = {NULL};
  uint32_t n = 0;
  size_t len = strcspn(p, "[");
  bool is_shape = strncmp(p, "shape", len) == 0;
  tn_dtype dtype = is_shape ? TN_DT_NONE : dtype_of(p, len);
  p += len + 1;
  while (*p != ']') {
    char *end = NULL;
    dims[n++] = tn_int(ir, TN_DT_I64, strtoll(p, &end, 10));
    p = *end == ',' ? end + 1 : end;
  }
  const tn_node *list = tn_list(ir, n, dims);
  *out = is_shape ? tn_ty_shape(ir, n, list) : tn_ty_tensor(ir, dtype, n, list);
  return p + 1;
}

enum { MAX_ITEMS = 16 };

/* Reads a type, or "(f32[2] f32[3])", a tuple of them, and moves on. */
static inline const char *read_types(tn_ir *ir, const char *p, const tn_node **out) {
  const tn_node *items[MAX_ITEMS];
  uint32_t n = 0;
  if (*p != '(') {
    return read_type(ir, p, out);
  }
  for (++p; *p != ')'; p += *p == ' ' ? 1 : 0) {
    p = read_type(ir, p, &items[n++]);
  }
  *out = tn_ty_tuple(ir, n, items);
  return p + 1;
}

/* "axis=[0,1]", "axis=-1", "dtype=i32", "layout=NHWC" */
static inline const tn_node *read_field(tn_ir *ir, tn_field_kind kind, const char *at) {
  const tn_node *items[MAX_ITEMS];
  uint32_t n = 0;
  size_t len = strcspn(at, " ");
  switch (kind) {
    case TN_FIELD_DTYPE:
      return tn_node_new(ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype_of(at, len)}, 0, NULL);
    case TN_FIELD_STR:
      return tn_str(ir, tn_ir_text_n(ir, at, len));
    case TN_FIELD_FLOAT:
      return tn_float(ir, TN_DT_F64, strtod(at, NULL));
    case TN_FIELD_BOOL:
      return tn_bool(ir, *at == '1');
    case TN_FIELD_INTS:
    case TN_FIELD_INT_OR_INTS:
      if (*at == '[') {
        for (++at; *at != ']';) {
          char *end = NULL;
          items[n++] = tn_int(ir, TN_DT_I64, strtoll(at, &end, 10));
          at = *end == ',' ? end + 1 : end;
        }
        return tn_list(ir, n, items);
      }
      break;
    case TN_FIELD_INT:
    case TN_FIELD_DICT:
      break;
  }
  return tn_int(ir, TN_DT_I64, strtoll(at, NULL, 10));
}

static inline const tn_node *read_fields(tn_ir *ir, const tn_op_def *op, const char *text) {
  const tn_node *fields[MAX_ITEMS];
  for (int32_t i = 0; i < op->n_fields; ++i) {
    fields[i] = tn_none(ir);
  }
  while (*text != '\0') {
    size_t len = strcspn(text, "=");
    int32_t at = -1;
    for (int32_t i = 0; i < op->n_fields; ++i) {
      at =
          strlen(op->fields[i].name) == len && strncmp(op->fields[i].name, text, len) == 0 ? i : at;
    }
    expect_true(at >= 0, "%s has no field '%s'", op->def.name, text);
    fields[at] = read_field(ir, op->fields[at].kind, text + len + 1);
    text += strcspn(text, " ");
    text += *text == ' ' ? 1 : 0;
  }
  return tn_list(ir, (uint32_t)op->n_fields, fields);
}

typedef struct example {
  tn_ir *ir;
  const tn_node *call;
  uint32_t n_arrays;
  tn_array arrays[MAX_ITEMS];
  bool is_shape[MAX_ITEMS];
} example;

/* Values for which the operator is defined. */
static inline void fill(tn_array *array, const tn_op_case *c, uint32_t i, tn_rng *rng) {
  static const char *const positive[] = {"log", "sqrt", "rsqrt", "acosh"};
  tn_array_fill_random(array, rng);
  int64_t n = tn_array_n_elems(array);
  bool wants_positive =
      (i == 1 && (strstr(c->op, "divide") != NULL || strstr(c->op, "mod") != NULL)) ||
      (i == 4 && strcmp(c->op, "nn.batch_norm") == 0);
  for (size_t k = 0; k < TN_N_ROWS(positive); ++k) {
    wants_positive = wants_positive || strcmp(c->op, positive[k]) == 0;
  }
  for (int64_t e = 0; e < n && wants_positive; ++e) {
    tn_array_set_f64(array, e, fabs(tn_array_get_f64(array, e)) + 1);
  }
}

/* The argument of that type: a variable, and its value among the arrays, or a shape. */
static inline const tn_node *add_arg(example *x, const tn_op_case *c, const tn_node *type,
                                     tn_rng *rng) {
  int64_t shape[TN_MAX_NDIM];
  const tn_node *items[MAX_ITEMS];
  if (type->op == TN_OP_TY_TUPLE) {
    for (uint32_t i = 0; i < type->n_in; ++i) {
      items[i] = add_arg(x, c, type->in[i], rng);
    }
    return tn_node_new(x->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, type->n_in, items);
  }
  bool is_shape = type->op == TN_OP_TY_SHAPE;
  const tn_node *dims = is_shape ? type->in[0] : type->in[TN_TY_TENSOR_SHAPE];
  for (uint32_t d = 0; d < dims->n_in; ++d) {
    shape[d] = dims->in[d]->attr.i64;
  }
  tn_array *array = &x->arrays[x->n_arrays];
  x->is_shape[x->n_arrays] = is_shape;
  if (is_shape) {
    int64_t n = dims->n_in;
    expect_ok(tn_array_init(array, TN_DT_I64, 1, &n));
    for (int64_t d = 0; d < n; ++d) {
      tn_array_set_i64(array, d, shape[d]);
    }
    ++x->n_arrays;
    return tn_node_new(x->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, dims->n_in, dims->in);
  }
  expect_ok(tn_array_init(array, type->dtype, (int32_t)dims->n_in, shape));
  fill(array, c, x->n_arrays, rng);
  ++x->n_arrays;
  return tn_node_new(x->ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = tn_ir_text(x->ir, "x")}, 1,
                     &type);
}

/// ir: of the caller, who frees it after the example.
static inline void example_init(example *x, tn_ir *ir, const tn_op_case *c, tn_rng *rng) {
  *x = (example){.ir = ir};
  const tn_op_def *op = tn_op_table_find(tn_ops_table(), c->op);
  const tn_node *args[MAX_ITEMS];
  uint32_t n = 0;
  assert_non_null(op);
  for (const char *p = c->args; *p != '\0'; p += *p == ' ' ? 1 : 0) {
    const tn_node *type = NULL;
    p = read_types(x->ir, p, &type);
    args[n++] = add_arg(x, c, type, rng);
  }
  x->call = tn_call_new(x->ir, op, n, args, read_fields(x->ir, op, c->fields), NULL);
}

static inline void example_deinit(example *x) {
  for (uint32_t i = 0; i < x->n_arrays; ++i) {
    tn_array_deinit(&x->arrays[i]);
  }
}

/// False and a line where they differ.
static inline bool is_close(const tn_array *want, const tn_array *got, const char *what) {
  double tolerance = want->dtype == TN_DT_F64    ? 1e-12
                     : want->dtype == TN_DT_F16  ? 2e-3
                     : want->dtype == TN_DT_BF16 ? 2e-2
                                                 : 1e-5;
  for (int64_t i = 0; i < tn_array_n_elems(want); ++i) {
    double a = tn_array_get_f64(want, i);
    double b = tn_array_get_f64(got, i);
    bool is_near = a == b || (isnan(a) && isnan(b)) ||
                   (tn_dtype_is_float(want->dtype) && fabs(a - b) <= tolerance * (1 + fabs(a)));
    if (!is_near) {
      print_error("%s: element %d: reference %g, loops %g\n", what, (int)i, a, b);
      return false;
    }
  }
  return true;
}

static inline void expect_close(const tn_array *want, const tn_array *got, const char *what) {
  assert_true(is_close(want, got, what));
}

#endif
