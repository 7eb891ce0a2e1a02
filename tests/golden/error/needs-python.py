# run: not tenon check %s
import numpy as np
from mylib import sizes

N = 4
@T.prim_func
def f(A: T.Buffer((N,), "float32"), B: T.Buffer((sizes,), "float32")):
    A[0] = np.float32(1)
# expect:
%s:7:50: error: 'sizes' comes from an import, and this text is read without Python [needs-python]
def f(A: T.Buffer((N,), "float32"), B: T.Buffer((sizes,), "float32")):
                                                 ^~~~~
  hint: write its value into the text, or give it by -D
%s:8:12: error: 'np' comes from an import, and this text is read without Python [needs-python]
    A[0] = np.float32(1)
           ^~
  hint: write its value into the text, or give it by -D
