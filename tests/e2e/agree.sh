#!/bin/bash
# Every program of tests/e2e/programs, TVMScript or Relay: it verifies, its canonical text is a fixed point and means the
# same, and interpreter and compiled code agree: bit for bit at level 0, in what is printed at
# level 2. The head of a program says how to run it:
#   # run: --random --size n=3 k=5     one line a run; NAME=N without dashes is a scalar argument
#   # fails: TEXT                      every run fails, in each way, with this in the message
#   # close                            level 0 agrees in what is printed (an operator's reference is
#                                      exact where its loops round)
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2

# An int64 without dimensions: scalar FILE N
scalar() {
  local hex
  hex=$(printf '%016x' "$2")
  for i in 14 12 10 8 6 4 2 0; do printf "\\x${hex:$i:2}"; done | npy "$1" '<i8' '()'
}

# Sets `args` from the words of a "# run:" line.
set_args() {
  args=()
  local word is_value=no
  for word in "$@"; do
    if [ $is_value = no ] && [[ $word == [a-z]*=* ]]; then
      scalar "$work/${word%%=*}.npy" "${word#*=}"
      word="--input=${word%%=*}=$work/${word%%=*}.npy"
    fi
    [ "$word" = --size ] && is_value=yes || is_value=no
    args+=("$word")
  done
}

# Printed numbers, floats to four digits: what -O2 may change is the last bits.
rounded() { awk '{ for (i = 1; i <= NF; ++i) { if ($i ~ /^-?[0-9.]+(e[-+][0-9]+)?$/ && $i ~ /[.e]/) { $i = sprintf("%.4g", $i) } if ($i == "-0") { $i = "0" } } print }' "$1"; }

alike() { # title
  rounded "$work/slow.txt" > "$work/a"
  rounded "$work/out" > "$work/b"
  same "$1" "$work/a" "$work/b"
}

run_once() { # program
  local result level
  rm -rf "$work/slow" "$work/o0"
  if [ -n "$message" ]; then
    fails 1 "$name: interpreted" "$message" "$TENON" run "$1" --interpret "${args[@]}"
    for level in 0 2; do fails 1 "$name: level $level" "$message" "$TENON" run "$1" -O$level "${args[@]}"; done
    return
  fi
  succeeds "$name: interpreted" "$TENON" run "$1" --interpret "${args[@]}" -o "$work/slow"
  cp "$work/out" "$work/slow.txt"
  succeeds "$name: its canonical text" "$TENON" run "$work/once.py" --interpret "${args[@]}"
  same "$name: the canonical text means the same" "$work/out" "$work/slow.txt"
  succeeds "$name: level 0" "$TENON" run "$1" -O0 --verify-each "${args[@]}" -o "$work/o0"
  if grep -q '^# close$' "$1"; then
    alike "$name: level 0 agrees"
  else
    for result in "$work"/slow/*.npy; do [ ! -e "$result" ] || same "$name: level 0, ${result##*/}" "$result" "$work/o0/${result##*/}"; done
  fi
  succeeds "$name: level 2" "$TENON" run "$1" -O2 --verify-each "${args[@]}"
  alike "$name: level 2 agrees"
}

for file in tests/e2e/programs/*.{py,relay}; do
  name=${file##*/}
  message=$(sed -n 's/^# fails: //p' "$file")
  succeeds "$name: check" "$TENON" check "$file"
  silent
  succeeds "$name: fmt" "$TENON" fmt "$file"
  cp "$work/out" "$work/once.py"
  succeeds "$name: fmt's text is a program" "$TENON" fmt "$work/once.py"
  same "$name: it prints as itself" "$work/out" "$work/once.py"
  while read -r -a words; do
    set_args "${words[@]}"
    run_once "$file"
  done < <(sed -n 's/^# run: *//p' "$file")
done
finish
