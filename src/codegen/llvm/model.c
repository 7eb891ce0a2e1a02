/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A static plan (codegen/model/model.h) as the C functions of `tenon compile --header`. For an entry
 * `main` of a model `net`, over what embed/model.c brings:
 *
 *   main.plan(sizes, out)                  the bytes that these sizes take; no size overflows unseen
 *   main.run(env, sizes, args, storage)    calls the kernels in order
 *   net_main(model, n, x, out, workspace, n_bytes)      puts its arguments into two arrays and calls
 *   net_main_workspace_bytes(model, n)                  tn_embed_run, tn_embed_workspace_bytes
 *   net_main_out_shape(n, dims)            where an output's shape depends on the sizes
 *   net_init, net_free, net_error          of embed/model.c
 *
 * The kernels become internal: only these names are seen from outside. */
#include <stddef.h>
#include <stdlib.h>

#include "abi/kernel.h"
#include "base/check.h"
#include "codegen/llvm/cg.h"
#include "codegen/model/model.h"
#include "embed/model.h"

enum { ALIGN = 64 };

typedef struct emitter {
  tn_cg *cg;
  const tn_model *model;
  const tn_model_entry *entry;
  LLVMValueRef plan;
  LLVMValueRef run;
  LLVMValueRef row;             /* the constant tn_embed_entry */
  LLVMValueRef args;            /* of run: void *const * */
  LLVMValueRef storage;         /* of run */
  LLVMValueRef is_over;         /* of plan: i1 *, set when a number did not fit */
  TN_VEC(LLVMValueRef) offsets; /* of the storages, in bytes */
  tn_map constants;             /* number of a tensor -> its LLVMValueRef */
  tn_strmap kernels;            /* name -> LLVMValueRef */
} emitter;

/* ---- pieces ---- */

static LLVMValueRef at_offset(tn_cg *cg, LLVMValueRef base, size_t n_bytes) {
  LLVMValueRef offset = tn_cg_i64(cg, (int64_t)n_bytes);
  return LLVMBuildGEP2(cg->builder, cg->i8, base, &offset, 1, "");
}

static void store_at(tn_cg *cg, LLVMValueRef value, LLVMValueRef base, size_t n_bytes) {
  LLVMBuildStore(cg->builder, value, at_offset(cg, base, n_bytes));
}

static LLVMValueRef add_function(emitter *e, const char *name, LLVMTypeRef ret, LLVMTypeRef *params,
                                 unsigned n, bool is_exported) {
  if (LLVMGetNamedFunction(e->cg->mod, name) != NULL) {
    tn_cg_fail(e->cg, TN_UNSUPPORTED, "--header: two functions would be called '%s'", name);
  }
  LLVMValueRef fn = LLVMAddFunction(e->cg->mod, name, LLVMFunctionType(ret, params, n, 0));
  LLVMSetLinkage(fn, is_exported ? LLVMExternalLinkage : LLVMInternalLinkage);
  return fn;
}

/* A function of embed/model.c. */
static LLVMValueRef embedded(tn_cg *cg, const char *name, LLVMTypeRef ret, LLVMTypeRef *params,
                             unsigned n) {
  LLVMValueRef fn = LLVMGetNamedFunction(cg->mod, name);
  if (fn == NULL) {
    fn = LLVMAddFunction(cg->mod, name, LLVMFunctionType(ret, params, n, 0));
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
  }
  return fn;
}

/* Straight code of thousands of stores and calls: as it stands, since optimising it saves nothing
 * beside the kernels and takes longer than they do. */
static void begin(emitter *e, tn_cg_func *func, LLVMValueRef fn) {
  tn_cg_func_init(e->cg, func, fn);
  tn_cg_add_attr(e->cg, fn, TN_LLVM_FUNCTION, "noinline", 0);
  tn_cg_add_attr(e->cg, fn, TN_LLVM_FUNCTION, "optnone", 0);
}

