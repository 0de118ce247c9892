"""The texts of the model language, as doc/language.md says ("Expressions", "Effects"): text -> tree. A tree is a tuple that begins
with what it is.

Written from the documents alone, and shares nothing with floe: that is its use. Speed is not.
"""
import functools
import re


class Refused(Exception):
    """The model is none, or has what this explorer does not know."""


RESERVED = set('and or not implies lt le gt ge eq ne true false self bool bitnot bitand bitxor bitor shl shr'.split())
TOKEN = re.compile(r'\s*(\d+|[A-Za-z_]\w*|\.\.|\+\+|--|\+=|-=|==|!=|<<|>>|<=|>=|&&|\|\||[-+*/%!~&|^?:<>=()\[\]{},.;])')
WORDS = {'or': '||', 'and': '&&', 'eq': '==', 'ne': '!=', 'lt': '<', 'le': '<=', 'gt': '>', 'ge': '>=', 'not': '!',
         'bitnot': '~', 'bitand': '&', 'bitxor': '^', 'bitor': '|', 'shl': '<<', 'shr': '>>'}
QUANTIFIERS = ('all', 'exists', 'count', 'sum', 'min', 'max')
UNARY = {'!': '!', '-': 'negative', '~': 'inverse'}
ASSIGNING = ('=', '+=', '-=', '++', '--')
# Rows of operators from weakest to strongest, below `implies`, and whether a row may be used in a chain
BINARY = [(('||',), True), (('&&',), True), (('==', '!='), False), (('<', '<=', '>', '>='), False), (('|',), True), (('^',), True),
          (('&',), True), (('<<', '>>'), True), (('+', '-'), True), (('*', '/', '%'), True)]


def tokens_of(text):
    tokens, at, text = [], 0, text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Refused('what is this: %r' % text[at:])
        tokens.append(WORDS.get(match.group(1), match.group(1)))
        at = match.end()
    return tokens


def is_name(token):
    return token is not None and re.match(r'[A-Za-z_]\w*$', token) and token not in RESERVED and token != '_'


