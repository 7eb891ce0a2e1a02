/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* See metadata.h. All of the text may be wrong; nothing is allocated before it was judged. */
#include "script/metadata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "files/elems.h"
#include "files/json.h"

struct tn_metadata {
  tn_json *root;
  const tn_json *nodes;
  const tn_json *arrays;
};

void tn_metadata_free(tn_metadata *meta) {
  if (meta != NULL) {
    tn_json_free(meta->root);
    free(meta);
  }
}

/* ---- base64 ---- */

static int digit_of(char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
         : c == '/'             ? 63
                                : -1;
}

/* False for a character that is none of base64's. Line ends are passed over. */
static bool decode_base64(const char *text, size_t len, tn_buf *out) {
  uint32_t bits = 0;
  uint32_t n_bits = 0;
  size_t i = 0;
  for (; i < len && text[i] != '='; ++i) {
    int digit = digit_of(text[i]);
    if (text[i] == '\n' || text[i] == '\r') {
      continue;
    }
    if (digit < 0) {
      return false;
    }
    bits = (bits << 6 | (uint32_t)digit) & 0xffff;
    n_bits += 6;
    if (n_bits >= 8) {
      n_bits -= 8;
      tn_buf_putc(out, (char)(bits >> n_bits & 0xff));
    }
  }
  return strspn(text + i, "=\r\n") == len - i;
}

/* ---- arrays ---- */

typedef struct cursor {
  const char *data;
  size_t n_left;
} cursor;

static bool take(cursor *c, void *out, size_t n_bytes) {
  if (c->n_left < n_bytes) {
    return false;
  }
  memcpy(out, c->data, n_bytes);
  c->data += n_bytes;
  c->n_left -= n_bytes;
  return true;
}

static tn_status cut_short(void) { return TN_ERR(TN_CORRUPT, "the array's bytes end too early"); }

static tn_status read_header(cursor *c, tn_dtype *out_dtype, int32_t *out_ndim) {
  static const uint64_t magic = UINT64_C(0xDD5E40F096B4A13F);
  uint64_t words[2] = {0, 0};
  int32_t device[2] = {0, 0};
  uint8_t type[2] = {0, 0};
  uint16_t lanes = 0;
  if (!take(c, words, sizeof words) || !take(c, device, sizeof device) ||
      !take(c, out_ndim, sizeof *out_ndim) || !take(c, type, sizeof type) ||
      !take(c, &lanes, sizeof lanes)) {
    return cut_short();
  }
  if (words[0] != magic) {
    return TN_ERR(TN_CORRUPT, "this is no array: it begins with 0x%016" PRIx64, words[0]);
  }
  if (*out_ndim < 0 || *out_ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_CORRUPT, "an array of %d dimensions; there may be %d", *out_ndim,
                  (int)TN_MAX_NDIM);
  }
  char name[TN_DTYPE_TEXT_BYTES];
  tn_dtype dtype = tn_dtype_make(type[0], type[1], lanes);
  tn_dtype known = TN_DT_NONE;
  if (type[0] == TN_TC_UINT && type[1] == 1) { /* how TVM writes bool */
    dtype = tn_dtype_make(TN_TC_BOOL, 8, lanes);
  }
  (void)tn_dtype_print(dtype, name);
  if (lanes != 1 || tn_dtype_is_handle(dtype) || !tn_dtype_parse(name, strlen(name), &known)) {
    return TN_ERR(TN_UNSUPPORTED, "an array of type code %u, %u bits, %u lanes", type[0], type[1],
                  lanes);
  }
  *out_dtype = known;
  return NULL;
}

