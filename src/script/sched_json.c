/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A trace as JSON, in TVM's form:
 *
 *   [[["GetBlock", [], ["C", "main"], ["b0"]],
 *     ["GetLoops", ["b0"], [], ["l1", "l2"]],
 *     ["Split", ["l1", "None", 4], [1, 0], ["l3", "l4"]]],
 *    [[step, decision], ...]]
 *
 * A kind is the primitive's name in PascalCase. Inputs are what a step is about: blocks, loops, the
 * factors of a split, the value of an annotation; texts among them carry quotes of their own, and
 * a number of another type than int32 or float32 is a text without them, "T.int8(3)".
 * Attributes are its other arguments in order, `buffer` as a number and 0 (read) or 1 (write). */
#include <ctype.h>
#include <string.h>

#include "script/sched_json.h"
#include "script/sched_names.h"
#include "script/sched_script.h"

/* ---- where an argument stands ---- */

tn_trace_place tn_trace_place_of(const tn_prim_param *p) {
  if (strcmp(p->name, "decision") == 0) {
    return TN_PLACE_DECISION;
  }
  if (p->is_rest || strcmp(p->name, "factors") == 0) {
    return TN_PLACE_SPREAD;
  }
  if (strcmp(p->name, "buffer") == 0) {
    return TN_PLACE_BUFFER;
  }
  bool is_handle = strstr(p->type, "block") != NULL || strstr(p->type, "loop") != NULL;
  return is_handle || strcmp(p->name, "ann_val") == 0 ? TN_PLACE_INPUT : TN_PLACE_ATTR;
}

/* ---- writing ---- */

static void write_text(const char *text, bool has_quotes, tn_buf *out) {
  tn_buf_puts(out, has_quotes ? "\"\\\"" : "\"");
  for (const char *c = text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') {
      tn_buf_printf(out, "\\%c", *c);
    } else if ((unsigned char)*c < 0x20) {
      tn_buf_printf(out, "\\u%04x", (unsigned)*c);
    } else {
      tn_buf_putc(out, *c);
    }
  }
  tn_buf_puts(out, has_quotes ? "\\\"\"" : "\"");
}

/* is_typed: numbers keep their types. */
static void write_value(const tn_trace_names *names, const tn_node *v, bool is_input, bool is_typed,
                        tn_buf *out) {
  tn_buf name = TN_BUF_INIT;
  if (tn_trace_name(names, v, &name)) {
    write_text(tn_buf_text(&name), false, out);
  } else if (tn_is(v, TN_OP_DICT)) {
    tn_buf_putc(out, '{');
    for (uint32_t i = 0; i < v->n_in; ++i) {
      tn_buf_puts(out, i == 0 ? "" : i % 2 == 1 ? ": " : ", ");
      write_value(names, v->in[i], is_input && i % 2 == 1, is_typed, out);
    }
    tn_buf_putc(out, '}');
  } else if (tn_is(v, TN_OP_LIST)) {
    tn_buf_putc(out, '[');
    for (uint32_t i = 0; i < v->n_in; ++i) {
      tn_buf_puts(out, i > 0 ? ", " : "");
      write_value(names, v->in[i], is_input, is_typed, out);
    }
    tn_buf_putc(out, ']');
  } else if (tn_is(v, TN_OP_LAMBDA)) {
    tn_trace_print_map(v, &name);
    write_text(tn_buf_text(&name), false, out);
  } else if (is_typed && tn_is(v, TN_OP_INT) && v->dtype == TN_DT_BOOL) {
    tn_buf_puts(out, v->attr.i64 != 0 ? "true" : "false");
  } else if (is_typed && (tn_is(v, TN_OP_FLOAT) || tn_is(v, TN_OP_INT)) && !tn_trace_is_plain(v)) {
    tn_trace_print_value(NULL, v, true, &name);
    write_text(tn_buf_text(&name), false, out);
  } else if (tn_is(v, TN_OP_FLOAT)) {
    tn_trace_print_float(v, out);
  } else if (tn_is(v, TN_OP_INT)) {
    tn_buf_printf(out, "%lld", (long long)v->attr.i64);
  } else if (tn_is(v, TN_OP_STR)) {
    write_text(v->attr.text, is_input, out);
  } else {
    tn_buf_puts(out, is_input ? "\"None\"" : "null");
  }
  tn_buf_deinit(&name);
}

