#!/bin/sh
# Groups of MPI processes, with each MPI library found: by Debian's command names of Open MPI and MPICH, else mpicc and
# mpirun. The script builds the module as src/mpi/Makefile.inc does.
set -u
top=$(cd "${top_srcdir:-.}" && pwd) || exit 99
program=${top_builddir:-.}/tests/mpi/test_group
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 libraries=
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # MPI's libraries leave memory behind
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ASAN_OPTIONS

there() { command -v "$1" >/dev/null 2>&1; }
check() { # WHAT GIVEN WANTED
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  echo "$libraries: $1: '$2' instead of '$3'"
  tail -n 20 "$work/out"
}
said() { grep -o "$1" "$work/out" | wc -l; } # occurrences: outputs of several processes may be on one line
# start PROCESSES WORD [NUMBER]: sets `code` to the exit code, within some seconds. MPICH's launcher sometimes dies of
# SIGPIPE when processes end at once: code 141 without any output, and it is started again. When members end with 2 it
# kills the others, and may return the code of one of these, 9.
start() {
  processes=$1
  shift
  for _ in 1 2 3 4 5; do
    # shellcheck disable=SC2086 # words
    timeout -k 5 100 $launcher -n "$processes" "$program" "$@" >"$work/out" 2>&1 </dev/null
    code=$?
    [ $code -eq 141 ] || break
  done
}

module() { # MPICC
  "$1" -I"$top/src" -std=c11 -O2 -fPIC -fvisibility=hidden -shared -o "$work/floe_mpi.so" "$top/src/mpi/module.c" \
    >"$work/out" 2>&1
}

test_library() { # MPICC LAUNCHER...
  there "$1" && there "$2" || return 0
  if ! module "$1"; then
    echo "$1 does not work"
    return 0
  fi
  libraries="$libraries $1"
  FLOE_LIBMPI=$work/floe_mpi.so
  export FLOE_LIBMPI
  shift
  launcher=$*
  start 3 job
  check 'ranks' "$(sort "$work/out" | tr '\n' ' ')" '0 3 1 3 2 3 '
  for size in 2 3 5; do
    start $size cases 2
    check "cases, $size members" "$code $(said "of $size passed")" "0 $size"
  done
  start 2 cases 20
  check 'many and large messages' $code 0
  start 2 signals
  check 'signal handlers' $code 0
  start 2 open
  check 'begin and end' $code 0
  start 3 abort 42
  check 'abort: the exit code' $code 42
  began=$(date +%s)
  start 3 lost
  [ $code -ne 9 ] || start 3 lost
  check 'members are lost: the exit code' $code 2
  start 3 die
  check 'a killed member ends the job' "$([ $code -ne 0 ] && [ $code -ne 124 ] && echo yes)" yes
  check 'soon' "$([ $(($(date +%s) - began)) -lt 30 ] && echo yes)" yes
  FLOE_LIBMPI=/no/such/module.so
  start 2 open
  check 'no module: the exit code' $code 3
  check 'no module: the reason' "$(said '/no/such/module.so')" 2
  # beside the program
  FLOE_LIBMPI=
  cp "$program" "$work/floe_mpi_member"
  program=$work/floe_mpi_member
  start 2 open
  program=${top_builddir:-.}/tests/mpi/test_group
  check 'the module beside the program' $code 0
}

# A library other than the launcher's: each process would be a job of its own
test_other_library() { # MPICC LAUNCHER
  there "$1" && there "$2" && module "$1" || return 0
  FLOE_LIBMPI=$work/floe_mpi.so
  launcher=$2
  start 2 open
  check "module of $1 with $2: the exit code" $code 3
  check "module of $1 with $2: the reason" "$(said "another library than the launcher's")" 2
}

# Without a launcher there is one process, in batch scripts as well
alone() { env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE -u PMIX_RANK "$@" "$program" job >"$work/out" 2>&1; }
alone
check 'no launcher' "$(cat "$work/out")" '0 1'
alone SLURM_NTASKS=4 SLURM_PROCID=0
check 'a batch script' "$(cat "$work/out")" '0 1'
alone PMIX_RANK=3 SLURM_STEP_NUM_TASKS=4
check 'srun --mpi=pmix' "$(cat "$work/out")" '3 4'
alone PMI_RANK=1 PMI_SIZE=2
check 'srun --mpi=pmi2' "$(cat "$work/out")" '1 2'
alone PMI_RANK=2 PMI_SIZE=2
check 'a rank out of range' "$(cat "$work/out")" '0 1'
alone PMI_RANK=1 PMI_SIZE=2x
check 'no number' "$(cat "$work/out")" '0 1'

test_library mpicc.openmpi mpirun.openmpi --oversubscribe
test_library mpicc.mpich mpiexec.mpich
test_other_library mpicc.mpich mpirun.openmpi
test_other_library mpicc.openmpi mpiexec.mpich
if [ -z "$libraries" ]; then
  there mpirun && mpirun --version 2>/dev/null | grep -q 'Open MPI' && test_library mpicc mpirun --oversubscribe
  [ -n "$libraries" ] || test_library mpicc mpiexec
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] || exit 1
if [ -z "$libraries" ]; then
  echo "skipped: no mpicc with its mpirun that works"
  exit 77
fi
