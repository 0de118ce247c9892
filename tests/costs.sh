#!/bin/sh
# costs.sh [FOLDER]: processor time of each test of the last `make check` in this build folder (.), longest first.
find "${1:-.}/tests" -name '*.log' ! -name test-suite.log -exec awk '
  function seconds(time,   part) { split(time, part, /[ms]/); return part[1] * 60 + part[2] }
  /^[0-9]+m[0-9.]+s [0-9]+m[0-9.]+s$/ { cost[FILENAME] = seconds($1) + seconds($2) }
  END {
    for (file in cost) {
      name = file
      sub(/.*\/tests\//, "", name)
      sub(/\.log$/, "", name)
      printf "%7.1f s  %s\n", cost[file], name
    }
  }' {} + | sort -rn | awk '{ print; sum += $1 } END { printf "%7.1f s  in all %d\n", sum, NR }'
