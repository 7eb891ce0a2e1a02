/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The interpreter's door: compiles a function, checks the arguments of a call and runs it. */
#include "tir/tir.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tir/interp/check_priv.h"

/* ---- programs ---- */

static tn_status compile(tn_tir_program *prog) {
  tn_icomp c = {.prog = prog, .where = -1};
  c.memo = calloc(tn_ir_n_ids(prog->ir), sizeof *c.memo);
  if (c.memo == NULL) {
    return TN_ERR(TN_NO_MEMORY, "%s: no memory to compile it", prog->func->attr.text);
  }
  tn_status st = tn_icomp_func(&c);
  free(c.memo);
  TN_VEC_DEINIT(&c.vals);
  TN_VEC_DEINIT(&c.slots);
  TN_VEC_DEINIT(&c.bound);
  TN_VEC_DEINIT(&c.loose);
  TN_VEC_DEINIT(&c.exits);
  tn_map_deinit(&c.const_at);
  tn_map_deinit(&c.domain_of);
  TN_VEC_DEINIT(&c.loops);
  tn_map_deinit(&c.value_of);
  return st;
}

tn_status tn_icomp_program(const tn_ir *ir, const tn_node *func, const bool *is_pointer,
                           bool is_checked, tn_tir_program **out_program) {
  if (!tn_is(func, TN_OP_PRIM_FUNC)) {
    return TN_ERR(TN_INVALID, "'%s' is not a loop-level function", func->attr.text);
  }
  if (func->depth > TN_MAX_DEPTH) {
    return TN_ERR(TN_UNSUPPORTED, "%s: nested %u deep: at most %d", func->attr.text, func->depth,
                  TN_MAX_DEPTH);
  }
  tn_tir_program *prog = calloc(1, sizeof *prog);
  if (prog == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for a program");
  }
  tn_arena_init(&prog->arena, 0);
  prog->ir = ir;
  prog->func = func;
  prog->is_checked = is_checked;
  prog->is_pointer = is_pointer;
  prog->root = prog;
  tn_buf text = TN_BUF_INIT;
  tn_tir_signature(func, &text);
  prog->signature = tn_arena_strndup(&prog->arena, tn_buf_text(&text), text.len);
  tn_buf_deinit(&text);
  tn_status st = compile(prog);
  if (st != NULL) {
    tn_tir_program_free(prog);
    return st;
  }
  *out_program = prog;
  return NULL;
}

tn_status tn_tir_program_new(const tn_ir *ir, const tn_node *func, tn_tir_program **out_program) {
  return tn_icomp_program(ir, func, NULL, false, out_program);
}

void tn_tir_program_free(tn_tir_program *prog) {
  if (prog == NULL) {
    return;
  }
  for (size_t i = 0; i < prog->callees.len; ++i) {
    tn_tir_program_free(prog->callees.data[i]);
  }
  TN_VEC_DEINIT(&prog->callees);
  TN_VEC_DEINIT(&prog->invokes);
  TN_VEC_DEINIT(&prog->code);
  TN_VEC_DEINIT(&prog->places);
  TN_VEC_DEINIT(&prog->lists);
  TN_VEC_DEINIT(&prog->consts);
  TN_VEC_DEINIT(&prog->buffers);
  TN_VEC_DEINIT(&prog->mems);
  TN_VEC_DEINIT(&prog->texts);
  TN_VEC_DEINIT(&prog->calls);
  TN_VEC_DEINIT(&prog->where_at);
  TN_VEC_DEINIT(&prog->wheres);
  TN_VEC_DEINIT(&prog->blocks);
  TN_VEC_DEINIT(&prog->regions);
  tn_arena_deinit(&prog->arena);
  free(prog);
}

/* ---- arguments ---- */

static tn_status check_array(const tn_ivm *vm, int32_t i, const tn_node *buffer,
                             const tn_array *array) {
  const char *signature = vm->prog->signature;
  const char *name = buffer->attr.text;
  if (array == NULL) {
    return TN_ERR(TN_INVALID, "argument %d when calling %s: expected tensor, got a number", i,
                  signature);
  }
  if (array->ndim != (int32_t)tn_buffer_ndim(buffer)) {
    return TN_ERR(TN_INVALID, "%s.ndim of argument %d when calling %s: expected %u, got %d", name,
                  i, signature, tn_buffer_ndim(buffer), array->ndim);
  }
  if (array->dtype != buffer->dtype) {
    char expected[TN_DTYPE_TEXT_BYTES];
    char got[TN_DTYPE_TEXT_BYTES];
    return TN_ERR(TN_INVALID, "%s.dtype of argument %d when calling %s: expected %s, got %s", name,
                  i, signature, tn_dtype_print(buffer->dtype, expected),
                  tn_dtype_print(array->dtype, got));
  }
  return NULL;
}

