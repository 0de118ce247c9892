#!/usr/bin/env python3
"""Random models with random temporal properties and random fairness, the same one for the same seed.

random_temporal.py SEED: prints the model of that seed.

One of four models is of random_models.py, half of these with few features. Each has up to nine temporal properties. Their formulas have up to
MOST_TEMPORAL operators at up to four levels, over up to four conditions, of which some are about steps (`enabled`, `taken`), and some can
fail. Processes, transitions, properties and the command give fairness.
"""
import itertools
import random
import re
import sys
from xml.sax.saxutils import escape

from random_constructs import Variable
from random_expressions import EQUALITY, FEATURES, PRIMARY, UNARY, Expression, part_of, sizes_of
from random_models import Generator, Process, attributes

PREFIX = (('always', '[]', 'G'), ('eventually', '<>', 'F'), ('next', 'X'))
INFIX = (('until', 'U'), ('weakuntil', 'W'), ('release', 'R'))
MOST_TEMPORAL = 5
LARGE = 'dimensions', 'records', 'wrap'  # features of models with many states
FEW = 'else', 'fields', 'zero'
STRENGTHS = 'weak', 'strong'
# Conditions of a CycleGenerator that fail in some states, and those that never do because of their left side
FAILING = 'a[y] == 1', 'a[x + y] == 0', '2 / x == 2', 'y % x == 0', '1 shl (y - 1) == 1'
GUARDED = 'y lt 2 and a[y] == x', 'x == 0 or 2 / x == 2', 'x != 0 implies y % x == 0', '(y == 2 ? x : a[y]) == 1'
# The same for formulas, which stand for %s. Of the last one a condition fails: `eventually` looks at every state.
GUARDED_FORMULAS = ('always (y lt 2 implies (%s or a[y] == 1))', 'always ((not %s) or y == 2 or a[y] == 1)', 'always (y lt 2 and a[y] == x implies eventually %s)',
                    'eventually always (x != 0 and %s == (2 / x == 2))', 'y lt 2 and eventually a[y] == 1 and eventually %s')
# Rows of operators of formulas, the strongest last
LEADSTO, IMPLIED, EITHER, BOTH, UNTIL, PREFIXED, COMPARED, NEGATED, SINGLE = range(9)
JOINED = {EITHER: ('or', '||'), BOTH: ('and', '&&'), IMPLIED: ('implies',), LEADSTO: ('leadsto', '-->')}

INSTANCE, LABEL = r'P\d(?:\[[^]]*\])?', r't\d'
# What the texts of temporal properties have, and lists of fairness, by the names that --forms prints
FORMS = {'%s of %s' % (word, what): r'%s\(%s\)' % (word, name) for word in ('taken', 'enabled')
         for what, name in (('an instance', INSTANCE), ('a label', LABEL), ('a label of an instance', INSTANCE + r'\.' + LABEL))}
FORMS.update({
    'taken of a bound instance': r'taken\(P\d\[(i|\(i)', 'enabled of a bound instance': r'enabled\(P\d\[(i|\(i)', 'taken compared': r'taken\([^)]*\)\)* (==|!=)|(==|!=) \(*taken',
    'taken of an operand of until': r'taken\([^)]*\)\)* (U|W|R|until|weakuntil|release) ', 'taken negated': r'not \(*taken', 'next taken': r'(X|next) \(*taken',
    'enabled in a count': r'(count|sum|max|min)\(\w+ in \w+ : enabled', 'enabled in a quantifier': r'(all|exists)\(\w+ in \w+ : (not )?enabled', 'enabled in a sum': r'enabled\([^)]*\) \+',
    'enabled in a choice': r'enabled\([^)]*\) \?', 'enabled in an index': r'a\[enabled', 'enabled beside taken': r'taken.*enabled|enabled.*taken',
    'a condition that can fail': '|'.join(re.escape(one) for one in FAILING), 'a condition that excludes its failure': '|'.join(re.escape(one) for one in GUARDED)})
FAIR_FORMS = {'%s fairness of %s' % (strength, what): r'%s%s(,|$)' % (strength, name) for strength in STRENGTHS for what, name in (
    ('everything', ''), ('a process', r' P\d'), ('instances', r' P\d\[[^]]*\]'), ('a label', ' ' + LABEL), ('a label of instances', r' P\d(\[[^]]*\])?\.' + LABEL),
    ('a transition without a label', r' P\d(\[[^]]*\])?\.\w+ -> \w+'))}


