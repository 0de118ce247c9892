#!/usr/bin/env python3
"""Murphi models on one GPU beside Rumur's verifiers, in turn in one run.

usage: rumur.py MODEL... [--floe ./floe] [--rounds 3] [--seconds 20] [--threads 2 16] [--verifiers FOLDER] [--build]

MODEL: a file of Murphi, with definitions after it: 'german.m NODE_NUM=5'. floe explores it to the end, --rounds times with
the code of the first round, and its rate is states by seconds of exploration (median). Rumur's verifier runs for --seconds;
its rate is what it reports last, with its states packed and not packed: the faster counts. Both without symmetry and
deadlock detection (floe always looks for deadlocks).

--build only makes the verifiers (`rumur`, `cc -O3`), in --verifiers: for a machine without rumur. Rumur has no
definitions: it gets a copy of the model with these values of its constants.
"""
import os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import measured


def program_of(line, folder, threads, packed):
    """The verifier of a model with its definitions."""
    model, *definitions = line.split()
    return os.path.join(folder, '.'.join([os.path.basename(model), *definitions, packed, str(threads)]))


def with_definitions(model, definitions):
    """The text of a model with other values of its constants."""
    with open(model) as file:
        text = file.read()
    for definition in definitions:
        name, value = definition.split('=')
        text, found = re.subn(r'(?i)\b(%s\s*:\s*)[^;]+;' % name, r'\g<1>%s;' % value, text, count=1)
        if not found:
            sys.exit('%s: no constant %s' % (model, name))
    return text


def build(line, folder, threads):
    model, *definitions = line.split()
    with tempfile.NamedTemporaryFile('w', suffix='.m') as copy:
        copy.write(with_definitions(model, definitions))
        copy.flush()
        for packed in ('on', 'off'):
            measured.rumur_verifier(copy.name, program_of(line, folder, threads, packed), threads, packed, 'x86-64-v3')


def rumur_rate(line, folder, threads, seconds):
    """States/s of the faster verifier, and its resident bytes a state."""
    best = (0, 0)
    for packed in ('on', 'off'):
        program = program_of(line, folder, threads, packed)
        if not os.path.exists(program):
            continue
        with tempfile.TemporaryFile('w+') as out:
            child = subprocess.Popen([program], stdout=out, stderr=subprocess.DEVNULL)
            try:
                child.wait(seconds)
            except subprocess.TimeoutExpired:
                pass
            try:
                resident = 1024 * int(re.search(r'VmHWM:\s*(\d+)', open('/proc/%d/status' % child.pid).read()).group(1))
            except (OSError, AttributeError):
                resident = 0
            child.kill()
            child.wait()
            out.seek(0)
            found = re.findall(r'states="(\d+)" duration_seconds="(\d+)"', out.read())
        if found and int(found[-1][1]) > 0:
            states = int(found[-1][0])
            best = max(best, (states / int(found[-1][1]), resident / states))
    return best


def main():
    parser = measured.gpu_parser()
    parser.add_argument('--threads', type=int, nargs='*', default=[2, 16])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        arguments.json = os.path.join(folder, 'json')
        for line in arguments.models:
            model, *definitions = line.split()
            if arguments.build:
                for threads in arguments.threads:
                    build(line, arguments.verifiers, threads)
                continue
            runs = measured.rate_runs(arguments, 'gpu', model, definitions, [])
            if not runs:
                continue
            one = measured.described(runs)
            name = ' '.join([os.path.basename(model), *definitions])
            text = '%s: %d states, %d transitions, %s, compile %.1f s, explore %.4f s, %.1f M states/s, table %.1f B a state' % (
                name, one['states'], one['transitions'], one['end'], one['compile'], one['seconds'], one['rate'] / 1e6, one['bytes'])
            for threads in arguments.threads:
                rate, resident = rumur_rate(line, arguments.verifiers, threads, arguments.seconds)
                text += '; rumur %d threads %.3f M states/s, ratio %.0f, %.1f B' % (
                    threads, rate / 1e6, one['rate'] / rate if rate else 0, resident)
            print(text, flush=True)


if __name__ == '__main__':
    main()
