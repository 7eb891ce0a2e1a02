/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the rewrite rules of this room are written with (on graph/rewrite.h): operators and fields
 * by name, so that a rule reads as the formula that it is. Makers give NULL as soon as an argument
 * is NULL; then the rule does not apply. */
#ifndef TN_OPS_RULES_MATCH_H
#define TN_OPS_RULES_MATCH_H

#include "graph/rewrite.h"
#include "ops/kernel.h"
#include "ops/ops.h"

/* ---- what is there ---- */

/// Fields by name, or their defaults; the operator has such a field.
int64_t tn_rule_int(const tn_node *call, const char *field);
double tn_rule_float(const tn_node *call, const char *field);
const char *tn_rule_text(const tn_node *call, const char *field);
/// At most TN_MAX_NDIM numbers; -1 when the field is left out without a default, or has more.
int32_t tn_rule_ints(const tn_node *call, const char *field, int64_t *out);
/// True when the field is left out.
bool tn_rule_is_left_out(const tn_node *call, const char *field);

/// For a call of two arguments in either order: the constant one that is a number, and the other.
bool tn_rule_with_number(const tn_node *call, double *out_number, const tn_node **out_other);
/// The same for a call whose argument `value` was made by, with one use; NULL: none.
const tn_node *tn_rule_own_with_number(const tn_rewrite_run *r, const tn_node *value,
                                       const char *name, double *out_number);
/// The extent of axis d as a number; -1.
int64_t tn_rule_extent(tn_rewrite_run *r, const tn_node *value, int64_t d);
/// The axes of a reduction as [0, ndim), sorted; -1 when the rank is not known.
int32_t tn_rule_axes(tn_rewrite_run *r, const tn_node *call, const char *field, int64_t *out);
/// The permutation of a call of permute_dims, all axes in [0, n); its rank, -1 when not known.
int32_t tn_rule_perm(tn_rewrite_run *r, const tn_node *call, int64_t *out);

/* ---- what is made ---- */

enum { TN_RULE_MAX_FIELDS = 16 };
typedef struct tn_rule_build {
  tn_rewrite_run *r;
  const tn_op_def *op;
  const tn_node *fields[TN_RULE_MAX_FIELDS];
} tn_rule_build;

tn_rule_build tn_rule_begin(tn_rewrite_run *r, const char *op);
/// Starts with the fields of another call of the operator.
tn_rule_build tn_rule_begin_like(tn_rewrite_run *r, const tn_node *call);
void tn_rule_set_int(tn_rule_build *b, const char *field, int64_t value);
void tn_rule_set_float(tn_rule_build *b, const char *field, double value);
void tn_rule_set_bool(tn_rule_build *b, const char *field, bool value);
void tn_rule_set_ints(tn_rule_build *b, const char *field, int32_t n, const int64_t *values);
const tn_node *tn_rule_end(tn_rule_build *b, uint32_t n, const tn_node *const *args);
const tn_node *tn_rule_op1(tn_rewrite_run *r, const char *op, const tn_node *x);
const tn_node *tn_rule_op2(tn_rewrite_run *r, const char *op, const tn_node *x, const tn_node *y);
/// A scalar constant of the type of `like`.
const tn_node *tn_rule_scalar(tn_rewrite_run *r, const tn_node *like, double value);
/// dims: a LIST of extents.
const tn_node *tn_rule_reshape(tn_rewrite_run *r, const tn_node *x, const tn_node *dims);
const tn_node *tn_rule_permute(tn_rewrite_run *r, const tn_node *x, int32_t n, const int64_t *axes);

/// The rules of a pass, in the order of rules.def; "" gives all.
uint32_t tn_rules_of(const char *pass, const tn_rewrite_rule **out, uint32_t max);

#endif