static void end(tn_cg *cg) {
  tn_cg_at(cg, tn_cg_block(cg, "end")); /* func_end adds its own return */
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(cg->cur->fn));
  if (type == cg->i32) {
    tn_cg_func_end(cg, NULL, NULL);
    return;
  }
  LLVMBuildUnreachable(cg->builder);
  tn_cg_at(cg, cg->cur->entry);
  LLVMBuildBr(cg->builder, cg->cur->first);
  tn_cg_func_deinit(cg->cur);
  cg->cur = NULL;
}

/* Binds the entry's sizes to the numbers of an array. */
static void bind_sizes(emitter *e, LLVMValueRef sizes) {
  tn_cg *cg = e->cg;
  for (size_t i = 0; i < e->entry->sizes.len; ++i) {
    const tn_node *var = e->entry->sizes.data[i];
    tn_cg_range_set(cg, var, (tn_cg_range){0, INT32_MAX});
    tn_cg_bind_var(cg, var, tn_cg_field(cg, cg->i64, sizes, i * sizeof(int64_t)));
  }
}

/* ---- plan ---- */

static LLVMValueRef checked(emitter *e, const char *intrin, LLVMValueRef a, LLVMValueRef b) {
  tn_cg *cg = e->cg;
  LLVMValueRef args[] = {a, b};
  LLVMValueRef both = tn_cg_llvm_intrin(cg, intrin, cg->i64, args, 2);
  LLVMValueRef is_over = LLVMBuildExtractValue(cg->builder, both, 1, "");
  LLVMValueRef before = LLVMBuildLoad2(cg->builder, cg->i1, e->is_over, "");
  LLVMBuildStore(cg->builder, LLVMBuildOr(cg->builder, before, is_over, ""), e->is_over);
  return LLVMBuildExtractValue(cg->builder, both, 0, "");
}

/* A size with every sum, difference and product checked. */
static LLVMValueRef checked_size(emitter *e, const tn_node *n, tn_map *memo) {
  tn_cg *cg = e->cg;
  uint64_t known = 0;
  if (tn_map_find(memo, n->id, &known)) {
    return (LLVMValueRef)(uintptr_t)known;
  }
  LLVMValueRef out = NULL;
  LLVMValueRef in[3] = {NULL};
  for (uint32_t i = 0; i < n->n_in && i < 3; ++i) {
    in[i] = checked_size(e, n->in[i], memo);
  }
  switch ((int)n->op) {
    case TN_OP_ADD:
      out = checked(e, "llvm.sadd.with.overflow", in[0], in[1]);
      break;
    case TN_OP_SUB:
      out = checked(e, "llvm.ssub.with.overflow", in[0], in[1]);
      break;
    case TN_OP_MUL:
      out = checked(e, "llvm.smul.with.overflow", in[0], in[1]);
      break;
    case TN_OP_SELECT:
      out = LLVMBuildSelect(cg->builder, in[0], in[1], in[2], "");
      break;
    case TN_OP_AND:
      out = LLVMBuildAnd(cg->builder, in[0], in[1], "");
      break;
    case TN_OP_OR:
      out = LLVMBuildOr(cg->builder, in[0], in[1], "");
      break;
    default:
      out = n->n_in == 2 ? tn_cg_binary(cg, n, in[0], in[1]) : tn_cg_expr(cg, n);
      break;
  }
  tn_map_set(memo, n->id, (uint64_t)(uintptr_t)out);
  return out;
}

static const tn_node *rounded(tn_ir *ir, const tn_node *bytes) {
  if (tn_is(bytes, TN_OP_INT)) {
    int64_t n = bytes->attr.i64;
    return tn_int(ir, TN_DT_I64, n > INT64_MAX - ALIGN ? n : (n + ALIGN - 1) / ALIGN * ALIGN);
  }
  const tn_node *align = tn_int(ir, TN_DT_I64, ALIGN);
  bytes = tn_binary(ir, TN_OP_ADD, bytes, tn_int(ir, TN_DT_I64, ALIGN - 1));
  return tn_binary(ir, TN_OP_MUL, tn_binary(ir, TN_OP_FLOORDIV, bytes, align), align);
}

