/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* One step of a schedule script: its arguments are matched with the primitive's row and become
 * nodes, the schedule does it, and what it refuses is told where the call stands. */
#include <string.h>

#include "script/sched_names.h"
#include "script/sched_reader.h"

/* ---- names ---- */

static bool is_unsafe(const char *name) {
  uint32_t i = 0;
  while (tn_unsafe_step(i) != NULL && strcmp(name, tn_unsafe_step(i)) != 0) {
    ++i;
  }
  return tn_unsafe_step(i) != NULL;
}

/* get_sblock is how get_block was spelled later; so with the others. */
static const char *plain_name(tn_ir *ir, const char *name) {
  const char *at = strstr(name, "sblock");
  if (at == NULL) {
    return name;
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_append(&text, name, (size_t)(at - name));
  tn_buf_puts(&text, at + 1);
  const char *plain = tn_ir_text(ir, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return plain;
}

static tn_val unknown_step(tn_steps *s, const tn_ast *call, const char *name) {
  if (is_unsafe(name)) {
    return tn_read_fail(s->r, call->in[0], "unsafe-step", NULL,
                        "'%s' changes a program without proof, and is not done", name);
  }
  uint32_t n = 0;
  const tn_prim *all = tn_prim_all(&n);
  TN_VEC(const char *) names = {0};
  for (uint32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&names, all[i].name);
  }
  char *hint = tn_near_of(name, names.data, names.len);
  TN_VEC_DEINIT(&names);
  tn_val v =
      tn_read_fail(s->r, call->in[0], "unknown-step", hint, "a schedule has no step '%s'", name);
  free(hint);
  return v;
}

/* ---- values as nodes ---- */

static const tn_node *to_node(tn_steps *s, const tn_ast *at, tn_val val, const char *type);

/* Where a block is wanted its name will do. NULL, reported. */
static const tn_node *block_named(tn_steps *s, const tn_ast *at, const char *name) {
  const tn_node *args[2] = {tn_str(s->r->ir, name),
                            s->work_on != NULL ? tn_str(s->r->ir, s->work_on) : NULL};
  const tn_node *block = NULL;
  tn_status st = tn_sched_apply(s->sched, tn_prim_find("get_block"), 2, args, &block);
  return tn_read_ok(s->r, at, "step-refused", st) ? block : NULL;
}

static const tn_node *list_node(tn_steps *s, const tn_ast *at, tn_val val, const char *type) {
  const tn_node **nodes = TN_ARENA_ARRAY(&s->r->arena, const tn_node *, val.n + 1);
  for (uint32_t i = 0; i < val.n; ++i) {
    nodes[i] = to_node(s, at, val.items[i], type);
    if (nodes[i] == NULL) {
      return NULL;
    }
  }
  return tn_list(s->r->ir, val.n, nodes);
}

static const tn_node *to_node(tn_steps *s, const tn_ast *at, tn_val val, const char *type) {
  tn_ir *ir = s->r->ir;
  if (++s->n_converted > TN_STEPS_MAX_ITEMS) { /* lists of lists may grow beyond all bounds */
    tn_read_fail(s->r, at, "too-large", NULL, "more than %d items in the arguments of a step",
                 TN_STEPS_MAX_ITEMS);
    return NULL;
  }
  switch (val.kind) {
    case TN_VAL_INT:
      return tn_int(ir, val.i64 == (int32_t)val.i64 ? TN_DT_I32 : TN_DT_I64, val.i64);
    case TN_VAL_FLOAT:
      return strncmp(type, "value", 5) == 0 ? tn_to_attr(s->r, at, val)
                                            : tn_float(ir, TN_DT_F64, val.f64);
    case TN_VAL_STR:
      return strstr(type, "block") != NULL && strstr(type, "str") == NULL
                 ? block_named(s, at, val.text)
                 : tn_str(ir, val.text);
    case TN_VAL_LIST:
      return list_node(s, at, val, type);
    case TN_VAL_MODULE:
      tn_read_fail(s->r, at, "bad-step-argument", NULL, "the schedule is no argument of a step");
      return NULL;
    default:
      return tn_to_attr(s->r, at, val);
  }
}

static tn_val to_val(tn_steps *s, const tn_node *out) {
  if (tn_is_none(out)) {
    return tn_val_void();
  }
  if (tn_is(out, TN_OP_INT)) {
    return (tn_val){.kind = out->dtype == TN_DT_BOOL ? TN_VAL_BOOL : TN_VAL_INT,
                    .i64 = out->attr.i64};
  }
  if (!tn_is(out, TN_OP_LIST)) {
    return tn_val_node(out);
  }
  tn_val *items = TN_ARENA_ARRAY(&s->r->arena, tn_val, out->n_in + 1);
  for (uint32_t i = 0; i < out->n_in; ++i) {
    items[i] = to_val(s, out->in[i]);
  }
  return (tn_val){.kind = TN_VAL_LIST, .n = out->n_in, .items = items};
}

/* ---- arguments ---- */

typedef struct step_args {
  const tn_prim *prim;
  uint32_t n;
  tn_prim_param params[TN_PRIM_MAX_PARAMS];
  const tn_node *nodes[TN_PRIM_MAX_PARAMS]; /* NULL: not given */
} step_args;

static bool no_such_keyword(tn_steps *s, const tn_ast *at, const step_args *a) {
  const char *names[TN_PRIM_MAX_PARAMS];
  for (uint32_t i = 0; i < a->n; ++i) {
    names[i] = a->params[i].name;
  }
  char *hint = tn_near_of(at->text, names, a->n);
  tn_read_fail(s->r, at, "bad-step-argument", hint, "%s takes no '%s'; it takes (%s)",
               a->prim->name, at->text, a->prim->params);
  free(hint);
  return false;
}

static bool set_arg(tn_steps *s, const tn_ast *at, step_args *a, uint32_t i, tn_val val) {
  if (a->nodes[i] != NULL) {
    tn_read_fail(s->r, at, "bad-step-argument", NULL, "%s: '%s' is given twice", a->prim->name,
                 a->params[i].name);
    return false;
  }
  a->nodes[i] = to_node(s, at, val, a->params[i].type);
  return a->nodes[i] != NULL;
}

static bool read_keyword(tn_steps *s, const tn_ast *at, step_args *a) {
  const char *name = plain_name(s->r->ir, at->text);
  uint32_t i = 0;
  while (i < a->n && strcmp(a->params[i].name, name) != 0) {
    ++i;
  }
  if (i == a->n) {
    return no_such_keyword(s, at, a);
  }
  tn_steps_items items = {0};
  bool is_ok = tn_steps_add_items(s, at->in[0], &items) && set_arg(s, at, a, i, items.data[0].val);
  TN_VEC_DEINIT(&items);
  return is_ok;
}

/* The positional ones; "*loops" takes all that are left. */
static bool set_positional(tn_steps *s, const tn_ast *call, step_args *a,
                           const tn_steps_items *items) {
  for (size_t k = 0; k < items->len; ++k) {
    if (k < a->n && a->params[k].is_rest) {
      tn_val *vals = TN_ARENA_ARRAY(&s->r->arena, tn_val, items->len);
      for (size_t j = k; j < items->len; ++j) {
        vals[j - k] = items->data[j].val;
      }
      tn_val rest = {.kind = TN_VAL_LIST, .n = (uint32_t)(items->len - k), .items = vals};
      bool is_list = rest.n == 1 && vals[0].kind == TN_VAL_LIST;
      return set_arg(s, items->data[k].ast, a, (uint32_t)k, is_list ? vals[0] : rest);
    }
    if (k >= a->n) {
      tn_read_fail(s->r, call, "bad-step-argument", NULL, "%s takes (%s), and %zu came",
                   a->prim->name, a->prim->params, items->len);
      return false;
    }
    if (!set_arg(s, items->data[k].ast, a, (uint32_t)k, items->data[k].val)) {
      return false;
    }
  }
  return true;
}

static bool read_args(tn_steps *s, const tn_ast *call, step_args *a) {
  tn_steps_items items = {0};
  bool is_ok = true;
  for (uint32_t i = 1; is_ok && i < call->n; ++i) {
    is_ok = call->in[i]->kind == TN_AST_KEYWORD || tn_steps_add_items(s, call->in[i], &items);
  }
  is_ok = is_ok && set_positional(s, call, a, &items);
  for (uint32_t i = 1; is_ok && i < call->n; ++i) {
    is_ok = call->in[i]->kind != TN_AST_KEYWORD || read_keyword(s, call->in[i], a);
  }
  TN_VEC_DEINIT(&items);
  return is_ok;
}

/* ---- doing ---- */

/* What was refused, where its call stands; the hint stands in the message behind a mark. */
static tn_val refused(tn_steps *s, const tn_ast *call, tn_status st) {
  static const char mark[] = "\n  hint: ";
  const char *message = tn_status_message(st);
  const char *hint = strstr(message, mark);
  size_t len = hint != NULL ? (size_t)(hint - message) : strlen(message);
  tn_val v = tn_read_fail(s->r, call, "step-refused", hint != NULL ? hint + strlen(mark) : NULL,
                          "%.*s", (int)len, message);
  tn_status_free(st);
  return v;
}

/* The statement's first line, for those who follow step by step. */
static const char *stmt_text(tn_steps *s) {
  const char *at = s->text;
  const char *end = s->text + s->len;
  for (uint32_t line = 1; line < s->stmt->line && at < end; ++line) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline == NULL ? end : newline + 1;
  }
  while (at < end && (*at == ' ' || *at == '\t')) {
    ++at;
  }
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  return tn_ir_text_n(s->r->ir, at, (size_t)((newline == NULL ? end : newline) - at));
}

