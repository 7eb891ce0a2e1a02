/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Plain files over the POSIX calls; everything retries on EINTR and short transfers. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the system said about `path`. */
static tn_status system_error(int error, const char *doing, const char *path) {
  const char *text = strerrordesc_np(error);
  tn_code code = error == ENOENT || error == ENOTDIR ? TN_NOT_FOUND : TN_IO;
  code = error == ENOMEM ? TN_NO_MEMORY : code;
  return TN_ERR(code, "cannot %s '%s': %s", doing, path, text == NULL ? "unknown error" : text);
}

static int open_retrying(const char *path, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

/* Opens for reading and refuses folders; the descriptor is the caller's. */
static tn_status open_input(const char *path, int flags, int *out_fd, struct stat *out_info) {
  int fd = open_retrying(path, O_RDONLY | flags, 0);
  if (fd < 0) {
    return system_error(errno, "open", path);
  }
  tn_status st = NULL;
  if (fstat(fd, out_info) != 0) {
    st = system_error(errno, "open", path);
  } else if (S_ISDIR(out_info->st_mode)) {
    st = TN_ERR(TN_INVALID, "'%s' is a folder, not a file", path);
  }
  if (st != NULL) {
    close(fd);
    return st;
  }
  *out_fd = fd;
  return NULL;
}

/* Reads to the end of the file in pieces: the size that stat tells is a hint, pipes have none. */
static tn_status read_all(int fd, const char *path, size_t max_bytes, tn_buf *buf) {
  char piece[1 << 16];
  size_t n_total = 0;
  for (;;) {
    ssize_t n = read(fd, piece, sizeof piece);
    if (n == 0) {
      return NULL;
    }
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return system_error(errno, "read", path);
    }
    n_total += (size_t)n;
    if (max_bytes != 0 && n_total > max_bytes) {
      return TN_ERR(TN_INVALID, "'%s' is larger than the limit of %zu bytes", path, max_bytes);
    }
    tn_buf_append(buf, piece, (size_t)n);
  }
}

tn_status tn_file_read(const char *path, size_t max_bytes, tn_buf *buf) {
  int fd = -1;
  struct stat info;
  TN_TRY(open_input(path, 0, &fd, &info));
  size_t old_len = buf->len;
  tn_status st = read_all(fd, path, max_bytes, buf);
  close(fd);
  if (st != NULL && buf->data != NULL) { /* leave the buffer as it was */
    buf->len = old_len;
    buf->data[old_len] = '\0';
  }
  return st;
}

static tn_status write_all(int fd, const char *path, const char *bytes, size_t n_bytes) {
  while (n_bytes != 0) {
    ssize_t n = write(fd, bytes, n_bytes);
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return system_error(errno, "write", path);
    }
    bytes += n;
    n_bytes -= (size_t)n;
  }
  return NULL;
}

/* Writes all of it and closes `fd` in every case. */
static tn_status write_and_close(int fd, const char *path, const void *bytes, size_t n_bytes) {
  tn_status st = write_all(fd, path, bytes, n_bytes);
  if (close(fd) != 0 && st == NULL && errno != EINTR) {
    st = system_error(errno, "write", path);
  }
  return st;
}

/* A device, a pipe: nothing that a rename may replace. */
static tn_status write_in_place(const char *path, const void *bytes, size_t n_bytes) {
  int fd = open_retrying(path, O_WRONLY, 0);
  if (fd < 0) {
    return system_error(errno, "write", path);
  }
  return write_and_close(fd, path, bytes, n_bytes);
}

/* Creates a new file beside `path`; the name goes to `out_name`. */
static int create_beside(const char *path, tn_buf *out_name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    tn_buf_clear(out_name);
    tn_buf_printf(out_name, "%s.tmp-%d-%d", path, (int)getpid(), attempt);
    int fd = open_retrying(tn_buf_text(out_name), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd >= 0 || errno != EEXIST) {
      return fd;
    }
  }
  return -1;
}

static tn_status write_and_rename(const char *path, const void *bytes, size_t n_bytes) {
  tn_buf temp = TN_BUF_INIT;
  int fd = create_beside(path, &temp);
  if (fd < 0) {
    tn_status st = system_error(errno, "write", path);
    tn_buf_deinit(&temp);
    return st;
  }
  tn_status st = write_and_close(fd, path, bytes, n_bytes);
  if (st == NULL && rename(tn_buf_text(&temp), path) != 0) {
    st = system_error(errno, "write", path);
  }
  if (st != NULL) {
    unlink(tn_buf_text(&temp));
  }
  tn_buf_deinit(&temp);
  return st;
}

