#!/bin/sh
# Prints the files of a web page as C arrays and a table of them: embed_page.sh FOLDER FILE...
# The table is `static const struct page_file page_files[]`; index.html has the path "/".
set -eu
embed=$(dirname "$0")/embed.sh
folder=$1
shift
number=0
table=
for file; do
  case $file in
  *.html) type='text/html; charset=utf-8' ;;
  *.css) type='text/css; charset=utf-8' ;;
  *.js) type='text/javascript; charset=utf-8' ;;
  *.svg) type='image/svg+xml' ;;
  *) type='text/plain; charset=utf-8' ;;
  esac
  path=/$file
  [ "$file" != index.html ] || path=/
  sh "$embed" "page_$number" "$folder/$file"
  table="$table  {\"$path\", \"$type\", page_$number, &page_${number}_size},
"
  number=$((number + 1))
done
printf 'static const struct page_file page_files[] = {\n%s};\n' "$table"
