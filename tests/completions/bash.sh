#!/bin/sh
# bash completion: exactly the commands and options in the help, and the values of choices.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v bash >/dev/null || skip 'no bash'
cat >ask.bash <<'END'
source "$1"; shift
floe=$1; shift
COMP_WORDS=(floe "$@") COMP_CWORD=$#
_floe "$floe"
printf '%s\n' "${COMPREPLY[@]}"
END
ask() { bash ask.bash "$here/completions/bash/floe" "$floe" "$@" | sort >found; }

run 0 help
sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out | sort >commands
[ "$(wc -l <commands)" -ge 5 ] || fail 'the help lists no commands'
ask ''
diff commands found >why || fail "commands: $(cat why)"
n=0
for command in $(cat commands); do
  run 0 help "$command"
  grep -oE -- '^  (-[A-Za-z],|   ) --[a-z-]+(\[?=)?' out | grep -o -- '--.*' | tr -d '[' | sort >wanted
  ask "$command" --
  diff wanted found >why || fail "options of $command: $(cat why)"
  n=$((n + $(wc -l <found)))
done
[ $n -ge 50 ] || fail "only $n options offered"

ask check --engine = i
[ "$(cat found)" = interpreter ] || fail "values of --engine: $(cat found)"
ask check --slot-bits =
[ "$(tr '\n' ' ' <found)" = '16 21 32 64 ' ] || fail "values of --slot-bits: $(cat found)"
ask --eng
[ "$(cat found)" = '--engine=' ] || fail "without a command: $(cat found)"
ask coun
[ "$(cat found)" = count ] || fail "coun: $(cat found)"
mkdir deep && cp "$models/ring.xml" deep/ring.xml
ask check deep/ri
[ "$(cat found)" = deep/ring.xml ] || fail "a file: $(cat found)"

# names in the model, at any position of the model
ask check "$models/ring.xml" -D ''
[ "$(cat found)" = N= ] || fail "constants: $(cat found)"
ask check "$here/models/peterson.xml" -DL
[ "$(cat found)" = -DLEVELS= ] || fail "-D and a name in one: $(cat found)"
ask check "$here/models/peterson.xml" --sweep =
[ "$(tr '\n' ' ' <found)" = 'LEVELS= N= ' ] || fail "of --sweep: $(cat found)"
ask check "$models/ring.xml" -p ''
[ "$(tr '\n' ' ' <found)" = 'deadlock errors last safe ' ] || fail "properties: $(cat found)"
ask check "$models/ring.xml" --property = sa
[ "$(cat found)" = safe ] || fail "of --property: $(cat found)"
ask check none.xml -D ''
[ "$(cat found)" = '' ] || fail "without a model: $(cat found)"
ask bench ''
"$floe" help bench | tr '\n' ' ' | grep -oE '\b(ws-[a-z0-9-]+|fig[0-9]|remark1|overflow|probe|reduce|limits) \(|ws-fig[0-9](-batch)?|ws-crossover' | tr -d ' (' |
  sort -u >wanted
diff wanted found >why || fail "presets: $(cat why)"
ask bench ws-c
[ "$(cat found)" = ws-crossover ] || fail "a preset: $(cat found)"
finish
