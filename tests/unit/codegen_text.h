/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tests of compiled code from TVMScript: text -> module -> lowered form -> machine code, against
 * the interpreter on the module as written. Arguments are made up from the parameters: random
 * arrays, symbolic sizes by name. */
#ifndef TN_TESTS_CODEGEN_TEXT_H
#define TN_TESTS_CODEGEN_TEXT_H

#include "codegen_util.h"

#include "lower/lower.h"
#include "script/script.h"

typedef struct cgx {
  cgt t; /* its module is the lowered one */
  tn_module source;
} cgx;

static const char *const cgx_passes[] = {"lower_blocks", "compact_buffers", "flatten_buffers",
                                         "simplify",     "partition_loops", "vectorize_loops",
                                         "unroll_loops", "simplify",        "remove_no_op"};

/// Lowers t->module in place by the usual passes.
static inline tn_status cgx_lower(tn_module *module, int32_t level) {
  uint32_t n = 0;
  const tn_pass *all = tn_lower_passes(&n);
  const tn_pass *list[TN_N_ROWS(cgx_passes)];
  for (size_t i = 0; i < TN_N_ROWS(cgx_passes); ++i) {
    for (uint32_t k = 0; k < n; ++k) {
      if (strcmp(all[k].name, cgx_passes[i]) == 0) {
        list[i] = &all[k];
      }
    }
  }
  tn_pass_opts opts = {.opt_level = level};
  return tn_run_passes(module, list, TN_N_ROWS(cgx_passes), &opts, NULL);
}

static inline void cgx_init_text(cgx *x, const char *text, const char *name) {
  cgt_init(&x->t);
  tn_script_opts opts = {.file_name = name};
  tn_diags diags = {0};
  tn_module_init(&x->source, x->t.ir, "Module");
  tn_script_parse(text, strlen(text), &opts, &x->source, &diags);
  expect_ok(tn_diags_to_status(&diags, x->t.ir));
  tn_module_deinit(&x->t.module);
  tn_module_init_copy(&x->t.module, &x->source);
}

/// Text with the header that a bare function needs.
static inline void cgx_init_body(cgx *x, const char *body, const char *name) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "from tvm.script import tir as T\n\n%s", body);
  cgx_init_text(x, tn_buf_text(&text), name);
  tn_buf_deinit(&text);
  expect_ok(cgx_lower(&x->t.module, 2));
}

static inline void cgx_deinit(cgx *x) {
  tn_module_deinit(&x->source);
  cgt_deinit(&x->t);
}

static inline int64_t cgx_size(const tn_node *dim, int64_t n) {
  switch ((int)dim->op) {
    case TN_OP_INT:
      return dim->attr.i64;
    case TN_OP_VAR: /* n and m and so on: n, n + 2, n + 4 ... by first letter */
      return n + 2 * (dim->attr.text[0] == 'n' ? 0 : dim->attr.text[0] % 3 + 1);
    case TN_OP_ADD:
      return cgx_size(dim->in[0], n) + cgx_size(dim->in[1], n);
    case TN_OP_SUB:
      return cgx_size(dim->in[0], n) - cgx_size(dim->in[1], n);
    case TN_OP_MUL:
      return cgx_size(dim->in[0], n) * cgx_size(dim->in[1], n);
    default:
      fail_msg("a size that the test cannot make up");
      return 0;
  }
}

enum { CGX_MAX_ARGS = 16 };

/// Arguments for `func`; arrays own their memory.
static inline int32_t cgx_make_args(const tn_node *func, int64_t n, tn_rng *rng, tn_array *arrays,
                                    tn_tir_arg *args) {
  const tn_node *params = func->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    args[i] = (tn_tir_arg){0};
    if (!tn_is_none(buffers->in[i])) {
      const tn_node *shape = buffers->in[i]->in[TN_BUFFER_SHAPE];
      int64_t dims[TN_MAX_NDIM];
      for (uint32_t d = 0; d < shape->n_in; ++d) {
        dims[d] = cgx_size(shape->in[d], n);
      }
      expect_ok(tn_array_init(&arrays[i], buffers->in[i]->dtype, (int32_t)shape->n_in, dims));
      tn_array_fill_random(&arrays[i], rng);
      args[i].array = &arrays[i];
    } else if (tn_dtype_is_float(params->in[i]->dtype)) {
      args[i].f64 = 1.5;
    } else {
      args[i].i64 = tn_dtype_is_bool(params->in[i]->dtype) ? 1 : n;
    }
  }
  return (int32_t)params->n_in;
}

static inline void cgx_free_args(tn_array *arrays, const tn_tir_arg *args, int32_t n) {
  for (int32_t i = 0; i < n; ++i) {
    if (args[i].array != NULL) {
      tn_array_deinit(&arrays[i]);
    }
  }
}

/// Compiled code (already made) against the interpreter on the source, all arrays bit for bit.
static inline void cgx_expect_agrees(cgx *x, const char *func, int64_t n, const char *what) {
  tn_rng rng = tn_rng_make((uint64_t)n);
  tn_array arrays[2][CGX_MAX_ARGS];
  tn_tir_arg args[2][CGX_MAX_ARGS];
  tn_tir_arg ret = {0};
  const tn_node *node = tn_module_find(&x->source, func);
  int32_t n_args = cgx_make_args(node, n, &rng, arrays[0], args[0]);
  for (int32_t i = 0; i < n_args; ++i) {
    args[1][i] = args[0][i];
    if (args[0][i].array != NULL) {
      expect_ok(tn_array_init_copy(&arrays[1][i], &arrays[0][i]));
      args[1][i].array = &arrays[1][i];
    }
  }
  cgt_host host;
  cgt_host_init(&host);
  int32_t code = cgt_run(&x->t, &host, func, args[0], n_args);
  expect_true(code == 0, "%s returned %d: %s (%lld, %lld)", what, code, host.text,
              (long long)host.expected, (long long)host.got);
  expect_true(host.n_live == 0, "%s kept %d workspaces", what, host.n_live);
  expect_ok(tn_tir_interp(&x->source, func, args[1], n_args, NULL, &ret));
  for (int32_t i = 0; i < n_args; ++i) {
    if (args[0][i].array != NULL) {
      cgt_expect_equal(&arrays[0][i], &arrays[1][i], what);
    }
  }
  cgx_free_args(arrays[0], args[0], n_args);
  cgx_free_args(arrays[1], args[1], n_args);
}

#endif
