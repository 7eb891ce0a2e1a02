/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random graphs of operators: fused, planned and written over in place, they compute what they
 * computed before, bit for bit: the interpreter after each of the passes, and compiled code at each
 * level with strict arithmetic. Sizes are numbers or one symbol. TN_LONG=1 runs many more; TN_SEED=n
 * runs one graph and prints it. */
#include "tn_test.h"

#include "base/buf.h"
#include "base/rng.h"
#include "base/status.h"
#include "tenon/compiler.h"
#include "tenon/runtime.h"

enum { N_GRAPHS = 40, LONG_GRAPHS = 4000, MAX_VALUES = 64, N_PARAMS = 4, SYMBOL = -1, AT_RUN = 3 };

/* ---- the generator ---- */

typedef struct value {
  char name[12];
  int32_t ndim;
  int32_t dims[4]; /* SYMBOL: n */
} value;

typedef struct gen {
  tn_rng rng;
  tn_buf *out;
  value values[MAX_VALUES];
  int32_t n;
} gen;

static int32_t below(gen *g, int32_t n) { return (int32_t)tn_rng_below(&g->rng, (uint64_t)n); }

static void put_dims(gen *g, const value *v) {
  for (int32_t d = 0; d < v->ndim; ++d) {
    tn_buf_puts(g->out, d == 0 ? "" : ", ");
    if (v->dims[d] == SYMBOL) {
      tn_buf_puts(g->out, "n");
    } else {
      tn_buf_printf(g->out, "%d", v->dims[d]);
    }
  }
}

/* A recent value more often than an old one: chains grow. */
static const value *any(gen *g) {
  int32_t back = below(g, 3) > 0 ? below(g, g->n < 3 ? g->n : 3) : below(g, g->n);
  return &g->values[g->n - 1 - back];
}

static value *add(gen *g, const value *like) {
  value *v = &g->values[g->n];
  *v = *like;
  (void)snprintf(v->name, sizeof v->name, "v%d", g->n++);
  tn_buf_printf(g->out, "            %s = ", v->name);
  return v;
}

static void gen_unary(gen *g) {
  static const char *const names[] = {"nn.relu", "exp", "sigmoid", "negative",
                                      "tanh",    "abs", "square",  "nn.gelu"};
  const value *x = any(g);
  (void)add(g, x);
  tn_buf_printf(g->out, "R.%s(%s)\n", names[below(g, 8)], x->name);
}

static bool broadcasts(const value *a, const value *b, value *out) {
  *out = a->ndim >= b->ndim ? *a : *b;
  for (int32_t i = 1; i <= out->ndim; ++i) {
    int32_t x = i <= a->ndim ? a->dims[a->ndim - i] : 1;
    int32_t y = i <= b->ndim ? b->dims[b->ndim - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return false;
    }
    out->dims[out->ndim - i] = x == 1 ? y : x;
  }
  return true;
}

static void gen_binary(gen *g) {
  static const char *const names[] = {"add", "multiply", "subtract", "maximum", "minimum"};
  value out;
  for (int32_t tries = 0; tries < 8; ++tries) {
    const value *a = any(g);
    const value *b = &g->values[below(g, g->n)];
    if (broadcasts(a, b, &out)) {
      (void)add(g, &out);
      tn_buf_printf(g->out, "R.%s(%s, %s)\n", names[below(g, 5)], a->name, b->name);
      return;
    }
  }
  gen_unary(g);
}

static void gen_transpose(gen *g) {
  const value *x = any(g);
  int32_t axes[4];
  for (int32_t d = 0; d < x->ndim; ++d) {
    int32_t at = below(g, d + 1);
    axes[d] = axes[at];
    axes[at] = d;
  }
  value out = *x;
  for (int32_t d = 0; d < x->ndim; ++d) {
    out.dims[d] = x->dims[axes[d]];
  }
  (void)add(g, &out);
  tn_buf_printf(g->out, "R.permute_dims(%s, axes=[", x->name);
  for (int32_t d = 0; d < x->ndim; ++d) {
    tn_buf_printf(g->out, "%s%d", d == 0 ? "" : ", ", axes[d]);
  }
  tn_buf_puts(g->out, "])\n");
}

