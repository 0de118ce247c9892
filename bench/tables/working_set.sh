#!/bin/sh
# Working-set tables beside Boost's unordered_map, TBB's concurrent_hash_map and libcuckoo: figures 4, 5 and 6 of the
# paper that doc/bench.md names, and the size at which they are equally fast, in one run on one machine.
#     bench/tables/working_set.sh FOLDER     writes FOLDER/*.csv, and the tables of summary.txt, which it prints as well
#     FIGURES  (4 5 6 crossover): 5 uses the counters of 4's runs if the processor counts cache misses; else callgrind's
#              on a table that is SCALE times smaller, if valgrind is installed
#     FLOE     the command (./floe)          RIVALS  output of bench/tables/rivals.sh (built in FOLDER; "none": floe alone)
#     ENGINE   (auto) of floe                THREADS (all): 1, 4, 16, ... and so many
#     PAIRS, QUERIES, RECENT, BATCH, REPETITIONS, EACH_SECONDS   (those of the presets)   SCALE (256)
#     SECONDS_ALL (a day): no run starts later, and a running one is stopped then; skipped runs are listed
#     SLOW     (none) variants that figure 4 runs with all threads only, and last: "ss cpss" on a GPU, where a batch
#              searches the whole list, so that filling the table takes half a minute
# Rates are medians, millions of queries a second; all have the same queries, and each answer is verified. Rivals
# allocate huge pages, as floe's tables do. 1: a wrong answer, or counts differ.
set -u
LC_ALL=C
export LC_ALL
[ $# -eq 1 ] || { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
folder=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$PWD/floe}
figures=${FIGURES:-4 5 6 crossover}
engine=${ENGINE:-auto}
threads=${THREADS:-$(nproc)}
repetitions=${REPETITIONS:-5}
scale=${SCALE:-256}
each_seconds=${EACH_SECONDS:-0.5} slow=${SLOW:-}
deadline=$(($(date +%s) + ${SECONDS_ALL:-86400}))
pairs=${PAIRS:-60397977} queries=${QUERIES:-10000000} recent=${RECENT:-1048576} batch=${BATCH:-8192}
"$floe" version >/dev/null || { echo "working_set.sh: no floe that runs at $floe (set FLOE)" && exit 99; }
mkdir -p "$folder" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
bad=0
say() { echo "$*" | tee -a "$folder/summary.txt"; }
is_one() { case " $2 " in *" $1 "*) ;; *) return 1 ;; esac } # $1: a word  $2: of these
wants() { is_one "$1" "$figures"; }
: >"$folder/summary.txt"

rivals=${RIVALS:-}
if [ -z "$rivals" ]; then
  rivals=$folder/rivals/rivals
  "$top/bench/tables/rivals.sh" "$folder/rivals" || rivals=none
fi
[ "$rivals" = none ] || [ -x "$rivals" ] || { echo "working_set.sh: no program at $rivals (RIVALS)" && exit 99; }

# ---- runs ----

thread_list() { # 1,4,16,... and all
  n=1 list=
  while [ $n -lt "$threads" ]; do list=$list$n, && n=$((n * 4)); done
  echo "$list$threads"
}

sizes() { # sizes of the first level, RECENT times each of $*, that leave room for the second
  for times in "$@"; do
    awk -v r="$recent" -v t="$times" -v pairs="$pairs" 'BEGIN { n = int(r * t); if (n >= 1 && n < pairs) print n }'
  done | paste -s -d ,
}

left() { # $1: next run; sets left, seconds; false, with a message: too little time is left
  left=$((deadline - $(date +%s)))
  [ $left -ge 5 ] || { say "# $1: left out, there is no time left" && return 1; }
}

