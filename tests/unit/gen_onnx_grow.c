/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How a random ONNX graph grows: a form is chosen and filled, the node run alone, its error
 * measured, and taken or left. See gen_onnx.h. */
#include "gen_onnx_priv.h"

#include <math.h>
#include <stdlib.h>

#include "front/front.h"
#include "graph/graph.h"
#include "tn_test.h"

static const gx_form *const all_forms[] = {gx_elem_forms,    gx_move_forms, gx_index_forms,
                                           gx_math_forms,    gx_net_forms,  gx_quant_forms,
                                           gx_contrib_forms, gx_more_forms};

static const struct {
  const char *domain;
  const char *op;
  int64_t since;
} rows[] = {
#define RULE(domain, op, since, fn, word) {domain, op, since},
#include "front/onnx/rules.def"
#undef RULE
};

int32_t gen_onnx_n_rows(void) { return (int32_t)TN_N_ROWS(rows); }

static int64_t until(int32_t row) { /* the last opset in which the row counts */
  int64_t last = INT64_MAX;
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    if (strcmp(rows[i].op, rows[row].op) == 0 && strcmp(rows[i].domain, rows[row].domain) == 0 &&
        rows[i].since > rows[row].since && rows[i].since - 1 < last) {
      last = rows[i].since - 1;
    }
  }
  return last;
}

enum { NEWEST = 28, OTHER_VERSION = 5 /* of the other domains */ };

static int32_t row_of(const char *domain, const char *op, int64_t opset) {
  int32_t best = -1;
  for (int32_t i = 0; i < gen_onnx_n_rows(); ++i) {
    if (strcmp(rows[i].op, op) == 0 && strcmp(rows[i].domain, domain) == 0 &&
        rows[i].since <= opset && (best < 0 || rows[i].since > rows[best].since)) {
      best = i;
    }
  }
  return best;
}

/* A form may wait for its row. */
static bool fits(const gx_form *form, int64_t opset) {
  bool is_core = strcmp(form->domain, "") == 0;
  return (!is_core || (form->first <= opset && (form->last == 0 || opset <= form->last))) &&
         row_of(form->domain, form->op, is_core ? opset : OTHER_VERSION) >= 0;
}

/* A form of the row, and an opset where both hold; NULL when there is none. */
static const gx_form *form_of_row(int32_t row, int64_t *out_first, int64_t *out_last) {
  for (size_t t = 0; t < TN_N_ROWS(all_forms); ++t) {
    for (const gx_form *f = all_forms[t]; f->op != NULL; ++f) {
      if (strcmp(f->op, rows[row].op) != 0 || strcmp(f->domain, rows[row].domain) != 0) {
        continue;
      }
      if (strcmp(f->domain, "") != 0) {
        *out_first = 7;
        *out_last = NEWEST;
        return f;
      }
      int64_t last = f->last == 0 ? NEWEST : f->last;
      *out_first = f->first > rows[row].since ? f->first : rows[row].since;
      *out_last = until(row) < last ? until(row) : last;
      if (*out_first <= *out_last) {
        return f;
      }
    }
  }
  return NULL;
}

bool gen_onnx_row(int32_t i, const char **out_domain, const char **out_op, int64_t *out_since) {
  int64_t first = 0;
  int64_t last = 0;
  *out_domain = rows[i].domain;
  *out_op = rows[i].op;
  *out_since = rows[i].since;
  return form_of_row(i, &first, &last) != NULL;
}

void gen_onnx_count(const gx_graph *g, int64_t *counts) {
  for (size_t k = 0; k < g->nodes.len; ++k) {
    const gx_node *n = &g->nodes.data[k];
    int32_t row = row_of(n->domain, n->op, strcmp(n->domain, "") == 0 ? g->opset : OTHER_VERSION);
    counts[row < 0 ? 0 : row] += row >= 0;
  }
}

