/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Dumps for the eye of a debugger: one node a line, indented, slot names and facts from the table.
 * A node met again is printed as a reference (^id), so that shared expressions stay short.
 *
 *   for#14 0
 *     var: var#1 i int32
 *     min: int#2 0 int32
 *     ... */
#include <stdio.h>

#include "base/check.h"
#include "ir/ir.h"
#include "ir/ir_priv.h"

typedef struct dump_ctx {
  tn_map seen;
  tn_buf *out;
} dump_ctx;

static void print_array(const tn_array *array, tn_buf *out) {
  char dtype[TN_DTYPE_TEXT_BYTES];
  tn_buf_printf(out, " %s[", tn_dtype_print(array->dtype, dtype));
  for (int32_t i = 0; i < array->ndim; ++i) {
    tn_buf_printf(out, "%s%lld", i == 0 ? "" : ", ", (long long)array->shape[i]);
  }
  tn_buf_putc(out, ']');
}

static void print_attr(const tn_node *n, tn_buf *out) {
  char dtype[TN_DTYPE_TEXT_BYTES];
  switch (tn_op_info_get((tn_op)n->op)->attr) {
    case TN_ATTR_NONE:
      return;
    case TN_ATTR_I64:
      if (tn_is(n, TN_OP_DTYPE)) {
        tn_buf_printf(out, " %s", tn_dtype_print((tn_dtype)n->attr.i64, dtype));
      } else {
        tn_buf_printf(out, " %lld", (long long)n->attr.i64);
      }
      return;
    case TN_ATTR_F64:
      tn_buf_putc(out, ' ');
      tn_buf_put_double(out, n->attr.f64);
      return;
    case TN_ATTR_TEXT:
      tn_buf_printf(out, tn_is(n, TN_OP_STR) ? " \"%s\"" : " %s", n->attr.text);
      return;
    case TN_ATTR_DEF:
      tn_buf_printf(out, " %s", n->attr.def->name);
      return;
    case TN_ATTR_ARRAY:
      print_array(n->attr.array, out);
      return;
  }
  TN_UNREACHABLE();
}

static void print_head(const tn_node *n, tn_buf *out) {
  tn_buf_printf(out, "%s#%u", tn_op_info_get((tn_op)n->op)->text, n->id);
  print_attr(n, out);
  if (n->dtype != TN_DT_NONE) {
    char dtype[TN_DTYPE_TEXT_BYTES];
    tn_buf_printf(out, " %s", tn_dtype_print(n->dtype, dtype));
  }
}

static void dump(dump_ctx *c, const tn_node *n, int indent) {
  if (n->n_in != 0 && tn_map_find(&c->seen, n->id, NULL)) {
    tn_buf_printf(c->out, "^%u\n", n->id);
    return;
  }
  tn_map_set(&c->seen, n->id, 0);
  print_head(n, c->out);
  tn_buf_putc(c->out, '\n');
  uint32_t n_slots = tn_op_n_slots((tn_op)n->op);
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tn_slot slot;
    bool is_named = tn_op_slot_find((tn_op)n->op, i, &slot);
    if (is_named && slot.is_optional && tn_is_none(n->in[i])) {
      continue;
    }
    tn_buf_printf(c->out, "%*s", indent + 2, "");
    if (is_named) {
      tn_buf_printf(c->out, "%.*s: ", (int)slot.len, slot.name);
    } else {
      tn_buf_printf(c->out, "%u: ", i - n_slots);
    }
    dump(c, n->in[i], indent + 2);
  }
}

void tn_dump_to(const tn_node *n, tn_buf *out) {
  dump_ctx c = {.out = out};
  dump(&c, n, 0);
  tn_map_deinit(&c.seen);
}

void tn_dump(const tn_node *n) {
  tn_buf text = TN_BUF_INIT;
  tn_dump_to(n, &text);
  fputs(tn_buf_text(&text), stderr);
  tn_buf_deinit(&text);
}
