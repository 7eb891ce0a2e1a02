/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* An ONNX file of any bytes: a module that verifies, or an error. */
/* needs: graph */
#include "front/front.h"
#include "fuzz/fuzz.h"
#include "graph/graph.h"

/* A graph of a few bytes may ask for large constants; what is larger ends in an error. */
static const size_t limit_bytes = (size_t)256 << 20;

void fuzz_one(const uint8_t *bytes, size_t n_bytes) {
  tn_ir *ir = tn_ir_new(limit_bytes);
  tn_module module;
  tn_diags diags = {0};
  tn_module_init(&module, ir, "Module");
  tn_status st = tn_onnx_import_bytes(bytes, n_bytes, NULL, NULL, &module);
  if (st == NULL) {
    tn_module_verify(&module, &diags);
    st = tn_diags_to_status(&diags, ir);
    if (st != NULL) {
      fuzz_fail("what was imported does not verify: %s", tn_status_message(st));
    }
  }
  tn_status_free(st);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}
