/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Elements of tensors: raw bytes, lists of numbers in the field that the type has, or bytes of
 * another file. The bytes that are there are counted before anything is allocated. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "front/onnx/model.h"
#include "front/onnx/wire.h"

/* Numbers of the specification (TensorProto.DataType), and the list that holds a type's elements
 * when they are not raw. */
typedef enum list_kind {
  NO_LIST,
  FLOAT_LIST,
  INT32_LIST,
  INT64_LIST,
  DOUBLE_LIST,
  UINT64_LIST
} list_kind;
/* Numbers of the types whose elements lie four to a byte; here they get 4 bits each. */
enum { ONNX_UINT8 = 2, ONNX_UINT2 = 25, ONNX_INT2 = 26 };
static const struct {
  const char *name;
  tn_dtype dtype;
  list_kind list;
} types[] = {
    {"undefined", TN_DT_NONE, NO_LIST},
    {"float", TN_DT_F32, FLOAT_LIST},
    {"uint8", TN_DT_U8, INT32_LIST},
    {"int8", TN_DT_I8, INT32_LIST},
    {"uint16", TN_DT_U16, INT32_LIST},
    {"int16", TN_DT_I16, INT32_LIST},
    {"int32", TN_DT_I32, INT32_LIST},
    {"int64", TN_DT_I64, INT64_LIST},
    {"string", TN_DT_NONE, NO_LIST},
    {"bool", TN_DT_BOOL, INT32_LIST},
    {"float16", TN_DT_F16, INT32_LIST},
    {"double", TN_DT_F64, DOUBLE_LIST},
    {"uint32", TN_DT_U32, UINT64_LIST},
    {"uint64", TN_DT_U64, UINT64_LIST},
    {"complex64", TN_DT_NONE, NO_LIST},
    {"complex128", TN_DT_NONE, NO_LIST},
    {"bfloat16", TN_DT_BF16, INT32_LIST},
    {"float8e4m3fn", TN_DT_F8E4M3FN, INT32_LIST},
    {"float8e4m3fnuz", TN_DT_F8E4M3FNUZ, INT32_LIST},
    {"float8e5m2", TN_DT_F8E5M2, INT32_LIST},
    {"float8e5m2fnuz", TN_DT_F8E5M2FNUZ, INT32_LIST},
    {"uint4", TN_DT_U4, INT32_LIST},
    {"int4", TN_DT_I4, INT32_LIST},
    {"float4e2m1", TN_DT_F4E2M1FN, INT32_LIST},
    {"float8e8m0", TN_DT_F8E8M0FNU, INT32_LIST},
    {"uint2", TN_DT_U4, INT32_LIST},
    {"int2", TN_DT_I4, INT32_LIST},
};
enum { N_TYPES = sizeof types / sizeof types[0] };

tn_status tn_onnx_dtype(int64_t data_type, tn_dtype *out_dtype) {
  if (data_type <= 0 || data_type >= N_TYPES) {
    return TN_ERR(TN_INVALID, "element type %" PRId64 ", expected 1 to %d", data_type, N_TYPES - 1);
  }
  if (types[data_type].dtype == TN_DT_NONE) {
    return TN_ERR(TN_UNSUPPORTED, "elements of type %s", types[data_type].name);
  }
  *out_dtype = types[data_type].dtype;
  return NULL;
}

static bool is_two_bits(int64_t data_type) {
  return data_type == ONNX_UINT2 || data_type == ONNX_INT2;
}

tn_status tn_onnx_elem_find(int64_t data_type, tn_onnx_elem *out_elem) {
  TN_TRY(tn_onnx_dtype(data_type, &out_elem->dtype));
  out_elem->is_two_bits = is_two_bits(data_type);
  return NULL;
}

static tn_status wrong_size(size_t has, size_t needs, const char *unit) {
  return TN_ERR(TN_CORRUPT, "the file holds %zu %s, and the shape needs %zu", has, unit, needs);
}

/* ---- lists ---- */