static const gx_form *some_form(gx_graph *g) {
  size_t n = 0;
  for (size_t t = 0; t < TN_N_ROWS(all_forms); ++t) {
    for (const gx_form *f = all_forms[t]; f->op != NULL; ++f) {
      n += fits(f, g->opset);
    }
  }
  size_t at = tn_rng_below(&g->rng, n);
  for (size_t t = 0; t < TN_N_ROWS(all_forms); ++t) {
    for (const gx_form *f = all_forms[t]; f->op != NULL; ++f) {
      if (fits(f, g->opset) && at-- == 0) {
        return f;
      }
    }
  }
  return NULL;
}

/* ---- one node alone ---- */

typedef struct alone {
  gx_graph *g;
  gx_node *n;
  tn_ir *ir;
  tn_module module;
  int32_t n_params;
  int32_t params[GX_MAX_IN];
  int32_t n_results;
} alone;

/* Floats may be disturbed, so they are inputs, but for what must be a constant. */
static tn_status open_alone(alone *a) {
  gx_graph one = {.opset = a->g->opset};
  gx_node n = *a->n;
  for (int32_t i = 0; i < n.n_in; ++i) {
    n.in[i] = -1;
    for (int32_t k = 0; k < i && a->n->in[i] >= 0; ++k) {
      n.in[i] = a->n->in[k] == a->n->in[i] ? n.in[k] : n.in[i];
    }
    if (a->n->in[i] >= 0 && n.in[i] < 0) {
      gx_value v = a->g->values.data[a->n->in[i]];
      bool stays = v.is_fixed || !gx_is_float(v.array.dtype);
      v.place = v.place == GX_NODE || !stays ? GX_INPUT : v.place;
      n.in[i] = (int32_t)one.values.len;
      TN_VEC_PUSH(&one.values, v);
      if (v.place == GX_INPUT) {
        a->params[a->n_params++] = a->n->in[i];
      }
    }
  }
  size_t n_in = one.values.len;
  for (int32_t i = 0; i < n.n_out; ++i) {
    if (n.out[i] != -1) {
      n.out[i] = (int32_t)one.values.len;
      TN_VEC_PUSH(&one.values, (gx_value){.place = GX_NODE});
      a->n_results++;
    }
  }
  one.is_output = calloc(one.values.len, sizeof *one.is_output);
  for (size_t i = n_in; i < one.values.len; ++i) {
    one.is_output[i] = true;
  }
  TN_VEC_PUSH(&one.nodes, n);
  tn_buf bytes = gen_onnx_write(&one);
  a->ir = tn_ir_new(0);
  tn_module_init(&a->module, a->ir, "Module");
  tn_status st =
      tn_onnx_import_bytes((const uint8_t *)bytes.data, bytes.len, NULL, NULL, &a->module);
  tn_buf_deinit(&bytes);
  TN_VEC_DEINIT(&one.values);
  TN_VEC_DEINIT(&one.nodes);
  free(one.is_output);
  return st;
}

static void close_alone(alone *a) {
  tn_module_deinit(&a->module);
  tn_ir_free(a->ir);
}

enum { AMPLITUDE = 8, N_RUNS = 5 /* as it is, then moved up and down twice */ };

static double ulp_of(tn_dtype dtype) {
  return dtype == TN_DT_F64    ? 0x1p-52
         : dtype == TN_DT_F32  ? 0x1p-23
         : dtype == TN_DT_F16  ? 0x1p-10
         : dtype == TN_DT_BF16 ? 0x1p-7
                               : 0;
}