static void write_item(const tn_trace_names *names, const tn_node *v, bool is_input, bool is_typed,
                       tn_buf *list) {
  tn_buf_puts(list, list->len > 0 ? ", " : "");
  write_value(names, v, is_input, is_typed, list);
}

/* ("read", 0) is 0, 0; a number or a name alone has no second part. */
static void write_buffer(const tn_trace_names *names, const tn_node *v, tn_buf *attrs) {
  bool is_pair = tn_is(v, TN_OP_LIST) && v->n_in == 2;
  write_item(names, is_pair ? v->in[1] : v, false, false, attrs);
  bool is_write = is_pair && strcmp(v->in[0]->attr.text, "write") == 0;
  tn_buf_puts(attrs, !is_pair ? ", null" : is_write ? ", 1" : ", 0");
}

static void write_kind(const char *name, tn_buf *out) {
  static const char *const rows[][2] = {{"rfactor", "RFactor"}, {"reindex", "ReIndex"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (strcmp(name, rows[i][0]) == 0) {
      tn_buf_puts(out, rows[i][1]);
      return;
    }
  }
  for (const char *c = name; *c != '\0'; ++c) {
    if (*c != '_') {
      bool is_first = c == name || c[-1] == '_';
      tn_buf_putc(out, is_first ? (char)toupper((unsigned char)*c) : *c);
    }
  }
}

typedef struct step_text {
  tn_buf inputs;
  tn_buf attrs;
  tn_buf outs;
} step_text;

static void write_args(const tn_trace_names *names, const tn_sched_step *step, uint32_t i,
                       step_text *t, tn_buf *decisions) {
  tn_prim_param params[TN_PRIM_MAX_PARAMS];
  uint32_t n = tn_prim_params(step->prim, params);
  for (uint32_t k = 0; k < n; ++k) {
    const tn_node *v = step->args->in[k];
    switch (tn_trace_place_of(&params[k])) {
      case TN_PLACE_INPUT:
        write_item(names, v, true, tn_trace_is_value(&params[k]), &t->inputs);
        break;
      case TN_PLACE_SPREAD:
        for (uint32_t j = 0; j < v->n_in; ++j) {
          write_item(names, v->in[j], true, false, &t->inputs);
        }
        break;
      case TN_PLACE_ATTR:
        write_item(names, v, false, tn_trace_is_value(&params[k]), &t->attrs);
        break;
      case TN_PLACE_BUFFER:
        write_buffer(names, v, &t->attrs);
        break;
      case TN_PLACE_DECISION:
        tn_buf_printf(decisions, "%s[%u, ", decisions->len > 0 ? ", " : "", i);
        write_value(names, v, false, false, decisions);
        tn_buf_putc(decisions, ']');
        break;
    }
  }
}

static void write_outs(const tn_trace_names *names, const tn_node *out, tn_buf *outs) {
  if (tn_is(out, TN_OP_VAR) || tn_is(out, TN_OP_LABEL)) {
    write_item(names, out, true, false, outs);
  }
  for (uint32_t i = 0; tn_is(out, TN_OP_LIST) && i < out->n_in; ++i) {
    write_outs(names, out->in[i], outs);
  }
}

void tn_sched_trace_print_json(const tn_sched *sched, tn_buf *out) {
  tn_trace_names names = {0};
  tn_buf decisions = TN_BUF_INIT;
  tn_buf_puts(out, "[[");
  for (uint32_t i = 0; i < tn_sched_n_steps(sched); ++i) {
    const tn_sched_step *step = tn_sched_step_at(sched, i);
    step_text t = {TN_BUF_INIT, TN_BUF_INIT, TN_BUF_INIT};
    write_args(&names, step, i, &t, &decisions);
    tn_trace_names_add(&names, sched, step->out);
    write_outs(&names, step->out, &t.outs);
    tn_buf_puts(out, i > 0 ? ",\n  [\"" : "\n  [\"");
    write_kind(step->prim->name, out);
    tn_buf_printf(out, "\", [%s], [%s], [%s]]", tn_buf_text(&t.inputs), tn_buf_text(&t.attrs),
                  tn_buf_text(&t.outs));
    tn_buf_deinit(&t.inputs);
    tn_buf_deinit(&t.attrs);
    tn_buf_deinit(&t.outs);
  }
  tn_buf_printf(out, "], [%s]]\n", tn_buf_text(&decisions));
  tn_buf_deinit(&decisions);
  tn_trace_names_deinit(&names);
}
