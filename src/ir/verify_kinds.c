/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What may stand in which slot. Slot names mean the same thing in almost every kind ("body" is a
 * statement, "extent" a value), so the rules are by name, with the exceptions first. */
#include <string.h>

#include "base/check.h"
#include "ir/ir_priv.h"
#include "ir/verify_priv.h"

enum {
  K_VALUE = 1,
  K_VAR = 2,
  K_GVAR = 4,
  K_BUFFER = 8,
  K_LABEL = 16,
  K_CONST = 32,
  K_LIST = 64,
  K_DICT = 128,
  K_STMT = 256,
  K_SEQ = 512,
  K_TYPE = 1024,
  K_FUNC = 2048,
  K_NONE = 4096,
  K_RANGE = 8192,
  K_ITER = 16384,
  K_REGION = 32768,
  K_MATCH = 65536,
  K_EXPR = K_VALUE | K_VAR | K_GVAR | K_CONST,
  K_BODY = K_STMT | K_SEQ,
  K_ANY = 0x1ffff & ~(K_BODY | K_FUNC)
};
enum { ANY_OP = -1 };

typedef struct slot_rule {
  int32_t op; /* or ANY_OP */
  const char *name;
  uint32_t self;
  uint32_t items;
} slot_rule;

static const slot_rule slot_rules[] = {
    /* exceptions */
    {TN_OP_LET, "body", K_EXPR, 0},
    {TN_OP_GBIND, "var", K_GVAR, 0},
    {TN_OP_MATCH_CAST, "var", K_GVAR, 0},
    {TN_OP_GIF, "var", K_GVAR, 0},
    {TN_OP_GBIND, "value", K_EXPR | K_FUNC, 0},
    {TN_OP_ATTR, "value", K_ANY, 0},
    {TN_OP_GFUNC, "params", K_LIST, K_GVAR},
    {TN_OP_TY_FUNC, "params", K_LIST, K_TYPE},
    {TN_OP_PRIM_FUNC, "buffers", K_LIST, K_BUFFER | K_NONE},
    /* by name */
    {ANY_OP, "var", K_VAR, 0},
    {ANY_OP, "value", K_EXPR, 0},
    {ANY_OP, "body", K_BODY, 0},
    {ANY_OP, "params", K_LIST, K_VAR},
    {ANY_OP, "a", K_EXPR, 0},
    {ANY_OP, "b", K_EXPR, 0},
    {ANY_OP, "min", K_EXPR, 0},
    {ANY_OP, "extent", K_EXPR, 0},
    {ANY_OP, "cond", K_EXPR, 0},
    {ANY_OP, "then", K_BODY, 0},
    {ANY_OP, "else", K_BODY, 0},
    {ANY_OP, "init", K_BODY, 0},
    {ANY_OP, "buffer", K_BUFFER, 0},
    {ANY_OP, "predicate", K_EXPR, 0},
    {ANY_OP, "annotations", K_DICT, 0},
    {ANY_OP, "attrs", K_DICT, 0},
    {ANY_OP, "data", K_VAR, 0},
    {ANY_OP, "shape", K_LIST, K_EXPR},
    {ANY_OP, "strides", K_LIST, K_EXPR},
    {ANY_OP, "elem_offset", K_EXPR, 0},
    {ANY_OP, "scope", K_VALUE, 0},
    {ANY_OP, "align", K_VALUE, 0},
    {ANY_OP, "offset_factor", K_VALUE, 0},
    {ANY_OP, "axis_separators", K_LIST, K_VALUE},
    {ANY_OP, "base", K_EXPR, 0},
    {ANY_OP, "stride", K_EXPR, 0},
    {ANY_OP, "vectors", K_LIST, K_EXPR},
    {ANY_OP, "indices", K_LIST, K_EXPR},
    {ANY_OP, "results", K_LIST, K_EXPR},
    {ANY_OP, "lhs", K_LIST, K_VAR},
    {ANY_OP, "rhs", K_LIST, K_VAR},
    {ANY_OP, "identity", K_LIST, K_EXPR},
    {ANY_OP, "extents", K_LIST, K_EXPR},
    {ANY_OP, "array", K_CONST, 0},
    {ANY_OP, "thread", K_VALUE, 0},
    {ANY_OP, "label", K_LABEL, 0},
    {ANY_OP, "iters", K_LIST, K_ITER},
    {ANY_OP, "reads", K_LIST, K_REGION},
    {ANY_OP, "writes", K_LIST, K_REGION},
    {ANY_OP, "allocs", K_LIST, K_BUFFER},
    {ANY_OP, "matches", K_LIST, K_MATCH},
    {ANY_OP, "binding", K_EXPR, 0},
    {ANY_OP, "region", K_REGION, 0},
    {ANY_OP, "node", K_ANY, 0},
    {ANY_OP, "message", K_VALUE, 0},
    {ANY_OP, "config", K_ANY, 0},
    {ANY_OP, "host", K_ANY, 0},
    {ANY_OP, "inverse", K_VALUE, 0},
    {ANY_OP, "vdevice", K_ANY, 0},
    {ANY_OP, "dims", K_LIST, K_EXPR},
    {ANY_OP, "type", K_TYPE, 0},
    {ANY_OP, "ret", K_TYPE, 0},
    {ANY_OP, "tuple", K_EXPR, 0},
    {ANY_OP, "args", K_LIST, K_ANY},
    {ANY_OP, "fields", K_LIST, K_ANY},
    {ANY_OP, "types", K_LIST, K_TYPE},
    {ANY_OP, "callee", K_VALUE | K_GVAR | K_FUNC, 0},
    {ANY_OP, "outputs", K_LIST, K_GVAR},
    {ANY_OP, "is_pure", K_VALUE, 0},
};

