/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Runtimes in a process of their own, each in whatever environment it needs: $TENON_PEER_<NAME> is a
 * command. It is run as COMMAND NAME MODEL THREADS FOLDER, reads FOLDER/in0.npy, in1.npy ..., calls
 * the model once, writes FOLDER/out0.npy ..., and says "ready VERSION"; then, for each line "run" that
 * it is sent, it calls the model once more and says "done". scripts/peers speaks so. A call costs the
 * two messages beside its work, some 20 us. */
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"

enum { MAX_FILES = 64, LINE_BYTES = 256, PATH_BYTES = 96 };

typedef struct process_lib {
  const char *name;
  const char *command;
  char *version; /* [PEER_VERSION_BYTES], the caller's: known when the first model is open */
} process_lib;

typedef struct process_model {
  const char *name;
  pid_t pid;
  FILE *to;
  FILE *from;
  char folder[32];
} process_model;

static tn_status say(tn_code code, const char *name, const char *what, const char *more) {
  char text[512];
  (void)snprintf(text, sizeof text, "%s%s%s", name, what, more);
  return tn_status_make(code, text);
}

static tn_status find(const char *name, void **out_lib, char *out_version) {
  char variable[64] = "TENON_PEER_";
  size_t len = strlen(variable);
  for (size_t i = 0; name[i] != '\0' && len + 1 < sizeof variable; ++i) {
    variable[len++] = (char)toupper((unsigned char)name[i]);
  }
  const char *command = getenv(variable);
  if (command == NULL) {
    char text[256];
    (void)snprintf(text, sizeof text,
                   "%s is missing: %s names no command; \"PYTHON scripts/peers\" is one, of a "
                   "Python that has it",
                   name, variable);
    return tn_status_make(TN_NOT_FOUND, text);
  }
  process_lib *lib = calloc(1, sizeof *lib);
  if (lib == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for a peer");
  }
  *lib = (process_lib){.name = name, .command = command, .version = out_version};
  out_version[0] = '\0';
  *out_lib = lib;
  return NULL;
}

/* ---- the process ---- */

static void file_path(const process_model *m, const char *kind, int32_t i, char *out) {
  (void)snprintf(out, PATH_BYTES, "%s/%s%d.npy", m->folder, kind, i);
}

static void run_child(const process_lib *lib, const peer_job *job, const process_model *m,
                      const int *to, const int *from) {
  char threads[16];
  char command[4096];
  (void)snprintf(threads, sizeof threads, "%d", job->n_threads);
  (void)snprintf(command, sizeof command, "exec %s \"$@\"", lib->command);
  (void)dup2(to[0], STDIN_FILENO);
  (void)dup2(from[1], STDOUT_FILENO);
  (void)execl("/bin/sh", "sh", "-c", command, "sh", lib->name, job->path, threads, m->folder,
              (char *)NULL);
  _exit(127);
}

/* Each end belongs to one process: one that another child inherited would never be seen closed. */
static tn_status start(const process_lib *lib, const peer_job *job, process_model *m) {
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0) {
    return say(TN_IO, lib->name, ": no pipe to a process", "");
  }
  if (pipe2(from, O_CLOEXEC) != 0) {
    (void)close(to[0]);
    (void)close(to[1]);
    return say(TN_IO, lib->name, ": no pipe from a process", "");
  }
  (void)fflush(NULL);
  m->pid = fork();
  if (m->pid == 0) {
    run_child(lib, job, m, to, from);
  }
  (void)close(to[0]);
  (void)close(from[1]);
  m->to = fdopen(to[1], "w");
  m->from = fdopen(from[0], "r");
  return m->pid > 0 && m->to != NULL && m->from != NULL ? NULL
                                                        : say(TN_IO, lib->name, ": no process", "");
}

/* The next line without its end. */
static tn_status hear(const process_model *m, char *out_line) {
  if (fgets(out_line, LINE_BYTES, m->from) == NULL) {
    return say(TN_IO, m->name, ": its process ended", "");
  }
  out_line[strcspn(out_line, "\n")] = '\0';
  return NULL;
}

