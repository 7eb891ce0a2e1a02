/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The functions of tir_te_test.c: how each is written, and what it computes. */
#include "tir_te_cases.h"

#include <math.h>
#include <string.h>

#define AT(tensor, ...) tn_te_read(te, tensor, TN_TE_LIST(__VA_ARGS__))
#define F32(data, i) (((float *)(data))[i])
#define I32(data, i) (((int32_t *)(data))[i])

static const tn_node *num(tn_te *te, int64_t value) { return tn_te_int(te, value); }
static const tn_node *f32(tn_te *te, double value) { return tn_te_number(te, TN_DT_F32, value); }

/* ---- matrix products ---- */

static void matmul_of(tn_te *te, const tn_node *n, const tn_node *m, const tn_node *k_extent,
                      bool is_nonempty, const tn_node **p) {
  p[0] = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n, k_extent));
  p[1] = tn_te_placeholder(te, "B", TN_DT_F32, TN_TE_LIST(k_extent, m));
  tn_te_begin(te, "C", TN_TE_LIST(n, m));
  const tn_node *i = tn_te_axis(te, 0, "i");
  const tn_node *j = tn_te_axis(te, 1, "j");
  const tn_node *k = tn_te_reduce_axis(te, "k", k_extent);
  if (is_nonempty) {
    tn_te_assume_nonempty(te);
  }
  p[2] = tn_te_end_reduce(te, TN_TE_SUM, tn_te_mul(te, AT(p[0], i, k), AT(p[1], k, j)));
}

static void build_matmul(tn_te *te, const tn_node **p) {
  matmul_of(te, num(te, 4), num(te, 5), num(te, 3), false, p);
}

static void build_symbolic(tn_te *te, const tn_node **p) {
  matmul_of(te, tn_te_var(te, "n", TN_DT_I32), tn_te_var(te, "m", TN_DT_I32),
            tn_te_var(te, "l", TN_DT_I32), true, p);
}

static void build_maybe_empty(tn_te *te, const tn_node **p) {
  matmul_of(te, tn_te_var(te, "n", TN_DT_I64), tn_te_var(te, "m", TN_DT_I64),
            tn_te_var(te, "l", TN_DT_I64), false, p);
}

static void ref_matmul(void *const *d) {
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      F32(d[2], i * 5 + j) = 0;
      for (int k = 0; k < 3; ++k) {
        F32(d[2], i * 5 + j) += F32(d[0], i * 3 + k) * F32(d[1], k * 5 + j);
      }
    }
  }
}

/* C[b] = A[b] B[b], int8 to int32, axes without names */
static void build_batched(tn_te *te, const tn_node **p) {
  const tn_node *b = num(te, 2);
  const tn_node *n = num(te, 3);
  p[0] = tn_te_placeholder(te, "A", TN_DT_I8, TN_TE_LIST(b, n, n));
  p[1] = tn_te_placeholder(te, "B", TN_DT_I8, TN_TE_LIST(b, n, n));
  tn_te_begin(te, "C", TN_TE_LIST(b, n, n));
  const tn_node *k = tn_te_reduce_axis(te, NULL, n);
  const tn_node *const *x = tn_te_axes(te);
  const tn_node *left = tn_te_cast(te, TN_DT_I32, AT(p[0], x[0], x[1], k));
  const tn_node *right = tn_te_cast(te, TN_DT_I32, AT(p[1], x[0], k, x[2]));
  p[2] = tn_te_end_reduce(te, TN_TE_SUM, tn_te_mul(te, left, right));
}

static void ref_batched(void *const *d) {
  const int8_t *a = d[0];
  const int8_t *b = d[1];
  for (int i = 0; i < 18; ++i) {
    I32(d[2], i) = 0;
    for (int k = 0; k < 3; ++k) {
      I32(d[2], i) += a[i / 3 * 3 + k] * b[i / 9 * 9 + k * 3 + i % 3];
    }
  }
}

/* ---- convolution and pooling ---- */

