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
  variant variants[MAX_VARIANTS];
  int32_t n;
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
/// a call gives; INVALID when the answers differ.
tn_status variants_add(bench *b, const char *path, const char *name, const variant_steps *steps);
/// Measures them all in turn.
tn_status variants_measure(bench *b);
void variants_free(bench *b);

/// How many times as fast as the first variant `i` is.
double variants_speedup(const bench *b, int32_t i);
json_t *variant_to_json(const bench *b, const variant *v);
/// Sets a figure, null when it is not known (0).
void variant_set_figure(json_t *object, const char *key, double value);
/// Prints a JSON value and frees it.
void variants_print_json(json_t *value);

#endif
