#!/bin/sh
# dve_ranges, dve_to_floe and beem.sh on small models whose counts are known by hand.
. "${top_srcdir:-.}/tests/cmd/common.sh"
python3 -c '' 2>/dev/null || skip 'no python3'
${CC:-gcc} --version >/dev/null 2>&1 || skip "no compiler ${CC:-gcc} (set CC)"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
tools=$here/bench/encoding

# counts NAME STATES TRANSITIONS LEVELS DEADLOCKS: NAME.dve has them by dve_ranges, and by floe with ranges and without
counts() {
  "$tools/dve_ranges" "$1.dve" >"$1.ranges" 2>err || fail "dve_ranges $1: exit code $?: $(cat err)"
  [ "$(head -n 1 "$1.ranges")" = "states $2 transitions $3 levels $4 deadlocks $5" ] || fail "dve_ranges $1: $(cat "$1.ranges")"
  for with in "$1.ranges" ''; do
    # shellcheck disable=SC2086 # no file, no argument
    "$tools/dve_to_floe" "$1.dve" $with >"$1.xml" 2>err || fail "dve_to_floe $1: exit code $?: $(cat err)"
    run 0 count --engine=interpreter --certificate "$1.xml"
    says out "floe1 states=$2 transitions=$3 levels=$4 deadlocks=$5 "
  done
  "$tools/dve_to_floe" "$1.dve" "$1.ranges" >"$1.xml"
}

# always NAME EXPRESSION: an invariant of floe's model
always() {
  sed "s|</model>|<property id=\"p\" kind=\"invariant\">$2</property></model>|" "$1.xml" >with.xml
  run 0 check --engine=interpreter with.xml
}

# Handshake: the value goes over, then the sender's effects, then the receiver's. One receiver takes part, of its two.
cat >order.dve <<'END'
byte x, seen; /* globals */
channel c;
process S {
  state start, done; init start;
  trans start -> done { sync c!x; effect x = x + 1, seen = x; };
}
process R { byte got = 3; state start, done; init start; trans start -> done { sync c?got; effect seen = 10 + x + got; }; }
process Q { byte got = 3; state start, done; init start; trans start -> done { sync c?got; effect seen = 20 + x + got; }; }
system async;
END
counts order 3 2 2 2
always order 'S.done implies x == 1 and (R.done and R.got == 0 and seen == 11 or Q.done and seen == 21)'

# Bytes of 8 bits, ints of 16, also for received values
cat >wraps.dve <<'END'
byte b, small;
int i = 32767;
channel c;
process P {
  state l, m, n; init l;
  trans l -> l { effect b = b - 1; },          // 256 values
        l -> m { guard b == 255; effect i = i + 1, small = 300 + b; },
        m -> n { sync c!300 + small; };
}
process Q { byte got; state q, r; init q; trans q -> r { sync c?got; }; }
system async;
END
counts wraps 258 258 256 1
always wraps 'not P.l implies b == 255 and i == -32768 and small == 43 and (P.n implies Q.got == 87)'
says wraps.ranges 'variable i -32768 32767 1'

# Indices that are not constants, names that floe reserves, effects in sequence, a local name that hides a global one
cat >arrays.dve <<'END'
const byte N = 3;
const byte table[4] = {5, 6, 7, 8};
byte a[N] = {0, 100, 200}, own[2] = {1, 0}, len;
process P {
  byte first;
  state run, full; init run;
  trans run -> run { guard len < 2; effect a[len] = a[len] + 1, len = len + 1; },
        -> full { guard not (len != 2) and a[first + 1] == 101; effect own[own[0]] = len, first = a, len = table[a[0] + len] - len; };
}
process Q {
  const byte a = 6;
  state q, r; init q;
  trans q -> r { guard own[0] == 1 && own[1] == 2 && len == a; };
}
system async;
END
counts arrays 5 4 5 1
always arrays 'Q.r implies P.first == 1 and P.full_'
grep -q 'name="a_0" range="0..1"' arrays.xml || fail "a is not split by its ranges: $(cat arrays.xml)"
grep -q 'name="own" range="0..2" size="2"' arrays.xml || fail "own, in its own index, is split: $(cat arrays.xml)"

