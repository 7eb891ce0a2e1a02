/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of one loop function by another. The callee is compiled when it is called first, once for
 * each choice of parameters that get a bare pointer, and runs on a machine of its own; its
 * parameters lie over the caller's memory from the argument on, to the end of that memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tir/interp/check_priv.h"
#include "tir/interp/interp_priv.h"

enum { MAX_CALL_DEPTH = TN_TIR_MAX_CALL_DEPTH };

/* ---- compiling ---- */

tn_status tn_icomp_invoke(tn_icomp *c, const tn_node *n, tn_ival *out) {
  const tn_node *args = n->in[TN_INVOKE_ARGS];
  tn_iinvoke invoke = {.name = n->in[TN_INVOKE_CALLEE]->attr.text, .n_args = args->n_in};
  tn_arena *arena = &c->prog->arena;
  tn_iinvoke_arg *own = TN_ARENA_ARRAY(arena, tn_iinvoke_arg, args->n_in + 1);
  bool *is_pointer = TN_ARENA_ARRAY(arena, bool, args->n_in + 1);
  invoke.name = tn_arena_strndup(arena, invoke.name, strlen(invoke.name));
  for (uint32_t i = 0; i < args->n_in; ++i) {
    own[i] = (tn_iinvoke_arg){.buffer = -1, .dtype = args->in[i]->dtype};
    is_pointer[i] = tn_dtype_is_handle(args->in[i]->dtype) && !tn_is(args->in[i], TN_OP_BUFFER);
    if (tn_is(args->in[i], TN_OP_BUFFER)) {
      TN_TRY(tn_icomp_use_buffer(c, args->in[i], &own[i].buffer));
    } else {
      TN_TRY(tn_icomp_scalar(c, args->in[i], &own[i].slot));
    }
  }
  invoke.args = own;
  invoke.is_pointer = is_pointer;
  *out = tn_icomp_new_value(c, 1);
  TN_VEC_PUSH(&c->prog->invokes, invoke);
  tn_icomp_emit(c, TN_IOP_INVOKE, 0, tn_icomp_lane(c, *out, 0), 0, 0,
                (int32_t)c->prog->invokes.len - 1);
  ++c->epoch; /* it may have written anywhere */
  return NULL;
}

/* ---- running ---- */

