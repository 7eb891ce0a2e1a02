/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* See gen_graph.h. What is in scope stands in two vectors, variables with their types and sizes; a
 * statement picks what fits and adds its result. A body that ends (a branch, an inner function, a
 * dataflow block) takes back what it added. */
#include "gen_graph.h"

#include <stdio.h>

#include "base/arena.h"
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

/* More of them, which only modules made here call. */
static const char more_kernels[] = "    @T.prim_func\n"
                                   "    def fill(y: T.handle, k: T.int64):\n"
                                   "        n = T.int64()\n"
                                   "        Y = T.match_buffer(y, (n,), \"int64\")\n"
                                   "        for i in range(n):\n"
                                   "            Y[i] = k + T.int64(3) * T.Cast(\"int64\", i)\n";

static const char helpers[] =
    "    @R.function(private=True)\n"
    "    def helper(z: R.Tensor((\"m\",), dtype=\"float32\")) -> R.Tensor((\"m\",), "
    "dtype=\"float32\"):\n"
    "        m = T.int64()\n"
    "        cls = Module\n"
    "        w = R.call_tir(cls.add, (z, z), out_sinfo=R.Tensor((m,), dtype=\"float32\"))\n"
    "        return w\n"
    "    @R.function(private=True)\n"
    "    def through(o: R.Object) -> R.Object:\n"
    "        return o\n"
    "    @R.function(private=True)\n"
    "    def swap(t: R.Tuple(R.Object, R.Object)) -> R.Tuple(R.Object, R.Object):\n"
    "        a = t[0]\n"
    "        b = t[1]\n"
    "        u = (b, a)\n"
    "        return u\n"
    "    @R.function(private=True)\n"
    "    def times(x: R.Tensor((\"m\",), dtype=\"float32\"), k: R.Tensor((), dtype=\"int64\")) -> "
    "R.Tensor((\"m\",), dtype=\"float32\"):\n"
    "        m = T.int64()\n"
    "        cls = Module\n"
    "        more = R.less(R.const(0, \"int64\"), k)\n"
    "        if more:\n"
    "            a = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((m,), dtype=\"float32\"))\n"
    "            j = R.subtract(k, R.const(1, \"int64\"))\n"
    "            y = cls.times(a, j)\n"
    "        else:\n"
    "            y = x\n"
    "        return y\n"
    "    @R.function(private=True)\n"
    "    def shaped(s: R.Shape([\"a\", \"b\"]), q: R.Prim(value=\"p\"), r: R.Prim(value=\"p + "
    "a\")) "
    "-> R.Tensor((\"a + b\",), dtype=\"int64\"):\n"
    "        a, b, p = T.int64(), T.int64(), T.int64()\n"
    "        cls = Module\n"
    "        y = R.call_tir(cls.fill, (), out_sinfo=R.Tensor((a + b,), dtype=\"int64\"), "
    "tir_vars=R.shape([p]))\n"
    "        return y\n"
    "    @R.function(private=True)\n"
    "    def applied(f: R.Callable((R.Tensor((\"m\",), dtype=\"float32\"),), R.Tensor((\"m\",), "
    "dtype=\"float32\"), True), x: R.Tensor((\"m\",), dtype=\"float32\")) -> R.Tensor((\"m\",), "
    "dtype=\"float32\"):\n"
    "        m = T.int64()\n"
    "        y: R.Tensor((m,), dtype=\"float32\") = f(x)\n"
    "        z: R.Tensor((m,), dtype=\"float32\") = f(y)\n"
    "        return z\n";

enum { MAX_VARS = 300, MAX_DIMS = 2, MAX_ITEMS = 3 };

typedef enum gen_kind { VEC_F32, VEC_I64, VEC_BOOL, SHAPE, NUMBER, TUPLE, FUNC } gen_kind;

/* Tensors, shapes: sizes. Tuples: items. Functions: parameter, result. */
typedef struct gen_type {
  gen_kind kind;
  int32_t n;
  int32_t dims[MAX_DIMS];
  const struct gen_type *items[MAX_ITEMS];
} gen_type;

typedef struct gen_var {
  const gen_type *type;
  int32_t id;
  char name[16];
} gen_var;

typedef struct gen_size {
  char text[24];
  int32_t twice; /* the size of twice as much, or -1 */
} gen_size;

typedef struct generator {
  tn_rng rng;
  tn_arena arena;
  tn_buf *out;
  int32_t next_id;
  int32_t indent;
  int32_t depth;
  int32_t n_private; /* private functions made so far: p0, p1 ... */
  bool is_dataflow;
  bool is_pure;
  TN_VEC(gen_var) vars;
  TN_VEC(gen_size) sizes;
} generator;

