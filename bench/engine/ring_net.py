#!/usr/bin/env python3
"""Writes a Petri net of a given number of transitions: agents on rings of places, with gates that two rings share.

Ring i has STEPS places and one token, which moves by STEPS transitions. Step 0 of ring i also takes the token of gate
i, step 1 returns it; gate i is shared with ring i + 1, whose step 2 needs it and keeps it. All places are safe, so a
state has a bit per place and several words. With R moving rings the search has about STEPS^R states; the others have
their tokens before a gate that nobody opens, so their transitions are tested and never fire.

    ring_net.py TRANSITIONS [STEPS [MOVING]] > net.pnml
"""
import sys

transitions = int(sys.argv[1])
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 10
moving = int(sys.argv[3]) if len(sys.argv) > 3 else 6
rings = max(1, transitions // steps)

print('<?xml version="1.0"?>\n<pnml><net id="rings" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">')


def place(name, tokens):
    print(f'<place id="{name}"><initialMarking><text>{tokens}</text></initialMarking></place>')


arcs = 0


def arc(source, target):
    global arcs
    arcs += 1
    print(f'<arc id="a{arcs}" source="{source}" target="{target}"/>')


place("closed", 0)
for r in range(rings):
    place(f"gate{r}", 1)
    for s in range(steps):
        place(f"p{r}_{s}", 1 if s == 0 else 0)
for r in range(rings):
    for s in range(steps):
        name = f"t{r}_{s}"
        print(f'<transition id="{name}"/>')
        arc(f"p{r}_{s}", name)
        arc(name, f"p{r}_{(s + 1) % steps}")
        if s == 0:
            arc(f"gate{r}", name)
            if r >= moving:
                arc("closed", name)
                arc(name, "closed")
        elif s == 1:
            arc(name, f"gate{r}")
        elif s == 2 and r > 0:
            arc(f"gate{r - 1}", name)
            arc(name, f"gate{r - 1}")
print("</page></net></pnml>")
