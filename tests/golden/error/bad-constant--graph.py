# run: not tenon check %s
# Constants whose rows differ, of too many dimensions and of vectors; operators that graph values have not.
@R.function(pure=False)
def f(x: R.Tensor((4,), "float32"), t: R.Tuple):
    a = R.const([[1, 2], [3]], "int32")
    b = R.const([[1, 2], 3], "int32")
    c = R.const([1], "float32x4")
    d = R.const([[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]], "int32")
    e = x << x
    g = ~x
    h = R.to_vdevice(x)
    i = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((4,), "float32"), tir_vars=R.shape([4]))
    j = t[-1]
    return x
# expect:
%s:5:17: error: the rows of the constant differ in length [bad-constant]
    a = R.const([[1, 2], [3]], "int32")
                ^~~~~~~~~~~~~
%s:6:17: error: the rows of the constant differ in depth [bad-constant]
    b = R.const([[1, 2], 3], "int32")
                ^~~~~~~~~~~
%s:7:9: error: a constant has a plain element type [unknown-dtype]
    c = R.const([1], "float32x4")
        ^~~~~~~~~~~~~~~~~~~~~~~~~
%s:8:17: error: a constant has at most 16 dimensions [bad-constant]
    d = R.const([[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]], "int32")
                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:9:9: error: '<<' has no meaning between graph values [unsupported]
    e = x << x
        ^~~~~~
%s:10:9: error: '~' has no meaning for a graph value [unsupported]
    g = ~x
        ^~
%s:11:9: error: R.to_vdevice needs the argument 'dst_vdevice' [missing-argument]
    h = R.to_vdevice(x)
        ^~~~~~~~~~~~~~~
%s:12:84: error: a registered function takes no tir_vars [unknown-argument]
    i = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((4,), "float32"), tir_vars=R.shape([4]))
                                                                                   ^~~~~~~~~~~~
%s:13:9: error: index -1 of a tuple of 0 [index-out-of-range]
    j = t[-1]
        ^~~~~
