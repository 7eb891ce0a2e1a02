/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Values and sizes of the virtual machine's code: atoms as argument words, integer expressions as
 * shape-heap slots (each computed at most once where it is visible), and types as MATCH
 * instructions. */
#include <inttypes.h>

#include "base/check.h"
#include "codegen/vm/vm_emit.h"

static bool fits_imm(int64_t value) {
  return value >= -((int64_t)1 << 55) && value < (int64_t)1 << 55;
}

/* ---- sizes ---- */

static int64_t shape_op_of(const tn_node *expr, bool *out_swap) {
  *out_swap = false;
  switch ((int)expr->op) {
    case TN_OP_ADD:
      return TN_VM_SH_ADD;
    case TN_OP_SUB:
      return TN_VM_SH_SUB;
    case TN_OP_MUL:
      return TN_VM_SH_MUL;
    case TN_OP_FLOORDIV:
      return TN_VM_SH_FLOORDIV;
    case TN_OP_FLOORMOD:
      return TN_VM_SH_FLOORMOD;
    case TN_OP_MIN:
      return TN_VM_SH_MIN;
    case TN_OP_MAX:
      return TN_VM_SH_MAX;
    case TN_OP_EQ:
    case TN_OP_NE: /* then NOT */
      return TN_VM_SH_EQ;
    case TN_OP_GT:
      *out_swap = true;
      return TN_VM_SH_LT;
    case TN_OP_LT:
      return TN_VM_SH_LT;
    case TN_OP_GE:
      *out_swap = true;
      return TN_VM_SH_LE;
    case TN_OP_LE:
      return TN_VM_SH_LE;
    case TN_OP_AND:
      return TN_VM_SH_AND;
    case TN_OP_OR:
      return TN_VM_SH_OR;
    default:
      return 0;
  }
}

static tn_status cannot(const tn_node *expr) {
  return TN_ERR(TN_UNSUPPORTED, "'%s' in a size is not supported by the virtual machine",
                tn_op_info_get((tn_op)expr->op)->text);
}

static tn_status compute_binary(tn_vm_func *f, const tn_node *expr, int64_t *out_slot) {
  bool is_swapped = false;
  int64_t op = shape_op_of(expr, &is_swapped);
  int64_t a = 0;
  int64_t b = 0;
  if (op == 0 || expr->n_in != 2) {
    return cannot(expr);
  }
  TN_TRY(tn_vm_size(f, expr->in[is_swapped ? TN_B : TN_A], &a));
  TN_TRY(tn_vm_size(f, expr->in[is_swapped ? TN_A : TN_B], &b));
  *out_slot = tn_vm_new_slot(f);
  TN_VM_PUT(f, TN_VM_SHAPE_OP, *out_slot, op, a, b);
  if (expr->op == TN_OP_NE) {
    int64_t self = TN_ARGW(TN_ARGW_SLOT, *out_slot);
    TN_VM_PUT(f, TN_VM_SHAPE_OP, *out_slot, TN_VM_SH_NOT, self, TN_ARGW(TN_ARGW_IMM, 0));
  }
  return NULL;
}

static tn_status compute_select(tn_vm_func *f, const tn_node *expr, int64_t *out_slot) {
  int64_t cond = 0;
  int64_t a = 0;
  int64_t b = 0;
  TN_TRY(tn_vm_size(f, expr->in[TN_SELECT_COND], &cond));
  TN_TRY(tn_vm_size(f, expr->in[TN_SELECT_A], &a));
  TN_TRY(tn_vm_size(f, expr->in[TN_SELECT_B], &b));
  *out_slot = tn_vm_new_slot(f);
  TN_VM_PUT(f, TN_VM_SHAPE_OP, *out_slot, TN_VM_SH_MOVE, cond, TN_ARGW(TN_ARGW_IMM, 0));
  TN_VM_PUT(f, TN_VM_SHAPE_OP, *out_slot, TN_VM_SH_SELECT, a, b);
  return NULL;
}

