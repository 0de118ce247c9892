#!/bin/sh
# Output of bench/distributed/imbalance for searches with known results, and compared with random assignment.
set -u
tool=${top_builddir:-$PWD}/bench/distributed/imbalance
models=${top_srcdir:-.}/models
failures=0
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT

# satisfies CONDITION ARGUMENT...: awk's condition is true of each row, and there are rows
satisfies() {
  condition=$1
  shift
  if ! "$tool" "$@" >"$out" || ! awk -F '\t' "
      function near(a, b) { return a - b < 1e-4 && b - a < 1e-4 }
      { size = \$1; states = \$2; transitions = \$3; levels = \$4; keep = \$5; chance = \$6; out = \$7; into = \$8; cost = \$9
        barrier = \$10; leave = \$11; filtered = \$12; lookups = \$13 }
      !($condition) { exit 1 } END { if (!NR) exit 1 }" "$out"; then
    echo "FAIL: $*: not $condition: $(cat "$out")"
    failures=$((failures + 1))
  fi
}

# With one member no state leaves and nothing is lost; every state except the initial one passes the filter at least
# once
satisfies 'states == 64 && transitions == 192 && levels == 10 && keep == 1 && chance == 1 && out == 1 && into == 1 &&
  cost == 1 && leave == 0 && filtered == 0 && lookups >= 63 / 64 && lookups < 3' \
  "$models/counters.xml" N=3 K=4 --sizes=1
satisfies 'states == 10000 && transitions == 40000 && levels == 37' "$models/counters.xml" N=4 K=10 --sizes=1,3,64
satisfies 'states == 4752 && transitions == 13080 && levels == 25' "$models/peterson.xml" N=4 --sizes=1,5

# A ring of 100 states, each level one state with one successor: only the owner of the state works, and the owner of its
# successor, which is the same unless the successor leaves. The mean cost is 2 / size, the greatest 2 - leave.
satisfies 'states == 100 && levels == 100 && near(keep, 1 / size) && near(out, 1 / size) && filtered == leave &&
  near(cost, 2 / size / (2 - leave)) && near(barrier, 2 / size / (2 - leave + 10)) && lookups == 1' \
  "$models/counters.xml" N=1 K=100 --sizes=2,4,8 --barrier=10

# With all bits owners are as good as random: the part that leaves is 1 - 1 / size, and the greatest of each level is
# that of independent numbers with Poisson's distribution, 0.47 of the ideal at 64 of 10,000 states in 37 levels
satisfies 'leave > 1 - 1 / size - 0.02 && leave < 1 - 1 / size + 0.02 && filtered < leave && keep > chance - 0.03 &&
  keep < chance + 0.03 && cost > keep' "$models/counters.xml" N=4 K=10 --sizes=8,16,64 --all-bits
satisfies 'keep > chance - 0.01 && keep < chance + 0.01 && keep > 0.82 && keep < 0.85' "$models/counters.xml" N=6 K=8 --sizes=64 --all-bits

# With chosen bits fewer states leave, and parts are nearly as even
satisfies 'leave < 0.4 && keep > 0.9 && filtered < leave' "$models/counters.xml" N=6 K=8 --sizes=2
satisfies 'leave < 0.65 && keep > 0.88 && filtered < leave' "$models/peterson.xml" N=5 --sizes=4

# Large levels, to first order: the greatest of 64 numbers is above their mean by 2.37 times the root of it (64 normal
# numbers), and not more with a digit, which distributes adjacent keys to all members. Levels of N=20 K=2 are the
# binomial numbers of 20.
"$tool" "$models/counters.xml" N=20 K=2 --sizes=64 --levels --all-bits >"$out"
awk -F '\t' '
  BEGIN { states = 1 }
  { if ($3 != states) exit 1; states = states * (20 - $2) / ($2 + 1) }
  $3 > 64 * 400 { n++; all += ($4 - 1) * sqrt($3 / 64) }
  END { exit !(NR == 21 && n >= 9 && all / n > 1 && all / n < 2.9) }' "$out" || {
  echo "FAIL: levels: $(cat "$out")"
  failures=$((failures + 1))
}

# Errors
for arguments in '' "$models/nothing.xml" "$models/counters.xml --sizes=0" "$models/counters.xml --sizes=x"; do
  # shellcheck disable=SC2086 # arguments are words
  ! "$tool" $arguments >/dev/null 2>"$out" || {
    echo "FAIL: '$arguments' is taken"
    failures=$((failures + 1))
  }
  [ -s "$out" ] || {
    echo "FAIL: '$arguments': nothing is said"
    failures=$((failures + 1))
  }
done
[ "$failures" -eq 0 ] && echo "all as satisfies" && exit 0
exit 1
