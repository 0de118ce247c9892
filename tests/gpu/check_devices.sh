# shellcheck shell=sh
# shellcheck disable=SC2154 # variables of check_gpu.sh
# The group `devices` of check_gpu.sh, which reads this file: several devices, or one as several.

kept() { # $1: model and its constants  $2: options of the run that leaves a file  $3: of the one that goes on  $4: settings of both
  rm -f "$work/kept" "$work/kept.previous" "$work/broken"
  # shellcheck disable=SC2086 # lists of words
  "$floe" check --engine=cpu --quiet --continue --no-trace --json="$work/whole" $1 >/dev/null 2>"$work/out"
  # shellcheck disable=SC2086
  FLOE_GPU_TEST=$4 ${launch:-} "$floe" check --engine="$engine" --quiet --continue --no-trace --checkpoint="$work/kept" $2 $1 >"$work/out" 2>&1
  # shellcheck disable=SC2086
  FLOE_GPU_TEST=$4 "$floe" resume "$work/kept" --quiet --no-trace --max-states=1000000000 --json="$work/broken" $3 >>"$work/out" 2>&1
  grep certificate "$work/whole" >"$work/whole.it" && grep certificate "$work/broken" | cmp -s - "$work/whole.it" ||
    { fail "kept by $2, gone on with by $3 ($4; $1): $(cat "$work/out" "$work/whole.it")" && return; }
  compared=$((compared + 1))
}

kept_on_devices() { # files of several devices: by several, by one, by CPUs, and of one by several
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=6 $models/peterson.xml"; do
    kept "$model" "$several --max-states=100000" '--engine=cpu' 'twice=1,alone=1'
    kept "$model" "$several --checkpoint-every=0.02 --max-states=1000000" "--engine=$engine --gpu-memory=3G" 'twice=1,alone=1,slice_us=200'
    kept "$model" "$several --checkpoint-every=0.02 --max-states=1000000" "--engine=$engine $several" 'twice=1,alone=1,slice_us=200,mailboxes=2,out=100'
    kept "$model" '--max-states=100000 --gpu-memory=3G' "--engine=$engine $several" 'twice=1,blocks=2,queue=1'
  done
}

group_devices() { # several devices, or one as several: every model, all that is full, bounds, traces, checkpoints
  begin
  several="--devices=$devices --gpu-memory=3G"
  for model in "$models"/*.xml; do
    expected "$model"
  done >"$work/expected"
  while IFS='|' read -r model options count; do
    [ "$count" -le "$most" ] && [ "$count" -ge 1000 ] || continue
    case $options in *K=1000000*) continue ;; esac # a million levels of one state: minutes
    name="$(basename "$model" .xml) $options"
    add "$name, together" 'twice=1,alone=1' 'members>1' "--continue --no-trace $options $model" "$several"
    [ "$count" -le 300000 ] && add "$name, alone" 'twice=1' '' "$options $model" "$several"
  done <"$work/expected"
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=16 $models/philosophers.xml" "-DN=6 $models/peterson.xml"; do
    for settings in out=1000 fill=100 'blocks=2,queue=1' 'slice_us=200,out=100' bitmap=1 hosts=1; do
      wishes='members>1'
      case $settings in fill* | bitmap*) wishes='members>1 closed>0' ;; esac # levels end in the kernels
      add "devices, $settings" "twice=1,alone=1,$settings" "$wishes" "--continue --no-trace $model" "$several --table=iceberg --initial-slots=5000"
    done
    add 'devices, linear' 'twice=1,alone=1' 'members>1' "--continue --no-trace $model" "$several --table=linear"
    add 'devices, bound' 'twice=1,alone=1' 'members>1' "--continue --no-trace --max-depth=17 $model" "$several"
    add 'devices, bound of states' 'twice=1,alone=1' 'members>1' "--continue --no-trace --max-states=20000 $model" "$several"
  done
  for model in "-DN=12 -DLEFT=0 $models/philosophers.xml" "-DN=5 -DLEVELS=3 $models/peterson.xml" "-DN=4 -DMAX=3 -DBROKEN=1 $models/bakery.xml" "-DCURED=0 $models/havi.xml"; do
    add 'devices, trace' 'twice=1,alone=1' 'members>1' "$model" "$several"
  done
  end devices
  kept_on_devices
  devices_order "--encoding=fields -DN=5 -DK=8 $models/counters.xml" 'twice=1,alone=1'
  devices_order "--encoding=fields -DN=6 $models/peterson.xml" 'twice=1,alone=1000,blocks=2,queue=1'
  devices_order "--encoding=fields -DN=14 --max-depth=9 $models/philosophers.xml" 'twice=1,alone=1,slice_us=200'
}

# devices_later SETTINGS WHAT OPTIONS: auto, to which others may come on the way, finds what one device finds, and says what
# it did. The model is large enough for the CPU not to be done before.
devices_later() {
  # shellcheck disable=SC2086
  "$floe" check --engine=gpu --quiet --continue --no-trace --json="$work/whole" ${3#--gpu-memory=* } >/dev/null 2>"$work/out"
  # shellcheck disable=SC2086
  FLOE_GPU_TEST=$1 "$floe" check --quiet --continue --no-trace --json="$work/later" $3 >/dev/null 2>>"$work/out"
  grep certificate "$work/whole" >"$work/whole.it" && grep certificate "$work/later" | cmp -s - "$work/whole.it" ||
    { fail "devices, on the way ($1; $3): $(cat "$work/out" "$work/whole.it")" && return; }
  grep -q "\"engine_detail\": .*$2" "$work/later" || { fail "devices, on the way ($1; $3): $(grep engine_detail "$work/later")" && return; }
  compared=$((compared + 1))
  echo "devices, on the way:$(sed -n 's/^  "engine_detail": "\(.*\), [0-9]* blocks.*/ \1/p' "$work/later"): $1; ${3##*/}"
}

