"""Temporal properties, as doc/language.md and doc/semantics.md say ("Temporal properties"): text -> formula -> verdict.

Written from the documents alone. The method is a tableau: a node is a state with an assumption for each `next` and each `until` of
the formula about the rest of the run. Strongly connected components of the graph of nodes show runs that violate it.
"""
import functools
import itertools
import re

from expression import ModelError
from syntax import Parser, Refused, tokens_of

KINDS = 'ltl', 'eventually', 'leadsto'
PREFIX = {word: '[%s]' % words[0] for words in (('always', '[]', 'G'), ('eventually', '<>', 'F'), ('next', 'X')) for word in words}
INFIX = {word: '[%s]' % words[0] for words in (('until', 'U'), ('weakuntil', 'W'), ('release', 'R')) for word in words}
LEADSTO = 'leadsto', '-->'
SYMBOL = re.compile(r'\[\]|<>|-->')
TEMPORAL = {*PREFIX.values(), *INFIX.values(), '[leadsto]'}  # no names
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


def is_temporal(tree):
    return isinstance(tree, tuple) and any(part in TEMPORAL if isinstance(part, str) else is_temporal(part) for part in tree)


# ---- formulas: ('atom', number), ('not', f), ('or', f, g), ('next', f), ('until', f, g) ----

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
MEANINGS = {
    '!': negation, '&&': both, '||': lambda f, g: ('or', f, g), 'implies': lambda f, g: ('or', negation(f), g),
    '==': same, '!=': lambda f, g: negation(same(f, g)),
    '[always]': always, '[eventually]': eventually, '[next]': lambda f: ('next', f), '[until]': lambda f, g: ('until', f, g),
    '[release]': release, '[weakuntil]': lambda f, g: release(g, ('or', f, g)),
    '[leadsto]': lambda f, g: always(('or', negation(f), eventually(g))),
}


class Formula:
    """A property's formula. atoms: functions of the state. assumed: what is assumed about the rest of a run, as positions in `parts`
    of the formulas that hold after the step. parts: all subformulas, each after its own."""

    def __init__(self, kind, text, scope):
        self.atoms, self.parts, self.places = [], [], {}
        tree = FormulaParser(text).whole(FormulaParser.expression)
        if kind == 'eventually':
            tree = ('[eventually]', tree)
        if kind == 'leadsto' and tree[0] != '[leadsto]':
            raise Refused('%r is no leadsto' % text)
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

    def place(self, formula):
        """Of a formula in `parts`, where it comes with its subformulas"""
        if formula not in self.places:
            for part in formula[1:] if formula[0] != 'atom' else ():
                self.place(part)
            self.places[formula] = len(self.parts)
            self.parts.append(formula)
        return self.places[formula]

    def valuation(self, state):
        try:
            return tuple(bool(atom(state)) for atom in self.atoms)
        except ModelError as reason:
            raise Refused('%s in a formula' % reason) from reason

    def truths(self, valuation, assumption):
        """Of each part, in a state with this valuation if `assumption` is right about the rest of the run"""
        after, made = dict(zip(self.assumed, assumption)), []
        for place, (word, *parts) in enumerate(self.parts):
            inner = [] if word == 'atom' else [self.places[part] for part in parts]
            if word == 'atom':
                made.append(valuation[parts[0]])
            elif word == 'not':
                made.append(not made[inner[0]])
            elif word == 'or':
                made.append(made[inner[0]] or made[inner[1]])
            elif word == 'next':
                made.append(after[inner[0]])
            else:
                made.append(word == 'true' or made[inner[1]] or made[inner[0]] and after[place])
        return made

    def table(self, valuation):
        """Of the states with this valuation: each assumption with what it makes true, by what a predecessor assumed of the state"""
        made = {}
        for assumption in itertools.product((False, True), repeat=len(self.assumed)):
            truths = self.truths(valuation, assumption)
            made.setdefault(tuple(truths[place] for place in self.assumed), []).append((assumption, truths))
        return made


def successors(steps, state):
    """In a run: a state without an enabled firing is its own successor, and a firing that fails leads nowhere."""
    firings = steps.of(state)
    return {new for _, new in firings if new is not None} if firings else {state}


class Anything:
    """A state in which the conditions have the values of a state of the model, and which any of these states can follow. Failing
    firings lead to these states in a model that is repaired in an unknown way."""

    def __init__(self, state):
        self.state = state


def violated(formula, initial, steps, repaired=None):
    """True if some run does not satisfy it. repaired: the states of the model; then failing firings lead to any of these."""
    valuation = functools.lru_cache(maxsize=None)(
        lambda state: formula.valuation(state.state if isinstance(state, Anything) else state))
    alternatives = {formula.valuation(state): state for state in repaired or ()}
    anything = [Anything(state) for state in alternatives.values()]

    @functools.lru_cache(maxsize=None)
    def following(state):
        if isinstance(state, Anything):
            return anything
        fails = any(new is None for _, new in steps.of(state))
        return [*successors(steps, state), *(anything if fails else ())]
    return accepted(formula, initial, valuation, following)


def accepted(formula, initial, valuation, following):
    """True if a run of this graph satisfies the negation"""
    fulfilled = {}

    def nodes(state, needed):
        for assumption, truths in needed:
            node = state, assumption
            if node not in fulfilled:
                fulfilled[node] = frozenset(i for i, (until, goal) in enumerate(formula.untils) if truths[goal] or not truths[until])
            yield node

    def edges(node):
        state, assumption = node
        for new in following(state):
            yield from nodes(new, formula.tables(valuation(new)).get(assumption, ()))

    first = [one for some in formula.tables(valuation(initial)).values() for one in some if one[1][formula.root]]
    for component in components(list(nodes(initial, first)), edges):
        if len(component) == 1 and component[0] not in edges(component[0]):
            continue
        if len(frozenset().union(*[fulfilled[node] for node in component])) == len(formula.untils):
            return True
    return False


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
