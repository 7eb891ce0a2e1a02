# row: attributes and devices of a module
# section: 2b
# does: prints
# same: 2022 2026
# --- 2023
@I.ir_module
class Module:
    I.module_attrs({"external_mods": []})  #<
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0, "global")]})  #<

    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(1)
