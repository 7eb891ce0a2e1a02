/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The object file of src/embed as bytes of this library: the build compiles it first and names it
 * TN_EMBED_OBJECT. A library written with another calling convention gets it linked in. */
#include "driver/driver_priv.h"

__asm__(".section .rodata\n"
        ".balign 16\n"
        "tn_embed_object_begin:\n"
        ".incbin \"" TN_EMBED_OBJECT "\"\n"
        "tn_embed_object_end:\n"
        ".previous\n");

extern const char tn_embed_object_begin[];
extern const char tn_embed_object_end[];

const void *tn_embedded_object(size_t *out_n_bytes) {
  *out_n_bytes = (size_t)(tn_embed_object_end - tn_embed_object_begin);
  return tn_embed_object_begin;
}
