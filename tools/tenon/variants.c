/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Variants: opened, checked against the first, measured in turn. */
#include "variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers.h"

static tn_status call(void *ctx) {
  tn_arg ret = tn_arg_none();
  tn_status st = session_call(ctx, &ret);
  tn_arg_release(&ret);
  return st;
}

/* ---- opening ---- */

/* A schedule on its way to a program. */
typedef struct scheduling {
  const cli_args *args;
  const variant_steps *steps;
  bool *by_program; /* values of -D that the program asked for */
  tn_trace **out_done;
} scheduling;

static tn_status schedule(void *ctx, tn_program *program) {
  const scheduling *s = ctx;
  static cli_read read; /* large */
  bool by_steps[2 * CLI_MAX_VALUES] = {false};
  const char *defines[2 * CLI_MAX_VALUES];
  int32_t n = 0;
  if (!cli_read_opts(s->args, &read)) {
    return tn_status_make(TN_INVALID, "--dialect or --define has no value that it takes");
  }
  for (; n < read.opts.n_defines; ++n) {
    defines[n] = read.defines[n];
  }
  for (int32_t i = 0; i < s->steps->n_defines && n < 2 * CLI_MAX_VALUES; ++i) {
    defines[n++] = s->steps->defines[i];
  }
  const tn_schedule_opts opts = {.defines = defines, .n_defines = n, .are_used = by_steps};
  tn_status st = tn_program_schedule_file(program, s->steps->path, &opts, s->out_done);
  for (int32_t i = 0; st == NULL && i < n; ++i) {
    if (!by_steps[i] && (i >= read.opts.n_defines || !s->by_program[i])) {
      char text[256];
      (void)snprintf(text, sizeof text, "%s: there is no name that waits for %s", s->steps->path,
                     defines[i]);
      st = tn_status_make(TN_INVALID, text);
    }
  }
  return st;
}

/* The first variant's arguments serve all: so many programs need the memory of one. */
static void share_arguments(const session *from, session *to) {
  for (int32_t j = 0; j < to->n_params && j < from->n_params; ++j) {
    tn_arg_retain(&from->args[j]);
    tn_arg_release(&to->args[j]);
    to->args[j] = from->args[j];
  }
}

static tn_status copy_arguments(const session *from, tn_arg *out) {
  tn_status st = NULL;
  for (int32_t j = 0; st == NULL && j < from->n_params; ++j) {
    const DLTensor *dl = tn_arg_dl(&from->args[j]);
    tn_tensor *tensor = NULL;
    if (dl == NULL) {
      tn_arg_retain(&from->args[j]);
      out[j] = from->args[j];
      continue;
    }
    st = tn_tensor_create(tn_dl_dtype(dl), dl->ndim, dl->shape, dl->data, &tensor);
    if (st == NULL) {
      out[j] = tn_arg_of_tensor(tensor);
    }
  }
  return st;
}

static void swap_arguments(session *s, tn_arg *args) {
  for (int32_t j = 0; j < s->n_params; ++j) {
    tn_arg kept = s->args[j];
    s->args[j] = args[j];
    args[j] = kept;
  }
}

/* What the first one makes of arguments as the new one has them: its own may be written already. */
static tn_status answer_of_first(bench *b, const variant *v) {
  session *first = b->variants[b->first].s;
  b->answer = calloc(SESSION_MAX_PARAMS, sizeof *b->answer);
  if (b->answer == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for arguments");
  }
  tn_status st = copy_arguments(v->s, b->answer);
  if (st == NULL) {
    swap_arguments(first, b->answer);
    st = session_call(first, &b->answer_ret);
    swap_arguments(first, b->answer);
  }
  return st;
}

static bool are_alike(const DLTensor *a, const DLTensor *b) {
  bool is_one = tn_dl_dtype(a) == tn_dl_dtype(b) && a->ndim == b->ndim;
  for (int32_t d = 0; is_one && d < a->ndim; ++d) {
    is_one = a->shape[d] == b->shape[d];
  }
  return is_one;
}

/* The first one is called with the new one's arguments, so they must be of its types. */
static tn_status check_arguments(const variant *first, const variant *v) {
  for (int32_t j = 0; j < v->s->n_params; ++j) {
    const DLTensor *x = tn_arg_dl(&first->s->args[j]);
    const DLTensor *y = tn_arg_dl(&v->s->args[j]);
    if ((x == NULL) != (y == NULL) || (x != NULL && !are_alike(x, y))) {
      char text[512];
      (void)snprintf(text, sizeof text, "%s of %s and of %s have different shapes or types",
                     v->s->params[j].name, first->name, v->name);
      return tn_status_make(TN_INVALID, text);
    }
  }
  return NULL;
}

