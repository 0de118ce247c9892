#!/bin/sh
# The GPU engine on a GPU against the CPU engine: `make check-gpu`, or by hand
#   tests/gpu/check_gpu.sh [GROUP]...      groups: models large geometry linear bitmap wide growth full queue memory bounds
#                                          traces temporal errors constructs languages promela order ends devices later ranks tables api-tables working-set sanitizer tables-sanitizer working-set-sanitizer; all of
#                                          them when none is named
#   FLOE: the command (./floe)   top_srcdir: where models/ is (.)   JOBS: cases at a time (three quarters of the cores)
#   TABLES: the program that tests the tables alone (tests/gpu/table/test_tables_gpu beside the command)
#   API_TABLES: the one that tests them by floe_tables.h (tests/gpu/table/test_api_table_gpu beside the command)
#   WORKING_SET: the one that tests working-set tables (tests/gpu/table/test_working_set_gpu beside the command); `measure` as
#                its argument measures the cost of batches
#   MOST: largest number of states explored on the CPU (3000000)
#   SECONDS_ALL: no case of models begins later (a day); the number of skipped cases is printed
#   SANITIZED: the sanitizer's cases, a pattern as grep -E has them (all)
#   CORPUS: public models for the group `languages` (none)
#   DEVICES: of the group `devices`: those that there are (0,0,0: one as three)
#   RANKS, NESTED: of the group `ranks`: processes, and devices of those that have several (check_processes.sh)
#   ENGINE: what is compared with the CPU (gpu); another engine tries this script where there is no GPU
# A case runs a model on both and compares exit code and result as JSON but for what may differ (times, memory, table):
# states, transitions, levels, states of each level, deadlocks, certificate, verdicts, depths, traces, unfired transitions.
# 0: all cases passed, 1: some failed, 77: there is no GPU, with the reason.
set -u
LC_ALL=C
TERM=dumb
export LC_ALL TERM
unset NO_COLOR FLOE_GPU_TEST
script=$0
case $script in /*) ;; *) script=$PWD/$script ;; esac
floe=${FLOE:-$PWD/floe}
here=${top_srcdir:-.}
case $here in /*) ;; *) here=$PWD/$here ;; esac
engine=${ENGINE:-gpu}
devices=${DEVICES:-0,0,0}
tables=${TABLES:-$(dirname "$floe")/tests/gpu/table/test_tables_gpu}
api_tables=${API_TABLES:-$(dirname "$floe")/tests/gpu/table/test_api_table_gpu}
working_set=${WORKING_SET:-$(dirname "$floe")/tests/gpu/table/test_working_set_gpu}
jobs=${JOBS:-$((($(nproc) * 3 + 3) / 4))}
most=${MOST:-3000000}
deadline=${DEADLINE:-$(($(date +%s) + ${SECONDS_ALL:-86400}))}

# ---- one case: called again by xargs -----------------------------------------------------------------------------------

lesser() { # what may differ between engines, and is left out
  sed '/^  "phases": {/,/^  }/d; /^  "phases": null/d; /^  "ranks": \[/,/^  \]/d' "$1" |
    grep -vE '^ *"(engine|engine_detail|threads|simd|table|table_detail|slot_bits|bucket_slots|parse|compile|start|explore|total|peak_bytes|table_bytes|tree_bytes|frontier_bytes|disk_bytes|table_fill|table_growths)":' |
    grep -vE '^ *"trace": [0-9]'
}

told() { tr '\n' ' ' <"$out.err" | cut -c 1-2000; }

number() { # $1: name; the largest of the notes that FLOE_GPU_TEST=tell=1 asks for
  sed -n "s/.*GPU:.*[ ]$1=\([0-9]*\).*/\1/p" "$out.err" | sort -n | tail -n 1
}

wanted() { # $1: "name>least" ...
  [ "$engine" = gpu ] || return 0
  for wish in $1; do
    value=$(number "${wish%%>*}")
    [ "${value:-0}" -gt "${wish##*>}" ] || { echo "FAIL $name: ${wish%%>*} is ${value:-missing}, wanted more than ${wish##*>}" && return 1; }
  done
}

one_case() { # $1: name|settings for tests|wishes|options of both|options of the GPU|times
  IFS='|' read -r name settings wishes both only times <<END
$1
END
  [ "$(date +%s)" -lt "$deadline" ] || { echo "late $name" && return; }
  out=$work/$(echo "$1" | cksum | tr -d ' ')
  cd "$work" || exit 99
  # shellcheck disable=SC2086 # lists of words
  "$floe" check --engine=cpu --threads=2 --quiet --json="$out.cpu" $both >/dev/null 2>"$out.err" </dev/null
  want=$?
  [ $want -lt 3 ] || { echo "FAIL $name: on the CPU: $(told)" && return; }
  for time in $(seq "${times:-1}"); do
    # shellcheck disable=SC2086
    FLOE_GPU_TEST=${settings:+$settings,}tell=1 ${launch:-} "$floe" check --engine="$engine" --quiet --json="$out.gpu" $both $only >/dev/null 2>"$out.err" </dev/null
    code=$?
    [ $code -eq $want ] || { echo "FAIL $name: exit code $code instead of $want: $(told)" && return; }
    lesser "$out.cpu" >"$out.a"
    lesser "$out.gpu" >"$out.b"
    if grep -q '^  "ranks"' "$out.gpu"; then # each has a tree of its own
      for side in a b; do
        grep -v '^ *"tree_contents":' "$out.$side" >"$out.c" && mv "$out.c" "$out.$side"
      done
    fi
    cmp -s "$out.a" "$out.b" || { echo "FAIL $name (run $time; $settings; $both $only): $(diff "$out.a" "$out.b" | head -n 12 | tr '\n' ' ')" && return; }
    [ "$engine" != gpu ] || grep -q '"engine": "gpu"' "$out.gpu" || { echo "FAIL $name: not on the GPU" && return; }
    wanted "$wishes" || return
    sed -n 's/^  "states": \([0-9]*\),.*/ok \1/p' "$out.gpu"
  done
  rm -f "$out".*
}

small_model() { # $1: a model. "yes|MODEL", "no|MODEL" if it is explored within seconds; yes: also with symmetry reduction
  explored() { timeout 3 "$floe" count --engine=cpu --threads=1 --quiet --no-trace "$@" >/dev/null 2>&1 </dev/null; }
  explored "$1" || return
  if [ "${1%.m}" != "$1" ] && explored --symmetry=on "$1"; then echo "yes|$1"; else echo "no|$1"; fi
}

if [ "${1:-}" = --small ]; then
  small_model "$2"
  exit 0
