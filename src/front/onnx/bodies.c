/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Graphs inside of nodes as functions inside of functions, and what ONNX knows values by; see
 * bodies.h. */
#include "front/onnx/bodies.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- forms ---- */

const tn_onnx_form *tn_onnx_form_new(tn_onnx_importer *imp, tn_onnx_kind kind, const tn_node *type,
                                     const tn_onnx_form *item) {
  tn_onnx_form *form = TN_ARENA_NEW(imp->arena, tn_onnx_form);
  *form = (tn_onnx_form){.kind = kind, .type = type, .item = item};
  return form;
}

const tn_onnx_form *tn_onnx_form_of(tn_onnx_call *c, const tn_node *value) {
  union {
    uint64_t bits;
    const tn_onnx_form *form;
  } u = {0};
  const tn_infer_ctx ctx = {.ir = c->ir, .module = c->imp->module};
  const tn_node *type = NULL;
  if (c->st != NULL || value == NULL) {
    return NULL;
  }
  if (tn_map_find(&c->imp->forms, value->id, &u.bits)) {
    return u.form;
  }
  tn_onnx_fail(c, tn_graph_infer(&ctx, value, &type));
  if (c->st == NULL && type->op != TN_OP_TY_TENSOR) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected a tensor");
  }
  return c->st != NULL ? NULL : tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, type, NULL);
}

const tn_onnx_form *tn_onnx_sequence_of(tn_onnx_call *c, const tn_node *value) {
  const tn_onnx_form *form = tn_onnx_form_of(c, value);
  if (form != NULL && form->kind != TN_ONNX_SEQUENCE) {
    TN_ONNX_FAIL(c, TN_INVALID, "expected a sequence");
    return NULL;
  }
  return form;
}

const tn_node *tn_onnx_note_form(tn_onnx_call *c, const tn_node *value, const tn_onnx_form *form) {
  union {
    uint64_t bits;
    const tn_onnx_form *form;
  } u = {.form = form};
  if (c->st != NULL || value == NULL) {
    return NULL;
  }
  tn_map_set(&c->imp->forms, value->id, u.bits);
  return value;
}

typedef struct newness {
  uint32_t mark;
  bool is_new;
} newness;

static void look_for_new(const tn_node *n, void *ctx) {
  newness *s = ctx;
  s->is_new = s->is_new || (n->op == TN_OP_VAR && n->id >= s->mark);
}

static bool is_new_dim(tn_onnx_call *c, const tn_node *dim, uint32_t mark) {
  newness s = {.mark = mark};
  tn_walk_once(c->ir, dim, look_for_new, &s);
  return s.is_new;
}

/* NONE stands for an extent that is not known. */
static const tn_node *dim_at(const tn_node *type, uint32_t i) {
  const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
  return tn_is_none(dims) ? dims : dims->in[i];
}

static const tn_node *join_dims(tn_onnx_call *c, const tn_node *a, const tn_node *b,
                                uint32_t mark) {
  const tn_node *dims[TN_MAX_NDIM];
  for (uint32_t i = 0; i < (uint32_t)a->attr.i64; ++i) {
    const tn_node *x = dim_at(a, i);
    const tn_node *y = dim_at(b, i);
    bool is_same = !tn_is_none(x) && !tn_is_none(y) && !is_new_dim(c, x, mark) &&
                   !is_new_dim(c, y, mark) && tn_dim_compare(c->ir, x, y) == TN_DIM_EQUAL;
    dims[i] = is_same ? x : tn_none(c->ir);
  }
  return tn_list(c->ir, (uint32_t)a->attr.i64, dims);
}

static const tn_onnx_form *join_tensors(tn_onnx_call *c, const tn_onnx_form *a,
                                        const tn_onnx_form *b, uint32_t mark, const char *what) {
  char dtypes[2][TN_DTYPE_TEXT_BYTES];
  if (a->type == NULL || b->type == NULL) {
    return a->type == NULL ? b : a;
  }
  if (a->type->dtype != b->type->dtype) {
    TN_ONNX_FAIL(c, TN_INVALID, "%s is %s in one place and %s in another", what,
                 tn_dtype_print(a->type->dtype, dtypes[0]),
                 tn_dtype_print(b->type->dtype, dtypes[1]));
    return NULL;
  }
  if (a->type->attr.i64 != b->type->attr.i64 || a->type->attr.i64 < 0 ||
      a->type->attr.i64 > TN_MAX_NDIM) {
    return tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, tn_ty_tensor(c->ir, a->type->dtype, -1, NULL),
                            NULL);
  }
  const tn_node *dims = join_dims(c, a->type, b->type, mark);
  return tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, tn_ty_tensor(c->ir, a->type->dtype, -1, dims),
                          NULL);
}

