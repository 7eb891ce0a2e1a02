/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tree ensembles (ai.onnx.ml): the attributes that list nodes and leaves become the flat tables of
 * R.ml.tree_ensemble (src/ops/tree.c); base values, the classes' decision and the transformation of
 * scores are added around it. A branch on membership becomes a chain of comparisons. What the model
 * says is checked here: every child exists, no node is its own ancestor. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "front/onnx/ml.h"
#include "front/onnx/rules.h"

/* As in src/ops/tree.c. */
enum { FEATURE, MODE, MISSING, IF_TRUE, IF_FALSE, BEGIN, END, N_COLUMNS };
enum { LEQ, LT, GTE, GT, EQ, NEQ, MEMBER, LEAF };

typedef struct tree_node {
  int64_t feature;
  int64_t mode;
  int64_t child[2]; /* where true, where false */
  bool takes_missing;
  double split;
  int64_t begin; /* of a leaf: its entries */
  int64_t end;
} tree_node;

typedef struct forest {
  tn_onnx_call *c;
  TN_VEC(tree_node) nodes;
  TN_VEC(int64_t) roots;
  TN_VEC(int64_t) targets; /* entries, leaf after leaf */
  TN_VEC(double) weights;
  int64_t n_targets;
  int64_t depth;
} forest;

static void forest_deinit(forest *f) {
  TN_VEC_DEINIT(&f->nodes);
  TN_VEC_DEINIT(&f->roots);
  TN_VEC_DEINIT(&f->targets);
  TN_VEC_DEINIT(&f->weights);
}

/* ---- checks ---- */

typedef TN_VEC(int64_t) i64_vec;

/* Follows the ways below the root without recursion; the height of a node is known once its
 * children's are. */
static tn_status find_heights(const forest *f, int64_t root, uint8_t *state, int64_t *height,
                              i64_vec *stack) {
  enum { NEW, BEGUN, DONE };
  TN_VEC_PUSH(stack, root);
  while (stack->len > 0) {
    int64_t at = TN_VEC_LAST(stack);
    const tree_node *node = &f->nodes.data[at];
    if (state[at] != NEW || node->mode == LEAF) {
      for (int side = 0; state[at] == BEGUN && side < 2; ++side) {
        int64_t more = height[node->child[side]] + 1;
        height[at] = more > height[at] ? more : height[at];
      }
      state[at] = DONE;
      (void)TN_VEC_POP(stack);
      continue;
    }
    state[at] = BEGUN;
    for (int side = 0; side < 2; ++side) {
      int64_t child = node->child[side];
      if (state[child] == BEGUN) {
        return TN_ERR(TN_INVALID, "node %" PRId64 " of the trees is its own ancestor", child);
      }
      if (state[child] == NEW) {
        TN_VEC_PUSH(stack, child);
      }
    }
  }
  return NULL;
}

/* The longest way from any root. */
static tn_status find_depth(forest *f) {
  size_t n = f->nodes.len;
  uint8_t *state = TN_ARENA_ARRAY(f->c->imp->arena, uint8_t, n + 1);
  int64_t *height = TN_ARENA_ARRAY(f->c->imp->arena, int64_t, n + 1);
  tn_status st = NULL;
  i64_vec stack = {0};
  for (size_t i = 0; st == NULL && i < f->roots.len; ++i) {
    int64_t root = f->roots.data[i];
    st = find_heights(f, root, state, height, &stack);
    f->depth = height[root] > f->depth ? height[root] : f->depth;
  }
  TN_VEC_DEINIT(&stack);
  return st;
}

static tn_status check_node(const forest *f, const tree_node *node) {
  int64_t n = (int64_t)f->nodes.len;
  if (node->mode == LEAF) {
    return NULL;
  }
  if (node->child[0] < 0 || node->child[0] >= n || node->child[1] < 0 || node->child[1] >= n) {
    return TN_ERR(TN_INVALID, "a node leads to nodes %" PRId64 " and %" PRId64 " of %" PRId64,
                  node->child[0], node->child[1], n);
  }
  if (node->feature < 0 || node->feature > INT32_MAX) {
    return TN_ERR(TN_INVALID, "a node looks at feature %" PRId64, node->feature);
  }
  return NULL;
}

