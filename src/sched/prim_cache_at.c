/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* More copies: around an update in place, of index expressions, and at a loop.
 *
 *   cache_inplace(U, "A", "local"):   copy in; A_local[i] = f(A_local[i]); copy out
 *   cache_index(C, "global"):         index_var_0[v0] = v0 * 3 % 16 beforehand; C reads A[index_var_0[vi]]
 *   read_at(i, C, 0, "local"):        cache_read, then compute_at
 *   write_at(i, C, 0, "local"):       cache_write, then reverse_compute_at
 *
 * TVM's read_at and write_at make one opaque block; here the copy is a block like others, so that it
 * may be scheduled further. */
#include "sched/axes.h"
#include "sched/loops.h"

/* ---- in place ---- */

typedef struct inplace {
  tn_sched *s;
  const tn_tree *tree;
  const tn_node *block;
  const tn_node *scope;
  const tn_node *buffer;
  const tn_node *cached;
  const tn_node *nest;
  tn_box box;
} inplace;

static tn_status refuse(const inplace *p, const char *text) {
  return tn_refuse(p->s, p->block->in[TN_BLOCK_LABEL], NULL, "%s '%s'", text, p->buffer->attr.text);
}

static bool touches(const tn_node *block, bool is_write, const tn_node *buffer) {
  const tn_node *region = NULL;
  for (uint32_t i = 0; (region = tn_block_region(block, is_write, i)) != NULL; ++i) {
    if (region->in[TN_REGION_BUFFER] == buffer) {
      return true;
    }
  }
  return false;
}

static tn_status check_inplace(inplace *p) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  p->nest = tn_tree_loops(p->tree, p->block, loops) == 0 ? p->block : loops[0];
  if (!touches(p->block, false, p->buffer) || !touches(p->block, true, p->buffer)) {
    return refuse(p, "it does not both read and write");
  }
  TN_TRY(tn_scope_only_blocks_touch(p->s, p->tree, p->scope, p->buffer));
  TN_TRY(tn_block_regions_hold(p->s, p->tree, p->block));
  for (size_t i = 0; i < p->tree->blocks.len; ++i) {
    const tn_node *other = p->tree->blocks.data[i];
    bool is_beside = other != p->block && tn_tree_scope(p->tree, other) == p->scope &&
                     tn_tree_is_around(p->tree, p->nest, other);
    if (is_beside && (touches(other, false, p->buffer) || touches(other, true, p->buffer))) {
      return refuse(p, "another block in its nest touches");
    }
  }
  return NULL;
}

/* The box of reads and writes, when it is one; else all of the buffer, which a block inside others
 * may not copy: they do not touch it. */
static tn_status find_box(inplace *p) {
  tn_box read;
  bool is_found = false;
  bool is_one = true;
  const tn_node *shape = p->buffer->in[TN_BUFFER_SHAPE];
  TN_TRY(tn_stmt_box(p->s, p->tree, p->nest, p->buffer, true, &p->box, &is_found));
  TN_TRY(tn_stmt_box(p->s, p->tree, p->nest, p->buffer, false, &read, &is_found));
  for (uint32_t d = 0; d < p->box.n; ++d) {
    is_one = is_one && read.mins[d] == p->box.mins[d] && read.extents[d] == p->box.extents[d];
  }
  if (!is_one && p->scope != NULL && p->scope->in[TN_BLOCK_ITERS]->n_in > 0) {
    return refuse(p, "it does not read and write one part of");
  }
  for (uint32_t d = 0; d < p->box.n && !is_one; ++d) {
    p->box.mins[d] = tn_int(p->s->ir, shape->in[d]->dtype, 0);
    p->box.extents[d] = shape->in[d];
  }
  return NULL;
}

/* What is copied in was written before: memory of the function holds nothing at first. */
static tn_status prove_filled(const inplace *p) {
  const tn_node *writers[TN_SCHED_MAX_BLOCKS];
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  if (tn_tree_is_parameter(p->tree, p->buffer)) {
    return NULL;
  }
  uint32_t n = tn_scope_users(p->tree, p->scope, p->buffer, true, writers);
  tn_status st = refuse(p, "nothing has written all of");
  for (uint32_t i = 0; i < n && writers[i] != p->block && st != NULL; ++i) {
    tn_status_free(st);
    const tn_node *nest = tn_tree_loops(p->tree, writers[i], loops) == 0 ? writers[i] : loops[0];
    st = tn_prove_box_written(p->s, p->tree, nest, p->buffer, &p->box);
  }
  return st;
}

