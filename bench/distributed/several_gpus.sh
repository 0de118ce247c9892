#!/bin/sh
# All checks of several GPUs of one host in one run: answers with one process and with several, the sanitizer, rates
# compared with one GPU, and the largest search. FLOE=./floe DEVICES=0,1 bench/distributed/several_gpus.sh [STEP]...
#     STEP: later devices ranks sanitizer rates large; all by default
#     SECONDS_EACH: no case of `devices` and of `ranks` starts later (60)   REPETITIONS: of `rates` (3)
#     MEMORY: --gpu-memory, of `rates` and `large`   LARGE: options and model of `large`
#     RATES: of `rates`: lists of devices, separated by blanks, the longest one last (DEVICES)
#     and the variables of check_gpu.sh and devices.sh.
# Each step ends with its name, its exit code and its seconds. 0: all steps passed, 77: fewer than two GPUs.
set -u
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
FLOE=${FLOE:-$PWD/floe}
DEVICES=${DEVICES:-0,1}
top_srcdir=$here
RANKS=${RANKS:-$(echo "$DEVICES" | tr ',' '\n' | wc -l)}
export FLOE DEVICES RANKS top_srcdir
large=${LARGE:--DN=8 -DK=26 --expected-states=208827064576 $here/models/counters.xml}
[ $# -gt 0 ] || set -- later devices ranks sanitizer rates large
[ "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')" -ge 2 ] || { echo 'SKIP: there are no two GPUs' && exit 77; }
nvidia-smi -L
bad=0

check() { SECONDS_ALL=${SECONDS_EACH:-60} "$here/tests/gpu/check_gpu.sh" "$1"; }

step() {
  case $1 in
  later) check later ;;
  devices) check devices ;;
  ranks) NESTED=${NESTED:-$DEVICES} check ranks ;;
  sanitizer) SANITIZED=twice=1 NESTED=${NESTED:-$DEVICES} "$here/tests/gpu/check_gpu.sh" sanitizer ;;
  rates) PACKETS=no DEVICES=${RATES:-$DEVICES} "$here/bench/distributed/devices.sh" "${REPETITIONS:-3}" ;;
  large)
    # shellcheck disable=SC2086 # lists of words
    FLOE_GPU_TEST=tell=1 "$FLOE" check --engine=gpu --devices="$DEVICES" ${MEMORY:+--gpu-memory=$MEMORY} --no-trace --continue $large
    [ $? -lt 3 ]
    ;;
  *) echo "no step $1" && false ;;
  esac
}

for name in "$@"; do
  begun=$(date +%s)
  step "$name"
  code=$?
  [ $code -eq 0 ] || bad=1
  echo "---- $name: exit code $code, $(($(date +%s) - begun)) s"
done
exit $bad
