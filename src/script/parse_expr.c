/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Expressions: precedence climbing over one table, so that a level of brackets costs a few frames
 * only. Left-associative chains grow the tree without recursion here; tn_ast_make bounds their
 * depth for the readers. */
#include "script/ast.h"

typedef struct binary_row {
  tn_tok tok;
  int prec; /* higher binds tighter */
  tn_ast_kind kind;
} binary_row;

enum {
  PREC_OR = 1,
  PREC_AND,
  PREC_NOT,
  PREC_COMPARE,
  PREC_BOR,
  PREC_BXOR,
  PREC_BAND,
  PREC_SHIFT,
  PREC_SUM,
  PREC_TERM
};

static const binary_row binary_rows[] = {
    {TN_TOK_OR, PREC_OR, TN_AST_BOOLOP},        {TN_TOK_AND, PREC_AND, TN_AST_BOOLOP},
    {TN_TOK_EQ, PREC_COMPARE, TN_AST_COMPARE},  {TN_TOK_NE, PREC_COMPARE, TN_AST_COMPARE},
    {TN_TOK_LT, PREC_COMPARE, TN_AST_COMPARE},  {TN_TOK_LE, PREC_COMPARE, TN_AST_COMPARE},
    {TN_TOK_GT, PREC_COMPARE, TN_AST_COMPARE},  {TN_TOK_GE, PREC_COMPARE, TN_AST_COMPARE},
    {TN_TOK_PIPE, PREC_BOR, TN_AST_BINARY},     {TN_TOK_CARET, PREC_BXOR, TN_AST_BINARY},
    {TN_TOK_AMP, PREC_BAND, TN_AST_BINARY},     {TN_TOK_SHL, PREC_SHIFT, TN_AST_BINARY},
    {TN_TOK_SHR, PREC_SHIFT, TN_AST_BINARY},    {TN_TOK_PLUS, PREC_SUM, TN_AST_BINARY},
    {TN_TOK_MINUS, PREC_SUM, TN_AST_BINARY},    {TN_TOK_STAR, PREC_TERM, TN_AST_BINARY},
    {TN_TOK_SLASH, PREC_TERM, TN_AST_BINARY},   {TN_TOK_FLOORDIV, PREC_TERM, TN_AST_BINARY},
    {TN_TOK_PERCENT, PREC_TERM, TN_AST_BINARY}, {TN_TOK_AT, PREC_TERM, TN_AST_BINARY},
};

static const binary_row *find_binary(tn_tok tok) {
  for (size_t i = 0; i < sizeof binary_rows / sizeof binary_rows[0]; ++i) {
    if (binary_rows[i].tok == tok) {
      return &binary_rows[i];
    }
  }
  return NULL;
}

static const tn_ast *parse_binary(tn_parser *p, int min_prec);

/* The end of what stands in brackets; a comprehension is told by its name. */
static bool expect_close(tn_parser *p, tn_tok close, const char *where) {
  if (tn_parser_is(p, TN_TOK_FOR)) {
    tn_parser_fail(p, "needs-python",
                   "a comprehension needs Python, and this text is read without: write its items");
    return false;
  }
  return tn_parser_expect(p, close, where);
}

/* Pushes parsed children up to the closing token; false on an error. */
static bool collect_items(tn_parser *p, tn_tok close, bool *out_has_comma) {
  while (!tn_parser_is(p, close)) {
    const tn_ast *item = tn_parse_item(p);
    if (item == NULL) {
      return false;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_parser_accept(p, TN_TOK_COMMA)) {
      break;
    }
    *out_has_comma = true;
  }
  return expect_close(p, close, "to close the list");
}

/* Drops what was collected since base. */
static const tn_ast *give_up(tn_parser *p, size_t base) {
  p->stack.len = base;
  return NULL;
}

static const tn_ast *parse_parens(tn_parser *p) {
  size_t first = p->at++;
  size_t base = p->stack.len;
  bool has_comma = false;
  if (!collect_items(p, TN_TOK_RPAREN, &has_comma)) {
    return give_up(p, base);
  }
  if (p->stack.len == base + 1 && !has_comma) {
    return TN_VEC_POP(&p->stack);
  }
  return tn_ast_make_stacked(p, TN_AST_TUPLE, first, base);
}

static const tn_ast *parse_list(tn_parser *p) {
  size_t first = p->at++;
  size_t base = p->stack.len;
  bool has_comma = false;
  if (!collect_items(p, TN_TOK_RBRACKET, &has_comma)) {
    return give_up(p, base);
  }
  return tn_ast_make_stacked(p, TN_AST_LIST, first, base);
}

