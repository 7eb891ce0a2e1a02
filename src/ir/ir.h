/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The node engine of both levels: one immutable node kind, described by ir/nodes.def.
 *
 * A tn_ir owns nodes (arena), the intern table and the ids; a tn_module is a small table of names
 * -> functions in one tn_ir. Pure expressions are interned: same structure over the same variables,
 * same pointer. Variables, buffers, labels, constants, impure calls and statements have identity. A
 * statement has one parent within one root.
 *
 *   const tn_node *x = tn_var_new(ir, "x", TN_DT_I32);
 *   const tn_node *e = tn_binary(ir, TN_OP_ADD, x, tn_int(ir, TN_DT_I32, 1));
 *   TN_ASSERT(e == tn_binary(ir, TN_OP_ADD, x, tn_int(ir, TN_DT_I32, 1)), "interned");
 *
 * A LOAD is interned too, but its value belongs to the place where it is evaluated: equal pointers
 * mean the same expression, the same value only within one evaluation with no store or impure call
 * between (TN_NF_READS marks it). A tn_ir is used by one thread at a time; a parent is frozen while
 * children exist and may then be read by many. */
#ifndef TN_IR_IR_H
#define TN_IR_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/vec.h"

/* ---- nodes ---- */

typedef enum tn_op {
#define X(op, ...) TN_OP_##op,
#include "ir/nodes.def"
#undef X
} tn_op;
enum {
#define X(op, ...) +1
  TN_N_OPS = 0
#include "ir/nodes.def"
#undef X
};

/* Child slots have names, never bare numbers. */
enum { TN_A = 0, TN_B = 1 }; /* binary operators */
enum { TN_RANGE_MIN = 0, TN_RANGE_EXTENT };
enum {
  TN_BUFFER_DATA = 0,
  TN_BUFFER_SHAPE,
  TN_BUFFER_STRIDES,
  TN_BUFFER_ELEM_OFFSET,
  TN_BUFFER_SCOPE,
  TN_BUFFER_ALIGN,
  TN_BUFFER_OFFSET_FACTOR,
  TN_BUFFER_AXIS_SEPARATORS
};
enum { TN_SELECT_COND = 0, TN_SELECT_A, TN_SELECT_B }; /* SELECT and IF_THEN_ELSE */
enum { TN_RAMP_BASE = 0, TN_RAMP_STRIDE };
enum { TN_SHUFFLE_VECTORS = 0, TN_SHUFFLE_INDICES };
enum { TN_LET_VAR = 0, TN_LET_VALUE, TN_LET_BODY };
enum { TN_LOAD_BUFFER = 0, TN_LOAD_PREDICATE, TN_LOAD_INDICES };
enum { TN_TARGET_CONFIG = 0, TN_TARGET_HOST };
enum { TN_LAMBDA_PARAMS = 0, TN_LAMBDA_RESULTS, TN_LAMBDA_INVERSE };
enum { TN_REDUCER_LHS = 0, TN_REDUCER_RHS, TN_REDUCER_RESULTS, TN_REDUCER_IDENTITY };
enum { TN_STORE_BUFFER = 0, TN_STORE_VALUE, TN_STORE_PREDICATE, TN_STORE_INDICES };
enum { TN_BIND_VAR = 0, TN_BIND_VALUE }; /* BIND, GBIND */
enum { TN_ALLOC_VAR = 0, TN_ALLOC_EXTENTS, TN_ALLOC_COND, TN_ALLOC_SCOPE, TN_ALLOC_ANNOTATIONS };
enum { TN_CONST_ALLOC_VAR = 0, TN_CONST_ALLOC_ARRAY };
enum { TN_FOR_VAR = 0, TN_FOR_MIN, TN_FOR_EXTENT, TN_FOR_BODY, TN_FOR_THREAD, TN_FOR_ANNOTATIONS };
enum { TN_WHILE_COND = 0, TN_WHILE_BODY };
enum { TN_IF_COND = 0, TN_IF_THEN, TN_IF_ELSE };
enum {
  TN_BLOCK_LABEL = 0,
  TN_BLOCK_ITERS,
  TN_BLOCK_PREDICATE,
  TN_BLOCK_READS,
  TN_BLOCK_WRITES,
  TN_BLOCK_ALLOCS,
  TN_BLOCK_MATCHES,
  TN_BLOCK_INIT,
  TN_BLOCK_ANNOTATIONS,
  TN_BLOCK_BODY
};
enum { TN_ITER_VAR = 0, TN_ITER_MIN, TN_ITER_EXTENT, TN_ITER_BINDING };
enum { TN_REGION_BUFFER = 0, TN_REGION_RANGES };
enum { TN_MATCH_BUFFER = 0, TN_MATCH_REGION };
enum { TN_ATTR_NODE = 0, TN_ATTR_VALUE, TN_ATTR_BODY };
enum { TN_LAUNCH_VAR = 0, TN_LAUNCH_EXTENT, TN_LAUNCH_BODY };
enum { TN_ASSERT_COND = 0, TN_ASSERT_MESSAGE };
enum { TN_TY_TENSOR_SHAPE = 0, TN_TY_TENSOR_VDEVICE };
enum { TN_TY_FUNC_PARAMS = 0, TN_TY_FUNC_RET };
enum { TN_CALL_ARGS = 0, TN_CALL_FIELDS, TN_CALL_TYPES };
enum { TN_INVOKE_CALLEE = 0, TN_INVOKE_ARGS, TN_INVOKE_TYPES };
enum { TN_MATCH_CAST_VAR = 0, TN_MATCH_CAST_VALUE, TN_MATCH_CAST_TYPE };
enum { TN_DATAFLOW_BODY = 0, TN_DATAFLOW_OUTPUTS };
enum { TN_GIF_VAR = 0, TN_GIF_COND, TN_GIF_THEN, TN_GIF_ELSE };
enum {
  TN_PRIM_FUNC_PARAMS = 0,
  TN_PRIM_FUNC_BUFFERS,
  TN_PRIM_FUNC_RET,
  TN_PRIM_FUNC_ATTRS,
  TN_PRIM_FUNC_BODY
};
enum { TN_GFUNC_PARAMS = 0, TN_GFUNC_RET, TN_GFUNC_ATTRS, TN_GFUNC_IS_PURE, TN_GFUNC_BODY };

