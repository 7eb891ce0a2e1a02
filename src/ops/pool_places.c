/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* nn.max_pool_places: where in the whole tensor [N, C, ...] the largest element of each window is, as
 * a number of elements row by row, or column by column of each picture. Windows are those of
 * nn.max_pool; of equal elements the first one counts, NaN is above all, and a window without any
 * element gives 0. */
#include <inttypes.h>
#include <math.h>

#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c. */
enum { POOL_SIZE, STRIDES, PADDING, DILATION, CEIL_MODE, BY_COLUMNS };

typedef struct places {
  int32_t n;
  bool by_columns;
  tn_window window;
  int64_t size[TN_MAX_SPATIAL];
} places;

static tn_status read_places(const tn_node *call, int64_t ndim, places *out) {
  if (ndim < 3 || ndim > 2 + TN_MAX_SPATIAL) {
    return TN_ERR(TN_INVALID, "the data has %" PRId64 " dimensions, expected 3 to %d", ndim,
                  2 + (int)TN_MAX_SPATIAL);
  }
  places p = {.n = (int32_t)ndim - 2, .by_columns = tn_op_int(call, BY_COLUMNS) != 0};
  TN_TRY(tn_window_read(call, p.n, STRIDES, PADDING, DILATION, &p.window));
  TN_TRY(tn_window_ints(call, POOL_SIZE, p.n, 1, 1, p.size));
  p.window.is_ceil = tn_op_int(call, CEIL_MODE) != 0;
  *out = p;
  return NULL;
}

tn_status tn_op_infer_pool_places(const tn_infer_ctx *ctx, const tn_node *call,
                                  const tn_node **out_type) {
  const tn_node *type = NULL;
  const tn_node *dims[2 + TN_MAX_SPATIAL];
  places p;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  const tn_node *in = tn_op_shape(type);
  if (in == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, TN_DT_I64, type->attr.i64, NULL);
    return NULL;
  }
  TN_TRY(read_places(call, type->attr.i64, &p));
  dims[0] = in->in[0];
  dims[1] = in->in[1];
  for (int32_t d = 0; d < p.n; ++d) {
    TN_TRY(tn_window_count(ctx->ir, &p.window, d, in->in[2 + d],
                           tn_int(ctx->ir, TN_DT_I64, p.size[d]), &dims[2 + d]));
  }
  uint32_t n = (uint32_t)p.n + 2;
  *out_type = tn_ty_tensor(ctx->ir, TN_DT_I64, n, tn_list(ctx->ir, n, dims));
  return NULL;
}

/* ---- reference ---- */

static bool is_larger(const tn_array *x, int64_t i, int64_t j) {
  if (tn_dtype_is_float(x->dtype)) {
    double best = tn_array_get_f64(x, j);
    return !isnan(best) && !(tn_array_get_f64(x, i) <= best);
  }
  int64_t a = tn_array_get_i64(x, i);
  int64_t b = tn_array_get_i64(x, j);
  return tn_dtype_is_int(x->dtype) ? a > b : (uint64_t)a > (uint64_t)b;
}

/* The coordinates of tap t of the window at `at`; false: it is not on the data. */
static bool tap_at(const places *p, const tn_array *x, const int64_t *at, int64_t t,
                   int64_t *from) {
  bool is_in = true;
  from[0] = at[0];
  from[1] = at[1];
  for (int32_t d = p->n; d-- > 0;) {
    from[2 + d] = at[2 + d] * p->window.stride[d] + t % p->size[d] * p->window.dilation[d] -
                  p->window.before[d];
    t /= p->size[d];
    is_in = is_in && from[2 + d] >= 0 && from[2 + d] < x->shape[2 + d];
  }
  return is_in;
}

static int64_t column_place(const places *p, const tn_array *x, const int64_t *from) {
  int64_t place = from[0] * x->shape[1] + from[1];
  int64_t inner = 0;
  for (int32_t d = p->n; d-- > 0;) {
    inner = inner * x->shape[2 + d] + from[2 + d];
    place *= x->shape[2 + d];
  }
  return place + inner;
}

tn_status tn_op_eval_pool_places(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                 tn_array *out) {
  places p;
  int64_t shape[2 + TN_MAX_SPATIAL];
  int64_t at[2 + TN_MAX_SPATIAL];
  int64_t from[2 + TN_MAX_SPATIAL];
  int64_t n_taps = 1;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected data");
  }
  const tn_array *x = args[0];
  TN_TRY(read_places(call, x->ndim, &p));
  shape[0] = x->shape[0];
  shape[1] = x->shape[1];
  for (int32_t d = 0; d < p.n; ++d) {
    shape[2 + d] = tn_window_count_i64(&p.window, d, x->shape[2 + d], p.size[d]);
    n_taps *= p.size[d];
  }
  TN_TRY(tn_array_init(out, TN_DT_I64, x->ndim, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    int64_t best = -1;
    tn_unravel(out, i, at);
    for (int64_t t = 0; t < n_taps; ++t) {
      if (tap_at(&p, x, at, t, from)) {
        int64_t here = tn_ravel(x, from);
        best = best < 0 || is_larger(x, here, best) ? here : best;
      }
    }
    best = best < 0 ? 0 : best;
    tn_unravel(x, best, from);
    tn_array_set_i64(out, i, p.by_columns ? column_place(&p, x, from) : best);
  }
  return NULL;
}

