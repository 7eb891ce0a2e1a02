/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* with: gen_tir.c gen_tir_expr.c */
/* Checked runs of random programs, which are right as they are made: nothing is found and the
 * results are those of a plain run. One thing changed in them is found. TN_SEED and TN_COUNT choose
 * other programs. */
#include "gen_tir.h"
#include "script/script.h"
#include "tir_make.h"
#include "tn_test.h"

enum { N_PROGRAMS = 300 };

static uint64_t from_env(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void show(const tn_module *module, uint64_t seed, const char *what) {
  tn_buf buf = TN_BUF_INIT;
  tn_script_print(module, &(tn_print_opts){0}, &buf);
  (void)fprintf(stderr, "---- seed %llu: %s\n%s\n", (unsigned long long)seed, what,
                tn_buf_text(&buf));
  tn_buf_deinit(&buf);
}

static tn_status run(const tn_module *module, gen_tir_program *p, bool is_checked) {
  tn_tir_checker *checker = is_checked ? tn_tir_checker_new(module->ir) : NULL;
  tn_tir_hooks hooks = {.max_steps = 10000000, .checker = checker};
  tn_status st = tn_tir_interp(module, "f", p->args, p->n_args, &hooks, NULL);
  st = is_checked ? tn_tir_checker_finish(checker, st) : st;
  tn_tir_checker_free(checker);
  return st;
}

static void right_programs_have_no_finding_and_the_same_results(void **state) {
  (void)state;
  uint64_t first = from_env("TN_SEED", 1);
  uint64_t end = first + from_env("TN_COUNT", N_PROGRAMS);
  int32_t n_bad = 0;
  for (uint64_t seed = first; seed < end && n_bad < 3; ++seed) {
    tn_ir *ir = tn_ir_new(0);
    tn_module module;
    gen_tir_program program;
    gen_tir_program other;
    int32_t arg = 0;
    tn_module_init(&module, ir, "Module");
    gen_tir(ir, seed, GEN_TIR_ALL, "f", &program);
    tn_module_set(&module, "f", program.func);
    gen_tir_copy_args(&program, &other);
    tn_status st = run(&module, &program, true);
    st = st != NULL ? st : run(&module, &other, false);
    if (st != NULL || !gen_tir_same_args(&program, &other, &arg)) {
      show(&module, seed, st == NULL ? "other results" : tn_status_message(st));
      ++n_bad;
    }
    tn_status_free(st);
    gen_tir_deinit(&program);
    gen_tir_deinit(&other);
    tn_module_deinit(&module);
    tn_ir_free(ir);
  }
  assert_int_equal(n_bad, 0);
}

/* ---- one thing changed ---- */

typedef enum change {
  INDEX_PAST_THE_END,
  NO_WRITES,
  NO_READS,
  PARALLEL_REDUCTION,
  SPATIAL_REDUCTION,
  LONGER_LOOP,
  N_CHANGES
} change;

static const char *const ids[N_CHANGES] = {
    "index-out-of-bounds", "undeclared-access", "undeclared-access", "loop-race", "axis-race", "",
};

/* What can be changed, in the order of the text. */
typedef struct places {
  change kind;
  TN_VEC(const tn_node *) found;
} places;

static const tn_node *reduce_axis(const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *last = iters->n_in == 0 ? NULL : iters->in[iters->n_in - 1];
  bool is_sum = last != NULL && last->attr.i64 == TN_ITER_REDUCE &&
                tn_is(last->in[TN_ITER_BINDING], TN_OP_VAR) &&
                !tn_is_int(last->in[TN_ITER_EXTENT], 1);
  return is_sum ? last : NULL;
}

static bool is_compute(const tn_node *n) {
  return tn_is(n, TN_OP_BLOCK) && n->in[TN_BLOCK_ITERS]->n_in > 0 &&
         n->in[TN_BLOCK_WRITES]->n_in > 0;
}

static bool can_change(const tn_node *n, change kind) {
  switch (kind) {
    case INDEX_PAST_THE_END:
      return tn_is(n, TN_OP_STORE) && n->n_in > TN_STORE_INDICES &&
             tn_is_none(n->in[TN_STORE_PREDICATE]);
    case NO_WRITES:
      return is_compute(n);
    case NO_READS:
      return is_compute(n) && n->in[TN_BLOCK_READS]->n_in > 0;
    case PARALLEL_REDUCTION:
    case SPATIAL_REDUCTION:
      return is_compute(n) && reduce_axis(n) != NULL;
    case LONGER_LOOP:
      return tn_is(n, TN_OP_FOR) && tn_is(n->in[TN_FOR_EXTENT], TN_OP_INT);
    case N_CHANGES:
      break;
  }
  return false;
}

static tn_visit find_places(const tn_node *n, void *ctx) {
  places *p = ctx;
  if (can_change(n, p->kind)) {
    TN_VEC_PUSH(&p->found, n);
  }
  return TN_DESCEND;
}

static const tn_node *with(tn_ir *ir, const tn_node *n, uint32_t slot, const tn_node *child) {
  const tn_node *in[32];
  assert_true(n->n_in <= TN_N_ROWS(in));
  memcpy(in, n->in, n->n_in * sizeof *in);
  in[slot] = child;
  return tn_node_with(ir, n, in);
}

/* The block with an assertion first, which fails where the change is felt. */
static const tn_node *with_probe(tn_ir *ir, const tn_node *block, const tn_node *cond) {
  const tn_node *probe = MK_NODE(ir, TN_OP_ASSERT, 0, cond, tn_str(ir, "felt"));
  const tn_node *body = block->in[TN_BLOCK_BODY];
  const tn_node *in[64];
  uint32_t n = 0;
  in[n++] = probe;
  bool is_seq = tn_is(body, TN_OP_SEQ);
  for (uint32_t i = 0; i < (is_seq ? body->n_in : 1); ++i) {
    in[n++] = is_seq ? body->in[i] : body;
  }
  return with(ir, block, TN_BLOCK_BODY, tn_seq(ir, n, in));
}

static const tn_node *find_loop(const tn_node *root, const tn_node *var);

typedef struct loop_search {
  const tn_node *var;
  const tn_node *found;
} loop_search;

static tn_visit is_loop_of(const tn_node *n, void *ctx) {
  loop_search *s = ctx;
  if (tn_is(n, TN_OP_FOR) && n->in[TN_FOR_VAR] == s->var) {
    s->found = n;
    return TN_STOP;
  }
  return TN_DESCEND;
}

static const tn_node *find_loop(const tn_node *root, const tn_node *var) {
  loop_search s = {.var = var};
  (void)tn_walk_distinct(root, is_loop_of, &s);
  return s.found;
}

/* The function with `n` changed; out_probe: one whose plain run fails where the change matters. */
static const tn_node *changed(tn_ir *ir, const tn_node *func, const tn_node *n, change kind,
                              const tn_node **out_probe) {
  const tn_node *to = NULL;
  const tn_node *from = n;
  const tn_node *probe = NULL;
  if (kind == INDEX_PAST_THE_END) {
    const tn_node *index = n->in[TN_STORE_INDICES];
    const tn_node *extent = n->in[TN_STORE_BUFFER]->in[TN_BUFFER_SHAPE]->in[0];
    to = with(ir, n, TN_STORE_INDICES, mk_add(ir, index, mk_cast(ir, index->dtype, extent)));
  } else if (kind == NO_WRITES || kind == NO_READS) {
    to = with(ir, n, kind == NO_READS ? TN_BLOCK_READS : TN_BLOCK_WRITES, tn_list(ir, 0, NULL));
    probe = with_probe(ir, n, tn_bool(ir, false));
  } else if (kind == LONGER_LOOP) {
    const tn_node *extent = n->in[TN_FOR_EXTENT];
    to = with(ir, n, TN_FOR_EXTENT, tn_int(ir, extent->dtype, extent->attr.i64 + 1));
  } else {
    const tn_node *axis = reduce_axis(n);
    const tn_node *var = axis->in[TN_ITER_VAR];
    probe = with_probe(ir, n, mk_op(ir, TN_OP_EQ, var, axis->in[TN_ITER_MIN]));
    if (kind == SPATIAL_REDUCTION) {
      const tn_node *iters = n->in[TN_BLOCK_ITERS];
      const tn_node *spatial = mk_node(ir, TN_OP_ITER, TN_ITER_SPATIAL, axis->n_in, axis->in);
      to = with(ir, n, TN_BLOCK_ITERS, with(ir, iters, iters->n_in - 1, spatial));
    } else {
      from = find_loop(func, axis->in[TN_ITER_BINDING]);
      to = mk_node(ir, TN_OP_FOR, TN_FOR_PARALLEL, from->n_in, from->in);
    }
  }
  const tn_node *result = tn_subst1(ir, func, from, to);
  *out_probe = probe == NULL ? result : tn_subst1(ir, func, n, probe);
  return result;
}

static tn_status run_func(const tn_module *like, const tn_node *func, const gen_tir_program *p,
                          bool is_checked) {
  tn_module module;
  gen_tir_program copy;
  tn_module_init_copy(&module, like);
  tn_module_set(&module, "f", func);
  gen_tir_copy_args(p, &copy);
  tn_status st = run(&module, &copy, is_checked);
  gen_tir_deinit(&copy);
  tn_module_deinit(&module);
  return st;
}

/* Changes one place; 1 when that mattered and was found, -1 when it was missed or found in vain. */
static int try_change(const tn_module *module, const gen_tir_program *p, change kind,
                      uint64_t seed) {
  places all = {.kind = kind};
  const tn_node *probe = NULL;
  int result = 0;
  (void)tn_walk(p->func, find_places, NULL, &all);
  if (all.found.len > 0) {
    const tn_node *place = all.found.data[seed % all.found.len];
    const tn_node *mutant = changed(module->ir, p->func, place, kind, &probe);
    tn_status felt = run_func(module, probe, p, false);
    tn_status found = run_func(module, mutant, p, true);
    bool may_miss = kind == NO_READS;         /* an instance need not read */
    bool may_find_more = kind == LONGER_LOOP; /* it may stay in the buffer and leave a region */
    bool is_right = (felt != NULL || found == NULL || may_find_more) &&
                    (felt == NULL || found != NULL || may_miss) &&
                    (found == NULL || strstr(tn_status_message(found), ids[kind]) != NULL);
    result = !is_right ? -1 : found != NULL;
    if (!is_right) {
      tn_module shown;
      tn_module_init_copy(&shown, module);
      tn_module_set(&shown, "f", mutant);
      (void)fprintf(stderr, "change %d: plain run %s; checked run %s\n", (int)kind,
                    felt == NULL ? "right" : tn_status_message(felt),
                    found == NULL ? "right" : tn_status_message(found));
      show(&shown, seed, ids[kind]);
      tn_module_deinit(&shown);
    }
    tn_status_free(felt);
    tn_status_free(found);
  }
  TN_VEC_DEINIT(&all.found);
  return result;
}

static void one_change_is_found_where_it_matters(void **state) {
  (void)state;
  uint64_t first = from_env("TN_SEED", 1);
  uint64_t end = first + from_env("TN_COUNT", N_PROGRAMS);
  int32_t n_found[N_CHANGES] = {0};
  int32_t n_bad = 0;
  for (uint64_t seed = first; seed < end && n_bad < 3; ++seed) {
    tn_ir *ir = tn_ir_new(0);
    tn_module module;
    gen_tir_program program;
    tn_module_init(&module, ir, "Module");
    gen_tir(ir, seed, GEN_TIR_ALL, "f", &program);
    tn_module_set(&module, "f", program.func);
    for (int kind = 0; kind < N_CHANGES; ++kind) {
      int result = try_change(&module, &program, (change)kind, seed);
      n_found[kind] += result > 0;
      n_bad += result < 0;
    }
    gen_tir_deinit(&program);
    tn_module_deinit(&module);
    tn_ir_free(ir);
  }
  assert_int_equal(n_bad, 0);
  for (int kind = 0; kind < N_CHANGES && end - first >= N_PROGRAMS; ++kind) {
    expect_true(n_found[kind] > 3, "change %d was felt %d times only", kind, n_found[kind]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_programs_have_no_finding_and_the_same_results),
      cmocka_unit_test(one_change_is_found_where_it_matters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
