/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The one loop function of a group of calls: copies of their blocks in order, over the group's
 * buffers. What a call of the group gives to others becomes memory of the function's own.
 *
 *   add(A, B, T), relu(A, T)   ->   fused_add_relu(A, B, T_out): add = T.alloc_buffer(...)
 *                                   add[v] = A[v] + B[v];  T_out[v] = T.max(add[v], 0)
 *
 * Shapes are the graph's, with a variable of the function's own for each of its sizes; a size that
 * no dimension is equal to comes as a scalar argument. */
#include <stdio.h>
#include <string.h>

#include "graph/fuse.h"

enum { MAX_NAMED_CALLS = 8 };

/* ---- sizes of one call ---- */

static bool fits(tn_ir *ir, const tn_node *dim, const tn_node *actual, tn_map *sizes) {
  uint64_t word = 0;
  if (tn_is(dim, TN_OP_INT)) {
    return tn_is(actual, TN_OP_INT) && actual->attr.i64 == dim->attr.i64;
  }
  if (!tn_is(dim, TN_OP_VAR) || dim->dtype != TN_DT_I64) {
    return false;
  }
  if (tn_map_find(sizes, dim->id, &word)) {
    const tn_node *known = (const tn_node *)(uintptr_t)word;
    return known == actual || tn_dim_compare(ir, known, actual) == TN_DIM_EQUAL;
  }
  tn_map_set(sizes, dim->id, (uint64_t)(uintptr_t)actual);
  return true;
}

bool tn_fuse_bind_sizes(tn_ir *ir, const tn_node *func, const tn_node *const *types,
                        tn_map *out_sizes) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    const tn_node *shape = buffers->in[i]->in[TN_BUFFER_SHAPE];
    const tn_node *type = types[i];
    if (!tn_is(type, TN_OP_TY_TENSOR) || tn_is_none(type->in[TN_TY_TENSOR_SHAPE]) ||
        type->dtype != buffers->in[i]->dtype || type->in[TN_TY_TENSOR_SHAPE]->n_in != shape->n_in) {
      return false;
    }
    for (uint32_t d = 0; d < shape->n_in; ++d) {
      if (!fits(ir, shape->in[d], type->in[TN_TY_TENSOR_SHAPE]->in[d], out_sizes)) {
        return false;
      }
    }
  }
  return true;
}

tn_status tn_fuse_types_of(tn_module *module, const tn_node *call, tn_fuse_types *out) {
  const tn_infer_ctx ctx = {.ir = module->ir, .module = module};
  const tn_node *inputs = tn_call_arg(call, 1);
  for (uint32_t i = 0; i < inputs->n_in; ++i) {
    const tn_node *type = NULL;
    TN_TRY(tn_graph_infer(&ctx, inputs->in[i], &type));
    TN_VEC_PUSH(out, type);
  }
  for (uint32_t i = 0; i < call->in[TN_CALL_TYPES]->n_in; ++i) {
    TN_VEC_PUSH(out, call->in[TN_CALL_TYPES]->in[i]);
  }
  return NULL;
}

/* ---- the function being made ---- */

typedef struct builder {
  tn_ir *ir;
  tn_module *module;
  uint32_t n;
  const tn_node *const *stmts;
  tn_map values;  /* GVAR or CONST id -> BUFFER */
  tn_map sizes;   /* id of the graph's VAR -> the function's */
  tn_map is_told; /* id of the function's VAR: an extent is just that */
  tn_strmap labels;
  tn_stmts graph_sizes; /* VARs of the graph, as they were met */
  tn_stmts args;        /* outer inputs */
  tn_stmts params;      /* VARs; inputs, then sizes that no extent is equal to */
  tn_stmts buffers;     /* of params, NONE for sizes */
  tn_stmts outputs;     /* BUFFERs of the results */
  tn_stmts allocs;
  tn_stmts body;
  tn_stmts untold; /* the graph's VARs that come as scalars */
} builder;

