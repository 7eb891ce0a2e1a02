/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The .npy format: magic, version, the length of a header, and a header that is the text of a
 * Python dict with exactly the keys descr, fortran_order and shape; then the elements.
 *
 * A type that NumPy has not is written as a record of one field, whose name is the type and whose
 * value its bits: [('bfloat16', '<u2')], [('float8_e4m3fn', '|u1')]; elements of 4 bits have a byte
 * each. So NumPy loads the file, a['bfloat16'] are the bits, and Tenon knows the type. */
#include "files/npy.h"

#include <string.h>

#include "base/file.h"
#include "files/elems.h"
#include "files/files.h"

static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { MAX_HEADER_BYTES = 1 << 16, PRINT_ALIGN_BYTES = 64 };

typedef struct type_code {
  char text[3]; /* kind and size, as in '<f4' */
  tn_dtype dt;
} type_code;

static const type_code type_codes[] = {
    {"b1", TN_DT_BOOL}, {"i1", TN_DT_I8},  {"i2", TN_DT_I16}, {"i4", TN_DT_I32},
    {"i8", TN_DT_I64},  {"u1", TN_DT_U8},  {"u2", TN_DT_U16}, {"u4", TN_DT_U32},
    {"u8", TN_DT_U64},  {"f2", TN_DT_F16}, {"f4", TN_DT_F32}, {"f8", TN_DT_F64},
};
enum { N_TYPE_CODES = sizeof type_codes / sizeof type_codes[0] };

/* What the header says. */
typedef struct header {
  tn_dtype dtype;  /* what the elements are */
  tn_dtype stored; /* as what they lie in the file */
  bool is_swapped;
  bool is_fortran;
  int32_t ndim;
  int64_t shape[TN_MAX_NDIM];
} header;

/* A cursor over the header's text; it is not NUL-terminated. */
typedef struct cursor {
  const char *p;
  const char *end;
} cursor;

bool tn_npy_is(const uint8_t *bytes, size_t n_bytes) {
  return n_bytes >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static void skip_spaces(cursor *c) {
  while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t')) {
    ++c->p;
  }
}

static bool accept(cursor *c, char wanted) {
  skip_spaces(c);
  if (c->p < c->end && *c->p == wanted) {
    ++c->p;
    return true;
  }
  return false;
}

static tn_status expect(cursor *c, char wanted) {
  if (accept(c, wanted)) {
    return NULL;
  }
  if (c->p == c->end) {
    return TN_ERR(TN_CORRUPT, "npy header: '%c' expected at the end", wanted);
  }
  return TN_ERR(TN_CORRUPT, "npy header: '%c' expected before '%.*s'", wanted,
                (int)(c->end - c->p < 20 ? c->end - c->p : 20), c->p);
}

/* A quoted text without escapes; the result points into the header. */
static tn_status parse_string(cursor *c, const char **out_text, size_t *out_len) {
  skip_spaces(c);
  char quote = c->p < c->end && *c->p == '"' ? '"' : '\'';
  TN_TRY(expect(c, quote));
  const char *start = c->p;
  while (c->p < c->end && *c->p != quote && *c->p != '\\') {
    ++c->p;
  }
  size_t len = (size_t)(c->p - start);
  TN_TRY(expect(c, quote));
  *out_text = start;
  *out_len = len;
  return NULL;
}

static bool accept_word(cursor *c, const char *word) {
  size_t len = strlen(word);
  skip_spaces(c);
  if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0) {
    return false;
  }
  c->p += len;
  return true;
}

/* As what a type that NumPy has not lies in a file; NONE for the others. */
static tn_dtype stored_as(tn_dtype dtype) {
  return dtype == TN_DT_BF16 ? TN_DT_U16 : tn_dtype_is_storage(dtype) ? TN_DT_U8 : TN_DT_NONE;
}

static tn_status parse_code(cursor *c, header *h) {
  const char *text = NULL;
  size_t len = 0;
  TN_TRY(parse_string(c, &text, &len));
  for (size_t i = 0; i < N_TYPE_CODES && len == 3; ++i) {
    if (memcmp(text + 1, type_codes[i].text, 2) != 0 || strchr("<>=|", text[0]) == NULL) {
      continue;
    }
    bool is_little = text[0] == '<' || (text[0] != '>' && tn_elems_host_is_little());
    h->dtype = type_codes[i].dt;
    h->stored = h->dtype;
    h->is_swapped = is_little != tn_elems_host_is_little();
    return NULL;
  }
  return TN_ERR(TN_UNSUPPORTED, "npy: elements of type '%.*s' cannot be read",
                (int)(len < 20 ? len : 20), text);
}

