/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* If, Loop and Scan; see bodies.h. */
#include <inttypes.h>
#include <stdio.h>

#include "front/onnx/bodies.h"
#include "front/onnx/rules.h"

static const tn_node **nodes(tn_onnx_call *c, size_t n) {
  return TN_ARENA_ARRAY(c->imp->arena, const tn_node *, n + 1);
}

/* ---- If ---- */

/* 1 and 0: the condition is known; -1: it is not. */
static int32_t known_condition(tn_onnx_call *c, const tn_node *cond) {
  const tn_node *list = tn_onnx_known(c, cond);
  const tn_array *array = tn_onnx_array(cond);
  if (array != NULL && tn_array_n_elems(array) == 1) {
    return tn_array_get_f64(array, 0) != 0 ? 1 : 0;
  }
  bool is_known = list != NULL && list->n_in == 1 && list->in[0]->op == TN_OP_INT;
  return !is_known ? -1 : list->in[0]->attr.i64 != 0 ? 1 : 0;
}

/* Only the branch that is taken: exporters leave the other one as it was, and it may not fit. */
static void take_branch(tn_onnx_call *c, const char *name) {
  const tn_onnx_graph *graph = tn_onnx_graph_attr(c, name, 0, c->n_out);
  const tn_node **out = nodes(c, c->n_out);
  tn_onnx_run_graph(c, graph, 0, NULL, out);
  for (uint32_t i = 0; i < c->n_out && c->st == NULL; ++i) {
    tn_onnx_give(c, i, out[i]);
  }
}

typedef struct branch {
  tn_onnx_body body;
  const tn_node **out;
  const tn_node *stmts;
} branch;

static branch import_branch(tn_onnx_call *c, const char *name) {
  branch b = {.out = nodes(c, c->n_out)};
  const tn_onnx_graph *graph = tn_onnx_graph_attr(c, name, 0, c->n_out);
  b.body = tn_onnx_body_begin(c);
  tn_onnx_run_graph(c, graph, 0, NULL, b.out);
  if (c->st != NULL) {
    tn_onnx_body_drop(c, &b.body);
  } else {
    b.stmts = tn_onnx_body_end(c, &b.body, c->n_out, b.out);
  }
  return b;
}

static const tn_onnx_form **join_branches(tn_onnx_call *c, const branch *a, const branch *b) {
  const tn_onnx_form **forms = TN_ARENA_ARRAY(c->imp->arena, const tn_onnx_form *, c->n_out + 1);
  for (uint32_t i = 0; i < c->n_out && c->st == NULL; ++i) {
    char what[48];
    (void)snprintf(what, sizeof what, "output %u", i);
    forms[i] = tn_onnx_form_join(c, tn_onnx_form_of(c, a->out[i]), tn_onnx_form_of(c, b->out[i]),
                                 a->body.mark, what);
  }
  return forms;
}

static const tn_node *types_of(tn_onnx_call *c, uint32_t n, const tn_onnx_form *const *forms) {
  const tn_node **types = nodes(c, n);
  for (uint32_t i = 0; i < n; ++i) {
    types[i] = tn_onnx_form_type(c, forms[i]);
  }
  return n == 1 ? types[0] : tn_ty_tuple(c->ir, n, types);
}

/* def branch(): if cond: ... else: ...; return what they give */
static const tn_node *call_branches(tn_onnx_call *c, const tn_node *cond, const branch *then,
                                    const branch *otherwise, const tn_node *ret) {
  const tn_node *var = tn_onnx_var(c, "either", ret);
  const tn_node *in[] = {[TN_GIF_VAR] = var,
                         [TN_GIF_COND] = cond,
                         [TN_GIF_THEN] = then->stmts,
                         [TN_GIF_ELSE] = otherwise->stmts};
  const tn_node *stmts[] = {tn_node_new(c->ir, TN_OP_GIF, TN_DT_NONE, (tn_attr){0}, 4, in),
                            tn_node_new(c->ir, TN_OP_RETURN, TN_DT_NONE, (tn_attr){0}, 1, &var)};
  const tn_node *type = tn_ty_func(c->ir, tn_list(c->ir, 0, NULL), ret, true);
  return tn_onnx_call_made(c, tn_onnx_var(c, "branch", type), 0, NULL, tn_seq(c->ir, 2, stmts), 0,
                           NULL);
}