static void builder_deinit(builder *b) {
  tn_stmts *lists[] = {&b->graph_sizes, &b->args,   &b->params, &b->buffers,
                       &b->outputs,     &b->allocs, &b->body,   &b->untold};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    TN_VEC_DEINIT(lists[i]);
  }
  tn_map_deinit(&b->values);
  tn_map_deinit(&b->sizes);
  tn_map_deinit(&b->is_told);
  tn_strmap_deinit(&b->labels);
}

static const tn_node *at(const tn_map *map, const tn_node *key) {
  uint64_t word = 0;
  return tn_map_find(map, key->id, &word) ? (const tn_node *)(uintptr_t)word : NULL;
}

static void put(tn_map *map, const tn_node *key, const tn_node *value) {
  tn_map_set(map, key->id, (uint64_t)(uintptr_t)value);
}

static void own_size(const tn_node *n, void *ctx) {
  builder *b = ctx;
  if (tn_is(n, TN_OP_VAR) && at(&b->sizes, n) == NULL) {
    put(&b->sizes, n, tn_var_new(b->ir, n->attr.text, n->dtype));
    TN_VEC_PUSH(&b->graph_sizes, n);
  }
}

/* The graph's expression over the function's variables. */
static const tn_node *own_expr(builder *b, const tn_node *expr) {
  tn_walk_once(b->ir, expr, own_size, b);
  return tn_subst(b->ir, expr, &b->sizes);
}

static const char *fresh_label(builder *b, const char *base) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, base);
  for (int32_t i = 1; tn_strmap_has(&b->labels, tn_buf_text(&text)); ++i) {
    tn_buf_clear(&text);
    tn_buf_printf(&text, "%s_%d", base, i);
  }
  tn_strmap_set(&b->labels, tn_buf_text(&text), b);
  const char *name = tn_ir_text(b->ir, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return name;
}

static const tn_node *own_buffer(builder *b, const char *name, const tn_node *type) {
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *shape = type->in[TN_TY_TENSOR_SHAPE];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    dims[d] = own_expr(b, shape->in[d]);
  }
  const tn_buffer_spec spec = {
      .name = tn_ir_text(b->ir, name), .dtype = type->dtype, .ndim = shape->n_in, .shape = dims};
  return tn_buffer_new(b->ir, &spec);
}

static void add_param(builder *b, const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    tn_map_set(&b->is_told, shape->in[d]->id, 1);
  }
  TN_VEC_PUSH(&b->params, buffer->in[TN_BUFFER_DATA]);
  TN_VEC_PUSH(&b->buffers, buffer);
}

static const tn_node *input_buffer(builder *b, const tn_node *value, const tn_node *type) {
  const tn_node *buffer = at(&b->values, value);
  if (buffer == NULL) {
    char name[24];
    if (b->args.len < 26) {
      (void)snprintf(name, sizeof name, "%c", (char)('A' + (int)b->args.len));
    } else {
      (void)snprintf(name, sizeof name, "A%zu", b->args.len);
    }
    buffer = own_buffer(b, name, type);
    add_param(b, buffer);
    put(&b->values, value, buffer);
    TN_VEC_PUSH(&b->args, value);
  }
  return buffer;
}

/* The name of a loop function without the number that made it unique. */
static void put_stem(tn_buf *out, const char *name) {
  size_t len = strlen(name);
  size_t stem = len;
  while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9') {
    --stem;
  }
  tn_buf_append(out, name, stem > 1 && stem < len && name[stem - 1] == '_' ? stem - 1 : len);
}

static const tn_node *callee_of(const builder *b, uint32_t i) {
  const tn_node *call = b->stmts[i]->in[TN_BIND_VALUE];
  return tn_module_find(b->module, tn_call_arg(call, 0)->attr.text);
}