static tn_status check_forest(forest *f) {
  if (f->nodes.len == 0 || f->nodes.len > INT32_MAX || f->weights.len > INT32_MAX) {
    return TN_ERR(TN_INVALID, "%zu nodes", f->nodes.len);
  }
  for (size_t i = 0; i < f->nodes.len; ++i) {
    TN_TRY(check_node(f, &f->nodes.data[i]));
  }
  for (size_t i = 0; i < f->targets.len; ++i) {
    if (f->targets.data[i] < 0 || f->targets.data[i] >= f->n_targets) {
      return TN_ERR(TN_INVALID, "a leaf's target is %" PRId64 " of %" PRId64, f->targets.data[i],
                    f->n_targets);
    }
  }
  return find_depth(f);
}

/* ---- the call ---- */

/* -1 where nodes compare in different ways. */
static int64_t common_mode(const forest *f) {
  int64_t mode = -1;
  for (size_t i = 0; i < f->nodes.len; ++i) {
    if (f->nodes.data[i].mode != LEAF) {
      if (mode >= 0 && mode != f->nodes.data[i].mode) {
        return -1;
      }
      mode = f->nodes.data[i].mode;
    }
  }
  return mode;
}

static bool any_takes_missing(const forest *f) {
  for (size_t i = 0; i < f->nodes.len; ++i) {
    if (f->nodes.data[i].takes_missing) {
      return true;
    }
  }
  return false;
}

static void fill_row(const forest *f, size_t i, tn_array *rows) {
  const tree_node *node = &f->nodes.data[i];
  bool is_leaf = node->mode == LEAF;
  const int64_t row[N_COLUMNS] = {is_leaf ? 0 : node->feature,
                                  is_leaf ? 0 : node->mode,
                                  !is_leaf && node->takes_missing,
                                  is_leaf ? (int64_t)i : node->child[0],
                                  is_leaf ? (int64_t)i : node->child[1],
                                  node->begin,
                                  node->end};
  for (int64_t j = 0; j < N_COLUMNS; ++j) {
    tn_array_set_i64(rows, (int64_t)i * N_COLUMNS + j, row[j]);
  }
}

static const tn_node *int32_vector(tn_onnx_call *c, size_t n, const int64_t *values) {
  tn_array array = {0};
  int64_t shape = (int64_t)n;
  tn_onnx_fail(c, tn_array_init(&array, TN_DT_I32, 1, &shape));
  for (size_t i = 0; c->st == NULL && i < n; ++i) {
    tn_array_set_i64(&array, (int64_t)i, values[i]);
  }
  return tn_onnx_const(c, &array);
}

/* x: rows. [N, targets] of its type. */
static const tn_node *forest_scores(forest *f, const tn_node *x, const char *aggregate) {
  tn_onnx_call *c = f->c;
  tn_dtype type = tn_onnx_type_of(c, x);
  tn_array rows = {0};
  int64_t shape[2] = {(int64_t)f->nodes.len, N_COLUMNS};
  double *splits = TN_ARENA_ARRAY(c->imp->arena, double, f->nodes.len + 1);
  if (c->st == NULL) {
    tn_onnx_fail(c, check_forest(f));
  }
  if (c->st == NULL) {
    tn_onnx_fail(c, tn_array_init(&rows, TN_DT_I32, 2, shape));
  }
  for (size_t i = 0; c->st == NULL && i < f->nodes.len; ++i) {
    fill_row(f, i, &rows);
    splits[i] = f->nodes.data[i].split;
  }
  const tn_node *args[] = {
      x,
      tn_onnx_const(c, &rows),
      tn_onnx_numbers_vector(c, type, (tn_onnx_f64s){splits, f->nodes.len}),
      int32_vector(c, f->roots.len, f->roots.data),
      int32_vector(c, f->targets.len, f->targets.data),
      tn_onnx_numbers_vector(c, type, (tn_onnx_f64s){f->weights.data, f->weights.len})};
  tn_onnx_build b = tn_onnx_begin(c, "ml.tree_ensemble");
  tn_onnx_set_int(&b, "n_targets", f->n_targets);
  tn_onnx_set_int(&b, "depth", f->depth);
  tn_onnx_set_int(&b, "mode", c->st == NULL ? common_mode(f) : -1);
  tn_onnx_set_text(&b, "aggregate", aggregate);
  tn_onnx_set_bool(&b, "has_missing", any_takes_missing(f));
  return tn_onnx_end(&b, 6, args);
}

/* ---- TreeEnsembleRegressor, TreeEnsembleClassifier ---- */

static int64_t mode_named(tn_onnx_bytes text) {
  static const char *const names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                      "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
  for (int64_t i = 0; i <= LEAF; ++i) {
    if (i != MEMBER && tn_onnx_is(text, names[i])) {
      return i;
    }
  }
  return -1;
}

