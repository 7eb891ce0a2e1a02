/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script */
/* Every rewrite rule alone, on programs that it fires on, with drawn sizes (fixed and symbolic) and
 * values: the interpreter's result before and after. Exact rules keep every bit, on NaN, infinities,
 * -0 and empty tensors too. Then the passes of rules one after another on the same programs. */
#include "graph_util.h"

#include <math.h>

#include "base/rng.h"
#include "graph/rewrite.h"
#include "ops/rules/match.h"
#include "ops_rules_cases.h"

enum { MAX_PARAMS = 8, MAX_RULES = 128, MAX_BINDS = 8 };

typedef struct param {
  char name[16];
  char type[16];
  char dims[16][4];
  int32_t ndim;
} param;

typedef struct drawn {
  const rule_case *row;
  char type[16];
  param params[MAX_PARAMS];
  int32_t n_params;
  int64_t extents[26]; /* of letters */
  bool is_symbolic;
  bool is_special; /* NaN and its like among the values */
  tn_array values[MAX_PARAMS];
} drawn;

/* ---- reading a row ---- */

static void read_params(drawn *d) {
  const char *p = d->row->params;
  d->n_params = 0;
  while (*p != '\0') {
    param *out = &d->params[d->n_params++];
    *out = (param){.ndim = 0};
    size_t len = strcspn(p, "[");
    memcpy(out->name, p, len);
    for (p += len; *p != ']';) {
      len = strcspn(++p, ",]");
      memcpy(out->dims[out->ndim++], p, len);
      p += len;
    }
    strcpy(out->type, d->type);
    if (*++p == ':') {
      len = strcspn(p, " ");
      memset(out->type, 0, sizeof out->type);
      memcpy(out->type, p + 1, len - 1);
      p += len;
    }
    p += *p == ' ' ? 1 : 0;
  }
}

static void draw_type(drawn *d, tn_rng *rng) {
  const char *p = d->row->types;
  uint64_t n = 1;
  for (const char *q = p; *q != '\0'; ++q) {
    n += *q == ' ' ? 1 : 0;
  }
  for (uint64_t i = tn_rng_below(rng, n); i > 0; --i) {
    p = strchr(p, ' ') + 1;
  }
  size_t len = strcspn(p, " ");
  memcpy(d->type, p, len);
  d->type[len] = '\0';
}

static bool is_const(const param *p) { return strncmp(p->name, "c_", 2) == 0; }

static int64_t extent_of(const drawn *d, const char *dim) {
  return *dim >= 'a' && *dim <= 'z' ? d->extents[*dim - 'a'] : strtoll(dim, NULL, 10);
}

/* ---- the program ---- */

static void put_extent(const drawn *d, char letter, tn_buf *out) {
  if (d->is_symbolic) {
    tn_buf_printf(out, "%c", letter);
  } else {
    tn_buf_printf(out, "%d", (int)d->extents[letter - 'a']);
  }
}

static void put_signature(const drawn *d, tn_buf *out) {
  for (int32_t i = 0; i < d->n_params; ++i) {
    const param *p = &d->params[i];
    tn_buf_printf(out, "%s%s: R.Tensor((", i == 0 ? "" : ", ", p->name);
    for (int32_t k = 0; k < p->ndim; ++k) {
      bool is_letter = *p->dims[k] >= 'a';
      if (is_letter && d->is_symbolic) {
        tn_buf_printf(out, "\"%s\", ", p->dims[k]);
      } else {
        tn_buf_printf(out, "%d, ", (int)extent_of(d, p->dims[k]));
      }
    }
    tn_buf_printf(out, "), dtype=\"%s\")", p->type);
  }
}

static void put_sizes(const drawn *d, tn_buf *out) {
  bool is_there[26] = {false};
  for (int32_t i = 0; d->is_symbolic && i < d->n_params; ++i) {
    for (int32_t k = 0; k < d->params[i].ndim; ++k) {
      char letter = *d->params[i].dims[k];
      if (letter >= 'a' && !is_there[letter - 'a']) {
        is_there[letter - 'a'] = true;
        tn_buf_printf(out, "        %c = T.int64()\n", letter);
      }
    }
  }
}

