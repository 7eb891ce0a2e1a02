/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Integer sets: questions with known answers; witnesses are checked by evaluating the claim. */
#include "arith_text.h"
#include "tn_test.h"

typedef struct world {
  text_world w;
  tn_sets *sets;
} world;

static void setup(world *w) {
  *w = (world){.sets = tn_sets_new()};
  w->w.ir = tn_ir_new(0);
}

static void teardown(world *w) {
  tn_sets_free(w->sets);
  tn_ir_free(w->w.ir);
}

static const char *const verdicts[] = {"proved", "refuted", "undecided", "not affine"};

static void expect_verdict(const tn_answer *got, tn_verdict want, const char *what) {
  expect_true(got->verdict == want, "%s: %s, not %s", what, verdicts[got->verdict], verdicts[want]);
}

/* ---- one domain ---- */

typedef struct claim {
  const char *assume; /* or NULL */
  const char *domain;
  const char *cond; /* NULL: is it empty */
  tn_verdict want;
} claim;

static const claim claims[] = {
    {NULL, "i:8", NULL, TN_REFUTED},
    {NULL, "i:0", NULL, TN_PROVED},
    {NULL, "i:8 | i > 7", NULL, TN_PROVED},
    {NULL, "i:n", NULL, TN_REFUTED},
    {"n <= 0", "i:n", NULL, TN_PROVED},
    {NULL, "i:8 j:8 | i * 2 == j * 2 + 1", NULL, TN_PROVED},
    {NULL, "i:8 j:8 | i * 6 + j * 15 == 10", NULL, TN_PROVED},
    {NULL, "i:8 j:8 | i + j == 15", NULL, TN_PROVED},
    {NULL, "i:8 j:8 | i + j == 14", NULL, TN_REFUTED},
    {NULL, "i:8 j:i", "j < 7", TN_PROVED},
    {NULL, "i:8 j:(i+1)", "j < 7", TN_REFUTED},
    {NULL, "i:1~4 j:i~(8-i)", "j >= 1 and j < 8", TN_PROVED},
    {NULL, "io:((n+7)//8) ii:8", "io * 8 + ii < n", TN_REFUTED},
    {NULL, "io:((n+7)//8) ii:8 | io * 8 + ii < n", "io * 8 + ii < n", TN_PROVED},
    {"n % 8 == 0", "io:((n+7)//8) ii:8", "io * 8 + ii < n", TN_PROVED},
    {NULL, "io:(n//8) ii:8", "io * 8 + ii < n", TN_PROVED},
    {NULL, "i:64", "i // 8 * 8 + i % 8 == i", TN_PROVED},
    {NULL, "i:64", "(i - 32) /t 8 * 8 + (i - 32) %t 8 == i - 32", TN_PROVED},
    {NULL, "i:64", "(i - 32) /t 8 == (i - 32) // 8", TN_REFUTED},
    {NULL, "i:64", "(i - 32) // -8 == -((i - 25) // 8)", TN_PROVED},
    {NULL, "i:64", "(i - 32) % -8 <= 0", TN_PROVED},
    {NULL, "i:64", "i // 4 // 4 == i // 16", TN_PROVED},
    {NULL, "i:64", "i % 16 // 4 == i // 4 % 4", TN_PROVED},
    {NULL, "i:n", "min(i, n - 1) == i", TN_PROVED},
    {NULL, "i:n j:m", "max(i, j) < max(n, m)", TN_PROVED},
    {NULL, "i:n j:m", "max(i, j) < min(n, m)", TN_REFUTED},
    {NULL, "i:(min(8, n))", "i < 8 and i < n", TN_PROVED},
    {NULL, "i:8", "not (i < 3) or (i <= 2 and i != 5)", TN_PROVED},
    {NULL, "i:8", "(i < 3) == (i <= 2)", TN_PROVED},
    {NULL, "i:8", "(i < 3) != (i > 2)", TN_PROVED},
    {NULL, "i:8", "(i < 3) == (i <= 3)", TN_REFUTED},
    {NULL, "i:n", "i <= 2147483646", TN_PROVED},
    {NULL, "i:n j:n", "i * j >= 0", TN_NOT_AFFINE},
    {NULL, "i:n", "i // n == 0", TN_NOT_AFFINE},
    {NULL, "i:(n*m) | i > 5", "i > 4 and i < n * m", TN_PROVED},
    {NULL, "i:(n*m)", "i < n", TN_NOT_AFFINE},
    {"n >= 1 and m >= n", "i:n", "i < m", TN_PROVED},
    {"m >= n", "i:n", "i < m", TN_PROVED},
    {"k >= n", "i:n", "i < m", TN_REFUTED},
    /* a number that int32 cannot hold in between: not what it seems */
    {NULL, "i:8", "i * 1000000000 >= 0", TN_NOT_AFFINE},
    {NULL, "i:n", "i * 2000000 + 2000000 > i", TN_NOT_AFFINE},
    {NULL, "i:2", "i * 2147483647 >= 0", TN_PROVED},
};

