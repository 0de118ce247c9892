"""What random models have beside variables in ranges and plain statements, each where its feature is wanted."""
import math

from random_expressions import PRIMARY, SUM, Expression, Expressions, Names, sizes_of


class Variable:
    """limits: attributes for a range other than that of the values that expressions reckon with. kind: 'values', 'ranges', 'wrap', 'byte' or
    'enumeration'; None for a plain range. safe: what every element can be given."""

    def __init__(self, name, low, high, size, boolean, init, kind=None, limits=None, safe=None):
        self.name, self.low, self.high, self.size, self.boolean, self.init = name, low, high, size, boolean, init
        self.kind, self.limits = kind, limits
        self.safe = list(range(low, high + 1)) if safe is None else safe

    def scalar(self):
        return Expression(self.name, PRIMARY, self.low, self.high)

    def array(self):
        return self.name, self.size, self.low, self.high

    def takes(self, high):
        """All of 0..high"""
        return self.kind in ('wrap', 'byte') or all(value in self.safe for value in range(high + 1))


class Record:
    """A type; fields: variables, or record variables of an earlier type"""

    def __init__(self, name, fields):
        self.name, self.fields = name, fields

    def plain(self):
        """A message can have it."""
        return all(field.type.plain() if isinstance(field, RecordVariable) else field.kind in (None, 'enumeration', 'wrap') for field in self.fields) and all(
            field.size is None for field in self.fields)


class RecordVariable:
    """process: name, count and single, where it is spoken of from outside"""

    def __init__(self, name, type_, size, init=None, process=None):
        self.name, self.type, self.size, self.init, self.process = name, type_, size, init, process

    def seen_in(self, process):
        return RecordVariable(self.name, self.type, self.size, process=process)

    def leaves(self, name=None, sizes=()):
        """Variables for its fields. [] in their names stand for indices."""
        made, name = [], (self.name if name is None else name) + '[]' * len(sizes_of(self.size))
        sizes += sizes_of(self.size)
        for field in self.type.fields:
            inner = '%s.%s' % (name, field.name)
            if isinstance(field, RecordVariable):
                made += field.leaves(inner, sizes)
                continue
            own = sizes_of(field.size)
            made.append(Variable(inner + '[]' * len(own), field.low, field.high, sizes + own or None, field.boolean, None, field.kind,
                                 field.limits, field.safe))
        return made


class Enumeration:
    def __init__(self, name, values):
        self.name, self.values, self.count = name, values, len(values)

    def constants(self):
        return [Expression(value, PRIMARY, i, i) for i, value in enumerate(self.values)]


class Define:
    """parameters: expressions with the bounds that an argument must keep"""

    def __init__(self, name, parameters, body, is_function=False):
        self.name, self.parameters, self.body, self.is_function = name, parameters, body, is_function