/* What others of the group read is a call's only output. */
static const tn_node *output_buffer(builder *b, uint32_t i, const tn_node *type) {
  if (i + 1 == b->n) {
    TN_VEC_PUSH(&b->outputs, own_buffer(b, "T_out", type));
    return TN_VEC_LAST(&b->outputs);
  }
  tn_buf name = TN_BUF_INIT;
  tn_buf_puts(&name, "T_");
  put_stem(&name, callee_of(b, i)->attr.text);
  const tn_node *buffer = own_buffer(b, tn_buf_text(&name), type);
  tn_buf_deinit(&name);
  put(&b->values, b->stmts[i]->in[TN_BIND_VAR], buffer);
  TN_VEC_PUSH(&b->allocs, buffer);
  return buffer;
}

/* ---- one call's blocks ---- */

typedef struct renamer {
  builder *b;
  tn_map *becomes;
} renamer;

/* Schedules find blocks by name. */
static tn_visit rename_block(const tn_node *n, void *ctx) {
  renamer *r = ctx;
  if (tn_is(n, TN_OP_BLOCK) && tn_is(n->in[TN_BLOCK_BODY], TN_OP_STORE)) {
    const tn_node *label = n->in[TN_BLOCK_LABEL];
    put(r->becomes, label, tn_label_new(r->b->ir, fresh_label(r->b, label->attr.text)));
    return TN_SKIP;
  }
  return TN_DESCEND;
}

static void add_statements(builder *b, const tn_node *body) {
  bool is_root = tn_is(body, TN_OP_BLOCK) && body->in[TN_BLOCK_ITERS]->n_in == 0 &&
                 !tn_is(body->in[TN_BLOCK_BODY], TN_OP_STORE);
  if (is_root) {
    for (uint32_t i = 0; i < body->in[TN_BLOCK_ALLOCS]->n_in; ++i) {
      TN_VEC_PUSH(&b->allocs, body->in[TN_BLOCK_ALLOCS]->in[i]);
    }
    body = body->in[TN_BLOCK_BODY];
  }
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    TN_VEC_PUSH(&b->body, tn_body_at(body, i));
  }
}

static tn_status add_call(builder *b, uint32_t i) {
  const tn_node *call = b->stmts[i]->in[TN_BIND_VALUE];
  const tn_node *inputs = tn_call_arg(call, 1);
  const tn_node *func = tn_clone_fresh(b->ir, callee_of(b, i));
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  tn_map becomes = {0};
  tn_map sizes = {0};
  tn_fuse_types types = {0};
  tn_status st = tn_fuse_types_of(b->module, call, &types);
  if (st == NULL && !tn_fuse_bind_sizes(b->ir, func, types.data, &sizes)) {
    st = TN_ERR(TN_INTERNAL, "'%s' is called with other sizes than its own", func->attr.text);
  }
  for (uint32_t k = 0; st == NULL && k < buffers->n_in; ++k) {
    const tn_node *made = k < inputs->n_in ? input_buffer(b, inputs->in[k], types.data[k])
                                           : output_buffer(b, i, types.data[k]);
    put(&becomes, buffers->in[k], made);
  }
  if (st == NULL) {
    for (size_t k = 0; k < sizes.cap; ++k) {
      if (sizes.used[k] != 0) {
        const tn_node *expr = (const tn_node *)(uintptr_t)sizes.slots[2 * k + 1];
        tn_map_set(&becomes, sizes.slots[2 * k], (uint64_t)(uintptr_t)own_expr(b, expr));
      }
    }
    renamer r = {b, &becomes};
    tn_walk(func->in[TN_PRIM_FUNC_BODY], rename_block, NULL, &r);
    add_statements(b, tn_subst(b->ir, func->in[TN_PRIM_FUNC_BODY], &becomes));
  }
  TN_VEC_DEINIT(&types);
  tn_map_deinit(&becomes);
  tn_map_deinit(&sizes);
  return st;
}

