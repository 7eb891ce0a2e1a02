# run: tenon schedule %s %t --show-each
# What every step changes, then the program.
@T.prim_func
def mm_relu(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
    Y = T.alloc_buffer((128, 128))
    for i, j, k in T.grid(128, 128, 128):
        with T.block("Y"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Y[vi, vj] = T.float32(0)
            Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(128, 128):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))
# steps:
# the first line left out
i, *rest = sch.get_loops("Y")
j0, j1 = sch.split(rest[0], factors=[None, 4])
sch.reorder(i, j0, rest[-1], j1)
sch.vectorize(sch.get_loops("C")[-1])
# expect:
# step 1: j0, j1 = sch.split(rest[0], factors=[None, 4])
          # with T.block("root"):
          Y = T.alloc_buffer((128, 128))
-         for i, j, k in T.grid(128, 128, 128):
+         for i, j_0, j_1, k in T.grid(128, 32, 4, 128):
              with T.block("Y"):
-                 vi, vj, vk = T.axis.remap("SSR", [i, j, k])
+                 vi = T.axis.spatial(128, i)
+                 vj = T.axis.spatial(128, j_0 * 4 + j_1)
+                 vk = T.axis.reduce(128, k)
                  T.reads(A[vi, vk], B[vk, vj])
                  T.writes(Y[vi, vj])

# step 2: sch.reorder(i, j0, rest[-1], j1)
          # with T.block("root"):
          Y = T.alloc_buffer((128, 128))
-         for i, j_0, j_1, k in T.grid(128, 32, 4, 128):
+         for i, j_0, k, j_1 in T.grid(128, 32, 128, 4):
              with T.block("Y"):
                  vi = T.axis.spatial(128, i)

# step 3: sch.vectorize(sch.get_loops("C")[-1])
                      Y[vi, vj] = T.float32(0.0)
                  Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
-         for i, j in T.grid(128, 128):
-             with T.block("C"):
-                 vi, vj = T.axis.remap("SS", [i, j])
-                 T.reads(Y[vi, vj])
-                 T.writes(C[vi, vj])
-                 C[vi, vj] = T.max(Y[vi, vj], T.float32(0.0))
+         for i in range(128):
+             for j in T.vectorized(128):
+                 with T.block("C"):
+                     vi, vj = T.axis.remap("SS", [i, j])
+                     T.reads(Y[vi, vj])
+                     T.writes(C[vi, vj])
+                     C[vi, vj] = T.max(Y[vi, vj], T.float32(0.0))

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def mm_relu(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
        # with T.block("root"):
        Y = T.alloc_buffer((128, 128))
        for i, j_0, k, j_1 in T.grid(128, 32, 128, 4):
            with T.block("Y"):
                vi = T.axis.spatial(128, i)
                vj = T.axis.spatial(128, j_0 * 4 + j_1)
                vk = T.axis.reduce(128, k)
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(Y[vi, vj])
                with T.init():
                    Y[vi, vj] = T.float32(0.0)
                Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
        for i in range(128):
            for j in T.vectorized(128):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(Y[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = T.max(Y[vi, vj], T.float32(0.0))
