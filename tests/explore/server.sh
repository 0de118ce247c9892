# Sourced after tests/cmd/common.sh: a server of floe explore, which ends with the script.
server=

cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

# start ARGUMENT...: the variable address; waits for its line
start() {
  rm -f address
  "$floe" explore --no-browser "$@" >address 2>err </dev/null &
  server=$!
  patience=600
  until grep -qs '^http://' address || ! kill -0 $server 2>/dev/null; do
    patience=$((patience - 1))
    [ $patience -gt 0 ] || break
    sleep 0.05
  done
  address=$(sed -n '1s/^\(http.*\)$/\1/p' address)
}

# stop SIGNAL: the server ends with exit code 0
stop() {
  kill -s "$1" $server
  wait $server
  code=$?
  [ $code -eq 0 ] || fail "floe explore: exit code $code after SIG$1; $(cat err)"
  server=
}
