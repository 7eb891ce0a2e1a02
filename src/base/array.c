/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The host array: storage, and elements as numbers with the conversion rules of the language. */
#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

enum { ALIGN_BYTES = 64 };

bool tn_mul_size(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }

bool tn_shape_bytes(int32_t ndim, const int64_t *shape, tn_dtype dtype, size_t *out_bytes) {
  bool is_packed = tn_dtype_is_packed(dtype); /* then half bytes are counted */
  size_t n_bytes = tn_dtype_mem_bits(dtype) / (is_packed ? 4 : 8);
  bool is_empty = false;
  bool fits = true;
  for (int32_t i = 0; i < ndim; ++i) {
    if (shape[i] < 0) {
      return false;
    }
    is_empty = is_empty || shape[i] == 0;
    fits = fits && tn_mul_size(n_bytes, (size_t)shape[i], &n_bytes);
  }
  if (is_empty) { /* no bytes, whatever the other extents are */
    *out_bytes = 0;
    return true;
  }
  n_bytes = is_packed ? n_bytes / 2 + n_bytes % 2 : n_bytes;
  if (!fits || n_bytes > PTRDIFF_MAX) {
    return false;
  }
  *out_bytes = n_bytes;
  return true;
}

tn_status tn_array_init(tn_array *array, tn_dtype dtype, int32_t ndim, const int64_t *shape) {
  if (dtype == TN_DT_NONE || tn_dtype_lanes(dtype) == 0 || tn_dtype_bits(dtype) == 0) {
    char text[TN_DTYPE_TEXT_BYTES];
    return TN_ERR(TN_INVALID, "an array cannot hold elements of type %s",
                  tn_dtype_print(dtype, text));
  }
  if (ndim < 0 || ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_INVALID, "an array has 0 to %d dimensions, not %d", TN_MAX_NDIM, ndim);
  }
  for (int32_t i = 0; i < ndim; ++i) {
    if (shape[i] < 0) {
      return TN_ERR(TN_INVALID, "extent %lld of dimension %d is negative", (long long)shape[i], i);
    }
  }
  size_t n_bytes = 0;
  if (!tn_shape_bytes(ndim, shape, dtype, &n_bytes)) {
    return TN_ERR(TN_NO_MEMORY, "the size of the array overflows");
  }
  size_t n_alloc = (n_bytes / ALIGN_BYTES + 1) * ALIGN_BYTES; /* never 0 */
  void *data = aligned_alloc(ALIGN_BYTES, n_alloc);
  if (data == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for an array of %zu bytes", n_bytes);
  }
  memset(data, 0, n_alloc);
  *array = (tn_array){.data = data, .dtype = dtype, .ndim = ndim};
  for (int32_t i = 0; i < ndim; ++i) {
    array->shape[i] = shape[i];
  }
  return NULL;
}

void tn_array_deinit(tn_array *array) {
  if (!array->is_view) {
    free(array->data);
  }
  *array = (tn_array){0};
}

tn_status tn_array_init_copy(tn_array *array, const tn_array *src) {
  tn_array copy = {0};
  TN_TRY(tn_array_init(&copy, src->dtype, src->ndim, src->shape));
  size_t n_bytes = tn_array_n_bytes(src);
  if (n_bytes != 0) {
    memcpy(copy.data, src->data, n_bytes);
  }
  *array = copy;
  return NULL;
}

bool tn_array_equal(const tn_array *a, const tn_array *b) {
  if (a->dtype != b->dtype || a->ndim != b->ndim) {
    return false;
  }
  for (int32_t d = 0; d < a->ndim; ++d) {
    if (a->shape[d] != b->shape[d]) {
      return false;
    }
  }
  size_t n_bytes = tn_array_n_bytes(a);
  return a->data == b->data || n_bytes == 0 || memcmp(a->data, b->data, n_bytes) == 0;
}

int64_t tn_array_n_elems(const tn_array *array) {
  int64_t n = tn_dtype_lanes(array->dtype);
  for (int32_t d = 0; d < array->ndim; ++d) {
    if (array->shape[d] == 0) { /* whatever the other extents are */
      return 0;
    }
    if (__builtin_mul_overflow(n, array->shape[d], &n)) { /* no array has as many */
      n = INT64_MAX;
    }
  }
  return n;
}

