/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* T.realize(B[0:16, i:i + 4], "scope", condition): memory for a region of a buffer that was declared
 * without any (T.Buffer, T.buffer_decl). It is read as an allocation of the region and a view of it
 * that keeps the buffer's indices; the buffer means that view from here to the end of the block. */
#include <string.h>

#include "script/reader.h"

/* False when the buffer has memory of its own. */
static bool take_buffer(tn_reader *r, const tn_node *buffer) {
  for (size_t i = 0; i < r->free_buffers.len; ++i) {
    if (r->free_buffers.data[i].buffer == buffer) {
      r->free_buffers.data[i].is_realized = true;
      return true;
    }
  }
  return false;
}

void tn_check_free_buffers(tn_reader *r) {
  for (size_t i = 0; i < r->free_buffers.len; ++i) {
    if (!r->free_buffers.data[i].is_realized) {
      tn_read_fail(r, r->free_buffers.data[i].call, "missing-argument",
                   "T.alloc_buffer makes memory",
                   "T.Buffer needs the argument 'data' here, or T.realize below");
    }
  }
}

/* Literals as Python's numbers, which are computed here. */
static tn_val number_of(const tn_node *n) {
  return tn_is(n, TN_OP_INT) ? (tn_val){.kind = TN_VAL_INT, .i64 = n->attr.i64} : tn_val_node(n);
}

static bool is_number(tn_val v, int64_t value) { return v.kind == TN_VAL_INT && v.i64 == value; }

static tn_val product(tn_reader *r, const tn_ast *at, tn_val a, tn_val b) {
  return is_number(a, 1) || is_number(b, 0)   ? b
         : is_number(b, 1) || is_number(a, 0) ? a
                                              : tn_apply_binary(r, at, TN_TOK_STAR, a, b);
}

/* Strides of the region's own extents, and what brings the buffer's index to the region's. */
static bool place(tn_reader *r, const tn_ast *at, const tn_node *region, const tn_node **strides,
                  const tn_node **offset) {
  tn_val stride = {.kind = TN_VAL_INT, .i64 = 1};
  tn_val sum = {.kind = TN_VAL_INT, .i64 = 0};
  for (uint32_t d = region->n_in - TN_REGION_RANGES; d-- > 0;) {
    const tn_node *range = region->in[TN_REGION_RANGES + d];
    tn_val skipped = product(r, at, number_of(range->in[TN_RANGE_MIN]), stride);
    strides[d] = tn_to_index(r, at, stride);
    sum = is_number(skipped, 0) ? sum : tn_apply_binary(r, at, TN_TOK_MINUS, sum, skipped);
    stride = product(r, at, number_of(range->in[TN_RANGE_EXTENT]), stride);
    if (strides[d] == NULL) {
      return false;
    }
  }
  *offset = tn_to_index(r, at, sum);
  return *offset != NULL;
}

static const tn_node *view_of(tn_reader *r, const tn_ast *at, const tn_node *region,
                              const tn_node *data, const char *scope) {
  const tn_node *buffer = region->in[TN_REGION_BUFFER];
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides[TN_MAX_NDIM];
  const tn_node *extents[TN_MAX_NDIM];
  bool is_at_zero = true;
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    const tn_node *range = region->in[TN_REGION_RANGES + d];
    is_at_zero = is_at_zero && tn_is_int(range->in[TN_RANGE_MIN], 0);
    extents[d] = range->in[TN_RANGE_EXTENT];
  }
  tn_buffer_spec spec = {.name = buffer->attr.text,
                         .dtype = buffer->dtype,
                         .ndim = shape->n_in,
                         .shape = is_at_zero ? extents : shape->in,
                         .data = data,
                         .scope = scope};
  if (!is_at_zero) {
    if (!place(r, at, region, strides, &spec.elem_offset)) {
      return NULL;
    }
    spec.strides = tn_list(r->ir, shape->n_in, strides);
  }
  return tn_buffer_new(r->ir, &spec);
}

static const tn_node *allocation(tn_reader *r, const tn_node *region, const char *scope,
                                 const tn_node *cond) {
  const tn_node *buffer = region->in[TN_REGION_BUFFER];
  const tn_node *extents[TN_MAX_NDIM];
  uint32_t ndim = region->n_in - TN_REGION_RANGES;
  for (uint32_t d = 0; d < ndim; ++d) {
    extents[d] = region->in[TN_REGION_RANGES + d]->in[TN_RANGE_EXTENT];
  }
  const tn_node *in[] = {[TN_ALLOC_VAR] = tn_var_new(r->ir, buffer->attr.text, TN_DT_HANDLE),
                         [TN_ALLOC_EXTENTS] = tn_list(r->ir, ndim, extents),
                         [TN_ALLOC_COND] = cond,
                         [TN_ALLOC_SCOPE] = tn_str(r->ir, scope),
                         [TN_ALLOC_ANNOTATIONS] = tn_none(r->ir)};
  return tn_node_new(r->ir, TN_OP_ALLOC, buffer->dtype, (tn_attr){0}, 5, in);
}

static tn_val call_realize(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  if (!tn_bind_args(r, call->ast, "region scope? condition?", args) || !tn_in_body(r, call->ast)) {
    return tn_val_error();
  }
  const tn_node *region = tn_read_region(r, args[0]);
  const char *scope = args[1] == NULL ? "" : tn_to_str(r, args[1], tn_read_val(r, args[1]));
  const tn_node *cond = args[2] == NULL ? tn_bool(r->ir, true) : tn_read_cond(r, args[2]);
  const tn_ast *name = args[0]->kind == TN_AST_INDEX ? args[0]->in[0] : args[0];
  if (region == NULL || scope == NULL || cond == NULL) {
    return tn_val_error();
  }
  if (name->kind != TN_AST_NAME || !take_buffer(r, region->in[TN_REGION_BUFFER])) {
    return tn_read_fail(r, args[0], "given-twice", "declare it by B = T.Buffer(shape, dtype)",
                        "buffer '%s' has memory already", region->in[TN_REGION_BUFFER]->attr.text);
  }
  scope = scope[0] == '\0' ? "global" : scope;
  const tn_node *alloc = allocation(r, region, scope, cond);
  const tn_node *view = view_of(r, call->ast, region, alloc->in[TN_ALLOC_VAR], scope);
  if (view == NULL) {
    return tn_val_error();
  }
  tn_add_stmt(r, call->ast, alloc);
  tn_add_stmt(r, call->ast, tn_node_new(r->ir, TN_OP_DECL, TN_DT_NONE, (tn_attr){0}, 1, &view));
  tn_scopes_set(&r->scopes, name->text, tn_val_node(view));
  return tn_val_void();
}

static const tn_call_row rows[] = {
    {"T.realize", call_realize, 0, TN_USE_TIR},
    {"T.buffer_realize", call_realize, 0, TN_USE_TIR},
};

tn_call_table tn_tir_realize_calls(void) {
  return (tn_call_table){rows, sizeof rows / sizeof rows[0]};
}
