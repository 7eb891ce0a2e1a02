/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The integer test before isl: enough for most questions that turn out to be proofs. Three steps,
 * each exact over the integers, and "not known" whenever a number grows past 64 bits.
 *
 *   1. Where b > a is asked of a variable in two iterations, b is written as a + d, d >= 1: what
 *      two iterations share then cancels, as in 16 * jo + ji == 16 * jo' + ji'.
 *   2. An equation with a coefficient of 1 or -1 gives one variable by the others.
 *   3. What is left bounds each variable, round by round, until a bound crosses its opposite, or a
 *      row cannot be met within the bounds. */
#include "arith/arith_priv.h"
#include "arith/sets_priv.h"
#include "base/check.h"

enum { MAX_ROUNDS = 4, MAX_CELLS = 1 << 16 };

typedef struct quick {
  uint32_t n_cols;
  uint32_t n_eqs;
  uint32_t n_rows;  /* equations first */
  int64_t *cells;   /* n_rows rows of n_cols + 1: the constant is the last */
  tn_interval *ivs; /* of columns */
  bool is_failed;   /* a number passed 64 bits */
  bool is_empty;
} quick;

static int64_t *row_at(const quick *k, uint32_t i) {
  return k->cells + (size_t)i * (k->n_cols + 1);
}

static void fill(int64_t *row, uint32_t n_cols, const tn_form *f) {
  for (uint32_t t = 0; t < f->n; ++t) {
    row[f->terms[t].col] = f->terms[t].coef;
  }
  row[n_cols] = f->base;
}

/* row += other * factor */
static void add_row(quick *k, int64_t *row, const int64_t *other, int64_t factor) {
  for (uint32_t c = 0; c <= k->n_cols; ++c) {
    int64_t v = 0;
    if (other[c] != 0) {
      k->is_failed = k->is_failed || __builtin_mul_overflow(other[c], factor, &v) ||
                     __builtin_add_overflow(row[c], v, &row[c]);
    }
  }
}

/* ---- 1: differences ---- */

static void substitute_difference(quick *k, uint32_t x, uint32_t y) {
  for (uint32_t i = 0; i < k->n_rows; ++i) {
    int64_t *row = row_at(k, i);
    k->is_failed = k->is_failed || __builtin_add_overflow(row[x], row[y], &row[x]);
  }
  k->ivs[y] = (tn_interval){false, false, 0, 0}; /* another variable now */
}

/* Rows y - x - k >= 0, of a variable in one iteration and one in the other. */
static void find_differences(quick *k, const tn_col *cols) {
  uint64_t done[TN_SETS_MAX_COLS / 64 + 1] = {0};
  for (uint32_t i = k->n_eqs; i < k->n_rows; ++i) {
    const int64_t *row = row_at(k, i);
    uint32_t n = 0;
    uint32_t x = UINT32_MAX;
    uint32_t y = UINT32_MAX;
    for (uint32_t c = 0; c < k->n_cols; ++c) {
      n += row[c] != 0;
      x = row[c] == -1 ? c : x;
      y = row[c] == 1 ? c : y;
    }
    if (n != 2 || x == UINT32_MAX || y == UINT32_MAX || cols[x].kind > TN_COL_B ||
        cols[y].kind > TN_COL_B || cols[x].kind == cols[y].kind) {
      continue;
    }
    bool is_done = (done[x / 64] >> x % 64 & 1) != 0 || (done[y / 64] >> y % 64 & 1) != 0;
    if (!is_done) {
      done[x / 64] |= (uint64_t)1 << x % 64;
      done[y / 64] |= (uint64_t)1 << y % 64;
      substitute_difference(k, x, y);
    }
  }
}

/* ---- 2: equations ---- */

static void eliminate(quick *k, uint32_t eq, uint32_t col) {
  const int64_t *row = row_at(k, eq);
  for (uint32_t i = 0; i < k->n_rows && !k->is_failed; ++i) {
    int64_t coef = row_at(k, i)[col];
    if (i != eq && coef != 0) {
      k->is_failed = coef == INT64_MIN;
      if (!k->is_failed) {
        add_row(k, row_at(k, i), row, row[col] > 0 ? -coef : coef);
      }
    }
  }
}

static void use_equations(quick *k) {
  for (uint32_t i = 0; i < k->n_eqs && !k->is_failed; ++i) {
    const int64_t *row = row_at(k, i);
    uint32_t unit = UINT32_MAX;
    int64_t g = 0;
    for (uint32_t c = 0; c < k->n_cols; ++c) {
      g = tn_arith_gcd(g, row[c]);
      unit = unit == UINT32_MAX && (row[c] == 1 || row[c] == -1) ? c : unit;
    }
    if (g == 0 ? row[k->n_cols] != 0 : row[k->n_cols] % g != 0) {
      k->is_empty = true;
      return;
    }
    if (unit != UINT32_MAX) {
      eliminate(k, i, unit);
    }
  }
}

