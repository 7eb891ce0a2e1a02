/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside integer sets. A question becomes a formula over integer columns: the variables of one or
 * two iterations, symbols, elements, and what a division or a minimum introduces. Each of the last
 * is defined by conjuncts that hold for exactly one value of it, so they may stand at the top of
 * the question whatever the sense (negated or not) in which they are used.
 *
 *   sets_form.c    forms, formulas
 *   sets_affine.c  expressions to forms and formulas
 *   sets_solve.c   formulas to conjunctions, and those to isl
 *   sets_quick.c   the integer test that saves most questions isl
 *   sets_key.c     what makes two questions the same
 *   sets_box.c     bounds of an image, back to expressions
 *   sets_cover.c   the questions that compare sets
 *   sets.c         context, memo and the questions that look for one iteration, or two */
#ifndef TN_ARITH_SETS_PRIV_H
#define TN_ARITH_SETS_PRIV_H

#include <isl/ctx.h>
#include <isl/set.h>
#include <isl/val.h>

#include "arith/sets.h"
#include "base/arena.h"
#include "base/hash.h"

typedef struct tn_form_term {
  uint32_t col;
  int64_t coef; /* never 0 */
} tn_form_term;

/// base + sum(coef * column), columns ascending, each once.
typedef struct tn_form {
  uint32_t n;
  int64_t base;
  const tn_form_term *terms;
} tn_form;

typedef enum tn_formula_kind {
  TN_FM_TRUE,
  TN_FM_FALSE,
  TN_FM_GE, /* form >= 0 */
  TN_FM_EQ, /* form == 0 */
  TN_FM_AND,
  TN_FM_OR
} tn_formula_kind;

typedef struct tn_formula tn_formula;
struct tn_formula {
  tn_formula_kind kind;
  tn_form form;
  uint32_t n;
  const tn_formula *const *parts;
};

typedef enum tn_col_kind {
  TN_COL_A,       /* a variable of the first iteration */
  TN_COL_B,       /* of the second */
  TN_COL_SYMBOL,  /* node: a variable in no domain */
  TN_COL_OPAQUE,  /* node: an expression of symbols that is not affine, taken as one */
  TN_COL_ELEMENT, /* an index of an element */
  TN_COL_EXTRA    /* defined by conjuncts */
} tn_col_kind;

typedef struct tn_col {
  tn_col_kind kind;
  const tn_node *node;
  tn_interval iv; /* what its values lie in; has_lo, has_hi: known */
} tn_col;

typedef struct tn_division {
  const tn_form *form;
  int64_t divisor;
  uint32_t quotient; /* column */
  uint32_t rest;     /* column, or UINT32_MAX: none yet */
} tn_division;

/* isl's operations are of unequal cost: with many divisions inside each other 200,000 of them take
 * minutes. Real indices have a handful. */
enum {
  TN_SETS_MAX_DIVISIONS = 32, /* where one solution is looked for */
  TN_SETS_MAX_PROJECTED = 12, /* where a set is projected */
  TN_SETS_MAX_BOXED = 4       /* where its bounds are wanted as expressions */
};

enum { TN_SETS_MAX_FORMULAS = 20000, TN_SETS_MAX_COLS = 256 };

typedef TN_VEC(const tn_formula *) tn_formulas;

typedef struct tn_question {
  tn_sets *sets;
  tn_arena arena;
  TN_VEC(tn_col) cols;
  TN_VEC(tn_division) divisions;
  tn_map symbols; /* id -> column, for SYMBOL and OPAQUE */
  tn_formulas defs;
  uint32_t n_formulas;
  const tn_node *culprit; /* not affine */
  bool is_too_big;
} tn_question;

/// One iteration of a domain in a question.
typedef struct tn_instance {
  tn_question *q;
  tn_map vars; /* id -> column */
  tn_map lets; /* id -> tn_form * */
  tn_map memo; /* id -> tn_form * */
  uint32_t n_vars;
  const uint32_t *cols; /* of the domain's variables */
} tn_instance;

