#!/bin/bash
# Pictures as inputs of `run`: PNG and JPEG, the layouts of an input, --preprocess, classes by name; broken and hostile
# files are errors that name the file.
. "$(dirname "$0")/../shell.bash"
picture() { base64 -d > "$work/$1"; } # file < base64
# 3 x 2 pixels: red green blue, black grey white
picture rgb.png <<< iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAFklEQVR42mP4z8DAAMMMDQ0N////BwA6YQd7Ap/f9AAAAABJRU5ErkJggg==
# one pixel each: (10, 20, 30) behind an alpha of 0; grey of 16 bits; and two of a palette
picture alpha.png <<< iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mPgEpFjAAAApQA9tsaarAAAAABJRU5ErkJggg==
picture grey16.png <<< iVBORw0KGgoAAAANSUhEUgAAAAEAAAABEAAAAABq7kcWAAAAC0lEQVR42mM4wQ4AAZoA0M22GgUAAAAASUVORK5CYII=
picture palette.png <<< iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAMAAADD/I+4AAAABlBMVEUBAgMEBQaVU29IAAAAC0lEQVR42mNgZAAAAAUAAkLCRJ8AAAAASUVORK5CYII=
# 60,000 x 60,000 pixels by its head, and 2^31 - 1 wide
picture huge.png <<< iVBORw0KGgoAAAANSUhEUgAA6mAAAOpgCAIAAAAPsOIVAAAADElEQVR42mNgoD0AAABkAAG4me+Z
picture wide.png <<< iVBORw0KGgoAAAANSUhEUn////8AAAABCAIAAAAvVKSK
# 8 x 8 pixels of (200, 100, 50)
picture flat.jpg <<< /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABwj/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCQAHqQf//Z

same_as() { # shape, dtype, order of the axes, shape of the result: a function that returns its argument
  cat > "$work/same.py" << PY
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Same:
    @R.function
    def main(x: R.Tensor($1, dtype="$2")) -> R.Tensor(${4:-$1}, dtype="$2"):
        with R.dataflow():
            y = R.permute_dims(x, axes=$3)
            R.output(y)
        return y
PY
}
gives() { # title, picture, what is printed, options
  succeeds "$1" "$TENON" run "$work/same.py" --input "x=$work/$2" "${@:4}"
  echo "$3" > "$work/want"
  same "$1" "$work/out" "$work/want"
}

# ---- layouts and types -----------------------------------------------------------------------------
same_as '(1, 2, 3, 3)' uint8 '[0, 1, 2, 3]'
gives "rows of pixels as bytes" rgb.png "out: uint8[1, 2, 3, 3] 255 0 0 0 255 0 0 0 255 0 0 0 128 128 128 255 ..."
gives "--preprocess leaves bytes alone" rgb.png "out: uint8[1, 2, 3, 3] 255 0 0 0 255 0 0 0 255 0 0 0 128 128 128 255 ..." \
  --preprocess scale01
same_as '(3, 2, 3)' float64 '[0, 1, 2]'
gives "planes of colours" rgb.png "out: float64[3, 2, 3] 255 0 0 0 128 255 0 255 0 0 128 255 0 0 255 0 ..."
same_as '(1, 1, 2, 3)' float32 '[0, 1, 2, 3]'
gives "grey" rgb.png "out: float32[1, 1, 2, 3] 0.298039228 0.588235319 0.113725491 0 0.501960814 1" --preprocess scale01
same_as '(2, 3)' float32 '[0, 1]'
gives "grey without more ado" rgb.png "out: float32[2, 3] 76 150 29 0 128 255"
same_as '(3, 1, 1)' float32 '[0, 1, 2]'
gives "alpha is dropped" alpha.png "out: float32[3, 1, 1] 10 20 30"
gives "16 bits" grey16.png "out: float32[3, 1, 1] 200 200 200"
gives "resized to one pixel: the mean by a triangle" rgb.png "out: float32[3, 1, 1] 101 119 101"
same_as '(1, 3, 1, 2)' float32 '[0, 1, 2, 3]'
gives "a palette" palette.png "out: float32[1, 3, 1, 2] 4 1 5 2 6 3"
same_as '(3, 2, 2)' float32 '[0, 1, 2]'
gives "a JPEG" flat.jpg "out: float32[3, 2, 2] 200 200 200 200 100 100 100 100 50 50 50 50"
same_as '(1, 3, 2, 2)' float32 '[0, 1, 2, 3]'
gives "normalised as ImageNet's" flat.jpg \
  "out: float32[1, 3, 2, 2] 1.30704677 1.30704677 1.30704677 1.30704677 -0.285013974 -0.285013974 -0.285013974 -0.285013974 -0.93298471 -0.93298471 -0.93298471 -0.93298471" \
  --preprocess imagenet
