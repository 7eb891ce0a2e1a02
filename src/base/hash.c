/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Hashes by multiply and xor-shift. Bytes are read as little-endian words, so that a hash stored in
 * a file means the same on every machine. */
#include "base/hash.h"

static const uint64_t odd_a = 0x9e3779b97f4a7c15; /* 2^64 / golden ratio */
static const uint64_t odd_b = 0xd6e8feb86659fd93;

static uint64_t scramble(uint64_t x) {
  x ^= x >> 32;
  x *= odd_b;
  x ^= x >> 29;
  x *= odd_a;
  x ^= x >> 32;
  return x;
}

uint64_t tn_hash_mix(uint64_t seed, uint64_t value) {
  return scramble(scramble(seed + odd_a) ^ (value * odd_b));
}

static uint64_t read_word(const uint8_t *bytes, size_t n_bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < n_bytes; ++i) {
    word |= (uint64_t)bytes[i] << (8 * i);
  }
  return word;
}

uint64_t tn_hash_bytes(uint64_t seed, const void *bytes, size_t n_bytes) {
  const uint8_t *p = bytes;
  uint64_t hash = tn_hash_mix(seed, n_bytes);
  size_t i = 0;
  for (; i + 8 <= n_bytes; i += 8) {
    hash = tn_hash_mix(hash, read_word(p + i, 8));
  }
  if (i < n_bytes) {
    hash = tn_hash_mix(hash, read_word(p + i, n_bytes - i));
  }
  return hash;
}

/* Two lanes that see the value differently and each other's state. */
tn_hash128 tn_hash128_mix(tn_hash128 seed, uint64_t value) {
  tn_hash128 out;
  out.lo = tn_hash_mix(seed.lo, value);
  out.hi = tn_hash_mix(seed.hi ^ (seed.lo << 32 | seed.lo >> 32), value ^ odd_a);
  return out;
}

tn_hash128 tn_hash128_bytes(tn_hash128 seed, const void *bytes, size_t n_bytes) {
  const uint8_t *p = bytes;
  tn_hash128 hash = tn_hash128_mix(seed, n_bytes);
  size_t i = 0;
  for (; i + 8 <= n_bytes; i += 8) {
    hash = tn_hash128_mix(hash, read_word(p + i, 8));
  }
  if (i < n_bytes) {
    hash = tn_hash128_mix(hash, read_word(p + i, n_bytes - i));
  }
  return hash;
}
