#!/bin/bash
# Schedules on the command line: steps done and shown, traces written and done again, knobs, the
# lessons under examples/schedules at a small size, sweeps and climbs measured.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
lessons=examples/schedules
mkdir "$work/matmul" "$work/vector_add"
sed 's/1024/96/g' $lessons/matmul/matmul.py > "$work/matmul/matmul.py"
sed 's/1048576/65536/g' $lessons/vector_add/vector_add.py > "$work/vector_add/vector_add.py"
cp $lessons/matmul/[0-9]*.py "$work/matmul"
cp $lessons/vector_add/[0-9]*.py "$work/vector_add"
mm=$work/matmul/matmul.py

# ---- the lessons -------------------------------------------------------------------------------------
for steps in "$work"/matmul/[0-9]*.py "$work"/vector_add/[0-9]*.py; do
  program=$(dirname "$steps")/$(basename "$(dirname "$steps")").py
  name=$(basename "$steps" .py)
  succeeds "lesson $name" "$TENON" schedule "$program" "$steps" --verify -o "$work/out.py" \
    --trace "$work/t.py" --trace "$work/t.json"
  is "lesson $name computes the same" "$(cat "$work/err")" = "verify: main: equal"
  succeeds "lesson $name proved" "$TENON" schedule "$program" "$steps" --certify -o "$work/out.py"
  is "lesson $name is proved equal" \
    "$(sed 's/ (.*//; s/unchanged/proved equal/' "$work/err")" = "certify: main: proved equal"
  succeeds "lesson $name as a program" "$TENON" check "$work/out.py"
  for trace in t.py t.json; do
    succeeds "lesson $name again from $trace" "$TENON" schedule "$program" "$work/$trace" \
      -o "$work/again.py"
    same "lesson $name: $trace does the same" "$work/out.py" "$work/again.py"
  done
done

# What the comments of the last two say: rows of B eight rounds ahead, lines of C one tile ahead.
for name in 6_prefetched 7_parallel; do
  succeeds "lesson $name" "$TENON" schedule "$mm" "$work/matmul/$name.py"
  is "lesson $name asks for rows of B" "$(grep -B 5 'T.address_of(B\[' "$work/out" |
    grep -c 'v0 = T.axis.spatial(96, ax0 + 8)')" -eq 1
  is "lesson $name asks for lines of C" "$(grep -B 5 'T.address_of(C\[' "$work/out" |
    grep -c 'v1 = T.axis.spatial(96, j_0 \* 64 + j_1 \* 16 + 16)')" -eq 1
  is "lesson $name asks for nothing else" "$(grep -c 'T.prefetch(' "$work/out")" -eq 2
done

# ---- the command -------------------------------------------------------------------------------------
cat > "$work/knobs.py" << 'PY'
i, j, k = sch.get_loops("C")
ty = knob("ty", [8, 16])
i0, i1 = sch.split(i, factors=[None, ty])
j0, j1 = sch.split(j, factors=[None, knob("tx", [4, 8, 32])])
sch.reorder(i0, j0, i1, j1, k)
PY
succeeds "a schedule" "$TENON" schedule "$mm" "$work/knobs.py"
out_has 'T.grid\(12, 24, 8, 4, 96\)'
succeeds "a knob" "$TENON" schedule "$mm" "$work/knobs.py" -D ty=16 -D tx=32
out_has 'T.grid\(6, 3, 16, 32, 96\)'
succeeds "each step" "$TENON" schedule "$mm" "$work/knobs.py" --show-each
out_has '^# step 2: j0, j1 = sch.split'
out_has '^- +for i_0, i_1, j, k in T.grid\(12, 8, 96, 96\):$'
out_has '^\+ +for i_0, i_1, j_0, j_1, k in T.grid\(12, 8, 24, 4, 96\):$'
sed 's/96/N/g' "$mm" > "$work/open.py"
succeeds "names of the program and of the steps" "$TENON" schedule "$work/open.py" \
  "$work/knobs.py" -D N=64 -D ty=16
out_has 'T.grid\(4, 16, 16, 4, 64\)'
fails 1 "a value that nobody asked for" "-D tz=3" "$TENON" schedule "$mm" "$work/knobs.py" -D tz=3
fails 1 "a value that a knob has not" "none of [8, 16]" "$TENON" schedule "$mm" "$work/knobs.py" \
  -D ty=3
printf 'x = knob("x", [1])\ny = knob("x", [2])\n' > "$work/twice.py"
fails 1 "two knobs of one name" "a knob 'x' already" "$TENON" schedule "$mm" \
  "$work/twice.py"
echo 'print(f"{sch}")' > "$work/print.py"
succeeds "a script that prints" "$TENON" schedule "$mm" "$work/print.py"
fails 1 "a trace where none can be written" "t.py cannot be written: No such file" "$TENON" \
  schedule "$mm" "$work/print.py" --trace "$work/none/t.py"
cat > "$work/sizes.py" << 'PY'
@T.prim_func
def main(a: T.handle, b: T.handle):
    m, n = T.int32(), T.int32()
    A = T.match_buffer(a, (m, n))
    B = T.match_buffer(b, (m, n))
    for i, j in T.grid(m, n):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
