#!/bin/bash
# tenon bench --vs PEER: models beside another runtime, here a stub of one. What is looked at is the form of
# what is printed, never a time.
. "$(dirname "$0")/../shell.bash"
cd "$TN_SRC" || exit 2

"$CC" -shared -fPIC -o "$work/stub.so" tests/e2e/peer_stub.c || exit 1
export TENON_ONNXRUNTIME=$work/stub.so
# relu FILE: an ONNX model, y = Relu(x) of float32 [2, 3]
relu() {
  local shape='\x0a\x02\x08\x02\x0a\x02\x08\x03'
  local type="\\x12\\x0e\\x0a\\x0c\\x08\\x01\\x12\\x08$shape"
  printf "\x08\x08\x42\x02\x10\x0d\x3a\x3b\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu\x12\x01g\x5a\x13\x0a\x01x$type\x62\x13\x0a\x01y$type" > "$1"
}
relu "$work/relu.onnx"
cp "$work/relu.onnx" "$work/other.onnx"
few=(--repeat 3 --number 2)

succeeds "two models beside a runtime" "$TENON" bench "$work/relu.onnx" "$work/other.onnx" --vs onnxruntime "${few[@]}" --threads 1,2
out_has '^model +threads +tenon ms +onnxruntime ms +ratio +of rounds +norm +of light$'
for row in 'relu +1' 'relu +2' 'other +1' 'other +2'; do
  out_has "^$row +[0-9.e-]+ +[0-9.e-]+ +[0-9.]+ +[0-9.]+-[0-9.]+ +0.0e\+00 +[0-9]+ %( ~)?$"
done
out_has '^1 threads, beside onnxruntime 0.0-stub: geometric mean of 2 ratios [0-9.]+$'
out_has '^2 threads, of the speed of light: geometric mean of 2 shares [0-9]+ %$'
succeeds "the same in JSON, with cold caches" "$TENON" bench "$work/relu.onnx" --vs onnxruntime "${few[@]}" --cold --json
for field in '"onnxruntime": "0.0-stub"' '"is_cold": true,' '"threads": 1,' '"norm": 0.0$' '"flops": 6.0,' '"bytes": 48.0,' \
  '"ratio": [0-9.e+-]+,' '"share_of_limit": [0-9.e+-]+,?'; do
  out_has "^ *$field"
done
succeeds "as bars" "$TENON" bench "$work/relu.onnx" --vs onnxruntime "${few[@]}" --svg "$work/bars.svg"
is "which are drawn" "$(grep -c 'times as fast as onnxruntime 0.0-stub' "$work/bars.svg")" -eq 1

succeeds "peak memory of a process for each" "$TENON" bench "$work/relu.onnx" --vs onnxruntime --memory
out_has '^relu( +[0-9.]+){4}$'
succeeds "and in JSON" "$TENON" bench "$work/relu.onnx" --vs onnxruntime --memory --json
out_has '"peak_mib": [0-9.]+'

title="a runtime that is missing"
succeeds "$title" env TENON_ONNXRUNTIME="$work/none.so" "$TENON" bench "$work/relu.onnx" --vs onnxruntime "${few[@]}"
is "$title is named" "$(grep -c '^onnxruntime is missing: .*none.so' "$work/err")" -eq 1
out_has '^relu +1 +[0-9.e-]+ +- +- +- +- +[0-9]+ %'
out_has '^1 threads, beside onnxruntime: missing$'
title="a library that is none"
echo 'extern int nothing; int nothing;' | "$CC" -shared -fPIC -x c -o "$work/none_of_it.so" - || exit 1
succeeds "$title" env TENON_ONNXRUNTIME="$work/none_of_it.so" "$TENON" bench "$work/relu.onnx" --vs onnxruntime "${few[@]}" --json
is "$title is named" "$(grep -c 'has no OrtGetApiBase' "$work/err")" -eq 1
out_has '^ *"onnxruntime": null$'

