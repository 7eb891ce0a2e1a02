/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A trace as a script: one line a step, results named b0, l1, v2 by what they are and in the order
 * in which they came, arguments by their names. */
#include <string.h>

#include "script/print_priv.h"
#include "script/sched_names.h"
#include "script/sched_script.h"

/* ---- names ---- */

void tn_trace_names_deinit(tn_trace_names *names) {
  tn_map_deinit(&names->numbers);
  tn_map_deinit(&names->kinds);
}

static char letter_of(const tn_sched *sched, const tn_node *handle) {
  return tn_is(handle, TN_OP_LABEL) ? 'b' : tn_sched_value(sched, handle, NULL) ? 'v' : 'l';
}

void tn_trace_names_add(tn_trace_names *names, const tn_sched *sched, const tn_node *out) {
  if (tn_is(out, TN_OP_VAR) || tn_is(out, TN_OP_LABEL)) {
    tn_map_set(&names->numbers, out->id, names->n++);
    tn_map_set(&names->kinds, out->id, (uint64_t)letter_of(sched, out));
  }
  for (uint32_t i = 0; tn_is(out, TN_OP_LIST) && i < out->n_in; ++i) {
    tn_trace_names_add(names, sched, out->in[i]);
  }
}

bool tn_trace_name(const tn_trace_names *names, const tn_node *handle, tn_buf *out) {
  uint64_t number = 0;
  uint64_t kind = 0;
  if (!tn_map_find(&names->numbers, handle->id, &number) ||
      !tn_map_find(&names->kinds, handle->id, &kind)) {
    return false;
  }
  tn_buf_printf(out, "%c%llu", (char)kind, (unsigned long long)number);
  return true;
}

const char *tn_unsafe_step(uint32_t i) {
  static const char *const names[] = {"unsafe_set_dtype", "unsafe_hide_buffer_access",
                                      "annotate_buffer_access", "set_axis_separator", NULL};
  return names[i];
}

/* ---- values ---- */

void tn_trace_print_float(const tn_node *v, tn_buf *out) {
  size_t start = out->len;
  if (v->dtype == TN_DT_F32) {
    tn_buf_put_float(out, (float)v->attr.f64);
  } else {
    tn_buf_put_double(out, v->attr.f64);
  }
  bool is_whole = strpbrk(tn_buf_text(out) + start, ".en") == NULL;
  tn_buf_puts(out, is_whole ? ".0" : "");
}

void tn_trace_print_map(const tn_node *map, tn_buf *out) {
  static const char head[] = "T.index_map(";
  tn_buf text = TN_BUF_INIT;
  tn_script_print_node(map, &text);
  const char *at = tn_buf_text(&text);
  size_t len = text.len;
  bool is_wrapped = strncmp(at, head, strlen(head)) == 0 && at[len - 1] == ')';
  size_t skip = is_wrapped ? strlen(head) : 0;
  tn_buf_append(out, at + skip, len - skip - (is_wrapped ? 1 : 0));
  tn_buf_deinit(&text);
}

bool tn_trace_is_value(const tn_prim_param *p) { return strncmp(p->type, "value", 5) == 0; }

bool tn_trace_is_plain(const tn_node *v) {
  switch (v->dtype) {
    case TN_DT_BOOL:
    case TN_DT_I32:
    case TN_DT_F32:
      return true;
    case TN_DT_I64:
      return v->attr.i64 != (int32_t)v->attr.i64;
    default:
      return false;
  }
}

static void print_dict(const tn_trace_names *names, const tn_node *dict, bool is_typed,
                       tn_buf *out) {
  tn_buf_putc(out, '{');
  for (uint32_t i = 0; i < dict->n_in; ++i) {
    tn_buf_puts(out, i == 0 ? "" : i % 2 == 1 ? ": " : ", ");
    tn_trace_print_value(names, dict->in[i], is_typed, out);
  }
  tn_buf_putc(out, '}');
}

void tn_trace_print_value(const tn_trace_names *names, const tn_node *v, bool is_typed,
                          tn_buf *out) {
  if (names != NULL && tn_trace_name(names, v, out)) {
    return;
  }
  switch ((tn_op)v->op) {
    case TN_OP_NONE:
      tn_buf_puts(out, "None");
      break;
    case TN_OP_STR:
      tn_pr_string(&(tn_printer){.out = out}, v->attr.text);
      break;
    case TN_OP_INT:
      if (is_typed && !tn_trace_is_plain(v)) {
        tn_script_print_node(v, out);
      } else if (v->dtype == TN_DT_BOOL) {
        tn_buf_puts(out, v->attr.i64 != 0 ? "True" : "False");
      } else {
        tn_buf_printf(out, "%lld", (long long)v->attr.i64);
      }
      break;
    case TN_OP_FLOAT:
      if (is_typed && !tn_trace_is_plain(v)) {
        tn_script_print_node(v, out);
      } else {
        tn_trace_print_float(v, out);
      }
      break;
    case TN_OP_LIST:
      tn_buf_putc(out, '[');
      for (uint32_t i = 0; i < v->n_in; ++i) {
        tn_buf_puts(out, i > 0 ? ", " : "");
        tn_trace_print_value(names, v->in[i], is_typed, out);
      }
      tn_buf_putc(out, ']');
      break;
    case TN_OP_DICT:
      print_dict(names, v, is_typed, out);
      break;
    case TN_OP_LAMBDA:
      tn_trace_print_map(v, out);
      break;
    default:
      tn_script_print_node(v, out);
      break;
  }
}

