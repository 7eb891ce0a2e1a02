/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operators that put each element of the result where one element of the operand was, or fill:
 * squeeze, expand_dims, broadcast_to, strided_slice, nn.pad, tril, triu, flip, repeat, tile. Each
 * has its result's extents, and the way from a place of the result to one of the operand twice: on
 * numbers for the reference, on expressions for the loop form
 *
 *   out[i...] = inside(i...) ? x[f(i)...] : fill */
#include <inttypes.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/window.h"

/* One call: its operand's extents as numbers (reference) or expressions, and its fields. */
typedef struct move {
  const tn_node *call;
  tn_ir *ir;    /* NULL in the reference */
  int32_t ndim; /* of the operand */
  int32_t out_ndim;
  const tn_node *const *dims;       /* of the operand, as expressions */
  int64_t extents[TN_MAX_NDIM];     /* of the operand, as numbers; -1 not known */
  int64_t out_extents[TN_MAX_NDIM]; /* in the reference */
  const tn_node *out_dims[TN_MAX_NDIM];
  int64_t a[2 * TN_MAX_NDIM]; /* fields, as each operator has them */
  int64_t b[TN_MAX_NDIM];
  int64_t step[TN_MAX_NDIM];
  bool is_marked[TN_MAX_NDIM];
  const tn_array *shape; /* broadcast_to: the second argument, in the reference */
} move;

typedef struct move_row {
  const char *name;
  /// Fields, and extents of the result: numbers, and expressions where there is an ir.
  tn_status (*plan)(move *m);
  /// Place of the operand; false: fill.
  bool (*at)(const move *m, const int64_t *i, int64_t *out);
  /// The same as expressions; the condition, or NULL.
  const tn_node *(*index)(tn_kernel *k, const move *m, const tn_node **out);
} move_row;

static const tn_node *constant(const move *m, int64_t value) {
  return tn_int(m->ir, TN_DT_I64, value);
}

/* An extent of the result, as a number and, where there is an ir, as an expression. */
static void put_extent(move *m, int32_t d, int64_t extent, const tn_node *dim) {
  m->out_extents[d] = extent;
  if (m->ir != NULL) {
    m->out_dims[d] = dim != NULL ? dim : constant(m, extent);
  }
}

static void keep_extent(move *m, int32_t to, int32_t from) {
  put_extent(m, to, m->extents[from], m->ir == NULL ? NULL : m->dims[from]);
}

static tn_status need_extent(const move *m, int32_t d) {
  if (m->extents[d] < 0) {
    return TN_ERR(TN_UNSUPPORTED, "the extent of axis %d must be a number here", d);
  }
  return NULL;
}

static tn_status read_axis_list(const move *m, int32_t field, int64_t ndim, bool *marked,
                                int32_t *out_n) {
  int64_t axes[TN_MAX_NDIM];
  TN_TRY(tn_op_ints(m->call, field, axes, out_n));
  for (int32_t i = 0; i < *out_n; ++i) {
    int64_t axis = 0;
    TN_TRY(tn_op_axis(m->call->attr.def->name, axes[i], ndim, &axis));
    if (marked[axis]) {
      return TN_ERR(TN_INVALID, "axis %" PRId64 " is there twice", axis);
    }
    marked[axis] = true;
  }
  return NULL;
}

static tn_status check_rank(int64_t ndim) {
  if (ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%" PRId64 " dimensions; there may be %d", ndim,
                  (int)TN_MAX_NDIM);
  }
  return NULL;
}

/* ---- squeeze: marked dimensions go ---- */

static tn_status squeeze_plan(move *m) {
  int32_t n = 0;
  TN_TRY(read_axis_list(m, 0, m->ndim, m->is_marked, &n));
  for (int32_t d = 0; d < m->ndim; ++d) {
    if (n < 0) {
      TN_TRY(need_extent(m, d));
      m->is_marked[d] = m->extents[d] == 1;
    } else if (m->is_marked[d] && m->extents[d] >= 0 && m->extents[d] != 1) {
      return TN_ERR(TN_INVALID, "axis %d has extent %" PRId64 ", expected 1", d, m->extents[d]);
    }
    if (!m->is_marked[d]) {
      keep_extent(m, m->out_ndim++, d);
    }
  }
  return NULL;
}

