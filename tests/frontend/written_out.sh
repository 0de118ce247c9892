#!/bin/sh
# Every tests/written_out/NAME.xml means what NAME.by_hand.xml says in a simpler way: same verdicts and certificate, from
# the interpreter and from generated code, with keys of both kinds.
set -u
here=${top_srcdir:-.}/tests/written_out
floe=${FLOE:-./floe}
failed=0 count=0

result() { "$floe" check --continue --quiet --certificate --no-trace "$@" 2>&1; }

for file in "$here"/*.by_hand.xml; do
	wanted=$(result --engine=interpreter --encoding=fields "$file")
	case $wanted in
	*'certificate: floe1 states='*) ;;
	*)
		echo "FAIL $file: $wanted"
		failed=1
		;;
	esac
	for how in '--engine=interpreter --encoding=fields' '--engine=interpreter --encoding=rank' \
		'--engine=cpu --encoding=fields' '--engine=cpu --encoding=rank'; do
		count=$((count + 1))
		# shellcheck disable=SC2086 # two options
		found=$(result $how "${file%.by_hand.xml}.xml")
		if [ "$found" != "$wanted" ]; then
			printf 'FAIL %s, %s\n%s\nby hand:\n%s\n' "${file%.by_hand.xml}.xml" "$how" "$found" "$wanted"
			failed=1
		fi
	done
done
echo "$count runs"
[ $count -ge 8 ] && exit $failed
echo 'no models found'
exit 1
