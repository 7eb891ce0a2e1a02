/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Random programs in which a loop fills a part of a buffer and reads it again, or nearly: windows
 * that overlap those of other rounds, strides and diagonals that leave holes, conditions on either
 * side, initial values of reductions, tiles. The result after compact_buffers and partition_loops
 * is the one before, and nothing is read that was not written. TN_SEED and TN_COUNT choose other
 * programs. */
#include <stdlib.h>

#include "lower_cases.h"

enum { N_PROGRAMS = 400 };

static const char passes[] =
    "lower_blocks,compact_buffers,serialize_loops,simplify,partition_loops";

typedef struct maker {
  tn_rng rng;
  tn_buf text;
} maker;

static int64_t pick(maker *m, int64_t lo, int64_t hi) { return tn_rng_range(&m->rng, lo, hi); }

static bool one_in(maker *m, uint64_t n) { return tn_rng_below(&m->rng, n) == 0; }

static void line(maker *m, int depth, const char *text) {
  tn_buf_printf(&m->text, "%*s%s\n", 4 * depth, "", text);
}

/* One place of the buffer: i * step + a * coef + offset, b + offset. */
static void place(maker *m, char *out, size_t n_bytes, int64_t step, const char *a, int64_t coef,
                  const char *b) {
  int64_t offset = one_in(m, 3) ? pick(m, 0, 2) : 0;
  int64_t column = one_in(m, 4) ? pick(m, 0, 2) : 0;
  const char *also = one_in(m, 8) ? a : "0"; /* a diagonal */
  (void)snprintf(out, n_bytes, "P[i * %d + %s * %d + %d, %s + %d + %s]", (int)step, a, (int)coef,
                 (int)offset, b, (int)column, also);
}

/* Opens loops a and b (and sometimes a condition); returns the depth inside. */
static int open_loops(maker *m, const char *a, const char *b, int64_t n_a, int64_t n_b,
                      int64_t step) {
  char text[96];
  int depth = 2;
  bool is_swapped = one_in(m, 3);
  for (int k = 0; k < 2; ++k) {
    bool is_a = (k == 0) != is_swapped;
    (void)snprintf(text, sizeof text, "for %s in %s(%d):", is_a ? a : b,
                   one_in(m, 3) ? "T.unroll" : "range", (int)(is_a ? n_a : n_b));
    line(m, depth++, text);
  }
  if (one_in(m, 3)) {
    (void)snprintf(text, sizeof text, "if i * %d + %s < %d:", (int)step, a, (int)pick(m, 3, 14));
    line(m, depth++, text);
  }
  if (one_in(m, 6)) {
    (void)snprintf(text, sizeof text, "if i > 0:");
    line(m, depth++, text);
  }
  return depth;
}

static void make(maker *m) {
  char text[256];
  char at[64];
  int64_t step = pick(m, 1, 4);
  int64_t n_a = one_in(m, 2) ? step : pick(m, 1, 5);
  int64_t n_b = pick(m, 1, 4);
  tn_buf_puts(&m->text, "@T.prim_func\ndef f(A: T.Buffer((40, 16), \"float32\"), B: "
                        "T.Buffer((40, 16), \"float32\")):\n");
  line(m, 1, "P = T.alloc_buffer((40, 16))");
  (void)snprintf(text, sizeof text, "for i in %s(%d):", one_in(m, 4) ? "T.parallel" : "range",
                 (int)pick(m, 2, 4));
  line(m, 1, text);
  if (!one_in(m, 3)) { /* what a round does not write is there all the same, from the first one */
    line(m, 2, "if i == 0:");
    line(m, 3, "for x, y in T.grid(16, 12):");
    (void)snprintf(text, sizeof text, "P[i * %d + x, y] = A[x, y] * T.float32(3)", (int)step);
    line(m, 4, text);
  }
  int depth = open_loops(m, "a", "b", n_a, n_b, step);
  place(m, at, sizeof at, step, "a", one_in(m, 5) ? 2 : 1, "b");
  if (one_in(m, 3)) { /* a reduction that sets its value in its first round */
    line(m, depth++, "for ro, ri in T.grid(2, 3):");
    line(m, depth, one_in(m, 6) ? "if ro * 3 + ri == 1:" : "if ro * 3 + ri == 0:");
    (void)snprintf(text, sizeof text, "%s = T.float32(0)", at);
    line(m, depth + 1, text);
    (void)snprintf(text, sizeof text, "%s = %s + A[i * 4 + a, ro * 3 + ri + b]", at, at);
  } else {
    (void)snprintf(text, sizeof text, "%s = A[i * %d + a, b + 1]", at, (int)step);
  }
  line(m, depth, text);
  depth = open_loops(m, "c", "d", one_in(m, 2) ? n_a : pick(m, 1, n_a),
                     one_in(m, 2) ? n_b : pick(m, 1, n_b), step);
  place(m, at, sizeof at, one_in(m, 8) ? step - 1 : step, "c", one_in(m, 8) ? 2 : 1, "d");
  if (one_in(m, 5)) {
    (void)snprintf(text, sizeof text,
                   "B[i * 4 + c, d] = B[i * 4 + c, d] + T.if_then_else(c < %d, %s, T.float32(1))",
                   (int)pick(m, 1, 3), at);
  } else {
    (void)snprintf(text, sizeof text, "B[i * 4 + c, d] = B[i * 4 + c, d] + %s", at);
  }
  line(m, depth, text);
}