static void put_body(const drawn *d, tn_buf *out) {
  tn_buf_puts(out, "            ");
  for (const char *p = d->row->body; *p != '\0'; ++p) {
    if (p[0] == '$' && p[1] == 't' && (p[2] < 'a' || p[2] > 'z')) {
      tn_buf_puts(out, d->type);
      ++p;
    } else if (p[0] == '$') {
      put_extent(d, *++p, out);
    } else if (p[0] == ';') {
      tn_buf_puts(out, "\n            ");
      p += p[1] == ' ' ? 1 : 0;
    } else {
      tn_buf_putc(out, *p);
    }
  }
}

static void put_program(const drawn *d, tn_buf *out) {
  tn_buf_puts(out, "from tvm.script import ir as I\nfrom tvm.script import relax as R\n"
                   "from tvm.script import tir as T\n@I.ir_module\nclass Module:\n"
                   "    @R.function\n    def main(");
  put_signature(d, out);
  tn_buf_puts(out, "):\n");
  put_sizes(d, out);
  tn_buf_puts(out, "        with R.dataflow():\n");
  put_body(d, out);
  tn_buf_puts(out, "\n            R.output(y)\n        return y\n");
}

/* ---- values ---- */

static void fill(tn_array *array, bool is_special, tn_rng *rng) {
  static const double specials[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-45, -6e4, 0.5, 1e30};
  for (int64_t i = 0; i < tn_array_n_elems(array); ++i) {
    if (!tn_dtype_is_float(array->dtype)) {
      tn_array_set_i64(array, i, tn_rng_range(rng, -300, 300));
    } else if (is_special && tn_rng_below(rng, 3) == 0) {
      tn_array_set_f64(array, i, specials[tn_rng_below(rng, TN_N_ROWS(specials))]);
    } else {
      tn_array_set_f64(array, i, 4 * tn_rng_unit(rng) - 2);
    }
  }
}

static void draw(drawn *d, const rule_case *row, bool is_exact, tn_rng *rng) {
  *d = (drawn){.row = row, .is_symbolic = tn_rng_below(rng, 3) == 0, .is_special = is_exact};
  draw_type(d, rng);
  read_params(d);
  for (int i = 0; i < 26; ++i) {
    bool is_empty = is_exact && tn_rng_below(rng, 12) == 0;
    d->extents[i] = is_empty ? 0 : tn_rng_range(rng, 1, 5);
  }
  for (int32_t i = 0; i < d->n_params; ++i) {
    const param *p = &d->params[i];
    int64_t shape[TN_MAX_NDIM];
    tn_dtype dtype = TN_DT_NONE;
    for (int32_t k = 0; k < p->ndim; ++k) {
      shape[k] = extent_of(d, p->dims[k]);
    }
    assert_true(tn_dtype_parse(p->type, strlen(p->type), &dtype));
    expect_ok(tn_array_init(&d->values[i], dtype, p->ndim, shape));
    fill(&d->values[i], d->is_special && !is_const(p), rng);
  }
}

/* ---- running ---- */

static void run_module(const tn_module *module, const drawn *d, const char *what, tn_array *out) {
  tn_value args[MAX_PARAMS];
  int32_t n = 0;
  tn_value result = {0};
  for (int32_t i = 0; i < d->n_params; ++i) {
    if (!is_const(&d->params[i])) {
      args[n++] = graph_value((tn_array *)(uintptr_t)&d->values[i]);
    }
  }
  tn_interp *interp = tn_interp_new(module, NULL);
  tn_status st = tn_interp_call(interp, "main", args, n, &result);
  expect_true(st == NULL, "%s: %s", what, st == NULL ? "" : tn_status_message(st));
  assert_true(result.kind == TN_V_ARRAY);
  expect_ok(tn_array_init_copy(out, result.array));
  tn_interp_free(interp);
}

static double tolerance_of(tn_dtype dtype) {
  switch (dtype) {
    case TN_DT_F64:
      return 1e-9; /* numbers of the programs have 16 digits */
    case TN_DT_F32:
      return 2e-5;
    case TN_DT_F16:
      return 1e-2;
    default:
      return 6e-2;
  }
}

static void compare(const tn_array *want, const tn_array *got, bool is_exact, const char *what) {
  bool is_float = tn_dtype_is_float(want->dtype);
  double tolerance = is_exact || !is_float ? 0 : tolerance_of(want->dtype);
  assert_int_equal(want->dtype, got->dtype);
  assert_int_equal(want->ndim, got->ndim);
  for (int32_t d = 0; d < want->ndim; ++d) {
    expect_true(want->shape[d] == got->shape[d], "%s: extent %d", what, d);
  }
  for (int64_t i = 0; i < tn_array_n_elems(want); ++i) {
    double a = tn_array_get_f64(want, i);
    double b = tn_array_get_f64(got, i);
    bool is_same = (isnan(a) && isnan(b)) || (a == b && (!is_exact || !signbit(a) == !signbit(b)));
    expect_true(is_same || fabs(a - b) <= tolerance * (1 + fabs(a)),
                "%s: element %d: %.17g before, %.17g after", what, (int)i, a, b);
  }
}

