/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What operators share: type questions, broadcasting, and the builder of their loop-level form.
 * Extents of the graph become the function's own: a number stays, anything else is a size that the
 * buffer's shape binds when the function is called. */
#include "ops/kernel.h"

#include <inttypes.h>
#include <string.h>

#include "arith/arith.h"
#include "base/check.h"

/* ---- types ---- */

tn_status tn_op_arg_type(const tn_infer_ctx *ctx, const tn_node *call, uint32_t i,
                         const tn_node **out) {
  TN_TRY(tn_graph_infer(ctx, tn_call_arg(call, i), out));
  if ((*out)->op != TN_OP_TY_TENSOR) {
    tn_buf text = TN_BUF_INIT;
    tn_ty_print(*out, &text);
    tn_status st =
        TN_ERR(TN_INVALID, "argument %u has type %s, expected a tensor", i, tn_buf_text(&text));
    tn_buf_deinit(&text);
    return st;
  }
  return NULL;
}

tn_status tn_op_tuple_type(const tn_infer_ctx *ctx, const tn_node *call, uint32_t i,
                           const tn_node **out) {
  TN_TRY(tn_graph_infer(ctx, tn_call_arg(call, i), out));
  if ((*out)->op != TN_OP_TY_TUPLE || (*out)->n_in == 0) {
    return TN_ERR(TN_INVALID, "expected a tuple of tensors");
  }
  for (uint32_t j = 0; j < (*out)->n_in; ++j) {
    if ((*out)->in[j]->op != TN_OP_TY_TENSOR) {
      return TN_ERR(TN_INVALID, "item %u of the tuple is no tensor", j);
    }
  }
  return NULL;
}

