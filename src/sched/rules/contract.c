/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which loop of a reduction plays which part? By its form:
 *
 *   C[..] = C[..] + f(one[..]) * g(many[..])          init: C[..] = ..
 *
 * One of the two is read as a single number by all lanes; the loop of the lanes walks the other one
 * and the result. Of any other reduction there is no `one`. */
#include "sched/rules/tile.h"

#include "sched/loops.h"

/* ---- form ---- */

static const tn_node *under_casts(const tn_node *n) {
  while (tn_is(n, TN_OP_CAST)) {
    n = n->in[0];
  }
  return n;
}

/* The product that is added to the element in each step; NULL: it is something else. */
static const tn_node *added_product(const tn_node *store) {
  const tn_node *sum = store->in[TN_STORE_VALUE];
  if (!tn_is(sum, TN_OP_ADD)) {
    return NULL;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    const tn_node *old = sum->in[i];
    if (tn_is(old, TN_OP_LOAD) && old->in[TN_LOAD_BUFFER] == store->in[TN_STORE_BUFFER]) {
      const tn_node *added = under_casts(sum->in[1 - i]);
      return tn_is(added, TN_OP_MUL) ? added : NULL;
    }
  }
  return NULL;
}

typedef struct find_load {
  const tn_node *load;
  uint32_t n;
} find_load;

static tn_visit enter_load(const tn_node *n, void *ctx) {
  find_load *f = ctx;
  if (tn_is(n, TN_OP_LOAD)) {
    f->load = n;
    ++f->n;
    return TN_SKIP;
  }
  return TN_DESCEND;
}

static const tn_rule_access *only_load(const tn_rule_nest *nest, const tn_node *expr) {
  find_load f = {0};
  (void)tn_walk_distinct(expr, enter_load, &f);
  for (uint32_t i = 0; f.n == 1 && i < nest->n_accesses; ++i) {
    if (nest->accesses[i].node == f.load) {
      return &nest->accesses[i];
    }
  }
  return NULL;
}

/* ---- parts ---- */

static bool moves(const tn_rule_access *a, uint32_t loop) { return !tn_rule_moves_by(a, loop, 0); }

static bool is_worth(const tn_rule_loop *loop) { return !loop->is_reduce && loop->n != 1; }

/* The loop along which results lie side by side. */
static int32_t find_lanes(const tn_contraction *c) {
  for (uint32_t i = c->nest.n_loops; i-- > 0;) {
    if (is_worth(&c->nest.loops[i]) && tn_rule_moves_by(c->store, i, 1)) {
      return (int32_t)i;
    }
  }
  return TN_TILE_NO_LOOP;
}

static bool stays(const tn_rule_access *a, uint32_t loop) {
  return a == NULL || a->strides[loop] == NULL || tn_is_int(a->strides[loop], 0);
}

/* The innermost spatial loop that moves the result and `with`, but not `without`. An odd move, as
 * that of a group's data with the output channel, counts as none: it is the same for some rounds. */
static int32_t find_loop(const tn_contraction *c, const tn_rule_access *with,
                         const tn_rule_access *without) {
  for (uint32_t i = c->nest.n_loops; i-- > 0;) {
    if ((int32_t)i != c->lanes && is_worth(&c->nest.loops[i]) && moves(c->store, i) &&
        stays(without, i) && !stays(with, i)) {
      return (int32_t)i;
    }
  }
  return TN_TILE_NO_LOOP;
}

/* Some index mentions a reduce axis and a spatial one, `var` where that is not NULL: a window slides. */
static bool is_window(const tn_node *load, const tn_node *block, const tn_node *var) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t d = TN_LOAD_INDICES; d < load->n_in; ++d) {
    bool has[2] = {false, false};
    for (uint32_t i = 0; i < iters->n_in; ++i) {
      const tn_node *iter = iters->in[i];
      bool is_spatial = iter->attr.i64 == TN_ITER_SPATIAL;
      if (!tn_is_int(iter->in[TN_ITER_EXTENT], 1) &&
          tn_expr_uses(load->in[d], 1, &iter->in[TN_ITER_VAR]) &&
          (!is_spatial || var == NULL || iter->in[TN_ITER_BINDING] == var)) {
        has[is_spatial] = true;
      }
    }
    if (has[0] && has[1]) {
      return true;
    }
  }
  return false;
}

bool tn_contraction_slides(const tn_contraction *c, const tn_rule_access *access, uint32_t loop) {
  return is_window(access->node, c->nest.block, c->nest.loops[loop].var);
}

