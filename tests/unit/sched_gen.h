/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random schedules: seed programs from a file, random steps with arguments that mostly fit and
 * sometimes are nonsense, and a record of what was accepted that can be done again in part, which is
 * how a failure is made small. */
#ifndef TN_TESTS_SCHED_GEN_H
#define TN_TESTS_SCHED_GEN_H

#include "sched_util.h"

/* ---- seed programs ---- */

enum { SCHED_GEN_MAX_SEEDS = 96, SCHED_GEN_MAX_STEPS = 40, SCHED_GEN_MAX_HANDLES = 24 };

typedef struct sched_seed {
  char name[96];
  char *text;
} sched_seed;

/// Reads programs, each after a line "# ---- NAME"; returns how many. Fails the test without the
/// file.
uint32_t sched_seeds_load(const char *path, sched_seed out[SCHED_GEN_MAX_SEEDS]);
void sched_seeds_free(uint32_t n, sched_seed *seeds);
/// Its blocks claim what is not so: the checked interpreter is not asked.
bool sched_seed_lies(const sched_seed *seed);

/* ---- steps ---- */

/// A handle in the arguments of a step, by a name that finds it again in the program before the step.
typedef struct sched_gen_handle {
  const tn_node *node;
  char name[64];
} sched_gen_handle;

typedef struct sched_gen_step {
  const tn_prim *prim;
  uint32_t n_args;
  const tn_node *args[TN_PRIM_MAX_PARAMS]; /* sampled numbers as they were; NULL: the default */
  uint32_t n_handles;
  sched_gen_handle handles[SCHED_GEN_MAX_HANDLES];
} sched_gen_step;

typedef struct sched_gen_counts {
  uint32_t accepted;
  uint32_t refused;
} sched_gen_counts;

typedef struct sched_gen {
  sched_case *c;
  tn_rng rng;
  sched_gen_counts *counts; /* one a primitive, in the order of tn_prim_all; NULL: not counted */
  uint32_t n_steps;
  sched_gen_step steps[SCHED_GEN_MAX_STEPS]; /* accepted */
  const tn_node *sampled[8];                 /* VARs that sampling steps gave */
  uint32_t n_sampled;
  const char *problem; /* static; a step that was refused changed the program, or did not verify */
} sched_gen;

/// The function that is scheduled: "f".
#define SCHED_GEN_FUNC "f"

/// Does one random step, or a few that belong together.
void sched_gen_any(sched_gen *g);
/// Does a recorded step on another schedule of the same program; false when refused, or when what it
/// names is not there. out: what it gave; may be NULL.
bool sched_gen_redo(sched_case *c, const sched_gen_step *step);
/// As a line that sched_run reads.
void sched_gen_print(const sched_gen_step *step, tn_buf *out);

#endif
