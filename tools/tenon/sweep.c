/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Sweeps: the values of each knob, their combinations as variants, what came out as a table. */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"

enum { MAX_KNOBS = 8, NAME_BYTES = 64, DEFINE_BYTES = 2 * NAME_BYTES };

typedef struct swept {
  char name[NAME_BYTES];
  int32_t n;
  char values[MAX_VARIANTS][NAME_BYTES];
} swept;

typedef struct sweep {
  int32_t n;
  swept knobs[MAX_KNOBS];
} sweep;

static tn_status fail(const char *fmt, const char *what) {
  char text[512];
  (void)snprintf(text, sizeof text, fmt, what);
  return tn_status_make(TN_INVALID, text);
}

/* ---- what is swept ---- */

static tn_status add_value(swept *k, const char *text, size_t len) {
  if (len == 0 || len >= NAME_BYTES) {
    return fail("--sweep %s: a value is missing, or too long", k->name);
  }
  if (k->n == MAX_VARIANTS) {
    return fail("--sweep %s: more than 64 values", k->name);
  }
  (void)snprintf(k->values[k->n++], NAME_BYTES, "%.*s", (int)len, text);
  return NULL;
}

/* "ty=8,16,32" or "ty" */
static tn_status add_knob(sweep *s, const char *text) {
  size_t len = strcspn(text, "=");
  if (s->n == MAX_KNOBS || len == 0 || len >= NAME_BYTES) {
    return fail("--sweep %s: KNOB or KNOB=A,B,... is needed, and at most 8 of them", text);
  }
  swept *k = &s->knobs[s->n++];
  (void)snprintf(k->name, sizeof k->name, "%.*s", (int)len, text);
  if (text[len] == '\0') {
    return NULL;
  }
  for (const char *at = text + len; *at != '\0';) {
    size_t n = strcspn(++at, ",");
    tn_status st = add_value(k, at, n);
    if (st != NULL) {
      return st;
    }
    at += n;
  }
  return NULL;
}

/* The values that the script itself names. */
static tn_status take_choices(swept *k, const tn_trace *trace) {
  for (int32_t i = 0; i < tn_trace_n_knobs(trace); ++i) {
    tn_knob_info info = {0};
    tn_status st = tn_trace_knob(trace, i, &info);
    if (st != NULL || strcmp(info.name, k->name) != 0) {
      tn_status_free(st);
      continue;
    }
    for (int32_t j = 0; st == NULL && j < info.n_choices; ++j) {
      st = add_value(k, info.choices[j], strlen(info.choices[j]));
    }
    return st;
  }
  return fail("--sweep %s: the schedule has no such knob", k->name);
}

static tn_status read_choices(const bench *b, sweep *s) {
  static cli_read read; /* large */
  bool are_used[CLI_MAX_VALUES] = {false};
  tn_program *program = NULL;
  tn_trace *trace = NULL;
  if (!cli_read_opts(b->args, &read)) {
    return tn_status_make(TN_INVALID, "--dialect or --define has no value that it takes");
  }
  const tn_schedule_opts opts = {
      .defines = read.opts.defines, .n_defines = read.opts.n_defines, .are_used = are_used};
  tn_status st = session_load(b->args, are_used, &program);
  st = st == NULL ? tn_program_schedule_file(program, cli_value(b->args, "schedule"), &opts, &trace)
                  : st;
  for (int32_t i = 0; st == NULL && i < s->n; ++i) {
    st = s->knobs[i].n == 0 ? take_choices(&s->knobs[i], trace) : NULL;
  }
  tn_trace_free(trace);
  tn_program_free(program);
  return st;
}

static tn_status read_sweep(const bench *b, sweep *s) {
  const char *text = NULL;
  bool is_open = false;
  int32_t n_all = 1;
  tn_status st = NULL;
  for (int32_t i = 0; st == NULL && (text = cli_value_at(b->args, "sweep", i)) != NULL; ++i) {
    st = add_knob(s, text);
    is_open = is_open || (st == NULL && s->knobs[s->n - 1].n == 0);
  }
  st = st == NULL && is_open ? read_choices(b, s) : st;
  for (int32_t i = 0; st == NULL && i < s->n; ++i) {
    n_all *= s->knobs[i].n;
    if (n_all > MAX_VARIANTS) {
      return fail("--sweep: the values make more than %s combinations", "64");
    }
  }
  if (st == NULL && cli_value(b->args, "svg") != NULL && s->n > 2) {
    return fail("--svg draws one knob or two%s", "");
  }
  return st;
}

/* ---- measuring ---- */

/* The value of knob `k` in variant `i`: the last knob changes first. */
static const char *value_of(const sweep *s, int32_t i, int32_t k) {
  for (int32_t j = s->n - 1; j > k; --j) {
    i /= s->knobs[j].n;
  }
  return s->knobs[k].values[i % s->knobs[k].n];
}

