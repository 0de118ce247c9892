#!/usr/bin/env python3
"""Random models, the same one for the same seed, of all that doc/language.md has.

random_models.py [--kind=KIND] [--features=FEATURE,...] SEED [COUNT]: prints the model of that seed, or COUNT models from that seed on,
a byte 0 behind each.

The state spaces are small, errors of the model frequent. Each expression is made with bounds of its value, so that
models that floe refuses (a division by what is always zero, say) are rare.
"""
import argparse
import math
import random
import sys
from xml.sax.saxutils import escape, quoteattr

from random_constructs import Constructs, Define, Enumeration, RecordVariable, Variable
from random_expressions import AND, FEATURES, PRIMARY, SUM, WORDS, Expression, Names, part_of, sizes_of

KINDS = ['plain', 'wide', 'lively']


class Channel:
    """wild: conditions of its transitions may fail"""

    def __init__(self, name, size, capacity, broadcast, fields, wild):
        self.name, self.size, self.capacity, self.broadcast = name, size, capacity, broadcast
        self.fields, self.wild, self.named, self.record = fields, wild, {}, None


class Process:
    def __init__(self, name, instances):
        self.name, self.instances = name, instances
        self.count = 1 if instances is None else instances
        self.locations, self.committed, self.parameters = [], [], []
        self.variables, self.records, self.defines = [], [], []
        self.waits = set()  # locations without `else`


def size_text(size):
    return None if size is None else ', '.join(str(one) for one in sizes_of(size))


def attributes(**values):
    return ''.join(' %s=%s' % (name.rstrip('_'), quoteattr(str(value))) for name, value in values.items() if value is not None)