/* Puts a copy beside the nest; returns its label. */
static tn_status put_copy(const inplace *p, const char *name, bool is_before,
                          const tn_node **out_label) {
  tn_copy copy;
  const tn_node *made = NULL;
  const tn_node *block = tn_sched_site(p->s, p->block->in[TN_BLOCK_LABEL]);
  const tn_tree *tree = tn_sched_tree(p->s, p->block->in[TN_BLOCK_LABEL]);
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *nest = tn_tree_loops(tree, block, loops) == 0 ? block : loops[0];
  const tn_node *to = is_before ? p->cached : p->buffer;
  const tn_node *from = is_before ? p->buffer : p->cached;
  *out_label = tn_label_new(p->s->ir, tn_sched_fresh_name(p->s, tree, name));
  tn_copy_init(&copy, p->s->ir, *out_label, p->buffer->in[TN_BUFFER_SHAPE]);
  const tn_node *body = tn_store_new(p->s->ir, to, tn_load_new(p->s->ir, from, p->box.n, copy.axes),
                                     p->box.n, copy.axes);
  TN_TRY(tn_copy_nest(p->s, tree, tn_tree_parent(tree, nest), &copy, &p->box, body, &made));
  return tn_sched_insert(p->s, nest, made, is_before);
}

tn_status tn_prim_cache_inplace(tn_sched *s, tn_prim_call *call) {
  inplace p = {.s = s, .tree = tn_sched_tree(s, call->args[0])};
  const tn_node *region = NULL;
  const tn_node *labels[2];
  bool is_write = false;
  p.block = tn_tree_site(p.tree, call->args[0]);
  p.scope = tn_tree_scope(p.tree, p.block);
  TN_TRY(tn_block_buffer_arg(s, p.block, call->args[1], false, &region, &is_write));
  p.buffer = region->in[TN_REGION_BUFFER];
  TN_TRY(check_inplace(&p));
  TN_TRY(find_box(&p));
  TN_TRY(prove_filled(&p));
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_%s", p.buffer->attr.text, call->args[2]->attr.text);
  const char *base = tn_ir_text(s->ir, tn_buf_text(&name));
  tn_buf_deinit(&name);
  p.cached = tn_buffer_like(s->ir, p.buffer, tn_sched_fresh_name(s, p.tree, base), 0, NULL,
                            call->args[2]->attr.text);
  TN_TRY(put_copy(&p, base, true, &labels[0]));
  TN_TRY(put_copy(&p, base, false, &labels[1]));
  const tn_node *site = tn_sched_site(s, call->args[0]);
  TN_TRY(tn_sched_replace(s, site, tn_swap_buffer(s->ir, site, p.buffer, p.cached)));
  call->out = tn_list(s->ir, 2, labels);
  const tn_tree *tree = tn_sched_tree(s, labels[0]);
  const tn_node *scope = tn_tree_scope(tree, tn_tree_site(tree, labels[0]));
  TN_TRY(tn_sched_add_alloc(s, tree, scope, p.cached));
  TN_TRY(tn_sched_fix_around(s, labels[0]));
  return tn_prove_rounds_apart(s, labels[0]);
}

/* ---- indices ---- */

enum { MAX_INDICES = 16 };

typedef struct index_list {
  const tn_node *iters;
  uint32_t n;
  const tn_node *exprs[MAX_INDICES];
  int64_t counts[MAX_INDICES];
} index_list;

