#!/usr/bin/env python3
"""explore.py [-D NAME=VALUE]... [--stop] [--max-depth=N] [-p PROPERTY]... MODEL: explores a model and prints the results.

An independent explorer, written from doc/semantics.md and doc/language.md alone, with which floe is compared. It follows
their sections one by one (each is named in the code), and is slow. If it and floe differ, one of them or the documents
are wrong. Do not correct it by reading floe's sources: correct the documents, then this program.
"""
import argparse
import itertools
import json
import sys

from expression import ModelError
from fairness import constraints
from model import read_model
from syntax import Refused
from temporal import KINDS, violated


class TooLarge(Exception):
    """More states than the caller wants; not so up to `depth`."""

    def __init__(self, depth):
        super().__init__('too many states beyond depth %d' % depth)
        self.depth = depth


class Seen:
    """A state, and behind its values the fields of a message: values, or functions of the state that are asked when they are
    read ("Enabled")."""

    def __init__(self, state, fields):
        self.state, self.fields = state, fields

    def __getitem__(self, slot):
        if slot < len(self.state):
            return self.state[slot]
        field = self.fields[slot - len(self.state)]
        return field(self.state) if callable(field) else field


class Steps:
    """The firings of a state ("Step", "Enabled", "Priority", "Effect")."""

    def __init__(self, model):
        self.committed, self.at = model.committed, {}
        for process in model.processes.values():
            for instance in process.instances:
                for location in range(len(process.locations)):
                    self.at[instance.slot, location] = []
        for transition in model.transitions:
            self.at[transition.slot, transition.source].append(transition)
        self.slots = sorted({slot for slot, _ in self.at})
        self.known, model.firings = {}, self.of

    def of(self, state):
        """Every firing, as (transitions that take part, successor); for one that fails the successor is None."""
        if state not in self.known:
            self.known[state] = list(self.firings(state))
        return self.known[state]

    def firings(self, state):
        here = [t for slot in self.slots for t in self.at[slot, state[slot]]]
        urgent = any((slot, state[slot]) in self.committed for slot in self.slots)
        receivers = {}
        for transition in here:
            if transition.channel is not None and not transition.sends and not transition.channel.capacity:
                receivers.setdefault(transition.channel.name, []).append(transition)
        for transition in here:
            if transition.channel is None or transition.channel.capacity:
                yield from self.alone(state, transition, urgent)
            elif transition.sends:
                others = [t for t in receivers.get(transition.channel.name, []) if t.instance is not transition.instance]
                if transition.channel.broadcast:
                    yield from self.broadcast(state, transition, others, urgent)
                else:
                    for receiver in others:
                        yield from self.handshake(state, transition, receiver, urgent)

    # Conditions tested before a step, in this order: locations (done: `here`); priority; guard; element; `==`; a guard that reads
    # what was received.

    def alone(self, state, transition, urgent):
        """A transition without a channel, or with a buffer."""
        if urgent and not self.leaves(transition):
            return
        try:
            if self.possible(state, transition):
                yield (transition,), self.fire(state, transition, [])
        except ModelError:
            yield (transition,), None

    def handshake(self, state, sender, receiver, urgent):
        if urgent and not self.leaves(sender) and not self.leaves(receiver):
            return
        try:
            if self.guarded(state, sender) and self.guarded(state, receiver) and self.matches(state, sender, receiver):
                yield (sender, receiver), self.fire(state, sender, [receiver])
        except ModelError:
            yield (sender, receiver), None

    def broadcast(self, state, sender, others, urgent):
        """Every other instance that can takes part with one of its transitions. One of which a test fails counts as enabled:
        the firings in which it would take part fail. Priority comes last."""
        try:
            if not self.guarded(state, sender):
                return
            sender.number(state)
        except ModelError:
            yield (sender,), None
            return
        willing, failing = {}, set()
        for receiver in others:
            try:
                if not self.guarded(state, receiver) or not self.matches(state, sender, receiver):
                    continue
            except ModelError:
                failing.add(receiver)
            willing.setdefault(receiver.slot, []).append(receiver)
        for chosen in itertools.product(*[willing[slot] for slot in sorted(willing)]):
            if failing.intersection(chosen):
                yield (sender,) + chosen, None
                continue
            if urgent and not any(self.leaves(transition) for transition in (sender,) + chosen):
                continue
            try:
                yield (sender,) + chosen, self.fire(state, sender, chosen)
            except ModelError:
                yield (sender,) + chosen, None

    def leaves(self, transition):
        """A committed location, also where it comes back to it."""
        return (transition.slot, transition.source) in self.committed

    @staticmethod
    def guarded(state, transition):
        return transition.guard is None or transition.last or transition.guard(state)

    def possible(self, state, transition):
        """Of one that needs no partner: what an `else` beside it asks as well."""
        if transition.otherwise:
            return not any(self.possible(state, other) for other in transition.others)
        if not self.guarded(state, transition):
            return False
        if transition.channel is None or transition.channel.broadcast:
            return True
        messages = state[transition.channel.slot + transition.number(state)]
        if transition.sends:
            return len(messages) < transition.channel.capacity
        return bool(messages) and self.fits(state, transition, messages[0])

    @staticmethod
    def fits(state, receiver, fields):
        """What `==` asks for, then a guard that reads the fields."""
        seen = Seen(state, fields)
        for number, (kind, argument) in enumerate(receiver.arguments):
            if kind == 'equal' and seen[len(state) + number] != argument(seen):
                return False
        return not receiver.last or receiver.guard(seen)

    def matches(self, state, sender, receiver):
        return sender.number(state) == receiver.number(state) and self.fits(state, receiver, sender.arguments)

    # "Effect": the numbered steps there.

    def fire(self, state, transition, receivers):
        new = list(state)
        values = self.sent(state, transition)                # 1
        receivers, reading = list(receivers), receivers
        if transition.channel is not None and transition.channel.capacity:
            at = transition.channel.slot + transition.number(state)  # 2
            if transition.sends:
                new[at] += (values,)
            else:
                values, new[at] = new[at][0], new[at][1:]
                reading = [transition]
                self.take(new, transition, values)           # 3
        for receiver in receivers:
            self.take(new, receiver, values)                 # 3
        for one in [transition] + receivers:                 # 4, 5
            new.extend(values if one in reading else ())
            for effect in one.effects:
                effect(new)
            del new[len(state):]
        for one in [transition] + receivers:                 # 6
            new[one.slot] = one.target
        return tuple(new)

    @staticmethod
    def sent(state, transition):
        if not transition.sends:
            return ()
        values = tuple(value(state) for value in transition.arguments)
        if any(not low <= value <= high for value, (low, high) in zip(values, transition.channel.fields)):
            raise ModelError('sent out of range')
        return values

    @staticmethod
    def take(new, receiver, values):
        size = len(new)
        new.extend(values)
        for value, (kind, assign) in zip(values, receiver.arguments):
            if kind == 'take':
                assign(new, value)
        del new[size:]