typedef enum tn_for_kind {
  TN_FOR_SERIAL,
  TN_FOR_PARALLEL,
  TN_FOR_VECTORIZED,
  TN_FOR_UNROLLED,
  TN_FOR_THREAD_BINDING
} tn_for_kind;
typedef enum tn_iter_kind {
  TN_ITER_SPATIAL,
  TN_ITER_REDUCE,
  TN_ITER_SCAN,
  TN_ITER_OPAQUE
} tn_iter_kind;

/// The head of every callee description: intrinsics (tir) and graph operators (graph) start with
/// it. Static storage.
typedef struct tn_def {
  const char *name; /* "exp"; "call_tir": hashed and compared by this */
  bool is_pure;     /* no effect, result depends on the arguments only: calls are interned */
} tn_def;

typedef union tn_attr {
  int64_t i64;
  double f64;
  const char *text; /* interned in the tn_ir: equal texts, equal pointers */
  const tn_def *def;
  const tn_array *array;
} tn_attr;

enum {
  TN_NF_EFFECT = 1,
  TN_NF_READS = 2
}; /* something below is an impure call / a load; set for expressions */

typedef struct tn_node tn_node;
struct tn_node {  /* immutable */
  uint16_t op;    /* tn_op */
  uint16_t flags; /* TN_NF_* */
  uint32_t n_in;
  tn_dtype dtype; /* NONE for statements and graph values */
  uint32_t id;    /* dense in creation order: side tables are arrays indexed by it */
  uint32_t hash;  /* of op, dtype, attr and the children's ids */
  uint32_t depth; /* 1 + the deepest child's; readers refuse depth > TN_MAX_DEPTH */
  tn_attr attr;
  const tn_node *in[];
};
enum { TN_MAX_DEPTH = 2000 };
enum { TN_MAX_TREE = 1 << 20 }; /* nodes of an expression written out; readers refuse more */

