/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The report on a program's machine code: compiles as for a file, and reads instead of writing. */
#include "codegen/codegen.h"
#include "driver/driver_priv.h"

tn_status tn_program_report(const tn_program *program, const tn_compile_opts *opts,
                            tn_code_report *out_report) {
  static const tn_compile_opts defaults = TN_COMPILE_DEFAULTS;
  tn_lowered lowered = {0};
  opts = opts != NULL ? opts : &defaults;
  TN_TRY(tn_driver_lower(program, opts, &lowered));
  const tn_codegen_opts own = {.target = lowered.target,
                               .opt_level = opts->opt_level,
                               .is_strict_math = opts->is_strict_math};
  tn_status st = tn_llvm_report(&lowered.module, &own, out_report);
  tn_lowered_deinit(&lowered);
  return st;
}

void tn_code_report_deinit(tn_code_report *report) { tn_llvm_report_deinit(report); }
