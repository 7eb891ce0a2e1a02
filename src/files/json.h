/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* JSON texts, read into a tree: jansson behind limits, so that a hostile text is an error.
 *
 *   tn_json *root = NULL;
 *   TN_TRY(tn_json_parse(text, len, &root));
 *   const tn_json *nodes = tn_json_get(root, "nodes");
 *   ... tn_json_at(nodes, 3) ...
 *   tn_json_free(root);
 *
 * Questions about a value of another kind (or NULL) are answered with NULL, 0 or false. */
#ifndef TN_FILES_JSON_H
#define TN_FILES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct json_t tn_json;

/// Reads a whole text. CORRUPT names the line and column; so do more than TN_JSON_MAX_DEPTH levels
/// and a key that stands twice.
enum { TN_JSON_MAX_DEPTH = 200 };
TN_MUST_USE tn_status tn_json_parse(const char *text, size_t len, tn_json **out_root);
void tn_json_free(tn_json *root);
typedef enum tn_json_kind {
  TN_JSON_NULL, /* also of NULL */
  TN_JSON_FALSE,
  TN_JSON_TRUE,
  TN_JSON_NUMBER,
  TN_JSON_TEXT,
  TN_JSON_ARRAY,
  TN_JSON_OBJECT
} tn_json_kind;
tn_json_kind tn_json_kind_of(const tn_json *value);
/// The member of an object.
const tn_json *tn_json_get(const tn_json *object, const char *key);
/// The member after one of an object, in the order of the text: its key, NULL at the end. key: NULL
/// for the first.
const char *tn_json_next_key(const tn_json *object, const char *key);
/// Items of an array; item `i`.
size_t tn_json_size(const tn_json *array);
const tn_json *tn_json_at(const tn_json *array, size_t i);
/// A text and its bytes, which may hold NUL.
const char *tn_json_text(const tn_json *value, size_t *out_len);
/// An integer, or a text of digits.
bool tn_json_int(const tn_json *value, int64_t *out);
/// A number, whole or not.
bool tn_json_float(const tn_json *value, double *out);

#endif