static tn_status read_array(const char *data, size_t n_bytes, tn_array *out) {
  cursor c = {data, n_bytes};
  tn_dtype dtype = TN_DT_NONE;
  int32_t ndim = 0;
  int64_t shape[TN_MAX_NDIM];
  int64_t n_said = 0;
  size_t n_want = 0;
  TN_TRY(read_header(&c, &dtype, &ndim));
  if (!take(&c, shape, sizeof(int64_t) * (size_t)ndim) || !take(&c, &n_said, sizeof n_said)) {
    return cut_short();
  }
  /* judged before anything is allocated */
  if (!tn_shape_bytes(ndim, shape, dtype, &n_want) || n_said < 0 || n_want != (uint64_t)n_said) {
    return TN_ERR(TN_CORRUPT, "the array's extents and its %" PRId64 " bytes disagree", n_said);
  }
  if (n_want > c.n_left) {
    return cut_short();
  }
  TN_TRY(tn_array_init(out, dtype, ndim, shape));
  if (n_want > 0) {
    memcpy(out->data, c.data, n_want);
  }
  tn_elems_clean_bools(out);
  return NULL;
}

/* ---- nodes ---- */

tn_status tn_metadata_parse(const char *text, size_t len, tn_metadata **out_meta) {
  tn_metadata *meta = calloc(1, sizeof *meta);
  if (meta == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for the metadata");
  }
  tn_status st = tn_json_parse(text, len, &meta->root);
  if (st == NULL && tn_json_get(meta->root, "root_index") != NULL) {
    st = TN_ERR(TN_UNSUPPORTED,
                "metadata of 2025 and later, with \"root_index\", is not read; the form with "
                "\"b64ndarrays\" is");
  }
  if (st != NULL) {
    tn_metadata_free(meta);
    return st;
  }
  meta->nodes = tn_json_get(meta->root, "nodes");
  meta->arrays = tn_json_get(meta->root, "b64ndarrays");
  *out_meta = meta;
  return NULL;
}

static const tn_json *node_at(const tn_metadata *meta, const tn_json *index) {
  int64_t i = 0;
  return tn_json_int(index, &i) && i >= 0 ? tn_json_at(meta->nodes, (size_t)i) : NULL;
}

/* The node that holds the constants: the root maps kinds to lists. */
static const tn_json *find_list(const tn_metadata *meta, const char *kind) {
  const tn_json *map = node_at(meta, tn_json_get(meta->root, "root"));
  const tn_json *keys = tn_json_get(map, "keys");
  const tn_json *data = tn_json_get(map, "data");
  for (size_t i = 0; i < tn_json_size(keys); ++i) {
    size_t len = 0;
    const char *key = tn_json_text(tn_json_at(keys, i), &len);
    if (key != NULL && strlen(kind) == len && memcmp(key, kind, len) == 0) {
      return tn_json_get(node_at(meta, tn_json_at(data, i)), "data");
    }
  }
  return NULL;
}

tn_status tn_metadata_load(const tn_metadata *meta, const char *kind, int64_t index,
                           tn_array *out) {
  const tn_json *list = find_list(meta, kind);
  const tn_json *node = index < 0 ? NULL : node_at(meta, tn_json_at(list, (size_t)index));
  int64_t at = 0;
  size_t len = 0;
  if (node == NULL) {
    return TN_ERR(TN_NOT_FOUND, "the metadata has no constant %" PRId64 "; it has %zu", index,
                  tn_json_size(list));
  }
  if (!tn_json_int(tn_json_get(tn_json_get(node, "attrs"), "data"), &at) || at < 0) {
    return TN_ERR(TN_CORRUPT, "the node of constant %" PRId64 " names no array", index);
  }
  const char *text = tn_json_text(tn_json_at(meta->arrays, (size_t)at), &len);
  if (text == NULL) {
    return TN_ERR(TN_NOT_FOUND, "the metadata has no array %" PRId64, at);
  }
  tn_buf bytes = TN_BUF_INIT;
  tn_status st = decode_base64(text, len, &bytes)
                     ? read_array(tn_buf_text(&bytes), bytes.len, out)
                     : TN_ERR(TN_CORRUPT, "array %" PRId64 " is no base64 text", at);
  tn_buf_deinit(&bytes);
  return st;
}
