/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* vision.non_max_suppression_padded: of boxes [B, N, 4] with scores [B, C, N], in each batch and
 * class again and again the box with the largest score that is left, without those that it covers by
 * more than iou_threshold. Gives rows (batch, class, box), zeros after them, and the shape that is
 * filled: see dynamic.c. Of equal scores the first box is taken. Loop form: per class the scores
 * that are left, and as many rounds as there may be boxes. */
#include <inttypes.h>
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { MAX_OUTPUT, IOU, SCORE, CENTER };

/* ---- type ---- */

/* At most so many boxes of a class are taken. */
static const tn_node *n_rounds(const tn_node *call, tn_ir *ir, const tn_node *n_boxes) {
  int64_t most = tn_op_int(call, MAX_OUTPUT);
  most = most < 0 ? 0 : most;
  if (n_boxes->op == TN_OP_INT) {
    return tn_int(ir, TN_DT_I64, most < n_boxes->attr.i64 ? most : n_boxes->attr.i64);
  }
  return most < INT32_MAX ? tn_int(ir, TN_DT_I64, most) : n_boxes;
}

tn_status tn_op_infer_nms(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *boxes = NULL;
  const tn_node *scores = NULL;
  const tn_node *dims[2] = {NULL, tn_int(ctx->ir, TN_DT_I64, 3)};
  const tn_node *two = tn_int(ctx->ir, TN_DT_I64, 2);
  TN_TRY(tn_op_arg_type(ctx, call, 0, &boxes));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &scores));
  TN_TRY(tn_op_want_float(boxes));
  TN_TRY(tn_op_same_dtype(boxes, scores));
  TN_TRY(tn_op_rank(boxes, 3, "the tensor of boxes"));
  TN_TRY(tn_op_rank(scores, 3, "the tensor of scores"));
  const tn_node *b = tn_op_shape(boxes);
  const tn_node *s = tn_op_shape(scores);
  const tn_node *shape = NULL;
  if (b != NULL && s != NULL) {
    TN_TRY(tn_op_same_extent(ctx->ir, b->in[0], "the boxes' batch", s->in[0], "the scores'"));
    TN_TRY(tn_op_same_extent(ctx->ir, b->in[1], "the boxes' second dimension", s->in[2],
                             "the scores' third"));
    TN_TRY(tn_op_same_extent(ctx->ir, b->in[2], "the boxes' last dimension",
                             tn_int(ctx->ir, TN_DT_I64, 4), "a box"));
    const tn_node *rows = tn_binary(ctx->ir, TN_OP_MUL, s->in[0], s->in[1]);
    rows = tn_binary(ctx->ir, TN_OP_MUL, rows, n_rounds(call, ctx->ir, s->in[2]));
    dims[0] = tn_op_simplify(ctx->ir, rows);
    shape = tn_list(ctx->ir, 2, dims);
  }
  const tn_node *types[2] = {tn_ty_tensor(ctx->ir, TN_DT_I64, 2, shape),
                             tn_ty_tensor(ctx->ir, TN_DT_I64, 1, tn_list(ctx->ir, 1, &two))};
  *out_type = tn_ty_tuple(ctx->ir, 2, types);
  return NULL;
}

/* ---- reference ---- */

/* Least and greatest coordinate of a box along its first (d = 0) or second direction. */
static void edges(const tn_node *call, const tn_array *boxes, int64_t box, int d, double *out_low,
                  double *out_high) {
  double a = tn_array_get_f64(boxes, 4 * box + d);
  double b = tn_array_get_f64(boxes, 4 * box + 2 + d);
  bool is_centre = tn_op_int(call, CENTER) != 0;
  *out_low = is_centre ? a - b / 2 : fmin(a, b);
  *out_high = is_centre ? a + b / 2 : fmax(a, b);
}