void tn_onnx_rule_if(tn_onnx_call *c) {
  const tn_node *cond = tn_onnx_in(c, 0);
  int32_t known = known_condition(c, cond);
  if (c->st != NULL) {
    return;
  }
  if (known >= 0) {
    take_branch(c, known != 0 ? "then_branch" : "else_branch");
    return;
  }
  cond = tn_onnx_condition(c, cond);
  branch then = import_branch(c, "then_branch");
  branch otherwise = import_branch(c, "else_branch");
  const tn_onnx_form **forms = join_branches(c, &then, &otherwise);
  if (c->st != NULL) {
    return;
  }
  const tn_node *all = call_branches(c, cond, &then, &otherwise, types_of(c, c->n_out, forms));
  for (uint32_t i = 0; i < c->n_out && c->st == NULL; ++i) {
    const tn_node *item = c->n_out == 1 ? all : tn_onnx_item(c, all, i);
    bool is_whole = forms[i] != NULL && tn_onnx_form_type(c, forms[i]) == forms[i]->type;
    tn_onnx_give(c, i, is_whole ? item : tn_onnx_claim(c, item, forms[i]));
  }
}

/* ---- Loop ---- */

/* Where it is more, nobody waits for the end. */
static const int64_t no_limit = (int64_t)1 << 50;

/* The number of rounds as an expression; NULL: no limit. */
static const tn_node *limit_of(tn_onnx_call *c, const tn_node *value) {
  const tn_node *list = tn_onnx_known(c, value);
  if (c->st != NULL || value == NULL) {
    return NULL;
  }
  if (list == NULL) {
    const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
    const tn_node *count = tn_onnx_cast(c, value, TN_DT_I64);
    count = tn_onnx_op2(c, "maximum", count, tn_onnx_scalar(c, TN_DT_I64, 0));
    count = tn_onnx_op2(c, "minimum", count, tn_onnx_scalar(c, TN_DT_I64, (double)no_limit));
    list = tn_onnx_sizes(c, tn_onnx_reshape(c, count, tn_list(c->ir, 1, &one)), "the trip count");
  }
  if (list == NULL || list->n_in != 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "the trip count is no one number");
    return NULL;
  }
  bool is_endless = list->in[0]->op == TN_OP_INT && list->in[0]->attr.i64 >= no_limit;
  return is_endless ? NULL : list->in[0];
}

/* The value of a size, of the rank that the body's input says it has. */
static const tn_node *counter(tn_onnx_call *c, const tn_onnx_graph *graph, const tn_node *i) {
  const tn_onnx_type *type = graph->inputs.data[0]->type;
  bool is_vector = type != NULL && type->tensor != NULL && type->tensor->shape != NULL &&
                   type->tensor->shape->dims.len == 1;
  return tn_onnx_from_known(c, tn_list(c->ir, 1, &i), !is_vector);
}

static const tn_node *true_value(tn_onnx_call *c) { return tn_onnx_scalar(c, TN_DT_BOOL, 1); }

static void loop_round(tn_onnx_call *c, const tn_onnx_loop *loop, const tn_node *i,
                       const tn_node *cond, const tn_node *const *states, const tn_node **next,
                       const tn_node **scans, const tn_node **next_cond) {
  const tn_onnx_graph *graph = loop->ctx;
  const tn_node **in = nodes(c, loop->n_states + 2);
  const tn_node **out = nodes(c, graph->outputs.len);
  in[0] = counter(c, graph, i);
  in[1] = cond != NULL ? cond : true_value(c);
  for (uint32_t k = 0; k < loop->n_states; ++k) {
    in[2 + k] = states[k];
  }
  tn_onnx_run_graph(c, graph, loop->n_states + 2, in, out);
  if (c->st != NULL) {
    return;
  }
  *next_cond = cond == NULL ? NULL : tn_onnx_condition(c, out[0]);
  for (uint32_t k = 0; k < loop->n_states; ++k) {
    next[k] = out[1 + k];
  }
  for (uint32_t k = 0; k < loop->n_scans; ++k) {
    scans[k] = out[1 + loop->n_states + k];
  }
}

