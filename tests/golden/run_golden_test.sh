#!/bin/bash
# The golden runner itself, driven with a stand-in for the tool.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export TENON=$work/tool
printf '%s\n' '#!/bin/sh' \
  'case $1 in' \
  '  upper) tr a-z A-Z < "$2" | tail -n +2 ;;' \
  '  both) cat "$2" "$3"; echo "$3" ;;' \
  '  name) echo "$2:1: bad" >&2; exit 1 ;;' \
  'esac' > "$TENON"
chmod +x "$TENON"
n_bad=0

check() { # what, wanted exit code
  "$here/run_golden" "$work/case.py" > "$work/out" 2>&1
  rc=$?
  if [ $rc -ne "$2" ]; then
    echo "$1: exit code $rc, expected $2"
    cat "$work/out"
    n_bad=$((n_bad + 1))
  fi
}

printf '# run: tenon upper %%s\nabc\n# expect:\nABC\n' > "$work/case.py"
check "equal output passes" 0
printf '# run: tenon upper %%s\nabc\n# expect:\nABD\n' > "$work/case.py"
check "other output fails" 1
grep -q '^-ABD' "$work/out" && grep -q TN_UPDATE=1 "$work/out" || {
  echo "a failure shows the diff and how to update"
  n_bad=$((n_bad + 1))
}
TN_UPDATE=1 check "an update rewrites" 0
check "and then passes" 0
printf '# run: tenon both %%s %%t\na\n# steps:\nb\n# expect:\n# run: tenon both %%s %%t\na\n\n\n\nb\n%%t\n' \
  > "$work/case.py"
check "a second input stands at its own lines" 0
printf '# run: not tenon name %%s\nabc\n# expect:\n%%s:1: bad\n' > "$work/case.py"
check "an expected failure compares messages" 0
printf '# run: tenon name %%s\nabc\n# expect:\n' > "$work/case.py"
check "an unexpected failure fails" 1
printf '# run: not tenon upper %%s\nabc\n# expect:\nABC\n' > "$work/case.py"
check "an unexpected success fails" 1
printf 'abc\n# expect:\nABC\n' > "$work/case.py"
check "a file without a command fails" 1
printf '# run: tenon upper %%s\nabc\n' > "$work/case.py"
check "a file without an expectation fails" 1
[ $n_bad -eq 0 ]
