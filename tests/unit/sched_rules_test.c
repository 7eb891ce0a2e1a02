/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Default schedules: programs of each kind at random sizes are scheduled by the rules, lowered and
 * compiled; they compute what the program as written computes, to the last bit. Arguments are small
 * whole numbers, so that the order of a sum does not show. TN_LONG=1: many more sizes. */
/* needs: codegen lower script sched */
#include "codegen_text.h"

#include "base/rng.h"
#include "sched/sched.h"

enum { N_ROUNDS = 2, N_ROUNDS_LONG = 150 };

static int32_t n_rounds(void) { return getenv("TN_LONG") != NULL ? N_ROUNDS_LONG : N_ROUNDS; }

/* Sizes around what lanes and tiles are. */
static int32_t size(tn_rng *rng) {
  static const int32_t all[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 25, 31, 33, 40, 48, 64};
  return all[tn_rng_below(rng, TN_N_ROWS(all))];
}

static int32_t below(tn_rng *rng, int32_t n) { return (int32_t)tn_rng_below(rng, (uint64_t)n); }

/* ---- programs ---- */

static void put_head(tn_buf *out, const char *params) {
  tn_buf_printf(out,
                "from tvm.script import tir as T\n\n@T.prim_func\ndef main(%s):\n"
                "    T.func_attr({\"tir.noalias\": True})\n",
                params);
}

static void put_elementwise(tn_buf *out, tn_rng *rng) {
  int32_t a = size(rng), b = size(rng), c = size(rng);
  tn_buf params = TN_BUF_INIT;
  tn_buf_printf(&params,
                "A: T.Buffer((%d, %d, %d), \"float32\"), D: T.Buffer((%d,), \"float32\"), "
                "B: T.Buffer((%d, %d, %d), \"float32\")",
                a, b, c, b, a, b, c);
  put_head(out, tn_buf_text(&params));
  tn_buf_deinit(&params);
  tn_buf_printf(out,
                "    S = T.alloc_buffer((%d, %d, %d))\n"
                "    for i, j, k in T.grid(%d, %d, %d):\n"
                "        with T.block(\"S\"):\n"
                "            x, y, z = T.axis.remap(\"SSS\", [i, j, k])\n"
                "            S[x, y, z] = A[x, y, z] * T.float32(3)\n"
                "    for i, j, k in T.grid(%d, %d, %d):\n"
                "        with T.block(\"B\"):\n"
                "            x, y, z = T.axis.remap(\"SSS\", [i, j, k])\n"
                "            B[x, y, z] = T.max(S[x, y, z] + D[y], T.float32(0))\n",
                a, b, c, a, b, c, a, b, c);
}

static void put_open(tn_buf *out, tn_rng *rng) {
  int32_t c = size(rng);
  put_head(out, "a: T.handle, b: T.handle");
  tn_buf_printf(out,
                "    n = T.int64()\n    m = T.int64()\n"
                "    A = T.match_buffer(a, (n, m, %d), \"float32\")\n"
                "    B = T.match_buffer(b, (n, m, %d), \"float32\")\n"
                "    for i, j, k in T.grid(n, m, %d):\n"
                "        with T.block(\"B\"):\n"
                "            x, y, z = T.axis.remap(\"SSS\", [i, j, k])\n"
                "            B[x, y, z] = A[x, y, z] + T.float32(1)\n",
                c, c, c);
}

static void put_transpose(tn_buf *out, tn_rng *rng) {
  int32_t a = size(rng), b = size(rng), c = size(rng);
  tn_buf params = TN_BUF_INIT;
  tn_buf_printf(&params, "A: T.Buffer((%d, %d, %d), \"int8\"), B: T.Buffer((%d, %d, %d), \"int8\")",
                a, b, c, a, c, b);
  put_head(out, tn_buf_text(&params));
  tn_buf_deinit(&params);
  tn_buf_printf(out,
                "    for i, j, k in T.grid(%d, %d, %d):\n"
                "        with T.block(\"B\"):\n"
                "            x, y, z = T.axis.remap(\"SSS\", [i, j, k])\n"
                "            B[x, y, z] = A[x, z, y]\n",
                a, c, b);
}