typedef struct gen_scope {
  size_t n_vars;
  size_t n_sizes;
} gen_scope;

static gen_scope scope_of(const generator *g) {
  return (gen_scope){.n_vars = g->vars.len, .n_sizes = g->sizes.len};
}

static void leave(generator *g, gen_scope scope) {
  g->vars.len = scope.n_vars;
  g->sizes.len = scope.n_sizes;
}

static uint32_t below(generator *g, uint32_t n) { return (uint32_t)tn_rng_below(&g->rng, n); }

static void line(generator *g, const char *fmt, ...) TN_PRINTF(2, 3);
static void line(generator *g, const char *fmt, ...) {
  va_list args;
  tn_buf_printf(g->out, "%*s", g->indent, "");
  va_start(args, fmt);
  tn_buf_vprintf(g->out, fmt, args);
  va_end(args);
  tn_buf_putc(g->out, '\n');
}

/* ---- types ---- */

static const gen_type *type_of(generator *g, gen_kind kind, int32_t n, const int32_t *dims) {
  gen_type *type = TN_ARENA_NEW(&g->arena, gen_type);
  type->kind = kind;
  type->n = n;
  for (int32_t i = 0; i < n; ++i) {
    type->dims[i] = dims[i];
  }
  return type;
}

static const gen_type *vector_of(generator *g, gen_kind kind, int32_t size) {
  return type_of(g, kind, 1, &size);
}

static const gen_type *group_of(generator *g, gen_kind kind, int32_t n,
                                const gen_type *const *items) {
  gen_type *type = TN_ARENA_NEW(&g->arena, gen_type);
  type->kind = kind;
  type->n = n;
  for (int32_t i = 0; i < n; ++i) {
    type->items[i] = items[i];
  }
  return type;
}

static bool is_group(const gen_type *type) { return type->kind == TUPLE || type->kind == FUNC; }

static bool same_type(const gen_type *a, const gen_type *b) {
  if (a->kind != b->kind || a->n != b->n) {
    return false;
  }
  for (int32_t i = 0; i < a->n; ++i) {
    if (is_group(a) ? !same_type(a->items[i], b->items[i]) : a->dims[i] != b->dims[i]) {
      return false;
    }
  }
  return true;
}

static void put_dims(const generator *g, const gen_type *type, tn_buf *out) {
  for (int32_t i = 0; i < type->n; ++i) {
    tn_buf_printf(out, i == 0 ? "%s" : ", %s", g->sizes.data[type->dims[i]].text);
  }
}

static void put_type(const generator *g, const gen_type *type, tn_buf *out) {
  static const char *const dtypes[] = {"float32", "int64", "bool"};
  switch (type->kind) {
    case VEC_F32:
    case VEC_I64:
    case VEC_BOOL:
      tn_buf_puts(out, "R.Tensor((");
      put_dims(g, type, out);
      tn_buf_printf(out, "%s), dtype=\"%s\")", type->n == 1 ? "," : "", dtypes[type->kind]);
      break;
    case SHAPE:
      tn_buf_puts(out, "R.Shape([");
      put_dims(g, type, out);
      tn_buf_puts(out, "])");
      break;
    case NUMBER:
      tn_buf_puts(out, "R.Prim(\"int64\")");
      break;
    case TUPLE:
      tn_buf_puts(out, "R.Tuple(");
      for (int32_t i = 0; i < type->n; ++i) {
        tn_buf_puts(out, i == 0 ? "" : ", ");
        put_type(g, type->items[i], out);
      }
      tn_buf_putc(out, ')');
      break;
    case FUNC:
      tn_buf_puts(out, "R.Callable((");
      put_type(g, type->items[0], out);
      tn_buf_puts(out, ",), ");
      put_type(g, type->items[1], out);
      tn_buf_puts(out, ", True)");
      break;
  }
}

/* The text is the arena's. */
static const char *text_of(generator *g, const gen_type *type) {
  tn_buf text = TN_BUF_INIT;
  put_type(g, type, &text);
  const char *copy = tn_arena_strndup(&g->arena, text.data, text.len);
  tn_buf_deinit(&text);
  return copy;
}

static const char *size_text(const generator *g, int32_t size) { return g->sizes.data[size].text; }

static int32_t add_size(generator *g, const char *text, int32_t twice) {
  gen_size size = {.twice = twice};
  (void)snprintf(size.text, sizeof size.text, "%s", text);
  TN_VEC_PUSH(&g->sizes, size);
  return (int32_t)g->sizes.len - 1;
}

