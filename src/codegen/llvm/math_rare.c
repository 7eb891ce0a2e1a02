/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What of our own mathematics is not straight-line code (tir/math/vocab.h: RARE, EACH, REPEAT,
 * TABLE64): parts that few numbers need, and loops whose length the data decides. They are
 * functions of one lane, out of line, called for each lane that needs them.
 *
 * A loop of scalar code is to be vectorised around RARE all the same. So its call names, for LLVM,
 * vector functions that take a mask: NAME.v8 returns at once when no lane is set, and is inlined
 * after LLVM has vectorised (tn_cg_run_passes), so that what remains in the loop is a test and a
 * jump. */
#include <stdio.h>

#include "codegen/llvm/math_vocab.h"

#include "base/check.h"

LLVMValueRef tn_mv_function(tn_cg *cg, const char *symbol, LLVMTypeRef type) {
  LLVMValueRef fn = LLVMAddFunction(cg->mod, symbol, type);
  LLVMSetLinkage(fn, LLVMInternalLinkage);
  tn_cg_set_attrs(cg, fn);
  tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "willreturn", 0);
  tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "memory", 0); /* none */
  return fn;
}

LLVMBuilderRef tn_mv_enter(tn_cg *cg, LLVMValueRef fn) {
  LLVMBuilderRef outer = cg->builder;
  cg->builder = LLVMCreateBuilderInContext(cg->ctx);
  LLVMPositionBuilderAtEnd(cg->builder, LLVMAppendBasicBlockInContext(cg->ctx, fn, "first"));
  return outer;
}

void tn_mv_leave(tn_cg *cg, LLVMBuilderRef outer) {
  LLVMDisposeBuilder(cg->builder);
  cg->builder = outer;
}

/* A block of the function that the builder stands in. */
static LLVMBasicBlockRef new_block(const tn_cg *cg, const char *name) {
  LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInsertBlock(cg->builder));
  return LLVMAppendBasicBlockInContext(cg->ctx, fn, name);
}

static LLVMValueRef phi_of_two(const tn_cg *cg, LLVMValueRef a, LLVMBasicBlockRef from_a,
                               LLVMValueRef b, LLVMBasicBlockRef from_b) {
  LLVMValueRef phi = LLVMBuildPhi(cg->builder, LLVMTypeOf(a), "");
  LLVMAddIncoming(phi, (LLVMValueRef[]){a, b}, (LLVMBasicBlockRef[]){from_a, from_b}, 2);
  return phi;
}

/* ---- functions of one lane, out of line ---- */

typedef struct lane_fn {
  const char *name;
  tn_mv_fn1 one;
  tn_mv_fn2 two;
} lane_fn;

/* elem: the type of its parameters and its result. */
static LLVMValueRef lane_function(CX, const lane_fn *f, LLVMTypeRef elem, LLVMTypeRef *out_type) {
  tn_cg *cg = cx->cg;
  *out_type = LLVMFunctionType(elem, (LLVMTypeRef[]){elem, elem}, f->one != NULL ? 1 : 2, 0);
  LLVMValueRef fn = LLVMGetNamedFunction(cg->mod, f->name);
  if (fn != NULL) {
    return fn;
  }
  fn = tn_mv_function(cg, f->name, *out_type);
  tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "noinline", 0);
  LLVMBuilderRef outer = tn_mv_enter(cg, fn);
  tn_cg_math_cx inner = {.cg = cg, .builder = cg->builder, .lanes = 1, .is_fused = cx->is_fused};
  LLVMValueRef x = LLVMGetParam(fn, 0);
  LLVMBuildRet(cg->builder,
               f->one != NULL ? f->one(&inner, x) : f->two(&inner, x, LLVMGetParam(fn, 1)));
  tn_mv_leave(cg, outer);
  return fn;
}

LLVMValueRef tn_mv_each(CX, tn_mv_fn2 emit, const char *name, LLVMValueRef x, LLVMValueRef y) {
  lane_fn f = {.name = name, .two = emit};
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMTypeRef fn_type = NULL;
  LLVMValueRef fn =
      lane_function(cx, &f, cx->lanes > 1 ? LLVMGetElementType(type) : type, &fn_type);
  LLVMValueRef out = cx->lanes > 1 ? LLVMGetPoison(type) : NULL;
  for (uint32_t lane = 0; lane < cx->lanes; ++lane) {
    LLVMValueRef args[] = {tn_cg_lane(cx->cg, x, lane), tn_cg_lane(cx->cg, y, lane)};
    LLVMValueRef value = LLVMBuildCall2(cx->builder, fn_type, fn, args, 2, "");
    out = cx->lanes > 1 ? tn_cg_set_lane(cx->cg, out, value, lane) : value;
  }
  return out;
}

/* ---- RARE ---- */

