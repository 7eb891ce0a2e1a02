/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Plain files: whole reads, mapped reads, atomic writes. Messages name the path and what the system
 * said. */
#ifndef TN_BASE_FILE_H
#define TN_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/status.h"

typedef struct tn_mapped_file {
  const uint8_t *data; /* NULL when empty */
  size_t n_bytes;
} tn_mapped_file;

/// Appends the whole file to `buf`. NOT_FOUND, IO; INVALID for a folder. max_bytes 0: no limit.
TN_MUST_USE tn_status tn_file_read(const char *path, size_t max_bytes, tn_buf *buf);
/// Writes beside the target and renames, so that a reader sees the old or the new file, never half
/// of one.
TN_MUST_USE tn_status tn_file_write(const char *path, const void *bytes, size_t n_bytes);
/// Maps read-only.
TN_MUST_USE tn_status tn_mapped_file_init(tn_mapped_file *file, const char *path);
void tn_mapped_file_deinit(tn_mapped_file *file);
/// Makes a folder and its parents; existing is fine.
TN_MUST_USE tn_status tn_dir_create(const char *path);
/// Makes a fresh private folder under $TMPDIR or /tmp; out_path is malloc'ed.
TN_MUST_USE tn_status tn_dir_make_temp(char **out_path);
/// Removes a folder made by tn_dir_make_temp and the files in it (one level).
void tn_dir_remove_temp(const char *path);
bool tn_file_exists(const char *path);
/// The folder for what is kept of this machine, by $XDG_CACHE_HOME and $HOME; it need not exist.
/// malloc'ed; NULL when the environment names none.
char *tn_dir_cache(void);

#endif
