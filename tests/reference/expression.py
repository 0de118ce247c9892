"""Expressions of the model language, as doc/language.md says ("Expressions"): tree -> function of a state.

Written from the documents alone, and shares nothing with floe: that is its use. Speed is not.
"""
import math
from collections import ChainMap

from syntax import Parser, Refused, parse


class ModelError(Exception):
    """What doc/semantics.md calls an error of the model, while it runs."""


def quotient(a, b):
    """/ truncates towards zero, as in C."""
    if b == 0:
        raise ModelError('division by zero')
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    """% has the sign of its left side, as in C."""
    if b == 0:
        raise ModelError('remainder by zero')
    return a - b * quotient(a, b)


def distance(b):
    if not 0 <= b <= 63:
        raise ModelError('a shift by %d' % b)
    return b


ARITHMETIC = {
    '==': lambda a, b: int(a == b), '!=': lambda a, b: int(a != b), '<': lambda a, b: int(a < b),
    '<=': lambda a, b: int(a <= b), '>': lambda a, b: int(a > b), '>=': lambda a, b: int(a >= b),
    '+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b, '/': quotient, '%': remainder,
    'min': min, 'max': max,
    '|': lambda a, b: a | b, '^': lambda a, b: a ^ b, '&': lambda a, b: a & b,
    '<<': lambda a, b: a * 2 ** distance(b), '>>': lambda a, b: a // 2 ** distance(b),
}


def binary(function, left, right):
    return lambda s: function(left(s), right(s))


# A quantifier is unrolled to a chain of its body for each value: `all` with `and`, `exists` with `or`.
OVER_ALL = {
    'all': lambda bodies: lambda s: int(all(body(s) for body in bodies)),
    'exists': lambda bodies: lambda s: int(any(body(s) for body in bodies)),
    'count': lambda bodies: lambda s: sum(1 for body in bodies if body(s)),
    'sum': lambda bodies: lambda s: sum(body(s) for body in bodies),
    'min': lambda bodies: lambda s: min([body(s) for body in bodies]),
    'max': lambda bodies: lambda s: max([body(s) for body in bodies]),
}


def within(index, size):
    if not 0 <= index < size:
        raise ModelError('index %d out of bounds' % index)
    return index


# ---- meanings of names, besides integers; size None: not an array ----

class Variable:
    """Its value is at `slot` of a state, its elements are from there on, row by row. sizes: of each dimension. domains: a function for each element from a value to
    the one that is kept of it, which raises ModelError for a value that cannot be. positions: of `values`, where each stands. changes: something assigns it."""

    def __init__(self, slot, pattern, sizes, domains, positions=None):
        self.slot, self.pattern, self.sizes, self.domains, self.positions = slot, pattern, sizes, domains, positions
        self.count, self.changes = math.prod(sizes), False

    def name_of(self, element):
        """Of an element by its number, row by row. In the pattern, [] stands for each index."""
        indices = []
        for size in reversed(self.sizes):
            indices.insert(0, '[%d]' % (element % size))
            element //= size
        pieces = self.pattern.split('[]')
        return ''.join(piece + index for piece, index in zip(pieces, indices + ['']))


    def leaves(self):
        return [self]


class Structure:
    """A record: its fields by name, each with the sizes of the record before its own. record: its type."""

    def __init__(self, record, sizes, parts):
        self.record, self.sizes, self.parts = record, sizes, parts

    def leaves(self):
        """All that are no records, in order"""
        return [leaf for part in self.parts.values() for leaf in part.leaves()]

    def slots(self, number):
        """Of all values of the record with this number in its array"""
        return [leaf.slot + number * inner + i for leaf in self.leaves()
                for inner in [math.prod(leaf.sizes[len(self.sizes):])] for i in range(inner)]


class Channel:
    """fields: the ranges of a message, groups: for each field as declared None, or the paths of a record's fields. A buffer's messages, a tuple of them, are at `slot` of a state, an array's from there on."""

    def __init__(self, name, slot, size, capacity, broadcast, fields, groups):
        self.name, self.slot, self.size, self.capacity = name, slot, size, capacity
        self.broadcast, self.fields, self.groups = broadcast, fields, groups


class Process:
    def __init__(self, name, size, locations):
        self.name, self.size, self.locations, self.instances = name, size, locations, []


class Instance:
    """The number of its location is at `slot` of a state. names: what is visible in it, more and more while it is read."""

    def __init__(self, names):
        self.names, self.variables = names, {}


