#!/bin/sh
# Packaging and distribution agree: what the Dockerfile copies is in the tree, its commands are scripts there with such a mode,
# and the version of the Debian packages is configure's. packaging/debian/build builds them; see .ci/run.
. "${top_srcdir:-.}/tests/cmd/common.sh"
version=$(sed -n 's/^AC_INIT(\[floe\], \[\(.*\)\])$/\1/p' "$here/configure.ac")
says "$here/packaging/debian/changelog" "floe ($version-"
[ "$(sed -n '1s/^floe (\(.*\)-[^-]*) .*/\1/p' "$here/packaging/debian/changelog")" = "$version" ] ||
  fail "the first entry of packaging/debian/changelog is not of $version"

# ---- Dockerfile ----
# image IMAGE: of the registry that is the default
image() {
  case ${1%%/*} in *.* | *:*) fail "FROM $1 names a host" ;; esac
}
copied= # "DESTINATION SOURCE" of each COPY from the distribution, a line each
copy() {
  case $1 in
  --from=*)
    says "$dockerfile" " AS ${1#--from=}"
    return
    ;;
  esac
  [ -e "$here/$1" ] || fail "COPY $1: not in the distribution"
  copied="$copied$2 $1
"
}
# The file of the distribution at path $1 of the image
source_of() {
  printf %s "$copied" | while read -r destination source; do
    case $1 in
    "$destination") echo "$here/$source" ;;
    "$destination"/*) echo "$here/$source/${1#"$destination"/}" ;;
    esac
  done
}
script() {
  commands=$((commands + 1))
  file=$(source_of "$1")
  [ -f "$file" ] && [ -x "$file" ] || fail "RUN $1: not a script of the distribution"
  sh -n "$file" || fail "RUN $1: not a script of sh"
  grep -q "^$2() {" "$file" || fail "RUN $1 $2: no such mode"
}
dockerfile=$here/packaging/docker/Dockerfile
commands=0
while read -r word first second rest; do
  case $word in
  FROM) image "$first" ;;
  COPY) copy "$first" "$second" ;;
  RUN) script "$first" "$second" ;;
  ARG | WORKDIR | ENTRYPOINT | '#' | '') ;;
  *) fail "the Dockerfile has $word $first $second $rest" ;;
  esac
done <"$dockerfile"
[ $commands -eq 2 ] || fail "$commands commands in the Dockerfile"
sh -n "$here/packaging/debian/build" || fail 'packaging/debian/build is no script of sh'
finish
