#!/bin/sh
# Searches that are killed, interrupted, run out of time or memory, or meet a full disk, and are continued by floe
# resume: the certificate, verdicts and traces equal those of an uninterrupted run. $FLOE_TEST_KILLS: how often a search
# is killed (5; for releases 200).
. "${top_srcdir:-.}/tests/fault/fault.sh"
kills=${FLOE_TEST_KILLS:-5}
[ -z "${FLOE_TEST_ALL:-}" ] || kills=${FLOE_TEST_KILLS:-200}
model=$examples/counters.xml
sizes='-D N=6 -D K=9'

# truth NAME ARGUMENT...: the output of an uninterrupted run
truth() {
  name=$1
  shift
  "$floe" "$@" --certificate --json="$name.json" >"$name.out" 2>err </dev/null
  echo $? >"$name.code"
}
certificate() { sed -n 's/^certificate: //p' "$1"; }
# same NAME CODE: stdout has the certificate of that run, and its exit code
same() {
  [ "$2" -eq "$(cat "$1.code")" ] || fail "$1: exit code $2 instead of $(cat "$1.code"): $(cat err)"
  [ "$(certificate stdout)" = "$(certificate "$1.out")" ] || fail "$1: $(certificate stdout), not $(certificate "$1.out")"
}
# verdicts and traces: all text before the certificate; a file has the complete path of the model
same_text() {
  for text in stdout "$1.out"; do
    sed -e '/^certificate/,$d' -e 's|([^()]*/\([a-z]*\.xml\)|(\1|' $text >$text.told
  done
  cmp -s stdout.told "$1.out.told" || fail "$1: other verdicts or traces: $(diff stdout.told "$1.out.told")"
}

# resumed NAME ARGUMENT...: to the end
resumed() {
  name=$1
  shift
  "$floe" resume file --certificate "$@" >stdout 2>err </dev/null
  same "$name" $?
}

# Different options each time, selected by the number
anew() {
  case $(($1 % 5)) in
    0) echo '-j1' ;;
    1) echo '-j2 --table=linear' ;;
    2) echo '-j4 --initial-slots=256' ;;
    3) echo '-j3 --slot-bits=32' ;;
    4) echo '-j2 --engine=interpreter' ;;
  esac
}

# ---- kill -9 -------------------------------------------------------------------------------------
truth counters check $sizes "$model" --engine=cpu -j2
begin=$(hundredths)
"$floe" check $sizes "$model" --engine=cpu -j2 --checkpoint=first --checkpoint-every=0.01 --certificate >stdout 2>err ||
  fail "with checkpoints: $(cat err)"
whole=$(($(hundredths) - begin))
same counters 0
says stdout 'checkpoints: '
same_text counters

seed=${FLOE_TEST_SEED:-1}
random() { # random BELOW
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  echo $((seed / 65536 % $1))
}
killed=0 round=0
while [ $killed -lt "$kills" ]; do
  rm -f file file.previous
  set -- check $sizes "$model" --engine=cpu --checkpoint=file
  while [ $killed -lt "$kills" ]; do
    "$floe" "$@" --checkpoint-every=0.01 --no-trace $(anew $round) >stdout 2>err </dev/null &
    pid=$!
    pause "$(random $((whole + 2)))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    round=$((round + 1))
    [ $code -ge 128 ] || break
    killed=$((killed + 1)) # and not ended before
    if [ -e file ]; then
      set -- resume file
    elif [ -e file.previous ]; then
      fail 'kill -9 leaves the previous file alone'
    fi
  done
  if [ $code -ge 128 ] && [ -e file ]; then
    resumed counters $(anew $round)
  elif [ $code -lt 128 ]; then
    [ $code -eq 0 ] || fail "exit code $code: $(cat err)"
  fi
done
[ -e file ] || mv first file # all of the last ones came too early
resumed counters -j1
same_text counters
echo "killed $killed times"

# ---- ends with a checkpoint ----------------------------------------------------------------------
"$floe" check $sizes "$model" --engine=interpreter --timeout=0.07 --checkpoint=file >stdout 2>err
[ $? -eq 2 ] || fail "no end by time: $(cat err)"
says stdout 'ended at --timeout'
resumed counters -j2
same_text counters

