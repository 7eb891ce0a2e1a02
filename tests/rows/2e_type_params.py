# row: sizes in brackets
# section: 2e
# does: runs
# differs
# args: --func main --size n=4
# --- 2023
@T.prim_func
def f(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        B[i] = A[i] + 1.0

@R.function
def main(x: R.Tensor(("n",), "float32")):  #<
    n = T.int64()
    y = R.add(x, x)
    return y
# --- 2026
from tvm.script import relax as R, tirx as T

@T.prim_func
def f[n: T.int64](a: T.Buffer((n,)), B: T.Buffer((n,))):  #<
    for i in range(n):
        B[i] = a[i] + 1.0

@R.function
def main[n: T.int64](x: R.Tensor((n,), "float32")):  #<
    y = R.add(x, x)
    return y
