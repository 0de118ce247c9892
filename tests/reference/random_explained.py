"""Small random models whose transitions are often blocked: broadcasts, arrays of channels, `else`, selects, committed locations.
The same model for the same seed."""
import random
from xml.sax.saxutils import quoteattr


def attributes(**values):
    return ''.join(' %s=%s' % (name.rstrip('_'), quoteattr(str(value))) for name, value in values.items() if value is not None)


class ExplainedModel:
    """text: the model."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.variables = ['x', 'y'][:self.rng.choice([1, 2, 2])]
        self.channels = [self.channel('c%d' % i) for i in range(self.rng.choice([1, 1, 2]))]
        self.processes = [('P%d' % i, self.rng.choice([None, None, 2]), self.rng.choice([1, 2, 2])) for i in range(self.rng.choice([2, 2, 3]))]
        lines = ['<variable name="%s" range="0..%d"/>' % (name, self.rng.choice([1, 2])) for name in self.variables]
        lines += ['<variable name="t" size="2" range="1..2" init="index + 1"/>']
        lines += ['<channel%s/>' % attributes(name=name, size=size, capacity=capacity or None, broadcast='true' if broadcast else None,
                                              message=', '.join(['0..2'] * fields) or None)
                  for name, size, capacity, broadcast, fields in self.channels]
        for process in self.processes:
            lines += self.process(*process)
        self.text = '<model name="explained-%d">\n%s\n</model>\n' % (seed, '\n'.join('  ' + line for line in lines))

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def channel(self, name):
        kind = self.rng.choice(['handshake', 'handshake', 'buffer', 'buffer', 'broadcast', 'broadcast'])
        return name, self.rng.choice([None, 2, 2]), self.rng.randint(1, 2) if kind == 'buffer' else 0, kind == 'broadcast', self.rng.choice([0, 1, 1, 2])

    def process(self, name, instances, locations):
        names = ['l%d' % i for i in range(locations)]
        lines = ['<process%s>' % attributes(name=name, instances=instances)]
        lines += ['  <location%s/>' % attributes(name=one, initial='true' if i == 0 else None, committed='true' if self.chance(18) else None)
                  for i, one in enumerate(names)]
        waits = set()
        lines += ['  <transition%s/>' % attributes(**self.transition(names, waits)) for _ in range(self.rng.choice([1, 2, 2, 3]))]
        free = [one for one in names if one not in waits]
        if free and self.chance(50):
            source = '*' if len(free) == len(names) and self.chance(30) else self.rng.choice(free)
            lines.append('  <transition%s/>' % attributes(from_=source, label='rest', guard='else', effect=self.effect()))
        return lines + ['</process>']

    def sources(self, names):
        return self.rng.choice(['*', ' '.join(names), names[0], names[0], self.rng.choice(names)])

    def transition(self, names, waits):
        parts = {'from_': self.sources(names), 'to': self.rng.choice(names + [None]), 'label': self.rng.choice([None, 'a', 'b'])}
        values, fields = ['self', '0', '1'] + self.variables, []
        if self.chance(30):
            empty = self.chance(4)
            parts['select'] = 'i in %s' % ('1..0' if empty else '0..1')
            values += ['i', 'i', 'i']
        if self.chance(60):
            channel = self.rng.choice(self.channels)
            sends = self.chance(50)
            parts['send' if sends else 'receive'] = self.synchronisation(channel, sends, values, fields)
            if not channel[2] and not (sends and channel[3]):
                waits.update(names if parts['from_'] == '*' else parts['from_'].split())
        parts['guard'] = self.guard(values + 2 * fields)
        parts['effect'] = self.effect() if self.chance(60) else None
        return parts

    def synchronisation(self, channel, sends, values, fields):
        name, size, _, _, count = channel
        text = name if size is None else '%s[%s]' % (name, self.rng.choice(['0', '0', '1', '1 - x'] + [v for v in values if v != 'y']))
        arguments = []
        for i in range(count):
            if sends:
                arguments.append(self.rng.choice(values + ['2', '2', '3', '1 / x', '2097152 * x']))
            else:
                arguments.append(self.rng.choice(['_', 'k%d' % i, 'k%d' % i, '== %s' % self.rng.choice(values + ['2']), self.rng.choice(self.variables)]))
                if arguments[-1].startswith('k'):
                    fields.append(arguments[-1])
        return text + ('(%s)' % ', '.join(arguments) if arguments else '')

    def atom(self, values):
        """Constants, values that are never reached, and parts that fail are among them."""
        name, instances, locations = self.rng.choice(self.processes)
        one = self.rng.choice(values)
        return self.rng.choice([
            one, one, 'not %s' % one, '%s == %s' % (one, self.rng.choice(values)), '%s != %s' % (one, self.rng.choice(values)),
            '%s == %d' % (one, self.rng.randint(0, 3)), '%s gt %d' % (one, self.rng.randint(0, 2)), '%s lt 2' % one,
            '%s%s.l%d' % (name, '' if instances is None else '[%d]' % self.rng.randrange(instances), self.rng.randrange(locations)),
            '(%s or %s == 1)' % (self.rng.choice(values), one), '2 / %s == 1' % one if self.chance(50) else 't[%s] == %d' % (one, self.rng.randint(1, 2))])

    def guard(self, values):
        count = self.rng.choice([0, 0, 1, 1, 2, 2, 3])
        return self.rng.choice([' and ', ' and ', ' && ']).join(self.atom(values) for _ in range(count)) or None

    def effect(self):
        name = self.rng.choice(self.variables)
        return self.rng.choice(['%s = 1 - %s %% 2', '%s = (%s + 1) %% 2', '%s = %s == 0 ? 1 : 0']) % (name, name)