# takes_signals PID: the process is floe and blocks SIGTERM, number 15, for its thread
takes_signals() {
  [ -r "/proc/$1/status" ] || return 0
  blocked=$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
  [ -z "$blocked" ] || [ $((0x$blocked & 0x4000)) -ne 0 ]
}
for signal in INT TERM; do
  sh -c 'trap - INT; echo $$ >pid; exec "$@"' sh "$floe" check $sizes "$model" --engine=interpreter -j1 \
    --checkpoint=file >stdout 2>err </dev/null &
  striker=$!
  wait_until test -s pid
  wait_until takes_signals "$(cat pid)"
  pause 5
  kill -s "$signal" "$(cat pid)" 2>/dev/null
  wait $striker
  code=$?
  rm -f pid
  [ $code -eq 2 ] || [ $code -eq 0 ] || fail "SIG$signal: exit code $code: $(cat err)"
  [ $code -ne 2 ] || says stdout 'interrupted'
  resumed counters --table=linear
done

truth large count -D N=6 -D K=12 "$model" --engine=cpu
"$floe" count -D N=6 -D K=12 "$model" --engine=cpu -j2 --table=iceberg --memory=6M --checkpoint=file >stdout 2>err
[ $? -eq 2 ] || fail "no end by memory: $(cat err)"
says stdout 'memory limit'
resumed large --memory=1G

truth many count $sizes "$model" --engine=cpu
"$floe" count $sizes "$model" --engine=cpu --max-states=20000 --checkpoint=file >stdout 2>err
[ $? -eq 2 ] || fail 'no end by --max-states'
truth few count $sizes "$model" --engine=cpu --max-states=20000
cp file kept
resumed few
cp kept file
resumed many --max-states=100000000

# ---- violations before, in and after the level of the file; errors found by a run ----------------
for bound in 3 9 14 40; do
  truth wrong check -D N=4 -D K=8 -D WRAP=0 "$model" --continue --engine=cpu
  "$floe" check -D N=4 -D K=8 -D WRAP=0 "$model" --continue --engine=interpreter -j2 --max-states=$((bound * bound * 2)) \
    --checkpoint=file >stdout 2>err
  "$floe" resume file --certificate --max-states=1000000000 --json=result.json >stdout 2>err
  same wrong $?
  same_text wrong
done

# ---- rejected options and models -----------------------------------------------------------------
refuse() { # refuse WORDS ARGUMENT...
  words=$1
  shift
  "$floe" "$@" >stdout 2>err </dev/null
  code=$?
  [ $code -eq 3 ] || fail "floe $*: exit code $code"
  says err "$words"
}
sed 's,STEP / 2,STEP / 3,' "$model" >changed.xml
! cmp -s "$model" changed.xml || fail 'nothing is changed in changed.xml'
refuse 'the model has changed' resume kept changed.xml
refuse "the model has no constant 'K'" resume kept "$examples/hanoi.xml"
refuse 'comes too late' resume kept --max-states=10
refuse 'comes too late' resume kept --max-depth=1
refuse 'cannot be combined with --visited-order' check "$model" --checkpoint=file --visited-order=order
refuse 'cannot be combined with --sweep' check "$model" --checkpoint=file --sweep=N=1..2
refuse 'requires --checkpoint' check "$model" --checkpoint-every=1
refuse 'floe resume has no option --define' resume kept -D N=3
"$floe" check -q $sizes "$model" --checkpoint=other --timeout=0.05 --engine=interpreter >stdout 2>err

# ---- damaged files -------------------------------------------------------------------------------
rm -f file file.previous
"$floe" count $sizes "$model" --engine=cpu -j1 --checkpoint=file --checkpoint-every=0.01 >stdout 2>err
if [ -e file.previous ]; then
  size=$(wc -c <file)
  for at in 100 $((size / 2)) $((size - 50)); do
    cp file whole
    printf '\377\000\252' | dd of=file bs=1 seek="$at" conv=notrunc 2>dd
    resumed many --checkpoint=elsewhere
    says err 'file.previous takes its place'
    mv whole file
  done
  : >file
  rm -f file.previous
  "$floe" resume file >stdout 2>err
  [ $? -eq 3 ] || fail 'an empty file is no error'
fi

# ---- full disks ----------------------------------------------------------------------------------
(ulimit -f 20; exec "$floe" count $sizes "$model" --engine=cpu --certificate --checkpoint=limited \
  --checkpoint-every=0.01 >stdout 2>err </dev/null)
code=$?
[ "$(certificate stdout)" = "$(certificate many.out)" ] || fail "a full disk ends the search: $(cat err)"
[ $code -eq 5 ] || fail "exit code $code although there is no checkpoint"
says err 'warning: the checkpoint limited cannot be written'
finish
