/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Puts an executable image together: header, section table, sections at their alignments, checksum. The one place that
 * knows where bytes of an image lie; compiler, tests and loader agree through it. */
#include "runtime/exec_image.h"

#include <assert.h>
#include <string.h>

#include "runtime/mem.h"

static size_t section_align(uint32_t kind) {
  return kind == TN_EXEC_DATA ? TN_IMAGE_PAGE_BYTES : TN_IMAGE_ALIGN_BYTES;
}

static size_t round_up(size_t n, size_t align) {
  return (n + align - 1) / align * align;
}

static tn_status check_sections(const tn_image_spec *spec) {
  uint32_t seen = 0;
  for (int32_t i = 0; i < spec->n_sections; ++i) {
    const tn_image_section *s = &spec->sections[i];
    if (s->kind < TN_EXEC_STRINGS || s->kind > TN_EXEC_KERNELS) {
      return TN_ERR(TN_INVALID, "section %d of the image has unknown kind %u", i, s->kind);
    }
    if ((seen & (1U << s->kind)) != 0) {
      return TN_ERR(TN_INVALID, "section kind %u is given twice", s->kind);
    }
    seen |= 1U << s->kind;
    if (s->kind == TN_EXEC_STRINGS) {
      const char *text = s->bytes;
      if (s->n_bytes == 0 || text[0] != 0 || text[s->n_bytes - 1] != 0) {
        return TN_ERR(TN_INVALID, "the string table must start and end with a NUL");
      }
    }
  }
  return NULL;
}

tn_status tn_image_build(const tn_image_spec *spec, tn_image *out_image) {
  TN_TRY(check_sections(spec));
  size_t table_end = sizeof(tn_exec_header) + sizeof(tn_exec_section) * (size_t)spec->n_sections;
  size_t n_bytes = table_end;
  for (int32_t i = 0; i < spec->n_sections; ++i) {
    n_bytes = round_up(n_bytes, section_align(spec->sections[i].kind)) + spec->sections[i].n_bytes;
  }
  uint8_t *bytes = tn_mem_alloc_aligned(n_bytes, TN_IMAGE_PAGE_BYTES);
  if (bytes == NULL) {
    return tn_mem_error("an executable image", n_bytes);
  }
  memset(bytes, 0, table_end);
  size_t at = table_end;
  for (int32_t i = 0; i < spec->n_sections; ++i) {
    const tn_image_section *s = &spec->sections[i];
    size_t start = round_up(at, section_align(s->kind));
    memset(bytes + at, 0, start - at);
    if (s->n_bytes > 0) {
      memcpy(bytes + start, s->bytes, s->n_bytes);
    }
    tn_exec_section row = {.kind = s->kind, .offset = start, .n_bytes = s->n_bytes};
    memcpy(bytes + sizeof(tn_exec_header) + sizeof row * (size_t)i, &row, sizeof row);
    at = start + s->n_bytes;
  }
  tn_exec_header header = {
    .magic = TN_EXEC_MAGIC,
    .version = TN_EXEC_VERSION,
    .arch = spec->arch,
    .n_bytes = n_bytes,
    .n_sections = (uint32_t)spec->n_sections,
    .cpu_features = spec->cpu_features,
    .producer = spec->producer,
  };
  memcpy(bytes, &header, sizeof header);
  header.checksum = tn_exec_checksum(bytes, n_bytes);
  memcpy(bytes, &header, sizeof header);
  *out_image = (tn_image){.bytes = bytes, .n_bytes = n_bytes};
  return NULL;
}

void tn_image_deinit(tn_image *image) {
  tn_mem_free(image->bytes);
  *image = (tn_image){0};
}

enum { N_LANES = 4 };

static uint64_t rotate(uint64_t x, int n) {
  return x << n | x >> (64 - n);
}

/* Four independent lanes keep the multiplier busy: about memory speed. Every step is a bijection of the lane for a
 * given word, so changing one word always changes its lane. */
static void mix_block(uint64_t lanes[N_LANES], const uint8_t *block) {
  for (int k = 0; k < N_LANES; ++k) {
    uint64_t word;
    memcpy(&word, block + 8 * k, sizeof word);
    lanes[k] = rotate((lanes[k] ^ word) * 0x9e3779b97f4a7c15ULL, 29);
  }
}

uint64_t tn_exec_checksum(const void *image, size_t n_bytes) {
  enum { BLOCK = 8 * N_LANES };
  uint64_t lanes[N_LANES] = {n_bytes, 0x6a09e667f3bcc909ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL};
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

uint32_t tn_image_add_string(tn_buf *strings, const char *text) {
  if (strings->len == 0) {
    tn_buf_putc(strings, 0);
  }
  if (text == NULL || text[0] == 0) {
    return 0;
  }
  uint32_t offset = (uint32_t)strings->len;
  tn_buf_append(strings, text, strlen(text) + 1);
  return offset;
}