/* for each lane of the mask: out[lane] = f(x[lane]) */
static void fill_masked_loop(CX, const lane_fn *f, LLVMValueRef fn, uint32_t lanes) {
  tn_cg *cg = cx->cg;
  LLVMValueRef x = LLVMGetParam(fn, 0);
  LLVMTypeRef one_type = NULL;
  LLVMValueRef one = lane_function(cx, f, LLVMGetElementType(LLVMTypeOf(x)), &one_type);
  LLVMBuilderRef outer = tn_mv_enter(cg, fn);
  LLVMValueRef out = LLVMConstNull(LLVMTypeOf(x));
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(cg->builder);
    LLVMBasicBlockRef set = new_block(cg, "set");
    LLVMBasicBlockRef next = new_block(cg, "next");
    LLVMBuildCondBr(cg->builder, tn_cg_lane(cg, LLVMGetParam(fn, 1), lane), set, next);
    LLVMPositionBuilderAtEnd(cg->builder, set);
    LLVMValueRef arg = tn_cg_lane(cg, x, lane);
    LLVMValueRef value = LLVMBuildCall2(cg->builder, one_type, one, &arg, 1, "");
    LLVMValueRef with = tn_cg_set_lane(cg, out, value, lane);
    LLVMBuildBr(cg->builder, next);
    LLVMPositionBuilderAtEnd(cg->builder, next);
    out = phi_of_two(cg, out, before, with, set);
  }
  LLVMBuildRet(cg->builder, out);
  tn_mv_leave(cg, outer);
}

/* Tests the mask, then calls the loop. */
static void fill_masked_test(tn_cg *cg, LLVMValueRef fn, LLVMValueRef loop, LLVMTypeRef type,
                             uint32_t lanes) {
  LLVMBuilderRef outer = tn_mv_enter(cg, fn);
  LLVMValueRef args[] = {LLVMGetParam(fn, 0), LLVMGetParam(fn, 1)};
  LLVMBasicBlockRef before = LLVMGetInsertBlock(cg->builder);
  LLVMBasicBlockRef some = new_block(cg, "some");
  LLVMBasicBlockRef done = new_block(cg, "done");
  LLVMBuildCondBr(cg->builder, tn_cg_any(cg, args[1], lanes), some, done);
  LLVMPositionBuilderAtEnd(cg->builder, some);
  LLVMValueRef value = LLVMBuildCall2(cg->builder, type, loop, args, 2, "");
  LLVMBuildBr(cg->builder, done);
  LLVMPositionBuilderAtEnd(cg->builder, done);
  LLVMBuildRet(cg->builder,
               phi_of_two(cg, LLVMConstNull(LLVMTypeOf(args[0])), before, value, some));
  tn_mv_leave(cg, outer);
}

/* The function of `lanes` numbers and a mask. is_late: for LLVM's vectoriser, inlined after it. */
static LLVMValueRef masked_function(CX, const lane_fn *f, LLVMTypeRef elem, uint32_t lanes,
                                    bool is_late, LLVMTypeRef *out_type) {
  tn_cg *cg = cx->cg;
  char symbol[80];
  LLVMTypeRef vector = tn_cg_lanes_of(elem, lanes);
  LLVMTypeRef params[] = {vector, tn_cg_lanes_of(cg->i1, lanes)};
  *out_type = LLVMFunctionType(vector, params, 2, 0);
  (void)snprintf(symbol, sizeof symbol, "%s.%s%u", f->name, is_late ? "v" : "m", lanes);
  LLVMValueRef fn = LLVMGetNamedFunction(cg->mod, symbol);
  if (fn != NULL) {
    return fn;
  }
  fn = tn_mv_function(cg, symbol, *out_type);
  if (is_late) {
    tn_cg_text_attr(cg, fn, TN_CG_LATE, "");
  } else if (cg->opts->opt_level >= 2) {
    tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "alwaysinline", 0);
  }
  (void)snprintf(symbol, sizeof symbol, "%s.loop%u", f->name, lanes);
  LLVMValueRef loop = LLVMGetNamedFunction(cg->mod, symbol);
  if (loop == NULL) {
    loop = tn_mv_function(cg, symbol, *out_type);
    tn_cg_add_attr(cg, loop, TN_LLVM_FUNCTION, "noinline", 0);
    tn_cg_add_attr(cg, loop, TN_LLVM_FUNCTION, "cold", 0);
    fill_masked_loop(cx, f, loop, lanes);
  }
  fill_masked_test(cg, fn, loop, *out_type, lanes);
  return fn;
}

/* Tells LLVM's vectoriser what a call in a vectorised loop becomes: as many lanes as float32 or
 * float64 fill a register with, the loop may hold either. */