/* The node (tree, id) as a key; ids are small numbers. */
static bool node_key(int64_t tree, int64_t id, uint64_t *out) {
  *out = (uint64_t)tree << 32 | (uint64_t)id;
  return tree >= 0 && tree <= INT32_MAX && id >= 0 && id <= INT32_MAX;
}

typedef struct old_attrs { /* of all nodes, a list each */
  tn_onnx_i64s tree;
  tn_onnx_i64s id;
  tn_onnx_i64s feature;
  tn_onnx_i64s if_true;
  tn_onnx_i64s if_false;
  tn_onnx_i64s missing; /* may be left out */
  tn_onnx_f64s split;
  const tn_onnx_attr *mode;
} old_attrs;

static bool read_old(tn_onnx_call *c, old_attrs *a) {
  a->tree = tn_onnx_attr_ints(c, "nodes_treeids");
  a->id = tn_onnx_attr_ints(c, "nodes_nodeids");
  a->feature = tn_onnx_attr_ints(c, "nodes_featureids");
  a->if_true = tn_onnx_attr_ints(c, "nodes_truenodeids");
  a->if_false = tn_onnx_attr_ints(c, "nodes_falsenodeids");
  a->missing = tn_onnx_attr_ints(c, "nodes_missing_value_tracks_true");
  a->split = tn_onnx_attr_numbers(c, "nodes_values");
  a->mode = tn_onnx_attr_find(c, "nodes_modes");
  size_t n = a->tree.len;
  bool is_right = a->mode != NULL && a->mode->strings.len == n && a->id.len == n &&
                  a->feature.len == n && a->if_true.len == n && a->if_false.len == n &&
                  a->split.len == n && (a->missing.len == 0 || a->missing.len == n);
  if (!is_right) {
    TN_ONNX_FAIL(c, TN_INVALID, "the lists of nodes (nodes_treeids ...) differ in length");
  }
  return c->st == NULL;
}

/* Adds the nodes; places: key -> number of the node. */
static tn_status add_old_nodes(forest *f, const old_attrs *a, tn_map *places) {
  tn_map roots = {0};
  tn_status st = NULL;
  for (size_t i = 0; st == NULL && i < a->tree.len; ++i) {
    uint64_t key = 0;
    tree_node node = {.feature = a->feature.data[i],
                      .mode = mode_named(a->mode->strings.data[i]),
                      .takes_missing = a->missing.len > 0 && a->missing.data[i] != 0,
                      .split = a->split.data[i]};
    if (!node_key(a->tree.data[i], a->id.data[i], &key) || tn_map_find(places, key, NULL)) {
      st = TN_ERR(TN_INVALID, "node %" PRId64 " of tree %" PRId64 " is there twice, or no number",
                  a->id.data[i], a->tree.data[i]);
    } else if (node.mode < 0) {
      st = TN_ERR(TN_UNSUPPORTED, "nodes_modes '%s'",
                  a->mode->strings.data[i].len > 0 ? a->mode->strings.data[i].data : "");
    }
    tn_map_set(places, key, i);
    if (!tn_map_find(&roots, (uint64_t)a->tree.data[i], NULL)) { /* the first of its tree */
      tn_map_set(&roots, (uint64_t)a->tree.data[i], 1);
      TN_VEC_PUSH(&f->roots, (int64_t)i);
    }
    TN_VEC_PUSH(&f->nodes, node);
  }
  tn_map_deinit(&roots);
  return st;
}

static tn_status link_old_nodes(forest *f, const old_attrs *a, const tn_map *places) {
  for (size_t i = 0; i < a->tree.len; ++i) {
    tree_node *node = &f->nodes.data[i];
    const int64_t ids[2] = {a->if_true.data[i], a->if_false.data[i]};
    for (int side = 0; node->mode != LEAF && side < 2; ++side) {
      uint64_t key = 0;
      uint64_t at = 0;
      if (!node_key(a->tree.data[i], ids[side], &key) || !tn_map_find(places, key, &at)) {
        return TN_ERR(TN_INVALID,
                      "node %" PRId64 " of tree %" PRId64 " leads to node %" PRId64
                      ", which is not there",
                      a->id.data[i], a->tree.data[i], ids[side]);
      }
      node->child[side] = (int64_t)at;
    }
  }
  return NULL;
}

