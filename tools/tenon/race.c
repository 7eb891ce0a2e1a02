/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A race: for each model, opened once, and each number of threads, Tenon and every peer that is
 * there take turns. On several threads all sleep between two turns; with --cold the caches are
 * emptied before each call. What cannot be measured is said, and the others go on. */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "footprint.h"

enum { COLD_BYTES = 96 << 20, LINE_BYTES = 64 };

/* Further apart than this, two runtimes do not compute the same. */
static const double largest_norm = 1e-3;

bool race_is_peer(const char *name) { return name != NULL && peer_find_kind(name) != NULL; }

/* ---- contenders ---- */

static tn_status call_ours(void *ctx) {
  tn_arg ret = tn_arg_none();
  tn_status st = session_call(ctx, &ret);
  tn_arg_release(&ret);
  return st;
}

/* Puts other memory into every cache. */
static tn_status empty_caches(void *ctx) {
  volatile char *bytes = ctx;
  for (int32_t i = 0; bytes != NULL && i < COLD_BYTES; i += LINE_BYTES) {
    bytes[i] = (char)(bytes[i] + 1);
  }
  return NULL;
}

/* The calls of one measurement, and which of them are ours and a peer's. */
typedef struct turns {
  tn_bench_call calls[TN_BENCH_MAX_CALLS];
  int32_t n;
  int32_t ours;
  int32_t theirs[RACE_MAX_PEERS]; /* -1: does not take part */
  void *models[RACE_MAX_PEERS];
  char *cold; /* memory to empty caches with, NULL: they stay as they are; owned */
} turns;

static int32_t add_turn(turns *t, tn_bench_call call, int32_t n_threads) {
  if (t->cold != NULL) {
    t->calls[t->n++] = (tn_bench_call){empty_caches, t->cold};
  }
  int32_t at = t->n;
  t->calls[t->n++] = call;
  if (n_threads > 1) {
    t->calls[t->n++] = (tn_bench_call){tn_bench_rest, NULL};
  }
  return at;
}

static void end_turns(const race *r, turns *t) {
  for (int32_t p = 0; p < r->n_peers; ++p) {
    r->peers[p].kind->close(t->models[p]);
  }
  free(t->cold);
}

/* Says why on standard error, and that this one did not come through. */
static void tell(race *r, const char *model, tn_status why) {
  fprintf(stderr, "%s: %s\n", model, tn_status_message(why));
  tn_status_free(why);
  ++r->n_failed;
}

/* ---- one row ---- */

