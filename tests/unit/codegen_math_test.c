/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How exact our mathematics is, as compiled code computes it: a kernel that maps a function over a
 * block of numbers, compiled for this machine, fast and under strict mathematics, against libm in a
 * wider type (float64 for float32, long double for float64; both are off by far less than an ulp of
 * the narrower one). The bounds are those of functions.def. Strict code must give the bits of the
 * interpreter's function too.
 *
 *   codegen_math_test            every function
 *   codegen_math_test sin tan    some; ctest has an entry for each
 *   codegen_math_test code       what code comes out, and fma
 *
 * Every 9973rd float32, special values, pairs of both and random numbers; with TN_LONG=1 all 2^32
 * numbers of a function of one number (without fused multiplication a sixteenth), and many more
 * pairs and float64. The worst error and its place are printed. */
#include <float.h>
#include <math.h>

#include "base/array.h"
#include "base/rng.h"
#include "codegen_util.h"
#include "tir/math/math.h"

enum { BLOCK = 1 << 16 };

static bool is_long(void) { return getenv("TN_LONG") != NULL; }

/* ---- what is right ---- */

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static long double sigmoidl(long double x) { return 1 / (1 + expl(-x)); }
static double rsqrt(double x) { return 1 / sqrt(x); }
static long double rsqrtl(long double x) { return 1 / sqrtl(x); }

/* Exact functions, which have none here, are compared with libm's of the same type. */
typedef struct reference {
  tn_intrin_id id;
  int parity; /* 1: f(-x) = f(x), -1: f(-x) = -f(x) */
  double (*one)(double);
  long double (*one_wide)(long double);
  double (*two)(double, double);
  long double (*two_wide)(long double, long double);
} reference;

