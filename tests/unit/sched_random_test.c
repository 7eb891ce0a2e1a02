/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script driver
 * with: sched_gen.c
 * Random schedules over the programs of tests/sched/seeds.py: what is accepted verifies after each
 * step and computes, bit by bit, what the program did: interpreted, watched by the checked
 * interpreter, and compiled at -O0 and -O2. A failure is made small by leaving steps out and printed
 * as a script. TN_LONG=1: 20,000 traces, all of them compiled, and how often each primitive was
 * accepted. TN_SEED=N: that one alone; TN_FIRST, TN_COUNT: a part. */
#include "sched_gen.h"

#include "driver/driver_priv.h"
#include "tenon/runtime.h"

enum { N_SHORT = 500, N_LONG = 20000, COMPILES_ONE_IN = 25, MAX_STEPS = 14, RUN_STEPS = 20000000 };

#define SEEDS_PATH "tests/sched/seeds.py"

typedef struct suite {
  uint32_t n_seeds;
  sched_seed seeds[SCHED_GEN_MAX_SEEDS];
  tn_runtime *rt;
  sched_gen_counts *counts;
  tn_sched_stats stats;
  uint32_t n_compiled;
  uint32_t n_accepted;
  uint32_t n_failed;
} suite;

/* ---- running ---- */

typedef enum run_mode { BY_INTERPRETER, CHECKED, COMPILED_O0, COMPILED_O2 } run_mode;

static const char *const how_names[] = {"interpreted", "checked", "compiled at -O0",
                                        "compiled at -O2"};

static tn_status call(tn_runtime *rt, tn_exec *exec, sched_args *a) {
  tn_vm *vm = NULL;
  tn_tensor *tensors[SCHED_MAX_ARGS] = {0};
  tn_arg args[SCHED_MAX_ARGS];
  tn_arg none = tn_arg_none();
  tn_status st = tn_vm_create(rt, exec, NULL, 0, &vm);
  for (int32_t i = 0; i < a->n && st == NULL; ++i) {
    tn_array *array = &a->arrays[i];
    st = tn_tensor_create(array->dtype, array->ndim, array->shape, array->data, &tensors[i]);
    args[i] = tn_arg_of_tensor(tensors[i]);
  }
  st = st != NULL ? st : tn_vm_call(vm, SCHED_GEN_FUNC, args, a->n, &none);
  for (int32_t i = 0; i < a->n; ++i) {
    if (st == NULL) {
      memcpy(a->arrays[i].data, tn_arg_dl(&args[i])->data, tn_array_n_bytes(&a->arrays[i]));
    }
    tn_tensor_release(tensors[i]);
  }
  tn_vm_release(vm);
  return st;
}

/* Threads of an accelerator have no code here. */
static bool has_code(const tn_module *module) {
  tn_buf text = TN_BUF_INIT;
  tn_script_print(module, &(tn_print_opts){.is_bare = true}, &text);
  bool has = strstr(tn_buf_text(&text), "T.thread_binding") == NULL &&
             strstr(tn_buf_text(&text), "\"shared\"") == NULL;
  tn_buf_deinit(&text);
  return has;
}

static tn_status run_compiled(const suite *t, const tn_module *module, int32_t level,
                              sched_args *a) {
  tn_program program = {.ir = module->ir, .module = *module};
  tn_compile_opts opts = TN_COMPILE_DEFAULTS;
  tn_exec *exec = NULL;
  opts.opt_level = level;
  opts.func = SCHED_GEN_FUNC;
  tn_status st = tn_program_compile(&program, &opts, &exec);
  st = st != NULL ? st : call(t->rt, exec, a);
  tn_exec_release(exec);
  return st;
}

static tn_status run(const suite *t, const tn_module *module, run_mode how, sched_args *a) {
  if (how >= COMPILED_O0) {
    return run_compiled(t, module, how == COMPILED_O0 ? 0 : 2, a);
  }
  tn_tir_checker *checker = how == CHECKED ? tn_tir_checker_new(module->ir) : NULL;
  tn_tir_hooks hooks = {.max_steps = RUN_STEPS, .checker = checker};
  tn_status st = tn_tir_interp(module, SCHED_GEN_FUNC, a->args, a->n, &hooks, NULL);
  st = checker == NULL ? st : tn_tir_checker_finish(checker, st);
  tn_tir_checker_free(checker);
  return st;
}

