/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Schedules on programs: a script or a JSON trace is read, its steps are done on a copy of the
 * module, and the program gets the result when all went well. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "driver/driver_priv.h"
#include "graph/graph.h"
#include "sched/certify.h"
#include "script/script.h"
#include "script/sched_script.h"

static const size_t steps_limit_bytes = (size_t)64 << 20;

/* ---- traces ---- */

typedef struct knob {
  char *name;
  char *value;
  char **choices;
  int32_t n_choices;
} knob;

struct tn_trace {
  char *script;
  char *json;
  int32_t n_steps;
  TN_VEC(knob) knobs;
};

void tn_trace_free(tn_trace *trace) {
  if (trace == NULL) {
    return;
  }
  for (size_t i = 0; i < trace->knobs.len; ++i) {
    knob *k = &trace->knobs.data[i];
    for (int32_t j = 0; j < k->n_choices; ++j) {
      free(k->choices[j]);
    }
    free(k->choices);
    free(k->value);
    free(k->name);
  }
  TN_VEC_DEINIT(&trace->knobs);
  free(trace->script);
  free(trace->json);
  free(trace);
}

static void add_knobs(tn_trace *trace, const tn_sched_knobs *knobs) {
  for (size_t i = 0; i < knobs->len; ++i) {
    const tn_sched_knob *from = &knobs->data[i];
    uint32_t n = from->choices->n_in;
    tn_buf name = TN_BUF_INIT;
    tn_buf_puts(&name, from->name);
    knob k = {.name = tn_buf_take(&name), .value = tn_sched_value_print(from->value)};
    k.choices = calloc(n + 1, sizeof *k.choices);
    for (uint32_t j = 0; k.choices != NULL && j < n; ++j) {
      k.choices[k.n_choices++] = tn_sched_value_print(from->choices->in[j]);
    }
    TN_VEC_PUSH(&trace->knobs, k);
  }
}

static tn_status make_trace(const tn_sched *sched, const tn_sched_knobs *knobs,
                            tn_trace **out_trace) {
  tn_trace *trace = calloc(1, sizeof *trace);
  if (trace == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for a trace");
  }
  tn_buf script = TN_BUF_INIT;
  tn_buf json = TN_BUF_INIT;
  tn_sched_trace_print(sched, &script);
  tn_sched_trace_print_json(sched, &json);
  trace->script = tn_buf_take(&script);
  trace->json = tn_buf_take(&json);
  trace->n_steps = (int32_t)tn_sched_n_steps(sched);
  add_knobs(trace, knobs);
  *out_trace = trace;
  return NULL;
}

const char *tn_trace_script(const tn_trace *trace) { return trace->script; }
const char *tn_trace_json(const tn_trace *trace) { return trace->json; }
int32_t tn_trace_n_steps(const tn_trace *trace) { return trace->n_steps; }
int32_t tn_trace_n_knobs(const tn_trace *trace) { return (int32_t)trace->knobs.len; }

tn_status tn_trace_knob(const tn_trace *trace, int32_t i, tn_knob_info *out_info) {
  if (i < 0 || (size_t)i >= trace->knobs.len) {
    return TN_ERR(TN_INVALID, "knob %d: the trace has %zu", i, trace->knobs.len);
  }
  const knob *k = &trace->knobs.data[i];
  *out_info = (tn_knob_info){.name = k->name,
                             .value = k->value,
                             .choices = (const char *const *)k->choices,
                             .n_choices = k->n_choices};
  return NULL;
}

/* ---- doing ---- */

typedef struct follower {
  const tn_schedule_opts *opts;
  int32_t index;
} follower;

static void after_step(void *ctx, const tn_sched *sched, const char *text) {
  follower *f = ctx;
  const tn_program now = {.ir = tn_sched_ir(sched), .module = *tn_sched_module(sched)};
  f->opts->after_step(f->opts->ctx, f->index++, text, &now);
}

static bool is_json(const char *text, size_t len) {
  size_t i = 0;
  while (i < len && strchr(" \t\r\n", text[i]) != NULL) {
    ++i;
  }
  return i < len && text[i] == '[';
}

static tn_status run_steps(tn_sched *sched, const char *text, size_t len,
                           const tn_sched_script_opts *how) {
  tn_diags diags = {0};
  if (is_json(text, len)) {
    for (int32_t i = 0; i < how->n_defines; ++i) {
      if (how->out_used == NULL) {
        return TN_ERR(TN_INVALID, "-D %s: a trace in JSON has no knobs", how->defines[i]);
      }
      how->out_used[i] = false;
    }
    return tn_status_wrap(tn_sched_trace_run_json(text, len, how, sched), "%s", how->file_name);
  }
  tn_sched_script_run(text, len, how, sched, &diags);
  return tn_diags_to_status(&diags, tn_sched_ir(sched));
}

