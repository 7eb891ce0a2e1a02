/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A module of lowered functions -> text, assembly or object code: the front of this folder, with
 * objects.c and jit.c. */
#include "codegen/llvm/cg.h"

#include <stdlib.h>

#include "base/check.h"

static void find_recursive(tn_cg *cg) {
  const tn_module *module = cg->module;
  bool *is_recursive = calloc(module->n_funcs + 1, sizeof *is_recursive);
  TN_CHECK(is_recursive != NULL, "no memory");
  tn_tir_find_recursive(module, is_recursive);
  cg->depth = tn_var_new(module->ir, "depth", TN_DT_I64);
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (is_recursive[i]) {
      tn_map_set(&cg->recursive, module->funcs[i].func->id, 1);
    }
  }
  free(is_recursive);
}

/* Functions whose object_of is `object`; object_of NULL: all. */
static tn_status emit_functions(tn_cg *cg, const uint32_t *object_of, uint32_t object) {
  const tn_module *module = cg->module;
  find_recursive(cg);
  for (uint32_t i = 0; i < module->n_funcs;
       ++i) { /* all names first: a call by symbol must not take one of them */
    if (tn_is(module->funcs[i].func, TN_OP_PRIM_FUNC)) {
      tn_cg_declare_kernel(cg, module->funcs[i].name);
    }
  }
  for (uint32_t i = 0; i < module->n_funcs && cg->st == NULL; ++i) {
    bool is_wanted = object_of == NULL || object_of[i] == object;
    if (is_wanted && tn_is(module->funcs[i].func, TN_OP_PRIM_FUNC)) {
      cg->func = module->funcs[i].func;
      cg->func_name = module->funcs[i].name;
      cg->n_outlined = 0;
      tn_cg_prim_func(cg);
      cg->func_name = NULL;
    }
  }
  if (cg->opts->exports_tvm_ffi && cg->st == NULL) {
    tn_cg_export_ffi(cg);
  }
  if (cg->opts->model != NULL && cg->st == NULL) {
    tn_cg_model(cg, cg->opts->model);
  }
  tn_status st = cg->st;
  cg->st = NULL;
  return st;
}

tn_status tn_cg_emit_part(tn_cg *cg, const tn_module *lowered, const tn_codegen_opts *opts,
                          const uint32_t *object_of, uint32_t object) {
  TN_TRY(tn_cg_init(cg, lowered, opts));
  return emit_functions(cg, object_of, object);
}

tn_status tn_cg_finish(tn_cg *cg, tn_emit kind, tn_buf *out) {
  TN_TRY(tn_cg_verify(cg));
  if (kind != TN_EMIT_LL || !cg->opts->keep_unoptimised) {
    TN_TRY(tn_cg_run_passes(cg));
    tn_cg_widen_halves(cg);
  }
  return tn_cg_write(cg, kind, out);
}

tn_status tn_llvm_emit(const tn_module *lowered, const tn_codegen_opts *opts, tn_emit kind,
                       tn_buf *out) {
  tn_cg cg;
  tn_status st = tn_cg_emit_part(&cg, lowered, opts, NULL, 0);
  st = st == NULL ? tn_cg_finish(&cg, kind, out) : st;
  tn_cg_deinit(&cg);
  return st;
}
