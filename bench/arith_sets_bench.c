/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a question about integer sets costs: twelve kinds on six programs, each asked of a fresh
 * context (nothing remembered); then the same remembered, and the iteration map that answers some of
 * them without a set. With an argument, every figure instead of a line a kind. See decision 006. */
#include "base/clock.h"
#include "row.h"
#include "unit/arith_text.h"

enum { N_ROUNDS = 15, N_PROGRAMS = 6, N_KINDS = 12 };

typedef struct program {
  const char *name;
  const char *assume; /* or NULL */
  const char *write;
  const char *read;  /* of the same buffer, before it */
  const char *outer; /* loops outside the one that is asked about */
  const char *loop;
  const char *order;   /* the loops, old order */
  const char *swapped; /* new order */
  const char *cond;    /* to be shown from the domain */
  const char *map;     /* of the write's loops */
  const char *extents; /* of the map's values */
} program;

#define MM_DOMAIN "io:32 jo:16 ko:64 ii:32 ki:16 ji:64"
#define CONV_DOMAIN "n:2 oco:8 oh:28 owo:4 ico:16 kh:3 kw:3 ici:4 owi:7 oci:8 u:1"

static const program programs[N_PROGRAMS] = {
    {"tiled matmul", NULL, MM_DOMAIN " -> io * 32 + ii, jo * 64 + ji",
     MM_DOMAIN " -> io * 32 + ii, jo * 64 + ji", "io, jo", "ii", "io, jo, ko, ii, ki, ji",
     "io, jo, ko, ii, ji, ki", "io * 32 + ii < 1024 and jo * 64 + ji < 1024",
     "io * 32 + ii, jo * 64 + ji, ko * 16 + ki", "1024, 1024, 1024"},
    {"convolution, 11 loops", NULL, CONV_DOMAIN " -> n, oco * 8 + oci, oh, owo * 7 + owi",
     CONV_DOMAIN " -> n, ico * 4 + ici, oh + kh - 1, owo * 7 + owi + kw - 1", "n, oco, oh", "owo",
     "n, oco, oh, owo, ico, kh, kw, ici, owi, oci", "n, oco, oh, owo, ico, kh, kw, ici, oci, owi",
     "owo * 7 + owi < 28 and oco * 8 + oci < 64",
     "n, oco * 8 + oci, oh, owo * 7 + owi, ico * 4 + ici, kh, kw", "2, 64, 28, 28, 64, 3, 3"},
    {"softmax rows", NULL, "i:512 jo:63 ji:16 | jo * 16 + ji < 1000 -> i, jo * 16 + ji",
     "i:512 jo:63 ji:16 | jo * 16 + ji < 1000 -> i, jo * 16 + ji", "i", "jo", "i, jo, ji",
     "i, ji, jo", "jo * 16 + ji <= 999", "i, jo * 16 + ji", "512, 1000"},
    {"stencil, skewed", "n >= 3", "t:100 i:1~(n-2) -> (t + 1) % 2, i",
     "t:100 i:1~(n-2) -> t % 2, i + 1", "t", "i", "t, i", "t, t + i", "i >= 1 and i + 1 < n",
     "t, i - 1", "100, n - 2"},
    {"transposed copy, symbolic", "n >= 1 and m >= 1",
     "io:((n+15)//16) jo:((m+15)//16) ii:16 ji:16 | io * 16 + ii < n and jo * 16 + ji < m -> jo * "
     "16 + ji, io * 16 + ii",
     "io:((n+15)//16) jo:((m+15)//16) ii:16 ji:16 | io * 16 + ii < n and jo * 16 + ji < m -> jo * "
     "16 + ji, io * 16 + ii",
     "io", "jo", "io, jo, ii, ji", "jo, io, ji, ii", "io * 16 + ii < n",
     "jo * 16 + ji, io * 16 + ii", "m, n"},
    {"scan", "n >= 1", "i:n j:64 -> i + 1, j", "i:n j:64 -> i, j", "j", "i", "i, j", "j, i",
     "i + 1 <= n", "i, j", "n, 64"},
};

static const char *const kinds[N_KINDS] = {
    "a domain is empty",
    "a condition holds in a domain",
    "two writes at one loop (parallel)",
    "a dependence at one loop (vectorise)",
    "a dependence turned round by a new order",
    "old order against new order",
    "a read is covered by a write",
    "two footprints are equal",
    "a map is injective",
    "a map is bijective",
    "values are determined by keys",
    "the box of a region",
};

typedef struct asked {
  text_world w;
  text_footprint write_text;
  text_footprint read_text;
  tn_footprint write;
  tn_footprint read;
  text_list outer;
  text_list loop;
  text_list order;
  text_list swapped;
  text_list map;
  text_list extents;
  const tn_node *cond;
} asked;

static void asked_init(asked *a, const program *p) {
  *a = (asked){.cond = NULL};
  a->w.ir = tn_ir_new(0);
  a->write_text = text_footprint_of(&a->w, p->write);
  a->read_text = text_footprint_of(&a->w, p->read);
  a->write = text_as_footprint(&a->write_text);
  a->read = text_as_footprint(&a->read_text);
  a->outer = text_exprs(&a->w, p->outer);
  a->loop = text_exprs(&a->w, p->loop);
  a->order = text_exprs(&a->w, p->order);
  a->swapped = text_exprs(&a->w, p->swapped);
  a->map = text_exprs(&a->w, p->map);
  a->extents = text_exprs(&a->w, p->extents);
  a->cond = text_expr(&a->w, p->cond);
}

