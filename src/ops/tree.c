/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* ml.tree_ensemble: decision trees over the rows of x [N, F], their leaves' weights gathered by
 * target. A node is a row of `nodes`: feature, comparison, whether NaN goes the true way, the node
 * where the comparison is true, the one where it is false, and the range of its entries in `targets`
 * and `weights`. A leaf leads to itself, so that `depth` steps from a root end in a leaf whatever
 * way they take: no loop depends on data, and no table can keep it from ending. Indices out of range
 * are brought to the nearest end. Loop form: trees, rows (a tree stays in cache for all of them),
 * steps, entries of the leaf. */
#include <inttypes.h>
#include <math.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/window.h"

/* The arguments, the columns of `nodes`, the fields (as in ops.c) and the comparisons. */
enum { X, NODES, SPLITS, ROOTS, TARGETS, WEIGHTS, N_ARGS };
enum { FEATURE, MODE, MISSING, IF_TRUE, IF_FALSE, BEGIN, END, N_COLUMNS };
enum { N_TARGETS, DEPTH, ONE_MODE, AGGREGATE, HAS_MISSING };
enum { LEQ, LT, GTE, GT, EQ, NEQ, N_MODES };
typedef enum gathering { SUM, MEAN, LEAST, GREATEST } gathering;

static tn_status how_gathered(const tn_node *call, gathering *out) {
  static const char *const names[] = {"sum", "mean", "min", "max"};
  const char *text = tn_op_text(call, AGGREGATE); /* "": left out */
  for (int i = 0; i < 4; ++i) {
    if (strcmp(text, names[i]) == 0 || *text == '\0') {
      *out = (gathering)i;
      return NULL;
    }
  }
  return TN_ERR(TN_INVALID, "'aggregate' is '%s', expected sum, mean, min or max", text);
}

/* ---- type ---- */

static tn_status check_fields(const tn_node *call) {
  gathering how = SUM;
  int64_t n_targets = tn_op_int(call, N_TARGETS);
  int64_t depth = tn_op_int(call, DEPTH);
  if (n_targets < 1 || n_targets > INT32_MAX || depth < 0 || depth > INT32_MAX) {
    return TN_ERR(TN_INVALID, "%" PRId64 " targets and a depth of %" PRId64, n_targets, depth);
  }
  if (tn_op_int(call, ONE_MODE) < -1 || tn_op_int(call, ONE_MODE) >= N_MODES) {
    return TN_ERR(TN_INVALID, "'mode' is %" PRId64 ", expected -1 to %d", tn_op_int(call, ONE_MODE),
                  N_MODES - 1);
  }
  return how_gathered(call, &how);
}

tn_status tn_op_infer_tree_ensemble(const tn_infer_ctx *ctx, const tn_node *call,
                                    const tn_node **out_type) {
  static const char *const names[] = {"the tensor",          "the table of nodes",
                                      "the list of splits",  "the list of roots",
                                      "the list of targets", "the list of weights"};
  const tn_node *types[N_ARGS];
  const tn_node *shapes[N_ARGS];
  TN_TRY(check_fields(call));
  for (uint32_t i = 0; i < N_ARGS; ++i) {
    TN_TRY(tn_op_arg_type(ctx, call, i, &types[i]));
    TN_TRY(tn_op_rank(types[i], i <= NODES ? 2 : 1, names[i]));
    shapes[i] = tn_op_shape(types[i]);
    if (i == NODES || i == ROOTS || i == TARGETS) {
      TN_TRY(tn_op_want_integers(types[i], names[i]));
    } else {
      TN_TRY(tn_op_want_float(types[i]));
      TN_TRY(tn_op_same_dtype(types[X], types[i]));
    }
  }
  if (shapes[NODES] != NULL) {
    const tn_node *columns = tn_int(ctx->ir, TN_DT_I64, N_COLUMNS);
    TN_TRY(tn_op_same_extent(ctx->ir, shapes[NODES]->in[1], "a row of nodes", columns, "a node"));
  }
  if (shapes[NODES] != NULL && shapes[SPLITS] != NULL) {
    TN_TRY(tn_op_same_extent(ctx->ir, shapes[NODES]->in[0], "the table of nodes",
                             shapes[SPLITS]->in[0], "the list of splits"));
  }
  if (shapes[TARGETS] != NULL && shapes[WEIGHTS] != NULL) {
    TN_TRY(tn_op_same_extent(ctx->ir, shapes[TARGETS]->in[0], "the list of targets",
                             shapes[WEIGHTS]->in[0], "the list of weights"));
  }
  const tn_node *shape = NULL;
  if (shapes[X] != NULL) {
    const tn_node *dims[] = {shapes[X]->in[0],
                             tn_int(ctx->ir, TN_DT_I64, tn_op_int(call, N_TARGETS))};
    shape = tn_list(ctx->ir, 2, dims);
  }
  *out_type = tn_ty_tensor(ctx->ir, types[X]->dtype, 2, shape);
  return NULL;
}

