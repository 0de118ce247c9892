#!/bin/sh
# Every model of tests/bad, NAME.xml or NAME.dve, gives the messages of NAME.expected: see README there.
set -eu
here=${top_srcdir:-.}/tests/bad
diagnose=${top_builddir:-.}/tests/frontend/diagnose
actual=bad-actual.$$
trap 'rm -f "$actual" "$actual.err" "$actual.all"' EXIT
failed=0 count=0

# Without the path of the folder.
diagnosed() {
	"$diagnose" "$1" > "$actual.all" 2> "$actual.err" || return 1
	sed "s|$here/||g" "$actual.all" > "$actual"
}

# The output must be exactly these lines. A line that ends in "XML: " matches any message of the XML library.
same() {
	[ -s "$1" ] && awk 'NR == FNR { expected[n++] = $0; next }
	     { actual[m++] = $0 }
	     END { for (i = 0; i < n || i < m; i++)
	             if (!(i in actual) || actual[i] != expected[i] &&
	                 !(expected[i] ~ /: not well-formed XML: $/ && index(actual[i], expected[i]) == 1)) exit 1 }' "$1" "$2"
}

for file in "$here"/*.xml "$here"/*.dve; do
	count=$((count + 1))
	if ! diagnosed "$file" || [ -s "$actual.err" ]; then
		echo "FAIL $file: diagnose failed, or something printed to standard error"
		cat "$actual.err"
		failed=1
	elif ! same "${file%.*}.expected" "$actual"; then
		echo "FAIL $file: says (<: expected)"
		diff "${file%.*}.expected" "$actual" || true
		failed=1
	fi
done
echo "$count bad models"
exit $failed
