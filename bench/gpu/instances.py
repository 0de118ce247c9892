#!/usr/bin/env python3
"""Time of NVRTC if the instances of a process share one text; needs CUDA's toolkit, not a GPU.

    make bench/gpu/nvrtc
    bench/gpu/instances.py [--rounds 5] ['MODEL NAME=VALUE...']...
    bench/gpu/instances.py --filter < TEXT > LOOPS
    FLOE_CC='bench/gpu/instances.py --cc' floe check --engine=cpu --encoding=fields --cache-dir= ...

Compiles these texts of each model in turns and prints the median processor seconds, and bytes, registers and spilled
bytes of floe_explore:

    separate   as generated: one function for each instance
    loop       one function for consecutive instances of a process whose functions differ only in numbers; a number
               becomes an expression in the loop variable `self`, or a table
    none       functions without transitions: the fixed part of the kernels

Most transitions of raft and timestamps differ by instance, because the front end evaluates what depends on `self`. So
`loop` of MODEL+ is made from a copy of the model in which a variable `me` has the number of the instance; the text
then has `self` instead of that variable, without its assignments.
--filter changes one text. --cc is the C compiler with texts so changed; all counts must stay the same. (Numbers of
index keys can be too large for the tables.)
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = ("anderson N=8", "lamport N=5", "lamport N=7", "peterson N=8", "philosophers N=22", "election N=7", "raymond N=7",
         "raymond N=15", "raymond N=24", "raft N=5 TERMS=1", "raft+ N=5 TERMS=1", "timestamps+ N=6")
FUNCTION = re.compile(r"^/\* transitions (\d+)\.\.\d+: (\w+)\[(\d+)\] \*/\n(FLOE_DEVICE(?:_SPLIT)?) void floe_fire_\d+"
                      r"\(const floe_state s, const int32_t committed, FLOE_EMITTER\) (\{.*?^\})\n", re.S | re.M)
TOKEN = re.compile(r"/\*.*?\*/|[A-Za-z_]\w*|\d+u?|\s+|.", re.S)
CHANGED = re.compile(r"(?:^\s*FLOE_CHANGED\(\d+\);\n)+", re.M)


class Function:
    """The transitions of one instance: tokens without comments; words that may change, whose list can differ."""

    def __init__(self, match):
        self.first, self.process, self.instance, self.kind = int(match[1]), match[2], int(match[3]), match[4]
        self.words = {int(word) for word in re.findall(r"FLOE_CHANGED\((\d+)\);", match[5])}
        tokens = TOKEN.findall(CHANGED.sub("\nCHANGED_WORDS\n", match[5]))
        self.tokens = ["\n" if "\n" in t else t for t in tokens if not t.startswith("/*")]
        self.numbers = [t for t in self.tokens if t[0].isdigit()]
        self.shape = ["0" if t[0].isdigit() else t for t in self.tokens if not t.isspace()]


def progression(values):
    """a, b, k, d with values[i] = a + b i + d (i >= k); None: there are none."""
    count = len(values)
    for k in (count, *range(1, count)):
        steps = {values[i + 1] - values[i] for i in range(count - 1) if i + 1 != k} or {0}
        if len(steps) == 1:
            b = steps.pop()
            return values[0], b, k, values[k] - values[0] - b * k if k < count else 0
    return None


def number(texts, tables):
    """An expression in `self` for one number of each function."""
    if len(set(texts)) == 1:
        return texts[0]
    values = [int(text.rstrip("u")) for text in texts]
    found = progression(values)
    if found:
        a, b, k, d = found
        made = f"{a} + self * ({b})" + (f" + (self >= {k}) * ({d})" if d else "")
    else:
        tables.append(values)
        made = f"table_{len(tables) - 1}[self]"
    return f"((uint32_t)({made}))" if texts[0].endswith("u") else f"({made})"


def function_text(group, tables):
    before, columns = len(tables), zip(*(f.numbers for f in group))
    body = "".join(number(next(columns), tables) if t[0].isdigit() else t for t in group[0].tokens)
    words = sorted(set().union(*(f.words for f in group)))
    body = body.replace("CHANGED_WORDS", " ".join(f"FLOE_CHANGED({word});" for word in words))
    constants = "".join(f"FLOE_CONSTANT int32_t table_{before + i}[{len(group)}] = {{{', '.join(map(str, values))}}};\n"
                        for i, values in enumerate(tables[before:]))
    return (f"{constants}{group[0].kind} void floe_fire_{group[0].first}(const floe_state s, const int32_t committed, "
            f"const int32_t self, FLOE_EMITTER) {{\n(void)self;\n{body}\n}}\n")


def grouped(functions):
    groups = []
    for f in functions:
        if groups and groups[-1][0].process == f.process and groups[-1][0].shape == f.shape:
            groups[-1].append(f)
        else:
            groups.append([f])
    return groups


def replace_once(pattern, made, text):
    """The text of the kernels has it; the text of a stepper does not."""
    return re.sub(pattern, lambda _: made, text, count=1, flags=re.S | re.M)


def with_loops(text):
    if "get_me_" in text:
        text = with_numbers_for_me(text)
    functions = [Function(match) for match in FUNCTION.finditer(text)]
    groups, tables, entries, calls, first = grouped(functions), [], "", "", 0
    made = {group[0].first: function_text(group, tables) for group in groups}
    for group in groups:
        entries += f" \\\n  X({first}, {group[0].first}, {len(group)})"
        calls += (f"  FLOE_ROLLED for (int32_t self = 0; self < {len(group)}; self++)\n"
                  f"    floe_fire_{group[0].first}(s, committed, self, FLOE_EMITTER_ARGUMENT);\n")
        first += len(group)
    text = FUNCTION.sub(lambda match: made.get(int(match[1]), ""), text)
    text = replace_once(r"^#define FLOE_INITIATORS\(X\)(?:[^\n]*\\\n)*[^\n]*$", "#define FLOE_INITIATORS(X)" + entries, text)
    text = replace_once(r"(?:^  floe_fire_\d+\(s, committed, FLOE_EMITTER_ARGUMENT\);\n)+", calls, text)
    text = text.replace("FIRE_NEXT(number, first)", "FIRE_NEXT(number, first, count)")
    text = text.replace("FIRE_GROUP(number, first)", "FIRE_GROUP(number, first, count)")
    text = replace_once(r"\{[\s\\]*const floe_state s = opaque_state\(given\);[\s\\]*floe_fire_##first\(s, committed, emitter\);"
                        r"[\s\\]*\}",
                        "FLOE_ROLLED for (int32_t self = 0; self < count; self++) { const floe_state s = opaque_state(given); "
                        "floe_fire_##first(s, committed, self, emitter); }", text)
    text = replace_once(r"  case number:[\s\\]*floe_fire_##first\(s, committed, emitter\);[\s\\]*break;$",
                        "if (group - number < count) floe_fire_##first(s, committed, (int32_t)(group - number), emitter);", text)
    text = replace_once(r"switch \(group\) \{\s*FLOE_INITIATORS\(FIRE_GROUP\).*?\n  \}\n", "FLOE_INITIATORS(FIRE_GROUP)\n", text)
    return text, f"{len(functions)} functions, then {len(groups)}"


def without_transitions(text):
    return re.sub(r"^(FLOE_DEVICE[^\n]* void floe_fire_[^\n]*\{)\n.*?^\}", r"\1 (void)s, (void)committed; }", text,
                  flags=re.S | re.M)


# ---- the variable `me` -------------------------------------------------------------------------------------------


def with_me(model):
    """The first process has the variable `me` instead of `self`; an assignment prevents that its reads are evaluated."""
    begin, end = model.index("<process "), model.index("</process>")
    head, body = model[begin:end].split("</description>")
    body = re.sub(r"\bself\b", "me", body).replace('effect="', 'effect="me = me; ', 1)
    head += '</description>\n<variable name="me" range="0..N-1" init="self"/>'
    return re.sub(r"<expect .*</expect>", "", model[:begin] + head + body + model[end:], flags=re.S)


def change_index(text, names, change):
    """Changes the index of each read or write of these variables."""
    out, at = [], 0
    for match in re.finditer(r"[gs]et_(?:%s)_\d+\([st], " % "|".join(names), text):
        if match.start() < at:
            continue
        i, depth = match.end(), 0
        while depth or text[i] not in ",)":
            depth += {"(": 1, ")": -1}.get(text[i], 0)
            i += 1
        out += [text[at:match.start()], change(match[0], change_index(text[match.end():i], names, change), text[i])]
        at = i + 1
    return "".join(out) + text[at:]


def add_zero(head, index, end):
    """Index 0 + x: of instance 0, where other instances have n + x."""
    if index.isdigit():
        return head + index + end
    outer = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", index))
    return f"{head}0 + {f'({index})' if re.search(' [+-] ', outer) else index}{end}"


def with_numbers_for_me(text):
    names = set(re.findall(r"/\* local variable (\w+) of process", text))
    text = re.sub(r"^/\* transitions 0\.\..*?^\}", lambda match: change_index(match[0], names, add_zero), text, flags=re.S | re.M)
    lines = (line if line.startswith("#") or "set_me_" in line else
             change_index(line, ["me"], lambda head, index, end: index) for line in text.splitlines(True))
    return re.sub(r"^\s*set_me_\d+\(.*\n", "\n", "".join(lines), flags=re.M)


# ---- measurement -------------------------------------------------------------------------------------------------


def nvrtc(*words):
    program = os.environ.get("NVRTC", os.path.join(TOP, "bench/gpu/nvrtc"))
    done = subprocess.run([program, *words], capture_output=True, text=True, env=dict(os.environ, CUDA_CACHE_DISABLE="1"))
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr[:2000]}")
    return done.stdout


def texts_of(case, folder):
    """Files of the forms of a case, and a note."""
    name, *constants = case.split()
    unfolded = name.endswith("+")
    model = os.path.join(TOP, "models", name.rstrip("+") + ".xml")
    files = {form: os.path.join(folder, form + ".cu") for form in ("separate", "loop", "none")}
    nvrtc("-r", "0", "-d", files["separate"], model, *constants)
    with open(files["separate"], encoding="utf-8") as file:
        text = source = file.read()
    if unfolded:
        with open(model, encoding="utf-8") as file, open(os.path.join(folder, "me.xml"), "w", encoding="utf-8") as copy:
            copy.write(with_me(file.read()))
        nvrtc("-r", "0", "-d", files["loop"], copy.name, *constants)
        with open(files["loop"], encoding="utf-8") as file:
            source = file.read()
    loops, note = with_loops(source)
    for form, made in ("loop", loops), ("none", without_transitions(text)):
        with open(files[form], "w", encoding="utf-8") as file:
            file.write(made)
    return files, note, [model, *constants]


def measure(case, rounds):
    with tempfile.TemporaryDirectory() as folder:
        files, note, words = texts_of(case, folder)
        seconds, kernel = {form: [] for form in files}, {}
        for _ in range(rounds):
            for form, file in files.items():
                row = nvrtc("-t", file, *words)
                used = re.match(r"user (\S+) system (\S+)", row)
                seconds[form].append(float(used[1]) + float(used[2]))
                kernel[form] = re.search(r"floe_explore: (\d+) bytes, (\d+) registers, (\d+) spilled", row).groups()
        least = statistics.median(seconds["separate"])
        for form in files:
            median = statistics.median(seconds[form])
            print(f"{case:20} {form:9} {median:6.2f} {median / least:6.2f} {kernel[form][0]:>8} {kernel[form][1]:>4} "
                  f"{kernel[form][2]:>6}  {note if form == 'loop' else ''}", flush=True)


def compile_with_loops(words):
    for path in (word for word in words if word.endswith(".c")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if FUNCTION.search(text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(with_loops(text)[0])
    os.execvp("cc", ["cc", *words])


def main():
    if "--cc" in sys.argv:
        compile_with_loops([word for word in sys.argv[1:] if word != "--cc"])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--filter", action="store_true")
    parser.add_argument("cases", nargs="*", metavar="'MODEL NAME=VALUE...'")
    options = parser.parse_args()
    if options.filter:
        sys.stdout.write(with_loops(sys.stdin.read())[0])
        return
    print(f"{'model':20} {'form':9} {'cpu,s':>6} {'ratio':>6} {'bytes':>8} {'regs':>4} {'spills':>6}")
    for case in options.cases or CASES:
        measure(case, options.rounds)


main()
