/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The report of `tenon compile --report`, as text or JSON on standard output; what a person should
 * not overlook also goes to standard error. */
#ifndef TN_TOOLS_REPORT_H
#define TN_TOOLS_REPORT_H

#include "cli.h"

void report_print(const tn_code_report *report);
void report_print_json(const tn_code_report *report);
/// A warning for each loop whose register tile spilled.
void report_warn(const tn_code_report *report);

#endif
