#!/bin/sh
# Murphi: cases/*.m, one for each construct. Lines at the top of a case, in any order:
#   -- states S transitions T depth D deadlocks K    of the whole state space
#   -- holds ID, -- violated ID [DEPTH]              verdicts of properties
#   -- error TEXT                                    the message about the error of the model contains it
# Each with the interpreter, and with compiled code if there is a compiler.
. "${top_srcdir:-.}/tests/cmd/common.sh"

# One case with one engine
check_case() {
  case_file=$1 engine=$2
  "$floe" check --continue --engine="$engine" "$case_file" >out 2>err </dev/null
  code=$?
  [ $code -le 1 ] || fail "$case_file: exit code $code: $(cat err)"
  sed -n 's|^-- ||p' "$case_file" | while read -r what rest; do
    case $what in
    states)
      found=$(awk '/^(states|transitions|depth|deadlocks): / { printf "%s%s %s", n++ ? " " : "", $1, $2 }' out | tr -d :)
      [ "$found" = "states $rest" ] || echo "$found, not states $rest"
      ;;
    holds) grep -qxF "$rest: holds" out || echo "$rest does not hold" ;;
    violated)
      depth=${rest#* }
      if [ "$depth" = "$rest" ]; then
        grep -qF "$rest: violated" out || echo "$rest is not violated"
      else
        sed 's/\(: violated at depth [0-9]*\):.*/\1/' out >short
        grep -qxF "${rest% *}: violated at depth $depth" short || echo "$rest is not the depth of a violation"
      fi
      ;;
    error) grep -qF "$rest" out || echo "no error with: $rest" ;;
    esac
  done >wrong
  [ ! -s wrong ] || fail "$case_file with $engine: $(cat wrong out)"
}

engines=interpreter
if command -v "${FLOE_CC:-cc}" >compiler; then
  engines='interpreter cpu'
fi
n=0
for file in "$here"/tests/murphi/cases/*.m; do
  for engine in $engines; do
    check_case "$file" "$engine"
    n=$((n + 1))
  done
done
[ $n -ge 7 ] || fail "only $n cases"
finish
