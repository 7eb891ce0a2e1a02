/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The idx format, plain or gzipped. */
#include "files/idx.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "files/elems.h"

/* Deflate cannot shrink more than this: a longest match of 258 bytes takes two bits at least. */
enum { MAX_DEFLATE_RATIO = 1032 };
enum { MAX_HEADER_BYTES = 4 + 4 * TN_MAX_NDIM };

typedef struct header {
  tn_dtype dtype;
  int32_t ndim;
  int64_t shape[TN_MAX_NDIM];
  size_t n_header; /* bytes */
  size_t n_data;   /* bytes */
} header;

/* TN_DT_NONE for a number that the format does not have. */
static tn_dtype type_of_code(uint8_t code) {
  switch (code) {
    case 0x08:
      return TN_DT_U8;
    case 0x09:
      return TN_DT_I8;
    case 0x0b:
      return TN_DT_I16;
    case 0x0c:
      return TN_DT_I32;
    case 0x0d:
      return TN_DT_F32;
    case 0x0e:
      return TN_DT_F64;
    default:
      return TN_DT_NONE;
  }
}

bool tn_idx_is(const uint8_t *bytes, size_t n_bytes) {
  return n_bytes >= 4 && bytes[0] == 0 && bytes[1] == 0 && type_of_code(bytes[2]) != TN_DT_NONE;
}

bool tn_idx_is_gz(const uint8_t *bytes, size_t n_bytes) {
  return n_bytes >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static tn_status parse_header(const uint8_t *bytes, size_t n_bytes, header *h) {
  if (!tn_idx_is(bytes, n_bytes)) {
    return TN_ERR(TN_CORRUPT, "not an idx file: it begins with no idx type");
  }
  if (bytes[3] > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "idx: arrays of more than %d dimensions cannot be read",
                  TN_MAX_NDIM);
  }
  h->dtype = type_of_code(bytes[2]);
  h->ndim = bytes[3];
  h->n_header = 4 + 4 * (size_t)h->ndim;
  if (n_bytes < h->n_header) {
    return TN_ERR(TN_CORRUPT, "idx file of %zu bytes ends inside its header", n_bytes);
  }
  for (int32_t d = 0; d < h->ndim; ++d) {
    const uint8_t *p = bytes + 4 + 4 * d;
    h->shape[d] = (int64_t)p[0] << 24 | (int64_t)p[1] << 16 | (int64_t)p[2] << 8 | (int64_t)p[3];
  }
  if (!tn_shape_bytes(h->ndim, h->shape, h->dtype, &h->n_data)) {
    return TN_ERR(TN_CORRUPT, "idx: the size of the declared shape overflows");
  }
  return NULL;
}

tn_status tn_idx_parse(const uint8_t *bytes, size_t n_bytes, tn_array *out_array) {
  header h = {0};
  TN_TRY(parse_header(bytes, n_bytes, &h));
  if (n_bytes - h.n_header != h.n_data) {
    return TN_ERR(TN_CORRUPT, "idx: the declared shape needs %zu bytes, the file has %zu", h.n_data,
                  n_bytes - h.n_header);
  }
  tn_array array = {0};
  TN_TRY(tn_array_init(&array, h.dtype, h.ndim, h.shape));
  tn_elems_copy(array.data, bytes + h.n_header, (size_t)tn_array_n_elems(&array),
                tn_dtype_bytes(h.dtype), tn_elems_host_is_little());
  *out_array = array;
  return NULL;
}

/* Unpacks at most `cap` bytes. *out_is_end: the stream ended there, its checksum was right and
 * nothing follows it. */
static tn_status gunzip(const uint8_t *bytes, size_t n_bytes, uint8_t *out, size_t cap,
                        size_t *out_len, bool *out_is_end) {
  z_stream z;
  memset(&z, 0, sizeof z);
  if (inflateInit2(&z, 15 + 16) != Z_OK) { /* the largest window; a gzip header, no other */
    return TN_ERR(TN_NO_MEMORY, "no memory to unpack");
  }
  size_t n_in = 0;
  size_t n_out = 0;
  int rc = Z_OK;
  while (rc == Z_OK) { /* zlib counts in 32 bits: hand it pieces */
    size_t in_piece = n_bytes - n_in < INT_MAX ? n_bytes - n_in : INT_MAX;
    size_t out_piece = cap - n_out < INT_MAX ? cap - n_out : INT_MAX;
    z.next_in = (Bytef *)(uintptr_t)(bytes + n_in); /* zlib only reads it */
    z.avail_in = (uInt)in_piece;
    z.next_out = out + n_out;
    z.avail_out = (uInt)out_piece;
    rc = inflate(&z, Z_NO_FLUSH);
    n_in += in_piece - z.avail_in;
    n_out += out_piece - z.avail_out;
  }
  inflateEnd(&z);
  if (rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
    return TN_ERR(TN_CORRUPT, "gzip: the packed data is damaged");
  }
  *out_len = n_out;
  *out_is_end = rc == Z_STREAM_END && n_in == n_bytes;
  return NULL;
}