/* False with the reason when the scheduled program does not compute what the program does. */
static bool is_same(const suite *t, sched_case *c, run_mode how, int64_t size, uint64_t data,
                    tn_buf *why) {
  sched_args want;
  sched_args got;
  const tn_node *func = tn_module_find(&c->before, SCHED_GEN_FUNC);
  sched_args_init(&want, func, size, data);
  sched_args_init(&got, func, size, data);
  expect_ok(run(t, &c->before, BY_INTERPRETER, &want));
  tn_status st = run(t, tn_sched_module(c->s), how, &got);
  bool is_ok = st == NULL;
  if (st != NULL) {
    tn_buf_printf(why, "%s: %s", how_names[how], tn_status_message(st));
  }
  for (int32_t i = 0; i < want.n && is_ok; ++i) {
    tn_array *array = &want.arrays[i];
    is_ok = memcmp(array->data, got.arrays[i].data, tn_array_n_bytes(array)) == 0;
    if (!is_ok) {
      tn_buf_printf(why, "%s: argument %d differs, size %lld", how_names[how], i, (long long)size);
    }
  }
  tn_status_free(st);
  sched_args_deinit(&want);
  sched_args_deinit(&got);
  return is_ok;
}

static bool holds(const suite *t, sched_case *c, bool is_lie, bool compiles, uint64_t data,
                  tn_buf *why) {
  int64_t size = 1 + (int64_t)(data % 7);
  return is_same(t, c, BY_INTERPRETER, size, data, why) &&
         (is_lie || is_same(t, c, CHECKED, size, data, why)) &&
         (!compiles || !has_code(tn_sched_module(c->s)) ||
          (is_same(t, c, COMPILED_O0, size, data, why) &&
           is_same(t, c, COMPILED_O2, size, data, why)));
}

/* ---- a failure ---- */

/* The steps that `keeps` says, again from the start: does it still fail? */
static bool still_fails(const suite *t, const sched_case *from, const sched_gen *g,
                        const bool *keeps, bool is_lie, bool compiles, uint64_t data) {
  sched_case c = {.before = from->before, .s = tn_sched_new(&from->before, 1)};
  tn_buf why = TN_BUF_INIT;
  tn_diags diags = {0};
  expect_ok(tn_sched_work_on(c.s, SCHED_GEN_FUNC));
  for (uint32_t i = 0; i < g->n_steps; ++i) {
    if (keeps[i]) {
      (void)sched_gen_redo(&c, &g->steps[i]);
    }
  }
  tn_tir_verify(c.before.ir, tn_module_find(tn_sched_module(c.s), SCHED_GEN_FUNC), &diags);
  bool fails = diags.n > 0 || (g->problem == NULL && !holds(t, &c, is_lie, compiles, data, &why));
  tn_status_free(tn_diags_to_status(&diags, c.before.ir));
  tn_buf_deinit(&why);
  tn_sched_free(c.s);
  return fails;
}

static void show_failure(const suite *t, sched_case *c, const sched_gen *g, const sched_seed *seed,
                         uint64_t number, bool compiles, const char *why) {
  bool keeps[SCHED_GEN_MAX_STEPS];
  bool is_lie = sched_seed_lies(seed);
  memset(keeps, 1, sizeof keeps);
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t i = g->n_steps; i > 0; --i) {
      if (keeps[i - 1]) {
        keeps[i - 1] = false;
        keeps[i - 1] = !still_fails(t, c, g, keeps, is_lie, compiles, number);
      }
    }
  }
  tn_buf text = TN_BUF_INIT;
  sched_case again = {.before = c->before, .s = tn_sched_new(&c->before, 1)};
  expect_ok(tn_sched_work_on(again.s, SCHED_GEN_FUNC));
  for (uint32_t i = 0; i < g->n_steps; ++i) {
    if (keeps[i]) {
      bool is_done = sched_gen_redo(&again, &g->steps[i]);
      sched_gen_print(&g->steps[i], &text);
      tn_buf_puts(&text, is_done ? "\n" : "   (refused now)\n");
    }
  }
  tn_buf_puts(&text, "---- what comes of it\n");
  tn_script_print(tn_sched_module(again.s), &(tn_print_opts){.is_bare = true}, &text);
  (void)fprintf(stderr, "==== trace %llu of %s: %s\n%s", (unsigned long long)number, seed->name,
                why, tn_buf_text(&text)); /* print_error cuts what is long */
  tn_sched_free(again.s);
  tn_buf_deinit(&text);
}

