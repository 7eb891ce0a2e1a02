# row: leaving loops
# section: 2c
# does: runs
# same: 2022 2026
# --- 2023
@T.prim_func
def f(A: T.Buffer((4, 4), "int32")):
    for i in range(4):
        for j in range(4):
            if j > i:
                break  #<
            if j == 1:
                continue  #<
            A[i, j] = i + 1
    if A[0, 0] == 1:
        return  #<
    A[3, 3] = 9
# result: A: int32[4, 4] 1 0 -6 8 2 -8 2 -5 3 6 3 8 4 0 4 4
