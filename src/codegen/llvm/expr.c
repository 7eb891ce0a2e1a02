/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* One expression: dispatch over the kinds, lazy evaluation, and the memo. Expressions are graphs
 * with shared nodes, so each node is emitted once per statement; what a lazy arm computed is
 * forgotten behind it (it does not dominate the rest), and an impure call forgets everything (a
 * load below may now give another value). */
#include "codegen/llvm/cg.h"

/* Keys of the memo above node ids: the 64-bit form of an index expression. */
static const uint64_t MEMO_WIDE = UINT64_C(1) << 32;

/* ---- blocks ---- */

LLVMBasicBlockRef tn_cg_block(tn_cg *cg, const char *name) {
  return LLVMAppendBasicBlockInContext(cg->ctx, cg->cur->fn, name);
}

void tn_cg_at(tn_cg *cg, LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(cg->builder, block); }

LLVMBasicBlockRef tn_cg_here(tn_cg *cg) { return LLVMGetInsertBlock(cg->builder); }

/* ---- memo ---- */

void tn_cg_memo_clear(tn_cg *cg) {
  tn_map_clear(&cg->cur->memo);
  cg->cur->memo_keys.len = 0;
}

size_t tn_cg_memo_mark(const tn_cg *cg) { return cg->cur->memo_keys.len; }

void tn_cg_memo_forget(tn_cg *cg, size_t mark) {
  while (cg->cur->memo_keys.len > mark) {
    tn_map_remove(&cg->cur->memo, TN_VEC_POP(&cg->cur->memo_keys));
  }
}

static LLVMValueRef memo_find(tn_cg *cg, uint64_t key) {
  uint64_t value = 0;
  return tn_map_find(&cg->cur->memo, key, &value) ? (LLVMValueRef)(uintptr_t)value : NULL;
}

static void memo_set(tn_cg *cg, uint64_t key, LLVMValueRef value) {
  if (!tn_map_find(&cg->cur->memo, key, NULL)) {
    TN_VEC_PUSH(&cg->cur->memo_keys, key);
  }
  tn_map_set(&cg->cur->memo, key, (uint64_t)(uintptr_t)value);
}

/* ---- variables ---- */

void tn_cg_bind_var(tn_cg *cg, const tn_node *var, LLVMValueRef value) {
  tn_map_set(&cg->cur->vars, var->id, (uint64_t)(uintptr_t)value);
}

static LLVMValueRef var_value(tn_cg *cg, const tn_node *var) {
  uint64_t value = 0;
  if (tn_map_find(&cg->cur->vars, var->id, &value)) {
    return (LLVMValueRef)(uintptr_t)value;
  }
  tn_cg_fail(cg, TN_UNSUPPORTED, "variable '%s' has no value here", var->attr.text);
  return tn_cg_poison(cg, var->dtype);
}

/* ---- lazy evaluation ---- */

/* Nothing traps, so an arm without loads and calls may be computed ahead; worth it when it is
 * small. */
static bool is_cheap(const tn_node *n) {
  return (n->flags & (TN_NF_EFFECT | TN_NF_READS)) == 0 && n->depth <= 4 && !tn_is(n, TN_OP_INTRIN);
}

/* cond ? a : b with each arm in a block of its own; b_value: instead of an expression for b. */
static LLVMValueRef branch(tn_cg *cg, LLVMValueRef cond, const tn_node *a, const tn_node *b,
                           LLVMValueRef a_value, LLVMValueRef b_value) {
  LLVMBasicBlockRef then = tn_cg_block(cg, "then");
  LLVMBasicBlockRef other = tn_cg_block(cg, "else");
  LLVMBasicBlockRef join = tn_cg_block(cg, "join");
  LLVMBuildCondBr(cg->builder, cond, then, other);
  size_t mark = tn_cg_memo_mark(cg);
  tn_cg_at(cg, then);
  LLVMValueRef values[2] = {a_value != NULL ? a_value : tn_cg_expr(cg, a), NULL};
  LLVMBasicBlockRef blocks[2] = {tn_cg_here(cg), NULL};
  LLVMBuildBr(cg->builder, join);
  tn_cg_memo_forget(cg, mark);
  tn_cg_at(cg, other);
  values[1] = b_value != NULL ? b_value : tn_cg_expr(cg, b);
  blocks[1] = tn_cg_here(cg);
  LLVMBuildBr(cg->builder, join);
  tn_cg_memo_forget(cg, mark);
  tn_cg_at(cg, join);
  LLVMValueRef phi = LLVMBuildPhi(cg->builder, LLVMTypeOf(values[0]), "");
  LLVMAddIncoming(phi, values, blocks, 2);
  return phi;
}

