/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Declares what the rows of graph/passes.def name; the outside reaches them through
 * tn_graph_passes. */
#ifndef TN_GRAPH_PASSES_H
#define TN_GRAPH_PASSES_H

#include "ir/ir.h"

#define PASS(name, doc) tn_status tn_pass_##name(tn_module *module, const tn_pass_opts *opts);
#include "graph/passes.def"
#undef PASS

#endif
