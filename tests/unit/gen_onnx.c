/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random ONNX models: chance, operands. See gen_onnx.h; how a graph grows is in gen_onnx_grow.c. */
#include "gen_onnx_priv.h"

#include <math.h>
#include <stdlib.h>

#include "tn_test.h"

/* ---- types ---- */

static const struct {
  tn_dtype dtype;
  uint32_t bit;
  int64_t onnx;
  int32_t weight;
} types[] = {
    {TN_DT_F16, GX_F16, 10, 4},  {TN_DT_BF16, GX_BF16, 16, 2}, {TN_DT_F32, GX_F32, 1, 30},
    {TN_DT_F64, GX_F64, 11, 5},  {TN_DT_I8, GX_I8, 3, 3},      {TN_DT_I16, GX_I16, 5, 2},
    {TN_DT_I32, GX_I32, 6, 5},   {TN_DT_I64, GX_I64, 7, 6},    {TN_DT_U8, GX_U8, 2, 4},
    {TN_DT_U16, GX_U16, 4, 1},   {TN_DT_U32, GX_U32, 12, 1},   {TN_DT_U64, GX_U64, 13, 1},
    {TN_DT_BOOL, GX_BOOL, 9, 5},
};

uint32_t gx_type_bit(tn_dtype dtype) {
  for (size_t i = 0; i < TN_N_ROWS(types); ++i) {
    if (types[i].dtype == dtype) {
      return types[i].bit;
    }
  }
  return 0;
}

int64_t gx_onnx_type(tn_dtype dtype) {
  for (size_t i = 0; i < TN_N_ROWS(types); ++i) {
    if (types[i].dtype == dtype) {
      return types[i].onnx;
    }
  }
  return 0;
}

bool gx_is_float(tn_dtype dtype) { return (gx_type_bit(dtype) & GX_FLOATS) != 0; }

/* ---- chance ---- */

int64_t gx_range(gx_graph *g, int64_t lo, int64_t hi) { return tn_rng_range(&g->rng, lo, hi); }

bool gx_chance(gx_graph *g, int32_t percent) {
  return tn_rng_below(&g->rng, 100) < (uint64_t)percent;
}

tn_dtype gx_dtype(gx_graph *g, uint32_t mask) {
  int64_t all = 0;
  mask = g->opset < 13 ? mask & ~(uint32_t)GX_BF16 : mask;
  for (size_t i = 0; i < TN_N_ROWS(types); ++i) {
    all += (types[i].bit & mask) != 0 ? types[i].weight : 0;
  }
  assert_true(all > 0);
  int64_t at = gx_range(g, 0, all - 1);
  for (size_t i = 0; i < TN_N_ROWS(types); ++i) {
    at -= (types[i].bit & mask) != 0 ? types[i].weight : 0;
    if (at < 0) {
      return types[i].dtype;
    }
  }
  return TN_DT_F32;
}

int64_t gx_extent(gx_graph *g) {
  static const int64_t some[] = {1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17};
  return gx_chance(g, 2) ? 0 : some[gx_range(g, 0, TN_N_ROWS(some) - 1)];
}

void gx_shape(gx_graph *g, int32_t ndim, int64_t *out) {
  int64_t n = 1;
  for (int32_t i = 0; i < ndim; ++i) {
    out[i] = gx_extent(g);
    while (out[i] * n > 3000) {
      out[i] = (out[i] + 1) / 2;
    }
    n *= out[i];
  }
}

int32_t gx_rank(gx_graph *g, int32_t lo, int32_t hi) {
  static const int32_t some[] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5};
  int32_t rank = some[gx_range(g, 0, TN_N_ROWS(some) - 1)];
  return rank < lo || rank > hi ? (int32_t)gx_range(g, lo, hi) : rank;
}

int64_t gx_axis_form(gx_graph *g, int64_t axis, int32_t ndim) {
  return g->opset >= 11 && gx_chance(g, 40) ? axis - ndim : axis;
}

int64_t gx_axis(gx_graph *g, int32_t ndim) {
  return gx_axis_form(g, gx_range(g, 0, ndim - 1), ndim);
}

/* ---- new operands ---- */