static tn_status read_run(const tn_onnx_bytes *run, size_t elem_bytes, tn_array *array, size_t n,
                          size_t *at) {
  tn_wire wire = {(const uint8_t *)run->data, (const uint8_t *)run->data + run->len};
  char *to = array->data;
  if (elem_bytes != 0) {
    if (run->len % elem_bytes != 0 || run->len / elem_bytes > n - *at) {
      return wrong_size(run->len / elem_bytes + *at, n, "elements");
    }
    memcpy(to + *at * elem_bytes, run->data, run->len);
    *at += run->len / elem_bytes;
    return NULL;
  }
  size_t width = tn_dtype_bytes(array->dtype);
  while (wire.at != wire.end) {
    uint64_t bits = 0;
    if (*at == n) {
      return wrong_size(n + 1, n, "elements or more");
    }
    if (!tn_wire_varint(&wire, &bits)) {
      return TN_ERR(TN_CORRUPT, "a number of the list does not end");
    }
    memcpy(to + *at * width, &bits, width); /* little-endian, as all hosts of ours */
    ++*at;
  }
  return NULL;
}

static tn_status read_runs(const tn_onnx_texts *runs, size_t elem_bytes, tn_array *array) {
  size_t n = (size_t)tn_array_n_elems(array);
  size_t at = 0;
  n = tn_dtype_is_packed(array->dtype) ? (n + 1) / 2 : n; /* a number holds two elements */
  for (size_t i = 0; i < runs->len; ++i) {
    if (runs->data[i].len > 0) {
      TN_TRY(read_run(&runs->data[i], elem_bytes, array, n, &at));
    }
  }
  return at == n ? NULL : wrong_size(at, n, "elements");
}

static size_t runs_bytes(const tn_onnx_texts *runs) {
  size_t n = 0;
  for (size_t i = 0; i < runs->len; ++i) {
    n += runs->data[i].len;
  }
  return n;
}

static const tn_onnx_texts *list_of(const tn_onnx_tensor *tensor, size_t *out_elem_bytes) {
  *out_elem_bytes = 0;
  switch (types[tensor->data_type].list) {
    case FLOAT_LIST:
      *out_elem_bytes = 4;
      return &tensor->float_data;
    case INT32_LIST:
      return &tensor->int32_data;
    case INT64_LIST:
      return &tensor->int64_data;
    case DOUBLE_LIST:
      *out_elem_bytes = 8;
      return &tensor->double_data;
    case UINT64_LIST:
    case NO_LIST:
      break;
  }
  return &tensor->uint64_data;
}

/* ---- bytes ---- */

static tn_status take_bytes(const void *bytes, size_t n_bytes, tn_array *array) {
  size_t needs = tn_array_n_bytes(array);
  if (n_bytes != needs) {
    return wrong_size(n_bytes, needs, "bytes");
  }
  if (needs > 0) {
    memcpy(array->data, bytes, needs);
  }
  return NULL;
}

static bool parse_size(tn_onnx_bytes text, uint64_t *out) {
  uint64_t value = 0;
  for (size_t i = 0; i < text.len; ++i) {
    uint64_t digit = (uint64_t)(text.data[i] - '0');
    if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
      return false;
    }
    value = value * 10 + digit;
  }
  *out = value;
  return text.len > 0;
}

typedef struct external {
  tn_onnx_bytes path;
  uint64_t offset;
  uint64_t length;
  bool has_length;
} external;

static tn_status read_external(const tn_onnx_tensor *tensor, external *out) {
  external e = {0};
  for (size_t i = 0; i < tensor->external.len; ++i) {
    const tn_onnx_entry *entry = tensor->external.data[i];
    bool is_right = true;
    if (tn_onnx_is(entry->key, "location")) {
      e.path = entry->value;
    } else if (tn_onnx_is(entry->key, "offset")) {
      is_right = parse_size(entry->value, &e.offset);
    } else if (tn_onnx_is(entry->key, "length")) {
      e.has_length = is_right = parse_size(entry->value, &e.length);
    }
    if (!is_right) {
      return TN_ERR(TN_INVALID, "external data: %s is '%s', expected a number", entry->key.data,
                    entry->value.len > 0 ? entry->value.data : "");
    }
  }
  if (e.path.len == 0) {
    return TN_ERR(TN_INVALID, "external data without a location");
  }
  *out = e;
  return NULL;
}