/* The leaves' entries, brought into the order of the nodes; what names an inner node is refused. */
static tn_status add_entries(forest *f, tn_onnx_i64s tree, tn_onnx_i64s id, tn_onnx_i64s target,
                             tn_onnx_f64s weight, const tn_map *places) {
  size_t n = target.len;
  int64_t *leaf = TN_ARENA_ARRAY(f->c->imp->arena, int64_t, n + 1);
  if (tree.len != n || id.len != n || weight.len != n) {
    return TN_ERR(TN_INVALID, "the lists of leaves' weights differ in length");
  }
  for (size_t i = 0; i < n; ++i) {
    uint64_t key = 0;
    uint64_t at = 0;
    if (!node_key(tree.data[i], id.data[i], &key) || !tn_map_find(places, key, &at) ||
        f->nodes.data[at].mode != LEAF) {
      return TN_ERR(TN_INVALID,
                    "a weight of node %" PRId64 " of tree %" PRId64 ", which is no leaf",
                    id.data[i], tree.data[i]);
    }
    leaf[i] = (int64_t)at;
    f->nodes.data[at].end++;
    TN_VEC_PUSH(&f->targets, 0);
    TN_VEC_PUSH(&f->weights, 0);
  }
  int64_t so_far = 0;
  for (size_t i = 0; i < f->nodes.len; ++i) {
    int64_t count = f->nodes.data[i].end;
    f->nodes.data[i].begin = f->nodes.data[i].end = so_far;
    so_far += count;
  }
  for (size_t i = 0; i < n; ++i) {
    int64_t at = f->nodes.data[leaf[i]].end++;
    f->targets.data[at] = target.data[i];
    f->weights.data[at] = weight.data[i];
  }
  return NULL;
}

/* what: "target" or "class", which the names of attributes begin with */
static void read_old_forest(forest *f, const char *what) {
  tn_onnx_call *c = f->c;
  old_attrs a = {0};
  tn_map places = {0};
  char names[4][32];
  static const char *const ends[] = {"treeids", "nodeids", "ids", "weights"};
  for (int i = 0; i < 4; ++i) {
    (void)snprintf(names[i], sizeof names[i], "%s_%s", what, ends[i]);
  }
  if (!read_old(c, &a)) {
    return;
  }
  tn_status st = add_old_nodes(f, &a, &places);
  st = st != NULL ? st : link_old_nodes(f, &a, &places);
  st = st != NULL ? st
                  : add_entries(f, tn_onnx_attr_ints(c, names[0]), tn_onnx_attr_ints(c, names[1]),
                                tn_onnx_attr_ints(c, names[2]), tn_onnx_attr_numbers(c, names[3]),
                                &places);
  tn_map_deinit(&places);
  if (st != NULL) {
    tn_onnx_fail(c, st);
  }
}

/* Base values, if there are, are one for each column. */
static const tn_node *with_base(tn_onnx_call *c, const tn_node *scores, int64_t n) {
  tn_onnx_f64s base = tn_onnx_attr_numbers(c, "base_values");
  if (base.len == 0) {
    return scores;
  }
  if ((int64_t)base.len != n) {
    TN_ONNX_FAIL(c, TN_INVALID, "%zu base_values for %" PRId64 " columns", base.len, n);
    return NULL;
  }
  return tn_onnx_op2(c, "add", scores, tn_onnx_numbers_vector(c, tn_onnx_type_of(c, scores), base));
}

static const char *aggregate_attr(tn_onnx_call *c) {
  static const char *const names[][2] = {
      {"SUM", "sum"}, {"AVERAGE", "mean"}, {"MIN", "min"}, {"MAX", "max"}};
  const char *text = tn_onnx_attr_text(c, "aggregate_function", "SUM");
  for (size_t i = 0; i < 4; ++i) {
    if (strcmp(text, names[i][0]) == 0) {
      return names[i][1];
    }
  }
  TN_ONNX_FAIL(c, TN_INVALID, "aggregate_function '%s', expected SUM, AVERAGE, MIN or MAX", text);
  return "sum";
}

void tn_onnx_rule_tree_regressor(tn_onnx_call *c) {
  forest f = {.c = c, .n_targets = tn_onnx_attr_int(c, "n_targets", 1)};
  const tn_node *x = tn_onnx_ml_rows(c, tn_onnx_in(c, 0));
  read_old_forest(&f, "target");
  const tn_node *y = forest_scores(&f, x, aggregate_attr(c));
  y = tn_onnx_post_apply(c, with_base(c, y, f.n_targets), tn_onnx_post_attr(c));
  tn_onnx_give(c, 0, tn_onnx_cast(c, y, TN_DT_F32));
  forest_deinit(&f);
}

