/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Schedule scripts: statements. Each is read and done before the next; the first problem is the
 * last, since what comes after it would only be wrong because of it. */
#include <string.h>

#include "script/sched_reader.h"

static bool read_suite(tn_steps *s, const tn_ast *suite, bool *out_is_done);

/* ---- unpacking ---- */

static bool assign(tn_steps *s, const tn_ast *target, tn_val val);

/* a, *rest, z = list */
static bool unpack(tn_steps *s, const tn_ast *target, tn_val val) {
  tn_reader *r = s->r;
  uint32_t star = target->n;
  for (uint32_t i = 0; i < target->n; ++i) {
    if (target->in[i]->kind == TN_AST_STAR) {
      if (star < target->n) {
        tn_read_fail(r, target->in[i], "bad-unpacking", NULL,
                     "one *name at most can take the rest");
        return false;
      }
      star = i;
    }
  }
  uint32_t n_least = star < target->n ? target->n - 1 : target->n;
  if (val.kind != TN_VAL_LIST) {
    tn_read_fail(r, target, "bad-unpacking", NULL, "%s cannot be given to %u names",
                 val.kind == TN_VAL_VOID ? "a step without a result" : tn_val_what(val), target->n);
    return false;
  }
  if (val.n < n_least || (star == target->n && val.n > n_least)) {
    tn_read_fail(r, target, "bad-unpacking", NULL, "%u values for %s%u names", val.n,
                 star < target->n ? "at least " : "", n_least);
    return false;
  }
  uint32_t n_rest = val.n - n_least;
  uint32_t at = 0;
  bool is_ok = true;
  for (uint32_t i = 0; is_ok && i < target->n; ++i) {
    if (i == star) {
      is_ok = assign(s, target->in[i]->in[0], tn_val_list(r, n_rest, val.items + at, false));
      at += n_rest;
    } else {
      is_ok = assign(s, target->in[i], val.items[at++]);
    }
  }
  return is_ok;
}

static bool assign(tn_steps *s, const tn_ast *target, tn_val val) {
  if (target->kind == TN_AST_NAME) {
    if (val.kind == TN_VAL_VOID) {
      tn_read_fail(s->r, target, "bad-unpacking", NULL, "the step gives no value");
      return false;
    }
    tn_scopes_set(&s->r->scopes, target->text, val);
    return true;
  }
  if (target->kind == TN_AST_TUPLE || target->kind == TN_AST_LIST) {
    return unpack(s, target, val);
  }
  tn_read_fail(s->r, target, "bad-unpacking", NULL, "a value is given to names");
  return false;
}

/* ---- statements ---- */

