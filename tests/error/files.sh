#!/bin/bash
# Files that are not there, not whole, or cannot be written: the message names the file and the
# reason, the exit code is 1, and what stood there before is still there.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
fashion=examples/fashion_mnist/all_tensorir.py
weights=models/fashion_mnist/fashion_mlp.npz
cat > "$work/k.py" << 'PY'
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Kernels:
    @T.prim_func
    def ramp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + T.Cast("float32", vi)
PY
zeros 16 | npy "$work/a.npy" '<f4' '(4,)'

# ---- missing ----------------------------------------------------------------------------------------
for command in check fmt run "opt --passes=simplify" "compile -o $work/x.tnx" bench; do
  # shellcheck disable=SC2086
  fails 1 "$command: a missing program" "no.py" "$TENON" $command "$work/no.py"
done
fails 1 "a missing executable" "no.tnx" "$TENON" run "$work/no.tnx"
fails 1 "a missing library" "no.so" "$TENON" run "$work/no.so"
fails 1 "a missing input" "no.npy" "$TENON" run "$work/k.py" --input "A=$work/no.npy"
fails 1 "missing weights" "no.npz" "$TENON" run "$fashion" --random --bind "w0=$work/no.npz:w0"
fails 1 "a missing member" "it has" "$TENON" run "$fashion" --random --bind "w0=$weights:w9"
fails 1 "a folder" "folder" "$TENON" check "$work"
is "nothing was written" ! -e "$work/x.tnx"

# ---- truncated --------------------------------------------------------------------------------------
for n in 5 30 90 130 143; do
  head -c $n "$work/a.npy" > "$work/short.npy"
  fails 1 "an npy file of $n bytes" "short.npy" "$TENON" run "$work/k.py" --input "A=$work/short.npy"
done
head -c 5000 "$weights" > "$work/short.npz"
fails 1 "a truncated npz file" "short.npz" "$TENON" run "$fashion" --random --bind "w0=$work/short.npz:w0"
head -c 400 "$fashion" > "$work/short.py"
fails 1 "a truncated program" "short.py:" "$TENON" check "$work/short.py"
grep -q 'error: ' "$work/err" || bad "$title" "no diagnostic"
succeeds "an executable to cut" "$TENON" compile "$work/k.py" -o "$work/k.tnx"
succeeds "and a library" "$TENON" compile "$work/k.py" -o "$work/k.so"
for kind in tnx so; do
  size=$(stat -c %s "$work/k.$kind")
  for n in 0 10 63 64 200 $((size / 2)) $((size - 1)); do
    head -c "$n" "$work/k.$kind" > "$work/short.$kind"
    fails 1 "$n of $size bytes of a .$kind" "short.$kind" "$TENON" run "$work/short.$kind" --random
  done
done

# ---- an output that cannot be written ----------------------------------------------------------------
echo kept > "$work/file"
# A folder in which not even root may make a file: of sysfs, or of procfs where that is not mounted.
closed=/sys
if touch "$closed/tenon" 2> /dev/null; then
  rm -f "$closed/tenon"
  closed=/proc
fi
for kind in tnx so o s ll py; do
  fails 1 "a .$kind under a file" "$work/file/out.$kind" "$TENON" compile "$work/k.py" -o "$work/file/out.$kind"
  fails 1 "a .$kind in no folder" "$work/none/out.$kind" "$TENON" compile "$work/k.py" -o "$work/none/out.$kind"
  fails 1 "a .$kind in a read-only folder" "$closed/out.$kind" "$TENON" compile "$work/k.py" -o "$closed/out.$kind"
done
fails 1 "results under a file" "$work/file/dir" "$TENON" run "$work/k.py" --random --output "$work/file/dir"
fails 1 "results in a read-only folder" "$closed/" "$TENON" run "$work/k.py" --random --output "$closed"
is "the file in the way is unharmed" "$(cat "$work/file")" = kept

# ---- what stood there stays when something fails -------------------------------------------------------
sed 's/B\[vi\] = /B[vi, vi] = /' "$work/k.py" > "$work/wrong.py"
for kind in tnx so o s ll py; do
  echo kept > "$work/old.$kind"
  fails 1 "a wrong program to .$kind" "wrong.py:" "$TENON" compile "$work/wrong.py" -o "$work/old.$kind"
  is "the old .$kind is kept" "$(cat "$work/old.$kind")" = kept
done
fails 1 "no linker" "link" env PATH=/nowhere "$TENON" compile "$work/k.py" -o "$work/old.so"
is "the old .so is kept" "$(cat "$work/old.so")" = kept
is "no half-written file is left" "$(find "$work" -name '*.tmp*' | wc -l)" -eq 0
finish