PY
fails 1 "a size that is not given" "leaves n open; give it with --size n=N" "$TENON" schedule \
  "$work/sizes.py" "$work/print.py" --verify --size m=3 -o "$work/out.py"
fails 1 "no steps" "cannot open 'no.py'" "$TENON" schedule "$mm" no.py
fails 2 "a trace of another kind" "FILE.py or FILE.json" "$TENON" schedule "$mm" \
  "$work/knobs.py" --trace t.txt
echo 'sch.parallel(sch.get_loops("C")[2])' > "$work/bad.py"
fails 1 "a step that is refused" "[step-refused]" "$TENON" schedule "$mm" "$work/bad.py"
echo '[[["GetBlock", [], ["D", "main"], ["b0"]]], []]' > "$work/bad.json"
fails 1 "a step of JSON that is refused" "step 1: get_block: main has no block 'D'" "$TENON" \
  schedule "$mm" "$work/bad.json"

# ---- measuring ---------------------------------------------------------------------------------------
quick=(--random --threads 1 --number 1 --repeat 2)
succeeds "a schedule measured" "$TENON" bench "$mm" --schedule "$work/knobs.py" --vs naive \
  "${quick[@]}"
out_has '^ratio: .*knobs.py is [0-9.e+]+ times as fast as naive$'
succeeds "a sweep" "$TENON" bench "$mm" --schedule "$work/knobs.py" --sweep ty --sweep tx=4,32 \
  --svg "$work/heat.svg" -o "$work/best.py" "${quick[@]}"
is "a line for each combination" "$(grep -cE '^ +(8|16) +(4|32) ' "$work/out")" -eq 4
out_has '^ +ty +tx +median us +min us '
out_has '^% of peak: of [0-9.]+ GFLOP/s in float32, the peak of 1 threads'
out_has '<- best$'
is "the heat map is SVG" "$(head -c 4 "$work/heat.svg")" = "<svg"
is "and has a cell for each" "$(grep -c '<rect' "$work/heat.svg")" -eq 5
succeeds "the best again" "$TENON" schedule "$mm" "$work/best.py" --verify -o "$work/out.py"
succeeds "a sweep as JSON" "$TENON" bench "$mm" --schedule "$work/knobs.py" --sweep tx --json \
  "${quick[@]}"
is "three variants" "$(grep -c '"median_us"' "$work/out")" -eq 3
out_has '"best": \{'
echo 'sch.unroll(sch.split(sch.get_loops("C")[0], [None, knob("t", [0, 8, "a"])])[1])' \
  > "$work/some.py"
succeeds "a sweep of which some is refused" "$TENON" bench "$mm" --schedule "$work/some.py" \
  --sweep t=0,8,\"a\" --svg "$work/heat.svg" -o "$work/best.py" "${quick[@]}"
is "two rows are refused" "$(grep -c ' refused: split: ' "$work/out")" -eq 2
out_has '^ +8 .*<- best$'
is "and two cells" "$(grep -c '>refused<' "$work/heat.svg")" -eq 2
succeeds "the same as JSON" "$TENON" bench "$mm" --schedule "$work/some.py" --sweep t=0,8 --json \
  "${quick[@]}"
out_has '"refused": "split: '
out_has '"ranked_by": "(median|min)"'
fails 1 "a sweep that is refused whole" "[step-refused]" "$TENON" bench "$mm" --schedule \
  "$work/some.py" --sweep t=0 "${quick[@]}"
fails 2 "a sweep without a schedule" "--sweep needs --schedule" "$TENON" bench "$mm" --sweep ty
fails 1 "a knob that is not there" "no such knob" "$TENON" bench "$mm" --schedule \
  "$work/knobs.py" --sweep tz "${quick[@]}"
fails 1 "too many combinations" "more than 64" "$TENON" bench "$mm" --schedule "$work/knobs.py" \
  --sweep ty=1,2,3,4,5,6,7,8,9 --sweep tx=1,2,3,4,5,6,7,8 "${quick[@]}"
succeeds "the climb, on random values" "$TENON" bench "$work/matmul" --table \
  --svg "$work/climb.svg" --threads 1 --number 1 --repeat 2
is "a line for each lesson" "$(grep -c '^[0-9]_' "$work/out")" -eq \
  "$(ls $lessons/matmul/[0-9]*.py | wc -l)"
is "the climb is SVG" "$(head -c 4 "$work/climb.svg")" = "<svg"
cp "$work/bad.py" "$work/vector_add/0_bad.py"
succeeds "a climb of which a step is refused" "$TENON" bench "$work/vector_add" --table "${quick[@]}"
is "its row says so" "$(grep -c '^0_bad  *refused: index 2 of a list of 1' "$work/out")" -eq 1
rm "$work/vector_add/0_bad.py"
succeeds "the climb as JSON" "$TENON" bench "$work/vector_add" --table --json "${quick[@]}"
is "four schedules" "$(grep -c '"speedup"' "$work/out")" -eq 4
fails 1 "no folder" "--table takes a folder" "$TENON" bench "$mm" --table "${quick[@]}"
finish
