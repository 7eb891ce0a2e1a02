/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Every operator's examples as machine code: at -O0 what the loop interpreter says to the last bit,
 * at -O2 what the reference says. The same for variants of them: another element type, an extent of
 * 0, 1 or an odd one wherever one stood, NaN and infinities, as far as the type rule takes them. All
 * of a round are one module, which is compiled once a level. TN_LONG=1: many rounds; TN_SEED=n: that
 * one. */
/* needs: codegen lower script ops */
#include "codegen_text.h"

#include "ops_example.h"

enum { MAX_CASES = 1024, LONG_ROUNDS = 40, TEXT_BYTES = 128 };

typedef struct suite {
  cgx x;
  const tn_op_case *cases;
  uint32_t n;
  uint64_t wild_in; /* of so many floats one is NaN, an infinity or -0; 0: none */
  example *examples;
  tn_array (*wanted)[MAX_ITEMS]; /* what the reference gives */
  uint32_t *n_results;
} suite;

static void name_of(char *out, size_t size, uint32_t i) { (void)snprintf(out, size, "op%u", i); }

static void make_wild(tn_array *array, uint64_t wild_in, tn_rng *rng) {
  static const double wild[] = {NAN, INFINITY, -INFINITY, -0.0};
  for (int64_t i = 0; i < tn_array_n_elems(array) && tn_dtype_is_float(array->dtype); ++i) {
    if (tn_rng_below(rng, wild_in) == 0) {
      tn_array_set_f64(array, i, wild[tn_rng_below(rng, TN_N_ROWS(wild))]);
    }
  }
}

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
  /* Of a convolution the data alone: loops multiply the kernel with the zeros around it. */
  uint32_t n_wild = strncmp(s->cases[i].op, "nn.conv", 7) == 0 ? 1 : e->n_arrays;
  for (uint32_t a = 0; a < n_wild && s->wild_in > 0; ++a) {
    make_wild(&e->arrays[a], s->wild_in, rng);
  }
  expect_ok(tn_graph_infer(&ctx, e->call, &type));
  s->n_results[i] = type->op == TN_OP_TY_TUPLE ? type->n_in : 1;
  expect_ok(tn_op_of(e->call)->eval(e->call, args, (int32_t)e->n_arrays, s->wanted[i]));
  expect_ok(tn_op_of(e->call)->lower(s->x.t.ir, e->call, &func));
  func = tn_node_new(s->x.t.ir, TN_OP_PRIM_FUNC, TN_DT_NONE,
                     (tn_attr){.text = tn_ir_text(s->x.t.ir, name)}, func->n_in, func->in);
  tn_module_set(&s->x.source, name, func);
}

