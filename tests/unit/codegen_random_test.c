/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random programs, lowered and compiled, against the interpreter on the program as generated: bit
 * for bit. Most run at level 0, some optimised with strict arithmetic, some as level 2 is meant to
 * be, which may contract: their products are exact. The instruction sets take turns. TN_LONG=1 runs
 * 100,000; TN_SEED=n runs one program every way, prints it and what is left of it when it is made
 * as small as it still fails. */
/* needs: script lower */
/* with: gen_tir.c gen_tir_expr.c shrink_tir.c */
#include "codegen_text.h"
#include "gen_tir.h"
#include "shrink_tir.h"

enum {
  BATCH = 25,
  N_TARGETS = 3,
  EXACT = GEN_TIR_ALL & ~(GEN_TIR_STORAGE | GEN_TIR_MATH | GEN_TIR_ROUNDING)
};

static const char *const targets[N_TARGETS] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

/* One way of running programs. */
typedef struct way {
  const char *name;
  int32_t level;
  bool is_strict;
  uint32_t parts;
  uint64_t first_seed;
  int32_t n_batches;      /* of BATCH programs */
  int32_t n_long_batches; /* with TN_LONG */
} way;

static const way ways[] = {
    {"level 0", 0, true, GEN_TIR_ALL, 1, 80, 3600},
    {"level 1, strict", 1, true, GEN_TIR_ALL, 1000000, 2, 80},
    {"level 2, strict", 2, true, GEN_TIR_ALL, 2000000, 5, 200},
    {"level 2", 2, false, EXACT, 3000000, 3, 120},
};

static void print_program(const tn_node *func, const char *what) {
  tn_buf text = TN_BUF_INIT;
  tn_script_print_node(func, &text);
  fprintf(stderr, "# %s\n%s\n", what, tn_buf_text(&text)); /* longer than cmocka prints */
  tn_buf_deinit(&text);
}

/* Does the function, compiled for the host, do something else than the checked interpreter? What
 * that finds fault with was spoiled by shrinking. */
typedef struct failing {
  tn_ir *ir;
  const gen_tir_program *program;
  const way *way;
  const char *target;
} failing;

static bool interprets(const failing *f, const tn_module *source, gen_tir_program *p) {
  tn_tir_checker *checker = tn_tir_checker_new(f->ir);
  tn_tir_hooks hooks = {.max_steps = 1000000, .checker = checker};
  tn_status st = tn_tir_interp(source, "f", p->args, p->n_args, &hooks, NULL);
  st = tn_tir_checker_finish(checker, st);
  tn_tir_checker_free(checker);
  bool is_ok = st == NULL;
  tn_status_free(st);
  return is_ok;
}

static bool compiles_and_differs(const failing *f, cgt *t, gen_tir_program *want,
                                 gen_tir_program *got) {
  cgt_host host;
  int32_t arg = 0;
  tn_codegen_opts opts = {.target = cgt_target(f->target),
                          .opt_level = f->way->level,
                          .is_strict_math = f->way->is_strict};
  cgt_host_init(&host);
  tn_status st = cgx_lower(&t->module, f->way->level);
  st = st != NULL ? st : cgt_try_compile_as(t, &opts);
  bool is_ok = st == NULL;
  tn_status_free(st);
  return is_ok && (cgt_run(t, &host, "f", got->args, got->n_args) != 0 ||
                   !gen_tir_same_args(want, got, &arg));
}

static bool still_fails(const tn_node *func, void *ctx) {
  const failing *f = ctx;
  tn_diags diags = {0};
  tn_tir_verify(f->ir, func, &diags);
  tn_status st = tn_diags_to_status(&diags, f->ir);
  bool is_ok = st == NULL;
  tn_status_free(st);
  if (!is_ok) {
    return false;
  }
  cgt t = {.ir = f->ir};
  tn_module source;
  gen_tir_program want;
  gen_tir_program got;
  tn_module_init(&source, f->ir, "Source");
  tn_module_set(&source, "f", func);
  tn_module_init_copy(&t.module, &source);
  gen_tir_copy_args(f->program, &want);
  gen_tir_copy_args(f->program, &got);
  bool fails = interprets(f, &source, &want) && compiles_and_differs(f, &t, &want, &got);
  gen_tir_deinit(&want);
  gen_tir_deinit(&got);
  tn_jit_free(t.jit);
  tn_module_deinit(&t.module);
  tn_module_deinit(&source);
  return fails;
}

/* What the seed makes, as small as it still fails; the whole program when a lone one does not. */
static void print_smallest(uint64_t seed, const way *w, const char *target) {
  enum { MAX_TRIES = 4000 };
  gen_tir_program program;
  tn_ir *ir = tn_ir_new(0);
  gen_tir(ir, seed, w->parts, "f", &program);
  failing f = {.ir = ir, .program = &program, .way = w, .target = target};
  print_program(shrink_tir(ir, program.func, MAX_TRIES, still_fails, &f), "as small as it fails");
  gen_tir_deinit(&program);
  tn_ir_free(ir);
}

