/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Vectorized loops of constant extent become statements on vectors.
 *
 *   for j in T.vectorized(8):                     A[i * 8:i * 8 + 8] =
 *       A[i * 8 + j] = B[i * 8 + j] * c[i]   ->       B[i * 8:i * 8 + 8] * T.Broadcast(c[i], 8)
 *
 * An `if` that differs by lane masks the accesses under it. Loops inside stay, with vectors in
 * their body. What has no vector form, and a loop whose iterations may touch each other's elements
 * (a reduction into one element, A[j] = A[j - 1]), becomes a serial loop: slower, never wrong.
 * Inner loops first; of nested vectorized loops the inner one gets the lanes. No VECTORIZED loop
 * is left. */
#include <string.h>

#include "base/check.h"
#include "lower/vector.h"

enum { MAX_LANES = 256 };

typedef struct vectorize_ctx {
  tn_ir *ir;
  tn_arith *arith;
} vectorize_ctx;

/* ---- statements in all lanes ---- */

static const tn_node *vector_stmt(tn_vectorizer *v, const tn_node *n);

static const tn_node *vector_seq(tn_vectorizer *v, const tn_node *n) {
  TN_VEC(const tn_node *) parts = {0};
  for (uint32_t i = 0; i < n->n_in && !v->is_failed; ++i) {
    TN_VEC_PUSH(&parts, vector_stmt(v, n->in[i]));
  }
  for (size_t i = 0; i < parts.len; ++i) {
    if (tn_is(parts.data[i], TN_OP_BIND)) {
      tn_arith_unbind(v->arith, parts.data[i]->in[TN_BIND_VAR]);
    }
  }
  const tn_node *made = tn_seq(v->ir, (uint32_t)parts.len, parts.data);
  TN_VEC_DEINIT(&parts);
  return made;
}

static const tn_node *vector_store(tn_vectorizer *v, const tn_node *n) {
  const tn_node *in[TN_STORE_INDICES + TN_MAX_NDIM];
  uint32_t last = n->n_in - 1;
  TN_CHECK(n->n_in <= TN_STORE_INDICES + TN_MAX_NDIM, "a store of %u dimensions",
           n->n_in - TN_STORE_INDICES);
  in[TN_STORE_BUFFER] = n->in[TN_STORE_BUFFER];
  in[TN_STORE_VALUE] = tn_vector_expr_all(v, n->in[TN_STORE_VALUE]);
  bool is_vector = false;
  for (uint32_t i = TN_STORE_INDICES; i < n->n_in; ++i) {
    in[i] = tn_vector_expr(v, n->in[i]);
    is_vector = in[i] != n->in[i];
    v->is_failed = v->is_failed || (is_vector && i != last); /* flat buffers have one index */
  }
  if (!is_vector || tn_dtype_lanes(n->in[TN_STORE_VALUE]->dtype) > 1) {
    v->is_failed = true;
    return n;
  }
  in[last] = tn_arith_simplify(v->arith, in[last]);
  const tn_node *own = n->in[TN_STORE_PREDICATE];
  own = tn_vector_and(v, v->mask, tn_is_none(own) ? NULL : tn_vector_expr_all(v, own));
  in[TN_STORE_PREDICATE] = own == NULL ? tn_none(v->ir) : own;
  return tn_node_with(v->ir, n, in);
}

static const tn_node *vector_bind(tn_vectorizer *v, const tn_node *n) {
  const tn_node *var = n->in[TN_BIND_VAR];
  const tn_node *value = tn_vector_expr(v, n->in[TN_BIND_VALUE]);
  const tn_node *in[2] = {var, value};
  if (value != n->in[TN_BIND_VALUE]) {
    in[TN_BIND_VAR] = tn_var_new(v->ir, var->attr.text, value->dtype);
    tn_lower_map_set(&v->vars, var, in[TN_BIND_VAR]);
    tn_map_clear(&v->memo);
  }
  tn_arith_bind_value(v->arith, in[TN_BIND_VAR], value);
  return tn_node_with(v->ir, n, in);
}

/* The condition is bound before the first store under it, since that may change what it reads. */
static const tn_node *vector_if(tn_vectorizer *v, const tn_node *n) {
  const tn_node *none = tn_none(v->ir);
  const tn_node *cond = tn_vector_expr(v, n->in[TN_IF_COND]);
  const tn_node *parts[3] = {none, none, none};
  bool has_else = !tn_is_none(n->in[TN_IF_ELSE]);
  if (cond == n->in[TN_IF_COND]) {
    parts[TN_IF_COND] = cond;
    parts[TN_IF_THEN] = vector_stmt(v, n->in[TN_IF_THEN]);
    parts[TN_IF_ELSE] = has_else ? vector_stmt(v, n->in[TN_IF_ELSE]) : none;
    return tn_node_with(v->ir, n, parts);
  }
  cond = tn_arith_simplify(v->arith, cond);
  if ((cond->flags & TN_NF_READS) != 0) {
    const tn_node *var = tn_var_new(v->ir, tn_ir_text(v->ir, "mask"), cond->dtype);
    parts[0] = tn_lower_bind(v->ir, var, cond);
    cond = var;
  }
  const tn_node *old = tn_vector_push_mask(v, cond);
  parts[1] = vector_stmt(v, n->in[TN_IF_THEN]);
  tn_vector_pop_mask(v, old);
  if (has_else) {
    old = tn_vector_push_mask(v, tn_vector_not(v, cond));
    parts[2] = vector_stmt(v, n->in[TN_IF_ELSE]);
    tn_vector_pop_mask(v, old);
  }
  return tn_seq(v->ir, 3, parts);
}

