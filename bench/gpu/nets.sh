#!/bin/sh
# Petri nets on one GPU: the table of arcs beside generated code, with an empty cache, with the cache of another net of as
# many words, and with that of the same net. All runs of a net must have the same certificate.
#     bench/gpu/nets.sh [TRANSITIONS]...   1000 5000
#     FLOE: the command (./floe)   MOVING: rings that move (6; bench/engine/ring_net.py)   LIMIT: seconds of a run (120)
#     NETS: PNML files instead of the made ones
# For generated code an NVRTC compilation of thousands of transitions may reach the limit: that is printed.
set -u
LC_ALL=C
export LC_ALL
here=$(dirname "$0")
# shellcheck source=bench/figures.sh
. "$here/../figures.sh"
floe=${FLOE:-./floe} moving=${MOVING:-6} limit=${LIMIT:-120}
[ $# -gt 0 ] || set -- 1000 5000
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

run() { # $1: name  $2: table or code  $3: cold, other or warm  $4: net
  least=1
  [ "$2" = table ] || least=1000000000
  : >"$work/json"
  FLOE_GPU_TEST=arcs=$least,tell=1 timeout -s INT -k 10 "$limit" "$floe" count --engine=gpu --encoding=fields \
    --cache-dir="$work/cache-$2" --json="$work/json" "$4" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  if [ $code -gt 1 ] || [ "$(figure end "$work/json")" != complete ]; then
    echo "$1 $2 $3: exit code $code, $(figure end "$work/json") $(head -n 1 "$work/err")"
    return
  fi
  printf '%-14s %-6s %-6s %12s states, start %6.2f s, compile %6.2f s, explore %7.3f s\n' "$1" "$2" "$3" \
    "$(figure states "$work/json")" "$(figure start "$work/json")" "$(figure compile "$work/json")" \
    "$(figure explore "$work/json")"
  figure certificate "$work/json" >>"$work/certificates-$1"
}

compare() { # $1: name  $2: net  $3: another net of as many words; "": none
  for way in table code; do
    rm -rf "$work/cache-$way"
    run "$1" $way cold "$2"
    run "$1" $way warm "$2"
    [ -z "$3" ] || { rm -rf "$work/cache-$way" && run "$1-other" $way cold "$3" && run "$1" $way other "$2"; }
  done
  [ "$(sort -u "$work/certificates-$1" | wc -l)" -eq 1 ] || { echo "$1: the certificates differ" && exit 1; }
}

for n in "$@"; do
  [ -z "${NETS:-}" ] || break
  "$here/../engine/ring_net.py" "$n" 10 "$moving" >"$work/net$n.pnml"
  "$here/../engine/ring_net.py" "$n" 10 $((moving - 1)) >"$work/other$n.pnml"
  compare "rings-$n" "$work/net$n.pnml" "$work/other$n.pnml"
done
for net in ${NETS:-}; do
  compare "$(basename "$(dirname "$net")")" "$net" ""
done
