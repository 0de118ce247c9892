# Sourced by tests of languages, after common.sh: files that state what is expected of them, in their first lines, in any order.
# $case_options has options for all. MARK begins a comment of the language; the first line without one of these words in lower
# case ends the list, and each file has a verdict or an error:
#   MARK states S transitions T depth D deadlocks K    of the whole state space
#   MARK holds ID, MARK violated ID [DEPTH], MARK reachable ID DEPTH, MARK unreachable ID    verdicts of properties
#   MARK error TEXT                                    the message about the error of the model contains it

compile_quickly
engines=interpreter
if command -v cc >compiler; then
  engines='interpreter cpu'
fi

# Of lines "ENGINE OUTPUT FILE": compares each output with the marks of its file, and prints what differs. (One process for
# all: several for each mark take longer than floe.)
cat >judge.awk <<'END'
function wrong(text) { print file " with " engine ": " text; bad = 1 }
function is_line(text) { if (!(text in lines)) wrong(text " is missing") }
function is_within(text) { if (!index(output, text)) wrong(text " is missing") }
function judge(what, rest,   id, last) {
  id = last = rest
  sub(/ [^ ]*$/, "", id)
  sub(/.* /, "", last)
  if (what == "states") {
    if (figures != what " " rest) wrong(figures ", not " what " " rest)
    return
  }
  verdicts++
  if (what == "holds" || what == "unreachable") is_line(rest ": " what)
  else if (what == "reachable" || what == "violated" && id != rest) is_line(id ": " what " at depth " last)
  else if (what == "violated") is_within(rest ": violated")
  else if (what == "error") is_within(rest)
  else wrong("unknown word in a mark: " what)
}
{
  engine = $1
  file = $0
  sub(/^[^ ]* [^ ]* /, "", file)
  output = figures = ""
  split("", lines)
  bad = verdicts = 0
  while ((getline line <$2) > 0) {
    output = output line "\n"
    if (engine == "cpu" && line ~ /^engine: / && line !~ / -O/) wrong("not compiled: " line)
    if (line ~ /^(states|transitions|depth|deadlocks): /) {
      split(line, part, /: | /)
      figures = figures (figures == "" ? "" : " ") part[1] " " part[2]
    }
    if (match(line, /: violated at depth [0-9]*/)) line = substr(line, 1, RSTART + RLENGTH - 1)
    lines[line]
  }
  close($2)
  while ((getline line <file) > 0 && index(line, mark) == 1 && (text = substr(line, length(mark) + 1)) ~ /^[a-z]/) {
    sub(/ -->$/, "", text)
    word = text
    sub(/ .*/, "", word)
    judge(word, substr(text, length(word) + 2))
  }
  close(file)
  if (!verdicts) wrong("the file states no verdict")
  if (bad) printf "%s", output
}
END

# One case with one engine
run_case() {
  case_file=$1 engine=$2 output=$3
  # shellcheck disable=SC2086 # options are words
  "$floe" check --continue --engine="$engine" --trace=traces.json ${case_options:-} "$case_file" >"$output" 2>err </dev/null
  code=$?
  [ $code -le 1 ] || fail "$case_file: exit code $code: $(cat err)"
  if [ $code -eq 1 ] && [ "$engine" = interpreter ]; then
    "$floe" replay "$case_file" traces.json >replayed 2>&1 || fail "$case_file: $(cat replayed)"
  fi
  echo "$engine $output $case_file" >>cases
}

# check_cases MARK FEWEST FILE...: each with the interpreter, and with compiled code if there is a compiler; at least FEWEST runs.
check_cases() {
  mark=$1 fewest=$2 n=0
  shift 2
  : >cases
  for file; do
    for engine in $engines; do
      n=$((n + 1))
      run_case "$file" "$engine" out.$n
    done
  done
  awk -v mark="$mark " -f judge.awk cases >wrong || fail 'the cases are not judged'
  [ ! -s wrong ] || fail "$(cat wrong)"
  [ $n -ge "$fewest" ] || fail "only $n cases"
}