static void emit_plan(emitter *e) {
  tn_cg *cg = e->cg;
  tn_ir *ir = cg->module->ir;
  tn_cg_func func;
  tn_map memo = {0};
  const tn_node *storage = tn_int(ir, TN_DT_I64, 0);
  begin(e, &func, e->plan);
  bind_sizes(e, LLVMGetParam(e->plan, 0));
  e->is_over = tn_cg_stack(cg, cg->i1, 1, 1, "is_over");
  LLVMBuildStore(cg->builder, LLVMConstInt(cg->i1, 0, 0), e->is_over);
  for (size_t i = 0; i < e->entry->storages.len; ++i) {
    storage = tn_model_add(ir, storage, rounded(ir, e->entry->storages.data[i]));
  }
  const struct {
    const tn_node *bytes;
    size_t at;
  } rows[] = {{storage, offsetof(tn_embed_bytes, storage)},
              {rounded(ir, e->entry->scratch), offsetof(tn_embed_bytes, scratch)},
              {rounded(ir, e->entry->thread_scratch), offsetof(tn_embed_bytes, thread_scratch)}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    store_at(cg, checked_size(e, rows[i].bytes, &memo), LLVMGetParam(e->plan, 1), rows[i].at);
  }
  LLVMValueRef is_over = LLVMBuildLoad2(cg->builder, cg->i1, e->is_over, "");
  LLVMBuildRet(cg->builder, LLVMBuildSelect(cg->builder, is_over, tn_cg_i32(cg, TN_MODEL_BAD_SIZE),
                                            tn_cg_i32(cg, 0), ""));
  end(cg);
  tn_map_deinit(&memo);
}

/* ---- run ---- */

static LLVMValueRef bytes_of(emitter *e, const tn_model_tensor *tensor) {
  tn_cg *cg = e->cg;
  int64_t bits = (int64_t)tn_dtype_mem_bits(tensor->dtype);
  LLVMValueRef n = tn_cg_i64(cg, bits < 8 ? 1 : bits / 8);
  for (uint32_t i = 0; i < tensor->shape->n_in; ++i) {
    n = LLVMBuildMul(cg->builder, n, tn_cg_index(cg, tensor->shape->in[i]), "");
  }
  if (bits < 8) { /* two to a byte */
    n = LLVMBuildAdd(cg->builder, n, tn_cg_i64(cg, 1), "");
    n = LLVMBuildLShr(cg->builder, n, tn_cg_i64(cg, 1), "");
  }
  return n;
}

static LLVMValueRef made_sizes(emitter *e, const tn_model_tensor *tensor) {
  tn_cg *cg = e->cg;
  uint32_t n = tensor->sizes->n_in;
  LLVMValueRef slot = tn_cg_stack(cg, cg->i64, n == 0 ? 1 : n, ALIGN, "sizes");
  for (uint32_t i = 0; i < n; ++i) {
    store_at(cg, tn_cg_index(cg, tensor->sizes->in[i]), slot, i * sizeof(int64_t));
  }
  return slot;
}

static LLVMValueRef data_of(emitter *e, uint32_t at) {
  tn_cg *cg = e->cg;
  const tn_model_tensor *tensor = &e->entry->tensors.data[at];
  uint64_t known = 0;
  switch (tensor->kind) {
    case TN_PLACE_ARG:
      return tn_cg_field(cg, cg->ptr, e->args, tensor->at * sizeof(void *));
    case TN_PLACE_STORAGE: {
      LLVMValueRef base =
          LLVMBuildGEP2(cg->builder, cg->i8, e->storage, &e->offsets.data[tensor->at], 1, "");
      return at_offset(cg, base, (size_t)tensor->offset);
    }
    case TN_PLACE_CONST:
      if (!tn_map_find(&e->constants, at, &known)) {
        known = (uint64_t)(uintptr_t)tn_cg_const_array(cg, tensor->array, "constant");
        tn_map_set(&e->constants, at, known);
      }
      return (LLVMValueRef)(uintptr_t)known;
    case TN_PLACE_SIZES:
      return made_sizes(e, tensor);
  }
  return NULL;
}

/* Room for the arguments of one call, used again by the next. */
typedef struct call_room {
  LLVMValueRef args;    /* tn_arg[] */
  LLVMValueRef tensors; /* DLTensor[] */
  LLVMValueRef dims;    /* int64_t[][TN_MAX_NDIM] */
} call_room;

