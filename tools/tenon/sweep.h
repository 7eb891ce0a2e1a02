/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A schedule with knobs, measured for many values of them. */
#ifndef TN_TOOLS_SWEEP_H
#define TN_TOOLS_SWEEP_H

#include "variants.h"

/// Measures the program with the schedule for every combination of the values of --sweep, in turn;
/// prints a table, or JSON; draws with --svg, writes the fastest with --output.
tn_status sweep_run(bench *b);

#endif
