/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table of this room's passes, and the walk over a module's loop functions that they share. */
#include <string.h>

#include "lower/lower_priv.h"

static const tn_pass passes[] = {
#define PASS(name, level, doc) {#name, level, doc, tn_pass_##name},
#include "lower/passes.def"
#undef PASS
};

const tn_pass *tn_lower_passes(uint32_t *out_n) {
  *out_n = sizeof passes / sizeof passes[0];
  return passes;
}

tn_status tn_lower_each(tn_module *module, const tn_pass_opts *opts, tn_lower_fn fn) {
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    const char *name = module->funcs[i].name;
    const tn_node *func = module->funcs[i].func;
    bool is_wanted = opts == NULL || opts->func == NULL || strcmp(opts->func, name) == 0;
    if (!is_wanted || !tn_is(func, TN_OP_PRIM_FUNC)) {
      continue;
    }
    const tn_node *made = func;
    TN_TRY_MSG(fn(module->ir, func, &made), "function '%s'", name);
    if (made != func) {
      tn_module_set(module, name, made);
    }
  }
  return NULL;
}

const tn_node *tn_lower_with_body(tn_ir *ir, const tn_node *func, const tn_node *body) {
  const tn_node *in[5] = {NULL};
  memcpy(in, func->in, sizeof in);
  in[TN_PRIM_FUNC_BODY] = body;
  return tn_node_with(ir, func, in);
}

const tn_node *tn_lower_if(tn_ir *ir, const tn_node *cond, const tn_node *then) {
  const tn_node *in[3] = {cond, then, tn_none(ir)};
  return tn_node_new(ir, TN_OP_IF, TN_DT_NONE, (tn_attr){.i64 = 0}, 3, in);
}

const tn_node *tn_lower_bind(tn_ir *ir, const tn_node *var, const tn_node *value) {
  const tn_node *in[2] = {var, value};
  return tn_node_new(ir, TN_OP_BIND, TN_DT_NONE, (tn_attr){.i64 = 0}, 2, in);
}

const tn_node *tn_lower_decl(tn_ir *ir, const tn_node *buffer) {
  return tn_node_new(ir, TN_OP_DECL, TN_DT_NONE, (tn_attr){.i64 = 0}, 1, &buffer);
}

const tn_node *tn_lower_cast(tn_ir *ir, tn_dtype dtype, const tn_node *value) {
  if (value->dtype == dtype) {
    return value;
  }
  if (tn_is(value, TN_OP_INT)) {
    return tn_int(ir, dtype, value->attr.i64);
  }
  return tn_node_new(ir, TN_OP_CAST, dtype, (tn_attr){.i64 = 0}, 1, &value);
}

const tn_node *tn_lower_broadcast(tn_ir *ir, const tn_node *value, uint32_t lanes) {
  if (lanes == 1 || tn_dtype_lanes(value->dtype) == lanes) {
    return value;
  }
  return tn_node_new(ir, TN_OP_BROADCAST, tn_dtype_with_lanes(value->dtype, lanes),
                     (tn_attr){.i64 = 0}, 1, &value);
}

void tn_lower_map_set(tn_map *map, const tn_node *key, const tn_node *value) {
  tn_map_set(map, key->id, (uint64_t)(uintptr_t)value);
}

const tn_node *tn_lower_map_find(const tn_map *map, const tn_node *key) {
  uint64_t word = 0;
  return tn_map_find(map, key->id, &word) ? (const tn_node *)(uintptr_t)word : NULL;
}