static const tn_node *vector_for(tn_vectorizer *v, const tn_node *n) {
  const tn_node *in[6];
  memcpy(in, n->in, sizeof in);
  in[TN_FOR_MIN] = tn_vector_expr(v, n->in[TN_FOR_MIN]);
  in[TN_FOR_EXTENT] = tn_vector_expr(v, n->in[TN_FOR_EXTENT]);
  if (in[TN_FOR_MIN] != n->in[TN_FOR_MIN] || in[TN_FOR_EXTENT] != n->in[TN_FOR_EXTENT]) {
    v->is_failed = true; /* lanes of different lengths */
    return n;
  }
  tn_arith_bind_range(v->arith, n->in[TN_FOR_VAR], in[TN_FOR_MIN], in[TN_FOR_EXTENT]);
  in[TN_FOR_BODY] = vector_stmt(v, n->in[TN_FOR_BODY]);
  tn_arith_unbind(v->arith, n->in[TN_FOR_VAR]);
  return tn_node_with(v->ir, n, in);
}

static const tn_node *vector_stmt(tn_vectorizer *v, const tn_node *n) {
  if (v->is_failed) {
    return n;
  }
  switch ((int)n->op) {
    case TN_OP_SEQ:
      return vector_seq(v, n);
    case TN_OP_STORE:
      return vector_store(v, n);
    case TN_OP_BIND:
      return vector_bind(v, n);
    case TN_OP_IF:
      return vector_if(v, n);
    case TN_OP_FOR:
      return vector_for(v, n);
    case TN_OP_EVAL:
      return tn_seq(v->ir, 0, NULL); /* pure: tn_vector_is_legal */
    case TN_OP_DECL:
      return n;
    default:
      v->is_failed = true;
      return n;
  }
}

/* ---- loops ---- */

static const tn_node *with_kind(tn_ir *ir, const tn_node *loop, tn_for_kind kind) {
  const tn_node *made =
      tn_for_new(ir, kind, loop->in[TN_FOR_VAR], loop->in[TN_FOR_MIN], loop->in[TN_FOR_EXTENT],
                 loop->in[TN_FOR_BODY], loop->in[TN_FOR_THREAD], loop->in[TN_FOR_ANNOTATIONS]);
  tn_ir_set_pos(ir, made, tn_ir_pos(ir, loop));
  return made;
}

static const tn_node *vectorize(vectorize_ctx *c, const tn_node *loop) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  const tn_node *extent = loop->in[TN_FOR_EXTENT];
  int64_t lanes = tn_is(extent, TN_OP_INT) ? extent->attr.i64 : 0;
  const tn_node *serial = with_kind(c->ir, loop, TN_FOR_SERIAL);
  if (lanes < 2 || lanes > MAX_LANES || !tn_vector_is_legal(c->arith, c->ir, loop, lanes)) {
    return serial;
  }
  tn_vectorizer v = {.ir = c->ir, .arith = c->arith, .lanes = (uint32_t)lanes};
  const tn_node *in[2] = {loop->in[TN_FOR_MIN], tn_int(c->ir, var->dtype, 1)};
  const tn_node *ramp = tn_node_new(c->ir, TN_OP_RAMP, tn_dtype_with_lanes(var->dtype, v.lanes),
                                    (tn_attr){.i64 = 0}, 2, in);
  tn_lower_map_set(&v.vars, var, ramp);
  const tn_node *made = vector_stmt(&v, loop->in[TN_FOR_BODY]);
  tn_map_deinit(&v.vars);
  tn_map_deinit(&v.memo);
  return v.is_failed ? serial : made;
}

/* Down with the ranges and conditions around, up with the loops done. */
static const tn_node *stmt(vectorize_ctx *c, const tn_node *n) {
  if (tn_op_info_get((tn_op)n->op)->cls != TN_CLASS_STMT || n->n_in == 0) {
    return n;
  }
  TN_VEC(const tn_node *) in = {0};
  size_t mark = 0;
  bool is_loop = tn_is(n, TN_OP_FOR);
  if (is_loop) {
    tn_arith_bind_range(c->arith, n->in[TN_FOR_VAR], n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT]);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    bool is_then = tn_is(n, TN_OP_IF) && i == TN_IF_THEN;
    mark = is_then ? tn_arith_assume(c->arith, n->in[TN_IF_COND]) : 0;
    TN_VEC_PUSH(&in, stmt(c, n->in[i]));
    if (is_then) {
      tn_arith_pop(c->arith, mark);
    }
    if (tn_is(n->in[i], TN_OP_BIND)) {
      tn_arith_bind_value(c->arith, n->in[i]->in[TN_BIND_VAR], n->in[i]->in[TN_BIND_VALUE]);
    }
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_is(n->in[i], TN_OP_BIND)) {
      tn_arith_unbind(c->arith, n->in[i]->in[TN_BIND_VAR]);
    }
  }
  if (is_loop) {
    tn_arith_unbind(c->arith, n->in[TN_FOR_VAR]);
  }
  const tn_node *made = tn_is(n, TN_OP_SEQ) ? n : tn_node_with(c->ir, n, in.data);
  for (uint32_t i = 0; tn_is(n, TN_OP_SEQ) && i < n->n_in; ++i) {
    if (in.data[i] != n->in[i]) {
      made = tn_seq(c->ir, n->n_in, in.data);
      break;
    }
  }
  TN_VEC_DEINIT(&in);
  return is_loop && n->attr.i64 == TN_FOR_VECTORIZED ? vectorize(c, made) : made;
}

static tn_status vectorize_loops(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  vectorize_ctx c = {.ir = ir, .arith = tn_arith_new(ir)};
  *out_func = tn_lower_with_body(ir, func, stmt(&c, func->in[TN_PRIM_FUNC_BODY]));
  tn_arith_free(c.arith);
  return NULL;
}

tn_status tn_pass_vectorize_loops(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, vectorize_loops);
}
