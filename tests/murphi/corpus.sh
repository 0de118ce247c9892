#!/bin/sh
# Murphi: tests of Rumur and public models against their known verdicts, states and firings. $CORPUS has
# murphi/rumur-tests/expected.tsv and murphi/counts.tsv (columns: the README there). By default every 12th test and the
# models of up to $MURPHI_STATES (1000) states; FLOE_TEST_LONG=1: all tests, and models of up to 1,000,000 states, each at
# most $MURPHI_SECONDS (300). The last line counts those that are exact, refused with a message, wrong and not finished.
set -u
. "${top_srcdir:-.}/tests/rows.sh"
floe=${FLOE:-./floe} folder=${CORPUS:-}/murphi
if [ ! -f "$folder/counts.tsv" ]; then
  echo "skipped: no CORPUS with murphi/counts.tsv"
  exit 77
fi
most=${MURPHI_STATES:-1000} every=12 seconds=60
if [ "${FLOE_TEST_LONG:-0}" = 0 ]; then
  FLOE_CC=${FLOE_CC-cc -O0} # few states: optimization takes more time than it saves
  export FLOE_CC
fi
[ "${FLOE_TEST_LONG:-0}" = 0 ] || most=${MURPHI_STATES:-1000000} every=1 seconds=${MURPHI_SECONDS:-300}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
exact=0 refused=0 wrong=0 unfinished=0 decided=0

# Where floe decides against Rumur, by doc/murphi.md: octal numbers, functions in rulesets, empty loops.
differs=' octal-literal.m octal-literal2.m section-order9.m for-step-neg-1.m '

# Of floe's JSON: STATES FIRINGS|DEADLOCKS|DEPTH OF A DEADLOCK|DEPTHS OF OTHERS
cat >"$work/figures.awk" <<'A'
function number(   text) { text = $0; gsub(/[^0-9]/, "", text); return text }
function add(depth) { if (!(depth in seen)) { seen[depth]; depths = depths depth " " } }
/^  "(states|transitions)": [0-9]*,$/ { found = found (found == "" ? "" : " ") number() }
/^  "deadlocks": [0-9]*,$/ { deadlocks = number() }
/"id":/ { deadlock = /"deadlock"/ }
/"verdict":/ { violated = /violated/ }
/"verdict": "(not reached|unreachable)"/ { add("missed") }
/"depth": [0-9]/ && deadlock { deadlock_at = number() }
/"depth": [0-9]/ && !deadlock && violated { add(number()) }
END { print found "|" deadlocks "|" deadlock_at "|" depths }
A

# explore FILE DEADLOCKS: sets code, found ("STATES FIRINGS"), deadlocks (states), depths (of violations other than
# deadlocks) and deadlock_at (the depth of one)
explore() {
  timeout "$seconds" "$floe" check --continue --no-trace "--deadlock=$2" --json=- -j1 ${ENGINE:+--engine=$ENGINE} "$1" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  awk -f "$work/figures.awk" "$work/out" >"$work/figures"
  IFS='|' read -r found deadlocks deadlock_at depths <"$work/figures"
}

# has_deadlocks COUNT DEPTH: of states that are deadlocks, of the first; either may be empty or "-"
has_deadlocks() {
  case $1 in '' | *[!0-9]*) ;; *) [ "$1" = "$deadlocks" ] || return 1 ;; esac
  case $2 in '' | *[!0-9]*) ;; *) [ "$2" = "$deadlock_at" ] || return 1 ;; esac
}

# judge NAME EXPECTED STATES FIRINGS DEPTH DEADLOCKS DEADLOCK_DEPTH: ok, error or rejected; adds to a counter
judge() {
  case $code in
  124) unfinished=$((unfinished + 1)) && return ;;
  3)
    if [ "$2" = rejected ]; then exact=$((exact + 1)); else refused=$((refused + 1)); fi
    grep -q "error: " "$work/err" || { echo "$1: refused without a message" && wrong=$((wrong + 1)); }
    return
    ;;
  0 | 1) ;;
  *) echo "$1: exit code $code: $(cat "$work/err")" && wrong=$((wrong + 1)) && return ;;
  esac
  case $2 in
  ok) [ -z "$depths" ] && { [ -z "$3" ] || [ "$found" = "$3 $4" ]; } && has_deadlocks "$6" "$7" ;;
  error) [ -n "$depths" ] && { [ -z "$5" ] || case " $depths" in *" $5 "*) true ;; *) false ;; esac } ;;
  *) false ;;
  esac && exact=$((exact + 1)) && return
  case $differs in *" ${1##*/} "*) decided=$((decided + 1)) && return ;; esac
  echo "$1: found $found, errors at depth ${depths:-none}, $deadlocks deadlocks, the first at ${deadlock_at:-none};" \
    "expected $2 $3 $4 $5, $6 deadlocks, the first at $7"
  wrong=$((wrong + 1))
}

tests=$folder/rumur-tests
rows "$tests/expected.tsv" in_suite file expected states_off_nodl fired_off_nodl error_depth class deadlock_mode \
  stuck_states stuttering_states >"$work/tests"
n=0
while IFS='|' read -r in_suite file expected states firings depth class mode stuck stuttering; do
  n=$((n + 1))
  case $in_suite in yes*) ;; *) continue ;; esac
  [ $((n % every)) -eq 0 ] || continue
  explore "$tests/$file" "${mode:-stuttering}"
  [ "$mode" != stuck ] || stuttering=$stuck
  [ "$mode" != off ] || stuttering=
  if [ "$class" = deadlock ]; then
    judge "$tests/$file" ok "$states" "$firings" '' "$stuttering" "$depth"
    continue
  fi
  judge "$tests/$file" "$expected" "$states" "$firings" '' "$stuttering" ''

done <"$work/tests"
echo "tests of Rumur: $exact exact, $refused refused, $decided decided otherwise, $wrong wrong, $unfinished not finished"

tests_wrong=$wrong exact=0 refused=0 wrong=0 unfinished=0 larger=0
rows "$folder/counts.tsv" family file verdict_no_deadlock states firings error_depth stuttering_states deadlock_depth \
  >"$work/models"
while IFS='|' read -r family file verdict states firings depth deadlocking deadlock_depth; do
  path=$folder/models/$family/$file
  [ -f "$path" ] || continue
  case $states in '' | *[!0-9]*) larger=$((larger + 1)) && continue ;; esac
  if [ "$states" -gt "$most" ]; then
    larger=$((larger + 1))
    continue
  fi
  explore "$path" stuttering
  case $verdict in ok) expected=ok ;; error*) expected=error ;; *) continue ;; esac
  judge "$path" "$expected" "$states" "$firings" "$depth" "$deadlocking" "$deadlock_depth"
done <"$work/models"
echo "models: $exact exact, $refused refused, $wrong wrong, $unfinished not finished; $larger larger ones not explored"
[ $((wrong + tests_wrong)) -eq 0 ] && [ "$exact" -gt 0 ]
