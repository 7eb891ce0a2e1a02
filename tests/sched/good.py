# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon authors.
# Schedules that must be accepted, of lessons and common kernels: each stands after a line
# that names a program of seeds.py (tests/unit/sched_good_test.c).
# ---- matmul: tiles of two loops
C = sch.get_block("C")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 4])
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(i0, j0, k, i1, j1)

# ---- matmul: the inner loop last
i, j, k = sch.get_loops("C")
sch.reorder(i, k, j)

# ---- matmul: vectors
i, j, k = sch.get_loops("C")
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(i, j0, k, j1)
sch.decompose_reduction("C", k)
sch.vectorize(j1)

# ---- matmul: a write cache in registers
C = sch.get_block("C")
out = sch.cache_write(C, 0, "local")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 4])
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(i0, j0, k, i1, j1)
sch.reverse_compute_at(out, j0)
init = sch.decompose_reduction(C, k)
sch.vectorize(sch.get_loops(init)[-1])
sch.unroll(i1)
sch.vectorize(j1)
sch.vectorize(sch.get_loops(out)[-1])

# ---- matmul: B packed in panels
C = sch.get_block("C")
B_pack = sch.cache_read(C, 1, "global")
sch.transform_layout(C, ("read", 1), lambda k, j: (j // 4, k, j % 4))
i, j, k = sch.get_loops(C)
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(j0, i, k, j1)
sch.compute_at(B_pack, j0)
sch.decompose_reduction(C, k)
sch.vectorize(j1)
sch.parallel(j0)

# ---- matmul: memory asked for ahead
C = sch.get_block("C")
i, j, k = sch.get_loops(C)
sch.reorder(i, k, j)
sch.prefetch(C, "B", k, 2)

# ---- matmul: three loops tiled, the outer ones shared
C = sch.get_block("C")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 4])
j0, j1 = sch.split(j, factors=[None, 4])
k0, k1 = sch.split(k, factors=[None, 6])
sch.reorder(i0, j0, k0, k1, i1, j1)
f = sch.fuse(i0, j0)
sch.parallel(f)
sch.unroll(i1)

# ---- matmul: partial sums
i, j, k = sch.get_loops("C")
k0, k1 = sch.split(k, factors=[None, 4])
rf = sch.rfactor(k0, factor_axis=0)

# ---- matmul: threads of an accelerator
i, j, k = sch.get_loops("C")
i0, i1 = sch.split(i, factors=[None, 4])
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(i0, j0, i1, j1, k)
sch.bind(i0, "blockIdx.y")
sch.bind(j0, "blockIdx.x")
sch.bind(i1, "threadIdx.y")
sch.bind(j1, "threadIdx.x")

# ---- matmul: tiles as blocks
i, j, k = sch.get_loops("C")
i0, i1 = sch.split(i, factors=[None, 4])
j0, j1 = sch.split(j, factors=[None, 4])
k0, k1 = sch.split(k, factors=[None, 4])
sch.reorder(i0, j0, k0, i1, j1, k1)
outer = sch.blockize(i1)
sch.decompose_reduction(outer, k0)

# ---- matmul: both inputs copied for a tile
C = sch.get_block("C")
A_l = sch.cache_read(C, 0, "local")
B_l = sch.cache_read(C, 1, "local")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 4])
k0, k1 = sch.split(k, factors=[None, 3])
sch.reorder(i0, k0, i1, j, k1)
sch.compute_at(A_l, k0)
sch.compute_at(B_l, k0)

# ---- matmul: rows shared, a copy of B for each
C = sch.get_block("C")
i, j, k = sch.get_loops(C)
i0, i1 = sch.split(i, factors=[None, 4])
copy = sch.cache_read(C, 1, "global")
sch.compute_at(copy, i0)
sch.parallel(i0)

# ---- matmul: chosen by chance
i, j, k = sch.get_loops("C")
v = sch.sample_perfect_tile(i, n=2, max_innermost_factor=4)
i0, i1 = sch.split(i, factors=v)
w = sch.sample_categorical([2, 4], [0.5, 0.5])
j0, j1 = sch.split(j, factors=[None, w])
sch.reorder(i0, j0, k, i1, j1)

