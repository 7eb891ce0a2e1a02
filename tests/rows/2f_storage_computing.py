# row: computing in a storage type
# section: 2f
# does: refused unsupported
# same: 2022 2026
# --- 2023
@R.function
def main(x: R.Tensor((3, 5), dtype="float8_e4m3fn")):
    return R.add(x, x)  #<
