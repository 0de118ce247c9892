#!/bin/sh
# The run in README: its model, checked by its command, gives its output; and floe accepts every command of its
# list.
. "${top_srcdir:-.}/tests/cmd/common.sh"
readme=$here/README

# The indented lines from the one that matches $1 up to the first that is not indented, without indentation
indented() { awk -v first="$1" '$0 ~ first { on = 1 } on && /^[^ ]/ { exit } on { sub(/^    /, ""); print }' "$readme"; }

indented '^    <model' | sed '/^<\/model>/q' >bridge.xml
indented '^    [$] floe' | sed 1d >wanted
command=$(sed -n 's/^    [$] floe //p' "$readme")
[ "$(wc -l <wanted)" -gt 8 ] || fail 'the README shows no run'
# shellcheck disable=SC2086 # words
"$floe" $command >found 2>err
code=$?
[ $code -eq 1 ] || fail "exit code $code; $(cat err)"
sed '/^model: /,$d' found | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >shown
sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' wanted >wanted.cut
diff wanted.cut shown >why || fail "another run than the README's: $(cat why)"
for text in 'states: 7' 'transitions: 18' 'depth: 2'; do
  grep -q "^$text" found || fail "the README says otherwise: $text is not in the totals"
done

sed -n 's/^    floe \([^ ].*\)/\1/p' "$readme" | sed 's/   .*//' >list
[ "$(wc -l <list)" -ge 5 ] || fail 'the README lists no commands'
ln -s "$here/models" models
while read -r command; do
  case $command in
  convert*) folder=. small= ;; # it writes a file
  bench*) folder=. small='--slots=2^8 --repetitions=1' ;; # it writes files, and measures for long
  'check --expect'*) folder=$here small='--max-states=50000' ;; # tests/models.sh has more
  *) folder=$here small= ;;
  esac
  # shellcheck disable=SC2086 # words
  (cd "$folder" && "$floe" $command $small) >out 2>err </dev/null
  code=$?
  [ $code -le 1 ] || fail "floe $command: exit code $code; $(cat err)"
done <list
finish
