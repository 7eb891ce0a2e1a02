/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of Relay's operators: arguments, attributes, and the general way from a row of the table to
 * a call of an operator of ours. Attributes that nobody asked for are refused, so that none is lost
 * silently. */
#include <stdarg.h>
#include <string.h>

#include "script/relay.h"

/* ---- attributes ---- */

/* Said by printers of all versions, about things that are not ours. */
static bool is_about_nothing(const char *key) {
  static const char *const keys[] = {"span", "virtual_device", "auto_scheduler_rewritten_layout",
                                     "meta_schedule_original_shape", "op_attrs"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
    if (strcmp(keys[i], key) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_none(const tn_relay *value) {
  return value->kind == TN_RELAY_NAME && strcmp(value->text, "None") == 0;
}

const tn_relay *tn_relay_attr(tn_relay_call *c, const char *key) {
  for (uint32_t i = 1; i < c->ast->n; ++i) {
    const tn_relay *attr = c->ast->in[i];
    if (attr->kind == TN_RELAY_ATTR && strcmp(attr->text, key) == 0) {
      c->used |= i < TN_RELAY_MAX_ATTRS ? UINT64_C(1) << i : 0;
      return is_none(attr->in[0]) ? NULL : attr->in[0];
    }
  }
  return NULL;
}

static bool to_int(tn_relay_reader *r, const tn_relay *value, int64_t *out) {
  if (value->kind == TN_RELAY_NUMBER && !tn_dtype_is_float(value->dtype)) {
    *out = value->i64;
    return true;
  }
  if (value->kind == TN_RELAY_NAME &&
      (strcmp(value->text, "True") == 0 || strcmp(value->text, "False") == 0)) {
    *out = value->text[0] == 'T';
    return true;
  }
  (void)tn_relay_fail(r, value, "bad-field", NULL, "expected an integer");
  return false;
}

int64_t tn_relay_attr_int(tn_relay_call *c, const char *key, int64_t otherwise) {
  const tn_relay *value = tn_relay_attr(c, key);
  int64_t i64 = otherwise;
  if (value != NULL && value->kind == TN_RELAY_LIST && value->n == 1) { /* axis=[1] */
    value = value->in[0];
  }
  return value != NULL && to_int(c->r, value, &i64) ? i64 : otherwise;
}

double tn_relay_attr_float(tn_relay_call *c, const char *key, double otherwise) {
  const tn_relay *value = tn_relay_attr(c, key);
  if (value == NULL) {
    return otherwise;
  }
  if (value->kind != TN_RELAY_NUMBER) {
    (void)tn_relay_fail(c->r, value, "bad-field", NULL, "expected a number");
    return otherwise;
  }
  return tn_dtype_is_float(value->dtype) ? value->f64 : (double)value->i64;
}

const char *tn_relay_attr_text(tn_relay_call *c, const char *key, const char *otherwise) {
  const tn_relay *value = tn_relay_attr(c, key);
  if (value == NULL) {
    return otherwise;
  }
  if (value->kind != TN_RELAY_STR && value->kind != TN_RELAY_NAME) {
    (void)tn_relay_fail(c->r, value, "not-a-string", NULL, "expected a text");
    return otherwise;
  }
  return value->text;
}

bool tn_relay_attr_ints(tn_relay_call *c, const char *key, int64_t *out, int32_t *out_n) {
  const tn_relay *value = tn_relay_attr(c, key);
  *out_n = -1;
  if (value == NULL) {
    return true;
  }
  bool is_list = value->kind == TN_RELAY_LIST;
  uint32_t n = is_list ? value->n : 1;
  if (n > TN_MAX_NDIM) {
    (void)tn_relay_fail(c->r, value, "bad-field", NULL, "%u integers; there may be %d", n,
                        (int)TN_MAX_NDIM);
    return false;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (!to_int(c->r, is_list ? value->in[i] : value, &out[i])) {
      return false;
    }
  }
  *out_n = (int32_t)n;
  return true;
}

tn_dtype tn_relay_attr_dtype(tn_relay_call *c, const char *key, tn_dtype otherwise) {
  const char *text = tn_relay_attr_text(c, key, "");
  tn_dtype dtype = otherwise;
  if (*text != '\0' && !tn_dtype_parse(text, strlen(text), &dtype)) {
    (void)tn_relay_fail(c->r, c->ast, "unknown-dtype", NULL, "'%.40s' is no element type", text);
  }
  return dtype;
}

/* ---- fields ---- */

static const tn_node *dtype_node(tn_relay_reader *r, tn_dtype dtype) {
  return tn_node_new(r->ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = dtype}, 0, NULL);
}

const tn_node *tn_relay_ints(tn_relay_call *c, int32_t n, const int64_t *values) {
  const tn_node *items[TN_MAX_NDIM];
  for (int32_t i = 0; i < n; ++i) {
    items[i] = tn_int(c->r->ir, TN_DT_I64, values[i]);
  }
  return tn_list(c->r->ir, (uint32_t)n, items);
}

/* The attribute as a field of that kind; NONE when it is left out. NULL, reported. */
static const tn_node *field_of(tn_relay_call *c, const char *key, const tn_field *field) {
  tn_relay_reader *r = c->r;
  int32_t n_problems = r->diags->n + r->diags->n_dropped;
  const tn_node *node = NULL;
  int64_t values[TN_MAX_NDIM];
  int32_t n = 0;
  if (tn_relay_attr(c, key) == NULL) {
    return tn_none(r->ir);
  }
  switch (field->kind) {
    case TN_FIELD_INT:
      node = tn_int(r->ir, TN_DT_I64, tn_relay_attr_int(c, key, 0));
      break;
    case TN_FIELD_FLOAT:
      node = tn_float(r->ir, TN_DT_F64, tn_relay_attr_float(c, key, 0));
      break;
    case TN_FIELD_BOOL:
      node = tn_bool(r->ir, tn_relay_attr_int(c, key, 0) != 0);
      break;
    case TN_FIELD_STR:
      node = tn_str(r->ir, tn_relay_attr_text(c, key, ""));
      break;
    case TN_FIELD_DTYPE:
      node = tn_relay_attr_dtype(c, key, TN_DT_NONE) == TN_DT_NONE
                 ? tn_none(r->ir)
                 : dtype_node(r, tn_relay_attr_dtype(c, key, TN_DT_NONE));
      break;
    case TN_FIELD_INT_OR_INTS:
      if (tn_relay_attr(c, key)->kind != TN_RELAY_LIST) {
        node = tn_int(r->ir, TN_DT_I64, tn_relay_attr_int(c, key, 0));
        break;
      }
      node =
          tn_relay_attr_ints(c, key, values, &n) ? tn_relay_ints(c, n < 0 ? 0 : n, values) : NULL;
      break;
    case TN_FIELD_INTS:
      node =
          tn_relay_attr_ints(c, key, values, &n) ? tn_relay_ints(c, n < 0 ? 0 : n, values) : NULL;
      break;
    case TN_FIELD_DICT:
      node = NULL;
      break;
  }
  return r->diags->n + r->diags->n_dropped == n_problems ? node : NULL;
}

static int32_t field_index(const tn_op_def *op, const char *name, size_t len) {
  for (int32_t i = 0; i < op->n_fields; ++i) {
    if (strlen(op->fields[i].name) == len && memcmp(op->fields[i].name, name, len) == 0) {
      return i;
    }
  }
  return -1;
}

/* One word of a row: "key", "key:field" or "-key". False, reported. */
static bool take_word(tn_relay_call *c, const tn_op_def *op, const char *word, size_t len,
                      const tn_node **fields) {
  char key[64];
  const char *colon = memchr(word, ':', len);
  size_t n_key = colon == NULL ? len : (size_t)(colon - word);
  const char *name = colon == NULL ? word : colon + 1;
  bool is_dropped = *word == '-';
  (void)snprintf(key, sizeof key, "%.*s", (int)n_key - is_dropped, word + is_dropped);
  if (is_dropped) {
    (void)tn_relay_attr(c, key);
    return true;
  }
  int32_t i = field_index(op, name, colon == NULL ? len : len - n_key - 1);
  if (i < 0) {
    return true; /* a row may name more than the operator of ours has: then it is refused below */
  }
  fields[i] = field_of(c, key, &op->fields[i]);
  return fields[i] != NULL;
}

static bool take_words(tn_relay_call *c, const tn_op_def *op, const char *words,
                       const tn_node **fields) {
  bool is_ok = true;
  while (*words != '\0') {
    size_t len = strcspn(words, " ");
    is_ok = take_word(c, op, words, len, fields) && is_ok;
    words += len + (words[len] == ' ' ? 1 : 0);
  }
  return is_ok;
}

/* ---- values ---- */

static const tn_node *emit(tn_relay_call *c, const tn_op_def *op, uint32_t n_args,
                           const tn_node *const *args, const tn_node *const *fields) {
  const tn_node *list = tn_list(c->r->ir, (uint32_t)op->n_fields, fields);
  return tn_call_new(c->r->ir, op, n_args, args, list, NULL);
}

const tn_node *tn_relay_hold(tn_relay_call *c, const tn_node *value) {
  bool is_part = value != NULL && (value->op == TN_OP_CALL || value->op == TN_OP_GET);
  return is_part ? tn_relay_bind(c->r, c->ast, "gv", value) : value;
}

const tn_node *tn_relay_emit(tn_relay_call *c, const char *name, uint32_t n_args,
                             const tn_node *const *args, ...) {
  tn_relay_reader *r = c->r;
  const tn_op_def *op = r->opts->ops == NULL ? NULL : tn_op_table_find(r->opts->ops, name);
  if (op == NULL) {
    return tn_relay_fail(r, c->ast, "unknown-operator", NULL, "unknown operator: %s, made of R.%s",
                         c->row->name, name);
  }
  const tn_node **fields = TN_ARENA_ARRAY(&r->arena, const tn_node *, op->n_fields + 1);
  for (int32_t i = 0; i < op->n_fields; ++i) {
    fields[i] = tn_none(r->ir);
  }
  const tn_node **held = TN_ARENA_ARRAY(&r->arena, const tn_node *, n_args + 1);
  for (uint32_t i = 0; i < n_args; ++i) {
    held[i] = tn_relay_hold(c, args[i]);
    if (held[i] == NULL) {
      return NULL;
    }
  }
  va_list list;
  va_start(list, args);
  for (const char *key = va_arg(list, const char *); key != NULL;
       key = va_arg(list, const char *)) {
    int32_t i = field_index(op, key, strlen(key));
    const tn_node *value = va_arg(list, const tn_node *);
    if (i >= 0 && value != NULL) {
      fields[i] = value;
    }
  }
  va_end(list);
  return emit(c, op, n_args, held, fields);
}

const tn_node *tn_relay_arg_type(tn_relay_call *c, uint32_t i) {
  const tn_node *type = tn_relay_infer(c->r, c->ast, c->args[i]);
  if (type == NULL || type->op == TN_OP_TY_TENSOR) {
    return type;
  }
  return tn_relay_fail(c->r, c->ast, "type-error", NULL, "argument %u of %s is no tensor", i,
                       c->row->name);
}

const tn_node *tn_relay_arg_shape(tn_relay_call *c, uint32_t i) {
  const tn_node *type = tn_relay_arg_type(c, i);
  if (type == NULL) {
    return NULL;
  }
  if (tn_is_none(type->in[TN_TY_TENSOR_SHAPE])) {
    return tn_relay_fail(c->r, c->ast, "type-error", NULL,
                         "%s needs to know the shape of argument %u", c->row->name, i);
  }
  return type->in[TN_TY_TENSOR_SHAPE];
}

/* ---- the call ---- */

static bool check_attrs(tn_relay_call *c) {
  bool is_ok = true;
  for (uint32_t i = 1; i < c->ast->n; ++i) {
    const tn_relay *attr = c->ast->in[i];
    bool is_used = i < TN_RELAY_MAX_ATTRS && (c->used >> i & 1) != 0;
    if (attr->kind == TN_RELAY_ATTR && !is_used && !is_about_nothing(attr->text) &&
        !is_none(attr->in[0])) {
      (void)tn_relay_fail(c->r, attr, "unknown-argument", NULL,
                          "the attribute '%s' of %s is not known", attr->text, c->row->name);
      is_ok = false;
    }
  }
  return is_ok;
}

static const tn_node *general_value(tn_relay_call *c) {
  tn_relay_reader *r = c->r;
  const tn_op_def *op = tn_op_table_find(r->opts->ops, c->row->op);
  const tn_node **fields = TN_ARENA_ARRAY(&r->arena, const tn_node *, op->n_fields + 1);
  for (int32_t i = 0; i < op->n_fields; ++i) {
    fields[i] = tn_none(r->ir);
  }
  if (!take_words(c, op, c->row->attrs, fields)) {
    return NULL;
  }
  for (int32_t i = 0; i < op->n_fields; ++i) {
    if (op->fields[i].default_text == NULL && tn_is_none(fields[i])) {
      return tn_relay_fail(r, c->ast, "missing-argument", NULL, "%s needs the attribute for '%s'",
                           c->row->name, op->fields[i].name);
    }
  }
  return emit(c, op, c->n_args, c->args, fields);
}

/* A tuple in its place stays one: the items of concatenate. */
static const tn_node *read_argument(tn_relay_reader *r, const tn_relay *ast) {
  return ast->kind == TN_RELAY_TUPLE ? tn_relay_expr(r, ast) : tn_relay_atom(r, ast);
}

static bool read_arguments(tn_relay_call *c) {
  const tn_node **args = TN_ARENA_ARRAY(&c->r->arena, const tn_node *, c->ast->n + 1);
  bool is_ok = true;
  for (uint32_t i = 1; i < c->ast->n; ++i) {
    if (c->ast->in[i]->kind != TN_RELAY_ATTR) {
      args[c->n_args++] = read_argument(c->r, c->ast->in[i]);
      is_ok = is_ok && args[c->n_args - 1] != NULL;
    }
  }
  c->args = args;
  if (is_ok && c->row->n_args >= 0 && c->n_args != (uint32_t)c->row->n_args) {
    (void)tn_relay_fail(c->r, c->ast, "wrong-argument-count", NULL,
                        "%s takes %d argument%s, got %u", c->row->name, c->row->n_args,
                        c->row->n_args == 1 ? "" : "s", c->n_args);
    return false;
  }
  return is_ok;
}

const tn_node *tn_relay_operator(tn_relay_reader *r, const tn_relay *ast) {
  tn_relay_call c = {.r = r, .ast = ast, .row = tn_relay_row_find(ast->in[0]->text)};
  int32_t n_problems = r->diags->n + r->diags->n_dropped;
  if (!read_arguments(&c)) {
    return NULL;
  }
  const tn_node *value = c.row->fn != NULL ? c.row->fn(&c) : general_value(&c);
  if (value != NULL && !check_attrs(&c)) {
    return NULL;
  }
  return r->diags->n + r->diags->n_dropped == n_problems ? value : NULL;
}

bool tn_relay_knows(const tn_relay_reader *r, const char *name) {
  const tn_relay_row *row = tn_relay_row_find(name);
  return row != NULL && (row->op == NULL ||
                         (r->opts->ops != NULL && tn_op_table_find(r->opts->ops, row->op) != NULL));
}
