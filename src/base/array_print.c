/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* An array as text, for R.print and messages: short, not meant to be read back. */
#include <inttypes.h>

#include "base/array.h"

static void print_elem(const tn_array *array, int64_t i, tn_buf *out) {
  if (tn_dtype_is_float(array->dtype) || tn_dtype_is_small_float(array->dtype)) {
    double value = tn_array_get_f64(array, i);
    if (tn_dtype_elem(array->dtype) == TN_DT_F64) {
      tn_buf_put_double(out, value);
    } else {
      tn_buf_put_float(out, (float)value);
    }
  } else {
    tn_buf_printf(out, "%" PRId64, tn_array_get_i64(array, i));
  }
}

static void print_array(const tn_array *array, int32_t d, int64_t *at, tn_buf *out) {
  int64_t lanes = tn_dtype_lanes(array->dtype);
  bool is_elem = d == array->ndim;
  if (is_elem && lanes == 1) {
    print_elem(array, (*at)++, out);
    return;
  }
  tn_buf_putc(out, '[');
  for (int64_t i = 0; is_elem && i < lanes; ++i) {
    tn_buf_puts(out, i == 0 ? "" : ", ");
    print_elem(array, (*at)++, out);
  }
  for (int64_t i = 0; !is_elem && i < array->shape[d]; ++i) {
    tn_buf_puts(out, i == 0 ? "" : ", ");
    print_array(array, d + 1, at, out);
  }
  tn_buf_putc(out, ']');
}

void tn_array_print(const tn_array *array, tn_buf *out) {
  int64_t at = 0;
  print_array(array, 0, &at, out);
}
