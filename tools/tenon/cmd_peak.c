/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon peak: what this machine can do, measured once and kept. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "tenon/bench.h"

static const cli_option peak_options[] = {
    {"again", 0, NULL, "measure anew, although a measurement of this machine is kept"},
    {"json", 0, NULL, "print one JSON object"},
};

static void print_arithmetic(const tn_peak *peak) {
  printf("%-16s %12s %12s\n", "10^9 operations/s", "1 thread", "all");
  for (int kind = 0; kind < TN_PEAK_N_KINDS; ++kind) {
    const double *gops = peak->gops[kind];
    const char *name = tn_peak_kind_name((tn_peak_kind)kind);
    if (gops[TN_PEAK_ONE_THREAD] > 0) {
      printf("  %-15s %12.1f %12.1f\n", name, gops[TN_PEAK_ONE_THREAD], gops[TN_PEAK_ALL_THREADS]);
    } else {
      printf("  %-15s %12s %12s\n", name, "-", "-");
    }
  }
}

/* 49152 as "48 KiB"; "-" for 0. */
static void print_size(int64_t n_bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
  char text[32] = "-";
  double size = (double)n_bytes;
  int unit = 0;
  for (; size >= 1024 && unit < 3; ++unit) {
    size /= 1024;
  }
  if (n_bytes > 0) {
    (void)snprintf(text, sizeof text, "%.4g %s", size, units[unit]);
  }
  printf(" %10s", text);
}

static void print_levels(const tn_peak *peak) {
  printf("%-8s %10s %10s", "GB/s", "size", "found");
  for (int access = 0; access < TN_PEAK_N_ACCESSES; ++access) {
    printf(" %7s 1 %7s all", tn_peak_access_name((tn_peak_access)access), "");
  }
  printf("\n");
  for (int level = 0; level < TN_PEAK_N_LEVELS; ++level) {
    if (peak->gb_per_s[level][TN_PEAK_READ][TN_PEAK_ONE_THREAD] <= 0) {
      continue;
    }
    printf("  %-6s", tn_peak_level_name((tn_peak_level)level));
    print_size(peak->level_bytes[level]);
    print_size(peak->found_bytes[level]);
    for (int access = 0; access < TN_PEAK_N_ACCESSES; ++access) {
      const double *rates = peak->gb_per_s[level][access];
      printf(" %9.1f %11.1f", rates[TN_PEAK_ONE_THREAD], rates[TN_PEAK_ALL_THREADS]);
    }
    printf("\n");
  }
}

static tn_status print_json(const tn_peak *peak) {
  char *text = NULL;
  tn_status st = tn_peak_print_json(peak, &text);
  if (st == NULL) {
    fputs(text, stdout);
  }
  free(text);
  return st;
}

static int run_peak(const cli_args *args) {
  tn_peak peak;
  char *path = NULL;
  tn_status st = tn_peak_get(cli_value(args, "again") != NULL, &peak, &path);
  if (st != NULL) {
    return cli_finish(st);
  }
  if (cli_value(args, "json") != NULL) {
    st = print_json(&peak);
  } else {
    printf("%s, vectors %s, %d processors\n", peak.cpu, peak.vectors, peak.n_cpus);
    print_arithmetic(&peak);
    print_levels(&peak);
  }
  if (path == NULL) {
    fprintf(stderr, "not kept: there is no cache folder to write to ($XDG_CACHE_HOME, ~/.cache)\n");
  }
  free(path);
  return cli_finish(st);
}

const cli_command cli_cmd_peak = {"peak",
                                  "",
                                  0,
                                  "measure what this machine can do: arithmetic and memory",
                                  peak_options,
                                  sizeof peak_options / sizeof *peak_options,
                                  run_peak};
