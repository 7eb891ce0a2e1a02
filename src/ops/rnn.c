/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The steps of recurrent layers, one direction: nn.lstm, nn.gru and nn.rnn. What a step takes from
 * the input comes as its first argument, X * W and the biases for all steps at once: a matrix
 * product of its own. Arguments (T steps, B sequences, H units; gates in ONNX's order: i o f c, z r
 * h):
 *
 *   nn.lstm   gates [T, B, 4 H]  recurrent [H, 4 H]  h [B, H]  c [B, H]  peepholes [3 H]  lengths [B]
 *   nn.gru    gates [T, B, 3 H]  recurrent [H, 3 H]  h [B, H]  bias [3 H] (recurrent)     lengths [B]
 *   nn.rnn    gates [T, B, H]    recurrent [H, H]    h [B, H]                             lengths [B]
 *
 * They give all outputs [T, B, H], 0 past a sequence's length, the last h and, of lstm, the last c.
 * In reverse each sequence is walked from its last step. Loop form: the state lies in the results for
 * h and c, and a loop over sequences and steps brings it on. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/window.h"

/* The order of the fields in ops.c; each operator has the first ones. */
enum { REVERSE, ACTIVATIONS, CLIP, OPTION }; /* option: input_forget, linear_before_reset */
enum { GATES, RECURRENT, H0, MAX_ARGS = 6, MAX_ACTIVATIONS = 3 };

typedef enum cell { RNN, GRU, LSTM } cell;
typedef enum activation_kind {
  SIGMOID,
  TANH,
  RELU,
  AFFINE,
  LEAKY_RELU,
  THRESHOLDED_RELU,
  SCALED_TANH,
  HARD_SIGMOID,
  ELU,
  SOFTSIGN,
  SOFTPLUS
} activation_kind;

typedef struct activation {
  activation_kind kind;
  double alpha;
  double beta;
} activation;

typedef struct rnn {
  cell cell;
  int64_t n_gates;
  int32_t lengths; /* which argument */
  bool is_reverse;
  bool option;
  double clip; /* 0: none */
  activation f[MAX_ACTIVATIONS];
} rnn;

/* "name", "name:alpha" or "name:alpha:beta". */
static bool read_activation(const char *text, size_t len, activation *out) {
  static const struct {
    const char *name;
    double alpha;
    double beta;
  } rows[] = {[SIGMOID] = {"sigmoid", 0, 0},
              [TANH] = {"tanh", 0, 0},
              [RELU] = {"relu", 0, 0},
              [AFFINE] = {"affine", 1, 0},
              [LEAKY_RELU] = {"leaky_relu", 0.01, 0},
              [THRESHOLDED_RELU] = {"thresholded_relu", 1, 0},
              [SCALED_TANH] = {"scaled_tanh", 1, 1},
              [HARD_SIGMOID] = {"hard_sigmoid", 0.2, 0.5},
              [ELU] = {"elu", 1, 0},
              [SOFTSIGN] = {"softsign", 0, 0},
              [SOFTPLUS] = {"softplus", 0, 0}};
  size_t n_name = strcspn(text, ",:");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (strlen(rows[i].name) != n_name || strncmp(rows[i].name, text, n_name) != 0) {
      continue;
    }
    *out = (activation){(activation_kind)i, rows[i].alpha, rows[i].beta};
    char *end = NULL;
    if (n_name < len) {
      out->alpha = strtod(text + n_name + 1, &end);
      out->beta = *end == ':' ? strtod(end + 1, &end) : out->beta;
    }
    return end == NULL || end == text + len;
  }
  return false;
}

static tn_status read_activations(const char *text, rnn *r) {
  r->f[0] = (activation){.kind = r->cell == RNN ? TANH : SIGMOID};
  r->f[1] = (activation){.kind = TANH};
  r->f[2] = (activation){.kind = TANH};
  for (int i = 0; *text != '\0'; ++i) {
    size_t len = strcspn(text, ",");
    if (i >= MAX_ACTIVATIONS || !read_activation(text, len, &r->f[i])) {
      return TN_ERR(TN_UNSUPPORTED, "activations '%s'", text);
    }
    text += len + (text[len] == ',' ? 1 : 0);
  }
  return NULL;
}