/* Axes and numbers only, with something to compute. */
static bool is_of_axes(const tn_node *n, const tn_node *iters) {
  if (tn_is(n, TN_OP_VAR)) {
    for (uint32_t i = 0; i < iters->n_in; ++i) {
      if (iters->in[i]->in[TN_ITER_VAR] == n) {
        return true;
      }
    }
    return false;
  }
  bool is_ok = (n->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0 && !tn_is(n, TN_OP_LET) &&
               tn_dtype_lanes(n->dtype) == 1;
  for (uint32_t i = 0; is_ok && i < n->n_in; ++i) {
    is_ok = is_of_axes(n->in[i], iters);
  }
  return is_ok;
}

static void note_index(index_list *list, const tn_node *expr) {
  if (expr->n_in == 0 || !is_of_axes(expr, list->iters)) {
    return;
  }
  for (uint32_t i = 0; i < list->n; ++i) {
    if (list->exprs[i] == expr) {
      ++list->counts[i];
      return;
    }
  }
  if (list->n < MAX_INDICES) {
    list->exprs[list->n] = expr;
    list->counts[list->n++] = 1;
  }
}

static tn_visit look_for_indices(const tn_node *n, void *ctx) {
  index_list *list = ctx;
  for (uint32_t i = TN_LOAD_INDICES; tn_is(n, TN_OP_LOAD) && i < n->n_in; ++i) {
    note_index(list, n->in[i]);
  }
  return TN_DESCEND;
}

typedef struct hoisted {
  const tn_node *expr;
  const tn_node *load; /* what stands for it */
  const tn_node *buffer;
  const tn_node *label;
  const tn_node *nest;
} hoisted;

static tn_status hoist(tn_sched *s, const tn_node *block, const tn_node *expr, uint32_t number,
                       const char *storage, hoisted *out) {
  tn_ir *ir = s->ir;
  char name[24];
  tn_copy copy;
  tn_box box = {.n = 0};
  const tn_node *shape[TN_MAX_NDIM];
  const tn_node *vars[TN_MAX_NDIM];
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_tree *tree = tn_sched_tree(s, block->in[TN_BLOCK_LABEL]);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    if (!tn_expr_uses(expr, 1, &var)) {
      continue;
    }
    if (box.n == TN_MAX_NDIM || !tn_is_int(iters->in[i]->in[TN_ITER_MIN], 0)) {
      return tn_refuse(s, block->in[TN_BLOCK_LABEL], NULL, "axis '%s' does not begin at 0",
                       var->attr.text);
    }
    vars[box.n] = var;
    box.extents[box.n] = iters->in[i]->in[TN_ITER_EXTENT];
    box.mins[box.n] = tn_int(ir, box.extents[box.n]->dtype, 0);
    shape[box.n] = tn_extent_to_size(ir, box.extents[box.n]);
    ++box.n;
  }
  (void)snprintf(name, sizeof name, "index_var_%u", number);
  tn_buffer_spec spec = {.name = tn_sched_fresh_name(s, tree, name),
                         .dtype = expr->dtype,
                         .ndim = box.n,
                         .shape = shape,
                         .scope = storage};
  out->expr = expr;
  out->buffer = tn_buffer_new(ir, &spec);
  out->load = tn_load_new(ir, out->buffer, box.n, vars);
  (void)snprintf(name, sizeof name, "index_%u", number);
  out->label = tn_label_new(ir, tn_sched_fresh_name(s, tree, name));
  tn_copy_init(&copy, ir, out->label, tn_list(ir, box.n, shape));
  tn_map map = {0};
  for (uint32_t d = 0; d < box.n; ++d) {
    tn_map_set(&map, vars[d]->id, (uint64_t)(uintptr_t)copy.axes[d]);
  }
  const tn_node *value = tn_subst(ir, expr, &map);
  tn_map_deinit(&map);
  return tn_copy_nest(s, tree, NULL, &copy, &box,
                      tn_store_new(ir, out->buffer, value, box.n, copy.axes), &out->nest);
}

static const tn_node *index_rule(tn_rewriter *rw, const tn_node *n) {
  const hoisted *h = rw->ctx;
  const tn_node *made = n;
  for (uint32_t i = TN_LOAD_INDICES; tn_is(n, TN_OP_LOAD) && i < n->n_in; ++i) {
    made = n->in[i] == h->expr ? tn_with_child(rw->ir, made, i, h->load) : made;
  }
  return made == n ? NULL : made;
}

static tn_status put_index(tn_sched *s, const tn_node *label, hoisted *h) {
  const tn_tree *tree = tn_sched_tree(s, label);
  const tn_node *block = tn_tree_site(tree, label);
  const tn_node *scope_body = tn_scope_body(tree, tn_tree_scope(tree, block));
  const tn_node *made = tn_with_child(s->ir, block, TN_BLOCK_BODY,
                                      tn_rewrite(s->ir, block->in[TN_BLOCK_BODY], index_rule, h));
  TN_TRY(tn_sched_insert(s, tn_is(scope_body, TN_OP_SEQ) ? scope_body->in[0] : scope_body, h->nest,
                         true));
  TN_TRY(tn_block_reinfer(s, made, &made));
  TN_TRY(tn_sched_replace(s, tn_sched_site(s, label), made));
  tree = tn_sched_tree(s, label);
  TN_TRY(tn_sched_add_alloc(s, tree, tn_tree_scope(tree, tn_tree_site(tree, label)), h->buffer));
  return tn_sched_fix_around(s, label);
}

