/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The graph level: types with symbolic shapes, operators, builder, verifier, interpreter, and the
 * passes that need only the operator table's facts. A function is a GFUNC node: bindings, dataflow
 * blocks, calls of loop functions (call_tir) and of library functions (call_dps_packed,
 * call_packed).
 *
 * A graph operator is ONE node kind, CALL, whose attr points to a tn_op_def; its fields are child
 * nodes in table order (docs/decisions/001-nodes.md), so equality, hashing and printing need
 * nothing per operator. */
#ifndef TN_GRAPH_GRAPH_H
#define TN_GRAPH_GRAPH_H

#include "ir/ir.h"
#include "tir/tir.h"

/* ---- operators ---- */

typedef enum tn_field_kind {
  TN_FIELD_INT,
  TN_FIELD_FLOAT,
  TN_FIELD_BOOL,
  TN_FIELD_STR,
  TN_FIELD_DTYPE,
  TN_FIELD_INTS,        /* LIST of INT */
  TN_FIELD_INT_OR_INTS, /* a bare INT means something else than a LIST of one */
  TN_FIELD_DICT
} tn_field_kind;

/// One field of an operator: keyword argument in the text, child of CALL_FIELDS in this order
/// (NONE: the default).
typedef struct tn_field {
  const char *name;
  tn_field_kind kind;
  const char *default_text; /* as in TVMScript: "None", "1", "\"float32\""; NULL: required */
  const char *doc;
} tn_field;

typedef struct tn_infer_ctx {
  tn_ir *ir;
  const tn_module *module;
} tn_infer_ctx;

typedef enum tn_op_flags {
  TN_OPD_DPS = 1,  /* call_tir kind: callee first, result types given */
  TN_OPD_MOVES = 2 /* elements are copied or converted: it takes storage types (float8, int4) */
} tn_op_flags;

/// Everything there is to know about a graph operator.
typedef struct tn_op_def {
  tn_def def;     /* name after "R.": "add", "nn.relu", "call_tir"; purity */
  uint32_t flags; /* tn_op_flags */
  int32_t min_args;
  int32_t max_args; /* -1: any */
  const tn_field *fields;
  int32_t n_fields;
  bool takes_types; /* out_sinfo= / sinfo_args= */
  const char *doc;
  /// The result's type (TY_*), from the arguments' types; INVALID says which extents or types
  /// disagree.
  tn_status (*infer)(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type);
  /// Slow obvious reference on dense arrays, a shape argument being a vector of int64, the items of
  /// a tuple one by one. out: the result, or all items of a tuple of them. NULL for the call_*
  /// kinds.
  tn_status (*eval)(const tn_node *call, const tn_array *const *args, int32_t n_args,
                    tn_array *out);
  /// A PRIM_FUNC that computes it in destination-passing style: parameters are the tensor
  /// arguments (the items of tuples one by one), in order, then the results; NULL: none.
  tn_status (*lower)(tn_ir *ir, const tn_node *call, const tn_node **out_func);
} tn_op_def;

static inline const tn_op_def *tn_op_of(const tn_node *call) {
  return (const tn_op_def *)(const void *)call->attr.def;
}

typedef enum tn_builtin_id {
#define X(id, ...) TN_BUILTIN_##id,
#include "graph/builtins.def"
#undef X
} tn_builtin_id;
enum {
#define X(id, ...) +1
  TN_N_BUILTINS = 0
#include "graph/builtins.def"
#undef X
};

/// The graph level's own operators: call_tir, call_tir_inplace, call_dps_packed, call_packed,
/// call_pure_packed, print, assert_op, shape_of, builtin.alloc_tensor, memory.*, vm.* (rows of
/// graph/builtins.def, which also says how their arguments lie). NULL when unknown.
const tn_op_def *tn_graph_builtin_find(const char *name);
/// A row of graph/builtins.def.
const tn_op_def *tn_graph_builtin(tn_builtin_id id);
/// The row of a CALL, -1 for other nodes and other operators.
int32_t tn_builtin_of(const tn_node *n);
/// True for a CALL of that row.
static inline bool tn_is_builtin(const tn_node *n, tn_builtin_id id) {
  return n->op == TN_OP_CALL && tn_op_of(n) == tn_graph_builtin(id);
}
/// A CALL node. fields: a LIST with one entry a field, NULL: all defaults. types: a LIST or NULL.
const tn_node *tn_call_new(tn_ir *ir, const tn_op_def *op, uint32_t n_args,
                           const tn_node *const *args, const tn_node *fields, const tn_node *types);
