#!/bin/sh
# Key widths, as fields and as index keys, of BEEM's models (DVE) translated by dve_to_floe, and whether floe's counts
# are the benchmark's. A line for each instance of $CORPUS/dve/counts.tsv, fewest states first; 77 if that file is
# missing.
#     bench/encoding/beem.sh [INSTANCE]...     all by default
#     CORPUS        the folder with dve/   FLOE: the command (./floe)   TABLE: output file for the table, in markdown
#     RANGES_LIMIT  most states for which dve_ranges computes the ranges of variables (4,000,000); beyond: only the types' bits
#     LIMIT         most states that floe explores (3,300,000)   TIMEOUT: seconds for each search (60)   THREADS: its threads (1)
#     ENGINE        of the searches (cpu)
#     KEEP          a folder for ranges and models; existing ranges are reused
# `types` are bits with the variables' types as ranges, as fields and as index keys; `ranges` those with the ranges
# really taken. Bits in brackets: no such keys, because they would have more than 63 bits; the number is that of the
# product of all ranges, of which floe's proofs about the model might remove some. A search is right if states,
# transitions, levels and deadlocks are the benchmark's, `time` if it took too long, `wide` without such keys, `-` if it
# was not tried. Exit code 1: a search is wrong, or dve_ranges counts other states than the benchmark.
set -u
LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$top/floe}
corpus=${CORPUS:-}/dve
[ -f "$corpus/counts.tsv" ] || { echo "beem.sh: no BEEM models: CORPUS names no folder with dve/counts.tsv" && exit 77; }
python3 -c '' 2>/dev/null || { echo 'beem.sh: no python3' && exit 77; }
${CC:-gcc} --version >/dev/null 2>&1 || { echo "beem.sh: no compiler ${CC:-gcc} for dve_ranges (set CC)" && exit 77; }
[ -x "$floe" ] || { echo "beem.sh: no floe at $floe (set FLOE)" && exit 99; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
keep=${KEEP:-$work/keep}
mkdir -p "$keep" || exit 99
export PYTHONDONTWRITEBYTECODE=1
limit=${LIMIT:-3300000}
encodings=fields
if "$floe" count --help | grep -q -- --encoding=; then encodings='fields rank'; fi

# A number of plan's JSON  $1: its name
number() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" "$work/plan" | head -n 1; }

# Bits as fields and as index key  $1: the model
bits() {
  "$floe" plan --json="$work/plan" "$1" >/dev/null 2>"$work/err" || { cat "$work/err" >&2 && return 1; }
  fields=$(number key_bits)
  # "rank" is null without such keys
  rank=$(sed -n '/^ *"rank": {/,/}/p' "$work/plan" | sed -n 's/^ *"bits": \([0-9]*\).*/\1/p')
  [ -n "$rank" ] || rank=$(sed -n 's/^ *"state_bound": \([0-9][0-9.e+]*\).*/\1/p' "$work/plan" |
    awk '{ bits = log($1) / log(2); printf("(%d)", (bits > int(bits) + 1e-9) + int(bits)) }')
  echo "$fields ${rank:--}"
}

# The ranges of an instance's variables, in $keep/NAME.ranges; reuses those of an earlier run  $1: the instance
ranges() {
  [ -s "$keep/$1.ranges" ] && return 0
  [ "$states" -le "${RANGES_LIMIT:-4000000}" ] || return 1
  "$top/bench/encoding/dve_ranges" --max-states="$states" "$corpus/$1.dve" >"$work/ranges" 2>"$work/err" ||
    { echo "beem.sh: dve_ranges $1: exit code $?: $(cat "$work/err")" >&2 && return 1; }
  mv "$work/ranges" "$keep/$1.ranges"
}

# Prints right, WRONG, time, wide or -  $1: the model  $2: the encoding  $3: its bits
search() {
  case " $encodings " in *" $2 "*) ;; *) echo - && return ;; esac
  if [ "$states" -gt "$limit" ]; then echo - && return; fi
  case $3 in '('* | -) echo wide && return ;; esac
  if [ "$3" -gt 64 ]; then echo wide && return; fi
  # A floe without the option has fields only
  option=
  [ "$encodings" = fields ] || option=--encoding=$2
  # shellcheck disable=SC2086 # no option, no argument
  "$floe" count --engine="${ENGINE:-cpu}" -j"${THREADS:-1}" --timeout="${TIMEOUT:-60}" --certificate $option "$1" \
    >"$work/out" 2>"$work/err" </dev/null
  code=$?
  if grep -q "floe1 states=$states transitions=$transitions levels=$levels deadlocks=$deadlocks " "$work/out"; then
    echo right
  elif [ $code -eq 2 ]; then
    echo time
  else
    echo WRONG
    echo "beem.sh: $instance, $1, by $2: exit code $code: $(grep floe1 "$work/out"; cat "$work/err")" >&2
  fi
}

