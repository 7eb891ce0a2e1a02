# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon authors.
# What the shell tests share; sourced by tests/e2e/*.sh and tests/error/*.sh. CTest gives TENON (the
# tool), TN_BUILD, TN_SRC, CC and TN_SANITIZE.
#
#   . "$(dirname "$0")/../shell.bash"
#   succeeds "check is silent" "$TENON" check k.py
#   out_has "float32"
#   fails 1 "a missing file" "cannot read 'no.py'" "$TENON" check no.py
#   finish

: "${TENON:?the tool to test}" "${TN_BUILD:?its build folder}" "${TN_SRC:?the sources}"
if [ ! -x "$TENON" ]; then
  echo "$TENON is not built"
  exit 1
fi
CC=${CC:-cc}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache # what the tool keeps of this machine
n_checks=0
n_bad=0

# Says what went wrong with the last command.
bad() { # title, what
  n_bad=$((n_bad + 1))
  echo "FAILED: $1: $2"
  echo "  command: $last"
  sed 's/^/  stdout: /' "$work/out" | head -20
  sed 's/^/  stderr: /' "$work/err" | head -20
}

try() { # command
  last="$*"
  n_checks=$((n_checks + 1))
  "$@" > "$work/out" 2> "$work/err" < /dev/null
  rc=$?
}

succeeds() { # title, command
  title=$1
  try "${@:2}"
  [ $rc -eq 0 ] || bad "$title" "exit code $rc, expected 0"
}

fails() { # exit code, title, part of the message, command
  title=$2
  try "${@:4}"
  [ $rc -eq "$1" ] || bad "$title" "exit code $rc, expected $1"
  grep -qF -- "$3" "$work/err" || bad "$title" "no message with '$3'"
  [ ! -s "$work/out" ] || bad "$title" "a failure must not print results"
}

out_has() { # a line matching this pattern
  n_checks=$((n_checks + 1))
  grep -qE -- "$1" "$work/out" || bad "$title" "standard output has no '$1'"
}

silent() {
  n_checks=$((n_checks + 1))
  [ ! -s "$work/out" ] && [ ! -s "$work/err" ] || bad "$title" "nothing should be printed"
}

is() { # title, test's arguments
  n_checks=$((n_checks + 1))
  last="test ${*:2}"
  test "${@:2}" || bad "$1" "does not hold"
}

same() { # title, file, file
  n_checks=$((n_checks + 1))
  last="cmp $2 $3"
  cmp -s "$2" "$3" || bad "$1" "$2 and $3 differ"
}

# An npy file: npy FILE '<f4' '(10,)' < bytes
npy() {
  local head="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
  local n=$(((10 + ${#head} + 1 + 63) / 64 * 64 - 10))
  {
    printf '\x93NUMPY\x01\x00'
    printf "\\x$(printf %02x $((n % 256)))\\x$(printf %02x $((n / 256)))"
    printf "%-$((n - 1))s\n" "$head"
    cat
  } > "$1"
}

zeros() { head -c "$1" /dev/zero; }

# The elements of an npy file whose header fills 128 bytes.
npy_data() { tail -c +129 "$1"; }

finish() {
  echo "$n_checks checks, $n_bad failed"
  [ $n_bad -eq 0 ]
  exit
}
