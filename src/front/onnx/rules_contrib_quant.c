/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Quantised operators of ONNX Runtime (domain com.microsoft): what is elementwise goes through
 * float32 and back, products of integers are summed exactly in int32, and weights of few bits in
 * blocks become numbers that the product then takes. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/quant.h"
#include "front/onnx/rules.h"
#include "front/onnx/window.h"

/* ---- through float32 ---- */

static const tn_node *one_number(tn_onnx_call *c, const tn_node *x) {
  return x == NULL ? NULL : tn_onnx_one_or_stand(c, x, 1, 0);
}

static const tn_node *opened(tn_onnx_call *c, uint32_t at) {
  const tn_node *x = tn_onnx_in(c, at);
  return tn_onnx_quant(c, "dequantize", x, one_number(c, tn_onnx_in(c, at + 1)),
                       one_number(c, tn_onnx_maybe(c, at + 2)), 0, TN_DT_F32);
}

static const tn_node *closed(tn_onnx_call *c, const tn_node *y, uint32_t at, tn_dtype type) {
  return tn_onnx_quant(c, "quantize", y, one_number(c, tn_onnx_in(c, at)),
                       one_number(c, tn_onnx_maybe(c, at + 1)), 0, type);
}

void tn_onnx_rule_qlinear_binary(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  const tn_node *y = tn_onnx_op2(c, c->rule->word, opened(c, 0), opened(c, 3));
  tn_onnx_give(c, 0, closed(c, y, 6, type));
}

void tn_onnx_rule_qlinear_sigmoid(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  tn_onnx_give(c, 0, closed(c, tn_onnx_op1(c, "sigmoid", opened(c, 0)), 3, type));
}

void tn_onnx_rule_qlinear_leaky_relu(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  tn_onnx_build b = tn_onnx_begin(c, "nn.leakyrelu");
  tn_onnx_set_float(&b, "alpha", tn_onnx_attr_float(c, "alpha", 0.01));
  tn_onnx_give(c, 0, closed(c, tn_onnx_end1(&b, opened(c, 0)), 3, type));
}

void tn_onnx_rule_qlinear_global_pool(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  int64_t axes[TN_MAX_NDIM];
  int32_t ndim = tn_onnx_ndim(c, tn_onnx_in(c, 0));
  bool is_last = tn_onnx_attr_int(c, "channels_last", 0) != 0;
  for (int32_t i = 0; i + 2 < ndim && i < TN_MAX_NDIM; ++i) {
    axes[i] = is_last ? i + 1 : i + 2;
  }
  if (c->st == NULL && ndim < 3) {
    TN_ONNX_FAIL(c, TN_INVALID, "data of %d dimensions, expected 3 or more", ndim);
  }
  const tn_node *x = opened(c, 0);
  const tn_node *y =
      c->st != NULL ? NULL : tn_onnx_reduce(c, "mean", x, (size_t)ndim - 2, axes, true);
  tn_onnx_give(c, 0, closed(c, y, 3, type));
}

/* y_scale, y_zero, then (x, scale, zero) for each part. */
void tn_onnx_rule_qlinear_concat(tn_onnx_call *c) {
  uint32_t n = c->n_in < 5 ? 0 : (c->n_in - 2) / 3;
  const tn_node **parts = TN_ARENA_ARRAY(c->imp->arena, const tn_node *, n + 1);
  if (n == 0 || c->n_in != 2 + 3 * n) {
    TN_ONNX_FAIL(c, TN_INVALID, "%u inputs, expected 2 and 3 for each part", c->n_in);
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    parts[i] = opened(c, 2 + 3 * i);
  }
  tn_onnx_build b = tn_onnx_begin(c, "concat");
  tn_onnx_set_int(&b, "axis", tn_onnx_attr_int(c, "axis", 0));
  const tn_node *y = c->st != NULL ? NULL : tn_onnx_end1(&b, tn_onnx_tuple(c, n, parts));
  tn_onnx_give(c, 0, closed(c, y, 0, tn_onnx_type_of(c, tn_onnx_in(c, 2))));
}

void tn_onnx_rule_qlinear_where(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 1));
  const tn_node *y = tn_onnx_op3(c, "where", tn_onnx_in(c, 0), opened(c, 1), opened(c, 4));
  tn_onnx_give(c, 0, closed(c, y, 7, type));
}

