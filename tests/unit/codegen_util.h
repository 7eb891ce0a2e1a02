/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the tests of compiled code share: a module under construction, a host behind tn_env that
 * counts and records, and the comparison of a kernel with the interpreter, bit for bit (any NaN
 * equals any other). */
#ifndef TN_TESTS_CODEGEN_UTIL_H
#define TN_TESTS_CODEGEN_UTIL_H

#include "tn_test.h"

#include "abi/kernel.h"
#include "base/array.h"
#include "codegen/codegen.h"
#include "tir/tir.h"

/* ---- the host ---- */

typedef struct cgt_host {
  tn_env env;
  int32_t code; /* the first refusal */
  char text[256];
  int64_t expected;
  int64_t got;
  int32_t n_live; /* workspaces */
  int32_t n_allocs;
  int32_t fail_alloc; /* the n-th allocation fails; 0: none */
  int32_t n_pieces;
  char packed[512]; /* what call_packed saw */
  int32_t packed_code;
} cgt_host;

static inline int32_t cgt_parallel_for(const tn_env *env, tn_par_body body, void *closure,
                                       int64_t n) {
  cgt_host *host = env->host;
  int32_t code = 0;
  for (int64_t begin = 0; begin < n && code == 0; begin += 3) { /* pieces of three, in order */
    int64_t end = begin + 3 < n ? begin + 3 : n;
    ++host->n_pieces;
    code = body(env, begin, end, closure);
  }
  return code;
}

static inline void *cgt_workspace_alloc(const tn_env *env, int64_t n_bytes) {
  cgt_host *host = env->host;
  ++host->n_allocs;
  if (host->n_allocs == host->fail_alloc || n_bytes < 0 || n_bytes > INT64_C(1) << 30) {
    return NULL;
  }
  ++host->n_live;
  void *ptr = aligned_alloc(64, ((size_t)n_bytes + 63) / 64 * 64);
  memset(ptr, 0, (size_t)n_bytes); /* as the interpreter has it */
  return ptr;
}

static inline void cgt_workspace_free(const tn_env *env, void *ptr) {
  --((cgt_host *)env->host)->n_live;
  free(ptr);
}

static inline int32_t cgt_call_packed(const tn_env *env, const char *name, const tn_arg *args,
                                      int32_t n_args, tn_arg *out_ret) {
  cgt_host *host = env->host;
  size_t at = strlen(host->packed);
  (void)out_ret;
  if (strcmp(name, "bump") == 0) {
    ++*(int32_t *)args[0].u.ptr;
  }
  at += (size_t)snprintf(host->packed + at, sizeof host->packed - at, "%s(", name);
  for (int32_t i = 0; i < n_args; ++i) {
    size_t room = sizeof host->packed - at;
    char *to = host->packed + at;
    const char *comma = i == 0 ? "" : ", ";
    if (args[i].kind == TN_ARG_INT) {
      at += (size_t)snprintf(to, room, "%s%lld", comma, (long long)args[i].u.i64);
    } else if (args[i].kind == TN_ARG_FLOAT) {
      at += (size_t)snprintf(to, room, "%s%g", comma, args[i].u.f64);
    } else if (args[i].kind == TN_ARG_STR) {
      at += (size_t)snprintf(to, room, "%s'%s'", comma, args[i].u.str);
    } else if (args[i].kind == TN_ARG_TENSOR) {
      const DLTensor *tensor = args[i].u.tensor; /* of one dimension */
      char dtype[TN_DTYPE_TEXT_BYTES];
      at += (size_t)snprintf(to, room, "%s%s[%lld] %g", comma,
                             tn_dtype_print((tn_dtype)tensor->dtype.code |
                                                (tn_dtype)tensor->dtype.bits << 8 |
                                                (tn_dtype)tensor->dtype.lanes << 16,
                                            dtype),
                             (long long)tensor->shape[0], (double)*(const float *)tensor->data);
    } else {
      at += (size_t)snprintf(to, room, "%skind %d", comma, args[i].kind);
    }
  }
  (void)snprintf(host->packed + at, sizeof host->packed - at, ");");
  return host->packed_code;
}

static inline int32_t cgt_fail(const tn_env *env, int32_t code, const char *text, int64_t expected,
                               int64_t got) {
  cgt_host *host = env->host;
  if (host->code == 0) {
    host->code = code;
    (void)snprintf(host->text, sizeof host->text, "%s", text);
    host->expected = expected;
    host->got = got;
  }
  return code;
}

