#!/bin/bash
# A compiled model as plain C functions (compile --header): a trained network through a program that knows nothing of
# Tenon, values and error codes of a small one, what the library exports and links, what is refused.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
here=$(pwd)
[ -n "$TN_SANITIZE" ] && unset ASAN_OPTIONS TSAN_OPTIONS # the libraries made here hold none

# ---- the trained network ---------------------------------------------------------------------------
images=/usr/share/datasets/fashion-mnist
[ -d $images ] || images=/usr/local/share/datasets/fashion-mnist
succeeds "a model becomes a library and a header" "$TENON" compile examples/fashion_resnet18/model.onnx \
  -o "$work/fashion.so" --header "$work/fashion.h"
silent
succeeds "its program compiles without a warning" "$CC" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I "$work" \
  examples/c/classify.c "$work/fashion.so" -o "$work/classify"
for compiler in c++ clang++; do
  if command -v $compiler > /dev/null; then
    succeeds "the header is C++ too" $compiler -fsyntax-only -Wall -Wextra -Werror -x c++ "$work/fashion.h"
    break
  fi
done
if [ -f $images/t10k-images-idx3-ubyte.gz ]; then
  zcat $images/t10k-images-idx3-ubyte.gz > "$work/images"
  zcat $images/t10k-labels-idx1-ubyte.gz > "$work/labels"
  classify() { "$work/classify" "$work/labels" "$@" < "$work/images"; }
  succeeds "it classifies" classify 120
  out_has "^112 of 120 right$"
  succeeds "two threads say the same" classify 70 2
  out_has "^62 of 70 right$"
  if [ -n "$TN_LONG" ]; then
    succeeds "all test pictures" classify 10000 2
    out_has "^9327 of 10000 right$"
  fi
fi
readelf -d "$work/fashion.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libpthread)\.so|^ld-linux' > "$work/linked"
is "nothing is linked but libc, libm and threads" ! -s "$work/linked"
nm -D --defined-only "$work/fashion.so" | awk '{print $3}' | grep -v '^fashion_' > "$work/exported"
is "nothing is exported but the header's functions" ! -s "$work/exported"

# ---- values, sizes, codes, threads -----------------------------------------------------------------
program() { # level
  succeeds "a program with three results, -O$1" "$TENON" compile tests/e2e/programs/plain_c.py -O"$1" -o "$work/libnet.so" \
    --header "$work/net.h"
  succeeds "its caller compiles" "$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$work" tests/e2e/programs/plain_c.c \
    "$work/libnet.so" -lm -lpthread -o "$work/caller"
  succeeds "its caller agrees" "$work/caller"
  out_has "^all well$"
}
program 0
program 2
if "$CC" -std=c11 -DCOUNT_ALLOCATIONS -I "$work" tests/e2e/programs/plain_c.c "$work/libnet.so" -lm -lpthread -o "$work/counter" 2> "$work/err"; then
  succeeds "a call allocates nothing" "$work/counter"
fi
grep -q 'float \*int_, float \*sum_0' "$work/net.h"
is "names become identifiers" $? -eq 0
if command -v valgrind > /dev/null && [ -z "$TN_SANITIZE" ]; then
  succeeds "no access outside of the memory that is given" valgrind -q --error-exitcode=9 --leak-check=full "$work/caller"
fi

# ---- another CPU -----------------------------------------------------------------------------------
if [ "$(uname -m)" = x86_64 ] && ! grep -qw avx512f /proc/cpuinfo; then
  succeeds "for a CPU with more" "$TENON" compile tests/e2e/programs/plain_c.py --target x86-64-v4 -o "$work/libnet.so" \
    --header "$work/net.h"
  echo '#include "net.h"
int main(void) { net_model *m = 0; return net_init(1, &m) == NET_OTHER_CPU && m == 0 ? 0 : 1; }' > "$work/other.c"
  succeeds "its caller compiles" "$CC" -std=c11 -I "$work" "$work/other.c" "$work/libnet.so" -lpthread -o "$work/other"
  succeeds "it is told" "$work/other"
fi

# ---- what is refused -------------------------------------------------------------------------------
cat > "$work/branch.py" << 'PY'
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Branch:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if c:
            y = R.add(x, x)
        else:
            y = R.multiply(x, x)
        return y
PY
fails 1 "a branch" "'y': a branch needs the virtual machine" "$TENON" compile "$work/branch.py" -o "$work/b.so" --header "$work/b.h"
is "nothing is left of it" ! -e "$work/b.so" -a ! -e "$work/b.h"
fails 1 "another kind of file" "the header declares the functions of a library (.so)" \
  "$TENON" compile examples/dense.py -o "$work/d.tnx" --header "$work/d.h"
fails 2 "no library" "-o NAME.so is missing" "$TENON" compile examples/dense.py --report --header "$work/d.h"
fails 1 "loop functions alone" "no public graph function" \
  "$TENON" compile examples/tiles/gemm_6x16.py -o "$work/d.so" --header "$work/d.h"
fails 1 "a header that cannot be written" "no/such/d.h" \
  "$TENON" compile examples/dense.py -o "$work/d.so" --header "$work/no/such/d.h"
is "then there is no library" ! -e "$work/d.so"
fails 1 "another machine" "only for this architecture" "$TENON" compile examples/dense.py --target riscv64 -o "$work/d.so" --header "$work/d.h"
finish
