/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table of the graph level's own operators (graph/builtins.def) with their fields and type
 * rules. The reader finds operators here by name, passes and code generation by id. What computes
 * numbers is in room ops. */
#include <string.h>

#include "base/check.h"
#include "graph/graph.h"

/* ---- fields ---- */

static const tn_field inplace_fields[] = {
    {"inplace_indices", TN_FIELD_INTS, NULL,
     "for each output the input whose memory it takes, -1: fresh"},
};
static const tn_field grad_fields[] = {
    {"te_grad_name", TN_FIELD_STR, NULL, "the gradient's name"},
    {"te_grad_kwargs", TN_FIELD_DICT, "None", "keyword arguments of the gradient"},
};
static const tn_field format_fields[] = {
    {"format", TN_FIELD_STR, "\"\"", "text with a {} for each value"},
};
static const tn_field vdevice_fields[] = {
    {"dst_vdevice", TN_FIELD_STR, NULL, "the device, as in \"cuda:0\""},
};
static const tn_field device_fields[] = {
    {"device", TN_FIELD_STR, NULL, "the device, as in \"cpu:0\""},
};
static const tn_field storage_fields[] = {
    {"keep", TN_FIELD_BOOL, "False",
     "may be kept for the next run: nothing in it leaves the function"},
};

/* ---- type rules ---- */

static tn_status nth_type(const tn_infer_ctx *ctx, const tn_node *call, uint32_t i,
                          const tn_node **out) {
  return tn_graph_infer(ctx, tn_call_arg(call, i), out);
}

static tn_status infer_object(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  (void)call;
  *out = tn_ty_object(ctx->ir);
  return NULL;
}

static tn_status infer_nothing(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  (void)call;
  *out = tn_ty_tuple(ctx->ir, 0, NULL);
  return NULL;
}

static tn_status infer_length(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  (void)call;
  *out = tn_ty_tensor(ctx->ir, TN_DT_I64, 0, tn_list(ctx->ir, 0, NULL));
  return NULL;
}

static tn_status infer_is_null(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  (void)call;
  *out = tn_ty_tensor(ctx->ir, TN_DT_BOOL, 0, tn_list(ctx->ir, 0, NULL));
  return NULL;
}

static tn_status infer_same(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  return nth_type(ctx, call, 0, out);
}

/* One type stands for itself, several for a tuple of them. */
static tn_status infer_given(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  const tn_node *types = call->in[TN_CALL_TYPES];
  if (tn_is_none(types) || types->n_in == 0) {
    *out = tn_ty_object(ctx->ir);
  } else {
    *out = types->n_in == 1 ? types->in[0] : tn_ty_tuple(ctx->ir, types->n_in, types->in);
  }
  return NULL;
}

static tn_status check_dps_type(const tn_node *call, const tn_node *type, uint32_t i) {
  if (type->op != TN_OP_TY_TENSOR || tn_is_none(type->in[TN_TY_TENSOR_SHAPE]) ||
      type->dtype == TN_DT_NONE) {
    tn_buf text = TN_BUF_INIT;
    tn_ty_print(type, &text);
    tn_status st = TN_ERR(
        TN_INVALID, "output %u of %s has type %s, expected a tensor type with shape and dtype", i,
        call->attr.def->name, tn_buf_text(&text));
    tn_buf_deinit(&text);
    return st;
  }
  return NULL;
}

static tn_status infer_dps(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  const char *name = call->attr.def->name;
  const tn_node *callee = tn_call_arg(call, 0);
  bool is_packed = tn_op_of(call) == tn_graph_builtin(TN_BUILTIN_CALL_DPS_PACKED);
  if (callee->op != (is_packed ? TN_OP_EXTERN : TN_OP_GLOBAL)) {
    return TN_ERR(TN_INVALID, "the first argument of %s is %s, expected %s", name,
                  tn_op_info_get((tn_op)callee->op)->text,
                  is_packed ? "the name of a registered function" : "a function of the module");
  }
  if (tn_call_arg(call, 1)->op != TN_OP_TUPLE) {
    return TN_ERR(TN_INVALID, "the second argument of %s is not a tuple of inputs", name);
  }
  if (call->in[TN_CALL_ARGS]->n_in == 3 && tn_call_arg(call, 2)->op != TN_OP_SHAPE) {
    return TN_ERR(TN_INVALID, "tir_vars of %s is not a shape", name);
  }
  const tn_node *types = call->in[TN_CALL_TYPES];
  if (tn_is_none(types) || types->n_in == 0) {
    return TN_ERR(TN_INVALID, "%s needs the types of its outputs (out_sinfo=)", name);
  }
  for (uint32_t i = 0; i < types->n_in; ++i) {
    TN_TRY(check_dps_type(call, types->in[i], i));
  }
  return infer_given(ctx, call, out);
}

