#!/bin/bash
# Executables that this runtime cannot run: of another version, for another architecture, damaged,
# or no executables at all.
. "$(dirname "$0")/../shell.bash"
cat > "$work/k.py" << 'PY'
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Kernels:
    @T.prim_func
    def ramp(B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.Cast("float32", vi)
PY
succeeds "an executable" "$TENON" compile "$work/k.py" -o "$work/k.tnx"
succeeds "a library" "$TENON" compile "$work/k.py" -o "$work/k.so"

patched() { # from, to, offset, bytes
  cp "$1" "$2"
  printf "$4" | dd of="$2" bs=1 seek="$3" conv=notrunc status=none
}

# The header's words: magic at 0, version at 8, architecture at 12 (src/abi/exec.h).
patched "$work/k.tnx" "$work/new.tnx" 8 '\x63\x00'
fails 1 "another version" "executable of format version 99; this runtime reads version 1" "$TENON" run "$work/new.tnx"
patched "$work/k.tnx" "$work/magic.tnx" 0 'X'
fails 1 "no executable" "not an executable" "$TENON" run "$work/magic.tnx"
size=$(stat -c %s "$work/k.tnx")
for at in 12 40 100 $((size / 2)) $((size - 1)); do
  patched "$work/k.tnx" "$work/flip.tnx" "$at" '\xa5'
  cmp -s "$work/k.tnx" "$work/flip.tnx" && patched "$work/k.tnx" "$work/flip.tnx" "$at" '\x5a'
  fails 1 "byte $at changed" "flip.tnx" "$TENON" run "$work/flip.tnx"
done

# An ELF file's machine stands at 18: 183 is AArch64.
patched "$work/k.so" "$work/arm.so" 18 '\xb7\x00'
fails 1 "a library for another architecture" "another architecture" "$TENON" run "$work/arm.so"
fails 1 "a library without an executable" "holds no executable" "$TENON" run "$TN_BUILD/libtenon_runtime.so"
printf 'print("hello")\n' > "$work/text.tnx"
fails 1 "a text called .tnx" "text.tnx" "$TENON" run "$work/text.tnx"
fails 1 "an executable given to check" "k.tnx" "$TENON" check "$work/k.tnx"
succeeds "the original still runs" "$TENON" run "$work/k.tnx"
out_has '^B: float32\[4\] 0 1 2 3$'
cat > "$work/object.py" << 'PY'
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1)
PY
succeeds "an object file" "$TENON" compile "$work/object.py" -o "$work/object.o"
fails 1 "an object file is not loaded" "a .so or .tnx can be loaded" "$TENON" run "$work/object.o"
finish
