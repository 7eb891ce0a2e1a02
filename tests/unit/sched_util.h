/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Schedules in tests, written as short scripts over the names in a program:
 *
 *   sched_case c;
 *   sched_init(&c, "for i in range(8):\n    with T.block(\"B\"): ...", "A: T.Buffer(...)");
 *   sched_run(&c, "a, b = split(i, [None, 4])\nparallel(a); annotate(B, \"key\", 1)");
 *   sched_expect_refused(&c, "vectorize(k)", "part of the message");
 *   sched_expect_body(&c, "the body of the function as it prints");
 *   sched_expect_same(&c);        // the interpreter: before and after, bit by bit, and checked
 *   sched_deinit(&c);
 *
 * A name is what a line of the script bound to it, else a loop (the first of that name; "B:i": the
 * one around block B), else a block. Steps verify the program after each. */
#ifndef TN_TESTS_SCHED_UTIL_H
#define TN_TESTS_SCHED_UTIL_H

#include "sched/sched_priv.h"
#include "script/script.h"
#include "tn_test.h"

enum { SCHED_MAX_VARS = 64, SCHED_MAX_ARGS = 12, SCHED_MAX_ITEMS = 32 };

typedef struct sched_case {
  tn_module before;
  tn_sched *s;
  uint32_t n_vars;
  struct {
    char name[24];
    const tn_node *value;
  } vars[SCHED_MAX_VARS];
  const tn_node *out; /* of the last step */
} sched_case;

/* ---- programs ---- */

/// Reads a whole text: functions, or a class.
static inline void sched_init_text(sched_case *c, const char *text) {
  tn_diags diags = {0};
  const tn_script_opts opts = {.file_name = "case.py"};
  *c = (sched_case){.s = NULL};
  tn_module_init(&c->before, tn_ir_new(0), "Module");
  tn_script_parse(text, strlen(text), &opts, &c->before, &diags);
  for (uint32_t i = 0; diags.n == 0 && i < c->before.n_funcs; ++i) {
    tn_tir_verify(c->before.ir, c->before.funcs[i].func, &diags);
  }
  if (diags.n > 0) {
    print_error("%s\n", text);
  }
  expect_ok(tn_diags_to_status(&diags, c->before.ir));
  c->s = tn_sched_new(&c->before, 1);
}

/// Appends `text`, each line indented by four spaces.
static inline void sched_indent(tn_buf *out, const char *text) {
  for (const char *p = text; *p != '\0'; ++p) {
    if (*p != '\n' && (p == text || p[-1] == '\n')) {
      tn_buf_puts(out, "    ");
    }
    tn_buf_putc(out, *p);
  }
}

/// A function `f` of those parameters with that body.
static inline void sched_init(sched_case *c, const char *body, const char *params) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "@T.prim_func\ndef f(%s):\n", params);
  sched_indent(&text, body);
  tn_buf_putc(&text, '\n');
  sched_init_text(c, tn_buf_text(&text));
  tn_buf_deinit(&text);
}

static inline void sched_deinit(sched_case *c) {
  tn_ir *ir = c->before.ir;
  tn_sched_free(c->s);
  tn_module_deinit(&c->before);
  tn_ir_free(ir);
}

static inline void sched_show(const sched_case *c, const char *what) {
  tn_buf buf = TN_BUF_INIT;
  tn_script_print(tn_sched_module(c->s), &(tn_print_opts){0}, &buf);
  print_error("---- %s\n%s\n", what, tn_buf_text(&buf));
  tn_buf_deinit(&buf);
}

/* ---- scripts ---- */

static inline const tn_node *sched_loop_named(const tn_tree *tree, const char *name) {
  for (size_t i = 0; i < tree->loops.len; ++i) {
    if (strcmp(tree->loops.data[i]->in[TN_FOR_VAR]->attr.text, name) == 0) {
      return tree->loops.data[i]->in[TN_FOR_VAR];
    }
  }
  return NULL;
}

static inline const tn_node *sched_block_named(const tn_tree *tree, const char *name) {
  for (size_t i = 0; i < tree->blocks.len; ++i) {
    if (strcmp(tree->blocks.data[i]->in[TN_BLOCK_LABEL]->attr.text, name) == 0) {
      return tree->blocks.data[i]->in[TN_BLOCK_LABEL];
    }
  }
  return NULL;
}

