/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* R.print, R.assert_op and the two ways between shapes and tensors, as functions that the machine
 * calls like the host's; their names are the machine's own. Texts are those of the graph
 * interpreter. */
#include "runtime/vm_builtins.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "runtime/tensor.h"
#include "runtime/vm_priv.h"

/* ---- text ---- */

static tn_status put_tensor(tn_tensor *tensor, const DLTensor *dl, tn_buf *out) {
  tn_tensor *own = NULL;
  tn_tensor *compact = NULL;
  tn_status st = NULL;
  if (tensor == NULL) {
    TN_GOTO(st, tn_tensor_from_dl(dl, &own), done);
    tensor = own;
  }
  const DLDevice cpu = {kDLCPU, 0};
  TN_GOTO(st, tn_tensor_copy(NULL, tensor, cpu, &compact), done);
  dl = tn_tensor_dl(compact);
  tn_array view = {
      .data = tn_tensor_data(compact), .dtype = tn_dl_dtype(dl), .ndim = dl->ndim, .is_view = true};
  for (int32_t d = 0; d < dl->ndim; ++d) {
    view.shape[d] = dl->shape[d];
  }
  tn_array_print(&view, out);
done:
  tn_tensor_release(own);
  tn_tensor_release(compact);
  return st;
}

static void put_shape(const tn_shape *shape, tn_buf *out) {
  int32_t n = tn_shape_ndim(shape);
  tn_buf_putc(out, '(');
  for (int32_t i = 0; i < n; ++i) {
    tn_buf_printf(out, i == 0 ? "%" PRId64 : ", %" PRId64, tn_shape_dims(shape)[i]);
  }
  tn_buf_puts(out, n == 1 ? ",)" : ")");
}

static tn_status put_value(const tn_arg *arg, tn_buf *out) {
  if (tn_arg_dl(arg) != NULL) {
    return put_tensor(tn_arg_tensor(arg), tn_arg_dl(arg), out);
  }
  if (tn_arg_shape(arg) != NULL) {
    put_shape(tn_arg_shape(arg), out);
  } else if (tn_arg_text(arg) != NULL) {
    tn_buf_puts(out, tn_arg_text(arg));
  } else if (arg->kind == TN_ARG_INT) {
    tn_buf_printf(out, "%" PRId64, arg->u.i64);
  } else if (arg->kind == TN_ARG_FLOAT) {
    tn_buf_put_double(out, arg->u.f64);
  } else if (tn_arg_tuple(arg) != NULL) {
    const tn_tuple *tuple = tn_arg_tuple(arg);
    tn_buf_putc(out, '(');
    for (int32_t i = 0; i < tn_tuple_size(tuple); ++i) {
      tn_buf_puts(out, i == 0 ? "" : ", ");
      TN_TRY(put_value(tn_tuple_at(tuple, i), out));
    }
    tn_buf_putc(out, ')');
  } else {
    tn_buf_puts(out, tn_arg_kind_name(arg->kind));
  }
  return NULL;
}

/* "x: {}" with each {} replaced; values without one follow at the end. */
static tn_status put_format(const char *format, const tn_arg *args, int32_t n, tn_buf *out) {
  int32_t used = 0;
  for (const char *p = format; *p != '\0';) {
    if (p[0] == '{' && p[1] == '}' && used < n) {
      TN_TRY(put_value(&args[used++], out));
      p += 2;
    } else {
      tn_buf_putc(out, *p++);
    }
  }
  for (; used < n; ++used) {
    tn_buf_puts(out, out->len == 0 ? "" : " ");
    TN_TRY(put_value(&args[used], out));
  }
  return NULL;
}

static tn_status check_format(const tn_arg *args, int32_t n_args, int32_t n_least) {
  if (n_args < n_least || tn_arg_text(&args[0]) == NULL) {
    return TN_ERR(TN_INVALID, "expected a format and values");
  }
  return NULL;
}

static tn_status call_print(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)out_ret;
  TN_TRY(check_format(args, n_args, 1));
  tn_buf text = TN_BUF_INIT;
  tn_status st = put_format(tn_arg_text(&args[0]), args + 1, n_args - 1, &text);
  if (st == NULL) {
    (void)fprintf(stderr, "%s\n", tn_buf_text(&text));
  }
  tn_buf_deinit(&text);
  return st;
}