static int32_t add_value(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape,
                         gx_place place) {
  gx_value v = {.place = place};
  expect_ok(tn_array_init(&v.array, dtype, ndim, shape));
  TN_VEC_PUSH(&g->values, v);
  return (int32_t)g->values.len - 1;
}

static double some_float(gx_graph *g, gx_fill fill, int32_t style) {
  switch (fill) {
    case GX_SMALL:
      return (double)gx_range(g, -4, 4);
    case GX_NOT_ZERO:
      return (double)gx_range(g, 1, 5);
    case GX_UNIT:
      return (double)gx_range(g, 1, 15) / 16;
    case GX_ANY:
      break;
  }
  return style == 0   ? (double)gx_range(g, -4, 4)
         : style == 1 ? (double)gx_range(g, -12, 12) / 4
                      : 4 * tn_rng_unit(&g->rng) - 2;
}

static int64_t some_int(gx_graph *g, tn_dtype dtype, gx_fill fill) {
  bool has_sign = tn_dtype_is_int(dtype);
  if (fill == GX_NOT_ZERO || fill == GX_UNIT) {
    return gx_range(g, 1, 5);
  }
  if (fill == GX_ANY && gx_chance(g, 1)) {
    return (int64_t)tn_rng_next(&g->rng); /* wraps to any of its values */
  }
  return has_sign ? gx_range(g, -6, 6) : gx_range(g, 0, 12);
}

static void fill_array(gx_graph *g, tn_array *array, gx_fill fill) {
  static const double wild[] = {NAN, INFINITY, -INFINITY, -0.0, 1e30, 1e-30};
  int64_t n = tn_array_n_elems(array);
  int32_t style = (int32_t)gx_range(g, 0, 2);
  for (int64_t i = 0; i < n; ++i) {
    if (gx_is_float(array->dtype)) {
      bool is_wild = g->is_wild && fill == GX_ANY && gx_chance(g, 8);
      tn_array_set_f64(array, i,
                       is_wild ? wild[gx_range(g, 0, TN_N_ROWS(wild) - 1)]
                               : some_float(g, fill, style));
    } else if (tn_dtype_is_bool(array->dtype)) {
      tn_array_set_i64(array, i, gx_range(g, 0, 1));
    } else {
      tn_array_set_i64(array, i, some_int(g, array->dtype, fill));
    }
  }
}

int32_t gx_leaf(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape, gx_fill fill) {
  gx_place place = gx_chance(g, 60) ? GX_INPUT : gx_chance(g, 80) ? GX_INIT : GX_CONSTANT;
  int32_t id = add_value(g, dtype, ndim, shape, place);
  fill_array(g, gx_array(g, id), fill);
  return id;
}

int32_t gx_const(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape) {
  int32_t id = add_value(g, dtype, ndim, shape, gx_chance(g, 70) ? GX_INIT : GX_CONSTANT);
  g->values.data[id].is_fixed = true;
  return id;
}

int32_t gx_const_ints(gx_graph *g, int64_t n, const int64_t *values) {
  int32_t id = gx_const(g, TN_DT_I64, 1, &n);
  for (int64_t i = 0; i < n; ++i) {
    tn_array_set_i64(gx_array(g, id), i, values[i]);
  }
  return id;
}

int32_t gx_const_number(gx_graph *g, tn_dtype dtype, double value) {
  int32_t id = gx_const(g, dtype, 0, NULL);
  tn_array_set_f64(gx_array(g, id), 0, value);
  return id;
}

int32_t gx_indices(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape, int64_t lo,
                   int64_t hi) {
  int32_t id = gx_leaf(g, dtype, ndim, shape, GX_SMALL);
  for (int64_t i = 0; i < tn_array_n_elems(gx_array(g, id)); ++i) {
    tn_array_set_i64(gx_array(g, id), i, gx_range(g, lo, hi));
  }
  return id;
}

/* ---- operands that there are ---- */

static int32_t some_of(gx_graph *g, const int32_t *ids, int32_t n) {
  /* the newer ones more often, so that chains grow long */
  int64_t a = gx_range(g, 0, n - 1);
  int64_t b = gx_range(g, 0, n - 1);
  return ids[a > b ? a : b];
}

enum { MAX_FOUND = 256 };

