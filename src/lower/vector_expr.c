/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Expressions in all lanes. What is the same in each lane stays scalar, so that it is computed
 * once. Under a mask, what a lane that is off must not do (read outside a buffer, divide by zero)
 * is masked too, also where it is the same in every lane. */
#include <string.h>

#include "base/check.h"
#include "lower/vector.h"

static const tn_node *all_lanes(const tn_vectorizer *v, const tn_node *n) {
  return tn_lower_broadcast(v->ir, n, v->lanes);
}

static const tn_node *fail(tn_vectorizer *v, const tn_node *n) {
  v->is_failed = true;
  return n;
}

static tn_dtype vector_type(const tn_vectorizer *v, tn_dtype dtype) {
  return tn_dtype_with_lanes(dtype, v->lanes);
}

static const tn_node *make(const tn_vectorizer *v, const tn_node *like, uint32_t n,
                           const tn_node *const *in) {
  return tn_node_new(v->ir, (tn_op)like->op, vector_type(v, like->dtype), like->attr, n, in);
}

/* ---- masks ---- */

const tn_node *tn_vector_not(tn_vectorizer *v, const tn_node *cond) {
  return tn_arith_simplify(
      v->arith, tn_node_new(v->ir, TN_OP_NOT, cond->dtype, (tn_attr){.i64 = 0}, 1, &cond));
}

const tn_node *tn_vector_and(tn_vectorizer *v, const tn_node *a, const tn_node *b) {
  if (a == NULL || b == NULL) {
    return a == NULL ? b : a;
  }
  return tn_binary(v->ir, TN_OP_AND, a, b);
}

const tn_node *tn_vector_push_mask(tn_vectorizer *v, const tn_node *cond) {
  const tn_node *old = v->mask;
  v->mask = tn_vector_and(v, old, all_lanes(v, cond));
  tn_map_clear(&v->memo);
  return old;
}

void tn_vector_pop_mask(tn_vectorizer *v, const tn_node *old) {
  v->mask = old;
  tn_map_clear(&v->memo);
}

static const tn_node *under(tn_vectorizer *v, const tn_node *cond, const tn_node *expr) {
  const tn_node *old = tn_vector_push_mask(v, cond);
  const tn_node *made = tn_vector_expr_all(v, expr);
  tn_vector_pop_mask(v, old);
  return made;
}

/* ---- kinds ---- */

/* All lanes of all indices are known to lie inside the buffer. */
static bool is_in_bounds(tn_vectorizer *v, const tn_node *buffer, const tn_node *const *indices) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    uint32_t lanes = tn_dtype_lanes(indices[d]->dtype);
    bool is_wide =
        tn_dtype_bits(indices[d]->dtype) == 64 || tn_dtype_bits(shape->in[d]->dtype) == 64;
    tn_dtype elem = is_wide ? TN_DT_I64 : TN_DT_I32;
    tn_dtype dtype = tn_dtype_with_lanes(elem, lanes);
    const tn_node *index = tn_lower_cast(v->ir, dtype, indices[d]);
    const tn_node *end = tn_lower_broadcast(v->ir, tn_lower_cast(v->ir, elem, shape->in[d]), lanes);
    if (!tn_arith_prove(v->arith, tn_binary(v->ir, TN_OP_GE, index, tn_int(v->ir, dtype, 0))) ||
        !tn_arith_prove(v->arith, tn_binary(v->ir, TN_OP_LT, index, end))) {
      return false;
    }
  }
  return true;
}