static void questions_about_one_domain_are_decided(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(claims); ++i) {
    const claim *c = &claims[i];
    world w;
    setup(&w);
    if (c->assume != NULL) {
      (void)tn_sets_assume(w.sets, text_expr(&w.w, c->assume));
    }
    text_domain d = text_domain_of(&w.w, c->domain);
    tn_domain domain = text_as_domain(&d);
    const tn_node *cond = c->cond == NULL ? NULL : text_expr(&w.w, c->cond);
    tn_answer a =
        cond == NULL ? tn_sets_is_empty(w.sets, &domain) : tn_sets_is_true(w.sets, &domain, cond);
    char what[256];
    (void)snprintf(what, sizeof what, "%s: %s", c->domain, c->cond == NULL ? "empty" : c->cond);
    expect_verdict(&a, c->want, what);
    if (a.verdict == TN_REFUTED) {
      text_set_point(&w.w, &a.a);
      text_set_point(&w.w, &a.symbols);
      expect_true(a.a.n == d.vars.n && text_is_in(&w.w, &d), "%s: witness outside", what);
      expect_true(cond == NULL || !text_eval(&w.w, cond), "%s: witness proves nothing", what);
    }
    expect_true((a.verdict == TN_NOT_AFFINE) == (a.culprit != NULL), "%s: culprit", what);
    teardown(&w);
  }
}

/* ---- dependences ---- */

typedef struct dependence {
  const char *a;
  const char *b;         /* NULL: a */
  const char *orders[4]; /* "= i / i", "< i, j / i, j": of a, of b */
  tn_verdict want;
} dependence;

#define MATMUL "i:64 j:64 k:64 -> i, j"
#define TILED "io:8 jo:8 k:64 ii:8 ji:8 -> io * 8 + ii, jo * 8 + ji"

static const dependence dependences[] = {
    {MATMUL, NULL, {"< i / i"}, TN_PROVED},
    {MATMUL, NULL, {"= i, j / i, j", "< k / k"}, TN_REFUTED},
    {TILED, NULL, {"< io / io"}, TN_PROVED},
    {TILED, NULL, {"= io, jo, k / io, jo, k", "< ii / ii"}, TN_PROVED},
    {TILED, NULL, {"= io, jo / io, jo", "< k / k"}, TN_REFUTED},
    {"io:((n+7)//8) ii:8 | io * 8 + ii < n -> io * 8 + ii",
     NULL,
     {"!= io, ii / io, ii"},
     TN_PROVED},
    {"i:n -> i", "i:n -> i + 1", {"< i / i"}, TN_PROVED},
    {"i:n -> i + 1", "i:n -> i", {"< i / i"}, TN_REFUTED},
    {"i:n -> i * 2", "j:n -> j * 2 + 1", {NULL}, TN_PROVED},
    {"i:n -> i ~ 4", "j:n -> j * 4 ~ 4", {NULL}, TN_REFUTED},
    {"i:n -> i * 8 ~ 4", "j:n -> j * 8 + 4 ~ 4", {NULL}, TN_PROVED},
    {"i:n -> i ~ 3", "i:n -> i ~ 3", {"< i / i - 2"}, TN_PROVED},
    {"i:n -> i ~ 3", "i:n -> i ~ 3", {"< i / i - 1"}, TN_REFUTED},
    {"i:n j:m -> ", "k:n l:m -> ", {"= i, j / k, l", "< i / k"}, TN_PROVED},
    {"i:n j:m -> ", "k:n l:m -> ", {"< i, j / k, l", "> j / l"}, TN_REFUTED},
    {"i:n j:m -> ", "k:n l:m -> ", {"< i, j / k, l", "> i, j / k, l"}, TN_PROVED},
    {"i:n j:m -> ", "k:n l:m -> ", {"<= i, j / k, l", ">= i, j / k, l", "!= j / l"}, TN_PROVED},
    /* a skewed stencil: before in the old order, not before in the new */
    {"t:9 i:n -> i", "t:9 i:n -> i + 1", {"< t, i / t, i", "> t + i / t + i"}, TN_PROVED},
    {"t:9 i:n -> i", "t:9 i:n -> i + 1", {"< t, i / t, i", "> i / i"}, TN_REFUTED},
    {"i:n -> i * s", NULL, {"< i / i"}, TN_NOT_AFFINE},
};

