"""Temporal properties, as doc/language.md and doc/semantics.md say ("Temporal properties"): text -> formula -> verdict.

Written from the documents alone. The method is a tableau: a node is a state with an assumption for each `next` and each `until` of
the formula about the rest of the run. Strongly connected components of the graph of nodes show runs that violate it.
"""
import functools
import itertools
import re

from expression import ModelError
from fairness import named
from syntax import Parser, Refused, tokens_of

KINDS = 'ltl', 'eventually', 'leadsto'
PREFIX = {word: '[%s]' % words[0] for words in (('always', '[]', 'G'), ('eventually', '<>', 'F'), ('next', 'X')) for word in words}
INFIX = {word: '[%s]' % words[0] for words in (('until', 'U'), ('weakuntil', 'W'), ('release', 'R')) for word in words}
LEADSTO = 'leadsto', '-->'
SYMBOL = re.compile(r'\[\]|<>|-->')
OPERATORS = {*PREFIX.values(), *INFIX.values(), '[leadsto]'}  # no names
TEMPORAL = {*OPERATORS, '[taken]'}
UNTILS = 2  # of the rows of `syntax.BINARY`, the one above which `until` stands
MOST_ASSUMPTIONS = 12


class FormulaParser(Parser):
    """Formulas: the levels of expressions with those of temporal operators between them"""

    def __init__(self, text):
        super().__init__('')
        self.text, at = text, 0
        for symbol in SYMBOL.finditer(text):
            self.tokens += tokens_of(text[at:symbol.start()]) + [symbol.group()]
            at = symbol.end()
        self.tokens += tokens_of(text[at:])

    def begins_operator(self):
        """Words are prefix operators where an operand follows."""
        token, after = self.peek(), self.peek(1)
        if token in ('[]', '<>'):
            return True
        return token in PREFIX and after is not None and bool(re.match(r'\w|[!~(]|\[\]|<>', after)) and after not in INFIX and \
            after not in LEADSTO and after != 'implies'

    def implication(self):
        """The weakest level, that of `leadsto`"""
        left = self.implied()
        return ('[leadsto]', left, self.implication()) if self.accept(LEADSTO[0]) or self.accept(LEADSTO[1]) else left

    def implied(self):
        left = self.binary(0)
        return ('implies', left, self.implied()) if self.accept('implies') else left

    def binary(self, row):
        return self.until() if row == UNTILS else super().binary(row)

    def until(self):
        left = self.prefixed()
        return (INFIX[self.take()], left, self.until()) if self.peek() in INFIX else left

    def prefixed(self):
        if self.begins_operator():
            return (PREFIX[self.take()], self.prefixed())
        return super().binary(UNTILS)

    def primary(self):
        return self.prefixed() if self.begins_operator() else super().primary()

    def applied(self):
        """Also `enabled` and `taken`, of an instance, a label, or both"""
        if self.peek() not in ('enabled', 'taken'):
            return super().applied()
        word = '[%s]' % self.take()
        self.take('(')
        tree = (word, self.name(), self.subscript(), self.name() if self.accept('.') else None)
        self.take(')')
        return tree


def is_temporal(tree):
    return isinstance(tree, tuple) and any(part in TEMPORAL if isinstance(part, str) else is_temporal(part) for part in tree)


# ---- formulas: ('atom', number), ('taken', number), ('not', f), ('or', f, g), ('next', f), ('until', f, g) ----

def negation(f):
    return f[1] if f[0] == 'not' else ('not', f)


def both(f, g):
    return negation(('or', negation(f), negation(g)))


def eventually(f):
    return ('until', TRUE, f)


def always(f):
    return negation(eventually(negation(f)))


def release(f, g):
    return negation(('until', negation(f), negation(g)))


def same(f, g):
    return ('or', both(f, g), both(negation(f), negation(g)))


