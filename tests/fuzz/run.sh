#!/bin/sh
# Fuzzes the readers of files: run.sh SECONDS TARGET [libFuzzer options], TARGET xml, dve, murphi, promela, pnml, expr, state,
# trace, order or checkpoint.
# Needs clang with libFuzzer. The program, corpus and findings are kept in $FUZZ_DIR (default: fuzz-TARGET here);
# a finding (crash-*, timeout-*, oom-*) belongs in ../bad once it is fixed.
set -eu
seconds=$1 target=$2
shift 2
src=$(cd "$(dirname "$0")/../.." && pwd)
dir=${FUZZ_DIR:-$PWD/fuzz-$target}
mkdir -p "$dir/frontend/xml" "$dir/corpus" "$dir/found"

sh "$src/build-aux/embed.sh" floe_rng "$src/frontend/xml/floe.rng" > "$dir/frontend/xml/floe_rng.h"
"${AWK:-awk}" -f "$src/build-aux/schema.awk" "$src/frontend/xml/floe.rng" > "$dir/frontend/schema.def"
# The source files of these names, in any folder of src
files() {
	for name; do
		find "$src/src/${name%/*}" -name "${name##*/}.c"
	done
}
# Sources of a target in addition to the front end; libraries by their pkg-config names
sources=$(files core/arena core/mem core/components core/diag core/name_table core/similar_names base/edit_distance base/utf8)
languages=$(find "$src/frontend" -name '*.c')
libraries=libxml-2.0 link=
case $target in
trace | state | murphi)
	libraries="$libraries jansson nettle"
	[ "$target" != trace ] || sources="$sources $(files cmd/trace_replay cmd/trace_read cmd/json_value)"
	sources="$sources $(files api/state_values api/expression \
		api/input api/includes api/derived_ranges api/model api/languages api/describe api/names api/simulator api/state api/expansion api/expansion_properties api/deadlock_mode step/state_properties api/json api/state_json api/render api/error_text \
		api/trace_blocked api/conditions api/conditions_list api/trace_values model/interpreter step/layout step/word_assignment \
		step/step_ranges step/value_ranges step/range_selectors step/intervals \
		base/whole_io core/digest core/clock core/detached_call core/lines core/interruptible core/thread core/usage core/reason)"
	link="-no-pie -Wl,--unresolved-symbols=ignore-all" # those of archives, thread pools and messages, which these do not use
	;;
dve)
	languages=$(find "$src/frontend/dve" "$src/frontend/parse" -name '*.c')
	sources="$sources $(files core/clock api/derived_ranges step/step_ranges step/value_ranges step/range_selectors step/intervals)"
	;;
promela)
	languages="$(find "$src/frontend/promela/parse" -name '*.c') $(find "$src/frontend/promela/graph" -name "*.c") $src/frontend/promela/spin/promela_numbers.c"
	;;
order)
	libraries="$libraries libzstd zlib nettle"
	sources="$sources $(files order/format order/reader core/compress_zstd core/digest core/usage)"
	;;
checkpoint)
	libraries="$libraries libzstd zlib nettle"
	sources="$sources $(files checkpoint/coder checkpoint/delta_coding checkpoint/fields checkpoint/format checkpoint/generations \
		checkpoint/reader core/compress_zstd checkpoint/word_sort \
		core/digest core/reason base/atomic_file base/whole_io tables/permutation)"
	;;
esac

# One object for each source: on all cores
# shellcheck disable=SC2046,SC2086 # several words; names of the tree have no blanks
options="-std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -DMODEL_SCALE=50
	-I$src/src -I$src -I$dir $(pkg-config --cflags $libraries)"
rm -rf "$dir/objects" && mkdir "$dir/objects"
# shellcheck disable=SC2086,SC2016
printf '%s\n' "$src/tests/fuzz/fuzz_$target.c" "$src"/src/logic/*.c "$src"/src/model/*.c "$src"/src/model/*/*.c $languages $sources |
	xargs -P "$(nproc)" -I SOURCE sh -c '
		object=$1/objects/$(echo "$2" | tr / _).o
		shift 2
		exec "$@" -o "$object"' compile "$dir" SOURCE ${CC:-clang} $options -c SOURCE
