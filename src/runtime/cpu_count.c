/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Reads affinity and control-group limits. A container with a limit of two processors on a large
 * machine must not get a thread for each processor: they would be stopped in turn for most of each
 * period. */
#include "runtime/cpu_count.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 1024, LINE_BYTES = 512 };

static int32_t quota_to_cpus(int64_t quota_us, int64_t period_us) {
  if (quota_us <= 0 || period_us <= 0) {
    return 0;
  }
  int64_t cpus = (quota_us + period_us - 1) / period_us;
  return cpus > INT32_MAX ? 0 : (int32_t)cpus;
}

static int read_line(const char *folder, const char *name, char line[LINE_BYTES]) {
  char path[PATH_BYTES + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return 0;
  }
  int is_read = fgets(line, LINE_BYTES, file) != NULL;
  fclose(file);
  return is_read;
}

/* The limit set on one folder of the hierarchy, 0: none. */
static int32_t folder_limit(const char *folder) {
  char line[LINE_BYTES];
  if (read_line(folder, "cpu.max", line)) { /* version 2: "200000 100000" or "max 100000" */
    char *end = NULL;
    int64_t quota = strtoll(line, &end, 10);
    return end == line ? 0 : quota_to_cpus(quota, strtoll(end, NULL, 10));
  }
  if (read_line(folder, "cpu.cfs_quota_us", line)) { /* version 1 */
    int64_t quota = strtoll(line, NULL, 10);
    return read_line(folder, "cpu.cfs_period_us", line)
               ? quota_to_cpus(quota, strtoll(line, NULL, 10))
               : 0;
  }
  return 0;
}

static int32_t smaller_limit(int32_t a, int32_t b) {
  if (a == 0 || b == 0) {
    return a + b;
  }
  return a < b ? a : b;
}

/* Walks from root/group up to root, taking the smallest limit. */
static int32_t walk_up(const char *root, const char *group) {
  char folder[PATH_BYTES];
  int len = snprintf(folder, sizeof folder, "%s%s", root, group);
  if (len < 0 || (size_t)len >= sizeof folder) {
    return 0;
  }
  int32_t limit = 0;
  size_t root_len = strlen(root);
  while (strlen(folder) >= root_len) {
    limit = smaller_limit(limit, folder_limit(folder));
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
      break;
    }
    *slash = 0;
  }
  return limit;
}

int32_t tn_cgroup_cpu_limit(const char *proc_file, const char *root) {
  FILE *file = fopen(proc_file, "re");
  if (file == NULL) {
    return 0;
  }
  int32_t limit = 0;
  char line[LINE_BYTES];
  while (fgets(line, sizeof line, file) != NULL) { /* "0::/a/b" or "4:cpu,cpuacct:/a/b" */
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) {
      continue;
    }
    *group = 0;
    ++group;
    if (controllers[1] == 0) {
      limit = smaller_limit(limit, walk_up(root, group));
    } else if (strncmp(controllers + 1, "cpu", 3) == 0 &&
               (controllers[4] == 0 || controllers[4] == ',')) {
      char cpu_root[PATH_BYTES];
      snprintf(cpu_root, sizeof cpu_root, "%s/cpu", root);
      limit = smaller_limit(limit, walk_up(cpu_root, group));
    }
  }
  fclose(file);
  return limit;
}

int32_t tn_cpu_count(void) {
  cpu_set_t set;
  int32_t n_cpus = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    n_cpus = CPU_COUNT(&set);
  }
  int32_t limit = tn_cgroup_cpu_limit("/proc/self/cgroup", "/sys/fs/cgroup");
  n_cpus = limit > 0 && limit < n_cpus ? limit : n_cpus;
  return n_cpus < 1 ? 1 : n_cpus;
}
