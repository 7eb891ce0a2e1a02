/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* random_uniform_like: numbers of [0, 1) in the shape of a tensor. Each follows from the seed and
 * its place alone (the mixing function of SplitMix64: Steele, Lea, Flood 2014), so that it does not
 * matter in which order, or by how many threads, they are made. */
#include "ops/families.h"
#include "ops/window.h"

enum { SEED };

static const uint64_t golden = 0x9e3779b97f4a7c15;
static const uint64_t factor_a = 0xbf58476d1ce4e5b9;
static const uint64_t factor_b = 0x94d049bb133111eb;
static const double unit = 0x1p-24;

static uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * factor_a;
  z = (z ^ (z >> 27)) * factor_b;
  return z ^ (z >> 31);
}

/* What the first place adds the golden ratio to. */
static uint64_t start_of(const tn_node *call) {
  return mixed((uint64_t)tn_op_int(call, SEED) + golden);
}

tn_status tn_op_infer_random(const tn_infer_ctx *ctx, const tn_node *call,
                             const tn_node **out_type) {
  const tn_node *like = NULL;
  TN_TRY(tn_op_arg_type(ctx, call, 0, &like));
  *out_type = tn_ty_tensor(ctx->ir, TN_DT_F32, like->attr.i64, tn_op_shape(like));
  return NULL;
}

tn_status tn_op_eval_random(const tn_node *call, const tn_array *const *args, int32_t n_args,
                            tn_array *out) {
  if (n_args != 1 || args[0] == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor");
  }
  TN_TRY(tn_array_init(out, TN_DT_F32, args[0]->ndim, args[0]->shape));
  int64_t n = tn_array_n_elems(out);
  for (int64_t i = 0; i < n; ++i) {
    uint64_t z = mixed(start_of(call) + (uint64_t)i * golden);
    tn_array_set_f64(out, i, (double)(z >> 40) * unit);
  }
  return NULL;
}

static const tn_node *word(tn_kernel *k, uint64_t value) {
  return tn_int(k->ir, TN_DT_U64, (int64_t)value);
}

/* z ^ (z >> by) */
static const tn_node *folded(tn_kernel *k, const tn_node *z, uint64_t by) {
  return tn_te_op(k->te, TN_OP_BXOR, z, tn_te_op(k->te, TN_OP_SHR, z, word(k, by)));
}

static tn_status build_random(tn_kernel *k, const tn_node *type) {
  const tn_node *out = NULL;
  const tn_node *at = NULL;
  TN_TRY(tn_kernel_begin_elementwise(k, type, &out));
  const tn_node *shape = out->in[TN_BUFFER_SHAPE];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    at = at == NULL ? k->axes[d] : tn_te_add(k->te, tn_te_mul(k->te, at, shape->in[d]), k->axes[d]);
  }
  at = at == NULL ? tn_int(k->ir, TN_DT_I64, 0) : at;
  const tn_node *z = tn_te_mul(k->te, tn_te_cast(k->te, TN_DT_U64, at), word(k, golden));
  z = tn_te_add(k->te, z, word(k, start_of(k->call)));
  z = tn_te_mul(k->te, folded(k, z, 30), word(k, factor_a));
  z = tn_te_mul(k->te, folded(k, z, 27), word(k, factor_b));
  z = tn_te_op(k->te, TN_OP_SHR, folded(k, z, 31), word(k, 40));
  const tn_node *value =
      tn_te_mul(k->te, tn_te_cast(k->te, TN_DT_F32, z), tn_te_number(k->te, TN_DT_F32, unit));
  tn_te_end_into(k->te, out, k->axes, value, NULL);
  return NULL;
}

tn_status tn_op_lower_random(tn_ir *ir, const tn_node *call, const tn_node **out_func) {
  return tn_kernel_make(ir, call, "random_uniform", build_random, out_func);
}