/// A remembered answer.
typedef struct tn_sets_entry {
  tn_hash128 hash;
  tn_verdict verdict;
  bool has_a; /* whose values there are */
  bool has_b;
  uint32_t n_symbols;
  const int64_t *values;   /* of a, of b, of symbols */
  const uint32_t *symbols; /* which, in the order in which the question names them */
} tn_sets_entry;

struct tn_sets {
  isl_ctx *ctx;
  uint64_t max_ops;
  tn_sets_stats stats;
  tn_arena arena; /* witnesses */
  TN_VEC(const tn_node *) assumed;
  tn_map memo; /* low half of the hash -> index in entries */
  TN_VEC(tn_sets_entry) entries;
};

/* ---- sets_affine.c ---- */
void tn_question_init(tn_question *q, tn_sets *sets);
void tn_question_deinit(tn_question *q);
static inline bool tn_question_is_failed(const tn_question *q) {
  return q->culprit != NULL || q->is_too_big;
}
uint32_t tn_question_add_col(tn_question *q, tn_col_kind kind, const tn_node *node, tn_interval iv);
/// The column of a symbol, or of an expression of symbols taken as one.
uint32_t tn_question_symbol(tn_question *q, const tn_node *n, tn_col_kind kind);
/// Adds the domain's variables as columns and its bounds and condition to defs.
void tn_instance_init(tn_instance *inst, tn_question *q, tn_col_kind kind, const tn_domain *domain);
void tn_instance_deinit(tn_instance *inst);
/// NULL: not affine, culprit is set.
const tn_form *tn_instance_form(tn_instance *inst, const tn_node *expr);
/// cond == truth. FALSE when failed.
const tn_formula *tn_instance_formula(tn_instance *inst, const tn_node *cond, bool truth);
/// min <= value < min + extent; min NULL: 0; extent NULL: value == min.
const tn_formula *tn_instance_within(tn_instance *inst, const tn_form *value, const tn_node *min,
                                     const tn_node *extent);

/* ---- sets_form.c ---- */
const tn_form *tn_form_const(tn_question *q, int64_t value);
const tn_form *tn_form_col(tn_question *q, uint32_t col);
/// a * ka + b * kb + k; NULL (too big) when a number passes int64.
const tn_form *tn_form_sum(tn_question *q, const tn_form *a, int64_t ka, const tn_form *b,
                           int64_t kb, int64_t k);
const tn_form *tn_form_scale(tn_question *q, const tn_form *form, int64_t k);

/// What a form's value lies in, by its columns' bounds.
typedef struct tn_range128 {
  bool has_lo;
  bool has_hi;
  __int128 lo;
  __int128 hi;
} tn_range128;
tn_range128 tn_form_range(const tn_question *q, const tn_form *form);
/// Bounds that 64 bits do not hold are left out.
tn_interval tn_range_narrow(tn_range128 range);

const tn_formula *tn_formula_const(bool truth);
/// form >= 0 or form == 0; TRUE or FALSE when it has no columns. form NULL: FALSE.
const tn_formula *tn_formula_atom(tn_question *q, tn_formula_kind kind, const tn_form *form);
/// AND, OR.
const tn_formula *tn_formula_list(tn_question *q, tn_formula_kind kind, uint32_t n,
                                  const tn_formula *const *parts);
const tn_formula *tn_formula_both(tn_question *q, tn_formula_kind kind, const tn_formula *a,
                                  const tn_formula *b);
/// a op b over the integers; op: EQ NE LT LE GT GE.
const tn_formula *tn_formula_compare(tn_question *q, tn_op op, const tn_form *a, const tn_form *b);
/// (a[0], a[1] ...) op (b[0], b[1] ...), lexicographic.
const tn_formula *tn_formula_order(tn_question *q, tn_op op, uint32_t n, const tn_form *const *a,
                                   const tn_form *const *b);

/* ---- sets_solve.c ---- */
/// Looks for values of all columns with which the formulas hold. PROVED: there are none. REFUTED:
/// out_values (a number a column, or NULL) are set, unless a number passes int64: then
/// *out_has_values is false.
tn_verdict tn_question_solve(tn_question *q, const tn_formulas *formulas, int64_t *out_values,
                             bool *out_has_values);
