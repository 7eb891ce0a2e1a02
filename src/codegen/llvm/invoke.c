/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A call of one function of the module by another goes to the callee's body, past the checks of its
 * entry: types and ranks were compared when the module was verified, and sizes are compared here,
 * except where they are one value or two literals. The callee's variables are bound to what the
 * arguments say, so that its shapes can be computed in the caller; a function that calls itself has
 * its own variables back afterwards. */
#include "codegen/llvm/cg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/kernel.h"
#include "base/check.h"

enum { DEFAULT_ALIGN = 64 };

/* ---- what a body gets ---- */

static void add_free(tn_map *known, const tn_node *n, tn_cg_vars *out) {
  if (tn_is(n, TN_OP_VAR) && !tn_map_find(known, n->id, NULL)) {
    tn_map_set(known, n->id, 0);
    TN_VEC_PUSH(out, n);
  }
}

void tn_cg_inputs(tn_cg *cg, const tn_node *func, tn_cg_vars *out) {
  const tn_node *params = func->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  tn_map known = {0};
  for (uint32_t i = 0; i < params->n_in; ++i) {
    if (tn_is_none(buffers->in[i])) {
      add_free(&known, params->in[i], out);
    }
  }
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    for (uint32_t slot = TN_BUFFER_SHAPE; slot <= TN_BUFFER_STRIDES && !tn_is_none(buffers->in[i]);
         ++slot) {
      const tn_node *sizes = buffers->in[i]->in[slot];
      for (uint32_t d = 0; d < sizes->n_in; ++d) {
        add_free(&known, sizes->in[d], out);
      }
    }
  }
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    if (!tn_is_none(buffers->in[i])) {
      add_free(&known, buffers->in[i]->in[TN_BUFFER_ELEM_OFFSET], out);
      add_free(&known, buffers->in[i]->in[TN_BUFFER_DATA], out);
    }
  }
  if (tn_map_find(&cg->recursive, func->id, NULL)) {
    TN_VEC_PUSH(out, cg->depth);
  }
  tn_map_deinit(&known);
}

/* ---- arguments, computed in the caller ---- */

typedef struct arg {
  const tn_node *node;
  LLVMValueRef value;                /* number, or pointer to the first element */
  LLVMValueRef shape[TN_MAX_NDIM];   /* i64, of a buffer */
  LLVMValueRef strides[TN_MAX_NDIM]; /* i64, of a buffer */
  bool is_compact;
} arg;

typedef struct saved {
  bool was_bound;
  bool was_wide;
  uint64_t value;
  uint64_t wide;
} saved;

typedef struct invoke {
  tn_cg *cg;
  const tn_node *callee;
  const char *name;
  arg *args;
  tn_cg_vars inputs;
  tn_map bound; /* ids of the callee's variables that have their value */
} invoke;

static void read_buffer(tn_cg *cg, arg *a) {
  const tn_node *shape = a->node->in[TN_BUFFER_SHAPE];
  const tn_node *strides = a->node->in[TN_BUFFER_STRIDES];
  const tn_node *offset = a->node->in[TN_BUFFER_ELEM_OFFSET];
  a->value = tn_cg_expr(cg, a->node->in[TN_BUFFER_DATA]);
  if (!tn_is_none(offset) && !tn_is_int(offset, 0)) {
    a->value = tn_cg_offset(cg, a->value, tn_cg_index(cg, offset), a->node->dtype);
  }
  a->is_compact = strides->n_in != shape->n_in || shape->n_in == 0;
  LLVMValueRef stride = tn_cg_i64(cg, 1);
  for (uint32_t d = shape->n_in; d-- > 0;) {
    a->shape[d] = tn_cg_index(cg, shape->in[d]);
    a->strides[d] = a->is_compact ? stride : tn_cg_index(cg, strides->in[d]);
    stride = a->is_compact ? LLVMBuildMul(cg->builder, stride, a->shape[d], "") : stride;
  }
}

/* ---- what has to hold ---- */

