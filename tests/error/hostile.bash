# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon authors.
# Texts that want harm; sourced, after shell.bash, by tests/error/hostile.sh and
# tests/e2e/shared_cases.sh. Each command that reads a program must refuse such a text within 10
# seconds and 1 GiB, with a place and a word of what is wrong, and show nothing that a terminal would
# obey; nothing of it may run (it would leave a file PWNED_*) and nothing may be written.

max_kib=$((1024 * 1024))
[ -n "$TN_SANITIZE" ] && max_kib=$((3 * 1024 * 1024)) # a sanitizer's own memory comes on top

# Sets rc, and the largest memory in KiB as `kib` where the machine can tell.
measured() { # command
  last="$*"
  n_checks=$((n_checks + 1))
  kib=0
  if [ -x /usr/bin/time ]; then
    timeout 10 /usr/bin/time -o "$work/kib" -f %M "$@" > "$work/out" 2> "$work/err" < /dev/null
    rc=$?
    kib=$(tail -n 1 "$work/kib")
  else
    timeout 10 "$@" > "$work/out" 2> "$work/err" < /dev/null
    rc=$?
  fi
}

refuses() { # file, words
  local name=${1##*/} command
  mkdir -p "$work/cwd"
  cd "$work/cwd" || exit 2
  for command in check fmt "run --random" "run --random --interpret" "compile -o ../out.tnx"; do
    title="$command $name"
    # shellcheck disable=SC2086
    measured "$TENON" $command "$1"
    [ $rc -eq 1 ] || bad "$title" "exit code $rc, expected 1"
    [ "$kib" -le $max_kib ] || bad "$title" "$kib KiB of memory"
    [ ! -s "$work/out" ] || bad "$title" "a failure must not print results"
    grep -qE ":[0-9]+:[0-9]+: error: " "$work/err" || bad "$title" "no place in the message"
    grep -qE -- "$2" "$work/err" || bad "$title" "no message with one of $2"
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]' "$work/err" || bad "$title" "commands for a terminal in the message"
    [ ! -e "$work/out.tnx" ] || bad "$title" "a file was written"
    [ -z "$(find "$work" -name 'PWNED*')" ] || bad "$title" "something of the text ran"
  done
  cd "$TN_SRC" || exit 2
}
