/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Integer sets against enumeration: random small domains, triangular, shifted and cut by a
 * condition, with a symbol 1 <= n <= 5; random affine indices with divisions, minima and choices.
 * Every answer must be the right one, and every witness must show what it claims. */
#include "arith_text.h"
#include "base/rng.h"
#include "tn_test.h"

enum { MAX_POINTS = 512, MAX_N = 5, MAX_DIMS = 3 };

typedef struct world {
  text_world w;
  tn_sets *sets;
  tn_rng rng;
  const tn_node *n;
  int n_refuted;
  int n_proved;
} world;

/* An iteration and what it touches, for one n. */
typedef struct point {
  int64_t vars[2];
  int64_t lo[MAX_DIMS];
  int64_t extent[MAX_DIMS];
} point;

typedef struct points {
  uint32_t n;
  point at[MAX_POINTS];
} points;

static uint64_t pick(world *w, uint64_t n) { return tn_rng_below(&w->rng, n); }
static const tn_node *num(world *w, int64_t v) { return tn_int(w->w.ir, TN_DT_I32, v); }
static const tn_node *bin(world *w, tn_op op, const tn_node *a, const tn_node *b) {
  return tn_binary(w->w.ir, op, a, b);
}

/* ---- generator ---- */

static const tn_node *gen_int(world *w, const text_list *vars, int depth);

static const tn_node *gen_bool(world *w, const text_list *vars, int depth) {
  static const tn_op compares[] = {TN_OP_EQ, TN_OP_NE, TN_OP_LT, TN_OP_LE, TN_OP_GT, TN_OP_GE};
  uint64_t roll = depth > 1 ? pick(w, 8) : 7;
  if (roll < 2) {
    return bin(w, roll == 0 ? TN_OP_AND : TN_OP_OR, gen_bool(w, vars, depth - 1),
               gen_bool(w, vars, depth - 1));
  }
  if (roll == 2) {
    const tn_node *a = gen_bool(w, vars, depth - 1);
    return tn_node_new(w->w.ir, TN_OP_NOT, TN_DT_BOOL, (tn_attr){.i64 = 0}, 1, &a);
  }
  return bin(w, compares[pick(w, TN_N_ROWS(compares))], gen_int(w, vars, depth - 1),
             gen_int(w, vars, depth - 1));
}

static const tn_node *gen_int(world *w, const text_list *vars, int depth) {
  static const tn_op divisions[] = {TN_OP_FLOORDIV, TN_OP_FLOORMOD, TN_OP_DIV, TN_OP_MOD};
  uint64_t roll = depth <= 0 ? pick(w, 4) : pick(w, 14);
  if (roll < 4) {
    return roll == 0                 ? num(w, tn_rng_range(&w->rng, -3, 6))
           : roll == 1 && pick(w, 2) ? w->n
           : vars->n == 0            ? w->n
                                     : vars->items[pick(w, vars->n)];
  }
  const tn_node *a = gen_int(w, vars, depth - 1);
  if (roll < 8) {
    return bin(w, roll < 7 ? TN_OP_ADD : TN_OP_SUB, a, gen_int(w, vars, depth - 1));
  }
  if (roll < 10) {
    return bin(w, TN_OP_MUL, a, num(w, tn_rng_range(&w->rng, -2, 4)));
  }
  if (roll < 12) {
    int64_t d = (int64_t)pick(w, 5) + 1;
    return bin(w, divisions[pick(w, 4)], a, num(w, pick(w, 6) == 0 ? -d : d));
  }
  if (roll == 12) {
    return bin(w, pick(w, 2) ? TN_OP_MIN : TN_OP_MAX, a, gen_int(w, vars, depth - 1));
  }
  const tn_node *in[] = {gen_bool(w, vars, depth - 1), a, gen_int(w, vars, depth - 1)};
  return tn_node_new(w->w.ir, TN_OP_SELECT, TN_DT_I32, (tn_attr){.i64 = 0}, 3, in);
}