static void build_conv2d(tn_te *te, const tn_node **p) {
  const tn_node *one = num(te, 1);
  const tn_node *size = num(te, 5);
  p[0] = tn_te_placeholder(te, "X", TN_DT_F32, TN_TE_LIST(one, num(te, 2), size, size));
  p[1] = tn_te_placeholder(te, "W", TN_DT_F32,
                           TN_TE_LIST(num(te, 3), num(te, 2), num(te, 3), num(te, 3)));
  tn_te_begin(te, "pad", TN_TE_LIST(one, num(te, 2), num(te, 7), num(te, 7)));
  const tn_node *const *x = tn_te_axes(te);
  const tn_node *below = tn_te_and(te, tn_te_le(te, one, x[2]), tn_te_lt(te, x[2], num(te, 6)));
  const tn_node *beside = tn_te_and(te, tn_te_le(te, one, x[3]), tn_te_lt(te, x[3], num(te, 6)));
  const tn_node *inside = AT(p[0], x[0], x[1], tn_te_sub(te, x[2], one), tn_te_sub(te, x[3], one));
  const tn_node *pad =
      tn_te_end(te, tn_te_if_then_else(te, tn_te_and(te, below, beside), inside, f32(te, 0)));
  tn_te_begin(te, "conv", TN_TE_LIST(one, num(te, 3), size, size));
  const tn_node *nn = tn_te_axis(te, 0, "nn");
  const tn_node *ff = tn_te_axis(te, 1, "ff");
  const tn_node *yy = tn_te_axis(te, 2, "yy");
  const tn_node *xx = tn_te_axis(te, 3, "xx");
  const tn_node *rc = tn_te_reduce_axis(te, "rc", num(te, 2));
  const tn_node *ry = tn_te_reduce_axis(te, "ry", num(te, 3));
  const tn_node *rx = tn_te_reduce_axis(te, "rx", num(te, 3));
  const tn_node *value = AT(pad, nn, rc, tn_te_add(te, yy, ry), tn_te_add(te, xx, rx));
  p[2] = tn_te_end_reduce(te, TN_TE_SUM, tn_te_mul(te, value, AT(p[1], ff, rc, ry, rx)));
}

static void ref_conv2d(void *const *d) {
  for (int at = 0; at < 75; ++at) {
    float sum = 0;
    for (int k = 0; k < 18; ++k) {
      int y = at / 5 % 5 + k / 3 % 3 - 1;
      int x = at % 5 + k % 3 - 1;
      bool is_inside = y >= 0 && y < 5 && x >= 0 && x < 5;
      float value = is_inside ? F32(d[0], k / 9 * 25 + y * 5 + x) : 0;
      sum += value * F32(d[1], at / 25 * 18 + k);
    }
    F32(d[2], at) = sum;
  }
}

static void build_max_pool(tn_te *te, const tn_node **p) {
  const tn_node *two = num(te, 2);
  p[0] = tn_te_placeholder(te, "X", TN_DT_F32, TN_TE_LIST(num(te, 3), num(te, 6), num(te, 4)));
  tn_te_begin(te, "pool", TN_TE_LIST(num(te, 3), num(te, 3), two));
  const tn_node *const *x = tn_te_axes(te);
  const tn_node *ry = tn_te_reduce_axis(te, "ry", two);
  const tn_node *rx = tn_te_reduce_axis(te, "rx", two);
  const tn_node *row = tn_te_add(te, tn_te_mul(te, x[1], two), ry);
  const tn_node *column = tn_te_add(te, tn_te_mul(te, x[2], two), rx);
  p[1] = tn_te_end_reduce(te, TN_TE_MAX, AT(p[0], x[0], row, column));
}

static void ref_max_pool(void *const *d) {
  for (int at = 0; at < 18; ++at) {
    float best = -INFINITY;
    for (int k = 0; k < 4; ++k) {
      float v = F32(d[0], at / 6 * 24 + (at / 2 % 3 * 2 + k / 2) * 4 + at % 2 * 2 + k % 2);
      best = v > best ? v : best;
    }
    F32(d[1], at) = best;
  }
}

/* ---- reductions ---- */

static void combine_argmax(tn_te *te, void *ctx, const tn_node *const *a, const tn_node *const *b,
                           const tn_node **out) {
  (void)ctx;
  const tn_node *keeps = tn_te_ge(te, a[1], b[1]);
  out[0] = tn_te_select(te, keeps, a[0], b[0]);
  out[1] = tn_te_select(te, keeps, a[1], b[1]);
}