static void check(invoke *v, LLVMValueRef is_ok, tn_kernel_code code, LLVMValueRef expected,
                  LLVMValueRef got, const char *what) {
  tn_cg *cg = v->cg;
  if (LLVMIsConstant(is_ok) && LLVMConstIntGetZExtValue(is_ok) != 0) {
    return;
  }
  char text[512];
  (void)snprintf(text, sizeof text, "%s of '%s'", what, v->name);
  LLVMBasicBlockRef failed = tn_cg_block(cg, "failed");
  LLVMBasicBlockRef ok = tn_cg_block(cg, "ok");
  LLVMBuildCondBr(cg->builder, is_ok, ok, failed);
  tn_cg_at(cg, failed);
  tn_cg_leave(cg, tn_cg_call_fail(cg, tn_cg_i32(cg, code), tn_cg_text(cg, text), expected, got));
  LLVMBuildBr(cg->builder, ok); /* from what is dead */
  tn_cg_at(cg, ok);
}

static void check_equal(invoke *v, tn_kernel_code code, LLVMValueRef expected, LLVMValueRef got,
                        const char *what) {
  if (expected != got) {
    check(v, LLVMBuildICmp(v->cg->builder, LLVMIntEQ, expected, got, ""), code, expected, got,
          what);
  }
}

static const char *place(char out[static 256], const char *name, const char *member, uint32_t d,
                         uint32_t i) {
  (void)snprintf(out, 256, "%.160s.%s[%u] of argument %u", name, member, d, i);
  return out;
}

static bool is_open(const invoke *v, const tn_node *n) {
  return tn_is(n, TN_OP_VAR) && !tn_map_find(&v->bound, n->id, NULL);
}

static void bind(invoke *v, const tn_node *var, LLVMValueRef value) {
  tn_cg_bind_var(v->cg, var, value);
  tn_map_remove(&v->cg->cur->wide_vars, var->id);
  tn_map_set(&v->bound, var->id, 0);
}

/* A size binds a variable of the callee, whose type has to hold it. */
static void bind_size(invoke *v, const tn_node *var, LLVMValueRef wide, bool is_extent,
                      const char *text) {
  tn_cg *cg = v->cg;
  LLVMValueRef value = tn_cg_cast(cg, wide, TN_DT_I64, var->dtype);
  if (tn_dtype_bits(var->dtype) < 64) {
    LLVMValueRef same = tn_cg_cast(cg, value, var->dtype, TN_DT_I64);
    check(v, LLVMBuildICmp(cg->builder, LLVMIntEQ, same, wide, ""), TN_KERR_VALUE,
          tn_cg_i64(cg, (int64_t)var->dtype), wide, text);
  }
  if (is_extent) {
    LLVMValueRef zero = tn_cg_i64(cg, 0);
    check(v, LLVMBuildICmp(cg->builder, LLVMIntSGE, wide, zero, ""), TN_KERR_SHAPE, zero, wide,
          text);
  }
  bind(v, var, value);
}

static void bind_sizes(invoke *v, uint32_t i, const tn_node *buffer) {
  char text[256];
  const arg *a = &v->args[i];
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    if (is_open(v, shape->in[d])) {
      bind_size(v, shape->in[d], a->shape[d], true, place(text, buffer->attr.text, "shape", d, i));
    }
  }
  for (uint32_t d = 0; d < strides->n_in && strides->n_in == shape->n_in; ++d) {
    if (is_open(v, strides->in[d])) {
      bind_size(v, strides->in[d], a->strides[d], false,
                place(text, buffer->attr.text, "strides", d, i));
    }
  }
}

/* A stride matters only where there is a second element to step to. */
static void check_stride(invoke *v, const arg *a, uint32_t d, LLVMValueRef want, const char *text) {
  LLVMBuilderRef b = v->cg->builder;
  if (want == a->strides[d]) {
    return;
  }
  LLVMValueRef is_equal = LLVMBuildICmp(b, LLVMIntEQ, want, a->strides[d], "");
  LLVMValueRef is_one = LLVMBuildICmp(b, LLVMIntSLE, a->shape[d], tn_cg_i64(v->cg, 1), "");
  check(v, LLVMBuildOr(b, is_equal, is_one, ""), TN_KERR_STRIDE, want, a->strides[d], text);
}