static void put_gather(tn_buf *out, tn_rng *rng) {
  int32_t a = size(rng), b = size(rng);
  tn_buf params = TN_BUF_INIT;
  tn_buf_printf(&params,
                "A: T.Buffer((4, %d), \"float32\"), I: T.Buffer((%d,), \"int64\"), "
                "B: T.Buffer((%d, %d), \"float32\")",
                b, a, a, b);
  put_head(out, tn_buf_text(&params));
  tn_buf_deinit(&params);
  tn_buf_printf(out,
                "    for i, j in T.grid(%d, %d):\n"
                "        with T.block(\"B\"):\n"
                "            x, y = T.axis.remap(\"SS\", [i, j])\n"
                "            B[x, y] = A[T.min(T.max(I[x], T.int64(0)), T.int64(3)), y]\n",
                a, b);
}

/* A product of a stack of matrices, either operand as it is or transposed, an epilogue or none, the
 * number of rows known or not. */
static void put_product(tn_buf *out, tn_rng *rng) {
  int32_t batch = below(rng, 3), n = size(rng), k = size(rng) * (1 + below(rng, 3));
  int32_t m = size(rng) * (1 + below(rng, 3));
  bool is_open = below(rng, 3) == 0, is_left_t = below(rng, 3) == 0, is_right_t = below(rng, 2);
  bool has_after = below(rng, 2) == 0, is_int = below(rng, 4) == 0;
  char rows[16];
  const char *in = is_int ? "int8" : "float32";
  const char *sum = is_int ? "int32" : "float32";
  (void)snprintf(rows, sizeof rows, is_open ? "n" : "T.int64(%d)", m);
  const char *last = has_after ? "S" : "C";
  put_head(out, "a: T.handle, b: T.handle, c: T.handle");
  tn_buf_printf(
      out, "    n = T.int64()\n    P = T.match_buffer(c, (T.int64(%d), %s, T.int64(%d)), \"%s\")\n",
      batch + 1, rows, n, sum);
  tn_buf_printf(out, "    A = T.match_buffer(a, (T.int64(%d), %s, %s), \"%s\")\n", batch + 1,
                is_left_t ? "T.int64(K)" : rows, is_left_t ? rows : "T.int64(K)", in);
  tn_buf_printf(out, "    B = T.match_buffer(b, (T.int64(%d), T.int64(%s), T.int64(%s)), \"%s\")\n",
                batch + 1, is_right_t ? "N" : "K", is_right_t ? "K" : "N", in);
  if (has_after) {
    tn_buf_printf(out, "    S = T.alloc_buffer((T.int64(%d), %s, T.int64(N)), \"%s\")\n", batch + 1,
                  rows, sum);
  }
  tn_buf_printf(
      out,
      "    for b, i, j, k in T.grid(T.int64(%d), %s, T.int64(N), T.int64(K)):\n"
      "        with T.block(\"S\"):\n"
      "            w, x, y, z = T.axis.remap(\"SSSR\", [b, i, j, k])\n"
      "            with T.init():\n"
      "                %s[w, x, y] = T.%s(0)\n"
      "            %s[w, x, y] = %s[w, x, y] + T.cast(A[w, %s], \"%s\") * T.cast(B[w, %s], "
      "\"%s\")\n",
      batch + 1, rows, last, sum, last, last, is_left_t ? "z, x" : "x, z", sum,
      is_right_t ? "y, z" : "z, y", sum);
  if (has_after) {
    tn_buf_printf(out,
                  "    for b, i, j in T.grid(T.int64(%d), %s, T.int64(N)):\n"
                  "        with T.block(\"C\"):\n"
                  "            w, x, y = T.axis.remap(\"SSS\", [b, i, j])\n"
                  "            C[w, x, y] = T.max(S[w, x, y], T.%s(0)) - T.%s(1)\n",
                  batch + 1, rows, sum, sum);
  }
  /* the letters of sizes, which stand where numbers are hard to count */
  tn_buf text = TN_BUF_INIT;
  for (const char *p = tn_buf_text(out); *p != '\0'; ++p) {
    if (strncmp(p, "T.int64(K)", 10) == 0 || strncmp(p, "T.int64(N)", 10) == 0) {
      tn_buf_printf(&text, "T.int64(%d)", p[8] == 'K' ? k : n);
      p += 9;
    } else if (strncmp(p, "P = ", 4) == 0) {
      tn_buf_puts(&text, "C = ");
      p += 3;
    } else {
      tn_buf_append(&text, p, 1);
    }
  }
  tn_buf_deinit(out);
  *out = text;
}

