/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The front door of reading: text -> syntax tree -> module. Functions of a class may use each other
 * in any order, so loop functions are read first, graph functions are declared by their signatures,
 * and then read. Functions that had problems leave a stand-in, so that their callers are not
 * reported as well; with problems the module is of no use anyway. */
#include <string.h>

#include "base/check.h"
#include "script/reader.h"
#include "script/relay.h"

enum { MAX_TEXT_BYTES = 1 << 28 };

/* ---- decorators ---- */

static bool read_flag(tn_reader *r, const tn_ast *decorator, const char *name, bool fallback,
                      bool *out) {
  const tn_ast *value = decorator->kind == TN_AST_CALL ? tn_keyword(decorator, name) : NULL;
  *out = fallback;
  return value == NULL || tn_to_bool(r, value, tn_read_val(r, value), out);
}

static bool is_one_of(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; name != NULL && i < n; ++i) {
    if (strcmp(name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

static const char *const prim_names[] = {"T.prim_func", "T.jit"};
static const char *const graph_names[] = {"R.function"};
static const char *const macro_names[] = {"T.macro", "T.inline"};
static const char *const graph_macro_names[] = {"R.macro"};
static const char *const module_names[] = {"I.ir_module"};
#define N_OF(names) (sizeof(names) / sizeof((names)[0]))

static const char *decorator_name(tn_reader *r, const tn_ast *decorator) {
  return tn_dotted(r, decorator->kind == TN_AST_CALL ? decorator->in[0] : decorator);
}

/* Macros are names of the text, not functions of the module. */
static bool is_macro(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *decorators = stmt->kind == TN_AST_DEF ? stmt->in[TN_AST_DEF_DECORATORS] : NULL;
  const char *name =
      decorators != NULL && decorators->n == 1 ? decorator_name(r, decorators->in[0]) : NULL;
  return is_one_of(name, macro_names, N_OF(macro_names)) ||
         is_one_of(name, graph_macro_names, N_OF(graph_macro_names));
}

static bool check_decorator_args(tn_reader *r, const tn_ast *decorator, const char *allowed) {
  if (decorator->kind != TN_AST_CALL) {
    return true;
  }
  if (tn_n_positional(decorator) > 0) {
    tn_read_fail(r, decorator, "wrong-argument-count", NULL,
                 "a decorator takes keyword arguments only");
    return false;
  }
  return tn_check_keywords(r, decorator, allowed);
}

bool tn_read_decorators(tn_reader *r, const tn_ast *def, tn_def_opts *out) {
  static const char *const known[] = {"T.prim_func", "R.function", "T.macro", "I.ir_module"};
  const tn_ast *decorators = def->in[TN_AST_DEF_DECORATORS];
  *out = (tn_def_opts){.is_pure = true};
  if (decorators == NULL || decorators->n != 1) {
    tn_read_fail(r, def, "bad-decorator", NULL,
                 "function '%s' needs one decorator: @T.prim_func or @R.function", def->text);
    return false;
  }
  const tn_ast *decorator = decorators->in[0];
  const char *name = decorator_name(r, decorator);
  if (is_one_of(name, prim_names, N_OF(prim_names))) {
    return check_decorator_args(r, decorator, "private check_well_formed s_tir") &&
           read_flag(r, decorator, "private", false, &out->is_private);
  }
  bool is_graph_macro = is_one_of(name, graph_macro_names, N_OF(graph_macro_names));
  if (is_graph_macro || is_one_of(name, macro_names, N_OF(macro_names))) {
    out->is_macro = true;
    out->is_graph = is_graph_macro;
    return check_decorator_args(r, decorator, "hygienic") &&
           read_flag(r, decorator, "hygienic", true, &out->is_hygienic);
  }
  out->is_graph = true;
  if (is_one_of(name, graph_names, N_OF(graph_names))) {
    return check_decorator_args(r, decorator, "private pure check_well_formed") &&
           read_flag(r, decorator, "private", false, &out->is_private) &&
           read_flag(r, decorator, "pure", true, &out->is_pure);
  }
  char *hint = name == NULL ? NULL : tn_near_of(name, known, N_OF(known));
  tn_read_fail(r, decorator, "bad-decorator", hint, "expected @T.prim_func or @R.function");
  free(hint);
  return false;
}

/* ---- what stands in a class ---- */

static void read_def_first(tn_reader *r, const tn_ast *def) {
  tn_def_opts opts;
  if (!tn_read_decorators(r, def, &opts)) {
    return;
  }
  if (opts.is_macro) {
    tn_read_macro(r, def, &opts);
  } else if (opts.is_graph) {
    tn_declare_graph_func(r, def, opts.is_private, opts.is_pure);
  } else {
    tn_read_prim_func(r, def, opts.is_private);
    tn_ast_free_body(&r->bodies, def);
  }
}

static void read_def_second(tn_reader *r, const tn_ast *def) {
  tn_def_opts opts;
  int32_t n = r->diags->n;
  int32_t n_dropped = r->diags->n_dropped;
  /* decorators with problems were reported by the first pass */
  const tn_ast *decorators = def->in[TN_AST_DEF_DECORATORS];
  if (decorators == NULL || decorators->n != 1 || tn_module_find(r->module, def->text) == NULL) {
    return;
  }
  if (tn_read_decorators(r, def, &opts) && n == r->diags->n && n_dropped == r->diags->n_dropped &&
      opts.is_graph) {
    tn_read_graph_func(r, def, opts.is_private, opts.is_pure);
    tn_ast_free_body(&r->bodies, def);
  }
}

/* ext = R.ExternFunc("my_ext") */
static void read_extern(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->in[0];
  const tn_ast *value = stmt->in[1];
  const tn_ast *args[1];
  if (target->kind != TN_AST_NAME) {
    tn_read_fail(r, stmt, "bad-module-member", NULL, "expected a name for R.ExternFunc(\"...\")");
    return;
  }
  if (!tn_bind_args(r, value, "global_symbol", args)) {
    return;
  }
  const char *symbol = tn_to_str(r, args[0], tn_read_val(r, args[0]));
  if (symbol != NULL) {
    tn_attr attr = {.text = symbol};
    tn_module_set(r->module, target->text,
                  tn_node_new(r->ir, TN_OP_EXTERN, TN_DT_NONE, attr, 0, NULL));
  }
}

static tn_val call_module_attrs(tn_reader *r, const tn_call *call) {
  const tn_ast *args[1];
  if (!tn_bind_args(r, call->ast, "attrs", args)) {
    return tn_val_error();
  }
  const tn_node *attrs = tn_to_attr(r, args[0], tn_read_val(r, args[0]));
  if (attrs == NULL || attrs->op != TN_OP_DICT) {
    return attrs == NULL ? tn_val_error()
                         : tn_read_fail(r, args[0], "bad-attribute", NULL, "expected a dictionary");
  }
  r->module->attrs = tn_dict_set(r->ir, r->module->attrs, call->row->name + 2, attrs);
  return tn_val_void();
}

/* {"keys": [...], "kind": "llvm", "tag": ""}, as a target prints, stands for its kind. */
static tn_val kind_of_target(tn_val v) {
  for (uint32_t i = 0; v.kind == TN_VAL_DICT && i + 1 < v.n; i += 2) {
    if (v.items[i].kind == TN_VAL_STR && strcmp(v.items[i].text, "kind") == 0) {
      return v.items[i + 1];
    }
  }
  return v;
}

/* I.vdevice("cuda", 0, "global") is kept as the text "cuda:0:global". */
static tn_val call_vdevice(tn_reader *r, const tn_call *call) {
  const tn_ast *args[3];
  int64_t index = 0;
  if (!tn_bind_args(r, call->ast, "target vdevice_id? memory_scope?", args)) {
    return tn_val_error();
  }
  const char *target = tn_to_str(r, args[0], kind_of_target(tn_read_val(r, args[0])));
  const char *scope = args[2] == NULL ? "global" : tn_to_str(r, args[2], tn_read_val(r, args[2]));
  if (target == NULL || scope == NULL ||
      (args[1] != NULL && !tn_to_int(r, args[1], tn_read_val(r, args[1]), &index))) {
    return tn_val_error();
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s:%lld:%s", target, (long long)index, scope);
  tn_val v = {.kind = TN_VAL_STR, .text = tn_ir_text(r->ir, tn_buf_text(&text))};
  tn_buf_deinit(&text);
  return v;
}

static const tn_call_row module_rows[] = {
    {"I.module_attrs", call_module_attrs, 0, 0},
    {"I.module_global_infos", call_module_attrs, 0, 0},
    {"I.vdevice", call_vdevice, 0, 0},
};

static void read_member_expr(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *value = stmt->in[0];
  const char *name = NULL;
  if (value->kind == TN_AST_STR || value->kind == TN_AST_ELLIPSIS) {
    return;
  }
  const tn_call_row *row = value->kind == TN_AST_CALL ? tn_find_call(r, value, &name) : NULL;
  if (row == NULL || row->fn != call_module_attrs) {
    tn_read_fail(r, stmt, "bad-module-member", NULL,
                 "expected a function, I.module_attrs or I.module_global_infos in the module");
    return;
  }
  (void)tn_read_val(r, value);
}

static bool note_function(tn_reader *r, const tn_ast *at, const char *name) {
  if (tn_strmap_has(&r->funcs, name)) {
    tn_read_fail(r, at, "duplicate-function", NULL, "the module has a function '%s' already", name);
    return false;
  }
  union { /* the map's values are not const */
    const tn_ast *from;
    void *to;
  } u = {.from = at};
  tn_strmap_set(&r->funcs, name, u.to);
  return true;
}

typedef TN_VEC(const tn_ast *) member_vec;

/* name = R.ExternFunc("symbol"), which is a function of the module. */
static bool is_extern(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *value = stmt->kind == TN_AST_ASSIGN ? stmt->in[1] : NULL;
  const char *name =
      value != NULL && value->kind == TN_AST_CALL ? tn_dotted(r, value->in[0]) : NULL;
  return name != NULL && strcmp(name, "R.ExternFunc") == 0;
}

/* The statements of a class or file, without functions whose name is taken. */
static void take_members(tn_reader *r, const tn_ast *suite, bool in_class, member_vec *out) {
  for (uint32_t i = 0; i < suite->n; ++i) {
    const tn_ast *stmt = suite->in[i];
    bool is_def = stmt->kind == TN_AST_DEF && !is_macro(r, stmt);
    bool names_extern = in_class && is_extern(r, stmt) && stmt->in[0]->kind == TN_AST_NAME;
    if ((!is_def && !names_extern) ||
        note_function(r, stmt, is_def ? stmt->text : stmt->in[0]->text)) {
      TN_VEC_PUSH(out, stmt);
    }
  }
}

static void read_second(tn_reader *r, const member_vec *members) {
  for (size_t i = 0; i < members->len; ++i) {
    if (members->data[i]->kind == TN_AST_DEF) {
      read_def_second(r, members->data[i]);
    }
  }
}

/* N = 16, SHAPE = (4, 4) or a, b = 1, 2 outside of functions: values that they may use. */
/* metadata = tvm.ir.load_json("..."): it is read when a constant of it is needed. */
static bool take_metadata(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *name = stmt->in[0];
  const tn_ast *call = stmt->in[1];
  const char *callee = call->kind == TN_AST_CALL ? tn_dotted(r, call->in[0]) : NULL;
  bool is_metadata = name->kind == TN_AST_NAME && strcmp(name->text, "metadata") == 0 &&
                     callee != NULL && strcmp(callee, "I.load_json") == 0 && call->n == 2 &&
                     call->in[1]->kind == TN_AST_STR;
  r->meta_ast = is_metadata ? call->in[1] : r->meta_ast;
  return is_metadata;
}

static void read_outer(tn_reader *r, const tn_ast *stmt) {
  if (take_metadata(r, stmt)) {
    return;
  }
  const tn_ast *target = stmt->in[0];
  bool is_tuple = target->kind == TN_AST_TUPLE;
  uint32_t n = is_tuple ? target->n : 1;
  r->func_name = NULL; /* outside of all functions */
  tn_val v = tn_read_val(r, stmt->in[1]);
  if (is_tuple && !tn_val_is_error(v) && (v.kind != TN_VAL_LIST || v.n != n)) {
    v = tn_read_fail(r, stmt, "wrong-target-count", NULL, "%u names for %s", n,
                     v.kind == TN_VAL_LIST ? "another number of values" : tn_val_what(v));
  }
  for (uint32_t i = 0; i < n; ++i) {
    const tn_ast *name = is_tuple ? target->in[i] : target;
    if (name->kind != TN_AST_NAME) {
      tn_read_fail(r, name, "bad-target", NULL, "expected a name on the left of '='");
      return;
    }
    tn_scopes_set(&r->scopes, name->text, is_tuple && !tn_val_is_error(v) ? v.items[i] : v);
  }
}

static void read_class_members(tn_reader *r, const tn_ast *suite) {
  member_vec members = {0};
  take_members(r, suite, true, &members);
  for (size_t i = 0; i < members.len; ++i) {
    const tn_ast *stmt = members.data[i];
    if (stmt->kind == TN_AST_DEF) {
      read_def_first(r, stmt);
    } else if (stmt->kind == TN_AST_ASSIGN && is_extern(r, stmt)) {
      read_extern(r, stmt);
    } else if (stmt->kind == TN_AST_ASSIGN) {
      read_outer(r, stmt);
    } else if (stmt->kind == TN_AST_EXPR) {
      read_member_expr(r, stmt);
    } else if (stmt->kind != TN_AST_PASS) {
      tn_read_fail(r, stmt, "bad-module-member", NULL, "expected a function in the module");
    }
  }
  read_second(r, &members);
  TN_VEC_DEINIT(&members);
}

/* ---- the file ---- */

static bool check_class_decorators(tn_reader *r, const tn_ast *class_def) {
  const tn_ast *decorators = class_def->in[TN_AST_CLASS_DECORATORS];
  const tn_ast *decorator = decorators == NULL || decorators->n != 1 ? NULL : decorators->in[0];
  if (decorator == NULL ||
      !is_one_of(decorator_name(r, decorator), module_names, N_OF(module_names))) {
    const char *name = decorator == NULL ? NULL : decorator_name(r, decorator);
    char *hint = name == NULL ? NULL : tn_near_of(name, module_names, N_OF(module_names));
    tn_read_fail(r, decorator != NULL ? decorator : class_def, "bad-decorator", hint,
                 "class '%s' needs the decorator @I.ir_module", class_def->text);
    free(hint);
    return false;
  }
  return check_decorator_args(r, decorator, "check_well_formed s_tir");
}

static void read_class(tn_reader *r, const tn_ast *class_def) {
  if (!check_class_decorators(r, class_def)) {
    return;
  }
  r->class_name = class_def->text;
  r->module->name = class_def->text;
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  read_class_members(r, class_def->in[TN_AST_CLASS_BODY]);
  tn_scopes_pop(&r->scopes);
}

/* Statements that a fragment of a function may consist of. */
static bool is_loop_stmt(const tn_ast *stmt) {
  switch ((int)stmt->kind) {
    case TN_AST_EXPR:
    case TN_AST_AUGMENT:
    case TN_AST_ANNOTATE:
    case TN_AST_FOR:
    case TN_AST_WHILE:
    case TN_AST_IF:
    case TN_AST_WITH:
    case TN_AST_ASSERT:
      return true;
    default:
      return stmt->kind == TN_AST_ASSIGN && stmt->in[0]->kind == TN_AST_INDEX;
  }
}

/* What stands in the file, reported when it is not one class, or functions. False then. */
static bool check_file(tn_reader *r, const tn_ast *file, const tn_ast **out_class,
                       const tn_ast **out_stmt) {
  const tn_ast *first_def = NULL;
  const tn_ast *first_stmt = NULL;
  *out_class = NULL;
  for (uint32_t i = 0; i < file->n; ++i) {
    const tn_ast *stmt = file->in[i];
    bool is_doc = stmt->kind == TN_AST_EXPR && stmt->in[0]->kind == TN_AST_STR;
    first_stmt = first_stmt == NULL && is_loop_stmt(stmt) && !is_doc ? stmt : first_stmt;
    if (stmt->kind == TN_AST_CLASS && *out_class == NULL) {
      *out_class = stmt;
    } else if (stmt->kind == TN_AST_DEF) {
      first_def = first_def == NULL && !is_macro(r, stmt) ? stmt : first_def;
    } else if (stmt->kind != TN_AST_ASSIGN && stmt->kind != TN_AST_IMPORT &&
               stmt->kind != TN_AST_PASS && !is_loop_stmt(stmt)) {
      tn_read_fail(r, stmt, "bad-file", NULL,
                   "expected one @I.ir_module class, or @T.prim_func and @R.function definitions");
    }
  }
  if (*out_class != NULL && first_def != NULL) {
    tn_read_fail(r, first_def, "bad-file", NULL,
                 "a function beside the @I.ir_module class: put it into the class");
    return false;
  }
  if (first_stmt != NULL && (first_def != NULL || *out_class != NULL)) {
    tn_read_fail(r, first_stmt, "bad-file", NULL,
                 "expected one @I.ir_module class, or @T.prim_func and @R.function definitions");
    return false;
  }
  *out_stmt = first_stmt;
  if (*out_class == NULL && first_def == NULL && first_stmt == NULL && r->diags->n == 0) {
    tn_read_fail(r, file, "empty-module", NULL,
                 "there is no @I.ir_module class and no function in this file");
  }
  return *out_class != NULL || first_def != NULL || first_stmt != NULL;
}

/* In the order of the text, as Python runs it: names and macros serve what stands below them. */
static void read_file(tn_reader *r, const tn_ast *file) {
  const tn_ast *class_def = NULL;
  const tn_ast *fragment = NULL;
  member_vec members = {0};
  if (!check_file(r, file, &class_def, &fragment)) {
    return;
  }
  if (fragment != NULL) {
    tn_read_fragment(r, file);
    return;
  }
  r->class_name = class_def == NULL ? r->module->name : NULL;
  for (uint32_t i = 0; i < file->n; ++i) { /* it may stand below what needs it */
    (void)(file->in[i]->kind == TN_AST_ASSIGN && take_metadata(r, file->in[i]));
  }
  take_members(r, file, false, &members);
  for (size_t i = 0; i < members.len; ++i) {
    const tn_ast *stmt = members.data[i];
    if (stmt->kind == TN_AST_DEF) {
      read_def_first(r, stmt);
    } else if (stmt->kind == TN_AST_IMPORT) {
      tn_read_import(r, stmt);
    } else if (stmt->kind == TN_AST_ASSIGN) {
      read_outer(r, stmt);
    } else if (stmt == class_def) {
      read_class(r, stmt);
    }
  }
  read_second(r, &members);
  TN_VEC_DEINIT(&members);
}

void tn_reader_deinit(tn_reader *r) {
  tn_scopes_deinit(&r->scopes);
  tn_strmap_deinit(&r->calls);
  tn_strmap_deinit(&r->asked);
  tn_map_deinit(&r->imports);
  tn_strmap_deinit(&r->funcs);
  tn_map_deinit(&r->consts);
  tn_metadata_free(r->metadata);
  tn_map_deinit(&r->param_index);
  tn_map_deinit(&r->loop_domains);
  tn_map_deinit(&r->env_threads);
  TN_VEC_DEINIT(&r->free_buffers);
  tn_map_deinit(&r->pointers);
  TN_VEC_DEINIT(&r->params);
  TN_VEC_DEINIT(&r->buffers);
  if (r->arith != NULL) {
    tn_arith_free(r->arith);
  }
  tn_ast_bodies_deinit(&r->bodies);
  tn_arena_deinit(&r->arena);
}

static void read_tvmscript(const char *text, size_t len, uint32_t source,
                           const tn_script_opts *opts, tn_module *module, tn_diags *diags) {
  tn_reader r = {.ir = module->ir,
                 .module = module,
                 .opts = opts,
                 .diags = diags,
                 .source = source,
                 .bare_int = TN_DT_I32};
  tn_arena_init(&r.arena, 0);
  tn_dialect_marks marks;
  const tn_ast *file = tn_ast_parse(r.ir, &r.arena, text, len, r.source, &r.bodies, &marks, diags);
  if (diags->n == 0) {
    r.dialect = tn_dialect_decide(&marks, opts->dialect, diags);
  }
  tn_default_imports(&r);
  tn_register_calls(&r, tn_tir_expr_calls());
  tn_register_calls(&r, tn_tir_stmt_calls());
  tn_register_calls(&r, tn_tir_block_calls());
  tn_register_calls(&r, tn_tir_buffer_calls());
  tn_register_calls(&r, tn_tir_prefetch_calls());
  tn_register_calls(&r, tn_tir_realize_calls());
  tn_register_calls(&r, tn_tir_old_calls());
  tn_register_calls(&r, tn_graph_calls());
  tn_register_calls(&r, tn_graph_value_calls());
  tn_register_calls(&r, (tn_call_table){module_rows, N_OF(module_rows)});
  if (diags->n == 0) {
    tn_scopes_push(&r.scopes, TN_FRAME_PLAIN);
    read_file(&r, file);
    tn_scopes_pop(&r.scopes);
  }
  if (diags->n == 0) {
    tn_check_defines(&r);
  }
  tn_reader_deinit(&r);
}

/* What no single statement shows: whether memory sufficed, and how large expressions became. */
static void check_whole(const tn_module *module, uint32_t source, tn_diags *diags) {
  tn_status st = tn_ir_status(module->ir);
  if (st != NULL) {
    tn_diags_add(diags, "out-of-memory",
                 (tn_pos){.source = source, .line = 1, .col = 1, .n_cols = 1}, NULL, "%s",
                 tn_status_message(st));
    tn_status_free(st);
  }
  for (uint32_t i = 0; i < module->n_funcs && diags->n == 0; ++i) {
    tn_ir_verify_sizes(module->ir, module->funcs[i].func, diags);
  }
}

void tn_script_parse(const char *text, size_t len, const tn_script_opts *opts, tn_module *module,
                     tn_diags *diags) {
  static const tn_script_opts no_opts = {0};
  opts = opts != NULL ? opts : &no_opts;
  const char *file_name = opts->file_name != NULL ? opts->file_name : "<text>";
  if (len > MAX_TEXT_BYTES) {
    tn_diags_add(diags, "too-large", (tn_pos){0}, NULL, "%s: %zu bytes of text: at most %d",
                 file_name, len, MAX_TEXT_BYTES);
    return;
  }
  uint32_t source = tn_ir_add_source(module->ir, file_name, text, len);
  bool is_relay = tn_relay_is_text(text, len, opts->file_name);
  if (is_relay && opts->n_defines > 0) {
    tn_diags_add(diags, "unused-define", (tn_pos){source, 1, 1, 1}, NULL,
                 "-D %s: a text of Relay has no name that waits for a value", opts->defines[0]);
    return;
  }
  (is_relay ? tn_relay_read : read_tvmscript)(text, len, source, opts, module, diags);
  check_whole(module, source, diags);
}
