/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The loop level: typed construction of expressions, intrinsics, block analyses, the verifier and
 * the reference interpreter. A function is a PRIM_FUNC node (ir/nodes.def): loops over buffers,
 * blocks with axes and regions.
 *
 *   const tn_node *sum = NULL;
 *   TN_TRY(tn_tir_binary(ir, TN_OP_ADD, load_a, one, &sum));         // promotes types
 *   TN_TRY(tn_tir_interp(module, "add", args, 3, NULL, NULL));       // runs it, exactly
 */
#ifndef TN_TIR_TIR_H
#define TN_TIR_TIR_H

#include "ir/ir.h"

/* ---- intrinsics (tir/intrins.def) ---- */

typedef enum tn_intrin_type {
  TN_IT_SAME,       /* all arguments and the result have one type */
  TN_IT_FLOAT,      /* the same, floats only */
  TN_IT_INT,        /* the same, integers only */
  TN_IT_TEST,       /* float argument, bool result with its lanes */
  TN_IT_MIXED,      /* each row says (ldexp, if such); result has the first argument's type */
  TN_IT_SECOND,     /* any arguments; result has the second one's type */
  TN_IT_GIVEN,      /* the text names the result type first: T.call_extern("int32", "f", x) */
  TN_IT_GIVEN_LAST, /* ... names it last: T.tvm_struct_get(a, 0, 1, "handle") */
  TN_IT_BOOL,       /* result is one bool */
  TN_IT_HANDLE,     /* result is a handle */
  TN_IT_VOID        /* result is int32 and means nothing */
} tn_intrin_type;

typedef enum tn_intrin_kind {
  TN_IK_MATH,   /* a function of its arguments, computed by interpreter and code */
  TN_IK_CALL,   /* call_extern, call_packed ...: first child is a STR, the name */
  TN_IK_MEMORY, /* address_of, access pointers, prefetch */
  TN_IK_VECTOR, /* a pure function of lanes: tn_tir_expand says what it is made of */
  TN_IK_HINT,   /* likely, assume, undef */
  TN_IK_OPAQUE  /* read, printed, verified; refused by interpreter and code generators by name (GPU
                   sets) */
} tn_intrin_kind;

typedef enum tn_intrin_id {
#define X(id, ...) TN_INTRIN_##id,
#include "tir/intrins.def"
#undef X
} tn_intrin_id;

typedef struct tn_intrin {
  tn_def def; /* name as written after "T.", is_pure */
  tn_intrin_id id;
  tn_intrin_kind kind;
  tn_intrin_type type;
  int32_t min_args;
  int32_t max_args; /* -1: any */
  const char *llvm; /* "llvm.sqrt": overloaded on the result type; NULL: none */
} tn_intrin;

const tn_intrin *tn_intrin_get(tn_intrin_id id);
/// By the name after "T."; NULL when unknown. Aliases (T.abs/T.fabs) are rows of their own.
const tn_intrin *tn_intrin_find(const char *name);
/// The row of an INTRIN node.
static inline const tn_intrin *tn_intrin_of(const tn_node *n) {
  return (const tn_intrin *)(const void *)n->attr.def;
}
/// All rows, for near names and tables.
const tn_intrin *tn_intrin_all(uint32_t *out_n);

/* ---- typed construction: what the language means by `a + b` ---- */
/* Promotion: a bare literal (an INT of type int32) takes the other side's type when it fits; bool
 * -> int -> wider int -> float -> wider float; int with uint of the same width: uint; one lane is
 * broadcast to the other's lanes. Arithmetic on two bools is int32. Float //, % and truncmod become
 * floor, fmod and what else they mean. Errors are INVALID and name both types. No folding. */

TN_MUST_USE tn_status tn_tir_binary(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b,
                                    const tn_node **out);
/// op: MIN or MAX; of floats NaN where a or b is, and of equal zeros a. b stands in it three times,
/// unless one of both is a number.
TN_MUST_USE tn_status tn_tir_extremum(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b,
                                      const tn_node **out);