static tn_status infer_shape_of(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  const tn_node *type = NULL;
  TN_TRY(nth_type(ctx, call, 0, &type));
  if (type->op != TN_OP_TY_TENSOR && type->op != TN_OP_TY_OBJECT) {
    return TN_ERR(TN_INVALID, "shape_of takes a tensor");
  }
  if (type->op == TN_OP_TY_OBJECT) {
    *out = tn_ty_shape(ctx->ir, -1, NULL);
    return NULL;
  }
  const tn_node *shape = type->in[TN_TY_TENSOR_SHAPE];
  *out = tn_is_none(shape) ? tn_ty_shape(ctx->ir, type->attr.i64, NULL)
                           : tn_ty_shape(ctx->ir, shape->n_in, shape);
  return NULL;
}

static tn_status infer_tensor_to_shape(const tn_infer_ctx *ctx, const tn_node *call,
                                       const tn_node **out) {
  const tn_node *type = NULL;
  TN_TRY(nth_type(ctx, call, 0, &type));
  if (type->op != TN_OP_TY_TENSOR || (type->attr.i64 != 1 && type->attr.i64 != -1) ||
      (type->dtype != TN_DT_I64 && type->dtype != TN_DT_NONE)) {
    return TN_ERR(TN_INVALID, "tensor_to_shape takes an int64 tensor of one dimension");
  }
  const tn_node *shape = type->in[TN_TY_TENSOR_SHAPE];
  bool is_known = !tn_is_none(shape) && shape->n_in == 1 && shape->in[0]->op == TN_OP_INT;
  *out = tn_ty_shape(ctx->ir, is_known ? shape->in[0]->attr.i64 : -1, NULL);
  return NULL;
}

static tn_status infer_shape_to_tensor(const tn_infer_ctx *ctx, const tn_node *call,
                                       const tn_node **out) {
  const tn_node *type = NULL;
  TN_TRY(nth_type(ctx, call, 0, &type));
  if (type->op != TN_OP_TY_SHAPE) {
    return TN_ERR(TN_INVALID, "shape_to_tensor takes a shape");
  }
  const tn_node *shape = NULL;
  if (type->attr.i64 >= 0) {
    const tn_node *n = tn_int(ctx->ir, TN_DT_I64, type->attr.i64);
    shape = tn_list(ctx->ir, 1, &n);
  }
  *out = tn_ty_tensor(ctx->ir, TN_DT_I64, 1, shape);
  return NULL;
}

static tn_status tensor_of(const tn_infer_ctx *ctx, const tn_node *call, uint32_t shape_at,
                           uint32_t dtype_at, const tn_node **out) {
  const tn_node *dtype = tn_call_arg(call, dtype_at);
  const tn_node *shape = NULL;
  TN_TRY(nth_type(ctx, call, shape_at, &shape));
  if (shape->op != TN_OP_TY_SHAPE || dtype->op != TN_OP_DTYPE) {
    return TN_ERR(TN_INVALID, "%s takes a shape as argument %u and a dtype as argument %u",
                  call->attr.def->name, shape_at, dtype_at);
  }
  const tn_node *dims = shape->in[0];
  *out = tn_ty_tensor(ctx->ir, (tn_dtype)dtype->attr.i64, shape->attr.i64,
                      tn_is_none(dims) ? NULL : dims);
  return NULL;
}

static tn_status infer_alloc_tensor(const tn_infer_ctx *ctx, const tn_node *call,
                                    const tn_node **out) {
  return tensor_of(ctx, call, 0, 1, out);
}

static tn_status infer_storage_tensor(const tn_infer_ctx *ctx, const tn_node *call,
                                      const tn_node **out) {
  return tensor_of(ctx, call, 2, 3, out);
}

static tn_status infer_view(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  return tensor_of(ctx, call, 1, 2, out);
}

/* Sizes of the callee that come in with captured values are those of the values; the others stay
 * its own. */
static tn_status bind_captured(const tn_infer_ctx *ctx, const tn_node *captured,
                               const tn_node *params, uint32_t n_left, tn_map *syms) {
  for (uint32_t i = 0; i < captured->n_in; ++i) {
    const tn_node *type = NULL;
    TN_TRY(tn_graph_infer(ctx, captured->in[i], &type));
    tn_ty_bind(params->in[n_left + i], type, syms);
  }
  for (uint32_t i = 0; i < n_left; ++i) {
    tn_ty_bind(params->in[i], params->in[i], syms);
  }
  return NULL;
}

