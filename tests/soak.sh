#!/bin/sh
# soak.sh [SECONDS [FIRST]]: compares random models on all engines, table layouts and forms of the scan, for SECONDS
# (60) from seed FIRST (0) on; not a part of `make check`. floe is $FLOE, the generator (built by `make check`) $RANDOM_MODEL.
# States, transitions, levels, certificate, verdicts, depths and traces must be the same. Prints counts every minute
# and at the end; writes each model that differs, with both results, to the current folder. Exit code 1 if any differs.
# The first fifth of the time compares small models of two generators with the reference explorer (tests/reference), if
# there is python3. A fifth compares random Promela programs with Spin, if it is installed: at most 2,000 (SOAK_PROMELA).
# A tenth is for random nets whose units and numbers of tokens are guessed, if tests/pnml/test_guesses was built.
# Before, explanations of 10,000 models (SOAK_EXPLAINED) are compared with their judge, for two minutes.
set -u
seconds=${1:-60}
seed=${2:-0}
here=$(cd "$(dirname "$0")/.." && pwd)
floe=${FLOE:-$here/floe}
generator=${RANDOM_MODEL:-$here/tests/step/random_model}
for program in "$floe" "$generator"; do
  [ -x "$program" ] || { echo "soak.sh: no program $program" >&2; exit 99; }
done
results=$PWD
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' INT TERM HUP
cd "$work" || exit 99

# All slot widths, buckets and permutations of this floe, from its help.
choices() { "$floe" check --help | sed -n "s/.*--$1=\([0-9a-z|]*\).*/\1/p" | tr '|' ' '; }
slot_bits=$(choices slot-bits)
bucket_slots=$(choices bucket-slots)
forms=$(FLOE_TEST_SIMD=? "$floe" check "$here/models/peterson.xml" 2>&1 | sed -n 's/^ *there is \(.*portable\)$/\1/p' | tr -d ',')
tables='iceberg linear'
permutations=$("$floe" check --permutation=? "$here/models/peterson.xml" 2>&1 | sed -n '/there is no/d; s/.*there is //p' | tr -d ',')
[ -n "$slot_bits" ] && [ -n "$bucket_slots" ] && [ -n "$permutations" ] && [ -n "$forms" ] || { echo 'soak.sh: unknown layouts' >&2; exit 99; }

# The n-th word of a list, cyclically
pick() { # pick N WORD...
  n=$1
  shift
  shift $((n % $#))
  echo "$1"
}

# Removes what may differ: engine, table, times. Uses the forms of the scan cyclically
results_of() { # results_of FILE ARGUMENT...
  to=$1
  shift
  # shellcheck disable=SC2086
  form=$(pick $runs $forms)
  FLOE_TEST_SIMD=$form "$floe" check --continue --json --max-states=200000 --cache-dir=cache $keys "$@" model.xml >json 2>err </dev/null
  code=$?
  runs=$((runs + 1))
  {
    echo "exit code $code"
    sed -e '/^  "\(seconds\|phases\)": {/,/^  }/d' -e '/^  "\(engine\|engine_detail\|threads\|simd\|table\|table_detail\|slot_bits\|bucket_slots\|peak_bytes\|table_bytes\|tree_bytes\|tree_contents\|frontier_bytes\|disk_bytes\|table_fill\|table_growths\)":/d' json
  } >"$to"
}

keep() { # keep ARGUMENT...: what differs from the reference
  differing=$((differing + 1))
  mkdir -p "$results/soak-$seed"
  cp model.xml reference json err "$results/soak-$seed/"
  cp result "$results/soak-$seed/result.$differing"
  echo "seed $seed ($size): $* ($form) differs from the interpreter: $results/soak-$seed/result.$differing"
}

# Rejected slot widths (keys too wide for the table) and bitmaps (too many keys) are no differences.
compare() {
  results_of result "$@"
  if [ "$code" -ge 2 ] && grep -qE 'error: not enough memory to start|error: .*slot|error: a bitmap (of|has)' err; then
    refused_layouts=$((refused_layouts + 1))
    return
  fi
  cmp -s reference result || keep "$@"
}

# Keys differ, states do not: removes figures of keys
compare_encodings() {
  sed -i '/^  "\(key_[a-z]*\|encoding\|root_bits\)":/d' reference
  keys=
  results_of result --engine=cpu -j2
  sed -i '/^  "\(key_[a-z]*\|encoding\|root_bits\)":/d' result
  cmp -s reference result || keep --encoding=auto
  keys=--encoding=fields
  results_of reference --engine=interpreter -j1
}

number() { sed -n "s/^  \"$1\": \([0-9]*\),*/\1/p" reference; }

tell() {
  echo "$(($(date +%s) - begun)) s: $models models ($wide refused as too wide or without meaning, $slow others left out as too slow, $violated with a violation, $bounded ended at --max-states), $runs runs, $refused_layouts layouts that did not fit, $states states, $transitions firings, $differing differences; last seed $seed"
}

soak_one() {
  size=$(pick "$seed" small lively lively broad lively)
  keys=
  [ $size != broad ] || keys=--encoding=fields # states of several words, though auto may find ranks of one
  "$generator" "$seed" "$size" >model.xml || exit 99
  rm -rf cache
  results_of reference --engine=interpreter -j1 --timeout=1
  if grep -q '"end": "timeout"' json; then # millions of transitions: others say more in the same time
    slow=$((slow + 1))
    return
  fi
  models=$((models + 1))
  case $code in
    0) ;;
    1) violated=$((violated + 1)) ;;
    2) bounded=$((bounded + 1)) ;;
    3)
      wide=$((wide + 1))
      compare --engine=cpu -j1
      return ;;
    *)
      : >result # there is nothing to compare with
      keep --engine=interpreter -j1 "(exit code $code)"
      return ;;
  esac
  states=$((states + $(number states)))
  transitions=$((transitions + $(number transitions)))
  compare --engine=interpreter -j2
  compare --engine=cpu -j1
  compare --engine=cpu -j2
  compare --engine=auto --initial-slots=1
  compare --engine=cpu -j2 --table=bitmap
  [ $size != broad ] || compare_encodings
  for table in $tables; do
    for each in $forms; do # each run takes the next form
      compare --engine=cpu -j2 --table="$table" --initial-slots="$(pick "$seed" 1 1000 100000)"
    done
  done
  turn=$seed
  for bits in $slot_bits; do
    for slots in $bucket_slots; do
      compare --engine="$(pick $turn cpu cpu interpreter)" -j$((1 + turn % 2)) --slot-bits="$bits" --bucket-slots="$slots" \
        --permutation="$(pick $turn $permutations)" --initial-slots="$(pick $turn 1 1000 100000)"
      turn=$((turn + 1))
    done
  done
}

