/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A lesson: one program and a list of schedules, each a step further than the one before. */
#ifndef TN_TOOLS_CLIMB_H
#define TN_TOOLS_CLIMB_H

#include "variants.h"

/// Measures the program of the folder that is the operand, NAME/NAME.py, under each of its schedules
/// NAME/<digits>_*.py, in turn; prints the climb as a table, or JSON; draws it with --svg.
tn_status climb_run(bench *b);

#endif
