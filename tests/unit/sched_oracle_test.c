/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script
 * with: sched_oracle.c
 * The room's answers on small random programs, whose loops have one to four rounds, against those
 * found by listing every access: nothing that is wrong is accepted, and of what is right at most 2 %
 * is refused; with TN_LONG=1 each of those is printed (docs/schedules.md names their kinds). */
#include "sched_oracle.h"

enum { N_SHORT = 1500, N_LONG = 60000, MAX_LOOPS = 3, MAX_FALSE = 20 };

typedef enum question {
  REORDER,
  PARALLEL,
  VECTORIZE,
  DECOMPOSE,
  COMPUTE_AT,
  INLINE,
  N_QUESTIONS
} question;

static const char *const question_names[] = {
    "reorder", "parallel", "vectorize", "decompose_reduction", "compute_at", "compute_inline"};

typedef struct counts {
  uint32_t right; /* legal and accepted */
  uint32_t wrong; /* illegal and refused */
  uint32_t falsely_refused;
} counts;

typedef struct suite {
  counts tallies[N_QUESTIONS];
  tn_sched_stats stats;
} suite;

/* ---- programs ---- */

typedef struct maker {
  tn_rng rng;
  uint32_t n_loops;
  int64_t extents[MAX_LOOPS];
  tn_buf text;
} maker;

static int64_t below(maker *m, uint64_t n) { return (int64_t)tn_rng_below(&m->rng, n); }

/* An index over `names`, from 0 on, below 16. */
static void put_index(maker *m, const char *const *names, bool is_simple) {
  int64_t least = 0;
  bool is_any = false;
  int64_t coefs[MAX_LOOPS];
  for (uint32_t i = 0; i < m->n_loops; ++i) {
    coefs[i] = below(m, 3) == 0 || is_simple ? 0 : below(m, 5) == 0 ? 2 - 3 * below(m, 2) : 1;
    if (coefs[i] == 2 && m->extents[i] > 3) {
      coefs[i] = 1; /* three loops of it would leave the buffer */
    }
    least += coefs[i] < 0 ? coefs[i] * (m->extents[i] - 1) : 0;
  }
  if (is_simple) {
    coefs[below(m, m->n_loops)] = 1;
  }
  for (uint32_t i = 0; i < m->n_loops; ++i) {
    if (coefs[i] != 0) {
      tn_buf_printf(&m->text, "%s%lld * %s", is_any ? " + " : "", (long long)coefs[i], names[i]);
      is_any = true;
    }
  }
  int64_t offset = below(m, 3) == 0 ? below(m, 3) : 0;
  if (!is_any || offset - least != 0) {
    tn_buf_printf(&m->text, "%s%lld", is_any ? " + " : "", (long long)(offset - least));
  }
  if (is_any && below(m, 8) == 0) {
    tn_buf_puts(&m->text, " + 0"); /* folded */
  }
}

static void put_access(maker *m, const char *buffer, const char *const *names) {
  tn_buf_printf(&m->text, "%s[", buffer);
  put_index(m, names, below(m, 2) == 0);
  tn_buf_puts(&m->text, ", ");
  put_index(m, names, below(m, 2) == 0);
  tn_buf_puts(&m->text, "]");
}

static void put_loops(maker *m, const char *const *names) {
  for (uint32_t i = 0; i < m->n_loops; ++i) {
    m->extents[i] = 1 + below(m, 4);
    tn_buf_printf(&m->text, "%*sfor %s in range(%lld):\n", (int)(4 + 4 * i), "", names[i],
                  (long long)m->extents[i]);
  }
}

static int indent_of(const maker *m) { return (int)(4 + 4 * m->n_loops); }