static tn_status compute_unary(tn_vm_func *f, const tn_node *expr, int64_t *out_slot) {
  int64_t a = 0;
  int64_t zero = TN_ARGW(TN_ARGW_IMM, 0);
  TN_TRY(tn_vm_size(f, expr->in[0], &a));
  *out_slot = tn_vm_new_slot(f);
  if (expr->op == TN_OP_NEG) {
    TN_VM_PUT(f, TN_VM_SHAPE_OP, *out_slot, TN_VM_SH_SUB, zero, a);
  } else {
    TN_VM_PUT(f, TN_VM_SHAPE_OP, *out_slot, TN_VM_SH_NOT, a, zero);
  }
  return NULL;
}

static bool is_widening(const tn_node *cast) {
  const tn_node *from = cast->in[0];
  return tn_dtype_is_int(from->dtype) && tn_dtype_is_int(cast->dtype) &&
         tn_dtype_bits(from->dtype) <= tn_dtype_bits(cast->dtype);
}

static tn_status compute(tn_vm_func *f, const tn_node *expr, int64_t *out_slot) {
  switch ((int)expr->op) {
    case TN_OP_VAR:
      return TN_ERR(TN_INVALID, "the size '%s' has no value in '%s'", expr->attr.text,
                    f->func->attr.text);
    case TN_OP_NEG:
    case TN_OP_NOT:
      return compute_unary(f, expr, out_slot);
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      return compute_select(f, expr, out_slot);
    default:
      return compute_binary(f, expr, out_slot);
  }
}

tn_status tn_vm_size(tn_vm_func *f, const tn_node *expr, int64_t *out_word) {
  uint64_t known = 0;
  if (expr->op == TN_OP_INT) {
    if (!fits_imm(expr->attr.i64)) {
      return TN_ERR(TN_UNSUPPORTED, "the size %" PRId64 " has more than 56 bits", expr->attr.i64);
    }
    *out_word = TN_ARGW(TN_ARGW_IMM, expr->attr.i64);
    return NULL;
  }
  if (expr->op == TN_OP_CAST && is_widening(expr)) {
    return tn_vm_size(f, expr->in[0], out_word);
  }
  if (!tn_map_find(&f->slots, expr->id, &known)) {
    int64_t slot = 0;
    TN_TRY(compute(f, expr, &slot));
    tn_vm_set_slot(f, expr, (uint32_t)slot);
    known = (uint64_t)slot;
  }
  *out_word = TN_ARGW(TN_ARGW_SLOT, known);
  return NULL;
}

/* ---- atoms ---- */

static tn_status size_words(tn_vm_func *f, const tn_node *shape, int64_t *words) {
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    TN_TRY(tn_vm_size(f, shape->in[i], &words[i]));
  }
  return NULL;
}

static tn_status arg_shape(tn_vm_func *f, const tn_node *shape, int64_t *out_word) {
  enum { HEAD = 3 };
  int64_t words[HEAD + TN_MAX_NDIM] = {TN_VM_MAKE_SHAPE, 0, shape->n_in};
  int64_t dims[TN_MAX_NDIM];
  bool is_fixed = true;
  if (shape->n_in > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "a shape of %u extents; at most %d", shape->n_in,
                  (int)TN_MAX_NDIM);
  }
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    is_fixed = is_fixed && shape->in[i]->op == TN_OP_INT;
    dims[i] = shape->in[i]->attr.i64;
  }
  if (is_fixed) {
    *out_word = TN_ARGW(TN_ARGW_CONST, tn_vm_const_shape(f->t, shape->n_in, dims));
    return NULL;
  }
  TN_TRY(size_words(f, shape, words + HEAD));
  words[1] = tn_vm_temp_reg(f);
  tn_vm_put(f, (int32_t)(HEAD + shape->n_in), words);
  *out_word = TN_ARGW(TN_ARGW_REG, words[1]);
  return NULL;
}

