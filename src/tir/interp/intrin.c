/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The interpreter's compiler for intrinsics: mathematics, hints, pointers and calls by name. */
#include <string.h>

#include "tir/interp/interp_priv.h"
#include "tir/math/math.h"

enum { MAX_ARGS = 4 };

/* Values of all arguments. */
static tn_status args_of(tn_icomp *c, const tn_node *n, tn_ival *args) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    TN_TRY(tn_icomp_expr(c, n->in[i], &args[i]));
  }
  return NULL;
}

/* One operation with the rounding of its type. */
static void step(tn_icomp *c, tn_dtype dtype, tn_iop op_f, tn_iop op_d, uint32_t x, int32_t d,
                 int32_t a, int32_t b) {
  tn_icomp_emit(c, tn_dtype_elem(dtype) == TN_DT_F64 ? op_d : op_f, x, d, a, b, 0);
  tn_icomp_norm(c, dtype, d);
}

static void test_lane(tn_icomp *c, tn_intrin_id id, bool is_double, int32_t d, int32_t a) {
  tn_iop op = id == TN_INTRIN_ISNAN   ? (is_double ? TN_IOP_ISNAN_D : TN_IOP_ISNAN_F)
              : id == TN_INTRIN_ISINF ? (is_double ? TN_IOP_ISINF_D : TN_IOP_ISINF_F)
                                      : (is_double ? TN_IOP_ISFINITE_D : TN_IOP_ISFINITE_F);
  tn_icomp_emit(c, op, 0, d, a, 0, 0);
}

static void int_lane(tn_icomp *c, tn_intrin_id id, tn_dtype dtype, int32_t d, const int32_t *a) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (id == TN_INTRIN_ABS) {
    tn_icomp_emit(c, tn_dtype_is_int(dtype) ? TN_IOP_ABS : TN_IOP_MOV, 0, d, a[0], 0, 0);
  } else if (id == TN_INTRIN_POPCOUNT) {
    tn_icomp_emit(c, TN_IOP_POPCOUNT, bits, d, a[0], 0, 0);
  } else if (id == TN_INTRIN_CLZ) {
    tn_icomp_emit(c, TN_IOP_CLZ, bits, d, a[0], 0, 0);
  } else {
    int32_t list = (int32_t)c->prog->lists.len;
    TN_VEC_PUSH(&c->prog->lists, a[2]);
    TN_VEC_PUSH(&c->prog->lists, a[3]);
    tn_icomp_emit(c, TN_IOP_QMUL, 0, d, a[0], a[1], list);
  }
  tn_icomp_norm(c, dtype, d);
}

/* A function of functions.def. */
static void own_lane(tn_icomp *c, int32_t row, tn_dtype dtype, int32_t d, const int32_t *a) {
  static const tn_iop ops[][2] = {[TN_MATH_F] = {TN_IOP_OWN1_F, TN_IOP_OWN1_D},
                                  [TN_MATH_FF] = {TN_IOP_OWN2_F, TN_IOP_OWN2_D},
                                  [TN_MATH_FI] = {TN_IOP_OWNI_F, TN_IOP_OWNI_D}};
  const tn_iop *op = ops[tn_math_fns[row].shape];
  bool is_half = dtype == TN_DT_F16 || dtype == TN_DT_BF16;
  if (is_half && tn_math_fns[row].id == TN_INTRIN_NEXTAFTER) {
    tn_icomp_emit(c, dtype == TN_DT_F16 ? TN_IOP_NEXT_F16 : TN_IOP_NEXT_BF16, 0, d, a[0], a[1], 0);
    tn_icomp_norm(c, dtype, d); /* past the largest lies infinity */
    return;
  }
  step(c, dtype, op[0], op[1], (uint32_t)row, d, a[0], a[1]);
}

