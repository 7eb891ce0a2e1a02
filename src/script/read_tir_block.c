/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Blocks: `with T.block("C"):` and what stands directly inside: axes, predicate, regions,
 * attributes, init. Regions that the text leaves out are inferred. The function's own level is a
 * block too (the implicit root), of which only the buffers matter. */
#include <string.h>

#include "script/reader.h"

void tn_block_deinit(tn_block_ctx *block) {
  TN_VEC_DEINIT(&block->iters);
  TN_VEC_DEINIT(&block->allocs);
  TN_VEC_DEINIT(&block->matches);
}

/* The block that the statement belongs to; NULL, reported, when it stands elsewhere. */
static tn_block_ctx *own_block(tn_reader *r, const tn_call *call) {
  if (r->block == NULL || r->block->is_root || r->block->body != r->body) {
    tn_read_fail(r, call->ast, "wrong-place", NULL,
                 "%s stands directly in a block: with T.block(...)", call->row->name);
    return NULL;
  }
  return r->block;
}

static tn_val once(tn_reader *r, const tn_call *call) {
  return tn_read_fail(r, call->ast, "given-twice", NULL, "a block has one %s", call->row->name);
}

/* ---- axes ---- */

typedef struct axis_spec {
  const tn_ast *at;
  const tn_ast *name;
  tn_iter_kind kind;
  const tn_node *min;
  const tn_node *extent;
  const tn_node *binding;
} axis_spec;

/* Domain and binding get one type, the wider; then the axis has it too. */
static bool unify_axis(tn_reader *r, axis_spec *axis) {
  tn_dtype wide = axis->extent->dtype;
  if (tn_dtype_bits(axis->binding->dtype) > tn_dtype_bits(wide)) {
    wide = axis->binding->dtype;
  }
  if (tn_dtype_bits(axis->min->dtype) > tn_dtype_bits(wide)) {
    wide = axis->min->dtype;
  }
  return tn_read_ok(r, axis->at, "type-mismatch",
                    tn_tir_cast(r->ir, wide, axis->min, &axis->min)) &&
         tn_read_ok(r, axis->at, "type-mismatch",
                    tn_tir_cast(r->ir, wide, axis->extent, &axis->extent)) &&
         tn_read_ok(r, axis->at, "type-mismatch",
                    tn_tir_cast(r->ir, wide, axis->binding, &axis->binding));
}

static tn_val add_axis(tn_reader *r, tn_block_ctx *block, axis_spec *axis) {
  if (!unify_axis(r, axis)) {
    return tn_val_error();
  }
  const tn_node *var = tn_var_new(r->ir, axis->name->text, axis->extent->dtype);
  const tn_node *in[4] = {[TN_ITER_VAR] = var,
                          [TN_ITER_MIN] = axis->min,
                          [TN_ITER_EXTENT] = axis->extent,
                          [TN_ITER_BINDING] = axis->binding};
  tn_mark(r, var, axis->name);
  TN_VEC_PUSH(&block->iters,
              tn_node_new(r->ir, TN_OP_ITER, TN_DT_NONE, (tn_attr){.i64 = axis->kind}, 4, in));
  return tn_val_node(var);
}

/* 128 or (2, 8). */
static bool read_domain(tn_reader *r, const tn_ast *ast, axis_spec *axis) {
  tn_val v = tn_read_val(r, ast);
  if (v.kind == TN_VAL_LIST && v.n == 2) {
    return tn_to_interval(r, ast, v.items[0], v.items[1], &axis->min, &axis->extent);
  }
  axis->extent = tn_to_index(r, ast, v);
  axis->min = axis->extent == NULL ? NULL : tn_int(r->ir, axis->extent->dtype, 0);
  return axis->extent != NULL;
}

static tn_val call_axis(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  tn_block_ctx *block = own_block(r, call);
  if (block == NULL) {
    return tn_val_error();
  }
  if (call->n_names != 1 || call->names[0]->kind != TN_AST_NAME) {
    return tn_read_fail(r, call->ast, "needs-one-name", NULL,
                        "an axis is given one name: vi = %s(extent, binding)", call->row->name);
  }
  if (!tn_bind_args(r, call->ast, "dom binding dtype?", args)) {
    return tn_val_error();
  }
  axis_spec axis = {
      .at = call->ast, .name = call->names[0], .kind = (tn_iter_kind)call->row->param};
  if (!read_domain(r, args[0], &axis)) {
    return tn_val_error();
  }
  tn_val binding = tn_read_val(r, args[1]);
  axis.binding = binding.kind == TN_VAL_INT ? tn_to_expr(r, args[1], binding, axis.extent->dtype)
                                            : tn_to_index(r, args[1], binding);
  return axis.binding == NULL ? tn_val_error() : add_axis(r, block, &axis);
}

