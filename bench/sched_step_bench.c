/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script
 * What a step of a schedule costs, proof included: each primitive of the last lesson of the matrix
 * product, and those of a fused convolution. A figure is the median of all steps of one primitive
 * over all rounds, each on a schedule that remembers nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "row.h"
#include "script/sched_script.h"
#include "script/script.h"

enum { N_ROUNDS = 21, MAX_SAMPLES = 4096 };

static const char conv_program[] =
    "@T.prim_func\n"
    "def main(A: T.Buffer((64, 56, 56), \"float32\"), W: T.Buffer((64, 64, 3, 3), \"float32\"),\n"
    "         bias: T.Buffer((64,), \"float32\"), D: T.Buffer((64, 56, 56), \"float32\")):\n"
    "    P = T.alloc_buffer((64, 58, 58))\n"
    "    C = T.alloc_buffer((64, 56, 56))\n"
    "    for c, y, x in T.grid(64, 58, 58):\n"
    "        with T.block(\"P\"):\n"
    "            vc, vy, vx = T.axis.remap(\"SSS\", [c, y, x])\n"
    "            P[vc, vy, vx] = T.if_then_else(1 <= vy and vy < 57 and 1 <= vx and vx < 57, "
    "A[vc, vy - 1, vx - 1], T.float32(0))\n"
    "    for o, y, x, c, r, s in T.grid(64, 56, 56, 64, 3, 3):\n"
    "        with T.block(\"C\"):\n"
    "            vo, vy, vx, vc, vr, vs = T.axis.remap(\"SSSRRR\", [o, y, x, c, r, s])\n"
    "            with T.init():\n"
    "                C[vo, vy, vx] = T.float32(0)\n"
    "            C[vo, vy, vx] = C[vo, vy, vx] + P[vc, vy + vr, vx + vs] * W[vo, vc, vr, vs]\n"
    "    for o, y, x in T.grid(64, 56, 56):\n"
    "        with T.block(\"D\"):\n"
    "            vo, vy, vx = T.axis.remap(\"SSS\", [o, y, x])\n"
    "            D[vo, vy, vx] = T.max(C[vo, vy, vx] + bias[vo], T.float32(0))\n";

static const char conv_script[] =
    "C = sch.get_block(\"C\")\n"
    "D = sch.get_block(\"D\")\n"
    "W_pack = sch.cache_read(C, \"W\", \"global\")\n"
    "sch.transform_layout(C, (\"read\", 1), lambda o, c, r, s: (o // 16, c, r, s, o % 16))\n"
    "sch.transform_layout(C, (\"write\", 0), lambda o, y, x: (o // 16, y, x, o % 16))\n"
    "out = sch.cache_write(C, 0, \"local\")\n"
    "o, y, x, c, r, s = sch.get_loops(C)\n"
    "o0, o1 = sch.split(o, factors=[None, 16])\n"
    "x0, x1 = sch.split(x, factors=[None, 7])\n"
    "c0, c1 = sch.split(c, factors=[None, 16])\n"
    "sch.reorder(o0, y, x0, c0, r, s, c1, x1, o1)\n"
    "sch.reverse_compute_at(out, x0)\n"
    "sch.reverse_compute_at(D, y)\n"
    "sch.compute_inline(\"P\")\n"
    "sch.compute_at(W_pack, o0)\n"
    "init = sch.decompose_reduction(C, c0)\n"
    "sch.vectorize(sch.get_loops(init)[-1])\n"
    "sch.unroll(x1)\n"
    "sch.vectorize(o1)\n"
    "f = sch.fuse(sch.get_loops(W_pack)[-2], sch.get_loops(W_pack)[-1])\n"
    "sch.parallel(o0)\n";

typedef struct sample {
  const tn_prim *prim;
  int64_t ns;
} sample;

typedef struct timing {
  int64_t last_ns;
  uint32_t n_samples;
  sample samples[MAX_SAMPLES];
  tn_sched_stats stats;
} timing;

