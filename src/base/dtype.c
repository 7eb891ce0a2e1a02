/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Names of element types. */
#include "base/dtype.h"

#include <stdio.h>
#include <string.h>

typedef struct type_name {
  const char *text;
  tn_dtype dt;
} type_name;

/* Every one-lane type that Tenon knows. */
static const type_name type_names[] = {
    {"float32", TN_DT_F32},
    {"int64", TN_DT_I64},
    {"int32", TN_DT_I32},
    {"bool", TN_DT_BOOL},
    {"float64", TN_DT_F64},
    {"float16", TN_DT_F16},
    {"int8", TN_DT_I8},
    {"int16", TN_DT_I16},
    {"uint8", TN_DT_U8},
    {"uint16", TN_DT_U16},
    {"uint32", TN_DT_U32},
    {"uint64", TN_DT_U64},
    {"handle", TN_DT_HANDLE},
    {"bfloat16", TN_DT_BF16},
    {"int4", TN_DT_I4},
    {"uint4", TN_DT_U4},
    {"e4m3_float8", TN_DT_F8E4M3FN}, /* as TVM wrote them in 2024; what is printed comes after */
    {"e5m2_float8", TN_DT_F8E5M2},
    {"float8_e3m4", TN_DT_F8E3M4},
    {"float8_e4m3", TN_DT_F8E4M3},
    {"float8_e4m3b11fnuz", TN_DT_F8E4M3B11FNUZ},
    {"float8_e4m3fn", TN_DT_F8E4M3FN},
    {"float8_e4m3fnuz", TN_DT_F8E4M3FNUZ},
    {"float8_e5m2", TN_DT_F8E5M2},
    {"float8_e5m2fnuz", TN_DT_F8E5M2FNUZ},
    {"float8_e8m0fnu", TN_DT_F8E8M0FNU},
    {"float6_e2m3fn", TN_DT_F6E2M3FN},
    {"float6_e3m2fn", TN_DT_F6E3M2FN},
    {"float4_e2m1fn", TN_DT_F4E2M1FN},
};
enum { N_TYPE_NAMES = sizeof type_names / sizeof type_names[0] };

char *tn_dtype_print(tn_dtype dt, char *out) {
  const char *name = NULL;
  for (size_t i = 0; i < N_TYPE_NAMES; ++i) {
    if (type_names[i].dt == tn_dtype_elem(dt)) {
      name = type_names[i].text;
    }
  }
  uint32_t n_lanes = tn_dtype_lanes(dt);
  if (dt == TN_DT_NONE) {
    (void)snprintf(out, TN_DTYPE_TEXT_BYTES, "none");
  } else if (name == NULL || n_lanes == 0) {
    (void)snprintf(out, TN_DTYPE_TEXT_BYTES, "dtype(%u,%u,%u)", tn_dtype_code(dt),
                   tn_dtype_bits(dt), n_lanes);
  } else if (n_lanes == 1) {
    (void)snprintf(out, TN_DTYPE_TEXT_BYTES, "%s", name);
  } else {
    (void)snprintf(out, TN_DTYPE_TEXT_BYTES, "%sx%u", name, n_lanes);
  }
  return out;
}

/* "x4" and the like: 2 to 65535, no leading zero. */
static bool parse_lanes(const char *text, size_t len, uint32_t *out_lanes) {
  if (len < 2 || len > 6 || text[0] != 'x' || text[1] == '0') {
    return false;
  }
  uint32_t n_lanes = 0;
  for (size_t i = 1; i < len; ++i) {
    if (text[i] < '0' || text[i] > '9') {
      return false;
    }
    n_lanes = n_lanes * 10 + (uint32_t)(text[i] - '0');
  }
  *out_lanes = n_lanes;
  return n_lanes >= 2 && n_lanes <= 65535;
}

bool tn_dtype_parse(const char *text, size_t len, tn_dtype *out_dt) {
  for (size_t i = 0; i < N_TYPE_NAMES; ++i) {
    size_t n_name = strlen(type_names[i].text);
    if (len < n_name || memcmp(text, type_names[i].text, n_name) != 0) {
      continue;
    }
    uint32_t n_lanes = 1;
    if (len > n_name && !parse_lanes(text + n_name, len - n_name, &n_lanes)) {
      continue;
    }
    *out_dt = tn_dtype_with_lanes(type_names[i].dt, n_lanes);
    return true;
  }
  return false;
}