static void read_order(text_world *w, const char *text, text_list *a, text_list *b,
                       tn_order *order) {
  static const struct {
    const char *text;
    tn_op op;
  } ops[] = {{"=", TN_OP_EQ},  {"!=", TN_OP_NE}, {"<=", TN_OP_LE},
             {">=", TN_OP_GE}, {"<", TN_OP_LT},  {">", TN_OP_GT}};
  char copy[128];
  (void)snprintf(copy, sizeof copy, "%s", text);
  char *slash = strstr(copy, " / ");
  *slash = 0;
  const char *p = copy;
  for (size_t i = 0; i < TN_N_ROWS(ops); ++i) {
    if (text_take(&p, ops[i].text)) {
      order->op = ops[i].op;
      break;
    }
  }
  *a = text_exprs(w, p);
  *b = text_exprs(w, slash + 3);
  order->n = a->n;
  order->a = a->items;
  order->b = b->items;
}

static void dependences_are_found_or_excluded(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(dependences); ++i) {
    const dependence *d = &dependences[i];
    world w;
    setup(&w);
    text_footprint fa = text_footprint_of(&w.w, d->a);
    text_footprint fb = text_footprint_of(&w.w, d->b == NULL ? d->a : d->b);
    tn_footprint a = text_as_footprint(&fa);
    tn_footprint b = text_as_footprint(&fb);
    text_list la[4];
    text_list lb[4];
    tn_order orders[4];
    uint32_t n_orders = 0;
    while (n_orders < 4 && d->orders[n_orders] != NULL) {
      read_order(&w.w, d->orders[n_orders], &la[n_orders], &lb[n_orders], &orders[n_orders]);
      n_orders += 1;
    }
    tn_answer got = tn_sets_is_independent(w.sets, &a, &b, n_orders, orders);
    expect_verdict(&got, d->want, d->a);
    expect_true(got.verdict != TN_REFUTED || (got.a.n == a.domain.n && got.b.n == b.domain.n),
                "%s: no witness", d->a);
    tn_answer again = tn_sets_is_independent(w.sets, &a, &b, n_orders, orders);
    expect_verdict(&again, d->want, d->a);
    teardown(&w);
  }
}

/* ---- coverage ---- */

typedef struct coverage {
  const char *part;
  const char *whole[3];
  tn_verdict want;
  bool is_equal; /* also the other way */
} coverage;

