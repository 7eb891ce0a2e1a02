/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* matmul: the last two dimensions are matrices, those before broadcast; an operand of one dimension
 * is a row (left) or column (right) whose dimension the result does not have. Sums are in
 * out_dtype, the reference's in float64. */
#include <inttypes.h>

#include "base/check.h"
#include "ops/families.h"
#include "ops/kernel.h"

static tn_status result_dtype(const tn_node *call, tn_dtype operand, tn_dtype *out) {
  const tn_node *field = tn_call_field(call, 0);
  *out = operand;
  if (field == NULL) {
    return NULL;
  }
  if (field->op == TN_OP_DTYPE) {
    *out = (tn_dtype)field->attr.i64;
    return NULL;
  }
  if (field->op == TN_OP_STR && tn_dtype_parse(field->attr.text, strlen(field->attr.text), out)) {
    return NULL;
  }
  return TN_ERR(TN_INVALID, "'out_dtype' names no element type");
}

static tn_status check_inner(tn_ir *ir, const tn_node *a, const tn_node *b) {
  if (tn_dim_compare(ir, a, b) != TN_DIM_DIFFERENT) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_dim_print(a, &text);
  tn_buf_puts(&text, " columns on the left, ");
  tn_dim_print(b, &text);
  tn_status st = TN_ERR(TN_INVALID, "%s rows on the right", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

/* Batch dimensions as a type of their own, for the broadcast rule. */
static const tn_node *batch_type(tn_ir *ir, const tn_node *type) {
  const tn_node *shape = tn_op_shape(type);
  uint32_t n = shape->n_in > 2 ? shape->n_in - 2 : 0;
  return tn_ty_tensor(ir, type->dtype, n, tn_list(ir, n, shape->in));
}

static tn_status infer_known(tn_ir *ir, const tn_node *a, const tn_node *b, tn_dtype dtype,
                             const tn_node **out) {
  const tn_node *sa = tn_op_shape(a);
  const tn_node *sb = tn_op_shape(b);
  const tn_node *batch = NULL;
  int64_t n_batch = 0;
  bool is_row = sa->n_in == 1;
  bool is_column = sb->n_in == 1;
  TN_TRY(check_inner(ir, sa->in[sa->n_in - 1], sb->in[is_column ? 0 : sb->n_in - 2]));
  TN_TRY(tn_op_broadcast(ir, "matmul", batch_type(ir, a), batch_type(ir, b), &n_batch, &batch));
  int64_t ndim = n_batch + (is_row ? 0 : 1) + (is_column ? 0 : 1);
  if (batch == NULL || ndim > TN_MAX_NDIM) {
    *out = tn_ty_tensor(ir, dtype, ndim, NULL);
    return NULL;
  }
  const tn_node *dims[TN_MAX_NDIM];
  uint32_t n = 0;
  for (; n < batch->n_in; ++n) {
    dims[n] = batch->in[n];
  }
  if (!is_row) {
    dims[n++] = sa->in[sa->n_in - 2];
  }
  if (!is_column) {
    dims[n++] = sb->in[sb->n_in - 1];
  }
  *out = tn_ty_tensor(ir, dtype, n, tn_list(ir, n, dims));
  return NULL;
}

tn_status tn_op_infer_matmul(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *a = NULL;
  const tn_node *b = NULL;
  tn_dtype dtype = TN_DT_NONE;
  char ta[TN_DTYPE_TEXT_BYTES];
  char tb[TN_DTYPE_TEXT_BYTES];
  TN_TRY(tn_op_arg_type(ctx, call, 0, &a));
  TN_TRY(tn_op_arg_type(ctx, call, 1, &b));
  if (a->dtype != b->dtype && a->dtype != TN_DT_NONE && b->dtype != TN_DT_NONE) {
    return TN_ERR(TN_INVALID, "the operands have types %s and %s", tn_dtype_print(a->dtype, ta),
                  tn_dtype_print(b->dtype, tb));
  }
  if (a->attr.i64 == 0 || b->attr.i64 == 0) {
    return TN_ERR(TN_INVALID, "an operand of matmul has no dimensions");
  }
  TN_TRY(result_dtype(call, a->dtype != TN_DT_NONE ? a->dtype : b->dtype, &dtype));
  if (tn_op_shape(a) == NULL || tn_op_shape(b) == NULL) {
    *out_type = tn_ty_tensor(ctx->ir, dtype, -1, NULL);
    return NULL;
  }
  return infer_known(ctx->ir, a, b, dtype, out_type);
}

/* ---- reference ---- */

typedef struct product {
  const tn_array *a;
  const tn_array *b;
  int64_t rows;
  int64_t inner;
  int64_t columns;
  int32_t n_batch;            /* batch dimensions of the result */
  int64_t shape[TN_MAX_NDIM]; /* of the result */
  int32_t ndim;
} product;

static int64_t batch_extent(const tn_array *x, int32_t from_end) {
  int32_t d = x->ndim - 2 - from_end;
  return d >= 0 ? x->shape[d] : 1;
}

static tn_status plan_product(product *p) {
  bool is_row = p->a->ndim == 1;
  bool is_column = p->b->ndim == 1;
  int32_t na = p->a->ndim > 2 ? p->a->ndim - 2 : 0;
  int32_t nb = p->b->ndim > 2 ? p->b->ndim - 2 : 0;
  p->rows = is_row ? 1 : p->a->shape[p->a->ndim - 2];
  p->inner = p->a->shape[p->a->ndim - 1];
  p->columns = is_column ? 1 : p->b->shape[p->b->ndim - 1];
  p->n_batch = na > nb ? na : nb;
  if (p->b->shape[is_column ? 0 : p->b->ndim - 2] != p->inner) {
    return TN_ERR(TN_INVALID, "the inner extents of matmul differ");
  }
  for (int32_t d = 1; d <= p->n_batch; ++d) {
    int64_t da = batch_extent(p->a, d);
    int64_t db = batch_extent(p->b, d);
    if (da != db && da != 1 && db != 1) {
      return TN_ERR(TN_INVALID, "the batch extents %" PRId64 " and %" PRId64 " do not broadcast",
                    da, db);
    }
    p->shape[p->n_batch - d] = da == 1 ? db : da;
  }
  p->ndim = p->n_batch;
  if (!is_row) {
    p->shape[p->ndim++] = p->rows;
  }
  if (!is_column) {
    p->shape[p->ndim++] = p->columns;
  }
  return NULL;
}

/* First element of the matrix that batch number `batch` of the result takes from an operand. */
static int64_t matrix_at(const product *p, const tn_array *x, int64_t batch, int64_t n_matrix) {
  int64_t at = 0;
  int64_t stride = n_matrix;
  for (int32_t d = 1; d <= p->n_batch; ++d) {
    int64_t extent = p->shape[p->n_batch - d];
    int64_t have = batch_extent(x, d);
    at += have == 1 ? 0 : batch % extent * stride;
    stride *= have;
    batch /= extent;
  }
  return at;
}

static void eval_element(const product *p, int64_t a_at, int64_t b_at, int64_t i, tn_array *out) {
  if (tn_dtype_is_float(out->dtype)) {
    double sum = 0;
    for (int64_t k = 0; k < p->inner; ++k) {
      sum += tn_array_get_f64(p->a, a_at + k) * tn_array_get_f64(p->b, b_at + k * p->columns);
    }
    tn_array_set_f64(out, i, sum);
    return;
  }
  uint64_t sum = 0;
  for (int64_t k = 0; k < p->inner; ++k) {
    sum += (uint64_t)tn_array_get_i64(p->a, a_at + k) *
           (uint64_t)tn_array_get_i64(p->b, b_at + k * p->columns);
  }
  tn_array_set_i64(out, i, (int64_t)sum);
}

tn_status tn_op_eval_matmul(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  if (n_args != 2 || args[0] == NULL || args[1] == NULL || args[0]->ndim == 0 ||
      args[1]->ndim == 0) {
    return TN_ERR(TN_INVALID, "expected two tensors with dimensions");
  }
  product p = {.a = args[0], .b = args[1]};
  tn_dtype dtype = TN_DT_NONE;
  TN_TRY(plan_product(&p));
  TN_TRY(result_dtype(call, args[0]->dtype, &dtype));
  TN_TRY(tn_array_init(out, dtype, p.ndim, p.shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    int64_t column = i % p.columns;
    int64_t row = i / p.columns % p.rows;
    int64_t batch = i / p.columns / p.rows;
    int64_t a_at = matrix_at(&p, p.a, batch, p.rows * p.inner) + row * p.inner;
    int64_t b_at = matrix_at(&p, p.b, batch, p.inner * p.columns) + column;
    eval_element(&p, a_at, b_at, i, out);
  }
  return NULL;
}

/* ---- loop-level form ---- */

/* Batch indices of an operand: the last of the batch axes, 0 where its extent is 1. */
static uint32_t batch_indices(const tn_kernel *k, const tn_node *buffer, uint32_t n_batch,
                              const tn_node **indices) {
  uint32_t ndim = tn_buffer_ndim(buffer);
  uint32_t n = ndim > 2 ? ndim - 2 : 0;
  for (uint32_t i = 0; i < n; ++i) {
    bool is_one = tn_is_int(buffer->in[TN_BUFFER_SHAPE]->in[i], 1);
    indices[i] = is_one ? tn_int(k->ir, TN_DT_I64, 0) : k->axes[n_batch - n + i];
  }
  return n;
}

static tn_status build_matmul(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  TN_TRY(tn_kernel_result(k, type, &out));
  const tn_node *a = k->buffers.data[0];
  const tn_node *b = k->buffers.data[1];
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  bool is_row = tn_buffer_ndim(a) == 1;
  bool is_column = tn_buffer_ndim(b) == 1;
  uint32_t n_batch = shape->n_in - (is_row ? 0 : 1) - (is_column ? 0 : 1);
  const tn_node *inner = a->in[TN_BUFFER_SHAPE]->in[tn_buffer_ndim(a) - 1];
  tn_kernel_begin(k, "matmul", shape->n_in, shape->in, 1, &inner);
  const tn_node *reduce = k->axes[shape->n_in];
  const tn_node *ia[TN_MAX_NDIM];
  const tn_node *ib[TN_MAX_NDIM];
  uint32_t n = batch_indices(k, a, n_batch, ia);
  if (!is_row) {
    ia[n++] = k->axes[n_batch];
  }
  ia[n] = reduce;
  n = batch_indices(k, b, n_batch, ib);
  ib[n++] = reduce;
  if (!is_column) {
    ib[n] = k->axes[shape->n_in - 1];
  }
  const tn_node *left = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, a, ia));
  const tn_node *right = tn_te_cast(k->te, out->dtype, tn_te_load(k->te, b, ib));
  tn_te_end_reduce_into(k->te, TN_TE_SUM, out, k->axes, tn_te_mul(k->te, left, right));
  return NULL;
}

tn_status tn_op_lower_matmul(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "matmul", build_matmul, out_func);
}
