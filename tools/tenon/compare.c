/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Compares programs by running them. Whole numbers make sums exact in any order; what is not made
 * of sums and products, an exponential say, may round differently when a schedule changes the
 * order of a sum of it: so much is allowed, and told. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/abi/exec.h"
#include "sizes.h"

enum { MAX_ARGS = 256 };

typedef struct both {
  tn_runtime *rt;
  const tn_program *before;
  const tn_program *after;
  const char *func;
  int32_t n;
  tn_param_info params[MAX_ARGS];
  tn_arg a[MAX_ARGS]; /* owned */
  tn_arg b[MAX_ARGS];
  bool are_room[MAX_ARGS];
} both;

static tn_status usage(const char *func, const tn_param_info *param, const char *why) {
  char text[512];
  (void)snprintf(text, sizeof text, "%s: argument %s: %s %s", func, param->name, param->text, why);
  return tn_status_make(TN_INVALID, text);
}

static tn_status make_pair(both *c, const sizes *known, int32_t j, uint64_t seed) {
  const tn_param_info *param = &c->params[j];
  int64_t dims[SIZES_MAX_NDIM];
  int64_t size = 0;
  tn_tensor *made[2] = {NULL, NULL};
  if (param->kind == TN_EXEC_TY_SCALAR) {
    bool is_size = sizes_of(known, param->name, &size);
    c->a[j] = tn_arg_of_int(is_size ? size : 1);
    c->b[j] = c->a[j];
    return NULL;
  }
  if (param->kind != TN_EXEC_TY_TENSOR || param->dtype == TN_DT_NONE) {
    return usage(c->func, param, "cannot be made up");
  }
  if (!sizes_dims(known, param, dims)) {
    const char *name = sizes_open_name(known, param);
    char why[256];
    (void)snprintf(why, sizeof why, "leaves %s open; give it with --size %s=N",
                   name != NULL ? name : "a size", name != NULL ? name : "NAME");
    return usage(c->func, param, why);
  }
  c->are_room[j] = param->is_output && !param->is_read;
  tn_status st = NULL;
  for (int32_t k = 0; st == NULL && k < 2; ++k) {
    st = tn_tensor_create(param->dtype, param->ndim, dims, NULL, &made[k]);
    st = st == NULL && !c->are_room[j] ? tn_tensor_fill_small(made[k], seed + (uint64_t)j) : st;
  }
  if (st != NULL) {
    tn_tensor_release(made[0]);
    tn_tensor_release(made[1]);
    return st;
  }
  c->a[j] = tn_arg_of_tensor(made[0]);
  c->b[j] = tn_arg_of_tensor(made[1]);
  return NULL;
}

/* ---- results ---- */

/* Relative to the larger, 1e-5 and more is no rounding. */
static const double most_rounding = 1e-5;

static tn_status compare_arg(const both *c, int32_t j, double *io_largest) {
  const DLTensor *a = tn_arg_dl(&c->a[j]);
  const DLTensor *b = tn_arg_dl(&c->b[j]);
  if (a == NULL) {
    return NULL;
  }
  int64_t n = tn_dl_n_elems(a) * a->dtype.lanes;
  size_t n_bytes = ((size_t)n * a->dtype.bits + 7) / 8;
  bool is_float = tn_dl_dtype(a) == TN_DT_F32 || tn_dl_dtype(a) == TN_DT_F64;
  if (n_bytes == 0 || memcmp(a->data, b->data, n_bytes) == 0) {
    return NULL;
  }
  for (int64_t i = 0; i < n; ++i) {
    double x = tn_tensor_get_f64(tn_arg_tensor(&c->a[j]), i);
    double y = tn_tensor_get_f64(tn_arg_tensor(&c->b[j]), i);
    double scale = fmax(1, fmax(fabs(x), fabs(y)));
    bool are_both_nan = isnan(x) && isnan(y);
    double difference = x == y || are_both_nan ? 0 : fabs(x - y) / scale;
    if (!is_float || !(difference <= most_rounding)) {
      char text[256];
      (void)snprintf(text, sizeof text,
                     "%s: after the schedule, %s differs: element %lld was %.9g and is %.9g",
                     c->func, c->params[j].name, (long long)i, x, y);
      return tn_status_make(TN_INVALID, text);
    }
    *io_largest = fmax(*io_largest, difference);
  }
  return NULL;
}

/* ---- functions ---- */

static tn_status run_both(both *c) {
  const tn_interpret_opts checked = {.is_checked = true, .are_room = c->are_room};
  double largest = 0;
  tn_arg ret = tn_arg_none();
  tn_status st = tn_program_interpret(c->before, c->rt, c->func, c->a, c->n, NULL, &ret);
  tn_arg_release(&ret);
  if (st == NULL) {
    st = tn_program_interpret(c->after, c->rt, c->func, c->b, c->n, &checked, &ret);
    tn_arg_release(&ret);
  }
  for (int32_t j = 0; st == NULL && j < c->n; ++j) {
    st = compare_arg(c, j, &largest);
  }
  if (st == NULL && largest > 0) {
    fprintf(stderr, "verify: %s: equal up to rounding (largest relative difference %.2g)\n",
            c->func, largest);
  } else if (st == NULL) {
    fprintf(stderr, "verify: %s: equal\n", c->func);
  }
  return st;
}

static tn_status compare_function(const cli_args *args, both *c, int32_t i, uint64_t seed) {
  sizes known;
  tn_status st = NULL;
  if (c->n > MAX_ARGS) {
    return tn_status_make(TN_UNSUPPORTED, "--verify: a function of more than 256 parameters");
  }
  for (int32_t j = 0; st == NULL && j < c->n; ++j) {
    c->a[j] = tn_arg_none();
    c->b[j] = tn_arg_none();
    st = tn_program_param(c->before, i, j, &c->params[j]);
  }
  if (st != NULL) {
    return st;
  }
  sizes_init(&known, c->params, c->n);
  st = sizes_set(&known, args);
  for (int32_t j = 0; st == NULL && j < c->n; ++j) {
    st = make_pair(c, &known, j, seed);
  }
  st = st == NULL ? run_both(c) : st;
  for (int32_t j = 0; j < c->n; ++j) {
    tn_arg_release(&c->a[j]);
    tn_arg_release(&c->b[j]);
  }
  return st;
}

tn_status compare_programs(const cli_args *args, const tn_program *before, const tn_program *after,
                           uint64_t seed) {
  both *c = calloc(1, sizeof *c);
  if (c == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for two programs");
  }
  c->before = before;
  c->after = after;
  tn_status st = tn_runtime_create(1, &c->rt);
  for (int32_t i = 0; st == NULL && i < tn_program_n_functions(before); ++i) {
    tn_function_info info = {0};
    st = tn_program_function(before, i, &info);
    if (st == NULL && !info.is_graph) {
      c->func = info.name;
      c->n = info.n_params;
      st = compare_function(args, c, i, seed);
    }
  }
  tn_runtime_release(c->rt);
  free(c);
  return st;
}
