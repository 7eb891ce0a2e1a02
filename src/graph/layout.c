/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Layouts of types, constants and tensors. A constant's bytes are moved here; a tensor is copied by a
 * loop function:
 *
 *   T_layout[n, c_o, y, x, c_i] = A[n, c_o * 8 + c_i, y, x]         and back:
 *   T_layout[n, c, y, x] = A[n, c // 8, y, x, c % 8] */
#include <string.h>

#include "graph/relayout.h"
#include "tir/te.h"

tn_layout tn_layout_blocked(uint32_t ndim, uint32_t dim, int64_t size) {
  tn_layout layout = {.n = ndim + 1};
  for (uint32_t d = 0; d < ndim; ++d) {
    layout.dims[d] = (tn_layout_dim){.dim = d, .div = d == dim ? size : 1};
  }
  layout.dims[ndim] = (tn_layout_dim){.dim = dim, .div = 1, .mod = size};
  return layout;
}

bool tn_layout_equal(const tn_layout *a, const tn_layout *b) {
  bool is_equal = a->n == b->n;
  for (uint32_t d = 0; is_equal && d < a->n; ++d) {
    is_equal = a->dims[d].dim == b->dims[d].dim && a->dims[d].div == b->dims[d].div &&
               a->dims[d].mod == b->dims[d].mod;
  }
  return is_equal;
}

static int64_t extent_of(const tn_layout_dim *d, int64_t whole) {
  return d->mod != 0 ? d->mod : whole / d->div;
}

const tn_node *tn_layout_type(tn_ir *ir, const tn_node *type, const tn_layout *layout) {
  const tn_node *shape = type->in[TN_TY_TENSOR_SHAPE];
  const tn_node *dims[TN_MAX_NDIM];
  for (uint32_t d = 0; d < layout->n; ++d) {
    const tn_node *whole = shape->in[layout->dims[d].dim];
    dims[d] = tn_int(ir, whole->dtype, extent_of(&layout->dims[d], whole->attr.i64));
  }
  return tn_ty_tensor(ir, type->dtype, layout->n, tn_list(ir, layout->n, dims));
}

/* ---- constants ---- */

/* How far apart, in the array, the elements of neighbouring indices of a layout's dimension are. */
static void find_steps(const tn_array *array, const tn_layout *layout, int64_t *out_extents,
                       int64_t *out_steps) {
  int64_t strides[TN_MAX_NDIM];
  int64_t stride = 1;
  for (int32_t d = array->ndim; d-- > 0;) {
    strides[d] = stride;
    stride *= array->shape[d];
  }
  for (uint32_t d = 0; d < layout->n; ++d) {
    const tn_layout_dim *at = &layout->dims[d];
    out_extents[d] = extent_of(at, array->shape[at->dim]);
    out_steps[d] = strides[at->dim] * at->div;
  }
}

tn_status tn_layout_array(const tn_array *array, const tn_layout *layout, tn_array *out) {
  int64_t extents[TN_MAX_NDIM];
  int64_t steps[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM] = {0};
  find_steps(array, layout, extents, steps);
  TN_TRY(tn_array_init(out, array->dtype, (int32_t)layout->n, extents));
  int64_t n = tn_array_n_elems(array);
  size_t size = n > 0 ? tn_array_n_bytes(array) / (size_t)n : 0;
  int64_t from = 0;
  for (int64_t i = 0; i < n; ++i) {
    memcpy((char *)out->data + (size_t)i * size, (const char *)array->data + (size_t)from * size,
           size);
    for (uint32_t d = layout->n; d-- > 0;) {
      from += steps[d];
      if (++at[d] < extents[d]) {
        break;
      }
      from -= steps[d] * extents[d];
      at[d] = 0;
    }
  }
  return NULL;
}

/* ---- tensors ---- */

static const tn_node *number(tn_te *te, int64_t value) {
  return tn_int(tn_te_ir(te), TN_DT_I64, value);
}

/* Places in the layout for indices of the tensor. */
static void into_layout(tn_te *te, const tn_layout *layout, const tn_node *const *plain,
                        const tn_node **out) {
  for (uint32_t d = 0; d < layout->n; ++d) {
    const tn_layout_dim *at = &layout->dims[d];
    const tn_node *index = plain[at->dim];
    index = at->div == 1 ? index : tn_te_op(te, TN_OP_FLOORDIV, index, number(te, at->div));
    out[d] = at->mod == 0 ? index : tn_te_op(te, TN_OP_FLOORMOD, index, number(te, at->mod));
  }
}

/* Indices of the tensor for places in the layout. */
static void out_of_layout(tn_te *te, const tn_layout *layout, const tn_node *const *places,
                          uint32_t ndim, const tn_node **out) {
  memset(out, 0, ndim * sizeof *out);
  for (uint32_t d = 0; d < layout->n; ++d) {
    const tn_layout_dim *at = &layout->dims[d];
    const tn_node *part = places[d];
    part = at->div == 1 ? part : tn_te_op(te, TN_OP_MUL, part, number(te, at->div));
    out[at->dim] = out[at->dim] == NULL ? part : tn_te_op(te, TN_OP_ADD, out[at->dim], part);
  }
}

tn_status tn_layout_copy_func(tn_ir *ir, const tn_node *type, const tn_layout *layout, bool is_back,
                              const tn_node **out_func) {
  const tn_node *laid = tn_layout_type(ir, type, layout)->in[TN_TY_TENSOR_SHAPE];
  const tn_node *plain = type->in[TN_TY_TENSOR_SHAPE];
  const tn_node *from = is_back ? laid : plain;
  const tn_node *to = is_back ? plain : laid;
  const tn_node *indices[TN_MAX_NDIM];
  tn_te *te = tn_te_new(ir);
  const tn_node *a = tn_te_placeholder(te, "A", type->dtype, from->n_in, from->in);
  tn_te_begin(te, "T_layout", to->n_in, to->in);
  const tn_node *const *axes = tn_te_axes(te);
  if (is_back) {
    into_layout(te, layout, axes, indices);
  } else {
    out_of_layout(te, layout, axes, plain->n_in, indices);
  }
  const tn_node *params[] = {a, tn_te_end(te, tn_te_load(te, a, indices))};
  tn_status st = tn_te_prim_func(te, "layout", false, 2, params, out_func);
  tn_te_free(te);
  return st;
}
