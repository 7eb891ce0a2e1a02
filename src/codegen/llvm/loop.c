/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Loops that run in one thread. A counted loop tests at its end, with one test before it where it
 * may be empty, and counts in 64 bits whatever the type of its variable: index arithmetic then
 * needs no extension inside. */
#include "codegen/llvm/cg.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* Metadata of a loop that asks for unrolling: a node that names itself first. */
static void mark_unrolled(tn_cg *cg, LLVMValueRef jump) {
  static const char hint[] = "llvm.loop.unroll.enable";
  LLVMMetadataRef text = LLVMMDStringInContext2(cg->ctx, hint, sizeof hint - 1);
  LLVMMetadataRef self = LLVMTemporaryMDNode(cg->ctx, NULL, 0);
  LLVMMetadataRef parts[] = {self, LLVMMDNodeInContext2(cg->ctx, &text, 1)};
  LLVMMetadataRef node = LLVMMDNodeInContext2(cg->ctx, parts, 2);
  LLVMMetadataReplaceAllUsesWith(self, node);
  unsigned kind = LLVMGetMDKindIDInContext(cg->ctx, "llvm.loop", 9);
  LLVMSetMetadata(jump, kind, LLVMMetadataAsValue(cg->ctx, node));
}

void tn_cg_count_loop(tn_cg *cg, LLVMValueRef begin, LLVMValueRef end, bool is_never_empty,
                      bool is_unrolled, tn_cg_body_fn body, void *ctx) {
  LLVMBasicBlockRef before = tn_cg_here(cg);
  LLVMBasicBlockRef loop = tn_cg_block(cg, "loop");
  LLVMBasicBlockRef step = tn_cg_block(cg, "next");
  LLVMBasicBlockRef after = tn_cg_block(cg, "after");
  const tn_cg_loop *outer = cg->cur->loop;
  tn_cg_loop own = {.next = step, .after = after, .n_scratch = cg->cur->scratch.len};
  if (is_never_empty) {
    LLVMBuildBr(cg->builder, loop);
  } else {
    LLVMValueRef is_any = LLVMBuildICmp(cg->builder, LLVMIntSLT, begin, end, "");
    LLVMBuildCondBr(cg->builder, is_any, loop, after);
  }
  tn_cg_at(cg, loop);
  LLVMValueRef counter = LLVMBuildPhi(cg->builder, cg->i64, "i");
  tn_cg_memo_clear(cg);
  cg->cur->loop = &own;
  body(cg, counter, ctx);
  cg->cur->loop = outer;
  tn_cg_memo_clear(cg);
  LLVMBuildBr(cg->builder, step);
  tn_cg_at(cg, step);
  LLVMValueRef next = LLVMBuildAdd(cg->builder, counter, tn_cg_i64(cg, 1), "");
  LLVMSetNSW(next, 1); /* it stays at or below end */
  LLVMValueRef is_more = LLVMBuildICmp(cg->builder, LLVMIntSLT, next, end, "");
  LLVMValueRef jump = LLVMBuildCondBr(cg->builder, is_more, loop, after);
  if (is_unrolled) {
    mark_unrolled(cg, jump);
  }
  LLVMValueRef values[] = {begin, next};
  LLVMBasicBlockRef blocks[] = {before, tn_cg_here(cg)};
  LLVMAddIncoming(counter, values, blocks, 2);
  tn_cg_at(cg, after);
}

/* Values of the loop's variable, as far as they are known. */
static tn_cg_range range_of_loop(tn_cg *cg, const tn_node *loop) {
  tn_cg_range min = tn_cg_range_of(cg, loop->in[TN_FOR_MIN]);
  tn_cg_range extent = tn_cg_range_of(cg, loop->in[TN_FOR_EXTENT]);
  tn_cg_range var = tn_cg_range_of(cg, loop->in[TN_FOR_VAR]);
  tn_cg_range out = {min.lo, var.hi};
  int64_t last = 0;
  bool is_over = extent.hi < 1 || __builtin_add_overflow(min.hi, extent.hi - 1, &last);
  if (!is_over && last < out.hi) {
    out.hi = last;
  }
  return out.lo <= out.hi ? out : var;
}

void tn_cg_bind_loop_var(tn_cg *cg, const tn_node *loop, LLVMValueRef wide) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  tn_cg_range_set(cg, var, range_of_loop(cg, loop));
  if (tn_dtype_bits(var->dtype) == 64) {
    tn_cg_bind_var(cg, var, wide);
    return;
  }
  tn_cg_bind_var(cg, var, LLVMBuildTrunc(cg->builder, wide, tn_cg_type(cg, var->dtype), ""));
  tn_map_set(&cg->cur->wide_vars, var->id, (uint64_t)(uintptr_t)wide);
}

