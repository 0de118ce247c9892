#!/bin/sh
# DVE: mutual exclusion in benchmark instances, with the known answer and length of the benchmark. $CORPUS is a folder with
# dve/NAME.dve and dve/counts.tsv, whose last column has prop1=yes/LENGTH or prop1=no/0. The question is a further process,
# whose assertion is: at most one process is in CS. Instances of up to $DVE_STATES (2000) states, FLOE_TEST_LONG=1: 200000.
set -u
floe=${FLOE:-./floe} folder=${CORPUS:-}/dve
if [ ! -f "$folder/counts.tsv" ]; then
  echo "skipped: no CORPUS with dve/counts.tsv"
  exit 77
fi
most=${DVE_STATES:-2000}
[ "${FLOE_TEST_LONG:-0}" = 0 ] || most=${DVE_STATES:-200000}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
right=0 wrong=0

# P_0.CS + P_1.CS ... of the processes of a file that have such a state
sum_of() {
  awk '/^process / { name = $2; sub(/[^A-Za-z0-9_].*/, "", name) }
       /^state / && /[ ,]CS *[,;]/ { printf "%s%s.CS", n++ ? " + " : "", name }' "$1"
}

grep -E '^(anderson|at|bakery|lamport|mcs|peterson|szymanski)\.' "$folder/counts.tsv" >"$work/counts"
while IFS='	' read -r name states _ _ _ _ _ answers; do
  [ "$states" -le "$most" ] || continue
  sum=$(sum_of "$folder/$name.dve")
  sed "s/^ *system async;/process question { state q; init q; assert q: $sum <= 1; }\\
system async;/" "$folder/$name.dve" >"$work/$name.dve"
  timeout 100 "$floe" check --continue --no-trace "$work/$name.dve" >"$work/out" 2>"$work/err"
  # the length of a path counts its states
  found=$(awk '/^assert:question.q: violated at depth / { print "yes/" $NF + 1 } /^assert:question.q: holds/ { print "no/0" }' "$work/out")
  case ";$answers;" in
  *";prop1=$found;"*) right=$((right + 1)) ;;
  *)
    wrong=$((wrong + 1))
    echo "FAIL $name: '$found', not $answers"
    cat "$work/err"
    ;;
  esac
done <"$work/counts"
echo "$right right, $wrong wrong"
[ "$wrong" = 0 ] && [ "$right" -gt 0 ]