void tn_onnx_rule_qlinear_reduce_mean(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  const tn_node *x = opened(c, 0);
  tn_onnx_i64s axes = tn_onnx_attr_ints(c, "axes");
  if (axes.len == 0) {
    axes = tn_onnx_i64s_alloc(c, (size_t)tn_onnx_ndim(c, x));
    for (size_t i = 0; i < axes.len; ++i) {
      axes.data[i] = (int64_t)i;
    }
  }
  bool keeps = tn_onnx_attr_int(c, "keepdims", 1) != 0;
  tn_onnx_give(c, 0, closed(c, tn_onnx_reduce(c, "mean", x, axes.len, axes.data, keeps), 3, type));
}

/* The channels before the spatial dimensions, or (is_back) after them again. */
static const tn_node *channels_moved(tn_onnx_call *c, const tn_node *x, bool is_back) {
  int64_t axes[TN_MAX_NDIM];
  int32_t ndim = tn_onnx_ndim(c, x);
  if (c->st != NULL || ndim < 3 || ndim > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_INVALID, "data of %d dimensions, expected 3 or more", ndim);
    return NULL;
  }
  axes[0] = 0;
  for (int32_t i = 1; i < ndim; ++i) {
    axes[i] = is_back ? (i == ndim - 1 ? 1 : i + 1) : (i == 1 ? ndim - 1 : i - 1);
  }
  return tn_onnx_permute(c, x, axes);
}

void tn_onnx_rule_qlinear_average_pool(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  bool is_last = tn_onnx_attr_int(c, "channels_last", 0) != 0;
  const tn_node *x = opened(c, 0);
  x = is_last ? channels_moved(c, x, false) : x;
  tn_onnx_window w = tn_onnx_window_read(c, x, NULL);
  const tn_node *y = tn_onnx_pool(c, x, tn_onnx_numbered(c, "nn.avg_pool", w.n, "d"), &w);
  tn_onnx_give(c, 0, closed(c, is_last ? channels_moved(c, y, true) : y, 3, type));
}

/* As the operator of ONNX, but channels may come last. */
void tn_onnx_rule_contrib_qlinear_conv(tn_onnx_call *c) {
  bool is_last = tn_onnx_attr_int(c, "channels_last", 0) != 0;
  if (is_last && c->n_in > 0) {
    c->in[0] = channels_moved(c, tn_onnx_in(c, 0), false);
  }
  tn_onnx_rule_qlinear_conv(c);
  if (is_last && c->n_out > 0) {
    tn_onnx_give(c, 0, channels_moved(c, c->out[0], true));
  }
}

