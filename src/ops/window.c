/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Layouts and sliding windows; see window.h. Numbers are kept below 2^31, so that nothing made of
 * them overflows. */
#include "ops/window.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_STEP = INT32_MAX };

/* ---- layouts ---- */

tn_status tn_layout_read(const char *text, const char *letters, int32_t n_spatial, tn_layout *out) {
  static const char spatial[] = "DHW";
  char order[2 + TN_MAX_SPATIAL + 1] = {letters[0], letters[1]};
  (void)strcpy(order + 2, spatial + TN_MAX_SPATIAL - n_spatial);
  const char *given = *text == '\0' ? order : text;
  tn_layout layout = {.n_spatial = n_spatial};
  bool is_known = strlen(given) == strlen(order);
  for (int32_t i = 0; is_known && order[i] != '\0'; ++i) {
    const char *at = strchr(given, order[i]);
    is_known = at != NULL;
    layout.at[i] = at == NULL ? 0 : (int32_t)(at - given);
  }
  if (!is_known) {
    return TN_ERR(TN_UNSUPPORTED, "layout '%s': expected an order of the letters %s", text, order);
  }
  *out = layout;
  return NULL;
}

/* ---- windows ---- */

tn_status tn_window_ints(const tn_node *call, int32_t field, int32_t n, int64_t least,
                         int64_t otherwise, int64_t *out) {
  const char *name = tn_op_of(call)->fields[field].name;
  int64_t given[TN_MAX_NDIM];
  int32_t n_given = 0;
  TN_TRY(tn_op_ints(call, field, given, &n_given));
  if (n_given >= 0 && n_given != n && n_given != 1) {
    return TN_ERR(TN_INVALID, "'%s' has %d numbers, expected 1 or %d", name, n_given, n);
  }
  for (int32_t i = 0; i < n; ++i) {
    out[i] = n_given < 0 ? otherwise : given[n_given == 1 ? 0 : i];
    if (out[i] < least || out[i] > MAX_STEP) {
      return TN_ERR(TN_INVALID, "'%s' holds %" PRId64 ", expected %" PRId64 " to %d", name, out[i],
                    least, (int)MAX_STEP);
    }
  }
  return NULL;
}

static tn_status read_padding(const tn_node *call, int32_t field, tn_window *w) {
  int64_t given[TN_MAX_NDIM];
  int32_t n = 0;
  TN_TRY(tn_op_ints(call, field, given, &n));
  if (n > 0 && n != 1 && n != w->n && n != 2 * w->n) {
    return TN_ERR(TN_INVALID, "'padding' has %d numbers, expected 1, %d or %d", n, w->n, 2 * w->n);
  }
  for (int32_t d = 0; d < w->n; ++d) {
    w->before[d] = n <= 0 ? 0 : given[n == 1 ? 0 : d];
    w->after[d] = n <= 0 ? 0 : given[n == 1 ? 0 : n == w->n ? d : w->n + d];
    if (w->before[d] < 0 || w->after[d] < 0 || w->before[d] > MAX_STEP || w->after[d] > MAX_STEP) {
      return TN_ERR(TN_INVALID, "'padding' holds a number below 0 or above %d", (int)MAX_STEP);
    }
  }
  return NULL;
}

tn_status tn_window_read(const tn_node *call, int32_t n, int32_t strides, int32_t padding,
                         int32_t dilation, tn_window *out) {
  tn_window w = {.n = n};
  TN_TRY(tn_window_ints(call, strides, n, 1, 1, w.stride));
  TN_TRY(tn_window_ints(call, dilation, n, 1, 1, w.dilation));
  TN_TRY(read_padding(call, padding, &w));
  *out = w;
  return NULL;
}

bool tn_window_has_padding(const tn_window *w) {
  for (int32_t d = 0; d < w->n; ++d) {
    if (w->before[d] != 0 || w->after[d] != 0) {
      return true;
    }
  }
  return false;
}

int64_t tn_window_count_i64(const tn_window *w, int32_t d, int64_t input, int64_t kernel) {
  int64_t room = input + w->before[d] + w->after[d] - (kernel - 1) * w->dilation[d] - 1;
  room += w->is_ceil ? w->stride[d] - 1 : 0;
  return room < 0 ? 0 : room / w->stride[d] + 1;
}

