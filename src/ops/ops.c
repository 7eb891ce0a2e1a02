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

static const tn_field arg_fields[] = {
    {"axis", TN_FIELD_INT, "None", "the axis to search; None: all, in row-major order"},
    {"keepdims", TN_FIELD_BOOL, "False", "keep reduced axes with extent 1"},
};
static const tn_field clip_fields[] = {
    {"min", TN_FIELD_FLOAT, NULL, "the least number"},
    {"max", TN_FIELD_FLOAT, NULL, "the greatest number"},
};
static const tn_field concat_fields[] = {
    {"axis", TN_FIELD_INT, "0", "the axis along which they stand"},
};
static const tn_field cumsum_fields[] = {
    {"axis", TN_FIELD_INT, "None", "the axis; None: of a vector"},
    {"dtype", TN_FIELD_DTYPE, "None", "element type of sums and result; None: the operand's"},
    {"exclusive", TN_FIELD_BOOL, "False", "without the element itself"},
};
static const tn_field expand_fields[] = {
    {"axis", TN_FIELD_INTS, NULL, "places of the new dimensions in the result"},
};
static const tn_field flip_fields[] = {
    {"axis", TN_FIELD_INT, NULL, "the axis"},
};
static const tn_field dtype_fields[] = {
    {"dtype", TN_FIELD_DTYPE, "None", "element type; None: the value's, or float32"},
};
static const tn_field dtype_like_fields[] = {
    {"dtype", TN_FIELD_DTYPE, "None", "element type; None: the operand's"},
};
static const tn_field adaptive_fields[] = {
    {"output_size", TN_FIELD_INTS, "None", "extents of the result; None: the operand's"},
    {"layout", TN_FIELD_STR, "\"NCHW\"", "order of the operand's dimensions"},
    {"out_layout", TN_FIELD_STR, "None", "order of the result's; None: the operand's"},
};
static const tn_field pool_fields[] = {
    {"pool_size", TN_FIELD_INTS, "[1, 1]", "extents of a window"},
    {"strides", TN_FIELD_INTS, "[1, 1]", "from one window to the next"},
    {"padding", TN_FIELD_INTS, "[0, 0]", "one, one a dimension, or all before and all after"},
    {"dilation", TN_FIELD_INTS, "[1, 1]", "from one element of a window to the next"},
    {"ceil_mode", TN_FIELD_BOOL, "False", "a last window may reach over the end"},
    {"count_include_pad", TN_FIELD_BOOL, "False", "means count the padding"},
    {"layout", TN_FIELD_STR, "\"NCHW\"", "order of the operand's dimensions"},
    {"out_layout", TN_FIELD_STR, "None", "order of the result's; None: the operand's"},
};
static const tn_field batch_norm_fields[] = {
    {"axis", TN_FIELD_INT, "1", "the axis that gamma and the others stand along"},
    {"epsilon", TN_FIELD_FLOAT, "1e-05", "added to the variance"},
    {"center", TN_FIELD_BOOL, "True", "add beta"},
    {"scale", TN_FIELD_BOOL, "True", "multiply by gamma"},
    {"momentum", TN_FIELD_FLOAT, "0.1", "of training; not used"},
    {"training", TN_FIELD_BOOL, "False", "True is refused"},
};
static const tn_field conv_fields[] = {
    {"strides", TN_FIELD_INTS, "[1, 1]", "from one window to the next"},
    {"padding", TN_FIELD_INTS, "[0, 0]", "one, one a dimension, or all before and all after"},
    {"dilation", TN_FIELD_INTS, "[1, 1]", "from one element of a window to the next"},
    {"groups", TN_FIELD_INT, "1", "parts of the channels that do not see each other"},
    {"data_layout", TN_FIELD_STR, "\"NCHW\"", "order of a's dimensions"},
    {"kernel_layout", TN_FIELD_STR, "\"OIHW\"", "order of b's dimensions"},
    {"out_layout", TN_FIELD_STR, "None", "order of the result's; None: a's"},
    {"out_dtype", TN_FIELD_DTYPE, "None", "element type of sums and result; None: a's"},
};
static const tn_field layer_norm_fields[] = {
    {"axes", TN_FIELD_INTS, "[-1]", "axes over which mean and variance are taken"},
    {"epsilon", TN_FIELD_FLOAT, "1e-05", "added to the variance"},
    {"center", TN_FIELD_BOOL, "True", "add beta"},
    {"scale", TN_FIELD_BOOL, "True", "multiply by gamma"},
};
static const tn_field rms_norm_fields[] = {
    {"axes", TN_FIELD_INTS, "[-1]", "axes over which the mean is taken"},
    {"epsilon", TN_FIELD_FLOAT, "1e-05", "added to the mean of squares"},
};
static const tn_field leaky_fields[] = {
    {"alpha", TN_FIELD_FLOAT, "0.01", "slope below 0"},
};
static const tn_field pad_fields[] = {
    {"pad_width", TN_FIELD_INTS, NULL, "before and after, for each dimension"},
    {"pad_value", TN_FIELD_FLOAT, "0.0", "the value"},
    {"pad_mode", TN_FIELD_STR, "\"constant\"", "the others are refused"},
};
static const tn_field prelu_fields[] = {
    {"axis", TN_FIELD_INT, "1", "the axis that b stands along"},
};
static const tn_field softplus_fields[] = {
    {"beta", TN_FIELD_FLOAT, "1.0", "how sharp the bend is"},
    {"threshold", TN_FIELD_FLOAT, "20.0", "above it the result is a itself"},
};
static const tn_field dropout_fields[] = {
    {"rate", TN_FIELD_FLOAT, "0.5", "of training; not used"},
};
static const tn_field one_hot_fields[] = {
    {"depth", TN_FIELD_INT, NULL, "extent of the new dimension"},
    {"axis", TN_FIELD_INT, "-1", "its place in the result"},
    {"dtype", TN_FIELD_DTYPE, "None", "element type; None: that of b"},
};
static const tn_field repeat_fields[] = {
    {"repeats", TN_FIELD_INT, NULL, "how often"},
    {"axis", TN_FIELD_INT, "None", "the axis; None: of a vector"},
};
static const tn_field split_fields[] = {
    {"indices_or_sections", TN_FIELD_INT_OR_INTS, NULL, "a number of parts, or where to cut"},
    {"axis", TN_FIELD_INT, "0", "the axis"},
};
static const tn_field squeeze_fields[] = {
    {"axis", TN_FIELD_INTS, "None", "dimensions to drop; None: all of extent 1"},
};
static const tn_field slice_fields[] = {
    {"axes", TN_FIELD_INTS, "None", "the axes; None: the first ones"},
    {"begin", TN_FIELD_INTS, NULL, "first element of each; below 0: from the end"},
    {"end", TN_FIELD_INTS, NULL, "one past the last; below 0: from the end"},
    {"strides", TN_FIELD_INTS, "None", "steps; below 0: backwards"},
    {"assume_inbound", TN_FIELD_BOOL, "False", "changes nothing: begin and end are always clamped"},
};
static const tn_field take_fields[] = {
    {"axis", TN_FIELD_INT, "None", "the axis; None: of a vector"},
    {"mode", TN_FIELD_STR, "\"fast\"",
     "an index out of range: \"clip\" and \"fast\" take the nearest"},
};
static const tn_field tile_fields[] = {
    {"repeats", TN_FIELD_INTS, NULL, "how often along each of the last dimensions"},
};
static const tn_field triangle_fields[] = {
    {"k", TN_FIELD_INT, "0", "the diagonal: 0 the main one, above it positive"},
};