static tn_order order_of(tn_op op, const text_list *list) {
  return (tn_order){op, list->n, list->items, list->items};
}

static tn_answer ask(tn_sets *sets, asked *a, int kind) {
  const tn_domain *d = &a->write.domain;
  tn_order at_loop[2] = {order_of(TN_OP_EQ, &a->outer), order_of(TN_OP_LT, &a->loop)};
  tn_order turned[2] = {order_of(TN_OP_LT, &a->order), order_of(TN_OP_GE, &a->swapped)};
  tn_footprint none = {*d, {.n_dims = 0}};
  const tn_node *mins[8];
  const tn_node *extents[8];
  switch (kind) {
    case 0:
      return tn_sets_is_empty(sets, d);
    case 1:
      return tn_sets_is_true(sets, d, a->cond);
    case 2:
      return tn_sets_is_independent(sets, &a->write, &a->write, 2, at_loop);
    case 3:
      return tn_sets_is_independent(sets, &a->write, &a->read, 2, at_loop);
    case 4:
      return tn_sets_is_independent(sets, &a->write, &a->read, 2, turned);
    case 5:
      return tn_sets_is_independent(sets, &none, &none, 2, turned);
    case 6:
      return tn_sets_is_covered(sets, &a->read, 1, &a->write);
    case 7:
      return tn_sets_is_equal(sets, &a->write, &a->write);
    case 8:
      return tn_sets_is_injective(sets, d, a->map.n, a->map.items);
    case 9:
      return tn_sets_is_bijective(sets, d, a->map.n, a->map.items, a->extents.items);
    case 10:
      return tn_sets_is_determined(sets, d, a->order.n, a->order.items, a->map.n, a->map.items);
    default:
      return tn_sets_box(sets, a->w.ir, &a->read, mins, extents);
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  return values[n / 2];
}

/* Microseconds of the question, and of it remembered. */
static double measure(const program *p, int kind, double *out_again, tn_verdict *out_verdict) {
  double first[N_ROUNDS];
  double again[N_ROUNDS];
  for (int r = 0; r < N_ROUNDS; ++r) {
    asked a;
    asked_init(&a, p);
    tn_sets *sets = tn_sets_new();
    if (p->assume != NULL) {
      (void)tn_sets_assume(sets, text_expr(&a.w, p->assume));
    }
    int64_t start = tn_clock_ns();
    *out_verdict = ask(sets, &a, kind).verdict;
    int64_t middle = tn_clock_ns();
    (void)ask(sets, &a, kind);
    first[r] = (double)(middle - start) * 1e-3;
    again[r] = (double)(tn_clock_ns() - middle) * 1e-3;
    tn_sets_free(sets);
    tn_ir_free(a.w.ir);
  }
  *out_again = median(again, N_ROUNDS);
  return median(first, N_ROUNDS);
}

static double measure_itermap(const program *p, bool *out_is_known) {
  double us[N_ROUNDS];
  for (int r = 0; r < N_ROUNDS; ++r) {
    asked a;
    asked_init(&a, p);
    tn_arith *arith = tn_arith_new(a.w.ir);
    int64_t start = tn_clock_ns();
    const tn_itermap *map = tn_itermap_detect(arith, &a.write.domain, a.map.n, a.map.items, NULL);
    us[r] = (double)(tn_clock_ns() - start) * 1e-3;
    *out_is_known = map != NULL && map->is_injective;
    tn_arith_free(arith);
    tn_ir_free(a.w.ir);
  }
  return median(us, N_ROUNDS);
}

int main(int argc, char **argv) {
  (void)argv;
  static const char *const verdicts[] = {"proved", "refuted", "undecided", "not affine"};
  double remembered[N_KINDS * N_PROGRAMS];
  for (int kind = 0; kind < N_KINDS; ++kind) {
    double us[N_PROGRAMS];
    double slowest = 0;
    char note[96] = "";
    char name[96];
    for (int i = 0; i < N_PROGRAMS; ++i) {
      tn_verdict verdict = TN_UNDECIDED;
      us[i] = measure(&programs[i], kind, &remembered[kind * N_PROGRAMS + i], &verdict);
      (void)snprintf(name, sizeof name, "%s: %s", programs[i].name, kinds[kind]);
      if (argc > 1) {
        row_print(&(row){name, us[i], "us", ROW_INFO, 0, verdicts[verdict]});
      }
      if (us[i] > slowest) {
        slowest = us[i];
        (void)snprintf(note, sizeof note, "at most %.0f: %s", slowest, programs[i].name);
      }
    }
    (void)snprintf(name, sizeof name, "question: %s", kinds[kind]);
    row_print(&(row){name, median(us, N_PROGRAMS), "us", ROW_INFO, 0, note});
  }
  row_print(&(row){"question: remembered", median(remembered, (N_KINDS - 1) * N_PROGRAMS), "us",
                   ROW_INFO, 0, "all kinds but boxes"});
  for (int i = 0; i < N_PROGRAMS; ++i) {
    char name[96];
    bool is_known = false;
    double us = measure_itermap(&programs[i], &is_known);
    (void)snprintf(name, sizeof name, "iteration map: %s", programs[i].name);
    row_print(&(row){name, us, "us", ROW_INFO, 0, is_known ? "injective" : "not known"});
  }
  return 0;
}
