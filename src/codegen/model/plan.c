/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tn_model_make: reads a graph function in VM form once, in order, and writes down which kernel runs
 * on which memory.
 *
 *   storage = R.memory.alloc_storage(R.shape([512]), ...)      storages: 512
 *   lv0 = R.memory.alloc_tensor(storage, 0, (1, 128), ...)     tensors: storage 0, offset 0, (1, 128)
 *   _ = R.vm.call_dps(cls.linear0, x, w0, b0, lv0)             steps: linear0 on tensors 0 1 2 3
 *   return out                                                 outputs; `out` lies in the caller's memory
 */
#include <string.h>

#include "codegen/model/model.h"

/* What a variable of the graph stands for. */
typedef enum value_kind {
  VALUE_NOTHING,
  VALUE_TENSOR,  /* number `at` of the entry's tensors */
  VALUE_STORAGE, /* number `at` of its storages */
  VALUE_NODE     /* `node`: a tuple, a shape or a number, its variables not replaced */
} value_kind;

typedef struct value {
  value_kind kind;
  uint32_t at;
  const tn_node *node;
} value;

typedef struct planner {
  const tn_module *module;
  tn_ir *ir;
  tn_model_entry *entry;
  tn_map values; /* GVAR id -> index into vals */
  TN_VEC(value) vals;
  tn_map sizes;                      /* VAR id -> its node over the entry's sizes */
  tn_map scratch_of;                 /* id of a kernel -> index into scratches */
  TN_VEC(const tn_node *) scratches; /* pairs: serial, thread */
} planner;

static tn_status needs_machine(const char *what) {
  return TN_ERR(TN_UNSUPPORTED,
                "%s needs the virtual machine: without --header a .so or .tnx has it", what);
}

/* ---- sizes ---- */

static tn_status size_of(planner *p, const tn_node *expr, const tn_node **out) {
  *out = tn_model_widen(p->ir, expr, &p->sizes);
  if (*out == NULL) {
    tn_buf text = TN_BUF_INIT;
    tn_dim_print(expr, &text);
    tn_status st = TN_ERR(TN_UNSUPPORTED, "the size '%s' is not known before the model runs",
                          tn_buf_text(&text));
    tn_buf_deinit(&text);
    return st;
  }
  return NULL;
}

/* The extents of a SHAPE or LIST. */
static tn_status sizes_of(planner *p, const tn_node *shape, const tn_node **out_list) {
  const tn_node *dims[TN_MAX_NDIM];
  if (shape->n_in > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "a shape of %u extents; at most %d", shape->n_in,
                  (int)TN_MAX_NDIM);
  }
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    TN_TRY(size_of(p, shape->in[i], &dims[i]));
  }
  *out_list = tn_list(p->ir, shape->n_in, dims);
  return NULL;
}

static void bind_size(planner *p, const tn_node *var, const tn_node *expr) {
  tn_map_set(&p->sizes, var->id, (uint64_t)(uintptr_t)expr);
}

/* ---- values ---- */

static void set_value(planner *p, const tn_node *var, value v) {
  tn_map_set(&p->values, var->id, p->vals.len);
  TN_VEC_PUSH(&p->vals, v);
}

static uint32_t push_tensor(planner *p, tn_model_tensor tensor) {
  TN_VEC_PUSH(&p->entry->tensors, tensor);
  return (uint32_t)p->entry->tensors.len - 1;
}

static void set_tensor(planner *p, const tn_node *var, tn_model_tensor tensor) {
  set_value(p, var, (value){.kind = VALUE_TENSOR, .at = push_tensor(p, tensor)});
}

