/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions of a user's program: the function that a builder makes (tir/te.h), moved into a
 * program, which is then printed, compiled and run as one that was read. */
#include <stdlib.h>

#include "base/check.h"
#include "driver/driver_priv.h"
#include "tir/te.h"

static tn_status add_function(const tn_te *te, const tn_node *func, tn_program *program) {
  const char *name = func->attr.text;
  if (tn_module_find(&program->module, name) != NULL) {
    return TN_ERR(TN_EXISTS, "the program has a function '%s'", name);
  }
  TN_ASSERT(tn_te_ir(te) != program->ir, "a builder has nodes of its own");
  tn_module_set(&program->module, name, tn_import(program->ir, func, NULL));
  return tn_ir_status(program->ir);
}

tn_status tn_te_create_prim_func(tn_te *te, const char *name, uint32_t n_params,
                                 const tn_node *const *params, tn_program **io_program) {
  const tn_node *func = NULL;
  TN_TRY(tn_te_prim_func(te, name, true, n_params, params, &func));
  if (*io_program != NULL) {
    return add_function(te, func, *io_program);
  }
  tn_program *program = NULL;
  TN_TRY(tn_driver_new_program(&program));
  tn_status st = add_function(te, func, program);
  if (st != NULL) {
    tn_program_free(program);
    return st;
  }
  *io_program = program;
  return NULL;
}
