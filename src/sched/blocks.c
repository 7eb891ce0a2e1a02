/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What blocks are: complete, reductions, outputs, producers and consumers of each other. Questions
 * about one scope, answered from the regions that blocks declare; tn_block_keeps_promise (promise.c)
 * is where those are proved to be true. */
#include <string.h>

#include "sched/loops.h"
#include "sched/rewrite.h"
#include "sched/touches.h"

/* ---- regions ---- */

const tn_node *tn_block_region(const tn_node *block, bool is_write, uint32_t i) {
  const tn_node *list = block->in[is_write ? TN_BLOCK_WRITES : TN_BLOCK_READS];
  return i < list->n_in ? list->in[i] : NULL;
}

/* The block's region of the memory that a buffer names, by this name or another. */
static const tn_node *region_of_memory(const tn_node *block, bool is_write, const tn_node *buffer) {
  const tn_node *region = NULL;
  for (uint32_t i = 0; (region = tn_block_region(block, is_write, i)) != NULL; ++i) {
    if (region->in[TN_REGION_BUFFER]->in[TN_BUFFER_DATA] == buffer->in[TN_BUFFER_DATA]) {
      return region;
    }
  }
  return NULL;
}

static tn_status region_by_index(const tn_node *block, bool is_write, int64_t i,
                                 const tn_node **out_region) {
  const tn_node *region = i < 0 ? NULL : tn_block_region(block, is_write, (uint32_t)i);
  if (region == NULL) {
    return TN_ERR(TN_INVALID, "block '%s' %s %u buffers; there is no number %lld",
                  tn_block_name(block), is_write ? "writes" : "reads",
                  block->in[is_write ? TN_BLOCK_WRITES : TN_BLOCK_READS]->n_in, (long long)i);
  }
  *out_region = region;
  return NULL;
}

static tn_status region_by_name(const tn_node *block, const char *name, bool is_write,
                                const tn_node **out_region, bool *out_is_write) {
  for (int32_t turn = 0; turn < 2; ++turn) {
    bool writes = turn == 0 ? is_write : !is_write;
    const tn_node *region = NULL;
    for (uint32_t i = 0; (region = tn_block_region(block, writes, i)) != NULL; ++i) {
      if (strcmp(region->in[TN_REGION_BUFFER]->attr.text, name) == 0) {
        *out_region = region;
        *out_is_write = writes;
        return NULL;
      }
    }
  }
  return TN_ERR(TN_INVALID, "block '%s' neither reads nor writes a buffer '%s'",
                tn_block_name(block), name);
}

tn_status tn_block_buffer_arg(tn_sched *s, const tn_node *block, const tn_node *arg, bool is_write,
                              const tn_node **out_region, bool *out_is_write) {
  (void)s;
  *out_is_write = is_write;
  if (tn_is(arg, TN_OP_STR)) {
    return region_by_name(block, arg->attr.text, is_write, out_region, out_is_write);
  }
  if (tn_is(arg, TN_OP_LIST)) {
    const char *which = arg->in[0]->attr.text;
    if (strcmp(which, "read") != 0 && strcmp(which, "write") != 0) {
      return TN_ERR(TN_INVALID, "a buffer is (\"read\", i) or (\"write\", i), not (\"%s\", i)",
                    which);
    }
    *out_is_write = strcmp(which, "write") == 0;
    return region_by_index(block, *out_is_write, arg->in[1]->attr.i64, out_region);
  }
  return region_by_index(block, is_write, arg->attr.i64, out_region);
}

/* ---- who else touches what ---- */

static bool shares_buffer(const tn_node *writer, const tn_node *reader) {
  const tn_node *region = NULL;
  for (uint32_t i = 0; (region = tn_block_region(writer, true, i)) != NULL; ++i) {
    if (region_of_memory(reader, false, region->in[TN_REGION_BUFFER]) != NULL) {
      return true;
    }
  }
  return false;
}