static void build_argmax(tn_te *te, const tn_node **p) {
  const tn_node *m = tn_te_var(te, "m", TN_DT_I32);
  const tn_node *n = num(te, 7);
  p[0] = tn_te_placeholder(te, "idx", TN_DT_I32, TN_TE_LIST(m, n));
  p[1] = tn_te_placeholder(te, "val", TN_DT_F32, TN_TE_LIST(m, n));
  const tn_node *identity[] = {num(te, -1), tn_te_least(te, TN_DT_F32)};
  tn_te_reducer reducer = {.n = 2, .combine = combine_argmax, .identity = identity};
  tn_te_begin(te, "argmax", TN_TE_LIST(m));
  const tn_node *i = tn_te_axis(te, 0, "i");
  const tn_node *k = tn_te_reduce_axis(te, "k", n);
  const tn_node *values[] = {AT(p[0], i, k), AT(p[1], i, k)};
  tn_te_end_reduce_with(te, &reducer, values, &p[2]);
}

static void ref_argmax(void *const *d) {
  for (int i = 0; i < 3; ++i) {
    I32(d[2], i) = -1;
    F32(d[3], i) = -INFINITY;
    for (int k = 0; k < 7; ++k) {
      if (!(F32(d[3], i) >= F32(d[1], i * 7 + k))) {
        I32(d[2], i) = I32(d[0], i * 7 + k);
        F32(d[3], i) = F32(d[1], i * 7 + k);
      }
    }
  }
}

static void build_total(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 6);
  p[0] = tn_te_placeholder(te, "A", TN_DT_F64, TN_TE_LIST(n, n));
  tn_te_begin(te, "total", 0, NULL);
  const tn_node *a = tn_te_reduce_axis(te, NULL, n);
  const tn_node *b = tn_te_reduce_axis(te, NULL, n);
  p[1] = tn_te_end_reduce(te, TN_TE_SUM, AT(p[0], a, b));
}

static void ref_total(void *const *d) {
  double sum = 0;
  for (int i = 0; i < 36; ++i) {
    sum += ((double *)d[0])[i];
  }
  ((double *)d[1])[0] = sum;
}

/* The least and the product of integers along the first dimension. */
static void build_least(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 3);
  p[0] = tn_te_placeholder(te, "A", TN_DT_I32, TN_TE_LIST(n, n));
  tn_te_begin(te, "least", TN_TE_LIST(n));
  const tn_node *k = tn_te_reduce_axis(te, NULL, n);
  p[1] = tn_te_end_reduce(te, TN_TE_MIN, AT(p[0], k, tn_te_axis(te, 0, NULL)));
  tn_te_begin(te, "product", TN_TE_LIST(n));
  k = tn_te_reduce_axis(te, NULL, n);
  p[2] = tn_te_end_reduce(te, TN_TE_PROD, AT(p[0], k, tn_te_axis(te, 0, NULL)));
}

static void ref_least(void *const *d) {
  for (int i = 0; i < 3; ++i) {
    I32(d[1], i) = INT32_MAX;
    I32(d[2], i) = 1;
    for (int k = 0; k < 3; ++k) {
      int32_t v = I32(d[0], k * 3 + i);
      I32(d[1], i) = v < I32(d[1], i) ? v : I32(d[1], i);
      I32(d[2], i) *= v;
    }
  }
}

static void build_softmax(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 3);
  const tn_node *m = num(te, 5);
  p[0] = tn_te_placeholder(te, "X", TN_DT_F32, TN_TE_LIST(n, m));
  tn_te_begin(te, "top", TN_TE_LIST(n));
  const tn_node *i = tn_te_axis(te, 0, "i");
  const tn_node *top = tn_te_end_reduce(te, TN_TE_MAX, AT(p[0], i, tn_te_reduce_axis(te, "k", m)));
  tn_te_begin(te, "e", TN_TE_LIST(n, m));
  i = tn_te_axis(te, 0, "i");
  const tn_node *j = tn_te_axis(te, 1, "j");
  const tn_node *shifted = tn_te_sub(te, AT(p[0], i, j), AT(top, i));
  const tn_node *e = tn_te_end(te, tn_te_call(te, "exp", TN_TE_LIST(shifted)));
  tn_te_begin(te, "sum", TN_TE_LIST(n));
  i = tn_te_axis(te, 0, "i");
  const tn_node *sum = tn_te_end_reduce(te, TN_TE_SUM, AT(e, i, tn_te_reduce_axis(te, "k", m)));
  tn_te_begin(te, "softmax", TN_TE_LIST(n, m));
  i = tn_te_axis(te, 0, "i");
  p[1] = tn_te_end(te, tn_te_div(te, AT(e, i, tn_te_axis(te, 1, "j")), AT(sum, i)));
}

