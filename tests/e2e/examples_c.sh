#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon authors.
# The programs of examples/c, built as their head comments say and run.
. "$(dirname "$0")/../shell.bash"
flags=(-std=c11 -O1 -Wall -Wextra -Werror "-I$TN_SRC/include" "-L$TN_BUILD" "-Wl,-rpath,$TN_BUILD")
[ -z "$TN_SANITIZE" ] || flags+=("-fsanitize=$TN_SANITIZE")
examples=$TN_SRC/examples/c

succeeds "build_and_run builds" "$CC" "$examples/build_and_run.c" "${flags[@]}" -ltenon -o "$work/build_and_run"
succeeds "build_and_run runs" "$work/build_and_run"
title="build_and_run computes relu(2 * (x + b))"
printf '%s\n' '0 0 2 0' '5 5 10 8' > "$work/want"
same "$title" "$work/out" "$work/want"

succeeds "tensor_expression builds" "$CC" "$examples/tensor_expression.c" "${flags[@]}" -ltenon -o "$work/tensor_expression"
succeeds "tensor_expression runs" "$work/tensor_expression"
title="tensor_expression computes relu(X W^T + B)"
printf '%s\n' '4.5 0' '10.5 0' > "$work/want"
tail -n 2 "$work/out" > "$work/got"
same "$title" "$work/got" "$work/want"

cat > "$work/module.py" << 'PY'
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def double(X: T.Buffer((3,), "float32"), Y: T.Buffer((3,), "float32")):
        for i in range(3):
            with T.block("Y"):
                vi = T.axis.spatial(3, i)
                Y[vi] = X[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        with R.dataflow():
            y = R.call_tir(Module.double, (x,), out_sinfo=R.Tensor((3,), "float32"))
            R.output(y)
        return y
PY
succeeds "load_and_run builds" "$CC" "$examples/load_and_run.c" "${flags[@]}" -ltenon_runtime -o "$work/load_and_run"
for kind in tnx so; do
  succeeds "the module as .$kind" "$TENON" compile "$work/module.py" -o "$work/m.$kind"
  succeeds "load_and_run runs main of a .$kind" "$work/load_and_run" "$work/m.$kind" main
  out_has '^  \(3\): 0 2 4$'
  succeeds "load_and_run runs a kernel of a .$kind" "$work/load_and_run" "$work/m.$kind" double
  out_has '^  \(3\): 0 2 4$'
done
fails 1 "a missing module" "nowhere.tnx" "$work/load_and_run" "$work/nowhere.tnx"
finish
