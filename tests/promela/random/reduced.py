#!/usr/bin/env python3
"""Random Promela programs with formulas, explored as they are and with --reduce, dead variables also under fairness: the
verdicts are the same, and there are no more states. reduced.py FLOE FIRST COUNT [FOLDER]: programs that differ are left in the folder."""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate

# [fairness]: the reductions that keep it
REDUCTIONS = {"": ("dead", "merge", "merge,dead"), "weak": ("dead",), "strong": ("dead",)}


def atoms(text):
    """Conditions on globals, locals, labels and channels of the program."""
    found = [f"{name} == {value}" for name in re.findall(r"^(?:byte|short|int|unsigned|bit) (g\w*)(?: :| =|;)", text, re.M)
             for value in range(3)]
    for number, body in re.findall(r"^active proctype P(\d+)\(\)(.*)$", text, re.M):
        found += [f"P{number}@{label}" for label in re.findall(r"\b((?:lab|end)\d+):", body)]
        found += [f"P{number}:l{number}_0 == {value}" for value in range(2)]
    return found + [f"len({name}) == 1" for name in re.findall(r"^chan (c\d+) ", text, re.M)] + ["_nr_pr == 1"]


def formula(rng, known):
    a, b = (f"({atom})" for atom in (rng.choice(known), rng.choice(known)))
    return rng.choice([f"[] !{a}", f"<> {a}", f"[] ({a} -> <> {b})", f"!{a} U {b}", f"[] <> {a}", f"<> [] !{a}", f"{a} -> X {b}"])


def program(seed):
    rng = random.Random(seed)
    text = generate.program(seed)
    known = atoms(text)
    return text + "".join(f"ltl f{i} {{ {formula(rng, known)} }}\n" for i in range(rng.randrange(3)))


class Refused(Exception):
    """floe refuses the program, or does not finish."""


def check(floe, path, reduction, fairness):
    fair = [f"--fair={fairness}"] if fairness else []
    done = subprocess.run([floe, "check", "--continue", "-j1", "--engine=interpreter", "--timeout=20", "--max-states=20000",
                           "--json", f"--reduce={reduction}", *fair, path], capture_output=True, text=True, timeout=100)
    if done.returncode not in (0, 1):
        if done.returncode in (2, 3):
            raise Refused
        return f"exit code {done.returncode}: {done.stderr[-400:]}", 0, 0, None
    result = json.loads(done.stdout)
    verdicts = {v["id"]: v["verdict"] for v in result["properties"]}
    if not result["complete"] or "undecided" in verdicts.values():
        raise Refused
    missing = [v["id"] for v in result["properties"] if v["verdict"] == "violated" and not v.get("trace")]
    return verdicts, result["states"], result["transitions"], missing


def is_equal(floe, path, seed, fairness, results):
    verdicts, states, transitions, missing = check(floe, path, "none", fairness)
    for reduction in REDUCTIONS[fairness]:
        found = check(floe, path, reduction, fairness)
        if found[0] != verdicts or found[3] != missing or found[1] > states or found[2] > transitions:
            print(f"{seed} {reduction} {fairness}: {found}, not {verdicts, states, transitions, missing}")
            return False
        results[f"smaller by {reduction} {fairness}"] += found[1] < states
    return True


def one(floe, seed, results, folder, left):
    path = os.path.join(folder, "program.pml")
    text = program(seed)
    with open(path, "w") as file:
        file.write(text)
    try:
        for fairness in REDUCTIONS if "ltl" in text else [""]:
            if not is_equal(floe, path, seed, fairness, results):
                results["different"] += 1
                if left:
                    os.replace(path, os.path.join(left, f"reduced-{seed}.pml"))
                return
    except Refused:
        results["refused"] += 1
        return
    results["equal"] += 1


def main(floe, first, count, left=None):
    results = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(first) + int(count)):
            one(floe, seed, results, folder, left)
    print(", ".join(f"{number} {what}" for what, number in sorted(results.items())))
    return results["different"] or 2 * results["equal"] < int(count)


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
