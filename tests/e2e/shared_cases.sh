#!/bin/bash
# Cases that lie beside the repository in ../shared/cases, where they are there: hostile programs
# (hostile/script_*.py with expected.tsv) are refused, and programs of bugs that other compilers had
# (bugs/tir_*, those without a schedule) give the arrays stored with them, interpreted and compiled.
. "$(dirname "$0")/../shell.bash"
. "$(dirname "$0")/../error/hostile.bash"
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
  esac
done < "$cases/hostile/expected.tsv"

# The parameters of main, which are the inputs first and then the outputs.
for folder in "$cases"/bugs/tir_*; do
  [ -s "$folder/schedule.txt" ] && continue
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
    rm -rf "$work/results"
    succeeds "$name $how" "$TENON" run "$folder/module.py" $how "${inputs[@]}" --output "$work/results"
    for i in "${!outputs[@]}"; do
      npy_data "$work/results/${outputs[i]}.npy" > "$work/got"
      npy_data "$folder/out_$i.npy" > "$work/want"
      is "$name $how: $i has values" -s "$work/want"
      same "$name $how: ${outputs[i]}" "$work/got" "$work/want"
    done
  done
done
finish
