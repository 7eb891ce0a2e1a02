/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the attentions of com.microsoft share (rules_contrib_attention.c). */
#ifndef TN_FRONT_ONNX_CONTRIB_H
#define TN_FRONT_ONNX_CONTRIB_H

#include "front/onnx/build.h"

typedef struct tn_onnx_attend {
  const tn_node *q;     /* [B, H, S, D] */
  const tn_node *k;     /* [B, KH, T, D] */
  const tn_node *v;     /* [B, KH, T, E] */
  const tn_node *hides; /* broadcasts with [B, H, S, T]: 0, or what hides; NULL: nothing */
  const tn_node *bias;  /* the same, added */
  const tn_node *sink;  /* broadcasts with [B, H, S, 1]: a share of no value; NULL: none */
  double scale;         /* 0: 1 / sqrt(D) */
} tn_onnx_attend;

/// softmax(softcap(q k^T scale) + bias + hides) v as [B, S, H * E], of q's type; softcap is the
/// node's attribute.
const tn_node *tn_onnx_attended(tn_onnx_call *c, const tn_onnx_attend *a);
/// What hides: query i, which is number first[b] + i, sees the keys up to itself, of which there are
/// n (NULL: all); window > 0: so many of them. first, n: scalars or [B, 1, 1, 1], int64.
const tn_node *tn_onnx_causal(tn_onnx_call *c, const tn_onnx_attend *a, const tn_node *first,
                              const tn_node *n, int64_t window);
/// [B, N, P, D] and [B, N, S, D] as [B, N, P + S, D].
const tn_node *tn_onnx_after(tn_onnx_call *c, const tn_node *past, const tn_node *now);
/// x with these extents, NULL: any. Where only the run knows whether an extent is right, it is
/// checked then; 1 stays 1.
const tn_node *tn_onnx_fitted(tn_onnx_call *c, const tn_node *x, uint32_t n,
                              const tn_node *const *want);
/// A vector as int64 [B, 1, 1, 1].
const tn_node *tn_onnx_by_batch(tn_onnx_call *c, const tn_node *x);

const tn_node *tn_onnx_f32(tn_onnx_call *c, double value);
/// a + b, or the one that is not NULL.
const tn_node *tn_onnx_plus(tn_onnx_call *c, const tn_node *a, const tn_node *b);
const tn_node *tn_onnx_reshaped(tn_onnx_call *c, const tn_node *x, uint32_t n,
                                const tn_node *const *dims);
/// Extent i of the LIST as a number; an error and 1 where it is none.
int64_t tn_onnx_extent(tn_onnx_call *c, const tn_node *dims, uint32_t i, const char *what);
/// An attribute that counts heads: an error and 1 where it is below 1.
int64_t tn_onnx_heads_attr(tn_onnx_call *c, const char *name);

#endif