/// Field `i` as given, NULL when it is left at its default.
const tn_node *tn_call_field(const tn_node *call, int32_t i);
/// UNSUPPORTED unless the device that to_vdevice or hint_on_device names is the one that code is
/// made for.
TN_MUST_USE tn_status tn_check_host_device(const tn_node *call);
/// Argument `i`.
static inline const tn_node *tn_call_arg(const tn_node *call, uint32_t i) {
  return call->in[TN_CALL_ARGS]->in[i];
}

/// An operator table handed in by whoever knows more operators (rooms above): finds by name, lists
/// for near names.
typedef struct tn_op_table {
  const tn_op_def *const *defs;
  int32_t n;
} tn_op_table;
const tn_op_def *tn_op_table_find(const tn_op_table *table, const char *name);

/* ---- types ---- */

const tn_node *tn_ty_tensor(tn_ir *ir, tn_dtype dtype, int64_t ndim,
                            const tn_node *shape); /* shape: LIST or NULL; ndim -1 unknown */
const tn_node *tn_ty_object(tn_ir *ir);
/// dims: LIST or NULL; then ndim is taken, -1 unknown.
const tn_node *tn_ty_shape(tn_ir *ir, int64_t ndim, const tn_node *dims);
const tn_node *tn_ty_tuple(tn_ir *ir, uint32_t n, const tn_node *const *items);
/// value: NULL: not known.
const tn_node *tn_ty_prim(tn_ir *ir, tn_dtype dtype, const tn_node *value);
/// params: LIST, NULL: any.
const tn_node *tn_ty_func(tn_ir *ir, const tn_node *params, const tn_node *ret, bool is_pure);
/// What an array is: all extents known.
const tn_node *tn_ty_of_array(tn_ir *ir, const tn_array *array);
/// As in a signature: R.Tensor(("n", 4), dtype="float32"); for messages and the executable's
/// listings.
void tn_ty_print(const tn_node *type, tn_buf *out);
/// An integer expression over symbolic sizes: n * 4 + 1.
void tn_dim_print(const tn_node *expr, tn_buf *out);
/// The type of any graph expression (a GVAR's annotation, a CALL's inferred type ...).
TN_MUST_USE tn_status tn_graph_infer(const tn_infer_ctx *ctx, const tn_node *expr,
                                     const tn_node **out_type);
/// Every value of `sub` is a value of `super`. When unsure about symbolic extents: *out_unsure is
/// set and false returned.
bool tn_ty_is_subtype(tn_ir *ir, const tn_node *sub, const tn_node *super, bool *out_unsure);
/// Whether two extents are the same number.
typedef enum tn_dim_rel { TN_DIM_EQUAL, TN_DIM_DIFFERENT, TN_DIM_UNSURE } tn_dim_rel;
tn_dim_rel tn_dim_compare(tn_ir *ir, const tn_node *a, const tn_node *b);
/// Binds symbolic sizes: where `pattern` has a bare variable that is not in `syms` (VAR id -> node)
/// yet, it is bound to the extent that `actual` has there.
void tn_ty_bind(const tn_node *pattern, const tn_node *actual, tn_map *syms);
/// Binds the sizes of `type` that `syms` leaves open to themselves: a function inside another one
/// may give values of the sizes around it.
void tn_ty_keep_sizes(const tn_node *type, tn_map *syms);
/// `type` with its variables replaced by those in `syms`; a shape that mentions other variables
/// becomes unknown.
const tn_node *tn_ty_instantiate(tn_ir *ir, const tn_node *type, const tn_map *syms);
/// The TY_FUNC of a GFUNC or PRIM_FUNC.
TN_MUST_USE tn_status tn_func_type(const tn_infer_ctx *ctx, const tn_node *func,
                                   const tn_node **out_type);
/// What a graph function (its attribute output_names) calls result i of n; "": it does not say.
const char *tn_func_result_name(const tn_node *func, uint32_t n, uint32_t i);
/// The names of all results, one a line.
void tn_func_result_names(const tn_node *func, tn_buf *out);
/// True when evaluating `expr` (operators' arguments included) has no effect.
bool tn_expr_is_pure(const tn_module *module, const tn_node *expr);

