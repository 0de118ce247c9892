#!/bin/sh
# Visited order of several processes: rank 0 writes one file, level by level, each with the same states as in one process;
# a run that ends early has complete levels and a part of the next. A full disk loses only the file.
. "${top_srcdir:-.}/tests/mpi/processes.sh"
model=$plain/bakery.xml
large=$here/tests/fault/long.xml

cat >levels.py <<'END_OF_SCRIPT'
"""levels.py WHOLE LINES RESULT LINES: the second file (result, and keys as lines) has the levels of the first one, a
whole run's: all of those that its result has, each as a set, and of one more, if at all, some, each state once."""
import json
import sys

def load(result, lines):
    return json.load(open(result)), open(lines).read().splitlines()

(whole, expected), (result, found) = load(*sys.argv[1:3]), load(*sys.argv[3:5])
assert len(expected) == whole["states"] > 100 and whole["complete"], "nothing to compare with"
assert len(found) == result["states"], f"{len(found)} keys of {result['states']} states"
assert len(set(found)) == len(found), "a state is there twice"
at = 0
for depth, states in enumerate(whole["states_per_level"]):
    level, there = set(expected[at:at + states]), found[at:at + states]
    at += states
    if depth < result["levels"]:
        assert len(there) == states and set(there) == level, f"level {depth} is another one"
    else:
        assert set(there) <= level, f"level {depth} has states of other levels"
        break
assert at >= len(found), "there is more in it"
END_OF_SCRIPT

# whole ARGUMENT...: a complete run of one process, to compare with
whole() {
  run 0 count "$@" -j1 --visited-order=one --json
  mv out one.json
  "$floe" order --text one >one.lines || fail "one process wrote no file"
}

# alike WORDS: checks the file `several` of the run with the result `many`
alike() {
  "$floe" order several >info 2>&1 || fail "$1: no file: $(cat info)"
  "$floe" order --text several >several.lines
  python3 levels.py one.json one.lines many several.lines >why 2>&1 || fail "$1: $(tail -1 why)"
  says info 'order: not deterministic'
  rm -f several
}

sizes=${long:+2 }3 # each model in two or three processes; in both at length
while read -r words; do
  [ -n "$words" ] || continue
  set -- $words # words
  whole "$@"
  # shellcheck disable=SC2086 # words
  for ranks in $sizes; do
    together $ranks 0 count "$@" --visited-order=several --json
    alike "$ranks ranks, $words"
  done
  [ "$long" ] || sizes=$((5 - sizes))
done <<END_OF_LIST
$model -DN=4 --threads=2
$here/tests/gpu/engine/chains.xml
${long:+$model
$plain/hanoi.xml -DN=5 --engine=interpreter
$plain/philosophers.xml --encoding=rank}
END_OF_LIST
whole "$model"
together 3 0 count "$model" --visited-order=several --order-compress --json
alike 'compressed'
# with waiting states on disk, until the search completes or memory runs out
set -- "$plain/counters.xml" -DN=18 -DK=2 --table=iceberg --expected-states=262144
whole "$@"
while read -r memory code; do
  together 2 "$code" count "$@" --memory="$memory" -j1 --visited-order=several --json
  alike "on disk, $memory"
  grep -q '"disk_bytes": 0,' many && fail "$memory: nothing was on disk"
done <<END_OF_LIST
1600K 0
1400K 2
END_OF_LIST

# ends: a violation, bounds, time, memory, Ctrl-C
run 0 count -j1 "$model" -DBROKEN=1 --visited-order=one --json
mv out one.json
"$floe" order --text one >one.lines
together 3 1 check "$model" -DBROKEN=1 --no-trace --visited-order=several --json
alike 'a violation'
together 2 2 count "$model" -DBROKEN=1 --max-depth=9 --visited-order=several --json
alike 'a bound of depth'
together 2 2 count "$model" -DBROKEN=1 --max-states=900 --visited-order=several --json
alike 'a bound of states'
whole "$model" -DN=5
cut_off 3 count "$model" -DN=5 --engine=interpreter --visited-order=several --json
alike 'a timeout'
says info 'run: timeout'
together 2 2 count "$model" -DN=5 --memory=4M -j1 --visited-order=several --json
alike 'the memory limit'
apart 2 count "$model" -DN=5 --engine=interpreter --visited-order=several --json --progress=0.05
await_search
kill -INT "$(cat pid.1)"
wait $child
code=$?
[ $code -eq 2 ] || fail "SIGINT to rank 1: exit code $code instead of 2; $(cat err)"
alike 'SIGINT'

# A rank dies: there is no file, and the old one stays
for victim in ${long:+0} 1; do
  echo old >several
  apart 2 count "$model" -DN=5 --engine=interpreter --visited-order=several --progress=0.05
  await_search
  kill -KILL "$(cat pid.$victim)"
  wait $child
  code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] || fail "SIGKILL to rank $victim: exit code $code"
  [ "$(cat several)" = old ] || fail "SIGKILL to rank $victim: the old file is gone"
done

# A file size limit: the verdicts are those of a run without a file
cat >narrow <<'END_OF_SCRIPT'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" -ne 0 ] || ulimit -f 4
exec "$@"
END_OF_SCRIPT
chmod +x narrow
# narrow CODE TEXT ARGUMENT...
narrow() {
  expected=$1 text=$2
  shift 2
  timeout 120 "$mpirun" $crowd -n 3 ./narrow "$floe" "$@" --visited-order=several >many 2>err </dev/null
  code=$?
  [ $code -eq "$expected" ] || fail "narrow, floe $*: exit code $code instead of $expected; $(cat err)"
  says many "$text"
  says err 'several cannot be written: File too large'
  [ "$(cat several)" = old ] || fail 'a file that cannot be written takes the place of the old one'
}
narrow 5 'end: every reachable state explored' count --engine=interpreter "$large"
[ -z "$long" ] || narrow 1 'violated at depth' check -q --engine=interpreter --no-trace --continue "$large"
rm several

# Each process knows only its own lookups
together 2 3 count "$model" --visited-order=several --order-kind=lookups
says err 'several processes cannot record lookups'
together 2 3 count "$model" --visited-order=no/such/folder
says err 'no/such/folder cannot be written'
[ ! -e several ] || fail 'a file of what is refused'
finish
