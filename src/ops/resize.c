/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Resizing along axes, one after another: image.resize2d and image.resize3d of pictures, and
 * image.resize_axis of any one axis, with all that ONNX Resize knows (opset 19). Coordinates are
 * computed in float64 (the nearest by a given scale: float32), values in float32 (float64 where the
 * data is that). Loop form for an axis of I elements that gets O:
 *
 *   at[o] = coordinate of o in the data                        weight[o, t] = share of neighbour t
 *   out[..., o, ...] += weight[o, t] * x[..., clamp(floor(at[o]) + first + t), ...] */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c: of the pictures', and of resize_axis. */
enum { LAYOUT, METHOD, MODE, ROUNDING, ALPHA, EXCLUDE, EXTRAPOLATION };
enum { AXIS, SCALE = EXTRAPOLATION + 1, BEGIN, END, ANTIALIAS };

typedef enum method { NEAREST, LINEAR, CUBIC } method;
typedef enum mode {
  HALF_PIXEL,
  PYTORCH_HALF_PIXEL,
  HALF_PIXEL_SYMMETRIC,
  ALIGN_CORNERS,
  ASYMMETRIC,
  TF_HALF_PIXEL_FOR_NN,
  TF_CROP_AND_RESIZE
} mode;
typedef enum rounding { PREFER_FLOOR, PREFER_CEIL, FLOOR, CEIL } rounding;

/* How one axis is resized. */
typedef struct resizing {
  method method;
  mode mode;
  rounding rounding;
  double alpha; /* of the cubic */
  double scale; /* 0: the ratio of the extents */
  double begin; /* part of the axis that tf_crop_and_resize takes */
  double end;
  double extrapolation; /* what is outside of the data then */
  bool excludes;        /* neighbours outside have no weight */
  bool is_smooth;       /* antialias */
  int32_t n_axes;
  int64_t axes[TN_MAX_SPATIAL];
} resizing;

typedef struct name_row {
  const char *name;
  int value;
} name_row;

static tn_status find_name(const name_row *rows, size_t n, const char *field, const char *text,
                           int *out) {
  for (size_t i = 0; i < n; ++i) {
    if (strcmp(rows[i].name, text) == 0) {
      *out = rows[i].value;
      return NULL;
    }
  }
  return TN_ERR(TN_UNSUPPORTED, "%s '%s'", field, text);
}

static tn_status read_names(const tn_node *call, resizing *r) {
  static const name_row methods[] = {{"", LINEAR},         {"nearest_neighbor", NEAREST},
                                     {"nearest", NEAREST}, {"linear", LINEAR},
                                     {"bilinear", LINEAR}, {"cubic", CUBIC},
                                     {"bicubic", CUBIC}};
  static const name_row modes[] = {{"", HALF_PIXEL},
                                   {"half_pixel", HALF_PIXEL},
                                   {"pytorch_half_pixel", PYTORCH_HALF_PIXEL},
                                   {"half_pixel_symmetric", HALF_PIXEL_SYMMETRIC},
                                   {"align_corners", ALIGN_CORNERS},
                                   {"asymmetric", ASYMMETRIC},
                                   {"tf_half_pixel_for_nn", TF_HALF_PIXEL_FOR_NN},
                                   {"tf_crop_and_resize", TF_CROP_AND_RESIZE}};
  static const name_row roundings[] = {{"", PREFER_FLOOR},
                                       {"round", PREFER_FLOOR},
                                       {"round_prefer_floor", PREFER_FLOOR},
                                       {"round_prefer_ceil", PREFER_CEIL},
                                       {"floor", FLOOR},
                                       {"ceil", CEIL}};
  int found = 0;
  TN_TRY(find_name(methods, sizeof methods / sizeof methods[0], "method", tn_op_text(call, METHOD),
                   &found));
  r->method = (method)found;
  TN_TRY(find_name(modes, sizeof modes / sizeof modes[0], "coordinate_transformation_mode",
                   tn_op_text(call, MODE), &found));
  r->mode = (mode)found;
  TN_TRY(find_name(roundings, sizeof roundings / sizeof roundings[0], "rounding_method",
                   tn_op_text(call, ROUNDING), &found));
  r->rounding = (rounding)found;
  return NULL;
}

