#!/bin/sh
# Properties of kind recoverable by the command: verdicts, shortest traces and their replay, JSON, failing steps, what is refused.
. "${top_srcdir:-.}/tests/cmd/common.sh"

# Two branches of ten states; the second one cannot be left.
cat >branch.xml <<'END'
<model name="branch">
  <constant name="FAILS" value="0"/>
  <variable name="x" range="0..19"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" label="up" guard="x lt 9" effect="x++"/>
    <transition from="l" label="home" guard="x == 9" effect="x = 0"/>
    <transition from="l" label="leave" guard="x == 3" effect="x = 10"/>
    <transition from="l" label="round" guard="x ge 10" effect="x = x == 19 ? 10 : x + 1"/>
    <transition from="l" label="fail" guard="FAILS gt 0 and x == 15" effect="assert(false)"/>
  </process>
  <property id="home" kind="recoverable">x == 0</property>
  <property id="fifteen" kind="recoverable" description="both branches have such a state">x % 10 == 5</property>
  <property id="never_nine" kind="recoverable">x == 9 and x == 8</property>
  <property id="part" kind="recoverable">x lt 12 and 20 / (12 - x) gt 10</property>
</model>
END

run 1 check --continue --trace=t.json --json=r.json branch.xml
says out 'home: violated at depth 4: no state that satisfies it can be reached from there'
says out 'never_nine: violated at depth 0'
says out 'fifteen: holds'
says out 'part: holds'
says out 'last: x=10'
run 0 replay branch.xml t.json
says out 'home: replayed, violated at depth 4'
run 1 check --engine=cpu -j2 --no-trace -p home branch.xml
says out 'home: violated at depth 4'
run 0 check --table=iceberg --encoding=rank -p fifteen -p part branch.xml

# Behind a failing step a state may satisfy it.
run 1 check --continue -D FAILS=1 branch.xml
says out 'home: undecided, not violated in the states explored'
says out 'fifteen: undecided, not violated in the states explored'
says out 'never_nine: undecided, not violated in the states explored'
run 2 check --max-depth=6 -p home branch.xml
says out 'home: undecided, it depends on all states'
sed 's/lt 12 and 20/lt 13 and 20/' branch.xml >fails.xml
run 1 check --continue fails.xml
says out 'part: undecided, its evaluation failed in a state'

# The nearest of several states, in a chain that is removed state by state; the rest is divided into components.
cat >chain.xml <<'END'
<model name="chain">
  <variable name="x" range="0..4999"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" guard="x lt 4999" effect="x++"/>
    <transition from="l" guard="x gt 0 and x != 4000" effect="x--"/>
  </process>
  <property id="last" kind="recoverable">x == 4999</property>
  <property id="middle" kind="recoverable">x == 2000</property>
</model>
END
run 1 check --continue --no-trace chain.xml
says out 'last: holds'
says out 'middle: violated at depth 4000'

run 3 check --engine=gpu branch.xml
says err "GPUs cannot decide property 'home' of kind 'recoverable'"
run 3 check --table=linear branch.xml
says err "property 'home' of kind 'recoverable' cannot be decided with a 'linear' table"
run 0 check --table=linear -p deadlock branch.xml
run 0 convert --to=dve branch.xml branch.dve
says err 'DVE cannot express them'
finish
