/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Prints what became of a program's loops. */
#include "report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static void print_vectors(int32_t vector_bytes) {
  if (vector_bytes > 0) {
    printf("vectors of %d bytes", vector_bytes);
  } else {
    printf("no vectors");
  }
}

static void print_loop(const tn_code_loop *l) {
  printf("  innermost loop%s%s at depth %d: %lld instructions, ", l->var[0] != '\0' ? " " : "",
         l->var, l->depth, (long long)l->n_instrs);
  print_vectors(l->vector_bytes);
  printf(": %lld FMA, %lld loads (%lld broadcasts), %lld stores", (long long)l->n_fmas,
         (long long)l->n_loads, (long long)l->n_broadcasts, (long long)l->n_stores);
  if (l->n_prefetches > 0) {
    printf(", %lld prefetches", (long long)l->n_prefetches);
  }
  printf(", %lld spills, %lld reloads\n", (long long)l->n_spills, (long long)l->n_reloads);
}

void report_print(const tn_code_report *report) {
  for (int32_t i = 0; i < report->n_kernels; ++i) {
    const tn_code_kernel *k = &report->kernels[i];
    printf("%s: %lld bytes of code", k->name, (long long)k->code_bytes);
    if (!report->is_known) {
      printf("; loops and registers are not known for %s\n", report->target);
      continue;
    }
    printf(", %lld of stack, ", (long long)k->stack_bytes);
    print_vectors(k->vector_bytes);
    printf(", in loops %lld spills and %lld reloads\n", (long long)k->n_spills,
           (long long)k->n_reloads);
    for (int32_t j = 0; j < k->n_loops; ++j) {
      print_loop(&k->loops[j]);
    }
  }
}

void report_warn(const tn_code_report *report) {
  for (int32_t i = 0; i < report->n_kernels; ++i) {
    const tn_code_kernel *k = &report->kernels[i];
    for (int32_t j = 0; j < k->n_loops; ++j) {
      const tn_code_loop *l = &k->loops[j];
      if (l->is_tile_spilled) {
        fprintf(
            stderr,
            "warning: %s: loop%s%s of %lld FMA writes %lld registers to the stack and reads %lld "
            "back in each turn: its register tile is larger than the registers of %s\n",
            k->name, l->var[0] != '\0' ? " " : "", l->var, (long long)l->n_fmas,
            (long long)l->n_spills, (long long)l->n_reloads, report->target);
      }
    }
  }
}

static json_t *loop_to_json(const tn_code_loop *l) {
  return json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "var", l->var,
                   "depth", l->depth, "vector_bytes", l->vector_bytes, "n_instrs",
                   (json_int_t)l->n_instrs, "n_fmas", (json_int_t)l->n_fmas, "n_loads",
                   (json_int_t)l->n_loads, "n_stores", (json_int_t)l->n_stores, "n_broadcasts",
                   (json_int_t)l->n_broadcasts, "n_prefetches", (json_int_t)l->n_prefetches,
                   "n_spills", (json_int_t)l->n_spills, "n_reloads", (json_int_t)l->n_reloads,
                   "is_tile_spilled", l->is_tile_spilled);
}

static json_t *kernel_to_json(const tn_code_report *report, const tn_code_kernel *k) {
  json_t *object =
      json_pack("{s:s, s:I}", "name", k->name, "code_bytes", (json_int_t)k->code_bytes);
  if (!report->is_known) {
    return object;
  }
  json_t *loops = json_array();
  for (int32_t j = 0; j < k->n_loops; ++j) {
    (void)json_array_append_new(loops, loop_to_json(&k->loops[j]));
  }
  (void)json_object_update_new(
      object, json_pack("{s:I, s:i, s:I, s:I, s:o}", "stack_bytes", (json_int_t)k->stack_bytes,
                        "vector_bytes", k->vector_bytes, "n_spills", (json_int_t)k->n_spills,
                        "n_reloads", (json_int_t)k->n_reloads, "loops", loops));
  return object;
}

void report_print_json(const tn_code_report *report) {
  json_t *kernels = json_array();
  for (int32_t i = 0; i < report->n_kernels; ++i) {
    (void)json_array_append_new(kernels, kernel_to_json(report, &report->kernels[i]));
  }
  json_t *object = json_pack("{s:s, s:b, s:o}", "target", report->target, "is_known",
                             report->is_known, "kernels", kernels);
  char *text = json_dumps(object, JSON_INDENT(2));
  if (text != NULL) {
    puts(text);
  }
  free(text);
  json_decref(object);
}
