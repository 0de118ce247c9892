"""A random trace assertion over global channels. It has one move for each event. A send without a receiver is an event for
pan, too, so sends of a rendezvous are not in it."""


def event(rng, channel, kind):
    values = []
    for field in channel.fields:
        number = rng.choice(["red", "green"]) if field == "mtype" else str(rng.randrange(2))
        values.append(rng.choice(["_", "_", number, f"eval({number})" if kind == "?" else number]))
    return f"{channel.name}{'[0]' if channel.size else ''}{kind}{', '.join(values)}"


def trace(rng, channels):
    ends = [(c, "?") for c in channels] + [(c, "!") for c in channels if c.capacity]

    def several():
        return "; ".join(event(rng, *rng.choice(ends)) for _ in range(rng.randint(1, 2)))

    parts = []
    for _ in range(rng.randint(1, 3)):
        options = [event(rng, *end) for end in rng.sample(ends, rng.randint(1, min(3, len(ends))))]
        options = [f"{option}; {several()}" if rng.random() < 0.4 else option for option in options]
        kind = rng.randrange(4)
        if kind == 0:
            parts.append(several())
        elif kind == 1:
            parts.append(f"if :: {' :: '.join(options)} fi")
        else:
            options[0] += "; break" if rng.random() < 0.8 else ""
            parts.append(f"{rng.choice(['end: ', '', ''])}do :: {' :: '.join(options)} od")
            if "break" not in options[0]:
                break
    text = "; ".join(parts)
    for number in range(text.count("end: ")):
        text = text.replace("end: ", f"end{number}: ", 1)
    return f"{rng.choice(['trace', 'notrace'])} {{ {text} }}"
