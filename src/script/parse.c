/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statements, and what both parser files share. After a syntax error the parser skips to the end of
 * the statement (with the block that belongs to it) and goes on, so that one run reports several
 * errors. Nothing is read from a tree with syntax errors, since what is missing from it would be
 * reported as undefined. */
#include <stdarg.h>
#include <string.h>

#include "base/check.h"
#include "script/ast.h"

/* ---- shared ---- */

static tn_pos token_pos(const tn_parser *p, const tn_token *tok) {
  return (tn_pos){p->source, tok->line, tok->col, tn_token_n_cols(tok, p->text)};
}

enum { BATCH_TOKENS = 1 << 14 };

const tn_token *tn_parser_more(tn_parser *p) {
  if (p->lexer != NULL) {
    tn_lexer_more(p->lexer, BATCH_TOKENS, &p->toks);
  }
  return &p->toks.data[p->at]; /* END is never stepped over */
}

/* At the beginning of a statement: what stands before it is not looked at again. */
static void forget_tokens(tn_parser *p) {
  if (p->lexer != NULL && p->at >= BATCH_TOKENS) {
    p->toks.len -= p->at;
    memmove(p->toks.data, p->toks.data + p->at, p->toks.len * sizeof *p->toks.data);
    p->at = 0;
  }
}

bool tn_parser_accept(tn_parser *p, tn_tok kind) {
  if (!tn_parser_is(p, kind)) {
    return false;
  }
  p->at += 1;
  return true;
}

/* What stands at the next token, for "expected ..., got ...". */
static void describe_token(tn_parser *p, char *out, size_t n_bytes) {
  const tn_token *tok = tn_parser_tok(p);
  if (tn_tok_text(tok->kind)[0] == '<' && tok->kind <= TN_TOK_STR) {
    bool has_text =
        tok->kind == TN_TOK_NAME || tok->kind == TN_TOK_INT || tok->kind == TN_TOK_FLOAT;
    const char *text = tn_tok_text(tok->kind);
    if (has_text) {
      (void)snprintf(out, n_bytes, "'%.*s'", tok->len > 40 ? 40 : (int)tok->len,
                     p->text + tok->offset);
    } else {
      (void)snprintf(out, n_bytes, "%.*s", (int)strlen(text) - 2, text + 1);
    }
  } else {
    (void)snprintf(out, n_bytes, "'%s'", tn_tok_text(tok->kind));
  }
}

const tn_ast *tn_parser_fail(tn_parser *p, const char *id, const char *fmt, ...) {
  char text[256];
  char got[64];
  va_list args;
  va_start(args, fmt);
  (void)vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  describe_token(p, got, sizeof got);
  bool says_what = strncmp(text, "expected", 8) == 0;
  tn_diags_add(p->diags, id, token_pos(p, tn_parser_tok(p)), NULL, says_what ? "%s, got %s" : "%s",
               text, got);
  return NULL;
}

bool tn_parser_expect(tn_parser *p, tn_tok kind, const char *where) {
  if (tn_parser_accept(p, kind)) {
    return true;
  }
  const char *text = tn_tok_text(kind);
  if (text[0] == '<' && kind <= TN_TOK_STR) {
    tn_parser_fail(p, "syntax", "expected %.*s %s", (int)strlen(text) - 2, text + 1, where);
  } else {
    tn_parser_fail(p, "syntax", "expected '%s' %s", text, where);
  }
  return false;
}

bool tn_parser_enter(tn_parser *p) {
  if (p->nest >= TN_AST_MAX_NEST) {
    tn_parser_fail(p, "nested-too-deep", "more than %d levels of nesting", TN_AST_MAX_NEST);
    return false;
  }
  p->nest += 1;
  return true;
}

const char *tn_parser_name(tn_parser *p, const tn_token *tok) {
  return tn_ir_text_n(p->ir, p->text + tok->offset, tok->len);
}

/* From token `first` to the one before the next, on the first one's line. */
static tn_pos span_from(const tn_parser *p, size_t first) {
  if (p->fixed_pos != NULL) {
    return *p->fixed_pos;
  }
  tn_pos pos = token_pos(p, &p->toks.data[first]);
  const tn_token *last = &p->toks.data[p->at > first ? p->at - 1 : first];
  if (last->line == pos.line) {
    uint32_t end = last->col + tn_token_n_cols(last, p->text);
    pos.n_cols = end > pos.col ? end - pos.col : pos.n_cols;
  }
  return pos;
}

