/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What `tenon bench` measures: a list of variants of one computation, which take turns. The first is
 * what the others are compared with, in what they compute and in how fast. */
#ifndef TN_TOOLS_VARIANTS_H
#define TN_TOOLS_VARIANTS_H

#include <jansson.h>

#include "session.h"
#include "tenon/bench.h"

enum { MAX_VARIANTS = TN_BENCH_MAX_CALLS };

/// One program to measure, and what came out.
typedef struct variant {
  char *name;     /* owned */
  session *s;     /* owned */
  tn_trace *done; /* what its schedule did; owned, NULL without */
  char *refused;  /* why it could not be made: nothing below counts then; owned, else NULL */
  bool is_counted;
  tn_flop_count count;
  tn_bench_result result;
  double gflops;            /* 0: not known, as all below */
  double peak_percent;      /* of what the machine can do with these threads in this type */
  double yardstick_percent; /* of what the core did beside each sample, in float32 */
} variant;

typedef struct bench {
  const cli_args *args;
  cli_compile compile;
  tn_bench_opts opts;
  int64_t n_threads;
  bool is_many;       /* a sweep or a climb: what is refused is a row, and the others go on */
  bool is_unsteady;   /* of the samples of one at least, after measuring: all go by their fastest */
  double peak_gflops; /* what peak_percent is of, for float32; 0: not known */
  tn_status first_refusal; /* owned */
  variant variants[MAX_VARIANTS];
  int32_t n;
  int32_t first;  /* the first that was not refused */
  int32_t n_made; /* those that were not */
  tn_arg *answer; /* the first one's arguments after one call, and what it gave; NULL: not called */
  tn_arg answer_ret;
} bench;

/// What becomes of a variant's program before it is compiled.
typedef struct variant_steps {
  const char *path;           /* a schedule script, or a trace */
  const char *const *defines; /* knobs, "NAME=VALUE", beside those of -D */
  int32_t n_defines;
} variant_steps;

/// Opens a program as the next variant; name is copied; steps may be NULL. From the second on it is
/// compared with the first and then uses the first one's arguments. Errors: what opening, a step or
/// a call gives, but of many a program that cannot be made is `refused`; INVALID when answers differ.
tn_status variants_add(bench *b, const char *path, const char *name, const variant_steps *steps);
/// Measures in turn all that were not refused. Errors: as a call; the first refusal when that is all.
tn_status variants_measure(bench *b);
void variants_free(bench *b);

/// The time that variants are ranked by: the median, or the fastest sample when one of them was
/// measured unsteadily, since that is what a loaded machine disturbs least.
double variants_us(const bench *b, int32_t i);
/// Was it measured while the machine changed, or with samples that are far from the fastest?
bool variant_is_unsteady(const variant *v);
/// The fastest.
int32_t variants_best(const bench *b);
/// Prints under a table what its columns mean.
void variants_print_legend(const bench *b);
/// How many times as fast as the first variant `i` is.
double variants_speedup(const bench *b, int32_t i);
json_t *variant_to_json(const bench *b, const variant *v);
/// Sets a figure, null when it is not known (0).
void variant_set_figure(json_t *object, const char *key, double value);
/// Prints a JSON value and frees it.
void variants_print_json(json_t *value);

#endif
