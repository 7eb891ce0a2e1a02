/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The front door of the front room: models of other systems as graph functions.
 *
 * ONNX: wire format (onnx/wire.h) -> structs with views of the file (onnx/model.h) -> the operators
 * of ops/ops.def, through a table with one row an operator and version (onnx/rules.def). Why there
 * is a reader of our own: docs/decisions/007-onnx-reader.md. */
#ifndef TN_FRONT_FRONT_H
#define TN_FRONT_FRONT_H

#include "base/array.h"
#include "base/hash.h"
#include "ir/ir.h"

typedef struct tn_onnx_opts {
  /// Shapes of inputs, each "NAME=1,3,224,224"; a number below 0 leaves that extent as the model has
  /// it. Borrowed for the call.
  const char *const *shapes;
  int32_t n_shapes;
  /// Values for the inputs without initial value, in order; NULL: none for that one. One is looked at
  /// only where a type depends on it (axes, pads, a scale) and the model itself does not tell: that
  /// input then has this value for good and is no parameter. Borrowed for the call.
  const tn_array *const *values;
  int32_t n_values;
  bool *are_taken; /* [n_values], out; may be NULL */
} tn_onnx_opts;

/// Reads a model and adds the graph function "main": a parameter for each input that has no
/// initial value, and as result the output, or a tuple of several. External data must lie in the
/// model's folder. opts may be NULL. Errors name the node: CORRUPT, INVALID; UNSUPPORTED lists all
/// operators that are missing, with how many nodes need each.
TN_MUST_USE tn_status tn_onnx_import(const char *path, const tn_onnx_opts *opts, tn_module *module);

/// The same of a file's bytes. folder: where external data may lie; NULL: nowhere.
TN_MUST_USE tn_status tn_onnx_import_bytes(const uint8_t *bytes, size_t n_bytes, const char *folder,
                                           const tn_onnx_opts *opts, tn_module *module);

/// Mixes all that a model is made of, its own bytes and those of external data, into *hash.
TN_MUST_USE tn_status tn_onnx_hash(const char *path, tn_hash128 *hash);

/// Reads a tensor file of the ONNX backend tests (input_0.pb).
TN_MUST_USE tn_status tn_onnx_read_array(const char *path, tn_array *out_array);

/// A value of the backend tests: one tensor, a sequence of them, or nothing.
typedef struct tn_onnx_data {
  enum { TN_ONNX_DATA_NOTHING, TN_ONNX_DATA_TENSOR, TN_ONNX_DATA_SEQUENCE } kind;
  int32_t n;
  tn_array *arrays; /* owned, on the heap */
} tn_onnx_data;

/// Reads such a file for input (output) `index` of a model, whose type says what is in it. Inputs
/// with an initial value do not count.
TN_MUST_USE tn_status tn_onnx_read_data(const char *model, bool is_output, int32_t index,
                                        const char *path, tn_onnx_data *out_data);
void tn_onnx_data_deinit(tn_onnx_data *data);

/// Appends the operators of a model's graph, each once, sorted, separated by spaces.
TN_MUST_USE tn_status tn_onnx_list_operators(const char *path, tn_buf *out);

/// Row `i` of the table of operators, in order of domain and name; false past the last.
bool tn_onnx_rule_describe(int32_t i, const char **out_domain, const char **out_op,
                           int64_t *out_since);

#endif