/* groups of channels, strides, padding, dilation; what follows is added or not. */
/* The right matrix in panels of columns, as constants are packed; what follows may be much code. */
static void put_panels(tn_buf *out, tn_rng *rng) {
  static const char *const after[] = {"S[w, x, y]", "T.max(S[w, x, y] + D[y], T.float32(0))",
                                      "S[w, x, y] / T.float32(2) / T.float32(2) / T.float32(2) / "
                                      "T.float32(2) + D[y]"};
  int32_t batch = 1 + below(rng, 2), n = size(rng) * (1 + below(rng, 2)), k = size(rng);
  int32_t width = 8 * (1 + below(rng, 5));
  int32_t m = below(rng, 4) == 0 ? 1 : size(rng);
  char rows[16];
  (void)snprintf(rows, sizeof rows, below(rng, 3) == 0 ? "n" : "T.int64(%d)", m);
  put_head(out, "a: T.handle, b: T.handle, d: T.handle, c: T.handle");
  tn_buf_printf(out,
                "    n = T.int64()\n"
                "    A = T.match_buffer(a, (T.int64(%d), %s, T.int64(%d)), \"float32\")\n"
                "    B = T.match_buffer(b, (T.int64(%d), T.int64(%d), T.int64(%d)), \"float32\")\n"
                "    D = T.match_buffer(d, (T.int64(%d),), \"float32\")\n"
                "    C = T.match_buffer(c, (T.int64(%d), %s, T.int64(%d)), \"float32\")\n"
                "    S = T.alloc_buffer((T.int64(%d), %s, T.int64(%d)), \"float32\")\n",
                batch, rows, k, (n + width - 1) / width, k, width, n, batch, rows, n, batch, rows,
                n);
  tn_buf_printf(out,
                "    for b, i, j, k in T.grid(T.int64(%d), %s, T.int64(%d), T.int64(%d)):\n"
                "        with T.block(\"S\"):\n"
                "            w, x, y, z = T.axis.remap(\"SSSR\", [b, i, j, k])\n"
                "            with T.init():\n"
                "                S[w, x, y] = T.float32(0)\n"
                "            S[w, x, y] = S[w, x, y] + A[w, x, z] * B[y // T.int64(%d), z, y %% "
                "T.int64(%d)]\n"
                "    for b, i, j in T.grid(T.int64(%d), %s, T.int64(%d)):\n"
                "        with T.block(\"C\"):\n"
                "            w, x, y = T.axis.remap(\"SSS\", [b, i, j])\n"
                "            C[w, x, y] = %s\n",
                batch, rows, n, k, width, width, batch, rows, n, after[below(rng, 3)]);
}

