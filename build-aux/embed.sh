#!/bin/sh
# Prints a C array of a file's bytes: embed.sh SYMBOL FILE
# static const unsigned char SYMBOL[] ends with a NUL that SYMBOL_size does not count.
set -eu
symbol=$1
file=$2
[ -r "$file" ] || { echo "embed.sh: cannot read $file" >&2; exit 1; }
echo "/* Made from $(basename "$file") by embed.sh; do not edit. */"
echo "static const unsigned char ${symbol}[] = {"
od -An -v -t u1 "$file" | sed 's/  */ /g; s/^ //; s/ *$//; s/ /,/g; s/$/,/'
echo "0};"
echo "static const size_t ${symbol}_size = sizeof ${symbol} - 1;"
