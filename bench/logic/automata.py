#!/usr/bin/env python3
"""Sizes of the automata of LTL formulas: floe beside `spin -f` and `lbt`, where these are installed.

usage: automata.py [--floe ./floe] [--count 1000] [--seed 1] [--contest FILE] [--seconds 20] [--words 10]

Formulas: `count` random ones without next (`spin -f` has none), as many with it, and those in the column `formula` of
FILE, a table of the Model Checking Contest (tab-separated). For each set the means over the formulas that all tools of
a column translated within the time. floe's automata have acceptance sets on edges, those of lbt on states, and those of
spin one set on states: the page of results says what that means for a comparison.

Each automaton is also run on random ultimately periodic words, and compared with the formula's value. Exit code 1: an
automaton is wrong.
"""
import argparse, csv, random, re, subprocess, sys, tempfile, os
from xml.sax.saxutils import escape

# ---- formulas: ('p', i), ('t',), ('f',), (op, f), (op, f, g) -----------------------------------

UNARY, BINARY = ('!', 'G', 'F', 'X'), ('&', '|', 'U', 'R', '->')


def random_formula(draw, size, atoms, unary):
    if size <= 1:
        return ('p', draw.randrange(atoms))
    if size == 2 or draw.random() < 0.4:
        return (draw.choice(unary), random_formula(draw, size - 1, atoms, unary))
    left = draw.randrange(1, size - 1)
    return (draw.choice(BINARY), random_formula(draw, left, atoms, unary),
            random_formula(draw, size - 1 - left, atoms, unary))


def core(f):
    """Without -> and R, which not every tool has."""
    if len(f) == 1 or f[0] == 'p':
        return f
    parts = [core(g) for g in f[1:]]
    if f[0] == '->':
        return ('|', ('!', parts[0]), parts[1])
    if f[0] == 'R':
        return ('!', ('U', ('!', parts[0]), ('!', parts[1])))
    return (f[0], *parts)


def holds(f, word, loop):
    """The values of the formula at the positions of the word, which continues behind its end at `loop`."""
    n = len(word)
    after = lambda i: i + 1 if i + 1 < n else loop
    if f[0] == 'p':
        return [bool(letter >> f[1] & 1) for letter in word]
    if f[0] in 'tf':
        return [f[0] == 't'] * n
    a = holds(f[1], word, loop)
    b = holds(f[2], word, loop) if len(f) == 3 else None
    if f[0] == '!':
        return [not x for x in a]
    if f[0] == 'X':
        return [a[after(i)] for i in range(n)]
    if f[0] in '&|':
        return [(x and y) if f[0] == '&' else (x or y) for x, y in zip(a, b)]
    least = f[0] in 'UF'
    values = [not least] * n
    for _ in range(2 * n + 2):
        for i in reversed(range(n)):
            later = values[after(i)]
            values[i] = (b[i] or (a[i] and later)) if f[0] == 'U' else (a[i] or later) if f[0] == 'F' else (a[i] and later)
    return values


# ---- formulas of the contest -------------------------------------------------------------------

def contest_formula(text, names):
    """Atoms are numbered by their texts."""
    def atom(match):
        return ' @%d ' % names.setdefault(match.group(0), len(names))
    term = r'\((?:\d+|#tokens\((?:"[^"]*"(?:, ?)?)+\))\)'
    text = re.sub(r'\(%s <= %s\)' % (term, term), atom, text)
    text = re.sub(r'(?:\((?:"[^"]*",? ?)+\)|"[^"]*")\?', atom, text)
    tokens = re.findall(r'@\d+|[AGFXU!&|()]', text)
    if ''.join(tokens) != re.sub(r'\s', '', text):
        raise ValueError(text)
    if tokens.pop(0) != 'A':
        raise ValueError(text)
    formula = disjunction(tokens)
    if tokens:
        raise ValueError(text)
    return formula


