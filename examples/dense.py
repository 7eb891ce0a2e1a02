# A layer of operators, for any number of rows: docs/ops.md lists the operators.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Dense:
    @R.function
    def main(
        x: R.Tensor(("n", 8), dtype="float32"),
        w: R.Tensor((8, 3), dtype="float32"),
        b: R.Tensor((3,), dtype="float32"),
    ) -> R.Tensor(("n", 3), dtype="float32"):
        with R.dataflow():
            h = R.add(R.matmul(x, w), b)
            y = R.nn.relu(h)
            R.output(y)
        return y
