/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* linalg.det: determinants of matrices [..., n, n], by elimination with the largest pivot of each
 * column. float16 and bfloat16 compute in float32. */
#include <inttypes.h>
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/window.h"

tn_status tn_op_infer_det(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *type = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(tn_op_want_float(type));
  int64_t ndim = type->attr.i64;
  const tn_node *shape = tn_op_shape(type);
  if (ndim >= 0 && ndim < 2) {
    return TN_ERR(TN_INVALID, "the data has %" PRId64 " dimensions, expected 2 or more", ndim);
  }
  if (shape == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, type->dtype, ndim < 0 ? -1 : ndim - 2, NULL);
    return NULL;
  }
  TN_TRY(tn_op_same_extent(ctx->ir, shape->in[ndim - 2], "the rows'", shape->in[ndim - 1],
                           "the columns'"));
  *out_type =
      tn_ty_tensor(ctx->ir, type->dtype, ndim - 2, tn_list(ctx->ir, shape->n_in - 2, shape->in));
  return NULL;
}

/* ---- reference ---- */

static double determinant(double *m, int64_t n) {
  double det = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t p = k;
    for (int64_t i = k; i < n; ++i) {
      p = fabs(m[i * n + k]) > fabs(m[p * n + k]) ? i : p;
    }
    for (int64_t j = 0; j < n && p != k; ++j) {
      double t = m[k * n + j];
      m[k * n + j] = m[p * n + j];
      m[p * n + j] = t;
    }
    det = p != k ? -det : det;
    det *= m[k * n + k];
    for (int64_t i = k + 1; i < n && m[k * n + k] != 0; ++i) {
      double f = m[i * n + k] / m[k * n + k];
      for (int64_t j = k; j < n; ++j) {
        m[i * n + j] -= f * m[k * n + j];
      }
    }
  }
  return det;
}

tn_status tn_op_eval_det(const tn_node *call, const tn_array *const *args, int32_t n_args,
                         tn_array *out) {
  (void)call;
  if (n_args != 1 || args[0] == NULL || args[0]->ndim < 2 ||
      args[0]->shape[args[0]->ndim - 1] != args[0]->shape[args[0]->ndim - 2]) {
    return TN_ERR(TN_INVALID, "expected square matrices");
  }
  const tn_array *x = args[0];
  int64_t n = x->shape[x->ndim - 1];
  TN_TRY(tn_array_init(out, x->dtype, x->ndim - 2, x->shape));
  double *m = calloc((size_t)(n * n) + 1, sizeof *m);
  TN_CHECK(m != NULL, "no memory for a matrix");
  int64_t n_matrices = tn_array_n_elems(out);
  for (int64_t b = 0; b < n_matrices; ++b) {
    for (int64_t i = 0; i < n * n; ++i) {
      m[i] = tn_array_get_f64(x, b * n * n + i);
    }
    tn_array_set_f64(out, b, determinant(m, n));
  }
  free(m);
  return NULL;
}

/* ---- loop form ---- */

typedef struct det_build {
  tn_kernel *k;
  const tn_node *n;
  const tn_node *m;     /* [n, n]: the matrix while it is worked on */
  const tn_node *pivot; /* [1]: the row with the largest element */
  const tn_node *det;   /* [1] */
  const tn_node *zero;
  const tn_node *step; /* the column that is cleared */
} det_build;

static const tn_node *var(const det_build *g, const char *name) {
  return tn_var_new(g->k->ir, name, TN_DT_I64);
}

static const tn_node *at(const det_build *g, const tn_node *i, const tn_node *j) {
  return tn_te_read(g->k->te, g->m, TN_TE_LIST(i, j));
}

static const tn_node *pivot_of(const det_build *g) {
  return tn_te_read(g->k->te, g->pivot, TN_TE_LIST(g->zero));
}

/* pivot[0] = the row from `step` on with the largest |m[i, step]| */
static const tn_node *find_pivot(const det_build *g) {
  tn_te *te = g->k->te;
  const tn_node *parts[2];
  const tn_node *i = var(g, "i");
  const tn_node *here = tn_te_intrin(te, TN_INTRIN_FABS, TN_TE_LIST(at(g, i, g->step)));
  const tn_node *best = tn_te_intrin(te, TN_INTRIN_FABS, TN_TE_LIST(at(g, pivot_of(g), g->step)));
  const tn_node *is_better = tn_te_and(te, tn_te_gt(te, i, g->step), tn_te_gt(te, here, best));
  parts[0] = tn_kernel_store(g->k, g->pivot, g->step, TN_TE_LIST(g->zero));
  parts[1] = tn_kernel_loop(
      g->k, i, g->n,
      tn_kernel_when(g->k, is_better, tn_kernel_store(g->k, g->pivot, i, TN_TE_LIST(g->zero))));
  return tn_seq(g->k->ir, 2, parts);
}

/* Exchanges rows `step` and `pivot`. */
static const tn_node *exchange(const det_build *g, const tn_node *spare) {
  tn_te *te = g->k->te;
  const tn_node *parts[4];
  const tn_node *j = var(g, "j");
  const tn_node *old = tn_te_read(te, spare, TN_TE_LIST(g->zero));
  const tn_node *row = pivot_of(g);
  const tn_node *det = tn_te_read(te, g->det, TN_TE_LIST(g->zero));
  parts[0] = tn_kernel_store(g->k, spare, at(g, g->step, j), TN_TE_LIST(g->zero));
  parts[1] = tn_kernel_store(g->k, g->m, at(g, row, j), TN_TE_LIST(g->step, j));
  parts[2] = tn_kernel_store(g->k, g->m, old, TN_TE_LIST(row, j));
  parts[0] = tn_kernel_loop(g->k, j, g->n, tn_seq(g->k->ir, 3, parts));
  parts[1] = tn_kernel_store(g->k, g->det, tn_te_neg(te, det), TN_TE_LIST(g->zero));
  return tn_kernel_when(g->k, tn_te_ne(te, row, g->step), tn_seq(g->k->ir, 2, parts));
}

