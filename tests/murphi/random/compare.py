#!/usr/bin/env python3
"""Random Murphi programs: floe beside rumur. usage: compare.py FLOE FIRST COUNT [FOLDER]

Programs FIRST to FIRST + COUNT - 1 of generate.py. Both tools continue behind errors. They do so in different ways when a
property fails (rumur does not expand such a state); so:
- without such a failure, states and rules fired must be equal, and without any error the number of deadlocks as well;
- the first error must have the same depth and a kind that rumur reports there; rumur's first invariants must be violated in floe.
In every third program invariants are liveness properties; without an error the same ones must be violated. For rumur, which
checks them only if there is no error, deadlocks are none there.
Texts of programs that differ are left in FOLDER. Exit code 1: there are some; 77: no rumur.
"""
import json, os, re, shutil, subprocess, sys, tempfile
import xml.etree.ElementTree as xml

import generate

MOST_STATES, SECONDS = 30000, 20
KINDS = [('assertion', r'Assertion failed|^assertion fails'), ('no result', r'reached without'), ('stop', r'^stop'),
         ('deadlock', r'^deadlock'), ('invariant', r'^invariant "'),
         ('runtime', r'undefined|out of range|out-of-range|outside|division by zero|modulus by zero')]


class Skip(Exception):
    pass


def kind(text):
    for name, pattern in KINDS:
        if re.search(pattern, text):
            return name
    raise ValueError('error of an unknown kind: ' + text)


def run(command, seconds=SECONDS):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Skip('time')


class Result:
    """first: twice the number of steps to the state, 1 more if a step of the state fails; kinds, ids: those of the first"""
    states = fired = deadlocks = first = None
    property_fails = error = False

    def __init__(self):
        self.kinds, self.ids = set(), set()
        self.not_live = set()  # names of liveness properties that are violated

    def add(self, depth, kind, id=None):
        self.error = True
        self.property_fails |= depth % 2 == 0
        if self.first is None or depth < self.first:
            self.first, self.kinds, self.ids = depth, set(), set()
        if depth == self.first:
            self.kinds.add(kind)
            if id:
                self.ids.add(id)


def rumur(path, folder, live):
    source, program = os.path.join(folder, 'verifier.c'), os.path.join(folder, 'verifier')
    done = run(['rumur', '--quiet', '--value-type', 'int32_t', '--symmetry-reduction', 'off', '--deadlock-detection', 'off' if live else 'stuttering',
                '--max-errors', '1000000000', '--output-format', 'machine-readable', '--threads', '1', '-o', source, path])
    if done.returncode:
        raise Skip('rejected by rumur: ' + done.stderr.strip().split('\n')[0][:150])
    done = run(['cc', '-O0', '-w', '-o', program, source, '-lpthread'], 120)
    if done.returncode:
        raise Skip('not compiled: ' + done.stderr[:150])
    done = run([program])
    try:
        tree = xml.fromstring(done.stdout)
    except xml.ParseError:
        raise Skip('output of rumur: ' + done.stdout[-100:] + done.stderr[-100:])
    result = Result()
    summary = tree.find('summary')
    result.states, result.fired, result.deadlocks = int(summary.get('states')), int(summary.get('rules_fired')), None if live else 0
    for error in tree.iter('error'):
        text = error.find('message').text or ''
        live = re.match('liveness property "(.*)" violated', text)
        if live:
            result.not_live.add(live.group(1))
            continue
        steps, what = len(error.findall('transition')) - 1, kind(text)
        if what == 'deadlock':
            result.deadlocks += 1
        elif what == 'invariant':
            result.add(2 * steps, what, re.search('"(.*)"', text).group(1))
        else:
            result.add(2 * steps if 'within property' in text or steps == 0 else 2 * steps - 1, what)
    return result