fi
if [ "${1:-}" = --case ]; then
  one_case "$2"
  exit 0
fi

# ---- what is there -----------------------------------------------------------------------------------------------------

[ -x "$floe" ] || { echo "check_gpu.sh: no floe at $floe (set FLOE)" && exit 99; }
if [ "$engine" = gpu ] && ! "$floe" check --engine=gpu --quiet "$here/models/counters.xml" >/dev/null 2>/tmp/floe-why.$$; then
  if grep -qE 'no NVIDIA|no GPU|no device|NVRTC|without CUDA' /tmp/floe-why.$$; then
    echo "SKIP: $(head -n 1 /tmp/floe-why.$$)"
    rm -f /tmp/floe-why.$$
    exit 77
  fi
  echo "FAIL: floe on the GPU: $(cat /tmp/floe-why.$$)"
  rm -f /tmp/floe-why.$$
  exit 1
fi
rm -f /tmp/floe-why.$$
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
FLOE_CACHE_DIR=$work/cache
DEADLINE=$deadline
export FLOE_CACHE_DIR DEADLINE work
models=$here/models
"$floe" devices
failures=0 compared=0 states=0
small=--gpu-memory=2G

begin() { : >"$work/cases"; }
add() { echo "$1|$2|$3|$4|$5|${6:-1}" >>"$work/cases"; }
fail() {
  echo "FAIL $*"
  failures=$((failures + 1))
}

end() { # $1: name of the group  $2: cases at a time
  start=$(date +%s)
  tr '\n' '\0' <"$work/cases" | xargs -0 -n 1 -P "${2:-$jobs}" sh "$script" --case >"$work/said"
  grep FAIL "$work/said"
  bad=$(grep -c FAIL "$work/said")
  good=$(grep -c '^ok' "$work/said") late=$(grep -c '^late' "$work/said")
  sum=$(awk '/^ok/ { s += $2 } END { printf "%.0f", s }' "$work/said")
  failures=$((failures + bad))
  compared=$((compared + good))
  states=$((states + sum))
  [ "$good" -gt 0 ] || fail "$1: nothing was compared"
  echo "$1: $good runs agree, $bad do not; $sum states; $(($(date +%s) - start)) s$([ "$late" -eq 0 ] || echo "; $late cases left out")"
}

expected() { # lines "model|options|states" of all expected results of a model
  sed -n 's/.*<expect constants="\([^"]*\)" states="\([0-9]*\)".*/\1|\2/p; s/.*<expect states="\([0-9]*\)".*/|\1/p' "$1" |
    sed 's/ *, */ -D/g; s/^\([^|]\)/-D\1/' | sed "s|^|$1\||"
}

# ---- the groups --------------------------------------------------------------------------------------------------------

group_models() { # every model in all sizes that it has results for; traces of the smaller ones, all levels of all
  begin
  for model in "$models"/*.xml; do
    expected "$model"
  done >"$work/expected"
  while IFS='|' read -r model options count; do
    [ "$count" -le "$most" ] || continue
    name="$(basename "$model" .xml) $options"
    if [ "$count" -le 300000 ]; then
      add "$name" '' '' "$options $model" "$small"
    fi
    [ "$count" -le 20000 ] && add "$name, whole" 'blocks=3,levels=7' '' "--continue --no-trace $options $model" "$small --initial-slots=1000"
    [ "$count" -gt 300000 ] && add "$name, whole" '' '' "--continue --no-trace $options $model" "$small" &&
      add "$name, whole, iceberg" '' '' "--continue --no-trace $options $model" "$small --table=iceberg"
  done <"$work/expected"
  end models
}

group_large() { # larger ones against the results that the models expect, one at a time, with all memory
  start=$(date +%s)
  while IFS='|' read -r model options count; do
    [ "$count" -gt "$most" ] || continue
    # shellcheck disable=SC2086
    if "$floe" check --engine="$engine" --expect $options "$model" >"$work/out" 2>&1; then
      compared=$((compared + 1))
      states=$((states + count))
    else
      fail "large: $(basename "$model") $options: $(cat "$work/out")"
    fi
  done <<END
$(for model in "$models"/*.xml; do expected "$model"; done)
END
  echo "large: against the models' expected results, $(($(date +%s) - start)) s"
}

group_geometry() { # all slot widths and bucket sizes, growing from next to nothing where the width allows
  begin # what of a key is not its bucket's number has to fit a slot: narrow slots of wide keys take gigabytes
  for layout in '16 8' '16 16' '16 32' '21 12' '21 24' '32 8' '32 16' '32 32' '64 8' '64 16' '64 32'; do
    set -- $layout
    wide="-DN=14 $models/philosophers.xml|-DN=5 -DMAX=2 $models/bakery.xml"
    [ "$1" != 16 ] || wide="-DN=12 $models/philosophers.xml|-DN=4 -DMAX=2 $models/bakery.xml"
    for model in "-DN=6 -DK=8 $models/counters.xml" "-DN=5 $models/peterson.xml" "${wide%%|*}" "${wide##*|}"; do
      add "slots of $1 bits in buckets of $2" '' '' "--continue --no-trace $model" "--gpu-memory=4G --slot-bits=$1 --bucket-slots=$2 --initial-slots=1000"
    done
  done
  for permutation in feistel1 feistel mix; do
    add "permutation $permutation" '' '' "--no-trace -DN=6 -DK=8 --permutation=$permutation $models/counters.xml" "$small --initial-slots=1000"
  done
  end geometry
}

group_linear() { # with linear sets: every model in its small sizes, growth, keys without a place, queues too small, traces
  begin
  for model in "$models"/*.xml; do
    expected "$model"
  done >"$work/expected"
  while IFS='|' read -r model options count; do
    name="linear, $(basename "$model" .xml) $options"
    [ "$count" -gt 300000 ] || add "$name" '' '' "$options $model" "$small --table=linear"
    [ "$count" -gt 20000 ] || add "$name, whole" 'blocks=3,levels=7' '' "--continue --no-trace $options $model" "$small --table=linear --initial-slots=1000"
  done <"$work/expected"
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=16 $models/philosophers.xml" "$models/tiles.xml" "-DN=6 $models/peterson.xml"; do
    add 'linear, growth' 'slice_us=200' 'growths>2' "--continue --no-trace $model" "$small --table=linear --initial-slots=300"
    add 'linear, growth, slots of 64 bits' '' 'growths>2' "--continue --no-trace $model" "$small --table=linear --slot-bits=64 --initial-slots=300"
    add 'linear, full' 'fill=100' 'refused>0 growths>2' "--continue --no-trace $model" "$small --table=linear --initial-slots=5000" 3
    add 'linear, spill and growth' 'blocks=4,queue=1,fill=100' 'refused>0' "--continue --no-trace $model" "$small --table=linear --initial-slots=5000"
  done
  for words in 1 2 4; do # keys of 16, 32 and 64 bits, up to the last one
    add "linear, keys of $((16 * words)) bits" '' '' "--continue --no-trace -DWORDS=$words $here/tests/gpu/engine/brim.xml" "$small --table=linear --initial-slots=8"
  done
  add 'linear, spill' 'blocks=2,queue=1' 'spilled>10000' "--continue --no-trace -DN=7 -DK=8 $models/counters.xml" "$small --table=linear"
  add 'linear, trace' 'levels=5' '' "-DN=12 -DLEFT=0 $models/philosophers.xml" "$small --table=linear --initial-slots=2000"
  add 'linear, trace' 'blocks=1,queue=1' '' "--continue -DA=2 -DB=2 -DFIXED=0 $models/needham.xml" "$small --table=linear"
  end linear
}

fitting_bits() { # $*: options and model; encodings of which a bit for each key takes no more than the cases have
  "$floe" plan "$@" 2>/dev/null |
    sed -n 's/^bits per state: \([0-9]*\).*/\1 fields/p; s/^index keys: .* stored in \([0-9]*\)$/\1 rank/p' |
    awk '$1 <= 33 { print $2 }'
}