char *tn_sched_value_print(const tn_node *value) {
  tn_buf text = TN_BUF_INIT;
  if (tn_is(value, TN_OP_STR)) {
    tn_buf_puts(&text, value->attr.text);
  } else {
    tn_trace_print_value(NULL, value, false, &text);
  }
  return tn_buf_take(&text);
}

/* ---- steps ---- */

static bool is_default(const tn_node *v, const tn_prim_param *p) {
  tn_buf text = TN_BUF_INIT;
  bool is_same = false;
  if (p->default_text[0] != '\0' && !tn_is(v, TN_OP_VAR) && !tn_is(v, TN_OP_LABEL)) {
    tn_trace_print_value(NULL, v, false, &text);
    is_same = strcmp(tn_buf_text(&text), p->default_text) == 0;
  }
  tn_buf_deinit(&text);
  return is_same;
}

/* ("read", 0) is a tuple in TVM, and no list. */
static void print_argument(const tn_trace_names *names, const tn_node *v, const tn_prim_param *p,
                           tn_buf *out) {
  if (strcmp(p->type, "buffer") != 0 || !tn_is(v, TN_OP_LIST) || v->n_in != 2) {
    tn_trace_print_value(names, v, tn_trace_is_value(p), out);
    return;
  }
  tn_buf_putc(out, '(');
  tn_trace_print_value(names, v->in[0], false, out);
  tn_buf_puts(out, ", ");
  tn_trace_print_value(names, v->in[1], false, out);
  tn_buf_putc(out, ')');
}

static void print_outs(const tn_trace_names *names, const tn_node *out, tn_buf *text) {
  if (tn_trace_name(names, out, text)) {
    tn_buf_puts(text, " = ");
  } else if (tn_is(out, TN_OP_LIST) && out->n_in > 0) {
    for (uint32_t i = 0; i < out->n_in; ++i) {
      tn_buf_puts(text, i > 0 ? ", " : "");
      (void)tn_trace_name(names, out->in[i], text);
    }
    tn_buf_puts(text, out->n_in == 1 ? ", = " : " = ");
  }
}

/* `names` has what the steps before gave; what this one gives is added. */
static void print_step(tn_trace_names *names, const tn_sched *sched, uint32_t i, tn_buf *out) {
  const tn_sched_step *step = tn_sched_step_at(sched, i);
  tn_prim_param params[TN_PRIM_MAX_PARAMS];
  uint32_t n = tn_prim_params(step->prim, params);
  tn_buf args = TN_BUF_INIT;
  for (uint32_t k = 0; k < n; ++k) {
    const tn_node *v = step->args->in[k];
    if (is_default(v, &params[k])) {
      continue;
    }
    for (uint32_t j = 0; params[k].is_rest && j < v->n_in; ++j) {
      tn_buf_puts(&args, args.len > 0 ? ", " : "");
      tn_trace_print_value(names, v->in[j], false, &args);
    }
    if (!params[k].is_rest) {
      tn_buf_printf(&args, "%s%s=", args.len > 0 ? ", " : "", params[k].name);
      print_argument(names, v, &params[k], &args);
    }
  }
  tn_trace_names_add(names, sched, step->out);
  print_outs(names, step->out, out);
  tn_buf_printf(out, "sch.%s(%s)", step->prim->name, tn_buf_text(&args));
  tn_buf_deinit(&args);
}

void tn_sched_trace_print_step(const tn_sched *sched, uint32_t i, tn_buf *out) {
  tn_trace_names names = {0};
  for (uint32_t k = 0; k < i; ++k) {
    tn_trace_names_add(&names, sched, tn_sched_step_at(sched, k)->out);
  }
  print_step(&names, sched, i, out);
  tn_trace_names_deinit(&names);
}

void tn_sched_trace_print(const tn_sched *sched, tn_buf *out) {
  tn_trace_names names = {0};
  uint32_t n = tn_sched_n_steps(sched);
  tn_buf_puts(out, "# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n");
  for (uint32_t i = 0; i < n; ++i) {
    tn_buf_puts(out, "  ");
    print_step(&names, sched, i, out);
    tn_buf_putc(out, '\n');
  }
  tn_buf_puts(out, n == 0 ? "  pass\n" : "");
  tn_trace_names_deinit(&names);
}
