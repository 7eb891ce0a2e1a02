/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon: finds the command and hands over to it. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static void print_overview(FILE *out) {
  fprintf(
      out,
      "tenon %s: a machine-learning compiler\n\nusage: tenon COMMAND [options] ...\n\ncommands:\n",
      tn_version());
  for (int32_t i = 0; i < cli_n_commands; ++i) {
    fprintf(out, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
  }
  fprintf(out,
          "\n`tenon COMMAND --help` tells its options. `tenon --version` prints the version.\n");
}

static int unknown_command(const char *name) {
  enum { MAX_COMMANDS = 64 };
  const char *names[MAX_COMMANDS];
  int32_t n = 0;
  for (; n < cli_n_commands && n < MAX_COMMANDS; ++n) {
    names[n] = cli_commands[n]->name;
  }
  const char *near = tn_name_suggest(name, names, n);
  if (near != NULL) {
    fprintf(stderr, "tenon: '%s' is no command; did you mean '%s'?\n", name, near);
  } else {
    fprintf(stderr, "tenon: '%s' is no command; `tenon --help` lists them\n", name);
  }
  return CLI_USAGE;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : NULL;
  if (name == NULL) {
    print_overview(stderr);
    return CLI_USAGE;
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    print_overview(stdout);
    return CLI_OK;
  }
  if (strcmp(name, "--version") == 0) {
    printf("tenon %s\n", tn_version());
    return CLI_OK;
  }
  for (int32_t i = 0; i < cli_n_commands; ++i) {
    if (strcmp(cli_commands[i]->name, name) == 0) {
      return cli_run(cli_commands[i], argc - 1, argv + 1);
    }
  }
  return unknown_command(name);
}
