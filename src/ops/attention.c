/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* nn.attention, nn.attention_bias: softmax(scale * q k^T + bias) v for each batch and head,
 *
 *   q [B, S, N, H], k [B, T, N, H], v [B, T, N, V] -> [B, S, N, V]
 *
 * with a bias that broadcasts to [B, N, S, T]. A query that a causal mask lets see nothing, and one
 * whose scores are all -inf, gives NaN, as softmax does. Sums of float16 and bfloat16 are taken in
 * float32, those of the reference in float64. Loop form: scores, softmax, product, one block each. */
#include <math.h>
#include <string.h>

#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { SCALE, CAUSAL_MASK, WINDOW_SIZE };
enum { Q, K, V, BIAS };

typedef enum causal { SEES_ALL, TOP_LEFT, BOTTOM_RIGHT } causal;

static tn_status read_causal(const tn_node *call, causal *out) {
  const char *text = tn_op_text(call, CAUSAL_MASK);
  if (tn_call_field(call, WINDOW_SIZE) != NULL) {
    return TN_ERR(TN_UNSUPPORTED, "'window_size'");
  }
  *out = strcmp(text, "TopLeft") == 0       ? TOP_LEFT
         : strcmp(text, "BottomRight") == 0 ? BOTTOM_RIGHT
                                            : SEES_ALL;
  if (*out == SEES_ALL && *text != '\0') {
    return TN_ERR(TN_INVALID, "causal_mask '%s', expected \"TopLeft\" or \"BottomRight\"", text);
  }
  return NULL;
}

/* ---- type ---- */

static tn_status check_bias(const tn_infer_ctx *ctx, const tn_node *call, const tn_node *scores) {
  const tn_node *bias = NULL;
  const tn_node *shape = NULL;
  int64_t ndim = 0;
  TN_TRY(tn_op_arg_type(ctx, call, BIAS, &bias));
  TN_TRY(tn_op_same_dtype(scores, bias));
  TN_TRY(tn_op_broadcast(ctx->ir, call->attr.def->name, scores, bias, &ndim, &shape));
  for (uint32_t d = 0; shape != NULL && d < 4 && ndim == 4; ++d) {
    TN_TRY(tn_op_same_extent(ctx->ir, tn_op_shape(scores)->in[d], "the scores' dimension",
                             shape->in[d], "the bias's"));
  }
  return ndim == 4 || ndim < 0 ? NULL : TN_ERR(TN_INVALID, "a bias of more dimensions than 4");
}

static tn_status check_extents(tn_ir *ir, const tn_node *q, const tn_node *k, const tn_node *v) {
  static const char *const names[] = {"batch", "length", "head", "size"};
  for (uint32_t d = 0; d < 4; ++d) {
    if (d != 1) {
      TN_TRY(tn_op_same_extent(ir, q->in[d], names[d], k->in[d], "the keys'"));
    }
    if (d != 3) {
      TN_TRY(tn_op_same_extent(ir, k->in[d], names[d], v->in[d], "the values'"));
    }
  }
  return NULL;
}

tn_status tn_op_infer_attention(const tn_infer_ctx *ctx, const tn_node *call,
                                const tn_node **out_type) {
  const tn_node *types[3];
  const tn_node *shapes[3];
  causal mask = SEES_ALL;
  TN_TRY(read_causal(call, &mask));
  bool is_known = true;
  for (uint32_t i = 0; i < 3; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, i, &types[i]));
    TN_TRY(tn_op_rank(types[i], 4, "each operand"));
    TN_TRY(tn_op_want_float(types[i]));
    TN_TRY(tn_op_same_dtype(types[0], types[i]));
    shapes[i] = tn_op_shape(types[i]);
    is_known = is_known && shapes[i] != NULL;
  }
  if (!is_known) {
    *out_type = tn_ty_tensor(ctx->ir, types[0]->dtype, 4, NULL);
    return NULL;
  }
  const tn_node *q = shapes[Q];
  const tn_node *score[] = {q->in[0], q->in[2], q->in[1], shapes[K]->in[1]};
  const tn_node *dims[] = {q->in[0], q->in[1], q->in[2], shapes[V]->in[3]};
  TN_TRY(check_extents(ctx->ir, q, shapes[K], shapes[V]));
  if (call->in[TN_CALL_ARGS]->n_in > BIAS) {
    const tn_node *list = tn_list(ctx->ir, 4, score);
    TN_TRY(check_bias(ctx, call, tn_ty_tensor(ctx->ir, types[0]->dtype, 4, list)));
  }
  *out_type = tn_ty_tensor(ctx->ir, types[0]->dtype, 4, tn_list(ctx->ir, 4, dims));
  return NULL;
}

/* ---- reference ---- */

typedef struct attention {
  const tn_array *q;
  const tn_array *k;
  const tn_array *v;
  const tn_array *bias; /* NULL: none */
  double scale;
  causal mask;
  double *scores; /* of one query */
} attention;

static double element(const tn_array *x, int64_t b, int64_t i, int64_t n, int64_t h) {
  int64_t at = ((b * x->shape[1] + i) * x->shape[2] + n) * x->shape[3] + h;
  return tn_array_get_f64(x, at);
}