static inline const tn_node *sched_loop_around(const tn_tree *tree, const char *block,
                                               const char *name) {
  const tn_node *label = sched_block_named(tree, block);
  const tn_node *at = label == NULL ? NULL : tn_tree_site(tree, label);
  for (; at != NULL; at = tn_tree_parent(tree, at)) {
    if (tn_is(at, TN_OP_FOR) && strcmp(at->in[TN_FOR_VAR]->attr.text, name) == 0) {
      return at->in[TN_FOR_VAR];
    }
  }
  return NULL;
}

/// A loop or block of the program by its name; NULL when there is none.
static inline const tn_node *sched_find(sched_case *c, const char *name) {
  const tn_module *module = tn_sched_module(c->s);
  const char *colon = strchr(name, ':');
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    const tn_tree *tree = tn_sched_tree_of(c->s, module->funcs[i].name);
    const tn_node *found = NULL;
    if (tree != NULL && colon != NULL) {
      char block[32];
      (void)snprintf(block, sizeof block, "%.*s", (int)(colon - name), name);
      found = sched_loop_around(tree, block, colon + 1);
    } else if (tree != NULL) {
      found = sched_loop_named(tree, name);
      found = found != NULL ? found : sched_block_named(tree, name);
    }
    if (found != NULL) {
      return found;
    }
  }
  return NULL;
}

static inline void sched_bind(sched_case *c, const char *name, size_t len, const tn_node *value) {
  assert_true(c->n_vars < SCHED_MAX_VARS && len < sizeof c->vars[0].name);
  memcpy(c->vars[c->n_vars].name, name, len);
  c->vars[c->n_vars].name[len] = '\0';
  c->vars[c->n_vars++].value = value;
}

static inline const tn_node *sched_name(sched_case *c, const char *name) {
  tn_ir *ir = c->before.ir;
  if (strcmp(name, "None") == 0) {
    return tn_none(ir);
  }
  if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0) {
    return tn_bool(ir, name[0] == 'T');
  }
  for (uint32_t i = c->n_vars; i > 0; --i) {
    if (strcmp(c->vars[i - 1].name, name) == 0) {
      return c->vars[i - 1].value;
    }
  }
  const tn_node *found = sched_find(c, name);
  if (found == NULL) {
    sched_show(c, "here");
    fail_msg("no loop or block '%s'", name);
  }
  return found;
}

static inline size_t sched_name_len(const char *p) {
  return strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:");
}

static inline const tn_node *sched_value(sched_case *c, const char **at);

static inline const tn_node *sched_list(sched_case *c, const char **at) {
  const tn_node *items[SCHED_MAX_ITEMS];
  uint32_t n = 0;
  ++*at;
  while (**at != ']' && **at != ')') {
    assert_true(n < SCHED_MAX_ITEMS && **at != '\0');
    items[n++] = sched_value(c, at);
    *at += strspn(*at, " ,");
  }
  ++*at;
  return tn_list(c->before.ir, n, items);
}

/* `lambda i, j: (i // 8, j, i % 8)`, results in parentheses: read as T.index_map in a program. */
static inline const tn_node *sched_lambda(sched_case *c, const char **at) {
  const char *end = strchr(*at, ':');
  int32_t depth = 0;
  do {
    ++end;
    depth += (*end == '(') - (*end == ')');
  } while (*end != '\0' && (depth > 0 || *end != ')'));
  tn_buf text = TN_BUF_INIT;
  tn_module module;
  tn_diags diags = {0};
  const tn_script_opts opts = {.file_name = "map.py"};
  tn_buf_printf(&text,
                "@T.prim_func\ndef m():\n    T.func_attr({\"m\": T.index_map(%.*s)})\n    pass\n",
                (int)(end + 1 - *at), *at);
  tn_module_init(&module, c->before.ir, "Module");
  tn_script_parse(tn_buf_text(&text), text.len, &opts, &module, &diags);
  expect_ok(tn_diags_to_status(&diags, c->before.ir));
  const tn_node *map = tn_dict_find(module.funcs[0].func->in[TN_PRIM_FUNC_ATTRS], "m");
  tn_module_deinit(&module);
  tn_buf_deinit(&text);
  *at = end + 1;
  return map;
}