static tn_ireg scalar_slot(tn_dtype dtype, const tn_tir_arg *arg) {
  uint64_t word = 0;
  tn_ireg slot = {.u = 0};
  tn_array one = {.data = &word, .dtype = dtype, .is_view = true};
  if (dtype == TN_DT_F64) {
    slot.d = arg->f64;
  } else if (tn_dtype_is_float(dtype)) {
    tn_array_set_f64(&one, 0, arg->f64);
    slot.f = (float)tn_array_get_f64(&one, 0);
  } else {
    tn_array_set_i64(&one, 0, arg->i64);
    slot.i = tn_array_get_i64(&one, 0);
  }
  return slot;
}

/* An integer has to fit its type; for bool all but 0 is true. */
static tn_status check_integer(const tn_ivm *vm, int32_t i, const tn_node *param) {
  char expected[TN_DTYPE_TEXT_BYTES];
  if (tn_dtype_is_float(param->dtype) || tn_dtype_is_bool(param->dtype) ||
      vm->slots[i].i == vm->args[i].i64) {
    return NULL;
  }
  return TN_ERR(TN_INVALID, "%s of argument %d when calling %s: expected %s, got %" PRId64,
                param->attr.text, i, vm->prog->signature, tn_dtype_print(param->dtype, expected),
                vm->args[i].i64);
}

tn_status tn_ivm_check_args(tn_ivm *vm) {
  const tn_node *params = vm->prog->func->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = vm->prog->func->in[TN_PRIM_FUNC_BUFFERS];
  if (vm->n_args != (int32_t)params->n_in) {
    return TN_ERR(TN_INVALID, "number of arguments when calling %s: expected %u, got %d",
                  vm->prog->signature, params->n_in, vm->n_args);
  }
  for (int32_t i = 0; i < vm->n_args; ++i) {
    const tn_node *param = params->in[i];
    const tn_array *array = vm->args[i].array;
    bool is_buffer = !tn_is_none(buffers->in[i]);
    bool is_pointer = vm->prog->is_pointer != NULL && vm->prog->is_pointer[i];
    TN_TRY(is_buffer && !is_pointer ? check_array(vm, i, buffers->in[i], array) : NULL);
    if (!is_buffer && array != NULL && !tn_dtype_is_handle(param->dtype)) {
      return TN_ERR(TN_INVALID, "argument %d when calling %s: expected a number, got tensor", i,
                    vm->prog->signature);
    }
    if (!is_buffer && vm->args[i].is_float && !tn_dtype_is_float(param->dtype)) {
      return TN_ERR(TN_INVALID, "%s of argument %d when calling %s: expected int, got float",
                    param->attr.text, i, vm->prog->signature);
    }
    if (vm->given != NULL) {
      vm->mems[i] = vm->given[i].mem;
    } else if (array != NULL) {
      vm->mems[i] = (tn_imem){.data = array->data, .n_bytes = tn_array_n_bytes(array)};
    } else {
      vm->mems[i] = (tn_imem){.is_foreign = true, .raw = (uint64_t)vm->args[i].i64};
    }
    if (tn_dtype_is_handle(param->dtype)) {
      vm->slots[i].u = ((uint64_t)i + 1) << TN_HANDLE_SHIFT;
    } else {
      vm->slots[i] = scalar_slot(param->dtype, &vm->args[i]);
      TN_TRY(check_integer(vm, i, param));
    }
  }
  return NULL;
}

/* ---- calls ---- */