def forms_of(text, fairness, verdict):
    """Of a temporal property. fairness: a list, or None where the model's attributes give it"""
    steps = [word for word in ('taken', 'enabled') if word + '(' in text]
    yield from (form for form, pattern in FORMS.items() if re.search(pattern, text))
    for word in steps:
        yield '%s, %s' % (word, verdict)
        yield from ('%s beside %s' % (word, form) for form, pattern in FAIR_FORMS.items() if fairness and re.search(pattern, fairness))


def all_forms(verdicts):
    beside = ['%s beside %s' % (word, form) for word in ('taken', 'enabled') for form in FAIR_FORMS]
    return list(FORMS) + ['%s, %s' % (word, verdict) for word in ('taken', 'enabled') for verdict in verdicts] + beside


class Properties:
    """Temporal properties of a model. temporal: their identifiers; fair: a list for --fair, or None; endless: with --finite=ignore; labels: pairs of
    a process's name and a label; moves: of transitions without a label, pairs of a process's name and `from -> to`; wild: conditions may fail"""

    def fairness(self):
        """A list"""
        if self.chance(10):
            return 'none'
        return self.rng.choice([', ', ',']).join(
            (self.rng.choice(STRENGTHS) + ' ' + self.fair_name()).strip() for _ in range(self.rng.choice([1, 1, 2, 3])))

    def fair_name(self):
        process = self.rng.choice(self.processes)
        label = self.rng.choice(sorted(label for name, label in self.labels if name == process.name) or [None])
        moves = sorted(move for name, move in self.moves if name == process.name)
        kind, text = self.rng.choice(['all', 'process', 'process', 'label', 'move', 'move']), process.name
        if kind == 'all':
            return ''
        if kind == 'label' and label is not None:
            return label
        if process.instances is not None and self.chance(70):
            first, last = sorted(self.rng.choices(range(process.count), k=2))
            text += self.rng.choice(['[%d]' % first, '[%d..%d]' % (first, last), '[%d..]' % first])
        if kind == 'move' and moves and not any('*' in move for move in moves):
            return '%s.%s' % (text, self.rng.choice(moves))
        return text if label is None or self.chance(50) else '%s.%s' % (text, label)

    def firings(self, names):
        """What `enabled` and `taken` are about: an instance, a label, a label of an instance. names: pairs of a process and a bound name of an instance"""
        process, name = self.rng.choice(names) if names and self.chance(70) else (self.rng.choice(self.processes), None)
        label = self.rng.choice(sorted(label for owner, label in self.labels if owner == process.name) or [None])
        kind = 'instance' if label is None else self.rng.choice(['instance', 'label', 'both'] if name is None else ['instance', 'both'])
        if kind == 'label':
            return label
        text = process.name
        if name is not None:
            text += '[%s]' % self.rng.choice([name, name, '(%s + 1) %% %d' % (name, process.count)])
        elif process.instances is not None:
            text += self.rng.choice(['[%d]', '[%d]', '[%d + 1 - 1]']) % self.rng.randrange(process.count)
        return text if kind == 'instance' else '%s.%s' % (text, label)

    def about_steps(self, names):
        """A condition with `enabled`"""
        one = 'enabled(%s)' % self.firings(names)
        kind, process = self.rng.choice(['alone', 'alone', 'counted', 'each', 'sum', 'chosen', 'joined', 'index']), self.rng.choice(self.processes)
        if kind == 'counted':
            name = self.fresh('i')
            return '%s(%s in %s : enabled(%s)) %s' % (
                self.rng.choice(['count', 'sum', 'max', 'min']), name, process.name, self.firings([] if process.instances is None else [(process, name)]),
                self.rng.choice(['lt 1', '== 1', 'gt 1', 'le 1'])), COMPARED
        if kind == 'each':
            name = self.fresh('i')
            return '%s(%s in %s : %s)' % (self.rng.choice(['all', 'exists']), name, process.name, self.rng.choice(
                ['enabled(%s)', 'not enabled(%s)']) % self.firings([] if process.instances is None else [(process, name)])), SINGLE
        other = self.written(self.location(), SINGLE)
        if kind == 'sum':
            return '%s + enabled(%s) %s' % (one, self.firings(names), self.rng.choice(['== 1', 'gt 1', 'lt 1', '== %s' % other])), COMPARED
        if kind == 'chosen':
            return '(%s ? %s : not %s)' % (one, other, other), SINGLE
        if kind == 'joined':
            return '%s %s %s' % (one, self.rng.choice(['and not', 'or', '==', 'implies']), 'enabled(%s)' % self.firings(names)), LEADSTO - 1
        return self.indexed_by_step(one) if kind == 'index' else (one, SINGLE)

    def indexed_by_step(self, one):
        return one, SINGLE

    def failing_condition(self):
        return self.any_condition()

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
        self.conditions = [self.condition(names) for _ in range(self.rng.choice([1, 2, 2, 3, 3, 4]))]
        if kind == 'leadsto':
            self.left -= 2
            text = '%s %s %s' % (self.formula(3, IMPLIED), self.rng.choice(JOINED[LEADSTO]), self.formula(3, LEADSTO))
        else:
            text = start + (self.frequent(3) if self.chance(70) else self.formula(4, LEADSTO)) + end
        return '<property%s>%s</property>' % (attributes(id=self.temporal[-1], kind=kind, fairness=self.fairness() if self.chance(60) else None), escape(text))

    def condition(self, names):
        """About a location or a variable, or the step, or any expression; its text and its row"""
        if names and self.chance(50):
            process, name = names[0]
            return '%s[%s].%s' % (process.name, name, self.rng.choice(process.locations)), SINGLE
        kind = self.rng.choice(['location', 'location', 'variable', 'variable', 'any', 'taken', 'taken', 'taken', 'enabled', 'enabled'] + ['failing'] * (4 * self.wild))
        if kind == 'taken':
            return 'taken(%s)' % self.firings(names), SINGLE
        if kind == 'enabled':
            return self.about_steps(names)
        if kind == 'failing':
            return self.failing_condition()
        if kind == 'location':
            return self.location()
        if kind == 'variable':
            variable = self.rng.choice(self.globals)
            place = part_of(variable.name, [self.rng.randrange(size) for size in sizes_of(variable.size)])
            return '%s %s %d' % (place, self.rng.choice(['==', '!=', 'lt', 'ge']), self.rng.randint(variable.low, variable.high)), COMPARED
        return self.any_condition()

    def frequent(self, depth):
        """Of a kind that fairness often decides"""
        kind = self.rng.choice(['eventually', 'infinitely', 'infinitely', 'finitely', 'answered', 'implied', 'followed', 'never', 'guarded'] if depth else
                               ['infinitely', 'finitely', 'never'])
        first, second = (self.written(self.location(), PREFIXED) if self.chance(40) else self.formula(0, PREFIXED) for _ in range(2))
        if kind == 'implied':
            return '%s implies %s' % (self.frequent(0), self.frequent(0))
        if kind == 'guarded':
            return self.guarded_formula()
        return {'eventually': '<> %s' % first, 'infinitely': '[] <> %s' % first, 'finitely': '<> [] %s' % first, 'never': '<> [] not (%s)' % first,
                'followed': '[] (%s implies X (%s))' % (first, second), 'answered': '%s leadsto %s' % (first, second)}[kind]

    def guarded_formula(self):
        return '[] (%s implies <> %s)' % (self.formula(0, IMPLIED + 1), self.formula(0, PREFIXED))

    def each_formula(self, depth):
        """For all instances of a process, or one of them"""
        process, name = self.rng.choice(self.processes), self.fresh('i')
        left, around = self.left, self.conditions
        names = [] if process.instances is None else [(process, name)]
        self.left, self.conditions = left // process.count, [self.condition(names) for _ in range(2)]
        inner = self.left
        text = '%s(%s in %s : %s)' % (self.rng.choice(['all', 'exists']), name, process.name, self.formula(depth - 1, LEADSTO))
        self.left, self.conditions = left - process.count * (inner - self.left), around
        return text, SINGLE

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
        kind = self.rng.choice(['prefix', 'prefix', 'prefix', 'infix', 'infix', 'joined', 'joined', 'not', 'compared'] + ['each'] * bool(self.processes))
        if kind in ('prefix', 'infix') and self.left < 1:
            kind = 'joined'
        if kind == 'prefix':
            self.left -= 1
            return '%s %s' % (self.rng.choice(self.rng.choice(PREFIX)), self.formula(depth - 1, PREFIXED)), PREFIXED
        if kind == 'infix':
            self.left -= 1
            return '%s %s %s' % (self.formula(depth - 1, PREFIXED), self.rng.choice(self.rng.choice(INFIX)), self.formula(depth - 1, UNTIL)), UNTIL
        if kind == 'each':
            return self.each_formula(depth)
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
        self.temporal, self.labels, self.moves, self.wild = [], set(), set(), seed % 3 == 0
        super().__init__(seed, 'lively' if seed % 3 else 'plain', [one for one in FEATURES if one not in LARGE] if seed % 8 else FEW)
        self.fair, self.endless = self.fairness() if self.chance(20) else None, self.chance(25)

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

    def any_condition(self, fails=False):
        """`enabled` stands where a variable can."""
        steps = [Expression('enabled(%s)' % self.firings([]), PRIMARY, 0, 1) for _ in range(2)]
        made = self.truth(self.names.plus(scalars=steps), fails, 1)
        if made.low < 0 or made.high > 1:  # no truth value, with which a formula may be compared
            return '%s != 0' % made.within(PRIMARY), COMPARED
        return made.text, COMPARED if made.row >= EQUALITY and made.row < UNARY else SINGLE if made.row == PRIMARY else LEADSTO - 1

    def failing_condition(self):
        return (self.failing(), COMPARED) if self.chance(50) else self.any_condition(True)

    def property_text(self, i):
        return super().property_text(i) + ''.join(self.temporal_text() for _ in range(self.rng.choice([1, 2, 3])))