static inline const tn_node *sched_value(sched_case *c, const char **at) {
  tn_ir *ir = c->before.ir;
  *at += strspn(*at, " ");
  char text[64];
  if (**at == '[' || **at == '(') {
    return sched_list(c, at);
  }
  if (strncmp(*at, "lambda ", 7) == 0) {
    return sched_lambda(c, at);
  }
  if (**at == '"') {
    size_t len = strcspn(*at + 1, "\"");
    (void)snprintf(text, sizeof text, "%.*s", (int)len, *at + 1);
    *at += len + 2;
    return tn_str(ir, text);
  }
  if (**at == '-' || (**at >= '0' && **at <= '9')) {
    char *end = NULL;
    size_t len = strspn(*at, "-0123456789.");
    bool is_float = memchr(*at, '.', len) != NULL;
    const tn_node *number = is_float ? tn_float(ir, TN_DT_F32, strtod(*at, &end))
                                     : tn_int(ir, TN_DT_I32, strtoll(*at, &end, 10));
    *at = end;
    return number;
  }
  size_t len = sched_name_len(*at);
  (void)snprintf(text, sizeof text, "%.*s", (int)len, *at);
  *at += len;
  return sched_name(c, text);
}

/* One argument, "name=value" or by position; a *rest parameter takes all that come by position. */
static inline void sched_arg(sched_case *c, const tn_prim_param *params, uint32_t n_params,
                             const char **at, const tn_node **args, uint32_t *n_args) {
  size_t len = sched_name_len(*at);
  if (len > 0 && (*at)[len] == '=') {
    uint32_t i = 0;
    while (i < n_params &&
           (strlen(params[i].name) != len || memcmp(params[i].name, *at, len) != 0)) {
      ++i;
    }
    expect_true(i < n_params, "no parameter %.*s", (int)len, *at);
    *at += len + 1;
    args[i] = sched_value(c, at);
    return;
  }
  const tn_node *value = sched_value(c, at);
  bool is_rest = n_params > 0 && params[0].is_rest;
  if (!is_rest) {
    assert_true(*n_args < TN_PRIM_MAX_PARAMS);
    args[(*n_args)++] = value;
    return;
  }
  const tn_node *items[SCHED_MAX_ITEMS];
  uint32_t n = args[0] == NULL ? 0 : args[0]->n_in;
  assert_true(n < SCHED_MAX_ITEMS);
  for (uint32_t i = 0; i < n; ++i) {
    items[i] = args[0]->in[i];
  }
  items[n] = value;
  args[0] = tn_list(c->before.ir, n + 1, items);
}

static inline void sched_bind_names(sched_case *c, const char *names, const char *end,
                                    const tn_node *out) {
  bool is_list = memchr(names, ',', (size_t)(end - names)) != NULL;
  for (uint32_t i = 0; names < end; ++i) {
    names += strspn(names, " ,");
    size_t len = sched_name_len(names);
    if (len == 0) {
      break;
    }
    expect_true(!is_list || (tn_is(out, TN_OP_LIST) && i < out->n_in), "result %u of %u", i,
                out->n_in);
    sched_bind(c, names, len, is_list ? out->in[i] : out);
    names += len;
  }
}

/// Does the step `[names =] primitive(args)`; *out_end: what follows it.
static inline tn_status sched_step(sched_case *c, const char *text, const char **out_end) {
  text += strspn(text, " \n;");
  const char *open = strchr(text, '(');
  expect_true(open != NULL, "a step: %s", text);
  const char *equals = memchr(text, '=', (size_t)(open - text));
  const char *at = equals == NULL ? text : equals + 1;
  char name[64];
  at += strspn(at, " ");
  (void)snprintf(name, sizeof name, "%.*s", (int)(open - at), at);
  const tn_prim *prim = tn_prim_find(name);
  expect_true(prim != NULL, "no primitive %s", name);
  tn_prim_param params[TN_PRIM_MAX_PARAMS];
  uint32_t n_params = tn_prim_params(prim, params);
  const tn_node *args[TN_PRIM_MAX_PARAMS] = {0};
  uint32_t n_args = 0;
  at = open + 1 + strspn(open + 1, " ");
  while (*at != ')') {
    sched_arg(c, params, n_params, &at, args, &n_args);
    at += strspn(at, " ,");
  }
  *out_end = at + 1;
  tn_status st = tn_sched_apply(c->s, prim, n_params, args, &c->out);
  if (st == NULL && equals != NULL) {
    sched_bind_names(c, text, equals, c->out);
  }
  return st;
}