static const coverage coverages[] = {
    {"i:8 -> i", {"i:8 -> i"}, TN_PROVED, true},
    {"i:8 -> i", {"i:9 -> i"}, TN_PROVED, false},
    {"i:9 -> i", {"i:8 -> i"}, TN_REFUTED, false},
    {"i:n -> i", {"io:((n+7)//8) ii:8 -> io * 8 + ii"}, TN_PROVED, false},
    {"i:n -> i", {"io:((n+7)//8) ii:8 | io * 8 + ii < n -> io * 8 + ii"}, TN_PROVED, true},
    {"i:n -> i", {"io:(n//8) ii:8 -> io * 8 + ii"}, TN_REFUTED, false},
    {"i:n -> i", {"io:(n//8) ii:8 -> io * 8 + ii", "i:(n//8*8)~8 -> i"}, TN_PROVED, false},
    {"i:16 -> i", {"i:8 -> i * 2", "i:8 -> i * 2 + 1"}, TN_PROVED, false},
    {"i:16 -> i", {"i:8 -> i * 2", "i:7 -> i * 2 + 1"}, TN_REFUTED, false},
    {"i:4 -> i * 4 ~ 4", {"i:16 -> i"}, TN_PROVED, true},
    {"i:n j:m -> i, j", {"f:(n*m) -> f, 0"}, TN_NOT_AFFINE, false},
    {"x:8 y:8 -> x + y", {"z:15 -> z"}, TN_PROVED, true},
    /* what a 3-wide window needs of rows r .. r + 7 */
    {"i:8 d:3 -> r + i + d", {"k:10 -> r + k"}, TN_PROVED, true},
    {"i:8 d:3 -> r + i + d", {"k:9 -> r + k"}, TN_REFUTED, false},
    {"i:1~(n-2) d:3 -> i + d - 1", {"i:n -> i"}, TN_PROVED, false},
};

static void coverage_is_decided(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(coverages); ++i) {
    const coverage *c = &coverages[i];
    world w;
    setup(&w);
    text_footprint fp = text_footprint_of(&w.w, c->part);
    tn_footprint part = text_as_footprint(&fp);
    text_footprint fw[3];
    tn_footprint whole[3];
    uint32_t n = 0;
    while (n < 3 && c->whole[n] != NULL) {
      fw[n] = text_footprint_of(&w.w, c->whole[n]);
      whole[n] = text_as_footprint(&fw[n]);
      n += 1;
    }
    tn_answer a = tn_sets_is_covered(w.sets, &part, n, whole);
    expect_verdict(&a, c->want, c->part);
    expect_true(a.verdict != TN_REFUTED || a.a.n == part.domain.n, "%s: no witness", c->part);
    if (n == 1 && c->want == TN_PROVED) {
      a = tn_sets_is_equal(w.sets, &part, whole);
      expect_verdict(&a, c->is_equal ? TN_PROVED : TN_REFUTED, c->part);
    }
    teardown(&w);
  }
}

/* ---- maps ---- */

typedef struct map_case {
  const char *domain;
  const char *values;
  const char *extents; /* NULL: injective */
  tn_verdict want;
} map_case;

static const map_case maps[] = {
    {"i:n j:8", "i * 8 + j", NULL, TN_PROVED},
    {"i:n j:9", "i * 8 + j", NULL, TN_REFUTED},
    {"i:n j:8", "i * 8 + j", "n * 8", TN_PROVED},
    {"i:n", "i // 8, i % 8", "(n + 7) // 8, 8", TN_REFUTED},
    {"i:64", "i // 8, i % 8", "8, 8", TN_PROVED},
    {"i:64", "i // 8, i % 8", "7, 8", TN_REFUTED},
    {"i:n j:m", "j, i", "m, n", TN_PROVED},
    {"i:n j:m", "j, i", "n, m", TN_REFUTED},
    {"i:n", "n - 1 - i", "n", TN_PROVED},
    {"i:8 j:8", "(i + j) % 8, j", "8, 8", TN_PROVED}, /* a swizzle: no iteration map */
};

static void maps_are_injective_or_not(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(maps); ++i) {
    const map_case *c = &maps[i];
    world w;
    setup(&w);
    text_domain d = text_domain_of(&w.w, c->domain);
    tn_domain domain = text_as_domain(&d);
    text_list values = text_exprs(&w.w, c->values);
    text_list extents = text_exprs(&w.w, c->extents == NULL ? "" : c->extents);
    tn_answer a = c->extents == NULL ? tn_sets_is_injective(w.sets, &domain, values.n, values.items)
                                     : tn_sets_is_bijective(w.sets, &domain, values.n, values.items,
                                                            extents.items);
    expect_verdict(&a, c->want, c->values);
    teardown(&w);
  }
}

/* ---- boxes ---- */

typedef struct box_case {
  const char *footprint;
  const char *want; /* min ~ extent a dimension; NULL: none */
} box_case;

