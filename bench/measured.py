"""What the scripts that compare floe with other programs share."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile


class Run:
    """A finished command: output, exit code, processor seconds, most resident bytes."""

    def __init__(self, command, folder=None):
        with tempfile.TemporaryFile('w+') as out:
            child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, cwd=folder)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            self.code, self.text = child.returncode, out.read()
        self.seconds, self.bytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def rumur_verifier(model, program, threads, packed, architecture, symmetry='off'):
    """Compiles Rumur's verifier of a model, without deadlock detection. packed: 'on' or 'off'."""
    source = program + '.c'
    subprocess.run(['rumur', '--value-type', 'auto', '--symmetry-reduction', symmetry, '--deadlock-detection', 'off', '--quiet',
                    '--output-format', 'machine-readable', '--counterexample-trace', 'off', '--pack-state', packed,
                    '--threads', str(threads), '-o', source, model], check=True)
    subprocess.run(['cc', '-std=gnu11', '-O3', '-march=' + architecture, '-mcx16', '-w', '-o', program, source, '-lpthread',
                    '-latomic'], check=True)
    os.remove(source)


def rate_parser():
    """The arguments of a comparison of rates."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--floe', default='./floe')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('models', nargs='+')
    return parser


def gpu_parser():
    """The arguments of a comparison with verifiers that another machine may have built."""
    parser = rate_parser()
    parser.add_argument('--seconds', type=float, default=20)
    parser.add_argument('--verifiers', default='.')
    parser.add_argument('--build', action='store_true')
    return parser


def rate_runs(arguments, engine, model, definitions, extra):
    """Results of floe, arguments.rounds after the first one, which compiles; None: an error, which is printed."""
    command = [arguments.floe, 'count', '--engine=' + engine, '--quiet', '--json=' + arguments.json, *extra]
    command += ['-D' + d for d in definitions] + [model]
    runs = []
    for _ in range(arguments.rounds + 1):
        if os.path.exists(arguments.json):
            os.remove(arguments.json)
        code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            runs.append(json.load(open(arguments.json)))
        except (OSError, ValueError):
            print('%s: exit code %d: %s' % (' '.join(command), code.returncode, code.stderr[:300]))
            return None
    return runs


def flat(result, key):
    """The first value of this name anywhere in a result."""
    if isinstance(result, dict):
        if key in result:
            return result[key]
        result = list(result.values())
    for part in result if isinstance(result, list) else []:
        value = flat(part, key)
        if value is not None:
            return value
    return None


def described(runs):
    """Sizes and median rates of these results."""
    seconds = statistics.median(flat(run, 'explore') for run in runs[1:])
    states, transitions = flat(runs[0], 'states'), flat(runs[0], 'transitions')
    return dict(states=states, transitions=transitions, end=flat(runs[0], 'end'), compile=flat(runs[0], 'compile'),
                seconds=seconds, rate=states / max(seconds, 1e-9), firing=transitions / max(seconds, 1e-9),
                bytes=(flat(runs[0], 'table_bytes') or 0) / max(states, 1))
