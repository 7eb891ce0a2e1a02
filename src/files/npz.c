/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* .npz through libzip: reading by name, and writing bytes that depend only on names and contents.
 * Declared sizes are believed only as far as the bytes of the file can go. */
#include "files/npz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

#include "base/buf.h"
#include "base/vec.h"
#include "files/files.h"
#include "files/npy.h"

/* As for gzip: what deflate can shrink at most. */
enum { MAX_DEFLATE_RATIO = 1032 };
/* 1980-01-01, the first day that zip knows */
enum { DOS_TIME = 0, DOS_DATE = 0 << 9 | 1 << 5 | 1 };

struct tn_npz {
  zip_t *zip; /* owned */
  uint64_t n_file_bytes;
  tn_strmap names; /* name without ".npy" -> index in the zip plus one, as a pointer */
};

bool tn_npz_is(const uint8_t *bytes, size_t n_bytes) {
  return n_bytes >= 4 && bytes[0] == 'P' && bytes[1] == 'K' &&
         ((bytes[2] == 3 && bytes[3] == 4) || (bytes[2] == 5 && bytes[3] == 6));
}

static tn_code code_of_zip_error(int zip_code) {
  switch (zip_code) {
    case ZIP_ER_NOENT:
      return TN_NOT_FOUND;
    case ZIP_ER_MEMORY:
      return TN_NO_MEMORY;
    case ZIP_ER_OPEN:
    case ZIP_ER_READ:
    case ZIP_ER_WRITE:
    case ZIP_ER_SEEK:
    case ZIP_ER_TMPOPEN:
    case ZIP_ER_RENAME:
    case ZIP_ER_CLOSE:
      return TN_IO;
    case ZIP_ER_COMPNOTSUPP:
    case ZIP_ER_ENCRNOTSUPP:
    case ZIP_ER_NOPASSWD:
      return TN_UNSUPPORTED;
    default:
      return TN_CORRUPT;
  }
}

static tn_status zip_failure(zip_error_t *error) {
  return TN_ERR(code_of_zip_error(zip_error_code_zip(error)), "zip: %s", zip_error_strerror(error));
}

static tn_status open_zip(const char *path, int flags, zip_t **out_zip) {
  int code = 0;
  zip_t *zip = zip_open(path, flags, &code);
  if (zip == NULL) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    tn_status st = zip_failure(&error);
    zip_error_fini(&error);
    return st;
  }
  *out_zip = zip;
  return NULL;
}

