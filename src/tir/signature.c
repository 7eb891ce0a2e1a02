/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Functions and index expressions as they are named in messages: the interpreter, the check at the
 * entry of compiled code and executables use the same words. The script room prints whole programs;
 * this prints what fits in a line. */
#include "tir/tir.h"
#include "tir/tir_priv.h"

static void print_at(const tn_node *n, int prec, tn_buf *out);

static void print_list(const tn_node *n, uint32_t first, tn_buf *out) {
  for (uint32_t i = first; i < n->n_in; ++i) {
    tn_buf_puts(out, i == first ? "" : ", ");
    print_at(n->in[i], 0, out);
  }
}

static void print_call(const tn_node *n, const char *name, tn_buf *out) {
  tn_buf_printf(out, "T.%s(", name);
  print_list(n, 0, out);
  tn_buf_putc(out, ')');
}

static void print_infix(const tn_node *n, const tn_op_info *info, int prec, tn_buf *out) {
  if (info->prec < prec) {
    tn_buf_putc(out, '(');
  }
  if (n->n_in == 2) {
    print_at(n->in[TN_A], info->prec, out);
    tn_buf_printf(out, " %s ", info->text);
    print_at(n->in[TN_B], info->prec + 1, out);
  } else {
    tn_buf_printf(out, "%s%s", info->text, n->op == TN_OP_NOT ? " " : "");
    print_at(n->in[TN_A], info->prec, out);
  }
  if (info->prec < prec) {
    tn_buf_putc(out, ')');
  }
}

static void print_at(const tn_node *n, int prec, tn_buf *out) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  char text[TN_DTYPE_TEXT_BYTES];
  switch ((tn_op)n->op) {
    case TN_OP_INT:
      if (tn_dtype_is_bool(n->dtype)) {
        tn_buf_puts(out, n->attr.i64 != 0 ? "True" : "False");
      } else if (n->dtype == TN_DT_U64) {
        tn_buf_printf(out, "%llu", (unsigned long long)n->attr.i64);
      } else {
        tn_buf_printf(out, "%lld", (long long)n->attr.i64);
      }
      return;
    case TN_OP_FLOAT:
      tn_buf_put_double(out, n->attr.f64);
      return;
    case TN_OP_STR:
      tn_buf_printf(out, "\"%s\"", n->attr.text);
      return;
    case TN_OP_VAR:
    case TN_OP_BUFFER:
      tn_buf_puts(out, n->attr.text);
      return;
    case TN_OP_CAST:
      tn_buf_printf(out, "T.Cast(\"%s\", ", tn_dtype_print(n->dtype, text));
      print_list(n, 0, out);
      tn_buf_putc(out, ')');
      return;
    case TN_OP_LOAD:
      tn_buf_printf(out, "%s[", n->in[TN_LOAD_BUFFER]->attr.text);
      print_list(n, TN_LOAD_INDICES, out);
      tn_buf_putc(out, ']');
      return;
    case TN_OP_INTRIN:
      print_call(n, n->attr.def->name, out);
      return;
    default:
      break;
  }
  if (info->prec > 0 && n->n_in >= 1 && n->n_in <= 2) {
    print_infix(n, info, prec, out);
  } else {
    print_call(n, info->text, out);
  }
}

void tn_tir_print_expr(const tn_node *expr, tn_buf *out) { print_at(expr, 0, out); }

static void print_param(const tn_node *var, const tn_node *buffer, tn_buf *out) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (tn_is_none(buffer)) {
    tn_buf_printf(out, "%s: T.%s", var->attr.text, tn_dtype_print(var->dtype, text));
    return;
  }
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  tn_buf_printf(out, "%s: T.Buffer((", buffer->attr.text);
  print_list(shape, 0, out);
  tn_buf_printf(out, "%s), \"%s\")", shape->n_in == 1 ? "," : "",
                tn_dtype_print(buffer->dtype, text));
}

void tn_tir_signature(const tn_node *func, tn_buf *out) {
  const tn_node *params = func->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  tn_buf_printf(out, "%s(", func->attr.text);
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_buf_puts(out, i == 0 ? "" : ", ");
    print_param(params->in[i], buffers->in[i], out);
  }
  tn_buf_putc(out, ')');
}
