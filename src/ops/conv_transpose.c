/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Transposed convolutions of one, two and three spatial dimensions: each element of the data adds
 * its multiple of the kernel to the result. Products and sums are in out_dtype, the reference's sums
 * in float64. Loop form: a copy of the data with zeros between and around its elements, over which a
 * window slides by ones
 *
 *   wide[n, i, y] = (y - low) is a multiple of s inside the data ? x[n, i, (y - low) / s] : 0
 *   out[n, o, y] += wide[n, g * I + i, y + (K - 1 - k) * d] * W[g * I + i, o % O, k]
 *
 * with low = (K - 1) * d - padding. */
#include <inttypes.h>

#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum {
  STRIDES,
  PADDING,
  OUTPUT_PADDING,
  DILATION,
  GROUPS,
  DATA_LAYOUT,
  KERNEL_LAYOUT,
  OUT_LAYOUT,
  OUT_DTYPE
};
enum { MAX_DIMS = 2 + TN_MAX_SPATIAL };

typedef struct transposed {
  int32_t n; /* spatial dimensions */
  int64_t groups;
  tn_layout data;
  tn_layout kernel; /* at[0]: input channels, at[1]: output channels of a group */
  tn_layout out;
  tn_window window;
  int64_t more[TN_MAX_SPATIAL]; /* output_padding */
} transposed;

static tn_status read_transposed(const tn_node *call, transposed *out) {
  const char *name = call->attr.def->name; /* nn.conv2d_transpose */
  transposed t = {.n = name[7] - '0', .groups = tn_op_int(call, GROUPS)};
  const char *data = tn_op_text(call, DATA_LAYOUT);
  const char *out_layout = tn_op_text(call, OUT_LAYOUT);
  TN_TRY(tn_layout_read(data, "NC", t.n, &t.data));
  TN_TRY(tn_layout_read(tn_op_text(call, KERNEL_LAYOUT), "IO", t.n, &t.kernel));
  TN_TRY(tn_layout_read(*out_layout == '\0' ? data : out_layout, "NC", t.n, &t.out));
  TN_TRY(tn_window_read(call, t.n, STRIDES, PADDING, DILATION, &t.window));
  TN_TRY(tn_window_ints(call, OUTPUT_PADDING, t.n, 0, 0, t.more));
  if (t.groups < 1) {
    return TN_ERR(TN_INVALID, "'groups' is %" PRId64 ", expected 1 or more", t.groups);
  }
  for (int32_t d = 0; d < t.n; ++d) {
    if (t.more[d] >= t.window.stride[d] && t.more[d] >= t.window.dilation[d]) {
      return TN_ERR(TN_INVALID,
                    "'output_padding' is %" PRId64 ", expected less than a stride or dilation",
                    t.more[d]);
    }
  }
  *out = t;
  return NULL;
}

/* ---- type ---- */

/* (in - 1) * stride + (kernel - 1) * dilation + 1 + output_padding - padding */
static int64_t extent_i64(const transposed *t, int32_t d, int64_t in, int64_t kernel) {
  return (in - 1) * t->window.stride[d] + (kernel - 1) * t->window.dilation[d] + 1 + t->more[d] -
         t->window.before[d] - t->window.after[d];
}

static tn_status extent_of(tn_ir *ir, const transposed *t, int32_t d, const tn_node *in,
                           const tn_node *kernel, const tn_node **out) {
  if (kernel->op != TN_OP_INT) {
    return TN_ERR(TN_UNSUPPORTED, "a kernel whose extents are not known while compiling");
  }
  bool is_huge = kernel->attr.i64 > INT32_MAX || (in->op == TN_OP_INT && in->attr.i64 > INT32_MAX);
  if (is_huge) {
    return TN_ERR(TN_INVALID, "an extent above %d", INT32_MAX);
  }
  if (in->op != TN_OP_INT) {
    const tn_node *rest = tn_int(ir, TN_DT_I64, extent_i64(t, d, 0, kernel->attr.i64));
    const tn_node *steps = tn_binary(ir, TN_OP_MUL, in, tn_int(ir, TN_DT_I64, t->window.stride[d]));
    *out = tn_op_simplify(ir, tn_binary(ir, TN_OP_ADD, steps, rest));
    return NULL;
  }
  int64_t n = extent_i64(t, d, in->attr.i64, kernel->attr.i64);
  if (n <= 0) {
    return TN_ERR(TN_INVALID, "a result of extent %" PRId64 ": the padding takes all of it", n);
  }
  *out = tn_int(ir, TN_DT_I64, n);
  return NULL;
}

