/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which reader a file needs, and members named after a colon. */
#include "files/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "files/idx.h"
#include "files/npy.h"
#include "files/npz.h"

/* member: NULL when the path names none. */
static tn_status read_member_or_only(const char *path, const char *member, tn_array *out_array) {
  tn_npz *npz = NULL;
  TN_TRY(tn_npz_open(path, &npz));
  tn_status st = NULL;
  if (member != NULL) {
    st = tn_npz_read(npz, member, out_array);
  } else if (tn_npz_len(npz) == 1) {
    st = tn_npz_read(npz, tn_npz_name(npz, 0), out_array);
  } else {
    st = TN_ERR(TN_INVALID, "it holds %zu arrays; name one after a colon, as in %s:NAME",
                tn_npz_len(npz), path);
  }
  tn_npz_free(npz);
  return st;
}

static tn_status read_by_first_bytes(const char *path, const char *member, tn_array *out_array) {
  tn_mapped_file file = {0};
  TN_TRY(tn_mapped_file_init(&file, path));
  tn_status st = NULL;
  if (tn_npz_is(file.data, file.n_bytes)) {
    st = read_member_or_only(path, member, out_array);
  } else if (member != NULL) {
    st = TN_ERR(TN_INVALID, "it is no npz file and has no member '%s'", member);
  } else if (tn_npy_is(file.data, file.n_bytes)) {
    st = tn_npy_parse(file.data, file.n_bytes, out_array);
  } else if (tn_idx_is_gz(file.data, file.n_bytes)) {
    st = tn_idx_gz_parse(file.data, file.n_bytes, out_array);
  } else if (tn_idx_is(file.data, file.n_bytes)) {
    st = tn_idx_parse(file.data, file.n_bytes, out_array);
  } else {
    st = TN_ERR(TN_INVALID, "not an npy, npz, idx or gzipped idx file");
  }
  tn_mapped_file_deinit(&file);
  return st;
}

tn_status tn_files_read_array(const char *path, tn_array *out_array) {
  const char *colon = strrchr(path, ':');
  if (colon == NULL || colon == path || tn_file_exists(path)) { /* a file may have a colon itself */
    return tn_status_wrap(read_by_first_bytes(path, NULL, out_array), "reading %s", path);
  }
  tn_buf file = TN_BUF_INIT;
  tn_buf_append(&file, path, (size_t)(colon - path));
  tn_status st = read_by_first_bytes(tn_buf_text(&file), colon + 1, out_array);
  tn_buf_deinit(&file);
  return tn_status_wrap(st, "reading %s", path);
}

static tn_status read_all(tn_npz *npz, tn_named_arrays *arrays) {
  size_t n = tn_npz_len(npz);
  arrays->names = calloc(n + 1, sizeof *arrays->names);
  arrays->arrays = calloc(n + 1, sizeof *arrays->arrays);
  if (arrays->names == NULL || arrays->arrays == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for %zu arrays", n);
  }
  for (size_t i = 0; i < n; ++i) {
    arrays->names[i] = strdup(tn_npz_name(npz, i));
    if (arrays->names[i] == NULL) {
      return TN_ERR(TN_NO_MEMORY, "no memory for %zu arrays", n);
    }
    arrays->len = i + 1; /* what deinit has to look at */
    TN_TRY(tn_npz_read(npz, arrays->names[i], &arrays->arrays[i]));
  }
  return NULL;
}

tn_status tn_files_read_npz(const char *path, tn_named_arrays *out_arrays) {
  tn_status st = NULL;
  tn_npz *npz = NULL;
  tn_named_arrays arrays = {0};
  TN_GOTO(st, tn_npz_open(path, &npz), done);
  TN_GOTO(st, read_all(npz, &arrays), done);
  *out_arrays = arrays;
  arrays = (tn_named_arrays){0};
done:
  tn_named_arrays_deinit(&arrays);
  tn_npz_free(npz);
  return tn_status_wrap(st, "reading %s", path);
}

void tn_named_arrays_deinit(tn_named_arrays *arrays) {
  for (size_t i = 0; i < arrays->len; ++i) {
    free(arrays->names[i]);
    tn_array_deinit(&arrays->arrays[i]);
  }
  free(arrays->names);
  free(arrays->arrays);
  *arrays = (tn_named_arrays){0};
}

const tn_array *tn_named_arrays_find(const tn_named_arrays *arrays, const char *name) {
  for (size_t i = 0; i < arrays->len; ++i) {
    if (strcmp(arrays->names[i], name) == 0) {
      return &arrays->arrays[i];
    }
  }
  return NULL;
}

static bool ends_with(const char *text, const char *ending) {
  size_t len = strlen(text);
  size_t n = strlen(ending);
  return len > n && strcmp(text + len - n, ending) == 0;
}

tn_status tn_files_write_array(const char *path, const tn_array *array) {
  if (ends_with(path, ".npy")) {
    return tn_npy_write(path, array);
  }
  bool is_gz = ends_with(path, ".idx.gz");
  if (!is_gz && !ends_with(path, ".idx")) {
    return TN_ERR(TN_INVALID, "%s: the ending says the form of an array: .npy, .idx or .idx.gz",
                  path);
  }
  tn_buf buf = TN_BUF_INIT;
  tn_status st = is_gz ? tn_idx_gz_print(array, &buf) : tn_idx_print(array, &buf);
  if (st == NULL) {
    st = tn_file_write(path, buf.data, buf.len);
  }
  tn_buf_deinit(&buf);
  return tn_status_wrap(st, "writing %s", path);
}
