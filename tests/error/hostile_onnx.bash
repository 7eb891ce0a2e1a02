# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon authors.
# Malformed and malicious ONNX models; sourced, after shell.bash and hostile.bash, by
# tests/e2e/shared_cases.sh. Each command ends by itself within 10
# seconds and 1 GiB, by an exit code and no signal; what it says holds nothing that a terminal would
# obey; nothing is written.

# Rules for every model, whatever becomes of it. Leaves rc and $work/err.
model_run() { # model, command
  local model=$1
  mkdir -p "$work/cwd"
  cd "$work/cwd" || exit 2
  title="${*:2} ${model##*/}"
  # shellcheck disable=SC2086
  measured "$TENON" ${*:2} "$model"
  [ $rc -lt 124 ] || bad "$title" "exit code $rc: it ran out of time or died"
  [ "$kib" -le $max_kib ] || bad "$title" "$kib KiB of memory"
  ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]' "$work/err" || bad "$title" "commands for a terminal in the message"
  [ -z "$(find "$work" -name 'PWNED*')" ] || bad "$title" "something of the model ran"
  [ $rc -eq 0 ] || [ ! -e "$work/out.tnx" ] || bad "$title" "a file was written"
  rm -f "$work/out.tnx"
  cd "$TN_SRC" || exit 2
}

refused() { # words: what the message must hold one of; after model_run
  [ $rc -ne 0 ] || bad "$title" "exit code 0, expected an error"
  [ -z "$1" ] || grep -qE -- "$1" "$work/err" || bad "$title" "no message with one of $1"
  [ "$(grep -c 'error:' "$work/err")" -ge 1 ] || bad "$title" "no error is reported"
}

# reject: nothing compiles or runs it. reject-or-runtime-error: running it is an error.
# runtime-error: it compiles. runtime-no-crash, reject-or-accept: any end but a crash.
# accept-do-not-fold, accept: it compiles.
model_must() { # model, verdict, words
  local level
  for level in -O0 -O2; do
    model_run "$1" compile $level -o ../out.tnx
    case $2 in
      reject) refused "$3" ;;
      accept | accept-do-not-fold | runtime-error) [ $rc -eq 0 ] || bad "$title" "exit code $rc, expected 0" ;;
    esac
  done
  case $2 in
    accept | accept-do-not-fold | runtime-error | runtime-no-crash) ;;
    *)
      model_run "$1" run --random
      [ "$2" = reject-or-accept ] || refused "$3"
      ;;
  esac
}
