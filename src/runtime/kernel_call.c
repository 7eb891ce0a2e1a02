/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of compiled kernels: arguments, services, and the text of a refusal. The kernel says where
 * ("B.shape[0] of argument 1") with two numbers; what the numbers mean follows from the code, and
 * becomes words here. */
#include "runtime/kernel_call.h"

#include <stdio.h>
#include <string.h>

#include "runtime/mem.h"
#include "runtime/tensor.h"

/* ---- services ---- */

static tn_call *call_of(const tn_env *env) { return env->host; }

typedef struct par_loop {
  tn_call *call;
  tn_par_body body;
  void *closure;
} par_loop;

static int32_t par_piece(void *ctx, int64_t begin, int64_t end) {
  const par_loop *loop = ctx;
  return loop->body(&loop->call->serial, begin, end, loop->closure);
}

static int32_t env_parallel_for(const tn_env *env, tn_par_body body, void *closure, int64_t n) {
  if (n <= 0) {
    return 0;
  }
  par_loop loop = {.call = call_of(env), .body = body, .closure = closure};
  return tn_pool_for(loop.call->rt->pool, par_piece, &loop, n);
}

static int32_t env_serial_for(const tn_env *env, tn_par_body body, void *closure, int64_t n) {
  return n <= 0 ? 0 : body(env, 0, n, closure);
}

static int32_t env_fail(const tn_env *env, int32_t code, const char *text, int64_t expected,
                        int64_t got) {
  tn_call *call = call_of(env);
  if (atomic_exchange(&call->is_claimed, 1) == 0) {
    call->code = code;
    call->text = text;
    call->expected = expected;
    call->got = got;
  }
  return code;
}

static void *env_workspace_alloc(const tn_env *env, int64_t n_bytes) {
  tn_call *call = call_of(env);
  return n_bytes < 0 ? NULL : tn_workspace_alloc(&call->rt->workspace, (size_t)n_bytes);
}

static void env_workspace_free(const tn_env *env, void *ptr) {
  tn_workspace_free(&call_of(env)->rt->workspace, ptr);
}

/* What a kernel can take back: numbers. */
static tn_status call_by_name(tn_call *call, const char *name, const tn_arg *args, int32_t n_args,
                              tn_arg *out_ret) {
  tn_func *func = NULL;
  tn_arg ret = {0};
  TN_TRY(tn_registry_find(call->rt->registry, name, &func));
  tn_status st = tn_func_call(func, args, n_args, &ret);
  tn_func_release(func);
  if (st != NULL) {
    return tn_status_wrap(st, "calling '%s'", name);
  }
  if (out_ret == NULL) {
    tn_arg_release(&ret);
    return NULL;
  }
  if (ret.kind > TN_ARG_PTR) {
    st = TN_ERR(TN_INVALID, "'%s' returned a %s to a kernel, which takes numbers only", name,
                tn_arg_kind_name(ret.kind));
    tn_arg_release(&ret);
    return st;
  }
  *out_ret = ret;
  return NULL;
}

static int32_t env_call_packed(const tn_env *env, const char *name, const tn_arg *args,
                               int32_t n_args, tn_arg *out_ret) {
  tn_call *call = call_of(env);
  tn_status st = call_by_name(call, name, args, n_args, out_ret);
  if (st == NULL) {
    return TN_KERR_NONE;
  }
  if (atomic_exchange(&call->is_claimed, 1) == 0) {
    call->code = TN_KERR_PACKED;
    call->packed_error = st;
  } else {
    tn_status_free(st);
  }
  return TN_KERR_PACKED;
}

void tn_call_init(tn_call *call, tn_runtime *rt) {
  *call = (tn_call){.rt = rt};
  call->env = (tn_env){
      .abi_version = TN_KERNEL_ABI_VERSION,
      .struct_bytes = sizeof(tn_env),
      .host = call,
      .parallel_for = env_parallel_for,
      .workspace_alloc = env_workspace_alloc,
      .workspace_free = env_workspace_free,
      .call_packed = env_call_packed,
      .fail = env_fail,
  };
  call->serial = call->env;
  call->serial.parallel_for = env_serial_for;
}

/* ---- refusals as text ---- */

enum { NUMBER_BYTES = 64 };

static void print_number(tn_runtime *rt, int32_t code, int64_t value, char out[NUMBER_BYTES]) {
  if (code == TN_KERR_KIND && value >= INT32_MIN && value <= INT32_MAX) {
    snprintf(out, NUMBER_BYTES, "%s", tn_arg_kind_name((int32_t)value));
  } else if (code == TN_KERR_DTYPE) {
    char name[TN_DTYPE_TEXT_BYTES];
    snprintf(out, NUMBER_BYTES, "%s", tn_dtype_print((tn_dtype)value, name));
  } else if (code == TN_KERR_DEVICE) {
    tn_device_print(rt, (DLDevice){(int32_t)value, 0}, out, NUMBER_BYTES);
  } else {
    snprintf(out, NUMBER_BYTES, "%lld", (long long)value);
  }
}

