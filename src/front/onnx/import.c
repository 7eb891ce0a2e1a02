/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A model to a graph function: what is missing is listed first; then inputs become parameters,
 * initial values constants, and each node what its rule says, in an order in which values come
 * before their uses. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "front/front.h"
#include "front/onnx/bodies.h"
#include "front/onnx/build.h"
#include "front/onnx/missing.h"

/* The newest operator set that there is; a file that asks for a later one is not understood. */
enum { NEWEST_OPSET = 28 };
/* Functions that call functions can be more nodes than there is time for. */
enum { MAX_NODES = 1 << 20 };

/* ---- scopes ---- */

const tn_node *tn_onnx_scope_find(const tn_onnx_scope *scope, const char *name) {
  for (; scope != NULL; scope = scope->outer) {
    const tn_node *value = tn_strmap_find(&scope->values, name);
    if (value != NULL) {
      return value;
    }
  }
  return NULL;
}

void tn_onnx_scope_set(tn_onnx_scope *scope, const char *name, const tn_node *value) {
  union {
    const tn_node *node;
    void *value;
  } u = {value};
  tn_strmap_set(&scope->values, name, u.value);
}

/* ---- initial values ---- */

static void mark_narrow(tn_onnx_importer *imp, const tn_node *value, int64_t data_type) {
  tn_onnx_elem type = {TN_DT_NONE, false};
  tn_status_free(tn_onnx_elem_find(data_type, &type));
  if (type.is_two_bits) {
    tn_map_set(&imp->narrow, value->id, 1);
  }
}

static tn_status add_initializer(tn_onnx_importer *imp, tn_onnx_scope *scope,
                                 const tn_onnx_tensor *tensor) {
  tn_array array = {0};
  const char *name = tensor->name.len == 0 ? "" : tensor->name.data;
  if (tn_strmap_has(&scope->values, name)) {
    return TN_ERR(TN_INVALID, "two initializers are called '%s'", name);
  }
  TN_TRY_MSG(tn_onnx_tensor_to_array(tensor, imp->folder, &array), "initializer '%s'", name);
  const tn_node *value = tn_const_new(imp->ir, &array);
  mark_narrow(imp, value, tensor->data_type);
  tn_onnx_scope_set(scope, name, value);
  return tn_ir_status(imp->ir);
}

tn_status tn_onnx_run_initializers(tn_onnx_importer *imp, tn_onnx_scope *scope,
                                   const tn_onnx_graph *graph) {
  if (graph->sparse_initializers.len > 0) {
    return TN_ERR(TN_UNSUPPORTED, "sparse initializers");
  }
  for (size_t i = 0; i < graph->initializers.len; ++i) {
    TN_TRY(add_initializer(imp, scope, graph->initializers.data[i]));
  }
  return NULL;
}

/* ---- order ---- */

typedef struct order {
  const tn_onnx_nodes *nodes;
  tn_strmap makers; /* name -> node index + 1 */
  uint8_t *state;   /* of each node: 0 new, 1 begun, 2 done */
  TN_VEC(size_t) stack;
  TN_VEC(size_t) sorted;
} order;

static tn_status find_makers(order *o, const tn_onnx_scope *scope) {
  for (size_t i = 0; i < o->nodes->len; ++i) {
    const tn_onnx_node *node = o->nodes->data[i];
    if (node->op.len == 0) {
      return TN_ERR(TN_INVALID, "node '%s' has no operator", tn_onnx_node_label(node));
    }
    for (size_t j = 0; j < node->outputs.len; ++j) {
      const char *name = node->outputs.data[j].data;
      if (name == NULL || *name == '\0') {
        continue;
      }
      if (tn_strmap_has(&o->makers, name)) {
        return TN_ERR(TN_INVALID, "two nodes write '%s'; a value has one maker", name);
      }
      if (tn_strmap_has(&scope->values, name)) {
        return TN_ERR(TN_INVALID, "node '%s' writes '%s', which is an input or initializer",
                      tn_onnx_node_label(node), name);
      }
      tn_strmap_set(&o->makers, name, (void *)(uintptr_t)(i + 1));
    }
  }
  return NULL;
}

/* Names that a graph inside of a node makes itself: they hide those around it. */
typedef struct hidden {
  const struct hidden *outer;
  tn_strmap names;
} hidden;

static void hide(hidden *h, tn_onnx_bytes name) {
  if (name.len > 0) {
    tn_strmap_set(&h->names, name.data, h);
  }
}

static void hide_all(hidden *h, const tn_onnx_graph *graph) {
  for (size_t i = 0; i < graph->inputs.len; ++i) {
    hide(h, graph->inputs.data[i]->name);
  }
  for (size_t i = 0; i < graph->initializers.len; ++i) {
    hide(h, graph->initializers.data[i]->name);
  }
  for (size_t i = 0; i < graph->nodes.len; ++i) {
    for (size_t j = 0; j < graph->nodes.data[i]->outputs.len; ++j) {
      hide(h, graph->nodes.data[i]->outputs.data[j]);
    }
  }
}