tn_status tn_file_write(const char *path, const void *bytes, size_t n_bytes) {
  struct stat info;
  if (stat(path, &info) != 0) {
    return write_and_rename(path, bytes, n_bytes);
  }
  if (S_ISDIR(info.st_mode)) {
    return TN_ERR(TN_INVALID, "'%s' is a folder, not a file", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return write_in_place(path, bytes, n_bytes);
  }
  char *real = realpath(path, NULL); /* a link keeps pointing where it points */
  if (real == NULL) {
    return system_error(errno, "write", path);
  }
  tn_status st = write_and_rename(real, bytes, n_bytes);
  free(real);
  return st;
}

tn_status tn_mapped_file_init(tn_mapped_file *file, const char *path) {
  int fd = -1;
  struct stat info;
  /* a pipe is refused below; without the flag, opening one waits for who writes to it */
  TN_TRY(open_input(path, O_NONBLOCK, &fd, &info));
  tn_status st = NULL;
  tn_mapped_file mapped = {0};
  if (!S_ISREG(info.st_mode)) {
    st = TN_ERR(TN_INVALID, "'%s' is not a regular file", path);
  } else if (info.st_size > 0) {
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
      st = system_error(errno, "map", path);
    } else {
      mapped = (tn_mapped_file){.data = data, .n_bytes = (size_t)info.st_size};
    }
  }
  close(fd);
  if (st == NULL) {
    *file = mapped;
  }
  return st;
}

void tn_mapped_file_deinit(tn_mapped_file *file) {
  if (file->data != NULL) {
    /* the mapping is ours; only its view is const */
    munmap((void *)(uintptr_t)file->data, file->n_bytes);
  }
  *file = (tn_mapped_file){0};
}

static tn_status make_dir(const char *path) {
  if (mkdir(path, 0777) == 0) {
    return NULL;
  }
  int error = errno;
  struct stat info;
  if (error == EEXIST && stat(path, &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      return NULL;
    }
    return TN_ERR(TN_INVALID, "'%s' is a file, not a folder", path);
  }
  return system_error(error, "make the folder", path);
}

tn_status tn_dir_create(const char *path) {
  if (path[0] == '\0') {
    return TN_ERR(TN_INVALID, "the name of a folder is empty");
  }
  tn_buf part = TN_BUF_INIT;
  tn_status st = NULL;
  for (const char *p = path + 1; *p != '\0' && st == NULL; ++p) {
    if (*p == '/' && p[-1] != '/') {
      tn_buf_clear(&part);
      tn_buf_append(&part, path, (size_t)(p - path));
      st = make_dir(tn_buf_text(&part));
    }
  }
  tn_buf_deinit(&part);
  return st != NULL ? st : make_dir(path);
}

tn_status tn_dir_make_temp(char **out_path) {
  const char *parent = getenv("TMPDIR");
  tn_buf path = TN_BUF_INIT;
  tn_buf_printf(&path, "%s/tenon-XXXXXX", parent == NULL || parent[0] == '\0' ? "/tmp" : parent);
  if (mkdtemp(path.data) == NULL) {
    tn_status st = system_error(errno, "make the temporary folder", path.data);
    tn_buf_deinit(&path);
    return st;
  }
  *out_path = tn_buf_take(&path);
  return NULL;
}

void tn_dir_remove_temp(const char *path) {
  if (path == NULL) {
    return;
  }
  DIR *dir = opendir(path);
  if (dir == NULL) {
    return;
  }
  for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    (void)unlinkat(dirfd(dir), entry->d_name, 0); /* ".", ".." and folders refuse by themselves */
  }
  closedir(dir);
  (void)rmdir(path);
}

bool tn_file_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

char *tn_dir_cache(void) {
  const char *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  tn_buf path = TN_BUF_INIT;
  if (cache != NULL && cache[0] == '/') { /* a relative one is to be ignored, says the convention */
    tn_buf_printf(&path, "%s/tenon", cache);
  } else if (home != NULL && home[0] == '/') {
    tn_buf_printf(&path, "%s/.cache/tenon", home);
  }
  char *copy = path.len > 0 ? strndup(path.data, path.len) : NULL;
  tn_buf_deinit(&path);
  return copy;
}
