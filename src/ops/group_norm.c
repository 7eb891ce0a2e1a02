/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* nn.group_norm and nn.instance_norm: (a - mean) / sqrt(variance + epsilon) * gamma + beta, where
 * mean and variance are those of the given axes and of the channels of a group; instance_norm's
 * groups are single channels. gamma and beta stand along the channels. Sums are in float32 at least,
 * the reference's in float64. */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c; group_norm has one more before them. */
enum { CHANNEL_AXIS, AXES, EPSILON, CENTER, SCALE };

typedef struct grouping {
  int64_t channel;
  int64_t n_groups; /* 0: as many as channels */
  bool is_reduced[TN_MAX_NDIM];
} grouping;

static int32_t field_at(const tn_node *call, int32_t field) {
  return field + (call->attr.def->name[3] == 'g' ? 1 : 0);
}

static tn_status read_grouping(const tn_node *call, int64_t ndim, grouping *out) {
  int64_t axes[TN_MAX_NDIM];
  int32_t n = 0;
  grouping g = {0};
  const char *name = call->attr.def->name + 3;
  if (ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%" PRId64 " dimensions", ndim);
  }
  if (field_at(call, 0) > 0) {
    g.n_groups = tn_op_int(call, 0);
    if (g.n_groups < 1) {
      return TN_ERR(TN_INVALID, "'num_groups' is %" PRId64 ", expected 1 or more", g.n_groups);
    }
  }
  TN_TRY(tn_op_axis(name, tn_op_int(call, field_at(call, CHANNEL_AXIS)), ndim, &g.channel));
  TN_TRY(tn_op_ints(call, field_at(call, AXES), axes, &n));
  for (int32_t i = 0; i < n; ++i) {
    int64_t axis = 0;
    TN_TRY(tn_op_axis(name, axes[i], ndim, &axis));
    if (g.is_reduced[axis] || axis == g.channel) {
      return TN_ERR(TN_INVALID, "axis %" PRId64 " is there twice or the channels'", axis);
    }
    g.is_reduced[axis] = true;
  }
  *out = g;
  return NULL;
}

tn_status tn_op_infer_group_norm(const tn_infer_ctx *ctx, const tn_node *call,
                                 const tn_node **out_type) {
  const tn_node *x = NULL;
  grouping g;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_want_float(x));
  *out_type = x;
  if (x->attr.i64 < 0) {
    return NULL;
  }
  TN_TRY(read_grouping(call, x->attr.i64, &g));
  const tn_node *channels = tn_op_shape(x) == NULL ? NULL : tn_op_shape(x)->in[g.channel];
  for (uint32_t i = 1; i < 3; ++i) {
    const tn_node *weight = NULL;
    TN_TRY(tn_op_arg_type(ctx, call, i, &weight));
    TN_TRY(tn_op_same_dtype(x, weight));
    TN_TRY(tn_op_rank(weight, 1, i == 1 ? "gamma" : "beta"));
    if (channels != NULL && tn_op_shape(weight) != NULL) {
      TN_TRY(tn_op_same_extent(ctx->ir, tn_op_shape(weight)->in[0], i == 1 ? "gamma" : "beta",
                               channels, "the channels"));
    }
  }
  if (g.n_groups > 0 && channels != NULL && channels->op == TN_OP_INT &&
      channels->attr.i64 % g.n_groups != 0) {
    return TN_ERR(TN_INVALID, "%" PRId64 " channels do not divide into %" PRId64 " groups",
                  channels->attr.i64, g.n_groups);
  }
  return NULL;
}

/* ---- reference ---- */

/* The number of element `i`'s group. */
static int64_t group_at(const tn_array *x, const grouping *g, int64_t n_groups, int64_t i) {
  int64_t at[TN_MAX_NDIM];
  int64_t place = 0;
  tn_unravel(x, i, at);
  for (int32_t d = 0; d < x->ndim; ++d) {
    if (d == g->channel) {
      place = place * n_groups + at[d] / (x->shape[d] / n_groups);
    } else if (!g->is_reduced[d]) {
      place = place * x->shape[d] + at[d];
    }
  }
  return place;
}

/* sums[0]: mean, sums[1]: variance of each group; sums[2]: how many elements */
static void measure(const tn_array *x, const grouping *g, int64_t n_groups, tn_array *sums) {
  double *mean = sums[0].data;
  double *variance = sums[1].data;
  double *count = sums[2].data;
  int64_t n = tn_array_n_elems(x);
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = group_at(x, g, n_groups, i);
    mean[at] += tn_array_get_f64(x, i);
    count[at] += 1;
  }
  for (int64_t i = 0; i < tn_array_n_elems(&sums[0]); ++i) {
    mean[i] /= count[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = group_at(x, g, n_groups, i);
    double off = tn_array_get_f64(x, i) - mean[at];
    variance[at] += off * off / count[at];
  }
}