# run NAME LABEL OUTPUT COMMAND...: with the time limit. After an interrupt both programs report their results so far.
run() {
  name=$1 who=$2 output=$3
  shift 3
  left "$name, $who" || return 1
  began=$(date +%s)
  timeout --preserve-status -s INT -k 10 $left "$@" >"$output" 2>"$folder/$name.$who.err" </dev/null
  code=$? took=$(($(date +%s) - began))
  if [ $took -ge $left ]; then
    say "# $name: $who ended after $took s, with what it had by then"
  elif [ $code -ne 0 ]; then
    say "$who: exit code $code: $(tail -n 3 "$folder/$name.$who.err")" && bad=1
  else
    say "# $name: $who in $took s"
  fi
}

# floe_rows NAME PRESET OPTION...: writes the CSV file of that name
floe_rows() {
  of=$1 preset=$2
  shift 2
  run "$of" floe "$folder/$of.floe.txt" "$floe" bench "$preset" --engine="$engine" --threads="$threads" \
    --repetitions="$repetitions" --vary=pairs="$pairs" --vary=queries="$queries" --vary=batch="$batch" \
    --vary=seconds="$each_seconds" "$@" --csv="$folder/$of.floe.csv"
}

# rival_rows NAME OPTION...: likewise, the output of rivals
rival_rows() {
  [ "$rivals" != none ] || return 0
  of=$1
  shift
  run "$of" rivals "$folder/$of.rivals.csv" env GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$rivals" --pairs="$pairs" \
    --queries="$queries" --repetitions="$repetitions" "$@"
}

# add_rows NAME TO: the rows of floe's files
add_rows() {
  [ -s "$folder/$1.floe.csv" ] || return 0
  if [ -s "$folder/$2.floe.csv" ]; then
    tail -n +2 "$folder/$1.floe.csv" >>"$folder/$2.floe.csv"
  else
    cp "$folder/$1.floe.csv" "$folder/$2.floe.csv"
  fi
}

# columns FILE NAME...: these columns, blanks between; "-" for an empty one
columns() {
  file=$1
  shift
  [ -s "$file" ] || return 0
  awk -F, -v names="$*" '
    NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
    { for (i = 1; i <= n; i++) { f = (want[i] in at) ? $at[want[i]] : ""; printf "%s%s", f == "" ? "-" : f, i < n ? " " : "\n" } }
  ' "$file"
}

# rows NAME COLUMN...: rows of both; the first column is a variant, or a rival
rows() {
  name=$1
  shift
  columns "$folder/$name.floe.csv" variant "$@"
  columns "$folder/$name.rivals.csv" table "$@"
}

# All must have the same numbers of found, put and deleted keys, and no wrong answers.
compare_counts() {
  rows "$1" verdict threads hot updates queries found put deleted >"$work/counts"
  awk '$2 != "measured" { print "  " $1 " is " $2; bad = 1 }
       { key = $3 " " $4 " " $5 " " $6; counts = $7 " " $8 " " $9
         if (key in seen && seen[key] != counts) { print "  counts differ: " $0; bad = 1 }
         seen[key] = counts }
       END { exit bad }' "$work/counts" >"$work/differ" || { bad=1 && say "$(cat "$work/differ")"; }
}

machine() {
  sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
  "$floe" devices 2>/dev/null | grep -i '^gpu\|GPU 0' | head -n 1
}

# ---- tables ----

# table VALUE ROW...: reads "label value row..." with so many words of a row's name; a column for each label. Then the
# ratio of the first column's best to the rivals'
put_table() { # $1: words of the name  $2: their heads  $3: plain: no ratios
  awk -v words="$1" -v heads="$2" -v rivals="${3-boost tbb libcuckoo}" '
    BEGIN { n = split(rivals, r, " "); for (i = 1; i <= n; i++) is_rival[r[i]] = 1 }
    { key = ""
      for (i = 3; i < 3 + words; i++) key = key sprintf("%9s", $i)
      if (!(key in known)) { known[key] = 1; order[++keys] = key }
      if (!($1 in seen)) { seen[$1] = 1; who[++count] = $1 }
      value[key, $1] = $2
      if (!($1 in is_rival) && $2 > best[key]) best[key] = $2 }
    END {
      m = split(heads, h, " ")
      for (i = 1; i <= m; i++) printf "%9s", h[i]
      for (i = 1; i <= count; i++) printf " %10s", who[i]
      for (i = 1; i <= n; i++) if (r[i] in seen) printf "%13s", "/" r[i]
      print ""
      for (k = 1; k <= keys; k++) {
        printf "%s", order[k]
        for (i = 1; i <= count; i++) printf ((order[k], who[i]) in value) ? " %10.4g" : " %10s", ((order[k], who[i]) in value) ? value[order[k], who[i]] : "-"
        for (i = 1; i <= n; i++) if (r[i] in seen) {
          v = value[order[k], r[i]]
          printf (v > 0 && best[order[k]] > 0) ? "%13.2f" : "%13s", (v > 0 && best[order[k]] > 0) ? best[order[k]] / v : "-"
        }
        print ""
      }
    }'
}

