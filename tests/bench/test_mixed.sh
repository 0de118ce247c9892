#!/bin/sh
# floe bench with mixed queries: the presets on small tables, their files, their errors. Checks that there are figures,
# not their values; floe itself checks the answers (test_broken.sh).
. "${top_srcdir:-.}/tests/cmd/common.sh"
small="--engine=cpu --threads=2 --repetitions=2 --vary=pairs=4000 --vary=queries=2000"
tiny="$small --vary=recent=500 --vary=batch=300"

# rows CONDITION...: out is an object, r; rows its rows. Checked at the end.
n=0
rows() {
  n=$((n + 1))
  cp out "case$n.json"
  printf '%s\n' "$@" >"case$n.conditions"
}

run 3 bench ws-fig5 --vary=variant=none
variants=$(sed -n 's/^  available: \(.*\)/\1/p' err)
[ "$variants" ] || fail "no variants: $(cat err)"
quoted=$(printf '"%s"' "$variants" | sed 's/, /", "/g')

# the text
run 0 bench ws-crossover $tiny --vary=hot=0.2
[ "$(wc -l <out)" -eq 3 ] || fail "not one row: $(cat out)"
silent err

# presets
run 0 bench ws-fig4 $tiny --json
rows 'r["preset"] == "ws-fig4"' 'r["engine"] == "cpu"' 'not r["interrupted"]' 'r["limits"] == []' \
  "[x[\"variant\"] for x in rows[::8]] == [$quoted]" 'all(x["verdict"] == "measured" for x in rows)' \
  'all(x["table"] == "working-set" and x["rate_most"] >= x["rate"] >= x["rate_least"] > 0 for x in rows)' \
  '[(x["threads"], x["updates"], x["hot"]) for x in rows[:8]] == [(t, u, h) for t in (1, 2) for u in (.2, .8) for h in (1, .2)]' \
  'all(x["queries"] == 1000 * x["threads"] and x["repetitions"] == 2 for x in rows)' \
  'all(x["pairs"] == 4000 and x["recent"] == 500 and x["batch"] == 300 for x in rows)' \
  'all(x["found"] <= round(x["queries"] * (1 - x["updates"])) for x in rows)' \
  'all(x["put"] <= round(x["queries"] * x["updates"] / 2) >= x["deleted"] > 0 for x in rows)' \
  'len({(x["threads"], x["updates"], x["hot"], x["found"], x["put"], x["deleted"]) for x in rows}) == 8' \
  'all(0 < x["first"] < 1 and x["moved_down"] > 0 and x["bytes"] > 64000 for x in rows)' \
  'all(abs(x["share"] - (.2 if x["hot"] == 1 else .95965)) < 1e-4 for x in rows)' \
  'all((x["deviation"] > 0) == (x["hot"] < 1) for x in rows)' 'all(x["misses"] >= -1 for x in rows)' \
  'all(0 <= x["beside"] and 0 < x["waited"] + x["second"] < 1.1 for x in rows)'
run 0 bench ws-fig5 $tiny --json --csv=rows.csv
rows "[x[\"variant\"] for x in rows[::2]] == [$quoted]" 'all(x["threads"] == 2 and x["updates"] == .2 for x in rows)' \
  '[list(x) for x in csv.reader(open("rows.csv"))][0] == list(rows[0])' \
  '[list(x) for x in csv.reader(open("rows.csv"))][1][1] == rows[0]["variant"]' 'len(list(csv.reader(open("rows.csv")))) == len(rows) + 1'
run 0 bench ws-fig6 $small --json --vary=pairs=100000 --vary=batch=500
rows 'len({x["variant"] for x in rows}) == 1' 'len(rows) == 2 * 6' \
  'all((x["verdict"] == "refused") == (x["recent"] > 111111) and (x["rate"] > 0) == (x["why"] == "") for x in rows)' \
  'all(x["misses"] == -1 for x in rows if x["why"])'
