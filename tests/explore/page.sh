#!/bin/sh
# The page of floe explore (page.mjs) and HTML reports (report.mjs) in headless Chromium, at length only: seven minutes.
#     NODE_PATH: has playwright-core and axe-core (npm)   CHROMIUM: the browser (/usr/bin/chromium)
. "${top_srcdir:-.}/tests/cmd/common.sh"
[ "${FLOE_TEST_LONG:-0}" = 1 ] || skip 'at length only (FLOE_TEST_LONG=1)'
command -v node >/dev/null 2>&1 || skip 'no node'
toys=${top_builddir:-.}/tests/model/floe_toys
case $toys in /*) ;; *) toys=$OLDPWD/$toys ;; esac
[ -x "$toys" ] || skip 'there is no tests/model/floe_toys'
printf 'net\np 3\nq 0\nr 0\nmove: p 1 -> q 1\njoin: q 2 -> r 1\nspill k 1..2: r -> p\nstuck: p 9 -> q 1\n' >net.net
servers=

cleanup() {
  [ -z "$servers" ] || kill $servers 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

serve() { # serve MODEL OPTION...
  model=$1
  shift
  "$floe" explore --no-browser --idle=1800 "$@" "$folder/$model.xml" >"address.$model" 2>err </dev/null &
  servers="$servers $!"
}
folder=$here/models
serve philosophers -D N=3 -D LEFT=0
serve slidingwindow
serve altbit -D BROKEN=1
serve fischer
folder=$here/tests/explore
serve handshake
serve turns
serve stops
folder=$here/doc/examples
serve lock1
"$toys" explore --no-browser --idle=1800 net.net >address.net 2>err </dev/null &
servers="$servers $!"
patience=600
until [ "$(cat address.* | grep -c '^http://')" -eq 9 ]; do
  patience=$((patience - 1))
  [ $patience -gt 0 ] || break
  grep -q 'microhttpd' err && skip "$(head -n 1 err)"
  sleep 0.05
done
mkdir pictures
PICTURES=$work/pictures node "$here/tests/explore/page.mjs" $(sed -n 's/^\(http:.*\)$/\1/p' address.*) >out
code=$?
cat out
[ $code -ne 77 ] || skip "$(head -n 1 out)"
[ $code -eq 0 ] || fail 'page.mjs'
[ "$(ls pictures)" = "$(ls "$here/doc/pictures")" ] || fail "other pictures than in doc/pictures: $(ls pictures)"

"$floe" check -q --report=lock.html "$here/doc/examples/lock2.xml" >/dev/null 2>err
"$floe" check -q --report=fails.html --full-states --why-never -D BROKEN=1 "$here/models/altbit.xml" >/dev/null 2>err
"$floe" check -q --report=sweep.html --sweep N=0,2,3 -D LEFT=0 "$here/models/philosophers.xml" >/dev/null 2>err
"$toys" check -q --report=net.html --continue --why-never net.net >/dev/null 2>err
for model in turns stops; do
  "$floe" check -q --report=$model.html "$here/tests/explore/$model.xml" >/dev/null 2>err
done
node "$here/tests/explore/report.mjs" lock.html fails.html sweep.html net.html turns.html stops.html >out
code=$?
cat out
[ $code -eq 0 ] || fail 'report.mjs'
finish
