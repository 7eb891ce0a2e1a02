#!/bin/bash
# Every text of tests/error/hostile is refused as hostile.bash says; expected.tsv there has a line for
# each: words of which the message must have one, and what is wrong.
. "$(dirname "$0")/../shell.bash"
. "$(dirname "$0")/hostile.bash"
while IFS=$'\t' read -r file words _; do
  refuses "$TN_SRC/tests/error/hostile/$file" "$words"
done < <(tail -n +2 "$TN_SRC/tests/error/hostile/expected.tsv")
is "every file has a line" "$(tail -n +2 "$TN_SRC/tests/error/hostile/expected.tsv" | wc -l)" = "$(find "$TN_SRC/tests/error/hostile" -name '*.py' | wc -l)"
finish
