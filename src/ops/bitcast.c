/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* bitcast: the same bits as elements of another type of the same width. */
#include "ops/families.h"
#include "ops/kernel.h"

enum { DTYPE };

/* Types that fill their bytes. */
static tn_status read_dtypes(const tn_node *call, tn_dtype from, tn_dtype *out) {
  char a[TN_DTYPE_TEXT_BYTES];
  char b[TN_DTYPE_TEXT_BYTES];
  TN_TRY(tn_op_dtype_field(call, DTYPE, TN_DT_NONE, out));
  if (from != TN_DT_NONE && (tn_dtype_bytes(from) != tn_dtype_bytes(*out) ||
                             tn_dtype_is_packed(from) || tn_dtype_is_packed(*out))) {
    return TN_ERR(TN_INVALID, "the types %s and %s do not have the same width",
                  tn_dtype_print(from, a), tn_dtype_print(*out, b));
  }
  return NULL;
}

tn_status tn_op_infer_bitcast(const tn_infer_ctx *ctx, const tn_node *call,
                              const tn_node **out_type) {
  const tn_node *type = NULL;
  tn_dtype dtype = TN_DT_NONE;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &type));
  TN_TRY(read_dtypes(call, type->dtype, &dtype));
  *out_type = tn_ty_tensor(ctx->ir, dtype, type->attr.i64, tn_op_shape(type));
  return NULL;
}

tn_status tn_op_eval_bitcast(const tn_node *call, const tn_array *const *args, int32_t n_args,
                             tn_array *out) {
  tn_dtype dtype = TN_DT_NONE;
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  TN_TRY(read_dtypes(call, args[0]->dtype, &dtype));
  TN_TRY(tn_array_init(out, dtype, args[0]->ndim, args[0]->shape));
  if (tn_array_n_bytes(out) > 0) {
    memcpy(out->data, args[0]->data, tn_array_n_bytes(out));
  }
  return NULL;
}

static tn_status build_bitcast(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *x = tn_te_load(k->te, k->buffers.data[0], k->axes);
  bool is_bool = tn_dtype_is_bool(x->dtype) || tn_dtype_is_bool(out->dtype);
  if (is_bool) { /* one byte, 0 or 1 */
    x = tn_te_cast(k->te, out->dtype, x);
  } else if (x->dtype != out->dtype) {
    x = tn_node_new(k->ir, TN_OP_REINTERPRET, out->dtype, (tn_attr){0}, 1, &x);
  }
  tn_te_end_into(k->te, out, k->axes, x, NULL);
  return NULL;
}

tn_status tn_op_lower_bitcast(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "bitcast", build_bitcast, out_func);
}
