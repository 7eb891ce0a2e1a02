/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* The reader of Relay on any text: it reports, never crashes, hangs or eats memory. What it accepts
 * must print as TVMScript and read back equal. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
  tn_buf text = TN_BUF_INIT;
  tn_buf problem = TN_BUF_INIT;
  tn_ir *ir = tn_ir_new((size_t)64 << 20);
  tn_module module;
  tn_module_init(&module, ir, "Module");
  tn_buf_append(&text, bytes, n_bytes);
  if (roundtrip_read("fuzz.relay", tn_buf_text(&text), text.len, NULL, &module, &problem) &&
      tn_ir_status(ir) == NULL && !roundtrip_check("fuzz", &module, &problem)) {
    fputs(tn_buf_text(&problem), stderr);
    abort();
  }
  tn_module_deinit(&module);
  tn_ir_free(ir);
  tn_buf_deinit(&problem);
  tn_buf_deinit(&text);
  return 0;
}
