/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The syntax tree between parser and readers: Python's expressions and the statements that
 * TVMScript uses, all of one node type in an arena. Nothing is resolved here: names are texts,
 * numbers are as written. What the text may hold and what a reader accepts are different questions;
 * this tree knows only the first. */
#ifndef TN_SCRIPT_AST_H
#define TN_SCRIPT_AST_H

#include "base/arena.h"
#include "ir/ir.h"
#include "script/dialect.h"
#include "script/lex.h"

typedef enum tn_ast_kind {
  /* expressions; in[] */
  TN_AST_NAME,     /* text */
  TN_AST_INT,      /* u64: the magnitude; signs are UNARY */
  TN_AST_FLOAT,    /* f64 */
  TN_AST_STR,      /* text, decoded, without NUL */
  TN_AST_TEMPLATE, /* f"...", of schedule scripts alone; text: what stands between the quotes */
  TN_AST_BOOL,     /* tok: TRUE FALSE */
  TN_AST_NONE,
  TN_AST_ELLIPSIS,
  TN_AST_TUPLE,   /* items */
  TN_AST_LIST,    /* items */
  TN_AST_DICT,    /* key value key value ... */
  TN_AST_ATTR,    /* base; text */
  TN_AST_INDEX,   /* base items ... */
  TN_AST_SLICE,   /* [from] [to] [step] */
  TN_AST_CALL,    /* callee, then arguments and KEYWORDs in source order */
  TN_AST_KEYWORD, /* value; text */
  TN_AST_UNARY,   /* a; tok: MINUS PLUS TILDE NOT */
  TN_AST_BINARY,  /* a b; tok */
  TN_AST_COMPARE, /* a b; tok: EQ NE LT LE GT GE */
  TN_AST_BOOLOP,  /* a b; tok: AND OR */
  TN_AST_COND,    /* then cond else */
  TN_AST_LAMBDA,  /* params (NAMEs) ..., body last */
  TN_AST_STAR,    /* value: *items, of schedule scripts alone */
  /* statements */
  TN_AST_SUITE,    /* statements */
  TN_AST_EXPR,     /* value */
  TN_AST_ASSIGN,   /* target value */
  TN_AST_AUGMENT,  /* target value; tok: the operator without '=' */
  TN_AST_ANNOTATE, /* target annotation [value] */
  TN_AST_FOR,      /* target iterable suite */
  TN_AST_WHILE,    /* cond suite */
  TN_AST_IF,       /* cond suite [else suite] */
  TN_AST_WITH,     /* item [target] suite; several items are nested WITHs */
  TN_AST_ASSERT,   /* cond [message] */
  TN_AST_RETURN,   /* [value] */
  TN_AST_PASS,
  TN_AST_BREAK,
  TN_AST_CONTINUE,
  TN_AST_IMPORT, /* text: what stands after the word; tok: FROM IMPORT */
  TN_AST_DEF,    /* decorators [ret] suite [type params] params...; text */
  TN_AST_PARAM,  /* [annotation] [default]; text */
  TN_AST_CLASS   /* decorators suite; text */
} tn_ast_kind;

enum { TN_AST_FOR_TARGET = 0, TN_AST_FOR_ITER, TN_AST_FOR_BODY };
enum { TN_AST_IF_COND = 0, TN_AST_IF_THEN, TN_AST_IF_ELSE };
enum { TN_AST_WITH_ITEM = 0, TN_AST_WITH_TARGET, TN_AST_WITH_BODY };
enum {
  TN_AST_DEF_DECORATORS = 0,
  TN_AST_DEF_RET,
  TN_AST_DEF_BODY,
  TN_AST_DEF_TYPE_PARAMS, /* TUPLE of PARAMs: def f[n: T.int32](...) */
  TN_AST_DEF_PARAMS
};
enum { TN_AST_CLASS_DECORATORS = 0, TN_AST_CLASS_BODY };

/* Packed, since a tree has as many of these as its text has tokens: 24 bytes and the children. */
typedef struct tn_ast tn_ast;
struct tn_ast {
  tn_ast_kind kind : 6;
  tn_tok tok : 7;
  uint32_t depth : 10; /* 1 + the deepest child's */
  uint32_t n_cols : 9; /* of its first line; tn_ast_pos */
  uint32_t n;
  uint32_t line;
  uint32_t col;
  union {
    const char *text; /* interned in the tn_ir: equal texts, equal pointers */
    uint64_t u64;     /* INT */
    double f64;       /* FLOAT */
  };
  const tn_ast *in[]; /* optional children may be NULL */
};

static inline tn_pos tn_ast_pos(const tn_ast *ast, uint32_t source) {
  return (tn_pos){source, ast->line, ast->col, ast->n_cols};
}

enum { TN_AST_MAX_NEST = 500, TN_AST_MAX_DEPTH = 1000 };

/// The bodies of a file's functions in the order of the text, in groups that have memory of their
/// own: all of them beside the module that is made from them would need more than either.
typedef struct tn_ast_body {
  const tn_ast *first; /* function of the group */
  uint32_t n_left;     /* functions whose bodies are needed */
  tn_arena arena;      /* owned */
} tn_ast_body;
typedef TN_VEC(tn_ast_body) tn_ast_bodies;