add_change() { # $1: per cent of a table at which it becomes a bitmap  $2: encoding of keys; of name, options, model, count
  add "to a bitmap at $1 %, $name, $2" "bitmap=1,fill=$1,slice_us=200" 'bitmap>0 growths>0' "--continue --no-trace --encoding=$2 $options $model" "$small --table=iceberg --initial-slots=$((count / 5))"
}

# In bitmaps: from hash tables to them at any time; queues too small, traces; every model that fits, in its small sizes. Of
# several shortest traces the order of keys chooses: both engines have those of one encoding.
group_bitmap() {
  begin
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=5 -DK=20 $models/counters.xml" "-DN=13 $models/hanoi.xml"; do
    add 'bitmap, large' '' 'bitmap>0' "--continue --no-trace $model" "$small --table=bitmap" 3
    add 'bitmap, short slices' 'slice_us=100' 'bitmap>0' "--continue --no-trace $model" "$small --table=bitmap" 3
    add 'linear to bitmap' 'bitmap=1' 'bitmap>0 growths>0' "--continue --no-trace $model" "$small --table=linear --initial-slots=20000" 3
    add 'linear of 64 bits to bitmap, full' 'bitmap=1,fill=100' 'bitmap>0 refused>0' "--continue --no-trace $model" "$small --table=linear --slot-bits=64 --initial-slots=20000" 3
    for slots in '16 32' '21 12' '32 8' '64 16'; do
      set -- $slots
      add "slots of $1 bits to bitmap" 'bitmap=1,fill=100' 'bitmap>0 growths>0' "--continue --no-trace $model" "$small --table=iceberg --slot-bits=$1 --bucket-slots=$2 --initial-slots=20000"
    done
  done
  add 'bitmap, spill' 'blocks=2,queue=1' 'bitmap>0 spilled>10000' "--continue --no-trace -DN=7 -DK=8 $models/counters.xml" "$small --table=bitmap" 3
  add 'bitmap, spill up to a bound' 'blocks=2,queue=1,slice_us=500' 'bitmap>0 spilled>1000' "--continue --no-trace --max-depth=35 -DN=7 -DK=8 $models/counters.xml" "$small --table=bitmap"
  add 'bitmap, spill, then to it' 'blocks=2,queue=1,bitmap=1' 'bitmap>0 spilled>10000' "--continue --no-trace -DN=7 -DK=8 $models/counters.xml" "$small --table=iceberg --initial-slots=200000"
  add 'bitmap, queue grows' 'blocks=2' 'bitmap>0 queue_words>70000' "--continue --no-trace -DN=7 -DK=8 $models/counters.xml" '--gpu-memory=127M --table=bitmap'
  add 'bitmap, trace' 'levels=5' 'bitmap>0' "--encoding=rank -DN=12 -DLEFT=0 $models/philosophers.xml" "$small --table=bitmap"
  for model in several flood later cut; do
    add "bitmap, errors, $model" '' 'bitmap>0' "--continue $here/tests/engine/errors/$model.xml" "$small --table=bitmap"
  done
  end bitmap
  begin
  for model in "$models"/*.xml; do
    expected "$model"
  done >"$work/expected"
  while IFS='|' read -r model options count; do
    [ "$count" -le 300000 ] || continue
    name="bitmap, $(basename "$model" .xml) $options"
    # shellcheck disable=SC2086
    fitting=$(fitting_bits $options "$model")
    for encoding in $fitting; do
      add "$name, $encoding" 'blocks=3,levels=7' 'bitmap>0' "--continue --no-trace --encoding=$encoding $options $model" "$small --table=bitmap"
      [ "$count" -le 2000 ] || add_change 60 "$encoding"
    done
    [ -n "$fitting" ] || continue
    add "$name" '' 'bitmap>0' "--encoding=$encoding $options $model" "$small --table=bitmap"
    [ "$count" -le 2000 ] || { add_change 20 "$encoding" && add_change 100 "$encoding"; }
  done <"$work/expected"
  end 'bitmap, models'
  if "$floe" check --engine="$engine" --quiet $small --table=bitmap -DN=12 -DK=12 "$models/counters.xml" >"$work/out" 2>&1; then
    fail "bitmap: 2^48 bits in 2 GB: $(cat "$work/out")"
  fi
  grep -q 'a bit for each key' "$work/out" || fail "bitmap: 2^48 bits in 2 GB: $(cat "$work/out")"
}

words_of() { "$floe" plan "$@" 2>/dev/null | sed -n 's/^bits per state: [0-9]* in \([0-9]*\) words*$/\1/p'; }

# States of several words: the tables of the tree grow, with the visited set and without it; queues too small, bounds,
# traces, errors; every model that has such states, in its small sizes. The number of contents is compared as well.
group_wide() {
  begin
  for size in '-DN=7 -DK=8 -DSTEP=5000' '-DN=6 -DK=9 -DSTEP=100000000' '-DN=12 -DK=3 -DSTEP=1000000'; do
    wide="--encoding=fields --continue --no-trace $size $models/counters.xml"
    add 'wide, large' '' '' "$wide" "$small" 3
    add 'wide, short slices' 'slice_us=100' '' "$wide" "$small" 3
    add 'wide, the tree grows' 'blocks=1,names=1' 'tree_growths>0' "$wide" "$small" 3
    add 'wide, both grow' 'blocks=1,fill=100,names=1' 'tree_growths>0 growths>2 refused>0' "$wide" "$small --initial-slots=300" 3
    add 'wide, linear' 'blocks=1,names=1' 'tree_growths>0 growths>0' "$wide" "$small --table=linear --initial-slots=20000"
    add 'wide, spill' 'blocks=2,queue=1' 'spilled>10000' "$wide" "$small --table=iceberg" 3
    add 'wide, spill and growth' 'blocks=1,queue=1,fill=100,names=1' 'tree_growths>0 spilled>10000' "$wide" "$small --initial-slots=5000"
    add 'wide, up to a bound' 'slice_us=500' '' "--max-depth=9 $wide" "$small"
    add 'wide, trace' 'levels=5' '' "--encoding=fields $size $models/counters.xml" "$small"
  done
  for size in '-DN=100 -DK=3' '-DN=600 -DK=2' '-DN=1000 -DK=1'; do
    wide="--encoding=fields --continue --no-trace $size $models/particles.xml"
    add "wide, particles $size" '' '' "$wide" "$small"
    add "wide, particles $size, both grow" 'blocks=1,fill=100' '' "$wide" "$small --initial-slots=300"
    add "wide, particles $size, spill" 'blocks=1,queue=1' '' "$wide" "$small --table=iceberg"
  done
  end wide
  begin
  for model in "$models"/*.xml; do
    expected "$model"
  done >"$work/expected"
  while IFS='|' read -r model options count; do
    # shellcheck disable=SC2086
    [ "$count" -le "$most" ] && [ "$(words_of $options "$model")" -gt 1 ] || continue
    name="wide, $(basename "$model" .xml) $options"
    add "$name" '' '' "--encoding=fields --continue --no-trace $options $model" "$small"
    [ "$count" -gt 300000 ] || add "$name, small" 'blocks=3,levels=7' '' "--encoding=fields $options $model" "$small --initial-slots=1000"
  done <"$work/expected"
  end 'wide, models'
}

group_growth() { # many growths, by the fill and by keys that find no place
  begin
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=16 $models/philosophers.xml" "$models/tiles.xml" "-DN=13 $models/hanoi.xml"; do
    add growth '' 'growths>2' "--continue --no-trace $model" "$small --initial-slots=300"
    add 'growth, short slices' 'slice_us=200' 'growths>2' "--continue --no-trace $model" "$small --initial-slots=300"
  done
  end growth
}

group_full() { # duplicates without end, tables filled until keys find no place: 10 times each
  begin # a table of 32-bit slots starts larger where keys are wide: fewer growths, and none if there are few states
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=16 $models/philosophers.xml" "-DW=5 -DH=2 $models/tiles.xml" "-DN=6 $models/peterson.xml"; do
    add full 'fill=100' 'refused>0 growths>2' "--continue --no-trace $model" "$small --initial-slots=5000" 10
  done
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=14 $models/philosophers.xml" "-DW=5 -DH=2 $models/tiles.xml" "-DN=6 $models/peterson.xml"; do
    add 'full, slots of 32 bits' 'fill=100' 'refused>0 growths>1' "--continue --no-trace $model" "$small --slot-bits=32 --bucket-slots=16 --initial-slots=5000" 10
  done
  end full
}

group_queue() { # a queue that grows; one that does not, so that the frontier goes to the host and comes back
  begin
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=6 $models/peterson.xml" "-DN=6 -DLOSSY=1 $models/election.xml"; do
    # the first queue has 65536 words, and the keys of 54 bits of the third model take slots of 64
    add 'queue grows' 'blocks=2' 'queue_words>70000' "--encoding=fields --continue --no-trace $model" '--gpu-memory=127M --table=iceberg'
    add spill 'blocks=2,queue=1' 'spilled>10000' "--encoding=fields --continue --no-trace $model" "$small --table=iceberg"
    add 'spill and growth' 'blocks=2,queue=1,fill=100' 'spilled>10000 refused>0' "--encoding=fields --continue --no-trace $model" "$small --initial-slots=5000"
    add 'spill up to a bound' 'blocks=2,queue=1,slice_us=500' 'spilled>1000' "--encoding=fields --continue --no-trace --max-depth=35 $model" "$small --table=iceberg"
  done
  end queue
}

prefix() { # the states of each level that $1 knows are those of $2
  for file in "$1" "$2"; do
    sed -n '/"states_per_level"/,/\]/p' "$file" | grep -oE '[0-9]+' >"$file.levels"
  done
  head -n "$(wc -l <"$1.levels")" "$2.levels" | cmp -s - "$1.levels"
}

group_memory() { # memory ends, and there is no folder for states on disk: undecided, right up to a depth, exit code 2
  "$floe" check --engine=cpu --quiet --no-trace --json="$work/whole" -DN=8 -DK=8 "$models/counters.xml" >/dev/null 2>&1
  while IFS='|' read -r name settings options; do
    # shellcheck disable=SC2086
    TMPDIR=/nonexistent FLOE_GPU_TEST=$settings "$floe" check --engine="$engine" --no-trace --json="$work/ended" -DN=8 -DK=8 $options "$models/counters.xml" >"$work/out" 2>&1
    code=$?
    [ $code -eq 2 ] || fail "memory: $name: exit code $code: $(cat "$work/out")"
    grep -q '"end": "memory"' "$work/ended" || fail "memory: $name: $(grep '"end"' "$work/ended")"
    prefix "$work/ended" "$work/whole" || fail "memory: $name: other levels: $(paste -s "$work/ended.levels")"
    depth=$(sed -n 's/.*"complete_depth": \([0-9]*\).*/\1/p' "$work/ended")
    [ "${depth:-0}" -gt 3 ] || fail "memory: $name: complete up to ${depth:-nothing}"
    grep -qE '"verdict": "(holds|unreachable)"' "$work/ended" && fail "memory: $name: decided what is not known"
    compared=$((compared + 1))
    echo "memory: $name: complete up to depth $depth, $(sed -n 's/^  "states": \([0-9]*\),.*/\1/p' "$work/ended") states"
  done <<END
the device's|blocks=2,tell=1|--gpu-memory=8M --memory=4M --table=iceberg
the device's, first table full|blocks=2,fill=100,tell=1|--gpu-memory=8M --memory=4M --table=iceberg
the device's, with a linear set|blocks=2,tell=1|--gpu-memory=8M --memory=4M --table=linear
the host's, and no disk|blocks=2,queue=1,tell=1|--gpu-memory=1G --memory=1M --table=iceberg
the host's, and no disk, with a bitmap|blocks=2,queue=1,tell=1|--gpu-memory=1G --memory=1M --table=bitmap
END
}

