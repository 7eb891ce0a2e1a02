/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The hand-written tiles of examples/tiles, and whole products, three loops and the schedules of
 * bench/gemm: in the assembly every accumulator is a register and nothing goes through the stack,
 * and (where this machine can run them) the answers are right: for products, those of the three
 * loops in the interpreter. */
/* needs: script sched lower */
#include <math.h>

#include "codegen_text.h"

#include "base/file.h"
#include "script/sched_script.h"

typedef struct tile {
  const char *name;
  const char *target;
  const char *reg;       /* vector registers of full width */
  int32_t n_fma_in_loop; /* accumulators times steps of the innermost loop */
} tile;

static const tile tiles[] = {
    {"gemm_8x48", "x86-64-v4", "zmm", 24 * 4},
    {"gemm_6x16", "x86-64-v3", "ymm", 12 * 4},
    {"conv_2x7x2", "x86-64-v4", "zmm", 28 * 4},
    {"conv_1x6x2", "x86-64-v3", "ymm", 12 * 4},
};

static void read_tile(cgx *x, const tile *p) {
  char path[128];
  tn_buf text = TN_BUF_INIT;
  (void)snprintf(path, sizeof path, "examples/tiles/%s.py", p->name);
  expect_ok(tn_file_read(path, 1 << 20, &text));
  cgx_init_text(x, tn_buf_text(&text), path);
  expect_ok(cgx_lower(&x->t.module, 2));
  tn_buf_deinit(&text);
}

static int32_t count(const char *text, const char *what, const char *also) {
  int32_t n = 0;
  for (const char *line = text; *line != '\0';) {
    size_t len = strcspn(line, "\n");
    char copy[256] = "";
    memcpy(copy, line, len < sizeof copy - 1 ? len : sizeof copy - 1);
    n += strstr(copy, what) != NULL && strstr(copy, also) != NULL;
    line += len + (line[len] == '\n');
  }
  return n;
}

static void accumulators_stay_in_registers(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(tiles); ++i) {
    const tile *p = &tiles[i];
    cgx x;
    tn_buf text = TN_BUF_INIT;
    tn_codegen_opts opts = {.target = cgt_target(p->target), .opt_level = 2};
    read_tile(&x, p);
    expect_ok(tn_llvm_emit(&x.t.module, &opts, TN_EMIT_ASM, &text));
    int32_t n_fma = count(tn_buf_text(&text), "vfmadd", p->reg);
    int32_t n_spills =
        count(tn_buf_text(&text), p->reg, "rsp") + count(tn_buf_text(&text), p->reg, "rbp");
    expect_true(n_fma == p->n_fma_in_loop, "%s has %d multiply-adds of %s", p->name, n_fma, p->reg);
    expect_true(n_spills == 0, "%s goes through the stack %d times", p->name, n_spills);
    tn_buf_deinit(&text);
    cgx_deinit(&x);
  }
}

/* Contraction rounds less often than the interpreter, so the numbers may differ in their last bits.
 */
static void expect_near(const tn_array *got, const tn_array *want, const char *what) {
  for (int64_t i = 0; i < tn_array_n_elems(want); ++i) {
    double g = tn_array_get_f64(got, i);
    double w = tn_array_get_f64(want, i);
    expect_true(fabs(g - w) <= 1e-4 + 1e-5 * fabs(w), "%s: element %lld: %g for %g", what,
                (long long)i, g, w);
  }
}

static void tiles_compute_what_the_interpreter_does(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(tiles); ++i) {
    cgx x;
    read_tile(&x, &tiles[i]);
    cgt_compile(&x.t, "host", 0); /* any machine can run either width, and level 0 is exact */
    cgx_expect_agrees(&x, tiles[i].name, 1, tiles[i].name);
    if (tn_target_runs_here(cgt_target(tiles[i].target))) {
      tn_array arrays[2][CGX_MAX_ARGS];
      tn_tir_arg args[2][CGX_MAX_ARGS];
      cgt_host host;
      cgt_host_init(&host);
      cgt_compile(&x.t, tiles[i].target, 2);
      for (int32_t k = 0; k < 2; ++k) {
        tn_rng rng = tn_rng_make(i);
        (void)cgx_make_args(tn_module_find(&x.source, tiles[i].name), 1, &rng, arrays[k], args[k]);
      }
      assert_int_equal(cgt_run(&x.t, &host, tiles[i].name, args[0], 3), 0);
      expect_ok(tn_tir_interp(&x.source, tiles[i].name, args[1], 3, NULL, NULL));
      expect_near(&arrays[0][2], &arrays[1][2], tiles[i].name);
      cgx_free_args(arrays[0], args[0], 3);
      cgx_free_args(arrays[1], args[1], 3);
    }
    cgx_deinit(&x);
  }
}

