/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Signals: Fourier transforms, windows, mel filters.
 *
 * A transform of n = p * q points is q transforms of p points, a factor for each result, and p
 * transforms of q points (Cooley, Tukey); what does not divide is a product with a matrix. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/rules.h"

/* Points of a transform that is one product with a matrix, and what it may have when it is prime. */
enum { MAX_DIRECT = 64, MAX_PRIME = 4096, MAX_POINTS = 1 << 22 };

/* Real and imaginary parts [M, n]; im NULL: 0. */
typedef struct complex_pair {
  const tn_node *re;
  const tn_node *im;
} complex_pair;

typedef struct transform {
  tn_onnx_call *c;
  tn_dtype type; /* float32 or float64 */
  double sign;   /* of the angle: -1 forward, 1 back */
} transform;

static const tn_node *combined(tn_onnx_call *c, const char *op, const tn_node *a,
                               const tn_node *b) {
  return a == NULL   ? (b == NULL || op[0] == 'a' ? b : tn_onnx_op1(c, "negative", b))
         : b == NULL ? a
                     : tn_onnx_op2(c, op, a, b);
}

/* (a + b i) op (cos + sin i), where op multiplies: elements, or as matrices. */
static complex_pair product(const transform *t, const char *op, complex_pair x,
                            const tn_node *cosine, const tn_node *sine) {
  tn_onnx_call *c = t->c;
  complex_pair y;
  const tn_node *im_sin = x.im == NULL ? NULL : tn_onnx_op2(c, op, x.im, sine);
  const tn_node *im_cos = x.im == NULL ? NULL : tn_onnx_op2(c, op, x.im, cosine);
  y.re = combined(c, "subtract", tn_onnx_op2(c, op, x.re, cosine), im_sin);
  y.im = combined(c, "add", tn_onnx_op2(c, op, x.re, sine), im_cos);
  return y;
}

/* cos or sin of sign * 2 pi * j * k / n for j < rows and k < columns. */
static const tn_node *waves(const transform *t, int64_t rows, int64_t columns, int64_t n,
                            double (*wave)(double)) {
  tn_array array = {0};
  int64_t shape[2] = {rows, columns};
  if (t->c->st != NULL) {
    return NULL;
  }
  tn_onnx_fail(t->c, tn_array_init(&array, t->type, 2, shape));
  for (int64_t j = 0; t->c->st == NULL && j < rows; ++j) {
    for (int64_t k = 0; k < columns; ++k) {
      double angle = 2 * M_PI * (double)(j * k % n) / (double)n;
      tn_array_set_f64(&array, j * columns + k, wave(t->sign * angle));
    }
  }
  return tn_onnx_const(t->c, &array);
}

/* [M, ...] with these extents, and two of three dimensions exchanged. */
static const tn_node *turned(tn_onnx_call *c, const tn_node *x, int64_t p, int64_t q) {
  const int64_t swap[] = {0, 2, 1};
  const tn_node *dims[] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, p), tn_onnx_i64(c, q)};
  return x == NULL ? NULL
                   : tn_onnx_permute(c, tn_onnx_reshape(c, x, tn_list(c->ir, 3, dims)), swap);
}

static const tn_node *rows_of(tn_onnx_call *c, const tn_node *x, int64_t n) {
  const tn_node *dims[] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, n)};
  return x == NULL ? NULL : tn_onnx_reshape(c, x, tn_list(c->ir, 2, dims));
}

/* The largest divisor that is not above the root; 1: n is prime. */
static int64_t divisor(int64_t n) {
  int64_t best = 1;
  for (int64_t p = 2; p * p <= n; ++p) {
    best = n % p == 0 ? p : best;
  }
  return best;
}

