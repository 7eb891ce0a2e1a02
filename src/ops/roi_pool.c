/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* vision.roi_pool: the largest elements of the parts of regions of pictures [N, C, H, W]. A region is
 * a row (batch, x1, y1, x2, y2); its corners are rounded to whole elements (halves away from 0) and
 * belong to it. Parts overlap where they do not divide it; one without elements gives 0. */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/roi.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { POOLED, SCALE };

tn_status tn_op_infer_roi_pool(const tn_infer_ctx *ctx, const tn_node *call,
                               const tn_node **out_type) {
  int64_t size[2];
  TN_TRY(tn_window_ints(call, POOLED, 2, 1, 1, size));
  return tn_roi_type(ctx, call, size, false, out_type);
}

/* ---- reference ---- */

static double away(double x) { return x < 0 ? ceil(x - 0.5) : floor(x + 0.5); }

/* Elements [out[0], out[1]) of the extent that a part has. */
static void range_of(double low, double high, double scale, int64_t part, int64_t n_parts,
                     int64_t extent, int64_t *out) {
  double start = away(low * scale);
  double length = away(high * scale) - start + 1;
  length = length > 1 ? length : 1;
  double bin = length / (double)n_parts;
  double first = floor((double)part * bin) + start;
  double end = ceil((double)(part + 1) * bin) + start;
  out[0] = (int64_t)fmin(fmax(first, 0), (double)extent);
  out[1] = (int64_t)fmin(fmax(end, 0), (double)extent);
}

tn_status tn_op_eval_roi_pool(const tn_node *call, const tn_array *const *args, int32_t n_args,
                              tn_array *out) {
  int64_t size[2];
  int64_t at[4];
  TN_TRY(tn_window_ints(call, POOLED, 2, 1, 1, size));
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim != 4 ||
      args[1]->ndim != 2 || args[1]->shape[1] != 5 || args[0]->shape[0] < 1) {
    return TN_ERR(TN_INVALID, "expected data [N, C, H, W] and regions [R, 5]");
  }
  const tn_array *x = args[0];
  int64_t shape[4] = {args[1]->shape[0], x->shape[1], size[0], size[1]};
  TN_TRY(tn_array_init(out, x->dtype, 4, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    double row[5];
    int64_t v[2];
    int64_t u[2];
    double best = -INFINITY;
    tn_unravel(out, i, at);
    for (int c = 0; c < 5; ++c) {
      row[c] = tn_array_get_f64(args[1], at[0] * 5 + c);
    }
    int64_t batch = row[0] > 0 ? (int64_t)fmin(row[0], (double)x->shape[0] - 1) : 0;
    range_of(row[2], row[4], tn_op_float(call, SCALE), at[2], size[0], x->shape[2], v);
    range_of(row[1], row[3], tn_op_float(call, SCALE), at[3], size[1], x->shape[3], u);
    for (int64_t h = v[0]; h < v[1]; ++h) {
      for (int64_t w = u[0]; w < u[1]; ++w) {
        double value = tn_array_get_f64(x, tn_ravel(x, (const int64_t[]){batch, at[1], h, w}));
        best = tn_op_maximum(value, best);
      }
    }
    tn_array_set_f64(out, i, v[0] < v[1] && u[0] < u[1] ? best : 0);
  }
  return NULL;
}

/* ---- loop form: loops whose ends the data tells ---- */

typedef struct roi_build {
  tn_kernel *k;
  tn_dtype work;
  const tn_node *rois;
  double scale;
} roi_build;

static const tn_node *num(const roi_build *g, double value) {
  return tn_te_number(g->k->te, g->work, value);
}

static const tn_node *row_te(const roi_build *g, const tn_node *region, int64_t column) {
  const tn_node *at = tn_int(g->k->ir, TN_DT_I64, column);
  return tn_te_cast(g->k->te, g->work, tn_te_read(g->k->te, g->rois, TN_TE_LIST(region, at)));
}

static const tn_node *away_te(const roi_build *g, const tn_node *x) {
  tn_te *te = g->k->te;
  const tn_node *half = num(g, 0.5);
  const tn_node *up = tn_te_intrin(te, TN_INTRIN_FLOOR, TN_TE_LIST(tn_te_add(te, x, half)));
  const tn_node *down = tn_te_intrin(te, TN_INTRIN_CEIL, TN_TE_LIST(tn_te_sub(te, x, half)));
  return tn_te_if_then_else(te, tn_te_lt(te, x, num(g, 0)), down, up);
}