static bool covers(const tn_node *call, const tn_array *boxes, int64_t i, int64_t j) {
  double common = 1;
  double area[2] = {1, 1};
  for (int d = 0; d < 2; ++d) {
    double low[2];
    double high[2];
    edges(call, boxes, i, d, &low[0], &high[0]);
    edges(call, boxes, j, d, &low[1], &high[1]);
    double side = fmin(high[0], high[1]) - fmax(low[0], low[1]);
    common *= side > 0 ? side : 0;
    area[0] *= high[0] - low[0];
    area[1] *= high[1] - low[1];
  }
  return common > 0 && common / (area[0] + area[1] - common) > tn_op_float(call, IOU);
}

/* Adds the rows of one class, which starts at box `first` and score `from`. */
static void suppress(const tn_node *call, const tn_array *const *args, int64_t first, int64_t from,
                     const int64_t *row, bool *is_left, tn_array *out, int64_t *io_n) {
  int64_t n = args[1]->shape[2];
  int64_t most = tn_op_int(call, MAX_OUTPUT);
  for (int64_t i = 0; i < n; ++i) {
    is_left[i] = tn_array_get_f64(args[1], from + i) > tn_op_float(call, SCORE);
  }
  for (int64_t round = 0; round < most; ++round) {
    int64_t best = -1;
    for (int64_t i = 0; i < n; ++i) {
      double score = tn_array_get_f64(args[1], from + i);
      bool is_better = best < 0 || score > tn_array_get_f64(args[1], from + best);
      best = is_left[i] && is_better ? i : best;
    }
    if (best < 0) {
      return;
    }
    tn_array_set_i64(out, 3 * *io_n, row[0]);
    tn_array_set_i64(out, 3 * *io_n + 1, row[1]);
    tn_array_set_i64(out, 3 * *io_n + 2, best);
    ++*io_n;
    is_left[best] = false;
    for (int64_t i = 0; i < n; ++i) {
      is_left[i] = is_left[i] && !covers(call, args[0], first + best, first + i);
    }
  }
}

tn_status tn_op_eval_nms(const tn_node *call, const tn_array *const *args, int32_t n_args,
                         tn_array *out) {
  int64_t two = 2;
  int64_t found = 0;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim != 3 ||
      args[1]->ndim != 3 || args[0]->shape[2] != 4 || args[0]->shape[0] != args[1]->shape[0] ||
      args[0]->shape[1] != args[1]->shape[2]) {
    return TN_ERR(TN_INVALID, "expected boxes [B, N, 4] and scores [B, C, N]");
  }
  const int64_t *s = args[1]->shape;
  int64_t most = tn_op_int(call, MAX_OUTPUT);
  most = most < 0 ? 0 : most < s[2] ? most : s[2];
  int64_t shape[2] = {s[0] * s[1] * most, 3};
  TN_TRY(tn_array_init(&out[0], TN_DT_I64, 2, shape));
  tn_status st = tn_array_init(&out[1], TN_DT_I64, 1, &two);
  if (st != NULL) {
    tn_array_deinit(&out[0]);
    return st;
  }
  bool *is_left = calloc((size_t)s[2] + 1, sizeof *is_left);
  TN_CHECK(is_left != NULL, "no memory for boxes");
  for (int64_t i = 0; i < s[0] * s[1]; ++i) {
    int64_t row[2] = {i / s[1], i % s[1]};
    suppress(call, args, row[0] * s[2], i * s[2], row, is_left, &out[0], &found);
  }
  free(is_left);
  tn_array_set_i64(&out[1], 0, found);
  tn_array_set_i64(&out[1], 1, 3);
  return NULL;
}

/* ---- loop form ---- */

typedef struct nms_build {
  tn_kernel *k;
  const tn_node *boxes;
  const tn_node *scores;
  const tn_node *rows;
  const tn_node *counts;
  const tn_node *left; /* [N]: scores; -inf: out of the race */
  const tn_node *best; /* [1]: the place of the largest */
  const tn_node *b;
  const tn_node *c;
  const tn_node *zero;
  const tn_node *none; /* -inf */
} nms_build;

