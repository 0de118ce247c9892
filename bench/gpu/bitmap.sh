#!/bin/sh
# Bitmaps and iceberg tables on one GPU: searches of dense models and of others, the tables in turn, medians.
#     bench/gpu/bitmap.sh FOLDER [SECONDS]   SECONDS: 140; no run starts later, and a running one is stopped
#     FLOE: the command (./floe)   ROUNDS: 3   TABLES: "bitmap iceberg auto", each with :fields or :rank to force that encoding
#     OPTIONS: further options of every run
#     MODELS: a file of lines "model constants" (below)   LARGEST=1: counters 1000^4 alone, index keys; with
#     OPTIONS=--gpu-memory=98% its queue stays in the GPU's memory
# A first run of each table compiles and is not counted. FOLDER gets runs.csv (a line for each run) and summary.txt (the
# output). All runs of a model must have the same certificate, else there is no figure.
#     explore   seconds from the first state to the last; rates are over this time
#     bits/state of the visited set at the end; table: its scheme then
set -u
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || { sed -n '2,11p' "$0" && exit 2; }
folder=$1
# shellcheck disable=SC2034 # read by on_gpu.sh
script=bitmap.sh all=all seconds=${2:-140}
set -- "$folder"
# shellcheck source=bench/on_gpu.sh
. "$(dirname "$0")/../on_gpu.sh"
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"
options=${OPTIONS:-}
tables=${TABLES:-bitmap iceberg auto}
csv=$folder/runs.csv
# shellcheck disable=SC2034 # read by on_gpu.sh
group=all
echo 'model,constants,table,at_end,end,states,transitions,levels,explore,kernels,grow,launches,growths,spilled,table_bytes,queue_words,certificate' >"$csv"

some_models() { # dense models first; the states of others are a small part of their keys
  cat <<END
counters -DN=8 -DK=12
counters -DN=5 -DK=60
hanoi -DN=17
counters -DN=13 -DK=5
bakery -DN=4 -DMAX=3
counters -DN=9 -DK=10
philosophers -DN=12
szymanski -DN=4
peterson -DN=6
lamport -DN=4
END
}

run() { # $1: table, or table:encoding  $2: model  $3: constants  rest: options; false: the run did not finish
  table=$1 model=$2 constants=$3
  encoding=${table#*:}
  [ "$encoding" != "$table" ] || encoding=auto
  shift 3
  left || return 1
  : >"$work/json"
  # shellcheck disable=SC2086,SC2154 # lists of words; left is on_gpu.sh's
  FLOE_GPU_TEST=${TUNING:+$TUNING,}tell=1 timeout --preserve-status -s INT -k 10 "$left" "$floe" check --engine=gpu --table="${table%:*}" --encoding="$encoding" --quiet --no-trace --continue \
    --json="$work/json" "$@" $options $constants "$models/$model.xml" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  [ $code -lt 3 ] || { say "$(printf '%-12s %-16s %-14s exit code %d: %s' "$model" "$constants" "$table" $code "$(head -n 2 "$work/err" | paste -s -d ' ')")" && return 1; }
  [ "$(figure end "$work/json")" = complete ] || { say "$(printf '%-12s %-16s %-14s ended: %s' "$model" "$constants" "$table" "$(figure end "$work/json")")" && return 1; }
  line=$model,$constants,$table,$(figure table "$work/json"),$(figure end "$work/json")
  for name in states transitions levels; do
    line=$line,$(figure $name "$work/json")
  done
  for name in explore kernels grow launches growths spilled table_bytes queue_words; do
    line=$line,$(gpu_figure $name "$work/err")
  done
  certificate=$(sed -n 's/^ *"certificate": "\(.*\)",*$/\1/p' "$work/json" | tr ' ' ';')
  echo "$line,$certificate" >"$work/line"
}

column() { # $1: number  $2: lines: the median
  echo "$2" | cut -d, -f"$1" | median
}

tell() { # $1: model  $2: constants
  lines=$(awk -F, -v m="$1" -v c="$2" '$1 == m && $2 == c' "$csv")
  [ -n "$lines" ] || return
  if [ "$(echo "$lines" | cut -d, -f17 | sort -u | wc -l)" != 1 ]; then
    say "$1 $2: runs differ: $(echo "$lines" | cut -d, -f3,17 | paste -s -d ' ')"
    return
  fi
  for table in $tables; do
    of=$(echo "$lines" | awk -F, -v t="$table" '$3 == t')
    [ -n "$of" ] || continue
    say "$(echo "$of" | head -n 1 | awk -F, -v explore="$(column 9 "$of")" -v grow="$(column 11 "$of")" -v n="$(echo "$of" | wc -l)" \
      '{ printf "%-12s %-16s %-14s %-8s %14.0f %15.0f %6d %8.4f %8.3f %8.2f %10.1f %8.4f %7d %8.0f %4d", $1, $2, $3, $4, $6, $7, $8, explore, $6 / explore / 1e9, $7 / explore / 1e9, 8 * $15 / $6, grow, $13, $14, n }')"
  done
}

header() {
  say "$(printf '%-12s %-16s %-14s %-8s %14s %15s %6s %8s %8s %8s %10s %8s %7s %8s %4s' model constants table 'at end' states transitions levels explore G/s GT/s bits/state grow growths spilled runs)"
}

compare() { # $1: model  $2: constants
  can=
  for table in $tables; do
    run "$table" "$1" "$2" && can="$can $table"
  done
  for _ in $(seq "$rounds"); do
    for table in $can; do
      run "$table" "$1" "$2" || break 2
      cat "$work/line" >>"$csv"
    done
  done
  tell "$1" "$2"
}

group_all() {
  header
  if [ "${LARGEST:-}" = 1 ]; then
    tables=bitmap:rank
    run $tables counters '-DN=4 -DK=1000' && cat "$work/line" >>"$csv"
    tell counters '-DN=4 -DK=1000'
    return
  fi
  if [ -n "${MODELS:-}" ]; then cat "$MODELS"; else some_models; fi >"$work/models"
  while read -r model constants; do
    compare "$model" "$constants"
  done <"$work/models"
}

run_groups ', a first run of each table not counted' all