static bool remap_kind(char letter, tn_iter_kind *out) {
  *out = letter == 'S' ? TN_ITER_SPATIAL : TN_ITER_REDUCE;
  return letter == 'S' || letter == 'R';
}

/* One axis of a remap: it runs over exactly what its loop variable runs over. */
static bool remap_one(tn_reader *r, const tn_ast *at, const tn_val *binding, axis_spec *axis) {
  uint64_t domain = 0;
  if (!tn_val_is_node(*binding, TN_OP_VAR) ||
      !tn_map_find(&r->loop_domains, binding->node->id, &domain)) {
    tn_read_fail(r, at, "bad-remap", NULL,
                 "T.axis.remap binds loop variables only, got %s; use T.axis.spatial or "
                 "T.axis.reduce",
                 tn_val_what(*binding));
    return false;
  }
  const tn_node *range = (const tn_node *)(uintptr_t)domain;
  axis->binding = binding->node;
  axis->min = range->in[TN_RANGE_MIN];
  axis->extent = range->in[TN_RANGE_EXTENT];
  return true;
}

static tn_val call_remap(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  tn_block_ctx *block = own_block(r, call);
  if (block == NULL || !tn_bind_args(r, call->ast, "kinds bindings dtype?", args)) {
    return tn_val_error();
  }
  const char *kinds = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  tn_val bindings = tn_read_val(r, args[1]);
  if (kinds == NULL || tn_val_is_error(bindings)) {
    return tn_val_error();
  }
  size_t n = strlen(kinds);
  if (bindings.kind != TN_VAL_LIST || bindings.n != n || call->n_names != n) {
    return tn_read_fail(r, call->ast, "bad-remap", NULL,
                        "%zu letters, %u bindings and %u names: they must be as many", n,
                        bindings.kind == TN_VAL_LIST ? bindings.n : 1, call->n_names);
  }
  tn_val *vars = TN_ARENA_ARRAY(&r->arena, tn_val, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    axis_spec axis = {.at = call->ast, .name = call->names[i]};
    if (!remap_kind(kinds[i], &axis.kind)) {
      return tn_read_fail(r, args[0], "bad-remap", NULL,
                          "letter '%c' of T.axis.remap: expected S (spatial) or R (reduce)",
                          kinds[i] >= ' ' && kinds[i] < 0x7f ? kinds[i] : '?');
    }
    if (call->names[i]->kind != TN_AST_NAME || !remap_one(r, args[1], &bindings.items[i], &axis)) {
      return tn_val_error();
    }
    vars[i] = add_axis(r, block, &axis);
    if (tn_val_is_error(vars[i])) {
      return vars[i];
    }
  }
  return n == 1 ? vars[0] : tn_val_list(r, (uint32_t)n, vars, true);
}

/* ---- predicate, regions, attributes ---- */

static tn_val call_where(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  tn_block_ctx *block = own_block(r, call);
  if (block == NULL || !tn_bind_args(r, call->ast, "predicate", args)) {
    return tn_val_error();
  }
  if (block->predicate != NULL) {
    return once(r, call);
  }
  r->n_conditions += 1; /* to the end of the block, which sets it back */
  const tn_node *cond = tn_read_cond(r, args[0]);
  block->predicate = cond == NULL ? tn_bool(r->ir, true) : cond;
  return tn_val_void();
}

enum { READS, WRITES };

static tn_val call_regions(tn_reader *r, const tn_call *call) {
  tn_block_ctx *block = own_block(r, call);
  if (block == NULL || !tn_check_keywords(r, call->ast, "")) {
    return tn_val_error();
  }
  const tn_node **slot = call->row->param == READS ? &block->reads : &block->writes;
  if (*slot != NULL) {
    return once(r, call);
  }
  const tn_ast *const *items = call->ast->in + 1;
  uint32_t n = call->ast->n - 1;
  if (n == 1 && (items[0]->kind == TN_AST_LIST || items[0]->kind == TN_AST_TUPLE)) {
    n = items[0]->n;
    items = items[0]->in;
  }
  const tn_node **regions = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  bool is_ok = true;
  for (uint32_t i = 0; i < n; ++i) {
    regions[i] = tn_read_region(r, items[i]);
    is_ok = is_ok && regions[i] != NULL;
  }
  *slot = tn_list(r->ir, is_ok ? n : 0, regions);
  return is_ok ? tn_val_void() : tn_val_error();
}

