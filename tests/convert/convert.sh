#!/bin/sh
# Models of all languages are written in all languages that expected.tsv lists for them, and have the same counts.
# FLOE_TEST_SEEDS: number of random models (2; 200 with FLOE_TEST_LONG).
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/convert/same.sh"
most=300 seeds=2
[ -z "${FLOE_TEST_LONG:-}" ] || most=20000 seeds=200
seeds=${FLOE_TEST_SEEDS:-$seeds}

# Columns: 1 if it is checked always, not only at length; model; languages
while read -r always path languages; do
  [ "$always" = 1 ] || [ -n "${FLOE_TEST_LONG:-}" ] || continue
  before=$(counts "$here/$path")
  [ -n "$before" ] || fail "$path cannot be counted"
  written=
  for language in xml dve pnml; do
    same "$here/$path" $language "$before" && written=$written,$language
  done
  [ "$written" = ",$languages" ] || fail "$path can be written in ${written#,}, not in $languages"
done <"$here/tests/convert/expected.tsv"

# ---- there and back ----

before=$(counts "$here/models/peterson.xml")
same "$here/models/peterson.xml" dve "$before"
same after.dve xml "$before"
same after.xml dve "$before"
before=$(counts "$here/tests/pnml/nets/weights.pnml")
same "$here/tests/pnml/nets/weights.pnml" xml "$before"
same after.xml pnml "$before"

# ---- names and verdicts ----

verdicts() { "$floe" check --continue --no-trace "$1" 2>/dev/null | sed -n '/^[a-z_]*: \(holds\|violated\|reachable\|unreachable\)/p'; }
run 0 convert "$here/models/peterson.xml" after.xml
says err '1 property is not written (served): '
says after.xml '<transition from="idle" to="raised" label="come">'
says after.xml 'P[0].level lt P[1].level'
verdicts "$here/models/peterson.xml" | grep -v served >before
verdicts after.xml >after
diff before after || fail 'other verdicts (<: before)'
[ -s before ] || fail 'no verdicts'
run 0 convert "$here/tests/pnml/nets/colours.pnml" after.pnml
says after.pnml '<name><text>'

# ---- indices ----

# An index of an array of one element keeps its test: each transition fails where i is 1.
for instances in 1 2; do
  for step in '<guard>x[i] == 0</guard>' '<effect>x[i] = 1</effect>'; do
    cat >element.xml <<END
<model name="element">
  <variable name="i" range="0..1" init="0"/>
  <process name="P" instances="$instances">
    <variable name="x" range="0..1" size="1" init="0"/>
    <location name="q" initial="true"/>
    <transition from="q">$step</transition>
    <transition from="q"><guard>i == 0 and x[0] lt 2</guard><effect>i = 1</effect></transition>
  </process>
</model>
END
    run 1 count element.xml
    states=$(grep '^states' out)
    for to in xml dve; do
      run 0 convert element.xml "converted.$to"
      run 1 count "converted.$to"
      says out "$states" 'errors: violated at depth 1'
    done
  done
done

# ---- random models ----

if command -v python3 >/dev/null; then
  written=0 all=0
  seed=0
  while [ $seed -lt "$seeds" ]; do
    python3 "$here/tests/reference/random_models.py" $seed 2>/dev/null | tr -d '\000' >random.xml
    before=$(counts random.xml)
    for language in xml dve pnml; do
      [ -n "$before" ] || break
      all=$((all + 1))
      same random.xml $language "$before" && written=$((written + 1))
    done
    seed=$((seed + 1))
  done
  echo "$written of $all random conversions are possible"
  [ "$written" -ge $((all / 3)) ] || fail 'few random models can be written'
fi

# ---- errors ----

run 3 convert "$here/models/peterson.xml"
says err 'the language of the output is not known: name it with --to=LANGUAGE'
run 3 convert --to=promela "$here/models/peterson.xml"
says err '--to=promela is no language that models can be written in'
says err 'xml, dve, pnml'
cp "$here/models/peterson.xml" same.xml
run 3 convert same.xml ./same.xml
says err 'same file'
cd "$here/tests/convert/bad" || exit 99
for case in branches.xml:dve guards.xml:pnml places.dve:pnml properties.xml:dve; do
  model=${case%:*} expected=3
  [ $model != properties.xml ] || expected=0
  rm -f "$work/x"
  "$floe" convert --to="${case#*:}" "$model" "$work/x" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  [ $code -eq $expected ] || fail "$model: exit code $code instead of $expected"
  [ $expected -eq 0 ] || [ ! -e "$work/x" ] || fail "$model: a file after an error"
  if [ -n "${FLOE_GOLDEN_WRITE:-}" ]; then cp "$work/err" "${model%.*}.expected"; fi
  diff "${model%.*}.expected" "$work/err" || fail "$model: other messages (<: expected)"
done
cd "$work" || exit 99
run 3 convert "$here/tests/pnml/nets/claims.pnml" x.dve
says err 'in nets -D tokens=N'
run 0 convert -D tokens=3 "$here/tests/pnml/nets/claims.pnml" x.dve
finish
