/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The values that an index may have while variables inside a block take theirs. Where that is not
 * decided nothing is known, and whoever asks takes everything. */
#include "tir/spans.h"

static const tn_span unknown = {NULL, NULL};

const tn_node *tn_spans_op(tn_spans *s, tn_op op, const tn_node *a, const tn_node *b) {
  return tn_arith_simplify(s->arith, tn_binary(s->ir, op, a, b));
}

const tn_inner_var *tn_spans_find(const tn_spans *s, const tn_node *var) {
  uint64_t at = 0;
  return tn_map_find(&s->var_at, var->id, &at) ? &s->vars.data[at] : NULL;
}

/* True when nothing below is bound inside the block or read from memory: the value is one the block
 * sees. */
static bool is_outer(const tn_spans *s, const tn_node *n) {
  if ((n->flags & (TN_NF_READS | TN_NF_EFFECT)) != 0 || tn_is(n, TN_OP_LET)) {
    return false;
  }
  if (tn_is(n, TN_OP_VAR)) {
    return tn_spans_find(s, n) == NULL;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (!is_outer(s, n->in[i])) {
      return false;
    }
  }
  return true;
}

static tn_span sum_span(tn_spans *s, const tn_node *n, tn_span a, tn_span b) {
  if (tn_is(n, TN_OP_ADD)) {
    return (tn_span){tn_spans_op(s, TN_OP_ADD, a.lo, b.lo), tn_spans_op(s, TN_OP_ADD, a.hi, b.hi)};
  }
  return (tn_span){tn_spans_op(s, TN_OP_SUB, a.lo, b.hi), tn_spans_op(s, TN_OP_SUB, a.hi, b.lo)};
}

static tn_span scaled(tn_spans *s, tn_op op, tn_span a, const tn_node *factor) {
  if (!tn_is(factor, TN_OP_INT) || (op != TN_OP_MUL && factor->attr.i64 <= 0)) {
    return unknown;
  }
  const tn_node *x = tn_spans_op(s, op, a.lo, factor);
  const tn_node *y = tn_spans_op(s, op, a.hi, factor);
  return factor->attr.i64 < 0 ? (tn_span){y, x} : (tn_span){x, y};
}

static tn_span mod_span(tn_spans *s, const tn_node *n, tn_span a) {
  const tn_node *by = n->in[TN_B];
  if (!tn_is(by, TN_OP_INT) || by->attr.i64 <= 0) {
    return unknown;
  }
  const tn_node *zero = tn_int(s->ir, n->dtype, 0);
  bool is_inside = tn_arith_prove(s->arith, tn_binary(s->ir, TN_OP_GE, a.lo, zero)) &&
                   tn_arith_prove(s->arith, tn_binary(s->ir, TN_OP_LT, a.hi, by));
  return is_inside ? a : (tn_span){zero, tn_int(s->ir, n->dtype, by->attr.i64 - 1)};
}

static tn_span operator_span(tn_spans *s, const tn_node *n) {
  tn_span a = tn_span_of(s, n->in[TN_A]);
  tn_span b = tn_span_of(s, n->in[TN_B]);
  if (a.lo == NULL || b.lo == NULL) {
    return unknown;
  }
  switch ((tn_op)n->op) {
    case TN_OP_ADD:
    case TN_OP_SUB:
      return sum_span(s, n, a, b);
    case TN_OP_MUL:
      return tn_is(n->in[TN_A], TN_OP_INT) ? scaled(s, TN_OP_MUL, b, n->in[TN_A])
                                           : scaled(s, TN_OP_MUL, a, n->in[TN_B]);
    case TN_OP_FLOORDIV:
      return scaled(s, TN_OP_FLOORDIV, a, n->in[TN_B]);
    case TN_OP_FLOORMOD:
      return mod_span(s, n, a);
    case TN_OP_MIN:
    case TN_OP_MAX:
      return (tn_span){tn_spans_op(s, (tn_op)n->op, a.lo, b.lo),
                       tn_spans_op(s, (tn_op)n->op, a.hi, b.hi)};
    default:
      return unknown;
  }
}

