/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Rules of ONNX operators by laws that hold for them: each model has two outputs that must agree, run
 * by the interpreter of the graph level; what is wrong with nodes; random numbers. */
#include "base/rng.h"
#include "front/front.h"
#include "graph/graph.h"
#include "onnx_writer.h"
#include "tn_test.h"

enum { FLOAT = 1, MAX_NODES = 12, MAX_TEXT = 128 };

/* "axis=1 scale=0.5 mode=linear pads=1,1" as attributes: a dot makes a float, commas a list. */
static void add_attrs(tn_buf *attrs, const char *text) {
  char name[MAX_TEXT];
  char value[MAX_TEXT];
  int used = 0;
  for (; sscanf(text, " %127[^=]=%127s%n", name, value, &used) == 2; text += used) {
    bool is_number = strspn(value, "-0123456789.,") == strlen(value);
    if (!is_number) {
      onnx_attr_text(attrs, name, value);
    } else if (strchr(value, ',') != NULL) {
      int64_t list[8];
      size_t n = 0;
      for (const char *at = value; at != NULL && n < 8; at = strchr(at, ',')) {
        at += *at == ',' ? 1 : 0;
        list[n++] = strtoll(at, NULL, 10);
      }
      onnx_attr_ints(attrs, name, n, list);
    } else if (strchr(value, '.') != NULL) {
      onnx_attr_float(attrs, name, strtof(value, NULL));
    } else {
      onnx_attr_int(attrs, name, strtoll(value, NULL, 10));
    }
  }
}

/* One node: "operator; inputs; outputs; attributes". */
static void add_node(onnx_model *m, const char *text) {
  char parts[4][MAX_TEXT] = {"", "", "", ""};
  tn_buf attrs = TN_BUF_INIT;
  for (int i = 0; i < 4; ++i) {
    size_t n = strcspn(text, ";");
    (void)snprintf(parts[i], MAX_TEXT, "%.*s", (int)n, text);
    text += n + (text[n] == ';' ? 1 : 0);
    text += *text == ' ' ? 1 : 0;
  }
  add_attrs(&attrs, parts[3]);
  onnx_node(m, parts[0], parts[1], parts[2], &attrs);
}

/* Imports the model (emptied). */
static tn_status import(onnx_model *m, tn_module *module) {
  tn_diags diags = {0};
  tn_buf bytes = onnx_bytes(m);
  tn_status st = tn_onnx_import_bytes((const uint8_t *)bytes.data, bytes.len, NULL, NULL, module);
  tn_buf_deinit(&bytes);
  if (st == NULL) {
    tn_module_verify(module, &diags);
    st = tn_diags_to_status(&diags, module->ir);
  }
  return st;
}

/* ---- laws ---- */

typedef struct law {
  const char *name;
  int64_t opset;
  int32_t ndim;
  int64_t shape[4];  /* of x */
  int64_t n_ints[2]; /* initial values i and j */
  int64_t ints[2][8];
  const char *nodes[MAX_NODES]; /* they make a and b */
} law;

