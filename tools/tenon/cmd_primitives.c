/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon primitives: the steps that a schedule can take. */
#include <stdio.h>

#include "commands.h"

static int run_primitives(const cli_args *args) {
  (void)args;
  for (int32_t i = 0; i < tn_n_primitives(); ++i) {
    tn_primitive_info info = {0};
    int rc = cli_finish(tn_primitive_describe(i, &info));
    if (rc != CLI_OK) {
      return rc;
    }
    printf("%s(%s)%s%s: %s\n", info.name, info.params, info.result[0] != '\0' ? " -> " : "",
           info.result, info.doc);
  }
  return CLI_OK;
}

const cli_command cli_cmd_primitives = {
    "primitives", "", 0, "list the steps that a schedule can take", NULL, 0, run_primitives};
