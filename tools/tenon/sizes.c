/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Open sizes. A parameter's extents are numbers, and an open one is negative there; its name, or an
 * expression of names, stands in the text of the type, R.Tensor(("n", 8), ...) or T.Buffer((n * 2, 8),
 * ...), as the item at its place. */
#include "sizes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_name(const char *text, size_t len) {
  bool is_word = len > 0 && len < SIZES_NAME_BYTES && !isdigit((unsigned char)text[0]);
  for (size_t i = 0; is_word && i < len; ++i) {
    is_word = isalnum((unsigned char)text[i]) || text[i] == '_';
  }
  return is_word;
}

bool sizes_text(const tn_param_info *param, int32_t i, char *out) {
  const char *p = strstr(param->text, "((");
  int32_t depth = 0;
  if (p == NULL || param->dims[i] >= 0) {
    return false;
  }
  for (p += 2; i > 0 && *p != '\0'; ++p) {
    depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    i -= *p == ',' && depth == 0;
  }
  p += strspn(p, " \"");
  size_t len = 0;
  for (depth = 0; p[len] != '\0' && (depth > 0 || strchr(",)\"", p[len]) == NULL); ++len) {
    depth += p[len] == '(' ? 1 : p[len] == ')' ? -1 : 0;
  }
  if (len == 0 || len >= SIZES_TEXT_BYTES) {
    return false;
  }
  memcpy(out, p, len);
  out[len] = '\0';
  return true;
}

static int32_t find(const sizes *s, const char *name, size_t len) {
  for (int32_t i = 0; i < s->n; ++i) {
    if (strncmp(s->items[i].name, name, len) == 0 && s->items[i].name[len] == '\0') {
      return i;
    }
  }
  return -1;
}

/* The item that the open extent `i` of `param` is, or -1: an expression of sizes is none. */
static int32_t item_at(const sizes *s, const tn_param_info *param, int32_t i) {
  char text[SIZES_TEXT_BYTES];
  return sizes_text(param, i, text) ? find(s, text, strlen(text)) : -1;
}

/* ---- expressions: n * 2, (n + 1) // 2, T.min(n, 4) ---- */

typedef struct evaluation {
  const sizes *s;
  const char *p;
  int32_t missing; /* the first item without a value; -1: none */
  int32_t depth;
  bool is_bad;
} evaluation;

static int64_t eval_sum(evaluation *e);

static char next(evaluation *e) {
  e->p += strspn(e->p, " ");
  return *e->p;
}

static bool accept(evaluation *e, char c) {
  bool is_there = next(e) == c;
  e->p += is_there;
  return is_there;
}

static int64_t apply(evaluation *e, char op, int64_t a, int64_t b) {
  int64_t value = 0;
  bool is_divided = op == '/' || op == '%';
  if (is_divided && (b == 0 || (b == -1 && a == INT64_MIN))) {
    e->is_bad = true;
    return 0;
  }
  int64_t rest = is_divided ? a % b : 0;
  bool is_below = rest != 0 && (rest < 0) != (b < 0); /* Python rounds down */
  switch (op) {
    case '+':
      e->is_bad = __builtin_add_overflow(a, b, &value) || e->is_bad;
      return value;
    case '-':
      e->is_bad = __builtin_sub_overflow(a, b, &value) || e->is_bad;
      return value;
    case '*':
      e->is_bad = __builtin_mul_overflow(a, b, &value) || e->is_bad;
      return value;
    case '/':
      return a / b - is_below;
    default:
      return is_below ? rest + b : rest;
  }
}

/* T.min(a, b), T.max(a, b), or another function, which is not known here. */
static int64_t eval_call(evaluation *e, const char *name, size_t len) {
  int64_t a = eval_sum(e);
  bool is_pair = accept(e, ',');
  int64_t b = is_pair ? eval_sum(e) : 0;
  bool is_min = len == 5 && strncmp(name, "T.min", len) == 0;
  bool is_max = len == 5 && strncmp(name, "T.max", len) == 0;
  bool is_wide = len == 7 && strncmp(name, "T.int64", len) == 0;
  e->is_bad =
      !accept(e, ')') || is_pair != (is_min || is_max) || !(is_pair || is_wide) || e->is_bad;
  return is_min ? (a < b ? a : b) : is_max ? (a > b ? a : b) : a;
}