# refused TITLE, MESSAGE, WHAT THE STUB DOES, OPTIONS: the exit code is 1, and the table is whole
refused() {
  title=$1
  try env STUB="$3" "$TENON" bench "$work/relu.onnx" "${@:4}" --vs onnxruntime "${few[@]}"
  is "$title: exit code" $rc -eq 1
  is "$title is said" "$(grep -cF "$2" "$work/err")" -ge 1
  out_has '^model '
}
refused "results that differ" "relu.onnx: results differ from those of onnxruntime" wrong
out_has '^relu +1 .* [0-9.]+e[+-][0-9]+ +[0-9]+ %'
refused "a model that the runtime refuses" "relu.onnx: onnxruntime: no such operator" refuses
out_has '^relu +1 +[0-9.e-]+ +- +- +- +- '
refused "a call that fails" "relu.onnx: onnxruntime: worn out" fails
refused "a model that is none" "nowhere.onnx" none "$work/nowhere.onnx"
out_has '^relu +1 '

title="no product beside a library of products"
try "$TENON" bench "$work/relu.onnx" --vs openblas "${few[@]}"
is "$title is refused, or the library is missing" "$(grep -c 'takes two float32 matrices\|^openblas is missing' "$work/err")" -eq 1
out_has '^relu +1 +[0-9.e-]+ +- '

# A runtime in a process of its own: an answer kept from a run of ours, by a script that speaks as scripts/peers does.
cat > "$work/peer" << 'SH'
#!/bin/bash
[ -f "$4/in0.npy" ] && [ -f "$2" ] || { echo "wrong arguments: $*"; exit; }
case $HOW in
  dies) exit ;;
  refuses) echo "no such model"; exit ;;
esac
cp "$ANSWER" "$4/out0.npy"
echo "ready 1.2 of $3"
while read -r line; do
  [ "$HOW" != tires ] || exit
  [ "$line" = run ] && echo "done"
done
SH
chmod +x "$work/peer"
"$TENON" run "$work/relu.onnx" --random -o "$work/y.npy" > "$work/out" 2>&1 || cp /dev/null "$work/y.npy"
export ANSWER=$work/y.npy
succeeds "a runtime in its own process" env TENON_PEER_OPENVINO="$work/peer" "$TENON" bench "$work/relu.onnx" --vs openvino "${few[@]}"
out_has '^relu +1 +[0-9.e-]+ +[0-9.e-]+ +[0-9.]+ +[0-9.]+-[0-9.]+ +0.0e\+00 '
out_has '^1 threads, beside openvino 1.2 of 1: geometric mean of 1 ratios '
succeeds "two of them" env TENON_PEER_OPENVINO="$work/peer" TENON_PEER_PYTORCH="$work/peer" timeout 60 "$TENON" bench "$work/relu.onnx" \
  --vs openvino --vs pytorch "${few[@]}"
out_has '^1 threads, beside pytorch 1.2 of 1: '
for how in 'dies:openvino: its process ended' 'tires:openvino: its process ended' 'refuses:openvino: no such model'; do
  title="a process that ${how%%:*}"
  try env HOW="${how%%:*}" TENON_PEER_OPENVINO="$work/peer" "$TENON" bench "$work/relu.onnx" --vs openvino "${few[@]}"
  is "$title: exit code" $rc -eq 1
  is "$title is said" "$(grep -c "${how#*:}" "$work/err")" -ge 1
done
succeeds "a process that nobody names" "$TENON" bench "$work/relu.onnx" --vs tvm "${few[@]}"
is "is told how" "$(grep -c '^tvm is missing: TENON_PEER_TVM names no command' "$work/err")" -eq 1

fails 2 "a program beside a runtime" "--vs naive: a program beside runtimes is no contender" "$TENON" bench "$work/relu.onnx" --vs onnxruntime --vs naive
fails 2 "threads that are none" "--threads 1,x" "$TENON" bench "$work/relu.onnx" --vs onnxruntime --threads 1,x
fails 2 "a sweep beside a runtime" "--sweep has no meaning" "$TENON" bench "$work/relu.onnx" --vs onnxruntime --sweep x
fails 2 "two files without a runtime" "--vs onnxruntime" "$TENON" bench "$work/relu.onnx" "$work/other.onnx"
fails 2 "memory beside nothing" "--memory needs --vs" "$TENON" bench "$work/relu.onnx" --memory
fails 2 "cold caches without a runtime" "--cold needs --vs" "$TENON" bench "$work/relu.onnx" --cold
finish
