# row: a whole program
# section: 2b
# does: prints
# --- 2022
from __future__ import annotations  #<
import tvm

@tvm.script.ir_module  #<
class Mod:
    @T.prim_func
    def mm(x: T.handle, w: T.Buffer[(8, 4), "float32"], y: T.handle):  #<
        T.func_attr({"global_symbol": "mm", "tir.noalias": True})
        n = T.var("int64")  #<
        X = T.match_buffer(x, (n, 8), "float32")
        Y = T.match_buffer(y, (n, 4), "float32")
        for i, j, k in T.grid(n, 4, 8):
            with T.block("Y"):  #<
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * w[vk, vj]

    @R.function
    def main(x: Tensor((n, 8), "float32"), w: Tensor((8, 4), "float32")):  #<
        with R.dataflow():
            lv = R.call_tir(mm, (x, w), (n, 4), dtype="float32")  #<
            out = R.call_tir("env.relu", (lv,), (n, 4), dtype="float32")  #<
            R.output(out)
        return out
# --- 2023
from tvm.script import ir as I, relax as R, tir as T  #<

@I.ir_module  #<
class Mod:
    @T.prim_func
    def mm(x: T.handle, w: T.Buffer((8, 4), "float32"), y: T.handle):  #<
        T.func_attr({"tir.noalias": True})
        n = T.int64()  #<
        X = T.match_buffer(x, (n, 8))
        Y = T.match_buffer(y, (n, 4))
        for i, j, k in T.grid(n, 4, 8):
            with T.block("Y"):  #<
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * w[vk, vj]

    @R.function
    def main(x: R.Tensor(("n", 8), dtype="float32"), w: R.Tensor((8, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):  #<
        n = T.int64()
        cls = Mod
        with R.dataflow():
            lv = R.call_tir(cls.mm, (x, w), out_sinfo=R.Tensor((n, 4), dtype="float32"))  #<
            out = R.call_dps_packed("env.relu", (lv,), out_sinfo=R.Tensor((n, 4), dtype="float32"))  #<
            R.output(out)
        return out
# --- 2026
from tvm.script import ir as I, relax as R, tirx as T  #<

@I.ir_module(s_tir=True)  #<
class Mod:
    @T.prim_func
    def mm(x: T.handle, w: T.Buffer((8, 4), "float32"), y: T.handle):  #<
        T.func_attr({"tir.noalias": True})
        n = T.int64()  #<
        X = T.match_buffer(x, (n, 8))
        Y = T.match_buffer(y, (n, 4))
        for i, j, k in T.grid(n, 4, 8):
            with T.sblock("Y"):  #<
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * w[vk, vj]

    @R.function
    def main(x: R.Tensor(("n", 8), dtype="float32"), w: R.Tensor((8, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):  #<
        n = T.int64()
        cls = Mod
        with R.dataflow():
            lv = R.call_tir(cls.mm, (x, w), out_ty=R.Tensor((n, 4), dtype="float32"))  #<
            out = R.call_dps_packed("env.relu", (lv,), out_ty=R.Tensor((n, 4), dtype="float32"))  #<
            R.output(out)
        return out
