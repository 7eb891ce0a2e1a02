/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* vision.roi_align: regions of pictures [N, C, H, W] in a common size. A region is a row (batch, x1,
 * y1, x2, y2); each part of it gives the mean, or the largest, of samples between the elements, as
 * many along each side as sample_ratio says, or as the part has elements (at most 1024).
 * Samples further than 1 outside of the picture are 0. As in ONNX Runtime, the largest is one of the
 * elements around the samples times its weight, not one of the samples. */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/roi.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { POOLED, SCALE, RATIO, ALIGNED, LAYOUT, MODE };
enum { MAX_SAMPLES = 1024 };

typedef struct roi {
  int64_t size[2];
  double scale;
  int64_t ratio; /* below 1: by the size of the region */
  bool is_aligned;
  bool is_max;
} roi;

static tn_status read_roi(const tn_node *call, roi *out) {
  const char *mode = tn_op_text(call, MODE);
  const char *layout = tn_op_text(call, LAYOUT);
  roi r = {.scale = tn_op_float(call, SCALE),
           .ratio = tn_op_int(call, RATIO),
           .is_aligned = tn_op_int(call, ALIGNED) != 0,
           .is_max = strcmp(mode, "max") == 0};
  TN_TRY(tn_window_ints(call, POOLED, 2, 1, 1, r.size));
  if ((!r.is_max && *mode != '\0' && strcmp(mode, "avg") != 0) ||
      (*layout != '\0' && strcmp(layout, "NCHW") != 0)) {
    return TN_ERR(TN_UNSUPPORTED, "mode '%s' of layout '%s', expected avg or max of NCHW", mode,
                  layout);
  }
  if (r.ratio > MAX_SAMPLES) {
    return TN_ERR(TN_INVALID, "sample_ratio %" PRId64 ", expected %d at most", r.ratio,
                  (int)MAX_SAMPLES);
  }
  *out = r;
  return NULL;
}

tn_status tn_roi_type(const tn_infer_ctx *ctx, const tn_node *call, const int64_t size[2],
                      bool needs_elements, const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *rois = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &rois));
  TN_TRY(tn_op_want_float(x));
  TN_TRY(tn_op_want_float(rois));
  TN_TRY(tn_op_rank(x, 4, "the data"));
  TN_TRY(tn_op_rank(rois, 2, "the tensor of regions"));
  const tn_node *in = tn_op_shape(x);
  const tn_node *rows = tn_op_shape(rois);
  if (in == NULL || rows == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, x->dtype, 4, NULL);
    return NULL;
  }
  TN_TRY(tn_op_same_extent(ctx->ir, rows->in[1], "the regions' last dimension",
                           tn_int(ctx->ir, TN_DT_I64, 5), "a region"));
  bool is_flat = tn_is_int(in->in[2], 0) || tn_is_int(in->in[3], 0);
  if (tn_is_int(in->in[0], 0) || (needs_elements && is_flat)) {
    return TN_ERR(TN_INVALID, "the data has no elements to take values from");
  }
  const tn_node *dims[4] = {rows->in[0], in->in[1], tn_int(ctx->ir, TN_DT_I64, size[0]),
                            tn_int(ctx->ir, TN_DT_I64, size[1])};
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, 4, tn_list(ctx->ir, 4, dims));
  return NULL;
}

tn_status tn_op_infer_roi_align(const tn_infer_ctx *ctx, const tn_node *call,
                                const tn_node **out_type) {
  roi r;
  TN_TRY(read_roi(call, &r));
  return tn_roi_type(ctx, call, r.size, true, out_type);
}

/* ---- reference ---- */

/* A part along one side: where it begins, the distance of samples, how many there are. */
typedef struct side {
  double start;
  double step;
  int64_t n;
} side;

static side side_of(const roi *r, double low, double high, int64_t part, int d) {
  double offset = r->is_aligned ? 0.5 : 0;
  double start = low * r->scale - offset;
  double length = high * r->scale - offset - start;
  length = !r->is_aligned && !(length > 1) ? 1 : length;
  double bin = length / (double)r->size[d];
  double n = r->ratio > 0 ? (double)r->ratio : fmin(fmax(ceil(bin), 0), MAX_SAMPLES);
  return (side){start + (double)part * bin, n > 0 ? bin / n : 0, (int64_t)n};
}