static tn_status read_rnn(const tn_node *call, rnn *out) {
  char kind = call->attr.def->name[3];
  rnn r = {.cell = kind == 'l' ? LSTM : kind == 'g' ? GRU : RNN};
  r.n_gates = r.cell == LSTM ? 4 : r.cell == GRU ? 3 : 1;
  r.lengths = r.cell == LSTM ? 5 : r.cell == GRU ? 4 : 3;
  r.is_reverse = tn_op_int(call, REVERSE) != 0;
  r.clip = tn_op_float(call, CLIP);
  r.option = r.cell != RNN && tn_op_int(call, OPTION) != 0;
  TN_TRY(read_activations(tn_op_text(call, ACTIVATIONS), &r));
  *out = r;
  return NULL;
}

/* ---- type ---- */

/* Rows of what each argument's dimensions are: T, B, H, or so many H. */
typedef struct dim_rule {
  char of; /* 0: no dimension */
  int64_t times;
} dim_rule;

static void rules_of(const rnn *r, int32_t arg, dim_rule *out) {
  const dim_rule units = {'H', 1};
  const dim_rule gates = {'H', r->n_gates};
  memset(out, 0, 3 * sizeof *out);
  if (arg == GATES) {
    out[0] = (dim_rule){'T', 1};
    out[1] = (dim_rule){'B', 1};
    out[2] = gates;
  } else if (arg == RECURRENT) {
    out[0] = units;
    out[1] = gates;
  } else if (arg == r->lengths) {
    out[0] = (dim_rule){'B', 1};
  } else if (arg == H0 || (arg == 3 && r->cell == LSTM)) {
    out[0] = (dim_rule){'B', 1};
    out[1] = units;
  } else {
    out[0] = (dim_rule){'H', 3}; /* peepholes, or the bias of gru's three gates */
  }
}

static int32_t n_rules(const dim_rule *rules) {
  int32_t n = 0;
  while (n < 3 && rules[n].of != 0) {
    ++n;
  }
  return n;
}

/* The extents of T, B and H, from the first argument and the second. */
static tn_status check_shape(tn_ir *ir, const rnn *r, int32_t arg, const tn_node *type,
                             const tn_node *const *sizes) {
  dim_rule rules[3];
  char what[32];
  rules_of(r, arg, rules);
  (void)snprintf(what, sizeof what, "argument %d", arg);
  TN_TRY(tn_op_rank(type, n_rules(rules), what));
  for (int32_t d = 0; tn_op_shape(type) != NULL && d < n_rules(rules); ++d) {
    const tn_node *want = sizes[rules[d].of == 'T' ? 0 : rules[d].of == 'B' ? 1 : 2];
    const tn_node *times = tn_int(ir, TN_DT_I64, rules[d].times);
    want = tn_op_simplify(ir, tn_binary(ir, TN_OP_MUL, want, times));
    TN_TRY(tn_op_same_extent(ir, tn_op_shape(type)->in[d], what, want, "what it should have"));
  }
  return NULL;
}

