/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Iteration maps: what is recognised, how values divide, what inverts; and random splits and fuses
 * against enumeration, symbolic extents included: no false claim, few missed. */
#include "arith_text.h"
#include "base/rng.h"
#include "tn_test.h"

typedef struct world {
  text_world w;
  tn_arith *arith;
} world;

static void setup(world *w) {
  *w = (world){.arith = NULL};
  w->w.ir = tn_ir_new(0);
  w->arith = tn_arith_new(w->w.ir);
}

static void teardown(world *w) {
  tn_arith_free(w->arith);
  tn_ir_free(w->w.ir);
}

/* ---- recognised ---- */

typedef struct map_case {
  const char *domain;
  const char *values;
  const char *want; /* extents; "injective", "independent" */
} map_case;

static const map_case maps[] = {
    {"i:8 j:16", "i, j", "8, 16 injective independent"},
    {"i:8 j:16", "j, i", "16, 8 injective independent"},
    {"i:8 j:16", "i * 16 + j", "128 injective independent"},
    {"i:8 j:16", "j * 8 + i", "128 injective independent"},
    {"i:8 j:16", "i", "8 independent"},
    {"i:8 j:16", "i, i", "8, 8"},
    {"i:8 j:16", "i * 15 + j", "?"},
    {"i:8 j:16", "i * 17 + j", "? injective"},
    {"i:8", "i * 2 + 3", "8 injective"},
    {"i:128", "i // 16, i % 16", "8, 16 injective independent"},
    {"i:128", "i // 16, i % 8", "8, 8 independent"},
    {"i:128", "i // 32, i // 4 % 8, i % 4", "4, 8, 4 injective independent"},
    {"i:10", "i // 4, i % 4", "3, 4 injective"},
    {"i:10", "i // 4", "3 independent"},
    {"i:10", "i // 4 * 4 + i % 4", "10 injective independent"},
    {"i:8 j:16", "(i * 16 + j) // 32, (i * 16 + j) % 32", "4, 32 injective independent"},
    {"i:8 j:16", "(i * 16 + j) // 4, (i * 16 + j) % 4", "32, 4 injective independent"},
    {"i:8 j:16", "(i * 16 + j) // 3", "none"},
    {"i:n j:m", "i * m + j", "(n * m) injective independent"},
    {"i:n j:m", "(i * m + j) // m, (i * m + j) % m", "n, m injective independent"},
    {"i:n j:8", "i * 8 + j", "(n * 8) injective independent"},
    {"i:n", "i // 8, i % 8", "((n + 7) // 8), 8 injective"},
    {"io:((n+7)//8) ii:8 | io * 8 + ii < n", "io * 8 + ii", "n injective independent"},
    {"io:((n+7)//8) ii:8 | n > io * 8 + ii", "io * 8 + ii + 1", "n injective independent"},
    {"io:2 ii:8 | io * 8 + ii < 10", "io * 8 + ii", "10 injective independent"},
    {"io:2 ii:8 | io * 8 + ii <= 10", "io, ii", "2, 8 injective"},
    {"io:2 ii:8 | io * 8 + ii < 16", "io, ii", "2, 8 injective independent"},
    {"io:2 ii:8 | io * 8 + ii < m", "io * 8 + ii", "m injective"},
    {"i:8 | i < 5", "i", "5 injective independent"},
    {"i:8 j:8 | i < 5 and j < 3", "i * 3 + j", "15 injective independent"},
    {"i:8 | i >= 0", "i", "8 injective independent"},
    {"i:8 | i >= 1", "i", "none"},
    {"i:8 j:8 | i + j < 8", "i, j", "none"},
    {"i:8 j:8", "i + j", "?"},
    {"i:8 j:8", "i * j", "none"},
    {"i:8 j:1", "i + j * 100", "8 injective independent"},
    {"i:8", "7 - i", "?"},
    {"i:8", "5", "1 independent"},
    {"", "5", "1 injective independent"},
    {"i:65536 j:65536 k:65536", "i, j, k", "65536, 65536, 65536 injective independent"},
    {"i:65536 j:65536", "i * 65536 + j", "none"}, /* passes int32 */
};

static void print_map(tn_buf *out, const tn_itermap *map) {
  if (map == NULL) {
    tn_buf_printf(out, "none");
    return;
  }
  for (uint32_t i = 0; i < map->n_values; ++i) {
    tn_buf_printf(out, i == 0 ? "" : ", ");
    if (map->values[i].extent == NULL) {
      tn_buf_printf(out, "?");
    } else {
      text_print(out, map->values[i].extent);
    }
  }
  tn_buf_printf(out, "%s%s", map->is_injective ? " injective" : "",
                map->is_independent ? " independent" : "");
}

