/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script
 * Tensor expressions made of random calls, right and wrong ones. A builder refuses or makes a function;
 * a function that it makes is printed, read back to an equal one, and runs. */
#include "tn_test.h"

#include <stdlib.h>
#include <string.h>

#include "script/script.h"
#include "tir/te.h"

enum { N_STEPS = 24, N_SHORT = 4000, N_LONG = 400000, MAX_NODES = 128, MAX_PARAMS = 8 };

typedef struct gen {
  tn_te *te;
  tn_rng rng;
  const tn_node *values[MAX_NODES];
  const tn_node *tensors[MAX_NODES];
  uint32_t n_values;
  uint32_t n_tensors;
  bool is_open;
  bool does_reduce;
} gen;

static uint32_t below(gen *g, uint32_t n) { return (uint32_t)tn_rng_below(&g->rng, n); }

static void add_value(gen *g, const tn_node *value) {
  if (g->n_values < MAX_NODES) {
    g->values[g->n_values++] = value;
  }
}

static void add_tensor(gen *g, const tn_node *tensor) {
  if (g->n_tensors < MAX_NODES) {
    g->tensors[g->n_tensors++] = tensor;
  }
}

/* Now and then something that does not fit. */
static const tn_node *value(gen *g) {
  if (below(g, 300) == 0) {
    return g->n_tensors > 0 ? g->tensors[below(g, g->n_tensors)] : NULL;
  }
  return g->values[below(g, g->n_values)];
}

static void read_element(gen *g) {
  const tn_node *at[3];
  const tn_node *tensor = g->tensors[below(g, g->n_tensors)];
  uint32_t n = tn_is(tensor, TN_OP_BUFFER) ? tn_buffer_ndim(tensor) : 1;
  n = below(g, 200) == 0 ? below(g, 3) : n;
  for (uint32_t d = 0; d < n && d < 3; ++d) {
    at[d] = below(g, 8) == 0 ? value(g) : tn_te_int(g->te, below(g, 2));
    at[d] = g->is_open && below(g, 2) == 0 ? tn_te_axis(g->te, 0, NULL) : at[d];
  }
  add_value(g, tn_te_read(g->te, tensor, n, at));
}

static void begin(gen *g) {
  const tn_node *shape[2];
  uint32_t ndim = 1 + below(g, 2);
  for (uint32_t d = 0; d < ndim; ++d) {
    shape[d] = below(g, 100) == 0 ? value(g) : tn_te_int(g->te, 2 + below(g, 2));
  }
  g->n_values = 3; /* numbers stay good, axes do not */
  g->does_reduce = false;
  g->is_open = true;
  tn_te_begin(g->te, "T", ndim, shape);
  add_value(g, tn_te_axis(g->te, below(g, ndim), NULL));
  if (below(g, 3) == 0) {
    add_value(g, tn_te_reduce_axis(g->te, NULL, tn_te_int(g->te, 1 + below(g, 3))));
    g->does_reduce = true;
  }
}

static void finish(gen *g) {
  const tn_node *out[2];
  if (g->does_reduce ? below(g, 50) != 0 : below(g, 50) == 0) {
    add_tensor(g, tn_te_end_reduce(g->te, (tn_te_reduction)below(g, 4), value(g)));
  } else if (below(g, 4) == 0) {
    tn_te_end_many(g->te, 2, (const tn_node *[]){value(g), value(g)}, out);
    add_tensor(g, out[0]);
    add_tensor(g, out[1]);
  } else {
    add_tensor(g, tn_te_end(g->te, value(g)));
  }
  g->is_open = false;
}

static void compute(gen *g) {
  static const tn_op ops[] = {TN_OP_ADD, TN_OP_SUB, TN_OP_MUL, TN_OP_MIN, TN_OP_MAX,
                              TN_OP_ADD, TN_OP_LT,  TN_OP_MUL, TN_OP_SUB, TN_OP_FLOORDIV};
  static const tn_dtype dtypes[] = {TN_DT_F32, TN_DT_I32, TN_DT_I64, TN_DT_F64, TN_DT_BOOL};
  const tn_node *a = value(g);
  const tn_node *b = value(g);
  switch (below(g, 6)) {
    case 0:
      add_value(g, tn_te_cast(g->te, dtypes[below(g, 5)], a));
      break;
    case 1:
      add_value(g, tn_te_if_then_else(g->te, tn_te_lt(g->te, a, b), a, b));
      break;
    case 2:
      add_value(g, tn_te_call(g->te, "fabs", 1, &a));
      break;
    default:
      add_value(g, tn_te_op(g->te, ops[below(g, sizeof ops / sizeof ops[0])], a, b));
      break;
  }
}

