#!/usr/bin/env python3
"""Random Promela programs: floe beside Spin. usage: compare.py FLOE FIRST COUNT [FOLDER [SECONDS]]

Programs FIRST to FIRST + COUNT - 1 of generate.py. States, transitions, and whether there are invalid end states and failing
assertions must be those of Spin; but pan counts the initial state as a transition. Texts of programs that differ are left in
FOLDER. FLOE "-": Spin alone. Programs that Spin refuses, or does not finish, do not count. Exit code 1: some differ, or too few
count. After SECONDS no further program is begun. The last line has the numbers."""
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import generate
import pan


class Refused(Exception):
    """floe refuses the program, with a message."""


def floe(program, path):
    done = subprocess.run([program, "check", "--continue", "--no-trace", "-j1", "--engine=interpreter", path],
                          capture_output=True, text=True, timeout=300)
    if done.returncode == 3 and "error:" in done.stderr:
        raise Refused(re.search(r"error: .*", done.stderr)[0])
    values = dict(re.findall(r"^(states|transitions): (\d+)", done.stdout, re.M))
    if len(values) < 2 or done.returncode > 1:
        return f"exit code {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"
    return (*map(int, (values["states"], values["transitions"])), bool(re.search(r"^deadlock: violated", done.stdout, re.M)),
            bool(re.search(r"^errors: violated", done.stdout, re.M)))


def one(seed, program, results, folder, left):
    text = generate.program(seed)
    path = os.path.join(folder, "program.pml")
    with open(path, "w") as file:
        file.write(text)
    try:
        stored, transitions, ends, assertions = pan.figures(path, seconds=5)
    except pan.Failure as failure:
        results["no result of Spin"] += 1
        print(f"{seed}: {str(failure).strip()[:160]!r}", file=sys.stderr)
        return
    if program == "-":
        results["equal"] += 1
        print(seed, stored, transitions, ends, assertions)
        return
    expected = stored, transitions - 1, ends > 0, assertions > 0
    try:
        found = floe(program, path)
    except Refused as message:
        results["refused"] += 1
        print(f"{seed}: {message}")
        return
    if found == expected:
        results["equal"] += 1
        return
    results["different"] += 1
    print(f"{seed}: floe {found}, Spin {expected}")
    if left:
        os.replace(path, os.path.join(left, f"random-{seed}.pml"))


def main(program, first, count, left=None, seconds=None):
    results, tried = collections.Counter(), 0
    end = time.monotonic() + float(seconds) if seconds else float("inf")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(first) + int(count)):
            if time.monotonic() >= end:
                break
            one(seed, program, results, folder, left)
            tried += 1
    print(", ".join(f"{number} {what}" for what, number in sorted(results.items())))
    return results["different"] or 4 * results["equal"] < max(tried, 1)


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
