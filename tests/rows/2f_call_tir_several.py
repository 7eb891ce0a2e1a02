# row: call of a loop function: several results, sizes, a single input
# section: 2f
# does: runs
# args: --size n=3
# --- 2022
@tvm.script.ir_module
class Module:
    @T.prim_func(private=True)
    def two(x: T.handle, p: T.handle, q: T.handle, k: T.int64):
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        P = T.match_buffer(p, (n,), "float32")
        Q = T.match_buffer(q, (n * T.int64(2),), "int64")
        for i in range(n):
            P[i] = X[i] + X[i]
        for i in range(n * T.int64(2)):
            Q[i] = k
    @R.function
    def main(x: Tensor((n,), "float32")):
        t = R.call_tir(two, x, [(n,), (n * 2,)], dtype=["float32", "int64"], tir_vars=(n,))  #<
        return t
# --- 2023
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def two(x: T.handle, p: T.handle, q: T.handle, k: T.int64):
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        P = T.match_buffer(p, (n,), "float32")
        Q = T.match_buffer(q, (n * T.int64(2),), "int64")
        for i in range(n):
            P[i] = X[i] + X[i]
        for i in range(n * T.int64(2)):
            Q[i] = k
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        t = R.call_tir(cls.two, x, out_sinfo=[R.Tensor((n,), "float32"), R.Tensor((n * 2,), "int64")], tir_vars=R.shape([n]))  #<
        return t
# --- 2026
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def two(x: T.handle, p: T.handle, q: T.handle, k: T.int64):
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        P = T.match_buffer(p, (n,), "float32")
        Q = T.match_buffer(q, (n * T.int64(2),), "int64")
        for i in range(n):
            P[i] = X[i] + X[i]
        for i in range(n * T.int64(2)):
            Q[i] = k
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        t = R.call_tir(cls.two, x, out_ty=[R.Tensor((n,), "float32"), R.Tensor((n * 2,), "int64")], tir_vars=R.shape([n]))  #<
        return t