typedef struct batch {
  cgt t;
  tn_module source;
  const way *way;
  const char *target;
} batch;

static void fail_program(const batch *b, const tn_node *source, const char *name, uint64_t seed,
                         const char *why) {
  print_program(source, name);
  print_program(tn_module_find(&b->t.module, name), "lowered");
  print_smallest(seed, b->way, b->target);
  fail_msg("TN_SEED=%llu, %s, %s: %s", (unsigned long long)seed, b->way->name, b->target, why);
}

/* Interprets one copy of the arguments, runs compiled code over another. */
static void compare(batch *b, gen_tir_program *p, const char *name, uint64_t seed) {
  char why[640];
  gen_tir_program copy;
  int32_t arg = 0;
  cgt_host host;
  cgt_host_init(&host);
  gen_tir_copy_args(p, &copy);
  tn_status st = tn_tir_interp(&b->source, name, p->args, p->n_args, NULL, NULL);
  (void)snprintf(why, sizeof why, "interpreter: %s", tn_status_message(st));
  if (st != NULL) {
    fail_program(b, p->func, name, seed, why);
  }
  int32_t code = cgt_run(&b->t, &host, name, copy.args, copy.n_args);
  (void)snprintf(why, sizeof why, "compiled code returned %d: %s (%lld, %lld)", code, host.text,
                 (long long)host.expected, (long long)host.got);
  if (code != 0 || host.n_live != 0) {
    fail_program(b, p->func, name, seed, why);
  }
  if (!gen_tir_same_args(p, &copy, &arg)) {
    (void)snprintf(why, sizeof why, "argument %d differs", arg);
    for (int64_t i = 0; i < tn_array_n_elems(&p->arrays[arg]); ++i) {
      if (!cgt_same_element(&copy.arrays[arg], &p->arrays[arg], i)) {
        (void)snprintf(why, sizeof why,
                       "argument %d differs at %lld: compiled %.17g, interpreted %.17g", arg,
                       (long long)i, tn_array_get_f64(&copy.arrays[arg], i),
                       tn_array_get_f64(&p->arrays[arg], i));
        break;
      }
    }
    fail_program(b, p->func, name, seed, why);
  }
  gen_tir_deinit(&copy);
}

/* For an instruction set that this machine lacks, programs are compiled and not run. */
static void run_batch(const way *w, uint64_t first, int32_t n, const char *target) {
  batch b = {.way = w, .target = target};
  gen_tir_program programs[BATCH];
  char names[BATCH][16];
  bool runs_here = tn_target_runs_here(cgt_target(target));
  cgt_init(&b.t);
  tn_module_init(&b.source, b.t.ir, "Source");
  for (int32_t i = 0; i < n; ++i) {
    (void)snprintf(names[i], sizeof names[i], "f%d", i);
    gen_tir(b.t.ir, first + (uint64_t)i, w->parts, names[i], &programs[i]);
    tn_module_set(&b.source, names[i], programs[i].func);
  }
  tn_module_deinit(&b.t.module);
  tn_module_init_copy(&b.t.module, &b.source);
  expect_ok(cgx_lower(&b.t.module, w->level));
  tn_codegen_opts opts = {
      .target = cgt_target(target), .opt_level = w->level, .is_strict_math = w->is_strict};
  tn_status st = cgt_try_compile_as(&b.t, &opts);
  expect_true(st == NULL, "seeds from %llu, %s: %s", (unsigned long long)first, target,
              tn_status_message(st));
  for (int32_t i = 0; i < n; ++i) {
    if (runs_here) {
      compare(&b, &programs[i], names[i], first + (uint64_t)i);
    }
    gen_tir_deinit(&programs[i]);
  }
  tn_module_deinit(&b.source);
  cgt_deinit(&b.t);
}

static void run_way(const way *w) {
  const char *seed = getenv("TN_SEED");
  if (seed != NULL) {
    run_batch(w, strtoull(seed, NULL, 10), 1, "host");
    return;
  }
  int32_t n = getenv("TN_LONG") != NULL ? w->n_long_batches : w->n_batches;
  for (int32_t i = 0; i < n; ++i) {
    run_batch(w, w->first_seed + (uint64_t)i * BATCH, BATCH, targets[i % N_TARGETS]);
    if ((i + 1) * BATCH % 10000 == 0) {
      print_message("%s: %d programs\n", w->name, (i + 1) * BATCH);
    }
  }
}

static void random_programs_agree_with_the_interpreter(void **state) {
  (void)state;
  for (size_t i = 0; i < N_TARGETS; ++i) {
    if (!tn_target_runs_here(cgt_target(targets[i]))) {
      print_message("this machine has no %s: programs for it are compiled and not run\n",
                    targets[i]);
    }
  }
  run_way(&ways[0]);
}

static void optimised_programs_agree_with_the_interpreter(void **state) {
  (void)state;
  for (size_t i = 1; i < TN_N_ROWS(ways); ++i) {
    run_way(&ways[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_agree_with_the_interpreter),
      cmocka_unit_test(optimised_programs_agree_with_the_interpreter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
