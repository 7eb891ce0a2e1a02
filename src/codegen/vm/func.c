/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The bytecode of one graph function in VM form: registers (a dropped value's register is used
 * again), slots of the shape heap, statements. Parameters come first; what their types say is
 * matched before anything runs. */
#include "base/check.h"
#include "codegen/vm/vm_emit.h"

/* ---- registers, slots, instructions ---- */

uint32_t tn_vm_new_reg(tn_vm_func *f) {
  return f->free_regs.len > 0 ? TN_VEC_POP(&f->free_regs) : f->n_regs++;
}

uint32_t tn_vm_temp_reg(tn_vm_func *f) {
  uint32_t reg = tn_vm_new_reg(f);
  TN_VEC_PUSH(&f->temps, reg);
  return reg;
}

uint32_t tn_vm_new_slot(tn_vm_func *f) { return f->n_slots++; }

void tn_vm_set_slot(tn_vm_func *f, const tn_node *size, uint32_t slot) {
  tn_map_set(&f->slots, size->id, slot);
  TN_VEC_PUSH(&f->sizes, size->id);
}

void tn_vm_put(tn_vm_func *f, int32_t n, const int64_t *words) {
  for (int32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&f->t->code, words[i]);
  }
}

static bool holds_nothing(const tn_node *var) {
  return var->in[0]->op == TN_OP_TY_TUPLE && var->in[0]->n_in == 0;
}

static uint32_t bind_reg(tn_vm_func *f, const tn_node *var, uint32_t reg) {
  tn_map_set(&f->regs, var->id, reg);
  TN_VEC_PUSH(&f->vars, var);
  return reg;
}

int64_t tn_vm_dst(tn_vm_func *f, const tn_node *var) {
  if (!tn_map_find(&f->uses, var->id, NULL) || holds_nothing(var)) {
    return -1;
  }
  return bind_reg(f, var, tn_vm_new_reg(f));
}

uint32_t tn_vm_define(tn_vm_func *f, const tn_node *var) {
  int64_t dst = tn_vm_dst(f, var);
  return dst < 0 ? tn_vm_temp_reg(f) : (uint32_t)dst;
}

/* Drops the temporaries of a statement; `base`: how many belong to statements around it. */
static void drop_temps(tn_vm_func *f, size_t base) {
  while (f->temps.len > base) {
    uint32_t reg = TN_VEC_POP(&f->temps);
    TN_VM_PUT(f, TN_VM_KILL, reg);
    if (!tn_map_find(&f->is_kept, reg, NULL)) {
      TN_VEC_PUSH(&f->free_regs, reg);
    }
  }
}

/* ---- uses ---- */

static void note_use(const tn_node *n, void *ctx) {
  if (n->op == TN_OP_GVAR) {
    tn_map_set(ctx, n->id, 1);
  }
}

/* is_tail: what the body gives is what the function gives. */
static void find_uses(tn_vm_func *f, const tn_node *body, bool is_tail) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *s = tn_body_at(body, i);
    bool is_last = is_tail && tn_body_gives(body, i);
    switch ((int)s->op) {
      case TN_OP_GBIND:
        tn_vm_note_closure(f, s);
        if (is_last && tn_vm_is_tail_call(f, s->in[TN_BIND_VALUE])) { /* it needs no closure */
          tn_walk_once(f->ir, s->in[TN_BIND_VALUE]->in[TN_INVOKE_ARGS], note_use, &f->uses);
          break;
        }
        tn_walk_once(f->ir, s->in[TN_BIND_VALUE], note_use, &f->uses);
        break;
      case TN_OP_MATCH_CAST:
        tn_walk_once(f->ir, s->in[TN_BIND_VALUE], note_use, &f->uses);
        break;
      case TN_OP_GIF:
        tn_walk_once(f->ir, s->in[TN_GIF_COND], note_use, &f->uses);
        find_uses(f, s->in[TN_GIF_THEN], is_last);
        find_uses(f, s->in[TN_GIF_ELSE], is_last);
        break;
      default:
        tn_walk_once(f->ir, s, note_use, &f->uses);
        break;
    }
  }
}