millions() { awk '{ $2 = $2 / 1e6; print }'; }

figure_4() {
  say && say "---- figure 4: M queries/s; best variant / rival"
  [ -e "$folder/threads.floe.csv" ] || return
  compare_counts threads
  rows threads rate hot updates threads | millions | put_table 3 "hot updates threads" | tee -a "$folder/summary.txt"
}

# Serial Boost, as in the paper, beside all threads of the others
figure_4_paper() {
  rows threads rate hot updates threads | awk -v most="$threads" '
    { key = $3 " " $4 }
    $1 == "boost" && $5 == 1 { boost[key] = $2 }
    ($1 == "libcuckoo") && $5 == most { cuckoo[key] = $2 }
    $1 != "boost" && $1 != "tbb" && $1 != "libcuckoo" && $5 == most && $2 > best[key] { best[key] = $2; name[key] = $1 }
    END { for (key in best) if (boost[key] > 0) { split(key, k, " ")
      printf "hot %s, updates %s: %s with %d threads is %.2f times Boost with one, and %.2f times libcuckoo with %d\n",
        k[1], k[2], name[key], most, best[key] / boost[key], best[key] / cuckoo[key], most } }' | sort | tee -a "$folder/summary.txt"
}

figure_6() {
  say && say "---- figure 6: M queries/s, and parts of the time"
  for sweep in recent batch; do
    columns "$folder/$sweep.floe.csv" recent batch hot rate first waited kernels copies second beside moved_down
  done | awk '
    BEGIN { printf "%9s %8s %7s %9s %7s %7s %7s %7s %7s %7s %9s\n", "recent", "batch", "hot", "M q/s", "first", "waited", "kernels", "copies", "second", "beside", "down/q" }
    { printf "%9d %8d %7g %9.4g %6.1f%% %6.1f%% %6.1f%% %6.1f%% %6.1f%% %6.1f%% %9.3g\n", $1, $2, $3, $4 / 1e6, 100 * $5, 100 * $6, 100 * $7, 100 * $8, 100 * $9, 100 * $10, $11 }' |
    tee -a "$folder/summary.txt"
}

# Each size of the first level is a column of its own.
figure_crossover() {
  say && say "---- crossover: M queries/s by the part of the keys that is hot (1: all alike), $threads threads"
  compare_counts crossover
  { columns "$folder/crossover.floe.csv" recent rate hot | awk '{ $1 = "recent:" $1; print }'
    columns "$folder/crossover.rivals.csv" table rate hot; } | millions >"$work/crossover"
  put_table 1 hot <"$work/crossover" | tee -a "$folder/summary.txt"
  awk '{ is = $1 !~ /^recent:/
         if (is && $2 > rival[$3]) rival[$3] = $2
         if (!is) { floe[$1, $3] = $2; if (!($1 in seen)) { seen[$1] = 1; who[++count] = $1 } }
         if (!($3 in known)) { known[$3] = 1; hot[++n] = $3 } }
       END { for (w = 1; w <= count; w++) {
           for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (hot[j] > hot[i]) { t = hot[i]; hot[i] = hot[j]; hot[j] = t }
           met = ""
           for (i = 1; i <= n; i++) {
             if (!rival[hot[i]]) continue
             q = floe[who[w], hot[i]] / rival[hot[i]]
             if (i > 1 && (q >= 1) != (last >= 1)) {
               x = exp(log(hot[i - 1]) + (log(hot[i]) - log(hot[i - 1])) * log(last) / (log(last) - log(q)))
               met = met sprintf("  meets the best rival at hot = %.3g", x)
             }
             last = q
           }
           print who[w] (met == "" ? "  does not meet the best rival" : met)
         } }' "$work/crossover" | tee -a "$folder/summary.txt"
}

