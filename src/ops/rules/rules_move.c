/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* clean_graph, second half: what moves elements without changing them. reshape, squeeze,
 * expand_dims and flatten keep the order of elements, so that one of them does for a row of them. A
 * permutation goes up through what works element by element only when it vanishes there: it meets
 * its inverse, or constants, on every way. */
#include <string.h>

#include "ops/families.h"
#include "ops/rules/match.h"
#include "ops/rules/rules.h"
#include "ops/window.h"

static bool is_named(const tn_node *call, const char *name) {
  return call != NULL && call->op == TN_OP_CALL && strcmp(call->attr.def->name, name) == 0;
}

static bool keeps_order(const tn_node *call) {
  return is_named(call, "reshape") || is_named(call, "squeeze") || is_named(call, "expand_dims") ||
         is_named(call, "flatten");
}

/* ---- nothing happens ---- */

/* All numbers of a field are `value`, or it is left out. */
static bool field_is_all(const tn_node *call, const char *field, int64_t value) {
  int64_t numbers[TN_MAX_NDIM];
  if (tn_rule_is_left_out(call, field)) {
    return true;
  }
  int32_t n = tn_rule_ints(call, field, numbers);
  for (int32_t i = 0; i < n; ++i) {
    if (numbers[i] != value) {
      return false;
    }
  }
  return n >= 0;
}

const tn_node *tn_rule_moves_nothing(tn_rewrite_run *r, const tn_node *call) {
  bool is_still = keeps_order(call) || is_named(call, "broadcast_to") || is_named(call, "tile") ||
                  is_named(call, "repeat") ||
                  (is_named(call, "strided_slice") && field_is_all(call, "strides", 1)) ||
                  (is_named(call, "nn.pad") && field_is_all(call, "pad_width", 0));
  bool is_same = is_still && tn_rewrite_same_shape(r, tn_call_arg(call, 0), call);
  return is_same ? tn_call_arg(call, 0) : NULL;
}

/* ---- concat ---- */

enum { MAX_PARTS = 256 };

static int64_t concat_axis(tn_rewrite_run *r, const tn_node *call) {
  int64_t axis = tn_rule_int(call, "axis");
  int64_t ndim = tn_rewrite_ndim(r, call);
  return ndim < 0 ? -1 : axis < 0 ? axis + ndim : axis;
}

static const tn_node *concat(tn_rewrite_run *r, const tn_node *call, uint32_t n,
                             const tn_node *const *parts) {
  const tn_node *tuple =
      tn_node_new(tn_rewrite_ir(r), TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, n, parts);
  return tn_rewrite_again(r, call, 1, &tuple);
}

const tn_node *tn_rule_concat_of_one(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *tuple = tn_call_arg(call, 0);
  const tn_node *parts[MAX_PARTS];
  uint32_t n = 0;
  int64_t axis = concat_axis(r, call);
  if (tuple->op != TN_OP_TUPLE || tuple->n_in > MAX_PARTS || axis < 0) {
    return NULL;
  }
  for (uint32_t i = 0; i < tuple->n_in; ++i) {
    if (tn_rule_extent(r, tuple->in[i], axis) != 0) {
      parts[n++] = tuple->in[i];
    }
  }
  if (n == 1) {
    return parts[0];
  }
  return n == 0 || n == tuple->n_in ? NULL : concat(r, call, n, parts);
}

const tn_node *tn_rule_concat_of_concat(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *tuple = tn_call_arg(call, 0);
  const tn_node *parts[MAX_PARTS];
  uint32_t n = 0;
  bool is_changed = false;
  for (uint32_t i = 0; tuple->op == TN_OP_TUPLE && i < tuple->n_in; ++i) {
    const tn_node *inner = tn_rewrite_own_call(r, tuple->in[i], "concat");
    const tn_node *items = inner == NULL ? NULL : tn_call_arg(inner, 0);
    bool is_flat =
        items != NULL && items->op == TN_OP_TUPLE && concat_axis(r, inner) == concat_axis(r, call);
    uint32_t n_items = is_flat ? items->n_in : 1;
    if (n + n_items > MAX_PARTS) {
      return NULL;
    }
    for (uint32_t j = 0; j < n_items; ++j) {
      parts[n++] = is_flat ? items->in[j] : tuple->in[i];
    }
    is_changed = is_changed || is_flat;
  }
  return is_changed ? concat(r, call, n, parts) : NULL;
}

