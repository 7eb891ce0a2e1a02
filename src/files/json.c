/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* JSON through jansson. Its parser recurses, so the depth is judged before it starts. */
#include "files/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Brackets outside of texts; a text that is wrong otherwise is jansson's to judge. */
static bool is_too_deep(const char *text, size_t len) {
  int64_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < len; ++i) {
    char c = text[i];
    if (in_text) {
      i += c == '\\' ? 1 : 0;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      depth += 1;
    } else if (c == ']' || c == '}') {
      depth -= 1;
    }
    if (depth > TN_JSON_MAX_DEPTH) {
      return true;
    }
  }
  return false;
}

tn_status tn_json_parse(const char *text, size_t len, tn_json **out_root) {
  json_error_t error;
  if (is_too_deep(text, len)) {
    return TN_ERR(TN_CORRUPT, "JSON nested more than %d deep", (int)TN_JSON_MAX_DEPTH);
  }
  json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
  if (root == NULL) {
    return TN_ERR(TN_CORRUPT, "JSON, line %d, column %d: %s", error.line, error.column, error.text);
  }
  *out_root = root;
  return NULL;
}

void tn_json_free(tn_json *root) { json_decref(root); }

tn_json_kind tn_json_kind_of(const tn_json *value) {
  if (value == NULL) {
    return TN_JSON_NULL;
  }
  switch (json_typeof(value)) {
    case JSON_NULL:
      return TN_JSON_NULL;
    case JSON_FALSE:
      return TN_JSON_FALSE;
    case JSON_TRUE:
      return TN_JSON_TRUE;
    case JSON_INTEGER:
    case JSON_REAL:
      return TN_JSON_NUMBER;
    case JSON_STRING:
      return TN_JSON_TEXT;
    case JSON_ARRAY:
      return TN_JSON_ARRAY;
    case JSON_OBJECT:
      return TN_JSON_OBJECT;
  }
  return TN_JSON_NULL;
}

const tn_json *tn_json_get(const tn_json *object, const char *key) {
  return json_object_get(object, key);
}

const char *tn_json_next_key(const tn_json *object, const char *key) {
  json_t *all = (json_t *)(uintptr_t)object; /* the iterator changes nothing */
  void *at = key == NULL ? json_object_iter(all)
                         : json_object_iter_next(all, json_object_iter_at(all, key));
  return json_object_iter_key(at);
}

size_t tn_json_size(const tn_json *array) { return json_array_size(array); }

const tn_json *tn_json_at(const tn_json *array, size_t i) { return json_array_get(array, i); }

const char *tn_json_text(const tn_json *value, size_t *out_len) {
  const char *text = json_string_value(value);
  *out_len = text == NULL ? 0 : json_string_length(value);
  return text;
}

bool tn_json_int(const tn_json *value, int64_t *out) {
  size_t len = 0;
  const char *text = tn_json_text(value, &len);
  if (json_is_integer(value)) {
    *out = (int64_t)json_integer_value(value);
    return true;
  }
  if (text == NULL || len == 0 || len > 20 || strspn(text, "-0123456789") != len) {
    return false;
  }
  char *end = NULL;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return *end == '\0' && errno == 0;
}

bool tn_json_float(const tn_json *value, double *out) {
  if (!json_is_number(value)) {
    return false;
  }
  *out = json_number_value(value);
  return true;
}
