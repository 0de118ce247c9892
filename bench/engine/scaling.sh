#!/bin/sh
# Gain of more threads on the CPU: models of about 10 million states (tiles 2), with and without a known number of
# states (--expected-states), by each number of threads; and as many independent commands of one thread at the same
# time, which is the machine's limit. All take turns; medians of several rounds.
#     bench/engine/scaling.sh [ROUNDS]     FLOE: the command (./floe)   ROUNDS: default 5
#     THREADS  default: 1, 2, 4, ... up to the cores    MODELS: some of counters peterson bakery havi tiles, default: all
#     SET      10m (default); large: some 40 to 240 million, for 16 cores and more; tiny: some 10,000, to try the script
#     LEAST    fails if a model's speed with the most threads, number known, is below this part of the ceiling (default 0)
# speed: times one thread's. ceiling: the same of the separate commands. Parts of the seconds: all threads expand
# (together), clear pages, move keys to a larger table; serial work of one thread. waiting: part of all threads' time
# spent waiting for other threads. cpu: seconds of all threads, times one thread's; above 1 the threads hinder each
# other, or do more work.
set -eu
rounds=${1:-5}
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$top/floe}
[ -x "$floe" ] || { echo "scaling.sh: no floe at $floe (set FLOE)"; exit 99; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

if [ -z "${THREADS:-}" ]; then
  THREADS=1 n=2
  while [ $n -le "$(nproc)" ]; do THREADS="$THREADS $n" n=$((n * 2)); done
fi
case " $THREADS " in *' 1 '*) ;; *) THREADS="1 $THREADS" ;; esac
most=1
for n in $THREADS; do [ "$n" -le $most ] || most=$n; done

cases() {
  case ${SET:-10m} in
  tiny) printf '%s\n' 'counters -DN=4 -DK=10' 'peterson -DN=4' 'bakery -DN=3 -DMAX=4' 'havi -DN=2 -DRESETS=2' 'tiles -DW=4 -DH=2' ;;
  10m) printf '%s\n' 'counters -DN=7 -DK=10' 'peterson -DN=7 -DLEVELS=4' 'bakery -DN=4 -DMAX=31' 'havi -DRESETS=4' 'tiles -DW=5 -DH=2 -DWRAP=1' ;;
  large) printf '%s\n' 'counters -DN=8 -DK=10' 'peterson -DN=7' 'bakery -DN=5 -DMAX=7' 'havi -DN=2 -DRESETS=20' 'tiles -DW=4 -DH=3' ;;
  *) echo "scaling.sh: no SET=$SET" >&2 && exit 99 ;;
  esac
}

value() { sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},*\$/\1/p" "$2" | head -n 1; } # $1: name, $2: file of JSON

# Model and hints are in $what; the count must be the first one's.
one() { # $1: threads, $2: file
  # shellcheck disable=SC2086 # words
  "$floe" count --quiet --engine=cpu --threads="$1" --cache-dir="$work/cache" --json="$2" $what >/dev/null 2>"$2.err" ||
    { cat "$2.err" >&2; exit 99; }
  [ "$(value certificate "$2")" = "$certificate" ] || [ -z "$certificate" ] ||
    { echo "scaling.sh: $what: $1 threads found $(value certificate "$2"), not $certificate" >&2; exit 1; }
}

