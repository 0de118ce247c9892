#!/bin/sh
# Compares states and transitions of models with their Promela versions, explored by Spin without reductions.
# Spin counts the initial state as a transition. `make check` compares every third twin, FLOE_TEST_LONG=1 all of them;
# FLOE_TEST_ALL=1: also the other constants of each twin (`also`).
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

# Prints "STATES TRANSITIONS" of a twin.
run_twin() { # $1: twin, rest: -DNAME=VALUE ...
  twin=$top/tests/peers/$1.pml
  shift
  cp "$twin" "$work/twin.pml" &&
    (cd "$work" &&
      spin -a -o1 -o2 -o3 "$@" twin.pml >spin.log 2>&1 &&
      $cc -w -DSAFETY -DNOREDUCE -DVECTORSZ=8192 -o pan pan.c >cc.log 2>&1 &&
      ./pan -E -n -w22 -m1000000 >pan.log 2>&1 &&
      awk '/states, stored/ { states = $1 }
           /transitions \(= stored/ { transitions = $1 - 1 }
           /max search depth too small|out of memory/ { bad = 1 }
           END { if (!bad) print states, transitions }' pan.log)
}

# Prints "STATES TRANSITIONS" of floe. It uses the interpreter, which is faster on small models than compiling each one; tests/step compares it with compiled code.
run_floe() { # $1: model, rest: -DNAME=VALUE ...
  model=$top/models/$1.xml
  shift
  "$floe" count --engine=interpreter --continue --json "$@" "$model" 2>"$work/floe.log" | awk -F '[:,]' '
    /"states":/ { states = $2 + 0 }
    /"transitions":/ { transitions = $2 + 0 }
    END { print states, transitions }'
}

compare() { # $1: model and twin, rest: -DNAME=VALUE ...
  number=$((${number:-0} + 1))
  [ -n "${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}" ] || [ $((number % 3)) -eq 0 ] || return 0
  theirs=$(run_twin "$@")
  ours=$(run_floe "$@")
  if [ -n "$theirs" ] && [ "$theirs" = "$ours" ]; then
    passed=$((passed + 1))
    echo "$*: $ours"
  else
    failed=$((failed + 1))
    echo "$*: floe ${ours:-nothing}, Spin ${theirs:-nothing} (states, transitions)"
    cat "$work"/*.log
  fi
}

also() {
  [ -z "${FLOE_TEST_ALL:-}" ] || compare "$@"
}

compare counters -DN=5 -DK=8
compare particles -DN=12 -DK=4 -DOPEN=0
also particles -DN=12 -DK=5 -DOPEN=1
compare philosophers -DN=8 -DLEFT=0
compare philosophers -DN=10 -DLEFT=1
also philosophers -DN=7 -DLEFT=3
also philosophers -DN=10 -DLEFT=0 -DSEATS=4
also philosophers -DN=40 -DLEFT=0 -DSEATS=2
compare peterson -DN=3 -DLEVELS=2
compare peterson -DN=4 -DLEVELS=3
also peterson -DN=4 -DLEVELS=2
compare bakery -DN=2 -DMAX=6 -DBROKEN=0
also bakery -DN=3 -DMAX=4 -DBROKEN=0
also bakery -DN=3 -DMAX=3 -DBROKEN=1
compare altbit -DCAP=2 -DD=4 -DLOSSY=1 -DBROKEN=0
also altbit -DCAP=5 -DD=16 -DLOSSY=0 -DBROKEN=0
also altbit -DCAP=3 -DD=4 -DLOSSY=1 -DBROKEN=1
also altbit -DCAP=2 -DD=4 -DLOSSY=1 -DBROKEN=2
compare havi -DN=2 -DRESETS=3 -DCAP=2 -DCURED=1 -DFULL=1 -DONLINE=1
compare havi -DN=3 -DRESETS=1 -DCAP=1 -DCURED=0 -DFULL=1 -DONLINE=1
also havi -DN=3 -DRESETS=2 -DCAP=1 -DCURED=1 -DFULL=1 -DONLINE=1
also havi -DN=3 -DRESETS=2 -DCAP=1 -DCURED=0 -DFULL=2 -DONLINE=0
also havi -DN=4 -DRESETS=1 -DCAP=1 -DCURED=1 -DFULL=1 -DONLINE=1
also havi -DN=4 -DRESETS=1 -DCAP=2 -DCURED=1 -DFULL=1 -DONLINE=1
compare anderson -DN=4 -DSLOTS=4 -DATOMIC=1 -DKEEP=1
also anderson -DN=3 -DSLOTS=2 -DATOMIC=0 -DKEEP=0
compare lamport -DN=3 -DBROKEN=0
also lamport -DN=3 -DBROKEN=1
compare szymanski -DN=4 -DBROKEN=0
also szymanski -DN=3 -DBROKEN=2
compare fischer -DN=5 -DA=1 -DB=2
also fischer -DN=4 -DA=2 -DB=2
compare election -DN=5 -DSTEP=4 -DCAP=1 -DLOSSY=0 -DBROKEN=0
also election -DN=4 -DSTEP=3 -DCAP=1 -DLOSSY=1 -DBROKEN=1
compare slidingwindow -DW=2 -DM=3 -DD=6 -DCAP=2 -DLOSSY=1
also slidingwindow -DW=3 -DM=3 -DD=6 -DCAP=2 -DLOSSY=1
also slidingwindow -DW=1 -DM=16 -DD=16 -DCAP=8 -DLOSSY=1
compare rwlock -DREADERS=4 -DWRITERS=2 -DBROKEN=0
also rwlock -DREADERS=2 -DWRITERS=2 -DBROKEN=1
compare monitor -DPRODUCERS=3 -DCONSUMERS=3 -DSIZE=2 -DALL=0 -DBROKEN=0
also monitor -DPRODUCERS=3 -DCONSUMERS=2 -DSIZE=2 -DALL=1 -DBROKEN=0
also monitor -DPRODUCERS=3 -DCONSUMERS=3 -DSIZE=2 -DALL=0 -DBROKEN=1
also monitor -DPRODUCERS=3 -DCONSUMERS=3 -DSIZE=2 -DALL=0 -DBROKEN=2
also monitor -DPRODUCERS=2 -DCONSUMERS=2 -DSIZE=1 -DALL=1 -DBROKEN=2
also monitor -DPRODUCERS=4 -DCONSUMERS=4 -DSIZE=3 -DALL=0 -DBROKEN=0
compare elevator -DN=3 -DFLOORS=4 -DBROKEN=0
also elevator -DN=2 -DFLOORS=4 -DBROKEN=1
compare coherence -DN=3 -DBROKEN=0
also coherence -DN=3 -DBROKEN=2
compare hierarchy -DP=2 -DLINES=2 -DBROKEN=0
also hierarchy -DP=3 -DLINES=1 -DBROKEN=0
also hierarchy -DP=1 -DLINES=2 -DBROKEN=1
also hierarchy -DP=2 -DLINES=1 -DBROKEN=2
also hierarchy -DP=2 -DLINES=1 -DBROKEN=3
compare twophase -DN=3 -DCRASHES=2 -DBROKEN=0
also twophase -DN=3 -DCRASHES=1 -DBROKEN=1
compare raft -DN=3 -DTERMS=2 -DCANDIDATES=2 -DCAP=1 -DLOSSY=0 -DCRASHES=0 -DBROKEN=0
also raft -DN=3 -DTERMS=1 -DCANDIDATES=3 -DCAP=1 -DLOSSY=1 -DCRASHES=0 -DBROKEN=0
also raft -DN=3 -DTERMS=1 -DCANDIDATES=2 -DCAP=1 -DLOSSY=0 -DCRASHES=1 -DBROKEN=1
compare vote -DN=3 -DTERMS=2 -DCAP=1 -DLOSSY=0 -DBROKEN=0
also vote -DN=2 -DTERMS=3 -DCAP=2 -DLOSSY=1 -DBROKEN=0
also vote -DN=4 -DTERMS=1 -DCAP=1 -DLOSSY=0 -DBROKEN=0
also vote -DN=3 -DTERMS=1 -DCAP=1 -DLOSSY=1 -DBROKEN=1
also vote -DN=3 -DTERMS=2 -DCAP=1 -DLOSSY=0 -DBROKEN=2
also vote -DN=3 -DTERMS=1 -DCAP=2 -DLOSSY=1 -DBROKEN=3
compare paxos -DP=2 -DA=3 -DBALLOTS=2 -DCAP=0 -DBROKEN=0
also paxos -DP=2 -DA=3 -DBALLOTS=2 -DCAP=0 -DBROKEN=3
also paxos -DP=2 -DA=2 -DBALLOTS=3 -DCAP=1 -DBROKEN=0
compare packetring -DN=3 -DCAP=2 -DSENDS=1 -DNEAR=1 -DFAR=2 -DBROKEN=0
also packetring -DN=3 -DCAP=1 -DSENDS=2 -DNEAR=2 -DFAR=2 -DBROKEN=1
also packetring -DN=3 -DCAP=2 -DSENDS=3 -DNEAR=2 -DFAR=2 -DBROKEN=2
also packetring -DN=4 -DCAP=16 -DSENDS=1 -DNEAR=3 -DFAR=3 -DBROKEN=0
compare journal -DBLOCKS=6 -DMAX=3 -DTRANSFERS=1 -DCRASHES=1 -DBROKEN=0
also journal -DBLOCKS=6 -DMAX=3 -DTRANSFERS=2 -DCRASHES=2 -DBROKEN=0
also journal -DBLOCKS=6 -DMAX=3 -DTRANSFERS=1 -DCRASHES=1 -DBROKEN=2
also journal -DBLOCKS=32 -DMAX=65535 -DTRANSFERS=1 -DCRASHES=1 -DBROKEN=0
compare raymond -DN=5 -DACTIVE=5 -DBROKEN=0
also raymond -DN=42 -DACTIVE=1 -DBROKEN=0
also raymond -DN=3 -DACTIVE=2 -DBROKEN=1
also raymond -DN=5 -DACTIVE=2 -DBROKEN=2
compare timestamps -DN=4 -DCONTENDERS=2 -DENTRIES=1 -DCAP=3 -DBROKEN=0
also timestamps -DN=7 -DCONTENDERS=1 -DENTRIES=1 -DCAP=3 -DBROKEN=0
also timestamps -DN=2 -DCONTENDERS=2 -DENTRIES=1 -DCAP=3 -DBROKEN=1
also timestamps -DN=3 -DCONTENDERS=3 -DENTRIES=1 -DCAP=3 -DBROKEN=2
also timestamps -DN=2 -DCONTENDERS=2 -DENTRIES=2 -DCAP=3 -DBROKEN=3
also timestamps -DN=3 -DCONTENDERS=2 -DENTRIES=1 -DCAP=3 -DBROKEN=4
compare brp -DN=100 -DMAX=10 -DBROKEN=0
also brp -DN=3 -DMAX=2 -DBROKEN=1
compare needham -DA=2 -DB=2 -DFIXED=1
also needham -DA=2 -DB=2 -DFIXED=0
compare protocols/iceberg -DFILLED=0 -DTHREADS=2 -DCALLS=2 -DKEYS=3 -DFIRST=1 -DSECOND=2 -DTHIRD=2 -DBUCKETS=2 -DFORM=1 -DCOUNT=0 -DBLIND=0 -DSTORE=0
also protocols/iceberg -DFILLED=0 -DTHREADS=3 -DCALLS=1 -DKEYS=2 -DFIRST=2 -DSECOND=1 -DTHIRD=2 -DBUCKETS=1 -DFORM=2 -DCOUNT=1 -DBLIND=1 -DSTORE=0
compare protocols/linear -DTHREADS=2 -DCALLS=2 -DKEYS=2 -DSLOTS=4 -DWINDOW=2 -DHOME=3 -DFORM=1 -DREUSE=0 -DEMPTY=0 -DBLIND=0 -DSTORE=0
also protocols/linear -DTHREADS=3 -DCALLS=1 -DKEYS=2 -DSLOTS=4 -DWINDOW=2 -DHOME=3 -DFORM=0 -DREUSE=1 -DEMPTY=1 -DBLIND=1 -DSTORE=1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