TRUE = ('true',)
LEAVES = 'atom', 'taken'
DECIDING = {'&&': False, '||': True, 'implies': False}  # values of the left side with which the right one does not count
MEANINGS = {
    '!': negation, '&&': both, '||': lambda f, g: ('or', f, g), 'implies': lambda f, g: ('or', negation(f), g),
    '==': same, '!=': lambda f, g: negation(same(f, g)),
    '[always]': always, '[eventually]': eventually, '[next]': lambda f: ('next', f), '[until]': lambda f, g: ('until', f, g),
    '[release]': release, '[weakuntil]': lambda f, g: release(g, ('or', f, g)),
    '[leadsto]': lambda f, g: always(('or', negation(f), eventually(g))),
}


def holds(condition, state):
    try:
        return bool(condition(state))
    except ModelError:
        return False


def decided(parts, value):
    """Of parts that are joined: the first one with this value decides."""
    def joined(state):
        result = not value
        for part in parts:
            found = part(state)
            if found is value:
                return value
            result = None if found is None else result
        return result
    return joined


def has_always(part, value, states):
    try:
        return all(part(state) is value for state in states)
    except ModelError:
        return False


def opposite(part):
    def inverted(state):
        found = part(state)
        return None if found is None else not found
    return inverted


def compared(left, right):
    """Unknown, but both are evaluated"""
    def evaluated(state):
        left(state)
        right(state)
    return evaluated


class Unknown(Exception):
    """What may differ between states"""


class Fixed:
    """In the place of a state: only what is the same in every state. values: by place"""

    def __init__(self, values):
        self.values = values

    def __getitem__(self, slot):
        if slot not in self.values:
            raise Unknown
        return self.values[slot]


