# run: tenon opt --passes=normalize,lift_functions,to_nondataflow,lower_call_tir,plan_memory,kill_after_last_use,lower_shapes %s
# A loop, as those of models are read: a function that calls itself last. Lifted, it gets what it captured as last
# argument; the bytecode makes its last call a jump (TAIL_CALL).
@I.ir_module
class M:
    @T.prim_func(private=True)
    def step(X: T.Buffer((), "float32"), Y: T.Buffer((), "float32")):
        with T.block("Y"):
            Y[()] = X[()] * T.float32(2)

    @R.function
    def main(s0: R.Tensor((), dtype="float32"), n: R.Shape(["n_1"])) -> R.Tensor((), dtype="float32"):
        n_1 = T.int64()
        cls = M

        @R.function
        def loop(i: R.Shape(["i_1"]), state: R.Tensor((), dtype="float32")) -> R.Tensor((), dtype="float32"):
            i_1 = T.int64()
            go: R.Tensor((), dtype="bool") = R.call_pure_packed("env.below", i, n, sinfo_args=R.Tensor((), dtype="bool"))
            if go:
                s2 = R.call_tir(cls.step, (state,), out_sinfo=R.Tensor((), dtype="float32"))
                last: R.Tensor((), dtype="float32") = loop(R.shape([i_1 + 1]), s2)
            else:
                last: R.Tensor((), dtype="float32") = state
            return last

        y: R.Tensor((), dtype="float32") = loop(R.shape([0]), s0)
        return y
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class M:
    @T.prim_func(private=True)
    def step(X: T.Buffer((), "float32"), Y: T.Buffer((), "float32")):
        with T.block("Y"):
            T.reads(X[()])
            T.writes(Y[()])
            Y[()] = X[()] * T.float32(2.0)

    @R.function(private=True)
    def main_loop(i: R.Shape(["i_1"]), state: R.Tensor((), dtype="float32"), n: R.Shape(["n_1"])) -> R.Tensor((), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True), "memory_plan": {"planned_bytes": 0, "lower_bound_bytes": 0, "no_reuse_bytes": 0, "result_bytes": 64, "n_storages": 1, "n_tensors": 1, "n_symbolic": 0}})
        i_1 = T.int64()
        n_1 = T.int64()
        cls = M
        loop: R.Callable((R.Shape(["i_1_1"]), R.Tensor((), dtype="float32")), R.Tensor((), dtype="float32"), True) = R.make_closure(cls.main_loop, (n,))
        go = R.call_pure_packed("env.below", i, n, sinfo_args=(R.Tensor((), dtype="bool"),))
        if go:
            storage: R.Object = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
            s2: R.Tensor((), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([]), R.dtype("float32"))
            _: R.Tuple() = R.vm.kill_object(storage)
            _1: R.Tuple() = R.vm.call_dps(cls.step, state, s2)
            size = T.int64()
            _2 = R.match_cast(R.shape([i_1 + 1]), R.Shape([size]))
            last_1: R.Tensor((), dtype="float32") = loop(R.shape([size]), s2)
            _3: R.Tuple() = R.vm.kill_object(s2)
            last = last_1
        else:
            last = state
        _: R.Tuple() = R.vm.kill_object(loop)
        _1: R.Tuple() = R.vm.kill_object(go)
        return last

    @R.function
    def main(s0: R.Tensor((), dtype="float32"), n: R.Shape(["n_1"])) -> R.Tensor((), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True)})
        n_1 = T.int64()
        cls = M
        loop: R.Callable((R.Shape(["i_1"]), R.Tensor((), dtype="float32")), R.Tensor((), dtype="float32"), True) = R.make_closure(cls.main_loop, (n,))
        y: R.Tensor((), dtype="float32") = loop(R.shape([0]), s0)
        _: R.Tuple() = R.vm.kill_object(loop)
        return y
