#!/bin/sh
# Progress: on request lines of fixed form without a terminal; one rewritten line on a terminal.
. "${top_srcdir:-.}/tests/cmd/common.sh"
large="--engine=interpreter $models/large.xml"

run 2 --timeout=1 $large
silent err
# the time for two lines, longer on a busy machine
for seconds in 1 5 25; do
  run 2 --progress=0.2 --timeout=$seconds $large
  [ "$(wc -l <err)" -lt 2 ] || break
done
n=$(grep -cE '^[0-9.]+ s  depth [0-9]+  states [0-9]+ \([0-9]+/s\)  transitions [0-9]+  frontier [0-9]+  duplicates [0-9]+  table [0-9.]+%  memory [0-9.]+ [KMG]?i?B$' err)
[ "$n" -ge 2 ] && [ "$n" -eq "$(wc -l <err)" ] || fail "progress lines: $(cat err)"
run 2 --progress=0 --timeout=1 $large
silent err

# Also before the exploration
{
  echo '#!/bin/sh'
  echo 'sleep 1000'
} >hangs
chmod 755 hangs
run 2 --progress=0.05 --timeout=0.5 --engine=cpu --cache-dir= --compiler=./hangs $models/large.xml
grep -qE '^[0-9.]+ s  compiling the model$' err || fail "no progress while the compiler works: $(cat err)"

has_terminal || finish
# At most the width of the terminal, so that the line can be rewritten
for columns in 40 100; do
  for seconds in 1 5 25; do
    script -qec "stty cols $columns; $floe --progress=0.1 --timeout=$seconds $large" /dev/null >terminal 2>&1 </dev/null
    tr '\r' '\n' <terminal | sed 's/\x1b\[K.*//' | grep 'depth .* states' >lines
    [ ! -s lines ] || break
  done
  [ -s lines ] || fail "no progress on a terminal of $columns columns"
  awk -v most=$columns 'length($0) >= most' lines >long
  silent long
  [ $columns -ge 100 ] || ! grep -q transitions lines || fail "a line of $columns columns: $(cat lines)"
done
for seconds in 1 5 25; do
  script -qec "$floe --progress=0.2 --timeout=$seconds $large" /dev/null >terminal 2>&1 </dev/null
  tr '\r' '\n' <terminal | grep -c 'depth .* states' >lines
  [ "$(cat lines)" -lt 2 ] || break
done
[ "$(cat lines)" -ge 2 ] || fail "no line rewritten on a terminal: $(cat -v terminal)"
tr -d '\r' <terminal | grep -q '^states: ' || fail 'no summary after the progress line'
finish
