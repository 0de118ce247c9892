#!/bin/sh
# Ends of runs in several processes: by signals to one of them, and when a process is gone.
. "${top_srcdir:-.}/tests/mpi/processes.sh"

# A signal to rank 1 ends only the search that is running.
apart 2 check "$plain/bakery.xml" --sweep=N=6,2 -DMAX=9
sleep 3
kill -INT "$(cat pid.1)"
wait $child
code=$?
[ $code -eq 2 ] || fail "a sweep, SIGINT to rank 1: exit code $code instead of 2; $(cat err)"
says many 'undecided: interrupted'
says many 'all satisfied'

# A violation that was found gets its trace, with a signal to each rank.
sed 's|</model>|<property id="low" kind="never">P[0].x == 3</property></model>|' "$here/tests/cmd/models/large.xml" >violated.xml
deep() { grep -qE 'depth ([5-9]|[1-9][0-9])' err 2>/dev/null; }
for signal in INT TERM; do
  rank=0
  [ $signal = INT ] || rank=1
  rm -f trace.json
  apart 2 check --continue --engine=interpreter -j1 --timeout=100 --progress=0.05 --trace=trace.json violated.xml -DK=16 -DN=10
  await 300 deep || fail "no progress: $(cat err)"
  kill -$signal "$(cat pid.$rank)"
  wait $child
  code=$?
  [ $code -eq 1 ] || fail "SIG$signal to rank $rank after a violation: exit code $code instead of 1; $(cat err)"
  says many 'end: interrupted'
  says many 'low: violated at depth 3'
  "$floe" replay violated.xml -DK=16 -DN=10 trace.json >out 2>err || fail "the trace after SIG$signal: $(cat out err)"
done

# Without a temporary file on rank 1 there are no traces, as in one process, but verdicts: a warning, no error.
cat >poor <<'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] || export TMPDIR=/nonexistent
exec "$@"
END
chmod +x poor
timeout 100 "$mpirun" $crowd -n 2 ./poor "$floe" check "$plain/philosophers.xml" -DLEFT=0 -DN=16 --memory=12M -j1 \
  >many 2>err </dev/null
code=$?
[ $code -eq 1 ] || fail "no temporary file for rank 1: exit code $code instead of 1; $(cat err)"
says err 'warning: rank 1 cannot write its temporary file for the trace'
says err 'no trace for '
! grep -q 'error:' err || fail "an error of a run that succeeds: $(cat err)"

# A launcher that does not end the other processes when one ends or dies: rank 0 sends them the end.
case $("$mpirun" --version 2>/dev/null) in
*'Open MPI'*) launch='--mca orte_abort_on_non_zero_status 0 --mca orte_allowed_exit_without_sync 1' ;;
*) launch=-disable-auto-cleanup ;;
esac
# ends CODE WHAT: the job must end in some seconds; otherwise it is killed. The launcher's own code may be 0.
ends() {
  (sleep 30 && kill $child) 2>/dev/null &
  late=$!
  wait $child
  code=$?
  kill $late 2>/dev/null
  [ $code -eq "$1" ] || [ $code -eq 0 ] || fail "$2: exit code $code instead of $1; $(cat err)"
}
awk 'BEGIN {
  print "<model name=\"long\"><variable name=\"x\" range=\"0..1000000\"/><process name=\"P\"><location name=\"a\" initial=\"true\"/>"
  for (i = 0; i < 200000; i++)
    printf "<transition from=\"a\" guard=\"x eq %d\" effect=\"x = %d\"/>\n", i, i + 1
  print "</process></model>" }' >many.xml
apart 3 check --timeout=0.001 many.xml
ends 2 'a model that takes long to read, nothing is killed'
grep -qE 'ended before the exploration began|interrupted while many.xml was read' err || echo 'the model was read at once'
apart 3 check "$plain/peterson.xml" -DN=1000
ends 3 'an error in the model, nothing is killed'
apart 3 check --nonsense
ends 3 'a wrong option, nothing is killed'
finish
