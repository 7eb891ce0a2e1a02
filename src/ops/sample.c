/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* image.grid_sample: values between the elements of pictures [N, C, H, W] or volumes [N, C, D, H, W]
 * at the points of a grid [N, ..., 2 or 3], whose last dimension holds x, y (, z) from -1 to 1 across
 * the picture.
 * Coordinates and weights are in float32 (float64 where data or grid is that), the reference's in
 * float64. */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/window.h"

/* ---- grid_sample ---- */

/* The order of the fields in ops.c. */
enum { METHOD, PADDING_MODE, ALIGN_CORNERS };

typedef enum method { NEAREST, LINEAR, CUBIC } method;
typedef enum outside { ZEROS, BORDER, REFLECTION } outside;

typedef struct sampling {
  int32_t n; /* spatial dimensions */
  method method;
  outside outside;
  bool is_aligned; /* -1 and 1 are the centres of the corners, not their far edges */
} sampling;

/* What the weights of a cubic, for neighbours -1 ... 2, are made of. */
static const double cubic_alpha = -0.75;

static tn_status read_sampling(const tn_node *call, int64_t ndim, sampling *out) {
  static const char *const methods[] = {
      [NEAREST] = "nearest", [LINEAR] = "bilinear", [CUBIC] = "bicubic"};
  static const char *const paddings[] = {
      [ZEROS] = "zeros", [BORDER] = "border", [REFLECTION] = "reflection"};
  const char *method_text = tn_op_text(call, METHOD);
  const char *padding_text = tn_op_text(call, PADDING_MODE);
  sampling s = {.method = LINEAR, .outside = ZEROS};
  bool is_method = *method_text == '\0';
  bool is_padding = *padding_text == '\0';
  for (int i = 0; i < 3; ++i) {
    if (strcmp(methods[i], method_text) == 0) {
      s.method = (method)i;
      is_method = true;
    }
    if (strcmp(paddings[i], padding_text) == 0) {
      s.outside = (outside)i;
      is_padding = true;
    }
  }
  if (!is_method || !is_padding) {
    return TN_ERR(TN_UNSUPPORTED, "method '%s' with padding_mode '%s'", method_text, padding_text);
  }
  if (ndim != 4 && ndim != 5) {
    return TN_ERR(TN_INVALID, "the data has %" PRId64 " dimensions, expected 4 or 5", ndim);
  }
  s.n = (int32_t)ndim - 2;
  s.is_aligned = tn_op_int(call, ALIGN_CORNERS) != 0;
  *out = s;
  return NULL;
}

tn_status tn_op_infer_grid_sample(const tn_infer_ctx *ctx, const tn_node *call,
                                  const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *grid = NULL;
  const tn_node *dims[5];
  sampling s;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &grid));
  TN_TRY(tn_op_want_float(x));
  TN_TRY(tn_op_want_float(grid));
  if (x->attr.i64 < 0 || tn_op_shape(x) == NULL || tn_op_shape(grid) == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, x->dtype, x->attr.i64, NULL);
    return NULL;
  }
  TN_TRY(read_sampling(call, x->attr.i64, &s));
  TN_TRY(tn_op_rank(grid, s.n + 2, "the grid"));
  const tn_node *from = tn_op_shape(x);
  const tn_node *at = tn_op_shape(grid);
  TN_TRY(tn_op_same_extent(ctx->ir, from->in[0], "the data's batch", at->in[0], "the grid's"));
  TN_TRY(tn_op_same_extent(ctx->ir, at->in[s.n + 1], "the grid's last dimension",
                           tn_int(ctx->ir, TN_DT_I64, s.n), "a point"));
  for (int32_t d = 0; d < s.n; ++d) {
    dims[2 + d] = at->in[1 + d];
    if (tn_is_int(from->in[2 + d], 0)) {
      return TN_ERR(TN_INVALID, "the data has no elements to take values from");
    }
  }
  dims[0] = from->in[0];
  dims[1] = from->in[1];
  uint32_t n = (uint32_t)s.n + 2;
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

/* ---- reference ---- */

