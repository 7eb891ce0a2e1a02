/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* annotate_patterns: every loop function tells how it may be fused, found from its blocks.
 *
 *   @T.prim_func ... B[vi] = T.exp(A[vi])   ->   T.func_attr({"op_pattern": 0})
 *
 * 0 elementwise, 1 broadcast, 2 injective, 3 reduction, 4 a product, whose results may be worked on
 * in place, 8 opaque. A number that the text gives stays where the blocks allow it. Idempotent. */
#include "graph/fuse.h"
#include "graph/passes.h"

tn_status tn_pass_annotate_patterns(tn_module *module, const tn_pass_opts *opts) {
  (void)opts;
  tn_ir *ir = module->ir;
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    const tn_node *func = module->funcs[i].func;
    tn_fuse_func facts;
    if (!tn_is(func, TN_OP_PRIM_FUNC)) {
      continue;
    }
    tn_fuse_func_init(module, func, &facts);
    const tn_node *in[5];
    for (uint32_t k = 0; k < 5; ++k) {
      in[k] = func->in[k];
    }
    in[TN_PRIM_FUNC_ATTRS] = tn_dict_set(ir, func->in[TN_PRIM_FUNC_ATTRS], "op_pattern",
                                         tn_int(ir, TN_DT_I32, (int64_t)facts.pattern));
    tn_module_set(module, module->funcs[i].name, tn_node_with(ir, func, in));
  }
  return NULL;
}