/* The two elements around a sample along one side, and the second one's weight. */
static bool around(double at, int64_t extent, int64_t *out, double *out_weight) {
  double last = (double)extent - 1;
  if (!(at >= -1 && at <= (double)extent)) {
    return false;
  }
  at = fmin(fmax(at, 0), last);
  out[0] = (int64_t)at;
  out[1] = out[0] + 1 < extent ? out[0] + 1 : out[0];
  *out_weight = at - (double)out[0];
  return true;
}

/* A sample's four elements, times their weights, as a sum or the largest. */
static double sample_of(const roi *r, const tn_array *x, int64_t plane, double y_at, double x_at) {
  int64_t h[2];
  int64_t w[2];
  double wy = 0;
  double wx = 0;
  double sum = 0;
  if (!around(y_at, x->shape[2], h, &wy) || !around(x_at, x->shape[3], w, &wx)) {
    return 0;
  }
  for (int i = 0; i < 4; ++i) {
    double weight = (i / 2 == 0 ? 1 - wy : wy) * (i % 2 == 0 ? 1 - wx : wx);
    int64_t place = (plane * x->shape[2] + h[i / 2]) * x->shape[3] + w[i % 2];
    double value = weight * tn_array_get_f64(x, place);
    sum = i == 0 ? value : r->is_max ? tn_op_maximum(sum, value) : sum + value;
  }
  return sum;
}

static double part_of(const roi *r, const tn_array *x, const tn_array *rois, const int64_t *at) {
  double row[5];
  for (int i = 0; i < 5; ++i) {
    row[i] = tn_array_get_f64(rois, at[0] * 5 + i);
  }
  int64_t batch = row[0] > 0 ? (int64_t)fmin(row[0], (double)x->shape[0] - 1) : 0;
  side v = side_of(r, row[2], row[4], at[2], 0);
  side u = side_of(r, row[1], row[3], at[3], 1);
  double sum = r->is_max ? -INFINITY : 0;
  for (int64_t i = 0; i < v.n; ++i) {
    for (int64_t j = 0; j < u.n; ++j) {
      double sample =
          sample_of(r, x, batch * x->shape[1] + at[1], v.start + ((double)i + 0.5) * v.step,
                    u.start + ((double)j + 0.5) * u.step);
      sum = r->is_max ? tn_op_maximum(sample, sum) : sum + sample;
    }
  }
  bool is_empty = v.n * u.n == 0;
  return is_empty ? 0 : r->is_max ? sum : sum / (double)(v.n * u.n);
}

tn_status tn_op_eval_roi_align(const tn_node *call, const tn_array *const *args, int32_t n_args,
                               tn_array *out) {
  roi r;
  int64_t at[4];
  TN_TRY(read_roi(call, &r));
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim != 4 ||
      args[1]->ndim != 2 || args[1]->shape[1] != 5 || args[0]->shape[0] < 1 ||
      args[0]->shape[2] < 1 || args[0]->shape[3] < 1) {
    return TN_ERR(TN_INVALID, "expected data [N, C, H, W] and regions [R, 5]");
  }
  int64_t shape[4] = {args[1]->shape[0], args[0]->shape[1], r.size[0], r.size[1]};
  TN_TRY(tn_array_init(out, args[0]->dtype, 4, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, at);
    tn_array_set_f64(out, i, part_of(&r, args[0], args[1], at));
  }
  return NULL;
}

/* ---- loop form ---- */

typedef struct roi_build {
  tn_kernel *k;
  roi r;
  tn_dtype work;
  const tn_node *x;
  const tn_node *rois;
} roi_build;

typedef struct side_te {
  const tn_node *start;
  const tn_node *step;
  const tn_node *n; /* int64 */
} side_te;

static const tn_node *num(const roi_build *g, double value) {
  return tn_te_number(g->k->te, g->work, value);
}

static const tn_node *row_te(const roi_build *g, const tn_node *region, int64_t column) {
  const tn_node *at = tn_int(g->k->ir, TN_DT_I64, column);
  return tn_te_cast(g->k->te, g->work, tn_te_read(g->k->te, g->rois, TN_TE_LIST(region, at)));
}

