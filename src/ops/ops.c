/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The operator table (ops/ops.def) with the fields of its rows. */
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
static const tn_field attention_fields[] = {
    {"scale", TN_FIELD_FLOAT, "None", "what products are multiplied by; None: 1 / sqrt(size)"},
    {"causal_mask", TN_FIELD_STR, "None",
     "\"TopLeft\": query i sees the keys up to i; \"BottomRight\": the last query sees all"},
    {"window_size", TN_FIELD_INT, "None", "others are refused"},
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
     "an index out of range: \"clip\" and \"fast\" take the nearest, \"wrap\" goes on at the other "
     "end"},
};
static const tn_field tile_fields[] = {
    {"repeats", TN_FIELD_INTS, NULL, "how often along each of the last dimensions"},
};
static const tn_field triangle_fields[] = {
    {"k", TN_FIELD_INT, "0", "the diagonal: 0 the main one, above it positive"},
};
static const tn_field gather_fields[] = {
    {"axis", TN_FIELD_INT, "0", "the axis that the indices walk along"},
};
static const tn_field gather_nd_fields[] = {
    {"batch_dims", TN_FIELD_INT, "0", "first dimensions that both have and no index names"},
};
static const tn_field scatter_fields[] = {
    {"axis", TN_FIELD_INT, "0", "the axis that the indices walk along"},
    {"reduction", TN_FIELD_STR, "\"update\"",
     "how an update meets what is there: update, add, mul, max, min"},
};
static const tn_field scatter_nd_fields[] = {
    {"reduction", TN_FIELD_STR, "\"update\"",
     "how an update meets what is there: update, add, mul, max, min"},
};
static const tn_field sort_fields[] = {
    {"axis", TN_FIELD_INT, "-1", "the axis"},
    {"descending", TN_FIELD_BOOL, "False", "the largest first"},
};
static const tn_field argsort_fields[] = {
    {"axis", TN_FIELD_INT, "-1", "the axis"},
    {"descending", TN_FIELD_BOOL, "False", "the largest first"},
    {"dtype", TN_FIELD_DTYPE, "\"int32\"", "type of the places"},
};
static const tn_field topk_fields[] = {
    {"k", TN_FIELD_INT, "1", "how many"},
    {"axis", TN_FIELD_INT, "-1", "the axis"},
    {"ret_type", TN_FIELD_STR, "\"both\"", "values, indices, or both as a tuple"},
    {"largest", TN_FIELD_BOOL, "True", "False: the smallest"},
    {"dtype", TN_FIELD_DTYPE, "\"int32\"", "type of the places"},
};
static const tn_field quantize_fields[] = {
    {"axis", TN_FIELD_INT, "-1", "the axis that scale and zero point stand along"},
    {"out_dtype", TN_FIELD_DTYPE, "\"int8\"", "an integer type"},
    {"block_size", TN_FIELD_INT, "0",
     "elements of the axis that share a scale, of a's rank then; 0: one along the axis"},
};
static const tn_field dequantize_fields[] = {
    {"axis", TN_FIELD_INT, "-1", "the axis that scale and zero point stand along"},
    {"out_dtype", TN_FIELD_DTYPE, "\"float32\"", "a float type"},
    {"block_size", TN_FIELD_INT, "0",
     "elements of the axis that share a scale, of a's rank then; 0: one along the axis"},
};
static const tn_field conv_transpose_fields[] = {
    {"strides", TN_FIELD_INTS, "[1, 1]", "from one element's window to the next"},
    {"padding", TN_FIELD_INTS, "[0, 0]",
     "what is cut off: one, one a dimension, or all before and all after"},
    {"output_padding", TN_FIELD_INTS, "[0, 0]", "what the result has more at its ends"},
    {"dilation", TN_FIELD_INTS, "[1, 1]", "from one element of a window to the next"},
    {"groups", TN_FIELD_INT, "1", "parts of the channels that do not see each other"},
    {"data_layout", TN_FIELD_STR, "\"NCHW\"", "order of a's dimensions"},
    {"kernel_layout", TN_FIELD_STR, "\"IOHW\"", "order of b's dimensions"},
    {"out_layout", TN_FIELD_STR, "None", "order of the result's; None: a's"},
    {"out_dtype", TN_FIELD_DTYPE, "None", "element type of sums and result; None: a's"},
};
static const tn_field instance_norm_fields[] = {
    {"channel_axis", TN_FIELD_INT, "1", "the axis that gamma and beta stand along"},
    {"axes", TN_FIELD_INTS, NULL, "axes over which mean and variance are taken"},
    {"epsilon", TN_FIELD_FLOAT, "1e-05", "added to the variance"},
    {"center", TN_FIELD_BOOL, "True", "add beta"},
    {"scale", TN_FIELD_BOOL, "True", "multiply by gamma"},
};
static const tn_field group_norm_fields[] = {
    {"num_groups", TN_FIELD_INT, NULL, "groups that the channels form"},
    {"channel_axis", TN_FIELD_INT, "1", "the axis that gamma and beta stand along"},
    {"axes", TN_FIELD_INTS, NULL,
     "axes over which mean and variance are taken, beside the channels"},
    {"epsilon", TN_FIELD_FLOAT, "1e-05", "added to the variance"},
    {"center", TN_FIELD_BOOL, "True", "add beta"},
    {"scale", TN_FIELD_BOOL, "True", "multiply by gamma"},
};
static const tn_field resize_fields[] = {
    {"layout", TN_FIELD_STR, "\"NCHW\"", "order of the data's dimensions"},
    {"method", TN_FIELD_STR, "\"linear\"", "nearest_neighbor, linear, cubic"},
    {"coordinate_transformation_mode", TN_FIELD_STR, "\"half_pixel\"",
     "where an element of the result lies in the data"},
    {"rounding_method", TN_FIELD_STR, "\"round\"",
     "of the nearest: round and round_prefer_floor, round_prefer_ceil, floor, ceil"},
    {"cubic_alpha", TN_FIELD_FLOAT, "-0.75", "the cubic's slope"},
    {"cubic_exclude", TN_FIELD_INT, "0", "1: neighbours outside of the data have no weight"},
    {"extrapolation_value", TN_FIELD_FLOAT, "0.0",
     "of tf_crop_and_resize: what is outside of the data"},
};
static const tn_field resize_axis_fields[] = {
    {"axis", TN_FIELD_INT, NULL, "the axis"},
    {"method", TN_FIELD_STR, "\"linear\"", "nearest_neighbor, linear, cubic"},
    {"coordinate_transformation_mode", TN_FIELD_STR, "\"half_pixel\"",
     "where an element of the result lies in the data"},
    {"rounding_method", TN_FIELD_STR, "\"round\"",
     "of the nearest: round and round_prefer_floor, round_prefer_ceil, floor, ceil"},
    {"cubic_alpha", TN_FIELD_FLOAT, "-0.75", "the cubic's slope"},
    {"cubic_exclude", TN_FIELD_INT, "0", "1: neighbours outside of the data have no weight"},
    {"extrapolation_value", TN_FIELD_FLOAT, "0.0",
     "of tf_crop_and_resize: what is outside of the data"},
    {"scale", TN_FIELD_FLOAT, "0.0", "result over data; 0: as the extents say"},
    {"roi_begin", TN_FIELD_FLOAT, "0.0", "of tf_crop_and_resize: the part of the axis taken, from"},
    {"roi_end", TN_FIELD_FLOAT, "1.0", "and to"},
    {"antialias", TN_FIELD_BOOL, "False", "neighbours spread as the axis shrinks"},
};
static const tn_field einsum_fields[] = {
    {"subscripts", TN_FIELD_STR, NULL, "letters for the dimensions: ij,jk->ik"},
};
static const tn_field arange_fields[] = {
    {"start", TN_FIELD_FLOAT, NULL, "the first number; alone: the end, from 0"},
    {"end", TN_FIELD_FLOAT, "None", "what stays below it (above it where step is below 0)"},
    {"step", TN_FIELD_FLOAT, "1", "from one to the next"},
    {"dtype", TN_FIELD_DTYPE, "None",
     "element type; None: int64 where all are whole, else float32"},
};
static const tn_field eye_fields[] = {
    {"n", TN_FIELD_INT, NULL, "rows"},
    {"m", TN_FIELD_INT, "None", "columns; None: as many"},
    {"k", TN_FIELD_INT, "0", "the diagonal: 0 the main one, above it positive"},
    {"dtype", TN_FIELD_DTYPE, "\"float32\"", "element type"},
};
static const tn_field eye_like_fields[] = {
    {"k", TN_FIELD_INT, "0", "the diagonal: 0 the main one, above it positive"},
    {"dtype", TN_FIELD_DTYPE, "None", "element type; None: the operand's"},
};
static const tn_field window_fields[] = {
    {"window_size", TN_FIELD_INT, NULL, "how many elements"},
    {"periodic", TN_FIELD_BOOL, "True", "the element after the last would be the first"},
    {"alpha", TN_FIELD_FLOAT, "0.54", "the mean"},
    {"beta", TN_FIELD_FLOAT, "0.46", "half of the swing"},
    {"dtype", TN_FIELD_DTYPE, "\"float32\"", "element type"},
};
static const tn_field stack_fields[] = {
    {"axis", TN_FIELD_INT, "0", "place of the new dimension in the result"},
};
static const tn_field meshgrid_fields[] = {
    {"indexing", TN_FIELD_STR, "\"ij\"", "\"xy\": the first two axes exchanged"},
};
static const tn_field elu_fields[] = {
    {"alpha", TN_FIELD_FLOAT, "1.0", "what it nears far below 0, negated"},
};
static const tn_field hardsigmoid_fields[] = {
    {"alpha", TN_FIELD_FLOAT, "0.2", "slope"},
    {"beta", TN_FIELD_FLOAT, "0.5", "value at 0"},
};
static const tn_field lstm_fields[] = {
    {"reverse", TN_FIELD_BOOL, "False", "from the last step to the first"},
    {"activations", TN_FIELD_STR, "None", "of gates, cell and output: \"sigmoid,tanh,tanh\""},
    {"clip", TN_FIELD_FLOAT, "0.0", "what activations take is kept between -clip and clip; 0: all"},
    {"input_forget", TN_FIELD_BOOL, "False", "what is not taken in stays"},
};
static const tn_field gru_fields[] = {
    {"reverse", TN_FIELD_BOOL, "False", "from the last step to the first"},
    {"activations", TN_FIELD_STR, "None", "of gates and hidden state: \"sigmoid,tanh\""},
    {"clip", TN_FIELD_FLOAT, "0.0", "what activations take is kept between -clip and clip; 0: all"},
    {"linear_before_reset", TN_FIELD_BOOL, "False", "the reset gate comes after the product"},
};
static const tn_field rnn_fields[] = {
    {"reverse", TN_FIELD_BOOL, "False", "from the last step to the first"},
    {"activations", TN_FIELD_STR, "None", "\"tanh\", \"relu\", \"sigmoid\""},
    {"clip", TN_FIELD_FLOAT, "0.0", "what activations take is kept between -clip and clip; 0: all"},
};
static const tn_field nms_fields[] = {
    {"max_output_size", TN_FIELD_INT, NULL, "boxes of a class that are taken at most"},
    {"iou_threshold", TN_FIELD_FLOAT, "0.0", "common part over all, above which a box is left out"},
    {"score_threshold", TN_FIELD_FLOAT, "-inf", "a score that is not above it does not count"},
    {"center_point_box", TN_FIELD_INT, "0",
     "0: boxes are two corners; 1: a centre and two lengths"},
};
static const tn_field grid_sample_fields[] = {
    {"method", TN_FIELD_STR, "\"bilinear\"", "nearest, bilinear, bicubic"},
    {"padding_mode", TN_FIELD_STR, "\"zeros\"", "outside of the data: zeros, border, reflection"},
    {"align_corners", TN_FIELD_BOOL, "False",
     "-1 and 1 are the centres of the corners, not their far edges"},
};
static const tn_field tree_fields[] = {
    {"n_targets", TN_FIELD_INT, NULL, "columns of the result"},
    {"depth", TN_FIELD_INT, NULL, "steps from a root that reach every leaf"},
    {"mode", TN_FIELD_INT, "-1",
     "all comparisons are this one: 0 <=, 1 <, 2 >=, 3 >, 4 ==, 5 !=; -1: each node's own"},
    {"aggregate", TN_FIELD_STR, "\"sum\"",
     "how weights meet: sum, mean (over the trees), min, max"},
    {"has_missing", TN_FIELD_BOOL, "True", "False: no node sends NaN the true way"},
};
static const tn_field masked_fill_fields[] = {
    {"value", TN_FIELD_FLOAT, NULL, "the value, converted to the type of a"},
};
static const tn_field bitcast_fields[] = {
    {"dtype", TN_FIELD_DTYPE, NULL, "the element type of the result"},
};
static const tn_field pool_places_fields[] = {
    {"pool_size", TN_FIELD_INTS, "[1, 1]", "extent of a window"},
    {"strides", TN_FIELD_INTS, "[1, 1]", "from one window to the next"},
    {"padding", TN_FIELD_INTS, "[0, 0]",
     "around the data: one, one a dimension, or all before and all after"},
    {"dilation", TN_FIELD_INTS, "[1, 1]", "from one element of a window to the next"},
    {"ceil_mode", TN_FIELD_BOOL, "False", "a last window may reach over the end"},
    {"by_columns", TN_FIELD_BOOL, "False", "number the elements of a picture column by column"},
};
static const tn_field random_fields[] = {
    {"seed", TN_FIELD_INT, "0", "another one gives other numbers"},
};
static const tn_field roi_fields[] = {
    {"pooled_size", TN_FIELD_INTS, NULL, "height and width of the result"},
    {"spatial_scale", TN_FIELD_FLOAT, NULL, "elements of a for one unit of b"},
    {"sample_ratio", TN_FIELD_INT, "-1",
     "samples along a side of a part; below 1: as it has elements"},
    {"aligned", TN_FIELD_BOOL, "False", "coordinates are shifted by half an element"},
    {"layout", TN_FIELD_STR, "\"NCHW\"", "order of the data's dimensions"},
    {"mode", TN_FIELD_STR, "\"avg\"", "of the samples: avg or max"},
};
static const tn_field roi_pool_fields[] = {
    {"pooled_size", TN_FIELD_INTS, NULL, "height and width of the result"},
    {"spatial_scale", TN_FIELD_FLOAT, NULL, "elements of a for one unit of b"},
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
  COUNT(attention_fields),
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
  COUNT(gather_fields),
  COUNT(gather_nd_fields),
  COUNT(scatter_fields),
  COUNT(scatter_nd_fields),
  COUNT(sort_fields),
  COUNT(argsort_fields),
  COUNT(topk_fields),
  COUNT(quantize_fields),
  COUNT(dequantize_fields),
  COUNT(conv_transpose_fields),
  COUNT(instance_norm_fields),
  COUNT(group_norm_fields),
  COUNT(resize_fields),
  COUNT(resize_axis_fields),
  COUNT(einsum_fields),
  COUNT(arange_fields),
  COUNT(eye_fields),
  COUNT(eye_like_fields),
  COUNT(window_fields),
  COUNT(stack_fields),
  COUNT(meshgrid_fields),
  COUNT(elu_fields),
  COUNT(hardsigmoid_fields),
  COUNT(lstm_fields),
  COUNT(gru_fields),
  COUNT(rnn_fields),
  COUNT(nms_fields),
  COUNT(grid_sample_fields),
  COUNT(masked_fill_fields),
  COUNT(tree_fields),
  COUNT(bitcast_fields),
  COUNT(pool_places_fields),
  COUNT(random_fields),
  COUNT(roi_fields),
  COUNT(roi_pool_fields),
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
