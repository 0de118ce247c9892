#!/bin/sh
# Nets of the Model Checking Contest with known answers, in $CORPUS/pnml, $CORPUS/ltl and $CORPUS/pnml-coloured. Every
# answer must be that of the oracle or CANNOT_COMPUTE; which were not computed is printed. Nets of at most $FLOE_STATES
# states (200; FLOE_TEST_LONG: all) and $FLOE_SECONDS seconds for each examination (10; FLOE_TEST_LONG: 120).
. "${top_srcdir:-.}/tests/cmd/common.sh"
corpus=${CORPUS:-}
[ -d "$corpus/pnml" ] || skip 'CORPUS names no folder with pnml/: the nets of the Model Checking Contest'
states=${FLOE_STATES:-200} seconds=${FLOE_SECONDS:-10}
[ "${FLOE_TEST_LONG:-0}" = 0 ] || states=${FLOE_STATES:-1000000000000} seconds=${FLOE_SECONDS:-120}
agree=0 open=0

# In the oracle ids lack the year; lines that are no answers are left out.
answers() {
  sed -n 's/-20[0-9][0-9]-\([0-9]*\) /-\1 /; /^STATE_SPACE \|^FORMULA /{s/ TECHNIQUES.*//;p}' "$1" | sort
}

# examine FOLDER EXAMINATION ORACLE
examine() {
  [ -f "$3" ] || return 0
  "$floe" mcc --timeout="$seconds" "$1" "$2" >out 2>err </dev/null
  answers out >ours
  answers "$3" >wanted
  wrong=$(grep -v CANNOT_COMPUTE ours | comm -23 - wanted)
  [ -z "$wrong" ] || fail "$1 $2: $wrong; the oracle: $(cat wanted)"
  [ -s ours ] || grep -q CANNOT_COMPUTE out || fail "$1 $2: no answer: $(cat out err)"
  n=$(grep -vc CANNOT_COMPUTE ours) all=$(wc -l <wanted)
  agree=$((agree + n)) open=$((open + all - n))
  [ "$n" -eq "$all" ] || echo "not computed: $((all - n)) of $all: $(basename "$1") $2"
}

# examine_all FOLDER: all examinations with an oracle
examine_all() {
  examine "$1" StateSpace "$1/oracle-SS.out"
  examine "$1" OneSafe "$1/oracle-OS.out"
  examine "$1" StableMarking "$1/oracle-SM.out"
  examine "$1" QuasiLiveness "$1/oracle-QL.out"
  examine "$1" Liveness "$1/oracle-L.out"
  examine "$1" ReachabilityDeadlock "$1/oracle-RD.out"
  examine "$1" ReachabilityCardinality "$1/oracle-RC.out"
  examine "$1" ReachabilityFireability "$1/oracle-RF.out"
  examine "$1" UpperBounds "$1/oracle-UB.out"
  examine "$1" LTLCardinality "$1/oracle-LTLC.out"
  examine "$1" LTLFireability "$1/oracle-LTLF.out"
}

# nets FILE: those in the table that have few enough states
nets() {
  awk -F '\t' -v most="$states" 'NR > 1 && $2 <= most { print $1 }' "$1"
}

count=0
for net in ${FLOE_NETS-$(nets "$corpus/pnml/counts.tsv")}; do
  count=$((count + 1))
  examine_all "$corpus/pnml/$net"
  [ -f "$corpus/ltl/pnml/$net.tar.xz" ] && tar -xf "$corpus/ltl/pnml/$net.tar.xz" || continue
  examine "$net" LTLCardinality "$net/oracle-LTLC.out"
  examine "$net" LTLFireability "$net/oracle-LTLF.out"
done
for net in $(nets "$corpus/pnml-coloured/counts.tsv" 2>/dev/null); do
  tar -xf "$corpus/pnml-coloured/$net.tar.xz" || continue
  count=$((count + 1))
  examine_all "$net"
done
echo "$count nets: $agree answers agree with the oracle, $open were not computed"
finish