/* True when a part of the path is "..". */
static bool leads_up(const char *path) {
  while (*path != '\0') {
    size_t len = strcspn(path, "/");
    if (len == 2 && memcmp(path, "..", 2) == 0) {
      return true;
    }
    path += len + (path[len] == '/' ? 1 : 0);
  }
  return false;
}

/* The file's true path; it must lie in the folder, links followed. */
static tn_status resolve_external(const char *folder, tn_onnx_bytes path, char **out_path) {
  tn_status st = NULL;
  tn_buf joined = TN_BUF_INIT;
  char *real = NULL;
  char *real_folder = NULL;
  if (path.data[0] == '/') {
    return TN_ERR(TN_INVALID,
                  "external data: the path '%s' is absolute; it must lie in the "
                  "model's folder",
                  path.data);
  }
  tn_buf_printf(&joined, "%s/%s", folder, path.data);
  real_folder = realpath(folder, NULL);
  real = realpath(joined.data, NULL);
  size_t len = real_folder == NULL ? 0 : strlen(real_folder);
  if (leads_up(path.data)) { /* before asking whether it is there */
    st = TN_ERR(TN_INVALID, "external data: the path '%s' may lead outside the model's folder",
                path.data);
  } else if (real == NULL || real_folder == NULL) {
    st = TN_ERR(TN_NOT_FOUND, "external data: no file '%s' beside the model", path.data);
  } else if (strncmp(real, real_folder, len) != 0 || (len > 1 && real[len] != '/')) {
    st = TN_ERR(TN_INVALID, "external data: '%s' leads outside the model's folder", path.data);
  } else {
    *out_path = real;
    real = NULL;
  }
  free(real);
  free(real_folder);
  tn_buf_deinit(&joined);
  return st;
}

tn_status tn_onnx_map_external(const char *folder, tn_onnx_bytes path, tn_mapped_file *out_file) {
  char *real = NULL;
  TN_TRY(resolve_external(folder, path, &real));
  tn_status st = tn_mapped_file_init(out_file, real);
  free(real);
  return st;
}

static tn_status from_file(const tn_onnx_tensor *tensor, const char *folder, tn_array *array) {
  tn_status st = NULL;
  external e = {0};
  tn_mapped_file file = {0};
  if (folder == NULL) {
    return TN_ERR(TN_INVALID, "external data, and there is no folder to look in");
  }
  TN_TRY(read_external(tensor, &e));
  TN_TRY(tn_onnx_map_external(folder, e.path, &file));
  if (e.offset > file.n_bytes) {
    st = TN_ERR(TN_INVALID, "external data: offset %" PRIu64 " in '%s', which has %zu bytes",
                e.offset, e.path.data, file.n_bytes);
    goto done;
  }
  uint64_t left = file.n_bytes - e.offset;
  uint64_t length = e.has_length ? e.length : tn_array_n_bytes(array);
  if (length > left) {
    st = TN_ERR(TN_INVALID,
                "external data: %" PRIu64 " bytes at offset %" PRIu64 " of '%s', which "
                "has %zu",
                length, e.offset, e.path.data, file.n_bytes);
    goto done;
  }
  st = take_bytes(length == 0 ? NULL : file.data + e.offset, (size_t)length, array);
done:
  tn_mapped_file_deinit(&file);
  return st;
}

/* ---- tensors ---- */

static tn_status check_shape(const tn_onnx_tensor *tensor, tn_dtype dtype, size_t *out_bytes) {
  if (tensor->dims.len > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%zu dimensions; there may be %d", tensor->dims.len,
                  (int)TN_MAX_NDIM);
  }
  for (size_t i = 0; i < tensor->dims.len; ++i) {
    if (tensor->dims.data[i] < 0) {
      return TN_ERR(TN_INVALID, "extent %" PRId64 " of dimension %zu is negative",
                    tensor->dims.data[i], i);
    }
  }
  if (!tn_shape_bytes((int32_t)tensor->dims.len, tensor->dims.data, dtype, out_bytes)) {
    return TN_ERR(TN_INVALID, "the shape overflows the size of memory");
  }
  return NULL;
}

