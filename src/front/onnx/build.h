/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a rule of the importer works with: the node's inputs and attributes, and calls of graph
 * operators. The first error stays in the call (`st`), and everything after it does nothing and
 * gives NULL, so that a rule reads as the formula that it is:
 *
 *   static void softsign(tn_onnx_call *c) { // x / (1 + |x|)
 *     const tn_node *x = tn_onnx_in(c, 0);
 *     const tn_node *one = tn_onnx_scalar(c, tn_onnx_type_of(c, x), 1);
 *     tn_onnx_give(c, 0, tn_onnx_op2(c, "divide", x,
 *                                    tn_onnx_op2(c, "add", one, tn_onnx_op1(c, "abs", x))));
 *   }
 *
 * A value is a GVAR or a CONST. Calls whose arguments are all constants and small are computed at
 * once. */
#ifndef TN_FRONT_ONNX_BUILD_H
#define TN_FRONT_ONNX_BUILD_H

#include "front/onnx/model.h"
#include "graph/graph.h"

typedef struct tn_onnx_call tn_onnx_call;

/// A row of the operator table: this rule from opset `since` to the next row's.
typedef struct tn_onnx_rule {
  const char *domain; /* "" is ai.onnx */
  const char *op;
  int64_t since;
  void (*run)(tn_onnx_call *c);
  const char *word; /* what one rule for many operators needs: the graph operator's name */
} tn_onnx_rule;

/// Names of values, innermost first.
typedef struct tn_onnx_scope {
  const struct tn_onnx_scope *outer;
  tn_strmap values; /* name -> tn_node */
  const tn_onnx_opsets *opsets;
  const tn_onnx_node *caller;   /* in a function: the node that calls it, for its attributes */
  const tn_onnx_function *func; /* NULL: a graph */
  const struct tn_onnx_scope *caller_scope;
  const tn_onnx_graph *graph; /* NULL in a function */
  int32_t depth;
} tn_onnx_scope;
enum { TN_ONNX_MAX_SCOPES = 32 };

typedef struct tn_onnx_importer {
  tn_ir *ir;
  tn_module *module;
  tn_arena *arena;
  const tn_onnx_model *model;
  const char *folder;
  tn_strmap sizes;               /* dim_param -> VAR */
  const tn_array *const *values; /* offered for inputs, or NULL */
  tn_map offered;                /* id of a parameter -> place in values */
  bool *are_taken;
  tn_map known;  /* id of a GVAR of integers -> LIST of its elements */
  tn_map narrow; /* id of a value of int4 or uint4 -> whether ONNX says int2 or uint2 */
  tn_map forms;  /* id of a value that is no tensor -> tn_onnx_form (bodies.h) */
  TN_VEC(uint64_t) known_log; /* ids in `known`, in the order in which they came */
  int32_t n_tries;            /* bodies of loops imported */
  int32_t n_nodes;            /* nodes imported, those of functions each time */
  TN_VEC(const tn_node *) stmts;
} tn_onnx_importer;

struct tn_onnx_call {
  tn_onnx_importer *imp;
  tn_ir *ir;
  const tn_onnx_scope *scope;
  const tn_onnx_node *node;
  const tn_onnx_rule *rule;
  int64_t version; /* of the operator set */
  tn_status st;    /* the first error; owned */
  uint32_t n_in;
  const tn_node **in; /* NULL: left out */
  uint32_t n_out;
  const tn_node **out;
};

/// Sets the first error; frees a later one.
void tn_onnx_fail(tn_onnx_call *c, tn_status st);
#define TN_ONNX_FAIL(c, code, ...) tn_onnx_fail((c), TN_ERR((code), __VA_ARGS__))

/* ---- inputs, outputs ---- */

