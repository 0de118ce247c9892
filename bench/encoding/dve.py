"""Reader for models of the DVE language (BEEM, the benchmark for explicit model checkers), for measurements.

Supported: constants, global and local variables of types byte and int, arrays, processes with locations, transitions
with guard, sync and effect, unbuffered channels with or without a value, `system async`. Everything else raises Refused:
buffered and typed channels, committed locations, assertions, synchronous systems.

An expression is a tuple: ('number', n), ('variable', Variable, index or None), ('unary', op, e), ('binary', op, a, b),
('at', Process, location). Operators are C's; `and`, `or` and `not` become `&&`, `||` and `!`. An array's name without
an index is its element 0.
"""
import re

TYPES = {'byte': (0, 255), 'int': (-32768, 32767)}

# From weakest to strongest.
LEVELS = [['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '<=', '>', '>='], ['<<', '>>'], ['+', '-'], ['*', '/', '%']]
WORDS = {'or': '||', 'and': '&&', 'not': '!'}
TOKEN = re.compile(r'\s*(?:([A-Za-z_]\w*)|(\d+)|(->|&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%&|^<>!~=(){}\[\],;?.:]))')


class Refused(Exception):
    """The reader does not support the model."""


class Variable:
    """size: None for a scalar. values: initial values, one for each element."""

    def __init__(self, name, owner, kind, size, values, constant):
        self.name, self.owner, self.kind, self.size, self.values, self.constant = name, owner, kind, size, values, constant
        self.full_name = owner.name + '.' + name if owner else name

    def elements(self):
        """The name of each element, as in files of ranges."""
        return [self.full_name] if self.size is None else ['%s[%d]' % (self.full_name, i) for i in range(self.size)]


class Channel:
    """valued: messages have a value."""

    def __init__(self, name):
        self.name, self.valued = name, None


class Transition:
    """sync: None, or (Channel, '!' or '?', value, target or None). effects: list of (target, value)."""

    def __init__(self, source, target):
        self.source, self.target, self.guard, self.sync, self.effects = source, target, None, None, []


class Process:
    def __init__(self, name):
        self.name, self.variables, self.locations, self.initial, self.transitions = name, {}, [], None, []


class Model:
    def __init__(self):
        self.variables, self.channels, self.processes = {}, {}, {}

    def all_variables(self):
        """Variables that are not constants, globals first."""
        found = list(self.variables.values())
        for process in self.processes.values():
            found += process.variables.values()
        return [v for v in found if not v.constant]


def arithmetic(op, a, b):
    """Operation on two constants with C semantics."""
    if op in '/%':
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if op == '/' else a - b * quotient
    return {'||': lambda: int(bool(a or b)), '&&': lambda: int(bool(a and b)), '|': lambda: a | b, '^': lambda: a ^ b,
            '&': lambda: a & b, '==': lambda: int(a == b), '!=': lambda: int(a != b), '<': lambda: int(a < b),
            '<=': lambda: int(a <= b), '>': lambda: int(a > b), '>=': lambda: int(a >= b), '<<': lambda: a << b,
            '>>': lambda: a >> b, '+': lambda: a + b, '-': lambda: a - b, '*': lambda: a * b}[op]()


class Reader:
    def __init__(self, text):
        text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
        text = re.sub(r'//[^\n]*', ' ', text).rstrip()
        self.tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise Refused('character %r' % text[at:].lstrip()[:1])
            word, at = match.group().strip(), match.end()
            self.tokens.append(WORDS.get(word, word))
        self.next, self.model, self.process = 0, Model(), None

    def peek(self):
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.peek()
        if token is None or (wanted is not None and token != wanted):
            raise Refused('%r where %r should be' % (token, wanted))
        self.next += 1
        return token

    def taken(self, token):
        if self.peek() != token:
            return False
        self.next += 1
        return True

    def name(self):
        token = self.take()
        if not re.match(r'[A-Za-z_]', token):
            raise Refused('%r where a name should be' % token)
        return token

    def names(self):
        found = [self.name()]
        while self.taken(','):
            found.append(self.name())
        self.take(';')
        return found

    # Expressions

    def lookup(self, name):
        for scope in ([self.process.variables] if self.process else []) + [self.model.variables]:
            if name in scope:
                return scope[name]
        raise Refused('nothing is called %s' % name)

    def target(self, name):
        variable = self.lookup(name)
        index = None
        if self.taken('['):
            index = self.expression()
            self.take(']')
        elif variable.size is not None:
            index = ('number', 0)
        if index and variable.size is None:
            raise Refused('%s is no array' % name)
        return ('variable', variable, index)

    def operand(self):
        token = self.take()
        if token == '(':
            inner = self.expression()
            self.take(')')
            return inner
        if token in ('!', '-', '~'):
            inner = self.operand()
            return ('number', -inner[1]) if token == '-' and inner[0] == 'number' else ('unary', token, inner)
        if token.isdigit():
            return ('number', int(token))
        if token in ('true', 'false'):
            return ('number', int(token == 'true'))
        if not re.match(r'[A-Za-z_]', token):
            raise Refused('%r in an expression' % token)
        if self.taken('.'):
            process, location = self.model.processes.get(token), self.name()
            if not process or location not in process.locations:
                raise Refused('no location %s.%s' % (token, location))
            return ('at', process, location)
        found = self.target(token)
        if found[1].constant and (found[2] is None or found[2][0] == 'number'):
            return ('number', found[1].values[found[2][1] if found[2] else 0])
        return found

    def expression(self, level=0):
        if level == len(LEVELS):
            return self.operand()
        left = self.expression(level + 1)
        while self.peek() in LEVELS[level]:
            op = self.take()
            right = self.expression(level + 1)
            if left[0] == right[0] == 'number' and not (op in '/%' and right[1] == 0):
                left = ('number', arithmetic(op, left[1], right[1]))
            else:
                left = ('binary', op, left, right)
        return left

    def constant(self):
        value = self.expression()
        if value[0] != 'number':
            raise Refused('no constant expression')
        return value[1]

    # Declarations

    def variables(self, constant):
        kind, scope = self.take(), (self.process or self.model).variables
        if kind not in TYPES:
            raise Refused('type %s' % kind)
        while True:
            name, size = self.name(), None
            if self.taken('['):
                size = self.constant()
                self.take(']')
            values = [0] * (size or 1)
            if self.taken('='):
                given = [self.constant()] if not self.taken('{') else self.list()
                values[:len(given)] = given[:len(values)] # the model anderson has one too many
            low, high = TYPES[kind]
            if min(values) < low or max(values) > high:
                raise Refused('initial values of %s' % name)
            scope[name] = Variable(name, self.process, kind, size, values, constant)
            if not self.taken(','):
                break
        self.take(';')

    def list(self):
        found = [self.constant()]
        while self.taken(','):
            found.append(self.constant())
        self.take('}')
        return found

    def sync(self, transition):
        channel = self.model.channels.get(self.name())
        direction = self.take()
        if not channel or direction not in '!?':
            raise Refused('sync without a channel')
        value = None
        if self.peek() != ';':
            value = self.expression() if direction == '!' else self.target(self.name())
        if channel.valued not in (None, value is not None):
            raise Refused('channel %s with and without a value' % channel.name)
        channel.valued = value is not None
        transition.sync = (channel, direction, value)

    def effects(self, transition):
        while True:
            target = self.target(self.name())
            if target[1].constant:
                raise Refused('%s is a constant' % target[1].name)
            self.take('=')
            transition.effects.append((target, self.expression()))
            if not self.taken(','):
                return

    def transition(self, previous):
        source = previous if self.peek() == '->' else self.name()
        self.take('->')
        transition = Transition(source, self.name())
        for location in (source, transition.target):
            if location not in self.process.locations:
                raise Refused('no location %s' % location)
        self.take('{')
        while not self.taken('}'):
            part = self.take()
            if part == 'guard':
                guard = self.expression()
                transition.guard = ('binary', '&&', transition.guard, guard) if transition.guard else guard
            elif part == 'sync':
                self.sync(transition)
            elif part == 'effect':
                self.effects(transition)
            else:
                raise Refused('%r in a transition' % part)
            self.take(';')
        self.process.transitions.append(transition)
        return source

    def transitions(self):
        source = None
        while self.peek() != ';':
            source = self.transition(source)
            self.taken(',')
        self.take(';')

    def process_body(self):
        self.process = Process(self.name())
        self.model.processes[self.process.name] = self.process
        self.take('{')
        while not self.taken('}'):
            token = self.peek()
            if token in TYPES or token == 'const':
                self.variables(self.taken('const'))
                continue
            self.take()
            if token == 'state':
                self.process.locations = self.names()
            elif token == 'init':
                self.process.initial, = self.names()
            elif token == 'trans':
                self.transitions()
            elif token == 'accept':
                self.names()
            else:
                raise Refused('%r in a process' % token)
        if self.process.initial not in self.process.locations:
            raise Refused('process %s has no initial location' % self.process.name)
        self.process = None

    def read(self):
        while self.peek() is not None:
            token = self.peek()
            if token in TYPES or token == 'const':
                self.variables(self.taken('const'))
                continue
            self.take()
            if token == 'channel':
                self.model.channels.update((name, Channel(name)) for name in self.names())
            elif token == 'process':
                self.process_body()
            elif token == 'system':
                if self.names() != ['async']:
                    raise Refused('a system that is not async')
            else:
                raise Refused('%r' % token)
        if not self.model.processes:
            raise Refused('no process')
        return self.model


def read_model(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return Reader(file.read()).read()
