/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Relay text -> graph functions: what its files share.
 *
 *   relay_lex.c    bytes -> tokens
 *   relay_token.c  tokens -> tree: literals, attributes
 *   relay_parse.c  the same: expressions, functions, the file
 *   relay_type.c   types: their trees, and what they are at the graph level
 *   relay_read.c   tree -> graph: bindings, branches, calls
 *   relay_func.c   the same: functions, the file
 *   relay_call.c   calls of operators: arguments, attributes, the general way to an operator of ours
 *   relay_ops.c    the table of Relay's operators, with those that need a way of their own
 *   relay_meta.c   constants in the #[metadata] section
 *
 * Relay is a language of expressions: `%0 = f(%x);` names a part of a graph that may be used again.
 * Every call becomes a binding of its own, every temporary one variable, in the order of the text.
 * Algebraic data types, match, references and functions over types are understood as far as it
 * takes to find their end, and refused. */
#ifndef TN_SCRIPT_RELAY_H
#define TN_SCRIPT_RELAY_H

#include "script/reader.h"

/* ---- tokens ---- */

typedef enum tn_rtok {
  TN_RTOK_END,
  TN_RTOK_NAME,   /* nn.conv2d, let, float32, _ */
  TN_RTOK_LOCAL,  /* %x, %0 */
  TN_RTOK_GLOBAL, /* @main */
  TN_RTOK_NUMBER, /* 1, 2.5f64, 1e-05f, 4i64 */
  TN_RTOK_STR,
  TN_RTOK_SECTION, /* #[ */
  TN_RTOK_JSON,    /* #[metadata]; the rest of the text belongs to it */
  TN_RTOK_ARROW,   /* -> */
  TN_RTOK_EQ,      /* == */
  TN_RTOK_NE,
  TN_RTOK_LE,
  TN_RTOK_GE,
  TN_RTOK_PUNCT /* one character: text[offset] */
} tn_rtok;

typedef struct tn_rtoken {
  tn_rtok kind;
  uint32_t offset;
  uint32_t len; /* of JSON: of what follows #[metadata], at offset */
  uint32_t line;
  uint32_t col;
  uint32_t n_cols;
} tn_rtoken;
typedef TN_VEC(tn_rtoken) tn_rtoken_vec;

/// Appends the tokens of the text, END last. Problems go to diags.
void tn_relay_lex(const char *text, size_t len, uint32_t source, tn_rtoken_vec *out,
                  tn_diags *diags);

/* ---- tree ---- */

typedef enum tn_relay_kind {
  /* expressions; in[] */
  TN_RELAY_LOCAL,  /* text, without % */
  TN_RELAY_GLOBAL, /* text, without @ */
  TN_RELAY_NAME,   /* an operator, or a word as an attribute's value; text */
  TN_RELAY_NUMBER, /* dtype; i64 or f64 */
  TN_RELAY_STR,    /* text */
  TN_RELAY_LIST,   /* items: attributes only */
  TN_RELAY_TUPLE,  /* items */
  TN_RELAY_GET,    /* tuple; i64: the index */
  TN_RELAY_CALL,   /* callee, arguments, ATTRs */
  TN_RELAY_ATTR,   /* value; text: its key */
  TN_RELAY_META,   /* text: relay.Constant; i64: the index */
  TN_RELAY_IF,     /* cond then else */
  TN_RELAY_FN,     /* [ret] body, PARAMs, ATTRs; text: the name, NULL for a function value */
  TN_RELAY_BODY,   /* LETs, and last the value */
  /* parts */
  TN_RELAY_LET,   /* value [type]; text */
  TN_RELAY_PARAM, /* [type]; text */
  TN_RELAY_FILE,  /* FNs, or one BODY; free variables are PARAMs before it */
  /* types */
  TN_RELAY_TY_TENSOR, /* dims: NUMBER, NAME or ANY; dtype */
  TN_RELAY_TY_TUPLE,
  TN_RELAY_TY_FUNC, /* ret, parameters */
  TN_RELAY_TY_NAME, /* text: a data type of the program */
  TN_RELAY_ANY      /* ? or _ */
} tn_relay_kind;

typedef struct tn_relay tn_relay;
struct tn_relay {
  tn_relay_kind kind;
  uint32_t n;
  uint32_t depth; /* 1 + the deepest child's */
  tn_dtype dtype; /* NUMBER, TY_TENSOR */
  bool is_plain;  /* NUMBER: written without a type */
  tn_pos pos;
  const char *text; /* interned in the tn_ir */
  int64_t i64;      /* integer NUMBER, GET, META */
  double f64;       /* float NUMBER */
  const tn_relay *const *in;
};
enum { TN_RELAY_IF_COND, TN_RELAY_IF_THEN, TN_RELAY_IF_ELSE };
enum { TN_RELAY_FN_RET, TN_RELAY_FN_BODY, TN_RELAY_FN_PARAMS };
enum { TN_RELAY_MAX_NEST = 300, TN_RELAY_MAX_DEPTH = 1000 };

