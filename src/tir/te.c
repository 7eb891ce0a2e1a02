/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions: tensors, and the stages that write them. Ending a formula makes its loops and
 * block at once; a function is then the stages that its parameters need, in the order in which they
 * were built (te_func.c). */
#include "tir/te.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tir/te_priv.h"

/* A builder that a user's program fills may not take more than this: the same as a text's. */
static const size_t ir_limit_bytes = (size_t)8 << 30;

/* ---- the builder ---- */

tn_te *tn_te_new(tn_ir *ir) {
  tn_te *te = calloc(1, sizeof *te);
  TN_CHECK(te != NULL, "no memory for a builder");
  te->ir = ir;
  return te;
}

tn_status tn_te_create(tn_te **out_te) {
  *out_te = tn_te_new(tn_ir_new(ir_limit_bytes));
  (*out_te)->owns_ir = true;
  return NULL;
}

void tn_te_free(tn_te *te) {
  if (te == NULL) {
    return;
  }
  for (size_t i = 0; i < te->stages.len; ++i) {
    TN_VEC_DEINIT(&te->stages.data[i].reads);
    TN_VEC_DEINIT(&te->stages.data[i].writes);
  }
  TN_VEC_DEINIT(&te->stages);
  TN_VEC_DEINIT(&te->tensors);
  TN_VEC_DEINIT(&te->variables);
  tn_map_deinit(&te->tensor_at);
  tn_map_deinit(&te->variable_at);
  tn_map_deinit(&te->names);
  tn_status_free(te->st);
  if (te->owns_ir) {
    tn_ir_free(te->ir);
  }
  free(te);
}

tn_ir *tn_te_ir(const tn_te *te) { return te->ir; }

bool tn_te_keep(tn_te *te, tn_status st) {
  if (st != NULL && te->has_failed) {
    tn_status_free(st); /* a consequence of the first one, or a second mistake */
  } else if (st != NULL) {
    te->has_failed = true;
    te->st = te->open != NULL ? tn_status_wrap(st, "tensor '%s'", te->open) : st;
  }
  return !te->has_failed;
}

tn_status tn_te_take_status(tn_te *te) {
  tn_status st = te->st;
  te->st = NULL;
  return st != NULL || !te->has_failed
             ? st
             : TN_ERR(TN_INVALID, "this builder has reported a problem: begin with a new one");
}

const tn_node *tn_te_nothing(tn_te *te) { return tn_int(te->ir, TN_DT_I32, 0); }

const tn_node *tn_te_fail(tn_te *te, tn_status st) {
  (void)tn_te_keep(te, st);
  return tn_te_nothing(te);
}

/* ---- names ---- */

tn_status tn_te_check_name(const char *what, const char *name) {
  if (name == NULL || *name == '\0') {
    return TN_ERR(TN_INVALID, "%s has no name", what);
  }
  for (const char *c = name; *c != '\0'; ++c) {
    bool is_word =
        isalpha((unsigned char)*c) || *c == '_' || (c != name && isdigit((unsigned char)*c));
    if (!is_word) {
      return TN_ERR(TN_INVALID, "'%s' is no name: letters, digits and '_', no digit first", name);
    }
  }
  return NULL;
}

/* name, or name_1, name_2 ... when it is taken; takes it. */
const char *tn_te_take_name(tn_te *te, const char *name) {
  const char *text = tn_ir_text(te->ir, name);
  for (uint32_t i = 1; tn_map_find(&te->names, (uint64_t)(uintptr_t)text, NULL); ++i) {
    tn_buf numbered = TN_BUF_INIT;
    tn_buf_printf(&numbered, "%s_%u", name, i);
    text = tn_ir_text(te->ir, tn_buf_text(&numbered));
    tn_buf_deinit(&numbered);
  }
  tn_map_set(&te->names, (uint64_t)(uintptr_t)text, 0);
  return text;
}

/* base followed by a number; interned. */
static const char *numbered(tn_te *te, const char *base, uint32_t i) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s%u", base, i);
  const char *name = tn_ir_text(te->ir, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return name;
}

/* ---- variables ---- */

void tn_te_add_variable(tn_te *te, const tn_node *var, const char *tensor, bool is_reduce) {
  tn_map_set(&te->variable_at, var->id, te->variables.len);
  TN_VEC_PUSH(&te->variables,
              (tn_te_variable){.var = var, .tensor = tensor, .is_reduce = is_reduce});
}