static bool squeeze_at(const move *m, const int64_t *i, int64_t *out) {
  for (int32_t d = 0, from = 0; d < m->ndim; ++d) {
    out[d] = m->is_marked[d] ? 0 : i[from++];
  }
  return true;
}

static const tn_node *squeeze_index(tn_kernel *k, const move *m, const tn_node **out) {
  for (int32_t d = 0, from = 0; d < m->ndim; ++d) {
    out[d] = m->is_marked[d] ? tn_int(k->ir, TN_DT_I64, 0) : k->axes[from++];
  }
  return NULL;
}

/* ---- expand_dims: marked dimensions of the result are new ---- */

static tn_status expand_plan(move *m) {
  int64_t axes[TN_MAX_NDIM];
  int32_t n = 0;
  TN_TRY(tn_op_ints(m->call, 0, axes, &n));
  TN_TRY(check_rank(m->ndim + n));
  TN_TRY(read_axis_list(m, 0, m->ndim + n, m->is_marked, &n));
  for (int32_t d = 0, from = 0; d < m->ndim + n; ++d) {
    if (m->is_marked[d]) {
      put_extent(m, d, 1, NULL);
    } else {
      keep_extent(m, d, from++);
    }
  }
  m->out_ndim = m->ndim + n;
  return NULL;
}

static bool expand_at(const move *m, const int64_t *i, int64_t *out) {
  for (int32_t d = 0, to = 0; d < m->out_ndim; ++d) {
    if (!m->is_marked[d]) {
      out[to++] = i[d];
    }
  }
  return true;
}

static const tn_node *expand_index(tn_kernel *k, const move *m, const tn_node **out) {
  for (int32_t d = 0, to = 0; d < m->out_ndim; ++d) {
    if (!m->is_marked[d]) {
      out[to++] = k->axes[d];
    }
  }
  return NULL;
}

/* ---- broadcast_to: the second argument is the shape ---- */

static tn_status wanted_shape(const move *m, const tn_node **out) {
  const tn_infer_ctx ctx = {.ir = m->ir};
  const tn_node *type = NULL;
  TN_TRY(tn_graph_infer(&ctx, tn_call_arg(m->call, 1), &type));
  if (type->op != TN_OP_TY_SHAPE || tn_is_none(type->in[0])) {
    return TN_ERR(TN_INVALID, "the second argument is no shape whose extents are known");
  }
  *out = type->in[0];
  return NULL;
}

static tn_status broadcast_plan(move *m) {
  const tn_node *want = NULL;
  const tn_array *given = m->shape;
  if (m->ir != NULL) {
    TN_TRY(wanted_shape(m, &want));
  } else if (given == NULL || given->ndim != 1 || given->dtype != TN_DT_I64) {
    return TN_ERR(TN_INVALID, "the second argument is no shape");
  }
  int64_t n = want != NULL ? want->n_in : given->shape[0];
  TN_TRY(check_rank(n));
  if (n < m->ndim) {
    return TN_ERR(TN_INVALID, "a tensor of %d dimensions does not broadcast to %" PRId64, m->ndim,
                  n);
  }
  for (int32_t d = 0; d < n; ++d) {
    const tn_node *dim = want == NULL ? NULL : want->in[d];
    int64_t extent = want == NULL           ? tn_array_get_i64(given, d)
                     : dim->op == TN_OP_INT ? dim->attr.i64
                                            : -1;
    int32_t from = d - ((int32_t)n - m->ndim);
    put_extent(m, d, extent, dim);
    if (from < 0) {
      continue;
    }
    bool is_same = m->ir != NULL ? tn_dim_compare(m->ir, m->dims[from], dim) != TN_DIM_DIFFERENT
                                 : m->extents[from] == extent;
    if (m->extents[from] != 1 && !is_same) {
      return TN_ERR(TN_INVALID, "the extents %" PRId64 " and %" PRId64 " do not broadcast",
                    m->extents[from], extent);
    }
  }
  m->out_ndim = (int32_t)n;
  return NULL;
}