static void put_conv(tn_buf *out, tn_rng *rng) {
  static const int32_t channels[] = {1, 2, 3, 4, 6, 8, 12, 16, 24};
  int32_t groups = below(rng, 2) == 0 ? 1 : 1 + below(rng, 4);
  int32_t per_in = below(rng, 4) == 0 ? 1 : channels[below(rng, TN_N_ROWS(channels))];
  int32_t per_out = below(rng, 4) == 0 ? 1 : channels[below(rng, TN_N_ROWS(channels))];
  int32_t kernel = 1 + below(rng, 3), stride = 1 + below(rng, 3), dilation = 1 + below(rng, 2);
  int32_t pad = below(rng, 3), height = 1 + below(rng, 9), width = size(rng),
          batch = 1 + below(rng, 2);
  int32_t reach = (kernel - 1) * dilation + 1;
  int32_t h = height + 2 * pad < reach ? reach - 2 * pad : height;
  int32_t w = width + 2 * pad < reach ? reach - 2 * pad : width;
  int32_t oh = (h + 2 * pad - reach) / stride + 1, ow = (w + 2 * pad - reach) / stride + 1;
  int32_t in = groups * per_in, outs = groups * per_out;
  bool has_after = below(rng, 2) == 0;
  const char *sum = has_after ? "S" : "C";
  tn_buf params = TN_BUF_INIT;
  tn_buf_printf(&params,
                "A: T.Buffer((%d, %d, %d, %d), \"float32\"), W: T.Buffer((%d, %d, %d, %d), "
                "\"float32\"), D: T.Buffer((%d,), \"float32\"), C: T.Buffer((%d, %d, %d, %d), "
                "\"float32\")",
                batch, in, h, w, outs, per_in, kernel, kernel, outs, batch, outs, oh, ow);
  put_head(out, tn_buf_text(&params));
  tn_buf_deinit(&params);
  tn_buf_printf(out, "    P = T.alloc_buffer((%d, %d, %d, %d))\n", batch, in, h + 2 * pad,
                w + 2 * pad);
  if (has_after) {
    tn_buf_printf(out, "    S = T.alloc_buffer((%d, %d, %d, %d))\n", batch, outs, oh, ow);
  }
  tn_buf_printf(
      out,
      "    for i0, i1, i2, i3 in T.grid(%d, %d, %d, %d):\n"
      "        with T.block(\"P\"):\n"
      "            n, c, y, x = T.axis.remap(\"SSSS\", [i0, i1, i2, i3])\n"
      "            P[n, c, y, x] = T.if_then_else(%d <= y and y < %d and %d <= x and x < %d, "
      "A[n, c, y - %d, x - %d], T.float32(0))\n",
      batch, in, h + 2 * pad, w + 2 * pad, pad, h + pad, pad, w + pad, pad, pad);
  tn_buf_printf(
      out,
      "    for i0, i1, i2, i3, k0, k1, k2 in T.grid(%d, %d, %d, %d, %d, %d, %d):\n"
      "        with T.block(\"S\"):\n"
      "            n, o, y, x, i, r, q = T.axis.remap(\"SSSSRRR\", [i0, i1, i2, i3, k0, k1, k2])\n"
      "            with T.init():\n"
      "                %s[n, o, y, x] = T.float32(0)\n"
      "            %s[n, o, y, x] = %s[n, o, y, x] + P[n, o // %d * %d + i, y * %d + r * %d, x "
      "* %d + q * %d] * W[o, i, r, q]\n",
      batch, outs, oh, ow, per_in, kernel, kernel, sum, sum, sum, per_out, per_in, stride, dilation,
      stride, dilation);
  if (has_after) {
    tn_buf_printf(out,
                  "    for i0, i1, i2, i3 in T.grid(%d, %d, %d, %d):\n"
                  "        with T.block(\"C\"):\n"
                  "            n, o, y, x = T.axis.remap(\"SSSS\", [i0, i1, i2, i3])\n"
                  "            C[n, o, y, x] = T.max(S[n, o, y, x] + D[o], T.float32(0))\n",
                  batch, outs, oh, ow);
  }
}