/// The MIN or MAX in what tn_tir_extremum makes of two values that may be NaN; NULL for anything else.
const tn_node *tn_tir_find_extremum(const tn_node *n);
/// n, in which that finds one, with another MIN or MAX of the same type in its place.
const tn_node *tn_tir_with_extremum(tn_ir *ir, const tn_node *n, const tn_node *other);
/// op: NOT, NEG or BNOT.
TN_MUST_USE tn_status tn_tir_unary(tn_ir *ir, tn_op op, const tn_node *a, const tn_node **out);
/// a itself when it has the type; literals fold.
TN_MUST_USE tn_status tn_tir_cast(tn_ir *ir, tn_dtype dtype, const tn_node *a, const tn_node **out);
TN_MUST_USE tn_status tn_tir_select(tn_ir *ir, tn_op op, const tn_node *cond, const tn_node *a,
                                    const tn_node *b, const tn_node **out);
TN_MUST_USE tn_status tn_tir_ramp(tn_ir *ir, const tn_node *base, const tn_node *stride,
                                  int64_t lanes, const tn_node **out);
TN_MUST_USE tn_status tn_tir_broadcast(tn_ir *ir, const tn_node *value, int64_t lanes,
                                       const tn_node **out);
/// dtype: used by TN_IT_GIVEN rows only.
TN_MUST_USE tn_status tn_tir_intrin(tn_ir *ir, const tn_intrin *intrin, tn_dtype dtype,
                                    uint32_t n_args, const tn_node *const *args,
                                    const tn_node **out);
/// An INTRIN of kind VECTOR in terms of other expressions; its types are right (tn_tir_verify).
const tn_node *tn_tir_expand(tn_ir *ir, const tn_node *n);
/// True for the intrinsic `wanted` by its bare name or with its types: llvm.sqrt, llvm.sqrt.v4f32.
bool tn_tir_is_llvm_name(const char *name, const char *wanted);
/// T.call_llvm_intrin and its pure kin (args[0] is the name) as what the language calls it; *out is
/// NULL where it has no name of its own for it.
TN_MUST_USE tn_status tn_tir_llvm_call(tn_ir *ir, tn_dtype dtype, uint32_t n_args,
                                       const tn_node *const *args, const tn_node **out);
/// Number of indices and their types are checked; lanes of the last index make a vector access
/// (RAMP). predicate may be NULL.
TN_MUST_USE tn_status tn_tir_load(tn_ir *ir, const tn_node *buffer, uint32_t n_indices,
                                  const tn_node *const *indices, const tn_node *predicate,
                                  const tn_node **out);
/// value is cast to the buffer's type as the language does.
TN_MUST_USE tn_status tn_tir_store(tn_ir *ir, const tn_node *buffer, const tn_node *value,
                                   uint32_t n_indices, const tn_node *const *indices,
                                   const tn_node *predicate, const tn_node **out);

/// What a buffer is made of; zero/NULL members get their defaults (compact strides, offset 0, scope
/// "global", align 64, factor 1).
typedef struct tn_buffer_spec {
  const char *name;
  tn_dtype dtype;
  uint32_t ndim;
  const tn_node *const *shape;
  const tn_node *data;    /* NULL: a new handle VAR of the same name */
  const tn_node *strides; /* LIST or NULL */
  const tn_node *elem_offset;
  const char *scope;
  int64_t align;
  int64_t offset_factor;
  const tn_node *axis_separators;
} tn_buffer_spec;
const tn_node *tn_buffer_new(tn_ir *ir, const tn_buffer_spec *spec);
static inline uint32_t tn_buffer_ndim(const tn_node *buffer) {
  return buffer->in[TN_BUFFER_SHAPE]->n_in;
}
/// True when strides, offset, scope, alignment and separators are the defaults, as T.Buffer(...)
/// gives.
bool tn_buffer_is_plain(const tn_node *buffer);

/* Statement shorthands; NONE is filled in for what is NULL. */
const tn_node *tn_for_new(tn_ir *ir, tn_for_kind kind, const tn_node *var, const tn_node *min,
                          const tn_node *extent, const tn_node *body, const tn_node *thread,
                          const tn_node *annotations);
enum { TN_EXIT_BREAK = 1, TN_EXIT_CONTINUE = 2 };
/// Which of BREAK and CONTINUE in a loop's body belong to that loop: TN_EXIT_* flags.
uint32_t tn_loop_exits(const tn_node *body);
const tn_node *tn_region_new(tn_ir *ir, const tn_node *buffer, uint32_t n,
                             const tn_node *const *ranges);