static bool broadcast_at(const move *m, const int64_t *i, int64_t *out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    out[d] = m->extents[d] == 1 ? 0 : i[m->out_ndim - m->ndim + d];
  }
  return true;
}

static const tn_node *broadcast_index(tn_kernel *k, const move *m, const tn_node **out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    out[d] = m->extents[d] == 1 ? tn_int(k->ir, TN_DT_I64, 0) : k->axes[m->out_ndim - m->ndim + d];
  }
  return NULL;
}

/* ---- strided_slice: axes, begin, end, strides ---- */

/* NumPy's rule: counted from the end when below 0, then brought into range. */
static void clamp_slice(int64_t n, int64_t begin, int64_t end, int64_t step, int64_t *out_begin,
                        int64_t *out_count) {
  int64_t lo = step > 0 ? 0 : -1;
  int64_t hi = step > 0 ? n : n - 1;
  begin = begin < 0 ? (begin < -n ? lo : begin + n) : begin;
  end = end < 0 ? (end < -n ? lo : end + n) : end;
  begin = begin < lo ? lo : begin > hi ? hi : begin;
  end = end < lo ? lo : end > hi ? hi : end;
  int64_t length = step > 0 ? end - begin : begin - end;
  int64_t pace = step > 0 ? step : -step;
  *out_begin = begin;
  *out_count = length <= 0 ? 0 : (length - 1) / pace + 1;
}

/* The part [from, end) of a dimension whose extent is an expression; steps forward. */
static void slice_dim(move *m, int32_t d, const tn_node **out_count) {
  tn_ir *ir = m->ir;
  const tn_node *n = m->dims[d];
  const tn_node *zero = constant(m, 0);
  const tn_node *ends[2];
  for (int i = 0; i < 2; ++i) {
    int64_t at = i == 0 ? m->a[d] : m->b[d];
    const tn_node *from_end = tn_binary(ir, TN_OP_ADD, n, constant(m, at));
    ends[i] = at == 0          ? zero
              : at < 0         ? tn_binary(ir, TN_OP_MAX, from_end, zero)
              : at > INT32_MAX ? n
                               : tn_binary(ir, TN_OP_MIN, constant(m, at), n);
  }
  const tn_node *length = tn_binary(ir, TN_OP_ADD, tn_binary(ir, TN_OP_SUB, ends[1], ends[0]),
                                    constant(m, m->step[d] - 1));
  length = tn_binary(ir, TN_OP_FLOORDIV, length, constant(m, m->step[d]));
  *out_count = tn_op_simplify(ir, tn_binary(ir, TN_OP_MAX, length, zero));
}

/* A stride beyond all extents takes the first element, as any larger one does; sums of an extent and
 * a stride then stay below 2^63. */
static int64_t clamp_stride(int64_t stride) {
  const int64_t limit = INT64_C(1) << 48;
  return stride > limit ? limit : stride < -limit ? -limit : stride;
}

static tn_status slice_fields(move *m, int64_t *axes, int32_t *out_n) {
  int64_t begin[TN_MAX_NDIM];
  int64_t end[TN_MAX_NDIM];
  int64_t steps[TN_MAX_NDIM];
  int32_t n[4] = {0};
  TN_TRY(tn_op_ints(m->call, 0, axes, &n[0]));
  TN_TRY(tn_op_ints(m->call, 1, begin, &n[1]));
  TN_TRY(tn_op_ints(m->call, 2, end, &n[2]));
  TN_TRY(tn_op_ints(m->call, 3, steps, &n[3]));
  int32_t n_axes = n[0] < 0 ? n[1] : n[0];
  if (n[1] != n_axes || n[2] != n_axes || n_axes > m->ndim ||
      (n[3] >= 0 && n[3] != n_axes && n[3] != 1)) {
    return TN_ERR(TN_INVALID, "%d axes, %d begins, %d ends, %d strides for %d dimensions", n_axes,
                  n[1], n[2], n[3] < 0 ? n_axes : n[3], m->ndim);
  }
  for (int32_t i = 0; i < n_axes; ++i) {
    int64_t axis = i;
    TN_TRY(tn_op_axis("strided_slice", n[0] < 0 ? i : axes[i], m->ndim, &axis));
    m->a[axis] = begin[i];
    m->b[axis] = end[i];
    m->step[axis] = clamp_stride(n[3] < 0 ? 1 : steps[n[3] == 1 ? 0 : i]);
    if (m->is_marked[axis] || m->step[axis] == 0) {
      return TN_ERR(TN_INVALID, "axis %" PRId64 " is there twice, or has a stride of 0", axis);
    }
    m->is_marked[axis] = true;
  }
  *out_n = n_axes;
  return NULL;
}

