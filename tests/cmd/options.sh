#!/bin/sh
# Options and commands: each is accepted; invalid ones are rejected with exit code 3 and a correct form.
. "${top_srcdir:-.}/tests/cmd/common.sh"
model=$models/ring.xml

refused() { # refused TEXT HINT ARGUMENT...
  text=$1 hint=$2
  shift 2
  run 3 "$@"
  silent out
  says err "floe: error: $text"
  says err "$hint"
}

# every option of every command, from its help
taken() {
  case $1 in
  define) echo --define=N=2 ;;
  property) echo --property=safe ;;
  report) echo --report=report.html ;;
  sweep) echo --sweep=N=2,3 ;;
  max-depth | max-states | initial-slots | expected-states) echo "--$1=5000" ;;
  fair) echo --fair=weak ;;
  finite) echo --finite=ignore ;;
  timeout | trace-timeout) echo "--$1=60" ;;
  memory) echo --memory=50% ;;
  threads) echo --threads=1 ;;
  engine) echo --engine=interpreter ;;
  device) echo --device=0 ;;
  reduce) echo --reduce=none ;;
  devices) echo --devices=0 ;;
  gpu-memory) echo --gpu-memory=1G ;;
  table) echo --table=iceberg ;;
  slot-bits) echo --slot-bits=32 ;;
  bucket-slots) echo --bucket-slots=8 ;;
  encoding) echo --encoding=rank ;;
  symmetry) echo --symmetry=auto ;;
  deadlock) echo --deadlock=stuttering ;;
  permutation) echo --permutation=feistel ;;
  compiler) echo --compiler= ;;
  cache-dir) echo --cache-dir= ;;
  trace) echo --trace=trace.json ;;
  progress) echo --progress=0 ;;
  visited-order) echo --visited-order=visited ;;
  checkpoint) echo --checkpoint=kept ;;
  checkpoint-every) echo --checkpoint=kept --checkpoint-every=1 ;;
  order-kind) echo --order-kind=lookups ;;
  format) echo --format=text ;;
  output) echo --format=json --output=result.json ;;
  *) echo "--$1" ;;
  esac
}
n=0
for command in check count plan; do
  run 0 help $command
  for name in $(sed -n 's/^  .\{0,5\} --\([a-z-]*\).*/\1/p' out); do
    [ "$name" != properties ] || continue # of Petri nets alone: tests/pnml/mcc.sh
    [ "$name" != spin-trail ] || continue # of Promela alone: tests/promela/forms.sh
    # shellcheck disable=SC2046 # several words
    run 0 $command $(taken "$name") "$model"
    n=$((n + 1))
  done
done
[ $n -ge 45 ] || fail "only $n options found in the help"

# lines of --help have at most 80 columns
run 0 help
for command in '' $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out); do
  run 0 $command --help
  grep -nE '.{81}' out >wide && fail "floe $command --help has lines of more than 80 columns: $(cat wide)"
done

# short forms, abbreviations, options before the command and after the model
run 0 -DN=2 -q "$model"
run 0 check -D N=2 -p safe "$model" -j1 -m 1G
run 0 --quie --engine=interpreter check "$model" --no-tr
run 0 plan "$model" -D N=2
run 0 "$model" --comp=

# invalid options
refused 'unknown option --treads' 'did you mean --threads?' --treads=3 "$model"
refused 'unknown option --blargh' "'floe help COMMAND' lists the options" --blargh "$model"
refused 'unknown option -x' "'floe help COMMAND' lists the options" -qx "$model"
refused 'option --t is ambiguous' '--timeout and --trace-timeout' --t=3 "$model"
refused 'option --timeout needs a value' '--timeout=SECONDS' "$model" --timeout
refused 'option --quiet takes no value' '' --quiet=3 "$model"
refused 'floe plan has no option --threads' 'floe help plan' plan --threads=2 "$model"
refused 'floe check has no option --seed' 'floe help check' --seed=2 "$model"
refused '--trace cannot be combined with --no-trace' '' --trace=t.json --no-trace "$model"
refused '--trace cannot be combined with --expect' '' --trace=t.json --expect "$model"
refused "'-1' is not a valid value for --seed" 'a whole number from 0' simulate --seed=-1 "$model"
refused 'floe count has no option --expect' 'floe help count' count --expect "$model"

