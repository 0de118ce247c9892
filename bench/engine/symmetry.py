#!/usr/bin/env python3
"""Rates of searches with symmetry beside those without it.

usage: symmetry.py MODEL... [--floe ./floe] [--engine cpu] [--rounds 3]

MODEL: a file with definitions after it: 'german.m NODE_NUM=5', in turn with --symmetry=off and --symmetry=on, on one thread or
one GPU. One line a model: states, medians of transitions by seconds of exploration (code is compiled before), their ratio.
A search without symmetry that has as many states as another one with it needs a run of its own.
"""
import os, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import measured


def main():
    parser = measured.rate_parser()
    parser.add_argument('--engine', default='cpu', choices=['cpu', 'gpu'])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ['FLOE_CACHE_DIR'] = os.path.join(folder, 'cache')
        arguments.json = os.path.join(folder, 'json')
        print('| model | states | M transitions/s | with symmetry | M transitions/s | ratio |\n|---|---|---|---|---|---|', flush=True)
        for line in arguments.models:
            model, *definitions = line.split()
            threads = ['--threads=1'] if arguments.engine == 'cpu' else []
            runs = [measured.rate_runs(arguments, arguments.engine, model, definitions, threads + ['--symmetry=' + mode]) for mode in ('off', 'on')]
            if not all(runs):
                continue
            off, on = map(measured.described, runs)
            print('| %s | %d | %.2f | %d | %.2f | %.3f |' % (
                ' '.join([os.path.basename(model), *definitions]), off['states'], off['firing'] / 1e6, on['states'],
                on['firing'] / 1e6, on['firing'] / off['firing']), flush=True)


if __name__ == '__main__':
    main()