static text_domain gen_domain(world *w, const char *const *names) {
  text_domain d = {.cond = NULL};
  uint32_t n_vars = 1 + (uint32_t)pick(w, 2);
  for (uint32_t i = 0; i < n_vars; ++i) {
    uint64_t roll = pick(w, 10);
    const tn_node *extent = num(w, (int64_t)pick(w, 4) + 1);
    if (roll < 3) {
      extent = w->n;
    } else if (roll == 3) {
      extent = bin(w, TN_OP_MIN, extent, w->n);
    } else if (roll == 4) {
      extent = bin(w, TN_OP_FLOORDIV, bin(w, TN_OP_ADD, w->n, num(w, 1)), num(w, 2));
    } else if (roll == 5 && i > 0) {
      extent = bin(w, TN_OP_ADD, d.vars.items[0], num(w, (int64_t)pick(w, 2)));
    } else if (roll == 6) {
      extent = bin(w, TN_OP_SUB, w->n, num(w, 1));
    }
    text_push(&d.mins, num(w, pick(w, 5) == 0 ? tn_rng_range(&w->rng, -2, 2) : 0));
    text_push(&d.extents, extent);
    text_push(&d.vars, text_var(&w->w, names[i], 1));
  }
  if (pick(w, 3) == 0) {
    d.cond = gen_bool(w, &d.vars, 2);
  }
  return d;
}

static text_footprint gen_footprint(world *w, const char *const *names, uint32_t n_dims) {
  text_footprint f = {.domain = gen_domain(w, names)};
  f.is_region = pick(w, 4) == 0;
  for (uint32_t i = 0; i < n_dims; ++i) {
    const text_list *vars = &f.domain.vars;
    const tn_node *plain = vars->items[pick(w, vars->n)];
    text_push(&f.mins, pick(w, 2) ? plain : gen_int(w, vars, 2));
    text_push(&f.extents, f.is_region ? num(w, (int64_t)pick(w, 3) + 1) : num(w, 1));
  }
  return f;
}

/* ---- enumeration ---- */

static void set_vars(world *w, const text_domain *d, const int64_t *v) {
  for (uint32_t i = 0; i < d->vars.n; ++i) {
    text_set(&w->w, d->vars.items[i], v[i]);
  }
}

static void enumerate(world *w, const text_footprint *f, points *out) {
  out->n = 0;
  for (int64_t a = -3; a < 9; ++a) {
    for (int64_t b = -3; b < (f->domain.vars.n > 1 ? 14 : -2); ++b) {
      point p = {.vars = {a, b}};
      set_vars(w, &f->domain, p.vars);
      if (!text_is_in(&w->w, &f->domain)) {
        continue;
      }
      for (uint32_t d = 0; d < f->mins.n; ++d) {
        p.lo[d] = text_eval(&w->w, f->mins.items[d]);
        p.extent[d] = text_eval(&w->w, f->extents.items[d]);
      }
      assert_true(out->n < MAX_POINTS);
      out->at[out->n++] = p;
    }
  }
}

static bool meets(const point *a, const point *b, uint32_t n_dims) {
  bool is_meeting = true;
  for (uint32_t d = 0; d < n_dims; ++d) {
    is_meeting =
        is_meeting && a->lo[d] < b->lo[d] + b->extent[d] && b->lo[d] < a->lo[d] + a->extent[d];
  }
  return is_meeting;
}

static bool order_holds(tn_op op, uint32_t n, const int64_t *a, const int64_t *b) {
  int sign = 0;
  for (uint32_t i = 0; i < n && sign == 0; ++i) {
    sign = a[i] < b[i] ? -1 : a[i] > b[i];
  }
  return text_eval_binary(op, sign, 0) != 0;
}

static void expect(world *w, const tn_answer *got, bool want, const char *what) {
  tn_verdict verdict = want ? TN_PROVED : TN_REFUTED;
  if (got->verdict == TN_UNDECIDED) { /* counted below */
    return;
  }
  expect_true(got->verdict == verdict, "%s: verdict %d, not %d", what, got->verdict, verdict);
  w->n_proved += want;
  w->n_refuted += !want;
}

static void take_witness(world *w, const tn_answer *got) {
  text_set_point(&w->w, &got->symbols);
  bool has_n = got->symbols.n == 0; /* n does not occur */
  for (uint32_t i = 0; i < got->symbols.n; ++i) {
    has_n = has_n || got->symbols.vars[i] == w->n;
  }
  assert_true(has_n);
  if (got->symbols.n == 0) {
    text_set(&w->w, w->n, 1);
  }
}

/* ---- the questions ---- */

static const char *const a_names[] = {"i", "j"};
static const char *const b_names[] = {"k", "l"};
static points pa; /* large; the tests run one after another */
static points pb;
static points pc;

