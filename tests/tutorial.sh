#!/bin/sh
# The tutorial: its first model and its changes equal the files of doc/examples, and every command, in a console block or in the
# text, runs next to copies of these and prints the text of the block. [...] matches any lines, or any text within a line.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v python3 >/dev/null || skip 'no python3'
cp "$here"/doc/examples/lock*.xml "$here"/doc/examples/*.dve "$here"/doc/examples/*.m "$here"/doc/examples/*.pml "$here"/doc/examples/kitchen* . && ln -s "$here/models" models || exit 99
cat >compare.py <<'END'
import difflib, re, subprocess, sys
document, floe = open(sys.argv[1]).read(), sys.argv[2]
failures = 0

def complain(what):
    global failures
    failures += 1
    print(what)

def stage(number):
    return open(f"lock{number}.xml").read()

def changed(one, other):
    lines = difflib.unified_diff(stage(one).splitlines(), stage(other).splitlines(), n=1, lineterm="")
    return "".join(line + "\n" for line in list(lines)[2:] if not line.startswith("@@"))

def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", document, re.S | re.M)

def runs(command):
    words = command.split()
    assert words[0] == "floe", command
    return subprocess.run([floe] + words[1:], capture_output=True, text=True, stdin=subprocess.DEVNULL)

if blocks("xml") != [stage(1)]:
    complain("the tutorial's model is not doc/examples/lock1.xml")
if blocks("dve") != [open("bridge.dve").read()]:
    complain("the bridge is not doc/examples/bridge.dve")
if blocks("murphi") != [open("cache.m").read()]:
    complain("the model of caches is not doc/examples/cache.m")
if blocks("promela") != [open("server.pml").read()]:
    complain("the model of a server is not doc/examples/server.pml")
changes = [changed(number, number + 1) for number in range(1, 5)]
if blocks("diff") != changes:
    complain("the tutorial's changes are not those of doc/examples:\n" + "\n".join(changes))
count = 0
for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks("console")), re.M):
    run = runs(command)
    pattern = re.escape(wanted).replace(re.escape("[...]") + "\\\n", r"(?:[^\n]*\n)*").replace(re.escape("[...]"), r"[^\n]*")
    count += 1
    if run.returncode != ("violated" in run.stdout) or not re.fullmatch(pattern, run.stdout):
        complain(f"$ {command}\nwanted:\n{wanted}\nfound (exit code {run.returncode}):\n{run.stdout[:3000]}{run.stderr[:1000]}")
in_text = re.findall(r"`(floe [^`]*)`", document)
for command in in_text:
    run = runs(command)
    if run.returncode != ("violated" in run.stdout and not command.startswith("floe replay")):
        complain(f"{command}: exit code {run.returncode}\n{run.stderr[:1000]}")
if "mutex" not in open("lock.html").read():
    complain("the report does not tell of mutex")
if count < 6 or len(in_text) < 8:
    complain(f"only {count} commands in blocks, {len(in_text)} in the text")
sys.exit(failures > 0)
END
python3 compare.py "$here/doc/tutorial.md" "$floe" >why 2>&1 || fail "$(cat why)"
finish