# shellcheck source=tests/gpu/check_devices.sh
. "$(dirname "$script")/check_devices.sh" # devices
# shellcheck source=tests/gpu/check_processes.sh
. "$(dirname "$script")/check_processes.sh" # ranks

group_bounds() {
  begin
  for model in "-DN=5 -DK=8 $models/counters.xml" "-DN=5 $models/peterson.xml" "-DN=3 -DLEVELS=1 $models/peterson.xml"; do
    for bound in --max-depth=0 --max-depth=1 --max-depth=8 --max-depth=12 --max-states=1 --max-states=50 --max-states=3000; do
      add "$bound" '' '' "--continue $bound $model" "$small"
    done
  done
  end bounds
}

group_traces() { # a trace of every broken variant is found again by the interpreter
  begin
  while read -r model options; do
    add "trace of $model $options" 'levels=5' '' "$options $models/$model.xml" "$small --initial-slots=2000"
    add "trace of $model $options, all" 'blocks=1,queue=1' '' "--continue $options $models/$model.xml" "$small"
    # shellcheck disable=SC2086
    "$floe" check --engine="$engine" --quiet $small --trace="$work/trace" $options "$models/$model.xml" >/dev/null 2>"$work/out"
    "$floe" replay "$models/$model.xml" "$work/trace" >"$work/out" 2>&1 || fail "replay of $model $options: $(cat "$work/out")"
  done <<END
counters -DN=4 -DK=8 -DWRAP=0
philosophers -DN=12 -DLEFT=0
peterson -DN=5 -DLEVELS=3
bakery -DN=4 -DMAX=3 -DBROKEN=1
szymanski -DN=3 -DBROKEN=3
needham -DA=2 -DB=2 -DFIXED=0
fischer -DN=4 -DA=2 -DB=2
havi -DCURED=0
END
  end traces
}