const tn_onnx_form *tn_onnx_form_join(tn_onnx_call *c, const tn_onnx_form *a, const tn_onnx_form *b,
                                      uint32_t mark, const char *what) {
  if (c->st != NULL || a == NULL || b == NULL) {
    return c->st != NULL ? NULL : a == NULL ? b : a;
  }
  if (a->kind == TN_ONNX_TENSOR && b->kind == TN_ONNX_TENSOR) {
    return join_tensors(c, a, b, mark, what);
  }
  if (a->kind != b->kind) {
    /* a value and an optional of it */
    bool is_first = a->kind == TN_ONNX_OPTIONAL;
    const tn_onnx_form *optional = is_first ? a : b;
    if (optional->kind != TN_ONNX_OPTIONAL) {
      TN_ONNX_FAIL(c, TN_INVALID, "%s is a sequence in one place and none in another", what);
      return NULL;
    }
    const tn_onnx_form *item = tn_onnx_form_join(c, optional->item, is_first ? b : a, mark, what);
    return tn_onnx_form_new(c->imp, TN_ONNX_OPTIONAL, NULL, item);
  }
  return tn_onnx_form_new(c->imp, a->kind, NULL,
                          tn_onnx_form_join(c, a->item, b->item, mark, what));
}

static bool has_open_dims(const tn_node *type) {
  const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
  for (uint32_t i = 0; !tn_is_none(dims) && i < dims->n_in; ++i) {
    if (tn_is_none(dims->in[i])) {
      return true;
    }
  }
  return tn_is_none(dims);
}

const tn_node *tn_onnx_form_type(tn_onnx_call *c, const tn_onnx_form *form) {
  if (form == NULL || form->kind != TN_ONNX_TENSOR || form->type == NULL) {
    return tn_ty_object(c->ir);
  }
  return has_open_dims(form->type)
             ? tn_ty_tensor(c->ir, form->type->dtype, form->type->attr.i64, NULL)
             : form->type;
}

const tn_node *tn_onnx_new_size(tn_onnx_call *c) {
  char name[32];
  (void)snprintf(name, sizeof name, "s%u", tn_ir_n_ids(c->ir));
  return tn_var_new(c->ir, name, TN_DT_I64);
}

const tn_node *tn_onnx_claim(tn_onnx_call *c, const tn_node *value, const tn_onnx_form *form) {
  const tn_node *dims[TN_MAX_NDIM];
  if (c->st != NULL || value == NULL || form == NULL) {
    return c->st != NULL ? NULL : value;
  }
  if (form->kind != TN_ONNX_TENSOR) {
    return tn_onnx_note_form(c, value, form);
  }
  if (form->type == NULL || form->type->attr.i64 < 0 || form->type->attr.i64 > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "how many dimensions the result has is known only at run time");
    return NULL;
  }
  for (uint32_t i = 0; i < (uint32_t)form->type->attr.i64; ++i) {
    const tn_node *dim = dim_at(form->type, i);
    dims[i] = tn_is_none(dim) ? tn_onnx_new_size(c) : dim;
  }
  const tn_node *list = tn_list(c->ir, (uint32_t)form->type->attr.i64, dims);
  const tn_node *type = tn_ty_tensor(c->ir, form->type->dtype, -1, list);
  const tn_node *var = tn_onnx_var(c, "claimed", type);
  const tn_node *in[] = {var, value, type};
  tn_onnx_push(c, tn_node_new(c->ir, TN_OP_MATCH_CAST, TN_DT_NONE, (tn_attr){0}, 3, in));
  return var;
}

/* ---- what the model says ---- */

enum { MAX_TYPE_DEPTH = 8 };

