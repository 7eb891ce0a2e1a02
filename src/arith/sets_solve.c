/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Formulas to conjunctions of equations and inequalities, one after another, and each of them first
 * to the quick test, then to isl: for one solution, or as a part of a set that is projected. isl
 * sees only matrices of numbers, so nothing of it depends on names or on the order of nodes. */
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

#include "arith/sets_priv.h"
#include "base/check.h"

/* Cells of the matrices of all conjunctions that are tried: a fifth of a second or so. */
enum { MAX_CELLS = 10000000 };
/* isl subtracts and bounds sets of many pieces slowly. */
enum { MAX_PIECES = 64 };

/* What is still to be added to a conjunction. */
typedef struct todo {
  const tn_formula *f;
  const struct todo *next;
} todo;

typedef struct search search;
struct search {
  tn_question *q;
  TN_VEC(const tn_form *) eqs;
  TN_VEC(const tn_form *) ges;
  uint32_t n_conjunctions;
  uint64_t n_cells;
  bool (*visit)(search *s); /* of a conjunction; false: enough */
  /* a solution */
  tn_verdict verdict;
  int64_t *values;
  bool has_values;
  bool was_exact;
  /* a projection */
  const uint32_t *dims; /* column -> its place in the set */
  uint32_t n_params;
  uint32_t n_kept;
  isl_set *set;
};

static const todo *push(tn_question *q, const tn_formula *f, const todo *next) {
  todo *t = TN_ARENA_NEW(&q->arena, todo);
  *t = (todo){f, next};
  return t;
}

static tn_verdict try_quickly(const search *s, int64_t *out_values) {
  tn_rows rows = {.n_cols = (uint32_t)s->q->cols.len,
                  .n_eqs = (uint32_t)s->eqs.len,
                  .n_ges = (uint32_t)s->ges.len,
                  .cols = s->q->cols.data,
                  .eqs = s->eqs.data,
                  .ges = s->ges.data};
  return tn_sets_quick(&rows, out_values);
}

/* Atoms go to the conjunction, ORs to *ors. False: it cannot hold. */
static bool take_atoms(search *s, const todo *pending, const todo **ors) {
  while (pending != NULL) {
    const tn_formula *f = pending->f;
    pending = pending->next;
    switch (f->kind) {
      case TN_FM_TRUE:
        break;
      case TN_FM_FALSE:
        return false;
      case TN_FM_GE:
        TN_VEC_PUSH(&s->ges, &f->form);
        break;
      case TN_FM_EQ:
        TN_VEC_PUSH(&s->eqs, &f->form);
        break;
      case TN_FM_AND:
        for (uint32_t i = f->n; i > 0; --i) {
          pending = push(s->q, f->parts[i - 1], pending);
        }
        break;
      case TN_FM_OR:
        *ors = push(s->q, f, *ors);
        break;
    }
  }
  return true;
}

/* Atoms first, then one case of each OR in turn, as long as what is there may hold. False: enough.
 */
static bool expand(search *s, const todo *pending, const todo *ors) {
  size_t n_eqs = s->eqs.len;
  size_t n_ges = s->ges.len;
  bool goes_on = true;
  bool may_hold = take_atoms(s, pending, &ors);
  s->n_cells += (s->eqs.len + s->ges.len) * s->q->cols.len;
  if (s->n_cells > MAX_CELLS) {
    goes_on = false;
  } else if (may_hold) {
    tn_verdict quick = try_quickly(s, ors == NULL ? s->values : NULL);
    may_hold = quick == TN_UNDECIDED;
    if (quick == TN_REFUTED) {
      s->verdict = TN_REFUTED;
      s->has_values = true;
      goes_on = false;
    }
  }
  if (may_hold && goes_on && ors == NULL) {
    s->n_conjunctions += 1;
    goes_on = s->visit(s);
  } else if (may_hold && goes_on) {
    const tn_formula *f = ors->f;
    for (uint32_t i = 0; i < f->n && goes_on; ++i) {
      goes_on = expand(s, push(s->q, f->parts[i], NULL), ors->next);
    }
  }
  s->eqs.len = n_eqs;
  s->ges.len = n_ges;
  return goes_on;
}

/* False: more conjunctions than can be looked at, or what visit had to say. */
static bool expand_all(search *s, const tn_formulas *formulas) {
  const todo *pending = NULL;
  for (size_t i = s->q->defs.len; i > 0; --i) {
    pending = push(s->q, s->q->defs.data[i - 1], pending);
  }
  for (size_t i = formulas->len; i > 0; --i) {
    pending = push(s->q, formulas->data[i - 1], pending);
  }
  bool is_all = expand(s, pending, NULL);
  TN_VEC_DEINIT(&s->eqs);
  TN_VEC_DEINIT(&s->ges);
  return is_all;
}

/* ---- isl ---- */

void tn_sets_begin(tn_sets *sets) {
  isl_ctx_reset_error(sets->ctx);
  isl_ctx_reset_operations(sets->ctx);
  isl_ctx_set_max_operations(sets->ctx, sets->max_ops);
}

static isl_mat *set_element(isl_ctx *ctx, isl_mat *mat, uint32_t row, uint32_t col, int64_t v) {
  if (v >= INT32_MIN && v <= INT32_MAX) {
    return isl_mat_set_element_si(mat, (int)row, (int)col, (int)v);
  }
  return isl_mat_set_element_val(mat, (int)row, (int)col, isl_val_int_from_si(ctx, v));
}

