/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Fields, numbers and calls by name for the rewrite rules; see match.h. */
#include "ops/rules/match.h"

#include <string.h>

#include "base/check.h"

/* ---- what is there ---- */

static int32_t field_of(const tn_op_def *op, const char *name) {
  for (int32_t i = 0; i < op->n_fields; ++i) {
    if (strcmp(op->fields[i].name, name) == 0) {
      return i;
    }
  }
  TN_CHECK(false, "R.%s has no field '%s'", op->def.name, name);
  return 0;
}

int64_t tn_rule_int(const tn_node *call, const char *field) {
  return tn_op_int(call, field_of(tn_op_of(call), field));
}

double tn_rule_float(const tn_node *call, const char *field) {
  return tn_op_float(call, field_of(tn_op_of(call), field));
}

const char *tn_rule_text(const tn_node *call, const char *field) {
  return tn_op_text(call, field_of(tn_op_of(call), field));
}

int32_t tn_rule_ints(const tn_node *call, const char *field, int64_t *out) {
  int32_t n = 0;
  tn_status st = tn_op_ints(call, field_of(tn_op_of(call), field), out, &n);
  bool is_ok = st == NULL;
  tn_status_free(st);
  return is_ok ? n : -1;
}

bool tn_rule_is_left_out(const tn_node *call, const char *field) {
  return tn_call_field(call, field_of(tn_op_of(call), field)) == NULL;
}

bool tn_rule_with_number(const tn_node *call, double *out_number, const tn_node **out_other) {
  for (uint32_t i = 0; i < 2; ++i) {
    if (tn_rewrite_is_number(tn_call_arg(call, i), out_number)) {
      *out_other = tn_call_arg(call, 1 - i);
      return true;
    }
  }
  return false;
}

const tn_node *tn_rule_own_with_number(const tn_rewrite_run *r, const tn_node *value,
                                       const char *name, double *out_number) {
  const tn_node *other = NULL;
  const tn_node *call = value == NULL ? NULL : tn_rewrite_own_call(r, value, name);
  return call != NULL && tn_rule_with_number(call, out_number, &other) ? other : NULL;
}

int64_t tn_rule_extent(tn_rewrite_run *r, const tn_node *value, int64_t d) {
  const tn_node *shape = tn_rewrite_shape(r, value);
  bool is_known =
      shape != NULL && d >= 0 && d < (int64_t)shape->n_in && shape->in[d]->op == TN_OP_INT;
  return is_known ? shape->in[d]->attr.i64 : -1;
}

int32_t tn_rule_axes(tn_rewrite_run *r, const tn_node *call, const char *field, int64_t *out) {
  int64_t axes[TN_MAX_NDIM];
  bool is_in[TN_MAX_NDIM] = {false};
  int64_t ndim = tn_rewrite_ndim(r, tn_call_arg(call, 0));
  int32_t n_out = 0;
  if (ndim < 0 || ndim > TN_MAX_NDIM) {
    return -1;
  }
  int32_t n = tn_rule_ints(call, field, axes);
  for (int32_t i = 0; i < n; ++i) {
    int64_t axis = axes[i] < 0 ? axes[i] + ndim : axes[i];
    if (axis < 0 || axis >= ndim) {
      return -1;
    }
    is_in[axis] = true;
  }
  for (int32_t d = 0; d < ndim; ++d) {
    if (n < 0 || is_in[d]) {
      out[n_out++] = d;
    }
  }
  return n_out;
}

int32_t tn_rule_perm(tn_rewrite_run *r, const tn_node *call, int64_t *out) {
  int64_t ndim = tn_rewrite_ndim(r, tn_call_arg(call, 0));
  if (ndim < 0 || ndim > TN_MAX_NDIM) {
    return -1;
  }
  int32_t n = tn_rule_ints(call, "axes", out);
  for (int32_t d = 0; d < ndim; ++d) {
    out[d] = n < 0 ? ndim - 1 - d : out[d] < 0 ? out[d] + ndim : out[d];
  }
  return (int32_t)ndim;
}

/* ---- what is made ---- */

