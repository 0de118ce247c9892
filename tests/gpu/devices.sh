#!/bin/sh
# Messages for GPUs that are missing, too old, busy or broken, with a fake driver library (fake_cuda.c): the exact
# reason, and the right exit code. The CPU explores where it may.
. "${top_srcdir:-.}/tests/cmd/common.sh"
fake=${top_builddir:-.}/tests/gpu/.libs/libfake_cuda.so
old=${top_builddir:-.}/tests/gpu/.libs/libfake_old.so
[ -f "$fake" ] && [ -f "$old" ] || skip 'built without CUDA'
unset CUDA_VISIBLE_DEVICES FLOE_LIBNVRTC FLOE_GPU_TEST
FLOE_LIBCUDA=$fake
export FLOE_LIBCUDA FAKE_CUDA
model=$models/ring.xml

lists() { # lists TEXT: floe devices has such a line, and no error
  run 0 devices
  silent err
  says out "$1"
}
no_gpu() { # no_gpu REASON: of floe devices, and of --engine=gpu
  lists "no usable GPU: $1"
  run 3 --engine=gpu "$model"
  silent out
  says err "floe: error: $1"
  says err '--engine=cpu explores on all cores'
}
refused() { # refused REASON ARGUMENT...: of --engine=gpu
  reason=$1
  shift
  run 3 --engine=gpu "$@" "$model"
  silent out
  says err "floe: error: $reason"
  [ "$(grep -c 'error:' err)" -eq 1 ] || fail "several errors: $(cat err)"
}

# the library
FAKE_CUDA=
FLOE_LIBCUDA=/nowhere/libcuda.so.1
no_gpu 'no NVIDIA driver is installed (/nowhere/libcuda.so.1: cannot open shared object file: No such file or directory)'
FLOE_LIBCUDA=$old
no_gpu 'the NVIDIA driver is too old: it has no function cuLaunchCooperativeKernel'
FLOE_LIBCUDA=$fake
FAKE_CUDA=mismatch
no_gpu 'CUDA does not start: cuInit: system has unsupported display driver / cuda driver combination'
FAKE_CUDA=none
no_gpu 'CUDA finds no GPU'
CUDA_VISIBLE_DEVICES= && export CUDA_VISIBLE_DEVICES
no_gpu "CUDA finds no GPU (CUDA_VISIBLE_DEVICES is '')"
unset CUDA_VISIBLE_DEVICES

# devices
FAKE_CUDA=two
lists 'cpu: '
lists 'gpu 0: Imaginary A, compute capability 9.0, 4 multiprocessors at 1500 MHz, 1.0 GiB of memory, 1.0 GiB free, at 0000:18:00.0'
lists 'gpu 1: Imaginary B, '
lists 'cuda: driver for CUDA up to 13.0, '
if grep -q 'not usable' out; then fail "$(cat out)"; fi

# links: of several devices that can be used
matrix() { # matrix LINE...: all that floe devices says of links
  run 0 devices
  silent err
  printf '%s\n' "$@" >wanted
  sed -n '/^links: /,$p' out >links
  cmp -s wanted links || fail "FAKE_CUDA='$FAKE_CUDA': $(diff wanted links)"
}
no_links() {
  run 0 devices
  if grep -q '^links\|direct' out; then fail "FAKE_CUDA='$FAKE_CUDA': $(cat out)"; fi
  run 0 devices --json
  says out '"links": [],'
}
links="links: path of states between GPUs of one search (--devices), from the GPU of the column to that of the row"
FAKE_CUDA=two
matrix "$links" \
  '                    gpu 0         gpu 1' \
  '  gpu 0                 -       direct+' \
  '  gpu 1           direct+             -' \
  '  direct: from GPU to GPU; +: with atomic operations, as over NVLink'
FAKE_CUDA='four apart'
matrix "$links" \
  '                    gpu 0         gpu 1         gpu 2         gpu 3' \
  '  gpu 0                 -          host       direct+       direct+' \
  '  gpu 1              host             -       direct+       direct+' \
  '  gpu 2           direct+       direct+             -       direct+' \
  '  gpu 3           direct+       direct+       direct+             -' \
  "  direct: from GPU to GPU; +: with atomic operations, as over NVLink; host: through host memory, slower"
FAKE_CUDA='four mixed'
matrix "$links" \
  '                    gpu 0         gpu 1         gpu 2         gpu 3' \
  '  gpu 0                 -   direct+ (1)    direct (2)    direct (2)' \
  '  gpu 1       direct+ (1)             -    direct (2)    direct (2)' \
  '  gpu 2        direct (2)    direct (2)             -   direct+ (1)' \
  '  gpu 3        direct (2)    direct (2)   direct+ (1)             -' \
  '  direct: from GPU to GPU; +: with atomic operations, as over NVLink; (1): the fastest kind of link, according to the driver'
FAKE_CUDA='two mute'
matrix "$links" \
  '                    gpu 0         gpu 1' \
  '  gpu 0                 -        direct' \
  '  gpu 1            direct             -' \
  '  direct: from GPU to GPU'
FAKE_CUDA='two apart'
matrix "$links" \
  '                    gpu 0         gpu 1' \
  '  gpu 0                 -          host' \
  '  gpu 1              host             -' \
  "  host: through host memory, slower"
FAKE_CUDA='four exclusive' # 0 cannot be used
matrix "$links" \
  '                    gpu 1         gpu 2         gpu 3' \
  '  gpu 1                 -       direct+       direct+' \
  '  gpu 2           direct+             -       direct+' \
  '  gpu 3           direct+       direct+             -' \
  '  direct: from GPU to GPU; +: with atomic operations, as over NVLink'
