/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statements, scratch memory and the ways out of a function. Small scratch memory of constant size
 * lies on the stack, where LLVM may turn it into registers; the rest is asked of the host and given
 * back at the end of its sequence and on every way out, in reverse order. */
#include "codegen/llvm/cg.h"

#include <stddef.h>
#include <string.h>

#include "abi/kernel.h"

enum {
  MAX_LOCAL_BYTES = 64 * 1024, /* scope "local": what lower/lower.h promises */
  MAX_GLOBAL_BYTES = 4 * 1024, /* other scopes */
  MAX_STACK_BYTES = 256 * 1024 /* all of one function */
};

/* ---- the host's services ---- */

LLVMValueRef tn_cg_call_env(tn_cg *cg, size_t byte_offset, LLVMTypeRef type, LLVMValueRef *args,
                            unsigned n) {
  LLVMValueRef fn = tn_cg_field(cg, cg->ptr, cg->cur->env, byte_offset);
  return LLVMBuildCall2(cg->builder, type, fn, args, n, "");
}

LLVMValueRef tn_cg_call_fail(tn_cg *cg, LLVMValueRef code, LLVMValueRef text, LLVMValueRef expected,
                             LLVMValueRef got) {
  LLVMTypeRef params[] = {cg->ptr, cg->i32, cg->ptr, cg->i64, cg->i64};
  LLVMTypeRef type = LLVMFunctionType(cg->i32, params, 5, 0);
  LLVMValueRef args[] = {cg->cur->env, code, text, expected, got};
  return tn_cg_call_env(cg, offsetof(tn_env, fail), type, args, 5);
}

/* ---- scratch memory and exits ---- */

static void free_one(tn_cg *cg, LLVMValueRef ptr) {
  LLVMTypeRef params[] = {cg->ptr, cg->ptr};
  LLVMTypeRef type = LLVMFunctionType(cg->void_, params, 2, 0);
  LLVMValueRef args[] = {cg->cur->env, ptr};
  tn_cg_call_env(cg, offsetof(tn_env, workspace_free), type, args, 2);
}

static void free_scratch(tn_cg *cg, size_t from) {
  for (size_t i = cg->cur->scratch.len; i-- > from;) {
    free_one(cg, cg->cur->scratch.data[i].ptr);
  }
}

/* The block that gives back all scratch memory held now and returns exit_code. */
static LLVMBasicBlockRef way_out(tn_cg *cg) {
  tn_cg_func *cur = cg->cur;
  LLVMBasicBlockRef here = tn_cg_here(cg);
  size_t i = cur->scratch.len;
  while (i > 0 && cur->scratch.data[i - 1].way_out == NULL) {
    --i;
  }
  for (; i < cur->scratch.len; ++i) {
    LLVMBasicBlockRef out = tn_cg_block(cg, "give_back");
    tn_cg_at(cg, out);
    free_one(cg, cur->scratch.data[i].ptr);
    if (i > 0) {
      LLVMBuildBr(cg->builder, cur->scratch.data[i - 1].way_out);
    } else {
      LLVMBuildRet(cg->builder, LLVMBuildLoad2(cg->builder, cg->i32, cur->exit_code, ""));
    }
    cur->scratch.data[i].way_out = out;
  }
  tn_cg_at(cg, here);
  return TN_VEC_LAST(&cur->scratch).way_out;
}

/* All that return while some memory is held share the blocks that give it back: with blocks of
 * their own, n pieces of memory whose making may fail would take n * n calls. */
static void give_back_and_return(tn_cg *cg, LLVMValueRef code) {
  tn_cg_func *cur = cg->cur;
  if (cur->scratch.len == 0) {
    LLVMBuildRet(cg->builder, code);
    return;
  }
  if (cur->exit_code == NULL) {
    cur->exit_code = tn_cg_stack(cg, cg->i32, 1, (unsigned)sizeof(int32_t), "exit_code");
  }
  LLVMBuildStore(cg->builder, code, cur->exit_code);
  LLVMBuildBr(cg->builder, way_out(cg));
}

void tn_cg_leave(tn_cg *cg, LLVMValueRef code) {
  give_back_and_return(cg, code);
  tn_cg_at(cg,
           tn_cg_block(
               cg, "dead")); /* what follows in the source is still emitted, and removed by LLVM */
  tn_cg_memo_clear(cg);
}