# ---- figure 5 ----

# Bytes, a power of two: in proportion to these pairs as 64 MiB to the paper's
last_level=$(awk -v n=$((pairs / scale)) 'BEGIN { b = 65536; while (b * 1.41 < n / 60397977 * 67108864) b *= 2; print b }')

has_counters() { columns "$1" misses | awk '$1 < 0 { none = 1 } END { exit NR == 0 || none }'; }

figure_5() {
  say && say "---- figure 5: cache misses a query (last level)"
  "$floe" bench ws-fig5 --engine=cpu --repetitions=1 --vary=pairs=1000 --vary=recent=100 --vary=queries=1000 \
    --csv="$work/counters.csv" >/dev/null 2>&1
  if has_counters "$work/counters.csv"; then
    count_misses
  elif command -v valgrind >/dev/null; then
    say "the processor's counters are not available: by callgrind's imitation of caches, floe on the CPU, both levels counted,"
    say "(:second: what is not the first level's), one thread, $((pairs / scale)) pairs, a last level of $((last_level >> 10)) KiB: together as 60 million and 64 MiB"
    simulate
  else
    say "neither the processor's counters are available, nor valgrind"
  fi
}

# Uses the misses of figure 4's runs if they exist
count_misses() {
  source=threads
  if ! wants 4; then
    source=misses
    floe_rows misses ws-fig5 --vary=recent="$recent"
    rival_rows misses --threads="$threads" --updates=0.2
  fi
  say "by the processor's counters, all threads of the program, outside of the kernel"
  rows $source misses hot updates threads | awk -v most="$threads" '$4 == 0.2 && $5 == most' | put_table 2 "hot updates" plain |
    tee -a "$folder/summary.txt"
}

# misses_of FUNCTION COMMAND...: DLmr + DLmw in it and its callees, and the part of that outside the first level
misses_of() {
  function=$1
  shift
  rm -f "$work/callgrind.out"
  valgrind -q --tool=callgrind --cache-sim=yes --collect-atstart=no --toggle-collect="$function" --D1=32768,8,64 \
    --LL="$last_level",16,64 --callgrind-out-file="$work/callgrind.out" "$@" >"$work/valgrind.txt" 2>&1 ||
    { echo "valgrind: exit code $?: $(tail -n 2 "$work/valgrind.txt")" >&2 && return 1; }
  callgrind_annotate --threshold=100 --auto=no --show=DLmr,DLmw "$work/callgrind.out" 2>/dev/null |
    sed -n 's/([^)]*)//g; s/,//g; s/^ *\([0-9.][0-9]*\) *\([0-9.][0-9]*\) *\([^ ].*\)/\1 \2 \3/p' | awk '
      /PROGRAM TOTALS/ { total = $1 + $2; next }
      { misses[NR] = $1 + $2
        split($3, part, ":"); file[NR] = part[1]; name[NR] = part[2]
        if (part[1] ~ /recent_level_list\.c$/) first[part[2]] = 1 }
      END { for (i in name)
              if (file[i] ~ /recent_level_list\.c$/ || (file[i] !~ /\.c$/ && name[i] in first)) of_first += misses[i]
            print total + 0, total - of_first }'
}

# a_query LABEL HOT FUNCTION COMMAND...: difference of runs with three repetitions and with one
a_query() {
  who=$1 hot=$2 function=$3
  shift 3
  one=$(misses_of "$function" "$@" --repetitions=1) && three=$(misses_of "$function" "$@" --repetitions=3) || return 0
  echo "$one $three" | awk -v n="$small_queries" -v who="$who" -v hot="$hot" '
    { print who, ($3 - $1) / 2 / n, hot
      if ($1 != $2) print who ":second", ($4 - $2) / 2 / n, hot }'
}