/* Notes every member that ends in ".npy". */
static tn_status list_names(tn_npz *npz) {
  zip_int64_t n_members = zip_get_num_entries(npz->zip, 0);
  for (zip_int64_t i = 0; i < n_members; ++i) {
    const char *file_name = zip_get_name(npz->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
    if (file_name == NULL) {
      return zip_failure(zip_get_error(npz->zip));
    }
    size_t len = strlen(file_name);
    if (len < 4 || strcmp(file_name + len - 4, ".npy") != 0) {
      continue;
    }
    tn_buf name = TN_BUF_INIT;
    tn_buf_append(&name, file_name, len - 4);
    tn_status st = NULL;
    if (tn_strmap_has(&npz->names, tn_buf_text(&name))) {
      st = TN_ERR(TN_CORRUPT, "npz: member '%s' stands twice", tn_buf_text(&name));
    } else {
      tn_strmap_set(&npz->names, tn_buf_text(&name), (void *)((uintptr_t)i + 1));
    }
    tn_buf_deinit(&name);
    TN_TRY(st);
  }
  return NULL;
}

tn_status tn_npz_open(const char *path, tn_npz **out_npz) {
  tn_npz *npz = calloc(1, sizeof *npz);
  if (npz == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory to open %s", path);
  }
  tn_status st = NULL;
  struct stat info;
  TN_GOTO(st, open_zip(path, ZIP_RDONLY, &npz->zip), done);
  npz->n_file_bytes = stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
  TN_GOTO(st, list_names(npz), done);
  *out_npz = npz;
  npz = NULL;
done:
  tn_npz_free(npz);
  return st;
}

void tn_npz_free(tn_npz *npz) {
  if (npz == NULL) {
    return;
  }
  if (npz->zip != NULL) {
    zip_discard(npz->zip);
  }
  tn_strmap_deinit(&npz->names);
  free(npz);
}

size_t tn_npz_len(const tn_npz *npz) { return npz->names.len; }

const char *tn_npz_name(const tn_npz *npz, size_t i) { return npz->names.keys[i]; }

/* Reads all of an open member: `n_bytes`, and then the end, where libzip compares the checksum. */
static tn_status read_open_member(zip_file_t *file, uint8_t *bytes, size_t n_bytes) {
  size_t n_read = 0;
  zip_int64_t n = 1;
  while (n > 0 && n_read < n_bytes) {
    n = zip_fread(file, bytes + n_read, n_bytes - n_read);
    n_read += n > 0 ? (size_t)n : 0;
  }
  uint8_t extra = 0;
  if (n >= 0) {
    n = zip_fread(file, &extra, 1);
  }
  if (n < 0) {
    return zip_failure(zip_file_get_error(file));
  }
  if (n != 0 || n_read != n_bytes) {
    return TN_ERR(TN_CORRUPT, "zip: a member has not the %zu bytes that it declares", n_bytes);
  }
  return NULL;
}

/* A member's bytes, malloc'ed. */
static tn_status read_member(const tn_npz *npz, zip_uint64_t index, uint8_t **out_bytes,
                             size_t *out_n) {
  zip_t *zip = npz->zip;
  zip_stat_t info;
  zip_stat_init(&info);
  const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  if (zip_stat_index(zip, index, 0, &info) != 0 || (info.valid & needed) != needed) {
    return zip_failure(zip_get_error(zip));
  }
  if (info.comp_size > npz->n_file_bytes || info.size / MAX_DEFLATE_RATIO > info.comp_size) {
    return TN_ERR(TN_CORRUPT, "zip: a member declares %llu bytes packed in %llu, which cannot be",
                  (unsigned long long)info.size, (unsigned long long)info.comp_size);
  }
  uint8_t *bytes = malloc((size_t)info.size + 1);
  if (bytes == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for %llu bytes", (unsigned long long)info.size);
  }
  zip_file_t *file = zip_fopen_index(zip, index, 0);
  tn_status st = file == NULL ? zip_failure(zip_get_error(zip))
                              : read_open_member(file, bytes, (size_t)info.size);
  if (file != NULL) {
    zip_fclose(file);
  }
  if (st != NULL) {
    free(bytes);
    return st;
  }
  *out_bytes = bytes;
  *out_n = (size_t)info.size;
  return NULL;
}

static tn_status no_such_member(const tn_npz *npz, const char *name) {
  tn_buf list = TN_BUF_INIT;
  for (size_t i = 0; i < npz->names.len && list.len < 200; ++i) {
    tn_buf_printf(&list, "%s'%s'", i == 0 ? "" : ", ", npz->names.keys[i]);
  }
  tn_status st = TN_ERR(TN_NOT_FOUND, "npz has no array '%s'; it has %s", name,
                        list.len == 0 ? "none" : tn_buf_text(&list));
  tn_buf_deinit(&list);
  return st;
}

tn_status tn_npz_read(tn_npz *npz, const char *name, tn_array *out_array) {
  uintptr_t at = (uintptr_t)tn_strmap_find(&npz->names, name);
  if (at == 0) {
    return no_such_member(npz, name);
  }
  uint8_t *bytes = NULL;
  size_t n_bytes = 0;
  TN_TRY_MSG(read_member(npz, at - 1, &bytes, &n_bytes), "array '%s'", name);
  tn_status st = tn_npy_parse(bytes, n_bytes, out_array);
  free(bytes);
  return tn_status_wrap(st, "array '%s'", name);
}

/* `buf` stays ours and must live until the zip is closed. */
static tn_status add_member(zip_t *zip, const char *name, const tn_array *array, tn_buf *buf) {
  TN_TRY(tn_npy_print(array, buf));
  tn_buf file_name = TN_BUF_INIT;
  tn_buf_printf(&file_name, "%s.npy", name);
  zip_source_t *source = zip_source_buffer(zip, buf->data, buf->len, 0);
  zip_int64_t index = -1;
  if (source != NULL) {
    index = zip_file_add(zip, tn_buf_text(&file_name), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
    }
  }
  tn_buf_deinit(&file_name);
  if (index < 0 || zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(zip, (zip_uint64_t)index, DOS_TIME, DOS_DATE, 0) != 0) {
    zip_error_t *error = zip_get_error(zip);
    tn_code code = zip_error_code_zip(error) == ZIP_ER_EXISTS ? TN_INVALID : TN_IO;
    return TN_ERR(code, "array '%s': zip: %s", name, zip_error_strerror(error));
  }
  return NULL;
}

tn_status tn_npz_write(const char *path, const char *const *names, const tn_array *arrays,
                       size_t n) {
  tn_status st = NULL;
  zip_t *zip = NULL;
  tn_buf *bufs = calloc(n + 1, sizeof *bufs);
  if (bufs == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory to write %s", path);
  }
  TN_GOTO(st, open_zip(path, ZIP_CREATE | ZIP_TRUNCATE, &zip), done);
  for (size_t i = 0; i < n; ++i) {
    if (names[i][0] == '\0') {
      st = TN_ERR(TN_INVALID, "the name of array %zu is empty", i);
      goto done;
    }
    TN_GOTO(st, add_member(zip, names[i], &arrays[i], &bufs[i]), done);
  }
  if (zip_close(zip) != 0) { /* writes beside the file and renames; keeps the zip on failure */
    st = zip_failure(zip_get_error(zip));
    goto done;
  }
  zip = NULL;
done:
  if (zip != NULL) {
    zip_discard(zip);
  }
  for (size_t i = 0; i < n; ++i) {
    tn_buf_deinit(&bufs[i]);
  }
  free(bufs);
  return tn_status_wrap(st, "writing %s", path);
}
