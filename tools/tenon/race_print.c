/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What came out of a race: a table that grows line by line, its means, JSON, bars. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "race.h"

static bool is_json(const race *r) { return cli_value(r->args, "json") != NULL; }

void race_name(const char *path, char *out, size_t n_bytes) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t len = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
  (void)snprintf(out, n_bytes, "%.*s", (int)len, name);
}

double race_share(const race_row *row) {
  return row->limit_us > 0 && row->median_us > 0 ? row->limit_us / row->median_us : 0;
}

double race_mean(const race *r, int32_t p, int32_t n_threads, int32_t *out_n) {
  double sum = 0;
  *out_n = 0;
  for (int32_t i = 0; i < r->n_rows; ++i) {
    const race_row *row = &r->rows[i];
    double value = p < 0 ? race_share(row) : row->beside[p].is_measured ? row->beside[p].ratio : 0;
    if (row->n_threads == n_threads && value > 0) {
      sum += log(value);
      ++*out_n;
    }
  }
  return *out_n > 0 ? exp(sum / *out_n) : 0;
}

/* ---- text ---- */

void race_print_head(const race *r) {
  if (is_json(r)) {
    return;
  }
  printf("%s, %s, %d cores\n", r->peak.cpu, r->peak.vectors, r->peak.n_cpus);
  printf("%-34s %7s %11s", "model", "threads", "tenon ms");
  for (int32_t p = 0; p < r->n_peers; ++p) {
    char title[24];
    (void)snprintf(title, sizeof title, "%.16s ms", r->peers[p].name);
    printf(" %15s %6s %13s %8s", title, "ratio", "of rounds", "norm");
  }
  printf(" %8s\n", "of light");
  fflush(stdout);
}

/* Did the machine change during rounds that count, or do their ratios say that it did? */
static bool is_unsteady(const race *r, const race_row *row) {
  bool is = row->n_unsteady > 0;
  for (int32_t p = 0; p < r->n_peers; ++p) {
    is = is || row->beside[p].ratio_hi > 1.1 * row->beside[p].ratio_lo;
  }
  return is;
}

static void print_beside(const race_beside *b) {
  char spread[32];
  char norm[16];
  if (!b->is_measured) {
    printf(" %15s %6s %13s %8s", "-", "-", "-", "-");
    return;
  }
  (void)snprintf(spread, sizeof spread, "%.2f-%.2f", b->ratio_lo, b->ratio_hi);
  (void)snprintf(norm, sizeof norm, b->norm < 0 ? "differ" : "%.1e", b->norm);
  printf(" %15.4g %6.2f %13s %8s", b->median_us * 1e-3, b->ratio, spread, norm);
}

void race_print_row(const race *r, const race_row *row) {
  char name[64];
  if (is_json(r)) {
    return;
  }
  race_name(row->model, name, sizeof name);
  printf("%-34s %7d %11.4g", name, row->n_threads, row->median_us * 1e-3);
  for (int32_t p = 0; p < r->n_peers; ++p) {
    print_beside(&row->beside[p]);
  }
  if (race_share(row) > 0) {
    printf(" %6.0f %%", 100 * race_share(row));
  } else {
    printf(" %8s", "-");
  }
  printf("%s\n", is_unsteady(r, row) ? " ~" : "");
  fflush(stdout);
}

void race_print_means(const race *r) {
  bool is_any_unsteady = false;
  if (is_json(r)) {
    race_print_json(r);
    return;
  }
  for (int32_t i = 0; i < r->n_teams; ++i) {
    for (int32_t p = 0; p < r->n_peers; ++p) {
      int32_t n = 0;
      double mean = race_mean(r, p, r->teams[i], &n);
      if (n > 0) {
        printf("%d threads, beside %s %s: geometric mean of %d ratios %.3f\n", r->teams[i],
               r->peers[p].name, r->peers[p].version, n, mean);
      } else {
        printf("%d threads, beside %s: %s\n", r->teams[i], r->peers[p].name,
               r->peers[p].missing != NULL ? "missing" : "nothing was measured");
      }
    }
    int32_t n = 0;
    double mean = race_mean(r, -1, r->teams[i], &n);
    if (n > 0) {
      printf("%d threads, of the speed of light: geometric mean of %d shares %.0f %%\n",
             r->teams[i], n, 100 * mean);
    }
  }
  for (int32_t i = 0; i < r->n_rows; ++i) {
    is_any_unsteady = is_any_unsteady || is_unsteady(r, &r->rows[i]);
  }
  if (is_any_unsteady) {
    printf("~: the machine changed during rounds that count, or their ratios differ by a tenth\n");
  }
}

/* ---- JSON ---- */

static json_t *figure(double value, bool is_known) {
  return is_known && isfinite(value) ? json_real(value) : json_null();
}