static uint32_t neighbours(const tn_tree *tree, const tn_node *block, bool are_producers,
                           uint32_t cap, const tn_node **out) {
  uint32_t n = 0;
  const tn_node *scope = tn_tree_scope(tree, block);
  for (size_t i = 0; i < tree->blocks.len; ++i) {
    const tn_node *other = tree->blocks.data[i];
    if (other != block && tn_tree_scope(tree, other) == scope && n < cap &&
        (are_producers ? shares_buffer(other, block) : shares_buffer(block, other))) {
      out[n++] = other;
    }
  }
  return n;
}

uint32_t tn_block_producers(const tn_tree *tree, const tn_node *block, uint32_t cap,
                            const tn_node **out) {
  return neighbours(tree, block, true, cap, out);
}

uint32_t tn_block_consumers(const tn_tree *tree, const tn_node *block, uint32_t cap,
                            const tn_node **out) {
  return neighbours(tree, block, false, cap, out);
}

bool tn_block_is_output(const tn_tree *tree, const tn_node *block) {
  const tn_node *scope = tn_tree_scope(tree, block);
  const tn_node *region = NULL;
  for (uint32_t i = 0; (region = tn_block_region(block, true, i)) != NULL; ++i) {
    if (!tn_scope_allocates(scope, region->in[TN_REGION_BUFFER])) {
      return true;
    }
  }
  return false;
}

/* Another block of the scope that writes what this one writes; NULL when it is the only one. */
static const tn_node *other_writer(const tn_tree *tree, const tn_node *block,
                                   const tn_node **out_buffer) {
  const tn_node *scope = tn_tree_scope(tree, block);
  for (size_t i = 0; i < tree->blocks.len; ++i) {
    const tn_node *other = tree->blocks.data[i];
    if (other == block || tn_tree_scope(tree, other) != scope) {
      continue;
    }
    const tn_node *region = NULL;
    for (uint32_t k = 0; (region = tn_block_region(block, true, k)) != NULL; ++k) {
      *out_buffer = region->in[TN_REGION_BUFFER];
      if (region_of_memory(other, true, *out_buffer) != NULL) {
        return other;
      }
    }
  }
  return NULL;
}

static tn_status only_writer(const tn_tree *tree, const tn_node *block) {
  const tn_node *buffer = NULL;
  const tn_node *other = other_writer(tree, block, &buffer);
  if (other != NULL) {
    return TN_ERR(TN_INVALID,
                  "block '%s' is not the only one that writes '%s': block '%s' does too",
                  tn_block_name(block), buffer->attr.text, tn_block_name(other));
  }
  return NULL;
}

/* ---- kinds of blocks ---- */

tn_status tn_block_complete(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->attr.i64 != TN_ITER_SPATIAL) {
      return TN_ERR(TN_INVALID, "block '%s' is not complete: its axis '%s' is not spatial",
                    tn_block_name(block), iters->in[i]->in[TN_ITER_VAR]->attr.text);
    }
  }
  TN_TRY(only_writer(tree, block));
  if (shares_buffer(block, block)) {
    return TN_ERR(TN_INVALID, "block '%s' is not complete: it reads a buffer that it writes",
                  tn_block_name(block));
  }
  return tn_block_keeps_promise(s, tree, block);
}

typedef struct axis_search {
  const tn_node *iters;
  const tn_node *found;
} axis_search;

static tn_visit look_for_reduce_axis(const tn_node *n, void *ctx) {
  axis_search *search = ctx;
  for (uint32_t i = 0; tn_is(n, TN_OP_VAR) && i < search->iters->n_in; ++i) {
    if (search->iters->in[i]->in[TN_ITER_VAR] == n &&
        search->iters->in[i]->attr.i64 != TN_ITER_SPATIAL) {
      search->found = n;
      return TN_STOP;
    }
  }
  return TN_DESCEND;
}

