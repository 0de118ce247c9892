# shellcheck shell=sh
# shellcheck disable=SC2154 # variables of check_gpu.sh
# The group `ranks` of check_gpu.sh, which reads this file: processes with a GPU each, or with one for all (slow: they
# take turns), or several. RANKS: so many (2). NESTED: the devices of processes with several (0,0,0,0). FAR=1: the MPI
# library sends from devices' memory, and packets must use it.

nested=${NESTED:-0,0,0,0}
LAUNCH="mpirun --allow-run-as-root --oversubscribe --bind-to none -n ${RANKS:-2}"

# Each process with several devices, and mailboxes within each process, within pairs, for all: "machines" of a job.
add_nested() { # $1: name  $2: settings  $3: options of both  $4: of the GPU  $5: wishes
  for linked in 2 3 8; do
    add "$1, several each, mailboxes for $linked" "twice=1,alone=1,linked=$linked${2:+,$2}" "members>1${5:+ $5}" "$3" "$4 --devices=$nested"
  done
}

add_both() { # $1: name  $2: settings  $3: options of both  $4: of the GPU  $5: wishes; by mailboxes and by letters
  add "$1" "twice=1,alone=1${2:+,$2}" "members>1${5:+ $5}" "$3" "$4"
  add "$1, packets" "twice=1,alone=1,packets=1${FAR:+,far=1}${2:+,$2}" "members>1${FAR:+ far>0}" "$3" "$4"
}

group_ranks() { # every model, all that is full, bounds, traces, checkpoints
  command -v mpirun >/dev/null || { echo 'ranks: there is no mpirun, left out' && return; }
  begin
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=6 $models/peterson.xml"; do
    for settings in out=1000 mailboxes=2,out=50 fill=100 blocks=2,queue=1 slice_us=200,out=100 bitmap=1; do
      wish='sent>0'
      case $settings in slice*) wish='' ;; esac # on one card mailboxes are looked at too late then
      add_both "ranks, $settings" "$settings" "--continue --no-trace $model" '--gpu-memory=3G --table=iceberg --initial-slots=5000' 'sent>0'
      add_nested "ranks, $settings" "$settings" "--continue --no-trace $model" '--gpu-memory=3G --table=iceberg --initial-slots=5000' "$wish"
    done
    add_both 'ranks, bound' '' "--continue --no-trace --max-depth=17 $model" --gpu-memory=3G 'sent>0'
  done
  for model in "-DN=5 -DLEVELS=3 $models/peterson.xml" "-DN=4 -DMAX=3 -DBROKEN=1 $models/bakery.xml"; do
    add_both 'ranks, trace' '' "$model" --gpu-memory=3G
    add_nested 'ranks, trace' '' "$model" --gpu-memory=3G
  done
  # Small searches and their traces run on the first device alone; large levels use all devices.
  for model in "-DN=5 -DLEVELS=3 $models/peterson.xml" "-DN=4 -DMAX=3 -DBROKEN=1 $models/bakery.xml" "-DN=12 -DLEFT=0 $models/philosophers.xml" "-DN=11 $models/hanoi.xml"; do
    add "ranks, the first alone" twice=1 '' "--encoding=fields $model" --gpu-memory=3G
    add "ranks, the first alone, several each" twice=1 '' "--encoding=fields $model" "--gpu-memory=3G --devices=$nested"
  done
  for model in "-DN=7 -DK=8 $models/counters.xml" "-DN=16 $models/philosophers.xml"; do
    add "ranks, first alone, then all" twice=1,alone=2000 'members>1' "--encoding=fields $model" --gpu-memory=3G
    add "ranks, first alone, then all, several each" twice=1,alone=2000 'members>1' "--encoding=fields $model" "--gpu-memory=3G --devices=$nested"
  done
  for model in "--encoding=fields -DN=4 -DMAX=12 $models/bakery.xml" "--encoding=fields -DN=14 $models/philosophers.xml" "--encoding=fields -DN=7 -DK=8 -DSTEP=5000 $models/counters.xml"; do
    add_nested "${model##*/}" '' "--continue --no-trace $model" --gpu-memory=3G
  done
  for model in "$models"/*.xml; do
    expected "$model"
  done >"$work/expected"
  while IFS='|' read -r model options count; do
    [ "$count" -le 300000 ] && [ "$count" -ge 20000 ] || continue
    add_both "$(basename "$model" .xml) $options, ranks" '' "--continue --no-trace $options $model" --gpu-memory=3G
  done <"$work/expected"
  launch=$LAUNCH
  export launch
  end ranks "$((jobs < 6 ? jobs : 6))"
  for settings in twice=1 twice=1,alone=1 twice=1,alone=1,packets=1 twice=1,alone=1,slice_us=200,mailboxes=2,out=100; do
    kept "-DN=6 $models/peterson.xml" "--gpu-memory=3G --max-states=100000" '--engine=cpu' "$settings"
    kept "-DN=7 -DK=8 $models/counters.xml" "--gpu-memory=3G --checkpoint-every=0.02 --max-states=1000000" "--engine=$engine --gpu-memory=3G" "$settings"
  done
  kept "-DN=6 $models/peterson.xml" "--devices=$nested --gpu-memory=3G --max-states=100000" '--engine=cpu' twice=1,alone=1,linked=2
  kept "-DN=7 -DK=8 $models/counters.xml" "--devices=$nested --gpu-memory=3G --checkpoint-every=0.02 --max-states=1000000" "--engine=$engine --gpu-memory=3G" twice=1,alone=1,linked=3,slice_us=200,mailboxes=2,out=100
  unset launch
}
