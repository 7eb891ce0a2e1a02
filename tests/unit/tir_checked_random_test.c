/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* with: gen_tir.c gen_tir_expr.c */
/* Checked runs of random programs, which are right as they are made: nothing is found and the
 * results are those of a plain run. One thing changed in them is found. TN_SEED and TN_COUNT choose
 * other programs. */
#include "gen_tir.h"
#include "script/script.h"
#include "tn_test.h"

enum { N_PROGRAMS = 300 };

static uint64_t from_env(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void show(const tn_module *module, uint64_t seed, const char *what) {
  tn_buf buf = TN_BUF_INIT;
  tn_script_print(module, &(tn_print_opts){0}, &buf);
  (void)fprintf(stderr, "---- seed %llu: %s\n%s\n", (unsigned long long)seed, what,
                tn_buf_text(&buf));
  tn_buf_deinit(&buf);
}

static tn_status run(const tn_module *module, gen_tir_program *p, bool is_checked) {
  tn_tir_checker *checker = is_checked ? tn_tir_checker_new(module->ir) : NULL;
  tn_tir_hooks hooks = {.max_steps = 10000000, .checker = checker};
  tn_status st = tn_tir_interp(module, "f", p->args, p->n_args, &hooks, NULL);
  st = is_checked ? tn_tir_checker_finish(checker, st) : st;
  tn_tir_checker_free(checker);
  return st;
}

static void right_programs_have_no_finding_and_the_same_results(void **state) {
  (void)state;
  uint64_t first = from_env("TN_SEED", 1);
  uint64_t end = first + from_env("TN_COUNT", N_PROGRAMS);
  int32_t n_bad = 0;
  for (uint64_t seed = first; seed < end && n_bad < 3; ++seed) {
    tn_ir *ir = tn_ir_new(0);
    tn_module module;
    gen_tir_program program;
    gen_tir_program other;
    int32_t arg = 0;
    tn_module_init(&module, ir, "Module");
    gen_tir(ir, seed, GEN_TIR_ALL, "f", &program);
    tn_module_set(&module, "f", program.func);
    gen_tir_copy_args(&program, &other);
    tn_status st = run(&module, &program, true);
    st = st != NULL ? st : run(&module, &other, false);
    if (st != NULL || !gen_tir_same_args(&program, &other, &arg)) {
      show(&module, seed, st == NULL ? "other results" : tn_status_message(st));
      ++n_bad;
    }
    tn_status_free(st);
    gen_tir_deinit(&program);
    gen_tir_deinit(&other);
    tn_module_deinit(&module);
    tn_ir_free(ir);
  }
  assert_int_equal(n_bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_programs_have_no_finding_and_the_same_results),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