static void check_sizes(invoke *v, uint32_t i, const tn_node *buffer) {
  tn_cg *cg = v->cg;
  char text[256];
  const arg *a = &v->args[i];
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  const tn_node *given = a->node->in[TN_BUFFER_SHAPE];
  bool is_declared = strides->n_in == shape->n_in && shape->n_in != 0;
  LLVMValueRef compact = tn_cg_i64(cg, 1);
  for (uint32_t d = shape->n_in; d-- > 0;) {
    bool is_same = tn_is(shape->in[d], TN_OP_INT) && tn_is(given->in[d], TN_OP_INT) &&
                   shape->in[d]->attr.i64 == given->in[d]->attr.i64;
    if (!is_same) {
      check_equal(v, TN_KERR_SHAPE, tn_cg_index(cg, shape->in[d]), a->shape[d],
                  place(text, buffer->attr.text, "shape", d, i));
    }
    if (is_declared || !a->is_compact) {
      check_stride(v, a, d, is_declared ? tn_cg_index(cg, strides->in[d]) : compact,
                   place(text, buffer->attr.text, "strides", d, i));
    }
    compact = LLVMBuildMul(cg->builder, compact, a->shape[d], "");
  }
}

/* The offset is in the pointer already. */
static void check_offset(invoke *v, uint32_t i, const tn_node *buffer) {
  tn_cg *cg = v->cg;
  char text[256];
  const tn_node *offset = buffer->in[TN_BUFFER_ELEM_OFFSET];
  const tn_node *align = buffer->in[TN_BUFFER_ALIGN];
  LLVMValueRef zero = tn_cg_i64(cg, 0);
  if (!tn_is_none(offset) && !tn_is_int(offset, 0)) {
    (void)snprintf(text, sizeof text, "%.160s.elem_offset of argument %u", buffer->attr.text, i);
    check_equal(v, TN_KERR_OFFSET, tn_cg_index(cg, offset), zero, text);
  }
  int64_t bytes = tn_is(align, TN_OP_INT) ? align->attr.i64 : DEFAULT_ALIGN;
  if (bytes != DEFAULT_ALIGN && bytes > (int64_t)tn_dtype_bytes(tn_dtype_elem(buffer->dtype))) {
    (void)snprintf(text, sizeof text, "%.160s.data of argument %u", buffer->attr.text, i);
    LLVMValueRef address = LLVMBuildPtrToInt(cg->builder, v->args[i].value, cg->i64, "");
    LLVMValueRef past = LLVMBuildURem(cg->builder, address, tn_cg_i64(cg, bytes), "");
    check(v, LLVMBuildICmp(cg->builder, LLVMIntEQ, past, zero, ""), TN_KERR_ALIGN,
          tn_cg_i64(cg, bytes), past, text);
  }
}

static void bind_offset(invoke *v, const tn_node *buffer) {
  const tn_node *offset = buffer->in[TN_BUFFER_ELEM_OFFSET];
  if (is_open(v, offset)) {
    bind(v, offset, tn_cg_int(v->cg, offset->dtype, 0));
  }
}