void tn_cg_leave_loop(tn_cg *cg, LLVMBasicBlockRef target) {
  free_scratch(cg, cg->cur->loop->n_scratch);
  LLVMBuildBr(cg->builder, target);
  tn_cg_at(cg, tn_cg_block(cg, "dead"));
  tn_cg_memo_clear(cg);
}

void tn_cg_leave_if_failed(tn_cg *cg, LLVMValueRef code) {
  LLVMBasicBlockRef failed = tn_cg_block(cg, "failed");
  LLVMBasicBlockRef ok = tn_cg_block(cg, "ok");
  LLVMValueRef is_ok = LLVMBuildICmp(cg->builder, LLVMIntEQ, code, tn_cg_i32(cg, 0), "");
  LLVMBuildCondBr(cg->builder, is_ok, ok, failed);
  tn_cg_at(cg, failed);
  give_back_and_return(cg, code);
  tn_cg_at(cg, ok);
}

/* The bytes of an allocation when they are constant; -1 when not; -2 when no machine has so many.
 */
static int64_t constant_bytes(const tn_node *alloc) {
  const tn_node *extents = alloc->in[TN_ALLOC_EXTENTS];
  int64_t n_bytes = (int64_t)tn_dtype_bytes(alloc->dtype);
  bool is_over = false;
  for (uint32_t i = 0; i < extents->n_in; ++i) {
    if (!tn_is(extents->in[i], TN_OP_INT)) {
      return -1;
    }
    int64_t extent = extents->in[i]->attr.i64;
    is_over = __builtin_mul_overflow(n_bytes, extent < 0 ? 0 : extent, &n_bytes) || is_over;
  }
  return is_over || n_bytes > (INT64_C(1) << 47) ? -2 : n_bytes;
}

/* Product with a sticky overflow flag. */
static LLVMValueRef dynamic_bytes(tn_cg *cg, const tn_node *alloc, LLVMValueRef *out_is_over) {
  const tn_node *extents = alloc->in[TN_ALLOC_EXTENTS];
  LLVMValueRef n_bytes = tn_cg_i64(cg, (int64_t)tn_dtype_bytes(alloc->dtype));
  LLVMValueRef is_over = LLVMConstInt(cg->i1, 0, 0);
  LLVMValueRef zero = tn_cg_i64(cg, 0);
  for (uint32_t i = 0; i < extents->n_in; ++i) {
    LLVMValueRef extent = tn_cg_index(cg, extents->in[i]);
    LLVMValueRef is_negative = LLVMBuildICmp(cg->builder, LLVMIntSLT, extent, zero, "");
    LLVMValueRef args[] = {n_bytes, LLVMBuildSelect(cg->builder, is_negative, zero, extent, "")};
    LLVMValueRef both = tn_cg_llvm_intrin(cg, "llvm.smul.with.overflow", cg->i64, args, 2);
    n_bytes = LLVMBuildExtractValue(cg->builder, both, 0, "");
    LLVMValueRef now = LLVMBuildExtractValue(cg->builder, both, 1, "");
    is_over = LLVMBuildOr(cg->builder, is_over, now, "");
  }
  *out_is_over = is_over;
  return n_bytes;
}

static LLVMValueRef workspace(tn_cg *cg, const tn_node *alloc) {
  LLVMValueRef is_over = NULL;
  LLVMValueRef n_bytes = dynamic_bytes(cg, alloc, &is_over);
  LLVMValueRef most = tn_cg_i64(cg, INT64_MAX); /* no host has that */
  LLVMValueRef one = tn_cg_i64(cg, 1);
  LLVMValueRef is_none = LLVMBuildICmp(cg->builder, LLVMIntEQ, n_bytes, tn_cg_i64(cg, 0), "");
  n_bytes = LLVMBuildSelect(cg->builder, is_none, one, n_bytes, ""); /* NULL means failure only */
  n_bytes = LLVMBuildSelect(cg->builder, is_over, most, n_bytes, "");
  LLVMTypeRef params[] = {cg->ptr, cg->i64};
  LLVMTypeRef type = LLVMFunctionType(cg->ptr, params, 2, 0);
  LLVMValueRef args[] = {cg->cur->env, n_bytes};
  LLVMValueRef ptr = tn_cg_call_env(cg, offsetof(tn_env, workspace_alloc), type, args, 2);
  unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
  LLVMAddCallSiteAttribute(ptr, LLVMAttributeReturnIndex,
                           LLVMCreateEnumAttribute(cg->ctx, noalias, 0));
  LLVMBasicBlockRef failed = tn_cg_block(cg, "failed");
  LLVMBasicBlockRef ok = tn_cg_block(cg, "ok");
  LLVMBuildCondBr(cg->builder, LLVMBuildIsNull(cg->builder, ptr, ""), failed, ok);
  tn_cg_at(cg, failed);
  LLVMValueRef text = tn_cg_text(cg, alloc->in[TN_ALLOC_VAR]->attr.text);
  LLVMValueRef code =
      tn_cg_call_fail(cg, tn_cg_i32(cg, TN_KERR_WORKSPACE), text, tn_cg_i64(cg, 0), n_bytes);
  give_back_and_return(cg, code);
  tn_cg_at(cg, ok);
  TN_VEC_PUSH(&cg->cur->scratch, (tn_cg_scratch){.ptr = ptr});
  return ptr;
}

