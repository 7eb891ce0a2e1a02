/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Primitives on loops: what they make of a program, that it computes the same, and what each refuses
 * and why. */
#include "sched_util.h"

#define AB "A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\")"
#define COPY                             \
  "for i in range(16):\n"                \
  "    with T.block(\"B\"):\n"           \
  "        vi = T.axis.spatial(16, i)\n" \
  "        B[vi] = A[vi] + T.float32(1)"

static void a_schedule_without_steps_is_the_program(void **state) {
  (void)state;
  const sched_row row = {"nothing", AB, COPY, "", NULL, NULL};
  sched_check_row(&row);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_schedule_without_steps_is_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
