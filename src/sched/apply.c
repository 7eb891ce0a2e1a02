/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Doing a step: arguments are checked against the primitive's row, the primitive runs, and the trace
 * grows by it. Whatever fails puts the old program back. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sched/sched_priv.h"

typedef tn_status (*prim_fn)(tn_sched *s, tn_prim_call *call);

static const tn_prim prims[] = {
#define PRIM(name, kind, params, result, doc) {#name, TN_PRIM_##kind, params, result, doc},
#include "sched/prims.def"
#undef PRIM
};
static const prim_fn prim_fns[] = {
#define PRIM(name, kind, params, result, doc) tn_prim_##name,
#include "sched/prims.def"
#undef PRIM
};
enum { N_PRIMS = sizeof prims / sizeof *prims };

const tn_prim *tn_prim_all(uint32_t *out_n) {
  *out_n = N_PRIMS;
  return prims;
}

const tn_prim *tn_prim_find(const char *name) {
  for (size_t i = 0; i < N_PRIMS; ++i) {
    if (strcmp(prims[i].name, name) == 0) {
      return &prims[i];
    }
  }
  return NULL;
}

/* ---- parameters ---- */

/* Copies the text up to one of the `ends` that stands outside of brackets; returns what follows it. */
static const char *take(const char *text, const char *ends, char *out, size_t cap) {
  size_t len = 0;
  int32_t depth = 0;
  text += strspn(text, " ");
  while (*text != '\0' && (depth > 0 || strchr(ends, *text) == NULL)) {
    depth += (*text == '[') - (*text == ']');
    TN_ASSERT(len + 1 < cap, "rows of prims.def fit");
    out[len++] = *text++;
  }
  while (len > 0 && out[len - 1] == ' ') {
    --len;
  }
  out[len] = '\0';
  return text;
}

uint32_t tn_prim_params(const tn_prim *prim, tn_prim_param out[TN_PRIM_MAX_PARAMS]) {
  uint32_t n = 0;
  const char *text = prim->params;
  while (*text != '\0') {
    tn_prim_param *p = &out[n++];
    *p = (tn_prim_param){0};
    text += strspn(text, " ,");
    p->is_rest = *text == '*';
    text = take(text + p->is_rest, ":", p->name, sizeof p->name);
    text = take(text + 1, "=,", p->type, sizeof p->type);
    if (*text == '=') {
      text = take(text + 1, ",", p->default_text, sizeof p->default_text);
    }
  }
  return n;
}

static const tn_node *default_value(tn_ir *ir, const tn_prim_param *p) {
  if (strcmp(p->default_text, "None") == 0) {
    return tn_none(ir);
  }
  if (strcmp(p->default_text, "True") == 0 || strcmp(p->default_text, "False") == 0) {
    return tn_bool(ir, p->default_text[0] == 'T');
  }
  return tn_int(ir, TN_DT_I32, strtoll(p->default_text, NULL, 10));
}

/* ---- does a value have a type? ---- */

static bool has_type(const tn_node *v, const char *type);

/* What a note may hold: no handles, which would be variables without a loop. */
static bool is_value(const tn_node *v) {
  bool is_ok = tn_is(v, TN_OP_INT) || tn_is(v, TN_OP_FLOAT) || tn_is(v, TN_OP_STR) ||
               tn_is(v, TN_OP_LIST) || tn_is(v, TN_OP_DICT);
  for (uint32_t i = 0; is_ok && i < v->n_in; ++i) {
    is_ok = is_value(v->in[i]) || tn_is_none(v->in[i]);
  }
  return is_ok;
}

