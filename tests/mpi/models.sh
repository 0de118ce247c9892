#!/bin/sh
# Several processes find what one finds: certificates, verdicts and traces of models, bounds, errors, ends of runs.
. "${top_srcdir:-.}/tests/mpi/processes.sh"

sizes=2${long:+ 3}
compare 0 check "$plain/peterson.xml"
[ -z "$long" ] || compare 0 check "$plain/bakery.xml" -DN=4
compare 1 check "$plain/havi.xml" -DCURED=0
compare 1 check "$plain/coherence.xml" -DBROKEN=1 --continue
[ -n "${FLOE_TEST_QUICK:-}" ] && finish
sizes=3
for model in altbit ${long:+monitor hanoi lamport twophase}; do
  compare 0 check "$plain/$model.xml" --continue --no-trace
done
compare 1 check "$plain/philosophers.xml" -DLEFT=0
compare 0 count "$plain/counters.xml" -DN=4
compare 1 check "$models/overflow.xml"
compare 2 check "$plain/peterson.xml" --max-depth=7
compare 2 check "$plain/peterson.xml" --max-states=100
compare 0 check "$plain/peterson.xml" -p mutex --engine=interpreter
[ -z "$long" ] || compare 0 check "$plain/raymond.xml" --encoding=fields
compare 0 check "$plain/altbit.xml" --expect
# The other processes get the texts of included files from rank 0.
if python3 "$here/tests/reference/includes.py" "$plain/peterson.xml" twins >twin; then
  compare 0 check "$(cat twin)"
fi

# statistics of each rank, which add up to the totals
together 3 0 check "$plain/peterson.xml" --json
python3 - many <<'END' || fail "figures of ranks do not add up: $(cat many)"
import json
import sys
result = json.load(open(sys.argv[1]))
ranks = result["ranks"]
assert len(ranks) == 3 and sum(rank["states"] for rank in ranks) == result["states"]
assert sum(rank["transitions"] for rank in ranks) == result["transitions"]
assert sum(rank["table_bytes"] for rank in ranks) == result["table_bytes"]
END

# outputs of rank 0 alone, and unsupported options
together 2 0 plan "$plain/peterson.xml"
[ "$(grep -c '^model' many)" -le 1 ] || fail "two plans: $(cat many)"
together 2 3 check "$plain/peterson.xml" -DN=1000
[ "$(grep -c 'error' err)" -eq 1 ] || fail "an error is not logged once: $(cat err)"
together 2 3 check --nonsense "$plain/peterson.xml"
FLOE_LIBCUDA=/no/such/libcuda.so.1 together 2 3 check "$plain/peterson.xml" --engine=gpu
says err 'no NVIDIA driver is installed'
FLOE_LIBCUDA=/no/such/libcuda.so.1 together 2 3 check "$plain/peterson.xml" --engine=gpu --devices=0,1,2
says err 'no NVIDIA driver is installed'
together 2 3 check "$plain/peterson.xml" --visited-order=order --order-kind=lookups
together 2 3 check "$here/tests/gpu/engine/chains.xml" --engine=gpu --checkpoint=kept
says err 'several processes cannot checkpoint states of several words on GPUs'
[ ! -e kept ] && [ ! -e order ] || fail 'files of what is refused'
timeout 60 "$mpirun" $crowd -n 2 "$floe" check - <"$plain/peterson.xml" >many 2>err || fail "a model from rank 0's input: $(cat err)"

# ends
together 3 2 check "$plain/bakery.xml" -DN=6 -DMAX=9 --timeout=1
says many 'ended at --timeout'
together 3 2 check "$plain/bakery.xml" -DN=6 --memory=8M
says many 'ended at the memory limit'
for signal in INT TERM; do
  timeout 120 "$mpirun" $crowd -n 2 "$floe" check "$plain/bakery.xml" -DN=6 -DMAX=9 >many 2>err &
  child=$!
  sleep 1
  for pid in $(pgrep -P "$(pgrep -P $child | head -1)" 2>/dev/null; pgrep -P $child); do
    [ "$(cat /proc/"$pid"/comm 2>/dev/null)" = mpirun ] && kill -$signal "$pid"
  done
  wait $child
  code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] || fail "SIG$signal: exit code $code"
done
finish