static void ref_softmax(void *const *d) {
  for (int i = 0; i < 3; ++i) {
    float top = -INFINITY;
    double sum = 0;
    for (int j = 0; j < 5; ++j) {
      top = fmaxf(top, F32(d[0], i * 5 + j));
    }
    for (int j = 0; j < 5; ++j) {
      sum += exp((double)(F32(d[0], i * 5 + j) - top));
    }
    for (int j = 0; j < 5; ++j) {
      F32(d[1], i * 5 + j) = (float)(exp((double)(F32(d[0], i * 5 + j) - top)) / sum);
    }
  }
}

static void combine_sums(tn_te *te, void *ctx, const tn_node *const *a, const tn_node *const *b,
                         const tn_node **out) {
  (void)ctx;
  out[0] = tn_te_add(te, a[0], b[0]);
  out[1] = tn_te_add(te, a[1], b[1]);
}

/* Both sums in one pass. */
static void build_layer_norm(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 2);
  const tn_node *m = num(te, 8);
  const tn_node *sums[2];
  p[0] = tn_te_placeholder(te, "X", TN_DT_F32, TN_TE_LIST(n, m));
  p[1] = tn_te_placeholder(te, "gamma", TN_DT_F32, TN_TE_LIST(m));
  p[2] = tn_te_placeholder(te, "beta", TN_DT_F32, TN_TE_LIST(m));
  const tn_node *identity[] = {f32(te, 0), f32(te, 0)};
  tn_te_reducer reducer = {.n = 2, .combine = combine_sums, .identity = identity};
  tn_te_begin(te, "sums", TN_TE_LIST(n));
  const tn_node *x = AT(p[0], tn_te_axis(te, 0, NULL), tn_te_reduce_axis(te, NULL, m));
  const tn_node *values[] = {x, tn_te_mul(te, x, x)};
  tn_te_end_reduce_with(te, &reducer, values, sums);
  tn_te_begin(te, "layer_norm", TN_TE_LIST(n, m));
  const tn_node *i = tn_te_axis(te, 0, NULL);
  const tn_node *j = tn_te_axis(te, 1, NULL);
  const tn_node *mean = tn_te_div(te, AT(sums[0], i), f32(te, 8));
  const tn_node *var =
      tn_te_sub(te, tn_te_div(te, AT(sums[1], i), f32(te, 8)), tn_te_mul(te, mean, mean));
  const tn_node *scale = tn_te_call(te, "sqrt", TN_TE_LIST(tn_te_add(te, var, f32(te, 0x1p-10))));
  const tn_node *unit = tn_te_div(te, tn_te_sub(te, AT(p[0], i, j), mean), scale);
  p[3] = tn_te_end(te, tn_te_add(te, tn_te_mul(te, unit, AT(p[1], j)), AT(p[2], j)));
}

static void ref_layer_norm(void *const *d) {
  for (int i = 0; i < 2; ++i) {
    float sum = 0;
    float squares = 0;
    for (int j = 0; j < 8; ++j) {
      sum += F32(d[0], i * 8 + j);
      squares += F32(d[0], i * 8 + j) * F32(d[0], i * 8 + j);
    }
    float mean = sum / 8;
    float scale = sqrtf(squares / 8 - mean * mean + 0x1p-10F);
    for (int j = 0; j < 8; ++j) {
      float unit = (F32(d[0], i * 8 + j) - mean) / scale;
      F32(d[3], i * 8 + j) = unit * F32(d[1], j) + F32(d[2], j);
    }
  }
}

/* ---- element by element ---- */

static void build_two_outputs(tn_te *te, const tn_node **p) {
  const tn_node *m = tn_te_var(te, "m", TN_DT_I32);
  const tn_node *n = tn_te_var(te, "n", TN_DT_I32);
  p[0] = tn_te_placeholder(te, "A0", TN_DT_F32, TN_TE_LIST(m, n));
  p[1] = tn_te_placeholder(te, "A1", TN_DT_F32, TN_TE_LIST(m, n));
  tn_te_begin(te, "B", TN_TE_LIST(m, n));
  const tn_node *i = tn_te_axis(te, 0, "i");
  const tn_node *j = tn_te_axis(te, 1, "j");
  const tn_node *values[] = {tn_te_add(te, AT(p[0], i, j), num(te, 2)),
                             tn_te_mul(te, AT(p[1], i, j), num(te, 3))};
  tn_te_end_many(te, 2, values, &p[2]);
}