tn_status tn_window_count(tn_ir *ir, const tn_window *w, int32_t d, const tn_node *input,
                          const tn_node *kernel, const tn_node **out) {
  const tn_node *one = tn_int(ir, TN_DT_I64, 1);
  if (input->op == TN_OP_INT && kernel->op == TN_OP_INT) {
    if (input->attr.i64 > INT64_MAX / 4 || kernel->attr.i64 > MAX_STEP) {
      return TN_ERR(TN_INVALID, "an extent of %" PRId64 " under a kernel of %" PRId64,
                    input->attr.i64, kernel->attr.i64);
    }
    int64_t n = tn_window_count_i64(w, d, input->attr.i64, kernel->attr.i64);
    if (n <= 0) {
      return TN_ERR(TN_INVALID, "kernel extent %" PRId64 " exceeds padded input extent %" PRId64,
                    (kernel->attr.i64 - 1) * w->dilation[d] + 1,
                    input->attr.i64 + w->before[d] + w->after[d]);
    }
    *out = tn_int(ir, TN_DT_I64, n);
    return NULL;
  }
  int64_t spare = w->before[d] + w->after[d] - 1 + (w->is_ceil ? w->stride[d] - 1 : 0);
  const tn_node *reach = tn_binary(ir, TN_OP_MUL, tn_binary(ir, TN_OP_SUB, kernel, one),
                                   tn_int(ir, TN_DT_I64, w->dilation[d]));
  const tn_node *room = tn_binary(
      ir, TN_OP_SUB, tn_binary(ir, TN_OP_ADD, input, tn_int(ir, TN_DT_I64, spare)), reach);
  const tn_node *steps = tn_binary(ir, TN_OP_FLOORDIV, room, tn_int(ir, TN_DT_I64, w->stride[d]));
  *out = tn_op_simplify(ir, tn_binary(ir, TN_OP_ADD, steps, one));
  return NULL;
}

const tn_node *tn_window_index(tn_kernel *k, const tn_window *w, int32_t d, const tn_node *at,
                               const tn_node *tap, bool is_padded) {
  const tn_node *start =
      w->stride[d] == 1 ? at : tn_te_mul(k->te, at, tn_int(k->ir, TN_DT_I64, w->stride[d]));
  const tn_node *step =
      w->dilation[d] == 1 ? tap : tn_te_mul(k->te, tap, tn_int(k->ir, TN_DT_I64, w->dilation[d]));
  const tn_node *index = tn_te_add(k->te, start, step);
  bool is_shifted = !is_padded && w->before[d] != 0;
  return is_shifted ? tn_te_sub(k->te, index, tn_int(k->ir, TN_DT_I64, w->before[d])) : index;
}

const tn_node *tn_window_pad(tn_kernel *k, const tn_window *w, const tn_layout *layout,
                             const tn_node *x, const tn_node *value) {
  const tn_node *dims[2 + TN_MAX_SPATIAL];
  const tn_node *from[2 + TN_MAX_SPATIAL];
  const tn_node *inside = NULL;
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  memcpy(dims, shape->in, shape->n_in * sizeof *dims);
  for (int32_t d = 0; d < w->n; ++d) {
    int32_t at = layout->at[2 + d];
    int64_t more = w->before[d] + w->after[d] + (w->is_ceil ? w->stride[d] - 1 : 0);
    dims[at] = tn_op_simplify(k->ir, tn_te_add(k->te, dims[at], tn_int(k->ir, TN_DT_I64, more)));
  }
  const tn_node *out = tn_te_declare(k->te, "pad_temp", x->dtype, shape->n_in, dims);
  tn_kernel_begin(k, "pad_temp", shape->n_in, dims, 0, NULL);
  memcpy(from, k->axes, shape->n_in * sizeof *from);
  for (int32_t d = 0; d < w->n; ++d) {
    int32_t at = layout->at[2 + d];
    if (dims[at] == shape->in[at]) {
      continue;
    }
    const tn_node *low = tn_int(k->ir, TN_DT_I64, w->before[d]);
    const tn_node *high = tn_op_simplify(k->ir, tn_te_add(k->te, low, shape->in[at]));
    from[at] = tn_te_sub(k->te, k->axes[at], low);
    const tn_node *is_in =
        tn_te_and(k->te, tn_te_le(k->te, low, k->axes[at]), tn_te_lt(k->te, k->axes[at], high));
    inside = inside == NULL ? is_in : tn_te_and(k->te, inside, is_in);
  }
  const tn_node *data = tn_te_load(k->te, x, from);
  data = inside == NULL ? data : tn_te_if_then_else(k->te, inside, data, value);
  tn_te_end_into(k->te, out, k->axes, data, NULL);
  return out;
}

/* ---- coordinates ---- */

void tn_unravel(const tn_array *x, int64_t i, int64_t *out) {
  for (int32_t d = x->ndim; d-- > 0;) {
    out[d] = i % x->shape[d];
    i /= x->shape[d];
  }
}

