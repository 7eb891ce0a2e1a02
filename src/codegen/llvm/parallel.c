/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A parallel loop becomes two functions and a call of the host:
 *
 *   piece(env, begin, end, closure)        what env->parallel_for calls: unpacks the closure, calls
 *   body(env, begin, end, first, vars...)  the loop itself; iteration k has the variable's value
 * first + k
 *
 * The closure is a struct on the caller's stack, which outlives the loop: the loop's first value,
 * then the variables of the enclosing function that the body mentions. */
#include "codegen/llvm/cg.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi/kernel.h"
#include "base/check.h"

/* Variables of the enclosing function that the loop mentions, in order of first mention. */
typedef struct captures {
  tn_cg *cg;
  TN_VEC(const tn_node *) vars;
  LLVMTypeRef type; /* a struct: the loop's first value, then the variables */
} captures;

static void capture(const tn_node *n, void *ctx) {
  captures *c = ctx;
  if (tn_is(n, TN_OP_VAR) && tn_map_find(&c->cg->cur->vars, n->id, NULL)) {
    TN_VEC_PUSH(&c->vars, n);
  }
}

static void make_type(tn_cg *cg, captures *c) {
  LLVMTypeRef *types = calloc(c->vars.len + 1, sizeof *types);
  TN_CHECK(types != NULL, "no memory");
  types[0] = cg->i64;
  for (size_t i = 0; i < c->vars.len; ++i) {
    types[i + 1] = tn_cg_type(cg, c->vars.data[i]->dtype);
  }
  c->type = LLVMStructTypeInContext(cg->ctx, types, (unsigned)c->vars.len + 1, 0);
  free(types);
}

/* ---- inside ---- */

typedef struct body_ctx {
  const tn_node *loop;
  LLVMValueRef min;
} body_ctx;

static void parallel_body(tn_cg *cg, LLVMValueRef counter, void *ctx) {
  const body_ctx *b = ctx;
  LLVMValueRef value = LLVMBuildAdd(cg->builder, b->min, counter, "");
  if (LLVMIsAInstruction(value) != NULL) {
    LLVMSetNSW(value, 1);
  }
  tn_cg_bind_loop_var(cg, b->loop, value);
  tn_cg_stmt(cg, b->loop->in[TN_FOR_BODY]);
}

static LLVMValueRef make_body(tn_cg *cg, const captures *c, const tn_node *loop, const char *part) {
  tn_cg_func *outer = cg->cur;
  LLVMBasicBlockRef back = tn_cg_here(cg);
  tn_cg_func func;
  LLVMValueRef bounds[3];
  tn_cg_sig sig = {.func = cg->func_name,
                   .part = part,
                   .vars = c->vars.data,
                   .n_vars = (uint32_t)c->vars.len,
                   .has_bounds = true};
  tn_cg_func_begin(cg, &func, &sig, bounds);
  func.is_parallel_body = true;
  body_ctx b = {loop, bounds[2]};
  LLVMValueRef fn = func.fn;
  tn_cg_count_loop(cg, bounds[0], bounds[1], false, false, parallel_body, &b);
  tn_cg_func_end(cg, outer, back);
  return fn;
}

static LLVMValueRef make_piece(tn_cg *cg, const captures *c, LLVMValueRef body) {
  tn_cg_func *outer = cg->cur;
  LLVMBasicBlockRef back = tn_cg_here(cg);
  tn_cg_func func;
  LLVMTypeRef params[] = {cg->ptr, cg->i64, cg->i64, cg->ptr};
  LLVMValueRef fn = LLVMAddFunction(cg->mod, "tn.piece", LLVMFunctionType(cg->i32, params, 4, 0));
  LLVMSetLinkage(fn, LLVMInternalLinkage);
  tn_cg_func_init(cg, &func, fn);
  unsigned n = (unsigned)c->vars.len;
  LLVMValueRef *args = calloc(n + 4, sizeof *args);
  TN_CHECK(args != NULL, "no memory");
  for (unsigned i = 0; i < 3; ++i) {
    args[i] = LLVMGetParam(fn, i);
  }
  LLVMValueRef closure = LLVMGetParam(fn, 3);
  for (unsigned i = 0; i <= n; ++i) {
    LLVMValueRef at = LLVMBuildStructGEP2(cg->builder, c->type, closure, i, "");
    LLVMValueRef value = LLVMBuildLoad2(cg->builder, LLVMStructGetTypeAtIndex(c->type, i), at, "");
    args[i + 3] = value;
  }
  LLVMBuildRet(cg->builder, tn_cg_func_call(cg, body, args, n + 4));
  free(args);
  tn_cg_at(cg, tn_cg_block(cg, "end")); /* func_end adds its own return */
  tn_cg_func_end(cg, outer, back);
  return fn;
}

/* ---- outside ---- */

void tn_cg_parallel(tn_cg *cg, const tn_node *loop) {
  captures c = {.cg = cg};
  LLVMValueRef min = tn_cg_index(cg, loop->in[TN_FOR_MIN]);
  LLVMValueRef extent = tn_cg_index(cg, loop->in[TN_FOR_EXTENT]);
  tn_walk_once(cg->module->ir, loop->in[TN_FOR_BODY], capture, &c);
  if (tn_map_find(&cg->cur->vars, cg->depth->id, NULL)) { /* what it calls asks for it */
    TN_VEC_PUSH(&c.vars, cg->depth);
  }
  make_type(cg, &c);
  char part[32];
  (void)snprintf(part, sizeof part, "parallel%d", cg->n_outlined++);
  LLVMValueRef body = make_body(cg, &c, loop, part);
  LLVMValueRef piece = make_piece(cg, &c, body);
  LLVMValueRef closure = tn_cg_stack(cg, c.type, 1, 64, "closure");
  for (size_t i = 0; i <= c.vars.len; ++i) {
    LLVMValueRef value = i == 0 ? min : tn_cg_expr(cg, c.vars.data[i - 1]);
    LLVMBuildStore(cg->builder, value,
                   LLVMBuildStructGEP2(cg->builder, c.type, closure, (unsigned)i, ""));
  }
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->ptr, cg->i64};
  LLVMTypeRef type = LLVMFunctionType(cg->i32, params, 4, 0);
  LLVMValueRef args[] = {cg->cur->env, piece, closure, extent};
  tn_cg_leave_if_failed(cg, tn_cg_call_env(cg, offsetof(tn_env, parallel_for), type, args, 4));
  TN_VEC_DEINIT(&c.vars);
}
