/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Operators of com.microsoft and narrow element types against their formulas in double. */
#include "onnx_values.h"

#define MS "com.microsoft", 1

/* ---- narrow types ---- */

typedef struct cast_case {
  int64_t to;
  tn_dtype dtype;
  int64_t saturate;
  const char *round_mode;
  double want[6];
} cast_case;

static void casts_to_narrow_types_follow_the_specification(void **state) {
  (void)state;
  static const float x[6] = {0.3f, -3, 464, 470, INFINITY, 1.5f};
  static const cast_case cases[] = {
      {17, TN_DT_F8E4M3FN, 1, NULL, {0.3125, -3, 448, 448, 448, 1.5}},
      {17, TN_DT_F8E4M3FN, 0, NULL, {0.3125, -3, 448, NAN, NAN, 1.5}},
      {18, TN_DT_F8E4M3FNUZ, 1, NULL, {0.3125, -3, 240, 240, 240, 1.5}},
      {18, TN_DT_F8E4M3FNUZ, 0, NULL, {0.3125, -3, NAN, NAN, NAN, 1.5}},
      {19, TN_DT_F8E5M2, 1, NULL, {0.3125, -3, 448, 448, 57344, 1.5}},
      {19, TN_DT_F8E5M2, 0, NULL, {0.3125, -3, 448, 448, INFINITY, 1.5}},
      {20, TN_DT_F8E5M2FNUZ, 1, NULL, {0.3125, -3, 448, 448, 57344, 1.5}},
      {20, TN_DT_F8E5M2FNUZ, 0, NULL, {0.3125, -3, 448, 448, NAN, 1.5}},
      {24, TN_DT_F8E8M0FNU, 1, "up", {0.5, 4, 512, 512, 0x1p127, 2}},
      {24, TN_DT_F8E8M0FNU, 1, "down", {0.25, 2, 256, 256, 0x1p127, 1}},
      {24, TN_DT_F8E8M0FNU, 0, "nearest", {0.25, 4, 512, 512, NAN, 2}},
      {22, TN_DT_I4, 1, NULL, {0, -3, 0, 6, -1, 1}},
      {21, TN_DT_U4, 1, NULL, {0, 13, 0, 6, 15, 1}},
      {26, TN_DT_I4, 1, NULL, {0, 1, 0, -2, -1, 1}}, /* int2, held in 4 bits */
      {25, TN_DT_U4, 1, NULL, {0, 1, 0, 2, 3, 1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    onnx_model m = onnx_model_make(25);
    tn_buf attrs = TN_BUF_INIT;
    onnx_attr_int(&attrs, "to", cases[i].to);
    onnx_attr_int(&attrs, "saturate", cases[i].saturate);
    if (cases[i].round_mode != NULL) {
      onnx_attr_text(&attrs, "round_mode", cases[i].round_mode);
    }
    put_f32(&m, "x", 1, DIMS(6), x);
    onnx_node(&m, "Cast", "x", "y", &attrs);
    expect_values(&m, "y", cases[i].dtype, 1, DIMS(6), cases[i].want, 0);
  }
}

/* 3 / 0.6 is 5, though the float32 nearest to 0.6 is a little more. */
static void a_scale_means_the_number_that_it_was_written_as(void **state) {
  (void)state;
  static const float x[6] = {0, 1, 2, 3, 4, 5};
  static const float scale = 0.6f;
  tn_buf attrs = TN_BUF_INIT;
  onnx_model m = onnx_model_make(13);
  put_f32(&m, "x", 1, DIMS(6), x);
  put_f32(&m, "scales", 1, DIMS(1), &scale);
  onnx_attr_text(&attrs, "coordinate_transformation_mode", "half_pixel");
  onnx_attr_text(&attrs, "nearest_mode", "floor");
  onnx_node(&m, "Resize", "x  scales", "y", &attrs);
  expect_values(&m, "y", TN_DT_F32, 1, DIMS(3), (const double[]){0, 2, 3}, 0);
}

static void rows_of_blocks_are_counted_from_the_end_too(void **state) {
  (void)state;
  static const uint8_t x[32] = {[16] = 138, [17] = 118};
  static const float scales[2] = {1, 0.5f};
  double want[16] = {5, -5};
  tn_buf attrs = TN_BUF_INIT;
  onnx_model m = values_model(MS);
  put_u8(&m, "x", 2, DIMS(2, 16), x);
  put_i64(&m, "i", 1, DIMS(1), (const int64_t[]){-1});
  put_f32(&m, "s", 2, DIMS(2, 1), scales);
  onnx_attr_int(&attrs, "bits", 8);
  onnx_attr_int(&attrs, "block_size", 16);
  onnx_node(&m, "GatherBlockQuantized", "x i s", "y", &attrs);
  for (int i = 2; i < 16; ++i) {
    want[i] = -64; /* 0 - 128, halved */
  }
  expect_values(&m, "y", TN_DT_F32, 2, DIMS(1, 16), want, 0);
}

static void elements_of_2_bits_lie_four_to_a_byte(void **state) {
  (void)state;
  static const uint8_t packed[] = {0x1b, 0x02}; /* 3 2 1 0, 2 */
  onnx_model m = onnx_model_make(25);
  put_bytes(&m, "x", 26, 1, DIMS(5), packed, sizeof packed);
  onnx_node(&m, "Identity", "x", "y", NULL);
  expect_values(&m, "y", TN_DT_I4, 1, DIMS(5), (const double[]){-1, -2, 1, 0, -2}, 0);
  put_bytes(&m, "x", 25, 1, DIMS(5), packed, 1);
  onnx_node(&m, "Identity", "x", "y", NULL);
  expect_refused(&m, "y", TN_CORRUPT, "1 bytes");
  static const float values[] = {5, -2.5f, -9, 1};
  put_bytes(&m, "like", 26, 1, DIMS(5), packed, sizeof packed);
  put_f32(&m, "v", 1, DIMS(4), values);
  onnx_node(&m, "Reshape", "like s", "type", NULL); /* is of 2 bits still */
  onnx_ints(&m, "s", 1, DIMS(5));
  onnx_node(&m, "CastLike", "v type", "y", NULL);
  expect_values(&m, "y", TN_DT_I4, 1, DIMS(4), (const double[]){1, -2, -1, 1}, 0);
}

/* 7 columns in blocks of 3: the last one is not full. */
static void scales_may_stand_for_blocks(void **state) {
  (void)state;
  float x[14];
  static const float scales[6] = {0.1f, 0.02f, 0.5f, 0.3f, 0.07f, 0.01f};
  static const uint8_t zeros[6] = {128, 100, 3, 0, 255, 7};
  double quantised[14];
  double back[14];
  uint8_t bytes[14];
  draw(x, 14, 3);
  for (int i = 0; i < 14; ++i) {
    int at = i / 7 * 3 + i % 7 / 3;
    double q = rint((double)(x[i] / scales[at])) + zeros[at];
    quantised[i] = fmin(fmax(q, 0), 255);
    bytes[i] = (uint8_t)quantised[i];
    back[i] = (quantised[i] - zeros[at]) * (double)scales[at];
  }
  for (int is_back = 0; is_back < 2; ++is_back) {
    onnx_model m = onnx_model_make(21);
    tn_buf attrs = TN_BUF_INIT;
    onnx_attr_int(&attrs, "axis", -1);
    onnx_attr_int(&attrs, "block_size", 3);
    put_f32(&m, "s", 2, DIMS(2, 3), scales);
    put_u8(&m, "z", 2, DIMS(2, 3), zeros);
    put_f32(&m, "x", 2, DIMS(2, 7), x);
    put_u8(&m, "b", 2, DIMS(2, 7), bytes);
    onnx_node(&m, is_back ? "DequantizeLinear" : "QuantizeLinear", is_back ? "b s z" : "x s z", "y",
              &attrs);
    expect_values(&m, "y", is_back ? TN_DT_F32 : TN_DT_U8, 2, DIMS(2, 7),
                  is_back ? back : quantised, 1e-6);
  }
}

static void floats_are_quantised_by_conversion(void **state) {
  (void)state;
  static const float x[] = {1, -8, 30, 900};
  onnx_model m = onnx_model_make(23);
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_int(&attrs, "output_dtype", 23);
  put_f32(&m, "x", 1, DIMS(4), x);
  put_f32(&m, "s", 0, NULL, (const float[]){2});
  onnx_node(&m, "QuantizeLinear", "x s", "y", &attrs);
  expect_values(&m, "y", TN_DT_F4E2M1FN, 1, DIMS(4), (const double[]){0.5, -4, 6, 6}, 0);
}

/* ---- weights of few bits ---- */

enum { NB_K = 40, NB_N = 3, NB_BLOCK = 16, NB_BLOCKS = 3 };

static void weights_of_few_bits_are_unpacked(void **state) {
  (void)state;
  for (int bits = 2; bits <= 8; bits *= 2) {
    uint8_t packed[NB_N * NB_BLOCKS * NB_BLOCK] = {0};
    uint8_t zeros[NB_N * NB_BLOCKS] = {0};
    float a[2 * NB_K];
    float scales[NB_N * NB_BLOCKS];
    double want[2 * NB_N] = {0};
    int n_row = NB_BLOCKS * NB_BLOCK * bits / 8;
    int n_zero = (NB_BLOCKS * bits + 7) / 8;
    tn_rng rng = tn_rng_make(5);
    draw(a, 2 * NB_K, 1);
    draw(scales, NB_N * NB_BLOCKS, 2);
    for (int n = 0; n < NB_N; ++n) {
      for (int k = 0; k < NB_BLOCKS * NB_BLOCK; ++k) {
        int b = k / NB_BLOCK;
        int q = (int)tn_rng_range(&rng, 0, (1 << bits) - 1);
        int z = (n + 2 * b) % (1 << bits);
        packed[n * n_row + k * bits / 8] |= (uint8_t)(q << k * bits % 8);
        if (k % NB_BLOCK == 0) {
          zeros[n * n_zero + b * bits / 8] |= (uint8_t)(z << b * bits % 8);
        }
        for (int i = 0; i < 2 && k < NB_K; ++i) {
          want[i * NB_N + n] +=
              (double)a[i * NB_K + k] * (q - z) * (double)scales[n * NB_BLOCKS + b];
        }
      }
    }
    onnx_model m = values_model(MS);
    tn_buf attrs = TN_BUF_INIT;
    onnx_attr_int(&attrs, "K", NB_K);
    onnx_attr_int(&attrs, "N", NB_N);
    onnx_attr_int(&attrs, "bits", bits);
    onnx_attr_int(&attrs, "block_size", NB_BLOCK);
    put_f32(&m, "a", 2, DIMS(2, NB_K), a);
    put_u8(&m, "b", 3, DIMS(NB_N, NB_BLOCKS, NB_BLOCK * bits / 8), packed);
    put_f32(&m, "s", 1, DIMS(NB_N * NB_BLOCKS), scales);
    put_u8(&m, "z", 1, DIMS(NB_N * n_zero), zeros);
    onnx_node(&m, "MatMulNBits", "a b s z", "y", &attrs);
    expect_values(&m, "y", TN_DT_F32, 2, DIMS(2, NB_N), want, 1e-5);
  }
}

static void a_number_of_bits_that_there_is_not_is_refused(void **state) {
  (void)state;
  static const float a[8] = {0};
  static const uint8_t b[8] = {0};
  onnx_model m = values_model(MS);
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_int(&attrs, "K", 8);
  onnx_attr_int(&attrs, "N", 1);
  onnx_attr_int(&attrs, "bits", 3);
  onnx_attr_int(&attrs, "block_size", 16);
  put_f32(&m, "a", 2, DIMS(1, 8), a);
  put_u8(&m, "b", 3, DIMS(1, 1, 8), b);
  put_f32(&m, "s", 1, DIMS(1), a);
  onnx_node(&m, "MatMulNBits", "a b s", "y", &attrs);
  expect_refused(&m, "y", TN_UNSUPPORTED, "3 bits");
}

/* ---- attention ---- */

/* softmax(q k^T / sqrt(d) + hides) v of one head; sees: [S, T]. */
static void attend(int n_q, int n_k, int d, const double *q, const double *k, const double *v,
                   const bool *sees, double *out) {
  for (int i = 0; i < n_q; ++i) {
    double shares[16];
    double most = -INFINITY;
    double sum = 0;
    for (int j = 0; j < n_k; ++j) {
      shares[j] = 0;
      for (int e = 0; e < d; ++e) {
        shares[j] += q[i * d + e] * k[j * d + e] / sqrt(d);
      }
      shares[j] = sees[i * n_k + j] ? shares[j] : -1e30;
      most = fmax(most, shares[j]);
    }
    for (int j = 0; j < n_k; ++j) {
      shares[j] = exp(shares[j] - most);
      sum += shares[j];
    }
    for (int e = 0; e < d; ++e) {
      out[i * d + e] = 0;
      for (int j = 0; j < n_k; ++j) {
        out[i * d + e] += shares[j] / sum * v[j * d + e];
      }
    }
  }
}

enum { B = 2, S = 3, H = 2, D = 4, W = H * D };

/* Row (b, s), head h of x [B, S, W] begins at this element. */
static int at_head(int b, int s, int h, int width) { return (b * S + s) * width + h * D; }

/* Attention, packed product: keys hidden by their number, and causal. */
static void attention_makes_and_hides_its_keys(void **state) {
  (void)state;
  enum { IN = 5 };
  float x[B * S * IN];
  float w[IN * 3 * W];
  float bias[3 * W];
  static const int32_t lengths[B] = {3, 2};
  double all[B * S * 3 * W];
  double want[B * S * W];
  draw(x, B * S * IN, 1);
  draw(w, IN * 3 * W, 2);
  draw(bias, 3 * W, 3);
  for (int i = 0; i < B * S * 3 * W; ++i) {
    all[i] = (double)bias[i % (3 * W)];
    for (int e = 0; e < IN; ++e) {
      all[i] += (double)x[i / (3 * W) * IN + e] * (double)w[e * 3 * W + i % (3 * W)];
    }
  }
  for (int b = 0; b < B; ++b) {
    for (int h = 0; h < H; ++h) {
      double part[3][S * D];
      double y[S * D];
      bool sees[S * S];
      for (int s = 0; s < S; ++s) {
        for (int e = 0; e < D; ++e) {
          for (int p = 0; p < 3; ++p) {
            part[p][s * D + e] = all[at_head(b, s, h, 3 * W) + p * W + e];
          }
        }
        for (int t = 0; t < S; ++t) {
          sees[s * S + t] = t <= s && t < lengths[b];
        }
      }
      attend(S, S, D, part[0], part[1], part[2], sees, y);
      for (int i = 0; i < S * D; ++i) {
        want[at_head(b, i / D, h, W) + i % D] = y[i];
      }
    }
  }
  onnx_model m = values_model(MS);
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_int(&attrs, "num_heads", H);
  onnx_attr_int(&attrs, "unidirectional", 1);
  put_f32(&m, "x", 3, DIMS(B, S, IN), x);
  put_f32(&m, "w", 2, DIMS(IN, 3 * W), w);
  put_f32(&m, "b", 1, DIMS(3 * W), bias);
  put_i32(&m, "m", 1, DIMS(B), lengths);
  onnx_node(&m, "Attention", "x w b m", "y", &attrs);
  expect_values(&m, "y", TN_DT_F32, 3, DIMS(B, S, W), want, 1e-5);
}

/* Queries, keys and values of one tensor [B, S, N, 3, D] are those that come apart. */
static void packed_heads_are_those_that_come_apart(void **state) {
  (void)state;
  float packed[B * S * H * 3 * D];
  float parts[3][B * S * W];
  static const char *const names[] = {"q", "k", "v"};
  tn_array apart = {0};
  draw(packed, B * S * H * 3 * D, 7);
  for (int i = 0; i < B * S * H; ++i) {
    for (int p = 0; p < 3; ++p) {
      memcpy(&parts[p][i * D], &packed[(i * 3 + p) * D], sizeof(float) * D);
    }
  }
  onnx_model m = values_model(MS);
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_int(&attrs, "num_heads", H);
  for (int p = 0; p < 3; ++p) {
    put_f32(&m, names[p], 3, DIMS(B, S, W), parts[p]);
  }
  onnx_node(&m, "MultiHeadAttention", "q k v", "y", &attrs);
  expect_ok(value_of(&m, "y", &apart));
  double want[B * S * W];
  for (int i = 0; i < B * S * W; ++i) {
    want[i] = tn_array_get_f64(&apart, i);
  }
  tn_array_deinit(&apart);
  onnx_attr_int(&attrs, "num_heads", H);
  put_f32(&m, "q", 5, DIMS(B, S, H, 3, D), packed);
  onnx_node(&m, "MultiHeadAttention", "q", "y", &attrs);
  expect_values(&m, "y", TN_DT_F32, 3, DIMS(B, S, W), want, 0);
}

static void turn(double *x, int d, const float *cos, const float *sin) {
  for (int i = 0; i < d / 2; ++i) {
    double a = x[i];
    double b = x[i + d / 2];
    x[i] = a * (double)cos[i] - b * (double)sin[i];
    x[i + d / 2] = b * (double)cos[i] + a * (double)sin[i];
  }
}

/* One step of decoding: sequences of different lengths in caches of one size, heads that share keys,
 * positions that turn. */
static void caches_may_be_filled_in_part(void **state) {
  (void)state;
  enum { P = 4, T = 5 };
  float q[B * W];
  float kv[2][B * D];
  float past[2][B * P * D];
  float table[2][8 * D / 2];
  static const int32_t last[B] = {4, 2}; /* keys - 1 */
  static const int32_t total = T;
  double want[B * W];
  double present[B * T * D];
  draw(q, B * W, 1);
  for (int p = 0; p < 2; ++p) {
    draw(kv[p], B * D, 2 + (uint64_t)p);
    draw(past[p], B * P * D, 4 + (uint64_t)p);
    draw(table[p], 8 * D / 2, 6 + (uint64_t)p);
  }
  for (int b = 0; b < B; ++b) {
    double all[2][T * D];
    bool sees[T];
    for (int i = 0; i < T * D; ++i) {
      int t = i / D;
      for (int p = 0; p < 2; ++p) {
        all[p][i] = t < last[b]    ? (double)past[p][b * P * D + i]
                    : t == last[b] ? (double)kv[p][b * D + i % D]
                                   : 0;
      }
      sees[t] = t <= last[b];
    }
    const float *cos = &table[0][last[b] * D / 2];
    const float *sin = &table[1][last[b] * D / 2];
    turn(&all[0][last[b] * D], D, cos, sin);
    memcpy(&present[b * T * D], all[0], sizeof all[0]);
    for (int h = 0; h < H; ++h) {
      double one[D];
      for (int e = 0; e < D; ++e) {
        one[e] = (double)q[b * W + h * D + e];
      }
      turn(one, D, cos, sin);
      attend(1, T, D, one, all[0], all[1], sees, &want[b * W + h * D]);
    }
  }
  for (int which = 0; which < 2; ++which) {
    onnx_model m = values_model(MS);
    tn_buf attrs = TN_BUF_INIT;
    onnx_attr_int(&attrs, "num_heads", H);
    onnx_attr_int(&attrs, "kv_num_heads", 1);
    onnx_attr_int(&attrs, "do_rotary", 1);
    put_f32(&m, "q", 3, DIMS(B, 1, W), q);
    put_f32(&m, "k", 3, DIMS(B, 1, D), kv[0]);
    put_f32(&m, "v", 3, DIMS(B, 1, D), kv[1]);
    put_f32(&m, "pk", 4, DIMS(B, 1, P, D), past[0]);
    put_f32(&m, "pv", 4, DIMS(B, 1, P, D), past[1]);
    put_i32(&m, "l", 1, DIMS(B), last);
    put_i32(&m, "t", 0, NULL, &total);
    put_f32(&m, "c", 2, DIMS(8, D / 2), table[0]);
    put_f32(&m, "s", 2, DIMS(8, D / 2), table[1]);
    onnx_node(&m, "GroupQueryAttention", "q k v pk pv l t c s", "y k1 v1", &attrs);
    if (which == 0) {
      expect_values(&m, "y", TN_DT_F32, 3, DIMS(B, 1, W), want, 1e-5);
    } else {
      expect_values(&m, "k1", TN_DT_F32, 4, DIMS(B, 1, T, D), present, 1e-6);
    }
  }
}

/* ---- norms, activations, quantised ---- */

static void skip_norms_add_before_they_normalise(void **state) {
  (void)state;
  float x[2][6];
  float gamma[3];
  double want[6];
  draw(x[0], 6, 1);
  draw(x[1], 6, 2);
  draw(gamma, 3, 3);
  for (int i = 0; i < 2; ++i) {
    double sum = 0;
    for (int e = 0; e < 3; ++e) {
      double v = (double)x[0][3 * i + e] + (double)x[1][3 * i + e];
      sum += v * v;
    }
    for (int e = 0; e < 3; ++e) {
      double v = (double)x[0][3 * i + e] + (double)x[1][3 * i + e];
      want[3 * i + e] = v / sqrt(sum / 3 + 1e-5) * (double)gamma[e];
    }
  }
  onnx_model m = values_model(MS);
  put_f32(&m, "x", 2, DIMS(2, 3), x[0]);
  put_f32(&m, "s", 2, DIMS(2, 3), x[1]);
  put_f32(&m, "g", 1, DIMS(3), gamma);
  onnx_node(&m, "SkipSimplifiedLayerNormalization", "x s g", "y", NULL);
  expect_values(&m, "y", TN_DT_F32, 2, DIMS(2, 3), want, 1e-6);
}

/* [1, 1, 2, 4] with 2 groups of the last dimension, then x * sigmoid(x) */
static void groups_of_the_last_dimension_are_normalised(void **state) {
  (void)state;
  float x[8];
  static const float gamma[4] = {1, 2, -1, 0.5f};
  static const float beta[4] = {0, 0.1f, 0.2f, 0.3f};
  double want[8];
  draw(x, 8, 9);
  for (int group = 0; group < 2; ++group) {
    double mean = 0;
    double variance = 0;
    for (int i = 0; i < 4; ++i) {
      mean += (double)x[i / 2 * 4 + 2 * group + i % 2] / 4;
    }
    for (int i = 0; i < 4; ++i) {
      double d = (double)x[i / 2 * 4 + 2 * group + i % 2] - mean;
      variance += d * d / 4;
    }
    for (int i = 0; i < 4; ++i) {
      int channel = 2 * group + i % 2;
      int at = i / 2 * 4 + channel;
      double y = ((double)x[at] - mean) / sqrt(variance + 1e-5) * (double)gamma[channel] +
                 (double)beta[channel];
      want[at] = y / (1 + exp(-y));
    }
  }
  onnx_model m = values_model(MS);
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_int(&attrs, "groups", 2);
  onnx_attr_int(&attrs, "activation", 1);
  put_f32(&m, "x", 4, DIMS(1, 1, 2, 4), x);
  put_f32(&m, "g", 1, DIMS(4), gamma);
  put_f32(&m, "b", 1, DIMS(4), beta);
  onnx_node(&m, "GroupNorm", "x g b", "y", &attrs);
  expect_values(&m, "y", TN_DT_F32, 4, DIMS(1, 1, 2, 4), want, 1e-5);
}

static void half_of_a_row_gates_the_other(void **state) {
  (void)state;
  static const float x[4] = {1, -2, 0.5f, 3};
  static const float bias[4] = {0.5f, 0, 1, -1};
  double want[2];
  for (int i = 0; i < 2; ++i) {
    double gate = (double)(x[2 + i] + bias[2 + i]);
    want[i] = (double)(x[i] + bias[i]) * gate * (1 + erf(gate / sqrt(2))) / 2;
  }
  onnx_model m = values_model(MS);
  put_f32(&m, "x", 3, DIMS(1, 1, 4), x);
  put_f32(&m, "b", 1, DIMS(4), bias);
  onnx_node(&m, "BiasSplitGelu", "x b", "y", NULL);
  expect_values(&m, "y", TN_DT_F32, 3, DIMS(1, 1, 2), want, 1e-6);
}

static void means_of_quantised_data_are_quantised(void **state) {
  (void)state;
  static const uint8_t x[6] = {10, 20, 40, 250, 3, 128};
  static const float scales[2] = {0.5f, 0.25f};
  static const uint8_t zeros[2] = {10, 4};
  double want[2];
  for (int i = 0; i < 2; ++i) {
    double mean = 0;
    for (int e = 0; e < 3; ++e) {
      mean += (x[3 * i + e] - 10) * 0.5 / 3;
    }
    want[i] = fmin(rint(mean / 0.25) + 4, 255);
  }
  onnx_model m = values_model(MS);
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_ints(&attrs, "axes", 1, DIMS(1));
  onnx_attr_int(&attrs, "keepdims", 0);
  put_u8(&m, "x", 2, DIMS(2, 3), x);
  put_f32(&m, "s", 0, NULL, scales);
  put_u8(&m, "z", 0, NULL, zeros);
  put_f32(&m, "t", 0, NULL, scales + 1);
  put_u8(&m, "u", 0, NULL, zeros + 1);
  onnx_node(&m, "QLinearReduceMean", "x s z t u", "y", &attrs);
  expect_values(&m, "y", TN_DT_U8, 1, DIMS(2), want, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(casts_to_narrow_types_follow_the_specification),
      cmocka_unit_test(a_scale_means_the_number_that_it_was_written_as),
      cmocka_unit_test(rows_of_blocks_are_counted_from_the_end_too),
      cmocka_unit_test(elements_of_2_bits_lie_four_to_a_byte),
      cmocka_unit_test(scales_may_stand_for_blocks),
      cmocka_unit_test(floats_are_quantised_by_conversion),
      cmocka_unit_test(weights_of_few_bits_are_unpacked),
      cmocka_unit_test(a_number_of_bits_that_there_is_not_is_refused),
      cmocka_unit_test(attention_makes_and_hides_its_keys),
      cmocka_unit_test(packed_heads_are_those_that_come_apart),
      cmocka_unit_test(caches_may_be_filled_in_part),
      cmocka_unit_test(skip_norms_add_before_they_normalise),
      cmocka_unit_test(groups_of_the_last_dimension_are_normalised),
      cmocka_unit_test(half_of_a_row_gates_the_other),
      cmocka_unit_test(means_of_quantised_data_are_quantised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
