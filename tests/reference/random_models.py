#!/usr/bin/env python3
"""random_models.py SEED: prints a random model, the same one for the same seed, of all that doc/language.md has.

The state spaces are small, errors of the model frequent. Each expression is made with bounds of its value, so that
models that floe refuses (a division by what is always zero, say) are rare.
"""
import itertools
import random
import sys
from xml.sax.saxutils import escape, quoteattr

# Rows of operators, the strongest last; see "Expressions"
TERNARY, IMPLIES, OR, AND, EQUALITY, ORDER, SUM, PRODUCT, UNARY, PRIMARY = range(10)
SYMBOLS = {
    OR: ['||', 'or'], AND: ['&&', 'and'], EQUALITY: ['==', '!=', 'eq', 'ne'],
    ORDER: ['<', '<=', '>', '>=', 'lt', 'le', 'gt', 'ge'], SUM: ['+', '-'], PRODUCT: ['*', '/', '%'],
}


class Expression:
    """Text with the row of its outermost operator, bounds of its value, and whether its evaluation can fail."""

    def __init__(self, text, row, low, high, fails=False):
        self.text, self.row, self.low, self.high, self.fails = str(text), row, low, high, fails

    def within(self, row):
        """The text where operators of this row or a stronger one are wanted."""
        return self.text if self.row >= row else '(%s)' % self.text

    def contains(self, *values):
        return all(self.low <= value <= self.high for value in values)


def number(value):
    return Expression(value, PRIMARY if value >= 0 else UNARY, value, value)


class Names:
    """What an expression may speak of; scalars, arrays, constants are those of its own process too."""

    def __init__(self, scalars=(), arrays=(), constants=(), members=(), buffers=(), processes=()):
        self.scalars, self.arrays, self.constants = list(scalars), list(arrays), list(constants)
        self.members, self.buffers, self.processes = list(members), list(buffers), list(processes)

    def plus(self, constants=(), scalars=(), arrays=()):
        return Names(self.scalars + list(scalars), self.arrays + list(arrays), self.constants + list(constants), self.members,
                     self.buffers, self.processes)


