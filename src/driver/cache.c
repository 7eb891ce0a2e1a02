/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Compiled models on disk, each as NUMBER.tnx: the number stands for the bytes of the model, for how
 * it was read and compiled, and for this very library. Files appear by a rename, so that any number
 * of processes may read, write and tidy up at once, and one that is killed leaves nothing but a
 * temporary file, which goes an hour later. A file that does not load is made anew. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "driver/driver_priv.h"
#include "front/front.h"
#include "tenon/runtime.h"

static const tn_compile_opts defaults = TN_COMPILE_DEFAULTS;
static const int64_t default_bytes = (int64_t)4 << 30;
enum { STALE_SECONDS = 3600 };

/* ---- where ---- */

/* NULL: nothing is kept. */
static char *folder(void) {
  const char *own = getenv("TENON_CACHE_DIR");
  if (own != NULL) {
    return own[0] != '\0' ? strdup(own) : NULL;
  }
  char *all = tn_dir_cache();
  tn_buf path = TN_BUF_INIT;
  if (all == NULL) {
    return NULL;
  }
  tn_buf_printf(&path, "%s/models", all);
  free(all);
  return tn_buf_take(&path);
}

static int64_t most_bytes(void) {
  const char *text = getenv("TENON_CACHE_BYTES");
  char *end = NULL;
  long long value = text != NULL ? strtoll(text, &end, 10) : 0;
  return text != NULL && end != text && *end == '\0' && value >= 0 ? value : default_bytes;
}

/* ---- the number ---- */

static tn_hash128 add_text(tn_hash128 hash, const char *text) {
  text = text != NULL ? text : "";
  return tn_hash128_bytes(hash, text, strlen(text));
}

static tn_hash128 add_texts(tn_hash128 hash, const char *const *texts, int32_t n) {
  hash = tn_hash128_mix(hash, (uint64_t)n);
  for (int32_t i = 0; i < n; ++i) {
    hash = add_text(hash, texts[i]);
  }
  return hash;
}

static tn_hash128 add_stat(tn_hash128 hash, const struct stat *info) {
  hash = tn_hash128_mix(hash, (uint64_t)info->st_ino);
  hash = tn_hash128_mix(hash, (uint64_t)info->st_size);
  hash = tn_hash128_mix(hash, (uint64_t)info->st_mtim.tv_sec);
  return tn_hash128_mix(hash, (uint64_t)info->st_mtim.tv_nsec);
}

/* This build of the library, by the file that it was loaded from. */
static bool add_library(tn_hash128 *hash) {
  Dl_info library;
  struct stat info;
  if (dladdr(&defaults, &library) == 0 || library.dli_fname == NULL ||
      stat(library.dli_fname, &info) != 0) {
    return false;
  }
  *hash = add_stat(add_text(*hash, library.dli_fname), &info);
  return true;
}

static tn_status number_of(const char *path, const tn_read_opts *read,
                           const tn_compile_opts *compile, const tn_target *target,
                           tn_hash128 *hash) {
  tn_hash128 h = add_text(*hash, tn_version());
  h = add_text(add_text(add_text(h, target->triple), target->cpu), target->features);
  h = tn_hash128_mix(h, (uint64_t)compile->opt_level << 1 | (compile->is_strict_math ? 1 : 0));
  h = add_text(add_text(h, compile->func), compile->disabled_passes);
  if (read != NULL) {
    h = add_texts(h, read->shapes, read->n_shapes);
  }
  *hash = h;
  return tn_onnx_hash(path, hash);
}

/* Nothing that the number does not tell may show in what is made. */
static bool can_be_kept(const char *path, const tn_read_opts *read,
                        const tn_compile_opts *compile) {
  bool is_plain = !compile->does_verify_each && !compile->exports_tvm_ffi &&
                  (read == NULL || (read->n_values == 0 && read->n_defines == 0));
  struct stat info;
  return is_plain && tn_driver_is_onnx(path) && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Where the compiled model is or would be; NULL when it is not kept. malloc'ed. */
static char *place_of(const char *path, const tn_read_opts *read, const tn_compile_opts *compile) {
  const tn_target *target = NULL;
  tn_hash128 hash = {0, 0};
  tn_buf place = TN_BUF_INIT;
  char *dir = can_be_kept(path, read, compile) ? folder() : NULL;
  if (dir == NULL) {
    return NULL;
  }
  tn_status st = tn_driver_target(compile, &target);
  st = st == NULL ? number_of(path, read, compile, target, &hash) : st;
  bool is_known = st == NULL && add_library(&hash);
  tn_status_free(st); /* whoever reads the model says it again */
  if (is_known) {
    tn_buf_printf(&place, "%s/%016llx%016llx.tnx", dir, (unsigned long long)hash.hi,
                  (unsigned long long)hash.lo);
  }
  free(dir);
  return is_known ? tn_buf_take(&place) : NULL;
}

/* ---- tidying up ---- */

typedef struct kept {
  char *name; /* owned */
  int64_t n_bytes;
  struct timespec used;
} kept;

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const kept *)a)->used;
  const struct timespec *y = &((const kept *)b)->used;
  if (x->tv_sec != y->tv_sec) {
    return x->tv_sec < y->tv_sec ? -1 : 1;
  }
  return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec ? 1 : 0;
}

