/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The one page with the order of all passes (STAGES, below); the rest of it runs passes by
 * name. What a pass does stands in its row: graph/passes.def, lower/passes.def. */
#include <string.h>

#include "driver/driver_priv.h"
#include "graph/graph.h"
#include "lower/lower.h"
#include "ops/ops.h"
#include "sched/sched.h"

/* clang-format off */
/* X(pass, level, math): runs from that level of optimisation on. ANY: with --strict-math too; LOOSE: not, since results may
 * differ in their last bits. */
#define STAGES(X)                                                                                  \
  /* graph level: whole calls */                                                                   \
  X(normalize, 0, ANY)                                                                             \
  X(lift_functions, 0, ANY)                                                                        \
  X(dead_code, 0, ANY)                                                                             \
  X(fold_constants, 1, ANY)                                                                        \
  X(clean_graph, 1, ANY)                                                                           \
  X(cse, 1, ANY)                  /* patterns then meet one value where exporters wrote two */     \
  X(fold_batch_norm, 2, LOOSE)                                                                     \
  X(fold_constants, 2, ANY)       /* the weights, scaled */                                        \
  X(recognise_patterns, 2, LOOSE)                                                                  \
  X(recognise_attention, 2, LOOSE) /* 10 % ahead with schedules, behind without */                 \
  X(clean_graph, 1, ANY)          /* what only stood between two patterns */                       \
  X(fold_constants, 1, ANY)                                                                        \
  X(dead_code, 1, ANY)                                                                             \
  X(legalize_graph, 0, ANY)       /* operators -> call_tir of loop functions; needs all types */   \
  X(view_reshapes, 1, ANY)                                                                         \
  X(fuse_ops, 1, ANY)                                                                              \
  X(dead_code, 1, ANY)            /* the parts of what was fused */                                \
  X(choose_layouts, 2, LOOSE)                                                                      \
  X(pack_constants, 2, ANY)                                                                        \
  X(dead_code, 2, ANY)            /* what was in another layout */                                 \
  X(default_schedule, 2, ANY)     /* what a script scheduled stays as it is */                     \
  /* graph level -> VM form (graph/graph.h): memory becomes visible, so the order of statements    \
   * counts from here */                                                                           \
  X(to_nondataflow, 0, ANY)                                                                        \
  X(lower_call_tir, 0, ANY)                                                                        \
  X(reuse_inputs, 2, ANY)         /* sees what schedules made of the functions */                  \
  X(dead_code, 2, ANY)            /* what writes to memory of its own no more */                   \
  X(plan_memory, 0, ANY)                                                                           \
  X(kill_after_last_use, 0, ANY)  /* after the plan: it ends the storages too */                   \
  X(lower_shapes, 0, ANY)                                                                          \
  /* loop level -> lowered form (lower/lower.h) */                                                 \
  X(lower_blocks, 0, ANY)                                                                          \
  X(compact_buffers, 0, ANY)      /* while an access has an index a dimension */                   \
  X(serialize_loops, 0, ANY)      /* what that could not make private */                           \
  X(flatten_buffers, 0, ANY)                                                                       \
  X(simplify, 0, ANY)             /* so that vectorize_loops sees strides of 1 */                  \
  X(partition_loops, 0, ANY)      /* before lanes and copies are made: it decides their masks */   \
  X(vectorize_loops, 0, ANY)                                                                       \
  X(unroll_loops, 0, ANY)                                                                          \
  X(simplify, 0, ANY)             /* constants that unrolling brought */                           \
  X(remove_no_op, 0, ANY)
/* clang-format on */

enum { ANY = 1, LOOSE = 0 };
typedef struct stage {
  const char *pass;
  int32_t level;
  int32_t is_exact;
} stage;

static const stage stages[] = {
#define X(pass_, level_, math) {#pass_, (level_), (math)},
    STAGES(X)
#undef X
};

const char *tn_default_passes(void) {
#define X(pass, level, math) "," #pass
  static const char text[] = STAGES(X);
#undef X
  return text + 1;
}

/* ---- the tables of the rooms as one ---- */

typedef const tn_pass *(*pass_table)(uint32_t *out_n);
static const pass_table tables[] = {tn_graph_passes, tn_ops_passes, tn_sched_passes,
                                    tn_lower_passes};