/* [('bfloat16', '<u2')] */
static tn_status parse_record(cursor *c, header *h) {
  const char *name = NULL;
  size_t len = 0;
  tn_dtype dtype = TN_DT_NONE;
  TN_TRY(expect(c, '['));
  TN_TRY(expect(c, '('));
  TN_TRY(parse_string(c, &name, &len));
  TN_TRY(expect(c, ','));
  TN_TRY(parse_code(c, h));
  bool is_one = accept(c, ')');
  (void)accept(c, ',');
  if (!is_one || !accept(c, ']') || !tn_dtype_parse(name, len, &dtype) ||
      tn_dtype_lanes(dtype) != 1 || stored_as(dtype) != h->stored) {
    return TN_ERR(TN_UNSUPPORTED, "npy: arrays of records cannot be read");
  }
  h->dtype = dtype;
  return NULL;
}

static tn_status parse_descr(cursor *c, header *h) {
  skip_spaces(c);
  if (c->p < c->end && *c->p == '[') {
    return parse_record(c, h);
  }
  if (c->p < c->end && *c->p == '(') {
    return TN_ERR(TN_UNSUPPORTED, "npy: arrays of records cannot be read");
  }
  return parse_code(c, h);
}

static tn_status parse_extent(cursor *c, int64_t *out_extent) {
  skip_spaces(c);
  const char *start = c->p;
  int64_t extent = 0;
  while (c->p < c->end && *c->p >= '0' && *c->p <= '9') {
    if (__builtin_mul_overflow(extent, 10, &extent) ||
        __builtin_add_overflow(extent, *c->p - '0', &extent)) {
      return TN_ERR(TN_CORRUPT, "npy header: an extent is past 2^63 - 1");
    }
    ++c->p;
  }
  if (c->p == start) {
    return TN_ERR(TN_CORRUPT, "npy header: an extent is not a whole number");
  }
  if (c->p < c->end && *c->p == 'L') { /* Python 2 wrote long integers so */
    ++c->p;
  }
  *out_extent = extent;
  return NULL;
}

static tn_status parse_shape(cursor *c, header *h) {
  TN_TRY(expect(c, '('));
  while (!accept(c, ')')) {
    if (h->ndim == TN_MAX_NDIM) {
      return TN_ERR(TN_UNSUPPORTED, "npy: arrays of more than %d dimensions cannot be read",
                    TN_MAX_NDIM);
    }
    TN_TRY(parse_extent(c, &h->shape[h->ndim]));
    ++h->ndim;
    if (!accept(c, ',')) {
      TN_TRY(expect(c, ')'));
      if (h->ndim == 1) {
        return TN_ERR(TN_CORRUPT, "npy header: a shape of one extent needs a comma");
      }
      break;
    }
  }
  return NULL;
}

static tn_status parse_order(cursor *c, header *h) {
  if (accept_word(c, "True")) {
    h->is_fortran = true;
  } else if (!accept_word(c, "False")) {
    return TN_ERR(TN_CORRUPT, "npy header: fortran_order is neither True nor False");
  }
  return NULL;
}

typedef struct header_key {
  const char *name;
  tn_status (*parse)(cursor *c, header *h);
} header_key;

static const header_key header_keys[] = {
    {"descr", parse_descr},
    {"fortran_order", parse_order},
    {"shape", parse_shape},
};
enum { N_HEADER_KEYS = sizeof header_keys / sizeof header_keys[0] };

/* One "key: value"; `seen` has a bit for each key that stood before. */
static tn_status parse_item(cursor *c, header *h, unsigned *seen) {
  const char *key = NULL;
  size_t len = 0;
  TN_TRY(parse_string(c, &key, &len));
  TN_TRY(expect(c, ':'));
  for (unsigned i = 0; i < N_HEADER_KEYS; ++i) {
    if (strlen(header_keys[i].name) != len || memcmp(header_keys[i].name, key, len) != 0) {
      continue;
    }
    if ((*seen & 1u << i) != 0) {
      return TN_ERR(TN_CORRUPT, "npy header: key '%s' stands twice", header_keys[i].name);
    }
    *seen |= 1u << i;
    return header_keys[i].parse(c, h);
  }
  return TN_ERR(TN_CORRUPT, "npy header: unknown key '%.*s'", (int)(len < 40 ? len : 40), key);
}