/* ---- whole products ---- */

enum { MAX_DEFINES = 10 };

typedef struct product {
  const char *program;
  const char *steps;
  const char *target;
  const char *reg;
  const char *defines[MAX_DEFINES];
  int32_t n_defines;
  int32_t n_accumulators;
} product;

static const product products[] = {
    {"product",
     "cached",
     "x86-64-v3",
     "ymm",
     {"M=24", "N=64", "K=96", "MR=6", "NR=16", "V=8", "NC=32"},
     7,
     12},
    {"product",
     "cached",
     "x86-64-v3",
     "ymm",
     {"M=16", "N=96", "K=96", "MR=4", "NR=24", "V=8", "NC=48"},
     7,
     12},
    {"product",
     "cached",
     "x86-64-v4",
     "zmm",
     {"M=32", "N=192", "K=96", "MR=8", "NR=48", "V=16", "NC=96"},
     7,
     24},
    {"product",
     "cached",
     "x86-64-v4",
     "zmm",
     {"M=56", "N=128", "K=96", "MR=14", "NR=32", "V=16", "NC=64"},
     7,
     28},
    {"panels",
     "direct",
     "x86-64-v3",
     "ymm",
     {"M=24", "N=64", "K=96", "MR=6", "NR=16", "V=8", "NC=32"},
     7,
     12},
    {"panels",
     "direct",
     "x86-64-v4",
     "zmm",
     {"M=32", "N=192", "K=96", "MR=8", "NR=48", "V=16", "NC=96"},
     7,
     24},
    {"product",
     "packed",
     "x86-64-v3",
     "ymm",
     {"M=48", "N=64", "K=128", "MR=6", "NR=16", "V=8", "KC=64", "MC=24", "NC=32"},
     9,
     12},
    {"product",
     "packed",
     "x86-64-v4",
     "zmm",
     {"M=56", "N=128", "K=128", "MR=14", "NR=32", "V=16", "KC=64", "MC=28", "NC=64"},
     9,
     28},
    {"product",
     "cached", /* sizes that nothing divides */
     "x86-64-v3",
     "ymm",
     {"M=29", "N=43", "K=50", "MR=6", "NR=16", "V=8", "NC=32"},
     7,
     12},
    {"product",
     "packed",
     "x86-64-v3",
     "ymm",
     {"M=29", "N=43", "K=58", "MR=6", "NR=16", "V=8", "KC=16", "MC=12", "NC=32"},
     9,
     12},
    {"panels",
     "direct",
     "x86-64-v3",
     "ymm",
     {"M=29", "N=59", "K=50", "MR=4", "NR=24", "V=8", "NC=48"},
     7,
     12},
};

/* The steps of bench/gemm/NAME.py on `module`. Each value is one for the program or for them. */
static void do_steps(const product *p, const bool *by_program, tn_module *module) {
  char path[128];
  tn_buf text = TN_BUF_INIT;
  tn_diags diags = {0};
  bool by_steps[MAX_DEFINES] = {false};
  const tn_sched_script_opts opts = {
      .file_name = path, .defines = p->defines, .n_defines = p->n_defines, .out_used = by_steps};
  (void)snprintf(path, sizeof path, "bench/gemm/%s.py", p->steps);
  expect_ok(tn_file_read(path, 1 << 20, &text));
  tn_sched *sched = tn_sched_new(module, 0);
  tn_sched_script_run(tn_buf_text(&text), text.len, &opts, sched, &diags);
  expect_ok(tn_diags_to_status(&diags, module->ir));
  for (int32_t i = 0; i < p->n_defines; ++i) {
    expect_true(by_program[i] || by_steps[i], "%s: nobody asks for %s", path, p->defines[i]);
  }
  tn_module_deinit(module);
  tn_module_init_copy(module, tn_sched_module(sched));
  tn_sched_free(sched);
  tn_buf_deinit(&text);
}

