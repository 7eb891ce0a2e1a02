#!/bin/bash
# What the tool tells of speed: the machine's peaks and where they are kept, the fields of bench,
# two programs measured in turn, the report on compiled code.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2
export XDG_CACHE_HOME=$work/cache

# ---- peak -------------------------------------------------------------------------------------------
kept=$XDG_CACHE_HOME/tenon/peak.json
succeeds "peak measures" "$TENON" peak
for line in 'float32 +[0-9.]+ +[0-9.]+' 'int8 dot ' 'L1 +[0-9.]+ KiB' 'L2 ' 'memory '; do out_has "^  $line"; done
is "peak is kept" -s "$kept"
cp "$kept" "$work/first.json"
succeeds "peak --json" "$TENON" peak --json
same "prints what is kept" "$work/out" "$work/first.json"
for field in gops_one_thread read_gb_per_s_all_threads copy_gb_per_s_one_thread; do out_has "\"$field\": [0-9.e+]+"; done
succeeds "peak --again" "$TENON" peak --again --json
same "peak --again is kept" "$work/out" "$kept"
# What is kept of another machine, by another version or damaged is measured anew.
for change in 's/"cpu": "/&other /' 's/"gops_one_thread": [0-9.]*/"gops_one_thread": -1/'; do
  sed "$change" "$work/first.json" > "$kept"
  succeeds "a kept file after $change" "$TENON" peak --json
  same "is replaced" "$work/out" "$kept"
done
title="a folder that cannot be written"
touch "$work/file"
XDG_CACHE_HOME=$work/file succeeds "$title" "$TENON" peak
is "$title is said" "$(grep -c 'not kept' "$work/err")" -eq 1
mkdir -p "$work/home/.cache/tenon"
cp "$kept" "$work/home/.cache/tenon/"
succeeds "without XDG_CACHE_HOME" env -u XDG_CACHE_HOME HOME="$work/home" "$TENON" peak --json
same "the file is in ~/.cache" "$work/out" "$kept"
fails 2 "peak takes no file" "takes no" "$TENON" peak k.py
finish