/* Depth: each level halves the digits of n. */
static complex_pair transformed(const transform *t, complex_pair x, int64_t n) {
  tn_onnx_call *c = t->c;
  int64_t p = n <= MAX_DIRECT ? 1 : divisor(n);
  if (c->st != NULL || (p == 1 && n > MAX_PRIME)) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED,
                 "a transform whose points have the prime factor %" PRId64 ", more than %d", n,
                 (int)MAX_PRIME);
    return (complex_pair){0};
  }
  if (p == 1) {
    return product(t, "matmul", x, waves(t, n, n, n, cos), waves(t, n, n, n, sin));
  }
  int64_t q = n / p; /* element q * j1 + j2 of x, element k1 + p * k2 of the result */
  x.re = rows_of(c, turned(c, x.re, p, q), p);
  x.im = rows_of(c, turned(c, x.im, p, q), p);
  complex_pair y = transformed(t, x, p); /* [M * q, p]: j2, k1 */
  const tn_node *grid[] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, q), tn_onnx_i64(c, p)};
  const tn_node *dims = tn_list(c->ir, 3, grid);
  y.re = tn_onnx_reshape(c, y.re, dims);
  y.im = tn_onnx_reshape(c, y.im, dims);
  y = product(t, "multiply", y, waves(t, q, p, n, cos), waves(t, q, p, n, sin));
  y.re = rows_of(c, turned(c, y.re, q, p), q);
  y.im = rows_of(c, turned(c, y.im, q, p), q);
  y = transformed(t, y, q); /* [M * p, q]: k1, k2 */
  y.re = rows_of(c, turned(c, y.re, p, q), n);
  y.im = rows_of(c, turned(c, y.im, p, q), n);
  return y;
}

/* ---- DFT ---- */

typedef struct dft {
  int64_t n;      /* points */
  int64_t n_kept; /* of the result */
  bool is_inverse;
  bool is_onesided;
} dft;

static const tn_node *halves(tn_onnx_call *c, const tn_node *re, const tn_node *im) {
  const tn_node *both[] = {re, im};
  tn_onnx_build b = tn_onnx_begin(c, "stack");
  tn_onnx_set_int(&b, "axis", 2);
  return tn_onnx_end1(&b, tn_onnx_tuple(c, 2, both));
}

/* The spectrum of a real signal from its first half: what follows is conjugate, in reverse. */
static complex_pair mirrored(tn_onnx_call *c, complex_pair x, int64_t n) {
  int64_t half = n / 2 + 1;
  const tn_node *parts[2];
  tn_onnx_build b;
  for (int i = 0; i < 2; ++i) {
    const tn_node **part = i == 0 ? &x.re : &x.im;
    if (*part == NULL || n - half < 1) {
      continue;
    }
    b = tn_onnx_begin(c, "flip");
    tn_onnx_set_int(&b, "axis", 1);
    parts[0] = *part;
    parts[1] = tn_onnx_end1(&b, tn_onnx_part(c, *part, 1, 1, n - half + 1));
    parts[1] = i == 0 ? parts[1] : tn_onnx_op1(c, "negative", parts[1]);
    *part = tn_onnx_concat(c, 1, 2, parts);
  }
  return x;
}

/* Component i of [M, m, 1 or 2], cut or filled up with zeros to n points. */
static const tn_node *component(tn_onnx_call *c, const tn_node *x, int64_t i, int64_t m,
                                int64_t n) {
  const int64_t before[2] = {0, 0};
  const int64_t after[2] = {0, n - m};
  return tn_onnx_pad(c, rows_of(c, tn_onnx_part(c, x, 2, i, i + 1), m), 0, before, after);
}

/* x [M, m, 1 or 2] to [M, n_kept, 1 or 2]. */
static const tn_node *run_dft(tn_onnx_call *c, const dft *d, const tn_node *x, int64_t m,
                              bool is_complex) {
  tn_dtype type = tn_onnx_type_of(c, x);
  transform t = {c, tn_dtype_bits(type) < 32 ? TN_DT_F32 : type, d->is_inverse ? 1 : -1};
  bool is_half = d->is_inverse && d->is_onesided;
  int64_t n_in = is_half ? d->n / 2 + 1 : d->n;
  complex_pair y = {NULL, NULL};
  x = tn_onnx_cast(c, x, t.type);
  y.re = component(c, x, 0, m, n_in);
  y.im = is_complex ? component(c, x, 1, m, n_in) : NULL;
  y = is_half ? mirrored(c, y, d->n) : y;
  y = transformed(&t, y, d->n);
  if (d->is_inverse) {
    const tn_node *scale = tn_onnx_scalar(c, t.type, 1 / (double)d->n);
    y.re = tn_onnx_op2(c, "multiply", y.re, scale);
    y.im = tn_onnx_op2(c, "multiply", y.im, scale);
  }
  if (d->n_kept < d->n) {
    y.re = tn_onnx_part(c, y.re, 1, 0, d->n_kept);
    y.im = tn_onnx_part(c, y.im, 1, 0, d->n_kept);
  }
  const tn_node *flat[] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, d->n_kept), tn_onnx_i64(c, 1)};
  x = is_half ? tn_onnx_reshape(c, y.re, tn_list(c->ir, 3, flat)) : halves(c, y.re, y.im);
  return tn_onnx_cast(c, x, type);
}

