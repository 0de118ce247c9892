#!/bin/sh
# What the checker lowers means the same as when people write it out: each model has a twin in which they did. Both have
# the same certificate, counts and verdicts, with the interpreter and with generated code.
set -u
floe=${FLOE:-./floe}
top=${top_srcdir:-.}
failed=0
count=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

told() { # $1: model, $2: engine; a model that breaks off is a result too
  "$floe" check --continue --json --engine="$2" --encoding=fields "$1" >"$work/json" 2>"$work/errors"
  cat "$work/errors"
  sed -n 's/^ *"certificate": //p; s/^ *"verdict": //p; s/^ *"depth": //p' "$work/json"
}

for model in "$top"/tests/frontend/twins/*.xml; do
  case $model in
  *_written.xml) continue ;;
  esac
  twin=${model%.xml}_written.xml
  for engine in interpreter cpu; do
    count=$((count + 1))
    told "$model" $engine >"$work/short"
    told "$twin" $engine >"$work/written"
    if ! grep -q certificate "$work/json" && ! grep -q '^"floe1' "$work/short"; then
      echo "FAIL: $model has no certificate with $engine"
      cat "$work/short"
      failed=1
    elif ! diff "$work/written" "$work/short"; then
      echo "FAIL: $model and its twin differ with $engine"
      failed=1
    fi
  done
done
[ "$count" -gt 0 ] || failed=1
echo "$count comparisons"
exit $failed
