#!/bin/sh
# floe explore answers as floe count and floe replay do, refuses requests that are not of its page, and ends by a signal
# or after an idle time. On loopback only.
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/explore/server.sh"
command -v python3 >/dev/null 2>&1 || skip 'no python3'
client=$here/tests/explore/client.py

# the commands of the document, next to the model
cp "$here/doc/examples/lock1.xml" .
sed -n '/^```console$/,/^```$/s/^\$ floe //p' "$here/doc/explore.md" >commands
[ "$(wc -l <commands)" -eq 3 ] || fail "other commands than three in doc/explore.md: $(cat commands)"

start "$here/models/peterson.xml"
if [ -z "$address" ]; then
  grep -q 'libmicrohttpd\|microhttpd.h' err && skip "$(head -n 1 err)"
  fail "no address: $(cat err)"
  finish
fi
python3 "$client" "$address" answers "$floe" "$here/models/peterson.xml" || fail 'answers on peterson'
python3 "$client" "$address" attacks "$floe" "$here/models/peterson.xml" || fail 'attacks'
run 3 explore --no-browser --port="$(echo "$address" | sed 's|.*:\([0-9]*\)/.*|\1|')" "$here/models/peterson.xml"
says err 'the page cannot be served: port '
stop TERM
start -D P=1 "$here/models/paxos.xml"
python3 "$client" "$address" answers "$floe" "$here/models/paxos.xml" P=1 || fail 'answers on paxos'
stop TERM
# values of x exceed the first guesses of a search
printf 'int x;\nprocess P { state s; init s; trans s -> s { guard x != 300; effect x = x + 1; }; }\nsystem async;\n' >guess.dve
start guess.dve
python3 "$client" "$address" answers "$floe" guess.dve || fail 'answers on a model with guessed ranges'
stop TERM
start -D N=2 -D CURED=0 --idle=1 "$here/models/havi.xml"
wait $server || fail 'an idle server ends with another exit code'
server=
says address 'no request in 1 seconds: ended'

while read -r words; do # shellcheck disable=SC2086 # words
  case $words in
  explore*)
    start ${words#explore}
    [ -n "$address" ] || fail "floe $words: no address"
    stop TERM
    ;;
  *) run 1 $words ;;
  esac
done <commands

# searches by the engines: more states than the interpreter can expand in time; errors of the model and of the condition
start -D N=4 -D K=33 "$here/models/counters.xml"
all='Counter[0].n == 32 and Counter[1].n == 32 and Counter[2].n == 32 && Counter[3].n >= 32'
python3 "$client" "$address" searches "$floe" counters "$all:found:128" "sum(i in Counter : Counter[i].n) > 128:not found:1185921" \
  'Counter[0].n == 0:found:0' '2 / Counter[0].n == 1:found:2' || fail 'searches of counters'
stop TERM
start -D BROKEN=1 "$here/models/altbit.xml"
python3 "$client" "$address" searches "$floe" altbit 'Receiver.wanted == 3:found:13' 'Receiver.wanted == 9:not found:120' || fail 'a search beyond an error'
stop TERM
mkdir part
echo '<fragment><variable name="x" range="0..9"/></fragment>' >part/x.xml
cat >parts.xml <<'END'
<model name="parts"><include href="part/x.xml"/><process name="P"><location name="a" initial="true"/>
<transition from="a" guard="x lt 9" effect="x++"/></process></model><!-- </model> is no end here -->
END
sed 's/<!--.*//' parts.xml >end.xml
start parts.xml
python3 "$client" "$address" expansions "$floe" parts 'x == 4:found:4' || fail 'a model that cannot get a property'
stop TERM
start end.xml
python3 "$client" "$address" searches "$floe" end 'x == 4:found:4' || fail 'a search with an included file'
echo '<fragment><variable name="x" range="0..8"/></fragment>' >part/x.xml
python3 "$client" "$address" searches "$floe" end 'x == 4:found:4' >changed && fail 'a search with a changed file'
says changed 'error: a file that the model includes has changed'
stop TERM

# digest ARGUMENT...: prints that of the model, for links
digest() {
  start "$@"
  python3 -c 'import json, sys, urllib.request; print(json.load(urllib.request.urlopen(sys.argv[1] + "api/model"))["digest"])' "$address"
  stop TERM
}
two=$(digest -D N=2 "$here/models/philosophers.xml")
[ ${#two} -eq 16 ] || fail "a digest of another length: $two"
[ "$two" = "$(digest -D N=2 "$here/models/philosophers.xml")" ] || fail 'the same model has another digest'
[ "$two" != "$(digest -D N=3 "$here/models/philosophers.xml")" ] || fail 'another constant, the same digest'
sed 's/<.model>/<!-- --> &/' "$here/models/philosophers.xml" >other.xml
[ "$two" != "$(digest -D N=2 other.xml)" ] || fail 'another text, the same digest'

# a trace on the command line
run 1 check --trace=trace.json -D CURED=0 "$here/models/havi.xml"
start -D CURED=0 "$here/models/havi.xml" trace.json
python3 - "$address" <<'END' || fail 'the page does not begin with the trace'
import json, sys, urllib.request
path = json.load(urllib.request.urlopen(sys.argv[1] + "api/model"))["trace"]
steps = json.load(open("trace.json"))["traces"][0]["steps"]
sys.exit([s["action"] for s in path["steps"]] != [s["action"] for s in steps])
END
stop TERM
for model in turns stops; do
  run 1 check --trace=loop.json "$here/tests/explore/$model.xml"
  start "$here/tests/explore/$model.xml" loop.json
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/tests/explore python3 - "$address" <<'END' || fail "$model: the loop of the run is missing"
import json, sys
from client import Server, search
server, (trace,) = Server(sys.argv[1]), json.load(open("loop.json"))["traces"]
found = search(server, {"property": trace["property"]})["path"]
sys.exit(not trace["loop"] == server.get("model")["trace"]["loop"] == found["loop"] or len(found["states"]) != len(trace["steps"]) + 1)
END
  stop TERM
done
run 3 explore --no-browser "$here/models/peterson.xml" trace.json
run 3 explore --no-browser "$here/models/peterson.xml" nothing.json
finish
