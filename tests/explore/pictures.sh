#!/bin/sh
# Makes the pictures of doc/explore.md again, in a built tree with libmicrohttpd and what page.sh needs (NODE_PATH):
#     tests/explore/pictures.sh [FOLDER]       FOLDER: doc/pictures
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$top/doc/pictures}
work=$(mktemp -d)
mkdir -p "$folder"
"${FLOE:-./floe}" explore --no-browser --idle=300 "$top/doc/examples/lock1.xml" >"$work/address" </dev/null &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
until grep -q '^http:' "$work/address" || ! kill -0 $server 2>/dev/null; do
  sleep 0.05
done
PICTURES=$folder node "$top/tests/explore/page.mjs" "$(sed -n 's/^\(http:.*\)$/\1/p' "$work/address")"
