/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Convolutions of one, two and three spatial dimensions: strides, padding, dilation, groups, any
 * order of the dimensions. Products and sums are in out_dtype, the reference's sums in float64.
 * Loop form: a padded copy where there is padding, then one block
 *
 *   out[n, o, y, x] += pad[n, g * I + i, y * s + ky * d, x * s + kx * d] * W[o, i, ky, kx] */
#include <inttypes.h>

#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { STRIDES, PADDING, DILATION, GROUPS, DATA_LAYOUT, KERNEL_LAYOUT, OUT_LAYOUT, OUT_DTYPE };

typedef struct conv {
  int32_t n; /* spatial dimensions */
  int64_t groups;
  tn_layout data;
  tn_layout kernel;
  tn_layout out;
  tn_window window;
} conv;

static tn_status read_conv(const tn_node *call, conv *out) {
  const char *name = call->attr.def->name; /* nn.conv2d */
  conv c = {.n = name[7] - '0', .groups = tn_op_int(call, GROUPS)};
  const char *data = tn_op_text(call, DATA_LAYOUT);
  const char *out_layout = tn_op_text(call, OUT_LAYOUT);
  TN_TRY(tn_layout_read(data, "NC", c.n, &c.data));
  TN_TRY(tn_layout_read(tn_op_text(call, KERNEL_LAYOUT), "OI", c.n, &c.kernel));
  TN_TRY(tn_layout_read(*out_layout == '\0' ? data : out_layout, "NC", c.n, &c.out));
  TN_TRY(tn_window_read(call, c.n, STRIDES, PADDING, DILATION, &c.window));
  if (c.groups < 1) {
    return TN_ERR(TN_INVALID, "'groups' is %" PRId64 ", expected 1 or more", c.groups);
  }
  *out = c;
  return NULL;
}

/* ---- type ---- */

static tn_status check_channels(tn_ir *ir, const conv *c, const tn_node *data,
                                const tn_node *kernel) {
  const tn_node *in = data->in[c->data.at[1]];
  const tn_node *per_group = kernel->in[c->kernel.at[1]];
  const tn_node *outs = kernel->in[c->kernel.at[0]];
  const tn_node *groups = tn_int(ir, TN_DT_I64, c->groups);
  const tn_node *want = tn_op_simplify(ir, tn_binary(ir, TN_OP_MUL, per_group, groups));
  TN_TRY(tn_op_same_extent(ir, in, "the data's channel dimension", want,
                           "the kernel's times 'groups'"));
  if (outs->op == TN_OP_INT && outs->attr.i64 % c->groups != 0) {
    return TN_ERR(TN_INVALID, "%" PRId64 " output channels do not divide into %" PRId64 " groups",
                  outs->attr.i64, c->groups);
  }
  return NULL;
}

