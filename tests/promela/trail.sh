#!/bin/sh
# Promela: spin -t plays the trails of --spin-trail. It shows the same processes, lines and statements as
# --format=spin, and ends in the same state or with the same error.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v spin >/dev/null || skip 'spin is not installed'
tab=$(printf '\t')

# The steps of a trace; those of a d_step have one number, and count once.
steps() {
  sed -n -e "s/^.*[^0-9 ]  *\([0-9]*:$tab\)/\1/" -e "/trail ends after/q;p" "$1" |
    sed -n -E "s/^ *([0-9]+):${tab}proc +([0-9]+) \(([^)]*)\) [^ ]*:([0-9]+) \(state ([0-9]+)\).*/\1 process \2 \3 line \4 state \5/p; s/^ *([0-9]+): proc +([0-9]+) terminates/\1 process \2 ends/p" |
    awk '{ if ($1 in seen) seen[$1] = 0; else { seen[$1] = $0; order[++n] = $1 } }
      END { for (i = 1; i <= n; i++) print seen[order[i]] ? seen[order[i]] : order[i] " d_step" }'
}

# The places of all processes at the end. (Spin counts -1 steps if the cycle has none.)
ends() {
  sed '1,/trail ends after/d' "$1" | sed '/^$/q' | sed -n -E "s/^ *-?[0-9]+:${tab}(proc .*)$/\1/p"
}

# plays PROPERTY MODEL: a trace of the property, which is violated
played=0
plays() {
  run 1 check --property="$1" --continue --format=spin --spin-trail=trail "$2"
  timeout 20 spin -t -p -k trail "$2" >spin.out 2>&1 </dev/null
  steps out >floe.steps
  steps spin.out >spin.steps
  [ -s floe.steps ] || fail "$2: no steps: $(cat out)"
  cmp -s floe.steps spin.steps || fail "$2, $1: $(diff floe.steps spin.steps)"
  case $1 in
  errors)
    grep -qE 'Error: (assertion violated|indexing)' spin.out || fail "$2: no error: $(tail -12 spin.out)"
    ;;
  *)
    ends out >floe.ends
    ends spin.out >spin.ends
    [ -s floe.ends ] || fail "$2: no end: $(cat out)"
    cmp -s floe.ends spin.ends || fail "$2, $1: $(diff floe.ends spin.ends)"
    ;;
  esac
  played=$((played + 1))
}

# every property that a case violates
for model in "$here"/tests/promela/cases/*.pml; do
  name=$(basename "$model")
  cp "$model" .
  "$floe" check --continue -q "$name" >verdicts 2>/dev/null </dev/null
  for property in $(sed -n 's/^\([a-z_]*\): violated.*/\1/p' verdicts); do
    plays "$property" "$name"
  done
done
[ $played -ge 8 ] || fail "only $played trails played"

# a claim before the processes, a run that repeats, jumps with end labels, labels before blocks, escapes, calls of inlines
cat >mixed.pml <<'END'
never { T: do :: skip :: skip -> break od; accept: do :: true od }
mtype = { ask, grant };
chan c = [0] of { mtype, byte };
byte x, y;
inline add(n) { select (i : 1 .. 2); if :: n > 3 -> skip :: else -> x = x + n fi; y = 0 }
proctype Child(byte n) { byte z; n++; byte w = n; z = w; c!ask, z }
active proctype P() {
  byte i, v;
  run Child(2);
  c?ask, v;
  select (i : 2 .. 4);
L: { add(i) } unless { y == 7 -> skip };
  { atomic { x++; y = 7 }; skip; goto again } unless { y == 7; d_step { y = 1; if :: x > 0 -> x = 1 :: else -> x = 9 fi } };
again: for (i : 0 .. 2) { x = x + i; if :: i == 1 -> goto end_1 :: else fi }
end_1: goto progress_1; progress_1: do :: x < 200 -> break :: else -> skip od;
  do :: atomic { y == 1; y = 2; x = 1 } :: d_step { y == 2 -> y = 1 } od
}
ltl often { [] <> (y == 7) }
END
plays often mixed.pml
grep -q 'START OF CYCLE' spin.out || fail "no cycle: $(cat spin.out)"

# processes that end before blocks, and within
cat >blocks.pml <<'END'
byte x;
active proctype P() { x = 1; atomic { x == 2; x = 3 } }
active proctype Q() { { x == 4; x = 5 } }
active proctype R() { { x = 1; x == 6 } }
active proctype S() { L: { { x == 7; x = 8 } unless { x == 9 } } }
END
plays deadlock blocks.pml
finish