/* In the order of the entry: numbers, sizes, what they have to be, pointers. */
static void bind_args(invoke *v) {
  const tn_node *params = v->callee->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = v->callee->in[TN_PRIM_FUNC_BUFFERS];
  uint32_t n = params->n_in;
  for (uint32_t i = 0; i < n; ++i) {
    if (tn_is_none(buffers->in[i])) {
      bind(v, params->in[i], v->args[i].value);
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (!tn_is_none(buffers->in[i])) {
      bind_offset(v, buffers->in[i]);
      if (tn_is(v->args[i].node, TN_OP_BUFFER)) {
        bind_sizes(v, i, buffers->in[i]);
      }
    }
  }
  tn_cg_memo_clear(v->cg);
  for (uint32_t i = 0; i < n; ++i) {
    if (!tn_is_none(buffers->in[i])) {
      if (tn_is(v->args[i].node, TN_OP_BUFFER)) {
        check_sizes(v, i, buffers->in[i]);
      }
      check_offset(v, i, buffers->in[i]);
      bind(v, buffers->in[i]->in[TN_BUFFER_DATA], v->args[i].value);
    }
  }
}

/* ---- depth ---- */

static void count_depth(invoke *v, LLVMValueRef outer) {
  tn_cg *cg = v->cg;
  LLVMValueRef most = tn_cg_i64(cg, TN_TIR_MAX_CALL_DEPTH);
  LLVMValueRef zero = tn_cg_i64(cg, 0);
  LLVMBasicBlockRef failed = tn_cg_block(cg, "failed");
  LLVMBasicBlockRef ok = tn_cg_block(cg, "ok");
  char text[64];
  (void)snprintf(text, sizeof text, "more than %d calls inside each other", TN_TIR_MAX_CALL_DEPTH);
  LLVMBuildCondBr(cg->builder, LLVMBuildICmp(cg->builder, LLVMIntSLT, outer, most, ""), ok, failed);
  tn_cg_at(cg, failed);
  tn_cg_leave(cg,
              tn_cg_call_fail(cg, tn_cg_i32(cg, TN_KERR_ASSERT), tn_cg_text(cg, text), zero, zero));
  LLVMBuildBr(cg->builder, ok);
  tn_cg_at(cg, ok);
  tn_cg_bind_var(cg, cg->depth, LLVMBuildAdd(cg->builder, outer, tn_cg_i64(cg, 1), ""));
}

/* ---- the call ---- */

static saved *save_vars(invoke *v) {
  tn_cg_func *cur = v->cg->cur;
  saved *old = calloc(v->inputs.len + 1, sizeof *old);
  TN_CHECK(old != NULL, "no memory");
  for (size_t i = 0; i < v->inputs.len; ++i) {
    uint32_t id = v->inputs.data[i]->id;
    old[i].was_bound = tn_map_find(&cur->vars, id, &old[i].value);
    old[i].was_wide = tn_map_find(&cur->wide_vars, id, &old[i].wide);
  }
  return old;
}

static void restore_vars(invoke *v, saved *old) {
  tn_cg_func *cur = v->cg->cur;
  for (size_t i = 0; i < v->inputs.len; ++i) {
    uint32_t id = v->inputs.data[i]->id;
    tn_map_remove(&cur->vars, id);
    tn_map_remove(&cur->wide_vars, id);
    if (old[i].was_bound) {
      tn_map_set(&cur->vars, id, old[i].value);
    }
    if (old[i].was_wide) {
      tn_map_set(&cur->wide_vars, id, old[i].wide);
    }
  }
  free(old);
  tn_cg_memo_clear(v->cg);
}

/* Numbers come back as the kernel convention has them: in 64 bits, behind their kind. */
static LLVMValueRef call_body(invoke *v, LLVMValueRef ret_slot) {
  tn_cg *cg = v->cg;
  tn_cg_sig sig = {.func = v->name,
                   .part = "body",
                   .vars = v->inputs.data,
                   .n_vars = (uint32_t)v->inputs.len,
                   .has_ret_slot = ret_slot != NULL};
  LLVMValueRef fn = tn_cg_func_declare(cg, &sig);
  LLVMValueRef *values = calloc(v->inputs.len + 2, sizeof *values);
  TN_CHECK(values != NULL, "no memory");
  unsigned n = 0;
  values[n++] = cg->cur->env;
  if (ret_slot != NULL) {
    LLVMBuildStore(cg->builder, tn_cg_i64(cg, 0),
                   tn_cg_offset(cg, ret_slot, tn_cg_i64(cg, 1), TN_DT_I64));
    values[n++] = ret_slot;
  }
  for (size_t i = 0; i < v->inputs.len; ++i) {
    values[n++] = tn_cg_expr(cg, v->inputs.data[i]);
  }
  LLVMValueRef code = tn_cg_func_call(cg, fn, values, n);
  free(values);
  return code;
}

static LLVMValueRef read_result(tn_cg *cg, LLVMValueRef ret_slot, tn_dtype dtype) {
  bool is_float = tn_dtype_is_float(dtype);
  LLVMValueRef wide = tn_cg_field(cg, is_float ? cg->f64 : cg->i64, ret_slot, sizeof(int64_t));
  return tn_cg_cast(cg, wide, is_float ? TN_DT_F64 : TN_DT_I64, dtype);
}

static bool fits(const tn_node *n, const tn_node *callee) {
  const tn_node *args = n->in[TN_INVOKE_ARGS];
  if (callee == NULL || !tn_is(callee, TN_OP_PRIM_FUNC) ||
      callee->in[TN_PRIM_FUNC_PARAMS]->n_in != args->n_in) {
    return false;
  }
  for (uint32_t i = 0; i < args->n_in; ++i) {
    const tn_node *buffer = callee->in[TN_PRIM_FUNC_BUFFERS]->in[i];
    if (tn_is(args->in[i], TN_OP_BUFFER) &&
        (tn_is_none(buffer) || tn_buffer_ndim(buffer) != tn_buffer_ndim(args->in[i]) ||
         tn_buffer_ndim(buffer) > TN_MAX_NDIM)) {
      return false;
    }
  }
  return true;
}

LLVMValueRef tn_cg_invoke(tn_cg *cg, const tn_node *n) {
  const tn_node *args = n->in[TN_INVOKE_ARGS];
  invoke v = {.cg = cg, .name = n->in[TN_INVOKE_CALLEE]->attr.text};
  tn_dtype dtype = n->dtype == TN_DT_NONE ? TN_DT_I32 : n->dtype;
  v.callee = tn_module_find(cg->module, v.name);
  if (cg->cur->mask != NULL || !fits(n, v.callee)) {
    tn_cg_fail(cg, cg->cur->mask != NULL ? TN_UNSUPPORTED : TN_INVALID,
               cg->cur->mask != NULL ? "a call of '%s' that only some lanes make"
                                     : "a call that does not fit '%s'",
               v.name);
    return tn_cg_poison(cg, dtype);
  }
  v.args = calloc(args->n_in + 1, sizeof *v.args);
  TN_CHECK(v.args != NULL, "no memory");
  for (uint32_t i = 0; i < args->n_in; ++i) {
    v.args[i].node = args->in[i];
    if (tn_is(args->in[i], TN_OP_BUFFER)) {
      read_buffer(cg, &v.args[i]);
    } else {
      v.args[i].value = tn_cg_expr(cg, args->in[i]);
    }
  }
  tn_cg_inputs(cg, v.callee, &v.inputs);
  saved *old = save_vars(&v);
  uint64_t outer = 0;
  bool is_counted = tn_map_find(&cg->recursive, v.callee->id, NULL) &&
                    tn_map_find(&cg->cur->vars, cg->depth->id, &outer);
  if (is_counted) {
    count_depth(&v, (LLVMValueRef)(uintptr_t)outer);
  }
  bind_args(&v);
  bool has_ret = !tn_is_none(v.callee->in[TN_PRIM_FUNC_RET]);
  LLVMValueRef ret_slot = has_ret ? tn_cg_stack(cg, cg->i64, 2, 16, "result") : NULL;
  LLVMValueRef code = call_body(&v, ret_slot);
  restore_vars(&v, old);
  tn_cg_leave_if_failed(cg, code);
  TN_VEC_DEINIT(&v.inputs);
  tn_map_deinit(&v.bound);
  free(v.args);
  return has_ret ? read_result(cg, ret_slot, v.callee->in[TN_PRIM_FUNC_RET]->dtype)
                 : tn_cg_zero(cg, dtype);
}