def left_to_right(tokens, operator, operand):
    f = operand(tokens)
    while tokens and tokens[0] == operator:
        tokens.pop(0)
        f = (operator, f, operand(tokens))
    return f


def disjunction(tokens):
    return left_to_right(tokens, '|', lambda t: left_to_right(t, '&', lambda u: left_to_right(u, 'U', prefixed)))


def prefixed(tokens):
    token = tokens.pop(0)
    if token == '(':
        f = disjunction(tokens)
        if tokens.pop(0) != ')':
            raise ValueError(tokens)
        return f
    return ('p', int(token[1:])) if token[0] == '@' else (token, prefixed(tokens))


# ---- automata: states, start, edges (from, to, guard, sets), number of sets ---------------------

class Automaton:
    def __init__(self, states, starts, edges, sets):
        self.states, self.starts, self.edges, self.sets = states, starts, edges, sets

    def accepts(self, word, loop):
        """A component of the product with the word has edges of all sets."""
        n = len(word)
        graph = {}
        for source, target, guard, sets in self.edges:
            for i in range(n):
                if guard(word[i]):
                    graph.setdefault((source, i), []).append(((target, i + 1 if i + 1 < n else loop), sets))
        seen, stack = set(), [(s, 0) for s in self.starts]
        while stack:
            at = stack.pop()
            if at not in seen:
                seen.add(at)
                stack += [to for to, _ in graph.get(at, ())]
        return any(self.cycles(graph, at) for at in seen)

    def cycles(self, graph, start):
        """Some cycle through `start` has edges of all sets."""
        ahead, stack = set(), [start]
        while stack:
            at = stack.pop()
            for to, _ in graph.get(at, ()):
                if to not in ahead:
                    ahead.add(to)
                    stack.append(to)
        if start not in ahead:
            return False
        back = {start}
        grown = True
        while grown:
            grown = False
            for at in ahead:
                if at not in back and any(to in back for to, _ in graph.get(at, ())):
                    back.add(at)
                    grown = True
        inside = ahead & back
        found = set()
        for at in inside:
            for to, sets in graph.get(at, ()):
                if to in inside:
                    found |= sets
        return len(found) == self.sets


def python_guard(text):
    """Of a text in Python over the bits of `letter`."""
    return eval('lambda letter: ' + text)


def bit(i):
    return '(letter // 2 ** %s %% 2)' % i


# ---- tools: formula to automaton; None: too long ------------------------------------------------

def run(command, seconds, text=None):
    try:
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def atoms_of(f):
    return {f[1]} if f[0] == 'p' else set().union(*[atoms_of(g) for g in f[1:]]) if len(f) > 1 else set()


class Floe:
    name = 'floe'
    words = {'!': 'not', 'G': 'always', 'F': 'eventually', 'X': 'next', '&': 'and', '|': 'or', 'U': 'until',
             'R': 'release', '->': 'implies'}

    def __init__(self, program, seconds):
        self.program, self.seconds = program, seconds

    def text(self, f):
        if f[0] == 'p':
            return 'taken(p%d)' % f[1]
        word = self.words[f[0]]
        return '(%s %s)' % (word, self.text(f[1])) if len(f) == 2 else \
            '(%s %s %s)' % (self.text(f[1]), word, self.text(f[2]))

    def translate(self, f):
        """The automaton of `not not f`. The atoms are steps: of conditions on states floe makes larger atoms."""
        steps = ''.join('<transition from="l" label="p%d"/>' % i for i in sorted(atoms_of(f)))
        with tempfile.NamedTemporaryFile('w', suffix='.xml') as model:
            model.write('<model name="m"><process name="P"><location name="l" initial="true"/>%s</process>'
                        '<property id="f" kind="ltl">not %s</property></model>' % (steps, escape(self.text(f))))
            model.flush()
            out = run([self.program, 'export', '--never=f', model.name], self.seconds)
        return out and self.parse(out)

    @staticmethod
    def parse(out):
        value = lambda item: re.search(r'^%s (.*)$' % item, out, re.M).group(1)
        names = re.findall(r'"taken\(p(\d+)\)"', value('AP:'))
        edges, state = [], None
        for line in out[out.index('--BODY--'):].splitlines():
            match = re.match(r'\s*\[(.*)\] (\d+)(?: \{(.*)\})?$', line)
            if line.startswith('State:'):
                state = int(line.split()[1])
            elif match:
                text = re.sub(r'\d+', lambda m: bit(names[int(m.group(0))]), match.group(1))
                text = text.replace('!', ' not ').replace('&', ' and ').replace('|', ' or ')
                text = re.sub(r'^t$', 'True', text)
                edges.append((state, int(match.group(2)), python_guard(text), set((match.group(3) or '').split())))
        return Automaton(int(value('States:')), [int(value('Start:'))], edges, int(value('Acceptance:').split()[0]))