/* The condition of an allocation only ever says "not at all"; memory that nobody uses does no harm.
 */
static void allocate(tn_cg *cg, const tn_node *n) {
  const tn_node *var = n->in[TN_ALLOC_VAR];
  const tn_node *scope = n->in[TN_ALLOC_SCOPE];
  bool is_local = tn_is(scope, TN_OP_STR) && strcmp(scope->attr.text, "local") == 0;
  int64_t n_bytes = constant_bytes(n);
  int64_t limit = is_local ? MAX_LOCAL_BYTES : MAX_GLOBAL_BYTES;
  if (tn_map_find(&cg->recursive, cg->func->id, NULL)) {
    limit = -1; /* a thousand frames have to fit the stack */
  }
  tn_map_set(&cg->roots, var->id, TN_CG_ALIGN);
  if (n_bytes >= 0 && n_bytes <= limit && cg->cur->stack_bytes + n_bytes <= MAX_STACK_BYTES) {
    cg->cur->stack_bytes += n_bytes;
    LLVMTypeRef elem = tn_cg_mem_type(cg, tn_dtype_elem(n->dtype));
    uint64_t n_elems = (uint64_t)n_bytes / tn_dtype_bytes(tn_dtype_elem(n->dtype));
    tn_cg_bind_var(cg, var,
                   tn_cg_stack(cg, elem, n_elems == 0 ? 1 : n_elems, TN_CG_ALIGN, var->attr.text));
    return;
  }
  tn_cg_bind_var(cg, var, workspace(cg, n));
}

/* ---- statements ---- */

static void seq(tn_cg *cg, const tn_node *n) {
  size_t mark = cg->cur->scratch.len;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tn_cg_stmt(cg, n->in[i]);
  }
  free_scratch(cg, mark);
  cg->cur->scratch.len = mark;
}

static void bind(tn_cg *cg, const tn_node *n) {
  const tn_node *var = n->in[TN_BIND_VAR];
  LLVMValueRef value = tn_cg_expr(cg, n->in[TN_BIND_VALUE]);
  tn_cg_range_set(cg, var, tn_cg_range_of(cg, n->in[TN_BIND_VALUE]));
  tn_cg_bind_var(cg, var, value);
}

static void const_alloc(tn_cg *cg, const tn_node *n) {
  const tn_node *var = n->in[TN_CONST_ALLOC_VAR];
  tn_cg_bind_var(cg, var,
                 tn_cg_const_array(cg, n->in[TN_CONST_ALLOC_ARRAY]->attr.array, var->attr.text));
  tn_map_set(&cg->roots, var->id, TN_CG_ALIGN);
}

static void branch(tn_cg *cg, const tn_node *n) {
  bool has_else = !tn_is_none(n->in[TN_IF_ELSE]);
  LLVMValueRef cond = tn_cg_expr(cg, n->in[TN_IF_COND]);
  LLVMBasicBlockRef then = tn_cg_block(cg, "if");
  LLVMBasicBlockRef after = tn_cg_block(cg, "after");
  LLVMBasicBlockRef other = has_else ? tn_cg_block(cg, "else") : after;
  LLVMBuildCondBr(cg->builder, cond, then, other);
  tn_cg_at(cg, then);
  tn_cg_stmt(cg, n->in[TN_IF_THEN]);
  LLVMBuildBr(cg->builder, after);
  if (has_else) {
    tn_cg_at(cg, other);
    tn_cg_stmt(cg, n->in[TN_IF_ELSE]);
    LLVMBuildBr(cg->builder, after);
  }
  tn_cg_at(cg, after);
}

