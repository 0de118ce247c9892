"""Runs floe on a model and lists differences from the reference's result."""
import json
import re
import subprocess
import tempfile

NUMBERS = 'complete', 'states', 'transitions', 'levels', 'deadlocks', 'states_per_level', 'max_out_degree'


class FloeFailed(Exception):
    """No result: code is the exit code of floe."""

    def __init__(self, code, text):
        super().__init__('exit code %d: %s' % (code, text.strip()))
        self.code = code


class Run:
    """A run of floe, concurrent with the caller until the result is read."""

    def __init__(self, floe, arguments, alter=None):
        self.alter = alter
        self.output, self.errors = tempfile.TemporaryFile('w+'), tempfile.TemporaryFile('w+')
        self.process = subprocess.Popen([floe] + arguments, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.errors)

    def cancel(self):
        self.process.kill()
        self.process.wait()

    def json(self):
        """Exit code and output."""
        code = self.process.wait()
        self.output.seek(0)
        self.errors.seek(0)
        if code not in (0, 1, 2):
            raise FloeFailed(code, self.errors.read())
        text = self.output.read()
        return code, json.loads(text if self.alter is None else re.sub(*self.alter, text))


def explore_by_floe(floe, path, arguments, alter=None, traces=None):
    """traces: a file for them, or None"""
    return Run(floe, ['check', '--json', '--no-trace' if traces is None else '--trace=' + traces, *arguments, path], alter)


def result_of(run):
    """The results that the reference also has, from floe's JSON; and this JSON."""
    code, found = run.json()
    result = {name: found[name] for name in NUMBERS}
    result['verdicts'] = {p['id']: [p['verdict'], p['depth']] for p in found['properties']}
    result['reasons'] = {p['id']: p['undecided'] for p in found['properties'] if p['undecided'] is not None}
    result['exit code'] = code
    return result, found


def differences(expected, found):
    """The differences, one line each."""
    return ['%s: expected %s, floe says %s' % (name, json.dumps(expected[name]), json.dumps(found[name]))
            for name in expected if expected[name] != found[name]]