/* Takes multiples of row `step` from the rows below. */
static const tn_node *clear_column(const det_build *g, const tn_node *spare) {
  tn_te *te = g->k->te;
  const tn_node *parts[2];
  const tn_node *i = var(g, "i");
  const tn_node *j = var(g, "j");
  const tn_node *head = at(g, g->step, g->step);
  const tn_node *factor = tn_te_read(te, spare, TN_TE_LIST(g->zero));
  const tn_node *value = tn_te_sub(te, at(g, i, j), tn_te_mul(te, factor, at(g, g->step, j)));
  const tn_node *inner = tn_kernel_when(g->k, tn_te_ge(te, j, g->step),
                                        tn_kernel_store(g->k, g->m, value, TN_TE_LIST(i, j)));
  parts[0] =
      tn_kernel_store(g->k, spare, tn_te_div(te, at(g, i, g->step), head), TN_TE_LIST(g->zero));
  parts[1] = tn_kernel_loop(g->k, j, g->n, inner);
  const tn_node *row = tn_kernel_when(g->k, tn_te_gt(te, i, g->step), tn_seq(g->k->ir, 2, parts));
  const tn_node *is_there = tn_te_ne(te, head, tn_te_number(te, head->dtype, 0));
  return tn_kernel_when(g->k, is_there, tn_kernel_loop(g->k, i, g->n, row));
}

static const tn_node *one_step(const det_build *g, const tn_node *spare) {
  tn_te *te = g->k->te;
  const tn_node *parts[4];
  parts[0] = find_pivot(g);
  parts[1] = exchange(g, spare);
  const tn_node *det = tn_te_read(te, g->det, TN_TE_LIST(g->zero));
  parts[2] = tn_kernel_store(g->k, g->det, tn_te_mul(te, det, at(g, g->step, g->step)),
                             TN_TE_LIST(g->zero));
  parts[3] = clear_column(g, spare);
  return tn_seq(g->k->ir, 4, parts);
}

/* The body for one matrix, at the indices `batch`. */
static const tn_node *one_matrix(const det_build *g, const tn_node *x, const tn_node *out,
                                 const tn_node *const *batch, const tn_node *spare) {
  tn_te *te = g->k->te;
  const tn_node *parts[4];
  const tn_node *from[TN_MAX_NDIM];
  uint32_t n_batch = tn_buffer_ndim(out);
  const tn_node *i = var(g, "i");
  const tn_node *j = var(g, "j");
  for (uint32_t d = 0; d < n_batch; ++d) {
    from[d] = batch[d];
  }
  from[n_batch] = i;
  from[n_batch + 1] = j;
  const tn_node *copy = tn_kernel_store(
      g->k, g->m, tn_te_cast(te, g->m->dtype, tn_te_load(te, x, from)), TN_TE_LIST(i, j));
  parts[0] = tn_kernel_loop(g->k, i, g->n, tn_kernel_loop(g->k, j, g->n, copy));
  parts[1] = tn_kernel_store(g->k, g->det, tn_te_number(te, g->det->dtype, 1), TN_TE_LIST(g->zero));
  parts[2] = tn_kernel_loop(g->k, g->step, g->n, one_step(g, spare));
  parts[3] =
      tn_kernel_store(g->k, out, tn_te_read(te, g->det, TN_TE_LIST(g->zero)), n_batch, batch);
  return tn_seq(g->k->ir, 4, parts);
}

static tn_status build_det(tn_kernel *k, const tn_node *type) {
  det_build g = {.k = k};
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  const tn_node *batch[TN_MAX_NDIM];
  const tn_node *one = tn_int(k->ir, TN_DT_I64, 1);
  tn_dtype work = tn_dtype_bits(x->dtype) < 32 ? TN_DT_F32 : x->dtype;
  TN_TRY(tn_kernel_result(k, type, &out));
  uint32_t n_batch = tn_buffer_ndim(out);
  g.n = x->in[TN_BUFFER_SHAPE]->in[n_batch];
  const tn_node *square[] = {g.n, g.n};
  g.m = tn_te_declare(k->te, "T_work", work, 2, square);
  g.pivot = tn_te_declare(k->te, "T_pivot", TN_DT_I64, 1, &one);
  g.det = tn_te_declare(k->te, "T_det", work, 1, &one);
  const tn_node *spare = tn_te_declare(k->te, "T_spare", work, 1, &one);
  g.zero = tn_int(k->ir, TN_DT_I64, 0);
  g.step = var(&g, "step");
  for (uint32_t d = 0; d < n_batch; ++d) {
    batch[d] = var(&g, "b");
  }
  const tn_node *body = one_matrix(&g, x, out, batch, spare);
  for (uint32_t d = n_batch; d-- > 0;) {
    body = tn_kernel_loop(k, batch[d], out->in[TN_BUFFER_SHAPE]->in[d], body);
  }
  tn_te_extern(k->te, "T_eliminate", body);
  return NULL;
}

tn_status tn_op_lower_det(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "det", build_det, out_func);
}