/* ---- reference ---- */

static int64_t kept(int64_t value, int64_t n) { return value < 0 ? 0 : value < n ? value : n - 1; }

static int64_t column(const tn_array *nodes, int64_t node, int64_t which) {
  return tn_array_get_i64(nodes, node * N_COLUMNS + which);
}

static bool compares(int64_t mode, double x, double split) {
  switch (mode) {
    case LEQ:
      return x <= split;
    case LT:
      return x < split;
    case GTE:
      return x >= split;
    case GT:
      return x > split;
    case EQ:
      return x == split;
    case NEQ:
      return x != split;
    default: /* what the table may hold besides */
      return false;
  }
}

static int64_t find_leaf(const tn_node *call, const tn_array *const *args, int64_t row,
                         int64_t tree) {
  int64_t n_nodes = args[NODES]->shape[0];
  int64_t n_features = args[X]->shape[1];
  int64_t mode = tn_op_int(call, ONE_MODE);
  int64_t at = kept(tn_array_get_i64(args[ROOTS], tree), n_nodes);
  for (int64_t step = tn_op_int(call, DEPTH); step > 0; --step) {
    int64_t feature = kept(column(args[NODES], at, FEATURE), n_features);
    double x = tn_array_get_f64(args[X], row * n_features + feature);
    bool is_true = compares(mode < 0 ? column(args[NODES], at, MODE) : mode, x,
                            tn_array_get_f64(args[SPLITS], at));
    is_true = is_true || (tn_op_int(call, HAS_MISSING) != 0 && isnan(x) &&
                          column(args[NODES], at, MISSING) != 0);
    at = kept(column(args[NODES], at, is_true ? IF_TRUE : IF_FALSE), n_nodes);
  }
  return at;
}

static double gathered(gathering how, double so_far, bool is_first, double weight) {
  if (how == SUM || how == MEAN) {
    return so_far + weight;
  }
  bool is_better = how == LEAST ? weight < so_far : weight > so_far;
  return is_first || is_better ? weight : so_far;
}

static void add_leaf(const tn_node *call, const tn_array *const *args, int64_t leaf, gathering how,
                     double *scores, bool *seen) {
  int64_t n_entries = args[TARGETS]->shape[0];
  int64_t end = column(args[NODES], leaf, END);
  int64_t i = column(args[NODES], leaf, BEGIN);
  for (i = i < 0 ? 0 : i; i < end && i < n_entries; ++i) {
    int64_t to = kept(tn_array_get_i64(args[TARGETS], i), tn_op_int(call, N_TARGETS));
    scores[to] = gathered(how, scores[to], !seen[to], tn_array_get_f64(args[WEIGHTS], i));
    seen[to] = true;
  }
}