static tn_status verify(const tn_sched *sched) {
  tn_diags diags = {0};
  tn_module_verify(tn_sched_module(sched), &diags);
  return tn_status_wrap(tn_diags_to_status(&diags, tn_sched_ir(sched)),
                        "what the steps made is no valid program, which is our mistake");
}

tn_status tn_program_schedule(tn_program *program, const char *text, size_t len,
                              const char *file_name, const tn_schedule_opts *opts,
                              tn_trace **out_trace) {
  static const tn_schedule_opts no_opts = {0};
  tn_status st = NULL;
  opts = opts != NULL ? opts : &no_opts;
  tn_sched *sched = tn_sched_new(&program->module, opts->seed);
  tn_sched_knobs knobs = {0};
  follower f = {.opts = opts};
  tn_sched_script_opts how = {.file_name = file_name,
                              .defines = opts->defines,
                              .n_defines = opts->n_defines,
                              .out_used = opts->are_used,
                              .after_step = opts->after_step == NULL ? NULL : after_step,
                              .ctx = &f,
                              .out_knobs = &knobs};
  TN_GOTO(st, run_steps(sched, text, len, &how), done);
  TN_GOTO(st, verify(sched), done);
  if (out_trace != NULL) {
    TN_GOTO(st, make_trace(sched, &knobs, out_trace), done);
  }
  tn_module_deinit(&program->module);
  tn_module_init_copy(&program->module, tn_sched_module(sched));
  program->is_scheduled = true;
done:
  TN_VEC_DEINIT(&knobs);
  tn_sched_free(sched);
  return st;
}

tn_status tn_program_schedule_file(tn_program *program, const char *path,
                                   const tn_schedule_opts *opts, tn_trace **out_trace) {
  tn_buf text = TN_BUF_INIT;
  tn_status st = tn_file_read(path, steps_limit_bytes, &text);
  if (st == NULL) {
    st = tn_program_schedule(program, tn_buf_text(&text), text.len, path, opts, out_trace);
  }
  tn_buf_deinit(&text);
  return st;
}

/* ---- the separate checker ---- */

static tn_status certify_func(tn_ir *ir, const char *name, const tn_node *before,
                              const tn_node *after, tn_buf *report) {
  tn_certify_result result;
  before = tn_import(ir, before, NULL);
  if (tn_equal(before, after, false, NULL)) {
    tn_buf_printf(report, "%s: unchanged\n", name);
    return NULL;
  }
  tn_status st = tn_certify(ir, before, after, &result);
  if (st != NULL) {
    return st;
  }
  if (result.verdict == TN_CERTIFY_EQUAL) {
    tn_buf_printf(report, "%s: proved equal (%lld questions)\n", name,
                  (long long)result.n_questions);
  } else {
    st = TN_ERR(TN_UNSUPPORTED, "%s: not proved equal: %s", name, result.text);
  }
  tn_certify_result_deinit(&result);
  return st;
}

tn_status tn_program_certify(const tn_program *before, const tn_program *after, char **out_report) {
  tn_status st = NULL;
  tn_buf report = TN_BUF_INIT;
  for (uint32_t i = 0; st == NULL && i < before->module.n_funcs; ++i) {
    const char *name = before->module.funcs[i].name;
    const tn_node *func = before->module.funcs[i].func;
    const tn_node *other = tn_module_find(&after->module, name);
    if (!tn_is(func, TN_OP_PRIM_FUNC)) {
      continue;
    }
    st = other == NULL ? TN_ERR(TN_NOT_FOUND, "%s: is not there afterwards", name)
                       : certify_func(after->ir, name, func, other, &report);
  }
  if (st == NULL) {
    *out_report = tn_buf_take(&report);
  }
  tn_buf_deinit(&report);
  return st;
}

/* ---- primitives ---- */

int32_t tn_n_primitives(void) {
  uint32_t n = 0;
  (void)tn_prim_all(&n);
  return (int32_t)n;
}

tn_status tn_primitive_describe(int32_t i, tn_primitive_info *out_info) {
  uint32_t n = 0;
  const tn_prim *all = tn_prim_all(&n);
  if (i < 0 || (uint32_t)i >= n) {
    return TN_ERR(TN_INVALID, "primitive %d: there are %u", i, n);
  }
  *out_info = (tn_primitive_info){.name = all[i].name,
                                  .params = all[i].params,
                                  .result = all[i].result,
                                  .doc = all[i].doc,
                                  .is_step = all[i].kind == TN_PRIM_STEP};
  return NULL;
}