/* x->source: the three loops; x->t.module: scheduled and lowered. */
static void read_product(cgx *x, const product *p) {
  char path[128];
  bool are_used[MAX_DEFINES] = {false};
  tn_buf text = TN_BUF_INIT;
  tn_script_opts opts = {
      .file_name = path, .defines = p->defines, .n_defines = p->n_defines, .out_used = are_used};
  tn_diags diags = {0};
  (void)snprintf(path, sizeof path, "bench/gemm/%s.py", p->program);
  expect_ok(tn_file_read(path, 1 << 20, &text));
  cgt_init(&x->t);
  tn_module_init(&x->source, x->t.ir, "Module");
  tn_script_parse(tn_buf_text(&text), text.len, &opts, &x->source, &diags);
  expect_ok(tn_diags_to_status(&diags, x->t.ir));
  tn_module_deinit(&x->t.module);
  tn_module_init_copy(&x->t.module, &x->source);
  do_steps(p, are_used, &x->t.module);
  expect_ok(cgx_lower(&x->t.module, 2));
  tn_buf_deinit(&text);
}

/* The most multiply-adds of a straight piece of code, and how often full registers go through the
 * stack in those that have n_bulk of them: the bulk, not the rests of sizes that do not divide. */
static void scan_pieces(const char *text, const char *reg, int32_t n_bulk, int32_t *out_n_fma,
                        int32_t *out_n_stack) {
  int32_t most = 0;
  int32_t n_stack = 0;
  while (*text != '\0') {
    const char *end = strstr(text, "\n.LBB");
    size_t len = end != NULL ? (size_t)(end + 1 - text) : strlen(text);
    tn_buf piece = TN_BUF_INIT;
    tn_buf_append(&piece, text, len);
    int32_t n_fma = count(tn_buf_text(&piece), "vfmadd", reg);
    if (n_fma >= n_bulk) {
      n_stack += count(tn_buf_text(&piece), reg, "rsp"); /* rbp is a register like others here */
    }
    most = n_fma > most ? n_fma : most;
    tn_buf_deinit(&piece);
    text += len;
  }
  *out_n_fma = most;
  *out_n_stack = n_stack;
}

static void products_keep_their_sums_in_registers(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(products); ++i) {
    const product *p = &products[i];
    cgx x;
    tn_buf text = TN_BUF_INIT;
    int32_t n_fma = 0;
    int32_t n_stack = 0;
    tn_codegen_opts opts = {.target = cgt_target(p->target), .opt_level = 2};
    read_product(&x, p);
    expect_ok(tn_llvm_emit(&x.t.module, &opts, TN_EMIT_ASM, &text));
    scan_pieces(tn_buf_text(&text), p->reg, p->n_accumulators, &n_fma, &n_stack);
    expect_true(n_fma == p->n_accumulators, "%s, row %zu: %d multiply-adds a step", p->steps, i,
                n_fma);
    expect_true(n_stack == 0, "%s, row %zu: %d times through the stack", p->steps, i, n_stack);
    bool is_copied = strcmp(p->steps, "direct") != 0; /* into memory of ours, which is aligned */
    expect_true(!is_copied || count(tn_buf_text(&text), "vmovaps", p->reg) > 0,
                "%s, row %zu: no aligned access", p->steps, i);
    tn_buf_deinit(&text);
    cgx_deinit(&x);
  }
}

static void products_compute_what_the_interpreter_does(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(products); ++i) {
    cgx x;
    read_product(&x, &products[i]);
    cgt_compile(&x.t, "host", 0);
    cgx_expect_agrees(&x, "main", 1, products[i].steps);
    cgx_deinit(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accumulators_stay_in_registers),
      cmocka_unit_test(tiles_compute_what_the_interpreter_does),
      cmocka_unit_test(products_keep_their_sums_in_registers),
      cmocka_unit_test(products_compute_what_the_interpreter_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
