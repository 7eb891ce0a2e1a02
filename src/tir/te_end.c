/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions: ending a formula. What it uses is checked, its stores become a block in loops,
 * and those a stage of the builder:
 *
 *   C = sum(A[i, k] * B[k, j])   ->   for i, j, k: block C: init: C[i, j] = 0
 *                                                           C[i, j] = C[i, j] + A[i, k] * B[k, j] */
#include <inttypes.h>

#include "tir/te_priv.h"

/* ---- what a formula uses ---- */

typedef struct use_ctx {
  tn_te *te;
  bool is_extent;     /* no axes, no elements */
  bool is_init;       /* no reduce axes */
  tn_te_stage *stage; /* whose reads are collected; NULL for an extent */
  tn_status st;
} use_ctx;

static tn_visit stop(use_ctx *c, tn_status st) {
  c->st = st;
  return TN_STOP;
}

static tn_visit use_variable(use_ctx *c, const tn_node *var) {
  const char *name = var->attr.text;
  const tn_te_variable *known = tn_te_find_variable(c->te, var);
  if (known == NULL) {
    return stop(c, TN_ERR(TN_INVALID, "'%s' is no variable of this builder", name));
  }
  if (known->tensor == NULL) {
    return TN_DESCEND;
  }
  name += 2; /* "v_", which only the block's own name has */
  if (c->is_extent) {
    return stop(c, TN_ERR(TN_INVALID,
                          "axis '%s' of tensor '%s' in an extent, which is known before "
                          "any loop",
                          name, known->tensor));
  }
  if (known->tensor != c->te->open) {
    return stop(c, TN_ERR(TN_INVALID, "axis '%s' belongs to tensor '%s', which has ended", name,
                          known->tensor));
  }
  if (known->is_reduce && c->is_init) {
    return stop(c, TN_ERR(TN_INVALID,
                          "reduce axis '%s' in an initial value, which comes before its first step",
                          name));
  }
  return TN_DESCEND;
}

static tn_visit use_tensor(use_ctx *c, const tn_node *buffer) {
  const tn_te_tensor *tensor = tn_te_find_tensor(c->te, buffer);
  if (tensor == NULL) {
    return stop(c, TN_ERR(TN_INVALID, "'%s' is no tensor of this builder", buffer->attr.text));
  }
  if (c->is_extent) {
    return stop(c, TN_ERR(TN_INVALID, "an extent is read from tensor '%s'", buffer->attr.text));
  }
  uint32_t place = (uint32_t)(tensor - c->te->tensors.data);
  TN_VEC_PUSH(&c->stage->reads, place);
  return TN_SKIP;
}

static tn_visit on_use(const tn_node *n, void *ctx) {
  use_ctx *c = ctx;
  return tn_is(n, TN_OP_VAR)      ? use_variable(c, n)
         : tn_is(n, TN_OP_BUFFER) ? use_tensor(c, n)
                                  : TN_DESCEND;
}

/* A number that indexes outside of its dimension is wrong wherever it is reached; what a condition
 * chooses may never be. */