static tn_span ramp_span(tn_spans *s, const tn_node *n) {
  tn_span base = tn_span_of(s, n->in[TN_RAMP_BASE]);
  const tn_node *stride = n->in[TN_RAMP_STRIDE];
  if (base.lo == NULL || !tn_is(stride, TN_OP_INT)) {
    return unknown;
  }
  int64_t last = (int64_t)tn_dtype_lanes(n->dtype) - 1;
  const tn_node *reach =
      tn_int(s->ir, stride->dtype, (int64_t)((uint64_t)last * (uint64_t)stride->attr.i64));
  if (stride->attr.i64 < 0) {
    return (tn_span){tn_spans_op(s, TN_OP_ADD, base.lo, reach), base.hi};
  }
  return (tn_span){base.lo, tn_spans_op(s, TN_OP_ADD, base.hi, reach)};
}

static tn_span cast_span(tn_spans *s, const tn_node *n) {
  const tn_node *from = n->in[0];
  if (!tn_dtype_is_int(from->dtype) || !tn_dtype_is_int(n->dtype) ||
      tn_dtype_lanes(n->dtype) != 1) {
    return unknown;
  }
  tn_span inner = tn_span_of(s, from);
  if (inner.lo == NULL) {
    return unknown;
  }
  const tn_node *lo = tn_node_with(s->ir, n, &inner.lo);
  const tn_node *hi = tn_node_with(s->ir, n, &inner.hi);
  return (tn_span){tn_arith_simplify(s->arith, lo), tn_arith_simplify(s->arith, hi)};
}

/* The interval of an integer expression (for a vector: of all its lanes). */
tn_span tn_span_of(tn_spans *s, const tn_node *n) {
  if (tn_is(n, TN_OP_VAR)) {
    const tn_inner_var *inner = tn_spans_find(s, n);
    return inner != NULL ? inner->values : (tn_span){n, n};
  }
  if (tn_dtype_lanes(n->dtype) == 1 && is_outer(s, n)) {
    return (tn_span){n, n};
  }
  if (tn_is(n, TN_OP_RAMP)) {
    return ramp_span(s, n);
  }
  if (tn_is(n, TN_OP_BROADCAST)) {
    return tn_span_of(s, n->in[0]);
  }
  if (tn_is(n, TN_OP_CAST)) { /* of indices: what does not fit would be out of bounds */
    return cast_span(s, n);
  }
  bool is_operator = n->n_in == 2 && tn_dtype_is_int(n->dtype) && tn_dtype_lanes(n->dtype) == 1;
  return is_operator ? operator_span(s, n) : unknown;
}

void tn_spans_push(tn_spans *s, const tn_node *var, tn_span values) {
  tn_map_set(&s->var_at, var->id, s->vars.len);
  TN_VEC_PUSH(&s->vars, (tn_inner_var){.var = var, .values = values});
}

void tn_spans_pop(tn_spans *s, size_t n_left) {
  while (s->vars.len > n_left) {
    tn_map_remove(&s->var_at, TN_VEC_POP(&s->vars).var->id);
  }
}

void tn_spans_push_loop(tn_spans *s, const tn_node *var, const tn_node *min,
                        const tn_node *extent) {
  tn_span first = min != NULL ? tn_span_of(s, min) : (tn_span){tn_int(s->ir, var->dtype, 0), NULL};
  tn_span n = tn_span_of(s, extent);
  tn_span values = unknown;
  if (first.lo != NULL && n.hi != NULL && n.hi->dtype == first.lo->dtype) {
    const tn_node *last = tn_spans_op(s, TN_OP_SUB, n.hi, tn_int(s->ir, n.hi->dtype, 1));
    values = (tn_span){first.lo, min != NULL ? tn_spans_op(s, TN_OP_ADD, first.hi, last) : last};
  }
  tn_spans_push(s, var, values);
}

/* The smaller (or larger) of two bounds, where that is decided. */
static const tn_node *pick_bound(tn_spans *s, const tn_node *a, const tn_node *b,
                                 bool wants_smaller) {
  if (a == NULL || b == NULL || a->dtype != b->dtype) {
    return NULL;
  }
  if (a == b) {
    return a;
  }
  if (tn_arith_prove(s->arith, tn_binary(s->ir, TN_OP_LE, a, b))) {
    return wants_smaller ? a : b;
  }
  if (tn_arith_prove(s->arith, tn_binary(s->ir, TN_OP_LE, b, a))) {
    return wants_smaller ? b : a;
  }
  return NULL;
}

tn_span tn_span_join(tn_spans *s, tn_span a, tn_span b) {
  tn_span both = {pick_bound(s, a.lo, b.lo, true), pick_bound(s, a.hi, b.hi, false)};
  return both.lo == NULL || both.hi == NULL ? unknown : both;
}
