#!/usr/bin/env python3
"""Random models with random temporal properties and random fairness, the same one for the same seed.

random_temporal.py SEED: prints the model of that seed.

One of four models is of random_models.py, half of these with few features. Each has up to nine temporal properties. Their formulas have up to
MOST_TEMPORAL operators at up to four levels, over up to three conditions. Processes, transitions, properties and the command give fairness.
"""
import itertools
import random
import re
import sys
from xml.sax.saxutils import escape

from random_constructs import Variable
from random_expressions import EQUALITY, FEATURES, PRIMARY, UNARY, part_of, sizes_of
from random_models import Generator, Process, attributes

PREFIX = (('always', '[]', 'G'), ('eventually', '<>', 'F'), ('next', 'X'))
INFIX = (('until', 'U'), ('weakuntil', 'W'), ('release', 'R'))
MOST_TEMPORAL = 5
LARGE = 'dimensions', 'records', 'wrap'  # features of models with many states
FEW = 'else', 'fields', 'zero'
STRENGTHS = 'weak', 'strong'
# Rows of operators of formulas, the strongest last
LEADSTO, IMPLIED, EITHER, BOTH, UNTIL, PREFIXED, COMPARED, NEGATED, SINGLE = range(9)
JOINED = {EITHER: ('or', '||'), BOTH: ('and', '&&'), IMPLIED: ('implies',), LEADSTO: ('leadsto', '-->')}


