#!/bin/sh
# Several GPUs compared with one, in turns: FLOE=./floe DEVICES=0,1,2,3 bench/distributed/devices.sh [REPETITIONS]. Prints for each
# model the median rates, in states a second, of one device and of all, their ratio, and the statistics of the devices
# in the last run. For subsets as well: DEVICES='0,1 0,1,2,3'. One card as several: FLOE_GPU_TEST=twice=1 DEVICES=0,0.
#     MODELS: options and model, a line each (sizes of more than 10^9 states, and two of many small levels)
#     MEMORY: --gpu-memory
#     ALSO: further settings of FLOE_GPU_TEST (doc/gpu.md) to measure, words separated by blanks
#     RANKS: also so many processes with a GPU each (mpirun), with mailboxes, and with messages alone: from the devices'
#     memory if the MPI library supports it (far=1), and from the host's. PACKETS=no: without the runs with messages alone
set -u
floe=${FLOE:-$PWD/floe}
lists=${DEVICES:-all}
devices=${lists##* }
first=${devices%%,*}
[ "$first" != all ] || first=0
here=${top_srcdir:-.}
times=${1:-5}
memory=${MEMORY:+--gpu-memory=$MEMORY}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
# shellcheck source=bench/figures.sh
. "$here/bench/figures.sh"
models=$work/state_models
"$here/tests/state_models.sh" "$models" || exit 99

launch='' extra=''
rate() { # rate WHICH OPTION...: adds a run's rate and certificate to the file WHICH
  which=$1
  shift
  # shellcheck disable=SC2086
  FLOE_GPU_TEST=${FLOE_GPU_TEST:+$FLOE_GPU_TEST,}${extra}tell=1 $launch "$floe" check --engine=gpu --quiet --no-trace --continue $memory --json="$work/json" "$@" >/dev/null 2>"$work/err.$which" </dev/null || [ $? -lt 3 ] ||
    { cat "$work/err.$which" && exit 1; }
  awk -F': ' '/^  "states":/ { states = $2 + 0 } /^  "certificate":/ { certificate = $2 } /^    "explore":/ { seconds = $2 + 0 } END { printf "%.0f %s\n", states / seconds, certificate }' "$work/json" >>"$work/$which"
}
lower_median() { sort -n "$work/$1" | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
notes() { sed -n 's/.*GPU: \(explore=[^ ]* kernels=[^ ]*\) .*\( launches=[^ ]*\).*\( phases=.*\)/  \1\2\3/p' "$work/err.$1"; }

rates_of_ranks() { # rates_of_ranks OPTION...
  launch="mpirun --allow-run-as-root --oversubscribe --bind-to none -n $RANKS"
  rate ranks "$@" || exit 1
  if [ "${PACKETS:-}" != no ]; then
    extra=packets=1,far=1,
    rate packets "$@" || exit 1
    extra=packets=1,far=2,
    rate staged "$@" || exit 1
  fi
  launch='' extra=''
}

rates_of_settings() { # rates_of_settings OPTION...: each setting separately
  for setting in ${ALSO:-}; do
    extra=$setting,
    rate "also.$setting" --devices="$devices" "$@" || exit 1
  done
  extra=''
}
ratio() { echo "$(lower_median one) $(lower_median "$1")" | awk '{ printf "%.2f", $2 / $1 }'; }

sides=one
for list in $lists; do sides="$sides of.$list"; done
[ -z "${RANKS:-}" ] || sides="$sides ranks"
[ -z "${RANKS:-}" ] || [ "${PACKETS:-}" = no ] || sides="$sides packets staged"
for setting in ${ALSO:-}; do sides="$sides also.$setting"; done
# shellcheck disable=SC2086
forget() { (cd "$work" && rm -f $sides); }
nvidia-smi -L 2>/dev/null
while read -r options; do
  forget
  for time in $(seq 0 "$times"); do
    [ "$time" -ne 1 ] || forget # the first run compiles kernels
    # shellcheck disable=SC2086
    rate one --device="$first" $options || exit 1
    for list in $lists; do
      # shellcheck disable=SC2086
      rate "of.$list" --devices="$list" $options || exit 1
    done
    # shellcheck disable=SC2086
    rates_of_settings $options
    # shellcheck disable=SC2086
    [ -z "${RANKS:-}" ] || rates_of_ranks $options
  done
  # shellcheck disable=SC2086
  said=$(cd "$work" && cut -d' ' -f2- $sides | sort -u)
  [ "$(echo "$said" | wc -l)" -eq 1 ] || { echo "$options: other states: $said" && exit 1; }
  echo "$options: $(sed -n '1s/.*states=\([0-9]*\).*/\1/p' "$work/one") states; one $(lower_median one)$(for list in $lists; do echo ", $list $(lower_median "of.$list"), ratio $(ratio "of.$list")"; done | tr -d '\n')"
  for setting in ${ALSO:-}; do echo "  $setting: $(lower_median "also.$setting"), ratio $(ratio "also.$setting")"; done
  [ -z "${RANKS:-}" ] || echo "  $RANKS processes: mailboxes $(lower_median ranks), ratio $(ratio ranks)"
  [ -z "${RANKS:-}" ] || [ "${PACKETS:-}" = no ] || echo "  packets $(lower_median packets), ratio $(ratio packets); staged $(lower_median staged), ratio $(ratio staged); far=$(sed -n 's/.* far=\([0-9]\).*/\1/p' "$work/err.packets" | tail -1)"
  notes "of.$devices"
done <<END
${MODELS:-$(large_models "$models")}
END
