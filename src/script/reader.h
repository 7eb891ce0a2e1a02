/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the readers share: values, scopes, the state of one run, and the functions between the
 * files.
 *
 *   read_module.c  files, classes, decorators, order of functions
 *   names.c        scopes and near names
 *   value.c        values, literals, conversions
 *   read_expr.c    expressions of both levels
 *   args.c         arguments of calls, the table of T.* and R.* functions
 *   read_tir_*.c   functions, statements, blocks, calls of the loop level
 *   read_macro.c   @T.macro
 *   read_graph_*.c types, statements, calls of the graph level
 *
 * An expression of the text is evaluated as Python would: to a Python value (number, text, list), a
 * node, or an error that has been reported already. Python numbers take the type of the place where
 * they meet a node. */
#ifndef TN_SCRIPT_READER_H
#define TN_SCRIPT_READER_H

#include "arith/arith.h"
#include "script/ast.h"
#include "script/metadata.h"
#include "script/script.h"

/* ---- values ---- */

typedef enum tn_val_kind {
  TN_VAL_ERROR, /* reported already; what is made from it stays silent */
  TN_VAL_VOID,  /* of a statement call: nothing */
  TN_VAL_NONE,  /* Python's None */
  TN_VAL_BOOL,
  TN_VAL_INT,
  TN_VAL_UINT, /* 2^63 .. 2^64 - 1, for T.uint64 */
  TN_VAL_FLOAT,
  TN_VAL_STR,
  TN_VAL_LIST,   /* tuple or list */
  TN_VAL_DICT,   /* items: key value key value ... */
  TN_VAL_NODE,   /* an expression, buffer, type, function, region ... */
  TN_VAL_MODULE, /* the module itself, as in cls.f */
  TN_VAL_MACRO,  /* of @T.macro */
  TN_VAL_CELL /* node: the buffer of a mutable scalar; only in scopes, reading the name loads it */
} tn_val_kind;

typedef struct tn_macro tn_macro; /* read_macro.c */
typedef struct tn_val tn_val;
struct tn_val {
  tn_val_kind kind;
  bool is_tuple; /* LIST: written with round brackets */
  uint32_t n;    /* LIST, DICT */
  union {
    int64_t i64; /* INT, BOOL */
    uint64_t u64;
    double f64;
    const char *text;
    const tn_val *items;
    const tn_node *node;
    tn_macro *macro;
  };
};

static inline tn_val tn_val_error(void) { return (tn_val){.kind = TN_VAL_ERROR}; }
static inline tn_val tn_val_void(void) { return (tn_val){.kind = TN_VAL_VOID}; }
static inline tn_val tn_val_node(const tn_node *n) {
  return (tn_val){.kind = TN_VAL_NODE, .node = n};
}
static inline bool tn_val_is_error(tn_val v) { return v.kind == TN_VAL_ERROR; }
static inline bool tn_val_is_node(tn_val v, tn_op op) {
  return v.kind == TN_VAL_NODE && v.node->op == op;
}
static inline bool tn_val_is_number(tn_val v) {
  return v.kind >= TN_VAL_BOOL && v.kind <= TN_VAL_FLOAT;
}

/* ---- scopes (names.c) ---- */

typedef struct tn_binding {
  const char *name; /* interned */
  uint32_t outer;   /* index + 1 of the binding it hides */
  uint32_t frame;
  uint32_t same_memory; /* of a buffer: index + 1 of the binding before it over the same pointer */
  tn_val val;
} tn_binding;

typedef enum tn_frame_kind {
  TN_FRAME_PLAIN,
  TN_FRAME_DATAFLOW,
  TN_FRAME_BRANCH,
  TN_FRAME_FUNCTION
} tn_frame_kind;
typedef struct tn_frame {
  size_t base;
  tn_frame_kind kind;
} tn_frame;

typedef struct tn_scopes {
  TN_VEC(tn_binding) bindings;
  TN_VEC(tn_frame) frames;
  tn_map current; /* address of the interned name -> index + 1 of the visible binding */
  tn_map memory;  /* id of a data pointer -> index + 1 of the newest buffer over it */
  tn_map gone;    /* names that left a dataflow block or a branch -> tn_frame_kind */
  /* bindings [hidden_from, hidden_to) cannot be seen: the caller's, from inside a macro */
  size_t hidden_from;
  size_t hidden_to;
} tn_scopes;