class CycleGenerator(Properties):
    """Processes that go round through their locations and wait for each other: whether they do is a matter of fairness, mostly."""

    def __init__(self, seed):
        self.rng, self.temporal, self.labels, self.moves, self.defines, self.unbound = random.Random(seed), [], set(), set(), {}, itertools.count()
        self.fails, self.wild = self.chance(25), self.chance(45)
        self.globals = [Variable('x', 0, 1, None, False, None), Variable('y', 0, 2, None, False, None)]
        self.processes = [Process('P%d' % i, instances) for i, instances in enumerate(self.rng.choice([[2], [None, None], [None, 2], [3], [2, None]]))]
        lines = ['<variable name="x" range="0..1"/>', '<variable name="y" range="0..2"/>', '<variable name="a" range="0..1" size="2" init="0, 1"/>', '<channel name="c"/>', '<channel name="b" broadcast="true"/>',
                 '<channel name="q" capacity="1"/>'] + [self.process_text(process) for process in self.processes]
        lines += [self.temporal_text() for _ in range(6)] + ['<deadlock check="false"/>']
        self.fair, self.endless = self.fairness() if self.chance(20) else None, self.chance(25)
        self.text = '<model name="random-%s">\n%s\n</model>\n' % (seed, '\n'.join('  ' + line for line in lines))

    def chance(self, percent):
        return self.rng.random() * 100 < percent

    def fresh(self, letter):
        return '%s%d' % (letter, next(self.unbound))

    def any_condition(self):
        return self.rng.choice([('x == y', COMPARED), ('x + y gt 1', COMPARED), ('empty(q)', SINGLE), ('full(q) and x == 0', BOTH)])

    def indexed_by_step(self, one):
        return 'a[%s] == 1' % one, COMPARED

    def failing_condition(self):
        kind, process = self.rng.choice(['fails', 'fails', 'guarded', 'guarded', 'instance']), self.processes[0]
        if kind == 'instance' and process.instances is not None:
            return '%s[y].%s' % (process.name, self.rng.choice(process.locations)), SINGLE
        if kind == 'fails':
            return self.rng.choice(FAILING), COMPARED
        return '(%s)' % self.rng.choice(GUARDED), SINGLE

    def guarded_formula(self):
        return self.rng.choice(GUARDED_FORMULAS[:None if self.wild else -1]) % self.formula(0, SINGLE)

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
        self.moves.update([] if label else [(process.name, '%s -> %s' % (source, target))])
        sync = {self.rng.choice(['send', 'receive']): self.rng.choice('cbq')} if self.chance(25) else {}
        return '<transition%s/>' % attributes(
            from_=source, to=target, label=label, fair=self.rng.choice(STRENGTHS) if self.chance(15) else None,
            guard=self.rng.choice(['x == 0', 'x == 1', 'y == 0', 'y gt 0', 'x != y'] + ['2 / y == 1', '1 % x == 0', 'a[y] == x'] * self.fails) if self.chance(35) else None,
            effect=self.rng.choice(['x = 1 - x', 'x = 0', 'x = 1', 'y = (y + 1) % 3', 'y = 0'] + ['y++', 'assert(x == 0); y = 0', 'x = a[y]'] * self.fails)
            if self.chance(50) else None, **sync)


def made_of(seed):
    """Text, defines, and what `Properties` has"""
    return (TemporalGenerator if seed % 4 == 0 else CycleGenerator)(seed)


if __name__ == '__main__':
    sys.stdout.write(made_of(int(sys.argv[1])).text)
