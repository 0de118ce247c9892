#!/bin/sh
# How runs in several processes end: by signals that reach one of them alone, and where some process is gone.
. "${top_srcdir:-.}/tests/mpi/ranks.sh"

# A signal that rank 1 alone gets ends the search it comes in, and no other one.
apart 2 check "$here/models/bakery.xml" --sweep=N=6,2 -DMAX=9
sleep 3
kill -INT "$(cat pid.1)"
wait $child
code=$?
[ $code -eq 2 ] || fail "a sweep, SIGINT to rank 1: exit code $code instead of 2; $(cat err)"
says many 'undecided: interrupted'
says many 'all as wanted'

finish