static bool has_simple_type(const tn_node *v, const char *type) {
  if (strcmp(type, "block") == 0) {
    return tn_is(v, TN_OP_LABEL);
  }
  if (strcmp(type, "loop") == 0) {
    return tn_is(v, TN_OP_VAR);
  }
  if (strcmp(type, "bool") == 0) {
    return tn_is(v, TN_OP_INT) && v->dtype == TN_DT_BOOL;
  }
  if (strcmp(type, "int") == 0) {
    return tn_is(v, TN_OP_INT) && v->dtype != TN_DT_BOOL;
  }
  if (strcmp(type, "float") == 0) {
    return tn_is(v, TN_OP_FLOAT) || has_simple_type(v, "int");
  }
  if (strcmp(type, "str") == 0) {
    return tn_is(v, TN_OP_STR);
  }
  if (strcmp(type, "None") == 0) {
    return tn_is_none(v);
  }
  if (strcmp(type, "index_map") == 0) {
    return tn_is(v, TN_OP_LAMBDA);
  }
  if (strcmp(type, "value") == 0) {
    return is_value(v);
  }
  if (strcmp(type, "buffer") == 0) {
    return has_simple_type(v, "int") || tn_is(v, TN_OP_STR) ||
           (tn_is(v, TN_OP_LIST) && v->n_in == 2 && tn_is(v->in[0], TN_OP_STR) &&
            has_simple_type(v->in[1], "int"));
  }
  TN_ASSERT(false, "prims.def uses known types");
  return false;
}

static bool has_type(const tn_node *v, const char *type) {
  char one[32];
  while (*type != '\0') {
    type = take(type, "|", one, sizeof one);
    type += *type == '|';
    size_t len = strlen(one);
    if (strncmp(one, "list[", 5) != 0) {
      if (has_simple_type(v, one)) {
        return true;
      }
      continue;
    }
    one[len - 1] = '\0';
    bool is_list = tn_is(v, TN_OP_LIST);
    for (uint32_t i = 0; is_list && i < v->n_in; ++i) {
      is_list = has_type(v->in[i], one + 5);
    }
    if (is_list) {
      return true;
    }
  }
  return false;
}

/* ---- what is wrong with a value ---- */

static void put_value(tn_buf *out, const tn_node *v) {
  if (tn_is(v, TN_OP_LIST)) {
    tn_buf_printf(out, "a list of %u", v->n_in);
  } else if (tn_is(v, TN_OP_LABEL) || tn_is(v, TN_OP_VAR)) {
    tn_buf_printf(out, "%s '%s'", tn_is(v, TN_OP_VAR) ? "loop" : "block", v->attr.text);
  } else if (tn_is(v, TN_OP_INT) && v->dtype == TN_DT_BOOL) {
    tn_buf_puts(out, v->attr.i64 != 0 ? "True" : "False");
  } else if (tn_is(v, TN_OP_INT)) {
    tn_buf_printf(out, "the number %lld", (long long)v->attr.i64);
  } else if (tn_is(v, TN_OP_FLOAT)) {
    tn_buf_printf(out, "the number %g", v->attr.f64);
  } else if (tn_is(v, TN_OP_STR)) {
    tn_buf_printf(out, "the text '%s'", v->attr.text);
  } else {
    tn_buf_puts(out, tn_is_none(v)            ? "None"
                     : tn_is(v, TN_OP_LAMBDA) ? "an index map"
                     : tn_is(v, TN_OP_DICT)   ? "a dict"
                                              : "an expression");
  }
}

/* The first item that has not the type of the list's items; NULL when `v` is no list for them. */
static const tn_node *wrong_item(const tn_node *v, const char *type) {
  char one[32];
  const char *list = strstr(type, "list[");
  if (list == NULL || !tn_is(v, TN_OP_LIST)) {
    return NULL;
  }
  (void)take(list, "|", one, sizeof one);
  one[strlen(one) - 1] = '\0';
  for (uint32_t i = 0; i < v->n_in; ++i) {
    if (!has_type(v->in[i], one + 5)) {
      return v->in[i];
    }
  }
  return NULL;
}