same_as '("n", 3, "h", "w")' float32 '[0, 1, 2, 3]'
succeeds "open extents follow the picture" "$TENON" run "$work/same.py" --input "x=$work/rgb.png"
out_has '^out: float32\[1, 3, 2, 3\]'
succeeds "imagenet makes them 224" "$TENON" run "$work/same.py" --input "x=$work/flat.jpg" --preprocess imagenet
out_has '^out: float32\[1, 3, 224, 224\]'

# ---- classes ---------------------------------------------------------------------------------------
same_as '(3, 1, 1)' float32 '[1, 2, 0]' '(1, 1, 3)'
printf 'n02124075 a cat\na dog\r\na\tbird\n' > "$work/labels"
succeeds "classes by name" "$TENON" run "$work/same.py" --input "x=$work/alpha.png" --labels "$work/labels" --top 2
printf 'out:\n  100.0 %%  2  a?bird\n    0.0 %%  1  a dog\n' > "$work/want"
same "classes by name, the likeliest first" "$work/out" "$work/want"
succeeds "classes by number" "$TENON" run "$work/same.py" --input "x=$work/alpha.png" --preprocess scale01 --top 1
printf 'out:\n   34.6 %%  2\n' > "$work/want"
same "classes by number, shares by softmax" "$work/out" "$work/want"
head -n 2 "$work/labels" > "$work/two"
fails 1 "another number of names" "no result has 2 values in a row" \
  "$TENON" run "$work/same.py" --input "x=$work/alpha.png" --labels "$work/two"
: > "$work/none"
fails 1 "no names" "it names no class" "$TENON" run "$work/same.py" --input "x=$work/alpha.png" --labels "$work/none"
fails 1 "no file of names" "nowhere: No such file" "$TENON" run "$work/same.py" --input "x=$work/alpha.png" --labels "$work/nowhere"
fails 2 "no number of classes" "--top 0" "$TENON" run "$work/same.py" --input "x=$work/alpha.png" --top 0

# ---- what is refused -------------------------------------------------------------------------------
refused() { # title, part of the message, picture, options
  fails 1 "$1" "$2" timeout 20 "$TENON" run "$work/same.py" --input "x=$work/$3" "${@:4}"
}
refused "a huge picture" "60000 x 60000 pixels" huge.png
refused "a picture wider than any" "wide.png: " wide.png
for file in rgb.png alpha.png flat.jpg; do
  size=$(stat -c %s "$work/$file")
  for n in 0 1 8 20 40 $((size / 2)) $((size - 13)) $((size - 2)); do
    head -c $n "$work/$file" > "$work/cut.${file##*.}"
    refused "$file cut after $n bytes" "cut.${file##*.}: " "cut.${file##*.}"
  done
done
cp "$work/labels" "$work/text.png"
refused "text" "text.png: it is neither a PNG nor a JPEG file" text.png
refused "no file" "nowhere.png: No such file" nowhere.png
same_as '(1, 5, 4, 4)' float32 '[0, 1, 2, 3]'
refused "an input that is no picture" 'as argument x: R.Tensor((1, 5, 4, 4), dtype="float32"): a picture is' rgb.png
same_as '(2, 3, 4, 4)' float32 '[0, 1, 2, 3]'
refused "a batch" "with N 1" rgb.png
same_as '(3, 4, 4)' int64 '[0, 1, 2]'
refused "elements of another type" "elements of float32" rgb.png
same_as '(3, 4, 5)' float32 '[0, 1, 2]'
refused "no square" "imagenet cuts out a square" rgb.png --preprocess imagenet
fails 2 "an unknown way" "none, scale01 or imagenet is needed" "$TENON" run "$work/same.py" --input "x=$work/rgb.png" --preprocess vgg
finish