static void ref_two_outputs(void *const *d) {
  for (int i = 0; i < 12; ++i) {
    F32(d[2], i) = F32(d[0], i) + 2;
    F32(d[3], i) = F32(d[1], i) * 3;
  }
}

static void build_gather(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 5);
  p[0] = tn_te_placeholder(te, "table", TN_DT_F32, TN_TE_LIST(num(te, 7), num(te, 3)));
  p[1] = tn_te_placeholder(te, "rows", TN_DT_I64, TN_TE_LIST(n));
  tn_te_begin(te, "taken", TN_TE_LIST(n, num(te, 3)));
  const tn_node *i = tn_te_axis(te, 0, "i");
  p[2] = tn_te_end(te, AT(p[0], AT(p[1], i), tn_te_axis(te, 1, "j")));
}

static void ref_gather(void *const *d) {
  for (int i = 0; i < 15; ++i) {
    F32(d[2], i) = F32(d[0], ((int64_t *)d[1])[i / 3] * 3 + i % 3);
  }
}

static void build_transpose(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 2);
  const tn_node *m = num(te, 3);
  p[0] = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n, m, n));
  tn_te_begin(te, "B", TN_TE_LIST(n, n, m));
  const tn_node *const *x = tn_te_axes(te);
  p[1] = tn_te_end(te, AT(p[0], x[1], x[2], x[0]));
}

static void ref_transpose(void *const *d) {
  for (int i = 0; i < 12; ++i) {
    F32(d[1], i) = F32(d[0], i / 3 % 2 * 6 + i % 3 * 2 + i / 6);
  }
}

/* out[i] = (i > 0 ? out[i - 1] : 0) + A[i] */
static void build_prefix_sum(tn_te *te, const tn_node **p) {
  const tn_node *n = tn_te_var(te, "n", TN_DT_I64);
  p[0] = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n));
  p[1] = tn_te_declare(te, "sums", TN_DT_F32, TN_TE_LIST(n));
  tn_te_begin(te, "scan", TN_TE_LIST(n));
  const tn_node *i = tn_te_axis(te, 0, "i");
  tn_te_scan(te, 0);
  const tn_node *before = AT(p[1], tn_te_sub(te, i, num(te, 1)));
  const tn_node *is_later = tn_te_gt(te, i, num(te, 0));
  const tn_node *so_far = tn_te_if_then_else(te, is_later, before, f32(te, 0));
  tn_te_end_into(te, p[1], tn_te_axes(te), tn_te_add(te, so_far, AT(p[0], i)), NULL);
}

static void ref_prefix_sum(void *const *d) {
  for (int i = 0; i < 9; ++i) {
    F32(d[1], i) = (i > 0 ? F32(d[1], i - 1) : 0) + F32(d[0], i);
  }
}

/* relu(A + bias), with a tensor of the same name before it and one that nobody needs */
static void build_bias_relu(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 2);
  const tn_node *m = num(te, 4);
  p[0] = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n, m));
  p[1] = tn_te_placeholder(te, "bias", TN_DT_F32, TN_TE_LIST(m));
  tn_te_begin(te, "T", TN_TE_LIST(n, m));
  const tn_node *i = tn_te_axis(te, 0, "i");
  const tn_node *j = tn_te_axis(te, 1, "j");
  const tn_node *sum = tn_te_end(te, tn_te_add(te, AT(p[0], i, j), AT(p[1], j)));
  tn_te_begin(te, "unused", TN_TE_LIST(n));
  (void)tn_te_end(te, AT(sum, tn_te_axis(te, 0, NULL), num(te, 0)));
  tn_te_begin(te, "T", TN_TE_LIST(n, m));
  i = tn_te_axis(te, 0, "i");
  j = tn_te_axis(te, 1, "j");
  p[2] = tn_te_end(te, tn_te_max(te, AT(sum, i, j), f32(te, 0)));
}

static void ref_bias_relu(void *const *d) {
  for (int i = 0; i < 8; ++i) {
    float v = F32(d[0], i) + F32(d[1], i % 4);
    F32(d[2], i) = v > 0 ? v : 0;
  }
}