def floe(program, path, properties_from, options):
    """Result, or None: an error in a start state."""
    done = run([program, 'check', '--continue', '--no-trace', '--json=-', '-j1', '--max-states=%d' % MOST_STATES, *options, path])
    if done.returncode == 3 and 'start' in done.stderr:
        return None
    if 'the model is too large' in done.stderr:
        raise Skip('too large for floe')
    if done.returncode not in (0, 1, 2):
        raise ValueError('exit code %d: %s' % (done.returncode, done.stderr))
    found = json.loads(done.stdout)
    if done.returncode == 2 and found['states'] >= MOST_STATES:
        raise Skip('large')
    result = Result()
    result.states, result.fired, result.deadlocks = found['states'], found['transitions'], found['deadlocks']
    for one in found['properties']:
        if one['kind'] == 'errors' and one['verdict'] == 'violated':
            line = int(re.search(r':(\d+)\)$', one['cause']).group(1))
            result.add(2 * one['depth'] + (line < properties_from), kind(one['cause']))
        elif one['kind'] == 'invariant' and one['verdict'] == 'violated':
            result.add(2 * one['depth'], 'invariant', one['id'])
        elif one['kind'] == 'recoverable' and one['verdict'] == 'violated':
            result.not_live.add(re.sub(r' \(\d+\)$', '', one['id']))  # of several choices in a ruleset
        elif one['verdict'] == 'undecided' and one['undecided'] == 'evaluation':
            result.property_fails = True
    return result


def differences(ours, theirs):
    if ours is None:
        return [] if theirs.first == 0 else ['floe: error in a start state; rumur: none']
    found = []
    if ours.error != theirs.error:
        return ['floe: %s; rumur: %s' % (ours.kinds or 'no error', theirs.kinds or 'no error')]
    if ours.error:
        # floe's line may be that of a function that a property calls, or of a step of the same state
        depths = {ours.first, ours.first - 1} if ours.property_fails and ours.kinds != {'invariant'} else {ours.first}
        if theirs.first not in depths:
            found.append('first error: floe %s %s, rumur %s %s' % (ours.first, ours.kinds, theirs.first, theirs.kinds))
        # of the properties of a state rumur reports the first that fails
        elif theirs.first == ours.first and not (theirs.ids <= ours.ids and (
                ours.kinds & theirs.kinds if ours.first % 2 == 0 else ours.kinds <= theirs.kinds)):
            found.append('kinds: floe %s %s, rumur %s %s' % (ours.kinds, ours.ids, theirs.kinds, theirs.ids))
    if not ours.property_fails and not theirs.property_fails:
        if (ours.states, ours.fired) != (theirs.states, theirs.fired):
            found.append('states and rules fired: floe %d %d, rumur %d %d' % (ours.states, ours.fired, theirs.states, theirs.fired))
        if not ours.error and theirs.deadlocks not in (None, ours.deadlocks):
            found.append('deadlocks: floe %d, rumur %d' % (ours.deadlocks, theirs.deadlocks))
    if not ours.error and ours.not_live != theirs.not_live:
        found.append('liveness: floe %s, rumur %s' % (ours.not_live, theirs.not_live))
    return found


def main():
    program, first, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    if not shutil.which('rumur'):
        print('skipped: rumur is not installed')
        return 77
    kept = sys.argv[4] if len(sys.argv) > 4 else '.'
    wrong, skipped, counts = 0, {}, {'without an error': 0, 'failing steps': 0, 'failing properties': 0, 'failing start states': 0, 'violated liveness properties': 0}
    states = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            text, properties_from = generate.program(seed)
            live = seed % 3 == 0
            if live:
                text = text.replace('invariant "', 'liveness "')
            path = os.path.join(folder, 'random-%d.m' % seed)
            with open(path, 'w') as file:
                file.write(text)
            try:
                options = os.environ.get('FLOE_OPTIONS', '').split()
                ours = floe(program, path, properties_from, options)
                theirs = rumur(path, folder, live)
                found = differences(ours, theirs)
                key = 'failing start states' if ours is None else 'without an error' if not ours.error else \
                    'failing properties' if ours.property_fails else 'failing steps'
                counts[key] += 1
                states += theirs.states
                counts['violated liveness properties'] += 0 if ours is None or ours.error else len(theirs.not_live)
                if os.environ.get('VERBOSE'):
                    print('program %d: %d states, %d rules fired, %s' % (seed, theirs.states, theirs.fired, key))
            except Skip as why:
                skipped[str(why)] = skipped.get(str(why), 0) + 1
                found = []
            except ValueError as why:
                found = [str(why)]
            if found:
                wrong += 1
                shutil.copy(path, kept)
                print('program %d: %s' % (seed, '; '.join(found)))
    for why, number in sorted(skipped.items(), key=lambda item: -item[1]):
        print('not compared: %d: %s' % (number, why))
    print('%s; %d states of rumur; %d different' % (', '.join('%s: %d' % item for item in counts.items()), states, wrong))
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main())