/* What a type of prims.def means; NULL where its name says it. */
static const char *meaning(const char *type) {
  static const struct {
    const char *type;
    const char *text;
  } all[] = {
      {"loop",
       "sch.get_loops(block) gives a block's loops, outermost first: take one of that list"},
      {"block", "sch.get_block(\"name\") gives a block"},
      {"list[loop]", "sch.get_loops(block) gives a list of loops"},
      {"list[block]", "a list of what sch.get_block(\"name\") gives"},
      {"index_map", "lambda i, j: (j, i) is an index map"},
      {"buffer", "a buffer is its number among what the block reads or writes, or its name"},
  };
  size_t len = strcspn(type, "|");
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    if (strlen(all[i].type) == len && strncmp(type, all[i].type, len) == 0) {
      return all[i].text;
    }
  }
  return NULL;
}

static tn_status wrong_type(tn_sched *s, const tn_prim_param *p, const tn_node *v) {
  tn_buf given = TN_BUF_INIT;
  const tn_node *item = wrong_item(v, p->type);
  put_value(&given, v);
  if (item != NULL) {
    tn_buf_puts(&given, ", with ");
    put_value(&given, item);
    tn_buf_puts(&given, " in it");
  }
  tn_status st = (tn_refuse)(s, NULL, meaning(p->type), "'%s' must be %s, not %s", p->name, p->type,
                             tn_buf_text(&given));
  tn_buf_deinit(&given);
  return st;
}

/* Kinds of memory, alone or with a name of one's own behind a dot ("global.weights"). */
static tn_status check_scope(tn_sched *s, const tn_node *scope) {
  static const char *const known[] = {"global",
                                      "shared",
                                      "shared.dyn",
                                      "local",
                                      "warp",
                                      "texture",
                                      "vtcm",
                                      "wmma.matrix_a",
                                      "wmma.matrix_b",
                                      "wmma.accumulator",
                                      "amx.tmm",
                                      "m16n8k8.matrixA",
                                      "m16n8k8.matrixB",
                                      "m16n8k8.matrixC"};
  enum { N_KNOWN = sizeof known / sizeof *known };
  static const char plain[] =
      "\"global\" is ordinary memory, \"local\" a thread's own; a name of your "
      "own goes behind: \"global.weights\"";
  const char *text = scope->attr.text;
  if (text[0] == '\0') {
    return (tn_refuse)(s, NULL, plain, "the storage scope is empty");
  }
  for (size_t i = 0; i < N_KNOWN; ++i) {
    size_t len = strlen(known[i]);
    if (strncmp(text, known[i], len) == 0 && (text[len] == '\0' || text[len] == '.')) {
      return NULL;
    }
  }
  const char *near = tn_near_name(text, known, N_KNOWN);
  char hint[128];
  (void)snprintf(hint, sizeof hint, "did you mean '%s'?", near != NULL ? near : "");
  return (tn_refuse)(s, NULL, near != NULL ? hint : plain, "there is no storage scope '%s'", text);
}

/* ---- handles ---- */

/* The step after which a handle was no more; -1 when it never was one. */
static tn_status gone(tn_sched *s, const tn_node *handle) {
  const char *kind = tn_is(handle, TN_OP_VAR) ? "loop" : "block";
  for (size_t i = s->steps.len; i > 0; --i) {
    const tn_node *args = s->steps.data[i - 1].args;
    for (uint32_t k = 0; k < args->n_in; ++k) {
      bool is_used = args->in[k] == handle;
      for (uint32_t j = 0; tn_is(args->in[k], TN_OP_LIST) && j < args->in[k]->n_in; ++j) {
        is_used = is_used || args->in[k]->in[j] == handle;
      }
      if (is_used) {
        return TN_ERR(TN_INVALID,
                      "the %s '%s' is no longer there: step %zu, %s, was the last to use it", kind,
                      handle->attr.text, i, s->steps.data[i - 1].prim->name);
      }
    }
  }
  return TN_ERR(TN_INVALID, "the %s '%s' is not part of this program", kind, handle->attr.text);
}

