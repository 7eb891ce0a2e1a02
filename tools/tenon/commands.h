/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The rows of the command table, one file each. */
#ifndef TN_TOOLS_COMMANDS_H
#define TN_TOOLS_COMMANDS_H

#include "cli.h"

extern const cli_command cli_cmd_bench;
extern const cli_command cli_cmd_check;
extern const cli_command cli_cmd_compile;
extern const cli_command cli_cmd_fmt;
extern const cli_command cli_cmd_inspect;
extern const cli_command cli_cmd_ops;
extern const cli_command cli_cmd_opt;
extern const cli_command cli_cmd_passes;
extern const cli_command cli_cmd_peak;
extern const cli_command cli_cmd_primitives;
extern const cli_command cli_cmd_run;
extern const cli_command cli_cmd_schedule;
extern const cli_command cli_cmd_targets;
extern const cli_command cli_cmd_test_onnx;

#endif
