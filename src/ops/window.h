/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What convolutions and poolings share: layouts, and windows that slide over spatial dimensions. */
#ifndef TN_OPS_WINDOW_H
#define TN_OPS_WINDOW_H

#include "ops/kernel.h"

enum { TN_MAX_SPATIAL = 3 };

/// Where the dimensions stand: at[0], at[1]: the two letters asked for, then D, H, W as many as
/// there are.
typedef struct tn_layout {
  int32_t n_spatial;
  int32_t at[2 + TN_MAX_SPATIAL];
} tn_layout;

/// letters: "NC" or "OI". An empty text is the plain order: NCHW, OIHW. UNSUPPORTED for a layout
/// that is no order of these letters.
TN_MUST_USE tn_status tn_layout_read(const char *text, const char *letters, int32_t n_spatial,
                                     tn_layout *out);

/// Strides, dilations, padding before and after, for each spatial dimension.
typedef struct tn_window {
  int32_t n;
  int64_t stride[TN_MAX_SPATIAL];
  int64_t dilation[TN_MAX_SPATIAL];
  int64_t before[TN_MAX_SPATIAL];
  int64_t after[TN_MAX_SPATIAL];
  bool is_ceil; /* a last window that is not full counts */
} tn_window;

/// Reads the fields with these numbers. A single number stands for all dimensions; padding may be
/// one, one a dimension, or all before then all after.
TN_MUST_USE tn_status tn_window_read(const tn_node *call, int32_t n, int32_t strides,
                                     int32_t padding, int32_t dilation, tn_window *out);
/// As many numbers as there are dimensions from a field, each at least `least`.
TN_MUST_USE tn_status tn_window_ints(const tn_node *call, int32_t field, int32_t n, int64_t least,
                                     int64_t otherwise, int64_t *out);
/// How many windows of extent `kernel` there are along dimension d of extent `input`. INVALID when
/// not even one fits.
TN_MUST_USE tn_status tn_window_count(tn_ir *ir, const tn_window *w, int32_t d,
                                      const tn_node *input, const tn_node *kernel,
                                      const tn_node **out);
/// The same on numbers.
int64_t tn_window_count_i64(const tn_window *w, int32_t d, int64_t input, int64_t kernel);
/// The input's index of tap `tap` of window `at`: at * stride + tap * dilation - padding.
const tn_node *tn_window_index(tn_kernel *k, const tn_window *w, int32_t d, const tn_node *at,
                               const tn_node *tap, bool is_padded);
bool tn_window_has_padding(const tn_window *w);
/// A copy of the data with `value` around it, as far as windows reach: the indices of
/// tn_window_index with is_padded.
const tn_node *tn_window_pad(tn_kernel *k, const tn_window *w, const tn_layout *layout,
                             const tn_node *x, const tn_node *value);

/// Element number `i` of an array as coordinates, and back.
void tn_unravel(const tn_array *x, int64_t i, int64_t *out);
int64_t tn_ravel(const tn_array *x, const int64_t *at);
/// Copies an element as it is, whatever the type that both arrays have.
void tn_copy_element(const tn_array *from, int64_t i, tn_array *to, int64_t j);

/// The extents of several arrays broadcast together; INVALID names those that disagree.
TN_MUST_USE tn_status tn_op_join_extents(const tn_array *const *args, int32_t n_args,
                                         int64_t *shape, int32_t *out_n);
/// Which element of `x` stands at `at` after broadcasting to n_dims dimensions.
int64_t tn_op_broadcast_place(const tn_array *x, const int64_t *at, int32_t n_dims);

/* ---- computed places ---- */

/// Element `i` of an array of indices as a place along an axis: below 0 it counts from the end, and
/// what is out of range is the nearest end.
int64_t tn_op_wrapped(const tn_array *indices, int64_t i, int64_t extent);
/// The same in a loop form: int64.
const tn_node *tn_kernel_wrapped(tn_kernel *k, const tn_node *index, const tn_node *extent);
/// Indices of the shape `small` walk over a tensor of the shape `large`: INVALID where a known extent
/// but that of dimension `but` is larger there; shapes: LISTs or NULL.
TN_MUST_USE tn_status tn_op_fits_within(const tn_node *small, const tn_node *large, int64_t but);
/// Keeps places of tensor `small` inside tensor `large` in the dimensions whose extents are known
/// only when the program runs.
void tn_kernel_keep_within(tn_kernel *k, const tn_node *small, const tn_node *large, int64_t but,
                           const tn_node **at);
/// INVALID unless the dtype, where it is known, is an integer type.
TN_MUST_USE tn_status tn_op_want_integers(const tn_node *type, const char *what);

#endif
