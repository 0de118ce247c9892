#!/bin/sh
# The man page names every command, every option in both forms and every exit code, and no unknown option.
. "${top_srcdir:-.}/tests/cmd/common.sh"
page=$here/doc/floe.1
sed 's/\\-/-/g; s/\\f.//g; s/"//g' "$page" >page

run 0 help
sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out >commands
[ "$(wc -l <commands)" -ge 5 ] || fail 'the help lists no commands'
while read -r command; do
  grep -qE "^\.BR? $command( |\$)" page || fail "command $command is not in the man page"
  run 0 help "$command"
  cat out >>help
done <commands

grep -o -- '--[a-z][a-z-]*' help | sort -u >options
[ "$(wc -l <options)" -ge 25 ] || fail 'the help lists no options'
while read -r option; do
  grep -qE -- "^\.BR? .*$option" page || fail "option $option is not in the man page"
done <options
sed -n 's/^  \(-[A-Za-z]\), .*/\1/p' help | sort -u >letters
while read -r letter; do
  grep -q -- "^\.BR $letter ," page || fail "option $letter is not in the man page"
done <letters
grep -oE -- '^\.BR? .*--[a-z-]+' page | grep -o -- '--[a-z-]*' | sort -u | while read -r option; do
  grep -qx -- "$option" options || echo "$option"
done >strange
[ ! -s strange ] || fail "the man page has options that floe has not: $(cat strange)"

# the pages it refers to are installed
sed -n '/^dist_doc_DATA/,/[^\\]$/p' "$here/Makefile.am" >installed
for name in $(grep -o '[a-z-]*\.md' page | sort -u); do
  grep -qw -- "doc/$name" installed || fail "$name is not installed"
done

sed -n '/^.SH EXIT STATUS/,/^.SH ENV/p' page >status
for code in 0 1 2 3 4 5; do
  grep -qx "\.B $code" status || fail "exit code $code is not in the man page"
done
finish
