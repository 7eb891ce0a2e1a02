/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* LLVM's side of one emission: a context of its own (so that jobs run on any threads), the target
 * machine, the pass pipeline and what LLVM has to say when something is wrong. First and last file
 * that emit.c touches. */
#include "codegen/llvm/cg.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

/* LLVM's own registry of targets is process-wide; filling it twice at once is not safe. */
static pthread_once_t targets_once = PTHREAD_ONCE_INIT;

static void register_targets(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeRISCVTargetInfo();
  LLVMInitializeRISCVTarget();
  LLVMInitializeRISCVTargetMC();
  LLVMInitializeRISCVAsmPrinter();
}

void tn_cg_register_targets(void) { pthread_once(&targets_once, register_targets); }

void tn_cg_fail(tn_cg *cg, tn_code code, const char *fmt, ...) {
  if (cg->st != NULL) {
    return;
  }
  char text[512];
  va_list args;
  va_start(args, fmt);
  (void)vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  cg->st = cg->func_name == NULL ? TN_ERR(code, "%s", text)
                                 : TN_ERR(code, "code for '%s': %s", cg->func_name, text);
}

tn_status tn_cg_llvm_error(LLVMErrorRef error, const char *doing) {
  if (error == NULL) {
    return NULL;
  }
  char *text = LLVMGetErrorMessage(error);
  tn_status st = TN_ERR(TN_INTERNAL, "%s: %s", doing, text);
  LLVMDisposeErrorMessage(text);
  return st;
}

/* Without this LLVM prints errors itself and ends the process. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *ctx) {
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError) {
    char *text = LLVMGetDiagInfoDescription(info);
    tn_cg_fail(ctx, TN_INTERNAL, "LLVM: %s", text);
    LLVMDisposeMessage(text);
  }
}

static LLVMCodeGenOptLevel codegen_level(int32_t opt_level) {
  return opt_level <= 0   ? LLVMCodeGenLevelNone
         : opt_level == 1 ? LLVMCodeGenLevelLess
         : opt_level == 2 ? LLVMCodeGenLevelDefault
                          : LLVMCodeGenLevelAggressive;
}

static tn_status make_machine(tn_cg *cg) {
  LLVMTargetRef target = NULL;
  char *text = NULL;
  if (LLVMGetTargetFromTriple(cg->target->triple, &target, &text)) {
    tn_status st = TN_ERR(TN_UNSUPPORTED, "target '%s': %s", cg->target->name, text);
    LLVMDisposeMessage(text);
    return st;
  }
  LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
  LLVMTargetMachineOptionsSetCPU(options, cg->target->cpu);
  LLVMTargetMachineOptionsSetFeatures(options, cg->target->features);
  if (cg->target->abi != NULL) {
    LLVMTargetMachineOptionsSetABI(options, cg->target->abi);
  }
  LLVMTargetMachineOptionsSetCodeGenOptLevel(options, codegen_level(cg->opts->opt_level));
  LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
  cg->machine = LLVMCreateTargetMachineWithOptions(target, cg->target->triple, options);
  LLVMDisposeTargetMachineOptions(options);
  if (cg->machine == NULL) {
    return TN_ERR(TN_INTERNAL, "LLVM made no machine for target '%s'", cg->target->name);
  }
  /* What AArch64 selects instructions with at level 0; LLVM 19's takes minutes and gigabytes for
   * wide vectors of odd types. */
  LLVMSetTargetMachineGlobalISel(cg->machine, 0);
  return NULL;
}

