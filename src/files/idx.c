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
  if (!tn_shape_bytes(h->ndim, h->shape, tn_dtype_bytes(h->dtype), &h->n_data)) {
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