/* Before opset 13 over all dimensions from the axis on. */
void tn_onnx_rule_qlinear_softmax(tn_onnx_call *c) {
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  const tn_node *x = opened(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  bool is_old = tn_onnx_attr_int(c, "opset", 13) < 13;
  if (dims == NULL) {
    return;
  }
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", is_old ? 1 : -1), (int32_t)dims->n_in);
  if (is_old) {
    const tn_node *flat[TN_MAX_NDIM];
    for (int32_t i = 0; i < axis; ++i) {
      flat[i] = dims->in[i];
    }
    flat[axis] = tn_int(c->ir, TN_DT_I64, -1);
    x = tn_onnx_reshape(c, x, tn_list(c->ir, (uint32_t)axis + 1, flat));
  }
  tn_onnx_build b = tn_onnx_begin(c, "nn.softmax");
  tn_onnx_set_int(&b, "axis", axis);
  const tn_node *y = tn_onnx_end1(&b, x);
  y = is_old ? tn_onnx_reshape(c, y, dims) : y;
  tn_onnx_give(c, 0, closed(c, y, 3, type));
}

/* ---- products of integers ---- */

static const tn_node *product(tn_onnx_call *c, const tn_node *a, const tn_node *a_zero,
                              const tn_node *b, const tn_node *b_zero) {
  return tn_onnx_op2(c, "matmul", tn_onnx_centred(c, a, a_zero, -2),
                     tn_onnx_centred(c, b, b_zero, -1));
}

/* sum * (a_scale * b_scale) in float32; b_scale may have one for each column. */
static const tn_node *rescaled(tn_onnx_call *c, const tn_node *sum, const tn_node *a_scale,
                               const tn_node *b_scale) {
  int32_t ndim = tn_onnx_ndim(c, sum);
  const tn_node *scale =
      tn_onnx_op2(c, "multiply", tn_onnx_cast(c, one_number(c, a_scale), TN_DT_F32),
                  tn_onnx_cast(c, tn_onnx_one_or_stand(c, b_scale, ndim, ndim - 1), TN_DT_F32));
  return tn_onnx_op2(c, "multiply", tn_onnx_cast(c, sum, TN_DT_F32), scale);
}

static const tn_node *biased(tn_onnx_call *c, const tn_node *y, const tn_node *bias) {
  return bias == NULL ? y : tn_onnx_op2(c, "add", y, bias);
}

/* A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias */
void tn_onnx_rule_matmul_integer_to_float(tn_onnx_call *c) {
  const tn_node *sum =
      product(c, tn_onnx_in(c, 0), tn_onnx_maybe(c, 4), tn_onnx_in(c, 1), tn_onnx_maybe(c, 5));
  const tn_node *y = rescaled(c, sum, tn_onnx_in(c, 2), tn_onnx_in(c, 3));
  tn_onnx_give(c, 0, biased(c, y, tn_onnx_maybe(c, 6)));
}

/* A, B, b_scale, b_zero_point, bias: A becomes uint8 by its own range. */
void tn_onnx_rule_dynamic_quantize_matmul(tn_onnx_call *c) {
  const tn_node *a[3] = {NULL, NULL, NULL};
  tn_onnx_quantize_range(c, tn_onnx_in(c, 0), a);
  const tn_node *sum = product(c, a[0], a[2], tn_onnx_in(c, 1), tn_onnx_maybe(c, 3));
  const tn_node *y = rescaled(c, sum, a[1], tn_onnx_in(c, 2));
  tn_onnx_give(c, 0, biased(c, y, tn_onnx_maybe(c, 4)));
}

static const tn_node *transposed(tn_onnx_call *c, const tn_node *x, const char *attr) {
  const int64_t swap[] = {1, 0};
  if (tn_onnx_attr_int(c, attr, 0) == 0) {
    return x;
  }
  if (tn_onnx_ndim(c, x) != 2) {
    TN_ONNX_FAIL(c, TN_INVALID, "%s of data that is no matrix", attr);
    return NULL;
  }
  return tn_onnx_permute(c, x, swap);
}

/* A, a_scale, a_zero_point, B, b_scale, b_zero_point, C (int32), y_scale, y_zero_point; without
 * y_scale the result is float32. */
void tn_onnx_rule_qgemm(tn_onnx_call *c) {
  const tn_node *sum = product(c, transposed(c, tn_onnx_in(c, 0), "transA"), tn_onnx_in(c, 2),
                               transposed(c, tn_onnx_in(c, 3), "transB"), tn_onnx_in(c, 5));
  sum = biased(c, sum, tn_onnx_maybe(c, 6));
  const tn_node *y = rescaled(c, sum, tn_onnx_in(c, 1), tn_onnx_in(c, 4));
  double alpha = tn_onnx_attr_float(c, "alpha", 1);
  if (alpha != 1) {
    y = tn_onnx_op2(c, "multiply", y, tn_onnx_scalar(c, TN_DT_F32, alpha));
  }
  if (tn_onnx_maybe(c, 7) != NULL) {
    tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
    const tn_node *zero = tn_onnx_maybe(c, 8);
    y = closed(c, y, 7, zero == NULL ? type : tn_onnx_type_of(c, zero));
  }
  tn_onnx_give(c, 0, y);
}

/* ---- weights of few bits ---- */

/* Bytes [.., n] as numbers of `bits` bits [.., n * 8 / bits], the first in the lowest bits, in
 * uint8; a constant of 4 bits in uint4, whose memory is the same. */
static const tn_node *unpacked(tn_onnx_call *c, const tn_node *x, int64_t bits) {
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_array *array = tn_onnx_array(x);
  const tn_node *parts[4];
  const tn_node *wide[TN_MAX_NDIM];
  if (bits == 8 || dims == NULL) {
    return x;
  }
  if (tn_onnx_type_of(c, x) != TN_DT_U8 || dims->n_in == 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "packed numbers must be uint8");
    return NULL;
  }
  if (array != NULL && bits == 4) {
    tn_array nibbles = {0};
    int64_t shape[TN_MAX_NDIM];
    memcpy(shape, array->shape, sizeof shape);
    shape[array->ndim - 1] *= 2;
    tn_onnx_fail(c, tn_array_init(&nibbles, TN_DT_U4, array->ndim, shape));
    if (c->st == NULL && tn_array_n_bytes(array) > 0) {
      memcpy(nibbles.data, array->data, tn_array_n_bytes(array));
    }
    return tn_onnx_const(c, &nibbles);
  }
  uint32_t n = (uint32_t)(8 / bits);
  const tn_node *mask = tn_onnx_scalar(c, TN_DT_U8, (double)((1 << bits) - 1));
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *shift = tn_onnx_scalar(c, TN_DT_U8, (double)(i * (uint32_t)bits));
    parts[i] = tn_onnx_op2(c, "bitwise_and", tn_onnx_op2(c, "right_shift", x, shift), mask);
  }
  tn_onnx_build b = tn_onnx_begin(c, "stack");
  tn_onnx_set_int(&b, "axis", dims->n_in);
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    wide[i] = dims->in[i];
  }
  const tn_node *last = tn_int(c->ir, TN_DT_I64, n);
  wide[dims->n_in - 1] = tn_onnx_size_op(c, TN_OP_MUL, wide[dims->n_in - 1], last);
  const tn_node *y = tn_onnx_end1(&b, tn_onnx_tuple(c, n, parts));
  return tn_onnx_reshape(c, y, tn_list(c->ir, dims->n_in, wide));
}