/// Facts about a kind, from nodes.def.
typedef enum tn_op_class {
  TN_CLASS_EXPR,
  TN_CLASS_LEAF,
  TN_CLASS_AUX,
  TN_CLASS_STMT,
  TN_CLASS_TYPE,
  TN_CLASS_FUNC
} tn_op_class;
typedef enum tn_attr_kind {
  TN_ATTR_NONE,
  TN_ATTR_I64,
  TN_ATTR_F64,
  TN_ATTR_TEXT,
  TN_ATTR_DEF,
  TN_ATTR_ARRAY
} tn_attr_kind;
enum { TN_OPF_INTERN = 1, TN_OPF_COMM = 2, TN_OPF_BINDS = 4 };
typedef struct tn_op_info {
  const char *name; /* "FLOORDIV" */
  const char *text; /* "//" */
  tn_op_class cls;
  tn_attr_kind attr;
  int32_t n_in; /* number of children, the least one when is_variadic */
  bool is_variadic;
  uint8_t prec;
  uint8_t flags; /* TN_OPF_* */
  const char *slots;
} tn_op_info;
const tn_op_info *tn_op_info_get(tn_op op);
/// One named slot of a kind: "body", or "[else]" as {"else", 4, true}. The name is not
/// NUL-terminated.
typedef struct tn_slot {
  const char *name;
  uint32_t len;
  bool is_optional; /* may be NONE */
} tn_slot;
/// How many slots of a kind have names.
uint32_t tn_op_n_slots(tn_op op);
/// False when the kind has no name for child number `slot`.
bool tn_op_slot_find(tn_op op, uint32_t slot, tn_slot *out_slot);
/// True when the same facts and children give the same pointer; false for nodes with identity.
bool tn_is_interned(const tn_node *n);

/* ---- tn_ir: arena, intern table, ids, names, sources ---- */

typedef struct tn_ir tn_ir;

/// limit_bytes: of the arena, 0 for none.
tn_ir *tn_ir_new(size_t limit_bytes);
/// A child sees its parent's nodes and continues its ids; the parent is frozen (asserted) until all
/// children are freed.
tn_ir *tn_ir_new_child(tn_ir *parent, size_t limit_bytes);
void tn_ir_free(tn_ir *ir);
/// NO_MEMORY once the arena's limit was crossed.
TN_MUST_USE tn_status tn_ir_status(const tn_ir *ir);
/// One more than the largest id: the size of side tables.
uint32_t tn_ir_n_ids(const tn_ir *ir);
/// Zeroed memory that lives as long as ir.
void *tn_ir_alloc(tn_ir *ir, size_t n_bytes, size_t align);
/// Interns `len` bytes of text.
const char *tn_ir_text_n(tn_ir *ir, const char *text, size_t len);
const char *tn_ir_text(tn_ir *ir, const char *text);
/// Takes over the array's memory (src becomes empty) and returns a CONST node (dtype NONE; the
/// array has its own); is_view arrays stay borrowed and must outlive ir.
const tn_node *tn_const_new(tn_ir *ir, tn_array *src);

/// Makes a node, or finds it when the kind is interned. Flags, hash and depth are computed. n_in
/// must fit the table.
const tn_node *tn_node_new(tn_ir *ir, tn_op op, tn_dtype dtype, tn_attr attr, uint32_t n_in,
                           const tn_node *const *in);
/// The same kind, dtype and attr over other children; `n` itself when nothing differs. Keeps the
/// source position. Statements and LEAFs with changed children become new nodes.
const tn_node *tn_node_with(tn_ir *ir, const tn_node *n, const tn_node *const *in);
/// A copy of any node with one child replaced.
const tn_node *tn_with_child(tn_ir *ir, const tn_node *n, uint32_t slot, const tn_node *child);
/// The same with another number of children (variadic kinds).
const tn_node *tn_node_with_n(tn_ir *ir, const tn_node *n, uint32_t n_in, const tn_node *const *in);

