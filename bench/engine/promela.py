#!/usr/bin/env python3
"""Speed of floe and of Spin's verifiers on public Promela models, in turn in one run.

usage: promela.py CORPUS [--floe ./floe] [--rounds 3] [--threads 1 2] [--least 100000] [--models NAME...] [--default]

CORPUS has promela/counts.tsv and promela/models: all models of at least --least states. A run counts only with the states and
transitions of that table. Both search all states without reductions: `spin -o1 -o2 -o3 -a`, `cc -O2 -DNOREDUCE -DSAFETY
-DNOCLAIM`, depth first, one thread, with a hash table of about twice the states
and a stack of the depth that a first run reached.

The unit is processor time (user and system) of whole commands, as other programs may run: states per second of it, times
the number of threads. It excludes compilation (floe's code is compiled by a run before, and cached). Each round runs every
program once; the median of the rounds counts. Ratios are to one thread of Spin.

--default: beside Spin's default search, with statement merging, dead variables reset and partial-order reduction: how many
states it stores, and how much of its processor time floe needs (one thread; above 1: floe is faster).
"""
import argparse, csv, json, math, os, re, statistics, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import measured


def verifier(model, defines, folder, reduces=False):
    options, macros = ([], []) if reduces else (['-o1', '-o2', '-o3'], ['-DNOREDUCE'])
    subprocess.run(['spin', *options, '-a', *defines, model], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(['cc', '-O2', '-w', *macros, '-DSAFETY', '-DNOCLAIM', '-DVECTORSZ=4096', '-o', 'pan', 'pan.c'], cwd=folder,
                   check=True)
    return os.path.join(folder, 'pan')


def spin_run(pan, folder, states, depth):
    width = max(18, math.ceil(math.log2(states)) + 1)
    run = measured.Run([pan, '-c0', '-n', '-m%d' % depth, '-w%d' % width], folder)
    stored = re.search(r'(\d+) states, stored', run.text)
    transitions = re.search(r'(\d+) transitions \(=', run.text)
    reached = re.search(r'depth reached (\d+)', run.text)
    found = (int(stored.group(1)), int(transitions.group(1))) if stored and transitions else None
    return found, run.seconds, int(reached.group(1)) if reached else depth


def floe_run(floe, model, defines, threads, folder):
    result = os.path.join(folder, 'result.json')
    if os.path.exists(result):
        os.remove(result)
    seconds = measured.Run([floe, 'count', '--engine=cpu', '--continue', '--quiet', '--threads=%d' % threads, '--json=' + result,
                            *defines, model], folder).seconds
    try:
        found = json.load(open(result))
        return (found['states'], found['transitions'] + 1), seconds
    except (OSError, ValueError, KeyError):
        return None, seconds


def compare(row, arguments, corpus):
    model = os.path.join(corpus, 'models', row['file'])
    defines = row['spin_defines'].split()
    wanted = int(row['stored_raw']), int(row['transitions_raw'])
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        pan = verifier(model, defines, folder)
        floe_run(arguments.floe, model, defines, 1, folder)  # compiles
        depth = spin_run(pan, folder, wanted[0], 10000000)[2] + 10  # a larger stack costs seconds
        for _ in range(arguments.rounds):
            found, seconds, _ = spin_run(pan, folder, wanted[0], depth)
            if found != wanted:
                print('%s: Spin counts %s, not %s' % (row['file'], found, wanted), file=sys.stderr)
                return None
            rates.setdefault('spin', []).append(wanted[0] / seconds)
            for threads in arguments.threads:
                found, seconds = floe_run(arguments.floe, model, defines, threads, folder)
                if found != wanted:
                    print('%s: floe counts %s, not %s' % (row['file'], found, wanted), file=sys.stderr)
                    return None
                rates.setdefault(threads, []).append(threads * wanted[0] / seconds)
    return {name: statistics.median(values) for name, values in rates.items()}


def compare_default(row, arguments, corpus):
    """The row of a model in the table beside Spin's default search; None: floe has other counts than the corpus."""
    model = os.path.join(corpus, 'models', row['file'])
    defines = row['spin_defines'].split()
    wanted = int(row['stored_raw']), int(row['transitions_raw'])
    spin, floe = [], []
    with tempfile.TemporaryDirectory() as folder:
        pan = verifier(model, defines, folder, reduces=True)
        floe_run(arguments.floe, model, defines, 1, folder)  # compiles
        reduced, _, depth = spin_run(pan, folder, wanted[0], 10000000)
        for _ in range(arguments.rounds):
            spin.append(spin_run(pan, folder, reduced[0], depth + 10)[1])
            found, seconds = floe_run(arguments.floe, model, defines, 1, folder)
            if found != wanted:
                print('%s: floe counts %s, not %s' % (row['file'], found, wanted), file=sys.stderr)
                return None
            floe.append(seconds)
    seconds = statistics.median(spin), statistics.median(floe)
    return '| %s | %d | %d | %.2f | %.1f |' % (row['file'], wanted[0], reduced[0], reduced[0] / wanted[0], seconds[0] / seconds[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--floe', default='./floe')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--threads', type=int, nargs='*', default=[1, 2])
    parser.add_argument('--least', type=int, default=100000)
    parser.add_argument('--models', nargs='*')
    parser.add_argument('--default', action='store_true')
    parser.add_argument('corpus')
    arguments = parser.parse_args()
    arguments.floe = os.path.abspath(arguments.floe)
    corpus = os.path.abspath(os.path.join(arguments.corpus, 'promela'))
    ratios = {threads: [] for threads in arguments.threads}
    rows = [row for row in csv.DictReader(open(os.path.join(corpus, 'counts.tsv')), delimiter='\t')
            if int(row['stored_raw'] or 0) >= arguments.least and (not arguments.models or row['file'] in arguments.models)]
    if arguments.default:
        print('| model | states | stored by Spin | part | time of Spin / time of floe |\n|---|---|---|---|---|')
        for row in rows:
            text = compare_default(row, arguments, corpus)
            if text:
                print(text, flush=True)
        return
    print('| model | states | Spin, M states/s |%s' % ''.join(' floe, %d | ratio |' % t for t in arguments.threads))
    print('|---|---|---|%s' % ('---|---|' * len(arguments.threads)))
    for row in rows:
        rates = compare(row, arguments, corpus)
        if not rates:
            continue
        text = '| %s | %s | %.3f |' % (row['file'], row['stored_raw'], rates['spin'] / 1e6)
        for threads in arguments.threads:
            ratios[threads].append(rates[threads] / rates['spin'])
            text += ' %.3f | %.1f |' % (rates[threads] / 1e6, ratios[threads][-1])
        print(text, flush=True)
    for threads in arguments.threads:
        if ratios[threads]:
            print('%d threads: median %.1f, least %.1f, greatest %.1f' % (
                threads, statistics.median(ratios[threads]), min(ratios[threads]), max(ratios[threads])))


main()
