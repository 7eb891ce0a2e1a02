/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* reshape and its kind (the same bytes), full and zeros, permute_dims (by rows of the result), and + - * / of
 * float32 with broadcast, which float64 and one rounding give the same bits for. A hundred million
 * weights take a fraction of a second this way. */
#include "ops/rules/fold_quick.h"

#include <string.h>

#include "base/dtype.h"

static bool is_named(const tn_node *call, const char *name) {
  return strcmp(call->attr.def->name, name) == 0;
}

static bool make_out(const tn_node *type, tn_array *out) {
  const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
  int64_t shape[TN_MAX_NDIM];
  for (uint32_t d = 0; d < dims->n_in; ++d) {
    shape[d] = dims->in[d]->attr.i64;
  }
  tn_status st = tn_array_init(out, type->dtype, (int32_t)dims->n_in, shape);
  bool is_ok = st == NULL;
  tn_status_free(st);
  return is_ok;
}

/* The constant's elements under another shape. */
static bool look(const tn_node *type, const tn_array *x, tn_array *out) {
  const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
  *out = *x;
  out->is_view = true;
  out->ndim = (int32_t)dims->n_in;
  for (uint32_t d = 0; d < dims->n_in; ++d) {
    out->shape[d] = dims->in[d]->attr.i64;
  }
  return true;
}

/* full: the value again and again; zeros: memory is that already. */
static bool repeat(const tn_node *call, const tn_node *type, const tn_array *const *args,
                   tn_array *out) {
  bool is_full = is_named(call, "full");
  if (tn_dtype_is_packed(type->dtype) || (is_full && args[1]->dtype != type->dtype) ||
      !make_out(type, out)) {
    return false;
  }
  size_t size = tn_dtype_bytes(type->dtype);
  size_t n_bytes = tn_array_n_bytes(out);
  uint8_t *to = out->data;
  for (size_t i = 0; is_full && i < n_bytes; i += size) {
    memcpy(to + i, args[1]->data, size);
  }
  return true;
}

/* ---- walking two layouts ---- */

/* Elements from one of a dimension to the next, row-major. */
static void strides_of(const tn_array *x, int64_t *out) {
  int64_t step = 1;
  for (int32_t d = x->ndim; d-- > 0;) {
    out[d] = step;
    step *= x->shape[d];
  }
}

/* Places of rows: everything but the last dimension of `shape`, counted up like an odometer. */
typedef struct rows {
  int32_t ndim;
  const int64_t *shape;
  int64_t at[TN_MAX_NDIM];
  const int64_t *strides[2];
  int64_t place[2];
} rows;

static void next_row(rows *w) {
  for (int32_t d = w->ndim - 1; d-- > 0;) {
    bool is_end = ++w->at[d] == w->shape[d];
    for (int k = 0; k < 2; ++k) {
      w->place[k] += is_end ? -w->strides[k][d] * (w->shape[d] - 1) : w->strides[k][d];
    }
    if (!is_end) {
      return;
    }
    w->at[d] = 0;
  }
}

/* ---- permute_dims ---- */