static call_room make_room(emitter *e) {
  tn_cg *cg = e->cg;
  uint32_t most = 1;
  for (size_t i = 0; i < e->entry->steps.len; ++i) {
    uint32_t n = e->entry->steps.data[i].n_args;
    most = n > most ? n : most;
  }
  call_room room;
  room.args = tn_cg_stack(cg, cg->i8, most * sizeof(tn_arg), ALIGN, "args");
  room.tensors = tn_cg_stack(cg, cg->i8, most * sizeof(DLTensor), ALIGN, "tensors");
  room.dims = tn_cg_stack(cg, cg->i64, (uint64_t)most * TN_MAX_NDIM, ALIGN, "dims");
  return room;
}

static void store_tensor(emitter *e, const call_room *room, uint32_t index, uint32_t at) {
  tn_cg *cg = e->cg;
  const tn_model_tensor *tensor = &e->entry->tensors.data[at];
  LLVMValueRef dl = at_offset(cg, room->tensors, index * sizeof(DLTensor));
  LLVMValueRef dims = at_offset(cg, room->dims, (size_t)index * TN_MAX_NDIM * sizeof(int64_t));
  for (uint32_t i = 0; i < tensor->shape->n_in; ++i) {
    store_at(cg, tn_cg_index(cg, tensor->shape->in[i]), dims, i * sizeof(int64_t));
  }
  store_at(cg, data_of(e, at), dl, offsetof(DLTensor, data));
  store_at(cg, tn_cg_i32(cg, kDLCPU), dl, offsetof(DLTensor, device.device_type));
  store_at(cg, tn_cg_i32(cg, 0), dl, offsetof(DLTensor, device.device_id));
  store_at(cg, tn_cg_i32(cg, tensor->shape->n_in), dl, offsetof(DLTensor, ndim));
  store_at(cg, tn_cg_i32(cg, tensor->dtype), dl, offsetof(DLTensor, dtype));
  store_at(cg, dims, dl, offsetof(DLTensor, shape));
  store_at(cg, LLVMConstNull(cg->ptr), dl, offsetof(DLTensor, strides));
  store_at(cg, tn_cg_i64(cg, 0), dl, offsetof(DLTensor, byte_offset));
  LLVMValueRef arg = at_offset(cg, room->args, index * sizeof(tn_arg));
  store_at(cg, tn_cg_i64(cg, TN_ARG_TENSOR), arg, 0);
  store_at(cg, dl, arg, offsetof(tn_arg, u));
}

static void call_kernel(emitter *e, const call_room *room, const tn_model_step *step) {
  tn_cg *cg = e->cg;
  for (uint32_t i = 0; i < step->n_args; ++i) {
    const tn_model_arg *arg = &e->entry->args.data[step->first_arg + i];
    if (arg->number == NULL) {
      store_tensor(e, room, i, arg->tensor);
      continue;
    }
    LLVMValueRef at = at_offset(cg, room->args, i * sizeof(tn_arg));
    store_at(cg, tn_cg_i64(cg, TN_ARG_INT), at, 0);
    store_at(cg, tn_cg_index(cg, arg->number), at, offsetof(tn_arg, u));
  }
  LLVMValueRef kernel = tn_strmap_find(&e->kernels, step->kernel);
  LLVMValueRef args[] = {cg->cur->env, room->args, tn_cg_i32(cg, step->n_args)};
  tn_cg_leave_if_failed(cg, tn_cg_func_call(cg, kernel, args, 3));
  tn_cg_memo_clear(cg);
}

static void leave_unless(tn_cg *cg, LLVMValueRef is_ok, int32_t code) {
  tn_cg_leave_if_failed(
      cg, LLVMBuildSelect(cg->builder, is_ok, tn_cg_i32(cg, 0), tn_cg_i32(cg, code), ""));
  tn_cg_memo_clear(cg);
}

static void compare(emitter *e, const tn_model_step *step) {
  tn_cg *cg = e->cg;
  LLVMValueRef is_same = LLVMBuildICmp(cg->builder, LLVMIntEQ, tn_cg_index(cg, step->left),
                                       tn_cg_index(cg, step->right), "");
  leave_unless(cg, is_same, -TN_MODEL_BAD_SIZE);
}