class Properties:
    """Temporal properties of a model. temporal: their identifiers; fair: a list for --fair, or None; endless: with --finite=ignore; labels: pairs of
    a process's name and a label"""

    def fairness(self):
        """A list"""
        if self.chance(10):
            return 'none'
        return self.rng.choice([', ', ',']).join(
            (self.rng.choice(STRENGTHS) + ' ' + self.fair_name()).strip() for _ in range(self.rng.choice([1, 1, 2, 3])))

    def fair_name(self):
        process = self.rng.choice(self.processes)
        label = self.rng.choice(sorted(label for name, label in self.labels if name == process.name) or [None])
        kind, text = self.rng.choice(['all', 'process', 'process', 'label']), process.name
        if kind == 'all':
            return ''
        if kind == 'label' and label is not None:
            return label
        if process.instances is not None and self.chance(60):
            first, last = sorted(self.rng.choices(range(process.count), k=2))
            text += self.rng.choice(['[%d]' % first, '[%d..%d]' % (first, last), '[%d..]' % first])
        return text if label is None or self.chance(50) else '%s.%s' % (text, label)

    def temporal_text(self):
        self.temporal.append('t%d' % len(self.temporal))
        kind, self.left = self.rng.choice(['ltl'] * 6 + ['eventually', 'leadsto']), MOST_TEMPORAL
        names, start, end = [], '', ''
        processes = [process for process in self.processes if process.count > 1 or process.instances]
        if kind == 'ltl' and processes and self.chance(25):
            process = self.rng.choice(processes)
            names = [(process, self.fresh('i'))]
            start, end = '%s(%s in %s : ' % (self.rng.choice(['all', 'exists']), names[0][1], process.name), ')'
            self.left = 1 if process.count > 2 else 2
        self.conditions = [self.condition(names) for _ in range(self.rng.choice([1, 2, 2, 3, 3]))]
        if kind == 'leadsto':
            self.left -= 2
            text = '%s %s %s' % (self.formula(3, IMPLIED), self.rng.choice(JOINED[LEADSTO]), self.formula(3, LEADSTO))
        else:
            text = start + (self.frequent(3) if self.chance(70) else self.formula(4, LEADSTO)) + end
        return '<property%s>%s</property>' % (attributes(id=self.temporal[-1], kind=kind, fairness=self.fairness() if self.chance(50) else None), escape(text))

    def condition(self, names):
        """About a location or a variable, or any expression; its text and its row"""
        if names and self.chance(75):
            process, name = names[0]
            return '%s[%s].%s' % (process.name, name, self.rng.choice(process.locations)), SINGLE
        kind = self.rng.choice(['location', 'location', 'variable', 'variable', 'any'])
        if kind == 'location':
            return self.location()
        if kind == 'variable':
            variable = self.rng.choice(self.globals)
            place = part_of(variable.name, [self.rng.randrange(size) for size in sizes_of(variable.size)])
            return '%s %s %d' % (place, self.rng.choice(['==', '!=', 'lt', 'ge']), self.rng.randint(variable.low, variable.high)), COMPARED
        return self.any_condition()

    def frequent(self, depth):
        """Of a kind that fairness often decides"""
        kind = self.rng.choice(['eventually', 'infinitely', 'infinitely', 'finitely', 'answered', 'implied'] if depth else ['infinitely', 'finitely'])
        first, second = (self.written(self.location(), PREFIXED) if self.chance(60) else self.formula(0, PREFIXED) for _ in range(2))
        if kind == 'implied':
            return '%s implies %s' % (self.frequent(0), self.frequent(0))
        return {'eventually': '<> %s' % first, 'infinitely': '[] <> %s' % first, 'finitely': '<> [] %s' % first,
                'answered': '%s leadsto %s' % (first, second)}[kind]

    def location(self):
        process = self.rng.choice(self.processes)
        index = '' if process.instances is None else '[%d]' % self.rng.randrange(process.count)
        return '%s%s.%s' % (process.name, index, self.rng.choice(process.locations)), SINGLE

    def formula(self, depth, row):
        """Of at most this depth, as an operand of what binds like this row"""
        return self.written(self.any_formula(depth), row)

    def written(self, made, row):
        """In brackets where its own row requires them"""
        text, own = made
        return text if own >= row and self.chance(80) else '(%s)' % text

    def any_formula(self, depth):
        if depth == 0 or self.chance(10):
            return self.rng.choice(self.conditions)
        kind = self.rng.choice(['prefix', 'prefix', 'prefix', 'infix', 'infix', 'joined', 'joined', 'not', 'compared'])
        if kind in ('prefix', 'infix') and self.left < 1:
            kind = 'joined'
        if kind == 'prefix':
            self.left -= 1
            return '%s %s' % (self.rng.choice(self.rng.choice(PREFIX)), self.formula(depth - 1, PREFIXED)), PREFIXED
        if kind == 'infix':
            self.left -= 1
            return '%s %s %s' % (self.formula(depth - 1, PREFIXED), self.rng.choice(self.rng.choice(INFIX)), self.formula(depth - 1, UNTIL)), UNTIL
        if kind == 'not':
            return 'not %s' % self.formula(depth - 1, SINGLE), NEGATED
        if kind == 'compared':
            return '%s %s %s' % (self.formula(depth - 1, NEGATED + 1), self.rng.choice(['==', '!=']), self.formula(depth - 1, NEGATED + 1)), COMPARED
        row = self.rng.choice([EITHER, BOTH, IMPLIED, LEADSTO] if self.left > 1 else [EITHER, BOTH, IMPLIED])
        self.left -= 2 * (row == LEADSTO)
        return '%s %s %s' % (self.formula(depth - 1, row + 1), self.rng.choice(JOINED[row]), self.formula(depth - 1, row)), row


class TemporalGenerator(Properties, Generator):
    """Of the language as random_models.py has it"""

    process_counts, instance_counts = (1, 1, 2), (None, 1, 2, 2, 3)

    def __init__(self, seed):
        self.temporal, self.labels = [], set()
        super().__init__(seed, 'lively' if seed % 3 else 'plain', [one for one in FEATURES if one not in LARGE] if seed % 8 else FEW)
        self.fair, self.endless = self.fairness() if self.chance(20) else None, self.chance(15)

    def process_text(self, process):
        text = re.sub('<transition(?=([^>]*))', lambda match: self.start_of_transition(process, match.group(1)), super().process_text(process))
        return text.replace('<process', '<process' + attributes(fair=self.rng.choice(STRENGTHS)), 1) if self.chance(30) else text

    def start_of_transition(self, process, text):
        """With a label, mostly, and sometimes with fairness"""
        made = {'label': 't%d' % self.rng.randint(0, 2)} if 'label=' not in text and self.chance(60) else {}
        self.labels.update((process.name, label) for label in re.findall('label="(.*?)"', text) + list(made.values()))
        if self.chance(15):
            made['fair'] = self.rng.choice(STRENGTHS)
        return '<transition' + attributes(**made)

    def any_condition(self):
        made = self.truth(self.names, False, 1)
        if made.low < 0 or made.high > 1:  # no truth value, with which a formula may be compared
            return '%s != 0' % made.within(PRIMARY), COMPARED
        return made.text, COMPARED if made.row >= EQUALITY and made.row < UNARY else SINGLE if made.row == PRIMARY else LEADSTO - 1

    def property_text(self, i):
        return super().property_text(i) + ''.join(self.temporal_text() for _ in range(self.rng.choice([1, 2, 3])))


