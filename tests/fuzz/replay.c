/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Runs a fuzz target on files that are there: replay FOLDER-OR-FILE...  So the whole corpus, with
 * every input that once was a finding, is a test of every build. Each input goes into a block of
 * exactly its size, so that a sanitizer sees the end. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

enum { MAX_RSS_MIB = 512 };

static void run_file(const char *path) {
  FILE *file = fopen(path, "rb");
  struct stat info;
  if (file == NULL || fstat(fileno(file), &info) != 0) {
    fuzz_fail("cannot read %s", path);
  }
  size_t n_bytes = (size_t)info.st_size;
  uint8_t *bytes = malloc(n_bytes > 0 ? n_bytes : 1);
  if (bytes == NULL || fread(bytes, 1, n_bytes, file) != n_bytes) {
    fuzz_fail("cannot read %s", path);
  }
  (void)fclose(file);
  printf("%s\n", path); /* the last line names the culprit */
  (void)fflush(stdout);
  (void)LLVMFuzzerTestOneInput(bytes, n_bytes);
  free(bytes);
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int run_path(const char *path) {
  struct dirent **entries = NULL;
  int n = scandir(path, &entries, is_visible, alphasort);
  if (n < 0) {
    run_file(path);
    return 1;
  }
  int n_files = 0;
  for (int i = 0; i < n; ++i) {
    char name[4096];
    (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
    n_files += run_path(name);
    free(entries[i]);
  }
  free(entries);
  return n_files;
}

/* Sanitizers hold memory back, so the limit is for plain builds. */
static int is_too_large(void) {
  struct rusage usage = {0};
#if defined(__SANITIZE_ADDRESS__)
  return 0;
#endif
  return getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss / 1024 > MAX_RSS_MIB;
}

int main(int argc, char **argv) {
  int n_files = 0;
  for (int i = 1; i < argc; ++i) {
    n_files += run_path(argv[i]);
  }
  printf("%d inputs\n", n_files);
  if (n_files == 0 || is_too_large()) {
    fuzz_fail(n_files == 0 ? "no inputs" : "more than %d MiB of memory", (int)MAX_RSS_MIB);
  }
  return 0;
}