class Spin:
    name = 'spin'
    words = {'!': '!', 'G': '[]', 'F': '<>', '&': '&&', '|': '||', 'U': 'U', 'R': 'V', '->': '->'}

    def __init__(self, seconds):
        self.seconds = seconds

    def text(self, f):
        if f[0] == 'p':
            return 'p%d' % f[1]
        word = self.words[f[0]]
        return '(%s (%s))' % (word, self.text(f[1])) if len(f) == 2 else \
            '((%s) %s (%s))' % (self.text(f[1]), word, self.text(f[2]))

    def translate(self, f):
        if "'X'" in str(f):
            return None
        out = run(['spin', '-f', self.text(f)], self.seconds)
        return out and self.parse(out)

    @staticmethod
    def parse(out):
        """Two labels in a row are one state. A failing assertion ends the word's rest: it leads to accept_all."""
        state_of, accepting, edges, fresh = {}, set(), [], False
        for line in re.sub(r'/\*.*?\*/', '', out).splitlines():
            label = re.match(r'(\w+):$', line.strip())
            edge = re.match(r'\s*:: (.*) -> goto (\w+)', line) or re.match(r'\s*:: atomic \{ (.*) -> (assert)', line)
            if label:
                state_of[label.group(1)] = here = here if fresh else len(set(state_of.values()))
                accepting |= {here} if label.group(1).startswith('accept') else set()
            elif edge or line.strip() == 'skip':
                guard, target = edge.groups() if edge else ('(1)', 'accept_all')
                text = re.sub(r'p(\d+)', lambda m: bit(m.group(1)), guard)
                text = text.replace('&&', ' and ').replace('||', ' or ').replace('!', ' not ')
                text = text.replace('false', 'False').replace('true', 'True')
                edges.append((here, 'accept_all' if target == 'assert' else target, python_guard(text)))
            fresh = bool(label)
        return Automaton(len(set(state_of.values())), [0],
                         [(source, state_of[target], guard, {0} if source in accepting else set())
                          for source, target, guard in edges], 1)


class Lbt:
    name = 'lbt'
    words = {'R': 'V', '->': 'i'}

    def __init__(self, seconds):
        self.seconds = seconds

    def text(self, f):
        if f[0] == 'p':
            return 'p%d' % f[1]
        return ' '.join([self.words.get(f[0], f[0])] + [self.text(g) for g in f[1:]])

    def translate(self, f):
        out = run(['lbt'], self.seconds, self.text(f))
        return out and self.parse(out)

    def parse(self, out):
        lines = out.splitlines()
        sets = int(lines[0].split()[1])
        starts, edges, state, inside = [], [], None, False
        for line in lines[1:]:
            if line == '-1':
                inside = False
            elif inside:
                target, guard = line.split(None, 1)
                edges.append((state, target, python_guard(self.guard(guard.split())), accepting))
            else:
                words = line.split()
                state, inside, accepting = words[0], True, set(words[2:-1])
                if words[1] == '1':
                    starts.append(state)
        return Automaton(int(lines[0].split()[0]), starts, edges, sets)

    def guard(self, tokens):
        token = tokens.pop(0)
        if token in '&|':
            a, b = self.guard(tokens), self.guard(tokens)
            return '(%s %s %s)' % (a, 'and' if token == '&' else 'or', b)
        if token == '!':
            return '(not %s)' % self.guard(tokens)
        return 'True' if token == 't' else 'False' if token == 'f' else bit(token[1:])