void tn_onnx_rule_loop(tn_onnx_call *c) {
  uint32_t n_inputs = (uint32_t)c->node->inputs.len;
  const tn_onnx_graph *graph =
      tn_onnx_graph_attr(c, "body", n_inputs < 2 ? 2 : (int64_t)n_inputs, -1);
  if (graph == NULL || c->st != NULL) {
    return;
  }
  tn_onnx_loop loop = {.name = "loop", .round = loop_round, .ctx = (void *)(uintptr_t)graph};
  loop.n_states = n_inputs < 2 ? 0 : n_inputs - 2;
  if (graph->outputs.len < loop.n_states + 1) {
    TN_ONNX_FAIL(c, TN_INVALID, "the body has %zu outputs for a condition and %u states",
                 graph->outputs.len, loop.n_states);
    return;
  }
  loop.n_scans = (uint32_t)graph->outputs.len - 1 - loop.n_states;
  loop.states = nodes(c, loop.n_states);
  loop.lists = nodes(c, loop.n_scans);
  loop.forms = TN_ARENA_ARRAY(c->imp->arena, const tn_onnx_form *, loop.n_scans + 1);
  loop.limit = limit_of(c, tn_onnx_maybe(c, 0));
  loop.cond = tn_onnx_maybe(c, 1) == NULL ? NULL : tn_onnx_condition(c, tn_onnx_maybe(c, 1));
  for (uint32_t k = 0; k < loop.n_states; ++k) {
    loop.states[k] = tn_onnx_in(c, 2 + k);
  }
  tn_onnx_run_loop(c, &loop);
  for (uint32_t k = 0; k < loop.n_states && c->st == NULL; ++k) {
    tn_onnx_give(c, k, loop.states[k]);
  }
  for (uint32_t k = 0; k < loop.n_scans && c->st == NULL; ++k) {
    if (tn_onnx_wants(c, loop.n_states + k)) {
      tn_onnx_give(c, loop.n_states + k, tn_onnx_stacked(c, loop.lists[k], loop.forms[k], 0, NULL));
    }
  }
}

/* ---- Scan ---- */

typedef struct scanning {
  const tn_onnx_graph *graph;
  uint32_t n_in; /* scanned inputs */
  const tn_node **in;
  const int64_t *axes;
  const int64_t *directions;
  const tn_node *n_steps;
} scanning;

static const tn_node *step_of(tn_onnx_call *c, const scanning *s, uint32_t k, const tn_node *i) {
  const tn_node *at = i;
  if (s->directions[k] != 0) {
    at = tn_onnx_size_op(c, TN_OP_SUB, s->n_steps, tn_int(c->ir, TN_DT_I64, 1));
    at = tn_onnx_size_op(c, TN_OP_SUB, at, i);
  }
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", s->axes[k]);
  return tn_onnx_end2(&b, s->in[k], tn_onnx_from_known(c, tn_list(c->ir, 1, &at), true));
}

static void scan_round(tn_onnx_call *c, const tn_onnx_loop *loop, const tn_node *i,
                       const tn_node *cond, const tn_node *const *states, const tn_node **next,
                       const tn_node **scans, const tn_node **next_cond) {
  const scanning *s = loop->ctx;
  const tn_node **in = nodes(c, loop->n_states + s->n_in);
  const tn_node **out = nodes(c, s->graph->outputs.len);
  (void)cond;
  *next_cond = NULL;
  for (uint32_t k = 0; k < loop->n_states; ++k) {
    in[k] = states[k];
  }
  for (uint32_t k = 0; k < s->n_in; ++k) {
    in[loop->n_states + k] = step_of(c, s, k, i);
  }
  tn_onnx_run_graph(c, s->graph, loop->n_states + s->n_in, in, out);
  for (uint32_t k = 0; k < loop->n_states && c->st == NULL; ++k) {
    next[k] = out[k];
  }
  for (uint32_t k = 0; k < loop->n_scans && c->st == NULL; ++k) {
    scans[k] = out[loop->n_states + k];
  }
}