int64_t tn_ravel(const tn_array *x, const int64_t *at) {
  int64_t i = 0;
  for (int32_t d = 0; d < x->ndim; ++d) {
    i = i * x->shape[d] + at[d];
  }
  return i;
}

void tn_copy_element(const tn_array *from, int64_t i, tn_array *to, int64_t j) {
  if (tn_dtype_is_any_float(to->dtype)) {
    tn_array_set_f64(to, j, tn_array_get_f64(from, i));
  } else {
    tn_array_set_i64(to, j, tn_array_get_i64(from, i));
  }
}

/* ---- broadcasting ---- */

tn_status tn_op_join_extents(const tn_array *const *args, int32_t n_args, int64_t *shape,
                             int32_t *out_n) {
  *out_n = 0;
  for (int32_t a = 0; a < n_args; ++a) {
    *out_n = args[a]->ndim > *out_n ? args[a]->ndim : *out_n;
  }
  for (int32_t d = 1; d <= *out_n; ++d) {
    int64_t extent = 1;
    for (int32_t a = 0; a < n_args; ++a) {
      int64_t have = d <= args[a]->ndim ? args[a]->shape[args[a]->ndim - d] : 1;
      if (have != 1 && extent != 1 && have != extent) {
        return TN_ERR(TN_INVALID, "the extents %" PRId64 " and %" PRId64 " do not broadcast",
                      extent, have);
      }
      extent = have != 1 ? have : extent;
    }
    shape[*out_n - d] = extent;
  }
  return NULL;
}

int64_t tn_op_broadcast_place(const tn_array *x, const int64_t *at, int32_t n_dims) {
  int64_t place = 0;
  for (int32_t d = 0; d < x->ndim; ++d) {
    place = place * x->shape[d] + (x->shape[d] == 1 ? 0 : at[n_dims - x->ndim + d]);
  }
  return place;
}

/* ---- computed places ---- */

tn_status tn_op_fits_within(const tn_node *small, const tn_node *large, int64_t but) {
  for (uint32_t d = 0; small != NULL && large != NULL && d < small->n_in && d < large->n_in; ++d) {
    const tn_node *a = small->in[d];
    const tn_node *b = large->in[d];
    if ((int64_t)d != but && a->op == TN_OP_INT && b->op == TN_OP_INT &&
        a->attr.i64 > b->attr.i64) {
      return TN_ERR(TN_INVALID, "dimension %u has extent %" PRId64 ", the indices' %" PRId64, d,
                    b->attr.i64, a->attr.i64);
    }
  }
  return NULL;
}

void tn_kernel_keep_within(tn_kernel *k, const tn_node *small, const tn_node *large, int64_t but,
                           const tn_node **at) {
  const tn_node *a = small->in[TN_BUFFER_SHAPE];
  const tn_node *b = large->in[TN_BUFFER_SHAPE];
  for (uint32_t d = 0; d < a->n_in; ++d) {
    bool is_fine = a->in[d] == b->in[d] || (a->in[d]->op == TN_OP_INT && b->in[d]->op == TN_OP_INT);
    if ((int64_t)d != but && !is_fine) {
      at[d] = tn_kernel_wrapped(k, at[d], b->in[d]);
    }
  }
}

int64_t tn_op_wrapped(const tn_array *indices, int64_t i, int64_t extent) {
  int64_t at = tn_array_get_i64(indices, i);
  if (!tn_dtype_is_int(indices->dtype)) {
    return (uint64_t)at >= (uint64_t)extent ? extent - 1 : at;
  }
  at = at < 0 ? at + extent : at;
  return at < 0 ? 0 : at >= extent ? extent - 1 : at;
}

const tn_node *tn_kernel_wrapped(tn_kernel *k, const tn_node *index, const tn_node *extent) {
  const tn_node *zero = tn_int(k->ir, TN_DT_I64, 0);
  const tn_node *last =
      tn_op_simplify(k->ir, tn_te_sub(k->te, extent, tn_int(k->ir, TN_DT_I64, 1)));
  const tn_node *at = tn_te_cast(k->te, TN_DT_I64, index);
  if (tn_dtype_is_int(index->dtype)) {
    at = tn_te_if_then_else(k->te, tn_te_lt(k->te, at, zero), tn_te_add(k->te, at, extent), at);
  }
  return tn_te_max(k->te, tn_te_min(k->te, at, last), zero);
}

tn_status tn_op_want_integers(const tn_node *type, const char *what) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (type->dtype != TN_DT_NONE && !tn_dtype_is_int(type->dtype) &&
      !tn_dtype_is_uint(type->dtype)) {
    return TN_ERR(TN_INVALID, "%s have type %s, expected an integer type", what,
                  tn_dtype_print(type->dtype, text));
  }
  return NULL;
}