static void normalise(const tn_node *call, const tn_array *const *args, const grouping *g,
                      int64_t n_groups, const tn_array *sums, tn_array *out) {
  int64_t at[TN_MAX_NDIM];
  const tn_array *x = args[0];
  const double *mean = sums[0].data;
  const double *variance = sums[1].data;
  double epsilon = tn_op_float(call, field_at(call, EPSILON));
  bool is_centred = tn_op_int(call, field_at(call, CENTER)) != 0;
  bool is_scaled = tn_op_int(call, field_at(call, SCALE)) != 0;
  int64_t n = tn_array_n_elems(x);
  for (int64_t i = 0; i < n; ++i) {
    int64_t group = group_at(x, g, n_groups, i);
    tn_unravel(x, i, at);
    double value = (tn_array_get_f64(x, i) - mean[group]) / sqrt(variance[group] + epsilon);
    value *= is_scaled ? tn_array_get_f64(args[1], at[g->channel]) : 1;
    value += is_centred ? tn_array_get_f64(args[2], at[g->channel]) : 0;
    tn_array_set_f64(out, i, value);
  }
}

tn_status tn_op_eval_group_norm(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                tn_array *out) {
  grouping g;
  tn_array sums[3] = {{0}};
  tn_status st = NULL;
  for (int32_t i = 0; i < 3; ++i) {
    if (n_args != 3 || args[i] == NULL) {
      return TN_ERR(TN_INVALID, "expected data, gamma and beta");
    }
  }
  const tn_array *x = args[0];
  TN_TRY(read_grouping(call, x->ndim, &g));
  int64_t channels = x->shape[g.channel];
  int64_t n_groups = g.n_groups == 0 ? channels : g.n_groups;
  if (tn_array_n_elems(args[1]) != channels || tn_array_n_elems(args[2]) != channels ||
      (n_groups > 0 && channels % n_groups != 0)) {
    return TN_ERR(TN_INVALID, "gamma, beta or the groups do not fit the channels");
  }
  int64_t n = n_groups;
  for (int32_t d = 0; d < x->ndim; ++d) {
    n *= d == g.channel || g.is_reduced[d] ? 1 : x->shape[d];
  }
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, x->shape));
  for (int i = 0; i < 3; ++i) {
    TN_GOTO(st, tn_array_init(&sums[i], TN_DT_F64, 1, &n), done);
  }
  if (tn_array_n_elems(x) > 0) {
    measure(x, &g, n_groups, sums);
    normalise(call, args, &g, n_groups, sums, out);
  }
done:
  if (st != NULL) {
    tn_array_deinit(out);
  }
  for (int i = 0; i < 3; ++i) {
    tn_array_deinit(&sums[i]);
  }
  return st;
}

/* ---- loop form ---- */

typedef struct norm_build {
  grouping g;
  const tn_node *x;
  const tn_node *per_group; /* channels of a group */
  const tn_node *n_groups;
  tn_dtype dtype; /* of sums */
  uint32_t n_kept;
  const tn_node *kept[TN_MAX_NDIM]; /* extents of the groups' tensors */
} norm_build;

static void plan(tn_kernel *k, norm_build *b) {
  const tn_node *shape = b->x->in[TN_BUFFER_SHAPE];
  const tn_node *channels = shape->in[b->g.channel];
  bool is_each = b->g.n_groups == 0;
  b->dtype = b->x->dtype == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32;
  b->n_groups = is_each ? channels : tn_int(k->ir, TN_DT_I64, b->g.n_groups);
  b->per_group = is_each ? tn_int(k->ir, TN_DT_I64, 1)
                         : tn_op_simplify(k->ir, tn_te_floordiv(k->te, channels, b->n_groups));
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    if (!b->g.is_reduced[d]) {
      b->kept[b->n_kept++] = (int64_t)d == b->g.channel ? b->n_groups : shape->in[d];
    }
  }
}

