/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Where and how a buffer of the program's own lies in memory.
 *
 *   set_scope(B, 0, "local")               B = T.alloc_buffer((16, 16), scope="local")
 *   storage_align(B, 0, 0, 16, 1)          B = T.alloc_buffer((16, 16), strides=(17, 1))
 *
 * TVM leaves a note for storage_align that a later pass turns into strides; here they are there at
 * once, for every reader of the program to see. */
#include "sched/rewrite.h"

/* The buffer of that name in the block's writes; memory of a block around it. */
static tn_status own_buffer(tn_sched *s, const tn_tree *tree, const tn_node *block,
                            const tn_node *arg, const tn_node **out_buffer) {
  const tn_node *region = NULL;
  bool is_write = true;
  TN_TRY(tn_block_buffer_arg(s, block, arg, true, &region, &is_write));
  const tn_node *buffer = region->in[TN_REGION_BUFFER];
  const tn_node *scope = tn_tree_scope(tree, block);
  while (scope != NULL && !tn_scope_allocates(scope, buffer)) {
    scope = tn_tree_scope(tree, scope);
  }
  if (scope == NULL) {
    return tn_refuse(s, block->in[TN_BLOCK_LABEL],
                     "cache_read or cache_write gives a copy that may change",
                     "'%s' comes from outside: callers know where it lies", buffer->attr.text);
  }
  TN_TRY(tn_scope_only_blocks_touch(s, tree, scope, buffer));
  *out_buffer = buffer;
  return NULL;
}

static tn_status put_buffer(tn_sched *s, const tn_tree *tree, const tn_node *from,
                            const tn_node *to) {
  tn_sched_set_func(s, tree->name, tn_swap_buffer(s->ir, tree->func, from, to));
  return tn_ir_status(s->ir);
}

static tn_buffer_spec spec_of(const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  return (tn_buffer_spec){.name = buffer->attr.text,
                          .dtype = buffer->dtype,
                          .ndim = shape->n_in,
                          .shape = shape->in,
                          .strides = tn_is_none(strides) ? NULL : strides,
                          .scope = buffer->in[TN_BUFFER_SCOPE]->attr.text};
}

tn_status tn_prim_set_scope(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *buffer = NULL;
  TN_TRY(own_buffer(s, tree, tn_tree_site(tree, call->args[0]), call->args[1], &buffer));
  tn_buffer_spec spec = spec_of(buffer);
  spec.scope = call->args[2]->attr.text;
  return put_buffer(s, tree, buffer, tn_buffer_new(s->ir, &spec));
}

/* Strides with that of `axis` moved up to offset modulo factor; those further in stay. */
static const tn_node *aligned_strides(tn_ir *ir, const tn_node *buffer, uint32_t axis,
                                      int64_t factor, int64_t offset) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *old = buffer->in[TN_BUFFER_STRIDES];
  const tn_node *strides[TN_MAX_NDIM];
  tn_arith *arith = tn_arith_new(ir);
  for (uint32_t d = shape->n_in; d > 0; --d) {
    uint32_t at = d - 1;
    const tn_node *stride = d == shape->n_in
                                ? tn_int(ir, shape->in[at]->dtype, 1)
                                : tn_index_binary(ir, TN_OP_MUL, strides[d], shape->in[d]);
    if (at > axis && tn_is(old, TN_OP_LIST) && old->n_in == shape->n_in) {
      stride = old->in[at];
    }
    if (at == axis) {
      const tn_node *f = tn_int(ir, stride->dtype, factor);
      const tn_node *rest = tn_index_binary(ir, TN_OP_FLOORMOD, stride, f);
      const tn_node *missing =
          tn_index_binary(ir, TN_OP_SUB, tn_int(ir, stride->dtype, factor + offset), rest);
      stride =
          tn_index_binary(ir, TN_OP_ADD, stride, tn_index_binary(ir, TN_OP_FLOORMOD, missing, f));
    }
    strides[at] = tn_arith_simplify(arith, stride);
  }
  tn_arith_free(arith);
  return tn_list(ir, shape->n_in, strides);
}

tn_status tn_prim_storage_align(tn_sched *s, tn_prim_call *call) {
  enum { MAX_FACTOR = 1 << 20 };
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *buffer = NULL;
  TN_TRY(own_buffer(s, tree, tn_tree_site(tree, call->args[0]), call->args[1], &buffer));
  int64_t ndim = tn_buffer_ndim(buffer);
  int64_t axis = call->args[2]->attr.i64;
  int64_t factor = call->args[3]->attr.i64;
  int64_t offset = call->args[4]->attr.i64;
  if (axis < -ndim || axis >= ndim) {
    return tn_refuse(s, call->args[0], NULL, "'%s' has %lld dimensions, so no axis %lld",
                     buffer->attr.text, (long long)ndim, (long long)axis);
  }
  if (factor < 1 || factor > MAX_FACTOR || offset < 0 || offset >= factor) {
    return tn_refuse(s, call->args[0], "factor 16 and offset 0 give strides of 16, 32 ...",
                     "offset %lld modulo factor %lld is no stride (factor at most %d)",
                     (long long)offset, (long long)factor, MAX_FACTOR);
  }
  tn_buffer_spec spec = spec_of(buffer);
  spec.strides =
      aligned_strides(s->ir, buffer, (uint32_t)(axis < 0 ? axis + ndim : axis), factor, offset);
  if (tn_is_int(spec.strides->in[axis < 0 ? axis + ndim : axis], 0)) {
    return tn_refuse(s, call->args[0], NULL, "the stride would be 0");
  }
  return put_buffer(s, tree, buffer, tn_buffer_new(s->ir, &spec));
}
