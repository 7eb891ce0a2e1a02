/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table of intrinsics, made from intrins.def. An INTRIN node's attribute points to a row here,
 * so rows are told apart by address within a process and by name everywhere else (hashes, texts).
 */
#include "tir/tir.h"

#include <string.h>

static const tn_intrin intrins[] = {
#define X(id_, name_, kind_, type_, min_args_, max_args_, is_pure_, llvm_) \
  {.def = {.name = (name_), .is_pure = (is_pure_) != 0},                   \
   .id = TN_INTRIN_##id_,                                                  \
   .kind = TN_IK_##kind_,                                                  \
   .type = TN_IT_##type_,                                                  \
   .min_args = (min_args_),                                                \
   .max_args = (max_args_),                                                \
   .llvm = (llvm_)},
#include "tir/intrins.def"
#undef X
};

enum { N_INTRINS = sizeof intrins / sizeof intrins[0] };

const tn_intrin *tn_intrin_get(tn_intrin_id id) { return &intrins[id]; }

const tn_intrin *tn_intrin_find(const char *name) {
  for (uint32_t i = 0; i < N_INTRINS; ++i) {
    if (strcmp(intrins[i].def.name, name) == 0) {
      return &intrins[i];
    }
  }
  return NULL;
}

const tn_intrin *tn_intrin_all(uint32_t *out_n) {
  *out_n = N_INTRINS;
  return intrins;
}