static void edges_te(const nms_build *g, const tn_node *box, int64_t d, const tn_node **out_low,
                     const tn_node **out_high) {
  tn_te *te = g->k->te;
  const tn_node *first = tn_int(g->k->ir, TN_DT_I64, d);
  const tn_node *second = tn_int(g->k->ir, TN_DT_I64, 2 + d);
  const tn_node *a = tn_te_read(te, g->boxes, TN_TE_LIST(g->b, box, first));
  const tn_node *b = tn_te_read(te, g->boxes, TN_TE_LIST(g->b, box, second));
  if (tn_op_int(g->k->call, CENTER) != 0) {
    const tn_node *half = tn_te_div(te, b, tn_te_number(te, b->dtype, 2));
    *out_low = tn_te_sub(te, a, half);
    *out_high = tn_te_add(te, a, half);
    return;
  }
  *out_low = tn_te_min(te, a, b);
  *out_high = tn_te_max(te, a, b);
}

static const tn_node *covers_te(const nms_build *g, const tn_node *i, const tn_node *j) {
  tn_te *te = g->k->te;
  const tn_node *common = NULL;
  const tn_node *areas = NULL;
  const tn_node *area[2] = {NULL, NULL};
  for (int64_t d = 0; d < 2; ++d) {
    const tn_node *low[2];
    const tn_node *high[2];
    edges_te(g, i, d, &low[0], &high[0]);
    edges_te(g, j, d, &low[1], &high[1]);
    const tn_node *side =
        tn_te_sub(te, tn_te_min(te, high[0], high[1]), tn_te_max(te, low[0], low[1]));
    side = tn_te_max(te, side, tn_te_number(te, side->dtype, 0));
    common = common == NULL ? side : tn_te_mul(te, common, side);
    for (int e = 0; e < 2; ++e) {
      const tn_node *length = tn_te_sub(te, high[e], low[e]);
      area[e] = area[e] == NULL ? length : tn_te_mul(te, area[e], length);
    }
  }
  areas = tn_te_sub(te, tn_te_add(te, area[0], area[1]), common);
  const tn_node *limit = tn_te_number(te, common->dtype, tn_op_float(g->k->call, IOU));
  return tn_te_and(te, tn_te_gt(te, common, tn_te_number(te, common->dtype, 0)),
                   tn_te_gt(te, tn_te_div(te, common, areas), limit));
}

static const tn_node *var(const nms_build *g, const char *name) {
  return tn_var_new(g->k->ir, name, TN_DT_I64);
}

/* left[i] = the scores above the threshold */
static const tn_node *start_class(const nms_build *g, const tn_node *n) {
  tn_te *te = g->k->te;
  const tn_node *i = var(g, "i");
  const tn_node *score = tn_te_read(te, g->scores, TN_TE_LIST(g->b, g->c, i));
  const tn_node *limit =
      tn_te_cast(te, score->dtype, tn_float(g->k->ir, TN_DT_F64, tn_op_float(g->k->call, SCORE)));
  score = tn_te_if_then_else(te, tn_te_gt(te, score, limit), score, g->none);
  return tn_kernel_loop(g->k, i, n, tn_kernel_store(g->k, g->left, score, TN_TE_LIST(i)));
}

/* Writes the row of the best box, and takes it and what it covers out of the race. */
static const tn_node *take_best(const nms_build *g, const tn_node *n) {
  tn_te *te = g->k->te;
  const tn_node *parts[6];
  const tn_node *found = tn_te_read(te, g->counts, TN_TE_LIST(g->zero));
  const tn_node *best = tn_te_read(te, g->best, TN_TE_LIST(g->zero));
  const tn_node *row[3] = {g->b, g->c, best};
  for (uint32_t d = 0; d < 3; ++d) {
    const tn_node *column = tn_int(g->k->ir, TN_DT_I64, d);
    parts[d] = tn_kernel_store(g->k, g->rows, row[d], TN_TE_LIST(found, column));
  }
  const tn_node *next = tn_te_add(te, found, tn_int(g->k->ir, TN_DT_I64, 1));
  parts[3] = tn_kernel_store(g->k, g->counts, next, TN_TE_LIST(g->zero));
  parts[4] = tn_kernel_store(g->k, g->left, g->none, TN_TE_LIST(best));
  const tn_node *i = var(g, "i");
  parts[5] = tn_kernel_loop(g->k, i, n,
                            tn_kernel_when(g->k, covers_te(g, best, i),
                                           tn_kernel_store(g->k, g->left, g->none, TN_TE_LIST(i))));
  return tn_seq(g->k->ir, 6, parts);
}

