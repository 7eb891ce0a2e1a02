/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The exported function of a kernel (abi/kernel.h): checks its arguments, binds symbolic sizes,
 * calls the body.
 *
 * Order: number of arguments; for each its kind, and of tensors rank, type and device; then sizes
 * that are a bare variable bind it where they are met first; then everything else is compared. All
 * refusals meet in few blocks, which call env->fail with a place such as "B.shape[0] of argument
 * 1"; the host knows the signature and adds it. Strides that are not declared must be compact
 * (NULL, or as good as that); memory needs only its element's alignment unless the buffer declares
 * another than the language's default, so tensors of other libraries come in uncopied. */
#include "codegen/llvm/cg.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "abi/kernel.h"
#include "base/check.h"

enum { DEFAULT_ALIGN = 64, CPU_DEVICE = kDLCPU };

/* Refusals that meet in one block. With all of them in one, 1,000 tensors gave phis of 10,000
 * values, and LLVM's register coalescer took 20 seconds. */
enum { MAX_CHECKS = 16 };

/* One buffer argument, as far as it is known. */
typedef struct tensor_arg {
  const tn_node *buffer;
  uint32_t index;
  LLVMValueRef tensor; /* const DLTensor * */
  LLVMValueRef byte_offset;
  LLVMValueRef shape[TN_MAX_NDIM];   /* i64 */
  LLVMValueRef strides[TN_MAX_NDIM]; /* i64; set when the buffer declares strides */
  LLVMValueRef is_empty;             /* i1: some extent is 0 */
} tensor_arg;

typedef struct entry {
  tn_cg *cg;
  LLVMValueRef args;
  LLVMBasicBlockRef fail;                 /* of the next checks */
  LLVMValueRef code, text, expected, got; /* phis in fail */
  int32_t n_checks;                       /* that go there */
  tn_cg_vars inputs;                      /* variables the body gets */
  TN_VEC(tensor_arg) tensors;
} entry;

/* ---- refusals ---- */

static void begin_fail(entry *e) {
  tn_cg *cg = e->cg;
  LLVMBasicBlockRef here = tn_cg_here(cg);
  e->fail = tn_cg_block(cg, "fail");
  tn_cg_at(cg, e->fail);
  e->code = LLVMBuildPhi(cg->builder, cg->i32, "code");
  e->text = LLVMBuildPhi(cg->builder, cg->ptr, "text");
  e->expected = LLVMBuildPhi(cg->builder, cg->i64, "expected");
  e->got = LLVMBuildPhi(cg->builder, cg->i64, "got");
  LLVMBuildRet(cg->builder, tn_cg_call_fail(cg, e->code, e->text, e->expected, e->got));
  tn_cg_at(cg, here);
  e->n_checks = 0;
}

static void check(entry *e, LLVMValueRef is_ok, tn_kernel_code code, LLVMValueRef expected,
                  LLVMValueRef got, const char *text) {
  tn_cg *cg = e->cg;
  if (++e->n_checks > MAX_CHECKS) {
    begin_fail(e);
  }
  LLVMBasicBlockRef here = tn_cg_here(cg);
  LLVMBasicBlockRef ok = tn_cg_block(cg, "ok");
  LLVMBuildCondBr(cg->builder, is_ok, ok, e->fail);
  LLVMValueRef code_value = tn_cg_i32(cg, code);
  LLVMValueRef text_value = tn_cg_text(cg, text);
  LLVMAddIncoming(e->code, &code_value, &here, 1);
  LLVMAddIncoming(e->text, &text_value, &here, 1);
  LLVMAddIncoming(e->expected, &expected, &here, 1);
  LLVMAddIncoming(e->got, &got, &here, 1);
  tn_cg_at(cg, ok);
  tn_cg_memo_clear(cg);
}

static void check_equal(entry *e, tn_kernel_code code, LLVMValueRef expected, LLVMValueRef got,
                        const char *text) {
  check(e, LLVMBuildICmp(e->cg->builder, LLVMIntEQ, expected, got, ""), code, expected, got, text);
}