static int64_t eval_name(evaluation *e) {
  const char *name = e->p;
  size_t len = 0;
  while (isalnum((unsigned char)name[len]) || name[len] == '_' || name[len] == '.') {
    ++len;
  }
  e->p += len;
  if (len > 0 && accept(e, '(')) {
    return eval_call(e, name, len);
  }
  int32_t item = find(e->s, name, len);
  if (item < 0) {
    e->is_bad = true;
    return 0;
  }
  if (e->s->items[item].value < 0 && e->missing < 0) {
    e->missing = item;
  }
  return e->s->items[item].value;
}

static int64_t eval_primary(evaluation *e) {
  enum { MAX_DEPTH = 64 };
  int64_t value = 0;
  if (++e->depth > MAX_DEPTH) {
    e->is_bad = true;
  } else if (accept(e, '(')) {
    value = eval_sum(e);
    e->is_bad = !accept(e, ')') || e->is_bad;
  } else if (accept(e, '-')) {
    value = apply(e, '-', 0, eval_primary(e));
  } else if (isdigit((unsigned char)next(e))) {
    char *end = NULL;
    errno = 0;
    value = strtoll(e->p, &end, 10);
    e->is_bad = errno != 0 || e->is_bad;
    e->p = end;
  } else {
    value = eval_name(e);
  }
  e->depth -= 1;
  return value;
}

static int64_t eval_product(evaluation *e) {
  int64_t value = eval_primary(e);
  while (!e->is_bad && (next(e) == '*' || *e->p == '%' || strncmp(e->p, "//", 2) == 0)) {
    char op = *e->p;
    e->p += op == '/' ? 2 : 1;
    value = apply(e, op, value, eval_primary(e));
  }
  return value;
}

static int64_t eval_sum(evaluation *e) {
  int64_t value = eval_product(e);
  while (!e->is_bad && (next(e) == '+' || *e->p == '-')) {
    char op = *e->p++;
    value = apply(e, op, value, eval_product(e));
  }
  return value;
}

/* The open extent `i` of `param`; -1 when it is not known, and in `out_missing` (may be NULL) the item
 * that would tell it, or -1. */
static int64_t extent_at(const sizes *s, const tn_param_info *param, int32_t i,
                         int32_t *out_missing) {
  char text[SIZES_TEXT_BYTES];
  evaluation e = {.s = s, .p = text, .missing = -1};
  bool is_there = sizes_text(param, i, text);
  int64_t value = is_there ? eval_sum(&e) : -1;
  if (out_missing != NULL) {
    *out_missing = e.missing;
  }
  bool is_whole = is_there && !e.is_bad && e.missing < 0 && next(&e) == '\0';
  return is_whole && value >= 0 ? value : -1;
}

/* ---- names ---- */

/* Every name in the text of an extent; T.min and such are no sizes. */
static void add_names(sizes *s, const char *text) {
  for (const char *p = text; *p != '\0';) {
    size_t len = 0;
    while (isalnum((unsigned char)p[len]) || p[len] == '_' || p[len] == '.') {
      ++len;
    }
    bool is_new = is_name(p, len) && memchr(p, '.', len) == NULL && find(s, p, len) < 0;
    if (is_new && s->n < SIZES_MAX) {
      memcpy(s->items[s->n].name, p, len);
      s->items[s->n].name[len] = '\0';
      s->items[s->n++].value = -1;
    }
    p += len > 0 ? len : 1;
  }
}

void sizes_init(sizes *s, const tn_param_info *params, int32_t n_params) {
  char text[SIZES_TEXT_BYTES];
  *s = (sizes){0};
  for (int32_t j = 0; j < n_params; ++j) {
    for (int32_t i = 0; i < params[j].ndim; ++i) {
      if (sizes_text(&params[j], i, text)) {
        add_names(s, text);
      }
    }
  }
}

