# What the scripts of this folder share, on top of tests/cmd/common.sh: sourced first, `finish` last.
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

# Hundredths of a second of a clock; whole seconds where date(1) knows no others
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

# empty FOLDER WORDS: nothing is in it
empty() {
  [ -z "$(ls -A "$1")" ] || fail "$2 leaves $(ls -A "$1")"
}

# only FOLDER NAME WORDS: nothing but NAME is in it
only() {
  [ "$(ls -A "$1")" = "$2" ] || fail "$3 leaves $(ls -A "$1")"
}

# mount_small FOLDER OPTIONS: a file system in memory, unmounted at the end
mount_small() {
  mkdir -p "$1"
  mount -t tmpfs -o "$2" tmpfs "$1" 2>/dev/null || return 1
  mounted="$1 $mounted"
}

# as_root_where_possible SCRIPT: who may not mount anything may do so in a name space of his own, where the script
# begins anew.
as_root_where_possible() {
  [ "$(id -u)" -ne 0 ] && [ -z "${FLOE_OWN_NAMES:-}" ] && unshare -rm true 2>/dev/null || return 0
  cd "$here" && rm -rf "$work"
  FLOE_OWN_NAMES=1 top_srcdir=$here top_builddir=$builddir FLOE=$floe
  export FLOE_OWN_NAMES top_srcdir top_builddir FLOE
  unset TMPDIR
  exec unshare -rm sh "$here/tests/fault/$1"
}

# whole_json FILE: begins and ends as JSON does, and the reader of the tests, where there is one, takes it
whole_json() {
  [ "$(head -c 1 "$1")" = '{' ] && [ "$(tail -n 1 "$1")" = '}' ] || return 1
  ! command -v python3 >/dev/null || python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"
}

# states FILE: the number of states in floe's text
states() {
  sed -n 's/^states: \([0-9]*\).*/\1/p' "$1"
}
