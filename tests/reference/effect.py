"""Effects, as defined in doc/language.md and doc/semantics.md ("Transitions", "Effect"): trees -> functions that change a list of values."""
from expression import ModelError, Variable


def assignment(place, scope):
    """A function that assigns a value in a list. The scope contains only global variables and the instance's own."""
    scope.find(place[1], Variable)
    variable, element = scope.variable_of(place)

    def assign(s, value):
        number = element(s)
        s[variable.slot + number] = variable.domains[number](value)
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
    value = scope.function(tree[-1])
    if tree[0] == 'assert':
        return [assertion(value)]
    operator, place, _ = tree
    assign = assignment(place, scope)
    if operator == '=':
        return [lambda s: assign(s, value(s))]
    old, sign = scope.function(place), 1 if operator in ('+=', '++') else -1
    return [lambda s: assign(s, old(s) + sign * value(s))]