/* What `n` stands for, through variables. */
static tn_status resolve(planner *p, const tn_node *n, value *out) {
  uint64_t at = 0;
  if (n->op == TN_OP_GVAR) {
    if (!tn_map_find(&p->values, n->id, &at)) {
      return TN_ERR(TN_INVALID, "'%s' has no value", n->attr.text);
    }
    *out = p->vals.data[at];
    return NULL;
  }
  if (n->op == TN_OP_CONST) {
    const tn_array *array = n->attr.array;
    const tn_node *type = tn_ty_of_array(p->ir, array);
    if (!tn_map_find(&p->values, n->id, &at)) {
      set_tensor(p, n,
                 (tn_model_tensor){.kind = TN_PLACE_CONST,
                                   .array = array,
                                   .dtype = array->dtype,
                                   .shape = type->in[TN_TY_TENSOR_SHAPE]});
      at = p->vals.len - 1;
    }
    *out = p->vals.data[at];
    return NULL;
  }
  if (n->op == TN_OP_GET) {
    value tuple;
    TN_TRY(resolve(p, n->in[0], &tuple));
    if (tuple.kind != VALUE_NODE || tuple.node->op != TN_OP_TUPLE ||
        n->attr.i64 >= (int64_t)tuple.node->n_in) {
      return needs_machine("a tuple that is computed");
    }
    return resolve(p, tuple.node->in[n->attr.i64], out);
  }
  *out = (value){.kind = VALUE_NODE, .node = n};
  return NULL;
}

static tn_status tensor_of(planner *p, const tn_node *n, uint32_t *out_at) {
  value v;
  TN_TRY(resolve(p, n, &v));
  if (v.kind != VALUE_TENSOR) {
    return needs_machine("a value that is no tensor, where a tensor is needed,");
  }
  *out_at = v.at;
  return NULL;
}

/* The LIST of extents that a SHAPE, written out or bound to a variable, has. */
static tn_status shape_of(planner *p, const tn_node *n, const tn_node **out_list) {
  value v;
  TN_TRY(resolve(p, n, &v));
  if (v.kind != VALUE_NODE || v.node->op != TN_OP_SHAPE) {
    return needs_machine("a shape that is computed");
  }
  return sizes_of(p, v.node, out_list);
}

/* ---- calls of kernels ---- */

static tn_status push_arg(planner *p, const tn_node *n) {
  value v;
  tn_model_arg arg = {0};
  TN_TRY(resolve(p, n, &v));
  if (v.kind == VALUE_TENSOR) {
    arg.tensor = v.at;
  } else if (v.kind == VALUE_NODE && v.node->op == TN_OP_PRIM) {
    TN_TRY(size_of(p, v.node->in[0], &arg.number));
  } else {
    return needs_machine("an argument that is neither a tensor nor a size");
  }
  TN_VEC_PUSH(&p->entry->args, arg);
  return NULL;
}

/* What the kernel calls its sizes, as the call gives them. */
static void bind_kernel_sizes(planner *p, const tn_node *kernel, uint32_t first, tn_map *vars) {
  const tn_node *params = kernel->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = kernel->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const tn_model_arg *arg = &p->entry->args.data[first + i];
    if (arg->number != NULL) {
      tn_map_set(vars, params->in[i]->id, (uint64_t)(uintptr_t)arg->number);
      continue;
    }
    const tn_node *given = p->entry->tensors.data[arg->tensor].shape;
    const tn_node *shape = tn_is_none(buffers->in[i]) ? NULL : buffers->in[i]->in[TN_BUFFER_SHAPE];
    for (uint32_t d = 0; shape != NULL && d < shape->n_in && d < given->n_in; ++d) {
      if (tn_is(shape->in[d], TN_OP_VAR)) {
        tn_map_set(vars, shape->in[d]->id, (uint64_t)(uintptr_t)given->in[d]);
      }
    }
  }
}

static tn_status add_scratch(planner *p, const tn_node *kernel, uint32_t first) {
  const tn_node *pair[2];
  uint64_t at = 0;
  if (!tn_map_find(&p->scratch_of, kernel->id, &at)) {
    TN_TRY(tn_model_scratch(p->ir, kernel, &pair[0], &pair[1]));
    at = p->scratches.len;
    tn_map_set(&p->scratch_of, kernel->id, at);
    TN_VEC_PUSH(&p->scratches, pair[0]);
    TN_VEC_PUSH(&p->scratches, pair[1]);
  }
  tn_map vars = {0};
  bind_kernel_sizes(p, kernel, first, &vars);
  for (int i = 0; i < 2; ++i) {
    pair[i] = tn_model_widen(p->ir, p->scratches.data[at + (uint64_t)i], &vars);
  }
  tn_map_deinit(&vars);
  if (pair[0] == NULL || pair[1] == NULL) {
    return TN_ERR(TN_UNSUPPORTED, "the call does not tell how much scratch memory it takes");
  }
  p->entry->scratch = tn_model_max(p->ir, pair[0], p->entry->scratch);
  p->entry->thread_scratch = tn_model_max(p->ir, pair[1], p->entry->thread_scratch);
  return NULL;
}

