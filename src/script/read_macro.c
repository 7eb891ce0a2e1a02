/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* @T.macro and @R.macro: statements with parameters, read anew at every call as if they stood there.
 * Nothing of it reaches the IR. That of a graph function may end in `return`, whose value is the
 * call's. A hygienic macro (the default) sees the names of the place where it was
 * defined, another one those of its caller; parameters are values, not texts. What its text gets
 * wrong is shown there, with the line of the call beside it. */
#include <string.h>

#include "script/reader.h"

enum {
  MAX_MACRO_WORK = 1 << 21, /* values read in macros by one file: what calls of calls grow to */
  MAX_SHOWN_CALLS = 3
};

struct tn_macro {
  const tn_ast *def;
  const tn_val *defaults; /* one a parameter; VOID: it has none */
  size_t n_visible;       /* bindings, up to its own */
  bool is_hygienic;
  bool is_graph;
  bool is_open; /* being expanded */
};

static uint32_t n_params(const tn_ast *def) { return def->n - TN_AST_DEF_PARAMS; }

void tn_read_macro(tn_reader *r, const tn_ast *def, const tn_def_opts *opts) {
  if (tn_strmap_has(&r->funcs, def->text)) {
    tn_read_fail(r, def, "duplicate-function", NULL, "the module has a function '%s' too",
                 def->text);
    return;
  }
  r->is_graph = opts->is_graph; /* the default values are read as those of a call would be */
  r->bare_int = opts->is_graph ? TN_DT_I64 : TN_DT_I32;
  uint32_t n = n_params(def);
  tn_val *defaults = TN_ARENA_ARRAY(&r->arena, tn_val, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_ast *value = def->in[TN_AST_DEF_PARAMS + i]->in[1];
    defaults[i] = value == NULL ? tn_val_void() : tn_read_val(r, value);
  }
  tn_macro *macro = TN_ARENA_ARRAY(&r->arena, tn_macro, 1);
  *macro = (tn_macro){.def = def,
                      .defaults = defaults,
                      .n_visible = r->scopes.bindings.len + 1,
                      .is_hygienic = opts->is_hygienic,
                      .is_graph = opts->is_graph};
  r->is_graph = false;
  r->bare_int = TN_DT_I32;
  tn_scopes_set(&r->scopes, def->text, (tn_val){.kind = TN_VAL_MACRO, .macro = macro});
}

tn_macro *tn_called_macro(tn_reader *r, const tn_ast *value) {
  if (value->kind != TN_AST_CALL || value->in[0]->kind != TN_AST_NAME) {
    return NULL;
  }
  const tn_binding *binding = tn_scopes_find(&r->scopes, value->in[0]->text);
  return binding != NULL && binding->val.kind == TN_VAL_MACRO ? binding->val.macro : NULL;
}

/* ---- arguments ---- */

static uint32_t find_param(const tn_ast *def, const char *name) {
  uint32_t i = 0;
  while (i < n_params(def) && def->in[TN_AST_DEF_PARAMS + i]->text != name) {
    ++i;
  }
  return i;
}

static void unknown_argument(tn_reader *r, const tn_ast *def, const tn_ast *arg) {
  uint32_t n = n_params(def);
  const char **names = TN_ARENA_ARRAY(&r->arena, const char *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    names[i] = def->in[TN_AST_DEF_PARAMS + i]->text;
  }
  char *hint = tn_near_of(arg->text, names, n);
  tn_read_fail(r, arg, "unknown-argument", hint, "macro '%s' takes no argument '%s'", def->text,
               arg->text);
  free(hint);
}

/* Where an argument goes; false, reported, when it goes nowhere. */
static bool place_argument(tn_reader *r, const tn_ast *def, const tn_ast *arg, uint32_t at,
                           const tn_ast **args) {
  bool is_keyword = arg->kind == TN_AST_KEYWORD;
  uint32_t i = is_keyword ? find_param(def, arg->text) : at;
  if (i == n_params(def)) {
    if (is_keyword) {
      unknown_argument(r, def, arg);
    } else {
      tn_read_fail(r, arg, "wrong-argument-count", NULL, "too many arguments: macro '%s' takes %u",
                   def->text, n_params(def));
    }
    return false;
  }
  if (args[i] != NULL) {
    tn_read_fail(r, arg, "duplicate-argument", NULL, "argument '%s' is given twice", arg->text);
    return false;
  }
  args[i] = is_keyword ? arg->in[0] : arg;
  return true;
}

