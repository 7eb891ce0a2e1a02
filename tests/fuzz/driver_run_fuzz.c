/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* with: mutate.c */
/* What comes after reading, on any text that verifies: each function runs in the checked interpreter
 * under a limit of steps, all passes on the way to code run with the verifier after each, and each
 * function runs again. Passes and interpreter may refuse; what they accept must verify, and where
 * the checked run found nothing wrong with a loop function, its results must be the same after
 * the passes. */
#include <stdlib.h>

#include "driver/driver_priv.h"
#include "fuzz/fuzz_text.h"
#include "graph/graph.h"
#include "tir/tir.h"

enum { MAX_ARGS = 16, MAX_ELEMS = 4096, MAX_STEPS = 20000, MAX_FUNCS = 64 };

/* ---- loop functions ---- */

typedef struct args {
  tn_array arrays[MAX_ARGS];
  tn_tir_arg args[MAX_ARGS];
  int32_t n;
} args;

static void args_deinit(args *a) {
  for (int32_t i = 0; i < a->n; ++i) {
    tn_array_deinit(&a->arrays[i]);
  }
}

/* Values of seed; each open size is 3. False for what is too large to be worth it. */
static bool args_init(args *a, const tn_node *func, uint64_t seed) {
  tn_rng rng = tn_rng_make(seed);
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  *a = (args){0};
  if (buffers->n_in > MAX_ARGS) {
    return false;
  }
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    const tn_node *buffer = buffers->in[i];
    a->n = (int32_t)i + 1;
    if (tn_is_none(buffer)) {
      a->args[i] = (tn_tir_arg){.i64 = 3, .f64 = 0.5};
      continue;
    }
    int64_t shape[TN_MAX_NDIM];
    int64_t n_elems = 1;
    for (uint32_t d = 0; d < tn_buffer_ndim(buffer); ++d) {
      const tn_node *extent = buffer->in[TN_BUFFER_SHAPE]->in[d];
      shape[d] = tn_is(extent, TN_OP_INT) ? extent->attr.i64 : 3;
      n_elems = shape[d] < 0 || shape[d] > MAX_ELEMS ? MAX_ELEMS + 1 : n_elems * shape[d];
      if (n_elems > MAX_ELEMS) {
        return false;
      }
    }
    tn_status st =
        tn_array_init(&a->arrays[i], buffer->dtype, (int32_t)tn_buffer_ndim(buffer), shape);
    if (st != NULL) {
      tn_status_free(st);
      return false;
    }
    tn_array_fill_random(&a->arrays[i], &rng);
    a->args[i].array = &a->arrays[i];
  }
  return true;
}

static bool is_same(const args *a, const args *b) {
  for (int32_t i = 0; i < a->n; ++i) {
    if (a->args[i].array != NULL && !tn_array_equal(&a->arrays[i], &b->arrays[i])) {
      return false;
    }
  }
  return true;
}

/* True when the checked run ended and found nothing. */
static bool run_checked(const tn_module *module, const char *func, args *a) {
  tn_tir_checker *checker = tn_tir_checker_new(module->ir);
  const tn_tir_hooks hooks = {.max_steps = MAX_STEPS, .checker = checker};
  tn_status st = tn_tir_interp(module, func, a->args, a->n, &hooks, NULL);
  st = tn_tir_checker_finish(checker, st);
  bool is_ok = st == NULL;
  tn_status_free(st);
  tn_tir_checker_free(checker);
  return is_ok;
}

static void compare(const tn_module *before, const tn_module *after, const char *func) {
  args a;
  args b;
  const tn_node *node = tn_module_find(before, func);
  const tn_tir_hooks hooks = {.max_steps = 16 * MAX_STEPS};
  bool is_made = args_init(&a, node, 1);
  is_made = args_init(&b, node, 1) && is_made;
  if (is_made && run_checked(before, func, &a) && tn_module_find(after, func) != NULL) {
    tn_status st = tn_tir_interp(after, func, b.args, b.n, &hooks, NULL);
    if (st != NULL || !is_same(&a, &b)) {
      fuzz_fail("%s after the passes: %s", func,
                st != NULL ? tn_status_message(st) : "other results than before");
    }
  }
  args_deinit(&a);
  args_deinit(&b);
}