static tn_status call_kernel(planner *p, const tn_node *callee, const tn_node *args,
                             uint32_t first) {
  if (callee->op != TN_OP_GLOBAL) {
    return needs_machine(callee->op == TN_OP_EXTERN ? "a function of the host"
                                                    : "a function value");
  }
  const tn_node *func = tn_module_find(p->module, callee->attr.text);
  if (func == NULL || func->op != TN_OP_PRIM_FUNC) {
    return needs_machine("a call of another graph function");
  }
  tn_model_step step = {.kernel = callee->attr.text,
                        .func = func,
                        .first_arg = (uint32_t)p->entry->args.len,
                        .n_args = args->n_in - first};
  if (step.n_args != func->in[TN_PRIM_FUNC_PARAMS]->n_in ||
      !tn_is_none(func->in[TN_PRIM_FUNC_RET])) {
    return TN_ERR(TN_UNSUPPORTED, "'%s' has a result of its own, or another number of arguments",
                  step.kernel);
  }
  for (uint32_t i = first; i < args->n_in; ++i) {
    TN_TRY(push_arg(p, args->in[i]));
  }
  TN_TRY_MSG(add_scratch(p, func, step.first_arg), "'%s'", step.kernel);
  TN_VEC_PUSH(&p->entry->steps, step);
  return NULL;
}

/* ---- memory ---- */

static tn_status alloc_storage(planner *p, const tn_node *var, const tn_node *call) {
  const tn_node *list = NULL;
  TN_TRY(shape_of(p, tn_call_arg(call, 0), &list));
  if (list->n_in != 1) {
    return TN_ERR(TN_INVALID, "a storage takes a shape of one extent, the number of bytes");
  }
  set_value(p, var, (value){.kind = VALUE_STORAGE, .at = (uint32_t)p->entry->storages.len});
  TN_VEC_PUSH(&p->entry->storages, list->in[0]);
  return NULL;
}

static tn_status storage_tensor(planner *p, const tn_node *var, const tn_node *call) {
  value storage;
  const tn_node *offset = tn_call_arg(call, 1);
  const tn_node *dtype = tn_call_arg(call, 3);
  tn_model_tensor tensor = {.kind = TN_PLACE_STORAGE};
  TN_TRY(resolve(p, tn_call_arg(call, 0), &storage));
  TN_TRY(shape_of(p, tn_call_arg(call, 2), &tensor.shape));
  if (storage.kind != VALUE_STORAGE || offset->op != TN_OP_PRIM || offset->in[0]->op != TN_OP_INT ||
      dtype->op != TN_OP_DTYPE) {
    return needs_machine("memory whose place is computed");
  }
  tensor.at = storage.at;
  tensor.offset = offset->in[0]->attr.i64;
  tensor.dtype = (tn_dtype)dtype->attr.i64;
  set_tensor(p, var, tensor);
  return NULL;
}

/* Where plan_memory did not run: a storage for this tensor alone. */
static tn_status alloc_tensor(planner *p, const tn_node *var, const tn_node *call) {
  const tn_node *dtype = tn_call_arg(call, 1);
  tn_model_tensor tensor = {.kind = TN_PLACE_STORAGE, .at = (uint32_t)p->entry->storages.len};
  TN_TRY(shape_of(p, tn_call_arg(call, 0), &tensor.shape));
  if (dtype->op != TN_OP_DTYPE) {
    return needs_machine("memory whose type is computed");
  }
  tensor.dtype = (tn_dtype)dtype->attr.i64;
  const tn_node *bytes = tn_int(p->ir, TN_DT_I64, (int64_t)tn_dtype_bytes(tensor.dtype));
  for (uint32_t d = 0; d < tensor.shape->n_in; ++d) {
    bytes = tn_binary(p->ir, TN_OP_MUL, bytes, tensor.shape->in[d]);
  }
  TN_VEC_PUSH(&p->entry->storages, bytes);
  set_tensor(p, var, tensor);
  return NULL;
}

