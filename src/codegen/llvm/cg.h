/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The emitter's state and its parts, private to this folder.
 *
 *   emit.c      a module of lowered functions -> LLVM module -> passes -> text or object
 *   objects.c   the same as several objects, made side by side
 *   context.c   LLVM context, target machine, pass pipeline, errors
 *   types.c     element types and constants
 *   range.c     intervals of index expressions
 *   expr.c      one expression: dispatch and memo
 *   arith.c, cast.c, math.c   operators, conversions, functions
 *   math_emit.c, math_rare.c   our own mathematics (tir/math/) as instructions
 *   memory.c    loads, stores, addresses
 *   vector.c    lanes
 *   call.c      calls, addresses, hints
 *   invoke.c    calls of one function of the module by another
 *   stmt.c      statements, scratch memory, exits
 *   loop.c, parallel.c   serial and parallel loops
 *   func.c      functions of ours
 *   entry.c     the exported function: argument checks, then the call of the body
 *   export_ffi.c  the same function in the convention of tvm-ffi
 *   model.c     a static plan as plain C functions
 *   blob.c      bytes as an object file
 *   jit.c       object code made executable in this process
 *
 * A function that is wrong is met deep inside an expression; so emission goes on with a poison
 * value, and the first error waits in tn_cg.st, where emit.c takes it after each function. */
#ifndef TN_CODEGEN_LLVM_CG_H
#define TN_CODEGEN_LLVM_CG_H

#include "base/vec.h"
#include "codegen/codegen.h"
#include "codegen/llvm/llvm_compat.h"
#include "ir/ir.h"
#include "tir/tir.h"

/// Scratch memory that lives in the current function and has to be given back on every way out.
typedef struct tn_cg_scratch {
  LLVMValueRef ptr;
  LLVMBasicBlockRef way_out; /* gives it back, and all taken before it, and returns; or NULL */
} tn_cg_scratch;

/// The serial loop or while under emission: where BREAK and CONTINUE go.
typedef struct tn_cg_loop {
  LLVMBasicBlockRef next;
  LLVMBasicBlockRef after;
  size_t n_scratch; /* held outside of it */
} tn_cg_loop;

/// A closed interval; the whole type when nothing is known.
typedef struct tn_cg_range {
  int64_t lo;
  int64_t hi;
} tn_cg_range;

/// One LLVM function under construction: a kernel's body, or the body of a parallel loop.
typedef struct tn_cg_func {
  LLVMValueRef fn;
  LLVMBasicBlockRef entry; /* holds stack memory only, and jumps to first */
  LLVMBasicBlockRef first;
  LLVMValueRef env;      /* const tn_env * */
  LLVMValueRef ret_slot; /* tn_arg * for T.ret, or NULL */
  tn_map vars;           /* VAR id -> LLVMValueRef */
  tn_map wide_vars;      /* VAR id -> its 64-bit form, for integer variables of 32 bits and fewer */
  tn_map memo;           /* id (+ MEMO_WIDE) -> LLVMValueRef, within one statement */
  TN_VEC(uint64_t) memo_keys; /* in order of entry, to forget what a lazy arm computed */
  TN_VEC(tn_cg_scratch) scratch;
  LLVMValueRef exit_code; /* where the ways out find what to return; NULL: there are none */
  const tn_cg_loop *loop; /* the innermost one, or NULL */
  LLVMValueRef mask;      /* lanes under evaluation of a vector if_then_else, or NULL */
  bool is_parallel_body;
  int64_t stack_bytes;
} tn_cg_func;

typedef struct tn_cg {
  const tn_module *module; /* lowered; borrowed */
  const tn_codegen_opts *opts;
  const tn_target *target;
  tn_status st; /* the first error; owned */
  LLVMContextRef ctx;
  LLVMModuleRef mod;
  LLVMBuilderRef builder;
  LLVMTargetMachineRef machine;
  tn_map recursive;     /* ids of the functions that may be called again below themselves */
  const tn_node *depth; /* VAR, int64: how many calls are around; bound in those functions */
  const tn_node *func;  /* PRIM_FUNC being emitted */
  const char *func_name;
  tn_cg_func *cur;
  int32_t n_outlined;  /* parallel bodies of this PRIM_FUNC so far */
  bool is_contracting; /* a * b + c may round once */
  bool has_f16c;
  bool has_fma;
  tn_map roots;  /* handle VARs that share memory with no other -> its alignment, 1: not known */
  tn_map ranges; /* VAR id or expression id -> index into range_values */
  TN_VEC(tn_cg_range) range_values;
  LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, void_;
} tn_cg;

/* ---- emit.c ---- */
/// Starts an emission of the functions whose object_of is `object`, object_of NULL: of all; *cg is
/// deinitialised by the caller, also after an error.
TN_MUST_USE tn_status tn_cg_emit_part(tn_cg *cg, const tn_module *lowered,
                                      const tn_codegen_opts *opts, const uint32_t *object_of,
                                      uint32_t object);
