#!/bin/sh
# same.sh OLD NEW: compares the outputs and files of two floe commands, byte for byte, for changes without effect on behaviour
# (doc/design/testing.md). Every model with its cases of few states, engines, tables, threads, outputs, traces, order files,
# graphs, generated code, plans, help, invalid options and invalid models; both commands in parallel, for minutes. Prints how many
# command lines were compared and which differ, with the first different lines; exit code 1 if one differs.
# Compares both streams, the exit code and every file, after `filter`.
# SAME_TEXTS=FILE: for changes of texts alone. Cases whose different lines have the same numbers are counted apart, and each
# pair of texts is written to FILE once, with N for numbers; the exit code is 1 if numbers differ anywhere but in help.
# SAME_STATES=N: cases of up to N states (3000). SAME_QUICK=1: only one model.
# Without arguments, as in `make check`: a quick test that floe equals itself, and differs from a copy with one word
# changed.
set -u
if [ $# -eq 0 ]; then
  floe=${FLOE:-./floe}
  other=$(mktemp -d) || exit 99
  trap 'rm -rf "$other"' EXIT
  SAME_QUICK=1 SAME_STATES=100
  export SAME_QUICK SAME_STATES
  sh "$0" "$floe" "$floe" || exit 1
  printf '#!/bin/sh\n"%s" "$@" >out\ncode=$?\nsed "s/reachable/reached/" out\nrm out\nexit $code\n' "$floe" >"$other/floe"
  chmod +x "$other/floe"
  sh "$0" "$floe" "$other/floe" >"$other/found" && { echo "a changed floe is not seen"; exit 1; }
  grep -q '^> .*reached' "$other/found" || { cat "$other/found"; exit 1; }
  echo "2 passed, 0 failed"
  exit 0
fi
if [ $# -ne 2 ]; then
  echo "usage: same.sh OLD NEW" >&2
  exit 99
fi
absolute() { (cd "$(dirname "$1")" && echo "$PWD/$(basename "$1")"); }
old=$(absolute "$1") new=$(absolute "$2") top=$(cd "${top_srcdir:-$(dirname "$0")/..}" && pwd)
for floe in "$old" "$new"; do
  [ -x "$floe" ] || { echo "same.sh: $floe is no command" >&2; exit 99; }
done
states=${SAME_STATES:-3000} quick=${SAME_QUICK:-0}
unset NO_COLOR FLOE_CC
LC_ALL=C TERM=dumb
export LC_ALL TERM
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Removes what differs between two runs of one binary: times, peak memory, figures computed from them (rates and fractions of the
# limit), the free memory in `floe devices`, and the name of the temporary folder. Nothing else.
filter() {
  sed -E -e "s|$work/$1|WORK|g" \
    -e 's/^(rate|time|memory|phases, which can overlap|threads): .*/\1: .../' \
    -e 's/^( *"(parse|compile|start|explore|trace|total|together|clearing|moving|alone|growing|between|waiting)": )[0-9][0-9.e+-]*/\1.../' \
    -e 's/^( *"(peak_bytes|rate|rate_least|rate_most|ceiling|fraction)": )[0-9][0-9.e+-]*/\1.../' \
    -e 's/[0-9.]+ [KMGT]iB (of usable memory)/... \1/' -e 's/^(    "memory": )[0-9]+$/\1.../' \
    -e 's|(<dt>(time\|memory)</dt><dd>)[^<]*|\1...|' \
    -e 's/^( *-?[0-9].* )[0-9]+\.[0-9]{3}( +[0-9.]+ [KMGT]?i?B  )/\1SECONDS\2/' \
    -e 's/ +[0-9.e+]+ +[0-9.e+]+\.\.[0-9.e+]+ +([0-9.e+]+%?|-)/ RATE/' \
    -e 's/^((iceberg|linear|cuckoo|robin-hood),([^,]*,){24}[0-9]+,)([0-9.e+]+,){5}/\1RATES,/'
}

# One command line, in a folder with links only: its output, exit code and files go to the log.
n=0
input=/dev/null
say() {
  for word in ${SAME_WITHOUT:-}; do
    case " $* " in *" $word "*) return ;; esac
  done
  n=$((n + 1))
  printf '\nCASE %d floe %s\n' "$n" "$*"
  "$floe" "$@" <"$input" 2>../err
  printf '\n-- exit code %d; standard error:\n' $?
  cat ../err
  for file in * .[!.]*; do
    [ -L "$file" ] || [ ! -f "$file" ] || written "$file"
  done
}

written() {
  printf '\n-- file %s:\n' "$1"
  case $1 in
    *.order | *.zst | *.npy | *.raw) cksum <"$1"; "$floe" order "$1" 2>&1 ;;
    *) cat "$1" ;;
  esac
  [ "${keep:-}" = "$1" ] || rm -f "$1"
}

