/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* with: gen_tir.c gen_tir_expr.c gen_graph.c */
/* Modules made at random print and read back equal: loop functions that never were text, and graph
 * functions. TN_LONG=1 runs ten times as many; TN_SEED=n starts at another seed. */
#include "gen_graph.h"
#include "gen_tir.h"
#include "roundtrip.h"
#include "tn_test.h"

enum { N_MODULES = 150, LONG_FACTOR = 10 };

static uint64_t first_seed(void) {
  const char *text = getenv("TN_SEED");
  return text != NULL ? strtoull(text, NULL, 10) : 1;
}

static uint64_t end_seed(void) {
  return first_seed() + (uint64_t)(N_MODULES * (getenv("TN_LONG") != NULL ? LONG_FACTOR : 1));
}

static void check(uint64_t seed, const tn_module *module) {
  tn_buf problem = TN_BUF_INIT;
  if (!roundtrip_check("random", module, &problem)) {
    fprintf(stderr, "TN_SEED=%llu: %s\n", (unsigned long long)seed, tn_buf_text(&problem));
    fail();
  }
  tn_buf_deinit(&problem);
}

static void random_loop_functions_read_back_equal(void **state) {
  (void)state;
  for (uint64_t seed = first_seed(); seed < end_seed(); ++seed) {
    tn_ir *ir = tn_ir_new(0);
    tn_module module;
    tn_module_init(&module, ir, "Module");
    for (uint64_t i = 0; i <= seed % 3; ++i) {
      char name[16];
      gen_tir_program program;
      (void)snprintf(name, sizeof name, "f%d", (int)i);
      gen_tir(ir, seed * 3 + i, GEN_TIR_ALL, name, &program);
      tn_module_set(&module, tn_ir_text(ir, name), program.func);
      gen_tir_deinit(&program);
    }
    check(seed, &module);
    tn_module_deinit(&module);
    tn_ir_free(ir);
  }
}

static void random_graph_functions_read_back_equal(void **state) {
  (void)state;
  for (uint64_t seed = first_seed(); seed < end_seed(); ++seed) {
    tn_buf text = TN_BUF_INIT;
    tn_buf problem = TN_BUF_INIT;
    tn_ir *ir = tn_ir_new(0);
    tn_module module;
    tn_module_init(&module, ir, "Module");
    gen_graph_module(seed, 1 + (int32_t)(seed % 3), 5 + (int32_t)(seed % 20), &text);
    if (!roundtrip_read("random", tn_buf_text(&text), text.len, NULL, &module, &problem)) {
      fprintf(stderr, "TN_SEED=%llu: %s\n%s", (unsigned long long)seed, tn_buf_text(&problem),
              tn_buf_text(&text));
      fail();
    }
    check(seed, &module);
    tn_module_deinit(&module);
    tn_ir_free(ir);
    tn_buf_deinit(&problem);
    tn_buf_deinit(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_loop_functions_read_back_equal),
      cmocka_unit_test(random_graph_functions_read_back_equal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