tn_status tn_op_infer_conv_transpose(const tn_infer_ctx *ctx, const tn_node *call,
                                     const tn_node **out_type) {
  const tn_node *data = NULL;
  const tn_node *kernel = NULL;
  const tn_node *dims[MAX_DIMS];
  tn_dtype dtype = TN_DT_NONE;
  transposed t;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &data));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &kernel));
  TN_TRY(read_transposed(call, &t));
  TN_TRY(tn_op_same_dtype(data, kernel));
  TN_TRY(tn_op_rank(data, t.n + 2, "the data"));
  TN_TRY(tn_op_rank(kernel, t.n + 2, "the kernel"));
  TN_TRY(tn_op_dtype_field(call, OUT_DTYPE, data->dtype, &dtype));
  const tn_node *in = tn_op_shape(data);
  const tn_node *taps = tn_op_shape(kernel);
  if (in == NULL || taps == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, dtype, t.n + 2, NULL);
    return NULL;
  }
  const tn_node *channels = in->in[t.data.at[1]];
  TN_TRY(tn_op_same_extent(ctx->ir, channels, "the data's channel dimension",
                           taps->in[t.kernel.at[0]], "the kernel's"));
  if (channels->op == TN_OP_INT && channels->attr.i64 % t.groups != 0) {
    return TN_ERR(TN_INVALID, "%" PRId64 " channels do not divide into %" PRId64 " groups",
                  channels->attr.i64, t.groups);
  }
  dims[t.out.at[0]] = in->in[t.data.at[0]];
  dims[t.out.at[1]] =
      tn_op_simplify(ctx->ir, tn_binary(ctx->ir, TN_OP_MUL, taps->in[t.kernel.at[1]],
                                        tn_int(ctx->ir, TN_DT_I64, t.groups)));
  for (int32_t d = 0; d < t.n; ++d) {
    TN_TRY(extent_of(ctx->ir, &t, d, in->in[t.data.at[2 + d]], taps->in[t.kernel.at[2 + d]],
                     &dims[t.out.at[2 + d]]));
  }
  uint32_t n = (uint32_t)t.n + 2;
  *out_type = tn_ty_tensor(ctx->ir, dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

/* ---- reference ---- */

/* Where in the result tap `tap` of the element at `at` falls; false: outside. */
static bool target_of(const transposed *t, const tn_array *out, const int64_t *at,
                      const int64_t *tap, int64_t *to) {
  for (int32_t d = 0; d < t->n; ++d) {
    int64_t i = at[t->data.at[2 + d]] * t->window.stride[d] +
                tap[t->kernel.at[2 + d]] * t->window.dilation[d] - t->window.before[d];
    to[t->out.at[2 + d]] = i;
    if (i < 0 || i >= out->shape[t->out.at[2 + d]]) {
      return false;
    }
  }
  return true;
}

/* Adds all products to sums, which has an element of float64 or int64 for each of the result. */
static void spread(const transposed *t, const tn_array *x, const tn_array *w, const tn_array *out,
                   double *sums, uint64_t *isums) {
  int64_t at[MAX_DIMS];
  int64_t tap[MAX_DIMS];
  int64_t to[MAX_DIMS];
  int64_t per_group = w->shape[t->kernel.at[0]] / t->groups;
  int64_t n = tn_array_n_elems(x);
  int64_t n_taps = tn_array_n_elems(w);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(x, i, at);
    for (int64_t j = 0; j < n_taps; ++j) {
      tn_unravel(w, j, tap);
      int64_t channel = at[t->data.at[1]];
      if (tap[t->kernel.at[0]] != channel || !target_of(t, out, at, tap, to)) {
        continue;
      }
      to[t->out.at[0]] = at[t->data.at[0]];
      to[t->out.at[1]] = channel / per_group * w->shape[t->kernel.at[1]] + tap[t->kernel.at[1]];
      int64_t place = tn_ravel(out, to);
      sums[place] += tn_array_get_f64(x, i) * tn_array_get_f64(w, j);
      isums[place] += (uint64_t)tn_array_get_i64(x, i) * (uint64_t)tn_array_get_i64(w, j);
    }
  }
}

