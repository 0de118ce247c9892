#!/bin/sh
# Documents and comments name files that are there: each word of README, NEWS, doc, models/README.md and the comments of
# sources and scripts that ends like a file of the tree (.c, .h, .md ...) is a path from the top, from src, doc or tests,
# from where it is named, or the end of a path of the tree; `folder/` in backquotes is a folder. doc/architecture.md has
# each folder in its table, and each folder of sources has a README. Names of what builds, users or other projects make
# stand in `made`.
set -u
cd "${top_srcdir:-$(dirname "$0")/..}" || exit 99
if ! files=$(git ls-files 2>/dev/null) || [ ! -e .git ]; then
  echo "skipped: not a working tree of git, which tells what belongs to the tree"
  exit 77
fi
# Made by a build; of a system or another project; standing for a name
made='
config.h ctype.h mpi.h X.rng X_rng.h X.h X_h.h NAME.c NAME.h PRESET.svg PRESET.png tables.csv auto.csv runs.csv
'
documents=$(echo "$files" | grep -E '^(NEWS|(.*/)?README(\.md)?|doc/[^/]*\.md|doc/floe\.1|doc/(design|results)/[^/]*\.md)$')
sources=$(echo "$files" | grep -E '\.(c|h|cu|def|sh|inc|am|ac)$|^\.ci/run$')
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
echo "$files" >"$work/files"

# Folders of the tree, but for data of tests: all are in the table of doc/architecture.md, those of tests as one row
echo "$files" | sed -n 's|/[^/]*$||p' | sort -u | grep -vE '^(\.ci|doc/results/.*)$' >"$work/folders"
table=$(sed -n '/^| folder | what is in it |/,/^$/p' doc/architecture.md)
grep -vE '^tests/' "$work/folders" | while read -r folder; do
  case $table in
  *"\`$folder/\`"*) ;;
  *) echo "doc/architecture.md: no row for the folder $folder" ;;
  esac
done >"$work/wrong"
data='tests/(bad|cmd/golden|cmd/models|convert/bad|dve/cases|murphi/(bad|cases|symmetric/cases)|engine/errors|frontend/forms|model/symmetric/cases|fuzz/traces|peers/protocols|promela/(bad|cases|micro)|reference/models|trace/golden)'
grep -E '^(src|gpu|frontend|bench|tests)(/|$)' "$work/folders" | grep -vxE "$data" | while read -r folder; do
  [ -f "$folder/README" ] || [ -f "$folder/README.md" ] || echo "$folder: no README"
done >>"$work/wrong"
cat "$work/wrong"

# shellcheck disable=SC2086 # names of the tree have no blanks
awk -v wrong="$(wc -l <"$work/wrong")" -v made="$made" -v list="$work/files" '
  BEGIN {
    while ((getline path <list) > 0) {
      there[path] = 1
      for (end = path; sub(/^[^\/]*\//, "", end);) there[end] = 1
      for (folder = path; sub(/\/[^\/]*$/, "", folder);) {
        is_folder[folder] = 1
        for (end = folder; sub(/^[^\/]*\//, "", end);) is_folder[end] = 1
      }
    }
    n = split(made, word, /[ \n]+/)
    for (i = 1; i <= n; i++) other[word[i]] = 1
  }
  FNR == 1 { open = 0; document = FILENAME !~ /\.(c|h|cu|def|sh|inc|am|ac)$|\.ci\/run$/; script = FILENAME ~ /\.(sh|inc|am|ac)$|\.ci\/run$/ }

  # What is comment on a line of C
  function comment(line,   text, at) {
    gsub(/"([^"\\]|\\.)*"/, "", line)
    while (line != "") {
      if (open) {
        at = index(line, "*/")
        if (!at) return text " " line
        text = text " " substr(line, 1, at - 1)
        line = substr(line, at + 2)
        open = 0
      } else {
        at = match(line, /\/[*\/]/)
        if (!at) return text
        if (substr(line, at, 2) == "//") return text " " substr(line, at + 2)
        line = substr(line, at + 2)
        open = 1
      }
    }
    return text
  }

  function names(text,   name, path) {
    while (match(text, /[A-Za-z0-9_.\/*{},-]*[A-Za-z0-9_}]\.(cu|c|h|sh|def|rng|inc|md|am|svg|csv|png)/)) {
      name = substr(text, RSTART, RLENGTH)
      path = substr(text, RSTART + RLENGTH, 1)
      text = substr(text, RSTART + RLENGTH)
      if (path ~ /[A-Za-z0-9_(\/]/ || name ~ /[*{},]/ || name ~ /^_/ || name in other) continue
      looked_at++
      sub(/^(\.\.?\/)+/, "", name)
      if (!(name in there)) missing(name)
    }
  }

  function folders(text,   name) {
    while (match(text, /`[A-Za-z0-9_\/-]+\/`/)) {
      name = substr(text, RSTART + 1, RLENGTH - 3)
      text = substr(text, RSTART + RLENGTH)
      looked_at++
      if (!(name in is_folder)) missing(name "/")
    }
  }

  function missing(name) {
    print FILENAME ":" FNR ": there is no " name
    failed++
  }

  document { names($0); folders($0); next }
  script { if ($0 ~ /^[ \t]*#/ || sub(/.*[ \t]# /, "")) names($0); next }
  { names(comment($0)) }

  END {
    failed += wrong
    if (looked_at < 300) { print "only " looked_at + 0 " names found"; failed++ }
    printf "%d passed, %d failed\n", looked_at - failed, failed
    exit failed > 0
  }' $documents $sources
