/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The tables of this room's passes and rewrite rules. */
#include <string.h>

#include "ops/rules/match.h"
#include "ops/rules/rules.h"

typedef struct rule_row {
  const char *pass;
  tn_rewrite_rule rule;
} rule_row;

static const rule_row rows[] = {
#define RULE(pass_, name_, root_, is_exact_, doc_) \
  {#pass_,                                         \
   {.name = #name_,                                \
    .root = (root_),                               \
    .is_exact = (is_exact_),                       \
    .doc = (doc_),                                 \
    .apply = tn_rule_##name_}},
#include "ops/rules/rules.def"
#undef RULE
};

uint32_t tn_rules_of(const char *pass, const tn_rewrite_rule **out, uint32_t max) {
  uint32_t n = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && n < max; ++i) {
    if (*pass == '\0' || strcmp(rows[i].pass, pass) == 0) {
      out[n++] = &rows[i].rule;
    }
  }
  return n;
}

static tn_status run(tn_module *module, const tn_pass_opts *opts, const char *pass) {
  const tn_rewrite_rule *rules[sizeof rows / sizeof *rows];
  uint32_t n = tn_rules_of(pass, rules, sizeof rows / sizeof *rows);
  return tn_rewrite_graphs(module, opts, rules, n, NULL);
}

static tn_status tn_pass_clean_graph(tn_module *module, const tn_pass_opts *opts) {
  return run(module, opts, "clean_graph");
}

static tn_status tn_pass_fold_batch_norm(tn_module *module, const tn_pass_opts *opts) {
  return run(module, opts, "fold_batch_norm");
}

static tn_status tn_pass_recognise_patterns(tn_module *module, const tn_pass_opts *opts) {
  return run(module, opts, "recognise_patterns");
}

static tn_status tn_pass_recognise_attention(tn_module *module, const tn_pass_opts *opts) {
  return run(module, opts, "recognise_attention");
}

static const tn_pass table[] = {
#define PASS(name_, doc_) {.name = #name_, .level = "graph", .doc = (doc_), .fn = tn_pass_##name_},
#include "ops/rules/passes.def"
#undef PASS
};

const tn_pass *tn_ops_passes(uint32_t *out_n) {
  *out_n = sizeof table / sizeof table[0];
  return table;
}