/* ---- 3: bounds ---- */

typedef struct total {
  uint32_t n_open; /* terms without an upper bound */
  uint32_t open;   /* the last of them */
  __int128 most;   /* of the others, and the constant */
} total;

static total upper_total(const quick *k, const int64_t *row, int sign) {
  total t = {0, 0, (__int128)sign * row[k->n_cols]};
  for (uint32_t c = 0; c < k->n_cols; ++c) {
    if (row[c] == 0) {
      continue;
    }
    __int128 coef = (__int128)sign * row[c];
    bool has = coef > 0 ? k->ivs[c].has_hi : k->ivs[c].has_lo;
    if (!has) {
      t.n_open += 1;
      t.open = c;
    } else {
      t.most += coef * (coef > 0 ? k->ivs[c].hi : k->ivs[c].lo);
    }
  }
  return t;
}

/* a / b, rounded down; b > 0. */
static __int128 floor128(__int128 a, __int128 b) { return a / b - (a % b < 0 ? 1 : 0); }

/* coef * column + rest >= 0 */
static bool tighten(quick *k, uint32_t c, __int128 coef, __int128 rest) {
  tn_interval *iv = &k->ivs[c];
  bool has_changed = false;
  if (coef > 0) {
    __int128 lo = -floor128(rest, coef);
    if (lo >= INT64_MIN / 4 && lo <= INT64_MAX / 4 && (!iv->has_lo || lo > iv->lo)) {
      iv->has_lo = true;
      iv->lo = (int64_t)lo;
      has_changed = true;
    }
  } else {
    __int128 hi = floor128(rest, -coef);
    if (hi >= INT64_MIN / 4 && hi <= INT64_MAX / 4 && (!iv->has_hi || hi < iv->hi)) {
      iv->has_hi = true;
      iv->hi = (int64_t)hi;
      has_changed = true;
    }
  }
  k->is_empty = k->is_empty || (iv->has_lo && iv->has_hi && iv->lo > iv->hi);
  return has_changed;
}

/* sign * row >= 0. True: a bound moved. */
static bool propagate(quick *k, const int64_t *row, int sign) {
  total t = upper_total(k, row, sign);
  bool has_changed = false;
  if (t.n_open == 0 && t.most < 0) {
    k->is_empty = true;
  }
  for (uint32_t c = 0; c < k->n_cols && !k->is_empty && t.n_open <= 1; ++c) {
    __int128 coef = (__int128)sign * row[c];
    if (coef == 0 || (t.n_open == 1 && c != t.open)) {
      continue;
    }
    __int128 own = t.n_open == 1 ? 0 : coef * (coef > 0 ? k->ivs[c].hi : k->ivs[c].lo);
    has_changed = tighten(k, c, coef, t.most - own) || has_changed;
  }
  return has_changed;
}

static void bound(quick *k) {
  bool has_changed = true;
  for (int round = 0; round < MAX_ROUNDS && has_changed && !k->is_empty; ++round) {
    has_changed = false;
    for (uint32_t i = 0; i < k->n_rows && !k->is_empty; ++i) {
      has_changed = propagate(k, row_at(k, i), 1) || has_changed;
      if (i < k->n_eqs && !k->is_empty) {
        has_changed = propagate(k, row_at(k, i), -1) || has_changed;
      }
    }
  }
}

bool tn_sets_quick_is_empty(uint32_t n_cols, const tn_col *cols, uint32_t n_eqs,
                            const tn_form *const *eqs, uint32_t n_ges, const tn_form *const *ges) {
  quick k = {.n_cols = n_cols, .n_eqs = n_eqs, .n_rows = n_eqs + n_ges};
  size_t n_cells = (size_t)k.n_rows * (n_cols + 1);
  if (n_cells > MAX_CELLS) {
    return false;
  }
  k.cells = calloc(n_cells + 1, sizeof *k.cells);
  k.ivs = calloc(n_cols + 1, sizeof *k.ivs);
  TN_CHECK(k.cells != NULL && k.ivs != NULL, "out of memory");
  for (uint32_t i = 0; i < n_eqs; ++i) {
    fill(row_at(&k, i), n_cols, eqs[i]);
  }
  for (uint32_t i = 0; i < n_ges; ++i) {
    fill(row_at(&k, n_eqs + i), n_cols, ges[i]);
  }
  find_differences(&k, cols);
  use_equations(&k);
  if (!k.is_failed && !k.is_empty) {
    bound(&k);
  }
  bool is_empty = k.is_empty && !k.is_failed;
  free(k.cells);
  free(k.ivs);
  return is_empty;
}
