/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Lessons: the files of a folder, measured and told as one table. */
#include "climb.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"

enum { PATH_BYTES = 1024 };

typedef struct lesson {
  char program[PATH_BYTES];
  int32_t n;
  char *steps[MAX_VARIANTS]; /* names in the folder, owned */
} lesson;

static tn_status fail(const char *fmt, const char *what, const char *why) {
  char text[PATH_BYTES + 256];
  (void)snprintf(text, sizeof text, fmt, what, why);
  return tn_status_make(TN_INVALID, text);
}

/* ---- the folder ---- */

/* "3_vectorised.py" */
static bool is_step(const char *name) {
  size_t n_digits = strspn(name, "0123456789");
  size_t len = strlen(name);
  return n_digits > 0 && name[n_digits] == '_' && len > 3 && strcmp(name + len - 3, ".py") == 0;
}

static int by_number(const void *a, const void *b) {
  const char *x = *(const char *const *)a;
  const char *y = *(const char *const *)b;
  long i = strtol(x, NULL, 10);
  long j = strtol(y, NULL, 10);
  return i != j ? (i < j ? -1 : 1) : strcmp(x, y);
}

/* examples/schedules/matmul is examples/schedules/matmul/matmul.py */
static void find_program(const char *folder, lesson *l) {
  size_t len = strlen(folder);
  while (len > 1 && folder[len - 1] == '/') {
    --len;
  }
  size_t first = len;
  while (first > 0 && folder[first - 1] != '/') {
    --first;
  }
  (void)snprintf(l->program, sizeof l->program, "%.*s/%.*s.py", (int)len, folder,
                 (int)(len - first), folder + first);
}

static tn_status read_folder(const char *folder, lesson *l) {
  DIR *dir = opendir(folder);
  if (dir == NULL) {
    return fail("%s: %s; --table takes a folder", folder, strerror(errno));
  }
  find_program(folder, l);
  tn_status st = NULL;
  const struct dirent *entry = NULL;
  while (st == NULL && (entry = readdir(dir)) != NULL) {
    if (is_step(entry->d_name) && l->n == MAX_VARIANTS) {
      st = fail("%s has more than %s schedules", folder, "64");
    } else if (is_step(entry->d_name)) {
      l->steps[l->n] = strdup(entry->d_name);
      l->n += l->steps[l->n] != NULL;
    }
  }
  (void)closedir(dir);
  if (st == NULL && l->n == 0) {
    st = fail("%s has no schedules: files such as %s", folder, "0_naive.py");
  }
  qsort(l->steps, (size_t)l->n, sizeof *l->steps, by_number);
  return st;
}

/* ---- telling ---- */

static void print_table(const bench *b) {
  printf("%-16s %14s %12s %10s %10s %10s\n", "schedule", "median us", "min us", "GFLOP/s",
         "% of peak", "x first");
  for (int32_t i = 0; i < b->n; ++i) {
    const variant *v = &b->variants[i];
    if (v->refused != NULL) {
      printf("%-16s refused: %s\n", v->name, v->refused);
      continue;
    }
    char peak[16] = "-";
    char rate[16] = "-";
    if (v->gflops > 0) {
      (void)snprintf(rate, sizeof rate, "%.4g", v->gflops);
    }
    if (v->peak_percent > 0) {
      (void)snprintf(peak, sizeof peak, "%.3g", v->peak_percent);
    }
    printf("%-16s %14.3f %12.3f %10s %10s %10.4g%s\n", v->name, v->result.median_us,
           v->result.min_us, rate, peak, variants_speedup(b, i),
           variant_is_unsteady(v) ? " ~" : "");
  }
  printf("%lld threads; every result was compared with that of %s\n", (long long)b->n_threads,
         b->variants[b->first].name);
  variants_print_legend(b);
}

static void print_json(const bench *b) {
  json_t *list = json_array();
  for (int32_t i = 0; i < b->n; ++i) {
    json_t *object = variant_to_json(b, &b->variants[i]);
    (void)json_object_set_new(object, "schedule", json_string(b->variants[i].name));
    variant_set_figure(object, "speedup",
                       b->variants[i].refused == NULL ? variants_speedup(b, i) : 0);
    (void)json_array_append_new(list, object);
  }
  variants_print_json(list);
}

static tn_status draw(const bench *b) {
  const char *path = cli_value(b->args, "svg");
  if (path == NULL) {
    return NULL;
  }
  chart_bars bars = {.title = b->args->operands[0], .n = b->n, .unit = "GFLOP/s"};
  for (int32_t i = 0; i < b->n; ++i) {
    const variant *v = &b->variants[i];
    bars.names[i] = v->name;
    bars.values[i] = v->refused != NULL ? 0 : v->gflops > 0 ? v->gflops : 1e6 / variants_us(b, i);
    bars.unit = v->gflops > 0 ? bars.unit : "calls a second";
  }
  char *svg = chart_draw_bars(&bars);
  tn_status st =
      svg == NULL ? tn_status_make(TN_NO_MEMORY, "no memory for a drawing") : cli_write(path, svg);
  free(svg);
  return st;
}

/* ---- the climb ---- */

static tn_status add_step(bench *b, const lesson *l, const char *file) {
  char path[2 * PATH_BYTES];
  char name[PATH_BYTES];
  (void)snprintf(path, sizeof path, "%s/%s", b->args->operands[0], file);
  (void)snprintf(name, sizeof name, "%.*s", (int)strlen(file) - 3, file);
  const variant_steps steps = {.path = path};
  return variants_add(b, l->program, name, &steps);
}

tn_status climb_run(bench *b) {
  lesson l = {.n = 0};
  b->is_many = true;
  tn_status st = read_folder(b->args->operands[0], &l);
  for (int32_t i = 0; st == NULL && i < l.n; ++i) {
    st = add_step(b, &l, l.steps[i]);
  }
  st = st == NULL ? variants_measure(b) : st;
  if (st == NULL && cli_value(b->args, "json") != NULL) {
    print_json(b);
  } else if (st == NULL) {
    print_table(b);
  }
  st = st == NULL ? draw(b) : st;
  for (int32_t i = 0; i < l.n; ++i) {
    free(l.steps[i]);
  }
  return st;
}
