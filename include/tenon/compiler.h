/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The compiler: reads TVMScript, runs passes, interprets, makes executables. Link with libtenon,
 * which contains the runtime too (tenon/runtime.h).
 *
 *   tn_program *program = NULL;
 *   tn_exec *exec = NULL;
 *   tn_status st = tn_program_load("model.py", &program);
 *   if (st == NULL) { st = tn_program_bind(program, "main", "w0", weights); }
 *   if (st == NULL) { st = tn_program_compile(program, NULL, &exec); }      // then tn_vm_create
 *   if (st == NULL) { st = tn_program_write(program, NULL, "model.tnx"); }  // or .so .o .s .ll
 *
 * A program is used by one thread at a time. Outputs come last and are untouched when a status is
 * returned. */
#ifndef TN_TENON_COMPILER_H
#define TN_TENON_COMPILER_H

#include "tenon/report.h"
#include "tenon/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Functions of both levels, as read or built; owned by the caller.
typedef struct tn_program tn_program;

/// The version of the library, "0.1.0"; static storage.
TN_API const char *tn_version(void);
/// The one of `n` names that `name` was probably meant to be, for messages; NULL when none is near.
TN_API const char *tn_name_suggest(const char *name, const char *const *names, int32_t n);

/* ---- reading and printing ---- */

/// The spellings of TVMScript, by the year in which they were current. They differ in names, and
/// 2026 also in what `x = e` and T.alloc_buffer mean.
typedef enum tn_dialect {
  TN_DIALECT_AUTO, ///< as the text says by its imports and words; else that of 2023
  TN_DIALECT_2022, ///< T.Buffer[...], bare Tensor(...)
  TN_DIALECT_2023, ///< T.Buffer(...), T.block, out_sinfo=: what is printed
  TN_DIALECT_2026  ///< T.sblock, T.let, out_ty=
} tn_dialect;

/// How a text is read. Zero-initialise and set what differs; NULL stands for all zero.
typedef struct tn_read_opts {
  tn_dialect dialect;
  /// Values of names that the text leaves to a Python program around it, each "NAME=VALUE": a
  /// number, True, False, or a text. Borrowed for the call.
  const char *const *defines;
  int32_t n_defines;
  /// [n_defines], borrowed, may be NULL: set true where the text asked for the value; one that it did
  /// not ask for is then no error.
  bool *are_used;
  /// Shapes of an ONNX model's inputs, each "NAME=1,3,224,224"; a number below 0 leaves that extent as
  /// the model has it. Borrowed for the call.
  const char *const *shapes;
  int32_t n_shapes;
  /// Values for an ONNX model's inputs (those without initial value), in order; NULL: none for that
  /// one. One is looked at only where a type depends on it (axes, pads, scales of a resize) and the
  /// model does not tell: that input then has this value for good and is no parameter of "main".
  /// Borrowed for the call.
  tn_tensor *const *values;
  int32_t n_values;
  bool *are_taken; ///< [n_values], set true where one was looked at; may be NULL
} tn_read_opts;

/// Reads TVMScript and verifies it. file_name: for messages. Errors: INVALID; the message holds up
/// to ten diagnostics, each `file:line:col: error: ...` with the source line, a caret and a hint,
/// one after another.
TN_API tn_status tn_program_parse(const char *text, size_t len, const char *file_name,
                                  tn_program **out_program);
/// The same from a file; constants written as metadata[...] come from the .npz of the same name
/// beside it. An ONNX model (its name ends in .onnx, or it begins as one) becomes the graph function
/// "main"; operators that are missing are UNSUPPORTED, all of them in one list.
TN_API tn_status tn_program_load(const char *path, tn_program **out_program);
/// Both, read as `opts` say.
TN_API tn_status tn_program_parse_as(const char *text, size_t len, const char *file_name,
                                     const tn_read_opts *opts, tn_program **out_program);
TN_API tn_status tn_program_load_as(const char *path, const tn_read_opts *opts,
                                    tn_program **out_program);
/// The operators of an ONNX model's graph, each once, sorted, separated by spaces; malloc'ed, free
/// with free().
TN_API tn_status tn_onnx_operators(const char *path, char **out_names);
TN_API void tn_program_free(tn_program *program);
/// The canonical text, which reads back to an equal program; malloc'ed, free with free(). Constants
/// too large to stand in the text print as metadata["relax.expr.Constant"][i]; tn_program_save
/// writes them too.
TN_API tn_status tn_program_print(const tn_program *program, char **out_text);
/// Writes the canonical text to `path` and its large constants to the .npz of the same name.
TN_API tn_status tn_program_save(const tn_program *program, const char *path);
/// True when both are equal up to the names of what is bound inside. out_where (may be NULL):
/// malloc'ed text of the first difference.
TN_API bool tn_program_equal(const tn_program *a, const tn_program *b, char **out_where);

