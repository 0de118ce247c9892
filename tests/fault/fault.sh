# Shared by the scripts of this folder, on top of tests/cmd/common.sh: source it first, call `finish` last.
. "${top_srcdir:-.}/tests/cmd/common.sh"
builddir=${top_builddir:-.}
case $builddir in /*) ;; *) builddir=$here/$builddir ;; esac
examples=$here/models
mounted=
trap 'for folder in $mounted; do umount "$folder"; done; rm -rf "$work"' EXIT
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR

# wait_until COMMAND...: succeeds as soon as the command does, fails after a minute
wait_until() {
  patience=600
  until "$@"; do
    patience=$((patience - 1))
    [ $patience -gt 0 ] || return 1
    sleep 0.1
  done
}

# Clock in hundredths of a second; whole seconds if date(1) has no better
hundredths() {
  now=$(date +%s%N)
  case $now in
    *N) echo $((${now%N} * 100)) ;;
    *) echo $((now / 10000000)) ;;
  esac
}

# pause HUNDREDTHS
pause() {
  sleep "$(($1 / 100)).$(printf %02d $(($1 % 100)))"
}

# empty FOLDER WORDS: the folder is empty
empty() {
  [ -z "$(ls -A "$1")" ] || fail "$2 leaves $(ls -A "$1")"
}

# only FOLDER NAME WORDS: the folder contains NAME only
only() {
  [ "$(ls -A "$1")" = "$2" ] || fail "$3 leaves $(ls -A "$1")"
}

# mount_small FOLDER OPTIONS: a file system in memory, unmounted at the end
mount_small() {
  mkdir -p "$1"
  mount -t tmpfs -o "$2" tmpfs "$1" 2>/dev/null || return 1
  mounted="$1 $mounted"
}

# as_root_where_possible SCRIPT: without the right to mount, restarts the script in a user name space, which has
# it.
as_root_where_possible() {
  [ "$(id -u)" -ne 0 ] && [ -z "${FLOE_OWN_NAMES:-}" ] && unshare -rm true 2>/dev/null || return 0
  cd "$here" && rm -rf "$work"
  FLOE_OWN_NAMES=1 top_srcdir=$here top_builddir=$builddir FLOE=$floe
  export FLOE_OWN_NAMES top_srcdir top_builddir FLOE
  unset TMPDIR
  exec unshare -rm sh "$here/tests/fault/$1"
}

# whole_json FILE: begins and ends like JSON, and python parses it, if there is one
whole_json() {
  [ "$(head -c 1 "$1")" = '{' ] && [ "$(tail -n 1 "$1")" = '}' ] || return 1
  ! command -v python3 >/dev/null || python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"
}

# states FILE: the number of states in the text of floe
states() {
  sed -n 's/^states: \([0-9]*\).*/\1/p' "$1"
}