static tn_status view(planner *p, const tn_node *var, const tn_node *call) {
  uint32_t at = 0;
  const tn_node *dtype = tn_call_arg(call, 2);
  const tn_node *offset = tn_call_arg(call, 3);
  TN_TRY(tensor_of(p, tn_call_arg(call, 0), &at));
  tn_model_tensor tensor = p->entry->tensors.data[at];
  bool is_same_type = dtype->op == TN_OP_DTYPE && (tn_dtype)dtype->attr.i64 == tensor.dtype;
  if (!is_same_type || offset->op != TN_OP_PRIM || !tn_is_int(offset->in[0], 0)) {
    return needs_machine("a view of another type or place");
  }
  TN_TRY(shape_of(p, tn_call_arg(call, 1), &tensor.shape));
  set_tensor(p, var, tensor);
  return NULL;
}

static tn_status shape_to_tensor(planner *p, const tn_node *var, const tn_node *call) {
  tn_model_tensor tensor = {.kind = TN_PLACE_SIZES, .dtype = TN_DT_I64};
  TN_TRY(shape_of(p, tn_call_arg(call, 0), &tensor.sizes));
  const tn_node *n = tn_int(p->ir, TN_DT_I64, tensor.sizes->n_in);
  tensor.shape = tn_list(p->ir, 1, &n);
  set_tensor(p, var, tensor);
  return NULL;
}

/* A vector whose numbers are known: made of sizes, or a constant. */
static tn_status tensor_to_shape(planner *p, const tn_node *var, const tn_node *call) {
  uint32_t at = 0;
  const tn_node *dims[TN_MAX_NDIM];
  TN_TRY(tensor_of(p, tn_call_arg(call, 0), &at));
  const tn_model_tensor *tensor = &p->entry->tensors.data[at];
  const tn_node *sizes = tensor->kind == TN_PLACE_SIZES ? tensor->sizes : NULL;
  if (tensor->kind == TN_PLACE_CONST && tensor->dtype == TN_DT_I64 && tensor->array->ndim == 1 &&
      tensor->array->shape[0] <= TN_MAX_NDIM) {
    uint32_t n = (uint32_t)tensor->array->shape[0];
    for (uint32_t i = 0; i < n; ++i) {
      dims[i] = tn_int(p->ir, TN_DT_I64, tn_array_get_i64(tensor->array, i));
    }
    sizes = tn_list(p->ir, n, dims);
  }
  if (sizes == NULL) {
    return needs_machine("a shape that depends on values");
  }
  const tn_node *node =
      tn_node_new(p->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, sizes->n_in, sizes->in);
  set_value(p, var, (value){.kind = VALUE_NODE, .node = node});
  return NULL;
}

static tn_status shape_of_tensor(planner *p, const tn_node *var, const tn_node *call) {
  uint32_t at = 0;
  TN_TRY(tensor_of(p, tn_call_arg(call, 0), &at));
  const tn_node *shape = p->entry->tensors.data[at].shape;
  const tn_node *node =
      tn_node_new(p->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, shape->n_in, shape->in);
  set_value(p, var, (value){.kind = VALUE_NODE, .node = node});
  return NULL;
}

static tn_status alias(planner *p, const tn_node *var, const tn_node *n) {
  value v;
  TN_TRY(resolve(p, n, &v));
  set_value(p, var, v);
  return NULL;
}

/* ---- statements ---- */