static tn_status check_args(const tn_array *const *args, int32_t n_args) {
  bool fits = n_args == N_ARGS;
  for (int32_t i = 0; fits && i < N_ARGS; ++i) {
    fits = args[i] != NULL && args[i]->ndim == (i <= NODES ? 2 : 1);
  }
  fits = fits && args[NODES]->shape[1] == N_COLUMNS &&
         args[NODES]->shape[0] == args[SPLITS]->shape[0] &&
         args[TARGETS]->shape[0] == args[WEIGHTS]->shape[0];
  return fits ? NULL : TN_ERR(TN_INVALID, "expected rows, and trees as lists");
}

tn_status tn_op_eval_tree_ensemble(const tn_node *call, const tn_array *const *args, int32_t n_args,
                                   tn_array *out) {
  gathering how = SUM;
  TN_TRY(check_args(args, n_args));
  TN_TRY(how_gathered(call, &how));
  int64_t shape[2] = {args[X]->shape[0], tn_op_int(call, N_TARGETS)};
  int64_t n_trees = args[ROOTS]->shape[0];
  bool has_nodes = args[NODES]->shape[0] > 0 && args[X]->shape[1] > 0;
  TN_TRY(tn_array_init(out, args[X]->dtype, 2, shape));
  double *scores = calloc((size_t)shape[1], sizeof *scores);
  bool *seen = calloc((size_t)shape[1], sizeof *seen);
  TN_CHECK(scores != NULL && seen != NULL, "no memory for scores");
  for (int64_t row = 0; row < shape[0]; ++row) {
    memset(scores, 0, (size_t)shape[1] * sizeof *scores);
    memset(seen, 0, (size_t)shape[1] * sizeof *seen);
    for (int64_t tree = 0; has_nodes && tree < n_trees; ++tree) {
      add_leaf(call, args, find_leaf(call, args, row, tree), how, scores, seen);
    }
    for (int64_t i = 0; i < shape[1]; ++i) {
      double value = how == MEAN && n_trees > 0 ? scores[i] / (double)n_trees : scores[i];
      tn_array_set_f64(out, row * shape[1] + i, value);
    }
  }
  free(scores);
  free(seen);
  return NULL;
}

/* ---- loop form ---- */

typedef struct tree_build {
  tn_kernel *k;
  const tn_node *args[N_ARGS];
  const tn_node *out;
  const tn_node *at;   /* [1]: the node reached */
  const tn_node *seen; /* as out: 1 where an entry has been met; min and max */
  const tn_node *row;
  const tn_node *zero;
  gathering how;
} tree_build;

static const tn_node *i64(const tree_build *g, int64_t value) {
  return tn_int(g->k->ir, TN_DT_I64, value);
}

static const tn_node *extent(const tree_build *g, int arg, int d) {
  return g->args[arg]->in[TN_BUFFER_SHAPE]->in[d];
}

static const tn_node *kept_te(const tree_build *g, const tn_node *value, const tn_node *n) {
  tn_te *te = g->k->te;
  value = tn_te_min(te, tn_te_cast(te, TN_DT_I64, value), tn_te_sub(te, n, i64(g, 1)));
  return tn_te_max(te, value, g->zero);
}

/* The node reached; what is stored there is in range. */
static const tn_node *here(const tree_build *g) {
  return tn_te_read(g->k->te, g->at, TN_TE_LIST(g->zero));
}

static const tn_node *column_te(const tree_build *g, const tn_node *node, int64_t which) {
  return tn_te_cast(g->k->te, TN_DT_I64,
                    tn_te_read(g->k->te, g->args[NODES], TN_TE_LIST(node, i64(g, which))));
}

static const tn_node *compares_te(const tree_build *g, int64_t mode, const tn_node *x,
                                  const tn_node *split) {
  tn_te *te = g->k->te;
  switch (mode) {
    case LEQ:
      return tn_te_le(te, x, split);
    case LT:
      return tn_te_lt(te, x, split);
    case GTE:
      return tn_te_ge(te, x, split);
    case GT:
      return tn_te_gt(te, x, split);
    case EQ:
      return tn_te_eq(te, x, split);
    default:
      return tn_te_ne(te, x, split);
  }
}

