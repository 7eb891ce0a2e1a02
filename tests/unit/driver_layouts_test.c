/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random convolutional graphs with constant weights: with channels in blocks they compute what they
 * computed before, by the interpreter and as machine code, up to the order of sums. Channel counts
 * that divide and that do not, strides, padding, groups, depthwise, dilation, pooling, concatenation,
 * residuals and squeezes come in any order, so blocked and plain tensors meet everywhere. TN_LONG=1
 * runs many more; TN_SEED=n runs one graph and prints it. */
#include "tn_test.h"

#include <math.h>

#include "base/buf.h"
#include "base/rng.h"
#include "base/status.h"
#include "tenon/compiler.h"
#include "tenon/runtime.h"

enum { N_GRAPHS = 16, LONG_GRAPHS = 1500, MAX_VALUES = 40, MAX_WEIGHTS = 40, FEWEST_BLOCKED = 4 };

/* ---- the generator ---- */

typedef struct value {
  char name[12];
  int64_t c;
  int64_t h;
  int64_t w;
} value;

typedef struct gen {
  tn_rng rng;
  tn_buf body;
  value values[MAX_VALUES];
  int32_t n;
  int32_t n_weights;
  int64_t weights[MAX_WEIGHTS][4];
} gen;

static int64_t below(gen *g, int64_t n) { return (int64_t)tn_rng_below(&g->rng, (uint64_t)n); }

static const value *any(gen *g) {
  int32_t back = below(g, 4) > 0 ? 0 : (int32_t)below(g, g->n);
  return &g->values[g->n - 1 - back];
}

static void add(gen *g, int64_t c, int64_t h, int64_t w) {
  value *v = &g->values[g->n];
  *v = (value){.c = c, .h = h, .w = w};
  (void)snprintf(v->name, sizeof v->name, "v%d", g->n++);
  tn_buf_printf(&g->body, "            %s = ", v->name);
}

static int32_t weight(gen *g, int64_t o, int64_t i, int64_t kh, int64_t kw) {
  const int64_t shape[] = {o, i, kh, kw};
  memcpy(g->weights[g->n_weights], shape, sizeof shape);
  return g->n_weights++;
}

static void gen_conv(gen *g) {
  static const int64_t channels[] = {64, 64, 64, 64, 32, 32, 24, 16, 12, 5};
  const value x = *any(g);
  int64_t k = below(g, 3) > 0 ? 3 : 1 + below(g, 3);
  int64_t stride = 1 + (below(g, 4) == 0);
  int64_t dilation = 1 + (k == 3 && below(g, 6) == 0);
  int64_t span = (k - 1) * dilation;
  int64_t pad = below(g, 4) == 0 && x.h > span && x.w > span ? 0 : (span + 1) / 2;
  int64_t kind = below(g, 6); /* 0: depthwise, 1: in groups */
  int64_t groups = kind == 0 ? x.c : kind == 1 && x.c % 2 == 0 ? 2 : 1;
  int64_t o = kind == 0 ? x.c : channels[below(g, (int64_t)TN_N_ROWS(channels))];
  o = o % groups == 0 ? o : o * groups;
  if (g->n_weights == MAX_WEIGHTS || o > 64) {
    return;
  }
  int32_t at = weight(g, o, x.c / groups, k, k);
  add(g, o, (x.h + 2 * pad - span - 1) / stride + 1, (x.w + 2 * pad - span - 1) / stride + 1);
  tn_buf_printf(
      &g->body,
      "R.nn.conv2d(%s, w%d, strides=[%d, %d], padding=[%d, %d, %d, %d], dilation=[%d, %d], "
      "groups=%d)\n",
      x.name, at, (int)stride, (int)stride, (int)pad, (int)pad, (int)pad, (int)pad, (int)dilation,
      (int)dilation, (int)groups);
  if (below(g, 2) == 0 && g->n_weights < MAX_WEIGHTS) {
    const value y = g->values[g->n - 1];
    at = weight(g, 1, o, 1, 1);
    add(g, y.c, y.h, y.w);
    tn_buf_printf(&g->body, "R.add(%s, w%d)\n", y.name, at);
  }
}

static void gen_unary(gen *g) {
  static const char *const names[] = {"nn.relu", "sigmoid", "nn.silu"};
  const value x = *any(g);
  add(g, x.c, x.h, x.w);
  tn_buf_printf(&g->body, "R.%s(%s)\n", names[below(g, 3)], x.name);
}

static void gen_add(gen *g) {
  const value x = *any(g);
  for (int32_t i = g->n - 1; i >= 0; --i) {
    const value y = g->values[i];
    if (y.c == x.c && y.h == x.h && y.w == x.w && strcmp(x.name, y.name) != 0) {
      add(g, x.c, x.h, x.w);
      tn_buf_printf(&g->body, "R.%s(%s, %s)\n", below(g, 3) == 0 ? "multiply" : "add", x.name,
                    y.name);
      return;
    }
  }
  gen_unary(g);
}

