#!/bin/sh
# Two builds of floe on the same machine: the same searches in turn, and the ratio of their medians.
#     bench/engine/versus.sh cpu|gpu OLD NEW
#     ROUNDS: 7   THREADS: 1 (cpu)   PERCENT: 2, a greater slow-down fails   CASES: all (a part of the lines below, by grep)
# Seconds are those of the exploration alone, with compiled code and kernels in the cache. Each build has a cache of its
# own, filled before; counts and certificates must be equal. 1: some model is slower by more than PERCENT.
set -u
LC_ALL=C
export LC_ALL
[ $# -eq 3 ] || { sed -n '2,6p' "$0" && exit 2; }
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"
engine=$1 old=$2 new=$3
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
models=$work/state_models
"${top_srcdir:-$(dirname "$0")/../..}/tests/state_models.sh" "$models" || exit 99
mkdir "$work/old" "$work/new"

cases_cpu() {
  cat <<END
counters -DN=7 -DK=8
peterson -DN=6
lamport -DN=4
anderson -DN=6 -DKEEP=1
bakery -DN=4 -DMAX=5 -DBROKEN=1
philosophers -DN=14
havi -DN=2 -DRESETS=6
slidingwindow -DW=3 -DCAP=4
tiles -DW=3 -DH=3
END
}
cases_gpu() {
  cat <<END
counters -DN=8 -DK=12
counters -DN=8 -DK=14
END
  gpu_models
}

once() { # $1: old or new  $2: its floe  $3: model  rest: constants; prints seconds, certificate
  which=$1 floe=$2 model=$3
  shift 3
  if [ "$engine" = gpu ]; then
    set -- "$@" --engine=gpu
  else
    set -- "$@" --engine=cpu --threads="${THREADS:-1}"
  fi
  : >"$work/json" # a failed run must not leave the results of the one before
  FLOE_GPU_TEST=tell=1 FLOE_CACHE_DIR=$work/$which "$floe" check --quiet --no-trace --continue --json="$work/json" "$@" \
    "$models/$model.xml" >/dev/null 2>"$work/err" </dev/null
  if [ "$engine" = gpu ]; then seconds=$(gpu_figure explore "$work/err"); else seconds=$(figure explore "$work/json"); fi
  echo "$seconds $(figure certificate "$work/json")"
}

failed=0
printf '%-14s %-26s %10s %10s %7s\n' model constants old/s new/s ratio
cases_"$engine" | grep "${CASES:-.}" >"$work/cases"
while read -r model constants; do
  : >"$work/times.old"
  : >"$work/times.new"
  # shellcheck disable=SC2086 # lists of words
  for round in $(seq 0 "${ROUNDS:-7}"); do
    for which in old new; do
      [ $which = old ] && floe=$old || floe=$new
      line=$(once $which "$floe" "$model" $constants)
      echo "${line#* }" >>"$work/certificates"
      [ "$round" = 0 ] || echo "${line%% *}" >>"$work/times.$which" # round 0 fills the cache
    done
  done
  if [ "$(sort -u "$work/certificates" | wc -l)" != 1 ] || ! grep -q '^floe' "$work/certificates"; then
    echo "$model $constants: certificates differ, or there is none: $(head -n 3 "$work/err")"
    failed=$((failed + 1))
    rm "$work/certificates"
    continue
  fi
  rm "$work/certificates"
  ratio=$(awk "BEGIN { printf \"%.3f\", $(median <"$work/times.new") / $(median <"$work/times.old") }")
  printf '%-14s %-26s %10.4f %10.4f %7s\n' "$model" "$constants" "$(median <"$work/times.old")" "$(median <"$work/times.new")" "$ratio"
  awk "BEGIN { exit !($ratio > 1 + ${PERCENT:-2} / 100) }" && failed=$((failed + 1))
done <"$work/cases"
echo "$(wc -l <"$work/cases") models, $failed slower by more than ${PERCENT:-2} %, or different"
[ "$failed" -eq 0 ]
