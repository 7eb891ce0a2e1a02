/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Copies of what blocks read and write, in memory of their own.
 *
 *   cache_read(C, 0, "local"):                     cache_write(C, 0, "local"):
 *     for ax0, ax1: A_local[..] = A[..]              for i, j, k: C_local[..] = C_local[..] + ..
 *     for i, j, k:  C[..] = C[..] + A_local[..]      for ax0, ax1: C[..] = C_local[..]
 *
 * The copy has the shape of the buffer and uses the same indices; where only a part is used at a
 * place, a later pass makes it small (compact_buffers). A copy for reading stands after the writer
 * and before the first reader, in the innermost nest that has both; a copy for writing after
 * the writer, before the first reader of what it copies to. */
#include <string.h>

#include "sched/rewrite.h"
#include "sched/starts.h"

typedef struct cache {
  const tn_node *block;
  const tn_node *scope;  /* may be NULL: a function without a root block */
  const tn_node *buffer; /* of the program */
  const tn_node *cached; /* its copy */
  const tn_node *label;  /* of the copying block */
  uint32_t n_users;      /* blocks that are to use the copy */
  const tn_node *users[TN_SCHED_MAX_BLOCKS];
} cache;

static tn_status cache_init(tn_sched *s, const tn_tree *tree, const tn_node *block,
                            const tn_node *buffer, const char *storage, cache *c) {
  c->block = block;
  c->scope = tn_tree_scope(tree, block);
  c->buffer = buffer;
  TN_TRY(tn_scope_only_blocks_touch(s, tree, c->scope, buffer));
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_%s", buffer->attr.text, storage);
  for (char *p = name.data; p != NULL && *p != '\0'; ++p) {
    *p = *p == '.' ? '_' : *p;
  }
  const char *fresh = tn_sched_fresh_name(s, tree, tn_buf_text(&name));
  tn_buf_deinit(&name);
  c->cached = tn_buffer_like(s->ir, buffer, fresh, 0, NULL, storage);
  c->label = tn_label_new(s->ir, fresh);
  return NULL;
}

/* The blocks named, or all that read the buffer. */
static tn_status find_users(tn_sched *s, const tn_tree *tree, const tn_node *named, cache *c) {
  const tn_node *all[TN_SCHED_MAX_BLOCKS];
  uint32_t n = tn_scope_users(tree, c->scope, c->buffer, false, all);
  for (uint32_t i = 0; i < n; ++i) {
    bool is_named = tn_is_none(named);
    for (uint32_t k = 0; !is_named && k < named->n_in; ++k) {
      is_named = named->in[k] == all[i]->in[TN_BLOCK_LABEL];
    }
    if (is_named) {
      c->users[c->n_users++] = all[i];
    }
  }
  if (!tn_is_none(named) && (named->n_in == 0 || c->n_users != named->n_in)) {
    return tn_refuse(s, c->block->in[TN_BLOCK_LABEL], NULL,
                     "not all of consumer_blocks read '%s' in its scope", c->buffer->attr.text);
  }
  return NULL;
}

/* v[...]: to = from. */
static const tn_node *copy_body(tn_ir *ir, const tn_copy *copy, const tn_node *to,
                                const tn_node *from) {
  uint32_t n = copy->shape->n_in;
  return tn_store_new(ir, to, tn_load_new(ir, from, n, copy->axes), n, copy->axes);
}

static void whole_box(tn_ir *ir, const tn_node *buffer, tn_box *out) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  out->n = shape->n_in;
  for (uint32_t d = 0; d < out->n; ++d) {
    out->mins[d] = tn_int(ir, shape->in[d]->dtype, 0);
    out->extents[d] = shape->in[d];
  }
}

/* At the top of a function a box that may leave the shape becomes the shape. In a block the copy
 * keeps to what the block touches. */
static void clip_box(tn_sched *s, const tn_node *buffer, tn_box *box) {
  tn_arith *arith = tn_arith_new(s->ir);
  tn_box whole;
  whole_box(s->ir, buffer, &whole);
  for (uint32_t d = 0; d < box->n; ++d) {
    const tn_node *end = tn_index_binary(s->ir, TN_OP_ADD, box->mins[d], box->extents[d]);
    bool is_inside =
        tn_arith_prove(arith, tn_index_binary(s->ir, TN_OP_LE, whole.mins[d], box->mins[d])) &&
        tn_arith_prove(arith, tn_index_binary(s->ir, TN_OP_LE, end, whole.extents[d]));
    if (!is_inside) {
      box->mins[d] = whole.mins[d];
      box->extents[d] = whole.extents[d];
    }
  }
  tn_arith_free(arith);
}

/* The box that `writer` writes at each round of what is around `nest`. */
static tn_status written_box(tn_sched *s, const tn_tree *tree, const tn_node *nest,
                             const tn_node *buffer, tn_box *box) {
  bool is_found = false;
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *scope = tn_tree_scope(tree, nest);
  TN_TRY(tn_stmt_box(s, tree, nest, buffer, true, box, &is_found));
  TN_ASSERT(is_found, "the nest has the writer");
  bool is_top = tn_tree_loops(tree, nest, loops) == 0 &&
                (scope == NULL || (scope == tree->root && scope->in[TN_BLOCK_ITERS]->n_in == 0));
  if (is_top) {
    clip_box(s, buffer, box);
  }
  return NULL;
}

