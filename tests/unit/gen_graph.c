/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* See gen_graph.h. A vector of variable names by size stands for what is in scope; each statement
 * takes its inputs from it and adds its result. */
#include "gen_graph.h"

#include <stdio.h>

#include "base/rng.h"
#include "base/vec.h"

const char gen_graph_kernels[] = "    @T.prim_func\n"
                                 "    def double(x: T.handle, y: T.handle):\n"
                                 "        n = T.int64()\n"
                                 "        X = T.match_buffer(x, (n,), \"float32\")\n"
                                 "        Y = T.match_buffer(y, (n,), \"float32\")\n"
                                 "        for i in range(n):\n"
                                 "            with T.block(\"Y\"):\n"
                                 "                vi = T.axis.spatial(n, i)\n"
                                 "                Y[vi] = X[vi] * T.float32(2)\n"
                                 "    @T.prim_func\n"
                                 "    def add(a: T.handle, b: T.handle, c: T.handle):\n"
                                 "        n = T.int64()\n"
                                 "        A = T.match_buffer(a, (n,), \"float32\")\n"
                                 "        B = T.match_buffer(b, (n,), \"float32\")\n"
                                 "        C = T.match_buffer(c, (n,), \"float32\")\n"
                                 "        for i in range(n):\n"
                                 "            with T.block(\"C\"):\n"
                                 "                vi = T.axis.spatial(n, i)\n"
                                 "                C[vi] = A[vi] + B[vi]\n"
                                 "    @T.prim_func\n"
                                 "    def both(a: T.handle, p: T.handle, q: T.handle):\n"
                                 "        n = T.int64()\n"
                                 "        A = T.match_buffer(a, (n,), \"float32\")\n"
                                 "        P = T.match_buffer(p, (n,), \"float32\")\n"
                                 "        Q = T.match_buffer(q, (n * T.int64(2),), \"float32\")\n"
                                 "        for i in range(n):\n"
                                 "            P[i] = A[i] + T.float32(1)\n"
                                 "            Q[i] = A[i]\n"
                                 "            Q[i + n] = T.float32(0) - A[i]\n"
                                 "    @T.prim_func\n"
                                 "    def bump(a: T.handle):\n"
                                 "        n = T.int64()\n"
                                 "        A = T.match_buffer(a, (n,), \"float32\")\n"
                                 "        for i in range(n):\n"
                                 "            A[i] = A[i] + T.float32(1)\n";

enum { N_SIZES = 3, MAX_VARS = 400 };

/* n, 2n and 4n */
static const char *const size_texts[N_SIZES] = {"n", "n * 2", "n * 4"};

typedef struct gen_var {
  int32_t size;
  int32_t id;
} gen_var;

typedef struct generator {
  tn_rng rng;
  tn_buf *out;
  int32_t next_id;
  int32_t indent;
  bool is_dataflow;
  int32_t depth;
  TN_VEC(gen_var) vars; /* in scope: v<id>; 0 and 1 are the parameters x and y */
} generator;

static void line(generator *g, const char *fmt, ...) TN_PRINTF(2, 3);
static void line(generator *g, const char *fmt, ...) {
  va_list args;
  tn_buf_printf(g->out, "%*s", g->indent, "");
  va_start(args, fmt);
  tn_buf_vprintf(g->out, fmt, args);
  va_end(args);
  tn_buf_putc(g->out, '\n');
}

static gen_var pick(generator *g) { return g->vars.data[tn_rng_below(&g->rng, g->vars.len)]; }

/* A variable of that size; there is always one of size 0. */
static gen_var pick_size(generator *g, int32_t size) {
  for (int32_t tries = 0; tries < 20; ++tries) {
    gen_var v = pick(g);
    if (v.size == size) {
      return v;
    }
  }
  for (size_t i = 0; i < g->vars.len; ++i) {
    if (g->vars.data[i].size == size) {
      return g->vars.data[i];
    }
  }
  return g->vars.data[0];
}

static void name(gen_var v, char *out) {
  if (v.id < 2) {
    (void)snprintf(out, 16, "%s", v.id == 0 ? "x" : "y");
  } else {
    (void)snprintf(out, 16, "v%d", v.id);
  }
}

static int32_t define(generator *g, int32_t size) {
  gen_var v = {.size = size, .id = g->next_id++};
  TN_VEC_PUSH(&g->vars, v);
  return v.id;
}

