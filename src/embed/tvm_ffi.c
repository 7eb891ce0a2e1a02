/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The other side of `--export=tvm-ffi`: this file is compiled with the project, carried as bytes in
 * libtenon and linked into every library that exports __tvm_ffi_* functions. Each of those is one
 * call of tn_embed_ffi_call: values in, kernel, value or raised error out. Needs libc; what it asks
 * of the loading process it finds by weak names, since a host may lack any of them.
 *
 * Scratch memory is malloc's. A parallel loop runs on the threads of a TVM host when it offers
 * them, else in order. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/kernel.h"
#include "abi/tvm_ffi.h"
#include "embed/tvm_ffi.h"

#define WEAK __attribute__((weak, visibility("default")))

/* ---- what the host offers ---- */

typedef struct host_group {
  void *sync;
  int32_t n_tasks;
} host_group;

WEAK void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);
WEAK int TVMFFIFunctionGetGlobal(const tn_ffi_bytes *name, void **out_function);
WEAK int TVMFFIFunctionCall(void *function, tn_ffi_any *args, int32_t n, tn_ffi_any *result);
WEAK int TVMFFIObjectDecRef(void *object);
WEAK int TVMBackendParallelLaunch(int (*task)(int id, host_group *group, void *ctx), void *ctx,
                                  int n_tasks);

/* One call of a kernel; env.host points here. */
typedef struct call {
  tn_env env;
  tn_env serial; /* inside a parallel loop */
  const char *signature;
  atomic_int is_claimed; /* the first error wins */
  int32_t code;
  const char *text;
  int64_t expected;
  int64_t got;
  int is_raised; /* by a function that the kernel called: its error stands */
} call;

static call *call_of(const tn_env *env) { return env->host; }

/* ---- services ---- */

static void *workspace_alloc(const tn_env *env, int64_t n_bytes) {
  enum { ALIGN = 64 };
  (void)env;
  if (n_bytes < 0 || (uint64_t)n_bytes > SIZE_MAX - ALIGN) {
    return NULL;
  }
  return aligned_alloc(ALIGN, ((size_t)n_bytes + ALIGN - 1) / ALIGN * ALIGN);
}

static void workspace_free(const tn_env *env, void *ptr) {
  (void)env;
  free(ptr);
}

static int32_t fail(const tn_env *env, int32_t code, const char *text, int64_t expected,
                    int64_t got) {
  call *c = call_of(env);
  if (atomic_exchange(&c->is_claimed, 1) == 0) {
    c->code = code;
    c->text = text;
    c->expected = expected;
    c->got = got;
  }
  return code;
}

static int32_t serial_for(const tn_env *env, tn_par_body body, void *closure, int64_t n) {
  return n <= 0 ? 0 : body(env, 0, n, closure);
}

typedef struct loop {
  const call *call;
  tn_par_body body;
  void *closure;
  int64_t n;
  atomic_int code; /* the first that is not 0 */
} loop;

static int run_task(int id, host_group *group, void *ctx) {
  loop *l = ctx;
  int64_t n_tasks = group->n_tasks > 0 ? group->n_tasks : 1;
  int64_t size = l->n / n_tasks + (l->n % n_tasks != 0);
  int64_t begin = size * id;
  int64_t end = l->n - begin < size ? l->n : begin + size;
  int32_t code =
      begin < end ? l->body(&l->call->serial, begin, end, l->closure) : (int32_t)TN_KERR_NONE;
  int none = TN_KERR_NONE;
  if (code != TN_KERR_NONE) {
    atomic_compare_exchange_strong(&l->code, &none, code);
  }
  return 0;
}

static int32_t parallel_for(const tn_env *env, tn_par_body body, void *closure, int64_t n) {
  call *c = call_of(env);
  if (n <= 1 || TVMBackendParallelLaunch == NULL) {
    return serial_for(&c->serial, body, closure, n);
  }
  loop l = {.call = c, .body = body, .closure = closure, .n = n};
  if (TVMBackendParallelLaunch(run_task, &l, 0) != 0) {
    return fail(env, TN_KERR_PACKED, "the host's parallel loop", 0, 0);
  }
  return atomic_load(&l.code);
}

/* ---- calls by name ---- */

enum { MAX_PACKED_ARGS = 32 };

/* A number, a pointer, a borrowed tensor or text, as both conventions have them. */
static tn_ffi_any any_of(const tn_arg *arg) {
  static const int32_t indices[] = {
      [TN_ARG_NONE] = TN_FFI_NONE, [TN_ARG_INT] = TN_FFI_INT,         [TN_ARG_FLOAT] = TN_FFI_FLOAT,
      [TN_ARG_PTR] = TN_FFI_PTR,   [TN_ARG_TENSOR] = TN_FFI_DLTENSOR, [TN_ARG_STR] = TN_FFI_CSTR};
  tn_ffi_any any = {.type_index = indices[arg->kind]};
  memcpy(&any.u, &arg->u, sizeof any.u);
  return any;
}