/* An arm under a vector condition: its loads touch only the lanes that are chosen. */
static LLVMValueRef masked_arm(tn_cg *cg, const tn_node *arm, LLVMValueRef mask) {
  if ((arm->flags & TN_NF_EFFECT) != 0) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "an impure call that only some lanes evaluate");
  }
  LLVMValueRef outer = cg->cur->mask;
  size_t mark = tn_cg_memo_mark(cg);
  cg->cur->mask = outer == NULL || LLVMTypeOf(outer) != LLVMTypeOf(mask)
                      ? mask
                      : LLVMBuildAnd(cg->builder, outer, mask, "");
  LLVMValueRef value = tn_cg_expr(cg, arm);
  tn_cg_memo_forget(cg, mark);
  cg->cur->mask = outer;
  return value;
}

static LLVMValueRef and_or(tn_cg *cg, const tn_node *n) {
  bool is_and = tn_is(n, TN_OP_AND);
  const tn_node *right = n->in[TN_B];
  LLVMValueRef a = tn_cg_expr(cg, n->in[TN_A]);
  LLVMValueRef b = NULL;
  if (is_cheap(right)) {
    b = tn_cg_expr(cg, right);
  } else if (tn_dtype_lanes(n->dtype) > 1) {
    b = masked_arm(cg, right, is_and ? a : LLVMBuildNot(cg->builder, a, ""));
  } else {
    LLVMValueRef known = LLVMConstInt(cg->i1, is_and ? 0 : 1, 0);
    return is_and ? branch(cg, a, right, NULL, NULL, known)
                  : branch(cg, a, NULL, right, known, NULL);
  }
  return is_and ? LLVMBuildAnd(cg->builder, a, b, "") : LLVMBuildOr(cg->builder, a, b, "");
}

static LLVMValueRef if_then_else(tn_cg *cg, const tn_node *n) {
  const tn_node *a = n->in[TN_SELECT_A];
  const tn_node *b = n->in[TN_SELECT_B];
  LLVMValueRef cond = tn_cg_expr(cg, n->in[TN_SELECT_COND]);
  if (tn_dtype_lanes(n->in[TN_SELECT_COND]->dtype) > 1) {
    LLVMValueRef then = masked_arm(cg, a, cond);
    LLVMValueRef other = masked_arm(cg, b, LLVMBuildNot(cg->builder, cond, ""));
    return LLVMBuildSelect(cg->builder, cond, then, other, "");
  }
  if (is_cheap(a) && is_cheap(b)) {
    LLVMValueRef then = tn_cg_expr(cg, a);
    return LLVMBuildSelect(cg->builder, cond, then, tn_cg_expr(cg, b), "");
  }
  return branch(cg, cond, a, b, NULL, NULL);
}

static LLVMValueRef select_value(tn_cg *cg, const tn_node *n) {
  LLVMValueRef cond = tn_cg_expr(cg, n->in[TN_SELECT_COND]);
  LLVMValueRef a = tn_cg_expr(cg, n->in[TN_SELECT_A]);
  LLVMValueRef b = tn_cg_expr(cg, n->in[TN_SELECT_B]);
  return LLVMBuildSelect(cg->builder, cond, a, b, "");
}

/* ---- dispatch ---- */

static LLVMValueRef let_value(tn_cg *cg, const tn_node *n) {
  const tn_node *var = n->in[TN_LET_VAR];
  LLVMValueRef value = tn_cg_expr(cg, n->in[TN_LET_VALUE]);
  tn_cg_range_set(cg, var, tn_cg_range_of(cg, n->in[TN_LET_VALUE]));
  tn_cg_bind_var(cg, var, value);
  return tn_cg_expr(cg, n->in[TN_LET_BODY]);
}

static LLVMValueRef ramp_value(tn_cg *cg, const tn_node *n) {
  LLVMValueRef base = tn_cg_expr(cg, n->in[TN_RAMP_BASE]);
  LLVMValueRef stride = tn_cg_expr(cg, n->in[TN_RAMP_STRIDE]);
  return tn_cg_ramp(cg, base, stride, tn_dtype_lanes(n->dtype), false);
}

static LLVMValueRef unsupported(tn_cg *cg, const tn_node *n) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  tn_cg_fail(cg, TN_UNSUPPORTED, "no code for a node of kind %s as a value", info->name);
  return tn_cg_poison(cg, n->dtype == TN_DT_NONE ? TN_DT_I32 : n->dtype);
}

