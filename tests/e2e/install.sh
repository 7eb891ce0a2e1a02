#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon authors.
# What `make install` copies is complete: the examples, built from there alone with pkg-config, run in
# a folder that knows nothing of the sources.
. "$(dirname "$0")/../shell.bash"
succeeds "install" cmake --install "$TN_BUILD" --prefix "$work/before" --strip
mv "$work/before" "$work/usr" # the tree can be moved
cd "$work" || exit 2
export PKG_CONFIG_PATH=$work/usr/lib/pkgconfig
san=()
[ -z "$TN_SANITIZE" ] || san+=("-fsanitize=$TN_SANITIZE")

cat > module.py << 'PY'
@R.function
def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
    return R.add(x, x)
PY
succeeds "the command" usr/bin/tenon compile module.py -o m.tnx
for row in build_and_run:tenon tensor_expression:tenon load_and_run:tenon_runtime show_executable:tenon_runtime; do
  name=${row%:*}
  library=${row#*:}
  succeeds "flags of $library" pkg-config --cflags --libs "$library"
  read -r -a flags < "$work/out"
  succeeds "$name builds" "$CC" -std=c11 -Wall -Wextra -Werror "${san[@]}" "usr/share/doc/tenon/examples/$name.c" \
    "${flags[@]}" "-Wl,-rpath,$work/usr/lib" -o "$name"
done
succeeds "build_and_run runs" ./build_and_run
succeeds "tensor_expression runs" ./tensor_expression
succeeds "load_and_run runs" ./load_and_run m.tnx main
out_has '^  \(3\): 0 2 4$'
succeeds "show_executable runs" ./show_executable m.tnx
for header in usr/include/tenon/*.h usr/include/tenon/abi/*.h; do
  succeeds "${header#usr/include/} compiles alone" "$CC" -std=c11 -Wall -Wextra -Werror -Iusr/include -fsyntax-only -x c "$header"
done
is "the version is one" "tenon $(pkg-config --modversion tenon)" = "$(usr/bin/tenon --version)"
finish