temporal() { # $1: model  $2: constants  $3: number  $4: formula
  sed "s|</model>|<property id='temporal' kind='ltl'>$4</property></model>|" "$models/$1.xml" >"$work/$1-$3.xml"
  # a run depends on keys: the same encoding on both
  for options in --encoding=rank --encoding=fields '--encoding=fields --table=iceberg' '--encoding=fields --fair=weak' '--encoding=fields --fair=strong'; do
    add "temporal, $1, $4, $options" 'blocks=3' 'passes>0' "--property=temporal $2 $options $work/$1-$3.xml" "$small"
  done
}

group_temporal() { # verdicts and runs of temporal properties, decided by the passes on the GPU
  begin
  temporal peterson -DN=4 1 'always eventually exists(i in P : P[i].critical)'
  temporal peterson -DN=4 2 'always (P[0].raised implies eventually P[0].critical)'
  temporal peterson -DN=4 3 '(always eventually P[0].critical) implies always eventually P[0].idle'
  temporal lamport -DN=3 1 'always eventually exists(i in P : P[i].critical)'
  temporal lamport -DN=3 2 '(always eventually P[0].critical) implies always eventually P[1].critical'
  temporal havi -DN=2 1 'always (CMM[0].noticed implies eventually CMM[0].idle)'
  temporal counters '-DN=5 -DK=8' 1 'always eventually exists(i in Counter : Counter[i].n == 0)'
  temporal counters '-DN=5 -DK=8' 2 '(always eventually Counter[0].n == 1) implies always eventually Counter[1].n == 1'
  temporal philosophers -DN=6 1 'always eventually exists(i in Phil : Phil[i].eating)'
  end temporal
}

group_errors() { # evaluation that fails after the first violation, steps that fail: the same verdicts, to the end and before it
  begin
  for model in "$here"/tests/engine/errors/*.xml; do
    name="errors, $(basename "$model" .xml)"
    add "$name" '' '' "$model" "$small"
    add "$name, whole" '' '' "--continue $model" "$small"
    add "$name, whole, linear" 'blocks=1,levels=2' '' "--continue $model" "$small --table=linear"
    add "$name, up to depth 2" 'slice_us=20' '' "--continue --max-depth=2 $model" "$small"
  done
  add 'errors, flood' '' '' "--continue --encoding=fields -DK=80 $here/tests/engine/errors/flood.xml" "$small"
  add 'errors, flood, parts' 'blocks=2,queue=1,slice_us=500' '' "--continue --encoding=fields -DK=80 $here/tests/engine/errors/flood.xml" "$small"
  end errors
}

group_constructs() { # models of each construct, by fields and by rank
  begin
  for model in "$here"/tests/frontend/forms/*.xml "$here"/tests/reference/models/*.xml "$here"/tests/cmd/models/bits*.xml; do
    "$floe" plan "$model" >/dev/null 2>&1 || continue # refused, as the reference's tests know
    for encoding in fields rank; do
      add "constructs, $(basename "$model" .xml), $encoding" '' '' "--continue --encoding=$encoding $model" "$small"
    done
  done
  end constructs
}

group_languages() { # models of other languages, by fields: cases of each construct, with symmetry; with CORPUS public ones that are small
  begin
  for model in "$here"/tests/dve/cases/*.dve "$here"/tests/murphi/cases/*.m "$here"/tests/murphi/symmetric/cases/*.m "$here"/tests/pnml/nets/*.pnml; do
    name="languages, ${model##*/}"
    only=
    ! grep -qi '^ *liveness' "$model" || only='-p errors' # GPUs do not decide the others
    add "$name" '' '' "--encoding=fields $only $model" "$small"
    add "$name, whole" 'blocks=3,levels=7' '' "--encoding=fields $only --continue $model" "$small"
    case $model in *.pnml) add "$name, arcs" 'arcs=1' '' "--encoding=fields --continue $model" "$small" ;; esac
    case $model in */symmetric/*) add "$name, symmetry" '' '' "--encoding=fields --symmetry=on $only --continue $model" "$small" ;; esac
  done
  [ -d "${CORPUS:-}" ] || echo 'languages: without CORPUS no public models'
  find "${CORPUS:-/nowhere}" \( -path '*/murphi/models/*.m' -o -path '*/pnml/*/model.pnml' -o -name '*.dve' \) -print0 2>/dev/null |
    xargs -0 -n 1 -P "$jobs" sh "$script" --small | sort >"$work/small"
  while IFS='|' read -r symmetry model; do
    name="languages, public, $(basename "$(dirname "$model")")/${model##*/}"
    add "$name" '' '' "--encoding=fields --continue --no-trace $model" "$small"
    [ "$symmetry" = no ] || add "$name, symmetry" '' '' "--encoding=fields --symmetry=on --continue --no-trace $model" "$small"
  done <"$work/small"
  end languages
}

