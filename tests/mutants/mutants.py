#!/usr/bin/env python3
"""Mutation tests: makes one small fault at a time in a copy of the tree; the tests must fail.

usage: mutants.py [OPTION]...
  --check         only check that each old text occurs once in its file
  --only=WORD     only the area WORD, or mutations whose file or description contains WORD
  --tree=DIR      configured and built tree to copy (default: the tree of this script)
  --work=DIR      folder of the copies (default: a temporary folder)
  --out=FILE      table of results, rewritten after each mutation (default: mutants.tsv); mutations that it has are not
                  run again
  --before=FILE   table of an earlier run: lists what was killed then and is not now
  --jobs=N        number of copies, each with one mutation at a time (default: 1)
  --limit=S       seconds that one test may take (default: 600)
  --all-tests     continue with all tests of the suite if the named ones pass

Each file AREA.txt in the folder of this script lists the mutations of one area. Entries are separated by blank lines:
  file: the file, from the top of the tree
  what: what goes wrong
  tests: tests that shall fail, from tests/, fastest first
  - old text, which occurs once in the file
  + new text
Several lines with - or + are consecutive lines. Indentation is ignored.

Exit status: 0 all mutations killed, with --before those that were killed before; 1 some survived; 2 an error in the
list or the tree.
"""
import filecmp
import glob
import multiprocessing.pool
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["area", "file", "what", "result", "by", "seconds"]


def fail(text):
    sys.exit(f"mutants.py: {text}")


def read_lists():
    """All mutations, as dictionaries"""
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, "*.txt"))):
        area = os.path.basename(path)[:-4]
        with open(path, encoding="utf-8") as file:
            blocks = re.split(r"\n\s*\n", file.read().strip())
        for block in blocks:
            entry = {"area": area, "old": [], "new": []}
            for line in block.splitlines():
                if line.startswith("#"):
                    continue
                if line[:1] in "-+":
                    entry["old" if line[0] == "-" else "new"].append(line[1:].strip())
                    continue
                key, colon, value = line.partition(": ")
                if not colon or key not in ("file", "what", "tests"):
                    fail(f"{path}: not part of an entry: {line}")
                entry[key] = value.strip()
            if len(entry) == 3:
                continue
            if len(entry) != 6 or not entry["old"]:
                fail(f"{path}: incomplete entry:\n{block}")
            found.append(entry)
    return found


def mutated(entry, tree):
    """The text of the file before and after the mutation"""
    with open(os.path.join(tree, entry["file"]), encoding="utf-8") as file:
        text = file.read()
    places = list(re.finditer(r"\n\s*".join(map(re.escape, entry["old"])), text))
    if len(places) != 1:
        raise ValueError(f"old text found {len(places)} times")
    start, end = places[0].span()
    return text, text[:start] + "\n".join(entry["new"]) + text[end:]


def check(entries, tree):
    """Exit status of --check"""
    wrong = 0
    with open(os.path.join(tree, "Makefile.in"), encoding="utf-8") as file:
        tests = set(re.findall(r"\btests/(\S+)\$\(EXEEXT\)", file.read()))
    for entry in entries:
        try:
            mutated(entry, tree)
            if any(other["what"] == entry["what"] for other in entries if other is not entry):
                raise ValueError("another mutation has this description")
            for test in entry["tests"].split():
                if test not in tests and not os.path.exists(os.path.join(tree, "tests", test)):
                    raise ValueError(f"no test {test}")
        except (OSError, ValueError) as error:
            wrong += 1
            print(f"tests/mutants/{entry['area']}.txt: {entry['what']}: {entry['file']}: {error}")
    print(f"{len(entries) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


def run(command, tree, limit):
    """Exit status and output; None: the time limit was reached, and all processes of the command were ended"""
    process = subprocess.Popen(command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, text=True, errors="replace")
    try:
        output = process.communicate(timeout=limit)[0]
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""


def make(tree, *what):
    code, output = run(["make", "-s", "AM_MAKEFLAGS="] + list(what), tree, 1800)
    return code == 0, output


def copy_tree(tree, target):
    """A built copy. Make files and libtool's files name the folder: they are made again."""
    shutil.copytree(tree, target, symlinks=True, ignore=lambda folder, names: [".git"] if folder == tree else [])
    for path in ["floe"] + glob.glob(os.path.join(target, "**/*.la"), recursive=True):
        if os.path.exists(os.path.join(target, path)):
            os.remove(os.path.join(target, path))
    code, output = run(["sh", "-c", "./config.status -q --recheck && ./config.status -q"], target, 1800)
    good = code == 0
    if good:
        good, output = make(target, "all")
    if good:
        good, output = make(target, "check", "TESTS=")
    if not good:
        fail(f"the copy of {tree} does not build:\n{output[-2000:]}")


def run_test(tree, test, limit):
    """failed, passed, timeout, skipped, or the error of a build that failed"""
    path = "tests/" + test
    program = path if not test.endswith(".sh") else ""
    if not program:
        good, output = make(tree, "all", *helpers(tree, path))
        if not good:
            return error_of(output)
    result = os.path.join(tree, path + ".trs")
    if os.path.exists(result):
        os.remove(result)
    code, output = run(["make", "-s", "AM_MAKEFLAGS=", "check-TESTS", "TESTS=" + path, "check_PROGRAMS=" + program,
                        "check_LTLIBRARIES="], tree, limit)
    if code is None:
        return "timeout"
    if not os.path.exists(result):
        return error_of(output)
    with open(result, encoding="utf-8") as file:
        word = re.search(r"test-result: (\w+)", file.read()).group(1)
    return {"PASS": "passed", "SKIP": "skipped"}.get(word, "failed")


def error_of(output):
    return (re.findall(r".*error: .*", output) or ["does not build"])[0]


def make_list(tree, name):
    """A variable of the make file, as a list"""
    code, output = run(["make", "-s", f"--eval=print-list: ; @echo $({name})", "print-list"], tree, 60)
    return output.split() if code == 0 else []


def helpers(tree, path):
    """Programs of make check whose names occur in the script"""
    with open(os.path.join(tree, path), encoding="utf-8") as file:
        words = set(re.findall(r"\w+", file.read()))
    return [program for program in make_list(tree, "check_PROGRAMS") if os.path.basename(program) in words]


def kill(entry, tree, options):
    """result and test"""
    text, changed = mutated(entry, tree)
    path = os.path.join(tree, entry["file"])
    # models compiled by another mutation must not be found
    for name in glob.glob(os.path.join(tree, "test-cache", "*")):
        if os.path.basename(name) != "kernels":
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)
        tests = entry["tests"].split()
        if options["all"]:
            tests += [test for test in (path[len("tests/"):] for path in make_list(tree, "TESTS")) if test not in tests]
        skipped = []
        for test in tests:
            result = run_test(tree, test, options["limit"])
            if result in ("failed", "timeout"):
                return "killed", test + (" (timeout)" if result == "timeout" else "")
            if result == "skipped":
                skipped.append(f"{test} skipped")
            elif result != "passed":
                return "error", f"{test}: {result}"
        return "survived", ", ".join(skipped)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def read_table(path):
    """Entries by their descriptions, which stay when code moves to another file"""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return {entry["what"]: entry for entry in (dict(zip(COLUMNS, row)) for row in rows)}