static tn_status check_handles(tn_sched *s, const tn_node *v) {
  if (tn_is(v, TN_OP_LIST)) {
    for (uint32_t i = 0; i < v->n_in; ++i) {
      TN_TRY(check_handles(s, v->in[i]));
    }
    return NULL;
  }
  if (tn_sched_value(s, v, NULL)) {
    return NULL;
  }
  if ((tn_is(v, TN_OP_VAR) || tn_is(v, TN_OP_LABEL)) &&
      tn_sched_tree(s, tn_sched_current(s, v)) == NULL) {
    return gone(s, v);
  }
  return NULL;
}

/* ---- refusing ---- */

/* in parentheses: a build with tests/mute.h has a macro of that name */
tn_status(tn_refuse)(tn_sched *s, const tn_node *handle, const char *hint, const char *fmt, ...) {
  (void)s;
  tn_buf text = TN_BUF_INIT;
  va_list args;
  if (handle != NULL) {
    tn_buf_printf(&text, "%s '%s': ", tn_is(handle, TN_OP_VAR) ? "loop" : "block",
                  handle->attr.text);
  }
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  if (hint != NULL) {
    tn_buf_printf(&text, "\n  hint: %s", hint);
  }
  tn_status st = TN_ERR(TN_INVALID, "%s", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

/* ---- sampled numbers ---- */

bool tn_sched_value(const tn_sched *s, const tn_node *var, int64_t *out_value) {
  uint64_t word = 0;
  if (!tn_map_find(&s->values, var->id, &word)) {
    return false;
  }
  if (out_value != NULL) {
    *out_value = (int64_t)word;
  }
  return true;
}

/* v with sampled VARs as INTs, and with the labels that renamed blocks have now. */
static const tn_node *resolve(tn_sched *s, const tn_node *v) {
  int64_t value = 0;
  if (tn_is(v, TN_OP_VAR) && tn_sched_value(s, v, &value)) {
    return tn_int(s->ir, TN_DT_I32, value);
  }
  if (tn_is(v, TN_OP_LABEL)) {
    return tn_sched_current(s, v);
  }
  for (uint32_t i = 0; tn_is(v, TN_OP_LIST) && i < v->n_in; ++i) {
    v = tn_with_child(s->ir, v, i, resolve(s, v->in[i]));
  }
  return v;
}

/* The numbers that a sampling primitive gave as VARs; loops stay. */
static const tn_node *name_values(tn_sched *s, const tn_node *v) {
  if (tn_is(v, TN_OP_INT)) {
    const tn_node *var = tn_var_new(s->ir, "v", TN_DT_I32);
    tn_map_set(&s->values, var->id, (uint64_t)v->attr.i64);
    return var;
  }
  TN_VEC(const tn_node *) items = {0};
  for (uint32_t i = 0; tn_is(v, TN_OP_LIST) && i < v->n_in; ++i) {
    TN_VEC_PUSH(&items, name_values(s, v->in[i]));
  }
  const tn_node *out = tn_is(v, TN_OP_LIST) ? tn_list(s->ir, v->n_in, items.data) : v;
  TN_VEC_DEINIT(&items);
  return out;
}

/* ---- doing ---- */

/* written: the arguments as the trace keeps them. */
static tn_status fill_args(tn_sched *s, tn_prim_call *call, uint32_t n_given,
                           const tn_node *const *given, const tn_node **written) {
  tn_prim_param params[TN_PRIM_MAX_PARAMS];
  uint32_t n = tn_prim_params(call->prim, params);
  if (n_given > n) {
    return TN_ERR(TN_INVALID, "takes %u arguments, not %u", n, n_given);
  }
  call->n_args = n;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *v = i < n_given ? given[i] : NULL;
    if (v == NULL && params[i].default_text[0] == '\0') {
      return TN_ERR(TN_INVALID, "'%s' must be given", params[i].name);
    }
    v = v != NULL ? v : default_value(s->ir, &params[i]);
    TN_TRY_MSG(check_handles(s, v), "'%s'", params[i].name);
    written[i] = v;
    call->args[i] = resolve(s, v);
    if (!has_type(call->args[i], params[i].type)) {
      return wrong_type(s, &params[i], call->args[i]);
    }
    if (strcmp(params[i].name, "storage_scope") == 0) {
      TN_TRY(check_scope(s, call->args[i]));
    }
  }
  return NULL;
}

tn_status tn_sched_apply(tn_sched *s, const tn_prim *prim, uint32_t n_args,
                         const tn_node *const *args, const tn_node **out) {
  tn_module before;
  const tn_node *filled[TN_PRIM_MAX_PARAMS] = {0};
  const tn_node *written[TN_PRIM_MAX_PARAMS] = {0};
  tn_prim_call call = {.prim = prim, .args = filled, .out = tn_none(s->ir)};
  TN_TRY_MSG(fill_args(s, &call, n_args, args, written), "%s", prim->name);
  tn_module_init_copy(&before, &s->module);
  tn_rng rng = s->rng;
  tn_status st = prim_fns[prim - prims](s, &call);
  if (st != NULL) {
    tn_module_deinit(&s->module);
    s->module = before;
    s->rng = rng;
    return tn_status_wrap(st, "%s", prim->name);
  }
  tn_module_deinit(&before);
  if (prim->kind == TN_PRIM_SAMPLE) {
    call.out = name_values(s, call.out);
    written[call.n_args - 1] = filled[call.n_args - 1]; /* the decision */
  }
  tn_sched_step step = {
      .prim = prim, .args = tn_list(s->ir, call.n_args, written), .out = call.out};
  TN_VEC_PUSH(&s->steps, step);
  if (out != NULL) {
    *out = call.out;
  }
  return NULL;
}

/* ---- replaying ---- */

/* What the handles of one trace are in the other. */
static const tn_node *translate(tn_sched *onto, const tn_map *handles, const tn_node *v) {
  uint64_t word = 0;
  if (tn_map_find(handles, v->id, &word)) {
    return (const tn_node *)(uintptr_t)word;
  }
  if (!tn_is(v, TN_OP_LIST) || v->n_in == 0) {
    return v;
  }
  TN_VEC(const tn_node *) items = {0};
  for (uint32_t i = 0; i < v->n_in; ++i) {
    TN_VEC_PUSH(&items, translate(onto, handles, v->in[i]));
  }
  const tn_node *list = tn_list(onto->ir, v->n_in, items.data);
  TN_VEC_DEINIT(&items);
  return list;
}

static bool note_outs(tn_map *handles, const tn_node *from, const tn_node *to) {
  if (tn_is(from, TN_OP_LIST)) {
    bool is_same = tn_is(to, TN_OP_LIST) && to->n_in == from->n_in;
    for (uint32_t i = 0; is_same && i < from->n_in; ++i) {
      is_same = note_outs(handles, from->in[i], to->in[i]);
    }
    return is_same;
  }
  if (tn_is(from, TN_OP_VAR) || tn_is(from, TN_OP_LABEL)) {
    tn_map_set(handles, from->id, (uint64_t)(uintptr_t)to);
    return to->op == from->op || tn_is(to, TN_OP_INT);
  }
  return true;
}

tn_status tn_sched_replay(const tn_sched *from, tn_sched *onto) {
  tn_status st = NULL;
  tn_map handles = {0};
  for (size_t i = 0; i < from->steps.len; ++i) {
    const tn_sched_step *step = &from->steps.data[i];
    const tn_node *args[TN_PRIM_MAX_PARAMS];
    const tn_node *out = NULL;
    for (uint32_t k = 0; k < step->args->n_in; ++k) {
      args[k] = translate(onto, &handles, step->args->in[k]);
    }
    st = tn_sched_apply(onto, step->prim, step->args->n_in, args, &out);
    if (st == NULL && !note_outs(&handles, step->out, out)) {
      st = TN_ERR(TN_INVALID, "%s gave something else than when it was recorded", step->prim->name);
    }
    if (st != NULL) {
      st = tn_status_wrap(st, "step %zu", i + 1);
      break;
    }
  }
  tn_map_deinit(&handles);
  return st;
}