static bool is_one_axis(const tn_node *call) { return call->attr.def->name[12] == '_'; }

static tn_status read_resizing(const tn_node *call, int64_t ndim, resizing *out) {
  resizing r = {.end = 1};
  TN_TRY(read_names(call, &r));
  r.alpha = tn_op_float(call, ALPHA);
  r.excludes = tn_op_int(call, EXCLUDE) != 0;
  r.extrapolation = tn_op_float(call, EXTRAPOLATION);
  if (is_one_axis(call)) {
    r.n_axes = 1;
    r.scale = tn_op_float(call, SCALE);
    r.begin = tn_op_float(call, BEGIN);
    r.end = tn_op_float(call, END);
    r.is_smooth = tn_op_int(call, ANTIALIAS) != 0;
    if (!(r.scale >= 0) || isinf(r.scale)) {
      return TN_ERR(TN_INVALID, "'scale' is %g, expected a number above 0", r.scale);
    }
    *out = r;
    return tn_op_axis("image.resize_axis", tn_op_int(call, AXIS), ndim, &out->axes[0]);
  }
  tn_layout layout;
  r.n_axes = call->attr.def->name[12] - '0'; /* image.resize2d */
  if (ndim != r.n_axes + 2) {
    return TN_ERR(TN_INVALID, "the data has %" PRId64 " dimensions, expected %d", ndim,
                  r.n_axes + 2);
  }
  TN_TRY(tn_layout_read(tn_op_text(call, LAYOUT), "NC", r.n_axes, &layout));
  for (int32_t d = 0; d < r.n_axes; ++d) {
    r.axes[d] = layout.at[2 + d];
  }
  *out = r;
  return NULL;
}

/* ---- type ---- */

tn_status tn_op_infer_resize(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *x = NULL;
  const tn_node *size = NULL;
  const tn_node *dims[TN_MAX_NDIM];
  resizing r;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &x));
  TN_TRY(tn_graph_infer(ctx, tn_call_arg(call, 1), &size));
  if (size->op != TN_OP_TY_SHAPE) {
    return TN_ERR(TN_INVALID, "the size is no shape");
  }
  const tn_node *shape = tn_op_shape(x);
  if (x->attr.i64 < 0 || x->attr.i64 > TN_MAX_NDIM || shape == NULL || tn_is_none(size->in[0])) {
    *out_type = tn_ty_tensor(ctx->ir, x->dtype, x->attr.i64, NULL);
    return NULL;
  }
  TN_TRY(read_resizing(call, x->attr.i64, &r));
  if (size->in[0]->n_in != (uint32_t)r.n_axes) {
    return TN_ERR(TN_INVALID, "a size of %u extents, expected %d", size->in[0]->n_in, r.n_axes);
  }
  if (r.method != NEAREST) { /* means of integers would hang on the last bit */
    TN_TRY(tn_op_want_float(x));
  }
  memcpy(dims, shape->in, sizeof(const tn_node *) * shape->n_in);
  for (int32_t d = 0; d < r.n_axes; ++d) {
    const tn_node *to = size->in[0]->in[d];
    if ((to->op == TN_OP_INT && to->attr.i64 < 0) ||
        (tn_is_int(dims[r.axes[d]], 0) && !tn_is_int(to, 0))) {
      return TN_ERR(TN_INVALID, "axis %" PRId64 " cannot get such an extent", r.axes[d]);
    }
    dims[r.axes[d]] = to;
  }
  *out_type = tn_ty_tensor(ctx->ir, x->dtype, shape->n_in, tn_list(ctx->ir, shape->n_in, dims));
  return NULL;
}

/* ---- coordinates and weights, on numbers ---- */

/* A given scale is a float32: 0.6 is a little more there, and 3 / 0.6 a little less than 5, whose floor
 * is 4. Division in float32 gives the 5 that was meant, so the nearest element is found in it. */
static bool is_single(const resizing *r) { return r->method == NEAREST && r->scale > 0; }

static double quotient(const resizing *r, double a, double b) {
  return is_single(r) ? (double)((float)a / (float)b) : a / b;
}

static double difference(const resizing *r, double a, double b) {
  return is_single(r) ? (double)((float)a - (float)b) : a - b;
}