/* at = the child on the side that the comparison says */
static const tn_node *one_step(const tree_build *g) {
  tn_te *te = g->k->te;
  const tn_node *node = here(g);
  const tn_node *feature = kept_te(g, column_te(g, node, FEATURE), extent(g, X, 1));
  const tn_node *x = tn_te_read(te, g->args[X], TN_TE_LIST(g->row, feature));
  const tn_node *split = tn_te_read(te, g->args[SPLITS], TN_TE_LIST(node));
  int64_t mode = tn_op_int(g->k->call, ONE_MODE);
  const tn_node *is_true = NULL;
  if (mode >= 0) {
    is_true = compares_te(g, mode, x, split);
  } else {
    const tn_node *own = column_te(g, node, MODE);
    for (mode = 0; mode < N_MODES; ++mode) {
      const tn_node *holds =
          tn_te_and(te, tn_te_eq(te, own, i64(g, mode)), compares_te(g, mode, x, split));
      is_true = is_true == NULL ? holds : tn_te_or(te, is_true, holds);
    }
  }
  if (tn_op_int(g->k->call, HAS_MISSING) != 0) {
    const tn_node *is_missing = tn_te_and(te, tn_te_ne(te, column_te(g, node, MISSING), g->zero),
                                          tn_te_intrin(te, TN_INTRIN_ISNAN, TN_TE_LIST(x)));
    is_true = tn_te_or(te, is_true, is_missing);
  }
  const tn_node *side = tn_te_if_then_else(te, is_true, i64(g, IF_TRUE), i64(g, IF_FALSE));
  const tn_node *next = tn_te_read(te, g->args[NODES], TN_TE_LIST(node, side));
  return tn_kernel_store(g->k, g->at, kept_te(g, next, extent(g, NODES, 0)), TN_TE_LIST(g->zero));
}

/* The entry `i` of the leaf reached meets its target. */
static const tn_node *add_entry(const tree_build *g, const tn_node *i) {
  tn_te *te = g->k->te;
  const tn_node *parts[2];
  const tn_node *target = tn_te_read(te, g->args[TARGETS], TN_TE_LIST(i));
  const tn_node *weight = tn_te_read(te, g->args[WEIGHTS], TN_TE_LIST(i));
  target = kept_te(g, target, i64(g, tn_op_int(g->k->call, N_TARGETS)));
  const tn_node *so_far = tn_te_read(te, g->out, TN_TE_LIST(g->row, target));
  if (g->how == SUM || g->how == MEAN) {
    return tn_kernel_store(g->k, g->out, tn_te_add(te, so_far, weight), TN_TE_LIST(g->row, target));
  }
  const tn_node *is_first = tn_te_eq(te, tn_te_read(te, g->seen, TN_TE_LIST(g->row, target)),
                                     tn_int(g->k->ir, TN_DT_I32, 0));
  const tn_node *is_better =
      g->how == LEAST ? tn_te_lt(te, weight, so_far) : tn_te_gt(te, weight, so_far);
  const tn_node *value = tn_te_if_then_else(te, tn_te_or(te, is_first, is_better), weight, so_far);
  parts[0] = tn_kernel_store(g->k, g->out, value, TN_TE_LIST(g->row, target));
  parts[1] =
      tn_kernel_store(g->k, g->seen, tn_int(g->k->ir, TN_DT_I32, 1), TN_TE_LIST(g->row, target));
  return tn_seq(g->k->ir, 2, parts);
}

static const tn_node *one_tree(const tree_build *g, const tn_node *tree) {
  tn_te *te = g->k->te;
  tn_ir *ir = g->k->ir;
  const tn_node *parts[3];
  const tn_node *root = tn_te_read(te, g->args[ROOTS], TN_TE_LIST(tree));
  parts[0] =
      tn_kernel_store(g->k, g->at, kept_te(g, root, extent(g, NODES, 0)), TN_TE_LIST(g->zero));
  parts[1] = tn_kernel_loop(g->k, tn_var_new(ir, "step", TN_DT_I64),
                            i64(g, tn_op_int(g->k->call, DEPTH)), one_step(g));
  const tn_node *leaf = here(g);
  const tn_node *begin = tn_te_max(te, column_te(g, leaf, BEGIN), g->zero);
  const tn_node *end = tn_te_min(te, column_te(g, leaf, END), extent(g, TARGETS, 0));
  const tn_node *i = tn_var_new(ir, "i", TN_DT_I64);
  const tn_node *count = tn_te_max(te, tn_te_sub(te, end, begin), g->zero);
  parts[2] = tn_kernel_loop(g->k, i, count, add_entry(g, tn_te_add(te, begin, i)));
  return tn_seq(ir, 3, parts);
}