/* The value moved by AMPLITUDE times its error, to the side that `signs` say. run: 0: not moved. */
static void disturb(const gx_value *v, bool rounds, int run, tn_rng *signs, tn_array *out) {
  double ulp = rounds ? 4 * ulp_of(v->array.dtype) : 0;
  expect_ok(tn_array_init_copy(out, &v->array));
  if (!gx_is_float(v->array.dtype)) {
    return;
  }
  for (int64_t i = 0; i < tn_array_n_elems(out); ++i) {
    double x = tn_array_get_f64(out, i);
    double by = AMPLITUDE * ((v->err == NULL ? 0 : v->err[i]) + ulp * fabs(x));
    bool is_up = (tn_rng_below(signs, 2) == 0) == (run % 2 == 0);
    if (isfinite(x) && run != 0 && by > 0) {
      tn_array_set_f64(out, i, is_up ? x + by : x - by);
    }
  }
}

/* Runs the module; results: copies of all results. Two runs one after another move each element to
 * both sides. */
static tn_status run_alone(alone *a, bool rounds, int run, tn_array *results) {
  tn_array arrays[GX_MAX_IN] = {0};
  tn_value args[GX_MAX_IN] = {0};
  tn_value out = {0};
  tn_rng signs = tn_rng_make(a->g->seed + a->g->nodes.len + (uint64_t)(run + 1) / 2 * 1000003);
  tn_interp *interp = tn_interp_new(&a->module, NULL);
  for (int32_t i = 0; i < a->n_params; ++i) {
    disturb(&a->g->values.data[a->params[i]], rounds, run, &signs, &arrays[i]);
    args[i] = (tn_value){.kind = TN_V_ARRAY, .array = &arrays[i]};
  }
  tn_status st = tn_interp_call(interp, "main", args, a->n_params, &out);
  for (int32_t i = 0; st == NULL && i < a->n_results; ++i) {
    const tn_value *item = out.kind == TN_V_TUPLE ? &out.items[i] : &out;
    assert_true(item->kind == TN_V_ARRAY);
    expect_ok(tn_array_init_copy(&results[i], item->array));
  }
  for (int32_t i = 0; i < a->n_params; ++i) {
    tn_array_deinit(&arrays[i]);
  }
  tn_interp_free(interp);
  return st;
}

/* ---- taking it or not ---- */

/* Sums of products of whole numbers so small that no order of them rounds. */
static bool is_exact_ring(gx_graph *g, const gx_node *n) {
  double bound = 1;
  double most = 1;
  double least_ulp = 0;
  for (int32_t i = 0; i < n->n_in; ++i) {
    const gx_value *v = n->in[i] < 0 ? NULL : &g->values.data[n->in[i]];
    double top = 1;
    if (v == NULL || !gx_is_float(v->array.dtype)) {
      continue;
    }
    for (int64_t k = 0; k < tn_array_n_elems(&v->array); ++k) {
      double x = tn_array_get_f64(&v->array, k);
      if (v->err != NULL || x != floor(x) || !isfinite(x)) {
        return false;
      }
      top = fabs(x) > top ? fabs(x) : top;
    }
    bound *= top;
    double n_elems = (double)tn_array_n_elems(&v->array);
    most = n_elems > most ? n_elems : most;
    least_ulp = fmax(least_ulp, ulp_of(v->array.dtype));
  }
  return bound * most * (1 + n->n_in) * least_ulp <= 1;
}

/* What errors are relative to, at least: what a sum adds may be larger than the sum. */
static double least_size(gx_graph *g, const gx_node *n, const tn_array *result) {
  double top = n->kind == GX_CANCELS ? 1 : 0;
  for (int32_t i = -1; i < n->n_in && (i < 0 || n->kind == GX_CANCELS); ++i) {
    const tn_array *a = i < 0 ? result : n->in[i] < 0 ? NULL : gx_array(g, n->in[i]);
    for (int64_t k = 0; a != NULL && k < tn_array_n_elems(a); ++k) {
      double x = fabs(tn_array_get_f64(a, k));
      top = isfinite(x) ? fmax(top, x) : top;
    }
  }
  return n->kind == GX_RING || n->kind == GX_CANCELS ? top : 0;
}

