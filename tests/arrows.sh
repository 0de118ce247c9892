#!/bin/sh
# Include graph: reads the #include lines of src, gpu and frontend, prints the graph of folders with the number of
# lines of each arrow, and the circles of units (NAME.c and NAME.h are one unit). Fails for an arrow that a rule below
# forbids, and for a circle of more units than `circle` allows. `arrows.sh --graph`: the graph as a table for doc;
# `arrows.sh --calls`, in the folder of a build: the circles of files whose functions call each other, which headers
# shared by several files hide from the rest of this script.
# Rules; a folder stands for all files under it:
#   layers A B ...        the layers from bottom to top, a line each: no file includes one of a later line. Folders of one
#                         line may include each other in one direction
#   never FROM TO         no file under FROM (or the file FROM) includes one under TO, but those under FROM
#   within FILE FOLDER    only files under FOLDER include FILE, directly or through others
#   door FOLDER FILE...   files elsewhere include nothing under FOLDER but these files
#   only FROM TO...       files under FROM include nothing but files under FROM and under (or named) TO
#   circle N              no circle of units is larger; 1: there is none
# Besides, no two folders include each other.
rules='
layers src/core src/base src/floe_common.h src/floe_model.h src/floe_states.h src/floe.h src/floe_tables.h
layers src/logic
layers src/model
layers src/order frontend
layers src/tables/kernel src/step/kernel
layers src/tree
layers src/tables src/step
layers src/checkpoint
layers src/engine src/mpi gpu/kernel
layers gpu
layers src/tables/api src/bench
layers src/api
layers src/cmd
never src/tables src/step
never src/tables src/model
never src/tables/kernel src/tables
never src/step src/tables/api
never gpu/kernel src/engine
never gpu/driver src/step
never gpu/table src/engine
never src/bench src/api
never src/tables/api src/api
never src/engine src/order
never src/engine gpu
never src/order src/step
never src/cmd src/core
never src/base src/core
within frontend/xml/xml.h frontend
door frontend frontend/xml/xml_language.h frontend/dve/dve_language.h frontend/murphi/murphi_language.h frontend/pnml/pnml_language.h frontend/promela/promela_language.h
door frontend/dve frontend/dve/dve_language.h
door frontend/murphi frontend/murphi/murphi_language.h
door frontend/promela frontend/promela/promela_language.h
only src/mpi src/core src/engine/comm/group.h
within src/mpi/module.h src/mpi
circle 1
'
set -u
built=$PWD
cd "${top_srcdir:-$(dirname "$0")/..}" || exit 99
mode=${1---check}
files=$(find src gpu frontend -name '*.[ch]' ! -name '*_text.h' ! -name '*_rng.h' -o -name '*.cu' -o -name '*.def' | sort)
input=$files
if [ "$mode" = --calls ]; then
  input=$(mktemp)
  trap 'rm -f "$input"' EXIT
  (cd "$built" && find src gpu frontend -name '*.o' ! -name 'libfloe_core_emulated_a-*' -exec nm -A {} +) >"$input"