# ---- matmul_odd_relu: the lesson of the course: split, reorder, fuse the ReLU
block_C = sch.get_block("C", "f")
i, j, k = sch.get_loops(block_C)
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(j0, k, j1)
block_D = sch.get_block("D", "f")
sch.reverse_compute_at(block_D, j0)
sch.decompose_reduction(block_C, k)

# ---- matmul_odd_relu: another factor
i, j, k = sch.get_loops("C")
j0, j1 = sch.split(j, factors=[None, 8])
sch.reorder(j0, k, j1)
sch.reverse_compute_at("D", j0)

# ---- matmul_odd_relu: padded
sch.pad_einsum("C", [4, 4, 4])

# ---- matmul_odd_relu: tiles with a rest
i, j, k = sch.get_loops("C")
i0, i1 = sch.split(i, factors=[None, 4])
j0, j1 = sch.split(j, factors=[None, 4])
k0, k1 = sch.split(k, factors=[None, 2])
sch.reorder(i0, j0, k0, k1, i1, j1)
sch.reverse_compute_at("D", j0)

# ---- matmul_odd_relu: rows shared
i, j, k = sch.get_loops("C")
sch.parallel(i)
x, y = sch.get_loops("D")
f = sch.fuse(x, y)
f0, f1 = sch.split(f, factors=[None, 8])
sch.vectorize(f1)
sch.parallel(f0)

# ---- matmul_bias_int: the bias becomes the first value
sch.fuse_reduction_epilogue("C", "D")

# ---- matmul_bias_int: the bias beside each row
i, j, k = sch.get_loops("C")
sch.reverse_compute_at("D", i)
sch.parallel(i)

# ---- matmul_symbolic: rows in fours
i, j, k = sch.get_loops("C")
i0, i1 = sch.split(i, factors=[None, 4])
sch.reorder(i0, j, k, i1)
sch.parallel(i0)

# ---- matmul_symbolic: vectors and first values
C = sch.get_block("C")
i, j, k = sch.get_loops(C)
j0, j1 = sch.split(j, factors=[None, 8])
sch.reorder(i, j0, k, j1)
sch.decompose_reduction(C, k)
sch.vectorize(j1)

# ---- matmul_symbolic: a write cache
C = sch.get_block("C")
out = sch.cache_write(C, 0, "global")
i, j, k = sch.get_loops(C)
sch.reverse_compute_at(out, i)

# ---- batched_matmul: batches shared
b, i, j, k = sch.get_loops("C")
f = sch.fuse(b, i)
sch.parallel(f)
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(k, j1)

# ---- batched_matmul: a tile in registers
C = sch.get_block("C")
out = sch.cache_write(C, 0, "local")
b, i, j, k = sch.get_loops(C)
sch.reverse_compute_at(out, b)
sch.decompose_reduction(C, k)

# ---- two_matmuls: the first within rows of the second
i, j, k = sch.get_loops("D")
sch.compute_at("C", i)
sch.parallel(i)

# ---- two_matmuls: each tiled
i, j, k = sch.get_loops("C")
i0, i1 = sch.split(i, factors=[2, None])
sch.reorder(i0, j, k, i1)
x, y, z = sch.get_loops("D")
sch.reorder(x, z, y)

# ---- conv1d_padded: padding in place
sch.compute_inline("P")

# ---- conv1d_padded: padding by rounds
o, x, c, r = sch.get_loops("C")
sch.compute_at("P", o)
sch.parallel(o)

# ---- conv1d_padded: the padding apart
c, x = sch.get_loops("P")
sch.decompose_padding("P", c)

# ---- conv2d_padded: inlined and fused with the ReLU
C = sch.get_block("C")
sch.compute_inline("P")
o, y, x, c, r, s = sch.get_loops(C)
sch.reorder(o, y, c, r, s, x)
sch.reverse_compute_at("D", y)
f = sch.fuse(o, y)
sch.parallel(f)

# ---- conv2d_padded: a tile of pixels in registers
C = sch.get_block("C")
out = sch.cache_write(C, 0, "local")
o, y, x, c, r, s = sch.get_loops(C)
x0, x1 = sch.split(x, factors=[None, 3])
sch.reorder(o, y, x0, c, r, s, x1)
sch.reverse_compute_at(out, x0)
sch.decompose_reduction(C, c)
sch.unroll(s)
sch.vectorize(x1)

