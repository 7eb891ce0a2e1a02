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
sed 's/"gops_all_threads": [0-9.]*/"gops_all_threads": 0.5/' "$work/first.json" > "$kept"
succeeds "a kept file where all threads do less than one" "$TENON" peak --json
is "is measured again" "$(grep -c '"gops_all_threads": 0.5}' "$kept")" -eq 0
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

# ---- compile --report -------------------------------------------------------------------------------
# tile FILE ROWS COLUMNS: a register tile whose sums stay in registers while k turns
tile() {
  cat > "$1" << PY
@T.prim_func
def tile(A: T.Buffer((256, $2), "float32"), B: T.Buffer((256, $3), "float32"), C: T.Buffer(($2, $3), "float32")):
    acc = T.alloc_buffer(($2, $3), "float32", scope="local")
    for i in T.unroll($2):
        for j in T.vectorized($3):
            acc[i, j] = T.float32(0)
    for k in range(256):
        for i in T.unroll($2):
            for j in T.vectorized($3):
                acc[i, j] = acc[i, j] + A[k, i] * B[k, j]
    for i in T.unroll($2):
        for j in T.vectorized($3):
            C[i, j] = acc[i, j]
PY
}
report() { # file, options
  "$TENON" compile "$1" --report --target x86-64-v3 "${@:2}"
}
loop='^  innermost loop [a-z]+ at depth'
succeeds "the naive product" report "$work/ijk.py"
out_has '^mm: [0-9]+ bytes of code, [0-9]+ of stack, .*in loops 0 spills and 0 reloads$'
out_has "$loop 3: [0-9]+ instructions, no vectors: 1 FMA, .* 0 spills, 0 reloads$"
is "spills nothing" ! -s "$work/err"
tile "$work/fits.py" 6 16
succeeds "a tile that fits" report "$work/fits.py"
out_has "$loop 1: [0-9]+ instructions, vectors of 32 bytes: 12 FMA, 8 loads \(6 broadcasts\), 0 stores, 0 spills, 0 reloads$"
is "spills nothing" ! -s "$work/err"
tile "$work/spills.py" 16 32
succeeds "a tile larger than the registers" report "$work/spills.py"
out_has "$loop 1: [0-9]+ instructions, vectors of 32 bytes: 64 FMA, .*, [1-9][0-9]* spills, [1-9][0-9]* reloads$"
is "is warned of" "$(grep -c '^warning: tile: loop k of 64 FMA .* of x86-64-v3$' "$work/err")" -eq 1
succeeds "and fits a wider machine" "$TENON" compile "$work/spills.py" --report --target x86-64-v4
out_has "$loop 1: [0-9]+ instructions, vectors of 64 bytes: 32 FMA, .*, [0-9]+ spills, [0-9]+ reloads$"
succeeds "in JSON" report "$work/fits.py" --json
for field in '"target": "x86-64-v3",' '"is_known": true,' '"var": "k",' '"n_fmas": 12,' '"n_broadcasts": 6,' \
  '"vector_bytes": 32,' '"n_spills": 0,' '"is_tile_spilled": false' '"code_bytes": [0-9]+,' '"stack_bytes": [0-9]+,'; do
  out_has "^ *$field"
done
succeeds "beside a file" report "$work/fits.py" -o "$work/fits.o"
is "which is written" -s "$work/fits.o"
succeeds "another architecture" "$TENON" compile "$work/spills.py" --report --target aarch64
out_has '^tile: [0-9]+ bytes of code; loops and registers are not known for aarch64$'
cat > "$work/two.py" << 'PY'
@I.ir_module
class Two:
    @T.prim_func
    def rows(A: T.Buffer((64, 256), "float32"), B: T.Buffer((64, 256), "float32")):
        for i in T.parallel(64):
            for j in T.vectorized(8):
                B[i, j] = A[i, j] * T.float32(2)
            for k in range(64):
                T.prefetch(T.address_of(A[i, k]), 0, 3, 1)

    @T.prim_func
    def fill(B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.float32(1)
PY
succeeds "each kernel, with its parallel parts" report "$work/two.py"
out_has '^rows: '
out_has "$loop 2: .*, 1 prefetches"
out_has '^fill: '
succeeds "one kernel" report "$work/two.py" --func fill
is "alone" "$(grep -c '^[a-z]*: ' "$work/out")" -eq 1
fails 2 "JSON of what" "--json is the form of --report" "$TENON" compile "$work/two.py" -o "$work/two.o" --json
fails 1 "a report on a program that is wrong" "no.py" "$TENON" compile no.py --report
finish
