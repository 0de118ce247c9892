"""Reads a model (doc/language.md, "Elements") and writes it out: instances, choices of `select` and lists of `from` become
transitions of their own."""
import itertools
import math
from collections import ChainMap

from effect import assignment, statements
from expression import Bound, Channel, Define, Enumeration, Function, Instance, ModelError, Process, Scope, Structure, Variable
from includes import read_tree
from syntax import Parser, Refused, parse
from temporal import KINDS, Formula

CHILDREN = {
    'record': 'field',
    'model': 'description constant enumeration record define function variable channel process property deadlock expect',
    'process': 'description parameter define function variable location transition',
    'transition': 'select guard send receive effect', 'expect': 'verdict',
}
ATTRIBUTES = {
    'model': 'name', 'description': '', 'constant': 'name value range', 'variable': 'name range type values wrap size init',
    'enumeration': 'name values', 'record': 'name', 'field': 'name range type values wrap size init', 'define': 'name parameters', 'function': 'name parameters',
    'channel': 'name size capacity broadcast message', 'process': 'name instances fair symmetric', 'parameter': 'name value',
    'location': 'name initial committed', 'transition': 'from to label fair select guard send receive effect',
    'property': 'id kind fairness description', 'deadlock': 'check unless',
    'expect': 'constants states transitions levels deadlocks', 'verdict': 'property value depth',
    'select': '', 'guard': '', 'send': '', 'receive': '', 'effect': '',
}


def check_shape(element):
    """Nothing is passed over: what the explorer does not know it refuses."""
    for name in element.keys():
        if name not in ATTRIBUTES[element.tag].split():
            raise Refused('attribute %s of %s' % (name, element.tag))
    for child in element:
        if child.tag not in CHILDREN.get(element.tag, '').split():
            raise Refused('element %s in %s' % (child.tag, element.tag))
        check_shape(child)


def read_indices(root):
    """Writes `type="index of P"` as a range: numbers of instances of P, or -1, which variables have at first."""
    instances = {process.get('name'): process.get('instances', '1') for process in root.findall('process')}
    for element in root.iter():
        words = element.get('type', '').split()
        if words[:2] == ['index', 'of'] and len(words) == 3 and words[2] in instances:
            del element.attrib['type']
            element.set('range', '-1..(%s) - 1' % instances[words[2]])
            element.set('init', element.get('init', '-1'))


def truth(element, name, default):
    text = element.get(name, default)
    if text not in ('true', 'false'):
        raise Refused('%s="%s"' % (name, text))
    return text == 'true'


def part(element, name):
    """An attribute or a child element of the same name with the same text."""
    child = element.find(name)
    if child is not None and element.get(name) is not None:
        raise Refused('%s twice' % name)
    return element.get(name) if child is None else child.text


class Transition:
    """Of one instance, from one location, for one choice of its `select` values.

    guard is a function of the state or None; last: it is tested after the fields; otherwise: it is `else`.
    effects are functions that change a list of values. choice: the values of its `select`. scope: the names in its guard and effect.
    Of a send, arguments are functions; of a receive, ('take', place), ('equal', function), ('bind', None) or ('drop', None).
    What reads the fields of a message finds them behind the values of the state.
    """

    def __init__(self, element, instance, source, target):
        self.element, self.instance, self.slot = element, instance, instance.slot
        self.source, self.target = source, target
        self.guard = self.channel = self.number = None
        self.sends = self.last = self.otherwise = False
        self.arguments, self.effects = [], []