group_promela() { # atomic and d_step: one word and several, each table, growth, small queues and stacks, several devices; temporal properties
  begin
  ring=$here/tests/gpu/engine/ring.pml
  fair=$work/fair.pml
  printf '%s\n' 'byte x; bool done;' 'active proctype P() { do :: atomic { x = 1; x = 0 } od }' \
    'active proctype Q() { done = true }' 'ltl fires { <>done }' >"$fair"
  for model in "$here"/tests/promela/cases/*.pml; do
    name="promela, ${model##*/}"
    add "$name" '' '' "--encoding=fields $model" "$small"
    add "$name, whole" 'blocks=3,levels=7' '' "--encoding=fields --continue $model" "$small"
  done
  for constants in '-DMOST=3' '-DN=3 -DMOST=1' '-DN=3 -DMOST=1 -DWIDE=1000000'; do
    name="promela, ring $constants"
    add "$name, traces" '' '' "$constants $ring" ''
    add "$name" '' '' "--continue $constants $ring" ''
    add "$name, slices" 'slice_us=200,levels=7' 'launches>5' "--continue --no-trace $constants $ring" ''
    add "$name, small stacks" 'stack=16,sequences=16,blocks=7' '' "--continue --no-trace $constants $ring" "$small"
    add "$name, growth" '' 'growths>1' "--continue --no-trace --table=iceberg $constants $ring" '--initial-slots=1000'
    add "$name, queue" 'queue=1' '' "--continue --no-trace $constants $ring" ''
    add "$name, devices" 'twice=1,alone=1000' 'members>1' "--continue $constants $ring" "--devices=$devices"
  done
  add 'promela, ring, linear' '' '' "--continue --no-trace -DN=3 -DMOST=1 $ring" '--table=linear'
  add 'promela, ring, host-backed' '' '' "--continue --no-trace -DN=3 -DMOST=1 $ring" '--table=host-backed'
  add 'promela, ring, large' '' '' "--continue --no-trace -DN=3 -DMOST=2 $ring" ''
  add 'promela, fair' '' '' "--fair=weak $fair" ''
  add 'promela, unfair' '' '' "$fair" ''
  [ -d "${CORPUS:-}" ] || echo 'promela: without CORPUS no public models'
  find "${CORPUS:-/nowhere}" -name '*.pml' -print0 2>/dev/null | xargs -0 -r grep -lEZ 'atomic|d_step' | xargs -0 -r -n 1 -P "$jobs" sh "$script" --small | sort >"$work/small"
  while IFS='|' read -r _ model; do
    add "promela, public, ${model##*/}" 'sequences=1024' '' "--encoding=fields -p errors --continue --no-trace $model" "$small"
  done <"$work/small"
  end promela
}

group_order() { # the same states, and the same look-ups, in whatever order: as keys, of one encoding
  while IFS='|' read -r settings options; do
    for kind in states lookups; do
      for side in cpu "$engine"; do
        # shellcheck disable=SC2086
        FLOE_GPU_TEST=$settings "$floe" check --engine=$side --quiet --continue --no-trace --gpu-memory=2G --visited-order="$work/$side.order" --order-kind=$kind $options >/dev/null 2>"$work/out" ||
          [ $? -lt 3 ] || fail "order: $side $kind $options: $(cat "$work/out")"
        "$floe" order --text "$work/$side.order" 2>&1 | sort -n | cksum >"$work/$side.sum"
      done
      cmp -s "$work/cpu.sum" "$work/$engine.sum" || fail "order: $kind of $options ($settings) differ"
      keys=$("$floe" order --text "$work/$engine.order" | wc -l)
      compared=$((compared + 1)) states=$((states + keys))
      echo "order: $keys $kind of ${options##*/} ${options%% *} $settings"
    done
  done <<END
|--encoding=fields -DN=5 -DK=8 $models/counters.xml
blocks=2,queue=1|--encoding=fields -DN=7 -DK=6 $models/counters.xml
blocks=2,queue=1|--encoding=rank -DN=7 -DK=6 $models/counters.xml
blocks=2,fill=100|--encoding=fields --initial-slots=1000 -DN=5 $models/peterson.xml
blocks=2,fill=100|--encoding=fields --table=linear --initial-slots=1000 -DN=5 $models/peterson.xml
slice_us=100|--encoding=fields -DN=14 $models/philosophers.xml
slice_us=100|--encoding=rank -DN=14 $models/philosophers.xml
|--encoding=fields -DN=9 $models/hanoi.xml
|--encoding=rank -DN=9 $models/hanoi.xml
END
}

group_ends() { # time and Ctrl-C end a run that would take hours, soon and with exit code 2
  long="--no-trace --quiet --gpu-memory=8G -DN=12 -DK=12 $models/counters.xml"
  start=$(date +%s)
  # shellcheck disable=SC2086
  "$floe" check --engine="$engine" --timeout=2 --json="$work/ended" $long >/dev/null 2>"$work/out"
  code=$?
  [ $code -eq 2 ] && grep -qE '"end": "(timeout|memory)"' "$work/ended" || fail "ends: timeout: exit code $code: $(cat "$work/out")"
  [ $(($(date +%s) - start)) -le 6 ] || fail "ends: a timeout of 2 s took $(($(date +%s) - start)) s"
  # a search of 2^25 levels: hours. In the foreground, since shells have what is in the background ignore interrupts
  start=$(date +%s)
  timeout --preserve-status -s INT -k 8 4 "$floe" check --engine="$engine" --json="$work/broken" --no-trace --quiet -DN=25 "$models/hanoi.xml" >/dev/null 2>"$work/out"
  code=$?
  start=$((start + 4))
  touch "$work/broken"
  [ $code -eq 2 ] && grep -qE '"end": "interrupt"' "$work/broken" || fail "ends: interrupt: exit code $code: $(cat "$work/out")"
  [ $(($(date +%s) - start)) -le 3 ] || fail "ends: an interrupt took $(($(date +%s) - start)) s"
  compared=$((compared + 2))
  echo "ends: $(sed -n 's/^  "states": \([0-9]*\),.*/\1/p' "$work/ended") states when time was up, $(sed -n 's/^  "states": \([0-9]*\),.*/\1/p' "$work/broken") at an interrupt"
}