static tn_status bind_consts(tn_module *module, const drawn *d) {
  tn_named_array binds[MAX_BINDS];
  int32_t n = 0;
  for (int32_t i = 0; i < d->n_params; ++i) {
    if (is_const(&d->params[i])) {
      binds[n++] = (tn_named_array){d->params[i].name, &d->values[i]};
    }
  }
  const tn_pass_opts opts = {.binds = binds, .n_binds = n};
  return n == 0 ? NULL : graph_passes(module, "bind_params", &opts);
}

/* ---- one rule ---- */

typedef struct checked {
  const tn_rewrite_rule *rules[MAX_RULES];
  uint32_t n;
  int64_t n_fired[MAX_RULES];
} checked;

static uint32_t rule_at(const checked *c, const char *name) {
  for (uint32_t i = 0; i < c->n; ++i) {
    if (strcmp(c->rules[i]->name, name) == 0) {
      return i;
    }
  }
  fail_msg("no rule is called '%s'", name);
  return 0;
}

/* Reads, runs, rewrites by `rules`, runs again. */
static void check_drawn(drawn *d, const tn_rewrite_rule *const *rules, uint32_t n, bool is_exact,
                        int64_t *n_fired) {
  tn_module module;
  tn_array before = {0};
  tn_array after = {0};
  tn_buf text = TN_BUF_INIT;
  put_program(d, &text);
  const char *what = tn_buf_text(&text);
  graph_read(&module, what);
  expect_ok(graph_passes(&module, "normalize", NULL));
  expect_ok(bind_consts(&module, d));
  run_module(&module, d, what, &before);
  expect_ok(tn_rewrite_graphs(&module, NULL, rules, n, n_fired));
  tn_status st = graph_verify_all(&module, NULL);
  expect_true(st == NULL, "%s: %s", what, st == NULL ? "" : tn_status_message(st));
  run_module(&module, d, what, &after);
  compare(&before, &after, is_exact, what);
  tn_array_deinit(&before);
  tn_array_deinit(&after);
  graph_free(&module);
  tn_buf_deinit(&text);
}

static void drawn_deinit(drawn *d) {
  for (int32_t i = 0; i < d->n_params; ++i) {
    tn_array_deinit(&d->values[i]);
  }
}

static int n_rounds(void) { return getenv("TN_LONG") != NULL ? 400 : 12; }

static void a_rule_changes_no_result(void **state) {
  checked c = {.n = tn_rules_of("", c.rules, MAX_RULES)};
  tn_rng rng = tn_rng_make(11);
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(rule_cases); ++i) {
    const rule_case *row = &rule_cases[i];
    uint32_t at = rule_at(&c, row->rule);
    int64_t n_fired = 0;
    for (int k = 0; k < n_rounds(); ++k) {
      drawn d;
      draw(&d, row, c.rules[at]->is_exact, &rng);
      check_drawn(&d, &c.rules[at], 1, c.rules[at]->is_exact, &n_fired);
      drawn_deinit(&d);
    }
    expect_true((n_fired == 0) == row->is_refused, "%s fired %d times on: %s", row->rule,
                (int)n_fired, row->body);
    c.n_fired[at] += n_fired;
  }
  for (uint32_t i = 0; i < c.n; ++i) {
    expect_true(c.n_fired[i] > 0, "rule %s never fired", c.rules[i]->name);
  }
}

/* ---- all of them ---- */

static void all_rules_together_change_no_result(void **state) {
  const tn_rewrite_rule *rules[MAX_RULES];
  uint32_t n = tn_rules_of("", rules, MAX_RULES);
  tn_rng rng = tn_rng_make(12);
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(rule_cases); ++i) {
    for (int k = 0; k < n_rounds() / 4; ++k) {
      drawn d;
      draw(&d, &rule_cases[i], false, &rng);
      check_drawn(&d, rules, n, false, NULL);
      drawn_deinit(&d);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rule_changes_no_result),
      cmocka_unit_test(all_rules_together_change_no_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
