/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Prints modules and functions as canonical TVMScript and gives out names: each leaf gets its own
 * name, or name_1, name_2 where that is taken in scope; a name is free again when its scope is
 * left, as in Python's frames here. */
#include "script/print_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Python's keywords and the prefixes of the dialect cannot be names. */
static const char *const reserved[] = {
    "False", "None",     "True",  "and",    "as",       "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif",     "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",       "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",      "while",  "with",   "yield",    "T",
    "R",     "I",        "cls",   "range",  "metadata", "tvm"};

static bool is_reserved(const char *name) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; ++i) {
    if (strcmp(reserved[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* Any text as a Python identifier; models come with names such as "layer1.0/conv". */
static char *identifier(tn_printer *p, const char *wanted) {
  size_t len = strlen(wanted);
  char *name = tn_arena_alloc(&p->arena, len + 3, 1);
  char *w = name;
  if (len == 0 || isdigit((unsigned char)wanted[0])) {
    *w++ = 'v';
  }
  for (size_t i = 0; i < len; ++i) {
    unsigned char c = (unsigned char)wanted[i];
    *w++ = (char)(c < 0x80 && (isalnum(c) || c == '_') ? c : '_');
  }
  if (is_reserved(name)) {
    *w++ = '_';
  }
  return name;
}

static char *numbered(tn_printer *p, const char *base, uint32_t k) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, base[strlen(base) - 1] == '_' ? "%s%u" : "%s_%u", base, k);
  char *name = tn_arena_strndup(&p->arena, text.data, text.len);
  tn_buf_deinit(&text);
  return name;
}

/* The smallest free number; where to look is remembered, since "storage" and "_" come by the
 * thousand. */
const char *tn_pr_define(tn_printer *p, const tn_node *n, const char *wanted) {
  char *base = identifier(p, wanted);
  tn_name_entry entry = {.id = n->id, .name = base};
  if (tn_strmap_has(&p->used, base)) {
    entry.base = base;
    entry.k = (uint32_t)(uintptr_t)tn_strmap_find(&p->next, base);
    uint32_t k = entry.k == 0 ? 1 : entry.k;
    entry.name = numbered(p, base, k);
    while (tn_strmap_has(&p->used, entry.name)) {
      entry.name = numbered(p, base, ++k);
    }
    tn_strmap_set(&p->next, base, (void *)(uintptr_t)(k + 1));
  }
  tn_strmap_set(&p->used, entry.name, entry.name);
  tn_map_set(&p->names, n->id, (uint64_t)(uintptr_t)entry.name);
  TN_VEC_PUSH(&p->scope, entry);
  return entry.name;
}

bool tn_pr_is_defined(const tn_printer *p, const tn_node *n) {
  return tn_map_find(&p->names, n->id, NULL);
}

const char *tn_pr_name(tn_printer *p, const tn_node *n) {
  uint64_t value = 0;
  if (tn_map_find(&p->names, n->id, &value)) {
    return (const char *)(uintptr_t)value;
  }
  return identifier(p, n->attr.text);
}

size_t tn_pr_enter(const tn_printer *p) { return p->scope.len; }

void tn_pr_leave(tn_printer *p, size_t mark) {
  while (p->scope.len > mark) {
    tn_name_entry entry = TN_VEC_POP(&p->scope);
    tn_map_remove(&p->names, entry.id);
    if (entry.name != NULL) {
      tn_strmap_remove(&p->used, entry.name);
    }
    if (entry.base != NULL) { /* names go in the opposite order: what was free then is free now */
      tn_strmap_set(&p->next, entry.base, (void *)(uintptr_t)entry.k);
    }
  }
}

void tn_pr_line(tn_printer *p) {
  for (int32_t i = 0; i < p->indent; ++i) {
    tn_buf_puts(p->out, p->indent_unit);
  }
}

void tn_pr_string(tn_printer *p, const char *text) {
  tn_buf_putc(p->out, '"');
  for (const char *c = text; *c != '\0'; ++c) {
    switch (*c) {
      case '"':
        tn_buf_puts(p->out, "\\\"");
        break;
      case '\\':
        tn_buf_puts(p->out, "\\\\");
        break;
      case '\n':
        tn_buf_puts(p->out, "\\n");
        break;
      case '\t':
        tn_buf_puts(p->out, "\\t");
        break;
      case '\r':
        tn_buf_puts(p->out, "\\r");
        break;
      default:
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
          tn_buf_printf(p->out, "\\x%02x", (unsigned)(unsigned char)*c);
        } else {
          tn_buf_putc(p->out, *c);
        }
    }
  }
  tn_buf_putc(p->out, '"');
}

size_t tn_pr_const_index(tn_printer *p, const tn_node *c) {
  for (size_t i = 0; i < p->consts.len; ++i) {
    if (p->consts.data[i] == c) {
      return i;
    }
  }
  TN_VEC_PUSH(&p->consts, c);
  return p->consts.len - 1;
}

void tn_pr_function(tn_printer *p, const char *name, const tn_node *func) {
  size_t mark = tn_pr_enter(p);
  if (tn_is(func, TN_OP_PRIM_FUNC)) {
    tn_pr_prim_func(p, name, func);
  } else if (tn_is(func, TN_OP_GFUNC)) {
    tn_pr_graph_func(p, name, func);
  } else {
    tn_pr_line(p);
    tn_buf_printf(p->out, "%s = R.ExternFunc(", name);
    tn_pr_string(p, func->attr.text);
    tn_buf_puts(p->out, ")\n");
  }
  tn_pr_leave(p, mark);
}

static int32_t rank(const tn_module *module, uint32_t i) {
  if (strcmp(module->funcs[i].name, "main") == 0) {
    return 3;
  }
  const tn_node *func = module->funcs[i].func;
  return tn_is(func, TN_OP_PRIM_FUNC) ? 0 : tn_is(func, TN_OP_EXTERN) ? 1 : 2;
}

typedef struct place {
  int32_t rank;
  uint32_t i;
  const char *name;
} place;

static int by_rank_and_name(const void *a, const void *b) {
  const place *x = a;
  const place *y = b;
  return x->rank != y->rank ? x->rank - y->rank : strcmp(x->name, y->name);
}

/* Indices of functions in the order of print: loop functions, externs, graph functions, each by
 * name; main last. */
static void sort_functions(tn_printer *p, uint32_t *order) {
  const tn_module *module = p->module;
  place *places =
      tn_arena_alloc(&p->arena, sizeof *places * (module->n_funcs + 1), _Alignof(place));
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    places[i] = (place){rank(module, i), i, module->funcs[i].name};
  }
  qsort(places, module->n_funcs, sizeof *places, by_rank_and_name);
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    order[i] = places[i].i;
  }
}

