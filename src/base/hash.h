/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* 64- and 128-bit hashes: fast, stable over runs and machines, not cryptographic. */
#ifndef TN_BASE_HASH_H
#define TN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct tn_hash128 {
  uint64_t hi;
  uint64_t lo;
} tn_hash128;

uint64_t tn_hash_mix(uint64_t seed, uint64_t value);
uint64_t tn_hash_bytes(uint64_t seed, const void *bytes, size_t n_bytes);
tn_hash128 tn_hash128_mix(tn_hash128 seed, uint64_t value);
tn_hash128 tn_hash128_bytes(tn_hash128 seed, const void *bytes, size_t n_bytes);

#endif
