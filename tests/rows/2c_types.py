# row: types
# section: 2c
# does: prints
# same: 2022
# --- 2023
@T.prim_func
def f(a: T.int8, b: T.uint16, c: T.float16, d: T.bfloat16, e: T.float64, g: T.bool, p: T.handle):  #<
    x: T.float32x4 = T.Broadcast(T.float32(1), 4)  #<
    T.evaluate(T.call_extern("int32", "g", a, b, c, d, e, g, x))
# --- 2026
from tvm.script import tirx as T

@T.prim_func
def f(a: T.int8, b: T.uint16, c: T.float16, d: T.bfloat16, e: T.float64, g: T.bool, p: T.handle):  #<
    x: T.let[T.float32x4] = T.Broadcast(T.float32(1), 4)  #<
    T.evaluate(T.call_extern("int32", "g", a, b, c, d, e, g, x))
