"""Conditions of transitions as doc/traces.md ("Explanations") defines them, in the states of a model.

Written from the documents alone, as explore.py, whose tests of guards, elements and messages it uses.
"""
import re

from explore import Seen, Steps
from expression import ModelError
from model import Model, part
from printed import Printed, lines_of
from syntax import Parser, Refused, parse, tokens_of

MOST_PARTS = 51


def truth(function, *arguments):
    """None: the evaluation fails."""
    try:
        return bool(function(*arguments))
    except ModelError:
        return None


def all_of(values):
    """The first of them that is not true decides."""
    for value in values:
        if not value:
            return value
    return True


def squeezed(text):
    return ' '.join(text.split())


def conjuncts(text):
    """The parts between `and`, as written; brackets around several parts are no part."""
    text = squeezed(text)
    if parse(text, Parser.expression)[0] != '&&':
        return [text]
    depth, pieces, start = 0, [], 0
    for match in re.finditer(r'[(\[]|[)\]]|\band\b|&&', text):
        if match.group() in '([':
            depth += 1
        elif match.group() in ')]':
            depth -= 1
        elif not depth:
            pieces.append(text[start:match.start()].strip())
            start = match.end()
    pieces.append(text[start:].strip())
    if len(pieces) == 1:  # brackets around all of it
        return conjuncts(text[1:-1])
    return [one for piece in pieces for one in conjuncts(piece)]


def channel_text(text):
    """The channel of a `send` or `receive`, without its message."""
    text, depth = squeezed(text), 0
    for at, sign in enumerate(text):
        depth += (sign == '[') - (sign == ']')
        if sign == '(' and not depth:
            return text[:at].strip()
    return text


class Edge:
    """A transition as written. guards: the parts of its guard; reads: which of them read a bound name; text: its channel as written,
    or None; attempts: by instance number and location, one for each choice of `select`."""

    def __init__(self, process, element, line, channels):
        self.process, self.element, self.line = process, element, line
        guard, self.sends = part(element, 'guard'), part(element, 'send') is not None
        sync = part(element, 'send') if self.sends else part(element, 'receive')
        self.otherwise = guard is not None and guard.split() == ['else']
        self.guards = [] if guard is None else ['else'] if self.otherwise else conjuncts(guard)
        self.text = None if sync is None else channel_text(sync)
        self.attempts, self.channel = {}, None if sync is None else channels[re.match(r'\w+', self.text).group()]
        patterns = [] if sync is None or self.sends else parse(sync, Parser.receive)[2]
        self.equals = any(pattern[0] == 'equal' for pattern in patterns)
        select = part(element, 'select')
        known = set(process.instances[0].names) | {name for name, _ in ([] if select is None else parse(select, Parser.bindings))}
        bound = {pattern[1][1] for pattern in patterns if pattern[0] == 'take' and pattern[1][0] == 'name'} - known
        self.reads = [not bound.isdisjoint(tokens_of(text)) for text in self.guards]

    def sources(self):
        names = self.element.get('from').split()
        return list(range(len(self.process.locations))) if names == ['*'] else [self.process.locations.index(n) for n in names]

    def tests(self):
        """A message that it receives has to pass a test."""
        return self.equals or any(self.reads)