/* What there is to know of all that is read. */
static void look_at_reads(tn_contraction *c) {
  uint32_t lanes = (uint32_t)c->lanes;
  c->is_side_by_side = true;
  for (uint32_t i = 0; i < c->nest.n_accesses; ++i) {
    const tn_rule_access *a = &c->nest.accesses[i];
    if (a->is_store || a->buffer == c->store->buffer) {
      continue;
    }
    c->is_side_by_side = c->is_side_by_side && (!moves(a, lanes) || tn_rule_moves_by(a, lanes, 1));
    c->is_window = c->is_window || is_window(a->node, c->nest.block, NULL);
    c->many = c->many == NULL && moves(a, lanes) ? a : c->many;
  }
}

/* The axis by the lanes' loop alone; NULL: there is none. */
static const tn_node *lanes_axis(const tn_contraction *c) {
  const tn_node *iters = c->nest.block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->in[TN_ITER_BINDING] == c->nest.loops[c->lanes].var) {
      return iters->in[i]->in[TN_ITER_VAR];
    }
  }
  return NULL;
}

static bool is_axis_by(const tn_node *index, tn_op op, const tn_node *axis, int64_t size) {
  return tn_is(index, op) && index->in[TN_A] == axis && tn_is_int(index->in[TN_B], size);
}

/* many[.., n // size, .., n % size]: the size. */
static int64_t find_panel(const tn_contraction *c) {
  const tn_node *axis = lanes_axis(c);
  const tn_node *load = c->many->node;
  const tn_node *last = load->in[load->n_in - 1];
  bool is_cut = tn_is(last, TN_OP_FLOORMOD) && tn_is(last->in[TN_B], TN_OP_INT) &&
                !tn_rule_moves_by(c->many, (uint32_t)c->lanes, 1); /* as pixels of one row do */
  int64_t size = is_cut ? last->in[TN_B]->attr.i64 : 0;
  uint32_t n_outer = 0;
  for (uint32_t i = TN_LOAD_INDICES; size > 0 && i + 1 < load->n_in; ++i) {
    n_outer += is_axis_by(load->in[i], TN_OP_FLOORDIV, axis, size);
  }
  return n_outer == 1 && is_axis_by(last, TN_OP_FLOORMOD, axis, size) ? size : 0;
}

tn_status tn_contraction_find(tn_rules *r, const tn_node *label, tn_contraction *out) {
  *out = (tn_contraction){.lanes = TN_TILE_NO_LOOP};
  TN_TRY(tn_rule_look(r, label, &out->nest));
  const tn_node *store = out->nest.block->in[TN_BLOCK_BODY];
  out->store = tn_rule_store(&out->nest);
  if (out->store == NULL || store != out->store->node ||
      tn_is_none(out->nest.block->in[TN_BLOCK_INIT])) {
    return TN_ERR(TN_INVALID, "no reduction of one value");
  }
  out->lanes = find_lanes(out);
  if (out->lanes == TN_TILE_NO_LOOP) {
    return TN_ERR(TN_INVALID, "no loop stores side by side");
  }
  const tn_node *product = added_product(store);
  uint32_t lanes = (uint32_t)out->lanes;
  if (product != NULL) {
    const tn_rule_access *a = only_load(&out->nest, product->in[TN_A]);
    const tn_rule_access *b = only_load(&out->nest, product->in[TN_B]);
    bool is_swapped = a != NULL && b != NULL && moves(a, lanes) && !moves(b, lanes);
    out->one = a == NULL || b == NULL ? NULL : is_swapped ? b : a;
    out->many = out->one == NULL ? NULL : is_swapped ? a : b;
  }
  look_at_reads(out);
  out->rows = out->one == NULL ? TN_TILE_NO_LOOP : find_loop(out, out->one, out->many);
  out->more = out->many == NULL ? TN_TILE_NO_LOOP : find_loop(out, out->many, out->one);
  out->panel = out->one == NULL ? 0 : find_panel(out);
  bool is_vector = out->one != NULL && out->is_side_by_side &&
                   out->nest.loops[lanes].n == tn_rule_lanes(r, &out->nest);
  out->is_packed = is_vector && !moves(out->one, lanes) && moves(out->many, lanes);
  out->is_lanewise = is_vector && moves(out->one, lanes) && moves(out->many, lanes) &&
                     out->is_window && out->rows != TN_TILE_NO_LOOP;
  return NULL;
}
