/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a model needs and the importer has not, told in one list. */
#ifndef TN_FRONT_ONNX_MISSING_H
#define TN_FRONT_ONNX_MISSING_H

#include "front/onnx/model.h"

/// UNSUPPORTED with a line an operator: its name, domain and version, how many nodes need it, and
/// the first of them. Graphs within graphs and functions included.
TN_MUST_USE tn_status tn_onnx_check_missing(const tn_onnx_model *model);
/// The function of the model that the node calls, NULL when it calls an operator.
const tn_onnx_function *tn_onnx_find_function(const tn_onnx_model *model, const tn_onnx_node *node);
/// A domain as the table has it: "" for ai.onnx.
const char *tn_onnx_domain(tn_onnx_bytes domain);
/// The version of the operator set `domain` ("": ai.onnx), 0 when the model does not say.
int64_t tn_onnx_opset_of(const tn_onnx_opsets *opsets, const char *domain);

#endif
