"""Random expressions, made with bounds of their value and with what is known of their evaluation: what a model that floe refuses
would have is rare."""
import itertools

# Rows of operators, the strongest last; see "Expressions"
TERNARY, IMPLIES, OR, AND, EQUALITY, ORDER, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, UNARY, PRIMARY = range(14)
SYMBOLS = {
    OR: ['||', 'or'], AND: ['&&', 'and'], EQUALITY: ['==', '!=', 'eq', 'ne'],
    ORDER: ['<', '<=', '>', '>=', 'lt', 'le', 'gt', 'ge'], SUM: ['+', '-'], PRODUCT: ['*', '/', '%'],
    BITOR: ['|', 'bitor'], BITXOR: ['^', 'bitxor'], BITAND: ['&', 'bitand'],
}
# Contextual keywords: names elsewhere
WORDS = 'all exists count sum min max in index len empty full for if else assert'.split()
# Optional features of a model
FEATURES = 'statements defines enumerations wrap values ranges operators zero names fields else dimensions records functions'.split()


class Expression:
    """Text with the row of its outermost operator, bounds of its value, and whether its evaluation can fail."""

    def __init__(self, text, row, low, high, fails=False):
        self.text, self.row, self.low, self.high, self.fails = str(text), row, low, high, fails

    def within(self, row):
        """The text where operators of this row or a stronger one are wanted."""
        return self.text if self.row >= row else '(%s)' % self.text

    def contains(self, *values):
        return all(self.low <= value <= self.high for value in values)


def sizes_of(size):
    """Of each dimension; none of what is no array"""
    return () if size is None else (size,) if isinstance(size, int) else size


def part_of(name, indices):
    """An element: [] in the name stands for an index, else the indices are behind it."""
    pieces = name.split('[]') if '[]' in name else [name] + [''] * len(indices)
    return ''.join(piece + index for piece, index in zip(pieces, ['[%s]' % one for one in indices] + ['']))


def number(value):
    return Expression(value, PRIMARY if value >= 0 else UNARY, value, value)


class Names:
    """What an expression may speak of; scalars, arrays, constants are those of its own process too. processes: of enumerations
    as well, which are ranges where processes are. hidden: the names that stand for something nearer."""

    def __init__(self, scalars=(), arrays=(), constants=(), members=(), buffers=(), processes=(), defines=(), hidden=(), records=()):
        self.scalars, self.arrays, self.constants = list(scalars), list(arrays), list(constants)
        self.members, self.buffers, self.processes = list(members), list(buffers), list(processes)
        self.defines, self.hidden, self.records = list(defines), set(hidden), list(records)

    def plus(self, constants=(), scalars=(), arrays=(), defines=(), records=()):
        """Names that are nearer hide those of the same name."""
        nearer = {one.text for one in (*constants, *scalars)} | {one[0] for one in arrays} | {one.name for one in defines}

        def left(old, name):
            return [one for one in old if name(one) not in nearer]
        return Names(left(self.scalars, lambda one: one.text) + list(scalars), left(self.arrays, lambda one: one[0]) + list(arrays),
                     left(self.constants, lambda one: one.text) + list(constants), left(self.members, lambda one: one[0]),
                     left(self.buffers, lambda one: one[0]), left(self.processes, lambda one: one[0]),
                     left(self.defines, lambda one: one.name) + list(defines), self.hidden | nearer, self.records + list(records))


