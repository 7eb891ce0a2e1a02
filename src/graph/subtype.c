/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* When a value of one type may stand where another is wanted, and how symbolic sizes of a signature
 * are bound by what is given. Extents are index expressions: arith proves them equal or different;
 * what it cannot decide is "unsure", and the place that asks leaves it to a check at run time. */
#include "arith/arith.h"
#include "base/check.h"
#include "graph/graph.h"

tn_dim_rel tn_dim_compare(tn_ir *ir, const tn_node *a, const tn_node *b) {
  if (a == b) {
    return TN_DIM_EQUAL;
  }
  if (a->op == TN_OP_INT && b->op == TN_OP_INT) {
    return a->attr.i64 == b->attr.i64 ? TN_DIM_EQUAL : TN_DIM_DIFFERENT;
  }
  if (a->dtype != b->dtype) {
    return TN_DIM_UNSURE;
  }
  tn_arith *ar = tn_arith_new(ir);
  const tn_node *diff = tn_arith_simplify(ar, tn_binary(ir, TN_OP_SUB, a, b));
  tn_interval bounds = tn_arith_bounds(ar, diff);
  tn_arith_free(ar);
  if (diff->op == TN_OP_INT) {
    return diff->attr.i64 == 0 ? TN_DIM_EQUAL : TN_DIM_DIFFERENT;
  }
  bool is_apart = (bounds.has_lo && bounds.lo > 0) || (bounds.has_hi && bounds.hi < 0);
  return is_apart ? TN_DIM_DIFFERENT : TN_DIM_UNSURE;
}

/* Of one rank. */
static bool dims_agree(tn_ir *ir, const tn_node *sub, const tn_node *super, bool *out_unsure) {
  bool is_ok = true;
  for (uint32_t i = 0; i < sub->n_in; ++i) {
    tn_dim_rel rel = tn_dim_compare(ir, sub->in[i], super->in[i]);
    if (rel == TN_DIM_DIFFERENT) {
      *out_unsure = false;
      return false;
    }
    if (rel == TN_DIM_UNSURE) {
      *out_unsure = true;
      is_ok = false;
    }
  }
  return is_ok;
}

/* Rank and extents; both nodes keep the rank in attr and the extents in slot 0. */
static bool shape_fits(tn_ir *ir, const tn_node *sub, const tn_node *super, bool *out_unsure) {
  if (super->attr.i64 < 0) {
    return true;
  }
  if (sub->attr.i64 < 0) {
    *out_unsure = true;
    return false;
  }
  if (sub->attr.i64 != super->attr.i64) {
    return false;
  }
  if (tn_is_none(super->in[0])) {
    return true;
  }
  if (tn_is_none(sub->in[0])) {
    *out_unsure = true;
    return false;
  }
  return dims_agree(ir, sub->in[0], super->in[0], out_unsure);
}

static bool tensor_fits(tn_ir *ir, const tn_node *sub, const tn_node *super, bool *out_unsure) {
  bool is_dtype_unsure = false;
  if (super->dtype != TN_DT_NONE && sub->dtype != super->dtype) {
    if (sub->dtype != TN_DT_NONE) {
      return false;
    }
    is_dtype_unsure = true;
  }
  bool is_shape_unsure = false;
  bool is_ok = shape_fits(ir, sub, super, &is_shape_unsure);
  if (!is_ok && !is_shape_unsure) {
    return false;
  }
  if (is_dtype_unsure || is_shape_unsure) {
    *out_unsure = true;
    return false;
  }
  return true;
}

static tn_visit keep_size(const tn_node *n, void *ctx) {
  if (n->op == TN_OP_VAR && !tn_map_find(ctx, n->id, NULL)) {
    tn_map_set(ctx, n->id, (uint64_t)(uintptr_t)n);
  }
  return TN_DESCEND;
}

void tn_ty_keep_sizes(const tn_node *type, tn_map *syms) {
  tn_walk_distinct(type, keep_size, syms);
}

/* The sizes of a function's parameters are its own: those of `sub` are first bound to what `super`
 * is called with. Parameters go the other way round. */
