#!/bin/sh
# --report: one self-contained HTML file, for any model name; opened in a browser if there is one, narrow and
# wide, light and dark, with steps by the keyboard.
. "${top_srcdir:-.}/tests/cmd/common.sh"

has() { grep -qF -- "$2" "$1" || fail "'$2' is not in $1"; }
has_not() { grep -qiF -- "$2" "$1" && fail "'$2' is in $1"; }

run 1 check --report=race.html --why-never "$models/race.xml"
says out 'sum: violated at depth 4' # the text is where it was
for text in '<title>race - floe</title>' 'violated at depth 4' 'href="#trace-1"' 'id="trace-1"' 'counter: 0 → <b>1</b>' \
  'aria-label="States per level"' '<title>level 3: 4 states</title>' '2 of 3 transitions fired' '<code>seen == 2</code>' \
  '<tr id="line-11" class="cold">' 'prefers-color-scheme: dark' \
  '&lt;transition from=&quot;ready&quot; to=&quot;holding&quot; label=&quot;read&quot;'; do
  has race.html "$text"
done
[ "$(grep -c '<rect class="bar"' race.html)" -eq 5 ] || fail 'not one column for each of five levels'
# one script that runs, and the data of two traces; the policy admits no other
[ "$(grep -c '<script type="module" nonce="[0-9a-f]\{64\}">' race.html)" -eq 1 ] || fail 'not one script'
[ "$(grep -c '<script' race.html)" -eq 3 ] || fail 'not the data of two traces'
has race.html "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'nonce-$(sed -n 's/.*<style nonce="\(.*\)">/\1/p' race.html)'; script-src"
grep '<script type="application.json">' race.html | sed 's/<[^>]*>//g' | head -n 1 >data
has data '"changes": {"P[0]": ["ready", "holding"]}'
sed -i 's|http://www.w3.org/2000/svg||' race.html # a name of the script
for text in 'http:' 'https:' 'src=' '@import' 'url(' '<link' 'onload'; do has_not race.html "$text"; done
ls | grep -q 'race.html.' && fail "files left over: $(ls)"

# text from the model is escaped
cat >'<b>&".xml' <<'END'
<model name="hostile">
  <description>&lt;/p>&lt;script>document.title = 'owned'&lt;/script> &amp;amp; "'</description>
  <variable name="x" range="0..9"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" label="&lt;script>document.title='owned'&lt;/script>" guard="x &lt; 3 &amp;&amp; true" effect="x++"/>
    <transition from="l" label='"&gt;&lt;img src=x onerror="document.title=1"&gt;' guard="x > 8" effect="x = 0"/>
  </process>
  <property id="p" kind="invariant" description="&lt;script>document.title='owned'&lt;/script>">x &lt; 3</property>
</model>
END
run 1 check --report=hostile.html --why-never './<b>&".xml'
has hostile.html '&lt;script&gt;document.title=&#39;owned&#39;'
has hostile.html '&lt;b&gt;&amp;&quot;.xml'
[ "$(grep -c '<script' hostile.html)" -eq "$(($(grep -c '<section class="trace">' hostile.html) + 1))" ] || fail 'a script of the model'
has hostile.html '\u003cscript>'
has_not hostile.html '<img'
sed '/^<script/,/<.script>$/d; s/[^<]*//; s/&[a-z#0-9]*;//g' hostile.html | grep -q '&' && fail 'an ampersand that begins no entity'

# many levels share columns; no trace, no states
run 0 check --report=long.html "$here/models/counters.xml" -D N=1 -D K=5000
[ "$(grep -c '<rect class="bar"' long.html)" -le 300 ] || fail 'too many columns'