static bool same_pointers(const bool *a, const bool *b, uint32_t n) {
  return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static tn_status find_callee(tn_ivm *vm, tn_iinvoke *invoke) {
  tn_tir_program *root = vm->prog->root;
  const tn_module *module = vm->hooks->module;
  const tn_node *func = module == NULL ? NULL : tn_module_find(module, invoke->name);
  if (func == NULL || !tn_is(func, TN_OP_PRIM_FUNC) ||
      func->in[TN_PRIM_FUNC_PARAMS]->n_in != invoke->n_args) {
    return TN_ERR(TN_NOT_FOUND, "%s calls '%s', and there is no such loop function here",
                  vm->prog->func->attr.text, invoke->name);
  }
  for (size_t i = 0; i < root->callees.len; ++i) {
    tn_tir_program *known = root->callees.data[i];
    if (known->func == func &&
        same_pointers(known->is_pointer, invoke->is_pointer, invoke->n_args)) {
      invoke->callee = known;
      return NULL;
    }
  }
  TN_TRY(tn_icomp_program(vm->prog->ir, func, invoke->is_pointer, vm->prog->is_checked,
                          &invoke->callee));
  invoke->callee->root = root;
  TN_VEC_PUSH(&root->callees, invoke->callee);
  return NULL;
}

/* What lies behind `mem` from a byte on. */
static tn_imem memory_from(const tn_imem *mem, uint64_t at) {
  tn_imem part = *mem;
  at = at < mem->n_bytes ? at : mem->n_bytes;
  part.cap = 0;
  if (!mem->is_foreign) {
    part.data = mem->data == NULL ? NULL : mem->data + at;
    part.n_bytes = mem->n_bytes - at;
    part.shadow_at += at;
  }
  return part;
}

/* A buffer without declared strides wants its elements side by side. */
static tn_status check_compact(const tn_ivm *vm, const tn_iinvoke *invoke, uint32_t i,
                               const tn_array *array, const int64_t *strides) {
  const tn_node *want = invoke->callee->func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  int64_t stride = 1;
  if (!tn_is(want, TN_OP_BUFFER) || want->in[TN_BUFFER_STRIDES]->n_in != 0 ||
      tn_array_n_elems(array) == 0) {
    return NULL;
  }
  for (int32_t d = array->ndim; d-- > 0;) {
    if (strides[d] != stride && array->shape[d] > 1) {
      return TN_ERR(TN_INVALID,
                    "%s.strides[%d] of argument %u when calling %s: expected %" PRId64
                    ", got %" PRId64,
                    want->attr.text, d, i, invoke->callee->signature, stride, strides[d]);
    }
    stride *= array->shape[d];
  }
  (void)vm;
  return NULL;
}

static tn_status give_buffer(const tn_ivm *vm, const tn_iinvoke *invoke, uint32_t i,
                             tn_array *array, tn_igiven *given) {
  int32_t number = invoke->args[i].buffer;
  const tn_ibuf *buf = &vm->bufs[number];
  const tn_node *node = vm->prog->buffers.data[number];
  *array = (tn_array){.dtype = node->dtype, .ndim = (int32_t)buf->ndim, .is_view = true};
  for (uint32_t d = 0; d < buf->ndim; ++d) {
    array->shape[d] = buf->dims[d].extent;
    given->strides[d] = buf->dims[d].stride / (int64_t)tn_unit_of_elem(node->dtype);
  }
  bool is_packed = tn_dtype_is_packed(node->dtype);
  if (is_packed && buf->offset % 2 != 0) {
    return TN_ERR(TN_UNSUPPORTED, "%s gives '%s' buffer '%s', which begins inside a byte",
                  vm->prog->func->attr.text, invoke->name, node->attr.text);
  }
  given->mem = memory_from(&vm->mems[buf->mem], (uint64_t)buf->offset / (is_packed ? 2 : 1));
  array->data = given->mem.data;
  return check_compact(vm, invoke, i, array, given->strides);
}

static tn_status give_arg(const tn_ivm *vm, const tn_iinvoke *invoke, uint32_t i, tn_tir_arg *arg,
                          tn_array *array, tn_igiven *given) {
  tn_dtype dtype = invoke->args[i].dtype;
  if (invoke->args[i].buffer >= 0) {
    arg->array = array;
    return give_buffer(vm, invoke, i, array, given);
  }
  tn_ireg value = vm->slots[invoke->args[i].slot];
  uint32_t mem = 0;
  uint64_t at = 0;
  given->mem.is_foreign = true;
  if (!tn_dtype_is_handle(dtype)) {
    arg->is_float = tn_dtype_is_float(dtype);
    arg->f64 = dtype == TN_DT_F64 ? value.d : (double)value.f;
    arg->i64 = value.i;
  } else if (tn_ivm_decode(vm, value.u, &mem, &at)) {
    given->mem = memory_from(&vm->mems[mem], at);
    *array = (tn_array){.data = given->mem.data, .dtype = TN_DT_U8, .is_view = true};
    arg->array = array; /* bytes, of which nothing else is known */
  } else {
    given->mem.raw = value.u;
  }
  return NULL;
}

tn_status tn_ivm_invoke(tn_ivm *vm, const tn_ins *in) {
  tn_iinvoke *invoke = &vm->prog->invokes.data[in->c];
  uint32_t n = invoke->n_args;
  tn_status st = NULL;
  if (vm->depth >= MAX_CALL_DEPTH) {
    return tn_ivm_error(vm, in, "recursion-too-deep", "more than %d calls inside each other",
                        MAX_CALL_DEPTH);
  }
  TN_TRY(invoke->callee == NULL ? find_callee(vm, invoke) : NULL);
  tn_tir_arg *args = calloc(n + 1, sizeof *args);
  tn_array *arrays = calloc(n + 1, sizeof *arrays);
  tn_igiven *given = calloc(n + 1, sizeof *given);
  TN_CHECK(args != NULL && arrays != NULL && given != NULL, "out of memory: %u arguments", n);
  for (uint32_t i = 0; i < n; ++i) {
    TN_GOTO(st, give_arg(vm, invoke, i, &args[i], &arrays[i], &given[i]), done);
  }
  tn_ivm own = {.prog = invoke->callee,
                .args = args,
                .n_args = (int32_t)n,
                .lists = invoke->callee->lists.data,
                .given = given,
                .depth = vm->depth + 1,
                .hooks = vm->hooks,
                .steps = vm->steps};
  if (vm->check != NULL) {
    const tn_iwhere *where = tn_check_where(vm, in);
    vm->check->n_forks = vm->n_outer_forks + (where == NULL ? 0 : (uint32_t)where->n_forks);
    vm->check->n_nodes = vm->n_outer_nodes + (where == NULL ? 0 : (uint32_t)where->n_nodes);
  }
  TN_GOTO(st, tn_ivm_execute(&own), done);
  vm->steps = own.steps;
  vm->slots[in->d] = own.ret;
done:
  free(args);
  free(arrays);
  free(given);
  return st;
}