static void build_axpy(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 6);
  p[0] = tn_te_var(te, "alpha", TN_DT_F32);
  p[1] = tn_te_placeholder(te, "X", TN_DT_F32, TN_TE_LIST(n));
  p[2] = tn_te_placeholder(te, "Y", TN_DT_F32, TN_TE_LIST(n));
  tn_te_begin(te, "Z", TN_TE_LIST(n));
  const tn_node *i = tn_te_axis(te, 0, "i");
  p[3] = tn_te_end(te, tn_te_add(te, tn_te_mul(te, p[0], AT(p[1], i)), AT(p[2], i)));
}

static void ref_axpy(void *const *d) {
  for (int i = 0; i < 6; ++i) {
    F32(d[3], i) = 3 * F32(d[1], i) + F32(d[2], i);
  }
}

/* Comparisons, rounding and whole numbers of several types. */
static void build_integers(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 9);
  p[0] = tn_te_placeholder(te, "A", TN_DT_I32, TN_TE_LIST(n));
  p[1] = tn_te_placeholder(te, "B", TN_DT_I8, TN_TE_LIST(n));
  tn_te_begin(te, "C", TN_TE_LIST(n));
  const tn_node *i = tn_te_axis(te, 0, "i");
  const tn_node *a = AT(p[0], i);
  const tn_node *b = AT(p[1], i);
  const tn_node *is_low =
      tn_te_or(te, tn_te_lt(te, a, b), tn_te_not(te, tn_te_ne(te, b, num(te, 2))));
  const tn_node *down = tn_te_floordiv(te, a, num(te, 3));
  const tn_node *rest = tn_te_floormod(te, a, num(te, 3));
  const tn_node *toward_zero = tn_te_div(te, a, num(te, 3));
  const tn_node *high = tn_te_add(te, tn_te_mul(te, rest, num(te, 10)), toward_zero);
  p[2] = tn_te_end(te, tn_te_select(te, is_low, tn_te_neg(te, down), high));
}

static void ref_integers(void *const *d) {
  for (int i = 0; i < 9; ++i) {
    int32_t a = I32(d[0], i);
    int32_t b = ((int8_t *)d[1])[i];
    int32_t down = (a - (a % 3 + 3) % 3) / 3;
    I32(d[2], i) = a < b || b == 2 ? -down : (a % 3 + 3) % 3 * 10 + a / 3;
  }
}

static void build_is_even(tn_te *te, const tn_node **p) {
  const tn_node *n = num(te, 9);
  p[0] = tn_te_placeholder(te, "A", TN_DT_I32, TN_TE_LIST(n));
  tn_te_begin(te, "even", TN_TE_LIST(n));
  const tn_node *rest = tn_te_floormod(te, AT(p[0], tn_te_axis(te, 0, "i")), num(te, 2));
  p[1] = tn_te_end(te, tn_te_eq(te, rest, num(te, 0)));
}

static void ref_is_even(void *const *d) {
  for (int i = 0; i < 9; ++i) {
    ((uint8_t *)d[1])[i] = I32(d[0], i) % 2 == 0;
  }
}

/* A statement of one's own: B written by a loop that is no formula. */
static void build_extern(tn_te *te, const tn_node **p) {
  tn_ir *ir = tn_te_ir(te);
  const tn_node *n = num(te, 4);
  const tn_node *store = NULL;
  p[0] = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n));
  const tn_node *b = tn_te_declare(te, "B", TN_DT_F32, TN_TE_LIST(n));
  const tn_node *i = tn_var_new(ir, "i", TN_DT_I32);
  const tn_node *from = tn_te_sub(te, num(te, 3), i);
  (void)tn_te_keep(te, tn_tir_store(ir, b, AT(p[0], from), 1, &i, NULL, &store));
  tn_te_extern(te, "reverse", tn_for_new(ir, TN_FOR_SERIAL, i, NULL, n, store, NULL, NULL));
  tn_te_begin(te, "C", TN_TE_LIST(n));
  p[1] = tn_te_end(te, tn_te_mul(te, AT(b, tn_te_axis(te, 0, "i")), f32(te, 2)));
}

static void ref_extern(void *const *d) {
  for (int i = 0; i < 4; ++i) {
    F32(d[1], i) = F32(d[0], 3 - i) * 2;
  }
}

/* ---- the table ---- */