static void gen_double(generator *g) {
  char a[16];
  gen_var v = pick(g);
  name(v, a);
  int32_t id = define(g, v.size);
  line(g, "v%d = R.call_tir(cls.double, (%s,), out_sinfo=R.Tensor((%s,), dtype=\"float32\"))", id,
       a, size_texts[v.size]);
}

static void gen_add(generator *g, const char *callee) {
  char a[16];
  char b[16];
  gen_var v = pick(g);
  gen_var w = pick_size(g, v.size);
  if (w.size != v.size) {
    v = w;
  }
  name(v, a);
  name(w, b);
  int32_t id = define(g, v.size);
  line(g, "v%d = R.%s(%s, (%s, %s), out_sinfo=R.Tensor((%s,), dtype=\"float32\"))", id,
       callee[0] == 'c' ? "call_tir" : "call_dps_packed", callee, a, b, size_texts[v.size]);
}

static void gen_both(generator *g) {
  char a[16];
  gen_var v = pick(g);
  if (v.size == N_SIZES - 1) {
    v = g->vars.data[0];
  }
  name(v, a);
  int32_t tuple = g->next_id++;
  line(g,
       "v%d = R.call_tir(cls.both, (%s,), out_sinfo=[R.Tensor((%s,), dtype=\"float32\"), "
       "R.Tensor((%s,), dtype=\"float32\")])",
       tuple, a, size_texts[v.size], size_texts[v.size + 1]);
  int32_t p = define(g, v.size);
  line(g, "v%d = v%d[0]", p, tuple);
  int32_t q = define(g, v.size + 1);
  line(g, "v%d = v%d[1]", q, tuple);
}

/* In place on a value of its own, which nobody sees afterwards, or on one that others see. */
static void gen_inplace(generator *g) {
  char a[16];
  gen_var v = pick(g);
  name(v, a);
  if (tn_rng_below(&g->rng, 2) == 0) {
    int32_t own = g->next_id++;
    line(g, "v%d = R.call_tir(cls.double, (%s,), out_sinfo=R.Tensor((%s,), dtype=\"float32\"))",
         own, a, size_texts[v.size]);
    (void)snprintf(a, sizeof a, "v%d", own);
  }
  int32_t id = define(g, v.size);
  line(g,
       "v%d = R.call_tir_inplace(cls.bump, (%s,), out_sinfo=R.Tensor((%s,), dtype=\"float32\"), "
       "inplace_indices=[0])",
       id, a, size_texts[v.size]);
}

static void gen_packed(generator *g) {
  char a[16];
  gen_var v = pick(g);
  name(v, a);
  int32_t id = define(g, v.size);
  line(g, "v%d = R.call_packed(\"host.inc\", %s, sinfo_args=(R.Tensor((%s,), dtype=\"float32\"),))",
       id, a, size_texts[v.size]);
}

static void gen_helper(generator *g) {
  char a[16];
  gen_var v = pick(g);
  name(v, a);
  int32_t id = define(g, v.size);
  line(g, "v%d: R.Tensor((%s,), dtype=\"float32\") = cls.helper(%s)", id, size_texts[v.size], a);
}

static void gen_match_cast(generator *g) {
  char a[16];
  gen_var v = pick(g);
  name(v, a);
  int32_t id = define(g, v.size);
  line(g, "v%d = R.match_cast(%s, R.Tensor((%s,), dtype=\"float32\"))", id, a, size_texts[v.size]);
}

static void gen_tuple(generator *g) {
  char a[16];
  char b[16];
  gen_var v = pick(g);
  gen_var w = pick(g);
  name(v, a);
  name(w, b);
  int32_t tuple = g->next_id++;
  line(g, "v%d = (%s, %s)", tuple, a, b);
  int32_t id = define(g, w.size);
  line(g, "v%d = v%d[1]", id, tuple);
}

static void gen_stmts(generator *g, int32_t n);

static void gen_branch(generator *g, int32_t n, int32_t result) {
  char a[16];
  size_t n_vars = g->vars.len;
  g->indent += 4;
  gen_stmts(g, n);
  name(pick_size(g, 0), a);
  line(g, "v%d = R.call_tir(cls.double, (%s,), out_sinfo=R.Tensor((n,), dtype=\"float32\"))",
       result, a);
  g->indent -= 4;
  g->vars.len = n_vars;
}

static void gen_if(generator *g) {
  int32_t result = g->next_id++;
  ++g->depth;
  line(g, "if c:");
  gen_branch(g, (int32_t)tn_rng_below(&g->rng, 3), result);
  line(g, "else:");
  gen_branch(g, (int32_t)tn_rng_below(&g->rng, 3), result);
  --g->depth;
  TN_VEC_PUSH(&g->vars, (gen_var){.size = 0, .id = result});
}