static void close_model(void *ctx) {
  process_model *m = ctx;
  char path[PATH_BYTES];
  if (m == NULL) {
    return;
  }
  if (m->to != NULL) {
    (void)fclose(m->to); /* no more lines: it ends */
  }
  if (m->from != NULL) {
    (void)fclose(m->from);
  }
  if (m->pid > 0) {
    (void)waitpid(m->pid, NULL, 0);
  }
  for (int32_t i = 0; i < MAX_FILES; ++i) {
    file_path(m, "in", i, path);
    (void)unlink(path);
    file_path(m, "out", i, path);
    (void)unlink(path);
  }
  (void)rmdir(m->folder);
  free(m);
}

/* ---- a model ---- */

static tn_status write_arguments(const process_model *m, const peer_job *job) {
  tn_status st =
      job->n_args > MAX_FILES ? say(TN_UNSUPPORTED, m->name, ": too many inputs", "") : NULL;
  for (int32_t i = 0; st == NULL && i < job->n_args; ++i) {
    char path[PATH_BYTES];
    tn_tensor *tensor = tn_arg_tensor(&job->args[i]);
    file_path(m, "in", i, path);
    st = tensor != NULL ? tn_tensor_save(tensor, path)
                        : say(TN_UNSUPPORTED, m->name, ": an input that is no tensor", "");
  }
  return st;
}

static tn_status open_model(void *ctx, const peer_job *job, void **out_model) {
  const process_lib *lib = ctx;
  char line[LINE_BYTES] = "";
  process_model *m = calloc(1, sizeof *m);
  if (m == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for a model");
  }
  *m = (process_model){.name = lib->name, .folder = "/tmp/tenon-XXXXXX"};
  (void)signal(SIGPIPE, SIG_IGN); /* a process that ended is an error of its peer, not our end */
  tn_status st = mkdtemp(m->folder) == NULL ? say(TN_IO, lib->name, ": no folder ", m->folder)
                                            : write_arguments(m, job);
  st = st == NULL ? start(lib, job, m) : st;
  st = st == NULL ? hear(m, line) : st;
  if (st == NULL && strncmp(line, "ready ", 6) != 0) {
    st = say(TN_INVALID, lib->name, ": ", line);
  }
  if (st != NULL) {
    close_model(m);
    return st;
  }
  (void)snprintf(lib->version, PEER_VERSION_BYTES, "%.40s", line + 6);
  *out_model = m;
  return NULL;
}

static tn_status run(void *ctx) {
  process_model *m = ctx;
  char line[LINE_BYTES];
  if (fputs("run\n", m->to) < 0 || fflush(m->to) != 0) {
    return say(TN_IO, m->name, ": its process ended", "");
  }
  tn_status st = hear(m, line);
  return st == NULL && strcmp(line, "done") != 0 ? say(TN_INVALID, m->name, ": ", line) : st;
}

static tn_status result(void *ctx, tn_arg *out_ret) {
  process_model *m = ctx;
  tn_arg items[MAX_FILES];
  char path[PATH_BYTES];
  tn_tuple *tuple = NULL;
  tn_status st = NULL;
  int32_t n = 0;
  for (; st == NULL && n < MAX_FILES; ++n) {
    tn_tensor *tensor = NULL;
    file_path(m, "out", n, path);
    if (access(path, F_OK) != 0) {
      break;
    }
    st = tn_tensor_load(path, &tensor);
    items[n] = st == NULL ? tn_arg_of_tensor(tensor) : tn_arg_none();
  }
  if (st == NULL && n == 1) {
    *out_ret = items[0];
    return NULL;
  }
  st = st == NULL ? tn_tuple_create(n, items, &tuple) : st;
  for (int32_t i = 0; i < n; ++i) {
    tn_arg_release(&items[i]);
  }
  if (st == NULL) {
    *out_ret = tn_arg_of_tuple(tuple);
  }
  return st;
}

const peer_kind peer_openvino = {"openvino", find, open_model, run, result, close_model, free};
const peer_kind peer_pytorch = {"pytorch", find, open_model, run, result, close_model, free};
const peer_kind peer_tvm = {"tvm", find, open_model, run, result, close_model, free};