fi
# shellcheck disable=SC2086 # names of the tree have no blanks
awk -v rules="$rules" -v mode="$mode" -v files="$files" '
  function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
  function unit(file) { sub(/\.[a-z]*$/, "", file); return file }
  function under(file, where) { return index(file, where "/") == 1 }
  function is(file, what) { return file == what || under(file, what) }
  function resolve(from, name) {
    if ((folder(from) "/" name) in exists) return folder(from) "/" name
    if (name in exists) return name
    return ("src/" name) in exists ? "src/" name : ""
  }
  function forbidden(from, to, rule) {
    print "forbidden: " from " includes " to " (" rule ")"
    failed++
  }

  # Files not under `where` that include `to`, directly or through others
  function outside(to, where, rule, via,   i, from) {
    for (i = 1; i <= edges; i++) {
      if (target[i] != to || ((from = source[i]) in reached)) continue
      reached[from] = 1
      if (!under(from, where)) forbidden(from, via, rule)
      else outside(from, where, rule, from)
    }
  }

  # Is `to` the folder `from`, or in one of the words from the third on?
  function among(to, part, n,   i) {
    for (i = 2; i <= n; i++)
      if (is(to, part[i])) return 1
    return 0
  }

  function must_exist(what, rule) {
    if (what in exists || what in has_files) return
    print "neither file nor folder: " what " (" rule ")"
    failed++
  }

  function apply(rule, part,   i, words, doors) {
    words = split(rule, part, " ")
    if (part[1] == "layers") {
      depth++
      for (i = 2; i <= words; i++) { must_exist(part[i], rule); layer[part[i]] = depth }
      return
    }
    must_exist(part[2], rule)
    must_exist(part[3], rule)
    if (part[1] == "within") { split("", reached); outside(part[2], part[3], rule, part[2]) }
    for (i = 1; part[1] == "only" && i <= edges; i++)
      if (is(source[i], part[2]) && !among(target[i], part, words)) forbidden(source[i], target[i], rule)
    if (part[1] != "never" && part[1] != "door") return
    split("", doors)
    for (i = 3; i <= words; i++) doors[i - 1] = part[i]
    for (i = 1; i <= edges; i++)
      if ((part[1] == "never" && is(source[i], part[2]) && is(target[i], part[3]) && !is(target[i], part[2])) ||
          (part[1] == "door" && under(target[i], part[2]) && !under(source[i], part[2]) && !among(target[i], doors, words - 1)))
        forbidden(source[i], target[i], rule)
  }

  # The layer of a file: that of the longest path in a line `layers` that it is under
  function layer_of(file) {
    for (; file != ""; file = index(file, "/") ? folder(file) : "")
      if (file in layer) return layer[file]
    return 0
  }
  function check_layers(   i, from, to) {
    for (i = 1; i <= edges; i++) {
      from = layer_of(source[i])
      to = layer_of(target[i])
      if (!from) { print "in no layer: " source[i]; failed++ }
      else if (from < to) forbidden(source[i], target[i], "layers")
    }
  }
  function check_mutual(   i, j) {
    for (i = 1; i <= folders; i++)
      for (j = i + 1; j <= folders; j++)
        if ((folder_at[i], folder_at[j]) in arrows && (folder_at[j], folder_at[i]) in arrows)
          forbidden(folder_at[i], folder_at[j], "two folders include each other")
  }

  # Tarjan: strongly connected components of units
  function visit(u,   list, n, i, v, size, names) {
    number[u] = low[u] = ++visited
    stack[++height] = u
    on[u] = 1
    n = split(next_of[u], list, " ")
    for (i = 1; i <= n; i++) {
      v = list[i]
      if (!(v in number)) { visit(v); if (low[v] < low[u]) low[u] = low[v] }
      else if (on[v] && number[v] < low[u]) low[u] = number[v]
    }
    if (low[u] != number[u]) return
    do { v = stack[height--]; on[v] = 0; size++; names = " " v names } while (v != u)
    if (size > 1) circles[++circle_count] = size ":" names
    if (size > largest) largest = size
  }

  function table(   i, j, line) {
    print "| folder | files | includes (lines) | is included by |"
    print "|---|---|---|---|"
    for (i = 1; i <= folders; i++) {
      line = "| `" folder_at[i] "` | " count[folder_at[i]] " | "
      for (j = 1; j <= folders; j++)
        if (i != j && (folder_at[i], folder_at[j]) in arrows)
          line = line folder_at[j] " " arrows[folder_at[i], folder_at[j]] ", "
      sub(/, $/, "", line)
      line = line " | "
      for (j = 1; j <= folders; j++)
        if (i != j && (folder_at[j], folder_at[i]) in arrows) line = line folder_at[j] ", "
      sub(/, $/, "", line)
      print line " |"
    }
  }

  function print_circles(   i) {
    printf "circles of units: %d, the largest has %d\n", circle_count + 0, largest
    for (i = 1; i <= circle_count; i++) print "  " circles[i]
  }

  # Lines of nm -A: FILE.o:[ADDRESS] KIND NAME
  mode == "--calls" {
    at = $1
    sub(/\.o:.*/, "", at)
    if ($(NF - 1) == "T") home[$NF] = at
    if ($(NF - 1) == "U") { user[++calls] = at; called[calls] = $NF }
    next
  }
  function call_circles(   i, to) {
    for (i = 1; i <= calls; i++)
      if ((to = home[called[i]]) != "" && to != user[i]) next_of[user[i]] = next_of[user[i]] " " to
    for (i = 1; i <= calls; i++) if (!(user[i] in number)) visit(user[i])
    print_circles()
  }

  BEGIN {
    n = split(files, file, "\n")
    for (i = 1; i <= n; i++) {
      exists[file[i]] = 1
      if (!count[folder(file[i])]++) folder_at[++folders] = folder(file[i])
      for (where = file[i]; index(where, "/");) { where = folder(where); has_files[where] = 1 }
    }
  }
  /^[ \t]*#[ \t]*include[ \t]+"/ {
    split($0, quoted, "\"")
    if ((to = resolve(FILENAME, quoted[2])) == "") next # made by the build
    source[++edges] = FILENAME
    target[edges] = to
    arrows[folder(FILENAME), folder(to)]++
    if (unit(FILENAME) != unit(to)) next_of[unit(FILENAME)] = next_of[unit(FILENAME)] " " unit(to)
  }
  END {
    if (mode == "--calls") { call_circles(); exit }
    for (i = 1; i <= n; i++) if (!(unit(file[i]) in number)) visit(unit(file[i]))
    if (mode == "--graph") { table(); print ""; print_circles(); exit }
    for (i = 1; i <= folders; i++)
      for (j = 1; j <= folders; j++)
        if (i != j && (folder_at[i], folder_at[j]) in arrows)
          printf "%s -> %s %d\n", folder_at[i], folder_at[j], arrows[folder_at[i], folder_at[j]]
    print_circles()
    lines = split(rules, rule, "\n")
    for (i = 1; i <= lines; i++) {
      if (split(rule[i], part, " ") == 0) continue
      applied++
      if (part[1] == "circle") {
        if (largest > part[2]) { print "a circle of " largest " units, allowed are " part[2]; failed++ }
      } else apply(rule[i])
    }
    check_layers()
    check_mutual()
    if (edges < 100) { print "only " edges + 0 " includes found"; failed++ }
    printf "%d passed, %d failed\n", applied, failed
    exit failed > 0
  }' $input
