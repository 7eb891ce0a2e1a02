/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Schedules as a fuzz target does them. */
#ifndef TN_TESTS_FUZZ_SCHED_H
#define TN_TESTS_FUZZ_SCHED_H

#include <string.h>

#include "fuzz/fuzz.h"
#include "script/sched_script.h"
#include "script/script.h"

enum { FUZZ_SCHED_IR_BYTES = 64 << 20, FUZZ_SCHED_MAX_BYTES = 4096 };

static const char fuzz_sched_program[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def main(A: T.Buffer((8, 6), \"float32\"), B: T.Buffer((6, 9), \"float32\"), "
    "C: T.Buffer((8, 9), \"float32\")):\n"
    "        Y = T.alloc_buffer((8, 9))\n"
    "        for i, j, k in T.grid(8, 9, 6):\n"
    "            with T.block(\"Y\"):\n"
    "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "                with T.init():\n"
    "                    Y[vi, vj] = T.float32(0)\n"
    "                Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]\n"
    "        for i, j in T.grid(8, 9):\n"
    "            with T.block(\"C\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                C[vi, vj] = T.max(Y[vi, vj], T.float32(0))\n"
    "    @T.prim_func\n"
    "    def row(a: T.handle, b: T.handle):\n"
    "        n = T.int32()\n"
    "        A = T.match_buffer(a, (n,))\n"
    "        B = T.match_buffer(b, (n,))\n"
    "        for i in range(n):\n"
    "            with T.block(\"B\"):\n"
    "                vi = T.axis.spatial(n, i)\n"
    "                B[vi] = A[vi] * T.float32(2)\n";

/* False when the text was refused. */
static inline bool fuzz_sched_run(tn_sched *sched, const char *text, size_t len) {
  static const char *const defines[] = {"ty=8", "N=4", "mode=fast"};
  bool used[3];
  tn_diags diags = {0};
  tn_buf message = TN_BUF_INIT;
  if (len > 0 && text[0] == '[') {
    tn_status st = tn_sched_trace_run_json(text, len, NULL, sched);
    bool is_done = st == NULL;
    if (st != NULL && tn_status_message(st)[0] == '\0') {
      fuzz_fail("refused without a message");
    }
    tn_status_free(st);
    return is_done;
  }
  const tn_sched_script_opts opts = {
      .file_name = "fuzz.py", .defines = defines, .n_defines = 3, .out_used = used};
  tn_sched_script_run(text, len, &opts, sched, &diags);
  bool is_ok = diags.n == 0;
  tn_diags_print(&diags, tn_sched_ir(sched), &message);
  if (!is_ok && strstr(tn_buf_text(&message), "error: ") == NULL) {
    fuzz_fail("refused without a message");
  }
  tn_buf_deinit(&message);
  tn_diags_deinit(&diags);
  return is_ok;
}

static inline void fuzz_sched_verify(const tn_sched *sched) {
  tn_diags diags = {0};
  tn_buf message = TN_BUF_INIT;
  tn_module_verify(tn_sched_module(sched), &diags);
  tn_diags_print(&diags, tn_sched_ir(sched), &message);
  if (diags.n > 0) {
    fuzz_fail("%s", tn_buf_text(&message));
  }
  tn_buf_deinit(&message);
  tn_diags_deinit(&diags);
}

/* The trace `text` of `sched` on the program as it was. */
static inline void fuzz_sched_again(const tn_module *before, const tn_sched *sched,
                                    const char *text, size_t len) {
  tn_sched *again = tn_sched_new(before, 1);
  tn_buf where = TN_BUF_INIT;
  if (!fuzz_sched_run(again, text, len)) {
    fuzz_fail("a trace is refused");
  }
  if (!tn_module_equal(tn_sched_module(sched), tn_sched_module(again), &where)) {
    fuzz_fail("a trace does something else");
  }
  tn_buf_deinit(&where);
  tn_sched_free(again);
}

static inline void fuzz_sched(const uint8_t *bytes, size_t n_bytes) {
  tn_diags diags = {0};
  tn_module module;
  tn_buf text = TN_BUF_INIT;
  tn_buf script = TN_BUF_INIT;
  tn_buf json = TN_BUF_INIT;
  if (n_bytes > FUZZ_SCHED_MAX_BYTES) {
    return;
  }
  tn_ir *ir = tn_ir_new(FUZZ_SCHED_IR_BYTES);
  tn_module_init(&module, ir, "Module");
  tn_script_parse(fuzz_sched_program, strlen(fuzz_sched_program), NULL, &module, &diags);
  tn_sched *sched = tn_sched_new(&module, 0);
  tn_buf_append(&text, bytes, n_bytes);
  bool is_done = fuzz_sched_run(sched, tn_buf_text(&text), n_bytes);
  fuzz_sched_verify(sched); /* whatever was done before a problem */
  if (is_done) {
    tn_sched_trace_print(sched, &script);
    tn_sched_trace_print_json(sched, &json);
    fuzz_sched_again(&module, sched, tn_buf_text(&script), script.len);
    fuzz_sched_again(&module, sched, tn_buf_text(&json), json.len);
  }
  tn_buf_deinit(&json);
  tn_buf_deinit(&script);
  tn_buf_deinit(&text);
  tn_sched_free(sched);
  tn_module_deinit(&module);
  tn_diags_deinit(&diags);
  tn_ir_free(ir);
}

#endif
