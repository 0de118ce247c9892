#!/bin/sh
# Compilers that fail, crash, print, produce wrong files or hang: the interpreter gives the result, a note gives the
# reason, and no files remain.
. "${top_srcdir:-.}/tests/fault/fault.sh"
"$here/tests/state_models.sh" plain || exit 99 # one search, so one note
peterson=plain/peterson.xml

compiler() { # compiler NAME: a script, from standard input
  { echo '#!/bin/sh'; cat; } >"$1"
  chmod 755 "$1"
}

# interpreted REASON COMMAND: the correct result despite this compiler
interpreted() {
  "$floe" check --engine=cpu --cache-dir=cache --compiler="$2" "$peterson" >stdout 2>err </dev/null
  code=$?
  [ $code -eq 0 ] || fail "$2: exit code $code: $(cat err)"
  [ "$(states stdout)" = 4752 ] || fail "$2: $(states stdout) states"
  grep -q '^engine: interpreter' stdout || fail "$2: $(grep '^engine' stdout)"
  grep -q "the model is interpreted: .*$1" err || fail "$2: '$1' is not in $(cat err)"
  [ "$(grep -c 'is interpreted' err)" -eq 1 ] || fail "$2: $(cat err)"
  empty tmp "$2"
  [ ! -d cache ] || empty cache "$2"
}

object='while [ "$1" != -o ]; do shift; done' # its name is then $2
compiler fails <<'END'
echo 'no licence' >&2
exit 2
END
compiler dies <<'END'
kill -SEGV $$
END
compiler floods <<'END'
head -c 3000000 /dev/zero | tr '\0' '\377'
exit 1
END
compiler lies <<'END'
exit 0
END
compiler scribbles <<END
$object
echo rubbish >"\$2"
END
compiler half <<END
head -c 64 /bin/sh >"\$TMPDIR/part"
$object
cp "\$TMPDIR/part" "\$2"
END
compiler litters <<'END'
: >"$TMPDIR/ccXXXX.s"
mkdir -p "$TMPDIR" && cd "$TMPDIR" && : >a && : >.hidden
exit 1
END
compiler folder <<END
$object
mkdir "\$2"
END
interpreted 'exit status 2.*no licence' ./fails
interpreted 'signal 11' ./dies
interpreted 'exit status 1' ./floods
interpreted 'produced no file' ./lies
interpreted 'model.so' ./scribbles
interpreted 'model.so' ./half
interpreted 'exit status 1' ./litters
interpreted "there is no compiler 'nowhere'" nowhere
interpreted "there is no compiler './stdout'" ./stdout
interpreted 'no compiler is configured' ''

# A valid library of another model
if command -v cc >/dev/null; then
  compiler other <<END
$object
echo 'int floe_code_key;' >"\$TMPDIR/other.c"
exec cc -shared -fPIC -o "\$2" "\$TMPDIR/other.c"
END
  interpreted 'belongs to another model' ./other
  # output and a note on standard error do no harm
  compiler chatty <<'END'
echo 'note: this is a good compiler' >&2
exec cc "$@"
END
  "$floe" check --engine=cpu --cache-dir=cache --compiler=./chatty "$peterson" >stdout 2>err </dev/null || fail "chatty: $(cat err)"
  [ ! -s err ] && grep -q '^engine: cpu' stdout || fail "a chatty compiler: $(cat err)"
  [ "$(ls -A cache | wc -l)" -eq 1 ] || fail "a chatty compiler leaves $(ls -A cache)"
  empty tmp 'a chatty compiler'
  rm -r cache
fi

# A compiler that hangs, with a child, and ignores all signals but SIGKILL: the first Ctrl-C ends both and the run.
compiler hangs <<'END'
trap '' INT TERM HUP
sleep 1000 &
echo $! >child
wait
END
for signal in TERM HUP; do
  sh -c 'kill -s $0 $$' $signal 2>/dev/null && echo "SIG$signal is ignored here and cannot be tested" && continue
  rm -f child
  "$floe" check --engine=cpu --cache-dir=cache --compiler=./hangs "$peterson" >stdout 2>err </dev/null &
  pid=$!
  wait_until test -s child || fail 'the compiler is not started'
  begin=$(hundredths)
  kill -s $signal $pid
  wait $pid
  code=$?
  [ $code -eq 2 ] || fail "SIG$signal while the compiler hangs: exit code $code; $(cat err)"
  [ $(($(hundredths) - begin)) -lt 3000 ] || fail "SIG$signal waited for the compiler"
  says stdout 'end: interrupted'
  says err 'hangs was interrupted'
  gone() { ! kill -0 "$(cat child)" 2>/dev/null || grep -q '^State:.*Z' "/proc/$(cat child)/status" 2>/dev/null; }
  wait_until gone || fail 'what the compiler started lives on'
  empty tmp 'a compiler that hangs'
  [ ! -d cache ] || empty cache 'a compiler that hangs'
done

# The compilation beside the search for a temporal property fails, and says so when that search is over.
"$floe" check --quiet --no-trace -p served -DN=4 --compiler=./fails --cache-dir= "$here/models/peterson.xml" >stdout 2>err </dev/null
code=$?
[ $code -eq 0 ] || fail "a temporal property without a compiler: exit code $code; $(cat err)"
says stdout 'served: holds'
grep -q 'the model is interpreted: .*no licence' err || fail "a temporal property without a compiler: $(cat err)"
finish
