/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Shows what is in a compiled module (.tnx or .so): its functions with their instructions, and its
 * constants. Needs the runtime alone:
 *
 *   cc -Iinclude examples/c/show_executable.c -Lbuild -ltenon_runtime -o show
 *   ./show model.tnx */
#include <stdio.h>
#include <stdlib.h>

#include "tenon/runtime.h"

int main(int argc, char **argv) {
  tn_exec *exec = NULL;
  char *text = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: show FILE\n");
    return 2;
  }
  tn_status st = tn_exec_load(argv[1], &exec);
  if (st == NULL) {
    st = tn_exec_print(exec, &text);
  }
  if (st == NULL) {
    fputs(text, stdout);
  } else {
    fprintf(stderr, "error: %s [%s]\n", tn_status_message(st), tn_code_name(tn_status_code(st)));
  }
  int rc = st == NULL ? 0 : 1;
  free(text);
  tn_status_free(st);
  tn_exec_release(exec);
  return rc;
}