static tn_status emit_builtin(planner *p, const tn_node *var, const tn_node *call) {
  const tn_node *args = call->in[TN_CALL_ARGS];
  switch (tn_builtin_of(call)) {
    case TN_BUILTIN_VM_CALL_DPS:
      return call_kernel(p, args->in[0], args, 1);
    case TN_BUILTIN_ALLOC_STORAGE:
      return alloc_storage(p, var, call);
    case TN_BUILTIN_STORAGE_TENSOR:
      return storage_tensor(p, var, call);
    case TN_BUILTIN_ALLOC_TENSOR:
      return alloc_tensor(p, var, call);
    case TN_BUILTIN_MEMORY_VIEW:
      return view(p, var, call);
    case TN_BUILTIN_SHAPE_OF:
      return shape_of_tensor(p, var, call);
    case TN_BUILTIN_SHAPE_TO_TENSOR:
      return shape_to_tensor(p, var, call);
    case TN_BUILTIN_TENSOR_TO_SHAPE:
      return tensor_to_shape(p, var, call);
    case TN_BUILTIN_STOP_LIFT_PARAMS:
    case TN_BUILTIN_ENSURE_ZERO_OFFSET:
      return alias(p, var, args->in[0]);
    case TN_BUILTIN_KILL_STORAGE:
    case TN_BUILTIN_KILL_TENSOR:
    case TN_BUILTIN_VM_KILL_OBJECT:
      return NULL;
    default: {
      char what[128];
      (void)snprintf(what, sizeof what, "R.%.100s", call->attr.def->name);
      return needs_machine(what);
    }
  }
}

/* The sizes of `type` are those of `dims`: new ones get their values, the others are compared. */
static tn_status match_dims(planner *p, const tn_node *type_dims, const tn_node *dims) {
  if (tn_is_none(type_dims)) {
    return NULL;
  }
  if (type_dims->n_in != dims->n_in) {
    return needs_machine("a cast to a type of another rank");
  }
  for (int late = 0; late <= 1; ++late) {
    for (uint32_t i = 0; i < dims->n_in; ++i) {
      const tn_node *dim = type_dims->in[i];
      bool is_new = dim->op == TN_OP_VAR && !tn_map_find(&p->sizes, dim->id, NULL);
      if (is_new) {
        bind_size(p, dim, dims->in[i]);
      } else if (late != 0) {
        tn_model_step step = {.left = dims->in[i]};
        TN_TRY(size_of(p, dim, &step.right));
        if (step.left != step.right) {
          TN_VEC_PUSH(&p->entry->steps, step);
        }
      }
    }
  }
  return NULL;
}

static tn_status match_cast(planner *p, const tn_node *stmt) {
  value v;
  const tn_node *type = stmt->in[TN_MATCH_CAST_TYPE];
  TN_TRY(resolve(p, stmt->in[TN_MATCH_CAST_VALUE], &v));
  set_value(p, stmt->in[TN_MATCH_CAST_VAR], v);
  if (type->op == TN_OP_TY_TENSOR && v.kind == VALUE_TENSOR) {
    return match_dims(p, type->in[TN_TY_TENSOR_SHAPE], p->entry->tensors.data[v.at].shape);
  }
  if (type->op == TN_OP_TY_SHAPE && v.kind == VALUE_NODE && v.node->op == TN_OP_SHAPE) {
    const tn_node *dims = NULL;
    TN_TRY(sizes_of(p, v.node, &dims));
    return match_dims(p, type->in[0], dims);
  }
  return needs_machine("a cast of what is neither a tensor nor a shape");
}

static tn_status emit_bind(planner *p, const tn_node *stmt) {
  const tn_node *var = stmt->in[TN_BIND_VAR];
  const tn_node *bound = stmt->in[TN_BIND_VALUE];
  if (bound->op == TN_OP_CALL) {
    return emit_builtin(p, var, bound);
  }
  if (bound->op == TN_OP_INVOKE) {
    return needs_machine("a call of another graph function");
  }
  return alias(p, var, bound);
}

static tn_status add_output(planner *p, const tn_node *n, int depth) {
  enum { MAX_DEPTH = 16 };
  value v;
  TN_TRY(resolve(p, n, &v));
  if (v.kind == VALUE_TENSOR) {
    TN_VEC_PUSH(&p->entry->outputs, v.at);
    return NULL;
  }
  if (v.kind != VALUE_NODE || v.node->op != TN_OP_TUPLE || depth == MAX_DEPTH) {
    return needs_machine("a result that is neither a tensor nor a tuple of tensors");
  }
  for (uint32_t i = 0; i < v.node->n_in; ++i) {
    TN_TRY(add_output(p, v.node->in[i], depth + 1));
  }
  return NULL;
}