/* What the targets of all leaves are: one class alone, or several. */
static bool has_one_target(const forest *f) {
  for (size_t i = 1; i < f->targets.len; ++i) {
    if (f->targets.data[i] != f->targets.data[0]) {
      return false;
    }
  }
  return f->targets.len > 0;
}

static bool is_all_positive(const forest *f) {
  for (size_t i = 0; i < f->weights.len; ++i) {
    if (f->weights.data[i] < 0) {
      return false;
    }
  }
  return true;
}

void tn_onnx_rule_tree_classifier(tn_onnx_call *c) {
  forest f = {.c = c};
  tn_onnx_labels labels = tn_onnx_labels_attr(c, "classlabels_int64s", "classlabels_strings");
  const tn_node *x = tn_onnx_ml_rows(c, tn_onnx_in(c, 0));
  f.n_targets = (int64_t)labels.n;
  read_old_forest(&f, "class");
  bool is_one = c->st == NULL && labels.n == 2 && has_one_target(&f);
  int64_t target = is_one ? f.targets.data[0] : 0;
  const tn_node *y = forest_scores(&f, x, "sum");
  tn_onnx_f64s base = tn_onnx_attr_numbers(c, "base_values");
  if (is_one && target == 0) {
    y = c->st != NULL ? NULL : tn_onnx_part(c, y, 1, 0, 1);
    if (base.len > 0) {
      double add = base.data[base.len - 1];
      y = tn_onnx_op2(c, "add", y, tn_onnx_scalar(c, tn_onnx_type_of(c, y), add));
    }
    tn_onnx_give_second_above(c, y, is_all_positive(&f) ? 0.5 : 0, &labels);
    y = tn_onnx_two_from_one(c, y, is_all_positive(&f));
  } else {
    y = with_base(c, y, f.n_targets);
    if (is_one) {
      const tn_node *second = c->st != NULL ? NULL : tn_onnx_part(c, y, 1, 1, 2);
      tn_onnx_give_second_above(c, second, is_all_positive(&f) ? 0.5 : 0, &labels);
    } else {
      tn_onnx_give_label(c, &labels, tn_onnx_best_class(c, y));
    }
    y = tn_onnx_post_apply(c, y, tn_onnx_post_attr(c));
  }
  tn_onnx_give(c, 1, tn_onnx_cast(c, y, TN_DT_F32));
  forest_deinit(&f);
}

/* ---- TreeEnsemble (version 5) ---- */

typedef struct new_attrs {
  tn_onnx_i64s feature;
  tn_onnx_i64s child[2];
  tn_onnx_i64s is_leaf[2];
  tn_onnx_i64s missing;
  tn_onnx_i64s roots;
  tn_onnx_i64s target;
  tn_onnx_f64s mode;
  tn_onnx_f64s split;
  tn_onnx_f64s members;
  tn_onnx_f64s weight;
} new_attrs;

static bool read_new(tn_onnx_call *c, new_attrs *a) {
  a->feature = tn_onnx_attr_ints(c, "nodes_featureids");
  a->child[0] = tn_onnx_attr_ints(c, "nodes_truenodeids");
  a->child[1] = tn_onnx_attr_ints(c, "nodes_falsenodeids");
  a->is_leaf[0] = tn_onnx_attr_ints(c, "nodes_trueleafs");
  a->is_leaf[1] = tn_onnx_attr_ints(c, "nodes_falseleafs");
  a->missing = tn_onnx_attr_ints(c, "nodes_missing_value_tracks_true");
  a->roots = tn_onnx_attr_ints(c, "tree_roots");
  a->target = tn_onnx_attr_ints(c, "leaf_targetids");
  a->mode = tn_onnx_attr_numbers(c, "nodes_modes");
  a->split = tn_onnx_attr_numbers(c, "nodes_splits");
  a->members = tn_onnx_attr_numbers(c, "membership_values");
  a->weight = tn_onnx_attr_numbers(c, "leaf_weights");
  size_t n = a->feature.len;
  bool is_right = a->child[0].len == n && a->child[1].len == n && a->is_leaf[0].len == n &&
                  a->is_leaf[1].len == n && a->mode.len == n && a->split.len == n &&
                  (a->missing.len == 0 || a->missing.len == n) && a->target.len == a->weight.len;
  if (!is_right) {
    TN_ONNX_FAIL(c, TN_INVALID, "the lists of nodes (nodes_featureids ...) differ in length");
  }
  return c->st == NULL;
}

