/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How many processors this process may really use: affinity, cut by the control group's limit. */
#ifndef TN_RUNTIME_CPU_COUNT_H
#define TN_RUNTIME_CPU_COUNT_H

#include <stdint.h>

/// At least 1.
int32_t tn_cpu_count(void);

/// The smallest limit set on the control group that `proc_file` ("/proc/self/cgroup") names and on
/// those around it, in whole processors rounded up, read below `root` ("/sys/fs/cgroup"), versions
/// 1 and 2; 0: no limit.
int32_t tn_cgroup_cpu_limit(const char *proc_file, const char *root);

#endif