static void copy_row(const uint8_t *from, int64_t step, uint8_t *to, int64_t n, size_t size) {
  if (size == 4) {
    for (int64_t i = 0; i < n; ++i) {
      memcpy(to + 4 * i, from + 4 * i * step, 4);
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    memcpy(to + (int64_t)size * i, from + (int64_t)size * i * step, size);
  }
}

static bool permute(const tn_node *call, const tn_node *type, const tn_array *x, tn_array *out) {
  const tn_node *axes = tn_call_field(call, 0);
  int64_t from[TN_MAX_NDIM];
  int64_t step[TN_MAX_NDIM];
  size_t size = tn_dtype_bytes(x->dtype);
  if (tn_dtype_is_packed(x->dtype) || x->ndim < 2 || tn_array_n_elems(x) == 0 ||
      !make_out(type, out)) {
    return false;
  }
  strides_of(x, from);
  for (int32_t d = 0; d < x->ndim; ++d) {
    int64_t axis = axes == NULL ? x->ndim - 1 - d : axes->in[d]->attr.i64;
    step[d] = from[axis < 0 ? axis + x->ndim : axis];
  }
  rows w = {.ndim = x->ndim, .shape = out->shape, .strides = {step, step}};
  int64_t n_row = out->shape[x->ndim - 1];
  int64_t n_rows = tn_array_n_elems(x) / n_row;
  uint8_t *to = out->data;
  for (int64_t i = 0; i < n_rows; ++i) {
    copy_row((const uint8_t *)x->data + w.place[0] * (int64_t)size, step[x->ndim - 1], to, n_row,
             size);
    to += n_row * (int64_t)size;
    next_row(&w);
  }
  return true;
}

/* ---- + - * / ---- */

typedef enum arithmetic { ADD, SUBTRACT, MULTIPLY, DIVIDE } arithmetic;

static void compute_row(arithmetic what, const float *a, int64_t step_a, const float *b,
                        int64_t step_b, float *to, int64_t n) {
  switch (what) {
    case ADD:
      for (int64_t i = 0; i < n; ++i) {
        to[i] = a[i * step_a] + b[i * step_b];
      }
      return;
    case SUBTRACT:
      for (int64_t i = 0; i < n; ++i) {
        to[i] = a[i * step_a] - b[i * step_b];
      }
      return;
    case MULTIPLY:
      for (int64_t i = 0; i < n; ++i) {
        to[i] = a[i * step_a] * b[i * step_b];
      }
      return;
    case DIVIDE:
      for (int64_t i = 0; i < n; ++i) {
        to[i] = a[i * step_a] / b[i * step_b];
      }
      return;
  }
}

/* Strides over the result's dimensions; 0 where the operand is repeated. */
static void broadcast_strides(const tn_array *x, int32_t ndim, int64_t *out) {
  int64_t own[TN_MAX_NDIM];
  strides_of(x, own);
  for (int32_t d = 0; d < ndim; ++d) {
    int32_t from = d - (ndim - x->ndim);
    out[d] = from < 0 || x->shape[from] == 1 ? 0 : own[from];
  }
}

static bool combine(arithmetic what, const tn_node *type, const tn_array *const *args,
                    tn_array *out) {
  int64_t a[TN_MAX_NDIM];
  int64_t b[TN_MAX_NDIM];
  bool is_float = args[0]->dtype == TN_DT_F32 && args[1]->dtype == TN_DT_F32;
  if (!is_float || type->attr.i64 < 1 || !make_out(type, out)) {
    return false;
  }
  int32_t ndim = out->ndim;
  int64_t n_row = out->shape[ndim - 1];
  int64_t n_rows = n_row == 0 ? 0 : tn_array_n_elems(out) / n_row;
  broadcast_strides(args[0], ndim, a);
  broadcast_strides(args[1], ndim, b);
  rows w = {.ndim = ndim, .shape = out->shape, .strides = {a, b}};
  float *to = out->data;
  for (int64_t i = 0; i < n_rows; ++i) {
    compute_row(what, (const float *)args[0]->data + w.place[0], a[ndim - 1],
                (const float *)args[1]->data + w.place[1], b[ndim - 1], to, n_row);
    to += n_row;
    next_row(&w);
  }
  return true;
}

bool tn_fold_quickly(const tn_node *call, const tn_node *type, const tn_array *const *args,
                     tn_array *out) {
  static const char *const names[] = {"add", "subtract", "multiply", "divide"};
  if (is_named(call, "reshape") || is_named(call, "flatten") || is_named(call, "squeeze") ||
      is_named(call, "expand_dims")) {
    return look(type, args[0], out);
  }
  if (is_named(call, "full") || is_named(call, "zeros")) {
    return repeat(call, type, args, out);
  }
  if (is_named(call, "permute_dims")) {
    return permute(call, type, args[0], out);
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (is_named(call, names[i])) {
      return combine((arithmetic)i, type, args, out);
    }
  }
  return false;
}