#define COUNT(fields) N_##fields = sizeof(fields) / sizeof((fields)[0])
enum {
  N_no_fields = 0,
  COUNT(astype_fields),
  COUNT(matmul_fields),
  COUNT(reduce_fields),
  COUNT(softmax_fields),
  COUNT(permute_fields),
  COUNT(arg_fields),
  COUNT(clip_fields),
  COUNT(concat_fields),
  COUNT(cumsum_fields),
  COUNT(expand_fields),
  COUNT(flip_fields),
  COUNT(dtype_fields),
  COUNT(dtype_like_fields),
  COUNT(adaptive_fields),
  COUNT(pool_fields),
  COUNT(batch_norm_fields),
  COUNT(conv_fields),
  COUNT(layer_norm_fields),
  COUNT(rms_norm_fields),
  COUNT(leaky_fields),
  COUNT(pad_fields),
  COUNT(prelu_fields),
  COUNT(softplus_fields),
  COUNT(dropout_fields),
  COUNT(one_hot_fields),
  COUNT(repeat_fields),
  COUNT(split_fields),
  COUNT(squeeze_fields),
  COUNT(slice_fields),
  COUNT(take_fields),
  COUNT(tile_fields),
  COUNT(triangle_fields),
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
                .flags = TN_OP_FLAGS_##family,             \
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
    {"acos", "f32[6]", "", "f32[6]"},
    {"acosh", "f64[6]", "", "f64[6]"},
    {"asin", "f32[6]", "", "f32[6]"},
    {"asinh", "f32[6]", "", "f32[6]"},
    {"atan", "f32[6]", "", "f32[6]"},
    {"atanh", "f64[6]", "", "f64[6]"},
    {"cosh", "f32[6]", "", "f32[6]"},
    {"sinh", "f32[6]", "", "f32[6]"},
    {"tan", "f32[6]", "", "f32[6]"},
    {"trunc", "f32[6]", "", "f32[6]"},
    {"round", "f32[6]", "", "f32[6]"},
    {"sign", "f32[6]", "", "f32[6]"},
    {"sign", "i8[9]", "", "i8[9]"},
    {"sign", "u8[9]", "", "u8[9]"},
    {"square", "i32[5]", "", "i32[5]"},
    {"isnan", "f32[5]", "", "bool[5]"},
    {"isinf", "f64[5]", "", "bool[5]"},
    {"isfinite", "f16[5]", "", "bool[5]"},
    {"clip", "f32[9]", "min=-0.5 max=0.25", "f32[9]"},
    {"clip", "i8[9]", "min=-3 max=1000", "i8[9]"},
    {"clip", "u8[9]", "min=-1 max=5", "u8[9]"},
    {"logical_not", "bool[9]", "", "bool[9]"},
    {"bitwise_not", "u8[9]", "", "u8[9]"},
    {"bitwise_not", "bool[9]", "", "bool[9]"},
    {"nn.gelu", "f32[7]", "", "f32[7]"},
    {"nn.gelu_tanh", "f32[7]", "", "f32[7]"},
    {"nn.leakyrelu", "f32[7]", "alpha=0.2", "f32[7]"},
    {"nn.relu6", "f32[7]", "", "f32[7]"},
    {"nn.relu6", "i32[9]", "", "i32[9]"},
    {"nn.selu", "f32[7]", "", "f32[7]"},
    {"nn.silu", "f32[7]", "", "f32[7]"},
    {"nn.softplus", "f32[7]", "beta=2 threshold=1", "f32[7]"},
    {"nn.prelu", "f32[2,3,2] f32[3]", "", "f32[2,3,2]"},
    {"mod", "i32[9] i32[9]", "", "i32[9]"},
    {"mod", "f32[9] f32[9]", "", "f32[9]"},
    {"floor_mod", "i16[9] i16[9]", "", "i16[9]"},
    {"floor_mod", "f32[9] f32[9]", "", "f32[9]"},
    {"atan2", "f32[9] f32[9]", "", "f32[9]"},
    {"log_add_exp", "f32[9] f32[9]", "", "f32[9]"},
    {"bitwise_and", "u8[9] u8[9]", "", "u8[9]"},
    {"bitwise_or", "i32[9] i32[9]", "", "i32[9]"},
    {"bitwise_xor", "bool[9] bool[9]", "", "bool[9]"},
    {"left_shift", "i8[9] i8[9]", "", "i8[9]"},
    {"right_shift", "i8[9] i8[9]", "", "i8[9]"},
    {"right_shift", "u16[9] u16[9]", "", "u16[9]"},
    {"logical_and", "bool[9] bool[9]", "", "bool[9]"},
    {"logical_or", "bool[9] bool[]", "", "bool[9]"},
    {"logical_xor", "bool[9] bool[9]", "", "bool[9]"},
    {"prod", "f32[2,3]", "axis=[1]", "f32[2]"},
    {"prod", "i32[2,3]", "", "i32[]"},
    {"variance", "f32[3,4]", "axis=[1]", "f32[3]"},
    {"variance", "f16[3,4]", "axis=[0] keepdims=1", "f16[1,4]"},
    {"std", "f64[3,4]", "", "f64[]"},
    {"argmax", "f32[3,4]", "axis=1", "i64[3]"},
    {"argmax", "i8[3,4]", "", "i64[]"},
    {"argmin", "u8[3,4,2]", "axis=1 keepdims=1", "i64[3,1,2]"},
    {"argmin", "f32[3,4]", "axis=0", "i64[4]"},
    {"cumsum", "f32[5]", "", "f32[5]"},
    {"cumsum", "i8[2,5,2]", "axis=1 dtype=i32", "i32[2,5,2]"},
    {"cumsum", "f64[2,5]", "axis=-1 exclusive=1", "f64[2,5]"},
    {"concat", "(f32[2,3] f32[1,3])", "", "f32[3,3]"},
    {"concat", "(i8[2,3] i8[2,1] i8[2,0])", "axis=-1", "i8[2,4]"},
    {"split", "f32[2,6]", "indices_or_sections=3 axis=1", "(f32[2,2] f32[2,2] f32[2,2])"},
    {"split", "f32[5]", "indices_or_sections=[1,4]", "(f32[1] f32[3] f32[1])"},
    {"split", "i32[5]", "indices_or_sections=2", "(i32[3] i32[2])"},
    {"take", "f32[3,4] i32[2]", "axis=0", "f32[2,4]"},
    {"take", "f32[4] i64[2,2]", "", "f32[2,2]"},
    {"take", "i8[2,3,2] u8[2]", "axis=1 mode=clip", "i8[2,2,2]"},
    {"where", "bool[4] f32[4] f32[4]", "", "f32[4]"},
    {"where", "bool[2,1] i8[3] i8[]", "", "i8[2,3]"},
    {"one_hot", "i32[3] f32[] f32[]", "depth=4", "f32[3,4]"},
    {"one_hot", "i64[2,3] i8[] i8[]", "depth=3 axis=0 dtype=i32", "i32[3,2,3]"},
    {"squeeze", "f32[1,3,1,2]", "", "f32[3,2]"},
    {"squeeze", "f32[1,3,1]", "axis=[-1]", "f32[1,3]"},
    {"expand_dims", "f32[3,2]", "axis=[0,-1]", "f32[1,3,2,1]"},
    {"flatten", "i32[2,3,2]", "", "i32[12]"},
    {"broadcast_to", "f32[3,1] shape[2,3,4]", "", "f32[2,3,4]"},
    {"strided_slice", "f32[5,4]", "axes=[1] begin=[1] end=[3]", "f32[5,2]"},
    {"strided_slice", "f32[5,4]", "begin=[-4,100] end=[-1,-100] strides=[2,-1]", "f32[2,4]"},
    {"nn.pad", "f32[2,3]", "pad_width=[1,0,0,2] pad_value=1.5", "f32[3,5]"},
    {"nn.pad", "i8[2]", "pad_width=[1,1]", "i8[4]"},
    {"flip", "f32[2,3]", "axis=1", "f32[2,3]"},
    {"repeat", "f32[2,3]", "repeats=2 axis=0", "f32[4,3]"},
    {"tile", "f32[2,3]", "repeats=[2,1,2]", "f32[2,2,6]"},
    {"tril", "f32[3,4]", "", "f32[3,4]"},
    {"triu", "i32[2,3,3]", "k=1", "i32[2,3,3]"},
    {"full", "shape[2,3] f32[]", "", "f32[2,3]"},
    {"full", "shape[2] f32[]", "dtype=i32", "i32[2]"},
    {"full_like", "f16[2] f32[]", "", "f16[2]"},
    {"zeros", "shape[2,2]", "dtype=i8", "i8[2,2]"},
    {"ones", "shape[]", "", "f32[]"},
    {"zeros_like", "f64[3]", "", "f64[3]"},
    {"ones_like", "f32[3]", "dtype=bool", "bool[3]"},
    {"nn.conv1d", "f32[1,2,7] f32[3,2,3]", "padding=1 strides=2 data_layout=NCW kernel_layout=OIW",
     "f32[1,3,4]"},
    {"nn.conv2d", "f32[1,3,5,6] f32[4,3,3,3]", "", "f32[1,4,3,4]"},
    {"nn.conv2d", "f32[2,4,5,5] f32[6,2,3,2]",
     "strides=[2,1] padding=[1,0,2,1] dilation=[1,2] groups=2", "f32[2,6,3,4]"},
    {"nn.conv2d", "f32[1,3,4,4] f32[3,1,3,3]", "padding=1 groups=3", "f32[1,3,4,4]"},
    {"nn.conv2d", "i8[1,4,4,2] i8[2,2,2,3]", "data_layout=NHWC kernel_layout=HWIO out_dtype=i32",
     "i32[1,3,3,3]"},
    {"nn.conv3d", "f32[1,1,3,3,3] f32[2,1,2,2,2]", "data_layout=NCDHW kernel_layout=OIDHW",
     "f32[1,2,2,2,2]"},
    {"nn.max_pool1d", "f32[1,2,5]", "pool_size=2 layout=NCW", "f32[1,2,4]"},
    {"nn.max_pool2d", "f32[1,2,5,5]", "pool_size=3 strides=2 padding=1", "f32[1,2,3,3]"},
    {"nn.max_pool2d", "i8[1,4,4,2]", "pool_size=[2,3] layout=NHWC out_layout=NCHW", "i8[1,2,3,2]"},
    {"nn.max_pool3d", "f32[1,1,3,3,3]", "pool_size=2 layout=NCDHW", "f32[1,1,2,2,2]"},
    {"nn.avg_pool1d", "f32[1,2,5]", "pool_size=2 strides=2 ceil_mode=1 layout=NCW", "f32[1,2,3]"},
    {"nn.avg_pool2d", "f32[1,2,5,5]", "pool_size=2 strides=2 padding=1", "f32[1,2,3,3]"},
    {"nn.avg_pool2d", "f32[1,2,5,5]",
     "pool_size=2 strides=2 padding=1 dilation=2 ceil_mode=1 count_include_pad=1", "f32[1,2,3,3]"},
    {"nn.avg_pool2d", "f32[1,1,5,6]",
     "pool_size=3 strides=2 padding=[1,2,2,1] dilation=2 ceil_mode=1", "f32[1,1,3,3]"},
    {"nn.avg_pool2d", "i32[1,1,4,4]", "pool_size=2", "i32[1,1,3,3]"},
    {"nn.avg_pool3d", "f32[1,1,3,3,3]", "pool_size=2 layout=NCDHW", "f32[1,1,2,2,2]"},
    {"nn.adaptive_avg_pool1d", "f32[1,2,5]", "output_size=3 layout=NCW", "f32[1,2,3]"},
    {"nn.adaptive_avg_pool2d", "f32[1,2,4,6]", "output_size=[2,3]", "f32[1,2,2,3]"},
    {"nn.adaptive_avg_pool2d", "f32[1,3,5,2]", "output_size=1 layout=NHWC", "f32[1,1,1,2]"},
    {"nn.adaptive_avg_pool2d", "f32[1,1,3,7]", "output_size=[2,4]", "f32[1,1,2,4]"},
    {"nn.adaptive_avg_pool2d", "f32[1,1,0,4]", "", "f32[1,1,0,4]"},
    {"nn.adaptive_avg_pool3d", "f32[1,1,2,2,4]", "output_size=[1,2,2] layout=NCDHW",
     "f32[1,1,1,2,2]"},
    {"nn.batch_norm", "f32[2,3,2] f32[3] f32[3] f32[3] f32[3]", "", "(f32[2,3,2] f32[3] f32[3])"},
    {"nn.batch_norm", "f16[2,3] f16[3] f16[3] f16[3] f16[3]",
     "axis=-1 epsilon=0.5 center=0 scale=0", "(f16[2,3] f16[3] f16[3])"},
    {"nn.layer_norm", "f32[2,3,4] f32[4] f32[4]", "", "f32[2,3,4]"},
    {"nn.layer_norm", "f32[2,3,4] f32[3,4] f32[3,4]", "axes=[1,2] center=0", "f32[2,3,4]"},
    {"nn.rms_norm", "f32[2,5] f32[5]", "epsilon=0.1", "f32[2,5]"},
    {"nn.dropout", "f32[2,3]", "rate=0.1", "(f32[2,3] f32[2,3])"},
    {"nn.log_softmax", "f32[2,5]", "", "f32[2,5]"},
    {"nn.log_softmax", "f64[2,3,2]", "axis=1", "f64[2,3,2]"},
};

const tn_op_case *tn_op_cases(uint32_t *out_n) {
  *out_n = sizeof cases / sizeof cases[0];
  return cases;
}
