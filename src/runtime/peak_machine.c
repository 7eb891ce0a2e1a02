/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which processor a measurement of peaks is of, and what the system says of its caches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/bench.h"
#include "runtime/cpu_count.h"

/* Appends the value of the line "key   : value". */
static void append_value(tn_peak *peak, const char *line) {
  const char *value = strchr(line, ':');
  size_t used = strlen(peak->cpu);
  if (value != NULL) {
    value += strspn(value, ": \t");
    (void)snprintf(peak->cpu + used, sizeof peak->cpu - used, "%s%.*s", used > 0 ? " " : "",
                   (int)strcspn(value, "\n"), value);
  }
}

/* The first line of the first processor that begins with `key`. */
static void append_key(tn_peak *peak, FILE *file, const char *key) {
  char line[4096];
  rewind(file);
  while (fgets(line, sizeof line, file) != NULL && line[0] != '\n') {
    if (strncmp(line, key, strlen(key)) == 0) {
      append_value(peak, line);
      return;
    }
  }
}

/* Name, family, model and stepping; on Arm and RISC-V the numbers that they have instead. */
static void find_cpu(tn_peak *peak) {
  static const char *const keys[] = {"model name", "cpu family", "model\t",     "stepping",
                                     "uarch",      "CPU part",   "CPU revision"};
  FILE *file = fopen("/proc/cpuinfo", "re");
  for (size_t i = 0; file != NULL && i < sizeof keys / sizeof *keys; ++i) {
    append_key(peak, file, keys[i]);
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  if (peak->cpu[0] == '\0') {
    (void)snprintf(peak->cpu, sizeof peak->cpu, "unknown");
  }
}

/* The first word of a file that describes cache `index`; "" when there is none. */
static void read_cache(int index, const char *name, char word[32]) {
  char path[128];
  (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
  FILE *file = fopen(path, "re");
  word[0] = '\0';
  if (file != NULL) {
    if (fscanf(file, "%31s", word) != 1) {
      word[0] = '\0';
    }
    (void)fclose(file);
  }
}

/* The kernel's word; libc's own arithmetic made 256 MiB of an L3 of 32. */
static void find_caches(tn_peak *peak) {
  enum { MAX_CACHES = 8 };
  char word[32];
  for (int i = 0; i < MAX_CACHES; ++i) {
    read_cache(i, "type", word);
    if (strcmp(word, "Data") != 0 && strcmp(word, "Unified") != 0) {
      continue;
    }
    read_cache(i, "level", word);
    int64_t level = strtoll(word, NULL, 10) - 1;
    read_cache(i, "size", word);
    char *unit = NULL;
    int64_t size = strtoll(word, &unit, 10);
    if (level >= TN_PEAK_L1 && level < TN_PEAK_MEMORY && size > 0 && size < INT32_MAX) {
      peak->level_bytes[level] = size * (*unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1);
    }
  }
}

void tn_peak_identify(tn_peak *peak) {
  enum { ASSUMED_L1 = 32 * 1024, ASSUMED_L2 = 256 * 1024 };
  *peak = (tn_peak){0};
  find_cpu(peak);
  peak->n_cpus = tn_cpu_count();
  (void)snprintf(peak->vectors, sizeof peak->vectors, "%s", tn_bench_yardstick_name());
  find_caches(peak);
  /* a system that is silent about its caches still has a first and a second one */
  peak->level_bytes[TN_PEAK_L1] += peak->level_bytes[TN_PEAK_L1] == 0 ? ASSUMED_L1 : 0;
  peak->level_bytes[TN_PEAK_L2] += peak->level_bytes[TN_PEAK_L2] == 0 ? ASSUMED_L2 : 0;
  int64_t n_pages = sysconf(_SC_PHYS_PAGES);
  peak->level_bytes[TN_PEAK_MEMORY] = n_pages > 0 ? n_pages * sysconf(_SC_PAGESIZE) : 0;
}