static bool func_fits(tn_ir *ir, const tn_node *sub, const tn_node *super, bool *out_unsure) {
  const tn_node *want = super->in[TN_TY_FUNC_PARAMS];
  const tn_node *got = sub->in[TN_TY_FUNC_PARAMS];
  const tn_node *ret = sub->in[TN_TY_FUNC_RET];
  if (super->attr.i64 != 0 && sub->attr.i64 == 0) {
    return false;
  }
  if (tn_is_none(want) || tn_is_none(got)) {
    return tn_ty_is_subtype(ir, ret, super->in[TN_TY_FUNC_RET], out_unsure);
  }
  if (want->n_in != got->n_in) {
    return false;
  }
  tn_map syms = {0};
  bool is_ok = true;
  for (uint32_t i = 0; i < want->n_in; ++i) {
    tn_ty_bind(got->in[i], want->in[i], &syms);
  }
  for (uint32_t i = 0; i < want->n_in && is_ok; ++i) {
    is_ok = tn_ty_is_subtype(ir, want->in[i], tn_ty_instantiate(ir, got->in[i], &syms), out_unsure);
  }
  tn_ty_keep_sizes(ret, &syms);
  is_ok = is_ok && tn_ty_is_subtype(ir, tn_ty_instantiate(ir, ret, &syms),
                                    super->in[TN_TY_FUNC_RET], out_unsure);
  tn_map_deinit(&syms);
  return is_ok;
}

static bool fits(tn_ir *ir, const tn_node *sub, const tn_node *super, bool *out_unsure) {
  if (sub == super || super->op == TN_OP_TY_OBJECT) {
    return true;
  }
  if (sub->op == TN_OP_TY_OBJECT) {
    *out_unsure = true;
    return false;
  }
  if (sub->op != super->op) {
    return false;
  }
  switch ((int)sub->op) {
    case TN_OP_TY_TENSOR:
      return tensor_fits(ir, sub, super, out_unsure);
    case TN_OP_TY_SHAPE:
      return shape_fits(ir, sub, super, out_unsure);
    case TN_OP_TY_PRIM:
      return sub->dtype == super->dtype;
    case TN_OP_TY_FUNC:
      return func_fits(ir, sub, super, out_unsure);
    case TN_OP_TY_TUPLE:
      break;
    default:
      return false;
  }
  if (sub->n_in != super->n_in) {
    return false;
  }
  bool is_ok = true;
  for (uint32_t i = 0; i < sub->n_in; ++i) {
    bool is_unsure = false;
    if (!fits(ir, sub->in[i], super->in[i], &is_unsure)) {
      if (!is_unsure) {
        *out_unsure = false;
        return false;
      }
      *out_unsure = true;
      is_ok = false;
    }
  }
  return is_ok;
}

bool tn_ty_is_subtype(tn_ir *ir, const tn_node *sub, const tn_node *super, bool *out_unsure) {
  bool is_unsure = false;
  bool is_ok = fits(ir, sub, super, &is_unsure);
  if (out_unsure != NULL) {
    *out_unsure = !is_ok && is_unsure;
  }
  return is_ok;
}

/* ---- symbolic sizes ---- */

static void bind_dims(const tn_node *pattern, const tn_node *actual, tn_map *syms) {
  if (tn_is_none(pattern) || tn_is_none(actual) || pattern->n_in != actual->n_in) {
    return;
  }
  for (uint32_t i = 0; i < pattern->n_in; ++i) {
    const tn_node *dim = pattern->in[i];
    if (dim->op == TN_OP_VAR && !tn_map_find(syms, dim->id, NULL)) {
      tn_map_set(syms, dim->id, (uint64_t)(uintptr_t)actual->in[i]);
    }
  }
}

void tn_ty_bind(const tn_node *pattern, const tn_node *actual, tn_map *syms) {
  if (pattern->op != actual->op) {
    return;
  }
  switch ((int)pattern->op) {
    case TN_OP_TY_TENSOR:
    case TN_OP_TY_SHAPE:
      bind_dims(pattern->in[0], actual->in[0], syms);
      break;
    case TN_OP_TY_PRIM:
      if (pattern->in[0]->op == TN_OP_VAR && !tn_is_none(actual->in[0]) &&
          !tn_map_find(syms, pattern->in[0]->id, NULL)) {
        tn_map_set(syms, pattern->in[0]->id, (uint64_t)(uintptr_t)actual->in[0]);
      }
      break;
    case TN_OP_TY_TUPLE:
      for (uint32_t i = 0; i < pattern->n_in && i < actual->n_in; ++i) {
        tn_ty_bind(pattern->in[i], actual->in[i], syms);
      }
      break;
    default:
      break;
  }
}