/* ---- statements ---- */

/* is_tail: what the body gives is what the function gives. */
static tn_status emit_body(tn_vm_func *f, const tn_node *body, const uint32_t *yield_to,
                           bool is_tail);

static tn_status bind_tuple_get(tn_vm_func *f, const tn_node *var, const tn_node *get) {
  uint32_t tuple = 0;
  TN_TRY(tn_vm_arg_reg(f, get->in[0], &tuple));
  uint32_t dst = tn_vm_define(f, var);
  TN_VM_PUT(f, TN_VM_TUPLE_GET, dst, tuple, get->attr.i64);
  return NULL;
}

/* What is already in a temporary register becomes the variable's own; anything else is moved. */
static tn_status bind_atom(tn_vm_func *f, const tn_node *var, const tn_node *value) {
  int64_t word = 0;
  TN_TRY(tn_vm_arg(f, value, &word));
  bool is_temp = TN_ARGW_KIND(word) == TN_ARGW_REG && f->temps.len > 0 &&
                 TN_VEC_LAST(&f->temps) == (uint32_t)TN_ARGW_VALUE(word);
  if (is_temp && tn_map_find(&f->uses, var->id, NULL) && !holds_nothing(var)) {
    bind_reg(f, var, TN_VEC_POP(&f->temps));
    return NULL;
  }
  uint32_t dst = tn_vm_define(f, var);
  TN_VM_PUT(f, TN_VM_MOVE, dst, word);
  return NULL;
}

static tn_status emit_bind(tn_vm_func *f, const tn_node *stmt) {
  const tn_node *var = stmt->in[TN_BIND_VAR];
  const tn_node *value = stmt->in[TN_BIND_VALUE];
  if (tn_map_find(&f->closures, var->id, NULL) && !tn_map_find(&f->uses, var->id, NULL)) {
    return NULL; /* only calls in the last place use it */
  }
  switch ((int)value->op) {
    case TN_OP_CALL:
    case TN_OP_INVOKE:
      return tn_vm_call_value(f, var, value);
    case TN_OP_GET:
      return bind_tuple_get(f, var, value);
    case TN_OP_GFUNC:
      return TN_ERR(TN_INVALID, "a function inside a function; lift_functions comes first");
    default:
      return bind_atom(f, var, value);
  }
}

/* Sizes given names by lower_shapes, or by a cast of a shape that is written out: all new ones,
 * nothing to check. */
static bool only_names(const tn_vm_func *f, const tn_node *value, const tn_node *type) {
  if (value->op != TN_OP_SHAPE || type->op != TN_OP_TY_SHAPE || tn_is_none(type->in[0]) ||
      type->in[0]->n_in != value->n_in) {
    return false;
  }
  for (uint32_t i = 0; i < value->n_in; ++i) {
    const tn_node *dim = type->in[0]->in[i];
    if (dim->op != TN_OP_VAR || tn_map_find(&f->slots, dim->id, NULL)) {
      return false;
    }
  }
  return true;
}

static tn_status name_sizes(tn_vm_func *f, const tn_node *value, const tn_node *dims) {
  for (uint32_t i = 0; i < value->n_in; ++i) {
    int64_t word = 0;
    TN_TRY(tn_vm_size(f, value->in[i], &word));
    uint32_t slot = (uint32_t)TN_ARGW_VALUE(word);
    if (TN_ARGW_KIND(word) != TN_ARGW_SLOT) {
      slot = tn_vm_new_slot(f);
      TN_VM_PUT(f, TN_VM_SHAPE_OP, slot, TN_VM_SH_MOVE, word, TN_ARGW(TN_ARGW_IMM, 0));
    }
    tn_vm_set_slot(f, dims->in[i], slot);
  }
  return NULL;
}

