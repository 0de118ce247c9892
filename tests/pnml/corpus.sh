#!/bin/sh
# Nets of the Model Checking Contest with known answers, in $CORPUS/pnml, $CORPUS/ltl and $CORPUS/pnml-coloured. Every
# answer must be that of the oracle or CANNOT_COMPUTE. Prints a table of the answers that agree, were not computed, or
# are wrong.
#   FLOE_STATES        nets of at most so many states (200; FLOE_TEST_LONG: all),
#   FLOE_STATES_FROM   of at least so many (0),
#   FLOE_SECONDS       for each examination (10; FLOE_TEST_LONG: 120)
#   FLOE_NETS          only these P/T nets, whatever their size
#   FLOE_EXAMINATIONS  only these examinations
#   FLOE_MCC           options of floe mcc (--threads=1)
. "${top_srcdir:-.}/tests/cmd/common.sh"
corpus=${CORPUS:-}
[ -d "$corpus/pnml" ] || skip 'CORPUS names no folder with pnml/: the nets of the Model Checking Contest'
most=${FLOE_STATES:-200} least=${FLOE_STATES_FROM:-0} seconds=${FLOE_SECONDS:-10}
[ "${FLOE_TEST_LONG:-0}" = 0 ] || most=${FLOE_STATES:-1000000000000} seconds=${FLOE_SECONDS:-120}
options=${FLOE_MCC:---threads=1}
: >table

# In the oracle ids lack the year; lines that are no answers are left out.
answers() {
  sed -n 's/-20[0-9][0-9]-\([0-9]*\) /-\1 /; /^STATE_SPACE \|^FORMULA /{s/ TECHNIQUES.*//;p}' "$1" | sort
}

# row NET EXAMINATION AGREE OPEN WRONG
row() {
  printf '%-28s %-24s %6s %6s %6s\n' "$@"
}

# examine FOLDER EXAMINATION ORACLE
examine() {
  [ -f "$3" ] || return 0
  case " ${FLOE_EXAMINATIONS:-$2} " in *" $2 "*) ;; *) return 0 ;; esac
  # shellcheck disable=SC2086 # several options
  "$floe" mcc --timeout="$seconds" $options "$1" "$2" >out 2>err </dev/null
  answers out | grep -v CANNOT_COMPUTE >ours
  answers "$3" >wanted
  net=$(basename "$1")
  comm -23 ours wanted >different
  [ ! -s different ] || fail "$net $2: $(cat different); the oracle: $(cat wanted)"
  [ -s ours ] || grep -q CANNOT_COMPUTE out || fail "$net $2: no answer: $(cat out err)"
  n=$(wc -l <ours) wrong=$(wc -l <different) all=$(wc -l <wanted)
  row "$net" "$2" $((n - wrong)) $((all - n)) "$wrong"
  echo "$2 $((n - wrong)) $((all - n)) $wrong" >>table
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

# nets FILE: those in the table whose number of states is in the range
nets() {
  awk -F '\t' -v least="$least" -v most="$most" 'NR > 1 && $2 >= least && $2 <= most { print $1 }' "$1"
}

row net examination agree open wrong
for net in ${FLOE_NETS-$(nets "$corpus/pnml/counts.tsv")}; do
  examine_all "$corpus/pnml/$net"
  [ -f "$corpus/ltl/pnml/$net.tar.xz" ] && tar -xf "$corpus/ltl/pnml/$net.tar.xz" || continue
  examine "$net" LTLCardinality "$net/oracle-LTLC.out"
  examine "$net" LTLFireability "$net/oracle-LTLF.out"
  rm -rf "$net"
done
for net in $([ -n "${FLOE_NETS+set}" ] || nets "$corpus/pnml-coloured/counts.tsv" 2>/dev/null); do
  tar -xf "$corpus/pnml-coloured/$net.tar.xz" || continue
  examine_all "$net"
  rm -rf "$net"
done
sort table | awk '{ agree[$1] += $2; open[$1] += $3; wrong[$1] += $4 }
  END { for (e in agree) print e, agree[e], open[e], wrong[e] }' | sort >sums
while read -r examination agree open wrong; do
  row 'all' "$examination" "$agree" "$open" "$wrong"
done <sums
awk '{ agree += $2; open += $3; wrong += $4 }
  END { printf "%d answers agree with the oracle, %d were not computed, %d are wrong\n", agree, open, wrong }' table
finish