tn_status tn_op_infer_rnn(const tn_infer_ctx *ctx, const tn_node *call, const tn_node **out_type) {
  const tn_node *types[MAX_ARGS];
  const tn_node *sizes[3] = {NULL, NULL, NULL};
  rnn r;
  TN_TRY(read_rnn(call, &r));
  for (int32_t i = 0; i <= r.lengths; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, (uint32_t)i, &types[i]));
    if (i == r.lengths) {
      TN_TRY(tn_op_want_integers(types[i], "the lengths"));
    } else {
      TN_TRY(tn_op_want_float(types[i]));
      TN_TRY(tn_op_same_dtype(types[0], types[i]));
    }
  }
  TN_TRY(tn_op_rank(types[GATES], 3, "the tensor of gates"));
  TN_TRY(tn_op_rank(types[RECURRENT], 2, "the recurrent weight"));
  bool is_known = tn_op_shape(types[GATES]) != NULL && tn_op_shape(types[RECURRENT]) != NULL;
  const tn_node *y = NULL;
  const tn_node *state = NULL;
  if (is_known) {
    sizes[0] = tn_op_shape(types[GATES])->in[0];
    sizes[1] = tn_op_shape(types[GATES])->in[1];
    sizes[2] = tn_op_shape(types[RECURRENT])->in[0];
    for (int32_t i = 0; i <= r.lengths; ++i) {
      TN_TRY(check_shape(ctx->ir, &r, i, types[i], sizes));
    }
    y = tn_list(ctx->ir, 3, sizes);
    state = tn_list(ctx->ir, 2, sizes + 1);
  }
  const tn_node *results[3] = {tn_ty_tensor(ctx->ir, types[0]->dtype, 3, y),
                               tn_ty_tensor(ctx->ir, types[0]->dtype, 2, state),
                               tn_ty_tensor(ctx->ir, types[0]->dtype, 2, state)};
  *out_type = tn_ty_tuple(ctx->ir, r.cell == LSTM ? 3 : 2, results);
  return NULL;
}

/* ---- reference: one sequence at a time ---- */

static double act(activation f, double x) {
  switch (f.kind) {
    case SIGMOID:
      return 1 / (1 + exp(-x));
    case TANH:
      return tanh(x);
    case RELU:
      return tn_op_maximum(x, 0);
    case AFFINE:
      return f.alpha * x + f.beta;
    case LEAKY_RELU:
      return x > 0 ? x : f.alpha * x;
    case THRESHOLDED_RELU:
      return x > f.alpha ? x : 0;
    case SCALED_TANH:
      return f.alpha * tanh(f.beta * x);
    case HARD_SIGMOID:
      return tn_op_maximum(tn_op_minimum(f.alpha * x + f.beta, 1), 0);
    case ELU:
      return x > 0 ? x : f.alpha * (exp(x) - 1);
    case SOFTSIGN:
      return x / (1 + fabs(x));
    case SOFTPLUS:
      break;
  }
  return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double clipped(const rnn *r, double x) {
  return r->clip <= 0 ? x : tn_op_maximum(tn_op_minimum(x, r->clip), -r->clip);
}

/* One sequence: its state, and what a step computes with. */
typedef struct walk {
  const rnn *r;
  const tn_array *const *args;
  int64_t b;
  int64_t n; /* units */
  double *h;
  double *c;
  double *pre;  /* gates of the step before activation */
  double *next; /* of h */
} walk;

/* The share of the state `from` (scaled by `by`, or NULL) in gate column j. */
static double recur(const walk *w, const double *by, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < w->n; ++k) {
    double h = w->h[k] * (by == NULL ? 1 : by[k]);
    sum += h * tn_array_get_f64(w->args[RECURRENT], k * w->n * w->r->n_gates + j);
  }
  return sum;
}

static double gate_in(const walk *w, int64_t t, int64_t j) {
  const tn_array *gates = w->args[GATES];
  return tn_array_get_f64(gates, (t * gates->shape[1] + w->b) * gates->shape[2] + j);
}

static void step_lstm(walk *w, int64_t t) {
  const rnn *r = w->r;
  const tn_array *peep = w->args[4];
  int64_t n = w->n;
  for (int64_t j = 0; j < 4 * n; ++j) {
    w->pre[j] = gate_in(w, t, j) + recur(w, NULL, j);
  }
  for (int64_t j = 0; j < n; ++j) {
    double in = act(r->f[0], clipped(r, w->pre[j] + tn_array_get_f64(peep, j) * w->c[j]));
    double forget =
        act(r->f[0], clipped(r, w->pre[2 * n + j] + tn_array_get_f64(peep, 2 * n + j) * w->c[j]));
    forget = r->option ? 1 - in : forget;
    double c = forget * w->c[j] + in * act(r->f[1], clipped(r, w->pre[3 * n + j]));
    double out = act(r->f[0], clipped(r, w->pre[n + j] + tn_array_get_f64(peep, n + j) * c));
    w->c[j] = c;
    w->next[j] = out * act(r->f[2], c);
  }
}