enum { MAX_DEPTH_BITS = 1023, MAX_COLS = 511 };
_Static_assert((int)TN_AST_MAX_DEPTH <= (int)MAX_DEPTH_BITS, "tn_ast.depth holds every depth");
_Static_assert(TN_TOK_END < 128 && TN_AST_CLASS < 64, "tn_ast.tok and kind hold all of them");

static void set_pos(tn_ast *node, tn_pos pos) {
  node->line = pos.line;
  node->col = pos.col;
  node->n_cols = pos.n_cols > MAX_COLS ? MAX_COLS : pos.n_cols & MAX_COLS;
}

static tn_ast *make_at(tn_parser *p, tn_ast_kind kind, tn_pos pos, uint32_t n,
                       const tn_ast *const *in) {
  size_t n_bytes = sizeof(tn_ast) + n * sizeof(const tn_ast *);
  tn_ast *node = tn_arena_alloc(p->arena, n_bytes, _Alignof(tn_ast));
  uint32_t depth = 0;
  for (uint32_t i = 0; i < n; ++i) {
    node->in[i] = in[i];
    depth = in[i] != NULL && in[i]->depth > depth ? in[i]->depth : depth;
  }
  node->kind = kind;
  node->n = n;
  set_pos(node, pos);
  if (depth >= TN_AST_MAX_DEPTH) {
    tn_diags_add(p->diags, "nested-too-deep", tn_ast_pos(node, p->source), NULL,
                 "more than %d operations in a chain", TN_AST_MAX_DEPTH);
    return NULL;
  }
  node->depth = (depth + 1) & MAX_DEPTH_BITS;
  return node;
}

tn_ast *tn_ast_like(tn_arena *arena, const tn_ast *model, tn_ast_kind kind, uint32_t n,
                    const tn_ast *const *in) {
  tn_ast *node =
      tn_arena_alloc(arena, sizeof(tn_ast) + n * sizeof(const tn_ast *), _Alignof(tn_ast));
  *node = *model; /* without its children */
  node->kind = kind;
  node->n = n;
  for (uint32_t i = 0; i < n; ++i) {
    node->in[i] = in[i];
  }
  return node;
}

static tn_ast *make(tn_parser *p, tn_ast_kind kind, size_t first, uint32_t n,
                    const tn_ast *const *in) {
  return make_at(p, kind, span_from(p, first), n, in);
}

const tn_ast *tn_ast_make(tn_parser *p, tn_ast_kind kind, size_t first, uint32_t n,
                          const tn_ast *const *in) {
  return make(p, kind, first, n, in);
}

const tn_ast *tn_ast_make_text(tn_parser *p, tn_ast_kind kind, size_t first, const char *text,
                               uint32_t n, const tn_ast *const *in) {
  tn_ast *node = make(p, kind, first, n, in);
  if (node != NULL) {
    node->text = text;
  }
  return node;
}

const tn_ast *tn_ast_make_u64(tn_parser *p, size_t first, uint64_t value) {
  tn_ast *node = make(p, TN_AST_INT, first, 0, NULL);
  node->u64 = value; /* a leaf is never too deep */
  return node;
}

const tn_ast *tn_ast_make_f64(tn_parser *p, size_t first, double value) {
  tn_ast *node = make(p, TN_AST_FLOAT, first, 0, NULL);
  node->f64 = value;
  return node;
}

const tn_ast *tn_ast_make_op(tn_parser *p, tn_ast_kind kind, size_t first, tn_tok tok, uint32_t n,
                             const tn_ast *const *in) {
  tn_ast *node = make(p, kind, first, n, in);
  if (node != NULL) {
    node->tok = tok;
  }
  return node;
}

const tn_ast *tn_ast_make_stacked(tn_parser *p, tn_ast_kind kind, size_t first, size_t base) {
  uint32_t n = (uint32_t)(p->stack.len - base);
  const tn_ast *node = make(p, kind, first, n, n == 0 ? NULL : p->stack.data + base);
  p->stack.len = base;
  return node;
}

/* ---- statements ---- */

static const tn_ast *parse_statement(tn_parser *p);

