#!/bin/bash
# The command line as users and scripts rely on it: every command and option, exit codes, what goes
# to standard output, and the fields of JSON.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
fashion=examples/fashion_mnist
weights=models/fashion_mnist/fashion_mlp.npz
weight_inputs=(--input "w0=$weights:w0" --input "b0=$weights:b0" --input "w1=$weights:w1" --input "b1=$weights:b1")
bindings=(--bind "w0=$weights:w0" --bind "b0=$weights:b0" --bind "w1=$weights:w1" --bind "b1=$weights:b1")

# A loop function with results, a scalar and a parallel loop.
cat > "$work/k.py" << 'PY'
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Kernels:
    @T.prim_func
    def picture(X: T.Buffer((1, 784), "float32")):
        for i in T.parallel(784):
            with T.block("X"):
                vi = T.axis.spatial(784, i)
                X[0, vi] = T.Cast("float32", vi) / T.float32(784)
PY

# ---- help, versions, wrong usage ------------------------------------------------------------------
succeeds "help" "$TENON" --help
for command in check fmt opt passes schedule primitives run compile bench; do
  title="help lists $command"
  out_has "^ +$command "
done
for command in check fmt opt passes schedule primitives run compile bench targets ops; do
  succeeds "$command --help" "$TENON" "$command" --help
  out_has "^usage: tenon $command"
  is "$command --help says nothing on standard error" ! -s "$work/err"
done
succeeds "run's options" "$TENON" run --help
for option in func input random size output bind interpret threads; do out_has "--$option"; done
succeeds "compile's options" "$TENON" compile --help
for option in '-o, --output' --target '-O, --opt-level' --bind; do out_has "$option"; done
succeeds "bench's options" "$TENON" bench --help
for option in func threads json number repeat; do out_has "--$option"; done
succeeds "opt's options" "$TENON" opt --help
out_has '--passes'
succeeds "version" "$TENON" --version
out_has '^tenon [0-9]+\.[0-9]+\.[0-9]+$'

fails 2 "no command" "usage" "$TENON"
fails 2 "an unknown command" "'frob' is no command" "$TENON" frob
fails 2 "an unknown option" "--frob" "$TENON" run --frob "$work/k.py"
fails 2 "a command near a known one" "did you mean 'check'" "$TENON" chekc "$work/k.py"
fails 2 "an option near a known one" "did you mean --random" "$TENON" run "$work/k.py" --randm=3
fails 2 "no file" "takes FILE" "$TENON" run
fails 2 "two files" "takes FILE" "$TENON" check a.py b.py
fails 2 "no output" "-o OUT is missing" "$TENON" compile "$work/k.py"
fails 2 "no passes" "--passes is missing" "$TENON" opt "$work/k.py"
fails 2 "an unknown dialect" "2022, 2023 or 2026" "$TENON" check --dialect=2024 "$work/k.py"
fails 2 "a value without a name" "NAME=VALUE" "$TENON" run -D 4 "$work/k.py"
fails 2 "an option without its value" "needs a value" "$TENON" run "$work/k.py" --func
fails 2 "no number of threads" "--threads 0" "$TENON" run "$work/k.py" --threads 0
fails 2 "no level" "--opt-level 4" "$TENON" run "$work/k.py" -O4
fails 2 "no pair" "NAME=FILE is needed" "$TENON" run "$work/k.py" --input x
fails 2 "no binding" "NAME=FILE is needed" "$TENON" run "$work/k.py" --bind =x.npy
fails 2 "random takes a number" "--random" "$TENON" run "$fashion/all_tensorir.py" --random=much

# ---- check, fmt, opt, passes ----------------------------------------------------------------------
while read -r file; do
  succeeds "check $file" "$TENON" check "$file"
  silent
  succeeds "fmt $file" "$TENON" fmt "$file"
  cp "$work/out" "$work/once.py"
  succeeds "fmt's text of $file is a program" "$TENON" fmt "$work/once.py"
  same "and prints as itself" "$work/out" "$work/once.py"
  succeeds "fmt -o" "$TENON" fmt "$file" -o "$work/written.py"
  silent
  same "fmt -o writes what fmt prints" "$work/written.py" "$work/once.py"
done < <(find examples -name '*.py' ! -path 'examples/schedules/*/[0-9]_*' | sort) # those are steps, not programs

succeeds "passes" "$TENON" passes
passes=$(sed -n 's/^compiling runs: //p' "$work/out")
is "passes names the order of compiling" -n "$passes"
for pass in normalize dead_code lower_call_tir plan_memory lower_blocks flatten_buffers simplify; do
  out_has "^$pass "
