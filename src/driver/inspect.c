/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a program is made of: results, constants, operators by count, floating-point operations of one
 * run, and the memory that a run takes. The last two are facts of code that is yet to be made, so the
 * passes that lead there run on copies. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver_priv.h"
#include "graph/graph.h"
#include "tir/tir.h"

/* The memory of a tn_inspection. */
typedef struct holder {
  TN_VEC(tn_name_count) operators;
  TN_VEC(tn_param_info) outputs;
  tn_strmap counts; /* name -> count as a pointer */
} holder;

/* ---- operators and constants ---- */

static tn_visit count_node(const tn_node *n, void *ctx) {
  holder *h = ctx;
  if (n->op == TN_OP_CALL) {
    const char *name = tn_op_of(n)->def.name;
    uintptr_t before = (uintptr_t)tn_strmap_find(&h->counts, name);
    tn_strmap_set(&h->counts, name, (void *)(before + 1));
  }
  return TN_DESCEND;
}

static int by_count(const void *a, const void *b) {
  const tn_name_count *x = a;
  const tn_name_count *y = b;
  return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->name, y->name);
}

static void count_operators(const tn_module *module, holder *h) {
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (tn_is(module->funcs[i].func, TN_OP_GFUNC)) {
      (void)tn_walk(module->funcs[i].func->in[TN_GFUNC_BODY], count_node, NULL, h);
    }
  }
  for (size_t i = 0; i < h->counts.len; ++i) {
    TN_VEC_PUSH(&h->operators,
                (tn_name_count){h->counts.keys[i], (int64_t)(uintptr_t)h->counts.values[i]});
  }
  if (h->operators.len > 0) {
    qsort(h->operators.data, h->operators.len, sizeof *h->operators.data, by_count);
  }
}

static tn_visit add_constant(const tn_node *n, void *ctx) {
  tn_inspection *out = ctx;
  if (n->op == TN_OP_CONST) {
    out->n_constants += 1;
    out->n_constant_elems += tn_array_n_elems(n->attr.array);
    out->constant_bytes += (int64_t)tn_array_n_bytes(n->attr.array);
  }
  return TN_DESCEND;
}

static void count_constants(const tn_module *module, tn_inspection *out) {
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    (void)tn_walk_distinct(module->funcs[i].func, add_constant, out);
  }
}

/* ---- results ---- */

static void add_outputs(const tn_program *program, const tn_node *func, const tn_node *type,
                        holder *h) {
  uint32_t n = type->op == TN_OP_TY_TUPLE ? type->n_in : 1;
  for (uint32_t i = 0; i < n; ++i) {
    tn_param_info info = {0};
    tn_driver_describe_type(program->ir, type->op == TN_OP_TY_TUPLE ? type->in[i] : type, &info);
    info.name = tn_func_result_name(func, n, i);
    TN_VEC_PUSH(&h->outputs, info);
  }
}

/* ---- operations of one run ---- */

typedef struct counter {
  const tn_module *module;
  tn_flop_count total;
  bool is_open; /* some size is not known before the run */
} counter;

static void count_call(counter *c, const tn_node *call) {
  const tn_node *callee = tn_call_arg(call, 0);
  const tn_node *args = tn_call_arg(call, 1);
  const tn_node *types = call->in[TN_CALL_TYPES];
  const tn_node *func =
      callee->op == TN_OP_GLOBAL ? tn_module_find(c->module, callee->attr.text) : NULL;
  TN_VEC(tn_size_value) sizes = {0};
  if (func == NULL || func->op != TN_OP_PRIM_FUNC) {
    return;
  }
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    const tn_node *arg = i < args->n_in                 ? args->in[i]
                         : i - args->n_in < types->n_in ? types->in[i - args->n_in]
                                                        : NULL;
    const tn_node *type = arg != NULL && arg->op == TN_OP_GVAR ? arg->in[0] : arg;
    if (type == NULL || type->op != TN_OP_TY_TENSOR || tn_is_none(buffers->in[i]) ||
        tn_is_none(type->in[TN_TY_TENSOR_SHAPE])) {
      continue; /* a constant's shape is in the loop function; so are numbers that matter */
    }
    const tn_node *want = buffers->in[i]->in[TN_BUFFER_SHAPE];
    const tn_node *given = type->in[TN_TY_TENSOR_SHAPE];
    for (uint32_t d = 0; d < want->n_in && d < given->n_in; ++d) {
      bool is_fixed = given->in[d]->op == TN_OP_INT;
      c->is_open = c->is_open || !is_fixed;
      if (want->in[d]->op == TN_OP_VAR && is_fixed) {
        TN_VEC_PUSH(&sizes, (tn_size_value){want->in[d], given->in[d]->attr.i64});
      }
    }
  }
  tn_op_count count = {0};
  tn_status st = c->is_open ? NULL : tn_tir_count_flops(func, sizes.data, sizes.len, &count);
  c->is_open = c->is_open || st != NULL;
  c->total.flops += count.flops;
  c->total.is_estimate = c->total.is_estimate || count.is_estimate;
  tn_status_free(st);
  TN_VEC_DEINIT(&sizes);
}

static tn_visit count_calls(const tn_node *n, void *ctx) {
  counter *c = ctx;
  if (n->op == TN_OP_GIF) {
    c->total.is_estimate = true; /* both branches are counted */
  }
  if (tn_is_builtin(n, TN_BUILTIN_CALL_TIR) || tn_is_builtin(n, TN_BUILTIN_CALL_TIR_INPLACE)) {
    count_call(c, n);
    return TN_SKIP;
  }
  return TN_DESCEND;
}