static void name_vector_functions(CX, const lane_fn *f, LLVMTypeRef elem, LLVMValueRef call) {
  tn_cg *cg = cx->cg;
  char text[256];
  uint32_t few = (uint32_t)cg->target->vector_bytes / 8;
  LLVMTypeRef type = NULL;
  (void)masked_function(cx, f, elem, few, true, &type);
  (void)masked_function(cx, f, elem, 2 * few, true, &type);
  int len = snprintf(text, sizeof text, "_ZGV_LLVM_M%uv_%s(%s.v%u),_ZGV_LLVM_M%uv_%s(%s.v%u)", few,
                     f->name, f->name, few, 2 * few, f->name, f->name, 2 * few);
  TN_CHECK(len > 0 && (size_t)len < sizeof text, "the name '%s' is too long", f->name);
  static const char kind[] = "vector-function-abi-variant";
  LLVMAttributeRef attr =
      LLVMCreateStringAttribute(cg->ctx, kind, sizeof kind - 1, text, (unsigned)len);
  LLVMAddCallSiteAttribute(call, TN_LLVM_FUNCTION, attr);
}

LLVMValueRef tn_mv_rare(CX, LLVMValueRef mask, tn_mv_fn1 emit, const char *name, LLVMValueRef x,
                        LLVMValueRef value) {
  tn_cg *cg = cx->cg;
  lane_fn f = {.name = name, .one = emit};
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMTypeRef fn_type = NULL;
  if (cx->lanes > 1) {
    LLVMValueRef fn = masked_function(cx, &f, LLVMGetElementType(type), cx->lanes, false, &fn_type);
    LLVMValueRef args[] = {x, mask};
    LLVMValueRef slow = LLVMBuildCall2(cx->builder, fn_type, fn, args, 2, "");
    return LLVMBuildSelect(cx->builder, mask, slow, value, "");
  }
  LLVMValueRef fn = lane_function(cx, &f, type, &fn_type);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(cx->builder);
  LLVMBasicBlockRef rare = new_block(cg, "rare");
  LLVMBasicBlockRef done = new_block(cg, "done");
  LLVMBuildCondBr(cx->builder, mask, rare, done);
  LLVMPositionBuilderAtEnd(cx->builder, rare);
  LLVMValueRef slow = LLVMBuildCall2(cx->builder, fn_type, fn, &x, 1, "");
  if (cg->opts->opt_level >= 2 && cg->target->vector_bytes >= 16) {
    name_vector_functions(cx, &f, type, slow);
  }
  LLVMBuildBr(cx->builder, done);
  LLVMPositionBuilderAtEnd(cx->builder, done);
  return phi_of_two(cg, value, before, slow, rare);
}

/* ---- REPEAT, TABLE64: one lane ---- */

LLVMValueRef tn_mv_repeat(CX, LLVMValueRef n, tn_mv_fn2 step, LLVMValueRef x, LLVMValueRef y) {
  TN_CHECK(cx->lanes == 1, "REPEAT stands in functions of one lane");
  LLVMBuilderRef b = cx->builder;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
  LLVMBasicBlockRef test = new_block(cx->cg, "test");
  LLVMBasicBlockRef again = new_block(cx->cg, "again");
  LLVMBasicBlockRef done = new_block(cx->cg, "done");
  LLVMBuildBr(b, test);
  LLVMPositionBuilderAtEnd(b, test);
  LLVMValueRef left = LLVMBuildPhi(b, LLVMTypeOf(n), "");
  LLVMValueRef now = LLVMBuildPhi(b, LLVMTypeOf(x), "");
  LLVMBuildCondBr(b, IEQ(left, CI64(0)), done, again);
  LLVMPositionBuilderAtEnd(b, again);
  LLVMValueRef after[] = {ISUB(left, CI64(1)), step(cx, now, y)};
  LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(b)};
  LLVMBuildBr(b, test);
  LLVMAddIncoming(left, (LLVMValueRef[]){n, after[0]}, from, 2);
  LLVMAddIncoming(now, (LLVMValueRef[]){x, after[1]}, from, 2);
  LLVMPositionBuilderAtEnd(b, done);
  return now;
}

enum { MAX_TABLE = 64 };

LLVMValueRef tn_mv_table64(CX, const uint64_t *table, uint32_t n, const char *name,
                           LLVMValueRef index) {
  tn_cg *cg = cx->cg;
  TN_CHECK(cx->lanes == 1 && n <= MAX_TABLE, "TABLE64 stands in functions of one lane");
  LLVMTypeRef type = LLVMArrayType2(cg->i64, n);
  LLVMValueRef global = LLVMGetNamedGlobal(cg->mod, name);
  if (global == NULL) {
    LLVMValueRef values[MAX_TABLE];
    for (uint32_t i = 0; i < n; ++i) {
      values[i] = LLVMConstInt(cg->i64, table[i], 0);
    }
    global = LLVMAddGlobal(cg->mod, type, name);
    LLVMSetInitializer(global, LLVMConstArray2(cg->i64, values, n));
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMInternalLinkage);
  }
  LLVMValueRef at[] = {CI64(0), index};
  LLVMValueRef address = LLVMBuildInBoundsGEP2(cx->builder, type, global, at, 2, "");
  return LLVMBuildLoad2(cx->builder, cg->i64, address, "");
}
