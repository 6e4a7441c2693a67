#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir adapter load` with a card in the kernel: all rules at once, and on trial: taken back unless confirmed.

usage: xdp_try.py WEIR
"""
import os
import signal
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
import loadtest
from cardtest import frame
from labtest import Failures, wait_for
from xdpcardtest import Rig, why_not

f = Failures()
UDP = frame("198.18.0.5", "198.19.1.1", 17, 1000, 9)
FRAGMENT = frame("198.18.0.5", "198.19.1.1", 17, 1000, 9, frag=0x2000)


def made(c):
    """The card with the rules of `old`."""
    r = c.place.adapter("create", c.place.card, "v0", "v1", "--rules", c.old)
    f.check(r.returncode == 0, "create: %r" % r)
    c.begin()


def for_good(c):
    loadtest.refused(c)
    c.place.send(0, [UDP] * 50 + [FRAGMENT] * 20)
    f.check(wait_for(lambda: c.place.hits()[0] == 20), "hits: %s" % c.place.hits())
    c.load(c.new, 0, "")
    f.check(c.is_new() and not any(c.place.hits().values()), "loaded, hits begin at 0: %s" % c.place.hits())
    c.place.send(0, [UDP] * 50 + [FRAGMENT] * 20)
    f.check(wait_for(lambda: c.place.hits() == {5: 70, 6: 0}), "the new rules count: %s" % c.place.hits())
    f.check(" mode " not in c.saved(), "the mode is that of a new card: %s" % c.saved())
    c.load(c.old, 0, "")
    f.check(c.is_old(), "loaded: %s" % c.saved())
    r = c.place.adapter("load", c.place.other, c.new)
    f.check(r.returncode == 1 and "there is no card '%s'" % c.place.other in r.stderr, "no card: %r" % r)


def guard_of(p):
    """The process that watches over p."""
    with open("/proc/%d/task/%d/children" % (p.pid, p.pid), encoding="ascii") as h:
        return int(h.read().split()[0])


def the_guard(c):
    """It does not listen to the terminal, and one that is killed is replaced."""
    p = c.start(60)
    for sig in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP):
        os.kill(guard_of(p), sig)
    f.check(c.is_new() and p.poll() is None, "the guard goes on")
    os.kill(guard_of(p), signal.SIGKILL)
    c.ends(p, 1, "not confirmed: the rules are what they were", "the guard killed")
    c.is_back("the guard killed")


def others_meanwhile(c):
    p = c.start(60)
    f.check(c.place.tool("filter", "7", "proto", "6", "action", "drop").returncode == 0, "another command on trial")
    # The sets that are filled in turn are not the one that is held.
    for i in range(5):
        f.check(c.place.tool("filter", str(20 + i), "proto", str(i), "action", "drop").returncode == 0, "more of them")
    c.ends(p, 1, "not confirmed", "n", word="n\n")
    f.check(c.is_old(), "all is back: %s" % c.saved())
    c.place.send(0, [UDP] * 50 + [FRAGMENT] * 20)
    f.check(wait_for(lambda: c.place.hits()[0] == 20), "and in force: %s" % c.place.hits())
    p = c.start(60)
    f.check(c.place.adapter("delete", c.place.card).returncode == 0, "delete on trial")
    c.ends(p, 1, "STILL IN FORCE: there is no card", "n", word="n\n")
    made(c)


def main():
    why = why_not()
    if why is not None:
        print("skipped:", why)
        sys.exit(77)
    # A caller's `nohup` or `&` would have the command under test ignore them.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rig = Rig(sys.argv[1])
    try:
        c = loadtest.Loads(rig, f)
        made(c)
        for test in (for_good, loadtest.answers, loadtest.signals, the_guard, loadtest.on_a_terminal, others_meanwhile,
                     loadtest.killed_anywhere):
            test(c)
    finally:
        rig.end()
    f.end()


main()