class Expressions:
    """Makes expressions; `fails` says whether their evaluation may fail."""

    def __init__(self, rng, features=()):
        self.rng, self.features = rng, features
        self.bound, self.in_property = itertools.count(), False
        self.hideable, self.words = [], set()  # names that local names may hide; contextual keywords that are global names

    def wants(self, feature, percent):
        return feature in self.features and self.chance(percent)

    def fresh(self, prefix, names=None):
        """For what is bound in an expression or a transition; where all else is known, perhaps the name of something else."""
        if names is not None and self.wants('names', 25):
            return self.rng.choice([word for word in WORDS if word not in self.words] + self.hideable)
        return '%s%d' % (prefix, next(self.bound))

    def chance(self, percent):
        return self.rng.random() * 100 < percent

    def leaf(self, names):
        kinds = [names.scalars] * 3 + [names.constants] + [[number(self.rng.randint(0, 4))]]
        return self.rng.choice(self.rng.choice([kind for kind in kinds if kind]))

    def integer(self, names, fails, depth=2):
        if depth == 0 or self.chance(25):
            return self.leaf(names)
        make = self.rng.choice([self.sum, self.sum, self.product, self.division, self.element, self.element, self.choice, self.extreme,
                                self.quantified, self.negative, self.length, self.member, self.truth])
        if self.wants('operators', 20):
            make = self.rng.choice([self.bitwise, self.bitwise, self.shift, self.shift, self.inverse])
        elif names.defines and self.wants('defines', 25):
            make = self.use
        made = make(names, fails, depth - 1)
        return made if -1000 <= made.low and made.high <= 1000 else self.leaf(names)

    def sum(self, names, fails, depth):
        left, right = self.integer(names, fails, depth), self.integer(names, fails, depth)
        if self.chance(60):
            bounds, symbol = (left.low + right.low, left.high + right.high), '+'
        else:
            bounds, symbol = (left.low - right.high, left.high - right.low), '-'
        return Expression('%s %s %s' % (left.within(SUM), symbol, right.within(PRODUCT)), SUM, *bounds, left.fails or right.fails)

    def product(self, names, fails, depth):
        left, right = self.integer(names, fails, depth), self.integer(names, fails, depth)
        corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
        return Expression('%s * %s' % (left.within(PRODUCT), right.within(UNARY)), PRODUCT, min(corners), max(corners),
                          left.fails or right.fails)

    def division(self, names, fails, depth):
        left, right = self.integer(names, fails, depth), self.integer(names, fails, depth)
        zero = right.contains(0)
        if fails and self.wants('zero', 20):
            right, zero = self.rng.choice([number(0), Expression('%s * 0' % left.within(PRODUCT), PRODUCT, 0, 0, left.fails)]), True
        elif zero and (not fails or right.low == right.high):
            right, zero = number(self.rng.choice([2, 3, -2])), False
        reach = max(abs(left.low), abs(left.high))
        symbol = self.rng.choice('/%')
        return Expression('%s %s %s' % (left.within(PRODUCT), symbol, right.within(UNARY)), PRODUCT,
                          -reach if left.low < 0 or right.low < 0 else 0, reach, zero or left.fails or right.fails)

    def index(self, names, size, fails, depth=1):
        """An expression for an element of `size`; where it may fail, sometimes one beyond. Not in a property, where floe refuses a
        constant that is."""
        for _ in range(6):
            made = self.integer(names, fails, depth)
            if made.low >= 0 and made.high < size or fails and made.contains(0) and made.high > made.low and not self.in_property and self.chance(40):
                return made
        made = self.integer(names, fails, depth)
        return Expression('min(max(%s, 0), %d)' % (made.text, size - 1), PRIMARY, 0, size - 1, made.fails)

    def element(self, names, fails, depth):
        if not names.arrays:
            return self.leaf(names)
        name, size, low, high = self.rng.choice(names.arrays)
        text, failing = self.indexed(name, size, names, fails, depth)
        return Expression(text, PRIMARY, low, high, failing)

    def indexed(self, name, size, names, fails, depth):
        """Text of an element, and whether an index can fail"""
        indices = [(self.index(names, one, fails, depth), one) for one in sizes_of(size)]
        return part_of(name, [index.text for index, _ in indices]), any(
            index.fails or not 0 <= index.low <= index.high < one for index, one in indices)

    def member(self, names, fails, depth):
        """P[e].x, P[e].a[e], P[e].l"""
        if not names.members:
            return self.leaf(names)
        process, count, single, name, size, low, high = self.rng.choice(names.members)
        number_ = self.index(names, count, fails, depth)
        which = '' if single else '[%s]' % number_.text
        failing = not single and (number_.fails or not 0 <= number_.low <= number_.high < count)
        element, beyond = self.indexed(name, size, names, fails, depth)
        return Expression('%s%s.%s' % (process, which, element), PRIMARY, low, high, failing or beyond)

    def length(self, names, fails, depth):
        if not names.buffers:
            return self.leaf(names)
        name, size, capacity = self.rng.choice(names.buffers)
        word = self.rng.choice(['len', 'empty', 'full'])
        index = None if size is None else self.index(names, size, fails, depth)
        failing = index is not None and (index.fails or not 0 <= index.low <= index.high < size)
        if failing and index.low == index.high:
            index, failing = number(0), False
        return Expression('%s(%s%s)' % (word, name, '' if index is None else '[%s]' % index.text), PRIMARY, 0,
                          capacity if word == 'len' else 1, failing)

    def choice(self, names, fails, depth):
        condition, yes, no = self.truth(names, fails, depth), self.integer(names, fails, depth), self.integer(names, fails, depth)
        return Expression('%s ? %s : %s' % (condition.within(IMPLIES), yes.text, no.text), TERNARY, min(yes.low, no.low),
                          max(yes.high, no.high), condition.fails or yes.fails or no.fails)

    def extreme(self, names, fails, depth):
        left, right, word = self.integer(names, fails, depth), self.integer(names, fails, depth), self.rng.choice(['min', 'max'])
        best = min if word == 'min' else max
        return Expression('%s(%s, %s)' % (word, left.text, right.text), PRIMARY, best(left.low, right.low),
                          best(left.high, right.high), left.fails or right.fails)

    def negative(self, names, fails, depth):
        operand = self.integer(names, fails, depth)
        return Expression('-%s' % (operand.within(PRIMARY)), UNARY, -operand.high, -operand.low, operand.fails)

    def quantified(self, names, fails, depth, words=('count', 'sum', 'min', 'max')):
        word = self.rng.choice(words)
        name = self.fresh('n', names)
        if names.processes and self.chance(50):
            process, count = self.rng.choice(names.processes)
            limits, low, high = process, 0, count - 1
        else:
            low = self.rng.choice([0, 0, 1, -1])
            high = low + self.rng.randint(0 if word in ('min', 'max') else -1, 2)
            limits = '%d..%d' % (low, high)
        inner = names.plus(constants=[Expression(name, PRIMARY, low, max(low, high))])
        integers = word in ('sum', 'min', 'max')
        body = (self.integer if integers else self.truth)(inner, fails, depth)
        text, many = '%s(%s in %s : %s)' % (word, name, limits, body.text), max(0, high - low + 1)
        if word == 'sum':
            return Expression(text, PRIMARY, many * body.low, many * body.high, body.fails)
        bounds = (body.low, body.high) if integers else (0, many if word == 'count' else 1)
        return Expression(text, PRIMARY, *bounds, body.fails)

    def truth(self, names, fails, depth=2):
        """Where a truth value is wanted"""
        if depth <= 0:
            return self.comparison(names, fails, 0)
        kind = self.rng.choice(['compare', 'compare', 'and', 'or', 'implies', 'not', 'quantified', 'integer', 'constant'])
        if names.records and self.wants('records', 15):
            return self.same_records(names, fails)
        if kind in ('and', 'or', 'implies'):
            row = {'and': AND, 'or': OR, 'implies': IMPLIES}[kind]
            left, right = self.truth(names, fails, depth - 1), self.truth(names, fails, depth - 1)
            strong, symbol = (1, 0), 'implies'
            if kind != 'implies':
                strong, symbol = (0, 1), self.rng.choice(SYMBOLS[row])
            return Expression('%s %s %s' % (left.within(row + strong[0]), symbol, right.within(row + strong[1])), row, 0, 1,
                              left.fails or right.fails)
        if kind == 'not':
            operand = self.truth(names, fails, depth - 1)
            return Expression('%s %s' % (self.rng.choice(['!', 'not']), operand.within(UNARY)), UNARY, 0, 1, operand.fails)
        if kind == 'quantified':
            return self.quantified(names, fails, depth - 1, ('all', 'exists'))
        if kind == 'integer':
            return self.integer(names, fails, depth - 1)
        if kind == 'constant' and self.chance(30):
            return Expression(self.rng.choice(['true', 'false']), PRIMARY, 0, 1)
        return self.comparison(names, fails, depth - 1)

    def whole_record(self, record, names, fails, depth=1):
        """Text of a record variable or an element of an array of them, or of a process's, and whether it can fail"""
        if record.process is None:
            return self.indexed(record.name, record.size, names, fails, depth)
        process, count, single = record.process
        number_ = self.index(names, count, fails, depth)
        text, failing = self.indexed(record.name, record.size, names, fails, depth)
        return '%s%s.%s' % (process, '' if single else '[%s]' % number_.text, text), failing or not single and (
            number_.fails or not 0 <= number_.low <= number_.high < count)

    def same_records(self, names, fails):
        one = self.rng.choice(names.records)
        other = self.rng.choice([record for record in names.records if record.type is one.type])
        (left, fail), (right, failure) = self.whole_record(one, names, fails), self.whole_record(other, names, fails)
        return Expression('%s %s %s' % (left, self.rng.choice(SYMBOLS[EQUALITY]), right), EQUALITY, 0, 1, fail or failure)

    def comparison(self, names, fails, depth):
        left, right = self.integer(names, fails, depth), self.integer(names, fails, depth)
        row = self.rng.choice([EQUALITY, ORDER])
        return Expression('%s %s %s' % (left.within(row + 1), self.rng.choice(SYMBOLS[row]), right.within(row + 1)), row, 0, 1,
                          left.fails or right.fails)

    # ---- bit operators ----

    def bitwise(self, names, fails, depth):
        row = self.rng.choice([BITOR, BITXOR, BITAND])
        left, right = self.integer(names, fails, depth), self.integer(names, fails, depth)
        reach = 2 ** max(max(abs(one.low), abs(one.high)).bit_length() for one in (left, right))
        low = -reach if left.low < 0 or right.low < 0 else 0
        return Expression('%s %s %s' % (left.within(row), self.rng.choice(SYMBOLS[row]), right.within(row + 1)), row, low, reach - 1,
                          left.fails or right.fails)

    def shift(self, names, fails, depth):
        """Left no further than numbers stay small; where it may fail, sometimes by what is no distance."""
        left, right = self.integer(names, fails, depth), self.integer(names, fails, 0)
        grows = self.chance(50)
        if fails and self.chance(25):
            right = number(self.rng.choice([-1, 64, 100]))
        elif right.high > 6 or right.low < (-3 if fails else 0):
            right = number(self.rng.randint(0, 5))
        symbol = self.rng.choice(['<<', 'shl'] if grows else ['>>', 'shr'])
        corners = [left.low, left.high] + [edge * 2 ** max(0, min(6, right.high)) if grows else edge // 2 ** max(0, min(right.low, 6))
                                           for edge in (left.low, left.high)]
        low, high = min(corners + [0]), max(corners + [0])
        return Expression('%s %s %s' % (left.within(SHIFT), symbol, right.within(SUM)), SHIFT, low, high,
                          left.fails or right.fails or not 0 <= right.low <= right.high <= 63)

    def inverse(self, names, fails, depth):
        operand = self.integer(names, fails, depth)
        return Expression('%s%s' % (self.rng.choice(['~', 'bitnot ']), operand.within(UNARY)), UNARY, -operand.high - 1,
                          -operand.low - 1, operand.fails)

    def use(self, names, fails, depth):
        """Of a define, with arguments that are within the bounds that its expression was made with"""
        fitting = [one for one in names.defines if fails or not one.body.fails]
        if not fitting:
            return self.leaf(names)
        define, arguments, failing = self.rng.choice(fitting), [], False
        for parameter in define.parameters:
            made = self.integer(names, fails, min(depth, 1))
            if not parameter.low <= made.low <= made.high <= parameter.high:
                made = Expression('min(max(%s, %d), %d)' % (made.text, parameter.low, parameter.high), PRIMARY, 0, 0, made.fails)
            arguments.append(made.text)
            failing = failing or made.fails
        return Expression(define.name + ('(%s)' % ', '.join(arguments) if arguments else ''), PRIMARY, define.body.low,
                          define.body.high, define.body.fails or failing)

    # Conditions: often a constant one is combined with one that can fail.

    def guard(self, names, fails):
        parts = [self.truth(names, fails).within(AND)]
        if fails and self.chance(40):
            parts.insert(self.rng.randint(0, 1), self.division_by(names))
        if self.chance(20 if fails else 5):
            parts.insert(self.rng.choice([0, len(parts)]), self.falsehood(names))
        text = ' and '.join(parts)
        return '(%s)' % text if text == 'else' else text  # a variable, not the guard `else`

    def division_by(self, names):
        """True or false, or not to be evaluated where a variable has a certain value"""
        variable = self.rng.choice(names.scalars or [Expression(part_of(one[0], ['0'] * len(sizes_of(one[1]))), PRIMARY, *one[2:]) for one in names.arrays[:1]] or [number(1)])
        return '%d / (%s - %d) %s %d' % (self.rng.randint(1, 4), variable.text, self.rng.randint(variable.low, variable.high),
                                         self.rng.choice(['==', '!=', 'lt']), self.rng.randint(-1, 2))

    def falsehood(self, names):
        variable = self.rng.choice(names.scalars + [number(0)])
        return self.rng.choice(['false', 'M == 0', '%s gt %d' % (variable.text, variable.high), 'K lt 0', 'self lt 0'])

    def value(self, names, fails):
        """For an index of a channel or a field that a receiver compares"""
        return number(self.rng.randint(0, 1)) if self.chance(30) else self.integer(names, fails, 1)
