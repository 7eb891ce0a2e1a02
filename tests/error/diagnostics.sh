#!/bin/bash
# Every diagnostic that the sources can give has a golden file tests/golden/error/<id>.py that shows
# it. Those that no text can bring about (they guard passes against each other) are listed in
# tests/golden/error/not_from_text; a unit test must name them, or a reason must stand there.
cd "${TN_SRC:-$(dirname "$0")/../..}" || exit 2
golden=tests/golden/error
listed=$golden/not_from_text
n_bad=0

bad() {
  echo "$1"
  n_bad=$((n_bad + 1))
}

# An id is a literal of small words joined by '-', or the first literal of a call that reports.
ids() {
  {
    find src/script src/ir src/tir src/graph src/lower -name '*.c' -print0 | xargs -0 \
      grep -hoE '"[a-z]+(-[a-z0-9]+)+"'
    find src/script src/ir src/tir src/graph src/lower -name '*.c' -print0 | xargs -0 cat | tr '\n' ' ' |
      grep -oE '(tn_diags_add|tn_read_fail|tn_parser_fail)\([^";{]*"[a-z-]+"' | grep -oE '"[a-z-]+"$'
  } | tr -d '"' | sort -u
}

for id in $(ids); do
  if [ -e "$golden/$id.py" ]; then
    sed '1,/^# expect:$/d' "$golden/$id.py" | grep -q "\[$id\]" ||
      bad "$golden/$id.py does not show [$id]"
  elif grep -q "^$id  *[^ ]" "$listed"; then
    : # a reason is given
  elif grep -qx "$id" "$listed"; then
    grep -rqF "\"$id\"" tests/unit || bad "no test in tests/unit names \"$id\""
  else
    bad "diagnostic [$id] has no golden file $golden/$id.py"
  fi
done
while read -r id _; do
  case $id in "#"* | "") continue ;; esac
  ids | grep -qx "$id" || bad "$listed: no diagnostic is called $id"
  [ ! -e "$golden/$id.py" ] || bad "$listed: $id has a golden file and need not be listed"
done < "$listed"
for file in "$golden"/*.py; do
  id=$(basename "$file" .py)
  ids | grep -qx "${id%%--*}" || bad "$file: no diagnostic is called ${id%%--*}"
done
[ $n_bad -eq 0 ]