tn_status tn_op_infer_conv(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *data = NULL;
  const tn_node *kernel = NULL;
  const tn_node *dims[2 + TN_MAX_SPATIAL];
  tn_dtype dtype = TN_DT_NONE;
  conv c;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &data));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &kernel));
  TN_TRY(read_conv(call, &c));
  TN_TRY(tn_op_same_dtype(data, kernel));
  TN_TRY(tn_op_rank(data, c.n + 2, "the data"));
  TN_TRY(tn_op_rank(kernel, c.n + 2, "the kernel"));
  TN_TRY(tn_op_dtype_field(call, OUT_DTYPE, data->dtype, &dtype));
  const tn_node *in = tn_op_shape(data);
  const tn_node *taps = tn_op_shape(kernel);
  if (in == NULL || taps == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, dtype, c.n + 2, NULL);
    return NULL;
  }
  TN_TRY(check_channels(ctx->ir, &c, in, taps));
  dims[c.out.at[0]] = in->in[c.data.at[0]];
  dims[c.out.at[1]] = taps->in[c.kernel.at[0]];
  for (int32_t d = 0; d < c.n; ++d) {
    TN_TRY(tn_window_count(ctx->ir, &c.window, d, in->in[c.data.at[2 + d]],
                           taps->in[c.kernel.at[2 + d]], &dims[c.out.at[2 + d]]));
  }
  uint32_t n = (uint32_t)c.n + 2;
  *out_type = tn_ty_tensor(ctx->ir, dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

/* ---- reference ---- */

/* Coordinates of the data under tap `tap` of the window at `at`; false in the padding. */
static bool data_at(const conv *c, const tn_array *x, const int64_t *at, const int64_t *tap,
                    int64_t *out) {
  for (int32_t d = 0; d < c->n; ++d) {
    int64_t i = at[c->out.at[2 + d]] * c->window.stride[d] +
                tap[c->kernel.at[2 + d]] * c->window.dilation[d] - c->window.before[d];
    out[c->data.at[2 + d]] = i;
    if (i < 0 || i >= x->shape[c->data.at[2 + d]]) {
      return false;
    }
  }
  return true;
}

static void eval_element(const conv *c, const tn_array *x, const tn_array *w, int64_t i,
                         tn_array *out) {
  int64_t at[2 + TN_MAX_SPATIAL];
  int64_t tap[2 + TN_MAX_SPATIAL];
  int64_t from[2 + TN_MAX_SPATIAL];
  int64_t per_group = w->shape[c->kernel.at[1]];
  int64_t outs_per_group = w->shape[c->kernel.at[0]] / c->groups;
  double sum = 0;
  uint64_t isum = 0;
  tn_unravel(out, i, at);
  int64_t channel = at[c->out.at[1]];
  int64_t n_taps = tn_array_n_elems(w) / w->shape[c->kernel.at[0]];
  for (int64_t t = 0; t < n_taps; ++t) {
    int64_t rest = t; /* the taps of one output channel, the last dimension fastest */
    for (int32_t d = w->ndim; d-- > 0;) {
      tap[d] = d == c->kernel.at[0] ? channel : rest % w->shape[d];
      rest /= d == c->kernel.at[0] ? 1 : w->shape[d];
    }
    from[c->data.at[0]] = at[c->out.at[0]];
    from[c->data.at[1]] = channel / outs_per_group * per_group + tap[c->kernel.at[1]];
    if (data_at(c, x, at, tap, from)) {
      int64_t xi = tn_ravel(x, from);
      int64_t wi = tn_ravel(w, tap);
      sum += tn_array_get_f64(x, xi) * tn_array_get_f64(w, wi);
      isum += (uint64_t)tn_array_get_i64(x, xi) * (uint64_t)tn_array_get_i64(w, wi);
    }
  }
  if (tn_dtype_is_float(out->dtype)) {
    tn_array_set_f64(out, i, sum);
  } else {
    tn_array_set_i64(out, i, (int64_t)isum);
  }
}

tn_status tn_op_eval_conv(const tn_node *call, const tn_array *const *args, int32_t n_args,
                          tn_array *out) {
  conv c;
  tn_dtype dtype = TN_DT_NONE;
  int64_t shape[2 + TN_MAX_SPATIAL];
  TN_TRY(read_conv(call, &c));
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim != c.n + 2 ||
      args[1]->ndim != c.n + 2) {
    return TN_ERR(TN_INVALID, "expected data and kernel of %d dimensions", c.n + 2);
  }
  const tn_array *x = args[0];
  const tn_array *w = args[1];
  int64_t channels = x->shape[c.data.at[1]];
  if (channels % c.groups != 0 || channels / c.groups != w->shape[c.kernel.at[1]] ||
      w->shape[c.kernel.at[0]] % c.groups != 0) {
    return TN_ERR(TN_INVALID, "the channels of data and kernel do not fit");
  }
  TN_TRY(tn_op_dtype_field(call, OUT_DTYPE, x->dtype, &dtype));
  shape[c.out.at[0]] = x->shape[c.data.at[0]];
  shape[c.out.at[1]] = w->shape[c.kernel.at[0]];
  for (int32_t d = 0; d < c.n; ++d) {
    shape[c.out.at[2 + d]] =
        tn_window_count_i64(&c.window, d, x->shape[c.data.at[2 + d]], w->shape[c.kernel.at[2 + d]]);
  }
  TN_TRY(tn_array_init(out, dtype, c.n + 2, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    eval_element(&c, x, w, i, out);
  }
  return NULL;
}

/* ---- loop form ---- */

static tn_status build_conv(tn_kernel *k, const tn_node *type) {
  conv c;
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  const tn_node *w = k->buffers.data[1];
  const tn_node *reduce[1 + TN_MAX_SPATIAL];
  const tn_node *from[2 + TN_MAX_SPATIAL];
  const tn_node *tap[2 + TN_MAX_SPATIAL];
  TN_TRY(read_conv(k->call, &c));
  TN_TRY(tn_kernel_result(k, type, &out));
  bool is_padded = tn_window_has_padding(&c.window);
  if (is_padded) {
    x = tn_window_pad(k, &c.window, &c.data, x, tn_te_number(k->te, x->dtype, 0));
  }
  const tn_node *w_shape = w->in[TN_BUFFER_SHAPE];
  for (int32_t i = 0; i < 1 + c.n; ++i) {
    reduce[i] = w_shape->in[c.kernel.at[1 + i]];
  }
  uint32_t n_out = (uint32_t)c.n + 2;
  tn_kernel_begin(k, k->call->attr.def->name + 3, n_out, out->in[TN_BUFFER_SHAPE]->in,
                  (uint32_t)c.n + 1, reduce);
  const tn_node *channel = k->axes[c.out.at[1]];
  const tn_node *const *taps = k->axes + n_out; /* i, then the spatial ones */
  tap[c.kernel.at[0]] = channel;
  tap[c.kernel.at[1]] = taps[0];
  from[c.data.at[0]] = k->axes[c.out.at[0]];
  from[c.data.at[1]] = taps[0];
  if (c.groups > 1) {
    const tn_node *outs = w_shape->in[c.kernel.at[0]];
    const tn_node *per_group =
        tn_op_simplify(k->ir, tn_te_floordiv(k->te, outs, tn_int(k->ir, TN_DT_I64, c.groups)));
    const tn_node *group = tn_te_floordiv(k->te, channel, per_group);
    from[c.data.at[1]] =
        tn_op_simplify(k->ir, tn_te_add(k->te, tn_te_mul(k->te, group, reduce[0]), taps[0]));
  }
  for (int32_t d = 0; d < c.n; ++d) {
    tap[c.kernel.at[2 + d]] = taps[1 + d];
    from[c.data.at[2 + d]] =
        tn_window_index(k, &c.window, d, k->axes[c.out.at[2 + d]], taps[1 + d], is_padded);
  }
  const tn_node *a = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, x, from));
  const tn_node *b = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, w, tap));
  tn_te_end_reduce_into(k->te, TN_TE_SUM, out, k->axes, tn_te_mul(k->te, a, b));
  return NULL;
}

tn_status tn_op_lower_conv(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name + 3, build_conv, out_func);
}
