/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Traces from JSON (the form is told in sched_json.c): steps are done as they are read, so that
 * names stand for what the steps before gave. */
#include <ctype.h>
#include <string.h>

#include "base/check.h"
#include "files/json.h"
#include "script/sched_json.h"
#include "script/sched_names.h"
#include "script/sched_script.h"

typedef struct replay {
  tn_ir *ir;
  tn_sched *sched;
  tn_strmap names; /* "b0" -> the handle */
  const tn_json *decisions;
  size_t i_step;
} replay;

/* ---- kinds ---- */

/* "GetBlock", "GetSBlock" and "RFactor" against get_block and rfactor. */
static bool is_kind_of(const char *kind, const char *name) {
  for (; *name != '\0'; ++name) {
    if (*name == '_') {
      continue;
    }
    if (strncmp(kind, "SBlock", 6) == 0 && *name == 'b') {
      ++kind;
    }
    if (tolower((unsigned char)*kind) != *name) {
      return false;
    }
    ++kind;
  }
  return *kind == '\0';
}

static tn_status find_prim(const char *kind, const tn_prim **out_prim) {
  uint32_t n = 0;
  const tn_prim *all = tn_prim_all(&n);
  for (uint32_t i = 0; i < n; ++i) {
    if (is_kind_of(kind, all[i].name)) {
      *out_prim = &all[i];
      return NULL;
    }
  }
  for (uint32_t i = 0; tn_unsafe_step(i) != NULL; ++i) {
    if (is_kind_of(kind, tn_unsafe_step(i))) {
      return TN_ERR(TN_UNSUPPORTED, "'%s' changes a program without proof, and is not done", kind);
    }
  }
  return TN_ERR(TN_NOT_FOUND, "a schedule has no step '%s'", kind);
}

/* ---- values ---- */

static tn_status to_node(replay *r, const tn_json *value, const char *type, bool is_input,
                         const tn_node **out);

/* A name, a text in quotes, or None among inputs. */
static tn_status text_to_node(replay *r, const char *text, size_t len, const char *type,
                              bool is_input, const tn_node **out) {
  if (memchr(text, '\0', len) != NULL) {
    return TN_ERR(TN_CORRUPT, "a text with a NUL in it");
  }
  if (!is_input && strcmp(type, "index_map") == 0) {
    *out = tn_sched_parse_index_map(r->ir, text);
    return *out != NULL ? NULL : TN_ERR(TN_CORRUPT, "'%s' is no index map", text);
  }
  if (strncmp(type, "value", 5) == 0 && strncmp(text, "T.", 2) == 0) {
    *out = tn_sched_parse_number(r->ir, text);
    return *out != NULL ? NULL : TN_ERR(TN_CORRUPT, "'%s' is no number", text);
  }
  if (!is_input) {
    *out = tn_str(r->ir, text);
  } else if (len >= 2 && text[0] == '"' && text[len - 1] == '"') {
    *out = tn_str(r->ir, tn_ir_text_n(r->ir, text + 1, len - 2));
  } else if (strcmp(text, "None") == 0) {
    *out = tn_none(r->ir);
  } else {
    *out = tn_strmap_find(&r->names, text);
    return *out != NULL ? NULL : TN_ERR(TN_CORRUPT, "no step before gave '%s'", text);
  }
  return NULL;
}

static tn_status number_to_node(replay *r, const tn_json *value, const char *type,
                                const tn_node **out) {
  int64_t i64 = 0;
  double f64 = 0;
  if (tn_json_int(value, &i64)) {
    bool is_flag = strcmp(type, "bool") == 0 && (i64 == 0 || i64 == 1);
    *out = is_flag ? tn_bool(r->ir, i64 == 1)
                   : tn_int(r->ir, i64 == (int32_t)i64 ? TN_DT_I32 : TN_DT_I64, i64);
    return NULL;
  }
  (void)tn_json_float(value, &f64);
  *out = tn_float(r->ir, strncmp(type, "value", 5) == 0 ? TN_DT_F32 : TN_DT_F64, f64);
  return NULL;
}

static tn_status list_to_node(replay *r, const tn_json *list, size_t first, const char *type,
                              bool is_input, const tn_node **out) {
  tn_status st = NULL;
  TN_VEC(const tn_node *) items = {0};
  for (size_t i = first; i < tn_json_size(list); ++i) {
    const tn_node *item = NULL;
    TN_GOTO(st, to_node(r, tn_json_at(list, i), type, is_input, &item), done);
    TN_VEC_PUSH(&items, item);
  }
  *out = tn_list(r->ir, (uint32_t)items.len, items.data);
done:
  TN_VEC_DEINIT(&items);
  return st;
}

