/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How large a register tile is: a model of the inner loop. One step of the sum takes rows * more *
 * vectors multiply-adds, more * vectors loads of `many` and rows broadcasts of `one`; sums, loads
 * and one broadcast must fit into the registers. */
#include "sched/rules/tile.h"

enum { MAX_ROWS = 14, MAX_VECTORS = 4 };

/* Share of the rounds of tiles of t that is of use. */
static double use_of(const tn_contraction *c, int32_t loop, int64_t t) {
  if (loop == TN_TILE_NO_LOOP) {
    return t == 1 ? 1 : 0;
  }
  int64_t n = c->nest.loops[loop].n;
  bool is_odd = c->many == NULL ||
                c->many->strides[loop] == NULL; /* the same for a power of two of rounds, often */
  if (is_odd && (t & (t - 1)) != 0) {
    return 0;
  }
  if (n == TN_RULE_OPEN || n == 0) {
    return 1;
  }
  int64_t tiles = (n + t - 1) / t;
  /* the code of a tile that is not whole is there twice, and runs with conditions */
  return (double)n / (double)(tiles * t) * (n % t == 0 ? 1 : 0.97);
}

/* The same of lanes; a last tile with few columns takes as long as a whole one. */
static double use_of_lanes(const tn_contraction *c, const tn_tile *t) {
  int64_t n = c->nest.loops[c->lanes].n;
  int64_t wide = t->vectors * t->lanes;
  if (n == TN_RULE_OPEN || n == 0) {
    return 1;
  }
  int64_t tiles = (n + wide - 1) / wide;
  return (double)n / (double)(tiles * wide) * (n % wide == 0 ? 1 : 0.97);
}

/* Products of use a cycle and lane. */
static double speed(const tn_rules *r, const tn_contraction *c, const tn_tile *t) {
  double units = r->target->n_fma_units;
  double wide = (double)(t->more * t->vectors);
  double adds = (double)t->rows * wide;
  double loads = wide * (c->is_side_by_side || t->panels > 0 ? 1 : 4);
  loads += c->one == NULL ? 0 : (double)t->rows;
  double cycles = adds / units;
  double latency = 4; /* of a multiply-add: so many cycles for a round of sums at least */
  cycles = cycles < latency ? latency : cycles;
  cycles = cycles < loads / 2 ? loads / 2 : cycles;
  cycles += 0.1 * loads;
  return adds * use_of(c, c->rows, t->rows) * use_of(c, c->more, t->more) * use_of_lanes(c, t) /
         cycles;
}

/* ---- operands that are packed ---- */

/* Cycles of a step of the sum of a tile: as many as multiply-adds take, loads, the wait for the sum
 * before, or the panels, which come from the second cache. */
static double cycles_of(const tn_rules *r, int64_t rows, int64_t wide) {
  const double latency = 4;
  const double bytes_a_cycle = 20;
  double adds = (double)(rows * wide) / r->target->n_fma_units;
  double loads = (double)(rows + wide) / 2;
  double panels = (double)(wide * r->target->vector_bytes) / bytes_a_cycle;
  double cycles = adds > loads ? adds : loads;
  cycles = panels > cycles ? panels : cycles;
  return (cycles > latency ? cycles : latency) + 0.02 * (double)(rows + wide);
}

static int64_t extent_of(const tn_contraction *c, int32_t loop) {
  enum { MANY = 1 << 10 };
  int64_t n = loop == TN_TILE_NO_LOOP ? 1 : c->nest.loops[loop].n;
  return n == TN_RULE_OPEN || n == 0 ? MANY : n;
}

/* Cycles of a step of all tiles, those at the ends, which are code of their own, with the others. */
static double packed_cycles(const tn_rules *r, const tn_contraction *c, const tn_tile *t) {
  const double code = 1.01; /* what a second loop for the rest costs */
  int64_t n_rows = extent_of(c, c->rows);
  int64_t n_wide = extent_of(c, c->more);
  const int64_t rows[2] = {t->rows, n_rows % t->rows};
  const int64_t wide[2] = {t->more, n_wide % t->more};
  double sum = 0;
  for (int32_t i = 0; i < 2; ++i) {
    for (int32_t k = 0; k < 2; ++k) {
      int64_t tiles =
          (i == 0 ? n_rows / t->rows : rows[1] > 0) * (k == 0 ? n_wide / t->more : wide[1] > 0);
      sum += tiles == 0 ? 0 : (double)tiles * cycles_of(r, rows[i], wide[k]);
    }
  }
  return sum * (rows[1] > 0 ? code : 1) * (wide[1] > 0 ? code : 1);
}

