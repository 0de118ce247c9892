#!/usr/bin/env python3
"""A random Promela program: generate.py NUMBER [small]."""
import random
import sys

import data
import events


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.inlines, self.processes, self.counter = [], [], 0
        self.loops = 0
        self.asks = self.chance(10)  # one process asks whether others are enabled; Spin allows no rendezvous then

    def chance(self, percent):
        return self.rng.random() * 100 < percent

    # ---- declarations

    def variables(self, prefix, count, arrays=True):
        """Texts of declarations, and the variables."""
        texts, found = [], []
        for i in range(count):
            name = f"{prefix}{i}"
            kind = self.rng.choice(["byte"] * 5 + ["short", "int", "unsigned", "bit", "bool", "mtype", "array", "record"])
            if kind == "array" and arrays:
                size = self.rng.randint(2, 3)
                texts.append(f"byte {name}[{size}]" + (" = 1" if self.chance(20) else ""))
                found.append(data.Variable(name + "[%s]", size))
            elif kind == "record" and arrays:
                texts.append(f"rec {name}")
                found += [data.Variable(name + ".a"), data.Variable(name + ".b[%s]", 2), data.Variable(name + ".f", kind="bit")]
            elif kind in ("bit", "bool"):
                texts.append(f"{kind} {name}" + (" = 1" if self.chance(20) else ""))
                found.append(data.Variable(name, kind="bit"))
            elif kind == "mtype":
                texts.append(f"mtype {name}" + (" = green" if self.chance(50) else ""))
                found.append(data.Variable(name, kind="mtype"))
            elif kind == "unsigned":
                texts.append(f"unsigned {name} : {self.rng.randint(2, 5)}")
                found.append(data.Variable(name))
            else:
                kind = kind if kind in ("short", "int") else "byte"
                texts.append(f"{kind} {name}" + (f" = {self.rng.randrange(3)}" if self.chance(20) else ""))
                found.append(data.Variable(name, most=4 if kind == "byte" else 3))
                if kind != "byte":
                    found[-1].kind = "signed"
        for v in found:
            if v.kind == "signed":  # may be negative: no index
                v.kind, v.most = "number", -3
        return texts, found

    def channels(self, prefix, count, local=False):
        texts, found = [], []
        for i in range(count):
            fields = [self.rng.choice(["byte", "byte", "bit", "mtype"]) for _ in range(self.rng.choice([1, 1, 2, 3]))]
            capacity = self.rng.choice([1 if self.asks else 0, 1, 1, 2, 3])
            size = 2 if not local and self.chance(20) else 0
            texts.append(f"chan {prefix}{i}{f'[{size}]' if size else ''} = [{capacity}] of {{ {', '.join(fields)} }}")
            found.append(data.Channel(f"{prefix}{i}", capacity, fields, size))
        return texts, found

    # ---- statements

    def simple(self, s, in_d_step=False):
        kind = self.rng.randrange(20)
        if kind < 2:
            place = s.place()
            return f"{place}{self.rng.choice(['++', '--'])}" if place and self.chance(50) else "skip"
        if kind == 2:
            return self.rng.choice(["printf(\"x\")", "skip", "true"])
        if kind == 3 and s.place("mtype"):
            return f"{s.place('mtype')} = {self.rng.choice(['red', 'green', s.place('mtype')])}"
        if kind == 4:
            return f"assert({s.condition(1)})"
        if kind < 7 and s.channels and not in_d_step:
            return self.send(s)
        if kind < 9 and s.channels and not in_d_step:
            return self.receive(s)
        if kind < 11 and not in_d_step:
            return s.condition(2)
        place, value = s.target()
        return f"{place} = {value}"

    def send(self, s):
        use = s.channel()
        mark = "!!" if use.channel.capacity and self.chance(20) else "!"
        values = s.message(use.channel)
        if len(values) > 1 and self.chance(30):
            return f"{use.text}{mark}{values[0]}({', '.join(values[1:])})"
        return f"{use.text}{mark}{', '.join(values)}"

    def receive(self, s):
        use = s.channel()
        mark = "??" if use.channel.capacity and self.chance(20) else "?"
        text = ", ".join(s.pattern(use))
        return f"{use.text}{mark}<{text}>" if use.channel.capacity and self.chance(20) else f"{use.text}{mark}{text}"

    def options(self, s, depth, inside, word, end, last):
        options = []
        for _ in range(self.rng.randint(1, 3)):
            guard = self.simple(s) if self.chance(50) else s.condition(2)
            options.append(f":: {guard} -> {self.sequence(s, depth - 1, inside, 2)}")
        if self.chance(35):
            options.append(f":: else -> {self.simple(s)}")
        elif self.chance(10):
            options.append(f":: timeout -> {self.simple(s)}")
        if last:
            options[self.rng.randrange(len(options))] += f"; {last}"
            if self.chance(50):
                options.append(f":: {last}")
        return f"{word} {' '.join(options)} {end}"

    def d_step(self, s):
        body = [self.simple(s, True) for _ in range(self.rng.randint(1, 3))]
        if self.chance(30):
            body.append(f"if :: {s.condition(1)} -> {self.simple(s, True)} :: {s.condition(1)} -> {self.simple(s, True)} "
                        f":: else -> {self.simple(s, True)} fi")
        if self.chance(50):
            body.insert(0, s.condition(1))
        if self.chance(15):
            body.append(f"for ({self.locals}0 : 0 .. {self.rng.randint(0, 2)}) {{ {self.simple(s, True)} }}")
        return f"d_step {{ {'; '.join(body)} }}"

    def statement(self, s, depth, inside):
        kind = self.rng.randrange(40)
        if depth > 0:
            if kind < 5:
                return self.options(s, depth, inside, "if", "fi", None)
            if kind < 8 and self.loops:
                self.loops -= 1
                return self.options(s, depth, inside, "do", "od", "break")
            if kind < 11 and not inside:
                return f"atomic {{ {self.sequence(s, depth - 1, True, 4)} }}"
            if kind < 13:
                return self.d_step(s)
            if kind == 13 and self.loops:
                self.loops -= 1
                place = f"{self.locals}0"
                return self.rng.choice([f"select ({place} : 0 .. {self.rng.randint(0, 2)})",
                                        f"for ({place} : 0 .. {self.rng.randint(0, 2)}) {{ {self.simple(s)} }}"])
            if kind == 14 and not inside and self.may_escape:
                return f"{{ {self.sequence(s, depth - 1, inside, 3)} }} unless {{ {s.condition(1)} -> {self.simple(s)} }}"
            if kind == 15 and not inside:
                self.counter += 1
                label = self.rng.choice(["end", "lab", "lab"]) + str(self.counter)
                self.own_labels.append(label)
                return f"skip; {label}: {self.simple(s)}" if self.chance(30) else f"{label}: {self.simple(s)}"
        if kind == 16 and self.jumps and self.own_labels:
            self.jumps -= 1
            return f"if :: {s.condition(1)} -> goto {self.rng.choice(self.own_labels)} :: else fi"
        if kind == 17 and self.runs and self.startable:
            self.runs -= 1
            run = f"run {self.rng.choice(self.startable)}({self.rng.randrange(3)})"
            place, value = s.target()
            if "_nr_pr" in value or self.chance(50):  # which run changes
                return run
            return f"{place} = ({value} {self.rng.choice('+-*&')} {run}) % 3"
        if kind == 18 and self.inlines:
            return f"{self.rng.choice(self.inlines)}({s.place()}, {s.number(1)})"
        return self.simple(s)

    def sequence(self, s, depth, inside, most):
        return "; ".join(self.statement(s, depth, inside) for _ in range(self.rng.randint(1, most)))

    # ---- processes

    def body(self, s, number, own, length):
        texts, variables = self.variables(f"v{number}_", self.rng.randint(1, 2), self.chance(30))
        texts.insert(0, f"byte l{number}_0")
        variables.append(data.Variable(f"l{number}_0"))
        self.locals = f"l{number}_"
        more, channels = self.channels(f"d{number}_", 1 if self.chance(15) else 0, True)
        self.own_labels, self.loops, self.jumps, self.runs = [], 1, 1, 1
        self.may_escape = self.chance(20)
        text = self.sequence(s.inner(variables + own, channels), 2, False, length)
        return f"{{ {'; '.join(texts + more)}; {text} }}"

    def program(self):
        texts, variables = self.variables("g", self.rng.randint(1, 3))
        more, channels = self.channels("c", self.rng.choice([0, 1, 1, 2]))
        out = ["typedef rec { byte a; byte b[2]; bit f }", "mtype = { red, green }"] + texts + more
        hidden = self.chance(10)  # never read: otherwise floe differs from Spin (doc/promela.md)
        if hidden:
            out.append("hidden byte unread")
        s = data.Scope(self.rng, variables, channels)
        if not any(v.kind == "number" for v in variables):
            out.append("byte gg")
            variables.append(data.Variable("gg"))
        if self.chance(30):
            self.inlines.append("twice")
            out.append("inline twice(x, y) { x = (x + (y)) % 3; if :: x > 1 -> x = 0 :: else fi }")
        self.startable, with_init = [], self.chance(40)
        count = self.rng.choice([1, 2, 2, 2, 3])
        for i in range(count):
            started = with_init and self.chance(60)
            own = [data.Variable(f"p{i}")] if started else []
            s.asks = self.asks and i == 0 and not started and count > 1
            body = self.body(s, i, own, 5 if count < 3 else 3)
            if hidden and i == 0:
                body = body[:-2] + "; unread = 3 }"
            instances = 2 if not started and not s.asks and self.chance(25) else 1
            s.asks = False
            provided = f" provided ({s.condition(0)})" if self.chance(4) else ""
            head = f"proctype P{i}({f'byte p{i}' if started else ''}){provided}"
            out.append((f"active {f'[{instances}] ' if instances > 1 else ''}" if not started else "") + head + " " + body)
            if started:
                self.startable.append(f"P{i}")
            elif instances == 1:
                s.labels += [f"P{i}@{label}" for label in self.own_labels]
        if with_init:
            runs = "; ".join(f"run {self.rng.choice(self.startable)}({self.rng.randrange(3)})"
                             for _ in range(self.rng.randint(1, 2))) if self.startable else "skip"
            runs = f"atomic {{ {runs} }}" if self.chance(50) else runs
            body = self.body(s, 9, [], 2)
            out.append(f"init {body[:-2]}; {runs} }}")
        if channels and self.chance(20):
            out.append(events.trace(self.rng, channels))
        return ";\n".join(out[:2 + len(texts) + len(more)]) + "\n" + "\n".join(out[2 + len(texts) + len(more):]) + "\n"


def program(seed):
    return Program(seed).program()


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