static void maps_are_recognised(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(maps); ++i) {
    world w;
    setup(&w);
    text_domain d = text_domain_of(&w.w, maps[i].domain);
    tn_domain domain = text_as_domain(&d);
    text_list values = text_exprs(&w.w, maps[i].values);
    const tn_node *culprit = NULL;
    const tn_itermap *map = tn_itermap_detect(w.arith, &domain, values.n, values.items, &culprit);
    tn_buf got = TN_BUF_INIT;
    print_map(&got, map);
    if (strcmp(tn_buf_text(&got), maps[i].want) != 0) {
      print_error("%s: %s\n", maps[i].domain, maps[i].values);
    }
    expect_text(tn_buf_text(&got), maps[i].want);
    tn_buf_deinit(&got);
    teardown(&w);
  }
}

/* ---- divided, inverted ---- */

typedef struct division_case {
  const char *domain;
  uint32_t n_outer;
  const char *values;
  const char *want; /* outer (extent) | inner (extent) */
} division_case;

static const division_case divisions[] = {
    {"io:8 jo:4 ii:16 ji:8", 2, "io * 16 + ii, jo * 8 + ji", "io (8) | ii (16); jo (4) | ji (8)"},
    {"i:8 j:4", 1, "i, j", "i (8) | 0 (1); 0 (1) | j (4)"},
    {"i:8 j:4", 1, "j * 8 + i", "none"},
    {"a:2 b:3 c:4 d:5", 2, "a * 60 + b * 20 + c * 5 + d", "((a * 3) + b) (6) | ((c * 5) + d) (20)"},
    {"io:((n+7)//8) ii:8 | io * 8 + ii < n", 1, "io * 8 + ii",
     "io (((n + 7) // 8)) | ii (8) if (((io * 8) + ii) < n)"},
    {"io:n ii:8", 1, "io * 8 + ii + 16", "(io + 2) (n) | ii (8)"},
    {"i:64 j:4", 1, "i // 8, i % 8 * 4 + j", "(i // 8) (8) | 0 (1); (i % 8) (8) | j (4)"},
};

static void values_divide_into_outer_and_inner(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(divisions); ++i) {
    world w;
    setup(&w);
    text_domain d = text_domain_of(&w.w, divisions[i].domain);
    tn_domain domain = text_as_domain(&d);
    text_list values = text_exprs(&w.w, divisions[i].values);
    tn_iter_division got[8];
    tn_buf text = TN_BUF_INIT;
    bool is_ok =
        tn_itermap_divide(w.arith, &domain, divisions[i].n_outer, values.n, values.items, got);
    tn_buf_printf(&text, is_ok ? "" : "none");
    for (uint32_t k = 0; k < values.n && is_ok; ++k) {
      tn_buf_printf(&text, k == 0 ? "" : "; ");
      text_print(&text, got[k].outer);
      tn_buf_printf(&text, " (");
      text_print(&text, got[k].outer_extent);
      tn_buf_printf(&text, ") | ");
      text_print(&text, got[k].inner);
      tn_buf_printf(&text, " (");
      text_print(&text, got[k].inner_extent);
      tn_buf_printf(&text, ")");
      if (got[k].cond != NULL) {
        tn_buf_printf(&text, " if ");
        text_print(&text, got[k].cond);
      }
    }
    expect_text(tn_buf_text(&text), divisions[i].want);
    tn_buf_deinit(&text);
    teardown(&w);
  }
}

typedef struct inverse_case {
  const char *domain;
  const char *values;
  const char *want; /* the domain's variables, of a, b, c */
} inverse_case;

static const inverse_case inverses[] = {
    {"i:8 j:16", "j, i", "b, a"},
    {"i:8 j:16", "i * 16 + j", "(a // 16), (a % 16)"},
    {"i:n j:m", "i * m + j", "(a // m), (a % m)"},
    {"i:128", "i // 16, i % 16", "((a * 16) + b)"},
    {"i:10", "i // 4, i % 4", "((a * 4) + b)"},
    {"i:64 j:64", "i // 8, j // 8, i % 8, j % 8", "((a * 8) + c), ((b * 8) + d)"},
    {"i:8 j:4", "i * 4 + j + 3", "((a - 3) // 4), ((a - 3) % 4)"},
    {"i:8 j:4", "i * 16 + j * 2", "(a // 16), ((a // 2) % 8)"},
    {"io:((n+7)//8) ii:8 | io * 8 + ii < n", "io * 8 + ii", "(a // 8), (a % 8)"},
    {"i:8 j:1", "i", "a, 0"},
    {"i:8 j:8", "i", "none"},
    {"i:8 j:8", "i + j", "none"},
};

