/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* TVMScript text <-> IR, in C, without Python: the text is Tenon's file format.
 *
 *   tn_script_parse: text --lexer--> tokens --parser--> tree (script/ast.h) --readers--> module
 *   tn_script_print: module --printer--> text
 *
 * What is printed reads back to a structurally equal module. All spellings are read
 * (script/dialect.h); the one of 2023 (T.block, out_sinfo=) is printed. */
#ifndef TN_SCRIPT_SCRIPT_H
#define TN_SCRIPT_SCRIPT_H

#include "base/buf.h"
#include "graph/graph.h"
#include "ir/ir.h"
#include "tenon/compiler.h"

typedef struct tn_script_opts {
  const char *file_name;  /* for messages */
  const tn_op_table *ops; /* graph operators beyond the builtins; may be NULL */
  tn_dialect dialect;     /* AUTO: as the text itself says */
  /// Values of names that the text does not define, each "NAME=VALUE"; VALUE is a number, True,
  /// False, or a text.
  const char *const *defines;
  int32_t n_defines;
  bool *out_used; /* [n_defines], may be NULL: true where the text asked for it; then one that it did
                     not ask for is no problem */
  /// Looks up `metadata["relax.expr.Constant"][i]` (npz beside the file); NULL: such text is an
  /// error.
  tn_status (*find_const)(void *ctx, int64_t index, tn_array *out);
  void *ctx;
} tn_script_opts;

/// Reads a whole file: one @I.ir_module class, or bare @T.prim_func / @R.function definitions (then
/// the module is "Module"). All problems found go to diags (at most TN_MAX_DIAGS); `module`
/// (initialised by the caller) is complete only when diags->n == 0.
void tn_script_parse(const char *text, size_t len, const tn_script_opts *opts, tn_module *module,
                     tn_diags *diags);

typedef TN_VEC(const tn_node *) tn_const_list;

typedef struct tn_print_opts {
  bool with_header; /* "# from tvm.script import ir as I" comment lines */
  /// Functions without the class around them when there is exactly one and it is a PRIM_FUNC.
  bool is_bare;
  /// Constants up to this many elements print in full as R.const(...), larger ones as
  /// metadata[...]; 0: the default (1: scalars).
  int32_t max_inline_elems;
  /// If not NULL, receives the CONST nodes printed as metadata["relax.expr.Constant"][i], in order.
  tn_const_list *out_consts;
} tn_print_opts;

/// Canonical text of a module: PrimFuncs, externs, graph functions, alphabetical, `main` last.
void tn_script_print(const tn_module *module, const tn_print_opts *opts, tn_buf *out);
/// Canonical text of any node, function or fragment (free variables print by name).
void tn_script_print_node(const tn_node *n, tn_buf *out);

#endif