static void choose_packed(const tn_rules *r, const tn_contraction *c, tn_tile *out) {
  enum { MAX_LANEWISE = 8 }; /* the weights of a window are in registers too */
  tn_tile t = {.lanes = tn_rule_lanes(r, &c->nest), .vectors = 1};
  int64_t most = c->is_lanewise ? MAX_LANEWISE : MAX_ROWS;
  double best = 0;
  for (t.rows = 1; t.rows <= most && t.rows <= extent_of(c, c->rows); ++t.rows) {
    for (t.more = 1; t.more <= MAX_VECTORS && t.more <= extent_of(c, c->more); ++t.more) {
      double cycles = packed_cycles(r, c, &t);
      bool fits = t.more * (t.rows + 1) + 1 <= r->target->n_vector_regs;
      if (fits && (best == 0 || cycles < best)) {
        best = cycles;
        *out = t;
      }
    }
  }
}

/* A panel is as wide as a tile: the rows that lose least. */
static void choose_rows(const tn_rules *r, const tn_contraction *c, tn_tile *out) {
  tn_tile t = {.lanes = tn_rule_lanes(r, &c->nest), .more = 1};
  double best = 0;
  int64_t most = r->target->n_vector_regs;
  t.vectors = c->panel / t.lanes;
  while (t.vectors > MAX_VECTORS || (t.vectors > 1 && c->panel % (t.vectors * t.lanes) != 0)) {
    --t.vectors;
  }
  for (t.rows = 1; t.rows <= MAX_ROWS && t.rows <= extent_of(c, c->rows); ++t.rows) {
    const int64_t n = extent_of(c, c->rows);
    const int64_t rest = n % t.rows;
    double cycles = (double)(n / t.rows) * cycles_of(r, t.rows, t.vectors);
    cycles += rest == 0 ? 0 : cycles_of(r, rest, t.vectors) * 1.5;
    if (t.vectors * (t.rows + 1) + 1 <= most && (best == 0 || cycles < best)) {
      best = cycles;
      *out = t;
    }
  }
}

/* ---- all others ---- */

/* A copy of `many` pays when enough tiles read it. */
static int64_t choose_panels(const tn_rules *r, const tn_contraction *c) {
  enum { FEWEST_ROWS = 16, MOST_PANELS = 4 };
  int64_t n_rows = c->rows == TN_TILE_NO_LOOP ? 1 : c->nest.loops[c->rows].n;
  if (c->one == NULL || c->is_window || (n_rows != TN_RULE_OPEN && n_rows < FEWEST_ROWS)) {
    return 0;
  }
  double sum = 1; /* bytes of `one`, which each panel goes through */
  for (uint32_t i = 0; i < c->nest.n_loops; ++i) {
    bool moves = !tn_rule_moves_by(c->one, i, 0) && !tn_rule_moves_by(c->store, i, 0);
    if (moves || c->nest.loops[i].is_reduce) {
      sum *= c->nest.loops[i].n == TN_RULE_OPEN ? 256 : (double)c->nest.loops[i].n;
    }
  }
  return sum * c->nest.max_bytes * 2 > r->target->l2_bytes ? MOST_PANELS : 1;
}

void tn_tile_choose(const tn_rules *r, const tn_contraction *c, tn_tile *out) {
  if (c->is_packed || c->is_lanewise) {
    choose_packed(r, c, out);
    return;
  }
  if (c->panel > 0 && c->panel % tn_rule_lanes(r, &c->nest) == 0) {
    choose_rows(r, c, out);
    return;
  }
  tn_tile t = {.lanes = tn_rule_lanes(r, &c->nest), .panels = choose_panels(r, c)};
  double best = -1;
  for (t.rows = 1; t.rows <= MAX_ROWS; ++t.rows) {
    for (t.more = 1; t.more <= MAX_VECTORS; ++t.more) {
      for (t.vectors = 1; t.more * t.vectors <= MAX_VECTORS; ++t.vectors) {
        int64_t held = t.more * t.vectors * (t.rows + 1) + 1;
        if (held > r->target->n_vector_regs || (c->is_window && t.vectors > 1 && t.more > 1)) {
          continue;
        }
        double s = speed(r, c, &t);
        if (s > best) {
          best = s;
          *out = t;
        }
      }
    }
  }
}
