/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The runtime: loads what the compiler made and runs it. Needs libc, libm and threads, no compiler.
 *
 *   tn_runtime *rt = NULL;                       // registry of functions, devices, threads
 *   tn_exec *exec = NULL;                        // a compiled module
 *   tn_vm *vm = NULL;                            // runs it
 *   tn_status st = tn_runtime_create(0, &rt);
 *   if (st == NULL) { st = tn_exec_load("model.tnx", &exec); }
 *   if (st == NULL) { st = tn_vm_create(rt, exec, NULL, 0, &vm); }
 *   tn_arg x = tn_arg_of_dl(&image), y;          // image: a DLTensor of the caller's
 *   if (st == NULL) { st = tn_vm_call(vm, "main", &x, 1, &y); }
 *   if (st == NULL) { use(tn_arg_dl(&y)); tn_arg_release(&y); }
 *
 * Ownership: what *_create, *_load, *_to_dlpack and tn_vm_call hand out belongs to the caller.
 * Objects are counted (`_retain`, `_release`; NULL is fine for both), and counts are safe in any
 * thread. Output arguments come last and are untouched when a status is returned. Kinds of values
 * below 64 are plain (abi/kernel.h), from 64 on counted objects. */
#ifndef TN_TENON_RUNTIME_H
#define TN_TENON_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/abi/dlpack.h"
#include "tenon/abi/kernel.h"
#include "tenon/dtype.h"
#include "tenon/export.h"
#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_runtime tn_runtime;
typedef struct tn_registry tn_registry;
typedef struct tn_pool tn_pool;
typedef struct tn_tensor tn_tensor;
typedef struct tn_storage tn_storage;
typedef struct tn_shape tn_shape;
typedef struct tn_tuple tn_tuple;
typedef struct tn_string tn_string;
typedef struct tn_func tn_func;
typedef struct tn_exec tn_exec;
typedef struct tn_vm tn_vm;

/* ---- the context ---- */

/// Makes a context with an empty registry, the devices "cpu" and
/// "loopback", and a pool. n_threads: threads of parallel loops, the caller's included; 0: as many
/// as the process may use (affinity and the control group's limit). Threads start with the first
/// parallel loop. Errors: INVALID, NO_MEMORY.
TN_API tn_status tn_runtime_create(int32_t n_threads, tn_runtime **out_rt);
TN_API void tn_runtime_retain(tn_runtime *rt);
TN_API void tn_runtime_release(tn_runtime *rt);
/// Borrowed from the context.
TN_API tn_registry *tn_runtime_registry(tn_runtime *rt);
/// Borrowed from the context.
TN_API tn_pool *tn_runtime_pool(tn_runtime *rt);

/* ---- devices ---- */

/// A device: a row in the context's table. `ctx` is what was given to tn_runtime_add_device. Every
/// function may be called by any thread. Pointers of a device need not be addresses of this
/// process; offsets added to them are bytes.
typedef struct tn_device_ops {
  const char *name;    ///< "cpu"; static storage
  int32_t device_type; ///< a DLPack device type
  int32_t n_devices;   ///< device_id is in [0, n_devices)
  /// n_bytes may be 0. align: a power of two.
  tn_status (*alloc)(void *ctx, int32_t device_id, size_t n_bytes, size_t align, void **out_ptr);
  void (*free)(void *ctx, int32_t device_id, void *ptr);
  /// Copies n_bytes; one side is this device, the other this device or the cpu.
  tn_status (*copy)(void *ctx, void *dst, DLDevice dst_dev, const void *src, DLDevice src_dev,
                    size_t n_bytes);
  /// Waits for all work of the device; NULL: there is never any outstanding.
  tn_status (*sync)(void *ctx, int32_t device_id);
  /// Runs a kernel compiled for this device; NULL: the device runs none.
  int32_t (*launch)(void *ctx, int32_t device_id, tn_kernel_fn kernel, const tn_env *env,
                    const tn_arg *args, int32_t n_args);
  void (*free_ctx)(void *ctx); ///< called when the context ends; may be NULL
} tn_device_ops;