/// What a function of the program is called with.
typedef struct tn_function_info {
  const char *name;
  bool is_graph; ///< a graph function; otherwise a loop function, which writes into its arguments
  bool is_public;
  int32_t n_params;
} tn_function_info;

TN_API int32_t tn_program_n_functions(const tn_program *program);
/// INVALID outside [0, n). Strings belong to the program and live until it changes.
TN_API tn_status tn_program_function(const tn_program *program, int32_t i,
                                     tn_function_info *out_info);
/// Parameter j of function i; j == n_params: the result of a graph function.
TN_API tn_status tn_program_param(const tn_program *program, int32_t i, int32_t j,
                                  tn_param_info *out_info);

/* ---- changing ---- */

/// Makes parameter `param` of graph function `func` a constant with the value of `tensor` (copied).
/// Errors: NOT_FOUND with a near name; INVALID when type or shape disagree, both named, and for a
/// NaN among the values, with its place.
TN_API tn_status tn_program_bind(tn_program *program, const char *func, const char *param,
                                 tn_tensor *tensor);

/// How to compile. Zero-initialise and set what differs; NULL stands for TN_COMPILE_DEFAULTS
/// everywhere.
typedef struct tn_compile_opts {
  const char *target;    ///< "host" when NULL; see tn_target_name
  int32_t opt_level;     ///< 0..3
  bool is_strict_math;   ///< level 0's arithmetic at any level: no contraction, source order
  bool does_verify_each; ///< verify after every pass
  bool exports_tvm_ffi;  ///< a .so: each public loop function also as __tvm_ffi_<name>
  /// Called after every pass; `now` is the program then, borrowed for the call; may be NULL.
  void (*after_pass)(void *ctx, int32_t index, const char *pass, bool is_changed, int64_t ns,
                     const tn_program *now);
  void *ctx;
  const char *func;            ///< only this function and what it calls; NULL: all
  const char *disabled_passes; ///< of the default ones, separated by commas; NULL: none
} tn_compile_opts;
#define TN_COMPILE_DEFAULTS \
  { NULL, 2, false, false, false, NULL, NULL, NULL, NULL }

/// Runs passes by name, separated by commas, in this order. Errors: NOT_FOUND with a near name;
/// what a pass refuses.
TN_API tn_status tn_program_run_passes(tn_program *program, const char *passes,
                                       const tn_compile_opts *opts);

/// A pass that can be run by name.
typedef struct tn_pass_info {
  const char *name;
  const char *level; ///< "graph", "tir" or "module"
  const char *doc;
} tn_pass_info;
TN_API int32_t tn_n_passes(void);
/// INVALID outside [0, n).
TN_API tn_status tn_pass_describe(int32_t i, tn_pass_info *out_info);
/// The passes that tn_program_compile runs at level 2, in order, separated by commas; static storage.
TN_API const char *tn_default_passes(void);
/// An operator of the graph level: R.NAME(a, b, field=...).
typedef struct tn_operator_info {
  const char *name; ///< "add", "nn.relu"
  const char *doc;
  int32_t n_args;   ///< tensors, given by position
  int32_t n_fields; ///< what else it takes, by name or after the tensors
} tn_operator_info;
typedef struct tn_operator_field {
  const char *name;
  const char *default_text; ///< as a program writes it; NULL: must be given
  const char *doc;
} tn_operator_field;
TN_API int32_t tn_n_operators(void);
/// Sorted by name. INVALID outside [0, n). Static storage.
TN_API tn_status tn_operator_describe(int32_t i, tn_operator_info *out_info);
/// Field j of operator i. INVALID outside.
TN_API tn_status tn_operator_describe_field(int32_t i, int32_t j, tn_operator_field *out_field);
/// The i-th target's name and one line about it; false outside.
TN_API bool tn_target_describe(int32_t i, const char **out_name, const char **out_doc);

/* ---- looking into ---- */

typedef struct tn_name_count {
  const char *name;
  int64_t n;
} tn_name_count;

/// What a function and all it calls are made of. Numbers below 0: not known before the run, since
/// sizes are open or depend on values.
typedef struct tn_inspection {
  const tn_param_info *outputs; ///< name: "" where the program has none
  int32_t n_outputs;
  const tn_name_count *operators; ///< of the graph level, most frequent first
  int32_t n_operators;
  int64_t n_constants;
  int64_t n_constant_elems;
  int64_t constant_bytes;
  double flops; ///< of one run as the operators are written; as of tn_flop_count
  bool is_flops_estimate;
  int64_t planned_bytes;     ///< for tensors between kernels, at optimisation level 2
  int64_t no_reuse_bytes;    ///< if each had memory of its own
  int64_t lower_bound_bytes; ///< no plan can do with less
  void *holder;
} tn_inspection;

