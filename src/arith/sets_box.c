/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The least box around an image. Where an index is linear in variables whose bounds depend on no
 * other variable, each variable is at one of its ends and the sums can be written down. Otherwise
 * isl finds the bounds as piecewise expressions and writes them as its own syntax trees (with min,
 * max and divisions that round down), which are read here. */
#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/space.h>
#include <stdio.h>

#include "arith/arith_priv.h"
#include "arith/sets_priv.h"

enum { MAX_PIECES = 4 };

/* ---- linear indices ---- */

static tn_visit uses_domain(const tn_node *n, void *ctx) {
  const tn_domain *d = ctx;
  for (uint32_t i = 0; i < d->n; ++i) {
    if (n == d->vars[i]) {
      return TN_STOP;
    }
  }
  return TN_DESCEND;
}

static bool is_free_of(const tn_node *n, const tn_domain *domain) {
  tn_domain copy = *domain;
  return tn_walk_distinct(n, uses_domain, &copy);
}

/* No variable's bounds use another: a variable that is in no index may else leave out values of one
 * that is. */
static bool is_rectangular(const tn_domain *d) {
  bool is_ok = d->cond == NULL;
  for (uint32_t i = 0; i < d->n && is_ok; ++i) {
    is_ok = is_free_of(d->extents[i], d) && (d->mins == NULL || is_free_of(d->mins[i], d));
  }
  return is_ok;
}

/* lin += coef * (the end of var that makes coef * var least, or greatest). */
static bool add_end(tn_lin *lin, const tn_domain *d, uint32_t var, int64_t coef, bool is_greatest) {
  const tn_node *min = d->mins == NULL ? NULL : d->mins[var];
  const tn_node *extent = d->extents[var];
  if ((min != NULL && min->dtype != lin->dtype) || extent->dtype != lin->dtype) {
    return false;
  }
  if (min != NULL) {
    tn_lin_collect(lin, min, coef);
  }
  if ((coef > 0) == is_greatest) {
    tn_lin_collect(lin, extent, coef);
    tn_lin_add_const(lin, -coef);
  }
  return true;
}

static bool linear_end(tn_question *q, const tn_domain *d, const tn_form *f, bool is_greatest,
                       tn_lin *lin) {
  tn_lin_add_const(lin, f->base);
  for (uint32_t t = 0; t < f->n; ++t) {
    const tn_col *col = &q->cols.data[f->terms[t].col];
    int64_t coef = f->terms[t].coef;
    uint32_t var = 0;
    while (col->kind == TN_COL_A && d->vars[var] != col->node) {
      var += 1;
    }
    bool is_symbol = col->kind == TN_COL_SYMBOL || col->kind == TN_COL_OPAQUE;
    if (is_symbol && col->node->dtype == lin->dtype) {
      tn_lin_add_atom(lin, col->node, coef);
    } else if (col->kind != TN_COL_A || !add_end(lin, d, var, coef, is_greatest)) {
      return false;
    }
  }
  return !lin->is_failed;
}

static bool linear_box(tn_image *im, tn_ir *ir, const tn_footprint *fp, const tn_node **mins,
                       const tn_node **extents) {
  tn_question *q = &im->q;
  const tn_access *access = &fp->access;
  bool is_ok = is_rectangular(&fp->domain);
  for (uint32_t d = 0; d < access->n_dims && is_ok; ++d) {
    const tn_form *f = tn_instance_form(&im->inst, access->mins[d]);
    const tn_node *extent = access->extents == NULL ? NULL : access->extents[d];
    tn_lin lo;
    tn_lin hi;
    tn_lin_init(&lo, access->mins[d]->dtype);
    tn_lin_init(&hi, access->mins[d]->dtype);
    is_ok = f != NULL && linear_end(q, &fp->domain, f, false, &lo) &&
            linear_end(q, &fp->domain, f, true, &hi) &&
            (extent == NULL || (extent->dtype == lo.dtype && is_free_of(extent, &fp->domain)));
    if (is_ok && extent != NULL) {
      tn_lin_collect(&hi, extent, 1);
    } else {
      tn_lin_add_const(&hi, 1);
    }
    tn_lin_add_lin(&hi, &lo, -1);
    is_ok = is_ok && !hi.is_failed;
    if (is_ok) {
      mins[d] = tn_lin_emit(ir, &lo);
      extents[d] = tn_lin_emit(ir, &hi);
    }
  }
  return is_ok;
}

/* ---- isl's trees ---- */

typedef struct reading {
  tn_ir *ir;
  tn_dtype dtype;
  bool is_failed;
} reading;

static const tn_node *fail(reading *r) {
  r->is_failed = true;
  return tn_int(r->ir, r->dtype, 0);
}

static const tn_node *read_expr(reading *r, isl_ast_expr *e, int depth);

static const tn_node *read_arg(reading *r, isl_ast_expr *e, int i, int depth) {
  isl_ast_expr *arg = isl_ast_expr_op_get_arg(e, i);
  const tn_node *n = read_expr(r, arg, depth + 1);
  isl_ast_expr_free(arg);
  return n;
}