static const tn_node *vector_load(tn_vectorizer *v, const tn_node *n) {
  const tn_node *in[TN_LOAD_INDICES + TN_MAX_NDIM];
  bool is_same = true;
  TN_CHECK(n->n_in <= TN_LOAD_INDICES + TN_MAX_NDIM, "a load of %u dimensions",
           n->n_in - TN_LOAD_INDICES);
  memcpy(in, n->in, n->n_in * sizeof *in);
  uint32_t last = n->n_in - 1;
  for (uint32_t i = TN_LOAD_INDICES; i <= last && n->n_in > TN_LOAD_INDICES; ++i) {
    in[i] = tn_vector_expr(v, n->in[i]);
    is_same = is_same && in[i] == n->in[i];
    if (i != last && in[i] != n->in[i]) { /* flat buffers have one index */
      return fail(v, n);
    }
  }
  const tn_node *predicate = n->in[TN_LOAD_PREDICATE];
  const tn_node *own = tn_is_none(predicate) ? NULL : tn_vector_expr(v, predicate);
  is_same = is_same && (own == NULL || own == predicate);
  bool is_safe = v->mask == NULL || is_in_bounds(v, n->in[TN_LOAD_BUFFER], &in[TN_LOAD_INDICES]);
  if (is_same && is_safe) {
    return n;
  }
  if (tn_dtype_lanes(n->dtype) > 1 || n->n_in == TN_LOAD_INDICES) {
    return fail(v, n);
  }
  in[last] = tn_arith_simplify(v->arith, all_lanes(v, in[last]));
  own = tn_vector_and(v, is_safe ? NULL : v->mask, own == NULL ? NULL : all_lanes(v, own));
  in[TN_LOAD_PREDICATE] = own == NULL ? tn_none(v->ir) : own;
  return make(v, n, n->n_in, in);
}

static bool is_division(const tn_node *n) {
  return n->op >= TN_OP_DIV && n->op <= TN_OP_FLOORMOD && !tn_dtype_is_float(n->dtype);
}

static const tn_node *vector_operator(tn_vectorizer *v, const tn_node *n) {
  const tn_node *in[3];
  bool is_same = true;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    in[i] = tn_vector_expr(v, n->in[i]);
    is_same = is_same && in[i] == n->in[i];
  }
  bool is_guarded = v->mask != NULL && is_division(n) && !tn_is(n->in[TN_B], TN_OP_INT);
  if (is_same && !is_guarded) {
    return n;
  }
  if (tn_dtype_lanes(n->dtype) > 1) {
    return fail(v, n);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    in[i] = all_lanes(v, in[i]);
  }
  if (is_guarded) { /* lanes that are off divide by 1 */
    const tn_node *parts[3] = {v->mask, in[TN_B], tn_int(v->ir, in[TN_B]->dtype, 1)};
    in[TN_B] = tn_node_new(v->ir, TN_OP_SELECT, in[TN_B]->dtype, (tn_attr){.i64 = 0}, 3, parts);
  }
  return make(v, n, n->n_in, in);
}

/* and, or: the second operand counts only where the first lets it. */
static const tn_node *vector_logic(tn_vectorizer *v, const tn_node *n) {
  const tn_node *a = tn_vector_expr(v, n->in[TN_A]);
  const tn_node *in[2] = {a, NULL};
  if (a == n->in[TN_A]) {
    in[TN_B] = tn_vector_expr(v, n->in[TN_B]);
    if (in[TN_B] == n->in[TN_B]) {
      return n;
    }
    in[TN_A] = all_lanes(v, a);
  }
  if (tn_dtype_lanes(n->dtype) > 1) {
    return fail(v, n);
  }
  in[TN_B] = under(v, tn_is(n, TN_OP_AND) ? in[TN_A] : tn_vector_not(v, in[TN_A]), n->in[TN_B]);
  return make(v, n, 2, in);
}

/* A condition that differs by lane becomes a selection between masked values. */
static const tn_node *vector_choice(tn_vectorizer *v, const tn_node *n) {
  const tn_node *cond = tn_vector_expr(v, n->in[TN_SELECT_COND]);
  if (cond == n->in[TN_SELECT_COND]) {
    const tn_node *in[3] = {cond, tn_vector_expr(v, n->in[TN_SELECT_A]),
                            tn_vector_expr(v, n->in[TN_SELECT_B])};
    if (in[TN_SELECT_A] == n->in[TN_SELECT_A] && in[TN_SELECT_B] == n->in[TN_SELECT_B]) {
      return n;
    }
    in[TN_SELECT_A] = all_lanes(v, in[TN_SELECT_A]);
    in[TN_SELECT_B] = all_lanes(v, in[TN_SELECT_B]);
    return tn_dtype_lanes(n->dtype) > 1 ? fail(v, n) : make(v, n, 3, in);
  }
  if (tn_dtype_lanes(n->dtype) > 1) {
    return fail(v, n);
  }
  const tn_node *in[3] = {cond, under(v, cond, n->in[TN_SELECT_A]),
                          under(v, tn_vector_not(v, cond), n->in[TN_SELECT_B])};
  return tn_node_new(v->ir, TN_OP_SELECT, vector_type(v, n->dtype), (tn_attr){.i64 = 0}, 3, in);
}

