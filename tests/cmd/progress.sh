#!/bin/sh
# Progress: lines of fixed form where standard error is no terminal, and only when asked for; one rewritten line on a terminal.
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

has_terminal || finish
for seconds in 1 5 25; do
  script -qec "$floe --progress=0.2 --timeout=$seconds $large" /dev/null >terminal 2>&1 </dev/null
  tr '\r' '\n' <terminal | grep -c 'depth .* states' >lines
  [ "$(cat lines)" -lt 2 ] || break
done
[ "$(cat lines)" -ge 2 ] || fail "no line rewritten on a terminal: $(cat -v terminal)"
tr -d '\r' <terminal | grep -q '^states: ' || fail 'no summary after the progress line'
finish
