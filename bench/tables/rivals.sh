#!/bin/sh
# Builds bench/tables/rivals.cc: the maps of Boost, TBB and libcuckoo under the queries of floe bench's ws presets.
#     bench/tables/rivals.sh FOLDER      makes FOLDER/rivals and copies the libraries that it loads: the folder runs on machines
#                                 without these libraries and C++'s, with a C library at least as new
# Debian: libboost-dev, libtbb-dev, libcuckoo-dev, g++. Exit code 77 with the reason if they are missing. CXX, CXXFLAGS.
set -eu
[ $# -eq 1 ] || { sed -n '2,5s/^# //p' "$0" >&2 && exit 2; }
folder=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
cxx=${CXX:-g++}

command -v "$cxx" >/dev/null || { echo 'rivals.sh: no C++ compiler' && exit 77; }
for header in boost/unordered_map.hpp tbb/concurrent_hash_map.h libcuckoo/cuckoohash_map.hh; do
  if ! printf '#include <%s>\n' $header | "$cxx" -x c++ -std=c++17 -fsyntax-only - 2>/dev/null; then
    echo "rivals.sh: no <$header> (libboost-dev, libtbb-dev, libcuckoo-dev)"
    exit 77
  fi
done

mkdir -p "$folder"
flags=${CXXFLAGS--O2 -g}
for unit in queries misses; do
  # shellcheck disable=SC2086 # words
  ${CC:-gcc} -std=c11 $flags -I"$top/src" -c -o "$folder/$unit.o" "$top/src/bench/queries/$unit.c"
done
# The old kind of rpath, which also applies to libraries of libraries.
# shellcheck disable=SC2086 # words
"$cxx" -std=c++17 -Wall -Wextra $flags -I"$top/src" -o "$folder/rivals" "$top/bench/tables/rivals.cc" \
  "$folder/queries.o" "$folder/misses.o" -Wl,--disable-new-dtags,-rpath,'$ORIGIN' -ltbb -lpthread -lm
rm -f "$folder/queries.o" "$folder/misses.o"
ldd "$folder/rivals" | awk '/libtbb|libstdc|libgcc_s/ { print $3 }' | while read -r library; do
  cp -L "$library" "$folder/"
done
