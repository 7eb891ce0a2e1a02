# row: part of a function
# section: 2b
# does: runs, as a function main
# args: --size n=3
# same: 2022 2026
# --- 2023
n = T.int32()  #<
A = T.Buffer((n,))  #<
B = T.Buffer((4,), "int32")  #<
for i in range(n):
    A[i] = A[i] + 1.0
B[0] = 1