tn_status tn_cg_init(tn_cg *cg, const tn_module *module, const tn_codegen_opts *opts) {
  memset(cg, 0, sizeof *cg);
  tn_cg_register_targets();
  cg->module = module;
  cg->opts = opts;
  cg->target = opts->target != NULL ? opts->target : tn_target_host();
  cg->is_contracting = opts->opt_level >= 2 && !opts->is_strict_math;
  cg->has_f16c = strstr(cg->target->required, "f16c") != NULL;
  cg->has_fma = strstr(cg->target->required, "fma") != NULL;
  TN_TRY(make_machine(cg));
  cg->ctx = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(cg->ctx, on_diagnostic, cg);
  cg->mod =
      LLVMModuleCreateWithNameInContext(module->name != NULL ? module->name : "tenon", cg->ctx);
  cg->builder = LLVMCreateBuilderInContext(cg->ctx);
  LLVMSetTarget(cg->mod, cg->target->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(cg->machine);
  LLVMSetModuleDataLayout(cg->mod, layout);
  LLVMDisposeTargetData(layout);
  cg->i1 = LLVMInt1TypeInContext(cg->ctx);
  cg->i8 = LLVMInt8TypeInContext(cg->ctx);
  cg->i16 = LLVMInt16TypeInContext(cg->ctx);
  cg->i32 = LLVMInt32TypeInContext(cg->ctx);
  cg->i64 = LLVMInt64TypeInContext(cg->ctx);
  cg->f32 = LLVMFloatTypeInContext(cg->ctx);
  cg->f64 = LLVMDoubleTypeInContext(cg->ctx);
  cg->ptr = LLVMPointerTypeInContext(cg->ctx, 0);
  cg->void_ = LLVMVoidTypeInContext(cg->ctx);
  return NULL;
}

void tn_cg_deinit(tn_cg *cg) {
  if (cg->builder != NULL) {
    LLVMDisposeBuilder(cg->builder);
  }
  if (cg->mod != NULL) {
    LLVMDisposeModule(cg->mod);
  }
  if (cg->ctx != NULL) {
    LLVMContextDispose(cg->ctx);
  }
  if (cg->machine != NULL) {
    LLVMDisposeTargetMachine(cg->machine);
  }
  tn_map_deinit(&cg->roots);
  tn_map_deinit(&cg->recursive);
  tn_map_deinit(&cg->ranges);
  TN_VEC_DEINIT(&cg->range_values);
  tn_status_free(cg->st);
}

/* ---- attributes ---- */

static LLVMAttributeRef attr_of(tn_cg *cg, const char *name, uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  TN_CHECK(kind != 0, "LLVM knows no attribute '%s'", name);
  return LLVMCreateEnumAttribute(cg->ctx, kind, value);
}

void tn_cg_add_attr(tn_cg *cg, LLVMValueRef fn, LLVMAttributeIndex where, const char *name,
                    uint64_t value) {
  LLVMAddAttributeAtIndex(fn, where, attr_of(cg, name, value));
}

void tn_cg_call_attr(tn_cg *cg, LLVMValueRef call, const char *name, uint64_t value) {
  LLVMAddCallSiteAttribute(call, TN_LLVM_FUNCTION, attr_of(cg, name, value));
}

void tn_cg_text_attr(tn_cg *cg, LLVMValueRef fn, const char *name, const char *value) {
  LLVMAttributeRef attr = LLVMCreateStringAttribute(cg->ctx, name, (unsigned)strlen(name), value,
                                                    (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(fn, TN_LLVM_FUNCTION, attr);
}

void tn_cg_set_attrs(tn_cg *cg, LLVMValueRef fn) {
  char bits[16];
  (void)snprintf(bits, sizeof bits, "%d", cg->target->vector_bytes * 8);
  tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "nounwind", 0);
  tn_cg_text_attr(cg, fn, "no-builtins", ""); /* no loop becomes a call of memset or memcpy */
  tn_cg_text_attr(cg, fn, "target-cpu", cg->target->cpu);
  tn_cg_text_attr(cg, fn, "prefer-vector-width",
                  bits); /* else x86-64-v4 keeps to 32-byte vectors */
}

/* ---- passes and output ---- */

tn_status tn_cg_verify(tn_cg *cg) {
  char *text = NULL;
  tn_status st = NULL;
  if (LLVMVerifyModule(cg->mod, LLVMReturnStatusAction, &text)) {
    st = TN_ERR(TN_INTERNAL, "LLVM refuses the code of module '%s': %s", cg->module->name, text);
  }
  LLVMDisposeMessage(text);
  return st;
}

/* Vectors and register tiles are explicit by now, so this is what turns stack arrays into registers
 * and removes what is computed twice; no inliner, no interprocedural pass. Loops of plain scalars
 * may still be vectorised from level 2 on; LLVM leaves loops alone that hold vectors of ours. */
#define COMBINE \
  "instcombine<no-verify-fixpoint>," /* as text it otherwise ends the process when it gives up */

static const char *pipeline_of(int32_t opt_level) {
  if (opt_level <= 0) {
    return "function(sroa,early-cse)";
  }
  if (opt_level == 1) {
    return "function(sroa,early-cse<memssa>," COMBINE "simplifycfg,loop-mssa(licm),gvn," COMBINE
           "simplifycfg,adce)";
  }
  return "always-inline," /* our own mathematics, see math_emit.c */
         "function(sroa,early-cse<memssa>," COMBINE "simplifycfg,loop-mssa(licm),gvn,"
         "loop(indvars,loop-deletion)," COMBINE "simplifycfg,"
         "loop-vectorize<interleave-forced-only;no-vectorize-forced-only>)";
}

/* From level 2 on: after LLVM has vectorised, and with it chosen vector functions (math_rare.c). */
static const char late_pipeline[] =
    "always-inline,"
    "function(loop-unroll<O2;no-partial;no-runtime;no-peeling;full-unroll-max=8>,sroa," COMBINE
    "early-cse<memssa>,loop-mssa(licm),simplifycfg,adce),globaldce";

static void mark_late_functions(tn_cg *cg) {
  for (LLVMValueRef fn = LLVMGetFirstFunction(cg->mod); fn != NULL; fn = LLVMGetNextFunction(fn)) {
    if (LLVMGetStringAttributeAtIndex(fn, TN_LLVM_FUNCTION, TN_CG_LATE, strlen(TN_CG_LATE)) !=
        NULL) {
      tn_cg_add_attr(cg, fn, TN_LLVM_FUNCTION, "alwaysinline", 0);
    }
  }
}

tn_status tn_cg_run_passes(tn_cg *cg) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(cg->mod, pipeline_of(cg->opts->opt_level), cg->machine, options);
  if (error == NULL && cg->opts->opt_level >= 2) {
    mark_late_functions(cg);
    error = LLVMRunPasses(cg->mod, late_pipeline, cg->machine, options);
  }
  LLVMDisposePassBuilderOptions(options);
  return tn_cg_llvm_error(error, "LLVM's passes");
}

static void append_buffer(LLVMMemoryBufferRef memory, tn_buf *out) {
  tn_buf_append(out, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
  LLVMDisposeMemoryBuffer(memory);
}

tn_status tn_cg_write(tn_cg *cg, tn_emit kind, tn_buf *out) {
  if (kind == TN_EMIT_LL) {
    char *text = LLVMPrintModuleToString(cg->mod);
    tn_buf_puts(out, text);
    LLVMDisposeMessage(text);
    return NULL;
  }
  LLVMCodeGenFileType type = kind == TN_EMIT_ASM ? LLVMAssemblyFile : LLVMObjectFile;
  LLVMMemoryBufferRef memory = NULL;
  char *text = NULL;
  LLVMSetTargetMachineAsmVerbosity(cg->machine, cg->opts->has_comments);
  if (LLVMTargetMachineEmitToMemoryBuffer(cg->machine, cg->mod, type, &text, &memory)) {
    tn_status st =
        TN_ERR(TN_INTERNAL, "LLVM emits no code for module '%s': %s", cg->module->name, text);
    LLVMDisposeMessage(text);
    return st;
  }
  append_buffer(memory, out);
  tn_status st = cg->st; /* what the diagnostic handler heard */
  cg->st = NULL;
  return st;
}
