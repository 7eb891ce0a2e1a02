#!/bin/bash
# Texts that are hard on a reader, and those that once broke it: each is accepted or refused with a
# message, in a moment.
n_bad=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for file in "$TN_SRC"/tests/fuzz/corpus/script_{parse,relay}_fuzz/*; do
  text=$file
  if [[ $file == *_relay_fuzz/* ]]; then # the name says what it is
    text=$work/text.relay
    cp "$file" "$text"
  fi
  message=$(timeout 20 "$TENON" check "$text" 2>&1)
  rc=$?
  if [ $rc -gt 1 ]; then
    echo "$file: exit code $rc"
    echo "$message" | tail -n 5
    n_bad=$((n_bad + 1))
  elif [ $rc -eq 1 ] && ! grep -q 'error: ' <<< "$message"; then
    echo "$file: refused without a message"
    n_bad=$((n_bad + 1))
  fi
done
[ $n_bad -eq 0 ]
