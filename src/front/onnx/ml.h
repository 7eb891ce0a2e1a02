/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the rules of ai.onnx.ml share: lists of attributes, what is done to scores at the end, and
 * class labels. */
#ifndef TN_FRONT_ONNX_ML_H
#define TN_FRONT_ONNX_ML_H

#include "front/onnx/build.h"

/// A list of numbers of the arena; data NULL: not given.
typedef struct tn_onnx_f64s {
  double *data;
  size_t len;
} tn_onnx_f64s;
/// The attribute of floats `name`, or the tensor `name`_as_tensor.
tn_onnx_f64s tn_onnx_attr_numbers(tn_onnx_call *c, const char *name);
/// A constant with these values. dims: as many as there are values.
const tn_node *tn_onnx_numbers_const(tn_onnx_call *c, tn_dtype dtype, int32_t ndim,
                                     const int64_t *dims, const double *values);
static inline const tn_node *tn_onnx_numbers_vector(tn_onnx_call *c, tn_dtype dtype,
                                                    tn_onnx_f64s values) {
  int64_t n = (int64_t)values.len;
  return tn_onnx_numbers_const(c, dtype, 1, &n, values.data);
}

/// x as a matrix of floats: [N, F]; a vector is one row. Integers become float64, which holds them
/// (up to 2^53); float16 becomes float32.
const tn_node *tn_onnx_ml_rows(tn_onnx_call *c, const tn_node *x);

/// The number of an attribute post_transform: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT.
typedef enum tn_onnx_post {
  TN_ONNX_POST_NONE,
  TN_ONNX_POST_SOFTMAX,
  TN_ONNX_POST_LOGISTIC,
  TN_ONNX_POST_SOFTMAX_ZERO,
  TN_ONNX_POST_PROBIT
} tn_onnx_post;
tn_onnx_post tn_onnx_post_attr(tn_onnx_call *c);
/// scores: [N, C]
const tn_node *tn_onnx_post_apply(tn_onnx_call *c, const tn_node *scores, tn_onnx_post post);

/// Class labels of an attribute of integers, or of texts, which no tensor of ours holds.
typedef struct tn_onnx_labels {
  tn_onnx_i64s numbers;
  size_t n;
  bool are_texts;
} tn_onnx_labels;
/// numbers, texts: names of the attributes.
tn_onnx_labels tn_onnx_labels_attr(tn_onnx_call *c, const char *numbers, const char *texts);
/// Output 0: the label at each index (int64 [N]). UNSUPPORTED where labels are texts and somebody
/// reads them; then the index alone would be another answer.
void tn_onnx_give_label(tn_onnx_call *c, const tn_onnx_labels *labels, const tn_node *index);
/// The place of the first largest score of each row.
const tn_node *tn_onnx_best_class(tn_onnx_call *c, const tn_node *scores);
/// Output 0 where one column s tells between two classes: the second where it is above the limit.
void tn_onnx_give_second_above(tn_onnx_call *c, const tn_node *s, double limit,
                               const tn_onnx_labels *labels);
/// [N, 2] of one column s of the second class: the other is 1 - s (a probability, or whatever was
/// not made to be one: ONNX Runtime's rule) or -s; softmaxes leave both as they are.
const tn_node *tn_onnx_two_from_one(tn_onnx_call *c, const tn_node *s, bool is_probability);

#endif
