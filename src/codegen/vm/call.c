/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls and the other operators of VM form as instructions. What has no instruction is either a
 * function of the host by the name "vm.builtin.<operator>", or an error that names it. */
#include <inttypes.h>

#include "base/check.h"
#include "codegen/vm/vm_emit.h"

/* An instruction whose last operand is a count and so many argument words. */
typedef struct call_words {
  TN_VEC(int64_t) words;
  size_t count_at;
} call_words;

static void begin(call_words *c, int32_t n, const int64_t *words) {
  for (int32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&c->words, words[i]);
  }
  c->count_at = c->words.len;
  TN_VEC_PUSH(&c->words, 0);
}

static void push_word(call_words *c, int64_t word) {
  TN_VEC_PUSH(&c->words, word);
  ++c->words.data[c->count_at];
}

/* Items of a LIST or TUPLE, from `first` on. */
static tn_status push_args(tn_vm_func *f, call_words *c, const tn_node *args, uint32_t first) {
  for (uint32_t i = first; i < args->n_in; ++i) {
    int64_t word = 0;
    TN_TRY(tn_vm_arg(f, args->in[i], &word));
    push_word(c, word);
  }
  return NULL;
}

static void finish(tn_vm_func *f, call_words *c, tn_status st) {
  if (st == NULL) {
    tn_vm_put(f, (int32_t)c->words.len, c->words.data);
  }
  TN_VEC_DEINIT(&c->words);
}

/* ---- calls of functions ---- */

/* A kernel, a VM function or a host function by its entry in FUNCS. The result register is chosen
 * after the arguments: it may be one that they only needed for a moment. */
static tn_status call_index(tn_vm_func *f, const tn_node *var, int64_t index, const tn_node *args,
                            uint32_t first) {
  bool is_kernel = f->t->funcs.data[index].kind == TN_EXEC_FN_KERNEL;
  call_words c = {0};
  begin(&c, 3, (int64_t[]){TN_VM_CALL, -1, index});
  tn_status st = push_args(f, &c, args, first);
  if (st == NULL && !is_kernel) {
    c.words.data[1] = tn_vm_dst(f, var);
  }
  finish(f, &c, st);
  return st;
}

static tn_status call_in_reg(tn_vm_func *f, const tn_node *var, const tn_node *callee,
                             const tn_node *args, uint32_t first) {
  call_words c = {0};
  uint32_t reg = 0;
  TN_TRY(tn_vm_arg_reg(f, callee, &reg));
  begin(&c, 3, (int64_t[]){TN_VM_CALL_VALUE, -1, reg});
  tn_status st = push_args(f, &c, args, first);
  if (st == NULL) {
    c.words.data[1] = tn_vm_dst(f, var);
  }
  finish(f, &c, st);
  return st;
}

static tn_status call_callee(tn_vm_func *f, const tn_node *var, const tn_node *callee,
                             const tn_node *args, uint32_t first) {
  if (callee->op == TN_OP_EXTERN) {
    return call_index(f, var, tn_vm_packed(f->t, callee->attr.text), args, first);
  }
  if (callee->op != TN_OP_GLOBAL) {
    return call_in_reg(f, var, callee, args, first);
  }
  const tn_node *func = tn_module_find(f->module, callee->attr.text);
  bool is_kernel = func != NULL && func->op == TN_OP_PRIM_FUNC;
  int64_t index = tn_vm_func_find(is_kernel ? &f->t->kernels : &f->t->vm_funcs, callee->attr.text);
  if (index < 0) {
    return TN_ERR(TN_NOT_FOUND, "the module has no function '%s'", callee->attr.text);
  }
  uint32_t n_params =
      is_kernel ? func->in[TN_PRIM_FUNC_PARAMS]->n_in : f->t->funcs.data[index].n_params;
  if (args->n_in - first != n_params) {
    return TN_ERR(TN_INVALID, "'%s' takes %u arguments, the call gives %u", callee->attr.text,
                  n_params, args->n_in - first);
  }
  return call_index(f, var, index, args, first);
}

/* ---- calls in the last place ---- */

static bool is_param(const tn_vm_func *f, const tn_node *var) {
  const tn_node *params = f->func->in[TN_GFUNC_PARAMS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    if (params->in[i] == var) {
      return true;
    }
  }
  return false;
}

