/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Puts an executable image together from its sections, for tests and tools; where the bytes lie is
 * in abi/exec_layout.c. */
#include "runtime/exec_image.h"

#include <string.h>

#include "runtime/mem.h"

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
  tn_exec_section rows[TN_EXEC_KERNELS];
  uint32_t n = (uint32_t)spec->n_sections; /* each kind once: they fit */
  for (uint32_t i = 0; i < n; ++i) {
    rows[i] =
        (tn_exec_section){.kind = spec->sections[i].kind, .n_bytes = spec->sections[i].n_bytes};
  }
  size_t n_bytes = tn_exec_layout(rows, n);
  uint8_t *bytes = tn_mem_alloc_aligned(n_bytes, TN_IMAGE_PAGE_BYTES);
  if (bytes == NULL) {
    return tn_mem_error("an executable image", n_bytes);
  }
  memset(bytes, 0, n_bytes);
  for (uint32_t i = 0; i < n; ++i) {
    if (rows[i].n_bytes > 0) {
      memcpy(bytes + rows[i].offset, spec->sections[i].bytes, rows[i].n_bytes);
    }
    memcpy(bytes + sizeof(tn_exec_header) + sizeof rows[i] * i, &rows[i], sizeof rows[i]);
  }
  tn_exec_header header = {
      .magic = TN_EXEC_MAGIC,
      .version = TN_EXEC_VERSION,
      .arch = spec->arch,
      .n_bytes = n_bytes,
      .n_sections = n,
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