/* ---- variables ---- */

static void add_var(generator *g, const char *name, const gen_type *type) {
  gen_var v = {.type = type, .id = g->next_id};
  (void)snprintf(v.name, sizeof v.name, "%s", name);
  TN_VEC_PUSH(&g->vars, v);
}

/* Writes "v7 = " and whatever follows; sometimes with the type. */
static void bind(generator *g, const gen_type *type, const char *fmt, ...) TN_PRINTF(3, 4);
static void bind(generator *g, const gen_type *type, const char *fmt, ...) {
  va_list args;
  char name[16];
  (void)snprintf(name, sizeof name, "v%d", g->next_id++);
  tn_buf_printf(g->out, "%*s%s", g->indent, "", name);
  if (type->kind != FUNC && below(g, 6) == 0) {
    tn_buf_printf(g->out, ": %s", text_of(g, type));
  }
  tn_buf_puts(g->out, " = ");
  va_start(args, fmt);
  tn_buf_vprintf(g->out, fmt, args);
  va_end(args);
  tn_buf_putc(g->out, '\n');
  add_var(g, name, type);
}

typedef bool (*gen_wish)(const gen_type *type, const gen_type *like);

/* A variable that `wish` accepts, late ones as often as early ones; NULL: there is none. */
static const gen_var *pick(generator *g, gen_wish wish, const gen_type *like) {
  size_t start = g->vars.len == 0 ? 0 : below(g, (uint32_t)g->vars.len);
  for (size_t i = 0; i < g->vars.len; ++i) {
    const gen_var *v = &g->vars.data[(start + i) % g->vars.len];
    if (wish(v->type, like)) {
      return v;
    }
  }
  return NULL;
}

static bool is_like(const gen_type *type, const gen_type *like) { return same_type(type, like); }
static bool is_any(const gen_type *type, const gen_type *like) {
  return like == NULL && type != NULL;
}
static bool is_float_vector(const gen_type *type, const gen_type *like) {
  return like == NULL && type->kind == VEC_F32 && type->n == 1;
}
static bool is_numbers(const gen_type *type, const gen_type *like) {
  return like == NULL && (type->kind == VEC_F32 || type->kind == VEC_I64);
}
static bool is_tensor(const gen_type *type, const gen_type *like) {
  return like == NULL && type->kind <= VEC_BOOL;
}
static bool is_condition(const gen_type *type, const gen_type *like) {
  return like == NULL && type->kind == VEC_BOOL && type->n == 0;
}
static bool is_tuple(const gen_type *type, const gen_type *like) {
  return like == NULL && type->kind == TUPLE;
}
static bool is_shape(const gen_type *type, const gen_type *like) {
  return like == NULL && type->kind == SHAPE;
}
static bool is_func(const gen_type *type, const gen_type *like) {
  return like == NULL && type->kind == FUNC;
}
static bool is_vector_func(const gen_type *type, const gen_type *like) {
  return like == NULL && type->kind == FUNC && type->items[0]->kind == VEC_F32 &&
         type->items[0]->n == 1 && same_type(type->items[0], type->items[1]);
}
static bool is_value(const gen_type *type, const gen_type *like) {
  return like == NULL && type->kind != FUNC;
}

static bool holds_func(const gen_type *type) {
  bool is_found = type->kind == FUNC;
  for (int32_t i = 0; type->kind == TUPLE && i < type->n; ++i) {
    is_found = is_found || holds_func(type->items[i]);
  }
  return is_found;
}

static bool is_plain(const gen_type *type, const gen_type *like) {
  return like == NULL && !holds_func(type);
}

/* ---- calls of loop functions and of the host ---- */

static void gen_double(generator *g) {
  const gen_var v = *pick(g, is_float_vector, NULL);
  bind(g, v.type, "R.call_tir(cls.double, (%s,), out_sinfo=%s)", v.name, text_of(g, v.type));
}

static void gen_add(generator *g) {
  const gen_var v = *pick(g, is_float_vector, NULL);
  const gen_var w = *pick(g, is_like, v.type);
  if (below(g, 2) == 0) {
    bind(g, v.type, "R.call_tir(cls.add, (%s, %s), out_sinfo=%s)", v.name, w.name,
         text_of(g, v.type));
  } else {
    bind(g, v.type, "R.call_dps_packed(\"env.add\", (%s, %s), out_sinfo=%s)", v.name, w.name,
         text_of(g, v.type));
  }
}