static tn_status extents_disagree(const tn_node *a, const tn_node *b) {
  tn_buf text = TN_BUF_INIT;
  tn_dim_print(a, &text);
  tn_buf_puts(&text, " and ");
  tn_dim_print(b, &text);
  tn_status st = TN_ERR(TN_INVALID, "the extents %s do not broadcast", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

/* NULL: one of them is 1 or they are equal, but which cannot be known. */
static tn_status broadcast_dim(tn_ir *ir, const tn_node *a, const tn_node *b, const tn_node **out) {
  if (tn_is_int(a, 1)) {
    *out = b;
    return NULL;
  }
  if (tn_is_int(b, 1)) {
    *out = a;
    return NULL;
  }
  switch (tn_dim_compare(ir, a, b)) {
    case TN_DIM_EQUAL:
      *out = a->op == TN_OP_INT ? a : b;
      return NULL;
    case TN_DIM_DIFFERENT:
      if (a->op == TN_OP_INT && b->op == TN_OP_INT) {
        return extents_disagree(a, b);
      }
      break; /* n and n + 1 broadcast when n is 1 or 0 */
    case TN_DIM_UNSURE:
      break;
  }
  *out = NULL;
  return NULL;
}

tn_status tn_op_broadcast(tn_ir *ir, const char *name, const tn_node *a, const tn_node *b,
                          int64_t *out_ndim, const tn_node **out_shape) {
  const tn_node *sa = tn_op_shape(a);
  const tn_node *sb = tn_op_shape(b);
  bool is_ranked = a->attr.i64 >= 0 && b->attr.i64 >= 0;
  *out_ndim = !is_ranked ? -1 : a->attr.i64 > b->attr.i64 ? a->attr.i64 : b->attr.i64;
  *out_shape = NULL;
  if (sa == NULL || sb == NULL) {
    return NULL;
  }
  const tn_node *dims[TN_MAX_NDIM];
  if (*out_ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%s of %" PRId64 " dimensions", name, *out_ndim);
  }
  uint32_t n = (uint32_t)*out_ndim;
  bool is_known = true;
  for (uint32_t i = 0; i < n; ++i) {
    bool in_a = i + sa->n_in >= n;
    bool in_b = i + sb->n_in >= n;
    const tn_node *da = in_a ? sa->in[i + sa->n_in - n] : tn_int(ir, TN_DT_I64, 1);
    const tn_node *db = in_b ? sb->in[i + sb->n_in - n] : tn_int(ir, TN_DT_I64, 1);
    TN_TRY(broadcast_dim(ir, da, db, &dims[i]));
    is_known = is_known && dims[i] != NULL;
  }
  *out_shape = is_known ? tn_list(ir, n, dims) : NULL;
  return NULL;
}

tn_status tn_op_axis(const char *name, int64_t axis, int64_t ndim, int64_t *out) {
  if (axis < -ndim || axis >= ndim) {
    return TN_ERR(TN_INVALID, "axis %" PRId64 " of %s is outside of %" PRId64 " dimensions", axis,
                  name, ndim);
  }
  *out = axis < 0 ? axis + ndim : axis;
  return NULL;
}

tn_status tn_op_ints(const tn_node *call, int32_t field, int64_t *out, int32_t *out_n) {
  const tn_node *list = tn_call_field(call, field);
  *out_n = -1;
  if (list == NULL) {
    return NULL;
  }
  bool is_one = list->op == TN_OP_INT;
  uint32_t n = is_one ? 1 : list->n_in;
  if ((!is_one && list->op != TN_OP_LIST) || n > TN_MAX_NDIM) {
    return TN_ERR(TN_INVALID, "field '%s' is no list of at most %d integers",
                  tn_op_of(call)->fields[field].name, (int)TN_MAX_NDIM);
  }
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *item = is_one ? list : list->in[i];
    if (item->op != TN_OP_INT) {
      return TN_ERR(TN_INVALID, "field '%s' holds what is no integer",
                    tn_op_of(call)->fields[field].name);
    }
    out[i] = item->attr.i64;
  }
  *out_n = (int32_t)n;
  return NULL;
}

/* The text of a field's default, for those that are left out. */
static const char *default_of(const tn_node *call, int32_t field) {
  const char *text = tn_op_of(call)->fields[field].default_text;
  return text == NULL ? "" : text;
}

int64_t tn_op_int(const tn_node *call, int32_t field) {
  const tn_node *value = tn_call_field(call, field);
  if (value != NULL) {
    return value->op == TN_OP_INT ? value->attr.i64 : 0;
  }
  return strcmp(default_of(call, field), "True") == 0 ? 1
                                                      : strtoll(default_of(call, field), NULL, 10);
}

double tn_op_float(const tn_node *call, int32_t field) {
  const tn_node *value = tn_call_field(call, field);
  if (value == NULL) {
    return strtod(default_of(call, field), NULL);
  }
  return value->op == TN_OP_FLOAT ? value->attr.f64
         : value->op == TN_OP_INT ? (double)value->attr.i64
                                  : 0;
}

const char *tn_op_text(const tn_node *call, int32_t field) {
  const tn_node *value = tn_call_field(call, field);
  return value == NULL || value->op != TN_OP_STR ? "" : value->attr.text;
}

tn_status tn_op_dtype_field(const tn_node *call, int32_t field, tn_dtype otherwise, tn_dtype *out) {
  const tn_node *value = tn_call_field(call, field);
  *out = otherwise;
  if (value == NULL) {
    return NULL;
  }
  if (value->op == TN_OP_DTYPE) {
    *out = (tn_dtype)value->attr.i64;
    return NULL;
  }
  if (value->op == TN_OP_STR && (*value->attr.text == '\0' || /* TVM's text for none given */
                                 tn_dtype_parse(value->attr.text, strlen(value->attr.text), out))) {
    return NULL;
  }
  return TN_ERR(TN_INVALID, "'%s' names no element type", tn_op_of(call)->fields[field].name);
}

tn_status tn_op_same_dtype(const tn_node *a, const tn_node *b) {
  char ta[TN_DTYPE_TEXT_BYTES];
  char tb[TN_DTYPE_TEXT_BYTES];
  if (a->dtype != TN_DT_NONE && b->dtype != TN_DT_NONE && a->dtype != b->dtype) {
    return TN_ERR(TN_INVALID, "the operands have types %s and %s", tn_dtype_print(a->dtype, ta),
                  tn_dtype_print(b->dtype, tb));
  }
  return NULL;
}

tn_status tn_op_want_float(const tn_node *type) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (type->dtype != TN_DT_NONE && !tn_dtype_is_float(type->dtype)) {
    return TN_ERR(TN_INVALID, "the operand has type %s, expected a float type",
                  tn_dtype_print(type->dtype, text));
  }
  return NULL;
}

tn_status tn_op_rank(const tn_node *type, int64_t ndim, const char *what) {
  if (type->attr.i64 >= 0 && type->attr.i64 != ndim) {
    return TN_ERR(TN_INVALID, "%s has %" PRId64 " dimensions, expected %" PRId64, what,
                  type->attr.i64, ndim);
  }
  return NULL;
}