static const tn_pass *pass_at(uint32_t i) {
  for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t) {
    uint32_t n = 0;
    const tn_pass *table = tables[t](&n);
    if (i < n) {
      return &table[i];
    }
    i -= n;
  }
  return NULL;
}

int32_t tn_n_passes(void) {
  int32_t n = 0;
  while (pass_at((uint32_t)n) != NULL) {
    ++n;
  }
  return n;
}

tn_status tn_pass_describe(int32_t i, tn_pass_info *out_info) {
  const tn_pass *pass = i < 0 ? NULL : pass_at((uint32_t)i);
  if (pass == NULL) {
    return TN_ERR(TN_INVALID, "pass %d: there are %d", i, tn_n_passes());
  }
  *out_info = (tn_pass_info){.name = pass->name, .level = pass->level, .doc = pass->doc};
  return NULL;
}

const tn_pass *tn_pass_find(const char *name) {
  for (uint32_t i = 0; pass_at(i) != NULL; ++i) {
    if (strcmp(pass_at(i)->name, name) == 0) {
      return pass_at(i);
    }
  }
  return NULL;
}

static tn_status unknown_pass(const char *name) {
  TN_VEC(const char *) names = {0};
  for (uint32_t i = 0; pass_at(i) != NULL; ++i) {
    TN_VEC_PUSH(&names, pass_at(i)->name);
  }
  const char *near = tn_near_name(name, names.data, names.len);
  TN_VEC_DEINIT(&names);
  if (near != NULL) {
    return TN_ERR(TN_NOT_FOUND, "no pass is called '%s'; did you mean '%s'?", name, near);
  }
  return TN_ERR(TN_NOT_FOUND, "no pass is called '%s'; `tenon passes` lists them", name);
}

/* ---- running ---- */

typedef TN_VEC(const tn_pass *) pass_list;

static tn_status parse_passes(const char *text, pass_list *out_list) {
  tn_buf name = TN_BUF_INIT;
  tn_status st = NULL;
  while (*text != '\0' && st == NULL) {
    size_t len = strcspn(text, ",");
    tn_buf_clear(&name);
    tn_buf_append(&name, text, len);
    text += len + (text[len] == ',');
    const tn_pass *pass = tn_pass_find(tn_buf_text(&name));
    if (pass == NULL) {
      st = unknown_pass(tn_buf_text(&name));
    } else {
      TN_VEC_PUSH(out_list, pass);
    }
  }
  tn_buf_deinit(&name);
  return st;
}

typedef struct observer {
  const tn_compile_opts *opts;
  int32_t n_verified; /* the first check is of what the caller brought */
} observer;

static void after_pass(const tn_pass *pass, int32_t index, const tn_module *module, bool is_changed,
                       int64_t ns, void *ctx) {
  const observer *obs = ctx;
  if (obs->opts->after_pass != NULL) {
    const tn_program now = {.ir = module->ir, .module = *module};
    obs->opts->after_pass(obs->opts->ctx, index, pass->name, is_changed, ns, &now);
  }
}

static tn_status verify(const tn_module *module, void *ctx) {
  (void)ctx;
  tn_diags diags = {0};
  tn_module_verify(module, &diags);
  return tn_diags_to_status(&diags, module->ir);
}

static tn_status run_list(tn_module *module, const pass_list *list, const tn_compile_opts *opts,
                          const tn_target *target) {
  observer obs = {.opts = opts};
  tn_pass_opts pass_opts = {
      .target = target, .opt_level = opts->opt_level, .is_strict_math = opts->is_strict_math};
  tn_pass_hooks hooks = {
      .after = after_pass, .verify = opts->does_verify_each ? verify : NULL, .ctx = &obs};
  return tn_run_passes(module, list->data, (int32_t)list->len, &pass_opts, &hooks);
}

tn_status tn_driver_run(tn_module *module, const char *passes, const tn_compile_opts *opts,
                        const tn_target *target) {
  tn_status st = NULL;
  pass_list list = {0};
  TN_GOTO(st, parse_passes(passes, &list), done);
  TN_GOTO(st, run_list(module, &list, opts, target), done);
done:
  TN_VEC_DEINIT(&list);
  return st;
}

static bool is_among(const pass_list *list, const tn_pass *pass) {
  for (size_t i = 0; i < list->len; ++i) {
    if (list->data[i] == pass) {
      return true;
    }
  }
  return false;
}