/* ---- the whole ---- */

static void add_outputs(builder *b) {
  for (size_t i = 0; i < b->outputs.len; ++i) {
    add_param(b, b->outputs.data[i]);
  }
}

static void add_untold_sizes(builder *b) {
  for (size_t i = 0; i < b->graph_sizes.len; ++i) {
    const tn_node *var = at(&b->sizes, b->graph_sizes.data[i]);
    if (!tn_map_find(&b->is_told, var->id, NULL)) {
      TN_VEC_PUSH(&b->untold, b->graph_sizes.data[i]);
      TN_VEC_PUSH(&b->params, var);
      TN_VEC_PUSH(&b->buffers, tn_none(b->ir));
    }
  }
}

static const tn_node *root_block(builder *b) {
  const tn_node *none = tn_none(b->ir);
  const tn_node *empty = tn_list(b->ir, 0, NULL);
  const tn_node *in[] = {
      [TN_BLOCK_LABEL] = tn_label_new(b->ir, "root"),
      [TN_BLOCK_ITERS] = empty,
      [TN_BLOCK_PREDICATE] = tn_bool(b->ir, true),
      [TN_BLOCK_READS] = empty,
      [TN_BLOCK_WRITES] = empty,
      [TN_BLOCK_ALLOCS] = tn_list(b->ir, (uint32_t)b->allocs.len, b->allocs.data),
      [TN_BLOCK_MATCHES] = empty,
      [TN_BLOCK_INIT] = none,
      [TN_BLOCK_ANNOTATIONS] = none,
      [TN_BLOCK_BODY] = tn_seq(b->ir, (uint32_t)b->body.len, b->body.data),
  };
  return tn_node_new(b->ir, TN_OP_BLOCK, TN_DT_NONE, (tn_attr){0}, sizeof in / sizeof *in, in);
}

static const char *func_name(const builder *b) {
  tn_buf name = TN_BUF_INIT;
  tn_buf_puts(&name, "fused");
  for (uint32_t i = 0; i < b->n; ++i) {
    if (i < MAX_NAMED_CALLS || i + 1 == b->n) {
      tn_buf_putc(&name, '_');
      put_stem(&name, callee_of(b, i)->attr.text);
    }
  }
  const char *text = tn_ir_text(b->ir, tn_buf_text(&name));
  tn_buf_deinit(&name);
  return text;
}

static const tn_node *assemble(builder *b) {
  const tn_node *attrs = tn_none(b->ir);
  attrs = tn_dict_set(b->ir, attrs, "tir.noalias", tn_bool(b->ir, true));
  attrs = tn_dict_set(b->ir, attrs, "op_pattern", tn_int(b->ir, TN_DT_I32, TN_FUSE_OPAQUE));
  return tn_prim_func_new(
      b->ir, func_name(b), tn_list(b->ir, (uint32_t)b->params.len, b->params.data),
      tn_list(b->ir, (uint32_t)b->buffers.len, b->buffers.data), NULL, attrs, root_block(b));
}

tn_status tn_fuse_build(tn_module *module, uint32_t n, const tn_node *const *stmts,
                        const tn_node **out_func, const tn_node **out_inputs,
                        const tn_node **out_sizes) {
  builder b = {.ir = module->ir, .module = module, .n = n, .stmts = stmts};
  tn_status st = NULL;
  for (uint32_t i = 0; i < n; ++i) {
    TN_GOTO(st, add_call(&b, i), done);
  }
  add_outputs(&b);
  add_untold_sizes(&b);
  *out_func = assemble(&b);
  *out_inputs =
      tn_node_new(b.ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, (uint32_t)b.args.len, b.args.data);
  *out_sizes = b.untold.len == 0 ? NULL
                                 : tn_node_new(b.ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0},
                                               (uint32_t)b.untold.len, b.untold.data);
done:
  builder_deinit(&b);
  return st;
}