/* ---- reshape ---- */

const tn_node *tn_rule_reshape_of_reshape(tn_rewrite_run *r, const tn_node *call) {
  if (!keeps_order(call)) {
    return NULL;
  }
  const tn_node *inner = tn_rewrite_def(r, tn_call_arg(call, 0));
  const tn_node *shape = keeps_order(inner) ? tn_rewrite_shape(r, call) : NULL;
  return shape == NULL ? NULL : tn_rule_reshape(r, tn_call_arg(inner, 0), shape);
}

/* ---- permutations ---- */

static bool is_identity(const int64_t *perm, int32_t n) {
  for (int32_t i = 0; i < n; ++i) {
    if (perm[i] != i) {
      return false;
    }
  }
  return true;
}

/* The axes of a permutation of what `inner` permutes. False: not known. */
static bool compose(tn_rewrite_run *r, const tn_node *inner, const int64_t *perm, int32_t n,
                    int64_t *out) {
  int64_t first[TN_MAX_NDIM];
  if (inner == NULL || tn_rule_perm(r, inner, first) != n) {
    return false;
  }
  for (int32_t i = 0; i < n; ++i) {
    out[i] = first[perm[i]];
  }
  return true;
}

const tn_node *tn_rule_transpose_of_transpose(tn_rewrite_run *r, const tn_node *call) {
  int64_t perm[TN_MAX_NDIM];
  int64_t both[TN_MAX_NDIM];
  const tn_node *x = tn_call_arg(call, 0);
  int32_t n = tn_rule_perm(r, call, perm);
  if (n >= 0 && is_identity(perm, n)) {
    return x;
  }
  const tn_node *inner = tn_rewrite_call(r, x, "permute_dims");
  if (n < 0 || !compose(r, inner, perm, n, both)) {
    return NULL;
  }
  x = tn_call_arg(inner, 0);
  return is_identity(both, n) ? x : tn_rule_permute(r, x, n, both);
}

const tn_node *tn_rule_transpose_of_ones(tn_rewrite_run *r, const tn_node *call) {
  int64_t perm[TN_MAX_NDIM];
  int64_t last = -1;
  const tn_node *x = tn_call_arg(call, 0);
  const tn_node *shape = tn_rewrite_shape(r, call);
  int32_t n = tn_rule_perm(r, call, perm);
  for (int32_t i = 0; i < n && shape != NULL; ++i) {
    if (!tn_is_int(shape->in[i], 1)) {
      shape = perm[i] > last ? shape : NULL;
      last = perm[i];
    }
  }
  return shape == NULL || n < 0 ? NULL : tn_rule_reshape(r, x, shape);
}

typedef struct pulling {
  tn_rewrite_run *r;
  const int64_t *perm;
  int32_t n;
  int32_t n_left; /* calls that may still be made anew */
} pulling;

static const tn_node *pull(pulling *p, const tn_node *value);

/* A constant lies in the last dimensions; it is reshaped first, and both are folded later. */
static const tn_node *pull_const(pulling *p, const tn_node *value) {
  const tn_array *array = value->attr.array;
  const tn_node *dims[TN_MAX_NDIM];
  int32_t missing = p->n - array->ndim;
  if (array->ndim == 0 || missing < 0) {
    return array->ndim == 0 ? value : NULL;
  }
  for (int32_t i = 0; i < p->n; ++i) {
    int64_t extent = i < missing ? 1 : array->shape[i - missing];
    dims[i] = tn_int(tn_rewrite_ir(p->r), TN_DT_I64, extent);
  }
  if (missing > 0) {
    const tn_node *list = tn_list(tn_rewrite_ir(p->r), (uint32_t)p->n, dims);
    value = tn_rule_reshape(p->r, value, list);
  }
  return tn_rule_permute(p->r, value, p->n, p->perm);
}

