/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Writes ONNX models of single layers, class by class, with shapes drawn from a seed: what `make
 * bench-layers` measures beside another runtime.
 *
 *   write_layers FOLDER [SEED [N]]     N models of each class: FOLDER/conv_00_64x56x56_k3_s1.onnx ...
 *   write_layers FOLDER growth         two small networks in growing sizes, for `make bench-scale`:
 *                                      FOLDER/growth_batch_0001.onnx ...
 *
 * Extents are drawn from those that networks have, never from what suits a tile. Weights are constants,
 * small random numbers; "matmul" takes both matrices as inputs, as libraries of products do. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/onnx_writer.h"
#include "base/rng.h"

enum { F32 = 1, NAME_BYTES = 96, OPSET = 17 };

typedef struct layer {
  onnx_model m;
  tn_rng *rng;
  char name[NAME_BYTES]; /* what was drawn */
} layer;

/* One of a list of numbers that ends with 0. */
static int64_t draw(layer *l, const int64_t *from) {
  uint64_t n = 0;
  while (from[n] != 0) {
    ++n;
  }
  return from[tn_rng_below(l->rng, n)];
}
#define DRAW(l, ...) draw(l, (const int64_t[]){__VA_ARGS__, 0})

/* A constant of small random numbers around `middle`. */
static void weight(layer *l, const char *name, double middle, int32_t ndim, const int64_t *dims) {
  size_t n = 1;
  for (int32_t i = 0; i < ndim; ++i) {
    n *= (size_t)dims[i];
  }
  float *data = malloc(n * sizeof *data);
  if (data == NULL) {
    fprintf(stderr, "error: no memory for weights\n");
    exit(1);
  }
  for (size_t i = 0; i < n; ++i) {
    data[i] = (float)(middle + 0.1 * (tn_rng_unit(l->rng) - 0.5));
  }
  tn_buf tensor = onnx_tensor(name, F32, ndim, dims, data, n * sizeof *data);
  wire_message(&l->m.graph, 5, &tensor);
  free(data);
}

#define DIMS(...) \
  (const int64_t[]) { __VA_ARGS__ }

/* ---- classes ---- */

static void convolve(layer *l, int64_t c, int64_t d, int64_t size, int64_t k, int64_t stride,
                     int64_t groups) {
  tn_buf attrs = TN_BUF_INIT;
  int64_t pad = k / 2;
  (void)snprintf(l->name, NAME_BYTES, "%lldx%lldx%lld_to_%lld_k%lld_s%lld", (long long)c,
                 (long long)size, (long long)size, (long long)d, (long long)k, (long long)stride);
  onnx_input(&l->m, "x", F32, 4, DIMS(1, c, size, size));
  weight(l, "w", 0, 4, DIMS(d, c / groups, k, k));
  weight(l, "b", 0, 1, DIMS(d));
  onnx_attr_ints(&attrs, "kernel_shape", 2, DIMS(k, k));
  onnx_attr_ints(&attrs, "strides", 2, DIMS(stride, stride));
  onnx_attr_ints(&attrs, "pads", 4, DIMS(pad, pad, pad, pad));
  onnx_attr_int(&attrs, "group", groups);
  onnx_node(&l->m, "Conv", "x w b", "y", &attrs);
}

static void conv(layer *l) {
  int64_t size = DRAW(l, 7, 14, 28, 56, 112);
  int64_t most = size >= 112 ? 64 : size >= 56 ? 128 : 512;
  int64_t c = DRAW(l, 3, 16, 32, 64, 96, 128, 192, 256, 512);
  int64_t d = DRAW(l, 16, 24, 32, 64, 96, 128, 256, 512);
  int64_t k = DRAW(l, 1, 1, 3, 3, 5, 7);
  c = c > most ? most : c;
  d = d > most ? most : d;
  convolve(l, c, d, size, k > 3 && c > 64 ? 3 : k, DRAW(l, 1, 1, 2), 1);
}

static void depthwise(layer *l) {
  int64_t size = DRAW(l, 7, 14, 28, 56, 112);
  int64_t c = DRAW(l, 16, 32, 58, 96, 144, 192, 240, 384, 672, 960);
  c = size >= 56 && c > 192 ? 96 : c;
  convolve(l, c, c, size, DRAW(l, 3, 3, 5), DRAW(l, 1, 1, 2), c);
}