/* An array over a buffer's memory for a function called by name, where the buffer is dense. */
static bool buffer_array(const tn_ivm *vm, int32_t number, tn_array *out) {
  const tn_ibuf *buf = &vm->bufs[number];
  tn_dtype dtype = vm->prog->buffers.data[number]->dtype;
  uint64_t stride = tn_dtype_bytes(dtype);
  bool is_dense = !tn_dtype_is_packed(dtype) && tn_dtype_lanes(dtype) == 1;
  *out = (tn_array){.dtype = dtype, .ndim = (int32_t)buf->ndim, .is_view = true};
  for (uint32_t k = buf->ndim; k-- > 0;) {
    int64_t extent = buf->dims[k].extent;
    is_dense = is_dense && (buf->dims[k].stride == (int64_t)stride || extent <= 1);
    out->shape[k] = extent;
    stride *= (uint64_t)extent;
  }
  if (is_dense && stride == 0) { /* nothing is in it */
    return true;
  }
  out->data = buf->data + buf->offset;
  return is_dense && (uint64_t)buf->offset < buf->n_ok &&
         (uint64_t)buf->offset + stride <= vm->mems[buf->mem].n_bytes;
}

static void *raw_pointer(const tn_ivm *vm, uint64_t handle) {
  uint64_t mem = handle >> TN_HANDLE_SHIFT;
  if (mem == 0 || mem > vm->prog->mems.len) {
    return NULL;
  }
  const tn_imem *m = &vm->mems[mem - 1];
  uint64_t offset = handle & ((UINT64_C(1) << TN_HANDLE_SHIFT) - 1);
  return m->is_foreign ? (void *)(uintptr_t)m->raw : m->data + offset;
}

/* A handle goes as the address it stands for, a buffer as a tensor: as compiled code has it. */
static tn_status call_arg(const tn_ivm *vm, const tn_icall *call, uint32_t i, tn_array *array,
                          tn_tir_arg *out) {
  tn_dtype dtype = call->args[i].dtype;
  if (call->args[i].text != NULL) {
    *out = (tn_tir_arg){.text = call->args[i].text};
    return NULL;
  }
  if (call->args[i].buffer >= 0) {
    *out = (tn_tir_arg){.array = array};
    return buffer_array(vm, call->args[i].buffer, array)
               ? NULL
               : TN_ERR(TN_UNSUPPORTED,
                        "buffer '%s' as argument %u: the interpreter gives buffers whose elements "
                        "lie side by side",
                        vm->prog->buffers.data[call->args[i].buffer]->attr.text, i);
  }
  tn_ireg value = vm->slots[call->args[i].slot];
  if (tn_dtype_is_handle(dtype)) {
    *out = (tn_tir_arg){.is_pointer = true, .i64 = (int64_t)(uintptr_t)raw_pointer(vm, value.u)};
  } else if (tn_dtype_is_float(dtype)) {
    *out = (tn_tir_arg){.f64 = dtype == TN_DT_F64 ? value.d : (double)value.f, .is_float = true};
  } else {
    *out = (tn_tir_arg){.i64 = value.i};
  }
  return NULL;
}

tn_status tn_ivm_call(tn_ivm *vm, const tn_ins *in) {
  const tn_icall *call = &vm->prog->calls.data[in->c];
  if (vm->hooks->call_packed == NULL) {
    return TN_ERR(TN_UNSUPPORTED,
                  "%s calls '%s' by name, and nothing here offers functions by name",
                  vm->prog->func->attr.text, call->name);
  }
  tn_tir_arg *args = calloc(call->n_args + 1, sizeof *args);
  tn_array *arrays = calloc(call->n_args + 1, sizeof *arrays);
  tn_tir_arg ret = {0};
  TN_CHECK(args != NULL && arrays != NULL, "out of memory: %u arguments", call->n_args);
  tn_status st = NULL;
  for (uint32_t i = 0; i < call->n_args && st == NULL; ++i) {
    st = call_arg(vm, call, i, &arrays[i], &args[i]);
  }
  for (uint32_t i = 0; i < call->n_args && vm->check != NULL; ++i) {
    uint32_t mem = 0;
    uint64_t at = 0;
    if (args[i].is_pointer && tn_ivm_decode(vm, vm->slots[call->args[i].slot].u, &mem, &at)) {
      tn_check_wrote_all(vm, mem);
    }
  }
  if (st == NULL) {
    st = vm->hooks->call_packed(vm->hooks->ctx, call->name, args, (int32_t)call->n_args, &ret);
  }
  free(args);
  free(arrays);
  vm->slots[in->d].i = 0; /* as in compiled code: the call is a statement */
  return tn_status_wrap(st, "%s: calling '%s'", vm->prog->func->attr.text, call->name);
}

/* ---- running ---- */

