# run: tenon run --random --size n=5 %s
# A stride near 2^63 over a size that the run tells takes the first element.
@R.function
def main(x: R.Tensor(("n",), dtype="float32")):
    with R.dataflow():
        a = R.strided_slice(x, axes=[0], begin=[1], end=[9223372036854775807], strides=[9223372036854775807])
        b = R.strided_slice(x, axes=[0], begin=[8], end=[9], strides=[9223372036854775807])
        R.output(a, b)
    return (a, b)
# expect:
out_0: float32[1] 0.495548189
out_1: float32[0]