/* A coordinate of the grid as one of the data. */
static double unnormalised(const sampling *s, double x, double extent) {
  return s->is_aligned ? (x + 1) / 2 * (extent - 1) : ((x + 1) * extent - 1) / 2;
}

/* x mirrored at the ends until it lies between them. */
static double reflected(const sampling *s, double x, double extent) {
  double low = s->is_aligned ? 0 : -0.5;
  double span = s->is_aligned ? extent - 1 : extent;
  if (span <= 0) {
    return 0;
  }
  double off = fabs(x - low);
  double turns = floor(off / span);
  double rest = off - turns * span;
  return fmod(turns, 2) == 0 ? rest + low : span - rest + low;
}

static double brought_inside(const sampling *s, double x, double extent) {
  if (s->outside == ZEROS) {
    return x;
  }
  x = s->outside == REFLECTION ? reflected(s, x, extent) : x;
  return fmin(fmax(x, 0), extent - 1);
}

/* Of a distance below 2; of a point at no place, NaN. */
static double cubic_weight(double distance) {
  double x = fabs(distance);
  double a = cubic_alpha;
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

/* Neighbour t of coordinate x: its place, and its weight. */
static double neighbour(const sampling *s, double x, int64_t t, double *out_place) {
  if (s->method == NEAREST) {
    *out_place = rint(x);
    return 1;
  }
  *out_place = floor(x) + (double)(t - (s->method == CUBIC ? 1 : 0));
  double off = *out_place - x;
  return s->method == CUBIC ? cubic_weight(off) : 1 - fabs(off);
}

static int64_t n_neighbours(const sampling *s) {
  return s->method == NEAREST ? 1 : s->method == LINEAR ? 2 : 4;
}

/* The value of channel at[1] of picture at[0] at the point. */
static double sampled(const sampling *s, const tn_array *x, const int64_t *at,
                      const double *point) {
  int64_t from[5] = {at[0], at[1]};
  int64_t each = n_neighbours(s);
  int64_t n = 1;
  double sum = 0;
  for (int32_t d = 0; d < s->n; ++d) {
    n *= each;
  }
  for (int64_t i = 0; i < n; ++i) {
    double weight = 1;
    bool is_in = true;
    int64_t rest = i;
    for (int32_t d = s->n; d-- > 0;) {
      double extent = (double)x->shape[2 + d];
      double place = 0;
      weight *= neighbour(s, point[d], rest % each, &place);
      rest /= each;
      place = s->method == LINEAR ? place : brought_inside(s, place, extent);
      bool is_clamped = s->outside != ZEROS;
      is_in = is_in && (is_clamped || (place >= 0 && place <= extent - 1));
      from[2 + d] = (int64_t)fmin(fmax(place, 0), extent - 1);
    }
    sum += is_in ? weight * tn_array_get_f64(x, tn_ravel(x, from)) : 0;
  }
  return sum;
}

tn_status tn_op_eval_grid_sample(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                 tn_array *out) {
  int64_t shape[5];
  int64_t at[5];
  double point[3];
  sampling s;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim != args[1]->ndim) {
    return TN_ERR(TN_INVALID, "expected data and a grid");
  }
  const tn_array *x = args[0];
  const tn_array *grid = args[1];
  TN_TRY(read_sampling(call, x->ndim, &s));
  shape[0] = x->shape[0];
  shape[1] = x->shape[1];
  bool is_fine = grid->shape[0] == shape[0] && grid->shape[s.n + 1] == s.n;
  for (int32_t d = 0; d < s.n; ++d) {
    shape[2 + d] = grid->shape[1 + d];
    is_fine = is_fine && x->shape[2 + d] > 0;
  }
  if (!is_fine) {
    return TN_ERR(TN_INVALID, "the grid does not fit the data");
  }
  TN_TRY(tn_array_init(out, x->dtype, x->ndim, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    int64_t row = 0;
    tn_unravel(out, i, at);
    row = at[0];
    for (int32_t d = 0; d < s.n; ++d) {
      row = row * shape[2 + d] + at[2 + d];
    }
    for (int32_t d = 0; d < s.n; ++d) { /* x first: the last dimension */
      double extent = (double)x->shape[2 + d];
      double value = tn_array_get_f64(grid, row * s.n + (s.n - 1 - d));
      point[d] = unnormalised(&s, value, extent);
      point[d] = s.method == CUBIC ? point[d] : brought_inside(&s, point[d], extent);
    }
    tn_array_set_f64(out, i, sampled(&s, x, at, point));
  }
  return NULL;
}

/* ---- loop form ---- */

typedef struct sample_build {
  tn_kernel *k;
  sampling s;
  tn_dtype work;
} sample_build;

static const tn_node *num(const sample_build *g, double value) {
  return tn_te_number(g->k->te, g->work, value);
}

static const tn_node *fn(const sample_build *g, tn_intrin_id id, const tn_node *x) {
  return tn_te_intrin(g->k->te, id, TN_TE_LIST(x));
}

static const tn_node *clamped_te(const sample_build *g, const tn_node *x, const tn_node *extent) {
  const tn_node *last = tn_te_sub(g->k->te, extent, num(g, 1));
  return tn_te_min(g->k->te, tn_te_max(g->k->te, x, num(g, 0)), last);
}

static const tn_node *unnormalised_te(const sample_build *g, const tn_node *x,
                                      const tn_node *extent) {
  tn_te *te = g->k->te;
  const tn_node *right = tn_te_add(te, x, num(g, 1));
  if (g->s.is_aligned) {
    return tn_te_mul(te, tn_te_div(te, right, num(g, 2)), tn_te_sub(te, extent, num(g, 1)));
  }
  return tn_te_div(te, tn_te_sub(te, tn_te_mul(te, right, extent), num(g, 1)), num(g, 2));
}

static const tn_node *reflected_te(const sample_build *g, const tn_node *x, const tn_node *extent) {
  tn_te *te = g->k->te;
  const tn_node *low = num(g, g->s.is_aligned ? 0 : -0.5);
  const tn_node *span = g->s.is_aligned ? tn_te_sub(te, extent, num(g, 1)) : extent;
  const tn_node *off = fn(g, TN_INTRIN_FABS, tn_te_sub(te, x, low));
  const tn_node *turns = fn(g, TN_INTRIN_FLOOR, tn_te_div(te, off, span));
  const tn_node *rest = tn_te_sub(te, off, tn_te_mul(te, turns, span));
  const tn_node *half = tn_te_mul(te, turns, num(g, 0.5));
  const tn_node *is_even = tn_te_eq(te, half, fn(g, TN_INTRIN_FLOOR, half));
  const tn_node *turned =
      tn_te_add(te, tn_te_if_then_else(te, is_even, rest, tn_te_sub(te, span, rest)), low);
  return tn_te_if_then_else(te, tn_te_gt(te, span, num(g, 0)), turned, num(g, 0));
}

static const tn_node *brought_inside_te(const sample_build *g, const tn_node *x,
                                        const tn_node *extent) {
  if (g->s.outside == ZEROS) {
    return x;
  }
  x = g->s.outside == REFLECTION ? reflected_te(g, x, extent) : x;
  return clamped_te(g, x, extent);
}

static const tn_node *cubic_weight_te(const sample_build *g, const tn_node *x) {
  tn_te *te = g->k->te;
  double a = cubic_alpha;
  const tn_node *near = tn_te_sub(te, tn_te_mul(te, num(g, a + 2), x), num(g, a + 3));
  near = tn_te_add(te, tn_te_mul(te, tn_te_mul(te, near, x), x), num(g, 1));
  const tn_node *far = tn_te_sub(te, tn_te_mul(te, num(g, a), x), num(g, 5 * a));
  far = tn_te_add(te, tn_te_mul(te, far, x), num(g, 8 * a));
  far = tn_te_sub(te, tn_te_mul(te, far, x), num(g, 4 * a));
  return tn_te_if_then_else(te, tn_te_le(te, x, num(g, 1)), near, far);
}

/* The place of neighbour t of coordinate x, and its weight. */
static const tn_node *neighbour_te(const sample_build *g, const tn_node *x, int64_t t,
                                   const tn_node **out_place) {
  tn_te *te = g->k->te;
  if (g->s.method == NEAREST) {
    *out_place = fn(g, TN_INTRIN_ROUND, x);
    return num(g, 1);
  }
  int64_t first = g->s.method == CUBIC ? 1 : 0;
  *out_place = tn_te_add(te, fn(g, TN_INTRIN_FLOOR, x), num(g, (double)(t - first)));
  const tn_node *off = fn(g, TN_INTRIN_FABS, tn_te_sub(te, *out_place, x));
  return g->s.method == CUBIC ? cubic_weight_te(g, off) : tn_te_sub(te, num(g, 1), off);
}

/* One of the products whose sum the value is; i: which neighbour of each dimension. */
static const tn_node *product_te(const sample_build *g, const tn_node *x,
                                 const tn_node *const *point, const tn_node *const *extents,
                                 int64_t i) {
  tn_te *te = g->k->te;
  const tn_node *from[5] = {g->k->axes[0], g->k->axes[1]};
  const tn_node *weight = NULL;
  const tn_node *is_in = NULL;
  int64_t each = n_neighbours(&g->s);
  for (int32_t d = g->s.n; d-- > 0;) {
    const tn_node *place = NULL;
    const tn_node *share = neighbour_te(g, point[d], i % each, &place);
    i /= each;
    weight = weight == NULL ? share : tn_te_mul(te, weight, share);
    place = g->s.method == LINEAR ? place : brought_inside_te(g, place, extents[d]);
    if (g->s.outside == ZEROS) {
      const tn_node *is_here =
          tn_te_and(te, tn_te_ge(te, place, num(g, 0)), tn_te_lt(te, place, extents[d]));
      is_in = is_in == NULL ? is_here : tn_te_and(te, is_in, is_here);
    }
    place = tn_te_cast(te, TN_DT_I64, clamped_te(g, place, extents[d]));
    /* NaN has no place: the conversion gives 0 */
    from[2 + d] = place;
  }
  const tn_node *value = tn_te_mul(te, weight, tn_te_cast(te, g->work, tn_te_load(te, x, from)));
  return is_in == NULL ? value : tn_te_if_then_else(te, is_in, value, num(g, 0));
}

static tn_status build_grid_sample(tn_kernel *k, const tn_node *type) {
  sample_build g = {.k = k};
  const tn_node *out = NULL;
  const tn_node *sum = NULL;
  const tn_node *at[5];
  const tn_node *point[3];
  const tn_node *extents[3];
  const tn_node *x = k->buffers.data[0];
  const tn_node *grid = k->buffers.data[1];
  int64_t n = 1;
  TN_TRY(read_sampling(k->call, tn_buffer_ndim(x), &g.s));
  g.work = x->dtype == TN_DT_F64 || grid->dtype == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  at[0] = k->axes[0];
  for (int32_t d = 0; d < g.s.n; ++d) {
    at[1 + d] = k->axes[2 + d];
    n *= n_neighbours(&g.s);
  }
  for (int32_t d = 0; d < g.s.n; ++d) {
    at[1 + g.s.n] = tn_int(k->ir, TN_DT_I64, g.s.n - 1 - d);
    extents[d] = tn_te_cast(k->te, g.work, x->in[TN_BUFFER_SHAPE]->in[2 + d]);
    const tn_node *value = tn_te_cast(k->te, g.work, tn_te_load(k->te, grid, at));
    point[d] = unnormalised_te(&g, value, extents[d]);
    point[d] = g.s.method == CUBIC ? point[d] : brought_inside_te(&g, point[d], extents[d]);
  }
  for (int64_t i = 0; i < n; ++i) {
    const tn_node *product = product_te(&g, x, point, extents, i);
    sum = sum == NULL ? product : tn_te_add(k->te, sum, product);
  }
  tn_te_end_into(k->te, out, k->axes, tn_te_cast(k->te, out->dtype, sum), NULL);
  return NULL;
}

tn_status tn_op_lower_grid_sample(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "grid_sample", build_grid_sample, out_func);
}
