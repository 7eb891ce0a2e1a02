# run: not tenon check %s
@R.function
def f(x: R.Tensr((4,), "float32"), y: T.Buffer((4,), "float32"), n: T.int65) -> 5:
    return x

@R.function
def g(x: Tensr((4,), "float32")):
    return x
# expect:
%s:3:10: error: expected a type: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Object or R.Callable [bad-annotation]
def f(x: R.Tensr((4,), "float32"), y: T.Buffer((4,), "float32"), n: T.int65) -> 5:
         ^~~~~~~~~~~~~~~~~~~~~~~~
  hint: did you mean 'R.Tensor'?
%s:3:39: error: expected a type: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Object or R.Callable [bad-annotation]
def f(x: R.Tensr((4,), "float32"), y: T.Buffer((4,), "float32"), n: T.int65) -> 5:
                                      ^~~~~~~~~~~~~~~~~~~~~~~~~
%s:3:69: error: expected a type: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Object or R.Callable [bad-annotation]
def f(x: R.Tensr((4,), "float32"), y: T.Buffer((4,), "float32"), n: T.int65) -> 5:
                                                                    ^~~~~~~
%s:3:81: error: expected a type: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Object or R.Callable [bad-annotation]
def f(x: R.Tensr((4,), "float32"), y: T.Buffer((4,), "float32"), n: T.int65) -> 5:
                                                                                ^
%s:7:10: error: expected a type: R.Tensor, R.Shape, R.Tuple, R.Prim, R.Object or R.Callable [bad-annotation]
def g(x: Tensr((4,), "float32")):
         ^~~~~~~~~~~~~~~~~~~~~~
