#!/bin/sh
# Checkpoints of several processes: any number of processes resume a run, however it ended, and find what an
# uninterrupted run finds. `make check` resumes each file once or twice; with FLOE_TEST_LONG=1, on all numbers of ranks.
. "${top_srcdir:-.}/tests/mpi/processes.sh"
model=$plain/bakery.xml
# Results that depend only on the model
certificate() {
  python3 - "$1" <<'END'
import json
import sys
result = json.load(open(sys.argv[1]))
print(result["end"] if "end" in result else "", [result[key] for key in ("states", "transitions", "levels", "max_out_degree", "certificate", "never_enabled") if key in result])
print([property["verdict"] for property in result.get("properties", [])])
END
}
run 0 check "$model" -DN=5 --json
certificate out >whole || fail 'no certificate'
[ -s whole ] || fail 'an empty certificate'

# resumes WHAT RANKS...: resumes from `kept` on each of these numbers of ranks
resumes() {
  what=$1
  shift
  [ -f kept ] || fail "$what: no checkpoint; $(cat err)"
  for ranks; do
    cp kept again
    if [ "$ranks" -eq 1 ]; then
      timeout 120 "$floe" resume again --json >many 2>err </dev/null
      code=$?
      [ $code -eq 0 ] || fail "$what, alone: exit code $code; $(cat err)"
    else
      together "$ranks" 0 resume again --engine=cpu --json
    fi
    certificate many >broken
    cmp -s whole broken || fail "$what, $ranks ranks: $(diff whole broken)"
  done
  rm -f kept kept.previous again again.previous
}

# Several processes resume a file of one process, and the reverse
cut_off 1 check "$model" -DN=5 --engine=interpreter --checkpoint=kept
resumes 'one process, timeout' 3
for processes in ${long:+2} 3; do
  cut_off $processes check "$model" -DN=5 --engine=interpreter --checkpoint=kept
  says many 'checkpoints: 1,'
  resumes "$processes ranks, timeout" $((5 - processes)) ${long:+1 $processes}
done
together 3 2 check "$model" -DN=5 --memory=4M -j1 --checkpoint=kept
says many 'ended at the memory limit'
resumes '3 ranks, memory limit' 2 ${long:+1}
together 2 2 check "$model" -DN=5 --max-states=100000 --checkpoint=kept
cp kept again
together 3 0 resume again --max-states=10000000 --json
certificate many >broken
cmp -s whole broken || fail "--max-states: $(diff whole broken)"
rm -f kept again

# Ctrl-C, which launchers pass on differently: here only one rank gets it
for victim in ${long:+0} 1; do
  apart 2 check "$model" -DN=5 --engine=interpreter --checkpoint=kept --progress=0.05
  await_search
  kill -INT "$(cat pid.$victim)"
  wait $child
  code=$?
  [ $code -eq 2 ] || fail "SIGINT to rank $victim: exit code $code instead of 2; $(cat err)"
  resumes "SIGINT to rank $victim" $((1 + 2 * victim)) ${long:+2}
done

# A rank dies between two checkpoints, or while one is written
for victim in ${long:+0 1} 2; do
  apart 3 check "$model" -DN=5 --engine=interpreter --checkpoint=kept --checkpoint-every=0.2
  await 300 [ -f kept.previous ]
  kill -KILL "$(cat pid.$victim)"
  wait $child
  code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] || fail "SIGKILL to rank $victim: exit code $code"
  resumes "SIGKILL to rank $victim" $((victim + 1))
done

# Too little memory to resume, and a damaged file: as in one process, and no rank waits for another one
cut_off 1 check "$model" -DN=5 --engine=interpreter --checkpoint=kept
as_alone() { # TEXT ARGUMENT...
  text=$1
  shift
  "$floe" resume kept --engine=cpu "$@" >many 2>err
  code=$?
  together 2 $code resume kept --engine=cpu "$@"
  says err "$text"
}
as_alone 'not enough memory to start' --memory=1M -j1
printf 'damaged' | dd of=kept bs=1 seek=100000 conv=notrunc 2>/dev/null
rm -f kept.previous
as_alone 'it is damaged'
finish
