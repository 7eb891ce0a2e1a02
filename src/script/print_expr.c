/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Prints expressions. Python's precedence decides the parentheses; a literal of another type than
 * the place expects is wrapped (T.int64(1), T.float32(0.5)); an operator over two literals prints
 * as a call (T.Add(3, 4)), so that reading it back does not fold it. */
#include "script/print_priv.h"

#include <math.h>
#include <string.h>

enum { PREC_ADD = 11, PREC_UNARY = 13, PREC_ATOM = 20 };

void tn_pr_dtype(tn_printer *p, tn_dtype dtype) {
  char text[TN_DTYPE_TEXT_BYTES];
  tn_buf_printf(p->out, "\"%s\"", tn_dtype_print(dtype, text));
}

static void print_float_text(tn_printer *p, tn_dtype dtype, double value) {
  if (isnan(value) || isinf(value)) {
    tn_buf_printf(p->out, "\"%s\"", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  size_t start = p->out->len;
  if (tn_dtype_bits(dtype) == 64) {
    tn_buf_put_double(p->out, value);
  } else {
    tn_buf_put_float(p->out, (float)value);
  }
  if (strpbrk(p->out->data + start, ".en") == NULL) {
    tn_buf_puts(p->out, ".0");
  }
}

static void print_int(tn_printer *p, tn_dtype dtype, int64_t value) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (tn_dtype_is_bool(dtype)) {
    tn_buf_printf(p->out, "T.bool(%s)", value != 0 ? "True" : "False");
  } else if (dtype == p->bare_int) {
    tn_buf_printf(p->out, "%lld", (long long)value);
  } else if (dtype == TN_DT_U64) {
    tn_buf_printf(p->out, "T.uint64(%llu)", (unsigned long long)value);
  } else {
    tn_buf_printf(p->out, "T.%s(%lld)", tn_dtype_print(dtype, text), (long long)value);
  }
}

static void print_literal(tn_printer *p, const tn_node *n, int32_t prec) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (tn_is(n, TN_OP_FLOAT)) {
    tn_buf_printf(p->out, "T.%s(", tn_dtype_print(n->dtype, text));
    print_float_text(p, n->dtype, n->attr.f64);
    tn_buf_putc(p->out, ')');
    return;
  }
  bool needs_parens = n->dtype == p->bare_int && n->attr.i64 < 0 && prec > PREC_UNARY;
  if (needs_parens) {
    tn_buf_putc(p->out, '(');
  }
  print_int(p, n->dtype, n->attr.i64);
  if (needs_parens) {
    tn_buf_putc(p->out, ')');
  }
}

void tn_pr_element(tn_printer *p, const tn_array *array, int64_t i) {
  if (tn_dtype_is_any_float(array->dtype)) {
    double value = tn_array_get_f64(array, i);
    if (isnan(value) || isinf(value)) {
      tn_buf_puts(p->out, "T.float64(");
      print_float_text(p, array->dtype, value);
      tn_buf_putc(p->out, ')');
    } else {
      print_float_text(p, array->dtype, value);
    }
  } else if (tn_dtype_is_bool(array->dtype)) {
    tn_buf_puts(p->out, tn_array_get_i64(array, i) != 0 ? "True" : "False");
  } else if (array->dtype == TN_DT_U64) {
    tn_buf_printf(p->out, "%llu", (unsigned long long)tn_array_get_i64(array, i));
  } else {
    tn_buf_printf(p->out, "%lld", (long long)tn_array_get_i64(array, i));
  }
}

static bool is_literal(const tn_node *n) { return tn_is(n, TN_OP_INT) || tn_is(n, TN_OP_FLOAT); }

/* The call form of an operator: never folded by the reader. NULL: no such operator. */
static const char *call_form(const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_ADD:
      return "T.Add";
    case TN_OP_SUB:
      return "T.Sub";
    case TN_OP_MUL:
      return "T.Mul";
    case TN_OP_DIV:
      return "T.Div";
    case TN_OP_MOD:
      return "T.Mod";
    case TN_OP_FLOORDIV:
      return "T.FloorDiv";
    case TN_OP_FLOORMOD:
      return "T.FloorMod";
    case TN_OP_MIN:
      return "T.Min";
    case TN_OP_MAX:
      return "T.Max";
    case TN_OP_EQ:
      return "T.EQ";
    case TN_OP_NE:
      return "T.NE";
    case TN_OP_LT:
      return "T.LT";
    case TN_OP_LE:
      return "T.LE";
    case TN_OP_GT:
      return "T.GT";
    case TN_OP_GE:
      return "T.GE";
    case TN_OP_AND:
      return "T.And";
    case TN_OP_OR:
      return "T.Or";
    case TN_OP_NOT:
      return "T.Not";
    case TN_OP_NEG:
      return "T.Neg";
    case TN_OP_BAND:
      return "T.bitwise_and";
    case TN_OP_BOR:
      return "T.bitwise_or";
    case TN_OP_BXOR:
      return "T.bitwise_xor";
    case TN_OP_BNOT:
      return "T.bitwise_not";
    case TN_OP_SHL:
      return "T.shift_left";
    case TN_OP_SHR:
      return "T.shift_right";
    default:
      return NULL;
  }
}