class Exploration:
    """Breadth first ("Levels"), with what the states say of the properties ("Errors", "Deadlock", "Verdicts")."""

    def __init__(self, model, selected=None, stop=False, max_depth=None, max_states=None, steps=None, fair=None, endless=False):
        self.model, self.steps = model, steps or Steps(model)
        self.stop, self.max_depth, self.max_states = stop, max_depth, max_states
        self.properties = [p for p in model.properties if selected is None or p[0] in selected]
        self.tells_errors = selected is None or 'errors' in selected
        self.checks_deadlock = model.checks_deadlock and (selected is None or 'deadlock' in selected)
        self.depths, self.unevaluated, self.cut = {}, set(), False
        self.transitions = self.deadlocks = self.max_out_degree = 0
        self.fired, self.visited, self.states_per_level = set(), {model.initial}, []
        self.recovers = {name: set() for name, kind, _ in self.properties if kind == 'recoverable'}  # states, as far as these themselves show
        self.predecessors, self.levels, self.failing = {}, {}, set()
        self.complete = self.run()
        for name in self.recovers if self.complete else ():
            self.find_unrecoverable(name)
        formulas = [(name, formula) for name, kind, formula in self.properties if kind in KINDS and self.complete and name not in self.unevaluated]
        self.endless = endless
        self.constraints = {name: constraints(model, formula.fairness, fair) for name, formula in formulas}
        self.violated_runs = {name for name, formula in formulas if violated(formula, model.initial, self.steps, self.constraints[name], endless)}
        # `holds` is right too if no repair of failing firings lets a run violate the formula.
        self.may_hold = {name for name, formula in formulas if self.cut and name not in self.violated_runs and
                         not violated(formula, model.initial, self.steps, self.constraints[name], endless, self.visited)}

    def run(self):
        """True when every state found was looked at and expanded."""
        level = [self.model.initial]
        while level:
            self.depth = len(self.states_per_level)
            self.states_per_level.append(len(level))
            for state in level:
                self.evaluate(state)
            if self.depth == self.max_depth:
                return False
            level = [new for state in level for new in self.expand(state)]
            if self.stop and self.violated():
                break
        if level:
            self.states_per_level.append(len(level))
        return not level

    def find_unrecoverable(self, name):
        """The depth of the nearest state from which no state of `recovers`, and no failing firing, is reached."""
        good = self.recovers[name] | self.failing
        rest = list(good)
        while rest:
            fresh = self.predecessors.get(rest.pop(), set()) - good
            good |= fresh
            rest += fresh
        depths = [self.levels[state] for state in self.visited - good]
        if depths:
            self.depths[name] = min(depths)

    def found(self, name):
        self.depths.setdefault(name, self.depth)

    def violated(self):
        witnesses = {name for name, kind, _ in self.properties if kind == 'reachable'}
        return any(name not in witnesses for name in self.depths)

    @staticmethod
    def fails_in(one, state):
        """Whether the evaluation of this property fails"""
        _, kind, expression = one
        try:
            (expression.evaluate if kind in KINDS else expression)(state)
        except ModelError:
            return True
        return False

    def evaluate(self, state):
        """Errors of evaluation: in every state, also after the first hit."""
        for name, kind, expression in self.properties:
            try:
                if kind in KINDS:
                    expression.evaluate(state)
                elif kind == 'recoverable':
                    if expression(state):
                        self.recovers[name].add(state)
                elif bool(expression(state)) != (kind == 'invariant'):
                    self.found(name)
            except ModelError:
                if kind == 'recoverable':
                    self.recovers[name].add(state)
                self.unevaluated.add(name)
                self.found('errors')

    def expand(self, state):
        out, failed, fresh = 0, False, []
        self.levels[state] = self.depth
        for transitions, new in self.steps.of(state):
            if new is None:
                failed = True
                continue
            out += 1
            self.predecessors.setdefault(new, set()).add(state)
            self.fired.update(transition.element for transition in transitions)
            if new not in self.visited:
                self.visited.add(new)
                fresh.append(new)
        if self.max_states is not None and len(self.visited) > self.max_states:
            raise TooLarge(self.depth)
        self.transitions += out
        self.max_out_degree = max(self.max_out_degree, out)
        if failed:
            self.cut = True
            self.failing.add(state)
            self.found('errors')
        elif not out:
            self.deadlock(state)
        return fresh

    def deadlock(self, state):
        self.deadlocks += 1
        if not self.checks_deadlock:
            return
        try:
            if self.model.unless is None or not self.model.unless(state):
                self.found('deadlock')
        except ModelError:
            self.unevaluated.add('deadlock')
            self.found('errors')

    def verdict(self, name, kind):
        """In the order of "Verdicts". A temporal property whose evaluation failed has no violating run."""
        if name in self.violated_runs:
            return 'violated'
        if name in self.depths:
            return 'reachable' if kind == 'reachable' else 'violated'
        if self.reason(name):
            return 'undecided'
        return 'unreachable' if kind == 'reachable' else 'holds'

    def reason(self, name):
        """Why its verdict is undecided if no state decides it, or None"""
        if name in self.unevaluated:
            return 'evaluation'
        if not self.complete:
            return 'end'
        return 'step' if self.cut and name != 'errors' else None

    def result(self):
        kinds = [(name, kind) for name, kind, _ in self.properties]
        kinds += [('deadlock', 'deadlock')] * self.checks_deadlock
        kinds += [('errors', 'errors')] * (self.tells_errors or 'errors' in self.depths)
        verdicts = {name: [self.verdict(name, kind), self.depths.get(name)] for name, kind in kinds}
        return {
            'complete': self.complete, 'states': len(self.visited), 'transitions': self.transitions,
            'levels': len(self.states_per_level), 'deadlocks': self.deadlocks,
            'states_per_level': self.states_per_level, 'max_out_degree': self.max_out_degree,
            'verdicts': verdicts, 'reasons': {name: self.reason(name) for name in verdicts if verdicts[name][0] == 'undecided'},
        }


def definition(text):
    name, _, value = text.partition('=')
    return name.strip(), {'true': 1, 'false': 0}.get(value.strip()) if value.strip() in ('true', 'false') else int(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('model')
    parser.add_argument('-D', dest='defines', action='append', default=[], type=definition)
    parser.add_argument('-p', dest='properties', action='append')
    parser.add_argument('--stop', action='store_true', help='end with the first level of a violation')
    parser.add_argument('--max-depth', type=int)
    parser.add_argument('--fair', help='fairness of all temporal properties')
    parser.add_argument('--finite', choices=['stutter', 'ignore'], help='runs that end')
    options = parser.parse_args()
    try:
        model = read_model(options.model, options.defines)
        print(json.dumps(Exploration(model, options.properties, options.stop, options.max_depth, fair=options.fair, endless=options.finite == 'ignore').result(), indent=2))
    except Refused as reason:
        sys.exit('%s: %s' % (options.model, reason))


if __name__ == '__main__':
    main()
