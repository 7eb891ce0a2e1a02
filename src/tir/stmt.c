/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Buffers, statements and functions with their defaults filled in. What is checked is checked by
 * tn_tir_verify. */
#include <string.h>

#include "tir/tir.h"
#include "tir/tir_priv.h"

static const tn_attr no_attr = {0};
enum { DEFAULT_ALIGN = 64 };
static const char default_scope[] = "global";

/* Offsets have the type of the extents: int64 once one of them is. */
static tn_dtype index_type(const tn_buffer_spec *spec) {
  for (uint32_t i = 0; i < spec->ndim; ++i) {
    if (spec->shape[i]->dtype == TN_DT_I64) {
      return TN_DT_I64;
    }
  }
  return TN_DT_I32;
}

const tn_node *tn_buffer_new(tn_ir *ir, const tn_buffer_spec *spec) {
  const tn_node *in[] = {
      [TN_BUFFER_DATA] = spec->data != NULL ? spec->data : tn_var_new(ir, spec->name, TN_DT_HANDLE),
      [TN_BUFFER_SHAPE] = tn_list(ir, spec->ndim, spec->shape),
      [TN_BUFFER_STRIDES] = spec->strides != NULL ? spec->strides : tn_none(ir),
      [TN_BUFFER_ELEM_OFFSET] =
          spec->elem_offset != NULL ? spec->elem_offset : tn_int(ir, index_type(spec), 0),
      [TN_BUFFER_SCOPE] = tn_str(ir, spec->scope != NULL ? spec->scope : default_scope),
      [TN_BUFFER_ALIGN] = tn_int(ir, TN_DT_I32, spec->align > 0 ? spec->align : DEFAULT_ALIGN),
      [TN_BUFFER_OFFSET_FACTOR] =
          tn_int(ir, TN_DT_I32, spec->offset_factor > 0 ? spec->offset_factor : 1),
      [TN_BUFFER_AXIS_SEPARATORS] =
          spec->axis_separators != NULL ? spec->axis_separators : tn_list(ir, 0, NULL),
  };
  return tn_node_new(ir, TN_OP_BUFFER, spec->dtype, (tn_attr){.text = spec->name},
                     sizeof in / sizeof in[0], in);
}

bool tn_buffer_is_plain(const tn_node *buffer) {
  const tn_node *separators = buffer->in[TN_BUFFER_AXIS_SEPARATORS];
  return tn_is_none(buffer->in[TN_BUFFER_STRIDES]) &&
         tn_is_int(buffer->in[TN_BUFFER_ELEM_OFFSET], 0) &&
         strcmp(buffer->in[TN_BUFFER_SCOPE]->attr.text, default_scope) == 0 &&
         tn_is_int(buffer->in[TN_BUFFER_ALIGN], DEFAULT_ALIGN) &&
         tn_is_int(buffer->in[TN_BUFFER_OFFSET_FACTOR], 1) && separators->n_in == 0;
}

static const tn_node *or_none(tn_ir *ir, const tn_node *n) { return n != NULL ? n : tn_none(ir); }

const tn_node *tn_for_new(tn_ir *ir, tn_for_kind kind, const tn_node *var, const tn_node *min,
                          const tn_node *extent, const tn_node *body, const tn_node *thread,
                          const tn_node *annotations) {
  const tn_node *in[] = {
      [TN_FOR_VAR] = var,
      [TN_FOR_MIN] = min != NULL ? min : tn_int(ir, var->dtype, 0),
      [TN_FOR_EXTENT] = extent,
      [TN_FOR_BODY] = body,
      [TN_FOR_THREAD] = or_none(ir, thread),
      [TN_FOR_ANNOTATIONS] = or_none(ir, annotations),
  };
  return tn_node_new(ir, TN_OP_FOR, TN_DT_NONE, (tn_attr){.i64 = kind}, sizeof in / sizeof in[0],
                     in);
}

uint32_t tn_loop_exits(const tn_node *body) {
  if (tn_is(body, TN_OP_BREAK)) {
    return TN_EXIT_BREAK;
  }
  if (tn_is(body, TN_OP_CONTINUE)) {
    return TN_EXIT_CONTINUE;
  }
  bool is_stmt = tn_op_info_get((tn_op)body->op)->cls == TN_CLASS_STMT;
  uint32_t exits = 0;
  for (uint32_t i = 0;
       is_stmt && !tn_is(body, TN_OP_FOR) && !tn_is(body, TN_OP_WHILE) && i < body->n_in; ++i) {
    exits |= tn_loop_exits(body->in[i]);
  }
  return exits;
}

const tn_node *tn_region_new(tn_ir *ir, const tn_node *buffer, uint32_t n,
                             const tn_node *const *ranges) {
  TN_VEC(const tn_node *) in = {0};
  TN_VEC_PUSH(&in, buffer);
  for (uint32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&in, ranges[i]);
  }
  const tn_node *region =
      tn_node_new(ir, TN_OP_REGION, TN_DT_NONE, no_attr, (uint32_t)in.len, in.data);
  TN_VEC_DEINIT(&in);
  return region;
}

/* One NONE a parameter. */
static const tn_node *no_buffers(tn_ir *ir, uint32_t n) {
  const tn_node *none = tn_none(ir);
  const tn_node *list = tn_list(ir, 0, NULL);
  TN_VEC(const tn_node *) items = {0};
  for (uint32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&items, none);
  }
  if (n != 0) {
    list = tn_list(ir, n, items.data);
  }
  TN_VEC_DEINIT(&items);
  return list;
}

const tn_node *tn_prim_func_new(tn_ir *ir, const char *name, const tn_node *params,
                                const tn_node *buffers, const tn_node *ret, const tn_node *attrs,
                                const tn_node *body) {
  const tn_node *list = params != NULL ? params : tn_list(ir, 0, NULL);
  const tn_node *in[] = {
      [TN_PRIM_FUNC_PARAMS] = list,
      [TN_PRIM_FUNC_BUFFERS] = buffers != NULL ? buffers : no_buffers(ir, list->n_in),
      [TN_PRIM_FUNC_RET] = or_none(ir, ret),
      [TN_PRIM_FUNC_ATTRS] =
          attrs != NULL ? attrs : tn_node_new(ir, TN_OP_DICT, TN_DT_NONE, no_attr, 0, NULL),
      [TN_PRIM_FUNC_BODY] = body,
  };
  return tn_node_new(ir, TN_OP_PRIM_FUNC, TN_DT_NONE, (tn_attr){.text = name},
                     sizeof in / sizeof in[0], in);
}
