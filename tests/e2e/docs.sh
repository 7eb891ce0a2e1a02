#!/bin/bash
# Runs what the documentation shows. Every fenced block of README, ARCHITECTURE, CONTRIBUTING and
# docs/ whose language is
#   sh           lines "$ command" are run in the top folder, where build/ is the build under test
#   sh compare   the same, and what stands below a command is what it must print; a line "..." stands
#                for any lines
#   c            a program with main is built with the library and run; anything else must compile
#   python       a TVMScript program: `tenon check` must accept it
# Blocks without a language are pictures and text. TN_UPDATE=1 writes what the commands of "sh compare"
# print into the documents, but for blocks with "..."; read the difference before committing it.
TN_SRC=${TN_SRC:-$(cd "$(dirname "$0")/../.." && pwd)}
TN_BUILD=${TN_BUILD:-$TN_SRC/build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache # what the tool keeps of this machine
n_bad=0
n_blocks=0

# The sources as a user has them after `make`, without writing into them.
mkdir "$work/top"
for entry in "$TN_SRC"/*; do
  case ${entry##*/} in build*) ;; *) ln -s "$entry" "$work/top/" ;; esac
done
ln -s "$TN_BUILD" "$work/top/build"
cd "$work/top" || exit 2

bad() { # where, what
  echo "$1: $2" >&2
  n_bad=$((n_bad + 1))
}

# Compares a file with a pattern in which a line "..." stands for any lines.
matches() { # pattern, got
  awk '
    FNR == NR { want[++n] = $0; next }
    { got[++m] = $0 }
    function fits(i, j) {
      if (i > n) return j > m
      if (want[i] == "...") {
        for (; j <= m + 1; ++j) if (fits(i + 1, j)) return 1
        return 0
      }
      return j <= m && want[i] == got[j] && fits(i + 1, j + 1)
    }
    END { exit !fits(1, 1) }' "$1" "$2"
}

run_one() { # where, command, file with what is expected or ""
  bash -c "$2" > "$work/got" 2>&1 < /dev/null
  local rc=$?
  { printf '$ %s\n' "${2//$'\n'/$'\n> '}" && cat "$work/got"; } >> "$work/regen"
  [ -n "$TN_UPDATE" ] && return
  if [ -n "$3" ]; then
    matches "$3" "$work/got" && return
    bad "$1" "\`$2\` prints something else:"
    diff -u "$3" "$work/got" >&2
  elif [ $rc -ne 0 ]; then
    bad "$1" "\`$2\` ends with $rc:"
    cat "$work/got" >&2
  fi
}

run_sh() { # where, block, compare or ""
  local command="" line
  : > "$work/want"
  : > "$work/regen"
  while IFS= read -r line || [ -n "$line" ]; do
    if [ "${line:0:2}" = '$ ' ]; then
      [ -n "$command" ] && run_one "$1" "$command" "${3:+$work/want}"
      command=${line:2}
      : > "$work/want"
    elif [ "${line:0:2}" = '> ' ] && [ "${command: -1}" = "\\" ]; then
      command=$command$'\n'${line:2}
    else
      printf '%s\n' "$line" >> "$work/want"
    fi
  done < "$2"
  [ -n "$command" ] || { bad "$1" "a sh block needs lines \"\$ command\""; return; }
  run_one "$1" "$command" "${3:+$work/want}"
}

run_c() { # where, block
  cp "$2" "$work/block.c"
  local flags=(-std=c11 -Wall -Wextra -Werror -Iinclude)
  [ -n "$TN_SANITIZE" ] && flags+=("-fsanitize=$TN_SANITIZE")
  if grep -q '^int main(' "$2"; then
    "${CC:-cc}" "${flags[@]}" "$work/block.c" -o "$work/block" -Lbuild -ltenon "-Wl,-rpath,$TN_BUILD" -lm \
      2> "$work/got" || { bad "$1" "does not compile:"; cat "$work/got" >&2; return; }
    "$work/block" > "$work/got" 2>&1 || { bad "$1" "the program fails:"; cat "$work/got" >&2; }
  else
    "${CC:-cc}" "${flags[@]}" -fsyntax-only "$work/block.c" 2> "$work/got" ||
      { bad "$1" "does not compile:"; cat "$work/got" >&2; }
  fi
}

run_block() { # where, language, block
  n_blocks=$((n_blocks + 1))
  case $2 in
    sh) run_sh "$1" "$3" "" ;;
    "sh compare") run_sh "$1" "$3" compare ;;
    c) run_c "$1" "$3" ;;
    python)
      cp "$3" "$work/block.py"
      build/tenon check "$work/block.py" > "$work/got" 2>&1 ||
        { bad "$1" "tenon check refuses it:"; cat "$work/got" >&2; }
      ;;
    "" | text) n_blocks=$((n_blocks - 1)) ;;
    *) bad "$1" "a block of language '$2': this test does not know it" ;;
  esac
}

for doc in README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/decisions/*.md; do
  [ -e "$doc" ] || continue
  language=""
  inside=no
  n=0
  : > "$work/new"
  while IFS= read -r line || [ -n "$line" ]; do
    n=$((n + 1))
    if [ "${line:0:3}" = '```' ]; then
      if [ $inside = no ]; then
        inside=yes
        language=${line:3}
        start=$n
        : > "$work/current"
      else
        inside=no
        run_block "$doc:$start" "$language" "$work/current"
        if [ "$language" = "sh compare" ] && ! grep -qx '\.\.\.' "$work/current"; then
          cat "$work/regen" >> "$work/new"
        else
          cat "$work/current" >> "$work/new"
        fi
      fi
    elif [ $inside = yes ]; then
      printf '%s\n' "$line" >> "$work/current"
    fi
    [ $inside = no ] || [ "${line:0:3}" = '```' ] && printf '%s\n' "$line" >> "$work/new"
  done < "$doc"
  if [ -n "$TN_UPDATE" ] && ! cmp -s "$work/new" "$doc"; then
    cat "$work/new" > "$TN_SRC/$doc"
    echo "$doc: updated"
  fi
  [ $inside = no ] || bad "$doc:$start" "the block has no end"
done
echo "$n_blocks blocks, $n_bad bad"
[ $n_bad -eq 0 ]