/// The rest, which reads no node of the module: verification, LLVM's passes, output.
TN_MUST_USE tn_status tn_cg_finish(tn_cg *cg, tn_emit kind, tn_buf *out);

/* ---- context.c ---- */
/// Makes LLVM know the architectures of our targets, once in a process.
void tn_cg_register_targets(void);
TN_MUST_USE tn_status tn_cg_init(tn_cg *cg, const tn_module *module, const tn_codegen_opts *opts);
void tn_cg_deinit(tn_cg *cg);
/// Records the first error, naming the function under emission.
void tn_cg_fail(tn_cg *cg, tn_code code, const char *fmt, ...) TN_PRINTF(3, 4);
/// Takes the message of an LLVMErrorRef; NULL stays NULL.
TN_MUST_USE tn_status tn_cg_llvm_error(LLVMErrorRef error, const char *doing);
TN_MUST_USE tn_status tn_cg_verify(tn_cg *cg);
TN_MUST_USE tn_status tn_cg_run_passes(tn_cg *cg);
/// After the passes: float16 scalars are compared as float32 where that decides between them.
void tn_cg_widen_halves(tn_cg *cg);
/// Appends text, assembly or an object.
TN_MUST_USE tn_status tn_cg_write(tn_cg *cg, tn_emit kind, tn_buf *out);
/// Attributes that every function of ours has.
void tn_cg_set_attrs(tn_cg *cg, LLVMValueRef fn);
void tn_cg_add_attr(tn_cg *cg, LLVMValueRef fn, LLVMAttributeIndex where, const char *name,
                    uint64_t value);
void tn_cg_text_attr(tn_cg *cg, LLVMValueRef fn, const char *name, const char *value);
void tn_cg_call_attr(tn_cg *cg, LLVMValueRef call, const char *name, uint64_t value);
/// A text attribute of functions that are inlined only after LLVM has vectorised.
#define TN_CG_LATE "tn-inline-late"

/* ---- types.c ---- */
/// The type of a value in registers: bool is i1, float16 and bfloat16 are i16, what has 4 bits i4,
/// float8 and float6 i8.
LLVMTypeRef tn_cg_type(tn_cg *cg, tn_dtype dtype);
/// The type in memory: bool is i8, and so is the byte of a packed element.
LLVMTypeRef tn_cg_mem_type(tn_cg *cg, tn_dtype dtype);
/// The same lanes over another element type.
LLVMTypeRef tn_cg_lanes_of(LLVMTypeRef elem, uint32_t lanes);
bool tn_cg_is_half(tn_dtype dtype);
LLVMValueRef tn_cg_int(tn_cg *cg, tn_dtype dtype, int64_t value);
LLVMValueRef tn_cg_float(tn_cg *cg, tn_dtype dtype, double value);
LLVMValueRef tn_cg_zero(tn_cg *cg, tn_dtype dtype);
LLVMValueRef tn_cg_i64(tn_cg *cg, int64_t value);
LLVMValueRef tn_cg_i32(tn_cg *cg, int64_t value);
LLVMValueRef tn_cg_poison(tn_cg *cg, tn_dtype dtype);
/// Address of the float32 bits of all values of a small float, by its bits.
LLVMValueRef tn_cg_small_table(tn_cg *cg, tn_dtype dtype);
/// Address of a NUL-terminated text in read-only memory.
LLVMValueRef tn_cg_text(tn_cg *cg, const char *text);
/// Address of an array's bytes in read-only memory, aligned to 64.
LLVMValueRef tn_cg_const_array(tn_cg *cg, const tn_array *array, const char *name);

/* ---- range.c ---- */
tn_cg_range tn_cg_range_of(tn_cg *cg, const tn_node *n);
void tn_cg_range_set(tn_cg *cg, const tn_node *var, tn_cg_range range);
/// True when the operation of `n` cannot leave its type.
bool tn_cg_cannot_wrap(tn_cg *cg, const tn_node *n);

/* ---- expr.c ---- */
LLVMValueRef tn_cg_expr(tn_cg *cg, const tn_node *n);
/// An integer expression as i64 (or a vector of it), its arithmetic widened where it cannot wrap.
LLVMValueRef tn_cg_index(tn_cg *cg, const tn_node *n);
void tn_cg_bind_var(tn_cg *cg, const tn_node *var, LLVMValueRef value);
void tn_cg_memo_clear(tn_cg *cg);
size_t tn_cg_memo_mark(const tn_cg *cg);
void tn_cg_memo_forget(tn_cg *cg, size_t mark);
LLVMBasicBlockRef tn_cg_block(tn_cg *cg, const char *name);
void tn_cg_at(tn_cg *cg, LLVMBasicBlockRef block);
LLVMBasicBlockRef tn_cg_here(tn_cg *cg);

