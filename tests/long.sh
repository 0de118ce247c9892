#!/bin/sh
# long.sh [BASE]: runs tests at length (FLOE_TEST_LONG=1), in a built tree: those of the areas that changed since commit BASE
# (HEAD~20), as far as FLOE_LONG_SECONDS (180) allow, with another one first at each commit. Without git, all areas. Exit
# code 1: a test failed.
set -u
cd "${top_builddir:-.}" || exit 99
base=${1:-HEAD~20}
seconds=${FLOE_LONG_SECONDS:-180}
began=$(date +%s)

gpu='tests/gpu/multi/test_device_team tests/gpu/multi/test_members_checkpoint tests/gpu/multi/test_members
  tests/gpu/multi/test_visited_order tests/gpu/engine/test_snapshot tests/gpu/engine/test_sizing_policy'
tables='tests/tables/test_table_model tests/gpu/table/test_emulated_tables tests/gpu/table/test_emulated_table
  tests/gpu/table/test_emulated_api_table tests/gpu/table/test_emulated_bench tests/cmd/table.sh'
processes='tests/mpi/models.sh tests/mpi/unfired.sh tests/mpi/checkpoint.sh tests/mpi/visited_order.sh
  tests/engine/distributed/test_checkpoint_group tests/engine/disk/test_spill tests/engine/comm/test_group'
models='tests/step/test_index_key_code tests/step/test_invariants tests/api/test_encoding tests/reference/reference.sh tests/reference/explain.sh
  tests/models.sh tests/peers/compare.sh'
pages='tests/explore/page.sh' # needs Chromium, playwright-core and axe-core (NODE_PATH)

changed=$(git diff --name-only "$base" 2>/dev/null) || changed='gpu/ src/engine/ src/tables/ src/step/'
tests=
touches() { printf '%s\n' "$changed" | grep -qE "$1"; }
touches '^(src/step|src/model|src/api|frontend|models|tests/(step|reference|models|api|peers))' && tests="$tests $models"
touches '^(gpu|src/engine|src/tree|src/checkpoint|tests/gpu)/' && tests="$tests $gpu"
touches '^(src/tables|gpu/(table|kernel)|tests/tables|tests/gpu/table)/' && tests="$tests $tables"
touches '^(src/cmd/(explore|report)|src/api/states|tests/explore)/' && tests="$tests $pages"
touches '^(src/engine|src/mpi|src/api|tests/mpi|tests/engine)/' && tests="$tests $processes"

# rotated, as there is seldom time for all
# shellcheck disable=SC2086 # a list of words
set -- $tests
turns=$(git rev-list --count HEAD 2>/dev/null || echo 0)
[ $# -eq 0 ] || turns=$((turns * 5 % $#))
while [ $# -gt 0 ] && [ "$turns" -gt 0 ]; do
  first=$1
  shift
  set -- "$@" "$first"
  turns=$((turns - 1))
done

failed=0 left=
for test in "$@"; do
  if [ $(($(date +%s) - began)) -ge "$seconds" ]; then
    left="$left $test"
    continue
  fi
  FLOE_TEST_LONG=1 make -s check TESTS="$test" >long.log 2>&1 || {
    failed=1
    tail -n 40 "${test%.sh}.log" "$test.log" 2>/dev/null
  }
  sed -n 's/^\(PASS\|SKIP\|FAIL\|ERROR\): \(.*\)/\1: \2, at length/p' long.log
done
rm -f long.log
[ -z "$left" ] || echo "not run at length within $seconds s:$left"
exit $failed
