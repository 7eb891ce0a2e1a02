/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the printer's files share: the state of one printing run and the functions between them.
 * print.c: modules, functions, names. print_expr.c: expressions. print_tir.c: loop-level
 * statements. print_graph.c: graph level. */
#ifndef TN_SCRIPT_PRINT_PRIV_H
#define TN_SCRIPT_PRINT_PRIV_H

#include "base/arena.h"
#include "script/script.h"

/* A name given out; leaving a scope takes back what was given inside. */
typedef struct tn_name_entry {
  uint32_t id;
  char *name;
  const char *base; /* NULL: name is what was wanted */
  uint32_t k;       /* the number to try next for `base` before this name was given */
} tn_name_entry;

typedef struct tn_printer {
  const tn_module *module; /* NULL for fragments */
  const tn_print_opts *opts;
  tn_buf *out;
  int32_t indent;
  tn_arena arena;              /* names */
  tn_map names;                /* node id -> char * */
  tn_strmap used;              /* names in scope */
  tn_strmap next;              /* base -> k: base_1 ... base_(k-1) are in scope */
  TN_VEC(tn_name_entry) scope; /* in order of definition */
  tn_map domains;    /* loop var id -> extent node, for loops from 0 without annotations */
  tn_dtype bare_int; /* the integer type whose literals print without a wrapper */
  bool is_signature; /* inside a graph function's head: symbolic dimensions print quoted */
  const char *indent_unit;
  tn_const_list consts; /* printed as metadata, when the caller does not collect them */
} tn_printer;

/* names (print.c) */
/// Gives `n` a free name derived from `wanted` and remembers it until the scope is left.
const char *tn_pr_define(tn_printer *p, const tn_node *n, const char *wanted);
/// The name of a leaf; an undefined one is printed by its own name.
const char *tn_pr_name(tn_printer *p, const tn_node *n);
bool tn_pr_is_defined(const tn_printer *p, const tn_node *n);
size_t tn_pr_enter(const tn_printer *p);
void tn_pr_leave(tn_printer *p, size_t mark);
/// Starts a line at the current indentation.
void tn_pr_line(tn_printer *p);
void tn_pr_string(tn_printer *p, const char *text);
void tn_pr_function(tn_printer *p, const char *name, const tn_node *func);
/// Index of a constant in metadata["relax.expr.Constant"].
size_t tn_pr_const_index(tn_printer *p, const tn_node *c);

/* expressions (print_expr.c); prec: precedence of the place, weaker operators get parentheses */
void tn_pr_expr(tn_printer *p, const tn_node *n, int32_t prec);
void tn_pr_exprs(tn_printer *p, uint32_t n, const tn_node *const *items);
/// (a, b) and (a,)
void tn_pr_tuple(tn_printer *p, uint32_t n, const tn_node *const *items);
void tn_pr_dict(tn_printer *p, const tn_node *dict);
/// A[i, j] with unit-stride vector indices as slices; A[()] for no dimension.
void tn_pr_access(tn_printer *p, const tn_node *buffer, uint32_t n, const tn_node *const *indices);
/// Index or slice of a region's dimension or of a vector access.
void tn_pr_range(tn_printer *p, const tn_node *min, const tn_node *extent);
/// min + extent, folded when both are literals.
void tn_pr_stop(tn_printer *p, const tn_node *min, const tn_node *extent);
void tn_pr_dtype(tn_printer *p, tn_dtype dtype);
/// One element of a constant array as a bare literal.
void tn_pr_element(tn_printer *p, const tn_array *array, int64_t i);

/* loop level (print_tir.c) */
void tn_pr_stmt(tn_printer *p, const tn_node *stmt);
void tn_pr_suite(tn_printer *p, const tn_node *body);
void tn_pr_prim_func(tn_printer *p, const char *name, const tn_node *func);
/// T.func_attr({...}) or R.func_attr({...}), without a global_symbol that is the name.
void tn_pr_func_attrs(tn_printer *p, char prefix, const char *name, const tn_node *attrs);
/// `n = T.int64()` for every variable below `n` that has no name yet.
void tn_pr_symbols(tn_printer *p, const tn_node *n);

/* graph level (print_graph.c) */
void tn_pr_type(tn_printer *p, const tn_node *type);
void tn_pr_graph_expr(tn_printer *p, const tn_node *n);
void tn_pr_graph_stmt(tn_printer *p, const tn_node *stmt);
void tn_pr_graph_func(tn_printer *p, const char *name, const tn_node *func);

#endif