static double bias_at(const tn_array *bias, const int64_t *at) {
  int64_t place = 0;
  for (int32_t d = 0; d < bias->ndim; ++d) {
    int64_t i = at[4 - bias->ndim + d];
    place = place * bias->shape[d] + (bias->shape[d] == 1 ? 0 : i);
  }
  return tn_array_get_f64(bias, place);
}

static bool is_hidden(causal mask, int64_t i, int64_t j, int64_t n_queries, int64_t n_keys) {
  return mask != SEES_ALL && j > i + (mask == BOTTOM_RIGHT ? n_keys - n_queries : 0);
}

/* The weights of all keys for a query, in a->scores; gives their sum. */
static double weigh(const attention *a, int64_t b, int64_t n, int64_t i) {
  int64_t n_keys = a->k->shape[1];
  double top = -INFINITY;
  double sum = 0;
  for (int64_t j = 0; j < n_keys; ++j) {
    const int64_t at[] = {b, n, i, j};
    double score = 0;
    for (int64_t h = 0; h < a->q->shape[3]; ++h) {
      score += element(a->q, b, i, n, h) * element(a->k, b, j, n, h);
    }
    score = score * a->scale + (a->bias == NULL ? 0 : bias_at(a->bias, at));
    score = is_hidden(a->mask, i, j, a->q->shape[1], n_keys) ? -INFINITY : score;
    a->scores[j] = score;
    top = score > top ? score : top;
  }
  for (int64_t j = 0; j < n_keys; ++j) {
    a->scores[j] = exp(a->scores[j] - top);
    sum += a->scores[j];
  }
  return sum;
}

static void eval_query(const attention *a, int64_t b, int64_t n, int64_t i, tn_array *out) {
  double sum = weigh(a, b, n, i);
  for (int64_t h = 0; h < a->v->shape[3]; ++h) {
    double value = 0;
    for (int64_t j = 0; j < a->k->shape[1]; ++j) {
      value += a->scores[j] / sum * element(a->v, b, j, n, h);
    }
    tn_array_set_f64(out, ((b * out->shape[1] + i) * out->shape[2] + n) * out->shape[3] + h, value);
  }
}

static double scale_of(const tn_node *call, int64_t size) {
  return tn_call_field(call, SCALE) != NULL ? tn_op_float(call, SCALE) : 1 / sqrt((double)size);
}

tn_status tn_op_eval_attention(const tn_node *call, const tn_array *const *args, int32_t n_args,
                               tn_array *out) {
  attention a = {.q = args[Q], .k = args[K], .v = args[V], .bias = n_args > 3 ? args[BIAS] : NULL};
  a.scale = scale_of(call, a.q->shape[3]);
  TN_TRY(read_causal(call, &a.mask));
  const int64_t shape[] = {a.q->shape[0], a.q->shape[1], a.q->shape[2], a.v->shape[3]};
  bool fits = a.k->shape[0] == shape[0] && a.v->shape[0] == shape[0] && a.k->shape[2] == shape[2] &&
              a.v->shape[2] == shape[2] && a.k->shape[1] == a.v->shape[1] &&
              a.k->shape[3] == a.q->shape[3];
  if (!fits) {
    return TN_ERR(TN_INVALID, "queries, keys and values do not fit");
  }
  TN_TRY(tn_array_init(out, a.q->dtype, 4, shape));
  tn_array scores = {0};
  tn_status st = tn_array_init(&scores, TN_DT_F64, 1, &a.k->shape[1]);
  if (st != NULL) {
    tn_array_deinit(out);
    return st;
  }
  a.scores = scores.data;
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t n = 0; n < shape[2]; ++n) {
      for (int64_t i = 0; i < shape[1]; ++i) {
        eval_query(&a, b, n, i, out);
      }
    }
  }
  tn_array_deinit(&scores);
  return NULL;
}

/* ---- loop form ---- */

/* q k^T over [B, N, S, T]. */
static const tn_node *build_products(tn_kernel *k, tn_dtype sum, const tn_node *const *score) {
  const tn_node *q = k->buffers.data[Q];
  const tn_node *keys = k->buffers.data[K];
  const tn_node *out = tn_te_declare(k->te, "T_attention_products", sum, 4, score);
  tn_kernel_begin(k, "T_attention_products", 4, score, 1, &q->in[TN_BUFFER_SHAPE]->in[3]);
  const tn_node *const *x = k->axes; /* b, n, i, j, h */
  const tn_node *at_q[] = {x[0], x[2], x[1], x[4]};
  const tn_node *at_k[] = {x[0], x[3], x[1], x[4]};
  const tn_node *left = tn_te_cast(k->te, sum, tn_te_load(k->te, q, at_q));
  const tn_node *right = tn_te_cast(k->te, sum, tn_te_load(k->te, keys, at_k));
  tn_te_end_reduce_into(k->te, TN_TE_SUM, out, k->axes, tn_te_mul(k->te, left, right));
  return out;
}