sanitize() { # $1: number  $2: tool  $3: settings  rest: arguments; in the background
  said=$work/sanitizer.$1
  tool=$2
  FLOE_GPU_TEST=$3
  export FLOE_GPU_TEST
  shift 3
  timeout 150 compute-sanitizer --tool "$tool" --error-exitcode 99 "$floe" check --engine=gpu --quiet --no-trace --continue --gpu-memory=256M "$@" >"$said.out" 2>&1
  code=$?
  if grep -qE 'Device not supported|not supported on this' "$said.out"; then
    echo "none: $tool: $(grep -m 1 'not supported' "$said.out")" >"$said"
  elif [ $code -lt 3 ] && grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$said.out"; then
    echo ok >"$said"
  else
    echo "FAIL sanitizer: $tool $FLOE_GPU_TEST $*: exit code $code: $(grep -v '^=* *$' "$said.out" | head -n 30)" >"$said"
  fi
}

sanitizer_cases() { # tool, settings for tests, options; bitmap=1: a bitmap takes the table's place as soon as it grows
  wide=--encoding=fields
  cat <<END
memcheck|blocks=2|--table=iceberg -DN=3 -DK=6 $models/counters.xml
memcheck|blocks=2,fill=100|--initial-slots=300 -DN=4 -DK=6 $models/counters.xml
memcheck|blocks=1,queue=1|--table=iceberg -DN=5 -DK=6 $models/counters.xml
memcheck|blocks=2|--table=iceberg -DN=4 -DLEVELS=2 $models/peterson.xml
memcheck|blocks=2|--slot-bits=32 -DN=9 -DLEFT=0 $models/philosophers.xml
memcheck|blocks=2|--slot-bits=64 -DN=2 $models/szymanski.xml
memcheck|blocks=2|--slot-bits=21 -DN=5 $models/hanoi.xml
memcheck|blocks=2|-DA=2 -DB=2 $models/needham.xml
memcheck|blocks=2,fill=100|--table=linear --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
memcheck|blocks=2|--table=bitmap -DN=3 -DK=6 $models/counters.xml
memcheck|blocks=1,queue=1|--table=bitmap -DN=5 -DK=6 $models/counters.xml
memcheck|blocks=2,bitmap=1|--table=iceberg --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
racecheck|blocks=2|--table=bitmap -DN=4 -DK=6 $models/counters.xml
racecheck|blocks=2,bitmap=1|--table=linear --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
synccheck|blocks=2|--table=bitmap -DN=4 -DLEVELS=2 $models/peterson.xml
memcheck|blocks=2|--table=linear --initial-slots=8 -DWORDS=4 $here/tests/gpu/engine/brim.xml
racecheck|blocks=2|--table=iceberg -DN=3 -DK=6 $models/counters.xml
racecheck|blocks=2,fill=100|--table=linear --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
racecheck|blocks=2,fill=100|--initial-slots=300 -DN=4 -DK=6 $models/counters.xml
racecheck|blocks=1,queue=1|--table=iceberg -DN=5 -DK=6 $models/counters.xml
racecheck|blocks=2|--table=iceberg -DN=4 -DLEVELS=2 $models/peterson.xml
racecheck|blocks=2|-DA=2 -DB=2 $models/needham.xml
synccheck|blocks=2|--table=iceberg -DN=3 -DK=6 $models/counters.xml
synccheck|blocks=2,fill=100|--initial-slots=300 -DN=4 -DK=6 $models/counters.xml
synccheck|blocks=2|--table=iceberg -DN=4 -DLEVELS=2 $models/peterson.xml
synccheck|blocks=2,fill=100|--table=linear --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
memcheck|blocks=2|--table=bitmap --encoding=fields -DN=3 -DK=6 $models/counters.xml
memcheck|blocks=2|--table=bitmap --encoding=rank -DN=2 $models/bakery.xml
memcheck|blocks=2|--table=iceberg --encoding=rank -DN=4 -DLEVELS=2 $models/peterson.xml
memcheck|blocks=2,fill=100|--table=linear --encoding=rank --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
memcheck|blocks=2,bitmap=1|--table=iceberg --encoding=rank --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
memcheck|blocks=2|--table=host-backed -DN=4 -DK=6 $models/counters.xml
memcheck|blocks=2|--table=host-backed --encoding=rank -DN=2 $models/bakery.xml
racecheck|blocks=2|--table=iceberg --encoding=rank -DN=3 -DK=6 $models/counters.xml
racecheck|blocks=2,bitmap=1|--table=iceberg --encoding=rank --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
racecheck|blocks=2|--table=host-backed -DN=4 -DK=6 $models/counters.xml
memcheck|blocks=1,names=1|$wide -DN=5 -DK=4 -DSTEP=100000 $models/counters.xml
memcheck|blocks=1,fill=100,names=1|$wide --initial-slots=300 -DN=4 -DK=6 -DSTEP=1000000 $models/counters.xml
memcheck|blocks=1,queue=1,names=1|$wide --table=linear -DN=5 -DK=6 -DSTEP=10000000 $models/counters.xml
memcheck|blocks=1,names=1|$wide -DN=600 -DK=1 $models/particles.xml
racecheck|blocks=1,names=1|$wide -DN=5 -DK=4 -DSTEP=100000 $models/counters.xml
racecheck|blocks=1,fill=100,names=1|$wide --initial-slots=300 -DN=4 -DK=6 -DSTEP=1000000 $models/counters.xml
synccheck|blocks=1,names=1|$wide -DN=5 -DK=4 -DSTEP=100000 $models/counters.xml
racecheck|blocks=1,names=1|$wide -DN=70 -DK=2 $models/particles.xml
memcheck|twice=1,alone=1,blocks=4|--devices=$devices -DN=4 -DLEVELS=2 $models/peterson.xml
memcheck|twice=1,alone=1,blocks=4,mailboxes=2,out=50|--devices=$devices --table=iceberg --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
racecheck|twice=1,alone=1,blocks=4|--devices=$devices -DN=4 -DLEVELS=2 $models/peterson.xml
racecheck|twice=1,alone=1,blocks=4|--devices=$devices --table=bitmap -DN=4 -DK=6 $models/counters.xml
synccheck|twice=1,alone=1,blocks=4|--devices=$devices -DN=4 -DLEVELS=2 $models/peterson.xml
memcheck|twice=1,alone=1,blocks=4,linked=2|--devices=$nested -DN=4 -DLEVELS=2 $models/peterson.xml
memcheck|twice=1,alone=1,blocks=4,linked=2,mailboxes=2,out=50|--devices=$nested --table=iceberg --initial-slots=300 -DN=4 -DK=6 $models/counters.xml
racecheck|twice=1,alone=1,blocks=4,linked=2|--devices=$nested -DN=4 -DLEVELS=2 $models/peterson.xml
racecheck|twice=1,alone=1,blocks=4,linked=2,mailboxes=2,out=50|--devices=$nested --table=bitmap -DN=4 -DK=6 $models/counters.xml
synccheck|twice=1,alone=1,blocks=4,linked=2|--devices=$nested -DN=4 -DLEVELS=2 $models/peterson.xml
memcheck|blocks=2|-p served --table=iceberg -DN=3 $here/models/peterson.xml
memcheck|blocks=2|-p served --table=bitmap -DN=2 $here/models/bakery.xml
memcheck|blocks=2,names=1|-p progress $wide -DN=3 $here/models/peterson.xml
racecheck|blocks=2|-p served --table=iceberg -DN=3 $here/models/peterson.xml
racecheck|blocks=2|-p served --table=bitmap -DN=2 $here/models/bakery.xml
synccheck|blocks=2|-p served --table=iceberg -DN=3 $here/models/peterson.xml
END
}

