/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statuses: codes, messages, context, printing. */
#include "tn_test.h"

#include "base/status.h"

static tn_status inner(bool is_bad) {
  if (is_bad) {
    return TN_ERR(TN_INVALID, "kernel height %d exceeds padded input height %d", 7, 5);
  }
  return NULL;
}

static tn_status middle(bool is_bad) {
  TN_TRY_MSG(inner(is_bad), "node '%s' (conv2d)", "c1");
  return NULL;
}

static tn_status outer(bool is_bad, int *out_n_cleaned) {
  tn_status st = NULL;
  TN_GOTO(st, middle(is_bad), done);
done:
  ++*out_n_cleaned;
  return tn_status_wrap(st, "m.onnx");
}

static void success_is_null_and_stays_null(void **state) {
  (void)state;
  int n_cleaned = 0;
  expect_ok(outer(false, &n_cleaned));
  assert_int_equal(n_cleaned, 1);
  assert_int_equal(tn_status_code(NULL), TN_OK);
  assert_string_equal(tn_status_message(NULL), "");
  tn_status_free(NULL);
}

static void context_stands_before_the_cause(void **state) {
  (void)state;
  int n_cleaned = 0;
  tn_status st = outer(true, &n_cleaned);
  assert_int_equal(n_cleaned, 1);
  assert_string_equal(tn_status_message(st),
                      "m.onnx: node 'c1' (conv2d): kernel height 7 exceeds padded input height 5");
  expect_error(st, TN_INVALID, "node 'c1'");
}

static void printing_shows_places_only_when_asked(void **state) {
  (void)state;
  int n_cleaned = 0;
  tn_status st = outer(true, &n_cleaned);
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  tn_status_print(out, st, false);
  fclose(out);
  expect_text(text, "error: m.onnx: node 'c1' (conv2d): kernel height 7 exceeds padded input "
                    "height 5 [invalid argument]\n");
  free(text);
  out = open_memstream(&text, &len);
  tn_status_print(out, st, true);
  fclose(out);
  assert_non_null(strstr(text, "in outer\n"));
  assert_non_null(strstr(text, "in inner\n"));
  assert_true(strstr(text, "in outer\n") < strstr(text, "in inner\n"));
  free(text);
  tn_status_free(st);
}

static void every_code_has_a_name(void **state) {
  (void)state;
  for (int code = TN_OK; code <= TN_INTERNAL; ++code) {
    assert_string_not_equal(tn_code_name((tn_code)code), "unknown error");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(success_is_null_and_stays_null),
      cmocka_unit_test(context_stands_before_the_cause),
      cmocka_unit_test(printing_shows_places_only_when_asked),
      cmocka_unit_test(every_code_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
