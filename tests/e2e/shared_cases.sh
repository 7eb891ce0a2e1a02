#!/bin/bash
# Cases that lie beside the repository in ../shared/cases, where they are there. Hostile programs and
# models (hostile/, with expected.tsv) end as that says; programs and models of bugs that other
# compilers had (bugs/) give the arrays stored with them, interpreted and compiled at each level.
. "$(dirname "$0")/../shell.bash"
. "$(dirname "$0")/../error/hostile.bash"
. "$(dirname "$0")/../error/hostile_onnx.bash"
cases=$TN_SRC/../shared/cases
if [ ! -d "$cases" ]; then
  echo "skipped: no $cases"
  exit 0
fi

while IFS=$'\t' read -r file must words _; do
  case $file in
    script_*)
      is "$file is to be refused" "$must" = reject
      words=${words//line/:[0-9]+:[0-9]+:} # a place is how we say which line
      refuses "$cases/hostile/$file" "$words"
      ;;
    *.onnx) model_must "$cases/hostile/$file" "$must" "$words" ;;
  esac
done < "$cases/hostile/expected.tsv"

# Models with arrays. What the arrays may differ by stands in case.json: 1e-5.
for level in 0 1 2 3; do
  succeeds "models of bugs at -O$level" "$TENON" test-onnx -O$level --rtol 1e-5 --atol 1e-5 "$cases/bugs"
  [ $rc -eq 0 ] || cat "$work/out"
done

# Models that are right but for the numbers they are given: an error or a result, but no crash.
int64s() { # numbers
  local n
  for n; do
    printf "$(printf %016x "$n" | sed -E 's/(..)(..)(..)(..)(..)(..)(..)(..)/\\x\8\\x\7\\x\6\\x\5\\x\4\\x\3\\x\2\\x\1/')"
  done
}
int64s 0 $(((1 << 62) - 1 + (1 << 62))) | npy "$work/far.npy" '<i8' '(2,)'
int64s -3 0 | npy "$work/below.npy" '<i8' '(2,)'
int64s -5 | npy "$work/minus.npy" '<i8' '()'
int64s $((1 << 40)) | npy "$work/huge.npy" '<i8' '()'
printf '%024d' 0 | npy "$work/turned.npy" '<f4' '(3, 2)'
printf '%048d' 0 | npy "$work/double.npy" '<f8' '(2, 3)'
for level in -O0 -O2; do
  for given in i=far i=below; do
    model_run "$cases/hostile/run_gather_index_from_input.onnx" run $level --random --input "${given%=*}=$work/${given#*=}.npy"
  done
  for given in d=minus d=huge; do
    model_run "$cases/hostile/run_onehot_negative_depth.onnx" run $level --random --input "${given%=*}=$work/${given#*=}.npy"
    refused ""
  done
  for given in x=turned x=double; do
    model_run "$cases/hostile/run_wrong_input_shape.onnx" run $level --random --input "${given%=*}=$work/${given#*=}.npy"
    refused "x"
  done
  model_run "$cases/hostile/hostile_names_valid_model.onnx" run $level --random
  [ $rc -eq 0 ] || bad "$title" "exit code $rc, expected 0"
done

# Programs with arrays, as they stand and with each of their schedules. The parameters of main are
# the inputs first and then the outputs.
close_to() { # title, npy file of float32, npy file
  n_checks=$((n_checks + 1))
  last="compare $2 $3"
  paste <(npy_data "$2" | od -An -v -tf4 -w4) <(npy_data "$3" | od -An -v -tf4 -w4) |
    awk '{ d = $1 - $2; d = d < 0 ? -d : d; w = $2 < 0 ? -$2 : $2; if (NF != 2 || !(d <= 1e-5 + 1e-5 * w)) { exit 1 } }' ||
    bad "$1" "$2 and $3 differ"
}

agrees() { # name, program, folder, how
  rm -rf "$work/results"
  succeeds "$1 $4" "$TENON" run "$2" "$4" "${inputs[@]}" --output "$work/results"
  for i in "${!outputs[@]}"; do
    if npy_header "$3/out_$i.npy" | grep -q "'<f4'"; then
      close_to "$1 $4: ${outputs[i]}" "$work/results/${outputs[i]}.npy" "$3/out_$i.npy"
    else
      npy_data "$work/results/${outputs[i]}.npy" > "$work/got"
      npy_data "$3/out_$i.npy" > "$work/want"
      is "$1 $4: $i has values" -s "$work/want"
      same "$1 $4: ${outputs[i]}" "$work/got" "$work/want"
    fi
  done
}
npy_header() { head -c 128 "$1" | tail -c +11; }

for folder in "$cases"/bugs/tir_*; do
  name=${folder##*/}
  inputs=()
  outputs=()
  i=0
  n_inputs=$(find "$folder" -name 'in_*.npy' | wc -l)
  for param in $(grep -m1 'def main(' "$folder/module.py" | grep -oE '\w+: T\.Buffer' | cut -d: -f1); do
    if [ $i -lt "$n_inputs" ]; then
      inputs+=(--input "$param=$folder/in_$i.npy")
    else
      outputs+=("$param")
    fi
    i=$((i + 1))
  done
  for how in --interpret --interpret=checked -O0 -O2; do
    agrees "$name" "$folder/module.py" "$folder" $how
  done
  rm -f "$work"/steps.*
  [ -s "$folder/schedule.txt" ] && awk -v to="$work/steps" '/^# ---/ { n++; next } { print > (to "." n + 0) }' "$folder/schedule.txt"
  for steps in "$work"/steps.*; do
    [ -e "$steps" ] || continue
    if grep -q '"must": "the vectorize call fails' "$folder/case.json"; then
      fails 1 "$name ${steps##*/}" reduction "$TENON" schedule "$folder/module.py" "$steps"
      continue
    fi
    succeeds "$name ${steps##*/}" "$TENON" schedule "$folder/module.py" "$steps" -o "$work/scheduled.py"
    for how in --interpret -O0 -O2; do
      agrees "$name ${steps##*/}" "$work/scheduled.py" "$folder" $how
    done
  done
done
finish
