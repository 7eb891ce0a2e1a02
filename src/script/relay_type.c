/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Types of Relay: Tensor[(1, ?, 3), float32], int32 (a tensor without dimensions), tuples,
 * functions. */
#include <string.h>

#include "script/relay.h"

/* ---- trees ---- */

/* The elements of Relay's tensors are numbers: neither vectors of them nor addresses. */
static bool parse_elem(const char *text, size_t len, tn_dtype *out) {
  return tn_dtype_parse(text, len, out) && tn_dtype_lanes(*out) == 1 && !tn_dtype_is_handle(*out);
}

static bool read_dtype(tn_relay_parser *p, tn_dtype *out) {
  const tn_rtoken *tok = tn_relay_tok(p);
  if (tok->kind == TN_RTOK_STR) {
    if (parse_elem(p->text + tok->offset + 1, tok->len - 2, out)) {
      p->at += 1;
      return true;
    }
  } else if (tok->kind == TN_RTOK_NAME && parse_elem(p->text + tok->offset, tok->len, out)) {
    p->at += 1;
    return true;
  }
  if (p->diags->n == 0) {
    tn_pos pos = {p->source, tok->line, tok->col, tok->n_cols};
    tn_diags_add(p->diags, "unknown-dtype", pos, NULL, "'%.*s' is no element type",
                 tok->len > 40 ? 40 : (int)tok->len, p->text + tok->offset);
  }
  return false;
}

static const tn_relay *parse_dim(tn_relay_parser *p) {
  size_t first = p->at;
  const tn_rtoken *tok = tn_relay_tok(p);
  if (tn_relay_is(p, '?') || tn_relay_is_word(p, "_") || tn_relay_is_word(p, "Any")) {
    p->at += 1;
    return tn_relay_make(p, TN_RELAY_ANY, first, p->stack.len);
  }
  if (tok->kind == TN_RTOK_NUMBER) {
    int64_t value = 0;
    for (uint32_t i = 0; i < tok->len; ++i) {
      char c = p->text[tok->offset + i];
      if (c < '0' || c > '9' || __builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, c - '0', &value)) {
        return tn_relay_syntax(p, "expected an extent: a whole number of 64 bits, or ?");
      }
    }
    p->at += 1;
    tn_relay *node = tn_relay_make(p, TN_RELAY_NUMBER, first, p->stack.len);
    node->i64 = value;
    return node;
  }
  if (tok->kind == TN_RTOK_NAME || tok->kind == TN_RTOK_LOCAL) {
    p->at += 1;
    tn_relay *node = tn_relay_make(p, TN_RELAY_NAME, first, p->stack.len);
    node->text = tn_relay_word(p, tok, tok->kind == TN_RTOK_LOCAL ? 1 : 0);
    return node;
  }
  return tn_relay_syntax(p, "expected an extent: a number, a name or ?");
}

/* Tensor[(1, 3), float32] */
static const tn_relay *parse_tensor(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  tn_dtype dtype = TN_DT_NONE;
  p->at += 1;
  if (!tn_relay_expect(p, '[', "after 'Tensor'") ||
      !tn_relay_expect(p, '(', "before the extents of a tensor")) {
    return NULL;
  }
  while (!tn_relay_is(p, ')')) {
    const tn_relay *dim = parse_dim(p);
    if (dim == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, dim);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
  }
  if (!tn_relay_expect(p, ')', "after the extents of a tensor") ||
      !tn_relay_expect(p, ',', "before the element type of a tensor") || !read_dtype(p, &dtype) ||
      !tn_relay_expect(p, ']', "after the element type of a tensor")) {
    return NULL;
  }
  tn_relay *node = tn_relay_make(p, TN_RELAY_TY_TENSOR, first, base);
  if (node != NULL) {
    node->dtype = dtype;
  }
  return node;
}

