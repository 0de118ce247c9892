#!/bin/sh
# cost.sh COMMAND ARGUMENT...: runs a test for `make check` and ends its log with the time that the test and its children
# took of processors, user's and system's: a busy machine changes that less than the time on the wall. costs.sh lists it.
# A test that takes half an hour hangs (three hours in `make check-all`): it is ended, with exit code 124. (Check's own limits
# do nothing where tests run in one process, as most do to see that no memory is left.)
limit=1800
[ -z "${FLOE_TEST_ALL:-}" ] || limit=10800
if timeout --foreground 1 true 2>/dev/null; then
  timeout --foreground -k 10 $limit "$@"
else
  "$@"
fi
code=$?
echo 'processor time (of the shell, of the test):'
times
exit $code