/* How far the disturbed results are from y at element i; below 0: another kind of number. */
static double reach(tn_array (*results)[GX_MAX_OUT], int32_t at, int64_t i) {
  const tn_array *base = &results[0][at];
  double y = tn_array_get_f64(base, i);
  double most = 0;
  for (int run = 1; run < N_RUNS; ++run) {
    double z = tn_array_get_f64(&results[run][at], i);
    bool is_same = y == z || (isnan(y) && isnan(z));
    if (!is_same && (!gx_is_float(base->dtype) || !isfinite(y) || !isfinite(z))) {
      return -1;
    }
    most = is_same ? most : fmax(most, fabs(z - y));
  }
  return most;
}

/* False when result `at` jumps or is known too badly. ulp: relative, of what is at least `least`. */
static bool measure(tn_array (*results)[GX_MAX_OUT], int32_t at, double ulp, double least,
                    double *err) {
  const tn_array *base = &results[0][at];
  double top = 0;
  double worst = 0;
  double all = 0;
  int64_t n = tn_array_n_elems(base);
  for (int run = 1; run < N_RUNS; ++run) {
    if (tn_array_n_elems(&results[run][at]) != n) {
      return false;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    double y = tn_array_get_f64(base, i);
    double most = reach(results, at, i);
    if (most < 0) {
      return false;
    }
    err[i] = (isfinite(y) ? ulp * fmax(fabs(y), least) : 0) + most * 3 / AMPLITUDE;
    top = isfinite(y) ? fmax(top, fabs(y)) : top;
    worst = fmax(worst, err[i]);
    all += err[i];
  }
  for (int64_t i = 0; i < n && least > 0; ++i) { /* what was lucky to cancel */
    err[i] = fmax(err[i], 0.3 * all / (double)n);
  }
  return worst <= 0.05 * top || worst == 0;
}

/* Numbers that lead nowhere: all NaN, or too large for the ones after it. */
static bool is_poor(gx_graph *g, const tn_array *array) {
  int64_t n = tn_array_n_elems(array);
  int64_t n_bad = 0;
  double limit = array->dtype == TN_DT_F16 ? 2000 : 1e6;
  if (n > 6000 || array->ndim > 6) {
    return true;
  }
  for (int64_t i = 0; gx_is_float(array->dtype) && i < n; ++i) {
    n_bad += !(fabs(tn_array_get_f64(array, i)) < limit);
  }
  return n_bad * 3 > n && !gx_chance(g, 5);
}

static bool take_results(gx_graph *g, gx_node *n, bool rounds, tn_array (*results)[GX_MAX_OUT]) {
  double *errs[GX_MAX_OUT] = {NULL};
  bool is_ok = true;
  int32_t at = 0;
  for (int32_t i = 0; i < n->n_out; ++i) {
    if (n->out[i] != -1) {
      const tn_array *base = &results[0][at];
      double least = rounds ? least_size(g, n, base) : 0;
      errs[at] = malloc(sizeof **errs * (size_t)(tn_array_n_elems(base) + 1));
      double ulp = rounds ? 2 * ulp_of(base->dtype) : 0;
      is_ok = is_ok && measure(results, at, ulp, least, errs[at]) && !is_poor(g, base);
      at++;
    }
  }
  at = 0;
  for (int32_t i = 0; i < n->n_out; ++i) {
    if (n->out[i] == -1) {
      continue;
    }
    bool is_exact = true;
    for (int64_t k = 0; k < tn_array_n_elems(&results[0][at]); ++k) {
      is_exact = is_exact && errs[at][k] == 0;
    }
    is_exact = is_exact && !(rounds && gx_is_float(results[0][at].dtype));
    if (is_exact || !is_ok) {
      free(errs[at]);
      errs[at] = NULL;
    }
    if (is_ok) {
      gx_value v = {.array = results[0][at], .err = errs[at], .place = GX_NODE};
      results[0][at] = (tn_array){0};
      n->out[i] = (int32_t)g->values.len;
      TN_VEC_PUSH(&g->values, v);
    }
    at++;
  }
  return is_ok;
}

static void note_refusal(gx_graph *g, const gx_node *n, tn_status st) {
  if (st != NULL && g->n_refused++ == 0) {
    (void)snprintf(g->refusal, sizeof g->refusal, "%s: %s", n->op, tn_status_message(st));
  }
  tn_status_free(st);
}

/* Values from `first` on, which the node left would have brought, go. */
static void drop_values(gx_graph *g, size_t first) {
  while (g->values.len > first) {
    gx_value v = TN_VEC_POP(&g->values);
    tn_array_deinit(&v.array);
    free(v.err);
  }
}

static bool try_form(gx_graph *g, const gx_form *form) {
  gx_node n = {.op = form->op, .domain = form->domain, .kind = form->kind, .n_out = 1};
  size_t first = g->values.len;
  tn_array results[N_RUNS][GX_MAX_OUT] = {0};
  bool is_ok = false;
  g->n_tried++;
  if (form->make(g, &n, form)) {
    bool rounds = n.kind > GX_RING || (n.kind == GX_RING && !is_exact_ring(g, &n));
    alone a = {.g = g, .n = &n};
    tn_status st = open_alone(&a);
    for (int run = 0; st == NULL && run < N_RUNS; ++run) {
      st = run_alone(&a, rounds, run, results[run]);
    }
    is_ok = st == NULL && take_results(g, &n, rounds, results);
    note_refusal(g, &n, st);
    close_alone(&a);
    for (int32_t i = 0; i < GX_MAX_OUT; ++i) {
      for (int run = 0; run < N_RUNS; ++run) {
        tn_array_deinit(&results[run][i]);
      }
    }
  }
  if (!is_ok) {
    tn_buf_deinit(&n.attrs);
    drop_values(g, first);
    return false;
  }
  for (int32_t i = 0; i < n.n_in; ++i) {
    g->values.data[n.in[i] < 0 ? 0 : n.in[i]].n_uses += n.in[i] >= 0;
  }
  TN_VEC_PUSH(&g->nodes, n);
  return true;
}

/* ---- a graph ---- */

static void choose_outputs(gx_graph *g) {
  g->is_output = calloc(g->values.len + 1, sizeof *g->is_output);
  for (size_t i = 0; i < g->values.len; ++i) {
    const gx_value *v = &g->values.data[i];
    g->is_output[i] = v->place == GX_NODE && (v->n_uses == 0 || gx_chance(g, 10));
  }
}

void gen_onnx_make(gx_graph *g, uint64_t seed, int32_t n_nodes) {
  int64_t first = 7;
  int64_t last = NEWEST;
  int32_t row = (int32_t)(seed % TN_N_ROWS(rows));
  *g = (gx_graph){.rng = tn_rng_make(seed), .seed = seed};
  const gx_form *star = form_of_row(row, &first, &last);
  g->opset = star != NULL ? gx_range(g, first, last) : gx_range(g, 7, NEWEST);
  g->is_wild = gx_chance(g, 12);
  for (int32_t i = 0; star != NULL && i < 20 && !try_form(g, star); ++i) {
  }
  for (int32_t i = 0; i < 4 * n_nodes && (int32_t)g->nodes.len < n_nodes; ++i) {
    (void)try_form(g, some_form(g));
  }
  if (gx_chance(g, 15)) { /* an extent that several inputs begin with */
    static const int64_t some[] = {2, 3, 4, 5};
    g->open = some[gx_range(g, 0, TN_N_ROWS(some) - 1)];
  }
  choose_outputs(g);
}

void gen_onnx_deinit(gx_graph *g) {
  for (size_t i = 0; i < g->nodes.len; ++i) {
    tn_buf_deinit(&g->nodes.data[i].attrs);
  }
  drop_values(g, 0);
  TN_VEC_DEINIT(&g->values);
  TN_VEC_DEINIT(&g->nodes);
  free(g->is_output);
}
