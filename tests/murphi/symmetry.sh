#!/bin/sh
# Symmetry reduction from the command line, and public models against the counts of other tools that explore one state of
# each orbit: $CORPUS has murphi/counts.tsv (columns sym_exact_states and sym_exact_firings: the README there). By default
# models of up to $MURPHI_STATES (1000) states; FLOE_TEST_LONG=1: of up to 30,000.
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/rows.sh"
cases=$here/tests/murphi/symmetric/cases

# traces are runs of the model: they are replayed without symmetry
run 1 check --symmetry=on --continue --json=result.json --certificate "$cases/owners.m"
says out 'symmetry: one state of each orbit; node (3), data (2)'
says out 'symmetry=on'
says result.json '"symmetry": "node (3), data (2)"'
run 1 check --symmetry=on --continue --trace=trace.json "$cases/ring.m"
run 0 replay "$cases/ring.m" trace.json
says out 'moved: replayed, violated at depth 7'
run 1 check --symmetry=on --continue --trace=trace.json "$cases/errors.m"
run 0 replay "$cases/errors.m" trace.json
says out 'errors: replayed, violated at depth 3'

# off is the default
"$floe" count --certificate "$cases/owners.m" >all
"$floe" count --certificate --symmetry=off "$cases/owners.m" >off
grep -v '^time\|^memory' all >all.counts
grep -v '^time\|^memory' off | diff all.counts - || fail '--symmetry=off is not the default'
grep -q '^states: 64$' all || fail 'the states of owners.m'

# what is not supported: an error with on, all states with auto
for option in --checkpoint=file --visited-order=file --why-never --encoding=rank; do
  case $option in --why-never) command=check ;; *) command=count ;; esac
  run 3 "$command" --symmetry=on $option "$cases/owners.m"
  says err 'symmetry reduction does not support'
done
run 1 check --symmetry=auto --why-never --no-trace --continue "$cases/owners.m"
says out 'states: 64'
says err 'no symmetry reduction: it does not support'
run 1 check --symmetry=auto --no-trace --continue "$cases/owners.m"
says out 'states: 10'
cat >clear.m <<'END'
type n: scalarset(3);
var x: array [n] of 0..1; p: n;
startstate begin for i: n do x[i] := 0 end end;
ruleset i: n do rule "set" x[i] = 0 ==> begin x[i] := 1; clear p end end;
END
run 3 count --symmetry=on clear.m
says err "'clear' sets a value of a scalarset to the first one"
run 0 count --symmetry=auto clear.m
says out 'states: 8'
says err 'no symmetry reduction: the model may not be symmetric'
cat >plain.m <<'END'
var x: 0..1;
startstate begin x := 0 end;
rule begin x := 1 - x end;
END
run 3 count --symmetry=on plain.m
says err 'no variable refers to a symmetric type of several values'
run 0 count --symmetry=auto -q plain.m
sed 's/scalarset(3)/scalarset(11)/; s/; clear p//' clear.m >large.m
run 3 count --symmetry=on large.m
says err 'more than 10! permutations'

table=${CORPUS:-}/murphi/counts.tsv
if [ -f "$table" ]; then
  most=${MURPHI_STATES:-1000}
  [ "${FLOE_TEST_LONG:-0}" = 0 ] || most=${MURPHI_STATES:-30000}
  rows "$table" verdict_no_deadlock family file sym_exact_states sym_exact_firings |
    awk -F '|' -v most="$most" '$1 == "ok" && $4 != "" && $4 + 0 <= most + 0 { print $2 "/" $3, $4, $5 }' >list
  exact=0 refused=0
  while read -r file states firings; do
    "$floe" count --symmetry=on "$CORPUS/murphi/models/$file" >out 2>err </dev/null
    case $? in
    0)
      found=$(sed -n 's/^\(states\|transitions\): //p' out | tr '\n' ' ')
      if [ "$found" = "$states $firings " ]; then exact=$((exact + 1)); else fail "$file: $found, not $states $firings"; fi
      ;;
    3) refused=$((refused + 1)) ;;
    *) fail "$file: $(cat err)" ;;
    esac
  done <list
  echo "models: $exact exact, $refused refused"
  [ "$exact" -gt 5 ] || fail "only $exact models"
fi
finish
