#!/bin/sh
# tests/state_models.sh FOLDER: copies of models/*.xml without temporal properties, which several processes cannot decide and
# measurements of searches leave out
mkdir -p "$1" && awk -v folder="$1" '
  FNR == 1 { if (file) close(file); n = split(FILENAME, part, "/"); file = folder "/" part[n]; split("", temporal) }
  match($0, /<property id="[a-z_0-9]+"/) && /kind="(ltl|eventually|leadsto)"/ { temporal[substr($0, RSTART + 14, RLENGTH - 15)] = skip = 1 }
  match($0, /<verdict property="[a-z_0-9]+"/) && substr($0, RSTART + 19, RLENGTH - 20) in temporal { next }
  !skip { print >file }
  /<\/property>/ { skip = 0 }' "$(dirname "$0")"/../models/*.xml
