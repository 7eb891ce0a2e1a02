/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Models measured beside other runtimes: `tenon bench MODEL... --vs PEER`. Contenders take turns in
 * one process on the same inputs; what they compute is compared. */
#ifndef TN_TOOLS_RACE_H
#define TN_TOOLS_RACE_H

#include "limit.h"
#include "peer.h"
#include "variants.h"

enum { RACE_MAX_PEERS = 8, RACE_MAX_TEAMS = 8 };

/// One peer of a race; kind is set by the caller, the rest by race_run.
typedef struct race_peer {
  const peer_kind *kind;
  const char *name;
  void *lib; /* NULL: missing */
  char version[PEER_VERSION_BYTES];
  char *missing; /* why, owned */
} race_peer;

/// One model with one number of threads against one peer.
typedef struct race_beside {
  bool is_measured;
  double median_us;
  double ratio;    /* of the medians, ours over theirs: below 1, we are ahead */
  double ratio_lo; /* of the rounds, each with its own ratio: a quarter lie below ... */
  double ratio_hi; /* ... and a quarter above */
  double norm;     /* of the difference of the results over that of theirs; < 0: not comparable */
} race_beside;

typedef struct race_row {
  const char *model;
  int32_t n_threads;
  double median_us;
  double min_us;
  double max_us;
  double flops;
  double bytes;
  double limit_us;    /* 0: not known */
  int32_t n_unsteady; /* rounds that count although the machine changed during them */
  race_beside beside[RACE_MAX_PEERS];
} race_row;

typedef struct race {
  const cli_args *args;
  cli_compile compile;
  tn_bench_opts opts;
  bool is_cold; /* caches are emptied before every call */
  int32_t n_teams;
  int32_t teams[RACE_MAX_TEAMS]; /* numbers of threads */
  int32_t n_peers;
  race_peer peers[RACE_MAX_PEERS];
  tn_peak peak;
  race_row *rows; /* [n_rows], owned */
  int32_t n_rows;
  int32_t n_failed; /* models that Tenon or a peer refused, or that came out differently */
} race;

/// Is the value of --vs a peer's name?
bool race_is_peer(const char *name);
/// Measures every model of the command line as --vs, --threads ... say, printing a line for each.
/// Exit code of the command.
int race_main(const cli_args *args);

/// The command line as if these models alone had been named, with --random.
void race_args(const cli_args *from, char **operands, cli_args *out);

/* race_print.c */
/// "models/resnet18.onnx" -> "resnet18", cut to n_bytes.
void race_name(const char *path, char *out, size_t n_bytes);
void race_print_head(const race *r);
void race_print_row(const race *r, const race_row *row);
void race_print_means(const race *r);
void race_print_json(const race *r);
/// How many times as fast as the first peer we are, a bar for each row, as SVG; malloc'ed, NULL
/// without memory.
char *race_draw(const race *r);
/// The geometric mean of the ratios against peer `p`, or for p < 0 of the shares of the speed of
/// light, over the rows of `n_threads`; 0 when there are none. out_n: how many.
double race_mean(const race *r, int32_t p, int32_t n_threads, int32_t *out_n);
/// How long the speed of light would take, over what was taken; 0: not known.
double race_share(const race_row *row);

#endif