static void step_gru(walk *w, int64_t t) {
  const rnn *r = w->r;
  const tn_array *bias = w->args[3];
  int64_t n = w->n;
  for (int64_t j = 0; j < 2 * n; ++j) {
    double sum = gate_in(w, t, j) + recur(w, NULL, j) + tn_array_get_f64(bias, j);
    w->pre[j] = act(r->f[0], clipped(r, sum));
  }
  for (int64_t j = 0; j < n; ++j) {
    double hidden = recur(w, r->option ? NULL : w->pre + n, 2 * n + j);
    hidden += tn_array_get_f64(bias, 2 * n + j);
    hidden *= r->option ? w->pre[n + j] : 1;
    hidden = act(r->f[1], clipped(r, gate_in(w, t, 2 * n + j) + hidden));
    w->next[j] = (1 - w->pre[j]) * hidden + w->pre[j] * w->h[j];
  }
}

static void step_rnn(walk *w, int64_t t) {
  for (int64_t j = 0; j < w->n; ++j) {
    w->next[j] = act(w->r->f[0], clipped(w->r, gate_in(w, t, j) + recur(w, NULL, j)));
  }
}

static void walk_sequence(walk *w, tn_array *out) {
  int64_t n_steps = out[0].shape[0];
  int64_t length = tn_array_get_i64(w->args[w->r->lengths], w->b);
  length = length < 0 ? 0 : length > n_steps ? n_steps : length;
  for (int64_t j = 0; j < w->n; ++j) {
    w->h[j] = tn_array_get_f64(w->args[H0], w->b * w->n + j);
    w->c[j] = w->r->cell == LSTM ? tn_array_get_f64(w->args[3], w->b * w->n + j) : 0;
  }
  for (int64_t s = 0; s < length; ++s) {
    int64_t t = w->r->is_reverse ? length - 1 - s : s;
    if (w->r->cell == LSTM) {
      step_lstm(w, t);
    } else if (w->r->cell == GRU) {
      step_gru(w, t);
    } else {
      step_rnn(w, t);
    }
    memcpy(w->h, w->next, sizeof(double) * (size_t)w->n);
    for (int64_t j = 0; j < w->n; ++j) {
      tn_array_set_f64(&out[0], (t * out[0].shape[1] + w->b) * w->n + j, w->h[j]);
    }
  }
  for (int64_t j = 0; j < w->n; ++j) {
    tn_array_set_f64(&out[1], w->b * w->n + j, w->h[j]);
    if (w->r->cell == LSTM) {
      tn_array_set_f64(&out[2], w->b * w->n + j, w->c[j]);
    }
  }
}

static bool shapes_fit(const rnn *r, const tn_array *const *args, int32_t n_args) {
  for (int32_t i = 0; i < n_args; ++i) {
    dim_rule rules[3];
    rules_of(r, i, rules);
    if (args[i] == NULL || args[i]->ndim != n_rules(rules)) {
      return false;
    }
    for (int32_t d = 0; d < args[i]->ndim; ++d) {
      int64_t size = rules[d].of == 'T'   ? args[GATES]->shape[0]
                     : rules[d].of == 'B' ? args[GATES]->shape[1]
                                          : args[RECURRENT]->shape[0];
      if (args[i]->shape[d] != size * rules[d].times) {
        return false;
      }
    }
  }
  return true;
}