/* What the caller gives is there, unless it has no element. */
static void check_args(emitter *e) {
  tn_cg *cg = e->cg;
  LLVMValueRef is_ok = LLVMConstInt(cg->i1, 1, 0);
  for (size_t i = 0; i < e->entry->arg_names.len; ++i) {
    uint32_t at =
        i < e->entry->n_inputs ? (uint32_t)i : e->entry->outputs.data[i - e->entry->n_inputs];
    LLVMValueRef n = bytes_of(e, &e->entry->tensors.data[at]);
    LLVMValueRef ptr = tn_cg_field(cg, cg->ptr, e->args, i * sizeof(void *));
    LLVMValueRef is_empty = LLVMBuildICmp(cg->builder, LLVMIntEQ, n, tn_cg_i64(cg, 0), "");
    LLVMValueRef is_there = LLVMBuildIsNotNull(cg->builder, ptr, "");
    is_ok = LLVMBuildAnd(cg->builder, is_ok, LLVMBuildOr(cg->builder, is_there, is_empty, ""), "");
  }
  leave_unless(cg, is_ok, -TN_MODEL_NO_POINTER);
}

static void copy_outputs(emitter *e) {
  tn_cg *cg = e->cg;
  for (size_t i = 0; i < e->entry->outputs.len; ++i) {
    uint32_t at = e->entry->outputs.data[i];
    const tn_model_tensor *tensor = &e->entry->tensors.data[at];
    size_t index = e->entry->n_inputs + i;
    if (tensor->kind == TN_PLACE_ARG && tensor->at == index) {
      continue;
    }
    LLVMBuildMemCpy(cg->builder, tn_cg_field(cg, cg->ptr, e->args, index * sizeof(void *)), 1,
                    data_of(e, at), 1, bytes_of(e, tensor));
  }
}

static void find_offsets(emitter *e) {
  tn_cg *cg = e->cg;
  LLVMValueRef offset = tn_cg_i64(cg, 0);
  e->offsets.len = 0;
  for (size_t i = 0; i < e->entry->storages.len; ++i) {
    TN_VEC_PUSH(&e->offsets, offset);
    const tn_node *bytes = rounded(cg->module->ir, e->entry->storages.data[i]);
    offset = LLVMBuildAdd(cg->builder, offset, tn_cg_index(cg, bytes), "");
  }
}

static void emit_run(emitter *e) {
  tn_cg *cg = e->cg;
  tn_cg_func func;
  begin(e, &func, e->run);
  func.env = LLVMGetParam(e->run, 0);
  e->args = LLVMGetParam(e->run, 2);
  e->storage = LLVMGetParam(e->run, 3);
  bind_sizes(e, LLVMGetParam(e->run, 1));
  check_args(e);
  find_offsets(e);
  call_room room = make_room(e);
  for (size_t i = 0; i < e->entry->steps.len; ++i) {
    const tn_model_step *step = &e->entry->steps.data[i];
    if (step->kernel != NULL) {
      call_kernel(e, &room, step);
    } else {
      compare(e, step);
    }
  }
  copy_outputs(e);
  tn_cg_func_end(cg, NULL, NULL);
}

/* ---- what C sees ---- */

static void emit_row(emitter *e) {
  tn_cg *cg = e->cg;
  LLVMTypeRef types[] = {cg->i32, cg->ptr, cg->ptr};
  LLVMValueRef values[] = {tn_cg_i32(cg, (int64_t)e->entry->sizes.len), e->plan, e->run};
  LLVMTypeRef type = LLVMStructTypeInContext(cg->ctx, types, 3, 0);
  e->row = LLVMAddGlobal(cg->mod, type, "entry");
  LLVMSetInitializer(e->row, LLVMConstStructInContext(cg->ctx, values, 3, 0));
  LLVMSetGlobalConstant(e->row, 1);
  LLVMSetLinkage(e->row, LLVMInternalLinkage);
}