/* To the end of the line, and over the block that follows. */
static void skip_line(tn_parser *p) {
  while (!tn_parser_is(p, TN_TOK_NEWLINE) && !tn_parser_is(p, TN_TOK_END) &&
         !tn_parser_is(p, TN_TOK_DEDENT) && !tn_parser_is(p, TN_TOK_INDENT)) {
    p->at += 1;
  }
  tn_parser_accept(p, TN_TOK_NEWLINE);
  size_t n_open = 0;
  while ((tn_parser_is(p, TN_TOK_INDENT) || n_open > 0) && !tn_parser_is(p, TN_TOK_END)) {
    n_open += tn_parser_is(p, TN_TOK_INDENT) ? 1 : 0;
    n_open -= tn_parser_is(p, TN_TOK_DEDENT) ? 1 : 0;
    p->at += 1;
  }
}

/* The whole statement: the other branches of a broken `if` belong to it. */
static void skip_statement(tn_parser *p) {
  do {
    skip_line(p);
  } while (tn_parser_is(p, TN_TOK_ELIF) || tn_parser_is(p, TN_TOK_ELSE));
}

/* Pushes the statements of one level, up to DEDENT or END. */
static void collect_statements(tn_parser *p) {
  while (!tn_parser_is(p, TN_TOK_END) && !tn_parser_is(p, TN_TOK_DEDENT)) {
    if (tn_parser_accept(p, TN_TOK_NEWLINE) || tn_parser_accept(p, TN_TOK_SEMI)) {
      continue;
    }
    if (tn_parser_is(p, TN_TOK_INDENT)) {
      tn_parser_fail(p, "bad-indentation",
                     "this line is indented more than the one before, which opens no block");
      skip_statement(p);
      continue;
    }
    size_t base = p->stack.len;
    uint32_t nest = p->nest;
    forget_tokens(p);
    const tn_ast *stmt = parse_statement(p);
    p->stack.len = base;
    p->nest = nest;
    if (stmt == NULL) {
      skip_statement(p);
    } else {
      TN_VEC_PUSH(&p->stack, stmt);
    }
  }
}

/* Steps over a keyword; where it stands. */
static tn_pos step_over(tn_parser *p) {
  tn_pos pos = token_pos(p, tn_parser_tok(p));
  p->at += 1;
  return pos;
}

/* ":" and a block, indented or on the same line. */
static const tn_ast *parse_suite(tn_parser *p, const char *after) {
  if (!tn_parser_expect(p, TN_TOK_COLON, after) || !tn_parser_enter(p)) {
    return NULL;
  }
  size_t base = p->stack.len;
  const tn_ast *suite = NULL;
  if (!tn_parser_accept(p, TN_TOK_NEWLINE)) {
    tn_pos pos = token_pos(p, tn_parser_tok(p));
    const tn_ast *stmt = parse_statement(p);
    suite = stmt == NULL ? NULL : make_at(p, TN_AST_SUITE, pos, 1, &stmt);
  } else if (tn_parser_accept(p, TN_TOK_INDENT)) {
    tn_pos pos = token_pos(p, tn_parser_tok(p));
    collect_statements(p);
    tn_parser_accept(p, TN_TOK_DEDENT);
    uint32_t n = (uint32_t)(p->stack.len - base); /* 0: no statement of it could be read */
    suite = make_at(p, TN_AST_SUITE, pos, n, n == 0 ? NULL : p->stack.data + base);
    p->stack.len = base;
  } else {
    suite = tn_parser_fail(p, "syntax", "expected an indented block %s", after);
  }
  p->nest -= 1;
  return suite;
}

/* The end of a simple statement. */
static bool expect_line_end(tn_parser *p) {
  if (tn_parser_is(p, TN_TOK_END) || tn_parser_accept(p, TN_TOK_SEMI)) {
    return true;
  }
  return tn_parser_expect(p, TN_TOK_NEWLINE, "after the statement");
}

static const tn_ast *finish(tn_parser *p, const tn_ast *stmt) {
  return stmt != NULL && expect_line_end(p) ? stmt : NULL;
}