static const tn_node *vector_intrin(tn_vectorizer *v, const tn_node *n) {
  const tn_intrin *row = tn_intrin_of(n);
  bool is_same = true;
  TN_VEC(const tn_node *) in = {0};
  for (uint32_t i = 0; i < n->n_in; ++i) {
    const tn_node *arg = tn_vector_expr(v, n->in[i]);
    is_same = is_same && arg == n->in[i];
    TN_VEC_PUSH(&in, all_lanes(v, arg));
  }
  const tn_node *made = n;
  bool is_lanewise = row->kind == TN_IK_MATH || row->id == TN_INTRIN_LIKELY;
  if (!is_same) {
    made = is_lanewise && tn_dtype_lanes(n->dtype) == 1 ? make(v, n, n->n_in, in.data) : fail(v, n);
  }
  TN_VEC_DEINIT(&in);
  return made;
}

/* What changes binds a new variable: another mask gives another form of the same LET. */
static const tn_node *vector_let(tn_vectorizer *v, const tn_node *n) {
  const tn_node *var = n->in[TN_LET_VAR];
  const tn_node *value = tn_vector_expr(v, n->in[TN_LET_VALUE]);
  const tn_node *fresh = tn_var_new(v->ir, var->attr.text, value->dtype);
  bool is_vector = value != n->in[TN_LET_VALUE];
  if (is_vector) {
    tn_lower_map_set(&v->vars, var, fresh);
  }
  tn_arith_bind_value(v->arith, is_vector ? fresh : var, value);
  const tn_node *body = tn_vector_expr(v, n->in[TN_LET_BODY]);
  tn_arith_unbind(v->arith, is_vector ? fresh : var);
  if (!is_vector && body == n->in[TN_LET_BODY]) {
    return n;
  }
  const tn_node *in[3] = {fresh, value, is_vector ? body : tn_subst1(v->ir, body, var, fresh)};
  return tn_node_new(v->ir, TN_OP_LET, body->dtype, (tn_attr){.i64 = 0}, 3, in);
}

/* RAMP, BROADCAST, SHUFFLE and others have no form of more lanes. */
static const tn_node *vector_other(tn_vectorizer *v, const tn_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_vector_expr(v, n->in[i]) != n->in[i]) {
      return fail(v, n);
    }
  }
  return n;
}

static const tn_node *compute(tn_vectorizer *v, const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_AND:
    case TN_OP_OR:
      return vector_logic(v, n);
    case TN_OP_SELECT:
    case TN_OP_CAST:
      return vector_operator(v, n);
    case TN_OP_REINTERPRET:
      return tn_dtype_lanes(n->in[0]->dtype) == 1 ? vector_operator(v, n) : vector_other(v, n);
    case TN_OP_IF_THEN_ELSE:
      return vector_choice(v, n);
    case TN_OP_LET:
      return vector_let(v, n);
    case TN_OP_LOAD:
      return vector_load(v, n);
    case TN_OP_INTRIN:
      return vector_intrin(v, n);
    default:
      return n->op >= TN_OP_ADD && n->op <= TN_OP_SHR ? vector_operator(v, n) : vector_other(v, n);
  }
}

const tn_node *tn_vector_expr(tn_vectorizer *v, const tn_node *expr) {
  if (tn_is(expr, TN_OP_VAR)) {
    const tn_node *vector = tn_lower_map_find(&v->vars, expr);
    return vector != NULL ? vector : expr;
  }
  if (v->is_failed || expr->n_in == 0 || tn_op_info_get((tn_op)expr->op)->cls == TN_CLASS_LEAF) {
    return expr;
  }
  const tn_node *made = tn_lower_map_find(&v->memo, expr);
  if (made == NULL) {
    made = compute(v, expr);
    tn_lower_map_set(&v->memo, expr, made);
  }
  return made;
}

const tn_node *tn_vector_expr_all(tn_vectorizer *v, const tn_node *expr) {
  return all_lanes(v, tn_vector_expr(v, expr));
}