static tn_status math_lane(tn_icomp *c, const tn_node *n, int32_t d, const int32_t *a) {
  const tn_intrin *intrin = tn_intrin_of(n);
  tn_dtype dtype = tn_dtype_elem(n->in[0]->dtype);
  bool is_double = dtype == TN_DT_F64;
  const char *name = intrin->def.name;
  int32_t own = tn_dtype_is_float(dtype) ? tn_math_find(intrin->id) : -1;
  if (own >= 0) {
    own_lane(c, own, dtype, d, a);
    return NULL;
  }
  switch (intrin->id) {
    case TN_INTRIN_ISNAN:
    case TN_INTRIN_ISINF:
    case TN_INTRIN_ISFINITE:
      test_lane(c, intrin->id, is_double, d, a[0]);
      return NULL;
    case TN_INTRIN_FMA:
      tn_icomp_emit(c, is_double ? TN_IOP_FMA_D : TN_IOP_FMA_F, 0, d, a[0], a[1], a[2]);
      tn_icomp_norm(c, dtype, d);
      return NULL;
    case TN_INTRIN_ROUND:
      name = "nearbyint"; /* half to even, unlike C's round */
      break;
    case TN_INTRIN_ABS:
      name = "fabs";
      break;
    default:
      break;
  }
  if (!tn_dtype_is_float(dtype)) {
    int_lane(c, intrin->id, dtype, d, a);
    return NULL;
  }
  int32_t row1 = n->n_in == 1 ? tn_imath1_find(name) : -1;
  int32_t row2 = n->n_in == 2 ? tn_imath2_find(name) : -1;
  if (row1 < 0 && row2 < 0) {
    return tn_icomp_error(c, TN_UNSUPPORTED, "the interpreter has no T.%s", intrin->def.name);
  }
  if (row1 >= 0) {
    step(c, dtype, TN_IOP_MATH1_F, TN_IOP_MATH1_D, (uint32_t)row1, d, a[0], 0);
  } else {
    step(c, dtype, TN_IOP_MATH2_F, TN_IOP_MATH2_D, (uint32_t)row2, d, a[0], a[1]);
  }
  return NULL;
}

static tn_status math(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_ival args[MAX_ARGS];
  if (n->n_in == 0 || n->n_in > MAX_ARGS) {
    return tn_icomp_error(c, TN_INVALID, "T.%s with %u arguments", n->attr.def->name, n->n_in);
  }
  TN_TRY(args_of(c, n, args));
  *out = tn_icomp_new_value(c, tn_dtype_lanes(n->dtype));
  for (uint32_t l = 0; l < out->lanes; ++l) {
    int32_t a[MAX_ARGS] = {0};
    for (uint32_t i = 0; i < n->n_in; ++i) {
      a[i] = tn_icomp_lane(c, args[i], l);
    }
    TN_TRY(math_lane(c, n, tn_icomp_lane(c, *out, l), a));
  }
  return NULL;
}

/* ---- lanes (tn_tir_expand says the same in expressions) ---- */

static tn_status take_lanes(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_ival args[2];
  uint32_t lanes = tn_dtype_lanes(n->dtype);
  uint32_t own = tn_dtype_lanes(n->in[0]->dtype);
  uint32_t first = tn_intrin_of(n)->id == TN_INTRIN_VECTORHIGH ? lanes : 0;
  TN_TRY(args_of(c, n, args));
  *out = tn_icomp_new_value(c, lanes);
  for (uint32_t l = 0; l < lanes; ++l) {
    uint32_t at = first + l;
    int32_t from = at < own ? tn_icomp_lane(c, args[0], at) : tn_icomp_lane(c, args[1], at - own);
    tn_icomp_emit(c, TN_IOP_MOV, 0, tn_icomp_lane(c, *out, l), from, 0, 0);
  }
  return NULL;
}

static tn_status dot(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_ival args[3];
  TN_TRY(args_of(c, n, args));
  *out = tn_icomp_new_value(c, 1);
  int32_t sum = tn_icomp_lane(c, *out, 0);
  int32_t product = tn_icomp_temp(c);
  int32_t start = n->n_in > 2 ? tn_icomp_lane(c, args[2], 0) : tn_icomp_const_i(c, 0);
  tn_icomp_emit(c, TN_IOP_MOV, 0, sum, start, 0, 0);
  for (uint32_t l = 0; l < tn_dtype_lanes(n->in[0]->dtype); ++l) {
    tn_icomp_emit(c, TN_IOP_MUL_I32, 0, product, tn_icomp_lane(c, args[0], l),
                  tn_icomp_lane(c, args[1], l), 0);
    tn_icomp_emit(c, TN_IOP_ADD_I32, 0, sum, sum, product, 0);
  }
  return NULL;
}