done
succeeds "ops" "$TENON" ops
out_has '^R\.matmul\(a, b, out_dtype=None\)  '
out_has '^  out_dtype: '
is "each operator on a line" "$(grep -c '^R\.' "$work/out")" -gt 30
succeeds "opt with one pass" "$TENON" opt --passes=normalize "$fashion/all_tensorir.py"
out_has 'R\.call_tir\(cls\.linear0'
succeeds "opt with all passes" "$TENON" opt --passes="$passes" --verify-each "$fashion/all_tensorir.py"
fails 1 "an unknown pass" "did you mean 'simplify'" "$TENON" opt --passes=simplfy "$work/k.py"
succeeds "the folder of dumps" "$TENON" opt --passes="$passes" --dump-dir "$work/dumps" -o "$work/all.py" "$fashion/mixed.py"
is "one dump a pass" "$(find "$work/dumps" -name '*.py' | wc -l)" -eq "$(tr ',' '\n' <<< "$passes" | wc -l)"
succeeds "times of passes" "$TENON" opt --passes=normalize,simplify --time-passes "$fashion/mixed.py"
is "on standard error" "$(grep -c ' ms' "$work/err")" -eq 2
succeeds "opt --bind" "$TENON" opt --passes=normalize --bind "b1=$weights:b1" "$fashion/all_tensorir.py"

# ---- run -------------------------------------------------------------------------------------------
mkdir "$work/a"
succeeds "run a loop function" "$TENON" run "$work/k.py" --output "$work/a"
out_has '^X: float32\[1, 784\] 0 0\.00127551'
x=$work/a/X.npy
is "run --output writes the results" -s "$x"
for form in npz npy idx idx.gz; do
  succeeds "run --output to .$form" "$TENON" run "$work/k.py" --output "$work/one.$form"
  is "a file, not a folder: .$form" -f "$work/one.$form"
done
succeeds "run with --input" "$TENON" run "$fashion/all_tensorir.py" --input "x=$x" "${weight_inputs[@]}" --output "$work/vm"
out_has '^out: float32\[1, 10\] '
cp "$work/out" "$work/printed"
succeeds "run --bind" "$TENON" run "$fashion/all_tensorir.py" --input "x=$x" "${bindings[@]}" --output "$work/bound"
same "binding changes no bit" "$work/bound/out.npy" "$work/vm/out.npy"
succeeds "run --func" "$TENON" run "$fashion/all_tensorir.py" --func main --input "x=$x" "${weight_inputs[@]}"
same "main is the default" "$work/out" "$work/printed"
succeeds "run --interpret" "$TENON" run "$fashion/all_tensorir.py" --interpret --input "x=$x" "${weight_inputs[@]}" --output "$work/slow"
succeeds "run -O0" "$TENON" run "$fashion/all_tensorir.py" -O0 --input "x=$x" "${weight_inputs[@]}" --output "$work/o0"
same "level 0 computes the interpreter's bits" "$work/o0/out.npy" "$work/slow/out.npy"
for threads in 1 2; do
  succeeds "run --threads $threads" "$TENON" run "$work/k.py" --threads $threads --output "$work/t$threads"
  same "threads change no bit" "$work/t$threads/X.npy" "$x"
done
succeeds "run --random" "$TENON" run "$fashion/all_tensorir.py" --random
cp "$work/out" "$work/printed"
succeeds "run --random again" "$TENON" run "$fashion/all_tensorir.py" --random
same "random values repeat" "$work/out" "$work/printed"
succeeds "run --random=7" "$TENON" run "$fashion/all_tensorir.py" --random=7
is "another seed gives other values" "$(cmp -s "$work/out" "$work/printed" && echo same)" != same
succeeds "run one loop function of many" "$TENON" run "$fashion/all_tensorir.py" --func relu0 --random
out_has '^Y: float32\[1, 128\] '
cat > "$work/small.py" << 'PY'
@T.prim_func
def small(A: T.Buffer((5,), "float16"), B: T.Buffer((5,), "bfloat16")):
    for i in range(5):
        A[i] = T.float16(1) / T.Cast("float16", i) - T.float16(0.75)
        B[i] = T.bfloat16(-1) / T.Cast("bfloat16", i) + T.bfloat16(3)