static void print_module_attrs(tn_printer *p) {
  static const char *const keys[] = {"module_attrs", "module_global_infos"};
  for (size_t i = 0; i < 2; ++i) {
    const tn_node *value =
        p->module->attrs == NULL ? NULL : tn_dict_find(p->module->attrs, keys[i]);
    if (value == NULL) {
      continue;
    }
    tn_pr_line(p);
    tn_buf_printf(p->out, "I.%s(", keys[i]);
    tn_pr_dict(p, value);
    tn_buf_puts(p->out, ")\n\n");
  }
}

static void print_header(tn_printer *p) {
  bool has_tir = false;
  bool has_graph = false;
  for (uint32_t i = 0; i < p->module->n_funcs; ++i) {
    has_tir |= tn_is(p->module->funcs[i].func, TN_OP_PRIM_FUNC);
    has_graph |= !tn_is(p->module->funcs[i].func, TN_OP_PRIM_FUNC);
  }
  tn_buf_puts(p->out, "# from tvm.script import ir as I\n");
  if (has_tir || has_graph) {
    tn_buf_puts(p->out, "# from tvm.script import tir as T\n");
  }
  if (has_graph) {
    tn_buf_puts(p->out, "# from tvm.script import relax as R\n");
  }
  tn_buf_putc(p->out, '\n');
}