/* The callee's type without the parameters that the captured arguments fill. */
static tn_status infer_closure(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out) {
  const tn_node *func = NULL;
  TN_TRY(nth_type(ctx, call, 0, &func));
  const tn_node *captured = tn_call_arg(call, 1);
  if (func->op != TN_OP_TY_FUNC || captured->op != TN_OP_TUPLE) {
    return TN_ERR(TN_INVALID, "make_closure takes a function and a tuple of captured values");
  }
  const tn_node *params = func->in[TN_TY_FUNC_PARAMS];
  if (tn_is_none(params)) {
    *out = func;
    return NULL;
  }
  if (captured->n_in > params->n_in) {
    return TN_ERR(TN_INVALID, "%u values are captured by a function of %u parameters",
                  captured->n_in, params->n_in);
  }
  uint32_t n_left = params->n_in - captured->n_in;
  tn_map syms = {0};
  TN_VEC(const tn_node *) left = {0};
  tn_status st = bind_captured(ctx, captured, params, n_left, &syms);
  for (uint32_t i = 0; i < n_left && st == NULL; ++i) {
    TN_VEC_PUSH(&left, tn_ty_instantiate(ctx->ir, params->in[i], &syms));
  }
  if (st == NULL) {
    const tn_node *ret = tn_ty_instantiate(ctx->ir, func->in[TN_TY_FUNC_RET], &syms);
    *out = tn_ty_func(ctx->ir, tn_list(ctx->ir, n_left, left.data), ret, func->attr.i64 != 0);
  }
  TN_VEC_DEINIT(&left);
  tn_map_deinit(&syms);
  return st;
}

/* ---- the table ---- */

#define NO_FIELDS NULL
#define COUNT(fields) N_##fields = sizeof(fields) / sizeof((fields)[0])
enum {
  N_NO_FIELDS = 0,
  COUNT(inplace_fields),
  COUNT(grad_fields),
  COUNT(format_fields),
  COUNT(vdevice_fields),
  COUNT(device_fields),
  COUNT(storage_fields)
};
#undef COUNT

static const tn_op_def rows[TN_N_BUILTINS] = {
#define X(id, name_, pure_, flags_, min_, max_, fields_, types_, rule, doc_) \
  [TN_BUILTIN_##id] = {.def = {.name = (name_), .is_pure = (pure_)},         \
                       .flags = (flags_),                                    \
                       .min_args = (min_),                                   \
                       .max_args = (max_),                                   \
                       .fields = fields_,                                    \
                       .n_fields = N_##fields_,                              \
                       .takes_types = (types_),                              \
                       .doc = (doc_),                                        \
                       .infer = infer_##rule},
#include "graph/builtins.def"
#undef X
};

const tn_op_def *tn_graph_builtin(tn_builtin_id id) {
  TN_ASSERT((uint32_t)id < TN_N_BUILTINS, "builtin %d", (int)id);
  return &rows[id];
}

int32_t tn_builtin_of(const tn_node *n) {
  if (n->op != TN_OP_CALL) {
    return -1;
  }
  const tn_op_def *op = tn_op_of(n);
  return op >= rows && op < rows + TN_N_BUILTINS ? (int32_t)(op - rows) : -1;
}

const tn_op_def *tn_graph_builtin_find(const char *name) {
  for (uint32_t i = 0; i < TN_N_BUILTINS; ++i) {
    if (strcmp(rows[i].def.name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

const tn_op_def *tn_op_table_find(const tn_op_table *table, const char *name) {
  for (int32_t i = 0; table != NULL && i < table->n; ++i) {
    if (strcmp(table->defs[i]->def.name, name) == 0) {
      return table->defs[i];
    }
  }
  return NULL;
}

/* ---- CALL nodes ---- */

const tn_node *tn_call_new(tn_ir *ir, const tn_op_def *op, uint32_t n_args,
                           const tn_node *const *args, const tn_node *fields,
                           const tn_node *types) {
  if (fields == NULL) {
    enum { MOST = 16 };
    const tn_node *none[MOST];
    TN_ASSERT(op->n_fields <= MOST, "%s has %d fields", op->def.name, op->n_fields);
    for (int32_t i = 0; i < op->n_fields; ++i) {
      none[i] = tn_none(ir);
    }
    fields = tn_list(ir, (uint32_t)op->n_fields, none);
  }
  const tn_node *in[] = {tn_list(ir, n_args, args), fields, types == NULL ? tn_none(ir) : types};
  return tn_node_new(ir, TN_OP_CALL, TN_DT_NONE, (tn_attr){.def = &op->def}, 3, in);
}

const tn_node *tn_call_field(const tn_node *call, int32_t i) {
  const tn_node *fields = call->in[TN_CALL_FIELDS];
  if (i < 0 || (uint32_t)i >= fields->n_in || tn_is_none(fields->in[i])) {
    return NULL;
  }
  return fields->in[i];
}

tn_status tn_check_host_device(const tn_node *call) {
  static const char *const hosts[] = {"cpu", "llvm", "c"};
  const tn_node *field = tn_call_field(call, 0);
  const char *name = field == NULL ? "cpu" : field->attr.text;
  size_t n = strcspn(name, ":");
  for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; ++i) {
    if (strlen(hosts[i]) == n && strncmp(hosts[i], name, n) == 0) {
      return NULL;
    }
  }
  return TN_ERR(TN_UNSUPPORTED, "there is no device '%s': code is made for the cpu", name);
}
