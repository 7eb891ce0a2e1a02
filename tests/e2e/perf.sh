#!/bin/bash
# What the tool tells of speed: the machine's peaks and where they are kept, the fields of bench,
# two programs measured in turn, the report on compiled code.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2

# ---- peak -------------------------------------------------------------------------------------------
kept=$XDG_CACHE_HOME/tenon/peak.json
succeeds "peak measures" "$TENON" peak
for line in 'float32 +[0-9.]+ +[0-9.]+' 'int8 dot ' 'L1 +[0-9.]+ KiB' 'L2 ' 'memory '; do out_has "^  $line"; done
is "peak is kept" -s "$kept"
cp "$kept" "$work/first.json"
succeeds "peak --json" "$TENON" peak --json
same "prints what is kept" "$work/out" "$work/first.json"
for field in gops_one_thread read_gb_per_s_all_threads copy_gb_per_s_one_thread; do out_has "\"$field\": [0-9.e+]+"; done
succeeds "peak --again" "$TENON" peak --again --json
same "peak --again is kept" "$work/out" "$kept"
# What is kept of another machine, by another version or damaged is measured anew.
for change in 's/"cpu": "/&other /' 's/"gops_one_thread": [0-9.]*/"gops_one_thread": -1/'; do
  sed "$change" "$work/first.json" > "$kept"
  succeeds "a kept file after $change" "$TENON" peak --json
  same "is replaced" "$work/out" "$kept"
done
title="a folder that cannot be written"
touch "$work/file"
succeeds "$title" env XDG_CACHE_HOME="$work/file" "$TENON" peak
is "$title is said" "$(grep -c 'not kept' "$work/err")" -eq 1
mkdir -p "$work/home/.cache/tenon"
cp "$kept" "$work/home/.cache/tenon/"
succeeds "without XDG_CACHE_HOME" env -u XDG_CACHE_HOME HOME="$work/home" "$TENON" peak --json
same "the file is in ~/.cache" "$work/out" "$kept"
fails 2 "peak takes no file" "takes no" "$TENON" peak k.py

# ---- bench ------------------------------------------------------------------------------------------
# matmul FILE ORDER PRODUCT
matmul() {
  cat > "$1" << PY
@T.prim_func
def mm(A: T.Buffer((64, "n"), "float32"), B: T.Buffer(("n", 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(64, 64):
        C[i, j] = T.float32(0)
    for $2 in T.grid($3):
        C[i, j] = C[i, j] + $4
PY
}
matmul "$work/ijk.py" "i, j, k" "64, 64, n" "A[i, k] * B[k, j]"
matmul "$work/ikj.py" "i, k, j" "64, n, 64" "A[i, k] * B[k, j]"
matmul "$work/wrong.py" "i, k, j" "64, n, 64" "A[i, k] * B[k, i]"
few=(--random --size n=32 --repeat 3 --threads 1)
succeeds "bench says how many operations a second" "$TENON" bench "$work/ijk.py" "${few[@]}"
out_has '^  [0-9.]+ GFLOP/s, [0-9.e-]+ % of the peak$'
succeeds "and in JSON" "$TENON" bench "$work/ijk.py" "${few[@]}" --json
out_has '"flops": 262144.0,'
for field in gflops peak_percent yardstick_percent; do out_has "\"$field\": [0-9.e-]+[,}]?$"; done
succeeds "a graph function has no count" "$TENON" bench examples/scale_add.py --random --repeat 3 --json
out_has '"gflops": null,'
succeeds "two programs take turns" "$TENON" bench "$work/ikj.py" --vs "$work/ijk.py" "${few[@]}"
out_has "^$work/ikj.py: mm, 1 threads: median "
out_has "^$work/ijk.py: mm, 1 threads: median "
out_has "^ratio: $work/ikj.py is [0-9.e+]+ times as fast as $work/ijk.py$"
succeeds "and are compared" "$TENON" bench "$work/ikj.py" --vs "$work/ijk.py" "${few[@]}" --json
out_has '^  "vs": \{$'
out_has "^    \"file\": \"$work/ijk.py\"$"
out_has '^  "ratio": [0-9.e+]+$'
succeeds "a program and its text as it stands" "$TENON" bench "$work/ijk.py" --vs naive "${few[@]}"
out_has '^naive: mm, '
fails 1 "programs that differ" "they compute different things: element 1 of C" "$TENON" bench "$work/ikj.py" --vs "$work/wrong.py" "${few[@]}"
fails 1 "another function" "no function is called" "$TENON" bench "$work/ikj.py" --func mm --vs examples/dense.py "${few[@]}"
fails 1 "no file to compare with" "no.py" "$TENON" bench "$work/ikj.py" --vs no.py "${few[@]}"
finish