static tn_visit on_index(const tn_node *n, void *ctx) {
  use_ctx *c = ctx;
  bool is_choice = tn_is(n, TN_OP_IF_THEN_ELSE) || tn_is(n, TN_OP_AND) || tn_is(n, TN_OP_OR);
  if (is_choice) {
    return tn_walk_distinct(n->in[0], on_index, c) ? TN_SKIP : TN_STOP;
  }
  uint32_t ndim = tn_is(n, TN_OP_LOAD) ? n->n_in - TN_LOAD_INDICES : 0;
  for (uint32_t d = 0; d < ndim; ++d) {
    const tn_node *buffer = n->in[TN_LOAD_BUFFER];
    const tn_node *index = n->in[TN_LOAD_INDICES + d];
    const tn_node *extent = buffer->in[TN_BUFFER_SHAPE]->in[d];
    bool is_known = tn_is(index, TN_OP_INT) && tn_is(extent, TN_OP_INT);
    if (is_known && (index->attr.i64 < 0 || index->attr.i64 >= extent->attr.i64)) {
      return stop(c, TN_ERR(TN_INVALID,
                            "index %" PRId64 " is outside of dimension %u of tensor '%s', whose "
                            "extent is %" PRId64,
                            index->attr.i64, d, buffer->attr.text, extent->attr.i64));
    }
  }
  return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

/* Before anything looks at it operand by operand: what is shared counts as often as it occurs. */
static tn_status check_size(tn_te *te, const tn_node *stmt) {
  tn_diags diags = {0};
  if (stmt->depth > TE_MAX_DEPTH) {
    return TN_ERR(TN_UNSUPPORTED, "a formula nested more than %d deep", TE_MAX_DEPTH);
  }
  tn_ir_verify_sizes(te->ir, stmt, &diags);
  bool is_large = diags.n > 0;
  tn_diags_deinit(&diags);
  return is_large ? TN_ERR(TN_UNSUPPORTED,
                           "a formula has more than %d parts when what it shares is written out: "
                           "make a part of it a tensor",
                           TN_MAX_TREE)
                  : NULL;
}

tn_status tn_te_check_extent_uses(tn_te *te, const tn_node *extent) {
  use_ctx c = {.te = te, .is_extent = true};
  TN_TRY(check_size(te, tn_node_new(te->ir, TN_OP_EVAL, TN_DT_NONE, (tn_attr){0}, 1, &extent)));
  (void)tn_walk_distinct(extent, on_use, &c);
  return c.st;
}

/* ---- stages ---- */

/* What the stage writes: `n` stores to tensors, with what is stored before a reduction, if any. */
typedef struct ending {
  uint32_t n;
  const tn_node *tensors[TN_TE_MAX_OUTPUTS];
  const tn_node *bodies[TN_TE_MAX_OUTPUTS]; /* a block each, unless is_one_block */
  const tn_node *inits[TN_TE_MAX_OUTPUTS];
  bool has_init;
  bool is_one_block;
} ending;

/* Checks what a statement uses and adds it to the stage's reads. */
static tn_status check_uses(tn_te *te, tn_te_stage *stage, const tn_node *stmt, bool is_init) {
  use_ctx c = {.te = te, .is_init = is_init, .stage = stage};
  TN_TRY(check_size(te, stmt));
  if (tn_walk_distinct(stmt, on_use, &c)) {
    (void)tn_walk_distinct(stmt, on_index, &c);
  }
  return c.st;
}

/* What is read has been written before, by another stage or (`stage` may write piecewise) itself. */
static tn_status check_order(const tn_te *te, const tn_te_stage *stage) {
  for (size_t i = 0; i < stage->reads.len; ++i) {
    const tn_te_tensor *tensor = &te->tensors.data[stage->reads.data[i]];
    if (!tensor->is_input && !tensor->is_written) {
      return TN_ERR(TN_INVALID, "tensor '%s' is read, and nothing has written it",
                    tensor->buffer->attr.text);
    }
  }
  return NULL;
}

tn_status tn_te_push_stage(tn_te *te, tn_te_stage *stage, const tn_node *stmt, uint32_t n,
                           const tn_node *const *tensors) {
  for (uint32_t i = 0; i < n; ++i) {
    tn_te_tensor *tensor = tn_te_find_tensor(te, tensors[i]);
    if (tensor == NULL || tensor->is_input) {
      return TN_ERR(TN_INVALID, "'%s' is no tensor that can be written", tensors[i]->attr.text);
    }
    tensor->is_written = true;
    uint32_t place = (uint32_t)(tensor - te->tensors.data);
    TN_VEC_PUSH(&stage->writes, place);
  }
  TN_TRY(check_order(te, stage));
  stage->stmt = stmt;
  TN_VEC_PUSH(&te->stages, *stage);
  *stage = (tn_te_stage){0};
  return NULL;
}

void tn_te_stage_deinit(tn_te_stage *stage) {
  TN_VEC_DEINIT(&stage->reads);
  TN_VEC_DEINIT(&stage->writes);
}

/* The stores of a reduction over nothing, as loops of their own. */
static tn_status init_loops(tn_te *te, const ending *e, const char *name, const tn_node **out) {
  tn_te_nest spatial = te->nest;
  tn_te_nest fresh;
  spatial.n_reduce = 0;
  tn_te_nest_fresh(te->ir, &spatial, &fresh);
  const tn_node *stores = tn_seq(te->ir, e->n, e->inits);
  stores = tn_te_nest_move(te->ir, stores, &te->nest, &fresh);
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s_init", name);
  name = tn_te_take_name(te, tn_buf_text(&text));
  tn_buf_deinit(&text);
  TN_TRY(tn_te_block_new(te->ir, name, &fresh, stores, NULL, out));
  *out = tn_te_nest_loops(te->ir, &fresh, *out);
  return NULL;
}

/* One block that does all stores. */
static tn_status one_block(tn_te *te, const ending *e, const char *name, const tn_node **out) {
  const tn_node *body = tn_seq(te->ir, e->n, e->bodies);
  const tn_node *init = e->has_init ? tn_seq(te->ir, e->n, e->inits) : NULL;
  return tn_te_block_new(te->ir, name, &te->nest, body, init, out);
}

/* A block for each store, in the same loops: each has axes of its own. */
static tn_status many_blocks(tn_te *te, const ending *e, const tn_node **out) {
  const tn_node *blocks[TN_TE_MAX_OUTPUTS];
  for (uint32_t i = 0; i < e->n; ++i) {
    tn_te_nest nest = te->nest;
    const tn_node *body = e->bodies[i];
    if (i > 0) {
      tn_te_nest_fresh(te->ir, &te->nest, &nest);
      for (uint32_t l = 0; l < nest.n_spatial; ++l) {
        nest.loops[l] = te->nest.loops[l];
      }
      body = tn_te_nest_move(te->ir, body, &te->nest, &nest);
    }
    TN_TRY(tn_te_block_new(te->ir, e->tensors[i]->attr.text, &nest, body, NULL, &blocks[i]));
  }
  *out = tn_seq(te->ir, e->n, blocks);
  return NULL;
}

static tn_status end_stage(tn_te *te, ending *e, tn_te_stage *stage) {
  const tn_node *stmts[2];
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->n; ++i) {
    TN_TRY(check_uses(te, stage, e->bodies[i], false));
    TN_TRY(e->has_init ? check_uses(te, stage, e->inits[i], true) : NULL);
  }
  (void)tn_te_axes(te); /* all of them have names now */
  stage->name = te->open;
  if (e->has_init && !te->is_nonempty && tn_te_nest_may_be_empty(&te->nest)) {
    TN_TRY(init_loops(te, e, te->open, &stmts[n++]));
    e->has_init = false;
  }
  TN_TRY(e->is_one_block || e->n == 1 ? one_block(te, e, te->open, &stmts[n])
                                      : many_blocks(te, e, &stmts[n]));
  stmts[n] = tn_te_nest_loops(te->ir, &te->nest, stmts[n]);
  ++n;
  return tn_te_push_stage(te, stage, tn_seq(te->ir, n, stmts), e->n, e->tensors);
}