static const tn_ast *parse_for(tn_parser *p) {
  tn_pos pos = step_over(p);
  const tn_ast *parts[3] = {tn_parse_expr_list(p), NULL, NULL};
  if (parts[0] == NULL || !tn_parser_expect(p, TN_TOK_IN, "after the loop variables")) {
    return NULL;
  }
  parts[1] = tn_parse_expr_list(p);
  parts[2] = parts[1] == NULL ? NULL : parse_suite(p, "after the loop's head");
  if (parts[2] != NULL && tn_parser_is(p, TN_TOK_ELSE)) {
    return tn_parser_fail(p, "syntax", "'else' of a loop is not supported");
  }
  return parts[2] == NULL ? NULL : make_at(p, TN_AST_FOR, pos, 3, parts);
}

static const tn_ast *parse_while(tn_parser *p) {
  tn_pos pos = step_over(p);
  const tn_ast *parts[2] = {tn_parse_expr(p), NULL};
  parts[1] = parts[0] == NULL ? NULL : parse_suite(p, "after the condition");
  return parts[1] == NULL ? NULL : make_at(p, TN_AST_WHILE, pos, 2, parts);
}

static const tn_ast *parse_if(tn_parser *p) {
  tn_pos pos = step_over(p);
  const tn_ast *parts[3] = {tn_parse_expr(p), NULL, NULL};
  parts[1] = parts[0] == NULL ? NULL : parse_suite(p, "after the condition");
  if (parts[1] == NULL) {
    return NULL;
  }
  bool is_ok = true;
  if (tn_parser_is(p, TN_TOK_ELIF)) { /* nested in the tree, so it counts as a level */
    tn_pos at = token_pos(p, tn_parser_tok(p));
    if (!tn_parser_enter(p)) {
      return NULL;
    }
    const tn_ast *inner = parse_if(p);
    is_ok = inner != NULL;
    p->nest -= 1;
    parts[2] = is_ok ? make_at(p, TN_AST_SUITE, at, 1, &inner) : NULL;
  } else if (tn_parser_accept(p, TN_TOK_ELSE)) {
    parts[2] = parse_suite(p, "after 'else'");
    is_ok = parts[2] != NULL;
  }
  return is_ok ? make_at(p, TN_AST_IF, pos, 3, parts) : NULL;
}

/* Items after "with", each nested in the one before. */
static const tn_ast *parse_with_items(tn_parser *p, tn_pos pos) {
  const tn_ast *parts[3] = {tn_parse_expr(p), NULL, NULL};
  if (parts[0] == NULL) {
    return NULL;
  }
  if (tn_parser_accept(p, TN_TOK_AS)) {
    parts[1] = tn_parse_expr(p);
    if (parts[1] == NULL) {
      return NULL;
    }
  }
  if (!tn_parser_accept(p, TN_TOK_COMMA)) {
    parts[2] = parse_suite(p, "after the 'with' item");
  } else if (tn_parser_enter(p)) {
    const tn_ast *inner = parse_with_items(p, token_pos(p, tn_parser_tok(p)));
    parts[2] = inner == NULL ? NULL : make_at(p, TN_AST_SUITE, pos, 1, &inner);
    p->nest -= 1;
  }
  return parts[2] == NULL ? NULL : make_at(p, TN_AST_WITH, pos, 3, parts);
}

static const tn_ast *parse_with(tn_parser *p) { return parse_with_items(p, step_over(p)); }

static const tn_ast *parse_assert(tn_parser *p) {
  size_t first = p->at++;
  const tn_ast *parts[2] = {tn_parse_expr(p), NULL};
  if (parts[0] == NULL) {
    return NULL;
  }
  if (tn_parser_accept(p, TN_TOK_COMMA)) {
    parts[1] = tn_parse_expr(p);
    if (parts[1] == NULL) {
      return NULL;
    }
  }
  return finish(p, tn_ast_make(p, TN_AST_ASSERT, first, 2, parts));
}

static const tn_ast *parse_return(tn_parser *p) {
  size_t first = p->at++;
  const tn_ast *value = NULL;
  if (!tn_parser_is(p, TN_TOK_NEWLINE) && !tn_parser_is(p, TN_TOK_END)) {
    value = tn_parse_expr_list(p);
    if (value == NULL) {
      return NULL;
    }
  }
  return finish(p, tn_ast_make(p, TN_AST_RETURN, first, 1, &value));
}