static const tn_print_opts default_opts = {0};

static tn_printer printer_make(const tn_module *module, const tn_print_opts *opts, tn_buf *out) {
  tn_printer p = {.module = module,
                  .opts = opts != NULL ? opts : &default_opts,
                  .out = out,
                  .indent_unit = "    "};
  tn_arena_init(&p.arena, 0);
  p.bare_int = TN_DT_I32;
  return p;
}

static void printer_deinit(tn_printer *p) {
  tn_arena_deinit(&p->arena);
  tn_map_deinit(&p->names);
  tn_map_deinit(&p->domains);
  tn_strmap_deinit(&p->used);
  tn_strmap_deinit(&p->next);
  TN_VEC_DEINIT(&p->scope);
  TN_VEC_DEINIT(&p->consts);
}

/* Module members are names everywhere in the module, so variables may not hide them. */
static void reserve_function_names(tn_printer *p) { tn_strmap_set(&p->used, p->module->name, p); }

static void print_class(tn_printer *p) {
  tn_buf_printf(p->out, "@I.ir_module\nclass %s:\n", p->module->name);
  p->indent = 1;
  print_module_attrs(p);
  uint32_t *order =
      tn_arena_alloc(&p->arena, sizeof *order * (p->module->n_funcs + 1), _Alignof(uint32_t));
  sort_functions(p, order);
  for (uint32_t i = 0; i < p->module->n_funcs; ++i) {
    if (i > 0) {
      tn_buf_putc(p->out, '\n');
    }
    tn_pr_function(p, p->module->funcs[order[i]].name, p->module->funcs[order[i]].func);
  }
  if (p->module->n_funcs == 0) {
    tn_buf_puts(p->out, "    pass\n");
  }
}

void tn_script_print(const tn_module *module, const tn_print_opts *opts, tn_buf *out) {
  tn_printer p = printer_make(module, opts, out);
  reserve_function_names(&p);
  bool is_bare =
      p.opts->is_bare && module->n_funcs == 1 && tn_is(module->funcs[0].func, TN_OP_PRIM_FUNC);
  if (p.opts->with_header && !is_bare) {
    print_header(&p);
  }
  if (is_bare) {
    tn_pr_function(&p, module->funcs[0].name, module->funcs[0].func);
  } else {
    print_class(&p);
  }
  if (p.opts->out_consts != NULL) {
    for (size_t i = 0; i < p.consts.len; ++i) {
      TN_VEC_PUSH(p.opts->out_consts, p.consts.data[i]);
    }
  }
  printer_deinit(&p);
}

void tn_script_print_node(const tn_node *n, tn_buf *out) {
  tn_printer p = printer_make(NULL, NULL, out);
  switch (tn_op_info_get((tn_op)n->op)->cls) {
    case TN_CLASS_FUNC:
      tn_pr_function(&p, n->attr.text, n);
      break;
    case TN_CLASS_TYPE:
      tn_pr_type(&p, n);
      break;
    case TN_CLASS_STMT:
      switch ((tn_op)n->op) {
        case TN_OP_GBIND:
        case TN_OP_MATCH_CAST:
        case TN_OP_DATAFLOW:
        case TN_OP_GIF:
        case TN_OP_YIELD:
          tn_pr_graph_stmt(&p, n);
          break;
        default:
          tn_pr_stmt(&p, n);
          break;
      }
      break;
    case TN_CLASS_EXPR:
    case TN_CLASS_LEAF:
    case TN_CLASS_AUX:
      tn_pr_graph_expr(&p, n);
      break;
  }
  printer_deinit(&p);
}
