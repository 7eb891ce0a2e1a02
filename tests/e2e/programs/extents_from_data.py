# run: --random --size m=3
# run: --random --size m=0
# run: --random --size m=11
# One artefact for any m: the places of the positive elements, as many as there are.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 4), "float32")):
        m = T.int64()
        k = T.int64()
        is_set = R.greater(x, R.const(0, "float32"))
        found = R.nonzero_padded(is_set)
        places = found[0]
        filled = found[1]
        open_shape: R.Shape(ndim=2) = R.tensor_to_shape(filled)
        shape: R.Shape([2, k]) = R.match_cast(open_shape, R.Shape([2, k]))
        y: R.Tensor((2, k), "int64") = R.take_first(places, R.shape([2, k]))
        return R.add(y, R.const(1, "int64"))