static tn_status arg_tuple(tn_vm_func *f, const tn_node *tuple, int64_t *out_word) {
  TN_VEC(int64_t) words = {0};
  tn_status st = NULL;
  TN_VEC_PUSH(&words, TN_VM_MAKE_TUPLE);
  TN_VEC_PUSH(&words, 0);
  TN_VEC_PUSH(&words, tuple->n_in);
  for (uint32_t i = 0; i < tuple->n_in; ++i) {
    int64_t word = 0;
    TN_GOTO(st, tn_vm_arg(f, tuple->in[i], &word), done);
    TN_VEC_PUSH(&words, word);
  }
  words.data[1] = tn_vm_temp_reg(f);
  tn_vm_put(f, (int32_t)words.len, words.data);
  *out_word = TN_ARGW(TN_ARGW_REG, words.data[1]);
done:
  TN_VEC_DEINIT(&words);
  return st;
}

static tn_status arg_var(tn_vm_func *f, const tn_node *var, int64_t *out_word) {
  uint64_t reg = 0;
  if (tn_map_find(&f->regs, var->id, &reg)) {
    *out_word = TN_ARGW(TN_ARGW_REG, reg);
    return NULL;
  }
  const tn_node *type = var->in[0];
  if (type->op == TN_OP_TY_TUPLE && type->n_in == 0) { /* what a call without result gives */
    uint32_t temp = tn_vm_temp_reg(f);
    TN_VM_PUT(f, TN_VM_MAKE_TUPLE, temp, 0);
    *out_word = TN_ARGW(TN_ARGW_REG, temp);
    return NULL;
  }
  return TN_ERR(TN_INVALID, "'%s' has no value here", var->attr.text);
}

static tn_status arg_prim(tn_vm_func *f, const tn_node *value, int64_t *out_word) {
  if (value->op == TN_OP_FLOAT) {
    *out_word = TN_ARGW(TN_ARGW_CONST, tn_vm_const_float(f->t, value->attr.f64));
    return NULL;
  }
  if (value->op == TN_OP_INT && !fits_imm(value->attr.i64)) {
    *out_word = TN_ARGW(TN_ARGW_CONST, tn_vm_const_int(f->t, value->attr.i64));
    return NULL;
  }
  return tn_vm_size(f, value, out_word);
}

static tn_status arg_global(tn_vm_func *f, const tn_node *global, int64_t *out_word) {
  int64_t index = tn_vm_func_find(&f->t->vm_funcs, global->attr.text);
  if (index < 0) {
    return TN_ERR(TN_NOT_FOUND, "the module has no function '%s'", global->attr.text);
  }
  *out_word = TN_ARGW(TN_ARGW_FUNC, index);
  return NULL;
}

tn_status tn_vm_arg(tn_vm_func *f, const tn_node *value, int64_t *out_word) {
  char dtype[TN_DTYPE_TEXT_BYTES];
  switch ((int)value->op) {
    case TN_OP_GVAR:
      return arg_var(f, value, out_word);
    case TN_OP_CONST:
      *out_word = TN_ARGW(TN_ARGW_CONST, tn_vm_const_tensor(f->t, value->attr.array));
      return NULL;
    case TN_OP_STR:
      *out_word = TN_ARGW(TN_ARGW_CONST, tn_vm_const_str(f->t, value->attr.text));
      return NULL;
    case TN_OP_DTYPE:
      (void)tn_dtype_print((tn_dtype)value->attr.i64, dtype);
      *out_word = TN_ARGW(TN_ARGW_CONST, tn_vm_const_str(f->t, dtype));
      return NULL;
    case TN_OP_GLOBAL:
      return arg_global(f, value, out_word);
    case TN_OP_EXTERN:
      *out_word = TN_ARGW(TN_ARGW_FUNC, tn_vm_packed(f->t, value->attr.text));
      return NULL;
    case TN_OP_SHAPE:
      return arg_shape(f, value, out_word);
    case TN_OP_PRIM:
      return arg_prim(f, value->in[0], out_word);
    case TN_OP_TUPLE:
      return arg_tuple(f, value, out_word);
    default:
      break;
  }
  if (value->dtype != TN_DT_NONE) {
    return arg_prim(f, value, out_word);
  }
  return TN_ERR(TN_INVALID, "'%s' is no value in normal form; normalize comes first",
                tn_op_info_get((tn_op)value->op)->text);
}

