#!/bin/sh
# Ranks started by Slurm (srun --mpi=pmix) on a temporary cluster of one node on loopback: results and ends. It needs root
# and slurmctld, slurmd, srun, sbatch, scancel and munged; folder, socket and ports belong to this run.
. "${top_srcdir:-.}/tests/mpi/processes.sh"
[ "$(id -u)" = 0 ] || skip 'only root starts a slurmd'
for program in slurmctld slurmd srun sbatch scancel munged; do
  command -v $program >/dev/null || skip "no $program"
done
"$mpirun" --version 2>/dev/null | grep -q 'Open MPI' || skip 'only with Open MPI, which has PMIx'

daemons=
# shellcheck disable=SC2317,SC2086 # called by a trap; words
end_daemons() {
  kill $daemons 2>/dev/null
  wait $daemons 2>/dev/null
}
trap 'end_daemons; rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
chmod 755 "$work" # munged wants a folder for its socket that all may enter
folder=$PWD port=$((20000 + $$ % 20000))
mkdir state spool
dd if=/dev/urandom of=key bs=1024 count=1 2>/dev/null
chmod 600 key
cat >slurm.conf <<END
ClusterName=floe
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=$port
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmdPidFile=$folder/slurmd.pid
SlurmctldPidFile=$folder/slurmctld.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
KillWait=5
NodeName=localhost NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=8 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
END
SLURM_CONF=$folder/slurm.conf
export SLURM_CONF
munged --foreground --force --socket="$folder/socket" --key-file="$folder/key" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/seed" >munged.out 2>&1 &
daemons=$!
await 50 [ -S socket ]
slurmctld -D >slurmctld.out 2>&1 &
daemons="$daemons $!"
slurmd -D -N localhost >slurmd.out 2>&1 &
daemons="$daemons $!"
node_is_up() { timeout 5 sinfo -h -o %t 2>/dev/null | grep -q idle; }
await 200 node_is_up
timeout 30 srun --mpi=list 2>&1 | grep -q 'pmix' || skip "Slurm has no PMIx: $(srun --mpi=list 2>&1)"
timeout 30 srun -n 2 true 2>err || skip "no Slurm runs here: $(tail -n 3 err slurmctld.out slurmd.out)"

# From here on Slurm starts the ranks.
start() {
  ranks=$1
  shift
  timeout 120 srun --mpi=pmix -n "$ranks" "$floe" "$@" >many 2>err </dev/null
  code=$?
}

sizes='2 4'
compare 0 check "$plain/peterson.xml"
compare 1 check "$plain/havi.xml" -DCURED=0
compare 2 check "$plain/peterson.xml" --max-depth=7

# If an allocation has more tasks than a step, those of the step count.
timeout 120 srun -n 1 --mpi=pmix "$floe" check "$plain/peterson.xml" --json >many 2>err </dev/null
grep -q '"ranks"' many && fail "one task is several ranks: $(cat many)"

# Without an MPI each task is a separate run, and a batch script is one process, whatever its allocation.
cat >script <<END
#!/bin/sh
"$floe" check "$plain/peterson.xml" >"$folder/batch.out" 2>"$folder/batch.err"
echo \$? >"$folder/batch.code"
END
timeout 60 sbatch --wait -n 4 --output="$folder/sbatch.out" script >err 2>&1 || fail "sbatch: $(cat err sbatch.out)"
[ "$(cat batch.code)" = 0 ] || fail "floe in a batch script: $(cat batch.out batch.err)"
grep -q 'processes' batch.out && fail "a batch script is several ranks: $(cat batch.out)"

# scancel ends them in bounded time, and the verdict so far is printed.
timeout 120 srun --mpi=pmix -n 2 "$floe" check "$plain/hanoi.xml" -DN=20 --memory=1G >many 2>err </dev/null &
child=$!
runs() { job=$(squeue -h -o %i -t R 2>/dev/null) && [ -n "$job" ]; }
await 50 runs
sleep 3
begun=$(date +%s)
scancel --signal=INT "$job" 2>scancel.err || fail "scancel: $(cat scancel.err)"
wait $child
code=$?
[ $code -eq 2 ] || fail "after an interrupt: exit code $code; $(cat many err)"
[ $(($(date +%s) - begun)) -lt 30 ] || fail 'an interrupt took half a minute'
grep -q 'interrupt' many err || fail "an interrupt is not reported: $(cat many err)"

# A task that dies: Slurm ends the others.
cat >member <<'END'
#!/bin/sh
echo $$ >"pid.$SLURM_PROCID"
exec "$@"
END
srun --mpi=pmix -n 2 ./member "$floe" check "$plain/hanoi.xml" -DN=20 --timeout=100 >many 2>err </dev/null &
child=$!
await 50 [ -s pid.1 ]
sleep 3
begun=$(date +%s)
kill -KILL "$(cat pid.1)"
wait $child
code=$?
case $code in 0 | 124) false ;; esac || fail "after the death of a task: exit code $code; $(cat many err)"
[ $(($(date +%s) - begun)) -lt 60 ] || fail "a task's death took a minute to be seen"
kill -0 "$(cat pid.0)" 2>/dev/null && fail 'the other task is still there'
finish