/* A[..] = A[..] + B[..], one or two, in place. */
static void put_update(maker *m) {
  static const char *const loops[] = {"i", "j", "k"};
  static const char *const axes[] = {"vi", "vj", "vk"};
  bool is_block = below(m, 2) == 0;
  uint32_t n = 1 + (uint32_t)below(m, 2);
  put_loops(m, loops);
  for (uint32_t s = 0; s < n; ++s) {
    int indent = indent_of(m) + (is_block ? 4 : 0);
    if (is_block) {
      tn_buf_printf(&m->text, "%*swith T.block(\"S%u\"):\n", indent - 4, "", s);
      for (uint32_t i = 0; i < m->n_loops; ++i) {
        tn_buf_printf(&m->text, "%*s%s = T.axis.opaque(%lld, %s)\n", indent, "", axes[i],
                      (long long)m->extents[i], loops[i]);
      }
    }
    const char *const *names = is_block ? axes : loops;
    tn_buf_printf(&m->text, "%*s", indent, "");
    put_access(m, s == 0 || below(m, 2) == 0 ? "A" : "C", names);
    tn_buf_puts(&m->text, " = ");
    put_access(m, below(m, 2) == 0 ? "A" : "B", names);
    tn_buf_puts(&m->text, " + ");
    put_access(m, below(m, 3) == 0 ? "A" : "B", names);
    tn_buf_puts(&m->text, "\n");
  }
}

/* D[spatial axes] = D[..] + A[..] * B[..], loops in any order; sometimes one axis of two loops. */
static void put_reduction(maker *m) {
  static const char *const loops[] = {"i", "j", "k"};
  static const char *const axes[] = {"vi", "vj", "vk"};
  bool is_joined = m->n_loops == 3 && below(m, 3) == 0;
  uint32_t last = m->n_loops - 1;
  uint32_t always = is_joined ? (uint32_t)below(m, 2) * 2 : (uint32_t)below(m, m->n_loops);
  const char *to[MAX_LOOPS] = {"0", "0", "0"};
  put_loops(m, loops);
  tn_buf_printf(&m->text, "%*swith T.block(\"C\"):\n", indent_of(m), "");
  for (uint32_t i = 0; i < m->n_loops; ++i) {
    bool is_reduce = i == always || below(m, 3) == 0;
    to[i] = is_reduce || (is_joined && i == 1) ? "0" : axes[i];
    const char *kind = is_reduce ? "reduce" : "spatial";
    if (is_joined && i == 0) {
      tn_buf_printf(&m->text, "%*svi = T.axis.%s(%lld, i * %lld + j)\n", indent_of(m) + 4, "", kind,
                    (long long)(m->extents[0] * m->extents[1]), (long long)m->extents[1]);
    } else if (!is_joined || i == 2) {
      tn_buf_printf(&m->text, "%*s%s = T.axis.%s(%lld, %s)\n", indent_of(m) + 4, "", axes[i], kind,
                    (long long)m->extents[i], loops[i]);
    }
  }
  tn_buf_printf(&m->text, "%*swith T.init():\n%*sD[%s, %s, %s] = 0\n", indent_of(m) + 4, "",
                indent_of(m) + 8, "", to[0], to[1], to[2]);
  tn_buf_printf(&m->text, "%*sD[%s, %s, %s] = D[%s, %s, %s] + A[%s, %s] * B[%s, 0]\n",
                indent_of(m) + 4, "", to[0], to[1], to[2], to[0], to[1], to[2], axes[0],
                is_joined ? "vk" : axes[last], axes[last]);
}