tn_status tn_op_eval_rnn(const tn_node *call, const tn_array *const *args, int32_t n_args,
                         tn_array *out) {
  rnn r;
  tn_array results[3] = {{0}};
  tn_status st = NULL;
  TN_TRY(read_rnn(call, &r));
  if (n_args != r.lengths + 1 || args[0] == NULL || args[1] == NULL || args[0]->ndim != 3 ||
      args[1]->ndim != 2 || !shapes_fit(&r, args, n_args)) {
    return TN_ERR(TN_INVALID, "the extents of the arguments do not fit");
  }
  int64_t n = args[RECURRENT]->shape[0];
  int64_t shape[3] = {args[GATES]->shape[0], args[GATES]->shape[1], n};
  int32_t n_results = r.cell == LSTM ? 3 : 2;
  double *memory = calloc((size_t)(7 * n + 1), sizeof *memory);
  TN_CHECK(memory != NULL, "no memory for a state");
  for (int32_t i = 0; i < n_results; ++i) {
    TN_GOTO(st,
            tn_array_init(&results[i], args[0]->dtype, i == 0 ? 3 : 2, i == 0 ? shape : shape + 1),
            done);
  }
  for (int64_t b = 0; b < shape[1]; ++b) {
    walk w = {.r = &r,
              .args = args,
              .b = b,
              .n = n,
              .h = memory,
              .c = memory + n,
              .next = memory + 2 * n,
              .pre = memory + 3 * n};
    walk_sequence(&w, results);
  }
  memcpy(out, results, sizeof(tn_array) * (size_t)n_results);
done:
  for (int32_t i = 0; st != NULL && i < n_results; ++i) {
    tn_array_deinit(&results[i]);
  }
  free(memory);
  return st;
}

/* ---- loop form ---- */

typedef struct rnn_build {
  tn_kernel *k;
  rnn r;
  const tn_node *args[MAX_ARGS];
  const tn_node *outs[3];
  const tn_node *n_units;
  const tn_node *pre; /* [B, gates]: of a step, before activation */
  const tn_node *b;   /* variables of the loops, and the step's place in the sequence */
  const tn_node *t;
  const tn_node *is_live; /* the sequence has that step */
  tn_dtype work;
} rnn_build;

static const tn_node *var(const rnn_build *g, const char *name) {
  return tn_var_new(g->k->ir, name, TN_DT_I64);
}

static const tn_node *load(const rnn_build *g, const tn_node *buffer, uint32_t n,
                           const tn_node *const *at) {
  return tn_te_cast(g->k->te, g->work, tn_te_read(g->k->te, buffer, n, at));
}

/* Unit j of gate number `gate`. */
static const tn_node *column(const rnn_build *g, int64_t gate, const tn_node *j) {
  const tn_node *first = tn_te_mul(g->k->te, tn_int(g->k->ir, TN_DT_I64, gate), g->n_units);
  return tn_op_simplify(g->k->ir, tn_te_add(g->k->te, first, j));
}

static const tn_node *pre_of(const rnn_build *g, int64_t gate, const tn_node *j) {
  return load(g, g->pre, TN_TE_LIST(g->b, column(g, gate, j)));
}

static const tn_node *intrin(const rnn_build *g, tn_intrin_id id, const tn_node *x) {
  return tn_te_intrin(g->k->te, id, TN_TE_LIST(x));
}

static const tn_node *scaled(const rnn_build *g, double by, const tn_node *x, double plus) {
  tn_te *te = g->k->te;
  const tn_node *y = tn_te_mul(te, x, tn_te_number(te, g->work, by));
  return plus == 0 ? y : tn_te_add(te, y, tn_te_number(te, g->work, plus));
}

static const tn_node *soft(const rnn_build *g, activation f, const tn_node *x) {
  tn_te *te = g->k->te;
  const tn_node *one = tn_te_number(te, g->work, 1);
  const tn_node *size = intrin(g, TN_INTRIN_FABS, x);
  if (f.kind == SOFTSIGN) {
    return tn_te_div(te, x, tn_te_add(te, one, size));
  }
  const tn_node *low = intrin(g, TN_INTRIN_EXP, tn_te_neg(te, size));
  const tn_node *high = tn_te_max(te, x, tn_te_number(te, g->work, 0));
  return tn_te_add(te, high, intrin(g, TN_INTRIN_LOG, tn_te_add(te, one, low)));
}

