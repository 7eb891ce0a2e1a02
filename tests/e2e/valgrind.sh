#!/bin/bash
# check, fmt, opt and both kinds of interpretation read no memory that is not theirs, leave none behind
# and depend on nothing unset: under valgrind, over examples and (TN_LONG=1) more of them and golden
# files.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
if ! command -v valgrind > /dev/null; then
  echo "skipped: valgrind is not installed"
  exit 0
fi
if [ -n "$TN_SANITIZE" ]; then
  echo "skipped: the tool is built with -fsanitize=$TN_SANITIZE"
  exit 0
fi

# Exit code 99: valgrind found something. What the tool says is other tests' business.
clean() { # title, arguments
  title=$1
  shift
  try valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$TENON" "$@"
  [ "$rc" != 99 ] || bad "$title" "valgrind is not silent"
}

# Loading LLVM alone takes valgrind four seconds, so that the short form is one file.
files=examples/dense.py
goldens=
ids=axis-race
if [ -n "$TN_LONG" ]; then
  files="examples/dense.py examples/scale_add.py examples/fashion_mnist/all_tensorir.py"
  goldens=$(find tests/golden/script -name '*.py' | sort | awk 'NR % 12 == 0' | head -8)
  ids="axis-race bad-string index-out-of-bounds loop-race never-written undeclared-access"
fi
passes=normalize,legalize_graph,lower_blocks,flatten_buffers,simplify
for file in $files; do
  clean "check $file" check "$file"
  clean "opt $file" opt --passes=$passes "$file"
  clean "interpret $file" run --interpret --random --size n=3 "$file"
  clean "interpret checked $file" run --interpret=checked --random --size n=3 "$file"
done
for file in $files $goldens; do
  clean "fmt $file" fmt "$file"
done
for id in $ids; do
  clean "the error $id" run --interpret=checked --random "tests/golden/error/$id.py"
done
finish