static tn_status slice_plan(move *m) {
  int64_t axes[TN_MAX_NDIM];
  int32_t n = 0;
  TN_TRY(slice_fields(m, axes, &n));
  for (int32_t d = 0; d < m->ndim; ++d) {
    if (!m->is_marked[d]) {
      m->a[d] = 0;
      m->step[d] = 1;
      keep_extent(m, d, d);
    } else if (m->extents[d] >= 0) {
      int64_t count = 0;
      clamp_slice(m->extents[d], m->a[d], m->b[d], m->step[d], &m->a[d], &count);
      put_extent(m, d, count, NULL);
    } else {
      const tn_node *count = NULL;
      if (m->step[d] < 0) {
        TN_TRY(need_extent(m, d));
      }
      slice_dim(m, d, &count);
      put_extent(m, d, -1, count);
    }
  }
  m->out_ndim = m->ndim;
  return NULL;
}

static bool slice_at(const move *m, const int64_t *i, int64_t *out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    out[d] = m->a[d] + i[d] * m->step[d];
  }
  return true;
}

static const tn_node *slice_index(tn_kernel *k, const move *m, const tn_node **out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    const tn_node *at = m->step[d] == 1
                            ? k->axes[d]
                            : tn_te_mul(k->te, k->axes[d], tn_int(k->ir, TN_DT_I64, m->step[d]));
    const tn_node *first = tn_int(k->ir, TN_DT_I64, m->a[d]);
    if (m->a[d] < 0) { /* from the end of an extent that is an expression */
      first = tn_te_max(k->te, tn_te_add(k->te, m->dims[d], first), tn_int(k->ir, TN_DT_I64, 0));
    }
    out[d] = m->a[d] == 0 ? at : tn_te_add(k->te, at, first);
  }
  return NULL;
}

/* ---- nn.pad: pad_width: before and after, for each dimension ---- */

enum { PAD_WIDTH, PAD_VALUE, PAD_MODE };

static tn_status pad_plan(move *m) {
  int32_t n = 0;
  const tn_node *list = tn_call_field(m->call, PAD_WIDTH);
  const char *mode = tn_op_text(m->call, PAD_MODE);
  if (*mode != '\0' && strcmp(mode, "constant") != 0) {
    return TN_ERR(TN_UNSUPPORTED, "pad_mode '%s': only \"constant\" is there", mode);
  }
  n = list == NULL || list->op != TN_OP_LIST ? -1 : (int32_t)list->n_in;
  if (n != 2 * m->ndim) {
    return TN_ERR(TN_INVALID, "pad_width has %d numbers for %d dimensions", n < 0 ? 0 : n, m->ndim);
  }
  for (int32_t i = 0; i < n; ++i) {
    m->a[i] = list->in[i]->op == TN_OP_INT ? list->in[i]->attr.i64 : -1;
    if (m->a[i] < 0 || m->a[i] > INT32_MAX) {
      return TN_ERR(TN_INVALID, "pad_width holds a number below 0 or above %d", (int)INT32_MAX);
    }
  }
  for (int32_t d = 0; d < m->ndim; ++d) {
    int64_t more = m->a[2 * d] + m->a[2 * d + 1];
    if (m->extents[d] >= 0) {
      if (m->extents[d] > INT64_MAX - more) {
        return TN_ERR(TN_INVALID, "an extent of %" PRId64 " cannot be padded", m->extents[d]);
      }
      put_extent(m, d, m->extents[d] + more, NULL);
    } else {
      put_extent(m, d, -1,
                 tn_op_simplify(m->ir, tn_binary(m->ir, TN_OP_ADD, m->dims[d], constant(m, more))));
    }
  }
  m->out_ndim = m->ndim;
  return NULL;
}