int32_t gx_pick(gx_graph *g, uint32_t mask, int32_t lo, int32_t hi) {
  int32_t found[MAX_FOUND];
  int64_t shape[8];
  int32_t n = 0;
  mask = g->opset < 13 ? mask & ~(uint32_t)GX_BF16 : mask;
  for (int32_t i = 0; i < (int32_t)g->values.len && n < MAX_FOUND; ++i) {
    const tn_array *a = gx_array(g, i);
    if ((gx_type_bit(a->dtype) & mask) != 0 && a->ndim >= lo && a->ndim <= hi) {
      found[n++] = i;
    }
  }
  if (n > 0 && gx_chance(g, 85)) {
    return some_of(g, found, n);
  }
  int32_t ndim = gx_rank(g, lo, hi);
  gx_shape(g, ndim, shape);
  return gx_leaf(g, gx_dtype(g, mask), ndim, shape, GX_ANY);
}

static bool has_zero(gx_graph *g, int32_t id) {
  for (int64_t i = 0; i < tn_array_n_elems(gx_array(g, id)); ++i) {
    if (!(tn_array_get_f64(gx_array(g, id), i) > 0)) {
      return true;
    }
  }
  return false;
}

static bool may_be(gx_graph *g, int32_t id, tn_dtype dtype, gx_fill fill) {
  return gx_type(g, id) == dtype && (fill == GX_ANY || (fill == GX_NOT_ZERO && !has_zero(g, id)));
}

int32_t gx_same(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape, gx_fill fill) {
  int32_t found[MAX_FOUND];
  int32_t n = 0;
  for (int32_t i = 0; i < (int32_t)g->values.len && n < MAX_FOUND; ++i) {
    const tn_array *a = gx_array(g, i);
    if (a->ndim == ndim && may_be(g, i, dtype, fill) &&
        (ndim == 0 || memcmp(a->shape, shape, sizeof *shape * (size_t)ndim) == 0)) {
      found[n++] = i;
    }
  }
  return n > 0 && gx_chance(g, 75) ? some_of(g, found, n) : gx_leaf(g, dtype, ndim, shape, fill);
}

int32_t gx_like(gx_graph *g, int32_t id) {
  tn_array like = *gx_array(g, id);
  return gx_same(g, like.dtype, like.ndim, like.shape, GX_ANY);
}

static bool broadcasts(const tn_array *a, const tn_array *b, bool is_one_way) {
  int64_t n = 1;
  int32_t ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
  if (is_one_way && b->ndim > a->ndim) {
    return false;
  }
  for (int32_t i = 1; i <= ndim; ++i) {
    int64_t x = i <= a->ndim ? a->shape[a->ndim - i] : 1;
    int64_t y = i <= b->ndim ? b->shape[b->ndim - i] : 1;
    if (x != y && y != 1 && (x != 1 || is_one_way)) {
      return false;
    }
    n *= x == 1 ? y : x;
  }
  return n <= 4000;
}

int32_t gx_partner(gx_graph *g, int32_t id, tn_dtype dtype, bool is_one_way, gx_fill fill) {
  int32_t found[MAX_FOUND];
  int32_t n = 0;
  int64_t shape[8];
  tn_array to = *gx_array(g, id);
  for (int32_t i = 0; i < (int32_t)g->values.len && n < MAX_FOUND; ++i) {
    if (may_be(g, i, dtype, fill) && broadcasts(&to, gx_array(g, i), is_one_way)) {
      found[n++] = i;
    }
  }
  if (n > 0 && gx_chance(g, 70)) {
    return some_of(g, found, n);
  }
  int32_t drop = gx_chance(g, 40) ? (int32_t)gx_range(g, 0, to.ndim) : 0;
  int32_t ndim = to.ndim - drop;
  for (int32_t i = 0; i < ndim; ++i) {
    shape[i] = gx_chance(g, 25) ? 1 : to.shape[i + drop];
  }
  if (!is_one_way && drop == 0 && ndim < 5 && gx_chance(g, 10)) {
    memmove(shape + 1, shape, sizeof *shape * (size_t)ndim);
    shape[0] = 2;
    ndim++;
  }
  return gx_leaf(g, dtype, ndim, shape, fill);
}

void gx_in(gx_node *n, int32_t id) {
  assert_true(n->n_in < GX_MAX_IN);
  n->in[n->n_in++] = id;
}
