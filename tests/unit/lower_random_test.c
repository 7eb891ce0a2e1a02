/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* with: gen_tir.c gen_tir_expr.c */
/* Random programs, each pass alone and the whole order: the interpreter gives the same bits before
 * and after, every result verifies, and the whole order ends in the lowered form. TN_SEED and
 * TN_COUNT choose other programs. */
#include "gen_tir.h"
#include "lower/lower.h"
#include "script/script.h"
#include "tn_test.h"

enum { N_PROGRAMS = 200 };

static const char *const lists[] = {
    "lower_blocks",
    "simplify",
    "unroll_loops",
    "remove_no_op",
    "lower_blocks,vectorize_loops",
    "lower_blocks,flatten_buffers",
    "lower_blocks,partition_loops",
    "lower_blocks,compact_buffers",
    "lower_blocks,flatten_buffers,vectorize_loops",
    "lower_blocks,compact_buffers,flatten_buffers,simplify,partition_loops,vectorize_loops,"
    "unroll_loops,simplify,remove_no_op",
};

static const tn_pass *find_pass(const char *name, size_t len) {
  uint32_t n = 0;
  const tn_pass *all = tn_lower_passes(&n);
  for (uint32_t i = 0; i < n; ++i) {
    if (strlen(all[i].name) == len && memcmp(all[i].name, name, len) == 0) {
      return &all[i];
    }
  }
  return NULL;
}

static tn_status run_passes(tn_module *module, const char *passes) {
  while (*passes != '\0') {
    size_t len = strcspn(passes, ",");
    tn_diags diags = {0};
    TN_TRY(find_pass(passes, len)->fn(module, &(tn_pass_opts){0}));
    tn_tir_verify(module->ir, module->funcs[0].func, &diags);
    TN_TRY_MSG(tn_diags_to_status(&diags, module->ir), "after %.*s", (int)len, passes);
    passes += len + (passes[len] == ',');
  }
  return NULL;
}

static void show(const char *what, const tn_module *module) {
  tn_buf buf = TN_BUF_INIT;
  tn_script_print(module, &(tn_print_opts){0}, &buf);
  (void)fprintf(stderr, "---- %s\n%s\n", what, tn_buf_text(&buf));
  tn_buf_deinit(&buf);
}

static bool check(tn_module *module, const gen_tir_program *program, const char *passes,
                  uint64_t seed) {
  tn_module after;
  gen_tir_program a;
  gen_tir_program b;
  int32_t arg = -1;
  tn_tir_hooks hooks = {.max_steps = 10000000};
  tn_module_init_copy(&after, module);
  gen_tir_copy_args(program, &a);
  gen_tir_copy_args(program, &b);
  tn_status st = tn_tir_interp(module, "f", a.args, a.n_args, &hooks, NULL);
  st = st != NULL ? tn_status_wrap(st, "before") : run_passes(&after, passes);
  st = st != NULL
           ? st
           : tn_status_wrap(tn_tir_interp(&after, "f", b.args, b.n_args, &hooks, NULL), "after");
  bool is_ok = st == NULL && gen_tir_same_args(&a, &b, &arg);
  if (!is_ok) {
    show("before", module);
    show("after", &after);
    (void)fprintf(stderr, "seed %llu, %s: %s, argument %d differs\n", (unsigned long long)seed,
                  passes, st == NULL ? "ran" : tn_status_message(st), arg);
  }
  if (is_ok && strstr(passes, "remove_no_op") != NULL && strstr(passes, "flatten") != NULL) {
    tn_diags diags = {0};
    tn_lowered_verify(after.ir, after.funcs[0].func, &diags);
    expect_ok(tn_diags_to_status(&diags, after.ir));
  }
  tn_status_free(st);
  gen_tir_deinit(&a);
  gen_tir_deinit(&b);
  tn_module_deinit(&after);
  return is_ok;
}

static uint64_t from_env(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void random_programs_keep_their_results(void **state) {
  (void)state;
  uint64_t first = from_env("TN_SEED", 1);
  uint64_t end = first + from_env("TN_COUNT", N_PROGRAMS);
  bool is_ok = true;
  for (uint64_t seed = first; seed < end && is_ok; ++seed) {
    tn_ir *ir = tn_ir_new(0);
    tn_module module;
    gen_tir_program program;
    tn_module_init(&module, ir, "Module");
    gen_tir(ir, seed, GEN_TIR_ALL, "f", &program);
    tn_module_set(&module, "f", program.func);
    for (size_t i = 0; i < TN_N_ROWS(lists) && is_ok; ++i) {
      is_ok = check(&module, &program, lists[i], seed);
    }
    gen_tir_deinit(&program);
    tn_module_deinit(&module);
    tn_ir_free(ir);
  }
  assert_true(is_ok);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_keep_their_results)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
