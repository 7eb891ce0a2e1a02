/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The parser of Relay text: recursive descent over tokens, one tree for a file. The first syntax
 * error ends it; what is understood and not supported is reported and stepped over. */
#include <string.h>

#include "script/relay.h"

static const tn_relay *parse_expr(tn_relay_parser *p);
static const tn_relay *parse_body(tn_relay_parser *p);

/* ---- functions ---- */

static const tn_relay *parse_param(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  const tn_rtoken *tok = tn_relay_tok(p);
  if (tok->kind != TN_RTOK_LOCAL) {
    return tn_relay_syntax(p, "expected a parameter: %%name: type");
  }
  p->at += 1;
  if (tn_relay_accept(p, ':')) {
    const tn_relay *type = tn_relay_parse_type(p);
    if (type == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, type);
  }
  return tn_relay_make_text(p, TN_RELAY_PARAM, first, base, tn_relay_word(p, tok, 1));
}

/* [A, B] (%x: A, Primitive=1) -> A { ... }; what comes before is behind. */
static const tn_relay *parse_function(tn_relay_parser *p, size_t first, const char *name) {
  size_t base = p->stack.len;
  if (tn_relay_is(p, '[')) {
    size_t open = p->at;
    if (!tn_relay_skip(p)) {
      return NULL;
    }
    tn_relay_refuse(p, open, "functions over types", "write the function once for a type");
  }
  TN_VEC_PUSH(&p->stack, NULL); /* the result's type and the body come later */
  TN_VEC_PUSH(&p->stack, NULL);
  if (!tn_relay_expect(p, '(', "before the parameters")) {
    return NULL;
  }
  while (!tn_relay_is(p, ')')) {
    const tn_relay *item = tn_relay_at_attr(p) ? tn_relay_parse_attr(p) : parse_param(p);
    if (item == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
  }
  if (!tn_relay_expect(p, ')', "after the parameters")) {
    return NULL;
  }
  if (tn_relay_tok(p)->kind == TN_RTOK_ARROW) {
    p->at += 1;
    const tn_relay *ret = tn_relay_parse_type(p);
    if (ret == NULL) {
      return NULL;
    }
    p->stack.data[base + TN_RELAY_FN_RET] = ret;
  }
  if (!tn_relay_expect(p, '{', "before the body")) {
    return NULL;
  }
  const tn_relay *body = parse_body(p);
  if (body == NULL || !tn_relay_expect(p, '}', "after the body")) {
    return NULL;
  }
  p->stack.data[base + TN_RELAY_FN_BODY] = body;
  return tn_relay_make_text(p, TN_RELAY_FN, first, base, name);
}

/* ---- expressions ---- */

static const tn_relay *parse_block(tn_relay_parser *p, const char *where) {
  if (!tn_relay_expect(p, '{', where)) {
    return NULL;
  }
  const tn_relay *body = parse_body(p);
  return body != NULL && tn_relay_expect(p, '}', "after the branch") ? body : NULL;
}

static const tn_relay *parse_if(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  p->at += 1;
  if (!tn_relay_expect(p, '(', "before the condition")) {
    return NULL;
  }
  const tn_relay *cond = parse_expr(p);
  if (cond == NULL || !tn_relay_expect(p, ')', "after the condition")) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, cond);
  const tn_relay *then = parse_block(p, "before the branch");
  if (then == NULL) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, then);
  if (!tn_relay_accept_word(p, "else")) {
    return tn_relay_syntax(p, "expected 'else': both branches give a value");
  }
  const tn_relay *orelse =
      tn_relay_is_word(p, "if") ? parse_expr(p) : parse_block(p, "after 'else'");
  if (orelse == NULL) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, orelse);
  return tn_relay_make(p, TN_RELAY_IF, first, base);
}

/* match (%x) { ... } and match? (...): reported and stepped over. */
static const tn_relay *parse_match(tn_relay_parser *p) {
  size_t first = p->at;
  p->at += 1;
  (void)tn_relay_accept(p, '?');
  tn_relay_refuse(p, first, "match, on values of data types",
                  "use tuples, and if with conditions on tensors");
  if (!tn_relay_is(p, '(') || !tn_relay_skip(p) || !tn_relay_is(p, '{') || !tn_relay_skip(p)) {
    return tn_relay_syntax(p, "expected 'match (value) { cases }'");
  }
  return tn_relay_make(p, TN_RELAY_TUPLE, first, p->stack.len);
}

