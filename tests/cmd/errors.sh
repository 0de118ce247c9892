#!/bin/sh
# Errors of the model and the verdicts after them: tests/engine/errors/*.xml contain their counts and verdicts, which
# interpreter and compiled code with any number of threads must reproduce, to the end and to the first violation. Also
# the phrases in text, JSON, HTML report, --expect, count and sweep.
. "${top_srcdir:-.}/tests/cmd/common.sh"
compile_quickly
errors=$here/tests/engine/errors

# ---- the same on every engine ----

lesser() { # what differs between engines
  sed '/^  "phases": {/,/^  }/d' "$1" | grep -vE '^ *"(engine|engine_detail|threads|table_detail|parse|compile|start|explore|trace|total|peak_bytes|table_bytes|tree_bytes|frontier_bytes|disk_bytes|table_fill)": ["0-9]'
}

n=0
long=${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}
for model in "$errors"/*.xml; do
  run 0 --expect --engine=interpreter "$model"
  run 0 --expect --engine=cpu --threads=2 "$model"
  for arguments in '' --continue '-p errors --continue' '--continue --max-depth=2'; do
    # shellcheck disable=SC2086
    "$floe" check --json --engine=interpreter --threads=1 $arguments "$model" >first 2>err
    code=$?
    lesser first >want
    for engine in ${long:+'--engine=interpreter --threads=2'} ${long:+'--engine=cpu --threads=1'} '--engine=cpu --threads=2'; do
      # shellcheck disable=SC2086
      run $code --json $engine $arguments "$model"
      lesser out >found
      cmp -s want found || fail "$model $engine $arguments: $(diff want found | head -n 12)"
    done
    n=$((n + 1))
  done
done
[ $n -ge 36 ] || fail "only $n comparisons"

# ---- errors of evaluation ----

# after the first violation
run 1 --continue "$errors/later.xml"
says out 'p: violated at depth 0'
says out 'low: holds'
says out 'errors: violated at depth 2: division by zero: x is 0'
says out 'end: every reachable state explored'
# a run that ends at the first violation leaves others undecided
run 1 "$errors/later.xml"
says out 'errors: undecided, not violated up to depth 0'
# properties that are not selected report no errors
run 0 --continue -p low "$errors/later.xml"
says out 'low: holds'
run 1 --continue -p deadlock "$errors/excused.xml"
says out 'deadlock: undecided, its evaluation failed in a state'
says out 'errors: violated at depth 3: division by zero: x is 0'
run 1 --continue -p four "$errors/excused.xml" # nothing is cut off there
says out 'four: unreachable'
run 0 count -q "$errors/later.xml"
[ "$(cat out)" = 3 ] || fail "count -q printed $(cat out)"

# ---- failing firings ----

run 1 --continue "$errors/cut.xml"
says out 'p: undecided, not violated in the states explored'
says out 'q: undecided, not reached in the states explored'
says out 'deadlock: undecided, not violated in the states explored'
says out 'end: every state reached without an error explored; successors of failing steps, from depth 0 on, not explored'
says out 'never fired without an error: P l -> l'
grep -E ': (holds|unreachable)|every reachable state|never enabled' out && fail 'a plain fact after a failing step'
run 1 --continue "$errors/beyond.xml"
grep -qx 'two: violated at depth 2' out || fail 'depth 2 is certain'
says out 'three: violated at depth 3 in the states explored'
says out 'nine: reachable at depth 9 in the states explored'
says out 'ever: undecided, not violated in the states explored'
# the run ends with the level of the failing step: up to there no state is missing
run 1 "$errors/beyond.xml"
grep -qx 'three: undecided, not violated up to depth 1' out || fail 'up to depth 1 all is known'
run 1 --continue --max-depth=3 "$errors/beyond.xml"
says out 'ever: undecided, not violated up to depth 2 in the states explored'
run 1 --continue "$errors/guard.xml"
says out 'p: undecided, its evaluation failed in a state'
says out 'q: undecided, not violated in the states explored'
says out 'deadlock: violated at depth 5 in the states explored'

run 1 count -q --continue "$errors/beyond.xml"
says out '10 or more'
run 1 check --continue -q --report=cut.html "$errors/cut.xml"
grep -q 'undecided, not reached in the states explored' cut.html || fail 'the report does not say of which states'
grep -q 'failing steps, from depth 0 on, not explored' cut.html || fail 'the report does not say what is missing'

run 1 --json --continue "$errors/beyond.xml"
says out '"cut_depth": 1,'
says out '"undecided": "step",'
run 1 --json --continue "$errors/excused.xml"
says out '"cut_depth": null,'
says out '"undecided": "evaluation",'
run 1 --json "$errors/later.xml"
says out '"undecided": "end",'

# expected results: a verdict for the explored states only does not match `holds`
sed 's/"p" value="undecided"/"p" value="holds"/; s/"q" value="undecided"/"q" value="unreachable"/' "$errors/cut.xml" >wrong.xml
run 1 --expect wrong.xml
says out 'p undecided instead of holds; q undecided instead of unreachable'

run 1 --sweep K=2..3 --continue "$errors/flood.xml"
says out 'p violated at depth 0, errors violated at depth 3'
says out 'p violated at depth 0, errors violated at depth 6'
finish
