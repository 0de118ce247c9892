#!/usr/bin/env python3
"""Random models with random temporal properties, the same one for the same seed.

random_temporal.py SEED: prints the model of that seed.

Half of the models have no errors. Each has up to six temporal properties. Their formulas have up to MOST_TEMPORAL operators at up to four levels,
over up to three conditions.
"""
import sys
from xml.sax.saxutils import escape

from random_expressions import EQUALITY, FEATURES, PRIMARY, UNARY, part_of, sizes_of
from random_models import Generator, attributes

PREFIX = (('always', '[]', 'G'), ('eventually', '<>', 'F'), ('next', 'X'))
INFIX = (('until', 'U'), ('weakuntil', 'W'), ('release', 'R'))
MOST_TEMPORAL = 5
LARGE = 'dimensions', 'records', 'wrap'  # features of models with many states
# Rows of operators of formulas, the strongest last
LEADSTO, IMPLIED, EITHER, BOTH, UNTIL, PREFIXED, COMPARED, NEGATED, SINGLE = range(9)
JOINED = {EITHER: ('or', '||'), BOTH: ('and', '&&'), IMPLIED: ('implies',), LEADSTO: ('leadsto', '-->')}


class TemporalGenerator(Generator):
    """temporal: identifiers of the temporal properties"""

    process_counts, instance_counts = (1, 1, 2), (None, 1, 2, 2, 3)

    def __init__(self, seed):
        self.temporal = []
        super().__init__(seed, 'plain' if seed % 2 else 'lively', [one for one in FEATURES if one not in LARGE])

    def property_text(self, i):
        return super().property_text(i) + ''.join(self.temporal_text() for _ in range(self.rng.choice([1, 2])))

    def temporal_text(self):
        self.temporal.append('t%d' % len(self.temporal))
        kind, self.left = self.rng.choice(['ltl', 'ltl', 'ltl', 'ltl', 'eventually', 'leadsto']), MOST_TEMPORAL
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
            text = start + self.formula(4, LEADSTO) + end
        return '<property%s>%s</property>' % (attributes(id=self.temporal[-1], kind=kind), escape(text))

    def condition(self, names):
        """About a location or a variable, or any expression; its text and its row"""
        if names and self.chance(75):
            process, name = names[0]
            return '%s[%s].%s' % (process.name, name, self.rng.choice(process.locations)), SINGLE
        kind = self.rng.choice(['location', 'location', 'variable', 'variable', 'any'])
        if kind == 'location':
            process = self.rng.choice(self.processes)
            index = '' if process.instances is None else '[%d]' % self.rng.randrange(process.count)
            return '%s%s.%s' % (process.name, index, self.rng.choice(process.locations)), SINGLE
        if kind == 'variable':
            variable = self.rng.choice(self.globals)
            place = part_of(variable.name, [self.rng.randrange(size) for size in sizes_of(variable.size)])
            return '%s %s %d' % (place, self.rng.choice(['==', '!=', 'lt', 'ge']), self.rng.randint(variable.low, variable.high)), COMPARED
        made = self.truth(self.names, False, 1)
        if made.low < 0 or made.high > 1:  # no truth value, with which a formula may be compared
            return '%s != 0' % made.within(PRIMARY), COMPARED
        return made.text, COMPARED if made.row >= EQUALITY and made.row < UNARY else SINGLE if made.row == PRIMARY else LEADSTO - 1

    def formula(self, depth, row):
        """Of at most this depth, as an operand of what binds like this row"""
        text, own = self.any_formula(depth)
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


if __name__ == '__main__':
    sys.stdout.write(TemporalGenerator(int(sys.argv[1])).text)
