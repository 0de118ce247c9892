#!/usr/bin/env python3
"""lasso.py [SEEDS]: runs that end in a cycle, judged directly by doc/semantics.md ("Temporal properties").

`ShownRun` judges runs that floe shows. Run by itself, it compares the tableau with such runs, on random graphs of up to MOST_STATES
states with random formulas and constraints: of a violated formula one run, which it builds, of the others all short runs.
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from expression import Scope, Variable
from printed import Printed, plain
from random_temporal import SINGLE, CycleGenerator
from temporal import LEAVES, Formula, Graph, Product

MOST_STATES, MOST_STEPS = 4, 6


def violates(formula, run, loop):
    """Evaluates the formula in a run, pairs of a state's valuation and what its step is a firing of; after the last one it continues at `loop`."""
    after = list(range(1, len(run))) + [loop]
    values = []
    for word, *parts in formula.parts:
        inner = [] if word in LEAVES else [values[formula.places[part]] for part in parts]
        if word == 'atom':
            made = [valuation[parts[0]] for valuation, _ in run]
        elif word == 'taken':
            made = [takes[parts[0]] for _, takes in run]
        elif word == 'true':
            made = [True] * len(after)
        elif word == 'not':
            made = [not value for value in inner[0]]
        elif word == 'or':
            made = [a or b for a, b in zip(*inner)]
        elif word == 'next':
            made = [inner[0][new] for new in after]
        else:
            made = list(inner[1])
            for _ in after:
                made = [goal or here and made[new] for here, goal, new in zip(*inner, after)]
        values.append(made)
    return values[formula.root][0]


def unfair(constraints, cycle):
    """The constraints that a run does not satisfy, by number; cycle: pairs of the constraints enabled in a state and those with the step from there."""
    steps = set().union(*[sets for _, sets in cycle])
    enabled = [one for one, _ in cycle]
    return [i for i, constraint in enumerate(constraints) if i not in steps and
            (any if constraint.strong else all)(i in one for one in enabled)]


class ShownRun:
    """A run in a trace, as states with the constraints of the steps from there. lines: of the transition elements"""

    def __init__(self, formula, constraints, steps, endless, lines, model):
        self.formula, self.constraints, self.steps, self.lines, self.model = formula, constraints, steps, lines, model
        self.graph, self.printed = Graph(formula, steps, constraints, endless), Printed(model)
        self.firings, self.states = [], [model.initial]

    def participant(self, transition):
        """As in a trace"""
        process = next(p for p in self.model.processes.values() if transition.instance in p.instances)
        return (process.name, process.instances.index(transition.instance), transition.element.get('label', ''),
                process.locations[transition.source], process.locations[transition.target], self.lines[transition.element])

    def read(self, trace):
        """A reason why it is no run of the model, or None"""
        shown = dict(trace['initial'])
        if not self.printed.shows(shown, self.states[0]):
            return 'the run does not begin in the initial state'
        for number, step in enumerate(trace['steps'], 1):
            if any(plain(shown[name]) != plain(values[0]) for name, values in step['changes'].items()):
                return 'step %d changes other values' % number
            shown.update({name: values[1] for name, values in step['changes'].items()})
            who = sorted(tuple(one[name] for name in ('process', 'instance', 'label', 'from', 'to', 'line')) for one in step['participants'])
            found = [(firing, new) for firing, new in self.steps.of(self.states[-1]) if new is not None and
                     sorted(map(self.participant, firing)) == who and self.printed.shows(shown, new)]
            if not found:
                return 'step %d is none of the model' % number
            self.firings.append(found[0][0])
            self.states.append(found[0][1])
        if trace['depth'] != len(self.firings):
            return 'the run has another length'
        if trace['loop'] == len(self.firings):
            stays = not self.steps.of(self.states[-1]) and self.graph.following(self.states[-1])
            return None if stays else 'the run does not stay in its last state'
        return None if self.states[trace['loop']] == self.states[-1] else 'the run does not close'

    def problems_of(self, trace):
        """Reasons why it shows no fair run of the model that violates the formula"""
        wrong, loop = self.read(trace), trace['loop']
        if wrong:
            return [wrong]
        states = self.states[:-1] if loop < len(self.firings) else self.states
        steps = [(state, self.graph.sets(firing), self.formula.takes(firing)) for state, firing in zip(states, self.firings)]
        steps += [step for state in states[len(steps):] for step in self.graph.staying(state)]
        cycle = [(self.graph.enabled(state), sets) for state, sets, _ in steps[loop:]]
        problems = ['constraint %d of %d is not satisfied' % (i + 1, len(self.constraints)) for i in unfair(self.constraints, cycle)]
        if not violates(self.formula, [(self.graph.valuation(state), takes) for state, _, takes in steps], loop):
            problems.append('the run satisfies the formula')
        return problems


