#!/bin/bash
# Scratch memory of parallel loops: schedules in which each round has its own copy are accepted and
# stay parallel; a loop whose rounds share memory after all runs in order. On two and more threads,
# at each level, results are those of the interpreter, bit by bit.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2

# agrees TITLE FILE: plain and checked interpretation, levels and threads.
agrees() {
  succeeds "$1: checked" "$TENON" run --interpret=checked "$2" --random -o "$work/want.npy"
  for level in 0 1 2 3; do
    for threads in 2 5; do
      succeeds "$1: -O$level" "$TENON" run "$2" --random -O $level --strict-math \
        --threads $threads -o "$work/got.npy"
      same "$1: -O$level on $threads threads" "$work/want.npy" "$work/got.npy"
    done
  done
}

# private TITLE PROGRAM STEPS: accepted, lowered with memory inside the loop, and right.
private() {
  succeeds "$1: steps" "$TENON" schedule "$work/$2" "$3" --verify -o "$work/out.py"
  succeeds "$1: proved" "$TENON" schedule "$work/$2" "$3" --certify -o "$work/out.py"
  succeeds "$1: lowered" "$TENON" opt --passes=lower_blocks,compact_buffers,serialize_loops \
    "$work/out.py"
  out_has '^ +for .* in T.parallel\('
  is "$1: memory is in the loop" \
    "$(sed -n '/T.parallel(/,$p' "$work/out" | grep -c 'T.allocate(')" -ge 1
  is "$1: and not around it" "$(sed '/T.parallel(/,$d' "$work/out" | grep -c 'T.allocate(')" -eq 0
  agrees "$1" "$work/out.py"
}

cat > "$work/conv.py" << 'PY'
@T.prim_func
def main(A: T.Buffer((34, 34, 8), "float32"), W: T.Buffer((3, 3, 8, 16), "float32"), C: T.Buffer((32, 32, 16), "float32")):
    for i, j, o, a, b, c in T.grid(32, 32, 16, 3, 3, 8):
        with T.block("C"):
            vi, vj, vo, va, vb, vc = T.axis.remap("SSSRRR", [i, j, o, a, b, c])
            with T.init():
                C[vi, vj, vo] = T.float32(0)
            C[vi, vj, vo] = C[vi, vj, vo] + A[vi + va, vj + vb, vc] * W[va, vb, vc, vo]
PY
cat > "$work/matmul.py" << 'PY'
@T.prim_func
def main(A: T.Buffer((70, 48), "float32"), B: T.Buffer((48, 64), "float32"), C: T.Buffer((70, 64), "float32")):
    for i, j, k in T.grid(70, 64, 48):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
PY
cat > "$work/stencil.py" << 'PY'
@T.prim_func
def main(A: T.Buffer((260,), "float32"), B: T.Buffer((256,), "float32")):
    P = T.alloc_buffer((260,))
    for i in range(260):
        with T.block("P"):
            v = T.axis.spatial(260, i)
            P[v] = A[v] * T.float32(3)
    for i in range(256):
        with T.block("B"):
            v = T.axis.spatial(256, i)
            B[v] = P[v] + P[v + 2] + P[v + 4]
PY
cat > "$work/conv_steps.py" << 'PY'
block = sch.get_block("C")
i, j, o, a, b, c = sch.get_loops(block)
io, ii = sch.split(i, factors=[None, 4])
copy = sch.cache_read(block, 0, "global")
sch.compute_at(copy, io)
sch.parallel(io)
PY
cat > "$work/pack_steps.py" << 'PY'
block = sch.get_block("C")
i, j, k = sch.get_loops(block)
i0, i1 = sch.split(i, factors=[None, 16])
j0, j1 = sch.split(j, factors=[None, 16])
sch.reorder(i0, j0, k, i1, j1)
pack = sch.cache_read(block, 1, "global")
sch.transform_layout(pack, ("write", 0), lambda k, j: (j // 16, k, j % 16))
sch.compute_at(pack, j0)
sch.parallel(i0)
sch.vectorize(j1)
PY
cat > "$work/halo_steps.py" << 'PY'
io, ii = sch.split(sch.get_loops("B")[0], factors=[None, 32])
sch.parallel(io)
sch.compute_at("P", io)
PY
private "an input copy of a convolution" conv.py "$work/conv_steps.py"
private "a packed panel" matmul.py "$work/pack_steps.py"
private "a producer with halo" stencil.py "$work/halo_steps.py"

# The same with a reader behind the loop is refused, and says why.
cat > "$work/late_steps.py" << 'PY'
io, ii = sch.split(sch.get_loops("B")[0], factors=[None, 32])
sch.compute_at("P", io)
sch.vectorize(io)
PY
fails 1 "lanes have no memory of their own" "two rounds of loop 'i_0' touch one element" \
  "$TENON" schedule "$work/stencil.py" "$work/late_steps.py"

# Loops that their writer made parallel, of rounds that share what could not be made private.
cat > "$work/shared.py" << 'PY'
@T.prim_func
def main(A: T.Buffer((64, 4096), "float32"), B: T.Buffer((64, 4096), "float32")):
    P = T.alloc_buffer((4096,))
    for i in T.parallel(64):
        for k in range(4096):
            P[k * 5 % 4096] = A[i, k]
        for k in range(4096):
            B[i, k] = P[k] * T.float32(2)
PY
cat > "$work/again.py" << 'PY'
@T.prim_func
def main(A: T.Buffer((64, 4096), "float32"), B: T.Buffer((64, 4096), "float32")):
    P = T.alloc_buffer((4096,))
    for i in T.parallel(64):
        for k in range(2048):
            P[k] = A[i, k]
            P[4095 - k] = A[i, 4095 - k]
        for k in range(4096):
            B[i, k] = P[4095 - k] * T.float32(2)
PY
for name in shared again; do
  agrees "rounds that share memory ($name)" "$work/$name.py"
done
finish
