#!/usr/bin/env python3
"""Time to decide temporal properties on the CPU, beside Spin's verifier: bench/logic/liveness.py [holds|violated] [NAME...]

Two threads of floe against `pan -a` (`-a -f` for weak fairness) of the model's Promela version, without reductions, same
constants, same property. Runs of both alternate; medians. Seconds of processor time are stated too: they depend less
on other work of the machine. Compile times are apart: gcc -O2 for pan; floe's compiled code comes from its cache, filled
by a run that is not counted. Of violated properties: steps of the run shown (prefix and cycle), for pan with -i, and
without it where -i takes longer than the limit. Environment: FLOE, REPEAT (3), LIMIT (120 s for each run),
SHORTEST_LIMIT (60 s for pan -i)."""
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLOE = os.path.abspath(os.environ.get("FLOE", os.path.join(TOP, "floe")))
REPEAT = int(os.environ.get("REPEAT", "3"))
LIMIT = float(os.environ.get("LIMIT", "120"))
SHORTEST_LIMIT = float(os.environ.get("SHORTEST_LIMIT", "60"))

# model, property, fairness, constants
HOLDS = [
    ("peterson", "progress", "none", "N=5 LEVELS=4"),
    ("peterson", "served", "weak", "N=5 LEVELS=4"),
    ("lamport", "progress", "none", "N=4 BROKEN=0"),
    ("havi", "settles", "none", "N=2 RESETS=4 CAP=1 CURED=1 FULL=1 ONLINE=1"),
    ("bakery", "in_order", "none", "N=3 MAX=16 BROKEN=0"),
    ("szymanski", "progress", "none", "N=4 BROKEN=0"),
    ("rwlock", "progress", "none", "READERS=3 WRITERS=2 BROKEN=0"),
    ("raft", "leads_on", "none", "N=3 TERMS=1 CANDIDATES=2 CAP=1 LOSSY=0 CRASHES=0 BROKEN=0"),
]
VIOLATED = [
    ("peterson", "served", "none", "N=5 LEVELS=4"),
    ("lamport", "progress", "none", "N=4 BROKEN=2"),
    ("havi", "settles", "none", "N=2 RESETS=4 CAP=1 CURED=0 FULL=1 ONLINE=1"),
    ("bakery", "served", "none", "N=3 MAX=6 BROKEN=0"),
    ("szymanski", "served", "none", "N=4 BROKEN=0"),
    ("philosophers", "progress", "none", "N=7 LEFT=0"),
    ("philosophers", "served", "none", "N=7 LEFT=1"),
    ("anderson", "served", "none", "N=4 SLOTS=4 ATOMIC=1 KEEP=0"),
    ("rwlock", "reads", "none", "READERS=3 WRITERS=2 BROKEN=0"),
    ("elevator", "served", "none", "N=3 FLOORS=4 BROKEN=1"),
    ("raft", "leads_on", "none", "N=3 TERMS=1 CANDIDATES=2 CAP=1 LOSSY=0 CRASHES=1 BROKEN=0"),
    ("altbit", "delivered", "none", "CAP=4 D=6 LOSSY=1 BROKEN=0"),
]


class Run:
    """A process that has ended: wall and processor seconds, output; `ended` is False if the limit stopped it."""

    def __init__(self, command, folder=None, limit=LIMIT):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.monotonic()
        self.ended = True
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit, check=False)
            self.text, self.code = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            self.ended, self.text, self.code = False, str(late.stdout or ""), None
        self.wall = time.monotonic() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def build(folder, model, constants, shortest):
    """Spin's verifier; returns the compile time of gcc."""
    shutil.copy(os.path.join(TOP, "tests", "peers", model + ".pml"), os.path.join(folder, "twin.pml"))
    values = ["-D" + constant for constant in constants.split()]
    spin = Run(["spin", "-a", "-o1", "-o2", "-o3", "-DLTL"] + values + ["twin.pml"], folder)
    flags = ["-w", "-O2", "-DNOREDUCE", "-DNFAIR=3", "-DVECTORSZ=8192"] + (["-DREACH"] if shortest else [])
    gcc = Run(["gcc"] + flags + ["-o", "pan", "pan.c"], folder)
    if not os.path.exists(os.path.join(folder, "pan")):
        raise SystemExit(f"{model}: no verifier\n{spin.text}{gcc.text}")
    return gcc.wall