/// Adds a row (copied; the strings are not). Errors: EXISTS for a device type that has one; INVALID
/// when a function that is not optional is missing; NO_MEMORY when the table (16 rows) is full. On
/// failure `ctx` stays the caller's.
TN_API tn_status tn_runtime_add_device(tn_runtime *rt, const tn_device_ops *ops, void *ctx);
/// Reads "cpu", "loopback" or "name:id". Errors: NOT_FOUND naming the devices there are.
TN_API tn_status tn_runtime_find_device(tn_runtime *rt, const char *text, DLDevice *out_device);
/// Waits for all work of `device`. Errors: NOT_FOUND, and the device's own.
TN_API tn_status tn_runtime_sync(tn_runtime *rt, DLDevice device);

/* ---- tensors ---- */

/// Uninitialised memory on `device`, compact and row-major, aligned to 64 bytes. rt: may be NULL
/// for the cpu, otherwise kept alive by the tensor. shape: `ndim` extents in elements, copied.
/// Errors: INVALID for a negative extent, a rank outside [0, 16] or an unknown type; NO_MEMORY,
/// also when the size overflows; NOT_FOUND for an unknown device.
TN_API tn_status tn_tensor_empty(tn_runtime *rt, DLDevice device, tn_dtype dtype, int32_t ndim,
                                 const int64_t *shape, tn_tensor **out_tensor);
/// The same on the cpu, filled from `data` (compact, row-major; borrowed for the call); NULL:
/// zeros.
TN_API tn_status tn_tensor_create(tn_dtype dtype, int32_t ndim, const int64_t *shape,
                                  const void *data, tn_tensor **out_tensor);
/// A view of memory that the caller keeps alive and unmoved as long as the tensor and all its views
/// live. Errors: INVALID (negative extents, NULL data of a tensor with elements, rank, sizes that
/// overflow), UNSUPPORTED for types narrower than a byte.
TN_API tn_status tn_tensor_from_dl(const DLTensor *dl, tn_tensor **out_tensor);
/// Takes a tensor of another library without copying. On success it belongs to the new tensor, and
/// its deleter is called once, when the last view of it is released; on failure it stays the
/// caller's. Errors as above.
TN_API tn_status tn_tensor_from_dlpack(DLManagedTensor *managed, tn_tensor **out_tensor);
/// The same for the versioned form; UNSUPPORTED for another major version. The read-only flag is
/// kept.
TN_API tn_status tn_tensor_from_dlpack_versioned(DLManagedTensorVersioned *managed,
                                                 tn_tensor **out_tensor);
/// Shares the tensor with another library without copying; the receiver calls the deleter once.
/// UNSUPPORTED for a read-only tensor, which this form cannot express.
TN_API tn_status tn_tensor_to_dlpack(tn_tensor *tensor, DLManagedTensor **out_managed);
TN_API tn_status tn_tensor_to_dlpack_versioned(tn_tensor *tensor,
                                               DLManagedTensorVersioned **out_managed);
/// Another look at the same memory. strides: in elements, may be 0 or negative; NULL: compact.
/// byte_offset: from the tensor's first element, may be negative where the tensor itself reaches
/// back. Errors: INVALID when the view would leave the bytes that `tensor` spans.
TN_API tn_status tn_tensor_view(tn_tensor *tensor, tn_dtype dtype, int32_t ndim,
                                const int64_t *shape, const int64_t *strides, int64_t byte_offset,
                                tn_tensor **out_view);
/// Copies all elements; the two may lie on different devices and have any strides. Errors: INVALID
/// when type or shape differ or `dst` is read-only; UNSUPPORTED between two devices of which none
/// is the cpu.
TN_API tn_status tn_tensor_copy_to(tn_tensor *src, tn_tensor *dst);
/// A compact copy on `device`. rt as in tn_tensor_empty.
TN_API tn_status tn_tensor_copy(tn_runtime *rt, tn_tensor *src, DLDevice device,
                                tn_tensor **out_tensor);
