#!/bin/sh
# cost.sh COMMAND ARGUMENT...: runs a test for `make check` and appends to its log the processor time (user and system) of
# the test and its children, which depends less on other load than wall time. costs.sh lists it.
# A test of more than half an hour (three hours in `make check-all`) is ended, with exit code 124. (Check's own limits
# have no effect if tests run in one process, as most do to detect leaks.)
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
