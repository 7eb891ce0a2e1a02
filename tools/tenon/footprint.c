/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Peak memory: the kernel's high-water mark of resident memory, of a child process for each
 * contender. All begin as copies of this process, whose own share is told as "before". */
#include "footprint.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_CALLS = 3 };

/* What a child does. path: the model compiled. */
typedef struct task {
  race *r;
  char *model;
  char *compiled;
  int32_t peer;
} task;

static tn_status nothing(const task *t) {
  (void)t;
  return NULL;
}

static tn_status compile(const task *t) {
  static session s; /* large */
  cli_args args;
  char *operands[] = {t->model, NULL};
  race_args(t->r->args, operands, &args);
  tn_status st = session_describe(&args, &s);
  tn_compile_opts opts = t->r->compile.opts;
  opts.func = s.func;
  return st == NULL ? tn_program_write(s.program, &opts, t->compiled) : st;
}

/* The arguments are drawn as the compiled file describes them; options for texts are gone by then. */
static tn_status open_compiled(const task *t, session *s) {
  static cli_args args;
  static const cli_compile compile = {.opts = TN_COMPILE_DEFAULTS};
  char *operands[] = {t->compiled, NULL};
  race_args(t->r->args, operands, &args);
  int32_t n = 0;
  for (int32_t i = 0; i < args.n_values; ++i) {
    static const char *const kept[] = {"input", "random", "size", "func"};
    bool is_kept = false;
    for (size_t k = 0; k < sizeof kept / sizeof *kept; ++k) {
      is_kept = is_kept || strcmp(args.values[i].option->name, kept[k]) == 0;
    }
    if (is_kept) {
      args.values[n++] = args.values[i];
    }
  }
  args.n_values = n;
  return session_open(&args, &compile, t->r->teams[0], false, NULL, s);
}

static tn_status run_ours(const task *t) {
  static session s; /* large */
  tn_status st = open_compiled(t, &s);
  for (int i = 0; st == NULL && i < N_CALLS; ++i) {
    tn_arg ret = tn_arg_none();
    st = session_call(&s, &ret);
    tn_arg_release(&ret);
  }
  return st;
}

static tn_status run_peer(const task *t) {
  static session s; /* large */
  const peer_kind *kind = t->r->peers[t->peer].kind;
  char version[PEER_VERSION_BYTES];
  void *lib = NULL;
  void *model = NULL;
  tn_status st = open_compiled(t, &s);
  if (st != NULL) {
    return st;
  }
  tn_vm_release(s.vm); /* the arguments stay, the network goes */
  tn_exec_release(s.exec);
  const peer_job job = {
      .path = t->model, .n_threads = t->r->teams[0], .args = s.args, .n_args = s.n_params};
  st = kind->find(t->r->peers[t->peer].name, &lib, version);
  st = st == NULL ? kind->open(lib, &job, &model) : st;
  for (int i = 0; st == NULL && i < N_CALLS; ++i) {
    st = kind->run(model);
  }
  kind->close(model); /* a process of its own counts once it was waited for */
  return st;
}

/* MiB that the child had at most; < 0: it did not come through, and said why. */
static double measure(tn_status (*run)(const task *), const task *t) {
  struct rusage usage = {0};
  int status = 0;
  (void)fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    _exit(cli_finish(run(t)));
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0) {
    return -1;
  }
  return (double)usage.ru_maxrss / 1024;
}

static void print(const race *r, const char *model, const double *mib, bool is_json, json_t *rows) {
  if (!is_json) {
    char name[64];
    race_name(model, name, sizeof name);
    printf("%-34s %11.1f %11.1f", name, mib[0], mib[1]);
    for (int32_t p = 0; p < r->n_peers; ++p) {
      if (mib[2 + p] > 0) {
        printf(" %16.1f %6.2f", mib[2 + p], mib[1] / mib[2 + p]);
      } else {
        printf(" %16s %6s", "-", "-");
      }
    }
    printf("\n");
    fflush(stdout);
    return;
  }
  json_t *row = json_object();
  json_t *beside = json_object();
  (void)json_object_set_new(row, "model", json_string(model));
  (void)json_object_set_new(row, "before_mib", json_real(mib[0]));
  (void)json_object_set_new(row, "peak_mib", json_real(mib[1]));
  for (int32_t p = 0; p < r->n_peers; ++p) {
    (void)json_object_set_new(beside, r->peers[p].name,
                              mib[2 + p] > 0 ? json_real(mib[2 + p]) : json_null());
  }
  (void)json_object_set_new(row, "beside_mib", beside);
  (void)json_array_append_new(rows, row);
}

/* False when a contender did not come through. */
static bool measure_model(race *r, char *model, bool is_json, json_t *rows) {
  char folder[] = "/tmp/tenon-XXXXXX";
  char compiled[64];
  double mib[2 + RACE_MAX_PEERS] = {0};
  bool is_ok = mkdtemp(folder) != NULL;
  if (!is_ok) {
    perror(folder);
    return false;
  }
  (void)snprintf(compiled, sizeof compiled, "%s/model.so", folder);
  task t = {.r = r, .model = model, .compiled = compiled};
  is_ok = measure(compile, &t) >= 0;
  if (is_ok) {
    mib[0] = measure(nothing, &t);
    mib[1] = measure(run_ours, &t);
    for (t.peer = 0; t.peer < r->n_peers; ++t.peer) {
      mib[2 + t.peer] = measure(run_peer, &t);
    }
    is_ok = mib[1] > 0;
  }
  (void)unlink(compiled);
  (void)rmdir(folder);
  if (is_ok) {
    print(r, model, mib, is_json, rows);
  }
  return is_ok;
}

int footprint_main(race *r) {
  bool is_json = cli_value(r->args, "json") != NULL;
  bool is_ok = true;
  json_t *rows = json_array();
  if (!is_json) {
    printf("%-34s %11s %11s", "model, peak of resident MiB", "before", "tenon");
    for (int32_t p = 0; p < r->n_peers; ++p) {
      printf(" %16s %6s", r->peers[p].name, "ratio");
    }
    printf("\n");
  }
  for (int32_t i = 0; r->args->operands[i] != NULL; ++i) {
    is_ok = measure_model(r, r->args->operands[i], is_json, rows) && is_ok;
  }
  if (is_json) {
    variants_print_json(rows);
  } else {
    json_decref(rows);
  }
  return is_ok ? CLI_OK : CLI_FAILED;
}