static int64_t one_number(tn_onnx_call *c, uint32_t i, const char *what, int64_t otherwise) {
  if (tn_onnx_maybe(c, i) == NULL) {
    return otherwise;
  }
  tn_onnx_i64s given = tn_onnx_numbers(c, tn_onnx_maybe(c, i), what);
  if (c->st == NULL && given.len != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "%s is no number", what);
  }
  return c->st != NULL ? otherwise : given.data[0];
}

static bool is_extent(const tn_node *extent, int64_t most) {
  return extent->op == TN_OP_INT && extent->attr.i64 >= 1 && extent->attr.i64 <= most;
}

void tn_onnx_rule_dft(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *shape[TN_MAX_NDIM];
  int64_t order[TN_MAX_NDIM];
  dft d = {.is_inverse = tn_onnx_attr_int(c, "inverse", 0) != 0,
           .is_onesided = tn_onnx_attr_int(c, "onesided", 0) != 0};
  int64_t axis = c->version < 20 ? tn_onnx_attr_int(c, "axis", 1) : one_number(c, 2, "axis", -2);
  int32_t ndim = tn_onnx_ndim(c, x);
  int32_t at = tn_onnx_axis(c, axis, ndim);
  if (c->st != NULL || at == ndim - 1 || !is_extent(dims->in[at], MAX_POINTS) ||
      !is_extent(dims->in[ndim - 1], 2)) {
    TN_ONNX_FAIL(c, TN_INVALID,
                 "axis %" PRId64
                 " of such data; its extent and the last one (1 or 2) must be numbers",
                 axis);
    return;
  }
  int64_t m = dims->in[at]->attr.i64;
  bool is_complex = tn_is_int(dims->in[ndim - 1], 2);
  d.n = one_number(c, 1, "dft_length", d.is_inverse && d.is_onesided ? 2 * (m - 1) : m);
  if (c->st != NULL || d.n < 1 || d.n > MAX_POINTS ||
      (d.is_onesided && !d.is_inverse && is_complex)) {
    TN_ONNX_FAIL(c, TN_INVALID, "dft_length %" PRId64 ", or onesided of complex data", d.n);
    return;
  }
  d.n_kept = d.is_onesided && !d.is_inverse ? d.n / 2 + 1 : d.n;
  for (int32_t i = 0; i < ndim; ++i) { /* the axis next to the last dimension */
    order[i] = i < at ? i : i < ndim - 2 ? i + 1 : i == ndim - 2 ? at : i;
  }
  x = tn_onnx_permute(c, x, order);
  const tn_node *rows[] = {tn_onnx_i64(c, -1), dims->in[at], dims->in[ndim - 1]};
  x = run_dft(c, &d, tn_onnx_reshape(c, x, tn_list(c->ir, 3, rows)), m, is_complex);
  for (int32_t i = 0; i < ndim - 2; ++i) {
    shape[i] = dims->in[order[i]];
  }
  shape[ndim - 2] = tn_onnx_i64(c, d.n_kept);
  shape[ndim - 1] = tn_onnx_i64(c, d.is_inverse && d.is_onesided ? 1 : 2);
  x = tn_onnx_reshape(c, x, tn_list(c->ir, (uint32_t)ndim, shape));
  for (int32_t i = 0; i < ndim; ++i) {
    order[i] = i < at ? i : i == at ? ndim - 2 : i < ndim - 1 ? i - 1 : i;
  }
  tn_onnx_give(c, 0, tn_onnx_permute(c, x, order));
}

/* ---- STFT ---- */