/* Two dimensions become one, one of extent 1 comes or goes. */
static void gen_reshape(gen *g) {
  const value *x = any(g);
  value out = *x;
  int32_t at = below(g, x->ndim);
  bool can_merge = at + 1 < x->ndim && x->dims[at] != SYMBOL && x->dims[at + 1] != SYMBOL;
  if (x->ndim < 4 && (!can_merge || below(g, 2) == 0)) {
    memmove(&out.dims[at + 1], &out.dims[at], (size_t)(x->ndim - at) * sizeof *out.dims);
    out.dims[at] = 1;
    ++out.ndim;
  } else if (can_merge) {
    out.dims[at] *= out.dims[at + 1];
    for (int32_t d = at + 1; d + 1 < x->ndim; ++d) {
      out.dims[d] = out.dims[d + 1];
    }
    --out.ndim;
  } else {
    gen_unary(g);
    return;
  }
  const value *to = add(g, &out);
  tn_buf_printf(g->out, "R.reshape(%s, R.shape([", x->name);
  put_dims(g, to);
  tn_buf_puts(g->out, "]))\n");
}

static void gen_reduce(gen *g) {
  static const char *const names[] = {"sum", "max", "mean", "min"};
  const value *x = any(g);
  value out = *x;
  int32_t axis = below(g, x->ndim);
  bool keeps = x->ndim == 1 || below(g, 3) > 0;
  out.dims[axis] = 1;
  for (int32_t d = axis; !keeps && d + 1 < x->ndim; ++d) {
    out.dims[d] = x->dims[d + 1];
  }
  out.ndim -= !keeps;
  (void)add(g, &out);
  tn_buf_printf(g->out, "R.%s(%s, axis=[%d], keepdims=%s)\n", names[below(g, 4)], x->name, axis,
                keeps ? "True" : "False");
}

static void gen_normal(gen *g) {
  const value *x = any(g);
  (void)add(g, x);
  if (below(g, 2) == 0) {
    tn_buf_printf(g->out, "R.nn.softmax(%s, axis=-1)\n", x->name);
  } else {
    tn_buf_printf(g->out, "R.cumsum(%s, axis=%d)\n", x->name, below(g, x->ndim));
  }
}

/* x times itself, turned: any matrix will do. */
static void gen_matmul(gen *g) {
  for (int32_t tries = 0; tries < 8; ++tries) {
    const value *a = any(g);
    const value *b = &g->values[below(g, g->n)];
    if (a->ndim == 2 && b->ndim == 2 && a->dims[1] == b->dims[0]) {
      const value out = {.ndim = 2, .dims = {a->dims[0], b->dims[1]}};
      (void)add(g, &out);
      tn_buf_printf(g->out, "R.matmul(%s, %s)\n", a->name, b->name);
      return;
    }
  }
  gen_binary(g);
}

static void gen_concat(gen *g) {
  const value *x = any(g);
  int32_t axis = below(g, x->ndim);
  value out = *x;
  if (x->dims[axis] == SYMBOL || x->dims[axis] > 6) {
    gen_unary(g);
    return;
  }
  out.dims[axis] *= 2;
  (void)add(g, &out);
  tn_buf_printf(g->out, "R.concat((%s, %s), axis=%d)\n", x->name, x->name, axis);
}

static void gen_split(gen *g) {
  const value *x = any(g);
  int32_t axis = below(g, x->ndim);
  if (x->dims[axis] == SYMBOL || x->dims[axis] % 2 != 0) {
    gen_reduce(g);
    return;
  }
  value half = *x;
  half.dims[axis] /= 2;
  tn_buf_printf(g->out, "            s%d = R.split(%s, 2, axis=%d)\n", g->n, x->name, axis);
  int32_t from = g->n;
  (void)add(g, &half);
  tn_buf_printf(g->out, "s%d[%d]\n", from, below(g, 2));
}

static void gen_stmt(gen *g) {
  static void (*const rows[])(gen *) = {
      gen_unary,   gen_unary,  gen_unary,  gen_binary, gen_binary, gen_binary, gen_transpose,
      gen_reshape, gen_reduce, gen_reduce, gen_normal, gen_matmul, gen_concat, gen_split};
  rows[below(g, (int32_t)TN_N_ROWS(rows))](g);
}