static void gen_both(generator *g) {
  const gen_var v = *pick(g, is_float_vector, NULL);
  int32_t twice = g->sizes.data[v.type->dims[0]].twice;
  if (twice < 0) {
    gen_double(g);
    return;
  }
  const gen_type *items[] = {v.type, vector_of(g, VEC_F32, twice)};
  bind(g, group_of(g, TUPLE, 2, items), "R.call_tir(cls.both, (%s,), out_sinfo=[%s, %s])", v.name,
       text_of(g, items[0]), text_of(g, items[1]));
}

/* In place on a value of its own, which nobody sees afterwards, or on one that others see. */
static void gen_inplace(generator *g) {
  gen_var v = *pick(g, is_float_vector, NULL);
  size_t n_before = g->vars.len;
  if (below(g, 2) == 0) {
    bind(g, v.type, "R.call_tir(cls.double, (%s,), out_sinfo=%s)", v.name, text_of(g, v.type));
    v = TN_VEC_LAST(&g->vars);
    g->vars.len = n_before;
  }
  bind(g, v.type, "R.call_tir_inplace(cls.bump, (%s,), out_sinfo=%s, inplace_indices=[0])", v.name,
       text_of(g, v.type));
}

static void gen_fill(generator *g) {
  int32_t size = (int32_t)below(g, (uint32_t)g->sizes.len);
  int32_t start = (int32_t)below(g, (uint32_t)g->sizes.len);
  const gen_type *type = vector_of(g, VEC_I64, size);
  bind(g, type, "R.call_tir(cls.fill, (), out_sinfo=%s, tir_vars=R.shape([%s - 2]))",
       text_of(g, type), size_text(g, start));
}

static void gen_packed(generator *g) {
  const gen_var v = *pick(g, is_float_vector, NULL);
  bind(g, v.type, "R.call_%spacked(\"host.inc\", %s, sinfo_args=(%s,))",
       g->is_pure || g->is_dataflow || below(g, 2) == 0 ? "pure_" : "", v.name, text_of(g, v.type));
}

/* ---- operators ---- */

static void gen_unary(generator *g) {
  static const char *const names[] = {"negative", "abs", "nn.relu", "floor", "ceil"};
  const gen_var v = *pick(g, is_numbers, NULL);
  bind(g, v.type, "R.%s(%s)", names[below(g, v.type->kind == VEC_F32 ? 5 : 2)], v.name);
}

static void gen_binary(generator *g) {
  static const char *const signs[] = {"+", "-", "*"};
  static const char *const names[] = {"maximum", "minimum"};
  const gen_var v = *pick(g, is_numbers, NULL);
  const gen_var w = *pick(g, is_like, v.type);
  if (below(g, 2) == 0) {
    bind(g, v.type, "%s %s %s", v.name, signs[below(g, 3)], w.name);
  } else {
    bind(g, v.type, "R.%s(%s, %s)", names[below(g, 2)], v.name, w.name);
  }
}

static void gen_compare(generator *g) {
  static const char *const names[] = {"less", "less_equal", "greater", "equal", "not_equal"};
  const gen_var v = *pick(g, is_numbers, NULL);
  const gen_var w = *pick(g, is_like, v.type);
  bind(g, type_of(g, VEC_BOOL, v.type->n, v.type->dims), "R.%s(%s, %s)", names[below(g, 5)], v.name,
       w.name);
}

/* A condition of what the values are. */
static void gen_condition(generator *g) {
  const gen_var v = *pick(g, is_numbers, NULL);
  const gen_type *type = type_of(g, VEC_BOOL, 0, NULL);
  bind(g, type, "R.less(R.max(%s), R.const(%d, \"%s\"))", v.name, (int)below(g, 30),
       v.type->kind == VEC_F32 ? "float32" : "int64");
}

static void gen_reduce(generator *g) {
  static const char *const names[] = {"max", "min", "sum"};
  const gen_var v = *pick(g, is_numbers, NULL);
  int32_t axis = v.type->n > 0 ? (int32_t)below(g, (uint32_t)v.type->n) : 0;
  const char *name = names[below(g, v.type->kind == VEC_I64 ? 3 : 2)];
  if (v.type->n < 2) {
    bind(g, type_of(g, v.type->kind, 0, NULL), "R.%s(%s)", name, v.name);
  } else {
    bind(g, vector_of(g, v.type->kind, v.type->dims[1 - axis]), "R.%s(%s, axis=%d)", name, v.name,
         axis);
  }
}

