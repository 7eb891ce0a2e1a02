/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The integer test before isl: enough for most questions that turn out to be proofs. Its steps are
 * exact over the integers, and "not known" whenever a number grows past 64 bits.
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

/* Values of columns that are reckoned with: their products with coefficients, summed over all
 * columns, stay far below 128 bits. */
static const int64_t max_value = (int64_t)1 << 50;

/* What became of a column. */
typedef struct quick_col {
  uint32_t plus; /* it stands for a difference: add this column, or UINT32_MAX */
  uint32_t eq;   /* the equation that gives it, or UINT32_MAX */
} quick_col;

typedef struct quick {
  uint32_t n_cols;
  uint32_t n_eqs;
  uint32_t n_rows;  /* equations first */
  int64_t *cells;   /* n_rows rows of n_cols + 1: the constant is the last */
  tn_interval *ivs; /* of columns */
  quick_col *cols;
  bool is_failed; /* a number passed 64 bits */
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
  k->cols[y].plus = x;
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
      k->cols[unit].eq = i;
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
    if (lo >= -max_value && lo <= max_value && (!iv->has_lo || lo > iv->lo)) {
      iv->has_lo = true;
      iv->lo = (int64_t)lo;
      has_changed = true;
    }
  } else {
    __int128 hi = floor128(rest, -coef);
    if (hi >= -max_value && hi <= max_value && (!iv->has_hi || hi < iv->hi)) {
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

/* ---- 4: a guess ---- */

static int64_t nearest_to_zero(tn_interval iv) {
  if (iv.has_lo && iv.lo > 0) {
    return iv.lo;
  }
  return iv.has_hi && iv.hi < 0 ? iv.hi : 0;
}

static bool holds(const tn_form *f, const int64_t *values, bool is_eq) {
  __int128 sum = f->base;
  for (uint32_t t = 0; t < f->n; ++t) {
    sum += (__int128)f->terms[t].coef * values[f->terms[t].col];
  }
  return is_eq ? sum == 0 : sum >= 0;
}

/* Free columns within their bounds, near zero; the others by their equations. */
static bool guess(quick *k, int64_t *values) {
  for (uint32_t c = 0; c < k->n_cols; ++c) {
    values[c] = nearest_to_zero(k->ivs[c]);
  }
  for (uint32_t c = 0; c < k->n_cols; ++c) {
    if (k->cols[c].eq == UINT32_MAX) {
      continue;
    }
    const int64_t *row = row_at(k, k->cols[c].eq);
    __int128 rest = row[k->n_cols];
    for (uint32_t o = 0; o < k->n_cols; ++o) {
      rest += o == c ? 0 : (__int128)row[o] * values[o];
    }
    if (rest > max_value || rest < -max_value) {
      return false;
    }
    values[c] = (int64_t)(row[c] > 0 ? -rest : rest);
  }
  for (uint32_t c = 0; c < k->n_cols; ++c) {
    if (k->cols[c].plus != UINT32_MAX &&
        __builtin_add_overflow(values[c], values[k->cols[c].plus], &values[c])) {
      return false;
    }
  }
  return true;
}

static void quick_init(quick *k, const tn_rows *rows) {
  *k = (quick){.n_cols = rows->n_cols, .n_eqs = rows->n_eqs, .n_rows = rows->n_eqs + rows->n_ges};
  k->cells = calloc((size_t)k->n_rows * (k->n_cols + 1) + 1, sizeof *k->cells);
  k->ivs = calloc(k->n_cols + 1, sizeof *k->ivs);
  k->cols = malloc((k->n_cols + 1) * sizeof *k->cols);
  TN_CHECK(k->cells != NULL && k->ivs != NULL && k->cols != NULL, "out of memory");
  for (uint32_t c = 0; c < k->n_cols; ++c) {
    k->cols[c] = (quick_col){UINT32_MAX, UINT32_MAX};
  }
  for (uint32_t i = 0; i < k->n_rows; ++i) {
    fill(row_at(k, i), k->n_cols, i < k->n_eqs ? rows->eqs[i] : rows->ges[i - k->n_eqs]);
  }
}

tn_verdict tn_sets_quick(const tn_rows *rows, int64_t *out_values) {
  quick k;
  if ((size_t)(rows->n_eqs + rows->n_ges) * (rows->n_cols + 1) > MAX_CELLS) {
    return TN_UNDECIDED;
  }
  quick_init(&k, rows);
  find_differences(&k, rows->cols);
  use_equations(&k);
  if (!k.is_failed && !k.is_empty) {
    bound(&k);
  }
  tn_verdict verdict = k.is_empty && !k.is_failed ? TN_PROVED : TN_UNDECIDED;
  if (out_values != NULL && verdict == TN_UNDECIDED && !k.is_failed && guess(&k, out_values)) {
    bool is_ok = true;
    for (uint32_t i = 0; i < k.n_rows && is_ok; ++i) {
      is_ok = i < k.n_eqs ? holds(rows->eqs[i], out_values, true)
                          : holds(rows->ges[i - k.n_eqs], out_values, false);
    }
    verdict = is_ok ? TN_REFUTED : verdict;
  }
  free(k.cells);
  free(k.ivs);
  free(k.cols);
  return verdict;
}
