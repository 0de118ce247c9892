"""Sets of firings as doc/semantics.md defines them ("Temporal properties", "Fairness"): names, attributes and lists -> sets of firings, constraints."""
import re

from syntax import Refused

ITEM = re.compile(r'(weak|strong)(?:\s+(\w+)\s*(?:\[(.*?)(\.\.\s*(.*?))?\])?\s*(?:\.\s*(\w+(?:\s*->\s*\w+)?))?)?$', re.S)


def participants(firing):
    """Of the transitions of a firing those that it is a firing of; the receivers of a broadcast are left out."""
    sender = firing[0]
    return firing[:1] if sender.channel is not None and sender.channel.broadcast else firing


class Firings:
    """Those in which one of these transitions takes part"""

    def __init__(self, transitions):
        self.transitions = frozenset(transitions)

    def has(self, firing):
        return not self.transitions.isdisjoint(participants(firing))


class Constraint(Firings):
    def __init__(self, strength, transitions):
        super().__init__(transitions)
        if strength not in ('weak', 'strong'):
            raise Refused('fairness %s' % strength)
        self.strong = strength == 'strong'


def called(model, transition, name):
    """By its label; by `from -> to` without one"""
    label = transition.element.get('label')
    if '->' not in name:
        return name == label
    locations = next(process.locations for process in model.processes.values() if transition.instance in process.instances)
    return label is None and [part.strip() for part in name.split('->')] == [locations[transition.source], locations[transition.target]]


def chosen(model, instance=None, label=None, element=None):
    """The transitions of this instance, with this label, of this element"""
    return [t for t in model.transitions if instance in (None, t.instance) and (label is None or called(model, t, label)) and
            (element is None or t.element is element)]


def of_instances(model, strength, instances, label=None):
    """One constraint for each instance"""
    return [Constraint(strength, chosen(model, instance, label)) for instance in instances]


def named(model, name, index, label):
    """Of a label, or an instance: P, P[e], P.L, P[e].L; index: the value of e, or None"""
    if name not in model.processes:
        if index is not None or label is not None or not chosen(model, label=name):
            raise Refused('no firings of %s' % name)
        return Firings(chosen(model, label=name))
    process = model.processes[name]
    if (index is None) != (process.size is None) or index is not None and not 0 <= index < process.size:
        raise Refused('no instance of %s' % name)
    return Firings(chosen(model, process.instances[index or 0], label))


def of_attributes(model):
    """Those of processes, then those of transitions"""
    made = []
    for element in model.root.findall('process'):
        instances = model.processes[element.get('name')].instances
        if element.get('fair') is not None:
            made += of_instances(model, element.get('fair'), instances)
        for transition in element.findall('transition'):
            if transition.get('fair') is not None:
                made += [Constraint(transition.get('fair'), chosen(model, instance, element=transition)) for instance in instances]
    return made


def numbers(model, process, low, rest, high):
    """The instances that P, P[a], P[a..b] or P[a..] names"""
    if low is None:
        return process.instances
    if process.size is None:
        raise Refused('%s[%s]' % (process.name, low))
    first = model.scope.constant(low)
    last = first if rest is None else model.scope.constant(high) if high else len(process.instances) - 1
    if not 0 <= first <= last < len(process.instances):
        raise Refused('%s[%d..%d]' % (process.name, first, last))
    return process.instances[first:last + 1]


def of_item(model, text):
    match = ITEM.match(text)
    if not match:
        raise Refused('fairness %r' % text)
    strength, name, low, rest, high, label = match.groups()
    if name is None:
        return [one for process in model.processes.values() for one in of_instances(model, strength, process.instances)]
    if name in model.processes:
        return of_instances(model, strength, numbers(model, model.processes[name], low, rest, high), label)
    if low is not None or label is not None:
        raise Refused('fairness of %r' % name)
    return [Constraint(strength, chosen(model, label=name))]


def of_list(model, text):
    if text.strip() == 'none':
        return []
    return [one for item in text.split(',') for one in of_item(model, item.strip())]


def constraints(model, own, option):
    """Of a property. own: its attribute `fairness`, or None; option: the list of --fair, or None."""
    text = own if option is None else option
    return of_attributes(model) if text is None else of_list(model, text)
