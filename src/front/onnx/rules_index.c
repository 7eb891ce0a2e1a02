/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elements by their places: gathers, scatters, the first k, sums by letters. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/known.h"
#include "front/onnx/rules.h"

void tn_onnx_rule_gather_elements(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  tn_onnx_build b = tn_onnx_begin(c, "gather_elements");
  tn_onnx_set_int(&b, "axis", tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), tn_onnx_ndim(c, x)));
  tn_onnx_give(c, 0, tn_onnx_end2(&b, x, tn_onnx_in(c, 1)));
}

void tn_onnx_rule_gather_nd(tn_onnx_call *c) {
  tn_onnx_build b = tn_onnx_begin(c, "gather_nd");
  tn_onnx_set_int(&b, "batch_dims", tn_onnx_attr_int(c, "batch_dims", 0));
  tn_onnx_give(c, 0, tn_onnx_end2(&b, tn_onnx_in(c, 0), tn_onnx_in(c, 1)));
}

/* The first sequence_lens[b] elements of batch b come in reverse. */
void tn_onnx_rule_reverse_sequence(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *dims = tn_onnx_dims(c, x);
  int64_t batch = tn_onnx_attr_int(c, "batch_axis", 1);
  int64_t time = tn_onnx_attr_int(c, "time_axis", 0);
  if (c->st != NULL || (batch != 0 && batch != 1) || time != 1 - batch || dims->n_in < 2) {
    TN_ONNX_FAIL(c, TN_INVALID,
                 "batch_axis %" PRId64 " and time_axis %" PRId64
                 ", expected 0 and 1 in data of 2 dimensions or more",
                 batch, time);
    return;
  }
  const tn_node *lengths = tn_onnx_cast(c, tn_onnx_in(c, 1), TN_DT_I64);
  lengths = tn_onnx_stand(c, lengths, 2, (int32_t)batch);
  const tn_node *at = tn_onnx_stand(c, tn_onnx_counted(c, dims->in[time]), 2, (int32_t)time);
  const tn_node *last = tn_onnx_op2(c, "subtract", lengths, tn_onnx_scalar(c, TN_DT_I64, 1));
  const tn_node *from = tn_onnx_op3(c, "where", tn_onnx_op2(c, "less", at, lengths),
                                    tn_onnx_op2(c, "subtract", last, at), at);
  /* rows (batch, time) or (time, batch), which gather_nd looks up */
  const tn_node *wide[] = {dims->in[0], dims->in[1]};
  const tn_node *other = tn_onnx_counted(c, dims->in[batch]);
  const tn_node *places[2];
  places[time] = tn_onnx_broadcast(c, from, tn_list(c->ir, 2, wide));
  places[batch] =
      tn_onnx_broadcast(c, tn_onnx_stand(c, other, 2, (int32_t)batch), tn_list(c->ir, 2, wide));
  tn_onnx_build b = tn_onnx_begin(c, "stack");
  tn_onnx_set_int(&b, "axis", 2);
  const tn_node *rows = tn_onnx_end1(&b, tn_onnx_tuple(c, 2, places));
  tn_onnx_give(c, 0, tn_onnx_op2(c, "gather_nd", x, rows));
}

/* A scatter into x; bools meet as numbers. */
static void scatter(tn_onnx_call *c, tn_onnx_build *b) {
  const char *how = tn_onnx_attr_text(c, "reduction", "none");
  tn_dtype type = tn_onnx_type_of(c, tn_onnx_in(c, 0));
  bool replaces = strcmp(how, "none") == 0;
  tn_dtype in = type == TN_DT_BOOL && !replaces ? TN_DT_U8 : type;
  const tn_node *args[] = {tn_onnx_cast(c, tn_onnx_in(c, 0), in), tn_onnx_in(c, 1),
                           tn_onnx_cast(c, tn_onnx_in(c, 2), in)};
  tn_onnx_set_text(b, "reduction", replaces ? "update" : how);
  tn_onnx_give(c, 0, tn_onnx_cast(c, tn_onnx_end(b, 3, args), type));
}

void tn_onnx_rule_scatter_elements(tn_onnx_call *c) {
  int32_t ndim = tn_onnx_ndim(c, tn_onnx_in(c, 0));
  tn_onnx_build b = tn_onnx_begin(c, "scatter_elements");
  tn_onnx_set_int(&b, "axis", tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), ndim));
  scatter(c, &b);
}

void tn_onnx_rule_scatter_nd(tn_onnx_call *c) {
  tn_onnx_build b = tn_onnx_begin(c, "scatter_nd");
  scatter(c, &b);
}

/* k is an attribute up to opset 9. */
void tn_onnx_rule_topk(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  int64_t k = tn_onnx_attr_int(c, "k", 0);
  if (c->version >= 10 && !tn_onnx_is_fixed(c, tn_onnx_in(c, 1))) {
    int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", -1), tn_onnx_ndim(c, x));
    tn_onnx_topk_dynamic(c, x, axis, tn_onnx_in(c, 1));
    return;
  }
  if (c->version >= 10) {
    tn_onnx_i64s given = tn_onnx_numbers(c, tn_onnx_in(c, 1), "k");
    k = given.len == 1 ? given.data[0] : -1;
  }
  if (k < 0) {
    TN_ONNX_FAIL(c, TN_INVALID, "k is %" PRId64, k);
  }
  tn_onnx_build b = tn_onnx_begin(c, "topk");
  tn_onnx_set_int(&b, "k", k);
  tn_onnx_set_int(&b, "axis", tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", -1), tn_onnx_ndim(c, x)));
  tn_onnx_set_bool(&b, "largest", tn_onnx_attr_int(c, "largest", 1) != 0);
  tn_onnx_set_dtype(&b, "dtype", TN_DT_I64);
  const tn_node *both = tn_onnx_end1(&b, x);
  tn_onnx_give(c, 0, tn_onnx_item(c, both, 0));
  tn_onnx_give(c, 1, tn_onnx_item(c, both, 1));
}

void tn_onnx_rule_einsum(tn_onnx_call *c) {
  for (uint32_t i = 0; i < c->n_in; ++i) {
    (void)tn_onnx_in(c, i);
  }
  tn_onnx_build b = tn_onnx_begin(c, "einsum");
  tn_onnx_set_text(&b, "subscripts", tn_onnx_attr_text(c, "equation", ""));
  tn_onnx_give(c, 0, c->st != NULL ? NULL : tn_onnx_end1(&b, tn_onnx_tuple(c, c->n_in, c->in)));
}
