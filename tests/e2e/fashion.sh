#!/bin/bash
# The demo: 8,857 right answers for each of the four forms, and pictures that fit 80 columns.
. "$(dirname "$0")/../shell.bash"
succeeds "the demo runs" "$TN_BUILD/fashion_demo" "$TN_SRC"
for form in '\(a\) all TensorIR' '\(b\) library calls' '\(c\) mixed' '\(d\) weights bound'; do
  out_has "^$form +8,857 +[0-9.]+ us\$"
done
out_has 'Library calls: (OpenBLAS|plain C)'
out_has 'The four forms agree on each of the 10,000 pictures'
out_has '^predicted: Ankle boot +predicted: Pullover +predicted: Trouser$'
out_has '^true: +Ankle boot +true: +Pullover +true: +Trouser$'
is "no line is longer than 80 columns" "$(awk 'length > 80' "$work/out" | wc -l)" -eq 0
is "progress goes to standard error" -s "$work/err"

fails 1 "no data set" "dataset-fashion-mnist" "$TN_BUILD/fashion_demo" --data "$work/none" "$TN_SRC"
fails 1 "no sources" "$work/none/models/fashion_mnist/fashion_mlp.npz" \
  "$TN_BUILD/fashion_demo" "$work/none"
fails 2 "an unknown option" "usage: fashion_demo" "$TN_BUILD/fashion_demo" --nope
succeeds "help" "$TN_BUILD/fashion_demo" --help
out_has '^usage: fashion_demo'
finish
