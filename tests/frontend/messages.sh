#!/bin/sh
# Every message of the front end has an input in tests/bad that provokes it: see README there.
set -eu
top=${top_srcdir:-.}
exec "${AWK:-awk}" -f "$top/tests/frontend/messages.awk" "$top"/frontend/*.c "$top"/src/model/*.c "$top"/tests/bad/*.expected
