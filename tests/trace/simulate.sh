#!/bin/sh
# floe simulate: equal seeds give equal runs; interactive sessions print tests/trace/golden; violations are reported.
. "${top_srcdir:-.}/tests/cmd/common.sh"
golden=$here/tests/trace/golden
build=$(cd "$OLDPWD" && cd "${top_builddir:-.}" && pwd)/Makefile

run 0 simulate --seed=7 --steps=500 "$here/models/peterson.xml" -D N=3
cp out first
[ "$(grep -c '^  [0-9]*\. ' first)" -eq 500 ] || fail "500 steps are not 500 lines"
run 0 simulate --seed=7 --steps=500 "$here/models/peterson.xml" -D N=3
cmp out first || fail 'two runs of one seed differ'
run 0 simulate --seed=8 --steps=500 "$here/models/peterson.xml" -D N=3
cmp -s out first && fail 'two seeds give the same run'

# violations
run 1 simulate "$models/overflow.xml"
says out 'errors violated: assignment of 4 to n outside 0..3'
says out 'end: 3 steps, no further step is possible'
run 1 simulate "$models/stuck.xml"
says out 'deadlock violated'
says out 'P at c: no transition leaves this location'
run 0 simulate "$models/ring.xml" --steps=20
says out 'last reachable: reachable'
says out 'end: 20 steps'
run 0 simulate "$models/ring.xml" --steps=0
says out 'end: 0 steps'
# states too wide to explore can be simulated
run 0 simulate "$models/wide.xml"

# undo of all steps leads back to the initial state
{ echo 'r 200'; echo 'u 200'; echo s; } | "$floe" simulate --interactive "$here/models/havi.xml" >out 2>err || fail "$(cat err)"
sed -n '3,/^    1  /p' out | grep -v '^    1  ' >start
sed -n 's/^> s$/&/;/^> s$/,/^> $/p' out | grep -v '^>' >again
diff start again >difference || fail "200 steps there and back: $(cat difference)"

# interactive sessions: FILE.in has the commands, FILE.out the output
"$floe" check -q --trace=race.json "$models/race.xml" >/dev/null
"$floe" check -q --trace=overflow.json "$models/overflow.xml" >/dev/null
sed 's/"P\[1\] write"/"P[1] wrote"/' race.json >wrong.json
for name in race overflow; do
  [ -f "$golden/$name.in" ] || fail "no session $name"
  cp "$models/$name.xml" .
  "$floe" simulate --interactive $name.xml <"$golden/$name.in" >found 2>&1 || fail "exit code $?"
  if [ "${FLOE_GOLDEN_WRITE:-0}" = 1 ]; then
    cp found "$golden/$name.out"
  else
    diff -u "$golden/$name.out" found >difference || fail "$(cat difference)"
  fi
done

# the run as a trace: a random run, one with undo, one that replays another
run 0 simulate --seed=7 --steps=200 "$here/models/peterson.xml" -D N=3 --trace=walk.json
run 0 replay "$here/models/peterson.xml" walk.json
says out 'walk: replayed, walked at depth 200'
sed 's/"action": "P\[0\] /"action": "P[7] /' walk.json >wrong.json
run 1 replay "$here/models/peterson.xml" wrong.json
says out 'walk: does not replay'
run 1 simulate "$models/overflow.xml" --trace=walk.json
run 0 replay "$models/overflow.xml" walk.json
says out 'walk: replayed, walked at depth 3'
printf 't race.json\nu 2\nr\nu\n1\n' | "$floe" simulate --interactive --trace=walk.json race.xml >out || fail "$(cat out)"
run 0 replay race.xml walk.json
says out 'walk: replayed, walked at depth 3'
if [ -c /dev/full ]; then
  run 5 simulate --steps=3 "$models/ring.xml" --trace=/dev/full
  run 1 simulate "$models/overflow.xml" --trace=/dev/full
fi
run 3 simulate --steps=3 "$models/ring.xml" --trace=nowhere/walk.json

# many runs: the same for any number of threads, each equal to a single run of its seed
run 1 simulate --runs=40 -j1 "$models/race.xml"
cp out alone
says out 'sum: violated in'
says out '  never fired: P again'
run 1 simulate --runs=40 -j5 "$models/race.xml"
cmp out alone || fail 'threads change the runs'
seed=$(sed -n 's/^sum: .* first with --seed=\([0-9]*\) at step 4$/\1/p' out)
run 1 simulate --seed="$seed" "$models/race.xml"
says out 'sum violated'
run 3 simulate --runs=2 --trace=t.json "$models/race.xml"

# a random run takes no more memory for more steps (sanitizers keep freed memory)
if command -v python3 >/dev/null && ! grep -q '^SANITIZER_CFLAGS = .' "$build"; then
  for walk in --runs=1 --seed=1; do
    python3 - "$floe" simulate "$models/ring.xml" -j1 $walk 2>why <<'EOF' || fail "memory of $walk: $(cat why)"
import resource, subprocess, sys
most = []
for steps in 1000, 700000:
    subprocess.run(sys.argv[1:] + [f"--steps={steps}"], stdout=subprocess.DEVNULL, check=True)
    most.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)  # KiB, the largest so far
sys.exit(f"{most[0]} KiB, then {most[1]} KiB" if most[1] > most[0] + 2048 else 0)
EOF
  done
fi

# a model on standard input excludes commands there
run 3 simulate --interactive -
says err '--interactive reads commands from standard input, which is also the model'
"$floe" simulate --steps=2 - <"$models/ring.xml" >out || fail 'a model from standard input'
says out 'end: 2 steps'

has_terminal || finish
printf '1\nq\n' | script -qec "$floe simulate $models/race.xml" /dev/null >terminal 2>&1
grep -q '1. P\[0\] read' terminal || fail "on a terminal: $(cat -v terminal)"
finish