static tn_status object_to_node(replay *r, const tn_json *object, const char *type, bool is_input,
                                const tn_node **out) {
  tn_status st = NULL;
  TN_VEC(const tn_node *) items = {0};
  for (const char *key = NULL; (key = tn_json_next_key(object, key)) != NULL;) {
    const tn_node *item = NULL;
    TN_GOTO(st, to_node(r, tn_json_get(object, key), type, is_input, &item), done);
    TN_VEC_PUSH(&items, tn_str(r->ir, key));
    TN_VEC_PUSH(&items, item);
  }
  *out = tn_node_new(r->ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, (uint32_t)items.len, items.data);
done:
  TN_VEC_DEINIT(&items);
  return st;
}

static tn_status to_node(replay *r, const tn_json *value, const char *type, bool is_input,
                         const tn_node **out) {
  size_t len = 0;
  const char *text = tn_json_text(value, &len);
  switch (tn_json_kind_of(value)) {
    case TN_JSON_TEXT:
      return text_to_node(r, text, len, type, is_input, out);
    case TN_JSON_NUMBER:
      return number_to_node(r, value, type, out);
    case TN_JSON_TRUE:
    case TN_JSON_FALSE:
      *out = tn_bool(r->ir, tn_json_kind_of(value) == TN_JSON_TRUE);
      return NULL;
    case TN_JSON_ARRAY:
      return list_to_node(r, value, 0, type, is_input, out);
    case TN_JSON_NULL:
      *out = tn_none(r->ir);
      return NULL;
    case TN_JSON_OBJECT:
      return object_to_node(r, value, type, is_input, out);
  }
  TN_UNREACHABLE();
}

/* ---- arguments ---- */

typedef struct cursor {
  const tn_json *inputs;
  const tn_json *attrs;
  size_t i_input;
  size_t i_attr;
} cursor;

static tn_status read_buffer(replay *r, cursor *c, const char *type, const tn_node **out) {
  const tn_json *which = tn_json_at(c->attrs, c->i_attr + 1);
  const tn_node *index = NULL;
  int64_t is_write = 0;
  TN_TRY(to_node(r, tn_json_at(c->attrs, c->i_attr), type, false, &index));
  c->i_attr += 2;
  if (!tn_json_int(which, &is_write)) {
    *out = index;
    return NULL;
  }
  const tn_node *pair[2] = {tn_str(r->ir, is_write != 0 ? "write" : "read"), index};
  *out = tn_list(r->ir, 2, pair);
  return NULL;
}

static const tn_json *decision_of(const replay *r) {
  for (size_t i = 0; i < tn_json_size(r->decisions); ++i) {
    const tn_json *pair = tn_json_at(r->decisions, i);
    int64_t i_step = -1;
    if (tn_json_int(tn_json_at(pair, 0), &i_step) && (size_t)i_step == r->i_step) {
      return tn_json_at(pair, 1);
    }
  }
  return NULL;
}

/* NULL stays where the trace is older than the parameter: then the default holds. */
static tn_status read_arg(replay *r, cursor *c, const tn_prim_param *p, const tn_node **out) {
  const tn_json *value = NULL;
  switch (tn_trace_place_of(p)) {
    case TN_PLACE_INPUT:
      value = tn_json_at(c->inputs, c->i_input++);
      if (value == NULL) {
        return NULL;
      }
      TN_TRY(to_node(r, value, p->type, true, out));
      bool is_empty = tn_is(*out, TN_OP_LIST) && (*out)->n_in == 0;
      *out = is_empty && strstr(p->type, "None") != NULL ? tn_none(r->ir) : *out;
      return NULL;
    case TN_PLACE_SPREAD: {
      size_t first = c->i_input;
      c->i_input = tn_json_size(c->inputs);
      return list_to_node(r, c->inputs, first, p->type, true, out);
    }
    case TN_PLACE_ATTR:
      value = tn_json_at(c->attrs, c->i_attr++);
      return value == NULL ? NULL : to_node(r, value, p->type, false, out);
    case TN_PLACE_BUFFER:
      return tn_json_at(c->attrs, c->i_attr) == NULL ? NULL : read_buffer(r, c, p->type, out);
    case TN_PLACE_DECISION:
      value = decision_of(r);
      return value == NULL ? NULL : to_node(r, value, p->type, false, out);
  }
  TN_UNREACHABLE();
}

