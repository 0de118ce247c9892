#!/bin/sh
# floe bench: every preset on small tables, its files, its errors. Checks that there are figures, not their values.
. "${top_srcdir:-.}/tests/cmd/common.sh"
small="--engine=cpu --threads=2 --repetitions=2 --slots=2^10"

# rows CONDITION...: out is an object, r; rows its rows, m those that were measured, full or not. Checked at the end.
n=0
rows() {
  n=$((n + 1))
  cp out "case$n.json"
  printf '%s\n' "$@" >"case$n.conditions"
}

# the text
run 0 bench $small
says out 'iceberg    find-or-put'
[ "$(wc -l <out)" -eq 3 ] || fail "not one row: $(cat out)"
silent err

# presets
for preset in fig1 fig2 fig3 remark1 probe reduce; do
  run 0 bench $preset $small --json --table=iceberg --plot=drawn
  rows 'r["command"] == "bench"' "r[\"preset\"] == \"$preset\"" 'r["engine"] == "cpu"' 'not r["interrupted"]' \
    "rows" 'all(x["verdict"] != "wrong" for x in rows)' 'all(x["why"] for x in rows if x not in m)'
  ! command -v gnuplot >/dev/null || grep -q '<svg' drawn/$preset.svg || fail "$preset.svg is no picture"
done
run 0 bench fig1 $small --json --table=iceberg
rows 'len(rows) == 72' 'all(x["verdict"] == "measured" and x["operation"] == "put" for x in rows)' \
  'all(x["put"] == x["keys"] and x["found"] == 0 and x["rate"] > 0 for x in rows)' \
  '{x["bucket_slots"] for x in rows} == {8, 16, 32}' '{x["slot_bits"] for x in rows} == {16, 32, 64}' \
  'sorted({x["after"] for x in rows}) == [.5, .6, .7, .75, .8, .85, .9, .95]' \
  'all(abs(x["filled"] - x["after"]) < .001 for x in rows)' 'all(x["repetitions"] == 2 for x in rows)' \
  'all(x["rate_least"] <= x["rate"] <= x["rate_most"] for x in rows)'
run 0 bench fig2 $small --json --table=iceberg --slot-bits=32 --bucket-slots=16
rows 'len(rows) == 24' 'all(x["operation"] == "find" for x in rows)' '{x["positive"] for x in rows} == {0, .5, 1}' \
  'all(abs(x["found"] - x["positive"] * x["keys"]) <= 1 for x in rows)' \
  'all(x["keys"] == x["slots"] // 2 for x in rows)'
run 0 bench fig3 $small --json --table=iceberg --bucket-slots=16 --slot-bits=32
rows 'all(x["before"] < x["after"] and x["keys"] == x["slots"] for x in rows)' \
  'all(abs(x["put"] - (x["after"] - x["before"]) * x["slots"]) <= 1 for x in rows)' \
  'all(x["put"] + x["found"] == x["keys"] for x in rows)' '{x["before"] for x in rows} == {0, .25, .5, .75}'
run 0 bench fig3 $small --json --table=cuckoo --bucket-slots=16 --slot-bits=32
rows 'len(rows) == 24' 'all(x["put"] + x["found"] == x["keys"] == x["slots"] for x in m)' 'len(m) >= 20'
run 0 bench probe $small --json
rows 'len(rows) == 31' 'all(x["table"] == "linear" and x["value_bits"] == 32 for x in rows)' 'rows == m' \
  'rows[0]["probe_mean"] < .1 < 5 < rows[-1]["probe_mean"]' 'rows[-1]["probe_most"] > rows[0]["probe_most"]' \
  'all(b["before"] == a["after"] for a, b in zip(rows, rows[1:]))'
run 0 bench reduce $small --json
rows 'len(rows) == 18' 'all(x["table"] == "robin-hood" and x["operation"] == "add" for x in rows)' 'rows == m' \
  'all(x["keys"] == 10 * x["put"] for x in rows if x["zipf"] == 0)' '{x["zipf"] for x in rows} == {0, .5, 1}' \
  'all(x["put"] * 10 <= x["keys"] for x in rows if x["zipf"])' 'all(x["probe_mean"] > 0 for x in rows)'