static void put_pool(tn_buf *out, tn_rng *rng) {
  int32_t c = 1 + below(rng, 5), h = 2 + below(rng, 9), w = 2 + size(rng);
  int32_t stride = 1 + below(rng, 2);
  int32_t oh = (h + 2 - 3) / stride + 1, ow = (w + 2 - 3) / stride + 1;
  tn_buf params = TN_BUF_INIT;
  tn_buf_printf(&params,
                "A: T.Buffer((%d, %d, %d), \"float32\"), B: T.Buffer((%d, %d, %d), \"float32\")", c,
                h, w, c, oh, ow);
  put_head(out, tn_buf_text(&params));
  tn_buf_deinit(&params);
  tn_buf_printf(
      out,
      "    for i, j, k, p, q in T.grid(%d, %d, %d, 3, 3):\n"
      "        with T.block(\"B\"):\n"
      "            x, y, z, u, v = T.axis.remap(\"SSSRR\", [i, j, k, p, q])\n"
      "            with T.init():\n"
      "                B[x, y, z] = T.float32(-100)\n"
      "            B[x, y, z] = T.max(B[x, y, z], T.if_then_else(y * %d + u >= 1 and y * %d + u "
      "< %d and z * %d + v >= 1 and z * %d + v < %d, A[x, y * %d + u - 1, z * %d + v - 1], "
      "T.float32(-100)))\n",
      c, oh, ow, stride, stride, h + 1, stride, stride, w + 1, stride, stride);
}

/* A sum over the last dimensions, or the first, or all. */
static void put_sum(tn_buf *out, tn_rng *rng) {
  static const char *const where[] = {"x", "y", "z"};
  int32_t at = below(rng, 3);
  int32_t dims[3] = {size(rng), size(rng), size(rng) * (1 + below(rng, 4))};
  tn_buf params = TN_BUF_INIT;
  tn_buf_printf(&params,
                "A: T.Buffer((%d, %d, %d), \"float32\"), B: T.Buffer((%d, %d), \"float32\")",
                dims[0], dims[1], dims[2], dims[at == 0 ? 1 : 0], dims[at == 2 ? 1 : 2]);
  put_head(out, tn_buf_text(&params));
  tn_buf_deinit(&params);
  const char *kinds = at == 0 ? "RSS" : at == 1 ? "SRS" : "SSR";
  const char *a = where[at == 0 ? 1 : 0];
  const char *b = where[at == 2 ? 1 : 2];
  tn_buf_printf(out,
                "    for i, j, k in T.grid(%d, %d, %d):\n"
                "        with T.block(\"B\"):\n"
                "            x, y, z = T.axis.remap(\"%s\", [i, j, k])\n"
                "            with T.init():\n"
                "                B[%s, %s] = T.float32(0)\n"
                "            B[%s, %s] = B[%s, %s] + A[x, y, z]\n",
                dims[0], dims[1], dims[2], kinds, a, b, a, b, a, b);
}

/* As softmax: a largest value, what is below it, its sum, and all together. */
static void put_rows(tn_buf *out, tn_rng *rng) {
  int32_t m = size(rng), k = size(rng) * (1 + below(rng, 4));
  bool is_open = below(rng, 2) == 0;
  char rows[16];
  char cols[16];
  (void)snprintf(rows, sizeof rows, is_open ? "n" : "%d", m);
  (void)snprintf(cols, sizeof cols, is_open && below(rng, 2) == 0 ? "m" : "%d", k);
  put_head(out, "a: T.handle, b: T.handle");
  tn_buf_printf(out,
                "    n = T.int32()\n    m = T.int32()\n"
                "    A = T.match_buffer(a, (%s, %s), \"float32\")\n"
                "    B = T.match_buffer(b, (%s, %s), \"float32\")\n"
                "    M = T.alloc_buffer((%s,))\n    S = T.alloc_buffer((%s,))\n"
                "    E = T.alloc_buffer((%s, %s))\n",
                rows, cols, rows, cols, rows, rows, rows, cols);
  tn_buf_printf(out,
                "    for i, k in T.grid(%s, %s):\n"
                "        with T.block(\"M\"):\n"
                "            x, z = T.axis.remap(\"SR\", [i, k])\n"
                "            with T.init():\n"
                "                M[x] = T.float32(-100)\n"
                "            M[x] = T.max(M[x], A[x, z])\n"
                "    for i, k in T.grid(%s, %s):\n"
                "        with T.block(\"E\"):\n"
                "            x, z = T.axis.remap(\"SS\", [i, k])\n"
                "            E[x, z] = (A[x, z] - M[x]) * T.float32(2)\n"
                "    for i, k in T.grid(%s, %s):\n"
                "        with T.block(\"S\"):\n"
                "            x, z = T.axis.remap(\"SR\", [i, k])\n"
                "            with T.init():\n"
                "                S[x] = T.float32(0)\n"
                "            S[x] = S[x] + E[x, z]\n"
                "    for i, k in T.grid(%s, %s):\n"
                "        with T.block(\"B\"):\n"
                "            x, z = T.axis.remap(\"SS\", [i, k])\n"
                "            B[x, z] = E[x, z] + S[x]\n",
                rows, cols, rows, cols, rows, cols, rows, cols);
}