static void push_maker(order *o, const hidden *inside, tn_onnx_bytes name) {
  uintptr_t maker = name.len == 0 ? 0 : (uintptr_t)tn_strmap_find(&o->makers, name.data);
  for (; maker != 0 && inside != NULL; inside = inside->outer) {
    maker = tn_strmap_has(&inside->names, name.data) ? 0 : maker;
  }
  if (maker != 0 && o->state[maker - 1] != 2) {
    TN_VEC_PUSH(&o->stack, maker - 1);
  }
}

static void push_inputs(order *o, const hidden *inside, const tn_onnx_node *node);

/* What the graphs of a node read may come from around it. */
static void push_captures(order *o, const hidden *inside, const tn_onnx_graph *graph) {
  hidden own = {.outer = inside};
  hide_all(&own, graph);
  for (size_t i = 0; i < graph->nodes.len; ++i) {
    push_inputs(o, &own, graph->nodes.data[i]);
  }
  for (size_t i = 0; i < graph->outputs.len; ++i) {
    push_maker(o, &own, graph->outputs.data[i]->name);
  }
  tn_strmap_deinit(&own.names);
}

static void push_inputs(order *o, const hidden *inside, const tn_onnx_node *node) {
  for (size_t j = node->inputs.len; j-- > 0;) {
    push_maker(o, inside, node->inputs.data[j]);
  }
  for (size_t j = 0; j < node->attrs.len; ++j) {
    if (node->attrs.data[j]->g != NULL) {
      push_captures(o, inside, node->attrs.data[j]->g);
    }
  }
}

/* Depth first, without recursion: a chain may be long. */
static tn_status visit(order *o, size_t root) {
  TN_VEC_PUSH(&o->stack, root);
  while (o->stack.len > 0) {
    size_t i = TN_VEC_LAST(&o->stack);
    size_t n = o->stack.len;
    if (o->state[i] == 2) {
      (void)TN_VEC_POP(&o->stack);
      continue;
    }
    bool is_begun = o->state[i] == 1;
    o->state[i] = 1;
    push_inputs(o, NULL, o->nodes->data[i]);
    if (o->stack.len == n) {
      o->state[i] = 2;
      TN_VEC_PUSH(&o->sorted, i);
      (void)TN_VEC_POP(&o->stack);
    } else if (is_begun) { /* its inputs were done, and some are not: one of them waits for it */
      const tn_onnx_node *node = o->nodes->data[i];
      return TN_ERR(TN_INVALID,
                    "node '%s' (%s) is part of a cycle: its inputs depend on its output",
                    tn_onnx_node_label(node), node->op.data);
    }
  }
  return NULL;
}

/* ---- nodes ---- */

int64_t tn_onnx_opset_of(const tn_onnx_opsets *opsets, const char *domain) {
  int64_t version = 0;
  for (size_t i = 0; i < opsets->len; ++i) {
    if (strcmp(tn_onnx_domain(opsets->data[i]->domain), domain) == 0) {
      version = opsets->data[i]->version;
    }
  }
  return version;
}

static tn_status gather_inputs(tn_onnx_call *c) {
  const tn_onnx_node *node = c->node;
  for (uint32_t i = 0; i < c->n_in; ++i) {
    const tn_onnx_bytes name = node->inputs.data[i];
    if (name.len > 0) {
      c->in[i] = tn_onnx_scope_find(c->scope, name.data);
      if (c->in[i] == NULL) {
        return TN_ERR(TN_INVALID, "its input '%s' is made by nobody", name.data);
      }
    }
  }
  while (c->n_in > 0 && c->in[c->n_in - 1] == NULL) { /* left out at the end */
    --c->n_in;
  }
  return NULL;
}

static tn_status call_function(tn_onnx_call *c, const tn_onnx_function *func) {
  tn_onnx_scope scope = {.opsets = &func->opsets,
                         .caller = c->node,
                         .func = func,
                         .caller_scope = c->scope,
                         .depth = c->scope->depth + 1};
  tn_status st = NULL;
  if (scope.depth > TN_ONNX_MAX_SCOPES) {
    return TN_ERR(TN_INVALID, "functions call each other more than %d deep",
                  (int)TN_ONNX_MAX_SCOPES);
  }
  for (uint32_t i = 0; i < func->inputs.len; ++i) {
    const tn_node *value = tn_onnx_maybe(c, i);
    if (value != NULL) {
      tn_onnx_scope_set(&scope, func->inputs.data[i].data, value);
    }
  }
  TN_GOTO(st, tn_onnx_run_nodes(c->imp, &scope, &func->nodes), done);
  for (uint32_t i = 0; i < c->n_out && i < func->outputs.len; ++i) {
    c->out[i] = tn_onnx_scope_find(&scope, func->outputs.data[i].data);
  }
done:
  tn_strmap_deinit(&scope.values);
  return st;
}

