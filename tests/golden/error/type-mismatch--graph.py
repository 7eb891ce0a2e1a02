# run: not tenon check %s
@R.function
def f(x: R.Tensor(("n", 4), "float32")):
    n = T.int64()
    y: R.Tensor((n, 5), "float32") = R.add(x, x)
    z: R.Tensor((n, 4), "float16") = R.add(x, x)
    w: R.Tuple(R.Tensor((n, 4), "float32")) = (x, x)
    return (y, z, w)
# expect:
%s:5:5: error: the value of 'y' has type R.Tensor(("n", 4), dtype="float32"), declared R.Tensor(("n", 5), dtype="float32") [type-mismatch]
    y: R.Tensor((n, 5), "float32") = R.add(x, x)
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:6:5: error: the value of 'z' has type R.Tensor(("n", 4), dtype="float32"), declared R.Tensor(("n", 4), dtype="float16") [type-mismatch]
    z: R.Tensor((n, 4), "float16") = R.add(x, x)
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:7:5: error: the value of 'w' has type R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")), declared R.Tuple(R.Tensor(("n", 4), dtype="float32")) [type-mismatch]
    w: R.Tuple(R.Tensor((n, 4), "float32")) = (x, x)
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