static const law laws[] = {
    {"a transform of 130 points and back",
     17,
     3,
     {2, 130, 2},
     {0, 0},
     {{0}},
     {"DFT; x; y; axis=1", "DFT; y; a; axis=1 inverse=1", "Identity; x; b"}},
    {"a transform of a prime number of points and back",
     17,
     3,
     {2, 97, 2},
     {0, 0},
     {{0}},
     {"DFT; x; y; axis=1", "DFT; y; a; axis=1 inverse=1", "Identity; x; b"}},
    {"half of a spectrum tells a real signal",
     17,
     3,
     {2, 66, 1},
     {0, 0},
     {{0}},
     {"DFT; x; y; axis=1 onesided=1", "DFT; y; a; axis=1 onesided=1 inverse=1", "Identity; x; b"}},
    {"frames of one whole signal are its transform",
     17,
     3,
     {2, 20, 1},
     {1, 0},
     {{5}},
     {"Reshape; i e; s", "STFT; x s; y; onesided=0", "Squeeze; y i1; a", "DFT; x; b; axis=1"}},
    {"reversed twice",
     10,
     3,
     {4, 3, 2},
     {3, 0},
     {{2, 4, 1}},
     {"ReverseSequence; x i; y", "ReverseSequence; y i; a", "Identity; x; b"}},
    {"other bits and back",
     26,
     2,
     {3, 4},
     {0, 0},
     {{0}},
     {"BitCast; x; y; to=6", "BitCast; y; a; to=1", "Identity; x; b"}},
    {"places of a pool hold its elements",
     12,
     4,
     {2, 2, 5, 6},
     {1, 0},
     {{-1}},
     {"MaxPool; x; a at; kernel_shape=3,2 strides=2,2 pads=1,0,1,1 ceil_mode=1",
      "Reshape; x i; flat", "Gather; flat at; b"}},
    {"a product times its element",
     26,
     2,
     {3, 4},
     {1, 0},
     {{1}},
     {"CumProd; x i; y; exclusive=1", "Mul; x y; a", "CumProd; x i; b"}},
    {"pools of squares",
     18,
     4,
     {1, 2, 5, 6},
     {1, 0},
     {{4}},
     {"LpPool; x; a; kernel_shape=2,2 strides=1,2", "Mul; x x; q",
      "AveragePool; q; m; kernel_shape=2,2 strides=1,2", "CastLike; i x; f", "Mul; m f; s",
      "Sqrt; s; b"}},
    {"a loss of scores is one of logarithms",
     13,
     3,
     {4, 3, 2},
     {8, 2},
     {{0, 1, 2, 2, 1, 0, 0, 2}, {4, 2}},
     {"Reshape; i j; t", "SoftmaxCrossEntropyLoss; x t; a; ignore_index=1",
      "LogSoftmax; x; l; axis=1", "NegativeLogLikelihoodLoss; l t; b; ignore_index=1"}},
    {"the grid that changes nothing",
     20,
     4,
     {1, 2, 4, 5},
     {3, 2},
     {{1, 2, 3}, {2, 3}},
     {"ConstantOfShape; j; z", "EyeLike; z; eye", "Reshape; eye i; theta", "Shape; x; size",
      "AffineGrid; theta size; g; align_corners=1", "GridSample; x g; a; align_corners=1",
      "Identity; x; b"}},
    {"the region of a whole picture",
     16,
     4,
     {1, 2, 4, 4},
     {4, 2},
     {{0, 0, 4, 4}, {1, 4}},
     {"Reshape; i j; r", "CastLike; r x; rois", "Slice; i zero one; k",
      "RoiAlign; x rois k; a; output_height=4 output_width=4 sampling_ratio=1", "Identity; x; b"}},
    {"windows that do not overlap put together",
     18,
     3,
     {2, 8, 6},
     {2, 2},
     {{4, 6}, {2, 2}},
     {"Col2Im; x i j; a; strides=2,2", "Reshape; x s2; y", "Transpose; y; w; perm=0,1,4,2,5,3",
      "Reshape; w s3; b"}},
    {"training with nothing dropped",
     15,
     2,
     {3, 4},
     {1, 0},
     {{1}},
     {"Cast; i; t; to=9", "CastLike; zero x; r", "Dropout; x r t; a", "Identity; x; b"}},
};

static void add_law(onnx_model *m, const law *l) {
  onnx_input(m, "x", FLOAT, l->ndim, l->shape);
  for (int i = 0; i < 2; ++i) {
    if (l->n_ints[i] > 0) {
      onnx_ints(m, i == 0 ? "i" : "j", l->n_ints[i], l->ints[i]);
    }
  }
  onnx_ints(m, "zero", 1, (const int64_t[]){0});
  onnx_ints(m, "one", 1, (const int64_t[]){1});
  onnx_ints(m, "i1", 1, (const int64_t[]){1});
  onnx_ints(m, "e", 0, (const int64_t[]){0});
  onnx_ints(m, "s2", 6, (const int64_t[]){2, 2, 2, 2, 2, 3});
  onnx_ints(m, "s3", 4, (const int64_t[]){2, 2, 4, 6});
  for (int i = 0; i < MAX_NODES && l->nodes[i] != NULL; ++i) {
    add_node(m, l->nodes[i]);
  }
  onnx_output(m, "a");
  onnx_output(m, "b");
}

