/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The facts of ir/nodes.def as a table, and what is read off its slot texts. Everything in this
 * room that depends on the kind of a node asks here. */
#include "ir/ir.h"

#include <string.h>

#include "base/check.h"

#define AT_LEAST(k) (-(k)-1)
enum { INTERN = TN_OPF_INTERN, COMM = TN_OPF_COMM, BINDS = TN_OPF_BINDS };

static const tn_op_info op_infos[TN_N_OPS] = {
#define X(op, op_text, op_class, op_attr, op_n_in, op_prec, op_flags, op_slots) \
  [TN_OP_##op] = {.name = #op,                                                  \
                  .text = (op_text),                                            \
                  .cls = TN_CLASS_##op_class,                                   \
                  .attr = TN_ATTR_##op_attr,                                    \
                  .n_in = (op_n_in) < 0 ? -(op_n_in)-1 : (op_n_in),             \
                  .is_variadic = (op_n_in) < 0,                                 \
                  .prec = (op_prec),                                            \
                  .flags = (op_flags),                                          \
                  .slots = (op_slots)},
#include "ir/nodes.def"
#undef X
};

const tn_op_info *tn_op_info_get(tn_op op) {
  TN_ASSERT((uint32_t)op < TN_N_OPS, "node kind %d", (int)op);
  return &op_infos[op];
}

uint32_t tn_op_n_slots(tn_op op) {
  uint32_t n = 0;
  for (const char *p = tn_op_info_get(op)->slots; *p != '\0'; ++n) {
    p += strcspn(p, " ");
    p += strspn(p, " ");
  }
  return n;
}

bool tn_op_slot_find(tn_op op, uint32_t slot, tn_slot *out_slot) {
  const char *p = tn_op_info_get(op)->slots;
  for (; slot != 0 && *p != '\0'; --slot) {
    p += strcspn(p, " ");
    p += strspn(p, " ");
  }
  if (*p == '\0') {
    return false;
  }
  bool is_optional = *p == '[';
  const char *name = p + (is_optional ? 1 : 0);
  *out_slot = (tn_slot){name, (uint32_t)strcspn(name, " ]"), is_optional};
  return true;
}

bool tn_is_interned(const tn_node *n) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  return (info->flags & TN_OPF_INTERN) != 0 && (info->attr != TN_ATTR_DEF || n->attr.def->is_pure);
}
