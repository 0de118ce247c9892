#!/bin/sh
# Unusable or shared cache folders: the result is correct, a note gives the reason, and no files
# other than entries remain.
. "${top_srcdir:-.}/tests/fault/fault.sh"
as_root_where_possible cache.sh
command -v "${FLOE_CC:-cc}" >/dev/null || skip 'no C compiler'
peterson=$examples/peterson.xml

# compiled ARGUMENT...: runs the compiled model and checks its result
compiled() {
  "$floe" count --engine=cpu "$@" "$peterson" >stdout 2>err </dev/null || fail "floe $*: exit code $?: $(cat err)"
  [ "$(states stdout)" = 4752 ] || fail "floe $*: $(states stdout) states: $(cat stdout err)"
  grep -q '^engine: cpu' stdout || fail "floe $*: $(grep '^engine' stdout; cat err)"
}

# unused FOLDER REASON: compiles, and reports why it caches nothing
unused() {
  compiled --cache-dir="$1"
  says err "the cache folder $1 is not used: $2"
  empty tmp "the cache folder $1"
}

# concurrent and later runs: one entry
mkdir many
for i in 1 2 3 4; do
  "$floe" count --engine=cpu --cache-dir=cache "$peterson" >many/out$i 2>many/err$i </dev/null &
  eval "pid$i=\$!"
done
for i in 1 2 3 4; do
  eval "wait \$pid$i" || fail "one of four at once: exit code $?: $(cat many/err$i)"
  [ "$(states many/out$i)" = 4752 ] || fail "one of four at once: $(cat many/out$i)"
  [ ! -s many/err$i ] || fail "one of four at once: $(cat many/err$i)"
done
[ "$(ls -A cache | grep -cE '^[0-9a-f]{64}\.so$')" -eq 1 ] && [ "$(ls -A cache | wc -l)" -eq 1 ] || fail "four at once leave $(ls -A cache)"
compiled --cache-dir=cache
grep -q '^engine: .*cached' stdout || fail "no use of the cache: $(grep '^engine' stdout)"
empty tmp 'four at once'

# a damaged entry is compiled again
entry=$(ls cache)
echo rubbish >"cache/$entry"
compiled --cache-dir=cache
[ "$(wc -c <"cache/$entry")" -gt 1000 ] || fail 'a damaged entry stays'
only cache "$entry" 'a damaged entry'

# no folder
echo file >file
unused file 'it is not a folder'
[ "$(cat file)" = file ] || fail 'the file in the place of the folder was changed'
unused file/below 'Not a directory'
unused /dev/null 'it is not a folder'
mkdir -m 777 open
chmod 777 open
unused open 'other users can write to it'
empty open 'a folder that other users can write to'

# read-only: by its mode, which root ignores, or by its mount
mkdir -m 500 closed
if [ "$(id -u)" -ne 0 ]; then
  unused closed 'Permission denied'
  unused closed/below 'Permission denied'
elif command -v setpriv >/dev/null && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$(dirname "$work")" 2>/dev/null; then
  chmod 755 "$work"
  chmod 1777 tmp
  chown 65534:65534 closed
  if setpriv --reuid=65534 --regid=65534 --clear-groups "$floe" --version >stdout 2>&1; then
    setpriv --reuid=65534 --regid=65534 --clear-groups \
      "$floe" count --engine=cpu --cache-dir=closed "$peterson" >stdout 2>err </dev/null || fail "another user: $(cat err)"
    says err 'the cache folder closed is not used: Permission denied'
    [ "$(states stdout)" = 4752 ] || fail "another user: $(cat stdout)"
    setpriv --reuid=65534 --regid=65534 --clear-groups \
      "$floe" count --engine=cpu --cache-dir=cache "$peterson" >stdout 2>err </dev/null || fail "another user: $(cat err)"
    says err 'the cache folder cache is not used: it belongs to another user'
    empty closed 'another user'
    # created under umask 0 in a folder that others can reach: they can neither change nor replace it
    (umask 000 && exec "$floe" count --engine=cpu --cache-dir=reached "$peterson" >stdout 2>err </dev/null) || fail "umask 000: $(cat err)"
    chmod 755 reached
    entry=$(ls reached)
    before=$(cksum <"reached/$entry")
    setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'echo theirs >"reached/$1" || mv -f /dev/null "reached/$1" || rm -f "reached/$1"' \
      sh "$entry" >stdout 2>&1 </dev/null && fail 'another user wrote to the cache'
    [ "$(cksum <"reached/$entry")" = "$before" ] || fail 'another user changed an entry'
    # an older entry without these rights is compiled again
    chmod 666 "reached/$entry"
    compiled --cache-dir=reached
    grep -q '^engine: .*cached' stdout && fail 'an entry that other users can write to is used'
    compiled --cache-dir=reached
    grep -q '^engine: .*cached' stdout || fail "an entry is not made again: $(ls -l reached)"
    empty tmp 'another user'
  else
    echo 'floe cannot be run by another user here: folders closed by their mode are not tested'
  fi
else
  echo 'no other user here: folders closed by their mode are not tested'
fi

if mount_small "$work/sealed" size=1m,mode=700; then
  compiled --cache-dir=sealed
  entry=$(ls sealed)
  mount -o remount,bind,ro "$work/sealed" || fail 'the mount cannot be made read-only'
  compiled --cache-dir=sealed # an entry that is there is used
  grep -q '^engine: .*cached' stdout || fail "a read-only cache is not used: $(grep '^engine' stdout)"
  only sealed "$entry" 'a read-only cache'
  "$floe" count --engine=cpu --cache-dir=sealed "$models/ring.xml" >stdout 2>err </dev/null || fail "read-only cache: $(cat err)"
  says err 'the cache folder sealed is not used: Read-only file system'
  [ "$(states stdout)" = 6 ] || fail "read-only cache: $(cat stdout)"
  only sealed "$entry" 'a read-only cache'
  empty tmp 'a read-only cache'
else
  echo 'no file system can be mounted here: read-only and noexec ones are not tested'
  finish
fi

# No program can be executed from the temporary folder, from the cache, from both
mount_small "$work/noexec" size=4m,mode=700,noexec || fail 'no second mount'
mkdir -m 700 noexec/tmp noexec/cache
TMPDIR=$work/noexec/tmp
compiled --cache-dir=cache2
[ ! -s err ] || fail "noexec TMPDIR: $(cat err)"
empty noexec/tmp 'a noexec TMPDIR'
"$floe" count --engine=cpu --cache-dir= "$peterson" >stdout 2>err </dev/null || fail "noexec TMPDIR, no cache: $(cat err)"
[ "$(states stdout)" = 4752 ] || fail "noexec TMPDIR, no cache: $(cat stdout)"
says err 'the model is interpreted'
empty noexec/tmp 'a noexec TMPDIR without a cache'
"$floe" count --engine=cpu --cache-dir=noexec/cache "$peterson" >stdout 2>err </dev/null || fail "noexec cache: $(cat err)"
[ "$(states stdout)" = 4752 ] || fail "noexec cache: $(cat stdout)"
says err 'the model is interpreted'
empty noexec/cache 'a noexec cache'
TMPDIR=$work/tmp
compiled --cache-dir=noexec/cache
empty noexec/cache 'a noexec cache'
finish