static tn_status run_rule(tn_onnx_call *c) {
  const char *domain = tn_onnx_domain(c->node->domain);
  const char *op = c->node->op.len > 0 ? c->node->op.data : "";
  const tn_onnx_function *func = tn_onnx_find_function(c->imp->model, c->node);
  TN_TRY(gather_inputs(c));
  c->version = tn_onnx_opset_of(c->scope->opsets, domain);
  if (func != NULL) {
    return call_function(c, func);
  }
  c->rule = tn_onnx_rule_find(domain, op, c->version);
  if (c->rule == NULL) { /* the list of what is missing has been made: this is for functions */
    return TN_ERR(TN_UNSUPPORTED, "operator %s of %s, version %" PRId64, op,
                  *domain == '\0' ? "ai.onnx" : domain, c->version);
  }
  c->rule->run(c);
  return c->st;
}

/* What a rule made of int4 and has said nothing of is what its first such input is. */
static void inherit_narrow(tn_onnx_call *c, const tn_node *value) {
  tn_dtype dtype = value->op == TN_OP_GVAR && tn_is(value->in[0], TN_OP_TY_TENSOR)
                       ? value->in[0]->dtype
                   : value->op == TN_OP_CONST ? value->attr.array->dtype
                                              : TN_DT_NONE;
  if ((dtype != TN_DT_I4 && dtype != TN_DT_U4) || tn_map_find(&c->imp->narrow, value->id, NULL)) {
    return;
  }
  for (uint32_t i = 0; i < c->n_in; ++i) {
    if (c->in[i] != NULL && tn_map_find(&c->imp->narrow, c->in[i]->id, NULL)) {
      tn_onnx_mark(c, value, (tn_onnx_elem){dtype, tn_onnx_elem_of(c, c->in[i]).is_two_bits});
      return;
    }
  }
}

static tn_status run_node(tn_onnx_importer *imp, tn_onnx_scope *scope, const tn_onnx_node *node) {
  tn_onnx_call c = {.imp = imp, .ir = imp->ir, .scope = scope, .node = node};
  c.n_in = (uint32_t)node->inputs.len;
  c.n_out = (uint32_t)node->outputs.len;
  if (++imp->n_nodes > MAX_NODES) {
    return TN_ERR(TN_UNSUPPORTED,
                  "with its functions written out, the model has more than %d nodes",
                  (int)MAX_NODES);
  }
  c.in = TN_ARENA_ARRAY(imp->arena, const tn_node *, c.n_in + 1);
  c.out = TN_ARENA_ARRAY(imp->arena, const tn_node *, c.n_out + 1);
  TN_TRY_MSG(run_rule(&c), "node '%s' (%s)", tn_onnx_node_label(node),
             node->op.len > 0 ? node->op.data : "");
  for (uint32_t i = 0; i < c.n_out; ++i) {
    if (tn_onnx_wants(&c, i) && c.out[i] == NULL) {
      return TN_ERR(TN_UNSUPPORTED, "node '%s' (%s): output %u ('%s')", tn_onnx_node_label(node),
                    node->op.data, i, node->outputs.data[i].data);
    }
    if (tn_onnx_wants(&c, i)) {
      inherit_narrow(&c, c.out[i]);
      tn_onnx_scope_set(scope, node->outputs.data[i].data, c.out[i]);
    }
  }
  TN_TRY(tn_arena_status(imp->arena));
  return tn_ir_status(imp->ir);
}

tn_status tn_onnx_run_nodes(tn_onnx_importer *imp, tn_onnx_scope *scope,
                            const tn_onnx_nodes *nodes) {
  tn_status st = NULL;
  order o = {.nodes = nodes, .state = TN_ARENA_ARRAY(imp->arena, uint8_t, nodes->len + 1)};
  TN_GOTO(st, find_makers(&o, scope), done);
  for (size_t i = 0; i < nodes->len; ++i) {
    TN_GOTO(st, visit(&o, i), done);
  }
  for (size_t i = 0; i < o.sorted.len; ++i) {
    TN_GOTO(st, run_node(imp, scope, nodes->data[o.sorted.data[i]]), done);
  }
done:
  tn_strmap_deinit(&o.makers);
  TN_VEC_DEINIT(&o.stack);
  TN_VEC_DEINIT(&o.sorted);
  return st;
}

/* ---- inputs ---- */

static const tn_node *size_named(tn_onnx_importer *imp, const char *name) {
  union {
    void *value;
    const tn_node *node;
  } u = {tn_strmap_find(&imp->sizes, name)};
  if (u.node == NULL) {
    u.node = tn_var_new(imp->ir, name, TN_DT_I64);
    tn_strmap_set(&imp->sizes, name, u.value);
  }
  return u.node;
}

