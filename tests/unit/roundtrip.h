/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Print, read, compare, print again: what the round-trip tests and the fuzz target of the reader
 * share. */
#ifndef TN_TESTS_ROUNDTRIP_H
#define TN_TESTS_ROUNDTRIP_H

#include <string.h>

#include "base/file.h"
#include "ops/ops.h"
#include "script/script.h"

/// Constants that were printed as metadata[...]: the second reading finds them here.
static inline tn_status roundtrip_find_const(void *ctx, int64_t index, tn_array *out) {
  const tn_const_list *consts = ctx;
  if (index < 0 || (uint64_t)index >= consts->len) {
    return TN_ERR(TN_NOT_FOUND, "constant %lld of %zu", (long long)index, consts->len);
  }
  return tn_array_init_copy(out, consts->data[index]->attr.array);
}

/// Reads and verifies. False, with the diagnostics in out_problem, when something is wrong.
static inline bool roundtrip_read(const char *name, const char *text, size_t len,
                                  tn_const_list *consts, tn_module *module, tn_buf *out_problem) {
  tn_diags diags = {0};
  tn_script_opts opts = {.file_name = name, .ops = tn_ops_table(), .ctx = consts};
  if (consts != NULL) {
    opts.find_const = roundtrip_find_const;
  }
  tn_script_parse(text, len, &opts, module, &diags);
  if (diags.n == 0) {
    tn_module_verify(module, &diags);
  }
  bool is_ok = diags.n == 0;
  if (!is_ok) {
    tn_diags_print(&diags, module->ir, out_problem);
  }
  tn_diags_deinit(&diags);
  return is_ok;
}

static inline bool roundtrip_compare(const tn_module *module, const tn_module *again,
                                     const tn_buf *text, tn_buf *out_problem) {
  tn_buf text_again = TN_BUF_INIT;
  tn_const_list consts = {0};
  tn_print_opts opts = {.with_header = true, .out_consts = &consts};
  bool is_ok = tn_module_equal(module, again, out_problem);
  if (!is_ok) {
    tn_buf_puts(out_problem, ": not equal after reading back\n");
  } else {
    tn_script_print(again, &opts, &text_again);
    is_ok = strcmp(tn_buf_text(text), tn_buf_text(&text_again)) == 0;
    if (!is_ok) {
      tn_buf_printf(out_problem, "prints differently the second time:\n%s",
                    tn_buf_text(&text_again));
    }
    tn_hash128 one = tn_module_hash(module);
    tn_hash128 two = tn_module_hash(again);
    if (is_ok && (one.hi != two.hi || one.lo != two.lo)) {
      tn_buf_puts(out_problem, "equal modules with different hashes\n");
      is_ok = false;
    }
  }
  TN_VEC_DEINIT(&consts);
  tn_buf_deinit(&text_again);
  return is_ok;
}

/// Prints `module`, reads it into a tn_ir of its own and compares. False, with the reason and the
/// text in out_problem, when anything got lost.
static inline bool roundtrip_check(const char *name, const tn_module *module, tn_buf *out_problem) {
  tn_buf text = TN_BUF_INIT;
  tn_const_list consts = {0};
  tn_print_opts opts = {.with_header = true, .out_consts = &consts};
  tn_ir *ir = tn_ir_new(0);
  tn_module again;
  tn_module_init(&again, ir, "Module");
  tn_script_print(module, &opts, &text);
  bool is_ok = roundtrip_read(name, tn_buf_text(&text), text.len, &consts, &again, out_problem) &&
               roundtrip_compare(module, &again, &text, out_problem);
  if (!is_ok) {
    tn_buf_printf(out_problem, "%s was printed as\n%s", name, tn_buf_text(&text));
  }
  tn_module_deinit(&again);
  tn_ir_free(ir);
  TN_VEC_DEINIT(&consts);
  tn_buf_deinit(&text);
  return is_ok;
}

#endif
