#!/bin/sh
# The installed XML catalog gives the schema by its URN and by its name: xmllint accepts the example of doc/language.md that
# names the schema, and rejects it with a wrong element.
. "${top_srcdir:-.}/tests/cmd/common.sh"
build=${top_builddir:-.}
command -v xmllint >/dev/null || skip 'no xmllint'
[ -f "$build/Makefile" ] || skip 'no build folder'
MAKEFLAGS='' MFLAGS='' ${MAKE:-make} -s -C "$build" DESTDIR="$work/root" datadir=/usr/share install-dist_schemaDATA >why 2>&1 ||
  fail "installing: $(cat why)"
XML_CATALOG_FILES=$work/root/usr/share/floe/catalog.xml
export XML_CATALOG_FILES
awk '/^```xml$/ { example = "" } { example = example $0 "\n" } /^```$/ && example ~ /<[?]xml-model/ { printf "%s", example; exit }' \
  "$here/doc/language.md" | grep -v '^```' >valid.xml
sed 's/<variable /<varable /' valid.xml >invalid.xml
cmp -s valid.xml invalid.xml && fail 'the example has no variable'
run 0 check valid.xml
reference=$(sed -n 's/.*<[?]xml-model href="\([^"]*\)".*/\1/p' valid.xml)
for schema in "$reference" urn:floe:model floe.rng; do
  xmllint --nonet --noout --relaxng "$schema" valid.xml 2>why || fail "$schema: $(cat why)"
  xmllint --nonet --noout --relaxng "$schema" invalid.xml 2>why && fail "$schema: a wrong element is valid"
  says why 'element varable: Relax-NG validity error'
done
xmlcatalog=$(command -v xmlcatalog) || finish
for name in urn:floe:model floe.rng; do
  "$xmlcatalog" "$XML_CATALOG_FILES" "$name" >out 2>&1
  [ "$(grep -c "/floe/floe.rng$" out)" -eq 1 ] || fail "catalog, $name: $(cat out)"
done
finish
