/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The loops behind the machine's peaks do what they count: passes touch their bytes and no others,
 * arithmetic has a rate wherever it must, every figure has a name. */
#include "tn_test.h"

#include "runtime/bench.h"
#include "runtime/peak_loops.h"

enum { N_BYTES = 4 * TN_PEAK_STEP_BYTES, ROOM = 64 };

static unsigned char *new_bytes(void) {
  unsigned char *bytes = aligned_alloc(64, N_BYTES + ROOM);
  assert_non_null(bytes);
  for (int i = 0; i < N_BYTES + ROOM; ++i) {
    bytes[i] = (unsigned char)(i % 251);
  }
  return bytes;
}

static bool is_untouched(const unsigned char *bytes, int from, int to) {
  for (int i = from; i < to; ++i) {
    if (bytes[i] != i % 251) {
      return false;
    }
  }
  return true;
}

static void a_pass_touches_its_bytes_and_no_others(void **state) {
  (void)state;
  for (int access = 0; access < TN_PEAK_N_ACCESSES; ++access) {
    unsigned char *bytes = new_bytes();
    tn_peak_pass_find((tn_peak_access)access)(bytes, N_BYTES, 3);
    assert_true(is_untouched(bytes, N_BYTES, N_BYTES + ROOM));
    if (access == TN_PEAK_READ) {
      assert_true(is_untouched(bytes, 0, N_BYTES));
    } else if (access == TN_PEAK_COPY) {
      assert_true(is_untouched(bytes, 0, N_BYTES / 2));
      assert_memory_equal(bytes, bytes + N_BYTES / 2, N_BYTES / 2);
    } else {
      for (int i = 0; i < N_BYTES; ++i) { /* vectors of which one element is 1 */
        assert_true(bytes[i] <= 1);
      }
    }
    free(bytes);
  }
}

static void arithmetic_runs_wherever_it_must(void **state) {
  (void)state;
  static const bool may_lack[TN_PEAK_N_KINDS] = {[TN_PEAK_BF16] = true, [TN_PEAK_I8] = true};
  for (int kind = 0; kind < TN_PEAK_N_KINDS; ++kind) {
    tn_peak_arithmetic run = tn_peak_arithmetic_find((tn_peak_kind)kind);
    expect_true(run != NULL || may_lack[kind], "kind %d", kind);
    expect_true(run == NULL || run() > 1e5, "kind %d", kind);
  }
}

static void every_figure_has_a_name(void **state) {
  (void)state;
  for (int i = 0; i < TN_PEAK_N_KINDS; ++i) {
    assert_non_null(tn_peak_kind_name((tn_peak_kind)i));
  }
  for (int i = 0; i < TN_PEAK_N_LEVELS; ++i) {
    assert_non_null(tn_peak_level_name((tn_peak_level)i));
  }
  for (int i = 0; i < TN_PEAK_N_ACCESSES; ++i) {
    assert_non_null(tn_peak_access_name((tn_peak_access)i));
  }
  assert_null(tn_peak_kind_name((tn_peak_kind)TN_PEAK_N_KINDS));
  assert_null(tn_peak_level_name((tn_peak_level)TN_PEAK_N_LEVELS));
  assert_null(tn_peak_access_name((tn_peak_access)TN_PEAK_N_ACCESSES));
}

static void a_machine_is_told_from_others(void **state) {
  (void)state;
  tn_peak peak;
  tn_peak_identify(&peak);
  assert_true(peak.cpu[0] != '\0' && peak.vectors[0] != '\0' && peak.n_cpus >= 1);
  assert_true(peak.level_bytes[TN_PEAK_L1] >= 4096);
  assert_true(peak.level_bytes[TN_PEAK_L2] > peak.level_bytes[TN_PEAK_L1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pass_touches_its_bytes_and_no_others),
      cmocka_unit_test(arithmetic_runs_wherever_it_must),
      cmocka_unit_test(every_figure_has_a_name),
      cmocka_unit_test(a_machine_is_told_from_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