static void injective_maps_have_inverses(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(inverses); ++i) {
    world w;
    setup(&w);
    text_domain d = text_domain_of(&w.w, inverses[i].domain);
    tn_domain domain = text_as_domain(&d);
    text_list values = text_exprs(&w.w, inverses[i].values);
    text_list results = text_exprs(&w.w, "a, b, c, d");
    const tn_node *out[8];
    tn_buf text = TN_BUF_INIT;
    bool is_ok =
        tn_itermap_invert(w.arith, &domain, values.n, values.items, results.items, out, NULL);
    tn_buf_printf(&text, is_ok ? "" : "none");
    for (uint32_t k = 0; k < domain.n && is_ok; ++k) {
      tn_buf_printf(&text, k == 0 ? "" : ", ");
      text_print(&text, out[k]);
    }
    expect_text(tn_buf_text(&text), inverses[i].want);
    tn_buf_deinit(&text);
    teardown(&w);
  }
}

/* ---- random ---- */

enum { MAX_POINTS = 4096, N_PARAMS = 7 };

/* Counts of what enumeration says and what was recognised. */
typedef struct tally {
  int n_maps;
  int n_injective;
  int n_injective_found;
  int n_independent;
  int n_independent_found;
  int n_divided;
} tally;

typedef struct random_map {
  text_domain d;
  text_list values;
} random_map;

static uint64_t pick(tn_rng *rng, uint64_t n) { return tn_rng_below(rng, n); }

static const tn_node *num(world *w, int64_t v) { return tn_int(w->w.ir, TN_DT_I32, v); }

static const tn_node *bin(world *w, tn_op op, const tn_node *a, const tn_node *b) {
  return tn_binary(w->w.ir, op, a, b);
}

/* Starts with the loops as values, then splits and fuses values. */
static random_map make_map(world *w, tn_rng *rng) {
  static const int64_t sizes[] = {1, 2, 3, 4, 4, 6, 8};
  static const char *const names[] = {"i", "j", "k"};
  const tn_node *n = text_var(&w->w, "n", 1);
  random_map r = {.d = {.cond = NULL}};
  const tn_node *extents[TEXT_MAX_LIST]; /* of values; what the generator thinks */
  uint32_t n_loops = 1 + (uint32_t)pick(rng, 3);
  for (uint32_t i = 0; i < n_loops; ++i) {
    int64_t size = sizes[pick(rng, TN_N_ROWS(sizes))];
    const tn_node *extent = num(w, size);
    uint64_t roll = pick(rng, 6);
    if (i == 0 && roll == 0) {
      extent = n;
    } else if (i == 0 && roll == 1) {
      extent = bin(w, TN_OP_FLOORDIV, bin(w, TN_OP_ADD, n, num(w, size - 1)), num(w, size));
    }
    text_push(&r.d.vars, text_var(&w->w, names[i], 1));
    text_push(&r.d.mins, num(w, 0));
    text_push(&r.d.extents, extent);
    text_push(&r.values, r.d.vars.items[i]);
    extents[i] = extent;
  }
  if (n_loops > 1 && pick(rng, 3) == 0) { /* a split that does not divide */
    const tn_node *fused =
        bin(w, TN_OP_ADD, bin(w, TN_OP_MUL, r.d.vars.items[0], r.d.extents.items[1]),
            r.d.vars.items[1]);
    const tn_node *bound = pick(rng, 2) ? n : num(w, (int64_t)pick(rng, 20) + 1);
    r.d.cond = bin(w, TN_OP_LT, fused, bound);
    if (pick(rng, 2)) {
      r.values.items[1] = fused;
      extents[1] = bound;
      r.values.items[0] = r.values.items[--r.values.n];
      extents[0] = extents[r.values.n];
    }
  }
  for (uint64_t steps = pick(rng, 5); steps > 0; --steps) {
    uint32_t a = (uint32_t)pick(rng, r.values.n);
    uint32_t b = (uint32_t)pick(rng, r.values.n);
    const tn_node *va = r.values.items[a];
    int64_t size = sizes[pick(rng, TN_N_ROWS(sizes))];
    uint64_t roll = pick(rng, 8);
    if (roll < 4 && r.values.n < 5) { /* split */
      r.values.items[a] = bin(w, TN_OP_FLOORDIV, va, num(w, size));
      extents[r.values.n] = num(w, size);
      text_push(&r.values, bin(w, TN_OP_FLOORMOD, va, num(w, size)));
      extents[a] =
          bin(w, TN_OP_FLOORDIV, bin(w, TN_OP_ADD, extents[a], num(w, size - 1)), num(w, size));
    } else if (roll < 7 && a != b) { /* fuse, now and then with a wrong factor */
      const tn_node *factor = pick(rng, 6) == 0 ? num(w, size) : extents[b];
      r.values.items[a] = bin(w, TN_OP_ADD, bin(w, TN_OP_MUL, va, factor), r.values.items[b]);
      extents[a] = bin(w, TN_OP_MUL, extents[a], extents[b]);
      r.values.items[b] = r.values.items[--r.values.n];
      extents[b] = extents[r.values.n];
    } else if (roll == 7) {
      r.values.items[a] = bin(w, TN_OP_ADD, va, num(w, size));
    }
  }
  return r;
}

