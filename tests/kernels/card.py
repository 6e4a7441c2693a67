#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The first things that a card in the kernel must do on any kernel: each check is a run of its own.

usage: card.py CHECK WEIR
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "smoke"))

# pylint: disable=wrong-import-position
from cardtest import capture, frame
from labtest import Failures, wait_for
from xdpcardtest import Rig

f = Failures()
TCP = frame("198.18.0.5", "198.19.1.1", 6, 4000, 22)
UDP = frame("198.18.0.5", "198.19.1.1", 17, 4000, 53)
TAGGED = TCP[:12] + b"\x81\x00\x00\x07" + TCP[12:]


def done(r, text):
    f.check(r.returncode == 0, "%s: %r" % (text, r))
    return r


def counts(rig, want):
    f.check(wait_for(lambda: rig.hits() == want), "hits: %s, not %s" % (rig.hits(), want))


def created(rig, *words, mode="native"):
    done(rig.adapter("create", rig.card, "v0", "v1", *words), "create")
    o = rig.listed()[rig.card]
    f.check(o["states"] == ["attached"] * 2 and o["modes"] == [mode] * 2, "the list: %s" % o)


def native(rig):
    created(rig)
    done(rig.adapter("delete", rig.card), "delete")
    f.check(rig.listed() == {}, "nothing is left: %s" % rig.listed())


def skb(rig):
    created(rig, "--mode", "skb", mode="skb")
    done(rig.tool("filter", "1", "proto", "6", "action", "drop"), "a rule")
    rig.send(0, [TCP] * 5 + [UDP])
    counts(rig, {1: 5})


def forward(rig):
    created(rig, "--forward")
    done(rig.tool("filter", "1", "proto", "6", "action", "drop"), "a rule")
    rig.send(0, [TCP] * 5 + [UDP])
    counts(rig, {1: 5})


def rules(rig):
    """Rules come, count and go; the others' hits stay."""
    created(rig)
    for words in ("1 iport 1 proto 6 action drop", "2 ivlan 7 action drop", "3 proto 6 dport 22 action drop",
                  "4 sip 198.18.0.0/16 action pass", "8 type ipv6 sip 2001:2::/48 action drop"):
        done(rig.tool("filter", *words.split()), "rule " + words)
    rig.send(0, [TAGGED] * 2 + [TCP] * 3 + [UDP] * 4)
    counts(rig, {1: 0, 2: 2, 3: 3, 4: 4, 8: 0})
    done(rig.tool("filter", "3", "delete"), "delete a rule")
    rig.send(0, [TCP])
    rig.send(1, [TCP])
    counts(rig, {1: 1, 2: 2, 4: 5, 8: 0})
    listing = done(rig.tool("filter", "list"), "list").stdout
    f.check(re.findall(r"^ *(\d+) ", listing, re.M) == ["1", "2", "4", "8"], "the list: %s" % listing)


def rewriting(rig):
    """Frames leave by the other port, with another address and a tag."""
    created(rig, "--mode", "skb", mode="skb")
    done(rig.tool("filter", "1", "proto", "6", "action", "switch", "eport", "1", "vlan", "=9", "dmac", "02:00:00:00:00:77"),
         "a switch")
    done(rig.tool("filter", "2", "proto", "17", "action", "switch", "eport", "1", "nat", "dip-dp", "nat_dip", "192.0.2.1",
                  "nat_dport", "5353"), "a translation")
    rig.send(0, [TCP] * 3 + [UDP] * 2)
    counts(rig, {1: 3, 2: 2})


def verdicts(rig):
    """The kernel's test run of the program."""
    created(rig)
    done(rig.tool("filter", "2", "ivlan", "7", "action", "drop"), "a rule")
    done(rig.tool("filter", "3", "proto", "6", "action", "drop"), "a rule")
    capture(rig.path("in.pcap"), [TCP, UDP, TAGGED])
    out = done(rig.adapter("check", rig.card, rig.path("in.pcap")), "check").stdout
    f.check([line.split() for line in out.splitlines()[-3:]] == [["1", "drop", "3"], ["2", "pass", "-"], ["3", "drop", "2"]],
            "verdicts: %r" % out)


def live(rig):
    """The generator's live frames, counted by a rule of the card that they run into."""
    created(rig)
    done(rig.tool("filter", "1", "proto", "17", "action", "drop"), "a rule")
    done(rig.run("weir", "gen", "-i", "live:w0", "-f", "tx", "-n", "1000", "-w", "0", "-s", "198.18.0.5", "-d", "198.19.1.1",
                 "-S", "02:00:00:00:00:09", "-D", "02:00:00:00:00:01", ns=rig.outside), "live frames")
    counts(rig, {1: 1000})


CHECKS = {c.__name__: c for c in (native, skb, forward, rules, rewriting, verdicts, live)}


def main():
    rig = Rig(sys.argv[2])
    try:
        CHECKS[sys.argv[1]](rig)
    finally:
        rig.end()
    f.end()


if __name__ == "__main__":
    main()