# The interpreter and compiled code against an independent explorer
soak_reference() { # soak_reference SECONDS
  command -v python3 >/dev/null 2>&1 || { echo 'no python3: not compared with the reference explorer'; return 0; }
  echo "$1 s with the reference explorer:"
  mkdir reference-models
  for n in $(seq "$seed" $((seed + 4 * $1))); do
    "$generator" "$n" "$(pick "$n" small lively)" >"reference-models/soak-$n.xml" || exit 99
  done
  PYTHONDONTWRITEBYTECODE=1 python3 "$here/tests/reference/check.py" --floe "$floe" --keep "$results" --max-states 1000 \
    --first "$seed" --wide "$1" --temporal "$1" --seconds $(($1 / 2)) --compile-every 4 --given-seconds $(($1 - $1 / 2)) reference-models/*.xml
}

# Explanations against a judge written from the documents
soak_explanations() {
  command -v python3 >/dev/null 2>&1 || return 0
  PYTHONDONTWRITEBYTECODE=1 python3 "$here/tests/reference/explain.py" --floe "$floe" --keep "$results" --first "$seed" \
    --models "${SOAK_EXPLAINED:-10000}"
}

soak_promela() { # soak_promela SECONDS
  { command -v spin && command -v cc && command -v python3; } >/dev/null 2>&1 || { echo 'no spin: Promela is not compared with it'; return 0; }
  echo "$1 s with Spin:"
  PYTHONDONTWRITEBYTECODE=1 python3 "$here/tests/promela/random/compare.py" "$floe" "$seed" "${SOAK_PROMELA:-2000}" "$results" "$1" 2>/dev/null
}

# Nets against the explorer of a test, which fails at the first one that differs
soak_nets() { # soak_nets SECONDS
  program=${NETS_TEST:-$here/tests/pnml/test_guesses}
  [ -x "$program" ] || { echo "no program $program: no nets are compared"; return 0; }
  end=$(($(date +%s) + $1)) first=$((seed * 1000)) from=$((seed * 1000))
  while [ "$(date +%s)" -lt "$end" ]; do
    FLOE_TEST_SEED=$from "$program" >nets 2>&1 || { cp nets "$results/soak-nets-$from"; cat nets; return 1; }
    from=$((from + 100))
  done
  echo "$1 s with random nets: seeds $first to $from"
}

wrong=0
soak_explanations || wrong=1
soak_reference $((seconds / 5)) || wrong=1
soak_promela $((seconds / 5)) || wrong=1
soak_nets $((seconds / 10)) || wrong=1
seconds=$((seconds - 2 * (seconds / 5) - seconds / 10))

models=0 wide=0 slow=0 violated=0 bounded=0 runs=0 refused_layouts=0 states=0 transitions=0 differing=0
begun=$(date +%s)
told=$begun
echo "$("$floe" --version | head -n 1): $seconds s from seed $seed; slots of $slot_bits bits, buckets of $bucket_slots slots, permutations $permutations, scans $forms"
while now=$(date +%s) && [ $((now - begun)) -lt "$seconds" ]; do
  soak_one
  [ $((now - told)) -lt 60 ] || { tell; told=$now; }
  seed=$((seed + 1))
done
tell
[ $differing -eq 0 ] && [ $wrong -eq 0 ]