/* "B.shape[0] of argument 1"; what: ".shape[0]" */
static const char *place(char out[static 256], const char *name, const char *what, uint32_t index) {
  (void)snprintf(out, 256, "%.160s%s of argument %u", name, what, index);
  return out;
}

static const char *place_at(char out[static 256], const char *name, const char *what, uint32_t at,
                            uint32_t index) {
  (void)snprintf(out, 256, "%.160s.%s[%u] of argument %u", name, what, at, index);
  return out;
}

/* ---- variables ---- */

static bool is_bound(const entry *e, const tn_node *var) {
  return tn_map_find(&e->cg->cur->vars, var->id, NULL);
}

static bool is_free_var(const entry *e, const tn_node *n) {
  return tn_is(n, TN_OP_VAR) && !is_bound(e, n);
}

/* Binds an integer variable to an i64 that has to fit its type. */
static void bind_integer(entry *e, const tn_node *var, LLVMValueRef wide, bool is_size,
                         const char *text) {
  tn_cg *cg = e->cg;
  if (tn_dtype_is_bool(var->dtype)) {
    LLVMValueRef is_true = LLVMBuildICmp(cg->builder, LLVMIntNE, wide, tn_cg_i64(cg, 0), "");
    tn_cg_bind_var(e->cg, var, is_true);
    return;
  }
  LLVMValueRef value = tn_cg_cast(cg, wide, TN_DT_I64, var->dtype);
  if (tn_dtype_bits(var->dtype) < 64) {
    LLVMValueRef same = tn_cg_cast(cg, value, var->dtype, TN_DT_I64);
    check(e, LLVMBuildICmp(cg->builder, LLVMIntEQ, same, wide, ""), TN_KERR_VALUE,
          tn_cg_i64(cg, (int64_t)var->dtype), wide, text);
  }
  tn_cg_bind_var(e->cg, var, value);
  if (is_size && tn_dtype_is_int(var->dtype)) {
    tn_cg_range range = tn_cg_range_of(cg, var);
    tn_cg_range_set(cg, var, (tn_cg_range){0, range.hi});
  }
}

/* ---- first look: kinds, ranks, types ---- */

static LLVMValueRef arg_field(entry *e, LLVMTypeRef type, uint32_t index, size_t field) {
  return tn_cg_field(e->cg, type, e->args, index * sizeof(tn_arg) + field);
}

static void check_kind(entry *e, uint32_t index, const char *name, LLVMValueRef kind,
                       int32_t want) {
  tn_cg *cg = e->cg;
  char text[256];
  LLVMValueRef got = LLVMBuildSExt(cg->builder, kind, cg->i64, "");
  check_equal(e, TN_KERR_KIND, tn_cg_i64(cg, want), got, place(text, name, "", index));
}

/* A float parameter takes an INT too: hosts write 1 for 1.0. */
static void float_arg(entry *e, const tn_node *var, uint32_t index, LLVMValueRef kind) {
  tn_cg *cg = e->cg;
  char text[256];
  LLVMValueRef is_int = LLVMBuildICmp(cg->builder, LLVMIntEQ, kind, tn_cg_i32(cg, TN_ARG_INT), "");
  LLVMValueRef is_float =
      LLVMBuildICmp(cg->builder, LLVMIntEQ, kind, tn_cg_i32(cg, TN_ARG_FLOAT), "");
  LLVMValueRef got = LLVMBuildSExt(cg->builder, kind, cg->i64, "");
  check(e, LLVMBuildOr(cg->builder, is_int, is_float, ""), TN_KERR_KIND,
        tn_cg_i64(cg, TN_ARG_FLOAT), got, place(text, var->attr.text, "", index));
  LLVMValueRef bits = arg_field(e, cg->i64, index, offsetof(tn_arg, u));
  LLVMValueRef as_int = LLVMBuildSIToFP(cg->builder, bits, cg->f64, "");
  LLVMValueRef as_float = LLVMBuildBitCast(cg->builder, bits, cg->f64, "");
  LLVMValueRef value = LLVMBuildSelect(cg->builder, is_int, as_int, as_float, "");
  tn_cg_bind_var(e->cg, var, tn_cg_cast(cg, value, TN_DT_F64, var->dtype));
}