class Generator(Constructs):
    """text: the model. defines: values for its constants that a run may be given. kind: wide: its states have more than 64 bits;
    lively: it has no errors, and mostly something is enabled: more states. complete: no constant must be given. features: those of FEATURES that it may have."""

    process_counts, instance_counts = (1, 2, 2, 3), (None, None, 1, 2, 2, 3)

    def __init__(self, seed, kind='plain', features=FEATURES, complete=False):
        super().__init__(random.Random(seed), features)
        self.global_defines, self.lively = [], kind == 'lively'
        self.errors = self.chance(60) and not self.lively  # conditions and properties may fail
        self.constants = [Expression(name, PRIMARY, value, value)
                          for name, value in (('K', self.rng.randint(0, 3)), ('M', self.rng.randint(1, 2)))]
        self.defines = {'K': self.rng.randint(0, 3)} if self.chance(20) and not complete else {}
        if self.defines:
            self.constants[0].low, self.constants[0].high = 0, 3
        self.enumerations = self.some_enumerations()
        self.records = self.some_records()
        self.record_variables = [self.record_variable('r%d' % i) for i in range(self.rng.randint(1, 2) if self.records else 0)]
        self.globals = [self.variable(self.global_name('g%d' % i)) for i in range(self.rng.randint(1, 3))]
        self.globals += [leaf for record in self.record_variables for leaf in record.leaves()]
        self.tables = [Variable('table', -1, 5, 3, False, 'index, 0, %d' % self.rng.randint(-1, 5))] if self.chance(40) else []
        if kind == 'wide':
            self.globals += [self.wide_variable('w%d' % i) for i in range(self.rng.randint(1, 3))]
        self.channels = [self.channel(self.global_name('c%d' % i)) for i in range(self.rng.choice([0, 1, 1, 1, 2, 2]))]
        self.hideable = [v.name for v in self.globals if v.name not in self.words and '.' not in v.name]
        self.hideable += [value for e in self.enumerations for value in e.values]
        self.processes = [self.process('P%d' % i) for i in range(self.rng.choice(self.process_counts))]
        for i in range(self.rng.randint(1, 3) if self.wants('defines', 100) else 0):
            self.global_defines.append(self.define('d%d' % i, self.all_names()))
        for process in self.processes:
            for i in range(self.rng.randint(0, 2) if self.wants('defines', 60) else 0):
                name = 'd0' if i == 0 and self.wants('names', 25) else '%s_d%d' % (process.name.lower(), i)
                names = self.names_of(process, self.own_constants(process))
                names.defines = [one for one in names.defines if one.name != name]
                process.defines.append(self.define(name, names))
        self.names = self.all_names()
        self.partners = self.choose_partners()
        self.text = self.model(seed)

    def some_enumerations(self):
        many = self.rng.choice([1, 1, 2]) if self.wants('enumerations', 70) else 0
        return [Enumeration('e%d' % i, ['e%d_%s' % (i, letter) for letter in 'abcd'[:self.rng.randint(2, 4)]]) for i in range(many)]

    def global_name(self, name):
        """Sometimes a word that elsewhere is the language's own"""
        left = [word for word in WORDS if word not in self.words]
        if not self.wants('names', 15):
            return name
        self.words.add(self.rng.choice(left))
        return [word for word in left if word in self.words][0]

    def local_name(self, name, process):
        """Sometimes a word, or one that hides something global"""
        taken = {one[0] for one in process.parameters} | {v.name for v in process.variables} | self.words
        left = [one for one in WORDS + self.hideable if one not in taken]
        return self.rng.choice(left) if left and self.wants('names', 30) else name

    def variable(self, name, own=False):
        special = self.special_variable(name, own)
        if special is not None:
            return special
        boolean = self.chance(25)
        low = 0 if boolean else self.rng.choice([0, 0, 0, -1, -2, 1])
        high = 1 if boolean else low + self.rng.choice([1, 1, 2, 2, 3])
        size = self.some_size([None, None, None, 1, 2, 3])
        count = math.prod(sizes_of(size))
        init = [self.rng.randint(low, high) for _ in range(1 if self.chance(50) else count)]
        text = ', '.join('false true'.split()[value] if boolean else str(value) for value in init)
        if text == '0' and self.chance(50) and low <= 0 <= high:
            text = None
        elif size is not None and len(init) == 1 and low == 0 and high >= count - 1 and self.chance(50):
            text = 'index'
        elif own and not boolean and len(init) == 1 and low == 0 and high >= 2 and self.chance(50):
            text = 'self % 2'
        return Variable(name, low, high, size, boolean, text)

    def wide_variable(self, name):
        """An array of 65 bits or more; its process moves one element, and others what they find in it."""
        each, least = (self.rng.randint(3, 18), 0) if self.chance(85) else (32, -2 ** 31)
        made = Variable(name, 0, self.rng.randint(1, 3), 65 // each + self.rng.randint(1, 6), False, None)
        made.limits = {'range': '%d..%d' % (least, least + 2 ** each - 1)}
        return made

    def channel(self, name):
        kind = self.rng.choice(['handshake', 'handshake', 'buffer', 'buffer', 'broadcast'])
        fields = [(0, self.rng.randint(1, 3)) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        made = Channel(name, self.rng.choice([None, None, 1, 2]), self.rng.randint(1, 2) if kind == 'buffer' else 0,
                       kind == 'broadcast', fields, self.errors and self.chance(50))
        for i in range(len(fields)):
            if self.enumerations and self.wants('enumerations', 40):
                enumeration = self.rng.choice(self.enumerations)
                fields[i], made.named[i] = (0, enumeration.count - 1), enumeration.name
        fitting = [one.type for one in self.record_variables if one.type.plain()]
        if fitting and self.wants('records', 50):
            made.record, made.fields, made.named = self.rng.choice(fitting), [], {}
        return made

    def process(self, name):
        process = Process(name, self.rng.choice(self.instance_counts))
        process.locations = ['l%d' % i for i in range(self.rng.choice([1, 2, 2, 3]))]
        process.committed = [len(process.locations) > 1 and self.chance(15) for _ in process.locations]
        for i in range(self.rng.choice([0, 0, 1, 1, 2])):
            process.variables.append(self.variable(self.local_name('%s_v%d' % (name.lower(), i), process), True))
        if self.records and self.chance(40):
            process.records.append(self.record_variable('%s_r' % name.lower()))
            process.variables += process.records[0].leaves()
        if self.chance(40):
            process.parameters.append((self.local_name('%s_k' % name.lower(), process), 'self * M', 0, 2 * (process.count - 1)))
        if self.chance(30):
            process.parameters.append((self.local_name('%s_l' % name.lower(), process), ', '.join(str(self.rng.randint(0, 2)) for _ in range(process.count)), 0, 2))
        return process

    def all_names(self):
        """What properties may speak of, and transitions but for their own process's"""
        members = []
        for p in self.processes:
            members += [(p.name, p.count, p.instances is None, location, None, 0, 1) for location in p.locations]
            members += [(p.name, p.count, p.instances is None, v.name, v.size, v.low, v.high) for v in p.variables]
        buffers = [(c.name, c.size, c.capacity) for c in self.channels if c.capacity]
        return Names([v.scalar() for v in self.globals if v.size is None], [v.array() for v in self.globals + self.tables if v.size is not None],
                     self.constants + [one for e in self.enumerations for one in e.constants()], members, buffers,
                     [(p.name, p.count) for p in self.processes] + [(e.name, e.count) for e in self.enumerations],
                     self.global_defines, records=self.record_variables + [
                         record.seen_in((p.name, p.count, p.instances is None)) for p in self.processes for record in p.records])

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
        if self.wants('defines', 30):  # a define used in constants
            text = 'kp %s K - K' % self.rng.choice(['+', '- 0 +'])
            if self.wants('functions', 50):
                head.insert(1, '<function name="kd" parameters="kp">for i in 1..kp : kp = kp + i - i; return %s</function>' % text)
            else:
                head.insert(1, '<define name="kd" parameters="kp">%s</define>' % text)
            head[2] = '<constant%s/>' % attributes(name='M', value='kd(%d)' % self.constants[1].low)
        head += ['<enumeration%s/>' % attributes(name=e.name, values=', '.join(e.values)) for e in self.enumerations]
        head += [self.record_text(one) for one in self.records]
        head += [self.variables_text(self.globals + self.tables, self.record_variables)] + [self.channel_text(c) for c in self.channels]
        head += [self.definition(define) for define in self.global_defines]
        self.in_property = True
        tail = [self.property_text(i) for i in range(self.rng.choice([1, 2, 3]))] + self.deadlock_text()
        return '<model name="random-%s">\n%s\n</model>\n' % (seed, '\n'.join('  ' + line for line in head + body + tail))

    def variables_text(self, variables, records):
        return ''.join([self.variable_text(v) for v in variables if '.' not in v.name] + [self.variable_text(r) for r in records])

    def record_text(self, record):
        return '<record%s>%s</record>' % (attributes(name=record.name), ''.join(self.variable_text(v, 'field') for v in record.fields))

    @staticmethod
    def variable_text(v, element='variable'):
        if isinstance(v, RecordVariable):
            return '<%s%s/>' % (element, attributes(name=v.name, type_=v.type.name, size=size_text(v.size), init=v.init))
        limits = v.limits or ({'type_': 'bool'} if v.boolean else {'range': '%d..%d' % (v.low, v.high)})
        return '<%s%s/>' % (element, attributes(name=v.name, **limits, size=size_text(v.size), init=v.init))

    @staticmethod
    def channel_text(c):
        message = c.record.name if c.record else ', '.join(c.named.get(i) or ('bool' if high == 1 else '%d..%d' % (low, high))
                            for i, (low, high) in enumerate(c.fields)) or None
        return '<channel%s/>' % attributes(name=c.name, size=c.size, capacity=c.capacity or None,
                                           broadcast='true' if c.broadcast else None, message=message)

    def definition(self, define):
        name, parameters, text = self.define_text(define)
        element = 'function' if define.is_function else 'define'
        return '<%s%s>%s</%s>' % (element, attributes(name=name, parameters=parameters), escape(text), element)

    def process_text(self, process):
        lines = ['<parameter%s/>' % attributes(name=name, value=value) for name, value, _, _ in process.parameters]
        lines += [self.variables_text(process.variables, process.records)]
        lines += [self.definition(define) for define in process.defines]
        lines += ['<location%s/>' % attributes(name=name, initial='true' if i == 0 else None, committed='true' if committed else None)
                  for i, (name, committed) in enumerate(zip(process.locations, process.committed))]
        lines += [self.transition_text(process, channel, sends) for one, channel, sends in self.partners if one is process]
        lines += [self.transition_text(process) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3]))]
        lines += [self.moving_text(process, v) for v in process.variables + [
            v for v in self.targets_of(process) if process is self.processes[0] and v not in process.variables]]
        for _ in range(self.rng.choice([1, 1, 2]) if self.wants('else', 45) else 0):
            parts = self.else_parts(process)
            if parts:
                lines.insert(self.rng.randint(len(lines) - 1, len(lines)), '<transition%s/>' % attributes(**parts))
        return '<process%s>\n%s\n  </process>' % (attributes(name=process.name, instances=process.instances),
                                                  '\n'.join('    ' + line for line in lines))

    def moving_text(self, process, v):
        """Every variable changes, or it would be a constant."""
        place = part_of(v.name, [self.rng.randrange(one) for one in sizes_of(v.size)])
        effect = '%s = %d' % (place, self.rng.choice(v.safe) if v.kind else self.rng.randint(v.low, v.high))
        return '<transition%s/>' % attributes(from_='*' if self.lively else self.rng.choice(process.locations), to=self.rng.choice(process.locations + [None]), effect=effect,
                                                 guard=None if self.chance(60) else '%s != %d' % (place, self.rng.randint(v.low, v.high)))

    def transition_text(self, process, channel=None, sends=False):
        partner = channel is not None
        own = self.own_constants(process)
        select, around = None, self.names_of(process, own)
        if self.chance(25):
            name, second = self.fresh('s', around), self.fresh('s')
            select = '%s in 0..%s' % (name, self.rng.choice(['1', 'M']))
            own.append(Expression(name, PRIMARY, 0, 2))
            if self.chance(30):
                other, count = self.rng.choice([one for one in around.processes if one[0] != name] or [('0..1', 2)])
                select += ', %s in %s' % (second, other)
                own.append(Expression(second, PRIMARY, 0, count - 1))
        bound = own[len(self.own_constants(process)):]
        names = around.plus(constants=bound)
        targets = [v for v in self.targets_of(process) if v.name not in [one.text for one in bound]]
        if not partner and self.channels and self.chance(40):
            channel, sends = self.rng.choice(self.channels), self.chance(50)
        fails = self.errors and (channel is None or channel.wild)
        parts = {'select': select, 'guard': None, 'send': None, 'receive': None}
        if channel is not None and 'fields' in self.features:  # first, because the guard may read the fields it binds
            parts['send' if sends else 'receive'], names = self.synchronisation(channel, sends, names, fails, targets)
        if self.chance(35 if partner or self.lively else 60):
            parts['guard'] = self.guard(names, fails)
        if channel is not None and 'fields' not in self.features:
            parts['send' if sends else 'receive'], names = self.synchronisation(channel, sends, names, fails, targets)
        parts['effect'] = self.effect(names, targets) if self.chance(65) else None
        source, target = self.chance(10), self.rng.choice(process.locations + [None])
        sources = '*' if source or partner and self.chance(40) else ' '.join(self.rng.sample(process.locations, self.rng.choice([1, min(2, len(process.locations))])))
        if channel is not None and not channel.capacity and not (sends and channel.broadcast):
            process.waits.update(process.locations if sources == '*' else sources.split())
        children = [name for name, text in parts.items() if text is not None and self.chance(20)]
        inner = ''.join('<%s>%s</%s>' % (name, escape(parts.pop(name)), name) for name in children)
        label = 't%d' % self.rng.randint(0, 9) if self.chance(30) else None
        start = '<transition%s' % attributes(from_=sources, to=target, label=label, **parts)
        return '%s>%s</transition>' % (start, inner) if inner else start + '/>'

    @staticmethod
    def own_constants(process):
        return [Expression('self', PRIMARY, 0, process.count - 1)] + [
            Expression(name, PRIMARY, low, high) for name, _, low, high in process.parameters]

    def names_of(self, process, constants):
        return self.all_names().plus(constants, [v.scalar() for v in process.variables if v.size is None],
                                     [v.array() for v in process.variables if v.size is not None], process.defines,
                                     process.records)

    def targets_of(self, process):
        nearer = [name for name, _, _, _ in process.parameters] + [one.name for one in process.variables + process.defines]
        return [v for v in self.globals if v.name not in nearer] + process.variables

    def synchronisation(self, channel, sends, names, fails, targets):
        text = channel.name
        if channel.size is not None:
            made = self.value(names, fails)
            text += '[%s]' % (made.text if (made.fails or made.high < channel.size) and ((made.low if self.lively else made.high) >= 0 or made.fails) else '0')
        arguments = []
        if channel.record:
            arguments.append(self.record_argument(channel.record, sends, names, fails))
        for _, high in channel.fields:
            if not sends and self.wants('fields', 40):
                arguments.append('b%d' % next(self.bound))
                names = names.plus(constants=[Expression(arguments[-1], PRIMARY, 0, high)])
            else:
                arguments.append((self.sent if sends else self.pattern)(high, names, fails, targets))
        return text + ('(%s)' % ', '.join(arguments) if arguments else ''), names

    def sent(self, high, names, fails, targets):
        if fails:
            return self.value(names, fails).text
        if self.chance(30) and not self.lively:
            return self.integer(names, False).text
        return 'max(0, min(%d, %s))' % (high, self.integer(names, False).text)

    def pattern(self, high, names, fails, targets):
        kind = self.rng.choice(['_', '==', 'take', 'take'])
        if kind == '_':
            return '_'
        if kind == '==':
            return '== %s' % (high + 1 if self.chance(10) else self.value(names, fails).text)
        fitting = [v for v in targets if v.takes(high)]
        if not targets or self.lively and not fitting:
            return '_'
        return self.place(self.rng.choice(fitting if fitting and (self.lively or self.chance(90)) else targets), names)

    def place(self, variable, names):
        return self.indexed(variable.name, variable.size, names, self.errors and self.chance(30), 1)[0]

    def effect(self, names, targets):
        return self.sequence([self.any_statement(names, targets) for _ in range(self.rng.choice([1, 1, 2, 3]))])

    def statement(self, names, variable):
        if variable.kind is not None:
            return self.special_statement(names, variable)
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
        variable = self.rng.choice(self.names.scalars or [Expression(part_of(self.globals[0].name, ['0'] * len(sizes_of(self.globals[0].size))), PRIMARY, 0, 1)])
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


def features_of(text):
    """All, none, or a list of them"""
    chosen = {'all': FEATURES, 'none': []}.get(text, text.split(','))
    if not set(chosen) <= set(FEATURES):
        raise ValueError('features are %s' % ', '.join(FEATURES))
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--kind', choices=KINDS, default='plain')
    parser.add_argument('--features', type=features_of, default='all')
    parser.add_argument('seed', type=int)
    parser.add_argument('count', type=int, nargs='?')
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + (1 if options.count is None else options.count)):
        text = Generator(seed, options.kind, options.features, options.count is not None).text
        sys.stdout.write(text + ('' if options.count is None else '\0'))


if __name__ == '__main__':
    main()