/// Type, shape, strides (NULL: compact), data; borrowed from the tensor.
TN_API const DLTensor *tn_tensor_dl(const tn_tensor *tensor);
/// The element type of a DLTensor, packed.
TN_API tn_dtype tn_dl_dtype(const DLTensor *dl);
/// Product of the extents of a tensor that exists.
TN_API int64_t tn_dl_n_elems(const DLTensor *dl);
/// The address of the first element. On a device other than the cpu it must not be followed.
TN_API void *tn_tensor_data(const tn_tensor *tensor);
/// Element `i` of a compact tensor on the cpu, whatever its type, as a double; each lane of a
/// vector counts as an element. Handy for printing; not fast.
TN_API double tn_tensor_get_f64(const tn_tensor *tensor, int64_t i);
/// True for constants of a loaded module and for imported tensors that said so.
TN_API bool tn_tensor_is_read_only(const tn_tensor *tensor);
TN_API void tn_tensor_retain(tn_tensor *tensor);
TN_API void tn_tensor_release(tn_tensor *tensor);

/* ---- values ---- */

/// Kinds of tn_arg that are counted objects; u.ptr points to one.
enum {
  TN_ARG_TENSOR_OBJ = 64, ///< tn_tensor
  TN_ARG_SHAPE = 65,      ///< tn_shape
  TN_ARG_TUPLE = 66,      ///< tn_tuple
  TN_ARG_STORAGE = 67,    ///< tn_storage: memory of the virtual machine
  TN_ARG_FUNC = 68,       ///< tn_func
  TN_ARG_STR_OBJ = 69     ///< tn_string
};

/// Plain values, and values that borrow the object given.
TN_API tn_arg tn_arg_none(void);
TN_API tn_arg tn_arg_of_int(int64_t value);
TN_API tn_arg tn_arg_of_float(double value);
TN_API tn_arg tn_arg_of_text(const char *text);
TN_API tn_arg tn_arg_of_dl(const DLTensor *tensor);
TN_API tn_arg tn_arg_of_tensor(tn_tensor *tensor);
TN_API tn_arg tn_arg_of_shape(tn_shape *shape);
TN_API tn_arg tn_arg_of_tuple(tn_tuple *tuple);
TN_API tn_arg tn_arg_of_func(tn_func *func);
TN_API tn_arg tn_arg_of_string(tn_string *str);
/// Counts an object value up; nothing for a plain one.
TN_API void tn_arg_retain(const tn_arg *arg);
/// Counts an object value down and makes it NONE.
TN_API void tn_arg_release(tn_arg *arg);
/// What the value is, NULL when it is something else. All borrow from the value.
TN_API const DLTensor *tn_arg_dl(const tn_arg *arg); ///< both kinds of tensor
TN_API tn_tensor *tn_arg_tensor(const tn_arg *arg);
TN_API tn_shape *tn_arg_shape(const tn_arg *arg);
TN_API tn_tuple *tn_arg_tuple(const tn_arg *arg);
TN_API tn_func *tn_arg_func(const tn_arg *arg);
TN_API const char *tn_arg_text(const tn_arg *arg); ///< both kinds of text
/// "int", "tensor", "tuple" ...; static storage.
TN_API const char *tn_arg_kind_name(int32_t kind);

/// ndim extents, copied. Errors: INVALID for ndim < 0; NO_MEMORY.
TN_API tn_status tn_shape_create(int32_t ndim, const int64_t *dims, tn_shape **out_shape);
TN_API int32_t tn_shape_ndim(const tn_shape *shape);
TN_API const int64_t *tn_shape_dims(const tn_shape *shape);
TN_API void tn_shape_release(tn_shape *shape);
/// Retains the items. Errors: INVALID for n < 0 or an item that only borrows memory (texts and
/// plain tensors become objects first); NO_MEMORY.
TN_API tn_status tn_tuple_create(int32_t n, const tn_arg *items, tn_tuple **out_tuple);
TN_API int32_t tn_tuple_size(const tn_tuple *tuple);
/// Borrowed; NULL outside [0, size).
TN_API const tn_arg *tn_tuple_at(const tn_tuple *tuple, int32_t i);
TN_API void tn_tuple_release(tn_tuple *tuple);
TN_API tn_status tn_string_create(const char *text, tn_string **out_str);
TN_API const char *tn_string_text(const tn_string *str);
TN_API void tn_string_release(tn_string *str);

/* ---- functions and the registry ---- */