# The constants of a model's expected results with few states: a line per case, as -D options (none: an empty line).
cases() {
  tr '\n' ' ' <"$1" | grep -oE '<expect[^>]*>' | awk -v limit="$states" '
    {
      count = constants = ""
      if (match($0, / states="[0-9]+"/)) count = substr($0, RSTART + 9, RLENGTH - 10)
      if (count + 0 > limit) next
      if (match($0, / constants="[^"]*"/)) constants = substr($0, RSTART + 12, RLENGTH - 13)
      gsub(/ /, "", constants)
      gsub(/,/, " -D", constants)
      print constants == "" ? "" : "-D" constants
    }'
}

every_case() { # $1: model, rest: constants
  say check --json --certificate --continue --engine=interpreter -j1 --trace=t.json "$@"
  say plan --dump-code "$@"
}

some_cases() {
  say check --engine=cpu -j2 "$@"
  say check --quiet --certificate --no-trace "$@"
  say count --continue --engine=cpu -j1 "$@"
  say count --why-never --engine=interpreter -j1 "$@"
  say export "$@"
  say plan -m 64M "$@"
}

# With the model's own constants, bounded
each_model() {
  model=$1
  bound="--max-states=5000 --memory=1G"
  say check "$model" --expect --engine=interpreter --max-states="$states"
  say check "$model" --json=result.json --report=report.html --why-never --engine=cpu -j1 $bound
  say check "$model" --json --engine=cpu -j2 --continue --certificate $bound
  say check "$model" --engine=interpreter -j2 --property=deadlock $bound
  say check "$model" --engine=gpu --json --continue --certificate $bound
  say check "$model" --engine=gpu --table=linear --certificate $bound
  for table in "--table=iceberg --slot-bits=16" "--table=iceberg --slot-bits=21" "--table=iceberg --slot-bits=32" \
    "--table=iceberg --slot-bits=64" "--table=iceberg --slot-bits=16 --bucket-slots=8" "--table=linear" \
    "--table=iceberg --slot-bits=32 --bucket-slots=32" "--table=linear --slot-bits=32" "--table=linear --slot-bits=64" \
    "--table=cuckoo" "--table=robin-hood" "--permutation=feistel" "--initial-slots=64" "--expected-states=100" \
    "--table=linear --initial-slots=64" "--max-depth=7" "--memory=2M" "--memory=100K"; do
    say count "$model" --engine=cpu -j1 $bound $table
    say check "$model" --engine=interpreter -j1 --json $bound $table
  done
  say check "$model" --engine=interpreter -j1 --visited-order=x.order $bound
  say check "$model" --engine=cpu -j1 --visited-order=x.order --order-kind=lookups $bound
  say check "$model" --engine=cpu -j1 --visited-order=x.zst $bound
  say plan "$model" -m 1G
  say plan "$model" -m 10M --gpu-memory=8M --json
  say simulate "$model" --seed=1 --steps=40
  say export "$model" --format=dot --max-states=200
  say export "$model" --max-states=200 -o graph.aut
  keep=trace.json
  say check "$model" --engine=cpu -j2 --continue --trace=trace.json $bound
  input=$work/orders
  say simulate "$model" --interactive --seed=7
  input=/dev/null
  say replay "$model" trace.json
  sed 's/"to": [0-9]*/"to": 9/; s/"action": "[^"]*"/"action": "other"/' trace.json >trace2.json
  mv trace2.json trace.json
  keep=
  say replay "$model" trace.json
}

models() {
  for model in models/*.xml models/protocols/*.xml; do
    case $quick$model in 1models/altbit.xml | 0*) ;; *) continue ;; esac
    k=0
    cases "$model" >../cases
    while read -r constants; do
      k=$((k + 1))
      every_case "$model" $constants
      [ $((k % 4)) -ne 1 ] || some_cases "$model" $constants
    done <../cases
    [ "$quick" = 1 ] || each_model "$model"
  done
  [ "$quick" = 0 ] || return
  say check models/peterson.xml --engine=interpreter -j1 --sweep=N=2..5
  say check models/altbit.xml --engine=interpreter -j1 --sweep=CAP=0..2 --sweep=BROKEN=0,1
  input=models/peterson.xml
  say check - --engine=interpreter -j1
  input=/dev/null
}

# Conversions of a file of visited states; measurements of tables, compared by their counts
orders_and_tables() {
  "$floe" check models/peterson.xml --engine=interpreter -j1 --quiet --visited-order=p.order >/dev/null
  for keep in p.order; do
    say order p.order
    say order p.order --text
    say order p.order --raw -o p.raw
    say order p.order --npy -o p.npy
    say bench --engine=cpu --keys=p.order -j1 --repetitions=1 --table=iceberg,linear,cuckoo
  done
  rm -f p.order
  for table in iceberg linear cuckoo robin-hood; do
    for operation in put find find-or-put delete get add; do
      say bench --engine=cpu --table=$table --operation=$operation --slots=2^10,2^12 --repetitions=1 -j1 --csv=b.csv --json=b.json
      say bench --engine=cpu --table=$table --operation=$operation --slots=2^10 --value-bits=32 --repetitions=1 -j1
    done
  done
  for preset in fig1 fig2 fig3 overflow probe reduce remark1 fig4 nothing; do
    say bench $preset --engine=cpu --slots=2^10 --repetitions=1 -j1
  done
}

# Every option of every command, from its help, with values that most reject
options() {
  for command in check count replay simulate plan devices order export bench version help; do
    say "$command" --help
    say help "$command"
    say "$command"
    case $command in
      check | count) first="--engine=interpreter -j1" last="models/counters.xml -DN=1 -DK=2" ;;
      plan) first="-m 64M" last="models/counters.xml -DN=1 -DK=2" ;;
      simulate | export) first= last="models/counters.xml -DN=1 -DK=2" ;;
      replay) first= last="models/counters.xml trace.json" ;;
      bench) first="--slots=2^10 --repetitions=1 --engine=cpu -j1" last= ;;
      *) first= last= ;;
    esac
    for option in $("$old" "$command" --help | grep -oE '^ +(-., )? *--[a-z-]+' | sed 's/.*--//'); do
      for value in '' =x = =-1 =0 =2 =99999999999999999999; do
        case $command$option$value in
          *compiler* | *timeout=0* | *timeout=2 | *progress*) continue ;; # when they come, or what stands on the way
          bencharepetitions* | benchtimes=* | bench*threads*) continue ;;
        esac
        say "$command" $first "--$option$value" $last
      done
    done
  done
  say
  say --help
  say --version
  say --nothing
  say nothing.xml
  say check models/peterson.xml models/altbit.xml
  say check models/peterson.xml -DN=99
  say check models/peterson.xml -DM=1
  say check models/peterson.xml -DN=x
  say check models/peterson.xml -p none
  say check models/peterson.xml --compiler= --engine=cpu
  say check models/peterson.xml -j1 --compiler=no-such-compiler --engine=cpu
  say check models/peterson.xml -j1 --compiler=false --engine=cpu
  say check models/counters.xml --engine=interpreter -j1 --json=no/such/folder/x
  say order models/peterson.xml
  say replay models/peterson.xml models/peterson.xml
  say devices
  say devices --json
  say bench --table=iceberg,cuckoo --bucket-slots=7
}

bad_models() {
  for model in tests/bad/*.xml tests/cmd/models/*.xml tests/trace/*.xml; do
    [ ! -f "$model" ] || say check --engine=interpreter -j1 --max-states=2000 "$model"
  done
  ln -s "$top"/tests/cmd/models/* .
  for golden in tests/cmd/golden/*.txt; do
    arguments=$(sed -n '2s/^\$ floe *//p' "$golden")
    case $arguments in plan*) arguments="$arguments -m 64M" ;; esac # not what is free
    say $arguments
  done
}