static double coordinate(const resizing *r, double o, double in, double out) {
  double scale = r->scale > 0 ? r->scale : out / in;
  double half = difference(r, quotient(r, o + 0.5, scale), 0.5);
  switch (r->mode) {
    case PYTORCH_HALF_PIXEL:
      return out > 1 ? half : 0;
    case HALF_PIXEL:
      break;
    case HALF_PIXEL_SYMMETRIC: /* 0 is added where the scale is the ratio */
      return r->scale > 0 ? in / 2 * (1 - out / (scale * in)) + half : half;
    case ALIGN_CORNERS:
      return out > 1 ? o * (in - 1) / (out - 1) : 0;
    case ASYMMETRIC:
      return quotient(r, o, scale);
    case TF_HALF_PIXEL_FOR_NN:
      return quotient(r, o + 0.5, scale);
    case TF_CROP_AND_RESIZE:
      return out > 1 ? r->begin * (in - 1) + o * (r->end - r->begin) * (in - 1) / (out - 1)
                     : 0.5 * (r->begin + r->end) * (in - 1);
  }
  return half;
}

static double rounded(rounding how, double x) {
  switch (how) {
    case PREFER_FLOOR:
      return ceil(x - 0.5);
    case PREFER_CEIL:
      return floor(x + 0.5);
    case FLOOR:
      return floor(x);
    case CEIL:
      break;
  }
  return ceil(x);
}

/* How much the neighbours that count spread when the axis shrinks: 1 or less. */
static double spread_of(const resizing *r, double in, double out) {
  double scale = r->scale > 0 ? r->scale : out / in;
  return r->is_smooth && scale < 1 ? scale : 1;
}

/* Neighbours first ... first + n - 1, counted from the floor of the coordinate. */
static void neighbours(const resizing *r, double spread, int64_t *out_first, int64_t *out_n) {
  double reach = r->method == CUBIC ? 2 : 1;
  *out_first = r->method == NEAREST ? 0 : (int64_t)floor(-reach / spread) + 1;
  *out_n = r->method == NEAREST ? 1 : 2 - 2 * *out_first;
}

/* The weight of what is `distance` away, by Keys' cubic or a triangle. */
static double weight_at(const resizing *r, double distance) {
  double x = fabs(distance);
  double a = r->alpha;
  if (r->method == LINEAR) {
    return x < 1 ? 1 - x : 0;
  }
  return x <= 1  ? ((a + 2) * x - (a + 3)) * x * x + 1
         : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
                 : 0;
}

/* ---- reference ---- */

/* The value of place `o` from the row x[first], x[first + stride] ... of n elements. */
static double value_of(const resizing *r, const tn_array *x, int64_t first, int64_t stride,
                       int64_t n, int64_t o, int64_t n_out) {
  double at = coordinate(r, (double)o, (double)n, (double)n_out);
  double spread = spread_of(r, (double)n, (double)n_out);
  double sum = 0;
  double total = 0;
  int64_t from = 0;
  int64_t count = 0;
  if (r->mode == TF_CROP_AND_RESIZE && (at < 0 || at > (double)(n - 1))) {
    return r->extrapolation;
  }
  neighbours(r, spread, &from, &count);
  double base = r->method == NEAREST ? rounded(r->rounding, at) : floor(at);
  for (int64_t t = 0; t < count; ++t) {
    double place = base + (double)(from + t);
    double weight = r->method == NEAREST ? 1 : weight_at(r, (place - at) * spread);
    bool is_outside = place < 0 || place > (double)(n - 1);
    weight = is_outside && r->excludes ? 0 : weight;
    int64_t clamped = place < 0 ? 0 : is_outside ? n - 1 : (int64_t)place;
    sum += weight * tn_array_get_f64(x, first + clamped * stride);
    total += weight;
  }
  return sum / total;
}

/* Where the nearest element of place `o` lies among n; -1: nowhere. */
static int64_t nearest(const resizing *r, int64_t n, int64_t o, int64_t n_out) {
  double at = coordinate(r, (double)o, (double)n, (double)n_out);
  double place = rounded(r->rounding, at);
  if (r->mode == TF_CROP_AND_RESIZE && (at < 0 || at > (double)(n - 1))) {
    return -1;
  }
  return place < 0 ? 0 : place > (double)(n - 1) ? n - 1 : (int64_t)place;
}