# a step that fails leads to no state, so it has no depth
cat >overflow.xml <<'END'
<model name="overflow"><variable name="x" range="0..1"/><process name="P"><location name="a" initial="true"/>
<transition from="a" effect="x = x + 1"/></process></model>
END
run 1 check --report=overflow.html overflow.xml
has overflow.html '<tr data-step="1"><td class="number">1</td>'
has overflow.html '<tr data-step="2"><td class="number"></td>'
has long.html 'up to 1 state</title>'
run 2 check --report=short.html --max-depth=2 "$models/race.xml"
has short.html 'undecided, not violated up to depth 1'
has short.html '<dt>complete up to depth</dt>'
run 0 count --report=count.html "$models/ring.xml"
has count.html '2 of 2 transitions fired'

cat >letters.xml <<'END'
<model name="letters">
  <channel name="box" capacity="2" message="0..3"/>
  <channel name="hand"/>
  <process name="Sender">
    <location name="a" initial="true"/><location name="b"/><location name="c"/>
    <transition from="a" to="b" label="post" send="box(2)"/>
    <transition from="b" to="c" label="give" send="hand"/>
  </process>
  <process name="Idle">
    <location name="i" initial="true"/><location name="j"/>
    <transition from="i" to="j" guard="Sender.c and Reader.z"/>
  </process>
  <process name="Reader">
    <location name="x" initial="true"/><location name="y"/><location name="z"/><location name="w"/>
    <transition from="x" to="y" label="fetch" receive="box(_)"/>
    <transition from="y" to="z" label="take" receive="hand"/>
    <transition from="z" to="w" label="think"/>
  </process>
  <property id="end" kind="reachable">Reader.w and not Idle.j</property>
</model>
END
run 1 check -p end -p deadlock --report=letters.html letters.xml
# one report of several explorations
run 0 check --report=expect.html --expect "$here/models/peterson.xml" --max-states=2000
has expect.html '<h2>Cases</h2>'
has expect.html '<td class="good">ok</td>'
has expect.html 'id="case-1-trace-'
[ "$(grep -c '<details class="case"' expect.html)" -eq "$(grep -c ': ok ' out)" ] || fail 'not a section for each case that ran'
[ "$(grep -c '<h1>' expect.html)" -eq 1 ] || fail 'not one page'
sed 's|</model>|<expect states="12"/></model>|' "$models/ring.xml" >wrong.xml
run 1 check --report=wrong.html --expect wrong.xml
has wrong.html '<td class="bad">mismatch</td>'
has wrong.html ' instead of 12'
run 3 check --report=sweep.html --sweep N=0,2,3 "$here/models/philosophers.xml"
has sweep.html '<td class="bad">refused</td>'
has sweep.html '<a href="#case-3">N = 3</a>'
[ "$(grep -c '<details class="case"' sweep.html)" -eq 2 ] || fail 'not a section for each row that ran'

# a run that repeats its last steps, and one that stays in its last state
run 1 check --report=turns.html "$here/tests/explore/turns.xml"
has turns.html '<tr data-step="5" class="repeated" id="trace-1-loop">'
has turns.html '<a href="#trace-1-loop" data-state="4">From here the run repeats from state 4</a>'
has turns.html ', "loop": 4}'
[ "$(grep -c '<tr data-step="[0-9]*" class="repeated"' turns.html)" -eq 3 ] || fail 'not three repeated steps'
run 1 check --report=fair.html --fair='weak Client[0]' "$here/tests/explore/turns.xml"
has fair.html 'fairness: weak Client[0]'
run 1 check --report=stops.html "$here/tests/explore/stops.xml"
has stops.html 'No transition is enabled: the run stays in state 3'
has_not stops.html 'data-state='
has_not race.html 'repeated"'

# an unwritable file; conflicting options
run 3 check --report=nowhere/r.html "$models/ring.xml"
says err 'nowhere/r.html cannot be written'
run 3 check --report=nowhere/r.html --sweep N=2,3 "$models/ring.xml"
says err 'nowhere/r.html cannot be written'
run 3 check --report=r.html --dump-code "$models/ring.xml"
says err '--report cannot be combined with --dump-code'
[ ! -e r.html ] || fail 'a report although the command line is invalid'

