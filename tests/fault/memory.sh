#!/bin/sh
# Little memory, by `ulimit -v` and by a control group: floe ends by itself, with correct counts or exit code 2 and a
# reason; it neither crashes nor is killed.
. "${top_srcdir:-.}/tests/fault/fault.sh"
peterson=$examples/peterson.xml
left=
trap 'rmdir $left 2>/dev/null; rm -rf "$work"' EXIT

# sound WORDS STATES: checks the output of a run that may have run out of memory
sound() {
  case $code in
    0) [ "$(states stdout)" = "$2" ] || fail "$1: $(states stdout) states instead of $2" ;;
    2) grep -qE 'memory' stdout err || fail "$1: undecided without a reason: $(cat stdout err)" ;;
    127) grep -qE 'shared librar|cannot allocate|Cannot allocate' err || fail "$1: not found" ;; # the loader had no memory
    *) fail "$1: exit code $code: $(tail -n 5 stdout err)" ;;
  esac
  case $code in
    0) whole=$((whole + 1)) ;;
    2) short=$((short + 1)) ;;
  esac
}

limited() { # limited KIBIBYTES ARGUMENT...
  limit=$1
  shift
  (ulimit -v "$limit" && exec "$floe" "$@" >stdout 2>err </dev/null)
  code=$?
}

(ulimit -v 4000000 && exec "$floe" --version) >stdout 2>&1 || skip 'floe does not run in 4 GB of address space: sanitizers need more memory'
# From the limit that suffices for the loader, first in small steps
whole=0 short=0
least=1000
until sh -c 'ulimit -v $0 && "$1" --version' $least "$floe" >stdout 2>&1; do
  least=$((least * 9 / 8))
done
for more in 0 100 300 500 800 1000 1500 2000 3000 5000 8000 12000 20000 40000 100000 300000; do
  limit=$((least + more))
  limited $limit count --engine=interpreter -j1 "$peterson"
  sound "interpreter in $limit KiB" 4752
  limited $limit check --engine=cpu -j2 --cache-dir=cache "$peterson"
  sound "compiled in $limit KiB" 4752
  if [ $more -lt 4000 ]; then
    limited $limit count --engine=interpreter -j2 --timeout=100 "$models/large.xml"
    [ $code -ne 0 ] || fail 'all of a model that is too large'
    sound "large model in $limit KiB" 0
  fi
  limited $limit export "$peterson" -o graph
  [ ! -e graph ] || sed -n 's/^des (.*, \([0-9]*\))/states: \1/p' graph >stdout
  sound "export in $limit KiB" 4752
  rm -f graph
done
[ $whole -gt 3 ] && [ $short -gt 3 ] || fail "$whole runs were whole, $short were not: the limits test nothing"
empty tmp 'too little memory'

# ---- a control group
group() { # group FOLDER LIMIT-FILE: is one of our own available?
  mkdir "$1" 2>/dev/null || return 1
  left="$1 $left"
  echo $((32 << 20)) 2>/dev/null >"$1/$2" && [ -w "$1/cgroup.procs" ] && return
  rm -f "$1/$2" 2>/dev/null # in a folder that is no group's
  return 1
}

name=floe-test-$$
own=$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null)
if group "/sys/fs/cgroup$own/$name" memory.max || group "/sys/fs/cgroup/$name" memory.max ||
  group "/sys/fs/cgroup/memory/$name" memory.limit_in_bytes; then
  folder=${left%% *}
  for arguments in '-j1 --engine=cpu' '-j2 --engine=cpu'; do
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$folder" "$floe" count --timeout=100 $arguments "$models/large.xml" >stdout 2>err </dev/null
    code=$?
    [ $code -eq 2 ] || fail "32 MiB by a control group, $arguments: exit code $code (137: killed): $(tail -n 3 stdout err)"
    grep -q '^end: ended at the memory limit; .*complete up to depth [1-9]' stdout || fail "$arguments: $(cat stdout)"
  done
  sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$folder" "$floe" count "$peterson" >stdout 2>err </dev/null || fail "a small model in 32 MiB: $(cat err)"
  [ "$(states stdout)" = 4752 ] || fail "a small model in 32 MiB: $(cat stdout)"
else
  echo 'no control group of our own: its limit is not tested'
fi
finish