tn_status tn_vm_arg_reg(tn_vm_func *f, const tn_node *value, uint32_t *out_reg) {
  int64_t word = 0;
  TN_TRY(tn_vm_arg(f, value, &word));
  if (TN_ARGW_KIND(word) == TN_ARGW_REG) {
    *out_reg = (uint32_t)TN_ARGW_VALUE(word);
    return NULL;
  }
  *out_reg = tn_vm_temp_reg(f);
  TN_VM_PUT(f, TN_VM_MOVE, *out_reg, word);
  return NULL;
}

/* ---- types ---- */

static bool is_late_dim(const tn_node *dim) {
  return !tn_is_none(dim) && dim->op != TN_OP_INT && dim->op != TN_OP_VAR;
}

/* Early, a size that stands alone is stored or compared; late, when all of those have values, what
 * is computed from them. */
static tn_status match_dim(tn_vm_func *f, const tn_node *dim, bool is_late, int64_t *out_word) {
  uint64_t slot = 0;
  *out_word = TN_VM_DIM_ANY;
  if (is_late_dim(dim) != is_late) {
    return NULL;
  }
  if (dim->op == TN_OP_VAR && !tn_map_find(&f->slots, dim->id, NULL)) {
    slot = tn_vm_new_slot(f);
    tn_vm_set_slot(f, dim, (uint32_t)slot);
    *out_word = TN_ARGW(TN_VM_DIM_STORE, slot);
    return NULL;
  }
  int64_t word = 0;
  TN_TRY(tn_vm_size(f, dim, &word));
  bool is_slot = TN_ARGW_KIND(word) == TN_ARGW_SLOT;
  *out_word = TN_ARGW(is_slot ? TN_VM_DIM_EQ_SLOT : TN_VM_DIM_EQ, TN_ARGW_VALUE(word));
  return NULL;
}

static bool has_late_dims(const tn_node *dims) {
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    if (is_late_dim(dims->in[i])) {
      return true;
    }
  }
  return false;
}

/* The constant with the text for the message: the place, and what the type asks for. */
static int64_t wanted(tn_vm_func *f, const tn_node *type, const char *place) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s: expected ", place);
  tn_ty_print(type, &text);
  int64_t index = tn_vm_const_str(f->t, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return index;
}

static tn_status match_shaped(tn_vm_func *f, uint32_t reg, const tn_node *type, const char *place,
                              bool is_late) {
  const tn_node *dims = type->in[0];
  enum { HEAD = 6 };
  if (is_late && !has_late_dims(dims)) {
    return NULL;
  }
  if (type->attr.i64 > TN_MAX_NDIM) {
    return TN_ERR(TN_UNSUPPORTED, "%s has %" PRId64 " dimensions; at most %d", place,
                  type->attr.i64, (int)TN_MAX_NDIM);
  }
  int64_t text = wanted(f, type, place);
  int64_t dtype = type->op == TN_OP_TY_TENSOR ? (int64_t)type->dtype : TN_VM_MATCH_SHAPE;
  uint32_t n = tn_is_none(dims) ? 0 : dims->n_in;
  int64_t words[HEAD + TN_MAX_NDIM] = {TN_VM_MATCH, reg, text, dtype, type->attr.i64, n};
  for (uint32_t i = 0; i < n; ++i) {
    TN_TRY_MSG(match_dim(f, dims->in[i], is_late, &words[HEAD + i]), "%s", place);
  }
  tn_vm_put(f, (int32_t)(HEAD + n), words);
  return NULL;
}

