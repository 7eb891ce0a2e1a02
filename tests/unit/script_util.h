/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Reading small texts in the tests of the reader: programs written as one line of a table. */
#ifndef TN_TESTS_SCRIPT_UTIL_H
#define TN_TESTS_SCRIPT_UTIL_H

#include "ops/ops.h"
#include "script/script.h"
#include "tn_test.h"

/// A text being read; deinit frees all.
typedef struct script_case {
  tn_ir *ir;
  tn_module module;
  tn_diags diags;
} script_case;

static inline void script_case_init(script_case *c, const char *text) {
  const tn_script_opts opts = {.file_name = "t.py", .ops = tn_ops_table()};
  *c = (script_case){.ir = tn_ir_new(0)};
  tn_module_init(&c->module, c->ir, "Module");
  tn_script_parse(text, strlen(text), &opts, &c->module, &c->diags);
}

static inline void script_case_deinit(script_case *c) {
  tn_diags_deinit(&c->diags);
  tn_module_deinit(&c->module);
  tn_ir_free(c->ir);
}

/// The problems as they are shown; "" when there are none. Owned by the caller.
static inline char *script_case_problems(const script_case *c) {
  tn_buf text = TN_BUF_INIT;
  tn_diags_print(&c->diags, c->ir, &text);
  return tn_buf_take(&text);
}

/// A @T.prim_func `f(A: (16,) float32, B: (16, 16) float32, n: int32)` around the lines of a body,
/// which start at column 5 of line 3.
static inline char *script_in_prim_func(const char *body) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, "@T.prim_func\ndef f(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16, 16), "
                     "\"float32\"), n: T.int32):\n");
  tn_buf_puts(&text, "    ");
  for (const char *p = body; *p != 0; ++p) {
    tn_buf_putc(&text, *p);
    if (*p == '\n') {
      tn_buf_puts(&text, "    ");
    }
  }
  tn_buf_putc(&text, '\n');
  return tn_buf_take(&text);
}

/// The same with an @R.function `main(x: (4,) float32, y: (n, 4) float32, t: a tuple of x and y)`
/// in a module that has a @T.prim_func `k` too; the body starts at column 9 of line 8.
static inline char *script_in_graph_func(const char *body) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(
      &text,
      "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n"
      "    def k(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n        pass\n"
      "    @R.function(pure=False)\n"
      "    def main(x: R.Tensor((4,), \"float32\"), y: R.Tensor((\"n\", 4), \"float32\"), t: "
      "R.Tuple(R.Tensor((4,), \"float32\"), R.Tensor((\"n\", 4), \"float32\"))):\n        ");
  for (const char *p = body; *p != 0; ++p) {
    tn_buf_putc(&text, *p);
    if (*p == '\n') {
      tn_buf_puts(&text, "        ");
    }
  }
  tn_buf_putc(&text, '\n');
  return tn_buf_take(&text);
}

#endif