/* What the file has of it, at most: an element takes a byte or more. */
static tn_status check_room(const tn_onnx_tensor *tensor, tn_dtype dtype, size_t n_bytes) {
  size_t elem_bytes = 0;
  if (tensor->location == 1) {
    return n_bytes <= (size_t)1 << 40 ? NULL : TN_ERR(TN_INVALID, "a tensor of %zu bytes", n_bytes);
  }
  if (tensor->raw.data != NULL) {
    return tensor->raw.len == n_bytes ? NULL : wrong_size(tensor->raw.len, n_bytes, "bytes");
  }
  size_t has = runs_bytes(list_of(tensor, &elem_bytes));
  size_t least =
      elem_bytes != 0 || tn_dtype_is_packed(dtype) ? n_bytes : n_bytes / tn_dtype_bytes(dtype);
  return has >= least ? NULL : wrong_size(has, least, "bytes or fewer");
}

static void tidy_bools(tn_array *array) {
  uint8_t *data = array->data;
  int64_t n = tn_array_n_elems(array);
  for (int64_t i = 0; i < n; ++i) {
    data[i] = data[i] != 0;
  }
}

/* Four elements of a byte, the first in its lowest bits, become four of 4 bits. */
static tn_status spread_two_bits(const tn_onnx_tensor *tensor, const char *folder,
                                 tn_array *out_array) {
  size_t n_bytes = 0;
  tn_array packed = {0};
  tn_array array = {0};
  tn_onnx_tensor bytes = *tensor;
  TN_TRY(check_shape(tensor, TN_DT_U8, &n_bytes)); /* as many bytes as elements */
  int64_t n_packed = (int64_t)(n_bytes / 4 + (n_bytes % 4 != 0 ? 1 : 0));
  bytes.data_type = ONNX_UINT8;
  bytes.dims = (tn_onnx_i64s){&n_packed, 1};
  TN_TRY(tn_onnx_tensor_to_array(&bytes, folder, &packed));
  tn_status st = tn_array_init(&array, types[tensor->data_type].dtype, (int32_t)tensor->dims.len,
                               tensor->dims.data);
  for (size_t i = 0; st == NULL && i < n_bytes; ++i) {
    int64_t value = ((const uint8_t *)packed.data)[i / 4] >> (2 * (i % 4)) & 3;
    value = tensor->data_type == ONNX_INT2 ? (value ^ 2) - 2 : value;
    tn_array_set_i64(&array, (int64_t)i, value);
  }
  tn_array_deinit(&packed);
  if (st == NULL) {
    *out_array = array;
  }
  return st;
}

tn_status tn_onnx_tensor_to_array(const tn_onnx_tensor *tensor, const char *folder,
                                  tn_array *out_array) {
  tn_dtype dtype = TN_DT_NONE;
  tn_array array = {0};
  size_t n_bytes = 0;
  size_t elem_bytes = 0;
  TN_TRY(tn_onnx_dtype(tensor->data_type, &dtype));
  if (is_two_bits(tensor->data_type)) {
    return spread_two_bits(tensor, folder, out_array);
  }
  TN_TRY(check_shape(tensor, dtype, &n_bytes));
  TN_TRY(check_room(tensor, dtype, n_bytes));
  TN_TRY(tn_array_init(&array, dtype, (int32_t)tensor->dims.len, tensor->dims.data));
  tn_status st = NULL;
  if (tensor->location == 1) {
    st = from_file(tensor, folder, &array);
  } else if (tensor->raw.data != NULL) {
    st = take_bytes(tensor->raw.data, tensor->raw.len, &array);
  } else {
    const tn_onnx_texts *runs = list_of(tensor, &elem_bytes);
    st = read_runs(runs, elem_bytes, &array);
  }
  if (st != NULL) {
    tn_array_deinit(&array);
    return st;
  }
  if (dtype == TN_DT_BOOL) {
    tidy_bools(&array);
  }
  *out_array = array;
  return NULL;
}