static const tn_node *activation_of(const rnn_build *g, activation f, const tn_node *x) {
  tn_te *te = g->k->te;
  const tn_node *zero = tn_te_number(te, g->work, 0);
  const tn_node *one = tn_te_number(te, g->work, 1);
  const tn_node *is_above = tn_te_gt(te, x, zero);
  switch (f.kind) {
    case SIGMOID:
      return intrin(g, TN_INTRIN_SIGMOID, x);
    case TANH:
      return intrin(g, TN_INTRIN_TANH, x);
    case RELU:
      return tn_te_maximum(te, x, zero);
    case AFFINE:
      return scaled(g, f.alpha, x, f.beta);
    case LEAKY_RELU:
      return tn_te_if_then_else(te, is_above, x, scaled(g, f.alpha, x, 0));
    case THRESHOLDED_RELU:
      return tn_te_if_then_else(te, tn_te_gt(te, x, tn_te_number(te, g->work, f.alpha)), x, zero);
    case SCALED_TANH:
      return scaled(g, f.alpha, intrin(g, TN_INTRIN_TANH, scaled(g, f.beta, x, 0)), 0);
    case HARD_SIGMOID:
      return tn_te_maximum(te, tn_te_minimum(te, scaled(g, f.alpha, x, f.beta), one), zero);
    case ELU:
      return tn_te_if_then_else(
          te, is_above, x, scaled(g, f.alpha, tn_te_sub(te, intrin(g, TN_INTRIN_EXP, x), one), 0));
    case SOFTSIGN:
    case SOFTPLUS:
      break;
  }
  return soft(g, f, x);
}

static const tn_node *activated(const rnn_build *g, int f, bool is_clipped, const tn_node *x) {
  tn_te *te = g->k->te;
  const tn_node *limit = tn_te_number(te, g->work, g->r.clip > 0 ? g->r.clip : 0);
  if (g->r.clip > 0 && is_clipped) {
    x = tn_te_minimum(te, x, limit);
    x = tn_te_maximum(te, x, tn_te_number(te, g->work, -g->r.clip));
  }
  return activation_of(g, g->r.f[f], x);
}

/* pre[b, j] = first for the gates from `gate` on, then pre[b, j] += h[b, k] * recurrent[k, j] with
 * h scaled by gate number 1 where by_reset. */
static const tn_node *gate_sums(const rnn_build *g, int64_t gate, int64_t n_gates, bool has_input,
                                bool by_reset) {
  tn_te *te = g->k->te;
  const tn_node *parts[2];
  const tn_node *width =
      tn_op_simplify(g->k->ir, tn_te_mul(te, g->n_units, tn_int(g->k->ir, TN_DT_I64, n_gates)));
  const tn_node *j = var(g, "j");
  const tn_node *at = column(g, gate, j);
  const tn_node *first = tn_te_number(te, g->work, 0);
  if (has_input) {
    first = load(g, g->args[GATES], TN_TE_LIST(g->t, g->b, at));
  }
  if (g->r.cell == GRU) {
    first = tn_te_add(te, first, load(g, g->args[3], TN_TE_LIST(at)));
  }
  parts[0] =
      tn_kernel_loop(g->k, j, width, tn_kernel_store(g->k, g->pre, first, TN_TE_LIST(g->b, at)));
  const tn_node *unit = var(g, "k");
  j = var(g, "j");
  at = column(g, gate, j);
  const tn_node *h = load(g, g->outs[1], TN_TE_LIST(g->b, unit));
  h = by_reset ? tn_te_mul(te, h, pre_of(g, 1, unit)) : h;
  const tn_node *share = tn_te_mul(te, h, load(g, g->args[RECURRENT], TN_TE_LIST(unit, at)));
  const tn_node *sum = tn_te_add(te, load(g, g->pre, TN_TE_LIST(g->b, at)), share);
  const tn_node *inner =
      tn_kernel_loop(g->k, j, width, tn_kernel_store(g->k, g->pre, sum, TN_TE_LIST(g->b, at)));
  parts[1] = tn_kernel_loop(g->k, unit, g->n_units, inner);
  return tn_seq(g->k->ir, 2, parts);
}