/* The stages that these options leave on. has_schedule: a script said how the loops run. */
static tn_status run_stages(tn_module *module, bool has_schedule, const tn_compile_opts *opts,
                            const tn_target *target) {
  tn_status st = NULL;
  pass_list list = {0};
  pass_list disabled = {0};
  if (opts->disabled_passes != NULL) {
    TN_GOTO(st, parse_passes(opts->disabled_passes, &disabled), done);
  }
  for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i) {
    const tn_pass *pass = tn_pass_find(stages[i].pass);
    bool is_left_out = has_schedule && strcmp(stages[i].pass, "default_schedule") == 0;
    if (opts->opt_level >= stages[i].level && (stages[i].is_exact || !opts->is_strict_math) &&
        !is_left_out && !is_among(&disabled, pass)) {
      TN_VEC_PUSH(&list, pass);
    }
  }
  TN_GOTO(st, run_list(module, &list, opts, target), done);
done:
  TN_VEC_DEINIT(&list);
  TN_VEC_DEINIT(&disabled);
  return st;
}

static const tn_compile_opts defaults = TN_COMPILE_DEFAULTS;

tn_status tn_driver_target(const tn_compile_opts *opts, const tn_target **out_target) {
  if (opts->opt_level < 0 || opts->opt_level > 3) {
    return TN_ERR(TN_INVALID, "optimisation level %d; the levels are 0, 1, 2 and 3",
                  opts->opt_level);
  }
  return tn_target_find(opts->target != NULL ? opts->target : "host", out_target);
}

tn_status tn_program_run_passes(tn_program *program, const char *passes,
                                const tn_compile_opts *opts) {
  const tn_target *target = NULL;
  opts = opts != NULL ? opts : &defaults;
  TN_TRY(tn_driver_target(opts, &target));
  return tn_driver_run(&program->module, passes, opts, target);
}

tn_status tn_driver_keep_only(tn_module *module, const char *name) {
  const tn_node *func = tn_module_find(module, name);
  if (func != NULL && !tn_is(func, TN_OP_EXTERN)) {
    tn_module_keep_only(module, name);
    return NULL;
  }
  TN_VEC(const char *) names = {0};
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (!tn_is(module->funcs[i].func, TN_OP_EXTERN)) {
      TN_VEC_PUSH(&names, module->funcs[i].name);
    }
  }
  const char *near = tn_near_name(name, names.data, names.len);
  TN_VEC_DEINIT(&names);
  return near == NULL
             ? TN_ERR(TN_NOT_FOUND, "no function is called '%s'", name)
             : TN_ERR(TN_NOT_FOUND, "no function is called '%s'; did you mean '%s'?", name, near);
}

tn_status tn_driver_lower(const tn_program *program, const tn_compile_opts *opts,
                          tn_lowered *out_lowered) {
  tn_status st = NULL;
  tn_lowered lowered = {0};
  TN_TRY(tn_driver_target(opts, &lowered.target));
  lowered.ir = tn_ir_new_child(program->ir, 0);
  tn_module_init_copy(&lowered.module, &program->module);
  lowered.module.ir = lowered.ir;
  st = opts->func != NULL ? tn_driver_keep_only(&lowered.module, opts->func) : NULL;
  st = st != NULL ? st : tn_driver_check_targets(&lowered.module, lowered.target);
  st = st != NULL ? st : run_stages(&lowered.module, program->is_scheduled, opts, lowered.target);
  if (st != NULL) {
    tn_lowered_deinit(&lowered);
    return st;
  }
  *out_lowered = lowered;
  return NULL;
}

void tn_lowered_deinit(tn_lowered *lowered) {
  if (lowered->ir != NULL) {
    tn_module_deinit(&lowered->module);
    tn_ir_free(lowered->ir);
  }
  *lowered = (tn_lowered){0};
}

bool tn_module_has_kernels(const tn_module *module) {
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (tn_is(module->funcs[i].func, TN_OP_PRIM_FUNC)) {
      return true;
    }
  }
  return false;
}

bool tn_target_describe(int32_t i, const char **out_name, const char **out_doc) {
  uint32_t n = 0;
  const tn_target *const *all = tn_target_all(&n);
  if (i < 0 || (uint32_t)i >= n) {
    return false;
  }
  *out_name = all[i]->name;
  *out_doc = all[i]->doc;
  return true;
}