/* The members of the next set: numbers up to a NaN. */
static tn_onnx_f64s next_set(const new_attrs *a, size_t *at) {
  size_t begin = *at;
  size_t end = begin;
  while (end < a->members.len && !isnan(a->members.data[end])) {
    ++end;
  }
  *at = end + 1;
  return (tn_onnx_f64s){begin < a->members.len ? a->members.data + begin : NULL, end - begin};
}

/* Nodes, then leaves, then what chains need besides. A chain: x == first or x == second or ... */
static tn_status add_new_nodes(forest *f, const new_attrs *a) {
  int64_t n = (int64_t)a->feature.len;
  int64_t n_leaves = (int64_t)a->target.len;
  size_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!(a->mode.data[i] >= (double)LEQ && a->mode.data[i] <= (double)MEMBER)) {
      return TN_ERR(TN_INVALID, "node %" PRId64 " has mode %g, expected 0 to 6", i,
                    a->mode.data[i]);
    }
    tree_node node = {.feature = a->feature.data[i],
                      .mode = (int64_t)a->mode.data[i],
                      .takes_missing = a->missing.len > 0 && a->missing.data[i] != 0,
                      .split = a->split.data[i]};
    for (int side = 0; side < 2; ++side) {
      bool is_leaf = a->is_leaf[side].data[i] != 0;
      int64_t child = a->child[side].data[i];
      if (child < 0 || child >= (is_leaf ? n_leaves : n)) {
        return TN_ERR(TN_INVALID, "node %" PRId64 " leads to %s %" PRId64 ", which is not there", i,
                      is_leaf ? "leaf" : "node", child);
      }
      node.child[side] = is_leaf ? n + child : child;
    }
    TN_VEC_PUSH(&f->nodes, node);
  }
  for (int64_t i = 0; i < n_leaves; ++i) {
    TN_VEC_PUSH(&f->nodes, ((tree_node){.mode = LEAF, .begin = i, .end = i + 1}));
    TN_VEC_PUSH(&f->targets, a->target.data[i]);
    TN_VEC_PUSH(&f->weights, a->weight.data[i]);
  }
  for (int64_t i = 0; i < n; ++i) {
    if (f->nodes.data[i].mode != MEMBER) {
      continue;
    }
    tn_onnx_f64s set = next_set(a, &at);
    int64_t last = i;
    f->nodes.data[i].mode = EQ;
    f->nodes.data[i].split = set.len > 0 ? set.data[0] : (double)NAN; /* which nothing equals */
    for (size_t j = 1; j < set.len; ++j) {
      tree_node more = f->nodes.data[last];
      more.split = set.data[j];
      more.takes_missing = false;
      f->nodes.data[last].child[1] = (int64_t)f->nodes.len;
      last = (int64_t)f->nodes.len;
      TN_VEC_PUSH(&f->nodes, more);
    }
  }
  return NULL;
}

void tn_onnx_rule_tree_ensemble(tn_onnx_call *c) {
  static const char *const aggregates[] = {"mean", "sum", "min", "max"};
  forest f = {.c = c, .n_targets = tn_onnx_attr_int(c, "n_targets", 1)};
  new_attrs a = {0};
  int64_t how = tn_onnx_attr_int(c, "aggregate_function", 1);
  int64_t post = tn_onnx_attr_int(c, "post_transform", 0);
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  const tn_node *x = tn_onnx_ml_rows(c, tn_onnx_in(c, 0));
  if (how < 0 || how > 3 || post < 0 || post > TN_ONNX_POST_PROBIT) {
    TN_ONNX_FAIL(c, TN_INVALID, "aggregate_function %" PRId64 ", post_transform %" PRId64, how,
                 post);
  } else if (read_new(c, &a)) {
    tn_status st = add_new_nodes(&f, &a);
    for (size_t i = 0; st == NULL && i < a.roots.len; ++i) {
      if (a.roots.data[i] < 0 || a.roots.data[i] >= (int64_t)a.feature.len) {
        st = TN_ERR(TN_INVALID, "root %" PRId64 " of %zu nodes", a.roots.data[i], a.feature.len);
      }
      TN_VEC_PUSH(&f.roots, a.roots.data[i]);
    }
    if (st != NULL) {
      tn_onnx_fail(c, st);
    }
    const tn_node *y = forest_scores(&f, x, aggregates[how]);
    tn_onnx_give(c, 0, tn_onnx_cast(c, tn_onnx_post_apply(c, y, (tn_onnx_post)post), type));
  }
  forest_deinit(&f);
}