static tn_visit find_unbound(const tn_node *n, void *ctx) {
  const tn_map *syms = ctx;
  return n->op == TN_OP_VAR && !tn_map_find(syms, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

static bool is_bound(const tn_node *expr, const tn_map *syms) {
  tn_map *ctx = (tn_map *)(uintptr_t)syms; /* the walk hands it back untouched */
  return tn_walk_distinct(expr, find_unbound, ctx);
}

/* The extents with variables replaced: 3 * 2 is 6. */
static const tn_node *instantiate_dims(tn_ir *ir, const tn_node *dims, const tn_map *syms) {
  tn_arith *arith = tn_arith_new(ir);
  TN_VEC(const tn_node *) out = {0};
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    const tn_node *dim = tn_subst(ir, dims->in[i], syms);
    TN_VEC_PUSH(&out, dim == dims->in[i] ? dim : tn_arith_simplify(arith, dim));
  }
  const tn_node *list = tn_list(ir, dims->n_in, out.data);
  TN_VEC_DEINIT(&out);
  tn_arith_free(arith);
  return list;
}

/* A shape or tensor type: kept when all its variables are bound, else only its rank is known. */
static const tn_node *instantiate_shaped(tn_ir *ir, const tn_node *type, const tn_map *syms) {
  const tn_node *dims = type->in[0];
  if (tn_is_none(dims)) {
    return type;
  }
  bool is_known = is_bound(dims, syms);
  const tn_node *in[] = {is_known ? instantiate_dims(ir, dims, syms) : tn_none(ir),
                         type->n_in > 1 ? type->in[1] : NULL};
  return tn_node_with(ir, type, in);
}

/* The sizes of its parameters are a function's own; what else its result has comes from around. */
static const tn_node *instantiate_func(tn_ir *ir, const tn_node *type, const tn_map *syms) {
  const tn_node *params = type->in[TN_TY_FUNC_PARAMS];
  if (tn_is_none(params) || is_bound(type->in[TN_TY_FUNC_RET], &(tn_map){0})) {
    return type;
  }
  tn_map all = {0};
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_ty_bind(params->in[i], params->in[i], &all);
  }
  for (size_t i = 0; i < syms->cap; ++i) {
    if (syms->used[i] != 0 && !tn_map_find(&all, syms->slots[2 * i], NULL)) {
      tn_map_set(&all, syms->slots[2 * i], syms->slots[2 * i + 1]);
    }
  }
  const tn_node *ret = tn_ty_instantiate(ir, type->in[TN_TY_FUNC_RET], &all);
  tn_map_deinit(&all);
  return tn_ty_func(ir, params, ret, type->attr.i64 != 0);
}

const tn_node *tn_ty_instantiate(tn_ir *ir, const tn_node *type, const tn_map *syms) {
  switch ((int)type->op) {
    case TN_OP_TY_TENSOR:
    case TN_OP_TY_SHAPE:
      return instantiate_shaped(ir, type, syms);
    case TN_OP_TY_PRIM:
      if (tn_is_none(type->in[0]) || is_bound(type->in[0], syms)) {
        return tn_subst(ir, type, syms);
      }
      return tn_ty_prim(ir, type->dtype, NULL);
    case TN_OP_TY_TUPLE: {
      TN_VEC(const tn_node *) items = {0};
      for (uint32_t i = 0; i < type->n_in; ++i) {
        TN_VEC_PUSH(&items, tn_ty_instantiate(ir, type->in[i], syms));
      }
      const tn_node *tuple = tn_ty_tuple(ir, type->n_in, items.data);
      TN_VEC_DEINIT(&items);
      return tuple;
    }
    case TN_OP_TY_FUNC:
      return instantiate_func(ir, type, syms);
    default:
      return type;
  }
}