static tn_status read_form(tn_onnx_importer *imp, const tn_onnx_type *type, int32_t depth,
                           const tn_onnx_form **out) {
  if (type == NULL || depth > MAX_TYPE_DEPTH) {
    *out = NULL;
    return depth > MAX_TYPE_DEPTH ? TN_ERR(TN_INVALID, "a type of types of types") : NULL;
  }
  const tn_onnx_item_type *items = type->sequence != NULL ? type->sequence : type->optional;
  if (items != NULL) {
    const tn_onnx_form *item = NULL;
    TN_TRY(read_form(imp, items->elem, depth + 1, &item));
    *out = tn_onnx_form_new(imp, type->sequence != NULL ? TN_ONNX_SEQUENCE : TN_ONNX_OPTIONAL, NULL,
                            item);
    return NULL;
  }
  if (type->tensor == NULL) {
    return TN_ERR(TN_UNSUPPORTED, "a value that is no tensor, sequence or optional");
  }
  const tn_node *dims[TN_MAX_NDIM];
  tn_dtype dtype = TN_DT_NONE;
  const tn_onnx_shape *shape = type->tensor->shape;
  TN_TRY(tn_onnx_dtype(type->tensor->elem, &dtype));
  bool is_known = shape != NULL && shape->dims.len <= TN_MAX_NDIM;
  for (size_t i = 0; is_known && i < shape->dims.len; ++i) {
    dims[i] = tn_none(imp->ir);
  }
  const tn_node *list = is_known ? tn_list(imp->ir, (uint32_t)shape->dims.len, dims) : NULL;
  *out = tn_onnx_form_new(imp, TN_ONNX_TENSOR, tn_ty_tensor(imp->ir, dtype, -1, list), NULL);
  return NULL;
}

tn_status tn_onnx_form_read(tn_onnx_importer *imp, const tn_onnx_type *type,
                            const tn_onnx_form **out) {
  return read_form(imp, type, 0, out);
}

static const tn_onnx_type *type_in(const tn_onnx_value_infos *infos, const char *name) {
  for (size_t i = 0; i < infos->len; ++i) {
    if (tn_onnx_is(infos->data[i]->name, name)) {
      return infos->data[i]->type;
    }
  }
  return NULL;
}

const tn_onnx_form *tn_onnx_declared(tn_onnx_call *c) {
  const tn_onnx_graph *graph = c->scope->graph;
  const tn_onnx_form *form = NULL;
  if (graph == NULL || !tn_onnx_wants(c, 0)) {
    return NULL;
  }
  const char *name = c->node->outputs.data[0].data;
  const tn_onnx_type *type = type_in(&graph->outputs, name);
  type = type != NULL ? type : type_in(&graph->values, name);
  tn_status_free(tn_onnx_form_read(c->imp, type, &form)); /* a hint, and no more */
  return form;
}

/* ---- statements ---- */

const tn_node *tn_onnx_var(tn_onnx_call *c, const char *name, const tn_node *type) {
  tn_attr attr = {.text = tn_ir_text(c->ir, name)};
  return tn_node_new(c->ir, TN_OP_GVAR, TN_DT_NONE, attr, 1, &type);
}

void tn_onnx_push(tn_onnx_call *c, const tn_node *stmt) { TN_VEC_PUSH(&c->imp->stmts, stmt); }

const tn_node *tn_onnx_prim(tn_onnx_call *c, const tn_node *expr) {
  return tn_node_new(c->ir, TN_OP_PRIM, TN_DT_NONE, (tn_attr){0}, 1, &expr);
}

const tn_node *tn_onnx_condition(tn_onnx_call *c, const tn_node *value) {
  if (tn_onnx_ndim(c, value) != 0) {
    value = tn_onnx_reshape(c, value, tn_list(c->ir, 0, NULL));
  }
  return tn_onnx_cast(c, value, TN_DT_BOOL);
}

tn_onnx_body tn_onnx_body_begin(tn_onnx_call *c) {
  return (tn_onnx_body){
      .n_stmts = c->imp->stmts.len, .n_known = c->imp->known_log.len, .mark = tn_ir_n_ids(c->ir)};
}

/* What is known of values through statements of the body is known in it alone. */
void tn_onnx_body_drop(tn_onnx_call *c, const tn_onnx_body *body) {
  while (c->imp->known_log.len > body->n_known) {
    tn_map_remove(&c->imp->known, TN_VEC_POP(&c->imp->known_log));
  }
  c->imp->stmts.len = body->n_stmts;
}

const tn_node *tn_onnx_body_end(tn_onnx_call *c, const tn_onnx_body *body, uint32_t n,
                                const tn_node *const *results) {
  const tn_node *result =
      n == 1 ? results[0] : tn_node_new(c->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, n, results);
  tn_onnx_push(c, tn_node_new(c->ir, TN_OP_YIELD, TN_DT_NONE, (tn_attr){0}, 1, &result));
  const tn_node *seq = tn_seq(c->ir, (uint32_t)(c->imp->stmts.len - body->n_stmts),
                              c->imp->stmts.data + body->n_stmts);
  tn_onnx_body_drop(c, body);
  return seq;
}

