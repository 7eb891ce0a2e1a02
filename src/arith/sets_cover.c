/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Questions that compare sets of elements. Each footprint becomes a question of its own, projected
 * onto its elements with the symbols of all of them as parameters; isl subtracts. An element that
 * is left over is then traced back to an iteration. */
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

#include "arith/sets_priv.h"

typedef TN_VEC(tn_col) symbol_list;

static void add_elements(tn_image *im, uint32_t n_dims) {
  im->n_dims = n_dims;
  im->elements = TN_ARENA_ARRAY(&im->q.arena, uint32_t, n_dims);
  for (uint32_t d = 0; d < n_dims; ++d) {
    im->elements[d] =
        tn_question_add_col(&im->q, TN_COL_ELEMENT, NULL, (tn_interval){false, false, 0, 0});
  }
}

void tn_image_init(tn_image *im, tn_asking *k, tn_col_kind kind, const tn_footprint *f) {
  *im = (tn_image){.n_dims = 0};
  tn_asking_begin(k, &im->q);
  tn_instance_init(&im->inst, &im->q, kind, &f->domain);
  add_elements(im, f->access.n_dims);
  for (uint32_t d = 0; d < im->n_dims && !tn_question_is_failed(&im->q); ++d) {
    const tn_node *extent = f->access.extents == NULL ? NULL : f->access.extents[d];
    TN_VEC_PUSH(&im->formulas, tn_instance_within(&im->inst, tn_form_col(&im->q, im->elements[d]),
                                                  f->access.mins[d], extent));
  }
}

static void image_init_box(tn_image *im, tn_asking *k, uint32_t n, const tn_node *const *extents) {
  *im = (tn_image){.n_dims = 0};
  tn_asking_begin(k, &im->q);
  tn_instance_init(&im->inst, &im->q, TN_COL_A, &(tn_domain){.n = 0});
  add_elements(im, n);
  for (uint32_t d = 0; d < n && !tn_question_is_failed(&im->q); ++d) {
    TN_VEC_PUSH(&im->formulas, tn_instance_within(&im->inst, tn_form_col(&im->q, im->elements[d]),
                                                  NULL, extents[d]));
  }
}

void tn_set_image_deinit(tn_image *im) {
  tn_instance_deinit(&im->inst);
  TN_VEC_DEINIT(&im->formulas);
  tn_question_deinit(&im->q);
}

/* ---- common symbols ---- */

static void add_symbols(symbol_list *list, const tn_image *im) {
  for (uint32_t i = 0; i < im->q.cols.len; ++i) {
    const tn_col *col = &im->q.cols.data[i];
    bool is_new = col->kind == TN_COL_SYMBOL || col->kind == TN_COL_OPAQUE;
    for (size_t k = 0; k < list->len && is_new; ++k) {
      is_new = list->data[k].node != col->node;
    }
    if (is_new) {
      TN_VEC_PUSH(list, *col);
    }
  }
}

static void take_params(tn_image *im, const symbol_list *list) {
  im->params = TN_ARENA_ARRAY(&im->q.arena, uint32_t, list->len);
  for (size_t k = 0; k < list->len; ++k) {
    im->params[k] = tn_question_symbol(&im->q, list->data[k].node, list->data[k].kind);
  }
}

static isl_set *set_of(tn_image *im, const symbol_list *list) {
  return tn_question_project(&im->q, &im->formulas, im->n_dims, im->elements, (uint32_t)list->len,
                             im->params);
}

/* ---- the comparison ---- */

/* What covers: images, together. */
typedef struct cover {
  uint32_t n;
  tn_image *images;
} cover;

/* Fixes im's elements and symbols to a point's, and looks for an iteration. */
static int64_t *trace_back(tn_image *im, isl_point *point, const symbol_list *list) {
  tn_question *q = &im->q;
  int64_t *values = NULL;
  for (uint32_t i = 0; i < list->len + im->n_dims; ++i) {
    bool is_param = i < list->len;
    isl_val *v = isl_point_get_coordinate_val(point, is_param ? isl_dim_param : isl_dim_set,
                                              (int)(is_param ? i : i - (uint32_t)list->len));
    int64_t value = 0;
    bool fits = tn_sets_to_int(v, &value);
    isl_val_free(v);
    if (!fits) {
      return NULL;
    }
    const tn_form *f = tn_form_col(q, is_param ? im->params[i] : im->elements[i - list->len]);
    TN_VEC_PUSH(&im->formulas,
                tn_formula_atom(q, TN_FM_EQ, tn_form_sum(q, f, 1, tn_form_const(q, value), -1, 0)));
  }
  (void)tn_asking_solve(q, &im->formulas, &values);
  return values;
}

static tn_verdict subtract(tn_image *part, const cover *whole, const symbol_list *list,
                           int64_t **out_values) {
  tn_sets *sets = part->q.sets;
  isl_set *left = set_of(part, list);
  for (uint32_t i = 0; i < whole->n && left != NULL; ++i) {
    isl_set *other = set_of(&whole->images[i], list);
    left = isl_set_subtract(left, other);
  }
  sets->stats.n_exact += 1;
  isl_point *point = isl_set_sample_point(left);
  isl_bool is_void = point == NULL ? isl_bool_error : isl_point_is_void(point);
  tn_verdict verdict = is_void == isl_bool_error  ? TN_UNDECIDED
                       : is_void == isl_bool_true ? TN_PROVED
                                                  : TN_REFUTED;
  if (verdict == TN_REFUTED) {
    tn_sets_stats stats = sets->stats; /* tracing back is part of this question */
    *out_values = trace_back(part, point, list);
    sets->stats = stats;
  }
  isl_point_free(point);
  return verdict;
}