static side_te build_side(const roi_build *g, const tn_node *region, const tn_node *part, int d) {
  tn_te *te = g->k->te;
  const tn_node *offset = num(g, g->r.is_aligned ? 0.5 : 0);
  const tn_node *scale = num(g, g->r.scale);
  const tn_node *low = tn_te_mul(te, row_te(g, region, 2 - d), scale);
  const tn_node *high = tn_te_mul(te, row_te(g, region, 4 - d), scale);
  low = g->r.is_aligned ? tn_te_sub(te, low, offset) : low;
  high = g->r.is_aligned ? tn_te_sub(te, high, offset) : high;
  const tn_node *length = tn_te_sub(te, high, low);
  length = g->r.is_aligned ? length : tn_te_max(te, length, num(g, 1));
  const tn_node *bin = tn_te_div(te, length, num(g, (double)g->r.size[d]));
  side_te s;
  s.n = tn_int(g->k->ir, TN_DT_I64, g->r.ratio);
  if (g->r.ratio < 1) {
    const tn_node *n = tn_te_intrin(te, TN_INTRIN_CEIL, TN_TE_LIST(bin));
    n = tn_te_min(te, tn_te_max(te, n, num(g, 0)), num(g, MAX_SAMPLES));
    s.n = tn_te_cast(te, TN_DT_I64, n);
  }
  s.start = tn_te_add(te, low, tn_te_mul(te, tn_te_cast(te, g->work, part), bin));
  s.step = tn_te_div(te, bin, tn_te_cast(te, g->work, s.n));
  return s;
}

/* Where sample i lies along a side; and the two elements around it and the second one's weight. */
typedef struct neighbours {
  const tn_node *at[2];
  const tn_node *weight[2];
  const tn_node *is_near;
} neighbours;

static neighbours around_te(const roi_build *g, const side_te *s, const tn_node *i,
                            const tn_node *extent) {
  tn_te *te = g->k->te;
  neighbours n;
  const tn_node *middle = tn_te_add(te, tn_te_cast(te, g->work, i), num(g, 0.5));
  const tn_node *at = tn_te_add(te, s->start, tn_te_mul(te, middle, s->step));
  const tn_node *all = tn_te_cast(te, g->work, extent);
  const tn_node *last = tn_te_sub(te, all, num(g, 1));
  const tn_node *one = tn_int(g->k->ir, TN_DT_I64, 1);
  n.is_near = tn_te_and(te, tn_te_ge(te, at, num(g, -1)), tn_te_le(te, at, all));
  at = tn_te_min(te, tn_te_max(te, at, num(g, 0)), last);
  const tn_node *low = tn_te_intrin(te, TN_INTRIN_FLOOR, TN_TE_LIST(at));
  n.weight[1] = tn_te_sub(te, at, low);
  n.weight[0] = tn_te_sub(te, num(g, 1), n.weight[1]);
  const tn_node *end = tn_te_sub(te, extent, one);
  n.at[0] = tn_te_max(te, tn_te_min(te, tn_te_cast(te, TN_DT_I64, low), end),
                      tn_int(g->k->ir, TN_DT_I64, 0));
  n.at[1] = tn_te_min(te, tn_te_add(te, n.at[0], one), end);
  return n;
}

/* at: region, channel, part along H and W. */
static const tn_node *sample_te(const roi_build *g, const tn_node *const *at, const side_te *v,
                                const side_te *u, const tn_node *i, const tn_node *j) {
  tn_te *te = g->k->te;
  const tn_node *shape = g->x->in[TN_BUFFER_SHAPE];
  neighbours y = around_te(g, v, i, shape->in[2]);
  neighbours x = around_te(g, u, j, shape->in[3]);
  const tn_node *batch = tn_te_cast(te, TN_DT_I64, row_te(g, at[0], 0));
  const tn_node *last = tn_te_sub(te, shape->in[0], tn_int(g->k->ir, TN_DT_I64, 1));
  batch = tn_te_max(te, tn_te_min(te, batch, last), tn_int(g->k->ir, TN_DT_I64, 0));
  const tn_node *sum = NULL;
  for (int c = 0; c < 4; ++c) {
    const tn_node *value = tn_te_read(te, g->x, TN_TE_LIST(batch, at[1], y.at[c / 2], x.at[c % 2]));
    value = tn_te_mul(te, tn_te_mul(te, y.weight[c / 2], x.weight[c % 2]),
                      tn_te_cast(te, g->work, value));
    sum = sum == NULL   ? value
          : g->r.is_max ? tn_te_maximum(te, sum, value)
                        : tn_te_add(te, sum, value);
  }
  return tn_te_if_then_else(te, tn_te_and(te, y.is_near, x.is_near), sum, num(g, 0));
}

