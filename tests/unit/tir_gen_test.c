/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The generator of random programs itself: what it makes is well formed, runs without an error and
 * is the same for the same seed. with: gen_tir.c gen_tir_expr.c */
#include "tn_test.h"

#include "gen_tir.h"

enum { N_PROGRAMS = 400 };

static tn_status run(tn_ir *ir, const gen_tir_program *program) {
  tn_tir_program *compiled = NULL;
  tn_tir_hooks hooks = {.max_steps = 10000000};
  TN_TRY(tn_tir_program_new(ir, program->func, &compiled));
  tn_status st = tn_tir_program_run(compiled, program->args, program->n_args, &hooks, NULL);
  tn_tir_program_free(compiled);
  return st;
}

static void random_programs_are_well_formed_and_run(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= N_PROGRAMS; ++seed) {
    tn_ir *ir = tn_ir_new(0);
    gen_tir_program program;
    tn_diags diags = {0};
    gen_tir(ir, seed, GEN_TIR_ALL, "f", &program);
    tn_tir_verify(ir, program.func, &diags);
    tn_status st = tn_diags_to_status(&diags, ir);
    st = st != NULL ? st : run(ir, &program);
    expect_true(st == NULL, "seed %llu: %s", (unsigned long long)seed, tn_status_message(st));
    gen_tir_deinit(&program);
    tn_ir_free(ir);
  }
}

static void the_same_seed_gives_the_same_program_and_result(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= N_PROGRAMS / 10; ++seed) {
    tn_ir *ir = tn_ir_new(0);
    gen_tir_program a;
    gen_tir_program b;
    gen_tir_program c;
    int32_t arg = 0;
    gen_tir(ir, seed, GEN_TIR_ALL, "f", &a);
    gen_tir(ir, seed, GEN_TIR_ALL, "f", &b);
    gen_tir_copy_args(&a, &c);
    assert_true(tn_equal(a.func, b.func, false, NULL));
    expect_ok(run(ir, &a));
    expect_ok(run(ir, &b));
    assert_true(gen_tir_same_args(&a, &b, &arg));
    assert_false(gen_tir_same_args(&a, &c, &arg)); /* it did something */
    gen_tir_deinit(&a);
    gen_tir_deinit(&b);
    gen_tir_deinit(&c);
    tn_ir_free(ir);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_are_well_formed_and_run),
      cmocka_unit_test(the_same_seed_gives_the_same_program_and_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