static tn_status parse_header(const char *text, size_t len, header *h) {
  cursor c = {text, text + len};
  unsigned seen = 0;
  TN_TRY(expect(&c, '{'));
  while (!accept(&c, '}')) {
    TN_TRY(parse_item(&c, h, &seen));
    if (!accept(&c, ',')) {
      TN_TRY(expect(&c, '}'));
      break;
    }
  }
  for (unsigned i = 0; i < N_HEADER_KEYS; ++i) {
    if ((seen & 1u << i) == 0) {
      return TN_ERR(TN_CORRUPT, "npy header: key '%s' is missing", header_keys[i].name);
    }
  }
  skip_spaces(&c);
  if (c.p != c.end) {
    return TN_ERR(TN_CORRUPT, "npy header: text after the closing '}'");
  }
  return NULL;
}

/* Where header and elements are in the file. */
static tn_status find_header(const uint8_t *bytes, size_t n_bytes, size_t *out_at,
                             size_t *out_len) {
  if (!tn_npy_is(bytes, n_bytes)) {
    return TN_ERR(TN_CORRUPT, "not an npy file: it does not begin with \\x93NUMPY");
  }
  if (n_bytes < 8) {
    return TN_ERR(TN_CORRUPT, "npy file of %zu bytes ends inside its header", n_bytes);
  }
  uint8_t major = bytes[6];
  if (major < 1 || major > 3 || bytes[7] != 0) {
    return TN_ERR(TN_UNSUPPORTED, "npy format %d.%d; 1.0, 2.0 and 3.0 can be read", bytes[6],
                  bytes[7]);
  }
  size_t n_len = major == 1 ? 2 : 4;
  if (n_bytes < 8 + n_len) {
    return TN_ERR(TN_CORRUPT, "npy file of %zu bytes ends inside its header", n_bytes);
  }
  size_t len = 0;
  for (size_t i = 0; i < n_len; ++i) {
    len |= (size_t)bytes[8 + i] << (8 * i);
  }
  if (len > n_bytes - 8 - n_len) {
    return TN_ERR(TN_CORRUPT, "npy header of %zu bytes in a file of %zu bytes", len, n_bytes);
  }
  if (len > MAX_HEADER_BYTES) {
    return TN_ERR(TN_CORRUPT, "npy header of %zu bytes; at most %d are accepted", len,
                  (int)MAX_HEADER_BYTES);
  }
  *out_at = 8 + n_len;
  *out_len = len;
  return NULL;
}

/* A packed type's elements from one byte each to two in a byte, or back. */
static tn_status repack(const tn_array *from, tn_dtype dtype, tn_array *out) {
  tn_array array = {0};
  TN_TRY(tn_array_init(&array, dtype, from->ndim, from->shape));
  int64_t n_elems = tn_array_n_elems(from);
  const uint8_t *src = from->data;
  uint8_t *dst = array.data;
  for (int64_t i = 0; i < n_elems; ++i) {
    if (tn_dtype_is_packed(dtype)) {
      tn_nibble_set(dst, (uint64_t)i, src[i]);
    } else {
      dst[i] = (uint8_t)tn_nibble_get(src, (uint64_t)i);
    }
  }
  *out = array;
  return NULL;
}

/* Takes `stored`. */
static tn_status from_stored(tn_array *stored, tn_dtype dtype, tn_array *out) {
  if (tn_dtype_is_packed(dtype)) {
    tn_status st = repack(stored, dtype, out);
    tn_array_deinit(stored);
    return st;
  }
  *out = *stored;
  out->dtype = dtype;
  return NULL;
}