/* The shape given for `name`: "x=1,3,224,224". NULL when there is none. */
static const char *given_shape(const tn_onnx_opts *opts, const char *name) {
  size_t len = strlen(name);
  for (int32_t i = 0; opts != NULL && i < opts->n_shapes; ++i) {
    if (strncmp(opts->shapes[i], name, len) == 0 && opts->shapes[i][len] == '=') {
      return opts->shapes[i] + len + 1;
    }
  }
  return NULL;
}

static tn_status parse_shape(const char *text, int64_t *dims, int32_t *out_n) {
  int32_t n = 0;
  while (*text != '\0') {
    char *end = NULL;
    if (n == TN_MAX_NDIM) {
      return TN_ERR(TN_INVALID, "more than %d dimensions", (int)TN_MAX_NDIM);
    }
    dims[n++] = strtoll(text, &end, 10);
    if (end == text || (*end != ',' && *end != '\0')) {
      return TN_ERR(TN_INVALID, "'%s' is no list of numbers", text);
    }
    text = *end == ',' ? end + 1 : end;
  }
  *out_n = n;
  return NULL;
}

static tn_status input_dim(tn_onnx_importer *imp, const char *input, const tn_onnx_dim *dim,
                           int32_t i, const tn_node **out) {
  char fresh[256];
  if (dim != NULL && dim->has_value && dim->value >= 0) {
    *out = tn_int(imp->ir, TN_DT_I64, dim->value);
  } else if (dim != NULL && dim->param.len > 0) {
    *out = size_named(imp, dim->param.data);
  } else {
    (void)snprintf(fresh, sizeof fresh, "%.200s_dim%d", input, i);
    *out = size_named(imp, fresh);
  }
  return NULL;
}

static tn_status input_type(tn_onnx_importer *imp, const tn_onnx_value_info *info,
                            const tn_onnx_opts *opts, const tn_node **out) {
  int64_t given[TN_MAX_NDIM];
  int32_t n_given = -1;
  tn_dtype dtype = TN_DT_NONE;
  const tn_node *dims[TN_MAX_NDIM];
  const char *name = info->name.len > 0 ? info->name.data : "";
  const char *text = given_shape(opts, name);
  if (info->type == NULL || info->type->tensor == NULL) {
    return TN_ERR(TN_UNSUPPORTED, "it is no tensor");
  }
  TN_TRY(tn_onnx_dtype(info->type->tensor->elem, &dtype));
  if (text != NULL) {
    TN_TRY_MSG(parse_shape(text, given, &n_given), "--shape");
  }
  const tn_onnx_shape *shape = info->type->tensor->shape;
  if (shape == NULL && n_given < 0) {
    *out = tn_ty_tensor(imp->ir, dtype, -1, NULL);
    return NULL;
  }
  size_t n = shape == NULL ? (size_t)n_given : shape->dims.len;
  if (n > TN_MAX_NDIM || (n_given >= 0 && (size_t)n_given != n)) {
    return TN_ERR(TN_INVALID, "%zu dimensions, expected %d", n,
                  n_given >= 0 ? n_given : (int)TN_MAX_NDIM);
  }
  for (size_t i = 0; i < n; ++i) {
    if (n_given >= 0 && given[i] >= 0) {
      dims[i] = tn_int(imp->ir, TN_DT_I64, given[i]);
    } else {
      TN_TRY(
          input_dim(imp, name, shape == NULL ? NULL : shape->dims.data[i], (int32_t)i, &dims[i]));
    }
  }
  *out = tn_ty_tensor(imp->ir, dtype, (int64_t)n, tn_list(imp->ir, (uint32_t)n, dims));
  return NULL;
}

typedef TN_VEC(const tn_node *) node_vec;

static tn_status check_offer(tn_onnx_importer *imp, const tn_node *type, const tn_array *value) {
  bool is_unsure = false;
  if (!tn_ty_is_subtype(imp->ir, tn_ty_of_array(imp->ir, value), type, &is_unsure) && !is_unsure) {
    return TN_ERR(TN_INVALID, "the value given has another type");
  }
  return NULL;
}

/* Inputs whose values were taken become constants, first of all. */
static tn_status fix_taken(tn_onnx_importer *imp, node_vec *params) {
  size_t n = 0;
  node_vec stmts = {0};
  for (size_t i = 0; i < params->len; ++i) {
    const tn_node *param = params->data[i];
    uint64_t at = 0;
    tn_array copy = {0};
    if (!tn_map_find(&imp->offered, param->id, &at) || !imp->are_taken[at]) {
      params->data[n++] = param;
      continue;
    }
    tn_status st = tn_array_init_copy(&copy, imp->values[at]);
    if (st != NULL) {
      TN_VEC_DEINIT(&stmts);
      return st;
    }
    /* a cast, since its type may name sizes that others mention */
    const tn_node *in[] = {param, tn_const_new(imp->ir, &copy), param->in[0]};
    TN_VEC_PUSH(&stmts, tn_node_new(imp->ir, TN_OP_MATCH_CAST, TN_DT_NONE, (tn_attr){0}, 3, in));
  }
  params->len = n;
  for (size_t i = 0; i < imp->stmts.len; ++i) {
    TN_VEC_PUSH(&stmts, imp->stmts.data[i]);
  }
  TN_VEC_DEINIT(&imp->stmts);
  imp->stmts.data = stmts.data;
  imp->stmts.len = stmts.len;
  imp->stmts.cap = stmts.cap;
  return NULL;
}