class Formula:
    """A property's formula. atoms: functions of the state. taken: sets of firings. checks: functions of the state that evaluate the conditions ("Errors of
    evaluation in temporal properties"), each with the operands before it that may decide: pairs of such a function and the deciding value. assumed: what is assumed about the rest of a run, as positions in `parts` of the formulas that hold after the step.
    parts: all subformulas, each after its own."""

    def __init__(self, kind, text, scope, model=None, fairness=None):
        self.atoms, self.taken, self.checks, self.parts, self.places = [], [], [], [], {}
        self.model, self.fairness = model, fairness
        tree = FormulaParser(text).whole(FormulaParser.expression)
        if kind == 'eventually':
            tree = ('[eventually]', tree)
        if kind == 'leadsto' and tree[0] != '[leadsto]':
            raise Refused('%r is no leadsto' % text)
        scope, self.fixed = scope.with_names({'enabled()': self.enabled}), Fixed(model.unchanging())
        self.before = ()
        self.add_checks([tree], scope)
        self.root = self.place(negation(self.ground(tree, scope)))
        untils = [f for f in self.parts if f[0] == 'until']
        self.untils = [(self.places[f], self.places[f[2]]) for f in untils]
        self.assumed = sorted({self.places[f] for f in untils} | {self.places[f[1]] for f in self.parts if f[0] == 'next'})
        if len(self.assumed) > MOST_ASSUMPTIONS:
            raise Refused('a formula with %d temporal operators' % len(self.assumed))
        self.tables = functools.lru_cache(maxsize=None)(self.table)

    def ground(self, tree, scope):
        if not is_temporal(tree):
            self.atoms.append(scope.function(tree))
            return 'atom', len(self.atoms) - 1
        if tree[0] == '[taken]':
            self.taken.append(self.firings(scope, *tree[1:]))
            return 'taken', len(self.taken) - 1
        if tree[0] == 'each':
            return self.quantified(scope, *tree[1:])
        if tree[0] not in MEANINGS:
            raise Refused('%s of formulas' % tree[0])
        return MEANINGS[tree[0]](*[self.ground(part, scope) for part in tree[1:]])

    def quantified(self, scope, word, name, low, high, body):
        if word not in ('all', 'exists'):
            raise Refused('%s of formulas' % word)
        parts = [self.ground(body, scope.with_names({name: value})) for value in scope.values(low, high)]
        if word == 'all':
            return functools.reduce(both, parts, TRUE)
        return functools.reduce(MEANINGS['||'], parts, negation(TRUE))

    def firings(self, scope, name, index, label):
        return named(self.model, name, None if index is None else scope.value(index), label)

    def enabled(self, scope, *names):
        """Function of the state"""
        firings = self.firings(scope, *names)

        def evaluate(state):
            if state is self.fixed:
                raise Unknown
            return int(any(firings.has(firing) for firing, _ in self.model.firings(state)))
        return evaluate

    def constant(self, tree, scope):
        """Its value in every state if it follows from what cannot change; else None"""
        if not is_temporal(tree):
            try:
                return bool(scope.function(tree)(self.fixed))
            except (Unknown, ModelError):
                return None
        if tree[0] == '!':
            return opposite(lambda _: self.constant(tree[1], scope))(None)
        if tree[0] == 'each':
            made = [self.constant(tree[-1], inner) for inner in self.scopes(tree, scope)]
            return None if None in made else any(made) if tree[1] == 'exists' else all(made)
        if tree[0] not in DECIDING:
            return None
        left, decides = self.constant(tree[1], scope), DECIDING[tree[0]]
        return tree[0] != '&&' if left is decides else None if left is None else self.constant(tree[2], scope)

    def scopes(self, tree, scope):
        """Of the values of a quantifier, up to a constant one that decides"""
        _, word, name, low, high, body = tree
        made = []
        for value in scope.values(low, high):
            made.append(scope.with_names({name: value}))
            if self.constant(body, made[-1]) is (word == 'exists'):
                break
        return made

    def add_checks(self, parts, scope):
        """For operands of a temporal operator, or the formula itself"""
        for part in parts:
            self.checks.append((self.check(part, scope), self.before))

    def checks_in_order(self, parts, deciding):
        """Of operands, pairs of a tree and a scope, of which each may decide with this value before the next; None: none does"""
        before, made = self.before, []
        for tree, scope in parts:
            made.append(self.check(tree, scope))
            self.before += ((made[-1], deciding),) if deciding is not None else ()
        self.before = before
        return made

    def check(self, tree, scope):
        """Function of the state that is true, false, or None for unknown. What is an operand of a temporal operator comes into `checks`,
        but not behind a constant that decides."""
        if not is_temporal(tree):
            condition = scope.function(tree)
            return lambda state: bool(condition(state))
        word = tree[0]
        if word in OPERATORS:
            self.add_checks(tree[1:], scope)
        if word in TEMPORAL:
            return lambda state: None
        if word == 'each':
            return decided(self.checks_in_order([(tree[-1], inner) for inner in self.scopes(tree, scope)], tree[1] == 'exists'), tree[1] == 'exists')
        if word in DECIDING and self.constant(tree[1], scope) is DECIDING[word]:
            return lambda state: word != '&&'
        parts = self.checks_in_order([(part, scope) for part in tree[1:]], DECIDING.get(word))
        if word in ('&&', '||'):
            return decided(parts, word == '||')
        if word == 'implies':
            return decided([opposite(parts[0]), parts[1]], True)
        return opposite(parts[0]) if word == '!' else compared(*parts)

    def place(self, formula):
        """Of a formula in `parts`, where it comes with its subformulas"""
        if formula not in self.places:
            for part in formula[1:] if formula[0] not in LEAVES else ():
                self.place(part)
            self.places[formula] = len(self.parts)
            self.parts.append(formula)
        return self.places[formula]

    def evaluate(self, state):
        """Raises ModelError if the evaluation of a condition fails"""
        for check, _ in self.checks:
            check(state)

    def without_decided(self, states):
        """Omits what stands behind operands that decide in all of these states: floe may know that they are constant. False: there are none"""
        left = [(check, before) for check, before in self.checks if not any(has_always(one, value, states) for one, value in before)]
        self.checks, omitted = left, len(left) < len(self.checks)
        return omitted

    def valuation(self, state):
        """A condition that fails does not matter where the evaluation does not fail."""
        return tuple(holds(atom, state) for atom in self.atoms)

    def takes(self, firing):
        """Of each set of firings in `taken`, whether it has this one"""
        return tuple(firings.has(firing) for firings in self.taken)

    def all_takes(self):
        """What `takes` can be of the firings of any state, and of the step of a run that stays"""
        none, ends, found = (False,) * len(self.taken), {}, set()
        for transition in self.model.transitions:
            channel, takes = transition.channel, self.takes((transition,))
            if channel is not None and not channel.capacity and not channel.broadcast:
                ends.setdefault(channel.name, set()).add((transition.sends, transition.instance, takes))
            elif channel is None or channel.capacity or transition.sends:
                found.add(takes)
        for some in ends.values():
            found.update(tuple(map(max, one, other)) for sends, instance, one in some if sends
                         for receives, partner, other in some if not receives and partner is not instance)
        return sorted(found | {none})

    def truths(self, valuation, takes, assumption):
        """Of each part, in a state with this valuation and a step of these sets, if `assumption` is right about the rest of the run"""
        after, made = dict(zip(self.assumed, assumption)), []
        for place, (word, *parts) in enumerate(self.parts):
            inner = [] if word in LEAVES else [self.places[part] for part in parts]
            if word == 'atom':
                made.append(valuation[parts[0]])
            elif word == 'taken':
                made.append(takes[parts[0]])
            elif word == 'not':
                made.append(not made[inner[0]])
            elif word == 'or':
                made.append(made[inner[0]] or made[inner[1]])
            elif word == 'next':
                made.append(after[inner[0]])
            else:
                made.append(word == 'true' or made[inner[1]] or made[inner[0]] and after[place])
        return made

    def table(self, valuation, takes):
        """Of the states with this valuation and a step of these sets: each assumption with what it makes true, by what a predecessor assumed of the state"""
        made = {}
        for assumption in itertools.product((False, True), repeat=len(self.assumed)):
            truths = self.truths(valuation, takes, assumption)
            made.setdefault(tuple(truths[place] for place in self.assumed), []).append((assumption, truths))
        return made