static bool pad_at(const move *m, const int64_t *i, int64_t *out) {
  bool is_in = true;
  for (int32_t d = 0; d < m->ndim; ++d) {
    out[d] = i[d] - m->a[2 * d];
    is_in = is_in && out[d] >= 0 && out[d] < m->extents[d];
  }
  return is_in;
}

static const tn_node *both(tn_kernel *k, const tn_node *a, const tn_node *b) {
  return a == NULL ? b : tn_te_and(k->te, a, b);
}

static const tn_node *pad_index(tn_kernel *k, const move *m, const tn_node **out) {
  const tn_node *inside = NULL;
  for (int32_t d = 0; d < m->ndim; ++d) {
    const tn_node *low = tn_int(k->ir, TN_DT_I64, m->a[2 * d]);
    out[d] = m->a[2 * d] == 0 ? k->axes[d] : tn_te_sub(k->te, k->axes[d], low);
    if (m->a[2 * d] > 0) {
      inside = both(k, inside, tn_te_le(k->te, low, k->axes[d]));
    }
    if (m->a[2 * d + 1] > 0) {
      const tn_node *high = tn_op_simplify(k->ir, tn_te_add(k->te, m->dims[d], low));
      inside = both(k, inside, tn_te_lt(k->te, k->axes[d], high));
    }
  }
  return inside;
}

/* ---- tril, triu: what is on the other side of diagonal k is 0 ---- */

static tn_status same_plan(move *m) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    keep_extent(m, d, d);
  }
  m->out_ndim = m->ndim;
  return NULL;
}

static tn_status triangle_plan(move *m) {
  m->a[0] = tn_op_int(m->call, 0);
  if (m->ndim < 2) {
    return TN_ERR(TN_INVALID, "a tensor of %d dimensions has no diagonal", m->ndim);
  }
  if (m->a[0] < INT32_MIN || m->a[0] > INT32_MAX) {
    return TN_ERR(TN_INVALID, "diagonal %" PRId64 " is out of range", m->a[0]);
  }
  return same_plan(m);
}

static bool is_upper(const move *m) { return m->call->attr.def->name[3] == 'u'; }

static bool triangle_at(const move *m, const int64_t *i, int64_t *out) {
  memcpy(out, i, sizeof *out * (size_t)m->ndim);
  int64_t diagonal = i[m->ndim - 1] - i[m->ndim - 2];
  return is_upper(m) ? diagonal >= m->a[0] : diagonal <= m->a[0];
}

static const tn_node *triangle_index(tn_kernel *k, const move *m, const tn_node **out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    out[d] = k->axes[d];
  }
  const tn_node *diagonal = tn_te_sub(k->te, out[m->ndim - 1], out[m->ndim - 2]);
  return tn_te_op(k->te, is_upper(m) ? TN_OP_GE : TN_OP_LE, diagonal,
                  tn_int(k->ir, TN_DT_I64, m->a[0]));
}

/* ---- flip ---- */

static tn_status flip_plan(move *m) {
  int64_t axis = 0;
  TN_TRY(tn_op_axis("flip", tn_op_int(m->call, 0), m->ndim, &axis));
  m->a[0] = axis;
  return same_plan(m);
}

static bool flip_at(const move *m, const int64_t *i, int64_t *out) {
  memcpy(out, i, sizeof *out * (size_t)m->ndim);
  out[m->a[0]] = m->extents[m->a[0]] - 1 - i[m->a[0]];
  return true;
}

static const tn_node *flip_index(tn_kernel *k, const move *m, const tn_node **out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    out[d] = k->axes[d];
  }
  const tn_node *last = tn_te_sub(k->te, m->dims[m->a[0]], tn_int(k->ir, TN_DT_I64, 1));
  out[m->a[0]] = tn_op_simplify(k->ir, tn_te_sub(k->te, last, k->axes[m->a[0]]));
  return NULL;
}