static bool ends_with(const char *name, const char *ending) {
  size_t n = strlen(name);
  size_t m = strlen(ending);
  return n >= m && strcmp(name + n - m, ending) == 0;
}

/* Leaves at most so many bytes, the models that were used last, and no old temporary file. */
static void tidy(const char *dir_path, int64_t limit) {
  TN_VEC(kept) all = {0};
  int64_t total = 0;
  DIR *dir = opendir(dir_path);
  if (dir == NULL) {
    return;
  }
  for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    struct stat info;
    if (fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode)) {
      continue;
    }
    if (ends_with(entry->d_name, ".tnx")) {
      TN_VEC_PUSH(&all, ((kept){strdup(entry->d_name), (int64_t)info.st_size, info.st_mtim}));
      total += (int64_t)info.st_size;
    } else if (strstr(entry->d_name, ".tnx.tmp-") != NULL &&
               time(NULL) - info.st_mtime > STALE_SECONDS) {
      (void)unlinkat(dirfd(dir), entry->d_name, 0);
    }
  }
  qsort(all.data, all.len, sizeof *all.data, by_use);
  for (size_t i = 0; i < all.len; ++i) {
    if (total > limit && unlinkat(dirfd(dir), all.data[i].name, 0) == 0) {
      total -= all.data[i].n_bytes;
    }
    free(all.data[i].name);
  }
  (void)closedir(dir);
  TN_VEC_DEINIT(&all);
}

static void tidy_around(const char *place) {
  char *dir = strndup(place, (size_t)(strrchr(place, '/') - place));
  tidy(dir, most_bytes());
  free(dir);
}

/* ---- taking and keeping ---- */

static bool take(const char *place, tn_exec **out_exec) {
  if (!tn_file_exists(place)) {
    return false;
  }
  tn_status st = tn_exec_load(place, out_exec);
  if (st != NULL) {
    (void)unlink(place); /* cut off by a full disk, or damaged */
    tn_status_free(st);
    return false;
  }
  (void)utimensat(AT_FDCWD, place, NULL, 0); /* used now */
  return true;
}

static tn_status write_to(const char *place, const tn_program *program,
                          const tn_compile_opts *opts) {
  char *dir = strndup(place, (size_t)(strrchr(place, '/') - place));
  tn_status st = tn_dir_create(dir);
  free(dir);
  return st == NULL ? tn_program_write(program, opts, place) : st;
}

/* False when it could not be kept: a read-only home, a full disk, or an error that compiling without
 * keeping will tell. */
static bool keep(const char *place, const tn_program *program, const tn_compile_opts *opts,
                 tn_exec **out_exec) {
  tn_status st = write_to(place, program, opts);
  bool is_kept = st == NULL && take(place, out_exec);
  tn_status_free(st);
  if (is_kept) {
    tidy_around(place);
  }
  return is_kept;
}

/* Has the model changed while it was read? */
static bool is_same_file(const struct stat *before, const char *path) {
  struct stat now;
  tn_hash128 zero = {0, 0};
  if (stat(path, &now) != 0) {
    return false;
  }
  tn_hash128 a = add_stat(zero, before);
  tn_hash128 b = add_stat(zero, &now);
  return a.hi == b.hi && a.lo == b.lo;
}

tn_status tn_exec_compile(const char *path, const tn_read_opts *read, const tn_compile_opts *opts,
                          tn_exec **out_exec) {
  tn_status st = NULL;
  tn_program *program = NULL;
  struct stat before = {0};
  opts = opts != NULL ? opts : &defaults;
  bool is_there = stat(path, &before) == 0;
  char *place = is_there ? place_of(path, read, opts) : NULL;
  if (place != NULL && take(place, out_exec)) {
    free(place);
    return NULL;
  }
  TN_GOTO(st, tn_program_load_as(path, read, &program), done);
  bool is_kept =
      place != NULL && is_same_file(&before, path) && keep(place, program, opts, out_exec);
  if (!is_kept) {
    st = tn_program_compile(program, opts, out_exec);
  }
done:
  tn_program_free(program);
  free(place);
  return st;
}