class Judge(Printed):
    """states: of the model, with their depths, in any order."""

    def __init__(self, root, text, defines=()):
        super().__init__(Model(root, defines))
        self.steps = Steps(self.model)
        lines = lines_of(root, text)
        elements = [(self.model.processes[p.get('name')], e) for p in root.findall('process') for e in p.findall('transition')]
        self.edges = [Edge(process, element, lines[element], self.model.channels) for process, element in elements]
        by_element = {id(edge.element): edge for edge in self.edges}
        for transition in self.model.transitions:
            edge = transition.edge = by_element[id(transition.element)]
            number = edge.process.instances.index(transition.instance)
            edge.attempts.setdefault((number, transition.source), []).append(transition)
            transition.parts = [] if edge.otherwise else [transition.scope.expression(text) for text in edge.guards]
        self.opposite = {}
        for edge in self.edges:
            for attempts in sorted(edge.attempts.items()):
                self.opposite.setdefault((edge.channel and edge.channel.name, edge.sends), []).extend(attempts[1])
        self.conditions = {id(edge): self.list_conditions(edge) for edge in self.edges}

    # ---- lists ----

    def list_conditions(self, edge):
        """Triples (kind, text, parts of the guard)."""
        names, sources = edge.element.get('from'), edge.sources()
        place = 'at any location' if names.split() == ['*'] else ('at one of %s' if len(sources) > 1 else 'at %s') % ' '.join(names.split())
        made = [('place', place, [])]
        slot = edge.process.instances[0].slot
        if self.model.committed and any((slot, source) not in self.model.committed for source in sources):
            made.append(('priority', 'no committed location has priority', []))
        buffered = edge.channel is not None and edge.channel.capacity
        own = [i for i in range(len(edge.guards)) if buffered or not edge.reads[i]]
        groups = [[i] for i in own[:MOST_PARTS - 1]] + [own[MOST_PARTS - 1:]] * (len(own) >= MOST_PARTS)
        made += [('guard', ' and '.join(edge.guards[i] for i in group), group) for group in groups]
        if edge.channel is None:
            return made
        if buffered:
            made.append(('ready', '%s is not %s' % (edge.text, 'full' if edge.sends else 'empty'), []))
            tests = not edge.sends and edge.equals
        elif edge.sends and edge.channel.broadcast:
            return made
        else:
            made.append(('partner', 'another instance can %s %s' % ('receive' if edge.sends else 'send', edge.text), []))
            tests = edge.tests() if not edge.sends else any(
                one.tests() for one in self.edges if one.channel is edge.channel and not one.sends)
        if tests:
            inside = [] if buffered else [text for text, reads in zip(edge.guards, edge.reads) if reads]
            made.append(('match', ' and '.join(['the message on %s matches' % edge.text] + inside), []))
        return made

    # ---- evaluation: of an attempt (a transition of the reference) in a state ----

    def urgent(self, state):
        return any((slot, state[slot]) in self.model.committed for slot in self.steps.slots)

    def leaves_committed(self, attempt, state):
        return state[attempt.slot] == attempt.source and self.steps.leaves(attempt)

    @staticmethod
    def element(attempt, state):
        try:
            return attempt.number(state)
        except ModelError:
            return None

    def others(self, attempt, state):
        """Partners, whether they can take part or not."""
        for other in self.opposite.get((attempt.channel.name, not attempt.sends), ()):
            if other.slot != attempt.slot and state[other.slot] == other.source:
                yield other

    def can(self, attempt, other, state):
        guard = truth(self.steps.guarded, state, other)
        if not guard:
            return guard
        here, there = self.element(attempt, state), self.element(other, state)
        return None if here is None or there is None else here == there

    def fits(self, attempt, receiver, state, fields):
        """Own parts that do not read the message are conditions of their own."""
        if attempt is not receiver:
            return truth(self.steps.fits, state, receiver, fields)
        seen = Seen(state, fields)
        equal = [(i, wanted) for i, (kind, wanted) in enumerate(receiver.arguments) if kind == 'equal']
        return all_of(truth(test) for test in
                      [lambda i=i, wanted=wanted: seen[len(state) + i] == wanted(seen) for i, wanted in equal] +
                      [lambda p=p: p(seen) for p, reads in zip(receiver.parts, receiver.edge.reads) if reads])

    def committed_receiver(self, sender, state):
        """Another instance at a committed location has an enabled matching receive."""
        return any(self.leaves_committed(other, state) and self.can(sender, other, state) and
                   self.fits(None, other, state, sender.arguments) for other in self.others(sender, state))

    def pair(self, attempt, state):
        """How near attempts at the other end come to firing: (nearness, partner, fails at 1, fails at 2). 0: none can; 1: one
        can; 2: and matches; 3: and has priority."""
        best, partner, cannot, mismatch = 0, None, False, False
        urgent = self.urgent(state)
        for other in self.others(attempt, state):
            can = self.can(attempt, other, state)
            cannot = cannot or can is None
            if not can:
                continue
            sender, receiver = (attempt, other) if attempt.sends else (other, attempt)
            fits, near = self.fits(attempt, receiver, state, sender.arguments), 1
            mismatch = mismatch or fits is None
            if fits:
                free = not urgent or self.leaves_committed(attempt, state) or self.leaves_committed(other, state)
                near = 3 if free or attempt.channel.broadcast and self.committed_receiver(sender, state) else 2
            if near > best:
                best, partner = near, other
        return best, partner, cannot, mismatch

    def message(self, attempt, state):
        number = self.element(attempt, state)
        messages = () if number is None else state[attempt.channel.slot + number]
        return Seen(state, messages[0]) if messages else None

    def value(self, condition, attempt, state, pair):
        kind, _, parts = condition
        channel, (best, _, cannot, mismatch) = attempt.channel, pair
        if kind == 'place':
            return state[attempt.slot] == attempt.source
        if kind == 'priority':
            broadcasts = channel is not None and channel.broadcast and attempt.sends
            return (not self.urgent(state) or self.leaves_committed(attempt, state) or best == 3 or
                    broadcasts and self.committed_receiver(attempt, state))
        if kind == 'guard':
            return self.guard(parts, attempt, state)
        if kind == 'partner':
            return best >= 1 or (None if cannot else False)
        number = self.element(attempt, state)
        if kind == 'ready':
            if number is None:
                return None
            length = len(state[channel.slot + number])
            return length < channel.capacity if attempt.sends else length > 0
        if not channel.capacity:
            return best >= 2 or (None if cannot or mismatch else False)
        if number is None:
            return None
        seen = self.message(attempt, state)
        return seen is not None and all_of(truth(lambda i=i, wanted=wanted: seen[len(state) + i] == wanted(seen))
                                           for i, (kind, wanted) in enumerate(attempt.arguments) if kind == 'equal')

    def guard(self, parts, attempt, state):
        if attempt.otherwise:
            return truth(self.steps.possible, state, attempt)
        values = []
        for i in parts:
            seen = state
            if attempt.edge.reads[i]:
                seen = self.message(attempt, state)
                if seen is None:
                    return None
            values.append(truth(attempt.parts[i], seen))
            if not values[-1]:
                break
        return all_of(values)

    def evaluate(self, edge, attempt, state):
        """The value of each condition (None: it fails), and the partner that comes nearest."""
        paired = attempt.channel is not None and not attempt.channel.capacity and not (attempt.channel.broadcast and attempt.sends)
        pair = self.pair(attempt, state) if paired else (0, None, False, False)
        return [self.value(condition, attempt, state, pair) for condition in self.conditions[id(edge)]], pair[1]

    @staticmethod
    def key(values):
        """More conditions, then the first one of which attempts differ."""
        met = [value is True for value in values]
        return sum(met), met

    # ---- deadlocks ----

    def waiting(self, state):
        """What `waiting` has to contain: (process, location, label, to, line, parameters, obstacles, attempt)."""
        for process in self.model.processes.values():
            for number, instance in enumerate(process.instances):
                location = process.locations[state[instance.slot]]
                edges = [edge for edge in self.edges if edge.process is process and state[instance.slot] in edge.sources()]
                for edge in edges:
                    yield self.blocked(edge, number, instance, location, state)
                if not edges:
                    yield self.name(instance.slot), location, '', None, None, {}, [], None

    def blocked(self, edge, number, instance, location, state):
        head = (self.name(instance.slot), location, edge.element.get('label', ''), edge.element.get('to') or location, edge.line)
        attempts = edge.attempts.get((number, state[instance.slot]), [])
        if not attempts:
            return head + ({}, [('constants', ['a select has no values'])], None)
        tried = [(self.evaluate(edge, attempt, state)[0], attempt) for attempt in attempts]
        values, attempt = max(tried, key=lambda one: self.key(one[0]))
        unmet = [condition for condition, value in zip(self.conditions[id(edge)], values) if value is False]
        implied = any(kind in ('partner', 'ready') for kind, _, _ in unmet)
        return head + (attempt.choice, [self.obstacle(edge, attempt, kind, text) for kind, text, _ in unmet
                                        if kind != 'match' or not implied], attempt)

    def obstacle(self, edge, attempt, kind, text):
        """Its kind, and the texts that it may have."""
        if kind == 'priority':
            return 'committed', ['an instance is at a committed location, whose steps have priority']
        if kind == 'guard':
            return 'guard', [text]
        if kind == 'ready':
            return ('full', ['%s is full' % edge.text]) if edge.sends else ('empty', ['%s is empty' % edge.text])
        if kind == 'partner':
            return 'partner', self.partner_texts(edge, attempt)
        if edge.channel.capacity:
            return 'message', ['the message on %s does not match' % edge.text]
        if edge.sends and any(any(one.reads) for one in self.edges if one.channel is edge.channel and not one.sends):
            return 'message', ['no other instance accepts the message on %s' % edge.text]
        if not edge.sends and any(edge.reads):
            return 'message', ['no message of another instance on %s is accepted' % edge.text]
        return 'message', ['the values sent and received on %s differ' % edge.text]

    def partner_texts(self, edge, attempt):
        """`sends` if elements are constant and differ, never if they are equal in some state."""
        verb = 'receive' if edge.sends else 'send'
        can, does = 'no other instance can %s %s' % (verb, edge.text), 'no other instance %ss %s' % (verb, edge.text)
        here = self.element(attempt, self.state)
        others = [one for one in self.opposite.get((attempt.channel.name, not attempt.sends), ()) if one.slot != attempt.slot]
        numbers = [self.constant_element(one) for one in others]
        if here in numbers or any(self.element(one, state) == here for one in others for state in self.states):
            return [can]
        return [can, does] if 'varies' in numbers or here is None else [does]

    @staticmethod
    def constant_element(attempt):
        try:
            return attempt.number(())
        except ModelError:
            return None
        except IndexError:
            return 'varies'

    # ---- transitions that never fired ----

    def unfired(self, edge):
        """Number of states in which each condition is true; the best attempts, as (met, depth, {state: (values, who)})."""
        attempts = [one for _, group in sorted(edge.attempts.items(), key=lambda item: (
            item[0][0], edge.sources().index(item[0][1]))) for one in group]
        counts, best = [0] * len(self.conditions[id(edge)]), (-1, 0, {})
        for state, depth in self.states.items() if attempts else ():
            any_met, here = [False] * len(counts), None
            for attempt in attempts:
                values, partner = self.evaluate(edge, attempt, state)
                any_met = [a or v is True for a, v in zip(any_met, values)]
                if here is None or self.key(values) > self.key(here[0]):
                    here = values, attempt, partner
            counts = [n + a for n, a in zip(counts, any_met)]
            met = self.key(here[0])[0]
            if (met, -depth) > (best[0], -best[1]):
                best = met, depth, {}
            if (met, depth) == best[:2]:
                best[2][state] = [value is True for value in here[0]], self.who(edge, here[1], here[2])
        return counts, best

    def who(self, edge, attempt, partner):
        names = [self.name(attempt.slot)] + ([] if partner is None else [self.name(partner.slot)])
        text = ' with '.join(names if edge.sends else reversed(names))
        chosen = ', '.join('%s=%d' % pair for pair in attempt.choice.items())
        return '%s {%s}' % (text, chosen) if chosen else text

    def value_of(self, text, attempt, state):
        """Of an expression in an explanation; None: it fails, or is none."""
        try:
            message = self.message(attempt, state) if attempt.channel is not None and attempt.channel.capacity and not attempt.sends else None
            return attempt.scope.expression(text)(message or state)
        except (ModelError, Refused, IndexError):
            return None
