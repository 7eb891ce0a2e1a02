#!/bin/bash
# tenon run --interpret=checked: right programs give what plain interpretation gives, faults come with
# their lines, also through graph functions, calls and symbolic sizes; exit codes.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
fashion=examples/fashion_mnist

# ---- right programs -------------------------------------------------------------------------------
for args in "examples/dense.py --size n=3" examples/scale_add.py "$fashion/all_tensorir.py" \
  examples/tiles/gemm_6x16.py; do
  # shellcheck disable=SC2086
  succeeds "interpret $args" "$TENON" run --interpret $args --random
  cp "$work/out" "$work/plain"
  # shellcheck disable=SC2086
  succeeds "nothing is found in $args" "$TENON" run --interpret=checked $args --random
  same "and the result is the same" "$work/out" "$work/plain"
done

# ---- a graph function, its kernels, symbolic sizes -------------------------------------------------
cat > "$work/m.py" << 'PY'
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def half(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n // 2):
            B[i] = A[i]

    @T.prim_func
    def sum(a: T.handle, S: T.Buffer((1,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        S[0] = T.float32(0)
        for i in T.parallel(n):
            S[0] = S[0] + A[i]

    @R.function
    def kernels(x: R.Tensor(("n",), "float32")) -> R.Tensor((1,), "float32"):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.half, (x,), out_sinfo=R.Tensor((n,), "float32"))
        s = R.call_tir(cls.sum, (y,), out_sinfo=R.Tensor((1,), "float32"))
        return s

    @R.function
    def operators(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.half, (x,), out_sinfo=R.Tensor((n,), "float32"))
        z = R.add(y, x)
        return z

    @R.function
    def result(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.half, (x,), out_sinfo=R.Tensor((n,), "float32"))
        return y
PY
checked=("$TENON" run --interpret=checked --random --size n=8 "$work/m.py")
fails 1 "a kernel reads what another did not write" \
  "m.py:21:13: error: sum: A[4] is read, and nothing has written it; i=4" "${checked[@]}" -f kernels
fails 1 "a race in a kernel" \
  "m.py:21:13: error: sum: a turn of the parallel loop over 'i' reads S[0], which another one wrote (line 21)" \
  "${checked[@]}" -f kernels
fails 1 "an operator of what was not written" \
  "m.py:36:9: error: R.add: a part of its argument 0 was never written" "${checked[@]}" -f operators
fails 1 "a result that was not written" \
  "error: result: a part of its result was never written" "${checked[@]}" -f result
succeeds "a plain run says nothing" "$TENON" run --interpret --random --size n=8 "$work/m.py" -f result

# ---- one loop function calls another --------------------------------------------------------------
cat > "$work/c.py" << 'PY'
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), i: T.int32):
        A[i // 2] = A[i // 2] + T.float32(1)

    @T.prim_func
    def main(X: T.Buffer((4,), "float32")):
        for i in range(4):
            X[i] = T.float32(0)
        for i in T.parallel(4):
            Module.add(X, i)
PY
fails 1 "a race between calls" \
  "c.py:8:9: error: add: a turn of the loop around the call reads A[0], which another one wrote (line 8)" \
  "$TENON" run --interpret=checked "$work/c.py" -f main

# ---- limits ---------------------------------------------------------------------------------------
{
  echo "@T.prim_func"
  echo "def f(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\")):"
  for i in $(seq 12); do
    echo "    for i in range(5):"
    echo "        B[0] = A[i] + $i"
  done
} > "$work/many.py"
fails 1 "ten findings are enough" "the run stopped here" \
  "$TENON" run --interpret=checked --random "$work/many.py"
is "ten are shown" "$(grep -c 'index-out-of-bounds' "$work/err")" = 10
cat > "$work/ever.py" << 'PY'
@T.prim_func
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    B[0] = 4
    while A[B[0]] == 0:
        B[0] = B[0] + 0
PY
fails 1 "a loop that a finding keeps running ends" "1000000 times in all" \
  timeout 60 "$TENON" run --interpret=checked --random "$work/ever.py"
cat > "$work/stop.py" << 'PY'
@T.prim_func
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    B[0] = A[4 + B[1]]
    assert B[0] == 1, "as it should be"
PY
fails 1 "what ends the run comes after what was found" "as it should be" \
  "$TENON" run --interpret=checked --random "$work/stop.py"
is "both are told" "$(grep -cE 'never-written|assertion' "$work/err")" = 2
fails 2 "another word" "only --interpret and --interpret=checked are known" \
  "$TENON" run --interpret=sometimes "$work/stop.py"
finish