/* A sequence or an optional: the graph level knows it as an object, the rules by its form. */
static tn_status add_object(tn_onnx_importer *imp, const tn_onnx_value_info *info,
                            const tn_node **out_type, const tn_onnx_form **out_form) {
  TN_TRY(tn_onnx_form_read(imp, info->type, out_form));
  *out_type = tn_ty_object(imp->ir);
  return NULL;
}

static void note_form(tn_onnx_importer *imp, const tn_node *value, const tn_onnx_form *form) {
  union {
    uint64_t bits;
    const tn_onnx_form *form;
  } u = {.form = form};
  tn_map_set(&imp->forms, value->id, u.bits);
}

static tn_status add_inputs(tn_onnx_importer *imp, tn_onnx_scope *scope, const tn_onnx_opts *opts,
                            node_vec *params) {
  const tn_onnx_value_infos *inputs = &imp->model->graph->inputs;
  for (size_t i = 0; i < inputs->len; ++i) {
    const char *name = inputs->data[i]->name.len > 0 ? inputs->data[i]->name.data : "";
    const tn_node *type = NULL;
    const tn_node *known = tn_strmap_find(&scope->values, name);
    if (known != NULL && tn_is(known, TN_OP_CONST)) {
      continue; /* it has an initial value */
    }
    if (known != NULL) {
      return TN_ERR(TN_INVALID, "two inputs are called '%s'", name);
    }
    const tn_onnx_type *declared = inputs->data[i]->type;
    bool is_object = declared != NULL && (declared->sequence != NULL || declared->optional != NULL);
    const tn_onnx_form *form = NULL;
    TN_TRY_MSG(is_object ? add_object(imp, inputs->data[i], &type, &form)
                         : input_type(imp, inputs->data[i], opts, &type),
               "input '%s'", name);
    tn_attr attr = {.text = tn_ir_text(imp->ir, name)};
    const tn_node *param = tn_node_new(imp->ir, TN_OP_GVAR, TN_DT_NONE, attr, 1, &type);
    size_t at = params->len;
    TN_VEC_PUSH(params, param);
    if (opts != NULL && at < (size_t)opts->n_values && opts->values[at] != NULL) {
      TN_TRY_MSG(check_offer(imp, type, opts->values[at]), "input '%s'", name);
      tn_map_set(&imp->offered, param->id, at);
    }
    if (is_object) {
      note_form(imp, param, form);
    }
    if (inputs->data[i]->type->tensor != NULL) {
      mark_narrow(imp, param, inputs->data[i]->type->tensor->elem);
    }
    tn_onnx_scope_set(scope, name, param);
  }
  return NULL;
}

static tn_status check_shapes(const tn_onnx_importer *imp, const tn_onnx_opts *opts) {
  for (int32_t i = 0; opts != NULL && i < opts->n_shapes; ++i) {
    const tn_onnx_value_infos *inputs = &imp->model->graph->inputs;
    bool is_known = false;
    for (size_t j = 0; j < inputs->len && !is_known; ++j) {
      size_t len = inputs->data[j]->name.len;
      is_known = strncmp(opts->shapes[i], len > 0 ? inputs->data[j]->name.data : "", len) == 0 &&
                 opts->shapes[i][len] == '=';
    }
    if (!is_known) {
      return TN_ERR(TN_INVALID, "--shape %s: the model has no such input", opts->shapes[i]);
    }
  }
  return NULL;
}

/* ---- the function ---- */

static tn_status result_of(tn_onnx_importer *imp, const tn_onnx_scope *scope,
                           const tn_node **out_result) {
  const tn_onnx_value_infos *outputs = &imp->model->graph->outputs;
  const tn_node **items = TN_ARENA_ARRAY(imp->arena, const tn_node *, outputs->len + 1);
  for (size_t i = 0; i < outputs->len; ++i) {
    const char *name = outputs->data[i]->name.len > 0 ? outputs->data[i]->name.data : "";
    items[i] = tn_onnx_scope_find(scope, name);
    if (items[i] == NULL) {
      return TN_ERR(TN_INVALID, "output '%s' is made by nobody", name);
    }
  }
  if (outputs->len == 1) {
    *out_result = items[0];
    return NULL;
  }
  *out_result =
      tn_node_new(imp->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, (uint32_t)outputs->len, items);
  return NULL;
}

