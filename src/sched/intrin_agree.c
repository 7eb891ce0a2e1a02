/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Do the two functions of an intrinsic do the same? Proved by the checker of schedules; where that
 * does not decide (calls of the machine's instructions), both are interpreted on small whole numbers
 * and compared bit by bit. What the interpreter can not run either, as a library's function, is taken
 * on the word of who named the pair. */
#include <string.h>

#include "sched/certify.h"
#include "sched/tensorize.h"

enum { N_RUNS = 4, MAX_STEPS = 10000000 };

typedef struct arguments {
  uint32_t n;
  tn_array arrays[TN_INTRIN_MAX_PARAMS];
  tn_tir_arg args[TN_INTRIN_MAX_PARAMS];
} arguments;

static tn_status make_arguments(const tn_node *func, uint64_t seed, arguments *out) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  tn_rng rng = tn_rng_make(seed);
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    int64_t shape[TN_MAX_NDIM];
    const tn_node *dims = buffers->in[i]->in[TN_BUFFER_SHAPE];
    for (uint32_t d = 0; d < dims->n_in; ++d) {
      shape[d] = dims->in[d]->attr.i64;
    }
    TN_TRY(tn_array_init(&out->arrays[i], buffers->in[i]->dtype, (int32_t)dims->n_in, shape));
    out->n = i + 1;
    out->args[i] = (tn_tir_arg){.array = &out->arrays[i]};
    for (int64_t k = 0; k < tn_array_n_elems(&out->arrays[i]); ++k) {
      tn_array_set_i64(&out->arrays[i], k, tn_rng_range(&rng, -3, 3));
    }
  }
  return NULL;
}

static void free_arguments(arguments *a) {
  for (uint32_t i = 0; i < a->n; ++i) {
    tn_array_deinit(&a->arrays[i]);
  }
}

/* Runs func on arguments made from seed, which are left in *out. */
static tn_status run(tn_sched *s, const tn_node *func, uint64_t seed, arguments *out) {
  tn_tir_program *program = NULL;
  tn_tir_hooks hooks = {.module = &s->module, .max_steps = MAX_STEPS};
  TN_TRY(make_arguments(func, seed, out));
  TN_TRY(tn_tir_program_new(s->ir, func, &program));
  tn_status st = tn_tir_program_run(program, out->args, (int32_t)out->n, &hooks, NULL);
  tn_tir_program_free(program);
  return st;
}

static tn_status compare(tn_sched *s, const tn_sched_intrin *pair, const arguments *a,
                         const arguments *b) {
  for (uint32_t i = 0; i < a->n; ++i) {
    const tn_array *want = &a->arrays[i];
    const tn_array *got = &b->arrays[i];
    for (int64_t k = 0; k < tn_array_n_elems(want); ++k) {
      double x = tn_array_get_f64(want, k);
      double y = tn_array_get_f64(got, k);
      if (memcmp(&x, &y, sizeof x) != 0) {
        return tn_refuse(s, NULL, NULL,
                         "the two functions of intrinsic '%s' differ: on small whole numbers one "
                         "leaves %g in element %lld of '%s', the other %g",
                         pair->name, x, (long long)k,
                         pair->desc->in[TN_PRIM_FUNC_BUFFERS]->in[i]->attr.text, y);
      }
    }
  }
  return NULL;
}

static tn_status compare_runs(tn_sched *s, const tn_sched_intrin *pair, uint64_t seed,
                              bool *out_is_run) {
  arguments a = {0};
  arguments b = {0};
  tn_status st = run(s, pair->desc, seed, &a);
  st = st == NULL ? run(s, pair->impl, seed, &b) : st;
  *out_is_run = st == NULL;
  if (st == NULL) {
    st = compare(s, pair, &a, &b);
  } else if (tn_status_code(st) == TN_UNSUPPORTED) {
    tn_status_free(st);
    st = NULL;
  } else {
    st = tn_status_wrap(st, "intrinsic '%s' on small whole numbers", pair->name);
  }
  free_arguments(&a);
  free_arguments(&b);
  return st;
}

tn_status tn_intrin_agrees(tn_sched *s, const tn_sched_intrin *pair) {
  tn_certify_result result = {0};
  uint64_t key = tn_hash_mix(tn_hash_mix(TN_FACT_INTRIN, pair->desc->id), pair->impl->id);
  if (pair->desc == pair->impl || tn_map_find(&s->facts, key, NULL)) {
    return NULL;
  }
  TN_TRY(tn_certify(s->ir, pair->desc, pair->impl, &result));
  bool is_open = result.verdict != TN_CERTIFY_EQUAL;
  tn_certify_result_deinit(&result);
  for (uint64_t seed = 1; is_open && seed <= N_RUNS; ++seed) {
    TN_TRY(compare_runs(s, pair, seed, &is_open));
  }
  tn_map_set(&s->facts, key, 1);
  return NULL;
}
