#!/bin/bash
# Arguments and weights of the wrong kind: the message names the argument, what was expected and
# what came.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
fashion=examples/fashion_mnist/all_tensorir.py
zeros 3136 | npy "$work/x.npy" '<f4' '(1, 784)'
zeros 3132 | npy "$work/x783.npy" '<f4' '(1, 783)'
zeros 3136 | npy "$work/flat.npy" '<f4' '(784,)'
zeros 6272 | npy "$work/x64.npy" '<f8' '(1, 784)'
zeros 40 | npy "$work/b.npy" '<f4' '(10,)'
zeros 512 | npy "$work/b128.npy" '<f4' '(128,)'
{ zeros 12; printf '\x00\x00\xc0\x7f'; zeros 24; } | npy "$work/nan.npy" '<f4' '(10,)'
{ printf 'no array'; zeros 200; } > "$work/junk.npy"

for how in "" --interpret; do
  # shellcheck disable=SC2086
  run() { fails 1 "$1 $how" "$2" "$TENON" run $how "$fashion" --random "${@:3}"; }
  run "a wrong extent" "783" --input "x=$work/x783.npy"
  grep -q "x" "$work/err" && grep -q 784 "$work/err" || bad "$title" "the message names x and what it should be"
  run "a wrong rank" "784" --input "x=$work/flat.npy"
  run "a wrong type" "float64" --input "x=$work/x64.npy"
  grep -q float32 "$work/err" || bad "$title" "the message says what was expected"
done

compile() { fails 1 "$1" "$2" "$TENON" compile "$fashion" -o "$work/out.tnx" "${@:3}"; }
echo kept > "$work/out.tnx"
compile "a binding of the wrong shape" "b1" --bind "b1=$work/b128.npy"
grep -q '128' "$work/err" && grep -q '10' "$work/err" || bad "$title" "the message names both shapes"
compile "a binding of the wrong type" "float64" --bind "x=$work/x64.npy"
compile "an unknown parameter" "b3" --bind "b3=$work/b.npy"
compile "a NaN among the weights" "NaN" --bind "b1=$work/nan.npy"
grep -q 'b1' "$work/err" && grep -q '3' "$work/err" || bad "$title" "the message says where the NaN is"
compile "a file that is no array" "junk.npy" --bind "b1=$work/junk.npy"
is "the old output is kept" "$(cat "$work/out.tnx")" = kept

fails 1 "an argument is missing" "argument w0" "$TENON" run "$fashion" --input "x=$work/x.npy"
fails 1 "an unknown argument" "no such argument; it has: x, w0, b0, w1, b1" "$TENON" run "$fashion" --random --input "y=$work/x.npy"
fails 1 "an argument twice" "argument x was given already" "$TENON" run "$fashion" --random --input "x=$work/x.npy" --input "x=$work/x.npy"
fails 1 "binding twice" "w0" "$TENON" run "$fashion" --random \
  --bind w0=models/fashion_mnist/fashion_mlp.npz:w0 --bind w0=models/fashion_mnist/fashion_mlp.npz:w0
for option in "--bind=x=$work/x.npy" --interpret --target=x86-64-v3 -O0 --strict-math --verify-each --time-passes "--dump-dir=$work/dump"; do
  fails 1 "$option for a compiled file" "is compiled: --" "$TENON" run "$TN_BUILD/libtenon_runtime.so" "$option"
done

cat > "$work/rank.py" << 'PY'
@R.function
def main(x: R.Tensor(ndim=2, dtype="float32")) -> R.Tensor(ndim=2, dtype="float32"):
    return x
PY
fails 1 "only the rank is known" "no fixed shape" "$TENON" run "$work/rank.py" --random

cat > "$work/open.py" << 'PY'
@T.prim_func
def double(x: T.handle, y: T.handle):
    n, m = T.int64(), T.int64()
    X = T.match_buffer(x, (n, m), "float32")
    Y = T.match_buffer(y, (m, n), "float32")
    for i, j in T.grid(n, m):
        Y[j, i] = X[i, j] * T.float32(2)
PY
zeros 24 | npy "$work/x23.npy" '<f4' '(2, 3)'
fails 1 "an open size" "leaves n open; give it with --input X=FILE or --size n=N" "$TENON" run "$work/open.py" --random
fails 1 "one of two open sizes" "leaves m open" "$TENON" run "$work/open.py" --random --size n=2
fails 1 "a size that the types do not have" "no such size; they have n, m" "$TENON" run "$work/open.py" --size k=2
fails 1 "a size and an array that disagree" "--size n=3: the array for X has 2 there" "$TENON" run "$work/open.py" --size n=3 --input "X=$work/x23.npy"
for size in n n= =3 n=-1 n=2x n=99999999999999999999; do
  fails 2 "--size $size" "NAME=N is needed" "$TENON" run "$work/open.py" --size "$size"
done
succeeds "the given array tells the result's shape" "$TENON" run "$work/open.py" --input "X=$work/x23.npy"
out_has '^Y: float32\[3, 2\] 0 0'
finish