const tn_te_variable *tn_te_find_variable(const tn_te *te, const tn_node *var) {
  uint64_t at = 0;
  bool is_known = tn_map_find(&te->variable_at, var->id, &at) && te->variables.data[at].var == var;
  return is_known ? &te->variables.data[at] : NULL;
}

const tn_node *tn_te_var(tn_te *te, const char *name, tn_dtype dtype) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (!tn_te_keep(te, tn_te_check_name("a variable", name))) {
    return tn_te_nothing(te);
  }
  bool is_number = tn_dtype_is_int(dtype) || tn_dtype_is_uint(dtype) || tn_dtype_is_bool(dtype) ||
                   tn_dtype_is_float(dtype);
  if (!is_number || tn_dtype_lanes(dtype) != 1) {
    return tn_te_fail(te, TN_ERR(TN_INVALID, "variable '%s' is a number, not %s", name,
                                 tn_dtype_print(dtype, text)));
  }
  const tn_node *var = tn_var_new(te->ir, name, dtype);
  tn_te_add_variable(te, var, NULL, false);
  return var;
}

/* ---- tensors ---- */

tn_te_tensor *tn_te_find_tensor(tn_te *te, const tn_node *buffer) {
  uint64_t at = 0;
  bool is_known =
      tn_map_find(&te->tensor_at, buffer->id, &at) && te->tensors.data[at].buffer == buffer;
  return is_known ? &te->tensors.data[at] : NULL;
}

static tn_status check_extent(tn_te *te, const tn_node *extent) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (extent == NULL) {
    return TN_ERR(TN_INVALID, "an extent is NULL");
  }
  if (extent->dtype != TN_DT_I32 && extent->dtype != TN_DT_I64) {
    return TN_ERR(TN_INVALID, "an extent is %s, not int32 or int64",
                  tn_dtype_print(extent->dtype, text));
  }
  if (tn_is(extent, TN_OP_INT) && extent->attr.i64 < 0) {
    return TN_ERR(TN_INVALID, "an extent is %" PRId64, extent->attr.i64);
  }
  return tn_te_check_extent_uses(te, extent);
}

static tn_status check_shape(tn_te *te, const char *name, uint32_t ndim,
                             const tn_node *const *shape) {
  TN_TRY(tn_te_check_name("a tensor", name));
  if (ndim > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "tensor '%s' of %u dimensions: at most %d", name, ndim,
                  TN_MAX_NDIM);
  }
  for (uint32_t d = 0; d < ndim; ++d) {
    const tn_node *extent = shape != NULL ? shape[d] : NULL;
    TN_TRY_MSG(check_extent(te, extent), "dimension %u of tensor '%s'", d, name);
  }
  return NULL;
}

const tn_node *tn_te_add_tensor(tn_te *te, const char *name, tn_dtype dtype, uint32_t ndim,
                                const tn_node *const *shape, bool is_input) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (dtype == TN_DT_NONE || tn_dtype_is_handle(dtype)) {
    return tn_te_fail(te, TN_ERR(TN_INVALID, "tensor '%s' of %s", name,
                                 dtype == TN_DT_NONE ? "no type" : tn_dtype_print(dtype, text)));
  }
  tn_buffer_spec spec = {.name = name, .dtype = dtype, .ndim = ndim, .shape = shape};
  const tn_node *buffer = tn_buffer_new(te->ir, &spec);
  tn_map_set(&te->tensor_at, buffer->id, te->tensors.len);
  TN_VEC_PUSH(&te->tensors, (tn_te_tensor){.buffer = buffer, .is_input = is_input});
  return buffer;
}

const tn_node *tn_te_placeholder(tn_te *te, const char *name, tn_dtype dtype, uint32_t ndim,
                                 const tn_node *const *shape) {
  if (te->has_failed || !tn_te_keep(te, check_shape(te, name, ndim, shape))) {
    return tn_te_nothing(te);
  }
  return tn_te_add_tensor(te, tn_te_take_name(te, name), dtype, ndim, shape, true);
}

const tn_node *tn_te_declare(tn_te *te, const char *name, tn_dtype dtype, uint32_t ndim,
                             const tn_node *const *shape) {
  if (te->has_failed || !tn_te_keep(te, check_shape(te, name, ndim, shape))) {
    return tn_te_nothing(te);
  }
  return tn_te_add_tensor(te, tn_ir_text(te->ir, name), dtype, ndim, shape, false);
}

