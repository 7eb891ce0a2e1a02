/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A table of kernels by the time that they took:
 *
 *   1234.5 us in 81 kernels a run
 *      us  share  calls  us/call
 *   310.2  25.1%     12     25.8  fused_matmul_add(A: T.Buffer((1, 128, 768), ... */
#include "profile.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static tn_status call_times(session *s, int32_t n_runs) {
  tn_status st = NULL;
  for (int32_t i = 0; st == NULL && i < n_runs; ++i) {
    tn_arg ret = tn_arg_none();
    st = session_call(s, &ret);
    tn_arg_release(&ret);
  }
  return st;
}

static int compare_times(const void *a, const void *b) {
  const tn_kernel_time *x = a;
  const tn_kernel_time *y = b;
  return (x->ns < y->ns) - (x->ns > y->ns);
}

static void print_text(const tn_kernel_time *times, int32_t n, int32_t n_runs, double all_us) {
  printf("%.1f us in %d kernels a run\n%10s  share  calls  us/call\n", all_us, n, "us");
  for (int32_t i = 0; i < n; ++i) {
    double us = (double)times[i].ns / 1e3 / n_runs;
    double calls = (double)times[i].n_calls / n_runs;
    printf("%10.1f %5.1f%% %6.4g %8.1f  %s\n", us, 100 * us / all_us, calls, us / calls,
           times[i].signature);
  }
}

static void print_json(const tn_kernel_time *times, int32_t n, int32_t n_runs) {
  json_t *list = json_array();
  for (int32_t i = 0; i < n; ++i) {
    (void)json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f}", "name", times[i].name,
                                                "signature", times[i].signature, "calls",
                                                (double)times[i].n_calls / n_runs, "us",
                                                (double)times[i].ns / 1e3 / n_runs));
  }
  json_t *object = json_pack("{s:i, s:o}", "runs", n_runs, "kernels", list);
  char *text = json_dumps(object, JSON_INDENT(2));
  if (text != NULL) {
    puts(text);
  }
  free(text);
  json_decref(object);
}

tn_status profile_run(session *s, int32_t n_runs, bool is_json) {
  tn_kernel_time now = {0};
  int32_t n = 0;
  double all_us = 0;
  if (s->vm == NULL) {
    return tn_status_make(TN_INVALID, "--profile is about compiled kernels");
  }
  tn_status st = call_times(s, 2); /* memory is taken in the first */
  st = st == NULL ? tn_vm_profile(s->vm) : st;
  st = st == NULL ? call_times(s, n_runs) : st;
  if (st != NULL) {
    return st;
  }
  int32_t n_all = 0;
  while (tn_vm_kernel_time(s->vm, n_all, &now) != 0) {
    ++n_all;
  }
  tn_kernel_time *times = calloc((size_t)n_all + 1, sizeof *times);
  if (times == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for the times of kernels");
  }
  for (int32_t i = 0; i < n_all && tn_vm_kernel_time(s->vm, i, &times[n]) != 0; ++i) {
    all_us += (double)times[n].ns / 1e3 / n_runs;
    n += times[n].n_calls > 0;
  }
  qsort(times, (size_t)n, sizeof *times, compare_times);
  if (is_json) {
    print_json(times, n, n_runs);
  } else {
    print_text(times, n, n_runs, all_us);
  }
  free(times);
  return NULL;
}