FAKE_CUDA='two apart'
run 0 devices --json
[ "$(grep -c '"peer":' out)" -eq 2 ] || fail "links of two devices: $(cat out)"
FAKE_CUDA='four mixed'
run 0 devices --json
[ "$(grep -c '"peer":' out)" -eq 12 ] || fail "links of four devices: $(cat out)"
[ "$(grep -c '"rank": 1' out)" -eq 4 ] && [ "$(grep -c '"rank": 2' out)" -eq 8 ] || fail "ranks: $(cat out)"
for words in '' 'two exclusive' 'two pascal'; do
  FAKE_CUDA=$words
  no_links
done

FAKE_CUDA=two
refused 'there is no GPU 2: they are numbered from 0 to 1' --device=2
FAKE_CUDA=
refused 'there is no GPU 1: the only one is number 0' --device=1
FAKE_CUDA=pascal
refused 'GPU 0 (Imaginary A) has compute capability 6.1; 7.0 is needed'
lists '  not usable: GPU 0 (Imaginary A) has compute capability 6.1; 7.0 is needed'
FAKE_CUDA=simple
refused 'GPU 0 (Imaginary A) cannot launch cooperative kernels'
FAKE_CUDA=busy
refused 'GPU 0 (Imaginary A): cuDevicePrimaryCtxRetain: CUDA-capable device(s) is/are busy or unavailable'
lists 'gpu 0: Imaginary A, '
if grep -q ' free' out; then fail "free memory of a device that gives no context: $(cat out)"; fi
FAKE_CUDA='two exclusive'
lists 'gpu 0: no response'
lists '  not usable: GPU 0: cuDeviceGet: CUDA-capable device(s) is/are busy or unavailable'
lists 'gpu 1: Imaginary B, '

# NVRTC
FAKE_CUDA=
FLOE_LIBNVRTC=/nowhere/libnvrtc.so
export FLOE_LIBNVRTC
lists 'cuda: driver for CUDA up to 13.0, only cached kernels are usable: NVRTC (/nowhere/libnvrtc.so) is not found'
refused 'NVRTC (/nowhere/libnvrtc.so) is not found' --cache-dir=

# memory, modules and kernels that fail; those need NVRTC
unset FLOE_LIBNVRTC
run 0 devices
if grep -q ', NVRTC 13' out; then
  FAKE_CUDA=older
  refused 'NVRTC 13.' --cache-dir=
  says err ' is too new for the driver, which supports CUDA up to 12.4'
fi
FAKE_CUDA=
if "$floe" devices | grep -q ', NVRTC'; then
  FAKE_CUDA=refuse
  run 4 --engine=gpu "$model"
  says err 'floe: error: GPU 0 (Imaginary A): cuModuleLoadData: device kernel image is invalid'
  FAKE_CUDA=fault
  run 4 --engine=gpu "$model"
  says err 'floe: error: GPU 0 (Imaginary A): '
  says err ': an illegal memory access was encountered'
  [ "$(grep -c 'error:' err)" -eq 1 ] || fail "several errors: $(cat err)"
  FAKE_CUDA=
  run 2 --engine=gpu --gpu-memory=1K "$model"
  says err 'floe: error: not enough memory to start on Imaginary A (GPU 0), CUDA 13.0: the limit is 1024 bytes of its memory'
else
  echo 'no NVRTC: what comes after it is not tested'
fi

# The only note is why the search ended.
without_gpu_note() {
  [ "$(wc -l <err)" -eq 1 ] || fail "several messages: $(cat err)"
  says err 'floe: note: ended at --'
}

# auto: searches for a GPU during the search; without one, or if it fails, the CPU continues
FAKE_CUDA=mismatch
FLOE_LIBCUDA=/nowhere/libcuda.so.1
long="--threads=1 --quiet $models/large.xml"
run 2 --timeout=1 $long
without_gpu_note
# A loaded machine may take seconds to open a GPU.
until_said() { # until_said TEXT ARGUMENT...: a search of 1, 5 or 25 s has that message
  text=$1
  shift
  for seconds in 1 5; do
    run 2 --timeout=$seconds "$@" $long
    if grep -qF -- "$text" err; then return; fi
  done
  run 2 --timeout=25 "$@" $long
  says err "$text"
}
FLOE_LIBCUDA=$fake
until_said 'floe: note: explored on the CPU: CUDA does not start: cuInit: system has unsupported'
FAKE_CUDA=
FLOE_LIBNVRTC=/nowhere/libnvrtc.so
export FLOE_LIBNVRTC
until_said 'floe: warning: the GPU failed: explored on the CPU' --cache-dir=
says err 'floe: warning: NVRTC (/nowhere/libnvrtc.so) is not found'
if grep -q 'error:' err; then fail "an error although the CPU explored: $(cat err)"; fi
# not for a run that is recorded
FAKE_CUDA=mismatch
run 2 --visited-order=visited $long --max-states=100000
without_gpu_note

# several: what one alone can do
FAKE_CUDA=two
run 3 --engine=gpu --devices=0,1 --table=host-backed "$model"
says err 'several devices cannot use a host-backed visited set'
run 3 --engine=gpu --devices=0,1 --checkpoint=kept "$here/tests/gpu/engine/chains.xml"
says err 'several devices cannot checkpoint states of several words'
[ ! -e kept ] || fail 'a file of what is refused'

# plan
FAKE_CUDA=
run 0 plan --gpu-memory=50% "$model"
says out 'states that fit in 512.0 MiB of GPU memory:'
run 3 plan --gpu-memory=50% --device=3 "$model"
says err "the memory of GPU 3 is unknown: 'floe devices' lists the GPUs"
run 0 plan --gpu-memory=80G "$model"
says out 'states that fit in 80.0 GiB of GPU memory:'
finish