/* Operators without a sign of their own, or whose sign means something else for this type. */
static const char *call_only_form(const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_MIN:
      return "T.min";
    case TN_OP_MAX:
      return "T.max";
    case TN_OP_MOD:
      return "T.truncmod";
    case TN_OP_DIV:
      return tn_dtype_is_float(n->dtype) ? NULL : "T.truncdiv";
    default:
      return NULL;
  }
}

static bool all_literals(const tn_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (!is_literal(n->in[i])) {
      return false;
    }
  }
  return true;
}

static void print_call(tn_printer *p, const char *name, const tn_node *n) {
  tn_buf_puts(p->out, name);
  tn_buf_putc(p->out, '(');
  tn_pr_exprs(p, n->n_in, n->in);
  tn_buf_putc(p->out, ')');
}

static void print_operator(tn_printer *p, const tn_node *n, int32_t prec) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  const char *form = all_literals(n) ? call_form(n) : call_only_form(n);
  if (form != NULL) {
    print_call(p, form, n);
    return;
  }
  int32_t own = info->prec;
  if (own < prec) {
    tn_buf_putc(p->out, '(');
  }
  if (n->n_in == 1) {
    tn_buf_printf(p->out, tn_is(n, TN_OP_NOT) ? "%s " : "%s", info->text);
    tn_pr_expr(p, n->in[TN_A], own);
  } else {
    /* comparisons do not chain: both sides bind tighter; the others group to the left */
    tn_pr_expr(p, n->in[TN_A], own == 6 ? own + 1 : own);
    tn_buf_printf(p->out, " %s ", info->text);
    tn_pr_expr(p, n->in[TN_B], own + 1);
  }
  if (own < prec) {
    tn_buf_putc(p->out, ')');
  }
}

void tn_pr_stop(tn_printer *p, const tn_node *min, const tn_node *extent) {
  if (tn_is(min, TN_OP_INT) && tn_is(extent, TN_OP_INT)) {
    print_int(p, min->dtype, (int64_t)((uint64_t)min->attr.i64 + (uint64_t)extent->attr.i64));
  } else if (tn_is_int(min, 0)) {
    tn_pr_expr(p, extent, 0);
  } else {
    tn_pr_expr(p, min, PREC_ADD);
    tn_buf_puts(p->out, " + ");
    tn_pr_expr(p, extent, PREC_ADD + 1);
  }
}

void tn_pr_range(tn_printer *p, const tn_node *min, const tn_node *extent) {
  tn_pr_expr(p, min, 1);
  if (!tn_is_int(extent, 1)) {
    tn_buf_putc(p->out, ':');
    tn_pr_stop(p, min, extent);
  }
}

/* A unit-stride vector index prints as a slice. */
static void print_index(tn_printer *p, const tn_node *index) {
  if (!tn_is(index, TN_OP_RAMP) || !tn_is(index->in[TN_RAMP_STRIDE], TN_OP_INT) ||
      !tn_is_int(index->in[TN_RAMP_STRIDE], 1) || tn_dtype_lanes(index->dtype) < 2) {
    tn_pr_expr(p, index, 1);
    return;
  }
  const tn_node *base = index->in[TN_RAMP_BASE];
  int64_t lanes = tn_dtype_lanes(index->dtype);
  tn_pr_expr(p, base, 1);
  tn_buf_putc(p->out, ':');
  if (tn_is(base, TN_OP_INT)) {
    print_int(p, base->dtype, (int64_t)((uint64_t)base->attr.i64 + (uint64_t)lanes));
    return;
  }
  tn_pr_expr(p, base, PREC_ADD);
  tn_buf_puts(p->out, " + ");
  print_int(p, base->dtype, lanes);
}

void tn_pr_access(tn_printer *p, const tn_node *buffer, uint32_t n, const tn_node *const *indices) {
  tn_buf_printf(p->out, "%s[", tn_pr_name(p, buffer));
  for (uint32_t i = 0; i < n; ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    print_index(p, indices[i]);
  }
  tn_buf_puts(p->out, n == 0 ? "()]" : "]");
}