# ---- conv1d_padded: pixels shared, each with the padded ones that it needs
o, x, c, r = sch.get_loops("C")
x0, x1 = sch.split(x, factors=[None, 5])
sch.reorder(x0, o)
sch.parallel(x0)
sch.compute_at("P", x0)

# ---- conv2d_padded: rows of the padded image when they are needed
o, y, x, c, r, s = sch.get_loops("C")
sch.reorder(y, o, x)
sch.compute_at("P", y)
sch.rolling_buffer("P", 0)

# ---- conv2d_padded: channels last
sch.transform_layout("P", ("write", 0), lambda c, y, x: (y, x, c))

# ---- conv2d_padded: weights reordered
C = sch.get_block("C")
w = sch.cache_read(C, 1, "global")
sch.transform_layout(C, ("read", 1), lambda o, c, r, s: (c, r, s, o))

# ---- conv2d_strided: as a matrix product
C = sch.get_block("C")
o, y, x, c, r, s = sch.get_loops(C)
sch.reindex(C, ("read", 0))

# ---- conv2d_strided: tiled
o, y, x, c, r, s = sch.get_loops("C")
y0, y1 = sch.split(y, factors=[None, 2])
sch.reorder(o, y0, c, r, s, y1, x)

# ---- conv2d_strided: rows shared, each with a copy of its input
C = sch.get_block("C")
copy = sch.cache_read(C, 0, "global")
o, y, x, c, r, s = sch.get_loops(C)
sch.reorder(y, o)
sch.compute_at(copy, y)
sch.parallel(y)

# ---- conv2d_strided: padded as an einsum's axes fused
sch.transform_block_layout("C", lambda o, y, x, c, r, s: (o, y * 3 + x, c * 9 + r * 3 + s))

# ---- depthwise: clipping fused
c, y, x, r, s = sch.get_loops("C")
sch.reverse_compute_at("D", y)
f = sch.fuse(c, y)
sch.parallel(f)

# ---- depthwise: taps outside
c, y, x, r, s = sch.get_loops("C")
sch.reorder(c, r, s, y, x)
sch.decompose_reduction("C", r)
sch.vectorize(x)

# ---- conv1d_bias: bias first, padding apart
sch.fuse_reduction_epilogue("C", "D")
c, x = sch.get_loops("P")
sch.decompose_padding("P", c)

# ---- max_pool: taps unrolled, rows shared
c, y, x, r, s = sch.get_loops("B")
sch.unroll(r)
sch.unroll(s)
sch.parallel(sch.fuse(c, y))

# ---- max_pool: taps outside
c, y, x, r, s = sch.get_loops("B")
sch.reorder(c, y, r, s, x)
sch.decompose_reduction("B", r)

# ---- average_pool: division in place
c, y, x, r, s = sch.get_loops("B")
sch.reverse_compute_at("C", x)

# ---- softmax: row by row
i, j = sch.get_loops("D")
sch.compute_at("S", i)
sch.compute_at("E", i)
sch.compute_at("M", i)
sch.parallel(i)

# ---- softmax: exponents anew
sch.compute_inline("E")

# ---- softmax: partial maxima
i, k = sch.get_loops("M")
k0, k1 = sch.split(k, factors=[None, 4])
sch.rfactor(k1, factor_axis=1)

# ---- layer_norm: statistics in the row's loop
i, j = sch.get_loops("D")
sch.compute_at("S", i)
sch.parallel(i)

# ---- elementwise_chain: all in one
sch.compute_inline("B")
sch.compute_inline("C")

# ---- elementwise_chain: one loop, two levels
i, j = sch.get_loops("D")
sch.compute_at("C", i)
sch.compute_at("B", i)
sch.parallel(i)

# ---- elementwise_chain: from below
i, j = sch.get_loops("B")
sch.reverse_compute_at("C", i)
sch.reverse_compute_at("D", i)

