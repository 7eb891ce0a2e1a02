/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside the checker of schedules.
 *
 *   certify_flat.c    a function as a list of stores, each with its loops and its condition
 *   certify_ask.c     instances of stores, and questions about them
 *   certify_find.c    which stores a load may read from
 *   certify_equal.c   two values are the same
 *   certify_reduce.c  two reductions are the same
 *   certify.c         two functions are the same
 *
 * A proof is about instances: loop variables of stores stand for one round each, as symbols, and
 * what relates them is assumed in the integer sets. Fewer assumptions, or more stores that a load
 * may read from than there are, make a claim stronger: what is not understood is left out there. */
#ifndef TN_SCHED_CERTIFY_PRIV_H
#define TN_SCHED_CERTIFY_PRIV_H

#include "arith/sets.h"
#include "base/arena.h"
#include "sched/certify.h"

typedef struct tn_cf_loop {
  const tn_node *var;
  const tn_node *min;
  const tn_node *extent;
  bool is_shared; /* by lanes or threads: its rounds have no order */
} tn_cf_loop;

/// A store. Expressions are over the loops' variables.
typedef struct tn_cf_store {
  const tn_node *buffer; /* NULL: the end of the function */
  const tn_node *const *indices;
  const tn_node *value;
  const tn_node *cond;    /* NULL: none */
  const tn_node *promise; /* axes lie within their ranges */
  uint32_t n_loops;
  const tn_cf_loop *const *loops; /* outermost first */
  uint32_t place;                 /* in the text */
  uint32_t n_keys;
  const tn_node *const *keys; /* reduce axes of the blocks around: a guess at what tells
                                 contributions apart */
  const char *name;           /* of the block */
} tn_cf_store;

typedef struct tn_cf_func {
  const tn_node *func;
  TN_VEC(const tn_cf_store *) stores;
  tn_map depths; /* id of a buffer -> number of loops around its allocation; 0 for arguments */
} tn_cf_func;

typedef struct tn_cf {
  tn_ir *ir;
  tn_sets *sets;
  tn_arena arena;
  tn_buf why; /* the first thing that could not be decided */
  uint32_t depth;
  int64_t n_questions;
} tn_cf;

/// An instance of a store: a value for each of its loops.
typedef struct tn_cf_point {
  const tn_cf_func *func;
  const tn_cf_store *store;
  const tn_node *const *loops;
} tn_cf_point;

/// Instances of a store, which write the element looked for. The variables are new.
typedef struct tn_cf_writer {
  tn_cf_point point;
  tn_domain domain; /* of the loops that are not fixed by the reader */
  const tn_node *const *element;
} tn_cf_writer;

/// What a load may read: what the last of `writers` wrote, or what the argument held; then
/// `updates` in any order.
typedef struct tn_cf_source {
  tn_cf_point reader;
  uint32_t n_dims;
  const tn_node *const *indices;
  bool may_be_argument;
  uint32_t argument;            /* its number */
  const tn_node *argument_cond; /* when it may be; NULL: not known */
  TN_VEC(tn_cf_writer) writers;
  TN_VEC(tn_cf_writer) updates;
} tn_cf_source;

/* ---- certify_flat.c ---- */
/// False: something is not understood; why says what.
bool tn_cf_flatten(tn_cf *c, const tn_node *func, tn_cf_func *out);
void tn_cf_func_deinit(tn_cf_func *f);
/// buffer[w] = buffer[w] op x gives x, and which op: NULL for any other
/// store.
const tn_node *tn_cf_contribution(const tn_cf_store *store, tn_op *out_op);

/* ---- certify_ask.c ---- */
/// Notes why nothing was proved, unless something was noted before; false.
bool tn_cf_fail(tn_cf *c, const char *fmt, ...) TN_PRINTF(2, 3);
const tn_node *tn_cf_cast(tn_cf *c, tn_dtype dtype, const tn_node *value);
/// AND, OR; NULL stands for true.
const tn_node *tn_cf_both(tn_cf *c, tn_op op, const tn_node *a, const tn_node *b);
const tn_node *tn_cf_not(tn_cf *c, const tn_node *cond);
const tn_node *tn_cf_compare(tn_cf *c, tn_op op, const tn_node *a, const tn_node *b);
const tn_node *tn_cf_equal(tn_cf *c, uint32_t n, const tn_node *const *a, const tn_node *const *b);
const tn_node *tn_cf_within(tn_cf *c, const tn_node *value, const tn_node *min,
                            const tn_node *extent);
/// What an expression of the store is at one of its instances; NULL stays NULL.
const tn_node *tn_cf_at(tn_cf *c, const tn_cf_point *p, const tn_node *expr);
uint32_t tn_cf_n_common(const tn_cf_store *a, const tn_cf_store *b);
/// All instances of `store` that have the first `d` loops in common with `reader` and, if
/// is_earlier, run before it.
void tn_cf_writer_init(tn_cf *c, const tn_cf_store *store, const tn_cf_point *reader, uint32_t d,
                       bool is_earlier, tn_cf_writer *out);
/// The instances that write that element (NULL: any).
tn_domain tn_cf_writes(tn_cf *c, const tn_cf_writer *w, const tn_node *const *indices);
/// From here on the domain's variables are symbols that are in it. The mark is for tn_sets_pop.
size_t tn_cf_assume_domain(tn_cf *c, const tn_domain *domain);
size_t tn_cf_assume_cond(tn_cf *c, const tn_node *cond);
/// Proved, for all that is assumed.
bool tn_cf_is_true(tn_cf *c, const tn_node *cond);
bool tn_cf_is_empty(tn_cf *c, const tn_domain *domain);

/* ---- certify_equal.c ---- */
typedef enum tn_cf_kind {
  TN_CF_EXPR,     /* over variables of instances; what it loads, `at` reads */
  TN_CF_ARGUMENT, /* what the source's element held at first */
  TN_CF_START,    /* what the source's writers gave it */
  TN_CF_REDUCTION /* the source's updates, on top of that */
} tn_cf_kind;
typedef struct tn_cf_term {
  tn_cf_kind kind;
  const tn_node *expr;
  tn_cf_point at;
  const tn_cf_source *source;
} tn_cf_term;
/// Proved that both are the same value.
bool tn_cf_is_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b);

/* ---- certify_reduce.c ---- */
bool tn_cf_is_equal_reduction(tn_cf *c, const tn_cf_source *a, const tn_cf_source *b);

/* ---- certify_find.c ---- */
/// Which stores the load may read from, seen at `reader`, whose instance is assumed.
bool tn_cf_find(tn_cf *c, const tn_node *load, const tn_cf_point *reader, tn_cf_source *out);
void tn_cf_source_deinit(tn_cf_source *s);

#endif
