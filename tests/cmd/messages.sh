#!/bin/sh
# Messages on models: place, source line, caret under the character also after tabs and wide characters, hint, number of errors.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >two.xml <<'END'
<model name="two">
  <variable name="turn" range="0..1"/>
  <process name="P">
    <location name="a" initial="true"/>
	<transition from="a" guard="trun == 0" effect="turn = 1"/>
    <transition from="a" effect="turn = trun"/> 
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

# a line of a megabyte is not shown, a long one is cut, and control characters do not reach the terminal
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
