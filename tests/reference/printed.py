"""States and transitions as floe prints them (doc/traces.md)."""
import re

from expression import Enumeration


class Printed:
    """Names in a model"""

    def __init__(self, model):
        self.model = model
        self.values = {name: number for meaning in model.names.values() if isinstance(meaning, Enumeration) for number, name in enumerate(meaning.values)}

    def name(self, slot):
        for process in self.model.processes.values():
            for number, instance in enumerate(process.instances):
                if instance.slot == slot:
                    return process.name if process.size is None else '%s[%d]' % (process.name, number)
        raise KeyError(slot)

    def rendered(self, state):
        """Every value by its name."""
        shown = {}

        def add(variable, owner=''):
            for i in range(variable.count):
                shown[owner + variable.name_of(i)] = state[variable.slot + i]
        for variable in self.model.variables.values():
            for leaf in variable.leaves():
                add(leaf)
        for process in self.model.processes.values():
            for instance in process.instances:
                own = self.name(instance.slot)
                shown[own] = process.locations[state[instance.slot]]
                for variable in instance.variables.values():
                    for leaf in variable.leaves():
                        add(leaf, own + '.')
        for name, channel in self.model.channels.items():
            for i in range(1 if channel.size is None else channel.size) if channel.capacity else ():
                messages = ['%d' % m[0] if len(m) == 1 else '(%s)' % ', '.join(map(str, m)) for m in state[channel.slot + i]]
                shown[name if channel.size is None else '%s[%d]' % (name, i)] = '[%s]' % ', '.join(messages)
        return shown

    def shows(self, printed, state):
        """floe omits what never changes."""
        shown = self.rendered(state)
        return all(name in shown and self.plain(value) == shown[name] for name, value in printed.items())

    def plain(self, value):
        """With numbers in the place of names of enumerations"""
        value = plain(value)
        if not isinstance(value, str):
            return value
        value = re.sub(r'\w+', lambda word: str(self.values.get(word.group(), word.group())), value)
        return int(value) if re.fullmatch(r'\d+', value) else value


def plain(value):
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, int) else value.replace('true', '1').replace('false', '0')


def lines_of(root, text):
    """The line of each transition element of a model in one file"""
    lines = [text.count('\n', 0, found.start()) + 1 for found in re.finditer(r'<transition\b', text)]
    return dict(zip([e for p in root.findall('process') for e in p.findall('transition')], lines))
