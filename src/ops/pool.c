/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Poolings over one, two and three spatial dimensions.
 *
 * max: the largest element of each window, NaN where one is; padding is not among them, and a window
 * of nothing but padding gives the type's least value. avg: the sum divided by the taps that lie on the data or, with count_include_pad, on the data
 * and its padding: with ceil_mode a last window may reach over their end.
 * adaptive_avg: the data is cut into output_size parts, [floor(i * n / m), ceil((i + 1) * n / m)),
 * each of which gives its mean. */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { POOL_SIZE, STRIDES, PADDING, DILATION, CEIL_MODE, COUNT_INCLUDE_PAD, LAYOUT, OUT_LAYOUT };

typedef struct pool {
  int32_t n;
  bool is_max;
  bool counts_padding;
  tn_layout data;
  tn_layout out;
  tn_window window;
  int64_t size[TN_MAX_SPATIAL];
} pool;

static tn_status read_layouts(const tn_node *call, int32_t field, int32_t n, tn_layout *data,
                              tn_layout *out) {
  const char *text = tn_op_text(call, field);
  const char *out_text = tn_op_text(call, field + 1);
  TN_TRY(tn_layout_read(text, "NC", n, data));
  return tn_layout_read(*out_text == '\0' ? text : out_text, "NC", n, out);
}

static tn_status read_pool(const tn_node *call, pool *out) {
  const char *name = call->attr.def->name; /* nn.max_pool2d */
  pool p = {.n = name[11] - '0',
            .is_max = name[3] == 'm',
            .counts_padding = tn_op_int(call, COUNT_INCLUDE_PAD) != 0};
  TN_TRY(read_layouts(call, LAYOUT, p.n, &p.data, &p.out));
  TN_TRY(tn_window_read(call, p.n, STRIDES, PADDING, DILATION, &p.window));
  TN_TRY(tn_window_ints(call, POOL_SIZE, p.n, 1, 1, p.size));
  p.window.is_ceil = tn_op_int(call, CEIL_MODE) != 0;
  *out = p;
  return NULL;
}

/* ---- types ---- */

