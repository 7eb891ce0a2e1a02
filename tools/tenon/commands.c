/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table of commands, in the order in which help lists them. */
#include "commands.h"

const cli_command *const cli_commands[] = {
    &cli_cmd_check,      &cli_cmd_fmt,     &cli_cmd_opt, &cli_cmd_passes,    &cli_cmd_schedule,
    &cli_cmd_primitives, &cli_cmd_inspect, &cli_cmd_run, &cli_cmd_compile,   &cli_cmd_bench,
    &cli_cmd_peak,       &cli_cmd_targets, &cli_cmd_ops, &cli_cmd_test_onnx,
};
const int32_t cli_n_commands = (int32_t)(sizeof cli_commands / sizeof *cli_commands);