static tn_status lane_mask(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_ival args[2];
  bool is_unsigned = tn_dtype_is_uint(n->in[0]->dtype);
  TN_TRY(args_of(c, n, args));
  *out = tn_icomp_new_value(c, tn_dtype_lanes(n->dtype));
  int32_t base = tn_icomp_lane(c, args[0], 0);
  int32_t limit = tn_icomp_lane(c, args[1], 0);
  int32_t any = tn_icomp_temp(c);
  int32_t left = tn_icomp_temp(c);
  tn_icomp_emit(c, is_unsigned ? TN_IOP_LT_U : TN_IOP_LT, 0, any, base, limit, 0);
  tn_icomp_emit(c, TN_IOP_SUB, 0, left, limit, base, 0);
  for (uint32_t l = 0; l < out->lanes; ++l) {
    int32_t d = tn_icomp_lane(c, *out, l);
    tn_icomp_emit(c, TN_IOP_LT_U, 0, d, tn_icomp_const_i(c, l), left, 0);
    tn_icomp_emit(c, TN_IOP_BAND, 0, d, d, any, 0);
  }
  return NULL;
}

static tn_status vector(tn_icomp *c, const tn_node *n, tn_ival *out) {
  switch ((int)tn_intrin_of(n)->id) {
    case TN_INTRIN_DP4A:
      return dot(c, n, out);
    case TN_INTRIN_GET_ACTIVE_LANE_MASK:
      return lane_mask(c, n, out);
    default:
      return take_lanes(c, n, out);
  }
}

/* ---- pointers ---- */

/* tvm_access_ptr(type, data, offset, extent, mask): the address of element `offset`. */
static tn_status access_ptr(tn_icomp *c, const tn_node *n, tn_ival *out) {
  const tn_node *type = n->in[0];
  tn_dtype elem = tn_is(type, TN_OP_DTYPE) ? (tn_dtype)type->attr.i64 : type->dtype;
  int32_t data = 0;
  int32_t offset = 0;
  if (tn_dtype_is_packed(elem)) {
    return tn_icomp_error(c, TN_UNSUPPORTED,
                          "a pointer to elements of 4 bits: two of them share a byte");
  }
  TN_TRY(tn_icomp_scalar(c, n->in[1], &data));
  TN_TRY(tn_icomp_scalar(c, n->in[2], &offset));
  *out = tn_icomp_new_value(c, 1);
  tn_icomp_emit(c, TN_IOP_OFFSET, (uint32_t)tn_dtype_bytes(elem), tn_icomp_lane(c, *out, 0), data,
                offset, 0);
  return NULL;
}

/* ---- calls by name ---- */

/* A libm function: its float64 name, or that with "f" for float32. */
static tn_status call_extern(tn_icomp *c, const tn_node *n, tn_ival *out) {
  const char *name = n->in[0]->attr.text;
  uint32_t n_args = n->n_in - 1;
  char base[32] = "";
  size_t len = strlen(name);
  bool is_float = n->dtype == TN_DT_F32 && len > 1 && name[len - 1] == 'f';
  if (len < sizeof base) {
    memcpy(base, name, is_float ? len - 1 : len);
  }
  bool fits = is_float || n->dtype == TN_DT_F64;
  for (uint32_t i = 0; i < n_args; ++i) {
    fits = fits && n->in[1 + i]->dtype == n->dtype;
  }
  int32_t row = !fits         ? -1
                : n_args == 1 ? tn_imath1_find(base)
                : n_args == 2 ? tn_imath2_find(base)
                              : -1;
  if (row < 0) {
    return tn_icomp_error(
        c, TN_UNSUPPORTED,
        "the interpreter cannot call the C function '%s': it knows libm's functions of one and two "
        "float32 or float64",
        name);
  }
  int32_t a[2] = {0};
  for (uint32_t i = 0; i < n_args; ++i) {
    TN_TRY(tn_icomp_scalar(c, n->in[1 + i], &a[i]));
  }
  *out = tn_icomp_new_value(c, 1);
  if (n_args == 1) {
    step(c, n->dtype, TN_IOP_MATH1_F, TN_IOP_MATH1_D, (uint32_t)row, tn_icomp_lane(c, *out, 0),
         a[0], 0);
  } else {
    step(c, n->dtype, TN_IOP_MATH2_F, TN_IOP_MATH2_D, (uint32_t)row, tn_icomp_lane(c, *out, 0),
         a[0], a[1]);
  }
  return NULL;
}

