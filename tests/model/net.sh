#!/bin/sh
# The command with a model without processes, in a language with a notation of its own (toy_net.c).
. "${top_srcdir:-.}/tests/cmd/common.sh"
floe=${top_builddir:-.}/tests/model/floe_toys
case $floe in /*) ;; *) floe=$OLDPWD/$floe ;; esac
[ -x "$floe" ] || skip 'there is no tests/model/floe_toys'

cat >a.net <<'END'
net
p 3
q 0
r 0
move: p 1 -> q 1
join: q 2 -> r 1
spill k 1..2: r -> p
stuck: p 9 -> q 1
never r 1
END

# text: traces, blocked transitions, a transition that never fired
cat >wanted <<'END'
trace of [r] = 1:
  start: [p]=3, [q]=none, [r]=none
  1. move (a.net:5): [p] 3 -> 2, [q] none -> 1
  2. move (a.net:5): [p] 2 -> 1, [q] 1 -> 2
  3. join (a.net:6): [q] 2 -> none, [r] none -> 1
  last: [p]=1, [q]=none, [r]=1
  [r] = 1 violated at depth 3: never [r] = 1
     [r] is 1
END
run 1 check --continue --why-never --report=report.html --json=result.json --trace=trace.json a.net
sed -n '1,8p' out | cmp -s - wanted || fail "another trace: $(cat out)"
cat >wanted <<'END'
     blocked: move (a.net:5): [p] >= 1 is false, [p] is none
     blocked: join (a.net:6): [q] >= 2 is false, [q] is 1
     blocked: spill {k=1} (a.net:7): [r] >= k is false, [r] is none
     blocked: stuck (a.net:8): [p] >= 9 is false, [p] is none
END
grep '^     blocked' out | cmp -s - wanted || fail "other blocked transitions: $(cat out)"
says out 'never enabled: stuck (a.net:8)'
says out '    nearest: stuck at depth 0, 0 of 1 conditions:'

# a transition that is not in the text has no line
printf 'net\np 1\nleak p\n' >b.net
run 1 check --report=leak.html --json=leak.json b.net
says out '  1. leak: [p] 1 -> none'
says out '     blocked: leak: [p] >= 1 is false, [p] is none'

# replay: the trace, and one of another transition
run 0 replay a.net trace.json
says out '[r] = 1: replayed, violated at depth 3'
sed 's/"label": "join"/"label": "spill"/' trace.json >other.json
run 1 replay a.net other.json
says out 'step 3: label: expected "spill", found "join"'

# report: no sequence chart and no columns of processes
says report.html '<td>spill</td>'
says report.html '<tr><th>transition</th><th class="number">line</th><th>blocked by</th></tr>'
grep -q 'aria-label="Sequence chart"\|<th>process\|<th>instance' report.html && fail 'the report has processes'

# simulation: steps by their names
printf 'move\nmove\njoin\nspill {k=1}\nq\n' >commands
"$floe" simulate --interactive a.net <commands >out || fail "simulate ends with code $?"
says out '  4. spill {k=1} (a.net:7): [p] 1 -> 2, [r] 1 -> none'
run 1 simulate --runs=3 --seed=1 --steps=10 a.net
says out '  never fired: stuck (a.net:8)'

# graph
run 0 export --format=aut a.net
says out '(4, "spill {k=1}", 6)'
run 0 export --format=dot --state-labels a.net
says out '[label="join"]'
says out '[q] = none'

# the schemas allow all of this
if python3 -c 'import jsonschema' 2>/dev/null; then
  python3 - "$here/doc" <<'END' || fail 'the JSON is not valid'
import json, jsonschema, sys
for name, schema in ("trace", "trace"), ("result", "result"), ("leak", "result"):
    jsonschema.validate(json.load(open(name + ".json")), json.load(open(f"{sys.argv[1]}/{schema}.schema.json")))
END
fi

# the page: no processes, blocked transitions by their names
if command -v python3 >/dev/null 2>&1; then
  . "$here/tests/explore/server.sh"
  start --idle=60 a.net
  if [ -z "$address" ]; then
    grep -q 'libmicrohttpd\|microhttpd.h' err || fail "no address: $(cat err)"
    finish
  fi
  python3 - "$address" <<'END' || fail "the page: $(cat err)"
import json, sys, urllib.request
def ask(name, data=None):
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(sys.argv[1] + "api/" + name, body, {"Content-Type": "application/json"} if body else {})
    return json.load(urllib.request.urlopen(request, timeout=30))
model, state = ask("model"), ask("state", {})
assert model["processes"] == [], model
assert state["values"] == {"[p]": 3, "[q]": "none", "[r]": "none"}, state
assert [p["name"] for p in state["steps"][0]["participants"]] == ["move", "p", "q"], state
assert [b["label"] for b in ask("blocked", {"state": state["state"]})["blocked"]] == ["join", "spill", "stuck"]
END
  stop TERM
fi
finish
