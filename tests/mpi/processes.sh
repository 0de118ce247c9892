# Shared functions of the scripts about runs in several processes: source it first; call `finish` last.
. "${top_srcdir:-.}/tests/cmd/common.sh"
module=${top_builddir:-$OLDPWD}/src/mpi/floe_mpi.so
case $module in /*) ;; *) module=$OLDPWD/$module ;; esac
mpirun=$(command -v mpirun) || skip 'no mpirun'
[ -f "$module" ] || skip 'the module for MPI is not built'
FLOE_LIBMPI=$module OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # MPI's libraries leave memory behind
export ASAN_OPTIONS FLOE_LIBMPI OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
plain=$work/plain
"$here/tests/state_models.sh" "$plain" || exit 99
crowd=
long=${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}} # not empty: cases that `make check` omits
"$mpirun" --version 2>/dev/null | grep -q 'Open MPI' && crowd=--oversubscribe
timeout 60 "$mpirun" $crowd -n 2 "$floe" --version >out 2>err || skip "mpirun does not run here: $(cat err)"
[ "$(grep -c '^floe ' out)" -eq 1 ] || fail "not only rank 0 speaks: $(cat out)"

# start RANKS ARGUMENT...: sets `code` to the exit code; output in the files many and err
start() {
  ranks=$1
  shift
  # shellcheck disable=SC2086 # words, or none
  timeout 120 "$mpirun" $crowd -n "$ranks" "$floe" "$@" >many 2>err </dev/null
  code=$?
}

# together RANKS CODE ARGUMENT...
together() {
  ranks=$1 expected=$2
  shift 2
  start "$ranks" "$@"
  [ $code -eq "$expected" ] || fail "$ranks ranks, floe $*: exit code $code instead of $expected; $(cat err)"
}

# await TENTHS COMMAND [ARGUMENT...]: waits until it succeeds, at most so many tenths of a second; sets `waited`
await() {
  most=$1 waited=0
  shift
  while ! "$@" && [ $waited -lt "$most" ]; do
    sleep 0.1
    waited=$((waited + 1))
  done
  [ $waited -lt "$most" ]
}

# apart RANKS WORD...: starts floe in the background; file pid.RANK has the process id of each rank, `child` that of the
# launcher. `launch` may have more arguments for the launcher.
launch=
cat >member <<'END'
#!/bin/sh
echo $$ >"pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
exec "$@"
END
chmod +x member
apart() {
  ranks=$1
  shift
  rm -f pid.* err many # of the run before
  # shellcheck disable=SC2086 # words
  timeout 120 "$mpirun" $crowd $launch -n "$ranks" ./member "$floe" "$@" >many 2>err </dev/null &
  child=$!
}

# With --progress=0.05: the search started by `apart` has found states. Fixed times would depend on the machine.
explores() { grep -qE 'depth [1-9]' err 2>/dev/null; }
await_search() { await 300 explores || fail "no progress: $(cat err)"; }

# cut_off RANKS ARGUMENT...: a run that --timeout ends, on a fast machine a shorter one
cut_off() {
  for seconds in 1 0.5 0.2 0.1 0.05; do
    start "$@" --timeout=$seconds
    [ $code -eq 0 ] || break
  done
  [ $code -eq 2 ] || fail "floe $*, --timeout=$seconds: exit code $code instead of 2; $(cat err)"
}

# Results that depend only on the model
plain() {
  sed 's/\x1b\[[0-9;]*m//g' "$1" | grep -vE '^(memory|engine|time|expected|note)' >"$1.plain"
}

# compare CODE ARGUMENT...: the same result as one process, with each number of ranks in `sizes`
compare() {
  expected=$1
  shift
  run "$expected" "$@"
  plain out
  for ranks in $sizes; do
    together "$ranks" "$expected" "$@"
    plain many
    cmp -s out.plain many.plain || fail "$ranks ranks, floe $*: $(diff out.plain many.plain | head -20)"
  done
}