void tn_vm_note_closure(tn_vm_func *f, const tn_node *bind) {
  const tn_node *call = bind->in[TN_BIND_VALUE];
  if (!tn_is_builtin(call, TN_BUILTIN_MAKE_CLOSURE) || tn_call_arg(call, 0)->op != TN_OP_GLOBAL) {
    return;
  }
  const tn_node *captured = tn_call_arg(call, 1);
  for (uint32_t i = 0; i < captured->n_in; ++i) {
    const tn_node *item = captured->in[i];
    if (item->op != TN_OP_SHAPE && item->op != TN_OP_CONST && !is_param(f, item)) {
      return;
    }
  }
  tn_map_set(&f->closures, bind->in[TN_BIND_VAR]->id, (uint64_t)(uintptr_t)call);
}

static const tn_node *closure_of(const tn_vm_func *f, const tn_node *callee) {
  union {
    uint64_t bits;
    const tn_node *call;
  } u = {0};
  return tn_map_find(&f->closures, callee->id, &u.bits) ? u.call : NULL;
}

bool tn_vm_is_tail_call(tn_vm_func *f, const tn_node *invoke) {
  if (invoke->op != TN_OP_INVOKE) {
    return false;
  }
  const tn_node *callee = invoke->in[TN_INVOKE_CALLEE];
  const tn_node *closure = closure_of(f, callee);
  callee = closure != NULL ? tn_call_arg(closure, 0) : callee;
  return callee->op == TN_OP_GLOBAL && tn_vm_func_find(&f->t->vm_funcs, callee->attr.text) >= 0;
}

tn_status tn_vm_tail_call(tn_vm_func *f, const tn_node *invoke) {
  const tn_node *callee = invoke->in[TN_INVOKE_CALLEE];
  const tn_node *closure = closure_of(f, callee);
  callee = closure != NULL ? tn_call_arg(closure, 0) : callee;
  int64_t index = tn_vm_func_find(&f->t->vm_funcs, callee->attr.text);
  call_words c = {0};
  begin(&c, 2, (int64_t[]){TN_VM_TAIL_CALL, index});
  tn_status st = push_args(f, &c, invoke->in[TN_INVOKE_ARGS], 0);
  if (st == NULL && closure != NULL) {
    st = push_args(f, &c, tn_call_arg(closure, 1), 0);
  }
  uint32_t n_params = f->t->funcs.data[index].n_params;
  if (st == NULL && c.words.data[c.count_at] != (int64_t)n_params) {
    st = TN_ERR(TN_INVALID, "'%s' takes %u arguments, the call gives %lld", callee->attr.text,
                n_params, (long long)c.words.data[c.count_at]);
  }
  finish(f, &c, st);
  return st;
}

static tn_status make_closure(tn_vm_func *f, const tn_node *var, const tn_node *call) {
  const tn_node *callee = tn_call_arg(call, 0);
  int64_t func = 0;
  TN_TRY(tn_vm_arg(f, callee, &func));
  if (TN_ARGW_KIND(func) != TN_ARGW_FUNC) {
    return TN_ERR(TN_UNSUPPORTED, "a closure over what is no function of the module");
  }
  call_words c = {0};
  begin(&c, 3, (int64_t[]){TN_VM_MAKE_CLOSURE, 0, TN_ARGW_VALUE(func)});
  tn_status st = push_args(f, &c, tn_call_arg(call, 1), 0);
  if (st == NULL) {
    c.words.data[1] = tn_vm_define(f, var);
  }
  finish(f, &c, st);
  return st;
}

/* A function of the runtime; `head`, when there is one, comes before the arguments. */
static tn_status call_runtime(tn_vm_func *f, const tn_node *var, const char *name,
                              const tn_node *head, const tn_node *args) {
  call_words c = {0};
  begin(&c, 3, (int64_t[]){TN_VM_CALL, -1, tn_vm_packed(f->t, name)});
  tn_status st = NULL;
  if (head != NULL) {
    int64_t word = 0;
    st = tn_vm_arg(f, head, &word);
    push_word(&c, word);
  }
  if (st == NULL) {
    st = push_args(f, &c, args, 0);
  }
  if (st == NULL) {
    c.words.data[1] = tn_vm_dst(f, var);
  }
  finish(f, &c, st);
  return st;
}

/* "list.at" is the runtime's "vm.builtin.list.at". */
static tn_status call_list(tn_vm_func *f, const tn_node *var, const tn_node *call) {
  char name[64];
  (void)snprintf(name, sizeof name, "vm.builtin.%s", call->attr.def->name);
  return call_runtime(f, var, name, NULL, call->in[TN_CALL_ARGS]);
}

static const tn_node *format_of(tn_vm_func *f, const tn_node *call) {
  const tn_node *format = tn_call_field(call, 0);
  return format != NULL ? format : tn_str(f->ir, "");
}