/* Rows of `n` numbers each, which in memory begin with a byte of their own. */
static const tn_node *rows_of(tn_onnx_call *c, const tn_node *x, int64_t n_rows, int64_t n,
                              int64_t bits) {
  int64_t n_bytes = (n * bits + 7) / 8;
  const tn_node *dims[] = {tn_int(c->ir, TN_DT_I64, n_rows), tn_int(c->ir, TN_DT_I64, n_bytes)};
  x = c->st != NULL ? NULL : tn_onnx_reshape(c, x, tn_list(c->ir, 2, dims));
  x = unpacked(c, x, bits);
  return n_bytes * 8 / bits == n ? x : tn_onnx_part(c, x, 1, 0, n);
}

static int64_t bits_attr(tn_onnx_call *c, int64_t otherwise) {
  int64_t bits = tn_onnx_attr_int(c, "bits", otherwise);
  if (bits != 2 && bits != 4 && bits != 8) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%" PRId64 " bits; 2, 4 and 8 are there", bits);
    return 8;
  }
  return bits;
}

typedef struct nbits {
  int64_t k; /* columns of A */
  int64_t n; /* columns of the result */
  int64_t bits;
  int64_t block;
  int64_t n_blocks; /* of a column */
} nbits;

static nbits read_nbits(tn_onnx_call *c) {
  nbits w = {.k = tn_onnx_attr_int(c, "K", 0),
             .n = tn_onnx_attr_int(c, "N", 0),
             .bits = bits_attr(c, 4),
             .block = tn_onnx_attr_int(c, "block_size", 0)};
  if (w.k < 1 || w.n < 1 || w.block < 8 || w.k > INT32_MAX || w.n > INT32_MAX ||
      w.block > INT32_MAX || w.block % 8 != 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "K %" PRId64 ", N %" PRId64 ", block_size %" PRId64, w.k, w.n,
                 w.block);
    w.block = 8;
  }
  w.n_blocks = (w.k + w.block - 1) / w.block;
  return w;
}

/* The zero point of each block: packed as the weights are, or floats; the middle when not given. */
static const tn_node *zero_points(tn_onnx_call *c, const nbits *w) {
  const tn_node *zero = tn_onnx_maybe(c, 3);
  if (zero == NULL) {
    return tn_onnx_scalar(c, TN_DT_U8, (double)(1 << (w->bits - 1)));
  }
  bool is_packed = tn_onnx_type_of(c, zero) == TN_DT_U8;
  return rows_of(c, zero, w->n, w->n_blocks, is_packed ? w->bits : 8);
}

/* [N, K]: (number - zero point) * scale. With g_idx each column of A names its block. */
static const tn_node *weights(tn_onnx_call *c, const nbits *w) {
  const tn_node *dims[] = {tn_int(c->ir, TN_DT_I64, w->n), tn_int(c->ir, TN_DT_I64, w->n_blocks)};
  const tn_node *numbers = rows_of(c, tn_onnx_in(c, 1), w->n, w->n_blocks * w->block, w->bits);
  const tn_node *scale =
      c->st != NULL ? NULL : tn_onnx_reshape(c, tn_onnx_in(c, 2), tn_list(c->ir, 2, dims));
  const tn_node *zero = zero_points(c, w);
  const tn_node *groups = tn_onnx_maybe(c, 4);
  numbers = w->k == w->n_blocks * w->block ? numbers : tn_onnx_part(c, numbers, 1, 0, w->k);
  if (groups != NULL) {
    tn_onnx_build b = tn_onnx_begin(c, "take");
    tn_onnx_set_int(&b, "axis", 1);
    scale = tn_onnx_end2(&b, scale, groups);
    b = tn_onnx_begin(c, "take");
    tn_onnx_set_int(&b, "axis", 1);
    zero = tn_onnx_ndim(c, zero) == 0 ? zero : tn_onnx_end2(&b, zero, groups);
  }
  const tn_node *args[] = {numbers, scale, zero};
  return tn_onnx_quant_blocks(c, "dequantize", args, 1, groups != NULL ? 1 : w->block,
                              tn_onnx_type_of(c, tn_onnx_in(c, 0)));
}