/* ---- steps ---- */

/* Names what came out; the trace must have as many names as there are results. */
static tn_status name_outs(replay *r, const tn_json *outs, const tn_node *out, size_t *at) {
  if (tn_is(out, TN_OP_LIST)) {
    for (uint32_t i = 0; i < out->n_in; ++i) {
      TN_TRY(name_outs(r, outs, out->in[i], at));
    }
    return NULL;
  }
  if (!tn_is(out, TN_OP_VAR) && !tn_is(out, TN_OP_LABEL)) {
    return NULL;
  }
  size_t len = 0;
  const char *name = tn_json_text(tn_json_at(outs, (*at)++), &len);
  if (name != NULL) {
    /* the map is only read back as what it is here: a const node */
    tn_strmap_set(&r->names, name, (void *)(uintptr_t)out);
  }
  return NULL;
}

static tn_status run_step(replay *r, const tn_json *step) {
  size_t len = 0;
  const char *kind = tn_json_text(tn_json_at(step, 0), &len);
  const tn_prim *prim = NULL;
  if (kind == NULL || tn_json_size(step) != 4) {
    return TN_ERR(TN_CORRUPT, "a step is [kind, [inputs], [attributes], [outputs]]");
  }
  TN_TRY(find_prim(kind, &prim));
  tn_prim_param params[TN_PRIM_MAX_PARAMS];
  const tn_node *args[TN_PRIM_MAX_PARAMS] = {0};
  uint32_t n = tn_prim_params(prim, params);
  cursor c = {.inputs = tn_json_at(step, 1), .attrs = tn_json_at(step, 2)};
  for (uint32_t i = 0; i < n; ++i) {
    TN_TRY_MSG(read_arg(r, &c, &params[i], &args[i]), "%s: '%s'", prim->name, params[i].name);
  }
  if (c.i_input < tn_json_size(c.inputs)) {
    return TN_ERR(TN_CORRUPT, "%s takes %zu inputs, not %zu", prim->name, c.i_input,
                  tn_json_size(c.inputs));
  }
  const tn_node *out = NULL;
  TN_TRY(tn_sched_apply(r->sched, prim, n, args, &out));
  const tn_json *outs = tn_json_at(step, 3);
  size_t n_outs = 0;
  TN_TRY(name_outs(r, outs, out, &n_outs));
  if (n_outs != tn_json_size(outs)) {
    return TN_ERR(TN_INVALID, "%s gives %zu results here, and %zu in the trace", prim->name, n_outs,
                  tn_json_size(outs));
  }
  return NULL;
}

static void tell(const replay *r, const tn_sched_script_opts *opts) {
  uint32_t i = tn_sched_n_steps(r->sched) - 1;
  if (opts != NULL && opts->after_step != NULL &&
      tn_sched_step_at(r->sched, i)->prim->kind == TN_PRIM_STEP) {
    tn_buf text = TN_BUF_INIT;
    tn_sched_trace_print_step(r->sched, i, &text);
    opts->after_step(opts->ctx, r->sched, tn_buf_text(&text));
    tn_buf_deinit(&text);
  }
}

tn_status tn_sched_trace_run_json(const char *text, size_t len, const tn_sched_script_opts *opts,
                                  tn_sched *sched) {
  tn_status st = NULL;
  tn_json *root = NULL;
  TN_TRY(tn_json_parse(text, len, &root));
  replay r = {.ir = tn_sched_ir(sched), .sched = sched, .decisions = tn_json_at(root, 1)};
  const tn_json *steps = tn_json_at(root, 0);
  if (tn_json_kind_of(root) != TN_JSON_ARRAY || tn_json_size(root) != 2 ||
      tn_json_kind_of(steps) != TN_JSON_ARRAY) {
    st = TN_ERR(TN_CORRUPT, "a trace is [[steps], [decisions]]");
  }
  for (; st == NULL && r.i_step < tn_json_size(steps); ++r.i_step) {
    st = tn_status_wrap(run_step(&r, tn_json_at(steps, r.i_step)), "step %zu", r.i_step + 1);
    if (st == NULL) {
      tell(&r, opts);
    }
  }
  tn_strmap_deinit(&r.names);
  tn_json_free(root);
  return st == NULL ? tn_ir_status(r.ir) : st;
}
