/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Loops in the form of yardstick.c: named accumulators, since gcc keeps an array of them on the
 * stack, and an empty asm on each, since the compiler must believe that the value is used. Twelve
 * chains cover two pipes of up to six cycles. float32 is the yardstick itself. */
#include "runtime/peak_loops.h"

#include <stdint.h>

#include "runtime/bench.h"
#include "runtime/exec.h"

enum { N_CHAINS = 12, N_ROUNDS = 32768 };

#if defined(__x86_64__)
#include <immintrin.h>
#define KEEP(r) __asm__ volatile("" : "+x"(r))
#define KEEP_WIDE(r) __asm__ volatile("" : "+v"(r)) /* also zmm16 to zmm31 */
#elif defined(__aarch64__)
#define KEEP(r) __asm__ volatile("" : "+w"(r))
#else
#define KEEP(r) __asm__ volatile("" : "+m"(r))
#endif

/* Twelve chains of `step` on `type`. start: their first value; x, y: what a step combines it with;
 * n_ops: of one step. end: what leaves the wide registers clean. */
#define STEPS(step)                                                                         \
  step(r0) step(r1) step(r2) step(r3) step(r4) step(r5) step(r6) step(r7) step(r8) step(r9) \
      step(r10) step(r11)
#define ARITHMETIC(name, isa, type, start, x_value, y_value, step, n_ops, end)               \
  isa static double name(void) {                                                             \
    const type x = x_value;                                                                  \
    const type y = y_value;                                                                  \
    type r0 = start, r1 = r0, r2 = r0, r3 = r0, r4 = r0, r5 = r0, r6 = r0, r7 = r0, r8 = r0, \
         r9 = r0, r10 = r0, r11 = r0;                                                        \
    (void)y;                                                                                 \
    for (int i = 0; i < N_ROUNDS; ++i) {                                                     \
      STEPS(step)                                                                            \
    }                                                                                        \
    end;                                                                                     \
    return (double)(n_ops)*N_CHAINS * N_ROUNDS;                                              \
  }

/* A pass reads, writes or copies eight vectors a turn. The asm in the body keeps the compiler from
 * calling memset or memcpy instead, the one behind it from reading only once for all rounds. */
#define PASSES(suffix, isa, vec, keep, end)                                             \
  isa static void read_##suffix(void *a, size_t n_bytes, int64_t n_rounds) {            \
    vec r0 = {0}, r1 = r0, r2 = r0, r3 = r0, r4 = r0, r5 = r0, r6 = r0, r7 = r0;        \
    for (int64_t k = 0; k < n_rounds; ++k) {                                            \
      const vec *last = (const vec *)a + n_bytes / sizeof(vec);                         \
      for (const vec *p = a; p < last; p += 8) {                                        \
        r0 |= p[0], r1 |= p[1], r2 |= p[2], r3 |= p[3];                                 \
        r4 |= p[4], r5 |= p[5], r6 |= p[6], r7 |= p[7];                                 \
      }                                                                                 \
      __asm__ volatile("" ::: "memory");                                                \
    }                                                                                   \
    r0 |= r1 | r2 | r3 | r4 | r5 | r6 | r7;                                             \
    keep(r0);                                                                           \
    end;                                                                                \
  }                                                                                     \
  isa static void write_##suffix(void *a, size_t n_bytes, int64_t n_rounds) {           \
    vec x = {1};                                                                        \
    for (int64_t k = 0; k < n_rounds; ++k) {                                            \
      const vec *last = (const vec *)a + n_bytes / sizeof(vec);                         \
      for (vec *p = a; p < last; p += 8) {                                              \
        p[0] = x, p[1] = x, p[2] = x, p[3] = x, p[4] = x, p[5] = x, p[6] = x, p[7] = x; \
        __asm__ volatile("" ::: "memory");                                              \
      }                                                                                 \
    }                                                                                   \
    end;                                                                                \
  }                                                                                     \
  isa static void copy_##suffix(void *a, size_t n_bytes, int64_t n_rounds) {            \
    for (int64_t k = 0; k < n_rounds; ++k) {                                            \
      vec *q = (vec *)a + n_bytes / 2 / sizeof(vec);                                    \
      const vec *last = q;                                                              \
      for (const vec *p = a; p < last; p += 8, q += 8) {                                \
        q[0] = p[0], q[1] = p[1], q[2] = p[2], q[3] = p[3];                             \
        q[4] = p[4], q[5] = p[5], q[6] = p[6], q[7] = p[7];                             \
        __asm__ volatile("" ::: "memory");                                              \
      }                                                                                 \
    }                                                                                   \
    end;                                                                                \
  }

