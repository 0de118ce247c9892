#!/bin/sh
# Cost of checkpoints: a search without them, one that writes AT checkpoints, and one that is interrupted and resumed on
# the same engine and (`moved`) on the other; certificates must be equal. Pauses, bytes of the file compared with those
# of the table, and the part of the time for one checkpoint in ten minutes.
#     bench/disk/resume.sh FOLDER [GROUP]...   groups: cpu small gpu moved; cpu by default
#     FLOE: the command (./floe)   ROUNDS: 3   THREADS: all   AT: 3
#     CPU, SMALL, GPU: constants of counters ('-D N=8 -D K=9', 4.3 10^7 states; SMALL 10^9 and GPU 10^10 states on a GPU)
# FOLDER gets runs.csv, a line for each run, summary.txt (the output), and needs room for two files: some 2.3 bytes a
# state each, 50 GB for 10^10 states. cpu needs no GPU.
set -u
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || { sed -n '2,9p' "$0" && exit 2; }
folder=$1
shift
[ $# -gt 0 ] || set -- cpu
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$PWD/floe} rounds=${ROUNDS:-3} at=${AT:-3} threads=${THREADS:+--threads=$THREADS}
model=${top_srcdir:-$top}/models/counters.xml
[ -x "$floe" ] || { echo "resume.sh: no floe at $floe (set FLOE)" && exit 99; }
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work" "$folder/kept" "$folder/kept.previous"' EXIT
summary=$folder/summary.txt csv=$folder/runs.csv wrong=0
: >"$summary"
echo 'group,run,explore,checkpoints,bytes,pause,table_bytes,states' >"$csv"
say() { echo "$*" | tee -a "$summary"; }
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"

field() { sed -n "s/$1/\\1/p" "$work/out"; }
# run NAME COMMAND...: sets explore, pause, count, bytes, states, table, certificate, code
run() {
  name=$1
  shift
  # shellcheck disable=SC2086 # words
  "$floe" "$@" -v --no-trace --certificate --json="$work/json" $threads >"$work/out" 2>"$work/err" </dev/null
  code=$?
  [ $code -lt 3 ] || { say "$name: exit code $code: $(head -n 3 "$work/err")" && wrong=1; }
  explore=$(field '.*explore \([0-9.]*\).*') states=$(field '^states: \([0-9]*\)') certificate=$(field '^certificate: \(.*\)')
  count=$(field '^checkpoints: \([0-9]*\),.*') pause=$(field '^checkpoints: .* paused for \([0-9.]*\) s$')
  table=$(figure table_bytes "$work/json")
  bytes=$(stat -c %s "$folder/kept" 2>/dev/null || echo 0)
  echo "$group,$name,$explore,${count:-0},$bytes,${pause:-0},$table,$states" >>"$csv"
}
same() { # $1: label
  [ "$certificate" = "$truth" ] || { say "WRONG: $1: $certificate, not $truth" && wrong=1; }
}

# measure ENGINE CONSTANTS OTHER: also resumes on OTHER unless that is empty
measure() {
  engine=$1 constants=$2 other=$3 i=0 plain='' kept='' pauses=''
  while [ $i -lt "$rounds" ]; do
    rm -f "$folder/kept" "$folder/kept.previous"
    # shellcheck disable=SC2086
    run plain count $constants "$model" --engine="$engine"
    truth=$certificate plain="$plain $explore"
    half=$(awk -v all="$(figure total "$work/json")" -v s="$explore" 'BEGIN { printf "%.3f", all - s / 2 }')
    every=$(awk -v s="$explore" -v n="$at" 'BEGIN { printf "%.3f", s / (n + 1) }')
    # shellcheck disable=SC2086
    run kept count $constants "$model" --engine="$engine" --checkpoint="$folder/kept" --checkpoint-every="$every"
    same kept
    kept="$kept $explore"
    [ "${count:-0}" -gt 0 ] && pauses="$pauses $(awk -v p="$pause" -v n="$count" 'BEGIN { print p / n }')"
    rm -f "$folder/kept" "$folder/kept.previous"
    # shellcheck disable=SC2086
    run broken count $constants "$model" --engine="$engine" --checkpoint="$folder/kept" --checkpoint-every=0 --timeout="$half"
    say "$group: ended by $(figure end "$work/json") at $states states: file of $bytes bytes, $(ratio "$bytes" "$table") of the table's $table, $(ratio "$bytes" "$states") a state, pause ${pause:-none} s"
    cp "$folder/kept" "$folder/broken" 2>/dev/null
    run resumed resume "$folder/kept" --engine="$engine" --checkpoint-every=0
    same resumed
    say "$group: resumed in $explore s"
    if [ -n "$other" ]; then
      run moved resume "$folder/broken" --engine="$other" --checkpoint-every=0
      same moved
      say "$group: resumed on the $other in $explore s"
    fi
    rm -f "$folder/broken"
    i=$((i + 1))
  done
  # shellcheck disable=SC2086
  say "$group: $constants: $truth"
  # shellcheck disable=SC2086
  p=$(printf '%s\n' $plain | median) k=$(printf '%s\n' $kept | median) w=$(printf '%s\n' $pauses | median)
  say "$group: $p s without, $k s with some $at checkpoints; a pause of $w s, $(awk -v w="$w" 'BEGIN { printf "%.2f", 100 * w / 600 }') % of ten minutes"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.3f", a / b; else printf "none" }'; }

say "floe $(cd "$top" && git rev-parse --short HEAD 2>/dev/null || echo '(release)'), $(date -u +%F), median of $rounds"
for group in "$@"; do
  case $group in
    cpu) measure cpu "${CPU:--D N=8 -D K=9}" '' ;;
    small) measure gpu "${SMALL:--D N=9 -D K=10}" '' ;;
    gpu) measure gpu "${GPU:--D N=10 -D K=10}" '' ;;
    moved) measure gpu "${SMALL:--D N=9 -D K=10}" cpu ;;
    *) echo "resume.sh: no group $group" && exit 2 ;;
  esac
done
[ $wrong -eq 0 ]