static tn_status call_assert(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)out_ret;
  TN_TRY(check_format(args, n_args, 2));
  bool is_true = false;
  TN_TRY(tn_vm_is_true(&args[1], &is_true));
  if (is_true) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_status st = put_format(tn_arg_text(&args[0]), args + 2, n_args - 2, &text);
  if (st == NULL) {
    st = TN_ERR(TN_INVALID, "assertion failed%s%s", text.len == 0 ? "" : ": ", tn_buf_text(&text));
  }
  tn_buf_deinit(&text);
  return st;
}

/* ---- shapes ---- */

static tn_status call_tensor_to_shape(void *ctx, const tn_arg *args, int32_t n_args,
                                      tn_arg *out_ret) {
  (void)ctx;
  const DLTensor *dl = n_args == 1 ? tn_arg_dl(&args[0]) : NULL;
  bool is_vector = dl != NULL && dl->ndim == 1 && tn_dl_dtype(dl) == TN_DT_I64 &&
                   dl->device.device_type == kDLCPU && dl->shape[0] <= TN_MAX_NDIM;
  if (!is_vector) {
    return TN_ERR(TN_INVALID, "expected an int64 tensor of one dimension");
  }
  int64_t dims[TN_MAX_NDIM];
  const int64_t *data = (const int64_t *)(const void *)((const char *)dl->data + dl->byte_offset);
  int64_t stride = dl->strides == NULL ? 1 : dl->strides[0];
  for (int64_t i = 0; i < dl->shape[0]; ++i) {
    dims[i] = data[i * stride];
  }
  tn_shape *shape = NULL;
  TN_TRY(tn_shape_create((int32_t)dl->shape[0], dims, &shape));
  *out_ret = tn_arg_of_shape(shape);
  return NULL;
}

static tn_status call_shape_to_tensor(void *ctx, const tn_arg *args, int32_t n_args,
                                      tn_arg *out_ret) {
  (void)ctx;
  const tn_shape *shape = n_args == 1 ? tn_arg_shape(&args[0]) : NULL;
  if (shape == NULL) {
    return TN_ERR(TN_INVALID, "expected a shape");
  }
  int64_t n = tn_shape_ndim(shape);
  tn_tensor *tensor = NULL;
  TN_TRY(tn_tensor_create(TN_DT_I64, 1, &n, tn_shape_dims(shape), &tensor));
  *out_ret = tn_arg_of_tensor(tensor);
  return NULL;
}

/* tensor, shape, name of a dtype, byte offset: another look at the tensor's memory. */
static tn_status call_view(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  bool is_ok = n_args == 4 && tn_arg_tensor(&args[0]) != NULL && tn_arg_shape(&args[1]) != NULL &&
               tn_arg_text(&args[2]) != NULL && args[3].kind == TN_ARG_INT;
  tn_dtype dtype = TN_DT_NONE;
  if (!is_ok || !tn_dtype_parse(tn_arg_text(&args[2]), strlen(tn_arg_text(&args[2])), &dtype)) {
    return TN_ERR(TN_INVALID, "expected a tensor, a shape, a dtype and a byte offset");
  }
  const tn_shape *shape = tn_arg_shape(&args[1]);
  tn_tensor *base = tn_arg_tensor(&args[0]);
  tn_tensor *view = NULL;
  if (!tn_dl_is_compact(tn_tensor_dl(base))) {
    return TN_ERR(TN_INVALID, "a view of a tensor whose elements do not lie in order");
  }
  if (args[3].u.i64 % (int64_t)tn_dtype_bytes(tn_dtype_elem(dtype)) != 0) {
    return TN_ERR(TN_INVALID, "byte offset %" PRId64 " splits an element", args[3].u.i64);
  }
  TN_TRY(tn_tensor_view(base, dtype, tn_shape_ndim(shape), tn_shape_dims(shape), NULL,
                        args[3].u.i64, &view));
  *out_ret = tn_arg_of_tensor(view);
  return NULL;
}

/* ---- table ---- */

tn_callback tn_vm_builtin_find(const char *name) {
  static const struct {
    const char *name;
    tn_callback callback;
  } rows[] = {
      {"vm.builtin.assert_op", call_assert},
      {"vm.builtin.print", call_print},
      {"vm.builtin.shape_to_tensor", call_shape_to_tensor},
      {"vm.builtin.tensor_to_shape", call_tensor_to_shape},
      {"vm.builtin.view", call_view},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (strcmp(rows[i].name, name) == 0) {
      return rows[i].callback;
    }
  }
  return tn_vm_list_find(name);
}