static void gen_pool(gen *g) {
  const value x = *any(g);
  int64_t stride = 1 + below(g, 2);
  add(g, x.c, (x.h - 1) / stride + 1, (x.w - 1) / stride + 1);
  tn_buf_printf(&g->body,
                "R.nn.%s_pool2d(%s, pool_size=[3, 3], strides=[%d, %d], padding=[1, 1, 1, 1])\n",
                below(g, 2) == 0 ? "max" : "avg", x.name, (int)stride, (int)stride);
}

static void gen_concat(gen *g) {
  const value x = *any(g);
  for (int32_t i = g->n - 1; i >= 0; --i) {
    const value y = g->values[i];
    if (y.h == x.h && y.w == x.w && x.c + y.c <= 96) {
      add(g, x.c + y.c, x.h, x.w);
      tn_buf_printf(&g->body, "R.concat((%s, %s), axis=1)\n", x.name, y.name);
      return;
    }
  }
  gen_unary(g);
}

/* Channels scaled by their means: a tensor without a picture among others. */
static void gen_squeeze(gen *g) {
  const value x = *any(g);
  add(g, x.c, 1, 1);
  tn_buf_printf(&g->body, "R.mean(%s, axis=[2, 3], keepdims=True)\n", x.name);
  const value m = g->values[g->n - 1];
  add(g, x.c, x.h, x.w);
  tn_buf_printf(&g->body, "R.multiply(%s, %s)\n", x.name, m.name);
}

static void gen_body(gen *g) {
  static void (*const rows[])(gen * g) = {gen_conv, gen_conv, gen_conv, gen_unary,  gen_unary,
                                          gen_add,  gen_add,  gen_pool, gen_concat, gen_squeeze};
  int64_t n = 6 + below(g, 12);
  for (int64_t i = 0; i < n && g->n + 3 < MAX_VALUES; ++i) {
    rows[below(g, (int64_t)TN_N_ROWS(rows))](g);
  }
}

static void gen_graph(gen *g, uint64_t seed, tn_buf *out) {
  static const int64_t channels[] = {32, 64, 64, 3};
  *g = (gen){.body = TN_BUF_INIT};
  g->rng = tn_rng_make(seed);
  g->values[g->n++] = (value){"x", channels[below(g, 4)], 3 + below(g, 7), 2 + below(g, 9)};
  gen_conv(g);
  gen_body(g);
  const value x = g->values[0];
  tn_buf_printf(out,
                "@I.ir_module\nclass M:\n    @R.function\n    def main(x: R.Tensor((1, %d, %d, "
                "%d), dtype=\"float32\")",
                (int)x.c, (int)x.h, (int)x.w);
  for (int32_t i = 0; i < g->n_weights; ++i) {
    const int64_t *s = g->weights[i];
    tn_buf_printf(out, ", w%d: R.Tensor((%d, %d, %d, %d), dtype=\"float32\")", i, (int)s[0],
                  (int)s[1], (int)s[2], (int)s[3]);
  }
  tn_buf_printf(out,
                "):\n        with R.dataflow():\n%s            gv = (%s, %s)\n            "
                "R.output(gv)\n        return gv\n",
                tn_buf_text(&g->body), g->values[g->n - 1].name,
                g->values[1 + below(g, g->n - 1)].name);
  tn_buf_deinit(&g->body);
}

/* ---- runs ---- */

static tn_tensor *tensor(uint64_t seed, const int64_t *shape, double scale) {
  tn_rng rng = tn_rng_make(seed);
  tn_tensor *t = NULL;
  expect_ok(tn_tensor_create(TN_DT_F32, 4, shape, NULL, &t));
  int64_t n = shape[0] * shape[1] * shape[2] * shape[3];
  for (int64_t i = 0; i < n; ++i) {
    ((float *)tn_tensor_data(t))[i] =
        (float)(scale * ((double)(int64_t)tn_rng_below(&rng, 2001) / 1000 - 1));
  }
  return t;
}

static double distance(const tn_arg *a, const tn_arg *b) {
  const DLTensor *x = tn_arg_dl(a);
  const DLTensor *y = tn_arg_dl(b);
  double apart = 0;
  double size = 1e-30;
  int64_t n = 1;
  for (int32_t d = 0; d < 4; ++d) {
    n *= x != NULL && y != NULL && x->ndim == 4 && x->shape[d] == y->shape[d] ? x->shape[d] : 0;
  }
  assert_true(n > 0);
  const float *p = (const float *)(const void *)((const char *)x->data + x->byte_offset);
  const float *q = (const float *)(const void *)((const char *)y->data + y->byte_offset);
  for (int64_t i = 0; i < n; ++i) {
    apart += ((double)p[i] - q[i]) * ((double)p[i] - q[i]);
    size += (double)p[i] * p[i];
  }
  return sqrt(apart / size);
}