/// Function-level T.alloc_buffer: body is then a BLOCK without iters, labelled "root", that has
/// them as allocs. NULL: params and buffers none, ret NONE, attrs an empty DICT; buffers NULL: no
/// parameter has one.
const tn_node *tn_prim_func_new(tn_ir *ir, const char *name, const tn_node *params,
                                const tn_node *buffers, const tn_node *ret, const tn_node *attrs,
                                const tn_node *body);

/// Appends `add(A: T.Buffer((4,), "float32"), n: T.int32)`, as messages about arguments name a
/// function; interpreter and compiled code share it. Shapes print as in TVMScript.
void tn_tir_signature(const tn_node *func, tn_buf *out);
/// Appends an index expression in TVMScript's spelling (variables by name), for messages; not a
/// printer for files.
void tn_tir_print_expr(const tn_node *expr, tn_buf *out);

/* ---- analyses ---- */

/// Fills in T.reads/T.writes that the text left out (LISTs NULL): the union of accesses in body,
/// init and nested blocks' regions, as ranges over the block's own variables (loop variables inside
/// the block are projected out; where a bound is not known, the whole dimension).
/// buffer_at: the BUFFER, seen where the block stands, whose data pointer is given, or NULL; for
/// pointers into memory outside. May be NULL: there is none. Errors: INVALID for an access over
/// memory that none of them has.
TN_MUST_USE tn_status tn_tir_infer_regions(
    tn_ir *ir, const tn_node *block, const tn_node *(*buffer_at)(void *ctx, const tn_node *data),
    void *ctx, const tn_node **out_reads, const tn_node **out_writes);
enum { TN_PARAM_READ = 1, TN_PARAM_WRITTEN = 2 };
/// How running `func` may use its parameters' buffers, TN_PARAM_* in out_uses with room for all
/// parameters: by an access over the same pointer, or the pointer given to a call (with effects: to
/// write). Those without a buffer are not used.
/// module: of the functions it calls; NULL: those may do anything with all they get.
void tn_tir_param_uses(const tn_module *module, const tn_node *func, uint8_t *out_uses);
/// What a run of a loop function computes in floating point.
typedef struct tn_op_count {
  double flops;     /* + - * / min max: one; multiply-add in one rounding: two; exp and such: one */
  tn_dtype dtype;   /* the scalar type of most of them; NONE when there are none */
  bool is_estimate; /* conditions that the sizes do not decide were taken to hold, or a block's
                       predicate to leave each of its points once */
} tn_op_count;
/// A variable of the function's sizes or scalars, and its value in that run.
typedef struct tn_size_value {
  const tn_node *var;
  int64_t value;
} tn_size_value;
/// Counts in the text of `func`, which may be scheduled or lowered: each operation as often as the
/// loops around it turn. Vectors count their lanes. Errors: UNSUPPORTED, saying why the count is not
/// known before the run (a while loop, an extent that is read from memory, a call of a function).
TN_MUST_USE tn_status tn_tir_count_flops(const tn_node *func, const tn_size_value *sizes,
                                         size_t n_sizes, tn_op_count *out);
/// Level rules of a PRIM_FUNC: dtypes of every node, index counts, block structure (iters, regions
/// name visible buffers, init only with reduce axes), loop kinds, predicates bool, RETURN fits ret,
/// calls' arity. Includes tn_ir_verify_func.
void tn_tir_verify(const tn_ir *ir, const tn_node *func, tn_diags *diags);
/// Do the calls of a PRIM_FUNC that tn_tir_verify accepts fit the functions of the module they call?
/// Count and types of the arguments, extents that are known, the result; and a buffer that comes as
/// a bare pointer has to get its sizes from other arguments.
void tn_tir_verify_calls(const tn_module *module, const tn_node *func, tn_diags *diags);
/// The node whose children are the arguments of a call that may be given BUFFERs, which its callee
/// sees as they were declared: of an INVOKE the LIST, of T.call_packed itself (the first child is the
/// name). NULL for anything else.
const tn_node *tn_tir_call_args(const tn_node *n);
/// Calls of loop functions inside each other, interpreted and compiled; one more is an error.
enum { TN_TIR_MAX_CALL_DEPTH = 1000 };
/// out[i] (module->n_funcs of them): true where function i calls functions that can call themselves
/// again, through others or at once.
void tn_tir_find_recursive(const tn_module *module, bool *out);
/// out[i]: true for the loop functions that `name` calls, through others too, and for itself.
void tn_tir_find_called(const tn_module *module, const char *name, bool *out);