# invalid values
sed 's/\bN\b/COUNT/g' "$model" >renamed.xml
for value in 0 -1 x 1x 1025 '' 99999999999999999999; do
  refused "'$value' is not a valid value for --threads" 'for example --threads=4' --threads="$value" "$model"
done
for option in max-states initial-slots expected-states; do
  refused "'0' is not a valid value for --$option" 'a whole number from 1' --$option=0 "$model"
done
refused "'deep' is not a valid value for --max-depth" 'a whole number from 0' --max-depth=deep "$model"
for value in 0 -1 1s nan inf 0x10; do
  refused "'$value' is not a valid value for --timeout" 'for example --timeout=2.5' --timeout="$value" "$model"
done
refused "'-1' is not a valid value for --progress" 'for example --progress=2.5' --progress=-1 "$model"
for value in 0 -1 2X 101% G 1e30; do
  refused "'$value' is not a valid value for --memory" '--memory=2G, --memory=50%' --memory="$value" "$model"
done
refused "'gpus' is not a valid value for --engine" 'did you mean --engine=gpu?' --engine=gpus "$model"
refused "'fast' is not a valid value for --engine" 'one of auto|cpu|gpu|interpreter' --engine=fast "$model"
refused "'17' is not a valid value for --slot-bits" 'did you mean --slot-bits=16?' --slot-bits=17 "$model"
refused "'100' is not a valid value for --bucket-slots" 'one of 8|12|16|24|32' --bucket-slots=100 "$model"
refused "'N' is not a valid value for -D" '-D NAME=VALUE' -D N "$model"
refused "'=3' is not a valid value for -D" '-D NAME=VALUE' -D =3 "$model"
refused '-D N=3 contradicts -D N=2' '--sweep' -D N=2 -D N=3 "$model"
refused '-D N=2 contradicts -D N=3' '--sweep' check -D N=3 "$model" --define=N=2
for command in count plan export simulate; do
  refused '-D N=3 contradicts -D N=2' '--sweep' $command -D N=2 -D N=3 "$model"
done
run 0 count -D N=2 -D N=2 -D N=02 "$model"
refused "'three' is no value for constant N" 'a whole number' -D N=three "$model"
refused "the model has no constant 'M'" "its constants: N" -D M=3 "$model"
refused "the model has no constant 'CUONT'" "did you mean 'COUNT'?" -D CUONT=3 renamed.xml
refused "'' is not a valid value for --report" 'use --report=FILE' --report= "$model"
refused "'' is not a valid value for --json" 'use --json=FILE' --json= "$model"
refused "the model has no constant 'N'" 'the model has no constants' -D N=3 "$models/stuck.xml"
run 3 --table=icebreg "$model"
run 3 --permutation=nonesuch "$model"
run 3 -p sfae "$model"
says err "safe"

# invalid operands
refused "'chekc' is neither a command nor a file" "did you mean 'floe check'?" chekc "$model"
refused "'unfold' is neither a command nor a file" "'floe help' lists the commands" unfold
refused 'missing operand: MODEL' 'usage: floe check' check
refused 'missing operand: MODEL' 'usage: floe check'
refused 'too many operands: floe check takes one' 'usage: floe check' check "$model" "$model"
refused 'missing operand: MODEL TRACE' 'usage: floe replay' replay "$model"
refused 'too many operands: floe replay takes two' 'usage: floe replay' replay "$model" "$model" "$model"
refused 'too many operands: floe version takes none' 'usage: floe version' version "$model"
refused "unknown command 'chck'" "did you mean 'check'?" help chck
refused 'nowhere.xml cannot be opened: No such file' '' nowhere.xml
refused '--expect cannot be combined with --property' 'all expected results' --expect -p safe "$model"

# help and version
run 0 --version
says out 'floe '
run 0 version
run 0 --help
says out 'Usage: floe [COMMAND]'
run 0 help
run 0 plan --help
says out 'Usage: floe plan'
run 0 "$model" --help
says out 'Usage: floe check'
finish