/// Input i; an error when it is left out.
const tn_node *tn_onnx_in(tn_onnx_call *c, uint32_t i);
/// Input i, or NULL.
const tn_node *tn_onnx_maybe(const tn_onnx_call *c, uint32_t i);
/// True when output i is wanted.
bool tn_onnx_wants(const tn_onnx_call *c, uint32_t i);
void tn_onnx_give(tn_onnx_call *c, uint32_t i, const tn_node *value);
/// UNSUPPORTED unless outputs from i on are left out.
void tn_onnx_no_outputs_from(tn_onnx_call *c, uint32_t i);

/* ---- attributes ---- */

/// The attribute, or NULL. In a function one may stand for one of the calling node.
const tn_onnx_attr *tn_onnx_attr_find(const tn_onnx_call *c, const char *name);
int64_t tn_onnx_attr_int(tn_onnx_call *c, const char *name, int64_t otherwise);
double tn_onnx_attr_float(tn_onnx_call *c, const char *name, double otherwise);
/// A text of the arena.
const char *tn_onnx_attr_text(tn_onnx_call *c, const char *name, const char *otherwise);
/// The list, with data NULL when it is not given.
tn_onnx_i64s tn_onnx_attr_ints(tn_onnx_call *c, const char *name);

/* ---- values ---- */

tn_dtype tn_onnx_type_of(tn_onnx_call *c, const tn_node *value);
/// The element type that ONNX knows the value by: its dtype, unless elements have 2 bits.
tn_onnx_elem tn_onnx_elem_of(tn_onnx_call *c, const tn_node *value);
/// Notes the type and returns the value.
const tn_node *tn_onnx_mark(tn_onnx_call *c, const tn_node *value, tn_onnx_elem type);
/// An error when the rank is not known; then 0.
int32_t tn_onnx_ndim(tn_onnx_call *c, const tn_node *value);
/// The extents, or an error and NULL.
const tn_node *tn_onnx_dims(tn_onnx_call *c, const tn_node *value);
/// An axis in [-ndim, ndim) as one in [0, ndim).
int32_t tn_onnx_axis(tn_onnx_call *c, int64_t axis, int32_t ndim);
/// The elements of a tensor of integers, where they are known: a LIST of expressions over sizes.
const tn_node *tn_onnx_known(tn_onnx_call *c, const tn_node *value);
/// Notes that a tensor of integers has these elements.
void tn_onnx_note_known(tn_onnx_importer *imp, const tn_node *value, const tn_node *list);
/// The elements of a vector of integers as sizes: where they are not known, each becomes a variable
/// that gets its value at run time; there it must not be below 0. NULL on error.
const tn_node *tn_onnx_sizes(tn_onnx_call *c, const tn_node *value, const char *what);
/// Elements that must be numbers now. what: for the message. Data NULL on error.
tn_onnx_i64s tn_onnx_numbers(tn_onnx_call *c, const tn_node *value, const char *what);
/// The array of a CONST, NULL for other values.
static inline const tn_array *tn_onnx_array(const tn_node *value) {
  return value != NULL && value->op == TN_OP_CONST ? value->attr.array : NULL;
}
/// The array of a constant, or of an input for which a value is offered: it then is one. NULL for
/// other values.
const tn_array *tn_onnx_need_array(tn_onnx_call *c, const tn_node *value);
/// A constant scalar.
const tn_node *tn_onnx_scalar(tn_onnx_call *c, tn_dtype dtype, double value);
/// The argument of a call as the reference takes it: a constant's array, or (shape) a vector of its
/// extents, which is made in `room`. False: not known now.
bool tn_onnx_plain_arg(const tn_node *arg, tn_array *room, const tn_array **out);
/// A constant; takes over the array.
const tn_node *tn_onnx_const(tn_onnx_call *c, tn_array *array);
/// A constant vector of int64.
const tn_node *tn_onnx_vector(tn_onnx_call *c, tn_onnx_i64s values);
/// A tensor of int64 with these elements: a constant where all are numbers, computed from sizes
/// otherwise. is_scalar: of rank 0.
const tn_node *tn_onnx_from_known(tn_onnx_call *c, const tn_node *list, bool is_scalar);
tn_onnx_i64s tn_onnx_i64s_alloc(tn_onnx_call *c, size_t n);
/// An integer expression, simplified.
const tn_node *tn_onnx_size_op(tn_onnx_call *c, tn_op op, const tn_node *a, const tn_node *b);

