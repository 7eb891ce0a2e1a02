/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Links object files to a shared library with the C compiler's linker, else with ld.lld; for
 * another architecture with ld.lld, which knows them all. No shell is involved. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "driver/driver_priv.h"

/* The first of `names` found on PATH (or a path itself), NULL when none is. */
static const char *find_program(const char *const *names, tn_buf *out_path) {
  const char *path = getenv("PATH");
  for (; *names != NULL; ++names) {
    if (strchr(*names, '/') != NULL) {
      if (access(*names, X_OK) == 0) {
        return *names;
      }
      continue;
    }
    for (const char *dir = path; dir != NULL && *dir != '\0';) {
      size_t len = strcspn(dir, ":");
      tn_buf_clear(out_path);
      tn_buf_append(out_path, dir, len);
      tn_buf_printf(out_path, "/%s", *names);
      if (access(out_path->data, X_OK) == 0) {
        return out_path->data;
      }
      dir += len + (dir[len] == ':');
    }
  }
  return NULL;
}

extern char **environ; /* POSIX gives it no header */

/* A linker can say a line a symbol; its first lines are the ones to read. */
enum { MAX_SAID_BYTES = 4096 };

/* Runs argv and keeps what it says on standard error for the message. */
static tn_status run(const char *const *argv, const char *log_path) {
  pid_t pid = 0;
  int wait_status = 0;
  posix_spawn_file_actions_t actions;
  union {
    const char *const *in;
    char *const *out;
  } args = {argv};
  (void)posix_spawn_file_actions_init(&actions);
  (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_path,
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int err = posix_spawn(&pid, argv[0], &actions, NULL, args.out, environ);
  (void)posix_spawn_file_actions_destroy(&actions);
  if (err != 0) {
    return TN_ERR(TN_IO, "starting %s: %s", argv[0], strerror(err));
  }
  while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) {
    return NULL;
  }
  tn_buf log = TN_BUF_INIT;
  tn_status_free(tn_file_read(log_path, 0, &log)); /* without it the message is only shorter */
  size_t n_said = log.len < MAX_SAID_BYTES ? log.len : MAX_SAID_BYTES;
  while (n_said > 0 && log.data[n_said - 1] == '\n') {
    --n_said;
  }
  tn_status st = TN_ERR(TN_IO, "%s could not link: %.*s", argv[0], (int)n_said, tn_buf_text(&log));
  tn_buf_deinit(&log);
  return st;
}

tn_status tn_driver_link(const char *const *objects, size_t n_objects, const tn_target *target,
                         bool needs_libc, const char *out_path) {
  const char *const compilers[] = {
      getenv("CC") != NULL ? getenv("CC") : "cc", "cc", "gcc", "clang", "clang-19", NULL};
  static const char *const cross_linkers[] = {"ld.lld", "ld.lld-19", NULL};
  static const char *const linkers[] = {"ld.lld", "ld.lld-19", "ld", NULL};
  tn_status st = NULL;
  tn_buf path = TN_BUF_INIT;
  tn_buf log = TN_BUF_INIT;
  TN_VEC(const char *) argv = {0};
  bool is_ours = tn_target_is_native(target);
  const char *program = is_ours ? find_program(compilers, &path) : NULL;
  bool is_compiler = program != NULL;
  if (!is_compiler) {
    program = find_program(is_ours ? linkers : cross_linkers, &path);
  }
  if (program == NULL && !is_ours) {
    st = TN_ERR(TN_NOT_FOUND, "linking for target '%s' needs ld.lld, which is not on PATH",
                target->name);
    goto done;
  }
  if (program == NULL) {
    st = TN_ERR(TN_NOT_FOUND, "linking needs a C compiler (cc) or ld.lld, and neither is on PATH");
    goto done;
  }
  TN_VEC_PUSH(&argv, program);
  TN_VEC_PUSH(&argv, "-shared");
  if (is_compiler) {
    TN_VEC_PUSH(&argv, "-nostdlib");
    TN_VEC_PUSH(&argv, "-Wl,-z,noexecstack");
  }
  TN_VEC_PUSH(&argv, "-o");
  TN_VEC_PUSH(&argv, out_path);
  for (size_t i = 0; i < n_objects; ++i) {
    TN_VEC_PUSH(&argv, objects[i]);
  }
  if (is_compiler) {
    /* Kernels may call libm. Without a compiler its place is not known, and the process that loads
     * the library has it. */
    TN_VEC_PUSH(&argv, "-lm");
    if (needs_libc) {
      TN_VEC_PUSH(&argv, "-Wl,-z,defs"); /* what is missing is told now, not by its loader */
      TN_VEC_PUSH(&argv, "-lpthread");
      TN_VEC_PUSH(&argv, "-lc");
    }
  }
  TN_VEC_PUSH(&argv, NULL);
  tn_buf_printf(&log, "%s.log", out_path);
  TN_GOTO(st, run(argv.data, log.data), done);
done:
  TN_VEC_DEINIT(&argv);
  tn_buf_deinit(&path);
  tn_buf_deinit(&log);
  return st;
}