for table in iceberg cuckoo linear robin-hood; do
  for values in '' --value-bits=32 --value-bits=64; do
    width=${values#*=} has=
    for operation in put find find-or-put delete get add; do
      "$floe" bench $small --json --table=$table $values --operation=$operation >out 2>err
      code=$?
      rows 'rows[0]["verdict"] in ("measured", "refused")' '(rows[0]["rate"] > 0) == (rows[0]["why"] == "")' \
        "(rows[0][\"verdict\"] == \"refused\") == ($code == 3)"
      [ $code = 3 ] || has="$has $operation"
    done
    # as in doc/bench.md
    if [ "$has" ]; then
      grep -qF "| $table | ${width:-none} |$has |" "$here/doc/bench.md" || fail "bench.md: $table, $values:$has"
    else
      ! grep -qF "| $table | ${width:-none} |" "$here/doc/bench.md" || fail "bench.md has a $table that is not there"
    fi
  done
done
run 0 bench overflow $small --json --plot=overflow
rows 'len(rows) == 9 == len(m)' 'all(.3 < x["filled"] < 1 for x in rows)' 'all(x["rate"] == 0 for x in rows)' \
  '[max(x["filled"] for x in rows if x["bucket_slots"] == b) for b in (8, 32)] == sorted(max(x["filled"] for x in rows if x["bucket_slots"] == b) for b in (8, 32))'
[ "$(grep -c '^iceberg' overflow/overflow.dat)" -eq 9 ] || fail "not nine rows: $(cat overflow/overflow.dat)"
run 0 bench limits --engine=cpu --threads=1 --json
rows 'r["preset"] == "limits"' 'len(r["limits"]) == 3' 'all(x[k] > 1e5 for x in r["limits"] for k in ("read", "swap16", "swap32", "swap64"))'

# axes
run 0 bench $small --json --operation=find --before=0.25,0.75 --positive=0,0.3,1
rows 'len(rows) == 6' '[x["before"] for x in rows] == [.25, .75] * 3' \
  'all(x["found"] == round(x["positive"] * x["keys"]) for x in rows)'
run 0 bench $small --json --times=5 --after=0.7
rows 'rows[0]["keys"] == 5 * rows[0]["put"]' 'rows[0]["times"] == 5'
run 0 bench $small --json --zipf=0.5,1.2 --after=0.7
rows '[x["zipf"] for x in rows] == [.5, 1.2]' 'rows[0]["put"] > rows[1]["put"] > 0' \
  'all(x["filled"] < .7 for x in rows)'
run 0 bench $small --json --zipf=0,1 --operation=find,put,find-or-put --after=0.7 --positive=0.5
rows '[(x["operation"], x["zipf"]) for x in rows] == [("find", 0), ("find", 1), ("put", 0), ("find-or-put", 0), ("find-or-put", 1)]' \
  'rows == m' 'all(x["found"] == round(x["keys"] / 2) and x["before"] == .8 for x in rows[:2])' 'all(x["before"] == 0 for x in rows[2:])'
run 0 bench $small --json --zipf=1 --operation=get --table=linear --value-bits=32
rows 'rows == m' 'rows[0]["found"] == rows[0]["keys"]'
run 0 bench --engine=cpu --threads=2 --repetitions=1 --json --slots=2^10,3000 --key-bits=22,23 --slot-bits=32,64 --bucket-slots=8,32 --table=iceberg,cuckoo
rows 'len(rows) == 32 == len({(x["table"], x["key_bits"], x["slot_bits"], x["bucket_slots"], x["slots"]) for x in rows})' \
  '{x["key_bits"] for x in rows} == {22, 23}' '{x["slot_bits"] for x in rows} == {32, 64}' '{x["bucket_slots"] for x in rows} == {8, 32}' 'rows == m'
run 0 bench $small --json --table=linear,iceberg --slot-bits=32,64 --key-bits=20 # of every table
rows '[(x["table"], x["slot_bits"]) for x in rows] == [("linear", 32), ("linear", 64), ("iceberg", 32), ("iceberg", 64)]'
run 0 bench $small --json --table=iceberg,linear --slot-bits=16 --second-slot-bits=32 --bucket-slots=8
rows 'rows[0]["second_slot_bits"] == 32'
run 3 bench $small --table=iceberg --slot-bits=64 --second-slot-bits=32
says out '; available without --second-slot-bits'
run 0 bench $small --json --operation=put --before=0.3 --after=0.6 --key-bits=40 --slot-bits=64
rows 'rows[0]["key_bits"] == 40' 'rows[0]["slot_bits"] == 64' 'abs(rows[0]["filled"] - .6) < .001'
run 3 bench $small --json --key-bits=60 --slot-bits=16
says err 'nothing is measured: there is no such table'
rows 'rows[0]["verdict"] == "refused"' '"no such table" in rows[0]["why"]' 'rows[0]["rate"] == 0'
run 3 bench $small --json --operation=find --positive=0 --key-bits=8 --before=0.9
rows 'rows[0]["verdict"] == "refused"' '"not that many keys" in rows[0]["why"]'
run 0 bench --engine=cpu --threads=1 --repetitions=1 --json --slots=2^20
rows '0 < rows[0]["ceiling"]' 'abs(rows[0]["fraction"] - rows[0]["rate"] / rows[0]["ceiling"]) < 1e-6'

# the keys of an exploration
run 0 count -q -j1 --order-kind=lookups --visited-order=keys.order "$here/models/havi.xml" -D N=2 -D RESETS=2
run 0 bench fig4 --engine=cpu --repetitions=1 --json --keys=keys.order --table=iceberg
rows 'len(rows) == 45' 'all(x["key_bits"] == 12 and x["from_file"] for x in rows)' \
  'all(x["put"] == 2177 and x["keys"] == 7226 for x in m if x["part"] == 1)' \
  'all(abs(x["keys"] - 7226 * x["part"]) <= .5 for x in rows)' 'm'
run 0 bench --engine=cpu --repetitions=1 --json --keys=keys.order
rows 'rows[0]["key_bits"] == 32' 'rows[0]["put"] == 2177' 'rows[0]["filled"] > .3'
run 0 bench --engine=cpu --repetitions=1 --json --keys=keys.order --operation=put,find,delete,find-or-put --table=iceberg,cuckoo
rows '[(x["operation"], x["keys"], x["found"], x["put"]) for x in rows[:4]] == [("put", 2177, 0, 2177), ("find", 7226, 7226, 0), ("delete", 2177, 2177, 0), ("find-or-put", 7226, 5049, 2177)]' \
  '[x["verdict"] for x in rows] == 6 * ["measured"] + ["refused", "measured"]'
run 0 bench --engine=cpu --repetitions=1 --json --keys=keys.order --operation=put,find,get,add --reduction=sum --table=robin-hood --value-bits=32
rows 'rows == m' '[(x["keys"], x["found"], x["put"]) for x in rows] == [(2177, 0, 2177), (7226, 7226, 0), (7226, 7226, 0), (7226, 5049, 2177)]'
run 3 bench fig4 --engine=cpu
says err 'needs the keys of a file'
run 3 bench fig4 --engine=cpu --keys=nowhere.order
says err 'nowhere.order cannot be opened'
head -c 3000 keys.order >cut.order
(cat keys.order && echo more) >long.order
: >empty.order
echo 'other text' >fig.sh
while read -r file why; do
  run 3 bench --engine=cpu --keys=$file
  says err "$file cannot be read: $why"
  silent out
done <<'END'
cut.order it ends too early
long.order it is damaged: it is longer than its header says
empty.order it is not an order file
fig.sh it is not an order file
. Is a directory
END
run 3 bench fig1 --engine=cpu --keys=keys.order
says err '--keys does not apply to this preset'

# files: complete or absent
run 0 bench fig1 $small --table=iceberg --bucket-slots=32 --csv=fig1.csv --json=fig1.json --plot=figures
says out '0.95'
[ "$(wc -l <fig1.csv)" -eq 25 ] || fail "fig1.csv has not 25 lines: $(cat fig1.csv)"
for file in fig1.dat fig1.gp; do [ -s figures/$file ] || fail "there is no $file"; done
[ "$(grep -c '^iceberg' figures/fig1.dat)" -eq 24 ] || fail "not 24 rows: $(cat figures/fig1.dat)"
cp fig1.json out
rows 'len(rows) == 24' \
  'list(rows[0]) == open("fig1.csv").readline().strip().split(",")' \
  'all(c["table"] == x["table"] and float(c["rate"]) > 0 and int(c["put"]) == x["put"] and float(c["after"]) == x["after"] for c, x in zip(list(csv.DictReader(open("fig1.csv"))), rows))' \
  'len(list(csv.DictReader(open("fig1.csv")))) == len(rows)'
if command -v gnuplot >/dev/null; then
  grep -q '<svg' figures/fig1.svg || fail 'fig1.svg is no picture'
  [ "$(head -c 4 figures/fig1.png | tail -c 3)" = PNG ] || fail 'fig1.png is no picture'
else
  echo 'no gnuplot: the pictures are not tested'
fi

# every axis but the horizontal one separates panels, and is named
plots() { # $1: lines or kinds of bars  $2: size of the picture  $3: name; the others: its texts
  [ "$(grep -c . "drawn/$3.dat")" -gt "$1" ] || fail "fewer rows than $1: $(cat "drawn/$3.dat")"
  if ! command -v gnuplot >/dev/null; then
    sed -i '/gnuplot is not installed/d' err
    silent err
    return
  fi
  silent err
  picture=drawn/$3.svg
  [ "$(grep -c '<g id="gnuplot_plot_' "$picture")" -eq "$1" ] || fail "not $1 lines in $picture: $(grep gnuplot_plot_ "$picture")"
  grep -q "width=\"${2% *}\" height=\"${2#* }\"" "$picture" || fail "$picture is not of $2: $(grep width= "$picture")"
  shift 3
  for text; do grep -qF ">$text</" "$picture" || fail "no '$text' in $(grep '<text>' "$picture")"; done
}
run 0 bench $small --operation=find --before=0.8,0.2,0.5 --positive=0,0.25,1 --plot=drawn
plots 3 '1800 480' bench 'iceberg: find, part of the keys present 0.25' 'iceberg: find, part of the keys present 1' 'fill factor before'
run 0 bench $small --zipf=0,1 --after=0.5,0.7 --plot=drawn
plots 2 '1200 480' bench "iceberg: find-or-put, Zipf's exponent 1"
run 0 bench fig1 $small --table=iceberg,linear --slot-bits=32 --bucket-slots=16 --before=0.1,0.2 --key-bits=20 --plot=drawn
plots 2 '1200 920' fig1 'iceberg: put, fill factor before 0.2' # linear has no buckets
# figures with one horizontal value have bars, in groups
run 0 bench $small --after=0.6 --table=iceberg,linear --plot=drawn
plots 2 '1200 480' bench find-or-put iceberg linear
run 0 bench remark1 $small --plot=drawn
plots 3 '840 480' remark1 find 'present 0' find-or-put 'before 0.8' '16 bits, 32 a bucket'
run 0 bench $small --operation=find --positive=0.5,1 --plot=drawn # the axis with several values is horizontal
plots 1 '600 480' bench 'part of the keys present'

mkdir -p bin && ln -sf "$floe" bin/floe
(PATH=$work/bin && export PATH && exec "$floe" bench $small --plot=undrawn >out 2>err) || fail "without gnuplot: $(cat err)"
says err 'gnuplot is not installed'
[ -s undrawn/bench.gp ] && [ -s undrawn/bench.dat ] || fail 'no script without gnuplot'
[ ! -e undrawn/bench.svg ] || fail 'a picture without gnuplot'
# paths that cannot be written are reported before the measurement
mkdir -p folder
for wrong in --csv=nowhere/fig --csv=folder --json=nowhere/fig --plot=nowhere/folder --plot=fig1.csv; do
  run 3 bench fig1 --engine=cpu $wrong
  grep -q 'cannot be written\|cannot be created\|is not a folder' err || fail "floe bench $wrong: $(cat err)"
  silent out
done
if [ -w /dev/full ]; then
  run 5 bench $small --csv=/dev/full
  says err '/dev/full cannot be written: No space left on device'
  [ "$(wc -l <out)" -eq 3 ] || fail "not measured: $(cat out)"
fi
[ "$(ls | grep -c '^fig1')" -eq 2 ] || fail "files left over: $(ls)"

# after a signal: results so far are written
"$floe" bench fig2 --engine=cpu --threads=1 --table=iceberg --slots=2^18 --csv=part.csv --json=part.json >out 2>err &
pid=$!
patience=600
until [ "$(wc -l <out)" -ge 4 ] || [ $patience -eq 0 ]; do
  patience=$((patience - 1))
  sleep 0.1
done
kill -s TERM $pid
wait $pid
code=$?
[ $code -eq 2 ] || fail "exit code $code after SIGTERM; $(cat err)"
says out interrupted
[ "$(wc -l <part.csv)" -eq "$(($(wc -l <out) - 2))" ] || fail "part.csv has other rows than the text: $(cat out part.csv)"
cp part.json out
rows 'r["interrupted"]' '2 <= len(rows) < 72' 'm == rows'

# mistakes
run 3 bench fig11
says err "did you mean 'fig1'?"
run 3 bench --table=iceburg
says err "did you mean 'iceberg'?"
run 3 bench --operation=fnd
says err 'did you mean --operation=find?'
run 3 bench fig1 --operation=find
says err 'the preset fig1 determines its operation'
for wrong in --key-bits=0 --key-bits=65 --key-bits=32, --slots=1024,, --slots=8,8 --slot-bits=32,33 --slot-bits=32,32 --operation=find,find --second-slot-bits=8 --after=2 --after= --after=0.5, --before=x --positive=-1 --slots=2^ --slots=0 --slots=2^99 --slots=2^60 --zipf=9 --zipf=-1; do
  run 3 bench $wrong
  says err 'is not a valid value for --'
  silent out
done
run 3 bench --engine=interpreter
says err 'cannot use the interpreter'
run 3 bench fig1 fig2
run 3 bench $small --before=0.5 --after=0.4 # no valid case is left
[ "$(wc -l <out)" -eq 2 ] || fail "more than the head: $(cat out)"
says err 'nothing is measured'
for preset in '' overflow; do # before the measurement
  run 3 bench $preset $small --permutation=none
  says err "there is no permutation 'none'"
  says err 'available: mix, feistel, feistel1'
  silent out
done
run 3 bench --permutation=fiestel
says err "did you mean 'feistel'?"
for wrong in --table=iceberg,,linear --table=,iceberg --table=iceberg, --table= --table=iceberg,linear,iceberg --after=0.5,0.50; do
  run 3 bench $wrong
  says err 'is not a valid value for --'
  silent out
done
run 3 bench --table=linear,linear
says err 'list every table once'

# options that name the same file
mkdir -p folder && ln -sf . folder/here && echo old >there.csv && ln -sf there.csv other.csv
while read -r options; do
  run 3 bench --engine=cpu $options
  says err 'are the same file'
  silent out
done <<'END'
--csv=a --json=a
--csv=a --json=./a
--csv=folder/a --json=folder/here/../folder/a
--csv=there.csv --json=other.csv
--csv=keys.order --keys=keys.order
--json=./keys.order --keys=keys.order
fig1 --csv=folder/fig1.dat --plot=folder
--json=folder/bench.png --plot=folder
END
[ ! -e a ] && [ "$(cat there.csv)" = old ] || fail 'a file was written'
run 0 bench $small --csv=/dev/null --json=/dev/null
run 0 bench $small --csv=a --json=folder/a

# refusals name alternatives
while IFS=: read -r options text; do
  run 3 bench $small $options
  says out "$text"
done <<'END'
--table=robin-hood:; available: put, find, get, add with --value-bits=32
--table=robin-hood --value-bits=32:; available: put, find, get, add
--operation=get:; available with --value-bits=32 or 64
--operation=put --table=cuckoo --value-bits=32:; available with --value-bits=64 or without
--key-bits=60 --slot-bits=16:; available without --slot-bits
--operation=delete --table=cuckoo:; available: put, find, find-or-put
--operation=find --before=0:an empty table has no keys to find
--operation=find --before=0.0001:an empty table has no keys to find
--operation=find --positive=0 --key-bits=1 --before=0.5:that many keys of 1 bit
END
run 0 bench $small --operation=find --before=0 --positive=0
run 3 bench --engine=cpu --slots=64 --keys=keys.order
says out '2177 different keys are more than the '

# options that do not apply
while read -r option arguments; do
  run 3 bench --engine=cpu $option $arguments
  says err "${option%%=*} does not apply to these measurements"
  silent out
done <<'END'
--after=0.5 --operation=find
--after=0.5 --keys=keys.order
--after=0.5 overflow
--before=0.5 --keys=keys.order
--before=0.5 probe
--positive=0.5 --operation=put
--positive=0.5 fig3
--times=2 --operation=put
--times=2 fig2
--zipf=1 --operation=delete
--reduction=sum --operation=put
--hashes=4 --table=iceberg,linear
--bucket-slots=8 --table=linear,robin-hood
--key-bits=30 --keys=keys.order
--slots=2^20 limits
--table=linear limits
--repetitions=2 limits
--plot=figures limits
--device=1 --engine=cpu
--second-slot-bits=32 --table=linear
--positive=0.5 --keys=keys.order --operation=find
--zipf=1 --keys=keys.order --operation=find
--threads=2 --engine=gpu
--threads=2 --engine=auto --device=0
END
run 0 bench $small --json --table=linear,iceberg --bucket-slots=8
rows '[x["verdict"] for x in rows] == ["refused", "measured"]' '"8 a bucket" in rows[0]["why"]'

# the help names the tables, all of them
run 3 bench --table=0
tables=$(sed -n 's/.*available: \(iceberg,.*\)/\1/p' err)
run 0 help bench
says out "${tables:?}"
for permutation in mix feistel feistel1; do says out $permutation; done
run 0 help check
says out 'visited set: iceberg'
run 3 check --slot-bits=16,32 "$here/models/havi.xml"
says err 'takes a single value'

cat >valid.py <<'END'
import csv, json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
failures = 0
for n in range(1, int(sys.argv[2]) + 1):
    text = open(f"case{n}.json").read()
    try:
        result = json.loads(text)
        jsonschema.Draft7Validator(schema).validate(result)
        names = {"r": result, "rows": result["rows"], "csv": csv,
                 "m": [x for x in result["rows"] if x["verdict"] == "measured"]}
        for condition in open(f"case{n}.conditions").read().splitlines():
            assert eval(condition, names), condition
    except Exception as error:
        failures += 1
        print(f"object {n}: {type(error).__name__}: {str(error)[:800]}\n{text[:1500]}")
sys.exit(failures > 0)
END
[ $n -ge 15 ] || fail "only $n objects looked at"
if python3 -c 'import jsonschema' 2>/dev/null; then
  python3 valid.py "$here/doc/result.schema.json" $n >why 2>&1 || fail "$(cat why)"
else
  echo 'python3 has no module jsonschema: the objects are not looked at'
fi
finish