/* Values of the parameters, in the caller's scope. NULL, reported. */
static const tn_val *read_arguments(tn_reader *r, const tn_ast *call, const tn_macro *macro) {
  const tn_ast *def = macro->def;
  uint32_t n = n_params(def);
  const tn_ast **args = TN_ARENA_ARRAY(&r->arena, const tn_ast *, n + 1);
  tn_val *vals = TN_ARENA_ARRAY(&r->arena, tn_val, n + 1);
  bool is_named = false;
  memset(args, 0, (n + 1) * sizeof *args);
  for (uint32_t i = 1; i < call->n; ++i) {
    const tn_ast *arg = call->in[i];
    if (is_named && arg->kind != TN_AST_KEYWORD) {
      tn_read_fail(r, arg, "wrong-argument-count", NULL,
                   "a positional argument after a keyword: macro '%s'", def->text);
      return NULL;
    }
    is_named = arg->kind == TN_AST_KEYWORD;
    if (!place_argument(r, def, arg, i - 1, args)) {
      return NULL;
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    vals[i] = args[i] == NULL ? macro->defaults[i] : tn_read_val(r, args[i]);
    if (vals[i].kind != TN_VAL_VOID) {
      continue;
    }
    if (args[i] == NULL) {
      tn_read_fail(r, call, "missing-argument", NULL, "macro '%s' needs the argument '%s'",
                   def->text, def->in[TN_AST_DEF_PARAMS + i]->text);
    } else {
      tn_read_fail(r, args[i], "not-an-expression", NULL, "expected a value, got a statement");
    }
    return NULL;
  }
  return vals;
}

/* ---- expansion ---- */

bool tn_macro_step(tn_reader *r, const tn_ast *at) {
  if (r->macro_call == NULL || r->macro_work > MAX_MACRO_WORK) {
    return r->macro_call == NULL;
  }
  r->macro_work += 1;
  if (r->macro_work > MAX_MACRO_WORK) {
    tn_read_fail(r, at, "too-large", NULL,
                 "the macros of this file expand to too much: more than %d values", MAX_MACRO_WORK);
    return false;
  }
  return true;
}

/* The innermost calls and the outermost, which stands in the function. */
void tn_note_macros(const tn_reader *r, tn_buf *text) {
  uint32_t n = 0;
  for (const tn_macro_call *c = r->macro_call; c != NULL; c = c->outer, ++n) {
    bool is_shown = n < MAX_SHOWN_CALLS || c->outer == NULL;
    if (is_shown) {
      tn_buf_printf(text, "%s macro '%s', called at line %u", n == 0 ? " (in" : ", in",
                    c->def->text, c->call->line);
    } else if (n == MAX_SHOWN_CALLS) {
      tn_buf_puts(text, ", ...");
    }
  }
  tn_buf_puts(text, n > 0 ? ")" : "");
}

/* Statements into the open body; the value of the last one where that is `return`. */
static tn_val read_stmts(tn_reader *r, const tn_ast *body, bool is_graph) {
  for (uint32_t i = 0; i < body->n && tn_macro_step(r, body->in[i]); ++i) {
    const tn_ast *stmt = body->in[i];
    if (!is_graph) {
      tn_read_tir_stmt(r, stmt);
    } else if (stmt->kind != TN_AST_RETURN) {
      tn_read_graph_stmt(r, stmt);
    } else if (i + 1 < body->n || stmt->in[0] == NULL) {
      return tn_read_fail(r, stmt, "wrong-place", NULL,
                          "'return' gives the value of a macro in its last line");
    } else {
      return tn_read_val(r, stmt->in[0]);
    }
  }
  return tn_val_void();
}

static tn_val read_body(tn_reader *r, const tn_ast *call, const tn_macro *macro,
                        const tn_val *vals) {
  tn_macro_call here = {.outer = r->macro_call, .def = macro->def, .call = call};
  const tn_ast *body = macro->def->in[TN_AST_DEF_BODY];
  size_t hidden_from = r->scopes.hidden_from;
  size_t hidden_to = r->scopes.hidden_to;
  if (macro->is_hygienic) {
    r->scopes.hidden_from = macro->n_visible;
    r->scopes.hidden_to = r->scopes.bindings.len;
  }
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  for (uint32_t i = 0; i < n_params(macro->def); ++i) {
    tn_scopes_set(&r->scopes, macro->def->in[TN_AST_DEF_PARAMS + i]->text, vals[i]);
  }
  r->macro_call = &here;
  r->macro_depth += body->depth;
  tn_val value = read_stmts(r, body, macro->is_graph);
  r->macro_depth -= body->depth;
  r->macro_call = here.outer;
  tn_scopes_pop(&r->scopes);
  r->scopes.hidden_from = hidden_from;
  r->scopes.hidden_to = hidden_to;
  return value;
}

tn_val tn_expand_macro(tn_reader *r, const tn_ast *call, tn_macro *macro) {
  const tn_ast *def = macro->def;
  if (macro->is_graph != r->is_graph) {
    return tn_read_fail(r, call, "wrong-level", NULL, "%s",
                        macro->is_graph ? "an @R.macro belongs in a @R.function"
                                        : "a @T.macro belongs in a @T.prim_func");
  }
  if (macro->is_open) {
    return tn_read_fail(r, call, "recursive-macro", NULL,
                        "macro '%s' is called while it is expanded: it would never end", def->text);
  }
  if (r->macro_depth + def->in[TN_AST_DEF_BODY]->depth > TN_AST_MAX_DEPTH) {
    return tn_read_fail(r, call, "nested-too-deep", NULL, "calls of macros are nested too deeply");
  }
  const tn_val *vals = read_arguments(r, call, macro);
  if (vals == NULL) {
    return tn_val_error();
  }
  macro->is_open = true;
  tn_val value = read_body(r, call, macro, vals);
  macro->is_open = false;
  return value;
}