static tn_status add_variants(bench *b, const sweep *s, int32_t n_all) {
  tn_status st = NULL;
  for (int32_t i = 0; st == NULL && i < n_all; ++i) {
    char defines[MAX_KNOBS][DEFINE_BYTES];
    const char *pointers[MAX_KNOBS];
    char name[MAX_KNOBS * (DEFINE_BYTES + 1)] = "";
    for (int32_t k = 0; k < s->n; ++k) {
      (void)snprintf(defines[k], sizeof defines[k], "%s=%s", s->knobs[k].name, value_of(s, i, k));
      pointers[k] = defines[k];
      size_t len = strlen(name);
      (void)snprintf(name + len, sizeof name - len, "%s%s", k > 0 ? " " : "", defines[k]);
    }
    const variant_steps steps = {
        .path = cli_value(b->args, "schedule"), .defines = pointers, .n_defines = s->n};
    st = variants_add(b, b->args->operands[0], name, &steps);
  }
  return st;
}

/* ---- telling ---- */

static json_t *knobs_json(const sweep *s, int32_t i) {
  json_t *object = json_object();
  for (int32_t k = 0; k < s->n; ++k) {
    (void)json_object_set_new(object, s->knobs[k].name, json_string(value_of(s, i, k)));
  }
  return object;
}

static void print_json(const bench *b, const sweep *s) {
  json_t *list = json_array();
  for (int32_t i = 0; i < b->n; ++i) {
    json_t *object = variant_to_json(b, &b->variants[i]);
    (void)json_object_set_new(object, "knobs", knobs_json(s, i));
    (void)json_array_append_new(list, object);
  }
  json_t *all =
      json_pack("{s:o, s:o, s:s}", "variants", list, "best", knobs_json(s, variants_best(b)),
                "ranked_by", b->is_unsteady ? "min" : "median");
  variants_print_json(all);
}

static void print_figure(double value) {
  if (value > 0) {
    printf(" %10.4g", value);
  } else {
    printf(" %10s", "-");
  }
}

static void print_table(const bench *b, const sweep *s) {
  int32_t best = variants_best(b);
  for (int32_t k = 0; k < s->n; ++k) {
    printf("%10s ", s->knobs[k].name);
  }
  printf("%12s %12s %10s %10s %10s\n", "median us", "min us", "GFLOP/s", "% of peak", "x best");
  for (int32_t i = 0; i < b->n; ++i) {
    const variant *v = &b->variants[i];
    for (int32_t k = 0; k < s->n; ++k) {
      printf("%10s ", value_of(s, i, k));
    }
    if (v->refused != NULL) {
      printf("refused: %s\n", v->refused);
      continue;
    }
    printf("%12.3f %12.3f", v->result.median_us, v->result.min_us);
    print_figure(v->gflops);
    print_figure(v->peak_percent);
    printf(" %10.3f%s%s\n", variants_us(b, i) / variants_us(b, best),
           variant_is_unsteady(v) ? " ~" : "", i == best ? "  <- best" : "");
  }
  variants_print_legend(b);
}

static tn_status write_best(const bench *b) {
  const char *path = cli_value(b->args, "output");
  const variant *v = &b->variants[variants_best(b)];
  if (path == NULL) {
    return NULL;
  }
  const char *script = tn_trace_script(v->done);
  size_t n_bytes = strlen(script) + strlen(v->name) + 128;
  char *text = malloc(n_bytes);
  if (text == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for a script");
  }
  (void)snprintf(text, n_bytes, "# %s: %.3f us\n%s", v->name, variants_us(b, variants_best(b)),
                 script);
  tn_status st = cli_write(path, text);
  free(text);
  return st;
}

static tn_status draw(const bench *b, const sweep *s) {
  const char *path = cli_value(b->args, "svg");
  if (path == NULL) {
    return NULL;
  }
  const swept *rows = s->n == 2 ? &s->knobs[0] : NULL;
  const swept *cols = &s->knobs[s->n - 1];
  chart_heat heat = {.title = b->args->operands[0],
                     .row_title = rows != NULL ? rows->name : "",
                     .col_title = cols->name,
                     .n_rows = rows != NULL ? rows->n : 1,
                     .n_cols = cols->n};
  for (int32_t i = 0; i < heat.n_rows; ++i) {
    heat.rows[i] = rows != NULL ? rows->values[i] : "";
  }
  for (int32_t i = 0; i < heat.n_cols; ++i) {
    heat.cols[i] = cols->values[i];
  }
  for (int32_t i = 0; i < b->n; ++i) {
    heat.us[i] = b->variants[i].refused == NULL ? variants_us(b, i) : INFINITY;
    heat.gflops[i] = b->variants[i].gflops;
  }
  char *svg = chart_draw_heat(&heat);
  tn_status st =
      svg == NULL ? tn_status_make(TN_NO_MEMORY, "no memory for a drawing") : cli_write(path, svg);
  free(svg);
  return st;
}

tn_status sweep_run(bench *b) {
  b->is_many = true;
  static sweep s; /* large */
  int32_t n_all = 1;
  tn_status st = read_sweep(b, &s);
  for (int32_t i = 0; st == NULL && i < s.n; ++i) {
    n_all *= s.knobs[i].n;
  }
  st = st == NULL ? add_variants(b, &s, n_all) : st;
  st = st == NULL ? variants_measure(b) : st;
  if (st != NULL) {
    return st;
  }
  if (cli_value(b->args, "json") != NULL) {
    print_json(b, &s);
  } else {
    print_table(b, &s);
  }
  st = draw(b, &s);
  return st == NULL ? write_best(b) : st;
}
