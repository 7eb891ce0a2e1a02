/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* JSON of any bytes: a tree that can be walked, or an error. */
#include "files/json.h"
#include "fuzz/fuzz.h"

/* Asks everything of a value and of what is in it. */
static void walk(const tn_json *value) {
  int64_t i64 = 0;
  size_t len = 0;
  (void)tn_json_int(value, &i64);
  (void)tn_json_text(value, &len);
  (void)tn_json_get(value, "data");
  for (size_t i = 0; i < tn_json_size(value); ++i) {
    walk(tn_json_at(value, i));
  }
  if (tn_json_get(value, "a") != NULL) {
    walk(tn_json_get(value, "a"));
  }
}

void fuzz_one(const uint8_t *bytes, size_t n_bytes) {
  tn_json *root = NULL;
  tn_status st = tn_json_parse((const char *)bytes, n_bytes, &root);
  if (st == NULL) {
    walk(root);
    tn_json_free(root);
  }
  tn_status_free(st);
}
