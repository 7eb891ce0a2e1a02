/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Every operator's examples as machine code: at -O0 what the loop interpreter says to the last bit,
 * at -O2 what the reference says. All examples are one module, which is compiled once a level. */
/* needs: codegen lower script ops */
#include "codegen_text.h"

#include "ops_example.h"

enum { MAX_CASES = 1024 };

typedef struct suite {
  cgx x;
  const tn_op_case *cases;
  uint32_t n;
  example *examples;
  tn_array (*wanted)[MAX_ITEMS]; /* what the reference gives */
  uint32_t *n_results;
} suite;

static void name_of(char *out, size_t size, uint32_t i) { (void)snprintf(out, size, "op%u", i); }

/* Adds example `i`: its loop function under a name of its own, and what it should give. */
static void add_example(suite *s, uint32_t i, tn_rng *rng) {
  char name[16];
  const tn_node *func = NULL;
  const tn_node *type = NULL;
  const tn_array *args[MAX_ITEMS];
  example *e = &s->examples[i];
  const tn_infer_ctx ctx = {.ir = s->x.t.ir};
  name_of(name, sizeof name, i);
  example_init(e, s->x.t.ir, &s->cases[i], rng);
  for (uint32_t a = 0; a < e->n_arrays; ++a) {
    args[a] = &e->arrays[a];
  }
  expect_ok(tn_graph_infer(&ctx, e->call, &type));
  s->n_results[i] = type->op == TN_OP_TY_TUPLE ? type->n_in : 1;
  expect_ok(tn_op_of(e->call)->eval(e->call, args, (int32_t)e->n_arrays, s->wanted[i]));
  expect_ok(tn_op_of(e->call)->lower(s->x.t.ir, e->call, &func));
  func = tn_node_new(s->x.t.ir, TN_OP_PRIM_FUNC, TN_DT_NONE,
                     (tn_attr){.text = tn_ir_text(s->x.t.ir, name)}, func->n_in, func->in);
  tn_module_set(&s->x.source, name, func);
}

static void suite_init(suite *s) {
  tn_rng rng = tn_rng_make(5);
  memset(s, 0, sizeof *s);
  s->cases = tn_op_cases(&s->n);
  assert_true(s->n <= MAX_CASES);
  s->examples = calloc(s->n, sizeof *s->examples);
  s->wanted = calloc(s->n, sizeof *s->wanted);
  s->n_results = calloc(s->n, sizeof *s->n_results);
  cgt_init(&s->x.t);
  tn_module_init(&s->x.source, s->x.t.ir, "Module");
  for (uint32_t i = 0; i < s->n; ++i) {
    add_example(s, i, &rng);
  }
}

static void suite_deinit(suite *s) {
  for (uint32_t i = 0; i < s->n; ++i) {
    for (uint32_t r = 0; r < s->n_results[i]; ++r) {
      tn_array_deinit(&s->wanted[i][r]);
    }
    example_deinit(&s->examples[i]);
  }
  free(s->examples);
  free(s->wanted);
  free(s->n_results);
  cgx_deinit(&s->x);
}

static void compile(suite *s, int32_t level) {
  tn_module_deinit(&s->x.t.module);
  tn_module_init_copy(&s->x.t.module, &s->x.source);
  expect_ok(cgx_lower(&s->x.t.module, level));
  cgt_compile(&s->x.t, "host", level);
}

/* Fresh results beside the tensors among the arguments; how many arguments there are. */
static int32_t fill_args(const suite *s, uint32_t i, tn_array *results, tn_tir_arg *args) {
  const example *e = &s->examples[i];
  int32_t n = 0;
  for (uint32_t a = 0; a < e->n_arrays; ++a) {
    if (!e->is_shape[a]) {
      args[n++] = (tn_tir_arg){.array = (tn_array *)(uintptr_t)&e->arrays[a]};
    }
  }
  for (uint32_t r = 0; r < s->n_results[i]; ++r) {
    const tn_array *want = &s->wanted[i][r];
    expect_ok(tn_array_init(&results[r], want->dtype, want->ndim, want->shape));
    memset(results[r].data, 0x5a, tn_array_n_bytes(&results[r]));
    args[n++] = (tn_tir_arg){.array = &results[r]};
  }
  return n;
}

static void run_code(suite *s, uint32_t i, tn_array *results) {
  char name[16];
  tn_tir_arg args[2 * MAX_ITEMS];
  cgt_host host;
  int32_t n = fill_args(s, i, results, args);
  name_of(name, sizeof name, i);
  cgt_host_init(&host);
  expect_true(cgt_run(&s->x.t, &host, name, args, n) == 0, "%s: %s", s->cases[i].op, host.text);
}

static bool same_bits(const tn_array *a, const tn_array *b) {
  bool is_same = true;
  for (int64_t i = 0; i < tn_array_n_elems(a) && is_same; ++i) {
    double x = tn_array_get_f64(a, i);
    double y = tn_array_get_f64(b, i);
    is_same = (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
  }
  return is_same;
}

static void every_example_is_the_interpreters_to_the_last_bit(void **state) {
  (void)state;
  suite s;
  suite_init(&s);
  compile(&s, 0);
  for (uint32_t i = 0; i < s.n; ++i) {
    char name[16];
    tn_array code[MAX_ITEMS];
    tn_array loops[MAX_ITEMS];
    tn_tir_arg args[2 * MAX_ITEMS];
    int32_t n = fill_args(&s, i, loops, args);
    name_of(name, sizeof name, i);
    expect_ok(tn_tir_interp(&s.x.source, name, args, n, NULL, NULL));
    run_code(&s, i, code);
    for (uint32_t r = 0; r < s.n_results[i]; ++r) {
      expect_true(same_bits(&loops[r], &code[r]), "%s(%s) %s: compiled and interpreted differ",
                  s.cases[i].op, s.cases[i].args, s.cases[i].fields);
      tn_array_deinit(&loops[r]);
      tn_array_deinit(&code[r]);
    }
  }
  suite_deinit(&s);
}

static void every_optimised_example_is_the_references(void **state) {
  (void)state;
  suite s;
  suite_init(&s);
  compile(&s, 2);
  for (uint32_t i = 0; i < s.n; ++i) {
    tn_array code[MAX_ITEMS];
    run_code(&s, i, code);
    for (uint32_t r = 0; r < s.n_results[i]; ++r) {
      expect_close(&s.wanted[i][r], &code[r], s.cases[i].op);
      tn_array_deinit(&code[r]);
    }
  }
  suite_deinit(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_is_the_interpreters_to_the_last_bit),
      cmocka_unit_test(every_optimised_example_is_the_references),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
