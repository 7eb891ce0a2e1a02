# run: tenon fmt %s
# The graph level, construct by construct.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    I.module_attrs({"external_mods": []})
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0, "global")]})
    ext = R.ExternFunc("my_ext")

    @T.prim_func(private=True)
    def mm(x: T.Buffer((1, 784), "float32"), w: T.Buffer((784, 128), "float32"), y: T.Buffer((1, 128), "float32")):
        T.evaluate(0)

    @T.prim_func(private=True, check_well_formed=False)
    def two(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        z[0] = x[0]

    @T.prim_func(private=True)
    def g(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        y[0] = x[0]

    @T.prim_func(private=True)
    def sym(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n,))
        Y = T.match_buffer(y, (n,))
        Y[0] = X[0]

    @T.prim_func(private=True)
    def sym2(y: T.handle, n: T.int64):
        Y = T.match_buffer(y, (n,))
        Y[0] = T.float32(0)

    @T.prim_func(private=True)
    def f2(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        x[0] = y[0]
        y[1] = x[0]

    @R.function
    def types(a: R.Tensor((1,784),"float32"), b: R.Tensor(("n",4),dtype="float32"), c: R.Tensor(ndim=2), d: R.Tensor(dtype="float32"), e: R.Tensor, f: R.Tensor((4,), "float32", vdevice="cuda:0"), h: R.Shape(ndim=2), i: R.Tuple(R.Tensor((4,)), R.Shape), j: R.Prim("int64"), k: R.Object, l: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True)) -> R.Object:
        return k

    @R.function
    def symbolic(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n + 1",), "float32"), sh: R.Shape(["n", 4])) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        z: R.Tensor((n * 4,), "float32") = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((n * 4,), "float32"))
        return x

    @R.function
    def bindings(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            lv = R.add(x, y)
            lv1: R.Tensor((4,), dtype="float32") = R.add(lv, y)
            lv2 = R.emit(R.add(lv, lv1))
            lv3 = R.emit_match_cast(lv2, R.Tensor((4,), "float32"))
            R.output(lv1, lv3)
        return lv1

    @R.function
    def calls(x: R.Tensor((1, 784), "float32"), w: R.Tensor((784, 128), "float32"), v: R.Tensor((4,), "float32"), u: R.Tensor((4,), "float32"), s: R.Tensor(("n",), "float32")) -> R.Tensor((4,), "float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.mm, (x, w), out_sinfo=R.Tensor((1,128),"float32"))
            lv1 = R.call_tir(cls.two, (v,), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
            lv2 = R.call_tir(cls.sym2, R.tuple(), out_sinfo=R.Tensor((n,), "float32"), tir_vars=R.shape([n]))
            lv3 = R.call_tir(cls.g, v, out_sinfo=R.Tensor((4,), "float32"))
            lv4 = R.call_tir_with_grad(cls.g, (v,), out_sinfo=R.Tensor((4,), "float32"), te_grad_name="g", te_grad_kwargs={"k":1.0})
            lv5 = R.call_dps_packed("env.relu", (v,), out_sinfo=R.Tensor((4,), "float32"))
            lv6 = R.call_pure_packed("f", v, sinfo_args=(R.Tensor((4,), "float32"),))
            lv7 = R.call_inplace_packed("f", v, inplace_indices=[0], sinfo_args=(R.Tensor((4,), "float32"),))
            lv8 = R.call_tir_inplace(cls.f2, (v, u), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")], inplace_indices=[0, 1])
            t = (lv, lv1)
            t2 = R.tuple(lv, lv1)
            q = t[0]
            q2 = R.tuple_get_item(t2, 1)
            y: R.Tensor((n,), "float32") = R.match_cast(s, R.Tensor((n,), "float32"))
            R.output(lv3)
        return lv3

    @R.function(pure=False)
    def impure(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool"), z: R.Tensor) -> R.Tensor((4,), "float32"):
        m = T.int64()
        n = T.int64()
        cls = Module
        a = R.call_packed("f", x, R.prim_value(1), R.str("s"), sinfo_args=(R.Tensor,))
        b = R.call_builtin_with_ctx("vm.builtin.x", (x,), sinfo_args=R.Object)
        y: R.Tensor((m,n), "float32") = R.match_cast(z, R.Tensor((m,n),"float32"))
        k1 = R.const(1.5,"float32")
        k2 = R.prim_value(3)
        k3 = R.shape([1, n])
        k4 = R.str("s")
        k5 = R.dtype("float32")
        k6 = R.null_value()
        R.print(x, format="x: {}")
        R.assert_op(c, x, format="x {}")
        if c:
            r = x
        else:
            r = cls.impure(x, c, z)

        @R.function
        def inner(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            return y

        w = inner(r)
        v2 = R.invoke_closure(inner, (r,), sinfo_args=R.Tensor((4,), "float32"))
        e = cls.ext(x)
        return w

    @R.function
    def devices(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"num_input": 1})
        R.func_name("devices")
        a = R.to_vdevice(x, "cuda:0")
        b = R.hint_on_device(x, R.device("cpu"))
        return b

    @R.function
    def low(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        s = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        t = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        v = R.memory.view(t, R.shape([2, 2]), R.dtype("float32"), R.prim_value(0))
        e = R.memory.ensure_zero_offset(v)
        k = R.memory.kill_tensor(t)
        l = R.memory.kill_storage(s)
        vs = R.vm.alloc_storage(R.shape([16]), R.prim_value(0), R.dtype("uint8"))
        vt = R.vm.alloc_tensor(vs, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        o = R.vm.kill_object(vs)
        return x

    @R.function
    def operators(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32"), c: R.Tensor((4,), "float32"), d: R.Tensor((4,), "float32"), e: R.Tensor((4,), "float32"), x: R.Tuple(R.Tensor((4,), "float32"), R.Shape)) -> R.Tensor((4,), "bool"):
        y = a + b - c * d / e
        z = a < b
        w = -a
        x0 = x[0]
        h = x0.astype("float16")
        return z
# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_attrs({"external_mods": []})

    I.module_global_infos({"vdevice": ["llvm:0:global", "cuda:0:global"]})

    @T.prim_func(private=True)
    def f2(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        x[0] = y[0]
        y[1] = x[0]

    @T.prim_func(private=True)
    def g(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        y[0] = x[0]

    @T.prim_func(private=True)
    def mm(x: T.Buffer((1, 784), "float32"), w: T.Buffer((784, 128), "float32"), y: T.Buffer((1, 128), "float32")):
        T.evaluate(0)

    @T.prim_func(private=True)
    def sym(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n,))
        Y = T.match_buffer(y, (n,))
        Y[0] = X[0]

    @T.prim_func(private=True)
    def sym2(y: T.handle, n: T.int64):
        Y = T.match_buffer(y, (n,))
        Y[0] = T.float32(0.0)

    @T.prim_func(private=True)
    def two(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        z[0] = x[0]

    ext = R.ExternFunc("my_ext")

    @R.function
    def bindings(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((4,), dtype="float32") = R.add(x, y)
            lv1: R.Tensor((4,), dtype="float32") = R.add(lv, y)
            lv2: R.Tensor((4,), dtype="float32") = R.add(lv, lv1)
            lv3 = R.match_cast(lv2, R.Tensor((4,), dtype="float32"))
            R.output(lv1, lv3)
        return lv1

    @R.function
    def calls(x: R.Tensor((1, 784), dtype="float32"), w: R.Tensor((784, 128), dtype="float32"), v: R.Tensor((4,), dtype="float32"), u: R.Tensor((4,), dtype="float32"), s: R.Tensor(("n",), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.mm, (x, w), out_sinfo=R.Tensor((1, 128), dtype="float32"))
            lv1 = R.call_tir(cls.two, (v,), out_sinfo=[R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")])
            lv2 = R.call_tir(cls.sym2, (), out_sinfo=R.Tensor((n,), dtype="float32"), tir_vars=R.shape([n]))
            lv3 = R.call_tir(cls.g, (v,), out_sinfo=R.Tensor((4,), dtype="float32"))
            lv4 = R.call_tir_with_grad(cls.g, (v,), out_sinfo=R.Tensor((4,), dtype="float32"), te_grad_name="g", te_grad_kwargs={"k": T.float32(1.0)})
            lv5 = R.call_dps_packed("env.relu", (v,), out_sinfo=R.Tensor((4,), dtype="float32"))
            lv6 = R.call_pure_packed("f", v, sinfo_args=(R.Tensor((4,), dtype="float32"),))
            lv7 = R.call_inplace_packed("f", v, sinfo_args=(R.Tensor((4,), dtype="float32"),), inplace_indices=[0])
            lv8 = R.call_tir_inplace(cls.f2, (v, u), out_sinfo=[R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")], inplace_indices=[0, 1])
            t: R.Tuple(R.Tensor((1, 128), dtype="float32"), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))) = (lv, lv1)
            t2: R.Tuple(R.Tensor((1, 128), dtype="float32"), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))) = (lv, lv1)
            q: R.Tensor((1, 128), dtype="float32") = t[0]
            q2: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = t2[1]
            y = R.match_cast(s, R.Tensor((n,), dtype="float32"))
            R.output(lv3)
        return lv3

    @R.function
    def devices(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1})
        a: R.Tensor((4,), dtype="float32") = R.to_vdevice(x, dst_vdevice="cuda:0")
        b: R.Tensor((4,), dtype="float32") = R.hint_on_device(x, device="cpu:0")
        return b

    @R.function(pure=False)
    def impure(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool"), z: R.Tensor) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        a = R.call_packed("f", x, R.prim_value(1), R.str("s"), sinfo_args=(R.Tensor,))
        b = R.call_builtin_with_ctx("vm.builtin.x", (x,), sinfo_args=(R.Object,))
        m = T.int64()
        n = T.int64()
        y = R.match_cast(z, R.Tensor((m, n), dtype="float32"))
        k1 = R.const(1.5, "float32")
        k2: R.Prim(value=3) = R.prim_value(3)
        k3: R.Shape([1, n]) = R.shape([1, n])
        k4: R.Object = R.str("s")
        k5: R.Object = R.dtype("float32")
        k6: R.Object = R.null_value()
        _: R.Tuple() = R.print(x, format="x: {}")
        _1: R.Tuple() = R.assert_op(c, x, format="x {}")
        if c:
            r = x
        else:
            r: R.Tensor((4,), dtype="float32") = cls.impure(x, c, z)
        @R.function
        def inner(y_1: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
            return y_1
        w: R.Tensor((4,), dtype="float32") = inner(r)
        v2 = R.invoke_closure(inner, (r,), sinfo_args=(R.Tensor((4,), dtype="float32"),))
        e: R.Object = cls.ext(x)
        return w

    @R.function
    def low(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"relax.force_pure": T.bool(True)})
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        s: R.Object = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        t: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        v: R.Tensor((2, 2), dtype="float32") = R.memory.view(t, R.shape([2, 2]), R.dtype("float32"), R.prim_value(0))
        e: R.Tensor((2, 2), dtype="float32") = R.memory.ensure_zero_offset(v)
        k: R.Tuple() = R.memory.kill_tensor(t)
        l: R.Tuple() = R.memory.kill_storage(s)
        vs: R.Object = R.vm.alloc_storage(R.shape([16]), R.prim_value(0), R.dtype("uint8"))
        vt: R.Tensor((4,), dtype="float32") = R.vm.alloc_tensor(vs, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        o: R.Tuple() = R.vm.kill_object(vs)
        return x

    @R.function
    def operators(a: R.Tensor((4,), dtype="float32"), b: R.Tensor((4,), dtype="float32"), c: R.Tensor((4,), dtype="float32"), d: R.Tensor((4,), dtype="float32"), e: R.Tensor((4,), dtype="float32"), x: R.Tuple(R.Tensor((4,), dtype="float32"), R.Shape)) -> R.Tensor((4,), dtype="bool"):
        y: R.Tensor((4,), dtype="float32") = R.subtract(R.add(a, b), R.divide(R.multiply(c, d), e))
        z: R.Tensor((4,), dtype="bool") = R.less(a, b)
        w: R.Tensor((4,), dtype="float32") = R.negative(a)
        x0: R.Tensor((4,), dtype="float32") = x[0]
        h: R.Tensor((4,), dtype="float16") = R.astype(x0, dtype="float16")
        return z

    @R.function
    def symbolic(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n + 1",), dtype="float32"), sh: R.Shape(["n", 4])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        z = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((n * 4,), dtype="float32"))
        return x

    @R.function
    def types(a: R.Tensor((1, 784), dtype="float32"), b: R.Tensor(("n", 4), dtype="float32"), c: R.Tensor(ndim=2), d: R.Tensor(dtype="float32"), e: R.Tensor, f: R.Tensor((4,), dtype="float32", vdevice="cuda:0"), h: R.Shape(ndim=2), i: R.Tuple(R.Tensor((4,)), R.Shape), j: R.Prim("int64"), k: R.Object, l: R.Callable((R.Tensor((4,), dtype="float32"),), R.Tensor((4,), dtype="float32"), True)) -> R.Object:
        return k