/* state[b, j] = the step's value, where the sequence has that step. */
static const tn_node *store_state(const rnn_build *g, const tn_node *state, const tn_node *j,
                                  const tn_node *value) {
  const tn_node *old = load(g, state, TN_TE_LIST(g->b, j));
  value = tn_te_if_then_else(g->k->te, g->is_live, value, old);
  return tn_kernel_store(g->k, state, value, TN_TE_LIST(g->b, j));
}

/* h and y of unit j. */
static const tn_node *store_output(const rnn_build *g, const tn_node *j, const tn_node *value) {
  const tn_node *nothing = tn_te_number(g->k->te, g->work, 0);
  const tn_node *parts[2] = {store_state(g, g->outs[1], j, value)};
  const tn_node *h = load(g, g->outs[1], TN_TE_LIST(g->b, j));
  h = tn_te_if_then_else(g->k->te, g->is_live, h, nothing);
  parts[1] = tn_kernel_store(g->k, g->outs[0], h, TN_TE_LIST(g->t, g->b, j));
  return tn_seq(g->k->ir, 2, parts);
}

/* A gate of lstm with the cell's share through its peephole. */
static const tn_node *peeping(const rnn_build *g, int64_t gate, int64_t peephole, const tn_node *j,
                              const tn_node *c) {
  const tn_node *weight = load(g, g->args[4], TN_TE_LIST(column(g, peephole, j)));
  return activated(g, 0, true,
                   tn_te_add(g->k->te, pre_of(g, gate, j), tn_te_mul(g->k->te, weight, c)));
}

static const tn_node *lstm_units(const rnn_build *g) {
  tn_te *te = g->k->te;
  const tn_node *parts[2];
  const tn_node *j = var(g, "j");
  const tn_node *c = load(g, g->outs[2], TN_TE_LIST(g->b, j));
  const tn_node *in = peeping(g, 0, 0, j, c);
  const tn_node *forget =
      g->r.option ? tn_te_sub(te, tn_te_number(te, g->work, 1), in) : peeping(g, 2, 2, j, c);
  const tn_node *fresh = tn_te_mul(te, in, activated(g, 1, true, pre_of(g, 3, j)));
  parts[0] =
      tn_kernel_loop(g->k, j, g->n_units,
                     store_state(g, g->outs[2], j, tn_te_add(te, tn_te_mul(te, forget, c), fresh)));
  j = var(g, "j");
  c = load(g, g->outs[2], TN_TE_LIST(g->b, j));
  const tn_node *out = peeping(g, 1, 1, j, c);
  parts[1] = tn_kernel_loop(g->k, j, g->n_units,
                            store_output(g, j, tn_te_mul(te, out, activated(g, 2, false, c))));
  return tn_seq(g->k->ir, 2, parts);
}