/* Integers of 64 bits are more than a double holds: the nearest one is copied. */
static tn_status eval_axis(const resizing *r, int64_t axis, int64_t n_out, tn_dtype dtype,
                           const tn_array *x, tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t stride = 1;
  memcpy(shape, x->shape, sizeof shape);
  shape[axis] = n_out;
  TN_TRY(tn_array_init(out, dtype, x->ndim, shape));
  for (int32_t d = x->ndim - 1; d > axis; --d) {
    stride *= x->shape[d];
  }
  int64_t n_in = x->shape[axis];
  int64_t n = n_in == 0 ? 0 : tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    int64_t o = i / stride % n_out;
    int64_t first = i / (stride * n_out) * stride * n_in + i % stride;
    int64_t from = r->method == NEAREST ? nearest(r, n_in, o, n_out) : -1;
    if (from >= 0 && !tn_dtype_is_any_float(x->dtype)) {
      tn_array_set_i64(out, i, tn_array_get_i64(x, first + from * stride));
    } else {
      tn_array_set_f64(out, i, value_of(r, x, first, stride, n_in, o, n_out));
    }
  }
  return NULL;
}

tn_status tn_op_eval_resize(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  resizing r;
  tn_array steps[TN_MAX_SPATIAL] = {{0}};
  tn_status st = NULL;
  if (n_args != 2 || args[0] == NULL || args[1] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor and a size");
  }
  TN_TRY(read_resizing(call, args[0]->ndim, &r));
  if (tn_array_n_elems(args[1]) != r.n_axes) {
    return TN_ERR(TN_INVALID, "a size of %" PRId64 " extents, expected %d",
                  tn_array_n_elems(args[1]), r.n_axes);
  }
  const tn_array *x = args[0];
  for (int32_t d = 0; d < r.n_axes; ++d) {
    bool is_last = d == r.n_axes - 1;
    tn_array *to = is_last ? out : &steps[d];
    TN_GOTO(st,
            eval_axis(&r, r.axes[d], tn_array_get_i64(args[1], d),
                      is_last || r.method == NEAREST ? args[0]->dtype : TN_DT_F64, x, to),
            done);
    x = to;
  }
done:
  for (int32_t d = 0; d < r.n_axes; ++d) {
    tn_array_deinit(&steps[d]);
  }
  return st;
}

/* ---- coordinates and weights, as expressions ---- */

static const tn_node *f64(tn_kernel *k, double value) {
  return tn_te_number(k->te, TN_DT_F64, value);
}

static const tn_node *as_f64(tn_kernel *k, const tn_node *x) {
  return tn_te_cast(k->te, TN_DT_F64, x);
}

/* As `quotient` and `difference` have it: of float32, as float64. */
static const tn_node *narrowed(tn_kernel *k, const resizing *r, const tn_node *x) {
  return is_single(r) ? tn_te_cast(k->te, TN_DT_F32, x) : x;
}

static const tn_node *quotient_te(tn_kernel *k, const resizing *r, const tn_node *a,
                                  const tn_node *b) {
  return as_f64(k, tn_te_div(k->te, narrowed(k, r, a), narrowed(k, r, b)));
}

/* (o + 0.5) / scale */
static const tn_node *centre(tn_kernel *k, const resizing *r, const tn_node *o,
                             const tn_node *scale) {
  return quotient_te(k, r, tn_te_add(k->te, o, f64(k, 0.5)), scale);
}

/* (o + 0.5) / scale - 0.5 */
static const tn_node *half_te(tn_kernel *k, const resizing *r, const tn_node *o,
                              const tn_node *scale) {
  const tn_node *at = narrowed(k, r, centre(k, r, o, scale));
  return as_f64(k, tn_te_sub(k->te, at, narrowed(k, r, f64(k, 0.5))));
}

/* a * (in - 1) */
static const tn_node *of_last(tn_kernel *k, double a, const tn_node *in) {
  return tn_te_mul(k->te, f64(k, a), tn_te_sub(k->te, in, f64(k, 1)));
}

