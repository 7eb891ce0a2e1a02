# run: --random --size n=3
# A view keeps the memory it looks at: nothing is planned over it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor(("n * 4",), "float32"), R.Tensor(("n", 4), "int32")):
        n = T.int64()
        a = R.add(x, x)
        flat = R.memory.view(a, R.shape([n * 4]), R.dtype("float32"), R.prim_value(0))
        b = R.multiply(x, x)
        c = R.maximum(b, x)
        d = R.add(flat, flat)
        second = R.memory.view(a, R.shape([4]), R.dtype("float32"), R.prim_value(16))
        e = R.add(second, second)
        bits = R.memory.view(c, R.shape([n, 4]), R.dtype("int32"), R.prim_value(0))
        zero = R.memory.ensure_zero_offset(bits)
        return (e, d, zero)