static void scalar_arg(entry *e, const tn_node *var, uint32_t index) {
  tn_cg *cg = e->cg;
  char text[256];
  LLVMValueRef kind = arg_field(e, cg->i32, index, offsetof(tn_arg, kind));
  if (tn_dtype_lanes(var->dtype) != 1) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "parameter '%s' is a vector", var->attr.text);
  } else if (tn_dtype_is_float(var->dtype)) {
    float_arg(e, var, index, kind);
  } else if (tn_dtype_is_handle(var->dtype)) {
    check_kind(e, index, var->attr.text, kind, TN_ARG_PTR);
    tn_cg_bind_var(e->cg, var, arg_field(e, cg->ptr, index, offsetof(tn_arg, u)));
  } else {
    check_kind(e, index, var->attr.text, kind, TN_ARG_INT);
    bind_integer(e, var, arg_field(e, cg->i64, index, offsetof(tn_arg, u)), false,
                 place(text, var->attr.text, "", index));
  }
}

static LLVMValueRef dl_field(entry *e, LLVMTypeRef type, const tensor_arg *t, size_t offset) {
  return tn_cg_field(e->cg, type, t->tensor, offset);
}

static void check_field(entry *e, const tensor_arg *t, LLVMTypeRef type, size_t offset,
                        tn_kernel_code code, int64_t want, const char *what) {
  tn_cg *cg = e->cg;
  char text[256];
  LLVMValueRef got = LLVMBuildZExt(cg->builder, dl_field(e, type, t, offset), cg->i64, "");
  check_equal(e, code, tn_cg_i64(cg, want), got, place(text, t->buffer->attr.text, what, t->index));
}

/* Reads the tensor's fields where they are needed next: kept from one look to the other, those of
 * 1,000 tensors would all be alive at once. */
static void look_again(entry *e, tensor_arg *t) {
  tn_cg *cg = e->cg;
  uint32_t ndim = tn_buffer_ndim(t->buffer);
  t->tensor = arg_field(e, cg->ptr, t->index, offsetof(tn_arg, u));
  t->byte_offset = dl_field(e, cg->i64, t, offsetof(DLTensor, byte_offset));
  LLVMValueRef shape = ndim == 0 ? NULL : dl_field(e, cg->ptr, t, offsetof(DLTensor, shape));
  LLVMValueRef zero = tn_cg_i64(cg, 0);
  t->is_empty = LLVMConstInt(cg->i1, 0, 0);
  for (uint32_t i = 0; i < ndim; ++i) {
    t->shape[i] = tn_cg_field(cg, cg->i64, shape, i * sizeof(int64_t));
    LLVMValueRef is_zero = LLVMBuildICmp(cg->builder, LLVMIntEQ, t->shape[i], zero, "");
    t->is_empty = LLVMBuildOr(cg->builder, t->is_empty, is_zero, "");
  }
}

static void tensor_first_look(entry *e, const tn_node *buffer, uint32_t index) {
  tn_cg *cg = e->cg;
  char text[256];
  const char *name = buffer->attr.text;
  uint32_t ndim = tn_buffer_ndim(buffer);
  if (ndim > TN_MAX_NDIM) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "buffer '%s' has %u dimensions; at most %d", name, ndim,
               TN_MAX_NDIM);
    return;
  }
  check_kind(e, index, name, arg_field(e, cg->i32, index, offsetof(tn_arg, kind)), TN_ARG_TENSOR);
  tensor_arg t = {.buffer = buffer, .index = index};
  t.tensor = arg_field(e, cg->ptr, index, offsetof(tn_arg, u));
  LLVMValueRef zero = tn_cg_i64(cg, 0);
  check(e, LLVMBuildIsNotNull(cg->builder, t.tensor, ""), TN_KERR_NULL, zero, zero,
        place(text, name, "", index));
  check_field(e, &t, cg->i32, offsetof(DLTensor, ndim), TN_KERR_NDIM, ndim, ".ndim");
  check_field(e, &t, cg->i32, offsetof(DLTensor, dtype), TN_KERR_DTYPE, buffer->dtype, ".dtype");
  check_field(e, &t, cg->i32, offsetof(DLTensor, device), TN_KERR_DEVICE, CPU_DEVICE, ".device");
  TN_VEC_PUSH(&e->tensors, t);
}