static tn_ir *ir_of(const tn_rule_build *b) { return tn_rewrite_ir(b->r); }

tn_rule_build tn_rule_begin(tn_rewrite_run *r, const char *op) {
  tn_rule_build b = {.r = r, .op = tn_op_table_find(tn_ops_table(), op)};
  b.op = b.op != NULL ? b.op : tn_graph_builtin_find(op);
  TN_CHECK(b.op != NULL && b.op->n_fields <= TN_RULE_MAX_FIELDS, "no operator '%s'", op);
  for (int32_t i = 0; i < b.op->n_fields; ++i) {
    b.fields[i] = tn_none(tn_rewrite_ir(r));
  }
  return b;
}

tn_rule_build tn_rule_begin_like(tn_rewrite_run *r, const tn_node *call) {
  tn_rule_build b = tn_rule_begin(r, call->attr.def->name);
  for (int32_t i = 0; i < b.op->n_fields; ++i) {
    b.fields[i] = call->in[TN_CALL_FIELDS]->in[i];
  }
  return b;
}

static void set(tn_rule_build *b, const char *field, const tn_node *value) {
  b->fields[field_of(b->op, field)] = value;
}

void tn_rule_set_int(tn_rule_build *b, const char *field, int64_t value) {
  set(b, field, tn_int(ir_of(b), TN_DT_I64, value));
}

void tn_rule_set_float(tn_rule_build *b, const char *field, double value) {
  set(b, field, tn_float(ir_of(b), TN_DT_F64, value));
}

void tn_rule_set_bool(tn_rule_build *b, const char *field, bool value) {
  set(b, field, tn_bool(ir_of(b), value));
}

void tn_rule_set_ints(tn_rule_build *b, const char *field, int32_t n, const int64_t *values) {
  const tn_node *items[2 * TN_MAX_NDIM];
  TN_CHECK(n <= 2 * TN_MAX_NDIM, "%d numbers", n);
  for (int32_t i = 0; i < n; ++i) {
    items[i] = tn_int(ir_of(b), TN_DT_I64, values[i]);
  }
  set(b, field, tn_list(ir_of(b), (uint32_t)n, items));
}

const tn_node *tn_rule_end(tn_rule_build *b, uint32_t n, const tn_node *const *args) {
  const tn_node *fields = tn_list(ir_of(b), (uint32_t)b->op->n_fields, b->fields);
  return tn_rewrite_make(b->r, b->op, n, args, fields);
}

const tn_node *tn_rule_op1(tn_rewrite_run *r, const char *op, const tn_node *x) {
  tn_rule_build b = tn_rule_begin(r, op);
  return tn_rule_end(&b, 1, &x);
}

const tn_node *tn_rule_op2(tn_rewrite_run *r, const char *op, const tn_node *x, const tn_node *y) {
  const tn_node *args[] = {x, y};
  tn_rule_build b = tn_rule_begin(r, op);
  return tn_rule_end(&b, 2, args);
}

const tn_node *tn_rule_scalar(tn_rewrite_run *r, const tn_node *like, double value) {
  tn_array array = {0};
  tn_status st = tn_array_init(&array, tn_rewrite_dtype(r, like), 0, NULL);
  if (st != NULL) {
    tn_status_free(st);
    return NULL;
  }
  tn_array_set_f64(&array, 0, value);
  return tn_rewrite_const(r, &array);
}

const tn_node *tn_rule_reshape(tn_rewrite_run *r, const tn_node *x, const tn_node *dims) {
  if (dims == NULL) {
    return NULL;
  }
  const tn_node *shape =
      tn_node_new(tn_rewrite_ir(r), TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, dims->n_in, dims->in);
  return tn_rule_op2(r, "reshape", x, shape);
}

const tn_node *tn_rule_permute(tn_rewrite_run *r, const tn_node *x, int32_t n,
                               const int64_t *axes) {
  tn_rule_build b = tn_rule_begin(r, "permute_dims");
  tn_rule_set_ints(&b, "axes", n, axes);
  return tn_rule_end(&b, 1, &x);
}