/// The program verifies.
static inline void sched_expect_verifies(sched_case *c, const char *what) {
  const tn_module *module = tn_sched_module(c->s);
  tn_diags diags = {0};
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    tn_tir_verify(module->ir, module->funcs[i].func, &diags);
  }
  if (diags.n > 0) {
    sched_show(c, what);
  }
  expect_ok(tn_diags_to_status(&diags, module->ir));
}

/// Does the steps of a script, one a line or with ';' between; each must succeed.
static inline void sched_run(sched_case *c, const char *steps) {
  const char *at = steps;
  at += strspn(at, " \n;");
  while (*at != '\0') {
    tn_status st = sched_step(c, at, &at);
    if (st != NULL) {
      sched_show(c, steps);
    }
    expect_ok(st);
    sched_expect_verifies(c, steps);
    at += strspn(at, " \n;");
  }
}

/// The one step is refused with a message that has `part`, and nothing changes.
static inline void sched_expect_refused(sched_case *c, const char *step, const char *part) {
  const char *end = NULL;
  tn_module before;
  tn_module_init_copy(&before, tn_sched_module(c->s));
  uint32_t n_steps = tn_sched_n_steps(c->s);
  tn_status st = sched_step(c, step, &end);
  if (st == NULL) {
    sched_show(c, step);
  }
  expect_error(st, TN_INVALID, part);
  assert_int_equal(tn_sched_n_steps(c->s), n_steps);
  const tn_module *after = tn_sched_module(c->s);
  assert_int_equal(after->n_funcs, before.n_funcs);
  for (uint32_t i = 0; i < before.n_funcs; ++i) {
    assert_ptr_equal(after->funcs[i].func, before.funcs[i].func);
  }
  tn_module_deinit(&before);
}

/* ---- texts ---- */

/// The program as it prints now; the caller frees.
static inline char *sched_text(const sched_case *c) {
  tn_buf buf = TN_BUF_INIT;
  tn_script_print(tn_sched_module(c->s), &(tn_print_opts){.is_bare = true}, &buf);
  return tn_buf_take(&buf);
}

/// Compares the body of the only function: what follows `def` and the comment of the root block,
/// without indentation; no newline at the end.
static inline void sched_expect_body(const sched_case *c, const char *want) {
  char *text = sched_text(c);
  tn_buf body = TN_BUF_INIT;
  bool is_in_body = false;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    if (is_in_body && strstr(line, "# with T.block(\"root\")") == NULL &&
        strstr(line, "T.func_attr(") == NULL) {
      tn_buf_printf(&body, "%s%s", body.len == 0 ? "" : "\n",
                    strncmp(line, "    ", 4) == 0 ? line + 4 : line);
    }
    is_in_body = is_in_body || strncmp(line, "def ", 4) == 0;
  }
  expect_text(tn_buf_text(&body), want);
  tn_buf_deinit(&body);
  free(text);
}

/* ---- running ---- */

typedef struct sched_args {
  tn_array arrays[SCHED_MAX_ARGS];
  tn_tir_arg args[SCHED_MAX_ARGS];
  int32_t n;
} sched_args;

/* size: what the first symbol that is met stands for; others count up from it. */
static inline int64_t sched_extent(const tn_node *extent, int64_t size) {
  if (tn_is(extent, TN_OP_INT)) {
    return extent->attr.i64;
  }
  assert_true(tn_is(extent, TN_OP_VAR));
  return size + (extent->attr.text[0] - 'a') % 3; /* m: 0, n: 1 */
}

