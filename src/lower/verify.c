/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Is a function in the lowered form of lower/lower.h? Each rule that does not hold is one problem,
 * named with the pass that would have seen to it. */
#include "lower/lower_priv.h"

typedef struct lowered_ctx {
  const tn_ir *ir;
  tn_diags *diags;
  tn_pos pos; /* of the nearest statement that has one */
} lowered_ctx;

static void check_access(lowered_ctx *c, const tn_node *n) {
  uint32_t first = tn_lower_first_index(n);
  const tn_node *buffer = n->in[0];
  bool is_strided =
      tn_is(buffer->in[TN_BUFFER_STRIDES], TN_OP_LIST) && buffer->in[TN_BUFFER_STRIDES]->n_in > 0;
  if (n->n_in != first + 1 || tn_buffer_ndim(buffer) != 1 || is_strided ||
      !tn_is_int(buffer->in[TN_BUFFER_ELEM_OFFSET], 0)) {
    tn_diags_add(
        c->diags, "not-flat", c->pos, NULL,
        "buffer '%s' is accessed with %u indices, strides or an offset; run flatten_buffers",
        buffer->attr.text, n->n_in - first);
    return;
  }
  tn_dtype elem = tn_dtype_elem(n->in[first]->dtype);
  if (elem != TN_DT_I32 && elem != TN_DT_I64) {
    char text[TN_DTYPE_TEXT_BYTES];
    tn_diags_add(c->diags, "index-type", c->pos, NULL,
                 "an index of buffer '%s' is %s; int32 or int64 are taken", buffer->attr.text,
                 tn_dtype_print(elem, text));
  }
}

static tn_visit check(const tn_node *n, void *ctx) {
  lowered_ctx *c = ctx;
  const char *name = tn_op_info_get((tn_op)n->op)->name;
  tn_pos pos = tn_ir_pos(c->ir, n);
  c->pos = pos.source != 0 ? pos : c->pos;
  switch ((int)n->op) {
    case TN_OP_BUFFER:
      return TN_SKIP;
    case TN_OP_BLOCK:
    case TN_OP_ITER:
    case TN_OP_REGION:
    case TN_OP_MATCH:
      tn_diags_add(c->diags, "not-lowered", c->pos, NULL, "%s is left; run lower_blocks", name);
      return TN_SKIP;
    case TN_OP_FOR:
      if (n->attr.i64 == TN_FOR_VECTORIZED) {
        tn_diags_add(c->diags, "not-lowered", c->pos, NULL,
                     "a vectorized loop is left; run vectorize_loops");
      } else if (n->attr.i64 == TN_FOR_THREAD_BINDING) {
        tn_diags_add(c->diags, "not-lowered", c->pos, NULL,
                     "a loop bound to a thread is left; a CPU has none");
      }
      return TN_DESCEND;
    case TN_OP_LOAD:
    case TN_OP_STORE:
      check_access(c, n);
      return TN_DESCEND;
    default:
      return TN_DESCEND;
  }
}

void tn_lowered_verify(const tn_ir *ir, const tn_node *func, tn_diags *diags) {
  lowered_ctx c = {.ir = ir, .diags = diags, .pos = tn_ir_pos(ir, func)};
  (void)tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], check, &c);
}