static tn_status call_packed(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_icall call = {.n_args = n->n_in - 1};
  call.name = tn_arena_strndup(&c->prog->arena, n->in[0]->attr.text, strlen(n->in[0]->attr.text));
  call.args = tn_arena_alloc(&c->prog->arena, sizeof *call.args * call.n_args, _Alignof(tn_icall));
  for (uint32_t i = 0; i < call.n_args; ++i) {
    const tn_node *arg = n->in[1 + i];
    call.args[i].dtype = arg->dtype;
    call.args[i].buffer = -1;
    call.args[i].text = NULL;
    if (tn_is(arg, TN_OP_STR)) {
      call.args[i].text = tn_arena_strndup(&c->prog->arena, arg->attr.text, strlen(arg->attr.text));
    } else if (tn_is(arg, TN_OP_BUFFER)) {
      TN_TRY(tn_icomp_use_buffer(c, arg, &call.args[i].buffer));
    } else {
      TN_TRY(tn_icomp_scalar(c, arg, &call.args[i].slot));
    }
  }
  *out = tn_icomp_new_value(c, 1);
  TN_VEC_PUSH(&c->prog->calls, call);
  tn_icomp_emit(c, TN_IOP_CALL, 0, tn_icomp_lane(c, *out, 0), 0, 0,
                (int32_t)c->prog->calls.len - 1);
  ++c->epoch; /* it may have written anywhere */
  return NULL;
}

static tn_status refuse(const tn_icomp *c, const tn_node *n) {
  const tn_intrin *intrin = tn_intrin_of(n);
  bool is_named = intrin->kind == TN_IK_CALL && n->n_in > 0 && tn_is(n->in[0], TN_OP_STR);
  if (is_named) {
    return tn_icomp_error(c, TN_UNSUPPORTED, "the interpreter has no intrinsic '%s' (T.%s)",
                          n->in[0]->attr.text, intrin->def.name);
  }
  return tn_icomp_error(c, TN_UNSUPPORTED, "the interpreter has no T.%s", intrin->def.name);
}

/* ---- hints ---- */

static tn_status assume(tn_icomp *c, const tn_node *n, tn_ival *out) {
  int32_t cond = 0;
  TN_TRY(tn_icomp_scalar(c, n->in[0], &cond));
  int32_t skip = tn_icomp_emit(c, TN_IOP_JNZ, 0, 0, cond, 0, 0);
  tn_icomp_emit(c, TN_IOP_FAIL_ASSERT, 0, 0, 0, 0,
                tn_icomp_text(c, "what T.assume promises does not hold"));
  tn_icomp_land(c, skip);
  *out = tn_icomp_slot_value(c, tn_icomp_const_i(c, 0));
  return NULL;
}

tn_status tn_icomp_intrin(tn_icomp *c, const tn_node *n, tn_ival *out) {
  const tn_intrin *intrin = tn_intrin_of(n);
  switch (intrin->kind) {
    case TN_IK_MATH:
      return math(c, n, out);
    case TN_IK_VECTOR:
      return vector(c, n, out);
    case TN_IK_OPAQUE:
      return refuse(c, n);
    case TN_IK_CALL:
    case TN_IK_MEMORY:
    case TN_IK_HINT:
      break;
  }
  switch (intrin->id) {
    case TN_INTRIN_LIKELY:
      return tn_icomp_expr(c, n->in[0], out);
    case TN_INTRIN_ASSUME:
      return assume(c, n, out);
    case TN_INTRIN_UNDEF:
    case TN_INTRIN_PREFETCH:
      *out = tn_icomp_slot_value(c, tn_icomp_const_i(c, 0));
      return NULL;
    case TN_INTRIN_ADDRESS_OF:
      return tn_icomp_address_of(c, n->in[0], out);
    case TN_INTRIN_TVM_ACCESS_PTR:
      return access_ptr(c, n, out);
    case TN_INTRIN_CALL_EXTERN:
    case TN_INTRIN_CALL_PURE_EXTERN:
      return call_extern(c, n, out);
    case TN_INTRIN_CALL_PACKED:
    case TN_INTRIN_CALL_CPACKED:
      return call_packed(c, n, out);
    default:
      return refuse(c, n);
  }
}
