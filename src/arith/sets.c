/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The context, the memo, and the questions that look for one solution. Each is asked as "is there a
 * counterexample": the key first, then the memo, then a formula over fresh columns, then the
 * solver. Questions that compare sets stand in sets_cover.c. */
#include <isl/ast_build.h>
#include <isl/options.h>

#include "arith/arith_priv.h"
#include "arith/sets_priv.h"
#include "base/check.h"

tn_sets *tn_sets_new(void) {
  tn_sets *sets = calloc(1, sizeof *sets);
  TN_CHECK(sets != NULL, "out of memory");
  sets->ctx = isl_ctx_alloc();
  TN_CHECK(sets->ctx != NULL, "out of memory");
  isl_options_set_on_error(sets->ctx, ISL_ON_ERROR_CONTINUE);
  isl_options_set_ast_build_detect_min_max(sets->ctx, 1);
  sets->max_ops = TN_SETS_MAX_OPS;
  tn_arena_init(&sets->arena, 0);
  return sets;
}

void tn_sets_free(tn_sets *sets) {
  if (sets == NULL) {
    return;
  }
  isl_ctx_free(sets->ctx);
  tn_arena_deinit(&sets->arena);
  TN_VEC_DEINIT(&sets->assumed);
  TN_VEC_DEINIT(&sets->entries);
  tn_map_deinit(&sets->memo);
  free(sets);
}