typedef struct points {
  uint32_t n;
  int64_t loops[MAX_POINTS][3];
  int64_t values[MAX_POINTS][TEXT_MAX_LIST];
} points;

static void set_loops(world *w, const random_map *r, const int64_t *v) {
  for (uint32_t i = 0; i < r->d.vars.n; ++i) {
    text_set(&w->w, r->d.vars.items[i], v[i]);
  }
}

static void enumerate(world *w, const random_map *r, points *out) {
  int64_t size[3] = {1, 1, 1};
  out->n = 0;
  for (uint32_t i = 0; i < r->d.vars.n; ++i) {
    size[i] = text_eval(&w->w, r->d.extents.items[i]);
  }
  for (int64_t at = 0; at < size[0] * size[1] * size[2]; ++at) {
    int64_t v[3] = {at / (size[1] * size[2]), at / size[2] % size[1], at % size[2]};
    set_loops(w, r, v);
    if (!text_is_in(&w->w, &r->d)) {
      continue;
    }
    for (uint32_t k = 0; k < r->values.n; ++k) {
      out->values[out->n][k] = text_eval(&w->w, r->values.items[k]);
    }
    memcpy(out->loops[out->n++], v, sizeof v);
  }
}

static uint32_t count_different(const points *p, uint32_t n_values) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n; ++i) {
    bool is_new = true;
    for (uint32_t k = 0; k < i && is_new; ++k) {
      is_new = memcmp(p->values[i], p->values[k], n_values * sizeof(int64_t)) != 0;
    }
    n += is_new;
  }
  return n;
}

/* The values make a box, each dimension without gaps. */
static bool is_box(const points *p, uint32_t n_values, uint32_t n_different) {
  int64_t size = 1;
  for (uint32_t k = 0; k < n_values; ++k) {
    int64_t lo = INT64_MAX;
    int64_t hi = INT64_MIN;
    for (uint32_t i = 0; i < p->n; ++i) {
      lo = p->values[i][k] < lo ? p->values[i][k] : lo;
      hi = p->values[i][k] > hi ? p->values[i][k] : hi;
    }
    size *= hi - lo + 1;
  }
  return p->n == 0 || size == (int64_t)n_different;
}

static void show(world *w, const random_map *r) {
  tn_buf b = TN_BUF_INIT;
  for (uint32_t i = 0; i < r->d.vars.n; ++i) {
    tn_buf_printf(&b, "%s:", r->d.vars.items[i]->attr.text);
    text_print(&b, r->d.extents.items[i]);
    tn_buf_printf(&b, " ");
  }
  if (r->d.cond != NULL) {
    tn_buf_printf(&b, "| ");
    text_print(&b, r->d.cond);
  }
  tn_buf_printf(&b, " -> ");
  for (uint32_t i = 0; i < r->values.n; ++i) {
    text_print(&b, r->values.items[i]);
    tn_buf_printf(&b, ", ");
  }
  print_error("%s (n = %d)\n", tn_buf_text(&b), (int)text_eval(&w->w, text_var(&w->w, "n", 1)));
  tn_buf_deinit(&b);
}

#define check_that(w, r, cond, what)     \
  do {                                   \
    if (!(cond)) {                       \
      show(w, r);                        \
      fail_msg("%s: false claim", what); \
    }                                    \
  } while (0)

