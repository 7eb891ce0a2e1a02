/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* bind_params: parameters of opts->func ("main" when NULL) become constants, symbolic sizes that
 * follow from them numbers.
 *
 *   def main(x: R.Tensor((1, "n")), w: R.Tensor(("n", 4))): ... w ...      with w = an array of 8x4
 *   -> def main(x: R.Tensor((1, 8))): ... CONST ...
 *
 * The arrays are borrowed and must outlive the module's ir. Errors: NOT_FOUND for a name that is no
 * parameter; INVALID for a wrong shape or dtype, for NaN (a weight that is not a number makes every
 * result one) and when something calls the function, whose calls would no longer fit. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "arith/arith.h"
#include "graph/graph_priv.h"
#include "graph/passes.h"

static tn_status no_such_param(const tn_node *func, const char *name) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  tn_buf text = TN_BUF_INIT;
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_buf_printf(&text, "%s%s", i == 0 ? "" : ", ", params->in[i]->attr.text);
  }
  tn_status st = TN_ERR(TN_NOT_FOUND, "%s has no parameter '%s'; it has: %s", func->attr.text, name,
                        tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

static tn_status check_numbers(const char *name, const tn_array *array) {
  if (!tn_dtype_is_float(array->dtype)) {
    return NULL;
  }
  int64_t n = tn_array_n_elems(array);
  for (int64_t i = 0; i < n; ++i) {
    if (!isnan(tn_array_get_f64(array, i))) {
      continue;
    }
    int64_t at[TN_MAX_NDIM];
    int64_t rest = i;
    for (int32_t d = array->ndim; d-- > 0;) {
      at[d] = rest % array->shape[d];
      rest /= array->shape[d];
    }
    tn_buf text = TN_BUF_INIT;
    for (int32_t d = 0; d < array->ndim; ++d) {
      tn_buf_printf(&text, d == 0 ? "%" PRId64 : ", %" PRId64, at[d]);
    }
    tn_status st = TN_ERR(TN_INVALID, "'%s' contains NaN at [%s]", name, tn_buf_text(&text));
    tn_buf_deinit(&text);
    return st;
  }
  return NULL;
}

static tn_status check_type(tn_ir *ir, const tn_node *param, const tn_array *array, tn_map *syms) {
  const tn_node *got = tn_ty_of_array(ir, array);
  const tn_node *want = param->in[0];
  if (tn_is_none(want)) {
    return NULL;
  }
  tn_ty_bind(want, got, syms);
  if (tn_ty_is_subtype(ir, got, tn_ty_instantiate(ir, want, syms), NULL)) {
    return NULL;
  }
  tn_buf got_text = TN_BUF_INIT;
  tn_buf want_text = TN_BUF_INIT;
  tn_ty_print(got, &got_text);
  tn_ty_print(want, &want_text);
  tn_status st = TN_ERR(TN_INVALID, "the array for '%s' is %s, the parameter is declared %s",
                        param->attr.text, tn_buf_text(&got_text), tn_buf_text(&want_text));
  tn_buf_deinit(&got_text);
  tn_buf_deinit(&want_text);
  return st;
}

typedef struct call_search {
  const char *name;
  bool is_found;
} call_search;

static void find_call(const tn_node *n, void *ctx) {
  call_search *s = ctx;
  s->is_found = s->is_found || (n->op == TN_OP_GLOBAL && strcmp(n->attr.text, s->name) == 0);
}

static tn_status check_callers(const tn_module *module, const char *name) {
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    call_search s = {.name = name};
    if (module->funcs[i].func->op == TN_OP_GFUNC) {
      tn_walk_once(module->ir, module->funcs[i].func, find_call, &s);
    }
    if (s.is_found) {
      return TN_ERR(TN_INVALID, "'%s' is called by '%s': its parameters cannot be bound", name,
                    module->funcs[i].name);
    }
  }
  return NULL;
}

static const tn_named_array *find_bind(const tn_pass_opts *opts, const char *name) {
  for (int32_t i = 0; i < opts->n_binds; ++i) {
    if (strcmp(opts->binds[i].name, name) == 0) {
      return &opts->binds[i];
    }
  }
  return NULL;
}

static tn_status check_names(const tn_pass_opts *opts, const tn_node *func) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  for (int32_t i = 0; i < opts->n_binds; ++i) {
    bool is_known = false;
    for (uint32_t k = 0; k < params->n_in; ++k) {
      is_known = is_known || strcmp(params->in[k]->attr.text, opts->binds[i].name) == 0;
    }
    if (!is_known) {
      return no_such_param(func, opts->binds[i].name);
    }
  }
  return NULL;
}

static const tn_node *const_of(tn_ir *ir, const tn_array *array) {
  tn_array view = *array;
  view.is_view = true;
  return tn_const_new(ir, &view);
}

/* Bound parameters go; what they are and the sizes they fix is collected in `map`. */
static tn_status bind_all(tn_ir *ir, const tn_pass_opts *opts, const tn_node *func, tn_map *map,
                          tn_stmts *kept) {
  const tn_node *params = func->in[TN_GFUNC_PARAMS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const tn_node *param = params->in[i];
    const tn_named_array *bind = find_bind(opts, param->attr.text);
    if (bind == NULL) {
      TN_VEC_PUSH(kept, param);
      continue;
    }
    TN_TRY(check_type(ir, param, bind->array, map));
    TN_TRY(check_numbers(bind->name, bind->array));
    tn_map_set(map, param->id, (uint64_t)(uintptr_t)const_of(ir, bind->array));
  }
  return NULL;
}

/* Sizes computed from numbers are numbers. */
static const tn_node *fold(tn_rewriter *rw, const tn_node *n) {
  bool is_size = tn_op_info_get((tn_op)n->op)->cls == TN_CLASS_EXPR && tn_dtype_is_int(n->dtype);
  return is_size && n->n_in > 0 ? tn_arith_fold(rw->ir, n) : NULL;
}

tn_status tn_pass_bind_params(tn_module *module, const tn_pass_opts *opts) {
  if (opts == NULL || opts->n_binds == 0) {
    return NULL;
  }
  const char *name = opts->func == NULL ? "main" : opts->func;
  const tn_node *func = tn_module_find(module, name);
  if (func == NULL || func->op != TN_OP_GFUNC) {
    return TN_ERR(TN_NOT_FOUND, "the module has no graph function '%s'", name);
  }
  TN_TRY(check_names(opts, func));
  TN_TRY(check_callers(module, name));
  tn_map map = {0};
  tn_stmts kept = {0};
  tn_status st = bind_all(module->ir, opts, func, &map, &kept);
  if (st == NULL) {
    const tn_node *params =
        tn_node_with_n(module->ir, func->in[TN_GFUNC_PARAMS], (uint32_t)kept.len, kept.data);
    const tn_node *in[] = {params, func->in[TN_GFUNC_RET], func->in[TN_GFUNC_ATTRS],
                           func->in[TN_GFUNC_IS_PURE], func->in[TN_GFUNC_BODY]};
    const tn_node *rest = tn_node_with(module->ir, func, in);
    const tn_node *bound = tn_subst(module->ir, rest, &map);
    tn_module_set(module, name, tn_rewrite(module->ir, bound, fold, NULL));
  }
  TN_VEC_DEINIT(&kept);
  tn_map_deinit(&map);
  return st;
}