def pan(folder, prop, fairness, more, limit=LIMIT):
    fair = ["-f"] if fairness == "weak" else []
    return Run(["./pan", "-a", "-n", "-w22", "-m1000000", "-N", prop] + fair + more, folder, limit)


def pan_verdict(run):
    for line in run.text.splitlines():
        if "max search depth too small" in line or "out of memory" in line:
            return "unknown"
        if "State-vector" in line and "errors:" in line:
            return "holds" if line.split("errors:")[1].split()[0] == "0" else "violated"
    return "unknown"


def pan_steps(folder):
    """Steps of the processes in the trail; the claim's are not steps of the model."""
    name = os.path.join(folder, "twin.pml.trail")
    if not os.path.exists(name):
        return None
    with open(name, encoding="ascii") as trail:
        lines = [line.split(":") for line in trail if not line.startswith("-")]
    return sum(1 for line in lines if len(line) > 1 and line[1] != "0")


def floe(model, prop, fairness, constants, folder):
    values = [part for constant in constants.split() for part in ("-D", constant)]
    command = [FLOE, "check", "--quiet", "--engine=auto", "--threads=2", "--fair=" + fairness, "-p", prop,
               "--json=" + os.path.join(folder, "floe.json"), "--trace=" + os.path.join(folder, "trace.json")]
    return Run(command + values + [os.path.join(TOP, "models", model + ".xml")])


def floe_result(folder, prop):
    with open(os.path.join(folder, "floe.json"), encoding="utf-8") as file:
        result = json.load(file)
    verdict = [v for v in result["properties"] if v["id"] == prop][0]
    return verdict["verdict"], verdict.get("depth"), result["states"], result["end"]


def median(runs, key):
    return statistics.median(getattr(run, key) for run in runs)


def compare(case, violated):
    model, prop, fairness, constants = case
    with tempfile.TemporaryDirectory() as folder:
        gcc = build(folder, model, constants, False)
        warm = floe(model, prop, fairness, constants, folder)
        theirs, ours = [], []
        for _ in range(REPEAT):
            theirs.append(pan(folder, prop, fairness, []))
            ours.append(floe(model, prop, fairness, constants, folder))
        verdict, depth, states, end = floe_result(folder, prop)
        expected = "violated" if violated else "holds"
        if verdict != expected or not all(run.ended for run in ours):
            return [model, prop, fairness, constants, f"floe: {verdict}, expected: {expected}"]
        seen = pan_verdict(theirs[0]) if theirs[0].ended else "no verdict within the limit"
        row = [model, prop, fairness, constants, f"{states:,}", end, f"{median(theirs, 'wall'):.2f}",
               f"{median(ours, 'wall'):.2f}", f"{median(theirs, 'cpu'):.2f}", f"{median(ours, 'cpu'):.2f}",
               f"{median(theirs, 'wall') / median(ours, 'wall'):.2f}",
               f"{2 * median(theirs, 'cpu') / median(ours, 'cpu'):.2f}", f"{gcc:.1f}",
               f"{warm.wall - ours[0].wall:.1f}", seen]
        if violated:
            first = pan_steps(folder)
            build(folder, model, constants, True)
            os.remove(os.path.join(folder, "twin.pml.trail")) if first is not None else None
            short = pan(folder, prop, fairness, ["-i"], SHORTEST_LIMIT)
            row += [str(depth), str(pan_steps(folder)) + ("" if short.ended else " (-i unfinished)"), str(first),
                    f"{short.wall:.2f}"]
        return row


def main():
    which = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] in ("holds", "violated") else None
    names = sys.argv[2 if which else 1:]
    for kind, cases in (("holds", HOLDS), ("violated", VIOLATED)):
        if which not in (None, kind):
            continue
        head = ["model", "property", "fair", "constants", "states", "end", "pan s", "floe s", "pan cpu s", "floe cpu s",
                "pan / floe", "2 pan cpu / floe cpu", "gcc s", "first run more s", "pan"]
        if kind == "violated":
            head += ["floe steps", "pan -i steps", "pan steps", "pan -i s"]
        print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
        for case in cases:
            if not names or case[0] in names:
                print("| " + " | ".join(compare(case, kind == "violated")) + " |", flush=True)


if __name__ == "__main__":
    main()