static void product_of(layer *l, bool is_constant) {
  int64_t m = DRAW(l, 1, 8, 49, 128, 197, 256, 384);
  int64_t k = DRAW(l, 64, 128, 256, 768, 1000, 1024, 2048);
  int64_t n = DRAW(l, 10, 64, 256, 768, 1000, 1024, 3072);
  (void)snprintf(l->name, NAME_BYTES, "%lldx%lldx%lld", (long long)m, (long long)n, (long long)k);
  onnx_input(&l->m, "x", F32, 2, DIMS(m, k));
  if (is_constant) {
    weight(l, "w", 0, 2, DIMS(k, n));
  } else {
    onnx_input(&l->m, "w", F32, 2, DIMS(k, n));
  }
  onnx_node(&l->m, "MatMul", "x w", "y", NULL);
}
static void product(layer *l) { product_of(l, true); }
static void matmul(layer *l) { product_of(l, false); }

static void norm(layer *l) {
  int64_t kind = DRAW(l, 1, 2, 3);
  tn_buf attrs = TN_BUF_INIT;
  if (kind == 3) {
    int64_t c = DRAW(l, 16, 64, 128, 256);
    int64_t size = DRAW(l, 14, 28, 56);
    (void)snprintf(l->name, NAME_BYTES, "instance_%lldx%lldx%lld", (long long)c, (long long)size,
                   (long long)size);
    onnx_input(&l->m, "x", F32, 4, DIMS(1, c, size, size));
    weight(l, "scale", 1, 1, DIMS(c));
    weight(l, "bias", 0, 1, DIMS(c));
    onnx_node(&l->m, "InstanceNormalization", "x scale bias", "y", NULL);
    return;
  }
  int64_t rows = DRAW(l, 1, 49, 128, 197, 512, 1536);
  int64_t width = DRAW(l, 64, 128, 197, 256, 512, 768, 1000, 1024);
  (void)snprintf(l->name, NAME_BYTES, "%s_%lldx%lld", kind == 1 ? "layer" : "softmax",
                 (long long)rows, (long long)width);
  onnx_input(&l->m, "x", F32, 2, DIMS(rows, width));
  onnx_attr_int(&attrs, "axis", -1);
  if (kind == 1) {
    weight(l, "scale", 1, 1, DIMS(width));
    weight(l, "bias", 0, 1, DIMS(width));
    onnx_node(&l->m, "LayerNormalization", "x scale bias", "y", &attrs);
  } else {
    onnx_node(&l->m, "Softmax", "x", "y", &attrs);
  }
}

static void attention(layer *l) {
  int64_t heads = DRAW(l, 1, 4, 8, 12);
  int64_t length = DRAW(l, 32, 49, 128, 197, 384, 512);
  int64_t width = DRAW(l, 32, 64, 64, 96);
  const float scale = 0.125f;
  tn_buf attrs = TN_BUF_INIT;
  (void)snprintf(l->name, NAME_BYTES, "%lldx%lldx%lld", (long long)heads, (long long)length,
                 (long long)width);
  onnx_input(&l->m, "q", F32, 4, DIMS(1, heads, length, width));
  onnx_input(&l->m, "k", F32, 4, DIMS(1, heads, width, length));
  onnx_input(&l->m, "v", F32, 4, DIMS(1, heads, length, width));
  tn_buf tensor = onnx_tensor("scale", F32, 0, NULL, &scale, sizeof scale);
  wire_message(&l->m.graph, 5, &tensor);
  onnx_node(&l->m, "MatMul", "q k", "scores", NULL);
  onnx_node(&l->m, "Mul", "scores scale", "scaled", NULL);
  onnx_attr_int(&attrs, "axis", -1);
  onnx_node(&l->m, "Softmax", "scaled", "weights", &attrs);
  onnx_node(&l->m, "MatMul", "weights v", "y", NULL);
}

static void pool(layer *l) {
  int64_t kind = DRAW(l, 1, 2, 3);
  int64_t size = DRAW(l, 7, 14, 28, 56, 112);
  int64_t c = DRAW(l, 16, 64, 96, 192, 256, 512, 1280);
  int64_t k = DRAW(l, 2, 3);
  static const char *const ops[] = {"MaxPool", "AveragePool", "GlobalAveragePool"};
  tn_buf attrs = TN_BUF_INIT;
  c = size >= 56 && c > 192 ? 64 : c;
  (void)snprintf(l->name, NAME_BYTES, "%s_%lldx%lldx%lld", ops[kind - 1], (long long)c,
                 (long long)size, (long long)size);
  onnx_input(&l->m, "x", F32, 4, DIMS(1, c, size, size));
  if (kind != 3) {
    onnx_attr_ints(&attrs, "kernel_shape", 2, DIMS(k, k));
    onnx_attr_ints(&attrs, "strides", 2, DIMS(2, 2));
  }
  onnx_node(&l->m, ops[kind - 1], "x", "y", kind == 3 ? NULL : &attrs);
}