static void gen_reshaped(generator *g) {
  const gen_var v = *pick(g, is_numbers, NULL);
  if (v.type->n == 2) {
    const int32_t dims[] = {v.type->dims[1], v.type->dims[0]};
    bind(g, type_of(g, v.type->kind, 2, dims), "R.permute_dims(%s)", v.name);
    return;
  }
  for (int32_t i = 0; v.type->n == 1 && i < (int32_t)g->sizes.len; ++i) {
    if (g->sizes.data[i].twice == v.type->dims[0]) {
      const int32_t dims[] = {i, 0};
      bind(g, type_of(g, v.type->kind, 2, dims), "R.reshape(%s, (%s, 2))", v.name, size_text(g, i));
      return;
    }
  }
  gen_kind kind = v.type->kind == VEC_F32 ? VEC_I64 : VEC_F32;
  bind(g, type_of(g, kind, v.type->n, v.type->dims), "R.astype(%s, \"%s\")", v.name,
       kind == VEC_F32 ? "float32" : "int64");
}

/* ---- values ---- */

static void gen_tuple(generator *g) {
  const gen_type *items[MAX_ITEMS];
  tn_buf names = TN_BUF_INIT;
  int32_t n = 1 + (int32_t)below(g, MAX_ITEMS);
  for (int32_t i = 0; i < n; ++i) {
    const gen_var *v = pick(g, is_any, NULL);
    items[i] = v->type;
    tn_buf_printf(&names, i == 0 ? "%s" : ", %s", v->name);
  }
  if (below(g, 2) == 0) {
    bind(g, group_of(g, TUPLE, n, items), "R.tuple(%s)", tn_buf_text(&names));
  } else {
    bind(g, group_of(g, TUPLE, n, items), "(%s%s)", tn_buf_text(&names), n == 1 ? "," : "");
  }
  tn_buf_deinit(&names);
}

static void gen_item(generator *g) {
  const gen_var *t = pick(g, is_tuple, NULL);
  if (t == NULL) {
    gen_tuple(g);
    return;
  }
  const gen_var v = *t;
  int32_t i = (int32_t)below(g, (uint32_t)v.type->n);
  bind(g, v.type->items[i], "%s[%d]", v.name, i);
}

static void gen_shape(generator *g) {
  const gen_var *v = pick(g, is_tensor, NULL);
  if (below(g, 2) == 0) {
    const gen_var x = *v;
    bind(g, type_of(g, SHAPE, x.type->n, x.type->dims), "R.shape_of(%s)", x.name);
    return;
  }
  const int32_t dims[] = {(int32_t)below(g, (uint32_t)g->sizes.len),
                          (int32_t)below(g, (uint32_t)g->sizes.len)};
  bind(g, type_of(g, SHAPE, 2, dims), "R.shape([%s, %s])", size_text(g, dims[0]),
       size_text(g, dims[1]));
}

/* New names for sizes that are not known to be those of before. */
static void gen_match_cast(generator *g) {
  const gen_var *found = pick(g, below(g, 3) == 0 ? is_shape : is_tensor, NULL);
  if (found == NULL || found->type->n == 0) {
    gen_shape(g);
    return;
  }
  const gen_var v = *found;
  int32_t dims[MAX_DIMS] = {0};
  for (int32_t i = 0; i < v.type->n; ++i) {
    char text[24];
    (void)snprintf(text, sizeof text, "s%d", g->next_id++);
    line(g, "%s = T.int64()", text);
    dims[i] = add_size(g, text, -1);
  }
  const gen_type *type = type_of(g, v.type->kind, v.type->n, dims);
  bind(g, type, "R.match_cast(%s, %s)", v.name, text_of(g, type));
  if (v.type->kind == VEC_F32 && v.type->n == 1 && below(g, 2) == 0) { /* and back */
    const gen_var w = TN_VEC_LAST(&g->vars);
    bind(g, v.type, "R.match_cast(%s, %s)", w.name, text_of(g, v.type));
  }
}

static void gen_through_object(generator *g) {
  const gen_var v = *pick(g, is_plain, NULL);
  size_t n_before = g->vars.len;
  bind(g, type_of(g, FUNC, 0, NULL), "cls.through(%s)", v.name); /* a kind that shows no type */
  const gen_var o = TN_VEC_LAST(&g->vars);
  g->vars.len = n_before;
  bind(g, v.type, "R.match_cast(%s, %s)", o.name, text_of(g, v.type));
}