static tn_status compare_with_first(bench *b, variant *v) {
  const variant *first = &b->variants[b->first];
  bool is_like_it = first->s->n_params == v->s->n_params;
  if (is_like_it) {
    tn_status why = check_arguments(first, v);
    if (why != NULL) {
      return why;
    }
  }
  tn_status st = b->answer == NULL && is_like_it ? answer_of_first(b, v) : NULL;
  const answers got = {
      .name = first->name, .n_args = first->s->n_params, .args = b->answer, .ret = b->answer_ret};
  return st == NULL ? answers_compare(&got, v->s, v->name) : st;
}

static void count(variant *v) {
  if (v->s->program != NULL && !v->s->is_graph) {
    tn_status why =
        tn_program_count_flops(v->s->program, v->s->func, v->s->args, v->s->n_params, &v->count);
    v->is_counted = why == NULL && v->count.flops > 0;
    tn_status_free(why); /* a loop whose turns the data decide has no count */
  }
}

/* The row says the message's first line; a diagnostic's without where it stands. */
static tn_status refuse(bench *b, variant *v, tn_status why) {
  static const char mark[] = ": error: ";
  const char *message = tn_status_message(why);
  const char *error = strstr(message, mark);
  message = error != NULL ? error + strlen(mark) : message;
  v->refused = strndup(message, strcspn(message, "\n"));
  if (v->refused == NULL || tn_status_code(why) == TN_NO_MEMORY) {
    return why;
  }
  if (b->first_refusal == NULL) {
    b->first_refusal = why;
  } else {
    tn_status_free(why);
  }
  return NULL;
}

/* Many take minutes: who looks at a terminal is told how far it is. */
static void tell(const bench *b, const char *what) {
  if (b->is_many && isatty(STDERR_FILENO)) {
    fprintf(stderr, "%s\n", what);
  }
}

tn_status variants_add(bench *b, const char *path, const char *name, const variant_steps *steps) {
  bool by_program[CLI_MAX_VALUES] = {false};
  cli_args args = *b->args;
  char *operands[] = {(char *)(uintptr_t)path}; /* the table of operands is argv's, not const */
  if (b->n == MAX_VARIANTS) {
    return tn_status_make(TN_INVALID, "more than 64 programs to measure in turn");
  }
  variant *v = &b->variants[b->n];
  args.operands = operands;
  v->name = strdup(name);
  v->s = calloc(1, sizeof *v->s);
  ++b->n;
  if (v->s == NULL || v->name == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for a program to measure");
  }
  scheduling how = {
      .args = b->args, .steps = steps, .by_program = by_program, .out_done = &v->done};
  const session_change change = {.run = schedule, .ctx = &how, .are_used = by_program};
  cli_compile compile = b->compile;
  char disabled[512];
  if (strcmp(name, "naive") == 0) { /* its loops as they stand */
    const char *others = compile.opts.disabled_passes;
    (void)snprintf(disabled, sizeof disabled, "default_schedule%s%s", others == NULL ? "" : ",",
                   others == NULL ? "" : others);
    compile.opts.disabled_passes = disabled;
  }
  tn_status st =
      session_open(&args, &compile, (int32_t)b->n_threads, cli_value(b->args, "interpret") != NULL,
                   steps == NULL ? NULL : &change, v->s);
  if (st != NULL) {
    return b->is_many ? refuse(b, v, st) : st;
  }
  b->first = b->n_made == 0 ? b->n - 1 : b->first;
  ++b->n_made;
  tell(b, name);
  b->n_threads = tn_pool_n_threads(tn_runtime_pool(v->s->rt));
  count(v);
  if (b->n_made > 1) {
    st = compare_with_first(b, v);
    if (st == NULL) {
      share_arguments(b->variants[b->first].s, v->s);
    }
  }
  return st;
}

void variants_free(bench *b) {
  for (int32_t j = 0; b->answer != NULL && j < SESSION_MAX_PARAMS; ++j) {
    tn_arg_release(&b->answer[j]);
  }
  free(b->answer);
  tn_arg_release(&b->answer_ret);
  tn_status_free(b->first_refusal);
  for (int32_t i = 0; i < b->n; ++i) {
    variant *v = &b->variants[i];
    tn_bench_result_deinit(&v->result);
    if (v->s != NULL) {
      session_close(v->s);
    }
    tn_trace_free(v->done);
    free(v->refused);
    free(v->s);
    free(v->name);
  }
}

/* ---- figures ---- */

/* What the machine can do in a type, with so many threads; 0: not known. */
static double peak_gflops(const tn_peak *peak, tn_dtype dtype, int64_t n_threads) {
  tn_peak_kind kind = TN_PEAK_F32;
  switch (dtype) {
    case TN_DT_F32:
      break;
    case TN_DT_F64:
      kind = TN_PEAK_F64;
      break;
    case TN_DT_BF16:
      kind = TN_PEAK_BF16;
      break;
    default:
      return 0;
  }
  const double *gops = peak->gops[kind];
  return n_threads >= peak->n_cpus ? gops[TN_PEAK_ALL_THREADS]
                                   : gops[TN_PEAK_ONE_THREAD] * (double)n_threads;
}

