"""Expressions of the model language, as doc/language.md says ("Expressions"): text -> tree -> function of a state.

Written from the documents alone, and shares nothing with floe: that is its use. Speed is not.
"""
import functools
import re


class Refused(Exception):
    """The model is none, or has what this explorer does not know."""


class ModelError(Exception):
    """What doc/semantics.md calls an error of the model, while it runs."""


RESERVED = set('and or not implies lt le gt ge eq ne true false all exists count sum min max in self index len '
               'empty full assert bool'.split())
TOKEN = re.compile(r'\s*(\d+|[A-Za-z_]\w*|\.\.|\+\+|--|\+=|-=|==|!=|<=|>=|&&|\|\||[-+*/%!?:<>=()\[\],.;])')
WORDS = {'or': '||', 'and': '&&', 'eq': '==', 'ne': '!=', 'lt': '<', 'le': '<=', 'gt': '>', 'ge': '>=', 'not': '!'}
QUANTIFIERS = ('all', 'exists', 'count', 'sum', 'min', 'max')
# Rows of operators from weakest to strongest, below `implies`, and whether a row may be used in a chain
BINARY = [(('||',), True), (('&&',), True), (('==', '!='), False), (('<', '<=', '>', '>='), False), (('+', '-'), True),
          (('*', '/', '%'), True)]


def tokens_of(text):
    tokens, at, text = [], 0, text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Refused('what is this: %r' % text[at:])
        tokens.append(WORDS.get(match.group(1), match.group(1)))
        at = match.end()
    return tokens


def is_name(token):
    return token is not None and re.match(r'[A-Za-z_]\w*$', token) and token not in RESERVED and token != '_'


class Parser:
    """Trees are tuples that begin with the operator."""

    def __init__(self, text):
        self.text, self.tokens, self.at = text, tokens_of(text), 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else None

    def take(self, token=None):
        found = self.peek()
        if found is None or token not in (None, found):
            raise Refused('%r expected, %r found in %r' % (token, found, self.text))
        self.at += 1
        return found

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def name(self):
        if not is_name(self.peek()):
            raise Refused('a name expected, %r found in %r' % (self.peek(), self.text))
        return self.take()

    def whole(self, rule):
        """All of the text is what the rule reads."""
        tree = rule(self)
        if self.peek() is not None:
            raise Refused('%r is too much in %r' % (self.peek(), self.text))
        return tree

    def list_of(self, rule, separator=','):
        items = [rule(self)]
        while self.accept(separator):
            items.append(rule(self))
        return items

    def expression(self):
        condition = self.implication()
        if not self.accept('?'):
            return condition
        yes = self.expression()
        self.take(':')
        return ('?', condition, yes, self.expression())

    def implication(self):
        left = self.binary(0)
        return ('implies', left, self.implication()) if self.accept('implies') else left

    def binary(self, row):
        if row == len(BINARY):
            return self.unary()
        operators, chains = BINARY[row]
        left = self.binary(row + 1)
        while self.peek() in operators:
            left = (self.take(), left, self.binary(row + 1))
            if not chains and self.peek() in operators:
                raise Refused('comparisons do not chain: %r' % self.text)
        return left

    def unary(self):
        if self.accept('!'):
            return ('!', self.unary())
        if self.accept('-'):
            return ('negative', self.unary())
        return self.primary()

    def primary(self):
        token = self.peek()
        if token is not None and token.isdigit():
            return ('number', int(self.take()))
        if token in ('true', 'false'):
            return ('number', int(self.take() == 'true'))
        if token in ('self', 'index'):
            return ('name', self.take(), None)
        if self.accept('('):
            tree = self.expression()
            self.take(')')
            return tree
        if token in QUANTIFIERS:
            return self.quantifier()
        if token in ('len', 'empty', 'full'):
            self.take()
            self.take('(')
            tree = (token, self.name(), self.subscript())
            self.take(')')
            return tree
        return self.place()

    def subscript(self):
        if not self.accept('['):
            return None
        tree = self.expression()
        self.take(']')
        return tree

    def place(self):
        """x, a[e], P.x, P[e].x, P[e].a[e], P[e].l"""
        name, first = self.name(), self.subscript()
        if not self.accept('.'):
            return ('name', name, first)
        return ('of', name, first, self.name(), self.subscript())

    def quantifier(self):
        word = self.take()
        self.take('(')
        if self.peek(1) == 'in':
            name, (low, high) = self.binding()
            self.take(':')
            tree = ('each', word, name, low, high, self.expression())
        elif word in ('min', 'max'):
            left = self.expression()
            self.take(',')
            tree = (word, left, self.expression())
        else:
            raise Refused('%s without a name: %r' % (word, self.text))
        self.take(')')
        return tree

    def range(self):
        low = self.expression()
        self.take('..')
        return low, self.expression()

    def binding(self):
        """i in lo..hi, or i in P: then high is None"""
        name = self.name()
        self.take('in')
        if is_name(self.peek()) and self.peek(1) in (None, ':', ','):
            return name, (('name', self.take(), None), None)
        return name, self.range()

    def bindings(self):
        return self.list_of(Parser.binding)

    def expressions(self):
        return self.list_of(Parser.expression)

    # ---- channels ----

    def field(self):
        return (('number', 0), ('number', 1)) if self.accept('bool') else self.range()

    def message(self):
        return self.list_of(Parser.field)

    def send(self):
        return self.synchronisation(Parser.expression)

    def receive(self):
        return self.synchronisation(Parser.pattern)

    def synchronisation(self, argument):
        name, index, arguments = self.name(), self.subscript(), []
        if self.accept('('):
            arguments = self.list_of(argument)
            self.take(')')
        return name, index, arguments

    def pattern(self):
        if self.accept('_'):
            return ('drop',)
        return ('equal', self.expression()) if self.accept('==') else ('take', self.name(), self.subscript())

    # ---- effects: (operator, name, index, value); of an assertion (operator, value) ----

    def effect(self):
        statements = [self.statement()]
        while self.accept(';') and self.peek() is not None:
            statements.append(self.statement())
        return statements

    def statement(self):
        if self.accept('assert'):
            return 'assert', self.expression()
        name, index, operator = self.name(), self.subscript(), self.take()
        if operator not in ('=', '+=', '-=', '++', '--'):
            raise Refused('%r is no statement' % self.text)
        return operator, name, index, ('number', 1) if operator in ('++', '--') else self.expression()


