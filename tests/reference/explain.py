#!/usr/bin/env python3
"""explain.py: compares floe's explanations with the judge (judge.py), on random models.

  explain.py [--models N] [--first SEED] [--keep FOLDER] [--alter THIS=>THAT]

Every fifth model is of random_models.py with `else` and bound fields, the others are of random_explained.py. Compares every part
of `waiting` (deadlocks) and of `why` (transitions that never fired). Prints what differs, keeps such models in FOLDER, and in the end a line
`N passed, N failed`. Exit code 1: there was a difference.
"""
import argparse
import os
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compare import FloeFailed, Run
from explore import Exploration, TooLarge
from judge import Judge
from printed import plain
from random_explained import ExplainedModel
from random_models import Generator

MOST_STATES = 40


class Figures:
    def __init__(self):
        self.passed = self.failed = self.refused = self.large = self.blocked = self.unfired = self.conditions = 0


def model_of(seed):
    """Text and definitions of a model"""
    if seed % 5 == 0:
        made = Generator(seed, features=('else', 'fields'))
        return made.text, made.defines
    return ExplainedModel(seed).text, {}


def compare_waiting(judge, trace, figures):
    """Differences of the blocked transitions of a deadlock"""
    states = [state for state, depth in judge.states.items() if depth == len(trace['steps']) and judge.shows(trace['last'], state)]
    if not states:
        return ['no such state: %s' % trace['last']]
    judge.state = states[0]
    return compare_blocked(judge, states[0], list(judge.waiting(states[0])), trace['waiting'], figures)


def compare_blocked(judge, state, wanted, listed, figures):
    """Differences of a list of blocked transitions"""
    problems = []
    if len(wanted) != len(listed):
        return ['%d blocked transitions, floe has %d' % (len(wanted), len(listed))]
    for expected, found in zip(wanted, listed):
        head, obstacles, attempt = expected[:6], expected[6], expected[7]
        figures.blocked += 1
        figures.conditions += len(obstacles)
        if head != tuple(found[name] for name in ('process', 'location', 'label', 'to', 'line', 'parameters')):
            problems.append('expected %s, floe says %s' % (head, found))
        elif [kind for kind, _ in obstacles] != [one['kind'] for one in found['obstacles']] or any(
                one['text'] not in texts for (_, texts), one in zip(obstacles, found['obstacles'])):
            problems.append('%s: expected %s, floe says %s' % (head, obstacles, found['obstacles']))
        problems += ['%s: %s is not %s' % (head, text, value) for one in found['obstacles'] for text, value in one['values'].items()
                     if judge.value_of(text, attempt, state) != plain(value)]
        if head[4] is not None and not found['obstacles']:
            problems.append('%s: nothing blocks it' % (head,))
    return problems


def compare_why(judge, edge, why, figures):
    """Differences of the explanation of one transition"""
    counts, (met, depth, nearest) = judge.unfired(edge)
    conditions = judge.conditions[id(edge)] if edge.attempts else []
    figures.unfired += 1
    figures.conditions += len(conditions)
    expected = [(text, n) for (_, text, _), n in zip(conditions, counts)]
    found = [(one['text'], one['states']) for one in why['conditions']]
    if expected != found or why['states'] != len(judge.states):
        return ['expected %s of %d states, floe says %s of %d' % (expected, len(judge.states), found, why['states'])]
    if not conditions:
        return []
    if (met, depth) != (why['met'], why['depth']):
        return ['the nearest state is at depth %d with %d conditions, floe says %d with %d' % (depth, met, why['depth'], why['met'])]
    for state, (values, who) in nearest.items():
        if judge.shows(why['state'], state) and values == [one['met'] for one in why['conditions']] and who == why['who']:
            return []
    return ['the nearest states are %s, floe says %s' % ([(judge.rendered(s), v) for s, v in nearest.items()], why)]