/* ---- the tensor begun ---- */

void tn_te_begin(tn_te *te, const char *name, uint32_t ndim, const tn_node *const *shape) {
  if (te->has_failed) {
    return;
  }
  if (te->open != NULL) {
    (void)tn_te_keep(te, TN_ERR(TN_INVALID, "'%s' begins before it has ended", name));
    return;
  }
  if (!tn_te_keep(te, check_shape(te, name, ndim, shape))) {
    return;
  }
  te->open = tn_te_take_name(te, name);
  te->is_nonempty = false;
  te->nest = (tn_te_nest){.n_spatial = ndim, .scan = -1};
  for (uint32_t d = 0; d < ndim; ++d) {
    te->nest.extents[d] = shape[d];
  }
}

/* True when a tensor has begun. */
bool tn_te_is_open(tn_te *te) {
  return !te->has_failed &&
         (te->open != NULL || tn_te_keep(te, TN_ERR(TN_INVALID, "no tensor has begun")));
}

static void name_axis(tn_te *te, uint32_t i, const char *name) {
  tn_te_nest *nest = &te->nest;
  tn_buf axis = TN_BUF_INIT;
  tn_buf_printf(&axis, "v_%s", name);
  nest->loops[i] = tn_var_new(te->ir, name, nest->extents[i]->dtype);
  nest->axes[i] = tn_var_new(te->ir, tn_buf_text(&axis), nest->extents[i]->dtype);
  tn_te_add_variable(te, nest->axes[i], te->open, i >= nest->n_spatial);
  tn_buf_deinit(&axis);
}

const tn_node *tn_te_axis(tn_te *te, uint32_t d, const char *name) {
  tn_te_nest *nest = &te->nest;
  if (!tn_te_is_open(te) || (name != NULL && !tn_te_keep(te, tn_te_check_name("an axis", name)))) {
    return tn_te_nothing(te);
  }
  if (d >= nest->n_spatial) {
    return tn_te_fail(te, TN_ERR(TN_INVALID, "axis %u of %u dimensions", d, nest->n_spatial));
  }
  if (nest->axes[d] == NULL) {
    name_axis(te, d, name != NULL ? name : numbered(te, "i", d));
  }
  return nest->axes[d];
}

const tn_node *tn_te_reduce_axis(tn_te *te, const char *name, const tn_node *extent) {
  tn_te_nest *nest = &te->nest;
  if (!tn_te_is_open(te) ||
      (name != NULL && !tn_te_keep(te, tn_te_check_name("a reduce axis", name))) ||
      !tn_te_keep(te, tn_status_wrap(check_extent(te, extent), "a reduce axis"))) {
    return tn_te_nothing(te);
  }
  if (nest->n_reduce == TN_MAX_NDIM) {
    return tn_te_fail(te, TN_ERR(TN_UNSUPPORTED, "more than %d reduce axes", TN_MAX_NDIM));
  }
  uint32_t i = nest->n_spatial + nest->n_reduce;
  nest->extents[i] = extent;
  name_axis(te, i, name != NULL ? name : numbered(te, "k", nest->n_reduce));
  ++nest->n_reduce;
  return nest->axes[i];
}

void tn_te_assume_nonempty(tn_te *te) { te->is_nonempty = tn_te_is_open(te); }

void tn_te_scan(tn_te *te, uint32_t d) {
  if (tn_te_is_open(te) && d >= te->nest.n_spatial) {
    (void)tn_te_keep(te, TN_ERR(TN_INVALID, "axis %u of %u dimensions", d, te->nest.n_spatial));
  } else if (!te->has_failed) {
    te->nest.scan = (int32_t)d;
  }
}

const tn_node *const *tn_te_axes(tn_te *te) {
  for (uint32_t d = 0; !te->has_failed && te->open != NULL && d < te->nest.n_spatial; ++d) {
    (void)tn_te_axis(te, d, NULL);
  }
  for (uint32_t i = 0; (te->has_failed || te->open == NULL) && i < 2 * TN_MAX_NDIM; ++i) {
    te->nest.axes[i] = tn_te_nothing(te);
  }
  return te->nest.axes;
}