/* A number whose value the type names goes through a shape of one extent, which can be compared. */
static tn_status match_prim(tn_vm_func *f, uint32_t reg, const tn_node *type, const char *place,
                            bool is_late) {
  const tn_node *value = type->in[0];
  bool is_float = tn_dtype_is_float(type->dtype);
  if (!is_late) {
    TN_VM_PUT(f, TN_VM_MATCH, reg, wanted(f, type, place),
              is_float ? TN_VM_MATCH_FLOAT : TN_VM_MATCH_INT, -1, 0);
  }
  if (is_float || tn_is_none(value)) {
    return NULL;
  }
  if (value->op == TN_OP_VAR && !tn_map_find(&f->slots, value->id, NULL)) {
    uint32_t slot = tn_vm_new_slot(f);
    tn_vm_set_slot(f, value, slot);
    TN_VM_PUT(f, TN_VM_TO_SLOT, slot, reg);
    return NULL;
  }
  int64_t dim = 0;
  TN_TRY_MSG(match_dim(f, value, is_late, &dim), "%s", place);
  if (dim == TN_VM_DIM_ANY) {
    return NULL;
  }
  uint32_t shape = tn_vm_temp_reg(f);
  TN_VM_PUT(f, TN_VM_MAKE_SHAPE, shape, 1, TN_ARGW(TN_ARGW_REG, reg));
  TN_VM_PUT(f, TN_VM_MATCH, shape, wanted(f, type, place), TN_VM_MATCH_SHAPE, 1, 1, dim);
  return NULL;
}

static bool has_late_part(const tn_node *type) {
  switch ((int)type->op) {
    case TN_OP_TY_TENSOR:
    case TN_OP_TY_SHAPE:
      return has_late_dims(type->in[0]);
    case TN_OP_TY_PRIM:
      return is_late_dim(type->in[0]);
    case TN_OP_TY_TUPLE:
      for (uint32_t i = 0; i < type->n_in; ++i) {
        if (has_late_part(type->in[i])) {
          return true;
        }
      }
      return false;
    default:
      return false;
  }
}

static tn_status match_tuple(tn_vm_func *f, uint32_t reg, const tn_node *type, const char *place,
                             bool is_late) {
  if (!is_late) {
    TN_VM_PUT(f, TN_VM_MATCH, reg, wanted(f, type, place), TN_VM_MATCH_TUPLE, type->n_in, 0);
  }
  for (uint32_t i = 0; i < type->n_in; ++i) {
    const tn_node *item = type->in[i];
    if (!(is_late ? has_late_part(item) : item->op != TN_OP_TY_OBJECT)) {
      continue;
    }
    uint32_t temp = tn_vm_temp_reg(f);
    TN_VM_PUT(f, TN_VM_TUPLE_GET, temp, reg, i);
    TN_TRY(tn_vm_match(f, temp, item, place, is_late));
  }
  return NULL;
}

tn_status tn_vm_match(tn_vm_func *f, uint32_t reg, const tn_node *type, const char *place,
                      bool is_late) {
  switch ((int)type->op) {
    case TN_OP_TY_TENSOR:
    case TN_OP_TY_SHAPE:
      return match_shaped(f, reg, type, place, is_late);
    case TN_OP_TY_PRIM:
      return match_prim(f, reg, type, place, is_late);
    case TN_OP_TY_TUPLE:
      return match_tuple(f, reg, type, place, is_late);
    case TN_OP_TY_FUNC:
      if (!is_late) {
        TN_VM_PUT(f, TN_VM_MATCH, reg, wanted(f, type, place), TN_VM_MATCH_FUNC, -1, 0);
      }
      return NULL;
    default:
      return NULL;
  }
}