typedef struct run_ctx {
  uint64_t seed;
  const char *text;
  tn_runtime *rt;
  const tn_arg *x;
  tn_arg want;
} run_ctx;

static void check(const run_ctx *r, tn_status st, const tn_arg *got, const char *what) {
  double worst = 0;
  for (int32_t i = 0; st == NULL && i < 2; ++i) {
    double d = distance(tn_tuple_at(tn_arg_tuple(&r->want), i), tn_tuple_at(tn_arg_tuple(got), i));
    worst = d > worst ? d : worst;
  }
  if (st != NULL || !(worst < 1e-5)) {
    fprintf(stderr, "%sTN_SEED=%llu: %s: %s %g\n", getenv("TN_SEED") != NULL ? r->text : "",
            (unsigned long long)r->seed, what, st == NULL ? "" : tn_status_message(st), worst);
    fail();
  }
}

/* Whether anything was blocked. */
static bool check_pass(run_ctx *r, tn_program *program) {
  const tn_compile_opts opts = {.opt_level = 2, .target = "x86-64-v3", .does_verify_each = true};
  tn_arg got = tn_arg_none();
  char *text = NULL;
  expect_ok(tn_program_run_passes(program, "normalize,legalize_graph,fuse_ops,dead_code", &opts));
  expect_ok(tn_program_interpret(program, r->rt, "main", r->x, 1, NULL, &r->want));
  tn_status st = tn_program_run_passes(program, "choose_layouts,dead_code", &opts);
  st = st != NULL ? st : tn_program_interpret(program, r->rt, "main", r->x, 1, NULL, &got);
  check(r, st, &got, "choose_layouts");
  expect_ok(tn_program_print(program, &text));
  bool is_blocked = strstr(text, "_blocked") != NULL;
  free(text);
  tn_arg_release(&got);
  return is_blocked;
}

static void check_compiled(run_ctx *r, const tn_program *program) {
  const tn_compile_opts opts = {.opt_level = 2, .does_verify_each = true};
  tn_arg got = tn_arg_none();
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  check(r, tn_program_compile(program, &opts, &exec), &r->want, "not compiled");
  expect_ok(tn_vm_create(r->rt, exec, NULL, 0, &vm));
  check(r, tn_vm_call(vm, "main", r->x, 1, &got), &got, "compiled");
  tn_arg_release(&got);
  tn_vm_release(vm);
  tn_exec_release(exec);
}

static tn_program *program_of(const gen *g, const char *text, uint64_t seed) {
  tn_program *program = NULL;
  expect_ok(tn_program_parse(text, strlen(text), "random.py", &program));
  for (int32_t i = 0; i < g->n_weights; ++i) {
    char name[16];
    const int64_t *s = g->weights[i];
    tn_tensor *t = tensor(seed * 100 + (uint64_t)i, s, 2 / sqrt((double)(s[1] * s[2] * s[3])));
    (void)snprintf(name, sizeof name, "w%d", i);
    expect_ok(tn_program_bind(program, "main", name, t));
    tn_tensor_release(t);
  }
  return program;
}

static bool check_graph(tn_runtime *rt, uint64_t seed) {
  gen g;
  tn_buf text = TN_BUF_INIT;
  gen_graph(&g, seed, &text);
  const int64_t shape[] = {1, g.values[0].c, g.values[0].h, g.values[0].w};
  tn_arg x = tn_arg_of_tensor(tensor(seed, shape, 1));
  run_ctx r = {.seed = seed, .text = tn_buf_text(&text), .rt = rt, .x = &x};
  tn_program *program = program_of(&g, r.text, seed);
  tn_program *again = program_of(&g, r.text, seed);
  bool is_blocked = check_pass(&r, program);
  check_compiled(&r, again);
  tn_program_free(program);
  tn_program_free(again);
  tn_arg_release(&r.want);
  tn_arg_release(&x);
  tn_buf_deinit(&text);
  return is_blocked;
}

static void graphs_with_blocked_channels_compute_the_same(void **state) {
  (void)state;
  const char *text = getenv("TN_SEED");
  uint64_t first = text != NULL ? strtoull(text, NULL, 10) : 1;
  uint64_t n = text != NULL ? 1 : getenv("TN_LONG") != NULL ? LONG_GRAPHS : N_GRAPHS;
  uint64_t n_blocked = 0;
  tn_runtime *rt = NULL;
  expect_ok(tn_runtime_create(2, &rt));
  for (uint64_t seed = first; seed < first + n; ++seed) {
    n_blocked += check_graph(rt, seed) ? 1 : 0;
  }
  assert_true(text != NULL || n_blocked >= FEWEST_BLOCKED);
  tn_runtime_release(rt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graphs_with_blocked_channels_compute_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