/* ---- memory ---- */

static tn_status device_of(const tn_node *prim, int64_t *out) {
  if (prim->op != TN_OP_PRIM || prim->in[0]->op != TN_OP_INT || prim->in[0]->attr.i64 < 0) {
    return TN_ERR(TN_UNSUPPORTED, "a device that is no constant index");
  }
  *out = prim->in[0]->attr.i64;
  return NULL;
}

static tn_status alloc_storage(tn_vm_func *f, const tn_node *var, const tn_node *call) {
  const tn_node *shape = tn_call_arg(call, 0);
  const tn_node *keep =
      tn_is_builtin(call, TN_BUILTIN_ALLOC_STORAGE) ? tn_call_field(call, 0) : NULL;
  bool is_kept = keep != NULL && tn_is_int(keep, 1);
  int64_t bytes = 0;
  int64_t device = 0;
  if (shape->op != TN_OP_SHAPE || shape->n_in != 1) {
    return TN_ERR(TN_INVALID, "a storage takes a shape of one extent, the number of bytes");
  }
  TN_TRY(tn_vm_size(f, shape->in[0], &bytes));
  TN_TRY(device_of(tn_call_arg(call, 1), &device));
  uint32_t dst = tn_vm_define(f, var);
  if (is_kept) { /* the machine remembers it by its register */
    tn_map_set(&f->is_kept, dst, 1);
  }
  TN_VM_PUT(f, TN_VM_ALLOC_STORAGE, dst, bytes, device, is_kept ? 1 : 0);
  return NULL;
}

static tn_status tensor_in(tn_vm_func *f, const tn_node *var, uint32_t storage, int64_t offset,
                           const tn_node *shape, const tn_node *dtype) {
  if (shape->op != TN_OP_SHAPE || dtype->op != TN_OP_DTYPE) {
    return TN_ERR(TN_UNSUPPORTED, "a tensor whose shape or dtype is computed");
  }
  call_words c = {0};
  begin(&c, 5, (int64_t[]){TN_VM_ALLOC_TENSOR, 0, storage, offset, dtype->attr.i64});
  tn_status st = NULL;
  for (uint32_t d = 0; d < shape->n_in && st == NULL; ++d) {
    int64_t word = 0;
    st = tn_vm_size(f, shape->in[d], &word);
    push_word(&c, word);
  }
  if (st == NULL) {
    c.words.data[1] = tn_vm_define(f, var);
  }
  finish(f, &c, st);
  return st;
}

static tn_status storage_tensor(tn_vm_func *f, const tn_node *var, const tn_node *call) {
  const tn_node *offset = tn_call_arg(call, 1);
  uint32_t storage = 0;
  TN_TRY(tn_vm_arg_reg(f, tn_call_arg(call, 0), &storage));
  if (offset->op != TN_OP_PRIM || offset->in[0]->op != TN_OP_INT || offset->in[0]->attr.i64 < 0) {
    return TN_ERR(TN_UNSUPPORTED, "a tensor at a byte offset that is no constant");
  }
  return tensor_in(f, var, storage, offset->in[0]->attr.i64, tn_call_arg(call, 2),
                   tn_call_arg(call, 3));
}

/* Where plan_memory did not run: a storage for this tensor alone. */
static tn_status alloc_tensor(tn_vm_func *f, const tn_node *var, const tn_node *call) {
  const tn_node *shape = tn_call_arg(call, 0);
  const tn_node *dtype = tn_call_arg(call, 1);
  int64_t device = 0;
  int64_t word = 0;
  if (shape->op != TN_OP_SHAPE || dtype->op != TN_OP_DTYPE) {
    return TN_ERR(TN_UNSUPPORTED, "a tensor whose shape or dtype is computed");
  }
  const tn_node *bytes =
      tn_int(f->ir, TN_DT_I64, (int64_t)tn_dtype_bytes((tn_dtype)dtype->attr.i64));
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    int64_t product = 0;
    bool is_fixed = bytes->op == TN_OP_INT && shape->in[d]->op == TN_OP_INT &&
                    !__builtin_mul_overflow(bytes->attr.i64, shape->in[d]->attr.i64, &product);
    bytes = is_fixed ? tn_int(f->ir, TN_DT_I64, product)
                     : tn_binary(f->ir, TN_OP_MUL, bytes, shape->in[d]);
  }
  TN_TRY(tn_vm_size(f, bytes, &word));
  TN_TRY(device_of(tn_call_arg(call, 2), &device));
  uint32_t storage = tn_vm_temp_reg(f);
  TN_VM_PUT(f, TN_VM_ALLOC_STORAGE, storage, word, device, 0);
  return tensor_in(f, var, storage, 0, shape, dtype);
}