typedef struct tn_relay_parser {
  tn_ir *ir;
  tn_arena *arena;
  const char *text;
  uint32_t source;
  const tn_rtoken *toks;
  size_t at;
  uint32_t nest; /* open recursion */
  tn_diags *diags;
  TN_VEC(const tn_relay *) stack; /* children being collected */
} tn_relay_parser;

/// The whole file: a FILE, or NULL after a problem. out_json: the #[metadata] section, NULL: none.
const tn_relay *tn_relay_parse_file(tn_relay_parser *p, const tn_rtoken **out_json);

/* Between the parser's files, which are relay_token.c, relay_type.c and relay_parse.c. Functions that return a node return NULL after a problem. */
static inline const tn_rtoken *tn_relay_tok(const tn_relay_parser *p) { return &p->toks[p->at]; }
bool tn_relay_is(const tn_relay_parser *p, char punct);
bool tn_relay_is_word(const tn_relay_parser *p, const char *word);
bool tn_relay_accept(tn_relay_parser *p, char punct);
bool tn_relay_expect(tn_relay_parser *p, char punct, const char *where);
const tn_relay *tn_relay_syntax(tn_relay_parser *p, const char *fmt, ...) TN_PRINTF(2, 3);
bool tn_relay_enter(tn_relay_parser *p);
/// A node of the children collected since `base`, which are taken from the stack.
tn_relay *tn_relay_make(tn_relay_parser *p, tn_relay_kind kind, size_t first, size_t base);
const char *tn_relay_word(tn_relay_parser *p, const tn_rtoken *tok, uint32_t n_skip);
/// Reports `unsupported` at token `first`; the parse goes on.
void tn_relay_refuse(tn_relay_parser *p, size_t first, const char *what, const char *instead);
/// Steps over a bracket and all up to the one that closes it. False, reported, when nothing does.
bool tn_relay_skip(tn_relay_parser *p);
const tn_relay *tn_relay_parse_type(tn_relay_parser *p);
bool tn_relay_accept_word(tn_relay_parser *p, const char *word);
bool tn_relay_tok_is_word(const tn_relay_parser *p, const tn_rtoken *tok, const char *word);
const tn_relay *tn_relay_make_text(tn_relay_parser *p, tn_relay_kind kind, size_t first,
                                   size_t base, const char *text);
/// A number that begins at token `first`: its sign, if there is one, is behind.
const tn_relay *tn_relay_parse_number(tn_relay_parser *p, size_t first, bool is_negative);
/// inf and nan, as printers write them: inff, nanf64.
bool tn_relay_is_special(const tn_relay_parser *p, double *out_value, tn_dtype *out_dtype);
const tn_relay *tn_relay_parse_special(tn_relay_parser *p, size_t first, bool is_negative,
                                       double value, tn_dtype dtype);
const tn_relay *tn_relay_parse_string(tn_relay_parser *p);
const tn_relay *tn_relay_parse_meta(tn_relay_parser *p);
bool tn_relay_at_attr(const tn_relay_parser *p);
const tn_relay *tn_relay_parse_attr(tn_relay_parser *p);

/* ---- reading ---- */

typedef struct tn_relay_reader {
  tn_ir *ir;
  tn_arena arena;
  tn_module *module;
  const tn_script_opts *opts;
  tn_diags *diags;
  uint32_t source;
  const char *text;
  tn_scopes scopes;
  tn_node_vec *stmts;         /* of the body being read */
  tn_strmap funcs;            /* names of definitions -> their FN */
  tn_strmap made;             /* names of those whose type is known */
  tn_map begun;               /* definitions whose reading has begun, by address */
  const tn_rtoken *json;      /* NULL: no metadata */
  struct tn_relay_meta *meta; /* NULL: not read yet */
  uint32_t n_symbols;         /* sizes made for ? */
} tn_relay_reader;

/// Reports; returns NULL for the caller's convenience.
const tn_node *tn_relay_fail(tn_relay_reader *r, const tn_relay *at, const char *id,
                             const char *hint, const char *fmt, ...) TN_PRINTF(5, 6);
/// Reports a status as a problem and frees it; false when it was one.
bool tn_relay_ok(tn_relay_reader *r, const tn_relay *at, const char *id, tn_status st);
/// A type of the text. makes_sizes: each ? is a new symbolic size; else it makes the shape unknown.
const tn_node *tn_relay_type(tn_relay_reader *r, const tn_relay *ast, bool makes_sizes);
/// True when there is a ? anywhere in the type.
bool tn_relay_type_is_open(const tn_relay *ast);
/// An expression as a graph value; NULL, reported.
const tn_node *tn_relay_expr(tn_relay_reader *r, const tn_relay *ast);
/// The same as an atom: bound to a variable when it is none.
const tn_node *tn_relay_atom(tn_relay_reader *r, const tn_relay *ast);
/// Binds a value, with its inferred type, to a new variable.
const tn_node *tn_relay_bind(tn_relay_reader *r, const tn_relay *at, const char *name,
                             const tn_node *value);