/* ---- strides ---- */

/* What strides would be without gaps; out[ndim - 1] is 1. */
static void compact_strides(entry *e, const tensor_arg *t, LLVMValueRef out[static TN_MAX_NDIM]) {
  LLVMValueRef stride = tn_cg_i64(e->cg, 1);
  for (uint32_t i = tn_buffer_ndim(t->buffer); i-- > 0;) {
    out[i] = stride;
    stride = LLVMBuildMul(e->cg->builder, stride, t->shape[i], "");
  }
}

/* Reads the strides of a tensor whose buffer declares some; where the tensor has none they are the
 * compact ones. */
static void read_strides(entry *e, tensor_arg *t) {
  tn_cg *cg = e->cg;
  uint32_t ndim = tn_buffer_ndim(t->buffer);
  LLVMValueRef compact[TN_MAX_NDIM];
  LLVMValueRef given[TN_MAX_NDIM];
  compact_strides(e, t, compact);
  LLVMValueRef strides = dl_field(e, cg->ptr, t, offsetof(DLTensor, strides));
  LLVMBasicBlockRef before = tn_cg_here(cg);
  LLVMBasicBlockRef read = tn_cg_block(cg, "strides");
  LLVMBasicBlockRef join = tn_cg_block(cg, "ok");
  LLVMBuildCondBr(cg->builder, LLVMBuildIsNull(cg->builder, strides, ""), join, read);
  tn_cg_at(cg, read);
  for (uint32_t i = 0; i < ndim; ++i) {
    given[i] = tn_cg_field(cg, cg->i64, strides, i * sizeof(int64_t));
  }
  LLVMBuildBr(cg->builder, join);
  tn_cg_at(cg, join);
  for (uint32_t i = 0; i < ndim; ++i) {
    LLVMValueRef values[] = {compact[i], given[i]};
    LLVMBasicBlockRef blocks[] = {before, read};
    t->strides[i] = LLVMBuildPhi(cg->builder, cg->i64, "");
    LLVMAddIncoming(t->strides[i], values, blocks, 2);
  }
}

/* A stride matters only where there is a second element to step to. */
static void check_stride(entry *e, const tensor_arg *t, uint32_t i, LLVMValueRef want,
                         LLVMValueRef got) {
  tn_cg *cg = e->cg;
  char text[256];
  LLVMValueRef is_equal = LLVMBuildICmp(cg->builder, LLVMIntEQ, want, got, "");
  LLVMValueRef is_one = LLVMBuildICmp(cg->builder, LLVMIntSLE, t->shape[i], tn_cg_i64(cg, 1), "");
  LLVMValueRef is_free = LLVMBuildOr(cg->builder, is_one, t->is_empty, "");
  check(e, LLVMBuildOr(cg->builder, is_equal, is_free, ""), TN_KERR_STRIDE, want, got,
        place_at(text, t->buffer->attr.text, "strides", i, t->index));
}

static void check_compact(entry *e, const tensor_arg *t) {
  tn_cg *cg = e->cg;
  LLVMValueRef strides = dl_field(e, cg->ptr, t, offsetof(DLTensor, strides));
  LLVMBasicBlockRef look = tn_cg_block(cg, "strides");
  LLVMBasicBlockRef join = tn_cg_block(cg, "ok");
  LLVMBuildCondBr(cg->builder, LLVMBuildIsNull(cg->builder, strides, ""), join, look);
  tn_cg_at(cg, look);
  LLVMValueRef compact[TN_MAX_NDIM];
  compact_strides(e, t, compact);
  for (uint32_t i = 0; i < tn_buffer_ndim(t->buffer); ++i) {
    check_stride(e, t, i, compact[i], tn_cg_field(cg, cg->i64, strides, i * sizeof(int64_t)));
  }
  LLVMBuildBr(cg->builder, join);
  tn_cg_at(cg, join);
  tn_cg_memo_clear(cg);
}

