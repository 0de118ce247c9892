#!/bin/sh
# Key widths of every model, as fields and as index keys: no figure here depends on time or machine.
#     bench/encoding/key_bits.sh [CONSTANTS ...]   a table in Markdown: the models as they are, then lines "NAME -D..." as given
#     FLOE: the command (./floe)
set -eu
here=$(dirname "$0")/../..
floe=${FLOE:-./floe}
json=$(mktemp)
trap 'rm -f "$json"' EXIT
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"

row() { # $1: model's file, rest: constants
  file=$1
  shift
  "$floe" plan --json="$json" "$@" "$file" >/dev/null
  exact=$(sed -n 's/.*"exact_bits": \([0-9.]*\).*/\1/p' "$json" | head -n 1)
  printf '| %s | %s | %s |\n' "$(basename "$file" .xml)${1:+ $*}" "$(figure key_bits "$json")" \
    "$(echo "${exact:--}" | awk '{ if ($1 == "-") print "more than 63"; else printf "%.2f", $1 }')"
}

echo '| model | fields | index keys |'
echo '|---|---|---|'
for model in "$here"/models/*.xml "$here"/models/protocols/*.xml; do
  row "$model"
done
for line in "$@"; do
  # shellcheck disable=SC2086 # a list of words
  row "$here/models/${line%% *}.xml" ${line#* }
done