static const tn_node *pull_args(pulling *p, const tn_node *call) {
  const tn_node *args[3] = {NULL, NULL, NULL};
  uint32_t n = call->in[TN_CALL_ARGS]->n_in;
  for (uint32_t i = 0; i < n; ++i) {
    args[i] = pull(p, tn_call_arg(call, i));
    if (args[i] == NULL) {
      return NULL;
    }
  }
  return tn_rewrite_again(p->r, call, n, args);
}

static int64_t new_place(const pulling *p, int64_t axis) {
  for (int32_t i = 0; i < p->n; ++i) {
    if (p->perm[i] == axis) {
      return i;
    }
  }
  return -1;
}

static const tn_node *pull_concat(pulling *p, const tn_node *call) {
  const tn_node *tuple = tn_call_arg(call, 0);
  const tn_node *parts[MAX_PARTS];
  if (tuple->op != TN_OP_TUPLE || tuple->n_in > MAX_PARTS) {
    return NULL;
  }
  for (uint32_t i = 0; i < tuple->n_in; ++i) {
    parts[i] = pull(p, tuple->in[i]);
    if (parts[i] == NULL) {
      return NULL;
    }
  }
  tn_rule_build b = tn_rule_begin_like(p->r, call);
  tn_rule_set_int(&b, "axis", new_place(p, concat_axis(p->r, call)));
  const tn_node *moved =
      tn_node_new(tn_rewrite_ir(p->r), TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, tuple->n_in, parts);
  return tn_rule_end(&b, 1, &moved);
}

static const tn_node *pull_softmax(pulling *p, const tn_node *call) {
  int64_t axis = tn_rule_int(call, "axis");
  const tn_node *x = pull(p, tn_call_arg(call, 0));
  tn_rule_build b = tn_rule_begin_like(p->r, call);
  tn_rule_set_int(&b, "axis", new_place(p, axis < 0 ? axis + p->n : axis));
  return x == NULL ? NULL : tn_rule_end(&b, 1, &x);
}

/* The value in permuted form without a permutation being left; NULL: there is none. */
static const tn_node *pull(pulling *p, const tn_node *value) {
  int64_t both[TN_MAX_NDIM];
  const tn_node *def = tn_rewrite_def(p->r, value);
  if (tn_rewrite_array(value) != NULL) {
    return pull_const(p, value);
  }
  if (tn_rewrite_ndim(p->r, value) != p->n) {
    return tn_rewrite_ndim(p->r, value) == 0 ? value : NULL;
  }
  if (def == NULL || def->op != TN_OP_CALL || --p->n_left < 0) {
    return NULL;
  }
  if (is_named(def, "permute_dims")) {
    bool is_inverse = compose(p->r, def, p->perm, p->n, both) && is_identity(both, p->n);
    return is_inverse ? tn_call_arg(def, 0) : NULL;
  }
  const tn_op_def *op = tn_op_of(def);
  if (op->infer == tn_op_infer_unary || op->infer == tn_op_infer_binary ||
      op->infer == tn_op_infer_astype || op->infer == tn_op_infer_where) {
    return pull_args(p, def);
  }
  return is_named(def, "concat")       ? pull_concat(p, def)
         : is_named(def, "nn.softmax") ? pull_softmax(p, def)
                                       : NULL;
}

enum { MAX_PULLED = 40 };

const tn_node *tn_rule_transpose_through(tn_rewrite_run *r, const tn_node *call) {
  int64_t perm[TN_MAX_NDIM];
  const tn_node *x = tn_call_arg(call, 0);
  const tn_node *def = tn_rewrite_def(r, x);
  pulling p = {.r = r, .perm = perm, .n = tn_rule_perm(r, call, perm), .n_left = MAX_PULLED};
  bool is_open = p.n > 0 && def != NULL && def->op == TN_OP_CALL && !is_named(def, "permute_dims");
  return is_open ? pull(&p, x) : NULL;
}

