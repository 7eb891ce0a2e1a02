/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Index expressions, domains and footprints as short texts, for tests and benches of arith:
 *
 *   "i * 8 + min(j, n - 1)"           int32 over variables that are made when first named
 *   "i:8 j:n k:1~4 | i * 8 + j < n"   a domain: name:extent or name:min~extent, then a condition
 *   "i:8 j:n -> i, j * 4 ~ 4"         a footprint: indices, with an extent or without
 *
 * Extents are one word or stand in parentheses. Also prints and evaluates. */
#ifndef TN_TESTS_ARITH_TEXT_H
#define TN_TESTS_ARITH_TEXT_H

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "arith/sets.h"
#include "base/buf.h"
#include "base/check.h"

enum { TEXT_MAX_VARS = 64, TEXT_MAX_LIST = 16 };

typedef struct text_world {
  tn_ir *ir;
  uint32_t n;
  char names[TEXT_MAX_VARS][16];
  const tn_node *vars[TEXT_MAX_VARS];
  int64_t values[TEXT_MAX_VARS]; /* for text_eval */
} text_world;

typedef struct text_list {
  uint32_t n;
  const tn_node *items[TEXT_MAX_LIST];
} text_list;

typedef struct text_domain {
  text_list vars;
  text_list mins;
  text_list extents;
  const tn_node *cond;
} text_domain;

typedef struct text_footprint {
  text_domain domain;
  text_list mins;
  text_list extents;
  bool is_region;
} text_footprint;

static inline const tn_node *text_var(text_world *w, const char *name, size_t len) {
  for (uint32_t i = 0; i < w->n; ++i) {
    if (strlen(w->names[i]) == len && strncmp(w->names[i], name, len) == 0) {
      return w->vars[i];
    }
  }
  TN_CHECK(w->n < TEXT_MAX_VARS && len < 16, "too many variables, or too long a name");
  memcpy(w->names[w->n], name, len);
  w->names[w->n][len] = 0;
  w->vars[w->n] = tn_var_new(w->ir, w->names[w->n], TN_DT_I32);
  return w->vars[w->n++];
}

/* ---- expressions: or, and, not, comparison, sum, product, atom ---- */

static inline const tn_node *text_any(text_world *w, const char **p);

static inline void text_skip(const char **p) {
  while (**p == ' ') {
    ++*p;
  }
}

static inline bool text_take(const char **p, const char *word) {
  text_skip(p);
  if (strcmp(word, "-") == 0 && strncmp(*p, "->", 2) == 0) {
    return false;
  }
  size_t len = strlen(word);
  bool is_there = strncmp(*p, word, len) == 0 &&
                  !(isalpha((unsigned char)word[len - 1]) && isalnum((unsigned char)(*p)[len]));
  *p += is_there ? len : 0;
  return is_there;
}

static inline const tn_node *text_atom(text_world *w, const char **p) {
  if (text_take(p, "-")) {
    const tn_node *a = text_atom(w, p);
    return tn_node_new(w->ir, TN_OP_NEG, a->dtype, (tn_attr){.i64 = 0}, 1, &a);
  }
  if (text_take(p, "(")) {
    const tn_node *e = text_any(w, p);
    TN_CHECK(text_take(p, ")"), "')' is missing at '%s'", *p);
    return e;
  }
  bool is_min = text_take(p, "min(");
  if (is_min || text_take(p, "max(")) {
    const tn_node *a = text_any(w, p);
    TN_CHECK(text_take(p, ","), "',' is missing at '%s'", *p);
    const tn_node *b = text_any(w, p);
    TN_CHECK(text_take(p, ")"), "')' is missing at '%s'", *p);
    return tn_binary(w->ir, is_min ? TN_OP_MIN : TN_OP_MAX, a, b);
  }
  if (isdigit((unsigned char)**p)) {
    char *end = NULL;
    int64_t value = strtoll(*p, &end, 10);
    *p = end;
    return tn_int(w->ir, TN_DT_I32, value);
  }
  const char *start = *p;
  while (isalnum((unsigned char)**p) || **p == '_') {
    ++*p;
  }
  TN_CHECK(*p > start, "an expression is missing at '%s'", *p);
  return text_var(w, start, (size_t)(*p - start));
}

typedef struct text_op {
  const char *text;
  tn_op op;
  int level;
} text_op;