/* ---- repeat: each element a[0] times along axis a[1]; tile: the whole again and again ---- */

static tn_status scale_extent(move *m, int32_t to, int32_t from, int64_t times) {
  int64_t extent = -1;
  if (times < 0 || times > INT32_MAX) {
    return TN_ERR(TN_INVALID, "%" PRId64 " repeats", times);
  }
  if (m->extents[from] >= 0) {
    if (__builtin_mul_overflow(m->extents[from], times, &extent)) {
      return TN_ERR(TN_INVALID, "an extent of %" PRId64 " cannot be repeated %" PRId64 " times",
                    m->extents[from], times);
    }
    put_extent(m, to, extent, NULL);
    return NULL;
  }
  put_extent(m, to, -1,
             tn_op_simplify(m->ir, tn_binary(m->ir, TN_OP_MUL, m->dims[from], constant(m, times))));
  return NULL;
}

static tn_status repeat_plan(move *m) {
  m->a[0] = tn_op_int(m->call, 0);
  if (tn_call_field(m->call, 1) == NULL && m->ndim != 1) {
    return TN_ERR(TN_UNSUPPORTED, "repeat of %d dimensions needs an axis", m->ndim);
  }
  TN_TRY(tn_op_axis("repeat", tn_op_int(m->call, 1), m->ndim, &m->a[1]));
  TN_TRY(same_plan(m));
  return scale_extent(m, (int32_t)m->a[1], (int32_t)m->a[1], m->a[0]);
}

static bool repeat_at(const move *m, const int64_t *i, int64_t *out) {
  memcpy(out, i, sizeof *out * (size_t)m->ndim);
  out[m->a[1]] /= m->a[0];
  return true;
}

static const tn_node *repeat_index(tn_kernel *k, const move *m, const tn_node **out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    out[d] = k->axes[d];
  }
  int64_t times = m->a[0] == 0 ? 1 : m->a[0]; /* the loop has no rounds then */
  out[m->a[1]] = tn_te_floordiv(k->te, out[m->a[1]], tn_int(k->ir, TN_DT_I64, times));
  return NULL;
}

/* b[0]: how many dimensions of the result come before those of the operand. */
static tn_status tile_plan(move *m) {
  int64_t times[TN_MAX_NDIM];
  int32_t n = 0;
  TN_TRY(tn_op_ints(m->call, 0, times, &n));
  n = n < 0 ? 0 : n;
  m->out_ndim = n > m->ndim ? n : m->ndim;
  m->b[0] = m->out_ndim - m->ndim;
  for (int32_t d = 0; d < m->out_ndim; ++d) {
    int32_t from = d - (int32_t)m->b[0];
    int64_t count = d < m->out_ndim - n ? 1 : times[d - (m->out_ndim - n)];
    if (from >= 0) {
      TN_TRY(scale_extent(m, d, from, count));
    } else if (count < 0 || count > INT32_MAX) {
      return TN_ERR(TN_INVALID, "%" PRId64 " repeats", count);
    } else {
      put_extent(m, d, count, NULL);
    }
  }
  return NULL;
}

static bool tile_at(const move *m, const int64_t *i, int64_t *out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    out[d] = i[m->b[0] + d] % m->extents[d];
  }
  return true;
}

static const tn_node *tile_index(tn_kernel *k, const move *m, const tn_node **out) {
  for (int32_t d = 0; d < m->ndim; ++d) {
    bool is_empty = m->extents[d] == 0; /* the loop has no rounds then */
    out[d] = tn_te_floormod(k->te, k->axes[m->b[0] + d],
                            is_empty ? tn_int(k->ir, TN_DT_I64, 1) : m->dims[d]);
  }
  return NULL;
}

/* ---- the family ---- */

