#!/bin/sh
# --report: one HTML file with everything in it, whatever a model is called; shown by a browser where there is one.
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
for text in '<script' 'http:' 'https:' 'src=' '@import' 'url(' '<link' 'onload'; do has_not race.html "$text"; done
ls | grep -q 'race.html.' && fail "files left over: $(ls)"

# text from the model is text
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
has_not hostile.html '<script'
has_not hostile.html '<img'
sed 's/[^<]*//; s/&[a-z#0-9]*;//g' hostile.html | grep -q '&' && fail 'an ampersand that begins no entity'

# many levels are drawn as some columns; no trace, no states
run 0 check --report=long.html "$here/models/counters.xml" -D N=1 -D K=5000
[ "$(grep -c '<rect class="bar"' long.html)" -le 300 ] || fail 'too many columns'
has long.html 'up to 1 state</title>'
run 2 check --report=short.html --max-depth=0 "$models/race.xml"
has short.html 'undecided'
run 0 count --report=count.html "$models/ring.xml"
has count.html '2 of 2 transitions fired'

# a file that cannot be written; options of another kind of run
run 3 check --report=nowhere/r.html "$models/ring.xml"
says err 'nowhere/r.html cannot be written'
run 3 check --report=r.html --expect "$models/ring.xml"
says err '--report does not go with --expect'
run 3 check --report=r.html --sweep N=2,3 "$models/ring.xml"
[ ! -e r.html ] || fail 'a report nobody gets'

[ "$failures" -eq 0 ] || finish
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'no Chromium; all else is as wanted'
for page in race hostile; do
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom \
    "file://$work/$page.html" >dom 2>browser.log || skip "Chromium does not start: $(tail -1 browser.log)"
  has dom "<title>$page - floe</title>" # no script has run
  has_not dom '<script'
  has_not dom '<img'
  has dom '</svg>'
done
finish
