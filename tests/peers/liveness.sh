#!/bin/sh
# Compares verdicts on temporal properties of models with those of their Promela versions, which have each as an `ltl` formula of the
# same name: without fairness with `pan -a`, with weak fairness of all instances with `pan -a -f`, both without reductions.
# (pan -f misses violations that end where all processes have ended; no twin ends.) `make check` compares the cases up to
# the first `also`, FLOE_TEST_LONG=1 or FLOE_TEST_ALL=1 all of them.
set -u
floe=${FLOE:-./floe}
top=${top_srcdir:-.}
cc=${CC:-cc}
passed=0
failed=0

[ -z "${FLOE_TEST_QUICK:-}" ] || { echo "skipped: FLOE_TEST_QUICK is set, and what takes long here is not floe"; exit 77; }
command -v spin >/dev/null 2>&1 || { echo "skipped: spin is not installed"; exit 77; }
command -v "${cc%% *}" >/dev/null 2>&1 || { echo "skipped: no C compiler ($cc) for Spin's verifiers"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

build() { # $1: twin, rest: -DNAME=VALUE ...
  cp "$top/tests/peers/$1.pml" "$work/twin.pml"
  shift
  rm -f "$work/pan"
  (cd "$work" && spin -a -o1 -o2 -o3 -DLTL "$@" twin.pml >spin.log 2>&1 &&
    $cc -w -DNOREDUCE -DNFAIR=3 -DVECTORSZ=8192 -o pan pan.c >cc.log 2>&1) || cat "$work/spin.log" "$work/cc.log"
}

spin_verdict() { # $1: none or weak, $2: property
  fair=
  [ "$1" = none ] || fair=-f
  (cd "$work" && ./pan -a $fair -n -w20 -m1000000 -N "$2" >pan.log 2>&1)
  awk '/State-vector.*errors: 0/ { verdict = "holds" }
    /State-vector.*errors: [1-9]/ { verdict = "violated" }
    /max search depth too small|out of memory/ { verdict = "unknown" }
    END { print verdict }' "$work/pan.log"
}

floe_verdict() { # $1: none or weak, $2: property, $3: model, rest: -DNAME=VALUE ...
  fair=$1 property=$2 model=$3
  shift 3
  "$floe" check --quiet --no-trace --continue --engine=interpreter --fair="$fair" -p "$property" "$@" "$top/models/$model.xml" \
    2>"$work/floe.log" | sed -n "s/^$property: \([a-z]*\).*/\1/p"
}

# compare FAIRNESS PROPERTY...: of the twin built last
compare() {
  fairness=$1
  shift
  for id; do
    theirs=$(spin_verdict "$fairness" "$id")
    # shellcheck disable=SC2086 # words
    ours=$(floe_verdict "$fairness" "$id" $case)
    if [ -n "$theirs" ] && [ "$theirs" = "$ours" ]; then
      passed=$((passed + 1))
      echo "$case, $fairness: $id $ours"
    else
      failed=$((failed + 1))
      echo "$case, $fairness: $id: floe ${ours:-nothing}, Spin ${theirs:-nothing}"
      cat "$work/floe.log" "$work/pan.log"
    fi
  done
}

twin() { # $1: model and twin, rest: -DNAME=VALUE ...
  case=$*
  build "$@"
}

also() { # the rest at length only
  [ -n "${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}" ] && return
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}

twin peterson -DN=3 -DLEVELS=2
compare none progress served
compare weak progress served
twin anderson -DN=3 -DSLOTS=3 -DATOMIC=1 -DKEEP=0
compare none in_order progress served
compare weak served
twin philosophers -DN=4 -DLEFT=1
compare none progress served
compare weak served
twin havi -DN=2 -DRESETS=1 -DCAP=1 -DCURED=0 -DFULL=1 -DONLINE=1
compare none settles
twin rwlock -DREADERS=2 -DWRITERS=1 -DBROKEN=0
compare none progress reads
compare weak reads
also
twin peterson -DN=3 -DLEVELS=1
compare weak progress served
twin peterson -DN=4 -DLEVELS=3
compare weak served
twin lamport -DN=3 -DBROKEN=0
compare none progress
twin lamport -DN=3 -DBROKEN=2
compare none progress
compare weak progress
twin szymanski -DN=3 -DBROKEN=0
compare none progress served
compare weak served
twin anderson -DN=3 -DSLOTS=2 -DATOMIC=1 -DKEEP=1
compare none in_order progress
compare weak served
twin anderson -DN=2 -DSLOTS=2 -DATOMIC=0 -DKEEP=0
compare none in_order progress
compare weak progress served
twin bakery -DN=3 -DMAX=3 -DBROKEN=0
compare none in_order served
compare weak served
twin bakery -DN=2 -DMAX=2 -DBROKEN=1
compare none in_order
twin philosophers -DN=4 -DLEFT=0
compare none progress
compare weak progress
twin havi -DN=2 -DRESETS=2 -DCAP=1 -DCURED=1 -DFULL=1 -DONLINE=1
compare none settles
compare weak settles
twin raft -DN=3 -DTERMS=1 -DCANDIDATES=2 -DCAP=1 -DLOSSY=0 -DCRASHES=0 -DBROKEN=0
compare none leads_on
twin raft -DN=3 -DTERMS=1 -DCANDIDATES=2 -DCAP=1 -DLOSSY=0 -DCRASHES=1 -DBROKEN=0
compare none leads_on
twin monitor -DPRODUCERS=1 -DCONSUMERS=2 -DSIZE=1 -DALL=0 -DBROKEN=0
compare none progress
twin monitor -DPRODUCERS=1 -DCONSUMERS=2 -DSIZE=1 -DALL=0 -DBROKEN=2
compare none progress
compare weak progress
twin rwlock -DREADERS=2 -DWRITERS=1 -DBROKEN=1
compare none progress
twin altbit -DCAP=2 -DD=4 -DLOSSY=0 -DBROKEN=0
compare none delivered
twin altbit -DCAP=2 -DD=4 -DLOSSY=1 -DBROKEN=0
compare none delivered
compare weak delivered
twin slidingwindow -DW=2 -DM=3 -DD=6 -DCAP=1 -DLOSSY=0
compare none delivered
twin election -DN=4 -DSTEP=3 -DCAP=1 -DLOSSY=0 -DBROKEN=0
compare none elected
twin elevator -DN=2 -DFLOORS=3 -DBROKEN=0
compare none served arrives
twin elevator -DN=2 -DFLOORS=3 -DBROKEN=1
compare none served arrives
compare weak served arrives
twin fischer -DN=3 -DA=1 -DB=2
compare none writes
twin fischer -DN=3 -DA=1 -DB=0
compare none writes
compare weak writes
twin timestamps -DN=2 -DCONTENDERS=2 -DENTRIES=2 -DCAP=3 -DBROKEN=0
compare none served
compare weak served
twin twophase -DN=2 -DCRASHES=0 -DBROKEN=0
compare none decided
twin brp -DN=3 -DMAX=2 -DBROKEN=0
compare none reports
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