/// A function of the host. args are borrowed for the call; to keep an object, retain it. *out_ret
/// is NONE at entry; what is stored there becomes the caller's (retain what is borrowed). Every
/// tensor argument can be had with tn_arg_dl.
typedef tn_status (*tn_callback)(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret);

/// free_ctx (may be NULL) is called with `ctx` when the function ends. On failure `ctx` stays the
/// caller's.
TN_API tn_status tn_func_create(tn_callback callback, void *ctx, void (*free_ctx)(void *ctx),
                                tn_func **out_func);
/// out_ret: may be NULL, which drops the result; otherwise owned by the caller.
TN_API tn_status tn_func_call(tn_func *func, const tn_arg *args, int32_t n_args, tn_arg *out_ret);
TN_API void tn_func_retain(tn_func *func);
TN_API void tn_func_release(tn_func *func);

/// Registers a callback under `name` (copied). EXISTS when the name is taken and `override` is
/// false.
TN_API tn_status tn_registry_add(tn_registry *registry, const char *name, tn_callback callback,
                                 void *ctx, void (*free_ctx)(void *ctx), bool override);
/// The same for a function value, which is retained.
TN_API tn_status tn_registry_add_func(tn_registry *registry, const char *name, tn_func *func,
                                      bool override);
/// NOT_FOUND, naming `name`. The function is retained for the caller.
TN_API tn_status tn_registry_find(tn_registry *registry, const char *name, tn_func **out_func);
/// NOT_FOUND when there is none. Calls in flight finish.
TN_API tn_status tn_registry_remove(tn_registry *registry, const char *name);
/// Calls `visit` for each name in the order of registration. The registry must not be changed from
/// `visit`.
TN_API void tn_registry_list(tn_registry *registry, void (*visit)(void *ctx, const char *name),
                             void *ctx);

/* ---- threads ---- */

/// A piece [begin, end) of a loop. A value other than 0 is an error: the first one is the loop's
/// result.
typedef int32_t (*tn_pool_body)(void *ctx, int64_t begin, int64_t end);

/// n_threads as in tn_runtime_create.
TN_API tn_status tn_pool_create(int32_t n_threads, tn_pool **out_pool);
/// Waits for the threads to end; NULL is fine.
TN_API void tn_pool_free(tn_pool *pool);
TN_API int32_t tn_pool_n_threads(const tn_pool *pool);
/// Runs body over [0, n) in at most n_threads contiguous pieces of nearly equal size and returns
/// when all are done. While the pool is at work, other loops (nested ones and those of other
/// threads) run in their caller alone.
TN_API int32_t tn_pool_for(tn_pool *pool, tn_pool_body body, void *ctx, int64_t n);

/* ---- kernels ---- */

/// Calls one compiled kernel with the services of `rt` behind its tn_env, and turns a refusal into
/// a message: "B.shape[0] of argument 1 when calling add(A: ..., B: ...): expected 4, got 5".
/// signature: for that message, such as "add(A: Tensor((4,), float32))". Tensor objects among args
/// are passed as tensors; other objects are INVALID, and so is a tensor of a device that does not
/// run kernels.
TN_API tn_status tn_kernel_call(tn_runtime *rt, tn_kernel_fn kernel, const char *signature,
                                const tn_arg *args, int32_t n_args);

/* ---- executables ---- */

/// Loads a compiled module, a .tnx or a .so (told apart by content). Everything but native code is
/// checked first. Constants are mapped, never copied. Errors: NOT_FOUND, IO; CORRUPT for a damaged
/// file; UNSUPPORTED for another version, architecture or for CPU features that this machine lacks,
/// named.
TN_API tn_status tn_exec_load(const char *path, tn_exec **out_exec);
/// The same for an image in memory. bytes: must stay and must not change until free_ctx(ctx) is
/// called (copied first when not aligned to 64 bytes); the exec owns `ctx` on success. find_kernel:
/// gives the address of a kernel by name, NULL when there is none; may itself be NULL when the
/// image brings its kernels or has none.
TN_API tn_status tn_exec_from_memory(const void *bytes, size_t n_bytes,
                                     tn_kernel_fn (*find_kernel)(void *ctx, const char *name),
                                     void *ctx, void (*free_ctx)(void *ctx), tn_exec **out_exec);
