#!/bin/sh
# Every message of the front end has an input in tests/bad, tests/pnml/bad, tests/murphi/bad or tests/convert/bad that provokes it: see README there.
set -eu
top=${top_srcdir:-.}
# shellcheck disable=SC2046 # names have no blanks; src/model/successor_bound.c runs after the front end
exec "${AWK:-awk}" -f "$top/tests/frontend/messages.awk" $(find "$top/frontend" -name '*.c') $(ls "$top"/src/model/*.c | grep -v /successor_bound.c) "$top"/tests/bad/*.expected "$top"/tests/pnml/bad/*.expected "$top"/tests/murphi/bad/*.expected "$top"/tests/convert/bad/*.expected