/// Looks into function `func`. Names live as long as both program and inspection. Errors: NOT_FOUND;
/// what a pass on the way to code refuses.
TN_API tn_status tn_program_inspect(const tn_program *program, const char *func,
                                    const tn_compile_opts *opts, tn_inspection *out_inspection);
TN_API void tn_inspection_deinit(tn_inspection *inspection);

/* ---- schedules ---- */

/// How the steps of a schedule are done. Zero-initialise and set what differs; NULL stands for all
/// zero.
typedef struct tn_schedule_opts {
  uint64_t seed; ///< of the sampling steps; the script's own seed= goes before
  /// Values of the script's knobs and of names that it leaves open, each "NAME=VALUE". Borrowed for
  /// the call.
  const char *const *defines;
  int32_t n_defines;
  /// [n_defines], borrowed, may be NULL: set true where the script asked for the value; one that it
  /// did not ask for is then no error.
  bool *are_used;
  /// Called after every step that rewrites the program. step: as it is written; now: the program
  /// then, borrowed for the call. May be NULL.
  void (*after_step)(void *ctx, int32_t index, const char *step, const tn_program *now);
  void *ctx;
} tn_schedule_opts;

/// What was done: data that prints and is done again.
typedef struct tn_trace tn_trace;

/// Does the steps of a schedule script, or of a trace in JSON, on the loop functions of `program`:
/// each keeps what the program computes, or is refused. Docs: docs/schedules.md. out_trace may be
/// NULL; freed by tn_trace_free. Errors: INVALID with diagnostics for what is wrong with the script
/// and for a step that is refused, the program is then as it was; CORRUPT for broken JSON.
TN_API tn_status tn_program_schedule(tn_program *program, const char *text, size_t len,
                                     const char *file_name, const tn_schedule_opts *opts,
                                     tn_trace **out_trace);
/// The same from a file.
TN_API tn_status tn_program_schedule_file(tn_program *program, const char *path,
                                          const tn_schedule_opts *opts, tn_trace **out_trace);
/// Proves, by a checker that knows nothing of schedules, that each loop function of `before` and its
/// namesake of `after` leave the same values in their arguments (floating-point sums in any order).
/// *out_report: a line for each function; malloc'ed, free with free(). Errors: UNSUPPORTED for the
/// first function of which that could not be decided, saying what stood in the way; NOT_FOUND.
TN_API tn_status tn_program_certify(const tn_program *before, const tn_program *after,
                                    char **out_report);
TN_API void tn_trace_free(tn_trace *trace);
/// The trace as a script, and as JSON in TVM's form; they belong to the trace.
TN_API const char *tn_trace_script(const tn_trace *trace);
TN_API const char *tn_trace_json(const tn_trace *trace);
TN_API int32_t tn_trace_n_steps(const tn_trace *trace);

/// A number (or text) of a script that its caller may choose: ty = knob("ty", [8, 16, 32]).
typedef struct tn_knob_info {
  const char *name;
  const char *value;          ///< as it was in this run
  const char *const *choices; ///< what it may be, as the script writes them
  int32_t n_choices;
} tn_knob_info;
TN_API int32_t tn_trace_n_knobs(const tn_trace *trace);
/// INVALID outside [0, n). Strings belong to the trace.
TN_API tn_status tn_trace_knob(const tn_trace *trace, int32_t i, tn_knob_info *out_info);

/// A step that a schedule can take.
typedef struct tn_primitive_info {
  const char *name;
  const char *params; ///< as Python would have them
  const char *result; ///< "" for none
  const char *doc;
  bool is_step; ///< rewrites the program; the others look or choose
} tn_primitive_info;
TN_API int32_t tn_n_primitives(void);
/// INVALID outside [0, n). Static storage.
TN_API tn_status tn_primitive_describe(int32_t i, tn_primitive_info *out_info);

/* ---- running and writing ---- */

/// Compiles in memory. The program is not changed.
TN_API tn_status tn_program_compile(const tn_program *program, const tn_compile_opts *opts,
                                    tn_exec **out_exec);
/// An ONNX model loaded and compiled in one call, as by tn_program_load_as and tn_program_compile, or
/// taken from what an earlier call, of any process, made of the same bytes in the same way and left
/// on disk: in $TENON_CACHE_DIR (empty: nothing is kept), else in tenon/models of $XDG_CACHE_HOME or
/// ~/.cache, at most $TENON_CACHE_BYTES (4 GiB), the models used last. Other programs are
/// compiled at each call; of a model from disk compile->after_pass hears nothing. read, compile: may
/// be NULL.
TN_API tn_status tn_exec_compile(const char *path, const tn_read_opts *read,
                                 const tn_compile_opts *compile, tn_exec **out_exec);