#define ONE(id, name, parity) \
  { TN_INTRIN_##id, parity, name, name##l, NULL, NULL }
#define TWO(id, name) \
  { TN_INTRIN_##id, 0, NULL, NULL, name, name##l }
#define EXACT(id) \
  { TN_INTRIN_##id, 0, NULL, NULL, NULL, NULL }

static const reference references[] = {
    ONE(EXP, exp, 0),         ONE(EXP2, exp2, 0),   ONE(EXP10, exp10, 0),  ONE(LOG, log, 0),
    ONE(LOG2, log2, 0),       ONE(LOG10, log10, 0), ONE(LOG1P, log1p, 0),  ONE(SIN, sin, -1),
    ONE(COS, cos, 1),         ONE(TAN, tan, -1),    ONE(ASIN, asin, -1),   ONE(ACOS, acos, 0),
    ONE(ATAN, atan, -1),      ONE(SINH, sinh, -1),  ONE(COSH, cosh, 1),    ONE(TANH, tanh, -1),
    ONE(ASINH, asinh, -1),    ONE(ACOSH, acosh, 0), ONE(ATANH, atanh, -1), ONE(ERF, erf, -1),
    ONE(SIGMOID, sigmoid, 0), ONE(RSQRT, rsqrt, 0), TWO(ATAN2, atan2),     TWO(POW, pow),
    TWO(HYPOT, hypot),        EXACT(FMOD),          EXACT(NEXTAFTER),      EXACT(LDEXP),
};

static const reference *find_reference(tn_intrin_id id) {
  for (size_t i = 0; i < TN_N_ROWS(references); ++i) {
    if (references[i].id == id) {
      return &references[i];
    }
  }
  fail_msg("no reference for T.%s: add a row", tn_intrin_get(id)->def.name);
  return NULL;
}

/* ---- one function, compiled ---- */

/* UNFUSED: fast, for a machine without fused multiplication */
typedef enum variant { FAST, STRICT, UNFUSED, N_VARIANTS } variant;
static const char *const variant_names[] = {"fast", "strict", "fast, x86-64-v2"};

typedef struct bench {
  const tn_math_fn *fn;
  const reference *ref;
  cgt cgts[N_VARIANTS];
  int n_variants; /* run: those before */
  void *x;        /* BLOCK numbers of the widest type */
  void *y;        /* the second: a number or an int32 */
  void *out[N_VARIANTS];
  double *want; /* float32: what is right */
} bench;

static bool has_two(const bench *b) { return b->fn->shape != TN_MATH_F; }

/* for i in range(BLOCK): C[i] = f(A[i], B[i]), "k" + the type */
static void add_kernel(cgt *t, const tn_math_fn *fn, tn_dtype dtype) {
  char text[TN_DTYPE_TEXT_BYTES];
  char name[64];
  (void)snprintf(name, sizeof name, "k_%s", tn_dtype_print(dtype, text));
  tn_dtype second = fn->shape == TN_MATH_FI ? TN_DT_I32 : dtype;
  const tn_node *buffers[] = {cgt_buffer(t, "A", dtype, BLOCK), cgt_buffer(t, "B", second, BLOCK),
                              cgt_buffer(t, "C", dtype, BLOCK)};
  const tn_node *i = tn_var_new(t->ir, "i", TN_DT_I32);
  const tn_node *args[] = {cgt_load(t, buffers[0], i), cgt_load(t, buffers[1], i)};
  const tn_node *value = NULL;
  expect_ok(tn_tir_intrin(t->ir, tn_intrin_get(fn->id), TN_DT_NONE, fn->shape == TN_MATH_F ? 1 : 2,
                          args, &value));
  cgt_add(t, name, 3, buffers,
          cgt_for(t, TN_FOR_SERIAL, i, BLOCK, cgt_store(t, buffers[2], i, value)));
}

static void alloc_blocks(bench *b) {
  for (int v = 0; v < N_VARIANTS; ++v) {
    b->out[v] = aligned_alloc(64, BLOCK * sizeof(double));
  }
  b->x = aligned_alloc(64, BLOCK * sizeof(double));
  b->y = aligned_alloc(64, BLOCK * sizeof(double));
  b->want = aligned_alloc(64, BLOCK * sizeof(double));
  memset(b->y, 0, BLOCK * sizeof(double));
}

static void free_blocks(bench *b) {
  for (int v = 0; v < N_VARIANTS; ++v) {
    free(b->out[v]);
  }
  free(b->x);
  free(b->y);
  free(b->want);
}

static void bench_init(bench *b, const tn_math_fn *fn) {
  *b = (bench){.fn = fn, .ref = find_reference(fn->id), .n_variants = N_VARIANTS};
  alloc_blocks(b);
  for (int v = 0; v < N_VARIANTS; ++v) {
    cgt_init(&b->cgts[v]);
    add_kernel(&b->cgts[v], fn, TN_DT_F32);
    add_kernel(&b->cgts[v], fn, TN_DT_F64);
    add_kernel(&b->cgts[v], fn, TN_DT_F16);
    add_kernel(&b->cgts[v], fn, TN_DT_BF16);
    if (v == STRICT) {
      cgt_compile_strict(&b->cgts[v], "host", 2);
    } else {
      cgt_compile(&b->cgts[v], v == FAST ? "host" : "x86-64-v2", 2);
    }
  }
}

static void bench_deinit(bench *b) {
  for (int v = 0; v < N_VARIANTS; ++v) {
    cgt_deinit(&b->cgts[v]);
  }
  free_blocks(b);
}

static void run(bench *b, const char *name, tn_dtype dtype) {
  int64_t n = BLOCK;
  tn_dtype second = b->fn->shape == TN_MATH_FI ? TN_DT_I32 : dtype;
  for (int v = 0; v < b->n_variants; ++v) {
    tn_array arrays[] = {{.dtype = dtype, .ndim = 1, .shape = {n}, .data = b->x},
                         {.dtype = second, .ndim = 1, .shape = {n}, .data = b->y},
                         {.dtype = dtype, .ndim = 1, .shape = {n}, .data = b->out[v]}};
    tn_tir_arg args[] = {{.array = &arrays[0]}, {.array = &arrays[1]}, {.array = &arrays[2]}};
    cgt_host host;
    cgt_host_init(&host);
    int32_t code = cgt_run(&b->cgts[v], &host, name, args, 3);
    expect_true(code == 0, "%s", host.text);
  }
}

/* ---- errors ---- */

typedef struct worst {
  double ulp;
  double x;
  double y;
} worst;

static void note(worst *w, double ulp, double x, double y) {
  if (!(ulp <= w->ulp)) { /* NaN too */
    *w = (worst){ulp, x, y};
  }
}

/* The distance of `got`, a number of a type with `digits` binary digits and the exponents given, to
 * `want` in ulp of `want`; beyond the largest number infinity stands for 2^max_exp. Signs and NaN
 * must be right. */
static double error_ulp(long double got, long double want, int digits, int min_exp, int max_exp) {
  if (want != want || got != got) {
    return want != want && got != got ? 0 : INFINITY;
  }
  if (!signbit(want) != !signbit(got)) {
    return INFINITY;
  }
  long double over = ldexpl(1.0L, max_exp);
  got = fminl(fabsl(got), over);
  want = fminl(fabsl(want), over);
  int exponent = 0;
  (void)frexpl(want, &exponent);
  exponent = exponent < min_exp ? min_exp : exponent > max_exp ? max_exp : exponent;
  return (double)ldexpl(fabsl(got - want), digits - exponent);
}

/* The same for float32, quickly where nothing is special. */
static double error_f32(float got, double want) {
  union {
    double value;
    uint64_t bits;
  } size = {.value = fabs(want)};
  if (size.value >= 0x1p-126 && size.value < 0x1p127 && !signbit(got) == !signbit(want)) {
    union {
      uint64_t bits;
      double value;
    } ulp = {.bits = ((size.bits >> 52) - 23) << 52};
    return fabs((double)got - want) / ulp.value;
  }
  return error_ulp((long double)got, (long double)want, FLT_MANT_DIG, FLT_MIN_EXP, FLT_MAX_EXP);
}

static double want_f32(const bench *b, float x, const void *y, int64_t i) {
  if (b->ref->one != NULL) {
    return b->ref->one((double)x);
  }
  if (b->ref->two != NULL) {
    return b->ref->two((double)x, (double)((const float *)y)[i]);
  }
  switch ((int)b->fn->id) {
    case TN_INTRIN_FMOD:
      return (double)fmodf(x, ((const float *)y)[i]);
    case TN_INTRIN_NEXTAFTER:
      return (double)nextafterf(x, ((const float *)y)[i]);
    default:
      return (double)ldexpf(x, ((const int32_t *)y)[i]);
  }
}

static long double want_f64(const bench *b, double x, const void *y, int64_t i) {
  if (b->ref->one != NULL) {
    return b->ref->one_wide((long double)x);
  }
  if (b->ref->two != NULL) {
    return b->ref->two_wide((long double)x, (long double)((const double *)y)[i]);
  }
  switch ((int)b->fn->id) {
    case TN_INTRIN_FMOD:
      return (long double)fmod(x, ((const double *)y)[i]);
    case TN_INTRIN_NEXTAFTER:
      return (long double)nextafter(x, ((const double *)y)[i]);
    default:
      return (long double)ldexp(x, ((const int32_t *)y)[i]);
  }
}

static float twin_f32(const bench *b, int64_t i) {
  float x = ((const float *)b->x)[i];
  switch (b->fn->shape) {
    case TN_MATH_F:
      return b->fn->f32.f(x);
    case TN_MATH_FF:
      return b->fn->f32.ff(x, ((const float *)b->y)[i]);
    case TN_MATH_FI:
      return b->fn->f32.fi(x, ((const int32_t *)b->y)[i]);
  }
  return NAN;
}

static double twin_f64(const bench *b, int64_t i) {
  double x = ((const double *)b->x)[i];
  switch (b->fn->shape) {
    case TN_MATH_F:
      return b->fn->f64.f(x);
    case TN_MATH_FF:
      return b->fn->f64.ff(x, ((const double *)b->y)[i]);
    case TN_MATH_FI:
      return b->fn->f64.fi(x, ((const int32_t *)b->y)[i]);
  }
  return (double)NAN;
}

static double second_of(const bench *b, tn_dtype dtype, int64_t i) {
  return !has_two(b)                         ? 0
         : b->fn->shape == TN_MATH_FI        ? (double)((const int32_t *)b->y)[i]
         : tn_dtype_elem(dtype) == TN_DT_F64 ? ((const double *)b->y)[i]
                                             : (double)((const float *)b->y)[i];
}

static void expect_same_f32(const bench *b, int64_t i) {
  float got = ((const float *)b->out[STRICT])[i];
  float twin = twin_f32(b, i);
  expect_true(memcmp(&got, &twin, sizeof got) == 0 || (got != got && twin != twin),
              "strict code gives %a, the interpreter's function %a for %a, %a", (double)got,
              (double)twin, (double)((const float *)b->x)[i], second_of(b, TN_DT_F32, i));
}

/* One block of float32, whose right results are b->want. Compares every `twin_stride`-th strict
 * result with the interpreter's. */
static void block_f32(bench *b, worst worsts[N_VARIANTS], int64_t twin_stride) {
  run(b, "k_float32", TN_DT_F32);
  for (int v = 0; v < b->n_variants; ++v) {
    const float *got = b->out[v];
    for (int64_t i = 0; i < BLOCK; ++i) {
      double ulp = error_f32(got[i], b->want[i]);
      if (ulp > worsts[v].ulp) {
        worsts[v] = (worst){ulp, (double)((const float *)b->x)[i], second_of(b, TN_DT_F32, i)};
      }
    }
  }
  for (int64_t i = 0; i < BLOCK; i += twin_stride) {
    expect_same_f32(b, i);
  }
}

static void find_wants(bench *b) {
  for (int64_t i = 0; i < BLOCK; ++i) {
    b->want[i] = want_f32(b, ((const float *)b->x)[i], b->y, i);
  }
}

static void block_f64(bench *b, worst worsts[N_VARIANTS]) {
  const double *x = b->x;
  run(b, "k_float64", TN_DT_F64);
  for (int64_t i = 0; i < BLOCK; ++i) {
    long double want = want_f64(b, x[i], b->y, i);
    for (int v = 0; v < N_VARIANTS; ++v) {
      double got = ((const double *)b->out[v])[i];
      double ulp = error_ulp((long double)got, want, DBL_MANT_DIG, DBL_MIN_EXP, DBL_MAX_EXP);
      note(&worsts[v], ulp, x[i], second_of(b, TN_DT_F64, i));
    }
    double got = ((const double *)b->out[STRICT])[i];
    double twin = twin_f64(b, i);
    expect_true(memcmp(&got, &twin, sizeof got) == 0 || (got != got && twin != twin),
                "strict code gives %a, the interpreter's function %a for %a, %a", got, twin, x[i],
                second_of(b, TN_DT_F64, i));
  }
}

/* ---- inputs ---- */

static const double specials[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    INFINITY,
    -INFINITY,
    NAN,
    0x1p-149,
    -0x1p-149,
    0x1p-126,
    0x1p-127,
    0x1.fffffep127,
    -0x1.fffffep127,
    1e-8,
    -1e-8,
    0.25,
    0.875,
    1.5,
    M_PI,
    -M_PI,
    M_PI_2,
    M_PI_4,
    10.0,
    -10.0,
    88.72283,
    88.72284,
    -103.972,
    -103.973,
    709.78,
    -745.1332,
    1e10,
    -1e10,
    5000.0,
    0x1p20,
    0x1p31,
    0x1p63,
    7.5,
    -7.0,
    127.0,
    128.0,
    -149.0,
    -150.0,
    1023.5,
    1024.0,
    -1074.5,
    -1075.5,
    0.99999994,
    -0.99999994,
    1.0000001,
    1e30,
    1e-30,
    1e-300,
    0x1p-1074,
    0x1p-1022,
    0x1.fffffffffffffp1023,
};
enum { N_SPECIALS = sizeof specials / sizeof specials[0] };

/* Numbers of every size, numbers near 1, and whole and half numbers. */
static double random_number(tn_rng *rng, bool is_f64) {
  union {
    uint64_t bits;
    double value;
  } any = {.bits = tn_rng_next(rng)};
  union {
    uint32_t bits;
    float value;
  } any32 = {.bits = (uint32_t)any.bits};
  double unit = (double)(int64_t)tn_rng_next(rng) * 0x1p-63;
  switch (tn_rng_next(rng) % 6) {
    case 0:
      return is_f64 ? any.value : (double)any32.value;
    case 1:
      return unit;
    case 2:
      return unit * 16;
    case 3:
      return ldexp(unit, (int)(any.bits % 60) - 30);
    case 4:
      return (double)((int64_t)(any.bits % 4001) - 2000) * 0.5;
    default:
      return 1 + ldexp(unit, -(int)(any.bits % 40));
  }
}

static int32_t random_exponent(tn_rng *rng) {
  uint64_t bits = tn_rng_next(rng);
  return bits % 5 == 0 ? (int32_t)(bits >> 32) : (int32_t)(bits >> 32) % 2300;
}

/* Fills place i: pairs of special values first, then random ones. */
static void fill(bench *b, tn_rng *rng, bool is_f64, int64_t i, int64_t k) {
  double x = 0;
  double y = 0;
  if (k < (has_two(b) ? N_SPECIALS * N_SPECIALS : N_SPECIALS)) {
    x = specials[k % N_SPECIALS];
    y = specials[k / N_SPECIALS];
  } else {
    x = random_number(rng, is_f64);
    y = k % 8 == 0 ? x * (1 + random_number(rng, true) * 0x1p-30) : random_number(rng, is_f64);
  }
  if (is_f64) {
    ((double *)b->x)[i] = x;
  } else {
    ((float *)b->x)[i] = (float)x;
  }
  if (b->fn->shape == TN_MATH_FI) {
    ((int32_t *)b->y)[i] = random_exponent(rng);
  } else if (is_f64) {
    ((double *)b->y)[i] = y;
  } else {
    ((float *)b->y)[i] = (float)y;
  }
}

/* ---- tests ---- */

static void expect_bounds(const bench *b, const worst worsts[N_VARIANTS], const char *type,
                          const char *fast, const char *strict) {
  const char *bounds[N_VARIANTS] = {fast, strict, fast};
  const char *name = tn_intrin_get(b->fn->id)->def.name;
  for (int v = 0; v < N_VARIANTS; ++v) {
    print_message("%s %s %s: %.4f ulp at %a, %a; bound %s\n", name, type, variant_names[v],
                  worsts[v].ulp, worsts[v].x, worsts[v].y, bounds[v]);
    expect_true(worsts[v].ulp <= strtod(bounds[v], NULL), "%s %s %s: %.4f ulp at %a, %a; bound %s",
                name, type, variant_names[v], worsts[v].ulp, worsts[v].x, worsts[v].y, bounds[v]);
  }
}

/* Every stride-th float32, or all: a block of positive numbers, then their negatives. */
static void check_all_f32(bench *b) {
  worst worsts[N_VARIANTS] = {{0, 0, 0}};
  uint32_t stride = is_long() ? 1 : 9973;
  uint32_t *bits = b->x;
  for (uint64_t at = 0; at < UINT64_C(1) << 31; at += (uint64_t)stride * BLOCK) {
    b->n_variants = is_long() && at / BLOCK % 16 != 0 ? UNFUSED : N_VARIANTS;
    for (uint32_t i = 0; i < BLOCK; ++i) {
      bits[i] = ((uint32_t)at + i * stride) & INT32_MAX;
    }
    find_wants(b);
    block_f32(b, worsts, is_long() ? 61 : 1);
    for (int64_t i = 0; i < BLOCK; ++i) {
      bits[i] |= UINT32_C(1) << 31;
      b->want[i] *= b->ref->parity;
    }
    if (b->ref->parity == 0) {
      find_wants(b);
    }
    block_f32(b, worsts, is_long() ? 61 : 1);
  }
  b->n_variants = N_VARIANTS;
  expect_bounds(b, worsts, "float32", b->fn->ulp_fast, b->fn->ulp_f32);
}

static void check_random(bench *b, bool is_f64) {
  worst worsts[N_VARIANTS] = {{0, 0, 0}};
  tn_rng rng = tn_rng_make(2026);
  int64_t n_blocks = is_long() ? 160 : 1;
  for (int64_t block = 0; block < n_blocks; ++block) {
    for (int64_t i = 0; i < BLOCK; ++i) {
      fill(b, &rng, is_f64, i, block * BLOCK + i);
    }
    if (is_f64) {
      block_f64(b, worsts);
    } else {
      find_wants(b);
      block_f32(b, worsts, 1);
    }
  }
  expect_bounds(b, worsts, is_f64 ? "float64" : "float32",
                is_f64 ? b->fn->ulp_f64 : b->fn->ulp_fast,
                is_f64 ? b->fn->ulp_f64 : b->fn->ulp_f32);
}

/* The neighbour of a 16-bit float, whose bits count up from 0 on either side. */
static uint16_t next_half(uint16_t x, uint16_t y, float wide_x, float wide_y) {
  if (wide_x != wide_x || wide_y != wide_y) {
    return 0x7fff;
  }
  if (wide_x == wide_y) {
    return y;
  }
  if ((x & 0x7fff) == 0) {
    return (uint16_t)((y & 0x8000) | 1);
  }
  bool is_outward = (wide_y > wide_x) == ((x & 0x8000) == 0);
  return (uint16_t)(is_outward ? x + 1 : x - 1);
}

/* float16 and bfloat16 are float32's strict function, rounded; nextafter counts in them. */
static void check_halves(bench *b) {
  static const struct {
    const char *kernel;
    tn_dtype dtype;
    float (*widen)(uint16_t);
    uint16_t (*narrow)(float);
  } halves[] = {
      {"k_float16", TN_DT_F16, tn_f16_to_f32, tn_f32_to_f16},
      {"k_bfloat16", TN_DT_BF16, tn_bf16_to_f32, tn_f32_to_bf16},
  };
  tn_rng rng = tn_rng_make(7);
  for (size_t h = 0; h < TN_N_ROWS(halves); ++h) {
    uint16_t *x = b->x;
    for (int64_t i = 0; i < BLOCK; ++i) {
      x[i] = (uint16_t)i;
      if (b->fn->shape == TN_MATH_FI) {
        ((int32_t *)b->y)[i] = random_exponent(&rng);
      } else {
        ((uint16_t *)b->y)[i] = i % 5 == 0 ? 0 : (uint16_t)tn_rng_next(&rng);
      }
    }
    run(b, halves[h].kernel, halves[h].dtype);
    for (int64_t i = 0; i < BLOCK; ++i) {
      float wide = halves[h].widen(x[i]);
      float y = b->fn->shape == TN_MATH_FF ? halves[h].widen(((uint16_t *)b->y)[i]) : 0;
      float want = b->fn->shape == TN_MATH_F    ? b->fn->f32.f(wide)
                   : b->fn->shape == TN_MATH_FF ? b->fn->f32.ff(wide, y)
                                                : b->fn->f32.fi(wide, ((int32_t *)b->y)[i]);
      want = halves[h].widen(halves[h].narrow(want));
      if (b->fn->id == TN_INTRIN_NEXTAFTER) {
        want = halves[h].widen(next_half(x[i], ((uint16_t *)b->y)[i], wide, y));
      }
      float got = halves[h].widen(((uint16_t *)b->out[STRICT])[i]);
      expect_true(memcmp(&got, &want, sizeof got) == 0 || (got != got && want != want),
                  "%s of %a, %a: %a and not %a", halves[h].kernel, (double)wide, (double)y,
                  (double)got, (double)want);
    }
  }
}

/* ---- lanes ---- */

enum { N_LANED = 2048 };

typedef struct lane_case {
  const char *target;
  int32_t level;
  bool is_strict;
} lane_case;

/* Code for a machine without fused multiplication computes fast functions as fn->f32_fast does. */
static const lane_case lane_cases[] = {
    {"x86-64-v2", 0, true}, {"x86-64-v2", 2, false}, {"x86-64-v3", 0, true},
    {"x86-64-v3", 1, true}, {"x86-64-v3", 2, true},  {"x86-64-v4", 2, true},
};
static const uint32_t lane_counts[] = {4, 8, 16};

/* for i in range(N_LANED / lanes): C[lanes i : lanes i + lanes] = f(A[...], B[...]) */
static void add_laned_kernel(cgt *t, const tn_math_fn *fn, tn_dtype dtype, uint32_t lanes) {
  char name[32];
  (void)snprintf(name, sizeof name, "k%u_%u", tn_dtype_bits(dtype), lanes);
  tn_dtype second = fn->shape == TN_MATH_FI ? TN_DT_I32 : dtype;
  const tn_node *buffers[] = {cgt_buffer(t, "A", dtype, BLOCK), cgt_buffer(t, "B", second, BLOCK),
                              cgt_buffer(t, "C", dtype, BLOCK)};
  const tn_node *i = tn_var_new(t->ir, "i", TN_DT_I32);
  const tn_node *base = cgt_binary(t, TN_OP_MUL, i, tn_int(t->ir, TN_DT_I32, lanes));
  const tn_node *at = NULL;
  expect_ok(tn_tir_ramp(t->ir, base, tn_int(t->ir, TN_DT_I32, 1), lanes, &at));
  const tn_node *args[] = {cgt_load(t, buffers[0], at), cgt_load(t, buffers[1], at)};
  const tn_node *value = NULL;
  expect_ok(tn_tir_intrin(t->ir, tn_intrin_get(fn->id), TN_DT_NONE, fn->shape == TN_MATH_F ? 1 : 2,
                          args, &value));
  cgt_add(t, name, 3, buffers,
          cgt_for(t, TN_FOR_SERIAL, i, N_LANED / lanes, cgt_store(t, buffers[2], at, value)));
}

static float fast_twin_f32(const bench *b, int64_t i) {
  bench fast = *b;
  tn_math_fn fn = *b->fn;
  fn.f32 = fn.f32_fast;
  fast.fn = &fn;
  return twin_f32(&fast, i);
}

static void check_lanes_of(bench *b, const lane_case *c, tn_dtype dtype, uint32_t lanes) {
  char name[32];
  bool is_f64 = dtype == TN_DT_F64;
  int64_t n = BLOCK;
  (void)snprintf(name, sizeof name, "k%u_%u", tn_dtype_bits(dtype), lanes);
  tn_dtype second = b->fn->shape == TN_MATH_FI ? TN_DT_I32 : dtype;
  tn_array arrays[] = {{.dtype = dtype, .ndim = 1, .shape = {n}, .data = b->x},
                       {.dtype = second, .ndim = 1, .shape = {n}, .data = b->y},
                       {.dtype = dtype, .ndim = 1, .shape = {n}, .data = b->out[STRICT]}};
  tn_tir_arg args[] = {{.array = &arrays[0]}, {.array = &arrays[1]}, {.array = &arrays[2]}};
  cgt_host host;
  cgt_host_init(&host);
  expect_true(cgt_run(&b->cgts[STRICT], &host, name, args, 3) == 0, "%s", host.text);
  for (int64_t i = 0; i < N_LANED; ++i) {
    double got = tn_array_get_f64(&arrays[2], i);
    double want = is_f64         ? twin_f64(b, i)
                  : c->is_strict ? (double)twin_f32(b, i)
                                 : (double)fast_twin_f32(b, i);
    expect_true(memcmp(&got, &want, sizeof got) == 0 || (got != got && want != want),
                "%s level %d, %s: element %lld, of %a and %a: %a and not %a", c->target, c->level,
                name, (long long)i, tn_array_get_f64(&arrays[0], i), second_of(b, dtype, i), got,
                want);
  }
}

static void every_number_of_lanes_agrees(void **state) {
  const tn_math_fn *fn = *state;
  bench b = {.fn = fn, .ref = find_reference(fn->id)};
  alloc_blocks(&b);
  for (size_t k = 0; k < TN_N_ROWS(lane_cases); ++k) {
    const lane_case *c = &lane_cases[k];
    cgt *t = &b.cgts[STRICT];
    if (!tn_target_runs_here(cgt_target(c->target))) {
      print_message("skipped: this machine cannot run %s\n", c->target);
      continue;
    }
    cgt_init(t);
    for (size_t l = 0; l < TN_N_ROWS(lane_counts); ++l) {
      add_laned_kernel(t, fn, TN_DT_F32, lane_counts[l]);
      add_laned_kernel(t, fn, TN_DT_F64, lane_counts[l]);
    }
    tn_codegen_opts opts = {
        .target = cgt_target(c->target), .opt_level = c->level, .is_strict_math = c->is_strict};
    expect_ok(cgt_try_compile_as(t, &opts));
    for (int is_f64 = 0; is_f64 < 2; ++is_f64) {
      tn_rng rng = tn_rng_make(11);
      for (int64_t i = 0; i < N_LANED; ++i) {
        fill(&b, &rng, is_f64 != 0, i, i);
      }
      for (size_t l = 0; l < TN_N_ROWS(lane_counts); ++l) {
        check_lanes_of(&b, c, is_f64 != 0 ? TN_DT_F64 : TN_DT_F32, lane_counts[l]);
      }
    }
    cgt_deinit(t);
  }
  free_blocks(&b);
}

static void a_function_keeps_its_bounds(void **state) {
  const tn_math_fn *fn = *state;
  bench b;
  bench_init(&b, fn);
  if (fn->shape == TN_MATH_F) {
    check_all_f32(&b);
  }
  check_random(&b, false);
  check_random(&b, true);
  check_halves(&b);
  bench_deinit(&b);
}

/* Huge angles need code of their own, which must not keep LLVM from vectorising. */
static void a_loop_is_vectorised_around_what_is_rare(void **state) {
  (void)state;
  cgt t;
  cgt_init(&t);
  tn_buf text = TN_BUF_INIT;
  add_kernel(&t, &tn_math_fns[tn_math_find(TN_INTRIN_SIN)], TN_DT_F32);
  tn_codegen_opts opts = {.target = cgt_target("x86-64-v3"), .opt_level = 2};
  expect_ok(tn_llvm_emit(&t.module, &opts, TN_EMIT_LL, &text));
  expect_true(strstr(text.data, "call <8 x float> @tn.tn_sin_large_f32.loop8(") != NULL,
              "not vectorised");
  expect_true(strstr(text.data, ".v8(") == NULL, "the function for the vectoriser is still there");
  tn_buf_deinit(&text);
  cgt_deinit(&t);
}

/* Machines without the instruction: all of x86-64-v2. */
static void one_rounding_without_the_instruction(void **state) {
  (void)state;
  const tn_dtype dtypes[] = {TN_DT_F32, TN_DT_F64};
  for (int is_f64 = 0; is_f64 < 2; ++is_f64) {
    cgt t;
    cgt_init(&t);
    const tn_node *buffers[4];
    for (int k = 0; k < 4; ++k) {
      buffers[k] = cgt_buffer(&t, (const char *[]){"A", "B", "C", "D"}[k], dtypes[is_f64], BLOCK);
    }
    const tn_node *i = tn_var_new(t.ir, "i", TN_DT_I32);
    const tn_node *args[] = {cgt_load(&t, buffers[0], i), cgt_load(&t, buffers[1], i),
                             cgt_load(&t, buffers[2], i)};
    const tn_node *value = NULL;
    expect_ok(tn_tir_intrin(t.ir, tn_intrin_get(TN_INTRIN_FMA), TN_DT_NONE, 3, args, &value));
    cgt_add(&t, "k", 4, buffers,
            cgt_for(&t, TN_FOR_SERIAL, i, BLOCK, cgt_store(&t, buffers[3], i, value)));
    cgt_compile(&t, "x86-64-v2", 2);
    tn_array arrays[4];
    tn_tir_arg values[4];
    int64_t n = BLOCK;
    for (int k = 0; k < 4; ++k) {
      expect_ok(tn_array_init(&arrays[k], dtypes[is_f64], 1, &n));
      values[k] = (tn_tir_arg){.array = &arrays[k]};
    }
    tn_rng rng = tn_rng_make(3);
    for (int64_t k = 0; k < BLOCK; ++k) {
      bool is_special = k < 20000;
      double a = is_special ? specials[k % N_SPECIALS] : random_number(&rng, is_f64 != 0);
      double b = is_special ? specials[k / N_SPECIALS % N_SPECIALS] : random_number(&rng, true);
      double c = k % 3 == 0   ? -a * b
                 : k % 3 == 1 ? ldexp(-a * b, (int)(tn_rng_next(&rng) % 240) - 120)
                              : random_number(&rng, is_f64 != 0);
      tn_array_set_f64(&arrays[0], k, a);
      tn_array_set_f64(&arrays[1], k, b);
      tn_array_set_f64(&arrays[2], k, c);
    }
    cgt_host host;
    cgt_host_init(&host);
    expect_true(cgt_run(&t, &host, "k", values, 4) == 0, "%s", host.text);
    for (int64_t k = 0; k < BLOCK; ++k) {
      double a = tn_array_get_f64(&arrays[0], k);
      double b = tn_array_get_f64(&arrays[1], k);
      double c = tn_array_get_f64(&arrays[2], k);
      double got = tn_array_get_f64(&arrays[3], k);
      double want = is_f64 != 0 ? fma(a, b, c) : (double)fmaf((float)a, (float)b, (float)c);
      expect_true(memcmp(&got, &want, sizeof got) == 0 || (got != got && want != want),
                  "fma of %a, %a, %a: %a and not %a", a, b, c, got, want);
    }
    for (int k = 0; k < 4; ++k) {
      tn_array_deinit(&arrays[k]);
    }
    cgt_deinit(&t);
  }
}

int main(int argc, char **argv) {
  struct CMUnitTest tests[128];
  size_t n = 0;
  for (uint32_t i = 0; i < tn_math_n(); ++i) {
    const char *name = tn_intrin_get(tn_math_fns[i].id)->def.name;
    bool is_wanted = argc < 2;
    for (int k = 1; k < argc; ++k) {
      is_wanted = is_wanted || strcmp(argv[k], name) == 0;
    }
    if (is_wanted && n + 4 <= TN_N_ROWS(tests)) {
      void *fn = (void *)(uintptr_t)&tn_math_fns[i];
      tests[n++] = (struct CMUnitTest){name, every_number_of_lanes_agrees, NULL, NULL, fn};
      tests[n++] = (struct CMUnitTest){name, a_function_keeps_its_bounds, NULL, NULL, fn};
    }
  }
  if (argc < 2 || strcmp(argv[1], "code") == 0) {
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_loop_is_vectorised_around_what_is_rare);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(one_rounding_without_the_instruction);
  }
  if (n == 0) {
    print_error("no such function\n");
    return 1;
  }
  return _cmocka_run_group_tests("codegen_math", tests, n, NULL, NULL);
}