static tn_status refusal(tn_call *call, int32_t code, const char *text, const char *signature) {
  char expected[NUMBER_BYTES];
  char got[NUMBER_BYTES];
  bool is_type = code == TN_KERR_VALUE; /* expected is a type, got is not */
  print_number(call->rt, is_type ? TN_KERR_DTYPE : code, call->expected, expected);
  print_number(call->rt, code, call->got, got);
  switch (code) {
    case TN_KERR_NULL:
      return TN_ERR(TN_INVALID, "%s when calling %s: no data", text, signature);
    case TN_KERR_ALIGN:
      return TN_ERR(
          TN_INVALID,
          "%s when calling %s: expected an address that is a multiple of %s bytes, got one %s past",
          text, signature, expected, got);
    case TN_KERR_ASSERT:
      return TN_ERR(TN_INVALID, "assertion in %s: %s", signature, text);
    case TN_KERR_WORKSPACE:
      return TN_ERR(TN_NO_MEMORY, "no scratch memory for %s (%s bytes)", signature, got);
    case TN_KERR_PACKED:
      return TN_ERR(TN_INVALID, "call of '%s' by %s", text, signature);
    case TN_KERR_N_ARGS:
      return TN_ERR(TN_INVALID, "number of arguments when calling %s: expected %s, got %s",
                    signature, expected, got);
    default:
      return TN_ERR(TN_INVALID, "%s when calling %s: expected %s, got %s", text, signature,
                    expected, got);
  }
}

tn_status tn_call_status(tn_call *call, int32_t code, const char *signature) {
  if (code == TN_KERR_NONE && atomic_load_explicit(&call->is_claimed, memory_order_relaxed) == 0) {
    return NULL;
  }
  tn_status st = call->packed_error;
  call->packed_error = NULL;
  bool is_recorded = atomic_exchange(&call->is_claimed, 0) != 0;
  if (st != NULL) {
    st = tn_status_wrap(st, "in %s", signature);
  } else if (is_recorded && code != TN_KERR_NONE) {
    st = refusal(call, call->code, call->text == NULL ? "" : call->text, signature);
  } else if (code != TN_KERR_NONE) {
    st = TN_ERR(TN_INTERNAL, "%s stopped with code %d and no record of why", signature, code);
  }
  if (code == TN_KERR_NONE) { /* the kernel went on after a failed call by name: its choice */
    tn_status_free(st);
    return NULL;
  }
  return st;
}

tn_status tn_call_lower_arg(tn_call *call, const char *signature, int32_t index,
                            const tn_arg *value, tn_arg *out_arg) {
  const DLTensor *dl = tn_arg_dl(value);
  if (dl != NULL) {
    if (!tn_dl_is_cpu(dl)) {
      char device[TN_DEVICE_TEXT_BYTES];
      tn_device_print(call->rt, dl->device, device, sizeof device);
      return TN_ERR(
          TN_INVALID,
          "argument %d when calling %s: expected a tensor on cpu, got one on %s: copy it first",
          index, signature, device);
    }
    *out_arg = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = dl}};
  } else if (value->kind == TN_ARG_STR_OBJ) {
    *out_arg = (tn_arg){.kind = TN_ARG_STR, .u = {.str = tn_arg_text(value)}};
  } else if (tn_arg_is_object(value)) {
    return TN_ERR(TN_INVALID, "argument %d when calling %s: a kernel takes no %s", index, signature,
                  tn_arg_kind_name(value->kind));
  } else {
    *out_arg = *value;
  }
  return NULL;
}

/* ---- calls from the host ---- */

/* A device that runs kernels of its own takes the call when the first tensor lies there. */
static tn_status launch_row(tn_runtime *rt, const tn_arg *args, int32_t n_args,
                            DLDevice *out_device, const tn_device_row **out_row) {
  *out_row = tn_device_cpu();
  for (int32_t i = 0; i < n_args; ++i) {
    const DLTensor *dl = tn_arg_dl(&args[i]);
    if (dl == NULL || tn_dl_is_cpu(dl)) {
      continue;
    }
    const tn_device_row *row = NULL;
    TN_TRY(tn_runtime_device_row(rt, dl->device, &row));
    if (row->ops.launch != NULL) {
      *out_device = dl->device;
      *out_row = row;
    }
    return NULL;
  }
  return NULL;
}

enum { N_STACK_ARGS = 32 };

tn_status tn_kernel_call(tn_runtime *rt, tn_kernel_fn kernel, const char *signature,
                         const tn_arg *args, int32_t n_args) {
  if (n_args < 0) {
    return TN_ERR(TN_INVALID, "%d arguments when calling %s", n_args, signature);
  }
  tn_status st = NULL;
  tn_call call;
  tn_arg stack_args[N_STACK_ARGS];
  tn_arg *lowered = stack_args;
  DLDevice device = {kDLCPU, 0};
  const tn_device_row *row = NULL;
  tn_call_init(&call, rt);
  TN_TRY(launch_row(rt, args, n_args, &device, &row));
  if (n_args > N_STACK_ARGS) {
    lowered = tn_mem_alloc(sizeof(tn_arg) * (size_t)n_args);
    if (lowered == NULL) {
      return tn_mem_error("the arguments of a call", sizeof(tn_arg) * (size_t)n_args);
    }
  }
  for (int32_t i = 0; st == NULL && i < n_args; ++i) {
    const DLTensor *dl = tn_arg_dl(&args[i]);
    if (dl != NULL && device.device_type != kDLCPU) {
      lowered[i] = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = dl}};
    } else {
      st = tn_call_lower_arg(&call, signature, i, &args[i], &lowered[i]);
    }
  }
  if (st == NULL) {
    int32_t code = row->ops.launch(row->ctx, device.device_id, kernel, &call.env, lowered, n_args);
    st = tn_call_status(&call, code, signature);
  }
  if (lowered != stack_args) {
    tn_mem_free(lowered);
  }
  return st;
}