# Operators on bits, of numbers below 0 too, their precedence, a constant condition, the location of another process
cat >bits.dve <<'END'
int bits = 101, minus = -3, all;
process P {
  state in, full; init in;
  trans in -> full { effect all = (bits & 6) | 9 ^ 5, minus = (minus | 4) * 100 + (minus & 6) * 10 + (minus ^ 1), bits = -7 / 2 * 10 + -7 % 4; };
}
process Q { state q, r; init q; trans q -> r { guard P.full && all == (4 | 12) && minus == -264 && bits == -33 && not false; }; }
system async;
END
counts bits 3 2 3 1

# floe reports a range that is too narrow
sed 's/^variable small 0 43/variable small 0 42/' wraps.ranges >narrow.ranges
! cmp -s wraps.ranges narrow.ranges || fail 'nothing narrowed'
"$tools/dve_to_floe" wraps.dve narrow.ranges >narrow.xml
run 1 count --engine=interpreter narrow.xml
says out 'errors'

# Limits that end dve_ranges
"$tools/dve_ranges" --max-states=257 wraps.dve >out 2>err
[ $? = 3 ] || fail "more states than the limit: $(cat out err)"
[ ! -s out ] || fail 'ranges of a search that was cut short'
sed 's/len < 2/len < 4/' arrays.dve >bounds.dve
"$tools/dve_ranges" bounds.dve >out 2>err
[ $? = 1 ] || fail 'an index out of bounds is no error'
says err 'index out of bounds'

# Refused
while read -r text; do
  echo "byte x; channel c; process P { state l; init l; trans l -> l { $text }; } system async;" >refused.dve
  for tool in dve_ranges dve_to_floe; do
    "$tools/$tool" refused.dve >out 2>err
    [ $? = 1 ] || fail "$tool takes $text"
    says err refused
  done
done <<'END'
guard y == 0;
effect x = x << 1 +;
sync d!;
effect x[1] = 0;
urgent;
END
echo 'byte x; channel {byte} c[2]; process P { state l; init l; trans l -> l {}; } system async;' >refused.dve
! "$tools/dve_to_floe" refused.dve >out 2>err || fail 'takes a buffered channel'

# beem.sh: right, wrong, too wide as fields, without a corpus
mkdir -p corpus/dve
cp order.dve wraps.dve corpus/dve
{
  printf 'instance\tstates\ttransitions\tbfs_levels\tdeadlock_states\n'
  printf 'order\t3\t2\t2\t2\nwraps\t258\t258\t256\t1\n'
} >corpus/dve/counts.tsv
beem() {
  wanted=$1
  shift
  env FLOE="$floe" CORPUS=corpus KEEP=kept TABLE=table "$@" "$tools/beem.sh" >out 2>err
  code=$?
  [ $code -eq "$wanted" ] || fail "beem.sh $*: exit code $code instead of $wanted: $(cat out err)"
}
beem 0 ENGINE=interpreter
[ "$(grep -c '| right | right | right |$' table)" = 2 ] || fail "beem.sh: $(cat out err table)"
silent err
beem 0 ENGINE=interpreter LIMIT=100 RANGES_LIMIT=100
grep -q '^| wraps | 258 | .* | - | - | - |$' table || fail "beem.sh explores what is too large: $(cat table)"
sed 's/258\t256/259\t256/' corpus/dve/counts.tsv >other && mv other corpus/dve/counts.tsv
beem 1 ENGINE=interpreter
grep -q '^| wraps .*| WRONG | WRONG | WRONG |$' table || fail "a wrong count is not seen: $(cat out)"
says err 'wraps: dve_ranges counts states 258'
beem 77 CORPUS=
finish