static inline void cgt_host_init(cgt_host *host) {
  memset(host, 0, sizeof *host);
  host->env = (tn_env){
      .abi_version = TN_KERNEL_ABI_VERSION,
      .struct_bytes = sizeof(tn_env),
      .host = host,
      .parallel_for = cgt_parallel_for,
      .workspace_alloc = cgt_workspace_alloc,
      .workspace_free = cgt_workspace_free,
      .call_packed = cgt_call_packed,
      .fail = cgt_fail,
  };
}

/* ---- a module under construction ---- */

typedef struct cgt {
  tn_ir *ir;
  tn_module module;
  tn_jit *jit;
} cgt;

static inline void cgt_init(cgt *t) {
  memset(t, 0, sizeof *t);
  t->ir = tn_ir_new(0);
  tn_module_init(&t->module, t->ir, "Test");
}

static inline void cgt_deinit(cgt *t) {
  tn_jit_free(t->jit);
  tn_module_deinit(&t->module);
  tn_ir_free(t->ir);
}

static inline const tn_target *cgt_target(const char *name) {
  const tn_target *target = NULL;
  expect_ok(tn_target_find(name, &target));
  return target;
}

static inline tn_status cgt_try_compile_as(cgt *t, const tn_codegen_opts *opts) {
  tn_buf object = TN_BUF_INIT;
  tn_jit_free(t->jit);
  t->jit = NULL;
  tn_status st = tn_llvm_emit(&t->module, opts, TN_EMIT_OBJ, &object);
  if (st == NULL) {
    st = tn_jit_new(&(tn_objects){.n = 1, .all = {object}}, &t->jit);
  }
  tn_buf_deinit(&object);
  return st;
}

static inline tn_status cgt_try_compile(cgt *t, const char *target, int32_t level) {
  tn_codegen_opts opts = {.target = cgt_target(target), .opt_level = level};
  return cgt_try_compile_as(t, &opts);
}

static inline void cgt_compile(cgt *t, const char *target, int32_t level) {
  expect_ok(cgt_try_compile(t, target, level));
}

static inline void cgt_compile_strict(cgt *t, const char *target, int32_t level) {
  tn_codegen_opts opts = {.target = cgt_target(target), .opt_level = level, .is_strict_math = true};
  expect_ok(cgt_try_compile_as(t, &opts));
}

static inline tn_kernel_fn cgt_find(cgt *t, const char *name) {
  void *address = tn_jit_find(t->jit, name);
  expect_true(address != NULL, "no code for %s", name);
  tn_kernel_fn fn;
  memcpy(&fn, &address, sizeof fn);
  return fn;
}

/// A one-dimensional buffer of constant size.
static inline const tn_node *cgt_buffer(cgt *t, const char *name, tn_dtype dtype, int64_t n) {
  const tn_node *shape = tn_int(t->ir, TN_DT_I64, n);
  tn_buffer_spec spec = {.name = name, .dtype = dtype, .ndim = 1, .shape = &shape};
  return tn_buffer_new(t->ir, &spec);
}

/// Adds a function whose parameters are the buffers.
static inline void cgt_add(cgt *t, const char *name, uint32_t n, const tn_node *const *buffers,
                           const tn_node *body) {
  const tn_node *params[16];
  for (uint32_t i = 0; i < n; ++i) {
    params[i] = tn_var_new(t->ir, buffers[i]->attr.text, TN_DT_HANDLE);
  }
  const tn_node *func = tn_prim_func_new(t->ir, name, tn_list(t->ir, n, params),
                                         tn_list(t->ir, n, buffers), NULL, NULL, body);
  tn_module_set(&t->module, name, func);
}

static inline const tn_node *cgt_ok(tn_status st, const tn_node *n) {
  expect_ok(st);
  return n;
}

static inline const tn_node *cgt_load(cgt *t, const tn_node *buffer, const tn_node *index) {
  const tn_node *out = NULL;
  expect_ok(tn_tir_load(t->ir, buffer, 1, &index, NULL, &out));
  return out;
}

static inline const tn_node *cgt_store(cgt *t, const tn_node *buffer, const tn_node *index,
                                       const tn_node *value) {
  const tn_node *out = NULL;
  expect_ok(tn_tir_store(t->ir, buffer, value, 1, &index, NULL, &out));
  return out;
}

static inline const tn_node *cgt_binary(cgt *t, tn_op op, const tn_node *a, const tn_node *b) {
  const tn_node *out = NULL;
  expect_ok(tn_tir_binary(t->ir, op, a, b, &out));
  return out;
}