static uint32_t kind_of(const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_NONE:
      return K_NONE;
    case TN_OP_VAR:
      return K_VAR;
    case TN_OP_GVAR:
      return K_GVAR;
    case TN_OP_BUFFER:
      return K_BUFFER;
    case TN_OP_LABEL:
      return K_LABEL;
    case TN_OP_CONST:
      return K_CONST;
    case TN_OP_LIST:
      return K_LIST;
    case TN_OP_DICT:
      return K_DICT;
    case TN_OP_SEQ:
      return K_SEQ;
    case TN_OP_RANGE:
      return K_RANGE;
    case TN_OP_ITER:
      return K_ITER;
    case TN_OP_REGION:
      return K_REGION;
    case TN_OP_MATCH:
      return K_MATCH;
    default:
      break;
  }
  switch (tn_node_class(n)) {
    case TN_CLASS_STMT:
      return K_STMT;
    case TN_CLASS_TYPE:
      return K_TYPE;
    case TN_CLASS_FUNC:
      return K_FUNC;
    case TN_CLASS_EXPR:
      return K_VALUE;
    case TN_CLASS_LEAF:
    case TN_CLASS_AUX: /* each has its case above */
      break;
  }
  TN_UNREACHABLE();
}

static tn_slot_kinds find_rule(tn_op op, tn_slot slot) {
  for (size_t i = 0; i < sizeof slot_rules / sizeof *slot_rules; ++i) {
    const slot_rule *rule = &slot_rules[i];
    if ((rule->op == ANY_OP || rule->op == (int32_t)op) &&
        strncmp(rule->name, slot.name, slot.len) == 0 && rule->name[slot.len] == '\0') {
      return (tn_slot_kinds){rule->self | (slot.is_optional ? K_NONE : 0), rule->items};
    }
  }
  tn_panic(__FILE__, __LINE__, __func__, "no rule for slot %.*s of %s", (int)slot.len, slot.name,
           tn_op_info_get(op)->name);
}

static uint32_t rest_of(tn_op op) {
  switch (op) {
    case TN_OP_SEQ:
      return K_STMT;
    case TN_OP_REGION:
      return K_RANGE;
    case TN_OP_TY_TUPLE:
      return K_TYPE;
    case TN_OP_LIST:
    case TN_OP_DICT:
    case TN_OP_INTRIN:
      return K_ANY;
    default: /* STORE, LOAD, TUPLE, SHAPE */
      return K_EXPR;
  }
}

static void learn(tn_kind_table *table, tn_op op) {
  if (table->ops[op].is_known) {
    return;
  }
  table->ops[op].is_known = true;
  table->ops[op].rest = rest_of(op);
  tn_slot slot;
  uint32_t n = 0;
  while (tn_op_slot_find(op, n, &slot)) {
    TN_CHECK(n < TN_MAX_SLOTS, "%s has too many slots", tn_op_info_get(op)->name);
    table->ops[op].slots[n++] = find_rule(op, slot);
  }
  table->ops[op].n_slots = n;
}