/* The list `name`, or zeros. */
static int64_t *list_or_zeros(tn_onnx_call *c, const char *name, size_t n) {
  tn_onnx_i64s given = tn_onnx_attr_ints(c, name);
  int64_t *out = TN_ARENA_ARRAY(c->imp->arena, int64_t, n + 1);
  if (given.data != NULL && given.len != n) {
    TN_ONNX_FAIL(c, TN_INVALID, "'%s' has %zu numbers, expected %zu", name, given.len, n);
    return out;
  }
  for (size_t i = 0; given.data != NULL && i < n; ++i) {
    out[i] = given.data[i];
  }
  return out;
}

/* All scanned inputs have as many steps as the first; where that is not certain, it is asked at run
 * time. */
static void check_steps(tn_onnx_call *c, scanning *s) {
  for (uint32_t k = 0; k < s->n_in && c->st == NULL; ++k) {
    const tn_node *dims = tn_onnx_dims(c, s->in[k]);
    if (dims == NULL) {
      return;
    }
    int64_t axis = tn_onnx_axis(c, s->axes[k], (int32_t)dims->n_in);
    ((int64_t *)(uintptr_t)s->axes)[k] = axis;
    s->n_steps = k == 0 && c->st == NULL ? dims->in[axis] : s->n_steps;
    tn_dim_rel rel =
        c->st != NULL ? TN_DIM_EQUAL : tn_dim_compare(c->ir, s->n_steps, dims->in[axis]);
    if (rel == TN_DIM_DIFFERENT) {
      TN_ONNX_FAIL(c, TN_INVALID, "the scanned inputs have different numbers of steps");
    } else if (rel == TN_DIM_UNSURE) {
      const tn_node *all[TN_MAX_NDIM];
      for (uint32_t d = 0; d < dims->n_in; ++d) {
        all[d] = d == (uint32_t)axis ? s->n_steps : dims->in[d];
      }
      const tn_node *type =
          tn_ty_tensor(c->ir, tn_onnx_type_of(c, s->in[k]), -1, tn_list(c->ir, dims->n_in, all));
      s->in[k] = tn_onnx_claim(c, s->in[k], tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, type, NULL));
    }
  }
}

static const tn_node *flipped(tn_onnx_call *c, const tn_node *x, int64_t axis) {
  tn_onnx_build b = tn_onnx_begin(c, "flip");
  tn_onnx_set_int(&b, "axis", axis);
  return tn_onnx_end1(&b, x);
}

/* Rounds over the steps; out: states, then all steps of the outputs. */
static void run_scan(tn_onnx_call *c, scanning *s, uint32_t n_states, const tn_node *const *states,
                     const int64_t *out_axes, const int64_t *out_directions, const tn_node **out) {
  tn_onnx_loop loop = {.name = "scan", .round = scan_round, .ctx = s, .n_states = n_states};
  check_steps(c, s);
  loop.n_scans = (uint32_t)s->graph->outputs.len - n_states;
  loop.limit = s->n_steps;
  loop.states = nodes(c, n_states);
  loop.lists = nodes(c, loop.n_scans);
  loop.forms = TN_ARENA_ARRAY(c->imp->arena, const tn_onnx_form *, loop.n_scans + 1);
  for (uint32_t k = 0; k < n_states; ++k) {
    loop.states[k] = states[k];
  }
  tn_onnx_run_loop(c, &loop);
  for (uint32_t k = 0; k < n_states && c->st == NULL; ++k) {
    out[k] = loop.states[k];
  }
  for (uint32_t k = 0; k < loop.n_scans && c->st == NULL; ++k) {
    const tn_node *y = tn_onnx_stacked(c, loop.lists[k], loop.forms[k], out_axes[k], s->n_steps);
    int32_t axis = tn_onnx_axis(c, out_axes[k], tn_onnx_ndim(c, y));
    out[n_states + k] = out_directions[k] != 0 ? flipped(c, y, axis) : y;
  }
}

/* The graph, how many inputs are scanned; the number of states. */
static bool begin_scan(tn_onnx_call *c, uint32_t n_in, scanning *s, uint32_t *out_n_states) {
  int64_t n = tn_onnx_attr_int(c, "num_scan_inputs", 0);
  s->graph = tn_onnx_graph_attr(c, "body", n_in, c->n_out);
  if (c->st == NULL && (n < 1 || n > n_in || s->graph->outputs.len < n_in - (uint32_t)n)) {
    TN_ONNX_FAIL(c, TN_INVALID, "%" PRId64 " scanned inputs of %u", n, n_in);
  }
  s->n_in = (uint32_t)n;
  *out_n_states = n_in - (uint32_t)n;
  return c->st == NULL;
}

