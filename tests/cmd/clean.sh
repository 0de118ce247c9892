#!/bin/sh
# floe prints no control characters, even if names of files and folders or values contain them.
. "${top_srcdir:-.}/tests/cmd/common.sh"
first=$(printf '\033]0;owned\a\nfloe: error: forged')
second=$(printf 'a\tb\302\23331m\177\377') # 302 233: the 8-bit form of ESC [

# clean CODE WORDS ARGUMENT...: the output has WORDS, no control character, and no line break from a name
clean() {
  wanted=$1 words=$2
  shift 2
  run "$wanted" "$@"
  cat out err >both
  says both "$words"
  [ "$(LC_ALL=C tr -d '\n -~\200-\377' <both | wc -c)" -eq 0 ] || fail "control characters: $(od -c both | head -20)"
  LC_ALL=C grep -q "$(printf '\302[\200-\237]')" both && fail "control characters of 8 bits: $(od -c both | head -20)"
  grep -q '^floe: error: forged' both && fail "a forged line: $(cat both)"
}

for name in "$first" "$second"; do
  folder=in$name
  mkdir -p "$folder"
  model=$folder/ring$name.xml
  cp "$models/ring.xml" "$model"
  cp "$models/race.xml" "$folder/race.xml"
  cp "$models/overflow.xml" "$folder/overflow.xml"
  echo '<model name="x">' >"$folder/broken.xml"
  # paths: of models, results, order files, traces, folders
  clean 3 'cannot be opened' "$folder/nowhere.xml"
  clean 3 'broken.xml' "$folder/broken.xml"
  clean 1 'trace of sum' "$folder/race.xml" --engine=interpreter
  clean 1 'never enabled' "$folder/race.xml" --continue --engine=interpreter
  clean 1 'errors: violated' "$folder/overflow.xml" --engine=interpreter
  clean 3 'no expected results' check --expect "$folder/race.xml"
  clean 3 'cannot be written' plan --json="$folder/none/x" "$model"
  clean 3 'cannot be written' count --visited-order="$folder" "$model"
  clean 3 'are the same file' count --visited-order="$model" "$model"
  clean 3 'cannot be opened' order "$folder/nowhere"
  clean 3 'it is not an order file' order "$model"
  clean 3 'is not a readable trace file' replay "$model" "$model"
  clean 3 'cannot be opened' bench fig4 --keys="$folder/nowhere"
  clean 3 'is not a folder' bench fig1 --plot="$model"
  run 1 check --trace="$folder/trace" "$folder/race.xml" --engine=interpreter
  sed "s/\"property\": \"sum\"/\"property\": \"$(printf 'sum\\u001b[31m')\"/" "$folder/trace" >trace
  echo ' ' >>"$folder/race.xml" # another text: a note
  clean 0 'has changed' replay "$folder/race.xml" "$folder/trace"
  "$floe" replay "$folder/race.xml" trace >out 2>err
  cat out err | LC_ALL=C tr -d '\n -~\200-\377' >both
  [ ! -s both ] || fail "control characters of a trace: $(od -c both)"
  clean 0 'cache folder' count --engine=cpu --cache-dir="$model" "$model"
  clean 0 'is interpreted' count --engine=cpu --cache-dir= --compiler="$folder/cc" "$model"
  (TMPDIR=$folder/none && export TMPDIR && clean 0 'is interpreted' count --engine=cpu --cache-dir= "$model"
    exit $failures) || failures=$((failures + 1))
  printf '#!/bin/sh\nprintf "\\033[31mno"; exit 1\n' >cc && chmod 755 cc
  clean 0 'is interpreted' count --engine=cpu --cache-dir= --compiler="$work/cc" "$model"
  # values and words
  for wrong in --threads="$name" --engine="$name" --table="$name" --memory="$name" --timeout="$name" -D"$name" -D"N=$name" \
    -D"$name=1" -p"$name" --permutation="$name" --sweep="$name" --sweep="N=$name" --"$name" --thr"$name"; do
    clean 3 'error' "$wrong" "$model"
  done
  clean 3 'error' "$name"
  clean 3 'error' help "$name"
  clean 3 'error' bench "$name"
  clean 3 'error' bench --table="$name"
  clean 3 'error' bench --slots="$name"
done
# texts of a model: labels, properties, expected results
c1=$(printf '\302\233')
cat >texts.xml <<END
<model name="texts">
  <variable name="x" range="0..3"/>
  <process name="P" instances="2">
    <location name="home" initial="true"/>
    <transition from="home" label="up${c1}31m" guard="x &lt; 3" effect="x = x + 1"/>
    <transition from="home" label="never${c1}31m" guard="x &gt; 3"/>
  </process>
  <property id="low" kind="invariant">x &lt; 3</property>
</model>
END
clean 1 'trace of low' texts.xml --engine=interpreter
clean 1 'never enabled' check --continue --why-never texts.xml --engine=interpreter
clean 1 '"label": "up' check --json --trace=texts.trace texts.xml --engine=interpreter
clean 0 'up' replay texts.xml texts.trace
clean 1 'low' simulate --runs=3 --steps=3 texts.xml
clean 1 'up' simulate --steps=3 texts.xml
clean 0 'up' export --format=dot texts.xml
clean 0 'up' export --format=aut texts.xml
finish