variants() { "$floe" bench ws-fig5 --vary=variant=none 2>&1 | sed -n 's/^  available: \(.*\)/\1/p' | tr -d ,; }

# The program itself for valgrind, if a build's command is libtool's script.
program() {
  built=$(dirname "$floe")/.libs
  if [ -x "$built/floe" ]; then
    LD_LIBRARY_PATH=$built${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    program=$built/floe
  else
    program=$floe
  fi
}

simulate() {
  program
  small_queries=$((queries / scale / 100 * 100))
  small_pairs=$((pairs / scale)) small_recent=$((recent / scale)) small_batch=$((batch / scale + 1))
  export MALLOC_ARENA_MAX=1
  for hot in 1 0.2; do
    for variant in $(variants); do
      a_query "$variant" $hot floe_hash_run_mixed "$program" bench ws-fig5 --engine=cpu --threads=1 --vary=variant="$variant" \
        --vary=seconds=100000 --vary=hot=$hot --vary=pairs=$small_pairs --vary=queries=$small_queries --vary=recent=$small_recent --vary=batch=$small_batch
    done
    [ "$rivals" != none ] && for map in boost tbb libcuckoo; do
      a_query $map $hot '*timed_queries*' "$rivals" --map=$map --hot=$hot --updates=0.2 --threads=1 --pairs=$small_pairs --queries=$small_queries
    done
  done | tee "$folder/misses.txt" | put_table 1 hot plain | tee -a "$folder/summary.txt"
}

fast_variants() {
  for variant in $(variants); do
    is_one "$variant" "s $slow" || echo "$variant"
  done | paste -s -d ,
}

threads_rows() {
  floe_rows threads ws-fig4 --vary=threads="$(thread_list)" --vary=recent="$recent" --vary=variant="$(fast_variants)"
  rival_rows threads --threads="$(thread_list)" --hot=1,0.2 --updates=0.2,0.8
}

# The variant with a serial second level does not use threads.
serial_rows() {
  is_one s "$(variants)" || return 0
  floe_rows serial ws-fig4 --vary=threads=1 --vary=recent="$recent" --vary=variant=s --vary=queries=$((queries / threads + 200))
  add_rows serial threads
}

slow_rows() {
  for variant in $slow; do
    floe_rows "slow-$variant" ws-fig4 --vary=threads="$threads" --vary=recent="$recent" --vary=variant="$variant"
    add_rows "slow-$variant" threads
  done
}

crossover_rows() {
  floe_rows crossover ws-crossover --vary=recent="$(sizes 1 16)"
  rival_rows crossover --threads="$threads" --hot=1,0.5,0.2,0.1,0.05,0.02,0.01,0.005,0.001 --updates=0.2
}

sweep_rows() {
  floe_rows recent ws-fig6 --vary=recent="$(sizes 0.0625 0.25 1 4 16 32)"
  floe_rows batch ws-fig6-batch --vary=recent="$recent" --vary=batch=1024,8192,32768,131072,524288
}

# ---- main ----

say "$(machine | paste -s -d ';'), $threads threads; floe $(cd "$top" && git rev-parse --short HEAD 2>/dev/null || echo '(release)'), $(date -u +%F)"
say "$pairs pairs, $queries queries and $each_seconds s at most, recent $recent, batch $batch, median of $repetitions${slow:+; $slow: all threads alone}"
rm -f "$folder"/*.floe.csv "$folder"/*.rivals.csv # of an earlier run
if wants 4; then threads_rows; fi
if wants crossover; then crossover_rows; fi
if wants 6; then sweep_rows; fi
if wants 4; then
  serial_rows
  slow_rows
  figure_4
  [ "$rivals" = none ] || figure_4_paper
fi
if wants 5; then figure_5; fi
if wants 6; then figure_6; fi
if wants crossover; then figure_crossover; fi
[ $bad -eq 0 ]
