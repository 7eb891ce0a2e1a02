/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Two programs that should compute the same: their loop functions are run by the interpreter on the
 * same data. */
#ifndef TN_TOOLS_COMPARE_H
#define TN_TOOLS_COMPARE_H

#include "cli.h"

/// Runs every loop function of `before` and its namesake of `after`, that one checked, on whole
/// numbers drawn from `seed`; --size gives sizes that are open. Prints a line for each function to
/// standard error. Errors: INVALID where results differ by more than rounding, with the place; what
/// a run gives.
tn_status compare_programs(const cli_args *args, const tn_program *before, const tn_program *after,
                           uint64_t seed);

#endif
