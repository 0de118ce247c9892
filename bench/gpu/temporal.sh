#!/bin/sh
# Temporal properties decided on one GPU: the time of the product's exploration beside that of its passes, in one run.
#     bench/gpu/temporal.sh FOLDER [GROUP]...   groups: weak general fair large; all by default
#     FLOE: the command (./floe)   ROUNDS: 3   OPTIONS: further options of every run   SECONDS_ALL: 240, no run starts later
# FOLDER gets summary.txt (the output), and the messages of each run.
#     product   states of the product; Z: those that the passes begin with; expanded: by all passes
#     explore   seconds of the product's exploration; passes: of the passes and the cycle, without compilation
#     ratio     (explore + passes) / explore
#     build     seconds to compile the kernels of product and passes, or to read them from the cache
set -u
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || { sed -n '2,9p' "$0" && exit 2; }
script=temporal.sh all='weak general fair large' seconds=240
# shellcheck source=bench/on_gpu.sh
. "$(dirname "$0")/../on_gpu.sh"
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"
options=${OPTIONS:-}

note() { sed -n "s/.*GPU: passes=.* $1=\([0-9.]*\).*/\1/p" "$work/err" | tail -n 1; }

run() { # $1: name  $2: model  $3: constants  $4: formula
  left || return 1
  sed "s|</model>|<property id='measured' kind='ltl'>$4</property></model>|" "$models/$2.xml" >"$work/$2.xml"
  # shellcheck disable=SC2086 # lists of words
  FLOE_GPU_TEST=tell=1 timeout --preserve-status -s INT -k 10 $((left < 90 ? left : 90)) "$floe" check --engine=gpu --quiet --no-trace --continue \
    --property=measured --json="$work/json" $options $3 "$work/$2.xml" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  cp "$work/err" "$folder/$1.err"
  [ $code -lt 3 ] || { say "$1: exit code $code: $(head -n 3 "$work/err")" && return 1; }
  verdict=$(sed -n 's/^ *"verdict": "\(.*\)",*$/\1/p' "$work/json" | head -n 1)
  [ -n "$(note explore)" ] || { say "$1: $verdict, not decided on the GPU: $(grep -v 'GPU: ' "$work/err" | head -n 3)" && return 1; }
  echo "$(note explore),$(note seconds),$(note build),$(note states),$(note candidates),$(note expanded),$verdict" >>"$work/lines"
}

column() { cut -d, -f"$1" "$work/lines" | median; }

measure() { # $1: name  $2: model  $3: constants  $4: formula
  : >"$work/lines"
  for _ in $(seq "$rounds"); do
    run "$@" || break
  done
  [ -s "$work/lines" ] || return
  say "$(awk -v name="$1" -v constants="$3" -v explore="$(column 1)" -v passes="$(column 2)" -v build="$(head -n 1 "$work/lines" | cut -d, -f3)" \
    -v states="$(column 4)" -v z="$(column 5)" -v expanded="$(column 6)" -v verdict="$(head -n 1 "$work/lines" | cut -d, -f7)" \
    'BEGIN { printf "%-18s %-24s %-9s %12.0f %12.0f %13.0f %8.4f %8.4f %6.2f %7.3f %6.2f", name, constants, verdict, states, z, expanded, explore, passes, explore ? (explore + passes) / explore : 0, states / (explore + passes) / 1e9, build }')"
}

header() {
  say "$(printf '%-18s %-24s %-9s %12s %12s %13s %8s %8s %6s %7s %6s' property constants verdict product Z expanded explore passes ratio G/s build)"
}

group_weak() { # the automaton of the negation is weak: one trim
  header
  measure peterson-weak peterson -DN=7 'always eventually exists(i in P : P[i].critical)'
  measure lamport-weak lamport -DN=5 'always eventually exists(i in P : P[i].critical)'
  measure havi-weak havi '-DN=2 -DRESETS=15' 'always (CMM[0].noticed implies eventually CMM[0].idle)'
  measure counters-weak counters '-DN=8 -DK=10' 'always eventually exists(i in Counter : Counter[i].n == 0)'
}

group_general() { # it is not
  header
  measure peterson-general peterson -DN=7 '(always eventually P[0].critical) implies always eventually P[0].idle'
  measure lamport-general lamport -DN=5 '(always eventually P[0].critical) implies always eventually P[0].idle'
  measure havi-general havi '-DN=2 -DRESETS=15' '(always eventually DCM[0].waiting) implies always eventually DCM[0].settled'
  measure counters-general counters '-DN=8 -DK=10' '(always eventually Counter[0].n == 1) implies always eventually Counter[0].n == 2'
}

group_fair() { # weak fairness of all processes
  header
  options="$options --fair=weak"
  measure counters-fair counters '-DN=8 -DK=8' 'always eventually Counter[0].n == 0'
  measure peterson-fair peterson -DN=7 'P[0].level == 1 leadsto P[0].level != 1'
  options=${OPTIONS:-}
}

group_large() { # 10^8 to 10^9 states of the product
  header
  rounds=1
  measure counters-large counters '-DN=8 -DK=12' 'always eventually exists(i in Counter : Counter[i].n == 0)'
  measure peterson-large peterson -DN=8 'P[0].critical leadsto P[0].idle'
}

run_groups '' "$@"