static const text_op text_ops[] = {
    {"or", TN_OP_OR, 0},  {"and", TN_OP_AND, 1}, {"==", TN_OP_EQ, 2},
    {"!=", TN_OP_NE, 2},  {"<=", TN_OP_LE, 2},   {">=", TN_OP_GE, 2},
    {"<", TN_OP_LT, 2},   {">", TN_OP_GT, 2},    {"+", TN_OP_ADD, 3},
    {"-", TN_OP_SUB, 3},  {"*", TN_OP_MUL, 4},   {"//", TN_OP_FLOORDIV, 4},
    {"/t", TN_OP_DIV, 4}, {"%t", TN_OP_MOD, 4},  {"%", TN_OP_FLOORMOD, 4},
};

static inline const tn_node *text_level(text_world *w, const char **p, int level) {
  if (level == 5) {
    return text_atom(w, p);
  }
  if (level == 2 && text_take(p, "not")) {
    const tn_node *a = text_level(w, p, 2);
    return tn_node_new(w->ir, TN_OP_NOT, TN_DT_BOOL, (tn_attr){.i64 = 0}, 1, &a);
  }
  const tn_node *a = text_level(w, p, level + 1);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (size_t i = 0; i < sizeof text_ops / sizeof *text_ops && !goes_on; ++i) {
      if (text_ops[i].level == level && text_take(p, text_ops[i].text)) {
        a = tn_binary(w->ir, text_ops[i].op, a, text_level(w, p, level + 1));
        goes_on = true;
      }
    }
  }
  return a;
}

static inline const tn_node *text_any(text_world *w, const char **p) { return text_level(w, p, 0); }

static inline const tn_node *text_expr(text_world *w, const char *text) {
  const char *p = text;
  const tn_node *e = text_any(w, &p);
  TN_CHECK(*p == 0, "cannot read '%s' of '%s'", p, text);
  return e;
}

static inline text_list text_exprs(text_world *w, const char *text) {
  text_list list = {.n = 0};
  const char *p = text;
  text_skip(&p);
  while (*p != 0) {
    list.items[list.n++] = text_any(w, &p);
    if (!text_take(&p, ",")) {
      break;
    }
  }
  TN_CHECK(*p == 0, "cannot read '%s' of '%s'", p, text);
  return list;
}

/* ---- domains ---- */

static inline void text_push(text_list *list, const tn_node *e) {
  TN_CHECK(list->n < TEXT_MAX_LIST, "too long a list");
  list->items[list->n++] = e;
}

static inline text_domain text_read_domain(text_world *w, const char **p) {
  text_domain d = {.cond = NULL};
  text_skip(p);
  while (isalpha((unsigned char)**p)) {
    const char *start = *p;
    while (**p != ':') {
      ++*p;
    }
    text_push(&d.vars, text_var(w, start, (size_t)(*p - start)));
    ++*p;
    const tn_node *first = text_atom(w, p);
    bool has_min = text_take(p, "~");
    text_push(&d.mins, has_min ? first : tn_int(w->ir, TN_DT_I32, 0));
    text_push(&d.extents, has_min ? text_atom(w, p) : first);
    text_skip(p);
  }
  if (text_take(p, "|")) {
    d.cond = text_any(w, p);
  }
  return d;
}

static inline text_domain text_domain_of(text_world *w, const char *text) {
  const char *p = text;
  text_domain d = text_read_domain(w, &p);
  TN_CHECK(*p == 0, "cannot read '%s' of '%s'", p, text);
  return d;
}

static inline text_footprint text_footprint_of(text_world *w, const char *text) {
  const char *p = text;
  text_footprint f = {.domain = text_read_domain(w, &p)};
  TN_CHECK(text_take(&p, "->"), "'->' is missing at '%s'", p);
  text_skip(&p);
  while (*p != 0) {
    text_push(&f.mins, text_any(w, &p));
    bool has_extent = text_take(&p, "~");
    f.is_region = f.is_region || has_extent;
    text_push(&f.extents, has_extent ? text_any(w, &p) : tn_int(w->ir, TN_DT_I32, 1));
    if (!text_take(&p, ",")) {
      break;
    }
  }
  TN_CHECK(*p == 0, "cannot read '%s' of '%s'", p, text);
  return f;
}

/* What the questions take; borrows. */
static inline tn_domain text_as_domain(const text_domain *d) {
  return (tn_domain){d->vars.n, d->vars.items, d->mins.items, d->extents.items, d->cond};
}

