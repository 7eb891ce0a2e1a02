/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What prepares features and labels (ai.onnx.ml): scaling, missing values, encodings by tables. Only
 * numbers are encoded: texts are no elements of tensors here. A ZipMap gives the scores themselves,
 * a column for each key in the keys' order: there are no maps either. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/ml.h"
#include "front/onnx/rules.h"

static const tn_node *to_float(tn_onnx_call *c, const tn_node *x) {
  return tn_onnx_type_of(c, x) == TN_DT_F64 ? x : tn_onnx_cast(c, x, TN_DT_F32);
}

/* ---- numbers ---- */

/* (x - offset) * scale: one number, or one for each feature. */
void tn_onnx_rule_scaler(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  tn_dtype in = type == TN_DT_F32 ? TN_DT_F32 : TN_DT_F64;
  tn_onnx_f64s offset = tn_onnx_attr_numbers(c, "offset");
  tn_onnx_f64s scale = tn_onnx_attr_numbers(c, "scale");
  x = tn_onnx_cast(c, x, in);
  if (offset.len > 0) {
    x = tn_onnx_op2(c, "subtract", x, tn_onnx_numbers_vector(c, in, offset));
  }
  if (scale.len > 0) {
    x = tn_onnx_op2(c, "multiply", x, tn_onnx_numbers_vector(c, in, scale));
  }
  tn_onnx_give(c, 0, tn_onnx_cast(c, x, TN_DT_F32));
}

/* Each row by its largest element, the sum of the sizes, or the root of the sum of squares; where that
 * is 0 the row stays. */
void tn_onnx_rule_normalizer(tn_onnx_call *c) {
  const char *norm = tn_onnx_attr_text(c, "norm", "MAX");
  const tn_node *x = tn_onnx_in(c, 0);
  const int64_t last = (int64_t)tn_onnx_ndim(c, x) - 1;
  const tn_node *by = NULL;
  x = tn_onnx_type_of(c, x) == TN_DT_F32 ? x : tn_onnx_cast(c, x, TN_DT_F64);
  if (c->st == NULL && last < 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "a scalar has no rows");
    return;
  }
  if (strcmp(norm, "MAX") == 0) {
    by = tn_onnx_reduce(c, "max", x, 1, &last, true);
  } else if (strcmp(norm, "L1") == 0) {
    by = tn_onnx_reduce(c, "sum", tn_onnx_op1(c, "abs", x), 1, &last, true);
  } else if (strcmp(norm, "L2") == 0) {
    by = tn_onnx_reduce(c, "sum", tn_onnx_op2(c, "multiply", x, x), 1, &last, true);
    by = tn_onnx_op1(c, "sqrt", by);
  } else {
    TN_ONNX_FAIL(c, TN_INVALID, "norm '%s', expected MAX, L1 or L2", norm);
    return;
  }
  const tn_node *is_zero = tn_onnx_op2(c, "equal", by, tn_onnx_scalar_like(c, x, 0));
  by = tn_onnx_op3(c, "where", is_zero, tn_onnx_scalar_like(c, x, 1), by);
  tn_onnx_give(c, 0, tn_onnx_cast(c, tn_onnx_op2(c, "divide", x, by), TN_DT_F32));
}

/* What equals replaced_value (which may be NaN) becomes imputed_values: one, or one a feature. */
void tn_onnx_rule_imputer(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *is_missing = NULL;
  const tn_node *values = NULL;
  if (tn_dtype_is_float(type)) {
    double missing = tn_onnx_attr_float(c, "replaced_value_float", 0);
    is_missing = isnan(missing) ? tn_onnx_op1(c, "isnan", x)
                                : tn_onnx_op2(c, "equal", x, tn_onnx_scalar(c, type, missing));
    values = tn_onnx_numbers_vector(c, type, tn_onnx_attr_numbers(c, "imputed_value_floats"));
  } else {
    tn_onnx_i64s missing = {(int64_t[]){tn_onnx_attr_int(c, "replaced_value_int64", 0)}, 1};
    is_missing = tn_onnx_op2(c, "equal", x, tn_onnx_cast(c, tn_onnx_vector(c, missing), type));
    values = tn_onnx_attr_ints(c, "imputed_value_int64s").data == NULL
                 ? NULL
                 : tn_onnx_vector(c, tn_onnx_attr_ints(c, "imputed_value_int64s"));
    values = values == NULL ? NULL : tn_onnx_cast(c, values, type);
  }
  const tn_node *own = values == NULL ? NULL : tn_onnx_dims(c, values);
  if (own == NULL || tn_is_int(own->in[0], 0)) {
    TN_ONNX_FAIL(c, TN_INVALID, "no values to impute for elements of this type");
    return;
  }
  tn_onnx_give(c, 0, tn_onnx_op3(c, "where", is_missing, values, x));
}

