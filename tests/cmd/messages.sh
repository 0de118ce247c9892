#!/bin/sh
# Messages on models: place, source line, caret under the character also after tabs and wide characters, hint, number of errors.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >two.xml <<'END'
<model name="two">
  <variable name="turn" range="0..1"/>
  <process name="P">
    <location name="a" initial="true"/>
	<transition from="a" guard="trun == 0" effect="turn = 1"/>
    <transition from="a" effect="turn = tunr"/> 
  </process>
</model>
END
run 3 two.xml
silent out
says err 'two.xml:5:'
says err "$(printf '\t<transition from="a" guard="trun == 0"')"
says err "$(printf '  \t                            ^')"
says err "did you mean 'turn'?"
says err 'two.xml:6:'
says err '2 errors'

printf '<model name="\346\274\242"><process name="P"><location name="a" initial="true"/><transition from="b"/></process></model>\n' >wide.xml
run 3 wide.xml
grep -q 'wide.xml:1:' err || fail "$(cat err)"

# the error is at the end of the file: no empty line as an excerpt
: >empty.xml
run 3 empty.xml
printf 'empty.xml:1:1: error: the file is empty\n' | cmp -s - err || fail "an empty file: $(cat err)"

# a text in another language than its name shows; not if the text begins as in its own
printf '/* c */\nproctype P() { skip }\n' >cars.m
run 3 cars.m
says err 'cars.m:2:1: error: ' "note: read in the language 'murphi' by the file's name, but the text begins as in 'promela'" \
  'end in .pml'
printf 'const byte N = 3;\nsystem async;\n' >cars.xml
run 3 cars.xml
says err "note: read in the language 'xml' by the file's name, but the text begins as in 'dve'"
printf 'MODULE main\n' >cars.smv
run 3 cars.smv
says err "note: read in the language 'xml', because neither the file's name nor its text shows another" \
  'end in .xml, .dve, .pnml, .m, .pml'
printf 'byte x;\nactive proctype P() { x = }\n' >cars.pml # begins as in DVE, too, but fails later
run 3 cars.pml
! grep -q 'note: read' err || fail "a note on a text in the language of its name: $(cat err)"
printf 'MODULE main\n' >cars.xml
run 3 cars.xml
! grep -q 'note: read' err || fail "a note without another language: $(cat err)"

# warnings about a model: the first of each kind, with the lines of the others; none with -q
cat >kinds.xml <<'END'
<model name="kinds">
  <variable name="a1" range="0..1"/>
  <variable name="b" range="0..1"/>
  <variable name="c" range="0..1"/>
  <process name="P">
    <location name="home" initial="true"/>
    <location name="away"/>
    <transition from="home" effect="a1 = 1; b = 1; c = 1"/>
  </process>
</model>
END
run 0 kinds.xml
says err "kinds.xml:2:19: warning: variable 'a1' is never read"
says err '  and 2 more of this kind, in lines 3 and 4'
says err "kinds.xml:7:21: warning: no transition reaches location 'away'"
[ "$(grep -c 'warning:' err)" -eq 2 ] || fail "$(cat err)"
run 0 -q kinds.xml
silent err
run 3 -q two.xml
says err '2 errors'

# ids of properties, the most similar first
cat >ids.xml <<'END'
<model name="ids">
  <process name="P" instances="2">
    <location name="home" initial="true"/>
    <transition from="home"/>
  </process>
  <property id="first" kind="invariant">P[0].home</property>
  <property id="mutex" kind="invariant">P[1].home</property>
</model>
END
run 3 -p mutx ids.xml
says err "properties: 'mutex', 'first', 'errors' and 'deadlock'"
run 3 -p nosuch ids.xml
says err "the model has no property 'nosuch'"
says err "'first'"

# a property of an instance that does not exist is an error of the model
sed 's/P.1..home/P[2].home/' ids.xml >index.xml
run 3 index.xml
says err 'index.xml:7:43: error: there is no P[2]: its indices are 0..1'
run 3 -p first index.xml
silent out

# no warning about a guard that is constant by -D or by a row of a sweep
cat >given.xml <<'END'
<model name="given">
  <constant name="N" value="3"/>
  <variable name="x" range="0..N"/>
  <process name="P" instances="N">
    <location name="home" initial="true"/>
    <transition from="home" guard="x lt 4" effect="x = N"/>
    <transition from="home" guard="self == 2" effect="x = 0"/>
  </process>
</model>
END
run 0 -D N=2 given.xml
silent err
run 0 --sweep N=1..3 given.xml
silent err

# a line of a megabyte is omitted, a long one is cut, and control characters are not printed
{ printf '<model name="m"><description>'; head -c 1000000 /dev/zero | tr '\0' 'x'; printf '</description><process name="P"><location name="a" initial="true"/><transition from="c"/></process></model>\n'; } >long.xml
run 3 long.xml
[ "$(wc -c <err)" -lt 2000 ] || fail "a message of $(wc -c <err) bytes"
{ printf '<model name="m"><description>'; head -c 70 /dev/zero | tr '\0' 'x'; printf '</description><process name="P"><location name="a" initial="true"/><transition from="c"/></process></model><!-- and more -->\n'; } >long.xml
run 3 long.xml
says err '  ...'
printf '<model name="m">\033[31m<prcess/></model>\n' >escape.xml
run 3 escape.xml
! grep -q "$(printf '\033')" err || fail 'an escape sequence of the model reached the terminal'

# no colour unless on a terminal
run 3 two.xml
! grep -q "$(printf '\033')" err || fail 'colour in a file'
if has_terminal; then
  TERM=xterm script -qec "$floe two.xml" /dev/null >colour 2>&1 </dev/null
  grep -q "$(printf '\033')" colour || fail 'no colour on a terminal'
  NO_COLOR=1 TERM=xterm script -qec "$floe two.xml" /dev/null >colour 2>&1 </dev/null
  ! grep -q "$(printf '\033')" colour || fail 'colour in spite of NO_COLOR'
fi
finish
