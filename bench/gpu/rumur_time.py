#!/usr/bin/env python3
"""The time and memory that Rumur would need for a model that it does not finish.

usage: rumur_time.py MODEL [NAME=VALUE...] --states N [--orbits N] [--seconds 120] [--threads 2]

Runs Rumur's verifiers for --seconds each, one after the other: states packed and not packed, without symmetry reduction, and
with it (exhaustive, the fewest states, and heuristic). `cc -O3 -march=native`, without deadlock detection and traces, as
bench/engine/rumur.py. Prints the rate over the second half of the run, resident bytes a state, and, for --states (with
symmetry: --orbits), hours and GiB, next to the memory of this machine. Without --orbits: states by the permutations of the
scalarsets, which is a lower bound. Rates are states by processor time (user and system), times the threads, as other programs
may run: a machine of its own is not faster.

The rate falls as the set grows, so the hours are a lower bound, too. The heuristic reduction explores at least as many states.
"""
import argparse, os, re, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import measured
import rumur


def states_of(text):
    """The last number of states in a verifier's output."""
    found = re.findall(r'states="(\d+)"', text)
    return int(found[-1]) if found else 0


def used(pid):
    """Processor seconds of a process, and its largest resident bytes."""
    with open('/proc/%d/stat' % pid) as file:
        fields = file.read().rsplit(')', 1)[1].split()
    with open('/proc/%d/status' % pid) as file:
        resident = re.search(r'VmHWM:\s*(\d+)', file.read())
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'), 1024 * int(resident.group(1)) if resident else 0


def sample(program, seconds):
    """Samples (processor seconds, states, bytes) at half time and at the end; None if the verifier has ended before."""
    samples = []
    with tempfile.TemporaryFile('w+') as out:
        child = subprocess.Popen(['stdbuf', '-oL', program], stdout=out, stderr=subprocess.DEVNULL)
        for _ in range(2):
            time.sleep(seconds / 2)
            if child.poll() is not None:
                return None
            processor, resident = used(child.pid)
            out.seek(0)
            samples.append((processor, states_of(out.read()), resident))
        child.kill()
        child.wait()
    return samples


def permutations(text, definitions):
    """The number of permutations of all scalarsets."""
    values = dict(re.findall(r'(?i)^\s*(\w+)\s*:\s*(\d+)\s*;', text, re.M))
    values.update(definition.split('=') for definition in definitions)
    product = 1
    for size in re.findall(r'(?i)scalarset\s*\(\s*(\w+)\s*\)', text):
        for factor in range(2, int(values.get(size, size)) + 1):
            product *= factor
    return product


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('model')
    parser.add_argument('definitions', nargs='*')
    parser.add_argument('--states', type=float, required=True)
    parser.add_argument('--orbits', type=float)
    parser.add_argument('--seconds', type=float, default=120)
    parser.add_argument('--threads', type=int, default=2)
    options = parser.parse_args()
    text = rumur.with_definitions(options.model, options.definitions)
    orbits = options.orbits or options.states / permutations(text, options.definitions)
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')
    print('%s %s: %.3g states, %.3g with symmetry; %.1f GiB of memory' % (
        os.path.basename(options.model), ' '.join(options.definitions), options.states, orbits, memory / 2**30))
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, 'model.m')
        with open(model, 'w') as file:
            file.write(text)
        for symmetry in ('off', 'exhaustive', 'heuristic'):
            for packed in ('on', 'off'):
                program = os.path.join(folder, symmetry + packed)
                measured.rumur_verifier(model, program, options.threads, packed, 'native', symmetry)
                samples = sample(program, options.seconds)
                if not samples or samples[1][1] == samples[0][1]:
                    print('symmetry %s, packed %s: %s' % (symmetry, packed, 'no progress' if samples else 'ended'))
                    continue
                (first, some, _), (last, states, bytes_) = samples
                rate = (states - some) / (last - first) * options.threads
                wanted = options.states if symmetry == 'off' else orbits
                print('symmetry %s, packed %s, %d threads: %d states, then %.4f M states/s, %.1f B a state: %.1f hours, %.0f GiB' % (
                    symmetry, packed, options.threads, states, rate / 1e6, bytes_ / states, wanted / rate / 3600,
                    wanted * bytes_ / states / 2**30), flush=True)


if __name__ == '__main__':
    main()