static const box_case boxes[] = {
    {"ii:8 k:64 -> io * 8 + ii, k", "(io * 8)~8 0~64"},
    {"i:n j:m -> i + 1, j * 2", "1~n 0~((m * 2) - 1)"},
    {"i:8 d:3 -> r * 8 + i + d - 1", "((r * 8) - 1)~10"},
    {"i:8 -> i * 4 + b ~ 4", "b~32"},
    {"i:2~n -> 5 - i", "(4 - n)~n"},
    {"ii:8 | io * 8 + ii < n -> io * 8 + ii", "(8 * io)~min(8, ((-8 * io) + n))"},
    {"i:64 -> i // 8, i % 8", "0~8 0~8"},
    {"i:16 -> (b * 16 + i) // 4", "(4 * b)~4"},
    {"i:(min(8, n - b)) -> b + i", "b~min(8, (n - b))"},
    {"i:n j:n -> i * j", NULL},
};

static void boxes_are_the_least(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(boxes); ++i) {
    world w;
    setup(&w);
    text_footprint ft = text_footprint_of(&w.w, boxes[i].footprint);
    tn_footprint f = text_as_footprint(&ft);
    const tn_node *mins[4];
    const tn_node *extents[4];
    tn_answer a = tn_sets_box(w.sets, w.w.ir, &f, mins, extents);
    tn_buf got = TN_BUF_INIT;
    for (uint32_t d = 0; d < f.access.n_dims && a.verdict == TN_PROVED; ++d) {
      tn_buf_printf(&got, d == 0 ? "" : " ");
      text_print(&got, mins[d]);
      tn_buf_printf(&got, "~");
      text_print(&got, extents[d]);
    }
    expect_text(tn_buf_text(&got), boxes[i].want == NULL ? "" : boxes[i].want);
    tn_buf_deinit(&got);
    teardown(&w);
  }
}

/* ---- the context ---- */

static void answers_are_remembered_by_structure(void **state) {
  (void)state;
  world w;
  setup(&w);
  const char *texts[] = {"i:n j:8 -> i * 8 + j", "x:m y:8 -> x * 8 + y", "x:m y:9 -> x * 8 + y"};
  for (int i = 0; i < 3; ++i) {
    text_footprint f = text_footprint_of(&w.w, texts[i]);
    tn_footprint a = text_as_footprint(&f);
    tn_answer answer = tn_sets_is_injective(w.sets, &a.domain, 1, a.access.mins);
    expect_verdict(&answer, i < 2 ? TN_PROVED : TN_REFUTED, texts[i]);
    assert_int_equal(tn_sets_stats_get(w.sets).n_remembered, i == 0 ? 0 : 1);
  }
  /* an assumption is part of the question, but only where its symbols are */
  text_domain d = text_domain_of(&w.w, "i:n");
  tn_domain domain = text_as_domain(&d);
  tn_answer answer = tn_sets_is_empty(w.sets, &domain);
  expect_verdict(&answer, TN_REFUTED, "i:n");
  size_t mark = tn_sets_assume(w.sets, text_expr(&w.w, "m >= 1"));
  answer = tn_sets_is_empty(w.sets, &domain);
  assert_int_equal(tn_sets_stats_get(w.sets).n_remembered, 2);
  (void)tn_sets_assume(w.sets, text_expr(&w.w, "n <= -m"));
  answer = tn_sets_is_empty(w.sets, &domain);
  expect_verdict(&answer, TN_PROVED, "i:n, n <= -m");
  assert_int_equal(tn_sets_stats_get(w.sets).n_remembered, 2);
  tn_sets_pop(w.sets, mark);
  answer = tn_sets_is_empty(w.sets, &domain);
  expect_verdict(&answer, TN_REFUTED, "i:n");
  assert_int_equal(tn_sets_stats_get(w.sets).n_remembered, 3);
  teardown(&w);
}