/* The variables of `result` that a binding makes. */
static const tn_node *dataflow_outputs(tn_onnx_importer *imp, const tn_node *result) {
  tn_map bound = {0};
  node_vec outputs = {0};
  for (size_t i = 0; i < imp->stmts.len; ++i) {
    tn_map_set(&bound, imp->stmts.data[i]->in[TN_BIND_VAR]->id, 1);
  }
  uint32_t n = result->op == TN_OP_TUPLE ? result->n_in : 1;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *item = result->op == TN_OP_TUPLE ? result->in[i] : result;
    if (tn_map_find(&bound, item->id, NULL)) {
      TN_VEC_PUSH(&outputs, item);
      tn_map_remove(&bound, item->id);
    }
  }
  const tn_node *list = tn_list(imp->ir, (uint32_t)outputs.len, outputs.data);
  TN_VEC_DEINIT(&outputs);
  tn_map_deinit(&bound);
  return list;
}

/* What the model calls its results, for whoever shows or declares them. */
static const tn_node *output_names(tn_onnx_importer *imp) {
  const tn_onnx_value_infos *outputs = &imp->model->graph->outputs;
  const tn_node **names = TN_ARENA_ARRAY(imp->arena, const tn_node *, outputs->len + 1);
  for (size_t i = 0; i < outputs->len; ++i) {
    names[i] = tn_str(imp->ir, outputs->data[i]->name.len > 0 ? outputs->data[i]->name.data : "");
  }
  return tn_list(imp->ir, (uint32_t)outputs->len, names);
}

static tn_status add_function(tn_onnx_importer *imp, const node_vec *params,
                              const tn_node *result) {
  tn_ir *ir = imp->ir;
  const tn_node *stmts[2];
  const tn_node *type = NULL;
  uint32_t n = 0;
  if (imp->stmts.len > 0) {
    const tn_node *flow[] = {[TN_DATAFLOW_BODY] =
                                 tn_seq(ir, (uint32_t)imp->stmts.len, imp->stmts.data),
                             [TN_DATAFLOW_OUTPUTS] = dataflow_outputs(imp, result)};
    stmts[n++] = tn_node_new(ir, TN_OP_DATAFLOW, TN_DT_NONE, (tn_attr){0}, 2, flow);
  }
  stmts[n++] = tn_node_new(ir, TN_OP_RETURN, TN_DT_NONE, (tn_attr){0}, 1, &result);
  const tn_node *attrs = tn_node_new(ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, 0, NULL);
  attrs = tn_dict_set(ir, attrs, "global_symbol", tn_str(ir, "main"));
  attrs = tn_dict_set(ir, attrs, "output_names", output_names(imp));
  const tn_node *in[] = {
      [TN_GFUNC_PARAMS] = tn_list(ir, (uint32_t)params->len, params->data),
      [TN_GFUNC_RET] = tn_none(ir),
      [TN_GFUNC_ATTRS] = attrs,
      [TN_GFUNC_IS_PURE] = tn_bool(ir, true),
      [TN_GFUNC_BODY] = tn_seq(ir, n, stmts),
  };
  tn_attr name = {.text = tn_ir_text(ir, "main")};
  const tn_node *func = tn_node_new(ir, TN_OP_GFUNC, TN_DT_NONE, name, 5, in);
  const tn_infer_ctx ctx = {.ir = ir, .module = imp->module};
  TN_TRY(tn_func_type(&ctx, func, &type));
  in[TN_GFUNC_RET] = type->in[TN_TY_FUNC_RET];
  tn_module_set(imp->module, "main", tn_node_with(ir, func, in));
  return tn_ir_status(ir);
}

static tn_status check_opsets(const tn_onnx_model *model) {
  int64_t version = tn_onnx_opset_of(&model->opsets, "");
  if (version > NEWEST_OPSET) {
    return TN_ERR(TN_UNSUPPORTED, "opset %" PRId64 "; the newest known one is %d", version,
                  (int)NEWEST_OPSET);
  }
  return NULL;
}

static tn_status import_graph(tn_onnx_importer *imp, const tn_onnx_opts *opts) {
  tn_status st = NULL;
  tn_onnx_scope scope = {.opsets = &imp->model->opsets, .graph = imp->model->graph};
  node_vec params = {0};
  const tn_node *result = NULL;
  TN_GOTO(st, check_opsets(imp->model), done);
  TN_GOTO(st, tn_onnx_check_missing(imp->model), done);
  TN_GOTO(st, check_shapes(imp, opts), done);
  TN_GOTO(st, tn_onnx_run_initializers(imp, &scope, imp->model->graph), done);
  TN_GOTO(st, add_inputs(imp, &scope, opts, &params), done);
  TN_GOTO(st, tn_onnx_run_nodes(imp, &scope, &imp->model->graph->nodes), done);
  TN_GOTO(st, result_of(imp, &scope, &result), done);
  TN_GOTO(st, fix_taken(imp, &params), done);
  TN_GOTO(st, add_function(imp, &params, result), done);
done:
  tn_strmap_deinit(&scope.values);
  TN_VEC_DEINIT(&params);
  return st;
}