/* Runs f under the checker; its status. */
static tn_status run(const tn_module *module, lc_args *args) {
  tn_tir_checker *checker = tn_tir_checker_new(module->ir);
  const tn_tir_hooks hooks = {.max_steps = 2000000, .checker = checker};
  tn_status st = tn_tir_interp(module, "f", args->args, args->n, &hooks, NULL);
  st = tn_tir_checker_finish(checker, st);
  tn_tir_checker_free(checker);
  return st;
}

static bool same_results(const lc_args *a, const lc_args *b) {
  for (int32_t i = 0; i < a->n; ++i) {
    if (memcmp(a->arrays[i].data, b->arrays[i].data, tn_array_n_bytes(&a->arrays[i])) != 0) {
      return false;
    }
  }
  return true;
}

static tn_visit find_whole(const tn_node *n, void *ctx) {
  (void)ctx;
  return tn_is(n, TN_OP_ALLOC) && tn_is_int(n->in[TN_ALLOC_EXTENTS]->in[0], 40) ? TN_STOP
                                                                                : TN_DESCEND;
}

/* -1: the program itself reads what it has not written; 1: its memory became smaller. */
static int check(uint64_t seed, bool *out_is_ok) {
  maker m = {.rng = tn_rng_make(seed), .text = TN_BUF_INIT};
  tn_module before;
  tn_module after;
  lc_args a;
  lc_args b;
  make(&m);
  lc_parse(&before, tn_buf_text(&m.text));
  const tn_node *func = tn_module_find(&before, "f");
  tn_module_init_copy(&after, &before);
  lc_run_passes(&after, passes);
  lc_args_init(&a, func, seed);
  lc_args_init(&b, func, seed);
  bool is_small = tn_walk(tn_module_find(&after, "f"), find_whole, NULL, NULL);
  tn_status st = run(&before, &a);
  int result = st != NULL ? -1 : is_small;
  if (st == NULL) {
    st = run(&after, &b);
    *out_is_ok = st == NULL && same_results(&a, &b);
    if (!*out_is_ok) {
      lc_show("before", &before);
      lc_show("after", &after);
      print_error("seed %llu: %s\n", (unsigned long long)seed,
                  st != NULL ? tn_status_message(st) : "another result");
    }
  }
  tn_status_free(st);
  lc_args_deinit(&a);
  lc_args_deinit(&b);
  tn_module_deinit(&after);
  lc_free(&before);
  tn_buf_deinit(&m.text);
  return result;
}

static uint64_t from_env(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void memory_becomes_small_only_where_that_changes_nothing(void **state) {
  (void)state;
  uint64_t first = from_env("TN_SEED", 1);
  uint64_t count = from_env("TN_COUNT", N_PROGRAMS);
  uint64_t n_small = 0;
  uint64_t n_kept = 0;
  bool is_ok = true;
  for (uint64_t seed = first; is_ok && seed < first + count; ++seed) {
    int result = check(seed, &is_ok);
    n_small += result == 1;
    n_kept += result == 0;
  }
  assert_true(is_ok);
  expect_true(count < 100 || (n_small > count / 10 && n_kept > count / 50),
              "of %llu programs %llu became smaller and %llu stayed", (unsigned long long)count,
              (unsigned long long)n_small, (unsigned long long)n_kept);
  if (getenv("TN_COUNT") != NULL) {
    print_message("of %llu programs %llu became smaller, %llu stayed\n", (unsigned long long)count,
                  (unsigned long long)n_small, (unsigned long long)n_kept);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_becomes_small_only_where_that_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
