/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018), its
 * state filled by the splitmix64 sequence as the authors advise. */
#include "base/rng.h"

#include "base/check.h"

static uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

tn_rng tn_rng_make(uint64_t seed) {
  tn_rng rng;
  for (int i = 0; i < 4; ++i) {
    seed += 0x9e3779b97f4a7c15;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    rng.s[i] = z ^ (z >> 31);
  }
  return rng;
}

uint64_t tn_rng_next(tn_rng *rng) {
  uint64_t *s = rng->s;
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotate_left(s[3], 45);
  return result;
}

uint64_t tn_rng_below(tn_rng *rng, uint64_t n) {
  TN_ASSERT(n >= 1, "empty range");
  uint64_t n_excess = (0 - n) % n; /* 2^64 mod n: so many values would be drawn once too often */
  uint64_t x = tn_rng_next(rng);
  while (x < n_excess) {
    x = tn_rng_next(rng);
  }
  return x % n;
}

int64_t tn_rng_range(tn_rng *rng, int64_t lo, int64_t hi) {
  TN_ASSERT(lo <= hi, "empty range");
  uint64_t span = (uint64_t)hi - (uint64_t)lo + 1; /* 0: all 2^64 values */
  uint64_t offset = span == 0 ? tn_rng_next(rng) : tn_rng_below(rng, span);
  return (int64_t)((uint64_t)lo + offset);
}

double tn_rng_unit(tn_rng *rng) { return (double)(tn_rng_next(rng) >> 11) * 0x1p-53; }