void tn_scopes_deinit(tn_scopes *scopes);
void tn_scopes_push(tn_scopes *scopes, tn_frame_kind kind);
void tn_scopes_pop(tn_scopes *scopes);
/// The visible binding, or NULL. name is interned.
const tn_binding *tn_scopes_find(const tn_scopes *scopes, const char *name);
/// Binds in the innermost frame, hiding what was there.
void tn_scopes_set(tn_scopes *scopes, const char *name, tn_val val);
bool tn_scopes_is_local(const tn_scopes *scopes, const char *name);
/// The newest BUFFER in scope whose data pointer is `data`, or NULL.
const tn_node *tn_scopes_buffer(const tn_scopes *scopes, const tn_node *data);

/* ---- one run ---- */

/* Statements of one indented block being collected. What scopes over the rest of the block without
 * indentation (T.attr(...), T.launch_thread(...) as statements) is wrapped around its tail at the
 * end. */
typedef struct tn_wrap {
  tn_op op;         /* ATTR or LAUNCH */
  const char *text; /* the node's attr */
  const tn_node *a; /* slots 0 and 1 */
  const tn_node *b;
  size_t start; /* first statement inside */
  tn_pos pos;
} tn_wrap;
typedef TN_VEC(const tn_node *) tn_node_vec;
typedef struct tn_body {
  tn_node_vec stmts;
  TN_VEC(tn_wrap) wraps;
} tn_body;

/* A block being read. The function's own level is one too (the implicit root). */
typedef struct tn_block_ctx {
  struct tn_block_ctx *outer;
  const tn_body *body; /* where its own statements go: axes and regions belong directly there */
  bool is_root;
  tn_node_vec iters;
  tn_node_vec allocs;
  tn_node_vec matches;
  const tn_node *predicate; /* NULL: not given yet; the same below */
  const tn_node *reads;
  const tn_node *writes;
  const tn_node *init;
  const tn_node *annotations;
} tn_block_ctx;

/* A macro being expanded, innermost first. */
typedef struct tn_macro_call {
  const struct tn_macro_call *outer;
  const tn_ast *def;
  const tn_ast *call;
} tn_macro_call;

typedef struct tn_reader tn_reader;
typedef struct tn_call_row tn_call_row;

/// What a call is used as.
enum { TN_USE_EXPR = 1, TN_USE_STMT = 2, TN_USE_TIR = 4, TN_USE_GRAPH = 8 };

typedef struct tn_call {
  const tn_ast *ast;
  const tn_call_row *row;
  uint32_t n_names;           /* targets of the assignment whose right side the call is; 0: none */
  const tn_ast *const *names; /* NAMEs */
} tn_call;
typedef tn_val (*tn_call_fn)(tn_reader *r, const tn_call *call);

/// One function of the text: T.Cast, R.call_tir ... Every file of calls has a table of them.
struct tn_call_row {
  const char *name; /* with its prefix */
  tn_call_fn fn;
  int32_t param; /* what distinguishes rows with one fn: a tn_op, a kind ... */
  uint32_t uses; /* TN_USE_* */
};
typedef struct tn_call_table {
  const tn_call_row *rows;
  size_t n;
} tn_call_table;

/// A buffer that was declared without memory, which T.realize gives it.
typedef struct tn_free_buffer {
  const tn_node *buffer;
  const tn_ast *call;
  bool is_realized;
} tn_free_buffer;

struct tn_reader {
  tn_ir *ir;
  tn_module *module;
  const tn_script_opts *opts;
  tn_dialect dialect; /* never AUTO */
  tn_diags *diags;
  tn_arena arena;
  tn_ast_bodies bodies;
  uint32_t source;
  tn_scopes scopes;
  tn_strmap calls;        /* "T.Cast" -> tn_call_row */
  tn_map imports;         /* address of an interned name -> prefix: "T", "R", "I", "tvm", "" */
  tn_strmap asked;        /* names that values from outside were looked for */
  tn_strmap funcs;        /* names of the module's functions -> their DEF (or ASSIGN) */
  tn_arith *arith;        /* NULL until needed */
  tn_map consts;          /* index of a metadata constant -> its CONST */
  const tn_ast *meta_ast; /* the text given to tvm.ir.load_json; NULL: none */
  tn_metadata *metadata;  /* made of it; NULL: not needed yet */
  bool is_metadata_bad;   /* which was reported */
  const char *class_name; /* NULL: bare functions */
  const char *func_name;  /* of the function being read */
  int32_t n_seen;         /* problems before the function being read */
  const tn_macro_call *macro_call; /* NULL: outside of macros */
  uint32_t macro_depth;            /* of the syntax trees of the macros being expanded */
  uint32_t macro_work;             /* values read in macros so far */

