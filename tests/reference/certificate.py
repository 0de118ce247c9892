"""Certificate of an exploration ("Certificate"): its states packed by the layout that `floe plan` prints."""
WORD = 2 ** 64 - 1


def scramble(x):
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd & WORD
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53 & WORD
    return x ^ x >> 33


def mix(x):
    return scramble(x + 0x9e3779b97f4a7c15 & WORD)


def elements(variable):
    return [(variable.slot + i) for i in range(variable.count)]


def contents(variables):
    """Function of a state: the field contents of a variable, over all instances. For `values`: the position of the value."""
    slots, positions = [slot for variable in variables for slot in elements(variable)], variables[0].positions
    if positions is None:
        return lambda state: [state[slot] for slot in slots]
    return lambda state: [positions[state[slot]] for slot in slots]


def buffers(channel):
    return [(channel.slot + i) for i in range(1 if channel.size is None else channel.size)]


def fields(channel, number):
    """All positions of a buffer: the first is the next message received. A free position holds None."""
    def of(state):
        for slot in buffers(channel):
            values = [message[number] for message in state[slot]]
            yield from values + [None] * (channel.capacity - len(values))
    return of


def line_of(variable):
    """Its name there"""
    return variable.pattern.replace('[]', '')


def parts(model):
    """Name of each line of the layout, and a function from a state to its elements."""
    def plain(slots):
        return lambda state: [state[slot] for slot in slots]
    named = {line_of(leaf): contents([leaf]) for variable in model.variables.values() for leaf in variable.leaves()}
    for process in model.processes.values():
        named[process.name] = plain([instance.slot for instance in process.instances])
        leaves = [[leaf for variable in instance.variables.values() for leaf in variable.leaves()] for instance in process.instances]
        for same in zip(*leaves):
            named['%s.%s' % (process.name, line_of(same[0]))] = contents(same)
    for channel in model.channels.values():
        if channel.capacity:
            named['len(%s)' % channel.name] = lambda state, slots=buffers(channel): [len(state[slot]) for slot in slots]
            for number in range(len(channel.fields)):
                named['%s: field %d' % (channel.name, number + 1)] = fields(channel, number)
    return named


def pack(state, plan, named):
    words = [0] * plan['words']
    for line in plan['layout']:
        if line['bits']:
            for i, value in enumerate(named[line['name']](state)):
                if value is not None:
                    after, place = divmod(i, line['per_word'])
                    low = 0 if line.get('values') else line['low']  # of `values` it is a position
                    words[line['word'] + after] |= value - low << line['shift'] + place * line['bits_each']
    return words


def mix_words(words):
    x = 0
    for word in words:
        x = scramble(x ^ (word + 0x9e3779b97f4a7c15 & WORD))
    return x


def certificate(exploration, plan):
    levels_hash = 0
    for count in exploration.states_per_level:
        levels_hash = mix(levels_hash ^ count)
    named = parts(exploration.model)
    total = sum(mix_words(pack(state, plan, named)) for state in exploration.visited) & WORD
    return 'floe1 states=%d transitions=%d levels=%d deadlocks=%d levels_hash=%016x set=%016x' % (
        len(exploration.visited), exploration.transitions, len(exploration.states_per_level), exploration.deadlocks,
        levels_hash, total)