tn_status tn_npy_parse(const uint8_t *bytes, size_t n_bytes, tn_array *out_array) {
  size_t header_at = 0;
  size_t header_len = 0;
  TN_TRY(find_header(bytes, n_bytes, &header_at, &header_len));
  header h = {0};
  TN_TRY(parse_header((const char *)bytes + header_at, header_len, &h));
  size_t n_there = n_bytes - header_at - header_len;
  size_t n_wanted = 0;
  if (!tn_shape_bytes(h.ndim, h.shape, h.stored, &n_wanted)) {
    return TN_ERR(TN_CORRUPT, "npy: the size of the declared shape overflows");
  }
  if (n_wanted != n_there) {
    return TN_ERR(TN_CORRUPT, "npy: the declared shape needs %zu bytes, the file has %zu", n_wanted,
                  n_there);
  }
  tn_array array = {0};
  TN_TRY(tn_array_init(&array, h.stored, h.ndim, h.shape));
  const uint8_t *src = bytes + header_at + header_len;
  if (h.is_fortran && h.ndim > 1) {
    tn_elems_copy_fortran(&array, src, h.is_swapped);
  } else {
    size_t n_elems = (size_t)tn_array_n_elems(&array);
    tn_elems_copy(array.data, src, n_elems, tn_dtype_bytes(h.stored), h.is_swapped);
  }
  tn_elems_clean_bools(&array);
  return from_stored(&array, h.dtype, out_array);
}

/* record: the type that the elements' bits mean; NULL: the array's own. */
static tn_status print_array(const tn_array *array, const char *record, tn_buf *buf) {
  const char *code = NULL;
  char name[TN_DTYPE_TEXT_BYTES];
  tn_dtype stored = stored_as(array->dtype);
  if (tn_dtype_is_packed(array->dtype) && tn_dtype_lanes(array->dtype) == 1 && record == NULL) {
    tn_array bytes = {0};
    TN_TRY(repack(array, TN_DT_U8, &bytes));
    tn_status st = print_array(&bytes, tn_dtype_print(array->dtype, name), buf);
    tn_array_deinit(&bytes);
    return st;
  }
  if (stored != TN_DT_NONE && tn_dtype_lanes(array->dtype) == 1) {
    record = tn_dtype_print(array->dtype, name);
  }
  stored = stored == TN_DT_NONE ? array->dtype : stored;
  for (size_t i = 0; i < N_TYPE_CODES; ++i) {
    if (type_codes[i].dt == stored) {
      code = type_codes[i].text;
    }
  }
  if (code == NULL || tn_dtype_lanes(array->dtype) != 1) {
    return TN_ERR(TN_UNSUPPORTED, "npy files cannot hold elements of type %s",
                  tn_dtype_print(array->dtype, name));
  }
  size_t elem_bytes = tn_dtype_bytes(stored);
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, "{'descr': ");
  if (record != NULL) {
    tn_buf_printf(&text, "[('%s', ", record);
  }
  tn_buf_printf(&text, "'%c%s'%s, 'fortran_order': False, 'shape': (", elem_bytes == 1 ? '|' : '<',
                code, record != NULL ? ")]" : "");
  for (int32_t d = 0; d < array->ndim; ++d) {
    const char *after = array->ndim == 1 ? "," : d + 1 < array->ndim ? ", " : "";
    tn_buf_printf(&text, "%lld%s", (long long)array->shape[d], after);
  }
  tn_buf_puts(&text, "), }");
  while ((10 + text.len + 1) % PRINT_ALIGN_BYTES != 0) { /* the elements begin aligned */
    tn_buf_putc(&text, ' ');
  }
  tn_buf_putc(&text, '\n');
  tn_buf_append(buf, magic, sizeof magic);
  const uint8_t version_and_len[4] = {1, 0, (uint8_t)(text.len & 0xff), (uint8_t)(text.len >> 8)};
  tn_buf_append(buf, version_and_len, sizeof version_and_len);
  tn_buf_append(buf, text.data, text.len);
  tn_buf_deinit(&text);
  size_t at = buf->len;
  tn_buf_append(buf, array->data, tn_array_n_bytes(array));
  if (!tn_elems_host_is_little()) {
    tn_elems_copy(buf->data + at, array->data, (size_t)tn_array_n_elems(array), elem_bytes, true);
  }
  return NULL;
}

tn_status tn_npy_print(const tn_array *array, tn_buf *buf) { return print_array(array, NULL, buf); }

tn_status tn_npy_write(const char *path, const tn_array *array) {
  tn_buf buf = TN_BUF_INIT;
  tn_status st = tn_npy_print(array, &buf);
  if (st == NULL) {
    st = tn_file_write(path, buf.data, buf.len);
  }
  tn_buf_deinit(&buf);
  return tn_status_wrap(st, "writing %s", path);
}
