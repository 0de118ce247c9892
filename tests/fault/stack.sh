#!/bin/sh
# Little stack (`ulimit -s`): rejected with a message, or sufficient for everything.
. "${top_srcdir:-.}/tests/fault/fault.sh"
(ulimit -s 2048) 2>/dev/null || skip 'the stack cannot be limited here'
(ulimit -v 4000000 && exec "$floe" --version) >stdout 2>&1 ||
  skip 'floe does not run in 4 GB of address space: sanitizers need more stack, too'

with_stack() { # with_stack KIBIBYTES ARGUMENT...
  stack=$1
  shift
  (ulimit -s "$stack" && exec "$floe" "$@" >stdout 2>err </dev/null)
  code=$?
}

for stack in 64 96 512 1023; do
  with_stack $stack check "$examples/peterson.xml"
  [ $code -eq 3 ] || fail "a stack of $stack KiB: exit code $code"
  says err "stack limit of $stack KiB is too small"
  says err 'ulimit -s'
done

# the smallest accepted stack suffices, also for the deepest nesting and many threads
enough() { # enough CODE ARGUMENT...
  wanted=$1
  shift
  with_stack 1024 "$@"
  [ $code -eq "$wanted" ] || fail "floe $* with little stack: exit code $code: $(cat err)"
}
for text in xml_deep expr_nested check_quantifier_nested; do
  enough 3 plan "$here/tests/bad/$text.xml"
done
brackets=$(printf '%0250d' 0)
printf '<model name="deep"><variable name="x" range="0..3"/><process name="P"><location name="a" initial="true"/>
<transition from="a" effect="x = %s(x + 1) %% 4%s"/></process><deadlock check="false"/></model>\n' \
  "$(echo "$brackets" | tr 0 '(')" "$(echo "$brackets" | tr 0 ')')" >deep.xml
enough 0 check --engine=interpreter deep.xml
enough 0 check --engine=cpu --cache-dir= deep.xml
enough 0 check -j8 --engine=cpu --why-never --continue --cache-dir= --visited-order=order --json=json --report=report \
  "$examples/peterson.xml"
enough 0 order --text order -o keys
enough 0 export "$examples/peterson.xml" -o graph
enough 1 check --engine=interpreter --trace=trace "$models/race.xml"
enough 0 replay "$models/race.xml" trace
enough 0 simulate "$examples/peterson.xml"
enough 0 check --engine=interpreter --expect "$models/ring.xml"
enough 0 bench --engine=cpu --threads=2 --slots=4096 --repetitions=1
enough 0 bench --engine=cpu --threads=2 --slots=4096 --repetitions=1 --table=cuckoo,robin-hood,linear --operation=put
enough 0 devices
finish
