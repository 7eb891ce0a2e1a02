/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The object files of src/embed as bytes of this library: the build compiles them first and says in
 * TN_EMBED_FOLDER where they lie. A library written with another calling convention, or as plain C
 * functions, gets one of them linked in. */
#include "driver/driver_priv.h"

#define CARRY(name)                                             \
  __asm__(".section .rodata\n"                                  \
          ".balign 16\n"                                        \
          "tn_embed_" #name "_begin:\n"                         \
          ".incbin \"" TN_EMBED_FOLDER "/embed_" #name ".o\"\n" \
          "tn_embed_" #name "_end:\n"                           \
          ".previous\n");                                       \
  extern const char tn_embed_##name##_begin[];                  \
  extern const char tn_embed_##name##_end[]

CARRY(tvm_ffi);
CARRY(model);

const void *tn_embedded_object(tn_embedded which, size_t *out_n_bytes) {
  if (which == TN_EMBEDDED_TVM_FFI) {
    *out_n_bytes = (size_t)(tn_embed_tvm_ffi_end - tn_embed_tvm_ffi_begin);
    return tn_embed_tvm_ffi_begin;
  }
  *out_n_bytes = (size_t)(tn_embed_model_end - tn_embed_model_begin);
  return tn_embed_model_begin;
}
