#!/usr/bin/env python3
"""Speed of floe and of rumur's verifiers on Murphi models, in turn in one run.

usage: rumur.py CORPUS [--floe ./floe] [--rounds 1] [--threads 1 2] [--least 100000] [--models NAME...]

CORPUS has murphi/counts.tsv and murphi/models: all models that rumur explores to the end without an error, of at least
--least states. A run counts only with the states and rules fired of that table. Symmetry reduction and deadlock detection
are off in rumur; floe also looks for deadlocks. Both check invariants and errors. rumur's C code is compiled by
`cc -O3 -march=native`, with its states packed and not packed; the faster one counts.

The unit is processor time (user and system) of whole commands, as other programs may run: states per second of it, times
the number of threads. It excludes compilation, which has columns of its own (floe compiles a model once, too, and keeps the
code). Each round runs every program once; the least time of the rounds counts. Bytes: the most resident memory, by states.
"""
import argparse, csv, json, os, re, resource, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import measured


def compiled(model, folder, packed):
    """The verifier, and the processor time of its compilation."""
    path = os.path.join(folder, 'packed' if packed else 'plain')
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for threads in (1, 2):
        measured.rumur_verifier(model, path + str(threads), threads, 'on' if packed else 'off', 'native')
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return path, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 2


def counted(run):
    match = re.search(r'summary states="(\d+)" rules_fired="(\d+)" errors="0"', run.text)
    return match and (int(match.group(1)), int(match.group(2)))


class Model:
    def __init__(self, row, path):
        self.name, self.path = ' '.join([row['id'], row['variant']]).strip(), path
        self.wanted = int(row['states']), int(row['firings'])
        self.least = {}  # (program, threads): run of the least time
        self.compile = {}

    def keep(self, program, threads, run, found):
        if found != self.wanted:
            print('%s: %s counts %s, not %s' % (self.name, program, found, self.wanted), file=sys.stderr)
            return
        old = self.least.get((program, threads))
        if not old or run.seconds < old.seconds:
            self.least[program, threads] = run

    def measure(self, floe, verifiers, threads):
        run = measured.Run([floe, 'check', '--continue', '--no-trace', '--engine=cpu', '--json=-',
                   '--threads=%d' % threads, self.path])
        result = json.loads(run.text) if run.code in (0, 1) else {}
        self.keep('floe', threads, run, (result.get('states'), result.get('transitions')))
        for packed, path in verifiers.items():
            if threads > 1 and ('rumur', 1) in self.least and self.least['rumur', 1].packed != packed:
                continue
            run = measured.Run([path + str(threads)])
            run.packed = packed
            self.keep('rumur', threads, run, counted(run))

    def row(self, threads):
        ours, theirs = self.least.get(('floe', threads)), self.least.get(('rumur', threads))
        if not ours or not theirs:
            return '| %s | %d | no result | | | | | | |' % (self.name, threads)
        speed = [self.wanted[0] * threads / run.seconds / 1e6 for run in (ours, theirs)]
        bytes_ = [run.bytes / self.wanted[0] for run in (ours, theirs)]
        return '| %s | %d | %d | %.3f | %.3f | %.1f | %.0f | %.0f | %.1f, %.1f |' % (
            self.name, self.wanted[0], threads, *speed, speed[0] / speed[1], *bytes_, self.compile['floe'], self.compile['rumur'])


def chosen(options):
    with open(os.path.join(options.corpus, 'murphi/counts.tsv')) as file:
        for row in csv.DictReader(file, delimiter='\t'):
            path = os.path.join(options.corpus, 'murphi/models', row['family'], row['file'])
            if options.models and row['id'] not in options.models:
                continue
            if row['tool'] == 'rumur' and row['complete'] == 'yes' and row['verdict_no_deadlock'] == 'ok' and \
                    int(row['states']) >= options.least and os.path.exists(path):
                yield Model(row, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--floe', default='./floe')
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--threads', type=int, nargs='*', default=[1, 2], choices=[1, 2])
    parser.add_argument('--least', type=int, default=100000)
    parser.add_argument('--models', nargs='*')
    parser.add_argument('corpus')
    options = parser.parse_args()
    print('| model | states | threads | floe | rumur | ratio | floe B | rumur B | compile s |', flush=True)
    print('|---|---|---|---|---|---|---|---|---|')
    for model in chosen(options):
        with tempfile.TemporaryDirectory() as folder:
            verifiers = {}
            for packed in (True, False):
                verifiers[packed], model.compile['rumur'] = compiled(model.path, folder, packed)
            os.environ['FLOE_CACHE_DIR'] = os.path.join(folder, 'cache')
            first = measured.Run([options.floe, 'check', '--continue', '--no-trace', '--engine=cpu', '--threads=1', model.path])
            for _ in range(options.rounds):
                for threads in options.threads:
                    model.measure(options.floe, verifiers, threads)
            best = model.least.get(('floe', 1))
            model.compile['floe'] = first.seconds - best.seconds if best else 0
        for threads in options.threads:
            print(model.row(threads), flush=True)


if __name__ == '__main__':
    main()