/* (e), (a, b), (a,), () */
static const tn_relay *parse_bracketed(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  bool has_comma = false;
  p->at += 1;
  while (!tn_relay_is(p, ')')) {
    const tn_relay *item = parse_expr(p);
    if (item == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
    has_comma = true;
  }
  if (!tn_relay_expect(p, ')', "after this")) {
    return NULL;
  }
  if (p->stack.len == base + 1 && !has_comma) {
    return TN_VEC_POP(&p->stack);
  }
  return tn_relay_make(p, TN_RELAY_TUPLE, first, base);
}

static const tn_relay *parse_word(tn_relay_parser *p) {
  static const char *const references[] = {"ref", "ref_read", "ref_write"};
  size_t first = p->at;
  const tn_rtoken *tok = tn_relay_tok(p);
  if (tn_relay_is_word(p, "if")) {
    return parse_if(p);
  }
  if (tn_relay_accept_word(p, "fn")) {
    return parse_function(p, first, NULL);
  }
  if (tn_relay_is_word(p, "match")) {
    return parse_match(p);
  }
  if (tn_relay_is_word(p, "meta")) {
    return tn_relay_parse_meta(p);
  }
  if (tn_relay_is_word(p, "let")) { /* let as a part of something: its scope is what follows */
    return parse_body(p);
  }
  if (tn_relay_is_word(p, "True") || tn_relay_is_word(p, "False")) {
    tn_relay *node = tn_relay_make(p, TN_RELAY_NUMBER, first, p->stack.len);
    node->dtype = TN_DT_BOOL;
    node->i64 = tn_relay_is_word(p, "True");
    p->at += 1;
    return node;
  }
  p->at += 1;
  for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i) {
    if (tn_relay_tok_is_word(p, tok, references[i]) && tn_relay_is(p, '(')) {
      tn_relay_refuse(p, first, "references: ref, ref_read, ref_write", "pass values in and out");
      return tn_relay_skip(p) ? tn_relay_make(p, TN_RELAY_TUPLE, first, p->stack.len) : NULL;
    }
  }
  return tn_relay_make_text(p, TN_RELAY_NAME, first, p->stack.len, tn_relay_word(p, tok, 0));
}

static const tn_relay *parse_primary(tn_relay_parser *p) {
  size_t first = p->at;
  const tn_rtoken *tok = tn_relay_tok(p);
  double special = 0;
  tn_dtype dtype = TN_DT_NONE;
  switch (tok->kind) {
    case TN_RTOK_LOCAL:
    case TN_RTOK_GLOBAL:
      p->at += 1;
      return tn_relay_make_text(p, tok->kind == TN_RTOK_LOCAL ? TN_RELAY_LOCAL : TN_RELAY_GLOBAL,
                                first, p->stack.len, tn_relay_word(p, tok, 1));
    case TN_RTOK_NUMBER:
      return tn_relay_parse_number(p, first, false);
    case TN_RTOK_STR:
      return tn_relay_parse_string(p);
    case TN_RTOK_NAME:
      if (tn_relay_is_special(p, &special, &dtype)) {
        return tn_relay_parse_special(p, first, false, special, dtype);
      }
      return parse_word(p);
    case TN_RTOK_PUNCT:
      if (tn_relay_is(p, '(')) {
        return parse_bracketed(p);
      }
      if (tn_relay_is(p, '{')) {
        return parse_block(p, "here");
      }
      break;
    case TN_RTOK_END:
    case TN_RTOK_SECTION:
    case TN_RTOK_JSON:
    case TN_RTOK_ARROW:
    case TN_RTOK_EQ:
    case TN_RTOK_NE:
    case TN_RTOK_LE:
    case TN_RTOK_GE:
      break;
  }
  return tn_relay_syntax(p, "expected an expression");
}

static const tn_relay *parse_arguments(tn_relay_parser *p, size_t first, const tn_relay *callee) {
  size_t base = p->stack.len;
  TN_VEC_PUSH(&p->stack, callee);
  p->at += 1;
  while (!tn_relay_is(p, ')')) {
    const tn_relay *item = tn_relay_at_attr(p) ? tn_relay_parse_attr(p) : parse_expr(p);
    if (item == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, item);
    if (!tn_relay_accept(p, ',')) {
      break;
    }
  }
  if (!tn_relay_expect(p, ')', "after the arguments")) {
    return NULL;
  }
  return tn_relay_make(p, TN_RELAY_CALL, first, base);
}

static const tn_relay *parse_index(tn_relay_parser *p, size_t first, const tn_relay *tuple) {
  size_t base = p->stack.len;
  p->at += 1;
  if (tn_relay_tok(p)->kind != TN_RTOK_NUMBER) {
    return tn_relay_syntax(p, "expected the number of a tuple's item after '.'");
  }
  const tn_relay *index = tn_relay_parse_number(p, p->at, false);
  if (index == NULL) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, tuple);
  tn_relay *node = tn_relay_make(p, TN_RELAY_GET, first, base);
  if (node != NULL) {
    node->i64 = index->i64;
  }
  return node;
}

