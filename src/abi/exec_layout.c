/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The layout and the checksum of executable images, version 1 of the format. */
#include "abi/exec_layout.h"

#include <assert.h>
#include <string.h>

static uint64_t round_up(uint64_t n, uint64_t align) { return (n + align - 1) / align * align; }

uint64_t tn_exec_layout(tn_exec_section *rows, uint32_t n_rows) {
  uint64_t end = sizeof(tn_exec_header) + sizeof(tn_exec_section) * (uint64_t)n_rows;
  for (uint32_t i = 0; i < n_rows; ++i) {
    uint64_t align = rows[i].kind == TN_EXEC_DATA ? TN_IMAGE_PAGE_BYTES : TN_IMAGE_ALIGN_BYTES;
    rows[i].offset = round_up(end, align);
    end = rows[i].offset + rows[i].n_bytes;
  }
  return end;
}

enum { N_LANES = 4 };

static uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }

/* Four independent lanes keep the multiplier busy: about memory speed. Every step is a bijection of
 * the lane for a given word, so changing one word always changes its lane. */
static void mix_block(uint64_t lanes[N_LANES], const uint8_t *block) {
  for (int k = 0; k < N_LANES; ++k) {
    uint64_t word;
    memcpy(&word, block + 8 * k, sizeof word);
    lanes[k] = rotate((lanes[k] ^ word) * 0x9e3779b97f4a7c15ULL, 29);
  }
}

uint64_t tn_exec_checksum(const void *image, size_t n_bytes) {
  enum { BLOCK = 8 * N_LANES };
  uint64_t lanes[N_LANES] = {n_bytes, 0x6a09e667f3bcc909ULL, 0xbb67ae8584caa73bULL,
                             0x3c6ef372fe94f82bULL};
  tn_exec_header header;
  memcpy(&header, image, sizeof header);
  header.checksum = 0;
  uint8_t block[BLOCK];
  static_assert(sizeof header % 8 == 0, "the header is a sequence of words");
  enum { HEADER_BLOCKS_BYTES = (sizeof header + BLOCK - 1) / BLOCK * BLOCK };
  uint8_t head[HEADER_BLOCKS_BYTES] = {0};
  memcpy(head, &header, sizeof header);
  for (size_t i = 0; i < sizeof head; i += BLOCK) {
    mix_block(lanes, head + i);
  }
  const uint8_t *bytes = (const uint8_t *)image;
  size_t at = sizeof header;
  for (; at + BLOCK <= n_bytes; at += BLOCK) {
    mix_block(lanes, bytes + at);
  }
  if (at < n_bytes) {
    memset(block, 0, sizeof block);
    memcpy(block, bytes + at, n_bytes - at);
    mix_block(lanes, block);
  }
  uint64_t sum = 0;
  for (int k = 0; k < N_LANES; ++k) {
    sum = rotate((sum ^ lanes[k]) * 0xff51afd7ed558ccdULL, 31);
    sum ^= sum >> 29;
  }
  return sum;
}
