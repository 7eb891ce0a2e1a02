/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random programs, lowered and compiled, against the interpreter on the program as generated: bit
 * for bit. Each program runs at level 0 for one of two instruction sets; some also optimised, with
 * strict arithmetic. TN_LONG=1 runs many more; TN_SEED=n runs one program and prints it. */
/* needs: script lower */
/* with: gen_tir.c gen_tir_expr.c shrink_tir.c */
#include "codegen_text.h"
#include "gen_tir.h"
#include "shrink_tir.h"

enum { BATCH = 20, N_BATCHES = 100, N_OPTIMISED = 8, LONG_FACTOR = 20 };

static const char *const targets[] = {"x86-64-v2", "x86-64-v3"};

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
  int32_t level;
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
  tn_codegen_opts opts = {
      .target = cgt_target("host"), .opt_level = f->level, .is_strict_math = true};
  cgt_host_init(&host);
  tn_status st = cgx_lower(&t->module, f->level);
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
static void print_smallest(uint64_t seed, int32_t level) {
  enum { MAX_TRIES = 4000 };
  gen_tir_program program;
  tn_ir *ir = tn_ir_new(0);
  gen_tir(ir, seed, GEN_TIR_ALL, "f", &program);
  failing f = {.ir = ir, .program = &program, .level = level};
  print_program(shrink_tir(ir, program.func, MAX_TRIES, still_fails, &f), "as small as it fails");
  gen_tir_deinit(&program);
  tn_ir_free(ir);
}

static void fail_program(const cgt *t, const tn_node *source, const char *name, uint64_t seed,
                         int32_t level, const char *why) {
  print_program(source, name);
  print_program(tn_module_find(&t->module, name), "lowered");
  print_smallest(seed, level);
  fail_msg("TN_SEED=%llu: %s", (unsigned long long)seed, why);
}

/* Interprets one copy of the arguments, runs compiled code over another. */
static void compare(cgt *t, const tn_module *source, gen_tir_program *p, const char *name,
                    uint64_t seed, int32_t level) {
  char why[640];
  gen_tir_program copy;
  int32_t arg = 0;
  cgt_host host;
  cgt_host_init(&host);
  gen_tir_copy_args(p, &copy);
  tn_status st = tn_tir_interp(source, name, p->args, p->n_args, NULL, NULL);
  (void)snprintf(why, sizeof why, "interpreter: %s", tn_status_message(st));
  if (st != NULL) {
    fail_program(t, p->func, name, seed, level, why);
  }
  int32_t code = cgt_run(t, &host, name, copy.args, copy.n_args);
  (void)snprintf(why, sizeof why, "compiled code returned %d: %s (%lld, %lld)", code, host.text,
                 (long long)host.expected, (long long)host.got);
  if (code != 0 || host.n_live != 0) {
    fail_program(t, p->func, name, seed, level, why);
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
    fail_program(t, p->func, name, seed, level, why);
  }
  gen_tir_deinit(&copy);
}

/* LLVM is all that knows whether there is code for an instruction set that this machine lacks. */
static void programs_compile_for_avx512(void **state) {
  (void)state;
  for (int32_t level = 0; level <= 2 && getenv("TN_SEED") == NULL; level += 2) {
    cgt t;
    char name[16];
    gen_tir_program programs[BATCH];
    cgt_init(&t);
    for (uint64_t i = 0; i < BATCH; ++i) {
      (void)snprintf(name, sizeof name, "f%d", (int)i);
      gen_tir(t.ir, 2000000 + i, GEN_TIR_ALL, name, &programs[i]);
      tn_module_set(&t.module, name, programs[i].func);
    }
    expect_ok(cgx_lower(&t.module, level));
    cgt_compile(&t, "x86-64-v4", level);
    for (int32_t i = 0; i < BATCH; ++i) {
      gen_tir_deinit(&programs[i]);
    }
    cgt_deinit(&t);
  }
}

static void run_batch(uint64_t first, int32_t n, const char *target, int32_t level) {
  cgt t;
  tn_module source;
  gen_tir_program programs[BATCH];
  char names[BATCH][16];
  cgt_init(&t);
  tn_module_init(&source, t.ir, "Source");
  for (int32_t i = 0; i < n; ++i) {
    (void)snprintf(names[i], sizeof names[i], "f%d", i);
    gen_tir(t.ir, first + (uint64_t)i, GEN_TIR_ALL, names[i], &programs[i]);
    tn_module_set(&source, names[i], programs[i].func);
  }
  tn_module_deinit(&t.module);
  tn_module_init_copy(&t.module, &source);
  expect_ok(cgx_lower(&t.module, level));
  tn_buf object = TN_BUF_INIT;
  tn_codegen_opts opts = {.target = cgt_target(target), .opt_level = level, .is_strict_math = true};
  tn_status st = tn_llvm_emit(&t.module, &opts, TN_EMIT_OBJ, &object);
  expect_true(st == NULL, "seeds from %llu: %s", (unsigned long long)first, tn_status_message(st));
  expect_ok(tn_jit_new(object.data, object.len, &t.jit));
  tn_buf_deinit(&object);
  for (int32_t i = 0; i < n; ++i) {
    compare(&t, &source, &programs[i], names[i], first + (uint64_t)i, level);
    gen_tir_deinit(&programs[i]);
  }
  tn_module_deinit(&source);
  cgt_deinit(&t);
}

static int32_t n_batches(int32_t usual) {
  return getenv("TN_LONG") != NULL ? usual * LONG_FACTOR : usual;
}

static void random_programs_agree_with_the_interpreter(void **state) {
  (void)state;
  const char *seed = getenv("TN_SEED");
  if (seed != NULL) {
    uint64_t value = strtoull(seed, NULL, 10);
    run_batch(value, 1, "host", 0);
    run_batch(value, 1, "host", 2);
    return;
  }
  for (int32_t i = 0; i < n_batches(N_BATCHES); ++i) {
    const char *target = targets[i % 2];
    if (tn_target_runs_here(cgt_target(target))) {
      run_batch((uint64_t)i * BATCH + 1, BATCH, target, 0);
    }
  }
}

static void optimised_programs_agree_with_the_interpreter(void **state) {
  (void)state;
  for (int32_t i = 0; i < n_batches(N_OPTIMISED) && getenv("TN_SEED") == NULL; ++i) {
    run_batch(UINT64_C(1000000) + (uint64_t)i * BATCH, BATCH, "host", i % 2 == 0 ? 2 : 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_agree_with_the_interpreter),
      cmocka_unit_test(programs_compile_for_avx512),
      cmocka_unit_test(optimised_programs_agree_with_the_interpreter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