/* Short constructors used by everybody. */
const tn_node *tn_none(tn_ir *ir);
const tn_node *tn_int(tn_ir *ir, tn_dtype dtype,
                      int64_t value); /* wraps to dtype; lanes > 1: a BROADCAST */
const tn_node *tn_float(tn_ir *ir, tn_dtype dtype,
                        double value); /* rounds to dtype; lanes > 1: a BROADCAST */
const tn_node *tn_bool(tn_ir *ir, bool value);
const tn_node *tn_str(tn_ir *ir, const char *text);
const tn_node *tn_var_new(tn_ir *ir, const char *name, tn_dtype dtype);
const tn_node *tn_label_new(tn_ir *ir, const char *name);
const tn_node *tn_list(tn_ir *ir, uint32_t n, const tn_node *const *items);
/// A raw binary node: dtype is a's (bool with a's lanes for comparisons and AND/OR); both must
/// agree (asserted). No folding.
const tn_node *tn_binary(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b);
/// A SEQ without nested SEQs, empty ones and NONEs; a single statement stays itself. Each statement
/// may be used once.
const tn_node *tn_seq(tn_ir *ir, uint32_t n, const tn_node *const *stmts);

static inline bool tn_is(const tn_node *n, tn_op op) { return n->op == op; }
static inline bool tn_is_none(const tn_node *n) { return n->op == TN_OP_NONE; }
/// True for an INT (or a BROADCAST of one) of that value.
bool tn_is_int(const tn_node *n, int64_t value);
/// The DICT's value for a key, or NULL. dict may be NONE.
const tn_node *tn_dict_find(const tn_node *dict, const char *key);
/// dict with key set to value (added last when new).
const tn_node *tn_dict_set(tn_ir *ir, const tn_node *dict, const char *key, const tn_node *value);

/* ---- source positions and diagnostics ---- */

typedef struct tn_pos {
  uint32_t source; /* 1-based index of a registered source; 0: unknown */
  uint32_t line;   /* 1-based */
  uint32_t col;    /* 1-based, in characters */
  uint32_t n_cols; /* width to underline, at least 1 */
} tn_pos;

/// Registers a text for messages; both are copied. Returns its 1-based index.
uint32_t tn_ir_add_source(tn_ir *ir, const char *name, const char *text, size_t len);
/// Remembers where a statement, variable or function came from. Interned nodes carry none
/// (ignored).
void tn_ir_set_pos(tn_ir *ir, const tn_node *n, tn_pos pos);
/// {0} when unknown.
tn_pos tn_ir_pos(const tn_ir *ir, const tn_node *n);

enum { TN_MAX_DIAGS = 10 };
/// Up to TN_MAX_DIAGS problems found in one run. Zero-initialise; tn_diags_deinit frees.
typedef struct tn_diags {
  struct {
    const char *id; /* "undefined-name": static, stable, one golden file each */
    tn_pos pos;
    char *message; /* owned */
    char *hint;    /* owned or NULL: "did you mean 'A'?" */
  } items[TN_MAX_DIAGS];
  int32_t n;         /* stored */
  int32_t n_dropped; /* found past the limit */
} tn_diags;
void tn_diags_deinit(tn_diags *diags);
/// hint may be NULL.
void tn_diags_add(tn_diags *diags, const char *id, tn_pos pos, const char *hint, const char *fmt,
                  ...) TN_PRINTF(5, 6);
/// Prints each, ordered by position, as `file:line:col: error: message [id]`, the source line, a
/// caret line and the hint.
void tn_diags_print(const tn_diags *diags, const tn_ir *ir, tn_buf *out);
/// NULL when there are none; else INVALID with the printed text as message. Frees the items.
TN_MUST_USE tn_status tn_diags_to_status(tn_diags *diags, const tn_ir *ir);
/// The candidate nearest to `name` (edit distance <= 2 and < half its length), or NULL.
const char *tn_near_name(const char *name, const char *const *candidates, size_t n);