/* ---- second look: symbolic sizes, then everything else ---- */

/* Sizes, strides and offset that are a variable not met before bind it; they are marked done by
 * NULL. */
static void bind_symbols(entry *e, tensor_arg *t) {
  tn_cg *cg = e->cg;
  look_again(e, t);
  char text[256];
  const tn_node *shape = t->buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = t->buffer->in[TN_BUFFER_STRIDES];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    if (is_free_var(e, shape->in[i])) {
      bind_integer(e, shape->in[i], t->shape[i], true,
                   place_at(text, t->buffer->attr.text, "shape", i, t->index));
    }
  }
  if (strides->n_in == 0) { /* none declared */
    return;
  }
  if (strides->n_in != shape->n_in) {
    tn_cg_fail(cg, TN_INVALID, "buffer '%s' has %u strides for %u dimensions", t->buffer->attr.text,
               strides->n_in, shape->n_in);
    return;
  }
  read_strides(e, t);
  for (uint32_t i = 0; i < strides->n_in; ++i) {
    if (is_free_var(e, strides->in[i])) {
      bind_integer(e, strides->in[i], t->strides[i], false,
                   place_at(text, t->buffer->attr.text, "strides", i, t->index));
    }
  }
}

static void check_sizes(entry *e, tensor_arg *t) {
  char text[256];
  look_again(e, t);
  const tn_node *shape = t->buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = t->buffer->in[TN_BUFFER_STRIDES];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    check_equal(e, TN_KERR_SHAPE, tn_cg_index(e->cg, shape->in[i]), t->shape[i],
                place_at(text, t->buffer->attr.text, "shape", i, t->index));
  }
  if (strides->n_in == 0) {
    check_compact(e, t);
    return;
  }
  for (uint32_t i = 0; i < strides->n_in; ++i) {
    check_stride(e, t, i, tn_cg_index(e->cg, strides->in[i]), t->strides[i]);
  }
}

/* Where a declared elem_offset counts from the data pointer, the program adds it to every index; an
 * offset that is not declared is added here once. Returns the pointer the body gets. */
static LLVMValueRef data_pointer(entry *e, tensor_arg *t) {
  tn_cg *cg = e->cg;
  const tn_node *offset = t->buffer->in[TN_BUFFER_ELEM_OFFSET];
  LLVMValueRef data = dl_field(e, cg->ptr, t, offsetof(DLTensor, data));
  bool is_declared = !tn_is_none(offset) && !tn_is_int(offset, 0);
  return is_declared ? data : LLVMBuildGEP2(cg->builder, cg->i8, data, &t->byte_offset, 1, "");
}

static void check_offset(entry *e, tensor_arg *t) {
  tn_cg *cg = e->cg;
  char text[256];
  const tn_node *offset = t->buffer->in[TN_BUFFER_ELEM_OFFSET];
  const tn_node *factor = t->buffer->in[TN_BUFFER_OFFSET_FACTOR];
  if (tn_is_none(offset) || tn_is_int(offset, 0)) {
    return;
  }
  int64_t elem_bytes = (int64_t)tn_dtype_bytes(t->buffer->dtype);
  if (tn_dtype_mem_bits(t->buffer->dtype) % 8 != 0) {
    tn_cg_fail(cg, TN_UNSUPPORTED,
               "parameter buffer '%s' with an offset: two elements share a byte",
               t->buffer->attr.text);
    return;
  }
  (void)place(text, t->buffer->attr.text, ".byte_offset", t->index);
  if (is_free_var(e, offset)) {
    LLVMValueRef elems = LLVMBuildUDiv(cg->builder, t->byte_offset, tn_cg_i64(cg, elem_bytes), "");
    int64_t step = tn_is(factor, TN_OP_INT) && factor->attr.i64 > 1 ? factor->attr.i64 : 1;
    LLVMValueRef steps = LLVMBuildUDiv(cg->builder, elems, tn_cg_i64(cg, step), "");
    LLVMValueRef whole = LLVMBuildMul(cg->builder, steps, tn_cg_i64(cg, elem_bytes * step), "");
    check_equal(e, TN_KERR_OFFSET, whole, t->byte_offset, text);
    bind_integer(e, offset, elems, true, text);
    return;
  }
  LLVMValueRef want =
      LLVMBuildMul(cg->builder, tn_cg_index(cg, offset), tn_cg_i64(cg, elem_bytes), "");
  check_equal(e, TN_KERR_OFFSET, want, t->byte_offset, text);
}