static void print_load(tn_printer *p, const tn_node *n) {
  const tn_node *const *indices = n->in + TN_LOAD_INDICES;
  uint32_t n_indices = n->n_in - TN_LOAD_INDICES;
  if (tn_is_none(n->in[TN_LOAD_PREDICATE])) {
    tn_pr_access(p, n->in[TN_LOAD_BUFFER], n_indices, indices);
    return;
  }
  tn_buf_printf(p->out, "%s.vload([", tn_pr_name(p, n->in[TN_LOAD_BUFFER]));
  tn_pr_exprs(p, n_indices, indices);
  tn_buf_puts(p->out, "], predicate=");
  tn_pr_expr(p, n->in[TN_LOAD_PREDICATE], 0);
  tn_buf_putc(p->out, ')');
}

static void print_intrin(tn_printer *p, const tn_node *n) {
  const tn_intrin *intrin = tn_intrin_of(n);
  tn_buf_printf(p->out, "T.%s(", intrin->def.name);
  if (intrin->type == TN_IT_GIVEN) {
    tn_pr_dtype(p, n->dtype);
    tn_buf_puts(p->out, n->n_in > 0 ? ", " : "");
  }
  tn_pr_exprs(p, n->n_in, n->in);
  if (intrin->type == TN_IT_GIVEN_LAST) {
    tn_buf_puts(p->out, n->n_in > 0 ? ", " : "");
    tn_pr_dtype(p, n->dtype);
  }
  tn_buf_putc(p->out, ')');
}

/* Names of the parameters are in scope for the results only. */
static void print_lambda_head(tn_printer *p, const tn_node *const *lists, uint32_t n_lists) {
  tn_buf_puts(p->out, "lambda ");
  const char *separator = "";
  for (uint32_t k = 0; k < n_lists; ++k) {
    for (uint32_t i = 0; i < lists[k]->n_in; ++i) {
      tn_buf_printf(p->out, "%s%s", separator,
                    tn_pr_define(p, lists[k]->in[i], lists[k]->in[i]->attr.text));
      separator = ", ";
    }
  }
  tn_buf_puts(p->out, ": ");
}

static void print_reducer(tn_printer *p, const tn_node *n) {
  size_t mark = tn_pr_enter(p);
  const tn_node *results = n->in[TN_REDUCER_RESULTS];
  tn_buf_puts(p->out, "T.comm_reducer(");
  print_lambda_head(p, n->in, 2);
  if (results->n_in == 1) {
    tn_pr_expr(p, results->in[0], 1);
  } else {
    tn_pr_tuple(p, results->n_in, results->in);
  }
  tn_pr_leave(p, mark);
  tn_buf_puts(p->out, ", ");
  tn_pr_expr(p, n->in[TN_REDUCER_IDENTITY], 0);
  tn_buf_putc(p->out, ')');
}

static void print_mapping(tn_printer *p, const tn_node *n) {
  size_t mark = tn_pr_enter(p);
  print_lambda_head(p, n->in, 1);
  tn_pr_tuple(p, n->in[TN_LAMBDA_RESULTS]->n_in, n->in[TN_LAMBDA_RESULTS]->in);
  tn_pr_leave(p, mark);
}

static void print_index_map(tn_printer *p, const tn_node *n) {
  tn_buf_puts(p->out, "T.index_map(");
  print_mapping(p, n);
  if (!tn_is_none(n->in[TN_LAMBDA_INVERSE])) {
    tn_buf_puts(p->out, ", inverse_index_map=");
    print_mapping(p, n->in[TN_LAMBDA_INVERSE]);
  }
  const tn_node *params = n->in[TN_LAMBDA_PARAMS];
  if (params->n_in > 0 && params->in[0]->dtype != p->bare_int) {
    tn_buf_puts(p->out, ", index_dtype=");
    tn_pr_dtype(p, params->in[0]->dtype);
  }
  tn_buf_putc(p->out, ')');
}

static void print_target(tn_printer *p, const tn_node *n) {
  tn_buf_puts(p->out, "T.target(");
  tn_pr_expr(p, n->in[TN_TARGET_CONFIG], 0);
  if (!tn_is_none(n->in[TN_TARGET_HOST])) {
    tn_buf_puts(p->out, ", host=");
    tn_pr_expr(p, n->in[TN_TARGET_HOST], 0);
  }
  tn_buf_putc(p->out, ')');
}

