/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The pass runner: order, time, verification and errors of a list of passes. Whether a pass changed
 * the module is a comparison of pointers, since nodes are immutable. */
#include <string.h>

#include "base/clock.h"
#include "ir/ir.h"

static bool is_same_table(const tn_module *a, const tn_module *b) {
  if (a->attrs != b->attrs || a->n_funcs != b->n_funcs) {
    return false;
  }
  for (uint32_t i = 0; i < a->n_funcs; ++i) {
    if (a->funcs[i].func != b->funcs[i].func || strcmp(a->funcs[i].name, b->funcs[i].name) != 0) {
      return false;
    }
  }
  return true;
}

static tn_status verify(const tn_module *module, const tn_pass_hooks *hooks) {
  if (hooks == NULL || hooks->verify == NULL) {
    return NULL;
  }
  return hooks->verify(module, hooks->ctx);
}

static tn_status run_one(tn_module *module, const tn_pass *pass, int32_t index,
                         const tn_pass_opts *opts, const tn_pass_hooks *hooks) {
  tn_module before;
  tn_module_init_copy(&before, module);
  int64_t start = tn_clock_ns();
  tn_status st = pass->fn(module, opts);
  int64_t ns = tn_clock_ns() - start;
  bool is_changed = !is_same_table(&before, module);
  tn_module_deinit(&before);
  TN_TRY_MSG(st, "pass '%s'", pass->name);
  TN_TRY_MSG(tn_ir_status(module->ir), "pass '%s'", pass->name);
  if (hooks != NULL && hooks->after != NULL) {
    hooks->after(pass, index, module, is_changed, ns, hooks->ctx);
  }
  TN_TRY_MSG(verify(module, hooks), "after pass '%s'", pass->name);
  return NULL;
}

tn_status tn_run_passes(tn_module *module, const tn_pass *const *passes, int32_t n,
                        const tn_pass_opts *opts, const tn_pass_hooks *hooks) {
  static const tn_pass_opts no_opts = {0};
  if (opts == NULL) {
    opts = &no_opts;
  }
  TN_TRY_MSG(verify(module, hooks), "before the first pass");
  for (int32_t i = 0; i < n; ++i) {
    if (hooks != NULL && hooks->before != NULL &&
        !hooks->before(passes[i], i, module, hooks->ctx)) {
      continue;
    }
    TN_TRY(run_one(module, passes[i], i, opts, hooks));
  }
  return NULL;
}