static const tn_node *gru_units(const rnn_build *g) {
  tn_te *te = g->k->te;
  const tn_node *parts[3];
  const tn_node *j = var(g, "j");
  const tn_node *two =
      tn_op_simplify(g->k->ir, tn_te_mul(te, g->n_units, tn_int(g->k->ir, TN_DT_I64, 2)));
  const tn_node *value = activated(g, 0, true, load(g, g->pre, TN_TE_LIST(g->b, j)));
  parts[0] =
      tn_kernel_loop(g->k, j, two, tn_kernel_store(g->k, g->pre, value, TN_TE_LIST(g->b, j)));
  parts[1] = gate_sums(g, 2, 1, false, !g->r.option);
  j = var(g, "j");
  const tn_node *hidden = pre_of(g, 2, j);
  hidden = g->r.option ? tn_te_mul(te, hidden, pre_of(g, 1, j)) : hidden;
  hidden = tn_te_add(te, load(g, g->args[GATES], TN_TE_LIST(g->t, g->b, column(g, 2, j))), hidden);
  const tn_node *update = pre_of(g, 0, j);
  const tn_node *rest = tn_te_sub(te, tn_te_number(te, g->work, 1), update);
  const tn_node *h = load(g, g->outs[1], TN_TE_LIST(g->b, j));
  value =
      tn_te_add(te, tn_te_mul(te, rest, activated(g, 1, true, hidden)), tn_te_mul(te, update, h));
  parts[2] = tn_kernel_loop(g->k, j, g->n_units, store_output(g, j, value));
  return tn_seq(g->k->ir, 3, parts);
}

static const tn_node *rnn_units(const rnn_build *g) {
  const tn_node *j = var(g, "j");
  return tn_kernel_loop(g->k, j, g->n_units,
                        store_output(g, j, activated(g, 0, true, pre_of(g, 0, j))));
}

/* What is in the step: sums of the gates, then the units. */
static const tn_node *step(const rnn_build *g) {
  int64_t n_first = g->r.cell == GRU ? 2 : g->r.n_gates;
  const tn_node *parts[2] = {gate_sums(g, 0, n_first, true, false)};
  parts[1] = g->r.cell == LSTM ? lstm_units(g) : g->r.cell == GRU ? gru_units(g) : rnn_units(g);
  return tn_seq(g->k->ir, 2, parts);
}

static void build_start(tn_kernel *k, const tn_node *from, const tn_node *to) {
  const tn_node *shape = to->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_start", shape->n_in, shape->in, 0, NULL);
  tn_te_end_into(k->te, to, k->axes, tn_te_load(k->te, from, k->axes), NULL);
}

static tn_status build_rnn(tn_kernel *k, const tn_node *type) {
  rnn_build g = {.k = k};
  tn_te *te = k->te;
  TN_TRY(read_rnn(k->call, &g.r));
  memcpy(g.args, k->buffers.data, sizeof(const tn_node *) * (size_t)(g.r.lengths + 1));
  for (uint32_t i = 0; i < type->n_in; ++i) {
    TN_TRY(tn_kernel_result(k, type->in[i], &g.outs[i]));
  }
  const tn_node *const *sizes = g.outs[0]->in[TN_BUFFER_SHAPE]->in;
  g.work = g.outs[0]->dtype == TN_DT_F64 ? TN_DT_F64 : TN_DT_F32;
  g.n_units = sizes[2];
  const tn_node *dims[2] = {sizes[1], column(&g, g.r.n_gates, tn_int(k->ir, TN_DT_I64, 0))};
  g.pre = tn_te_declare(te, "T_gates", g.work, 2, dims);
  build_start(k, g.args[H0], g.outs[1]);
  if (g.r.cell == LSTM) {
    build_start(k, g.args[3], g.outs[2]);
  }
  const tn_node *s = var(&g, "s");
  g.b = var(&g, "b");
  const tn_node *length =
      tn_te_cast(te, TN_DT_I64, tn_te_read(te, g.args[g.r.lengths], TN_TE_LIST(g.b)));
  length = tn_te_min(te, length, sizes[0]);
  g.is_live = tn_te_lt(te, s, length);
  const tn_node *last = tn_te_sub(te, length, tn_int(k->ir, TN_DT_I64, 1));
  g.t = !g.r.is_reverse ? s : tn_te_if_then_else(te, g.is_live, tn_te_sub(te, last, s), s);
  tn_te_extern(te, "T_steps",
               tn_kernel_loop(k, g.b, sizes[1], tn_kernel_loop(k, s, sizes[0], step(&g))));
  return NULL;
}

tn_status tn_op_lower_rnn(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, call->attr.def->name + 3, build_rnn, out_func);
}
