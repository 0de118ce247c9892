#!/bin/sh
# --visited-order and floe order on the command line: header, conversions, full disk, damaged files, kill, exit codes.
. "${top_srcdir:-.}/tests/cmd/common.sh"
ring=$models/ring.xml

run 0 count -j1 "$ring" --visited-order=a.ord
run 0 order a.ord
says out 'keys: 6'
says out 'kind: states'
says out 'order: breadth-first, threads: 1'
says out 'run: complete'
run 0 check -j1 "$ring" --visited-order=b.ord --engine=interpreter --no-trace
cmp -s a.ord b.ord || fail 'compiled code and interpreter write different orders'
run 0 count -j2 "$ring" --visited-order=many.ord --order-kind=lookups
run 0 order many.ord
says out 'kind: lookups'
says out 'order: not deterministic, threads: 2'

# text, words and NumPy agree
run 0 order --text a.ord -o a.txt
[ "$(wc -l <a.txt)" -eq 6 ] || fail "$(wc -l <a.txt) lines of text"
run 0 order --raw a.ord
od -An -v -t u8 -w8 out | tr -d ' ' | cmp -s - a.txt || fail 'words and text differ'
cp out a.raw
run 0 order --npy a.ord --output=a.npy
[ $(($(wc -c <a.npy) - $(wc -c <a.raw))) -eq 128 ] || fail 'the header of the .npy file has not 128 bytes'
tail -c +129 a.npy | cmp -s - a.raw || fail 'words and .npy differ'
head -c 128 a.npy | grep -aq "'descr': '<u8', 'fortran_order': False, 'shape': (6,), }" || fail 'the header of the .npy file'

# compressed or not, the same keys
if "$floe" count -j1 "$ring" --visited-order=a.ord.zst >out 2>err; then
  run 0 order a.ord.zst
  says out 'compression: zstd'
  run 0 order --text a.ord.zst
  cmp -s out a.txt || fail 'compressed keys differ'
else
  says err 'without libzstd'
fi

# incomplete runs are marked
run 2 count -j1 "$ring" --max-states=2 --visited-order=a.ord
run 0 order a.ord
says out 'run: states'

# unwritable files: no partial or other file; exit code 3 before the run, 5 with the counts after it
mkdir empty
run 3 count "$ring" --visited-order=/dev/full
says err 'cannot be written: it is not a regular file'
(
  ulimit -f 8
  exec "$floe" count -j1 "$here/models/peterson.xml" --engine=interpreter --visited-order=empty/x
) >out 2>err
[ $? -eq 5 ] || fail "a file beyond the limit: $(cat err)"
says out 'states: 4752'
says err 'empty/x cannot be written: File too large'
[ -z "$(ls -A empty)" ] || fail "a full disk leaves $(ls empty)"
[ ! -e /proc/self ] || {
  "$floe" count "$models/large.xml" --visited-order=empty/x --engine=interpreter --progress=0 >/dev/null 2>&1 &
  sleep 0.3
  kill -9 $!
  wait $! 2>/dev/null
  [ ! -e empty/x ] || fail 'a file under its final name after kill -9'
}

# unreadable files
run 3 order nowhere.ord
says err 'nowhere.ord cannot be opened'
run 3 order "$ring"
says err 'it is not an order file'
printf x >>a.ord
run 3 order --text a.ord -o spoilt.txt
says err 'longer than its header says'
[ ! -e spoilt.txt ] || fail 'the conversion of a damaged file has a result'
run 3 order --text --raw a.ord
says err 'cannot be combined'
run 3 check --expect "$here/models/peterson.xml" --visited-order=x
run 3 order --npy many.ord -o /nowhere/x
finish