  /* the function being read */
  bool is_graph;
  tn_dtype bare_int; /* type of a bare integer: int32 in loops, int64 in graphs */
  bool has_attrs;
  const tn_node *attrs; /* DICT */
  tn_body *body;
  /* loop level */
  tn_block_ctx *block;
  tn_map param_index; /* parameter VAR id -> index */
  tn_node_vec params;
  tn_node_vec buffers; /* BUFFER or NONE per parameter */
  tn_map loop_domains; /* loop VAR id -> RANGE */
  TN_VEC(tn_free_buffer) free_buffers;
  tn_map env_threads;    /* VAR id -> tag text */
  tn_map pointers;       /* pointer VAR id -> the BUFFER that has it, or the extents of its ALLOC */
  tn_dtype ret_dtype;    /* of values returned; NONE: nothing yet */
  const char *name_hint; /* for a name that is undefined and near no other; NULL: none */
  int32_t n_conditions;  /* enclosing conditions: constant indices are not judged under them */
  /* graph level */
  bool in_dataflow;
  const tn_node *outputs; /* of the open dataflow block; NULL: R.output not met yet */

  /* Asked first for the value of an expression: a schedule script has more than a program has
   * (sched_read.c). False: it is read as everywhere. May be NULL. */
  bool (*read_more)(tn_reader *r, const tn_ast *ast, tn_val *out);
  void *more; /* its own */
};

/// Frees what the reader has gathered, with the syntax trees in its arena.
void tn_reader_deinit(tn_reader *r);

/* ---- problems ---- */

/// Reports at `ast`; hint may be NULL. Returns the error value for the caller's convenience.
tn_val tn_read_fail(tn_reader *r, const tn_ast *ast, const char *id, const char *hint,
                    const char *fmt, ...) TN_PRINTF(5, 6);
/// Reports a status as a problem and frees it. False when it was one.
bool tn_read_ok(tn_reader *r, const tn_ast *ast, const char *id, tn_status st);
/// "did you mean 'x'?" for the nearest visible name; owned by the caller, NULL when none is near.
char *tn_near_visible(tn_reader *r, const char *name);
/// The same among the keys of a map.
char *tn_near_key(const tn_strmap *map, const char *name);
char *tn_near_of(const char *name, const char *const *candidates, size_t n);
/// The value that -D gives a name. False: none.
bool tn_find_define(tn_reader *r, const tn_ast *at, tn_val *out);
/// A hint that names a value given from outside under a name near `name`; NULL: none. Caller frees.
char *tn_near_define(tn_reader *r, const char *name);
/// Reports values from outside that are given twice, and, called when the whole text is read, those
/// that nothing asked for.
void tn_check_defines(tn_reader *r);
/// Defines a name given in the text; reports when it is taken in the same block and may not be
/// given again.
void tn_define(tn_reader *r, const tn_ast *name, tn_val val);

/* ---- value.c ---- */

/// How a value is called in messages: "a string", "a buffer".
const char *tn_val_what(tn_val v);
tn_val tn_val_list(tn_reader *r, uint32_t n, const tn_val *items, bool is_tuple);
/// Any literal or expression node as an EXPR node; numbers get `dtype` (NONE: their default type).
/// NULL, reported, when v is no expression (a buffer, a list ...).
const tn_node *tn_to_expr(tn_reader *r, const tn_ast *at, tn_val v, tn_dtype dtype);
/// An integer expression; bare numbers get r->bare_int.
const tn_node *tn_to_index(tn_reader *r, const tn_ast *at, tn_val v);
/// An extent of a graph-level shape: int64.
const tn_node *tn_to_dim(tn_reader *r, const tn_ast *at, tn_val v);
/// A value of an attribute or annotation: numbers, texts, lists, dictionaries, nodes. NULL,
/// reported.
const tn_node *tn_to_attr(tn_reader *r, const tn_ast *at, tn_val v);
/// LIST of index expressions; a single one stands for a list of one. NULL, reported.
const tn_node *tn_to_index_list(tn_reader *r, const tn_ast *at, tn_val v);
bool tn_to_int(tn_reader *r, const tn_ast *at, tn_val v, int64_t *out);
bool tn_to_bool(tn_reader *r, const tn_ast *at, tn_val v, bool *out);
/// NULL, reported, when it is no text.
const char *tn_to_str(tn_reader *r, const tn_ast *at, tn_val v);
bool tn_to_dtype(tn_reader *r, const tn_ast *at, tn_val v, tn_dtype *out);
/// Reads dtypes in quotes and T.float32 without a call.
bool tn_read_dtype(tn_reader *r, const tn_ast *ast, tn_dtype *out);
/// Python's own arithmetic on two numbers; error, reported, where Python would complain or the
/// result leaves 64 bits.
tn_val tn_fold_binary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a, tn_val b);
tn_val tn_fold_unary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a);
/// Gives both the type that the language gives them beside each other. False, reported.
bool tn_pair_exprs(tn_reader *r, const tn_ast *at, tn_val a, tn_val b, const tn_node **out_a,
                   const tn_node **out_b);