/* d: 0 along H, 1 along W. Gives the first element and how many there are. */
static void range_te(const roi_build *g, const tn_node *region, const tn_node *part, int d,
                     int64_t n_parts, const tn_node *extent, const tn_node **out_first,
                     const tn_node **out_n) {
  tn_te *te = g->k->te;
  const tn_node *scale = num(g, g->scale);
  const tn_node *all = tn_te_cast(te, g->work, extent);
  const tn_node *start = away_te(g, tn_te_mul(te, row_te(g, region, 2 - d), scale));
  const tn_node *length = away_te(g, tn_te_mul(te, row_te(g, region, 4 - d), scale));
  length = tn_te_max(te, tn_te_add(te, tn_te_sub(te, length, start), num(g, 1)), num(g, 1));
  const tn_node *bin = tn_te_div(te, length, num(g, (double)n_parts));
  const tn_node *edge[2];
  for (int i = 0; i < 2; ++i) {
    const tn_node *at = tn_te_add(te, part, tn_int(g->k->ir, TN_DT_I64, i));
    at = tn_te_mul(te, tn_te_cast(te, g->work, at), bin);
    at = tn_te_intrin(te, i == 0 ? TN_INTRIN_FLOOR : TN_INTRIN_CEIL, TN_TE_LIST(at));
    at = tn_te_min(te, tn_te_max(te, tn_te_add(te, at, start), num(g, 0)), all);
    edge[i] = tn_te_cast(te, TN_DT_I64, at);
  }
  *out_first = edge[0];
  *out_n = tn_te_max(te, tn_te_sub(te, edge[1], edge[0]), tn_int(g->k->ir, TN_DT_I64, 0));
}

static tn_status build_roi_pool(tn_kernel *k, const tn_node *type) {
  static const char *const names[] = {"r", "c", "h", "w"};
  roi_build g = {.k = k, .rois = k->buffers.data[1], .scale = tn_op_float(k->call, SCALE)};
  const tn_node *x = k->buffers.data[0];
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  const tn_node *zero = tn_int(k->ir, TN_DT_I64, 0);
  const tn_node *one = tn_int(k->ir, TN_DT_I64, 1);
  const tn_node *out = NULL;
  const tn_node *first[2];
  const tn_node *n[2];
  const tn_node *at[4];
  const tn_node *parts[3];
  int64_t size[2];
  tn_te *te = k->te;
  TN_TRY(tn_window_ints(k->call, POOLED, 2, 1, 1, size));
  TN_TRY(tn_kernel_result(k, type, &out));
  g.work = x->dtype == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32;
  for (int d = 0; d < 4; ++d) {
    at[d] = tn_var_new(k->ir, names[d], TN_DT_I64);
  }
  for (int d = 0; d < 2; ++d) {
    range_te(&g, at[0], at[2 + d], d, size[d], shape->in[2 + d], &first[d], &n[d]);
  }
  const tn_node *best = tn_te_declare(te, "roi_max", x->dtype, 1, &one);
  const tn_node *i = tn_var_new(k->ir, "i", TN_DT_I64);
  const tn_node *j = tn_var_new(k->ir, "j", TN_DT_I64);
  const tn_node *last = tn_te_sub(te, shape->in[0], one);
  const tn_node *batch = tn_te_cast(te, TN_DT_I64, row_te(&g, at[0], 0));
  batch = tn_te_max(te, tn_te_min(te, batch, last), zero);
  const tn_node *old = tn_te_read(te, best, TN_TE_LIST(zero));
  const tn_node *value = tn_te_read(
      te, x, TN_TE_LIST(batch, at[1], tn_te_add(te, first[0], i), tn_te_add(te, first[1], j)));
  parts[0] = tn_kernel_store(k, best, tn_te_least(te, x->dtype), TN_TE_LIST(zero));
  parts[1] = tn_kernel_store(k, best, tn_te_maximum(te, value, old), TN_TE_LIST(zero));
  parts[1] = tn_kernel_loop(k, i, n[0], tn_kernel_loop(k, j, n[1], parts[1]));
  const tn_node *is_there = tn_te_gt(te, tn_te_mul(te, n[0], n[1]), zero);
  value = tn_te_if_then_else(te, is_there, old, tn_te_number(te, x->dtype, 0));
  parts[2] = tn_kernel_store(k, out, value, 4, at);
  const tn_node *body = tn_seq(k->ir, 3, parts);
  for (int d = 4; d-- > 0;) {
    body = tn_kernel_loop(k, at[d], out->in[TN_BUFFER_SHAPE]->in[d], body);
  }
  tn_te_extern(te, "roi_part", body);
  return NULL;
}

tn_status tn_op_lower_roi_pool(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "roi_pool", build_roi_pool, out_func);
}