/* ---- files ---- */

const char *tn_onnx_folder(tn_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL) {
    return ".";
  }
  return slash == path ? "/" : tn_arena_strndup(arena, path, (size_t)(slash - path));
}

/* Structs take more than the bytes that they are read from, but not much: past this a file is
 * hostile. */
static size_t arena_limit(size_t n_bytes) { return ((size_t)256 << 20) + 4 * n_bytes; }

tn_status tn_onnx_open(tn_onnx_opened *o, const char *path) {
  TN_TRY(tn_mapped_file_init(&o->file, path));
  tn_arena_init(&o->arena, arena_limit(o->file.n_bytes));
  return NULL;
}

void tn_onnx_close(tn_onnx_opened *o) {
  tn_arena_deinit(&o->arena);
  tn_mapped_file_deinit(&o->file);
}

static tn_status read_model(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                            tn_onnx_model **out_model) {
  TN_TRY_MSG(tn_onnx_model_read(arena, bytes, n_bytes, out_model),
             "cannot parse the protobuf message");
  tn_onnx_opsets *opsets = &(*out_model)->opsets;
  if (opsets->len == 0 && (*out_model)->ir_version < 3) { /* from before there were sets */
    *opsets = (tn_onnx_opsets){TN_ARENA_ARRAY(arena, tn_onnx_opset *, 1), 1};
    opsets->data[0] = TN_ARENA_NEW(arena, tn_onnx_opset);
    opsets->data[0]->version = 1;
  }
  return tn_arena_status(arena);
}

static tn_status import_model(tn_arena *arena, const tn_onnx_model *model, const char *folder,
                              const tn_onnx_opts *opts, tn_module *module) {
  tn_onnx_importer imp = {
      .ir = module->ir, .module = module, .arena = arena, .model = model, .folder = folder};
  if (opts != NULL && opts->n_values > 0) {
    imp.values = opts->values;
    imp.are_taken = TN_ARENA_ARRAY(arena, bool, opts->n_values);
  }
  tn_status st = import_graph(&imp, opts);
  for (int32_t i = 0; opts != NULL && opts->are_taken != NULL && i < opts->n_values; ++i) {
    opts->are_taken[i] = imp.are_taken[i];
  }
  tn_strmap_deinit(&imp.sizes);
  tn_map_deinit(&imp.known);
  tn_map_deinit(&imp.forms);
  TN_VEC_DEINIT(&imp.known_log);
  tn_map_deinit(&imp.narrow);
  tn_map_deinit(&imp.offered);
  TN_VEC_DEINIT(&imp.stmts);
  return st;
}

tn_status tn_onnx_import_bytes(const uint8_t *bytes, size_t n_bytes, const char *folder,
                               const tn_onnx_opts *opts, tn_module *module) {
  tn_arena arena;
  tn_onnx_model *model = NULL;
  tn_arena_init(&arena, arena_limit(n_bytes));
  tn_status st = read_model(&arena, bytes, n_bytes, &model);
  if (st == NULL) {
    st = import_model(&arena, model, folder, opts, module);
  }
  tn_arena_deinit(&arena);
  return st;
}

tn_status tn_onnx_import(const char *path, const tn_onnx_opts *opts, tn_module *module) {
  tn_onnx_opened o = {0};
  TN_TRY(tn_onnx_open(&o, path));
  tn_status st = tn_onnx_import_bytes(o.file.data, o.file.n_bytes, tn_onnx_folder(&o.arena, path),
                                      opts, module);
  tn_onnx_close(&o);
  return tn_status_wrap(st, "%s", path);
}

tn_status tn_onnx_read_array(const char *path, tn_array *out_array) {
  tn_status st = NULL;
  tn_onnx_opened o = {0};
  tn_onnx_tensor *tensor = NULL;
  TN_TRY(tn_onnx_open(&o, path));
  TN_GOTO(st, tn_onnx_tensor_read(&o.arena, o.file.data, o.file.n_bytes, &tensor), done);
  TN_GOTO(st, tn_onnx_tensor_to_array(tensor, NULL, out_array), done);
done:
  tn_onnx_close(&o);
  return tn_status_wrap(st, "%s", path);
}

static const tn_onnx_type *type_at(const tn_onnx_graph *graph, bool is_output, int32_t index) {
  const tn_onnx_value_infos *infos = is_output ? &graph->outputs : &graph->inputs;
  for (size_t i = 0; i < infos->len; ++i) {
    bool is_initial = false;
    for (size_t j = 0; !is_output && j < graph->initializers.len; ++j) {
      is_initial =
          is_initial || (infos->data[i]->name.len > 0 &&
                         tn_onnx_is(graph->initializers.data[j]->name, infos->data[i]->name.data));
    }
    if (!is_initial && index-- == 0) {
      return infos->data[i]->type;
    }
  }
  return NULL;
}