static void check_truth(world *w) {
  text_footprint f = {.domain = gen_domain(w, a_names)};
  const tn_node *cond = gen_bool(w, &f.domain.vars, 3);
  bool want = true;
  for (int64_t n = 1; n <= MAX_N; ++n) {
    text_set(&w->w, w->n, n);
    enumerate(w, &f, &pa);
    for (uint32_t i = 0; i < pa.n; ++i) {
      set_vars(w, &f.domain, pa.at[i].vars);
      want = want && text_eval(&w->w, cond) != 0;
    }
  }
  tn_domain domain = text_as_domain(&f.domain);
  tn_answer got = tn_sets_is_true(w->sets, &domain, cond);
  expect(w, &got, want, "true");
  if (got.verdict == TN_REFUTED) {
    take_witness(w, &got);
    text_set_point(&w->w, &got.a);
    assert_true(text_is_in(&w->w, &f.domain) && !text_eval(&w->w, cond));
  }
}

static void check_independence(world *w) {
  static const tn_op ops[] = {TN_OP_EQ, TN_OP_NE, TN_OP_LT, TN_OP_LE, TN_OP_GT, TN_OP_GE};
  uint32_t n_dims = (uint32_t)pick(w, 3);
  text_footprint fa = gen_footprint(w, a_names, n_dims);
  text_footprint fb = gen_footprint(w, pick(w, 2) ? a_names : b_names, n_dims);
  text_list oa = {.n = 0};
  text_list ob = {.n = 0};
  for (uint64_t n_order = pick(w, 3); n_order > 0; --n_order) {
    text_push(&oa, gen_int(w, &fa.domain.vars, 1));
    text_push(&ob, gen_int(w, &fb.domain.vars, 1));
  }
  tn_order order = {ops[pick(w, 6)], oa.n, oa.items, ob.items};
  bool want = true;
  for (int64_t n = 1; n <= MAX_N && want; ++n) {
    text_set(&w->w, w->n, n);
    enumerate(w, &fa, &pa);
    enumerate(w, &fb, &pb);
    for (uint32_t i = 0; i < pa.n * pb.n && want; ++i) {
      const point *a = &pa.at[i / pb.n];
      const point *b = &pb.at[i % pb.n];
      int64_t va[2] = {0};
      int64_t vb[2] = {0};
      set_vars(w, &fa.domain, a->vars);
      for (uint32_t k = 0; k < oa.n; ++k) {
        va[k] = text_eval(&w->w, oa.items[k]);
      }
      set_vars(w, &fb.domain, b->vars);
      for (uint32_t k = 0; k < ob.n; ++k) {
        vb[k] = text_eval(&w->w, ob.items[k]);
      }
      want = !meets(a, b, n_dims) || !order_holds(order.op, oa.n, va, vb);
    }
  }
  tn_footprint a = text_as_footprint(&fa);
  tn_footprint b = text_as_footprint(&fb);
  tn_answer got = tn_sets_is_independent(w->sets, &a, &b, 1, &order);
  expect(w, &got, want, "independent");
  if (got.verdict == TN_REFUTED) {
    take_witness(w, &got);
    text_set_point(&w->w, &got.a);
    assert_true(text_is_in(&w->w, &fa.domain));
    text_set_point(&w->w, &got.b);
    assert_true(text_is_in(&w->w, &fb.domain));
  }
}

/* Every element of p is one of some q. */
static bool element_is_in(const int64_t *e, const points *q, uint32_t n_dims) {
  for (uint32_t k = 0; k < q->n; ++k) {
    bool is_in = true;
    for (uint32_t d = 0; d < n_dims; ++d) {
      is_in = is_in && e[d] >= q->at[k].lo[d] && e[d] < q->at[k].lo[d] + q->at[k].extent[d];
    }
    if (is_in) {
      return true;
    }
  }
  return false;
}

static bool point_is_covered(const point *p, uint32_t n_dims, const points *q, const points *r) {
  int64_t size = 1;
  for (uint32_t d = 0; d < n_dims; ++d) {
    size *= p->extent[d];
  }
  bool is_covered = true;
  for (int64_t at = 0; at < size && is_covered; ++at) {
    int64_t e[MAX_DIMS] = {0};
    int64_t rest = at;
    for (uint32_t d = 0; d < n_dims; ++d) {
      e[d] = p->lo[d] + rest % p->extent[d];
      rest /= p->extent[d];
    }
    is_covered = element_is_in(e, q, n_dims) || element_is_in(e, r, n_dims);
  }
  return is_covered;
}

