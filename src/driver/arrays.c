/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensors in and out of files, and between the compiler's host arrays and the runtime's tensors. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver_priv.h"
#include "files/files.h"
#include "front/front.h"

tn_status tn_array_view_dl(const DLTensor *dl, tn_array *out_array) {
  if (dl->device.device_type != kDLCPU) {
    return TN_ERR(TN_INVALID,
                  "a tensor on device type %d, where the cpu's (%d) is needed; copy it first",
                  dl->device.device_type, kDLCPU);
  }
  tn_tensor *checked = NULL; /* what can be wrong with a foreign tensor, the runtime knows */
  TN_TRY(tn_tensor_from_dl(dl, &checked));
  const DLTensor *good = tn_tensor_dl(checked);
  tn_status st = NULL;
  tn_array view = {
      .data = good->data, .dtype = tn_dl_dtype(good), .ndim = good->ndim, .is_view = true};
  for (int32_t i = 0; i < view.ndim; ++i) {
    view.shape[i] = good->shape[i];
  }
  if (good->strides != NULL) {
    st = TN_ERR(TN_INVALID, "a strided tensor, where a compact one is needed; copy it first");
  }
  tn_tensor_release(checked);
  if (st == NULL) {
    *out_array = view;
  }
  return st;
}

tn_status tn_tensor_of_array(const tn_array *array, tn_tensor **out_tensor) {
  return tn_tensor_create(array->dtype, array->ndim, array->shape, array->data, out_tensor);
}

tn_status tn_tensor_load(const char *path, tn_tensor **out_tensor) {
  tn_array array = {0};
  size_t len = strlen(path);
  bool is_proto =
      len > 3 && strcmp(path + len - 3, ".pb") == 0; /* its bytes do not say what it is */
  TN_TRY(is_proto ? tn_onnx_read_array(path, &array) : tn_files_read_array(path, &array));
  tn_status st = tn_tensor_of_array(&array, out_tensor);
  tn_array_deinit(&array);
  return st;
}

static tn_status value_of(const tn_onnx_data *data, tn_arg *out_value) {
  tn_arg *items = calloc((size_t)data->n + 1, sizeof *items);
  tn_tuple *tuple = NULL;
  tn_status st = items == NULL ? TN_ERR(TN_NO_MEMORY, "no memory for a sequence") : NULL;
  for (int32_t i = 0; i < data->n && st == NULL; ++i) {
    tn_tensor *tensor = NULL;
    st = tn_tensor_of_array(&data->arrays[i], &tensor);
    items[i] = tn_arg_of_tensor(tensor);
  }
  if (st == NULL && data->kind == TN_ONNX_DATA_SEQUENCE) {
    st = tn_tuple_create(data->n, items, &tuple);
    *out_value = tn_arg_of_tuple(tuple);
  } else if (st == NULL) {
    *out_value = data->kind == TN_ONNX_DATA_NOTHING ? tn_arg_none() : items[0];
    items[0] = tn_arg_none();
  }
  for (int32_t i = 0; items != NULL && i < data->n; ++i) {
    tn_arg_release(&items[i]);
  }
  free(items);
  return st;
}

tn_status tn_onnx_value_load(const char *model, bool is_output, int32_t index, const char *path,
                             tn_arg *out_value) {
  tn_onnx_data data = {0};
  TN_TRY(tn_onnx_read_data(model, is_output, index, path, &data));
  tn_status st = value_of(&data, out_value);
  tn_onnx_data_deinit(&data);
  return st;
}

tn_status tn_tensor_save(tn_tensor *tensor, const char *path) {
  tn_array view = {0};
  TN_TRY_MSG(tn_array_view_dl(tn_tensor_dl(tensor), &view), "writing %s", path);
  return tn_files_write_array(path, &view);
}

tn_status tn_tensors_save(const char *path, int32_t n, const char *const *names,
                          tn_tensor *const *tensors) {
  tn_status st = NULL;
  tn_array *views = calloc((size_t)n + 1, sizeof *views);
  if (views == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for %d arrays", n);
  }
  for (int32_t i = 0; i < n; ++i) {
    TN_GOTO(
        st,
        tn_status_wrap(tn_array_view_dl(tn_tensor_dl(tensors[i]), &views[i]), "writing %s", path),
        done);
  }
  TN_GOTO(st, tn_npz_write(path, names, views, (size_t)n), done);
done:
  free(views);
  return st;
}

tn_status tn_tensor_fill_random(tn_tensor *tensor, uint64_t seed) {
  tn_array view = {0};
  tn_rng rng = tn_rng_make(seed);
  TN_TRY(tn_array_view_dl(tn_tensor_dl(tensor), &view));
  tn_array_fill_random(&view, &rng);
  return NULL;
}

tn_status tn_tensor_fill_small(tn_tensor *tensor, uint64_t seed) {
  tn_array view = {0};
  tn_rng rng = tn_rng_make(seed);
  TN_TRY(tn_array_view_dl(tn_tensor_dl(tensor), &view));
  if (!tn_dtype_is_float(view.dtype) && !tn_dtype_is_small_float(view.dtype)) {
    tn_array_fill_random(&view, &rng);
    return NULL;
  }
  bool has_sign = tn_dtype_elem(view.dtype) != TN_DT_F8E8M0FNU;
  int64_t n_elems = tn_array_n_elems(&view);
  for (int64_t i = 0; i < n_elems; ++i) {
    tn_array_set_f64(&view, i, (double)tn_rng_range(&rng, has_sign ? -4 : 1, 4));
  }
  return NULL;
}