/// hi - lo as it was before lo + extent was printed, else simplified.
const tn_node *tn_extent_between(tn_reader *r, const tn_node *lo, const tn_node *hi);
/// [lo, hi) of one type, the wider, as minimum and extent. False, reported.
bool tn_to_interval(tn_reader *r, const tn_ast *at, tn_val lo, tn_val hi, const tn_node **out_min,
                    const tn_node **out_extent);
/// A node's position, from a syntax tree.
void tn_mark(tn_reader *r, const tn_node *n, const tn_ast *ast);
/// False, reported, where no statement can stand: in a signature, outside of functions.
bool tn_in_body(tn_reader *r, const tn_ast *ast);
void tn_add_stmt(tn_reader *r, const tn_ast *ast, const tn_node *stmt);

/* ---- args.c ---- */

enum { TN_MAX_ARGS = 12 };
/// Matches a call's arguments with `params`, words separated by blanks, '?' after those that may be
/// left out: "handle shape dtype? data?". out[i] is NULL for what was not given. False, reported.
bool tn_bind_args(tn_reader *r, const tn_ast *call, const char *params, const tn_ast **out);
/// "T.axis.spatial" for a chain of attributes below a prefix (T, R, I, ...); NULL when it is none.
/// Interned.
const char *tn_dotted(tn_reader *r, const tn_ast *ast);
/// The names that need no import: T, R, I, tvm, tir, tirx, relax.
void tn_default_imports(tn_reader *r);
/// Gives the names of an IMPORT their meaning: "from tvm.script import tir as X" makes X.exp T.exp.
void tn_read_import(tn_reader *r, const tn_ast *stmt);
/// True for a name that an import brought and the text cannot know.
bool tn_is_foreign(const tn_reader *r, const char *name);
void tn_register_calls(tn_reader *r, tn_call_table table);
const tn_call_row *tn_find_call(tn_reader *r, const tn_ast *call, const char **out_name);
/// Positional arguments of a call; false, reported, when there are keywords too.
uint32_t tn_n_positional(const tn_ast *call);
const tn_ast *tn_keyword(const tn_ast *call, const char *name);
/// Reports keywords that are not among the blank-separated words.
bool tn_check_keywords(tn_reader *r, const tn_ast *call, const char *allowed);

/* ---- expressions (read_expr.c) ---- */

tn_val tn_read_val(tn_reader *r, const tn_ast *ast);
/// A value with targets: for calls that make something that has a name.
tn_val tn_read_rhs(tn_reader *r, const tn_ast *ast, uint32_t n_names, const tn_ast *const *names);
/// NULL, reported, when it is no loop-level expression.
const tn_node *tn_read_expr(tn_reader *r, const tn_ast *ast);
const tn_node *tn_read_index(tn_reader *r, const tn_ast *ast);
const tn_node *tn_read_cond(tn_reader *r, const tn_ast *ast);
tn_val tn_apply_binary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a, tn_val b);
tn_val tn_read_name(tn_reader *r, const tn_ast *ast);

/* ---- loop level ---- */

tn_call_table tn_tir_expr_calls(void);
/// A lambda from indices of type `dtype` to indices; NULL, reported. inverse: a LAMBDA or NONE.
const tn_node *tn_read_index_map(tn_reader *r, const tn_ast *lambda, tn_dtype dtype,
                                 const tn_node *inverse);
