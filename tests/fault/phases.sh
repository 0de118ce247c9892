#!/bin/sh
# --timeout, SIGINT and SIGTERM work in every phase of a run: reading from a pipe, checking, generating code, compiling.
# Each phase lasts forever, or far longer than a test may take: only the tested limit or signal can end floe.
. "${top_srcdir:-.}/tests/fault/fault.sh"
peterson=$examples/peterson.xml
# For steps of some tenths of a second on an idle machine; on a busy one the limit detects a hang.
limit=3000 # hundredths

soon() { # soon WORDS: it began at $begin
  taken=$(($(hundredths) - begin))
  [ $taken -lt $limit ] || fail "$1 took $taken hundredths of a second"
}

ended() { # ended CODE WORDS
  [ $code -eq "$1" ] || fail "$2: exit code $code; $(cat err)"
  soon "$2"
  empty tmp "$2"
}

# in_time WORDS ARGUMENT...: ends by its timeout
in_time() {
  words=$1
  shift
  begin=$(hundredths)
  "$floe" "$@" --timeout=0.4 >stdout 2>err </dev/null
  code=$?
  ended 2 "$words, --timeout"
}

# struck SIGNAL WORDS CONDITION ARGUMENT...: receives the signal when CONDITION (a command) succeeds
struck() {
  signal=$1
  words=$2
  condition=$3
  shift 3
  sh -c 'kill -s $0 $$' $signal 2>/dev/null && return
  "$floe" "$@" >stdout 2>err </dev/null &
  pid=$!
  wait_until eval "$condition" || fail "$words: it does not begin; $(cat err)"
  begin=$(hundredths)
  kill -s $signal $pid
  wait $pid
  code=$?
  ended 2 "$words, SIG$signal"
}

# A pipe without writer, and one that stays open
mkfifo pipe || fail 'no named pipe'
listens() { # floe, and no longer the shell on its way to it, to SIGTERM, 15
  case $(readlink "/proc/$pid/exe" 2>/dev/null) in
    *floe) grep -q '^SigBlk:.*[4567cdef]...$' "/proc/$pid/status" 2>/dev/null ;;
    *) return 1 ;;
  esac
}
in_time 'a pipe without a writer' check pipe
says err 'interrupted while pipe was read'
if [ -r /proc/self/status ]; then
  struck TERM 'a pipe without a writer' listens check pipe
  struck TERM 'a pipe without a writer' listens export pipe
  exec 3<>pipe
  head -c 100 "$peterson" >&3
  struck TERM 'a pipe without an end' listens check pipe
  exec 3>&-
fi
cat "$peterson" >pipe &
"$floe" count pipe >stdout 2>err </dev/null || fail "a model from a pipe: $(cat err)"
[ "$(states stdout)" = 4752 ] || fail "a model from a pipe has $(states stdout) states"

# Long reading and checking: floe reports that it ended before the exploration.
transitions=20000
awk -v n=$transitions 'BEGIN {
  print "<model name=\"long\"><variable name=\"x\" range=\"0..1000000\"/><process name=\"P\"><location name=\"a\" initial=\"true\"/>"
  for (i = 0; i < n; i++)
    printf "<transition from=\"a\" guard=\"x eq %d\" effect=\"x = %d\"/>\n", i, i + 1
  print "</process></model>" }' >many.xml
begin=$(hundredths)
"$floe" check --timeout=0.001 many.xml >stdout 2>err </dev/null
code=$?
ended 2 'reading a large model, --timeout'
# depending on the speed of the machine: during loading, parsing, or before the exploration
grep -qE 'ended before the exploration began|interrupted while many.xml was read' err || grep -q '^end: ended at --timeout' stdout ||
  fail "reading a large model: $(cat err)"

# Interpreted blocks of such a model are small, so that the search ends between them; its code is generated meanwhile.
begin=$(hundredths)
"$floe" check --timeout=1.5 --max-depth=10 many.xml >stdout 2>err </dev/null
soon 'the first levels of a large model'

# Compilers that do not end: floe does not wait for them.
{
  echo '#!/bin/sh'
  echo 'trap "" INT TERM HUP'
  echo ': >compiling; sleep 1000'
} >hangs
chmod 755 hangs
"$here/tests/state_models.sh" plain || exit 99 # the search of a product waits for the compiler
hanging='--cache-dir= --compiler=./hangs'
in_time 'a compiler that hangs' check --engine=cpu $hanging "$peterson"
says stdout 'end: ended at --timeout'
in_time 'a compiler that hangs beside the search' check $hanging -D N=8 "$peterson"
says stdout 'end: ended at --timeout'
rm -f compiling
struck TERM 'a compiler that hangs' 'test -e compiling' check --engine=cpu $hanging "$peterson"
says stdout 'end: interrupted'
rm -f compiling
struck TERM 'a compiler that hangs beside the search' 'test -e compiling' check $hanging -D N=8 "$peterson"
says stdout 'end: interrupted'

# A search that ends early needs no compiler, and leaves none running.
begin=$(hundredths)
"$floe" check $hanging plain/peterson.xml >stdout 2>err </dev/null || fail "a small model: $(cat err)"
soon 'a small model beside a compiler that hangs'
[ "$(states stdout)" = 4752 ] || fail "a small model: $(states stdout) states"
says stdout 'engine: interpreter'
[ ! -s err ] || fail "a small model: $(cat err)"
rm -f compiling
"$floe" check --expect $hanging plain/altbit.xml >stdout 2>err </dev/null || fail "--expect: $(cat err)"
"$floe" check --sweep N=2..3 $hanging plain/peterson.xml >stdout 2>err </dev/null || fail "--sweep: $(cat err)"
finish