group_later() { # others that come on the way; one device twice where there is no other
  together='all together, after the first one had found'
  devices_later 'twice=1,many=10000000' "$together" "-DN=8 -DK=12 $models/counters.xml"
  devices_later 'twice=1,many=200000000' "$together" "-DN=8 $models/peterson.xml"
  devices_later 'twice=1' 'CUDA [0-9.]*, [0-9]* blocks' "-DN=8 -DK=12 $models/counters.xml"
  devices_later 'twice=1' 'with host memory, after all GPUs were full' "--gpu-memory=400M --table=iceberg --encoding=fields -DN=8 -DK=11 $models/counters.xml"
}

# devices_order OPTIONS SETTINGS: the file of several devices has, level by level, the states of one thread's
devices_order() {
  for side in cpu gpu; do
    with="--engine=gpu $several --json=$work/order.json"
    [ $side = gpu ] || with='--engine=cpu -j1'
    # shellcheck disable=SC2086
    FLOE_GPU_TEST=$2 "$floe" check --quiet --continue --no-trace $1 $with --visited-order="$work/$side.order" >/dev/null 2>"$work/out" ||
      [ $? -lt 3 ] || fail "devices, order: $side $1: $(cat "$work/out")"
    "$floe" order --text "$work/$side.order" >"$work/$side.keys" 2>&1
  done
  python3 - "$work/order.json" "$work/cpu.keys" "$work/gpu.keys" >"$work/out" 2>&1 <<'END' || fail "devices, order of $1 ($2): $(tail -1 "$work/out")"
import json
import sys
result = json.load(open(sys.argv[1]))
one, all = (open(name).read().splitlines() for name in sys.argv[2:])
assert len(result["ranks"]) > 1, "one device alone"
assert len(one) == len(all) == result["states"] > 100, f"{len(one)} and {len(all)} keys"
at = 0
for depth, states in enumerate(result["states_per_level"]):
    assert sorted(one[at:at + states]) == sorted(all[at:at + states]), f"level {depth} is another one"
    at += states
assert at == len(all), "there is more in it"
END
  compared=$((compared + 1))
  echo "devices, order: $(wc -l <"$work/gpu.keys") states of ${1##*/} $2"
}