/* One row a form; the constant stands in the last column. */
static isl_mat *make_rows(const search *s, size_t n, const tn_form *const *forms) {
  isl_ctx *ctx = s->q->sets->ctx;
  uint32_t n_cols = (uint32_t)s->q->cols.len;
  isl_mat *mat = isl_mat_alloc(ctx, (unsigned)n, n_cols + 1);
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t c = 0; c <= n_cols; ++c) {
      mat = isl_mat_set_element_si(mat, (int)i, (int)c, 0);
    }
    for (uint32_t t = 0; t < forms[i]->n; ++t) {
      const tn_form_term *term = &forms[i]->terms[t];
      uint32_t c = s->dims == NULL ? term->col : s->dims[term->col];
      mat = set_element(ctx, mat, i, c, term->coef);
    }
    mat = set_element(ctx, mat, i, n_cols, forms[i]->base);
  }
  return mat;
}

static isl_basic_set *make_basic_set(const search *s) {
  isl_ctx *ctx = s->q->sets->ctx;
  isl_space *space = isl_space_set_alloc(ctx, s->n_params, (unsigned)s->q->cols.len - s->n_params);
  return isl_basic_set_from_constraint_matrices(
      space, make_rows(s, s->eqs.len, s->eqs.data), make_rows(s, s->ges.len, s->ges.data),
      isl_dim_param, isl_dim_set, isl_dim_div, isl_dim_cst);
}

bool tn_sets_to_int(isl_val *v, int64_t *out) {
  /* isl_val_get_num_si makes an error of what does not fit */
  bool fits =
      v != NULL && isl_val_is_int(v) == isl_bool_true && isl_val_n_abs_num_chunks(v, 8) <= 1;
  uint64_t abs = 0;
  if (fits) {
    (void)isl_val_get_abs_num_chunks(v, 8, &abs);
    fits = abs <= INT64_MAX;
    *out = isl_val_is_neg(v) == isl_bool_true ? -(int64_t)abs : (int64_t)abs;
  }
  return fits;
}

static bool coordinate(isl_point *point, uint32_t at, int64_t *out) {
  isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, (int)at);
  bool fits = tn_sets_to_int(v, out);
  isl_val_free(v);
  return fits;
}

static bool visit_solution(search *s) {
  s->was_exact = true;
  isl_point *point = isl_basic_set_sample_point(make_basic_set(s));
  isl_bool is_void = point == NULL ? isl_bool_error : isl_point_is_void(point);
  if (is_void == isl_bool_error) {
    s->verdict = TN_UNDECIDED;
  } else if (is_void == isl_bool_false) {
    s->verdict = TN_REFUTED;
    s->has_values = true;
    for (uint32_t i = 0; i < s->q->cols.len && s->has_values; ++i) {
      s->has_values = coordinate(point, i, &s->values[i]);
    }
  }
  isl_point_free(point);
  return s->verdict == TN_PROVED;
}

static void count(tn_sets *sets, bool was_exact) {
  if (was_exact) {
    sets->stats.n_exact += 1;
  } else {
    sets->stats.n_quick += 1;
  }
}

tn_verdict tn_question_solve(tn_question *q, const tn_formulas *formulas, int64_t *out_values,
                             bool *out_has_values) {
  *out_has_values = false;
  if (q->divisions.len > TN_SETS_MAX_DIVISIONS) {
    return TN_UNDECIDED;
  }
  search s = {.q = q, .visit = visit_solution, .verdict = TN_PROVED, .values = out_values};
  bool is_all = expand_all(&s, formulas);
  if (!is_all && s.verdict == TN_PROVED) {
    s.verdict = TN_UNDECIDED;
  }
  count(q->sets, s.was_exact);
  *out_has_values = s.has_values;
  return s.verdict;
}

static bool visit_projection(search *s) {
  uint32_t n_dims = (uint32_t)s->q->cols.len - s->n_params;
  isl_basic_set *part =
      isl_basic_set_project_out(make_basic_set(s), isl_dim_set, s->n_kept, n_dims - s->n_kept);
  s->set = isl_set_union(s->set, isl_set_from_basic_set(part));
  return s->set != NULL && s->n_conjunctions <= MAX_PIECES;
}

isl_set *tn_question_project(tn_question *q, const tn_formulas *formulas, uint32_t n_kept,
                             const uint32_t *kept, uint32_t n_params, const uint32_t *params) {
  uint32_t n_cols = (uint32_t)q->cols.len;
  if (q->divisions.len > TN_SETS_MAX_PROJECTED) {
    return NULL;
  }
  uint32_t *dims = TN_ARENA_ARRAY(&q->arena, uint32_t, n_cols);
  for (uint32_t i = 0; i < n_cols; ++i) {
    dims[i] = UINT32_MAX;
  }
  for (uint32_t i = 0; i < n_params; ++i) {
    dims[params[i]] = i;
  }
  for (uint32_t i = 0; i < n_kept; ++i) {
    dims[kept[i]] = n_params + i;
  }
  uint32_t next = n_params + n_kept;
  for (uint32_t i = 0; i < n_cols; ++i) {
    dims[i] = dims[i] == UINT32_MAX ? next++ : dims[i];
  }
  search s = {
      .q = q, .visit = visit_projection, .dims = dims, .n_params = n_params, .n_kept = n_kept};
  s.set = isl_set_empty(isl_space_set_alloc(q->sets->ctx, n_params, n_kept));
  bool is_all = expand_all(&s, formulas);
  if (!is_all) {
    isl_set_free(s.set);
    return NULL;
  }
  return s.set;
}
