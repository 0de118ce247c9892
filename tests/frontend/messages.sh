#!/bin/sh
# Every message of the front end has an input in tests/bad, tests/pnml/bad, tests/murphi/bad, tests/promela/bad or tests/convert/bad that provokes it: see README there.
set -eu
top=${top_srcdir:-.}
# shellcheck disable=SC2046 # names have no blanks
exec "${AWK:-awk}" -f "$top/tests/frontend/messages.awk" $(find "$top/frontend" -name '*.c') "$top"/src/model/*.c "$top"/tests/bad/*.expected "$top"/tests/pnml/bad/*.expected "$top"/tests/murphi/bad/*.expected "$top"/tests/promela/bad/*.expected "$top"/tests/convert/bad/*.expected
