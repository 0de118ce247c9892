#!/bin/sh
# Keys of fields and index keys on the CPU: searches with hash tables of either, with a bitmap of index keys, and with
# floe's choice, in turn; medians.
#     bench/encoding/encoding.sh [THREADS]   1
#     FLOE: the command (./floe)   ROUNDS: 5   MODELS: a file of lines "model constants" (below)
# A table in Markdown: seconds of the exploration, with compiled code in the cache, and in brackets the ratio to fields
# in an iceberg table, and the set's bytes per state. All runs of a model must have the same certificate.
set -eu
LC_ALL=C
export LC_ALL
floe=${FLOE:-./floe}
threads=${1:-1}
rounds=${ROUNDS:-5}
ways="iceberg:fields iceberg:rank bitmap:rank auto:auto"
models=$(dirname "$0")/../../models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"

some_models() {
  cat <<END
counters -DN=10 -DK=5
counters -DN=7 -DK=9
bakery -DN=4 -DMAX=8
lamport -DN=5
szymanski -DN=5
peterson -DN=6
philosophers -DN=14
havi -DN=2
hanoi -DN=14
END
}

# $1: way  $2: model  $3: constants; false: no such search
run() {
  # shellcheck disable=SC2086 # a list of words
  "$floe" count --engine=cpu -j"$threads" --table="${1%:*}" --encoding="${1#*:}" --certificate --json="$work/json" $3 \
    "$models/$2.xml" >"$work/out" 2>"$work/err" || return 1
  grep '^certificate' "$work/out" >>"$work/certificates"
}

explored() { sed -n 's/^ *"explore": \([0-9.e-]*\).*/\1/p' "$work/json" | head -n 1; }

compare() { # $1: model  $2: constants
  rm -f "$work"/*.seconds "$work/certificates"
  for round in $(seq 0 "$rounds"); do # the first one compiles
    for way in $ways; do
      run "$way" "$1" "$2" || continue
      [ "$round" = 0 ] || explored >>"$work/$way.seconds"
      echo "$(figure table "$work/json") $(figure table_bytes "$work/json") $(figure encoding "$work/json")" >"$work/$way.is"
    done
  done
  if [ "$(sort -u "$work/certificates" | wc -l)" != 1 ]; then
    echo "| $1 $2 | runs differ: $(sort -u "$work/certificates" | paste -s -d ' ') |"
    return 1
  fi
  base=$(median <"$work/iceberg:fields.seconds")
  printf '| %s | %s |' "$1 $2" "$(figure states "$work/json")"
  for way in $ways; do
    if [ -s "$work/$way.seconds" ]; then
      read -r table bytes encoding <"$work/$way.is"
      [ "$way" = auto:auto ] && what="$table, $encoding " || what=
      median <"$work/$way.seconds" | awk -v b="$base" -v bytes="$((bytes * 100 / $(figure states "$work/json")))" -v w="$what" '{ printf " %s%.3f (%.2f; %.2f B) |", w, $1, $1 / b, bytes / 100 }'
    else
      printf ' none |'
    fi
  done
  echo
}

echo "$(uname -m), $(nproc) processors, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $threads threads, median of $rounds"
echo
echo '| model | states | iceberg, fields | iceberg, index keys | bitmap, index keys | auto |'
echo '|---|---|---|---|---|---|'
if [ -n "${MODELS:-}" ]; then cat "$MODELS"; else some_models; fi | while read -r model constants; do
  compare "$model" "$constants"
done