/* ---- the test ---- */

static void add_stats(suite *t, tn_sched_stats more) {
  t->stats.n_questions += more.n_questions;
  t->stats.n_cheap += more.n_cheap;
  t->stats.n_remembered += more.n_remembered;
  t->stats.n_undecided += more.n_undecided;
}

static void one_trace(suite *t, uint64_t number, bool compiles) {
  static sched_gen g; /* large */
  const sched_seed *seed = &t->seeds[number % t->n_seeds];
  sched_case c;
  tn_buf why = TN_BUF_INIT;
  sched_init_text(&c, seed->text);
  expect_ok(tn_sched_work_on(c.s, SCHED_GEN_FUNC));
  memset(&g, 0, sizeof g);
  g.c = &c;
  g.rng = tn_rng_make(number * 2 + 1);
  g.counts = t->counts;
  uint64_t n_tries = 2 + tn_rng_below(&g.rng, 2 * MAX_STEPS);
  bool is_ok = true;
  for (uint64_t i = 0; i < n_tries && g.n_steps < MAX_STEPS && is_ok && g.problem == NULL; ++i) {
    sched_gen_any(&g);
    if (tn_rng_below(&g.rng, 40) == 0) {
      is_ok = holds(t, &c, sched_seed_lies(seed), false, number, &why);
    }
  }
  if (getenv("TN_SEED") != NULL) {
    for (uint32_t i = 0; i < g.n_steps; ++i) {
      tn_buf line = TN_BUF_INIT;
      sched_gen_print(&g.steps[i], &line);
      print_message("%s\n", tn_buf_text(&line));
      tn_buf_deinit(&line);
    }
    sched_show(&c, "program");
  }
  is_ok = is_ok && g.problem == NULL && holds(t, &c, sched_seed_lies(seed), compiles, number, &why);
  t->n_accepted += g.n_steps;
  t->n_compiled += compiles;
  add_stats(t, tn_sched_stats_get(c.s));
  if (!is_ok) {
    show_failure(t, &c, &g, seed, number, compiles,
                 g.problem != NULL ? g.problem : tn_buf_text(&why));
    ++t->n_failed;
  }
  tn_buf_deinit(&why);
  sched_deinit(&c);
}