/* "import a.b as c", "from a.b import c as d": only the words are kept. */
static const tn_ast *parse_import(tn_parser *p) {
  tn_tok word = tn_parser_tok(p)->kind;
  size_t first = p->at++;
  const tn_token *tok = tn_parser_tok(p);
  uint32_t end = tok->offset;
  while (!tn_parser_is(p, TN_TOK_NEWLINE) && !tn_parser_is(p, TN_TOK_END) &&
         !tn_parser_is(p, TN_TOK_SEMI)) {
    end = tn_parser_tok(p)->offset + tn_parser_tok(p)->len;
    p->at += 1;
  }
  if (end == tok->offset) {
    return tn_parser_fail(p, "syntax", "expected a module name");
  }
  const char *text = tn_ir_text_n(p->ir, p->text + tok->offset, end - tok->offset);
  tn_ast *node = make(p, TN_AST_IMPORT, first, 0, NULL);
  if (node != NULL) {
    node->text = text;
    node->tok = word;
  }
  return finish(p, node);
}

/* One parameter on the stack. */
static bool parse_param(tn_parser *p) {
  size_t first = p->at;
  const tn_token *tok = tn_parser_tok(p);
  if (tn_parser_is(p, TN_TOK_STAR) || tn_parser_is(p, TN_TOK_POW) ||
      tn_parser_is(p, TN_TOK_SLASH)) {
    tn_parser_fail(p, "syntax", "'%s' in a parameter list is not supported",
                   tn_tok_text(tok->kind));
    return false;
  }
  if (!tn_parser_expect(p, TN_TOK_NAME, "for a parameter")) {
    return false;
  }
  const tn_ast *parts[2] = {NULL, NULL};
  if (tn_parser_accept(p, TN_TOK_COLON)) {
    parts[0] = tn_parse_expr(p);
    if (parts[0] == NULL) {
      return false;
    }
  }
  if (tn_parser_accept(p, TN_TOK_ASSIGN)) {
    parts[1] = tn_parse_expr(p);
    if (parts[1] == NULL) {
      return false;
    }
  }
  const tn_ast *param = tn_ast_make_text(p, TN_AST_PARAM, first, tn_parser_name(p, tok), 2, parts);
  if (param != NULL) {
    TN_VEC_PUSH(&p->stack, param);
  }
  return param != NULL;
}

/* Parameters up to the closing bracket, on the stack. */
static bool parse_params(tn_parser *p, tn_tok close, const char *where) {
  while (!tn_parser_is(p, close)) {
    if (!parse_param(p)) {
      return false;
    }
    if (!tn_parser_accept(p, TN_TOK_COMMA)) {
      break;
    }
  }
  return tn_parser_expect(p, close, where);
}

/* [n: T.int32, m: T.int64] after a function's name: a TUPLE; NULL, reported. */
static const tn_ast *parse_type_params(tn_parser *p) {
  size_t first = p->at++;
  size_t base = p->stack.len;
  if (!parse_params(p, TN_TOK_RBRACKET, "to close the type parameters")) {
    return NULL;
  }
  return tn_ast_make_stacked(p, TN_AST_TUPLE, first, base);
}

/* The memory of the last group, or of a new one when that has enough. */
static void begin_body(tn_parser *p) {
  enum { GROUP_BYTES = 1 << 18 };
  size_t n = p->bodies->len;
  if (n == 0 || p->bodies->data[n - 1].arena.n_bytes >= GROUP_BYTES) {
    TN_VEC_PUSH(p->bodies, (tn_ast_body){0});
    n += 1;
  }
  p->body_arena = p->bodies->data[n - 1].arena;
  p->arena = &p->body_arena;
  p->is_in_body = true;
}

/* has_own: in memory of its own; functions inside this one belong to its body. */
static const tn_ast *parse_def_body(tn_parser *p, bool has_own) {
  tn_arena *outer = p->arena;
  if (has_own) {
    begin_body(p);
  }
  const tn_ast *body = parse_suite(p, "after the function's head");
  if (has_own) {
    p->bodies->data[p->bodies->len - 1].arena = p->body_arena;
    p->arena = outer;
    p->is_in_body = false;
  }
  return body;
}