typedef struct between {
  const char *name;
  const char *what; /* NULL: the largest, else the sum, of a row of `from` */
  const char *from;
} between;

static void put_between(tn_buf *out, const between *b, const char *extents) {
  bool is_row = b->what == NULL;
  bool is_max = b->name[0] == 'M';
  tn_buf_printf(out,
                "    for b, h, s, t in T.grid(%s):\n"
                "        with T.block(\"%s\"):\n"
                "            w, y, x, z = T.axis.remap(\"SSS%s\", [b, h, s, t])\n",
                extents, b->name, is_row ? "R" : "S");
  if (!is_row) {
    tn_buf_printf(out, "            %s[w, y, x, z] = %s\n", b->name, b->what);
    return;
  }
  tn_buf_printf(out,
                "            with T.init():\n"
                "                %s[w, y, x] = T.float32(%s)\n"
                "            %s[w, y, x] = %s(%s[w, y, x]%s %s[w, y, x, z])\n",
                b->name, is_max ? "\"-inf\"" : "0", b->name, is_max ? "T.max" : "", b->name,
                is_max ? "," : " +", b->from);
}

/* Two products and what goes over rows between them, as attention is. Whole numbers stay small. */
static void put_attention(tn_buf *out, tn_rng *rng) {
  static const char *const scores[] = {"P[w, y, x, z] * T.float32(2)", "P[w, y, x, z] + D[x, z]",
                                       "T.if_then_else(z <= x, P[w, y, x, z], T.float32(-100))"};
  int32_t batch = 1 + below(rng, 2), heads = 1 + below(rng, 3), k = size(rng), v = size(rng);
  int32_t m = size(rng) * (1 + below(rng, 3)), t = size(rng) * (1 + below(rng, 3));
  bool has_scores = below(rng, 4) != 0;
  const between all[] = {
      {"S", scores[below(rng, 3)], NULL},
      {"M", NULL, has_scores ? "S" : "P"},
      {"E", has_scores ? "S[w, y, x, z] - M[w, y, x]" : "P[w, y, x, z] - M[w, y, x]", NULL},
      {"L", NULL, "E"},
      {"W", "T.min(T.max(E[w, y, x, z] - L[w, y, x], T.float32(-3)), T.float32(3))", NULL}};
  char rows[24];
  char extents[128];
  (void)snprintf(rows, sizeof rows, below(rng, 3) == 0 ? "n" : "T.int64(%d)", m);
  (void)snprintf(extents, sizeof extents, "T.int64(%d), T.int64(%d), %s, T.int64(%d)", batch, heads,
                 rows, t);
  put_head(out, "q: T.handle, k: T.handle, v: T.handle, d: T.handle, o: T.handle");
  tn_buf_printf(
      out,
      "    n = T.int64()\n"
      "    Q = T.match_buffer(q, (T.int64(%d), %s, T.int64(%d), T.int64(%d)), \"float32\")\n"
      "    K = T.match_buffer(k, (T.int64(%d), T.int64(%d), T.int64(%d), T.int64(%d)), "
      "\"float32\")\n"
      "    V = T.match_buffer(v, (T.int64(%d), T.int64(%d), T.int64(%d), T.int64(%d)), "
      "\"float32\")\n"
      "    D = T.match_buffer(d, (%s, T.int64(%d)), \"float32\")\n"
      "    O = T.match_buffer(o, (T.int64(%d), %s, T.int64(%d), T.int64(%d)), \"float32\")\n",
      batch, rows, heads, k, batch, t, heads, k, batch, t, heads, v, rows, t, batch, rows, heads,
      v);
  for (const char *name = "PSEWML"; *name != '\0'; ++name) {
    bool is_row = *name == 'M' || *name == 'L';
    tn_buf_printf(out, "    %c = T.alloc_buffer((T.int64(%d), T.int64(%d), %s", *name, batch, heads,
                  rows);
    if (is_row) {
      tn_buf_puts(out, "))\n");
    } else {
      tn_buf_printf(out, ", T.int64(%d)))\n", t);
    }
  }
  tn_buf_printf(out,
                "    for b, h, s, t, k in T.grid(%s, T.int64(%d)):\n"
                "        with T.block(\"P\"):\n"
                "            w, y, x, z, u = T.axis.remap(\"SSSSR\", [b, h, s, t, k])\n"
                "            with T.init():\n"
                "                P[w, y, x, z] = T.float32(0)\n"
                "            P[w, y, x, z] = P[w, y, x, z] + Q[w, x, y, u] * K[w, z, y, u]\n",
                extents, k);
  for (size_t i = has_scores ? 0 : 1; i < TN_N_ROWS(all); ++i) {
    put_between(out, &all[i], extents);
  }
  tn_buf_printf(out,
                "    for b, s, h, v, t in T.grid(T.int64(%d), %s, T.int64(%d), T.int64(%d), "
                "T.int64(%d)):\n"
                "        with T.block(\"O\"):\n"
                "            w, x, y, u, z = T.axis.remap(\"SSSSR\", [b, s, h, v, t])\n"
                "            with T.init():\n"
                "                O[w, x, y, u] = T.float32(0)\n"
                "            O[w, x, y, u] = O[w, x, y, u] + W[w, y, x, z] * V[w, z, y, u]\n",
                batch, rows, heads, v, t);
}

