/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the tests of the graph level share: a module from text, passes by name, values of the
 * interpreter. */
#ifndef TN_TESTS_GRAPH_UTIL_H
#define TN_TESTS_GRAPH_UTIL_H

#include "tn_test.h"

#include "graph/graph.h"
#include "ops/ops.h"
#include "script/script.h"

/// Reads `text` into a fresh ir; fails the test when the reader complains.
static inline void graph_read(tn_module *module, const char *text) {
  tn_diags diags = {0};
  tn_script_opts opts = {.file_name = "test.py", .ops = tn_ops_table()};
  tn_module_init(module, tn_ir_new(0), "Module");
  tn_script_parse(text, strlen(text), &opts, module, &diags);
  expect_ok(tn_diags_to_status(&diags, module->ir));
}

static inline void graph_free(tn_module *module) {
  tn_ir *ir = module->ir;
  tn_module_deinit(module);
  tn_ir_free(ir);
}

static inline tn_status graph_verify_all(const tn_module *module, void *ctx) {
  (void)ctx;
  tn_diags diags = {0};
  tn_module_verify(module, &diags);
  return tn_diags_to_status(&diags, module->ir);
}

/// Runs passes named in a text, "normalize,dead_code", verifying after each.
static inline tn_status graph_passes(tn_module *module, const char *names,
                                     const tn_pass_opts *opts) {
  const tn_pass *list[32];
  int32_t n = 0;
  uint32_t n_all = 0;
  const tn_pass *all = tn_graph_passes(&n_all);
  static const tn_pass_opts no_opts = {0};
  for (const char *p = names; *p != '\0';) {
    size_t len = strcspn(p, ",");
    for (uint32_t i = 0; i < n_all; ++i) {
      if (strlen(all[i].name) == len && strncmp(all[i].name, p, len) == 0) {
        list[n++] = &all[i];
      }
    }
    p += len + (p[len] == ',' ? 1 : 0);
  }
  const tn_pass_hooks hooks = {.verify = graph_verify_all};
  return tn_run_passes(module, list, n, opts != NULL ? opts : &no_opts, &hooks);
}

/// All passes from what the reader gives to the virtual machine's form.
#define GRAPH_TO_VM                                                                               \
  "normalize,lift_functions,dead_code,to_nondataflow,lower_call_tir,plan_memory,kill_after_last_" \
  "use,lower_shapes"

static inline tn_value graph_value(tn_array *array) {
  return (tn_value){.kind = TN_V_ARRAY, .array = array};
}

/// A float32 array 0, 1, 2 ... scaled.
static inline void graph_iota(tn_array *array, int32_t ndim, const int64_t *shape, double scale) {
  expect_ok(tn_array_init(array, TN_DT_F32, ndim, shape));
  for (int64_t i = 0; i < tn_array_n_elems(array); ++i) {
    tn_array_set_f64(array, i, scale * (double)i);
  }
}

/// The id of the first diagnostic of verifying, "" when there is none.
static inline const char *graph_first_id(const tn_module *module, tn_diags *diags) {
  tn_module_verify(module, diags);
  return diags->n == 0 ? "" : diags->items[0].id;
}

#endif
