#!/usr/bin/env python3
"""Compares the figures of the small models with Spin's: micro.py [-w] TABLE...; -w writes Spin's figures into the table.

A table has the cases one after the other, each behind a line
  === NAME STATES TRANSITIONS INVALID_END_STATES FAILING_ASSERTIONS"""
import os
import sys
import tempfile

import pan


def cases(table):
    with open(table) as file:
        for case in ("\n" + file.read()).split("\n=== ")[1:]:
            head, text = case.split("\n", 1)
            name, *figures = head.split()
            yield name, tuple(map(int, figures)), text.rstrip("\n") + "\n"


def beside_spin(tables, write):
    wrong = 0
    for table in tables:
        lines = []
        for name, figures, text in cases(table):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name + ".pml")
                with open(path, "w") as file:
                    file.write(text)
                try:
                    found = pan.figures(path)
                except pan.Failure as failure:
                    found = ()
                    print(f"{name}: {failure}")
            if found != figures:
                wrong += 1
                print(f"{name}: Spin has {found}, not {figures}")
            lines.append(" ".join(["===", name, *map(str, found or figures)]) + "\n" + text)
        if write:
            with open(table, "w") as file:
                file.write("".join(lines))
    return wrong


if __name__ == "__main__":
    WRITE = sys.argv[1] == "-w"
    WRONG = beside_spin(sys.argv[1 + WRITE:], WRITE)
    sys.exit(0 if WRITE or not WRONG else 1)