# shellcheck disable=SC2046,SC2086
${CC:-clang} $options -o "$dir/fuzz_$target" "$dir"/objects/*.o $link $(pkg-config --libs $libraries) -lm -lpthread

# Seeds. checkpoint: files of make_checkpoint of the build ($top_builddir), if present; order: files written by floe (installed,
# or $FLOE), if present; xml, dve, murphi: all models and bad inputs, murphi also those of $CORPUS/murphi; promela: those of the tests and of
# $CORPUS/promela; expr: the values of all
# their attributes, once for each parser; trace:
# tests/fuzz/traces, which belong to the model of the harness.
if [ "$target" = trace ]; then
	cp -f "$src"/tests/fuzz/traces/*.json "$dir/corpus/"
elif [ "$target" = checkpoint ]; then
	for words in 1 2; do
		"${top_builddir:-$src}/tests/checkpoint/make_checkpoint" "$dir/corpus/seed-$words" $words || true
	done
elif [ "$target" = order ]; then
	for model in "$src"/tests/cmd/models/r*.xml; do
		for how in --order-kind=states --order-kind=lookups --order-compress; do
			"${FLOE:-floe}" count -q "$model" "$how" \
				--visited-order="$dir/corpus/$(basename "$model")$how" > "$dir/seed.log" 2>&1 || true
		done
	done
elif [ "$target" = state ]; then
	printf '00000000000000000' > "$dir/corpus/text"
	printf '1half(9) + count(i in P : P[i].m) == len(c[0])' > "$dir/corpus/expression"
	printf '2c[1]=[(1, true), (2, false)]\ne=green\na[1]=6\nP[0]=m\nP[1].y=-3\ns=70' > "$dir/corpus/values"
elif [ "$target" = pnml ]; then
	for net in "$src"/tests/pnml/*/*.pnml; do
		{ cat "$net" && printf '\000' && cat "${net%.pnml}.xml" 2> /dev/null || true; } > "$dir/corpus/$(basename "$net")"
	done
elif [ "$target" = dve ]; then
	find "$src/tests" -name '*.dve' -size -16k -exec cp -f {} "$dir/corpus/" ';'
elif [ "$target" = murphi ]; then
	for folder in cases bad; do
		for model in "$src/tests/murphi/$folder"/*.m; do
			cp -f "$model" "$dir/corpus/$folder-$(basename "$model")"
		done
	done
	if [ -n "${CORPUS:-}" ]; then
		find "$CORPUS/murphi" -name '*.m' -size -16k | while read -r model; do
			cp -f "$model" "$dir/corpus/$(echo "${model#"$CORPUS/murphi/"}" | tr / -)"
		done
	fi
elif [ "$target" = promela ]; then
	find "$src/tests" "$src/bench" -name '*.pml' -size -16k -exec cp -f {} "$dir/corpus/" ';'
	if [ -n "${CORPUS:-}" ]; then
		find "$CORPUS/promela" -type f -size -16k ! -name '*.tsv' | while read -r model; do
			cp -f "$model" "$dir/corpus/$(echo "${model#"$CORPUS/promela/"}" | tr / -)"
		done
	fi
elif [ "$target" = xml ]; then
	find "$src/models" "$src/tests" -name '*.xml' -size -16k -exec cp -f {} "$dir/corpus/" ';'
else
	cat "$src"/models/*.xml "$src"/tests/bad/*.xml 2> /dev/null |
		LC_ALL=C grep -a -o '="[^"]*"' | LC_ALL=C sort -u | LC_ALL=C awk -v dir="$dir/corpus" '
			{ text = substr($0, 3, length($0) - 3)
			  for (kind = 0; kind < 9; kind++) {
			    file = dir "/seed-" NR "-" kind
			    printf "%d%s", kind, text > file
			    close(file) } }'
fi

dict=$src/tests/fuzz/floe.dict
[ ! -f "$src/tests/fuzz/$target.dict" ] || dict=$src/tests/fuzz/$target.dict
cd "$dir"
exec "./fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=8192 \
	-dict="$dict" -artifact_prefix=found/ -print_final_stats=1 "$@" corpus
