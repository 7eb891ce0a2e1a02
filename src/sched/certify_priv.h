/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside the checker of schedules.
 *
 *   certify_flat.c    a function as a list of stores, each with its loops and its condition
 *   certify_find.c    instances of stores: which of them a load may read from; that they stay inside
 *                     their buffers, and apart
 *   certify_reduce.c  two reductions are the same
 *   certify.c         two values are the same, two functions are
 *
 * A proof is about instances: loop variables of stores stand for one round each, as symbols, and
 * what relates them is assumed in the integer sets. Fewer assumptions, or more stores that a load
 * may read from than there are, make a claim stronger: what is not understood is left out there. */
#ifndef TN_SCHED_CERTIFY_PRIV_H
#define TN_SCHED_CERTIFY_PRIV_H

#include "arith/sets.h"
#include "base/arena.h"
#include "sched/certify.h"
#include "tir/tir.h"

enum { TN_CF_MAX_LOOPS = 64, TN_CF_MAX_KEYS = 32, TN_CF_MAX_WRITERS = 64 };

/// A store or a block, over the loops' variables; or the end of a function, which reads arguments.
typedef struct tn_cf_store {
  const tn_node *buffer;  /* that is written; NULL: no store */
  const tn_node *element; /* a LOAD of what is written */
  const tn_node *value;   /* of a block: its axes lie within their ranges, NULL: no axes */
  const tn_node *added;   /* value = element op added; NULL: any other store */
  tn_op op;
  const tn_node *cond; /* NULL: none */
  size_t place;        /* in the text */
  const char *name;    /* of the block */
  uint32_t n_loops;
  uint32_t n_keys;
  const tn_node *loops[TN_CF_MAX_LOOPS]; /* FORs, outermost first */
  const tn_node *keys[TN_CF_MAX_KEYS]; /* reduce axes: a guess at what tells contributions apart */
} tn_cf_store;

typedef struct tn_cf_func {
  const tn_node *func;
  TN_VEC(const tn_cf_store *) stores;
  tn_map depths; /* id of a buffer's pointer -> number of loops around its allocation, or 0 */
} tn_cf_func;

/// An instance of a store: a value for each of its loops, some of them new variables, and where
/// those are.
typedef struct tn_cf_point {
  const tn_cf_func *func;
  const tn_cf_store *store;
  const tn_node *const *loops;
  tn_domain domain;
} tn_cf_point;

/// What a load may read: what the last instance of `writers` wrote, or what the argument held; then
/// `updates` in any order.
typedef struct tn_cf_source {
  tn_cf_point reader;
  const tn_node *load;
  uint32_t d; /* loops that the stores have in common with the reader, at one round */
  bool may_be_argument;
  uint32_t n_writers;
  uint32_t n_updates;
  tn_cf_point *writers;
  tn_cf_point *updates;
} tn_cf_source;

/// What comes later is taken apart first.
typedef enum tn_cf_kind {
  TN_CF_EXPR,      /* over variables of instances; what it loads, `at` reads */
  TN_CF_ARGUMENT,  /* what the element that `expr` loads held at first */
  TN_CF_REDUCTION, /* what the source's updates leave of TN_CF_START */
  TN_CF_START,     /* what the source's writers gave it */
  TN_CF_LOAD,      /* an expression that is a load, */
  TN_CF_CHOICE     /* or a choice that loops decide */
} tn_cf_kind;

typedef struct tn_cf_term {
  tn_cf_kind kind;
  const tn_node *expr;
  tn_cf_point at;
  const tn_cf_source *source;
} tn_cf_term;

typedef struct tn_cf {
  tn_ir *ir;
  tn_sets *sets;
  tn_arena arena;
  tn_buf why;     /* the first thing that could not be decided */
  uint32_t depth; /* of comparisons in each other */
  uint32_t n_steps;
  TN_VEC(const tn_cf_term *) cases; /* with a source: what is assumed to have come from it */
} tn_cf;

/// Notes why nothing was proved, unless something was noted before; false.
#define TN_CF_FAIL(c, ...) \
  ((c)->why.len == 0 ? tn_buf_printf(&(c)->why, __VA_ARGS__) : (void)0, false)

/* ---- certify_flat.c ---- */
/// NULL stands for true.
const tn_node *tn_cf_and(tn_cf *c, const tn_node *a, const tn_node *b);
const tn_node *tn_cf_not(tn_cf *c, const tn_node *cond);
const tn_node *tn_cf_compare(tn_cf *c, tn_op op, const tn_node *a, const tn_node *b);
const tn_node *tn_cf_equal(tn_cf *c, uint32_t n, const tn_node *const *a, const tn_node *const *b);
/// min: NULL for 0.
const tn_node *tn_cf_within(tn_cf *c, const tn_node *n, const tn_node *min, const tn_node *extent);
const tn_node *tn_cf_load(tn_cf *c, const tn_node *buffer, const tn_node *const *indices);
/// False for NULL.
bool tn_cf_mentions(const tn_node *n, const tn_node *buffer);
/// False: something is not understood; why says what.
bool tn_cf_flatten(tn_cf *c, const tn_node *func, tn_cf_func *out);

/* ---- certify_find.c ---- */
/// What an expression of the store is at one of its instances; NULL stays NULL.
const tn_node *tn_cf_at(tn_cf *c, const tn_cf_point *p, const tn_node *expr);
/// Adds the variables and the condition of another domain, and a condition on both (NULL: none).
void tn_cf_join(tn_cf *c, tn_domain *to, const tn_domain *more, const tn_node *cond);
/// From here on the domain's variables are symbols that are in it. The mark is for tn_sets_pop.
size_t tn_cf_assume(tn_cf *c, const tn_domain *domain);
/// Counts a step. True when more was asked than is looked into: nothing is proved from here on.
bool tn_cf_is_long(tn_cf *c);
/// Proved, for all that is assumed.
bool tn_cf_is_true(tn_cf *c, const tn_node *cond);
bool tn_cf_is_empty(tn_cf *c, const tn_domain *domain);
/// Which stores the load may read from, seen at `reader`, whose instance is assumed.
bool tn_cf_find(tn_cf *c, const tn_node *load, const tn_cf_point *reader, tn_cf_source *out);
/// The accesses stay inside their buffers, and apart where rounds have no order.
bool tn_cf_is_sound(tn_cf *c, const tn_cf_func *func);
/// One of the writers is sure to write the element, after that instance (NULL: at any time).
bool tn_cf_is_written(tn_cf *c, const tn_cf_source *source, const tn_cf_point *after);

/* ---- certify_reduce.c ---- */
bool tn_cf_is_equal_reduction(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b);

/* ---- certify.c ---- */
/// What the expression is worth there.
tn_cf_term tn_cf_value(const tn_node *expr, const tn_cf_point *at);
/// Proved that both are the same value.
bool tn_cf_is_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b);
/// The same for instances in the domain, a case of `a`.
bool tn_cf_is_equal_in(tn_cf *c, const tn_domain *d, const tn_cf_term *a, const tn_cf_term *b);

#endif
