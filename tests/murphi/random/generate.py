"""Random Murphi programs: program(seed) gives the text. Small state spaces; most programs run without an error.

Left out is what doc/murphi.md decides otherwise than Rumur: results of functions outside their types, loops without end,
guards that change variables, `? :` with calls, empty loops of constants. The order in which C evaluates the operands of a
generated program is not fixed; so a function that changes variables is called alone, into a variable.
"""
from expressions import Array, BOOL, Expressions, Function, Record, Scalar, Scope, Variable


class Generator(Expressions):
    # ---- statements ----

    def statements(self, scope, indent, depth, count=None):
        for _ in range(count or self.draw.randint(1, 3)):
            self.statement(scope, indent, depth)

    def statement(self, scope, indent, depth):
        forms = [self.assign] * 8 + [self.whole] * 2 + [self.clearing, self.invoke, self.checks]
        if depth > 0:
            forms += [self.branch] * 2 + [self.switch, self.loop, self.loop, self.renamed, self.repeated]
        self.pick(forms)(scope, indent, depth)

    def assign(self, scope, indent, depth):
        found = self.places(scope, lambda t: isinstance(t, Scalar), True)
        if not found:
            return
        place, of = found
        value = self.call(scope, of, False) if '[' not in place and not scope.pure and self.odds(0.15) else None
        value = value or self.expression(scope, of)
        if value:
            self.emit(indent, '%s := %s;' % (place, value))

    def whole(self, scope, indent, depth):
        found = self.places(scope, lambda t: not isinstance(t, Scalar), True)
        value = found and self.expression(scope, found[1])
        if value:
            self.emit(indent, '%s := %s;' % (found[0], value))
        else:
            self.assign(scope, indent, depth)

    def clearing(self, scope, indent, depth):
        found = self.places(scope, lambda t: t.kind != 'scalarset' and not self.inner(t, lambda u: u.kind == 'scalarset'), True)
        if found:
            self.emit(indent, '%s %s;' % ('undefine' if self.odds(0.1) else 'clear', found[0]))

    def invoke(self, scope, indent, depth):
        call = self.call(scope, None, scope.pure)
        if call:
            self.emit(indent, call + ';')
        else:
            self.assign(scope, indent, depth)

    def checks(self, scope, indent, depth):
        kind = self.draw.random()
        if kind < 0.3:
            self.emit(indent, 'put "text";')
        elif kind < 0.6:
            self.emit(indent, 'assert (%s) | %s | %s "wrong %d";' % (
                self.test(scope), self.condition(scope, 1), self.condition(scope, 1), self.names))
        elif kind < 0.8:
            self.emit(indent, 'if %s & %s & %s then error "stop"; end;' % (
                self.test(scope), self.test(scope), self.condition(scope, 1)))
        elif scope.result:
            value = self.returned(scope)
            if value:
                self.emit(indent, 'if %s then return %s; end;' % (self.condition(scope, 1), value))
        elif scope.result is None:
            self.emit(indent, 'if %s then return; end;' % self.condition(scope, 1))

    def branch(self, scope, indent, depth):
        self.emit(indent, 'if %s then' % self.condition(scope, 2))
        self.statements(scope, indent + 1, depth - 1)
        if self.odds(0.3):
            self.emit(indent, 'elsif %s then' % self.condition(scope, 2))
            self.statements(scope, indent + 1, depth - 1)
        if self.odds(0.5):
            self.emit(indent, 'else')
            self.statements(scope, indent + 1, depth - 1)
        self.emit(indent, 'end;')

    def switch(self, scope, indent, depth):
        of = self.pick(self.scalars('range', 'enum', 'boolean'))
        place = self.place_of(scope, of)
        if not place:
            return
        values = list(of.values)
        self.draw.shuffle(values)
        self.emit(indent, 'switch %s' % place)
        while values and self.odds(0.7):
            some = [values.pop()] + ([values.pop()] if values and self.odds(0.3) else [])
            self.emit(indent, 'case %s:' % ', '.join(some))
            self.statements(scope, indent + 1, depth - 1)
        if self.odds(0.4):
            self.emit(indent, 'else')
            self.statements(scope, indent + 1, depth - 1)
        self.emit(indent, 'end;')

    def loop(self, scope, indent, depth):
        name, kind = self.name('i'), self.draw.random()
        if kind < 0.6:
            of = self.pick(self.scalars())
            self.emit(indent, 'for %s: %s do' % (name, of.name))
        else:
            of = self.pick(self.scalars('range'))
            first, last = sorted(self.draw.choices(range(of.size), k=2))
            by = ' by 2' if kind > 0.9 else ''
            self.emit(indent, 'for %s := %s to %s%s do' % (name, of.values[first], of.values[last], by))
        self.statements(scope.with_(Variable(name, of, False)), indent + 1, depth - 1)
        self.emit(indent, 'end;')

    def repeated(self, scope, indent, depth):
        """A `while` with a counter of its own in a local variable of the surrounding body."""
        counters = [v for v in scope.variables if v.text.startswith('count')]
        if not counters:
            return self.loop(scope, indent, depth)
        counter = counters[0].text
        self.emit(indent, '%s := 0;' % counter)
        self.emit(indent, 'while %s < %d%s do' % (counter, self.draw.randint(1, 3),
                                                  ' & ' + self.condition(scope, 1) if self.odds(0.5) else ''))
        inner = scope.with_()
        inner.variables = [v for v in scope.variables if v.text != counter]
        self.statements(inner, indent + 1, depth - 1)
        self.emit(indent + 1, '%s := %s + 1;' % (counter, counter))
        self.emit(indent, 'end;')

    def renamed(self, scope, indent, depth):
        found = self.places(scope, lambda t: True, True)
        if not found or '?' in found[0]:
            return
        name = self.name('a')
        self.emit(indent, 'alias %s: %s do' % (name, found[0]))
        self.statements(scope.with_(Variable(name, found[1], True)), indent + 1, depth - 1)
        self.emit(indent, 'end;')

    def returned(self, scope):
        """A value inside the type of the result."""
        of = scope.result
        place = self.place_of(scope, of)
        if place and (not of.values or self.odds(0.6)):
            return place
        return self.pick(of.values) if of.values else None

    # ---- functions, rules, properties ----

    def locals(self, scope, indent):
        """Declares local variables; their first statements give most of them values."""
        variables = [Variable(self.name('l'), self.pick(self.types), True) for _ in range(self.draw.randint(0, 2))]
        counter = Variable(self.name('count'), Scalar('counter', '0..8', [], 9), False)
        for v in variables + [counter]:
            self.emit(indent, 'var %s: %s;' % (v.text, v.type.name))
        return variables, counter

    def body(self, scope, indent, variables, counter):
        self.emit(indent, 'begin')
        for v in variables:
            if self.odds(0.9):
                self.assigned(scope, v.text, v.type, indent + 1)
        self.statements(scope.with_(*variables, counter), indent + 1, 2, self.draw.randint(1, 4))

    def function(self):
        pure = self.odds(0.5)
        result = self.pick([t for t in self.types if t.kind != 'scalarset']) if pure or self.odds(0.4) else None
        parameters = [(self.name('p'), self.pick(self.types), not pure and self.odds(0.5))
                      for _ in range(self.draw.randint(0, 3))]
        text = '; '.join('%s%s: %s' % ('var ' if by_reference else '', n, t.name) for n, t, by_reference in parameters)
        name = self.name('f')
        self.emit(0, '%s %s(%s)%s;' % ('function' if result else 'procedure', name, text,
                                       ': ' + result.name if result else ''))
        variables = [Variable(v.text, v.type, v.writable and not pure) for v in self.variables]
        scope = Scope(variables + [Variable(n, t, by_reference) for n, t, by_reference in parameters],
                      [f for f in self.functions if f.pure or not pure], pure, result)
        own, counter = self.locals(scope, 0)
        self.body(scope, 0, own, counter)
        if result and self.odds(0.95):
            value = self.returned(scope.with_(*own))
            if value is None:
                value = self.pick([v.text for v in own + self.variables if v.type is result] or [None])
            if value:
                self.emit(1, 'return %s;' % value)
        self.emit(0, 'end;')
        self.functions.append(Function(name, parameters, result, pure))

    def parameters(self, scope, indent):
        """Opens rulesets and aliases around a rule; returns the scope, the depth and the words that close them."""
        closing = []
        while self.odds(0.35) and len(closing) < 3:
            name = self.name('r')
            if self.odds(0.75):
                of = self.pick(self.scalars())
                self.emit(indent, 'ruleset %s: %s do' % (name, of.name))
                scope = scope.with_(Variable(name, of, False))
                closing.append('endruleset;')
            else:
                found = self.places(scope, lambda t: not isinstance(t, Scalar), True, 0)
                if not found or '(' in found[0]:
                    break
                self.emit(indent, 'alias %s: %s do' % (name, found[0]))
                scope = scope.with_(Variable(name, found[1], True))
                closing.append('endalias;')
            indent += 1
        return scope, indent, closing

    def close(self, indent, closing):
        for word in reversed(closing):
            indent -= 1
            self.emit(indent, word)

    def rule(self, number):
        scope, indent, closing = self.parameters(Scope(self.variables, self.functions), 0)
        kind = self.draw.random()
        guard = self.test(scope) if kind < 0.5 else self.condition(scope.with_(pure=True), 2) if kind < 0.75 else None
        guard = ' %s ==>' % guard if guard else ''
        self.emit(indent, 'rule "rule %d"%s' % (number, guard))
        own, counter = self.locals(scope, indent)
        self.body(scope, indent, own, counter)
        self.emit(indent, 'end;')
        self.close(indent, closing)

    def next_value(self, number):
        """A rule that gives one place its next value: these make most of the states."""
        scope, indent, closing = self.parameters(Scope(self.variables, self.functions), 0)
        found = self.places(scope, lambda t: isinstance(t, Scalar) and t.values, True, 0)
        place, of = found or (None, BOOL)
        guard = ' & '.join((['!isundefined(%s)' % place] if place and self.odds(0.5) else []) + [self.test(scope)])
        self.emit(indent, 'rule "next %d" %s ==>' % (number, guard if self.odds(0.8) else 'true'))
        self.emit(indent, 'begin')
        if place and of.kind == 'range':
            self.emit(indent + 1, '%s := %s = %s ? %s : %s + 1;' % (place, place, of.values[-1], of.values[0], place))
        elif place:
            self.emit(indent + 1, 'switch ' + place)
            for value, after in zip(of.values, of.values[1:] + of.values[:1]):
                self.emit(indent + 1, 'case %s: %s := %s;' % (value, place, after))
            self.emit(indent + 1, 'end;')
        self.emit(indent, 'end;')
        self.close(indent, closing)

    def start(self, number):
        scope, indent, closing = self.parameters(Scope(self.variables, self.functions), 0)
        self.emit(indent, 'startstate "start %d"' % number)
        own, counter = self.locals(scope, indent)
        self.emit(indent, 'begin')
        for v in self.variables:
            if self.odds(0.95):
                self.assigned(scope, v.text, v.type, indent + 1)
        for v in own:
            self.assigned(scope, v.text, v.type, indent + 1)
        if self.odds(0.3):
            self.statements(scope.with_(*own, counter), indent + 1, 1, self.draw.randint(1, 2))
        self.emit(indent, 'end;')
        self.close(indent, closing)

    def assigned(self, scope, place, of, indent):
        """Gives a value to each part of a place."""
        if of.kind == 'array':
            name = self.name('i')
            self.emit(indent, 'for %s: %s do' % (name, of.index.name))
            self.assigned(scope.with_(Variable(name, of.index, False)), '%s[%s]' % (place, name), of.item, indent + 1)
            self.emit(indent, 'end;')
        elif of.kind == 'record':
            for field, item in of.fields:
                self.assigned(scope, '%s.%s' % (place, field), item, indent)
        else:
            fixed = [v.text for v in scope.variables if v.type is of and not v.writable]
            if fixed and (not of.values or self.odds(0.3)):
                self.emit(indent, '%s := %s;' % (place, self.pick(fixed)))
            elif of.values:
                self.emit(indent, '%s := %s;' % (place, self.pick(of.values)))
            elif self.odds(0.95):
                name = self.name('i')
                self.emit(indent, 'for %s: %s do %s := %s end;' % (name, of.name, place, name))

    def invariant(self, number):
        scope, indent, closing = self.parameters(Scope(self.variables, self.functions, True), 0)
        if self.odds(0.5):
            found = self.places(scope, lambda t: t.kind == 'range', depth=0)
            text = 'isundefined(%s) | %s >= %d' % (found[0], found[0], found[1].low) \
                if found and '?' not in found[0] and '(' not in found[0] else 'true'
        else:
            text = '%s | %s' % (self.condition(scope, 2), self.condition(scope, 2))
        self.emit(indent, 'invariant "invariant %d" %s;' % (number, text))
        self.close(indent, closing)

    def program(self):
        self.declare_types()
        self.declare_variables()
        for _ in range(self.draw.randint(0, 4)):
            self.function()
        for number in range(self.pick([1, 1, 2])):
            self.start(number)
        for number in range(self.draw.randint(2, 5)):
            self.rule(number)
        for number in range(self.draw.randint(2, 5)):
            self.next_value(number)
        self.properties_from = len(self.lines) + 1
        for number in range(self.draw.randint(0, 2)):
            self.invariant(number)
        return '\n'.join(self.lines) + '\n'


def program(seed):
    """The text, and the line from which the properties are."""
    generator = Generator(seed)
    return generator.program(), generator.properties_from
