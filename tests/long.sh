#!/bin/sh
# long.sh [BASE]: runs tests that `make check` leaves out, in a built tree: those of `make list-tests-at-length` at their usual
# size, first of the areas that changed since commit BASE (HEAD~20); then tests of these areas at length (FLOE_TEST_LONG=1).
# FLOE_USUAL_SECONDS (240) and FLOE_LONG_SECONDS (60) are the times after which no more are begun; each commit begins with
# another one. Exit code 1: a test failed.
set -u
cd "${top_builddir:-.}" || exit 99
base=${1:-HEAD~20}
[ -z "${FLOE_CI_ALL:-}" ] || FLOE_USUAL_SECONDS=7200 # before a release

gpu='tests/gpu/multi/test_device_team tests/gpu/multi/test_members_checkpoint tests/gpu/multi/test_members
  tests/gpu/multi/test_visited_order tests/gpu/engine/test_snapshot tests/gpu/engine/test_sizing_policy'
tables='tests/tables/kernel/scans.sh tests/tables/test_table_model tests/gpu/table/test_emulated_tables tests/gpu/table/test_emulated_table
  tests/gpu/table/test_emulated_api_table tests/gpu/table/test_emulated_bench tests/cmd/table.sh'
processes='tests/mpi/models.sh tests/mpi/unfired.sh tests/mpi/checkpoint.sh tests/mpi/visited_order.sh
  tests/engine/distributed/test_checkpoint_group tests/engine/disk/test_spill tests/engine/comm/test_group'
models='tests/step/test_index_key_code tests/step/test_invariants tests/step/test_codegen
  tests/api/test_liveness tests/api/test_encoding tests/reference/reference.sh tests/reference/explain.sh
  tests/models.sh tests/peers/compare.sh'
pages='tests/explore/page.sh' # needs Chromium, playwright-core and axe-core (NODE_PATH)

changed=$(git diff --name-only "$base" 2>/dev/null) || changed='gpu/ src/engine/ src/tables/ src/step/ src/model/'
tests=
touches() { printf '%s\n' "$changed" | grep -qE "$1"; }
touches '^(src/step|src/model|src/api|frontend|models|tests/(step|reference|models|api|peers))' && tests="$tests $models"
touches '^(gpu|src/engine|src/tree|src/checkpoint|tests/gpu)/' && tests="$tests $gpu"
touches '^(src/tables|gpu/(table|kernel)|tests/tables|tests/gpu/table)/' && tests="$tests $tables"
touches '^(src/cmd/(explore|report)|src/api/states|tests/explore)/' && tests="$tests $pages"
touches '^(src/engine|src/mpi|src/api|tests/mpi|tests/engine)/' && tests="$tests $processes"

# The folder of a test has the name of the one that it tests.
near=
far=
for test in $(make -s list-tests-at-length); do
  area=${test#tests/}
  if touches "(^|/)${area%%/*}/"; then near="$near $test"; else far="$far $test"; fi
done

turns=$(git rev-list --count HEAD 2>/dev/null || echo 0)
failed=0

# run_until SECOND NOTE TEST...: begins tests, a few at a time, until then; rotated, as there is seldom time for all
run_until() {
  end=$1 note=$2
  shift 2
  skip=$(($# ? turns * 5 % $# : 0))
  while [ "$skip" -gt 0 ]; do
    first=$1
    shift
    set -- "$@" "$first"
    skip=$((skip - 1))
  done
  while [ $# -gt 0 ] && [ "$(date +%s)" -lt "$end" ]; do
    batch="$1 ${2:-} ${3:-}"
    shift $(($# < 3 ? $# : 3))
    # (Programs are built by the rules of their logs.)
    make -s check-TESTS TESTS="$batch" check_PROGRAMS= >long.log 2>&1 || {
      failed=1
      tail -n 100 test-suite.log 2>/dev/null || tail -n 20 long.log
    }
    sed -n "s/^\(PASS\|SKIP\|FAIL\|ERROR\): \(.*\)/\1: \2$note/p" long.log
  done
  rm -f long.log
  [ $# -eq 0 ] || echo "not begun in time$note: $*"
}

# shellcheck disable=SC2086 # lists of words
{
  end=$(($(date +%s) + ${FLOE_USUAL_SECONDS:-240}))
  run_until $end '' $near
  run_until $end '' $far
  FLOE_TEST_LONG=1
  export FLOE_TEST_LONG
  run_until $(($(date +%s) + ${FLOE_LONG_SECONDS:-60})) ', at length' $tests
}
exit $failed
