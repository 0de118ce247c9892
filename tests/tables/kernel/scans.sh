#!/bin/sh
# Each scan reads a slot once: in the object code of gcc and clang for every scan form, at -O2, at length also at -O1 and -O3,
# no comparison reads a slot from memory, and each piece of a bucket is read once; the forms of this build do not compare
# vectors with a table's memory, either. And no code reads tables by other loads than the functions for it.
set -u
here=${top_srcdir:-.}
long=${FLOE_TEST_LONG:-}${FLOE_TEST_ALL:-}
case $here in /*) ;; *) here=$PWD/$here ;; esac
built=${top_builddir:-$here}
command -v objdump >/dev/null 2>&1 || { echo 'SKIP: no objdump (Debian: binutils)'; exit 77; }
case $(uname -m) in x86_64) forms='portable avx2 avx512' ;; *) forms=portable ;; esac
case $forms in portable) echo "SKIP: the object code of $(uname -m) is not known here"; exit 77 ;; esac
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' INT TERM HUP
cd "$work" || exit 99

# Reads of the functions in `objdump -d`. Operands on the stack are the compiler's, those by %rip are constants.
# Counters of a function: reads, looks (instructions that read and do more than load), again (an address read twice).
cat >reads.awk <<'A'
function end() {
  if (name == "")
    return
  split(name, part, "_")
  slots = part[3]
  pieces = form == "portable" || part[1] == "load" ? slots : 1
  bytes = part[2] == 21 ? slots / 3 * 8 : slots * part[2] / 8
  size = form == "avx2" ? 32 : 64
  if (form != "portable" && part[1] == "scan" && bytes > size)
    pieces = bytes / size
  functions++
  if (reads == 0)
    tell("reads nothing: this test is blind")
  if (reads > pieces)
    tell("has " reads " reads of " pieces " pieces")
}
function tell(what) { print "FAIL: " title ": " name " " what; failed = 1 }
/^[0-9a-f]+ <.*>:$/ {
  end()
  name = $2
  gsub(/[<>:]/, "", name)
  reads = frame = 0
  split("", seen)
  next
}
name != "" && /\(.*%/ {
  line = $0
  sub(/^ *[0-9a-f]+:[ \t]*/, "", line)
  sub(/ *#.*$/, "", line)
  sub(/ *<.*$/, "", line)
  if (match(line, /\([^)]*\)/) == 0)
    next
  address = substr(line, RSTART, RLENGTH)
  if (address ~ /%rip|%rsp/ || (frame && address ~ /%rbp/) || line ~ /^(lea|push|nop|data16|cs )/)
    next
  reads++
  if (line !~ /^(mov|movz[a-z]*|mov[lq]|vmovq|vmovdq[au][0-9]*)[ \t]/)
    tell("does more than load: " line)
  if (seen[line]++ && name !~ /_21_/)
    tell("reads twice: " line)
}
/mov +%rsp,%rbp/ { frame = 1 }
END {
  end()
  if (functions != 20)
    tell("and others: " functions + 0 " functions instead of 20")
  exit failed
}
A

flags_of() { # flags_of FORM: flags of the file of that form
  case $1 in
    avx2) echo '-mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt' ;;
    avx512) echo '-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt' ;;
  esac
}

# look COMPILER FORM LEVEL
look() {
  object=$1-$2-$3.o
  # shellcheck disable=SC2046
  "$1" -std=gnu11 -w "$3" $(flags_of "$2") -DKERNEL_SCAN="\"tables/kernel/scan_$2.h\"" -I"$here/src" \
    -c "$here/tests/tables/kernel/scans.c" -o "$object" || { echo "FAIL: $1 $3 does not compile the form $2"; return 1; }
  objdump -d --no-show-raw-insn "$object" | awk -v form="$2" -v title="$1 $3, $2" -f reads.awk
}

look_all() { # look_all COMPILER
  code=0
  for level in -O2 ${long:+-O1 -O3}; do
    for form in $forms; do
      look "$1" "$form" $level || code=1
    done
  done
  return $code
}

failures=0
compilers=
for compiler in gcc clang; do
  if command -v $compiler >/dev/null 2>&1; then
    compilers="$compilers $compiler"
  else
    echo "no $compiler here: what it makes of the scans is not seen"
  fi
done
[ -n "$compilers" ] || { echo 'SKIP: neither gcc nor clang'; exit 77; }
for compiler in $compilers; do
  look_all $compiler >said.$compiler 2>&1 &
  eval "job_$compiler=\$!"
done
for compiler in $compilers; do
  eval "wait \$job_$compiler" || failures=1
  cat said.$compiler
done

# The forms of this build, with all code inlined around the scans. Sanitizers keep locals elsewhere.
for object in "$built"/src/tables/*/*_avx2.o "$built"/src/tables/*/*_avx512.o \
  "$built"/src/tables/*/.libs/*_avx2.o "$built"/src/tables/*/.libs/*_avx512.o; do
  [ -f "$object" ] || continue
  if nm "$object" | grep -qE '__(a|hwa|m|t|ub)san'; then
    echo "$object: instrumented, not looked at"
  elif objdump -d --no-show-raw-insn "$object" | grep -E '[[:space:]]vp(cmp|test)[a-z0-9]*[[:space:]].*\(' |
    grep -vE '\(%r([sb]p|ip)[,)]' | sed 3q | grep .; then
    echo "FAIL: $object compares with memory"
    failures=1
  fi
done

# The only loads: KERNEL_LOAD of shim.h and scan_load on the CPU, gpu_load... of machine.h on a GPU
cd "$here" || exit 99
if grep -nE '__atomic_load|_mm[0-9]*_(mask_|maskz_)?(stream_)?(load|lddqu)' src/tables/*.[ch] src/tables/*/*.[ch] |
  grep -vE '^src/tables/(working_set/|api/|kernel/shim\.h:[0-9]*:    uint64_t value|slot128\.c:)'; then
  echo 'FAIL: loads beside those of src/tables/kernel/shim.h'
  failures=1
fi
if grep -nE '[^a-z]ld\.[a-z]|const volatile|__ld(g|ca|cg|cs|lu|cv)' gpu/kernel/*/*.h |
  grep -vE '^gpu/kernel/[a-z_/]*_text\.h|^gpu/kernel/base/machine\.h:[0-9]*: *(asm volatile\()?"(@p )?ld\.(relaxed|acquire)\.(gpu|sys)'; then
  echo 'FAIL: loads beside those of gpu/kernel/base/machine.h'
  failures=1
fi
[ $failures -eq 0 ] && echo 'all checks passed'
exit $failures
