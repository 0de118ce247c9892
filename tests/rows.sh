# Sourced by tests that read tables of $CORPUS: columns by tabs, their names in the first line.

# column FILE NAME: its number
column() { awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) print i }' "$1"; }

# rows FILE NAME...: these columns, by "|"
rows() {
  file=$1
  shift
  list=
  for name in "$@"; do
    number=$(column "$file" "$name")
    [ -n "$number" ] || { echo "no column $name in $file" >&2; exit 99; }
    list="$list${list:+ \"|\" }\$$number"
  done
  awk -F '\t' "NR > 1 { print $list }" "$file"
}