static void suite_init(suite *s, const tn_op_case *cases, uint32_t n, uint64_t wild_in) {
  tn_rng rng = tn_rng_make(5);
  memset(s, 0, sizeof *s);
  s->cases = cases;
  s->n = n;
  s->wild_in = wild_in;
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

static void expect_same_bits(suite *s) {
  uint32_t n_failed = 0;
  compile(s, 0);
  for (uint32_t i = 0; i < s->n; ++i) {
    char name[16];
    tn_array code[MAX_ITEMS];
    tn_array loops[MAX_ITEMS];
    tn_tir_arg args[2 * MAX_ITEMS];
    int32_t n = fill_args(s, i, loops, args);
    name_of(name, sizeof name, i);
    tn_status st = tn_tir_interp(&s->x.source, name, args, n, NULL, NULL);
    expect_true(st == NULL, "%s(%s) %s: %s", s->cases[i].op, s->cases[i].args, s->cases[i].fields,
                tn_status_message(st));
    run_code(s, i, code);
    for (uint32_t r = 0; r < s->n_results[i]; ++r) {
      if (!same_bits(&loops[r], &code[r])) {
        print_error("%s(%s) %s: compiled and interpreted differ\n", s->cases[i].op,
                    s->cases[i].args, s->cases[i].fields);
        ++n_failed;
      }
      tn_array_deinit(&loops[r]);
      tn_array_deinit(&code[r]);
    }
  }
  assert_int_equal(n_failed, 0);
}

static void expect_the_reference(suite *s) {
  uint32_t n_failed = 0;
  compile(s, 2);
  for (uint32_t i = 0; i < s->n; ++i) {
    char what[3 * TEXT_BYTES];
    tn_array code[MAX_ITEMS];
    (void)snprintf(what, sizeof what, "%s(%s) %s", s->cases[i].op, s->cases[i].args,
                   s->cases[i].fields);
    run_code(s, i, code);
    for (uint32_t r = 0; r < s->n_results[i]; ++r) {
      n_failed += is_close(&s->wanted[i][r], &code[r], what) ? 0 : 1;
      tn_array_deinit(&code[r]);
    }
  }
  assert_int_equal(n_failed, 0);
}

static void every_example_is_the_interpreters_to_the_last_bit(void **state) {
  (void)state;
  suite s;
  uint32_t n = 0;
  const tn_op_case *cases = tn_op_cases(&n);
  suite_init(&s, cases, n, 0);
  expect_same_bits(&s);
  suite_deinit(&s);
}

static void every_optimised_example_is_the_references(void **state) {
  (void)state;
  suite s;
  uint32_t n = 0;
  const tn_op_case *cases = tn_op_cases(&n);
  suite_init(&s, cases, n, 0);
  expect_the_reference(&s);
  suite_deinit(&s);
}

/* Long enough that schedules change the order of the elements. */
static void nan_comes_out_of_every_maximum_wherever_it_stands(void **state) {
  (void)state;
  static const tn_op_case cases[] = {
      {"max", "f32[19,70]", "axis=[1]", ""},
      {"max", "f32[70,19]", "axis=[0]", ""},
      {"max", "f32[3,40,3]", "", ""},
      {"min", "f64[19,70]", "axis=[1]", ""},
      {"min", "f16[19,70]", "axis=[1]", ""},
      {"max", "bf16[19,70]", "axis=[1]", ""},
      {"max", "f32[11,9,8]", "axis=[0,2]", ""},
      {"argmax", "f32[19,70]", "axis=1", ""},
      {"argmin", "f32[70,19]", "axis=0", ""},
      {"argmax", "f32[90]", "", ""},
      {"maximum", "f32[19,70] f32[19,1]", "", ""},
      {"minimum", "f32[70] f32[19,70]", "", ""},
      {"clip", "f32[300]", "min=-0.5 max=0.25", ""},
      {"nn.relu", "f32[300]", "", ""},
      {"nn.relu6", "f16[300]", "", ""},
      {"nn.hardsigmoid", "f32[300]", "", ""},
      {"nn.max_pool2d", "f32[1,3,19,20]", "pool_size=3 strides=2 padding=1", ""},
      {"nn.max_pool2d", "f32[1,9,9,17]", "pool_size=[2,3] layout=NHWC out_layout=NHWC", ""},
      {"nn.max_pool1d", "f64[2,3,84]", "pool_size=12 strides=12", ""},
      {"nn.max_pool_places", "f32[1,2,70]", "pool_size=[4] strides=[2] padding=[1] dilation=[1]",
       ""},
      {"nn.softmax", "f32[19,70]", "", ""},
      {"nn.log_softmax", "f32[19,70]", "", ""},
  };
  suite s;
  suite_init(&s, cases, TN_N_ROWS(cases), 80);
  expect_same_bits(&s);
  expect_the_reference(&s);
  suite_deinit(&s);
}

/* ---- variants ---- */

/* `args` with another extent wherever `from` stands. */
static void change_extent(char *out, const char *args, int64_t from, int64_t to) {
  size_t n = 0;
  for (const char *at = args; *at != '\0';) {
    bool begins = at > args && (at[-1] == '[' || at[-1] == ',');
    char *end = NULL;
    int64_t value = begins && *at != ']' ? strtoll(at, &end, 10) : 0;
    if (begins && end != NULL && end != at) {
      n += (size_t)snprintf(out + n, TEXT_BYTES - n, "%lld",
                            (long long)(value == from ? to : value));
      at = end;
    } else {
      out[n++] = *at++;
    }
    assert_true(n + 24 < TEXT_BYTES);
  }
  out[n] = '\0';
}

/* `text` with another element type wherever `from` stands. */
static void change_type(char *out, const char *text, const char *from, const char *to) {
  size_t n = 0;
  while (*text != '\0') {
    bool is_there = strncmp(text, from, strlen(from)) == 0;
    n += (size_t)snprintf(out + n, TEXT_BYTES - n, "%.*s", is_there ? TEXT_BYTES : 1,
                          is_there ? to : text);
    text += is_there ? strlen(from) : 1;
    assert_true(n + 24 < TEXT_BYTES);
  }
  out[n] = '\0';
}

typedef struct variant {
  char args[TEXT_BYTES];
  char fields[TEXT_BYTES];
} variant;

static int64_t some_extent(const char *args, tn_rng *rng) {
  int64_t found[32];
  uint64_t n = 0;
  for (const char *at = strchr(args, '['); at != NULL && n < TN_N_ROWS(found);
       at = strpbrk(at + 1, "[,")) {
    char *end = NULL;
    int64_t value = strtoll(at + 1, &end, 10);
    if (end != at + 1) {
      found[n++] = value;
    }
  }
  return n == 0 ? -1 : found[tn_rng_below(rng, n)];
}

static void make_variant(variant *v, const tn_op_case *c, tn_rng *rng) {
  static const int64_t extents[] = {0, 1, 2, 5, 7, 13};
  static const char *const types[] = {"f16", "f32", "f64", "bf16", "i8",  "i16", "i32",
                                      "i64", "u8",  "u16", "u32",  "u64", "bool"};
  char args[TEXT_BYTES];
  const char *from = c->args + strspn(c->args, "( ");
  char type[8] = "";
  (void)snprintf(args, sizeof args, "%s", c->args);
  (void)snprintf(v->fields, sizeof v->fields, "%s", c->fields);
  (void)snprintf(type, sizeof type, "%.*s", (int)strcspn(from, "["), from);
  if (tn_rng_below(rng, 3) != 0) {
    int64_t old = some_extent(args, rng);
    change_extent(v->args, args, old, extents[tn_rng_below(rng, TN_N_ROWS(extents))]);
    (void)snprintf(args, sizeof args, "%s", v->args);
  }
  const char *to = types[tn_rng_below(rng, TN_N_ROWS(types))];
  bool turns = *type != '\0' && strcmp(type, "shape") != 0 && tn_rng_below(rng, 3) != 0;
  change_type(v->args, args, turns ? type : "#", to);
}

/* The type rule takes it, and its reference computes it. */
static bool is_sound(const tn_op_case *c) {
  tn_rng rng = tn_rng_make(5);
  example x;
  const tn_node *type = NULL;
  const tn_node *func = NULL;
  const tn_array *args[MAX_ITEMS];
  tn_array wanted[MAX_ITEMS] = {0};
  example_init(&x, tn_ir_new(0), c, &rng);
  const tn_infer_ctx ctx = {.ir = x.ir};
  for (uint32_t a = 0; a < x.n_arrays; ++a) {
    args[a] = &x.arrays[a];
  }
  tn_status st = tn_graph_infer(&ctx, x.call, &type);
  st = st != NULL ? st : tn_op_of(x.call)->eval(x.call, args, (int32_t)x.n_arrays, wanted);
  st = st != NULL ? st : tn_op_of(x.call)->lower(x.ir, x.call, &func);
  bool is_ok = st == NULL;
  for (uint32_t r = 0; r < MAX_ITEMS; ++r) {
    tn_array_deinit(&wanted[r]);
  }
  tn_status_free(st);
  example_deinit(&x);
  tn_ir_free(x.ir);
  return is_ok;
}

static void run_round(uint64_t seed) {
  suite s;
  uint32_t n_cases = 0;
  uint32_t n = 0;
  tn_rng rng = tn_rng_make(seed);
  const tn_op_case *cases = tn_op_cases(&n_cases);
  variant *variants = calloc(n_cases, sizeof *variants);
  tn_op_case *all = calloc(n_cases, sizeof *all);
  for (uint32_t i = 0; i < n_cases; ++i) {
    for (int32_t k = 0; k < 4; ++k) { /* some are wrong */
      make_variant(&variants[n], &cases[i], &rng);
      all[n] =
          (tn_op_case){.op = cases[i].op, .args = variants[n].args, .fields = variants[n].fields};
      if (is_sound(&all[n])) {
        n++;
        break;
      }
    }
  }
  print_message("round %llu: %u variants\n", (unsigned long long)seed, n);
  suite_init(&s, all, n, seed % 2 == 0 ? 5 : 0);
  expect_same_bits(&s);
  expect_the_reference(&s);
  suite_deinit(&s);
  free(variants);
  free(all);
}

static void variants_of_the_examples_agree_too(void **state) {
  (void)state;
  const char *text = getenv("TN_SEED");
  uint64_t first = text != NULL ? strtoull(text, NULL, 10) : 1;
  uint64_t n = text != NULL ? 1 : getenv("TN_LONG") != NULL ? LONG_ROUNDS : 1;
  for (uint64_t k = first; k < first + n; ++k) {
    run_round(k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_is_the_interpreters_to_the_last_bit),
      cmocka_unit_test(every_optimised_example_is_the_references),
      cmocka_unit_test(nan_comes_out_of_every_maximum_wherever_it_stands),
      cmocka_unit_test(variants_of_the_examples_agree_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