tn_status tn_block_reduction(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  if (tn_is_none(block->in[TN_BLOCK_INIT])) {
    return TN_ERR(TN_INVALID, "block '%s' is not a reduction: it has no T.init()",
                  tn_block_name(block));
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    int64_t kind = iters->in[i]->attr.i64;
    if (kind != TN_ITER_SPATIAL && kind != TN_ITER_REDUCE) {
      return TN_ERR(TN_INVALID, "block '%s' is not a reduction: its axis '%s' is opaque",
                    tn_block_name(block), iters->in[i]->in[TN_ITER_VAR]->attr.text);
    }
  }
  TN_TRY(only_writer(tree, block));
  axis_search search = {.iters = iters};
  tn_walk_distinct(block->in[TN_BLOCK_WRITES], look_for_reduce_axis, &search);
  if (search.found != NULL) {
    return TN_ERR(TN_INVALID, "block '%s' is not a reduction: where it writes depends on axis '%s'",
                  tn_block_name(block), search.found->attr.text);
  }
  return tn_block_keeps_promise(s, tree, block);
}

tn_status tn_block_compact(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  if (!tn_is_none(block->in[TN_BLOCK_INIT])) {
    return tn_block_reduction(s, tree, block);
  }
  return tn_block_complete(s, tree, block);
}

/* ---- bindings ---- */

/* The loops reach each point of the axes exactly once, asked of integer sets. */
static bool reaches_all_once(tn_sched *s, const tn_tree *tree, const tn_nest *nest) {
  const tn_node *iters = nest->block->in[TN_BLOCK_ITERS];
  const tn_node *values[TN_SCHED_MAX_LOOPS];
  const tn_node *extents[TN_SCHED_MAX_LOOPS];
  for (uint32_t i = 0; i < nest->n_values; ++i) {
    const tn_node *min = iters->in[i]->in[TN_ITER_MIN];
    values[i] =
        tn_is_int(min, 0) ? nest->values[i] : tn_binary(s->ir, TN_OP_SUB, nest->values[i], min);
    extents[i] = iters->in[i]->in[TN_ITER_EXTENT];
  }
  tn_domain domain = tn_nest_domain(nest);
  size_t mark = tn_sched_assume_around(s, tree, nest->n > 0 ? nest->loops[0] : nest->block);
  tn_answer answer =
      tn_sets_is_bijective(tn_sched_sets(s), &domain, nest->n_values, values, extents);
  tn_sets_pop(tn_sched_sets(s), mark);
  ++s->stats.n_questions;
  s->stats.n_undecided += answer.verdict == TN_UNDECIDED;
  return answer.verdict == TN_PROVED;
}

tn_status tn_block_affine(tn_sched *s, const tn_tree *tree, const tn_node *block) {
  tn_nest nest;
  const tn_node *culprit = NULL;
  TN_TRY(tn_nest_find(s, tree, block, NULL, &nest));
  tn_domain domain = tn_nest_domain(&nest);
  tn_arith *arith = tn_arith_new(s->ir);
  const tn_itermap *map = tn_itermap_detect(arith, &domain, nest.n_values, nest.values, &culprit);
  bool is_affine = map != NULL && map->is_injective && map->is_independent;
  tn_arith_free(arith);
  s->stats.n_cheap += is_affine;
  if (is_affine || reaches_all_once(s, tree, &nest)) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  if (map == NULL && culprit != NULL) {
    tn_buf_puts(&text, ": not understood is ");
    tn_tir_print_expr(culprit, &text);
  }
  tn_status st = TN_ERR(TN_INVALID,
                        "the bindings of block '%s' do not reach each point of its axes just once, "
                        "each axis free of the others%s",
                        tn_block_name(block), tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

/* ---- the flow between blocks of a scope ---- */

tn_status tn_scope_stage_pipeline(tn_sched *s, const tn_tree *tree, const tn_node *scope) {
  for (size_t i = 0; i < tree->blocks.len; ++i) {
    const tn_node *block = tree->blocks.data[i];
    if (tn_tree_scope(tree, block) != scope) {
      continue;
    }
    TN_TRY(tn_block_compact(s, tree, block));
    for (size_t k = i + 1; k < tree->blocks.len; ++k) {
      const tn_node *later = tree->blocks.data[k];
      if (tn_tree_scope(tree, later) == scope && shares_buffer(later, block)) {
        return TN_ERR(TN_INVALID, "block '%s' reads what the later block '%s' writes",
                      tn_block_name(block), tn_block_name(later));
      }
    }
  }
  return NULL;
}