static inline const tn_node *cgt_for(cgt *t, tn_for_kind kind, const tn_node *var, int64_t n,
                                     const tn_node *body) {
  return tn_for_new(t->ir, kind, var, tn_int(t->ir, var->dtype, 0), tn_int(t->ir, var->dtype, n),
                    body, NULL, NULL);
}

/* ---- calls and comparison ---- */

static inline void cgt_dl(const tn_array *array, DLTensor *out) {
  union { /* DLTensor has no const */
    const int64_t *from;
    int64_t *to;
  } shape = {.from = array->shape};
  *out = (DLTensor){
      .data = array->data,
      .device = {kDLCPU, 0},
      .ndim = array->ndim,
      .dtype = {(uint8_t)tn_dtype_code(array->dtype), (uint8_t)tn_dtype_bits(array->dtype),
                (uint16_t)tn_dtype_lanes(array->dtype)},
      .shape = shape.to,
  };
}

/// Runs compiled code over arrays and scalars (in the interpreter's form).
static inline int32_t cgt_run(cgt *t, cgt_host *host, const char *name, const tn_tir_arg *args,
                              int32_t n) {
  DLTensor tensors[16];
  tn_arg values[16];
  const tn_node *params = tn_module_find(&t->module, name)->in[TN_PRIM_FUNC_PARAMS];
  for (int32_t i = 0; i < n; ++i) {
    if (args[i].array != NULL) {
      cgt_dl(args[i].array, &tensors[i]);
      values[i] = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = &tensors[i]}};
    } else if (tn_dtype_is_float(params->in[i]->dtype)) {
      values[i] = (tn_arg){.kind = TN_ARG_FLOAT, .u = {.f64 = args[i].f64}};
    } else {
      values[i] = (tn_arg){.kind = TN_ARG_INT, .u = {.i64 = args[i].i64}};
    }
  }
  return cgt_find(t, name)(&host->env, values, n);
}

static inline bool cgt_same_element(const tn_array *a, const tn_array *b, int64_t i) {
  size_t bytes = tn_dtype_bytes(tn_dtype_elem(a->dtype));
  if (tn_dtype_is_packed(a->dtype)) {
    return tn_nibble_get(a->data, (uint64_t)i) == tn_nibble_get(b->data, (uint64_t)i);
  }
  if (memcmp((const char *)a->data + (size_t)i * bytes, (const char *)b->data + (size_t)i * bytes,
             bytes) == 0) {
    return true;
  }
  double x = tn_array_get_f64(a, i);
  double y = tn_array_get_f64(b, i);
  return tn_dtype_is_float(a->dtype) && x != x && y != y;
}

/// Fails at the first element that differs; what: names the case.
static inline void cgt_expect_equal(const tn_array *got, const tn_array *want, const char *what) {
  for (int64_t i = 0; i < tn_array_n_elems(want); ++i) {
    expect_true(cgt_same_element(got, want, i),
                "%s: element %lld: compiled %.17g (%lld), interpreted %.17g (%lld)", what,
                (long long)i, tn_array_get_f64(got, i), (long long)tn_array_get_i64(got, i),
                tn_array_get_f64(want, i), (long long)tn_array_get_i64(want, i));
  }
}

/// Runs `name` by the interpreter and compiled, on copies, and compares every array after.
static inline void cgt_expect_agrees(cgt *t, const char *name, const tn_tir_arg *args, int32_t n) {
  tn_array copies[2][16];
  tn_tir_arg own[2][16];
  for (int32_t k = 0; k < 2; ++k) {
    for (int32_t i = 0; i < n; ++i) {
      own[k][i] = args[i];
      if (args[i].array != NULL) {
        expect_ok(tn_array_init_copy(&copies[k][i], args[i].array));
        own[k][i].array = &copies[k][i];
      }
    }
  }
  cgt_host host;
  cgt_host_init(&host);
  int32_t code = cgt_run(t, &host, name, own[0], n);
  expect_true(code == 0, "%s returned %d: %s (%lld, %lld)", name, code, host.text,
              (long long)host.expected, (long long)host.got);
  expect_true(host.n_live == 0, "%s kept %d workspaces", name, host.n_live);
  expect_ok(tn_tir_interp(&t->module, name, own[1], n, NULL, NULL));
  for (int32_t i = 0; i < n; ++i) {
    if (args[i].array != NULL) {
      cgt_expect_equal(&copies[0][i], &copies[1][i], name);
      tn_array_deinit(&copies[0][i]);
      tn_array_deinit(&copies[1][i]);
    }
  }
}

#endif