static const tn_node *coordinate_te(tn_kernel *k, const resizing *r, const tn_node *o,
                                    const tn_node *in, const tn_node *out) {
  const tn_node *scale = r->scale > 0 ? f64(k, r->scale) : tn_te_div(k->te, out, in);
  const tn_node *half = half_te(k, r, o, scale);
  const tn_node *is_many = tn_te_gt(k->te, out, f64(k, 1));
  const tn_node *span = tn_te_sub(k->te, out, f64(k, 1));
  switch (r->mode) {
    case HALF_PIXEL:
      break;
    case PYTORCH_HALF_PIXEL:
      return tn_te_if_then_else(k->te, is_many, half, f64(k, 0));
    case HALF_PIXEL_SYMMETRIC: {
      if (r->scale <= 0) {
        return half;
      }
      const tn_node *share = tn_te_div(k->te, out, tn_te_mul(k->te, scale, in));
      const tn_node *shift =
          tn_te_mul(k->te, tn_te_div(k->te, in, f64(k, 2)), tn_te_sub(k->te, f64(k, 1), share));
      return tn_te_add(k->te, shift, half);
    }
    case ALIGN_CORNERS: {
      const tn_node *far = tn_te_mul(k->te, o, tn_te_sub(k->te, in, f64(k, 1)));
      return tn_te_if_then_else(k->te, is_many, tn_te_div(k->te, far, span), f64(k, 0));
    }
    case ASYMMETRIC:
      return quotient_te(k, r, o, scale);
    case TF_HALF_PIXEL_FOR_NN:
      return centre(k, r, o, scale);
    case TF_CROP_AND_RESIZE: {
      const tn_node *far = tn_te_mul(k->te, tn_te_mul(k->te, o, f64(k, r->end - r->begin)),
                                     tn_te_sub(k->te, in, f64(k, 1)));
      const tn_node *at = tn_te_add(k->te, of_last(k, r->begin, in), tn_te_div(k->te, far, span));
      const tn_node *middle = of_last(k, 0.5 * (r->begin + r->end), in);
      return tn_te_if_then_else(k->te, is_many, at, middle);
    }
  }
  return half;
}

static const tn_node *rounded_te(tn_kernel *k, rounding how, const tn_node *x) {
  const tn_node *below = tn_te_sub(k->te, x, f64(k, 0.5));
  const tn_node *above = tn_te_add(k->te, x, f64(k, 0.5));
  switch (how) {
    case PREFER_FLOOR:
      return tn_te_intrin(k->te, TN_INTRIN_CEIL, TN_TE_LIST(below));
    case PREFER_CEIL:
      return tn_te_intrin(k->te, TN_INTRIN_FLOOR, TN_TE_LIST(above));
    case FLOOR:
      return tn_te_intrin(k->te, TN_INTRIN_FLOOR, TN_TE_LIST(x));
    case CEIL:
      break;
  }
  return tn_te_intrin(k->te, TN_INTRIN_CEIL, TN_TE_LIST(x));
}

static const tn_node *weight_te(tn_kernel *k, const resizing *r, const tn_node *distance) {
  const tn_node *x = tn_te_intrin(k->te, TN_INTRIN_FABS, TN_TE_LIST(distance));
  const tn_node *one = f64(k, 1);
  double a = r->alpha;
  if (r->method == LINEAR) {
    return tn_te_max(k->te, tn_te_sub(k->te, one, x), f64(k, 0));
  }
  const tn_node *square = tn_te_mul(k->te, x, x);
  const tn_node *near = tn_te_sub(k->te, tn_te_mul(k->te, f64(k, a + 2), x), f64(k, a + 3));
  near = tn_te_add(k->te, tn_te_mul(k->te, near, square), one);
  const tn_node *far = tn_te_sub(k->te, tn_te_mul(k->te, f64(k, a), x), f64(k, 5 * a));
  far = tn_te_add(k->te, tn_te_mul(k->te, far, x), f64(k, 8 * a));
  far = tn_te_sub(k->te, tn_te_mul(k->te, far, x), f64(k, 4 * a));
  far = tn_te_if_then_else(k->te, tn_te_lt(k->te, x, f64(k, 2)), far, f64(k, 0));
  return tn_te_if_then_else(k->te, tn_te_le(k->te, x, one), near, far);
}

/* ---- loop form ---- */