/* Puts the copy beside `at` and lets users use it. */
static tn_status place_copy(tn_sched *s, const tn_tree *tree, const cache *c, const tn_node *at,
                            bool is_before, const tn_box *box, const tn_node *to,
                            const tn_node *from) {
  tn_copy copy;
  const tn_node *nest = NULL;
  tn_copy_init(&copy, s->ir, c->label, c->buffer->in[TN_BUFFER_SHAPE]);
  TN_TRY(tn_copy_nest(s, tree, tn_tree_parent(tree, at), &copy, box,
                      copy_body(s->ir, &copy, to, from), &nest));
  return tn_sched_insert(s, at, nest, is_before);
}

static tn_status use_copy(tn_sched *s, const cache *c) {
  for (uint32_t i = 0; i < c->n_users; ++i) {
    const tn_node *site = tn_sched_site(s, c->users[i]->in[TN_BLOCK_LABEL]);
    TN_TRY(tn_sched_replace(s, site, tn_swap_buffer(s->ir, site, c->buffer, c->cached)));
  }
  return NULL;
}

static tn_status add_cached(tn_sched *s, const cache *c) {
  const tn_tree *tree = tn_sched_tree(s, c->label);
  const tn_node *site = tn_tree_site(tree, c->label);
  TN_TRY(tn_sched_add_alloc(s, tree, tn_tree_scope(tree, site), c->cached));
  return tn_sched_fix_around(s, c->label);
}

/* ---- reading ---- */

/* The statement before which a copy of what `writer` wrote stands; *out_nest: what has the writer
 * beside it. */
static tn_status between(tn_sched *s, const tn_tree *tree, const cache *c, const tn_node *writer,
                         const tn_node **out_nest, const tn_node **out_at) {
  const tn_node *first = c->users[0];
  for (uint32_t i = 0; i < c->n_users; ++i) {
    if (c->users[i] == writer || tn_tree_place(tree, c->users[i]) < tn_tree_place(tree, writer)) {
      return tn_refuse(s, c->users[i]->in[TN_BLOCK_LABEL], NULL,
                       "it reads '%s' before or while block '%s' writes it", c->buffer->attr.text,
                       tn_block_name(writer));
    }
    first = tn_tree_place(tree, c->users[i]) < tn_tree_place(tree, first) ? c->users[i] : first;
  }
  /* what is nearest in the text shares most loops: in all of them the copy follows the writer */
  const tn_node *pair[] = {writer, first};
  const tn_node *common = tn_tree_common(tree, 2, pair);
  if (!tn_is(common, TN_OP_SEQ)) {
    return tn_refuse(s, writer->in[TN_BLOCK_LABEL], NULL,
                     "there is no place after it and before all readers of '%s'",
                     c->buffer->attr.text);
  }
  *out_nest = tn_tree_child_with(tree, common, writer);
  *out_at = tn_tree_child_with(tree, common, first);
  return NULL;
}

/* What users read is in the copy: it is the whole buffer's, or memory that only the writer fills. */
static tn_status prove_users(tn_sched *s, const tn_tree *tree, const cache *c,
                             const tn_node *writer) {
  if (tn_scope_allocates(c->scope, c->buffer)) {
    return NULL;
  }
  const tn_node *body = tn_scope_body(tree, c->scope);
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *whole = tn_tree_loops(tree, writer, loops) == 0 ? writer : loops[0];
  for (uint32_t i = 0; i < c->n_users; ++i) {
    const tn_node *part = tn_tree_loops(tree, c->users[i], loops) == 0 ? c->users[i] : loops[0];
    TN_TRY(tn_prove_written(s, tree, body, part, false, whole, c->buffer));
  }
  return NULL;
}

static tn_status read_written(tn_sched *s, const tn_tree *tree, const cache *c,
                              const tn_node *writer) {
  const tn_node *nest = NULL;
  const tn_node *at = NULL;
  tn_box box;
  TN_TRY(between(s, tree, c, writer, &nest, &at));
  TN_TRY(written_box(s, tree, nest, c->buffer, &box));
  TN_TRY(tn_prove_box_written(s, tree, nest, c->buffer, &box));
  TN_TRY(prove_users(s, tree, c, writer));
  return place_copy(s, tree, c, at, true, &box, c->cached, c->buffer);
}