/* (A, B): pushes the items; false, reported. */
static bool parse_list(tn_relay_parser *p, const char *what) {
  if (!tn_relay_expect(p, '(', what)) {
    return false;
  }
  while (!tn_relay_is(p, ')')) {
    const tn_relay *item = tn_relay_parse_type(p);
    if (item == NULL) {
      return false;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
  }
  return tn_relay_expect(p, ')', "after a list of types");
}

static const tn_relay *parse_func(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  p->at += 1;
  if (tn_relay_is(p, '[')) {
    tn_relay_refuse(p, first, "functions over types: fn [A]", "write the function once for a type");
    if (!tn_relay_skip(p)) {
      return NULL;
    }
  }
  TN_VEC_PUSH(&p->stack, NULL); /* the result, which comes last in the text */
  if (!parse_list(p, "after 'fn'")) {
    return NULL;
  }
  if (tn_relay_tok(p)->kind != TN_RTOK_ARROW) {
    return tn_relay_syntax(p, "expected '->' in the type of a function");
  }
  p->at += 1;
  const tn_relay *ret = tn_relay_parse_type(p);
  if (ret == NULL) {
    return NULL;
  }
  p->stack.data[base] = ret;
  return tn_relay_make(p, TN_RELAY_TY_FUNC, first, base);
}

static const tn_relay *parse_named(tn_relay_parser *p) {
  size_t first = p->at;
  const tn_rtoken *tok = tn_relay_tok(p);
  tn_dtype dtype = TN_DT_NONE;
  if (parse_elem(p->text + tok->offset, tok->len, &dtype)) {
    p->at += 1;
    tn_relay *scalar = tn_relay_make(p, TN_RELAY_TY_TENSOR, first, p->stack.len);
    scalar->dtype = dtype;
    return scalar;
  }
  if (tn_relay_is_word(p, "_")) {
    p->at += 1;
    return tn_relay_make(p, TN_RELAY_ANY, first, p->stack.len);
  }
  bool is_ref = tn_relay_is_word(p, "ref");
  p->at += 1;
  if (is_ref) {
    tn_relay_refuse(p, first, "references: ref(...)", "pass values in and out");
  }
  if ((tn_relay_is(p, '[') || (is_ref && tn_relay_is(p, '('))) && !tn_relay_skip(p)) {
    return NULL;
  }
  tn_relay *node = tn_relay_make(p, TN_RELAY_TY_NAME, first, p->stack.len);
  node->text = tn_relay_word(p, tok, 0);
  return node;
}

/* (A, B), (A,), (): a tuple; (A) is A */
static const tn_relay *parse_bracketed(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  if (!parse_list(p, "before a type")) {
    return NULL;
  }
  const tn_rtoken *before = &p->toks[p->at - 2];
  bool has_comma = before->kind == TN_RTOK_PUNCT && p->text[before->offset] == ',';
  if (p->stack.len == base + 1 && !has_comma) {
    return TN_VEC_POP(&p->stack);
  }
  return tn_relay_make(p, TN_RELAY_TY_TUPLE, first, base);
}

static const tn_relay *parse_any(tn_relay_parser *p) {
  size_t first = p->at;
  if (tn_relay_is_word(p, "Tensor")) {
    return parse_tensor(p);
  }
  if (tn_relay_is_word(p, "fn")) {
    return parse_func(p);
  }
  if (tn_relay_is(p, '(')) {
    return parse_bracketed(p);
  }
  if (tn_relay_accept(p, '?')) {
    return tn_relay_make(p, TN_RELAY_ANY, first, p->stack.len);
  }
  if (tn_relay_tok(p)->kind == TN_RTOK_NAME) {
    return parse_named(p);
  }
  return tn_relay_syntax(p, "expected a type: Tensor[(...), ...], a tuple, fn (...) -> ...");
}

const tn_relay *tn_relay_parse_type(tn_relay_parser *p) {
  if (!tn_relay_enter(p)) {
    return NULL;
  }
  const tn_relay *type = parse_any(p);
  p->nest -= 1;
  return type;
}

/* ---- what they are ---- */

bool tn_relay_type_is_open(const tn_relay *ast) {
  bool is_open = ast->kind == TN_RELAY_ANY;
  for (uint32_t i = 0; i < ast->n && !is_open; ++i) {
    is_open = tn_relay_type_is_open(ast->in[i]);
  }
  return is_open;
}

static const tn_node *new_size(tn_relay_reader *r) {
  char name[24];
  (void)snprintf(name, sizeof name, "n%u", r->n_symbols++);
  return tn_var_new(r->ir, name, TN_DT_I64);
}

static const tn_node *tensor_type(tn_relay_reader *r, const tn_relay *ast, bool makes_sizes) {
  const tn_node *dims[TN_MAX_NDIM];
  bool is_known = true;
  if (ast->n > TN_MAX_NDIM) {
    return tn_relay_fail(r, ast, "unsupported", NULL,
                         "not supported: a tensor of %u dimensions; there may be %d", ast->n,
                         (int)TN_MAX_NDIM);
  }
  for (uint32_t i = 0; i < ast->n; ++i) {
    const tn_relay *dim = ast->in[i];
    if (dim->kind == TN_RELAY_NUMBER) {
      dims[i] = tn_int(r->ir, TN_DT_I64, dim->i64);
    } else if (dim->kind == TN_RELAY_NAME) {
      return tn_relay_fail(r, dim, "unsupported", "write ? for a size that is known at run time",
                           "not supported: the extent '%s', a variable over shapes", dim->text);
    } else if (makes_sizes) {
      dims[i] = new_size(r);
    } else {
      is_known = false;
    }
  }
  return tn_ty_tensor(r->ir, ast->dtype, ast->n, is_known ? tn_list(r->ir, ast->n, dims) : NULL);
}

static const tn_node *func_type(tn_relay_reader *r, const tn_relay *ast) {
  const tn_node **params = TN_ARENA_ARRAY(&r->arena, const tn_node *, ast->n + 1);
  for (uint32_t i = 0; i < ast->n; ++i) {
    params[i] = tn_relay_type(r, ast->in[i], false);
    if (params[i] == NULL) {
      return NULL;
    }
  }
  return tn_ty_func(r->ir, tn_list(r->ir, ast->n - 1, params + 1), params[0], true);
}

const tn_node *tn_relay_type(tn_relay_reader *r, const tn_relay *ast, bool makes_sizes) {
  if (ast->kind == TN_RELAY_TY_TENSOR) {
    return tensor_type(r, ast, makes_sizes);
  }
  if (ast->kind == TN_RELAY_TY_FUNC) {
    return func_type(r, ast);
  }
  if (ast->kind == TN_RELAY_ANY) {
    return tn_ty_object(r->ir);
  }
  if (ast->kind != TN_RELAY_TY_TUPLE) {
    return tn_relay_fail(r, ast, "unsupported", "use tuples of tensors",
                         "not supported: the data type '%s'", ast->text);
  }
  const tn_node **items = TN_ARENA_ARRAY(&r->arena, const tn_node *, ast->n + 1);
  for (uint32_t i = 0; i < ast->n; ++i) {
    items[i] = tn_relay_type(r, ast->in[i], makes_sizes);
    if (items[i] == NULL) {
      return NULL;
    }
  }
  return tn_ty_tuple(r->ir, ast->n, items);
}