static int32_t call_packed(const tn_env *env, const char *name, const tn_arg *args, int32_t n_args,
                           tn_arg *out_ret) {
  call *c = call_of(env);
  tn_ffi_any any[MAX_PACKED_ARGS];
  tn_ffi_any result = {0};
  void *function = NULL;
  tn_ffi_bytes key = {name, strlen(name)};
  if (n_args > MAX_PACKED_ARGS || TVMFFIFunctionGetGlobal == NULL || TVMFFIFunctionCall == NULL ||
      TVMFFIFunctionGetGlobal(&key, &function) != 0 || function == NULL) {
    return fail(env, TN_KERR_PACKED, name, 0, 0);
  }
  for (int32_t i = 0; i < n_args; ++i) {
    any[i] = any_of(&args[i]);
  }
  int failed = TVMFFIFunctionCall(function, any, n_args, &result);
  if (TVMFFIObjectDecRef != NULL) {
    (void)TVMFFIObjectDecRef(function);
  }
  if (failed != 0) {
    if (atomic_exchange(&c->is_claimed, 1) == 0) {
      c->code = TN_KERR_PACKED;
      c->is_raised = 1;
    }
    return TN_KERR_PACKED;
  }
  int is_number = result.type_index >= TN_FFI_NONE && result.type_index <= TN_FFI_PTR;
  if (out_ret != NULL && is_number) {
    static const int32_t kinds[] = {TN_ARG_NONE, TN_ARG_INT, TN_ARG_INT, TN_ARG_FLOAT, TN_ARG_PTR};
    *out_ret = (tn_arg){.kind = kinds[result.type_index], .u = {.i64 = result.u.i64}};
  }
  if (result.type_index >= TN_FFI_STR - 1 && TVMFFIObjectDecRef != NULL) {
    (void)TVMFFIObjectDecRef(result.u.ptr);
  }
  return out_ret != NULL && !is_number ? fail(env, TN_KERR_PACKED, name, 0, 0) : 0;
}

/* ---- errors ---- */

enum { MESSAGE_BYTES = 2048 };

static int32_t raise(const char *kind, const char *message) {
  if (TVMFFIErrorSetRaisedFromCStr != NULL) {
    TVMFFIErrorSetRaisedFromCStr(kind, message);
  }
  return -1;
}

/* int8, bfloat16x4, float8_e5m2 ... from the packed form of tenon/dtype.h; kinds of arguments by
 * name. */
static const char *number_text(int32_t code, int64_t value, char out[static 64]) {
  static const char *const kinds[] = {"none",      "an integer", "a float",
                                      "a pointer", "a tensor",   "a string"};
  static const char *const types[] = {"int",
                                      "uint",
                                      "float",
                                      "handle",
                                      "bfloat",
                                      "complex",
                                      "bool",
                                      "float8_e3m4",
                                      "float8_e4m3",
                                      "float8_e4m3b11fnuz",
                                      "float8_e4m3fn",
                                      "float8_e4m3fnuz",
                                      "float8_e5m2",
                                      "float8_e5m2fnuz",
                                      "float8_e8m0fnu",
                                      "float6_e2m3fn",
                                      "float6_e3m2fn",
                                      "float4_e2m1fn"};
  enum { FIRST_WHOLE_NAME = 6 }; /* from here on without the number of bits */
  if (code == TN_KERR_KIND && value >= TN_ARG_NONE && value <= TN_ARG_STR) {
    return kinds[value];
  }
  if (code == TN_KERR_DTYPE && (value & 0xff) < (int64_t)(sizeof types / sizeof types[0])) {
    int bits = (int)(value >> 8 & 0xff);
    int lanes = (int)(value >> 16 & 0xffff);
    bool is_whole = (value & 0xff) >= FIRST_WHOLE_NAME;
    int n = snprintf(out, 64, is_whole ? "%s" : "%s%d", types[value & 0xff], bits);
    if (lanes > 1 && n > 0) {
      (void)snprintf(out + n, 64 - (size_t)n, "x%d", lanes);
    }
    return out;
  }
  (void)snprintf(out, 64, "%lld", (long long)value);
  return out;
}

static int32_t raise_refusal(const call *c, int32_t code) {
  char message[MESSAGE_BYTES];
  char expected[64];
  char got[64];
  const char *text = c->text != NULL ? c->text : "";
  const char *kind = "ValueError";
  switch (code) {
    case TN_KERR_ASSERT:
      (void)snprintf(message, sizeof message, "assertion in %s: %s", c->signature, text);
      return raise("AssertionError", message);
    case TN_KERR_WORKSPACE:
      (void)snprintf(message, sizeof message, "no scratch memory for %s (%lld bytes)", c->signature,
                     (long long)c->got);
      return raise("MemoryError", message);
    case TN_KERR_PACKED:
      (void)snprintf(message, sizeof message, "call of '%s' by %s", text, c->signature);
      return raise("RuntimeError", message);
    case TN_KERR_NULL:
      (void)snprintf(message, sizeof message, "%s when calling %s: no data", text, c->signature);
      return raise(kind, message);
    case TN_KERR_N_ARGS:
    case TN_KERR_KIND:
    case TN_KERR_DTYPE:
      kind = "TypeError";
      break;
    default:
      break;
  }
  (void)snprintf(message, sizeof message, "%s when calling %s: expected %s, got %s", text,
                 c->signature,
                 number_text(code == TN_KERR_VALUE ? TN_KERR_DTYPE : code, c->expected, expected),
                 number_text(code, c->got, got));
  return raise(kind, message);
}

