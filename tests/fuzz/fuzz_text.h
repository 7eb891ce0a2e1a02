/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Reading a text as a fuzz target does: what is accepted must print, read back equal and print the
 * same again (tests/unit/roundtrip.h). */
#ifndef TN_TESTS_FUZZ_TEXT_H
#define TN_TESTS_FUZZ_TEXT_H

#include "fuzz/fuzz.h"
#include "unit/roundtrip.h"

/* As the compiler has it, but small: a program of a few KB that needs more is refused by name. */
enum { FUZZ_IR_BYTES = 64 << 20 };

/// Constants of the text's file: small arrays of three types, and none past the third.
static inline tn_status fuzz_find_const(void *ctx, int64_t index, tn_array *out) {
  static const tn_dtype dtypes[] = {TN_DT_F32, TN_DT_I64, TN_DT_BOOL};
  (void)ctx;
  if (index < 0 || index > 2) {
    return TN_ERR(TN_NOT_FOUND, "constant %lld of 3", (long long)index);
  }
  return tn_array_init(out, dtypes[index], (int32_t)index + 1, (const int64_t[]){2, 3, 1});
}

/// True when `module` (to be initialised with an ir of FUZZ_IR_BYTES) was read and verified.
static inline bool fuzz_read(const char *name, const uint8_t *bytes, size_t n_bytes,
                             tn_module *module) {
  static const char *const defines[] = {"N=8", "K=-1", "flag=True", "alpha=1.5", "dtype=float32"};
  bool takes_defines = strstr(name, ".relay") == NULL; /* Relay has none, and says so */
  tn_buf text = TN_BUF_INIT;
  tn_buf message = TN_BUF_INIT;
  tn_diags diags = {0};
  tn_script_opts opts = {.file_name = name,
                         .ops = tn_ops_table(),
                         .defines = takes_defines ? defines : NULL,
                         .n_defines =
                             takes_defines ? (int32_t)(sizeof defines / sizeof *defines) : 0,
                         .find_const = fuzz_find_const};
  tn_buf_append(&text, bytes, n_bytes);
  tn_script_parse(tn_buf_text(&text), text.len, &opts, module, &diags);
  if (diags.n == 0) {
    tn_module_verify(module, &diags);
  }
  bool is_ok = diags.n == 0;
  if (!is_ok) { /* messages quote the text, so they are hostile's too */
    tn_diags_print(&diags, module->ir, &message);
    if (strstr(tn_buf_text(&message), "error: ") == NULL) {
      fuzz_fail("refused without a message");
    }
  }
  tn_diags_deinit(&diags);
  tn_buf_deinit(&message);
  tn_buf_deinit(&text);
  tn_status st = tn_ir_status(module->ir);
  is_ok = is_ok && st == NULL;
  tn_status_free(st);
  return is_ok;
}

static inline void fuzz_text(const char *name, const uint8_t *bytes, size_t n_bytes) {
  tn_buf problem = TN_BUF_INIT;
  tn_ir *ir = tn_ir_new(FUZZ_IR_BYTES);
  tn_module module;
  tn_module_init(&module, ir, "Module");
  if (fuzz_read(name, bytes, n_bytes, &module) && !roundtrip_check("fuzz.py", &module, &problem)) {
    fuzz_fail("%s", tn_buf_text(&problem));
  }
  tn_module_deinit(&module);
  tn_ir_free(ir);
  tn_buf_deinit(&problem);
}

#endif
