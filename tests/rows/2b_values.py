# row: values around the functions
# section: 2b
# does: runs
# same: 2022 2026
# --- 2023
N = 4  #<
SHAPE, DTYPE = (N, N * 2), "float32"  #<
IS_FAST = N > 2  #<
CONFIG = {"scale": 0.5}  #<

@I.ir_module
class Module:
    SCALE = CONFIG["scale"]  #<

    @T.prim_func
    def main(A: T.Buffer(SHAPE, DTYPE)):
        for i, j in T.grid(SHAPE[0], N * 2):  #<
            if IS_FAST:  #<
                A[i, j] = A[i, j] * SCALE
            else:
                A[i, j] = T.float32(0)