/* "loop.k.": report.c finds the variable between the dots; LLVM may add a number behind them. */
static void name_block(tn_cg *cg, const tn_node *var) {
  char name[64];
  int len = snprintf(name, sizeof name, "loop.%.48s.", var->attr.text);
  LLVMSetValueName2(LLVMBasicBlockAsValue(LLVMGetInsertBlock(cg->builder)), name, (size_t)len);
}

static void serial_body(tn_cg *cg, LLVMValueRef counter, void *ctx) {
  const tn_node *loop = ctx;
  name_block(cg, loop->in[TN_FOR_VAR]);
  tn_cg_bind_loop_var(cg, loop, counter);
  tn_cg_stmt(cg, loop->in[TN_FOR_BODY]);
}

static void counted(tn_cg *cg, const tn_node *loop, bool is_unrolled) {
  LLVMValueRef begin = tn_cg_index(cg, loop->in[TN_FOR_MIN]);
  LLVMValueRef end = LLVMBuildAdd(cg->builder, begin, tn_cg_index(cg, loop->in[TN_FOR_EXTENT]), "");
  bool is_never_empty = tn_cg_range_of(cg, loop->in[TN_FOR_EXTENT]).lo >= 1;
  union { /* the callback's context is not const */
    const tn_node *node;
    void *ctx;
  } u = {.node = loop};
  tn_cg_count_loop(cg, begin, end, is_never_empty, is_unrolled, serial_body, u.ctx);
}

typedef struct packed_search {
  const tn_module *module;
  bool is_found;
} packed_search;

static bool takes_packed(const tn_node *func) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    if (!tn_is_none(buffers->in[i]) && tn_dtype_is_packed(buffers->in[i]->dtype)) {
      return true;
    }
  }
  return false;
}

static void find_packed_store(const tn_node *n, void *ctx) {
  packed_search *s = ctx;
  if (tn_is(n, TN_OP_STORE)) {
    s->is_found |= tn_dtype_is_packed(n->in[TN_STORE_BUFFER]->dtype);
  } else if (tn_is(n, TN_OP_INVOKE)) {
    const tn_node *callee = tn_module_find(s->module, n->in[TN_INVOKE_CALLEE]->attr.text);
    s->is_found |= callee == NULL || !tn_is(callee, TN_OP_PRIM_FUNC) || takes_packed(callee);
  }
}

/* Two iterations that store to the two halves of a byte would lose one of the stores. */
static bool shares_bytes(tn_cg *cg, const tn_node *loop) {
  packed_search s = {.module = cg->module};
  tn_walk_once(cg->module->ir, loop->in[TN_FOR_BODY], find_packed_store, &s);
  return s.is_found;
}

void tn_cg_for(tn_cg *cg, const tn_node *loop) {
  switch ((tn_for_kind)loop->attr.i64) {
    case TN_FOR_SERIAL:
      counted(cg, loop, false);
      return;
    case TN_FOR_UNROLLED:
      counted(cg, loop, true);
      return;
    case TN_FOR_PARALLEL:
      if (shares_bytes(cg, loop)) {
        counted(cg, loop, false);
      } else {
        tn_cg_parallel(cg, loop);
      }
      return;
    case TN_FOR_VECTORIZED:
      tn_cg_fail(cg, TN_INTERNAL, "loop '%s' is still vectorized: run vectorize_loops first",
                 loop->in[TN_FOR_VAR]->attr.text);
      return;
    case TN_FOR_THREAD_BINDING:
      tn_cg_fail(cg, TN_UNSUPPORTED, "loop '%s' is bound to a GPU thread; target '%s' has none",
                 loop->in[TN_FOR_VAR]->attr.text, cg->target->name);
      return;
  }
}

void tn_cg_while(tn_cg *cg, const tn_node *loop) {
  LLVMBasicBlockRef head = tn_cg_block(cg, "while");
  LLVMBasicBlockRef body = tn_cg_block(cg, "do");
  LLVMBasicBlockRef after = tn_cg_block(cg, "after");
  const tn_cg_loop *outer = cg->cur->loop;
  tn_cg_loop own = {.next = head, .after = after, .n_scratch = cg->cur->scratch.len};
  LLVMBuildBr(cg->builder, head);
  tn_cg_at(cg, head);
  tn_cg_memo_clear(cg);
  LLVMBuildCondBr(cg->builder, tn_cg_expr(cg, loop->in[TN_WHILE_COND]), body, after);
  tn_cg_at(cg, body);
  tn_cg_memo_clear(cg);
  cg->cur->loop = &own;
  tn_cg_stmt(cg, loop->in[TN_WHILE_BODY]);
  cg->cur->loop = outer;
  tn_cg_memo_clear(cg);
  LLVMBuildBr(cg->builder, head);
  tn_cg_at(cg, after);
}
