# Shared by the scripts of this folder, which source tests/cmd/common.sh first.

# counts FILE: states, transitions, deadlocks, depth, and whether steps fail; nothing if floe does not read the file
counts() {
  "$floe" count --engine=interpreter --max-states="$most" "$1" 2>&1 </dev/null |
    sed -n 's/^errors: violated.*/errors/p; /^\(states\|transitions\|deadlocks\|depth\): /p' | tr '\n' ' '
}

# same MODEL LANGUAGE COUNTS [OPTION]...: if the model can be written, the text has the same counts; returns whether
same() {
  model=$1 language=$2 before=$3
  shift 3
  rm -f "after.$language"
  "$floe" convert "$@" "$model" "after.$language" >out 2>err </dev/null
  code=$?
  if [ $code -eq 3 ]; then
    grep -q 'error: ' err || fail "$model to $language: no reason: $(cat err)"
    [ ! -e "after.$language" ] || fail "$model to $language: a file after an error"
    return 1
  fi
  [ $code -eq 0 ] || fail "$model to $language: exit code $code: $(cat err)"
  after=$(counts "after.$language")
  [ "$before" = "$after" ] || fail "$model to $language: $after instead of $before"
}