static const tn_ast *parse_dict(tn_parser *p) {
  size_t first = p->at++;
  size_t base = p->stack.len;
  while (!tn_parser_is(p, TN_TOK_RBRACE)) {
    const tn_ast *key = tn_parse_expr(p);
    if (key == NULL || !tn_parser_expect(p, TN_TOK_COLON, "after a dictionary key")) {
      return give_up(p, base);
    }
    TN_VEC_PUSH(&p->stack, key);
    const tn_ast *value = tn_parse_expr(p);
    if (value == NULL) {
      return give_up(p, base);
    }
    TN_VEC_PUSH(&p->stack, value);
    if (!tn_parser_accept(p, TN_TOK_COMMA)) {
      break;
    }
  }
  if (!expect_close(p, TN_TOK_RBRACE, "to close the dictionary")) {
    return give_up(p, base);
  }
  return tn_ast_make_stacked(p, TN_AST_DICT, first, base);
}

static const tn_ast *parse_atom(tn_parser *p) {
  const tn_token *tok = tn_parser_tok(p);
  size_t first = p->at;
  switch ((int)tok->kind) {
    case TN_TOK_NAME:
      p->at += 1;
      return tn_ast_make_text(p, TN_AST_NAME, first, tn_parser_name(p, tok), 0, NULL);
    case TN_TOK_INT:
    case TN_TOK_FLOAT:
      return tn_parse_number(p);
    case TN_TOK_STR:
      return tn_parse_strings(p);
    case TN_TOK_TRUE:
    case TN_TOK_FALSE:
      p->at += 1;
      return tn_ast_make_op(p, TN_AST_BOOL, first, tok->kind, 0, NULL);
    case TN_TOK_NONE:
      p->at += 1;
      return tn_ast_make(p, TN_AST_NONE, first, 0, NULL);
    case TN_TOK_ELLIPSIS:
      p->at += 1;
      return tn_ast_make(p, TN_AST_ELLIPSIS, first, 0, NULL);
    case TN_TOK_LPAREN:
      return parse_parens(p);
    case TN_TOK_LBRACKET:
      return parse_list(p);
    case TN_TOK_LBRACE:
      return parse_dict(p);
    default:
      return tn_parser_fail(p, "syntax", "expected an expression");
  }
}

static bool parse_argument(tn_parser *p) {
  size_t first = p->at;
  bool is_star = tn_parser_is(p, TN_TOK_STAR) && p->has_stars;
  if (!is_star && (tn_parser_is(p, TN_TOK_STAR) || tn_parser_is(p, TN_TOK_POW))) {
    tn_parser_fail(p, "syntax", "starred arguments are not supported");
    return false;
  }
  const char *keyword = NULL;
  if (tn_parser_is(p, TN_TOK_NAME) && p->toks.data[p->at + 1].kind == TN_TOK_ASSIGN) {
    keyword = tn_parser_name(p, tn_parser_tok(p));
    p->at += 2;
  }
  const tn_ast *value = is_star ? tn_parse_item(p) : tn_parse_expr(p);
  if (value != NULL && tn_parser_is(p, TN_TOK_FOR)) {
    value = tn_parser_fail(p, "syntax", "comprehensions are not supported");
  }
  if (value != NULL && keyword != NULL) {
    value = tn_ast_make_text(p, TN_AST_KEYWORD, first, keyword, 1, &value);
  }
  if (value != NULL) {
    TN_VEC_PUSH(&p->stack, value);
  }
  return value != NULL;
}

static const tn_ast *parse_call(tn_parser *p, size_t first, const tn_ast *callee) {
  size_t base = p->stack.len;
  TN_VEC_PUSH(&p->stack, callee);
  p->at += 1;
  while (!tn_parser_is(p, TN_TOK_RPAREN)) {
    if (!parse_argument(p)) {
      return give_up(p, base);
    }
    if (!tn_parser_accept(p, TN_TOK_COMMA)) {
      break;
    }
  }
  if (!tn_parser_expect(p, TN_TOK_RPAREN, "to close the call")) {
    return give_up(p, base);
  }
  return tn_ast_make_stacked(p, TN_AST_CALL, first, base);
}

static bool starts_slice_part(tn_parser *p) {
  return !tn_parser_is(p, TN_TOK_COLON) && !tn_parser_is(p, TN_TOK_COMMA) &&
         !tn_parser_is(p, TN_TOK_RBRACKET);
}