/* Frames of the signal, `step` from one to the next, times the window, each transformed. */
void tn_onnx_rule_stft(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *window = tn_onnx_maybe(c, 2);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *window_dims = window == NULL ? NULL : tn_onnx_dims(c, window);
  int64_t step = one_number(c, 1, "frame_step", 0);
  bool is_flat = dims != NULL && dims->n_in == 2;
  if (c->st != NULL || (!is_flat && dims->n_in != 3) || !is_extent(dims->in[1], INT32_MAX) ||
      (!is_flat && !is_extent(dims->in[2], 2)) ||
      (window != NULL && (window_dims->n_in != 1 || !is_extent(window_dims->in[0], MAX_POINTS)))) {
    TN_ONNX_FAIL(c, TN_INVALID,
                 "expected a signal [batch, length, 1 or 2] of known length, and a "
                 "window of known length");
    return;
  }
  int64_t length = dims->in[1]->attr.i64;
  dft d = {.is_onesided = tn_onnx_attr_int(c, "onesided", 1) != 0};
  d.n = one_number(c, 3, "frame_length", window == NULL ? length : window_dims->in[0]->attr.i64);
  if (c->st != NULL || step < 1 || d.n < 1 || d.n > length || d.n > MAX_POINTS ||
      (window != NULL && window_dims->in[0]->attr.i64 != d.n)) {
    TN_ONNX_FAIL(c, TN_INVALID,
                 "frames of %" PRId64 " in steps of %" PRId64 " over %" PRId64 " elements", d.n,
                 step, length);
    return;
  }
  bool is_complex = !is_flat && tn_is_int(dims->in[2], 2);
  int64_t n_frames = 1 + (length - d.n) / step;
  d.n_kept = d.is_onesided ? d.n / 2 + 1 : d.n;
  if (n_frames * d.n > INT32_MAX) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%" PRId64 " frames of %" PRId64 " elements", n_frames, d.n);
    return;
  }
  tn_onnx_i64s at = tn_onnx_i64s_alloc(c, (size_t)(n_frames * d.n));
  for (int64_t i = 0; i < n_frames * d.n; ++i) {
    at.data[i] = i / d.n * step + i % d.n;
  }
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", 1);
  const tn_node *last = tn_onnx_i64(c, is_complex ? 2 : 1);
  const tn_node *rows[] = {tn_onnx_i64(c, -1), tn_onnx_i64(c, d.n), last};
  const tn_node *frames =
      tn_onnx_reshape(c, tn_onnx_end2(&b, x, tn_onnx_vector(c, at)), tn_list(c->ir, 3, rows));
  if (window != NULL) {
    frames = tn_onnx_op2(c, "multiply", frames, tn_onnx_stand(c, window, 2, 0));
  }
  const tn_node *out[] = {dims->in[0], tn_onnx_i64(c, n_frames), tn_onnx_i64(c, d.n_kept),
                          tn_onnx_i64(c, 2)};
  const tn_node *y = run_dft(c, &d, frames, d.n, is_complex);
  tn_onnx_give(c, 0, tn_onnx_reshape(c, y, tn_list(c->ir, 4, out)));
}

/* ---- windows ---- */

static tn_dtype output_type(tn_onnx_call *c) {
  tn_dtype type = TN_DT_F32;
  tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "output_datatype", 1), &type));
  return type;
}

/* factor * cos(times * 2 pi i / n) */
static const tn_node *wave(tn_onnx_call *c, const tn_node *turn, double times, double factor) {
  const tn_node *angle =
      tn_onnx_op2(c, "multiply", turn, tn_onnx_scalar(c, TN_DT_F64, times * 2 * M_PI));
  return tn_onnx_op2(c, "multiply", tn_onnx_op1(c, "cos", angle),
                     tn_onnx_scalar(c, TN_DT_F64, factor));
}

