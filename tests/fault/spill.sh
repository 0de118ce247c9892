#!/bin/sh
# Searches whose states do not fit in --memory: a part goes to disk, the result is the same, and no files remain, even
# after a kill. A full disk ends the run like full memory, and the message names the disk.
. "${top_srcdir:-.}/tests/fault/fault.sh"
as_root_where_possible spill.sh
wide="$examples/counters.xml -DN=18 -DK=2 --expected-states=262144 --no-trace"
count="count --table=iceberg --engine=cpu --cache-dir=cache $wide"

certificate() { sed -n 's/.*"certificate": "\(.*\)".*/\1/p' "$1"; }
disk_bytes() { sed -n 's/.*"disk_bytes": \([0-9]*\).*/\1/p' "$1"; }

# matches FILE EXPRESSION
matches() {
  grep -qE -- "$2" "$1" || fail "'$2' does not match $1: $(cat "$1")"
}

# ---- same result, no files remain
"$floe" $count -j1 --json=memory.json >stdout 2>err || fail "in memory: $(cat err)"
[ "$(disk_bytes memory.json)" = 0 ] || fail "$(disk_bytes memory.json) bytes on disk with all memory"
grep -q 'written to a temporary file' stdout && fail 'tells of a disk that was not used'
for threads in 1 2; do
  "$floe" $count -j$threads -m 1000K --json=disk.json >stdout 2>err || fail "-j$threads: exit code $?: $(cat stdout err)"
  [ "$(certificate disk.json)" = "$(certificate memory.json)" ] || fail "-j$threads: $(certificate disk.json)"
  [ "$(disk_bytes disk.json)" -gt 100000 ] || fail "-j$threads: $(disk_bytes disk.json) bytes on disk"
  matches stdout '^frontier written to a temporary file, for lack of memory: [0-9]'
  empty tmp "-j$threads"
done

# ---- no room: by a file size limit, a full file system, a missing folder
undecided() { # undecided CODE REASON
  [ "$1" -eq 2 ] || fail "$2: exit code $1: $(cat stdout err)"
  matches stdout '^end: ended at the memory limit; .*complete up to depth [1-9]'
  matches err "$2"
  says err 'TMPDIR names the folder'
}
(ulimit -f 200 && exec "$floe" $count -j2 -m 1000K >stdout 2>err </dev/null)
undecided $? 'the temporary file with waiting states in .*/tmp, .* cannot take .* more: File too large'
empty tmp 'a limit of files'
TMPDIR=$work/nowhere "$floe" $count -j2 -m 1000K >stdout 2>err
undecided $? 'no temporary file for waiting states can be created in .*/nowhere: No such file or directory'
if mount_small "$work/full" size=128k; then
  TMPDIR=$work/full "$floe" $count -j2 -m 1000K >stdout 2>err
  undecided $? 'the temporary file with waiting states in .*/full, .* cannot take .* more: No space left on device'
  empty full 'a full file system'
else
  echo 'no small file system can be mounted here: only limits of the file size were tested'
fi

# ---- kill -9
if [ -x "$builddir/tests/fault/unnamed_file" ] && (cd tmp && "$builddir/tests/fault/unnamed_file"); then
  on_disk() { ls -l "/proc/$pid/fd" 2>/dev/null | grep -q "$work/tmp/.*deleted"; }
  for threads in 1 2; do
    "$floe" count --engine=cpu --cache-dir=cache "$examples/counters.xml" -DN=22 -DK=2 --table=iceberg --expected-states=4194304 -m 14M -j$threads >stdout 2>err </dev/null &
    pid=$!
    wait_until on_disk || fail "-j$threads: no file: $(cat stdout err)"
    kill -9 $pid
    wait $pid 2>/dev/null
    empty tmp "kill -9, -j$threads,"
  done
fi
finish