/* A copy of the module in a child of the program's tn_ir, as tn_driver_lower makes one. */
static tn_lowered copy_of(const tn_program *program, const tn_target *target) {
  tn_lowered copy = {.ir = tn_ir_new_child(program->ir, 0), .target = target};
  tn_module_init_copy(&copy.module, &program->module);
  copy.module.ir = copy.ir;
  return copy;
}

static tn_status count_flops(const tn_program *program, const char *func,
                             const tn_compile_opts *opts, const tn_target *target,
                             tn_inspection *out) {
  tn_lowered copy = copy_of(program, target);
  counter c = {.module = &copy.module};
  tn_status st = NULL;
  TN_GOTO(st, tn_driver_keep_only(&copy.module, func), done);
  TN_GOTO(st,
          tn_driver_run(&copy.module, "normalize,lift_functions,dead_code,legalize_graph", opts,
                        target),
          done);
  for (uint32_t i = 0; i < copy.module.n_funcs; ++i) {
    const tn_node *f = copy.module.funcs[i].func;
    if (tn_is(f, TN_OP_GFUNC)) {
      c.total.is_estimate = c.total.is_estimate || strcmp(copy.module.funcs[i].name, func) != 0;
      (void)tn_walk(f->in[TN_GFUNC_BODY], count_calls, NULL, &c);
    }
  }
  out->flops = c.is_open ? -1 : c.total.flops;
  out->is_flops_estimate = c.total.is_estimate;
done:
  tn_lowered_deinit(&copy);
  return st;
}

/* ---- memory ---- */

static int64_t entry_of(const tn_node *dict, const char *key) {
  const tn_node *value = dict != NULL ? tn_dict_find(dict, key) : NULL;
  return value != NULL && value->op == TN_OP_INT ? value->attr.i64 : -1;
}

/* The default passes up to the memory plan, which says in an attribute what it found. */
static tn_status plan_memory(const tn_program *program, const char *func,
                             const tn_compile_opts *opts, const tn_target *target,
                             tn_inspection *out) {
  static const char last[] = "plan_memory";
  tn_lowered copy = copy_of(program, target);
  tn_buf passes = TN_BUF_INIT;
  tn_status st = NULL;
  const char *all = tn_default_passes();
  const char *at = strstr(all, last);
  tn_buf_append(&passes, all, at != NULL ? (size_t)(at - all) + sizeof last - 1 : strlen(all));
  TN_GOTO(st, tn_driver_keep_only(&copy.module, func), done);
  TN_GOTO(st, tn_driver_run(&copy.module, tn_buf_text(&passes), opts, target), done);
  const tn_node *plan =
      tn_dict_find(tn_module_find(&copy.module, func)->in[TN_GFUNC_ATTRS], "memory_plan");
  int64_t n_symbolic = entry_of(plan, "n_symbolic");
  out->planned_bytes = plan == NULL ? 0 : n_symbolic > 0 ? -1 : entry_of(plan, "planned_bytes");
  out->no_reuse_bytes = plan == NULL ? 0 : n_symbolic > 0 ? -1 : entry_of(plan, "no_reuse_bytes");
  out->lower_bound_bytes = plan == NULL     ? 0
                           : n_symbolic > 0 ? -1
                                            : entry_of(plan, "lower_bound_bytes");
done:
  tn_buf_deinit(&passes);
  tn_lowered_deinit(&copy);
  return st;
}

/* ---- all ---- */

static void holder_free(holder *h) {
  TN_VEC_DEINIT(&h->operators);
  TN_VEC_DEINIT(&h->outputs);
  tn_strmap_deinit(&h->counts);
  free(h);
}

tn_status tn_program_inspect(const tn_program *program, const char *func,
                             const tn_compile_opts *opts, tn_inspection *out_inspection) {
  static const tn_compile_opts defaults = TN_COMPILE_DEFAULTS;
  const tn_target *target = NULL;
  const tn_node *node = tn_module_find(&program->module, func);
  tn_inspection out = {
      .flops = -1, .planned_bytes = -1, .no_reuse_bytes = -1, .lower_bound_bytes = -1};
  tn_lowered part = {0};
  tn_status st = NULL;
  opts = opts != NULL ? opts : &defaults;
  TN_TRY(tn_driver_target(opts, &target));
  holder *h = calloc(1, sizeof *h);
  if (h == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for an inspection");
  }
  part = copy_of(program, target);
  TN_GOTO(st, tn_driver_keep_only(&part.module, func), done);
  count_operators(&part.module, h);
  count_constants(&part.module, &out);
  tn_lowered_deinit(&part);
  if (node->op == TN_OP_GFUNC) {
    if (!tn_is_none(node->in[TN_GFUNC_RET])) {
      add_outputs(program, node, node->in[TN_GFUNC_RET], h);
    }
    TN_GOTO(st, count_flops(program, func, opts, target, &out), done);
    TN_GOTO(st, plan_memory(program, func, opts, target, &out), done);
  }
  out.outputs = h->outputs.data;
  out.n_outputs = (int32_t)h->outputs.len;
  out.operators = h->operators.data;
  out.n_operators = (int32_t)h->operators.len;
  out.holder = h;
  *out_inspection = out;
  h = NULL;
done:
  tn_lowered_deinit(&part);
  if (h != NULL) {
    holder_free(h);
  }
  return st;
}

void tn_inspection_deinit(tn_inspection *inspection) {
  if (inspection->holder != NULL) {
    holder_free(inspection->holder);
  }
  *inspection = (tn_inspection){0};
}
