/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tn_vm_emit: a module in VM form as an executable image. Every graph function becomes bytecode;
 * every loop function a kernel entry, found by its name among the kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "codegen/codegen.h"
#include "codegen/vm/vm_emit.h"
#include "tir/tir.h"

static bool is_public(const tn_node *attrs) { return tn_dict_find(attrs, "global_symbol") != NULL; }

static void set_index(tn_strmap *map, const char *name, size_t index) {
  tn_strmap_set(map, name, (void *)(uintptr_t)(index + 1));
}

/* ---- entries ---- */

static void print_signature(const tn_node *func, tn_buf *out) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  tn_buf_printf(out, "%s(", func->attr.text);
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_buf_printf(out, "%s%s: ", i == 0 ? "" : ", ", params->in[i]->attr.text);
    tn_ty_print(params->in[i]->in[0], out);
  }
  tn_buf_putc(out, ')');
  if (!tn_is_none(func->in[TN_GFUNC_RET])) {
    tn_buf_puts(out, " -> ");
    tn_ty_print(func->in[TN_GFUNC_RET], out);
  }
}

static void add_gfunc(tn_vm_tables *t, tn_ir *ir, const char *name, const tn_node *func) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  const tn_node *ret = func->in[TN_GFUNC_RET];
  tn_buf doc = TN_BUF_INIT;
  print_signature(func, &doc);
  tn_exec_func row = {.name = tn_vm_string(t, name),
                      .kind = TN_EXEC_FN_VM,
                      .n_params = params->n_in,
                      .params = (uint32_t)t->types.len,
                      .is_public = is_public(func->in[TN_GFUNC_ATTRS]) || strcmp(name, "main") == 0,
                      .doc = tn_vm_string(t, tn_buf_text(&doc))};
  tn_buf_deinit(&doc);
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_vm_push_type(t, params->in[i]->attr.text, params->in[i]->in[0]);
  }
  tn_buf names = TN_BUF_INIT;
  tn_func_result_names(func, &names);
  tn_vm_push_type(t, tn_buf_text(&names), tn_is_none(ret) ? tn_ty_object(ir) : ret);
  tn_buf_deinit(&names);
  set_index(&t->vm_funcs, name, t->funcs.len);
  TN_VEC_PUSH(&t->funcs, row);
}

static const tn_node *prim_param_type(tn_ir *ir, const tn_node *func, uint32_t i) {
  const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
  const tn_node *param = func->in[TN_PRIM_FUNC_PARAMS]->in[i];
  if (!tn_is_none(buffer)) {
    return tn_ty_tensor(ir, buffer->dtype, -1, buffer->in[TN_BUFFER_SHAPE]);
  }
  return tn_dtype_is_handle(param->dtype) ? tn_ty_object(ir) : tn_ty_prim(ir, param->dtype, NULL);
}

/* A public one is called from outside as it is, in destination-passing style. */
static void add_prim_func(tn_vm_tables *t, const tn_module *module, uint32_t index) {
  const char *name = module->funcs[index].name;
  const tn_node *func = module->funcs[index].func;
  const tn_node *params = func->in[TN_PRIM_FUNC_PARAMS];
  tn_buf text = TN_BUF_INIT;
  tn_tir_signature(func, &text);
  tn_exec_func row = {.name = tn_vm_string(t, name),
                      .kind = TN_EXEC_FN_KERNEL,
                      .is_public = is_public(func->in[TN_PRIM_FUNC_ATTRS]),
                      .n_params = params->n_in,
                      .params = (uint32_t)t->types.len,
                      .doc = tn_vm_string(t, tn_buf_text(&text))};
  tn_buf_deinit(&text);
  uint8_t *uses = calloc((size_t)params->n_in + 1, sizeof *uses);
  TN_CHECK(uses != NULL, "out of memory: %u parameters", params->n_in);
  tn_tir_param_uses(module, func, uses);
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
    const tn_node *named = tn_is_none(buffer) ? params->in[i] : buffer;
    tn_vm_push_type(t, named->attr.text, prim_param_type(module->ir, func, i));
    TN_VEC_LAST(&t->types).flags = ((uses[i] & TN_PARAM_WRITTEN) != 0 ? TN_EXEC_TYPE_WRITTEN : 0) |
                                   ((uses[i] & TN_PARAM_READ) != 0 ? TN_EXEC_TYPE_READ : 0);
  }
  free(uses);
  const tn_node *ret =
      func->in[TN_PRIM_FUNC_RET]; /* a number: the kernel takes one argument more */
  tn_vm_push_type(t, "", tn_is_none(ret) ? tn_ty_object(module->ir) : ret);
  set_index(&t->kernels, name, t->funcs.len);
  TN_VEC_PUSH(&t->funcs, row);
}

static void add_functions(tn_vm_tables *t, const tn_module *module) {
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (module->funcs[i].func->op == TN_OP_GFUNC) {
      add_gfunc(t, module->ir, module->funcs[i].name, module->funcs[i].func);
    }
  }
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (module->funcs[i].func->op == TN_OP_PRIM_FUNC) {
      add_prim_func(t, module, i);
    }
  }
}

static tn_status emit_functions(tn_vm_tables *t, const tn_module *module) {
  uint32_t index = 0;
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    if (module->funcs[i].func->op == TN_OP_GFUNC) {
      TN_TRY_MSG(tn_vm_emit_gfunc(t, module, module->funcs[i].func, index), "function '%s'",
                 module->funcs[i].name);
      ++index;
    }
  }
  return NULL;
}

static uint32_t arch_of(const tn_target *target) {
  if (strncmp(target->triple, "aarch64", 7) == 0) {
    return TN_EXEC_ARCH_AARCH64;
  }
  return strncmp(target->triple, "riscv64", 7) == 0 ? TN_EXEC_ARCH_RISCV64 : TN_EXEC_ARCH_X86_64;
}

tn_status tn_vm_emit(const tn_module *module, const tn_target *target, const void *kernels,
                     size_t n_kernel_bytes, tn_exec_bytes *out_image) {
  tn_vm_tables t = {0};
  target = target != NULL ? target : tn_target_host();
  (void)tn_vm_string(&t, "");
  add_functions(&t, module);
  bool has_kernels = t.kernels.len > 0;
  tn_status st = emit_functions(&t, module);
  if (st == NULL) {
    st =
        tn_vm_tables_write(&t, has_kernels ? arch_of(target) : 0,
                           has_kernels ? target->required : "", kernels, n_kernel_bytes, out_image);
  }
  tn_vm_tables_deinit(&t);
  return tn_status_wrap(st, "code for the virtual machine");
}
