#!/bin/sh
# Every model of tests/bad, NAME.xml or NAME.dve, gives the messages of NAME.expected: see README there.
# One process reads all of them, as a process takes longer to start than a model to read.
set -eu
here=${top_srcdir:-.}/tests/bad
diagnose=${top_builddir:-.}/tests/frontend/diagnose
actual=bad-actual.$$
trap 'rm -f "$actual" "$actual.err" "$actual.all"' EXIT
failed=0

"$diagnose" "$here"/*.xml "$here"/*.dve >"$actual.all" 2>"$actual.err" || {
	echo "FAIL: diagnose failed at the last of these files"
	grep '^== ' "$actual.all" | tail -n 1
	failed=1
}
[ ! -s "$actual.err" ] || {
	echo "FAIL: diagnose prints to standard error"
	cat "$actual.err"
	failed=1
}
sed "s|$here/||g" "$actual.all" >"$actual"

# The output must be exactly the expected lines. A line that ends in "XML: " matches any message of the XML library.
awk -v folder="$here" '
	function finish(   expected, file, n, i, same) {
		if (name == "")
			return
		file = name
		sub(/\.[a-z]*$/, ".expected", file)
		while ((getline line <(folder "/" file)) > 0)
			expected[n++] = line
		close(folder "/" file)
		same = n > 0 && n == m
		for (i = 0; i < n && same; i++)
			same = actual[i] == expected[i] ||
				expected[i] ~ /: not well-formed XML: $/ && index(actual[i], expected[i]) == 1
		count++
		if (same)
			return
		print "FAIL " name " (<: expected)"
		for (i = 0; i < n; i++)
			print "< " expected[i]
		for (i = 0; i < m; i++)
			print "> " actual[i]
		failed = 1
	}
	/^== / { finish(); name = $2; m = 0; next }
	{ actual[m++] = $0 }
	END { finish(); print count + 0 " bad models"; exit failed || !count }' "$actual" || failed=1
exit $failed
