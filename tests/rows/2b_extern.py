# row: function of the host
# section: 2b
# does: prints
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    ext = R.ExternFunc("my_ext")  #<

    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(1)