class CycleGenerator(Properties):
    """Processes that go round through their locations and wait for each other: whether they do is a matter of fairness, mostly."""

    def __init__(self, seed):
        self.rng, self.temporal, self.labels, self.defines, self.unbound = random.Random(seed), [], set(), {}, itertools.count()
        self.fails = self.chance(20)
        self.globals = [Variable('x', 0, 1, None, False, None), Variable('y', 0, 2, None, False, None)]
        self.processes = [Process('P%d' % i, instances) for i, instances in enumerate(self.rng.choice([[2], [None, None], [None, 2], [3], [2, None]]))]
        lines = ['<variable name="x" range="0..1"/>', '<variable name="y" range="0..2"/>', '<channel name="c"/>', '<channel name="b" broadcast="true"/>',
                 '<channel name="q" capacity="1"/>'] + [self.process_text(process) for process in self.processes]
        lines += [self.temporal_text() for _ in range(6)] + ['<deadlock check="false"/>']
        self.fair, self.endless = self.fairness() if self.chance(20) else None, self.chance(15)
        self.text = '<model name="random-%s">\n%s\n</model>\n' % (seed, '\n'.join('  ' + line for line in lines))

    def chance(self, percent):
        return self.rng.random() * 100 < percent

    def fresh(self, letter):
        return '%s%d' % (letter, next(self.unbound))

    def any_condition(self):
        return self.rng.choice([('x == y', COMPARED), ('x + y gt 1', COMPARED), ('empty(q)', SINGLE), ('full(q) and x == 0', BOTH)])

    def process_text(self, process):
        process.locations = ['l%d' % i for i in range(self.rng.choice([2, 2, 3]))]
        lines = ['<location%s/>' % attributes(name=name, initial='true' if name == 'l0' else None, committed='true' if name != 'l0' and self.chance(10) else None)
                 for name in process.locations]
        lines += [self.transition_text(process, source, target) for source, target in zip(process.locations, process.locations[1:] + ['l0'])]
        lines += [self.transition_text(process, self.rng.choice(process.locations + ['*']), self.rng.choice(process.locations)) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        return '<process%s>\n%s\n  </process>' % (
            attributes(name=process.name, instances=process.instances, fair=self.rng.choice(STRENGTHS) if self.chance(30) else None),
            '\n'.join('    ' + line for line in lines))

    def transition_text(self, process, source, target):
        label = 't%d' % self.rng.randint(0, 2) if self.chance(60) else None
        self.labels.update([(process.name, label)] if label else [])
        sync = {self.rng.choice(['send', 'receive']): self.rng.choice('cbq')} if self.chance(25) else {}
        return '<transition%s/>' % attributes(
            from_=source, to=target, label=label, fair=self.rng.choice(STRENGTHS) if self.chance(15) else None,
            guard=self.rng.choice(['x == 0', 'x == 1', 'y == 0', 'y gt 0', 'x != y'] + ['2 / y == 1', '1 % x == 0'] * self.fails) if self.chance(35) else None,
            effect=self.rng.choice(['x = 1 - x', 'x = 0', 'x = 1', 'y = (y + 1) % 3', 'y = 0'] + ['y++', 'assert(x == 0); y = 0'] * self.fails)
            if self.chance(50) else None, **sync)


def made_of(seed):
    """Text, defines, and what `Properties` has"""
    return (TemporalGenerator if seed % 4 == 0 else CycleGenerator)(seed)


if __name__ == '__main__':
    sys.stdout.write(made_of(int(sys.argv[1])).text)
