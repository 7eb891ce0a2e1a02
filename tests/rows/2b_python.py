# row: what needs a running Python
# section: 2b
# does: refused needs-python
# same: 2022 2026
# --- 2023
import numpy as np
scale = np.float32(0.5)  #<

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    A[0] = scale
