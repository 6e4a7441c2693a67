#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A card in the kernel on veth interfaces: cxgbetool's scripts, traffic, and what can become of interfaces.

usage: xdp_card.py WEIR
"""
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
from cardtest import frame, rows
from labtest import Failures
from xdpcardtest import Rig, wait_for, why_not

f = Failures()

SCRIPT = """#!/bin/sh
set -euf

# no fragments
cxgbetool %(card)s filter 0  frag 1 action drop
cxgbetool %(card)s filter 10 action pass dport 49152:0xc000
cxgbetool %(card)s filter 20 iport 0 action pass dport 8080 proto 6
cxgbetool %(card)s filter 30 iport 0 action pass sip 198.18.7.0/24 dport 53 proto 17
cxgbetool %(card)s filter 40 iport 1 action pass sip 192.0.2.77 proto 1
cxgbetool %(card)s filter 90 action drop proto 6
cxgbetool %(card)s filter 91 action drop proto 17
"""

# What arrives at port 0, and the rule that each frame meets first (None: it passes unmatched).
TRAFFIC = [
    (frame("198.18.0.5", "198.19.1.1", 17, 1000, 9, frag=0x2000), 0),
    (frame("198.18.0.5", "198.19.1.1", 6, 80, 50000), 10),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 8080), 20),
    (frame("198.18.7.9", "198.19.1.1", 17, 4000, 53), 30),
    (frame("198.18.8.9", "198.19.1.1", 17, 4000, 53), 91),
    (frame("192.0.2.77", "198.19.1.1", 1, 0, 0), None),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 22), 90),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 23), 90),
]


def expect(times):
    want = {i: 0 for i in (0, 10, 20, 30, 40, 90, 91)}
    for _, rule in TRAFFIC:
        if rule is not None:
            want[rule] += times
    return want


def done(r, text):
    f.check(r.returncode == 0 and r.stdout == "" and r.stderr == "", "%s: %r" % (text, r))


def refused(r, status, sentence, text):
    f.check(r.returncode == status and r.stdout == "" and sentence in r.stderr and r.stderr.count("\n") == 1,
            "%s: %r" % (text, r))


def a_script_and_its_hits(rig):
    done(rig.adapter("create", rig.card, "v0", "v1"), "create")
    o = rig.listed()[rig.card]
    f.check((o["place"], o["ports"], o["modes"], o["states"]) ==
            ("kernel", ["v0", "v1"], ["native"] * 2, ["attached"] * 2), "the list: %s" % o)
    done(rig.run("sh", rig.write("rules.sh", SCRIPT % {"card": rig.card})), "the script")
    rig.send(0, [x for x, _ in TRAFFIC] * 100)
    f.check(wait_for(lambda: rig.hits() == expect(100)), "hits: %s, not %s" % (rig.hits(), expect(100)))
    # Rules come and go; the others' hits stay, and a slot that is used again begins at 0.
    done(rig.tool("filter", "20", "delete"), "delete")
    done(rig.tool("filter", "21", "iport", "0", "dport", "8080", "proto", "6", "action", "drop"), "add")
    want = expect(100)
    del want[20]
    want[21] = 0
    f.check(rig.hits() == want, "hits: %s, not %s" % (rig.hits(), want))
    rig.send(0, [x for x, rule in TRAFFIC if rule == 20] * 7)
    f.check(wait_for(lambda: rig.hits()[21] == 7), "the new rule's hits: %s" % rig.hits())
    rig.send(1, [x for x, rule in TRAFFIC if rule is None] * 3)
    f.check(wait_for(lambda: rig.hits()[40] == 3), "hits of the other port's rule: %s" % rig.hits())
    listing = rig.tool("filter", "list")
    f.check(list(rows(listing.stdout)) == [0, 10, 21, 30, 40, 90, 91], "the rows: %r" % listing)
    again = rig.run("sh", rig.path("rules.sh"))
    f.check(again.returncode == 16 and again.stderr == "cxgbetool: CHELSIO_T4_SET_FILTER: Device busy\n",
            "a second run: %r" % again)
    saved = rig.adapter("save", rig.card)
    done(rig.adapter("delete", rig.card), "delete")
    f.check(rig.listed() == {}, "nothing is left: %s" % rig.listed())
    r = rig.tool("filter", "list")
    f.check(r.returncode == 2 and "there is no card '%s'" % rig.card in r.stderr, "no card: %r" % r)
    # The saved rules are there with the card.
    done(rig.adapter("create", rig.card, "v0", "v1", "--rules", rig.write("saved.sh", saved.stdout)), "create with rules")
    f.check(rig.tool("filter", "list").stdout == "".join(
        line[:4] + "        0" + line[13:] if i else line
        for i, line in enumerate(listing.stdout.splitlines(True))), "the saved rules")
    done(rig.adapter("delete", rig.card), "delete")


def main():
    no = why_not()
    if no:
        print(no)
        return 77
    rig = Rig(sys.argv[1])
    try:
        a_script_and_its_hits(rig)
    finally:
        rig.end()
    return f.end()


if __name__ == "__main__":
    sys.exit(main())