@functools.lru_cache(maxsize=10000)
def parse(text, rule):
    return Parser(text).whole(rule)


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


ARITHMETIC = {
    '==': lambda a, b: int(a == b), '!=': lambda a, b: int(a != b), '<': lambda a, b: int(a < b),
    '<=': lambda a, b: int(a <= b), '>': lambda a, b: int(a > b), '>=': lambda a, b: int(a >= b),
    '+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b, '/': quotient, '%': remainder,
    'min': min, 'max': max,
}


def binary(function, left, right):
    return lambda s: function(left(s), right(s))


# Written out, a quantifier is a chain of its body for each value: `all` one of `and`, `exists` one of `or`.
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


# ---- what names can mean, besides integers; size is None for what is no array ----

class Variable:
    """Its value is at `slot` of a state, its elements are from there on."""

    def __init__(self, slot, size, low, high):
        self.slot, self.size, self.low, self.high = slot, size, low, high


class Channel:
    """fields: the ranges of a message. A buffer's messages, a tuple of them, are at `slot` of a state, an array's from there on."""

    def __init__(self, name, slot, size, capacity, broadcast, fields):
        self.name, self.slot, self.size, self.capacity = name, slot, size, capacity
        self.broadcast, self.fields = broadcast, fields


class Process:
    def __init__(self, name, size, locations):
        self.name, self.size, self.locations, self.instances = name, size, locations, []


class Instance:
    """The number of its location is at `slot` of a state."""

    def __init__(self, slot, constants, variables):
        self.slot, self.constants, self.variables = slot, constants, variables


class Scope:
    """What names mean: each is an integer, a Variable, or a channel or process of model.py."""

    def __init__(self, names):
        self.names = names

    def with_names(self, names):
        return Scope({**self.names, **names})

    def find(self, name, kind):
        found = self.names.get(name)
        if not isinstance(found, kind):
            raise Refused('%r is not known here, or is something else' % name)
        return found

    # ---- from text ----

    def expression(self, text):
        return self.function(parse(text, Parser.expression))

    def constant(self, text):
        return self.value(parse(text, Parser.expression))

    def range(self, text):
        low, high = parse(text, Parser.range)
        return self.value(low), self.value(high)

    # ---- from trees ----

    def value(self, tree):
        """Of an expression over constants, which sees no state."""
        if any(isinstance(part, Variable) for part in self.parts(tree)):
            raise Refused('not constant: %r' % (tree,))
        return self.function(tree)(())

    def parts(self, tree):
        """What the names in a tree mean."""
        for place, part in enumerate(tree):
            if isinstance(part, tuple):
                yield from self.parts(part)
            elif isinstance(part, str) and place > 0:  # the first tells what tree it is, and a variable may be called so
                yield self.names.get(part)

    def values(self, low, high):
        """Of a quantifier or a select: lo..hi, or all instances of a process."""
        if high is None:
            return range(len(self.find(low[1], Process).instances))
        return range(self.value(low), self.value(high) + 1)

    def function(self, tree):
        """From a state to the integer that the expression is in it."""
        if tree[0] in ARITHMETIC:
            return binary(ARITHMETIC[tree[0]], self.function(tree[1]), self.function(tree[2]))
        return RULES[tree[0]](self, *tree[1:])

    def negative(self, operand):
        operand = self.function(operand)
        return lambda s: -operand(s)

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
        meaning = self.find(name, (int, Variable))
        if isinstance(meaning, Variable):
            return self.variable(meaning, index)
        if index is not None:
            raise Refused('%r has no elements' % name)
        return lambda s: meaning

    def variable(self, variable, index):
        slot, element = variable.slot, self.element(index, variable.size)
        return (lambda s: s[slot]) if index is None else (lambda s: s[slot + element(s)])

    def member(self, process, number, name, index):
        """P[e].x, P[e].a[e], P[e].l; without [e] of a process declared without instances."""
        process = self.find(process, Process)
        number = self.element(number, process.size)
        if name in process.locations and index is None:
            location, slots = process.locations.index(name), [instance.slot for instance in process.instances]
            return lambda s: int(s[slots[number(s)]] == location)
        if any(name not in instance.variables for instance in process.instances):
            raise Refused('%r is neither a variable nor a location of %s' % (name, process.name))
        theirs = [self.variable(instance.variables[name], index) for instance in process.instances]
        return lambda s: theirs[number(s)](s)


RULES = {
    'number': lambda scope, value: lambda s: value, 'name': Scope.name, 'of': Scope.member,
    'negative': Scope.negative, '!': Scope.negation, '&&': Scope.conjunction, '||': Scope.disjunction,
    'implies': Scope.implication, '?': Scope.choice, 'each': Scope.each,
    'len': Scope.length, 'empty': Scope.emptiness, 'full': Scope.fullness,
}
