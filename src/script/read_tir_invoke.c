/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Calls of one loop function by another: cls.f(A, n). The callee may stand below, unread: the types
 * of its numbers and of its result are taken from its head. Whether all arguments fit is asked when
 * the module is whole (tn_tir_verify_calls). */
#include <string.h>

#include "script/reader.h"

/* The type that a head gives a parameter; NONE for handles and buffers, and what is no type (that
 * is reported where the callee is read). */
static tn_dtype type_of_annotation(tn_reader *r, const tn_ast *annotation) {
  tn_dtype dtype = TN_DT_NONE;
  const char *name = annotation == NULL ? NULL : tn_dotted(r, annotation);
  bool is_type = name != NULL && strncmp(name, "T.", 2) == 0 &&
                 tn_dtype_parse(name + 2, strlen(name + 2), &dtype);
  if (annotation != NULL && annotation->kind == TN_AST_STR) { /* -> "int32" */
    is_type = tn_dtype_parse(annotation->text, strlen(annotation->text), &dtype);
  }
  return is_type && !tn_dtype_is_handle(dtype) ? dtype : TN_DT_NONE;
}

/* What the callee gives: as it was read, else as its head says. */
static tn_dtype result_of(tn_reader *r, const tn_ast *def, const char *name) {
  const tn_node *func = tn_module_find(r->module, name);
  if (func != NULL && tn_is(func, TN_OP_PRIM_FUNC)) {
    const tn_node *ret = func->in[TN_PRIM_FUNC_RET];
    return tn_is_none(ret) ? TN_DT_NONE : ret->dtype;
  }
  if (strcmp(name, r->func_name) == 0) { /* of itself */
    return r->ret_dtype;
  }
  return type_of_annotation(r, def->in[TN_AST_DEF_RET]);
}

/* A literal takes the parameter's type, an integer a wider one; other types are not converted
 * unasked. */
static const tn_node *number_arg(tn_reader *r, const tn_ast *at, tn_val v, tn_dtype want) {
  const tn_node *value = tn_to_expr(r, at, v, want);
  if (value == NULL || want == TN_DT_NONE || value->dtype == want) {
    return value;
  }
  bool is_wider = tn_dtype_is_int(want) && tn_dtype_is_int(value->dtype) &&
                  tn_dtype_bits(want) > tn_dtype_bits(value->dtype);
  bool is_literal = tn_is(value, TN_OP_INT) && tn_dtype_is_float(want);
  if ((is_wider || is_literal) &&
      !tn_read_ok(r, at, "type-mismatch", tn_tir_cast(r->ir, want, value, &value))) {
    return NULL;
  }
  return value;
}

static const tn_node *read_arg(tn_reader *r, const tn_ast *at, tn_dtype want) {
  tn_val v = tn_read_val(r, at);
  return tn_val_is_node(v, TN_OP_BUFFER) ? v.node : number_arg(r, at, v, want);
}

tn_val tn_read_invoke(tn_reader *r, const tn_ast *call, const tn_node *callee) {
  const char *name = callee->attr.text;
  const tn_ast *def = tn_strmap_find(&r->funcs, name);
  if (!tn_is(callee, TN_OP_GLOBAL) || def == NULL || def->kind != TN_AST_DEF) {
    return tn_read_fail(r, call, "wrong-callee", NULL,
                        "'%s' is no loop function: a loop function cannot call it", name);
  }
  if (!tn_check_keywords(r, call, "")) {
    return tn_val_error();
  }
  uint32_t n = tn_n_positional(call);
  uint32_t n_params = def->n - TN_AST_DEF_PARAMS;
  const tn_node **args = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  bool is_ok = true;
  for (uint32_t i = 0; i < n; ++i) {
    const tn_ast *param = i < n_params ? def->in[TN_AST_DEF_PARAMS + i] : NULL;
    args[i] = read_arg(r, call->in[1 + i],
                       param == NULL ? TN_DT_NONE : type_of_annotation(r, param->in[0]));
    is_ok = is_ok && args[i] != NULL;
  }
  if (!is_ok) {
    return tn_val_error();
  }
  const tn_node *in[3] = {[TN_INVOKE_CALLEE] = callee,
                          [TN_INVOKE_ARGS] = tn_list(r->ir, n, args),
                          [TN_INVOKE_TYPES] = tn_none(r->ir)};
  return tn_val_node(
      tn_node_new(r->ir, TN_OP_INVOKE, result_of(r, def, name), (tn_attr){0}, 3, in));
}
