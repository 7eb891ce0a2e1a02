/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The measurement of the machine's peaks as JSON, and the one that is kept in the user's cache
 * folder. A kept one counts only where it is of this processor and this number of processors;
 * whatever else the file holds, it is measured and written anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "files/json.h"
#include "runtime/bench.h"

/* ---- to JSON ---- */

static const char *const team_names[TN_PEAK_N_TEAMS] = {"one_thread", "all_threads"};

/* What comes from /proc/cpuinfo is plain, but nobody promises it. */
static void put_text(tn_buf *out, const char *text) {
  for (; *text != '\0'; ++text) {
    unsigned char c = (unsigned char)*text;
    tn_buf_printf(out, c < 0x20 || c == '"' || c == '\\' || c >= 0x7f ? "?" : "%c", c);
  }
}

static void put_arithmetic(tn_buf *out, const tn_peak *peak) {
  tn_buf_printf(out, "  \"arithmetic\": [");
  for (int kind = 0; kind < TN_PEAK_N_KINDS; ++kind) {
    const double *gops = peak->gops[kind];
    tn_buf_printf(out, "%s\n    {\"name\": \"%s\", \"gops_%s\": %.4g, \"gops_%s\": %.4g}",
                  kind > 0 ? "," : "", tn_peak_kind_name((tn_peak_kind)kind), team_names[0],
                  gops[0], team_names[1], gops[1]);
  }
  tn_buf_printf(out, "\n  ],\n");
}

static void put_levels(tn_buf *out, const tn_peak *peak) {
  tn_buf_printf(out, "  \"bandwidth\": [");
  for (int level = 0; level < TN_PEAK_N_LEVELS; ++level) {
    tn_buf_printf(out, "%s\n    {\"name\": \"%s\", \"n_bytes\": %lld, \"found_n_bytes\": %lld",
                  level > 0 ? "," : "", tn_peak_level_name((tn_peak_level)level),
                  (long long)peak->level_bytes[level], (long long)peak->found_bytes[level]);
    for (int i = 0; i < TN_PEAK_N_ACCESSES * TN_PEAK_N_TEAMS; ++i) {
      int access = i / TN_PEAK_N_TEAMS;
      int team = i % TN_PEAK_N_TEAMS;
      tn_buf_printf(out, ",\n     \"%s_gb_per_s_%s\": %.4g",
                    tn_peak_access_name((tn_peak_access)access), team_names[team],
                    peak->gb_per_s[level][access][team]);
    }
    tn_buf_printf(out, "}");
  }
  tn_buf_printf(out, "\n  ]\n");
}

static void put_peak(tn_buf *out, const tn_peak *peak) {
  tn_buf_printf(out, "{\n  \"format\": 1,\n  \"cpu\": \"");
  put_text(out, peak->cpu);
  tn_buf_printf(out, "\",\n  \"vectors\": \"%s\",\n  \"n_cpus\": %d,\n", peak->vectors,
                peak->n_cpus);
  put_arithmetic(out, peak);
  put_levels(out, peak);
  tn_buf_printf(out, "}\n");
}

tn_status tn_peak_print_json(const tn_peak *peak, char **out_text) {
  tn_buf text = TN_BUF_INIT;
  put_peak(&text, peak);
  char *copy = strndup(text.data, text.len);
  tn_buf_deinit(&text);
  if (copy == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for the text of a measurement");
  }
  *out_text = copy;
  return NULL;
}

/* ---- from JSON ---- */

static bool is_text(const tn_json *value, const char *expected) {
  size_t len = 0;
  const char *text = tn_json_text(value, &len);
  return text != NULL && len == strlen(expected) && memcmp(text, expected, len) == 0;
}

/* A figure NAME_TEAM of `row`, which nobody measured below 0. */
static bool read_rate(const tn_json *row, const char *name, int team, double *out_rate) {
  char key[64];
  (void)snprintf(key, sizeof key, "%s_%s", name, team_names[team]);
  return tn_json_float(tn_json_get(row, key), out_rate) && *out_rate >= 0;
}