/// Parses a whole file. Always returns a SUITE; complete only when no problem was added to diags.
/// The tree lives in arena, but for bodies of functions (tn_ast_free_body), its texts in ir. source: as registered in ir. out_marks: what tells the
/// dialect.
const tn_ast *tn_ast_parse(tn_ir *ir, tn_arena *arena, const char *text, size_t len,
                           uint32_t source, tn_ast_bodies *bodies, tn_dialect_marks *out_marks,
                           tn_diags *diags);
/// Gives up the body of a function of the class or file, which has been read; its head stays.
void tn_ast_free_body(tn_ast_bodies *bodies, const tn_ast *def);
void tn_ast_bodies_deinit(tn_ast_bodies *bodies);

/// The same for a schedule script, in which *items may stand among arguments, items and targets.
const tn_ast *tn_ast_parse_schedule(tn_ir *ir, tn_arena *arena, const char *text, size_t len,
                                    uint32_t source, tn_diags *diags);

/// Parses one expression that stands inside a string of another file; all its nodes get the
/// position `pos`. NULL when it is none (nothing is reported).
const tn_ast *tn_ast_parse_inner(tn_ir *ir, tn_arena *arena, const char *text, tn_pos pos);

/* ---- shared by the parser's files ---- */

typedef struct tn_parser {
  tn_ir *ir;
  tn_arena *arena;
  const char *text;
  uint32_t source;
  tn_lexer *lexer;   /* makes more tokens when they are used up; NULL: all are there */
  tn_token_vec toks; /* of the statement being parsed, at least */
  size_t at;
  uint32_t nest;           /* open recursion */
  const tn_pos *fixed_pos; /* where all nodes are said to be; NULL: where they are */
  tn_diags *diags;
  tn_ast_bodies *bodies; /* NULL: all in one arena */
  tn_arena body_arena;   /* of the group that is being filled */
  bool is_in_body;
  bool has_stars;               /* *items are read */
  bool has_templates;           /* f"..." is read */
  TN_VEC(const tn_ast *) stack; /* children being collected */
} tn_parser;

/// The next token; its address is good to the end of its line.
const tn_token *tn_parser_more(tn_parser *p);
static inline const tn_token *tn_parser_tok(tn_parser *p) {
  return p->at < p->toks.len ? &p->toks.data[p->at] : tn_parser_more(p);
}
static inline bool tn_parser_is(tn_parser *p, tn_tok kind) {
  return tn_parser_tok(p)->kind == kind;
}
/// Steps over a token of that kind, if it is the next.
bool tn_parser_accept(tn_parser *p, tn_tok kind);
/// The same, else reports "expected 'x'" with `where` ("after the condition"); false then.
bool tn_parser_expect(tn_parser *p, tn_tok kind, const char *where);
/// Reports at the next token; returns NULL for the caller's convenience.
const tn_ast *tn_parser_fail(tn_parser *p, const char *id, const char *fmt, ...) TN_PRINTF(3, 4);
/// Enters one more level of recursion; false (and reported) past TN_AST_MAX_NEST. Balance with
/// --p->nest.
bool tn_parser_enter(tn_parser *p);
/// A node from token `first` to the token before the next one; children copied. NULL, reported,
/// when the tree is too deep.
const tn_ast *tn_ast_make(tn_parser *p, tn_ast_kind kind, size_t first, uint32_t n,
                          const tn_ast *const *in);
/// The same with a text.
const tn_ast *tn_ast_make_text(tn_parser *p, tn_ast_kind kind, size_t first, const char *text,
                               uint32_t n, const tn_ast *const *in);
/// The same with an operator.
const tn_ast *tn_ast_make_op(tn_parser *p, tn_ast_kind kind, size_t first, tn_tok tok, uint32_t n,
                             const tn_ast *const *in);
/// A node of another kind at the place of `model`, with its text.
tn_ast *tn_ast_like(tn_arena *arena, const tn_ast *model, tn_ast_kind kind, uint32_t n,
                    const tn_ast *const *in);
/// An INT and a FLOAT.
const tn_ast *tn_ast_make_u64(tn_parser *p, size_t first, uint64_t value);
const tn_ast *tn_ast_make_f64(tn_parser *p, size_t first, double value);
/// A node of the children collected on the stack since `base`, which are removed from it.
const tn_ast *tn_ast_make_stacked(tn_parser *p, tn_ast_kind kind, size_t first, size_t base);
const char *tn_parser_name(tn_parser *p, const tn_token *tok);

/// One expression (no bare tuple). NULL, reported, on a syntax error; the same for the next ones.
const tn_ast *tn_parse_expr(tn_parser *p);
/// The same, or *items where the parser reads them.
const tn_ast *tn_parse_item(tn_parser *p);
/// An expression, or a tuple without brackets.
const tn_ast *tn_parse_expr_list(tn_parser *p);
/// Number and string tokens.
const tn_ast *tn_parse_number(tn_parser *p);
const tn_ast *tn_parse_strings(tn_parser *p);

#endif