one() { # $1: the instance
  "$top/bench/encoding/dve_to_floe" "$corpus/$1.dve" >"$work/types.xml" || return 1
  types=$(bits "$work/types.xml") || return 1
  plain=$(search "$work/types.xml" rank "${types#* }")
  known='- -' by_fields=- by_rank=-
  if ranges "$1"; then
    [ "$(head -n 1 "$keep/$1.ranges")" = "states $states transitions $transitions levels $levels deadlocks $deadlocks" ] ||
      echo "beem.sh: $1: dve_ranges counts $(head -n 1 "$keep/$1.ranges")" | tee -a "$work/disagree" >&2
    "$top/bench/encoding/dve_to_floe" "$corpus/$1.dve" "$keep/$1.ranges" >"$keep/$1.xml" || return 1
    known=$(bits "$keep/$1.xml") || return 1
    by_fields=$(search "$keep/$1.xml" fields "${known% *}")
    by_rank=$(search "$keep/$1.xml" rank "${known#* }")
  fi
  # shellcheck disable=SC2086 # two words each
  printf '%-18s %9s %7s %5s %7s %5s %7s %7s %7s\n' "$1" "$states" $types $known "$plain" "$by_fields" "$by_rank"
}

selected() { # instance, states, transitions, levels, deadlocks
  tail -n +2 "$corpus/counts.tsv" | cut -f 1-5 | sort -k 2,2n | if [ $# -eq 0 ]; then cat; else
    awk -v names=" $* " 'index(names, " " $1 " ")'
  fi
}

heading=$(printf '%-18s %9s %13s %13s  %s' instance states types ranges 'explored: types, ranges, ranges' &&
  printf '\n%-18s %9s %7s %5s %7s %5s %7s %7s %7s' '' '' fields rank fields rank rank fields rank)
printf '%s, %s cores; floe %s\n%s\n' "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(nproc)" \
  "$(cd "$top" && git rev-parse --short HEAD 2>/dev/null || echo '(release)')" "$heading"
selected "$@" >"$work/cases"
: >"$work/rows"
failed=0
while read -r instance states transitions levels deadlocks; do
  if one "$instance" >"$work/row"; then tee -a "$work/rows" <"$work/row"; else failed=1 && echo "$instance: not translated"; fi
done <"$work/cases"

awk '$5 != "-" { n++ }
  $5 != "-" && $5 <= 64 { fields++ }
  $6 ~ /^[0-9]/ { rank++ }
  $6 ~ /^[0-9]/ && $5 > 64 { more++ }
  $6 ~ /^[0-9]/ && $5 <= 64 { both++; saved += $5 - $6; if ($5 - $6 > most) most = $5 - $6; if ($5 == $6) same++ }
  $4 ~ /^[0-9]/ { proved++ } $4 ~ /^[0-9]/ && $3 > 64 { gained++ }
  { searches[$7 " index keys, types"]++; searches[$8 " fields, ranges"]++; searches[$9 " index keys, ranges"]++ }
  END {
    printf "%d instances, %d with known ranges: at most 64 bits with fields %d, with index keys %d (of these wider with fields: %d)\n",
      NR, n, fields, rank, more
    if (both) printf "where both: %.1f bits less with index keys on average, at most %d, as many in %d of %d\n", saved / both, most, same, both
    printf "with the types as ranges: index keys %d (of these wider than 64 bits with fields: %d)\n", proved, gained
    for (s in searches) if (s !~ /^-/) printf "searches %s: %d\n", s, searches[s]
  }' "$work/rows" | sort
if [ -n "${TABLE:-}" ]; then
  {
    echo '| instance | states | types: fields | index keys | ranges: fields | index keys | explored, types: index keys | ranges: fields | index keys |'
    echo '|---|---|---|---|---|---|---|---|---|'
    sed 's/  */ | /g; s/^/| /; s/$/ |/' "$work/rows"
  } >"$TABLE" || exit 99
fi
! grep -q WRONG "$work/rows" && [ ! -s "$work/disagree" ] && [ $failed -eq 0 ]