static void finish(tn_te *te, ending *e) {
  tn_te_stage stage = {0};
  (void)tn_te_keep(te, end_stage(te, e, &stage));
  tn_te_stage_deinit(&stage);
  te->open = NULL;
}

/* ---- endings ---- */

static const tn_node *store(tn_te *te, const tn_node *tensor, const tn_node *const *indices,
                            const tn_node *value) {
  const tn_node *out = NULL;
  tn_status st = tn_tir_store(te->ir, tensor, value, tn_buffer_ndim(tensor), indices, NULL, &out);
  return tn_te_keep(te, st) ? out : NULL;
}

/* True when there is a tensor to end with n values. */
static bool can_end(tn_te *te, uint32_t n, const tn_node *const *values) {
  if (!tn_te_is_open(te)) {
    return false;
  }
  if (n < 1 || n > TN_TE_MAX_OUTPUTS) {
    return tn_te_keep(te, TN_ERR(TN_INVALID, "%u values: 1 to %d", n, TN_TE_MAX_OUTPUTS));
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (values == NULL || values[i] == NULL || values[i]->dtype == TN_DT_NONE ||
        tn_is(values[i], TN_OP_BUFFER)) {
      return tn_te_keep(te, TN_ERR(TN_INVALID, "it ends with what is no value"));
    }
  }
  return true;
}