# ---- measurement -------------------------------------------------------------------------------

def wrong_word(automaton, f, draw, words):
    """A word on which the automaton and the formula differ; None: none found."""
    used = sorted(atoms_of(f))
    for _ in range(words):
        word = [sum(draw.randrange(2) << i for i in used) for _ in range(draw.randrange(1, 7))]
        loop = draw.randrange(len(word))
        if automaton.accepts(word, loop) != holds(core(f), word, loop)[0]:
            return word, loop
    return None


def summary(title, tools, rows):
    """One line for all formulas that all of the tools translated."""
    whole = [row for row in rows if all(row[tool.name] for tool in tools)]
    if not whole:
        return
    for tool in tools:
        automata = [row[tool.name] for row in whole]
        states, edges = [a.states for a in automata], [len(a.edges) for a in automata]
        largest, median = max(states), sorted(states)[len(states) // 2]
        smaller = sum(row['floe'].states < row[tool.name].states for row in whole)
        larger = sum(row['floe'].states > row[tool.name].states for row in whole)
        print('| %s | %s | %d | %.2f | %d | %d | %.2f | %s | %s |'
              % (title, tool.name, len(whole), sum(states) / len(whole), median, largest, sum(edges) / len(whole),
                 '' if tool.name == 'floe' else smaller, '' if tool.name == 'floe' else larger))


def measure(title, formulas, tools, options):
    draw, rows, failed = random.Random(options.seed), [], 0
    late = dict.fromkeys((tool.name for tool in tools), 0)
    for f in formulas:
        row = {tool.name: tool.translate(f) for tool in tools}
        rows.append(row)
        for name, automaton in row.items():
            late[name] += automaton is None
            wrong = automaton and wrong_word(automaton, f, draw, options.words)
            if wrong:
                failed += 1
                print('%s: wrong automaton of %s: %s' % (name, f, wrong), file=sys.stderr)
    summary(title, [tool for tool in tools if late[tool.name] < len(formulas)], rows)
    print('%s: %d formulas; without automaton: %s' % (title, len(formulas), late), file=sys.stderr)
    return failed


def installed(program):
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in os.environ['PATH'].split(':'))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--floe', default='./floe')
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--contest')
    parser.add_argument('--seconds', type=float, default=20)
    parser.add_argument('--words', type=int, default=10)
    options = parser.parse_args()
    tools = [Floe(options.floe, options.seconds)]
    tools += [Spin(options.seconds)] if installed('spin') else []
    tools += [Lbt(options.seconds)] if installed('lbt') else []
    draw = random.Random(options.seed)
    sets = [('random', [random_formula(draw, draw.randrange(3, 13), 3, UNARY[:3]) for _ in range(options.count)]),
            ('random, with next', [random_formula(draw, draw.randrange(3, 13), 3, UNARY)
                                   for _ in range(options.count)])]
    if options.contest:
        rows = list(csv.DictReader(open(options.contest), delimiter='\t'))
        contest = [contest_formula(row['formula'], {}) for row in rows]
        without = [f for f in contest if "'X'" not in str(f)]
        sets += [('contest', contest), ('contest, without next', without)]
    print('| formulas | tool | translated | states: mean | median | largest | edges: mean | floe smaller | larger |')
    print('|---|---|---|---|---|---|---|---|---|')
    failed = 0
    for title, formulas in sets:
        if not formulas:
            continue
        with_next = any("'X'" in str(f) for f in formulas)
        failed += measure(title, formulas, [t for t in tools if t.name != 'spin' or not with_next], options)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