tn_status tn_op_same_extent(tn_ir *ir, const tn_node *a, const char *what_a, const tn_node *b,
                            const char *what_b) {
  if (tn_dim_compare(ir, a, b) != TN_DIM_DIFFERENT) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s has extent ", what_a);
  tn_dim_print(a, &text);
  tn_buf_printf(&text, ", %s ", what_b);
  tn_dim_print(b, &text);
  tn_status st = TN_ERR(TN_INVALID, "%s", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

const tn_node *tn_op_simplify(tn_ir *ir, const tn_node *expr) {
  tn_arith *arith = tn_arith_new(ir);
  expr = tn_arith_simplify(arith, expr);
  tn_arith_free(arith);
  return expr;
}

const tn_node *tn_op_reduced_type(tn_ir *ir, const tn_node *type, tn_dtype dtype,
                                  const bool *is_reduced, bool keeps) {
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *shape = tn_op_shape(type);
  uint32_t n = 0;
  for (int64_t d = 0; d < type->attr.i64; ++d) {
    if (!is_reduced[d] || keeps) {
      dims[n++] = is_reduced[d] ? tn_int(ir, TN_DT_I64, 1) : shape == NULL ? NULL : shape->in[d];
    }
  }
  return tn_ty_tensor(ir, dtype, n, shape == NULL ? NULL : tn_list(ir, n, dims));
}

/* ---- parameters ---- */

static const tn_node *own_extent(tn_kernel *k, const tn_node *dim) {
  uint64_t known = 0;
  if (dim->op == TN_OP_INT) {
    return dim;
  }
  if (tn_map_find(&k->sizes, dim->id, &known)) {
    return (const tn_node *)(uintptr_t)known;
  }
  const tn_node *var = tn_te_var(k->te, dim->op == TN_OP_VAR ? dim->attr.text : "n", TN_DT_I64);
  tn_map_set(&k->sizes, dim->id, (uint64_t)(uintptr_t)var);
  return var;
}

typedef const tn_node *(*make_tensor)(tn_te *te, const char *name, tn_dtype dtype, uint32_t ndim,
                                      const tn_node *const *shape);

static tn_status add_param(tn_kernel *k, make_tensor make, const char *name, const tn_node *type,
                           const tn_node **out) {
  const tn_node *shape = type->op == TN_OP_TY_TENSOR ? tn_op_shape(type) : NULL;
  if (shape == NULL || type->dtype == TN_DT_NONE || shape->n_in > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED,
                  "R.%s on a tensor whose shape or dtype is not known while compiling; "
                  "R.match_cast tells them",
                  k->call->attr.def->name);
  }
  const tn_node *dims[TN_MAX_NDIM];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    dims[d] = own_extent(k, shape->in[d]);
  }
  *out = make(k->te, name, type->dtype, shape->n_in, dims);
  TN_VEC_PUSH(&k->buffers, *out);
  return tn_te_take_status(k->te);
}

/* A, B ... Z, A26, A27 ... */
static tn_status add_argument(tn_kernel *k, const tn_node *type) {
  char name[24];
  const tn_node *tensor = NULL;
  size_t n = k->buffers.len;
  if (n < 26) {
    (void)snprintf(name, sizeof name, "%c", (char)('A' + n));
  } else {
    (void)snprintf(name, sizeof name, "A%zu", n);
  }
  return add_param(k, tn_te_placeholder, name, type, &tensor);
}

static tn_status add_arguments(tn_kernel *k) {
  tn_infer_ctx ctx = {.ir = k->ir};
  const tn_node *args = k->call->in[TN_CALL_ARGS];
  for (uint32_t i = 0; i < args->n_in; ++i) {
    const tn_node *type = NULL;
    TN_TRY(tn_graph_infer(&ctx, args->in[i], &type));
    if (type->op == TN_OP_TY_TENSOR) {
      TN_TRY(add_argument(k, type));
    }
    for (uint32_t j = 0; type->op == TN_OP_TY_TUPLE && j < type->n_in; ++j) {
      TN_TRY(add_argument(k, type->in[j]));
    }
  }
  return NULL;
}

tn_status tn_kernel_result(tn_kernel *k, const tn_node *type, const tn_node **out_tensor) {
  char name[24];
  if (k->n_results == 0) {
    (void)snprintf(name, sizeof name, "T_out");
  } else {
    (void)snprintf(name, sizeof name, "T_out_%u", k->n_results);
  }
  ++k->n_results;
  return add_param(k, tn_te_declare, name, type, out_tensor);
}

/* ---- blocks ---- */

void tn_kernel_begin(tn_kernel *k, const char *name, uint32_t n_spatial,
                     const tn_node *const *spatial, uint32_t n_reduce,
                     const tn_node *const *reduce) {
  tn_te_begin(k->te, name, n_spatial, spatial);
  for (uint32_t i = 0; i < n_reduce; ++i) {
    (void)tn_te_reduce_axis(k->te, NULL, reduce[i]);
  }
  k->n_spatial = n_spatial;
  k->axes = tn_te_axes(k->te);
}

tn_status tn_kernel_begin_elementwise(tn_kernel *k, const tn_node *type,
                                      const tn_node **out_tensor) {
  TN_TRY(tn_kernel_result(k, type, out_tensor));
  const tn_node *shape = (*out_tensor)->in[TN_BUFFER_SHAPE];
  tn_kernel_begin(k, "T_elem", shape->n_in, shape->in, 0, NULL);
  return NULL;
}

