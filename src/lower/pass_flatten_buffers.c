/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Accesses get one index: the element counted from the buffer's data pointer.
 *
 *   B = T.alloc_buffer((4, 8))         B = T.allocate([32])
 *   B[i, j] = A[i, j]            ->    B_1 = T.decl_buffer((32,), data=B)
 *                                      B_1[i * 8 + j] = A_1[i * 8 + j]
 *
 * with A_1 = T.decl_buffer((32,), data=A.data) at the function's start. Strides and offset of the
 * buffer are in the index. It is int64 where an extent or an index is, or where it may not fit
 * int32, else int32. Parameters and their buffers stay for the entry check. Buffers that are flat
 * already stay. Requires: no blocks. */
#include <string.h>

#include "lower/lower_priv.h"

typedef struct flatten_ctx {
  tn_ir *ir;
  tn_arith *arith;
  tn_map flat;   /* buffer id -> flat buffer */
  tn_map passed; /* ids of buffers that are arguments of calls */
} flatten_ctx;

static bool is_flat(const tn_node *buffer) {
  return tn_buffer_ndim(buffer) == 1 &&
         (tn_is_none(buffer->in[TN_BUFFER_STRIDES]) || buffer->in[TN_BUFFER_STRIDES]->n_in == 0) &&
         tn_is_int(buffer->in[TN_BUFFER_ELEM_OFFSET], 0);
}

/* True when every offset of the buffer is known to fit int32: extents are, or one unknown int32
 * extent stands alone. */
static bool fits_int32(const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  bool is_strided =
      tn_is(buffer->in[TN_BUFFER_STRIDES], TN_OP_LIST) && buffer->in[TN_BUFFER_STRIDES]->n_in > 0;
  if (is_strided || !tn_is_int(buffer->in[TN_BUFFER_ELEM_OFFSET], 0)) {
    return false;
  }
  int64_t n = 1;
  uint32_t n_unknown = 0;
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    const tn_node *extent = shape->in[d];
    if (extent->dtype != TN_DT_I32) {
      return false;
    }
    if (!tn_is(extent, TN_OP_INT)) {
      ++n_unknown;
    } else if (__builtin_mul_overflow(n, extent->attr.i64, &n) || n > INT32_MAX) {
      return false;
    }
  }
  return n_unknown == 0 || (n_unknown == 1 && n == 1);
}

static bool has_const_layout_in_int32(const tn_node *buffer) {
  const tn_node *parts[2] = {buffer->in[TN_BUFFER_SHAPE], buffer->in[TN_BUFFER_STRIDES]};
  int64_t most = 0;
  if (!tn_is(parts[1], TN_OP_LIST) || parts[1]->n_in != parts[0]->n_in ||
      !tn_is(buffer->in[TN_BUFFER_ELEM_OFFSET], TN_OP_INT)) {
    return false;
  }
  for (uint32_t d = 0; d < parts[0]->n_in; ++d) {
    const tn_node *extent = parts[0]->in[d];
    const tn_node *stride = parts[1]->in[d];
    int64_t step = 0;
    bool is_known =
        extent->dtype == TN_DT_I32 && tn_is(extent, TN_OP_INT) && tn_is(stride, TN_OP_INT);
    if (!is_known || __builtin_mul_overflow(extent->attr.i64, stride->attr.i64, &step) ||
        __builtin_add_overflow(most, step < 0 ? -step : step, &most)) {
      return false;
    }
  }
  int64_t offset = buffer->in[TN_BUFFER_ELEM_OFFSET]->attr.i64;
  return offset >= 0 && offset <= INT32_MAX && most <= INT32_MAX - offset;
}

static tn_dtype offset_type(const tn_node *buffer) {
  return fits_int32(buffer) || has_const_layout_in_int32(buffer) ? TN_DT_I32 : TN_DT_I64;
}

/* Elements from the data pointer to the end: all of a compact buffer; with strides, to the last
 * one. */