static void set_result(const tn_ivm *vm, tn_tir_arg *out_ret) {
  const tn_node *ret = vm->prog->func->in[TN_PRIM_FUNC_RET];
  *out_ret = (tn_tir_arg){0};
  if (!vm->has_ret) {
    return;
  }
  tn_dtype dtype = tn_is_none(ret) ? TN_DT_I32 : ret->dtype;
  if (tn_dtype_is_float(dtype)) {
    out_ret->f64 = dtype == TN_DT_F64 ? vm->ret.d : (double)vm->ret.f;
  } else {
    out_ret->i64 = vm->ret.i;
  }
}

/* Memory of a run: slots with the constants below them, buffers and memories. */
static void init_buffers(tn_ivm *vm) {
  const tn_tir_program *prog = vm->prog;
  for (size_t i = 0; i < prog->buffers.len; ++i) {
    vm->bufs[i].ndim = tn_buffer_ndim(prog->buffers.data[i]);
  }
  for (size_t i = 0; i < prog->mems.len; ++i) {
    const tn_array *array = prog->mems.data[i];
    if (array != NULL) {
      vm->mems[i] =
          (tn_imem){.data = array->data, .n_bytes = tn_array_n_bytes(array), .is_const = true};
    }
  }
}

static tn_status run_checked(tn_ivm *vm) {
  vm->check = vm->hooks->checker;
  tn_status st = tn_check_begin(vm);
  st = st == NULL ? tn_ivm_run(vm) : st;
  tn_check_end(vm);
  return st;
}

tn_status tn_ivm_execute(tn_ivm *vm) {
  const tn_tir_program *prog = vm->prog;
  tn_status st = NULL;
  size_t n_consts = prog->consts.len;
  tn_ireg *slots = calloc(n_consts + (size_t)prog->n_slots + 1, sizeof *slots);
  vm->bufs = calloc(prog->buffers.len + 1, sizeof *vm->bufs);
  vm->mems = calloc(prog->mems.len + 1, sizeof *vm->mems);
  vm->blocks = calloc(prog->blocks.len + 1, sizeof *vm->blocks);
  if (slots == NULL || vm->bufs == NULL || vm->mems == NULL || vm->blocks == NULL) {
    st = TN_ERR(TN_NO_MEMORY, "%s: no memory to run it", prog->func->attr.text);
    goto done;
  }
  vm->slots = slots + n_consts;
  for (size_t i = 0; i < n_consts; ++i) {
    slots[n_consts - 1 - i] = prog->consts.data[i];
  }
  init_buffers(vm);
  TN_GOTO(st, tn_ivm_check_args(vm), done);
  TN_GOTO(st, prog->is_checked ? run_checked(vm) : tn_ivm_run(vm), done);
done:
  for (size_t i = 0; vm->mems != NULL && i < prog->mems.len; ++i) {
    if (vm->mems[i].cap != 0) {
      free(vm->mems[i].data);
    }
  }
  free(vm->blocks);
  free(vm->mems);
  free(vm->bufs);
  free(slots);
  return st;
}

tn_status tn_tir_program_run(const tn_tir_program *prog, const tn_tir_arg *args, int32_t n_args,
                             const tn_tir_hooks *hooks, tn_tir_arg *out_ret) {
  static const tn_tir_hooks no_hooks = {0};
  tn_ivm vm = {.prog = prog, .args = args, .n_args = n_args, .lists = prog->lists.data};
  vm.hooks = hooks != NULL ? hooks : &no_hooks;
  vm.steps = vm.hooks->max_steps > 0 ? vm.hooks->max_steps : INT64_MAX;
  TN_TRY(tn_ivm_execute(&vm));
  if (out_ret != NULL) {
    set_result(&vm, out_ret);
  }
  return NULL;
}

tn_status tn_tir_interp(const tn_module *module, const char *func, const tn_tir_arg *args,
                        int32_t n_args, const tn_tir_hooks *hooks, tn_tir_arg *out_ret) {
  const tn_node *node = tn_module_find(module, func);
  tn_tir_program *prog = NULL;
  if (node == NULL) {
    return TN_ERR(TN_NOT_FOUND, "the module has no function '%s'", func);
  }
  tn_tir_hooks own = {0};
  if (hooks != NULL) {
    own = *hooks;
  }
  own.module = module;
  TN_TRY(tn_icomp_program(module->ir, node, NULL, own.checker != NULL, &prog));
  tn_status st = tn_tir_program_run(prog, args, n_args, &own, out_ret);
  tn_tir_program_free(prog);
  return st;
}
