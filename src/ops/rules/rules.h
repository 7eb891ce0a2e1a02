/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Declares what the rows of rules.def name, and the pass that is no table of rules. */
#ifndef TN_OPS_RULES_RULES_H
#define TN_OPS_RULES_RULES_H

#include "graph/rewrite.h"

#define RULE(pass, name, root, is_exact, doc) \
  const tn_node *tn_rule_##name(tn_rewrite_run *r, const tn_node *call);
#include "ops/rules/rules.def"
#undef RULE

tn_status tn_pass_fold_constants(tn_module *module, const tn_pass_opts *opts);

#endif
