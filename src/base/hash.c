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

/* ---- long runs of bytes ---- */

enum { N_LANES = 4, BLOCK = 8 * N_LANES, LONG = 256 };

static uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }

static uint64_t word_at(const uint8_t *bytes) {
  return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
         (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
         (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

/* Lanes that do not wait for each other: about the speed of memory. For a given word each step is a
 * bijection of its lane, so that one changed word always shows. Returns the bytes taken in. */
static size_t hash_blocks(uint64_t lanes[N_LANES], uint64_t odd, const uint8_t *bytes,
                          size_t n_bytes) {
  size_t i = 0;
  for (; i + BLOCK <= n_bytes; i += BLOCK) {
    for (int k = 0; k < N_LANES; ++k) {
      lanes[k] = rotate((lanes[k] ^ word_at(bytes + i + 8 * k)) * odd, 29);
    }
  }
  return i;
}

static size_t hash_long(uint64_t *hash, uint64_t odd, const uint8_t *bytes, size_t n_bytes) {
  uint64_t lanes[N_LANES] = {*hash, *hash + 1, *hash + 2, *hash + 3};
  if (n_bytes < LONG) {
    return 0;
  }
  size_t n = hash_blocks(lanes, odd, bytes, n_bytes);
  for (int k = 0; k < N_LANES; ++k) {
    *hash = tn_hash_mix(*hash, lanes[k]);
  }
  return n;
}

/* ---- any bytes ---- */

uint64_t tn_hash_bytes(uint64_t seed, const void *bytes, size_t n_bytes) {
  const uint8_t *p = bytes;
  uint64_t hash = tn_hash_mix(seed, n_bytes);
  size_t i = hash_long(&hash, odd_a, p, n_bytes);
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
  size_t i = hash_long(&hash.lo, odd_a, p, n_bytes);
  (void)hash_long(&hash.hi, odd_b, p, n_bytes);
  for (; i + 8 <= n_bytes; i += 8) {
    hash = tn_hash128_mix(hash, read_word(p + i, 8));
  }
  if (i < n_bytes) {
    hash = tn_hash128_mix(hash, read_word(p + i, n_bytes - i));
  }
  return hash;
}