class Expressions:
    """Makes expressions; `fails` says whether their evaluation may fail."""

    def __init__(self, rng):
        self.rng = rng
        self.bound = itertools.count()

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
        if zero and (not fails or right.low == right.high):
            right, zero = number(self.rng.choice([2, 3, -2])), False
        reach = max(abs(left.low), abs(left.high))
        symbol = self.rng.choice('/%')
        return Expression('%s %s %s' % (left.within(PRODUCT), symbol, right.within(UNARY)), PRODUCT,
                          -reach if left.low < 0 or right.low < 0 else 0, reach, zero or left.fails or right.fails)

    def index(self, names, size, fails, depth=1):
        """An expression for an element of `size`; where it may fail, sometimes one beyond."""
        for _ in range(6):
            made = self.integer(names, fails, depth)
            if made.low >= 0 and made.high < size or fails and made.contains(0) and made.high > made.low and self.chance(40):
                return made
        made = self.integer(names, fails, depth)
        return Expression('min(max(%s, 0), %d)' % (made.text, size - 1), PRIMARY, 0, size - 1, made.fails)

    def element(self, names, fails, depth):
        if not names.arrays:
            return self.leaf(names)
        name, size, low, high = self.rng.choice(names.arrays)
        index = self.index(names, size, fails, depth)
        return Expression('%s[%s]' % (name, index.text), PRIMARY, low, high,
                          index.fails or not 0 <= index.low <= index.high < size)

    def member(self, names, fails, depth):
        """P[e].x, P[e].a[e], P[e].l"""
        if not names.members:
            return self.leaf(names)
        process, count, single, name, size, low, high = self.rng.choice(names.members)
        number_ = self.index(names, count, fails, depth)
        which = '' if single else '[%s]' % number_.text
        failing = not single and (number_.fails or not 0 <= number_.low <= number_.high < count)
        element = ''
        if size is not None:
            index = self.index(names, size, fails, depth)
            element = '[%s]' % index.text
            failing = failing or index.fails or not 0 <= index.low <= index.high < size
        return Expression('%s%s.%s%s' % (process, which, name, element), PRIMARY, low, high, failing)

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
        name = 'n%d' % next(self.bound)
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
            return Expression(text, PRIMARY, min(0, many * body.low), max(0, many * body.high), body.fails)
        bounds = (body.low, body.high) if integers else (0, many if word == 'count' else 1)
        return Expression(text, PRIMARY, *bounds, body.fails)

    def truth(self, names, fails, depth=2):
        """Where a truth value is wanted"""
        if depth <= 0:
            return self.comparison(names, fails, 0)
        kind = self.rng.choice(['compare', 'compare', 'and', 'or', 'implies', 'not', 'quantified', 'integer', 'constant'])
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

    def comparison(self, names, fails, depth):
        left, right = self.integer(names, fails, depth), self.integer(names, fails, depth)
        row = self.rng.choice([EQUALITY, ORDER])
        return Expression('%s %s %s' % (left.within(row + 1), self.rng.choice(SYMBOLS[row]), right.within(row + 1)), row, 0, 1,
                          left.fails or right.fails)

    # Conditions: often one that constants and ranges decide stands beside one that can fail.

    def guard(self, names, fails):
        parts = [self.truth(names, fails).within(AND)]
        if fails and self.chance(40):
            parts.insert(self.rng.randint(0, 1), self.division_by(names))
        if self.chance(20 if fails else 5):
            parts.insert(self.rng.choice([0, len(parts)]), self.falsehood(names))
        return ' and '.join(parts)

    def division_by(self, names):
        """True or false, or not to be evaluated where a variable has a certain value"""
        variable = self.rng.choice(names.scalars or [Expression('%s[0]' % names.arrays[0][0], PRIMARY, *names.arrays[0][2:])])
        return '%d / (%s - %d) %s %d' % (self.rng.randint(1, 4), variable.text, self.rng.randint(variable.low, variable.high),
                                         self.rng.choice(['==', '!=', 'lt']), self.rng.randint(-1, 2))

    def falsehood(self, names):
        variable = self.rng.choice(names.scalars + [number(0)])
        return self.rng.choice(['false', 'M == 0', '%s gt %d' % (variable.text, variable.high), 'K lt 0', 'self lt 0'])

    def value(self, names, fails):
        """For an index of a channel or a field that a receiver compares"""
        return number(self.rng.randint(0, 1)) if self.chance(30) else self.integer(names, fails, 1)


class Channel:
    """wild: conditions of its transitions may fail"""

    def __init__(self, name, size, capacity, broadcast, fields, wild):
        self.name, self.size, self.capacity, self.broadcast = name, size, capacity, broadcast
        self.fields, self.wild = fields, wild


class Process:
    def __init__(self, name, instances):
        self.name, self.instances = name, instances
        self.count = 1 if instances is None else instances
        self.locations, self.committed, self.parameters = [], [], []
        self.variables, self.assigned = [], set()


class Variable:
    """room: so much more the range has than the values that expressions reckon with."""

    def __init__(self, name, low, high, size, boolean, init):
        self.name, self.low, self.high, self.size, self.boolean, self.init = name, low, high, size, boolean, init
        self.room = 0

    def scalar(self):
        return Expression(self.name, PRIMARY, self.low, self.high)

    def array(self):
        return self.name, self.size, self.low, self.high


def attributes(**values):
    return ''.join(' %s=%s' % (name.rstrip('_'), quoteattr(str(value))) for name, value in values.items() if value is not None)


