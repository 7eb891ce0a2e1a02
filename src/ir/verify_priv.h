/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which kinds of children a node may have; the verifier's first half. */
#ifndef TN_IR_VERIFY_PRIV_H
#define TN_IR_VERIFY_PRIV_H

#include "ir/ir.h"

typedef struct tn_slot_kinds {
  uint32_t self;  /* bits of what may stand in the slot */
  uint32_t items; /* where it is a LIST: of what */
} tn_slot_kinds;

enum { TN_MAX_SLOTS = 10 };

/// Filled kind by kind when a kind is first met. Zero-initialise.
typedef struct tn_kind_table {
  struct {
    bool is_known;
    uint32_t n_slots;
    tn_slot_kinds slots[TN_MAX_SLOTS];
    uint32_t rest; /* children past the named ones */
  } ops[TN_N_OPS];
} tn_kind_table;

/// Checks the number and kinds of n's children and its attribute. Adds one diagnostic and returns
/// false when wrong.
bool tn_check_children(tn_kind_table *table, const tn_node *n, tn_pos pos, tn_diags *diags);

#endif