static void put_scan(tn_buf *out, tn_rng *rng) {
  int32_t a = size(rng), b = size(rng), c = size(rng);
  tn_buf params = TN_BUF_INIT;
  tn_buf_printf(&params,
                "A: T.Buffer((%d, %d, %d), \"float32\"), B: T.Buffer((%d, %d, %d), \"float32\")", a,
                b, c, a, b, c);
  put_head(out, tn_buf_text(&params));
  tn_buf_deinit(&params);
  tn_buf_printf(
      out,
      "    for i, j, k in T.grid(%d, %d, %d):\n"
      "        with T.block(\"B\"):\n"
      "            x = T.axis.spatial(%d, i)\n"
      "            y = T.axis.scan(%d, j)\n"
      "            z = T.axis.spatial(%d, k)\n"
      "            B[x, y, z] = T.if_then_else(y > 0, B[x, y - 1, z], T.float32(0)) + A[x, y, "
      "z]\n",
      a, b, c, a, b, c);
}

static const struct {
  const char *name;
  void (*put)(tn_buf *out, tn_rng *rng);
} kinds[] = {
    {"element-wise", put_elementwise},
    {"open sizes", put_open},
    {"transpose", put_transpose},
    {"gather", put_gather},
    {"product", put_product},
    {"panels", put_panels},
    {"convolution", put_conv},
    {"pooling", put_pool},
    {"sum", put_sum},
    {"rows", put_rows},
    {"attention", put_attention},
    {"scan", put_scan},
    {"product", put_product},
    {"convolution", put_conv},
};

/* ---- running them ---- */