static void gen_swap(generator *g) {
  const gen_var v = *pick(g, is_plain, NULL);
  const gen_var w = *pick(g, is_plain, NULL);
  size_t n_before = g->vars.len;
  bind(g, type_of(g, FUNC, 0, NULL), "cls.swap((%s, %s))", v.name, w.name);
  const gen_var o = TN_VEC_LAST(&g->vars);
  g->vars.len = n_before;
  const gen_type *items[] = {w.type, v.type};
  const gen_type *type = group_of(g, TUPLE, 2, items);
  bind(g, type, "R.match_cast(%s, %s)", o.name, text_of(g, type));
}

static void gen_const(generator *g) {
  const int32_t three = 1;
  if (below(g, 2) == 0) {
    bind(g, vector_of(g, VEC_F32, three), "R.const([%d.5, %d, -1], \"float32\")", (int)below(g, 9),
         (int)below(g, 9));
  } else {
    bind(g, vector_of(g, VEC_I64, three), "R.const([%d, -%d, 4], \"int64\")", (int)below(g, 9),
         (int)below(g, 9));
  }
}

static void gen_view(generator *g) {
  const gen_var v = *pick(g, is_float_vector, NULL);
  bind(g, v.type, "R.memory.view(%s, R.shape([%s]), R.dtype(\"float32\"), R.prim_value(0))", v.name,
       size_text(g, v.type->dims[0]));
}

/* ---- calls of graph functions ---- */

static void gen_helper(generator *g) {
  const gen_var v = *pick(g, is_float_vector, NULL);
  switch (below(g, 3)) {
    case 0:
      bind(g, v.type, "cls.helper(%s)", v.name);
      break;
    case 1:
      bind(g, v.type, "cls.times(%s, R.const(%d, \"int64\"))", v.name, (int)below(g, 4));
      break;
    default:
      if (g->n_private == 0) {
        bind(g, v.type, "cls.helper(%s)", v.name);
      } else {
        const gen_var w = *pick(g, is_like, v.type);
        bind(g, v.type, "cls.p%d(%s, %s)", (int)below(g, (uint32_t)g->n_private), v.name, w.name);
      }
      break;
  }
}

static void gen_shaped(generator *g) {
  int32_t a = 0;
  int32_t b = 1;
  bind(g, vector_of(g, VEC_I64, 2),
       "cls.shaped(R.shape([%s, %s]), R.prim_value(7), R.prim_value(9))", size_text(g, a),
       size_text(g, b));
}

static void gen_func_call(generator *g) {
  const gen_var *func = pick(g, is_func, NULL);
  if (func == NULL) {
    gen_helper(g);
    return;
  }
  const gen_var f = *func;
  const gen_var *arg = pick(g, is_like, f.type->items[0]);
  if (arg == NULL) {
    gen_helper(g);
    return;
  }
  const gen_var v = *arg;
  switch (below(g, 3)) {
    case 0:
      bind(g, f.type->items[1], "R.invoke_pure_closure(%s, (%s,), sinfo_args=(%s,))", f.name,
           v.name, text_of(g, f.type->items[1]));
      break;
    case 1:
      if (is_vector_func(f.type, NULL)) {
        bind(g, f.type->items[1], "cls.applied(%s, %s)", f.name, v.name);
        break;
      }
      bind(g, f.type->items[1], "%s(%s)", f.name, v.name);
      break;
    default:
      bind(g, f.type->items[1], "%s(%s)", f.name, v.name);
      break;
  }
}

static void gen_stmts(generator *g, int32_t n);

static void gen_branch(generator *g, int32_t n, const char *result, const gen_type *type) {
  gen_scope scope = scope_of(g);
  g->indent += 4;
  gen_stmts(g, n);
  line(g, "%s = %s", result, pick(g, is_like, type)->name);
  g->indent -= 4;
  leave(g, scope);
}

static void gen_if(generator *g) {
  char result[16];
  char cond[16];
  const gen_type *type = pick(g, is_value, NULL)->type;
  const gen_var *c = pick(g, is_condition, NULL);
  if (c == NULL) {
    gen_condition(g);
    c = &TN_VEC_LAST(&g->vars);
  }
  (void)snprintf(cond, sizeof cond, "%s", c->name);
  (void)snprintf(result, sizeof result, "v%d", g->next_id++);
  ++g->depth;
  line(g, "if %s:", cond);
  gen_branch(g, (int32_t)below(g, 4), result, type);
  line(g, "else:");
  gen_branch(g, (int32_t)below(g, 4), result, type);
  --g->depth;
  add_var(g, result, type);
}

