# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    p = T.allocate_const([1.0, 2.0, 3.0], "float32", [2])
    q = T.allocate_const([1.0], "float32", [2])
    r = T.allocate_const(["x"], "float32", [1])
    s = T.allocate_const([1, 300], "int8", [2])
    t = T.allocate_const([-1], "uint64", [1])
    u = T.allocate_const([1.5], "int32", [1])
# expect:
%s:4:26: error: more than the 2 elements that the shape has [bad-constant]
    p = T.allocate_const([1.0, 2.0, 3.0], "float32", [2])
                         ^~~~~~~~~~~~~~~
%s:5:26: error: 1 elements for a shape of 2 [bad-constant]
    q = T.allocate_const([1.0], "float32", [2])
                         ^~~~~
%s:6:26: error: expected numbers, got a string [bad-constant]
    r = T.allocate_const(["x"], "float32", [1])
                         ^~~~~
%s:7:26: error: element 1 of the constant does not fit int8 [bad-constant]
    s = T.allocate_const([1, 300], "int8", [2])
                         ^~~~~~~~
%s:8:26: error: element 0 of the constant does not fit uint64 [bad-constant]
    t = T.allocate_const([-1], "uint64", [1])
                         ^~~~
%s:9:26: error: element 0 of the constant does not fit int32 [bad-constant]
    u = T.allocate_const([1.5], "int32", [1])
                         ^~~~~