/* The parameters [first, first + n) as an array. */
static LLVMValueRef gather(tn_cg *cg, LLVMTypeRef type, size_t first, size_t n, const char *name) {
  LLVMValueRef slot = tn_cg_stack(cg, type, n == 0 ? 1 : n, 8, name);
  for (size_t i = 0; i < n; ++i) {
    store_at(cg, LLVMGetParam(cg->cur->fn, (unsigned)(first + i)), slot, i * 8);
  }
  return slot;
}

static LLVMTypeRef *param_types(tn_cg *cg, size_t n) {
  LLVMTypeRef *types = calloc(n, sizeof *types);
  TN_CHECK(types != NULL, "no memory");
  for (size_t i = 0; i < n; ++i) {
    types[i] = cg->ptr;
  }
  return types;
}

static void emit_entry(emitter *e) {
  tn_cg *cg = e->cg;
  size_t n_sizes = e->entry->sizes.len;
  size_t n_args = e->entry->arg_names.len;
  size_t n = n_sizes + n_args + 3;
  LLVMTypeRef *types = param_types(cg, n);
  tn_cg_func func;
  for (size_t i = 0; i < n_sizes; ++i) {
    types[1 + i] = cg->i64;
  }
  types[n - 1] = cg->i64;
  LLVMValueRef fn = add_function(e, e->entry->name.symbol, cg->i32, types, (unsigned)n, true);
  free(types);
  begin(e, &func, fn);
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->ptr, cg->ptr, cg->ptr, cg->i64};
  LLVMValueRef run = embedded(cg, "tn_embed_run", cg->i32, params, 6);
  LLVMValueRef args[] = {e->row,
                         LLVMGetParam(fn, 0),
                         gather(cg, cg->i64, 1, n_sizes, "sizes"),
                         gather(cg, cg->ptr, 1 + n_sizes, n_args, "args"),
                         LLVMGetParam(fn, (unsigned)n - 2),
                         LLVMGetParam(fn, (unsigned)n - 1)};
  LLVMBuildRet(cg->builder, tn_cg_func_call(cg, run, args, 6));
  end(cg);
}

static void emit_workspace_bytes(emitter *e) {
  tn_cg *cg = e->cg;
  size_t n_sizes = e->entry->sizes.len;
  LLVMTypeRef *types = param_types(cg, n_sizes + 1);
  tn_buf name = TN_BUF_INIT;
  tn_cg_func func;
  for (size_t i = 0; i < n_sizes; ++i) {
    types[1 + i] = cg->i64;
  }
  tn_buf_printf(&name, "%s_workspace_bytes", e->entry->name.symbol);
  LLVMValueRef fn = add_function(e, name.data, cg->i64, types, (unsigned)n_sizes + 1, true);
  free(types);
  tn_buf_deinit(&name);
  begin(e, &func, fn);
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->ptr};
  LLVMValueRef bytes = embedded(cg, "tn_embed_workspace_bytes", cg->i64, params, 3);
  LLVMValueRef args[] = {e->row, LLVMGetParam(fn, 0), gather(cg, cg->i64, 1, n_sizes, "sizes")};
  LLVMBuildRet(cg->builder, tn_cg_func_call(cg, bytes, args, 3));
  end(cg);
}

/* The extents of output `i`. */
static void emit_shape(emitter *e, size_t i) {
  tn_cg *cg = e->cg;
  size_t n_sizes = e->entry->sizes.len;
  const tn_node *shape = e->entry->tensors.data[e->entry->outputs.data[i]].shape;
  LLVMTypeRef *types = param_types(cg, n_sizes + 1);
  tn_buf name = TN_BUF_INIT;
  tn_cg_func func;
  for (size_t s = 0; s < n_sizes; ++s) {
    types[s] = cg->i64;
  }
  tn_buf_printf(&name, "%s_%s_shape", e->entry->name.symbol,
                e->entry->arg_names.data[e->entry->n_inputs + i].symbol);
  LLVMValueRef fn = add_function(e, name.data, cg->i32, types, (unsigned)n_sizes + 1, true);
  free(types);
  tn_buf_deinit(&name);
  begin(e, &func, fn);
  bind_sizes(e, gather(cg, cg->i64, 0, n_sizes, "sizes"));
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    store_at(cg, tn_cg_index(cg, shape->in[d]), LLVMGetParam(fn, (unsigned)n_sizes),
             d * sizeof(int64_t));
  }
  tn_cg_func_end(cg, NULL, NULL);
}

