# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    A[T.Ramp(0, 1, 4 * T.vscale())] = T.Broadcast(T.float32(1), 4 * T.vscale())
# expect:
%s:4:65: error: not supported: vectors of T.vscale() lanes, which the machine decides [unsupported]
    A[T.Ramp(0, 1, 4 * T.vscale())] = T.Broadcast(T.float32(1), 4 * T.vscale())
                                                                ^~~~~~~~~~~~~~
  hint: vectors of a fixed length: T.Ramp(0, 1, 4)