/* ---- arith.c: binary and unary operators; values of the node's operands are given ---- */
LLVMValueRef tn_cg_binary(tn_cg *cg, const tn_node *n, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef tn_cg_unary(tn_cg *cg, const tn_node *n, LLVMValueRef a);
/// Marks a float instruction with what the options allow.
LLVMValueRef tn_cg_fp(tn_cg *cg, LLVMValueRef value);

/* ---- cast.c ---- */
LLVMValueRef tn_cg_cast(tn_cg *cg, LLVMValueRef value, tn_dtype from, tn_dtype to);
LLVMValueRef tn_cg_reinterpret(tn_cg *cg, LLVMValueRef value, tn_dtype from, tn_dtype to);
/// Bits of a small float <-> float32.
LLVMValueRef tn_cg_small_to_f32(tn_cg *cg, LLVMValueRef bits, tn_dtype small);
LLVMValueRef tn_cg_f32_to_small(tn_cg *cg, LLVMValueRef value, tn_dtype small);
/// float16/bfloat16 bits <-> float32.
LLVMValueRef tn_cg_half_to_f32(tn_cg *cg, LLVMValueRef bits, tn_dtype half);
LLVMValueRef tn_cg_f32_to_half(tn_cg *cg, LLVMValueRef value, tn_dtype half);

/* ---- vector.c ---- */
LLVMValueRef tn_cg_splat(tn_cg *cg, LLVMValueRef scalar, uint32_t lanes);
LLVMValueRef tn_cg_lane(tn_cg *cg, LLVMValueRef vector, uint32_t lane);
LLVMValueRef tn_cg_set_lane(tn_cg *cg, LLVMValueRef vector, LLVMValueRef scalar, uint32_t lane);
LLVMValueRef tn_cg_ramp(tn_cg *cg, LLVMValueRef base, LLVMValueRef stride, uint32_t lanes,
                        bool is_nsw);
LLVMValueRef tn_cg_shuffle(tn_cg *cg, const tn_node *n);
/// True in every lane.
LLVMValueRef tn_cg_all_true(tn_cg *cg, uint32_t lanes);
/// True when any lane of a bool vector is.
LLVMValueRef tn_cg_any(tn_cg *cg, LLVMValueRef mask, uint32_t lanes);

/* ---- memory.c ---- */
/// What memory of ours is aligned to: the stack's, the host's scratch memory, constants.
enum { TN_CG_ALIGN = 64 };
LLVMValueRef tn_cg_load(tn_cg *cg, const tn_node *n);
void tn_cg_store(tn_cg *cg, const tn_node *n);
/// The address of the element a LOAD names.
LLVMValueRef tn_cg_address_of(tn_cg *cg, const tn_node *load);
/// llvm.masked.gather of `lanes` elements; masked-off lanes are 0. mask NULL: all lanes.
LLVMValueRef tn_cg_gather(tn_cg *cg, LLVMTypeRef elem, LLVMValueRef addresses, LLVMValueRef mask,
                          uint32_t lanes, unsigned align);
/// base + offset * elem_bytes
LLVMValueRef tn_cg_offset(tn_cg *cg, LLVMValueRef base, LLVMValueRef offset, tn_dtype elem);
LLVMValueRef tn_cg_field(tn_cg *cg, LLVMTypeRef type, LLVMValueRef base, size_t byte_offset);
/// Stack memory set up at the function's entry.
LLVMValueRef tn_cg_stack(tn_cg *cg, LLVMTypeRef type, uint64_t n, unsigned align, const char *name);

/* ---- call.c ---- */
LLVMValueRef tn_cg_intrin(tn_cg *cg, const tn_node *n);

/* ---- invoke.c ---- */
typedef TN_VEC(const tn_node *) tn_cg_vars;
/// The variables that the body of a function gets: its numbers and handles, its symbolic sizes, the
/// pointers of its buffers; then cg->depth where the function is recursive.
void tn_cg_inputs(tn_cg *cg, const tn_node *func, tn_cg_vars *out);
/// Calls the body of another function of the module. The sizes that are known to agree are not
/// compared again.
LLVMValueRef tn_cg_invoke(tn_cg *cg, const tn_node *n);

/* ---- math.c ---- */
LLVMValueRef tn_cg_math(tn_cg *cg, const tn_node *n);
/// Calls row `at` of tn_math_fns, whose function it defines at the first call. args: float32 or
/// float64.
LLVMValueRef tn_cg_own_math(tn_cg *cg, uint32_t at, LLVMValueRef *args, unsigned n);
/// a * b + c rounded once, on a target without that instruction. args: three of float32 or float64.
LLVMValueRef tn_cg_own_fma(tn_cg *cg, LLVMValueRef *args);
/// nextafter of two float16 or bfloat16 given as float32, as float32.
LLVMValueRef tn_cg_own_nextafter(tn_cg *cg, tn_dtype half, LLVMValueRef *args);
/// Calls an intrinsic of LLVM's overloaded on `type` (NULL: on none).
LLVMValueRef tn_cg_llvm_intrin(tn_cg *cg, const char *name, LLVMTypeRef type, LLVMValueRef *args,
                               unsigned n);
/// Names of libm that compiled code may import.
bool tn_cg_is_libm_name(const char *name, size_t len);

/* ---- stmt.c ---- */
void tn_cg_stmt(tn_cg *cg, const tn_node *n);
/// Leaves the current function with `code` (i32), giving scratch memory back.
void tn_cg_leave(tn_cg *cg, LLVMValueRef code);
/// Goes to `target`, giving back what scratch memory the current loop holds; what follows in the
/// source is dead.
void tn_cg_leave_loop(tn_cg *cg, LLVMBasicBlockRef target);
/// Leaves when `code` is not 0.
void tn_cg_leave_if_failed(tn_cg *cg, LLVMValueRef code);
/// Calls env->fail and gives its result.
LLVMValueRef tn_cg_call_fail(tn_cg *cg, LLVMValueRef code, LLVMValueRef text, LLVMValueRef expected,
                             LLVMValueRef got);
/// Calls a function pointer stored at byte_offset in tn_env.
LLVMValueRef tn_cg_call_env(tn_cg *cg, size_t byte_offset, LLVMTypeRef type, LLVMValueRef *args,
                            unsigned n);

/* ---- loops: loop.c, parallel.c ---- */
typedef void (*tn_cg_body_fn)(tn_cg *cg, LLVMValueRef counter, void *ctx);
/// Emits a loop whose counter (i64) runs from begin to end - 1; `body` emits what is inside.
void tn_cg_count_loop(tn_cg *cg, LLVMValueRef begin, LLVMValueRef end, bool is_never_empty,
                      bool is_unrolled, tn_cg_body_fn body, void *ctx);
/// Binds a loop's variable to its value, given in 64 bits.
void tn_cg_bind_loop_var(tn_cg *cg, const tn_node *loop, LLVMValueRef wide);
void tn_cg_for(tn_cg *cg, const tn_node *loop);
void tn_cg_while(tn_cg *cg, const tn_node *loop);
void tn_cg_parallel(tn_cg *cg, const tn_node *loop);

/* ---- func.c: LLVM functions of ours ---- */
typedef struct tn_cg_sig {
  const char *func;           /* the module's function that it is a part of */
  const char *part;           /* "body"; its name is func.part */
  const tn_node *const *vars; /* become parameters */
  uint32_t n_vars;
  bool has_ret_slot;
  bool has_bounds; /* i64 begin, i64 end, i64 first: of a parallel loop */
} tn_cg_sig;
/// The internal function of that name, declared when it is met first.
LLVMValueRef tn_cg_func_declare(tn_cg *cg, const tn_cg_sig *sig);
/// Begins the internal function `int32_t func.part(env, [ret_slot], [begin, end, first], vars...)`
/// and makes it current. out_bounds: the three, when there are.
void tn_cg_func_begin(tn_cg *cg, tn_cg_func *func, const tn_cg_sig *sig, LLVMValueRef *out_bounds);
/// Ends it with result 0; `outer` becomes current again, where the builder continues at `back`.
void tn_cg_func_end(tn_cg *cg, tn_cg_func *outer, LLVMBasicBlockRef back);
/// Calls it from the current function; args after env.
LLVMValueRef tn_cg_func_call(tn_cg *cg, LLVMValueRef fn, LLVMValueRef *args, unsigned n);
/// An empty tn_cg_func over an LLVM function: entry block, maps; the builder stands behind the
/// entry block.
void tn_cg_func_init(tn_cg *cg, tn_cg_func *func, LLVMValueRef fn);
void tn_cg_func_deinit(tn_cg_func *func);

/* ---- entry.c ---- */
/// Emits the PRIM_FUNC cg->func: its body and the exported function that checks arguments.
void tn_cg_prim_func(tn_cg *cg);
/// True for a name in C; others have meanings to LLVM or the linker.
bool tn_cg_is_symbol(const char *name);
/// The declaration of an exported kernel.
LLVMValueRef tn_cg_declare_kernel(tn_cg *cg, const char *name);

/* ---- export_ffi.c ---- */
/// Adds a function __tvm_ffi_<name> for each public kernel, all of which are emitted already.
void tn_cg_export_ffi(tn_cg *cg);

/* ---- model.c ---- */
/// Adds the C functions of a model, whose kernels are emitted already and become internal.
void tn_cg_model(tn_cg *cg, const struct tn_model *model);

#endif
