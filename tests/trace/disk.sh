#!/bin/sh
# --trace: a file that cannot be completed does not appear, nor any other; the verdict is printed,
# and its exit code stays. Errors known before the run give exit code 3.
. "${top_srcdir:-.}/tests/cmd/common.sh"
race=$models/race.xml

run 1 check -q --trace=trace.json "$race"
[ "$(ls | grep -c trace)" -eq 1 ] || fail "files left over: $(ls)"
run 3 check -q --trace=nowhere/trace.json "$race"
says err 'nowhere/trace.json cannot be written: No such file'
silent out
if [ -c /dev/full ]; then
  run 1 check -q --trace=/dev/full "$race"
  says out 'sum: violated at depth 4'
  says err '/dev/full cannot be written: No space left on device'
  [ -c /dev/full ] || fail '/dev/full was replaced'
fi
run 1 check -q --trace=- "$race"
grep -q '"format": "floe-traces"' out || fail 'no traces on standard output'

# the old file stays if the new one cannot be written
limited() { # limited BLOCKS ARGUMENT...: files of so many blocks of 512 bytes at most
  blocks=$1
  shift
  (ulimit -f "$blocks"; exec "$floe" "$@") >out 2>err </dev/null
}
mkdir small
cp trace.json small/trace.json
limited 4 check -q --engine=interpreter --cache-dir= --trace=small/trace.json "$race"
[ $? -eq 1 ] || fail "a file that is too large: $(cat out err)"
says err 'small/trace.json cannot be written'
cmp trace.json small/trace.json || fail 'the old file is damaged'
[ "$(ls small)" = trace.json ] || fail "files left over: $(ls small)"

# a full file system, if one can be created
mkdir full
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=16k tmpfs full 2>/dev/null; then
  trap 'umount "$work/full"; rm -rf "$work"' EXIT
  head -c 12000 /dev/zero >full/other
  run 1 check -q --trace=full/trace.json "$race"
  says out 'sum: violated at depth 4'
  says err 'full/trace.json cannot be written: No space left on device'
  [ "$(ls full)" = other ] || fail "files left over: $(ls full)"
else
  echo 'no small file system can be mounted: a limit of file size was tested instead'
fi

# killed while it writes: the final name has the complete file or none. (A pipe stops the writer.)
n=0
while [ $n -lt 5 ]; do
  rm -f killed.json
  "$floe" check -q --engine=interpreter --continue --trace=killed.json "$here/models/philosophers.xml" -D N=7 >out 2>err &
  pid=$!
  sleep "0.0$n"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  if [ -f killed.json ]; then
    tail -n 1 killed.json | grep -qx '}' || fail 'half a file under the final name'
  fi
  n=$((n + 1))
done
finish