static const tn_relay *parse_postfix(tn_relay_parser *p) {
  size_t first = p->at;
  const tn_relay *expr = parse_primary(p);
  while (expr != NULL) {
    if (tn_relay_is(p, '(')) {
      expr = parse_arguments(p, first, expr);
    } else if (tn_relay_is(p, '.')) {
      expr = parse_index(p, first, expr);
    } else {
      break;
    }
  }
  return expr;
}

static const tn_relay *call_of(tn_relay_parser *p, size_t first, const char *op, const tn_relay *a,
                               const tn_relay *b) {
  size_t base = p->stack.len;
  const tn_relay *callee = tn_relay_make_text(p, TN_RELAY_NAME, first, base, tn_ir_text(p->ir, op));
  TN_VEC_PUSH(&p->stack, callee);
  TN_VEC_PUSH(&p->stack, a);
  if (b != NULL) {
    TN_VEC_PUSH(&p->stack, b);
  }
  return tn_relay_make(p, TN_RELAY_CALL, first, base);
}

static const tn_relay *parse_unary(tn_relay_parser *p) {
  size_t first = p->at;
  double special = 0;
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_relay_accept(p, '-')) {
    return parse_postfix(p);
  }
  if (tn_relay_tok(p)->kind == TN_RTOK_NUMBER) {
    return tn_relay_parse_number(p, first, true);
  }
  if (tn_relay_is_special(p, &special, &dtype)) {
    return tn_relay_parse_special(p, first, true, special, dtype);
  }
  const tn_relay *a = parse_postfix(p);
  return a == NULL ? NULL : call_of(p, first, "negative", a, NULL);
}

/* The operator that an infix sign stands for; its precedence, 0: it is none. */
static int infix(const tn_relay_parser *p, const char **out_op) {
  const tn_rtoken *tok = tn_relay_tok(p);
  static const struct {
    tn_rtok kind;
    char punct;
    int prec;
    const char *op;
  } rows[] = {
      {TN_RTOK_EQ, 0, 1, "equal"},         {TN_RTOK_NE, 0, 1, "not_equal"},
      {TN_RTOK_LE, 0, 1, "less_equal"},    {TN_RTOK_GE, 0, 1, "greater_equal"},
      {TN_RTOK_PUNCT, '<', 1, "less"},     {TN_RTOK_PUNCT, '>', 1, "greater"},
      {TN_RTOK_PUNCT, '+', 2, "add"},      {TN_RTOK_PUNCT, '-', 2, "subtract"},
      {TN_RTOK_PUNCT, '*', 3, "multiply"}, {TN_RTOK_PUNCT, '/', 3, "divide"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (tok->kind == rows[i].kind &&
        (rows[i].punct == 0 || p->text[tok->offset] == rows[i].punct)) {
      *out_op = rows[i].op;
      return rows[i].prec;
    }
  }
  return 0;
}

static const tn_relay *parse_infix(tn_relay_parser *p, int min_prec) {
  size_t first = p->at;
  const char *op = NULL;
  const tn_relay *a = parse_unary(p);
  for (int prec = infix(p, &op); a != NULL && prec >= min_prec; prec = infix(p, &op)) {
    const char *this_op = op;
    p->at += 1;
    const tn_relay *b = parse_infix(p, prec + 1);
    a = b == NULL ? NULL : call_of(p, first, this_op, a, b);
  }
  return a;
}

static const tn_relay *parse_expr(tn_relay_parser *p) {
  if (!tn_relay_enter(p)) {
    return NULL;
  }
  const tn_relay *expr = parse_infix(p, 1);
  p->nest -= 1;
  return expr;
}

/* ---- bodies ---- */

/* let %x: T = e;   or   %0 = e; */
static const tn_relay *parse_let(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  const tn_relay *type = NULL;
  bool is_let = tn_relay_accept_word(p, "let");
  const tn_rtoken *name = tn_relay_tok(p);
  if (name->kind != TN_RTOK_LOCAL) {
    return tn_relay_syntax(p, "expected a name after 'let': %%name");
  }
  p->at += 1;
  if (is_let && tn_relay_accept(p, ':')) {
    type = tn_relay_parse_type(p);
    if (type == NULL) {
      return NULL;
    }
  }
  if (!tn_relay_expect(p, '=', "after the name")) {
    return NULL;
  }
  const tn_relay *value = parse_expr(p);
  if (value == NULL || !tn_relay_expect(p, ';', "after the value of a name")) {
    return NULL;
  }
  TN_VEC_PUSH(&p->stack, value);
  if (type != NULL) {
    TN_VEC_PUSH(&p->stack, type);
  }
  return tn_relay_make_text(p, TN_RELAY_LET, first, base, tn_relay_word(p, name, 1));
}

static bool at_let(const tn_relay_parser *p) {
  if (tn_relay_is_word(p, "let")) {
    return true;
  }
  const tn_rtoken *tok = tn_relay_tok(p);
  return tok->kind == TN_RTOK_LOCAL && tok[1].kind == TN_RTOK_PUNCT &&
         p->text[tok[1].offset] == '=';
}

static const tn_relay *parse_body(tn_relay_parser *p) {
  size_t first = p->at;
  size_t base = p->stack.len;
  if (!tn_relay_enter(p)) {
    return NULL;
  }
  while (at_let(p)) {
    const tn_relay *let = parse_let(p);
    if (let == NULL) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, let);
  }
  const tn_relay *value = parse_expr(p);
  if (value == NULL) {
    return NULL;
  }
  (void)tn_relay_accept(p, ';');
  p->nest -= 1;
  TN_VEC_PUSH(&p->stack, value);
  return tn_relay_make(p, TN_RELAY_BODY, first, base);
}

