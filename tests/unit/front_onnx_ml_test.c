/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Trees, machines and encoders of ai.onnx.ml and steps of optimisers against what they are defined
 * to give; trees that are none. */
#include "onnx_values.h"

#define ML "ai.onnx.ml"

/* ---- trees ---- */

/* A tree of 5 nodes: 0 asks feature 0, 1 asks feature 1; 2, 3, 4 are leaves. */
typedef struct tree {
  const char *modes[5];
  float values[5];
  int64_t if_true[5];
  int64_t if_false[5];
  int64_t missing[5];
} tree;

static tree plain_tree(const char *mode) {
  return (tree){.modes = {mode, mode, "LEAF", "LEAF", "LEAF"},
                .values = {1, -1, 0, 0, 0},
                .if_true = {1, 2, 0, 0, 0},
                .if_false = {4, 3, 0, 0, 0}};
}

/* The leaves weigh 10, 20, 30 for target 0, and leaf 3 besides 5 for target 1. */
static void add_tree(tn_buf *attrs, const tree *t, const char *what) {
  static const char *const ends[] = {"treeids", "nodeids", "ids", "weights"};
  char names[4][32];
  for (int i = 0; i < 4; ++i) {
    (void)snprintf(names[i], sizeof names[i], "%s_%s", what, ends[i]);
  }
  onnx_attr_ints(attrs, "nodes_treeids", 5, DIMS(0, 0, 0, 0, 0));
  onnx_attr_ints(attrs, "nodes_nodeids", 5, DIMS(0, 1, 2, 3, 4));
  onnx_attr_ints(attrs, "nodes_featureids", 5, DIMS(0, 1, 0, 0, 0));
  onnx_attr_floats(attrs, "nodes_values", 5, t->values);
  onnx_attr_texts(attrs, "nodes_modes", 5, t->modes);
  onnx_attr_ints(attrs, "nodes_truenodeids", 5, t->if_true);
  onnx_attr_ints(attrs, "nodes_falsenodeids", 5, t->if_false);
  onnx_attr_ints(attrs, "nodes_missing_value_tracks_true", 5, t->missing);
  onnx_attr_ints(attrs, names[0], 4, DIMS(0, 0, 0, 0));
  onnx_attr_ints(attrs, names[1], 4, DIMS(4, 2, 3, 3));
  onnx_attr_ints(attrs, names[2], 4, DIMS(0, 0, 0, 1));
  onnx_attr_floats(attrs, names[3], 4, (const float[]){30, 10, 20, 5});
}

static onnx_model regressor(const tree *t, const char *aggregate, const float *x) {
  onnx_model m = values_model(ML, 3);
  tn_buf attrs = TN_BUF_INIT;
  add_tree(&attrs, t, "target");
  onnx_attr_int(&attrs, "n_targets", 2);
  onnx_attr_text(&attrs, "aggregate_function", aggregate);
  put_f32(&m, "x", 2, DIMS(4, 2), x);
  onnx_node(&m, "TreeEnsembleRegressor", "x", "y", &attrs);
  return m;
}

typedef struct mode_case {
  const char *mode;
  int leaves[4]; /* that the rows of `rows` reach */
} mode_case;

static const float rows[8] = {1, -1, 0, 0, 2, -2, NAN, -1};