/* One item of a subscript: an expression or from:to:step. */
static const tn_ast *parse_subscript_item(tn_parser *p) {
  size_t first = p->at;
  const tn_ast *parts[3] = {NULL, NULL, NULL};
  uint32_t n = 0;
  for (;;) {
    if (starts_slice_part(p)) {
      parts[n] = tn_parse_expr(p);
      if (parts[n] == NULL) {
        return NULL;
      }
    }
    if (n == 2 || !tn_parser_accept(p, TN_TOK_COLON)) {
      break;
    }
    n += 1;
  }
  if (n > 0) {
    return tn_ast_make(p, TN_AST_SLICE, first, 3, parts);
  }
  return parts[0] != NULL ? parts[0] : tn_parser_fail(p, "syntax", "expected an index");
}

static const tn_ast *parse_subscript(tn_parser *p, size_t first, const tn_ast *base_node) {
  size_t base = p->stack.len;
  TN_VEC_PUSH(&p->stack, base_node);
  p->at += 1;
  do {
    const tn_ast *item = tn_parser_is(p, TN_TOK_RBRACKET) && p->stack.len > base + 1
                             ? NULL
                             : parse_subscript_item(p);
    if (item == NULL && tn_parser_is(p, TN_TOK_RBRACKET) && p->stack.len > base + 1) {
      break;
    }
    if (item == NULL) {
      return give_up(p, base);
    }
    TN_VEC_PUSH(&p->stack, item);
  } while (tn_parser_accept(p, TN_TOK_COMMA));
  if (!tn_parser_expect(p, TN_TOK_RBRACKET, "to close the subscript")) {
    return give_up(p, base);
  }
  return tn_ast_make_stacked(p, TN_AST_INDEX, first, base);
}

static const tn_ast *parse_postfix(tn_parser *p) {
  size_t first = p->at;
  const tn_ast *node = parse_atom(p);
  while (node != NULL) {
    if (tn_parser_is(p, TN_TOK_LPAREN)) {
      node = parse_call(p, first, node);
    } else if (tn_parser_is(p, TN_TOK_LBRACKET)) {
      node = parse_subscript(p, first, node);
    } else if (tn_parser_accept(p, TN_TOK_DOT)) {
      const tn_token *tok = tn_parser_tok(p);
      bool is_name = tok->kind == TN_TOK_NAME || tn_tok_is_keyword(tok->kind);
      if (!is_name) {
        return tn_parser_fail(p, "syntax", "expected a name after '.'");
      }
      p->at += 1;
      node = tn_ast_make_text(p, TN_AST_ATTR, first, tn_parser_name(p, tok), 1, &node);
    } else {
      break;
    }
  }
  return node;
}

static const tn_ast *parse_unary(tn_parser *p) {
  size_t first = p->at;
  tn_tok tok = tn_parser_tok(p)->kind;
  if (!tn_parser_enter(p)) {
    return NULL;
  }
  const tn_ast *node = NULL;
  if (tok == TN_TOK_MINUS || tok == TN_TOK_PLUS || tok == TN_TOK_TILDE) {
    p->at += 1;
    node = parse_unary(p);
    node = node == NULL ? NULL : tn_ast_make_op(p, TN_AST_UNARY, first, tok, 1, &node);
  } else {
    node = parse_postfix(p);
    if (node != NULL && tn_parser_accept(p, TN_TOK_POW)) {
      const tn_ast *both[2] = {node, parse_unary(p)};
      node = both[1] == NULL ? NULL : tn_ast_make_op(p, TN_AST_BINARY, first, TN_TOK_POW, 2, both);
    }
  }
  p->nest -= 1;
  return node;
}

static const tn_ast *parse_not(tn_parser *p, int min_prec) {
  size_t first = p->at;
  if (min_prec > PREC_NOT || !tn_parser_is(p, TN_TOK_NOT)) {
    return parse_unary(p);
  }
  if (!tn_parser_enter(p)) {
    return NULL;
  }
  p->at += 1;
  const tn_ast *node = parse_binary(p, PREC_NOT);
  p->nest -= 1;
  return node == NULL ? NULL : tn_ast_make_op(p, TN_AST_UNARY, first, TN_TOK_NOT, 1, &node);
}