/* What a notebook shows on the way: print(...), sch.mod.show(), IPython.display.Code(...). */
static bool is_display(const tn_ast *value) {
  static const char *const names[] = {"print", "show", "Code", "display"};
  if (value->kind != TN_AST_CALL) {
    return false;
  }
  const tn_ast *callee = value->in[0];
  bool is_named = callee->kind == TN_AST_NAME || callee->kind == TN_AST_ATTR;
  for (size_t i = 0; is_named && i < sizeof names / sizeof *names; ++i) {
    if (strcmp(callee->text, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* Parameters of the function around the steps: the first is the schedule or the program, the others
 * have their default or what the caller says. */
static bool read_params(tn_steps *s, const tn_ast *def) {
  for (uint32_t i = TN_AST_DEF_PARAMS; i < def->n; ++i) {
    const tn_ast *param = def->in[i];
    const tn_ast *value = param->in[1];
    tn_val val = {.kind = TN_VAL_MODULE};
    if (value != NULL) {
      val = tn_find_define(s->r, param, &val) ? val : tn_read_val(s->r, value);
      if (tn_val_is_error(val)) {
        return false;
      }
    }
    if (value != NULL || i == TN_AST_DEF_PARAMS) {
      tn_scopes_set(&s->r->scopes, param->text, val);
    }
  }
  return true;
}

static const char *word_of(const tn_ast *stmt) {
  switch ((int)stmt->kind) {
    case TN_AST_FOR:
      return "for";
    case TN_AST_WHILE:
      return "while";
    case TN_AST_IF:
      return "if";
    case TN_AST_WITH:
      return "with";
    case TN_AST_CLASS:
      return "class";
    case TN_AST_ASSERT:
      return "assert";
    case TN_AST_AUGMENT:
      return "+=";
    default:
      return "this";
  }
}

static bool read_statement(tn_steps *s, const tn_ast *stmt, bool *out_is_done) {
  s->stmt = stmt;
  switch ((int)stmt->kind) {
    case TN_AST_EXPR:
      return stmt->in[0]->kind == TN_AST_STR || is_display(stmt->in[0]) ||
             !tn_val_is_error(tn_read_val(s->r, stmt->in[0]));
    case TN_AST_ASSIGN: {
      tn_val val = tn_read_val(s->r, stmt->in[1]);
      return !tn_val_is_error(val) && assign(s, stmt->in[0], val);
    }
    case TN_AST_IMPORT:
      tn_read_import(s->r, stmt);
      return true;
    case TN_AST_PASS:
      return true;
    case TN_AST_RETURN:
      *out_is_done = true;
      return true;
    case TN_AST_DEF:
      return read_params(s, stmt) && read_suite(s, stmt->in[TN_AST_DEF_BODY], out_is_done);
    default:
      break;
  }
  tn_read_fail(s->r, stmt, "not-a-step",
               "write the steps out; what varies from run to run is a knob: "
               "ty = knob(\"ty\", [8, 16, 32])",
               "a schedule script is a list of steps, and '%s' is none", word_of(stmt));
  return false;
}

static bool read_suite(tn_steps *s, const tn_ast *suite, bool *out_is_done) {
  bool is_ok = true;
  for (uint32_t i = 0; is_ok && !*out_is_done && suite != NULL && i < suite->n; ++i) {
    is_ok = read_statement(s, suite->in[i], out_is_done);
  }
  return is_ok;
}

/* ---- the script ---- */

static const tn_script_opts no_script_opts = {0};

static tn_reader reader_of(tn_ir *ir, const tn_script_opts *opts, tn_diags *diags) {
  tn_reader r = {
      .ir = ir, .opts = opts, .dialect = TN_DIALECT_2023, .diags = diags, .bare_int = TN_DT_I32};
  tn_arena_init(&r.arena, 0);
  tn_default_imports(&r);
  tn_register_calls(&r, tn_tir_expr_calls());
  tn_scopes_push(&r.scopes, TN_FRAME_PLAIN);
  return r;
}

static void check_memory(tn_reader *r) {
  tn_status st = tn_ir_status(r->ir);
  if (st != NULL) {
    tn_diags_add(r->diags, "out-of-memory",
                 (tn_pos){.source = r->source, .line = 1, .col = 1, .n_cols = 1}, NULL, "%s",
                 tn_status_message(st));
    tn_status_free(st);
  }
}

/* Names that the schedule and its program have in scripts whose first line is left out. */
static void define_program(tn_reader *r) {
  static const char *const names[] = {"sch", "mod"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    tn_scopes_set(&r->scopes, tn_ir_text(r->ir, names[i]), (tn_val){.kind = TN_VAL_MODULE});
  }
}

const tn_node *tn_sched_parse_number(tn_ir *ir, const char *text) {
  tn_diags diags = {0};
  tn_reader r = reader_of(ir, &no_script_opts, &diags);
  const tn_ast *ast = tn_ast_parse_inner(ir, &r.arena, text, (tn_pos){0});
  tn_val val = ast != NULL ? tn_read_val(&r, ast) : (tn_val){.kind = TN_VAL_ERROR};
  const tn_node *number = val.kind == TN_VAL_NODE && diags.n == 0 ? val.node : NULL;
  tn_reader_deinit(&r);
  tn_diags_deinit(&diags);
  bool is_number = number != NULL && (tn_is(number, TN_OP_INT) || tn_is(number, TN_OP_FLOAT));
  return is_number ? number : NULL;
}

static const size_t max_text_bytes = (size_t)16 << 20;

void tn_sched_script_run(const char *text, size_t len, const tn_sched_script_opts *opts,
                         tn_sched *sched, tn_diags *diags) {
  tn_sched_knobs knobs = {0};
  tn_sched_script_opts own = {0};
  own = opts != NULL ? *opts : own;
  own.out_knobs = own.out_knobs != NULL ? own.out_knobs : &knobs; /* a second one is refused */
  opts = &own;
  const char *file_name = opts->file_name != NULL ? opts->file_name : "<steps>";
  tn_ir *ir = tn_sched_ir(sched);
  if (len > max_text_bytes) {
    tn_diags_add(diags, "too-large", (tn_pos){0}, NULL, "%s: %zu bytes of text: at most %zu",
                 file_name, len, max_text_bytes);
    return;
  }
  tn_script_opts read = {.file_name = file_name,
                         .defines = opts->defines,
                         .n_defines = opts->n_defines,
                         .out_used = opts->out_used};
  tn_reader r = reader_of(ir, &read, diags);
  tn_steps s = {.r = &r, .sched = sched, .opts = opts, .text = text, .len = len};
  r.source = tn_ir_add_source(ir, file_name, text, len);
  r.read_more = tn_steps_read;
  r.more = &s;
  const tn_ast *file = tn_ast_parse_schedule(ir, &r.arena, text, len, r.source, diags);
  if (diags->n == 0) {
    bool is_done = false;
    define_program(&r);
    (void)read_suite(&s, file, &is_done);
    check_memory(&r);
  }
  if (diags->n == 0) {
    tn_check_defines(&r);
  }
  tn_reader_deinit(&r);
  TN_VEC_DEINIT(&knobs);
}

const tn_node *tn_sched_parse_index_map(tn_ir *ir, const char *text) {
  tn_diags diags = {0};
  tn_reader r = reader_of(ir, &no_script_opts, &diags);
  const tn_node *map = NULL;
  const tn_ast *ast = tn_ast_parse_inner(ir, &r.arena, text, (tn_pos){0});
  if (ast != NULL && ast->kind == TN_AST_LAMBDA) {
    map = tn_read_index_map(&r, ast, r.bare_int, tn_none(ir));
  }
  map = diags.n == 0 ? map : NULL;
  tn_reader_deinit(&r);
  tn_diags_deinit(&diags);
  return map;
}
