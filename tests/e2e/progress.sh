#!/bin/bash
# What takes longer than a second says on a terminal what it is doing, and nothing is said elsewhere.
. "$(dirname "$0")/../shell.bash"
if ! command -v script > /dev/null; then
  echo "skipped: no script(1), which gives a terminal"
  exit 0
fi
# A loop that turns for longer than anybody waits, interpreted; its end is the time limit.
cat > "$work/slow.py" << 'PY'
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Slow:
    @T.prim_func
    def main(Y: T.Buffer((1,), "float32")):
        for i in range(2000000000):
            with T.block("Y"):
                vi = T.axis.reduce(2000000000, i)
                with T.init():
                    Y[0] = T.float32(0)
                Y[0] = T.min(Y[0] + T.float32(1), T.float32(7))
PY
timeout 5 script -qfefc "'$TENON' run '$work/slow.py' --interpret" "$work/said" > /dev/null 2>&1
grep -q 'running.* s' "$work/said"
is "a terminal is told what runs" $? -eq 0
succeeds "nothing is said to a file" "$TENON" run "$TN_SRC/examples/scale_add.py" --random
is "nothing is said to a file" ! -s "$work/err"
timeout 30 script -qefc "'$TENON' run '$TN_SRC/examples/scale_add.py' --random" "$work/said" > /dev/null 2>&1
grep -q 'running\|compiling\|reading' "$work/said"
is "what is quick says nothing" $? -ne 0
finish