tn_status tn_idx_gz_parse(const uint8_t *bytes, size_t n_bytes, tn_array *out_array) {
  uint8_t head[MAX_HEADER_BYTES];
  size_t n_head = 0;
  bool is_end = false;
  TN_TRY(gunzip(bytes, n_bytes, head, sizeof head, &n_head, &is_end));
  header h = {0};
  TN_TRY(parse_header(head, n_head, &h));
  size_t n_total = h.n_header + h.n_data;
  if (n_total / MAX_DEFLATE_RATIO > n_bytes) {
    return TN_ERR(TN_CORRUPT,
                  "idx: the declared shape needs %zu bytes; the %zu of the file cannot unpack "
                  "to so many",
                  h.n_data, n_bytes);
  }
  uint8_t *plain = malloc(n_total + 1); /* one more: a longer stream shows by filling it */
  if (plain == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for %zu bytes", n_total);
  }
  size_t n_plain = 0;
  tn_status st = gunzip(bytes, n_bytes, plain, n_total + 1, &n_plain, &is_end);
  if (st == NULL && (!is_end || n_plain != n_total)) {
    st = TN_ERR(TN_CORRUPT, "idx: the declared shape needs %zu bytes, the packed data %s", h.n_data,
                n_plain > n_total ? "has more" : "ends early or is followed by something else");
  }
  if (st == NULL) {
    st = tn_idx_parse(plain, n_total, out_array);
  }
  free(plain);
  return st;
}

/* ---- writing ---- */

/* 0 for a type that the format does not have. */
static uint8_t code_of_type(tn_dtype dtype) {
  for (uint8_t code = 0x08; code <= 0x0e; ++code) {
    if (type_of_code(code) == dtype) {
      return code;
    }
  }
  return 0;
}

tn_status tn_idx_print(const tn_array *array, tn_buf *buf) {
  char dtype[TN_DTYPE_TEXT_BYTES];
  uint8_t code = code_of_type(array->dtype);
  if (code == 0) {
    return TN_ERR(TN_UNSUPPORTED, "idx files hold no %s; .npy does",
                  tn_dtype_print(array->dtype, dtype));
  }
  uint8_t head[MAX_HEADER_BYTES] = {0, 0, code, (uint8_t)array->ndim};
  for (int32_t d = 0; d < array->ndim; ++d) {
    int64_t extent = array->shape[d];
    if (extent > UINT32_MAX) {
      return TN_ERR(TN_UNSUPPORTED, "idx: extent %lld is past 32 bits", (long long)extent);
    }
    for (int32_t b = 0; b < 4; ++b) {
      head[4 + 4 * d + b] = (uint8_t)(extent >> (24 - 8 * b));
    }
  }
  size_t n_bytes = tn_array_n_bytes(array);
  uint8_t *data = malloc(n_bytes + 1);
  if (data == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for %zu bytes", n_bytes);
  }
  tn_elems_copy(data, array->data, (size_t)tn_array_n_elems(array), tn_dtype_bytes(array->dtype),
                tn_elems_host_is_little());
  tn_buf_append(buf, head, 4 + 4 * (size_t)array->ndim);
  tn_buf_append(buf, data, n_bytes);
  free(data);
  return NULL;
}

/* Packs all of `plain`; zlib counts in 32 bits, so it gets pieces. */
static tn_status gzip(const tn_buf *plain, tn_buf *out) {
  uint8_t piece[1 << 16];
  z_stream z;
  memset(&z, 0, sizeof z);
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return TN_ERR(TN_NO_MEMORY, "no memory to pack");
  }
  size_t n_in = 0;
  int rc = Z_OK;
  while (rc == Z_OK) {
    size_t in_piece = plain->len - n_in < INT_MAX ? plain->len - n_in : INT_MAX;
    z.next_in = (Bytef *)(uintptr_t)(plain->data + n_in); /* zlib only reads it */
    z.avail_in = (uInt)in_piece;
    z.next_out = piece;
    z.avail_out = sizeof piece;
    rc = deflate(&z, n_in + in_piece == plain->len ? Z_FINISH : Z_NO_FLUSH);
    n_in += in_piece - z.avail_in;
    tn_buf_append(out, piece, sizeof piece - z.avail_out);
  }
  deflateEnd(&z);
  return rc == Z_STREAM_END ? NULL : TN_ERR(TN_INTERNAL, "gzip: packing stopped with %d", rc);
}

tn_status tn_idx_gz_print(const tn_array *array, tn_buf *buf) {
  tn_buf plain = TN_BUF_INIT;
  tn_status st = tn_idx_print(array, &plain);
  if (st == NULL) {
    st = gzip(&plain, buf);
  }
  tn_buf_deinit(&plain);
  return st;
}
