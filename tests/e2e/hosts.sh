#!/bin/bash
# The calling convention and the executable format, proved by three hosts around the same kernels:
# the compiler in memory, the runtime library alone, and a plain C program. And what the libraries
# may weigh and need.
. "$(dirname "$0")/../shell.bash"
here=$TN_SRC/tests/e2e/hosts
flags=(-std=gnu11 -O1 -Wall -Wextra -Werror "-I$TN_SRC/include")
[ -z "$TN_SANITIZE" ] || flags+=("-fsanitize=$TN_SANITIZE")

for kind in o so tnx; do
  succeeds "the kernels as .$kind" "$TENON" compile "$here/kernels.py" -o "$work/k.$kind"
done
succeeds "a plain program with the object file" "$CC" "${flags[@]}" -DLINKED "$here/plain_host.c" "$work/k.o" -lm -ldl -o "$work/linked"
succeeds "a plain program" "$CC" "${flags[@]}" "$here/plain_host.c" -ldl -o "$work/plain"
succeeds "a program on the runtime library" "$CC" "${flags[@]}" "$here/runtime_host.c" "-L$TN_BUILD" -ltenon_runtime \
  "-Wl,-rpath,$TN_BUILD" -o "$work/runtime"
title="it needs no compiler"
readelf -d "$work/runtime" > "$work/out"
n_checks=$((n_checks + 1))
grep -qE 'NEEDED.*(LLVM|libtenon\.so)' "$work/out" && bad "$title" "it links the compiler"

# Some numbers: the random values of the tool.
cat > "$work/numbers.py" << 'PY'
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Numbers:
    @T.prim_func
    def numbers(X: T.Buffer((64, 48), "float32")):
        for i, j in T.grid(64, 48):
            with T.block("X"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = T.Cast("float32", (vi * 37 + vj * 101) % 257) / T.float32(64) - T.float32(2)
PY
succeeds "numbers" "$TENON" run "$work/numbers.py" --output "$work"
npy_data "$work/X.npy" > "$work/x.bin"
is "64 x 48 of them" "$(stat -c %s "$work/x.bin")" -eq 12288

for kernel in scale:48 product:64 curve:48; do
  name=${kernel%:*}
  columns=${kernel#*:}
  succeeds "$name in memory" "$TENON" run "$here/kernels.py" --func "$name" --input "X=$work/X.npy" --output "$work/$name"
  npy_data "$work/$name/Y.npy" > "$work/$name.bin"
  is "$name has its results" "$(stat -c %s "$work/$name.bin")" -eq $((64 * columns * 4))
  for kind in tnx so; do
    succeeds "$name, runtime alone, .$kind" "$work/runtime" "$work/k.$kind" "$name" "$columns" "$work/x.bin" "$work/y.bin"
    same "$name: the runtime alone gives the same bits (.$kind)" "$work/y.bin" "$work/$name.bin"
    rm -f "$work/y.bin"
  done
  succeeds "$name, linked in" "$work/linked" "$name" "$columns" "$work/x.bin" "$work/y.bin"
  same "$name: linked in, the same bits" "$work/y.bin" "$work/$name.bin"
  rm -f "$work/y.bin"
  succeeds "$name, opened" "$work/plain" "$name" "$columns" "$work/x.bin" "$work/y.bin" "$work/k.so"
  same "$name: opened, the same bits" "$work/y.bin" "$work/$name.bin"
done
succeeds "kernels in the convention of tvm-ffi" "$TENON" compile "$here/ffi_kernels.py" --export=tvm-ffi -o "$work/ffi.so"
succeeds "a host of that convention" "$CC" "${flags[@]}" -rdynamic "$here/ffi_host.c" -ldl -o "$work/ffi"
succeeds "tensors, numbers, results, errors and calls in that convention" "$work/ffi" "$work/ffi.so"
echo '@R.function
def main(x: R.Tensor((3,), "float32")):
    return R.exp(x)' > "$work/graph_only.py"
fails 1 "nothing to export" "no public loop function to export" "$TENON" compile "$work/graph_only.py" --export=tvm-ffi -o "$work/none.so"
fails 1 "only a library exports them" "only a library (.so)" "$TENON" compile "$here/ffi_kernels.py" --export=tvm-ffi -o "$work/ffi.tnx"
succeeds "a kernel refuses a wrong call of any host" "$work/linked" --refuse
out_has '^refused: 1 .*expected 2 got 0$'

# ---- what a kernel imports ---------------------------------------------------------------------------
imports() { # file
  readelf -sW "$1" | awk '$7 == "UND" && $8 != "" { sub(/@.*/, "", $8); print $8 }' | sort -u
}
last="readelf -sW"
title="a kernel imports nothing"
for file in k.o k.so; do
  n_checks=$((n_checks + 1))
  others=$(imports "$work/$file")
  [ -z "$others" ] || bad "$title" "$file imports $others"
done
for target in $("$TENON" targets | sed -n 's/^\([^ ]*\) .*/\1/p'); do
  for level in 0 2; do
    succeeds "mathematics for $target, -O$level" "$TENON" compile "$here/mathematics.py" --target "$target" -O "$level" -o "$work/m.o"
    others=$(imports "$work/m.o")
    [ -z "$others" ] || bad "mathematics for $target, -O$level, imports nothing" "it imports $others"
  done
done

# ---- the libraries -----------------------------------------------------------------------------------
needed() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort | tr '\n' ' '; }
if [ -z "$TN_SANITIZE" ]; then
  for library in tenon_runtime:307200 tenon:5242880; do
    name=lib${library%:*}.so
    strip -o "$work/$name" "$TN_BUILD/$name"
    is "$name stripped is small enough" "$(stat -c %s "$work/$name")" -le "${library#*:}"
  done
  title="the runtime needs libc and libm alone"
  n_checks=$((n_checks + 1))
  last="readelf -d"
  needed "$TN_BUILD/libtenon_runtime.so" > "$work/out"
  grep -qxE '(ld-linux[^ ]* )?libc\.so\.6 (libm\.so\.6 )?' "$work/out" || bad "$title" "it needs more"
fi
finish