static bool choose_func(tn_steps *s, const tn_ast *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(s->r, call, "func_name", args)) {
    return false;
  }
  const char *name = tn_to_str(s->r, args[0], tn_read_val(s->r, args[0]));
  if (name == NULL ||
      !tn_read_ok(s->r, args[0], "step-refused", tn_sched_work_on(s->sched, name))) {
    return false;
  }
  s->work_on = tn_ir_text(s->r->ir, name);
  return true;
}

bool tn_steps_seed(tn_steps *s, const tn_ast *value) {
  int64_t seed = 0;
  tn_val val = tn_read_val(s->r, value);
  if (val.kind == TN_VAL_NONE) {
    return true;
  }
  if (!tn_to_int(s->r, value, val, &seed)) {
    return false;
  }
  tn_sched_seed(s->sched, (uint64_t)seed);
  return true;
}

/* Methods that are no primitives. False: it is none of them. */
static bool other_method(tn_steps *s, const tn_ast *call, const char *name, tn_val *out) {
  const tn_ast *args[1];
  bool is_ok = true;
  if (strcmp(name, "work_on") == 0) {
    is_ok = choose_func(s, call);
  } else if (strcmp(name, "seed") == 0) {
    is_ok = tn_bind_args(s->r, call, "seed", args) && tn_steps_seed(s, args[0]);
  } else {
    return false;
  }
  *out = is_ok ? tn_val_void() : tn_val_error();
  return true;
}

tn_val tn_steps_call(tn_steps *s, const tn_ast *call, const char *method) {
  tn_val other;
  const char *name = plain_name(s->r->ir, method);
  step_args a = {.prim = tn_prim_find(name)};
  if (a.prim == NULL) {
    return other_method(s, call, name, &other) ? other : unknown_step(s, call, name);
  }
  a.n = tn_prim_params(a.prim, a.params);
  s->n_converted = 0;
  if (!read_args(s, call, &a)) {
    return tn_val_error();
  }
  bool is_get_block = strcmp(name, "get_block") == 0;
  if (is_get_block && a.nodes[1] == NULL && s->work_on != NULL) {
    a.nodes[1] = tn_str(s->r->ir, s->work_on); /* so that the trace needs no work_on */
  }
  const tn_node *out = NULL;
  tn_status st = tn_sched_apply(s->sched, a.prim, a.n, a.nodes, &out);
  if (st != NULL) {
    return refused(s, call, st);
  }
  if (a.prim->kind == TN_PRIM_STEP && s->opts->after_step != NULL) {
    s->opts->after_step(s->opts->ctx, s->sched, stmt_text(s));
  }
  return to_val(s, out);
}