static void gen_graph(uint64_t seed, tn_buf *out) {
  gen g = {.out = out};
  g.rng = tn_rng_make(seed);
  int32_t n_stmts = 4 + below(&g, 24);
  static const value shapes[N_PARAMS] = {
      {"x", 2, {4, 4}}, {"y", 3, {2, 3, 4}}, {"z", 2, {SYMBOL, 4}}, {"w", 1, {4}}};
  tn_buf_puts(out, "@I.ir_module\nclass M:\n    @R.function\n    def main(");
  for (int32_t i = 0; i < N_PARAMS; ++i) {
    const value *p = &shapes[i];
    g.values[g.n++] = *p;
    tn_buf_printf(out, "%s%s: R.Tensor((", i == 0 ? "" : ", ", p->name);
    for (int32_t d = 0; d < p->ndim; ++d) {
      if (p->dims[d] == SYMBOL) {
        tn_buf_puts(out, "\"n\",");
      } else {
        tn_buf_printf(out, "%d,", p->dims[d]);
      }
    }
    tn_buf_puts(out, "), dtype=\"float32\")");
  }
  tn_buf_puts(out, "):\n        n = T.int64()\n        with R.dataflow():\n");
  for (int32_t i = 0; i < n_stmts; ++i) {
    gen_stmt(&g);
  }
  const value *more = &g.values[below(&g, g.n)];
  tn_buf_printf(out, "            gv = (%s, %s)\n            R.output(gv)\n        return gv\n",
                g.values[g.n - 1].name, more->name);
}

/* ---- runs ---- */

static tn_arg tensor(uint64_t seed, int32_t ndim, const int64_t *shape) {
  tn_rng rng = tn_rng_make(seed);
  tn_tensor *t = NULL;
  int64_t n = 1;
  expect_ok(tn_tensor_create(TN_DT_F32, ndim, shape, NULL, &t));
  for (int32_t d = 0; d < ndim; ++d) {
    n *= shape[d];
  }
  for (int64_t i = 0; i < n; ++i) {
    ((float *)tn_tensor_data(t))[i] = (float)(int64_t)tn_rng_below(&rng, 41) / 16 - 1.25f;
  }
  return tn_arg_of_tensor(t);
}

static void make_args(uint64_t seed, tn_arg *args) {
  args[0] = tensor(seed, 2, (int64_t[]){4, 4});
  args[1] = tensor(seed + 1, 3, (int64_t[]){2, 3, 4});
  args[2] = tensor(seed + 2, 2, (int64_t[]){AT_RUN, 4});
  args[3] = tensor(seed + 3, 1, (int64_t[]){4});
}

static bool same_item(const tn_arg *a, const tn_arg *b) {
  const DLTensor *x = tn_arg_dl(a);
  const DLTensor *y = tn_arg_dl(b);
  int64_t n = 1;
  bool is_same = x != NULL && y != NULL && x->ndim == y->ndim;
  for (int32_t d = 0; is_same && d < x->ndim; ++d) {
    is_same = x->shape[d] == y->shape[d];
    n *= x->shape[d];
  }
  const char *p = is_same ? (const char *)x->data + x->byte_offset : NULL;
  const char *q = is_same ? (const char *)y->data + y->byte_offset : NULL;
  for (int64_t i = 0; is_same && i < n; ++i) {
    float u;
    float v;
    memcpy(&u, p + 4 * i, 4);
    memcpy(&v, q + 4 * i, 4);
    is_same = (u != u && v != v) || memcmp(&u, &v, 4) == 0;
  }
  return is_same;
}

static bool same(const tn_arg *a, const tn_arg *b) {
  const tn_tuple *x = tn_arg_tuple(a);
  const tn_tuple *y = tn_arg_tuple(b);
  return x != NULL && y != NULL && same_item(tn_tuple_at(x, 0), tn_tuple_at(y, 0)) &&
         same_item(tn_tuple_at(x, 1), tn_tuple_at(y, 1));
}