/* ---- reference interpreter ---- */

/// One argument: an array for a buffer parameter (written in place), else a scalar. An array may be
/// strided only through its buffer's own strides.
typedef struct tn_tir_arg {
  tn_array *array;  /* borrowed; NULL: scalar */
  int64_t i64;      /* scalar of an integer or bool type */
  double f64;       /* scalar of a float type */
  bool is_float;    /* the number given is f64: a parameter of an integer type refuses it */
  bool is_pointer;  /* i64 is an address: given to functions called by name only */
  const char *text; /* a text; to functions called by name only */
} tn_tir_arg;

/// Watches runs: an access outside a buffer (it reads 0, and is not stored), an element read before
/// anything wrote it, turns of a parallel, vectorized or thread-bound loop and instances of a block
/// that differ in spatial axes touching one element with a write, an access that its block's
/// regions do not declare, a division of integers by 0 (gives 0), an index that wraps in int32.
/// Runs go on after a finding, up to ten different ones. One run at a time.
typedef struct tn_tir_checker tn_tir_checker;
/// ir: for positions; borrowed.
tn_tir_checker *tn_tir_checker_new(const tn_ir *ir);
void tn_tir_checker_free(tn_tir_checker *checker);
/// Memory that holds nothing yet; any other memory that comes as an argument counts as written.
void tn_tir_checker_fresh(tn_tir_checker *checker, const void *data, size_t n_bytes);
/// Fresh memory goes back to its owner.
void tn_tir_checker_forget(tn_tir_checker *checker, const void *data);
/// Somebody else wrote it.
void tn_tir_checker_wrote(tn_tir_checker *checker, const void *data, size_t n_bytes);
/// True when no byte of it is fresh.
bool tn_tir_checker_is_written(const tn_tir_checker *checker, const void *data, size_t n_bytes);
/// A finding outside loop functions, at `place`, once for each place.
void tn_tir_checker_add(tn_tir_checker *checker, const char *id, const tn_node *place,
                        const char *fmt, ...) TN_PRINTF(4, 5);
/// NULL when nothing was found and st is NULL; else INVALID with the findings and, after them, st
/// (consumed), unless it only says that there are enough.
TN_MUST_USE tn_status tn_tir_checker_finish(tn_tir_checker *checker, tn_status st);

/// What interpreted code may call; zero-initialise what is not offered (then the call is an
/// UNSUPPORTED error naming it).
typedef struct tn_tir_hooks {
  const tn_module *module; /* whose functions it may call; tn_tir_interp gives its own */
  tn_status (*call_packed)(void *ctx, const char *name, const tn_tir_arg *args, int32_t n_args,
                           tn_tir_arg *out_ret);
  void *ctx;
  int64_t max_steps;       /* 0: none; else TIMEOUT after so many statements */
  tn_tir_checker *checker; /* NULL: a plain run */
} tn_tir_hooks;

/// Runs the PRIM_FUNC `func` of `module`: sequential, in source order, exact types (float32
/// arithmetic rounds to float32 after each operation), bounds-checked against each buffer's shape
/// (INVALID naming buffer, index, extent, position). Symbolic sizes are bound from the arrays'
/// shapes; arguments are checked as compiled code checks them. Vectorized, unrolled and parallel
/// loops run in order. out_ret: value of T.ret, may be NULL.
TN_MUST_USE tn_status tn_tir_interp(const tn_module *module, const char *func,
                                    const tn_tir_arg *args, int32_t n_args,
                                    const tn_tir_hooks *hooks, tn_tir_arg *out_ret);

/// A function compiled for the interpreter once, to be run often; tn_tir_interp is new, run, free.
/// Borrows ir and func.
typedef struct tn_tir_program tn_tir_program;
TN_MUST_USE tn_status tn_tir_program_new(const tn_ir *ir, const tn_node *func,
                                         tn_tir_program **out_program);
TN_MUST_USE tn_status tn_tir_program_run(const tn_tir_program *program, const tn_tir_arg *args,
                                         int32_t n_args, const tn_tir_hooks *hooks,
                                         tn_tir_arg *out_ret);
void tn_tir_program_free(tn_tir_program *program);

#endif
