#!/bin/sh
# bench/tables/working_set.sh on small tables: the maps of other libraries are built and right, and find, put and delete as
# many keys as floe's own. Figures are not checked.
. "${top_srcdir:-.}/tests/cmd/common.sh"
CXXFLAGS=-O0 "$here/bench/tables/rivals.sh" rivals >why 2>&1
case $? in
0) ;;
77) skip "$(cat why)" ;;
*) fail "rivals.sh: $(cat why)" && finish ;;
esac

FLOE=$floe RIVALS=$PWD/rivals/rivals ENGINE=cpu THREADS=2 PAIRS=4000 QUERIES=2000 RECENT=500 REPETITIONS=2 \
  FIGURES='4 6 crossover' "$here/bench/tables/working_set.sh" out >text 2>err || fail "exit code $?: $(cat text err)"
silent err
for name in threads crossover; do
  awk -F, 'NR > 1 { n[$1]++; if ($3 != "measured") bad = 1 } END { exit bad || !n["boost"] || n["boost"] != n["tbb"] || n["tbb"] != n["libcuckoo"] }' \
    out/$name.rivals.csv || fail "$name: $(cat out/$name.rivals.csv)"
done
grep -q '/boost  *.tbb  */libcuckoo' text || fail "no ratios: $(cat text)"
grep -Eq '^ +0.2 +0.8 +1( +[0-9.e+]+){10}' text || fail "no row with everybody: $(cat text)"

# programs with other counts or with wrong answers are detected
cat >liar <<'END'
#!/bin/sh
"$(dirname "$0")/rivals/rivals" "$@" | awk -F, -v OFS=, 'NR == 3 { $13++ } { print }'
END
cat >wrong <<'END'
#!/bin/sh
"$(dirname "$0")/rivals/rivals" "$@" | awk -F, -v OFS=, 'NR == 4 { $3 = "wrong" } { print }'
END
chmod +x liar wrong
for who in liar wrong; do
  FLOE=$floe RIVALS=$PWD/$who ENGINE=cpu THREADS=1 PAIRS=4000 QUERIES=2000 RECENT=500 REPETITIONS=2 FIGURES=4 \
    "$here/bench/tables/working_set.sh" out >text 2>err
  [ $? = 1 ] || fail "the $who one is believed: $(cat text)"
  silent err
  [ $who = wrong ] || says text 'counts differ: boost'
  [ $who = liar ] || says text 'boost is wrong'
done
finish
