#!/usr/bin/env python3
"""Large generated texts with and without functions for their repeated parts: time to compile them, time of searches.

usage: outline.py MODEL... [--floe ./floe] [--rounds 3]

MODEL: a file with definitions after it. Each round does four searches on one thread: without functions (FLOE_OUTLINE is
the greatest number) and with them from 250,000 bytes on, each with an empty cache and with compiled code. One line a model,
medians: bytes of the text, seconds until the code is there (the interpreter searches meanwhile), seconds of the search that
includes this, seconds of a search with compiled code; the first number is without functions.
"""
import json, os, statistics, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import measured

LIMITS = ('18446744073709551615', '250000')


def search(floe, arguments, limit, cache):
    environment = dict(os.environ, FLOE_OUTLINE=limit, FLOE_CACHE_DIR=cache)
    run = subprocess.run([floe, 'count', '--continue', '--no-trace', '--quiet', '--threads=1', '--json=-', *arguments], env=environment,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(run.stdout)


def main():
    arguments = measured.rate_parser().parse_args()
    print('| model | states | bytes | compiled, s | first search, s | later, s | ratio |\n|---|---|---|---|---|---|---|', flush=True)
    for line in arguments.models:
        model, *definitions = line.split()
        words = [model, *('-D' + definition for definition in definitions)]
        size, compiled, first, later, states = {}, {}, {}, {}, set()
        for limit in LIMITS:
            size[limit] = len(subprocess.run([arguments.floe, 'plan', '--dump-code', *words], stdout=subprocess.PIPE,
                                             env=dict(os.environ, FLOE_OUTLINE=limit)).stdout)
        for _ in range(arguments.rounds):
            for limit in LIMITS:
                with tempfile.TemporaryDirectory() as cache:
                    cold = search(arguments.floe, words, limit, cache)
                    search(arguments.floe, ['--engine=cpu', *words], limit, cache)
                    warm = search(arguments.floe, ['--engine=cpu', *words], limit, cache)
                compiled.setdefault(limit, []).append(measured.flat(cold, 'compile'))
                first.setdefault(limit, []).append(measured.flat(cold, 'explore'))
                later.setdefault(limit, []).append(measured.flat(warm, 'explore'))
                states |= {cold['states'], warm['states']}
        pairs = [[statistics.median(of[limit]) for limit in LIMITS] for of in (compiled, first, later)]
        print('| %s | %s | %d, %d | %.2f, %.2f | %.2f, %.2f | %.3f, %.3f | %.2f |' % (
            ' '.join([os.path.basename(model), *definitions]), '/'.join(map(str, states)), *size.values(), *pairs[0], *pairs[1],
            *pairs[2], pairs[2][1] / pairs[2][0]), flush=True)


if __name__ == '__main__':
    main()