static const struct {
  enum isl_ast_expr_op_type type;
  tn_op op;
  bool is_bool; /* takes bools */
} tree_ops[] = {
    {isl_ast_expr_op_and, TN_OP_AND, true},
    {isl_ast_expr_op_and_then, TN_OP_AND, true},
    {isl_ast_expr_op_or, TN_OP_OR, true},
    {isl_ast_expr_op_or_else, TN_OP_OR, true},
    {isl_ast_expr_op_max, TN_OP_MAX, false},
    {isl_ast_expr_op_min, TN_OP_MIN, false},
    {isl_ast_expr_op_add, TN_OP_ADD, false},
    {isl_ast_expr_op_sub, TN_OP_SUB, false},
    {isl_ast_expr_op_mul, TN_OP_MUL, false},
    {isl_ast_expr_op_div, TN_OP_FLOORDIV, false},
    {isl_ast_expr_op_fdiv_q, TN_OP_FLOORDIV, false},
    {isl_ast_expr_op_pdiv_q, TN_OP_FLOORDIV, false},
    {isl_ast_expr_op_pdiv_r, TN_OP_FLOORMOD, false},
    {isl_ast_expr_op_zdiv_r, TN_OP_FLOORMOD, false},
    {isl_ast_expr_op_eq, TN_OP_EQ, false},
    {isl_ast_expr_op_le, TN_OP_LE, false},
    {isl_ast_expr_op_lt, TN_OP_LT, false},
    {isl_ast_expr_op_ge, TN_OP_GE, false},
    {isl_ast_expr_op_gt, TN_OP_GT, false},
};

static const tn_node *read_op(reading *r, isl_ast_expr *e, int depth) {
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(e);
  int n_args = isl_ast_expr_op_get_n_arg(e);
  if (type == isl_ast_expr_op_minus) {
    return tn_binary(r->ir, TN_OP_SUB, tn_int(r->ir, r->dtype, 0), read_arg(r, e, 0, depth));
  }
  if (type == isl_ast_expr_op_select || type == isl_ast_expr_op_cond) {
    const tn_node *in[] = {read_arg(r, e, 0, depth), read_arg(r, e, 1, depth),
                           read_arg(r, e, 2, depth)};
    return r->is_failed ? in[1]
                        : tn_node_new(r->ir, TN_OP_SELECT, r->dtype, (tn_attr){.i64 = 0}, 3, in);
  }
  for (size_t i = 0; i < sizeof tree_ops / sizeof *tree_ops; ++i) {
    if (tree_ops[i].type != type) {
      continue;
    }
    const tn_node *n = read_arg(r, e, 0, depth);
    for (int k = 1; k < n_args && !r->is_failed; ++k) {
      const tn_node *b = read_arg(r, e, k, depth);
      n = r->is_failed ? n : tn_binary(r->ir, tree_ops[i].op, n, b);
    }
    return n;
  }
  return fail(r);
}

static const tn_node *read_id(reading *r, isl_ast_expr *e) {
  isl_id *id = isl_ast_expr_id_get_id(e);
  const tn_node *n = isl_id_get_user(id);
  isl_id_free(id);
  if (n == NULL) {
    return fail(r);
  }
  bool is_wider = tn_dtype_is_int(n->dtype) && tn_dtype_bits(n->dtype) <= tn_dtype_bits(r->dtype);
  if (n->dtype != r->dtype && !is_wider) {
    return fail(r);
  }
  return n->dtype == r->dtype
             ? n
             : tn_node_new(r->ir, TN_OP_CAST, r->dtype, (tn_attr){.i64 = 0}, 1, &n);
}

static const tn_node *read_expr(reading *r, isl_ast_expr *e, int depth) {
  if (e == NULL || depth > 100) {
    return fail(r);
  }
  switch (isl_ast_expr_get_type(e)) {
    case isl_ast_expr_op:
      return read_op(r, e, depth);
    case isl_ast_expr_id:
      return read_id(r, e);
    case isl_ast_expr_int: {
      isl_val *v = isl_ast_expr_int_get_val(e);
      int64_t value = 0;
      tn_interval type = tn_interval_of_type(r->dtype);
      bool fits = tn_sets_to_int(v, &value) && value >= type.lo && value <= type.hi;
      isl_val_free(v);
      return fits ? tn_int(r->ir, r->dtype, value) : fail(r);
    }
    case isl_ast_expr_error:
      break;
  }
  return fail(r);
}

/* ---- bounds of a set ---- */

