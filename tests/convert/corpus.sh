#!/bin/sh
# Instances of $CORPUS/dve and nets of $CORPUS/pnml and $CORPUS/pnml-coloured: converted ones have the same counts, up to
# the first level that exceeds $FLOE_STATES states (1000). FLOE_FILES: of each folder (10; FLOE_TEST_LONG: all).
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/convert/same.sh"
corpus=${CORPUS:-}
[ -d "$corpus/dve" ] || skip 'CORPUS names no folder with dve/: models of BEEM'
most=${FLOE_STATES:-1000} files=${FLOE_FILES:-10} written=0 all=0
[ -z "${FLOE_TEST_LONG:-}" ] || files=100000

convert_folder() {
  find "$corpus/$1" -name "$2" | sort | awk -v files="$files" '{ all[NR] = $0 } END {
    step = NR > files ? NR / files : 1
    for (i = 1; i <= NR; i += step) print all[int(i)] }' >list
  while read -r model; do
    before=$(counts "$model")
    for language in xml dve pnml; do
      [ -n "$before" ] || break
      all=$((all + 1))
      if same "$model" $language "$before"; then
        written=$((written + 1))
      else
        echo "$(basename "$model") to $language: $(grep -m1 'error: ' err | sed 's/.*error: //')"
      fi
    done
  done <list
}

convert_folder dve '*.dve'
convert_folder pnml 'model.pnml'
convert_folder pnml-coloured 'model.pnml'
echo "$written of $all conversions are possible"
[ "$written" -gt 0 ] || fail 'nothing was converted'
finish