/* The tensors that a formula of n values makes; types: whose. */
static bool make_tensors(tn_te *te, uint32_t n, const tn_node *const *types, ending *e) {
  for (uint32_t i = 0; i < n; ++i) {
    const char *name = te->open;
    if (n > 1) {
      tn_buf text = TN_BUF_INIT;
      tn_buf_printf(&text, "%s_v%u", te->open, i);
      name = tn_te_take_name(te, tn_buf_text(&text));
      tn_buf_deinit(&text);
    }
    e->tensors[i] =
        tn_te_add_tensor(te, name, types[i]->dtype, te->nest.n_spatial, te->nest.extents, false);
  }
  e->n = n;
  return !te->has_failed;
}

static void give_nothing(tn_te *te, uint32_t n, const tn_node **out_tensors) {
  for (uint32_t i = 0; te->has_failed && i < n; ++i) {
    out_tensors[i] = tn_te_nothing(te);
  }
}

void tn_te_end_many(tn_te *te, uint32_t n, const tn_node *const *values,
                    const tn_node **out_tensors) {
  ending e = {0};
  bool is_fine = can_end(te, n, values);
  if (is_fine && te->nest.n_reduce > 0) {
    is_fine = tn_te_keep(te, TN_ERR(TN_INVALID, "it has reduce axes and no reduction: end it with "
                                                "tn_te_end_reduce"));
  }
  if (is_fine && make_tensors(te, n, values, &e)) {
    for (uint32_t i = 0; i < n; ++i) {
      e.bodies[i] = store(te, e.tensors[i], tn_te_axes(te), values[i]);
      out_tensors[i] = e.tensors[i];
    }
    if (!te->has_failed) {
      finish(te, &e);
    }
  }
  give_nothing(te, n, out_tensors);
}

const tn_node *tn_te_end(tn_te *te, const tn_node *value) {
  const tn_node *out = NULL;
  tn_te_end_many(te, 1, &value, &out);
  return out;
}

void tn_te_end_into(tn_te *te, const tn_node *tensor, const tn_node *const *indices,
                    const tn_node *value, const tn_node *init) {
  ending e = {.n = 1, .tensors = {tensor}, .has_init = init != NULL};
  if (!can_end(te, 1, &value) || (init != NULL && !can_end(te, 1, &init))) {
    return;
  }
  e.bodies[0] = store(te, tensor, indices, value);
  e.inits[0] = init != NULL && e.bodies[0] != NULL ? store(te, tensor, indices, init) : NULL;
  if (!te->has_failed) {
    finish(te, &e);
  }
}

static const tn_node *identity_of(tn_te *te, tn_te_reduction reduction, tn_dtype dtype) {
  switch (reduction) {
    case TN_TE_SUM:
      return tn_te_number(te, dtype, 0);
    case TN_TE_PROD:
      return tn_te_number(te, dtype, 1);
    case TN_TE_MAX:
    case TN_TE_MAXIMUM:
      return tn_te_least(te, dtype);
    case TN_TE_MIN:
    case TN_TE_MINIMUM:
      return tn_te_greatest(te, dtype);
  }
  return tn_te_fail(te, TN_ERR(TN_INVALID, "no reduction has number %d", (int)reduction));
}

/* What minimum and maximum write out three times is the value so far: an element, not a formula. */
static const tn_node *step_of(tn_te *te, tn_te_reduction reduction, const tn_node *so_far,
                              const tn_node *value) {
  switch (reduction) {
    case TN_TE_SUM:
      break;
    case TN_TE_PROD:
      return tn_te_mul(te, so_far, value);
    case TN_TE_MAX:
      return tn_te_max(te, so_far, value);
    case TN_TE_MIN:
      return tn_te_min(te, so_far, value);
    case TN_TE_MAXIMUM:
      return tn_te_maximum(te, value, so_far);
    case TN_TE_MINIMUM:
      return tn_te_minimum(te, value, so_far);
  }
  return tn_te_add(te, so_far, value);
}

static void combine_named(tn_te *te, void *ctx, const tn_node *const *so_far,
                          const tn_node *const *value, const tn_node **out) {
  out[0] = step_of(te, *(const tn_te_reduction *)ctx, so_far[0], value[0]);
}