/* The extents of a shape as integer words; one that is not written out is matched into slots. */
static tn_status push_extents(tn_vm_func *f, call_words *c, const tn_node *shape) {
  if (shape->op == TN_OP_SHAPE) {
    for (uint32_t i = 0; i < shape->n_in; ++i) {
      int64_t word = 0;
      TN_TRY(tn_vm_size(f, shape->in[i], &word));
      push_word(c, word);
    }
    return NULL;
  }
  const tn_node *type = shape->op == TN_OP_GVAR ? shape->in[0] : shape;
  if (type->op != TN_OP_TY_SHAPE || type->attr.i64 < 0 || type->attr.i64 > TN_MAX_NDIM) {
    return TN_ERR(TN_INVALID, "the last argument is no shape of a known number of extents");
  }
  enum { HEAD = 6 };
  int64_t n = type->attr.i64;
  int64_t match[HEAD + TN_MAX_NDIM] = {TN_VM_MATCH, 0, -1, TN_VM_MATCH_SHAPE, n, n};
  uint32_t reg = 0;
  TN_TRY(tn_vm_arg_reg(f, shape, &reg));
  match[1] = reg;
  for (int64_t i = 0; i < n; ++i) {
    uint32_t slot = tn_vm_new_slot(f);
    match[HEAD + i] = TN_ARGW(TN_VM_DIM_STORE, slot);
    push_word(c, TN_ARGW(TN_ARGW_SLOT, slot));
  }
  tn_vm_put(f, (int32_t)(HEAD + n), match);
  return NULL;
}

/* f(args, shape): the extents come after the arguments, one number each. */
static tn_status call_tir_dyn(tn_vm_func *f, const tn_node *call) {
  const tn_node *callee = tn_call_arg(call, 0);
  const tn_node *args = tn_call_arg(call, 1);
  int64_t index =
      callee->op == TN_OP_GLOBAL ? tn_vm_func_find(&f->t->kernels, callee->attr.text) : -1;
  if (index < 0 || args->op != TN_OP_TUPLE || args->n_in == 0) {
    return TN_ERR(TN_INVALID, "it takes a loop function and a tuple that ends in a shape");
  }
  call_words c = {0};
  begin(&c, 3, (int64_t[]){TN_VM_CALL, -1, index});
  tn_status st = NULL;
  for (uint32_t i = 0; i + 1 < args->n_in && st == NULL; ++i) {
    int64_t word = 0;
    st = tn_vm_arg(f, args->in[i], &word);
    push_word(&c, word);
  }
  if (st == NULL) {
    st = push_extents(f, &c, args->in[args->n_in - 1]);
  }
  finish(f, &c, st);
  return st;
}

static tn_status kill_object(tn_vm_func *f, const tn_node *var) {
  uint64_t reg = 0;
  if (var->op != TN_OP_GVAR || !tn_map_find(&f->regs, var->id, &reg)) {
    return NULL; /* a constant, or what never had a register */
  }
  TN_VM_PUT(f, TN_VM_KILL, (int64_t)reg);
  tn_map_remove(&f->regs, var->id);
  if (!tn_map_find(&f->is_kept, reg, NULL)) {
    TN_VEC_PUSH(&f->free_regs, (uint32_t)reg);
  }
  return NULL;
}

/* ---- all ---- */

static tn_status move_value(tn_vm_func *f, const tn_node *var, const tn_node *value) {
  int64_t word = 0;
  TN_TRY(tn_vm_arg(f, value, &word));
  uint32_t dst = tn_vm_define(f, var);
  TN_VM_PUT(f, TN_VM_MOVE, dst, word);
  return NULL;
}

/* Instructions that make one value of another: dst reg. */
static tn_status reg_to_reg(tn_vm_func *f, const tn_node *var, const tn_node *call, int64_t op) {
  uint32_t reg = 0;
  TN_TRY(tn_vm_arg_reg(f, tn_call_arg(call, 0), &reg));
  uint32_t dst = tn_vm_define(f, var);
  TN_VM_PUT(f, op, dst, reg);
  return NULL;
}

static tn_status null_value(tn_vm_func *f, const tn_node *var) {
  uint32_t dst = tn_vm_define(f, var);
  TN_VM_PUT(f, TN_VM_KILL, dst); /* an empty register is the absent object */
  return NULL;
}