static void note_step(void *ctx, const tn_sched *sched, const char *text) {
  timing *t = ctx;
  (void)text;
  const tn_sched_step *step = tn_sched_step_at(sched, tn_sched_n_steps(sched) - 1);
  if (t->n_samples < MAX_SAMPLES) {
    t->samples[t->n_samples++] = (sample){.prim = step->prim, .ns = tn_clock_ns() - t->last_ns};
  }
  t->last_ns = tn_clock_ns();
}

static tn_status one_round(timing *t, const char *program, const char *script) {
  tn_diags diags = {0};
  tn_module module;
  tn_ir *ir = tn_ir_new(0);
  tn_sched *sched = NULL;
  const tn_sched_script_opts opts = {.file_name = "steps.py", .after_step = note_step, .ctx = t};
  tn_module_init(&module, ir, "Module");
  tn_script_parse(program, strlen(program), &(tn_script_opts){.file_name = "program.py"}, &module,
                  &diags);
  tn_status st = tn_diags_to_status(&diags, ir);
  if (st == NULL) {
    sched = tn_sched_new(&module, 1);
    diags = (tn_diags){0};
    t->last_ns = tn_clock_ns();
    tn_sched_script_run(script, strlen(script), &opts, sched, &diags);
    st = tn_diags_to_status(&diags, ir);
    t->stats = tn_sched_stats_get(sched);
    tn_sched_free(sched);
  }
  tn_module_deinit(&module);
  tn_ir_free(ir);
  return st;
}

static int compare_ns(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a;
  int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void print_rows(const timing *t, const char *what, double target_ms) {
  static int64_t ns[MAX_SAMPLES];
  uint32_t n_prims = 0;
  const tn_prim *prims = tn_prim_all(&n_prims);
  for (uint32_t i = 0; i < n_prims; ++i) {
    char name[80];
    char note[80];
    uint32_t n = 0;
    for (uint32_t k = 0; k < t->n_samples; ++k) {
      ns[n] = t->samples[k].ns;
      n += t->samples[k].prim == &prims[i];
    }
    if (n == 0) {
      continue;
    }
    qsort(ns, n, sizeof ns[0], compare_ns);
    (void)snprintf(name, sizeof name, "%s: %s", what, prims[i].name);
    (void)snprintf(note, sizeof note, "%u steps, worst %.3g ms", n / N_ROUNDS,
                   (double)ns[n - 1] / 1e6);
    row_print(&(row){.name = name,
                     .value = (double)ns[n / 2] / 1e6,
                     .unit = "ms",
                     .goal = ROW_AT_MOST,
                     .target = target_ms,
                     .note = note});
  }
  char name[80];
  (void)snprintf(name, sizeof name, "%s: questions to integer sets", what);
  row_print(&(row){.name = name, .value = (double)t->stats.n_questions, .unit = "a schedule"});
  (void)snprintf(name, sizeof name, "%s: undecided", what);
  row_print(&(row){.name = name,
                   .value = (double)t->stats.n_undecided,
                   .unit = "a schedule",
                   .goal = ROW_AT_MOST});
}

static tn_status measure(const char *what, const char *program, const char *script,
                         double target_ms) {
  static timing t;
  t = (timing){.n_samples = 0};
  for (int32_t i = 0; i < N_ROUNDS; ++i) {
    TN_TRY(one_round(&t, program, script));
  }
  print_rows(&t, what, target_ms);
  return NULL;
}

static tn_status measure_all(tn_buf *program, tn_buf *script) {
  size_t most = (size_t)1 << 20;
  TN_TRY(tn_file_read("examples/schedules/matmul/matmul.py", most, program));
  TN_TRY(tn_file_read("examples/schedules/matmul/7_parallel.py", most, script));
  TN_TRY(measure("matmul", tn_buf_text(program), tn_buf_text(script), 2));
  return measure("convolution", conv_program, conv_script, 10);
}

int main(void) {
  tn_buf program = TN_BUF_INIT;
  tn_buf script = TN_BUF_INIT;
  tn_status st = measure_all(&program, &script);
  tn_buf_deinit(&program);
  tn_buf_deinit(&script);
  return row_finish(st);
}