/* ---- walking, rewriting, comparing ---- */

typedef enum tn_visit { TN_DESCEND, TN_SKIP, TN_STOP } tn_visit;
typedef tn_visit (*tn_enter_fn)(const tn_node *n, void *ctx);
typedef void (*tn_leave_fn)(const tn_node *n, void *ctx);
/// Visits every occurrence, children in slot order, for analyses that need scopes. leave may be
/// NULL. Returns false when stopped.
bool tn_walk(const tn_node *root, tn_enter_fn enter, tn_leave_fn leave, void *ctx);
/// The same for searches: each distinct node once. A shared expression can have exponentially many
/// occurrences.
bool tn_walk_distinct(const tn_node *root, tn_enter_fn enter, void *ctx);
/// Visits each distinct node once, children first.
void tn_walk_once(const tn_ir *ir, const tn_node *root, tn_leave_fn visit, void *ctx);

typedef struct tn_rewriter tn_rewriter;
/// Given a node whose children are rewritten already: its replacement, or NULL to keep it.
typedef const tn_node *(*tn_rule)(tn_rewriter *rw, const tn_node *n);
struct tn_rewriter {
  tn_ir *ir;
  void *ctx;
  tn_rule rule;
  tn_map memo; /* id -> node, the rewriter's own */
};
/// Post-order, each distinct node once, rebuilding only what changed. Binding occurrences (FOR's
/// var, BUFFER in a REGION ...) are children like others, so a rule may replace variables
/// everywhere at once. A node below two binders is rewritten once for both: what a rule makes of a
/// node must not depend on where it stands. In a SEQ a rule may turn a statement into a SEQ
/// (spliced in) or NONE (dropped); what replaces a statement takes over its source position.
const tn_node *tn_rewrite(tn_ir *ir, const tn_node *root, tn_rule rule, void *ctx);
/// Replaces LEAFs (or any nodes): map from id to node pointer.
const tn_node *tn_subst(tn_ir *ir, const tn_node *root, const tn_map *id_to_node);
const tn_node *tn_subst1(tn_ir *ir, const tn_node *root, const tn_node *from, const tn_node *to);
/// A copy in which everything bound inside root (variables, buffers, labels, constants excepted) is
/// new, and so is every statement. In a fragment, a variable that is met first in the shape of a
/// matched buffer or type counts as bound there.
const tn_node *tn_clone_fresh(tn_ir *ir, const tn_node *root);
/// Copies root from another tn_ir into ir (linking modules); free variables become new ones, once
/// each for one memo (NULL: for this call). Constants are copied too; source positions stay behind.
const tn_node *tn_import(tn_ir *ir, const tn_node *root, tn_map *memo);

/// Equality up to the names and identities of what is bound inside; free leaves must be the same
/// nodes unless map_free. out_path (may be NULL) says where the first difference is:
/// "body[1].value.b".
bool tn_equal(const tn_node *a, const tn_node *b, bool map_free, tn_buf *out_path);
/// 128-bit hash agreeing with tn_equal(map_free = true): ignores names and addresses, same on every
/// machine and run.
tn_hash128 tn_structural_hash(const tn_node *root);

/// Dumps any node as an indented table-driven tree (names with ids); for debugging and golden
/// engine tests.
void tn_dump_to(const tn_node *n, tn_buf *out);
void tn_dump(const tn_node *n); /* to stderr, for gdb */

/* ---- modules ---- */