tn_call_table tn_tir_stmt_calls(void);
tn_call_table tn_tir_block_calls(void);
tn_call_table tn_tir_buffer_calls(void);
tn_call_table tn_tir_prefetch_calls(void);
tn_call_table tn_tir_realize_calls(void);
/// At the end of a function: reports the buffers that nothing gave memory.
void tn_check_free_buffers(tn_reader *r);
tn_call_table tn_tir_old_calls(void);
/// n = T.int64(): a variable that some shape will bind.
tn_val tn_new_symbol(tn_reader *r, const tn_call *call, tn_dtype dtype);
/// T.float32(...), T.exp(...): types and intrinsics, which are not in the tables. ERROR, reported,
/// when there is no such name.
tn_val tn_read_tir_named(tn_reader *r, const tn_call *call, const char *name);
/// Subscripts of a buffer as a value: A[i, j], A[i:i+4].
tn_val tn_read_load(tn_reader *r, const tn_ast *ast, const tn_node *buffer);
/// Index expressions of an access; NULL, reported. The array is in r->arena.
const tn_node *const *tn_read_indices(tn_reader *r, const tn_ast *ast, const tn_node *buffer,
                                      uint32_t *out_n);
/// A[i, 0:8] or A as a REGION; NULL, reported.
const tn_node *tn_read_region(tn_reader *r, const tn_ast *ast);
/// Attributes and methods of buffers and expressions: A.data, A.vload(...), x.astype(...).
tn_val tn_read_attribute(tn_reader *r, const tn_ast *ast, tn_val base);
tn_val tn_read_method(tn_reader *r, const tn_ast *call, tn_val base);
/// Buffer from the arguments shape dtype data strides elem_offset scope align offset_factor
/// axis_separators; NULL, reported.
typedef struct tn_buffer_args {
  const tn_ast *shape;
  const tn_ast *dtype;
  const tn_ast *data;
  const tn_ast *strides;
  const tn_ast *elem_offset;
  const tn_ast *scope;
  const tn_ast *align;
  const tn_ast *offset_factor;
  const tn_ast *axis_separators;
  const tn_node *region; /* whose shape and type are taken where the text gives none; may be NULL */
  bool is_param;         /* whose sizes may stand in quotes */
  bool is_matched;       /* by T.match_buffer, which may define strides: strides=("s0", 1) */
} tn_buffer_args;
const tn_node *tn_read_buffer(tn_reader *r, const tn_ast *at, const char *name,
                              const tn_buffer_args *args);
const tn_node *tn_read_buffer_param(tn_reader *r, const tn_ast *call, const char *name);

/// Defines the sizes of def f[n: T.int64](...); params may be NULL.
void tn_read_type_params(tn_reader *r, const tn_ast *params);
void tn_read_prim_func(tn_reader *r, const tn_ast *def, bool is_private);
/// A file of statements without a function around them, below the lines that define their free
/// variables and buffers: function `main`, whose parameters these are.
void tn_read_fragment(tn_reader *r, const tn_ast *file);
/// Statements of a block into a new SEQ; no scope is opened.
const tn_node *tn_read_suite(tn_reader *r, const tn_ast *suite);
/// Statements into the open body.
void tn_read_stmts(tn_reader *r, const tn_ast *suite);
const tn_node *tn_finish_body(tn_reader *r, tn_body *body);
void tn_body_deinit(tn_body *body);
void tn_read_tir_stmt(tn_reader *r, const tn_ast *stmt);
/// ASSIGN, ANNOTATE and AUGMENT.
void tn_read_assign(tn_reader *r, const tn_ast *stmt);
/// The value of a mutable scalar.
tn_val tn_read_cell(tn_reader *r, const tn_ast *at, const tn_node *cell);
/// Memory for a buffer from here to the end of the block: ALLOC and DECL.
void tn_add_alloc(tn_reader *r, const tn_ast *at, const tn_node *buffer);
/// `var = value` for a variable that there is already, from here to the end of the block; void.
tn_val tn_read_let(tn_reader *r, const tn_ast *at, const tn_ast *var_ast, const tn_ast *value_ast);
/// ASSERT of a condition; message_ast may be NULL.
void tn_add_assert(tn_reader *r, const tn_ast *stmt, const tn_ast *cond_ast,
                   const tn_ast *message_ast);
/// RETURN of a value, converted to the function's return type.
void tn_add_return(tn_reader *r, const tn_ast *stmt, const tn_ast *value_ast);
/// Fills an array from a flat or nested list of numbers, whose count must fit. False, reported.
bool tn_fill_array(tn_reader *r, const tn_ast *at, tn_val v, tn_array *array);
void tn_read_for(tn_reader *r, const tn_ast *stmt);
/// A DICT, or NONE where the text gives none. False, reported.
bool tn_read_annotations(tn_reader *r, const tn_ast *ast, const tn_node **out);
void tn_read_with(tn_reader *r, const tn_ast *stmt);
void tn_read_block(tn_reader *r, const tn_ast *stmt, const tn_ast *call);
/// A BLOCK of what was collected; regions that were not given are inferred (left empty for the
/// root).
const tn_node *tn_make_block(tn_reader *r, const tn_ast *at, const tn_block_ctx *block,
                             const char *name, const tn_node *body);