class Model:
    """initial: the first state, a tuple with a place for every value; processes, transitions, properties, unless;
    committed: pairs of an instance's slot and a location's number;
    firings: function of the state, of `Steps`."""

    def __init__(self, root, defines=()):
        check_shape(root)
        read_indices(root)
        self.read_names(root, defines)
        self.variables = self.read_variables(root, self.names)
        for element in root.findall('channel'):
            self.channels[element.get('name')] = self.add(self.names, element.get('name'), self.read_channel(element))
        for element in root.findall('process'):
            self.read_process(element)
        self.transitions = [t for element in root.findall('process') for t in self.read_transitions(element)]
        self.find_alternatives()
        self.properties = [(p.get('id'), p.get('kind'), self.condition(p)) for p in root.findall('property')]
        deadlock = root.find('deadlock')
        self.checks_deadlock = deadlock is None or truth(deadlock, 'check', 'true')
        unless = None if deadlock is None else deadlock.get('unless')
        self.unless = None if unless is None else self.scope.expression(unless)
        self.initial, self.firings = tuple(self.first), None

    def unchanging(self):
        """Values of variables that nothing assigns, and of the locations of processes that have one, by place"""
        owners = [self.variables] + [instance.variables for process in self.processes.values() for instance in process.instances]
        leaves = [leaf for variables in owners for variable in variables.values() for leaf in variable.leaves() if not leaf.changes]
        slots = [leaf.slot + i for leaf in leaves for i in range(leaf.count)]
        slots += [instance.slot for process in self.processes.values() if len(process.locations) == 1 for instance in process.instances]
        return {slot: self.first[slot] for slot in slots}

    def condition(self, element):
        """Of a property: a function of the state, or a formula"""
        kind = element.get('kind')
        return Formula(kind, element.text, self.scope, self, element.get('fairness')) if kind in KINDS else self.scope.expression(element.text)

    @staticmethod
    def add(table, name, value):
        table = table.maps[0] if isinstance(table, ChainMap) else table  # local names may hide global ones
        if name in table:
            raise Refused('%s twice' % name)
        table[name] = value
        return value

    def places(self, values):
        """New places of the state, with what they hold at first."""
        self.first.extend(values)
        return len(self.first) - len(values)

    # ---- constants, enumerations, defines, variables, channels ----

    def read_names(self, root, defines):
        """Of what is known without variables."""
        self.root, self.first = root, []
        self.names, self.channels, self.processes, self.committed = {}, {}, {}, set()
        self.scope = Scope(self.names)
        for element in root.findall('enumeration'):
            self.read_enumeration(element)
        self.records = {element.get('name'): element for element in root.findall('record')}
        self.read_defines(root, self.names)
        self.read_constants(dict(defines))

    @classmethod
    def constants(cls, root, defines):
        """Their values, by name; the rest of the model is not looked at."""
        model = cls.__new__(cls)
        model.read_names(root, defines)
        return {element.get('name'): model.names[element.get('name')] for element in root.findall('constant')}

    def read_constants(self, defines):
        for element in self.root.findall('constant'):
            scope = self.scope
            name, text, limits = element.get('name'), element.get('value'), element.get('range')
            if name not in defines and text is None:
                raise Refused('the constant %s has no value' % name)
            value = defines.pop(name) if name in defines else scope.constant(text)
            if limits is not None and not scope.range(limits)[0] <= value <= scope.range(limits)[1]:
                raise Refused('%s = %d is out of its range' % (name, value))
            self.add(self.names, name, value)
        if defines:
            raise Refused('no constants: %s' % ', '.join(defines))

    def read_enumeration(self, element):
        values = parse(element.get('values'), Parser.names)
        self.add(self.names, element.get('name'), Enumeration(values))
        for number, name in enumerate(values):
            self.add(self.names, name, number)

    def read_defines(self, parent, names):
        """Of the model or of an instance, whose names they see."""
        for number, element in enumerate(one for one in parent if one.tag in ('define', 'function')):
            parameters = [] if element.get('parameters') is None else parse(element.get('parameters'), Parser.names)
            if len(set(parameters)) != len(parameters):
                raise Refused('a parameter of %s twice' % element.get('name'))
            kind, rule = (Define, Parser.expression) if element.tag == 'define' else (Function, Parser.function)
            self.add(names, element.get('name'), kind(number, parameters, parse(element.text, rule), names))

    def read_variables(self, parent, names):
        """The new ones, by name."""
        return {element.get('name'): self.add(names, element.get('name'), self.read_variable(element, Scope(names)))
                for element in parent.findall('variable')}

    @staticmethod
    def read_size(element, name, scope):
        """None: no array."""
        size = None if element.get(name) is None else scope.constant(element.get(name))
        if size is not None and size < 1:
            raise Refused('%s %d' % (name, size))
        return size

    @staticmethod
    def read_sizes(element, scope):
        """Of each dimension"""
        text = element.get('size')
        sizes = () if text is None else tuple(scope.value(tree) for tree in parse(text, Parser.expressions))
        if any(size < 1 for size in sizes):
            raise Refused('size %s' % text)
        return sizes

    def read_variable(self, element, scope):
        sizes, name = self.read_sizes(element, scope), element.get('name')
        initials = self.initials(element, scope, ())
        return self.read_part(element, scope, name + '[]' * len(sizes), sizes, len(sizes), [initials], self.records)

    @staticmethod
    def initials(element, scope, sizes):
        """What its `init` says: expressions for itself, expressions for paths of fields, the scope, the sizes around it, and the
        path from it to the field that is being read."""
        whole, fields = parse(element.get('init'), Parser.initial) if element.get('init') is not None else ([], {})
        return whole, fields, scope, sizes, ()

    def read_part(self, element, scope, pattern, sizes, own, levels, records):
        """A variable or a field; levels: `initials` of what is around it, itself last. records: those that its type can be."""
        record = records.get(element.get('type'))
        if record is None:
            return self.read_leaf(element, scope, pattern, sizes, own, levels)
        if levels[-1][0] or element.get('wrap') is not None:
            raise Refused('init or wrap of a record')
        known, parts = dict(itertools.takewhile(lambda one: one[1] is not record, self.records.items())), {}
        for field in record.findall('field'):
            theirs, name = self.read_sizes(field, self.scope), field.get('name')
            inner = [(whole, fields, where, around, path + (name,)) for whole, fields, where, around, path in levels]
            inner.append(self.initials(field, self.scope, sizes))
            self.add(parts, name, self.read_part(field, self.scope, '%s.%s%s' % (pattern, name, '[]' * len(theirs)), sizes + theirs,
                                                 len(theirs), inner, known))
        made = Structure(record, sizes, parts)
        for path in levels[-1][1]:
            found = made
            for name in path.split('.'):
                found = found.parts.get(name) if isinstance(found, Structure) else None
            if not isinstance(found, Variable):
                raise Refused('init of %s' % path)
        return made

    def read_leaf(self, element, scope, pattern, sizes, own, levels):
        trees, where, around = [('number', 0)], scope, ()
        if levels[-1][1]:
            raise Refused('init of fields of what is no record')
        for whole, fields, there, outer, path in levels:  # the outermost one applies
            if whole if not path else '.'.join(path) in fields:
                trees, where, around = whole or fields['.'.join(path)], there, outer
                break
        count, inner = math.prod(sizes), math.prod(sizes[len(around):])
        domains, positions = domains_of(element, scope, math.prod(sizes[len(sizes) - own:]))
        domains = domains * (count // len(domains))
        values = self.read_initial(trees, where, inner) * (count // inner)
        try:
            values = [domain(value) for domain, value in zip(domains, values)]
        except ModelError as reason:
            raise Refused('%s begins outside its range' % element.get('name')) from reason
        return Variable(self.places(values), pattern, sizes, domains, positions)

    @staticmethod
    def read_initial(trees, scope, count):
        """One expression for all elements, or one for each, row by row."""
        if len(trees) not in (1, count):
            raise Refused('%d initial values for %d elements' % (len(trees), count))
        if len(trees) == 1:
            trees = trees * count
        return [scope.with_names({'index': i}).value(tree) for i, tree in enumerate(trees)]

    def read_channel(self, element):
        name, size = element.get('name'), self.read_size(element, 'size', self.scope)
        capacity = self.scope.constant(element.get('capacity', '0'))
        broadcast = truth(element, 'broadcast', 'false')
        if capacity < 0 or broadcast and capacity:
            raise Refused('capacity %d of %s' % (capacity, name))
        message = element.get('message')
        limits = [] if message is None else parse(message, Parser.message)
        groups = [self.paths(pair[0][1]) if pair[1] is None and pair[0][1] in self.records else None for pair in limits]
        fields = []
        for pair, group in zip(limits, groups):
            fields += [self.scope.limits(pair)] if group is None else [limits for _, limits in group]
        slot = self.places([()] * (1 if size is None else size)) if capacity else None
        return Channel(name, slot, size, capacity, broadcast, fields, groups)

    def paths(self, record):
        """Of the fields of a record in a message, with their limits"""
        made = []
        for field in self.records[record].findall('field'):
            name, kind, limits = field.get('name'), field.get('type'), field.get('range')
            if field.get('size') is not None or field.get('values') is not None:
                raise Refused('%s in a message' % name)
            if kind in self.records:
                made += [((name,) + path, pair) for path, pair in self.paths(kind)]
            elif limits is not None:
                made.append(((name,), self.scope.range(limits)))
            else:
                made.append(((name,), {'bool': (0, 1), 'byte': (0, 255)}.get(kind) or self.scope.limits((('name', kind, None), None))))
        return made

    # ---- processes ----

    def read_process(self, element):
        size = self.read_size(element, 'instances', self.scope)
        locations = [location.get('name') for location in element.findall('location')]
        initial = [i for i, location in enumerate(element.findall('location')) if truth(location, 'initial', 'false')]
        if len(initial) != 1:
            raise Refused('%d initial locations' % len(initial))
        process = self.processes[element.get('name')] = Process(element.get('name'), size, locations)
        self.add(self.names, process.name, process)
        for number in range(1 if size is None else size):
            instance = self.read_instance(element, number, 1 if size is None else size, initial)
            process.instances.append(instance)
            self.committed.update((instance.slot, i) for i, location in enumerate(element.findall('location'))
                                  if truth(location, 'committed', 'false'))

    def read_instance(self, element, number, count, initial):
        names = ChainMap({'self': number}, self.names)
        instance, scope = Instance(names), Scope(names)
        self.read_defines(element, names)
        for parameter in element.findall('parameter'):
            trees = parse(parameter.get('value'), Parser.expressions)
            if len(trees) not in (1, count):
                raise Refused('%d values of a parameter for %d instances' % (len(trees), count))
            tree = trees[number] if len(trees) == count else trees[0]
            self.add(names.maps[0], parameter.get('name'), scope.value(tree))
        instance.slot = self.places(initial)
        instance.variables = self.read_variables(element, names)
        return instance

    # ---- transitions ----

    def read_transitions(self, element):
        """Those of a process, written out, in the model's order."""
        process = self.processes[element.get('name')]
        for instance in process.instances:
            scope = Scope(instance.names)
            for transition in element.findall('transition'):
                for source in self.sources(transition, process):
                    target = source if transition.get('to') is None else process.locations.index(transition.get('to'))
                    for choice in self.choices(transition, scope):
                        made = Transition(transition, instance, source, target)
                        made.choice = choice
                        self.fill(made, transition, scope.with_names(choice))
                        yield made

    @staticmethod
    def sources(transition, process):
        names = transition.get('from').split()
        if names == ['*']:
            return range(len(process.locations))
        return [process.locations.index(name) for name in names]

    @staticmethod
    def choices(transition, scope):
        """Every combination of select values."""
        text = part(transition, 'select')
        bindings = [] if text is None else parse(text, Parser.bindings)
        names = [name for name, _ in bindings]
        for values in itertools.product(*[scope.values(*limits) for _, limits in bindings]):
            yield dict(zip(names, values))

    def fill(self, made, transition, scope):
        guard, send, receive, effect = (part(transition, name) for name in ('guard', 'send', 'receive', 'effect'))
        if send is not None and receive is not None:
            raise Refused('send and receive')
        if send is not None:
            made.sends = True
            self.synchronise(made, parse(send, Parser.send), scope)
            made.arguments = [scope.function(tree) for tree in self.message(made.channel, parse(send, Parser.send)[2], scope)]
        fields = {}
        if receive is not None:
            self.synchronise(made, parse(receive, Parser.receive), scope)
            for tree in self.message(made.channel, parse(receive, Parser.receive)[2], scope):
                made.arguments.append(self.pattern(tree, len(made.arguments), scope.with_names(fields), fields))
        scope = made.scope = scope.with_names(fields)
        if guard is not None and guard.split() == ['else']:
            made.otherwise = True
            if made.channel is not None:
                raise Refused('else with a channel')
        elif guard is not None:
            for field in fields.values():
                field.read = False
            made.guard = scope.expression(guard)
            made.last = any(field.read for field in fields.values())
        if effect is not None:
            made.effects = statements(parse(effect, Parser.effect), scope)

    def find_alternatives(self):
        """Of each `else`: the transitions that stand beside it."""
        beside = {}
        for transition in self.transitions:
            if not transition.otherwise:
                beside.setdefault((transition.slot, transition.source), []).append(transition)
        for transition in self.transitions:
            if transition.otherwise:
                transition.others = beside.get((transition.slot, transition.source), [])
                if any(t.channel is not None and not t.channel.capacity and not (t.sends and t.channel.broadcast)
                       for t in transition.others):
                    raise Refused('else beside a transition that waits for others')

    def message(self, channel, trees, scope):
        """Arguments, with the fields of records in the place of records"""
        made = []
        for tree, group in zip(trees, channel.groups):
            place = tree[-1] if tree[0] in ('take', 'equal') else tree
            for path, _ in group or []:
                if tree[0] == 'drop':
                    made.append(tree)
                    continue
                if not scope.names_record(place) or [p for p, _ in self.paths(scope.record_type(place).get('name'))] != [p for p, _ in group]:
                    raise Refused('a record is wanted')
                field = ('place', place[1], (place[2] or ()) + path)
                made.append((tree[0], field) if tree[0] in ('take', 'equal') else field)
            made += [] if group else [tree]
        return made

    @staticmethod
    def synchronise(made, tree, scope):
        name, index, arguments = tree
        made.channel = scope.find(name, Channel)
        made.number = scope.element(index, made.channel.size)
        if len(arguments) != len(made.channel.groups):
            raise Refused('%d fields for %r' % (len(arguments), name))

    def pattern(self, tree, number, scope, fields):
        """An argument of receive. A name that means nothing is one for the field, to be read from here on."""
        if tree[0] == 'drop':
            return 'drop', None
        if tree[0] == 'equal':
            return 'equal', scope.function(tree[1])
        place = tree[1]
        if place[0] == 'name' and place[1] not in scope.names:
            fields[place[1]] = Bound(len(self.first) + number)
            return 'bind', None
        return 'take', assignment(place, scope)


def limited(low, high):
    def domain(value):
        if not low <= value <= high:
            raise ModelError('%d is out of %d..%d' % (value, low, high))
        return value
    domain.low, domain.high = low, high
    return domain


def wrapped(low, high):
    return lambda value: low + (value - low) % (high - low + 1)


def member_of(values):
    def domain(value):
        if value not in values:
            raise ModelError('%d is none of %s' % (value, values))
        return value
    return domain


def domains_of(element, scope, count):
    """Of each element of a variable, and where each value of `values` stands."""
    kind, limits, values = element.get('type'), element.get('range'), element.get('values')
    if [kind, limits, values].count(None) != 2:
        raise Refused('one of type, range and values')
    wraps = truth(element, 'wrap', 'true' if kind == 'byte' else 'false')
    if wraps and limits is None and kind != 'byte':
        raise Refused('wrap without a range')
    if values is not None:
        pairs = [scope.limits(pair) for pair in parse(values, Parser.members)]
        members = sorted({value for low, high in pairs for value in range(low, high + 1)})
        return [member_of(members)] * count, {value: i for i, value in enumerate(members)}
    if kind is not None:
        pairs = [{'bool': (0, 1), 'byte': (0, 255)}.get(kind) or scope.limits((('name', kind, None), None))]
    else:
        pairs = [scope.limits(pair) for pair in parse(limits, Parser.ranges)]
    if len(pairs) not in (1, count) or len(pairs) > 1 and element.get('size') is None:
        raise Refused('%d ranges for %d elements' % (len(pairs), count))
    for low, high in pairs:
        if not -2 ** 31 <= low <= high < 2 ** 31:
            raise Refused('range %d..%d' % (low, high))
    domains = [(wrapped if wraps else limited)(low, high) for low, high in pairs]
    return domains * (count if len(pairs) == 1 else 1), None


def read_model(path, defines=()):
    return Model(read_tree(path), defines)