static tn_val call_block_attr(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  tn_block_ctx *block = own_block(r, call);
  if (block == NULL || !tn_bind_args(r, call->ast, "attrs", args)) {
    return tn_val_error();
  }
  if (block->annotations != NULL) {
    return once(r, call);
  }
  const tn_node *attrs = tn_to_attr(r, args[0], tn_read_val(r, args[0]));
  block->annotations = tn_none(r->ir);
  if (attrs == NULL) {
    return tn_val_error();
  }
  if (attrs->op != TN_OP_DICT) {
    return tn_read_fail(r, args[0], "bad-attribute", NULL, "expected a dictionary of attributes");
  }
  block->annotations = attrs;
  return tn_val_void();
}

/* ---- the block ---- */

/* The condition asked before the axes have values: over what they are bound to. */
static const tn_node *predicate_of(tn_reader *r, const tn_block_ctx *block) {
  tn_map bindings = {0};
  if (block->predicate == NULL) {
    return tn_bool(r->ir, true);
  }
  for (size_t i = 0; i < block->iters.len; ++i) {
    const tn_node *iter = block->iters.data[i];
    tn_map_set(&bindings, iter->in[TN_ITER_VAR]->id,
               (uint64_t)(uintptr_t)iter->in[TN_ITER_BINDING]);
  }
  const tn_node *predicate = tn_subst(r->ir, block->predicate, &bindings);
  tn_map_deinit(&bindings);
  return predicate;
}

static const tn_node *block_node(tn_reader *r, const tn_block_ctx *block, const tn_node *label,
                                 const tn_node *reads, const tn_node *writes, const tn_node *body) {
  const tn_node *in[] = {
      [TN_BLOCK_LABEL] = label,
      [TN_BLOCK_ITERS] = tn_list(r->ir, (uint32_t)block->iters.len, block->iters.data),
      [TN_BLOCK_PREDICATE] = predicate_of(r, block),
      [TN_BLOCK_READS] = reads,
      [TN_BLOCK_WRITES] = writes,
      [TN_BLOCK_ALLOCS] = tn_list(r->ir, (uint32_t)block->allocs.len, block->allocs.data),
      [TN_BLOCK_MATCHES] = tn_list(r->ir, (uint32_t)block->matches.len, block->matches.data),
      [TN_BLOCK_INIT] = block->init != NULL ? block->init : tn_none(r->ir),
      [TN_BLOCK_ANNOTATIONS] = block->annotations != NULL ? block->annotations : tn_none(r->ir),
      [TN_BLOCK_BODY] = body,
  };
  return tn_node_new(r->ir, TN_OP_BLOCK, TN_DT_NONE, (tn_attr){0}, sizeof in / sizeof in[0], in);
}

/* What a pointer points into: a buffer that has a name here. */
static const tn_node *buffer_at(void *ctx, const tn_node *data) {
  const tn_reader *r = ctx;
  return tn_scopes_buffer(&r->scopes, data);
}

const tn_node *tn_make_block(tn_reader *r, const tn_ast *at, const tn_block_ctx *block,
                             const char *name, const tn_node *body) {
  const tn_node *label = tn_label_new(r->ir, name);
  const tn_node *empty = tn_list(r->ir, 0, NULL);
  const tn_node *reads = block->reads;
  const tn_node *writes = block->writes;
  bool is_whole =
      r->diags->n + r->diags->n_dropped == r->n_seen; /* inference expects a sound body */
  if (!block->is_root && is_whole && (reads == NULL || writes == NULL)) {
    const tn_node *draft = block_node(r, block, label, empty, empty, body);
    const tn_node *inferred[2] = {NULL, NULL};
    if (tn_read_ok(r, at, "no-regions",
                   tn_tir_infer_regions(r->ir, draft, buffer_at, r, &inferred[0], &inferred[1]))) {
      reads = reads != NULL ? reads : inferred[0];
      writes = writes != NULL ? writes : inferred[1];
    }
  }
  return block_node(r, block, label, reads != NULL ? reads : empty, writes != NULL ? writes : empty,
                    body);
}