static void schedule(tn_module *module, bool is_strict, const char *text) {
  uint32_t n = 0;
  const tn_pass *all = tn_sched_passes(&n);
  const tn_pass *list[] = {&all[0]};
  tn_pass_opts opts = {.opt_level = 2, .is_strict_math = is_strict};
  tn_diags diags = {0};
  assert_string_equal(all[0].name, "default_schedule");
  expect_ok(tn_run_passes(module, list, 1, &opts, NULL));
  tn_tir_verify(module->ir, tn_module_find(module, "main"), &diags);
  tn_status st = tn_diags_to_status(&diags, module->ir);
  expect_true(st == NULL, "the schedule of this is no valid program:\n%s", text);
}

/* Small whole numbers. */
static void fill(tn_array *array, tn_rng *rng) {
  for (int64_t i = 0; i < tn_array_n_elems(array); ++i) {
    int64_t value = (int64_t)tn_rng_below(rng, 7) - 3;
    if (tn_dtype_is_float(array->dtype)) {
      tn_array_set_f64(array, i, (double)value);
    } else {
      tn_array_set_i64(array, i, value);
    }
  }
}

static void expect_same(cgx *x, const tn_module *scheduled, int64_t n, const char *text) {
  tn_rng rng = tn_rng_make((uint64_t)n);
  tn_array arrays[3][CGX_MAX_ARGS];
  tn_tir_arg args[3][CGX_MAX_ARGS];
  const tn_node *func = tn_module_find(&x->source, "main");
  int32_t n_args = 0;
  for (int32_t k = 0; k < 3; ++k) {
    tn_rng fresh = tn_rng_make(1);
    n_args = cgx_make_args(func, n, &fresh, arrays[k], args[k]);
  }
  for (int32_t i = 0; i < n_args; ++i) {
    fill(&arrays[0][i], &rng);
    memcpy(arrays[1][i].data, arrays[0][i].data, tn_array_n_bytes(&arrays[0][i]));
    memcpy(arrays[2][i].data, arrays[0][i].data, tn_array_n_bytes(&arrays[0][i]));
  }
  cgt_host host;
  cgt_host_init(&host);
  expect_ok(tn_tir_interp(&x->source, "main", args[0], n_args, NULL, NULL));
  expect_ok(tn_tir_interp(scheduled, "main", args[1], n_args, NULL, NULL));
  int32_t code = cgt_run(&x->t, &host, "main", args[2], n_args);
  expect_true(code == 0 && host.n_live == 0, "%s (%d): %s", host.text, code, text);
  for (int32_t i = 0; i < n_args; ++i) {
    cgt_expect_equal(&arrays[1][i], &arrays[0][i], text);
    cgt_expect_equal(&arrays[2][i], &arrays[0][i], text);
  }
  for (int32_t k = 0; k < 3; ++k) {
    cgx_free_args(arrays[k], args[k], n_args);
  }
}

static void check(const char *text, bool is_strict) {
  static const int64_t sizes[] = {1, 5, 24, 37};
  cgx x;
  cgx_init_text(&x, text, "rules");
  schedule(&x.t.module, is_strict, text);
  tn_module scheduled;
  tn_module_init_copy(&scheduled, &x.t.module);
  expect_ok(cgx_lower(&x.t.module, 2));
  cgt_compile(&x.t, "host", 2);
  bool is_open = strstr(text, "match_buffer") != NULL;
  for (size_t i = 0; i < (is_open ? TN_N_ROWS(sizes) : 1); ++i) {
    expect_same(&x, &scheduled, sizes[i], text);
  }
  tn_module_deinit(&scheduled);
  cgx_deinit(&x);
}

static void scheduled_programs_compute_what_they_did(void **state) {
  (void)state;
  const char *seed = getenv("TN_SEED");
  tn_rng rng = tn_rng_make(seed != NULL ? (uint64_t)strtoll(seed, NULL, 10) : 3);
  for (int32_t round = 0; round < n_rounds(); ++round) {
    for (size_t i = 0; i < TN_N_ROWS(kinds); ++i) {
      tn_buf text = TN_BUF_INIT;
      kinds[i].put(&text, &rng);
      check(tn_buf_text(&text), below(&rng, 4) == 0);
      tn_buf_deinit(&text);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scheduled_programs_compute_what_they_did),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
