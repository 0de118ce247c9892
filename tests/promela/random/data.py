"""Variables, channels and expressions of random Promela programs. Values stay small, so that state spaces do; indices stay
within their arrays."""
import re

MESSAGE_TYPES = ["byte", "bit", "mtype", "chan"]


class Variable:
    """place: text with a %s for an index below `size` (0: none); kind: number, bit or mtype"""

    def __init__(self, place, size=0, kind="number", most=4):
        self.place, self.size, self.kind, self.most = place, size, kind, most


class Channel:
    def __init__(self, name, capacity, fields, size=0):
        self.name, self.capacity, self.fields, self.size = name, capacity, fields, size


class Scope:
    """What a process sees."""

    def __init__(self, rng, variables, channels, labels=()):
        self.rng, self.variables, self.channels, self.labels = rng, variables, channels, list(labels)
        self.asks = False

    def chance(self, percent):
        return self.rng.random() * 100 < percent

    def inner(self, variables, channels):
        scope = Scope(self.rng, self.variables + variables, self.channels + channels, self.labels)
        scope.asks = self.asks
        return scope

    # ---- variables

    def index(self, size):
        """An index that is always below `size`."""
        names = [v for v in self.variables if v.kind == "number" and not v.size and v.most >= 0]
        if names and self.chance(60):
            return f"{self.rng.choice(names).place} % {size}"
        return str(self.rng.randrange(size))

    def place(self, kind="number"):
        fitting = [v for v in self.variables if v.kind == kind]
        if not fitting:
            return None
        v = self.rng.choice(fitting)
        return v.place % self.index(v.size) if v.size else v.place

    def target(self):
        """A variable and a value that keeps it small."""
        v = self.rng.choice([v for v in self.variables if v.kind != "mtype"])
        place = v.place % self.index(v.size) if v.size else v.place
        if v.kind == "bit":
            return place, self.condition(1) if self.chance(50) else f"1 - {place}"
        if self.chance(6):
            return place, str(self.rng.choice([-1, 255, 256, 300, 32767, 32768, 65535, 70000, -32769]))
        value = self.number(2)
        return place, f"({value}) % {v.most}" if self.chance(80) or not value.isdigit() else value

    # ---- expressions

    def number(self, depth):
        if depth == 0 or self.chance(30):
            if self.chance(45):
                return str(self.rng.choice([0, 1, 1, 2, 3, 5]))
            return self.place() or "1"
        a, b = self.number(depth - 1), self.number(depth - 1)
        kind = self.rng.randrange(12)
        if kind < 3:
            return f"{a} + {b}"
        if kind == 3:
            return f"({a}) - ({b})"
        if kind == 4:
            return f"({a}) * ({b})"
        if kind == 5:
            return f"({a}) / {self.rng.randint(1, 3)}"
        if kind == 6:
            return f"({self.condition(depth - 1)} -> {a} : {b})"
        if kind == 7:
            return f"(({a}) {self.rng.choice('&|^')} ({b}))"
        if kind == 8:
            return f"(({a}) {self.rng.choice(['<<', '>>'])} {self.rng.randint(0, 2)})"
        if kind == 9 and self.channels:
            return f"len({self.channel().text})"
        if kind == 10:
            return self.rng.choice(["_pid", "_nr_pr", f"-({a})", f"~({a})"])
        return f"({self.condition(depth - 1)})"

    def condition(self, depth):
        kind = self.rng.randrange(10)
        if self.asks and self.chance(15):
            return self.rng.choice(["enabled(1)", "!enabled(1)", "enabled(2)", "pc_value(1) > 2"])
        if kind < 5 or depth == 0:
            return f"{self.number(depth and depth - 1)} {self.rng.choice(['==', '!=', '<', '<=', '>', '>='])} {self.number(0)}"
        if kind == 5:
            bit = self.place("bit")
            return bit if bit else "true"
        if kind == 6:
            return f"!({self.condition(depth - 1)})"
        if kind == 7 and self.labels:
            return self.rng.choice(self.labels)
        if kind == 8 and self.channels:
            return self.poll()
        return f"({self.condition(depth - 1)} {self.rng.choice(['&&', '||'])} {self.condition(depth - 1)})"

    def poll(self):
        use = self.channel()
        if use.channel.capacity and self.chance(50):
            mark = "??" if self.chance(30) else "?"
            return f"{use.text}{mark}[{', '.join(self.pattern(use, False))}]"
        word = self.rng.choice(["full", "empty", "nfull", "nempty"] if use.channel.capacity else ["len"])
        return f"{word}({use.text})" if word != "len" else f"len({use.text}) == 0"

    # ---- channels

    def channel(self):
        c = self.rng.choice(self.channels)
        text = f"{c.name}[{self.index(c.size)}]" if c.size else c.name
        return Use(c, text)

    def message(self, channel):
        values = []
        for field in channel.fields:
            if field == "mtype":
                values.append(self.rng.choice(["red", "green", self.place("mtype") or "red"]))
            elif field == "bit":
                values.append(self.place("bit") or "1")
            else:
                values.append(f"({self.number(1)}) % 3" if self.chance(50) else str(self.rng.randrange(3)))
        return values

    def pattern(self, use, binds=True):
        values, bound = [], []
        for field in use.channel.fields:
            kind = {"byte": "number"}.get(field, field)
            place = self.place(kind)
            if place and (place in values or any(reads(place, text) for text in [use.text, *values]) or any(reads(b, place) for b in bound)):
                place = None
            choice = self.rng.randrange(10)
            if binds and place and choice < 6:
                values.append(place)
                bound.append(place)
            elif choice < 7 and binds:
                values.append("_")
            elif place and choice < 8:
                values.append(f"eval({place})")
            else:
                values.append(self.rng.choice(["red", "green"]) if field == "mtype" else str(self.rng.randrange(2)))
        return values


def reads(place, text):
    """`text` has this place in an index or within eval. pan does not undo a receive whose values change what the others read."""
    return re.search(r"(\[|\().*\b" + re.escape(place) + r"(?!\w)", text) is not None


class Use:
    def __init__(self, channel, text):
        self.channel, self.text = channel, text
