/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Programs on which rewrite rules fire. params: name[extents], a letter being an extent that is
 * drawn (or left symbolic), ":type" where it is another than the row's; names that begin with c are
 * constants. body: statements that end in y; $t is the type, $a an extent. */
#ifndef TN_TESTS_OPS_RULES_CASES_H
#define TN_TESTS_OPS_RULES_CASES_H

typedef struct rule_case {
  const char *rule;
  const char *types; /* one of them is drawn */
  const char *params;
  const char *body;
  bool is_refused; /* the rule must not fire, however much it looks like it */
} rule_case;

#define FLOATS "float32 float64 float16 bfloat16"
#define WIDE "float32 float64"
#define INTS "int8 int32 int64 uint8"
#define ALL "float32 float64 float16 int8 int32 int64 uint8 bool"

static const rule_case rule_cases[] = {
    /* ---- tuples, casts ---- */
    {"item_of_tuple", ALL, "x[a] z[b]", "l = (x, z); y = l[1]", false},
    {"no_dropout", FLOATS, "x[a,b]", "l = R.nn.dropout(x, rate=0.5); y = l[0]", false},
    {"cast_to_same", ALL, "x[a,b]", "y = R.astype(x, \"$t\")", false},
    {"cast_of_cast", "float16 bfloat16", "x[a]",
     "l = R.astype(x, \"float32\"); y = R.astype(l, \"$t\")", false},
    {"cast_of_cast", "int8 uint8 int16 bool", "x[a]",
     "l = R.astype(x, \"int32\"); y = R.astype(l, \"float32\")", false},
    {"cast_of_cast", "int8 int16 int32", "x[a]",
     "l = R.astype(x, \"float64\"); y = R.astype(l, \"int64\")", false},
    {"cast_of_cast", "int32 int64", "x[a]",
     "l = R.astype(x, \"float32\"); y = R.astype(l, \"int64\")", true},
    {"cast_of_cast", "int16", "x[a]", "l = R.astype(x, \"float32\"); y = R.astype(l, \"int8\")",
     true},
    {"cast_of_cast", "int8", "x[a]", "l = R.astype(x, \"uint16\"); y = R.astype(l, \"int32\")",
     true},
    {"cast_of_cast", "float16", "x[a]",
     "l = R.astype(x, \"bfloat16\"); y = R.astype(l, \"float32\")", true},
    {"cast_of_cast", "float32", "x[a]", "l = R.astype(x, \"int32\"); y = R.astype(l, \"float32\")",
     true},

    {"same_quantised", "int8 uint8", "x[a,b]",
     "s = R.const(0.0371, \"float32\"); z = R.const(7, \"$t\"); l = R.dequantize(x, s, z, axis=0); "
     "y = R.quantize(l, s, z, axis=0, out_dtype=\"$t\")",
     false},
    {"same_quantised", "uint8", "x[a,3]",
     "s = R.const([0.1, 3.7, 1e-9], \"float32\"); z = R.const([0, 255, 128], \"$t\"); "
     "l = R.dequantize(x, s, z, axis=-1); y = R.quantize(l, s, z, axis=-1, out_dtype=\"$t\")",
     false},
    {"same_quantised", "int8", "x[a,b]",
     "s = R.const(0.5, \"float32\"); z = R.const(0, \"$t\"); l = R.dequantize(x, s, z, axis=0); "
     "y = R.quantize(l, R.const(0.25, \"float32\"), z, axis=0, out_dtype=\"$t\")",
     true},

    /* ---- the same again ---- */
    {"twice_is_once", "float32 float64 float16 int32", "x[a,b]",
     "l = R.nn.relu(x); y = R.nn.relu(l)", false},
    {"twice_is_once", FLOATS, "x[a,b]", "l = R.round(x); y = R.round(l)", false},
    {"twice_is_once", "float32 int8", "x[a,b]", "l = R.sign(x); y = R.sign(l)", false},
    {"twice_is_nothing", "float32 float16 int8 int64", "x[a]",
     "l = R.negative(x); y = R.negative(l)", false},
    {"twice_is_nothing", "bool", "x[a]", "l = R.logical_not(x); y = R.logical_not(l)", false},
    {"twice_is_nothing", "int8 uint8 bool", "x[a]", "l = R.bitwise_not(x); y = R.bitwise_not(l)",
     false},
    {"clip_of_clip", FLOATS, "x[a,b]", "l = R.clip(x, -1.5, 0.75); y = R.clip(l, -0.5, 2.0)",
     false},
    {"clip_of_clip", FLOATS, "x[a,b]", "l = R.clip(x, -1.5, 0.75); y = R.clip(l, 1.0, 2.0)", false},
    {"clip_of_clip", WIDE, "x[a,b]", "l = R.clip(x, 0.0, 1.0); y = R.clip(l, -2.0, -0.0)", false},

    /* ---- arithmetic with numbers ---- */
    {"times_one", ALL, "x[a,b]", "y = R.multiply(x, R.const(1, \"$t\"))", false},
    {"times_one", "float32", "x[a,b]", "l = R.const([[1.0]], \"$t\"); y = R.multiply(l, x)", false},
    {"times_one", "float32", "x[a]", "l = R.const([[1.0]], \"$t\"); y = R.multiply(l, x)", true},
    {"over_one", "float32 float16 int8 int64", "x[a,b]", "y = R.divide(x, R.const(1, \"$t\"))",
     false},
    {"over_power_of_two", FLOATS, "x[a,b]", "y = R.divide(x, R.const(8, \"$t\"))", false},
    {"over_power_of_two", FLOATS, "x[a,b]", "y = R.divide(x, R.const(-0.25, \"$t\"))", false},
    {"over_power_of_two", FLOATS, "x[a,b]", "y = R.divide(x, R.const(3, \"$t\"))", true},
    {"over_power_of_two", "int8 int32", "x[a,b]", "y = R.divide(x, R.const(8, \"$t\"))", true},
    {"plus_nothing", INTS, "x[a,b]", "y = R.add(R.const(0, \"$t\"), x)", false},
    {"plus_nothing", FLOATS, "x[a,b]", "y = R.add(x, R.const(-0.0, \"$t\"))", false},
    {"plus_nothing", FLOATS, "x[a,b]", "y = R.add(x, R.const(0.0, \"$t\"))", true},
    {"plus_zero", FLOATS, "x[a,b]", "y = R.add(x, R.const(0.0, \"$t\"))", false},
    {"minus_nothing", "float32 float64 float16 int8 int64", "x[a,b]",
     "y = R.subtract(x, R.const(0, \"$t\"))", false},
    {"minus_nothing", FLOATS, "x[a,b]", "y = R.subtract(x, R.const(-0.0, \"$t\"))", true},
    {"power_of_number", WIDE, "x[a,b]", "y = R.power(x, R.const(1, \"$t\"))", false},
    {"power_of_number", WIDE, "x[a,b]", "y = R.power(x, R.const(2, \"$t\"))", false},
    {"power_of_number", WIDE, "x[a,b]", "y = R.power(x, R.const(3, \"$t\"))", false},
    {"power_of_number", WIDE, "x[a,b]", "l = R.exp(x); y = R.power(l, R.const(0.5, \"$t\"))",
     false},
    {"power_of_number", WIDE, "x[a,b]", "l = R.exp(x); y = R.power(l, R.const(-1, \"$t\"))", false},
    {"number_chain", WIDE, "x[a,b]",
     "l = R.multiply(x, R.const(2, \"$t\")); y = R.multiply(R.const(3, \"$t\"), l)", false},

    {"number_chain", "float32", "x[a,b]",
     "l = R.multiply(x, R.const(1e30, \"$t\")); y = R.multiply(l, R.const(1e30, \"$t\"))", true},
    /* ---- choices, broadcasts ---- */
    {"where_known", ALL, "x[a,b] z[b]", "l = R.const([True], \"bool\"); y = R.where(l, x, z)",
     false},
    {"where_known", ALL, "x[b] z[a,b]", "l = R.const(False, \"bool\"); y = R.where(l, x, z)",
     false},
    {"where_known", ALL, "x[a,b] z[b]", "l = R.const([False], \"bool\"); y = R.where(l, x, z)",
     true},
    {"same_operands", "float32 float16 int8", "x[a,b]", "y = R.maximum(x, x)", false},
    {"same_operands", "bool", "x[a,b]", "y = R.logical_or(x, x)", false},
    {"same_operands", "int8 bool", "x[a,b] m[a,b]:bool", "y = R.where(m, x, x)", false},
    {"unneeded_broadcast", "float32 int8", "x[b] z[a,b]",
     "l = R.broadcast_to(x, R.shape([$a, $b])); y = R.add(l, z)", false},
    {"unneeded_broadcast", "float32 int8", "x[1,1] z[a,b]",
     "l = R.broadcast_to(x, R.shape([$a, $b])); y = R.subtract(z, l)", false},
    {"unneeded_broadcast", "float32", "x[b] z[1,b]",
     "l = R.broadcast_to(x, R.shape([7, $b])); y = R.add(l, z)", true},

    /* ---- moves ---- */
    {"moves_nothing", ALL, "x[a,b,c]", "y = R.reshape(x, R.shape([$a, $b, $c]))", false},
    {"moves_nothing", ALL, "x[a,b]", "y = R.broadcast_to(x, R.shape([$a, $b]))", false},
    {"moves_nothing", ALL, "x[a,b]", "y = R.tile(x, repeats=[1, 1])", false},
    {"moves_nothing", ALL, "x[a]", "y = R.flatten(x)", false},
    {"moves_nothing", ALL, "x[4,b]", "y = R.strided_slice(x, axes=[0], begin=[0], end=[9])", false},
    {"moves_nothing", ALL, "x[4,b]",
     "y = R.strided_slice(x, axes=[0], begin=[-1], end=[-100], strides=[-1])", true},
    {"moves_nothing", "float32 int8", "x[a,b]", "y = R.nn.pad(x, pad_width=[0, 0, 0, 0])", false},
    {"concat_of_one", ALL, "x[a,b]", "y = R.concat((x,), axis=1)", false},
    {"concat_of_one", ALL, "x[a,b] z[a,0] w[a,3]", "y = R.concat((x, z, w), axis=-1)", false},
    {"concat_of_concat", ALL, "x[a,b] z[1,b] w[2,b]",
     "l = R.concat((x, z), axis=0); y = R.concat((w, l, z), axis=-2)", false},
    {"concat_of_concat", ALL, "x[a,3] z[a,2] w[2,5]",
     "l = R.concat((x, z), axis=1); y = R.concat((w, l), axis=0)", true},
    {"reshape_of_reshape", ALL, "x[a,b,2]",
     "l = R.reshape(x, R.shape([$a * 2, $b])); y = R.reshape(l, R.shape([$b, $a, 2]))", false},
    {"reshape_of_reshape", ALL, "x[a,b]",
     "l = R.expand_dims(x, axis=[0, 3]); y = R.squeeze(l, axis=[0])", false},
    {"reshape_of_reshape", ALL, "x[3,1,b]", "l = R.squeeze(x, axis=[1]); y = R.flatten(l)", false},
    {"transpose_of_transpose", ALL, "x[a,b,c]",
     "l = R.permute_dims(x, axes=[1, 2, 0]); y = R.permute_dims(l, axes=[0, -1, 1])", false},
    {"transpose_of_transpose", ALL, "x[a,b,c]",
     "l = R.permute_dims(x, axes=[1, 2, 0]); y = R.permute_dims(l, axes=[2, 0, 1])", false},
    {"transpose_of_transpose", ALL, "x[a,b,c]", "l = R.permute_dims(x); y = R.permute_dims(l)",
     false},
    {"transpose_of_transpose", ALL, "x[a,b,c]", "y = R.permute_dims(x, axes=[0, 1, 2])", false},
    {"transpose_of_ones", ALL, "x[a,1,b,1]", "y = R.permute_dims(x, axes=[1, 0, 3, 2])", false},
    {"transpose_of_ones", ALL, "x[3,1,2]", "y = R.permute_dims(x, axes=[2, 0, 1])", true},
    {"transpose_through", "float32 float16 int8", "x[a,b,c]",
     "l = R.permute_dims(x, axes=[1, 2, 0]); m = R.nn.relu(l); y = R.permute_dims(m, axes=[2, 0, "
     "1])",
     false},
    {"transpose_through", "float32 int8", "x[a,b] c_w[a]",
     "l = R.permute_dims(x); m = R.multiply(l, c_w); n = R.add(m, R.const(2, \"$t\")); "
     "y = R.permute_dims(n)",
     false},
    {"transpose_through", "float32 int8", "x[a,2] z[b,2] c_w[2,3]",
     "l = R.permute_dims(x); m = R.permute_dims(z); n = R.concat((l, m, c_w), axis=1); "
     "o = R.astype(n, \"int32\"); y = R.permute_dims(o)",
     false},
    {"transpose_through", "float32", "x[a,b] z[a,b]",
     "l = R.permute_dims(x); m = R.add(l, R.permute_dims(z)); n = R.subtract(m, l); "
     "y = R.permute_dims(n)",
     false},
    {"transpose_through", "float32", "x[a,b,c]",
     "l = R.permute_dims(x, axes=[0, 2, 1]); m = R.nn.softmax(l, axis=-1); "
     "y = R.permute_dims(m, axes=[0, 2, 1])",
     false},
    {"transpose_through", "float32", "x[a,b] z[b,a]",
     "l = R.permute_dims(x); m = R.add(l, z); y = R.permute_dims(m)", true},
    {"reduce_of_transpose", WIDE, "x[a,b,3,c]",
     "l = R.permute_dims(x, axes=[0, 2, 3, 1]); y = R.mean(l, axis=[1, 2])", false},
    {"reduce_of_transpose", "float32 int32", "x[2,b,3]",
     "l = R.permute_dims(x, axes=[2, 1, 0]); y = R.max(l, axis=[0, -1])", false},
    {"reduce_of_transpose", "float32", "x[2,3,b]",
     "l = R.permute_dims(x, axes=[0, 2, 1]); y = R.sum(l, axis=[0], keepdims=True)", true},
    {"reduce_of_transpose", "float32", "x[a,b,c]", "l = R.permute_dims(x); y = R.sum(l, axis=[0])",
     true},
    {"pad_into_conv", WIDE, "x[a,2,4,5] w[3,2,3,3]",
     "l = R.nn.pad(x, pad_width=[0, 0, 0, 0, 1, 0, 2, 1]); "
     "y = R.nn.conv2d(l, w, strides=[2, 1], padding=[0, 1])",
     false},
    {"pad_into_conv", WIDE, "x[a,4,2] w[3,3,2]",
     "l = R.nn.pad(x, pad_width=[0, 0, 1, 2, 0, 0]); "
     "y = R.nn.conv1d(l, w, data_layout=\"NWC\", kernel_layout=\"OWI\", strides=[1], dilation=[1], "
     "padding=[0])",
     false},
    {"pad_into_conv", "float32", "x[a,1,4,5] w[3,2,3,3]",
     "l = R.nn.pad(x, pad_width=[0, 0, 1, 0, 0, 0, 0, 0]); y = R.nn.conv2d(l, w)", true},

    /* ---- scales and shifts ---- */
    {"batch_norm_as_scale", WIDE, "x[a,3,b] c_g[3] c_b[3] c_m[3] c_v[3]",
     "v = R.exp(c_v); l = R.nn.batch_norm(x, c_g, c_b, c_m, v, axis=1); y = l[0]", false},
    {"batch_norm_as_scale", WIDE, "x[a,3] c_g[3] c_b[3] c_m[3] c_v[3]",
     "v = R.abs(c_v); l = R.nn.batch_norm(x, c_g, c_b, c_m, v, axis=-1, epsilon=0.5, scale=False, "
     "center=False); y = l[0]",
     false},
    {"batch_norm_as_scale", "float32", "x[a,3] g[3] c_b[3] c_m[3] c_v[3]",
     "v = R.exp(c_v); l = R.nn.batch_norm(x, g, c_b, c_m, v, axis=1); y = l[0]", true},
    {"scale_of_shift", WIDE, "x[a,4] c_w[4,3] c_b[3] c_s[3]",
     "l = R.matmul(x, c_w); m = R.add(l, c_b); y = R.multiply(m, c_s)", false},
    {"scale_of_shift", WIDE, "x[a,2,3,b] c_w[4,2,1,1] c_b[4,1,1]",
     "l = R.nn.conv2d(x, c_w); m = R.add(l, c_b); y = R.multiply(m, R.const(0.5, \"$t\"))", false},
    {"scale_of_shift", "float32", "x[a,4] w[4,3] c_b[3] c_s[3]",
     "l = R.matmul(x, w); m = R.add(l, c_b); y = R.multiply(m, c_s)", true},
    {"shift_of_shift", WIDE, "x[a,4] c_w[4,3] c_b[3] c_d[3]",
     "k = R.matmul(x, c_w); l = R.add(k, c_b); y = R.add(c_d, l)", false},
    {"shift_of_shift", "float32", "x[a,3]",
     "l = R.add(x, R.const(12582912, \"$t\")); y = R.add(l, R.const(-12582912, \"$t\"))", true},
    {"minus_as_plus", WIDE, "x[a,4] c_w[4,3] c_b[3]",
     "l = R.matmul(x, c_w); y = R.subtract(l, c_b)", false},
    {"over_as_times", WIDE, "x[a,4] c_w[4,3] c_b[3]",
     "e = R.exp(c_b); l = R.matmul(x, c_w); y = R.divide(l, e)", false},
    {"scale_into_weights", WIDE, "x[a,2,4,b] c_w[6,1,3,1] c_s[1,6,1,1]",
     "l = R.nn.conv2d(x, c_w, groups=2, padding=[1, 0], strides=[1, 1]); y = R.multiply(l, c_s)",
     false},
    {"scale_into_weights", WIDE, "x[a,4,b,2] c_w[3,1,2,5] c_s[5]",
     "l = R.nn.conv2d(x, c_w, data_layout=\"NHWC\", kernel_layout=\"HWIO\"); y = R.multiply(c_s, "
     "l)",
     false},
    {"scale_into_weights", WIDE, "x[a,2,5] c_w[4,2,3] c_s[4,1]",
     "l = R.nn.conv1d(x, c_w, strides=[1], padding=[0], dilation=[1]); y = R.multiply(l, c_s)",
     false},
    {"scale_into_weights", WIDE, "x[a,4,3,2] c_w[4,3,2,2] c_s[6,1,1]",
     "l = R.nn.conv2d_transpose(x, c_w, groups=2, strides=[2, 1]); y = R.multiply(l, c_s)", false},
    {"scale_into_weights", WIDE, "x[a,2,3,2] c_w[2,3,2,2] c_s[3,1,1]",
     "l = R.nn.conv2d_transpose(x, c_w); y = R.multiply(l, c_s)", false},
    {"scale_into_weights", WIDE, "x[a,b,4] c_w[4,3] c_s[3]",
     "l = R.matmul(x, c_w); y = R.multiply(l, c_s)", false},
    {"scale_into_weights", WIDE, "x[a,4,b] c_w[3,4] c_s[3,1]",
     "l = R.matmul(c_w, x); y = R.multiply(l, c_s)", false},
    {"scale_into_weights", WIDE, "x[4] c_w[4,3] c_s[3]",
     "l = R.matmul(x, c_w); y = R.multiply(l, c_s)", false},
    {"scale_into_weights", "float32", "x[3,4] c_w[4,3] c_s[3,1]",
     "l = R.matmul(x, c_w); y = R.multiply(l, c_s)", true},
    {"scale_into_weights", "float32", "x[a,4] c_w[4,3] c_s[3]",
     "l = R.matmul(x, c_w); m = R.multiply(l, c_s); y = R.add(m, l)", true},

    /* ---- activations ---- */
    {"silu", FLOATS, "x[a,b]", "l = R.sigmoid(x); y = R.multiply(l, x)", false},
    {"hard_sigmoid", WIDE, "x[a,b]",
     "l = R.add(x, R.const(3, \"$t\")); m = R.clip(l, 0.0, 6.0); y = R.divide(m, R.const(6, "
     "\"$t\"))",
     false},
    {"hard_sigmoid", WIDE, "x[a,b]",
     "l = R.add(x, R.const(3, \"$t\")); m = R.maximum(R.const(0, \"$t\"), l); "
     "n = R.minimum(R.const(6, \"$t\"), m); y = R.multiply(n, R.const(0.16666666666666666, "
     "\"$t\"))",
     true},
    {"hard_swish", WIDE, "x[a,b]",
     "l = R.add(R.const(3, \"$t\"), x); m = R.nn.relu6(l); n = R.multiply(x, m); "
     "y = R.divide(n, R.const(6, \"$t\"))",
     false},
    {"hard_swish", WIDE, "x[a,b]",
     "l = R.nn.hardsigmoid(x, alpha=0.16666666666666666, beta=0.5); y = R.multiply(l, x)", false},
    {"gelu", FLOATS, "x[a,b]",
     "l = R.divide(x, R.const(1.4142135623730951, \"$t\")); m = R.erf(l); "
     "n = R.add(m, R.const(1, \"$t\")); o = R.multiply(x, n); y = R.multiply(o, R.const(0.5, "
     "\"$t\"))",
     false},
    {"gelu", WIDE, "x[a,b]",
     "h = R.multiply(x, R.const(0.5, \"$t\")); l = R.multiply(x, R.const(0.70710678118654752, "
     "\"$t\")); "
     "m = R.erf(l); n = R.add(R.const(1, \"$t\"), m); y = R.multiply(n, h)",
     false},
    {"gelu", "float32", "x[a,b]",
     "l = R.divide(x, R.const(1.5, \"$t\")); m = R.erf(l); n = R.add(m, R.const(1, \"$t\")); "
     "o = R.multiply(x, n); y = R.multiply(o, R.const(0.5, \"$t\"))",
     true},
    {"gelu_tanh", WIDE, "x[a,b]",
     "p = R.power(x, R.const(3, \"$t\")); q = R.multiply(p, R.const(0.044715, \"$t\")); "
     "s = R.add(x, q); l = R.multiply(s, R.const(0.7978845608028654, \"$t\")); m = R.tanh(l); "
     "n = R.add(m, R.const(1, \"$t\")); h = R.multiply(R.const(0.5, \"$t\"), x); y = R.multiply(h, "
     "n)",
     false},
    {"gelu_tanh", WIDE, "x[a,b]",
     "p = R.multiply(x, x); q = R.multiply(p, R.const(0.044715, \"$t\")); "
     "s = R.add(R.const(1, \"$t\"), q); t = R.multiply(x, R.const(0.7978845608028654, \"$t\")); "
     "l = R.multiply(t, s); m = R.tanh(l); n = R.add(m, R.const(1, \"$t\")); "
     "h = R.multiply(R.const(0.5, \"$t\"), x); y = R.multiply(h, n)",
     false},
    {"mish", WIDE, "x[a,b]", "l = R.nn.softplus(x); m = R.tanh(l); y = R.multiply(x, m)", false},
    {"mish", WIDE, "x[a,b]",
     "e = R.exp(x); s = R.add(e, R.const(1, \"$t\")); l = R.log(s); m = R.tanh(l); y = "
     "R.multiply(x, m)",
     false},

    /* ---- norms ---- */
    {"softmax", WIDE, "x[a,3,b]",
     "k = R.max(x, axis=[1], keepdims=True); d = R.subtract(x, k); e = R.exp(d); "
     "s = R.sum(e, axis=[1], keepdims=True); y = R.divide(e, s)",
     false},
    {"softmax", WIDE, "x[a,3]",
     "e = R.exp(x); s = R.sum(e, axis=[-1], keepdims=True); y = R.divide(e, s)", false},
    {"softmax", "float32", "x[3,3]", "e = R.exp(x); s = R.sum(e, axis=[-1]); y = R.divide(e, s)",
     true},
    {"normalised", WIDE, "x[a,b,4]",
     "k = R.mean(x, axis=[-1], keepdims=True); d = R.subtract(x, k); q = R.multiply(d, d); "
     "v = R.mean(q, axis=[-1], keepdims=True); e = R.add(v, R.const(0.01, \"$t\")); s = R.sqrt(e); "
     "y = R.divide(d, s)",
     false},
    {"normalised", WIDE, "x[a,2,3]",
     "k = R.mean(x, axis=[1, 2], keepdims=True); d = R.subtract(x, k); "
     "q = R.power(d, R.const(2, \"$t\")); v = R.mean(q, axis=[2, 1], keepdims=True); "
     "e = R.add(R.const(0.01, \"$t\"), v); s = R.sqrt(e); i = R.divide(R.const(1, \"$t\"), s); "
     "y = R.multiply(i, d)",
     false},
    {"normalised", WIDE, "x[a,2,3,b]",
     "k = R.mean(x, axis=[2, 3], keepdims=True); d = R.subtract(x, k); q = R.square(d); "
     "v = R.mean(q, axis=[2, 3], keepdims=True); e = R.add(v, R.const(0.01, \"$t\")); i = "
     "R.rsqrt(e); "
     "y = R.multiply(d, i)",
     false},
    {"normalised", WIDE, "x[a,4]",
     "k = R.mean(x, axis=[1], keepdims=True); d = R.subtract(x, k); "
     "v = R.variance(x, axis=[1], keepdims=True); e = R.add(v, R.const(0.01, \"$t\")); "
     "s = R.sqrt(e); y = R.divide(d, s)",
     false},
    {"normalised", "float32", "x[2,3]",
     "k = R.mean(x, axis=[0], keepdims=True); d = R.subtract(x, k); q = R.multiply(d, d); "
     "v = R.mean(q, axis=[0], keepdims=True); e = R.add(v, R.const(0.01, \"$t\")); s = R.sqrt(e); "
     "y = R.divide(d, s)",
     true},
    {"norm_scale", WIDE, "x[a,b,4] g[4] c_o[4] c_z[4]",
     "l = R.nn.layer_norm(x, c_o, c_z, axes=[-1], center=False, scale=False); y = R.multiply(g, l)",
     false},
    {"norm_scale", WIDE, "x[a,3,b,2] g[3,1,1] c_o[3] c_z[3]",
     "l = R.nn.instance_norm(x, c_o, c_z, channel_axis=1, axes=[2, 3], center=False, scale=False); "
     "y = R.multiply(g, l)",
     false},
    {"norm_scale", "float32", "x[2,4,4] g[4,1] c_o[4] c_z[4]",
     "l = R.nn.layer_norm(x, c_o, c_z, axes=[-1], center=False, scale=False); y = R.multiply(g, l)",
     true},
    {"norm_shift", WIDE, "x[a,b,4] g[4] c_z[4] s[1,4]",
     "l = R.nn.layer_norm(x, g, c_z, axes=[-1], center=False); y = R.add(l, s)", false},
    {"norm_shift", WIDE, "x[a,2,4] g[2,4] c_z[2,4] s[2,4]",
     "l = R.nn.layer_norm(x, g, c_z, axes=[1, 2], center=False); y = R.add(l, s)", false},
    {"rms_norm", WIDE, "x[a,4]",
     "q = R.multiply(x, x); v = R.mean(q, axis=[1], keepdims=True); "
     "e = R.add(v, R.const(0.01, \"$t\")); i = R.rsqrt(e); y = R.multiply(x, i)",
     false},
    {"rms_norm", WIDE, "x[a,4]",
     "q = R.power(x, R.const(2, \"$t\")); v = R.mean(q, axis=[1], keepdims=True); "
     "e = R.add(v, R.const(0.01, \"$t\")); s = R.sqrt(e); y = R.divide(x, s)",
     false},
    {"rms_scale", WIDE, "x[a,b,4] g[4]",
     "o = R.const([1.0, 1.0, 1.0, 1.0], \"$t\"); l = R.nn.rms_norm(x, o, axes=[-1]); "
     "y = R.multiply(l, g)",
     false},

    /* ---- attention ---- */
    {"attention", WIDE, "q[a,b,2,4] k[a,c,2,4] v[a,c,2,3] m[a,1,1,c]",
     "i = R.permute_dims(q, axes=[0, 2, 1, 3]); j = R.permute_dims(k, axes=[0, 2, 3, 1]); "
     "l = R.permute_dims(v, axes=[0, 2, 1, 3]); s = R.matmul(i, j); "
     "t = R.divide(s, R.const(3, \"$t\")); u = R.add(t, m); p = R.nn.softmax(u, axis=-1); "
     "o = R.matmul(p, l); y = R.permute_dims(o, axes=[0, 2, 1, 3])",
     false},
    {"attention", "float32 float64 float16", "q[a,b,2,4] k[a,c,2,4] v[a,c,2,3]",
     "i = R.permute_dims(q, axes=[0, 2, 1, 3]); j = R.permute_dims(k, axes=[0, 2, 3, 1]); "
     "l = R.permute_dims(v, axes=[0, 2, 1, 3]); h = R.multiply(R.const(0.5, \"$t\"), i); "
     "g = R.multiply(j, R.const(0.5, \"$t\")); s = R.matmul(h, g); p = R.nn.softmax(s, axis=3); "
     "o = R.matmul(p, l); y = R.permute_dims(o, axes=[0, 2, 1, 3])",
     false},
    {"attention", "float32", "q[2,3,2,4] k[2,3,2,4] v[2,3,2,3]",
     "i = R.permute_dims(q, axes=[0, 2, 1, 3]); j = R.permute_dims(k, axes=[0, 2, 3, 1]); "
     "l = R.permute_dims(v, axes=[0, 2, 1, 3]); s = R.matmul(i, j); p = R.nn.softmax(s, axis=2); "
     "o = R.matmul(p, l); y = R.permute_dims(o, axes=[0, 2, 1, 3])",
     true},
};

#endif
