/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* einsum: a sum of products named by letters, "ij,jk->ik"; "..." stands for dimensions that
 * broadcast. Without "->" the result has those of "..." and then, in alphabetical order, the letters
 * that are there once. Loop form: one block, whose axes are the letters of the result, and the other
 * letters its reduce axes. */
#include <inttypes.h>

#include "ops/families.h"
#include "ops/window.h"

enum { MAX_OPERANDS = 16, N_LETTERS = 52, MAX_LABELS = N_LETTERS + TN_MAX_NDIM };

/* Labels: letters, then the dimensions of "...", counted from the last: N_LETTERS + 0 is that. */
typedef struct einsum {
  uint32_t n_operands;
  uint32_t n_dims[MAX_OPERANDS];
  uint8_t labels[MAX_OPERANDS][TN_MAX_NDIM];
  uint32_t n_out;
  uint8_t out[TN_MAX_NDIM];
  uint32_t n_reduced;
  uint8_t reduced[MAX_LABELS];
  uint32_t n_uses[MAX_LABELS]; /* among the operands */
  uint32_t n_dots;             /* most dimensions that "..." stands for */
} einsum;

static int label_of(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

/* Reads one term of letters and dots, up to ',', '-' or the end. rank: of the operand; -1: the
 * result, in which "..." stands for all there are. */
static tn_status read_term(const char **p, int64_t rank, uint32_t n_dots, uint8_t *labels,
                           uint32_t *out_n, uint32_t *out_dots) {
  uint32_t n_letters = 0;
  uint32_t n = 0;
  bool has_dots = false;
  for (const char *q = *p; *q != '\0' && *q != ',' && *q != '-'; ++q) {
    n_letters += label_of(*q) >= 0 ? 1 : 0;
  }
  if (n_letters > TN_MAX_NDIM || (rank >= 0 && n_letters > rank)) {
    return TN_ERR(TN_INVALID, "%u letters for %" PRId64 " dimensions", n_letters, rank);
  }
  uint32_t dots = rank < 0 ? n_dots : (uint32_t)rank - n_letters;
  for (; **p != '\0' && **p != ',' && **p != '-'; ++*p) {
    if (label_of(**p) >= 0) {
      labels[n++] = (uint8_t)label_of(**p);
    } else if (strncmp(*p, "...", 3) == 0 && !has_dots && n_letters + dots <= TN_MAX_NDIM) {
      for (uint32_t d = dots; d-- > 0;) {
        labels[n++] = (uint8_t)(N_LETTERS + d);
      }
      has_dots = true;
      *p += 2;
    } else if (**p != ' ') {
      return TN_ERR(TN_INVALID, "subscripts with '%c' where a letter or '...' should be", **p);
    }
  }
  if (rank >= 0 && n != rank) {
    return TN_ERR(TN_INVALID, "%u letters for %" PRId64 " dimensions", n, rank);
  }
  *out_n = n;
  *out_dots = has_dots ? dots : 0;
  return NULL;
}

/* The result of subscripts without "->". */
static tn_status implied_result(einsum *e) {
  for (uint32_t d = e->n_dots; d-- > 0;) {
    e->out[e->n_out++] = (uint8_t)(N_LETTERS + d);
  }
  for (int label = 0; label < N_LETTERS; ++label) {
    if (e->n_uses[label] == 1) {
      if (e->n_out == TN_MAX_NDIM) {
        return TN_ERR(TN_UNSUPPORTED, "a result of more than %d dimensions", (int)TN_MAX_NDIM);
      }
      e->out[e->n_out++] = (uint8_t)label;
    }
  }
  return NULL;
}

static tn_status finish(einsum *e) {
  bool is_out[MAX_LABELS] = {false};
  for (uint32_t i = 0; i < e->n_out; ++i) {
    if (e->n_uses[e->out[i]] == 0 || is_out[e->out[i]]) {
      return TN_ERR(TN_INVALID, "a letter of the result is there twice or in no operand");
    }
    is_out[e->out[i]] = true;
  }
  for (uint32_t label = 0; label < MAX_LABELS; ++label) {
    if (e->n_uses[label] > 0 && !is_out[label]) {
      e->reduced[e->n_reduced++] = (uint8_t)label;
    }
  }
  return e->n_out + e->n_reduced > TN_MAX_NDIM
             ? TN_ERR(TN_UNSUPPORTED, "more than %d letters", (int)TN_MAX_NDIM)
             : NULL;
}

static tn_status read_einsum(const char *text, uint32_t n_operands, const int64_t *ranks,
                             einsum *out) {
  einsum e = {.n_operands = n_operands};
  uint32_t dots = 0;
  if (n_operands > MAX_OPERANDS) {
    return TN_ERR(TN_UNSUPPORTED, "%u operands", n_operands);
  }
  for (uint32_t i = 0; i < n_operands; ++i) {
    TN_TRY(read_term(&text, ranks[i], 0, e.labels[i], &e.n_dims[i], &dots));
    e.n_dots = dots > e.n_dots ? dots : e.n_dots;
    for (uint32_t d = 0; d < e.n_dims[i]; ++d) {
      ++e.n_uses[e.labels[i][d]];
    }
    if ((*text == ',') != (i + 1 < n_operands)) {
      return TN_ERR(TN_INVALID, "the subscripts name not as many operands as the %u there are",
                    n_operands);
    }
    text += *text == ',' ? 1 : 0;
  }
  if (*text == '\0') {
    TN_TRY(implied_result(&e));
  } else if (text[1] != '>') {
    return TN_ERR(TN_INVALID, "subscripts with '-' but no '->'");
  } else {
    text += 2;
    TN_TRY(read_term(&text, -1, e.n_dots, e.out, &e.n_out, &dots));
    if (*text != '\0') {
      return TN_ERR(TN_INVALID, "subscripts with '%c' in the result", *text);
    }
  }
  TN_TRY(finish(&e));
  *out = e;
  return NULL;
}

/* ---- type ---- */

/* The extent of every label. */
static tn_status label_extents(tn_ir *ir, const einsum *e, const tn_node *tuple,
                               const tn_node **extents) {
  for (uint32_t i = 0; i < e->n_operands; ++i) {
    for (uint32_t d = 0; d < e->n_dims[i]; ++d) {
      const tn_node *dim = tn_op_shape(tuple->in[i])->in[d];
      const tn_node **have = &extents[e->labels[i][d]];
      if (*have == NULL || tn_is_int(*have, 1)) {
        *have = dim;
      } else if (!tn_is_int(dim, 1)) {
        TN_TRY(tn_op_same_extent(ir, *have, "a letter", dim, "elsewhere"));
      }
    }
  }
  return NULL;
}

tn_status tn_op_infer_einsum(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *tuple = NULL;
  const tn_node *extents[MAX_LABELS] = {NULL};
  const tn_node *dims[TN_MAX_NDIM];
  int64_t ranks[MAX_OPERANDS];
  einsum e;
  TN_TRY(tn_op_tuple_type(ctx, call, 0, &tuple));
  for (uint32_t i = 0; i < tuple->n_in; ++i) {
    TN_TRY(tn_op_same_dtype(tuple->in[0], tuple->in[i]));
    if (i >= MAX_OPERANDS || tn_op_shape(tuple->in[i]) == NULL ||
        tuple->in[i]->attr.i64 > TN_MAX_NDIM) {
      *out_type = tn_ty_tensor(ctx->ir, tuple->in[0]->dtype, -1, NULL);
      return NULL;
    }
    ranks[i] = tuple->in[i]->attr.i64;
  }
  if (tn_dtype_is_bool(tuple->in[0]->dtype)) {
    return TN_ERR(TN_INVALID, "the operands have type bool, expected numbers");
  }
  TN_TRY(read_einsum(tn_op_text(call, 0), tuple->n_in, ranks, &e));
  TN_TRY(label_extents(ctx->ir, &e, tuple, extents));
  for (uint32_t i = 0; i < e.n_out; ++i) {
    dims[i] = extents[e.out[i]];
  }
  *out_type = tn_ty_tensor(ctx->ir, tuple->in[0]->dtype, e.n_out, tn_list(ctx->ir, e.n_out, dims));
  return NULL;
}

/* ---- reference ---- */

static int64_t place_of(const tn_array *x, const uint8_t *labels, const int64_t *at) {
  int64_t place = 0;
  for (int32_t d = 0; d < x->ndim; ++d) {
    place = place * x->shape[d] + (x->shape[d] == 1 ? 0 : at[labels[d]]);
  }
  return place;
}

/* The sum of the products at the result's place that `at` holds. */
static void sum_products(const einsum *e, const tn_array *const *args, const int64_t *extents,
                         int64_t *at, tn_array *out, int64_t i) {
  double sum = 0;
  uint64_t isum = 0;
  int64_t n = 1;
  for (uint32_t r = 0; r < e->n_reduced; ++r) {
    n *= extents[e->reduced[r]];
  }
  for (int64_t s = 0; s < n; ++s) {
    double product = 1;
    uint64_t iproduct = 1;
    int64_t rest = s;
    for (uint32_t r = e->n_reduced; r-- > 0;) {
      at[e->reduced[r]] = rest % extents[e->reduced[r]];
      rest /= extents[e->reduced[r]];
    }
    for (uint32_t a = 0; a < e->n_operands; ++a) {
      int64_t place = place_of(args[a], e->labels[a], at);
      product *= tn_array_get_f64(args[a], place);
      iproduct *= (uint64_t)tn_array_get_i64(args[a], place);
    }
    sum += product;
    isum += iproduct;
  }
  if (tn_dtype_is_float(out->dtype)) {
    tn_array_set_f64(out, i, sum);
  } else {
    tn_array_set_i64(out, i, (int64_t)isum);
  }
}

tn_status tn_op_eval_einsum(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  int64_t ranks[MAX_OPERANDS];
  int64_t extents[MAX_LABELS];
  int64_t at[MAX_LABELS] = {0};
  int64_t shape[TN_MAX_NDIM];
  int64_t place[TN_MAX_NDIM];
  einsum e;
  for (int32_t i = 0; i < n_args; ++i) {
    if (args[i] == NULL || n_args > MAX_OPERANDS || args[i]->dtype != args[0]->dtype) {
      return TN_ERR(TN_INVALID, "expected tensors of one type");
    }
    ranks[i] = args[i]->ndim;
  }
  TN_TRY(read_einsum(tn_op_text(call, 0), (uint32_t)n_args, ranks, &e));
  for (uint32_t label = 0; label < MAX_LABELS; ++label) {
    extents[label] = 1;
  }
  for (uint32_t i = 0; i < e.n_operands; ++i) {
    for (uint32_t d = 0; d < e.n_dims[i]; ++d) {
      int64_t *have = &extents[e.labels[i][d]];
      if (*have != 1 && args[i]->shape[d] != 1 && *have != args[i]->shape[d]) {
        return TN_ERR(TN_INVALID, "a letter has the extents %" PRId64 " and %" PRId64, *have,
                      args[i]->shape[d]);
      }
      *have = *have == 1 ? args[i]->shape[d] : *have;
    }
  }
  for (uint32_t i = 0; i < e.n_out; ++i) {
    shape[i] = extents[e.out[i]];
  }
  TN_TRY(tn_array_init(out, args[0]->dtype, (int32_t)e.n_out, shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    tn_unravel(out, i, place);
    for (uint32_t d = 0; d < e.n_out; ++d) {
      at[e.out[d]] = place[d];
    }
    sum_products(&e, args, extents, at, out, i);
  }
  return NULL;
}

/* ---- loop form ---- */

static tn_status build_einsum(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *operands[MAX_OPERANDS];
  const tn_node *extents[MAX_LABELS] = {NULL};
  const tn_node *reduce[TN_MAX_NDIM];
  const tn_node *axis[MAX_LABELS] = {NULL};
  const tn_node *at[TN_MAX_NDIM];
  const tn_node *product = NULL;
  int64_t ranks[MAX_OPERANDS];
  einsum e;
  uint32_t n = (uint32_t)k->buffers.len;
  for (uint32_t i = 0; i < n && n <= MAX_OPERANDS; ++i) {
    operands[i] = k->buffers.data[i];
    ranks[i] = tn_buffer_ndim(operands[i]);
  }
  TN_TRY(read_einsum(tn_op_text(k->call, 0), n, ranks, &e));
  TN_TRY(tn_kernel_result(k, type, &out));
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t d = 0; d < e.n_dims[i]; ++d) {
      const tn_node **have = &extents[e.labels[i][d]];
      bool is_open = *have == NULL || tn_is_int(*have, 1);
      *have = is_open ? operands[i]->in[TN_BUFFER_SHAPE]->in[d] : *have;
    }
  }
  for (uint32_t r = 0; r < e.n_reduced; ++r) {
    reduce[r] = extents[e.reduced[r]];
  }
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_einsum", shape->n_in, shape->in, e.n_reduced, reduce);
  for (uint32_t i = 0; i < e.n_out + e.n_reduced; ++i) {
    axis[i < e.n_out ? e.out[i] : e.reduced[i - e.n_out]] = k->axes[i];
  }
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t d = 0; d < e.n_dims[i]; ++d) {
      bool is_one = tn_is_int(operands[i]->in[TN_BUFFER_SHAPE]->in[d], 1);
      at[d] = is_one ? tn_int(k->ir, TN_DT_I64, 0) : axis[e.labels[i][d]];
    }
    const tn_node *value = tn_te_load(k->te, operands[i], at);
    product = product == NULL ? value : tn_te_mul(k->te, product, value);
  }
  if (e.n_reduced == 0) {
    tn_te_end_into(k->te, out, k->axes, product, NULL);
  } else {
    tn_te_end_reduce_into(k->te, TN_TE_SUM, out, k->axes, product);
  }
  return NULL;
}

tn_status tn_op_lower_einsum(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "einsum", build_einsum, out_func);
}
