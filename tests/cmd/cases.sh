# Sourced by tests of languages, after common.sh: files that state what is expected of them, in their first lines, in any order.
# $case_options has options for all. MARK begins a comment of the language; the first line without one of these words in lower
# case ends the list, and each file has a verdict or an error:
#   MARK states S transitions T depth D deadlocks K    of the whole state space
#   MARK holds ID, MARK violated ID [DEPTH], MARK reachable ID DEPTH, MARK unreachable ID    verdicts of properties
#   MARK error TEXT                                    the message about the error of the model contains it

engines=interpreter
if command -v "${FLOE_CC:-cc}" >compiler; then
  engines='interpreter cpu'
fi

# marks FILE: its marks, without MARK. A line with a word in lower case is one, also if the word is unknown.
marks() {
  awk -v mark="$mark " 'index($0, mark) != 1 { exit }
    { text = substr($0, length(mark) + 1); sub(/ -->$/, "", text); if (text !~ /^[a-z]/) exit; print text }' "$1"
}

# One case with one engine
check_case() {
  case_file=$1 engine=$2
  # shellcheck disable=SC2086 # options are words
  "$floe" check --continue --engine="$engine" --trace=traces.json ${case_options:-} "$case_file" >out 2>err </dev/null
  code=$?
  [ $code -le 1 ] || fail "$case_file: exit code $code: $(cat err)"
  if [ $code -eq 1 ] && [ "$engine" = interpreter ]; then
    "$floe" replay "$case_file" traces.json >replayed 2>&1 || fail "$case_file: $(cat replayed)"
  fi
  marks "$case_file" >marks
  grep -qE '^(holds|violated|reachable|unreachable|error) ' marks || fail "$case_file states no verdict"
  while read -r what rest; do
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
        sed 's/\(: violated at depth [0-9]*\).*/\1/' out >short
        grep -qxF "${rest% *}: violated at depth $depth" short || echo "$rest is not the depth of a violation"
      fi
      ;;
    reachable) grep -qxF "${rest% *}: reachable at depth ${rest##* }" out || echo "${rest% *} is not reachable at this depth" ;;
    unreachable) grep -qxF "$rest: unreachable" out || echo "$rest is not unreachable" ;;
    error) grep -qF "$rest" out || echo "no error with: $rest" ;;
    *) echo "unknown word in a mark: $what" ;;
    esac
  done <marks >wrong
  [ ! -s wrong ] || fail "$case_file with $engine: $(cat wrong out)"
}

# check_cases MARK FEWEST FILE...: each with the interpreter, and with compiled code if there is a compiler; at least FEWEST runs.
check_cases() {
  mark=$1 fewest=$2 n=0
  shift 2
  for file; do
    for engine in $engines; do
      check_case "$file" "$engine"
      n=$((n + 1))
    done
  done
  [ $n -ge "$fewest" ] || fail "only $n cases"
}