static void step(gen *g) {
  if (!g->is_open) {
    begin(g);
  } else if (below(g, 5) == 0) {
    finish(g);
  } else if (below(g, 2) == 0) {
    read_element(g);
  } else {
    compute(g);
  }
}

static void reads_back(tn_ir *ir, const tn_module *module, uint64_t seed) {
  tn_buf text = TN_BUF_INIT;
  tn_buf where = TN_BUF_INIT;
  tn_diags diags = {0};
  tn_module read;
  tn_print_opts print_opts = {0};
  const tn_script_opts opts = {.file_name = "t.py"};
  tn_module_init(&read, ir, "Module");
  tn_script_print(module, &print_opts, &text);
  tn_script_parse(text.data, text.len, &opts, &read, &diags);
  expect_ok(tn_diags_to_status(&diags, ir));
  bool is_equal = tn_equal(tn_module_find(module, "f"), tn_module_find(&read, "f"), false, &where);
  expect_true(is_equal, "seed %llu: differs at %s\n%s", (unsigned long long)seed,
              tn_buf_text(&where), tn_buf_text(&text));
  tn_module_deinit(&read);
  tn_buf_deinit(&text);
  tn_buf_deinit(&where);
}

/* What it computes is anything, an index outside a buffer too; it ends. */
static void runs(const tn_module *module, const tn_node *func) {
  tn_array arrays[MAX_PARAMS] = {{0}};
  tn_tir_arg args[MAX_PARAMS] = {{0}};
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  const tn_tir_hooks hooks = {.max_steps = 10000};
  bool is_small = true;
  for (uint32_t i = 0; i < buffers->n_in && is_small; ++i) {
    const tn_node *shape = buffers->in[i]->in[TN_BUFFER_SHAPE];
    int64_t extents[2];
    for (uint32_t d = 0; d < shape->n_in; ++d) {
      extents[d] = tn_is(shape->in[d], TN_OP_INT) ? shape->in[d]->attr.i64 : INT64_MAX;
      is_small = is_small && extents[d] <= 8;
    }
    if (!is_small) {
      break;
    }
    expect_ok(tn_array_init(&arrays[i], buffers->in[i]->dtype, (int32_t)shape->n_in, extents));
    args[i].array = &arrays[i];
  }
  if (is_small) {
    tn_status_free(tn_tir_interp(module, "f", args, (int32_t)buffers->n_in, &hooks, NULL));
  }
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    tn_array_deinit(&arrays[i]);
  }
}

/* True when the builder made a function. */
static bool run_seed(uint64_t seed) {
  tn_ir *ir = tn_ir_new(0);
  gen g = {.te = tn_te_new(ir), .rng = tn_rng_make(seed)};
  const tn_node *params[MAX_PARAMS];
  const tn_node *func = NULL;
  const tn_node *two = tn_te_int(g.te, 2);
  add_tensor(&g, tn_te_placeholder(g.te, "A", TN_DT_F32, TN_TE_LIST(two, two)));
  add_tensor(&g, tn_te_placeholder(g.te, "I", TN_DT_I32, TN_TE_LIST(two)));
  add_value(&g, two);
  add_value(&g, tn_te_number(g.te, TN_DT_F32, 0.5));
  add_value(&g, tn_te_int(g.te, INT64_MAX));
  for (int i = 0; i < N_STEPS; ++i) {
    step(&g);
  }
  if (g.is_open && below(&g, 20) != 0) {
    finish(&g);
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < g.n_tensors && n < MAX_PARAMS; ++i) {
    if (i < 2 || i + 1 == g.n_tensors || below(&g, 3) == 0) {
      params[n++] = g.tensors[i];
    }
  }
  tn_status st = tn_te_prim_func(g.te, "f", true, n, params, &func);
  tn_te_free(g.te);
  if (st == NULL) {
    tn_module module;
    tn_module_init(&module, ir, "Module");
    tn_module_set(&module, "f", func);
    reads_back(ir, &module, seed);
    runs(&module, func);
    tn_module_deinit(&module);
  }
  bool is_made = st == NULL;
  expect_true(is_made || tn_status_code(st) != TN_INTERNAL, "%s", tn_status_message(st));
  tn_status_free(st);
  tn_ir_free(ir);
  return is_made;
}

static void random_calls_make_a_function_or_a_message(void **state) {
  (void)state;
  uint64_t n = getenv("TN_LONG") != NULL ? N_LONG : N_SHORT;
  uint64_t n_made = 0;
  for (uint64_t seed = 1; seed <= n; ++seed) {
    n_made += run_seed(seed) ? 1 : 0;
  }
  expect_true(n_made * 10 > n && n_made * 10 < n * 9, "%llu of %llu were made",
              (unsigned long long)n_made, (unsigned long long)n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_calls_make_a_function_or_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
