/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The yardstick: fused multiply-adds on registers alone, at the widest vectors of the processor it
 * runs on. It touches no memory, so what it shows is the clock and who else is using the core.
 * Assumes: two FMA pipes of four cycles' latency need eight independent chains; there are
 * twelve. */
#include "base/clock.h"
#include "runtime/bench.h"

enum { N_CHAINS = 12, N_ROUNDS = 32768 };

/* Keeps the compiler from folding the loop away: it must believe that the register is used. */
#define KEEP(x) __asm__ volatile("" : "+x"(x))
#define KEEP_WIDE(x) __asm__ volatile("" : "+v"(x))

#define ALL_CHAINS(STEP) \
  STEP(r0)               \
  STEP(r1)               \
  STEP(r2) STEP(r3) STEP(r4) STEP(r5) STEP(r6) STEP(r7) STEP(r8) STEP(r9) STEP(r10) STEP(r11)

/* The factors keep every chain in the normal range: x -> 0.9999 x + 1e-4 tends to 1. */
#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f"), noinline)) static double flops_of_avx512(void) {
  __m512 x = _mm512_set1_ps(0.9999f);
  __m512 y = _mm512_set1_ps(1e-4f);
#define START(r) __m512 r = y;
  ALL_CHAINS(START)
#undef START
  for (int i = 0; i < N_ROUNDS; ++i) {
#define STEP(r)                 \
  r = _mm512_fmadd_ps(r, x, y); \
  KEEP_WIDE(r);
    ALL_CHAINS(STEP)
#undef STEP
  }
  _mm256_zeroupper(); /* gcc adds it from -O2 on only; SSE code after us may be 100 times slower */
  return 2.0 * 16 * N_CHAINS * N_ROUNDS;
}

__attribute__((target("avx2,fma"), noinline)) static double flops_of_avx2(void) {
  __m256 x = _mm256_set1_ps(0.9999f);
  __m256 y = _mm256_set1_ps(1e-4f);
#define START(r) __m256 r = y;
  ALL_CHAINS(START)
#undef START
  for (int i = 0; i < N_ROUNDS; ++i) {
#define STEP(r)                 \
  r = _mm256_fmadd_ps(r, x, y); \
  KEEP(r);
    ALL_CHAINS(STEP)
#undef STEP
  }
  _mm256_zeroupper();
  return 2.0 * 8 * N_CHAINS * N_ROUNDS;
}

__attribute__((noinline)) static double flops_of_generic(void) {
  __m128 x = _mm_set1_ps(0.9999f);
  __m128 y = _mm_set1_ps(1e-4f);
#define START(r) __m128 r = y;
  ALL_CHAINS(START)
#undef START
  for (int i = 0; i < N_ROUNDS; ++i) {
#define STEP(r)                        \
  r = _mm_add_ps(_mm_mul_ps(r, x), y); \
  KEEP(r);
    ALL_CHAINS(STEP)
#undef STEP
  }
  return 2.0 * 4 * N_CHAINS * N_ROUNDS;
}
#else
__attribute__((noinline)) static double flops_of_generic(void) {
  const float x = 0.9999f;
  const float y = 1e-4f;
  volatile float sink = 0; /* other processors: scalar, until they get a row of their own */
  float r = y;
  for (int i = 0; i < N_ROUNDS; ++i) {
    r = r * x + y;
    __asm__ volatile("" : "+m"(r));
  }
  sink = r;
  (void)sink;
  return 2.0 * N_ROUNDS;
}
#endif

typedef struct yardstick {
  const char *name;
  double (*flops)(void); /* runs the loop; returns the operations it did */
} yardstick;

static yardstick widest(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    return (yardstick){"avx512f", flops_of_avx512};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return (yardstick){"avx2+fma", flops_of_avx2};
  }
#endif
  return (yardstick){"generic", flops_of_generic};
}

const char *tn_bench_yardstick_name(void) { return widest().name; }

double tn_bench_yardstick_run(void) { return widest().flops(); }

double tn_bench_yardstick_gflops(void) {
  yardstick y = widest();
  int64_t start_ns = tn_clock_ns();
  double n_flops = y.flops();
  int64_t n_ns = tn_clock_ns() - start_ns;
  return n_flops / (double)(n_ns > 0 ? n_ns : 1);
}
