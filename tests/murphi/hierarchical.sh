#!/bin/sh
# models/murphi/hierarchical.m: its counts at small sizes, with and without symmetry reduction, those of Rumur; each mistake is
# found, with a trace that is replayed.
. "${top_srcdir:-.}/tests/cmd/common.sh"
model=$here/models/murphi/hierarchical.m

# counts SYMMETRY CLUSTERS CACHES VALUES STATES TRANSITIONS
counts() {
  run 0 check --engine=interpreter --symmetry="$1" -D CLUSTERS="$2" -D CACHES="$3" -D VALUES="$4" "$model"
  says out "states: $5"
  says out "transitions: $6"
  ! grep -E 'violated|undecided' out || fail "$*"
}
counts off 1 2 2 26560 80324
counts on 1 2 2 13536 40976
counts off 2 1 1 37476 128640
counts on 2 1 1 18766 64406

# mistake BROKEN CLUSTERS CACHES VALUES PROPERTY DEPTH
mistake() {
  set -- "-D BROKEN=$1 -D CLUSTERS=$2 -D CACHES=$3 -D VALUES=$4" "$5" "$6"
  # shellcheck disable=SC2086 # options are words
  run 1 check --engine=interpreter $1 --trace=trace.json "$model"
  says out "$2: violated at depth $3"
  # shellcheck disable=SC2086
  run 0 replay $1 "$model" trace.json
  says out "$2: replayed, violated at depth $3"
}
mistake 1 1 2 1 'inclusion: L2 holds the block and its directory lists the copy' 14
mistake 2 2 1 2 'memory without an exclusive copy is up to date' 27
mistake 3 2 1 1 'the directory at home lists each cluster with a copy' 21
mistake 4 2 1 1 deadlock 22
finish
