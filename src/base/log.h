/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Progress and debugging text on standard error. The level is one of the project's two mutable
 * globals (TENON_LOG=0..5); the other is the crash callback of base/check.h. */
#ifndef TN_BASE_LOG_H
#define TN_BASE_LOG_H

#include "base/attr.h"

int tn_log_level(void);
void tn_log_set_level(int level);
/// Prints when the level is at least `level`.
void tn_log(int level, const char *fmt, ...) TN_PRINTF(2, 3);

#endif