static bool parse(const char *text, size_t *out_len, int64_t *out_value) {
  const char *equals = strchr(text, '=');
  char *end = NULL;
  if (equals == NULL || equals == text || !isdigit((unsigned char)equals[1])) {
    return false;
  }
  errno = 0;
  *out_value = strtoll(equals + 1, &end, 10);
  *out_len = (size_t)(equals - text);
  return errno == 0 && *end == '\0';
}

bool sizes_check(const cli_args *args) {
  size_t len = 0;
  int64_t value = 0;
  for (int32_t i = 0; cli_value_at(args, "size", i) != NULL; ++i) {
    if (!parse(cli_value_at(args, "size", i), &len, &value)) {
      (void)cli_usage(args, "--size %s: NAME=N is needed, a name of the types and a whole number",
                      cli_value_at(args, "size", i));
      return false;
    }
  }
  return true;
}

static tn_status unknown_name(const sizes *s, const char *option) {
  char text[1024];
  size_t at = (size_t)snprintf(text, sizeof text, "--size %.200s: the types have no such size%s",
                               option, s->n > 0 ? "; they have " : "");
  for (int32_t i = 0; i < s->n && at < sizeof text; ++i) {
    at +=
        (size_t)snprintf(text + at, sizeof text - at, "%s%s", i > 0 ? ", " : "", s->items[i].name);
  }
  return tn_status_make(TN_INVALID, text);
}

tn_status sizes_set(sizes *s, const cli_args *args) {
  for (int32_t i = 0; cli_value_at(args, "size", i) != NULL; ++i) {
    const char *option = cli_value_at(args, "size", i);
    size_t len = 0;
    int64_t value = 0;
    int32_t item = parse(option, &len, &value) ? find(s, option, len) : -1;
    if (item < 0) {
      return unknown_name(s, option);
    }
    s->items[item].value = value;
    s->items[item].option = option;
  }
  return NULL;
}

tn_status sizes_see(sizes *s, const tn_param_info *param, const DLTensor *dl) {
  for (int32_t i = 0; i < param->ndim && param->ndim == dl->ndim; ++i) {
    int32_t item = item_at(s, param, i);
    if (item < 0 || s->items[item].value == dl->shape[i]) {
      continue;
    }
    if (s->items[item].option != NULL) {
      char text[512];
      (void)snprintf(text, sizeof text, "--size %.200s: the array for %.100s has %lld there",
                     s->items[item].option, param->name, (long long)dl->shape[i]);
      return tn_status_make(TN_INVALID, text);
    }
    if (s->items[item].value < 0) {
      s->items[item].value = dl->shape[i];
    }
  }
  return NULL;
}

bool sizes_dims(const sizes *s, const tn_param_info *param, int64_t *out_dims) {
  bool is_known = param->ndim >= 0 && param->ndim <= SIZES_MAX_NDIM;
  for (int32_t i = 0; i < param->ndim && i < SIZES_MAX_NDIM; ++i) {
    out_dims[i] = param->dims[i] >= 0 ? param->dims[i] : extent_at(s, param, i, NULL);
    is_known = is_known && out_dims[i] >= 0;
  }
  return is_known;
}

const char *sizes_open_name(const sizes *s, const tn_param_info *param) {
  for (int32_t i = 0; i < param->ndim; ++i) {
    int32_t missing = -1;
    if (param->dims[i] < 0 && extent_at(s, param, i, &missing) < 0 && missing >= 0) {
      return s->items[missing].name;
    }
  }
  return NULL;
}

bool sizes_of(const sizes *s, const char *name, int64_t *out_value) {
  int32_t item = find(s, name, strlen(name));
  if (item >= 0 && s->items[item].value >= 0) {
    *out_value = s->items[item].value;
    return true;
  }
  return false;
}

tn_status sizes_see_number(sizes *s, const char *name, int64_t value) {
  int32_t item = find(s, name, strlen(name));
  if (item < 0 || value < 0 || s->items[item].value == value) {
    return NULL;
  }
  if (s->items[item].option != NULL) {
    char text[512];
    (void)snprintf(text, sizeof text, "--size %.200s: argument %.100s is %lld",
                   s->items[item].option, name, (long long)value);
    return tn_status_make(TN_INVALID, text);
  }
  s->items[item].value = value;
  return NULL;
}
