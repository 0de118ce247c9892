#!/bin/sh
# Two folders of counts.sh as one table of Markdown, by states: bench/engine/counts_table.sh CPU [GPU]. Only exact
# counts are shown. Seconds are those of the exploration; processor: of the whole command, all threads together; build: of
# the kernels. `-`: no result.
[ $# -ge 1 ] || { sed -n '2,4p' "$0" && exit 2; }
cpu=$1/runs.csv gpu=${2:+$2/runs.csv}
echo '| instance | states | transitions | levels | bits | CPU s | M states/s | processor s | GPU s | M states/s | build s |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
{
  sed '1d; s/^/cpu,/' "$cpu"
  [ -z "$gpu" ] || sed '1d; s/^/gpu,/' "$gpu"
} | awk -F, '
  function shown(list, run, name, format) { return (run, name) in list ? sprintf(format, list[run, name]) : "-" }
  function rate(run, name) {
    return (run, name) in explore && explore[run, name] > 0 ? sprintf("%.2f", states[name] / explore[run, name] / 1e6) : "-"
  }
  $3 == "exact" {
    states[$2] = $4; transitions[$2] = $5; levels[$2] = $6; bits[$2] = $13
    explore[$1, $2] = $8; build[$1, $2] = $9; processor[$1, $2] = $11
  }
  END {
    for (name in states)
      printf "| %s | %d | %d | %d | %d | %s | %s | %s | %s | %s | %s |\n", name, states[name], transitions[name], levels[name],
        bits[name], shown(explore, "cpu", name, "%.2f"), rate("cpu", name), shown(processor, "cpu", name, "%.1f"),
        shown(explore, "gpu", name, "%.3f"), rate("gpu", name), shown(build, "gpu", name, "%.1f")
  }' | sort -t '|' -k 3,3 -n