static void elementwise(layer *l) {
  static const char *const ops[] = {"Relu", "Sigmoid",   "Tanh", "Erf",
                                    "Exp",  "HardSwish", "Add",  "Mul"};
  uint64_t kind = tn_rng_below(l->rng, sizeof ops / sizeof *ops);
  int64_t rows = DRAW(l, 16, 64, 128, 197, 256, 512, 1280);
  int64_t width = DRAW(l, 49, 196, 768, 784, 1000, 3136);
  bool has_two = kind >= 6;
  (void)snprintf(l->name, NAME_BYTES, "%s_%lldx%lld", ops[kind], (long long)rows, (long long)width);
  onnx_input(&l->m, "x", F32, 2, DIMS(rows, width));
  if (has_two) {
    onnx_input(&l->m, "z", F32, 2, DIMS(rows, width));
  }
  onnx_node(&l->m, ops[kind], has_two ? "x z" : "x", "y", NULL);
}

static const struct {
  const char *name;
  void (*write)(layer *);
} classes[] = {
    {"conv", conv}, {"depthwise", depthwise}, {"product", product}, {"matmul", matmul},
    {"norm", norm}, {"attention", attention}, {"pool", pool},       {"elementwise", elementwise}};

/* ---- files ---- */

static bool write_file(const char *path, layer *l) {
  onnx_output(&l->m, "y");
  tn_buf bytes = onnx_bytes(&l->m);
  FILE *file = fopen(path, "wb");
  bool is_ok = file != NULL && fwrite(tn_buf_text(&bytes), 1, bytes.len, file) == bytes.len;
  if (file != NULL && fclose(file) != 0) {
    is_ok = false;
  }
  tn_buf_deinit(&bytes);
  return is_ok;
}

/* ---- networks that grow ---- */

/* y = op(x ...) with a weight and a bias of their own. */
static void add_conv(layer *l, const char *in, const char *out, int64_t c, int64_t d, int64_t k,
                     int64_t stride) {
  char w[32];
  char b[32];
  char inputs[96];
  tn_buf attrs = TN_BUF_INIT;
  (void)snprintf(w, sizeof w, "%s_w", out);
  (void)snprintf(b, sizeof b, "%s_b", out);
  (void)snprintf(inputs, sizeof inputs, "%s %s %s", in, w, b);
  weight(l, w, 0, 4, DIMS(d, c, k, k));
  weight(l, b, 0, 1, DIMS(d));
  onnx_attr_ints(&attrs, "kernel_shape", 2, DIMS(k, k));
  onnx_attr_ints(&attrs, "strides", 2, DIMS(stride, stride));
  onnx_attr_ints(&attrs, "pads", 4, DIMS(k / 2, k / 2, k / 2, k / 2));
  onnx_node(&l->m, "Conv", inputs, out, &attrs);
}

/* Seven convolutions with residuals, the last four at half the extents and twice the channels. */
static void grow_convolutions(layer *l, int64_t batch, int64_t size, int64_t c) {
  onnx_input(&l->m, "x", F32, 4, DIMS(batch, 3, size, size));
  add_conv(l, "x", "a", 3, c, 7, 4);
  onnx_node(&l->m, "Relu", "a", "a1", NULL);
  add_conv(l, "a1", "b", c, c, 3, 1);
  onnx_node(&l->m, "Relu", "b", "b1", NULL);
  add_conv(l, "b1", "c", c, c, 3, 1);
  onnx_node(&l->m, "Add", "c a1", "c1", NULL);
  onnx_node(&l->m, "Relu", "c1", "c2", NULL);
  add_conv(l, "c2", "d", c, 2 * c, 3, 2);
  onnx_node(&l->m, "Relu", "d", "d1", NULL);
  add_conv(l, "d1", "e", 2 * c, 2 * c, 3, 1);
  onnx_node(&l->m, "Relu", "e", "e1", NULL);
  add_conv(l, "e1", "f", 2 * c, 2 * c, 3, 1);
  onnx_node(&l->m, "Add", "f d1", "f1", NULL);
  add_conv(l, "f1", "g", 2 * c, 4 * c, 1, 1);
  onnx_node(&l->m, "GlobalAveragePool", "g", "y", NULL);
}

static void add_dense(layer *l, const char *in, const char *out, int64_t k, int64_t n) {
  char w[32];
  char inputs[96];
  (void)snprintf(w, sizeof w, "%s_w", out);
  (void)snprintf(inputs, sizeof inputs, "%s %s", in, w);
  weight(l, w, 0, 2, DIMS(k, n));
  onnx_node(&l->m, "MatMul", inputs, out, NULL);
}

