#!/bin/sh
# Cost of wider states: models beside their twins of two and four words (bench/encoding/pad), which have the same states,
# transitions and levels, in turn on the same machine; medians of several rounds. All with keys of fields in an iceberg
# table. Twins that fill one word show the part of longer steps and keys, if a model leaves room for them.
#     bench/encoding/multiword.sh prepare FOLDER   writes the models there (python3, and a floe for its plans)
#     bench/encoding/multiword.sh run FOLDER       measures them (no python3); runs.csv, a line for each run, is written there
#     FLOE: the command (./floe)   ENGINE: cpu (gpu, interpreter)   ROUNDS: 5   THREADS: 2 (not gpu)   OPTIONS: of every run
#     CASES: lines "model NAME=VALUE...", for prepare; default: those of ENGINE   WORDS: "1 2 4", for prepare
#     LEAST: "2:60 4:40": exit code 1 if a twin has less than so many percent of its model's rate
# A table in Markdown: rate over the exploration alone, with compiled code in the cache and a known number of states, so
# that the visited set does not grow (KNOWN=no: unknown); bytes per state of the visited set's table, of the tables that
# give roots (tree), of the frontier and of the process or device (peak); entries of the tree's tables. Exit code 1:
# counts, or hashes of levels, of twins differ, or certificates of runs.
set -u
LC_ALL=C
export LC_ALL
case $#,${1:-} in
2,prepare | 2,run) ;;
*) sed -n '2,13p' "$0" && exit 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/figures.sh
. "$here/../figures.sh"
FLOE=${FLOE:-./floe} engine=${ENGINE:-cpu} folder=$2
export FLOE

cases_cpu() {
  cat <<END
counters N=7 K=8
bakery N=4 MAX=16
peterson N=6
havi
END
}
cases_interpreter() { cases_cpu; }
cases_gpu() {
  cat <<END
counters N=8 K=12
bakery N=5 MAX=5 BROKEN=1
peterson N=8
havi N=2 RESETS=25
END
}

prepare() {
  mkdir -p "$folder" || return 99
  if [ -n "${CASES:-}" ]; then echo "$CASES"; else cases_"$engine"; fi | grep . >"$folder/cases"
  n=0
  while read -r model constants; do
    n=$((n + 1))
    for words in 0 ${WORDS:-1 2 4}; do
      # shellcheck disable=SC2086 # a list of words
      if ! "$here/pad" "$words" "$here/../../models/$model.xml" $constants >"$work/xml" 2>"$work/err" </dev/null; then
        [ "$words" != 1 ] || continue # no room for twins in one word
        echo "multiword.sh: $model $constants: no twin of $words words: $(cat "$work/err")"
        return 1
      fi
      cp "$work/xml" "$folder/$n.$words.xml"
      "$FLOE" plan "$folder/$n.$words.xml" 2>/dev/null </dev/null |
        sed -n 's/^bits per state: \([0-9]*\) in \([0-9]*\) words*$/\1 \2/p' >"$folder/$n.$words.plan"
    done
  done <"$folder/cases"
}

json() { figure "$1" "$work/json"; }