/* All of out: zeros; at the end of a mean divided by the number of trees. */
static const tn_node *each_score(tree_build *g, bool is_end) {
  tn_te *te = g->k->te;
  const tn_node *parts[2];
  const tn_node *target = tn_var_new(g->k->ir, "target", TN_DT_I64);
  const tn_node *value = tn_te_number(te, g->out->dtype, 0);
  uint32_t n = 1;
  g->row = tn_var_new(g->k->ir, "row", TN_DT_I64);
  if (is_end) {
    const tn_node *n_trees = tn_te_cast(te, g->out->dtype, extent(g, ROOTS, 0));
    value = tn_te_div(te, tn_te_read(te, g->out, TN_TE_LIST(g->row, target)), n_trees);
  }
  parts[0] = tn_kernel_store(g->k, g->out, value, TN_TE_LIST(g->row, target));
  if (g->seen != NULL && !is_end) {
    parts[n++] =
        tn_kernel_store(g->k, g->seen, tn_int(g->k->ir, TN_DT_I32, 0), TN_TE_LIST(g->row, target));
  }
  const tn_node *body = n == 1 ? parts[0] : tn_seq(g->k->ir, n, parts);
  body = tn_kernel_loop(g->k, target, i64(g, tn_op_int(g->k->call, N_TARGETS)), body);
  return tn_kernel_loop(g->k, g->row, extent(g, X, 0), body);
}

static tn_status build_tree_ensemble(tn_kernel *k, const tn_node *type) {
  tree_build g = {.k = k};
  const tn_node *parts[3];
  const tn_node *one = tn_int(k->ir, TN_DT_I64, 1);
  TN_TRY(how_gathered(k->call, &g.how));
  TN_TRY(tn_kernel_result(k, type, &g.out));
  for (uint32_t i = 0; i < N_ARGS; ++i) {
    g.args[i] = k->buffers.data[i];
  }
  g.zero = i64(&g, 0);
  g.at = tn_te_declare(k->te, "T_at", TN_DT_I64, 1, &one);
  if (g.how == LEAST || g.how == GREATEST) {
    g.seen = tn_te_declare(k->te, "T_seen", TN_DT_I32, 2, g.out->in[TN_BUFFER_SHAPE]->in);
  }
  parts[0] = each_score(&g, false);
  const tn_node *tree = tn_var_new(k->ir, "tree", TN_DT_I64);
  const tn_node *has_nodes = tn_te_and(k->te, tn_te_gt(k->te, extent(&g, NODES, 0), g.zero),
                                       tn_te_gt(k->te, extent(&g, X, 1), g.zero));
  g.row = tn_var_new(k->ir, "row", TN_DT_I64);
  parts[1] = tn_kernel_loop(k, g.row, extent(&g, X, 0), one_tree(&g, tree));
  parts[1] = tn_kernel_when(k, has_nodes, tn_kernel_loop(k, tree, extent(&g, ROOTS, 0), parts[1]));
  uint32_t n = 2;
  if (g.how == MEAN) {
    parts[n++] =
        tn_kernel_when(k, tn_te_gt(k->te, extent(&g, ROOTS, 0), g.zero), each_score(&g, true));
  }
  tn_te_extern(k->te, "T_trees", tn_seq(k->ir, n, parts));
  return NULL;
}

tn_status tn_op_lower_tree_ensemble(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "tree_ensemble", build_tree_ensemble, out_func);
}