/* E = A + B; sometimes A changes; C reads E. */
static void put_chain(maker *m) {
  static const char *const loops[] = {"i", "j", "k"};
  static const char *const axes[] = {"vi", "vj", "vk"};
  m->n_loops = 2;
  tn_buf_puts(&m->text, "    E = T.alloc_buffer((16, 16), \"int32\")\n"
                        "    for x, y in T.grid(16, 16):\n        with T.block(\"E\"):\n"
                        "            vi, vj = T.axis.remap(\"SS\", [x, y])\n"
                        "            E[vi, vj] = A[vi, vj] + B[vj, vi]\n");
  if (below(m, 3) == 0) {
    tn_buf_printf(&m->text,
                  "    for u in range(3):\n        with T.block(\"M\"):\n"
                  "            vu = T.axis.spatial(3, u)\n            %s[vu, 0] = 7\n",
                  below(m, 2) == 0 ? "A" : "B");
  }
  put_loops(m, loops);
  tn_buf_printf(&m->text, "%*swith T.block(\"C\"):\n", indent_of(m), "");
  for (uint32_t i = 0; i < m->n_loops; ++i) {
    tn_buf_printf(&m->text, "%*s%s = T.axis.spatial(%lld, %s)\n", indent_of(m) + 4, "", axes[i],
                  (long long)m->extents[i], loops[i]);
  }
  tn_buf_printf(&m->text, "%*sC[vi, vj] = ", indent_of(m) + 4, "");
  put_access(m, "E", axes);
  tn_buf_puts(&m->text, " - ");
  put_access(m, "E", axes);
  tn_buf_puts(&m->text, "\n");
}

static void make_program(maker *m, uint64_t seed) {
  *m = (maker){.rng = tn_rng_make(seed)};
  m->n_loops = 1 + (uint32_t)below(m, 3);
  tn_buf_puts(&m->text,
              "@T.prim_func\ndef f(A: T.Buffer((16, 16), \"int32\"), B: T.Buffer((16, 16), "
              "\"int32\"), C: T.Buffer((16, 16), \"int32\"), D: T.Buffer((16, 16, 16), "
              "\"int32\")):\n");
  switch (below(m, 4)) {
    case 0:
    case 1:
      put_update(m);
      break;
    case 2:
      put_reduction(m);
      break;
    default:
      put_chain(m);
      break;
  }
}

/* ---- asking ---- */

static bool is_the_same(sched_case *c, tn_sched *s, uint64_t seed) {
  sched_args want;
  sched_args got;
  const tn_node *func = tn_module_find(&c->before, "f");
  sched_args_init(&want, func, 1, seed);
  sched_args_init(&got, func, 1, seed);
  expect_ok(tn_tir_interp(&c->before, "f", want.args, want.n, NULL, NULL));
  expect_ok(tn_tir_interp(tn_sched_module(s), "f", got.args, got.n, NULL, NULL));
  bool is_same = true;
  for (int32_t i = 0; i < want.n; ++i) {
    is_same = is_same && memcmp(want.arrays[i].data, got.arrays[i].data,
                                tn_array_n_bytes(&want.arrays[i])) == 0;
  }
  sched_args_deinit(&want);
  sched_args_deinit(&got);
  return is_same;
}

static void ask(suite *t, sched_case *c, const maker *m, question q, bool is_legal, uint32_t n,
                const tn_node *const *args, uint64_t seed) {
  tn_sched *s = tn_sched_new(&c->before, 1);
  tn_status st = tn_sched_apply(s, tn_prim_find(question_names[q]), n, args, NULL);
  counts *tally = &t->tallies[q];
  tn_sched_stats stats = tn_sched_stats_get(s);
  t->stats.n_questions += stats.n_questions + stats.n_cheap;
  t->stats.n_undecided += stats.n_undecided;
  if (st == NULL) {
    bool is_marked = q == PARALLEL || q == VECTORIZE; /* runs in order here: the list decides */
    expect_true(is_legal || (!is_marked && is_the_same(c, s, seed)),
                "seed %llu: %s is accepted and wrong\n%s", (unsigned long long)seed,
                question_names[q], tn_buf_text(&m->text));
    expect_true(is_the_same(c, s, seed), "seed %llu: %s changes what is computed\n%s",
                (unsigned long long)seed, question_names[q], tn_buf_text(&m->text));
    ++tally->right;
  } else if (is_legal) {
    ++tally->falsely_refused;
    if (getenv("TN_LONG") != NULL) {
      print_message("seed %llu: %s\n%s", (unsigned long long)seed, tn_status_message(st),
                    tn_buf_text(&m->text));
    }
  } else {
    ++tally->wrong;
  }
  tn_status_free(st);
  tn_sched_free(s);
}

