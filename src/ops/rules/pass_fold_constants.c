/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* fold_constants: a call whose arguments are all known is computed by the operator's reference.
 *
 *   w1 = R.permute_dims(w)          w1 = the constant
 *   s = R.shape_of(x)        ->     s = R.shape([n, 4])      # as the type of x says
 *
 * Large weights take quick ways (fold_quick.c), all else a bounded number of steps: what would take
 * long, or make a constant much larger than what it is made of, is left to run time; so is what the
 * reference refuses. In strict math sums stay where they are, since the reference takes them in
 * float64. */
#include <string.h>

#include "base/dtype.h"
#include "ops/families.h"
#include "ops/rules/fold_quick.h"
#include "ops/rules/match.h"
#include "ops/rules/rules.h"

enum {
  MAX_ARGS = 256,
  MAX_RESULTS = 64,
  MAX_FREE_BYTES = 1 << 24, /* a result of this size may be made of nothing */
  MAX_GROWTH = 2,           /* a larger one of that many times its arguments' bytes */
  STEPS_AN_ELEMENT = 4      /* of a reference, against those of a quick way */
};

typedef struct known {
  const tn_array *args[MAX_ARGS];
  tn_array shapes[TN_MAX_NDIM]; /* shape arguments as vectors */
  int32_t n;
  int32_t n_shapes;
  int64_t n_bytes;
  int64_t n_elems;
} known;

/* ---- arguments ---- */

static bool add_shape(known *k, const tn_node *shape) {
  int64_t n = (int64_t)shape->n_in;
  if (k->n_shapes == TN_MAX_NDIM) {
    return false;
  }
  tn_array *room = &k->shapes[k->n_shapes];
  tn_status st = tn_array_init(room, TN_DT_I64, 1, &n);
  if (st != NULL) {
    tn_status_free(st);
    return false;
  }
  ++k->n_shapes;
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    if (shape->in[i]->op != TN_OP_INT) {
      return false;
    }
    tn_array_set_i64(room, i, shape->in[i]->attr.i64);
  }
  k->args[k->n++] = room;
  return true;
}

static bool add_arg(known *k, const tn_node *arg) {
  if (k->n == MAX_ARGS) {
    return false;
  }
  if (arg->op == TN_OP_SHAPE) {
    return add_shape(k, arg);
  }
  if (arg->op == TN_OP_TUPLE) {
    for (uint32_t i = 0; i < arg->n_in; ++i) {
      if (!add_arg(k, arg->in[i])) {
        return false;
      }
    }
    return true;
  }
  const tn_array *array = tn_rewrite_array(arg);
  if (array == NULL) {
    return false;
  }
  k->n_bytes += (int64_t)tn_array_n_bytes(array);
  k->n_elems += tn_array_n_elems(array);
  k->args[k->n++] = array;
  return true;
}

static bool add_args(known *k, const tn_node *call) {
  for (uint32_t i = 0; i < call->in[TN_CALL_ARGS]->n_in; ++i) {
    if (!add_arg(k, tn_call_arg(call, i))) {
      return false;
    }
  }
  return true;
}

static void known_deinit(known *k) {
  for (int32_t i = 0; i < k->n_shapes; ++i) {
    tn_array_deinit(&k->shapes[i]);
  }
}

/* ---- what it costs ---- */

/* Adds the elements and bytes of a result whose extents are numbers. */
static bool add_size(const tn_node *type, int64_t *n_elems, int64_t *n_bytes) {
  int64_t shape[TN_MAX_NDIM];
  size_t bytes = 0;
  int64_t n = 1;
  const tn_node *dims = type->op == TN_OP_TY_TENSOR ? type->in[TN_TY_TENSOR_SHAPE] : NULL;
  if (dims == NULL || tn_is_none(dims) || dims->n_in > TN_MAX_NDIM) {
    return false;
  }
  for (uint32_t d = 0; d < dims->n_in; ++d) {
    if (dims->in[d]->op != TN_OP_INT || dims->in[d]->attr.i64 < 0) {
      return false;
    }
    shape[d] = dims->in[d]->attr.i64;
  }
  if (!tn_shape_bytes((int32_t)dims->n_in, shape, type->dtype, &bytes) || bytes > INT32_MAX) {
    return false;
  }
  for (uint32_t d = 0; d < dims->n_in; ++d) {
    n *= shape[d];
  }
  *n_elems += n;
  *n_bytes += (int64_t)bytes;
  return true;
}

static bool size_of(const tn_node *type, int64_t *out_elems, int64_t *out_bytes) {
  *out_elems = *out_bytes = 0;
  if (type->op != TN_OP_TY_TUPLE) {
    return add_size(type, out_elems, out_bytes);
  }
  for (uint32_t i = 0; i < type->n_in; ++i) {
    if (!add_size(type->in[i], out_elems, out_bytes)) {
      return false;
    }
  }
  return type->n_in > 0 && type->n_in <= MAX_RESULTS;
}

/* Each element of the result is made of a few of the arguments', the same in every order. */
static bool is_pointwise(const tn_op_def *op) {
  return (op->flags & TN_OPD_MOVES) != 0 || op->infer == tn_op_infer_unary ||
         op->infer == tn_op_infer_binary;
}

