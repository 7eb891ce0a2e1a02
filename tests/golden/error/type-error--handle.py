# run: not tenon check %s
@R.function
def main(x: R.Tensor((4,), dtype="float32")):
    y = R.astype(x, dtype="handle")
    return y
# expect:
%s:3:1: error: a tensor's elements are numbers, and handle is an address [type-error]
def main(x: R.Tensor((4,), dtype="float32")):
^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
%s:4:5: error: a tensor's elements are numbers, and handle is an address [type-error]
    y = R.astype(x, dtype="handle")
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