class Enumeration:
    def __init__(self, values):
        self.values = values


class Define:
    """names: those visible where it stands, looked up when it is used."""

    def __init__(self, number, parameters, tree, names):
        self.number, self.parameters, self.tree, self.names = number, parameters, tree, names


class Function(Define):
    """tree: its statements"""


class Local:
    """A variable of a function. There is no recursion, so each call has its own."""

    value = 0


class Argument:
    """In the place of a define's parameter: an expression with the names of the place where the define is used."""

    def __init__(self, tree, scope):
        self.tree, self.scope = tree, scope


class Bound:
    """A field of a message that `receive` gave a name; read: something speaks of it."""

    def __init__(self, slot):
        self.slot, self.read = slot, False


def assigning(local, value):
    def assign(s):
        local.value = value(s)
    return assign


class Scope:
    """What names mean: each is an integer or something of one of the classes above. stateless: nothing that a state has is
    known. before: only defines with a lesser number are, of the same place."""

    def __init__(self, names, stateless=False, before=None):
        self.names, self.stateless, self.before = names, stateless, before

    def with_names(self, names):
        return Scope(ChainMap(dict(names), self.names), self.stateless, self.before)

    def without_state(self):
        return Scope(self.names, True, self.before)

    def find(self, name, kind):
        found = self.names.get(name)
        if not isinstance(found, kind):
            raise Refused('%r is not known here, or is something else' % name)
        if self.stateless and isinstance(found, (Variable, Structure, Channel, Bound)):
            raise Refused('%r is not constant' % name)
        return found

    # ---- from text ----

    def expression(self, text):
        return self.function(parse(text, Parser.expression))

    def constant(self, text):
        return self.value(parse(text, Parser.expression))

    def limits(self, pair):
        """Of a range of constants, or of an enumeration's name"""
        low, high = pair
        if high is None:
            return 0, len(self.find(low[1], Enumeration).values) - 1
        return self.value(low), self.value(high)

    def range(self, text):
        return self.limits(parse(text, Parser.range))

    # ---- from trees ----

    def value(self, tree):
        """Of an expression over constants, which sees no state."""
        try:
            return self.without_state().function(tree)(())
        except ModelError as reason:
            raise Refused('%s in a constant expression' % reason) from reason

    def values(self, low, high):
        """Of a quantifier, a select or a `for`: lo..hi, or all instances of a process, or all values of an enumeration."""
        if high is not None:
            return range(self.value(low), self.value(high) + 1)
        found = self.find(low[1], (Process, Enumeration))
        return range(len(found.instances if isinstance(found, Process) else found.values))

    def function(self, tree):
        """From a state to the integer that the expression is in it."""
        if tree[0] in ('==', '!=') and self.names_record(tree[1]) | self.names_record(tree[2]):
            return self.same_records(*tree)
        if tree[0] in ARITHMETIC:
            return binary(ARITHMETIC[tree[0]], self.function(tree[1]), self.function(tree[2]))
        return RULES[tree[0]](self, *tree[1:])

    def negative(self, operand):
        operand = self.function(operand)
        return lambda s: -operand(s)

    def inverse(self, operand):
        operand = self.function(operand)
        return lambda s: -operand(s) - 1

    def negation(self, operand):
        operand = self.function(operand)
        return lambda s: int(not operand(s))

    # The right side of these is evaluated only when it decides.

    def conjunction(self, left, right):
        left, right = self.function(left), self.function(right)
        return lambda s: int(bool(left(s) and right(s)))

    def disjunction(self, left, right):
        left, right = self.function(left), self.function(right)
        return lambda s: int(bool(left(s) or right(s)))

    def implication(self, left, right):
        left, right = self.function(left), self.function(right)
        return lambda s: int(bool(not left(s) or right(s)))

    def choice(self, condition, yes, no):
        condition, yes, no = self.function(condition), self.function(yes), self.function(no)
        return lambda s: yes(s) if condition(s) else no(s)

    def each(self, word, name, low, high, body):
        bodies = [self.with_names({name: value}).function(body) for value in self.values(low, high)]
        if not bodies:
            self.with_names({name: 0}).function(body)  # its names are checked nevertheless
        if not bodies and word in ('min', 'max'):
            raise Refused('%s of nothing' % word)
        return OVER_ALL[word](bodies)

    def buffer(self, name, index):
        """Function that gives the messages."""
        channel = self.find(name, Channel)
        if not channel.capacity:
            raise Refused('%r is no buffer' % name)
        element = self.element(index, channel.size)
        return channel, lambda s: s[channel.slot + element(s)]

    def enabled(self, *names):
        """In temporal properties"""
        if 'enabled()' not in self.names:
            raise Refused('enabled')
        return self.names['enabled()'](self, *names)

    def length(self, name, index):
        _, messages = self.buffer(name, index)
        return lambda s: len(messages(s))

    def emptiness(self, name, index):
        _, messages = self.buffer(name, index)
        return lambda s: int(not messages(s))

    def fullness(self, name, index):
        channel, messages = self.buffer(name, index)
        return lambda s: int(len(messages(s)) == channel.capacity)

    def element(self, index, size):
        """Function that gives the number of an element, within bounds; 0 for what is no array."""
        if (index is None) != (size is None):
            raise Refused('an array without an index, or an index of what is none')
        if index is None:
            return lambda s: 0
        index = self.function(index)
        return lambda s: within(index(s), size)

    def name(self, name, index):
        meaning = self.find(name, (int, Variable, Define, Argument, Bound, Local))
        if isinstance(meaning, Variable):
            return self.read(*self.variable_of(('place', name, ())))
        if index is not None:
            raise Refused('%r has no elements' % name)
        if isinstance(meaning, Define):
            return self.call(name, ())
        if isinstance(meaning, Argument):
            return Scope(meaning.scope.names, self.stateless or meaning.scope.stateless, meaning.scope.before).function(meaning.tree)
        if isinstance(meaning, Local):
            return lambda s: meaning.value
        if isinstance(meaning, Bound):
            meaning.read = True
            return lambda s: s[meaning.slot]
        return lambda s: meaning

    def call(self, name, arguments):
        """What the define's expression means where the define stands, with the arguments in the place of its parameters."""
        define = self.find(name, Define)
        if len(arguments) != len(define.parameters):
            raise Refused('%d arguments for %r' % (len(arguments), name))
        if self.before is not None and define.names is self.before[0] and define.number >= self.before[1]:
            raise Refused('the define %r stands before %r' % (define.tree, name))
        inner = Scope(define.names, self.stateless, (define.names, define.number))
        if isinstance(define, Function):
            return self.called(define, [self.function(tree) for tree in arguments], inner)
        return inner.with_names({p: Argument(tree, self) for p, tree in zip(define.parameters, arguments)}).function(define.tree)

    # ---- functions ----

    @staticmethod
    def called(function, arguments, inner):
        """Arguments are evaluated from left to right, once."""
        parameters = [Local() for _ in arguments]
        run = inner.with_names(dict(zip(function.parameters, parameters))).block(function.tree)

        def call(s):
            for parameter, value in zip(parameters, [argument(s) for argument in arguments]):
                parameter.value = value
            return run(s)[0]
        return call

    def block(self, trees):
        """A function of the state: None, or a tuple with the value that a statement returned"""
        scope, made = self, []
        for tree in trees:
            if tree[0] == 'var':
                local, value = Local(), scope.function(tree[2])
                scope = scope.with_names({tree[1]: local})
                made.append(assigning(local, value))
            else:
                made.append(scope.local_statement(tree))

        def run(s):
            for statement in made:
                returned = statement(s)
                if returned is not None:
                    return returned
            return None
        return run

    def local_statement(self, tree):
        if tree[0] == 'return':
            value = self.function(tree[1])
            return lambda s: (value(s),)
        if tree[0] == 'if':
            condition, yes, no = self.function(tree[1]), self.block(tree[2]), self.block(tree[3])
            return lambda s: yes(s) if condition(s) else no(s)
        if tree[0] == 'for':
            return self.local_loop(*tree[1:])
        operator, place, value = tree
        local, value = self.find(place[1], Local), self.function(value)
        if place[0] != 'name' or getattr(local, 'of_loop', False):
            raise Refused('a function assigns its own variables')
        if operator == '=':
            return assigning(local, value)
        return assigning(local, (lambda s: local.value + value(s)) if operator in ('+=', '++') else lambda s: local.value - value(s))

    def local_loop(self, name, low, high, body):
        local = Local()
        local.of_loop = True
        body = self.with_names({name: local}).block(body)
        if high is None:
            values = self.values(low, high)
            limits = lambda s: values
        else:
            first, last = self.function(low), self.function(high)
            limits = lambda s: range(first(s), last(s) + 1)

        def run(s):
            for value in limits(s):
                local.value = value
                returned = body(s)
                if returned is not None:
                    return returned
            return None
        return run

    @staticmethod
    def read(variable, element):
        slot = variable.slot
        return lambda s: s[slot + element(s)]

    def place(self, name, steps):
        """A variable, or a part of it; or P[e].x, P[e].a[e], P[e].l; without [e] of a process declared without instances."""
        if isinstance(self.names.get(name), Process):
            return self.member(name, steps)
        return self.read(*self.variable_of(('place', name, steps)))

    def variable_of(self, place):
        """A variable of the model or the instance, and a function that gives the number of the element."""
        return self.value_of_part(*self.any_part(place))

    @staticmethod
    def value_of_part(variable, element):
        if isinstance(variable, Structure):
            raise Refused('a record is no value')
        return variable, element

    def any_part(self, place):
        """The same, also of a whole record."""
        _, name, steps = place
        return self.part(self.find(name, (Variable, Structure)), steps or ())

    def part(self, variable, steps):
        """Each index is checked by itself, from left to right."""
        steps, trees = list(steps), []
        for step in steps:
            if not isinstance(step, str):
                trees.append(step)
            elif isinstance(variable, Structure) and step in variable.parts and len(trees) == len(variable.sizes):
                variable = variable.parts[step]
            else:
                raise Refused('no field %s here' % step)
        if len(trees) != len(variable.sizes):
            raise Refused('%d indices for %d' % (len(trees), len(variable.sizes)))
        indices = [self.element(tree, size) for tree, size in zip(trees, variable.sizes)]

        def element(s):
            number = 0
            for index, size in zip(indices, variable.sizes):
                number = number * size + index(s)
            return number
        return variable, element

    def member(self, process, steps):
        process = self.find(process, Process)
        if self.stateless:
            raise Refused('%s is not constant' % process.name)
        which = None if isinstance(steps[0], str) else steps[0]
        name, rest = steps[0 if which is None else 1:][0], steps[1 if which is None else 2:]
        number = self.element(which, process.size)
        if name in process.locations and not rest:
            location, slots = process.locations.index(name), [instance.slot for instance in process.instances]
            return lambda s: int(s[slots[number(s)]] == location)
        if any(name not in instance.variables for instance in process.instances):
            raise Refused('%r is neither a variable nor a location of %s' % (name, process.name))
        theirs = [self.read(*self.value_of_part(*self.part(instance.variables[name], rest))) for instance in process.instances]
        return lambda s: theirs[number(s)](s)

    # ---- whole records ----

    def names_record(self, tree):
        return self.record_type(tree) is not None

    def record_type(self, tree):
        """Of a place that is a whole record; None: it is something else."""
        if tree[0] not in ('name', 'place'):
            return None
        found, steps = self.names.get(tree[1]), [step for step in tree[2] or () if isinstance(step, str)]
        if isinstance(found, Process):
            found, steps = found.instances[0].variables.get(steps[0]) if steps else None, steps[1:]
        for step in steps:
            found = found.parts.get(step) if isinstance(found, Structure) else None
        return found.record if isinstance(found, Structure) else None

    def record(self, tree):
        """The values of all fields, in order"""
        if self.stateless or not self.names_record(tree):
            raise Refused('a record is wanted')
        if not isinstance(self.names[tree[1]], Process):
            structure, number = self.any_part(tree)
            return lambda s: [s[slot] for slot in structure.slots(number(s))]
        steps = tree[2]
        which = None if isinstance(steps[0], str) else steps[0]
        name, rest = steps[0 if which is None else 1], steps[1 if which is None else 2:]
        process = self.names[tree[1]]
        instance = self.element(which, process.size)
        theirs = [self.part(one.variables[name], rest) for one in process.instances]

        def values(s):
            structure, number = theirs[instance(s)]
            return [s[slot] for slot in structure.slots(number(s))]
        return values

    def same_records(self, operator, left, right):
        if self.record_type(left) is not self.record_type(right):
            raise Refused('records of different types')
        left, right = self.record(left), self.record(right)
        return lambda s: int((left(s) == right(s)) == (operator == '=='))


RULES = {
    'number': lambda scope, value: lambda s: value, 'name': Scope.name, 'place': Scope.place,
    'negative': Scope.negative, 'inverse': Scope.inverse, 'call': Scope.call, '!': Scope.negation, '&&': Scope.conjunction, '||': Scope.disjunction,
    'implies': Scope.implication, '?': Scope.choice, 'each': Scope.each,
    'len': Scope.length, 'empty': Scope.emptiness, 'full': Scope.fullness, '[enabled]': Scope.enabled,
}