class Parser:
    """Words that are no reserved ones are names wherever they do not stand as the language's own: functions before `(`, `in`
    behind a name that it binds, `for`, `if` and `else` where a statement begins."""

    def __init__(self, text):
        self.text, self.tokens, self.at, self.in_function = text, tokens_of(text), 0, False

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else None

    def take(self, token=None):
        found = self.peek()
        if found is None or token not in (None, found):
            raise Refused('%r expected, %r found in %r' % (token, found, self.text))
        self.at += 1
        return found

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def name(self):
        if not is_name(self.peek()):
            raise Refused('a name expected, %r found in %r' % (self.peek(), self.text))
        return self.take()

    def whole(self, rule):
        """All of the text is what the rule reads."""
        tree = rule(self)
        if self.peek() is not None:
            raise Refused('%r is too much in %r' % (self.peek(), self.text))
        return tree

    def list_of(self, rule, separator=','):
        items = [rule(self)]
        while self.accept(separator):
            items.append(rule(self))
        return items

    # ---- expressions ----

    def expression(self):
        condition = self.implication()
        if not self.accept('?'):
            return condition
        yes = self.expression()
        self.take(':')
        return ('?', condition, yes, self.expression())

    def implication(self):
        left = self.binary(0)
        return ('implies', left, self.implication()) if self.accept('implies') else left

    def binary(self, row):
        if row == len(BINARY):
            return self.unary()
        operators, chains = BINARY[row]
        left = self.binary(row + 1)
        while self.peek() in operators:
            left = (self.take(), left, self.binary(row + 1))
            if not chains and self.peek() in operators:
                raise Refused('comparisons do not chain: %r' % self.text)
        return left

    def unary(self):
        if self.peek() in UNARY:
            return (UNARY[self.take()], self.unary())
        return self.primary()

    def primary(self):
        token = self.peek()
        if token is not None and token.isdigit():
            return ('number', int(self.take()))
        if token in ('true', 'false'):
            return ('number', int(self.take() == 'true'))
        if token == 'self':
            return ('name', self.take(), None)
        if self.accept('('):
            tree = self.expression()
            self.take(')')
            return tree
        if is_name(token) and self.peek(1) == '(':
            return self.applied()
        return self.place()

    def applied(self):
        """A function, or a define with arguments."""
        word = self.take()
        self.take('(')
        if word in QUANTIFIERS:
            tree = self.quantified(word)
        elif word in ('len', 'empty', 'full'):
            tree = (word, self.name(), self.subscript())
        else:
            tree = ('call', word, tuple(self.expressions()))
        self.take(')')
        return tree

    def subscript(self):
        if not self.accept('['):
            return None
        tree = self.expression()
        self.take(']')
        return tree

    def place(self):
        """x, a[e], m[e][e], x.f, P.x, P[e].x, P[e].a[e], P[e].l: a name, then indices (trees) and further names (texts)"""
        name, steps = self.name(), []
        while self.peek() in ('[', '.'):
            steps.append(self.name() if self.accept('.') else self.subscript())
        return ('place', name, tuple(steps)) if steps else ('name', name, None)

    def quantified(self, word):
        if is_name(self.peek()) and self.peek(1) == 'in':
            name, (low, high) = self.binding()
            self.take(':')
            return ('each', word, name, low, high, self.expression())
        if word not in ('min', 'max'):
            raise Refused('%s without a name: %r' % (word, self.text))
        left = self.expression()
        self.take(',')
        return (word, left, self.expression())

    def range(self):
        low = self.expression()
        self.take('..')
        return low, self.expression()

    def ranges(self):
        return self.list_of(Parser.range)

    def members(self):
        """Of a set: values and ranges"""
        return self.list_of(Parser.member)

    def member(self):
        low = self.expression()
        return low, self.expression() if self.accept('..') else low

    def binding(self):
        """i in lo..hi, or i in P: then high is None"""
        name = self.name()
        self.take('in')
        if is_name(self.peek()) and self.peek(1) in (None, ':', ','):
            return name, (('name', self.take(), None), None)
        return name, self.range()

    def bindings(self):
        return self.list_of(Parser.binding)

    def expressions(self):
        return self.list_of(Parser.expression)

    def initial(self):
        """Of a variable: expressions for it, and for the paths of its fields"""
        whole, fields = [], {}
        values = whole
        while True:
            end = self.at
            while is_name(self.tokens[end] if end < len(self.tokens) else None) and self.tokens[end + 1:end + 2] == ['.']:
                end += 2
            if end < len(self.tokens) and is_name(self.tokens[end]) and self.tokens[end + 1:end + 2] == ['=']:
                path = '.'.join(self.list_of(Parser.name, '.'))
                self.take('=')
                values = fields.setdefault(path, [])
            values.append(self.expression())
            if not self.accept(','):
                return whole, fields

    def names(self):
        return self.list_of(Parser.name)

    # ---- channels ----

    def field(self):
        if self.accept('bool'):
            return ('number', 0), ('number', 1)
        if is_name(self.peek()) and self.peek(1) in (None, ','):
            return ('name', self.take(), None), None
        return self.range()

    def message(self):
        return self.list_of(Parser.field)

    def send(self):
        return self.synchronisation(Parser.expression)

    def receive(self):
        return self.synchronisation(Parser.pattern)

    def synchronisation(self, argument):
        name, index, arguments = self.name(), self.subscript(), []
        if self.accept('('):
            arguments = self.list_of(argument)
            self.take(')')
        return name, index, arguments

    def pattern(self):
        if self.accept('_'):
            return ('drop',)
        return ('equal', self.expression()) if self.accept('==') else ('take', self.place())

    # ---- effects: (operator, place, value); (assert, value); (for, name, low, high, body); (if, value, body, body) ----

    def effect(self):
        statements = self.statements()
        if not statements:
            raise Refused('no statement')
        return statements

    def function(self):
        """Also (var, name, value) and (return, value)"""
        self.in_function = True
        return self.effect()

    def statements(self):
        """Up to the end, or to a bracket that closes"""
        made = []
        while self.peek() not in (None, '}'):
            made.append(self.statement())
            if not self.accept(';') and self.tokens[self.at - 1] != '}':
                break
        return made

    def statement(self):
        if self.in_function and self.peek() == 'var' and is_name(self.peek(1)):
            self.take()
            name = self.name()
            self.take('=')
            return 'var', name, self.expression()
        if self.in_function and self.peek() == 'return' and self.peek(1) not in ASSIGNING + ('[',):
            self.take()
            return 'return', self.expression()
        if self.peek() == 'assert' and self.peek(1) == '(' and not self.in_function:
            self.take()
            return 'assert', self.expression()
        if self.peek() == 'for' and is_name(self.peek(1)):
            self.take()
            name, (low, high) = self.binding()
            self.take(':')
            return 'for', name, low, high, self.body()
        if self.peek() == 'if' and self.peek(1) == '(':
            return self.conditional()
        place, operator = self.place(), self.take()
        if operator not in ASSIGNING:
            raise Refused('%r is no statement' % self.text)
        return operator, place, ('number', 1) if operator in ('++', '--') else self.expression()

    def conditional(self):
        self.take('if')
        self.take('(')
        condition = self.expression()
        self.take(')')
        yes, no = self.body(), []
        behind = 1 if self.peek() == ';' else 0  # a `;` is allowed before `else`
        if self.peek(behind) == 'else' and self.peek(behind + 1) not in ASSIGNING + ('[',):
            self.at += behind + 1
            no = self.body()
        return 'if', condition, yes, no

    def body(self):
        if not self.accept('{'):
            return [self.statement()]
        made = self.statements()
        self.take('}')
        return made


@functools.lru_cache(maxsize=10000)
def parse(text, rule):
    return Parser(text).whole(rule)
