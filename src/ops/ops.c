/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The operator table (ops/ops.def) with fields, and the examples that tests run for every operator.
 */
#include "ops/ops.h"

#include "ops/families.h"

static const tn_field astype_fields[] = {
    {"dtype", TN_FIELD_DTYPE, NULL, "the element type of the result"},
};
static const tn_field matmul_fields[] = {
    {"out_dtype", TN_FIELD_DTYPE, "None", "element type of sums and result; None: the operands'"},
};
static const tn_field reduce_fields[] = {
    {"axis", TN_FIELD_INTS, "None", "axes to reduce; None: all"},
    {"keepdims", TN_FIELD_BOOL, "False", "keep reduced axes with extent 1"},
};
static const tn_field softmax_fields[] = {
    {"axis", TN_FIELD_INT, "-1", "the axis along which results sum to 1"},
};
static const tn_field permute_fields[] = {
    {"axes", TN_FIELD_INTS, "None", "for each axis of the result the operand's; None: reversed"},
};

#define COUNT(fields) N_##fields = sizeof(fields) / sizeof((fields)[0])
enum {
  N_no_fields = 0,
  COUNT(astype_fields),
  COUNT(matmul_fields),
  COUNT(reduce_fields),
  COUNT(softmax_fields),
  COUNT(permute_fields)
};
#undef COUNT
#define no_fields NULL

enum {
#define OP(id, ...) ROW_##id,
#include "ops/ops.def"
#undef OP
};

static const tn_op_def rows[] = {
#define OP(id, name_, family, n_args_, fields_, doc_)      \
  [ROW_##id] = {.def = {.name = (name_), .is_pure = true}, \
                .min_args = (n_args_),                     \
                .max_args = (n_args_),                     \
                .fields = fields_,                         \
                .n_fields = N_##fields_,                   \
                .doc = (doc_),                             \
                .infer = tn_op_infer_##family,             \
                .eval = tn_op_eval_##family,               \
                .lower = tn_op_lower_##family},
#include "ops/ops.def"
#undef OP
};

static const tn_op_def *const pointers[] = {
#define OP(id, ...) &rows[ROW_##id],
#include "ops/ops.def"
#undef OP
};

static const tn_op_table table = {.defs = pointers, .n = sizeof pointers / sizeof pointers[0]};

const tn_op_table *tn_ops_table(void) { return &table; }

/* ---- examples ---- */

static const tn_op_case cases[] = {
    {"add", "f32[2,3] f32[2,3]", "", "f32[2,3]"},
    {"add", "f32[2,3] f32[3]", "", "f32[2,3]"},
    {"add", "i32[2,1,3] i32[4,1]", "", "i32[2,4,3]"},
    {"subtract", "f64[] f64[5]", "", "f64[5]"},
    {"multiply", "i8[7] i8[7]", "", "i8[7]"},
    {"divide", "f32[2,3] f32[1,3]", "", "f32[2,3]"},
    {"floor_divide", "i32[5] i32[5]", "", "i32[5]"},
    {"floor_divide", "u8[5] u8[5]", "", "u8[5]"},
    {"power", "f64[2,2] f64[2]", "", "f64[2,2]"},
    {"maximum", "f32[4] f32[4]", "", "f32[4]"},
    {"minimum", "u8[4] u8[4]", "", "u8[4]"},
    {"equal", "i32[9] i32[9]", "", "bool[9]"},
    {"not_equal", "i32[9] i32[]", "", "bool[9]"},
    {"less", "f32[2,2] f32[2,2]", "", "bool[2,2]"},
    {"less_equal", "i64[9] i64[9]", "", "bool[9]"},
    {"greater", "u16[9] u16[9]", "", "bool[9]"},
    {"greater_equal", "f32[0,3] f32[3]", "", "bool[0,3]"},
    {"abs", "i16[6]", "", "i16[6]"},
    {"abs", "f32[6]", "", "f32[6]"},
    {"ceil", "f32[6]", "", "f32[6]"},
    {"floor", "f64[6]", "", "f64[6]"},
    {"cos", "f32[6]", "", "f32[6]"},
    {"sin", "f32[6]", "", "f32[6]"},
    {"erf", "f32[6]", "", "f32[6]"},
    {"exp", "f32[2,3]", "", "f32[2,3]"},
    {"log", "f64[6]", "", "f64[6]"},
    {"sqrt", "f32[6]", "", "f32[6]"},
    {"rsqrt", "f32[6]", "", "f32[6]"},
    {"negative", "i32[2,3]", "", "i32[2,3]"},
    {"nn.relu", "f32[2,3]", "", "f32[2,3]"},
    {"nn.relu", "i8[5]", "", "i8[5]"},
    {"sigmoid", "f32[5]", "", "f32[5]"},
    {"tanh", "f64[5]", "", "f64[5]"},
    {"astype", "f32[5]", "dtype=i32", "i32[5]"},
    {"astype", "i32[2,2]", "dtype=f16", "f16[2,2]"},
    {"astype", "f32[2,2]", "dtype=bool", "bool[2,2]"},
    {"matmul", "f32[2,3] f32[3,4]", "", "f32[2,4]"},
    {"matmul", "f32[3] f32[3,4]", "", "f32[4]"},
    {"matmul", "f32[2,3] f32[3]", "", "f32[2]"},
    {"matmul", "f32[3] f32[3]", "", "f32[]"},
    {"matmul", "f32[5,1,2,3] f32[4,3,2]", "", "f32[5,4,2,2]"},
    {"matmul", "i8[2,3] i8[3,2]", "out_dtype=i32", "i32[2,2]"},
    {"permute_dims", "f32[2,3,4]", "", "f32[4,3,2]"},
    {"permute_dims", "f32[2,3,4]", "axes=[0,2,-2]", "f32[2,4,3]"},
    {"sum", "f32[2,3,4]", "", "f32[]"},
    {"sum", "i32[2,3,4]", "axis=[1]", "i32[2,4]"},
    {"sum", "f32[2,3,4]", "axis=[-1,0] keepdims=1", "f32[1,3,1]"},
    {"mean", "f32[2,3]", "axis=[1]", "f32[2]"},
    {"max", "f32[2,3]", "axis=[0]", "f32[3]"},
    {"min", "u8[2,3]", "", "u8[]"},
    {"nn.softmax", "f32[2,5]", "", "f32[2,5]"},
    {"nn.softmax", "f32[3,2,2]", "axis=0", "f32[3,2,2]"},
};

const tn_op_case *tn_op_cases(uint32_t *out_n) {
  *out_n = sizeof cases / sizeof cases[0];
  return cases;
}