/* Operators of at least min_prec, left to right. */
static const tn_ast *parse_binary(tn_parser *p, int min_prec) {
  size_t first = p->at;
  const tn_ast *node = parse_not(p, min_prec);
  bool has_compare = false;
  while (node != NULL) {
    tn_tok tok = tn_parser_tok(p)->kind;
    const binary_row *row = find_binary(tok);
    if (tok == TN_TOK_IN || tok == TN_TOK_IS ||
        (tok == TN_TOK_NOT && p->toks.data[p->at + 1].kind == TN_TOK_IN)) {
      if (min_prec <= PREC_COMPARE && tok != TN_TOK_IN) {
        return tn_parser_fail(p, "syntax",
                              "'%s' is not supported: compare with ==", tn_tok_text(tok));
      }
      break;
    }
    if (row == NULL || row->prec < min_prec) {
      break;
    }
    if (row->kind == TN_AST_COMPARE && has_compare) {
      return tn_parser_fail(p, "chained-compare",
                            "comparisons cannot be chained: write 'a < b and b < c'");
    }
    has_compare = row->kind == TN_AST_COMPARE;
    p->at += 1;
    const tn_ast *both[2] = {node, parse_binary(p, row->prec + 1)};
    node = both[1] == NULL ? NULL : tn_ast_make_op(p, row->kind, first, tok, 2, both);
  }
  return node;
}

static const tn_ast *parse_lambda(tn_parser *p) {
  size_t first = p->at++;
  size_t base = p->stack.len;
  while (tn_parser_is(p, TN_TOK_NAME)) {
    const tn_token *tok = tn_parser_tok(p);
    p->at += 1;
    TN_VEC_PUSH(&p->stack,
                tn_ast_make_text(p, TN_AST_NAME, p->at - 1, tn_parser_name(p, tok), 0, NULL));
    if (!tn_parser_accept(p, TN_TOK_COMMA)) {
      break;
    }
  }
  const tn_ast *body =
      tn_parser_expect(p, TN_TOK_COLON, "after the lambda's parameters") ? tn_parse_expr(p) : NULL;
  if (body == NULL) {
    return give_up(p, base);
  }
  TN_VEC_PUSH(&p->stack, body);
  return tn_ast_make_stacked(p, TN_AST_LAMBDA, first, base);
}

const tn_ast *tn_parse_expr(tn_parser *p) {
  if (!tn_parser_enter(p)) {
    return NULL;
  }
  size_t first = p->at;
  const tn_ast *node = tn_parser_is(p, TN_TOK_LAMBDA) ? parse_lambda(p) : parse_binary(p, PREC_OR);
  if (node != NULL && tn_parser_is(p, TN_TOK_WALRUS)) {
    node = tn_parser_fail(p, "syntax", "':=' is not supported");
  }
  if (node != NULL && tn_parser_accept(p, TN_TOK_IF)) {
    const tn_ast *parts[3] = {node, parse_binary(p, PREC_OR), NULL};
    node = NULL;
    if (parts[1] != NULL && tn_parser_expect(p, TN_TOK_ELSE, "in 'a if cond else b'")) {
      parts[2] = tn_parse_expr(p);
      node = parts[2] == NULL ? NULL : tn_ast_make(p, TN_AST_COND, first, 3, parts);
    }
  }
  p->nest -= 1;
  return node;
}

const tn_ast *tn_parse_item(tn_parser *p) {
  size_t first = p->at;
  if (!p->has_stars || !tn_parser_accept(p, TN_TOK_STAR)) {
    return tn_parse_expr(p);
  }
  const tn_ast *value = tn_parse_expr(p);
  return value == NULL ? NULL : tn_ast_make(p, TN_AST_STAR, first, 1, &value);
}

const tn_ast *tn_parse_expr_list(tn_parser *p) {
  size_t first = p->at;
  const tn_ast *node = tn_parse_item(p);
  if (node == NULL || !tn_parser_is(p, TN_TOK_COMMA)) {
    return node;
  }
  size_t base = p->stack.len;
  TN_VEC_PUSH(&p->stack, node);
  while (tn_parser_accept(p, TN_TOK_COMMA)) {
    tn_tok next = tn_parser_tok(p)->kind;
    if (next == TN_TOK_NEWLINE || next == TN_TOK_ASSIGN || next == TN_TOK_IN ||
        next == TN_TOK_COLON) {
      break;
    }
    node = tn_parse_item(p);
    if (node == NULL) {
      return give_up(p, base);
    }
    TN_VEC_PUSH(&p->stack, node);
  }
  return tn_ast_make_stacked(p, TN_AST_TUPLE, first, base);
}