/* ---- every processor: vectors of 16 bytes, multiply and add apart ---- */

#define PLAIN __attribute__((noinline))
#define NOTHING (void)0

typedef double f64x2 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

/* The factors keep every chain in the normal range: r -> 0.9999 r + 1e-4 tends to 1. */
#define STEP_F64(r) \
  r = r * x + y;    \
  KEEP(r);
#define STEP_I32_ADD(r) \
  r = r + x;            \
  KEEP(r);
#define STEP_I32_MUL(r) \
  r = r * x;            \
  KEEP(r);
#define F64X2(v) \
  { v, v }
#define U32X4(v) \
  { v, v, v, v }
ARITHMETIC(f64_plain, PLAIN, f64x2, F64X2(1e-4), F64X2(0.9999), F64X2(1e-4), STEP_F64, 2 * 2,
           NOTHING)
ARITHMETIC(i32_add_plain, PLAIN, u32x4, U32X4(1), U32X4(3), U32X4(0), STEP_I32_ADD, 4, NOTHING)
ARITHMETIC(i32_mul_plain, PLAIN, u32x4, U32X4(1), U32X4(3), U32X4(0), STEP_I32_MUL, 4, NOTHING)
PASSES(plain, PLAIN, u64x2, KEEP, NOTHING)

#if defined(__x86_64__)
/* ---- AVX2 ---- */

#define AVX2 __attribute__((target("avx2,fma"), noinline))
#define AVX_VNNI __attribute__((target("avx2,avxvnni"), noinline))

typedef uint64_t u64x4 __attribute__((vector_size(32)));

#define STEP_F64_AVX2(r)        \
  r = _mm256_fmadd_pd(r, x, y); \
  KEEP(r);
#define STEP_I32_ADD_AVX2(r)  \
  r = _mm256_add_epi32(r, x); \
  KEEP(r);
#define STEP_I32_MUL_AVX2(r)    \
  r = _mm256_mullo_epi32(r, x); \
  KEEP(r);
#define STEP_I8_AVX_VNNI(r)             \
  r = _mm256_dpbusd_avx_epi32(r, x, y); \
  KEEP(r);
ARITHMETIC(f64_avx2, AVX2, __m256d, _mm256_set1_pd(1e-4), _mm256_set1_pd(0.9999),
           _mm256_set1_pd(1e-4), STEP_F64_AVX2, 4 * 2, _mm256_zeroupper())
ARITHMETIC(i32_add_avx2, AVX2, __m256i, _mm256_set1_epi32(1), _mm256_set1_epi32(3),
           _mm256_setzero_si256(), STEP_I32_ADD_AVX2, 8, _mm256_zeroupper())
ARITHMETIC(i32_mul_avx2, AVX2, __m256i, _mm256_set1_epi32(1), _mm256_set1_epi32(3),
           _mm256_setzero_si256(), STEP_I32_MUL_AVX2, 8, _mm256_zeroupper())
ARITHMETIC(i8_avx_vnni, AVX_VNNI, __m256i, _mm256_set1_epi32(1), _mm256_set1_epi8(1),
           _mm256_set1_epi8(2), STEP_I8_AVX_VNNI, 8 * 8, _mm256_zeroupper())
PASSES(avx2, AVX2, u64x4, KEEP, _mm256_zeroupper())

/* ---- AVX-512 ---- */

#define AVX512 __attribute__((target("avx512f"), noinline))
#define AVX512_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni"), noinline))
#define AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512bf16"), noinline))

typedef uint64_t u64x8 __attribute__((vector_size(64)));

#define STEP_F64_AVX512(r)      \
  r = _mm512_fmadd_pd(r, x, y); \
  KEEP_WIDE(r);
#define STEP_I32_ADD_AVX512(r) \
  r = _mm512_add_epi32(r, x);  \
  KEEP_WIDE(r);
#define STEP_I32_MUL_AVX512(r)  \
  r = _mm512_mullo_epi32(r, x); \
  KEEP_WIDE(r);
#define STEP_I8_AVX512(r)           \
  r = _mm512_dpbusd_epi32(r, x, y); \
  KEEP_WIDE(r);