static tn_status emit_body(planner *p, const tn_node *body) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    switch ((int)stmt->op) {
      case TN_OP_GBIND:
        TN_TRY_MSG(emit_bind(p, stmt), "'%s'", stmt->in[TN_BIND_VAR]->attr.text);
        break;
      case TN_OP_MATCH_CAST:
        TN_TRY_MSG(match_cast(p, stmt), "'%s'", stmt->in[TN_MATCH_CAST_VAR]->attr.text);
        break;
      case TN_OP_RETURN:
        return add_output(p, stmt->in[0], 0);
      case TN_OP_GIF:
        return tn_status_wrap(needs_machine("a branch"), "'%s'", stmt->in[TN_GIF_VAR]->attr.text);
      default:
        return TN_ERR(TN_INTERNAL, "'%s' in a graph function in VM form",
                      tn_op_info_get((tn_op)stmt->op)->text);
    }
  }
  return TN_ERR(TN_INVALID, "it does not end in a return");
}

/* ---- the interface ---- */

static tn_status add_input(planner *p, const tn_node *param, uint32_t at) {
  const tn_node *type = param->in[0];
  if (type->op != TN_OP_TY_TENSOR || type->dtype == TN_DT_NONE ||
      tn_is_none(type->in[TN_TY_TENSOR_SHAPE])) {
    return TN_ERR(TN_UNSUPPORTED,
                  "a C function takes tensors of known type and rank; --shape gives an ONNX "
                  "model's input its shape");
  }
  const tn_node *shape = type->in[TN_TY_TENSOR_SHAPE];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    const tn_node *dim = shape->in[i];
    if (dim->op == TN_OP_VAR && !tn_map_find(&p->sizes, dim->id, NULL)) {
      bind_size(p, dim, dim);
      TN_VEC_PUSH(&p->entry->sizes, dim);
    }
  }
  set_tensor(p, param, (tn_model_tensor){.kind = TN_PLACE_ARG, .at = at, .dtype = type->dtype});
  return NULL;
}

static tn_status add_inputs(planner *p, const tn_node *params) {
  for (uint32_t i = 0; i < params->n_in; ++i) {
    TN_TRY_MSG(add_input(p, params->in[i], i), "input '%s'", params->in[i]->attr.text);
  }
  for (uint32_t i = 0; i < params->n_in; ++i) { /* now that all sizes are known */
    const tn_node *shape = params->in[i]->in[0]->in[TN_TY_TENSOR_SHAPE];
    TN_TRY_MSG(sizes_of(p, shape, &p->entry->tensors.data[i].shape), "input '%s'",
               params->in[i]->attr.text);
  }
  p->entry->n_inputs = params->n_in;
  return NULL;
}

static void name_args(planner *p, const tn_node *func) {
  tn_model_entry *entry = p->entry;
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  tn_strmap taken = {0};
  for (size_t i = 0; i < entry->sizes.len; ++i) {
    const char *given = entry->sizes.data[i]->attr.text;
    TN_VEC_PUSH(&entry->size_names, (tn_model_name){given, tn_model_symbol(p->ir, given, &taken)});
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const char *given = params->in[i]->attr.text;
    TN_VEC_PUSH(&entry->arg_names, (tn_model_name){given, tn_model_symbol(p->ir, given, &taken)});
  }
  for (uint32_t i = 0; i < entry->outputs.len; ++i) {
    const char *name = tn_func_result_name(func, (uint32_t)entry->outputs.len, i);
    const char *given = *name != '\0' ? name : "out";
    TN_VEC_PUSH(&entry->arg_names, (tn_model_name){given, tn_model_symbol(p->ir, given, &taken)});
  }
  tn_strmap_deinit(&taken);
}