static void past_the_cap_a_question_is_undecided_and_counted(void **state) {
  (void)state;
  world w;
  setup(&w);
  text_footprint fp = text_footprint_of(
      &w.w, "i:n j:m | (i * 7 + j * 5) % 13 + (i * 3 + j * 11) // 17 < 9 -> i * 3 + j * 5");
  text_footprint fw = text_footprint_of(&w.w, "x:n y:(m//3) z:3 -> x * 3 + y * 15 + z * 5");
  tn_footprint part = text_as_footprint(&fp);
  tn_footprint whole = text_as_footprint(&fw);
  tn_sets_set_max_ops(w.sets, 20);
  tn_answer a = tn_sets_is_covered(w.sets, &part, 1, &whole);
  expect_verdict(&a, TN_UNDECIDED, "20 operations");
  a = tn_sets_is_covered(w.sets, &part, 1, &whole);
  assert_int_equal(tn_sets_stats_get(w.sets).n_undecided, 2);
  assert_int_equal(tn_sets_stats_get(w.sets).n_remembered, 1);
  /* the next question counts anew, and more operations decide */
  tn_sets_set_max_ops(w.sets, TN_SETS_MAX_OPS);
  text_domain d = text_domain_of(&w.w, "i:n j:m | i + j < 0");
  tn_domain domain = text_as_domain(&d);
  a = tn_sets_is_empty(w.sets, &domain);
  expect_verdict(&a, TN_PROVED, "empty");
  a = tn_sets_is_covered(w.sets, &part, 1, &whole);
  expect_verdict(&a, TN_REFUTED, "200000 operations");
  teardown(&w);
}

/* ---- hostile and other types ---- */

static const tn_node *cast_to(tn_ir *ir, tn_dtype dtype, const tn_node *n) {
  return tn_node_new(ir, TN_OP_CAST, dtype, (tn_attr){.i64 = 0}, 1, &n);
}

static tn_verdict is_true(world *w, const tn_node *var, int64_t extent, const tn_node *cond) {
  const tn_node *e = tn_int(w->w.ir, var->dtype, extent);
  tn_domain d = {1, &var, NULL, &e, NULL};
  return tn_sets_is_true(w->sets, &d, cond).verdict;
}

static void what_may_wrap_is_not_affine(void **state) {
  (void)state;
  world w;
  setup(&w);
  tn_ir *ir = w.w.ir;
  const tn_node *i = tn_var_new(ir, "i", TN_DT_I64);
  const tn_node *n = tn_var_new(ir, "n", TN_DT_I64);
  const tn_node *u = tn_var_new(ir, "u", TN_DT_U8);
  const tn_node *zero = tn_int(ir, TN_DT_I64, 0);
  const int64_t hostile[] = {INT64_MAX,     INT64_MIN,        INT64_MAX - 1,
                             INT64_MIN + 1, (int64_t)1 << 62, -((int64_t)1 << 61)};
  for (size_t k = 0; k < TN_N_ROWS(hostile); ++k) {
    const tn_node *big = tn_int(ir, TN_DT_I64, hostile[k]);
    const tn_op ops[] = {TN_OP_ADD,      TN_OP_SUB, TN_OP_MUL, TN_OP_FLOORDIV, TN_OP_DIV,
                         TN_OP_FLOORMOD, TN_OP_MOD, TN_OP_MIN, TN_OP_MAX};
    for (size_t o = 0; o < TN_N_ROWS(ops); ++o) {
      const tn_node *e = tn_binary(ir, ops[o], i, big);
      tn_verdict v =
          is_true(&w, i, 1, tn_binary(ir, TN_OP_EQ, e, tn_binary(ir, ops[o], zero, big)));
      expect_true(v != TN_REFUTED, "0 %s %lld", tn_op_info_get(ops[o])->text,
                  (long long)hostile[k]);
      v = is_true(&w, i, 9, tn_binary(ir, TN_OP_NE, tn_binary(ir, TN_OP_MUL, e, big), n));
      expect_true(v != TN_PROVED, "%s %lld", tn_op_info_get(ops[o])->text, (long long)hostile[k]);
    }
  }
  const tn_node *small = tn_int(ir, TN_DT_U8, 5);
  tn_verdict v =
      is_true(&w, i, 9, tn_binary(ir, TN_OP_GE, tn_binary(ir, TN_OP_ADD, u, small), small));
  assert_int_equal(v, TN_NOT_AFFINE); /* 255 + 5 */
  v = is_true(&w, i, 9, tn_binary(ir, TN_OP_GE, cast_to(ir, TN_DT_I64, u), zero));
  assert_int_equal(v, TN_PROVED);
  v = is_true(&w, i, 256,
              tn_binary(ir, TN_OP_GE, cast_to(ir, TN_DT_U8, i), tn_int(ir, TN_DT_U8, 0)));
  assert_int_equal(v, TN_PROVED);
  v = is_true(&w, i, 257,
              tn_binary(ir, TN_OP_GE, cast_to(ir, TN_DT_U8, i), tn_int(ir, TN_DT_U8, 0)));
  assert_int_equal(v, TN_NOT_AFFINE);
  v = is_true(&w, i, 64,
              tn_binary(ir, TN_OP_EQ, tn_binary(ir, TN_OP_SHL, i, tn_int(ir, TN_DT_I64, 3)),
                        tn_binary(ir, TN_OP_MUL, tn_int(ir, TN_DT_I64, 8), i)));
  assert_int_equal(v, TN_PROVED);
  v = is_true(&w, i, 64,
              tn_binary(ir, TN_OP_EQ, tn_binary(ir, TN_OP_BAND, i, tn_int(ir, TN_DT_I64, 7)),
                        tn_binary(ir, TN_OP_SUB, i,
                                  tn_binary(ir, TN_OP_MUL,
                                            tn_binary(ir, TN_OP_SHR, i, tn_int(ir, TN_DT_I64, 3)),
                                            tn_int(ir, TN_DT_I64, 8)))));
  assert_int_equal(v, TN_PROVED);
  teardown(&w);
}