def compare_unfired(judge, exploration, listed, figures):
    """A receiver of a broadcast may be missing: those that could take part count as firing (doc/limits.md)."""
    problems, by_line = [], {one['line']: one for one in listed}
    for edge in judge.edges:
        found = by_line.pop(edge.line, None)
        fired = edge.element in exploration.fired
        hears = edge.channel is not None and not edge.sends and edge.channel.broadcast
        if found and fired or not found and not fired and not hears:
            problems.append('line %d fired: %s, floe says %s' % (edge.line, fired, not found))
        elif found:
            problems += ['line %d: %s' % (edge.line, text) for text in compare_why(judge, edge, found['why'], figures)]
    return problems + ['no transition at line %d' % line for line in by_line]


def depths(exploration):
    """The depth of every state"""
    level, known = [exploration.model.initial], {exploration.model.initial: 0}
    while level:
        level = [new for state in level for _, new in exploration.steps.of(state)
                 if new is not None and known.setdefault(new, known[state] + 1) == known[state] + 1]
        level = list(dict.fromkeys(level))
    return known


def compare(options, path, seed, figures):
    """None: the model is too large or refused."""
    text, defines = model_of(seed)
    with open(path, 'w') as file:
        file.write(text)
    arguments = ['check', '--continue', '--json', '--why-never', '--engine=interpreter', '-j1', '--max-states=2000']
    run = Run(options.floe, arguments + ['-D%s=%d' % pair for pair in defines.items()] + [path], options.alter)
    judge = Judge(ElementTree.fromstring(text), text, defines.items())
    try:
        exploration = Exploration(judge.model, max_states=MOST_STATES, steps=judge.steps)
        judge.states = depths(exploration)
        found = run.json()[1]
    except TooLarge:
        run.cancel()
        figures.large += 1
        return None
    except FloeFailed as reason:
        if reason.code != 3:
            return ['floe ends with ' + str(reason)]
        figures.refused += 1
        return None
    problems = compare_unfired(judge, exploration, found['never_enabled'], figures)
    for one in found['properties']:
        if one['id'] == 'deadlock' and one.get('trace'):
            problems += compare_waiting(judge, one['trace'], figures)
    return problems


def argument_parser(description, models):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--models', type=int, default=models, help='compared, not counting those that are too large or refused')
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--keep', default='.')
    parser.add_argument('--floe', default=os.environ.get('FLOE', './floe'))
    parser.add_argument('--alter', type=lambda text: text.split('=>'), metavar='THIS=>THAT', help='change the output, to see that it is noticed')
    return parser


def compare_models(options, compare, name, summary):
    """One model a seed. compare(options, path, seed, figures): its differences; None: it is too large or refused. Models that
    differ are kept as NAME-SEED.xml. Ends the program; `summary` is formatted with the figures."""
    work, figures, seed = tempfile.mkdtemp(), Figures(), options.first
    path = os.path.join(work, 'model.xml')
    while figures.passed + figures.failed < options.models and figures.large + figures.refused <= 100 + options.models:
        problems = compare(options, path, seed, figures)
        if problems:
            figures.failed += 1
            kept = os.path.join(options.keep, '%s-%d.xml' % (name, seed))
            shutil.copy(path, kept)
            print('seed %d: %s (kept as %s)' % (seed, '\n  '.join(problems), kept), flush=True)
        elif problems is not None:
            figures.passed += 1
        seed += 1
    shutil.rmtree(work)
    print(summary % vars(figures))
    print('%d passed, %d failed' % (figures.passed, figures.failed))
    sys.exit(1 if figures.failed or not figures.passed else 0)


def main():
    compare_models(argument_parser(__doc__, 500).parse_args(), compare, 'explained',
                   '%(blocked)d blocked transitions, %(unfired)d that never fired, %(conditions)d conditions; '
                   '%(refused)d models refused, %(large)d too large')


if __name__ == '__main__':
    main()