class Anything:
    """A state in which the conditions have the values of a state of the model, and which any of these states can follow. Failing
    firings lead to these states in a model that is repaired in an unknown way. state: None before it is known which one follows"""

    def __init__(self, state=None):
        self.state = state


class Graph:
    """The runs of a model, with constraints of fairness. endless: those that stay in a state are none. repaired: the states of the model; then
    failing firings lead to any of these, from where on a run is fair."""

    def __init__(self, formula, steps, constraints=(), endless=False, repaired=None):
        self.formula, self.steps, self.constraints, self.endless = formula, steps, constraints, endless
        self.valuation = functools.lru_cache(maxsize=None)(
            lambda state: formula.valuation(state.state if isinstance(state, Anything) else state))
        self.every = frozenset(range(len(constraints)))
        self.anything = [Anything(state) for state in {formula.valuation(state): state for state in repaired or ()}.values()]
        self.unknown = [Anything()] if self.anything else []
        self.following = functools.lru_cache(maxsize=None)(self.edges)
        self.enabled = functools.lru_cache(maxsize=None)(self.enabled_in)

    def sets(self, firing):
        """The constraints to whose sets it belongs"""
        return frozenset(i for i, constraint in enumerate(self.constraints) if constraint.has(firing))

    def edges(self, state):
        """Each successor, with the constraints to which the firings that lead there belong, and what they are firings of in the formula.
        A state without an enabled firing is its own successor."""
        if isinstance(state, Anything):
            return [(self.unknown[0], self.every, takes) for takes in self.formula.all_takes()]
        firings, made = self.steps.of(state), {}
        for firing, new in firings:
            for one in self.unknown if new is None else [new]:
                key = one, self.formula.takes(firing)
                made[key] = made.get(key, frozenset()) | self.sets(firing)
        return [(new, sets, takes) for (new, takes), sets in made.items()] if firings else self.staying(state)

    def staying(self, state):
        return [] if self.endless else [(state, frozenset(), (False,) * len(self.formula.taken))]

    def enabled_in(self, state):
        """The constraints enabled there"""
        return self.every if isinstance(state, Anything) else frozenset().union(*[self.sets(firing) for firing, _ in self.steps.of(state)])