/* A block that nothing binds to loops runs as it stands: one without axes and predicate, which is
 * what it is read as. */
static void check_unbound(tn_reader *r, const tn_ast *stmt, const tn_block_ctx *block,
                          bool no_realize) {
  if (no_realize && (block->iters.len > 0 || block->predicate != NULL)) {
    tn_read_fail(r, stmt->in[TN_AST_WITH_ITEM], "wrong-place", NULL,
                 "a block with no_realize=True has no %s",
                 block->iters.len > 0 ? "axes" : "T.where");
  }
}

void tn_read_block(tn_reader *r, const tn_ast *stmt, const tn_ast *call) {
  const tn_ast *args[2];
  const char *name = "";
  if (!tn_bind_args(r, call, "name? no_realize?", args)) {
    return;
  }
  if (args[0] != NULL) {
    name = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  }
  bool no_realize = false;
  if (name == NULL ||
      (args[1] != NULL && !tn_to_bool(r, args[1], tn_read_val(r, args[1]), &no_realize))) {
    return;
  }
  /* the root block written out; like the implied one it says nothing about regions */
  bool is_root = strcmp(name, "root") == 0 && r->block != NULL && r->block->is_root &&
                 r->block->body == r->body;
  tn_body body = {0};
  tn_body *outer_body = r->body;
  int32_t n_conditions = r->n_conditions;
  tn_block_ctx block = {.outer = r->block, .body = &body};
  r->block = &block;
  r->body = &body;
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  tn_read_stmts(r, stmt->in[TN_AST_WITH_BODY]);
  tn_scopes_pop(&r->scopes);
  r->body = outer_body;
  r->block = block.outer;
  r->n_conditions = n_conditions;
  check_unbound(r, stmt, &block, no_realize);
  if (is_root && block.iters.len == 0) {
    block.reads = block.reads != NULL ? block.reads : tn_list(r->ir, 0, NULL);
    block.writes = block.writes != NULL ? block.writes : tn_list(r->ir, 0, NULL);
  }
  const tn_node *node = tn_make_block(r, stmt, &block, name, tn_finish_body(r, &body));
  tn_add_stmt(r, stmt, node);
  tn_body_deinit(&body);
  tn_block_deinit(&block);
}

void tn_read_init(tn_reader *r, const tn_ast *stmt) {
  if (r->block == NULL || r->block->is_root || r->block->body != r->body) {
    tn_read_fail(r, stmt, "wrong-place", NULL,
                 "T.init stands directly in a block: with T.block(...)");
    return;
  }
  if (r->block->init != NULL) {
    tn_read_fail(r, stmt, "given-twice", NULL, "a block has one T.init");
    return;
  }
  tn_block_ctx *block = r->block;
  block->init = tn_none(r->ir); /* taken, while its body is read */
  r->block = NULL;
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  block->init = tn_read_suite(r, stmt->in[TN_AST_WITH_BODY]);
  tn_scopes_pop(&r->scopes);
  r->block = block;
}

static const tn_call_row rows[] = {
    {"T.axis.spatial", call_axis, TN_ITER_SPATIAL, TN_USE_TIR},
    {"T.axis.S", call_axis, TN_ITER_SPATIAL, TN_USE_TIR},
    {"T.axis.reduce", call_axis, TN_ITER_REDUCE, TN_USE_TIR},
    {"T.axis.R", call_axis, TN_ITER_REDUCE, TN_USE_TIR},
    {"T.axis.scan", call_axis, TN_ITER_SCAN, TN_USE_TIR},
    {"T.axis.opaque", call_axis, TN_ITER_OPAQUE, TN_USE_TIR},
    {"T.axis.remap", call_remap, 0, TN_USE_TIR},
    {"T.where", call_where, 0, TN_USE_TIR},
    {"T.reads", call_regions, READS, TN_USE_TIR},
    {"T.writes", call_regions, WRITES, TN_USE_TIR},
    {"T.block_attr", call_block_attr, 0, TN_USE_TIR},
    {"T.sblock_attr", call_block_attr, 0, TN_USE_TIR},
};

tn_call_table tn_tir_block_calls(void) {
  return (tn_call_table){rows, sizeof rows / sizeof rows[0]};
}