static const tn_node *flat_extent(flatten_ctx *c, const tn_node *buffer) {
  tn_ir *ir = c->ir;
  tn_dtype dtype = offset_type(buffer);
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *offset = tn_lower_cast(ir, dtype, buffer->in[TN_BUFFER_ELEM_OFFSET]);
  const tn_node *strides[TN_MAX_NDIM];
  const tn_node *n = tn_int(ir, dtype, 1);
  const tn_node *one = n;
  bool is_strided =
      tn_is(buffer->in[TN_BUFFER_STRIDES], TN_OP_LIST) && buffer->in[TN_BUFFER_STRIDES]->n_in > 0;
  tn_lower_strides(ir, buffer, dtype, strides);
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    const tn_node *extent = tn_lower_cast(ir, dtype, shape->in[d]);
    n = is_strided ? tn_lower_add(
                         ir, n, tn_lower_mul(ir, tn_binary(ir, TN_OP_SUB, extent, one), strides[d]))
                   : tn_lower_mul(ir, n, extent);
  }
  n = tn_arith_simplify(c->arith, tn_lower_add(ir, n, offset));
  if (is_strided) { /* an empty buffer would come out negative */
    const tn_node *zero = tn_int(ir, dtype, 0);
    bool is_number = tn_is(n, TN_OP_INT);
    n = !is_number ? tn_binary(ir, TN_OP_MAX, n, zero) : n->attr.i64 < 0 ? zero : n;
  }
  return n;
}

static const tn_node *flat_of(flatten_ctx *c, const tn_node *buffer) {
  const tn_node *known = tn_lower_map_find(&c->flat, buffer);
  if (known != NULL || is_flat(buffer)) {
    return known != NULL ? known : buffer;
  }
  const tn_node *extent = flat_extent(c, buffer);
  const tn_node *in[8];
  memcpy(in, buffer->in, sizeof in);
  in[TN_BUFFER_SHAPE] = tn_list(c->ir, 1, &extent);
  in[TN_BUFFER_STRIDES] = tn_none(c->ir);
  in[TN_BUFFER_ELEM_OFFSET] = tn_int(c->ir, extent->dtype, 0);
  in[TN_BUFFER_AXIS_SEPARATORS] = tn_list(c->ir, 0, NULL);
  const tn_node *flat = tn_node_with(c->ir, buffer, in);
  tn_lower_map_set(&c->flat, buffer, flat);
  return flat;
}

/* offset + sum(index * stride), in all lanes of the widest index. */
static const tn_node *flat_index(flatten_ctx *c, const tn_node *buffer, const tn_node *access) {
  tn_ir *ir = c->ir;
  uint32_t first = tn_lower_first_index(access);
  uint32_t lanes = 1;
  tn_dtype dtype = offset_type(buffer);
  for (uint32_t i = first; i < access->n_in; ++i) {
    uint32_t own = tn_dtype_lanes(access->in[i]->dtype);
    lanes = own > lanes ? own : lanes;
    dtype = tn_dtype_bits(access->in[i]->dtype) == 64 ? TN_DT_I64 : dtype;
  }
  const tn_node *strides[TN_MAX_NDIM];
  tn_lower_strides(ir, buffer, dtype, strides);
  const tn_node *sum =
      tn_lower_broadcast(ir, tn_lower_cast(ir, dtype, buffer->in[TN_BUFFER_ELEM_OFFSET]), lanes);
  for (uint32_t i = first; i < access->n_in; ++i) {
    const tn_node *index = access->in[i];
    index = tn_lower_cast(ir, tn_dtype_with_lanes(dtype, tn_dtype_lanes(index->dtype)), index);
    const tn_node *stride =
        tn_lower_broadcast(ir, strides[i - first], tn_dtype_lanes(index->dtype));
    sum = tn_lower_add(ir, sum, tn_lower_broadcast(ir, tn_lower_mul(ir, index, stride), lanes));
  }
  return sum;
}

/* The product of literal extents, int32 where it fits; others stay a list, so that whoever
 * allocates multiplies with an eye on overflow. NULL: nothing to do. */