static void add_heads(layer *l, const char *in, const char *out, bool is_key) {
  char split[32];
  char inputs[64];
  tn_buf attrs = TN_BUF_INIT;
  (void)snprintf(split, sizeof split, "%s_split", out);
  (void)snprintf(inputs, sizeof inputs, "%s heads", in);
  onnx_node(&l->m, "Reshape", inputs, split, NULL);
  onnx_attr_ints(&attrs, "perm", 4, is_key ? DIMS(0, 2, 3, 1) : DIMS(0, 2, 1, 3));
  onnx_node(&l->m, "Transpose", split, out, &attrs);
}

/* One layer of a transformer of 4 heads, without the norms' weights. */
static void grow_sequence(layer *l, int64_t length, int64_t width) {
  tn_buf attrs = TN_BUF_INIT;
  onnx_input(&l->m, "x", F32, 3, DIMS(1, length, width));
  onnx_ints(&l->m, "heads", 4, DIMS(1, length, 4, width / 4));
  onnx_ints(&l->m, "joined", 3, DIMS(1, length, width));
  weight(l, "scale", 1, 1, DIMS(width));
  add_dense(l, "x", "q0", width, width);
  add_dense(l, "x", "k0", width, width);
  add_dense(l, "x", "v0", width, width);
  add_heads(l, "q0", "q", false);
  add_heads(l, "k0", "k", true);
  add_heads(l, "v0", "v", false);
  onnx_node(&l->m, "MatMul", "q k", "scores", NULL);
  onnx_attr_int(&attrs, "axis", -1);
  onnx_node(&l->m, "Softmax", "scores", "weights", &attrs);
  onnx_node(&l->m, "MatMul", "weights v", "mixed", NULL);
  onnx_attr_ints(&attrs, "perm", 4, DIMS(0, 2, 1, 3));
  onnx_node(&l->m, "Transpose", "mixed", "mixed1", &attrs);
  onnx_node(&l->m, "Reshape", "mixed1 joined", "mixed2", NULL);
  add_dense(l, "mixed2", "o", width, width);
  onnx_node(&l->m, "Add", "o x", "o1", NULL);
  onnx_node(&l->m, "LayerNormalization", "o1 scale", "o2", NULL);
  add_dense(l, "o2", "up", width, 4 * width);
  onnx_node(&l->m, "Relu", "up", "up1", NULL);
  add_dense(l, "up1", "down", 4 * width, width);
  onnx_node(&l->m, "Add", "down o2", "down1", NULL);
  onnx_node(&l->m, "LayerNormalization", "down1 scale", "y", NULL);
}

static bool write_growth(const char *folder) {
  static const struct {
    const char *name;
    int64_t from, to, step; /* multiplied by 2; else by steps */
  } series[] = {{"batch", 1, 32, 0},
                {"image", 112, 448, 112},
                {"channels", 1, 4, 0},
                {"sequence", 32, 1024, 0}};
  for (size_t i = 0; i < sizeof series / sizeof *series; ++i) {
    int64_t step = series[i].step;
    for (int64_t v = series[i].from; v <= series[i].to; v = step > 0 ? v + step : v * 2) {
      char path[4096];
      tn_rng rng = tn_rng_make(1);
      layer l = {.m = onnx_model_make(OPSET), .rng = &rng};
      if (i == 3) {
        grow_sequence(&l, v, 256);
      } else {
        grow_convolutions(&l, i == 0 ? v : 1, i == 1 ? v : 224, i == 2 ? 32 * v : 32);
      }
      (void)snprintf(path, sizeof path, "%s/growth_%s_%04lld.onnx", folder, series[i].name,
                     (long long)v);
      if (!write_file(path, &l)) {
        fprintf(stderr, "error: %s cannot be written\n", path);
        return false;
      }
    }
  }
  return true;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[2], "growth") == 0) {
    return write_growth(argv[1]) ? 0 : 1;
  }
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  int n = argc > 3 ? atoi(argv[3]) : 8;
  if (argc < 2 || n < 1 || n > 1000) {
    fprintf(stderr, "usage: write_layers FOLDER [SEED [N]], or: FOLDER growth\n");
    return 2;
  }
  for (size_t c = 0; c < sizeof classes / sizeof *classes; ++c) {
    tn_rng rng = tn_rng_make(seed * 1000 + c);
    for (int i = 0; i < n; ++i) {
      char path[4096];
      layer l = {.m = onnx_model_make(OPSET), .rng = &rng};
      classes[c].write(&l);
      (void)snprintf(path, sizeof path, "%s/%s_%02d_%s.onnx", argv[1], classes[c].name, i, l.name);
      if (!write_file(path, &l)) {
        fprintf(stderr, "error: %s cannot be written\n", path);
        return 1;
      }
    }
  }
  return 0;
}
