/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon ops: the operators of the graph level, each with what it takes. */
#include <stdio.h>

#include "commands.h"

/* R.sum(a, axis=None, keepdims=False) */
static tn_status print_signature(int32_t i, const tn_operator_info *info) {
  tn_operator_field field = {0};
  char text[256];
  size_t n = (size_t)snprintf(text, sizeof text, "R.%s(", info->name);
  for (int32_t j = 0; j < info->n_args && n < sizeof text; ++j) {
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%c", j > 0 ? ", " : "", 'a' + j);
  }
  for (int32_t j = 0; j < info->n_fields && n < sizeof text; ++j) {
    tn_status st = tn_operator_describe_field(i, j, &field);
    if (st != NULL) {
      return st;
    }
    bool has_default = field.default_text != NULL;
    n += (size_t)snprintf(text + n, sizeof text - n, ", %s%s%s", field.name, has_default ? "=" : "",
                          has_default ? field.default_text : "");
  }
  printf("%s)%*s %s\n", text, n < 36 ? (int)(36 - n) : 0, "", info->doc);
  return NULL;
}

static int run_ops(const cli_args *args) {
  tn_operator_info info = {0};
  tn_operator_field field = {0};
  tn_status st = NULL;
  (void)args;
  for (int32_t i = 0; st == NULL && i < tn_n_operators(); ++i) {
    st = tn_operator_describe(i, &info);
    st = st == NULL ? print_signature(i, &info) : st;
    for (int32_t j = 0; st == NULL && j < info.n_fields; ++j) {
      st = tn_operator_describe_field(i, j, &field);
      if (st == NULL) {
        printf("  %s: %s\n", field.name, field.doc);
      }
    }
  }
  return cli_finish(st);
}

const cli_command cli_cmd_ops = {"ops", "", 0,      "list the operators of the graph level",
                                 NULL,  0,  run_ops};