/* Opens the model in a peer and compares one call's results with ours. */
static tn_status enter(race *r, int32_t p, const session *s, const tn_arg *ours, race_row *row,
                       void **out_model) {
  const peer_job job = {
      .path = row->model, .n_threads = row->n_threads, .args = s->args, .n_args = s->n_params};
  const peer_kind *kind = r->peers[p].kind;
  tn_arg theirs = tn_arg_none();
  void *model = NULL;
  tn_status st = kind->open(r->peers[p].lib, &job, &model);
  st = st == NULL ? kind->run(model) : st;
  st = st == NULL ? kind->result(model, &theirs) : st;
  if (st != NULL) {
    kind->close(model);
    return st;
  }
  double norm = answers_norm(ours, &theirs);
  tn_arg_release(&theirs);
  row->beside[p].norm = norm;
  if (norm < 0 || norm > largest_norm) {
    fprintf(stderr, "%s: results differ from those of %s%s\n", row->model, r->peers[p].name,
            norm < 0 ? ", not in values alone" : "");
    ++r->n_failed;
  }
  *out_model = model;
  return NULL;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compare_times(const tn_bench_result *ours, const tn_bench_result *theirs,
                          race_beside *out) {
  double *ratios = calloc((size_t)ours->repeat, sizeof *ratios);
  out->is_measured = true;
  out->median_us = theirs->median_us;
  out->ratio = ours->median_us / theirs->median_us;
  out->ratio_lo = out->ratio;
  out->ratio_hi = out->ratio;
  if (ratios != NULL) {
    for (int32_t i = 0; i < ours->repeat; ++i) {
      ratios[i] = ours->sample_us[i] / theirs->sample_us[i];
    }
    qsort(ratios, (size_t)ours->repeat, sizeof *ratios, by_size);
    out->ratio_lo = ratios[ours->repeat / 4];
    out->ratio_hi = ratios[ours->repeat - 1 - ours->repeat / 4];
  }
  free(ratios);
}

static void fill_row(const race *r, const turns *t, const tn_bench_result *results,
                     const limit_work *work, race_row *row) {
  const tn_bench_result *ours = &results[t->ours];
  row->median_us = ours->median_us;
  row->min_us = ours->min_us;
  row->max_us = ours->max_us;
  row->n_unsteady = ours->n_unsteady;
  row->flops = work->flops;
  row->bytes = work->bytes;
  row->limit_us = limit_us(work, &r->peak, row->n_threads, ours->yardstick_gflops, r->is_cold);
  for (int32_t p = 0; p < r->n_peers; ++p) {
    if (t->theirs[p] >= 0) {
      compare_times(ours, &results[t->theirs[p]], &row->beside[p]);
    }
  }
}

static tn_status measure_row(race *r, session *s, const tn_arg *ours, const limit_work *work,
                             race_row *row) {
  tn_bench_result results[TN_BENCH_MAX_CALLS] = {{0}};
  turns t = {.cold = r->is_cold ? calloc(1, COLD_BYTES) : NULL};
  t.ours = add_turn(&t, (tn_bench_call){call_ours, s}, row->n_threads);
  for (int32_t p = 0; p < r->n_peers; ++p) {
    t.theirs[p] = -1;
    tn_status why = r->peers[p].lib != NULL ? enter(r, p, s, ours, row, &t.models[p]) : NULL;
    if (why != NULL) {
      tell(r, row->model, why);
    } else if (t.models[p] != NULL) {
      t.theirs[p] =
          add_turn(&t, (tn_bench_call){r->peers[p].kind->run, t.models[p]}, row->n_threads);
    }
  }
  tn_status st = tn_bench_in_turn(t.calls, t.n, &r->opts, results);
  if (st == NULL) {
    fill_row(r, &t, results, work, row);
  }
  for (int32_t i = 0; st == NULL && i < t.n; ++i) {
    tn_bench_result_deinit(&results[i]);
  }
  end_turns(r, &t);
  return st;
}

/* ---- a model ---- */

void race_args(const cli_args *from, char **operands, cli_args *out) {
  static const cli_option random = CLI_OPT_RANDOM;
  *out = *from;
  out->operands = operands;
  if (cli_value(out, "random") == NULL && out->n_values < CLI_MAX_VALUES) {
    out->values[out->n_values].option = &random;
    out->values[out->n_values++].text = "";
  }
}

static bool is_given(const cli_args *args, const char *name) {
  size_t len = strlen(name);
  const char *text = NULL;
  for (int32_t i = 0; (text = cli_value_at(args, "input", i)) != NULL; ++i) {
    if (strncmp(text, name, len) == 0 && text[len] == '=') {
      return true;
    }
  }
  return false;
}

/* Random whole numbers stand for words and places, of which some runtimes want none below 0. */
static void lift_integers(session *s, const cli_args *args) {
  for (int32_t j = 0; j < s->n_params; ++j) {
    const tn_tensor *tensor = tn_arg_tensor(&s->args[j]);
    const DLTensor *dl = tensor != NULL ? tn_tensor_dl(tensor) : NULL;
    int64_t n = dl != NULL && !is_given(args, s->params[j].name) ? tn_dl_n_elems(dl) : 0;
    for (int64_t i = 0; i < n && tn_dl_dtype(dl) == TN_DT_I64; ++i) {
      int64_t *at = (int64_t *)tn_tensor_data(tensor) + i;
      *at = *at < 0 ? -*at : *at;
    }
    for (int64_t i = 0; i < n && tn_dl_dtype(dl) == TN_DT_I32; ++i) {
      int32_t *at = (int32_t *)tn_tensor_data(tensor) + i;
      *at = *at < 0 ? -*at : *at;
    }
  }
}

static void run_model(race *r, char *path) {
  static session s; /* large */
  cli_args args;
  char *operands[] = {path, NULL};
  tn_arg ours = tn_arg_none();
  limit_work work = {.flops = -1};
  race_args(r->args, operands, &args);
  tn_status st = session_open(&args, &r->compile, r->teams[0], false, NULL, &s);
  if (st != NULL) {
    tell(r, path, st);
    return;
  }
  lift_integers(&s, &args);
  st = session_call(&s, &ours);
  st = st == NULL ? limit_count(&s, &r->compile.opts, &ours, &work) : st;
  for (int32_t i = 0; st == NULL && i < r->n_teams; ++i) {
    race_row row = {.model = path, .n_threads = r->teams[i]};
    st = i == 0 ? NULL : session_set_threads(&s, r->teams[i]);
    st = st == NULL ? measure_row(r, &s, &ours, &work, &row) : st;
    if (st == NULL) {
      r->rows[r->n_rows++] = row;
      race_print_row(r, &row);
    }
  }
  if (st != NULL) {
    tell(r, path, st);
  }
  tn_arg_release(&ours);
  session_close(&s);
}

/* ---- the command ---- */

/* "1,2" */
static bool read_teams(race *r) {
  const char *text = cli_value(r->args, "threads");
  text = text == NULL ? "1" : text;
  for (;;) {
    char *end = NULL;
    int64_t n = strtoll(text, &end, 10);
    if (end == text || n < 1 || n > 1024 || (*end != '\0' && *end != ',') ||
        r->n_teams == RACE_MAX_TEAMS) {
      (void)cli_usage(r->args,
                      "--threads %s: up to 8 numbers from 1 to 1024 with commas between them",
                      cli_value(r->args, "threads"));
      return false;
    }
    r->teams[r->n_teams++] = (int32_t)n;
    if (*end == '\0') {
      return true;
    }
    text = end + 1;
  }
}

static bool read_peers(race *r) {
  const char *name = NULL;
  while ((name = cli_value_at(r->args, "vs", r->n_peers)) != NULL) {
    const peer_kind *kind = peer_find_kind(name);
    if (kind == NULL || r->n_peers == RACE_MAX_PEERS) {
      (void)cli_usage(r->args,
                      kind == NULL ? "--vs %s: a program beside runtimes is no contender"
                                   : "--vs %s: more than 8 peers",
                      name);
      return false;
    }
    r->peers[r->n_peers++] = (race_peer){.kind = kind, .name = name};
  }
  return true;
}

static bool read_race(race *r) {
  static const char *const others[] = {"schedule", "sweep", "table", "interpret", "output"};
  int64_t repeat = 0;
  int64_t min_ms = 0;
  int64_t number = 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    if (cli_value(r->args, others[i]) != NULL) {
      (void)cli_usage(r->args, "--%s has no meaning beside another runtime", others[i]);
      return false;
    }
  }
  r->is_cold = cli_value(r->args, "cold") != NULL;
  if (!session_check_args(r->args) || !cli_compile_opts(r->args, &r->compile) || !read_teams(r) ||
      !read_peers(r) || !cli_int(r->args, "repeat", 1, 100000, 9, &repeat) ||
      !cli_int(r->args, "number", 1, INT32_MAX, 1, &number) ||
      !cli_int(r->args, "min-repeat-ms", 0, 1000000,
               r->is_cold || cli_value(r->args, "number") != NULL ? 0 : 10, &min_ms)) {
    return false;
  }
  r->opts = (tn_bench_opts)TN_BENCH_DEFAULTS;
  r->opts.number = r->is_cold ? 1 : number;
  r->opts.repeat = (int32_t)repeat;
  r->opts.min_repeat_ms = r->is_cold ? 0 : (double)min_ms;
  r->opts.max_discards = (int32_t)repeat;
  return true;
}