size_t tn_array_n_bytes(const tn_array *array) {
  size_t n_bytes = 0;
  bool fits = tn_shape_bytes(array->ndim, array->shape, array->dtype, &n_bytes);
  TN_CHECK(fits, "an array whose size overflows");
  return n_bytes;
}

/* NaN gives 0; what is out of range gives the nearest bound. */
static int64_t saturate_i64(double value, int64_t lo, int64_t hi) {
  if (isnan(value)) {
    return 0;
  }
  if (value <= (double)lo) {
    return lo;
  }
  /* (double)INT64_MAX is 2^63, one too many: hence >= and not > */
  return value >= (double)hi ? hi : (int64_t)value;
}

static uint64_t saturate_u64(double value, uint64_t hi) {
  if (isnan(value) || value <= 0) {
    return 0;
  }
  return value >= (double)hi ? hi : (uint64_t)value;
}

/* A storage type's element as its bit pattern. */
static uint32_t storage_bits(const tn_array *array, int64_t i) {
  const uint8_t *data = array->data;
  return tn_dtype_is_packed(array->dtype) ? tn_nibble_get(data, (uint64_t)i) : data[i];
}

static void set_storage_bits(tn_array *array, int64_t i, uint32_t bits) {
  uint8_t *data = array->data;
  if (tn_dtype_is_packed(array->dtype)) {
    tn_nibble_set(data, (uint64_t)i, bits);
  } else {
    data[i] = (uint8_t)bits;
  }
}

double tn_array_get_f64(const tn_array *array, int64_t i) {
  if (tn_dtype_is_small_float(array->dtype)) {
    return (double)tn_small_to_f32(tn_small_float_find(array->dtype), storage_bits(array, i));
  }
  switch (tn_dtype_elem(array->dtype)) {
    case TN_DT_F32:
      return (double)((const float *)array->data)[i];
    case TN_DT_F64:
      return ((const double *)array->data)[i];
    case TN_DT_F16:
      return (double)tn_f16_to_f32(((const uint16_t *)array->data)[i]);
    case TN_DT_BF16:
      return (double)tn_bf16_to_f32(((const uint16_t *)array->data)[i]);
    case TN_DT_U64:
    case TN_DT_HANDLE:
      return (double)((const uint64_t *)array->data)[i];
    default: /* the other types are integers that an int64 holds */
      return (double)tn_array_get_i64(array, i);
  }
}

int64_t tn_array_get_i64(const tn_array *array, int64_t i) {
  if (tn_dtype_is_small_float(array->dtype)) {
    return saturate_i64(tn_array_get_f64(array, i), INT64_MIN, INT64_MAX);
  }
  switch (tn_dtype_elem(array->dtype)) {
    case TN_DT_I8:
      return ((const int8_t *)array->data)[i];
    case TN_DT_I16:
      return ((const int16_t *)array->data)[i];
    case TN_DT_I32:
      return ((const int32_t *)array->data)[i];
    case TN_DT_I64:
      return ((const int64_t *)array->data)[i];
    case TN_DT_U8:
      return ((const uint8_t *)array->data)[i];
    case TN_DT_U4:
      return (int64_t)storage_bits(array, i);
    case TN_DT_I4:
      return (int64_t)(storage_bits(array, i) ^ 8) - 8;
    case TN_DT_BOOL:
      return ((const uint8_t *)array->data)[i] != 0;
    case TN_DT_U16:
      return ((const uint16_t *)array->data)[i];
    case TN_DT_U32:
      return ((const uint32_t *)array->data)[i];
    case TN_DT_U64:
    case TN_DT_HANDLE:
      return (int64_t)((const uint64_t *)array->data)[i];
    case TN_DT_F32:
    case TN_DT_F64:
    case TN_DT_F16:
    case TN_DT_BF16:
      return saturate_i64(tn_array_get_f64(array, i), INT64_MIN, INT64_MAX);
    default:
      TN_UNREACHABLE();
  }
}