static void assertion(tn_cg *cg, const tn_node *n) {
  const tn_node *message = n->in[TN_ASSERT_MESSAGE];
  LLVMValueRef cond = tn_cg_expr(cg, n->in[TN_ASSERT_COND]);
  LLVMBasicBlockRef failed = tn_cg_block(cg, "failed");
  LLVMBasicBlockRef ok = tn_cg_block(cg, "ok");
  LLVMBuildCondBr(cg->builder, cond, ok, failed);
  tn_cg_at(cg, failed);
  LLVMValueRef text = tn_cg_text(cg, tn_is(message, TN_OP_STR) ? message->attr.text : "assertion");
  LLVMValueRef zero = tn_cg_i64(cg, 0);
  LLVMValueRef code = tn_cg_call_fail(cg, tn_cg_i32(cg, TN_KERR_ASSERT), text, zero, zero);
  give_back_and_return(cg, code);
  tn_cg_at(cg, ok);
}

/* The result goes to the last tn_arg (codegen.h). */
static void return_value(tn_cg *cg, const tn_node *n) {
  const tn_node *value = n->in[0];
  if (cg->cur->is_parallel_body) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "a return inside a parallel loop");
    return;
  }
  if (!tn_is_none(value) && cg->cur->ret_slot != NULL) {
    bool is_float = tn_dtype_is_float(value->dtype);
    LLVMValueRef wide =
        tn_cg_cast(cg, tn_cg_expr(cg, value), value->dtype, is_float ? TN_DT_F64 : TN_DT_I64);
    LLVMValueRef kind = tn_cg_i64(cg, is_float ? TN_ARG_FLOAT : TN_ARG_INT);
    LLVMBuildStore(cg->builder, kind, cg->cur->ret_slot);
    LLVMBuildStore(cg->builder, wide,
                   tn_cg_offset(cg, cg->cur->ret_slot, tn_cg_i64(cg, 1), TN_DT_I64));
  } else if (!tn_is_none(value)) {
    (void)tn_cg_expr(cg, value);
  }
  tn_cg_leave(cg, tn_cg_i32(cg, 0));
}

static void attr(tn_cg *cg, const tn_node *n) {
  if (strcmp(n->attr.text, "thread_extent") == 0 || strcmp(n->attr.text, "virtual_thread") == 0) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "attribute \"%s\": target '%s' has no GPU threads", n->attr.text,
               cg->target->name);
  }
  tn_cg_stmt(cg, n->in[TN_ATTR_BODY]);
}

static void refuse(tn_cg *cg, const tn_node *n) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  if (tn_is(n, TN_OP_LAUNCH)) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "T.launch_thread: target '%s' has no GPU threads",
               cg->target->name);
  } else {
    tn_cg_fail(cg, TN_INTERNAL, "a statement of kind %s in lowered code", info->name);
  }
}

void tn_cg_stmt(tn_cg *cg, const tn_node *n) {
  tn_cg_memo_clear(cg);
  switch ((int)n->op) {
    case TN_OP_SEQ:
      seq(cg, n);
      break;
    case TN_OP_STORE:
      tn_cg_store(cg, n);
      break;
    case TN_OP_EVAL:
      (void)tn_cg_expr(cg, n->in[0]);
      break;
    case TN_OP_BIND:
      bind(cg, n);
      break;
    case TN_OP_ALLOC:
      allocate(cg, n);
      break;
    case TN_OP_CONST_ALLOC:
      const_alloc(cg, n);
      break;
    case TN_OP_DECL: /* accesses name the memory through the buffer's data */
      break;
    case TN_OP_FOR:
      tn_cg_for(cg, n);
      break;
    case TN_OP_WHILE:
      tn_cg_while(cg, n);
      break;
    case TN_OP_IF:
      branch(cg, n);
      break;
    case TN_OP_ATTR:
      attr(cg, n);
      break;
    case TN_OP_ASSERT:
      assertion(cg, n);
      break;
    case TN_OP_BREAK:
      tn_cg_leave_loop(cg, cg->cur->loop->after);
      break;
    case TN_OP_CONTINUE:
      tn_cg_leave_loop(cg, cg->cur->loop->next);
      break;
    case TN_OP_RETURN:
      return_value(cg, n);
      break;
    default:
      refuse(cg, n);
      break;
  }
  tn_cg_memo_clear(cg);
}