/* What the blocks of one axis share. */
typedef struct axis_build {
  const resizing *r;
  int64_t axis;
  const tn_node *in; /* extents */
  const tn_node *out;
  const tn_node *at;     /* coordinates, [out] of float64 */
  const tn_node *weight; /* [out, neighbours]; NULL: nearest */
  double spread;
  int64_t first;
  int64_t n;
} axis_build;

/* The place of neighbour t (NULL: the nearest) of the block's place o, as float64. */
static const tn_node *place_te(tn_kernel *k, const axis_build *b, const tn_node *o,
                               const tn_node *t) {
  const tn_node *at = tn_te_load(k->te, b->at, &o);
  if (t == NULL) {
    return rounded_te(k, b->r->rounding, at);
  }
  const tn_node *step = tn_te_add(k->te, t, tn_int(k->ir, TN_DT_I64, b->first));
  return tn_te_add(k->te, tn_te_intrin(k->te, TN_INTRIN_FLOOR, TN_TE_LIST(at)), as_f64(k, step));
}

static void build_coordinates(tn_kernel *k, axis_build *b) {
  tn_kernel_begin(k, "T_at", 1, &b->out, 0, NULL);
  b->at = tn_te_end(
      k->te, coordinate_te(k, b->r, as_f64(k, k->axes[0]), as_f64(k, b->in), as_f64(k, b->out)));
}

/* weight[o, t], those of a place adding up to 1 */
static void build_weights(tn_kernel *k, axis_build *b) {
  const tn_node *dims[2] = {b->out, tn_int(k->ir, TN_DT_I64, b->n)};
  tn_kernel_begin(k, "T_share", 2, dims, 0, NULL);
  const tn_node *place = place_te(k, b, k->axes[0], k->axes[1]);
  const tn_node *off = tn_te_sub(k->te, place, tn_te_load(k->te, b->at, k->axes));
  const tn_node *weight = weight_te(k, b->r, tn_te_mul(k->te, off, f64(k, b->spread)));
  if (b->r->excludes) {
    const tn_node *is_in = tn_te_and(k->te, tn_te_ge(k->te, place, f64(k, 0)),
                                     tn_te_lt(k->te, place, as_f64(k, b->in)));
    weight = tn_te_if_then_else(k->te, is_in, weight, f64(k, 0));
  }
  const tn_node *share = tn_te_end(k->te, weight);
  tn_kernel_begin(k, "T_total", 1, dims, 1, &dims[1]);
  const tn_node *total = tn_te_end_reduce(k->te, TN_TE_SUM, tn_te_load(k->te, share, k->axes));
  tn_kernel_begin(k, "T_weight", 2, dims, 0, NULL);
  b->weight = tn_te_end(k->te, tn_te_div(k->te, tn_te_load(k->te, share, k->axes),
                                         tn_te_load(k->te, total, k->axes)));
}

/* The element of `x` at the place of neighbour t, brought to the nearest end. */
static const tn_node *neighbour(tn_kernel *k, const axis_build *b, const tn_node *x,
                                const tn_node *t) {
  const tn_node *from[TN_MAX_NDIM];
  memcpy(from, k->axes, sizeof(const tn_node *) * tn_buffer_ndim(x));
  const tn_node *zero = tn_int(k->ir, TN_DT_I64, 0);
  const tn_node *last = tn_op_simplify(k->ir, tn_te_sub(k->te, b->in, tn_int(k->ir, TN_DT_I64, 1)));
  const tn_node *place = tn_te_cast(k->te, TN_DT_I64, place_te(k, b, k->axes[b->axis], t));
  from[b->axis] = tn_te_max(k->te, tn_te_min(k->te, place, last), zero);
  return tn_te_load(k->te, x, from);
}

/* tf_crop_and_resize: what lies outside has a value of its own. */
static const tn_node *or_outside(tn_kernel *k, const axis_build *b, const tn_node *value) {
  if (b->r->mode != TF_CROP_AND_RESIZE) {
    return value;
  }
  const tn_node *at = tn_te_load(k->te, b->at, &k->axes[b->axis]);
  const tn_node *last = of_last(k, 1, as_f64(k, b->in));
  const tn_node *is_in =
      tn_te_and(k->te, tn_te_ge(k->te, at, f64(k, 0)), tn_te_le(k->te, at, last));
  const tn_node *otherwise =
      tn_te_cast(k->te, value->dtype, tn_float(k->ir, TN_DT_F64, b->r->extrapolation));
  return tn_te_if_then_else(k->te, is_in, value, otherwise);
}