static void gen_stmt(generator *g) {
  switch (tn_rng_below(&g->rng, 10)) {
    case 0:
      gen_double(g);
      break;
    case 1:
    case 2:
      gen_add(g, "cls.add");
      break;
    case 3:
      gen_add(g, "\"env.add\"");
      break;
    case 4:
      gen_both(g);
      break;
    case 5:
      gen_inplace(g);
      break;
    case 6:
      gen_match_cast(g);
      break;
    case 7:
      gen_tuple(g);
      break;
    case 8:
      if (g->is_dataflow) {
        gen_double(g);
      } else {
        gen_packed(g);
      }
      break;
    default:
      if (g->is_dataflow || g->depth >= 2) {
        gen_helper(g);
      } else {
        gen_if(g);
      }
      break;
  }
}

static void gen_stmts(generator *g, int32_t n) {
  for (int32_t i = 0; i < n && g->vars.len < MAX_VARS; ++i) {
    gen_stmt(g);
  }
}

/* A block; some of its variables stay visible. */
static void gen_dataflow(generator *g, int32_t n) {
  size_t n_before = g->vars.len;
  line(g, "with R.dataflow():");
  g->indent += 4;
  g->is_dataflow = true;
  gen_stmts(g, n);
  if (g->vars.len == n_before) {
    gen_double(g);
  }
  g->is_dataflow = false;
  size_t n_kept = n_before;
  tn_buf outputs = TN_BUF_INIT;
  for (size_t i = n_before; i < g->vars.len; ++i) {
    bool is_last = i + 1 == g->vars.len && n_kept == n_before;
    if (is_last || tn_rng_below(&g->rng, 2) == 0) {
      tn_buf_printf(&outputs, "%sv%d", n_kept == n_before ? "" : ", ", g->vars.data[i].id);
      g->vars.data[n_kept++] = g->vars.data[i];
    }
  }
  line(g, "R.output(%s)", tn_buf_text(&outputs));
  tn_buf_deinit(&outputs);
  g->vars.len = n_kept;
  g->indent -= 4;
}

static void gen_main(generator *g, int32_t n_stmts) {
  char a[16];
  char b[16];
  line(g, "@R.function(pure=False)");
  line(g, "def main(x: R.Tensor((\"n\",), dtype=\"float32\"), y: R.Tensor((\"n\",), "
          "dtype=\"float32\"), "
          "c: R.Tensor((), dtype=\"bool\")):");
  g->indent += 4;
  line(g, "n = T.int64()");
  line(g, "cls = Module");
  while (n_stmts > 0) {
    int32_t n = 1 + (int32_t)tn_rng_below(&g->rng, 5);
    if (tn_rng_below(&g->rng, 2) == 0) {
      gen_dataflow(g, n);
    } else {
      gen_stmts(g, n);
    }
    n_stmts -= n;
  }
  name(pick(g), a);
  name(TN_VEC_LAST(&g->vars), b);
  if (tn_rng_below(&g->rng, 2) == 0) {
    int32_t id = g->next_id++;
    line(g, "v%d = (%s, %s)", id, a, b);
    line(g, "return v%d", id);
  } else {
    line(g, "return %s", b);
  }
}

void gen_graph_module(uint64_t seed, int32_t n_stmts, tn_buf *out) {
  generator g = {.rng = tn_rng_make(seed), .out = out, .next_id = 2, .indent = 4};
  tn_buf_puts(out, "from tvm.script import ir as I\nfrom tvm.script import relax as R\n"
                   "from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n");
  tn_buf_puts(out, gen_graph_kernels);
  tn_buf_puts(
      out, "    @R.function(private=True)\n"
           "    def helper(z: R.Tensor((\"m\",), dtype=\"float32\")) -> R.Tensor((\"m\",), "
           "dtype=\"float32\"):\n"
           "        m = T.int64()\n"
           "        cls = Module\n"
           "        w = R.call_tir(cls.add, (z, z), out_sinfo=R.Tensor((m,), dtype=\"float32\"))\n"
           "        return w\n");
  TN_VEC_PUSH(&g.vars, (gen_var){.size = 0, .id = 0});
  TN_VEC_PUSH(&g.vars, (gen_var){.size = 0, .id = 1});
  gen_main(&g, n_stmts);
  TN_VEC_DEINIT(&g.vars);
}