static inline tn_footprint text_as_footprint(const text_footprint *f) {
  return (tn_footprint){text_as_domain(&f->domain),
                        {f->mins.n, f->mins.items, f->is_region ? f->extents.items : NULL}};
}

/* ---- out ---- */

static inline void text_print(tn_buf *out, const tn_node *n) {
  if (tn_is(n, TN_OP_INT)) {
    tn_buf_printf(out, "%lld", (long long)n->attr.i64);
  } else if (tn_is(n, TN_OP_VAR)) {
    tn_buf_printf(out, "%s", n->attr.text);
  } else if (n->n_in == 2) {
    const tn_op_info *info = tn_op_info_get((tn_op)n->op);
    bool is_call = info->prec == 0;
    tn_buf_printf(out, is_call ? "%s(" : "(", info->text);
    text_print(out, n->in[0]);
    tn_buf_printf(out, is_call ? ", " : " %s ", info->text);
    text_print(out, n->in[1]);
    tn_buf_printf(out, ")");
  } else {
    tn_buf_printf(out, "%s(", tn_op_info_get((tn_op)n->op)->text);
    for (uint32_t i = 0; i < n->n_in; ++i) {
      tn_buf_printf(out, "%s", i == 0 ? "" : ", ");
      text_print(out, n->in[i]);
    }
    tn_buf_printf(out, ")");
  }
}

static inline int64_t text_eval(const text_world *w, const tn_node *n);

static inline int64_t text_floor(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

static inline int64_t text_eval_binary(tn_op op, int64_t a, int64_t b) {
  switch ((int)op) {
    case TN_OP_ADD:
      return a + b;
    case TN_OP_SUB:
      return a - b;
    case TN_OP_MUL:
      return a * b;
    case TN_OP_FLOORDIV:
      return text_floor(a, b);
    case TN_OP_FLOORMOD:
      return a - b * text_floor(a, b);
    case TN_OP_DIV:
      return a / b;
    case TN_OP_MOD:
      return a % b;
    case TN_OP_MIN:
      return a < b ? a : b;
    case TN_OP_MAX:
      return a > b ? a : b;
    case TN_OP_EQ:
      return a == b;
    case TN_OP_NE:
      return a != b;
    case TN_OP_LT:
      return a < b;
    case TN_OP_LE:
      return a <= b;
    case TN_OP_GT:
      return a > b;
    case TN_OP_GE:
      return a >= b;
    case TN_OP_AND:
      return a && b;
    default:
      TN_CHECK(op == TN_OP_OR, "no evaluation of %s", tn_op_info_get(op)->name);
      return a || b;
  }
}

static inline int64_t text_eval(const text_world *w, const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_INT:
      return n->attr.i64;
    case TN_OP_VAR:
      for (uint32_t i = 0; i < w->n; ++i) {
        if (w->vars[i] == n) {
          return w->values[i];
        }
      }
      TN_CHECK(false, "a variable of another world");
      return 0;
    case TN_OP_NOT:
      return !text_eval(w, n->in[0]);
    case TN_OP_NEG:
      return -text_eval(w, n->in[0]);
    case TN_OP_SELECT:
      return text_eval(w, n->in[text_eval(w, n->in[0]) ? 1 : 2]);
    default:
      return text_eval_binary((tn_op)n->op, text_eval(w, n->in[0]), text_eval(w, n->in[1]));
  }
}

static inline void text_set(text_world *w, const tn_node *var, int64_t value) {
  for (uint32_t i = 0; i < w->n; ++i) {
    if (w->vars[i] == var) {
      w->values[i] = value;
    }
  }
}

static inline void text_set_point(text_world *w, const tn_point *point) {
  for (uint32_t i = 0; i < point->n; ++i) {
    text_set(w, point->vars[i], point->values[i]);
  }
}

/* In the domain, with the values of w. */
static inline bool text_is_in(const text_world *w, const text_domain *d) {
  for (uint32_t i = 0; i < d->vars.n; ++i) {
    int64_t offset = text_eval(w, d->vars.items[i]) - text_eval(w, d->mins.items[i]);
    if (offset < 0 || offset >= text_eval(w, d->extents.items[i])) {
      return false;
    }
  }
  return d->cond == NULL || text_eval(w, d->cond) != 0;
}

#endif