static void expect_equal(const tn_array *a, const tn_array *b, const char *name) {
  expect_true(a->dtype == b->dtype && a->ndim == b->ndim, "%s: the types differ", name);
  for (int32_t d = 0; d < a->ndim; ++d) {
    expect_true(a->shape[d] == b->shape[d], "%s: the shapes differ", name);
  }
  for (int64_t i = 0; i < tn_array_n_elems(a); ++i) {
    double x = tn_array_get_f64(a, i);
    double y = tn_array_get_f64(b, i);
    expect_true(x >= y - 1e-4 && x <= y + 1e-4, "%s: element %d: %g and %g", name, (int)i, x, y);
  }
}

static void check_law(const law *l) {
  onnx_model m = onnx_model_make(l->opset);
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_array x = {0};
  tn_value result = {0};
  tn_rng rng = tn_rng_make(7);
  add_law(&m, l);
  tn_module_init(&module, ir, "Module");
  expect_ok(tn_status_wrap(import(&m, &module), "%s", l->name));
  expect_ok(tn_array_init(&x, TN_DT_F32, l->ndim, l->shape));
  for (int64_t i = 0; i < tn_array_n_elems(&x); ++i) {
    tn_array_set_f64(&x, i, 2 * tn_rng_unit(&rng) - 1);
  }
  tn_interp *interp = tn_interp_new(&module, NULL);
  tn_value arg = {.kind = TN_V_ARRAY, .array = &x};
  expect_ok(tn_interp_call(interp, "main", &arg, 1, &result));
  assert_true(result.kind == TN_V_TUPLE && result.n == 2);
  expect_equal(result.items[0].array, result.items[1].array, l->name);
  tn_interp_free(interp);
  tn_array_deinit(&x);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void the_laws_of_the_operators_hold(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof laws / sizeof laws[0]; ++i) {
    check_law(&laws[i]);
  }
}

/* ---- what is wrong ---- */