/* Before everything in the scope: what the scope reads of it. */
static tn_status read_given(tn_sched *s, const tn_tree *tree, const cache *c) {
  tn_box box;
  const tn_node *body = tn_scope_body(tree, c->scope);
  whole_box(s->ir, c->buffer, &box);
  const tn_node *region = NULL;
  for (uint32_t i = 0; c->scope != NULL && (region = tn_block_region(c->scope, false, i)) != NULL;
       ++i) {
    if (region->in[TN_REGION_BUFFER] == c->buffer) {
      TN_TRY(tn_block_regions_hold(s, tree, c->scope));
      for (uint32_t d = 0; d < box.n; ++d) {
        box.mins[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_MIN];
        box.extents[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_EXTENT];
      }
    }
  }
  if (!tn_tree_is_parameter(tree, c->buffer)) {
    TN_TRY(tn_prove_box_read(s, tree, body, c->buffer, &box));
  }
  const tn_node *at = tn_is(body, TN_OP_SEQ) && body->n_in > 0 ? body->in[0] : body;
  return place_copy(s, tree, c, at, true, &box, c->cached, c->buffer);
}

tn_status tn_prim_cache_read(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *block = tn_tree_site(tree, call->args[0]);
  const tn_node *region = NULL;
  bool is_write = false;
  cache c = {.n_users = 0};
  TN_TRY(tn_block_buffer_arg(s, block, call->args[1], false, &region, &is_write));
  if (is_write) {
    return tn_refuse(s, call->args[0], "cache_write makes copies of what a block writes",
                     "it writes '%s'", region->in[TN_REGION_BUFFER]->attr.text);
  }
  TN_TRY(cache_init(s, tree, block, region->in[TN_REGION_BUFFER], call->args[2]->attr.text, &c));
  TN_TRY(find_users(s, tree, call->args[3], &c));
  const tn_node *writers[TN_SCHED_MAX_BLOCKS];
  uint32_t n = tn_scope_users(tree, c.scope, c.buffer, true, writers);
  if (n > 1) {
    return tn_refuse(s, call->args[0], NULL, "'%s' is written by more than one block: '%s', '%s'",
                     c.buffer->attr.text, writers[0]->in[TN_BLOCK_LABEL]->attr.text,
                     writers[1]->in[TN_BLOCK_LABEL]->attr.text);
  }
  TN_TRY(n == 1 ? read_written(s, tree, &c, writers[0]) : read_given(s, tree, &c));
  TN_TRY(use_copy(s, &c));
  call->out = c.label;
  return add_cached(s, &c);
}

/* ---- writing ---- */

/* Where the copy out stands: before the first reader, or at the end of the scope. */
static tn_status after_writer(tn_sched *s, const tn_tree *tree, const cache *c, uint32_t n_readers,
                              const tn_node *const *readers, const tn_node **out_nest,
                              const tn_node **out_at, bool *out_is_before) {
  cache all = *c;
  all.n_users = 0;
  for (uint32_t i = 0; i < n_readers; ++i) {
    if (readers[i] != c->block) {
      all.users[all.n_users++] = readers[i];
    }
  }
  if (all.n_users > 0) {
    *out_is_before = true;
    return between(s, tree, &all, c->block, out_nest, out_at);
  }
  const tn_node *body = tn_scope_body(tree, c->scope);
  bool is_seq = tn_is(body, TN_OP_SEQ);
  *out_nest = is_seq ? tn_tree_child_with(tree, body, c->block) : body;
  *out_at = is_seq ? body->in[body->n_in - 1] : body;
  *out_is_before = false;
  return NULL;
}

tn_status tn_prim_cache_write(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *block = tn_tree_site(tree, call->args[0]);
  const tn_node *region = NULL;
  bool is_write = true;
  cache c = {.n_users = 0};
  TN_TRY(tn_block_buffer_arg(s, block, call->args[1], true, &region, &is_write));
  if (!is_write) {
    return tn_refuse(s, call->args[0], "cache_read makes copies of what a block reads",
                     "it only reads '%s'", region->in[TN_REGION_BUFFER]->attr.text);
  }
  TN_TRY(cache_init(s, tree, block, region->in[TN_REGION_BUFFER], call->args[2]->attr.text, &c));
  TN_TRY(tn_block_compact(s, tree, block));
  if (!tn_is_none(block->in[TN_BLOCK_INIT])) {
    tn_starts starts;
    tn_status st = tn_starts_init(&starts, s, tree, block, NULL);
    tn_starts_deinit(&starts);
    TN_TRY(st);
  }
  if (!tn_is_none(call->args[3])) {
    TN_TRY(find_users(s, tree, call->args[3], &c));
    TN_TRY(prove_users(s, tree, &c, block));
  }
  const tn_node *readers[TN_SCHED_MAX_BLOCKS];
  uint32_t n = tn_scope_users(tree, c.scope, c.buffer, false, readers);
  const tn_node *nest = NULL;
  const tn_node *at = NULL;
  bool is_before = false;
  tn_box box;
  TN_TRY(after_writer(s, tree, &c, n, readers, &nest, &at, &is_before));
  TN_TRY(written_box(s, tree, nest, c.buffer, &box));
  TN_TRY(tn_prove_box_written(s, tree, nest, c.buffer, &box));
  TN_TRY(place_copy(s, tree, &c, at, is_before, &box, c.buffer, c.cached));
  c.users[c.n_users++] = block;
  TN_TRY(use_copy(s, &c));
  call->out = c.label;
  return add_cached(s, &c);
}