static void check_coverage(world *w) {
  uint32_t n_dims = 1 + (uint32_t)pick(w, 2);
  text_footprint fp = gen_footprint(w, a_names, n_dims);
  text_footprint fw[2];
  uint32_t n_whole = 1 + (uint32_t)pick(w, 2);
  for (uint32_t i = 0; i < n_whole; ++i) {
    fw[i] = gen_footprint(w, pick(w, 2) ? a_names : b_names, n_dims);
    fw[i] = pick(w, 3) == 0 ? fp : fw[i];
    if (pick(w, 2)) { /* cover more than one element, to be right now and then */
      fw[i].is_region = true;
      fw[i].extents.items[0] = num(w, 4);
    }
  }
  bool want = true;
  for (int64_t n = 1; n <= MAX_N && want; ++n) {
    text_set(&w->w, w->n, n);
    enumerate(w, &fp, &pa);
    enumerate(w, &fw[0], &pb);
    enumerate(w, &fw[n_whole - 1], &pc);
    for (uint32_t i = 0; i < pa.n && want; ++i) {
      want = point_is_covered(&pa.at[i], n_dims, &pb, &pc);
    }
  }
  tn_footprint part = text_as_footprint(&fp);
  tn_footprint whole[2];
  for (uint32_t i = 0; i < n_whole; ++i) {
    whole[i] = text_as_footprint(&fw[i]);
  }
  tn_answer got = tn_sets_is_covered(w->sets, &part, n_whole, whole);
  expect(w, &got, want, "covered");
  if (got.verdict == TN_REFUTED && got.a.n > 0) {
    take_witness(w, &got);
    text_set_point(&w->w, &got.a);
    assert_true(text_is_in(&w->w, &fp.domain));
    enumerate(w, &fw[0], &pb);
    enumerate(w, &fw[n_whole - 1], &pc);
    point p = {.vars = {0}};
    text_set_point(&w->w, &got.a);
    for (uint32_t d = 0; d < n_dims; ++d) {
      p.lo[d] = text_eval(&w->w, fp.mins.items[d]);
      p.extent[d] = text_eval(&w->w, fp.extents.items[d]);
    }
    assert_true(!point_is_covered(&p, n_dims, &pb, &pc));
  }
}

static void check_maps(world *w) {
  text_footprint f = gen_footprint(w, a_names, 1 + (uint32_t)pick(w, 2));
  f.is_region = false;
  text_list extents = {.n = 0};
  for (uint32_t d = 0; d < f.mins.n; ++d) {
    f.extents.items[d] = num(w, 1);
    text_push(&extents, pick(w, 2) ? f.domain.extents.items[d % f.domain.vars.n]
                                   : num(w, (int64_t)pick(w, 4) + 1));
  }
  bool is_box_free = f.domain.vars.n == 1 || !tn_is(extents.items[extents.n - 1], TN_OP_ADD);
  bool is_injective = true;
  bool is_onto = is_box_free;
  for (int64_t n = 1; n <= MAX_N; ++n) {
    text_set(&w->w, w->n, n);
    enumerate(w, &f, &pa);
    int64_t size = 1;
    for (uint32_t d = 0; d < f.mins.n && is_box_free; ++d) {
      int64_t extent = text_eval(&w->w, extents.items[d]);
      size *= extent < 0 ? 0 : extent;
      for (uint32_t i = 0; i < pa.n; ++i) {
        is_onto = is_onto && pa.at[i].lo[d] >= 0 && pa.at[i].lo[d] < extent;
      }
    }
    is_onto = is_onto && size == pa.n; /* together with injective */
    for (uint32_t i = 0; i < pa.n * pa.n; ++i) {
      uint32_t x = i / pa.n;
      uint32_t y = i % pa.n;
      is_injective = is_injective && (x == y || !meets(&pa.at[x], &pa.at[y], f.mins.n));
    }
  }
  tn_domain domain = text_as_domain(&f.domain);
  tn_answer got = tn_sets_is_injective(w->sets, &domain, f.mins.n, f.mins.items);
  expect(w, &got, is_injective, "injective");
  if (is_box_free) {
    got = tn_sets_is_bijective(w->sets, &domain, f.mins.n, f.mins.items, extents.items);
    expect(w, &got, is_injective && is_onto, "bijective");
  }
}

