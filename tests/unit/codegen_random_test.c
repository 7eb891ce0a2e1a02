/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random programs, lowered and compiled, against the interpreter on the program as generated: bit
 * for bit. Each program runs at level 0 for one of two instruction sets; some also optimised, with
 * strict arithmetic. TN_LONG=1 runs many more; TN_SEED=n runs one program and prints it. */
/* needs: script lower */
/* with: gen_tir.c */
#include "codegen_text.h"
#include "gen_tir.h"

enum { BATCH = 20, N_BATCHES = 100, N_OPTIMISED = 8, LONG_FACTOR = 20 };

static const char *const targets[] = {"x86-64-v2", "x86-64-v3"};

static void print_program(const tn_node *func, const char *what) {
  tn_buf text = TN_BUF_INIT;
  tn_script_print_node(func, &text);
  fprintf(stderr, "# %s\n%s\n", what, tn_buf_text(&text)); /* longer than cmocka prints */
  tn_buf_deinit(&text);
}

static void fail_program(const cgt *t, const tn_node *source, const char *name, uint64_t seed,
                         const char *why) {
  print_program(source, name);
  print_program(tn_module_find(&t->module, name), "lowered");
  fail_msg("TN_SEED=%llu: %s", (unsigned long long)seed, why);
}

/* Interprets one copy of the arguments, runs compiled code over another. */
static void compare(cgt *t, const tn_module *source, gen_tir_program *p, const char *name,
                    uint64_t seed) {
  char why[640];
  gen_tir_program copy;
  int32_t arg = 0;
  cgt_host host;
  cgt_host_init(&host);
  gen_tir_copy_args(p, &copy);
  tn_status st = tn_tir_interp(source, name, p->args, p->n_args, NULL, NULL);
  (void)snprintf(why, sizeof why, "interpreter: %s", tn_status_message(st));
  if (st != NULL) {
    fail_program(t, p->func, name, seed, why);
  }
  int32_t code = cgt_run(t, &host, name, copy.args, copy.n_args);
  (void)snprintf(why, sizeof why, "compiled code returned %d: %s (%lld, %lld)", code, host.text,
                 (long long)host.expected, (long long)host.got);
  if (code != 0 || host.n_live != 0) {
    fail_program(t, p->func, name, seed, why);
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
    fail_program(t, p->func, name, seed, why);
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
    compare(&t, &source, &programs[i], names[i], first + (uint64_t)i);
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
