/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The integer test before isl. */
#include "arith/sets_priv.h"

bool tn_sets_quick_is_empty(uint32_t n_cols, uint32_t n_eqs, const tn_form *const *eqs,
                            uint32_t n_ges, const tn_form *const *ges) {
  (void)n_cols;
  (void)n_eqs;
  (void)eqs;
  (void)n_ges;
  (void)ges;
  return false;
}
