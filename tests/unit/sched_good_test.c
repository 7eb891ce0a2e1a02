/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script
 * with: sched_gen.c
 * Schedules that are known to be good (tests/sched/good.py): each is accepted, verifies, computes the
 * same, and its trace as a script does the same again. How many the separate checker certifies is
 * printed. */
#include "sched_gen.h"

#include "sched/certify.h"
#include "script/sched_script.h"

enum { N_AT_LEAST = 60 };

static const sched_seed *program_of(const sched_seed *script, uint32_t n, const sched_seed *seeds) {
  size_t len = strcspn(script->name, ":");
  for (uint32_t i = 0; i < n; ++i) {
    if (strlen(seeds[i].name) == len && memcmp(seeds[i].name, script->name, len) == 0) {
      return &seeds[i];
    }
  }
  fail_msg("no program for %s", script->name);
  return NULL;
}

static bool is_done(const sched_case *c, tn_sched *s, const char *text, const char *name) {
  tn_diags diags = {0};
  const tn_sched_script_opts opts = {.file_name = name};
  tn_sched_script_run(text, strlen(text), &opts, s, &diags);
  tn_status st = tn_diags_to_status(&diags, c->before.ir);
  if (st != NULL) {
    print_error("%s\n", tn_status_message(st));
  }
  bool is_ok = st == NULL;
  tn_status_free(st);
  return is_ok;
}

static bool is_certified(const sched_case *c, const char *name) {
  tn_certify_result result;
  expect_ok(tn_certify(c->before.ir, tn_module_find(&c->before, SCHED_GEN_FUNC),
                       tn_module_find(tn_sched_module(c->s), SCHED_GEN_FUNC), &result));
  bool is_equal = result.verdict == TN_CERTIFY_EQUAL;
  if (!is_equal) {
    print_message("  %s: %s\n", name, result.text);
  }
  tn_certify_result_deinit(&result);
  return is_equal;
}

/* The trace, printed and read, does the same. */
static void expect_replays(const sched_case *c, const char *name) {
  tn_buf trace = TN_BUF_INIT;
  tn_sched *again = tn_sched_new(&c->before, 2);
  expect_ok(tn_sched_work_on(again, SCHED_GEN_FUNC));
  tn_sched_trace_print(c->s, &trace);
  expect_true(is_done(c, again, tn_buf_text(&trace), name), "the trace of %s", name);
  expect_true(tn_equal(tn_module_find(tn_sched_module(c->s), SCHED_GEN_FUNC),
                       tn_module_find(tn_sched_module(again), SCHED_GEN_FUNC), false, NULL),
              "%s: the trace gives another program\n%s", name, tn_buf_text(&trace));
  tn_sched_free(again);
  tn_buf_deinit(&trace);
}

static void known_schedules_are_accepted(void **state) {
  (void)state;
  static sched_seed seeds[SCHED_GEN_MAX_SEEDS];
  static sched_seed scripts[SCHED_GEN_MAX_SEEDS];
  uint32_t n_seeds = sched_seeds_load("tests/sched/seeds.py", seeds);
  uint32_t n = sched_seeds_load("tests/sched/good.py", scripts);
  uint32_t n_certified = 0;
  uint32_t n_refused = 0;
  for (uint32_t i = 0; i < n; ++i) {
    sched_case c;
    print_message("  %s\n", scripts[i].name);
    sched_init_text(&c, program_of(&scripts[i], n_seeds, seeds)->text);
    expect_ok(tn_sched_work_on(c.s, SCHED_GEN_FUNC));
    n_refused += !is_done(&c, c.s, scripts[i].text, scripts[i].name);
    sched_expect_verifies(&c, scripts[i].name);
    sched_expect_same_at(&c, SCHED_GEN_FUNC, 7, i + 1);
    sched_expect_same_at(&c, SCHED_GEN_FUNC, 1, i + 1);
    expect_replays(&c, scripts[i].name);
    n_certified += is_certified(&c, scripts[i].name);
    sched_deinit(&c);
  }
  print_message("  %u schedules, %u of them certified\n", n, n_certified);
  assert_int_equal(n_refused, 0);
  assert_true(n >= N_AT_LEAST);
  sched_seeds_free(n_seeds, seeds);
  sched_seeds_free(n, scripts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_schedules_are_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