/* A path is others' words, and may be no UTF-8. */
static json_t *text(const char *value) {
  json_t *t = json_string(value);
  return t != NULL ? t : json_string("?");
}

static json_t *row_to_json(const race *r, const race_row *row) {
  json_t *object = json_object();
  json_t *peers = json_object();
  (void)json_object_set_new(object, "model", text(row->model));
  (void)json_object_set_new(object, "threads", json_integer(row->n_threads));
  (void)json_object_set_new(object, "median_us", json_real(row->median_us));
  (void)json_object_set_new(object, "min_us", json_real(row->min_us));
  (void)json_object_set_new(object, "max_us", json_real(row->max_us));
  (void)json_object_set_new(object, "n_unsteady", json_integer(row->n_unsteady));
  (void)json_object_set_new(object, "flops", figure(row->flops, row->flops >= 0));
  (void)json_object_set_new(object, "bytes", json_real(row->bytes));
  (void)json_object_set_new(object, "limit_us", figure(row->limit_us, row->limit_us > 0));
  (void)json_object_set_new(object, "share_of_limit", figure(race_share(row), row->limit_us > 0));
  for (int32_t p = 0; p < r->n_peers; ++p) {
    const race_beside *b = &row->beside[p];
    json_t *peer = json_object();
    (void)json_object_set_new(peer, "median_us", figure(b->median_us, b->is_measured));
    (void)json_object_set_new(peer, "ratio", figure(b->ratio, b->is_measured));
    (void)json_object_set_new(peer, "ratio_lo", figure(b->ratio_lo, b->is_measured));
    (void)json_object_set_new(peer, "ratio_hi", figure(b->ratio_hi, b->is_measured));
    (void)json_object_set_new(peer, "norm", figure(b->norm, b->is_measured && b->norm >= 0));
    (void)json_object_set_new(peers, r->peers[p].name, peer);
  }
  (void)json_object_set_new(object, "beside", peers);
  return object;
}

static json_t *means_to_json(const race *r) {
  json_t *means = json_array();
  for (int32_t i = 0; i < r->n_teams; ++i) {
    int32_t n = 0;
    json_t *object = json_object();
    (void)json_object_set_new(object, "threads", json_integer(r->teams[i]));
    double share = race_mean(r, -1, r->teams[i], &n);
    (void)json_object_set_new(object, "share_of_limit", figure(share, n > 0));
    for (int32_t p = 0; p < r->n_peers; ++p) {
      double mean = race_mean(r, p, r->teams[i], &n);
      (void)json_object_set_new(object, r->peers[p].name, figure(mean, n > 0));
    }
    (void)json_array_append_new(means, object);
  }
  return means;
}

void race_print_json(const race *r) {
  json_t *object = json_object();
  json_t *peers = json_object();
  json_t *rows = json_array();
  for (int32_t p = 0; p < r->n_peers; ++p) {
    const race_peer *peer = &r->peers[p];
    (void)json_object_set_new(peers, peer->name,
                              peer->lib != NULL ? text(peer->version) : json_null());
  }
  for (int32_t i = 0; i < r->n_rows; ++i) {
    (void)json_array_append_new(rows, row_to_json(r, &r->rows[i]));
  }
  (void)json_object_set_new(object, "tenon", text(tn_version()));
  (void)json_object_set_new(object, "cpu", text(r->peak.cpu));
  (void)json_object_set_new(object, "vectors", text(r->peak.vectors));
  (void)json_object_set_new(object, "cores", json_integer(r->peak.n_cpus));
  (void)json_object_set_new(object, "is_cold", json_boolean(r->is_cold));
  (void)json_object_set_new(object, "versions", peers);
  (void)json_object_set_new(object, "rows", rows);
  (void)json_object_set_new(object, "geometric_means", means_to_json(r));
  variants_print_json(object);
}

/* ---- bars ---- */

char *race_draw(const race *r) {
  static char names[MAX_VARIANTS][96]; /* large */
  char title[256] = "nothing was measured";
  chart_bars bars = {.title = title, .unit = "times", .mark = 1};
  if (r->n_peers > 0) {
    (void)snprintf(title, sizeof title, "times as fast as %s %s (%s)", r->peers[0].name,
                   r->peers[0].version, r->peak.cpu);
  }
  for (int32_t i = 0; i < r->n_rows && bars.n < MAX_VARIANTS; ++i) {
    const race_row *row = &r->rows[i];
    char name[64];
    if (r->n_peers == 0 || !row->beside[0].is_measured) {
      continue;
    }
    race_name(row->model, name, sizeof name);
    (void)snprintf(names[bars.n], sizeof names[bars.n], "%s, %d", name, row->n_threads);
    bars.names[bars.n] = names[bars.n];
    bars.values[bars.n++] = 1 / row->beside[0].ratio;
  }
  return chart_draw_bars(&bars);
}
