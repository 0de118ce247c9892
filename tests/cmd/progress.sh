#!/bin/sh
# Progress: lines of fixed form where standard error is no terminal, and only when asked for; one rewritten line on a terminal.
. "${top_srcdir:-.}/tests/cmd/common.sh"
large="--engine=interpreter --timeout=1 $models/large.xml"

run 2 $large
silent err
run 2 --progress=0.2 $large
n=$(grep -cE '^[0-9.]+ s  depth [0-9]+  states [0-9]+ \([0-9]+/s\)  transitions [0-9]+  frontier [0-9]+  duplicates [0-9]+  table [0-9.]+%  memory [0-9.]+ [KMG]?i?B$' err)
[ "$n" -ge 2 ] && [ "$n" -eq "$(wc -l <err)" ] || fail "progress lines: $(cat err)"
run 2 --progress=0 $large
silent err

has_terminal || finish
script -qec "$floe --progress=0.2 $large" /dev/null >terminal 2>&1 </dev/null
tr '\r' '\n' <terminal | grep -c 'depth .* states' >lines
[ "$(cat lines)" -ge 2 ] || fail "no line rewritten on a terminal: $(cat -v terminal)"
tr -d '\r' <terminal | grep -q '^states: ' || fail 'no summary after the progress line'
finish