static bool is_outside(const gen_type *type, size_t n_sizes) {
  bool is_good = true;
  for (int32_t i = 0; i < type->n; ++i) {
    is_good = is_good && (is_group(type) ? is_outside(type->items[i], n_sizes)
                                         : (size_t)type->dims[i] < n_sizes);
  }
  return is_good;
}

/* A function inside this one: it sees all that is visible here. */
static void gen_inner(generator *g) {
  char name[16];
  char param[16];
  const gen_type *items[] = {pick(g, is_plain, NULL)->type, NULL};
  gen_scope scope = scope_of(g);
  bool was_pure = g->is_pure;
  (void)snprintf(name, sizeof name, "v%d", g->next_id++);
  (void)snprintf(param, sizeof param, "v%d", g->next_id++);
  line(g, "@R.function");
  line(g, "def %s(%s: %s):", name, param, text_of(g, items[0]));
  g->indent += 4;
  ++g->depth;
  g->is_pure = true;
  add_var(g, param, items[0]);
  gen_stmts(g, 1 + (int32_t)below(g, 4));
  const gen_var *result = NULL; /* of sizes that have names outside */
  for (size_t i = g->vars.len; i-- > 0 && result == NULL;) {
    const gen_type *type = g->vars.data[i].type;
    result = type->kind <= VEC_I64 && is_outside(type, scope.n_sizes) ? &g->vars.data[i] : NULL;
  }
  items[1] = result->type;
  line(g, "return %s", result->name);
  g->indent -= 4;
  --g->depth;
  g->is_pure = was_pure;
  leave(g, scope);
  add_var(g, name, group_of(g, FUNC, 2, items));
}

/* ---- statements ---- */

static void gen_nested(generator *g) {
  if (g->is_dataflow || g->depth >= 2) {
    gen_func_call(g);
  } else if (below(g, 3) == 0) {
    gen_inner(g);
  } else {
    gen_if(g);
  }
}

static void gen_stmt(generator *g) {
  static void (*const makers[])(generator *) = {
      gen_double, gen_add,        gen_add,       gen_both,   gen_inplace,        gen_fill,
      gen_packed, gen_unary,      gen_binary,    gen_binary, gen_compare,        gen_condition,
      gen_reduce, gen_reshaped,   gen_tuple,     gen_tuple,  gen_item,           gen_item,
      gen_shape,  gen_match_cast, gen_helper,    gen_swap,   gen_through_object, gen_const,
      gen_view,   gen_func_call,  gen_func_call, gen_nested, gen_nested,         gen_nested,
  };
  makers[below(g, sizeof makers / sizeof makers[0])](g);
}

static void gen_stmts(generator *g, int32_t n) {
  for (int32_t i = 0; i < n && g->vars.len < MAX_VARS; ++i) {
    gen_stmt(g);
  }
}

/* A block; some of its variables stay visible, of those whose sizes had names before. */
static void gen_dataflow(generator *g, int32_t n) {
  gen_scope scope = scope_of(g);
  line(g, "with R.dataflow():");
  g->indent += 4;
  g->is_dataflow = true;
  gen_stmts(g, n);
  const gen_var first = g->vars.data[0];
  bind(g, first.type, "R.call_tir(cls.double, (%s,), out_sinfo=%s)", first.name,
       text_of(g, first.type));
  g->is_dataflow = false;
  size_t n_kept = scope.n_vars;
  tn_buf outputs = TN_BUF_INIT;
  for (size_t i = scope.n_vars; i < g->vars.len; ++i) {
    bool is_last = i + 1 == g->vars.len && n_kept == scope.n_vars;
    bool is_good = is_outside(g->vars.data[i].type, scope.n_sizes);
    if (is_last || (is_good && below(g, 2) == 0)) {
      tn_buf_printf(&outputs, "%s%s", n_kept == scope.n_vars ? "" : ", ", g->vars.data[i].name);
      g->vars.data[n_kept++] = g->vars.data[i];
    }
  }
  line(g, "R.output(%s)", tn_buf_text(&outputs));
  tn_buf_deinit(&outputs);
  leave(g, (gen_scope){.n_vars = n_kept, .n_sizes = scope.n_sizes});
  g->indent -= 4;
}

static void gen_body(generator *g, int32_t n_stmts) {
  while (n_stmts > 0) {
    int32_t n = 1 + (int32_t)below(g, 5);
    if (below(g, 3) == 0) {
      gen_dataflow(g, n);
    } else {
      gen_stmts(g, n);
    }
    n_stmts -= n;
  }
}

/* ---- functions ---- */