const tn_node *tn_relay_infer(tn_relay_reader *r, const tn_relay *at, const tn_node *value);
/// A scalar constant.
const tn_node *tn_relay_number(tn_relay_reader *r, tn_dtype dtype, double f64, int64_t i64);
/// meta[relay.Constant][i]
const tn_node *tn_relay_constant(tn_relay_reader *r, const tn_relay *ast);
void tn_relay_meta_free(struct tn_relay_meta *meta);

/* Between relay_read.c and relay_func.c. */
const char *tn_relay_python_name(tn_relay_reader *r, const char *name);
const tn_node *tn_relay_new_var(tn_relay_reader *r, const tn_relay *at, const char *name,
                                const tn_node *type);
void tn_relay_add_stmt(tn_relay_reader *r, const tn_relay *at, const tn_node *stmt);
bool tn_relay_is_atom(const tn_node *n);
/// False, reported, when the value has not the type that the text gives it.
bool tn_relay_fits(tn_relay_reader *r, const tn_relay *at, const tn_node *value,
                   const tn_relay *annotation);
/// A BODY: its bindings go to r->stmts, its names to the open scope; the value.
const tn_node *tn_relay_body(tn_relay_reader *r, const tn_relay *body);
/// r->stmts with a last statement, RETURN or YIELD, as a SEQ.
const tn_node *tn_relay_end_body(tn_relay_reader *r, const tn_relay *at, tn_op op,
                                 const tn_node *value);
/// A function value: a GFUNC, or the GLOBAL of a private function.
const tn_node *tn_relay_fn(tn_relay_reader *r, const tn_relay *ast);

/* ---- operators ---- */

enum { TN_RELAY_MAX_ATTRS = 64 };
typedef struct tn_relay_row tn_relay_row;
typedef struct tn_relay_call {
  tn_relay_reader *r;
  const tn_relay *ast;
  const tn_relay_row *row;
  uint32_t n_args;
  const tn_node *const *args; /* atoms, or TUPLEs of them */
  uint64_t used;              /* bit i: child i of the CALL was asked for */
} tn_relay_call;

/// One operator of Relay: its arguments, and what its attributes mean for the operator of ours.
/// attrs: words, "key" for a field of the same name, "key:field" for another name, "-key" for what
/// says nothing new. fn, where there is one, builds the value; else it is our operator itself.
struct tn_relay_row {
  const char *name;
  const char *op; /* NULL: made of others by fn */
  int32_t n_args;
  const char *attrs;
  const tn_node *(*fn)(tn_relay_call *c);
};
const tn_relay_row *tn_relay_row_find(const char *name);
/// All names, for near ones.
const tn_relay_row *tn_relay_rows(uint32_t *out_n);
/// A call of an operator by name.
const tn_node *tn_relay_operator(tn_relay_reader *r, const tn_relay *ast);
/// True when the table has the operator and ours is there.
bool tn_relay_knows(const tn_relay_reader *r, const char *name);

/* For the rows' own functions. */
/// The attribute's value, or NULL; it counts as understood then.
const tn_relay *tn_relay_attr(tn_relay_call *c, const char *key);
int64_t tn_relay_attr_int(tn_relay_call *c, const char *key, int64_t otherwise);
double tn_relay_attr_float(tn_relay_call *c, const char *key, double otherwise);
const char *tn_relay_attr_text(tn_relay_call *c, const char *key, const char *otherwise);
/// A list of integers, or one; n = -1 when it is left out or None. False, reported.
bool tn_relay_attr_ints(tn_relay_call *c, const char *key, int64_t *out, int32_t *out_n);
tn_dtype tn_relay_attr_dtype(tn_relay_call *c, const char *key, tn_dtype otherwise);
/// A value that may stand as an argument: bound to a variable when it is a call.
const tn_node *tn_relay_hold(tn_relay_call *c, const tn_node *value);
/// Our operator `name` on args, which are held first; NULL when one of them is. Then pairs of a
/// field's name and its node (NULL: the default), and NULL.
const tn_node *tn_relay_emit(tn_relay_call *c, const char *name, uint32_t n_args,
                             const tn_node *const *args, ...);
const tn_node *tn_relay_ints(tn_relay_call *c, int32_t n, const int64_t *values);
/// The TY_TENSOR of argument i. NULL, reported, when it is no tensor.
const tn_node *tn_relay_arg_type(tn_relay_call *c, uint32_t i);
/// The same when all its extents must be known as expressions.
const tn_node *tn_relay_arg_shape(tn_relay_call *c, uint32_t i);

/* ---- the door ---- */

/// True when the text, by its first word, or the file's name is Relay's.
bool tn_relay_is_text(const char *text, size_t len, const char *file_name);
/// As tn_script_parse, for Relay text.
void tn_relay_read(const char *text, size_t len, uint32_t source, const tn_script_opts *opts,
                   tn_module *module, tn_diags *diags);

#endif