TN_API void tn_exec_retain(tn_exec *exec);
TN_API void tn_exec_release(tn_exec *exec);

/// A parameter or result as the module declares it.
typedef struct tn_param_info {
  bool is_output;      ///< a tensor that a kernel or loop function writes
  const char *name;    ///< of a result: what the model calls its parts, one a line, or ""
  const char *text;    ///< the type as written: R.Tensor(("n", 4), dtype="float32")
  int32_t kind;        ///< tn_exec_type_kind of abi/exec.h
  tn_dtype dtype;      ///< TN_DT_NONE: unknown
  int32_t ndim;        ///< -1: unknown
  const int64_t *dims; ///< ndim extents; negative: not fixed
  bool is_read;        ///< a tensor that a kernel or loop function reads, before or after it writes
} tn_param_info;

/// The functions that may be called from outside, in the order of the module: graph functions, and
/// kernels, which write into their arguments and return nothing.
TN_API int32_t tn_exec_n_functions(const tn_exec *exec);
/// "" outside [0, n).
TN_API const char *tn_exec_function_name(const tn_exec *exec, int32_t i);
/// The signature as text, for people.
TN_API const char *tn_exec_function_doc(const tn_exec *exec, int32_t i);
/// -1 outside [0, n).
TN_API int32_t tn_exec_n_params(const tn_exec *exec, int32_t i);
/// Parameter j of function i; j == n_params: the result (a kernel has one only when it returns a
/// number). INVALID outside. The strings belong to the exec.
TN_API tn_status tn_exec_param(const tn_exec *exec, int32_t i, int32_t j, tn_param_info *out_info);
/// The index of a function, or -1.
TN_API int32_t tn_exec_find_function(const tn_exec *exec, const char *name);
/// Bytes of the tensors that the module brings: its weights.
TN_API int64_t tn_exec_constant_bytes(const tn_exec *exec);
/// The whole module as text: functions with their instructions, constants. malloc'ed; free with
/// free().
TN_API tn_status tn_exec_print(const tn_exec *exec, char **out_text);

/* ---- the virtual machine ---- */

/// Makes a machine that runs `exec`. devices: the device list that the module's allocations index;
/// NULL: the cpu alone. Retains rt and exec. Errors: NOT_FOUND for an unknown device, NO_MEMORY.
TN_API tn_status tn_vm_create(tn_runtime *rt, tn_exec *exec, const DLDevice *devices,
                              int32_t n_devices, tn_vm **out_vm);
TN_API void tn_vm_retain(tn_vm *vm);
TN_API void tn_vm_release(tn_vm *vm);
/// Calls a public function by name. A kernel writes into its tensor arguments, and its result is
/// NONE. Arguments are checked against the declared types first, with a message that names
/// argument, expected type and what came. Plain tensors are viewed, not copied: their memory must
/// outlive a result that shares it. out_ret: may be NULL; owned by the caller. One call runs at a
/// time (others wait); recursion deeper than 1,000 calls is an error. Code and shapes that repeat
/// allocate nothing after the first call but what is returned.
TN_API tn_status tn_vm_call(tn_vm *vm, const char *func, const tn_arg *args, int32_t n_args,
                            tn_arg *out_ret);
/// A public function as a value; it keeps the machine alive. NOT_FOUND.
TN_API tn_status tn_vm_function(tn_vm *vm, const char *func, tn_func **out_func);

/// Where a machine's time goes: calls of one of its kernels by functions of the machine.
typedef struct tn_kernel_time {
  const char *name;
  const char *signature; ///< with parameters where the module tells them
  int64_t n_calls;
  int64_t ns;
} tn_kernel_time;

/// From now on the machine takes the time of each such call, from 0 on. NO_MEMORY.
TN_API tn_status tn_vm_profile(tn_vm *vm);
/// The time of the i-th kernel, in the module's order; the texts belong to its exec. Returns 0 when
/// there are no more, or nothing was measured.
TN_API int32_t tn_vm_kernel_time(const tn_vm *vm, int32_t i, tn_kernel_time *out_time);

#ifdef __cplusplus
}
#endif
#endif