void tn_array_set_f64(tn_array *array, int64_t i, double value) {
  if (tn_dtype_is_small_float(array->dtype)) {
    const tn_small_float *type = tn_small_float_find(array->dtype);
    set_storage_bits(array, i, tn_f32_to_small(type, tn_f64_to_f32_odd(value)));
    return;
  }
  switch (tn_dtype_elem(array->dtype)) {
    case TN_DT_F32:
      ((float *)array->data)[i] = (float)value;
      return;
    case TN_DT_F64:
      ((double *)array->data)[i] = value;
      return;
    case TN_DT_F16:
      ((uint16_t *)array->data)[i] = tn_f32_to_f16(tn_f64_to_f32_odd(value));
      return;
    case TN_DT_BF16:
      ((uint16_t *)array->data)[i] = tn_f32_to_bf16(tn_f64_to_f32_odd(value));
      return;
    case TN_DT_BOOL:
      ((uint8_t *)array->data)[i] = value != 0 ? 1 : 0;
      return;
    case TN_DT_U64:
    case TN_DT_HANDLE:
      ((uint64_t *)array->data)[i] = saturate_u64(value, UINT64_MAX);
      return;
    default:
      break;
  }
  uint32_t n_bits = tn_dtype_bits(array->dtype); /* an integer type that an int64 holds */
  int64_t lo = tn_dtype_is_uint(array->dtype) ? 0 : INT64_MIN >> (64 - n_bits);
  int64_t hi = tn_dtype_is_uint(array->dtype) ? (int64_t)(UINT64_MAX >> (64 - n_bits)) : ~lo;
  tn_array_set_i64(array, i, saturate_i64(value, lo, hi));
}

void tn_array_set_i64(tn_array *array, int64_t i, int64_t value) {
  if (tn_dtype_is_small_float(array->dtype)) {
    tn_array_set_f64(array, i, (double)value);
    return;
  }
  switch (tn_dtype_elem(array->dtype)) {
    case TN_DT_I8:
    case TN_DT_U8:
      ((uint8_t *)array->data)[i] = (uint8_t)value;
      return;
    case TN_DT_I4:
    case TN_DT_U4:
      set_storage_bits(array, i, (uint32_t)value);
      return;
    case TN_DT_I16:
    case TN_DT_U16:
      ((uint16_t *)array->data)[i] = (uint16_t)value;
      return;
    case TN_DT_I32:
    case TN_DT_U32:
      ((uint32_t *)array->data)[i] = (uint32_t)value;
      return;
    case TN_DT_I64:
    case TN_DT_U64:
    case TN_DT_HANDLE:
      ((uint64_t *)array->data)[i] = (uint64_t)value;
      return;
    case TN_DT_BOOL:
      ((uint8_t *)array->data)[i] = value != 0 ? 1 : 0;
      return;
    case TN_DT_F32: /* one rounding: through double there would be two */
      ((float *)array->data)[i] = (float)value;
      return;
    case TN_DT_F64:
    case TN_DT_F16:
    case TN_DT_BF16:
      tn_array_set_f64(array, i, (double)value);
      return;
    default:
      TN_UNREACHABLE();
  }
}

void tn_array_fill_random(tn_array *array, tn_rng *rng) {
  int64_t n_elems = tn_array_n_elems(array);
  for (int64_t i = 0; i < n_elems; ++i) {
    if (tn_dtype_is_float(array->dtype) || tn_dtype_is_small_float(array->dtype)) {
      double value = tn_rng_unit(rng) * 2 - 1;
      bool has_sign = tn_dtype_elem(array->dtype) != TN_DT_F8E8M0FNU;
      tn_array_set_f64(array, i, has_sign ? value : fabs(value));
    } else if (tn_dtype_is_bool(array->dtype)) {
      tn_array_set_i64(array, i, tn_rng_range(rng, 0, 1));
    } else if (tn_dtype_is_int(array->dtype)) {
      tn_array_set_i64(array, i, tn_rng_range(rng, -8, tn_dtype_is_packed(array->dtype) ? 7 : 8));
    } else {
      tn_array_set_i64(array, i, tn_rng_range(rng, 0, tn_dtype_is_packed(array->dtype) ? 15 : 16));
    }
  }
}