static tn_status emit_match_cast(tn_vm_func *f, const tn_node *stmt) {
  const tn_node *var = stmt->in[TN_MATCH_CAST_VAR];
  const tn_node *value = stmt->in[TN_MATCH_CAST_VALUE];
  const tn_node *type = stmt->in[TN_MATCH_CAST_TYPE];
  if (only_names(f, value, type)) {
    TN_TRY(name_sizes(f, value, type->in[0]));
    return tn_map_find(&f->uses, var->id, NULL) ? bind_atom(f, var, value) : NULL;
  }
  uint32_t reg = 0;
  TN_TRY(tn_vm_arg_reg(f, value, &reg));
  tn_buf place = TN_BUF_INIT;
  tn_buf_printf(&place, "match_cast to '%s'", var->attr.text);
  tn_status st = tn_vm_match(f, reg, type, tn_buf_text(&place), false);
  if (st == NULL) {
    st = tn_vm_match(f, reg, type, tn_buf_text(&place), true);
  }
  tn_buf_deinit(&place);
  TN_TRY(st);
  if (tn_map_find(&f->uses, var->id, NULL)) {
    uint32_t dst = tn_vm_define(f, var);
    TN_VM_PUT(f, TN_VM_MOVE, dst, TN_ARGW(TN_ARGW_REG, reg));
  }
  return NULL;
}

/* One branch: its value goes to register `to`; its variables and sizes are gone after it. */
static tn_status emit_branch(tn_vm_func *f, const tn_node *body, uint32_t to, bool is_tail) {
  size_t n_sizes = f->sizes.len;
  size_t n_vars = f->vars.len;
  TN_TRY(emit_body(f, body, &to, is_tail));
  while (f->sizes.len > n_sizes) {
    tn_map_remove(&f->slots, TN_VEC_POP(&f->sizes));
  }
  while (f->vars.len > n_vars) {
    uint64_t reg = 0;
    const tn_node *var = TN_VEC_POP(&f->vars);
    if (!tn_map_find(&f->regs, var->id, &reg)) {
      continue;
    }
    TN_VM_PUT(f, TN_VM_KILL, (int64_t)reg);
    tn_map_remove(&f->regs, var->id);
    if (!tn_map_find(&f->is_kept, reg, NULL)) {
      TN_VEC_PUSH(&f->free_regs, (uint32_t)reg);
    }
  }
  return NULL;
}

/* branch_false cond else; then ...; jump end; else: ...; end: */
static tn_status emit_if(tn_vm_func *f, const tn_node *stmt, bool is_tail) {
  uint32_t cond = 0;
  uint32_t to = 0;
  TN_TRY(tn_vm_arg_reg(f, stmt->in[TN_GIF_COND], &cond));
  to = tn_vm_define(f, stmt->in[TN_GIF_VAR]);
  TN_VM_PUT(f, TN_VM_BRANCH_FALSE, cond, 0);
  size_t else_at = f->t->code.len - 1;
  TN_TRY(emit_branch(f, stmt->in[TN_GIF_THEN], to, is_tail));
  TN_VM_PUT(f, TN_VM_JUMP, 0);
  size_t end_at = f->t->code.len - 1;
  f->t->code.data[else_at] = (int64_t)f->t->code.len;
  TN_TRY(emit_branch(f, stmt->in[TN_GIF_ELSE], to, is_tail));
  f->t->code.data[end_at] = (int64_t)f->t->code.len;
  return NULL;
}

static tn_status emit_value_to(tn_vm_func *f, const tn_node *value, int64_t op, int64_t to) {
  int64_t word = 0;
  TN_TRY(tn_vm_arg(f, value, &word));
  if (op == TN_VM_RET) {
    TN_VM_PUT(f, TN_VM_RET, word);
  } else {
    TN_VM_PUT(f, TN_VM_MOVE, to, word);
  }
  return NULL;
}