/* ---- arguments ---- */

/* False: a kernel takes no such value. */
static int to_arg(const tn_ffi_any *any, tn_arg *out) {
  union {
    const void *in;
    void *out;
  } object = {(const char *)any->u.ptr + sizeof(tn_ffi_object)}; /* what follows the head */
  switch (any->type_index) {
    case TN_FFI_NONE:
      *out = (tn_arg){.kind = TN_ARG_NONE};
      return 1;
    case TN_FFI_INT:
    case TN_FFI_BOOL:
      *out = (tn_arg){.kind = TN_ARG_INT, .u = {.i64 = any->u.i64}};
      return 1;
    case TN_FFI_FLOAT:
      *out = (tn_arg){.kind = TN_ARG_FLOAT, .u = {.f64 = any->u.f64}};
      return 1;
    case TN_FFI_PTR:
      *out = (tn_arg){.kind = TN_ARG_PTR, .u = {.ptr = any->u.ptr}};
      return 1;
    case TN_FFI_DLTENSOR:
      *out = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = any->u.ptr}};
      return 1;
    case TN_FFI_TENSOR:
      *out = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = object.out}};
      return 1;
    case TN_FFI_CSTR:
      *out = (tn_arg){.kind = TN_ARG_STR, .u = {.str = any->u.cstr}};
      return 1;
    case TN_FFI_SMALL_STR:
      *out = (tn_arg){.kind = TN_ARG_STR, .u = {.str = any->u.small}};
      return 1;
    case TN_FFI_STR:
      *out = (tn_arg){.kind = TN_ARG_STR, .u = {.str = ((tn_ffi_bytes *)object.out)->data}};
      return 1;
    default:
      return 0;
  }
}

static int32_t to_args(const char *signature, const tn_ffi_any *args, int32_t n, tn_arg *out) {
  char message[MESSAGE_BYTES];
  for (int32_t i = 0; i < n; ++i) {
    if (!to_arg(&args[i], &out[i])) {
      (void)snprintf(message, sizeof message,
                     "argument %d when calling %s: a kernel takes no value of type index %d", i,
                     signature, args[i].type_index);
      return raise("TypeError", message);
    }
  }
  return 0;
}

static tn_ffi_any result_of(const tn_arg *ret, int32_t is_bool) {
  tn_ffi_any any = any_of(ret);
  any.type_index = is_bool ? TN_FFI_BOOL : any.type_index;
  return any;
}

int32_t tn_embed_ffi_call(tn_kernel_fn kernel, const char *signature, int32_t result,
                          const tn_ffi_any *args, int32_t n, tn_ffi_any *out_result) {
  enum { N_STACK_ARGS = 33 };
  tn_arg stack[N_STACK_ARGS];
  tn_arg *lowered = stack;
  call c = {.signature = signature};
  c.env = (tn_env){.abi_version = TN_KERNEL_ABI_VERSION,
                   .struct_bytes = sizeof(tn_env),
                   .host = &c,
                   .parallel_for = parallel_for,
                   .workspace_alloc = workspace_alloc,
                   .workspace_free = workspace_free,
                   .call_packed = call_packed,
                   .fail = fail};
  c.serial = c.env;
  c.serial.parallel_for = serial_for;
  if (n >= N_STACK_ARGS) {
    lowered = malloc(((size_t)n + 1) * sizeof *lowered);
    if (lowered == NULL) {
      return raise("MemoryError", "no memory for the arguments of a call");
    }
  }
  int32_t code = n < 0 ? raise("TypeError", "a negative number of arguments")
                       : to_args(signature, args, n, lowered);
  if (code == 0) {
    lowered[n] = (tn_arg){0}; /* where a kernel with a result leaves it */
    code = kernel(&c.env, lowered, n + (result != TN_EMBED_NO_RESULT));
    if (code == TN_KERR_N_ARGS && result != TN_EMBED_NO_RESULT) { /* the caller knows of no slot */
      --c.expected;
      --c.got;
    }
    if (code != TN_KERR_NONE) {
      code = c.is_raised ? -1 : raise_refusal(&c, code);
    } else if (out_result != NULL) {
      *out_result = result_of(&lowered[n], result == TN_EMBED_BOOL_RESULT);
    }
  }
  if (lowered != stack) {
    free(lowered);
  }
  return code;
}