/* PROVED: whatever part holds, one of whole holds. */
static tn_verdict covers(tn_image *part, const cover *whole, int64_t **out_values) {
  symbol_list list = {0};
  bool is_too_big = part->q.is_too_big;
  add_symbols(&list, part);
  for (uint32_t i = 0; i < whole->n; ++i) {
    tn_question *q = &whole->images[i].q;
    part->q.culprit = part->q.culprit == NULL ? q->culprit : part->q.culprit;
    is_too_big = is_too_big || q->is_too_big;
    add_symbols(&list, &whole->images[i]);
  }
  const tn_node *opaque = NULL;
  for (size_t k = 0; k < list.len; ++k) {
    opaque = list.data[k].kind == TN_COL_OPAQUE ? list.data[k].node : opaque;
  }
  tn_verdict verdict = part->q.culprit != NULL ? TN_NOT_AFFINE : TN_UNDECIDED;
  if (part->q.culprit == NULL && !is_too_big) {
    take_params(part, &list);
    for (uint32_t i = 0; i < whole->n; ++i) {
      take_params(&whole->images[i], &list);
    }
    verdict = subtract(part, whole, &list, out_values);
  }
  if (verdict == TN_REFUTED && opaque != NULL) {
    verdict = TN_NOT_AFFINE;
    part->q.culprit = opaque;
    *out_values = NULL;
  }
  TN_VEC_DEINIT(&list);
  return verdict;
}

tn_answer tn_sets_is_covered(tn_sets *sets, const tn_footprint *part, uint32_t n_whole,
                             const tn_footprint *whole) {
  tn_asking k;
  tn_answer answer;
  tn_asking_init(&k, sets, 4, &part->domain, NULL);
  tn_key_footprint(&k.key, part);
  for (uint32_t i = 0; i < n_whole; ++i) {
    tn_key_footprint(&k.key, &whole[i]);
  }
  if (tn_asking_recall(&k, &answer)) {
    return answer;
  }
  tn_image p;
  tn_image_init(&p, &k, TN_COL_A, part);
  cover c = {n_whole, TN_ARENA_ARRAY(&p.q.arena, tn_image, n_whole)};
  for (uint32_t i = 0; i < n_whole; ++i) {
    tn_image_init(&c.images[i], &k, TN_COL_B, &whole[i]);
  }
  int64_t *values = NULL;
  tn_verdict verdict = covers(&p, &c, &values);
  answer = tn_asking_finish(&k, verdict, &p.q, values);
  for (uint32_t i = 0; i < n_whole; ++i) {
    tn_set_image_deinit(&c.images[i]);
  }
  tn_set_image_deinit(&p);
  return answer;
}

tn_answer tn_sets_is_equal(tn_sets *sets, const tn_footprint *a, const tn_footprint *b) {
  tn_answer answer = tn_sets_is_covered(sets, a, 1, b);
  if (answer.verdict == TN_PROVED) {
    answer = tn_sets_is_covered(sets, b, 1, a);
    answer.b = answer.a;
    answer.a = (tn_point){0};
  }
  return answer;
}

/* One of the two is the box. */
static tn_answer box_covers(tn_sets *sets, const tn_footprint *f, const tn_node *const *extents,
                            bool is_box_part) {
  tn_asking k;
  tn_answer answer;
  tn_asking_init(&k, sets, is_box_part ? 5 : 6, &f->domain, NULL);
  tn_key_footprint(&k.key, f);
  tn_key_domain(&k.key, &(tn_domain){.n = 0});
  tn_key_exprs(&k.key, f->access.n_dims, extents);
  if (tn_asking_recall(&k, &answer)) {
    return answer;
  }
  tn_image im;
  tn_image box;
  tn_image_init(&im, &k, TN_COL_A, f);
  image_init_box(&box, &k, f->access.n_dims, extents);
  tn_image *part = is_box_part ? &box : &im;
  int64_t *values = NULL;
  tn_verdict verdict = covers(part, &(cover){1, is_box_part ? &im : &box}, &values);
  answer = tn_asking_finish(&k, verdict, &part->q, values);
  tn_set_image_deinit(&im);
  tn_set_image_deinit(&box);
  return answer;
}

tn_answer tn_sets_is_bijective(tn_sets *sets, const tn_domain *domain, uint32_t n_values,
                               const tn_node *const *values, const tn_node *const *extents) {
  tn_footprint f = {*domain, {.n_dims = n_values, .mins = values}};
  tn_answer answer = tn_sets_is_injective(sets, domain, n_values, values);
  if (answer.verdict == TN_PROVED) {
    answer = box_covers(sets, &f, extents, false);
  }
  return answer.verdict == TN_PROVED ? box_covers(sets, &f, extents, true) : answer;
}
