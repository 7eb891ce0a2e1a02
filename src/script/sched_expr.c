/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What expressions of a schedule script have beside a program's: calls that do steps, knobs, slices
 * of lists, *items, index maps. All else is left to read_expr.c. */
#include <string.h>

#include "script/sched_names.h"
#include "script/sched_reader.h"

/* ---- lists ---- */

bool tn_steps_add_items(tn_steps *s, const tn_ast *ast, tn_steps_items *out) {
  bool is_star = ast->kind == TN_AST_STAR;
  tn_steps_item item = {.ast = ast, .val = tn_read_val(s->r, is_star ? ast->in[0] : ast)};
  if (tn_val_is_error(item.val)) {
    return false;
  }
  if (item.val.kind == TN_VAL_VOID) {
    tn_read_fail(s->r, ast, "bad-step-argument", NULL, "the step gives no value");
    return false;
  }
  if (!is_star) {
    TN_VEC_PUSH(out, item);
  } else if (item.val.kind != TN_VAL_LIST) {
    tn_read_fail(s->r, ast, "bad-unpacking", NULL, "* takes the items of a list, not of %s",
                 tn_val_what(item.val));
    return false;
  }
  for (uint32_t i = 0; is_star && i < item.val.n; ++i) {
    TN_VEC_PUSH(out, ((tn_steps_item){.ast = ast, .val = item.val.items[i]}));
  }
  if (out->len > TN_STEPS_MAX_ITEMS) {
    tn_read_fail(s->r, ast, "too-large", NULL, "more than %d items in a list", TN_STEPS_MAX_ITEMS);
    return false;
  }
  return true;
}

static tn_val read_list(tn_steps *s, const tn_ast *ast) {
  tn_steps_items items = {0};
  tn_val out = tn_val_error();
  bool is_ok = true;
  for (uint32_t i = 0; is_ok && i < ast->n; ++i) {
    is_ok = tn_steps_add_items(s, ast->in[i], &items);
  }
  if (is_ok) {
    tn_val *vals = TN_ARENA_ARRAY(&s->r->arena, tn_val, items.len + 1);
    for (size_t i = 0; i < items.len; ++i) {
      vals[i] = items.data[i].val;
    }
    out = (tn_val){.kind = TN_VAL_LIST,
                   .is_tuple = ast->kind == TN_AST_TUPLE,
                   .n = (uint32_t)items.len,
                   .items = vals};
  }
  TN_VEC_DEINIT(&items);
  return out;
}

/* A bound of a slice as Python has it; false, reported. */
static bool slice_bound(tn_steps *s, const tn_ast *ast, int64_t n, int64_t fallback, int64_t *out) {
  *out = fallback;
  if (ast == NULL) {
    return true;
  }
  if (!tn_to_int(s->r, ast, tn_read_val(s->r, ast), out)) {
    return false;
  }
  *out = *out < 0 ? *out + n : *out;
  *out = *out < 0 ? 0 : *out > n ? n : *out;
  return true;
}

static tn_val read_slice(tn_steps *s, const tn_ast *ast) {
  const tn_ast *slice = ast->in[1];
  tn_val base = tn_read_val(s->r, ast->in[0]);
  int64_t lo = 0;
  int64_t hi = 0;
  if (tn_val_is_error(base)) {
    return base;
  }
  if (base.kind != TN_VAL_LIST || ast->n != 2) {
    return base.kind == TN_VAL_LIST
               ? tn_read_fail(s->r, ast, "wrong-index-count", NULL, "a list takes one slice")
               : tn_read_fail(s->r, ast, "wrong-index-count", NULL, "%s has no slices",
                              tn_val_what(base));
  }
  if (slice->in[2] != NULL) {
    return tn_read_fail(s->r, slice, "unsupported", NULL, "a slice with a step is not supported");
  }
  if (!slice_bound(s, slice->in[0], base.n, 0, &lo) ||
      !slice_bound(s, slice->in[1], base.n, base.n, &hi)) {
    return tn_val_error();
  }
  return tn_val_list(s->r, hi > lo ? (uint32_t)(hi - lo) : 0, base.items + (hi > lo ? lo : 0),
                     base.is_tuple);
}

/* ---- knobs ---- */

static bool is_same_number(tn_val a, tn_val b) {
  if (a.kind == TN_VAL_STR && b.kind == TN_VAL_STR) {
    return strcmp(a.text, b.text) == 0;
  }
  return a.kind == b.kind && a.u64 == b.u64 && a.kind != TN_VAL_LIST && a.kind != TN_VAL_NODE;
}