static const move_row move_rows[] = {
    {"broadcast_to", broadcast_plan, broadcast_at, broadcast_index},
    {"expand_dims", expand_plan, expand_at, expand_index},
    {"flip", flip_plan, flip_at, flip_index},
    {"nn.pad", pad_plan, pad_at, pad_index},
    {"repeat", repeat_plan, repeat_at, repeat_index},
    {"squeeze", squeeze_plan, squeeze_at, squeeze_index},
    {"strided_slice", slice_plan, slice_at, slice_index},
    {"tile", tile_plan, tile_at, tile_index},
    {"tril", triangle_plan, triangle_at, triangle_index},
    {"triu", triangle_plan, triangle_at, triangle_index},
};

static const move_row *move_row_of(const tn_node *call) {
  for (size_t i = 0; i < sizeof move_rows / sizeof move_rows[0]; ++i) {
    if (strcmp(move_rows[i].name, call->attr.def->name) == 0) {
      return &move_rows[i];
    }
  }
  tn_panic(__FILE__, __LINE__, __func__, "operator '%s' has no row in move_rows",
           call->attr.def->name);
}

static tn_status plan_dims(move *m, tn_ir *ir, const tn_node *call, const tn_node *dims) {
  *m = (move){.call = call, .ir = ir, .ndim = (int32_t)dims->n_in, .dims = dims->in};
  TN_TRY(check_rank(dims->n_in));
  for (uint32_t d = 0; d < dims->n_in; ++d) {
    m->extents[d] = dims->in[d]->op == TN_OP_INT ? dims->in[d]->attr.i64 : -1;
  }
  return move_row_of(call)->plan(m);
}

tn_status tn_op_infer_move(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *type = NULL;
  move m;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  const tn_node *shape = tn_op_shape(type);
  if (shape == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, type->dtype, -1, NULL);
    return NULL;
  }
  TN_TRY(plan_dims(&m, ctx->ir, call, shape));
  uint32_t n = (uint32_t)m.out_ndim;
  *out_type = tn_ty_tensor(ctx->ir, type->dtype, n, tn_list(ctx->ir, n, m.out_dims));
  return NULL;
}

static double fill_value(const tn_node *call) {
  return strcmp(call->attr.def->name, "nn.pad") == 0 ? tn_op_float(call, PAD_VALUE) : 0;
}

tn_status tn_op_eval_move(const tn_node *call, const tn_array *const *args, int32_t n_args,
                          tn_array *out) {
  int64_t i_at[TN_MAX_NDIM];
  int64_t from[TN_MAX_NDIM];
  if (n_args < 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  const tn_array *x = args[0];
  move m = {.call = call, .ndim = x->ndim, .shape = n_args > 1 ? args[1] : NULL};
  memcpy(m.extents, x->shape, sizeof(int64_t) * (size_t)x->ndim);
  TN_TRY(move_row_of(call)->plan(&m));
  TN_TRY(tn_array_init(out, x->dtype, m.out_ndim, m.out_extents));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, i_at);
    bool is_in = move_row_of(call)->at(&m, i_at, from);
    if (tn_dtype_is_any_float(x->dtype)) {
      tn_array_set_f64(out, i, is_in ? tn_array_get_f64(x, tn_ravel(x, from)) : fill_value(call));
    } else if (is_in) {
      tn_array_set_i64(out, i, tn_array_get_i64(x, tn_ravel(x, from)));
    } else {
      tn_array_set_f64(out, i, fill_value(call));
    }
  }
  return NULL;
}

static tn_status build_move(tn_kernel *k, const tn_node *type) {
  move m;
  const tn_node *out = NULL;
  const tn_node *x = k->buffers.data[0];
  const tn_node *from[TN_MAX_NDIM];
  TN_TRY(plan_dims(&m, k->ir, k->call, x->in[TN_BUFFER_SHAPE]));
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *inside = move_row_of(k->call)->index(k, &m, from);
  const tn_node *value = tn_te_load(k->te, x, from);
  if (inside != NULL) {
    const tn_node *fill =
        tn_te_cast(k->te, out->dtype, tn_float(k->ir, TN_DT_F64, fill_value(k->call)));
    value = tn_te_if_then_else(k->te, inside, value, fill);
  }
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_move(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  const char *name = call->attr.def->name;
  return tn_kernel_make(ir, call, strncmp(name, "nn.", 3) == 0 ? name + 3 : name, build_move,
                        out_func);
}