static void check_box(world *w) {
  text_footprint f = gen_footprint(w, a_names, 1 + (uint32_t)pick(w, 2));
  tn_footprint footprint = text_as_footprint(&f);
  const tn_node *mins[MAX_DIMS];
  const tn_node *extents[MAX_DIMS];
  tn_answer got = tn_sets_box(w->sets, w->w.ir, &footprint, mins, extents);
  for (int64_t n = 1; n <= MAX_N && got.verdict == TN_PROVED; ++n) {
    text_set(&w->w, w->n, n);
    enumerate(w, &f, &pa);
    for (uint32_t d = 0; d < f.mins.n && pa.n > 0; ++d) {
      int64_t lo = INT64_MAX;
      int64_t hi = INT64_MIN;
      for (uint32_t i = 0; i < pa.n; ++i) {
        int64_t end = pa.at[i].lo[d] + pa.at[i].extent[d];
        lo = pa.at[i].lo[d] < lo ? pa.at[i].lo[d] : lo;
        hi = end > hi ? end : hi;
      }
      int64_t got_lo = text_eval(&w->w, mins[d]);
      int64_t got_extent = text_eval(&w->w, extents[d]);
      expect_true(got_lo == lo && got_extent == hi - lo, "box %d ~ %d, not %d ~ %d (n = %d)",
                  (int)got_lo, (int)got_extent, (int)lo, (int)(hi - lo), (int)n);
    }
  }
  w->n_proved += got.verdict == TN_PROVED;
  w->n_refuted += got.verdict != TN_PROVED;
}

static void run(void (*check)(world *), const char *name, int n_short, uint64_t max_ops) {
  world w = {.sets = tn_sets_new()};
  const char *seed = getenv("TN_SEED");
  w.rng = tn_rng_make(seed == NULL ? 6 : strtoull(seed, NULL, 10));
  int n_rounds = getenv("TN_LONG") != NULL ? n_short * 20 : n_short;
  for (int i = 0; i < n_rounds; ++i) {
    w.w = (text_world){.ir = tn_ir_new(0)};
    w.n = text_var(&w.w, "n", 1);
    size_t mark = tn_sets_assume(w.sets, text_expr(&w.w, "n >= 1 and n <= 5"));
    tn_sets_set_max_ops(w.sets, max_ops == 0 ? TN_SETS_MAX_OPS : 1 + pick(&w, max_ops));
    check(&w);
    tn_sets_pop(w.sets, mark);
    tn_ir_free(w.w.ir);
  }
  tn_sets_stats s = tn_sets_stats_get(w.sets);
  print_message(
      "%s: proved %d, refuted %d; asked %d, remembered %d, quick %d, exact %d, undecided %d\n",
      name, w.n_proved, w.n_refuted, (int)s.n_asked, (int)s.n_remembered, (int)s.n_quick,
      (int)s.n_exact, (int)s.n_undecided);
  /* a box with many pieces has no short expression */
  assert_true(s.n_not_affine == 0 &&
              (check == check_box || max_ops != 0 || s.n_undecided * 1000 <= s.n_asked + 999));
  tn_sets_free(w.sets);
}

static void conditions_agree_with_enumeration(void **state) {
  (void)state;
  run(check_truth, "true", 2000, 0);
}

static void dependences_agree_with_enumeration(void **state) {
  (void)state;
  run(check_independence, "independent", 2000, 0);
}

static void coverage_agrees_with_enumeration(void **state) {
  (void)state;
  run(check_coverage, "covered", 600, 0);
}

static void maps_agree_with_enumeration(void **state) {
  (void)state;
  run(check_maps, "maps", 500, 0);
}

static void boxes_agree_with_enumeration(void **state) {
  (void)state;
  run(check_box, "box", 300, 0);
}

/* isl gives up in the middle of anything: no wrong answer, nothing printed, nothing lost. */
static void small_caps_give_no_wrong_answer(void **state) {
  (void)state;
  run(check_truth, "true, capped", 200, 40);
  run(check_independence, "independent, capped", 200, 40);
  run(check_coverage, "covered, capped", 200, 300);
  run(check_maps, "maps, capped", 200, 300);
  run(check_box, "box, capped", 200, 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_agree_with_enumeration),
      cmocka_unit_test(dependences_agree_with_enumeration),
      cmocka_unit_test(coverage_agrees_with_enumeration),
      cmocka_unit_test(maps_agree_with_enumeration),
      cmocka_unit_test(boxes_agree_with_enumeration),
      cmocka_unit_test(small_caps_give_no_wrong_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