static tn_status plan_axis(const resizing *r, axis_build *b) {
  bool is_known =
      r->scale > 0 || (b->in->op == TN_OP_INT && b->out->op == TN_OP_INT) || !r->is_smooth;
  if (!is_known) {
    return TN_ERR(TN_UNSUPPORTED, "antialias with a scale that is not known while compiling");
  }
  bool is_number = b->in->op == TN_OP_INT && b->out->op == TN_OP_INT && b->in->attr.i64 > 0;
  b->spread = is_number || r->scale > 0 ? spread_of(r, is_number ? (double)b->in->attr.i64 : 1,
                                                    is_number ? (double)b->out->attr.i64 : 1)
                                        : 1;
  neighbours(r, b->spread > 0 ? b->spread : 1, &b->first, &b->n);
  return NULL;
}

/* x with one axis resized, in a tensor of its own or `out`. */
static tn_status build_axis(tn_kernel *k, const resizing *r, int64_t axis, const tn_node *extent,
                            const tn_node *out, const tn_node **io_x) {
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *x = *io_x;
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  axis_build b = {.r = r, .axis = axis, .in = shape->in[axis], .out = extent};
  tn_dtype work = x->dtype == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32;
  TN_TRY(plan_axis(r, &b));
  memcpy(dims, shape->in, sizeof(const tn_node *) * shape->n_in);
  dims[axis] = extent;
  build_coordinates(k, &b);
  if (r->method == NEAREST) {
    tn_dtype dtype = x->dtype;
    const tn_node *to =
        out != NULL ? out : tn_te_declare(k->te, "T_resize", dtype, shape->n_in, dims);
    tn_kernel_begin(k, "T_resize", shape->n_in, dims, 0, NULL);
    tn_te_end_into(k->te, to, k->axes, or_outside(k, &b, neighbour(k, &b, x, NULL)), NULL);
    *io_x = to;
    return NULL;
  }
  build_weights(k, &b);
  const tn_node *n = tn_int(k->ir, TN_DT_I64, b.n);
  const tn_node *sum = tn_te_declare(k->te, "T_resize", work, shape->n_in, dims);
  tn_kernel_begin(k, "T_resize", shape->n_in, dims, 1, &n);
  const tn_node *t = k->axes[shape->n_in];
  const tn_node *const at[2] = {k->axes[axis], t};
  const tn_node *weight = tn_te_cast(k->te, work, tn_te_load(k->te, b.weight, at));
  const tn_node *value = tn_te_cast(k->te, work, neighbour(k, &b, x, t));
  tn_te_end_reduce_into(k->te, TN_TE_SUM, sum, k->axes, tn_te_mul(k->te, weight, value));
  *io_x = sum;
  if (out != NULL || r->mode == TF_CROP_AND_RESIZE) {
    const tn_node *to = out != NULL ? out : tn_te_declare(k->te, "T_crop", work, shape->n_in, dims);
    tn_kernel_begin(k, "T_value", shape->n_in, dims, 0, NULL);
    value = or_outside(k, &b, tn_te_load(k->te, sum, k->axes));
    tn_te_end_into(k->te, to, k->axes, tn_te_cast(k->te, to->dtype, value), NULL);
    *io_x = to;
  }
  return NULL;
}

static tn_status build_resize(tn_kernel *k, const tn_node *type) {
  resizing r;
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  TN_TRY(read_resizing(k->call, tn_buffer_ndim(x), &r));
  TN_TRY(tn_kernel_result(k, type, &out));
  for (int32_t d = 0; d < r.n_axes; ++d) {
    bool is_last = d == r.n_axes - 1;
    TN_TRY(build_axis(k, &r, r.axes[d], out->in[TN_BUFFER_SHAPE]->in[r.axes[d]],
                      is_last ? out : NULL, &x));
  }
  return NULL;
}

tn_status tn_op_lower_resize(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, is_one_axis(call) ? "resize_axis" : call->attr.def->name + 6,
                        build_resize, out_func);
}
