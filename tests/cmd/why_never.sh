#!/bin/sh
# --why-never: the counts equal those of an independent search, on any engine and number of threads.
. "${top_srcdir:-.}/tests/cmd/common.sh"

run 0 check --why-never --json -j1 --engine=interpreter "$models/never.xml"
cp out one.json
run 0 check --why-never --json -j2 --engine=cpu "$models/never.xml"
if command -v python3 >/dev/null; then
  cat >same.py <<'END'
import json
a, b = (json.load(open(f))["never_enabled"] for f in ("one.json", "out"))
assert a == b and len(a) == 8, (a, b)
assert all("why" in t for t in a)
END
  python3 same.py 2>why || fail "engines differ: $(cat why)"
fi

# without the option there is no answer and no second pass
run 0 check --json "$models/never.xml"
grep -q '"why"' out && fail 'told without --why-never'

cat >grid.xml <<'END'
<model name="grid">
  <variable name="x" range="0..30"/>
  <variable name="y" range="0..30"/>
  <process name="P" instances="2">
    <location name="a" initial="true"/>
    <location name="b"/>
    <transition from="a" guard="x lt 30 and self == 0" effect="x++"/>
    <transition from="a" guard="y lt x" effect="y += self"/>
    <transition from="a" to="b" guard="self == 1 and y % 7 == 6"/>
    <transition from="b" to="a" effect="y = 0"/>
    <transition from="b" label="no" select="i in 1..3" guard="y gt x + i and (x % 3 == i or y == 12) and x * y gt 100"/>
  </process>
  <deadlock check="false"/>
</model>
END
cat >search.py <<'END'
import json
seen, rest = {(0, 0, "a", "a")}, [(0, 0, "a", "a")]
depth = {rest[0]: 0}
for s in rest:
    x, y, p, q = s
    next = []
    if p == "a" and x < 30: next.append((x + 1, y, p, q))
    if q == "a" and y < x: next.append((x, y + 1, p, q))
    if q == "a" and y % 7 == 6: next.append((x, y, p, "b"))
    if q == "b": next.append((x, 0, p, "a"))
    for t in next:
        if t not in seen:
            seen.add(t), rest.append(t)
            depth[t] = depth[s] + 1
counts, best = [0] * 4, (0, 0)
for s in seen:
    x, y, p, q = s
    any = [False] * 4
    for at in (p, q):
        for i in (1, 2, 3):
            c = [at == "b", y > x + i, x % 3 == i or y == 12, x * y > 100]
            any = [u or v for u, v in zip(any, c)]
            best = max(best, (sum(c), -depth[s]))
    counts = [n + v for n, v in zip(counts, any)]
(t,) = [t for t in json.load(open("out"))["never_enabled"] if t["label"] == "no"]
why = t["why"]
assert why["states"] == len(seen), (why["states"], len(seen))
assert [c["states"] for c in why["conditions"]] == counts, (why, counts)
assert (why["met"], -why["depth"]) == best and sum(c["met"] for c in why["conditions"]) == best[0], (why, best)
assert [c["text"] for c in why["conditions"]] == ["at b", "y gt x + i", "(x % 3 == i or y == 12)", "x * y gt 100"], why
END
run 0 check --why-never --json grid.xml
if command -v python3 >/dev/null; then python3 search.py 2>why || fail "grid: $(cat why)"; fi

# bounds of the run apply to the second pass
run 2 check --why-never --max-states=50 grid.xml
says out 'not enabled so far: P no'
grep -q 'at b .*of [1-6][0-9] states' out || fail "no count over the states expanded: $(cat out)"
finish
