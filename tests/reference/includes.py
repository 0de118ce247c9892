#!/usr/bin/env python3
"""Models in several files (doc/language.md, "Includes").

  includes.py MODEL FOLDER

writes a twin of MODEL into FOLDER whose parts are in included files, and prints its path.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree

OWN = 'description', 'deadlock', 'expect'  # not in included files


def read_tree(path):
    """The root element, with the parts of included files in the places of the includes."""
    root = ElementTree.parse(path).getroot()
    for i, child in reversed(list(enumerate(root))):
        if child.tag == 'include':
            root[i:i + 1] = list(read_tree(os.path.join(os.path.dirname(path), child.get('href'))))
    return root


def write(path, root):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding='unicode')


def include(href):
    return ElementTree.Element('include', href=href)


def fragment(path, children):
    root = ElementTree.Element('fragment')
    root.extend(children)
    write(path, root)


def split(path, folder):
    """The model includes files with its first and last parts; the first one includes a file with the second ones."""
    root = ElementTree.parse(path).getroot()
    name = os.path.splitext(os.path.basename(path))[0]
    parts = [child for child in root if child.tag not in OWN]
    third = len(parts) // 3
    fragment(os.path.join(folder, name, 'first.xml'), parts[:third] + [include('inner/second.xml')])
    fragment(os.path.join(folder, name, 'inner', 'second.xml'), parts[third:2 * third])
    fragment(os.path.join(folder, name, 'last.xml'), parts[2 * third:])
    root[:] = [include(name + '/first.xml'), include(name + '/last.xml')] + [child for child in root if child.tag in OWN]
    twin = os.path.join(folder, os.path.basename(path))
    write(twin, root)
    return twin


if __name__ == '__main__':
    print(split(*sys.argv[1:]))