/* NULL: not found, or too long. */
static const tn_node *bound_to_node(reading *r, isl_pw_aff *bound) {
  isl_ast_expr *e = NULL;
  const tn_node *n = NULL;
  if (bound != NULL && isl_pw_aff_n_piece(bound) <= MAX_PIECES) {
    isl_space *params = isl_space_params(isl_pw_aff_get_domain_space(bound));
    isl_ast_build *build = isl_ast_build_from_context(isl_set_universe(params));
    e = isl_ast_build_expr_from_pw_aff(build, isl_pw_aff_copy(bound));
    isl_ast_build_free(build);
    n = read_expr(r, e, 0);
  }
  isl_ast_expr_free(e);
  return r->is_failed ? NULL : n;
}

static bool dim_bounds(reading *r, isl_set *set, isl_set *context, uint32_t d,
                       const tn_node **out_min, const tn_node **out_extent) {
  isl_pw_aff *lo = isl_set_dim_min(isl_set_copy(set), (int)d);
  isl_pw_aff *hi = isl_set_dim_max(isl_set_copy(set), (int)d);
  isl_pw_aff *extent = isl_pw_aff_sub(hi, isl_pw_aff_copy(lo));
  extent = isl_pw_aff_add_constant_val(extent, isl_val_one(isl_set_get_ctx(set)));
  lo = isl_pw_aff_coalesce(isl_pw_aff_gist(lo, isl_set_copy(context)));
  extent = isl_pw_aff_coalesce(isl_pw_aff_gist(extent, isl_set_copy(context)));
  *out_min = bound_to_node(r, lo);
  *out_extent = *out_min == NULL ? NULL : bound_to_node(r, extent);
  isl_pw_aff_free(lo);
  isl_pw_aff_free(extent);
  return *out_extent != NULL;
}

static bool exact_box(tn_image *im, tn_ir *ir, const tn_footprint *fp, const tn_node **mins,
                      const tn_node **extents) {
  tn_question *q = &im->q;
  uint32_t *params = TN_ARENA_ARRAY(&q->arena, uint32_t, q->cols.len);
  uint32_t n_params = 0;
  for (uint32_t i = 0; i < q->cols.len; ++i) {
    if (q->cols.data[i].kind == TN_COL_SYMBOL || q->cols.data[i].kind == TN_COL_OPAQUE) {
      params[n_params++] = i;
    }
  }
  isl_set *set = tn_question_project(q, &im->formulas, im->n_dims, im->elements, n_params, params);
  for (uint32_t i = 0; i < n_params && set != NULL; ++i) {
    char name[16];
    (void)snprintf(name, sizeof name, "p%u", i);
    isl_id *id = isl_id_alloc(q->sets->ctx, name, (void *)(uintptr_t)q->cols.data[params[i]].node);
    set = isl_set_set_dim_id(set, isl_dim_param, i, id);
  }
  set = isl_set_coalesce(set);
  isl_set *context = set == NULL ? NULL : isl_set_params(isl_set_copy(set));
  bool is_ok = set != NULL && isl_set_is_empty(set) == isl_bool_false;
  for (uint32_t d = 0; d < im->n_dims && is_ok; ++d) {
    reading r = {.ir = ir, .dtype = fp->access.mins[d]->dtype};
    is_ok = dim_bounds(&r, set, context, d, &mins[d], &extents[d]);
  }
  isl_set_free(context);
  isl_set_free(set);
  return is_ok;
}

tn_answer tn_sets_box(tn_sets *sets, tn_ir *ir, const tn_footprint *footprint,
                      const tn_node **out_mins, const tn_node **out_extents) {
  tn_asking k;
  uint32_t n = footprint->access.n_dims;
  tn_asking_init(&k, sets, 7, &footprint->domain, NULL);
  tn_key_footprint(&k.key, footprint);
  tn_key_finish(&k.key); /* for the assumptions */
  tn_sets_begin(sets);
  tn_image im;
  tn_image_init(&im, &k, TN_COL_A, footprint);
  tn_question *q = &im.q;
  const tn_node **mins = TN_ARENA_ARRAY(&q->arena, const tn_node *, n);
  const tn_node **extents = TN_ARENA_ARRAY(&q->arena, const tn_node *, n);
  bool is_ok = !tn_question_is_failed(q);
  if (is_ok) {
    bool is_linear = linear_box(&im, ir, footprint, mins, extents);
    sets->stats.n_quick += is_linear;
    sets->stats.n_exact += !is_linear;
    is_ok = is_linear ||
            (q->divisions.len <= TN_SETS_MAX_BOXED && exact_box(&im, ir, footprint, mins, extents));
  }
  tn_answer answer = {.verdict = is_ok                ? TN_PROVED
                                 : q->culprit != NULL ? TN_NOT_AFFINE
                                                      : TN_UNDECIDED,
                      .culprit = q->culprit};
  sets->stats.n_undecided += answer.verdict == TN_UNDECIDED;
  sets->stats.n_not_affine += answer.verdict == TN_NOT_AFFINE;
  for (uint32_t d = 0; d < n && is_ok; ++d) {
    out_mins[d] = mins[d];
    out_extents[d] = extents[d];
  }
  tn_set_image_deinit(&im);
  tn_key_deinit(&k.key);
  return answer;
}
