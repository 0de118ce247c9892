#!/usr/bin/env python3
"""Whether --encoding=auto chooses the faster encoding, and how long the first search of a model takes.

    bench/encoding/choice.py [--floe ./floe] [--engine gpu] [--jobs 4] [--rounds 3] [--out FILE] [MODEL...]

Each case of an `expect` element of the models (default: all of the distribution) is counted by fields, by index keys
and by floe's choice: once with an empty cache of compiled code (total seconds, of which compilation), then, if it has
200,000 states, ROUNDS times with the cache (median seconds of exploration). JOBS cases run at the same time in the
first round; the others run one at a time. The cost of an encoding is its median exploration; for searches of less than
a second, the total of the first run. A table with tabulators: the case, states, and for each way seconds of compilation,
total and exploration, encoding and table; then the cases in which the choice costs more than 1.15 times the better of
both, and those that compile for more than 4 s.
"""
import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

MANY = 200_000  # states; smaller searches are measured once
WAYS = ("fields", "rank", "auto")


def cases(models):
    for model in models:
        with open(model, encoding="utf-8") as text:
            for found in re.finditer(r'<expect\s+(?:constants="([^"]*)"\s+)?states="(\d+)"', text.read()):
                yield model, re.findall(r"\w+=-?\w+", found.group(1) or ""), int(found.group(2))


def name_of(case):
    return " ".join([os.path.basename(case[0])[:-4], *case[1]])


def count(options, cache, case, way):
    model, constants, states = case
    command = [options.floe, "count", "--engine=" + options.engine, "--encoding=" + way, "--json", "--quiet", "--continue",
               *options.option, *("-D" + c for c in constants), model]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, FLOE_CACHE_DIR=cache, CUDA_CACHE_DISABLE="1"))
    if done.returncode > 2 or not done.stdout.startswith("{"):
        return None
    result = json.loads(done.stdout)
    if result["states"] != states:
        sys.exit(f"{' '.join(command)}: {result['states']} states, not {states}")
    return result


def first(options, folder, case):
    results = {}
    for way in options.ways.split(","):
        cache = tempfile.mkdtemp(dir=folder)
        results[way] = (cache, count(options, cache, case, way))
    return results


def measure(options, case, results):
    row = {}
    for way, (cache, cold) in results.items():
        if not cold:
            continue
        seconds = cold["seconds"]
        runs = [count(options, cache, case, way)["seconds"] for _ in range(options.rounds if case[2] >= MANY else 0)]
        explore = statistics.median(r["explore"] for r in runs or [seconds])
        row[way] = {"compile": seconds["compile"], "total": seconds["total"], "explore": explore,
                    "encoding": cold["encoding"],
                    "table": cold["table"], "key_bits": cold["key_bits"],
                    "cost": seconds["total"] if explore < 1 else explore}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.join(os.path.dirname(__file__), "..", "..")
    parser.add_argument("--floe", default="./floe")
    parser.add_argument("--engine", default="gpu")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", default=",".join(WAYS), help="separated by commas")
    parser.add_argument("--option", action="append", default=[], help="of floe count, for all runs")
    parser.add_argument("--case", action="append", default=[], help="only this case, MODEL NAME=VALUE...")
    parser.add_argument("--least", type=int, default=0, help="only cases of so many states or more")
    parser.add_argument("--most", type=int, default=1 << 62, help="only cases of so many states or fewer")
    parser.add_argument("--out", help="file for all figures, as JSON")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    folder = os.path.join(here, "models")
    models = options.models or sorted(os.path.join(folder, m) for m in os.listdir(folder) if m.endswith(".xml"))
    rows = []
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = [c for c in cases(models) if options.least <= c[2] <= options.most and (not options.case or name_of(c) in options.case)]
        for case, results in zip(todo, list(pool.map(lambda c: first(options, work, c), todo))):
            row = measure(options, case, results)
            name = name_of(case)
            rows.append({"case": name, "states": case[2], **row})
            figures = ("{compile:.2f} {total:.2f} {explore:.4f} {encoding} {table}".format(**row[w]) if w in row else "-" for w in WAYS)
            print(name, case[2], *figures, sep="\t", flush=True)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as out:
            json.dump(rows, out)
    both = [r for r in rows if all(w in r for w in WAYS)]
    worse = [(r["auto"]["cost"] / min(r[w]["cost"] for w in WAYS), r["case"]) for r in both]
    for ratio, name in sorted((w for w in worse if w[0] > 1.15), reverse=True):
        print(f"choice {ratio:.2f} times the better: {name}")
    for r in rows:
        if "auto" in r and r["auto"]["compile"] > 4:
            print(f"compiles for {r['auto']['compile']:.1f} s: {r['case']}")
    print(f"{len(rows)} cases, {len(both)} with both encodings")


if __name__ == "__main__":
    main()