once() { # $1: number of the case  $2: words  $3: round; false, with a message: the run failed
  : >"$work/json" # a failed run must not leave the results of the one before
  # shellcheck disable=SC2086 # lists of words
  FLOE_GPU_TEST=tell=1 FLOE_CACHE_DIR=$work/cache "$FLOE" count --encoding=fields --table=iceberg --json="$work/json" \
    $of_engine ${OPTIONS:-} $expected "$folder/$1.$2.xml" >/dev/null 2>"$work/err" </dev/null ||
    { echo "multiword.sh: case $1, words $2: exit code $?: $(grep -v -e warning -e '^ ' "$work/err" | head -n 3)" && return 1; }
  certificate=$(json certificate)
  [ "$(json complete)" = true ] || { echo "multiword.sh: case $1, words $2: the search is not complete" && return 1; }
  [ "$(json engine)" = "$engine" ] || { echo "multiword.sh: the engine is $(json engine)" && return 1; }
  echo "$certificate" >>"$work/set.$2"
  echo "${certificate% set=*}" >>"$work/counts"
  seconds=$(json explore)
  [ "$engine" != gpu ] || seconds=$(gpu_figure explore "$work/err")
  [ "${KNOWN:-yes}" = no ] || expected=--expected-states=$(json states)
  [ "$3" = 0 ] || echo "$seconds" >>"$work/seconds.$2"
  echo "$model $constants,$2,$3,$seconds,$certificate" >>"$folder/runs.csv"
  read -r bits taken <"$folder/$1.$2.plan"
  echo "$(json states) $bits $taken $(json table_bytes) $(json tree_bytes) $(json tree_contents) $(json frontier_bytes) $(json peak_bytes)" \
    >"$work/sizes.$2"
}

widths() { # $1: number of the case: the words for which it has models, in ascending order
  for file in "$folder/$1".*.xml; do
    file=${file%.xml}
    echo "${file##*.}"
  done | sort -n
}

measure() { # $1: number of the case; $model, $constants
  rm -f "$work"/set.* "$work"/seconds.* "$work"/sizes.* "$work/counts"
  expected=''
  for round in $(seq 0 "$rounds"); do # the first round compiles
    for words in $(widths "$1" | if [ $((round % 2)) = 0 ]; then cat; else sort -rn; fi); do
      once "$1" "$words" "$round" || return 1
    done
  done
  for file in "$work/counts" "$work"/set.*; do
    [ "$(sort -u "$file" | wc -l)" = 1 ] || { echo "multiword.sh: $model $constants: ${file##*/} differ: $(sort -u "$file" | paste -s -d ' ')" && return 1; }
  done
}

tell() { # $1: number of the case
  own=$(median <"$work/seconds.0") one=0
  [ ! -s "$work/seconds.1" ] || one=$(median <"$work/seconds.1")
  for words in $(widths "$1"); do
    echo "$model $constants;$words;$own;$(median <"$work/seconds.$words");$(cat "$work/sizes.$words");$one" | awk -F';' -v least=" ${LEAST:-} " '{
      split($5, size, " "); states = size[1]; percent = 100 * $3 / $4
      of_one = $6 > 0 && $2 > 0 ? sprintf("%.0f %%", 100 * $6 / $4) : ""
      printf "| %s | %.0f | %d | %d | %.2f | %.0f %% | %s | %.2f | %.3f | %.2f | %.2f | %.0f |\n", $1, states, size[3], size[2], states / $4 / 1e6, percent,
        of_one, size[4] / states, size[5] / states, size[7] / states, size[8] / states, size[6]
      if (match(least, " " $2 ":[0-9.]+ ") && percent < substr(least, RSTART + length($2) + 2) + 0) exit 1
    }' || failed=1
  done
}

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
if [ "$1" = prepare ]; then
  prepare
  exit
fi

[ -s "$folder/cases" ] || { echo "multiword.sh: no models in $folder: run multiword.sh prepare first" && exit 2; }
rounds=${ROUNDS:-5} failed=0
of_engine=--engine=$engine
[ "$engine" = gpu ] || of_engine="$of_engine --threads=${THREADS:-2}"
echo 'case,words,round,seconds,certificate' >"$folder/runs.csv"
echo "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg);" \
  "$of_engine ${OPTIONS:-}; $("$FLOE" --version | head -n 1); medians of $rounds rounds"
echo
echo '| model | states | words | bits | M states/s | of the model | of one word | table B | tree B | frontier B | peak B | contents |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|'
n=0
while read -r model constants; do
  n=$((n + 1))
  if measure $n; then tell $n; else failed=1; fi
done <"$folder/cases"
exit $failed