#define STEP_BF16_AVX512(r)                          \
  r = _mm512_dpbf16_ps(r, (__m512bh)x, (__m512bh)y); \
  KEEP_WIDE(r);
ARITHMETIC(f64_avx512, AVX512, __m512d, _mm512_set1_pd(1e-4), _mm512_set1_pd(0.9999),
           _mm512_set1_pd(1e-4), STEP_F64_AVX512, 8 * 2, _mm256_zeroupper())
ARITHMETIC(i32_add_avx512, AVX512, __m512i, _mm512_set1_epi32(1), _mm512_set1_epi32(3),
           _mm512_setzero_si512(), STEP_I32_ADD_AVX512, 16, _mm256_zeroupper())
ARITHMETIC(i32_mul_avx512, AVX512, __m512i, _mm512_set1_epi32(1), _mm512_set1_epi32(3),
           _mm512_setzero_si512(), STEP_I32_MUL_AVX512, 16, _mm256_zeroupper())
ARITHMETIC(i8_avx512, AVX512_VNNI, __m512i, _mm512_set1_epi32(1), _mm512_set1_epi8(1),
           _mm512_set1_epi8(2), STEP_I8_AVX512, 16 * 8, _mm256_zeroupper())
/* products of zeros: the sums stay what they are */
ARITHMETIC(bf16_avx512, AVX512_BF16, __m512, _mm512_set1_ps(1), _mm512_setzero_ps(),
           _mm512_setzero_ps(), STEP_BF16_AVX512, 16 * 4, _mm256_zeroupper())
PASSES(avx512, AVX512, u64x8, KEEP_WIDE, _mm256_zeroupper())
#endif

/* ---- the choice: the first row of a kind whose features are there ---- */

typedef struct arithmetic_row {
  tn_peak_kind kind;
  const char *features;
  tn_peak_arithmetic run;
} arithmetic_row;

/* clang-format off */
static const arithmetic_row arithmetic_rows[] = {
    {TN_PEAK_F32,     "",                             tn_bench_yardstick_run},
#if defined(__x86_64__)
    {TN_PEAK_F64,     "avx512f",                      f64_avx512},
    {TN_PEAK_F64,     "avx2,fma",                     f64_avx2},
    {TN_PEAK_BF16,    "avx512f,avx512bw,avx512bf16",  bf16_avx512},
    {TN_PEAK_I8,      "avx512f,avx512bw,avx512vnni",  i8_avx512},
    {TN_PEAK_I8,      "avx2,avxvnni",                 i8_avx_vnni},
    {TN_PEAK_I32_ADD, "avx512f",                      i32_add_avx512},
    {TN_PEAK_I32_ADD, "avx2,fma",                     i32_add_avx2},
    {TN_PEAK_I32_MUL, "avx512f",                      i32_mul_avx512},
    {TN_PEAK_I32_MUL, "avx2,fma",                     i32_mul_avx2},
#endif
    {TN_PEAK_F64,     "",                             f64_plain},
    {TN_PEAK_I32_ADD, "",                             i32_add_plain},
    {TN_PEAK_I32_MUL, "",                             i32_mul_plain},
};
/* clang-format on */

typedef struct pass_row {
  const char *features;
  tn_peak_pass run[TN_PEAK_N_ACCESSES]; /* read, write, copy */
} pass_row;

static const pass_row pass_rows[] = {
#if defined(__x86_64__)
    {"avx512f", {read_avx512, write_avx512, copy_avx512}},
    {"avx2,fma", {read_avx2, write_avx2, copy_avx2}},
#endif
    {"", {read_plain, write_plain, copy_plain}},
};

static bool has_features(const char *features) {
  tn_status st = tn_cpu_check_features(features);
  bool has = st == NULL;
  tn_status_free(st);
  return has;
}

tn_peak_arithmetic tn_peak_arithmetic_find(tn_peak_kind kind) {
  for (size_t i = 0; i < sizeof arithmetic_rows / sizeof *arithmetic_rows; ++i) {
    if (arithmetic_rows[i].kind == kind && has_features(arithmetic_rows[i].features)) {
      return arithmetic_rows[i].run;
    }
  }
  return NULL;
}

tn_peak_pass tn_peak_pass_find(tn_peak_access access) {
  size_t i = 0;
  while (!has_features(pass_rows[i].features)) {
    ++i; /* the last row needs none */
  }
  return pass_rows[i].run[access];
}
