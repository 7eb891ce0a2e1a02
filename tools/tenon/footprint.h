/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Peak memory beside another runtime: `tenon bench MODEL... --vs PEER --memory`. */
#ifndef TN_TOOLS_FOOTPRINT_H
#define TN_TOOLS_FOOTPRINT_H

#include "race.h"

/// For each model and contender, a process of its own loads it (Tenon: compiled to a .so before) and
/// calls it three times; prints the most memory that each had resident. Exit code of the command.
int footprint_main(race *r);

#endif