const tn_node *tn_kernel_load_part(tn_kernel *k, const tn_node *tensor, const tn_node *const *axes,
                                   uint32_t n) {
  const tn_node *indices[TN_MAX_NDIM];
  uint32_t ndim = tn_buffer_ndim(tensor);
  TN_ASSERT(ndim <= n, "an operand of rank %u among %u axes", ndim, n);
  for (uint32_t i = 0; i < ndim; ++i) {
    bool is_one = tn_is_int(tensor->in[TN_BUFFER_SHAPE]->in[i], 1);
    indices[i] = is_one ? tn_int(k->ir, TN_DT_I64, 0) : axes[n - ndim + i];
  }
  return tn_te_load(k->te, tensor, indices);
}

const tn_node *tn_kernel_load_broadcast(tn_kernel *k, const tn_node *tensor) {
  return tn_kernel_load_part(k, tensor, k->axes, k->n_spatial);
}

void tn_kernel_begin_reduction(tn_kernel *k, const char *name, const tn_node *x,
                               const bool *is_reduced) {
  const tn_node *spatial[TN_MAX_NDIM] = {NULL};
  const tn_node *reduce[TN_MAX_NDIM] = {NULL};
  uint32_t ns = 0;
  uint32_t nr = 0;
  const tn_node *shape = x->in[TN_BUFFER_SHAPE];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    if (is_reduced[d]) {
      reduce[nr++] = shape->in[d];
    } else {
      spatial[ns++] = shape->in[d];
    }
  }
  tn_kernel_begin(k, name, ns, spatial, nr, reduce);
}

void tn_kernel_whole_index(const tn_kernel *k, uint32_t ndim, const bool *is_reduced,
                           const tn_node **indices) {
  uint32_t spatial = 0;
  uint32_t reduced = k->n_spatial;
  for (uint32_t d = 0; d < ndim; ++d) {
    indices[d] = is_reduced[d] ? k->axes[reduced++] : k->axes[spatial++];
  }
}

uint32_t tn_kernel_kept_index(const tn_kernel *k, uint32_t ndim, const bool *is_reduced,
                              bool is_kept, const tn_node **indices) {
  uint32_t n = 0;
  uint32_t spatial = 0;
  for (uint32_t d = 0; d < ndim; ++d) {
    if (!is_reduced[d]) {
      indices[n++] = k->axes[spatial++];
    } else if (is_kept) {
      indices[n++] = tn_int(k->ir, TN_DT_I64, 0);
    }
  }
  return n;
}

/* ---- statements ---- */

const tn_node *tn_kernel_is_extremum(tn_kernel *k, const tn_node *value, const tn_node *extremum) {
  const tn_node *is_it = tn_te_eq(k->te, value, extremum);
  if (!tn_dtype_is_float(value->dtype)) {
    return is_it;
  }
  return tn_te_or(k->te, is_it, tn_te_intrin(k->te, TN_INTRIN_ISNAN, TN_TE_LIST(value)));
}

const tn_node *tn_kernel_store(tn_kernel *k, const tn_node *buffer, const tn_node *value,
                               uint32_t n, const tn_node *const *at) {
  const tn_node *out = tn_seq(k->ir, 0, NULL);
  value = tn_te_cast(k->te, buffer->dtype, value);
  (void)tn_te_keep(k->te, tn_tir_store(k->ir, buffer, value, n, at, NULL, &out));
  return out;
}

const tn_node *tn_kernel_loop(tn_kernel *k, const tn_node *var, const tn_node *extent,
                              const tn_node *body) {
  return tn_for_new(k->ir, TN_FOR_SERIAL, var, tn_int(k->ir, TN_DT_I64, 0), extent, body, NULL,
                    NULL);
}

const tn_node *tn_kernel_when(tn_kernel *k, const tn_node *cond, const tn_node *then) {
  const tn_node *in[3] = {cond, then, tn_none(k->ir)};
  return tn_node_new(k->ir, TN_OP_IF, TN_DT_NONE, (tn_attr){0}, 3, in);
}

/* ---- the function ---- */

tn_status tn_kernel_make(tn_ir *ir, const tn_node *call, const char *name,
                         tn_status (*build)(tn_kernel *k, const tn_node *type),
                         const tn_node **out_func) {
  tn_kernel k = {.ir = ir, .te = tn_te_new(ir), .call = call};
  tn_infer_ctx ctx = {.ir = ir};
  const tn_node *type = NULL;
  tn_status st = add_arguments(&k);
  if (st == NULL) {
    st = tn_graph_infer(&ctx, call, &type);
  }
  if (st == NULL) {
    st = build(&k, type);
  }
  if (st == NULL) {
    st = tn_te_prim_func(k.te, name, false, (uint32_t)k.buffers.len, k.buffers.data, out_func);
  }
  tn_map_deinit(&k.sizes);
  TN_VEC_DEINIT(&k.buffers);
  tn_te_free(k.te);
  return st;
}
