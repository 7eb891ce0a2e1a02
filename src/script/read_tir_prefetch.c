/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* T.prefetch of a region, T.prefetch(A, [T.Range(0, 4), T.Range(0, 64)]), is read as the loops that
 * it means: one T.prefetch of an address for each cache line. The form with an address is a row of
 * tir/intrins.def. */
#include "script/reader.h"

enum { CACHE_LINE_BYTES = 64, LOCALITY_HIGH = 3, DATA_CACHE = 1 };

/* Elements from one prefetch to the next along the last dimension. */
static int64_t elems_per_line(const tn_node *buffer) {
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  bool is_dense = tn_is_none(strides) || tn_is_int(strides->in[strides->n_in - 1], 1);
  int64_t bits = (int64_t)tn_dtype_bits(buffer->dtype) * tn_dtype_lanes(buffer->dtype);
  return is_dense && bits < CACHE_LINE_BYTES * 8 ? CACHE_LINE_BYTES * 8 / bits : 1;
}

/* T.prefetch(T.address_of(A[...]), 0, 3, 1), to read. */
static const tn_node *prefetch_one(tn_reader *r, const tn_ast *at, const tn_node *buffer,
                                   uint32_t n, const tn_node *const *indices) {
  const tn_node *load = NULL;
  const tn_node *call[4] = {NULL, tn_int(r->ir, TN_DT_I32, 0),
                            tn_int(r->ir, TN_DT_I32, LOCALITY_HIGH),
                            tn_int(r->ir, TN_DT_I32, DATA_CACHE)};
  const tn_node *prefetch = NULL;
  if (!tn_read_ok(r, at, "bad-access", tn_tir_load(r->ir, buffer, n, indices, NULL, &load)) ||
      !tn_read_ok(r, at, "bad-call",
                  tn_tir_intrin(r->ir, tn_intrin_get(TN_INTRIN_ADDRESS_OF), TN_DT_NONE, 1, &load,
                                &call[0])) ||
      !tn_read_ok(r, at, "bad-call",
                  tn_tir_intrin(r->ir, tn_intrin_get(TN_INTRIN_PREFETCH), TN_DT_NONE, 4, call,
                                &prefetch))) {
    return NULL;
  }
  return tn_node_new(r->ir, TN_OP_EVAL, TN_DT_NONE, (tn_attr){0}, 1, &prefetch);
}

/* ceil(extent / step) */
static tn_val lines_of(tn_reader *r, const tn_ast *at, tn_val extent, tn_val step) {
  if (step.i64 == 1) {
    return extent;
  }
  if (extent.node->op == TN_OP_INT && extent.node->attr.i64 >= 0) {
    int64_t n = extent.node->attr.i64 / step.i64 + (extent.node->attr.i64 % step.i64 != 0);
    return tn_val_node(tn_int(r->ir, extent.node->dtype, n));
  }
  tn_val less = {.kind = TN_VAL_INT, .i64 = step.i64 - 1};
  return tn_apply_binary(r, at, TN_TOK_FLOORDIV, tn_apply_binary(r, at, TN_TOK_PLUS, extent, less),
                         step);
}