/* An output alone in its storage is made in the caller's memory; other outputs are copied there. */
static void place_outputs(planner *p) {
  tn_model_entry *entry = p->entry;
  for (uint32_t i = 0; i < entry->outputs.len; ++i) {
    tn_model_tensor *tensor = &entry->tensors.data[entry->outputs.data[i]];
    uint32_t n_users = 0;
    for (size_t j = 0; j < entry->tensors.len; ++j) {
      const tn_model_tensor *other = &entry->tensors.data[j];
      n_users += other->kind == TN_PLACE_STORAGE && other->at == tensor->at;
    }
    if (tensor->kind == TN_PLACE_STORAGE && n_users == 1) {
      entry->storages.data[tensor->at] = tn_int(p->ir, TN_DT_I64, 0);
      tensor->kind = TN_PLACE_ARG;
      tensor->at = entry->n_inputs + i;
    }
  }
}

static tn_status plan_entry(const tn_module *module, const tn_node *func, tn_model_entry *entry) {
  planner p = {.module = module, .ir = module->ir, .entry = entry};
  tn_status st = NULL;
  entry->scratch = entry->thread_scratch = tn_int(p.ir, TN_DT_I64, 0);
  TN_GOTO(st, add_inputs(&p, func->in[TN_GFUNC_PARAMS]), done);
  TN_GOTO(st, emit_body(&p, func->in[TN_GFUNC_BODY]), done);
  place_outputs(&p);
  name_args(&p, func);
done:
  tn_map_deinit(&p.values);
  tn_map_deinit(&p.sizes);
  tn_map_deinit(&p.scratch_of);
  TN_VEC_DEINIT(&p.vals);
  TN_VEC_DEINIT(&p.scratches);
  return st;
}

static void entry_deinit(tn_model_entry *entry) {
  TN_VEC_DEINIT(&entry->sizes);
  TN_VEC_DEINIT(&entry->size_names);
  TN_VEC_DEINIT(&entry->tensors);
  TN_VEC_DEINIT(&entry->arg_names);
  TN_VEC_DEINIT(&entry->outputs);
  TN_VEC_DEINIT(&entry->storages);
  TN_VEC_DEINIT(&entry->steps);
  TN_VEC_DEINIT(&entry->args);
}

void tn_model_deinit(tn_model *model) {
  for (size_t i = 0; i < model->entries.len; ++i) {
    entry_deinit(&model->entries.data[i]);
  }
  TN_VEC_DEINIT(&model->entries);
}

tn_status tn_model_make(const tn_module *lowered, const char *name, tn_model *out_model) {
  static const char *const own_names[] = {"init", "free", "error"};
  tn_model model = {0};
  tn_strmap taken = {0};
  tn_status st = NULL;
  tn_buf symbol = TN_BUF_INIT;
  model.prefix = tn_model_symbol(lowered->ir, name, &taken);
  for (size_t i = 0; i < sizeof own_names / sizeof *own_names; ++i) {
    tn_buf_clear(&symbol);
    tn_buf_printf(&symbol, "%s_%s", model.prefix, own_names[i]);
    (void)tn_model_symbol(lowered->ir, tn_buf_text(&symbol), &taken);
  }
  for (uint32_t i = 0; i < lowered->n_funcs; ++i) {
    const tn_node *func = lowered->funcs[i].func;
    const char *given = lowered->funcs[i].name;
    if (func->op != TN_OP_GFUNC ||
        tn_dict_find(func->in[TN_GFUNC_ATTRS], "global_symbol") == NULL) {
      continue;
    }
    tn_model_entry entry = {.name = {.given = given}};
    st = tn_status_wrap(plan_entry(lowered, func, &entry), "C function for '%s'", given);
    tn_buf_clear(&symbol);
    tn_buf_printf(&symbol, "%s_%s", model.prefix, given);
    entry.name.symbol = tn_model_symbol(lowered->ir, tn_buf_text(&symbol), &taken);
    TN_VEC_PUSH(&model.entries, entry);
    TN_GOTO(st, st, done);
  }
  if (model.entries.len == 0) {
    st = TN_ERR(TN_INVALID, "--header: the program has no public graph function to declare");
    goto done;
  }
  *out_model = model;
  model = (tn_model){0};
done:
  tn_model_deinit(&model);
  tn_strmap_deinit(&taken);
  tn_buf_deinit(&symbol);
  return st;
}