/* Begins a block over the groups that reduces over their elements; out: the index of x. */
static void begin_groups(tn_kernel *k, const norm_build *b, const char *name, const tn_node **out) {
  const tn_node *reduce[TN_MAX_NDIM + 1];
  const tn_node *shape = b->x->in[TN_BUFFER_SHAPE];
  uint32_t n = 0;
  uint32_t kept = 0;
  reduce[n++] = b->per_group;
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    if (b->g.is_reduced[d]) {
      reduce[n++] = shape->in[d];
    }
  }
  tn_kernel_begin(k, name, b->n_kept, b->kept, n, reduce);
  n = b->n_kept + 1;
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    out[d] = b->g.is_reduced[d] ? k->axes[n++] : k->axes[kept++];
    if ((int64_t)d == b->g.channel) {
      const tn_node *first = tn_te_mul(k->te, out[d], b->per_group);
      out[d] = tn_op_simplify(k->ir, tn_te_add(k->te, first, k->axes[b->n_kept]));
    }
  }
}

static const tn_node *element(tn_kernel *k, const norm_build *b, const tn_node *const *at) {
  return tn_te_cast(k->te, b->dtype, tn_te_load(k->te, b->x, at));
}

/* The value of a tensor of groups for the block's element of x. */
static const tn_node *of_group(tn_kernel *k, const norm_build *b, const tn_node *tensor) {
  const tn_node *at[TN_MAX_NDIM];
  uint32_t n = 0;
  for (uint32_t d = 0; d < tn_buffer_ndim(b->x); ++d) {
    if ((int64_t)d == b->g.channel) {
      at[n++] = tn_op_simplify(k->ir, tn_te_floordiv(k->te, k->axes[d], b->per_group));
    } else if (!b->g.is_reduced[d]) {
      at[n++] = k->axes[d];
    }
  }
  return tn_te_load(k->te, tensor, at);
}

static const tn_node *count_of(tn_kernel *k, const norm_build *b) {
  const tn_node *count = b->per_group;
  const tn_node *shape = b->x->in[TN_BUFFER_SHAPE];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    count = b->g.is_reduced[d] ? tn_te_mul(k->te, count, shape->in[d]) : count;
  }
  return tn_te_cast(k->te, b->dtype, tn_op_simplify(k->ir, count));
}

static tn_status build_group_norm(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *at[TN_MAX_NDIM];
  norm_build b = {.x = k->buffers.data[0]};
  const tn_node *const weights[2] = {k->buffers.data[1], k->buffers.data[2]};
  TN_TRY(read_grouping(k->call, tn_buffer_ndim(b.x), &b.g));
  TN_TRY(tn_kernel_result(k, type, &out));
  plan(k, &b);
  const tn_node *sum = tn_te_declare(k->te, "T_sum", b.dtype, b.n_kept, b.kept);
  const tn_node *square = tn_te_declare(k->te, "T_square", b.dtype, b.n_kept, b.kept);
  begin_groups(k, &b, "T_sum", at);
  tn_te_end_reduce_into(k->te, TN_TE_SUM, sum, k->axes, element(k, &b, at));
  begin_groups(k, &b, "T_square", at);
  const tn_node *mean = tn_te_div(k->te, tn_te_load(k->te, sum, k->axes), count_of(k, &b));
  const tn_node *off = tn_te_sub(k->te, element(k, &b, at), mean);
  tn_te_end_reduce_into(k->te, TN_TE_SUM, square, k->axes, tn_te_mul(k->te, off, off));
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_norm", shape->n_in, shape->in, 0, NULL);
  mean = tn_te_div(k->te, of_group(k, &b, sum), count_of(k, &b));
  const tn_node *variance = tn_te_div(k->te, of_group(k, &b, square), count_of(k, &b));
  const tn_node *epsilon =
      tn_te_number(k->te, b.dtype, tn_op_float(k->call, field_at(k->call, EPSILON)));
  const tn_node *root =
      tn_te_intrin(k->te, TN_INTRIN_SQRT, TN_TE_LIST(tn_te_add(k->te, variance, epsilon)));
  const tn_node *value = tn_te_div(k->te, tn_te_sub(k->te, element(k, &b, k->axes), mean), root);
  const tn_node *channel = k->axes[b.g.channel];
  if (tn_op_int(k->call, field_at(k->call, SCALE)) != 0) {
    const tn_node *gamma = tn_te_load(k->te, weights[0], &channel);
    value = tn_te_mul(k->te, value, tn_te_cast(k->te, b.dtype, gamma));
  }
  if (tn_op_int(k->call, field_at(k->call, CENTER)) != 0) {
    const tn_node *beta = tn_te_load(k->te, weights[1], &channel);
    value = tn_te_add(k->te, value, tn_te_cast(k->te, b.dtype, beta));
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, value), NULL);
  return NULL;
}

tn_status tn_op_lower_group_norm(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name + 3, build_group_norm, out_func);
}