def write_table(path, results):
    with open(path + ".new", "w", encoding="utf-8") as file:
        for row in [COLUMNS] + [[str(entry[column]) for column in COLUMNS] for entry in results]:
            file.write("\t".join(row) + "\n")
    os.replace(path + ".new", path)


def prepare(entries, tree, work, jobs):
    """The copies; what an interrupted run changed there is restored"""
    copies = [os.path.join(work, str(job)) for job in range(jobs)]
    for copy in copies:
        if not os.path.exists(copy):
            copy_tree(tree, copy)
        for file in {entry["file"] for entry in entries}:
            mine, theirs = os.path.join(copy, file), os.path.join(tree, file)
            if os.path.exists(mine) and not filecmp.cmp(theirs, mine, shallow=False):
                shutil.copyfile(theirs, mine)
    return copies


def mutate_all(entries, tree, options):
    """Exit status of a run"""
    lock = threading.Lock()
    done = read_table(options["out"])
    before = read_table(options["before"]) if options["before"] else None
    work = options["work"] or tempfile.mkdtemp(prefix="mutants-")
    free = prepare(entries, tree, work, options["jobs"])

    def one(entry):
        start = time.time()
        with lock:
            copy = free.pop()
        try:
            entry["result"], entry["by"] = kill(entry, copy, options)
        except (OSError, ValueError) as error:
            entry["result"], entry["by"] = "error", str(error)
        entry["seconds"] = round(time.time() - start)
        with lock:
            free.append(copy)
            done[entry["what"]] = entry
            print(f"{entry['result']}: {entry['area']}: {entry['what']} ({entry['by']}, {entry['seconds']} s)",
                  flush=True)
            write_table(options["out"], done.values())

    with multiprocessing.pool.ThreadPool(options["jobs"]) as pool:
        pool.map(one, [entry for entry in entries if entry["what"] not in done], chunksize=1)
    if not options["work"]:
        shutil.rmtree(work)
    results = [done[entry["what"]]["result"] for entry in entries]
    print(", ".join(f"{results.count(word)} {word}" for word in ("killed", "survived", "error")))
    lost = [entry for entry in entries if done[entry["what"]]["result"] == "survived"]
    if before is not None:
        lost = [entry for entry in lost if before.get(entry["what"], {}).get("result") == "killed"]
        for entry in lost:
            print(f"killed before, survives now: {entry['area']}: {entry['file']}: {entry['what']}")
    return 2 if "error" in results else 1 if lost else 0


def main():
    options = {"check": False, "all": False, "only": "", "tree": os.path.join(HERE, "..", ".."), "work": "",
               "before": "", "out": "mutants.tsv", "jobs": "1", "limit": "600"}
    for word in sys.argv[1:]:
        name, equals, value = word.removeprefix("--").partition("=")
        if word in ("--check", "--all-tests"):
            options[name.removesuffix("-tests")] = True
        elif equals and name in ("only", "tree", "work", "out", "before", "jobs", "limit"):
            options[name] = value
        else:
            print(__doc__)
            return 0 if word == "--help" else 2
    options["jobs"], options["limit"] = int(options["jobs"]), float(options["limit"])
    only, tree = options["only"], os.path.realpath(options["tree"])
    entries = read_lists()
    if any(entry["area"] == only for entry in entries):
        entries = [entry for entry in entries if entry["area"] == only]
    else:
        entries = [entry for entry in entries if only in entry["file"] or only in entry["what"]]
    if not entries:
        fail(f"no mutation of {only}")
    return check(entries, tree) if options["check"] else mutate_all(entries, tree, options)


if __name__ == "__main__":
    sys.exit(main())