static const tn_ast *parse_def(tn_parser *p, size_t first, const tn_ast *decorators) {
  p->at += 1;
  const tn_token name = *tn_parser_tok(p);
  if (!tn_parser_expect(p, TN_TOK_NAME, "after 'def'")) {
    return NULL;
  }
  const tn_ast *type_params = NULL;
  if (tn_parser_is(p, TN_TOK_LBRACKET)) {
    type_params = parse_type_params(p);
    if (type_params == NULL) {
      return NULL;
    }
  }
  if (!tn_parser_expect(p, TN_TOK_LPAREN, "after the function's name")) {
    return NULL;
  }
  size_t base = p->stack.len;
  for (int i = 0; i < TN_AST_DEF_PARAMS; ++i) {
    TN_VEC_PUSH(&p->stack, NULL);
  }
  if (!parse_params(p, TN_TOK_RPAREN, "to close the parameter list")) {
    return NULL;
  }
  const tn_ast *ret = NULL;
  if (tn_parser_accept(p, TN_TOK_ARROW)) {
    ret = tn_parse_expr(p);
    if (ret == NULL) {
      return NULL;
    }
  }
  tn_pos head = span_from(p, first);
  bool has_own = p->bodies != NULL && !p->is_in_body;
  const tn_ast *body = parse_def_body(p, has_own);
  if (body == NULL) {
    return NULL;
  }
  p->stack.data[base + TN_AST_DEF_DECORATORS] = decorators;
  p->stack.data[base + TN_AST_DEF_RET] = ret;
  p->stack.data[base + TN_AST_DEF_BODY] = body;
  p->stack.data[base + TN_AST_DEF_TYPE_PARAMS] = type_params;
  tn_ast *node =
      make_at(p, TN_AST_DEF, head, (uint32_t)(p->stack.len - base), p->stack.data + base);
  p->stack.len = base;
  if (node != NULL) {
    node->text = tn_parser_name(p, &name);
    tn_ast_body *group = has_own ? &p->bodies->data[p->bodies->len - 1] : NULL;
    if (group != NULL && group->n_left++ == 0) {
      group->first = node;
    }
  }
  return node;
}

static const tn_ast *parse_class(tn_parser *p, size_t first, const tn_ast *decorators) {
  p->at += 1;
  const tn_token name = *tn_parser_tok(p);
  if (!tn_parser_expect(p, TN_TOK_NAME, "after 'class'")) {
    return NULL;
  }
  if (tn_parser_accept(p, TN_TOK_LPAREN) &&
      !tn_parser_expect(p, TN_TOK_RPAREN, "after '(': a module has no base class")) {
    return NULL;
  }
  tn_pos head = span_from(p, first);
  const tn_ast *parts[2] = {decorators, parse_suite(p, "after the class's head")};
  tn_ast *node = parts[1] == NULL ? NULL : make_at(p, TN_AST_CLASS, head, 2, parts);
  if (node != NULL) {
    node->text = tn_parser_name(p, &name);
  }
  return node;
}

static const tn_ast *parse_decorated(tn_parser *p) {
  size_t first_decorator = p->at;
  size_t base = p->stack.len;
  while (tn_parser_accept(p, TN_TOK_AT)) {
    const tn_ast *decorator = tn_parse_expr(p);
    if (decorator == NULL || !tn_parser_expect(p, TN_TOK_NEWLINE, "after the decorator")) {
      return NULL;
    }
    TN_VEC_PUSH(&p->stack, decorator);
  }
  const tn_ast *decorators = tn_ast_make_stacked(p, TN_AST_TUPLE, first_decorator, base);
  size_t first = p->at;
  if (tn_parser_is(p, TN_TOK_DEF)) {
    return parse_def(p, first, decorators);
  }
  if (tn_parser_is(p, TN_TOK_CLASS)) {
    return parse_class(p, first, decorators);
  }
  return tn_parser_fail(p, "syntax", "expected 'def' or 'class' after a decorator");
}

/* The operator of "+=" and its like; END when it is none. */
static tn_tok augment_op(tn_tok kind) {
  switch ((int)kind) {
    case TN_TOK_ADD_ASSIGN:
      return TN_TOK_PLUS;
    case TN_TOK_SUB_ASSIGN:
      return TN_TOK_MINUS;
    case TN_TOK_MUL_ASSIGN:
      return TN_TOK_STAR;
    case TN_TOK_DIV_ASSIGN:
      return TN_TOK_SLASH;
    case TN_TOK_FDIV_ASSIGN:
      return TN_TOK_FLOORDIV;
    case TN_TOK_MOD_ASSIGN:
      return TN_TOK_PERCENT;
    case TN_TOK_POW_ASSIGN:
      return TN_TOK_POW;
    case TN_TOK_SHL_ASSIGN:
      return TN_TOK_SHL;
    case TN_TOK_SHR_ASSIGN:
      return TN_TOK_SHR;
    case TN_TOK_AND_ASSIGN:
      return TN_TOK_AMP;
    case TN_TOK_OR_ASSIGN:
      return TN_TOK_PIPE;
    case TN_TOK_XOR_ASSIGN:
      return TN_TOK_CARET;
    default:
      return TN_TOK_END;
  }
}