# ---- the tableau ----

class Labelled:
    """A transition with a label alone"""

    instance = channel = None

    def __init__(self, label):
        self.element = {'label': label}


class Unmodelled:
    """In the place of a model"""

    processes, transitions, unchanging = {}, [Labelled(label) for label in 'abc'], staticmethod(dict)


class RandomGraph(Graph):
    """States are numbers with three truth values; of the constraints, some are enabled without a step."""

    def __init__(self, rng, formula, strengths):
        self.formula, self.constraints, self.every = formula, strengths, frozenset(range(len(strengths)))
        states = [(i,) + tuple(rng.random() < 0.5 for _ in range(3)) for i in range(rng.randint(1, MOST_STATES))]
        self.states = {state: [self.step(rng, rng.choice(states)) for _ in range(rng.choice([1, 1, 2, 2, 3]))] for state in states}
        on = {state: self.some(rng).union(*[sets for _, sets, _ in edges]) for state, edges in self.states.items()}
        self.initial, self.enabled, self.following = states[0], on.get, self.states.get
        self.valuation = formula.valuation

    def step(self, rng, new):
        return new, self.some(rng), self.formula.takes(tuple(rng.sample(Unmodelled.transitions, rng.choice([1, 1, 2]))))

    def some(self, rng):
        return frozenset(i for i in self.every if rng.random() < 0.3)


class Strength:
    def __init__(self, strong):
        self.strong = strong


SCOPE = Scope({name: Variable(slot, name, (), None) for slot, name in enumerate('pqr', 1)})


def random_formula(rng):
    writer = CycleGenerator.__new__(CycleGenerator)
    writer.processes, writer.rng, writer.left, writer.conditions = [], rng, rng.randint(1, 4), [(name, SINGLE) for name in ('p', 'q', 'r', 'taken(a)', 'taken(b)')]
    return Formula('ltl', writer.formula(3, 0), SCOPE, Unmodelled)


def path(edges, sources, is_goal):
    """Shortest, as pairs of a node and the sets of the step from it, and the node where it ends; of at least one step"""
    known, level = {}, [(node, ()) for node in sources]
    while level:
        following = []
        for node, before in level:
            for new, sets in edges(node):
                steps = before + ((node, sets),)
                if is_goal(new):
                    return steps, new
                if new not in known:
                    known[new] = True
                    following.append((new, steps))
        level = following
    raise AssertionError('no path')


def built(product, component, edges):
    """A run that reaches the component and then takes all of its edges for ever: nodes with the constraints of the steps, and where it continues"""
    start = component[0]
    prefix, _ = ((), start) if start in product.roots else path(product.edges, product.roots, lambda node: node == start)
    cycle, at = [], start
    for source in component:
        for new, sets in edges(source):
            if at != source:
                cycle += path(edges, [at], lambda node, goal=source: node == goal)[0]
            cycle.append((source, sets))
            at = new
    if at != start:
        cycle += path(edges, [at], lambda node: node == start)[0]
    after = len(product.formula.assumed)
    return [(state, sets, assumption[after:]) for (state, assumption), sets in list(prefix) + cycle], len(prefix)


def short_runs(graph, run, state):
    """All of up to MOST_STEPS steps: states with the constraints of the steps and what they are firings of, and where they continue"""
    for new, sets, takes in graph.following(state):
        here = run + [(state, sets, takes)]
        for loop, (old, _, _) in enumerate(here):
            if old == new:
                yield here, loop
        if len(here) < MOST_STEPS:
            yield from short_runs(graph, here, new)


def accepts(formula, graph, run, loop):
    return violates(formula, [(graph.valuation(state), takes) for state, _, takes in run], loop) and not unfair(
        graph.constraints, [(graph.enabled(state), sets) for state, sets, _ in run[loop:]])


def differs(seed):
    """None: no difference. Also counts verdicts."""
    rng = random.Random(seed)
    formula = random_formula(rng)
    graph = RandomGraph(rng, formula, [Strength(rng.random() < 0.5) for _ in range(rng.choice([0, 1, 2, 3]))])
    product = Product(formula, graph.initial, graph)
    found = product.fair_part()
    if found:
        return True, not accepts(formula, graph, *built(product, *found))
    return False, any(accepts(formula, graph, *run) for run in short_runs(graph, [], graph.initial))


def main():
    results = [differs(seed) for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 300)]
    wrong = [seed for seed, (_, differing) in enumerate(results) if differing]
    print('random graphs: %d violated, %d not; differing: %s' % (
        sum(found for found, _ in results), sum(not found for found, _ in results), wrong[:10] or 'none'))
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