static bool is_choice(tn_val val, tn_val choices) {
  for (uint32_t i = 0; i < choices.n; ++i) {
    if (is_same_number(val, choices.items[i])) {
      return true;
    }
  }
  return false;
}

static tn_val refuse_choice(tn_steps *s, const tn_ast *at, const tn_node *choices) {
  tn_buf text = TN_BUF_INIT;
  tn_trace_print_value(NULL, choices, false, &text);
  tn_val v = tn_read_fail(s->r, at, "bad-knob", "a knob takes the values of its list: add it there",
                          "the value given to '%s' is none of %s", at->text, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return v;
}

/* knob("ty", [8, 16, 32]): the first, or what the caller chose. */
static tn_val read_knob(tn_steps *s, const tn_ast *call) {
  const tn_ast *args[2];
  if (!tn_bind_args(s->r, call, "name choices", args)) {
    return tn_val_error();
  }
  tn_val choices = tn_read_val(s->r, args[1]);
  if (tn_val_is_error(choices)) {
    return choices;
  }
  bool is_list = choices.kind == TN_VAL_LIST && choices.n > 0;
  for (uint32_t i = 0; is_list && i < choices.n; ++i) {
    is_list = choices.items[i].kind == TN_VAL_STR || tn_val_is_number(choices.items[i]);
  }
  if (args[0]->kind != TN_AST_STR || !is_list) {
    return tn_read_fail(s->r, call, "bad-knob", NULL,
                        "a knob has a name and values to choose from: knob(\"ty\", [8, 16, 32])");
  }
  for (size_t i = 0; i < s->opts->out_knobs->len; ++i) {
    if (strcmp(s->opts->out_knobs->data[i].name, args[0]->text) == 0) {
      return tn_read_fail(s->r, args[0], "bad-knob", "ty = knob(...) once, and then use ty",
                          "there is a knob '%s' already", args[0]->text);
    }
  }
  const tn_node *nodes = tn_to_attr(s->r, args[1], choices);
  tn_val val = choices.items[0];
  if (tn_find_define(s->r, args[0], &val) && !tn_val_is_error(val) && !is_choice(val, choices)) {
    return refuse_choice(s, args[0], nodes);
  }
  if (!tn_val_is_error(val) && nodes != NULL) {
    tn_sched_knob knob = {
        .name = args[0]->text, .choices = nodes, .value = tn_to_attr(s->r, args[0], val)};
    TN_VEC_PUSH(s->opts->out_knobs, knob);
  }
  return val;
}

/* ---- calls ---- */

static bool is_module(tn_steps *s, const tn_ast *ast) {
  if (ast->kind == TN_AST_NAME) {
    const tn_binding *binding = tn_scopes_find(&s->r->scopes, ast->text);
    return binding != NULL && binding->val.kind == TN_VAL_MODULE;
  }
  return ast->kind == TN_AST_ATTR && is_module(s, ast->in[0]);
}

/* tir.Schedule(mod): which program that is was said when the script was started. */
static tn_val read_schedule(tn_steps *s, const tn_ast *call) {
  const tn_ast *seed = tn_keyword(call, "seed");
  if (seed != NULL && !tn_steps_seed(s, seed)) {
    return tn_val_error();
  }
  return (tn_val){.kind = TN_VAL_MODULE};
}

static bool read_call(tn_steps *s, const tn_ast *call, tn_val *out) {
  const tn_ast *callee = call->in[0];
  if (callee->kind != TN_AST_NAME && callee->kind != TN_AST_ATTR) {
    return false;
  }
  if (strcmp(callee->text, "Schedule") == 0) {
    *out = read_schedule(s, call);
  } else if (callee->kind == TN_AST_ATTR && is_module(s, callee->in[0])) {
    *out = tn_steps_call(s, call, callee->text);
  } else if (callee->kind == TN_AST_NAME && strcmp(callee->text, "knob") == 0) {
    *out = read_knob(s, call);
  } else if (callee->kind == TN_AST_NAME && strcmp(callee->text, "len") == 0 && call->n == 2) {
    tn_val list = tn_read_val(s->r, call->in[1]);
    *out = list.kind == TN_VAL_LIST ? (tn_val){.kind = TN_VAL_INT, .i64 = list.n}
           : tn_val_is_error(list)
               ? list
               : tn_read_fail(s->r, call, "bad-step-argument", NULL, "len() is of a list");
  } else {
    return false;
  }
  return true;
}

/* ---- the hook ---- */

/* A sampled number, as the number itself where that is wanted. */
static tn_val as_number(const tn_steps *s, tn_val val) {
  int64_t value = 0;
  bool is_number = s->wants_numbers && tn_val_is_node(val, TN_OP_VAR) &&
                   tn_sched_value(s->sched, val.node, &value);
  return is_number ? (tn_val){.kind = TN_VAL_INT, .i64 = value} : val;
}

/* Names and items of lists. */
static bool read_plain(tn_steps *s, const tn_ast *ast, tn_val *out) {
  if (!s->wants_numbers) {
    return false;
  }
  s->plain = ast;
  *out = as_number(s, tn_read_val(s->r, ast));
  return true;
}

/* Reads by read_expr.c what is arithmetic. */
static bool read_arithmetic(tn_steps *s, const tn_ast *ast, tn_val *out) {
  if (s->wants_numbers) {
    return false;
  }
  s->wants_numbers = true;
  if (ast->kind == TN_AST_LAMBDA) {
    const tn_node *map = tn_read_index_map(s->r, ast, s->r->bare_int, tn_none(s->r->ir));
    *out = map == NULL ? tn_val_error() : tn_val_node(map);
  } else {
    *out = tn_read_val(s->r, ast);
  }
  s->wants_numbers = false;
  return true;
}

/* [a, b] + [c] */
static bool read_sum(tn_steps *s, const tn_ast *ast, tn_val *out) {
  if (ast->tok != TN_TOK_PLUS) {
    return read_arithmetic(s, ast, out);
  }
  bool kept = s->wants_numbers;
  s->wants_numbers = true;
  tn_val a = tn_read_val(s->r, ast->in[0]);
  tn_val b = tn_read_val(s->r, ast->in[1]);
  s->wants_numbers = kept;
  if (a.kind != TN_VAL_LIST || b.kind != TN_VAL_LIST) {
    *out = tn_apply_binary(s->r, ast, ast->tok, a, b);
    return true;
  }
  if (a.n + b.n > TN_STEPS_MAX_ITEMS) {
    *out = tn_read_fail(s->r, ast, "too-large", NULL, "more than %d items in a list",
                        TN_STEPS_MAX_ITEMS);
    return true;
  }
  tn_val *items = TN_ARENA_ARRAY(&s->r->arena, tn_val, a.n + b.n + 1);
  for (uint32_t i = 0; i < a.n + b.n; ++i) {
    items[i] = i < a.n ? a.items[i] : b.items[i - a.n];
  }
  *out = (tn_val){.kind = TN_VAL_LIST, .is_tuple = a.is_tuple, .n = a.n + b.n, .items = items};
  return true;
}

static bool has_star(const tn_ast *list) {
  for (uint32_t i = 0; i < list->n; ++i) {
    if (list->in[i]->kind == TN_AST_STAR) {
      return true;
    }
  }
  return false;
}

bool tn_steps_read(tn_reader *r, const tn_ast *ast, tn_val *out) {
  tn_steps *s = r->more;
  if (ast == s->plain) {
    s->plain = NULL;
    return false;
  }
  switch ((int)ast->kind) {
    case TN_AST_NAME:
      return read_plain(s, ast, out);
    case TN_AST_TEMPLATE: /* print(f"...") is passed over; nothing else makes texts */
      *out = tn_read_fail(r, ast, "bad-string-prefix", NULL,
                          "string prefix 'f' is not supported: write a plain string");
      return true;
    case TN_AST_BINARY:
      return read_sum(s, ast, out);
    case TN_AST_UNARY:
    case TN_AST_COMPARE:
    case TN_AST_BOOLOP:
    case TN_AST_COND:
    case TN_AST_LAMBDA:
      return read_arithmetic(s, ast, out);
    case TN_AST_CALL:
      return read_call(s, ast, out);
    case TN_AST_ATTR: /* sch.mod, sch.trace */
      *out = (tn_val){.kind = TN_VAL_MODULE};
      return is_module(s, ast);
    case TN_AST_INDEX:
      if (ast->in[1]->kind == TN_AST_SLICE) {
        *out = read_slice(s, ast);
        return true;
      }
      return read_plain(s, ast, out);
    case TN_AST_TUPLE:
    case TN_AST_LIST:
      if (has_star(ast)) {
        *out = read_list(s, ast);
        return true;
      }
      return false;
    default:
      return false;
  }
}