PY
succeeds "elements of two bytes" "$TENON" run "$work/small.py"
out_has '^A: float16\[5\] inf 0\.25 -0\.25 -0\.41675 -0\.5$'
out_has '^B: bfloat16\[5\] -inf 2 2\.5 2\.672 2\.75$'
cat > "$work/open.py" << 'PY'
@R.function
def main(x: R.Tensor(("n", 3), "float32"), y: R.Tensor((3, "m"), "float32")):
    return R.matmul(x, y)
PY
for form in py tnx so; do
  [ $form = py ] || succeeds "open sizes to .$form" "$TENON" compile "$work/open.py" -o "$work/open.$form"
  succeeds "run --size with .$form" "$TENON" run "$work/open.$form" --random --size n=2 -s m=4
  out_has '^out: float32\[2, 4\] '
done
cat > "$work/derived.py" << 'PY'
@T.prim_func
def f(x: T.handle, A: T.Buffer((8,), "float32"), n: T.int32, m: T.int64, s: T.float32):
    X = T.match_buffer(x, (m * 2, (m + 1) // 2), "float32")
    for i in range(0, 8, n):
        A[i] = A[i] + X[0, 0] * s
PY
for form in py tnx; do
  [ $form = py ] || succeeds "scalars to .$form" "$TENON" compile "$work/derived.py" -o "$work/derived.$form"
  succeeds "numbers for scalars, sizes of expressions, .$form" "$TENON" run "$work/derived.$form" -i n=0x3 -i m=2 -i s=-1.5 --random
  cp "$work/out" "$work/out.$form"
  is "what is added to is random too" -z "$(grep ' 0 0 ' "$work/out")"
  succeeds "a scalar that is a size" "$TENON" run "$work/derived.$form" -i n=3 -s m=2 -i s=-1.5 --random
  same "is given by either" "$work/out" "$work/out.$form"
  fails 1 "a scalar that was not given" "--input s=NUMBER" "$TENON" run "$work/derived.$form" -i n=3 -i m=2 --random
  fails 1 "a size that two say" "argument m is 2" "$TENON" run "$work/derived.$form" -i n=3 -i m=2 -s m=3 -i s=0 --random
  fails 1 "a step of 0 at run time" "the step of a loop is not positive" "$TENON" run "$work/derived.$form" -i n=0 -i m=2 -i s=0 --random
  fails 1 "a size that nobody says" "leaves m open" "$TENON" run "$work/derived.$form" -i n=3 -i s=0 --random
done
# What a function does not reach is not compiled, so what has no code there does no harm.
cat > "$work/parts.py" << 'PY'
@I.ir_module
class Parts:
    @T.prim_func
    def one(A: T.Buffer((4,), "int32")):
        Parts.part(A, 3)

    @T.prim_func(private=True)
    def part(A: T.Buffer((4,), "int32"), k: T.int32):
        A[0] = k

    @T.prim_func
    def gpu(A: T.Buffer((4,), "int32")):
        T.tvm_storage_sync("shared")
        A[0] = 1
PY
for wanted in '"llvm"' '"llvm -mcpu=haswell"' '{"kind": "llvm", "mcpu": "x86-64-v2"}' '"x86-64-v3"'; do
  printf '@T.prim_func\ndef f(A: T.Buffer((4,), "int32")):\n    T.func_attr({"target": T.target(%s)})\n    A[0] = 1\n' "$wanted" > "$work/wanted.py"
  succeeds "a function for the target $wanted" "$TENON" compile "$work/wanted.py" --target x86-64-v3 -o "$work/wanted.o"
done
for wanted in '"cuda -arch=sm_80"' '{"kind": "llvm", "mcpu": "skylake-avx512"}' '"llvm -mtriple=aarch64-linux-gnu"' '{"kind": "c"}'; do
  printf '@T.prim_func\ndef f(A: T.Buffer((4,), "int32")):\n    T.func_attr({"target": T.target(%s)})\n    A[0] = 1\n' "$wanted" > "$work/wanted.py"
  fails 1 "a function for another target: $wanted" "function 'f' is for target" "$TENON" compile "$work/wanted.py" --target x86-64-v3 -o "$work/wanted.o"
done
succeeds "run --func compiles what it needs" "$TENON" run "$work/parts.py" --func one
out_has "A: int32\[4\] 3 0 0 0"
fails 1 "a function without code" "T.tvm_storage_sync" "$TENON" run "$work/parts.py" --func gpu
succeeds "compile --func compiles what it needs" "$TENON" compile "$work/parts.py" --func one -o "$work/one.tnx"
succeeds "which runs" "$TENON" run "$work/one.tnx"
out_has "A: int32\[4\] 3 0 0 0"
fails 1 "compile without --func compiles all" "T.tvm_storage_sync" "$TENON" compile "$work/parts.py" -o "$work/all.tnx"
succeeds "compile --func to text" "$TENON" compile "$work/parts.py" --func one -o "$work/one.py"
is "keeps what it needs" "$(grep -c 'def ' "$work/one.py")" -eq 2
fails 1 "compile of an unknown function" "no function is called 'onne'; did you mean 'one'" "$TENON" compile "$work/parts.py" --func onne -o "$work/one.tnx"
fails 1 "an unknown function" "no function is called 'nope'" "$TENON" run "$work/k.py" --func nope
fails 1 "a library that nobody registered" "env.linear" "$TENON" run "$fashion/library.py" --random

# ---- compile ----------------------------------------------------------------------------------------
for target in x86-64-v3 x86-64-v4; do
  for kind in ll s o so tnx py; do
    out=$work/$target.$kind
    succeeds "compile $target to .$kind" "$TENON" compile "$fashion/all_tensorir.py" -o "$out" --target $target "${bindings[@]}"
    silent
    is "the file is there" -s "$out"
  done
done
title="the text forms name the kernels"
for kind in ll s; do
  cp "$work/x86-64-v3.$kind" "$work/out"
  out_has 'linear0'
done
title=".py is a program with its constants"
succeeds "$title" "$TENON" run "$work/x86-64-v3.py" --input "x=$x" --output "$work/py"
same "it gives the same bits" "$work/py/out.npy" "$work/vm/out.npy"
for level in 0 1 2 3; do
  succeeds "compile -O$level" "$TENON" compile "$work/k.py" -o "$work/k$level.tnx" -O$level
  succeeds "run level $level" "$TENON" run "$work/k$level.tnx" --output "$work/l$level"
  same "the levels agree" "$work/l$level/X.npy" "$x"
done
for kind in so tnx; do
  succeeds "compile to .$kind" "$TENON" compile "$fashion/all_tensorir.py" -o "$work/host.$kind"
  succeeds "run .$kind" "$TENON" run "$work/host.$kind" --input "x=$x" "${weight_inputs[@]}" --output "$work/$kind"
  same "compiled to .$kind, the bits are the same" "$work/$kind/out.npy" "$work/vm/out.npy"
done
succeeds "an executable with its weights" "$TENON" compile "$fashion/all_tensorir.py" -o "$work/bound.tnx" "${bindings[@]}"
succeeds "takes the picture alone" "$TENON" run "$work/bound.tnx" --input "x=$x" --output "$work/tnx"
same "and gives the same bits" "$work/tnx/out.npy" "$work/vm/out.npy"
cp "$work/bound.tnx" "$work/first.tnx"
succeeds "compile again" "$TENON" compile "$fashion/all_tensorir.py" -o "$work/bound.tnx" "${bindings[@]}"
same "the same program gives the same file" "$work/bound.tnx" "$work/first.tnx"
fails 1 "an unknown ending" ".tnx, .so, .o, .s, .ll or .py" "$TENON" compile "$work/k.py" -o "$work/k.exe"
fails 1 "an unknown target" "x86-65" "$TENON" compile "$work/k.py" -o "$work/k.o" --target x86-65
succeeds "targets" "$TENON" targets
for target in x86-64-v2 x86-64-v3 x86-64-v4; do out_has "^$target "; done

# ---- bench ------------------------------------------------------------------------------------------
succeeds "bench --json" "$TENON" bench "$work/k.py" --func picture --threads 1 --json
out_has '^\{$'
out_has '^\}$'
is "one object" "$(grep -c '^[{}]' "$work/out")" -eq 2
out_has '"name": "picture"'
out_has '"threads": 1[,}]?$'
for field in number repeat; do out_has "\"$field\": [1-9][0-9]*,?\$"; done
for field in min_us median_us mean_us max_us stddev_us; do out_has "\"$field\": [0-9.e+-]+,?\$"; done
succeeds "bench with counts" "$TENON" bench "$work/k.py" --number 10 --repeat 3 --json
out_has '"number": 10,'
out_has '"repeat": 3,'
succeeds "bench for people" "$TENON" bench "$fashion/all_tensorir.py" --random --repeat 3
out_has '^main, [0-9]+ threads: median '
succeeds "bench of an executable" "$TENON" bench "$work/bound.tnx" --input "x=$x" --repeat 3
succeeds "bench's profile" "$TENON" bench "$fashion/all_tensorir.py" --random --repeat 3 --profile
out_has '^[0-9.]+ us in [0-9]+ kernels a run$'
out_has ' linear1\('
finish
