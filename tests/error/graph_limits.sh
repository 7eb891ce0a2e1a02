#!/bin/bash
# Graph functions that are large, deep, or ask for sizes that cannot be: each is read and run, or
# refused with a message, in time that grows with its text.
. "$(dirname "$0")/../shell.bash"
cd "$work" || exit 2

repeat() { # count, text with % for the number
  awk -v n="$1" -v text="$2" 'BEGIN { for (i = 1; i <= n; ++i) { s = text; gsub(/%/, i, s); printf "%s", s } }'
}

# Writes p.py: a function main(x) of the statements that come in, each on a line.
program() { # parameters, result
  printf '@R.function\ndef main(%s) -> %s:\n' "$1" "$2" > p.py
  sed 's/^/    /' >> p.py
}
x='x: R.Tensor((4,), "float32")'
type='R.Tensor((4,), "float32")'

both() { # title, arguments: runs, compiled and interpreted alike
  succeeds "$1: check" timeout 20 "$TENON" check p.py
  succeeds "$1: interpreted" timeout 20 "$TENON" run p.py --random --interpret "${@:2}"
  cp out interpreted
  succeeds "$1: compiled" timeout 20 "$TENON" run p.py --random -O0 "${@:2}"
  same "$1" out interpreted
}

refused() { # title, part of the message
  fails 1 "$1" "$2" timeout 20 "$TENON" check p.py
}

{ echo "t = ($(repeat 10000 'x, '))"; echo 'y = t[9999]'; echo 'return y'; } | program "$x" "$type"
both 'a tuple of 10,000 items'
{ echo "t = ($(repeat 3000 'x, '))"; repeat 3000 'y% = t[% - 1]
'; echo 'return y7'; } | program "$x" "$type"
both 'every item of a tuple'
{ echo 'y0 = R.add(x, x)'; awk 'BEGIN { for (i = 1; i < 4000; ++i) { print "y" i " = R.multiply(y" i - 1 ", x)" } }'; echo 'return y3999'; } | program "$x" "$type"
both 'a chain of 4,000 operators'
{ repeat 300 '@R.function
def f%(z: R.Tensor((4,), "float32")):
    w = R.add(z, x)
    return w
y% = f%(x)
'; echo 'return y300'; } | program "$x" "$type"
both '300 inner functions'
{ echo 't0 = (x, x)'; awk 'BEGIN { for (i = 1; i < 40; ++i) { print "t" i " = (t" i - 1 ", t" i - 1 ")" } }'; echo 'return t39'; } | program "$x" R.Object
refused 'a tuple that doubles 40 times' '[type-error]'
echo "t = $(repeat 3000 '(')x$(repeat 3000 ',)')
return t" | program "$x" R.Object
refused 'a tuple nested 3,000 deep' '[nested-too-deep]'
echo 'return t' | program "t: $(repeat 3000 'R.Tuple(')R.Object$(repeat 3000 ')')" R.Object
refused 'a type nested 3,000 deep' '[nested-too-deep]'
echo 'return x' | program 'x: R.Tensor((-1, 4), "float32")' R.Object
refused 'a negative size' '[bad-shape]'
echo 'return x' | program 'x: R.Tensor((99999999999999999999,), "float32")' R.Object
refused 'a size of more than 64 bits' '[integer-too-large]'
{ echo 'y = R.add(x, x)'; echo 'return y'; } | program 'x: R.Tensor((9223372036854775807, 9223372036854775807), "float32")' R.Object
fails 1 'a tensor larger than memory, interpreted' 'address space' "$TENON" run p.py --random --interpret
fails 1 'a tensor larger than memory, compiled' '56 bits' "$TENON" run p.py --random -O0
{ echo 'n = T.int64()'; echo 's = R.shape([n // 0])'; echo 'return s'; } | program 'x: R.Tensor(("n",), "float32")' R.Shape
for how in --interpret -O0; do fails 1 "a size divided by zero, $how" 'by zero' "$TENON" run p.py --random --size n=3 $how; done
{ echo 'n = T.int64()'; echo 'y = R.match_cast(x, R.Tensor((n - 4,), "float32"))'; echo 'return y'; } | program 'x: R.Tensor(("n",), "float32")' R.Object
for how in --interpret -O0; do fails 1 "a size that gets negative, $how" "match_cast to 'y'" "$TENON" run p.py --random --size n=3 $how; done
finish
