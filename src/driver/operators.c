/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The operator table (ops/ops.h) for whoever has the C API alone: `tenon ops`, documentation. */
#include "ops/ops.h"
#include "tenon/compiler.h"

int32_t tn_n_operators(void) { return tn_ops_table()->n; }

tn_status tn_operator_describe(int32_t i, tn_operator_info *out_info) {
  const tn_op_table *table = tn_ops_table();
  if (i < 0 || i >= table->n) {
    return TN_ERR(TN_INVALID, "operator %d: there are %d", i, table->n);
  }
  const tn_op_def *op = table->defs[i];
  *out_info = (tn_operator_info){
      .name = op->def.name, .doc = op->doc, .n_args = op->min_args, .n_fields = op->n_fields};
  return NULL;
}

tn_status tn_operator_describe_field(int32_t i, int32_t j, tn_operator_field *out_field) {
  tn_operator_info info;
  TN_TRY(tn_operator_describe(i, &info));
  if (j < 0 || j >= info.n_fields) {
    return TN_ERR(TN_INVALID, "field %d of %s: there are %d", j, info.name, info.n_fields);
  }
  const tn_field *field = &tn_ops_table()->defs[i]->fields[j];
  *out_field = (tn_operator_field){
      .name = field->name, .default_text = field->default_text, .doc = field->doc};
  return NULL;
}
