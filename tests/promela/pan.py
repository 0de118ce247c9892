"""Spin's figures of a Promela model: every statement a step, nothing reduced (-o1 -o2 -o3, NOREDUCE), depth first."""
import os
import re
import subprocess
import tempfile

GENERATE = ["-o1", "-o2", "-o3", "-a"]
COMPILE = ["-O0", "-w", "-DNOREDUCE", "-DVECTORSZ=8192", "-DMEMLIM=2000"]
SAFETY = ["-DSAFETY", "-DNOCLAIM"]


class Failure(Exception):
    """Spin or the C compiler refuses the model, or pan does not finish."""


def call(command, folder, seconds):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[0]}: not finished after {seconds} s") from None
    return done.returncode, done.stdout + done.stderr


def number(text, pattern):
    found = re.search(pattern, text)
    if not found:
        raise Failure("pan: " + text[-500:])
    return int(found[1])


def build(model, folder, generate=(), flags=SAFETY):
    """Makes folder/pan of a model."""
    code, output = call(["spin", *GENERATE, *generate, os.path.abspath(model)], folder, 60)
    if code or not os.path.exists(os.path.join(folder, "pan.c")):
        raise Failure("spin: " + output[:2000])
    code, output = call(["cc", *COMPILE, *flags, "-o", "pan", "pan.c"], folder, 120)
    if code:
        raise Failure("cc: " + output[:2000])


def run(folder, options, seconds=60):
    _, output = call(["./pan", "-c0", "-n", "-m100000", *options], folder, seconds)
    if "max search depth too small" in output or "Search not completed" in output:
        raise Failure("pan: " + output[:500])
    return output


def figures(model, generate=(), seconds=60):
    """Stored states, transitions, invalid end states, failing assertions; all as pan counts them."""
    with tempfile.TemporaryDirectory() as folder:
        build(model, folder, generate)
        all_of_it = run(folder, ["-A"], seconds)
        ends = number(all_of_it, r"errors: (\d+)")
        assertions = number(run(folder, ["-E"], seconds), r"errors: (\d+)")
        if re.search(r"^(no)?trace\b", open(model).read(), re.M):
            ends -= number(run(folder, ["-A", "-E"], seconds), r"errors: (\d+)")
        stored = number(all_of_it, r"(\d+) states, stored")
        return stored, stored + number(all_of_it, r"(\d+) states, matched"), ends, assertions
