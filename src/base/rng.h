/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A small reproducible random generator (xoshiro256**); same seed, same numbers everywhere. */
#ifndef TN_BASE_RNG_H
#define TN_BASE_RNG_H

#include <stdint.h>

typedef struct tn_rng {
  uint64_t s[4];
} tn_rng;

tn_rng tn_rng_make(uint64_t seed);
uint64_t tn_rng_next(tn_rng *rng);
/// Uniform in [0, n); n >= 1.
uint64_t tn_rng_below(tn_rng *rng, uint64_t n);
/// Uniform in [lo, hi], both included.
int64_t tn_rng_range(tn_rng *rng, int64_t lo, int64_t hi);
/// Uniform in [0, 1), 53 bits.
double tn_rng_unit(tn_rng *rng);

#endif
