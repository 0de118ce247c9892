#!/bin/sh
# bench/engine/counts.sh: exact and wrong counts, instances that are left out, a second call.
. "${top_srcdir:-.}/tests/cmd/common.sh"
counts=$here/bench/engine/counts.sh
mkdir models
for n in 1 2 3; do
  cat >models/loop.$n.dve <<DVE
byte x;
process P { state s; init s; trans s -> s { effect x = (x + 1) % (10 * $n); }; }
system async;
DVE
done
printf 'instance\tstates\ttransitions\tlevels\tdeadlocks\n' >known
printf 'loop.1\t10\t10\t10\t0\tnote, with commas\nloop.2\t20\t20\t20\t0\nloop.3\t31\t30\t30\t0\nabsent\t40\t40\t40\t0\n' >>known
FLOE=$floe OPTIONS=--engine=interpreter
export FLOE OPTIONS

LEAST=20 "$counts" out models known >text 2>&1
code=$?
[ $code = 1 ] || fail "exit code $code of a wrong count: $(cat text)"
tail -n 1 text | grep -q '^1 exact, 1 wrong, 0 failed, 0 timeouts, 0 not started' || fail "another summary: $(cat text)"
grep -q '^loop.3,wrong,30,30,30,0,' out/runs.csv || fail "no line of loop.3: $(cat out/runs.csv)"
grep -q '^loop.1,' out/runs.csv && fail 'LEAST does not hold'

"$counts" out models known loop.1 loop.2 >text 2>&1
[ "$(grep -c '^loop.2,exact,20,20,20,0,' out/runs.csv)" = 1 ] || fail 'an instance was repeated'
grep -q '^loop.1,exact,10,10,10,0,' out/runs.csv || fail "no line of loop.1: $(cat out/runs.csv)"

echo 'nothing' >models/loop.1.dve
"$counts" failing models known loop.1 >text 2>&1
code=$?
[ $code = 1 ] || fail "exit code $code of a failing run: $(cat text)"
grep -q '^loop.1,failed,' failing/runs.csv || fail "no failing run: $(cat failing/runs.csv)"

# as a table, the second folder as that of a GPU
"$here/bench/engine/counts_table.sh" out out >table
grep -qE '^\| loop.1 \| 10 \| 10 \| 10 \| [0-9]+ \| [0-9.]+ \| [0-9.-]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.-]+ \| [0-9.]+ \|$' table ||
  fail "no line of loop.1: $(cat table)"
grep -q 'loop.3' table && fail 'a wrong count is in the table'
[ "$(sed -n '3,$p' table | cut -d '|' -f 2 | tr -d ' \n')" = loop.1loop.2 ] || fail "another order: $(cat table)"
"$here/bench/engine/counts_table.sh" out | grep -qE 'loop.2 .* \| - \| - \| - \|$' || fail 'figures of a GPU without any'
finish