/// Compiles to a file; the kind is the name's ending: .tnx (executable), .so (the same as a
/// library), .o, .s, .ll (loop functions only), .py (the program as it stands). Errors: INVALID for
/// another ending; NOT_FOUND when a .tnx or .so needs a linker and neither cc nor ld.lld is there;
/// IO. The file appears whole or not at all.
TN_API tn_status tn_program_write(const tn_program *program, const tn_compile_opts *opts,
                                  const char *path);
/// Compiles the public graph functions to a library of plain C functions (path: ends in .so) and
/// writes the header that declares and documents them: typed, without a registry, without memory
/// allocated in a call, and linked to libc, libm and threads alone. Errors: as tn_program_write;
/// UNSUPPORTED for what needs the virtual machine (branches, loops, shapes that depend on values).
TN_API tn_status tn_program_write_c(const tn_program *program, const tn_compile_opts *opts,
                                    const char *path, const char *header_path);
/// Compiles and tells what became of the loops in machine code (tenon/report.h). out_report: deinit
/// with tn_code_report_deinit.
TN_API tn_status tn_program_report(const tn_program *program, const tn_compile_opts *opts,
                                   tn_code_report *out_report);
TN_API void tn_code_report_deinit(tn_code_report *report);
/// How to interpret. Zero-initialise and set what differs; NULL stands for all zero.
typedef struct tn_interpret_opts {
  /// Looks for what compiled code may do otherwise or die of: accesses outside buffers and outside
  /// what blocks declare, elements read before they are written, turns of parallel loops that meet,
  /// divisions by zero. Each is a diagnostic; up to ten of a run come back as an INVALID status.
  bool is_checked;
  /// One for each argument: true where its tensor is only room for a result. NULL: none is.
  const bool *are_room;
} tn_interpret_opts;

/// Runs `func` with the reference interpreters of both levels: slow, sequential, exact,
/// bounds-checked. Library functions come from the registry of `rt`. A loop function writes into
/// its tensor arguments (cpu, compact) and out_ret stays NONE unless it returns a scalar. opts: may
/// be NULL.
TN_API tn_status tn_program_interpret(const tn_program *program, tn_runtime *rt, const char *func,
                                      const tn_arg *args, int32_t n_args,
                                      const tn_interpret_opts *opts, tn_arg *out_ret);

/// What a call of a loop function computes in floating point.
typedef struct tn_flop_count {
  double flops;     ///< + - * / min max: one; a fused multiply-add: two; exp and such: one
  tn_dtype dtype;   ///< the scalar type of most of them; TN_DT_NONE when there are none
  bool is_estimate; ///< the text has conditions or predicates that were not followed point by point
} tn_flop_count;

/// Counts in the text of loop function `func`, with the sizes that `args` have. Errors: NOT_FOUND;
/// UNSUPPORTED for a graph function and where the count depends on values, saying on which.
TN_API tn_status tn_program_count_flops(const tn_program *program, const char *func,
                                        const tn_arg *args, int32_t n_args,
                                        tn_flop_count *out_count);

/* ---- arrays in files ---- */

/// Reads a tensor from .npy, .npz ("weights.npz:w0"), idx or gzipped idx, told apart by content, or
/// from .pb, an ONNX TensorProto.
/// Errors name the file.
TN_API tn_status tn_tensor_load(const char *path, tn_tensor **out_tensor);
/// Reads a .pb of the ONNX backend tests for input (output) `index` of a model, whose type says what
/// is in it: a tensor, a sequence of tensors as a tuple, or for an optional without value nothing.
/// The caller releases the value.
TN_API tn_status tn_onnx_value_load(const char *model, bool is_output, int32_t index,
                                    const char *path, tn_arg *out_value);
/// Writes a compact tensor of the cpu in the form that the name's ending says: .npy, .idx or
/// .idx.gz. The file appears whole or not at all.
TN_API tn_status tn_tensor_save(tn_tensor *tensor, const char *path);
/// Writes `n` compact tensors of the cpu as members `names` of one .npz.
TN_API tn_status tn_tensors_save(const char *path, int32_t n, const char *const *names,
                                 tn_tensor *const *tensors);
/// Fills with reproducible values: floats uniform in [-1, 1), integers small, booleans 0 or 1.
TN_API tn_status tn_tensor_fill_random(tn_tensor *tensor, uint64_t seed);
/// The same, but floats are whole numbers from -4 to 4: sums of products of them are exact, in
/// whatever order.
TN_API tn_status tn_tensor_fill_small(tn_tensor *tensor, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