void tn_onnx_rule_scan(tn_onnx_call *c) {
  scanning s = {0};
  uint32_t n_states = 0;
  if (!begin_scan(c, c->n_in, &s, &n_states)) {
    return;
  }
  size_t n_scans = c->n_out - n_states;
  const tn_node **out = nodes(c, c->n_out);
  s.axes = list_or_zeros(c, "scan_input_axes", s.n_in);
  s.directions = list_or_zeros(c, "scan_input_directions", s.n_in);
  for (uint32_t k = 0; k < c->n_in; ++k) {
    (void)tn_onnx_in(c, k);
  }
  const int64_t *axes = list_or_zeros(c, "scan_output_axes", n_scans);
  const int64_t *directions = list_or_zeros(c, "scan_output_directions", n_scans);
  if (c->st != NULL) {
    return;
  }
  s.in = c->in + n_states;
  run_scan(c, &s, n_states, c->in, axes, directions, out);
  for (uint32_t k = 0; k < c->n_out && c->st == NULL; ++k) {
    tn_onnx_give(c, k, out[k]);
  }
}

/* ---- Scan of opset 8: one scan for each element of a batch ---- */

typedef struct batched {
  scanning inner;
  uint32_t n_states;
  const tn_node **all; /* states and scanned inputs with the batch in front */
} batched;

/* Element i of the batch. */
static const tn_node *element(tn_onnx_call *c, const tn_node *x, const tn_node *i) {
  tn_onnx_build b = tn_onnx_begin(c, "take");
  tn_onnx_set_int(&b, "axis", 0);
  return tn_onnx_end2(&b, x, tn_onnx_from_known(c, tn_list(c->ir, 1, &i), true));
}

static void batch_round(tn_onnx_call *c, const tn_onnx_loop *loop, const tn_node *i,
                        const tn_node *cond, const tn_node *const *states, const tn_node **next,
                        const tn_node **scans, const tn_node **next_cond) {
  const batched *b = loop->ctx;
  scanning s = b->inner;
  uint32_t n = b->n_states + s.n_in;
  const tn_node **own = nodes(c, n);
  const int64_t *zeros = TN_ARENA_ARRAY(c->imp->arena, int64_t, loop->n_scans + s.n_in + 1);
  (void)cond;
  (void)states;
  (void)next;
  *next_cond = NULL;
  for (uint32_t k = 0; k < n; ++k) {
    own[k] = element(c, b->all[k], i);
  }
  s.in = own + b->n_states;
  s.axes = zeros;
  if (c->st == NULL) {
    run_scan(c, &s, b->n_states, own, zeros, zeros, scans);
  }
}

void tn_onnx_rule_scan_old(tn_onnx_call *c) {
  batched b = {0};
  tn_onnx_loop loop = {.name = "batch", .round = batch_round, .ctx = &b, .n_scans = c->n_out};
  if (tn_onnx_maybe(c, 0) != NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "sequence_lens of the Scan of opset 8");
  }
  if (c->n_in < 2 || !begin_scan(c, c->n_in - 1, &b.inner, &b.n_states)) {
    TN_ONNX_FAIL(c, TN_INVALID, "%u inputs", c->n_in);
    return;
  }
  b.all = c->in + 1;
  b.inner.directions = list_or_zeros(c, "directions", b.inner.n_in);
  const tn_node *dims = tn_onnx_dims(c, tn_onnx_in(c, 1));
  if (dims == NULL || dims->n_in == 0 || c->st != NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "the first state has no dimension for the batch");
    return;
  }
  loop.limit = dims->in[0];
  loop.lists = nodes(c, c->n_out);
  loop.forms = TN_ARENA_ARRAY(c->imp->arena, const tn_onnx_form *, c->n_out + 1);
  tn_onnx_run_loop(c, &loop);
  for (uint32_t k = 0; k < c->n_out && c->st == NULL; ++k) {
    tn_onnx_give(c, k, tn_onnx_stacked(c, loop.lists[k], loop.forms[k], 0, loop.limit));
  }
}