class Product:
    """A tableau: nodes are pairs of a state of a graph and an assumption about the rest of a run, which begins in a root and satisfies the
    negation of the formula; then whether the step is of each of `taken`. fulfilled: the `until` of each node with nothing to wait for."""

    def __init__(self, formula, initial, graph):
        self.formula, self.graph, self.fulfilled = formula, graph, {}
        self.nodes, self.edges = (functools.lru_cache(maxsize=None)(one) for one in (self.nodes_of, self.edges_of))
        self.roots = self.nodes(initial, None)

    def nodes_of(self, state, assumed):
        """Of a state of which a predecessor assumed this; None: a run begins there"""
        if self.is_unknown(state):
            self.fulfilled[state, assumed] = frozenset()
            return [(state, assumed)]
        made, formula = [], self.formula
        for takes in dict.fromkeys(takes for _, _, takes in self.graph.following(state)):
            table = formula.tables(self.graph.valuation(state), takes)
            for assumption, truths in table.get(assumed, ()) if assumed is not None else [
                    one for some in table.values() for one in some if one[1][formula.root]]:
                made.append((state, assumption + takes))
                self.fulfilled[made[-1]] = frozenset(i for i, (until, goal) in enumerate(formula.untils) if truths[goal] or not truths[until])
        return made

    @staticmethod
    def is_unknown(state):
        return isinstance(state, Anything) and state.state is None

    def edges_of(self, node):
        """Each successor with the constraints of the steps that lead there"""
        state, assumption = node
        if self.is_unknown(state):
            return [(successor, self.graph.every) for new in self.graph.anything for successor in self.nodes(new, assumption)]
        after = len(self.formula.assumed)
        return [(successor, sets) for new, sets, takes in self.graph.following(state) if takes == assumption[after:]
                for successor in self.nodes(new, assumption[:after])]

    def fair_part(self, roots=None, edges=None):
        """A strongly connected part that fulfills every `until` and satisfies every constraint, with its edges, or None. If a strong constraint is
        enabled in a component without a step of it, a run that stays in the component leaves the states in which it is enabled."""
        roots, edges = (self.roots, self.edges) if edges is None else (roots, edges)
        for component in components(roots, lambda node: [new for new, _ in edges(node)]):
            inner = within(edges, component)
            steps = [sets for node in component for _, sets in inner(node)]
            if not steps or len(frozenset().union(*[self.fulfilled[node] for node in component])) < len(self.formula.untils):
                continue
            missing = self.graph.every.difference(*steps)
            strong = {i for i in missing if self.graph.constraints[i].strong}
            if any(all(i in self.graph.enabled(state) for state, _ in component) for i in missing - strong):
                continue
            left = [node for node in component if strong.isdisjoint(self.graph.enabled(node[0]))]
            found = (component, inner) if len(left) == len(component) else self.fair_part(left, within(edges, left))
            if found:
                return found
        return None


def within(edges, nodes):
    """Those between these nodes"""
    nodes = set(nodes)
    return lambda node: [(new, sets) for new, sets in edges(node) if new in nodes]


def violated(formula, initial, steps, *options):
    """True if some fair run does not satisfy it; options: of `Graph`"""
    return Product(formula, initial, Graph(formula, steps, *options)).fair_part() is not None


def components(roots, edges):
    """Tarjan's algorithm, without recursion"""
    numbers, lowest, stack, waiting = {}, {}, [], set()
    for root in roots:
        path = [] if root in numbers else [(root, None)]
        while path:
            node, left = path.pop()
            if left is None:
                numbers[node] = lowest[node] = len(numbers)
                stack.append(node)
                waiting.add(node)
                left = iter(list(edges(node)))
            for new in left:
                if new not in numbers:
                    path += [(node, left), (new, None)]
                    break
                if new in waiting:
                    lowest[node] = min(lowest[node], numbers[new])
            else:
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == numbers[node]:
                    component = [stack.pop()]
                    while component[-1] != node:
                        component.append(stack.pop())
                    waiting.difference_update(component)
                    yield component