static void print_let(tn_printer *p, const tn_node *n) {
  size_t mark = tn_pr_enter(p);
  tn_buf value = TN_BUF_INIT;
  tn_buf *out = p->out;
  p->out = &value;
  tn_pr_expr(p, n->in[TN_LET_VALUE], 0);
  p->out = out;
  const char *name = tn_pr_define(p, n->in[TN_LET_VAR], n->in[TN_LET_VAR]->attr.text);
  tn_buf_puts(p->out, "T.Let(");
  tn_pr_expr(p, n->in[TN_LET_BODY], 0);
  tn_buf_printf(p->out, ", where={%s: %s})", name, tn_buf_text(&value));
  tn_buf_deinit(&value);
  tn_pr_leave(p, mark);
}

static void print_vector(tn_printer *p, const tn_node *n) {
  if (tn_is(n, TN_OP_SHUFFLE)) {
    print_call(p, "T.Shuffle", n);
    return;
  }
  tn_buf_puts(p->out, tn_is(n, TN_OP_RAMP) ? "T.Ramp(" : "T.Broadcast(");
  tn_pr_exprs(p, n->n_in, n->in);
  tn_buf_printf(p->out, ", %u)", tn_dtype_lanes(n->dtype));
}

static void print_typed(tn_printer *p, const char *name, const tn_node *n) {
  tn_buf_printf(p->out, "%s(", name);
  tn_pr_dtype(p, n->dtype);
  tn_buf_puts(p->out, ", ");
  tn_pr_expr(p, n->in[0], 0);
  tn_buf_putc(p->out, ')');
}

void tn_pr_expr(tn_printer *p, const tn_node *n, int32_t prec) {
  switch ((tn_op)n->op) {
    case TN_OP_INT:
    case TN_OP_FLOAT:
      print_literal(p, n, prec);
      break;
    case TN_OP_STR:
      tn_pr_string(p, n->attr.text);
      break;
    case TN_OP_NONE:
      tn_buf_puts(p->out, "None");
      break;
    case TN_OP_LIST:
      tn_buf_putc(p->out, '[');
      tn_pr_exprs(p, n->n_in, n->in);
      tn_buf_putc(p->out, ']');
      break;
    case TN_OP_DICT:
      tn_pr_dict(p, n);
      break;
    case TN_OP_TARGET:
      print_target(p, n);
      break;
    case TN_OP_VAR:
    case TN_OP_BUFFER:
      tn_buf_puts(p->out, tn_pr_name(p, n));
      break;
    case TN_OP_CAST:
      print_typed(p, "T.Cast", n);
      break;
    case TN_OP_REINTERPRET:
      print_typed(p, "T.reinterpret", n);
      break;
    case TN_OP_SELECT:
      print_call(p, "T.Select", n);
      break;
    case TN_OP_IF_THEN_ELSE:
      print_call(p, "T.if_then_else", n);
      break;
    case TN_OP_RAMP:
    case TN_OP_BROADCAST:
    case TN_OP_SHUFFLE:
      print_vector(p, n);
      break;
    case TN_OP_LET:
      print_let(p, n);
      break;
    case TN_OP_LOAD:
      print_load(p, n);
      break;
    case TN_OP_INTRIN:
      print_intrin(p, n);
      break;
    case TN_OP_LAMBDA:
      print_index_map(p, n);
      break;
    case TN_OP_REDUCER:
      print_reducer(p, n);
      break;
    case TN_OP_RANGE:
      tn_pr_range(p, n->in[TN_RANGE_MIN], n->in[TN_RANGE_EXTENT]);
      break;
    case TN_OP_REGION:
      tn_buf_printf(p->out, "%s[", tn_pr_name(p, n->in[TN_REGION_BUFFER]));
      tn_pr_exprs(p, n->n_in - TN_REGION_RANGES, n->in + TN_REGION_RANGES);
      tn_buf_puts(p->out, n->n_in == TN_REGION_RANGES ? "()]" : "]");
      break;
    default:
      if (call_form(n) != NULL) {
        print_operator(p, n, prec);
      } else {
        tn_pr_graph_expr(p, n);
      }
  }
}

void tn_pr_exprs(tn_printer *p, uint32_t n, const tn_node *const *items) {
  for (uint32_t i = 0; i < n; ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    tn_pr_expr(p, items[i], 1);
  }
}

void tn_pr_tuple(tn_printer *p, uint32_t n, const tn_node *const *items) {
  tn_buf_putc(p->out, '(');
  tn_pr_exprs(p, n, items);
  tn_buf_puts(p->out, n == 1 ? ",)" : ")");
}

void tn_pr_dict(tn_printer *p, const tn_node *dict) {
  tn_buf_putc(p->out, '{');
  for (uint32_t i = 0; i + 1 < dict->n_in; i += 2) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    tn_pr_string(p, dict->in[i]->attr.text);
    tn_buf_puts(p->out, ": ");
    tn_pr_expr(p, dict->in[i + 1], 1);
  }
  tn_buf_putc(p->out, '}');
}
