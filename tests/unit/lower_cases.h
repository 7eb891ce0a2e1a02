/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Runs loop functions before and after passes and compares the results bit by bit: inputs are
 * random and depend on the seed alone, every parameter is read and written. Symbolic extents: n is
 * 7, m is 5, any other 6; integer scalars are 3. */
#ifndef TN_TESTS_LOWER_CASES_H
#define TN_TESTS_LOWER_CASES_H

#include "lower/lower.h"
#include "script/script.h"
#include "tir/tir.h"
#include "tn_test.h"

enum { LC_MAX_ARGS = 12 };

typedef struct lc_args {
  tn_array arrays[LC_MAX_ARGS];
  tn_tir_arg args[LC_MAX_ARGS];
  int32_t n;
} lc_args;

static inline void lc_parse(tn_module *module, const char *text) {
  tn_diags diags = {0};
  const tn_script_opts opts = {.file_name = "case.py"};
  tn_module_init(module, tn_ir_new(0), "Module");
  tn_script_parse(text, strlen(text), &opts, module, &diags);
  expect_ok(tn_diags_to_status(&diags, module->ir));
}

static inline void lc_free(tn_module *module) {
  tn_ir *ir = module->ir;
  tn_module_deinit(module);
  tn_ir_free(ir);
}

static inline int64_t lc_extent(const tn_node *extent) {
  if (tn_is(extent, TN_OP_INT)) {
    return extent->attr.i64;
  }
  return strcmp(extent->attr.text, "n") == 0 ? 7 : strcmp(extent->attr.text, "m") == 0 ? 5 : 6;
}

static inline void lc_args_init(lc_args *a, const tn_node *func, uint64_t seed) {
  tn_rng rng = tn_rng_make(seed);
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  *a = (lc_args){.n = (int32_t)buffers->n_in};
  assert_true(a->n <= LC_MAX_ARGS);
  for (int32_t i = 0; i < a->n; ++i) {
    const tn_node *buffer = buffers->in[i];
    if (tn_is_none(buffer)) {
      a->args[i] = (tn_tir_arg){.i64 = 3, .f64 = 0.5};
      continue;
    }
    int64_t shape[TN_MAX_NDIM];
    for (uint32_t d = 0; d < tn_buffer_ndim(buffer); ++d) {
      shape[d] = lc_extent(buffer->in[TN_BUFFER_SHAPE]->in[d]);
    }
    expect_ok(tn_array_init(&a->arrays[i], buffer->dtype, (int32_t)tn_buffer_ndim(buffer), shape));
    tn_array_fill_random(&a->arrays[i], &rng);
    a->args[i].array = &a->arrays[i];
  }
}

static inline void lc_args_deinit(lc_args *a) {
  for (int32_t i = 0; i < a->n; ++i) {
    tn_array_deinit(&a->arrays[i]);
  }
}

static inline void lc_show(const char *what, const tn_module *module) {
  tn_buf buf = TN_BUF_INIT;
  tn_script_print(module, &(tn_print_opts){0}, &buf);
  print_error("---- %s\n%s\n", what, tn_buf_text(&buf));
  tn_buf_deinit(&buf);
}

static inline const tn_pass *lc_pass(const char *name, size_t len) {
  uint32_t n = 0;
  const tn_pass *all = tn_lower_passes(&n);
  for (uint32_t i = 0; i < n; ++i) {
    if (strlen(all[i].name) == len && memcmp(all[i].name, name, len) == 0) {
      return &all[i];
    }
  }
  fail_msg("no pass %.*s", (int)len, name);
  return NULL;
}

/* Runs a comma-separated list; each result must verify. */
static inline void lc_run_passes(tn_module *module, const char *passes) {
  while (*passes != '\0') {
    size_t len = strcspn(passes, ",");
    expect_ok(lc_pass(passes, len)->fn(module, &(tn_pass_opts){0}));
    tn_diags diags = {0};
    for (uint32_t i = 0; i < module->n_funcs; ++i) {
      tn_tir_verify(module->ir, module->funcs[i].func, &diags);
    }
    if (diags.n > 0) {
      lc_show(passes, module);
    }
    expect_ok(tn_diags_to_status(&diags, module->ir));
    passes += len + (passes[len] == ',');
  }
}

/* True when both run and agree bit by bit, or when `before` is refused by the interpreter (then
 * there is nothing to compare). */
static inline bool lc_agree(const tn_module *before, const tn_module *after, const char *func,
                            uint64_t seed) {
  lc_args a;
  lc_args b;
  const tn_tir_hooks hooks = {.max_steps = 2000000};
  lc_args_init(&a, tn_module_find(before, func), seed);
  lc_args_init(&b, tn_module_find(before, func), seed);
  tn_status st = tn_tir_interp(before, func, a.args, a.n, &hooks, NULL);
  bool is_same = true;
  if (st == NULL) {
    st = tn_tir_interp(after, func, b.args, b.n, &hooks, NULL);
    is_same = st == NULL;
    if (st != NULL) {
      print_error("after: %s\n", tn_status_message(st));
    }
    for (int32_t i = 0; is_same && i < a.n; ++i) {
      is_same = a.args[i].array == NULL ||
                memcmp(a.arrays[i].data, b.arrays[i].data, tn_array_n_bytes(&a.arrays[i])) == 0;
    }
  } else {
    print_error("before: %s\n", tn_status_message(st));
    is_same = false;
  }
  tn_status_free(st);
  lc_args_deinit(&a);
  lc_args_deinit(&b);
  return is_same;
}

#endif
