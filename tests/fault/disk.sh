#!/bin/sh
# Full disks and file size limits: the result is printed nevertheless, with the reason for the missing
# file (exit code 5; with a violation 1). The old file is unchanged, without other files; a full cache or temporary folder only costs time.
. "${top_srcdir:-.}/tests/fault/fault.sh"
as_root_where_possible disk.sh
long=$here/tests/fault/long.xml
"$floe" count -q -j1 --engine=interpreter "$long" --visited-order=order >stdout 2>err || fail "no order file: $(cat err)"

# lost: the exit code, with a violation and without
lost() {
  [ "$1" = check ] && echo 1 || echo 5
}

# refused PLACE LIMIT REASON FILE ARGUMENT...: with LIMIT (blocks of 512 bytes for a file, or none) FILE in the folder
# PLACE cannot be written; an old one stays
refused() {
  place=$1 limit=$2 reason=$3 file=$4
  shift 4
  for before in '' old; do
    rm -f "$place/$file"
    [ ! -e "$place/filler" ] || : >"$place/filler"
    [ -z "$before" ] || printf '%s' "$before" >"$place/$file"
    [ ! -e "$place/filler" ] || fill "$place"
    (
      [ "$limit" = none ] || ulimit -f "$limit"
      exec "$floe" "$@" >stdout 2>err </dev/null
    )
    code=$?
    [ $code -eq "$(lost "$@")" ] || fail "$reason: exit code $code after floe $*: $(cat err)"
    case $1 in
      check) says stdout 'violated at depth' ;;
      count) says stdout 'end: every reachable state explored' ;;
    esac
    says err "$place/$file cannot be written: $reason"
    [ "$(cat "$place/$file" 2>/dev/null)" = "$before" ] || fail "$reason: '$before' became $(wc -c <"$place/$file") bytes"
    rm -f "$place/$file"
    [ -z "$(ls -A "$place" | grep -v filler)" ] || fail "$reason: floe $* leaves $(ls -A "$place")"
  done
}

# fill PLACE: occupies all free space
fill() {
  cat /dev/zero >>"$1/filler" 2>/dev/null
}

# every_file PLACE LIMIT REASON
every_file() {
  check="check -q --engine=interpreter --continue"
  refused "$@" trace $check --trace="$1/trace" "$long"
  refused "$@" json $check --json="$1/json" "$long"
  refused "$@" report $check --report="$1/report" "$long"
  refused "$@" graph export "$long" -o "$1/graph"
  refused "$@" keys order --text order -o "$1/keys"
  refused "$@" code plan --dump-code="$1/code" "$examples/peterson.xml"
  refused "$@" order count -j2 --engine=interpreter --visited-order="$1/order" "$long"
}

# compiled_all_the_same WORDS ARGUMENT...: the correct result and a note; folders are unchanged
compiled_all_the_same() {
  words=$1
  shift
  "$floe" count --engine=cpu "$@" "$examples/peterson.xml" >stdout 2>err </dev/null || fail "$words: exit code $?: $(cat err)"
  [ "$(states stdout)" = 4752 ] || fail "$words: $(states stdout) states"
}

mkdir low
every_file low 4 'File too large'
# within a large file, from the writing thread
refused low 1000 'File too large' order count -j1 --engine=interpreter --visited-order=low/order -D N=400000 "$long"

if mount_small "$work/full" size=1m; then
  cd "$work" || exit 99
  refused full none 'No space left on device' order count -j1 --engine=interpreter --visited-order=full/order -D N=400000 "$long"
  refused full none 'No space left on device' trace check -q --engine=interpreter --continue --trace=full/trace "$long"
  : >full/filler
  every_file full none 'No space left on device'

  if command -v "${FLOE_CC:-cc}" >/dev/null; then
    mkdir -m 700 full/cache
    fill full
    compiled_all_the_same 'full cache' --cache-dir=full/cache
    says err 'the cache folder full/cache is not used: No space left on device'
    grep -q 'is interpreted' err && fail 'a full cache stops the compiler'
    empty full/cache 'a full cache'
    rm -f full/filler
    compiled_all_the_same 'cache with room again' --cache-dir=full/cache
    [ "$(ls full/cache | wc -l)" -eq 1 ] || fail "no entry once there is room: $(cat err)"
    mkdir full/tmp
    fill full
    TMPDIR=$work/full/tmp
    compiled_all_the_same 'full temporary folder' --cache-dir=
    TMPDIR=$work/tmp
    says err 'the model is interpreted'
    empty full/tmp 'a full temporary folder'
  fi
else
  echo 'no small file system can be mounted here: only limits of the file size were tested'
fi

# Without /proc an unnamed file cannot get a name: temporary names are used instead.
hidden() { unshare -m sh -c 'mount -t tmpfs tmpfs /proc && exec "$@"' sh "$@"; }
write_all() { # write_all FOLDER [WITH]: everything, as the run's owner and group may read it
  folder=$1
  shift
  (umask 027; "$@" "$floe" check -q -j1 --engine=interpreter --continue --json="$folder/json" --trace="$folder/trace" \
    --report="$folder/report" --visited-order="$folder/order" "$long" >stdout 2>err </dev/null)
  code=$?
  [ $code -eq 1 ] || fail "$folder: exit code $code: $(cat err)"
  only "$folder" "$(printf 'json\norder\nreport\ntrace')" "$folder"
  [ "$(ls -l "$folder" | grep -c '^-rw-r----- ')" -eq 4 ] || fail "$folder: $(ls -l "$folder")"
}
mkdir nameless named
write_all nameless
if hidden "$floe" --version >stdout 2>&1; then
  write_all named hidden
  write_all named hidden # in the place of what is there
  cmp nameless/order named/order || fail 'the order file depends on its name'
  cmp nameless/trace named/trace || fail 'the traces depend on their name'
  cp -R named before
  (ulimit -f 4; hidden "$floe" check -q -j1 --engine=interpreter --continue --json=named/json "$long" >stdout 2>err </dev/null)
  [ $? -eq 1 ] || fail "a named file beyond the limit: $(cat err)"
  (ulimit -f 4; hidden "$floe" count -j1 --engine=interpreter --visited-order=named/order "$long" >stdout 2>err </dev/null)
  [ $? -eq 5 ] || fail "a named order file beyond the limit: $(cat err)"
  diff -r before named || fail 'a failure changed what was there'
else
  echo '/proc cannot be hidden here, or floe not run without it: temporary names are not tested'
fi
finish
