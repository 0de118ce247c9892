#!/bin/sh
# Vocabulary: the words in tests/words.txt, and the identifiers in it, must not come back. Looks at comments and strings
# of C, comments of scripts and make files, and the text of documents. `words.sh PATH...` looks at these paths alone.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${top_srcdir:-$here/..}" || exit 99
if ! git ls-files >/dev/null 2>&1 || [ ! -e .git ]; then
  echo "skipped: not a working tree of git"
  exit 77
fi
# shellcheck disable=SC2046,SC2086 # names of the tree have no blanks
files=$(git ls-files -co --exclude-standard "$@" | grep -E '(\.(c|h|cu|cc|def|sh|inc|am|ac|md|py|1)|^README|/README|^NEWS|^\.ci/run|^bootstrap)$' |
  grep -vE '^tests/(words\.|reference/models/|bad/)' | while read -r file; do [ -f "$file" ] && echo "$file"; done)
# shellcheck disable=SC2086
awk -v list=tests/words.txt '
  BEGIN {
    while ((getline line <list) > 0) {
      if (line ~ /^#/ || line == "") continue
      if (line ~ /^identifiers:/) { kind = 1; continue }
      if (line ~ /^words:/) { kind = 0; continue }
      if (line ~ /^formats:/) { kind = 2; continue }
      n = split(line, part, kind == 1 ? " " : " ; ")
      for (i = 1; i <= n; i++) if (kind == 1) old[part[i]] = 1
      if (kind == 2) kept[part[1]] = part[2]
      if (!kind) { words++; pattern[words] = part[1]; instead[words] = part[2]; where[words] = part[3] }
    }
  }
  FNR == 1 {
    open = fenced = 0
    c = FILENAME ~ /\.(c|h|cu|cc|def)$/
    script = FILENAME ~ /\.(sh|inc|am|ac|py)$|^\.ci\/run$|^bootstrap$/
    document = !c && !script
  }
  # Comments and strings of a line of C; code: what is left
  function text_of(line,   text, at, rest) {
    code = ""
    while (line != "") {
      if (open) {
        at = index(line, "*/")
        if (!at) return text " " line
        text = text " " substr(line, 1, at - 1)
        line = substr(line, at + 2)
        open = 0
        continue
      }
      at = match(line, /\/\*|\/\/|"/)
      if (!at) { code = code line; return text }
      code = code substr(line, 1, at - 1) " "
      rest = substr(line, at)
      if (substr(rest, 1, 1) == "\"") {
        if (!match(rest, /^"([^"\\]|\\.)*"/)) { code = code rest; return text }
        text = text " " substr(rest, 2, RLENGTH - 2)
        line = substr(rest, RLENGTH + 1)
      } else if (substr(rest, 1, 2) == "//") return text " " substr(rest, 3)
      else { open = 1; line = substr(rest, 3) }
    }
    return text
  }
  function report(word, hint) {
    printf "%s:%d: \"%s\"%s\n", FILENAME, FNR, word, hint == "" ? "" : " (" hint ")"
    failed++
  }
  {
    lines++
    code = ""
    if (c) text = text_of($0)
    else if (script) { text = $0 ~ /^[ \t]*#/ ? $0 : ""; code = $0 }
    else {
      if ($0 ~ /^ *```/) fenced = !fenced
      text = fenced || $0 ~ /^    / ? "" : $0 # examples are in the words of their models
      code = text
    }
    if (text != "") {
      lower = " " tolower(text) " "
      if (FILENAME in kept) sub(" " kept[FILENAME] " ", "  ", lower)
      for (i = 1; i <= words; i++)
        if ((where[i] == "" || (where[i] == "code") == !document) && match(lower, "[^a-z0-9_-](" pattern[i] ")[^a-z0-9_-]"))
          report(substr(lower, RSTART + 1, RLENGTH - 2), instead[i])
    }
    if (!c && !script) code = text
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
      name = substr(code, RSTART, RLENGTH)
      code = substr(code, RSTART + RLENGTH)
      if (name in old) report(name, "an old name")
    }
  }
  END {
    if (lines < 10) { print "only " lines + 0 " lines found"; failed++ }
    printf "%d passed, %d failed\n", lines - failed, failed
    exit failed > 0
  }' $files
