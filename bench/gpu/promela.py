#!/usr/bin/env python3
"""Promela models on one GPU beside Spin's verifiers, in turn in one run.

usage: promela.py MODEL... [--floe ./floe] [--rounds 3] [--seconds 20] [--verifiers FOLDER] [--build]

MODEL: a file of Promela, with changes after it: NAME=VALUE replaces the value of a macro, or else a text: 'peterson3.pml N=4',
'router.pml [2]=[3]'. floe explores it to the end, --rounds times with the code of the first round, and its rate is states by
seconds of exploration (median). Spin's verifier searches all states without reductions, depth first, one thread
(`spin -o1 -o2 -o3 -a`, `cc -O3 -DNOREDUCE -DSAFETY -DNOCLAIM`) for --seconds; its rate is states by seconds when it is
interrupted.

--build only makes the models and the verifiers, in --verifiers: for a machine without spin.
"""
import os, re, signal, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import measured


def path_of(line, folder, suffix):
    model, *changes = line.split()
    name = '.'.join([os.path.basename(model), *changes, suffix])
    return os.path.join(os.path.abspath(folder), re.sub(r'[^\w.=-]', '_', name))


def build(line, folder):
    model, *changes = line.split()
    with open(model) as file:
        text = file.read()
    for change in changes:
        name, value = change.split('=')
        defined, found = re.subn(r'(?m)^(\s*#\s*define\s+%s\s+)\S+' % re.escape(name), r'\g<1>%s' % value, text)
        if not found and name not in text:
            sys.exit('%s: no %s' % (model, name))
        text = defined if found else text.replace(name, value)
    copy = path_of(line, folder, 'pml')
    with open(copy, 'w') as file:
        subprocess.run(['cpp', '-P', '-undef', '-I', os.path.dirname(os.path.abspath(model))], input=text, stdout=file,
                       text=True, check=True)
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(['spin', '-o1', '-o2', '-o3', '-a', copy], cwd=work, stdout=subprocess.DEVNULL, check=True)
        subprocess.run(['cc', '-O3', '-march=x86-64-v3', '-w', '-DNOREDUCE', '-DSAFETY', '-DNOCLAIM', '-DVECTORSZ=4096',
                        '-o', path_of(line, folder, 'pan'), 'pan.c'], cwd=work, check=True)


def spin_rate(program, seconds):
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([program, '-c0', '-n', '-m10000000', '-w26'], cwd=folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
        text = child.communicate()[0]
    states = re.search(r'([\d.e+]+) states, stored', text)
    elapsed = re.search(r'elapsed time ([\d.e+]+) seconds', text)
    return float(states.group(1)) / max(float(elapsed.group(1)), 0.01) if states and elapsed else 0


def main():
    arguments = measured.gpu_parser().parse_args()
    with tempfile.TemporaryDirectory() as folder:
        arguments.json = os.path.join(folder, 'json')
        for line in arguments.models:
            if arguments.build:
                build(line, arguments.verifiers)
                continue
            runs = measured.rate_runs(arguments, 'gpu', path_of(line, arguments.verifiers, 'pml'), [], ['--continue'])
            if not runs:
                continue
            one, spin = measured.described(runs), spin_rate(path_of(line, arguments.verifiers, 'pan'), arguments.seconds)
            print('%s: %d states, %d transitions, %s, compile %.1f s, explore %.4f s, %.1f M states/s, table %.1f B a state; '
                  'pan %.3f M states/s, ratio %.0f' % (line, one['states'], one['transitions'], one['end'], one['compile'],
                                                       one['seconds'], one['rate'] / 1e6, one['bytes'], spin / 1e6,
                                                       one['rate'] / spin if spin else 0), flush=True)


main()