# ---- elementwise_symbolic: blocks of vectors
(i,) = sch.get_loops("C")
sch.compute_inline("B")
i0, i1, i2 = sch.split(i, factors=[None, 4, 8])
sch.vectorize(i2)
sch.parallel(i0)

# ---- elementwise_symbolic: back into the first
sch.reverse_compute_inline("C")

# ---- transposes: in tiles
i, j, k = sch.get_loops("B")
i0, i1 = sch.split(i, factors=[None, 2])
k0, k1 = sch.split(k, factors=[None, 2])
sch.reorder(i0, k0, j, k1, i1)
sch.compute_inline("B")

# ---- transposes: one layout
sch.transform_layout("B", ("write", 0), lambda i, j, k: (j, k, i))

# ---- reshape: copied once
sch.compute_inline("B")

# ---- reshape: vectors
(i,) = sch.get_loops("B")
i0, i1 = sch.split(i, factors=[None, 8])
sch.vectorize(i1)
x, y = sch.get_loops("C")
sch.parallel(sch.fuse(x, y))

# ---- gather: rows shared, indices first
B = sch.get_block("B")
i, j = sch.get_loops(B)
sch.cache_read(B, "I", "local")
sch.vectorize(j)
sch.parallel(i)

# ---- stencil_rows: a window of three rows
i, j = sch.get_loops("A")
sch.compute_at("B", i)
sch.rolling_buffer("B", 0)

# ---- stencil_rows: tiles with an edge
i, j = sch.get_loops("A")
i0, i1 = sch.split(i, factors=[None, 4])
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(i0, j0, i1, j1)
sch.compute_at("B", j0)
sch.parallel(i0)

# ---- stencil_rows: tiles shared, each with its edge
i, j = sch.get_loops("A")
i0, i1 = sch.split(i, factors=[None, 4])
sch.compute_at("B", i0)
sch.parallel(i0)
sch.vectorize(sch.get_loops("A")[-1])

# ---- stencil_chain: one pass
(i,) = sch.get_loops("D")
sch.compute_at("B", i)

# ---- stencil_chain: anew for each
sch.compute_inline("B")
(i,) = sch.get_loops("D")
i0, i1 = sch.split(i, factors=[None, 4])
sch.vectorize(i1)

# ---- sum_rows_then_all: two levels
(k,) = sch.get_loops("B")
sch.compute_at("R", k)

# ---- sum_rows_then_all: sums in parts
i, k = sch.get_loops("R")
k0, k1 = sch.split(k, factors=[None, 4])
sch.rfactor(k0, factor_axis=0)
sch.parallel(i)

# ---- row_sums_symbolic: parts of eight
i, k = sch.get_loops("B")
k0, k1 = sch.split(k, factors=[None, 8])
rf = sch.rfactor(k1, factor_axis=1)

# ---- row_sums_symbolic: first values before all
B = sch.get_block("B")
i, k = sch.get_loops(B)
sch.decompose_reduction(B, i)
sch.parallel(i)

# ---- argmax: in parts
i, k = sch.get_loops("M")
k0, k1 = sch.split(k, factors=[None, 4])
sch.rfactor(k0, factor_axis=1)

# ---- product_min: another order of loops
i, j, k = sch.get_loops("B")
sch.reorder(k, i, j)

# ---- any_all_bits: one loop for both
i, k = sch.get_loops("X")
x, y = sch.get_loops("O")
sch.merge(i, x)

# ---- scan_rows: columns shared
i, j = sch.get_loops("A")
sch.reorder(j, i)
sch.parallel(j)

# ---- in_place: rows shared
i, j = sch.get_loops("A")
sch.parallel(i)
sch.vectorize(j)

# ---- predicates: cut into runs
i, j = sch.get_loops("B")
sch.compute_inline("B")

# ---- product_of_rows: an intrinsic for the product of rows
i, j, k = sch.get_loops("Z")
k0, k1 = sch.split(k, factors=[None, 4])
sch.tensorize(k1, "dot:fast")

# ---- product_of_rows: blocked, first values apart, the intrinsic
i, j, k = sch.get_loops("Z")
k0, k1 = sch.split(k, factors=[None, 4])
b = sch.blockize(k1)
sch.decompose_reduction(b, k0)