class Constructs(Expressions):
    """Expects of its heir: enumerations, errors, statement(), effect(), place(), names_of(), targets_of(), own_constants()."""

    # ---- variables ----

    def some_size(self, sizes):
        """None: no array; a tuple of several dimensions"""
        if self.wants('dimensions', 20):
            return self.rng.choice([(1, 2), (2, 1), (2, 2), (2, 2), (2, 3), (1, 2, 2), (2, 1, 2)])
        return self.rng.choice(sizes)

    def special_variable(self, name, own):
        """None: a plain one"""
        for kind, percent in (('values', 15), ('ranges', 12), ('wrap', 18), ('enumerations', 15)):
            if self.wants(kind, percent) and (kind != 'enumerations' or self.enumerations):
                return getattr(self, 'with_' + kind)(name, self.some_size([None, None, 2, 3]), own)
        return None

    def initial(self, size, choices, texts=str):
        many = 1 if self.chance(50) else math.prod(sizes_of(size))
        return ', '.join(texts(self.rng.choice(choices)) for _ in range(many))

    def with_values(self, name, size, _):
        values = sorted(self.rng.sample([-9, -3, -1, 0, 1, 2, 3, 5, 6, 7, 40], self.rng.choice([2, 3, 3, 4, 5])))
        starts = []
        for v in values:
            if self.chance(80) or v - 1 not in starts:
                starts.append(v)
        parts = ['%d..%d' % (v, v + 1) if v + 1 in values else str(v) for v in starts]
        self.rng.shuffle(parts)  # may name a value twice, or omit one
        init = None if 0 in values and self.chance(50) else self.initial(size, values)
        return Variable(name, values[0], values[-1], size, False, init, 'values', {'values': ', '.join(parts)}, values)

    def with_ranges(self, name, size, _):
        size = size or 2
        pairs = [(self.rng.choice([0, 0, -1, -3]), self.rng.choice([1, 1, 2, 4])) for _ in range(math.prod(sizes_of(size)))]
        safe = range(max(low for low, _ in pairs), min(high for _, high in pairs) + 1)
        limits = {'range': ', '.join('%d..%d' % pair for pair in pairs)}
        init = None if self.chance(50) else ', '.join(str(self.rng.randint(*pair)) for pair in pairs)
        return Variable(name, min(low for low, _ in pairs), max(high for _, high in pairs), size, False, init, 'ranges', limits, list(safe))

    def with_wrap(self, name, size, _):
        if self.chance(25):
            wrap = self.rng.choice([None, None, 'true', 'false'])
            init = self.rng.choice([None, '3', '255', '256' if wrap != 'false' else '32'])
            return Variable(name, 0, 255, size, False, init, 'byte', {'type_': 'byte', 'wrap': wrap}, [0, 1, 2, 3, 32, 96])
        low = self.rng.choice([0, 0, -2, 1])
        high = low + self.rng.choice([1, 2, 3, 4])
        init = self.initial(size, range(low - 3, high + 4))
        return Variable(name, low, high, size, False, init, 'wrap', {'range': '%d..%d' % (low, high), 'wrap': 'true'})

    def with_enumerations(self, name, size, own):
        enumeration = self.rng.choice(self.enumerations)
        # The names of values may be hidden in a process.
        init = None if self.chance(50) else self.initial(size, range(enumeration.count) if own else enumeration.values)
        return Variable(name, 0, enumeration.count - 1, size, False, init, 'enumeration', {'type_': enumeration.name})

    def special_statement(self, names, variable):
        """What makes no error but where errors are wanted"""
        place, fails = self.place(variable, names), self.errors and self.chance(20)
        if fails and self.chance(40):
            return place + self.rng.choice(['++', '--'])
        if fails or variable.kind == 'wrap' and self.chance(60):
            return '%s %s %s' % (place, self.rng.choice(['=', '=', '+=', '-=']), self.integer(names, fails, 1).text)
        if variable.kind == 'byte' and self.chance(40) and (variable.limits['wrap'] != 'false'):
            return self.rng.choice(['%s = %s * 32', '%s = -%s', '%s = 256 + %s']) % (place, place)
        if variable.kind in ('ranges', 'wrap') and self.chance(50):
            return '%s = max(%d, min(%d, %s))' % (place, variable.safe[0], variable.safe[-1], self.integer(names, False, 1).text)
        one, other = (self.called(variable, self.rng.choice(variable.safe), names) for _ in range(2))
        condition = '%s == %s' % (place, one) if self.chance(50) else self.truth(names, False, 1).within(PRIMARY)
        return '%s = %s ? %s : %s' % (place, condition, other, one)

    def called(self, variable, value, names):
        """A value, by its name where an enumeration gives it one that nothing hides"""
        if variable.kind == 'enumeration':
            values = [e for e in self.enumerations if e.name == variable.limits['type_']][0].values
            return value if values[value] in names.hidden else values[value]
        return value

    # ---- records ----

    def some_records(self):
        made = []
        for name in 'tu'[:self.rng.choice([1, 2]) if self.wants('records', 40) else 0]:
            fields = [self.small_variable('f%s' % letter) for letter in 'abc'[:self.rng.choice([1, 2, 2, 3])]]
            if made and self.chance(60):
                fields.insert(self.rng.randrange(len(fields) + 1), self.record_variable('fr', made[0]))
            made.append(Record('r' + name, fields))
        return made

    def small_variable(self, name):
        made = self.variable(name)
        while math.prod(sizes_of(made.size)) > 2 or made.kind == 'byte':  # a state must keep an index key
            made = self.variable(name)
        return made

    def record_variable(self, name, type_=None):
        made = RecordVariable(name, type_ or self.rng.choice(self.records), self.rng.choice([None, None, None, 2]) if type_ else self.some_size([None, None, None, 1, 2]))
        paths = ['%s = %d' % (leaf.name[len(name):].replace('[]', '')[1:], self.rng.choice(leaf.safe)) for leaf in made.leaves()
                 if self.chance(40)]
        made.init = ', '.join(paths) or None
        return made

    def record_argument(self, record, sends, names, fails):
        """Of a message; only own and global variables receive."""
        fitting = [one for one in names.records if one.type is record and (sends or one.process is None)]
        text = self.whole_record(self.rng.choice(fitting), names, fails)[0]
        return text if sends or self.chance(50) else self.rng.choice(['_', '== ' + text])

    def record_assignment(self, names, targets):
        """Indices read no field, because the assignment must not change them."""
        one = self.rng.choice(targets)
        other = self.rng.choice([record for record in names.records if record.type is one.type])
        plain = Names(constants=names.constants, scalars=[e for e in names.scalars if '.' not in e.text])
        fails = self.errors and self.chance(30)
        return '%s = %s' % (self.whole_record(one, plain, fails)[0], self.whole_record(other, plain, fails)[0])

    # ---- statements ----

    def block(self, names, targets, depth):
        """What a `for` or a branch does"""
        if self.chance(7):
            return '{}'
        many = self.rng.choice([1, 1, 2])
        made = [self.any_statement(names, targets, depth) for _ in range(many)]
        if many == 1 and self.chance(60):
            return made[0]
        return '{ %s%s }' % (self.sequence(made), self.rng.choice(['', ';']))

    def sequence(self, made):
        """`;` between statements, which is not needed behind a block."""
        text = made[0]
        for one in made[1:]:
            text += (' ' if text.endswith('}') and self.chance(40) else '; ') + one
        return text

    def any_statement(self, names, targets, depth=2):
        if depth and targets and self.wants('statements', 35):
            return self.rng.choice([self.loop, self.conditional])(names, targets, depth - 1)
        if not targets:
            return 'assert(true)'
        mine = [record for record in names.records if record.process is None]
        if mine and self.wants('records', 30):
            return self.record_assignment(names, mine)
        return self.statement(names, self.rng.choice(targets))

    def loop(self, names, targets, depth):
        name = self.fresh('f', names)
        if names.processes and self.chance(40):
            limits, count = self.rng.choice(names.processes)[:2]
            low, high = 0, count - 1
        else:
            low, high = 0, self.rng.randint(-1, 2)
            limits = '%d..%d' % (low, high)
            around = [one for one in names.constants if one.text[0] == 'f' and one.text[1:].isdigit()]  # see `name` above
            if around and self.chance(50):
                outer = self.rng.choice(around)
                low, high, limits = outer.low, max(outer.high, high), '%s..%d' % (outer.text, high)
        inner = names.plus(constants=[Expression(name, PRIMARY, low, max(low, high))])
        targets = [v for v in targets if v.name != name]
        return 'for %s in %s : %s' % (name, limits, self.block(inner, targets, depth))

    def conditional(self, names, targets, depth):
        condition = self.truth(names, self.errors and self.chance(30), 1).text
        text = 'if (%s) %s' % (condition, self.block(names, targets, depth))
        if self.chance(50):
            return text
        return '%s%s else %s' % (text, self.rng.choice(['', ';']), self.block(names, targets, depth))

    # ---- defines ----

    def define(self, name, names):
        parameters = []
        for i in range(self.rng.choice([0, 1, 1, 2])):
            low = self.rng.choice([0, 0, -1])
            text = self.fresh('a', names) if i == 0 else self.fresh('a')
            parameters.append(Expression(text, PRIMARY, low, low + self.rng.randint(1, 3)))
        if self.wants('functions', 40):
            return Define(name, parameters, self.function(names.plus(constants=parameters)), True)
        body = (self.truth if self.chance(40) else self.integer)(names.plus(constants=parameters), self.errors and self.chance(40), 2)
        return Define(name, parameters, body)

    # ---- functions ----

    def function(self, names):
        """Statements, as the text of an expression with the bounds of what they return. Each value is limited, so that loops keep the
        bounds of a variable."""
        low = self.rng.choice([0, 0, -1])
        local = Expression(self.fresh('v'), PRIMARY, low, low + self.rng.randint(1, 3))
        fails = self.errors and self.chance(40)
        first, inner, results = self.integer(names, fails, 1), names.plus(constants=[local]), []
        made = ['var %s = %s' % (local.text, self.limited(local, first))]
        failing = first.fails
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            text, fail = self.function_statement(local, inner, fails, results, 2)
            made.append(text)
            failing = failing or fail
        results.append(local if self.chance(50) else self.integer(inner, fails, 1))
        made.append('return ' + results[-1].text)
        return Expression(self.sequence(made), PRIMARY, min(one.low for one in results), max(one.high for one in results),
                          failing or any(one.fails for one in results))

    @staticmethod
    def limited(local, value):
        return 'max(%d, min(%d, %s))' % (local.low, local.high, value.text)

    def function_statement(self, local, names, fails, results, depth):
        """Text, and whether it can fail. Values that it returns are added to the results."""
        kind = self.rng.choice(['set', 'set', 'step', 'return', 'if', 'for'] if depth else ['set', 'step', 'return'])
        value = self.integer(names, fails, 1)
        condition = self.truth(names, fails, 1)
        if kind == 'set':
            return '%s = %s' % (local.text, self.limited(local, value)), value.fails
        if kind == 'step':  # a maximum or minimum, or a step
            words = self.rng.choice([('gt', 'max'), ('lt', 'min')])
            if self.chance(50):
                return 'if (%s %s %s) %s = %s' % (value.within(SUM), words[0], local.text, local.text, self.limited(local, value)), value.fails
            return 'if (%s lt %d) %s++ else %s = %d' % (local.text, local.high, local.text, local.text, local.low), False
        if kind == 'return':
            results.append(value)
            return 'if (%s) return %s' % (condition.text, value.text), condition.fails or value.fails
        inner, failing = names, condition.fails
        if kind == 'for':
            name = self.fresh('f')
            inner = names.plus(constants=[Expression(name, PRIMARY, 0, 2)])
        body = [self.function_statement(local, inner, fails, results, depth - 1) for _ in range(self.rng.choice([1, 1, 2]))]
        failing = failing or any(fail for _, fail in body)
        block = '{ %s }' % self.sequence([text for text, _ in body])
        if kind == 'for':
            return 'for %s in 0..%d : %s' % (name, self.rng.choice([-1, 1, 2]), block), failing
        if self.chance(50):
            other, fail = self.function_statement(local, names, fails, results, 0)
            return 'if (%s) %s else { %s }' % (condition.text, block, other), failing or fail
        return 'if (%s) %s' % (condition.text, block), failing

    @staticmethod
    def define_text(define):
        return define.name, ', '.join(one.text for one in define.parameters) or None, define.body.text

    # ---- else ----

    def else_parts(self, process):
        """Attributes of a transition that is taken where no other can be; None where each location has one that waits for others."""
        free = [location for location in process.locations if location not in process.waits]
        if not free:
            return None
        names = self.names_of(process, self.own_constants(process))
        targets = self.targets_of(process)
        sources = '*' if len(free) == len(process.locations) and self.chance(30) else ' '.join(
            self.rng.sample(free, min(len(free), self.rng.choice([1, 1, 2]))))
        parts = {'from_': sources, 'to': self.rng.choice(process.locations + [None]), 'guard': self.rng.choice(['else', 'else', ' else '])}
        if self.chance(25):
            name = self.fresh('s', names)
            parts['select'] = '%s in 0..1' % name
            names = names.plus(constants=[Expression(name, PRIMARY, 0, 1)])
            targets = [v for v in targets if v.name != name]
        if self.chance(70):
            parts['effect'] = self.effect(names, targets)
        return parts