line() { # $1: label, $2: threads; of $work/json, with the children's time that the shell tells
  awk -v label="$1 $2" 'FNR == NR { if (FNR == 2) for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); cpu += 60 * t[1] + t[2] } next }
    match($0, /^ *"[a-z]+": *[0-9.e+-]+/) { split($0, f, /[":, ]+/); if (!(f[2] in v)) v[f[2]] = f[3] + 0 }
    END { print label, v["explore"], v["together"], v["clearing"], v["moving"], v["alone"] + v["growing"] + v["between"],
      v["waiting"], cpu }' "$work/times" "$work/json"
}

together() { # $1: label, $2: threads
  (one "$2" "$work/json" && times >"$work/times")
  line "$1" "$2"
}

apart() { # $1: label, $2: number of commands; prints the mean of their seconds
  i=0 pids=''
  while [ $i -lt "$2" ]; do
    one 1 "$work/apart.$i" &
    pids="$pids $!" i=$((i + 1))
  done
  for pid in $pids; do wait "$pid"; done
  i=0
  while [ $i -lt "$2" ]; do value explore "$work/apart.$i" && i=$((i + 1)); done |
    awk -v label="$1 $2" '{ sum += $1 } END { print label, sum / NR }'
}

table() { # of $work/lines
  awk -v name="$1" -v states="$2" -v rounds="$rounds" '
    function median(key, i, j, n, x, a) {
      n = split(all[key], a, " ")
      for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] + 0 > a[j] + 0; j--) { x = a[j]; a[j] = a[j - 1]; a[j - 1] = x }
      return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    { if (!(($1, $2) in seen)) { seen[$1, $2] = 1; if ($1 != "apart") { label[++rows] = $1; threads[rows] = $2 } }
      for (i = 3; i <= NF; i++) all[$1, $2, i] = all[$1, $2, i] " " $i }
    END { for (r = 1; r <= rows; r++) {
      l = label[r]; n = threads[r]; s = median(l SUBSEP n SUBSEP 3); all_of_them = 0
      for (i = 4; i <= 7; i++) part[i] = median(l SUBSEP n SUBSEP i)
      all_of_them = part[4] + part[5] + part[6]
      waiting = n > 1 && all_of_them > 0 ? 100 * median(l SUBSEP n SUBSEP 8) / (n * all_of_them) : 0
      apart = "apart" SUBSEP n; ceiling = (apart in seen) && l == "known" ? sprintf("%.2f", n * median("known" SUBSEP 1 SUBSEP 3) / median(apart SUBSEP 3)) : "-"
      printf "%-9s %9d %-7s %3d %8.3f %8.2f %6.2f %7s %9.3f %8.3f %7.3f %7.3f %6.1f%% %5.2f\n", name, states, l, n, s, states / s / 1e6,
        median(l SUBSEP 1 SUBSEP 3) / s, ceiling, part[4], part[5], part[6], part[7],
        waiting, median(l SUBSEP n SUBSEP 9) / median(l SUBSEP 1 SUBSEP 9)
    } }' "$work/lines" | tee -a "$work/table"
}

printf '%s, %s cores, load %s; %s; medians of %s rounds\n' "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(nproc)" \
  "$(cut -d ' ' -f 1 /proc/loadavg)" "$("$floe" --version | head -n 1)" "$rounds"
printf '%-9s %9s %-7s %3s %8s %8s %6s %7s %9s %8s %7s %7s %7s %5s\n' model states number thr seconds 'M st/s' speed ceiling \
  together clearing moving one waiting cpu
cases >"$work/cases"
: >"$work/table"
while read -r name constants; do
  case " ${MODELS:-$name} " in *" $name "*) ;; *) continue ;; esac
  awk '/<expect/ { exit } { print } END { print "</model>" }' "$top/models/$name.xml" >"$work/model.xml"
  what="$constants $work/model.xml" certificate=''
  one "$most" "$work/json" # compiles the model
  certificate=$(value certificate "$work/json") states=$(value states "$work/json")
  grep -q '"end": "complete"' "$work/json" || { echo "scaling.sh: $name is not explored completely" >&2; exit 99; }
  round=0
  while [ $round -lt "$rounds" ]; do
    for n in $THREADS; do
      what="$constants $work/model.xml"
      together unknown "$n"
      what="--expected-states=$states $constants $work/model.xml"
      together known "$n"
    done
    [ "$most" -eq 1 ] || apart apart "$most"
    round=$((round + 1))
  done >"$work/lines"
  table "$name" "$states"
done <"$work/cases"
awk -v most="$most" -v least="${LEAST:-0}" '$3 == "known" && $4 == most && $8 != "-" && $7 < least * $8 {
  print "scaling.sh: " $1 " has " $7 " of " $8; bad = 1 } END { exit bad }' "$work/table"
