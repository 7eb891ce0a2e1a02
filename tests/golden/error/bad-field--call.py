# run: not tenon check %s
# What calls of operators are given, and lists of values.
@R.function(pure=False)
def f(x: R.Tensor((4,), "float32"), s: R.Shape(ndim=1)):
    a = R.sum(x, axis=[0], 1)
    b = R.call_packed("g", x, sinfo_args=R.Object, sinfo_args=R.Object)
    c = R.nn.leakyrelu(x, alpha="much")
    d = R.sum(x, axis=1.5)
    e = R.sum(x, keepdims="no")
    f = R.astype(x, 3)
    g = R.mean(x, axis=[0.5])
    h = R.call_packed(x)
    i = R.print(x, format=3)
    return x

@T.prim_func
def k(A: T.Buffer((4,), "float32")):
    A[0] = [1, 2, 3][5]
    A[1] = [1, 2, 3][0, 1]
# expect:
%s:5:28: error: a positional argument after a keyword [wrong-argument-count]
    a = R.sum(x, axis=[0], 1)
                           ^
%s:6:52: error: the types are given twice [duplicate-argument]
    b = R.call_packed("g", x, sinfo_args=R.Object, sinfo_args=R.Object)
                                                   ^~~~~~~~~~~~~~~~~~~
%s:7:33: error: expected a number, got a string [bad-field]
    c = R.nn.leakyrelu(x, alpha="much")
                                ^~~~~~
%s:8:23: error: expected a constant integer, got a float [not-a-constant]
    d = R.sum(x, axis=1.5)
                      ^~~
%s:9:27: error: expected True or False, got a string [not-a-constant]
    e = R.sum(x, keepdims="no")
                          ^~~~
%s:10:21: error: expected a string, got an integer [not-a-string]
    f = R.astype(x, 3)
                    ^
%s:11:24: error: expected a constant integer, got a float [not-a-constant]
    g = R.mean(x, axis=[0.5])
                       ^~~~~
%s:13:27: error: expected a string, got an integer [not-a-string]
    i = R.print(x, format=3)
                          ^
%s:18:22: error: index 5 of a list of 3 [index-out-of-range]
    A[0] = [1, 2, 3][5]
                     ^
%s:19:12: error: a list takes one index [wrong-index-count]
    A[1] = [1, 2, 3][0, 1]
           ^~~~~~~~~~~~~~~