[ "$failures" -eq 0 ] || finish
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'no Chromium; the other checks passed'
chromium() {
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" "$@" 2>browser.log
}

# framed PAGE WIDTH: writes frame.html: the page in a frame of that width (windows have a minimal one), with a script that
# reports its layout
framed() {
  {
    printf '<!DOCTYPE html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    printf '<iframe id="f" style="border:0;width:%spx;height:2000px" srcdoc="' "$2"
    sed 's/&/\&amp;/g; s/"/\&quot;/g' "$1.html"
    printf '"></iframe><script>'
    cat <<'END'
onload = function () {
  var w = f.contentWindow, d = f.contentDocument, fits = d.documentElement.scrollWidth <= w.innerWidth;
  var said = [w.innerWidth, fits ? 'fits' : 'is too wide', w.getComputedStyle(d.body).backgroundColor];
  function press(key) { d.dispatchEvent(new w.KeyboardEvent('keydown', {key: key, bubbles: true, cancelable: true})); }
  function told() { return d.querySelector('.stepper output').textContent.split(':')[0]; }
  if (d.querySelector('.stepper')) {
    said.push(told());
    ['ArrowRight', 'j', 'j', 'ArrowLeft'].forEach(press);
    said.push(told(), d.querySelectorAll('tr.now').length, d.querySelectorAll('.step.now').length);
    said.push(d.querySelector('.stepper .state').textContent.replace(/\n/g, ''));
  }
  document.body.setAttribute('data-found', said.join('|'));
};
END
    printf '</script>'
  } >frame.html
}

for page in race hostile; do
  chromium --dump-dom "file://$work/$page.html" >dom || skip "Chromium does not start: $(tail -1 browser.log)"
  has dom "<title>$page - floe</title>" # no script of the model has run
  [ "$(grep -o '<script' dom | wc -l)" -eq "$(grep -c '<script' $page.html)" ] || fail 'a script of the model'
  has_not dom '<img'
  has dom '</svg>'
done
# the sequence chart: columns for used instances and channels, arrows for messages, marks for other steps
chromium --dump-dom "file://$work/letters.html" | sed '/id="trace-[0-9]*">end/,/<.section>/!d' >dom
count() { grep -o "$1" dom | wc -l; }
[ "$(sed -n 's/.*<svg class="heads"\(.*\)/\1/; s/<.svg>.*//p' dom | grep -o '<text' | wc -l)" -eq 3 ] || fail 'other columns than Sender, Reader and box'
[ "$(count 'class="arrow buffer"')" -eq 2 ] || fail 'not two arrows to and from the channel'
[ "$(count 'class="arrow"')" -eq 1 ] || fail 'not one arrow between instances'
[ "$(count 'class="dot"')" -eq 4 ] || fail 'not four steps'
has dom '>post (2)</text>'
chromium --dump-dom "file://$work/turns.html" >dom
[ "$(count '<rect [^>]*class="cycle"')" -eq 1 ] || fail 'not one frame around repeated steps'
[ "$(count 'class="step repeated"')" -eq 3 ] || fail 'not three repeated steps in the chart'
has dom '↻ From here the run repeats from state 4</button>'
stepped='|first state, before 4 steps|after step 2 of 4|1|1|counter = 0P[0] = holdingP[1] = holdingP[0].seen = 0P[1].seen = 0"'
# tests/explore/report.mjs has more, at length
for case in 'race 375 1 255, 255, 255' 'race 1280 0 20, 23, 29' 'sweep 375 1 255, 255, 255'; do
  page=${case%% *} case=${case#* }
  width=${case%% *} case=${case#* }
  framed "$page" "$width"
  chromium --window-size=1400,2100 --blink-settings=preferredColorScheme="${case%% *}" --dump-dom "file://$work/frame.html" |
    grep -o 'data-found="[^"]*"' >dom
  has dom "data-found=\"$width|fits|rgb(${case#* })"
  [ "$page" != race ] || has dom "$stepped"
done
finish