void tn_read_init(tn_reader *r, const tn_ast *stmt);
void tn_block_deinit(tn_block_ctx *block);

/// A call of a function of the module, with its arguments as the callee's head has them.
tn_val tn_read_invoke(tn_reader *r, const tn_ast *call, const tn_node *callee);

/* ---- macros (read_macro.c) ---- */

/// Gives the name of `def` its macro, which sees what is visible here.
struct tn_def_opts;
void tn_read_macro(tn_reader *r, const tn_ast *def, const struct tn_def_opts *opts);
/// The macro that a statement calls; NULL when it is no such call.
tn_macro *tn_called_macro(tn_reader *r, const tn_ast *value);
/// Reads the macro's statements into the open body. Its value; VOID when it has none.
tn_val tn_expand_macro(tn_reader *r, const tn_ast *call, tn_macro *macro);
/// Counts a value read in a macro; false when the macros of this text have grown too large, which
/// has been reported once.
bool tn_macro_step(tn_reader *r, const tn_ast *at);
/// Appends where the macros being expanded were called, for messages.
void tn_note_macros(const tn_reader *r, tn_buf *text);

/* ---- graph level ---- */

tn_call_table tn_graph_calls(void);
tn_call_table tn_graph_value_calls(void);
/// R.add(...): operators of the tables. ERROR, reported, when there is no such name.
tn_val tn_read_operator(tn_reader *r, const tn_call *call, const char *name);
bool tn_is_graph_value(tn_val v);
/// a + b between graph values.
tn_val tn_graph_binary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a, tn_val b);
tn_val tn_graph_unary(tn_reader *r, const tn_ast *at, tn_tok tok, tn_val a);
/// x.astype("float16") and the like.
tn_val tn_graph_method(tn_reader *r, const tn_ast *call, tn_val base);
tn_val tn_graph_index(tn_reader *r, const tn_ast *ast, tn_val base);
tn_val tn_graph_invoke(tn_reader *r, const tn_ast *call, const tn_node *callee);
/// A value where a graph expression stands: tuples, shapes, texts and numbers are wrapped. NULL,
/// reported.
const tn_node *tn_to_graph(tn_reader *r, const tn_ast *at, tn_val v);
const tn_node *tn_read_graph(tn_reader *r, const tn_ast *ast);
/// A type annotation; NULL, reported.
const tn_node *tn_read_type(tn_reader *r, const tn_ast *ast);
bool tn_is_type_text(tn_reader *r, const tn_ast *ast);
/// Defines the symbols that the quoted sizes of a signature name.
void tn_collect_symbols(tn_reader *r, const tn_ast *annotation);
/// Fills func's slot of the module with its signature, so that calls before its definition know its
/// type.
void tn_declare_graph_func(tn_reader *r, const tn_ast *def, bool is_private, bool is_pure);
void tn_read_graph_func(tn_reader *r, const tn_ast *def, bool is_private, bool is_pure);
void tn_read_graph_stmt(tn_reader *r, const tn_ast *stmt);
/// The type of a graph expression; NULL, reported at `at`.
const tn_node *tn_infer_type(tn_reader *r, const tn_ast *at, const tn_node *expr);
/// R.match_cast(value, type) as the right side of a binding.
bool tn_is_match_cast(tn_reader *r, const tn_ast *value);
/// An expression inside a string, such as the size "n + 1"; its parts carry the string's position.
/// NULL, reported.
const tn_ast *tn_parse_inner(tn_reader *r, const tn_ast *string);
/// Decorator options of a def: which kind, private, pure. False, reported, when it is none of ours.
typedef struct tn_def_opts {
  bool is_graph;
  bool is_private;
  bool is_pure;
  bool is_macro;
  bool is_hygienic; /* a macro */
} tn_def_opts;
bool tn_read_decorators(tn_reader *r, const tn_ast *def, tn_def_opts *out);
/// Reads {"key": value, ...} of T.func_attr or R.func_attr into r->attrs.
void tn_read_func_attr(tn_reader *r, const tn_ast *call);
/// attrs with global_symbol first for public functions; NULL, reported.
const tn_node *tn_final_attrs(tn_reader *r, const tn_ast *def, bool is_private);

#endif