const tn_node *tn_te_end_reduce(tn_te *te, tn_te_reduction reduction, const tn_node *value) {
  const tn_node *out = NULL;
  if (!can_end(te, 1, &value)) {
    return tn_te_nothing(te);
  }
  const tn_node *identity = identity_of(te, reduction, value->dtype);
  tn_te_reducer reducer = {
      .n = 1, .combine = combine_named, .ctx = &reduction, .identity = &identity};
  tn_te_end_reduce_with(te, &reducer, &value, &out);
  return out;
}

void tn_te_end_reduce_into(tn_te *te, tn_te_reduction reduction, const tn_node *tensor,
                           const tn_node *const *indices, const tn_node *value) {
  const tn_node *so_far = tn_te_load(te, tensor, indices);
  const tn_node *identity = identity_of(te, reduction, tensor->dtype);
  value = step_of(te, reduction, so_far, value);
  tn_te_end_into(te, tensor, indices, value, identity);
}

/* Several values: all are computed before any is stored, as v_NAME. */
static void bind_results(tn_te *te, ending *e, const tn_node **results) {
  const tn_node *binds[TN_TE_MAX_OUTPUTS];
  for (uint32_t i = 0; i < e->n; ++i) {
    tn_buf name = TN_BUF_INIT;
    tn_buf_printf(&name, "v_%s", e->tensors[i]->attr.text);
    if (!tn_te_keep(te, tn_tir_cast(te->ir, e->tensors[i]->dtype, results[i], &results[i]))) {
      tn_buf_deinit(&name);
      return;
    }
    const tn_node *in[] = {[TN_BIND_VAR] =
                               tn_var_new(te->ir, tn_buf_text(&name), results[i]->dtype),
                           [TN_BIND_VALUE] = results[i]};
    tn_buf_deinit(&name);
    binds[i] = tn_node_new(te->ir, TN_OP_BIND, TN_DT_NONE, (tn_attr){0}, 2, in);
    tn_te_add_variable(te, in[TN_BIND_VAR], NULL, false);
    TN_VEC_LAST(&te->variables).is_local = true;
    results[i] = in[TN_BIND_VAR];
    e->bodies[i] = store(te, e->tensors[i], te->nest.axes, results[i]);
  }
  if (!te->has_failed) {
    const tn_node *head[] = {tn_seq(te->ir, e->n, binds), e->bodies[0]};
    e->bodies[0] = tn_seq(te->ir, 2, head);
  }
}

/* The stores of a reduction, with its tensors made. */
static void combine_all(tn_te *te, const tn_te_reducer *reducer, const tn_node *const *values,
                        ending *e) {
  const tn_node *so_far[TN_TE_MAX_OUTPUTS];
  const tn_node *results[TN_TE_MAX_OUTPUTS] = {0};
  const tn_node *const *axes = tn_te_axes(te);
  for (uint32_t i = 0; i < e->n; ++i) {
    so_far[i] = tn_te_read(te, e->tensors[i], te->nest.n_spatial, axes);
    e->inits[i] = te->has_failed ? NULL : store(te, e->tensors[i], axes, reducer->identity[i]);
  }
  if (te->has_failed) {
    return;
  }
  reducer->combine(te, reducer->ctx, so_far, values, results);
  if (!can_end(te, e->n, results)) {
    return;
  }
  if (e->n > 1) {
    bind_results(te, e, results);
  } else {
    e->bodies[0] = store(te, e->tensors[0], axes, results[0]);
  }
}

void tn_te_end_reduce_with(tn_te *te, const tn_te_reducer *reducer, const tn_node *const *values,
                           const tn_node **out_tensors) {
  ending e = {.has_init = true, .is_one_block = true};
  bool is_fine = can_end(te, reducer->n, values) && can_end(te, reducer->n, reducer->identity) &&
                 make_tensors(te, reducer->n, reducer->identity, &e);
  if (is_fine) {
    combine_all(te, reducer, values, &e);
  }
  if (!te->has_failed) {
    finish(te, &e);
  }
  for (uint32_t i = 0; !te->has_failed && i < reducer->n; ++i) {
    out_tensors[i] = e.tensors[i];
  }
  give_nothing(te, reducer->n, out_tensors);
}