static const tn_node *hidden(tn_kernel *k, causal mask, const tn_node *value,
                             const tn_node *const *score) {
  const tn_node *last = k->axes[2];
  if (mask == SEES_ALL) {
    return value;
  }
  if (mask == BOTTOM_RIGHT) {
    last = tn_te_add(k->te, last, tn_te_sub(k->te, score[3], score[2]));
  }
  const tn_node *none = tn_te_number(k->te, value->dtype, -INFINITY);
  return tn_te_select(k->te, tn_te_gt(k->te, k->axes[3], last), none, value);
}

static const tn_node *build_scores(tn_kernel *k, tn_dtype sum, const tn_node *const *score) {
  causal mask = SEES_ALL;
  const tn_node *products = build_products(k, sum, score);
  const tn_node *size = k->buffers.data[Q]->in[TN_BUFFER_SHAPE]->in[3];
  tn_te_keep(k->te, read_causal(k->call, &mask));
  if (tn_call_field(k->call, SCALE) == NULL && size->op != TN_OP_INT) {
    tn_te_keep(k->te, TN_ERR(TN_UNSUPPORTED, "'scale' must be given where the size is not known"));
  }
  double scale = scale_of(k->call, size->op == TN_OP_INT ? size->attr.i64 : 1);
  tn_kernel_begin(k, "T_attention_scores", 4, score, 0, NULL);
  const tn_node *value =
      tn_te_mul(k->te, tn_te_load(k->te, products, k->axes), tn_te_number(k->te, sum, scale));
  if (k->buffers.len > BIAS + 1) {
    const tn_node *bias = tn_kernel_load_broadcast(k, k->buffers.data[BIAS]);
    value = tn_te_add(k->te, value, tn_te_cast(k->te, sum, bias));
  }
  return tn_te_end(k->te, hidden(k, mask, value, score));
}

/* A reduction over the keys: [B, N, S]. */
static const tn_node *build_rows(tn_kernel *k, tn_te_reduction reduction, const char *name,
                                 const tn_node *from, const tn_node *const *score) {
  const tn_node *out = tn_te_declare(k->te, name, from->dtype, 3, score);
  tn_kernel_begin(k, name, 3, score, 1, &score[3]);
  tn_te_end_reduce_into(k->te, reduction, out, k->axes, tn_te_load(k->te, from, k->axes));
  return out;
}

/* The values by their weights, in the weights' type first where that is wider. */
static void build_values(tn_kernel *k, const tn_node *weights, const tn_node *out,
                         const tn_node *n_keys) {
  const tn_node *const *dims = out->in[TN_BUFFER_SHAPE]->in;
  bool is_wide = weights->dtype != out->dtype;
  const tn_node *sums =
      is_wide ? tn_te_declare(k->te, "T_attention_values", weights->dtype, 4, dims) : out;
  tn_kernel_begin(k, "T_attention_values", 4, dims, 1, &n_keys);
  const tn_node *const *x = k->axes; /* b, i, n, v, j */
  const tn_node *at_w[] = {x[0], x[2], x[1], x[4]};
  const tn_node *at_v[] = {x[0], x[4], x[2], x[3]};
  const tn_node *value =
      tn_te_cast(k->te, weights->dtype, tn_te_load(k->te, k->buffers.data[V], at_v));
  tn_te_end_reduce_into(k->te, TN_TE_SUM, sums, k->axes,
                        tn_te_mul(k->te, tn_te_load(k->te, weights, at_w), value));
  if (is_wide) {
    tn_kernel_begin(k, "T_attention", 4, dims, 0, NULL);
    value = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, sums, k->axes));
    tn_te_end_into(k->te, out, k->axes, value, NULL);
  }
}

static tn_status build_attention(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  TN_TRY(tn_kernel_result(k, type, &out));
  const tn_node *q = k->buffers.data[Q]->in[TN_BUFFER_SHAPE];
  const tn_node *score[] = {q->in[0], q->in[2], q->in[1],
                            k->buffers.data[K]->in[TN_BUFFER_SHAPE]->in[1]};
  tn_dtype sum = tn_dtype_bits(type->dtype) < 32 ? TN_DT_F32 : type->dtype;
  const tn_node *scores = build_scores(k, sum, score);
  const tn_node *top = build_rows(k, TN_TE_MAX, "T_attention_max", scores, score);
  tn_kernel_begin(k, "T_attention_exp", 4, score, 0, NULL);
  const tn_node *shifted =
      tn_te_sub(k->te, tn_te_load(k->te, scores, k->axes), tn_te_load(k->te, top, k->axes));
  const tn_node *exps = tn_te_end(k->te, tn_te_intrin(k->te, TN_INTRIN_EXP, 1, &shifted));
  const tn_node *total = build_rows(k, TN_TE_SUM, "T_attention_sum", exps, score);
  tn_kernel_begin(k, "T_attention_weights", 4, score, 0, NULL);
  const tn_node *weights = tn_te_end(
      k->te, tn_te_div(k->te, tn_te_load(k->te, exps, k->axes), tn_te_load(k->te, total, k->axes)));
  build_values(k, weights, out, score[3]);
  return NULL;
}

tn_status tn_op_lower_attention(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "attention", build_attention, out_func);
}
