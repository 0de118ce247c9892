"""Types, scopes, places and expressions of random Murphi programs."""
import random


class Scalar:
    """A type of a finite set of values. `values` are literals (none: scalarset), `low` is the least number of a range."""

    def __init__(self, kind, name, values, size, low=0):
        self.kind, self.name, self.values, self.size, self.low = kind, name, values, size, low
        self.states = size + 1


class Array:
    kind, values = 'array', ()

    def __init__(self, name, index, item):
        self.name, self.index, self.item = name, index, item
        self.states = item.states ** index.size


class Record:
    kind, values = 'record', ()

    def __init__(self, name, fields):
        self.name, self.fields, self.states = name, fields, 1
        for _, item in fields:
            self.states *= item.states


BOOL = Scalar('boolean', 'boolean', ['false', 'true'], 2)


class Function:
    def __init__(self, name, parameters, result, pure):
        # parameters: (name, type, by reference)
        self.name, self.parameters, self.result, self.pure = name, parameters, result, pure


class Variable:
    def __init__(self, text, type_, writable):
        self.text, self.type, self.writable = text, type_, writable


class Scope:
    """What can be named at a place; `pure`: no variable of the state may change."""

    def __init__(self, variables, functions, pure=False, result=None, calls=True):
        self.variables, self.functions, self.pure, self.result, self.calls = variables, functions, pure, result, calls

    def with_(self, *variables, **changes):
        new = Scope(self.variables + list(variables), self.functions, self.pure, self.result, self.calls)
        for name, value in changes.items():
            setattr(new, name, value)
        return new


