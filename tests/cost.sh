#!/bin/sh
# cost.sh COMMAND ARGUMENT...: runs a test for `make check` and ends its log with the time that the test and its children
# took of processors, user's and system's: a busy machine changes that less than the time on the wall. costs.sh lists it.
"$@"
code=$?
echo 'processor time (of the shell, of the test):'
times
exit $code