tn_status tn_op_infer_pool(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *type = NULL;
  const tn_node *dims[2 + TN_MAX_SPATIAL];
  pool p;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(read_pool(call, &p));
  if (tn_dtype_is_bool(type->dtype) && !p.is_max) {
    return TN_ERR(TN_INVALID, "the data has type bool, expected numbers");
  }
  TN_TRY(tn_op_rank(type, p.n + 2, "the data"));
  const tn_node *in = tn_op_shape(type);
  if (in == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, type->dtype, p.n + 2, NULL);
    return NULL;
  }
  dims[p.out.at[0]] = in->in[p.data.at[0]];
  dims[p.out.at[1]] = in->in[p.data.at[1]];
  for (int32_t d = 0; d < p.n; ++d) {
    TN_TRY(tn_window_count(ctx->ir, &p.window, d, in->in[p.data.at[2 + d]],
                           tn_int(ctx->ir, TN_DT_I64, p.size[d]), &dims[p.out.at[2 + d]]));
  }
  uint32_t n = (uint32_t)p.n + 2;
  *out_type = tn_ty_tensor(ctx->ir, type->dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

/* ---- references ---- */

/* The type's least value. */
static void least_value(tn_dtype dtype, double *out_f64, int64_t *out_i64) {
  *out_f64 = -INFINITY;
  *out_i64 = tn_dtype_is_int(dtype) ? (int64_t)((uint64_t)-1 << (tn_dtype_bits(dtype) - 1)) : 0;
}

typedef struct pooled {
  double f64;
  int64_t i64;
  int64_t n; /* taps that count */
} pooled;

static void pool_window(const pool *p, const tn_array *x, const int64_t *at, pooled *sum) {
  int64_t from[2 + TN_MAX_SPATIAL];
  int64_t n_taps = 1;
  for (int32_t d = 0; d < p->n; ++d) {
    n_taps *= p->size[d];
  }
  from[p->data.at[0]] = at[p->out.at[0]];
  from[p->data.at[1]] = at[p->out.at[1]];
  for (int64_t t = 0; t < n_taps; ++t) {
    int64_t rest = t;
    bool is_in = true;
    bool is_padded = p->counts_padding;
    for (int32_t d = p->n; d-- > 0;) {
      int64_t i = at[p->out.at[2 + d]] * p->window.stride[d] +
                  rest % p->size[d] * p->window.dilation[d] - p->window.before[d];
      rest /= p->size[d];
      from[p->data.at[2 + d]] = i;
      is_in = is_in && i >= 0 && i < x->shape[p->data.at[2 + d]];
      is_padded = is_padded && i < x->shape[p->data.at[2 + d]] + p->window.after[d];
    }
    sum->n += is_padded || (is_in && !p->counts_padding) ? 1 : 0;
    if (!is_in) {
      continue;
    }
    double f = tn_array_get_f64(x, tn_ravel(x, from));
    int64_t v = tn_array_get_i64(x, tn_ravel(x, from));
    if (!p->is_max) {
      sum->f64 += f;
      sum->i64 = (int64_t)((uint64_t)sum->i64 + (uint64_t)v);
    } else {
      bool is_more = tn_dtype_is_int(x->dtype) ? v > sum->i64 : (uint64_t)v > (uint64_t)sum->i64;
      sum->f64 = tn_op_maximum(f, sum->f64);
      sum->i64 = is_more ? v : sum->i64;
    }
  }
  sum->n = sum->n > 0 ? sum->n : 1;
}

static void store_mean(const pooled *sum, bool is_mean, int64_t i, tn_array *out) {
  if (tn_dtype_is_float(out->dtype)) {
    tn_array_set_f64(out, i, is_mean ? sum->f64 / (double)sum->n : sum->f64);
  } else {
    tn_array_set_i64(out, i, is_mean ? sum->i64 / sum->n : sum->i64);
  }
}

tn_status tn_op_eval_pool(const tn_node *call, const tn_array *const *args, int32_t n_args,
                          tn_array *out) {
  pool p;
  int64_t shape[2 + TN_MAX_SPATIAL];
  int64_t at[2 + TN_MAX_SPATIAL];
  TN_TRY(read_pool(call, &p));
  if (n_args != 1 || args[0] == NULL || args[0]->ndim != p.n + 2) {
    return TN_ERR(TN_INVALID, "expected data of %d dimensions", p.n + 2);
  }
  const tn_array *x = args[0];
  shape[p.out.at[0]] = x->shape[p.data.at[0]];
  shape[p.out.at[1]] = x->shape[p.data.at[1]];
  for (int32_t d = 0; d < p.n; ++d) {
    shape[p.out.at[2 + d]] =
        tn_window_count_i64(&p.window, d, x->shape[p.data.at[2 + d]], p.size[d]);
  }
  TN_TRY(tn_array_init(out, x->dtype, p.n + 2, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    pooled sum = {0};
    if (p.is_max) {
      least_value(x->dtype, &sum.f64, &sum.i64);
    }
    tn_unravel(out, i, at);
    pool_window(&p, x, at, &sum);
    store_mean(&sum, !p.is_max, i, out);
  }
  return NULL;
}

/* ---- loop forms ---- */

/* The element under the taps. */
static const tn_node *tap_value(tn_kernel *k, const pool *p, const tn_node *x,
                                const tn_node *const *taps, bool is_padded) {
  const tn_node *from[2 + TN_MAX_SPATIAL];
  from[p->data.at[0]] = k->axes[p->out.at[0]];
  from[p->data.at[1]] = k->axes[p->out.at[1]];
  for (int32_t d = 0; d < p->n; ++d) {
    from[p->data.at[2 + d]] =
        tn_window_index(k, &p->window, d, k->axes[p->out.at[2 + d]], taps[d], is_padded);
  }
  return tn_te_load(k->te, x, from);
}

/* How many taps of the window along d lie on the data, or on its padding where that counts. */
static const tn_node *taps_inside(tn_kernel *k, const pool *p, const tn_node *x, int32_t d) {
  const tn_node *step = tn_int(k->ir, TN_DT_I64, p->window.dilation[d]);
  const tn_node *zero = tn_int(k->ir, TN_DT_I64, 0);
  const tn_node *start = tn_window_index(k, &p->window, d, k->axes[p->out.at[2 + d]], zero, false);
  const tn_node *extent = x->in[TN_BUFFER_SHAPE]->in[p->data.at[2 + d]];
  if (p->counts_padding) { /* all begin on it */
    extent = tn_te_add(k->te, extent, tn_int(k->ir, TN_DT_I64, p->window.after[d]));
  }
  /* taps t with 0 <= start + t * step < extent: from ceil(-start / step) to (extent - 1 - start) /
   * step, both rounded down after adding step - 1 to the first */
  const tn_node *first =
      tn_te_op(k->te, TN_OP_FLOORDIV,
               tn_te_sub(k->te, tn_int(k->ir, TN_DT_I64, p->window.dilation[d] - 1), start), step);
  const tn_node *last = tn_te_floordiv(
      k->te, tn_te_sub(k->te, tn_te_sub(k->te, extent, tn_int(k->ir, TN_DT_I64, 1)), start), step);
  first = p->counts_padding ? zero : tn_te_max(k->te, first, zero);
  last = tn_te_min(k->te, last, tn_int(k->ir, TN_DT_I64, p->size[d] - 1));
  const tn_node *n = tn_te_add(k->te, tn_te_sub(k->te, last, first), tn_int(k->ir, TN_DT_I64, 1));
  return tn_te_max(k->te, n, zero);
}

static void build_mean(tn_kernel *k, const pool *p, const tn_node *x, const tn_node *out,
                       const tn_node *sum) {
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  const tn_node *count = tn_int(k->ir, TN_DT_I64, 1);
  tn_kernel_begin(k, "pool_avg", shape->n_in, shape->in, 0, NULL);
  for (int32_t d = 0; d < p->n; ++d) {
    bool is_padded = p->window.before[d] != 0 || p->window.after[d] != 0;
    bool is_full = !p->window.is_ceil && (p->counts_padding || !is_padded);
    const tn_node *n = is_full ? tn_int(k->ir, TN_DT_I64, p->size[d]) : taps_inside(k, p, x, d);
    count = d == 0 ? n : tn_te_mul(k->te, count, n);
  }
  count = tn_op_simplify(k->ir, count);
  if (count->op != TN_OP_INT) {
    count = tn_te_max(k->te, count, tn_int(k->ir, TN_DT_I64, 1));
  }
  const tn_node *value =
      tn_te_div(k->te, tn_te_load(k->te, sum, k->axes), tn_te_cast(k->te, out->dtype, count));
  tn_te_end_into(k->te, out, k->axes, value, NULL);
}

static tn_status build_pool(tn_kernel *k, const tn_node *type) {
  pool p;
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  const tn_node *reduce[TN_MAX_SPATIAL];
  TN_TRY(read_pool(k->call, &p));
  TN_TRY(tn_kernel_result(k, type, &out));
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  const tn_node *target =
      p.is_max ? out : tn_te_declare(k->te, "pool_sum", out->dtype, shape->n_in, shape->in);
  for (int32_t d = 0; d < p.n; ++d) {
    reduce[d] = tn_int(k->ir, TN_DT_I64, p.size[d]);
  }
  const tn_node *data = x;
  bool is_padded = tn_window_has_padding(&p.window) || p.window.is_ceil;
  if (is_padded) {
    data =
        tn_window_pad(k, &p.window, &p.data, x,
                      p.is_max ? tn_te_least(k->te, x->dtype) : tn_te_number(k->te, x->dtype, 0));
  }
  tn_kernel_begin(k, p.is_max ? "pool_max" : "pool_sum", shape->n_in, shape->in, (uint32_t)p.n,
                  reduce);
  const tn_node *tap = tap_value(k, &p, data, k->axes + shape->n_in, is_padded);
  tn_te_end_reduce_into(k->te, p.is_max ? TN_TE_MAXIMUM : TN_TE_SUM, target, k->axes, tap);
  if (!p.is_max) {
    build_mean(k, &p, x, out, target);
  }
  return NULL;
}

tn_status tn_op_lower_pool(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name + 3, build_pool, out_func);
}

/* ---- adaptive average ---- */

enum { ADAPTIVE_SIZE, ADAPTIVE_LAYOUT, ADAPTIVE_OUT_LAYOUT };

typedef struct adaptive {
  int32_t n;
  tn_layout data;
  tn_layout out;
  int64_t size[TN_MAX_SPATIAL]; /* -1: that of the data */
} adaptive;

static tn_status read_adaptive(const tn_node *call, adaptive *out) {
  adaptive a = {.n = call->attr.def->name[20] - '0'}; /* nn.adaptive_avg_pool2d */
  bool is_given = tn_call_field(call, ADAPTIVE_SIZE) != NULL;
  TN_TRY(read_layouts(call, ADAPTIVE_LAYOUT, a.n, &a.data, &a.out));
  TN_TRY(tn_window_ints(call, ADAPTIVE_SIZE, a.n, is_given ? 1 : -1, -1, a.size));
  *out = a;
  return NULL;
}

tn_status tn_op_infer_adaptive_pool(const tn_infer_ctx *ctx, const tn_node *call,
                                    const tn_node **out_type) {
  const tn_node *type = NULL;
  const tn_node *dims[2 + TN_MAX_SPATIAL];
  adaptive a;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(tn_op_want_float(type));
  TN_TRY(read_adaptive(call, &a));
  TN_TRY(tn_op_rank(type, a.n + 2, "the data"));
  const tn_node *in = tn_op_shape(type);
  if (in == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, type->dtype, a.n + 2, NULL);
    return NULL;
  }
  dims[a.out.at[0]] = in->in[a.data.at[0]];
  dims[a.out.at[1]] = in->in[a.data.at[1]];
  for (int32_t d = 0; d < a.n; ++d) {
    dims[a.out.at[2 + d]] =
        a.size[d] < 0 ? in->in[a.data.at[2 + d]] : tn_int(ctx->ir, TN_DT_I64, a.size[d]);
  }
  uint32_t n = (uint32_t)a.n + 2;
  *out_type = tn_ty_tensor(ctx->ir, type->dtype, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

static void mean_of_part(const adaptive *a, const tn_array *x, const tn_array *out,
                         const int64_t *at, pooled *sum) {
  int64_t lo[2 + TN_MAX_SPATIAL];
  int64_t from[2 + TN_MAX_SPATIAL];
  int64_t extent[TN_MAX_SPATIAL];
  sum->n = 1;
  from[a->data.at[0]] = at[a->out.at[0]];
  from[a->data.at[1]] = at[a->out.at[1]];
  for (int32_t d = 0; d < a->n; ++d) {
    int64_t i = at[a->out.at[2 + d]];
    int64_t n = x->shape[a->data.at[2 + d]];
    int64_t m = out->shape[a->out.at[2 + d]];
    lo[d] = i * n / m;
    extent[d] = ((i + 1) * n + m - 1) / m - lo[d];
    sum->n *= extent[d];
  }
  for (int64_t t = 0; t < sum->n; ++t) {
    int64_t rest = t;
    for (int32_t d = a->n; d-- > 0;) {
      from[a->data.at[2 + d]] = lo[d] + rest % extent[d];
      rest /= extent[d];
    }
    sum->f64 += tn_array_get_f64(x, tn_ravel(x, from));
  }
}

tn_status tn_op_eval_adaptive_pool(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                   tn_array *out) {
  adaptive a;
  int64_t shape[2 + TN_MAX_SPATIAL];
  int64_t at[2 + TN_MAX_SPATIAL];
  TN_TRY(read_adaptive(call, &a));
  if (n_args != 1 || args[0] == NULL || args[0]->ndim != a.n + 2) {
    return TN_ERR(TN_INVALID, "expected data of %d dimensions", a.n + 2);
  }
  const tn_array *x = args[0];
  shape[a.out.at[0]] = x->shape[a.data.at[0]];
  shape[a.out.at[1]] = x->shape[a.data.at[1]];
  for (int32_t d = 0; d < a.n; ++d) {
    shape[a.out.at[2 + d]] = a.size[d] < 0 ? x->shape[a.data.at[2 + d]] : a.size[d];
  }
  TN_TRY(tn_array_init(out, x->dtype, a.n + 2, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    pooled sum = {0};
    tn_unravel(out, i, at);
    mean_of_part(&a, x, out, at, &sum);
    store_mean(&sum, true, i, out);
  }
  return NULL;
}

/* The part of output `at` of `m` along an extent `n`: its first element, and how many. */
static void part_of(tn_kernel *k, const tn_node *at, const tn_node *n, const tn_node *m,
                    const tn_node **out_first, const tn_node **out_count) {
  const tn_node *one = tn_int(k->ir, TN_DT_I64, 1);
  const tn_node *first = tn_te_floordiv(k->te, tn_te_mul(k->te, at, n), m);
  const tn_node *end = tn_te_mul(k->te, tn_te_add(k->te, at, one), n);
  end = tn_te_add(k->te, end, tn_te_sub(k->te, m, one));
  end = tn_te_floordiv(k->te, end, m);
  *out_first = tn_op_simplify(k->ir, first);
  *out_count = tn_op_simplify(k->ir, tn_te_sub(k->te, end, first));
}

/* The extent of every part of n, when m parts have one; NULL: they differ. m may be 0 when n is. */
static const tn_node *even_part(tn_kernel *k, const tn_node *n, const tn_node *m) {
  if (n == m) {
    return tn_int(k->ir, TN_DT_I64, 1);
  }
  if (tn_is_int(m, 1)) {
    return n;
  }
  bool is_even =
      n->op == TN_OP_INT && m->op == TN_OP_INT && m->attr.i64 > 0 && n->attr.i64 % m->attr.i64 == 0;
  return is_even ? tn_int(k->ir, TN_DT_I64, n->attr.i64 / m->attr.i64) : NULL;
}

/* Parts that are not all of one size are summed over the largest of them, what is beyond a smaller
 * one being 0. */
static const tn_node *largest_part(tn_kernel *k, const tn_node *n, const tn_node *m) {
  const tn_node *even = even_part(k, n, m);
  if (even != NULL) {
    return even;
  }
  return tn_op_simplify(k->ir,
                        tn_te_add(k->te, tn_te_floordiv(k->te, n, m), tn_int(k->ir, TN_DT_I64, 2)));
}

static tn_status build_adaptive(tn_kernel *k, const tn_node *type) {
  adaptive a;
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  const tn_node *reduce[TN_MAX_SPATIAL];
  const tn_node *from[2 + TN_MAX_SPATIAL];
  const tn_node *first = NULL;
  const tn_node *count = NULL;
  const tn_node *inside = NULL;
  TN_TRY(read_adaptive(k->call, &a));
  TN_TRY(tn_kernel_result(k, type, &out));
  const tn_node *in = x->in[TN_BUFFER_SHAPE];
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  for (int32_t d = 0; d < a.n; ++d) {
    reduce[d] = largest_part(k, in->in[a.data.at[2 + d]], shape->in[a.out.at[2 + d]]);
  }
  const tn_node *sum =
      tn_te_declare(k->te, "adaptive_pool_sum", out->dtype, shape->n_in, shape->in);
  tn_kernel_begin(k, "adaptive_pool_sum", shape->n_in, shape->in, (uint32_t)a.n, reduce);
  const tn_node *const *taps = k->axes + shape->n_in;
  from[a.data.at[0]] = k->axes[a.out.at[0]];
  from[a.data.at[1]] = k->axes[a.out.at[1]];
  for (int32_t d = 0; d < a.n; ++d) {
    const tn_node *n = in->in[a.data.at[2 + d]];
    const tn_node *m = shape->in[a.out.at[2 + d]];
    part_of(k, k->axes[a.out.at[2 + d]], n, m, &first, &count);
    from[a.data.at[2 + d]] = tn_te_add(k->te, first, taps[d]);
    if (even_part(k, n, m) == NULL) {
      const tn_node *is_in = tn_te_lt(k->te, taps[d], count);
      inside = inside == NULL ? is_in : tn_te_and(k->te, inside, is_in);
    }
  }
  const tn_node *zero = tn_te_number(k->te, out->dtype, 0);
  const tn_node *tap = tn_te_load(k->te, x, from);
  tap = inside == NULL ? tap : tn_te_if_then_else(k->te, inside, tap, zero);
  tn_te_end_reduce_into(k->te, TN_TE_SUM, sum, k->axes, tap);
  tn_kernel_begin(k, "adaptive_pool_avg", shape->n_in, shape->in, 0, NULL);
  const tn_node *n_taps = tn_int(k->ir, TN_DT_I64, 1);
  for (int32_t d = 0; d < a.n; ++d) {
    part_of(k, k->axes[a.out.at[2 + d]], in->in[a.data.at[2 + d]], shape->in[a.out.at[2 + d]],
            &first, &count);
    n_taps = d == 0 ? count : tn_te_mul(k->te, n_taps, count);
  }
  const tn_node *value =
      tn_te_div(k->te, tn_te_load(k->te, sum, k->axes), tn_te_cast(k->te, out->dtype, n_taps));
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_adaptive_pool(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name + 3, build_adaptive, out_func);
}