static void find_peers(race *r) {
  for (int32_t p = 0; p < r->n_peers; ++p) {
    race_peer *peer = &r->peers[p];
    tn_status why = peer->kind->find(peer->name, &peer->lib, peer->version);
    if (why != NULL) {
      peer->missing = strdup(tn_status_message(why));
      fprintf(stderr, "%s\n", tn_status_message(why));
      tn_status_free(why);
    }
  }
}

static tn_status write_chart(const race *r) {
  const char *path = cli_value(r->args, "svg");
  if (path == NULL) {
    return NULL;
  }
  char *svg = race_draw(r);
  tn_status st = svg != NULL ? cli_write(path, svg) : tn_status_make(TN_NO_MEMORY, "no memory");
  free(svg);
  return st;
}

static void end_race(race *r) {
  for (int32_t p = 0; p < r->n_peers; ++p) {
    r->peers[p].kind->forget(r->peers[p].lib);
    free(r->peers[p].missing);
  }
  free(r->rows);
}

int race_main(const cli_args *args) {
  static race r; /* large */
  int32_t n_models = 0;
  r = (race){.args = args};
  if (!read_race(&r)) {
    return CLI_USAGE;
  }
  if (cli_value(args, "memory") != NULL) {
    return footprint_main(&r);
  }
  while (args->operands[n_models] != NULL) {
    ++n_models;
  }
  r.rows = calloc((size_t)n_models * (size_t)r.n_teams, sizeof *r.rows);
  tn_status st = r.rows == NULL ? tn_status_make(TN_NO_MEMORY, "no memory for results")
                                : tn_peak_get(false, &r.peak, NULL);
  if (st == NULL) {
    find_peers(&r);
    race_print_head(&r);
    for (int32_t i = 0; i < n_models; ++i) {
      run_model(&r, args->operands[i]);
    }
    race_print_means(&r);
    st = write_chart(&r);
  }
  int32_t n_failed = r.n_failed;
  end_race(&r);
  return st != NULL ? cli_finish(st) : n_failed > 0 ? CLI_FAILED : CLI_OK;
}