static const tn_node *one_round(const nms_build *g, const tn_node *n) {
  tn_te *te = g->k->te;
  const tn_node *parts[3];
  const tn_node *i = var(g, "i");
  const tn_node *best = tn_te_read(te, g->best, TN_TE_LIST(g->zero));
  const tn_node *is_better = tn_te_gt(te, tn_te_read(te, g->left, TN_TE_LIST(i)),
                                      tn_te_read(te, g->left, TN_TE_LIST(best)));
  parts[0] = tn_kernel_store(g->k, g->best, g->zero, TN_TE_LIST(g->zero));
  parts[1] = tn_kernel_loop(
      g->k, i, n,
      tn_kernel_when(g->k, is_better, tn_kernel_store(g->k, g->best, i, TN_TE_LIST(g->zero))));
  const tn_node *is_there = tn_te_gt(te, tn_te_read(te, g->left, TN_TE_LIST(best)), g->none);
  parts[2] = tn_kernel_when(g->k, is_there, take_best(g, n));
  return tn_seq(g->k->ir, 3, parts);
}

static tn_status build_nms(tn_kernel *k, const tn_node *type) {
  nms_build g = {.k = k, .boxes = k->buffers.data[0], .scores = k->buffers.data[1]};
  const tn_node *outs[2];
  const tn_node *parts[2];
  tn_te *te = k->te;
  for (uint32_t i = 0; i < 2; ++i) {
    TN_TRY(tn_kernel_result(k, type->in[i], &outs[i]));
  }
  const tn_node *shape = g.scores->in[TN_BUFFER_SHAPE];
  const tn_node *one = tn_int(k->ir, TN_DT_I64, 1);
  g.rows = outs[0];
  g.counts = outs[1];
  g.zero = tn_int(k->ir, TN_DT_I64, 0);
  g.none = tn_te_least(te, g.scores->dtype);
  g.left = tn_te_declare(te, "T_left", g.scores->dtype, 1, &shape->in[2]);
  g.best = tn_te_declare(te, "T_best", TN_DT_I64, 1, &one);
  tn_kernel_begin(k, "T_empty", 2, g.rows->in[TN_BUFFER_SHAPE]->in, 0, NULL);
  tn_te_end_into(te, g.rows, k->axes, g.zero, NULL);
  tn_kernel_begin(k, "T_count", 1, g.counts->in[TN_BUFFER_SHAPE]->in, 0, NULL);
  const tn_node *is_first = tn_te_eq(te, k->axes[0], g.zero);
  tn_te_end_into(te, g.counts, k->axes,
                 tn_te_if_then_else(te, is_first, g.zero, tn_int(k->ir, TN_DT_I64, 3)), NULL);
  g.b = var(&g, "b");
  g.c = var(&g, "c");
  parts[0] = start_class(&g, shape->in[2]);
  parts[1] = tn_kernel_loop(k, var(&g, "round"), n_rounds(k->call, k->ir, shape->in[2]),
                            one_round(&g, shape->in[2]));
  const tn_node *body = tn_kernel_loop(k, g.c, shape->in[1], tn_seq(k->ir, 2, parts));
  /* without a box there is nothing to look at */
  body = tn_kernel_when(k, tn_te_gt(te, shape->in[2], g.zero),
                        tn_kernel_loop(k, g.b, shape->in[0], body));
  tn_te_extern(te, "T_suppress", body);
  return NULL;
}

tn_status tn_op_lower_nms(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "non_max_suppression", build_nms, out_func);
}