static tn_status init_result(const transposed *t, const tn_array *x, const tn_array *w,
                             tn_dtype dtype, tn_array *out) {
  int64_t shape[MAX_DIMS];
  shape[t->out.at[0]] = x->shape[t->data.at[0]];
  shape[t->out.at[1]] = w->shape[t->kernel.at[1]] * t->groups;
  for (int32_t d = 0; d < t->n; ++d) {
    shape[t->out.at[2 + d]] =
        extent_i64(t, d, x->shape[t->data.at[2 + d]], w->shape[t->kernel.at[2 + d]]);
  }
  return tn_array_init(out, dtype, t->n + 2, shape);
}

tn_status tn_op_eval_conv_transpose(const tn_node *call, const tn_array *const *args,
                                    int32_t n_args, tn_array *out) {
  transposed t;
  tn_dtype dtype = TN_DT_NONE;
  tn_array sums = {0};
  tn_array isums = {0};
  tn_status st = NULL;
  TN_TRY(read_transposed(call, &t));
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim != t.n + 2 ||
      args[1]->ndim != t.n + 2) {
    return TN_ERR(TN_INVALID, "expected data and kernel of %d dimensions", t.n + 2);
  }
  const tn_array *x = args[0];
  const tn_array *w = args[1];
  int64_t channels = x->shape[t.data.at[1]];
  if (channels % t.groups != 0 || channels != w->shape[t.kernel.at[0]]) {
    return TN_ERR(TN_INVALID, "the channels of data and kernel do not fit");
  }
  TN_TRY(tn_op_dtype_field(call, OUT_DTYPE, x->dtype, &dtype));
  TN_TRY(init_result(&t, x, w, dtype, out));
  TN_GOTO(st, tn_array_init(&sums, TN_DT_F64, out->ndim, out->shape), done);
  TN_GOTO(st, tn_array_init(&isums, TN_DT_U64, out->ndim, out->shape), done);
  spread(&t, x, w, out, sums.data, isums.data);
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    if (tn_dtype_is_float(dtype)) {
      tn_array_set_f64(out, i, ((const double *)sums.data)[i]);
    } else {
      tn_array_set_i64(out, i, ((const int64_t *)isums.data)[i]);
    }
  }
done:
  if (st != NULL) {
    tn_array_deinit(out);
  }
  tn_array_deinit(&sums);
  tn_array_deinit(&isums);
  return st;
}

/* ---- loop form ---- */

/* The data with zeros between its elements and around them, so that the window always fits. */
static const tn_node *build_wide(tn_kernel *k, const transposed *t, const tn_node *x,
                                 const tn_node *out, const int64_t *kernel) {
  const tn_node *dims[MAX_DIMS];
  const tn_node *from[MAX_DIMS];
  const tn_node *inside = NULL;
  const tn_node *zero = tn_int(k->ir, TN_DT_I64, 0);
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  memcpy(dims, shape->in, sizeof(const tn_node *) * shape->n_in);
  for (int32_t d = 0; d < t->n; ++d) {
    const tn_node *reach = tn_int(k->ir, TN_DT_I64, (kernel[d] - 1) * t->window.dilation[d]);
    dims[t->data.at[2 + d]] = tn_op_simplify(
        k->ir, tn_te_add(k->te, out->in[TN_BUFFER_SHAPE]->in[t->out.at[2 + d]], reach));
  }
  const tn_node *wide = tn_te_declare(k->te, "data_dilate", x->dtype, shape->n_in, dims);
  tn_kernel_begin(k, "data_dilate", shape->n_in, dims, 0, NULL);
  memcpy(from, k->axes, sizeof(const tn_node *) * shape->n_in);
  for (int32_t d = 0; d < t->n; ++d) {
    int32_t at = t->data.at[2 + d];
    int64_t low = (kernel[d] - 1) * t->window.dilation[d] - t->window.before[d];
    const tn_node *stride = tn_int(k->ir, TN_DT_I64, t->window.stride[d]);
    const tn_node *place = tn_te_sub(k->te, k->axes[at], tn_int(k->ir, TN_DT_I64, low));
    const tn_node *i = tn_te_floordiv(k->te, place, stride);
    const tn_node *is_in =
        tn_te_and(k->te, tn_te_le(k->te, zero, place), tn_te_lt(k->te, i, shape->in[at]));
    if (t->window.stride[d] > 1) {
      is_in = tn_te_and(k->te, is_in, tn_te_eq(k->te, tn_te_floormod(k->te, place, stride), zero));
    }
    from[at] = i;
    inside = inside == NULL ? is_in : tn_te_and(k->te, inside, is_in);
  }
  const tn_node *value = tn_te_if_then_else(k->te, inside, tn_te_load(k->te, x, from),
                                            tn_te_number(k->te, x->dtype, 0));
  tn_te_end_into(k->te, wide, k->axes, value, NULL);
  return wide;
}

