#!/usr/bin/env python3
"""check.py: compares floe with the reference explorer, on random models and on given models.

  check.py [--seeds N] [--wide N] [--temporal N] [--forms] [--noticed SEED:THIS=>THAT]... [--first SEED] [--seconds S] [--compile-every K] [--features LIST] [--keep FOLDER] [--given-seconds S] [MODEL]...

Random models, two of eight in several files: N of them, N whose states take several words, N with temporal properties and fairness, or as many as S seconds allow, from SEED on. MODEL: the cases of its expected results of up to
--max-states states, whose statements are compared with the reference as well; its default constants where it states nothing.
In a file that ends in .md every example between ```xml and ``` is a model, or an included file after a comment with its name.
floe is $FLOE, or --floe. Every model is explored by the interpreter, every K-th by compiled code, with 1 or 2 threads keys of either encoding and several tables in turn, to
the end and, in turn, bounded in one of several ways. With --forms every form of temporal properties must occur. Prints what differs with its seed, keeps such models in FOLDER, and
in the end a line `N passed, N failed`. Exit code 1: there was a difference.
"""
import argparse
import collections
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from certificate import certificate
from compare import FloeFailed, Run, differences, explore_by_floe, result_of
from explore import Exploration, Steps, TooLarge, definition
from fairness import of_list
from includes import read_tree, split
from lasso import ShownRun
from model import read_model
from printed import Printed, lines_of
from random_models import Generator, features_of
from random_temporal import all_forms, forms_of, made_of
from temporal import KINDS, violated


# Errors found before a model runs ("Expressions")
REFUSALS = 'error: there is no channel', 'may leave 64 bits', 'there are no keys by rank'
TABLES = 'auto', 'iceberg', 'linear'


class FloeRefused(Exception):
    """Skipped, for a reason given in the documents."""


def exit_code(exploration):
    """1: a violation, or a requested witness that does not exist; 2: something is undecided."""
    verdicts = [verdict for verdict, _ in exploration.result()['verdicts'].values()]
    if 'violated' in verdicts or 'unreachable' in verdicts:
        return 1
    return 2 if 'undecided' in verdicts else 0