/* ---- loop form: the largest elements, the least place that holds them, and its other number ---- */

typedef struct tap {
  const tn_node *value;
  const tn_node *place;
  const tn_node *is_in; /* NULL: always */
} tap;

static tap tap_te(tn_kernel *k, const places *p, const tn_node *x) {
  const tn_node *const *taps = k->axes + k->n_spatial;
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  const tn_node *from[2 + TN_MAX_SPATIAL] = {k->axes[0], k->axes[1]};
  tap t = {NULL, NULL, NULL};
  for (int32_t d = 0; d < p->n; ++d) {
    const tn_node *index = tn_window_index(k, &p->window, d, k->axes[2 + d], taps[d], false);
    from[2 + d] = index;
    if (p->window.before[d] != 0) {
      const tn_node *is_in = tn_te_ge(k->te, index, tn_int(k->ir, TN_DT_I64, 0));
      t.is_in = t.is_in == NULL ? is_in : tn_te_and(k->te, t.is_in, is_in);
    }
    if (p->window.after[d] != 0 || p->window.is_ceil) {
      const tn_node *is_in = tn_te_lt(k->te, index, shape->in[2 + d]);
      t.is_in = t.is_in == NULL ? is_in : tn_te_and(k->te, t.is_in, is_in);
    }
  }
  t.place = from[0];
  for (int32_t d = 1; d < p->n + 2; ++d) {
    t.place = tn_te_add(k->te, tn_te_mul(k->te, t.place, shape->in[d]), from[d]);
  }
  t.value = tn_te_load(k->te, x, from);
  return t;
}

static const tn_node *if_inside(tn_kernel *k, const tap *t, const tn_node *value,
                                const tn_node *otherwise) {
  return t->is_in == NULL ? value : tn_te_if_then_else(k->te, t->is_in, value, otherwise);
}

/* A place row by row as one column by column; none is 0. */
static const tn_node *other_number(tn_kernel *k, const places *p, const tn_node *x,
                                   const tn_node *place) {
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  const tn_node *at[TN_MAX_SPATIAL];
  const tn_node *none = tn_te_greatest(k->te, TN_DT_I64);
  place =
      tn_te_if_then_else(k->te, tn_te_eq(k->te, place, none), tn_int(k->ir, TN_DT_I64, 0), place);
  if (!p->by_columns) {
    return place;
  }
  for (int32_t d = p->n; d-- > 0;) {
    at[d] = tn_te_floormod(k->te, place, shape->in[2 + d]);
    place = tn_te_floordiv(k->te, place, shape->in[2 + d]);
  }
  const tn_node *inner = NULL;
  for (int32_t d = p->n; d-- > 0;) {
    place = tn_te_mul(k->te, place, shape->in[2 + d]);
    inner =
        inner == NULL ? at[d] : tn_te_add(k->te, tn_te_mul(k->te, inner, shape->in[2 + d]), at[d]);
  }
  return tn_te_add(k->te, place, inner);
}

static tn_status build_pool_places(tn_kernel *k, const tn_node *type) {
  places p;
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  const tn_node *reduce[TN_MAX_SPATIAL];
  TN_TRY(read_places(k->call, tn_buffer_ndim(x), &p));
  TN_TRY(tn_kernel_result(k, type, &out));
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  for (int32_t d = 0; d < p.n; ++d) {
    reduce[d] = tn_int(k->ir, TN_DT_I64, p.size[d]);
  }
  const tn_node *best = tn_te_declare(k->te, "pool_max", x->dtype, shape->n_in, shape->in);
  tn_kernel_begin(k, "pool_max", shape->n_in, shape->in, (uint32_t)p.n, reduce);
  tap t = tap_te(k, &p, x);
  const tn_node *least = tn_te_least(k->te, x->dtype);
  tn_te_end_reduce_into(k->te, TN_TE_MAXIMUM, best, k->axes, if_inside(k, &t, t.value, least));
  const tn_node *first = tn_te_declare(k->te, "pool_place", TN_DT_I64, shape->n_in, shape->in);
  tn_kernel_begin(k, "pool_place", shape->n_in, shape->in, (uint32_t)p.n, reduce);
  t = tap_te(k, &p, x);
  const tn_node *none = tn_te_greatest(k->te, TN_DT_I64);
  const tn_node *is_best = tn_kernel_is_extremum(k, t.value, tn_te_load(k->te, best, k->axes));
  const tn_node *place = tn_te_if_then_else(k->te, is_best, t.place, none);
  tn_te_end_reduce_into(k->te, TN_TE_MIN, first, k->axes, if_inside(k, &t, place, none));
  tn_kernel_begin(k, "pool_number", shape->n_in, shape->in, 0, NULL);
  tn_te_end_into(k->te, out, k->axes, other_number(k, &p, x, tn_te_load(k->te, first, k->axes)),
                 NULL);
  return NULL;
}

tn_status tn_op_lower_pool_places(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "max_pool_places", build_pool_places, out_func);
}