#define FLOATS(n, ...) \
  { TN_DT_F32, n, {__VA_ARGS__}, 0, false }
#define INTS(n, ...) \
  { TN_DT_I32, n, {__VA_ARGS__}, 0, false }
#define SMALL(n, ...) \
  { TN_DT_I8, n, {__VA_ARGS__}, 0, false }

const te_case te_cases[] = {
    {"argmax",
     4,
     build_argmax,
     ref_argmax,
     0,
     {{INTS(2, 3, 7), FLOATS(2, 3, 7), INTS(1, 3), FLOATS(1, 3)}}},
    {"axpy",
     4,
     build_axpy,
     ref_axpy,
     0,
     {{{TN_DT_F32, 0, {0}, 0, true}, FLOATS(1, 6), FLOATS(1, 6), FLOATS(1, 6)}}},
    {"batched",
     3,
     build_batched,
     ref_batched,
     0,
     {{SMALL(3, 2, 3, 3), SMALL(3, 2, 3, 3), INTS(3, 2, 3, 3)}}},
    {"bias_relu",
     3,
     build_bias_relu,
     ref_bias_relu,
     0,
     {{FLOATS(2, 2, 4), FLOATS(1, 4), FLOATS(2, 2, 4)}}},
    {"conv2d",
     3,
     build_conv2d,
     ref_conv2d,
     0,
     {{FLOATS(4, 1, 2, 5, 5), FLOATS(4, 3, 2, 3, 3), FLOATS(4, 1, 3, 5, 5)}}},
    {"extern_block", 2, build_extern, ref_extern, 0, {{FLOATS(1, 4), FLOATS(1, 4)}}},
    {"gather",
     3,
     build_gather,
     ref_gather,
     0,
     {{FLOATS(2, 7, 3), {TN_DT_I64, 1, {5}, 7, false}, FLOATS(2, 5, 3)}}},
    {"integers", 3, build_integers, ref_integers, 0, {{INTS(1, 9), SMALL(1, 9), INTS(1, 9)}}},
    {"is_even", 2, build_is_even, ref_is_even, 0, {{INTS(1, 9), {TN_DT_BOOL, 1, {9}, 2, false}}}},
    {"layer_norm",
     4,
     build_layer_norm,
     ref_layer_norm,
     1e-6,
     {{FLOATS(2, 2, 8), FLOATS(1, 8), FLOATS(1, 8), FLOATS(2, 2, 8)}}},
    {"least", 3, build_least, ref_least, 0, {{INTS(2, 3, 3), INTS(1, 3), INTS(1, 3)}}},
    {"matmul",
     3,
     build_matmul,
     ref_matmul,
     0,
     {{FLOATS(2, 4, 3), FLOATS(2, 3, 5), FLOATS(2, 4, 5)}}},
    {"max_pool", 2, build_max_pool, ref_max_pool, 0, {{FLOATS(3, 3, 6, 4), FLOATS(3, 3, 3, 2)}}},
    {"maybe_empty",
     3,
     build_maybe_empty,
     ref_matmul,
     0,
     {{FLOATS(2, 4, 3), FLOATS(2, 3, 5), FLOATS(2, 4, 5)}}},
    {"prefix_sum", 2, build_prefix_sum, ref_prefix_sum, 0, {{FLOATS(1, 9), FLOATS(1, 9)}}},
    {"softmax", 2, build_softmax, ref_softmax, 1e-6, {{FLOATS(2, 3, 5), FLOATS(2, 3, 5)}}},
    {"symbolic",
     3,
     build_symbolic,
     ref_matmul,
     0,
     {{FLOATS(2, 4, 3), FLOATS(2, 3, 5), FLOATS(2, 4, 5)}}},
    {"total",
     2,
     build_total,
     ref_total,
     0,
     {{{TN_DT_F64, 2, {6, 6}, 0, false}, {TN_DT_F64, 0, {0}, 0, false}}}},
    {"transpose", 2, build_transpose, ref_transpose, 0, {{FLOATS(3, 2, 3, 2), FLOATS(3, 2, 2, 3)}}},
    {"two_outputs",
     4,
     build_two_outputs,
     ref_two_outputs,
     0,
     {{FLOATS(2, 3, 4), FLOATS(2, 3, 4), FLOATS(2, 3, 4), FLOATS(2, 3, 4)}}},
};
const size_t te_n_cases = sizeof te_cases / sizeof te_cases[0];
