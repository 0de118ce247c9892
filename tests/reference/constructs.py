#!/usr/bin/env python3
"""constructs.py [MODELS]: checks that the random models contain every construct they may contain, and no other.

Each feature is recognised in the text by a pattern for each way to write it. Prints the number of models (of 300) with it.
"""
import os
import re
import sys
from xml.sax.saxutils import unescape

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_expressions import FEATURES, WORDS
from random_models import Generator

NAMED = r'(?:name="|select="|<select>|, )(?:%s)(?:"| in )' % '|'.join(WORDS)
PATTERNS = {
    'statements': [r'for \w+ in \d\.\.', r'for \w+ in [Pe]\d :', r'for \w+ in f\d+\.\.', r'if \(', r'\} else ', r'; else (?![-+=])', r'else if', r'\{\}', r'\} \w'],
    'defines': [r'<define', r'parameters="\w+, ', r'[dD]\d\(', r'value="kd\(', r'p\d_d\d\('],
    'enumerations': [r'<enumeration', r'type="e\d"', r'in e\d', r'message="[^"]*e\d', r'= e\d_\w'],
    'wrap': [r'wrap="true"', r'type="byte"', r'type="byte" wrap="false"'],
    'values': [r'values="[^"]*-?\d\.\.', r'values="[^"]*40'],
    'ranges': [r'range="[^",]*, [^"]*"'],
    'operators': [r'[^|]\|[^|]', r'[^&]& ', r'\^', r'<<', r'>>', r'~', 'bitand', 'bitor', 'bitxor', 'bitnot', 'shl', 'shr', r'(?:shl|shr|<<|>>) (?:-1|64|100)'],
    'zero': [r'[/%] 0\b', r'[/%] \([^()]* \* 0\)'],
    'names': [NAMED, r'<variable name="(?:%s)"' % '|'.join(WORDS), r'<channel name="(?:%s)"' % '|'.join(WORDS),
              r'    <(?:variable|parameter) name="(?:g\d|e\d_)', r' (?:n|g\d|e\d_\w) in |\((?:g\d|e\d_\w) in '],
    'fields': [r'receive(?:="|>)[^"<(]*\([^"<)]*\bb\d+'],
    'dimensions': [r'size="\d, \d"', r'size="\d, \d, \d"', r'\]\['],
    'records': [r'<record', r'type="r[tu]"', r'r\d\.f', r'r\d\[[^].]*\]\.f', r'\]\.p\d_r', r' = r\d(?: |;|"|<|\[)', r'init="f[abc] = ', r'init="fr\.f[abc] = ', r'message="r[tu]"', r'receive="c\d(?:\[[^"]*\])?\(== r\d(?:\[\w+\])?\)'],
    'functions': [r'<function', r'<function[^>]*parameters="\w+, ', r'name="kd" parameters="kp">for', r'return v', r'else \{ if \([^;]*\) return ', r'for f\d+ in 0..\d : \{[^}]*return'],
    'else': [r'guard=" ?else ?"', r'guard="else"[^>]*select', r'from="\*"[^>]*guard=" ?else'],
}


def having(pattern, texts, feature):
    """Functions have statements, too."""
    if feature == 'statements':
        texts = [re.sub(r'<function.*?</function>', '', text, flags=re.DOTALL) for text in texts]
    return sum(1 for text in texts if re.search(pattern, text))


def texts_of(count, features):
    return [unescape(Generator(seed, features=features).text, {'&#10;': '\n'}) for seed in range(count)]


def main():
    count, failed = int(sys.argv[1]) if len(sys.argv) > 1 else 300, False
    everything = texts_of(count, FEATURES)
    for feature in FEATURES:
        without = texts_of(count // 3, [one for one in FEATURES if one != feature])
        for pattern in PATTERNS[feature]:
            found, despite = having(pattern, everything, feature), having(pattern, without, feature)
            wrong = not found or despite
            failed = failed or bool(wrong)
            print('%s%-13s %4d models have %s, %d without the feature' % ('WRONG ' if wrong else '', feature, found, pattern, despite))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
