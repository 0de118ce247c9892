#!/bin/sh
# A failed write is never a success; a reader that closes its pipe is no failure.
. "${top_srcdir:-.}/tests/cmd/common.sh"
ring=$models/ring.xml

if [ -c /dev/full ]; then
  for arguments in "check $ring" "count $ring" "plan $ring" "--json $ring" "--dump-code $ring" help; do
    "$floe" $arguments >/dev/full 2>err
    code=$?
    [ $code -eq 5 ] || fail "floe $arguments to a full disk: exit code $code"
    says err 'standard output cannot be written'
  done
  run 5 --json=/dev/full "$ring"
  says out 'safe: holds'
  says err '/dev/full cannot be written'
  # a violation is still reported, and "undecided" is no success
  for lost in json report trace; do
    run 1 check --$lost=/dev/full "$models/race.xml"
    says out 'sum: violated at depth 4'
    says err '/dev/full cannot be written'
  done
  run 5 check --max-depth=1 --json=/dev/full --trace=t "$ring"
  says out 'safe: undecided'
  run 5 check --sweep=N=2,3 --json=/dev/full "$ring"
  run 5 check --expect --json=/dev/full "$ring"
  run 5 plan --json=/dev/full "$ring"
  says out 'bits per state'
  run 5 devices --json=/dev/full
  [ -s out ] || fail 'no devices without a file'
fi

# a pipe whose reader ends before the first write
{ "$floe" check "$ring" 2>err; echo $? >code; } | true
sleep 0.1
{ sleep 0.5; "$floe" plan "$ring" 2>err; echo $? >code; } | true
[ "$(cat code)" -eq 0 ] || fail "closed pipe: exit code $(cat code)"
silent err

# generated code, to standard output and to a file
run 0 --dump-code "$ring"
grep -q 'ring' out || fail 'the generated code does not name its model'
run 0 plan --dump-code=search_kernels.c "$ring"
cmp -s out search_kernels.c && fail 'text and code in one stream'
[ -s search_kernels.c ] || fail 'no code in the file'
run 0 --dump-code "$ring"
cmp -s out search_kernels.c || fail 'two ways to print the code differ'

# a model from standard input
"$floe" - <"$ring" >out 2>err || fail "model from standard input: $(cat err)"
says out 'safe: holds'
echo '<model name="x">' | "$floe" - >out 2>err
[ $? -eq 3 ] || fail 'a broken model from standard input is accepted'
says err '<stdin>:'
finish