static tn_status emit_stmt(tn_vm_func *f, const tn_node *stmt, const uint32_t *yield_to,
                           bool is_tail) {
  switch ((int)stmt->op) {
    case TN_OP_GBIND:
      return tn_status_wrap(emit_bind(f, stmt), "'%s'", stmt->in[TN_BIND_VAR]->attr.text);
    case TN_OP_MATCH_CAST:
      return emit_match_cast(f, stmt);
    case TN_OP_GIF:
      return emit_if(f, stmt, is_tail);
    case TN_OP_RETURN:
      return emit_value_to(f, stmt->in[0], TN_VM_RET, 0);
    case TN_OP_YIELD:
      if (yield_to == NULL) {
        return TN_ERR(TN_INVALID, "a yield outside of a branch");
      }
      return emit_value_to(f, stmt->in[0], TN_VM_MOVE, *yield_to);
    case TN_OP_DATAFLOW:
      return TN_ERR(TN_INVALID, "a dataflow block is left; to_nondataflow comes first");
    default:
      return TN_ERR(TN_INVALID, "'%s' in a graph function", tn_op_info_get((tn_op)stmt->op)->text);
  }
}

static tn_status emit_body(tn_vm_func *f, const tn_node *body, const uint32_t *yield_to,
                           bool is_tail) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    size_t base = f->temps.len;
    bool is_last = is_tail && tn_body_gives(body, i);
    if (is_last && stmt->op == TN_OP_GBIND && tn_vm_is_tail_call(f, stmt->in[TN_BIND_VALUE])) {
      TN_TRY_MSG(tn_vm_tail_call(f, stmt->in[TN_BIND_VALUE]), "'%s'",
                 stmt->in[TN_BIND_VAR]->attr.text);
      f->temps.len = base; /* the frame drops everything */
      return NULL;
    }
    TN_TRY(emit_stmt(f, stmt, yield_to, is_last));
    if (stmt->op == TN_OP_RETURN) {
      f->temps.len = base; /* the frame drops everything */
    } else {
      drop_temps(f, base);
    }
  }
  return NULL;
}

/* ---- functions ---- */

static tn_status match_params(tn_vm_func *f) {
  const tn_node *params = f->func->in[TN_GFUNC_PARAMS];
  tn_status st = NULL;
  for (int late = 0; late <= 1; ++late) {
    for (uint32_t i = 0; i < params->n_in && st == NULL; ++i) {
      tn_buf place = TN_BUF_INIT;
      tn_buf_printf(&place, "argument '%s'", params->in[i]->attr.text);
      size_t base = f->temps.len;
      st = tn_vm_match(f, i, params->in[i]->in[0], tn_buf_text(&place), late != 0);
      drop_temps(f, base);
      tn_buf_deinit(&place);
    }
  }
  return st;
}

static tn_status emit_all(tn_vm_func *f) {
  const tn_node *params = f->func->in[TN_GFUNC_PARAMS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    bind_reg(f, params->in[i], tn_vm_new_reg(f));
  }
  find_uses(f, f->func->in[TN_GFUNC_BODY], true);
  TN_TRY(match_params(f));
  TN_TRY(emit_body(f, f->func->in[TN_GFUNC_BODY], NULL, true));
  const tn_node *last = tn_body_last(f->func->in[TN_GFUNC_BODY]);
  if (last == NULL || last->op != TN_OP_RETURN) {
    return TN_ERR(TN_INVALID, "it does not end in a return");
  }
  return NULL;
}

tn_status tn_vm_emit_gfunc(tn_vm_tables *t, const tn_module *module, const tn_node *func,
                           uint32_t index) {
  tn_vm_func f = {.t = t, .ir = module->ir, .module = module, .func = func};
  uint32_t begin = (uint32_t)t->code.len;
  tn_status st = emit_all(&f);
  tn_exec_func *row = &t->funcs.data[index];
  row->code_begin = begin;
  row->code_end = (uint32_t)t->code.len;
  row->n_regs = f.n_regs;
  row->n_slots = f.n_slots;
  tn_map_deinit(&f.uses);
  tn_map_deinit(&f.regs);
  tn_map_deinit(&f.closures);
  tn_map_deinit(&f.is_kept);
  tn_map_deinit(&f.slots);
  TN_VEC_DEINIT(&f.free_regs);
  TN_VEC_DEINIT(&f.sizes);
  TN_VEC_DEINIT(&f.vars);
  TN_VEC_DEINIT(&f.temps);
  return st;
}
