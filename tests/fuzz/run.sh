#!/bin/sh
# Fuzzes the readers of files: run.sh SECONDS TARGET [libFuzzer options], TARGET xml, expr, trace, order or checkpoint.
# Needs clang with libFuzzer. The program, corpus and findings are kept in $FUZZ_DIR (default: fuzz-TARGET here);
# a finding (crash-*, timeout-*, oom-*) belongs in ../bad once it is fixed.
set -eu
seconds=$1 target=$2
shift 2
src=$(cd "$(dirname "$0")/../.." && pwd)
dir=${FUZZ_DIR:-$PWD/fuzz-$target}
mkdir -p "$dir/frontend" "$dir/corpus" "$dir/found"

sh "$src/build-aux/embed.sh" floe_rng "$src/frontend/xml/floe.rng" > "$dir/frontend/xml/floe_rng.h"
"${AWK:-awk}" -f "$src/build-aux/schema.awk" "$src/frontend/xml/floe.rng" > "$dir/frontend/schema.def"
# Sources of a target in addition to the front end; libraries by their pkg-config names
sources= libraries=libxml-2.0
case $target in
trace)
	libraries="$libraries jansson nettle"
	for name in cmd/follow cmd/trace_read cmd/trace_record cmd/json_value api/input \
		api/walk api/render api/cause api/model api/languages api/describe api/names \
		step/interpreter step/layout step/bound core/digest core/clock core/errand core/lines core/running core/thread core/usage; do
		sources="$sources $src/src/$name.c"
	done
	;;
order)
	libraries="$libraries libzstd zlib nettle"
	for name in order/format order/reader order/packing_zstd core/digest; do
		sources="$sources $src/src/$name.c"
	done
	;;
checkpoint)
	libraries="$libraries libzstd zlib nettle"
	for name in coder differences facts format place reader shrink_zstd sort; do
		sources="$sources $src/src/checkpoint/$name.c"
	done
	sources="$sources $src/src/core/digest.c $src/src/core/reason.c $src/src/base/atomic_file.c $src/src/tables/permutation.c"
	;;
esac

# shellcheck disable=SC2046 # pkg-config prints several words
${CC:-clang} -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-DMODEL_SCALE=50 \
	-I"$src/src" -I"$src" -I"$dir" $(pkg-config --cflags $libraries) -o "$dir/fuzz_$target" \
	"$src/tests/fuzz/fuzz_$target.c" \
	"$src"/src/core/arena.c "$src"/src/base/edit_distance.c "$src"/src/core/mem.c "$src"/src/core/diag.c "$src"/src/base/utf8.c \
	"$src"/src/model/*.c "$src"/frontend/*.c $sources $(pkg-config --libs $libraries) -lm -lpthread

# Seeds: for checkpoint what make_checkpoint of the build writes ($top_builddir), if it is there; for order what floe writes (an installed one, or $FLOE), if it is there; for xml all models and bad inputs; for expr every attribute's value in them, once for each parser; for trace the files of
# tests/fuzz/traces, which are of the harness's own model.
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
[ "$target" = trace ] && dict=$src/tests/fuzz/trace.dict
cd "$dir"
exec "./fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=8192 \
	-dict="$dict" -artifact_prefix=found/ -print_final_stats=1 "$@" corpus
