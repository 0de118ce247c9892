#!/usr/bin/env python3
"""expanded.py: compares expansions of states (floe_expand) with the reference, on the random models of explain.py.

  expanded.py [--models N] [--first SEED] [--keep FOLDER] [--alter THIS=>THAT] --program EXPAND_ALL

The program prints every state with its values, its steps and their successors, and its blocked transitions. All of them are
compared. Prints what differs, keeps such models in FOLDER, and in the end a line `N passed, N failed`. Exit code 1: there was
a difference.
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from explain import MOST_STATES, argument_parser, compare_blocked, compare_models, model_of
from explore import Exploration, TooLarge
from judge import Judge
from printed import plain


def key(values):
    return tuple(plain(value) for value in values.values())


def who(judge, transitions):
    return sorted((judge.name(one.slot), one.edge.line) for one in transitions)


def steps_of(judge, state, keys):
    """The steps as (participants, successor), sorted, and whether a step fails: how many fail is not defined."""
    steps = judge.steps.of(state)
    return sorted((who(judge, transitions), keys[new]) for transitions, new in steps if new), any(new is None for _, new in steps)


def steps_found(expansion, by_id):
    steps = expansion['steps']
    return sorted((sorted((instance(one, step), one['line']) for one in step['participants']), by_id[step['successor']])
                  for step in steps if step['successor']), any(step['fails'] is not None for step in steps)


def instance(participant, step):
    """The name of an instance: P of a process without instances. The action has it."""
    name = '%s[%d]' % (participant['process'], participant['instance'])
    return name if name in step['action'] else participant['process']


def is_enabled(judge, expected, state):
    """No condition is false: it fires, or fails as a condition cannot be evaluated."""
    attempt = expected[7]
    return attempt is not None and False not in judge.evaluate(attempt.edge, attempt, state)[0]


def compare_state(judge, state, keys, found, by_id, figures):
    expected, steps = steps_of(judge, state, keys), steps_found(found['expansion'], by_id)
    problems = [] if expected == steps else ['steps of %s: expected %s, floe says %s' % (keys[state], expected, steps)]
    judge.state = state
    blocked = [one for one in judge.waiting(state) if not is_enabled(judge, one, state)]
    return problems + compare_blocked(judge, state, blocked, found['blocked'], figures)


def compare(options, path, seed, figures):
    """None: the model is too large or refused."""
    text, defines = model_of(seed)
    with open(path, 'w') as file:
        file.write(text)
    judge = Judge(ElementTree.fromstring(text), text, defines.items())
    try:
        exploration = Exploration(judge.model, max_states=MOST_STATES, steps=judge.steps)
    except TooLarge:
        figures.large += 1
        return None
    judge.states = {state: 0 for state in exploration.visited}
    run = subprocess.run([options.program, path, str(MOST_STATES)] + ['%s=%d' % pair for pair in defines.items()],
                         stdout=subprocess.PIPE, universal_newlines=True)
    if run.returncode == 3:
        figures.refused += 1
        return None
    if run.returncode != 0:
        return ['exit code %d' % run.returncode]
    output = run.stdout if options.alter is None else re.sub(*options.alter, run.stdout)
    found = [json.loads(line) for line in output.splitlines()]
    names = list(found[0]['expansion']['values'])
    keys = {state: tuple(judge.rendered(state)[name] for name in names) for state in exploration.visited}
    by_key = {shown: state for state, shown in keys.items()}
    by_id = {one['expansion']['state']: key(one['expansion']['values']) for one in found}
    if set(by_key) != set(by_id.values()) or len(by_key) != len(keys) or len(by_id) != len(found):
        return ['%d states, floe has %d' % (len(keys), len(by_id))]
    return [problem for one in found for problem in
            compare_state(judge, by_key[key(one['expansion']['values'])], keys, one, by_id, figures)]


def main():
    parser = argument_parser(__doc__, 100)
    parser.add_argument('--program', required=True)
    compare_models(parser.parse_args(), compare, 'expanded',
                   '%(blocked)d blocked transitions, %(conditions)d conditions; %(refused)d models refused, %(large)d too large')


if __name__ == '__main__':
    main()
