#!/bin/sh
# plot.gp of floe bench with made-up results: which rows are one panel, one line, one group of bars.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v gnuplot >/dev/null || skip 'there is no gnuplot'

# Draws rows of standard input: table,operation,slot_bits,second,bucket,host,x,value,before,after,positive,part,zipf,slots,key_bits
draw() { # $1: x  $2: panel
  { echo header && sed -E 's/^(([^,]*,){7})([^,]*)/\1\3,\3,\3,0/'; } >made.dat
  {
    printf "name = 'made'\nmachine = 'the author''s machine'\nvalue_name = 'G keys/s'\nx = '%s'\npanel = '%s'\nrows = %d\n" \
      "$1" "$2" "$(($(wc -l <made.dat) - 1))"
    cat "$here/src/cmd/bench/plot.gp"
    # shellcheck disable=SC2016 # of gnuplot
    printf "set print 'blocks'\nprint \$points\nset print 'commands'\ndo for [p = 1:|command|] { print command[p] }\n"
  } >made.gp
  gnuplot made.gp >out 2>err || fail "gnuplot: $(cat err)"
  [ "$(head -c 4 made.png | tail -c 3)" = PNG ] || fail 'made.png is no picture'
  says made.svg "made, the author's machine"
}
size() { says made.svg "width=\"$1\" height=\"$2\""; }
text() { says made.svg ">$1</"; }

# As the preset remark1: one horizontal value makes bars, the host's memory a pattern.  $1: factor of the device's memory
places() {
  for host in 0 1; do
    for bits in 16 32; do
      echo "iceberg,put,$bits,0,32,$host,0.8,$((host ? 1 : $1)),0,-,0,1,0,0,0"
      echo "iceberg,find,$bits,0,32,$host,0.8,$((host ? 2 : 2 * $1)),-,-,1,1,0,0,0"
    done
  done | draw after ''
}
places 10
size 600 480
for word in put find '32 bits, 32 a bucket, host memory'; do text "$word"; done
[ "$(head -n 2 blocks)" = "$(printf '0 10 10 10 0\n1 20 20 20 0')" ] || fail "blocks: $(cat blocks)"
says commands "index 0 using (\$1-0.315):2 with boxes lc rgb '#1f77b4' fs solid"
says commands "index 2 using (\$1+0.105):2 with boxes lc rgb '#1f77b4' fs pattern"
grep -q '> *0</tspan>' made.svg || fail 'no linear axis from 0'
places 31 # far apart: the axis is logarithmic and has no 0
! grep -q '> *0</tspan>' made.svg || fail 'a linear axis'

# all axes but the horizontal one tell panels apart; points are sorted from left to right
for key_bits in 20 40; do
  for zipf in 0 1; do
    for slots in 8 16; do
      for after in 9 7; do
        echo "iceberg,find-or-put,16,0,32,0,0.$after,$after,0,-,0,0,$zipf,$slots,$key_bits"
      done
    done
  done
done | draw after ''
size 1800 1360 # eight panels
text "iceberg: find-or-put, Zipf's exponent 1, slots 16, key width 40"
[ "$(grep -c '^0.7 7 7 7 0$' blocks)" -eq 8 ] || fail "not eight lines: $(cat blocks)"
awk '/^$/ { last = 0; next } { if ($1 <= last) exit 1; last = $1 }' blocks || fail "not from left to right: $(cat blocks)"

# a row without a result leaves a gap
for row in 0.7,1 0.8,nan 0.9,1; do echo "iceberg,put,16,0,32,0,$row,-,-,0,0,0,0,0"; done | draw after ''
[ "$(cat blocks)" = "$(printf '0.7 1 1 1 0\n0.8 nan nan nan 0\n0.9 1 1 1 0')" ] || fail "blocks: $(cat blocks)"
size 600 480
text 'fill factor'
finish