void tn_onnx_rule_binarizer(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  const tn_node *as_float = tn_dtype_is_float(type) ? x : tn_onnx_cast(c, x, TN_DT_F64);
  const tn_node *is_above =
      tn_onnx_op2(c, "greater", as_float,
                  tn_onnx_scalar_like(c, as_float, tn_onnx_attr_float(c, "threshold", 0)));
  tn_onnx_give(c, 0, tn_onnx_cast(c, is_above, type));
}

/* ---- columns ---- */

/* The columns (elements of the last dimension) that the indices name; of a vector one row. */
void tn_onnx_rule_array_feature_extractor(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *at = tn_onnx_in(c, 1);
  const tn_node *flat = tn_int(c->ir, TN_DT_I64, -1);
  const tn_node *dims = tn_onnx_dims(c, x);
  if (dims == NULL || dims->n_in == 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "a scalar has no features");
    return;
  }
  at = tn_onnx_reshape(c, at, tn_list(c->ir, 1, &flat));
  if (dims->n_in == 1) {
    const tn_node *row[] = {tn_int(c->ir, TN_DT_I64, 1), dims->in[0]};
    x = tn_onnx_reshape(c, x, tn_list(c->ir, 2, row));
  }
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", dims->n_in == 1 ? 1 : (int64_t)dims->n_in - 1);
  tn_onnx_give(c, 0, tn_onnx_end2(&b, x, at));
}

/* All inputs side by side; inputdimensions says how many columns each has: fewer are filled with
 * zeros, more are cut off. */
void tn_onnx_rule_feature_vectorizer(tn_onnx_call *c) {
  tn_onnx_i64s wanted = tn_onnx_attr_ints(c, "inputdimensions");
  const tn_node **parts = TN_ARENA_ARRAY(c->imp->arena, const tn_node *, c->n_in + 1);
  if (c->n_in == 0 || (wanted.data != NULL && wanted.len != c->n_in)) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu inputdimensions for %u inputs", wanted.len, c->n_in);
    return;
  }
  for (uint32_t i = 0; i < c->n_in; ++i) {
    const tn_node *x = to_float(c, tn_onnx_in(c, i));
    const tn_node *dims = tn_onnx_dims(c, x);
    if (dims == NULL || dims->n_in < 1 || dims->n_in > 2) {
      TN_ONNX_FAIL(c, TN_INVALID, "input %u is neither a vector nor a matrix", i);
      return;
    }
    if (dims->n_in == 1) {
      const tn_node *row[] = {tn_int(c->ir, TN_DT_I64, 1), dims->in[0]};
      x = tn_onnx_reshape(c, x, tn_list(c->ir, 2, row));
      dims = tn_onnx_dims(c, x);
    }
    int64_t has = dims == NULL || dims->in[1]->op != TN_OP_INT ? -1 : dims->in[1]->attr.i64;
    int64_t want = wanted.data == NULL ? has : wanted.data[i];
    if (has >= 0 && want >= 0 && want < has) {
      x = tn_onnx_part(c, x, 1, 0, want);
    } else if (has >= 0 && want > has && want <= INT32_MAX) {
      const int64_t widths[] = {0, 0, 0, want - has};
      tn_onnx_build pad = tn_onnx_begin(c, "nn.pad");
      tn_onnx_set_ints(&pad, "pad_width", 4, widths);
      x = tn_onnx_end1(&pad, x);
    }
    parts[i] = tn_onnx_cast(c, x, TN_DT_F32);
  }
  tn_onnx_build b = tn_onnx_begin(c, "concat");
  tn_onnx_set_int(&b, "axis", 1);
  tn_onnx_give(c, 0, tn_onnx_end1(&b, tn_onnx_tuple(c, c->n_in, parts)));
}

void tn_onnx_rule_zip_map(tn_onnx_call *c) { tn_onnx_give(c, 0, tn_onnx_in(c, 0)); }

/* ---- tables ---- */

/* x against each of the keys, along a new last dimension: bool. */
static const tn_node *matches(tn_onnx_call *c, const tn_node *x, const tn_node *keys) {
  tn_onnx_build b = tn_onnx_begin(c, "expand_dims");
  const int64_t last = -1;
  tn_onnx_set_ints(&b, "axis", 1, &last);
  return tn_onnx_op2(c, "equal", tn_onnx_end1(&b, x), keys);
}

/* 1 where the element is the category: a new last dimension. zeros = 0 refuses others, which is told
 * only when it runs in ONNX Runtime; here such an element gets zeros too. */
void tn_onnx_rule_one_hot_encoder(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_i64s keys = tn_onnx_attr_ints(c, "cats_int64s");
  if (keys.len == 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "categories that are texts");
    return;
  }
  if (tn_onnx_attr_int(c, "zeros", 1) == 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "zeros 0: an unknown category would have to end the run");
  }
  x = tn_onnx_cast(c, x, TN_DT_I64);
  tn_onnx_give(c, 0, tn_onnx_cast(c, matches(c, x, tn_onnx_vector(c, keys)), TN_DT_F32));
}