/* ---- the file ---- */

/* #[version = "0.0.5"] */
static bool parse_section(tn_relay_parser *p) {
  size_t first = p->at;
  p->at += 1;
  bool is_version = tn_relay_accept_word(p, "version");
  if (!is_version || !tn_relay_expect(p, '=', "after 'version'")) {
    return is_version ? false : tn_relay_syntax(p, "expected 'version' or 'metadata'") != NULL;
  }
  const tn_rtoken *tok = tn_relay_tok(p);
  if (tok->kind != TN_RTOK_STR) {
    return tn_relay_syntax(p, "expected the version as a text") != NULL;
  }
  if (tok->len < 5 || memcmp(p->text + tok->offset + 1, "0.0.", 4) != 0) {
    tn_relay_refuse(p, first, "this version of the text", "0.0.4 and 0.0.5 are known");
  }
  p->at += 1;
  return tn_relay_expect(p, ']', "after the version");
}

/* free_var %x: T; */
static bool parse_free_var(tn_relay_parser *p) {
  p->at += 1;
  const tn_relay *param = parse_param(p);
  if (param == NULL) {
    return false;
  }
  TN_VEC_PUSH(&p->stack, param);
  (void)tn_relay_accept(p, ';');
  return true;
}

/* type List[A] { Nil, Cons(A, List[A]), } */
static bool parse_data_type(tn_relay_parser *p) {
  size_t first = p->at;
  (void)tn_relay_accept_word(p, "extern");
  p->at += 1;
  tn_relay_refuse(p, first, "data types: type ... { ... }", "use tuples of tensors");
  if (tn_relay_tok(p)->kind != TN_RTOK_NAME) {
    return tn_relay_syntax(p, "expected the name of a data type") != NULL;
  }
  p->at += 1;
  if (tn_relay_is(p, '[') && !tn_relay_skip(p)) {
    return false;
  }
  return tn_relay_accept(p, ';') || (tn_relay_is(p, '{') && tn_relay_skip(p));
}

static bool parse_def(tn_relay_parser *p) {
  size_t first = p->at;
  p->at += 1;
  const tn_rtoken *name = tn_relay_tok(p);
  if (name->kind != TN_RTOK_GLOBAL) {
    return tn_relay_syntax(p, "expected the name of the function: @name") != NULL;
  }
  p->at += 1;
  const tn_relay *def = parse_function(p, first, tn_relay_word(p, name, 1));
  if (def == NULL) {
    return false;
  }
  TN_VEC_PUSH(&p->stack, def);
  return true;
}

static bool parse_item(tn_relay_parser *p, bool *out_is_expr) {
  if (tn_relay_tok(p)->kind == TN_RTOK_SECTION) {
    return parse_section(p);
  }
  if (tn_relay_is_word(p, "def")) {
    return parse_def(p);
  }
  if (tn_relay_is_word(p, "free_var")) {
    return parse_free_var(p);
  }
  if (tn_relay_is_word(p, "type") || tn_relay_is_word(p, "extern")) {
    return parse_data_type(p);
  }
  *out_is_expr = true;
  const tn_relay *body = parse_body(p);
  if (body == NULL) {
    return false;
  }
  TN_VEC_PUSH(&p->stack, body);
  return true;
}

const tn_relay *tn_relay_parse_file(tn_relay_parser *p, const tn_rtoken **out_json) {
  bool is_expr = false;
  *out_json = NULL;
  while (!is_expr && tn_relay_tok(p)->kind != TN_RTOK_END &&
         tn_relay_tok(p)->kind != TN_RTOK_JSON) {
    if (!parse_item(p, &is_expr)) {
      return NULL;
    }
  }
  if (tn_relay_tok(p)->kind == TN_RTOK_JSON) {
    *out_json = tn_relay_tok(p);
    p->at += 1;
  }
  if (tn_relay_tok(p)->kind != TN_RTOK_END) {
    return tn_relay_syntax(p, "expected the end of the text");
  }
  return tn_relay_make(p, TN_RELAY_FILE, 0, 0);
}