class Checker:
    def __init__(self, options):
        self.floe, self.options = options.floe, options
        self.passed = self.failed = self.refused = self.states = self.runs = self.bounded = self.runs_shown = 0
        self.stepped = None, None
        self.wide, self.tables = False, TABLES
        self.verdicts, self.forms = collections.Counter(), collections.Counter()  # of temporal properties
        self.work = tempfile.mkdtemp()

    def judge(self, name, path, problems):
        if not problems:
            self.passed += 1
            return
        self.failed += 1
        os.makedirs(self.options.keep, exist_ok=True)
        kept = os.path.join(self.options.keep, os.path.basename(path))
        shutil.copy(path, kept)
        print('%s: %s (kept as %s)' % (name, '\n  '.join(problems), kept), flush=True)

    def compare(self, model, path, arguments, engine, certified=False, traces=None, **bounds):
        """Explores by the reference within these bounds; returns it and the differences of floe's result. traces: a file for floe's traces, or None."""
        self.runs += 1
        run = explore_by_floe(self.floe, path, arguments + engine, self.options.alter, traces)
        try:
            exploration = Exploration(model, max_states=self.options.max_states, steps=self.steps(model), **bounds)
        except TooLarge:
            run.cancel()
            raise
        expected = dict(exploration.result(), **{'exit code': exit_code(exploration)})
        try:
            found, report = result_of(run)
            for name, kind, _ in exploration.properties:
                if kind in KINDS and name in found['verdicts']:
                    found['verdicts'][name][1] = None  # see `differing_runs`
            if self.without_decided(exploration, found['reasons']):
                exploration = Exploration(model, max_states=self.options.max_states, steps=self.steps(model), **bounds)
                expected = dict(exploration.result(), **{'exit code': exit_code(exploration)})
            for name in exploration.may_hold:
                if found['verdicts'][name] == ['holds', None]:
                    expected['verdicts'][name] = ['holds', None]
                    del expected['reasons'][name]
            problems = differences(expected, found)
            if certified and not problems:
                problems = self.differing_set(exploration, report['certificate'], path, arguments)
            if traces and not problems:
                problems = self.differing_runs(exploration, report, path, traces)
        except FloeFailed as reason:
            if reason.code == 3 and any(words in str(reason) for words in REFUSALS):
                raise FloeRefused from reason
            problems = ['floe ends with ' + str(reason)]
        return exploration, [' '.join(arguments + engine) + ': ' + line for line in problems]

    @staticmethod
    def without_decided(exploration, reasons):
        """True if a condition that fails may stand behind a constant that decides, and floe does not report the failure."""
        return any([kind in KINDS and name in exploration.unevaluated and reasons.get(name) != 'evaluation' and formula.without_decided(exploration.visited)
                    for name, kind, formula in exploration.properties])

    def steps(self, model):
        """Steps of the current model, computed once for all its runs."""
        if self.stepped[0] is not model:
            self.stepped = model, Steps(model)
        return self.stepped[1]

    def differing_set(self, exploration, found, path, arguments):
        """Compares the states, by the certificate."""
        defines = [argument for argument in arguments if argument.startswith('-D')]
        wanted = certificate(exploration, Run(self.floe, ['plan', '--json', '-m64K', *defines, path]).json()[1])
        return [] if wanted == found else ['certificate: expected %s, floe says %s' % (wanted, found)]

    def engine(self, seed, tables=None, encodings=('auto', 'rank', 'fields')):
        encodings = ('fields', 'auto', 'fields') if self.wide else encodings
        tables = tables or self.tables
        how = ['-j%d' % (1 + seed % 2), '--encoding=' + encodings[seed % 3],
               '--table=' + tables[seed // 3 % 3]]
        if self.options.compile_every and seed % self.options.compile_every == 0:
            return ['--engine=cpu', '--cache-dir='] + how
        return ['--engine=interpreter'] + how

    # ---- random models ----

    def random_model(self, seed, wide=False):
        made = Generator(seed, 'wide' if wide else 'plain', self.options.features)
        path = os.path.join(self.work, '%s-%d.xml' % ('wide' if wide else 'seed', seed))
        text = re.sub(r'(kind=.)(never|reachable)\b', r'\1recoverable', made.text) if seed % 3 == 1 else made.text
        self.tables = ('auto', 'iceberg', 'auto') if text != made.text else TABLES
        with open(path, 'w') as file:
            file.write(text)
        defines = ['-D%s=%d' % pair for pair in made.defines.items()]
        read = split(path, os.path.join(self.work, 'split')) if seed % 8 in (0, 3) else path
        model = read_model(read, made.defines.items())
        try:
            exploration, problems = self.explored(model, read, defines, self.engine(seed), seed % 8 == 0)
            if exploration and not problems:
                problems = self.within_bounds(model, read, defines, seed, exploration)
        except FloeRefused:
            self.refused += 1
            return
        self.judge('%s %d%s' % ('wide seed' if wide else 'seed', seed, ''.join(' ' + define for define in defines)), path, problems)

    def explored(self, model, path, defines, engine, certified):
        """Explores to the end and returns the exploration; of a model that is too large a part, and None."""
        try:
            exploration, problems = self.compare(model, path, ['--continue'] + defines, engine, certified)
            self.states += len(exploration.visited)
            return exploration, problems
        except TooLarge as large:
            self.bounded += 1
            bound = ['--continue', '--max-depth=%d' % large.depth]
            return None, self.compare(model, path, bound + defines, engine, max_depth=large.depth)[1]

    def temporal_model(self, seed):
        """Verdicts on temporal properties, the reasons of those that are undecided, and the runs shown. Models of more than --max-states states are left out."""
        made = made_of(seed)
        path = os.path.join(self.work, 'temporal-%d.xml' % seed)
        with open(path, 'w') as file:
            file.write(made.text)
        arguments = ['--continue'] + ['-D%s=%d' % pair for pair in made.defines.items()] + (['--fair=' + made.fair] if made.fair else [])
        arguments += ['--finite=ignore'] if made.endless else []
        encodings = ('auto', 'rank' if seed % 15 == 1 else 'auto', 'fields')  # keys by rank are compiled, which takes longest
        try:
            exploration, problems = self.compare(read_model(path, made.defines.items()), path, arguments, self.engine(seed, ('auto', 'iceberg', 'auto'), encodings),
                                                 traces=os.path.join(self.work, 'traces.json'), fair=made.fair, endless=made.endless)
        except FloeRefused:
            self.refused += 1
            return
        except TooLarge:
            self.bounded += 1
            return
        self.states += len(exploration.visited)
        result = exploration.result()
        for name, (verdict, _) in result['verdicts'].items():
            if name in made.temporal:
                self.verdicts[verdict] += 1
                self.forms.update(self.forms_of(exploration, name, made, result['reasons'].get(name, verdict)))
        self.judge('temporal seed %d' % seed, path, problems)

    @staticmethod
    def forms_of(exploration, name, made, verdict):
        element = next(one for one in exploration.model.root.findall('property') if one.get('id') == name)
        fairness = made.fair or element.get('fairness')
        found = set(forms_of(element.text, fairness, verdict))
        if 'taken(' in element.text:
            found.update(['taken, %s' % ('runs that end are none' if made.endless else 'runs that end stay')] * bool(exploration.deadlocks))
            found.update(['taken beside fairness by attributes'] * (fairness is None and bool(exploration.constraints.get(name))))
        return found

    def missing_forms(self):
        wanted = all_forms(('holds', 'violated', 'evaluation', 'step')) + [
            'taken, runs that end are none', 'taken, runs that end stay', 'taken beside fairness by attributes']
        print('forms of temporal properties: ' + ', '.join('%d %s' % (self.forms[form], form) for form in wanted))
        return [form for form in wanted if not self.forms[form]]

    def notices(self, seed, alter):
        """A difference in the random model with temporal properties of this seed"""
        other = Checker(argparse.Namespace(**{**vars(self.options), 'alter': alter, 'keep': self.work}))
        with contextlib.redirect_stdout(None):
            other.temporal_model(seed)
        shutil.rmtree(other.work)
        if not other.failed:
            self.failed += 1
            print('seed %d: %s is not noticed' % (seed, '=>'.join(alter)))

    def differing_runs(self, exploration, report, path, traces):
        """Traces that show no fair run that violates the property, and lists of fairness with which it does not hold"""
        with open(path) as text, open(traces) as file:
            source, found = text.read(), json.loads(re.sub(*self.options.alter or ('', ''), file.read()))['traces']
        lines = lines_of(exploration.model.root, source)
        formulas = {name: formula for name, kind, formula in exploration.properties if kind in KINDS}
        shown = {trace['property']: trace for trace in found if trace['property'] in formulas}
        problems = ['%s: there is no trace' % name for name in exploration.violated_runs.difference(shown)]
        for name, trace in shown.items():
            run = ShownRun(formulas[name], exploration.constraints[name], exploration.steps, exploration.endless, lines, exploration.model)
            problems += ['%s: %s' % (name, problem) for problem in run.problems_of(trace)]
        for one in report['properties']:
            text = one.get('holds_fairness')
            if text and '->' not in text:  # else it names a transition without a label
                self.verdicts['made to hold by fairness'] += 1
                if violated(formulas[one['id']], exploration.model.initial, exploration.steps, of_list(exploration.model, text), exploration.endless):
                    problems.append('%s: does not hold with %s' % (one['id'], text))
        self.runs_shown += len(shown)
        problems += [self.wrong_cause(exploration, source, trace) for trace in found if trace['property'] == 'errors']
        return [problem for problem in problems if problem]

    @staticmethod
    def wrong_cause(exploration, source, trace):
        """Of an error: it is in the first property whose evaluation fails in the state shown, or else in a step. None: right"""
        lines = [number for number, line in enumerate(source.split('\n'), 1) if '<property' in line]
        if len(lines) != len(exploration.properties):  # several in a line
            return None
        shown, printed = dict(trace['initial']), Printed(exploration.model)
        for step in trace['steps']:
            shown.update({name: values[1] for name, values in step['changes'].items()})
        expected = {next((line for line, one in zip(lines, exploration.properties) if exploration.fails_in(one, state)), None)
                    for state in exploration.visited if printed.shows(shown, state)}
        line = int(re.search(r':(\d+)\)$', trace['cause']).group(1))
        return None if (line if line in lines else None) in expected else 'errors: %s is not the first error, which is in line %s' % (trace['cause'], expected)

    def within_bounds(self, model, path, defines, seed, whole):
        engine = self.engine(seed + 1)
        kind = seed % 6
        if kind < 2:
            return self.compare(model, path, defines, engine, stop=True)[1]
        if kind == 2:
            depth = (len(whole.states_per_level) - 1) // 2
            return self.compare(model, path, ['--continue', '--max-depth=%d' % depth] + defines, engine, max_depth=depth)[1]
        if kind == 3:
            selected = [name for i, (name, _, _) in enumerate(model.properties) if (seed // 6 + i) % 2] or ['errors']
            only = ['-p' + name for name in selected]
            return self.compare(model, path, ['--continue'] + only + defines, engine, selected=selected)[1]
        return []

    def seeds(self):
        begun = time.monotonic()
        for seed in range(self.options.first, self.options.first + (self.options.seeds or (0 if self.options.seconds is None else sys.maxsize))):
            if self.options.seconds is not None and time.monotonic() - begun >= self.options.seconds:
                break
            self.random_model(seed)
        self.wide = True
        for seed in range(self.options.first, self.options.first + self.options.wide):
            self.random_model(seed, True)
        self.wide = False
        for seed in range(self.options.first, self.options.first + self.options.temporal):
            self.temporal_model(seed)
        for seed, alter in self.options.noticed:
            self.notices(seed, alter)
        missing = self.missing_forms() if self.options.forms else []
        if missing:
            self.failed += 1
            print('never: ' + ', '.join(missing))
        if self.refused * 10 > self.passed:
            self.failed += 1
            print('floe refuses %d models of %d' % (self.refused, self.refused + self.passed))

    # ---- models given ----

    def given(self, path):
        if path.endswith('.md'):
            with open(path) as document:
                texts = re.findall(r'^```xml\n(.*?)^```', document.read(), re.M | re.S)
            examples = [self.example(text, '%s.%d.xml' % (os.path.basename(path), i)) for i, text in enumerate(texts)]
            for example in examples:
                if example:
                    self.given(example)
            return
        cases = read_tree(path).findall('expect') or [ElementTree.Element('expect')]
        for number, case in enumerate(cases):
            if int(case.get('states', '0')) <= self.options.max_states:
                self.case(path, case, number)

    def example(self, text, name):
        """Writes it; None: an included file, whose name is in a comment, or a property given as an automaton, which the reference does not read."""
        if ' automaton="' in text:
            return None
        included = re.match(r'<!-- (\w+/\w+\.xml) -->', text)
        path = os.path.join(self.work, included.group(1) if included else name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(text)
        return None if included else path

    def case(self, path, case, number):
        pairs = [definition(text) for text in case.get('constants', '').split(',') if text.strip()]
        defines = ['-D%s=%d' % pair for pair in pairs]
        model = read_model(path, pairs)
        try:
            exploration, problems = self.explored(model, path, defines, self.engine(1 + number % 2), True)
        except FloeRefused:
            self.refused += 1
            return
        if exploration:
            problems += self.stated(exploration.result(), case)
        self.judge('%s %s' % (path, ' '.join(defines)), path, problems)

    @staticmethod
    def stated(result, case):
        """Compares the model's expected results."""
        wrong = ['%s: stated %s, the reference says %d' % (name, case.get(name), result[name])
                 for name in ('states', 'transitions', 'levels', 'deadlocks')
                 if case.get(name) is not None and int(case.get(name)) != result[name]]
        for verdict in case.findall('verdict'):
            found, depth = result['verdicts'][verdict.get('property')]
            if found != verdict.get('value') or verdict.get('depth') not in (None, str(depth)):
                wrong.append('%s: stated %s, the reference says %s %s' % (verdict.get('property'), verdict.attrib, found, depth))
        return wrong

    def tell(self):
        shutil.rmtree(self.work)
        print('%d runs of floe, %d states; %d models refused, %d too large and explored in part' % (
            self.runs, self.states, self.refused, self.bounded))
        if self.verdicts:
            print('temporal properties, %d runs shown: ' % self.runs_shown + ', '.join('%d %s' % (count, verdict) for verdict, count in sorted(self.verdicts.items())))
        print('%d passed, %d failed' % (self.passed, self.failed))
        return 1 if self.failed or not self.passed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seeds', type=int, default=0)
    parser.add_argument('--wide', type=int, default=0)
    parser.add_argument('--temporal', type=int, default=0, help='random models with temporal properties')
    parser.add_argument('--forms', action='store_true', help='every form of temporal properties must occur')
    parser.add_argument('--seconds', type=float)
    parser.add_argument('--given-seconds', type=float, help='leave out the models given that take longer')
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--compile-every', type=int, default=0)
    parser.add_argument('--max-states', type=int, default=2000)
    parser.add_argument('--keep', default='.')
    parser.add_argument('--features', type=features_of, default='all', help='what random models may have, or all or none')
    parser.add_argument('--floe', default=os.environ.get('FLOE', './floe'))
    parser.add_argument('--alter', type=lambda text: text.split('=>'), metavar='THIS=>THAT',
                        help="change floe's JSON, to see that it is noticed")
    parser.add_argument('--noticed', action='append', default=[], type=lambda text: (int(text.split(':')[0]), text.split(':', 1)[1].split('=>')),
                        metavar='SEED:THIS=>THAT', help='the same for the random model with temporal properties of this seed; that it is not noticed counts as failed')
    parser.add_argument('models', nargs='*')
    options = parser.parse_args()
    checker = Checker(options)
    begun = time.monotonic()
    for path in options.models:
        if options.given_seconds is None or time.monotonic() - begun < options.given_seconds:
            checker.given(path)
    if options.seeds or options.wide or options.temporal or options.seconds is not None:
        checker.seeds()
    sys.exit(checker.tell())


if __name__ == '__main__':
    main()
