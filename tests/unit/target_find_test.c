/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Targets: texts that find a row, texts that do not, and the host. */
#include "tn_test.h"

#include "target/target.h"

static void each_text_finds_its_row(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *name; /* NULL: the host's */
  } cases[] = {
      {"host", NULL},
      {"llvm", NULL},
      {"llvm -num-cores 4", NULL},
      {"llvm -mcpu=native", NULL},
      {"x86-64-v2", "x86-64-v2"},
      {"x86-64-v3", "x86-64-v3"},
      {"x86-64-v4", "x86-64-v4"},
      {"llvm -mcpu=skylake-avx512 -num-cores 4", "x86-64-v4"},
      {"llvm -mcpu znver3", "x86-64-v3"},
      {"llvm -keys=cpu -mcpu=nehalem", "x86-64-v2"},
      {"llvm -mtriple=aarch64-linux-gnu -num-cores 4", "aarch64"},
      {"llvm -mtriple riscv64-unknown-linux-gnu", "riscv64"},
      {"llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", "aarch64"},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const tn_target *target = NULL;
    expect_ok(tn_target_find(cases[i].text, &target));
    const char *want = cases[i].name == NULL ? tn_target_host()->name : cases[i].name;
    expect_true(strcmp(target->name, want) == 0, "%s gave %s", cases[i].text, target->name);
  }
}

static void unknown_texts_are_refused_with_what_there_is(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *part;
  } cases[] = {
      {"cuda", "unknown target 'cuda'; there are host, llvm, x86-64-v2, x86-64-v3, x86-64-v4"},
      {"x86-64-v22", "there are host, llvm, x86-64-v2, x86-64-v3, x86-64-v4, aarch64, riscv64; did "
                     "you mean 'x86-64-v2'?"},
      {"", "unknown target ''"},
      {"llvmx", "unknown target 'llvmx'"},
      {"llvm -mcpu=z80", "unknown CPU 'z80'"},
      {"llvm -mcpu z80 x", "unknown CPU 'z80'"},
      {"llvm -mtriple=armv7-linux", "no target for the triple 'armv7-linux'"},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const tn_target *target = NULL;
    expect_error(tn_target_find(cases[i].text, &target), TN_NOT_FOUND, cases[i].part);
    expect_true(target == NULL, "%s left a target", cases[i].text);
  }
}

static void the_host_runs_its_row_and_those_below(void **state) {
  (void)state;
  uint32_t n = 0;
  const tn_target *const *all = tn_target_all(&n);
  bool is_below = true;
  for (uint32_t i = 0; i < n; ++i) {
    expect_true(tn_target_runs_here(all[i]) == is_below || i == 0, "%s", all[i]->name);
    is_below = is_below && all[i] != tn_target_host();
    assert_true(all[i]->vector_bytes > 0 && all[i]->n_vector_regs > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_text_finds_its_row),
      cmocka_unit_test(unknown_texts_are_refused_with_what_there_is),
      cmocka_unit_test(the_host_runs_its_row_and_those_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