static bool read_arithmetic(const tn_json *rows, tn_peak *peak) {
  for (int kind = 0; kind < TN_PEAK_N_KINDS; ++kind) {
    const tn_json *row = tn_json_at(rows, (size_t)kind);
    if (!is_text(tn_json_get(row, "name"), tn_peak_kind_name((tn_peak_kind)kind)) ||
        !read_rate(row, "gops", TN_PEAK_ONE_THREAD, &peak->gops[kind][TN_PEAK_ONE_THREAD]) ||
        !read_rate(row, "gops", TN_PEAK_ALL_THREADS, &peak->gops[kind][TN_PEAK_ALL_THREADS])) {
      return false;
    }
    if (peak->gops[kind][TN_PEAK_ALL_THREADS] < peak->gops[kind][TN_PEAK_ONE_THREAD]) {
      return false; /* no machine is so: it was measured while others worked */
    }
  }
  return peak->gops[TN_PEAK_F32][TN_PEAK_ONE_THREAD] > 0;
}

static bool read_level(const tn_json *row, int level, tn_peak *peak) {
  bool is_whole = is_text(tn_json_get(row, "name"), tn_peak_level_name((tn_peak_level)level)) &&
                  tn_json_int(tn_json_get(row, "found_n_bytes"), &peak->found_bytes[level]) &&
                  tn_json_int(tn_json_get(row, "n_bytes"), &peak->level_bytes[level]);
  for (int i = 0; is_whole && i < TN_PEAK_N_ACCESSES * TN_PEAK_N_TEAMS; ++i) {
    int access = i / TN_PEAK_N_TEAMS;
    int team = i % TN_PEAK_N_TEAMS;
    char name[32];
    (void)snprintf(name, sizeof name, "%s_gb_per_s", tn_peak_access_name((tn_peak_access)access));
    is_whole = read_rate(row, name, team, &peak->gb_per_s[level][access][team]);
  }
  return is_whole;
}

/* False when the text is not a whole measurement of the machine that `peak` names. */
static bool read_peak(const tn_json *root, tn_peak *peak) {
  int64_t format = 0;
  int64_t n_cpus = 0;
  tn_buf cpu = TN_BUF_INIT;
  put_text(&cpu, peak->cpu);
  bool is_whole = tn_json_int(tn_json_get(root, "format"), &format) && format == 1 &&
                  tn_json_int(tn_json_get(root, "n_cpus"), &n_cpus) && n_cpus == peak->n_cpus &&
                  is_text(tn_json_get(root, "vectors"), peak->vectors) &&
                  is_text(tn_json_get(root, "cpu"), cpu.len > 0 ? cpu.data : "") &&
                  read_arithmetic(tn_json_get(root, "arithmetic"), peak);
  for (int level = 0; is_whole && level < TN_PEAK_N_LEVELS; ++level) {
    is_whole = read_level(tn_json_at(tn_json_get(root, "bandwidth"), (size_t)level), level, peak);
  }
  tn_buf_deinit(&cpu);
  return is_whole;
}

/* ---- the kept one ---- */

static bool load(const char *path, tn_peak *out_peak) {
  enum { MAX_BYTES = 65536 };
  tn_buf text = TN_BUF_INIT;
  tn_json *root = NULL;
  tn_peak peak;
  tn_peak_identify(&peak);
  tn_status st = tn_file_read(path, MAX_BYTES, &text);
  st = st == NULL ? tn_json_parse(text.data, text.len, &root) : st;
  bool is_read = st == NULL && read_peak(root, &peak);
  if (is_read) {
    *out_peak = peak;
  }
  tn_status_free(st); /* whatever stands there, it is replaced */
  tn_json_free(root);
  tn_buf_deinit(&text);
  return is_read;
}

static bool store(const char *folder, const char *path, const tn_peak *peak) {
  tn_buf text = TN_BUF_INIT;
  put_peak(&text, peak);
  tn_status st = tn_dir_create(folder);
  st = st == NULL ? tn_file_write(path, text.data, text.len) : st;
  bool is_stored = st == NULL;
  tn_status_free(st); /* a read-only home is no reason not to measure */
  tn_buf_deinit(&text);
  return is_stored;
}

tn_status tn_peak_get(bool is_again, tn_peak *out_peak, char **out_path) {
  tn_status st = NULL;
  tn_buf path = TN_BUF_INIT;
  char *folder = tn_dir_cache();
  tn_peak peak;
  if (folder != NULL) {
    tn_buf_printf(&path, "%s/peak.json", folder);
  }
  bool is_kept = path.len > 0;
  if (is_again || !is_kept || !load(path.data, &peak)) {
    TN_GOTO(st, tn_peak_measure(&peak), done);
    is_kept = is_kept && store(folder, path.data, &peak);
  }
  *out_peak = peak;
  if (out_path != NULL) {
    *out_path = is_kept ? strndup(path.data, path.len) : NULL;
  }
done:
  free(folder);
  tn_buf_deinit(&path);
  return st;
}