static bool report_child(const tn_node *n, uint32_t i, const tn_node *child, tn_pos pos,
                         tn_diags *diags) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  const char *found = tn_op_info_get((tn_op)child->op)->name;
  tn_slot slot;
  if (tn_is(n, TN_OP_SEQ) && tn_is(child, TN_OP_SEQ)) {
    tn_diags_add(diags, "nested-seq", pos, NULL, "a SEQ stands directly inside a SEQ");
  } else if (!tn_op_slot_find((tn_op)n->op, i, &slot)) {
    tn_diags_add(diags, "wrong-child", pos, NULL, "%s cannot have %s as child %u", info->name,
                 found, i);
  } else if (tn_is_none(child)) {
    tn_diags_add(diags, "missing-child", pos, NULL, "%s has no %.*s", info->name, (int)slot.len,
                 slot.name);
  } else {
    tn_diags_add(diags, "wrong-child", pos, NULL, "%s cannot have %s as its %.*s", info->name,
                 found, (int)slot.len, slot.name);
  }
  return false;
}

static bool check_items(const tn_node *n, uint32_t slot, uint32_t items, tn_pos pos,
                        tn_diags *diags) {
  const tn_node *list = n->in[slot];
  for (uint32_t i = 0; tn_is(list, TN_OP_LIST) && i < list->n_in; ++i) {
    if ((kind_of(list->in[i]) & items) == 0) {
      tn_slot name = {"", 0, false};
      tn_op_slot_find((tn_op)n->op, slot, &name);
      tn_diags_add(diags, "wrong-child", pos, NULL, "%s cannot have %s among its %.*s",
                   tn_op_info_get((tn_op)n->op)->name, tn_op_info_get((tn_op)list->in[i]->op)->name,
                   (int)name.len, name.name);
      return false;
    }
  }
  return true;
}

static bool check_attr(const tn_node *n, tn_pos pos, tn_diags *diags) {
  bool is_ok = true;
  if (tn_is(n, TN_OP_FOR)) {
    is_ok = n->attr.i64 >= TN_FOR_SERIAL && n->attr.i64 <= TN_FOR_THREAD_BINDING;
  } else if (tn_is(n, TN_OP_ITER)) {
    is_ok = n->attr.i64 >= TN_ITER_SPATIAL && n->attr.i64 <= TN_ITER_OPAQUE;
  } else if (tn_is(n, TN_OP_DICT)) {
    is_ok = n->n_in % 2 == 0;
    for (uint32_t i = 0; is_ok && i < n->n_in; i += 2) {
      is_ok = tn_is(n->in[i], TN_OP_STR);
    }
  }
  if (!is_ok) {
    const char *name = tn_op_info_get((tn_op)n->op)->name;
    tn_diags_add(diags, "wrong-attr", pos, NULL,
                 tn_is(n, TN_OP_DICT) ? "%s is not a list of text keys and values"
                                      : "%s of no known kind",
                 name);
  }
  return is_ok;
}

bool tn_check_children(tn_kind_table *table, const tn_node *n, tn_pos pos, tn_diags *diags) {
  tn_op op = (tn_op)n->op;
  const tn_op_info *info = tn_op_info_get(op);
  learn(table, op);
  bool fits = info->is_variadic ? n->n_in >= (uint32_t)info->n_in : n->n_in == (uint32_t)info->n_in;
  if (!fits) {
    tn_diags_add(diags, "wrong-child-count", pos, NULL, "%s has %u children instead of %s%d",
                 info->name, n->n_in, info->is_variadic ? "at least " : "", info->n_in);
    return false;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    bool is_named = i < table->ops[op].n_slots;
    tn_slot_kinds kinds =
        is_named ? table->ops[op].slots[i] : (tn_slot_kinds){table->ops[op].rest, 0};
    if ((kind_of(n->in[i]) & kinds.self) == 0) {
      return report_child(n, i, n->in[i], pos, diags);
    }
    if (kinds.items != 0 && !check_items(n, i, kinds.items, pos, diags)) {
      return false;
    }
  }
  return check_attr(n, pos, diags);
}