run 0 bench ws-fig6-batch $tiny --json --vary=batch=64,4000 --vary=recent=40,3000
rows 'len(rows) == 8' 'all(x["kernels"] == x["copies"] == 0 for x in rows)' '{(x["recent"], x["batch"], x["hot"]) for x in rows} == {(r, b, h) for r in (40, 3000) for b in (64, 4000) for h in (1, .2)}' \
  'all(x["first"] < .05 for x in rows if x["recent"] == 40 and x["hot"] == 1 and x["batch"] == 64)' \
  'all(x["first"] > .5 for x in rows if x["recent"] == 3000)'
run 0 bench ws-crossover $tiny --json --vary=updates=0,1
rows '[x["hot"] for x in rows] == [1, .5, .2, .1, .05, .02, .01, .005, .001] * 2' \
  '[x["first"] for x in rows[:9]] == sorted(x["first"] for x in rows[:9])' 'rows[8]["first"] > .9' \
  'all(x["found"] == x["queries"] and x["put"] == x["deleted"] == 0 for x in rows[:9])' 'all(x["found"] == 0 < x["put"] for x in rows[9:])'

# slow tables have fewer queries
run 0 bench ws-crossover --engine=cpu --threads=1 --repetitions=2 --vary=pairs=4000 --vary=recent=500 --vary=queries=10^6 --vary=hot=0.2 --vary=seconds=0.002 --json
rows 'rows[0]["verdict"] == "measured"' '0 < rows[0]["queries"] < 10**6' 'rows[0]["queries"] % 100 == 0'

# another seed: other queries
run 0 bench ws-crossover $tiny --json --vary=hot=0.2 --vary=updates=0.8 --seed=2
cp out seed2
run 0 bench ws-crossover $tiny --json --vary=hot=0.2 --vary=updates=0.8
rows '[x["found"] for x in rows] != [x["found"] for x in json.load(open("seed2"))["rows"]]'

# errors
run 3 bench ws-crossover $tiny --vary=recent=4900,5000
says err 'nothing is measured: a recent level of 4900 slots'
run 3 bench ws-crossover $tiny --vary=hot=0.7
says err 'nothing is measured: hot: above 0 up to 0.57, or 1'
run 3 bench ws-crossover $tiny --vary=updates=0.25
says err 'updates: 0 to 1 in fiftieths'
while read -r option why; do
  run 3 bench ws-fig4 $option
  says err "$why"
  silent out
done <<'END1'
--vary=hot=2 '2' is not a valid value for --vary=hot
--vary=hot=0.2,0.2 list every value once
--vary=recent=0 '0' is not a valid value for --vary=recent
--vary=threads=2000 '2000' is not a valid value for --vary=threads
--vary=variant=none there is no variant 'none'
--vary=heat=1 there is no axis 'heat'
--vary=hot 'hot' is not a valid value for --vary
--slots=2^10 --slots does not apply to the preset ws-fig4
--operation=find --operation does not apply to the preset ws-fig4
--plot=figures --plot does not apply to the preset ws-fig4
END1
run 3 bench fig1 --vary=hot=1
says err '--vary does not apply to these measurements'
run 3 bench ws-fig
says err "there is no preset 'ws-fig'"

cat >valid.py <<'END1'
import csv, json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
failures = 0
for n in range(1, int(sys.argv[2]) + 1):
    try:
        result = json.load(open(f"case{n}.json"))
        jsonschema.Draft7Validator(schema).validate(result)
        for condition in open(f"case{n}.conditions").read().splitlines():
            assert eval(condition, {"r": result, "rows": result["rows"], "csv": csv, "json": json}), condition
    except Exception as error:
        failures += 1
        print(f"object {n}: {type(error).__name__}: {str(error)[:800]}")
sys.exit(failures > 0)
END1
if python3 -c 'import jsonschema' 2>/dev/null; then
  python3 valid.py "$here/doc/result.schema.json" $n >why 2>&1 || fail "$(cat why)"
else
  echo 'python3 has no module jsonschema: the objects are not looked at'
fi
finish