static void nodes_with_wrong_attributes_are_refused(void **state) {
  (void)state;
  static const struct {
    int64_t opset;
    int32_t ndim;
    int64_t shape[4];
    const char *node;
    const char *part;
  } rows[] = {
      {17, 3, {1, 4, 1}, "DFT; x; y; axis=2", "axis 2 of such data"},
      {17, 3, {1, 4, 3}, "DFT; x; y; axis=1", "the last one (1 or 2)"},
      {17, 3, {1, 4, 2}, "DFT; x; y; axis=1 onesided=1", "onesided of complex data"},
      {17, 3, {1, 100003, 1}, "DFT; x; y; axis=1", "prime factor"},
      {18, 4, {1, 1, 4, 4}, "LpPool; x; y; kernel_shape=2,2 p=0", "p is 0"},
      {13, 4, {1, 1, 4, 4}, "MaxPool; x; y z; kernel_shape=9,9", "exceeds padded input"},
      {20, 4, {1, 1, 4, 4}, "GridSample; x x; y; mode=quintic", "mode 'quintic'"},
      {20, 4, {1, 1, 4, 4}, "GridSample; x x; y", "the grid's last dimension has extent 4"},
      {16, 4, {1, 1, 4, 4}, "RoiAlign; x x x; y", "batch_indices is no vector"},
      {23, 3, {1, 4, 6}, "RotaryEmbedding; x x x; y; num_heads=99999999999", "and num_heads"},
      {23,
       4,
       {1, 2, 4, 6},
       "RotaryEmbedding; x x x; y; rotary_embedding_dim=3",
       "cannot be turned in pairs"},
      {27,
       3,
       {1, 4, 6},
       "LinearAttention; x x x; y z; q_num_heads=2 kv_num_heads=0 update_rule=linear",
       "2 heads of queries and 0 of keys"},
      {27,
       3,
       {1, 4, 6},
       "LinearAttention; x x x; y z; q_num_heads=2 kv_num_heads=2 update_rule=odd",
       "update_rule 'odd'"},
      {24, 4, {1, 2, 4, 6}, "TensorScatter; x x; y; axis=0", "the batch being 0"},
      {13, 2, {2, 3}, "NegativeLogLikelihoodLoss; x x; y; reduction=most", "reduction 'most'"},
      {26, 2, {2, 3}, "BitCast; x; y; to=7", "do not have the same width"},
      {22, 2, {2, 3}, "RandomUniform; ; y; shape=4,-2", "'shape' holds -2"},
      {22, 2, {2, 3}, "Multinomial; x; y; sample_size=0", "0 draws"},
      {22, 2, {2, 3}, "Det; x; y", "the rows' has extent 2, the columns' 3"},
      {10, 3, {2, 3, 4}, "ReverseSequence; x x; y; time_axis=9", "expected 0 and 1"},
      {9,
       1,
       {4},
       "TfIdfVectorizer; x; y; mode=TF ngram_counts=7 ngram_indexes=0,1 pool_int64s=1,2",
       "ngram_counts"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    onnx_model m = onnx_model_make(rows[i].opset);
    tn_ir *ir = tn_ir_new(0);
    tn_module module;
    tn_module_init(&module, ir, "Module");
    onnx_input(&m, "x", FLOAT, rows[i].ndim, rows[i].shape);
    add_node(&m, rows[i].node);
    onnx_output(&m, "y");
    tn_status st = import(&m, &module);
    expect_true(st != NULL, "%s is refused", rows[i].node);
    expect_error(st, tn_status_code(st), rows[i].part);
    tn_module_deinit(&module);
    tn_ir_free(ir);
  }
}

/* ---- random numbers ---- */

static void mean_of(const char *node, double *out_mean, double *out_variance) {
  onnx_model m = onnx_model_make(22);
  tn_ir *ir = tn_ir_new(0);
  tn_module module;
  tn_value result = {0};
  double sum = 0;
  double squares = 0;
  tn_module_init(&module, ir, "Module");
  add_node(&m, node);
  onnx_output(&m, "y");
  expect_ok(import(&m, &module));
  tn_interp *interp = tn_interp_new(&module, NULL);
  expect_ok(tn_interp_call(interp, "main", NULL, 0, &result));
  double n = (double)tn_array_n_elems(result.array);
  for (int64_t i = 0; i < tn_array_n_elems(result.array); ++i) {
    double x = tn_array_get_f64(result.array, i);
    sum += x;
    squares += x * x;
  }
  *out_mean = sum / n;
  *out_variance = squares / n - sum / n * sum / n;
  tn_interp_free(interp);
  tn_module_deinit(&module);
  tn_ir_free(ir);
}

static void random_numbers_have_their_distribution_and_follow_from_the_seed(void **state) {
  (void)state;
  double mean = 0;
  double variance = 0;
  double first = 0;
  mean_of("RandomUniform; ; y; shape=60,60 low=2.0 high=4.0 seed=1.0", &first, &variance);
  expect_true(first > 2.95 && first < 3.05, "a mean of %g", first);
  expect_true(variance > 0.31 && variance < 0.36, "a variance of %g", variance);
  mean_of("RandomUniform; ; y; shape=60,60 low=2.0 high=4.0 seed=1.0", &mean, &variance);
  expect_true(mean == first, "the same seed: %g and %g", mean, first);
  mean_of("RandomUniform; ; y; shape=60,60 low=2.0 high=4.0 seed=2.0", &mean, &variance);
  expect_true(mean != first, "another seed");
  mean_of("RandomNormal; ; y; shape=60,60 mean=-1.0 scale=3.0 seed=1.0", &mean, &variance);
  expect_true(mean > -1.2 && mean < -0.8, "a mean of %g", mean);
  expect_true(variance > 8.4 && variance < 9.6, "a variance of %g", variance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_laws_of_the_operators_hold),
      cmocka_unit_test(nodes_with_wrong_attributes_are_refused),
      cmocka_unit_test(random_numbers_have_their_distribution_and_follow_from_the_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