group_sanitizer() {
  command -v compute-sanitizer >/dev/null || { echo 'sanitizer: there is no compute-sanitizer, left out' && return; }
  start=$(date +%s)
  sanitizer_cases | grep -E -- "${SANITIZED:-.}" >"$work/sanitized"
  n=0
  while IFS='|' read -r tool settings options; do
    n=$((n + 1))
    # shellcheck disable=SC2086
    sanitize $n "$tool" "$settings" $options </dev/null &
    [ $((n % jobs)) -ne 0 ] || wait
  done <"$work/sanitized"
  wait
  cat "$work"/sanitizer.? "$work"/sanitizer.?? >"$work/said" 2>/dev/null
  grep -E 'FAIL|none' "$work/said"
  bad=$(grep -c '^FAIL' "$work/said")
  good=$(grep -c '^ok' "$work/said")
  failures=$((failures + bad))
  [ $((bad + good)) -eq $n ] || grep -q none "$work/said" || fail "sanitizer: $n runs, $((bad + good)) results"
  compared=$((compared + good))
  echo "sanitizer: $good runs clean, $bad not; $(($(date +%s) - start)) s"
}

run_tables() { # $1: name  $2: program
  [ -x "$2" ] || { fail "$1: there is no $2 (make tests/gpu/$(basename "$2"))" && return; }
  start=$(date +%s)
  "$2" >"$work/said" 2>&1
  code=$?
  good=$(grep -c ': ok$' "$work/said")
  [ $code -eq 0 ] && [ "$good" -gt 0 ] || fail "$1: exit code $code: $(grep -v ': ok$' "$work/said")"
  compared=$((compared + good))
  echo "$1: $good layouts as wanted, $(grep -c ': FAILED$' "$work/said") not; $(($(date +%s) - start)) s"
}

group_tables() { run_tables tables "$tables"; } # every table alone, against a reference

group_api_tables() { run_tables api-tables "$api_tables"; } # the same as programs have them

group_working_set() { run_tables working-set "$working_set"; } # random programs beside a model, and beside the CPU

group_working_set_sanitizer() {
  command -v compute-sanitizer >/dev/null || { echo 'working-set-sanitizer: there is no compute-sanitizer, left out' && return; }
  [ -x "$working_set" ] || { fail "working-set-sanitizer: there is no $working_set" && return; }
  start=$(date +%s)
  "$working_set" small >"$work/warm.working" 2>&1 # compiles into the cache
  for tool in memcheck racecheck; do
    said=$work/working.$tool
    timeout 400 compute-sanitizer --tool "$tool" --error-exitcode 99 "$working_set" small >"$said" 2>&1
    code=$?
    if grep -qE 'Device not supported|not supported on this' "$said"; then
      echo "none: $tool: $(grep -m 1 'not supported' "$said")"
    elif [ $code -eq 0 ] && grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$said"; then
      compared=$((compared + $(grep -c ': ok$' "$said")))
    else
      fail "working-set-sanitizer: $tool: exit code $code: $(grep -vE '^=* *$|: ok$' "$said" | head -n 30)"
    fi
  done
  echo "working-set-sanitizer: $(($(date +%s) - start)) s"
}

sanitize_tables() { # $1: tool  $2: scheme; in the background
  said=$work/output.$1.$2
  begun=$(date +%s)
  timeout 400 compute-sanitizer --tool "$1" --error-exitcode 99 "$tables" small "$2" >"$said" 2>&1
  code=$?
  layouts=$(grep -c ': ok$' "$said")
  if grep -qE 'Device not supported|not supported on this' "$said"; then
    echo "none: $1: $(grep -m 1 'not supported' "$said")" >"$work/result.$1.$2"
  elif [ $code -eq 0 ] && [ "$layouts" -gt 0 ] && grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$said"; then
    echo "ok $1 $2: $layouts layouts clean, $(($(date +%s) - begun)) s" >"$work/result.$1.$2"
  else
    echo "FAIL tables-sanitizer: $1 $2: exit code $code after $layouts layouts: $(grep -vE '^=* *$|: ok$' "$said" | head -n 30)" >"$work/result.$1.$2"
  fi
}

group_tables_sanitizer() {
  command -v compute-sanitizer >/dev/null || { echo 'tables-sanitizer: there is no compute-sanitizer, left out' && return; }
  [ -x "$tables" ] || { fail "tables-sanitizer: there is no $tables (make tests/gpu/table/test_tables_gpu)" && return; }
  start=$(date +%s)
  schemes='iceberg cuckoo linear robin-hood bitmap'
  for scheme in $schemes; do # compiles the kernels into the cache, which is slow under the tools
    "$tables" small "$scheme" >"$work/warm.$scheme" 2>&1 &
  done
  wait
  for tool in memcheck racecheck synccheck; do
    for scheme in $schemes; do
      sanitize_tables "$tool" "$scheme" </dev/null &
    done
  done
  wait
  cat "$work"/result.* >"$work/said"
  cat "$work/said"
  bad=$(grep -c '^FAIL' "$work/said")
  good=$(grep -c '^ok' "$work/said")
  failures=$((failures + bad))
  [ $((bad + good)) -eq 15 ] || grep -q none "$work/said" || fail "tables-sanitizer: 15 runs, $((bad + good)) results"
  compared=$((compared + good))
  echo "tables-sanitizer: $good runs clean, $bad not; $(($(date +%s) - start)) s"
}

[ $# -gt 0 ] || set -- models large geometry linear bitmap wide growth full queue memory bounds traces temporal errors constructs languages promela order ends devices later ranks tables api-tables working-set sanitizer tables-sanitizer working-set-sanitizer
for group in "$@"; do
  group_"$(echo "$group" | tr - _)"
done
echo "$compared runs compared, $states states; $failures failures"
[ $failures -eq 0 ]