static tn_status emit_builtin(tn_vm_func *f, const tn_node *var, const tn_node *call) {
  const tn_node *args = call->in[TN_CALL_ARGS];
  switch ((tn_builtin_id)tn_builtin_of(call)) {
    case TN_BUILTIN_VM_CALL_DPS:
    case TN_BUILTIN_CALL_PACKED:
    case TN_BUILTIN_CALL_PURE_PACKED:
    case TN_BUILTIN_CALL_INPLACE_PACKED:
      return call_callee(f, var, args->in[0], args, 1);
    case TN_BUILTIN_CALL_BUILTIN_CTX:
    case TN_BUILTIN_INVOKE_CLOSURE:
    case TN_BUILTIN_INVOKE_PURE_CLOSURE:
      return call_callee(f, var, args->in[0], args->in[1], 0);
    case TN_BUILTIN_MAKE_CLOSURE:
      return make_closure(f, var, call);
    case TN_BUILTIN_PRINT:
      return call_runtime(f, var, "vm.builtin.print", format_of(f, call), args);
    case TN_BUILTIN_ASSERT_OP:
      return call_runtime(f, var, "vm.builtin.assert_op", format_of(f, call), args);
    case TN_BUILTIN_TENSOR_TO_SHAPE:
      return call_runtime(f, var, "vm.builtin.tensor_to_shape", NULL, args);
    case TN_BUILTIN_SHAPE_TO_TENSOR:
      return call_runtime(f, var, "vm.builtin.shape_to_tensor", NULL, args);
    case TN_BUILTIN_LIST_MAKE:
    case TN_BUILTIN_LIST_INSERT:
    case TN_BUILTIN_LIST_ERASE:
    case TN_BUILTIN_LIST_AT:
    case TN_BUILTIN_LIST_LENGTH:
    case TN_BUILTIN_LIST_CONCAT:
    case TN_BUILTIN_LIST_SPLIT:
    case TN_BUILTIN_IS_NULL:
      return call_list(f, var, call);
    case TN_BUILTIN_SHAPE_OF:
      return reg_to_reg(f, var, call, TN_VM_SHAPE_OF);
    case TN_BUILTIN_VM_COPY:
      return reg_to_reg(f, var, call, TN_VM_COPY_TENSOR);
    case TN_BUILTIN_NULL_VALUE:
      return null_value(f, var);
    case TN_BUILTIN_STOP_LIFT_PARAMS:
    case TN_BUILTIN_ENSURE_ZERO_OFFSET: /* all of the machine's tensors do */
      return move_value(f, var, args->in[0]);
    case TN_BUILTIN_TO_VDEVICE:
    case TN_BUILTIN_HINT_ON_DEVICE:
      TN_TRY(tn_check_host_device(call));
      return move_value(f, var, args->in[0]);
    case TN_BUILTIN_MEMORY_VIEW:
      return call_runtime(f, var, "vm.builtin.view", NULL, args);
    case TN_BUILTIN_VM_CALL_TIR_DYN:
      return call_tir_dyn(f, call);
    case TN_BUILTIN_ALLOC_TENSOR:
      return alloc_tensor(f, var, call);
    case TN_BUILTIN_ALLOC_STORAGE:
    case TN_BUILTIN_VM_ALLOC_STORAGE:
      return alloc_storage(f, var, call);
    case TN_BUILTIN_STORAGE_TENSOR:
    case TN_BUILTIN_VM_ALLOC_TENSOR:
      return storage_tensor(f, var, call);
    case TN_BUILTIN_KILL_STORAGE:
    case TN_BUILTIN_KILL_TENSOR:
    case TN_BUILTIN_VM_KILL_OBJECT:
      return kill_object(f, args->in[0]);
    case TN_BUILTIN_CALL_TIR:
    case TN_BUILTIN_CALL_TIR_INPLACE:
    case TN_BUILTIN_CALL_TIR_WITH_GRAD:
    case TN_BUILTIN_CALL_DPS_PACKED:
      return TN_ERR(TN_INVALID, "it is not in the machine's form; lower_call_tir comes first");
  }
  return TN_ERR(TN_UNSUPPORTED, "the operator has no code of its own; legalize_graph comes first");
}

tn_status tn_vm_call_value(tn_vm_func *f, const tn_node *var, const tn_node *value) {
  if (value->op == TN_OP_INVOKE) {
    return call_callee(f, var, value->in[TN_INVOKE_CALLEE], value->in[TN_INVOKE_ARGS], 0);
  }
  return tn_status_wrap(emit_builtin(f, var, value), "R.%s", value->attr.def->name);
}
