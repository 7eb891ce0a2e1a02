# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    p = T.allocate_const([1.0, 2.0, 3.0], "float32", [2])
    q = T.allocate_const([1.0], "float32", [2])
    r = T.allocate_const(["x"], "float32", [1])
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
