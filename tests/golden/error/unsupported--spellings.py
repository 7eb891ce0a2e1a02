# run: not tenon check %s
@T.prim_func
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A[1]


@T.prim_func
def old(A: T.Buffer[(16,), "float32"]):
    A[0] = A[1]


@T.prim_func(s_tir=True)
def new(A: T.Buffer((16,), "float32")):
    A[0] = A[1]


@T.inline
def inline(A):
    A[0] = A[1]
# expect:
%s:8:12: error: not supported yet: T.Buffer[...], the spelling of 2022 [unsupported]
def old(A: T.Buffer[(16,), "float32"]):
           ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: write T.Buffer((8, 4), "float32")
%s:12:2: error: not supported yet: s_tir=, the spelling of 2026 [unsupported]
@T.prim_func(s_tir=True)
 ^~~~~~~~~~~~~~~~~~~~~~~
%s:17:2: error: not supported yet: @T.inline, of the spelling of 2026 [unsupported]
@T.inline
 ^~~~~~~~
  hint: use @T.macro