size_t tn_sets_assume(tn_sets *sets, const tn_node *cond) {
  size_t mark = sets->assumed.len;
  if ((cond->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0) {
    TN_VEC_PUSH(&sets->assumed, cond);
  }
  return mark;
}

void tn_sets_pop(tn_sets *sets, size_t mark) {
  if (sets->assumed.len > mark) {
    sets->assumed.len = mark;
  }
}

void tn_sets_set_max_ops(tn_sets *sets, uint64_t max_ops) {
  sets->max_ops = max_ops;
  for (size_t i = 0; i < sets->entries.len; ++i) {
    if (sets->entries.data[i].verdict == TN_UNDECIDED) {
      tn_map_remove(&sets->memo, sets->entries.data[i].hash.lo);
    }
  }
}

tn_sets_stats tn_sets_stats_get(const tn_sets *sets) { return sets->stats; }

/* ---- asking ---- */

static tn_point point_of(tn_asking *k, const tn_domain *domain, const int64_t *values) {
  const tn_node **vars = TN_ARENA_ARRAY(&k->sets->arena, const tn_node *, domain->n);
  for (uint32_t i = 0; i < domain->n; ++i) {
    vars[i] = domain->vars[i];
  }
  return (tn_point){domain->n, vars, values};
}

static tn_answer answer_of(tn_asking *k, const tn_sets_entry *e) {
  tn_answer answer = {.verdict = e->verdict};
  const int64_t *values = e->values;
  if (e->has_a) {
    answer.a = point_of(k, k->a, values);
    values += k->a->n;
  }
  if (e->has_b) {
    answer.b = point_of(k, k->b, values);
    values += k->b->n;
  }
  if (e->n_symbols > 0) {
    const tn_node **vars = TN_ARENA_ARRAY(&k->sets->arena, const tn_node *, e->n_symbols);
    for (uint32_t i = 0; i < e->n_symbols; ++i) {
      vars[i] = k->key.symbols.data[e->symbols[i]];
    }
    answer.symbols = (tn_point){e->n_symbols, vars, values};
  }
  return answer;
}

void tn_asking_init(tn_asking *k, tn_sets *sets, uint64_t kind, const tn_domain *a,
                    const tn_domain *b) {
  *k = (tn_asking){.sets = sets, .a = a, .b = b};
  tn_key_init(&k->key, sets, kind);
  sets->stats.n_asked += 1;
}

bool tn_asking_recall(tn_asking *k, tn_answer *out) {
  tn_sets *sets = k->sets;
  uint64_t at = 0;
  tn_key_finish(&k->key);
  bool is_there = tn_map_find(&sets->memo, k->key.hash.lo, &at) &&
                  sets->entries.data[at].hash.hi == k->key.hash.hi;
  if (!is_there) {
    tn_sets_begin(sets);
    return false;
  }
  sets->stats.n_remembered += 1;
  sets->stats.n_undecided += sets->entries.data[at].verdict == TN_UNDECIDED;
  *out = answer_of(k, &sets->entries.data[at]);
  tn_key_deinit(&k->key);
  return true;
}

void tn_asking_begin(tn_asking *k, tn_question *q) {
  tn_question_init(q, k->sets);
  tn_instance none;
  tn_instance_init(&none, q, TN_COL_SYMBOL, &(tn_domain){.n = 0});
  for (size_t i = 0; i < k->key.assumed.len && !q->is_too_big; ++i) {
    const tn_formula *f = tn_instance_formula(&none, k->key.assumed.data[i], true);
    if (q->culprit == NULL) {
      TN_VEC_PUSH(&q->defs, f);
    }
    q->culprit = NULL;
  }
  tn_instance_deinit(&none);
}

static int64_t *copy_values(tn_asking *k, const tn_question *q, const int64_t *values,
                            tn_sets_entry *e) {
  size_t n_most = k->a->n + (k->b == NULL ? 0 : k->b->n) + q->cols.len;
  int64_t *out = TN_ARENA_ARRAY(&k->sets->arena, int64_t, n_most);
  uint32_t *symbols = TN_ARENA_ARRAY(&k->sets->arena, uint32_t, q->cols.len);
  size_t n = 0;
  const tn_col_kind kinds[] = {TN_COL_A, TN_COL_B, TN_COL_SYMBOL};
  for (int pass = 0; pass < 3; ++pass) {
    for (uint32_t i = 0; i < q->cols.len; ++i) {
      const tn_col *col = &q->cols.data[i];
      uint64_t at = 0;
      if (col->kind != kinds[pass]) {
        continue;
      }
      out[n++] = values[i];
      e->has_a = e->has_a || pass == 0;
      e->has_b = e->has_b || pass == 1;
      if (pass == 2 && tn_map_find(&k->key.symbol_at, col->node->id, &at)) {
        symbols[e->n_symbols++] = (uint32_t)at;
      }
    }
  }
  e->symbols = symbols;
  return out;
}

tn_answer tn_asking_finish(tn_asking *k, tn_verdict verdict, const tn_question *q,
                           const int64_t *values) {
  tn_sets *sets = k->sets;
  tn_sets_entry e = {.hash = k->key.hash, .verdict = verdict};
  if (values != NULL) {
    e.values = copy_values(k, q, values, &e);
  }
  tn_answer answer = answer_of(k, &e);
  if (verdict == TN_NOT_AFFINE) { /* cheap to find again, and the culprit is a node */
    sets->stats.n_not_affine += 1;
    answer.culprit = q->culprit;
  } else {
    tn_map_set(&sets->memo, k->key.hash.lo, sets->entries.len);
    TN_VEC_PUSH(&sets->entries, e);
    sets->stats.n_undecided += verdict == TN_UNDECIDED;
  }
  tn_key_deinit(&k->key);
  return answer;
}

/* A counterexample with a symbol that its type cannot hold is none. Adds the bounds that it breaks;
 * false when it breaks none. */
static bool add_types(tn_question *q, const int64_t *values, tn_formulas *formulas) {
  bool has_added = false;
  for (uint32_t i = 0; i < q->cols.len; ++i) {
    const tn_col *col = &q->cols.data[i];
    if (col->kind != TN_COL_SYMBOL) {
      continue;
    }
    tn_interval type = tn_interval_of_type(col->node->dtype);
    const tn_form *f = tn_form_col(q, i);
    if (type.has_lo && values[i] < type.lo) {
      TN_VEC_PUSH(formulas, tn_formula_atom(q, TN_FM_GE, tn_form_sum(q, f, 1, f, 0, -type.lo)));
      has_added = true;
    }
    if (type.has_hi && values[i] > type.hi) {
      TN_VEC_PUSH(formulas, tn_formula_atom(q, TN_FM_GE, tn_form_sum(q, f, -1, f, 0, type.hi)));
      has_added = true;
    }
  }
  return has_added;
}

static const tn_node *opaque_of(const tn_question *q) {
  for (uint32_t i = 0; i < q->cols.len; ++i) {
    if (q->cols.data[i].kind == TN_COL_OPAQUE) {
      return q->cols.data[i].node;
    }
  }
  return NULL;
}

tn_verdict tn_asking_solve(tn_question *q, tn_formulas *formulas, int64_t **out_values) {
  *out_values = NULL;
  if (tn_question_is_failed(q)) {
    return q->culprit != NULL ? TN_NOT_AFFINE : TN_UNDECIDED;
  }
  int64_t *values = TN_ARENA_ARRAY(&q->arena, int64_t, q->cols.len);
  bool has_values = false;
  tn_verdict verdict = tn_question_solve(q, formulas, values, &has_values);
  while (verdict == TN_REFUTED && has_values && add_types(q, values, formulas)) {
    verdict = tn_question_solve(q, formulas, values, &has_values);
  }
  if (verdict == TN_REFUTED && opaque_of(q) != NULL) {
    q->culprit = opaque_of(q);
    return TN_NOT_AFFINE;
  }
  *out_values = verdict == TN_REFUTED && has_values ? values : NULL;
  return verdict;
}

/* ---- questions about one domain ---- */

static tn_answer no_solution(tn_asking *k, tn_question *q, tn_formulas *formulas) {
  int64_t *values = NULL;
  tn_verdict verdict = tn_asking_solve(q, formulas, &values);
  tn_answer answer = tn_asking_finish(k, verdict, q, values);
  TN_VEC_DEINIT(formulas);
  tn_question_deinit(q);
  return answer;
}

/* No iteration with cond (NULL: true) == truth. */
static tn_answer none_with(tn_sets *sets, const tn_domain *domain, const tn_node *cond,
                           bool truth) {
  tn_asking k;
  tn_answer answer;
  tn_asking_init(&k, sets, truth ? 1 : 2, domain, NULL);
  tn_key_domain(&k.key, domain);
  tn_key_exprs(&k.key, 1, cond == NULL ? NULL : &cond);
  if (tn_asking_recall(&k, &answer)) {
    return answer;
  }
  tn_question q;
  tn_instance inst;
  tn_formulas formulas = {0};
  tn_asking_begin(&k, &q);
  tn_instance_init(&inst, &q, TN_COL_A, domain);
  if (cond != NULL) {
    TN_VEC_PUSH(&formulas, tn_instance_formula(&inst, cond, truth));
  }
  tn_instance_deinit(&inst);
  return no_solution(&k, &q, &formulas);
}

tn_answer tn_sets_is_empty(tn_sets *sets, const tn_domain *domain) {
  return none_with(sets, domain, NULL, true);
}

tn_answer tn_sets_is_true(tn_sets *sets, const tn_domain *domain, const tn_node *cond) {
  return none_with(sets, domain, cond, false);
}

/* ---- questions about two iterations ---- */

static const tn_form **forms_of(tn_instance *inst, uint32_t n, const tn_node *const *exprs) {
  const tn_form **forms = TN_ARENA_ARRAY(&inst->q->arena, const tn_form *, n);
  for (uint32_t i = 0; i < n; ++i) {
    forms[i] = tn_instance_form(inst, exprs[i]);
  }
  return forms;
}

static void add_order(tn_formulas *formulas, tn_instance *a, tn_instance *b,
                      const tn_order *order) {
  const tn_form **fa = forms_of(a, order->n, order->a);
  const tn_form **fb = forms_of(b, order->n, order->b);
  if (!tn_question_is_failed(a->q)) {
    TN_VEC_PUSH(formulas, tn_formula_order(a->q, order->op, order->n, fa, fb));
  }
}

/* Both touch one element. */
static void add_meeting(tn_formulas *formulas, tn_instance *a, tn_instance *b,
                        const tn_access *in_a, const tn_access *in_b) {
  tn_question *q = a->q;
  TN_ASSERT(in_a->n_dims == in_b->n_dims, "elements of different buffers are compared");
  for (uint32_t d = 0; d < in_a->n_dims && !tn_question_is_failed(q); ++d) {
    const tn_form *value = NULL;
    if (in_a->extents == NULL) {
      value = tn_instance_form(a, in_a->mins[d]);
    } else {
      value = tn_form_col(
          q, tn_question_add_col(q, TN_COL_ELEMENT, NULL, (tn_interval){false, false, 0, 0}));
      TN_VEC_PUSH(formulas, tn_instance_within(a, value, in_a->mins[d], in_a->extents[d]));
    }
    TN_VEC_PUSH(formulas, tn_instance_within(b, value, in_b->mins[d],
                                             in_b->extents == NULL ? NULL : in_b->extents[d]));
  }
}

tn_answer tn_sets_is_independent(tn_sets *sets, const tn_footprint *a, const tn_footprint *b,
                                 uint32_t n_orders, const tn_order *orders) {
  tn_asking k;
  tn_answer answer;
  tn_asking_init(&k, sets, 3, &a->domain, &b->domain);
  tn_key_footprint(&k.key, a);
  for (uint32_t i = 0; i < n_orders; ++i) {
    tn_key_number(&k.key, orders[i].op);
    tn_key_exprs(&k.key, orders[i].n, orders[i].a);
  }
  tn_key_footprint(&k.key, b);
  for (uint32_t i = 0; i < n_orders; ++i) {
    tn_key_exprs(&k.key, orders[i].n, orders[i].b);
  }
  if (tn_asking_recall(&k, &answer)) {
    return answer;
  }
  tn_question q;
  tn_instance ia;
  tn_instance ib;
  tn_formulas formulas = {0};
  tn_asking_begin(&k, &q);
  tn_instance_init(&ia, &q, TN_COL_A, &a->domain);
  tn_instance_init(&ib, &q, TN_COL_B, &b->domain);
  add_meeting(&formulas, &ia, &ib, &a->access, &b->access);
  for (uint32_t i = 0; i < n_orders && !tn_question_is_failed(&q); ++i) {
    add_order(&formulas, &ia, &ib, &orders[i]);
  }
  tn_instance_deinit(&ia);
  tn_instance_deinit(&ib);
  return no_solution(&k, &q, &formulas);
}

/* Both iterations are of one domain, so it is enough to look at values that grow. */
tn_answer tn_sets_is_determined(tn_sets *sets, const tn_domain *domain, uint32_t n_keys,
                                const tn_node *const *keys, uint32_t n_values,
                                const tn_node *const *values) {
  tn_footprint f = {*domain, {.n_dims = n_keys, .mins = keys}};
  tn_order order = {TN_OP_LT, n_values, values, values};
  return tn_sets_is_independent(sets, &f, &f, 1, &order);
}

tn_answer tn_sets_is_injective(tn_sets *sets, const tn_domain *domain, uint32_t n_values,
                               const tn_node *const *values) {
  return tn_sets_is_determined(sets, domain, n_values, values, domain->n, domain->vars);
}