/* Two loops of the chain change places. */
static void ask_reorder(suite *t, sched_case *c, const maker *m, const oracle *o, uint32_t n,
                        const tn_node *const *loops, uint64_t seed) {
  for (uint32_t a = 0; a < n; ++a) {
    for (uint32_t b = a + 1; b < n; ++b) {
      const tn_node *old[] = {loops[a], loops[b]};
      const tn_node *now[] = {loops[b], loops[a]};
      const tn_node *args[] = {tn_list(c->before.ir, 2, now)};
      ask(t, c, m, REORDER, oracle_may_reorder(o, 2, old, now), 1, args, seed);
    }
  }
}

static void ask_all(suite *t, sched_case *c, const maker *m, uint64_t seed) {
  static oracle o;
  const tn_tree *tree = tn_sched_tree_of(c->s, "f");
  const tn_node *loops[MAX_LOOPS];
  uint32_t n = 0;
  oracle_run(&o, tn_module_find(&c->before, "f"));
  for (size_t i = 0; i < tree->loops.len; ++i) {
    const char *name = tree->loops.data[i]->in[TN_FOR_VAR]->attr.text;
    if (strchr("ijk", name[0]) != NULL && n < MAX_LOOPS) {
      loops[n++] = tree->loops.data[i]->in[TN_FOR_VAR];
    }
  }
  const tn_node *E = sched_block_named(tree, "E");
  const tn_node *C = sched_block_named(tree, "C");
  ask_reorder(t, c, m, &o, n, loops, seed);
  for (uint32_t i = 0; i < n; ++i) {
    bool is_apart = oracle_rounds_apart(&o, loops[i]);
    ask(t, c, m, PARALLEL, is_apart, 1, &loops[i], seed);
    if (i + 1 == n) { /* a vector of a loop with loops inside is refused for what it is */
      ask(t, c, m, VECTORIZE, is_apart, 1, &loops[i], seed);
    }
    if (E != NULL) {
      const tn_node *args[] = {E, loops[i]};
      ask(t, c, m, COMPUTE_AT, oracle_may_compute_at(&o, tn_tree_site(tree, E), loops[i]), 2, args,
          seed);
    } else if (C != NULL) {
      const tn_node *args[] = {C, loops[i]};
      ask(t, c, m, DECOMPOSE, oracle_may_decompose(&o, tn_tree_site(tree, C), loops[i]), 2, args,
          seed);
    }
  }
  if (E != NULL && n > 0) {
    ask(t, c, m, INLINE, oracle_may_compute_at(&o, tn_tree_site(tree, E), loops[n - 1]), 1, &E,
        seed);
  }
}

static void answers_are_those_of_a_list_of_all_accesses(void **state) {
  (void)state;
  static suite t;
  uint64_t n = getenv("TN_LONG") != NULL ? N_LONG : N_SHORT;
  const char *only = getenv("TN_SEED");
  for (uint64_t seed = only == NULL ? 0 : strtoull(only, NULL, 10); seed < n; ++seed) {
    sched_case c;
    maker m;
    make_program(&m, seed);
    sched_init_text(&c, tn_buf_text(&m.text));
    ask_all(&t, &c, &m, seed);
    sched_deinit(&c);
    tn_buf_deinit(&m.text);
    if (only != NULL) {
      break;
    }
  }
  uint32_t n_legal = 0;
  uint32_t n_refused = 0;
  for (uint32_t i = 0; i < N_QUESTIONS; ++i) {
    const counts *x = &t.tallies[i];
    print_message("  %-20s %6u legal, of these refused %4u; %6u illegal\n", question_names[i],
                  x->right + x->falsely_refused, x->falsely_refused, x->wrong);
    n_legal += x->right + x->falsely_refused;
    n_refused += x->falsely_refused;
  }
  print_message("  %lld questions, %lld undecided\n", (long long)t.stats.n_questions,
                (long long)t.stats.n_undecided);
  expect_true(n_refused * 50 <= n_legal, "%u of %u are refused, more than 2 %%", n_refused,
              n_legal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_those_of_a_list_of_all_accesses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
