#!/bin/sh
# Every console block of the tutorial: the command is run among the models, and prints what the block shows. [...] stands
# for any lines, or for anything within a line.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v python3 >/dev/null || skip 'no python3'
cat >compare.py <<'END'
import os, re, subprocess, sys
document, floe, folder = sys.argv[1:]
failures = count = 0
for block in re.findall(r"^```console\n\$ (.*?)^```$", open(document).read(), re.S | re.M):
    command, _, wanted = block.partition("\n")
    words = command.split()
    assert words[0] == "floe", command
    run = subprocess.run([floe] + words[1:], cwd=folder, capture_output=True, text=True)
    pattern = re.escape(wanted).replace(re.escape("[...]") + "\\\n", r"(?:[^\n]*\n)*").replace(re.escape("[...]"), r"[^\n]*")
    count += 1
    if run.returncode > 1 or not re.fullmatch(pattern, run.stdout):
        failures += 1
        print(f"$ {command}\nwanted:\n{wanted}\nfound (exit code {run.returncode}):\n{run.stdout[:3000]}{run.stderr[:1000]}")
assert count >= 8, f"only {count} blocks"
sys.exit(failures > 0)
END
python3 compare.py "$here/doc/tutorial.md" "$floe" "$here/models" >why 2>&1 || fail "$(cat why)"
finish