static void trees_compare_in_six_ways(void **state) {
  (void)state;
  static const mode_case cases[] = {
      {"BRANCH_LEQ", {2, 3, 4, 4}}, {"BRANCH_LT", {4, 3, 4, 4}}, {"BRANCH_GTE", {2, 4, 3, 4}},
      {"BRANCH_GT", {4, 4, 3, 4}},  {"BRANCH_EQ", {2, 4, 4, 4}}, {"BRANCH_NEQ", {4, 2, 2, 3}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tree t = plain_tree(cases[i].mode);
    double want[8];
    for (int j = 0; j < 4; ++j) {
      want[2 * j] = (cases[i].leaves[j] - 1) * 10;
      want[2 * j + 1] = cases[i].leaves[j] == 3 ? 5 : 0;
    }
    onnx_model m = regressor(&t, "SUM", rows);
    expect_values(&m, "y", TN_DT_F32, 2, DIMS(4, 2), want, 0);
    m = regressor(&t, "MAX", rows); /* one tree: its leaf, and 0 where there is none */
    expect_values(&m, "y", TN_DT_F32, 2, DIMS(4, 2), want, 0);
  }
}

static void missing_values_go_where_the_node_says(void **state) {
  (void)state;
  tree t = plain_tree("BRANCH_LT");
  t.missing[0] = 1;
  onnx_model m = regressor(&t, "SUM", rows);
  expect_values(&m, "y", TN_DT_F32, 2, DIMS(4, 2), (const double[]){30, 0, 20, 5, 30, 0, 20, 5}, 0);
}

static void what_is_no_tree_is_refused(void **state) {
  (void)state;
  tree t = plain_tree("BRANCH_LEQ");
  t.if_false[1] = 0;
  onnx_model m = regressor(&t, "SUM", rows);
  expect_refused(&m, "y", TN_INVALID, "its own ancestor");
  t = plain_tree("BRANCH_LEQ");
  t.if_true[1] = 1;
  m = regressor(&t, "SUM", rows);
  expect_refused(&m, "y", TN_INVALID, "its own ancestor");
  t = plain_tree("BRANCH_LEQ");
  t.if_true[0] = 9;
  m = regressor(&t, "SUM", rows);
  expect_refused(&m, "y", TN_INVALID, "leads to node 9");
  t = plain_tree("BRANCH_LEQ");
  t.modes[3] = "BRANCH_LEQ";
  m = regressor(&t, "SUM", rows);
  expect_refused(&m, "y", TN_INVALID, "no leaf");
  t = plain_tree("BRANCH_WITHERS");
  m = regressor(&t, "SUM", rows);
  expect_refused(&m, "y", TN_UNSUPPORTED, "BRANCH_WITHERS");
}

static void classes_are_labels(void **state) {
  (void)state;
  tree t = plain_tree("BRANCH_LEQ");
  for (int is_score = 0; is_score < 2; ++is_score) {
    onnx_model m = values_model(ML, 3);
    tn_buf attrs = TN_BUF_INIT;
    add_tree(&attrs, &t, "class");
    onnx_attr_ints(&attrs, "classlabels_int64s", 3, DIMS(7, 8, 9));
    onnx_attr_floats(&attrs, "base_values", 3, (const float[]){0, 20, 0});
    put_f32(&m, "x", 2, DIMS(4, 2), rows);
    onnx_node(&m, "TreeEnsembleClassifier", "x", "l s", &attrs);
    if (is_score) {
      expect_values(&m, "s", TN_DT_F32, 2, DIMS(4, 3),
                    (const double[]){10, 20, 0, 20, 25, 0, 30, 20, 0, 30, 20, 0}, 0);
    } else {
      expect_values(&m, "l", TN_DT_I64, 1, DIMS(4), (const double[]){8, 8, 7, 7}, 0);
    }
  }
}

static void labels_that_are_texts_are_no_numbers(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c"};
  tree t = plain_tree("BRANCH_LEQ");
  for (int is_score = 0; is_score < 2; ++is_score) {
    onnx_model m = values_model(ML, 3);
    tn_buf attrs = TN_BUF_INIT;
    add_tree(&attrs, &t, "class");
    onnx_attr_texts(&attrs, "classlabels_strings", 3, names);
    put_f32(&m, "x", 2, DIMS(4, 2), rows);
    onnx_node(&m, "TreeEnsembleClassifier", "x", "l s", &attrs);
    if (is_score) { /* nobody reads the labels */
      expect_values(&m, "s", TN_DT_F32, 2, DIMS(4, 3),
                    (const double[]){10, 0, 0, 20, 5, 0, 30, 0, 0, 30, 0, 0}, 0);
    } else {
      expect_refused(&m, "l", TN_UNSUPPORTED, "labels that are texts");
    }
  }
}

/* A set of three members, leaves of a list of their own. */
static void branches_may_ask_for_members(void **state) {
  (void)state;
  static const float x[5] = {1, 2, 3, 4, NAN};
  static const float sets[4] = {1, 4, 2, NAN};
  static const float splits[1] = {0};
  static const float weights[2] = {100, 7};
  static const uint8_t modes[1] = {6};
  onnx_model m = values_model(ML, 5);
  tn_buf attrs = TN_BUF_INIT;
  tn_buf tensor = onnx_tensor(NULL, ONNX_F32, 1, DIMS(4), sets, sizeof sets);
  onnx_attr_tensor(&attrs, "membership_values", &tensor);
  tensor = onnx_tensor(NULL, ONNX_F32, 1, DIMS(1), splits, sizeof splits);
  onnx_attr_tensor(&attrs, "nodes_splits", &tensor);
  tensor = onnx_tensor(NULL, ONNX_U8, 1, DIMS(1), modes, sizeof modes);
  onnx_attr_tensor(&attrs, "nodes_modes", &tensor);
  tensor = onnx_tensor(NULL, ONNX_F32, 1, DIMS(2), weights, sizeof weights);
  onnx_attr_tensor(&attrs, "leaf_weights", &tensor);
  onnx_attr_ints(&attrs, "tree_roots", 1, DIMS(0));
  onnx_attr_ints(&attrs, "nodes_featureids", 1, DIMS(0));
  onnx_attr_ints(&attrs, "nodes_truenodeids", 1, DIMS(0));
  onnx_attr_ints(&attrs, "nodes_falsenodeids", 1, DIMS(1));
  onnx_attr_ints(&attrs, "nodes_trueleafs", 1, DIMS(1));
  onnx_attr_ints(&attrs, "nodes_falseleafs", 1, DIMS(1));
  onnx_attr_ints(&attrs, "leaf_targetids", 2, DIMS(0, 0));
  put_f32(&m, "x", 2, DIMS(5, 1), x);
  onnx_node(&m, "TreeEnsemble", "x", "y", &attrs);
  expect_values(&m, "y", TN_DT_F32, 2, DIMS(5, 1), (const double[]){100, 100, 7, 100, 7}, 0);
}

/* ---- other models ---- */

static void pairs_of_classes_vote(void **state) {
  (void)state;
  static const float vectors[6] = {1, 0, 0, 1, -1, 1};
  static const float weights[6] = {0.5f, -1, 0.25f, 1, 0.75f, -0.5f};
  static const float rho[3] = {0.1f, -0.2f, 0.05f};
  static const float x[2] = {0.6f, -0.4f};
  double dot[3];
  double want[3];
  for (int i = 0; i < 3; ++i) {
    dot[i] = (double)x[0] * (double)vectors[2 * i] + (double)x[1] * (double)vectors[2 * i + 1];
  }
  want[0] = 0.5 * dot[0] - 1 * dot[1] + 0.1;
  want[1] = 1 * dot[0] + 0.25 * dot[2] - 0.2;
  want[2] = 0.75 * dot[1] - 0.5 * dot[2] + 0.05;
  for (int is_score = 0; is_score < 2; ++is_score) {
    onnx_model m = values_model(ML, 1);
    tn_buf attrs = TN_BUF_INIT;
    onnx_attr_text(&attrs, "kernel_type", "LINEAR");
    onnx_attr_floats(&attrs, "support_vectors", 6, vectors);
    onnx_attr_floats(&attrs, "coefficients", 6, weights);
    onnx_attr_floats(&attrs, "rho", 3, rho);
    onnx_attr_ints(&attrs, "vectors_per_class", 3, DIMS(1, 1, 1));
    onnx_attr_ints(&attrs, "classlabels_ints", 3, DIMS(4, 5, 6));
    put_f32(&m, "x", 2, DIMS(1, 2), x);
    onnx_node(&m, "SVMClassifier", "x", "l s", &attrs);
    if (is_score) {
      expect_values(&m, "s", TN_DT_F32, 2, DIMS(1, 3), want, 1e-6);
    } else { /* both of its pairs are won by the first */
      expect_values(&m, "l", TN_DT_I64, 1, DIMS(1), (const double[]){4}, 0);
    }
  }
}

static void tables_encode_numbers(void **state) {
  (void)state;
  static const float x[4] = {2, NAN, 3, 5};
  static const float keys[3] = {2, NAN, 2}; /* the last of equal keys counts */
  onnx_model m = values_model(ML, 4);
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_floats(&attrs, "keys_floats", 3, keys);
  onnx_attr_ints(&attrs, "values_int64s", 3, DIMS(10, 20, 30));
  onnx_attr_int(&attrs, "default_int64", -7);
  put_f32(&m, "x", 1, DIMS(4), x);
  onnx_node(&m, "LabelEncoder", "x", "y", &attrs);
  expect_values(&m, "y", TN_DT_I64, 1, DIMS(4), (const double[]){30, 20, -7, -7}, 0);
  static const char *const texts[] = {"a"};
  onnx_attr_texts(&attrs, "keys_strings", 1, texts);
  onnx_attr_ints(&attrs, "values_int64s", 1, DIMS(10));
  put_f32(&m, "x", 1, DIMS(4), x);
  onnx_node(&m, "LabelEncoder", "x", "y", &attrs);
  expect_refused(&m, "y", TN_UNSUPPORTED, "texts");
}

static void vectors_are_cut_and_filled(void **state) {
  (void)state;
  static const float a[3] = {1, 2, 3};
  static const float b[2] = {4, 5};
  onnx_model m = values_model(ML, 1);
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_ints(&attrs, "inputdimensions", 2, DIMS(2, 3));
  put_f32(&m, "a", 2, DIMS(1, 3), a);
  put_f32(&m, "b", 2, DIMS(1, 2), b);
  onnx_node(&m, "FeatureVectorizer", "a b", "y", &attrs);
  expect_values(&m, "y", TN_DT_F32, 2, DIMS(1, 5), (const double[]){1, 2, 4, 5, 0}, 0);
}

/* ---- optimisers ---- */

static void adam_makes_up_for_its_beginning(void **state) {
  (void)state;
  static const float x[2] = {1, -2};
  static const float g[2] = {0.5f, -1};
  static const float v[2] = {0.1f, 0.2f};
  static const float h[2] = {0.3f, 0.4f};
  static const float rate = 0.1f;
  for (int64_t count = 0; count < 3; count += 2) {
    double want[2];
    for (int i = 0; i < 2; ++i) {
      double grad = 0.01 * (double)x[i] + (double)g[i];
      double v1 = 0.9 * (double)v[i] + 0.1 * grad;
      double h1 = 0.99 * (double)h[i] + 0.01 * grad * grad;
      double r = count == 0 ? 0.1 : 0.1 * sqrt(1 - pow(0.99, 2)) / (1 - pow(0.9, 2));
      want[i] = ((double)x[i] - r * v1 / (sqrt(h1) + 1e-3)) * (1 - 0.02);
    }
    onnx_model m = values_model("ai.onnx.preview.training", 1);
    tn_buf attrs = TN_BUF_INIT;
    onnx_attr_float(&attrs, "alpha", 0.9f);
    onnx_attr_float(&attrs, "beta", 0.99f);
    onnx_attr_float(&attrs, "epsilon", 1e-3f);
    onnx_attr_float(&attrs, "norm_coefficient", 0.01f);
    onnx_attr_float(&attrs, "norm_coefficient_post", 0.02f);
    put_f32(&m, "r", 0, NULL, &rate);
    put_i64(&m, "t", 0, NULL, &count);
    put_f32(&m, "x", 1, DIMS(2), x);
    put_f32(&m, "g", 1, DIMS(2), g);
    put_f32(&m, "v", 1, DIMS(2), v);
    put_f32(&m, "h", 1, DIMS(2), h);
    onnx_node(&m, "Adam", "r t x g v h", "y v1 h1", &attrs);
    expect_values(&m, "y", TN_DT_F32, 1, DIMS(2), want, 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_compare_in_six_ways),
      cmocka_unit_test(missing_values_go_where_the_node_says),
      cmocka_unit_test(what_is_no_tree_is_refused),
      cmocka_unit_test(classes_are_labels),
      cmocka_unit_test(labels_that_are_texts_are_no_numbers),
      cmocka_unit_test(branches_may_ask_for_members),
      cmocka_unit_test(pairs_of_classes_vote),
      cmocka_unit_test(tables_encode_numbers),
      cmocka_unit_test(vectors_are_cut_and_filled),
      cmocka_unit_test(adam_makes_up_for_its_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