/// A body is a SEQ, or the one statement it would hold.
static inline uint32_t tn_body_n(const tn_node *body) {
  return body->op == TN_OP_SEQ ? body->n_in : 1;
}
static inline const tn_node *tn_body_at(const tn_node *body, uint32_t i) {
  return body->op == TN_OP_SEQ ? body->in[i] : body;
}
static inline const tn_node *tn_body_last(const tn_node *body) {
  uint32_t n = tn_body_n(body);
  return n == 0 ? NULL : tn_body_at(body, n - 1);
}

/// Whether what statement `i` of a body, an if or a call in a branch of one, binds is what the body
/// gives, nothing but the end of other values standing between. Such a call needs no frame to come
/// back to, so that a function may call itself as often as a loop goes round. (One that calls itself
/// under no condition never ends: that stays an error.)
bool tn_body_gives(const tn_node *body, uint32_t i);

/* ---- verifier, interpreter ---- */

/// Level rules: single assignment, scopes, dataflow blocks pure and closed, a pure function calls
/// nothing impure, globals resolve, operators' arguments are variables or constants after normalise
/// (checked when is_normal), types agree with inference, symbolic variables bound. Includes
/// tn_ir_verify_func.
void tn_graph_verify(const tn_module *module, const tn_node *func, bool is_normal, tn_diags *diags);
/// Verifies all functions of both levels.
void tn_module_verify(const tn_module *module, tn_diags *diags);

struct tn_captured;   /* the surroundings of a function value; the interpreter's own */
struct tn_list_store; /* items that lists share; the interpreter's own */

/// A value of the interpreter: array, tuple, shape, scalar, text or function.
typedef struct tn_value {
  enum {
    TN_V_NONE,
    TN_V_ARRAY,
    TN_V_TUPLE,
    TN_V_SHAPE,
    TN_V_INT,
    TN_V_FLOAT,
    TN_V_STR,
    TN_V_PTR, /* i64: an address, of what T.call_packed was given */
    TN_V_FUNC
  } kind;
  int32_t n;       /* tuple and shape; function: captured arguments */
  tn_array *array; /* shared; freed with the interpreter run unless it is part of the result */
  struct tn_value
      *items;    /* tuple; function: captured arguments, which come after those of each call */
  int64_t *dims; /* shape */
  int64_t i64;
  double f64;
  const char *str;
  const tn_node *func;                /* GFUNC, PRIM_FUNC or EXTERN */
  const struct tn_captured *captured; /* nested GFUNC: the variables around it */
  struct tn_list_store *store;        /* tuple that grew at its end; NULL: it did not */
} tn_value;

/// Library calls of interpreted code: outputs are among args for the destination-passing kind.
/// NULL: such calls are an error naming the function.
typedef struct tn_interp_hooks {
  tn_status (*call)(void *ctx, const char *name, const tn_value *args, int32_t n_args,
                    tn_value *out_ret);
  void *ctx;
  tn_tir_checker
      *checker; /* watches the loop functions, and that nothing unwritten is used; NULL: none */
  int64_t max_steps; /* 0: none; else TIMEOUT after so many graph statements, or so many statements
                        of one call of a loop function */
} tn_interp_hooks;

typedef struct tn_interp tn_interp;
/// Runs graph functions with tn_tir_interp for the loop functions; code in VM form runs too. Owns
/// all values it makes; results stay valid until tn_interp_free, what is not part of a result goes
/// at the end of its call. More than 1,000 nested calls are an error. module: borrowed.
tn_interp *tn_interp_new(const tn_module *module, const tn_interp_hooks *hooks);
TN_MUST_USE tn_status tn_interp_call(tn_interp *interp, const char *func, const tn_value *args,
                                     int32_t n_args, tn_value *out);
void tn_interp_free(tn_interp *interp);

/* ---- passes ---- */

/// Drops the functions that `name` does not reach; nothing when there is no such function.
void tn_module_keep_only(tn_module *module, const char *name);

/* Rows of graph/passes.def: normalize, bind_params, dead_code, fold_constant (later), to_vm:
 * lower_call_tir, plan_memory, lower_shapes ... VM form (taken by tn_vm_emit): straight bindings of
 * vm-level builtins, no DATAFLOW, no call_tir. */
const tn_pass *tn_graph_passes(uint32_t *out_n);

#endif