class Generator(Expressions):
    """text: the model. defines: values for its constants that a run may be given. wide: its states have more than 64 bits."""

    def __init__(self, seed, wide=False):
        super().__init__(random.Random(seed))
        self.wide = wide
        self.lines = []
        self.errors = self.chance(60)  # may conditions fail, and properties?
        self.constants = [Expression(name, PRIMARY, value, value)
                          for name, value in (('K', self.rng.randint(0, 3)), ('M', self.rng.randint(1, 2)))]
        self.defines = {'K': self.rng.randint(0, 3)} if self.chance(20) else {}
        if self.defines:
            self.constants[0].low, self.constants[0].high = 0, 3
        self.globals = [self.variable('g%d' % i) for i in range(self.rng.randint(1, 3))]
        if wide:
            self.globals += [self.wide_variable('w%d' % i) for i in range(self.rng.randint(1, 3))]
        self.channels = [self.channel('c%d' % i) for i in range(self.rng.choice([0, 1, 1, 1, 2, 2]))]
        self.processes = [self.process('P%d' % i) for i in range(self.rng.choice([1, 2, 2, 3]))]
        self.names = self.all_names()
        self.partners = self.choose_partners()
        self.text = self.model(seed)

    def variable(self, name, own=False):
        boolean = self.chance(25)
        low = 0 if boolean else self.rng.choice([0, 0, 0, -1, -2, 1])
        high = 1 if boolean else low + self.rng.choice([1, 1, 2, 2, 3])
        size = self.rng.choice([None, None, None, 1, 2, 3])
        init = [self.rng.randint(low, high) for _ in range(1 if size is None or self.chance(50) else size)]
        text = ', '.join('false true'.split()[value] if boolean else str(value) for value in init)
        if text == '0' and self.chance(50) and low <= 0 <= high:
            text = None
        elif size is not None and len(init) == 1 and low == 0 and high >= size - 1 and self.chance(50):
            text = 'index'
        elif own and not boolean and len(init) == 1 and low == 0 and high >= 2 and self.chance(50):
            text = 'self % 2'
        return Variable(name, low, high, size, boolean, text)

    def wide_variable(self, name):
        """An array of 65 bits or more; its process moves one element, and others what they find in it."""
        each = self.rng.randint(3, 18)
        made = Variable(name, 0, self.rng.randint(1, 3), 65 // each + self.rng.randint(1, 6), False, None)
        made.room = 2 ** each - 1 - made.high
        return made

    def channel(self, name):
        kind = self.rng.choice(['handshake', 'handshake', 'buffer', 'buffer', 'broadcast'])
        fields = [(0, self.rng.randint(1, 3)) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        return Channel(name, self.rng.choice([None, None, 1, 2]), self.rng.randint(1, 2) if kind == 'buffer' else 0,
                       kind == 'broadcast', fields, self.errors and self.chance(50))

    def process(self, name):
        process = Process(name, self.rng.choice([None, None, 1, 2, 2, 3]))
        process.locations = ['l%d' % i for i in range(self.rng.choice([1, 2, 2, 3]))]
        process.committed = [len(process.locations) > 1 and self.chance(15) for _ in process.locations]
        process.variables = [self.variable('%s_v%d' % (name.lower(), i), True) for i in range(self.rng.choice([0, 0, 1, 1, 2]))]
        if self.chance(40):
            process.parameters.append(('%s_k' % name.lower(), 'self * M', 0, 2 * (process.count - 1)))
        if self.chance(30):
            process.parameters.append(('%s_l' % name.lower(), ', '.join(str(self.rng.randint(0, 2)) for _ in range(process.count)), 0, 2))
        return process

    def all_names(self):
        """What properties may speak of, and transitions but for their own process's"""
        members = []
        for p in self.processes:
            members += [(p.name, p.count, p.instances is None, location, None, 0, 1) for location in p.locations]
            members += [(p.name, p.count, p.instances is None, v.name, v.size, v.low, v.high) for v in p.variables]
        buffers = [(c.name, c.size, c.capacity) for c in self.channels if c.capacity]
        return Names([v.scalar() for v in self.globals if v.size is None], [v.array() for v in self.globals if v.size is not None],
                     self.constants, members, buffers, [(p.name, p.count) for p in self.processes])

    def choose_partners(self):
        """Triples (process, channel, sends) of transitions that there are in any case: each channel has both ends."""
        made = []
        for channel in self.channels:
            for sends in [True, False] + [False] * channel.broadcast:
                made.append((self.rng.choice(self.processes), channel, sends))
        return made

    # ---- text ----

    def model(self, seed):
        body = [self.process_text(process) for process in self.processes]
        given = 'K' in self.defines and self.chance(50)
        head = ['<constant%s/>' % attributes(name='K', value=None if given else self.constants[0].low, range='0..3'),
                '<constant%s/>' % attributes(name='M', value='%d + 1 - 1' % self.constants[1].low)]
        head += [self.variable_text(v) for v in self.globals] + [self.channel_text(c) for c in self.channels]
        tail = [self.property_text(i) for i in range(self.rng.choice([1, 2, 3]))] + self.deadlock_text()
        return '<model name="random-%s">\n%s\n</model>\n' % (seed, '\n'.join('  ' + line for line in head + body + tail))

    @staticmethod
    def variable_text(v):
        limits = {'type_': 'bool'} if v.boolean else {'range': '%d..%d' % (v.low, v.high + v.room)}
        return '<variable%s/>' % attributes(name=v.name, **limits, size=v.size, init=v.init)

    @staticmethod
    def channel_text(c):
        message = ', '.join('bool' if high == 1 else '%d..%d' % (low, high) for low, high in c.fields) or None
        return '<channel%s/>' % attributes(name=c.name, size=c.size, capacity=c.capacity or None,
                                           broadcast='true' if c.broadcast else None, message=message)

    def process_text(self, process):
        lines = ['<parameter%s/>' % attributes(name=name, value=value) for name, value, _, _ in process.parameters]
        lines += [self.variable_text(v) for v in process.variables]
        lines += ['<location%s/>' % attributes(name=name, initial='true' if i == 0 else None, committed='true' if committed else None)
                  for i, (name, committed) in enumerate(zip(process.locations, process.committed))]
        lines += [self.transition_text(process, channel, sends) for one, channel, sends in self.partners if one is process]
        lines += [self.transition_text(process) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3]))]
        lines += [self.moving_text(process, v) for v in process.variables + (self.globals if process is self.processes[0] else [])]
        return '<process%s>\n%s\n  </process>' % (attributes(name=process.name, instances=process.instances),
                                                  '\n'.join('    ' + line for line in lines))

    def moving_text(self, process, v):
        """Every variable changes, or it would be a constant."""
        place = v.name if v.size is None else '%s[%d]' % (v.name, self.rng.randrange(v.size))
        effect = '%s = %d' % (place, self.rng.randint(v.low, v.high))
        return '<transition%s/>' % attributes(from_=self.rng.choice(process.locations), to=self.rng.choice(process.locations + [None]), effect=effect,
                                                 guard=None if self.chance(60) else '%s != %d' % (place, self.rng.randint(v.low, v.high)))

    def transition_text(self, process, channel=None, sends=False):
        partner = channel is not None
        own = [Expression('self', PRIMARY, 0, process.count - 1)]
        own += [Expression(name, PRIMARY, low, high) for name, _, low, high in process.parameters]
        select = None
        if self.chance(25):
            name, second = 's%d' % next(self.bound), 's%d' % next(self.bound)
            select = '%s in 0..%s' % (name, self.rng.choice(['1', 'M']))
            own.append(Expression(name, PRIMARY, 0, 2))
            if self.chance(30):
                other = self.rng.choice(self.processes)
                select += ', %s in %s' % (second, other.name)
                own.append(Expression(second, PRIMARY, 0, other.count - 1))
        names = self.names_of(process, own)
        targets = self.globals + process.variables
        if not partner and self.channels and self.chance(40):
            channel, sends = self.rng.choice(self.channels), self.chance(50)
        fails = self.errors and (channel is None or channel.wild)
        parts = {'select': select, 'guard': self.guard(names, fails) if self.chance(35 if partner else 60) else None, 'send': None, 'receive': None}
        if channel is not None:
            parts['send' if sends else 'receive'] = self.synchronisation(channel, sends, names, fails, targets)
        parts['effect'] = self.effect(names, targets) if self.chance(65) else None
        source, target = self.chance(10), self.rng.choice(process.locations + [None])
        sources = '*' if source or partner and self.chance(40) else ' '.join(self.rng.sample(process.locations, self.rng.choice([1, min(2, len(process.locations))])))
        children = [name for name, text in parts.items() if text is not None and self.chance(20)]
        inner = ''.join('<%s>%s</%s>' % (name, escape(parts.pop(name)), name) for name in children)
        start = '<transition%s' % attributes(from_=sources, to=target, **parts)
        return '%s>%s</transition>' % (start, inner) if inner else start + '/>'

    def names_of(self, process, constants):
        return self.all_names().plus(constants, [v.scalar() for v in process.variables if v.size is None],
                                     [v.array() for v in process.variables if v.size is not None])

    def synchronisation(self, channel, sends, names, fails, targets):
        text = channel.name
        if channel.size is not None:
            made = self.value(names, fails)
            text += '[%s]' % (made.text if made.fails or made.high < channel.size else '0')
        if not channel.fields:
            return text
        arguments = [(self.sent if sends else self.pattern)(high, names, fails, targets) for _, high in channel.fields]
        return '%s(%s)' % (text, ', '.join(arguments))

    def sent(self, high, names, fails, targets):
        if fails:
            return self.value(names, fails).text
        if self.chance(30):
            return self.integer(names, False).text
        return 'max(0, min(%d, %s))' % (high, self.integer(names, False).text)

    def pattern(self, high, names, fails, targets):
        kind = self.rng.choice(['_', '==', 'take', 'take'])
        if kind == '_':
            return '_'
        if kind == '==':
            return '== %s' % (high + 1 if self.chance(10) else self.value(names, fails).text)
        fitting = [v for v in targets if v.low <= 0 and v.high >= high]
        return self.place(self.rng.choice(fitting if fitting and self.chance(90) else targets), names)

    def place(self, variable, names):
        if variable.size is None:
            return variable.name
        return '%s[%s]' % (variable.name, self.index(names, variable.size, self.errors and self.chance(30)).text)

    def effect(self, names, targets):
        statements = [self.statement(names, self.rng.choice(targets)) for _ in range(self.rng.choice([1, 1, 2, 3]))]
        return '; '.join(statements)

    def statement(self, names, variable):
        place, fails = self.place(variable, names), self.errors and self.chance(30)
        kind = self.rng.choice(['turn', 'turn', 'fit', 'fit', 'any', 'step', 'add', 'assert'])
        if kind == 'assert' and fails:
            return 'assert(%s)' % self.truth(names, True).text
        if kind == 'step' and fails:
            return place + self.rng.choice(['++', '--'])
        if kind == 'add' and fails:
            return '%s %s %s' % (place, self.rng.choice(['+=', '-=']), self.integer(names, True, 1).text)
        if kind == 'any' and fails:
            return '%s = %s' % (place, self.integer(names, True).text)
        if kind == 'turn':
            return '%s = %s == %d ? %d : %s + 1' % (place, place, variable.high, variable.low, place)
        return '%s = max(%d, min(%d, %s))' % (place, variable.low, variable.high, self.integer(names, fails).text)

    def failing(self):
        """True or false in one state, and perhaps not to be evaluated in a later one"""
        variable = self.rng.choice(self.names.scalars or [Expression('%s[0]' % self.globals[0].name, PRIMARY, 0, 1)])
        return '%d / (%s - %d) %s %s' % (self.rng.randint(1, 4), variable.text, self.rng.randint(variable.low, variable.high),
                                         self.rng.choice(['==', '!=', 'lt']), self.integer(self.names, False, 1).within(SUM))

    def property_text(self, i):
        text = self.failing() if self.errors and self.chance(40) else self.truth(self.names, self.errors, 3).text
        kind = self.rng.choice(['invariant', 'never', 'reachable'])
        return '<property%s>%s</property>' % (attributes(id='p%d' % i, kind=kind), escape(text))

    def deadlock_text(self):
        kind = self.rng.choice(['none', 'none', 'off', 'unless', 'unless', 'unless'])
        if kind == 'none':
            return []
        if kind == 'off':
            return ['<deadlock check="false"/>']
        text = self.failing() if self.errors and self.chance(50) else self.truth(self.names, self.errors).text
        return ['<deadlock%s/>' % attributes(unless=text)]


def main():
    sys.stdout.write(Generator(sys.argv[1]).text)


if __name__ == '__main__':
    main()
