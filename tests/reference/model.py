"""Reads a model (doc/language.md, "Elements") and writes it out: instances, choices of `select` and lists of `from` become
transitions of their own."""
import itertools
import xml.etree.ElementTree as ElementTree

from expression import Channel, Instance, ModelError, Parser, Process, Refused, Scope, Variable, parse

CHILDREN = {
    'model': 'description constant variable channel process property deadlock expect',
    'process': 'description parameter variable location transition',
    'transition': 'select guard send receive effect', 'expect': 'verdict',
}
ATTRIBUTES = {
    'model': 'name', 'description': '', 'constant': 'name value range', 'variable': 'name range type size init',
    'channel': 'name size capacity broadcast message', 'process': 'name instances', 'parameter': 'name value',
    'location': 'name initial committed', 'transition': 'from to label select guard send receive effect',
    'property': 'id kind description', 'deadlock': 'check unless',
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

    guard is a function of the state or None; effects are functions that change a list of values.
    Of a send, arguments are functions; of a receive, ('take', place), ('equal', function) or ('drop', None).
    """

    def __init__(self, element, instance, source, target):
        self.element, self.instance, self.slot = element, instance, instance.slot
        self.source, self.target = source, target
        self.guard = self.channel = self.number = None
        self.sends = False
        self.arguments, self.effects = [], []


class Model:
    """initial: the first state, a tuple with a place for every value; processes, transitions, properties, unless;
    committed: pairs of an instance's slot and a location's number."""

    def __init__(self, root, defines=()):
        check_shape(root)
        self.root, self.first = root, []
        self.constants = self.read_constants(dict(defines))
        self.scope = Scope(dict(self.constants))
        self.variables = {}
        for element in root.iter('variable'):
            if element in root:
                self.add(self.variables, element.get('name'), self.read_variable(element, self.scope))
        self.channels = {}
        for element in root.findall('channel'):
            self.add(self.channels, element.get('name'), self.read_channel(element))
        self.processes, self.committed = {}, set()
        self.scope = self.scope.with_names({**self.variables, **self.channels})
        for element in root.findall('process'):
            self.add(self.processes, element.get('name'), self.read_process(element))
        self.scope = self.scope.with_names(self.processes)
        self.transitions = [t for element in root.findall('process') for t in self.read_transitions(element)]
        self.properties = [(p.get('id'), p.get('kind'), self.scope.expression(p.text)) for p in root.findall('property')]
        deadlock = root.find('deadlock')
        self.checks_deadlock = deadlock is None or truth(deadlock, 'check', 'true')
        unless = None if deadlock is None else deadlock.get('unless')
        self.unless = None if unless is None else self.scope.expression(unless)
        self.initial = tuple(self.first)

    @staticmethod
    def add(table, name, value):
        if name in table:
            raise Refused('%s twice' % name)
        table[name] = value

    def places(self, values):
        """New places of the state, with what they hold at first."""
        self.first.extend(values)
        return len(self.first) - len(values)

    # ---- constants, variables, channels ----

    def read_constants(self, defines):
        constants = {}
        for element in self.root.findall('constant'):
            scope = Scope(constants)
            name, text, limits = element.get('name'), element.get('value'), element.get('range')
            if name not in defines and text is None:
                raise Refused('the constant %s has no value' % name)
            value = defines.pop(name) if name in defines else scope.constant(text)
            if limits is not None and not scope.range(limits)[0] <= value <= scope.range(limits)[1]:
                raise Refused('%s = %d is out of its range' % (name, value))
            self.add(constants, name, value)
        if defines:
            raise Refused('no constants: %s' % ', '.join(defines))
        return constants

    @staticmethod
    def read_range(element, scope):
        if element.get('type') == 'bool' and element.get('range') is None:
            return 0, 1
        low, high = scope.range(element.get('range'))
        if not -2 ** 31 <= low <= high < 2 ** 31:
            raise Refused('range %d..%d' % (low, high))
        return low, high

    @staticmethod
    def read_size(element, name, scope):
        """None: no array."""
        size = None if element.get(name) is None else scope.constant(element.get(name))
        if size is not None and size < 1:
            raise Refused('%s %d' % (name, size))
        return size

    def read_variable(self, element, scope):
        low, high = self.read_range(element, scope)
        size = self.read_size(element, 'size', scope)
        values = self.read_initial(element.get('init', '0'), scope, size)
        if any(not low <= value <= high for value in values):
            raise Refused('%s begins outside its range' % element.get('name'))
        return Variable(self.places(values), size, low, high)

    @staticmethod
    def read_initial(text, scope, size):
        """One expression for all elements, or one for each."""
        trees = parse(text, Parser.expressions)
        count = 1 if size is None else size
        if len(trees) not in (1, count):
            raise Refused('%d initial values for %d elements' % (len(trees), count))
        if len(trees) == 1:
            trees = trees * count
        return [scope.with_names({'index': i} if size is not None else {}).value(tree) for i, tree in enumerate(trees)]

    def read_channel(self, element):
        name, size = element.get('name'), self.read_size(element, 'size', self.scope)
        capacity = self.scope.constant(element.get('capacity', '0'))
        broadcast = truth(element, 'broadcast', 'false')
        if capacity < 0 or broadcast and capacity:
            raise Refused('capacity %d of %s' % (capacity, name))
        message = element.get('message')
        limits = [] if message is None else parse(message, Parser.message)
        fields = [(self.scope.value(low), self.scope.value(high)) for low, high in limits]
        slot = self.places([()] * (1 if size is None else size)) if capacity else None
        return Channel(name, slot, size, capacity, broadcast, fields)

    # ---- processes ----

    def read_process(self, element):
        size = self.read_size(element, 'instances', self.scope)
        locations = [location.get('name') for location in element.findall('location')]
        initial = [i for i, location in enumerate(element.findall('location')) if truth(location, 'initial', 'false')]
        if len(initial) != 1:
            raise Refused('%d initial locations' % len(initial))
        process = Process(element.get('name'), size, locations)
        for number in range(1 if size is None else size):
            instance = self.read_instance(element, number, 1 if size is None else size, initial)
            process.instances.append(instance)
            self.committed.update((instance.slot, i) for i, location in enumerate(element.findall('location'))
                                  if truth(location, 'committed', 'false'))
        return process

    def read_instance(self, element, number, count, initial):
        constants = {'self': number}
        for parameter in element.findall('parameter'):
            trees = parse(parameter.get('value'), Parser.expressions)
            if len(trees) not in (1, count):
                raise Refused('%d values of a parameter for %d instances' % (len(trees), count))
            tree = trees[number] if len(trees) == count else trees[0]
            self.add(constants, parameter.get('name'), self.scope.with_names(constants).value(tree))
        scope, slot, variables = self.scope.with_names(constants), self.places(initial), {}
        for variable in element.findall('variable'):
            self.add(variables, variable.get('name'), self.read_variable(variable, scope))
        return Instance(slot, constants, variables)

    # ---- transitions ----

    def read_transitions(self, element):
        """Those of a process, written out, in the model's order."""
        process = self.processes[element.get('name')]
        for instance in process.instances:
            scope = self.scope.with_names({**instance.constants, **instance.variables})
            for transition in element.findall('transition'):
                for source in self.sources(transition, process):
                    target = source if transition.get('to') is None else process.locations.index(transition.get('to'))
                    for choice in self.choices(transition, scope):
                        made = Transition(transition, instance, source, target)
                        self.fill(made, transition, scope.with_names(choice), instance)
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

    def fill(self, made, transition, scope, instance):
        guard, send, receive, effect = (part(transition, name) for name in ('guard', 'send', 'receive', 'effect'))
        if send is not None and receive is not None:
            raise Refused('send and receive')
        assignable = {**self.variables, **instance.variables}
        if guard is not None:
            made.guard = scope.expression(guard)
        if send is not None:
            made.sends = True
            self.synchronise(made, parse(send, Parser.send), scope, scope.function)
        if receive is not None:
            self.synchronise(made, parse(receive, Parser.receive), scope, lambda tree: self.pattern(tree, scope, assignable))
        if effect is not None:
            made.effects = [self.statement(tree, scope, assignable) for tree in parse(effect, Parser.effect)]

    @staticmethod
    def synchronise(made, tree, scope, argument):
        name, index, arguments = tree
        made.channel = scope.find(name, Channel)
        made.number = scope.element(index, made.channel.size)
        made.arguments = [argument(one) for one in arguments]
        if len(arguments) != len(made.channel.fields):
            raise Refused('%d fields for %r' % (len(arguments), name))

    def pattern(self, tree, scope, assignable):
        """An argument of receive."""
        if tree[0] == 'drop':
            return 'drop', None
        if tree[0] == 'equal':
            return 'equal', scope.function(tree[1])
        return 'take', self.assignment(tree[1], tree[2], scope, assignable)

    @staticmethod
    def assignment(name, index, scope, assignable):
        """A function that assigns a value in a list. What can be assigned: global variables and the instance's own."""
        if name not in assignable:
            raise Refused('%r cannot be assigned' % name)
        variable = assignable[name]
        element = scope.element(index, variable.size)

        def assign(s, value):
            at = variable.slot + element(s)
            if not variable.low <= value <= variable.high:
                raise ModelError('%d out of range' % value)
            s[at] = value
        return assign

    def statement(self, tree, scope, assignable):
        value = scope.function(tree[-1])
        if tree[0] == 'assert':
            return self.assertion(value)
        operator, name, index, _ = tree
        assign = self.assignment(name, index, scope, assignable)
        if operator == '=':
            return lambda s: assign(s, value(s))
        old, sign = scope.variable(assignable[name], index), 1 if operator in ('+=', '++') else -1
        return lambda s: assign(s, old(s) + sign * value(s))

    @staticmethod
    def assertion(condition):
        def check(s):
            if not condition(s):
                raise ModelError('a failed assertion')
        return check


def read_model(path, defines=()):
    return Model(ElementTree.parse(path).getroot(), defines)