/* Samples that are as many for all regions: a reduction. */
static void build_even(const roi_build *g, const tn_node *out) {
  tn_kernel *k = g->k;
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  const tn_node *ratio = tn_int(k->ir, TN_DT_I64, g->r.ratio);
  const tn_node *reduce[2] = {ratio, ratio};
  const tn_node *sum = tn_te_declare(k->te, "roi_sum", g->work, 4, shape->in);
  tn_kernel_begin(k, "roi_sum", 4, shape->in, 2, reduce);
  side_te v = build_side(g, k->axes[0], k->axes[2], 0);
  side_te u = build_side(g, k->axes[0], k->axes[3], 1);
  tn_te_end_reduce_into(k->te, g->r.is_max ? TN_TE_MAXIMUM : TN_TE_SUM, sum, k->axes,
                        sample_te(g, k->axes, &v, &u, k->axes[4], k->axes[5]));
  tn_kernel_begin(k, "roi_part", 4, shape->in, 0, NULL);
  const tn_node *value = tn_te_load(k->te, sum, k->axes);
  if (!g->r.is_max) {
    value = tn_te_div(k->te, value, num(g, (double)(g->r.ratio * g->r.ratio)));
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, value), NULL);
}

/* As many as each region needs: loops whose ends the data tells. */
static void build_uneven(const roi_build *g, const tn_node *out) {
  tn_kernel *k = g->k;
  tn_te *te = k->te;
  static const char *const names[] = {"r", "c", "h", "w"};
  const tn_node *zero = tn_int(k->ir, TN_DT_I64, 0);
  const tn_node *one = tn_int(k->ir, TN_DT_I64, 1);
  const tn_node *sum = tn_te_declare(te, "roi_sum", g->work, 1, &one);
  const tn_node *i = tn_var_new(k->ir, "i", TN_DT_I64);
  const tn_node *j = tn_var_new(k->ir, "j", TN_DT_I64);
  const tn_node *at[4];
  const tn_node *parts[3];
  for (int d = 0; d < 4; ++d) {
    at[d] = tn_var_new(k->ir, names[d], TN_DT_I64);
  }
  side_te v = build_side(g, at[0], at[2], 0);
  side_te u = build_side(g, at[0], at[3], 1);
  const tn_node *old = tn_te_read(te, sum, TN_TE_LIST(zero));
  const tn_node *sample = sample_te(g, at, &v, &u, i, j);
  sample = g->r.is_max ? tn_te_maximum(te, sample, old) : tn_te_add(te, old, sample);
  const tn_node *start = g->r.is_max ? tn_te_least(te, g->work) : num(g, 0);
  parts[0] = tn_kernel_store(k, sum, start, TN_TE_LIST(zero));
  parts[1] = tn_kernel_store(k, sum, sample, TN_TE_LIST(zero));
  parts[1] = tn_kernel_loop(k, i, v.n, tn_kernel_loop(k, j, u.n, parts[1]));
  const tn_node *count = tn_te_cast(te, g->work, tn_te_mul(te, v.n, u.n));
  const tn_node *value = g->r.is_max ? old : tn_te_div(te, old, count);
  value = tn_te_if_then_else(te, tn_te_gt(te, count, num(g, 0)), value, num(g, 0));
  parts[2] = tn_kernel_store(k, out, value, 4, at);
  const tn_node *body = tn_seq(k->ir, 3, parts);
  for (int d = 4; d-- > 0;) {
    body = tn_kernel_loop(k, at[d], out->in[TN_BUFFER_SHAPE]->in[d], body);
  }
  tn_te_extern(te, "roi_part", body);
}

static tn_status build_roi_align(tn_kernel *k, const tn_node *type) {
  roi_build g = {.k = k, .x = k->buffers.data[0], .rois = k->buffers.data[1]};
  const tn_node *out = NULL;
  TN_TRY(read_roi(k->call, &g.r));
  g.work = g.x->dtype == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32;
  TN_TRY(tn_kernel_result(k, type, &out));
  if (g.r.ratio > 0) {
    build_even(&g, out);
  } else {
    build_uneven(&g, out);
  }
  return NULL;
}

tn_status tn_op_lower_roi_align(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "roi_align", build_roi_align, out_func);
}