/* A function PREFIX_NAME that passes its arguments on, after `first` (may be NULL). */
static void emit_forward(emitter *e, const char *name, const char *to, LLVMTypeRef ret,
                         LLVMTypeRef *params, unsigned n, const char *first) {
  tn_cg *cg = e->cg;
  tn_buf symbol = TN_BUF_INIT;
  tn_cg_func func;
  LLVMTypeRef types[3] = {cg->ptr};
  LLVMValueRef args[3] = {NULL};
  unsigned n_first = first != NULL ? 1 : 0;
  tn_buf_printf(&symbol, "%s_%s", e->model->prefix, name);
  LLVMValueRef fn = add_function(e, symbol.data, ret, params, n, true);
  tn_buf_deinit(&symbol);
  begin(e, &func, fn);
  if (first != NULL) {
    args[0] = LLVMBuildGlobalStringPtr(cg->builder, first, "needs");
  }
  for (unsigned i = 0; i < n; ++i) {
    types[n_first + i] = params[i];
    args[n_first + i] = LLVMGetParam(fn, i);
  }
  n += n_first;
  LLVMValueRef value = tn_cg_func_call(cg, embedded(cg, to, ret, types, n), args, n);
  if (ret == cg->void_) {
    LLVMBuildRetVoid(cg->builder);
  } else {
    LLVMBuildRet(cg->builder, value);
  }
  end(cg);
}

/* ---- all ---- */

/* Only C functions are seen from outside: a kernel's name could be one of theirs. */
static void hide_kernels(emitter *e) {
  const tn_module *module = e->cg->module;
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (tn_is(module->funcs[i].func, TN_OP_PRIM_FUNC)) {
      tn_buf name = TN_BUF_INIT;
      LLVMValueRef fn = LLVMGetNamedFunction(e->cg->mod, module->funcs[i].name);
      tn_buf_printf(&name, "kernel.%s", module->funcs[i].name);
      LLVMSetValueName2(fn, name.data, name.len);
      LLVMSetLinkage(fn, LLVMInternalLinkage);
      tn_strmap_set(&e->kernels, module->funcs[i].name, fn);
      tn_buf_deinit(&name);
    }
  }
}

static void emit_all(emitter *e, const tn_model_entry *entry) {
  tn_cg *cg = e->cg;
  tn_buf name = TN_BUF_INIT;
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->ptr, cg->ptr};
  e->entry = entry;
  tn_map_clear(&e->constants);
  tn_buf_printf(&name, "%s.plan", entry->name.symbol);
  e->plan = add_function(e, name.data, cg->i32, params, 2, false);
  tn_buf_clear(&name);
  tn_buf_printf(&name, "%s.run", entry->name.symbol);
  e->run = add_function(e, name.data, cg->i32, params, 4, false);
  tn_buf_deinit(&name);
  emit_plan(e);
  emit_run(e);
  emit_row(e);
  emit_entry(e);
  emit_workspace_bytes(e);
  for (size_t i = 0; i < entry->outputs.len; ++i) {
    emit_shape(e, i);
  }
}

void tn_cg_model(tn_cg *cg, const tn_model *model) {
  emitter e = {.cg = cg, .model = model};
  LLVMTypeRef params[] = {cg->i32, cg->ptr};
  hide_kernels(&e);
  for (size_t i = 0; i < model->entries.len; ++i) {
    emit_all(&e, &model->entries.data[i]);
  }
  emit_forward(&e, "init", "tn_embed_init", cg->i32, params, 2, cg->target->required);
  emit_forward(&e, "free", "tn_embed_free", cg->void_, params + 1, 1, NULL);
  emit_forward(&e, "error", "tn_embed_error", cg->ptr, params + 1, 1, NULL);
  TN_VEC_DEINIT(&e.offsets);
  tn_map_deinit(&e.constants);
  tn_strmap_deinit(&e.kernels);
}
