/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A file of any bytes at the front door of the files room: npz above all, and what the first bytes
 * say else. Members that were read are written to an npz and read back equal. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files/files.h"
#include "fuzz/fuzz.h"

enum { PATH_BYTES = 64 };

/* A file in memory, and its name. */
static int open_file(const uint8_t *bytes, size_t n_bytes, char path[PATH_BYTES]) {
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, bytes, n_bytes) != (ssize_t)n_bytes) {
    fuzz_fail("no file in memory of %zu bytes", n_bytes);
  }
  (void)snprintf(path, PATH_BYTES, "/proc/self/fd/%d", fd);
  return fd;
}

static void write_and_read(const tn_named_arrays *arrays) {
  char path[PATH_BYTES];
  tn_named_arrays again = {0};
  (void)snprintf(path, sizeof path, "/dev/shm/tenon-fuzz-%d.npz", (int)getpid());
  tn_status st =
      tn_npz_write(path, (const char *const *)arrays->names, arrays->arrays, arrays->len);
  if (st == NULL && arrays->len > 0) { /* an archive of nothing is no file */
    st = tn_files_read_npz(path, &again);
    if (st != NULL) {
      fuzz_fail("what was written is not read: %s", tn_status_message(st));
    }
  }
  for (size_t i = 0; st == NULL && i < again.len; ++i) {
    const tn_array *array = tn_named_arrays_find(arrays, again.names[i]);
    if (array == NULL || !tn_array_equal(array, &again.arrays[i])) {
      fuzz_fail("array '%s' is not the same after writing and reading", again.names[i]);
    }
  }
  tn_status_free(st); /* names that a zip does not take */
  (void)unlink(path);
  tn_named_arrays_deinit(&again);
}

/* In each form that one array can be written in; not every form has every type. */
static void write_array(const tn_array *array) {
  static const char *const endings[] = {"npy", "idx", "idx.gz", "txt"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
    char path[PATH_BYTES];
    tn_array again = {0};
    (void)snprintf(path, sizeof path, "/dev/shm/tenon-fuzz-%d.%s", (int)getpid(), endings[i]);
    tn_status st = tn_files_write_array(path, array);
    if (st == NULL) {
      st = tn_files_read_array(path, &again);
      if (st != NULL || !tn_array_equal(array, &again)) {
        fuzz_fail("not the same after writing and reading .%s", endings[i]);
      }
    }
    tn_status_free(st);
    tn_array_deinit(&again);
    (void)unlink(path);
  }
}

static void read_array(const char *path) {
  tn_array array = {0};
  tn_status st = tn_files_read_array(path, &array);
  if (st == NULL) {
    write_array(&array);
  }
  tn_status_free(st);
  tn_array_deinit(&array);
}

void fuzz_one(const uint8_t *bytes, size_t n_bytes) {
  char path[PATH_BYTES];
  char member[2 * PATH_BYTES];
  tn_named_arrays arrays = {0};
  int fd = open_file(bytes, n_bytes, path);
  read_array(path);
  (void)snprintf(member, sizeof member, "%s:w0", path);
  read_array(member);
  tn_status st = tn_files_read_npz(path, &arrays);
  if (st == NULL) {
    write_and_read(&arrays);
  }
  tn_status_free(st);
  tn_named_arrays_deinit(&arrays);
  (void)close(fd);
}