static void check_data(entry *e, tensor_arg *t) {
  tn_cg *cg = e->cg;
  char text[256];
  const tn_node *var = t->buffer->in[TN_BUFFER_DATA];
  const tn_node *declared = t->buffer->in[TN_BUFFER_ALIGN];
  LLVMValueRef zero = tn_cg_i64(cg, 0);
  look_again(e, t);
  check_offset(e, t);
  LLVMValueRef data = data_pointer(e, t);
  (void)place(text, t->buffer->attr.text, ".data", t->index);
  LLVMValueRef raw = dl_field(e, cg->ptr, t, offsetof(DLTensor, data));
  LLVMValueRef is_there =
      LLVMBuildOr(cg->builder, LLVMBuildIsNotNull(cg->builder, raw, ""), t->is_empty, "");
  check(e, is_there, TN_KERR_NULL, zero, zero, text);
  int64_t align = (int64_t)tn_dtype_bytes(tn_dtype_elem(t->buffer->dtype));
  if (tn_is(declared, TN_OP_INT) && declared->attr.i64 != DEFAULT_ALIGN &&
      declared->attr.i64 > align) {
    align = declared->attr.i64;
  }
  if (align > 1) {
    LLVMValueRef address = LLVMBuildPtrToInt(cg->builder, data, cg->i64, "");
    LLVMValueRef past = LLVMBuildURem(cg->builder, address, tn_cg_i64(cg, align), "");
    LLVMValueRef is_aligned = LLVMBuildICmp(cg->builder, LLVMIntEQ, past, zero, "");
    LLVMValueRef is_ok = LLVMBuildOr(cg->builder, is_aligned, t->is_empty, "");
    check(e, is_ok, TN_KERR_ALIGN, tn_cg_i64(cg, align), past, text);
  }
  if (!tn_is(var, TN_OP_VAR)) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "parameter buffer '%s' whose data is an expression",
               t->buffer->attr.text);
  } else if (!is_bound(e, var)) {
    tn_cg_bind_var(e->cg, var, data);
  } else {
    tn_cg_fail(cg, TN_UNSUPPORTED, "two parameter buffers over the same data '%s'", var->attr.text);
  }
}

/* ---- the whole ---- */

static void check_args(entry *e) {
  tn_cg *cg = e->cg;
  const tn_node *params = cg->func->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = cg->func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    if (tn_is_none(buffers->in[i])) {
      scalar_arg(e, params->in[i], i);
    } else {
      tensor_first_look(e, buffers->in[i], i);
    }
  }
  for (size_t i = 0; i < e->tensors.len; ++i) {
    bind_symbols(e, &e->tensors.data[i]);
  }
  for (size_t i = 0; i < e->tensors.len; ++i) {
    check_sizes(e, &e->tensors.data[i]);
  }
  for (size_t i = 0; i < e->tensors.len; ++i) {
    check_data(e, &e->tensors.data[i]);
  }
}

/* With tir.noalias the caller promises that no two arguments overlap. */
static void mark_roots(entry *e) {
  const tn_node *promise = tn_dict_find(e->cg->func->in[TN_PRIM_FUNC_ATTRS], "tir.noalias");
  bool is_promised = promise != NULL && tn_is(promise, TN_OP_INT) && promise->attr.i64 != 0;
  for (size_t i = 0; i < e->inputs.len && is_promised; ++i) {
    if (tn_dtype_is_handle(e->inputs.data[i]->dtype)) {
      tn_map_set(&e->cg->roots, e->inputs.data[i]->id, 1);
    }
  }
}

