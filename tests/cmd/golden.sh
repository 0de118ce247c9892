#!/bin/sh
# Transcripts: tests/cmd/golden/*.txt. Line 1 is the reason for the test, line 2 the command line, and the
# rest what is printed (both streams) with the exit code. Figures of time, memory and machine are filtered.
# FLOE_GOLDEN_WRITE=1 writes them: read the difference before committing it.
. "${top_srcdir:-.}/tests/cmd/common.sh"

filter() {
  sed -E -e 's/^(engine|table|memory by part|memory|rate|phases, which can overlap|time): .*/\1: .../' \
    -e 's/^(states that fit in ).*:/\1...:/' -e 's/(slots of [0-9]+ bits: ).*/\1.../' \
    -e 's/^(certificate: .*levels_hash=)[0-9a-f]{16} set=[0-9a-f]{16}$/\1... set=.../' \
    -e 's/^floe [0-9][0-9.a-z-]*$/floe VERSION/'
}

n=0
for golden in "$here"/tests/cmd/golden/*.txt; do
  arguments=$(sed -n '2s/^\$ floe *//p' "$golden")
  cd "$models" || exit 99
  "$floe" $arguments >"$work/raw" 2>&1 </dev/null
  code=$?
  cd "$work" || exit 99
  { sed -n 1,2p "$golden"; filter <raw; echo "exit code $code"; } >found
  n=$((n + 1))
  if [ "${FLOE_GOLDEN_WRITE:-0}" = 1 ]; then
    cp found "$golden"
  else
    diff -u "$golden" found >difference || fail "$(basename "$golden"): $(cat difference)"
  fi
done
[ $n -ge 8 ] || fail "only $n transcripts found"
finish