/* a - b cos(2 pi i / n) + d cos(4 pi i / n) in float64. */
static void give_window(tn_onnx_call *c, double a, double b, double d) {
  const tn_node *one = tn_onnx_i64(c, 1);
  const tn_node *vector = tn_onnx_reshape(c, tn_onnx_in(c, 0), tn_list(c->ir, 1, &one));
  bool is_periodic = tn_onnx_attr_int(c, "periodic", 1) != 0;
  tn_dtype type = output_type(c);
  const tn_node *sizes = tn_onnx_sizes(c, vector, "size");
  if (c->st != NULL) {
    return;
  }
  const tn_node *n = is_periodic ? sizes->in[0] : tn_onnx_size_op(c, TN_OP_SUB, sizes->in[0], one);
  n = tn_onnx_size_op(c, TN_OP_MAX, n, one);
  const tn_node *all =
      tn_onnx_cast(c, tn_onnx_from_known(c, tn_list(c->ir, 1, &n), true), TN_DT_F64);
  const tn_node *i = tn_onnx_cast(c, tn_onnx_counted(c, sizes->in[0]), TN_DT_F64);
  const tn_node *turn = tn_onnx_op2(c, "divide", i, all);
  const tn_node *y = tn_onnx_op2(c, "add", wave(c, turn, 1, -b), tn_onnx_scalar(c, TN_DT_F64, a));
  y = d == 0 ? y : tn_onnx_op2(c, "add", y, wave(c, turn, 2, d));
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, type));
}

void tn_onnx_rule_hann_window(tn_onnx_call *c) { give_window(c, 0.5, 0.5, 0); }

void tn_onnx_rule_hamming_window(tn_onnx_call *c) { give_window(c, 25.0 / 46, 21.0 / 46, 0); }

void tn_onnx_rule_blackman_window(tn_onnx_call *c) { give_window(c, 0.42, 0.5, 0.08); }

/* ---- mel filters ---- */

static double hertz_to_mel(double hertz) { return 2595 * log10(1 + hertz / 700); }
static double mel_to_hertz(double mel) { return 700 * (pow(10, mel / 2595) - 1); }

/* Column i: a triangle from bin at[0] over at[1] down to at[2]. */
static void set_triangle(tn_array *out, int64_t i, const int64_t *at) {
  int64_t n_rows = out->shape[0];
  int64_t n = out->shape[1];
  for (int64_t j = at[0] < 0 ? 0 : at[0]; j < at[2] && j < n_rows; ++j) {
    bool rises = j <= at[1];
    double value = rises ? (double)(j - at[0]) / (double)(at[1] - at[0])
                         : (double)(at[2] - j) / (double)(at[2] - at[1]);
    tn_array_set_f64(out, j * n + i, value);
  }
  if (at[1] >= 0 && at[1] < n_rows) {
    tn_array_set_f64(out, at[1] * n + i, 1);
  }
}

enum { BINS, LENGTH, RATE, LOWER, UPPER, N_MEL };

void tn_onnx_rule_mel_weight_matrix(tn_onnx_call *c) {
  double in[N_MEL];
  tn_array out = {0};
  for (uint32_t i = 0; i < N_MEL; ++i) {
    const tn_array *array = tn_onnx_need_array(c, tn_onnx_in(c, i));
    if (array == NULL || tn_array_n_elems(array) != 1) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "input %u must be a number that is known while compiling", i);
      return;
    }
    in[i] = tn_array_get_f64(array, 0);
  }
  bool is_fine = in[BINS] >= 1 && in[BINS] <= MAX_POINTS && in[LENGTH] >= 1 &&
                 in[LENGTH] <= MAX_POINTS && in[RATE] >= 1 && in[LOWER] >= 0 &&
                 in[UPPER] >= in[LOWER] && in[UPPER] <= 1e12 &&
                 in[BINS] * in[LENGTH] <= (double)((int64_t)1 << 28);
  if (!is_fine) {
    TN_ONNX_FAIL(c, TN_INVALID, "%g bins of %g points at %g Hz from %g to %g Hz", in[BINS],
                 in[LENGTH], in[RATE], in[LOWER], in[UPPER]);
    return;
  }
  int64_t shape[2] = {(int64_t)in[LENGTH] / 2 + 1, (int64_t)in[BINS]};
  double low = hertz_to_mel(in[LOWER]);
  double step = (hertz_to_mel(in[UPPER]) - low) / (double)(shape[1] + 2);
  tn_onnx_fail(c, tn_array_init(&out, output_type(c), 2, shape));
  for (int64_t i = 0; c->st == NULL && i < shape[1]; ++i) {
    int64_t at[3];
    for (int64_t k = 0; k < 3; ++k) {
      double hertz = mel_to_hertz((double)(i + k) * step + low);
      at[k] = (int64_t)floor((in[LENGTH] + 1) * hertz / in[RATE]);
    }
    set_triangle(&out, i, at);
  }
  tn_onnx_give(c, 0, tn_onnx_const(c, &out));
}