side() { # $1: old or new, $2: the command; a libtool wrapper costs more than most runs, what it would start is run
  floe=$2
  if [ -x "$(dirname "$floe")/.libs/floe" ]; then
    LD_LIBRARY_PATH=$(dirname "$floe")/.libs
    export LD_LIBRARY_PATH
    floe=$LD_LIBRARY_PATH/floe
  fi
  mkdir -p "$work/$1/here" "$work/$1/found" && cd "$work/$1/here" && ln -s "$top/models" "$top/tests" . || return
  FLOE_CACHE_DIR=$work/$1/cache
  export FLOE_CACHE_DIR
  {
    models
    [ "$quick" = 1 ] || { orders_and_tables; options; bad_models; }
  } >../log 2>&1
  filter "$1" <../log | awk -v to="$work/$1/found/" '
    /^CASE [0-9]+ floe/ { close(file); file = sprintf("%s%05d", to, $2) }
    file { print >file }'
}

printf '1\nr 5\nu 2\ns\nl\nnonsense\n99\nq\n' >"$work/orders"
side old "$old" &
one=$!
side new "$new" &
two=$!
wait $one $two
compared=$(ls "$work/old/found" | wc -l)
diff -rq "$work/old/found" "$work/new/found" | sed -E 's/.*[/ ]([0-9]{5})( differ)?$/\1/' >"$work/differ"
differ=$(wc -l <"$work/differ")
compared_text="$compared command lines compared, $differ differ"