static const tn_ast *parse_assignment(tn_parser *p) {
  size_t first = p->at;
  const tn_ast *parts[3] = {tn_parse_expr_list(p), NULL, NULL};
  if (parts[0] == NULL) {
    return NULL;
  }
  tn_tok op = augment_op(tn_parser_tok(p)->kind);
  if (op != TN_TOK_END) {
    p->at += 1;
    parts[1] = tn_parse_expr_list(p);
    return parts[1] == NULL ? NULL
                            : finish(p, tn_ast_make_op(p, TN_AST_AUGMENT, first, op, 2, parts));
  }
  if (tn_parser_accept(p, TN_TOK_ASSIGN)) {
    parts[1] = tn_parse_expr_list(p);
    if (parts[1] != NULL && tn_parser_is(p, TN_TOK_ASSIGN)) {
      return tn_parser_fail(p, "syntax", "chained assignment is not supported");
    }
    return parts[1] == NULL ? NULL : finish(p, tn_ast_make(p, TN_AST_ASSIGN, first, 2, parts));
  }
  if (tn_parser_accept(p, TN_TOK_COLON)) {
    parts[1] = tn_parse_expr(p);
    if (parts[1] == NULL) {
      return NULL;
    }
    if (tn_parser_accept(p, TN_TOK_ASSIGN)) {
      parts[2] = tn_parse_expr_list(p);
      if (parts[2] == NULL) {
        return NULL;
      }
    }
    return finish(p, tn_ast_make(p, TN_AST_ANNOTATE, first, 3, parts));
  }
  return finish(p, tn_ast_make(p, TN_AST_EXPR, first, 1, parts));
}

static const tn_ast *parse_word(tn_parser *p, tn_ast_kind kind) {
  size_t first = p->at++;
  return finish(p, tn_ast_make(p, kind, first, 0, NULL));
}

static const tn_ast *parse_statement(tn_parser *p) {
  size_t first = p->at;
  switch ((int)tn_parser_tok(p)->kind) {
    case TN_TOK_FOR:
      return parse_for(p);
    case TN_TOK_WHILE:
      return parse_while(p);
    case TN_TOK_IF:
      return parse_if(p);
    case TN_TOK_WITH:
      return parse_with(p);
    case TN_TOK_ASSERT:
      return parse_assert(p);
    case TN_TOK_RETURN:
      return parse_return(p);
    case TN_TOK_PASS:
      return parse_word(p, TN_AST_PASS);
    case TN_TOK_BREAK:
      return parse_word(p, TN_AST_BREAK);
    case TN_TOK_CONTINUE:
      return parse_word(p, TN_AST_CONTINUE);
    case TN_TOK_IMPORT:
    case TN_TOK_FROM:
      return parse_import(p);
    case TN_TOK_AT:
      return parse_decorated(p);
    case TN_TOK_DEF:
      return parse_def(p, first, NULL);
    case TN_TOK_CLASS:
      return parse_class(p, first, NULL);
    default:
      break;
  }
  tn_tok kind = tn_parser_tok(p)->kind;
  bool starts_expr = kind == TN_TOK_NOT || kind == TN_TOK_NONE || kind == TN_TOK_TRUE ||
                     kind == TN_TOK_FALSE || kind == TN_TOK_LAMBDA;
  if (tn_tok_is_keyword(kind) && !starts_expr) {
    return tn_parser_fail(p, "syntax", "'%s' begins no statement that TVMScript has",
                          tn_tok_text(kind));
  }
  return parse_assignment(p);
}

void tn_ast_bodies_deinit(tn_ast_bodies *bodies) {
  for (size_t i = 0; i < bodies->len; ++i) {
    tn_arena_deinit(&bodies->data[i].arena);
  }
  TN_VEC_DEINIT(bodies);
}