const tn_node *tn_rule_reduce_of_transpose(tn_rewrite_run *r, const tn_node *call) {
  int64_t perm[TN_MAX_NDIM];
  int64_t axes[TN_MAX_NDIM];
  int64_t last = -1;
  if (tn_op_of(call)->infer != tn_op_infer_reduce) {
    return NULL;
  }
  const tn_node *moved = tn_rewrite_call(r, tn_call_arg(call, 0), "permute_dims");
  int32_t n = moved == NULL ? -1 : tn_rule_perm(r, moved, perm);
  int32_t n_axes = n < 0 ? -1 : tn_rule_axes(r, call, "axis", axes);
  if (n_axes < 0) {
    return NULL;
  }
  bool is_reduced[TN_MAX_NDIM] = {false};
  for (int32_t i = 0; i < n_axes; ++i) {
    is_reduced[axes[i]] = true;
    axes[i] = perm[axes[i]];
  }
  bool keeps = tn_rule_int(call, "keepdims") != 0;
  for (int32_t i = 0; i < n; ++i) { /* what stays must stand in its old order */
    if (is_reduced[i] ? keeps && perm[i] != i : perm[i] < last) {
      return NULL;
    }
    last = is_reduced[i] ? last : perm[i];
  }
  tn_rule_build b = tn_rule_begin_like(r, call);
  tn_rule_set_ints(&b, "axis", n_axes, axes);
  const tn_node *x = tn_call_arg(moved, 0);
  return tn_rule_end(&b, 1, &x);
}

/* ---- padding ---- */

/* The padding of a convolution as all before, then all after. */
static bool read_padding(const tn_node *conv, int32_t n, int64_t *out) {
  int64_t given[TN_MAX_NDIM];
  int32_t n_given = tn_rule_is_left_out(conv, "padding") ? 0 : tn_rule_ints(conv, "padding", given);
  if (n_given != 0 && n_given != 1 && n_given != n && n_given != 2 * n) {
    return false;
  }
  for (int32_t i = 0; i < 2 * n; ++i) {
    out[i] = n_given == 0 ? 0 : n_given == 1 ? given[0] : given[n_given == n ? i % n : i];
  }
  return true;
}

const tn_node *tn_rule_pad_into_conv(tn_rewrite_run *r, const tn_node *call) {
  int64_t widths[TN_MAX_NDIM];
  int64_t padding[TN_MAX_NDIM];
  tn_layout layout;
  if (tn_op_of(call)->infer != tn_op_infer_conv) {
    return NULL;
  }
  const tn_node *pad = tn_rewrite_call(r, tn_call_arg(call, 0), "nn.pad");
  int32_t n = pad == NULL ? 0 : (int32_t)tn_rewrite_ndim(r, pad) - 2;
  if (n < 1 || n > TN_MAX_SPATIAL || tn_rule_float(pad, "pad_value") != 0 ||
      tn_rule_ints(pad, "pad_width", widths) != 2 * (n + 2) || !read_padding(call, n, padding)) {
    return NULL;
  }
  tn_status st = tn_layout_read(tn_rule_text(call, "data_layout"), "NC", n, &layout);
  if (st != NULL) {
    tn_status_free(st);
    return NULL;
  }
  for (int32_t d = 0; d < n; ++d) {
    int64_t *width = &widths[2 * layout.at[2 + d]];
    padding[d] += width[0];
    padding[n + d] += width[1];
    width[0] = width[1] = 0;
  }
  for (int32_t i = 0; i < 2 * (n + 2); ++i) { /* what pads batches or channels stays */
    if (widths[i] != 0) {
      return NULL;
    }
  }
  tn_rule_build b = tn_rule_begin_like(r, call);
  tn_rule_set_ints(&b, "padding", 2 * n, padding);
  const tn_node *args[] = {tn_call_arg(pad, 0), tn_call_arg(call, 1)};
  return tn_rule_end(&b, 2, args);
}