static int64_t steps_of(const tn_node *call, const known *k, int64_t n_out) {
  const tn_op_def *op = tn_op_of(call);
  int64_t n = k->n_elems;
  if (is_pointwise(op) || op->infer == tn_op_infer_reduce) {
    return STEPS_AN_ELEMENT * (n + n_out);
  }
  if (op->infer == tn_op_infer_matmul) {
    const tn_array *a = k->args[0];
    n = a->ndim > 0 ? a->shape[a->ndim - 1] : 1;
  }
  int64_t steps = 0;
  return __builtin_mul_overflow(n + 1, STEPS_AN_ELEMENT * (n_out + 1), &steps) ? INT64_MAX : steps;
}

/* ---- the rule ---- */

static const tn_node *give(tn_rewrite_run *r, const tn_node *type, tn_array *results) {
  const tn_node *items[MAX_RESULTS];
  if (type->op != TN_OP_TY_TUPLE) {
    return tn_rewrite_const(r, results);
  }
  for (uint32_t i = 0; i < type->n_in; ++i) {
    items[i] = tn_rewrite_const(r, &results[i]);
  }
  return tn_rewrite_tuple(r, type->n_in, items);
}

static const tn_node *compute(tn_rewrite_run *r, const tn_node *call, const tn_node *type,
                              const known *k) {
  tn_array results[MAX_RESULTS] = {{0}};
  int64_t n_out = 0;
  int64_t n_bytes = 0;
  if (!size_of(type, &n_out, &n_bytes) ||
      (n_bytes > MAX_FREE_BYTES && n_bytes > MAX_GROWTH * k->n_bytes)) {
    return NULL;
  }
  if (type->op == TN_OP_TY_TENSOR && tn_fold_quickly(call, type, k->args, results)) {
    return give(r, type, results);
  }
  if (!tn_rewrite_spend(r, steps_of(call, k, n_out))) {
    return NULL;
  }
  tn_status st = tn_op_of(call)->eval(call, k->args, k->n, results);
  bool is_done = st == NULL;
  tn_status_free(st); /* run time says what is wrong */
  return is_done ? give(r, type, results) : NULL;
}

static const tn_node *fold(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *type = NULL;
  known k = {.n = 0};
  const tn_node *value = NULL;
  const tn_op_def *op = tn_op_of(call);
  if (op->eval == NULL || !op->def.is_pure) {
    return NULL;
  }
  if (add_args(&k, call)) {
    type = tn_rewrite_any_type(r, call);
  }
  value = type == NULL ? NULL : compute(r, call, type, &k);
  known_deinit(&k);
  return value;
}

static const tn_node *fold_exactly(tn_rewrite_run *r, const tn_node *call) {
  return is_pointwise(tn_op_of(call)) ? fold(r, call) : NULL;
}

/* ---- sizes ---- */

static const tn_node *fold_shape_of(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *dims = tn_rewrite_shape(r, tn_call_arg(call, 0));
  return dims == NULL ? NULL
                      : tn_node_new(tn_rewrite_ir(r), TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0},
                                    dims->n_in, dims->in);
}

static const tn_node *fold_tensor_to_shape(tn_rewrite_run *r, const tn_node *call) {
  const tn_node *dims[TN_MAX_NDIM];
  const tn_array *array = tn_rewrite_array(tn_call_arg(call, 0));
  int64_t n = array == NULL ? -1 : tn_array_n_elems(array);
  if (n < 0 || n > TN_MAX_NDIM || array->dtype != TN_DT_I64 || array->ndim != 1) {
    return NULL;
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t extent = tn_array_get_i64(array, i);
    if (extent < 0) {
      return NULL; /* run time says so */
    }
    dims[i] = tn_int(tn_rewrite_ir(r), TN_DT_I64, extent);
  }
  return tn_node_new(tn_rewrite_ir(r), TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, (uint32_t)n, dims);
}

static const tn_node *fold_shape_to_tensor(tn_rewrite_run *r, const tn_node *call) {
  known k = {.n = 0};
  const tn_node *shape = tn_call_arg(call, 0);
  const tn_node *value = NULL;
  if (shape->op == TN_OP_SHAPE && add_shape(&k, shape)) {
    tn_array array = k.shapes[0];
    k.n_shapes = 0; /* the constant takes it over */
    value = tn_rewrite_const(r, &array);
  }
  known_deinit(&k);
  return value;
}

tn_status tn_pass_fold_constants(tn_module *module, const tn_pass_opts *opts) {
  static const tn_rewrite_rule rules[] = {
      {"item_of_tuple", "[]", true, "", tn_rule_item_of_tuple},
      {"shape_of", "shape_of", true, "", fold_shape_of},
      {"tensor_to_shape", "tensor_to_shape", true, "", fold_tensor_to_shape},
      {"shape_to_tensor", "shape_to_tensor", true, "", fold_shape_to_tensor},
      {"fold_exactly", NULL, true, "", fold_exactly},
      {"fold", NULL, false, "", fold},
  };
  enum { N = sizeof rules / sizeof *rules };
  const tn_rewrite_rule *list[N];
  for (size_t i = 0; i < N; ++i) {
    list[i] = &rules[i];
  }
  return tn_rewrite_graphs(module, opts, list, N, NULL);
}