void tn_ast_free_body(tn_ast_bodies *bodies, const tn_ast *def) {
  size_t lo = 0; /* groups that begin at or before it */
  for (size_t hi = bodies->len; lo < hi;) {
    size_t mid = lo + (hi - lo) / 2;
    const tn_ast *first = bodies->data[mid].first;
    bool is_before =
        first->line < def->line || (first->line == def->line && first->col <= def->col);
    lo = is_before ? mid + 1 : lo;
    hi = is_before ? hi : mid;
  }
  TN_ASSERT(lo > 0, "function '%s' has no body", def->text);
  if (--bodies->data[lo - 1].n_left == 0) {
    tn_arena_deinit(&bodies->data[lo - 1].arena);
  }
}

/* All tokens once, for their errors and for the words that tell the dialect; not kept, since there
 * are more of them than of anything else. */
static void look_over(tn_parser *p, size_t len, tn_dialect_marks *out_marks) {
  tn_lexer lexer;
  tn_token_vec toks = {0};
  tn_lexer_init(&lexer, p->text, len, p->source, p->diags);
  lexer.has_templates = p->has_templates;
  tn_dialect_begin(p->text, len, p->source, out_marks);
  while (!lexer.is_done) {
    toks.len = 0;
    tn_lexer_more(&lexer, BATCH_TOKENS, &toks);
    tn_dialect_scan(p->text, toks.data, toks.len, p->source, out_marks);
  }
  TN_VEC_DEINIT(&toks);
  tn_lexer_deinit(&lexer);
}

/* A lexer error usually breaks the grammar too; one report of it is enough. */
static const tn_ast *parse_file(tn_parser *p, size_t len, tn_dialect_marks *out_marks) {
  tn_lexer lexer;
  look_over(p, len, out_marks);
  tn_lexer_init(&lexer, p->text, len, p->source, p->diags);
  lexer.has_templates = p->has_templates;
  p->lexer = &lexer;
  tn_pos pos = {.source = p->source, .line = 1, .col = 1, .n_cols = 1};
  if (p->diags->n == 0) {
    while (!tn_parser_is(p, TN_TOK_END)) {
      collect_statements(p);
      tn_parser_accept(p, TN_TOK_DEDENT);
    }
    pos = token_pos(p, tn_parser_tok(p));
  }
  const tn_ast *file = make_at(p, TN_AST_SUITE, pos, (uint32_t)p->stack.len, p->stack.data);
  TN_VEC_DEINIT(&p->stack);
  TN_VEC_DEINIT(&p->toks);
  tn_lexer_deinit(&lexer);
  return file;
}

const tn_ast *tn_ast_parse(tn_ir *ir, tn_arena *arena, const char *text, size_t len,
                           uint32_t source, tn_ast_bodies *bodies, tn_dialect_marks *out_marks,
                           tn_diags *diags) {
  tn_parser p = {
      .ir = ir, .arena = arena, .text = text, .source = source, .bodies = bodies, .diags = diags};
  return parse_file(&p, len, out_marks);
}

const tn_ast *tn_ast_parse_schedule(tn_ir *ir, tn_arena *arena, const char *text, size_t len,
                                    uint32_t source, tn_diags *diags) {
  tn_dialect_marks marks;
  tn_parser p = {.ir = ir,
                 .arena = arena,
                 .text = text,
                 .source = source,
                 .has_stars = true,
                 .has_templates = true,
                 .diags = diags};
  return parse_file(&p, len, &marks);
}

const tn_ast *tn_ast_parse_inner(tn_ir *ir, tn_arena *arena, const char *text, tn_pos pos) {
  tn_diags diags = {0};
  const tn_ast *node = NULL;
  tn_parser p = {.ir = ir, .arena = arena, .text = text, .diags = &diags, .fixed_pos = &pos};
  tn_lex(text, strlen(text), pos.source, &p.toks, &diags);
  if (diags.n == 0) {
    node = tn_parse_expr(&p);
    tn_parser_accept(&p, TN_TOK_NEWLINE);
    node = diags.n == 0 && tn_parser_is(&p, TN_TOK_END) ? node : NULL;
  }
  TN_VEC_DEINIT(&p.stack);
  TN_VEC_DEINIT(&p.toks);
  tn_diags_deinit(&diags);
  return node;
}