# Cases of which only words differ go to FILE, the others stay in `differ`.
compare_texts() {
  mv "$work/differ" "$work/all"
  while read -r case; do
    diff "$work/old/found/$case" "$work/new/found/$case" | grep '^[<>]' >"$work/lines"
    for side in '<' '>'; do
      grep "^$side" "$work/lines" | grep -oE '[0-9][0-9.,]*' | tr -d ., | sort >"$work/numbers$side"
    done
    if cmp -s "$work/numbers<" "$work/numbers>" || head -n 1 "$work/old/found/$case" | grep -qE ' (--)?help( |$)|^CASE [0-9]+ floe [a-z]*$'; then
      sed -E 's/[0-9]+/N/g' "$work/lines" >>"$work/texts"
    else
      echo "$case" >>"$work/differ"
    fi
  done <"$work/all"
  touch "$work/differ" "$work/texts"
  sort -u "$work/texts" >"$1"
  words=$((differ - $(wc -l <"$work/differ")))
  differ=$(wc -l <"$work/differ")
  compared_text="$compared command lines compared, $words differ in words alone (listed in $1), $differ in more"
}
[ -z "${SAME_TEXTS:-}" ] || compare_texts "$SAME_TEXTS"

for case in $(sed -n 1,20p "$work/differ"); do
  sed -n '1s/^CASE [0-9]* //p' "$work/old/found/$case"
  diff "$work/old/found/$case" "$work/new/found/$case" | sed -n 2,9p | cut -c1-300
done
[ "$differ" -le 20 ] || echo "and $((differ - 20)) more"
echo "$compared_text"
[ "$differ" -eq 0 ] && [ "$compared" -gt 0 ]