/* ---- graphs ---- */

const tn_onnx_graph *tn_onnx_graph_attr(tn_onnx_call *c, const char *name, int64_t n_inputs,
                                        int64_t n_outputs) {
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, name);
  if (attr == NULL || attr->g == NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "the graph '%s' is missing", name);
    return NULL;
  }
  int64_t n_in = (int64_t)attr->g->inputs.len;
  int64_t n_out = (int64_t)attr->g->outputs.len;
  if ((n_inputs >= 0 && n_in != n_inputs) || (n_outputs >= 0 && n_out != n_outputs)) {
    TN_ONNX_FAIL(c, TN_INVALID,
                 "the graph '%s' has %" PRId64 " inputs and %" PRId64 " outputs, expected %" PRId64
                 " and %" PRId64,
                 name, n_in, n_out, n_inputs < 0 ? n_in : n_inputs,
                 n_outputs < 0 ? n_out : n_outputs);
    return NULL;
  }
  return attr->g;
}

static const char *name_of(tn_onnx_bytes name) { return name.len > 0 ? name.data : ""; }

static tn_status import_into(tn_onnx_call *c, tn_onnx_scope *scope, const tn_onnx_graph *graph,
                             uint32_t n_inputs, const tn_node *const *inputs, const tn_node **out) {
  for (uint32_t i = 0; i < n_inputs && i < graph->inputs.len; ++i) {
    tn_onnx_scope_set(scope, name_of(graph->inputs.data[i]->name), inputs[i]);
  }
  TN_TRY(tn_onnx_run_initializers(c->imp, scope, graph));
  TN_TRY(tn_onnx_run_nodes(c->imp, scope, &graph->nodes));
  for (size_t i = 0; i < graph->outputs.len; ++i) {
    const char *name = name_of(graph->outputs.data[i]->name);
    out[i] = tn_onnx_scope_find(scope, name);
    if (out[i] == NULL) {
      return TN_ERR(TN_INVALID, "output '%s' of the graph is made by nobody", name);
    }
  }
  return NULL;
}

void tn_onnx_run_graph(tn_onnx_call *c, const tn_onnx_graph *graph, uint32_t n_inputs,
                       const tn_node *const *inputs, const tn_node **out) {
  tn_onnx_scope scope = {
      .outer = c->scope, .opsets = c->scope->opsets, .graph = graph, .depth = c->scope->depth + 1};
  if (c->st == NULL && graph != NULL && scope.depth > TN_ONNX_MAX_SCOPES) {
    TN_ONNX_FAIL(c, TN_INVALID, "graphs within graphs more than %d deep", (int)TN_ONNX_MAX_SCOPES);
  }
  if (c->st == NULL && graph != NULL) {
    tn_onnx_fail(c, import_into(c, &scope, graph, n_inputs, inputs, out));
  }
  tn_strmap_deinit(&scope.values);
}

const tn_node *tn_onnx_call_made(tn_onnx_call *c, const tn_node *self, uint32_t n_params,
                                 const tn_node *const *params, const tn_node *body, uint32_t n_args,
                                 const tn_node *const *args) {
  if (c->st != NULL) {
    return NULL;
  }
  const tn_node *ret = self->in[0]->in[TN_TY_FUNC_RET];
  const tn_node *in[] = {
      [TN_GFUNC_PARAMS] = tn_list(c->ir, n_params, params),
      [TN_GFUNC_RET] = ret,
      [TN_GFUNC_ATTRS] = tn_node_new(c->ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, 0, NULL),
      [TN_GFUNC_IS_PURE] = tn_bool(c->ir, true),
      [TN_GFUNC_BODY] = body,
  };
  const tn_node *func = tn_node_new(c->ir, TN_OP_GFUNC, TN_DT_NONE, self->attr, 5, in);
  const tn_node *bind[] = {self, func};
  tn_onnx_push(c, tn_node_new(c->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, bind));
  const tn_node *invoke[] = {self, tn_list(c->ir, n_args, args), tn_none(c->ir)};
  const tn_node *call = tn_node_new(c->ir, TN_OP_INVOKE, TN_DT_NONE, (tn_attr){0}, 3, invoke);
  const tn_node *var = tn_onnx_var(c, "results", ret);
  const tn_node *result[] = {var, call};
  tn_onnx_push(c, tn_node_new(c->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, result));
  tn_onnx_fail(c, tn_ir_status(c->ir));
  return c->st != NULL ? NULL : var;
}