/* A, B, scales, zero_points, g_idx, bias: A times what the blocks of B stand for. */
void tn_onnx_rule_matmul_nbits(tn_onnx_call *c) {
  const int64_t swap[] = {1, 0};
  nbits w = read_nbits(c);
  if (tn_onnx_attr_int(c, "weight_prepacked", 0) != 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "weights in the order that a kernel of ONNX Runtime wants");
  }
  if (c->st != NULL) {
    return;
  }
  const tn_node *y =
      tn_onnx_op2(c, "matmul", tn_onnx_in(c, 0), tn_onnx_permute(c, weights(c, &w), swap));
  tn_onnx_give(c, 0, biased(c, y, tn_onnx_maybe(c, 5)));
}

/* data, indices, scales, zero_points: rows of quantised data, as floats. */
void tn_onnx_rule_gather_block_quantized(tn_onnx_call *c) {
  const tn_node *parts[3] = {tn_onnx_in(c, 0), tn_onnx_in(c, 2), tn_onnx_maybe(c, 3)};
  int64_t block = tn_onnx_attr_int(c, "block_size", 128);
  int32_t ndim = tn_onnx_ndim(c, parts[0]);
  int32_t gather = tn_onnx_axis(c, tn_onnx_attr_int(c, "gather_axis", 0), ndim);
  int32_t quantize = tn_onnx_axis(c, tn_onnx_attr_int(c, "quantize_axis", 1), ndim);
  bool is_bytes = tn_onnx_type_of(c, parts[0]) == TN_DT_U8;
  int64_t bits = is_bytes ? bits_attr(c, 4) : 4;
  tn_dtype type = tn_onnx_type_of(c, parts[1]);
  if (c->st != NULL || gather == quantize || block < 1 || block > INT32_MAX ||
      (is_bytes && bits < 8 && quantize != ndim - 1)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "blocks of %" PRId64 " along axis %d of %d, gathered along %d",
                 block, quantize, ndim, gather);
    return;
  }
  if (is_bytes) {
    parts[0] = unpacked(c, parts[0], bits);
    if (parts[2] == NULL) {
      parts[2] = tn_onnx_scalar(c, TN_DT_U8, (double)(1 << (bits - 1)));
    } else {
      const tn_node *want = tn_onnx_dims(c, parts[1]);
      parts[2] = unpacked(c, parts[2], bits);
      const tn_node *has = tn_onnx_dims(c, parts[2]);
      if (want != NULL && has != NULL && want->in[quantize]->op == TN_OP_INT &&
          !tn_is_int(has->in[quantize], want->in[quantize]->attr.i64)) {
        parts[2] = tn_onnx_part(c, parts[2], quantize, 0, want->in[quantize]->attr.i64);
      }
    }
  } else if (parts[2] == NULL) {
    parts[2] = tn_onnx_scalar(c, tn_onnx_type_of(c, parts[0]), 0);
  }
  const tn_node *dims = tn_onnx_dims(c, parts[0]);
  const tn_node *index =
      tn_onnx_from_start(c, tn_onnx_in(c, 1), dims == NULL ? NULL : dims->in[gather]);
  for (int i = 0; i < 3; ++i) {
    if (tn_onnx_ndim(c, parts[i]) > 0) {
      tn_onnx_build b = tn_onnx_begin(c, "take");
      tn_onnx_set_int(&b, "axis", gather);
      parts[i] = tn_onnx_end2(&b, parts[i], index);
    }
  }
  int32_t moved = quantize > gather ? tn_onnx_ndim(c, tn_onnx_in(c, 1)) - 1 : 0;
  tn_onnx_give(c, 0, tn_onnx_quant_blocks(c, "dequantize", parts, quantize + moved, block, type));
}
