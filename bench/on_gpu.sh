# Common part of gpu.sh, tables_gpu.sh and others, which source it with their own arguments: FOLDER [GROUP]... Set
# before: script (its name), all (default groups), seconds (default of SECONDS_ALL). Ends the script with 77 without a
# GPU.
folder=$1
shift
# shellcheck disable=SC2086,SC2154 # a list of words; set by the sourcing script
[ $# -gt 0 ] || set -- $all
floe=${FLOE:-$PWD/floe}
rounds=${ROUNDS:-3}
# shellcheck disable=SC2154
deadline=$(($(date +%s) + ${SECONDS_ALL:-$seconds}))
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck disable=SC2154
[ -x "$floe" ] || { echo "$script: no floe at $floe (set FLOE)" && exit 99; }
mkdir -p "$folder" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
models=$work/state_models
"${top_srcdir:-$top}/tests/state_models.sh" "$models" || exit 99
FLOE_CACHE_DIR=${FLOE_CACHE_DIR:-$work/cache}
export FLOE_CACHE_DIR
if ! "$floe" devices --json 2>/dev/null | grep -q '"no_gpu": null'; then
  echo "SKIP: $("$floe" devices | grep -i gpu)"
  exit 77
fi
summary=$folder/summary.txt
: >"$summary"
say() { echo "$*" | tee -a "$summary"; }

left() { # seconds until the deadline; false: too few to start a run
  left=$((deadline - $(date +%s)))
  [ $left -ge 5 ] && return
  [ "${left_out:-}" = "$group" ] || say "no time left for the rest of $group"
  left_out=$group
  return 1
}

run_groups() { # $1: note on the figures  rest: the groups
  say "$("$floe" devices | grep -v '^cpu' | head -n 2 | paste -s -d ' ')"
  say "floe $(cd "$top" && git rev-parse --short HEAD 2>/dev/null || echo '(release)'), $(date -u +%F), median of $rounds$1"
  shift
  for group in "$@"; do
    say "---- $group, $((deadline - $(date +%s))) s left"
    "group_$group"
  done
}