/* Divisions inside each other, and choices: undecided, and soon. */
static void what_is_deep_does_not_hang(void **state) {
  (void)state;
  world w;
  setup(&w);
  text_domain d = text_domain_of(&w.w, "i:64 j:n");
  tn_domain domain = text_as_domain(&d);
  const tn_node *three = text_expr(&w.w, "3");
  const tn_node *mod = text_expr(&w.w, "i");
  const tn_node *min = text_expr(&w.w, "i");
  for (int k = 0; k < 200; ++k) {
    tn_ir *ir = w.w.ir;
    const tn_node *sum =
        tn_binary(ir, TN_OP_ADD, tn_binary(ir, TN_OP_MUL, mod, three), d.vars.items[1]);
    mod = tn_binary(ir, TN_OP_FLOORMOD, sum, tn_int(ir, TN_DT_I32, k % 40 + 7));
    min =
        tn_binary(ir, k % 2 ? TN_OP_MIN : TN_OP_MAX, tn_binary(ir, TN_OP_ADD, min, d.vars.items[0]),
                  tn_binary(ir, TN_OP_SUB, d.vars.items[1], tn_int(ir, TN_DT_I32, k)));
  }
  const tn_node *deep[] = {mod, min};
  for (size_t i = 0; i < TN_N_ROWS(deep); ++i) {
    tn_footprint f = {domain, {.n_dims = 1, .mins = &deep[i]}};
    const tn_node *mins[1];
    const tn_node *extents[1];
    tn_footprint other = {domain, {.n_dims = 1, .mins = &d.vars.items[0]}};
    assert_int_equal(tn_sets_is_injective(w.sets, &domain, 1, &deep[i]).verdict, TN_UNDECIDED);
    assert_int_equal(tn_sets_is_covered(w.sets, &f, 1, &other).verdict, TN_UNDECIDED);
    assert_int_equal(tn_sets_box(w.sets, w.w.ir, &f, mins, extents).verdict, TN_UNDECIDED);
  }
  assert_int_equal(tn_sets_stats_get(w.sets).n_undecided, 6);
  teardown(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(questions_about_one_domain_are_decided),
      cmocka_unit_test(dependences_are_found_or_excluded),
      cmocka_unit_test(coverage_is_decided),
      cmocka_unit_test(maps_are_injective_or_not),
      cmocka_unit_test(boxes_are_the_least),
      cmocka_unit_test(answers_are_remembered_by_structure),
      cmocka_unit_test(past_the_cap_a_question_is_undecided_and_counted),
      cmocka_unit_test(what_may_wrap_is_not_affine),
      cmocka_unit_test(what_is_deep_does_not_hang),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
