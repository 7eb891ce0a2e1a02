/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table of graph passes. */
#include "graph/graph_priv.h"
#include "graph/passes.h"

static const tn_pass table[] = {
#define PASS(name_, doc_) {.name = #name_, .level = "graph", .doc = (doc_), .fn = tn_pass_##name_},
#include "graph/passes.def"
#undef PASS
};

const tn_pass *tn_graph_passes(uint32_t *out_n) {
  *out_n = sizeof table / sizeof table[0];
  return table;
}