/* ---- graph functions ---- */

/* Runs those that take nothing but tensors of known small shapes. */
static void run_graph(const tn_module *module, const char *name) {
  const tn_node *params = tn_module_find(module, name)->in[TN_GFUNC_PARAMS];
  tn_rng rng = tn_rng_make(1);
  tn_array arrays[MAX_ARGS] = {0};
  tn_value values[MAX_ARGS] = {0};
  bool is_made = params->n_in <= MAX_ARGS;
  for (uint32_t i = 0; is_made && i < params->n_in; ++i) {
    const tn_node *type = params->in[i]->in[0];
    const tn_node *shape = tn_is(type, TN_OP_TY_TENSOR) ? type->in[TN_TY_TENSOR_SHAPE] : NULL;
    int64_t dims[TN_MAX_NDIM];
    int64_t n_elems = 1;
    is_made = shape != NULL && tn_is(shape, TN_OP_LIST) && type->dtype != TN_DT_NONE;
    for (uint32_t d = 0; is_made && d < shape->n_in; ++d) {
      dims[d] = tn_is(shape->in[d], TN_OP_INT) ? shape->in[d]->attr.i64 : 3;
      n_elems = dims[d] < 0 || dims[d] > MAX_ELEMS ? MAX_ELEMS + 1 : n_elems * dims[d];
      is_made = n_elems <= MAX_ELEMS;
    }
    if (is_made) {
      tn_status st = tn_array_init(&arrays[i], type->dtype, (int32_t)shape->n_in, dims);
      is_made = st == NULL;
      tn_status_free(st);
    }
    if (is_made) {
      tn_array_fill_random(&arrays[i], &rng);
      values[i] = (tn_value){.kind = TN_V_ARRAY, .array = &arrays[i]};
    }
  }
  if (is_made) {
    tn_value out = {0};
    tn_interp *interp = tn_interp_new(module, &(tn_interp_hooks){.max_steps = MAX_STEPS});
    tn_status_free(tn_interp_call(interp, name, values, (int32_t)params->n_in, &out));
    tn_interp_free(interp);
  }
  for (uint32_t i = 0; i < params->n_in && i < MAX_ARGS; ++i) {
    tn_array_deinit(&arrays[i]);
  }
}

/* ---- all ---- */

static void run_functions(const tn_module *module) {
  for (uint32_t i = 0; i < module->n_funcs && i < MAX_FUNCS; ++i) {
    if (tn_is(module->funcs[i].func, TN_OP_GFUNC)) {
      run_graph(module, module->funcs[i].name);
    }
  }
}

static void use(const tn_module *before) {
  tn_program program = {.ir = tn_ir_new_child(before->ir, FUZZ_IR_BYTES)};
  tn_compile_opts opts = TN_COMPILE_DEFAULTS;
  opts.does_verify_each = true;
  tn_module_init_copy(&program.module, before);
  program.module.ir = program.ir;
  run_functions(before);
  tn_status st = tn_program_run_passes(&program, tn_default_passes(), &opts);
  if (st != NULL) { /* a refusal; but what a pass leaves must verify */
    if (tn_status_code(st) == TN_INTERNAL || strstr(tn_status_message(st), "after pass") != NULL) {
      fuzz_fail("%s", tn_status_message(st));
    }
    tn_status_free(st);
  } else {
    for (uint32_t i = 0; i < before->n_funcs && i < MAX_FUNCS; ++i) {
      if (tn_is(before->funcs[i].func, TN_OP_PRIM_FUNC)) {
        compare(before, &program.module, before->funcs[i].name);
      }
    }
    run_functions(&program.module);
  }
  tn_module_deinit(&program.module);
  tn_ir_free(program.ir);
}

void fuzz_one(const uint8_t *bytes, size_t n_bytes) {
  tn_ir *ir = tn_ir_new(FUZZ_IR_BYTES);
  tn_module module;
  tn_module_init(&module, ir, "Module");
  if (fuzz_read("fuzz.py", bytes, n_bytes, &module)) {
    use(&module);
  }
  tn_module_deinit(&module);
  tn_ir_free(ir);
}
