/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How many floating-point operations a call of a loop function does: its sizes come from the
 * arguments' shapes. */
#include "base/vec.h"
#include "driver/driver_priv.h"
#include "tir/tir.h"

typedef TN_VEC(tn_size_value) sizes;

static void add_size(sizes *known, const tn_node *var, int64_t value) {
  if (tn_is(var, TN_OP_VAR)) {
    TN_VEC_PUSH(known, (tn_size_value){var, value});
  }
}

/* Argument `i`: a number, or a tensor whose shape says what the buffer's leaves open. */
static tn_status add_argument(const tn_node *func, int32_t i, const tn_arg *arg, sizes *known) {
  const DLTensor *dl = tn_arg_dl(arg);
  const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  if (arg->kind == TN_ARG_INT) {
    add_size(known, func->in[TN_PRIM_FUNC_PARAMS]->in[i], arg->u.i64);
  }
  if (tn_is_none(buffer) || dl == NULL) {
    return NULL;
  }
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  if ((uint32_t)dl->ndim != shape->n_in) {
    return TN_ERR(TN_INVALID, "argument %d has %d dimensions, and %s %u", i, dl->ndim,
                  buffer->attr.text, shape->n_in);
  }
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    add_size(known, shape->in[d], dl->shape[d]);
  }
  return NULL;
}

tn_status tn_program_count_flops(const tn_program *program, const char *func, const tn_arg *args,
                                 int32_t n_args, tn_flop_count *out_count) {
  tn_status st = NULL;
  sizes known = {0};
  tn_op_count count = {0};
  const tn_node *node = tn_module_find(&program->module, func);
  if (node == NULL) {
    return TN_ERR(TN_NOT_FOUND, "no function is called '%s'", func);
  }
  if (!tn_is(node, TN_OP_PRIM_FUNC)) {
    return TN_ERR(TN_UNSUPPORTED, "%s is a graph function; loop functions are counted", func);
  }
  if (n_args < 0 || (uint32_t)n_args != node->in[TN_PRIM_FUNC_PARAMS]->n_in) {
    return TN_ERR(TN_INVALID, "%s has %u parameters, not %d", func,
                  node->in[TN_PRIM_FUNC_PARAMS]->n_in, n_args);
  }
  for (int32_t i = 0; i < n_args; ++i) {
    TN_GOTO(st, add_argument(node, i, &args[i], &known), done);
  }
  TN_GOTO(st, tn_tir_count_flops(node, known.data, known.len, &count), done);
  *out_count = (tn_flop_count){count.flops, count.dtype, count.is_estimate};
done:
  TN_VEC_DEINIT(&known);
  return tn_status_wrap(st, "counting the operations of %s", func);
}
