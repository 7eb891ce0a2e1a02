/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Values against types at run time: symbolic sizes are bound where they stand alone, then
 * everything is checked. The virtual machine's MATCH does the same for compiled code. */
#include <inttypes.h>

#include "graph/interp_priv.h"

static void bind_dims(tn_frame *frame, const tn_node *dims, int32_t n, const int64_t *extents) {
  if (tn_is_none(dims) || (int64_t)dims->n_in != n) {
    return;
  }
  for (int32_t i = 0; i < n; ++i) {
    const tn_node *dim = dims->in[i];
    if (dim->op == TN_OP_VAR && !tn_map_find(&frame->syms, dim->id, NULL)) {
      tn_map_set(&frame->syms, dim->id, (uint64_t)extents[i]);
    }
  }
}

void tn_interp_bind(tn_frame *frame, const tn_node *type, const tn_value *value) {
  if (type->op == TN_OP_TY_TENSOR && value->kind == TN_V_ARRAY) {
    bind_dims(frame, type->in[TN_TY_TENSOR_SHAPE], value->array->ndim, value->array->shape);
  } else if (type->op == TN_OP_TY_SHAPE && value->kind == TN_V_SHAPE) {
    bind_dims(frame, type->in[0], value->n, value->dims);
  } else if (type->op == TN_OP_TY_PRIM && value->kind == TN_V_INT) {
    const tn_node *var = type->in[0];
    if (var->op == TN_OP_VAR && !tn_map_find(&frame->syms, var->id, NULL)) {
      tn_map_set(&frame->syms, var->id, (uint64_t)value->i64);
    }
  } else if (type->op == TN_OP_TY_TUPLE && value->kind == TN_V_TUPLE) {
    for (uint32_t i = 0; i < type->n_in && (int64_t)i < value->n; ++i) {
      tn_interp_bind(frame, type->in[i], &value->items[i]);
    }
  }
}

static void print_dims(int32_t n, const int64_t *dims, tn_buf *out) {
  tn_buf_putc(out, '(');
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, i == 0 ? "%" PRId64 : ", %" PRId64, dims[i]);
  }
  tn_buf_puts(out, n == 1 ? ",)" : ")");
}

/* What came, as a type would say it. */
static void print_kind(const tn_value *value, tn_buf *out) {
  static const char *const names[] = {"nothing",    "a tensor", "a tuple", "a shape",
                                      "an integer", "a float",  "a text",  "a function"};
  char dtype[TN_DTYPE_TEXT_BYTES];
  if (value->kind == TN_V_ARRAY) {
    tn_buf_printf(out, "a %s tensor of shape ", tn_dtype_print(value->array->dtype, dtype));
    print_dims(value->array->ndim, value->array->shape, out);
  } else if (value->kind == TN_V_SHAPE) {
    tn_buf_puts(out, "the shape ");
    print_dims(value->n, value->dims, out);
  } else {
    tn_buf_puts(out, names[value->kind]);
  }
}

static tn_status mismatch(const tn_node *type, const tn_value *value, const char *what) {
  tn_buf want = TN_BUF_INIT;
  tn_buf got = TN_BUF_INIT;
  tn_ty_print(type, &want);
  print_kind(value, &got);
  tn_status st =
      TN_ERR(TN_INVALID, "%s: expected %s, got %s", what, tn_buf_text(&want), tn_buf_text(&got));
  tn_buf_deinit(&want);
  tn_buf_deinit(&got);
  return st;
}

static tn_status dims_fit(tn_frame *frame, const tn_node *dims, int32_t n, const int64_t *extents,
                          bool *out_fit) {
  *out_fit = true;
  if (tn_is_none(dims)) {
    return NULL;
  }
  for (int32_t i = 0; i < n; ++i) {
    int64_t want = 0;
    TN_TRY(tn_dim_eval(dims->in[i], &frame->syms, &want));
    *out_fit = *out_fit && want == extents[i];
  }
  return NULL;
}

static tn_status check_shaped(tn_frame *frame, const tn_node *type, const tn_value *value,
                              const char *what) {
  bool is_tensor = type->op == TN_OP_TY_TENSOR;
  if (value->kind != (is_tensor ? TN_V_ARRAY : TN_V_SHAPE)) {
    return mismatch(type, value, what);
  }
  int32_t n = is_tensor ? value->array->ndim : value->n;
  if ((is_tensor && type->dtype != TN_DT_NONE && type->dtype != value->array->dtype) ||
      (type->attr.i64 >= 0 && type->attr.i64 != n)) {
    return mismatch(type, value, what);
  }
  bool is_fit = false;
  TN_TRY_MSG(
      dims_fit(frame, type->in[0], n, is_tensor ? value->array->shape : value->dims, &is_fit), "%s",
      what);
  return is_fit ? NULL : mismatch(type, value, what);
}

static tn_status check_prim(tn_frame *frame, const tn_node *type, const tn_value *value,
                            const char *what) {
  bool is_float = tn_dtype_is_float(type->dtype);
  bool is_number = value->kind == TN_V_INT || (is_float && value->kind == TN_V_FLOAT);
  if (!is_number) { /* an integer will do for a float, as with loop functions */
    return mismatch(type, value, what);
  }
  if (!is_float && !tn_is_none(type->in[0])) {
    int64_t want = 0;
    TN_TRY_MSG(tn_dim_eval(type->in[0], &frame->syms, &want), "%s", what);
    if (want != value->i64) {
      return TN_ERR(TN_INVALID, "%s: expected %" PRId64 ", got %" PRId64, what, want, value->i64);
    }
  }
  return NULL;
}

tn_status tn_interp_check(tn_frame *frame, const tn_node *type, const tn_value *value,
                          const char *what) {
  switch ((int)type->op) {
    case TN_OP_TY_TENSOR:
    case TN_OP_TY_SHAPE:
      return check_shaped(frame, type, value, what);
    case TN_OP_TY_PRIM:
      return check_prim(frame, type, value, what);
    case TN_OP_TY_FUNC:
      return value->kind == TN_V_FUNC ? NULL : mismatch(type, value, what);
    case TN_OP_TY_TUPLE:
      break;
    default:
      return NULL;
  }
  if (value->kind != TN_V_TUPLE || value->n != (int64_t)type->n_in) {
    return mismatch(type, value, what);
  }
  for (uint32_t i = 0; i < type->n_in; ++i) {
    TN_TRY(tn_interp_check(frame, type->in[i], &value->items[i], what));
  }
  return NULL;
}

/* ---- text ---- */

void tn_value_print(const tn_value *value, tn_buf *out) {
  switch (value->kind) {
    case TN_V_ARRAY:
      tn_array_print(value->array, out);
      break;
    case TN_V_SHAPE:
      print_dims(value->n, value->dims, out);
      break;
    case TN_V_INT:
      tn_buf_printf(out, "%" PRId64, value->i64);
      break;
    case TN_V_PTR:
      tn_buf_puts(out, "a pointer");
      break;
    case TN_V_FLOAT:
      tn_buf_put_double(out, value->f64);
      break;
    case TN_V_STR:
      tn_buf_puts(out, value->str);
      break;
    case TN_V_TUPLE:
      tn_buf_putc(out, '(');
      for (int32_t i = 0; i < value->n; ++i) {
        tn_buf_puts(out, i == 0 ? "" : ", ");
        tn_value_print(&value->items[i], out);
      }
      tn_buf_putc(out, ')');
      break;
    case TN_V_NONE:
      tn_buf_puts(out, "None");
      break;
    case TN_V_FUNC:
      tn_buf_printf(out, "<function %s>", value->str);
      break;
  }
}