class Expressions:
    def __init__(self, seed, most_states=300000):
        self.draw, self.lines, self.names, self.room = random.Random(seed), [], 0, most_states
        self.types, self.functions, self.variables = [BOOL], [], []

    # ---- helpers ----

    def odds(self, p):
        return self.draw.random() < p

    def pick(self, items):
        return self.draw.choice(items)

    def name(self, stem):
        self.names += 1
        return '%s%d' % (stem, self.names)

    def emit(self, indent, text):
        self.lines.append('  ' * indent + text)

    def scalars(self, *kinds):
        return [t for t in self.types if isinstance(t, Scalar) and (not kinds or t.kind in kinds)]

    # ---- declarations ----

    def declare_types(self):
        self.emit(0, 'const LOW: 0; HIGH: %d;' % self.draw.randint(1, 3))
        high = int(self.lines[0].split()[-1][:-1])
        self.emit(0, 'type')
        low = self.draw.randint(-2, 2)
        size = self.draw.randint(2, 5)
        self.add_type(Scalar('range', 'range1', [str(low + i) for i in range(size)], size, low),
                      '%d..%d' % (low, low + size - 1))
        self.add_type(Scalar('range', 'range2', [str(i) for i in range(high + 1)], high + 1), 'LOW..HIGH')
        for number in range(self.draw.randint(1, 2)):
            members = ['e%d_%d' % (number, i) for i in range(self.draw.randint(2, 3))]
            self.add_type(Scalar('enum', 'enum%d' % number, members, len(members)), 'enum { %s }' % ', '.join(members))
        if self.odds(0.5):
            self.add_type(Scalar('scalarset', 'set', [], 2), 'scalarset(2)')
        for number in range(self.draw.randint(2, 4)):
            item = self.pick([t for t in self.types if t.states < 300])
            index = self.pick([t for t in self.scalars() if t.size <= 4])
            if self.odds(0.5):
                new = Array('array%d' % number, index, item)
                text = 'array [%s] of %s' % (index.name, item.name)
            else:
                fields = [('f%d' % i, self.pick([t for t in self.types if t.states < 20]))
                          for i in range(self.draw.randint(1, 3))]
                new = Record('record%d' % number, fields)
                text = 'record %s end' % ' '.join('%s: %s;' % (n, t.name) for n, t in fields)
            if new.states < 3000:
                self.add_type(new, text)

    def add_type(self, new, text):
        self.types.append(new)
        self.emit(1, '%s: %s;' % (new.name, text))

    def declare_variables(self):
        self.emit(0, 'var')
        for _ in range(self.draw.randint(3, 6)):
            fitting = [t for t in self.types if t.states <= self.room]
            larger = [t for t in fitting if not isinstance(t, Scalar)]
            if not fitting:
                break
            chosen = self.pick(larger if larger and self.odds(0.5) else fitting)
            self.room //= chosen.states
            variable = Variable(self.name('v'), chosen, True)
            self.variables.append(variable)
            self.emit(1, '%s: %s;' % (variable.text, chosen.name))

    # ---- places and expressions ----

    def places(self, scope, wanted, writable=False, depth=2):
        """Some place of a type for which wanted() holds, or None."""
        candidates = [v for v in scope.variables if (v.writable or not writable) and self.leads(v.type, wanted)]
        if not candidates:
            return None
        variable = self.pick(candidates)
        text, at = variable.text, variable.type
        while not wanted(at) or (not isinstance(at, Scalar) and self.odds(0.5) and self.inner(at, wanted)):
            if at.kind == 'array':
                index = self.index(scope, at.index, depth)
                if index is None:
                    return None
                text, at = '%s[%s]' % (text, index), at.item
            else:
                field, at = self.pick([f for f in at.fields if self.leads(f[1], wanted)])
                text = '%s.%s' % (text, field)
        return text, at

    def leads(self, at, wanted):
        return wanted(at) or self.inner(at, wanted)

    def inner(self, at, wanted):
        if at.kind == 'array':
            return self.leads(at.item, wanted)
        return at.kind == 'record' and any(self.leads(item, wanted) for _, item in at.fields)

    def bound(self, scope, of):
        return [v.text for v in scope.variables if v.type is of and not v.writable]

    def index(self, scope, of, depth):
        bound = self.bound(scope, of)
        if bound and self.odds(0.7):
            return self.pick(bound)
        if of.values and self.odds(0.7):
            return self.pick(of.values)
        return self.expression(scope, of, depth - 1) if depth > 0 else None

    def place_of(self, scope, of, writable=False, depth=2):
        found = self.places(scope, lambda t: t is of, writable, depth)
        return found and found[0]

    def expression(self, scope, of, depth=2):
        """A value for the type; None: there is none."""
        if of.kind == 'boolean':
            return self.condition(scope, depth)
        if of.kind == 'range':
            return self.fitted(scope, of, depth)
        bound = self.bound(scope, of)
        if bound and self.odds(0.3):
            return self.pick(bound)
        place = self.place_of(scope, of, depth=depth)
        call = self.call(scope, of) if self.odds(0.15) else None
        if call:
            return call
        if of.values and (not place or self.odds(0.5)):
            return self.pick(of.values)
        if of.kind != 'array' and of.kind != 'record' and place and depth > 0 and self.odds(0.1):
            other = self.place_of(scope, of, depth=depth)
            return '(%s ? %s : %s)' % (self.condition(scope.with_(calls=False), depth - 1), place, other) \
                if other and not '(' in place + other else place
        return place

    def fitted(self, scope, of, depth):
        """A number that mostly is in the range."""
        kind = self.draw.random()
        bound = self.bound(scope, of)
        if bound and kind < 0.2:
            return self.pick(bound)
        if kind < 0.3:
            return self.pick(of.values)
        place = self.place_of(scope, of, depth=depth)
        if place and kind < 0.45:
            return place
        place = self.place_of(scope.with_(calls=False), of, depth=depth)
        if place and kind < 0.7:
            return '(%s = %s ? %s : %s + 1)' % (place, of.values[-1], of.values[0], place)
        number = self.number(scope.with_(calls=False), depth)
        if kind < 0.96:
            return '((%s) %% %d = 0 ? %s : %s)' % (number, self.draw.randint(1, 3), self.pick(of.values), self.pick(of.values))
        return number

    def number(self, scope, depth):
        if depth <= 0 or self.odds(0.3):
            found = self.places(scope, lambda t: t.kind == 'range', depth=depth)
            if found and self.odds(0.7):
                return found[0]
            return str(self.draw.randint(0, 4)) if self.odds(0.8) else self.pick(['LOW', 'HIGH'])
        kind = self.draw.random()
        if kind < 0.1:
            result = self.pick(self.scalars('range'))
            return self.call(scope, result) or self.number(scope, depth - 1)
        if kind < 0.17:
            quiet = scope.with_(calls=False)
            return '(%s ? %s : %s)' % (self.condition(quiet, depth - 1), self.number(quiet, depth - 1),
                                       self.number(quiet, depth - 1))
        if kind < 0.22:
            return '-(%s)' % self.number(scope, depth - 1)
        left, right = self.number(scope, depth - 1), self.number(scope, depth - 1)
        operator = self.pick(['+', '+', '-', '-', '*', '/', '%'])
        if operator in '/%' and self.odds(0.9):
            right = str(self.draw.randint(1, 3))
        return ('%s %s %s' if self.odds(0.2) else '(%s %s %s)') % (left, operator, right)

    def condition(self, scope, depth):
        kind = self.draw.random()
        if depth <= 0 or kind < 0.1:
            place = self.place_of(scope, BOOL, depth=depth)
            return place if place and self.odds(0.8) else self.pick(BOOL.values)
        if kind < 0.4:
            return '(%s %s %s)' % (self.number(scope, depth - 1), self.pick(['=', '!=', '<', '<=', '>', '>=']),
                                   self.number(scope, depth - 1))
        if kind < 0.55:
            of = self.pick(self.types[1:])
            left, right = self.place_of(scope, of, depth=depth), self.expression(scope, of, depth - 1)
            if left and right and of.kind != 'range' and not right.startswith('function'):
                return '(%s %s %s)' % (left, self.pick(['=', '!=']), right)
            return self.condition(scope, depth - 1)
        if kind < 0.65:
            found = self.places(scope, lambda t: isinstance(t, Scalar))
            return '%sisundefined(%s)' % (self.pick(['', '!']), found[0]) if found and '?' not in found[0] else 'true'
        if kind < 0.7:
            return self.call(scope, BOOL) or self.condition(scope, depth - 1)
        if kind < 0.8:
            return '!%s' % self.condition(scope, depth - 1) if self.odds(0.5) else '!(%s)' % self.condition(scope, depth - 1)
        if kind < 0.88:
            of, name = self.pick(self.scalars()), self.name('q')
            return '(%s %s: %s do %s end)' % (self.pick(['forall', 'exists']), name, of.name,
                                              self.condition(scope.with_(Variable(name, of, False)), depth - 1))
        left, right = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
        operator = self.pick(['&', '|', '->'])
        flat = operator != '->' and '->' not in left + right and '!' not in left[:1] + right[:1] and self.odds(0.3)
        return ('%s %s %s' if flat else '(%s %s %s)') % (left, operator, right)

    def test(self, scope):
        """A simple condition."""
        found = self.places(scope, lambda t: isinstance(t, Scalar) and t.values, depth=0)
        if not found:
            return 'true'
        operator = self.pick(['=', '!=', '!=', '<=', '>='] if found[1].kind == 'range' else ['=', '!='])
        return '(%s %s %s)' % (found[0], operator, self.pick(found[1].values))

    def call(self, scope, result, pure=True):
        """A call of a function with this result (None: a procedure), or None."""
        if not scope.calls:
            return None
        able = [f for f in scope.functions if f.result is result and (f.pure or not pure)]
        if not able:
            return None
        function = self.pick(able)
        arguments = []
        quiet = scope.with_(calls=False)
        for _, of, by_reference in function.parameters:
            argument = self.place_of(quiet, of, True) if by_reference else self.expression(quiet, of, 1)
            if argument is None or (by_reference and '?' in argument):
                return None
            arguments.append(argument)
        return '%s(%s)' % (function.name, ', '.join(arguments))