/* The first sizes are always 2, 3 and what `shaped` gives. */
static void begin(generator *g, const char *first) {
  char text[24];
  g->vars.len = 0;
  g->sizes.len = 0;
  (void)add_size(g, "2", -1);
  (void)add_size(g, "3", -1);
  (void)add_size(g, "5", -1);
  (void)snprintf(text, sizeof text, "%s * 4", first);
  int32_t four = add_size(g, text, -1);
  (void)snprintf(text, sizeof text, "%s * 2", first);
  int32_t two = add_size(g, text, four);
  (void)add_size(g, first, two);
}

static void gen_private(generator *g, int32_t n_stmts) {
  line(g, "@R.function(private=True)");
  line(g,
       "def p%d(a: R.Tensor((\"k\",), dtype=\"float32\"), b: R.Tensor((\"k\",), "
       "dtype=\"float32\")) -> R.Tensor((\"k\",), dtype=\"float32\"):",
       g->n_private);
  begin(g, "k");
  g->indent += 4;
  g->is_pure = true;
  line(g, "k = T.int64()");
  line(g, "cls = Module");
  const gen_type *vector = vector_of(g, VEC_F32, (int32_t)g->sizes.len - 1);
  add_var(g, "a", vector);
  add_var(g, "b", vector);
  gen_body(g, n_stmts);
  line(g, "return %s", pick(g, is_like, vector)->name);
  g->indent -= 4;
  ++g->n_private;
}

static void gen_params(generator *g) {
  int32_t n = (int32_t)g->sizes.len - 1;
  int32_t m = add_size(g, "m", -1);
  const int32_t rows[] = {m, 1};
  const int32_t both[] = {m, n};
  (void)add_size(g, "m + n", -1);
  const gen_type *vector = vector_of(g, VEC_F32, n);
  const gen_type *inner[] = {type_of(g, VEC_I64, 0, NULL), type_of(g, SHAPE, 2, both)};
  const gen_type *items[] = {vector, group_of(g, TUPLE, 2, inner)};
  add_var(g, "x", vector);
  add_var(g, "y", vector);
  add_var(g, "z", type_of(g, VEC_I64, 2, rows));
  add_var(g, "c", type_of(g, VEC_BOOL, 0, NULL));
  add_var(g, "t", group_of(g, TUPLE, 2, items));
  add_var(g, "k", type_of(g, NUMBER, 0, NULL));
}

static void gen_public(generator *g, int32_t index, int32_t n_stmts) {
  line(g, "@R.function(pure=False)");
  line(g,
       "def f%d(x: R.Tensor((\"n\",), dtype=\"float32\"), y: R.Tensor((\"n\",), "
       "dtype=\"float32\"), z: R.Tensor((\"m\", 3), dtype=\"int64\"), c: R.Tensor((), "
       "dtype=\"bool\"), t: R.Tuple(R.Tensor((\"n\",), dtype=\"float32\"), R.Tuple(R.Tensor((), "
       "dtype=\"int64\"), R.Shape([\"m\", \"n\"]))), k: R.Prim(\"int64\")):",
       index);
  begin(g, "n");
  g->indent += 4;
  g->is_pure = false;
  line(g, "n, m = T.int64(), T.int64()");
  line(g, "cls = Module");
  gen_params(g);
  gen_body(g, n_stmts);
  const gen_var last = *pick(g, is_plain, NULL);
  const gen_var other = *pick(g, is_plain, NULL);
  gen_shaped(g);
  line(g, "return (%s, %s, %s, %s)", last.name, other.name, TN_VEC_LAST(&g->vars).name,
       pick(g, is_tensor, NULL)->name);
  g->indent -= 4;
}

void gen_graph_module(uint64_t seed, int32_t n_funcs, int32_t n_stmts, tn_buf *out) {
  generator g = {.rng = tn_rng_make(seed), .out = out, .indent = 4};
  tn_arena_init(&g.arena, 0);
  tn_buf_puts(out, "from tvm.script import ir as I\nfrom tvm.script import relax as R\n"
                   "from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n");
  tn_buf_puts(out, gen_graph_kernels);
  tn_buf_puts(out, more_kernels);
  tn_buf_puts(out, helpers);
  for (int32_t i = 0; i < 2; ++i) {
    gen_private(&g, n_stmts / 2 + 1);
  }
  for (int32_t i = 0; i < n_funcs; ++i) {
    gen_public(&g, i, n_stmts);
  }
  TN_VEC_DEINIT(&g.vars);
  TN_VEC_DEINIT(&g.sizes);
  tn_arena_deinit(&g.arena);
}