static LLVMValueRef emit(tn_cg *cg, const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_INT:
      return tn_cg_int(cg, n->dtype, n->attr.i64);
    case TN_OP_FLOAT:
      return tn_cg_float(cg, n->dtype, n->attr.f64);
    case TN_OP_STR:
      return tn_cg_text(cg, n->attr.text);
    case TN_OP_VAR:
      return var_value(cg, n);
    case TN_OP_AND:
    case TN_OP_OR:
      return and_or(cg, n);
    case TN_OP_NOT:
    case TN_OP_NEG:
    case TN_OP_BNOT:
      return tn_cg_unary(cg, n, tn_cg_expr(cg, n->in[TN_A]));
    case TN_OP_CAST:
      return tn_cg_cast(cg, tn_cg_expr(cg, n->in[0]), n->in[0]->dtype, n->dtype);
    case TN_OP_REINTERPRET:
      return tn_cg_reinterpret(cg, tn_cg_expr(cg, n->in[0]), n->in[0]->dtype, n->dtype);
    case TN_OP_SELECT:
      return select_value(cg, n);
    case TN_OP_IF_THEN_ELSE:
      return if_then_else(cg, n);
    case TN_OP_RAMP:
      return ramp_value(cg, n);
    case TN_OP_BROADCAST:
      return tn_cg_splat(cg, tn_cg_expr(cg, n->in[0]), tn_dtype_lanes(n->dtype));
    case TN_OP_SHUFFLE:
      return tn_cg_shuffle(cg, n);
    case TN_OP_LET:
      return let_value(cg, n);
    case TN_OP_LOAD:
      return tn_cg_load(cg, n);
    case TN_OP_INTRIN:
      return tn_cg_intrin(cg, n);
    case TN_OP_INVOKE:
      return tn_cg_invoke(cg, n);
    default:
      break;
  }
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  bool is_binary = info->cls == TN_CLASS_EXPR && info->n_in == 2 && !info->is_variadic &&
                   n->op >= TN_OP_ADD && n->op <= TN_OP_SHR;
  if (!is_binary) {
    return unsupported(cg, n);
  }
  LLVMValueRef a = tn_cg_expr(cg, n->in[TN_A]);
  return tn_cg_binary(cg, n, a, tn_cg_expr(cg, n->in[TN_B]));
}

LLVMValueRef tn_cg_expr(tn_cg *cg, const tn_node *n) {
  LLVMValueRef value = memo_find(cg, n->id);
  if (value != NULL) {
    return value;
  }
  value = emit(cg, n);
  if (!tn_is(n, TN_OP_VAR)) {
    memo_set(cg, n->id, value);
  }
  return value;
}

/* ---- indices ---- */

static LLVMValueRef widen(tn_cg *cg, const tn_node *n) {
  LLVMValueRef value = tn_cg_expr(cg, n);
  LLVMTypeRef wide = tn_cg_lanes_of(cg->i64, tn_dtype_lanes(n->dtype));
  if (tn_dtype_bits(n->dtype) == 64) {
    return value;
  }
  return tn_dtype_is_int(n->dtype) ? LLVMBuildSExt(cg->builder, value, wide, "")
                                   : LLVMBuildZExt(cg->builder, value, wide, "");
}

static LLVMValueRef wide_arith(tn_cg *cg, const tn_node *n) {
  LLVMValueRef a = tn_cg_index(cg, n->in[TN_A]);
  LLVMValueRef b = tn_cg_index(cg, n->in[TN_B]);
  LLVMValueRef out = tn_is(n, TN_OP_ADD)   ? LLVMBuildAdd(cg->builder, a, b, "")
                     : tn_is(n, TN_OP_SUB) ? LLVMBuildSub(cg->builder, a, b, "")
                                           : LLVMBuildMul(cg->builder, a, b, "");
  if (LLVMIsAInstruction(out) != NULL) {
    LLVMSetNSW(out, 1);
  }
  return out;
}

static LLVMValueRef index_value(tn_cg *cg, const tn_node *n) {
  uint64_t value = 0;
  if (tn_is(n, TN_OP_VAR) && tn_map_find(&cg->cur->wide_vars, n->id, &value)) {
    return (LLVMValueRef)(uintptr_t)value;
  }
  bool is_arith = tn_is(n, TN_OP_ADD) || tn_is(n, TN_OP_SUB) || tn_is(n, TN_OP_MUL);
  bool is_ramp = tn_is(n, TN_OP_RAMP);
  if (!(is_arith || is_ramp) || !tn_cg_cannot_wrap(cg, n)) {
    return widen(cg, n);
  }
  if (is_arith) {
    return wide_arith(cg, n);
  }
  LLVMValueRef base = tn_cg_index(cg, n->in[TN_RAMP_BASE]);
  LLVMValueRef stride = tn_cg_index(cg, n->in[TN_RAMP_STRIDE]);
  return tn_cg_ramp(cg, base, stride, tn_dtype_lanes(n->dtype), true);
}

LLVMValueRef tn_cg_index(tn_cg *cg, const tn_node *n) {
  LLVMValueRef value = memo_find(cg, n->id + MEMO_WIDE);
  if (value != NULL) {
    return value;
  }
  value = index_value(cg, n);
  if (!tn_is(n, TN_OP_VAR)) {
    memo_set(cg, n->id + MEMO_WIDE, value);
  }
  return value;
}