/* Channels of the data and of the kernel for the block's output channel and reduce axis. */
static void place_channels(tn_kernel *k, const transposed *t, const tn_node *per_group,
                           const tn_node *outs_per_group, const tn_node **from,
                           const tn_node **tap) {
  const tn_node *channel = k->axes[t->out.at[1]];
  const tn_node *in = k->axes[k->n_spatial];
  tap[t->kernel.at[1]] = channel;
  if (t->groups > 1) {
    const tn_node *group = tn_te_floordiv(k->te, channel, outs_per_group);
    tap[t->kernel.at[1]] = tn_te_floormod(k->te, channel, outs_per_group);
    in = tn_op_simplify(k->ir, tn_te_add(k->te, tn_te_mul(k->te, group, per_group), in));
  }
  tap[t->kernel.at[0]] = in;
  from[t->data.at[1]] = in;
  from[t->data.at[0]] = k->axes[t->out.at[0]];
}

static tn_status build_conv_transpose(tn_kernel *k, const tn_node *type) {
  transposed t;
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  const tn_node *w = k->buffers.data[1];
  const tn_node *shape = w->in[TN_BUFFER_SHAPE];
  const tn_node *reduce[1 + TN_MAX_SPATIAL];
  const tn_node *from[MAX_DIMS];
  const tn_node *tap[MAX_DIMS];
  int64_t kernel[TN_MAX_SPATIAL];
  TN_TRY(read_transposed(k->call, &t));
  TN_TRY(tn_kernel_result(k, type, &out));
  const tn_node *groups = tn_int(k->ir, TN_DT_I64, t.groups);
  reduce[0] = tn_op_simplify(k->ir, tn_te_floordiv(k->te, shape->in[t.kernel.at[0]], groups));
  for (int32_t d = 0; d < t.n; ++d) {
    reduce[1 + d] = shape->in[t.kernel.at[2 + d]]; /* a number: the type rule says so */
    kernel[d] = reduce[1 + d]->attr.i64;
  }
  x = build_wide(k, &t, x, out, kernel);
  uint32_t n_out = (uint32_t)t.n + 2;
  tn_kernel_begin(k, k->call->attr.def->name + 3, n_out, out->in[TN_BUFFER_SHAPE]->in,
                  (uint32_t)t.n + 1, reduce);
  place_channels(k, &t, reduce[0], shape->in[t.kernel.at[1]], from, tap);
  for (int32_t d = 0; d < t.n; ++d) {
    const tn_node *at = k->axes[n_out + 1 + (uint32_t)d];
    const tn_node *mirrored = tn_te_sub(k->te, tn_int(k->ir, TN_DT_I64, kernel[d] - 1), at);
    const tn_node *step =
        tn_te_mul(k->te, mirrored, tn_int(k->ir, TN_DT_I64, t.window.dilation[d]));
    tap[t.kernel.at[2 + d]] = at;
    from[t.data.at[2 + d]] =
        tn_op_simplify(k->ir, tn_te_add(k->te, k->axes[t.out.at[2 + d]], step));
  }
  const tn_node *a = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, x, from));
  const tn_node *b = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, w, tap));
  tn_te_end_reduce_into(k->te, TN_TE_SUM, out, k->axes, tn_te_mul(k->te, a, b));
  return NULL;
}

tn_status tn_op_lower_conv_transpose(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name + 3, build_conv_transpose, out_func);
}