/* ---- calls of graph operators ---- */

enum { TN_ONNX_MAX_FIELDS = 16 };
typedef struct tn_onnx_build {
  tn_onnx_call *c;
  const tn_op_def *op; /* NULL after an error */
  const tn_node *fields[TN_ONNX_MAX_FIELDS];
} tn_onnx_build;

tn_onnx_build tn_onnx_begin(tn_onnx_call *c, const char *op);
void tn_onnx_set_int(tn_onnx_build *b, const char *field, int64_t value);
void tn_onnx_set_float(tn_onnx_build *b, const char *field, double value);
void tn_onnx_set_bool(tn_onnx_build *b, const char *field, bool value);
void tn_onnx_set_text(tn_onnx_build *b, const char *field, const char *value);
void tn_onnx_set_dtype(tn_onnx_build *b, const char *field, tn_dtype value);
void tn_onnx_set_ints(tn_onnx_build *b, const char *field, size_t n, const int64_t *values);
const tn_node *tn_onnx_end(tn_onnx_build *b, uint32_t n, const tn_node *const *args);
const tn_node *tn_onnx_end1(tn_onnx_build *b, const tn_node *x);
const tn_node *tn_onnx_end2(tn_onnx_build *b, const tn_node *x, const tn_node *y);
const tn_node *tn_onnx_op1(tn_onnx_call *c, const char *op, const tn_node *x);
const tn_node *tn_onnx_op2(tn_onnx_call *c, const char *op, const tn_node *x, const tn_node *y);
const tn_node *tn_onnx_op3(tn_onnx_call *c, const char *op, const tn_node *x, const tn_node *y,
                           const tn_node *z);
/// Item i of a tuple.
const tn_node *tn_onnx_item(tn_onnx_call *c, const tn_node *tuple, int64_t i);
/// A tuple of values.
const tn_node *tn_onnx_tuple(tn_onnx_call *c, uint32_t n, const tn_node *const *items);
const tn_node *tn_onnx_cast(tn_onnx_call *c, const tn_node *x, tn_dtype dtype);
/// ONNX's conversion (rules_cast.c). saturates: what becomes of values too large for a float8.
const tn_node *tn_onnx_cast_to(tn_onnx_call *c, const tn_node *x, tn_onnx_elem type,
                               bool saturates);
/// dims: a LIST of extents.
const tn_node *tn_onnx_reshape(tn_onnx_call *c, const tn_node *x, const tn_node *dims);
const tn_node *tn_onnx_shape_value(tn_onnx_call *c, const tn_node *dims);
const tn_node *tn_onnx_permute(tn_onnx_call *c, const tn_node *x, const int64_t *axes);
/// sum, mean, max, min, prod over axes.
const tn_node *tn_onnx_reduce(tn_onnx_call *c, const char *op, const tn_node *x, size_t n,
                              const int64_t *axes, bool keeps);

/* ---- graphs ---- */

/// Imports the nodes of a graph or function into `scope`.
TN_MUST_USE tn_status tn_onnx_run_nodes(tn_onnx_importer *imp, tn_onnx_scope *scope,
                                        const tn_onnx_nodes *nodes);
TN_MUST_USE tn_status tn_onnx_run_initializers(tn_onnx_importer *imp, tn_onnx_scope *scope,
                                               const tn_onnx_graph *graph);
void tn_onnx_scope_set(tn_onnx_scope *scope, const char *name, const tn_node *value);
const tn_node *tn_onnx_scope_find(const tn_onnx_scope *scope, const char *name);
/// The row for an operator of that version, NULL when there is none.
const tn_onnx_rule *tn_onnx_rule_find(const char *domain, const char *op, int64_t version);

#endif
