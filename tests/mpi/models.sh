#!/bin/sh
# Several processes find what one finds: certificates, verdicts and traces of models, bounds, errors, ends of runs.
. "${top_srcdir:-.}/tests/mpi/processes.sh"

sizes=2${long:+ 3}
compare 0 check "$here/models/peterson.xml"
compare 0 check "$here/models/bakery.xml" -DN=4
compare 1 check "$here/models/havi.xml" -DCURED=0
compare 1 check "$here/models/coherence.xml" -DBROKEN=1 --continue
[ -n "${FLOE_TEST_QUICK:-}" ] && finish
sizes=3
for model in altbit monitor ${long:+hanoi lamport twophase}; do
  compare 0 check "$here/models/$model.xml" --continue --no-trace
done
compare 1 check "$here/models/philosophers.xml" -DLEFT=0
compare 0 count "$here/models/counters.xml" -DN=4
compare 1 check "$models/overflow.xml"
compare 2 check "$here/models/peterson.xml" --max-depth=7
compare 2 check "$here/models/peterson.xml" --max-states=100
compare 0 check "$here/models/peterson.xml" -p mutex --engine=interpreter
[ -z "$long" ] || compare 0 check "$here/models/raymond.xml" --encoding=fields
compare 0 check "$here/models/altbit.xml" --expect
# The other processes get the texts of included files from rank 0.
if python3 "$here/tests/reference/includes.py" "$here/models/peterson.xml" twins >twin; then
  compare 0 check "$(cat twin)"
fi

# statistics of each rank, which add up to the totals
together 3 0 check "$here/models/peterson.xml" --json
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
together 2 0 plan "$here/models/peterson.xml"
[ "$(grep -c '^model' many)" -le 1 ] || fail "two plans: $(cat many)"
together 2 3 check "$here/models/peterson.xml" -DN=1000
[ "$(grep -c 'error' err)" -eq 1 ] || fail "an error is not logged once: $(cat err)"
together 2 3 check --nonsense "$here/models/peterson.xml"
FLOE_LIBCUDA=/no/such/libcuda.so.1 together 2 3 check "$here/models/peterson.xml" --engine=gpu
says err 'no NVIDIA driver is installed'
FLOE_LIBCUDA=/no/such/libcuda.so.1 together 2 3 check "$here/models/peterson.xml" --engine=gpu --devices=0,1,2
says err 'no NVIDIA driver is installed'
together 2 3 check "$here/models/peterson.xml" --visited-order=order --order-kind=lookups
together 2 3 check "$here/tests/gpu/engine/chains.xml" --engine=gpu --checkpoint=kept
says err 'several processes cannot checkpoint states of several words on GPUs'
[ ! -e kept ] && [ ! -e order ] || fail 'files of what is refused'
timeout 60 "$mpirun" $crowd -n 2 "$floe" check - <"$here/models/peterson.xml" >many 2>err || fail "a model from rank 0's input: $(cat err)"

# ends
together 3 2 check "$here/models/bakery.xml" -DN=6 -DMAX=9 --timeout=1
says many 'ended at --timeout'
together 3 2 check "$here/models/bakery.xml" -DN=6 --memory=8M
says many 'ended at the memory limit'
for signal in INT TERM; do
  timeout 120 "$mpirun" $crowd -n 2 "$floe" check "$here/models/bakery.xml" -DN=6 -DMAX=9 >many 2>err &
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