/// The set of the values of the kept columns (ascending), symbols and opaques as parameters, for
/// which there are values of the others. NULL: failed (see the context's error) or too big.
isl_set *tn_question_project(tn_question *q, const tn_formulas *formulas, uint32_t n_kept,
                             const uint32_t *kept, uint32_t n_params, const uint32_t *params);
/// False: NULL, no integer, or past int64. Borrows v.
bool tn_sets_to_int(isl_val *v, int64_t *out);
/// Starts counting operations anew.
void tn_sets_begin(tn_sets *sets);

/* ---- sets_key.c ---- */
typedef struct tn_key {
  const tn_sets *sets;
  tn_hash128 hash;
  tn_map leaves; /* id -> number; for the whole question */
  tn_map nodes;  /* id -> number; for the present domain */
  tn_map bound;  /* ids of the present domain's variables */
  tn_map symbol_at;
  TN_VEC(const tn_node *) symbols; /* in the order in which they are met */
  TN_VEC(const tn_node *) assumed; /* the assumptions that belong to the question */
} tn_key;
void tn_key_init(tn_key *key, const tn_sets *sets, uint64_t kind);
void tn_key_deinit(tn_key *key);
void tn_key_number(tn_key *key, uint64_t value);
/// Of the domain that was added last.
void tn_key_expr(tn_key *key, const tn_node *expr);
void tn_key_exprs(tn_key *key, uint32_t n, const tn_node *const *exprs);
void tn_key_domain(tn_key *key, const tn_domain *domain);
void tn_key_footprint(tn_key *key, const tn_footprint *f);
/// After all else: adds the assumptions.
void tn_key_finish(tn_key *key);

/* ---- sets.c ---- */
/// A question on its way.
typedef struct tn_asking {
  tn_sets *sets;
  tn_key key;
  const tn_domain *a; /* of the witness */
  const tn_domain *b; /* or NULL */
} tn_asking;
/// kind: one number a sort of question. The caller then adds to key.
void tn_asking_init(tn_asking *k, tn_sets *sets, uint64_t kind, const tn_domain *a,
                    const tn_domain *b);
/// True: answered from memory, k is done with. False: counting begins.
bool tn_asking_recall(tn_asking *k, tn_answer *out);
/// A question with the assumptions.
void tn_asking_begin(tn_asking *k, tn_question *q);
/// As tn_question_solve, also for a failed question; within the types of symbols. out_values: NULL
/// when there are none.
tn_verdict tn_asking_solve(tn_question *q, tn_formulas *formulas, int64_t **out_values);
/// Remembers and counts. values: of q's columns, or NULL.
tn_answer tn_asking_finish(tn_asking *k, tn_verdict verdict, const tn_question *q,
                           const int64_t *values);

/* ---- sets_cover.c ---- */
/// A set of elements: the image of a footprint, or a box.
typedef struct tn_image {
  tn_question q;
  tn_instance inst; /* borrows q, so an image does not move */
  tn_formulas formulas;
  uint32_t n_dims;
  uint32_t *elements; /* columns */
  uint32_t *params;   /* columns, as a list of symbols has them */
} tn_image;
void tn_image_init(tn_image *im, tn_asking *k, tn_col_kind kind, const tn_footprint *f);
void tn_set_image_deinit(tn_image *im);

/* ---- sets_quick.c ---- */
/// A conjunction: eqs == 0 and ges >= 0.
typedef struct tn_rows {
  uint32_t n_cols;
  uint32_t n_eqs;
  uint32_t n_ges;
  const tn_col *cols;
  const tn_form *const *eqs;
  const tn_form *const *ges;
} tn_rows;
/// PROVED: it has no integer solution. REFUTED: out_values is one (NULL: none is looked for).
/// UNDECIDED: not known.
tn_verdict tn_sets_quick(const tn_rows *rows, int64_t *out_values);

#endif