/* Small integers, so that no order of adding them rounds. */
static inline void sched_args_init(sched_args *a, const tn_node *func, int64_t size,
                                   uint64_t seed) {
  tn_rng rng = tn_rng_make(seed);
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  *a = (sched_args){.n = (int32_t)buffers->n_in};
  assert_true(a->n <= SCHED_MAX_ARGS);
  for (int32_t i = 0; i < a->n; ++i) {
    const tn_node *buffer = buffers->in[i];
    if (tn_is_none(buffer)) {
      a->args[i] = (tn_tir_arg){.i64 = size};
      continue;
    }
    int64_t shape[TN_MAX_NDIM];
    for (uint32_t d = 0; d < tn_buffer_ndim(buffer); ++d) {
      shape[d] = sched_extent(buffer->in[TN_BUFFER_SHAPE]->in[d], size);
    }
    tn_array *array = &a->arrays[i];
    expect_ok(tn_array_init(array, buffer->dtype, (int32_t)tn_buffer_ndim(buffer), shape));
    for (int64_t k = 0; k < tn_array_n_elems(array); ++k) {
      tn_array_set_i64(array, k, tn_rng_range(&rng, -3, 3));
    }
    a->args[i].array = array;
  }
}

static inline void sched_args_deinit(sched_args *a) {
  for (int32_t i = 0; i < a->n; ++i) {
    tn_array_deinit(&a->arrays[i]);
  }
}

static inline void sched_expect_same_at(sched_case *c, const char *func, int64_t size,
                                        uint64_t seed) {
  sched_args a[3];
  const tn_module *after = tn_sched_module(c->s);
  tn_tir_checker *checker = tn_tir_checker_new(after->ir);
  for (int32_t i = 0; i < 3; ++i) {
    tn_tir_hooks hooks = {.max_steps = 50000000, .checker = i == 2 ? checker : NULL};
    sched_args_init(&a[i], tn_module_find(&c->before, func), size, seed);
    tn_status st =
        tn_tir_interp(i == 0 ? &c->before : after, func, a[i].args, a[i].n, &hooks, NULL);
    st = i == 2 ? tn_tir_checker_finish(checker, st) : st;
    if (st != NULL) {
      sched_show(c, i == 2 ? "checked" : "run");
    }
    expect_ok(st);
  }
  for (int32_t i = 0; i < a[0].n; ++i) {
    tn_array *want = &a[0].arrays[i];
    if (a[0].args[i].array != NULL &&
        memcmp(want->data, a[1].arrays[i].data, tn_array_n_bytes(want)) != 0) {
      sched_show(c, "computes something else");
      fail_msg("argument %d of %s differs, size %lld", i, func, (long long)size);
    }
  }
  for (int32_t i = 0; i < 3; ++i) {
    sched_args_deinit(&a[i]);
  }
  tn_tir_checker_free(checker);
}

/// Every function that was there computes what it did, bit by bit, for some sizes of its symbols,
/// and the checked interpreter finds nothing.
static inline void sched_expect_same(sched_case *c) {
  static const int64_t sizes[] = {0, 1, 7, 16};
  for (uint32_t i = 0; i < c->before.n_funcs; ++i) {
    for (size_t k = 0; k < TN_N_ROWS(sizes); ++k) {
      if (tn_is(c->before.funcs[i].func, TN_OP_PRIM_FUNC)) {
        sched_expect_same_at(c, c->before.funcs[i].name, sizes[k], k + 1);
      }
    }
  }
}

/* ---- tables ---- */

/// A program, steps, and what comes out.
typedef struct sched_row {
  const char *name;
  const char *params;
  const char *body;
  const char *steps;
  const char *want;    /* the body afterwards; NULL: not compared */
  const char *refused; /* not NULL: the last line of steps is refused with this in its message */
} sched_row;

static inline void sched_check_row(const sched_row *row) {
  sched_case c;
  print_message("  %s\n", row->name);
  sched_init(&c, row->body, row->params);
  if (row->refused != NULL) {
    const char *last = strrchr(row->steps, '\n');
    char *first = strdup(row->steps);
    first[last == NULL ? 0 : last - row->steps] = '\0';
    sched_run(&c, first);
    sched_expect_refused(&c, last == NULL ? row->steps : last + 1, row->refused);
    free(first);
  } else {
    sched_run(&c, row->steps);
  }
  if (row->want != NULL) {
    sched_expect_body(&c, row->want);
  }
  sched_expect_same(&c);
  sched_deinit(&c);
}

static inline void sched_check_rows(const sched_row *rows, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    sched_check_row(&rows[i]);
  }
}

#endif