static uint64_t number_of(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void print_counts(const suite *t) {
  uint32_t n = 0;
  const tn_prim *prims = tn_prim_all(&n);
  for (uint32_t i = 0; i < n; ++i) {
    print_message("  %-24s %6u accepted %6u refused\n", prims[i].name, t->counts[i].accepted,
                  t->counts[i].refused);
  }
}

static void random_schedules_compute_the_same(void **state) {
  (void)state;
  static suite t;
  uint32_t n_prims = 0;
  bool is_long = getenv("TN_LONG") != NULL;
  (void)tn_prim_all(&n_prims);
  t = (suite){.counts = calloc(n_prims, sizeof(sched_gen_counts))};
  t.n_seeds = sched_seeds_load(SEEDS_PATH, t.seeds);
  expect_ok(tn_runtime_create(2, &t.rt));
  uint64_t first = number_of("TN_SEED", number_of("TN_FIRST", 0));
  uint64_t n = getenv("TN_SEED") != NULL ? 1 : number_of("TN_COUNT", is_long ? N_LONG : N_SHORT);
  bool compiles_all = is_long || n == 1;
  for (uint64_t i = first; i < first + n && t.n_failed < number_of("TN_FAILURES", 20); ++i) {
    if (getenv("TN_SHOW") != NULL) {
      (void)fprintf(stderr, "%llu\n", (unsigned long long)i);
    }
    one_trace(&t, i, compiles_all || i / t.n_seeds % COMPILES_ONE_IN == i % COMPILES_ONE_IN);
  }
  print_message("  %u steps accepted over %u programs, %u schedules compiled; %lld questions, %lld "
                "cheap, %lld remembered, %lld undecided\n",
                t.n_accepted, t.n_seeds, t.n_compiled, (long long)t.stats.n_questions,
                (long long)t.stats.n_cheap, (long long)t.stats.n_remembered,
                (long long)t.stats.n_undecided);
  if (is_long || getenv("TN_SHOW") != NULL) {
    print_counts(&t);
  }
  tn_runtime_release(t.rt);
  sched_seeds_free(t.n_seeds, t.seeds);
  free(t.counts);
  assert_int_equal(t.n_failed, 0);
}

/* ---- what was found ---- */

/* Steps that once gave a program that computes something else, does not verify or reads what nothing
 * wrote, on a program of the seeds; the last one may be refused now. */
typedef struct found_row {
  const char *seed;
  const char *steps;
} found_row;

static const found_row found[] = {
    {"transposes", "loop_partition(k, [1, None], preserve_unit_iters=False)\n"
                   "compute_at(B_k_common, k)"},
    {"wavefront", "loop_partition(i, [None, 5])\ncache_inplace(A_i1, \"A\", \"shared\")"},
    {"sum_rows_then_all",
     "blockize(B:k)\nreindex_cache_write(B_o, 0, \"global\", lambda i0: (i0, ))"},
    {"sum_rows_then_all", "compute_at(R, B:k)\nloop_partition(k, [1, 1, 1])\n"
                          "cache_inplace(R_k0_partition, 1, \"global\")"},
    {"batched_matmul", "bind(i, \"threadIdx.x\")\ndecompose_reduction(C, i)"},
    {"product_of_rows", "split(Z:i, [None, 4])\nbind(j, \"blockIdx.x\")\nreorder(k, i_1)\n"
                        "decompose_reduction(Z, k)"},
    {"any_all_bits", "loop_partition(O:i, [None, 3])\nblockize(O_i0:k, preserve_unit_iters=False)"},
    {"in_place", "split(half:j, [None, 4])\nsplit(j_0, [None, 4])\nvectorize(j_0_1)\n"
                 "loop_partition(j_1, [3, None])\ncache_inplace(half_j_10, \"A\", \"shared\")"},
    {"nested_blocks", "decompose_reduction(C, io)"},
    {"softmax", "cache_read(S, 0, \"global\", [])"},
    {"conv1d_padded", "reindex(P, 0)\nblockize(c)\n"
                      "reindex_cache_read(P, 0, \"local\", lambda i0, i1: (i0, i1))"},
    {"conv2d_padded",
     "split(y, [None, 2])\ndecompose_padding(P, y_0)\nloop_partition(C:x, [None, 4])\n"
     "transform_layout(P_pad_const, (\"write\", 0), lambda i0, i1, i2: (i1 // 4, i1 % 4, i2, i0))\n"
     "cache_read(C_x0_partition, 0, \"shared\")"},
};

static const sched_seed *seed_named(const suite *t, const char *name) {
  for (uint32_t i = 0; i < t->n_seeds; ++i) {
    if (strcmp(t->seeds[i].name, name) == 0) {
      return &t->seeds[i];
    }
  }
  fail_msg("no seed program %s", name);
  return NULL;
}

static void what_was_found_stays_mended(void **state) {
  (void)state;
  static suite t;
  t.n_seeds = sched_seeds_load(SEEDS_PATH, t.seeds);
  for (size_t i = 0; i < TN_N_ROWS(found); ++i) {
    sched_case c;
    const char *at = found[i].steps;
    tn_buf why = TN_BUF_INIT;
    tn_status st = NULL;
    sched_init_text(&c, seed_named(&t, found[i].seed)->text);
    expect_ok(tn_sched_work_on(c.s, SCHED_GEN_FUNC));
    while (st == NULL && *at != '\0') {
      st = sched_step(&c, at, &at);
      sched_expect_verifies(&c, found[i].steps);
    }
    expect_true(*at == '\0', "%s: refused before the last step: %s", found[i].seed,
                tn_status_message(st));
    tn_status_free(st);
    expect_true(holds(&t, &c, false, false, 5, &why), "%s: %s\n%s", found[i].seed,
                tn_buf_text(&why), found[i].steps);
    tn_buf_deinit(&why);
    sched_deinit(&c);
  }
  sched_seeds_free(t.n_seeds, t.seeds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_found_stays_mended),
      cmocka_unit_test(random_schedules_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
