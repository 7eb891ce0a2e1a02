/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A small assembler of executables for the runtime's tests, so that machine programs can be written
 * by hand.
 *
 *   tn_asm a = {0};
 *   uint32_t add = asm_outside(&a, TN_EXEC_FN_KERNEL, "add", "add(A, B, C)");
 *   asm_begin(&a, "main", 1, 4, 0);        // public; 1 parameter, 4 registers, 0 slots
 *   asm_tensor(&a, "x", TN_DT_F32, 1, 4);  // the parameter's type
 *   asm_any(&a, "");                       // the result's type
 *   EMIT(&a, TN_VM_RET, R(0));
 *   asm_end(&a);
 *   tn_image image = asm_finish(&a);       // frees the assembler's memory */
#ifndef TN_TESTS_RUNTIME_ASM_H
#define TN_TESTS_RUNTIME_ASM_H

#include "base/buf.h"
#include "base/vec.h"
#include "runtime/exec.h"
#include "runtime/exec_image.h"
#include "tn_test.h"

typedef struct tn_asm {
  tn_buf strings;
  tn_buf data;
  uint32_t cpu_features;
  uint32_t arch;
  TN_VEC(tn_exec_func) funcs;
  TN_VEC(tn_exec_type) types;
  TN_VEC(int64_t) dims;
  TN_VEC(int64_t) code;
  TN_VEC(tn_exec_const) consts;
} tn_asm;

#define R(n) TN_ARGW(TN_ARGW_REG, n)
#define I(n) TN_ARGW(TN_ARGW_IMM, n)
#define C(n) TN_ARGW(TN_ARGW_CONST, n)
#define F(n) TN_ARGW(TN_ARGW_FUNC, n)
#define S(n) TN_ARGW(TN_ARGW_SLOT, n)
#define EMIT(a, ...) \
  asm_emit((a), (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8)

static inline int64_t asm_here(const tn_asm *a) { return (int64_t)a->code.len; }

static inline void asm_emit(tn_asm *a, const int64_t *words, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&a->code, words[i]);
  }
}

/* A kernel or a packed function. */
static inline uint32_t asm_outside(tn_asm *a, uint32_t kind, const char *name, const char *doc) {
  tn_exec_func f = {.kind = kind};
  f.name = tn_image_add_string(&a->strings, name);
  f.doc = tn_image_add_string(&a->strings, doc);
  TN_VEC_PUSH(&a->funcs, f);
  return (uint32_t)a->funcs.len - 1;
}

static inline uint32_t asm_begin(tn_asm *a, const char *name, uint32_t n_params, uint32_t n_regs,
                                 uint32_t n_slots) {
  tn_exec_func f = {
      .name = tn_image_add_string(&a->strings, name),
      .kind = TN_EXEC_FN_VM,
      .code_begin = (uint32_t)a->code.len,
      .n_params = n_params,
      .params = (uint32_t)a->types.len,
      .n_regs = n_regs,
      .n_slots = n_slots,
      .is_public = 1,
  };
  TN_VEC_PUSH(&a->funcs, f);
  return (uint32_t)a->funcs.len - 1;
}

static inline void asm_end(tn_asm *a) { TN_VEC_LAST(&a->funcs).code_end = (uint32_t)a->code.len; }

static inline void asm_any(tn_asm *a, const char *name) {
  tn_exec_type t = {.name = tn_image_add_string(&a->strings, name), .ndim = -1};
  TN_VEC_PUSH(&a->types, t);
}

static inline tn_exec_type asm_type_of(tn_asm *a, const char *name, uint32_t kind, tn_dtype dtype,
                                       int32_t ndim, const int64_t *dims) {
  tn_exec_type t = {
      .name = tn_image_add_string(&a->strings, name),
      .kind = kind,
      .dtype = dtype,
      .ndim = ndim,
      .dims = (uint32_t)a->dims.len,
  };
  for (int32_t i = 0; i < ndim; ++i) {
    TN_VEC_PUSH(&a->dims, dims[i]);
  }
  return t;
}

/* A parameter or result that is a tensor with fixed extents; -1: not fixed. */
#define asm_tensor(a, name, dtype, ndim, ...)                                           \
  TN_VEC_PUSH(&(a)->types, asm_type_of((a), (name), TN_EXEC_TY_TENSOR, (dtype), (ndim), \
                                       (const int64_t[]){__VA_ARGS__}))

static inline uint32_t asm_const_tensor(tn_asm *a, tn_dtype dtype, int32_t ndim,
                                        const int64_t *dims, const void *bytes, size_t n_bytes) {
  while (a->data.len % TN_IMAGE_ALIGN_BYTES != 0) {
    tn_buf_putc(&a->data, 0);
  }
  tn_exec_const c = {.kind = TN_EXEC_C_TENSOR, .offset = a->data.len, .n_bytes = n_bytes};
  c.type = asm_type_of(a, "", TN_EXEC_TY_TENSOR, dtype, ndim, dims);
  tn_buf_append(&a->data, bytes, n_bytes);
  TN_VEC_PUSH(&a->consts, c);
  return (uint32_t)a->consts.len - 1;
}

static inline uint32_t asm_const_text(tn_asm *a, const char *text) {
  tn_exec_const c = {.kind = TN_EXEC_C_STR, .bits = tn_image_add_string(&a->strings, text)};
  TN_VEC_PUSH(&a->consts, c);
  return (uint32_t)a->consts.len - 1;
}

static inline tn_image asm_finish(tn_asm *a) {
  tn_image image = {0};
  if (a->strings.len == 0) {
    tn_buf_putc(&a->strings, 0);
  }
  tn_image_section sections[] = {
      {TN_EXEC_STRINGS, a->strings.data, a->strings.len},
      {TN_EXEC_FUNCS, a->funcs.data, a->funcs.len * sizeof(tn_exec_func)},
      {TN_EXEC_PARAMS, a->types.data, a->types.len * sizeof(tn_exec_type)},
      {TN_EXEC_DIMS, a->dims.data, a->dims.len * sizeof(int64_t)},
      {TN_EXEC_CODE, a->code.data, a->code.len * sizeof(int64_t)},
      {TN_EXEC_CONSTS, a->consts.data, a->consts.len * sizeof(tn_exec_const)},
      {TN_EXEC_DATA, a->data.data, a->data.len},
  };
  tn_image_spec spec = {.arch = a->arch,
                        .cpu_features = a->cpu_features,
                        .n_sections = (int32_t)TN_N_ROWS(sections),
                        .sections = sections};
  expect_ok(tn_image_build(&spec, &image));
  tn_buf_deinit(&a->strings);
  tn_buf_deinit(&a->data);
  TN_VEC_DEINIT(&a->funcs);
  TN_VEC_DEINIT(&a->types);
  TN_VEC_DEINIT(&a->dims);
  TN_VEC_DEINIT(&a->code);
  TN_VEC_DEINIT(&a->consts);
  return image;
}

#endif