static void rate(bench *b, int32_t i, const tn_peak *peak) {
  variant *v = &b->variants[i];
  int64_t n_threads = b->n_threads;
  double peak_now = peak_gflops(peak, v->count.dtype, n_threads);
  if (v->count.dtype == TN_DT_F32) { /* the one kept may come from a worse moment than this */
    double yardsticks = v->result.yardstick_gflops * (double)n_threads;
    peak_now = yardsticks > peak_now ? yardsticks : peak_now;
    b->peak_gflops = peak_now > b->peak_gflops ? peak_now : b->peak_gflops;
  }
  v->gflops = v->count.flops / variants_us(b, i) * 1e-3;
  v->peak_percent = peak_now > 0 ? 100 * v->gflops / peak_now : 0;
  if (v->count.dtype == TN_DT_F32) {
    v->yardstick_percent = 100 * tn_bench_share(&v->result, v->count.flops, (int32_t)n_threads);
  }
}

tn_status variants_measure(bench *b) {
  tn_bench_call calls[MAX_VARIANTS];
  tn_bench_result results[MAX_VARIANTS];
  tn_peak peak = {0};
  bool is_counted = false;
  int32_t n = 0;
  for (int32_t i = 0; i < b->n; ++i) {
    if (b->variants[i].refused == NULL) {
      calls[n++] = (tn_bench_call){call, b->variants[i].s};
      is_counted = is_counted || b->variants[i].is_counted;
    }
  }
  if (n == 0) {
    tn_status st = b->first_refusal;
    b->first_refusal = NULL;
    return st;
  }
  tell(b, "measuring them in turn");
  tn_status st = is_counted ? tn_peak_get(false, &peak, NULL) : NULL;
  st = st == NULL ? tn_bench_in_turn(calls, n, &b->opts, results) : st;
  n = 0;
  for (int32_t i = 0; st == NULL && i < b->n; ++i) {
    variant *v = &b->variants[i];
    if (v->refused == NULL) {
      v->result = results[n++];
      b->is_unsteady = b->is_unsteady || (b->is_many && variant_is_unsteady(v));
    }
  }
  for (int32_t i = 0; st == NULL && i < b->n; ++i) {
    if (b->variants[i].is_counted) {
      rate(b, i, &peak);
    }
  }
  return st;
}

bool variant_is_unsteady(const variant *v) {
  return v->result.n_unsteady > 0 || v->result.median_us > 1.1 * v->result.min_us;
}

double variants_us(const bench *b, int32_t i) {
  const tn_bench_result *r = &b->variants[i].result;
  return b->is_unsteady ? r->min_us : r->median_us;
}

int32_t variants_best(const bench *b) {
  int32_t best = b->first;
  for (int32_t i = best + 1; i < b->n; ++i) {
    bool is_faster = b->variants[i].refused == NULL && variants_us(b, i) < variants_us(b, best);
    best = is_faster ? i : best;
  }
  return best;
}

double variants_speedup(const bench *b, int32_t i) {
  return variants_us(b, b->first) / variants_us(b, i);
}

void variants_print_legend(const bench *b) {
  if (b->peak_gflops > 0) {
    printf("%% of peak: of %.4g GFLOP/s in float32, the peak of %lld threads, however many a "
           "schedule uses\n",
           b->peak_gflops, (long long)b->n_threads);
  }
  if (b->is_unsteady) {
    printf("~: the machine was not steady, so all go by the fastest sample (min us); --repeat N "
           "takes more\n");
  }
}

/* ---- printing ---- */

void variant_set_figure(json_t *object, const char *key, double value) {
  (void)json_object_set_new(object, key, value > 0 ? json_real(value) : json_null());
}

json_t *variant_to_json(const bench *b, const variant *v) {
  const tn_bench_result *r = &v->result;
  if (v->refused != NULL) {
    return json_pack("{s:s}", "refused", v->refused);
  }
  json_t *object =
      json_pack("{s:s, s:I, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i}", "name", v->s->func,
                "threads", (json_int_t)b->n_threads, "number", (json_int_t)r->number, "repeat",
                r->repeat, "min_us", r->min_us, "median_us", r->median_us, "mean_us", r->mean_us,
                "max_us", r->max_us, "stddev_us", r->stddev_us, "yardstick_gflops",
                r->yardstick_gflops, "n_discarded", r->n_discarded, "n_unsteady", r->n_unsteady);
  variant_set_figure(object, "flops", v->is_counted ? v->count.flops : 0);
  variant_set_figure(object, "gflops", v->gflops);
  variant_set_figure(object, "peak_percent", v->peak_percent);
  variant_set_figure(object, "yardstick_percent", v->yardstick_percent);
  return object;
}

void variants_print_json(json_t *value) {
  char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  if (text != NULL) {
    puts(text);
  }
  free(text);
  json_decref(value);
}