typedef struct table {
  const tn_node *keys; /* a vector */
  const tn_node *values;
  const tn_node *otherwise; /* a scalar of the values' type */
} table;

/* The attribute of the first of these kinds that is there, as a constant vector. */
static const tn_node *vector_attr(tn_onnx_call *c, const char *what, bool is_key) {
  char name[32];
  const tn_onnx_attr *attr = NULL;
  (void)snprintf(name, sizeof name, "%s_int64s", what);
  if (tn_onnx_attr_find(c, name) != NULL) {
    return tn_onnx_vector(c, tn_onnx_attr_ints(c, name));
  }
  (void)snprintf(name, sizeof name, "%s_floats", what);
  if (tn_onnx_attr_find(c, name) != NULL) {
    return tn_onnx_numbers_vector(c, TN_DT_F32, tn_onnx_attr_numbers(c, name));
  }
  (void)snprintf(name, sizeof name, "%s_tensor", what);
  if ((attr = tn_onnx_attr_find(c, name)) != NULL && attr->t != NULL) {
    tn_array array = {0};
    tn_onnx_fail(c, tn_onnx_tensor_to_array(attr->t, c->imp->folder, &array));
    return tn_onnx_const(c, &array);
  }
  TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s that are texts", is_key ? "keys" : "values");
  return NULL;
}

static const tn_node *default_value(tn_onnx_call *c, tn_dtype type) {
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, "default_tensor");
  if (attr != NULL && attr->t != NULL) {
    tn_array array = {0};
    tn_onnx_fail(c, tn_onnx_tensor_to_array(attr->t, c->imp->folder, &array));
    const tn_node *value = tn_onnx_const(c, &array);
    return tn_onnx_cast(c, tn_onnx_reshape(c, value, tn_list(c->ir, 0, NULL)), type);
  }
  if (tn_dtype_is_float(type)) {
    return tn_onnx_scalar(c, type, tn_onnx_attr_float(c, "default_float", -0.0));
  }
  return tn_onnx_scalar(c, type, (double)tn_onnx_attr_int(c, "default_int64", -1));
}

static const tn_node *reversed(tn_onnx_call *c, const tn_node *x) {
  tn_onnx_build b = tn_onnx_begin(c, "flip");
  tn_onnx_set_int(&b, "axis", 0);
  return tn_onnx_end1(&b, x);
}

/* Keys equal themselves, NaN too. What is no key gets the default. */
void tn_onnx_rule_label_encoder(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_dtype type = tn_onnx_type_of(c, x);
  if (tn_onnx_attr_find(c, "classes_strings") != NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "keys or values that are texts");
    return;
  }
  /* the last of equal keys counts, and argmax finds the first */
  table t = {.keys = reversed(c, tn_onnx_cast(c, vector_attr(c, "keys", true), type)),
             .values = reversed(c, vector_attr(c, "values", false))};
  t.otherwise = default_value(c, tn_onnx_type_of(c, t.values));
  const tn_node *dims = tn_onnx_dims(c, t.keys);
  if (c->st != NULL || tn_is_int(dims->in[0], 0)) {
    TN_ONNX_FAIL(c, TN_INVALID, "a table without keys");
    return;
  }
  const tn_node *hit = matches(c, x, t.keys);
  if (tn_dtype_is_float(type)) {
    tn_onnx_build b = tn_onnx_begin(c, "expand_dims");
    const int64_t last = -1;
    tn_onnx_set_ints(&b, "axis", 1, &last);
    const tn_node *is_nan = tn_onnx_op1(c, "isnan", tn_onnx_end1(&b, x));
    hit = tn_onnx_op2(c, "logical_or", hit,
                      tn_onnx_op2(c, "logical_and", is_nan, tn_onnx_op1(c, "isnan", t.keys)));
  }
  hit = tn_onnx_cast(c, hit, TN_DT_I32);
  const int64_t last = (int64_t)tn_onnx_ndim(c, hit) - 1;
  tn_onnx_build b = tn_onnx_begin(c, "argmax");
  tn_onnx_set_int(&b, "axis", -1);
  const tn_node *at = tn_onnx_end1(&b, hit);
  const tn_node *is_found = tn_onnx_cast(
      c, c->st != NULL ? NULL : tn_onnx_reduce(c, "max", hit, 1, &last, false), TN_DT_BOOL);
  b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", 0);
  const tn_node *y = tn_onnx_end2(&b, t.values, at);
  tn_onnx_give(c, 0, tn_onnx_op3(c, "where", is_found, y, t.otherwise));
}
