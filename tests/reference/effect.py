"""Effects, as defined in doc/language.md and doc/semantics.md ("Transitions", "Effect"): trees -> functions that change a list of values."""
from expression import ModelError, Structure, Variable
from syntax import Refused


def assignment(place, scope):
    """A function that assigns a value in a list. The scope contains only global variables and the instance's own."""
    scope.find(place[1], (Variable, Structure))
    variable, element = scope.variable_of(place)
    variable.changes = True

    def assign(s, value):
        number = element(s)
        s[variable.slot + number] = variable.domains[number](value)
    return assign


def record_assignment(operator, place, value, scope):
    """All fields of a record of the same type"""
    scope.find(place[1], (Variable, Structure))
    if operator != '=' or scope.record_type(place) is not scope.record_type(value):
        raise Refused('a record of another type')
    (structure, number), values = scope.any_part(place), scope.record(value)
    for leaf in structure.leaves():
        leaf.changes = True

    def assign(s):
        slots = structure.slots(number(s))
        for slot, one in zip(slots, values(s)):
            s[slot] = one
    return assign


def assertion(condition):
    def check(s):
        if not condition(s):
            raise ModelError('a failed assertion')
    return check


def conditional(condition, yes, no):
    """Only the branch taken is evaluated."""
    def choose(s):
        for statement in yes if condition(s) else no:
            statement(s)
    return choose


def statements(trees, scope):
    return [one for tree in trees for one in written_out(tree, scope)]


def written_out(tree, scope):
    """A `for` is the statements of its body, once for each value."""
    if tree[0] == 'for':
        _, name, low, high, body = tree
        values = scope.values(low, high)
        if not values:
            statements(body, scope.with_names({name: 0}))  # its names are checked nevertheless
        return [one for value in values for one in statements(body, scope.with_names({name: value}))]
    if tree[0] == 'if':
        return [conditional(scope.function(tree[1]), statements(tree[2], scope), statements(tree[3], scope))]
    if tree[0] == 'assert':
        return [assertion(scope.function(tree[1]))]
    operator, place, _ = tree
    if scope.names_record(place):
        return [record_assignment(operator, place, tree[2], scope)]
    assign = assignment(place, scope)
    value = scope.function(tree[2])
    if operator == '=':
        return [lambda s: assign(s, value(s))]
    old, sign = scope.function(place), 1 if operator in ('+=', '++') else -1
    return [lambda s: assign(s, old(s) + sign * value(s))]