static void check_extents(world *w, const random_map *r, const tn_itermap *map, const points *p) {
  for (uint32_t k = 0; k < r->values.n; ++k) {
    int64_t base = text_eval(&w->w, map->values[k].base);
    for (uint32_t i = 0; i < p->n && map->values[k].extent != NULL; ++i) {
      int64_t steps = p->values[i][k] - base;
      int64_t scale = text_eval(&w->w, map->values[k].scale);
      bool is_in = steps >= 0 && steps % scale == 0 &&
                   steps / scale < text_eval(&w->w, map->values[k].extent);
      check_that(w, r, is_in, "extent");
    }
  }
}

static void check_inverse(world *w, const random_map *r, const points *p) {
  tn_domain domain = text_as_domain(&r->d);
  text_list results = text_exprs(&w->w, "a, b, c, d, e, f, g, h");
  const tn_node *out[3];
  bool is_ok =
      tn_itermap_invert(w->arith, &domain, r->values.n, r->values.items, results.items, out, NULL);
  check_that(w, r, is_ok, "inverse");
  for (uint32_t i = 0; i < p->n; ++i) {
    for (uint32_t k = 0; k < r->values.n; ++k) {
      text_set(&w->w, results.items[k], p->values[i][k]);
    }
    for (uint32_t k = 0; k < domain.n; ++k) {
      check_that(w, r, text_eval(&w->w, out[k]) == p->loops[i][k], "inverse");
    }
  }
}

static bool check_division(world *w, const random_map *r, uint32_t n_outer, const points *p) {
  tn_domain domain = text_as_domain(&r->d);
  tn_iter_division out[TEXT_MAX_LIST];
  if (!tn_itermap_divide(w->arith, &domain, n_outer, r->values.n, r->values.items, out)) {
    return false;
  }
  for (uint32_t i = 0; i < p->n; ++i) {
    set_loops(w, r, p->loops[i]);
    for (uint32_t k = 0; k < r->values.n; ++k) {
      int64_t inner = text_eval(&w->w, out[k].inner);
      int64_t extent = text_eval(&w->w, out[k].inner_extent);
      int64_t outer = text_eval(&w->w, out[k].outer);
      check_that(w, r, inner >= 0 && inner < extent, "inner extent");
      check_that(w, r, outer * extent + inner == p->values[i][k], "division");
    }
  }
  return true;
}

static void check_map(world *w, const random_map *r, points *p, tally *t) {
  tn_domain domain = text_as_domain(&r->d);
  const tn_itermap *map = tn_itermap_detect(w->arith, &domain, r->values.n, r->values.items, NULL);
  const tn_node *n = text_var(&w->w, "n", 1);
  bool is_injective = true;
  bool is_independent = true;
  bool is_divided = false;
  for (int64_t param = 1; param <= N_PARAMS; ++param) {
    text_set(&w->w, n, param * 2 - 1);
    enumerate(w, r, p);
    uint32_t n_different = count_different(p, r->values.n);
    is_injective = is_injective && n_different == p->n;
    is_independent = is_independent && is_box(p, r->values.n, n_different);
    if (map == NULL) {
      continue;
    }
    check_that(w, r, !map->is_injective || n_different == p->n, "injective");
    check_that(w, r, !map->is_independent || is_box(p, r->values.n, n_different), "independent");
    check_extents(w, r, map, p);
    if (map->is_injective) {
      check_inverse(w, r, p);
    }
    for (uint32_t k = 0; k <= domain.n; ++k) {
      is_divided = check_division(w, r, k, p) || is_divided;
    }
  }
  t->n_maps += 1;
  t->n_injective += is_injective;
  t->n_independent += is_independent;
  t->n_injective_found += map != NULL && map->is_injective;
  t->n_independent_found += map != NULL && map->is_independent;
  t->n_divided += is_divided;
}

static void random_splits_and_fuses_agree_with_enumeration(void **state) {
  (void)state;
  int n_maps = getenv("TN_LONG") != NULL ? 40000 : 1500;
  tn_rng rng = tn_rng_make(4);
  tally t = {0};
  points *p = calloc(1, sizeof *p);
  for (int i = 0; i < n_maps; ++i) {
    world w;
    setup(&w);
    random_map r = make_map(&w, &rng);
    check_map(&w, &r, p, &t);
    teardown(&w);
  }
  free(p);
  print_message("%d maps; injective %d, found %d; independent %d, found %d; divided %d\n", t.n_maps,
                t.n_injective, t.n_injective_found, t.n_independent, t.n_independent_found,
                t.n_divided);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_are_recognised),
      cmocka_unit_test(values_divide_into_outer_and_inner),
      cmocka_unit_test(injective_maps_have_inverses),
      cmocka_unit_test(random_splits_and_fuses_agree_with_enumeration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