tn_status tn_prim_cache_index(tn_sched *s, tn_prim_call *call) {
  const tn_node *labels[MAX_INDICES];
  const tn_node *block = tn_sched_site(s, call->args[0]);
  index_list list = {.iters = block->in[TN_BLOCK_ITERS]};
  uint32_t n = 0;
  TN_TRY(tn_block_axes_stay(tn_sched_tree(s, call->args[0]), block));
  tn_walk(block->in[TN_BLOCK_BODY], look_for_indices, NULL, &list);
  for (uint32_t i = 0; i < list.n; ++i) {
    if (list.counts[i] > call->args[2]->attr.i64) {
      hoisted h;
      TN_TRY(hoist(s, block, list.exprs[i], n, call->args[1]->attr.text, &h));
      TN_TRY(put_index(s, call->args[0], &h));
      labels[n++] = h.label;
    }
  }
  if (n == 0) {
    return tn_refuse(s, call->args[0], NULL, "it reads by no index that is more than an axis");
  }
  call->out = tn_list(s->ir, n, labels);
  return NULL;
}

/* ---- at a loop ---- */

static tn_status step(tn_sched *s, const char *name, tn_status (*prim)(tn_sched *, tn_prim_call *),
                      const tn_node *const *args, uint32_t n, const tn_node **out) {
  const tn_node *copy[TN_PRIM_MAX_PARAMS] = {NULL};
  for (uint32_t i = 0; i < n; ++i) {
    copy[i] = args[i];
  }
  tn_prim_call call = {
      .prim = tn_prim_find(name), .n_args = n, .args = copy, .out = tn_none(s->ir)};
  TN_TRY_MSG(prim(s, &call), "%s", name);
  *out = call.out;
  return NULL;
}

static tn_status move_copy(tn_sched *s, bool is_write, const tn_node *copy, const tn_node *loop) {
  const tn_node *ignored = NULL;
  const tn_node *args[] = {copy, loop, tn_bool(s->ir, false), tn_int(s->ir, TN_DT_I32, -1)};
  return is_write ? step(s, "reverse_compute_at", tn_prim_reverse_compute_at, args, 4, &ignored)
                  : step(s, "compute_at", tn_prim_compute_at, args, 4, &ignored);
}

/* Blocks in the loop that read the buffer of that number. */
static tn_status readers_in_loop(tn_sched *s, tn_prim_call *call, const tn_node **out) {
  const tn_tree *tree = tn_sched_tree(s, call->args[1]);
  const tn_node *block = tn_tree_site(tree, call->args[1]);
  const tn_node *loop = tn_tree_site(tree, call->args[0]);
  const tn_node *region = NULL;
  bool is_write = false;
  const tn_node *all[TN_SCHED_MAX_BLOCKS];
  TN_TRY(tn_block_buffer_arg(s, block, call->args[2], false, &region, &is_write));
  uint32_t n_all =
      tn_scope_users(tree, tn_tree_scope(tree, block), region->in[TN_REGION_BUFFER], false, all);
  uint32_t n = 0;
  for (uint32_t i = 0; loop != NULL && i < n_all; ++i) {
    if (tn_tree_is_around(tree, loop, all[i])) {
      all[n++] = all[i]->in[TN_BLOCK_LABEL];
    }
  }
  if (n == 0) {
    return tn_refuse(s, call->args[1], NULL, "loop '%s' is not around it",
                     call->args[0]->attr.text);
  }
  *out = tn_list(s->ir, n, all);
  return NULL;
}

tn_status tn_prim_read_at(tn_sched *s, tn_prim_call *call) {
  const tn_node *readers = NULL;
  TN_TRY(readers_in_loop(s, call, &readers));
  const tn_node *args[] = {call->args[1], call->args[2], call->args[3], readers};
  TN_TRY(step(s, "cache_read", tn_prim_cache_read, args, 4, &call->out));
  return move_copy(s, false, call->out, call->args[0]);
}

tn_status tn_prim_write_at(tn_sched *s, tn_prim_call *call) {
  const tn_node *args[] = {call->args[1], call->args[2], call->args[3], tn_none(s->ir)};
  TN_TRY(step(s, "cache_write", tn_prim_cache_write, args, 4, &call->out));
  return move_copy(s, true, call->out, call->args[0]);
}