/* The loops of one region, from the first dimension in. */
static const tn_node *prefetch_loops(tn_reader *r, const tn_ast *at, const tn_node *buffer,
                                     uint32_t n, const tn_val *ranges) {
  const tn_node *vars[TN_MAX_NDIM];
  const tn_node *extents[TN_MAX_NDIM];
  const tn_node *indices[TN_MAX_NDIM];
  for (uint32_t i = 0; i < n; ++i) {
    tn_val lo = tn_val_node(ranges[i].node->in[TN_RANGE_MIN]);
    tn_val extent = tn_val_node(ranges[i].node->in[TN_RANGE_EXTENT]);
    tn_val step = {.kind = TN_VAL_INT, .i64 = i + 1 == n ? elems_per_line(buffer) : 1};
    extents[i] = tn_to_index(r, at, lines_of(r, at, extent, step));
    if (extents[i] == NULL) {
      return NULL;
    }
    vars[i] = tn_var_new(r->ir, "i", extents[i]->dtype);
    tn_val offset = tn_val_node(vars[i]);
    offset = step.i64 == 1 ? offset : tn_apply_binary(r, at, TN_TOK_STAR, offset, step);
    indices[i] = tn_to_index(
        r, at, tn_is_int(lo.node, 0) ? offset : tn_apply_binary(r, at, TN_TOK_PLUS, lo, offset));
    if (indices[i] == NULL) {
      return NULL;
    }
  }
  const tn_node *body = prefetch_one(r, at, buffer, n, indices);
  for (uint32_t i = n; body != NULL && i > 0; --i) {
    body = tn_for_new(r->ir, TN_FOR_SERIAL, vars[i - 1], tn_int(r->ir, extents[i - 1]->dtype, 0),
                      extents[i - 1], body, tn_none(r->ir), tn_none(r->ir));
    tn_mark(r, body, at);
  }
  return body;
}

static tn_val prefetch_region(tn_reader *r, const tn_ast *call, const tn_node *buffer,
                              const tn_ast *bounds_ast) {
  tn_val bounds = tn_read_val(r, bounds_ast);
  uint32_t ndim = tn_buffer_ndim(buffer);
  if (tn_val_is_error(bounds)) {
    return bounds;
  }
  if (bounds.kind != TN_VAL_LIST || bounds.n != ndim) {
    return tn_read_fail(r, bounds_ast, "wrong-index-count", NULL,
                        "'%s' has %u dimensions: expected a list of as many T.Range(begin, end)",
                        buffer->attr.text, ndim);
  }
  for (uint32_t i = 0; i < ndim; ++i) {
    if (!tn_val_is_node(bounds.items[i], TN_OP_RANGE)) {
      return tn_read_fail(r, bounds_ast, "not-a-region", NULL,
                          "expected T.Range(begin, end), got %s", tn_val_what(bounds.items[i]));
    }
  }
  const tn_node *stmt = prefetch_loops(r, call, buffer, ndim, bounds.items);
  if (stmt == NULL) {
    return tn_val_error();
  }
  tn_add_stmt(r, call, stmt);
  return tn_val_void();
}

static tn_val call_prefetch(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  const tn_ast *first = call->ast->n > 1 ? call->ast->in[1] : NULL;
  bool is_name = first != NULL && first->kind == TN_AST_NAME;
  const tn_binding *binding = is_name ? tn_scopes_find(&r->scopes, first->text) : NULL;
  if (binding == NULL || !tn_val_is_node(binding->val, TN_OP_BUFFER)) {
    return tn_read_tir_named(r, call, call->row->name);
  }
  if (!tn_bind_args(r, call->ast, "buffer bounds", args)) {
    return tn_val_error();
  }
  return prefetch_region(r, call->ast, binding->val.node, args[1]);
}

static tn_val call_range(tn_reader *r, const tn_call *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(r, call->ast, "begin end?", args)) {
    return tn_val_error();
  }
  const tn_ast *end = args[1] != NULL ? args[1] : args[0];
  tn_val lo = args[1] != NULL ? tn_read_val(r, args[0]) : (tn_val){.kind = TN_VAL_INT};
  const tn_node *in[2] = {NULL, NULL};
  if (!tn_to_interval(r, end, lo, tn_read_val(r, end), &in[TN_RANGE_MIN], &in[TN_RANGE_EXTENT])) {
    return tn_val_error();
  }
  return tn_val_node(tn_node_new(r->ir, TN_OP_RANGE, TN_DT_NONE, (tn_attr){0}, 2, in));
}

static const tn_call_row rows[] = {
    {"T.prefetch", call_prefetch, 0, TN_USE_TIR},
    {"T.Range", call_range, 0, TN_USE_TIR},
};

tn_call_table tn_tir_prefetch_calls(void) {
  return (tn_call_table){rows, sizeof rows / sizeof rows[0]};
}