static LLVMValueRef make_body(entry *e, bool has_ret) {
  tn_cg *cg = e->cg;
  tn_cg_func *outer = cg->cur;
  LLVMBasicBlockRef back = tn_cg_here(cg);
  tn_cg_func func;
  tn_cg_sig sig = {.func = cg->func_name,
                   .part = "body",
                   .vars = e->inputs.data,
                   .n_vars = (uint32_t)e->inputs.len,
                   .has_ret_slot = has_ret};
  tn_cg_func_begin(cg, &func, &sig, NULL);
  LLVMValueRef fn = func.fn;
  tn_cg_stmt(cg, cg->func->in[TN_PRIM_FUNC_BODY]);
  tn_cg_func_end(cg, outer, back);
  return fn;
}

static void call_body(entry *e, LLVMValueRef body, LLVMValueRef ret_slot) {
  tn_cg *cg = e->cg;
  unsigned n = 0;
  LLVMValueRef *args = calloc(e->inputs.len + 2, sizeof *args);
  TN_CHECK(args != NULL, "no memory");
  args[n++] = cg->cur->env;
  if (ret_slot != NULL) {
    args[n++] = ret_slot;
  }
  for (size_t i = 0; i < e->tensors.len; ++i) {
    tensor_arg *t = &e->tensors.data[i];
    look_again(e, t);
    tn_cg_bind_var(cg, t->buffer->in[TN_BUFFER_DATA], data_pointer(e, t));
  }
  for (size_t i = 0; i < e->inputs.len; ++i) {
    args[n++] = tn_cg_expr(cg, e->inputs.data[i]);
  }
  LLVMBuildRet(cg->builder, tn_cg_func_call(cg, body, args, n));
  free(args);
}

bool tn_cg_is_symbol(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  bool is_digit = name[0] >= '0' && name[0] <= '9';
  return name[0] != '\0' && !is_digit && name[strspn(name, letters)] == '\0';
}

LLVMValueRef tn_cg_declare_kernel(tn_cg *cg, const char *name) {
  if (!tn_cg_is_symbol(name)) {
    tn_cg_fail(cg, TN_INVALID, "function '%s': the name of compiled code has to be a name in C",
               name);
  }
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->i32};
  return LLVMAddFunction(cg->mod, name, LLVMFunctionType(cg->i32, params, 3, 0));
}

void tn_cg_prim_func(tn_cg *cg) {
  entry e = {.cg = cg};
  tn_cg_func func;
  bool has_ret = !tn_is_none(cg->func->in[TN_PRIM_FUNC_RET]);
  uint32_t n_params = cg->func->in[TN_PRIM_FUNC_PARAMS]->n_in;
  LLVMValueRef fn = LLVMGetNamedFunction(cg->mod, cg->func_name);
  tn_cg_func_init(cg, &func, fn);
  /* dozens of checks in a row: optimising them takes ten times as long and saves little at run time
   */
  tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "noinline", 0);
  tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "optnone", 0);
  func.env = LLVMGetParam(fn, 0);
  e.args = LLVMGetParam(fn, 1);
  begin_fail(&e);
  int64_t n_args = (int64_t)n_params + (has_ret ? 1 : 0);
  LLVMValueRef got = LLVMBuildSExt(cg->builder, LLVMGetParam(fn, 2), cg->i64, "");
  check_equal(&e, TN_KERR_N_ARGS, tn_cg_i64(cg, n_args), got, "number of arguments");
  if (tn_map_find(&cg->recursive, cg->func->id, NULL)) {
    tn_cg_bind_var(cg, cg->depth, tn_cg_i64(cg, 0));
  }
  check_args(&e);
  tn_cg_inputs(cg, cg->func, &e.inputs);
  mark_roots(&e);
  LLVMValueRef body = make_body(&e, has_ret);
  LLVMValueRef slot =
      has_ret ? tn_cg_offset(cg, e.args, tn_cg_i64(cg, 2 * (int64_t)n_params), TN_DT_I64) : NULL;
  call_body(&e, body, slot);
  tn_cg_at(cg, tn_cg_block(cg, "end")); /* func_end adds its own return */
  tn_cg_func_end(cg, NULL, NULL);
  TN_VEC_DEINIT(&e.inputs);
  TN_VEC_DEINIT(&e.tensors);
}