/// Names -> functions (PRIM_FUNC, GFUNC, EXTERN), in insertion order, plus module attributes
/// (DICT).
typedef struct tn_module {
  tn_ir *ir;            /* borrowed: many modules share one */
  const char *name;     /* class name in the text, "Module" */
  const tn_node *attrs; /* DICT; "module_attrs", "module_global_infos" entries when given */
  uint32_t n_funcs;
  uint32_t cap;
  struct {
    const char *name;
    uint64_t hash; /* of the name */
    const tn_node *func;
  } * funcs;
  /* by hash, see module.c */
  struct {
    uint64_t hash;
    uint32_t at; /* place + 1 when indexed; 0: free */
  } * index;
  uint32_t index_cap;
  uint32_t n_indexed;
  uint32_t n_removed; /* since the index was made */
} tn_module;
void tn_module_init(tn_module *module, tn_ir *ir, const char *name);
void tn_module_deinit(tn_module *module);
/// Cheap: copies the table, shares the nodes. Undo is keeping the old one.
void tn_module_init_copy(tn_module *module, const tn_module *src);
const tn_node *tn_module_find(const tn_module *module, const char *name);
/// Adds or replaces.
void tn_module_set(tn_module *module, const char *name, const tn_node *func);
void tn_module_remove(tn_module *module, const char *name);
/// A name not yet in the module: base, base_1, base_2 ... (interned).
const char *tn_module_fresh_name(const tn_module *module, const char *base);
/// Functions that were added to a module, to add equal ones once. Zero-initialise.
typedef struct tn_pooled_func {
  tn_hash128 hash;
  const char *name;
  const tn_node *func;
} tn_pooled_func;
typedef struct tn_func_pool {
  TN_VEC(tn_pooled_func) items;
} tn_func_pool;
/// The name under which a PRIM_FUNC stands in the module: that of an equal one of the pool, or a fresh
/// one made from its own, under which it is added.
const char *tn_func_pool_add(tn_func_pool *pool, tn_module *module, const tn_node *func);
void tn_func_pool_deinit(tn_func_pool *pool);
bool tn_module_equal(const tn_module *a, const tn_module *b, tn_buf *out_path);
tn_hash128 tn_module_hash(const tn_module *module);

/* ---- passes ---- */

struct tn_target; /* target/target.h */

typedef struct tn_named_array {
  const char *name;
  const tn_array *array; /* borrowed, must outlive the module's ir */
} tn_named_array;

/// What a pass may know. Zero-initialise, then set what is needed.
typedef struct tn_pass_opts {
  const struct tn_target *target; /* NULL: the host */
  int32_t opt_level;              /* 0..3 */
  bool is_strict_math;            /* a result must not change in its last bit */
  const char *func; /* the function a pass works on, where it takes one; NULL: "main" or all */
  const tn_named_array *binds; /* bind_params */
  int32_t n_binds;
} tn_pass_opts;

typedef tn_status (*tn_pass_fn)(tn_module *module, const tn_pass_opts *opts);
typedef struct tn_pass {
  const char *name;  /* "lower_blocks" */
  const char *level; /* "graph", "tir", "module" */
  const char *doc;   /* one line: what it replaces by what */
  tn_pass_fn fn;
} tn_pass;

/// Called around each pass; either may be NULL. before may return false to skip the pass.
typedef struct tn_pass_hooks {
  bool (*before)(const tn_pass *pass, int32_t index, const tn_module *module, void *ctx);
  void (*after)(const tn_pass *pass, int32_t index, const tn_module *module, bool is_changed,
                int64_t ns, void *ctx);
  tn_status (*verify)(const tn_module *module,
                      void *ctx); /* run before the first and after every pass */
  void *ctx;
} tn_pass_hooks;

/// Runs passes in order; stops at the first error, which then names the pass. hooks may be NULL.
TN_MUST_USE tn_status tn_run_passes(tn_module *module, const tn_pass *const *passes, int32_t n,
                                    const tn_pass_opts *opts, const tn_pass_hooks *hooks);

/// Structural well-formedness that holds at both levels: child counts and classes fit the table, a
/// statement has one parent, everything bound once and before use, no use after its scope. Level
/// rules are tn_tir_verify / tn_graph_verify.
void tn_ir_verify_func(const tn_ir *ir, const tn_node *func, tn_diags *diags);
/// For readers: an expression has at most TN_MAX_TREE nodes, those that it shares counted as often
/// as they occur.
void tn_ir_verify_sizes(const tn_ir *ir, const tn_node *func, tn_diags *diags);

#endif