static void fail_graph(uint64_t seed, const char *text, const char *what, tn_status st) {
  fprintf(stderr, "%sTN_SEED=%llu: %s%s%s\n", getenv("TN_SEED") != NULL ? text : "",
          (unsigned long long)seed, what, st == NULL ? "" : ": ",
          st == NULL ? "" : tn_status_message(st));
  fail();
}

typedef struct run_ctx {
  uint64_t seed;
  const char *text;
  tn_runtime *rt;
  const tn_arg *args;
  tn_arg want;
} run_ctx;

static void interpret(const run_ctx *r, const tn_program *program, const char *what, tn_arg *out) {
  tn_status st = tn_program_interpret(program, r->rt, "main", r->args, N_PARAMS, NULL, out);
  if (st != NULL) {
    fail_graph(r->seed, r->text, what, st);
  }
}

/* The passes one by one, each checked by the verifier. */
static void check_passes(run_ctx *r) {
  static const char *const steps[] = {"normalize,legalize_graph",
                                      "annotate_patterns",
                                      "view_reshapes",
                                      "fuse_ops",
                                      "dead_code",
                                      "to_nondataflow,lower_call_tir",
                                      "reuse_inputs",
                                      "plan_memory"};
  tn_program *program = NULL;
  const tn_compile_opts opts = {.opt_level = 2, .does_verify_each = true};
  expect_ok(tn_program_parse(r->text, strlen(r->text), "random.py", &program));
  for (size_t i = 0; i < TN_N_ROWS(steps); ++i) {
    tn_arg got = tn_arg_none();
    tn_status st = tn_program_run_passes(program, steps[i], &opts);
    if (st != NULL) {
      fail_graph(r->seed, r->text, steps[i], st);
    }
    interpret(r, program, steps[i], i == 0 ? &r->want : &got);
    if (i > 0 && !same(&r->want, &got)) {
      fail_graph(r->seed, r->text, steps[i], NULL);
    }
    tn_arg_release(&got);
  }
  tn_program_free(program);
}

/* Twice on one machine: the second call finds the memory of the first. */
static void check_compiled(run_ctx *r, int32_t level) {
  const tn_compile_opts opts = {
      .opt_level = level, .is_strict_math = true, .does_verify_each = true};
  tn_program *program = NULL;
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  expect_ok(tn_program_parse(r->text, strlen(r->text), "random.py", &program));
  tn_status st = tn_program_compile(program, &opts, &exec);
  if (st != NULL) {
    fail_graph(r->seed, r->text, "not compiled", st);
  }
  expect_ok(tn_vm_create(r->rt, exec, NULL, 0, &vm));
  for (int32_t i = 0; i < 2; ++i) {
    tn_arg got = tn_arg_none();
    st = tn_vm_call(vm, "main", r->args, N_PARAMS, &got);
    if (st != NULL || !same(&r->want, &got)) {
      fail_graph(r->seed, r->text, level == 1 ? "level 1" : "level 2", st);
    }
    tn_arg_release(&got);
  }
  tn_vm_release(vm);
  tn_exec_release(exec);
  tn_program_free(program);
}

static void fused_graphs_compute_the_same(void **state) {
  (void)state;
  const char *text = getenv("TN_SEED");
  uint64_t first = text != NULL ? strtoull(text, NULL, 10) : 1;
  uint64_t n = text != NULL ? 1 : getenv("TN_LONG") != NULL ? LONG_GRAPHS : N_GRAPHS;
  tn_runtime *rt = NULL;
  expect_ok(tn_runtime_create(1, &rt));
  for (uint64_t seed = first; seed < first + n; ++seed) {
    tn_buf graph = TN_BUF_INIT;
    tn_arg args[N_PARAMS];
    gen_graph(seed, &graph);
    make_args(seed, args);
    run_ctx r = {.seed = seed, .text = tn_buf_text(&graph), .rt = rt, .args = args};
    check_passes(&r);
    if (seed % 4 == 0 || text != NULL) {
      check_compiled(&r, 1);
      check_compiled(&r, 2);
    }
    tn_arg_release(&r.want);
    for (int32_t i = 0; i < N_PARAMS; ++i) {
      tn_arg_release(&args[i]);
    }
    tn_buf_deinit(&graph);
  }
  tn_runtime_release(rt);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fused_graphs_compute_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