void tn_onnx_data_deinit(tn_onnx_data *data) {
  for (int32_t i = 0; i < data->n; ++i) {
    tn_array_deinit(&data->arrays[i]);
  }
  free(data->arrays);
  *data = (tn_onnx_data){0};
}

static tn_status take_tensors(tn_onnx_data *data, size_t n, tn_onnx_tensor *const *tensors) {
  data->arrays = calloc(n + 1, sizeof *data->arrays);
  if (data->arrays == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for %zu tensors", n);
  }
  for (size_t i = 0; i < n; ++i) {
    TN_TRY(tn_onnx_tensor_to_array(tensors[i], NULL, &data->arrays[i]));
    data->n = (int32_t)i + 1;
  }
  return NULL;
}

static tn_status take_sequence(tn_onnx_data *data, const tn_onnx_sequence_data *sequence) {
  if (sequence->elem > 1) {
    return TN_ERR(TN_UNSUPPORTED, "a sequence of what are no tensors");
  }
  data->kind = TN_ONNX_DATA_SEQUENCE;
  return take_tensors(data, sequence->tensors.len, sequence->tensors.data);
}

static tn_status take_optional(tn_onnx_data *data, const tn_onnx_optional_data *optional) {
  if (optional->elem == 1 && optional->tensor != NULL) {
    data->kind = TN_ONNX_DATA_TENSOR;
    return take_tensors(data, 1, &optional->tensor);
  }
  if (optional->elem == 3 && optional->sequence != NULL) {
    return take_sequence(data, optional->sequence);
  }
  data->kind = TN_ONNX_DATA_NOTHING;
  return optional->elem == 0 ? NULL : TN_ERR(TN_UNSUPPORTED, "an optional of another kind");
}

static tn_status read_data(tn_onnx_opened *o, const tn_onnx_type *type, tn_onnx_data *data) {
  tn_onnx_sequence_data *sequence = NULL;
  tn_onnx_optional_data *optional = NULL;
  tn_onnx_tensor *tensor = NULL;
  if (type != NULL && type->sequence != NULL) {
    TN_TRY(tn_onnx_sequence_read(&o->arena, o->file.data, o->file.n_bytes, &sequence));
    return take_sequence(data, sequence);
  }
  if (type != NULL && type->optional != NULL) {
    TN_TRY(tn_onnx_optional_read(&o->arena, o->file.data, o->file.n_bytes, &optional));
    return take_optional(data, optional);
  }
  data->kind = TN_ONNX_DATA_TENSOR;
  TN_TRY(tn_onnx_tensor_read(&o->arena, o->file.data, o->file.n_bytes, &tensor));
  return take_tensors(data, 1, &tensor);
}

tn_status tn_onnx_read_data(const char *model, bool is_output, int32_t index, const char *path,
                            tn_onnx_data *out_data) {
  tn_status st = NULL;
  tn_onnx_opened m = {0};
  tn_onnx_opened o = {0};
  tn_onnx_model *parsed = NULL;
  tn_onnx_data data = {0};
  TN_TRY(tn_onnx_open(&m, model));
  TN_GOTO(st, read_model(&m.arena, m.file.data, m.file.n_bytes, &parsed), done);
  TN_GOTO(st, tn_onnx_open(&o, path), done);
  st = tn_status_wrap(read_data(&o, type_at(parsed->graph, is_output, index), &data), "%s", path);
  tn_onnx_close(&o);
done:
  tn_onnx_close(&m);
  if (st != NULL) {
    tn_onnx_data_deinit(&data);
  } else {
    *out_data = data;
  }
  return st;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

tn_status tn_onnx_list_operators(const char *path, tn_buf *out) {
  tn_status st = NULL;
  tn_onnx_opened o = {0};
  tn_onnx_model *model = NULL;
  TN_TRY(tn_onnx_open(&o, path));
  TN_GOTO(st, read_model(&o.arena, o.file.data, o.file.n_bytes, &model), done);
  size_t n = model->graph->nodes.len;
  const char **names = TN_ARENA_ARRAY(&o.arena, const char *, n + 1);
  for (size_t i = 0; i < n; ++i) {
    const tn_onnx_bytes op = model->graph->nodes.data[i]->op;
    names[i] = op.len > 0 ? op.data : "?";
  }
  qsort(names, n, sizeof *names, by_text);
  for (size_t i = 0; i < n; ++i) {
    if (i == 0 || strcmp(names[i - 1], names[i]) != 0) {
      tn_buf_printf(out, "%s%s", i > 0 ? " " : "", names[i]);
    }
  }
done:
  tn_onnx_close(&o);
  return tn_status_wrap(st, "%s", path);
}