static const tn_node *flat_alloc(tn_ir *ir, const tn_node *n) {
  const tn_node *extents = n->in[TN_ALLOC_EXTENTS];
  int64_t product = 1;
  bool is_wide = false;
  for (uint32_t i = 0; i < extents->n_in; ++i) {
    const tn_node *extent = extents->in[i];
    if (!tn_is(extent, TN_OP_INT) || __builtin_mul_overflow(product, extent->attr.i64, &product)) {
      return NULL;
    }
    is_wide = is_wide || extent->dtype != TN_DT_I32;
  }
  const tn_node *flat = tn_int(ir, is_wide || product > INT32_MAX ? TN_DT_I64 : TN_DT_I32, product);
  const tn_node *in[5];
  memcpy(in, n->in, sizeof in);
  in[TN_ALLOC_EXTENTS] = tn_list(ir, 1, &flat);
  return tn_node_with(ir, n, in);
}

/* The rewrite has seen the children already, and leaves BUFFERs alone since no rule replaces what
 * is inside them. */
static const tn_node *flatten_rule(tn_rewriter *rw, const tn_node *n) {
  flatten_ctx *c = rw->ctx;
  if (tn_lower_is_access(n)) {
    const tn_node *buffer = n->in[0];
    if (is_flat(buffer)) {
      return NULL;
    }
    const tn_node *index = flat_index(c, buffer, n);
    return tn_lower_access_with(rw->ir, n, flat_of(c, buffer), 1, &index);
  }
  if (tn_is(n, TN_OP_DECL)) {
    const tn_node *flat = flat_of(c, n->in[0]);
    if (flat != n->in[0] && tn_map_find(&c->passed, n->in[0]->id, NULL)) {
      return tn_seq(rw->ir, 2, (const tn_node *[]){n, tn_lower_decl(rw->ir, flat)});
    }
    return flat == n->in[0] ? NULL : tn_lower_decl(rw->ir, flat);
  }
  if (tn_is(n, TN_OP_ALLOC) && n->in[TN_ALLOC_EXTENTS]->n_in != 1) {
    return flat_alloc(rw->ir, n);
  }
  return NULL;
}

/* A callee sees the buffer as it was declared. */
static tn_visit find_passed(const tn_node *n, void *ctx) {
  flatten_ctx *c = ctx;
  const tn_node *args = tn_tir_call_args(n);
  for (uint32_t i = 0; args != NULL && i < args->n_in; ++i) {
    tn_map_set(&c->passed, args->in[i]->id, 0);
  }
  return tn_is(n, TN_OP_BUFFER) ? TN_SKIP : TN_DESCEND;
}

static tn_visit find_block(const tn_node *n, void *ctx) {
  const tn_node **out = ctx;
  if (tn_is(n, TN_OP_BLOCK)) {
    *out = n;
    return TN_STOP;
  }
  return tn_op_info_get((tn_op)n->op)->cls == TN_CLASS_STMT ? TN_DESCEND : TN_SKIP;
}

static tn_status flatten(tn_ir *ir, const tn_node *func, const tn_node **out_func) {
  const tn_node *block = NULL;
  if (!tn_walk(func->in[TN_PRIM_FUNC_BODY], find_block, NULL, &block)) {
    return TN_ERR(TN_INVALID, "block '%s' is left: lower_blocks comes before flatten_buffers",
                  block->in[TN_BLOCK_LABEL]->attr.text);
  }
  flatten_ctx c = {.ir = ir, .arith = tn_arith_new(ir)};
  (void)tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], find_passed, &c);
  const tn_node *body = tn_rewrite(ir, func->in[TN_PRIM_FUNC_BODY], flatten_rule, &c);
  TN_VEC(const tn_node *) parts = {0};
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    const tn_node *flat = tn_lower_map_find(&c.flat, buffers->in[i]);
    if (flat != NULL) {
      TN_VEC_PUSH(&parts, tn_lower_decl(ir, flat));
    }
  }
  if (parts.len > 0) {
    TN_VEC_PUSH(&parts, body);
    body = tn_seq(ir, (uint32_t)parts.len, parts.data);
  }
  *out_func = tn_lower_with_body(ir, func, body);
  TN_VEC_DEINIT(&parts);
  tn_map_deinit(&c.flat);
  tn_map_deinit(&c.passed);
  tn_arith_free(c.arith);
  return NULL;
}

tn_status tn_pass_flatten_buffers(tn_module *module, const tn_pass_opts *opts) {
  return tn_lower_each(module, opts, flatten);
}
