/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Inside the checker of schedules.
 *
 *   certify_flat.c    a function as a list of stores, each with its loops and its condition
 *   certify_find.c    instances of stores; which of them a load may read from
 *   certify_reduce.c  two reductions are the same
 *   certify_access.c  accesses stay inside their buffers, and apart where rounds have no order
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

enum { TN_CF_MAX_LOOPS = 64, TN_CF_MAX_KEYS = 32 };

/// A store or a block, over the loops' variables; or the end of a function, which reads arguments.
typedef struct tn_cf_store {
  const tn_node *element; /* a LOAD of what is written; NULL: no store */
  const tn_node *value;
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
  TN_VEC(const tn_cf_store *) blocks; /* value: the axes lie within their ranges, NULL: no axes */
  tn_map depths; /* id of a buffer -> number of loops around its allocation; 0 for arguments */
} tn_cf_func;

/// An instance of a store: a value for each of its loops.
typedef struct tn_cf_point {
  const tn_cf_func *func;
  const tn_cf_store *store;
  const tn_node *const *loops;
} tn_cf_point;

/// All instances that write one element; the variables are new.
typedef struct tn_cf_writer {
  tn_cf_point point;
  tn_domain domain;
  uint64_t later; /* bit i: the source's writer i runs after it */
} tn_cf_writer;

/// What a load may read: what the last of `writers` wrote, or what the argument held; then
/// `updates` in any order.
typedef struct tn_cf_source {
  tn_cf_point reader;
  const tn_node *load;
  bool may_be_argument;
  TN_VEC(tn_cf_writer) writers;
  TN_VEC(tn_cf_writer) updates;
} tn_cf_source;

typedef enum tn_cf_kind {
  TN_CF_EXPR,     /* over variables of instances; what it loads, `at` reads */
  TN_CF_ARGUMENT, /* what the source's element held at first */
  TN_CF_START,    /* what the source's writers gave it */
  TN_CF_REDUCTION /* and its updates on top of that */
} tn_cf_kind;

typedef struct tn_cf_term {
  tn_cf_kind kind;
  const tn_node *expr;
  tn_cf_point at;
  const tn_cf_source *source;
} tn_cf_term;

/// A source of which one case is looked at: a writer, or the argument (UINT64_MAX: any writer is
/// later).
typedef struct tn_cf_case {
  const tn_cf_source *source;
  uint64_t later;
} tn_cf_case;

typedef struct tn_cf {
  tn_ir *ir;
  tn_sets *sets;
  tn_arena arena;
  tn_buf why; /* the first thing that could not be decided */
  uint32_t depth;
  TN_VEC(tn_cf_case) cases;
} tn_cf;

/* ---- certify_flat.c ---- */
/// Notes why nothing was proved, unless something was noted before; false.
bool tn_cf_fail(tn_cf *c, const char *fmt, ...) TN_PRINTF(2, 3);
/// NULL stands for true.
const tn_node *tn_cf_and(tn_cf *c, const tn_node *a, const tn_node *b);
const tn_node *tn_cf_not(tn_cf *c, const tn_node *cond);
const tn_node *tn_cf_compare(tn_cf *c, tn_op op, const tn_node *a, const tn_node *b);
const tn_node *tn_cf_equal(tn_cf *c, uint32_t n, const tn_node *const *a, const tn_node *const *b);
const tn_node *tn_cf_within(tn_cf *c, const tn_node *value, const tn_node *min,
                            const tn_node *extent);
const tn_node *tn_cf_load(tn_cf *c, const tn_node *buffer, const tn_node *const *indices);
/// False: something is not understood; why says what.
bool tn_cf_flatten(tn_cf *c, const tn_node *func, tn_cf_func *out);
/// buffer[w] = buffer[w] op x gives x, and which op (GT and LT: max and min that keep NaN, which are
/// others than MAX and MIN); NULL for any other store.
const tn_node *tn_cf_contribution(const tn_cf_store *store, tn_op *out_op);

/* ---- certify_find.c ---- */
uint32_t tn_cf_n_common(const tn_cf_store *a, const tn_cf_store *b);
/// What an expression of the store is at one of its instances; NULL stays NULL.
const tn_node *tn_cf_at(tn_cf *c, const tn_cf_point *p, const tn_node *expr);
/// The instances of `store` that have the first `d` loops in common with `reader`, write what
/// `load` reads (NULL: any element) and, if is_earlier, run before the reader.
tn_cf_writer tn_cf_instances(tn_cf *c, const tn_cf_store *store, const tn_cf_point *reader,
                             uint32_t d, const tn_node *load, bool is_earlier);
/// From here on the domain's variables are symbols that are in it. The mark is for tn_sets_pop.
size_t tn_cf_assume(tn_cf *c, const tn_domain *domain);
/// More was asked than is looked into: nothing is proved from here on.
bool tn_cf_is_long(const tn_cf *c);
/// Proved, for all that is assumed.
bool tn_cf_is_true(tn_cf *c, const tn_node *cond);
bool tn_cf_is_empty(tn_cf *c, const tn_domain *domain);
/// Which stores the load may read from, seen at `reader`, whose instance is assumed. Freed by
/// tn_cf_source_deinit, also when it is not known.
bool tn_cf_find(tn_cf *c, const tn_node *load, const tn_cf_point *reader, tn_cf_source *out);
void tn_cf_source_deinit(tn_cf_source *source);
/// One of these writers is sure to write the element.
bool tn_cf_is_written(tn_cf *c, const tn_cf_source *source, uint64_t writers);

/* ---- certify_reduce.c ---- */
bool tn_cf_is_equal_reduction(tn_cf *c, const tn_cf_source *a, const tn_cf_source *b);

/* ---- certify_access.c ---- */
bool tn_cf_is_sound(tn_cf *c, const tn_cf_func *func);

/* ---- certify.c ---- */
/// Proved that both are the same value.
bool tn_cf_is_equal(tn_cf *c, const tn_cf_term *a, const tn_cf_term *b);

#endif
